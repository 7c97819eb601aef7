// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FILES_FILE_SHARES_HPP
#define QUERN_SRC_FILES_FILE_SHARES_HPP

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <quern/core/launch/host_threads.hpp>
#include <quern/files/array_info.hpp>
#include <string>

namespace quern::files::impl {

/// What the system says of its last failure.
inline std::string reason() { return std::strerror(errno); }

/// A name for functions of C, which would read it up to a zero byte only, and mean another file or object.
/// @throws FileError if it has one
inline const char* c_name(const std::string& path, const std::string& name) {
  if (const auto end = name.find('\0'); end != std::string::npos)
    throw FileError(path.substr(0, path.find('\0')), "the name '" + name.substr(0, end) + "...' has a zero byte");
  return name.c_str();
}
inline const char* c_name(const std::string& path) { return c_name(path, path); }

/// Brings a file to the disk: errors of writing that was delayed are reported only here.
/// @returns whether it is there; true where the file system has no such call
inline bool bring_to_disk(int descriptor) {
  while (::fsync(descriptor) != 0)
    if (errno != EINTR) return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  return true;
}

/// Calls `some(done, left)`, which reads or writes some bytes of a range and returns their number, until all are done;
/// and `failed(done, returned)`, which throws, where it returns none or the system reports a failure.
template <class Some, class Failed>
void in_calls(std::int64_t bytes, const Some& some, const Failed& failed) {
  for (std::int64_t done = 0; done < bytes;) {
    const ssize_t n = some(done, bytes - done);
    if (n > 0) done += n;
    else if (n == 0 || errno != EINTR) failed(done, n);
  }
}

/// Bytes that one thread reads or writes at a time. (bench_transfer)
constexpr std::int64_t share_bytes = 2 << 20;
/// f(first, count) for shares of n bytes or elements, by several threads.
template <class F>
void for_each_share(std::int64_t n, std::int64_t share, const F& f) {
  quern::impl::on_host_threads((n + share - 1) / share,
                               [&](std::int64_t k) { f(k * share, std::min(share, n - k * share)); });
}

}  // namespace quern::files::impl

#endif
