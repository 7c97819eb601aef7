// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In place of zlib in builds without it.
#include <array>
#include <quern/files/array_info.hpp>

#include "inflate.hpp"

namespace quern::files::impl {

std::unique_ptr<inflater> make_inflater(const std::string& name) {
  throw FileError(name, "is compressed, and Quern was built without zlib (QUERN_ENABLE_FILES)");
}

void crc32::add(const char* data, std::int64_t bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t k = 0; k < 256; ++k) {
      t[k] = k;
      for (int bit = 0; bit < 8; ++bit) t[k] = (t[k] & 1) != 0 ? 0xedb88320u ^ t[k] >> 1 : t[k] >> 1;
    }
    return t;
  }();
  std::uint32_t c = ~value_;
  for (std::int64_t i = 0; i < bytes; ++i) c = table[(c ^ static_cast<unsigned char>(data[i])) & 0xff] ^ c >> 8;
  value_ = ~c;
}

}  // namespace quern::files::impl
