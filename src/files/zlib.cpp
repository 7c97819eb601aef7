// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <zlib.h>

#include <algorithm>
#include <quern/files/array_info.hpp>

#include "inflate.hpp"

namespace quern::files::impl {
namespace {

class zlib_inflater : public inflater {
 public:
  explicit zlib_inflater(const std::string& name) : name_(name) {
    constexpr int without_header = -15;
    if (::inflateInit2(&stream_, without_header) != Z_OK) throw FileError(name, "zlib has no memory");
  }
  ~zlib_inflater() override { ::inflateEnd(&stream_); }

  void inflate(char* to, std::int64_t bytes,
               const std::function<std::pair<const char*, std::int64_t>()>& more) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(bytes);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        const auto [data, n] = more();
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));
        stream_.avail_in = static_cast<uInt>(n);
      }
      const uInt input = stream_.avail_in, room = stream_.avail_out;
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      const bool stuck = stream_.avail_in == input && stream_.avail_out == room;
      if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || stuck ||
          (status == Z_STREAM_END && stream_.avail_out > 0))
        throw FileError(name_, "is damaged: its compressed data cannot be decompressed");
    }
  }

 private:
  std::string name_;
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<inflater> make_inflater(const std::string& name) { return std::make_unique<zlib_inflater>(name); }

void crc32::add(const char* data, std::int64_t bytes) {
  while (bytes > 0) {
    const auto n = static_cast<uInt>(std::min<std::int64_t>(bytes, 1 << 30));
    value_ = static_cast<std::uint32_t>(::crc32(value_, reinterpret_cast<const Bytef*>(data), n));
    data += n;
    bytes -= n;
  }
}

}  // namespace quern::files::impl
