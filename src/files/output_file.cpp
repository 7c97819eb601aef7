// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that are written beside their final names.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <quern/files/output_file.hpp>
#include <system_error>
#include <utility>

#include "file_shares.hpp"

namespace quern::files {
namespace impl {
struct listed_file {
  std::string name;
  pid_t process;  // that has begun it: a forked one inherits the list, and not the files
  void remove() const noexcept {
    if (process == ::getpid()) ::unlink(name.c_str());
  }
};

namespace {

/// The unfinished files, where a handler of a signal finds them. A file that finds no free slot is not listed.
std::array<std::atomic<listed_file*>, 256> unfinished_files{};
/// Whether a handler has looked: then no name is freed any more, since the handler may still hold it.
std::atomic<bool> handler_looks{false};

listed_file* list_file(const std::string& name) {
  (void)c_name(name);
  auto* file = new listed_file{name, ::getpid()};
  for (auto& slot : unfinished_files) {
    listed_file* free = nullptr;
    if (slot.compare_exchange_strong(free, file)) break;
  }
  return file;
}

void unlist_file(listed_file* file) noexcept {
  for (auto& slot : unfinished_files) {
    listed_file* found = file;
    if (slot.compare_exchange_strong(found, nullptr)) break;
  }
  if (!handler_looks) delete file;
}

/// What a symbolic link points to, whether it is there or not: that is replaced, and not the link.
std::string target_of(const std::string& path) {
  std::error_code none;
  std::filesystem::path target = path;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(target, none); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target, none);
  return target.string();
}

/// A file keeps the permissions of the one that it replaces.
void take_permissions(const std::string& from, const std::string& to) {
  struct stat status{};
  if (::stat(from.c_str(), &status) == 0) [[maybe_unused]]
    const int unchanged = ::chmod(to.c_str(), status.st_mode & 07777);
}

}  // namespace

bool is_replaced(const std::string& path) {
  struct stat status{};
  if (::stat(c_name(path), &status) != 0) return true;
  const bool is_open =
      path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
  return S_ISREG(status.st_mode) && !is_open;
}

unfinished_file::unfinished_file(const std::string& path, const std::string& unfinished)
    : path_(target_of(path)), name_(unfinished) {
  if (!is_replaced(path)) throw FileError(path, "cannot be written: it is not a regular file");
  listed_ = list_file(unfinished);
}

unfinished_file::unfinished_file(unfinished_file&& other) noexcept
    : path_(std::move(other.path_)), name_(std::move(other.name_)), listed_(std::exchange(other.listed_, nullptr)) {}

std::string unfinished_file::name_beside(const std::string& path) {
  // The time tells processes apart that share a number, in containers or on nodes that share a folder.
  static const auto start = std::chrono::system_clock::now().time_since_epoch().count();
  static std::atomic<int> files{0};
  return target_of(path) + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(files++) + "-" +
         std::to_string(start);
}

void unfinished_file::commit() {
  if (listed_ == nullptr) return;
  std::string problem;
  if (const int descriptor = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC); descriptor >= 0) {
    if (!bring_to_disk(descriptor)) problem = "cannot be written: " + reason();
    ::close(descriptor);
  }
  if (problem.empty()) {
    take_permissions(path_, name_);
    if (std::rename(name_.c_str(), path_.c_str()) != 0) problem = "cannot be given its name: " + reason();
  }
  if (!problem.empty()) {
    remove();
    throw FileError(path_, problem);
  }
  unlist_file(std::exchange(listed_, nullptr));
}

void unfinished_file::remove() noexcept {
  if (listed_ == nullptr) return;
  listed_->remove();
  unlist_file(std::exchange(listed_, nullptr));
}

output_file::output_file(const std::string& path)
    : path_(path), regular_(is_replaced(path)), unfinished_(regular_ ? unfinished_file(path) : unfinished_file()) {
  const std::string& name = regular_ ? unfinished_.name() : path_;
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (regular_ ? O_TRUNC : O_APPEND), 0666);
  if (descriptor_ < 0) throw FileError(path, "cannot be written: " + reason());
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);  // what was not committed goes: nobody misses it
}

void output_file::fail(const std::string& problem) {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
  unfinished_.remove();
  throw FileError(path_, problem);
}

void output_file::write(const void* data, std::int64_t bytes) {
  if (!regular_) return append(static_cast<const char*>(data), bytes);
  write_at(written_, data, bytes);
  written_ += bytes;
}

void output_file::append(const char* data, std::int64_t bytes) {
  const auto write = [&](std::int64_t done, std::int64_t left) { return ::write(descriptor_, data + done, left); };
  in_calls(bytes, write, [&](std::int64_t, ssize_t) { fail("cannot be written: " + reason()); });
}

void output_file::write_at(std::int64_t offset, const void* data, std::int64_t bytes) {
  if (descriptor_ < 0) throw FileError(path_, "cannot be written: it was committed, or an earlier write failed");
  try {
    for_each_share(bytes, share_bytes, [&](std::int64_t first, std::int64_t count) {
      write_share(offset + first, static_cast<const char*>(data) + first, count);
    });
  } catch (const FileError&) {
    ::close(std::exchange(descriptor_, -1));
    unfinished_.remove();
    throw;
  }
}

void output_file::write_share(std::int64_t offset, const char* data, std::int64_t bytes) {
  const auto write = [&](std::int64_t done, std::int64_t left) {
    return ::pwrite(descriptor_, data + done, left, offset + done);
  };
  in_calls(bytes, write, [&](std::int64_t done, ssize_t) {
    throw FileError(path_, "cannot be written at byte " + std::to_string(offset + done) + ": " + reason());
  });
}

void output_file::close() {
  if (descriptor_ < 0) throw FileError(path_, "cannot be committed: it was before, or an earlier write failed");
  // Some file systems report a full disk only here.
  if (regular_ && !bring_to_disk(descriptor_)) fail("cannot be written: " + reason());
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot be written: " + reason());
  closed_ = true;
}

void output_file::commit() {
  if (!closed_) close();
  closed_ = false;  // a file is committed once
  unfinished_.commit();
}

}  // namespace impl

void remove_unfinished() noexcept {
  impl::handler_looks = true;
  for (const auto& slot : impl::unfinished_files)
    if (const impl::listed_file* file = slot.load()) file->remove();
}

}  // namespace quern::files
