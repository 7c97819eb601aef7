// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_PREFETCH_HPP
#define QUERN_CORE_LAUNCH_PREFETCH_HPP

#include <cstdint>

namespace quern::impl {

/// Asks for the cache line that many bytes behind p, which need not be memory of the program.
inline void prefetch([[maybe_unused]] const void* p, [[maybe_unused]] std::int64_t bytes) {
#if defined(__GNUC__)
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes)));
#endif
}

}  // namespace quern::impl

#endif
