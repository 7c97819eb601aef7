// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_VECTORS_HPP
#define QUERN_SRC_MAP_VECTORS_HPP

#if defined(__aarch64__)
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

/// Vectors of doubles in registers, with a multiply-add that rounds once. Each source that includes this is compiled
/// for one set of instructions and has its own copy of everything, as a linker would keep any one of copies that it
/// shares.
namespace quern::math {
namespace {

template <int N>
struct vectors {
  typedef double reals __attribute__((vector_size(8 * N)));
  typedef std::int64_t bits __attribute__((vector_size(8 * N)));
  typedef std::uint64_t unsigned_bits __attribute__((vector_size(8 * N)));
};
/// How many elements a vector of type D has.
template <class D>
inline constexpr int lanes = static_cast<int>(sizeof(D) / sizeof(double));
template <class D>
using bits_of = typename vectors<lanes<D>>::bits;

template <class D>
D all(double x) {
  return x - D{};
}
template <class D>
bits_of<D> to_bits(D x) {
  return (bits_of<D>)x;
}

using reals2 = vectors<2>::reals;
using reals4 = vectors<4>::reals;
using reals8 = vectors<8>::reals;
// lesser and greater return b where a or b is NaN. any_reaches: whether any element is at least the limit.
#if defined(__aarch64__)
inline reals2 fma(reals2 a, reals2 b, reals2 c) {
  return (reals2)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
inline reals2 sqrt(reals2 a) { return (reals2)vsqrtq_f64((float64x2_t)a); }
inline reals2 lesser(reals2 a, reals2 b) { return a < b ? a : b; }
inline reals2 greater(reals2 a, reals2 b) { return a > b ? a : b; }
inline bool any_reaches(reals2 a, double limit) { return (a[0] >= limit) | (a[1] >= limit); }
#else
inline reals2 fma(reals2 a, reals2 b, reals2 c) { return (reals2)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c); }
inline reals2 sqrt(reals2 a) { return (reals2)_mm_sqrt_pd((__m128d)a); }
inline reals2 lesser(reals2 a, reals2 b) { return (reals2)_mm_min_pd((__m128d)a, (__m128d)b); }
inline reals2 greater(reals2 a, reals2 b) { return (reals2)_mm_max_pd((__m128d)a, (__m128d)b); }
inline bool any_reaches(reals2 a, double limit) {
  return _mm_movemask_pd(_mm_cmpge_pd((__m128d)a, _mm_set1_pd(limit))) != 0;
}
inline reals4 fma(reals4 a, reals4 b, reals4 c) { return (reals4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
inline reals4 sqrt(reals4 a) { return (reals4)_mm256_sqrt_pd((__m256d)a); }
inline reals4 lesser(reals4 a, reals4 b) { return (reals4)_mm256_min_pd((__m256d)a, (__m256d)b); }
inline reals4 greater(reals4 a, reals4 b) { return (reals4)_mm256_max_pd((__m256d)a, (__m256d)b); }
inline bool any_reaches(reals4 a, double limit) {
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, _mm256_set1_pd(limit), _CMP_GE_OQ)) != 0;
}
#endif
#if defined(__AVX512F__)
inline reals8 fma(reals8 a, reals8 b, reals8 c) { return (reals8)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
inline reals8 sqrt(reals8 a) { return (reals8)_mm512_sqrt_pd((__m512d)a); }
inline reals8 lesser(reals8 a, reals8 b) { return (reals8)_mm512_min_pd((__m512d)a, (__m512d)b); }
inline reals8 greater(reals8 a, reals8 b) { return (reals8)_mm512_max_pd((__m512d)a, (__m512d)b); }
inline bool any_reaches(reals8 a, double limit) {
  return _mm512_cmp_pd_mask((__m512d)a, _mm512_set1_pd(limit), _CMP_GE_OQ) != 0;
}
#endif

template <class D>
D fma(D a, double b, double c) {
  return fma(a, all<D>(b), all<D>(c));
}
template <class D>
D fma(D a, double b, D c) {
  return fma(a, all<D>(b), c);
}
template <class D>
D fma(D a, D b, double c) {
  return fma(a, b, all<D>(c));
}

/// c[First] + c[First + 1] x + ... by Horner's scheme in x^2, of pairs of terms, which halves the chain of dependent
/// instructions.
template <std::size_t First = 0, class D, std::size_t N>
D polynomial(D x, const double (&c)[N]) {
  constexpr std::size_t last = (N - 1 - First) / 2 * 2 + First;
  const D square = x * x;
  const auto pair = [&](std::size_t i) { return i + 1 < N ? fma(x, c[i + 1], c[i]) : all<D>(c[i]); };
  D sum = pair(last);
  for (std::size_t i = last; i > First;) sum = fma(square, sum, pair(i -= 2));
  return sum;
}

template <class D>
D sign_bit_of(D x) {
  return (D)(to_bits(x) & INT64_MIN);
}
template <class D>
D abs(D x) {
  return (D)(to_bits(x) & INT64_MAX);
}
/// a >= 0 with the sign of x.
template <class D>
D with_sign(D a, D x) {
  return (D)(to_bits(a) | to_bits(sign_bit_of(x)));
}
template <class D>
D minimum(D a, double b) {
  return lesser(all<D>(b), a);
}
/// From low to high; NaN stays.
template <class D>
D clamp(D x, double low, double high) {
  return minimum(greater(all<D>(low), x), high);
}

/// What leaves the nearest integer in the last bits of a number below 2^51.
inline constexpr double to_integer = 0x1.8p52;
template <class D>
D nearest(D x) {
  return (x + to_integer) - to_integer;
}
/// 2^k for an integer k from -1022 to 1023.
template <class D>
D power_of_two(D k) {
  return (D)(to_bits(k + (to_integer + 1023)) << 52);
}
/// v 2^k for k from -1100 to 1100, rounded once.
template <class D>
D scale(D v, D k) {
  const D half = nearest(k * 0.5);
  return v * power_of_two(half) * power_of_two(k - half);
}

/// hi + lo, which has about 106 bits.
template <class D>
struct sum {
  D hi, lo;
};
/// a + b exactly.
template <class D>
sum<D> two_sum(D a, D b) {
  const D s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
/// a + b exactly, where |a| >= |b| or a = 0.
template <class D>
sum<D> quick_sum(D a, D b) {
  const D s = a + b;
  return {s, b - (s - a)};
}
/// a b exactly, but for underflow.
template <class D>
sum<D> product(D a, D b) {
  const D p = a * b;
  return {p, fma(a, b, -p)};
}
template <class D>
sum<D> quotient(const sum<D>& a, const sum<D>& b) {
  const D q = a.hi / b.hi;
  return {q, (fma(-q, b.hi, a.hi) + (a.lo - q * b.lo)) / b.hi};
}

inline constexpr double infinity = __builtin_inf(), nan = __builtin_nan("");

}  // namespace
}  // namespace quern::math

#endif
