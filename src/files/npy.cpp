// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/files/npy.hpp>

#include "npy_header.hpp"

namespace quern::files {
namespace impl {

std::unique_ptr<array_file> open_npy(std::shared_ptr<byte_source> file, bool flat) {
  array_info info = parse_npy_header(*file);
  if (flat) info.extents = shape{info.extents.size()};
  return plain_array(std::move(file), info);
}

std::string npy_header(const array_info& info) {
  std::string extents = info.extents.str();
  if (info.extents.rank == 1) extents.insert(extents.size() - 1, ",");  // as Python writes a tuple of one
  std::string text = std::string("{'descr': '") + (info.type.bytes == 1 ? '|' : '<') +
                     npy_kind_letters[static_cast<std::size_t>(info.type.kind)] + std::to_string(info.type.bytes) +
                     "', 'fortran_order': " + (info.fortran_order ? "True" : "False") + ", 'shape': " + extents + ", }";
  // Elements begin at a multiple of 64 bytes.
  const std::size_t before = npy_magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  const char version_and_size[] = {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return std::string(npy_magic) + std::string(version_and_size, 4) + text;
}

}  // namespace impl

array_info npy_info(const std::string& path) { return impl::open_npy(impl::open_file(path))->info(); }

}  // namespace quern::files
