// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FILES_FILE_SHARES_HPP
#define QUERN_SRC_FILES_FILE_SHARES_HPP

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <quern/core/host_threads.hpp>
#include <string>

namespace quern::files::impl {

/// What the system says of its last failure.
inline std::string reason() { return std::strerror(errno); }

/// f(offset, bytes) for parts of a range of bytes, by several threads.
inline void in_shares(std::int64_t bytes, const std::function<void(std::int64_t, std::int64_t)>& f) {
  constexpr std::int64_t share_bytes = 2 << 20;  // that one thread reads or writes at a time (bench_transfer)
  quern::impl::on_host_threads((bytes + share_bytes - 1) / share_bytes, [&](std::int64_t k) {
    f(k * share_bytes, std::min(share_bytes, bytes - k * share_bytes));
  });
}

}  // namespace quern::files::impl

#endif
