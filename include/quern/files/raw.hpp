// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_RAW_HPP
#define QUERN_FILES_RAW_HPP

#include <quern/files/array_file.hpp>

namespace quern::files {

/// How elements lie in a file without a header: `{.offset = 256, .big_endian = true}`.
struct raw_layout {
  std::int64_t offset = 0;  ///< bytes before the first element
  bool big_endian = false;
  bool fortran_order = false;
};

/// Reads elements of V's type into a View of any layout and memory space. What follows them in the file is left. Waits.
/// @throws FileError if the file cannot be read, or is too short
template <class V>
void read_raw(const std::string& path, const V& out, const raw_layout& layout = {}) {
  const array_info info{data_type_of<quern::impl::value_of<V>>(), impl::array_of(out).extents, layout.fortran_order,
                        layout.big_endian, layout.offset};
  impl::read_into("quern::files::read_raw", *impl::plain_array(impl::open_file(path), info), out);
}

/// Writes the elements of a View in C order, in the byte order of the machine and with nothing else. The file gets its
/// name when it is complete. Waits.
/// @throws FileError if the file cannot be written
template <class V>
void write_raw(const std::string& path, const V& in) {
  impl::output_file file(path);
  impl::write_elements("quern::files::write_raw", file, in, false);
  file.commit();
}

}  // namespace quern::files

#endif
