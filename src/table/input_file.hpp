// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_INPUT_FILE_HPP
#define QUERN_SRC_TABLE_INPUT_FILE_HPP

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <quern/files/array_info.hpp>

namespace quern::impl {

/// A file, or a pipe, that is open to be read.
class input_file {
 public:
  explicit input_file(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status{};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
      const int error = errno;
      close();
      fail(error);
    }
    if (S_ISDIR(status.st_mode)) {
      close();
      fail(EISDIR);
    }
    regular_ = S_ISREG(status.st_mode);
    bytes_ = static_cast<std::size_t>(status.st_size);
  }
  ~input_file() { close(); }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  int descriptor() const { return descriptor_; }
  /// Whether it has a size, and can be read again.
  bool regular() const { return regular_; }
  std::size_t bytes() const { return bytes_; }
  /// Reads up to so many of the next bytes; 0 at the end.
  std::size_t read(char* to, std::size_t most) {
    for (;;) {
      const ssize_t n = ::read(descriptor_, to, most);
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) fail(errno);
    }
  }
  /// Reads up to so many bytes from a place on.
  std::size_t read_at(std::int64_t offset, char* to, std::size_t most) const {
    std::size_t done = 0;
    while (done < most) {
      const ssize_t n =
          ::pread(descriptor_, to + done, most - done, static_cast<off_t>(offset) + static_cast<off_t>(done));
      if (n == 0) break;
      if (n > 0) done += static_cast<std::size_t>(n);
      else if (errno != EINTR) fail(errno);
    }
    return done;
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  [[noreturn]] void fail(int error) const {
    throw files::FileError(path_, std::string("cannot be read: ") + std::strerror(error));
  }
  std::string path_;
  int descriptor_;
  bool regular_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace quern::impl

#endif
