// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_NONTEMPORAL_STORE_HPP
#define QUERN_CORE_LAUNCH_NONTEMPORAL_STORE_HPP

#include <cstddef>
#include <cstdint>

namespace quern::impl {

inline constexpr std::size_t cache_line = 64;

inline std::size_t bytes_to_line(const void* p) {
  return (cache_line - reinterpret_cast<std::uintptr_t>(p) % cache_line) % cache_line;
}

template <class T>
std::int64_t elements_to_line(const T* p) {
  return static_cast<std::int64_t>(bytes_to_line(p) / sizeof(T));
}

/// Copies bytes to memory that will not be read soon. An ordinary store first reads the cache line that it writes, so a
/// loop z = x + y moves a third more than it needs; the non-temporal stores of x86 do not. Elsewhere a plain copy.
void nontemporal_store(void* to, const void* from, std::size_t bytes);

/// Orders streamed stores before what the thread does next, as ordinary stores are.
void nontemporal_fence();

}  // namespace quern::impl

#endif
