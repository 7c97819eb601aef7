// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bytes of files: read from any place, and written beside the final name.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <quern/core/host_threads.hpp>
#include <quern/files/array_file.hpp>

namespace quern::files::impl {
namespace {

/// Bytes that one thread reads or writes at a time. (bench_transfer)
constexpr std::int64_t share_bytes = 2 << 20;

std::string reason() { return std::strerror(errno); }

/// f(offset, bytes) for parts of a range of bytes, by several threads.
void in_shares(std::int64_t bytes, const std::function<void(std::int64_t, std::int64_t)>& f) {
  quern::impl::on_host_threads((bytes + share_bytes - 1) / share_bytes, [&](std::int64_t k) {
    f(k * share_bytes, std::min(share_bytes, bytes - k * share_bytes));
  });
}

class file_on_disk : public byte_source {
 public:
  explicit file_on_disk(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
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
  void read(std::int64_t offset, std::int64_t bytes, void* to) const override {
    in_shares(bytes, [&](std::int64_t first, std::int64_t count) {
      read_share(offset + first, count, static_cast<char*>(to) + first);
    });
  }

 private:
  void read_share(std::int64_t offset, std::int64_t bytes, char* to) const {
    while (bytes > 0) {
      const ssize_t n = ::pread(descriptor_, to, bytes, offset);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw FileError(path_, "cannot be read at byte " + std::to_string(offset) + ": " + reason());
      if (n == 0)
        throw FileError(path_, "ends at byte " + std::to_string(offset) + ", " + std::to_string(bytes) +
                                   " bytes before what is read from it");
      offset += n;
      to += n;
      bytes -= n;
    }
  }
  std::string path_;
  int descriptor_;
  std::int64_t size_ = 0;
};

}  // namespace

std::shared_ptr<const byte_source> open_file(const std::string& path) { return std::make_shared<file_on_disk>(path); }

output_file::output_file(const std::string& path) : path_(path), unfinished_(path) {
  struct stat status{};
  regular_ = ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
  if (regular_) unfinished_ += ".part-" + std::to_string(::getpid());
  descriptor_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(path, "cannot be written: " + reason());
}

output_file::~output_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (regular_) ::unlink(unfinished_.c_str());
}

void output_file::write(const void* data, std::int64_t bytes) {
  if (regular_) {
    write_at(written_, data, bytes);
    written_ += bytes;
    return;
  }
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(descriptor_, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError(path_, "cannot be written: " + reason());
    from += n;
    bytes -= n;
  }
}

void output_file::write_at(std::int64_t offset, const void* data, std::int64_t bytes) {
  in_shares(bytes, [&](std::int64_t first, std::int64_t count) {
    const char* from = static_cast<const char*>(data) + first;
    for (std::int64_t at = offset + first; count > 0;) {
      const ssize_t n = ::pwrite(descriptor_, from, count, at);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw FileError(path_, "cannot be written at byte " + std::to_string(at) + ": " + reason());
      at += n;
      from += n;
      count -= n;
    }
  });
}

void output_file::commit() {
  // Some file systems report a full disk only here.
  if (const int descriptor = std::exchange(descriptor_, -1); ::close(descriptor) != 0) {
    if (regular_) ::unlink(unfinished_.c_str());
    throw FileError(path_, "cannot be written: " + reason());
  }
  if (regular_ && ::rename(unfinished_.c_str(), path_.c_str()) != 0) {
    const std::string why = reason();
    ::unlink(unfinished_.c_str());
    throw FileError(path_, "cannot be given its name: " + why);
  }
}

}  // namespace quern::files::impl
