// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_WORD_LANES_HPP
#define QUERN_RANDOM_WORD_LANES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define QUERN_IMPL_WORD_LANES
#ifdef __AVX2__
#include <immintrin.h>
#else
#include <emmintrin.h>  // which is a tenth as long
#endif
#endif

/// @file
/// 64-bit words beside each other in a vector register, and the one operation of x86 that compilers do not find by
/// themselves: of a loop over products of 32-bit numbers they make shuffles, or products of 64 bits. Elsewhere one
/// word.

namespace quern::impl {

/// The product of the lower halves.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t low_product(std::uint64_t a, std::uint32_t b) {
  return std::uint64_t{b} * static_cast<std::uint32_t>(a);
}

#if !defined(QUERN_IMPL_WORD_LANES)
using word_lanes = std::uint64_t;
#elif defined(__AVX512F__)
using word_lanes = std::uint64_t __attribute__((vector_size(64)));
KOKKOS_FORCEINLINE_FUNCTION word_lanes low_product(word_lanes a, std::uint32_t b) {
  return (word_lanes)_mm512_maskz_mul_epu32(0xff, (__m512i)a, _mm512_set1_epi64(b));  // g++ 12 warns of the plain one
}
#elif defined(__AVX2__)
using word_lanes = std::uint64_t __attribute__((vector_size(32)));
KOKKOS_FORCEINLINE_FUNCTION word_lanes low_product(word_lanes a, std::uint32_t b) {
  return (word_lanes)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(b));
}
#else
using word_lanes = std::uint64_t __attribute__((vector_size(16)));
KOKKOS_FORCEINLINE_FUNCTION word_lanes low_product(word_lanes a, std::uint32_t b) {
  return (word_lanes)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(b));
}
#endif
#undef QUERN_IMPL_WORD_LANES

}  // namespace quern::impl

#endif
