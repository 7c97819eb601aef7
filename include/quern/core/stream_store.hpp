// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_STREAM_STORE_HPP
#define QUERN_CORE_STREAM_STORE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#include <emmintrin.h>
#endif

namespace quern::impl {

inline constexpr std::size_t cache_line = 64;

inline std::size_t bytes_to_line(const void* p) {
  return (cache_line - reinterpret_cast<std::uintptr_t>(p) % cache_line) % cache_line;
}

/// Copies bytes to memory that will not be read soon. An ordinary store first reads the cache line that it writes, so a
/// loop z = x + y moves a third more than it needs; the non-temporal stores of x86 do not. Elsewhere a plain copy.
inline void stream_store(void* to, const void* from, std::size_t bytes) {
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  const std::size_t head = std::min(bytes, bytes_to_line(t));
  std::memcpy(t, f, head);
  std::size_t i = head;
  for (; i + cache_line <= bytes; i += cache_line) {
    for (std::size_t k = 0; k < cache_line; k += 16) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(f + i + k));
      _mm_stream_si128(reinterpret_cast<__m128i*>(t + i + k), v);
    }
  }
  std::memcpy(t + i, f + i, bytes - i);
#else
  std::memcpy(t, f, bytes);
#endif
}

/// Orders streamed stores before what the thread does next, as ordinary stores are.
inline void stream_fence() {
#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  _mm_sfence();
#endif
}

}  // namespace quern::impl

#endif
