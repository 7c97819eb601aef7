// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bytes of files, read from any place.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <quern/files/array_file.hpp>

#include "file_shares.hpp"

namespace quern::files::impl {
namespace {

class file_on_disk : public byte_source {
 public:
  explicit file_on_disk(const std::string& path)
      : path_(path), descriptor_(::open(c_name(path), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw FileError(path, "cannot be opened: " + reason());
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw FileError(path, "is not a regular file");
    }
    size_ = status.st_size;
  }
  ~file_on_disk() override { ::close(descriptor_); }
  std::int64_t size() const override { return size_; }
  const std::string& name() const override { return path_; }
  void read(std::int64_t offset, std::int64_t bytes, void* to) override {
    in_shares(bytes, share_bytes, [&](std::int64_t first, std::int64_t count) {
      read_share(offset + first, count, static_cast<char*>(to) + first);
    });
  }

 private:
  void read_share(std::int64_t offset, std::int64_t bytes, char* to) const {
    const auto read = [&](std::int64_t done, std::int64_t left) {
      return ::pread(descriptor_, to + done, left, offset + done);
    };
    in_calls(bytes, read, [&](std::int64_t done, ssize_t n) {
      const std::string at = " at byte " + std::to_string(offset + done);
      if (n < 0) throw FileError(path_, "cannot be read" + at + ": " + reason());
      throw FileError(path_, "ends" + at + ", " + std::to_string(bytes - done) + " bytes before what is read from it");
    });
  }
  std::string path_;
  int descriptor_;
  std::int64_t size_ = 0;
};

}  // namespace

std::shared_ptr<byte_source> open_file(const std::string& path) { return std::make_shared<file_on_disk>(path); }

}  // namespace quern::files::impl
