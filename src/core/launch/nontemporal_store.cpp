// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <quern/core/launch/nontemporal_store.hpp>
#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#include <emmintrin.h>
#define QUERN_STREAMS
#endif

namespace quern::impl {

void nontemporal_store(void* to, const void* from, std::size_t bytes) {
#ifdef QUERN_STREAMS
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
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
  std::memcpy(to, from, bytes);
#endif
}

void nontemporal_fence() {
#ifdef QUERN_STREAMS
  _mm_sfence();
#endif
}

}  // namespace quern::impl
