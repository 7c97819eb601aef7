// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_NUMBER_LANES_HPP
#define QUERN_CORE_LAUNCH_NUMBER_LANES_HPP

/// @file
/// Numbers beside each other in a vector register of a host, and `c - a b` of them with one rounding: of a loop over
/// `fma` compilers make vectors in some places and calls in others, and of a product and a difference they fuse what
/// their options say. Elsewhere one number.

#include <Kokkos_Core.hpp>
#include <cstring>
#include <type_traits>
#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define QUERN_IMPL_NUMBER_LANES
#if defined(__FMA__)
#include <immintrin.h>
#endif
#endif

namespace quern::impl {

#if !defined(QUERN_IMPL_NUMBER_LANES)
using float_lanes = float;
using double_lanes = double;
#elif defined(__AVX512F__)
using float_lanes = float __attribute__((vector_size(64)));
using double_lanes = double __attribute__((vector_size(64)));
#elif defined(__FMA__)
using float_lanes = float __attribute__((vector_size(32)));
using double_lanes = double __attribute__((vector_size(32)));
#else
using float_lanes = float __attribute__((vector_size(16)));
using double_lanes = double __attribute__((vector_size(16)));
#endif
template <class T>
using number_lanes = std::conditional_t<sizeof(T) == 4, float_lanes, double_lanes>;

/// One vector at a time: an array of them that is copied as a whole stays in memory.
template <class Lanes, class T>
inline Lanes load_lanes(const T* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Lanes, class T>
inline void store_lanes(T* to, const Lanes& v) {
  std::memcpy(to, &v, sizeof v);
}

/// c - a b: rounded once, where there is an instruction for it or `Exact` asks for it.
template <bool Exact, class T>
KOKKOS_FORCEINLINE_FUNCTION T minus_product(T c, T a, T b) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__FP_FAST_FMA)
  return Kokkos::fma(-a, b, c);
#else
  if constexpr (Exact) return Kokkos::fma(-a, b, c);
  else return c - a * b;
#endif
}

#if defined(QUERN_IMPL_NUMBER_LANES)
#if defined(__AVX512F__)
template <bool Exact>
inline float_lanes minus_product(float_lanes c, float_lanes a, float b) {
  return (float_lanes)_mm512_fnmadd_ps((__m512)a, _mm512_set1_ps(b), (__m512)c);
}
template <bool Exact>
inline double_lanes minus_product(double_lanes c, double_lanes a, double b) {
  return (double_lanes)_mm512_fnmadd_pd((__m512d)a, _mm512_set1_pd(b), (__m512d)c);
}
#elif defined(__FMA__)
template <bool Exact>
inline float_lanes minus_product(float_lanes c, float_lanes a, float b) {
  return (float_lanes)_mm256_fnmadd_ps((__m256)a, _mm256_set1_ps(b), (__m256)c);
}
template <bool Exact>
inline double_lanes minus_product(double_lanes c, double_lanes a, double b) {
  return (double_lanes)_mm256_fnmadd_pd((__m256d)a, _mm256_set1_pd(b), (__m256d)c);
}
#else
template <bool Exact, class Lanes, class T>
  requires(sizeof(Lanes) == 16)
inline Lanes minus_product(Lanes c, Lanes a, T b) {
  if constexpr (!Exact) return c - a * b;
  constexpr int lanes = sizeof(Lanes) / sizeof(T);
  for (int l = 0; l < lanes; ++l) c[l] = Kokkos::fma(-a[l], b, c[l]);
  return c;
}
#endif
#endif
#undef QUERN_IMPL_NUMBER_LANES

}  // namespace quern::impl

#endif
