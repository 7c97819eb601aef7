// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_NPY_HPP
#define QUERN_FILES_NPY_HPP

/// @file
/// NumPy's array files: `.npy` (one array, versions 1 to 3) and `.npz` (a zip archive of them).
/// Source of the formats: numpy.lib.format; PKWARE's APPNOTE 6.3.

#include <quern/files/array_file.hpp>
#include <vector>

namespace quern::files {

namespace impl {
/// @param flat whether its elements are to be an array of one axis, in the order of the file
std::unique_ptr<array_file> open_npy(std::shared_ptr<byte_source> file, bool flat = false);
std::unique_ptr<array_file> open_npz(std::shared_ptr<byte_source> file, const std::string& name);
std::vector<std::string> names_in_npz(byte_source& file);
std::string npy_header(const array_info& info);
}  // namespace impl

/// What a `.npy` file holds.
array_info npy_info(const std::string& path);

/// Reads a `.npy` file into a View of any layout and memory space. The values may have any numeric type, of either byte
/// order, in C or Fortran order; they are converted to out's type. Integers may be read as reals, and wide numbers as
/// narrow ones (reals are rounded, integers keep their lower bits), but neither reals as integers nor complex numbers
/// as reals. Waits.
///
/// @throws FileError if the file cannot be read, is truncated, or has other extents than `out`
template <class V>
void read_npy(const std::string& path, const V& out) {
  impl::read_into("quern::files::read_npy", *impl::open_npy(impl::open_file(path)), out);
}

/// A new View with the contents of a `.npy` file: `load_npy<Kokkos::View<double**>>("u.npy")`.
/// @throws FileError as `read_npy`, and where the file's rank is not that of V
template <class V>
  requires(Kokkos::is_view_v<V>)
V load_npy(const std::string& path) {
  return impl::load<V>("quern::files::load_npy", *impl::open_npy(impl::open_file(path)));
}

/// Writes a View of any layout and memory space: one that is contiguous in LayoutLeft in Fortran order, and all others
/// in C order. The file gets its name when it is complete, so that an earlier one stays whole where writing fails.
/// Waits.
/// @throws FileError if the file cannot be written
template <class V>
void write_npy(const std::string& path, const V& in) {
  const auto array = impl::array_of(in);
  const bool fortran = impl::is_fortran_ordered(array);
  impl::output_file file(path);
  const std::string header =
      impl::npy_header({data_type_of<quern::impl::value_of<V>>(), array.extents, fortran, false, 0});
  file.write(header.data(), static_cast<std::int64_t>(header.size()));
  impl::write_elements("quern::files::write_npy", file, in, fortran);
  file.commit();
}

/// The names of the arrays in a `.npz` file, in its order.
std::vector<std::string> npz_names(const std::string& path);
/// What a `.npz` file holds under a name.
array_info npz_info(const std::string& path, const std::string& name);

/// Reads an array of a `.npz` file, compressed or not, as `read_npy` reads a `.npy` file. Checksums are verified.
/// Compressed files need zlib.
/// @throws FileError also where there is no array of that name, or Quern was built without zlib
template <class V>
void read_npz(const std::string& path, const std::string& name, const V& out) {
  impl::read_into("quern::files::read_npz", *impl::open_npz(impl::open_file(path), name), out);
}
/// A new View with an array of a `.npz` file.
template <class V>
  requires(Kokkos::is_view_v<V>)
V load_npz(const std::string& path, const std::string& name) {
  return impl::load<V>("quern::files::load_npz", *impl::open_npz(impl::open_file(path), name));
}

}  // namespace quern::files

#endif
