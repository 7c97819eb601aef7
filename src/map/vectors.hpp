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

/// Vectors of doubles (D) and of floats (F, or V for either) in registers, with a multiply-add that rounds once. Each
/// source that includes this is compiled for one set of instructions and has its own copy of everything, as a linker
/// would keep any one of copies that it shares.
namespace quern::math {
namespace {

/// Vectors of N numbers of so many bytes, and of their bits.
template <int Bytes, int N>
struct vectors;
template <int N>
struct vectors<8, N> {
  using number = double;
  using integer = std::int64_t;
  typedef double reals __attribute__((vector_size(8 * N)));
  typedef std::int64_t bits __attribute__((vector_size(8 * N)));
  typedef std::uint64_t unsigned_bits __attribute__((vector_size(8 * N)));
};
template <int N>
struct vectors<4, N> {
  using number = float;
  using integer = std::int32_t;
  typedef float reals __attribute__((vector_size(4 * N)));
  typedef std::int32_t bits __attribute__((vector_size(4 * N)));
  typedef std::uint32_t unsigned_bits __attribute__((vector_size(4 * N)));
};
/// How many elements a vector of type V has.
template <class V>
inline constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(V{}[0]));
template <class V>
using vectors_of = vectors<static_cast<int>(sizeof(V{}[0])), lanes<V>>;
template <class V>
using number_of = typename vectors_of<V>::number;
template <class V>
using bits_of = typename vectors_of<V>::bits;
/// The bit of the sign.
template <class V>
inline constexpr typename vectors_of<V>::integer sign_bit = sizeof(number_of<V>) == 8 ? INT64_MIN : INT32_MIN;

template <class V>
V all(double x) {
  return static_cast<number_of<V>>(x) - V{};
}
template <class V>
bits_of<V> to_bits(V x) {
  return (bits_of<V>)x;
}

/// a - b of integers, which may overflow where an argument has no finite result.
template <class V>
bits_of<V> difference(bits_of<V> a, bits_of<V> b) {
  using unsigned_bits = typename vectors_of<V>::unsigned_bits;
  return (bits_of<V>)((unsigned_bits)a - (unsigned_bits)b);
}

using reals2 = vectors<8, 2>::reals;
using reals4 = vectors<8, 4>::reals;
using reals8 = vectors<8, 8>::reals;
using floats4 = vectors<4, 4>::reals;
using floats8 = vectors<4, 8>::reals;
using floats16 = vectors<4, 16>::reals;
// lesser and greater return b where a or b is NaN. any_reaches: whether any element is at least the limit.
// all_within: whether all are at least the first and less than the second.
#if defined(__aarch64__)
inline reals2 fma(reals2 a, reals2 b, reals2 c) {
  return (reals2)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
inline reals2 sqrt(reals2 a) { return (reals2)vsqrtq_f64((float64x2_t)a); }
inline reals2 lesser(reals2 a, reals2 b) { return a < b ? a : b; }
inline reals2 greater(reals2 a, reals2 b) { return a > b ? a : b; }
inline bool any_reaches(reals2 a, double limit) { return (a[0] >= limit) | (a[1] >= limit); }
inline bool all_within(reals2 a, double low, double high) {
  return (a[0] >= low) & (a[0] < high) & (a[1] >= low) & (a[1] < high);
}
inline bool any(vectors<8, 2>::bits mask) { return (mask[0] | mask[1]) != 0; }
inline floats4 fma(floats4 a, floats4 b, floats4 c) {
  return (floats4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
inline floats4 sqrt(floats4 a) { return (floats4)vsqrtq_f32((float32x4_t)a); }
inline floats4 lesser(floats4 a, floats4 b) { return a < b ? a : b; }
inline floats4 greater(floats4 a, floats4 b) { return a > b ? a : b; }
inline bool all_within(floats4 a, float low, float high) {
  return vminvq_u32((uint32x4_t)((a >= low) & (a < high))) != 0;
}
inline bool any(vectors<4, 4>::bits mask) { return vmaxvq_u32((uint32x4_t)mask) != 0; }
inline reals2 low(floats4 x) { return (reals2)vcvt_f64_f32(vget_low_f32((float32x4_t)x)); }
inline reals2 high(floats4 x) { return (reals2)vcvt_high_f64_f32((float32x4_t)x); }
inline floats4 narrow(reals2 first, reals2 second) {
  return (floats4)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)first), (float64x2_t)second);
}
#else
inline reals2 fma(reals2 a, reals2 b, reals2 c) { return (reals2)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c); }
inline reals2 sqrt(reals2 a) { return (reals2)_mm_sqrt_pd((__m128d)a); }
inline reals2 lesser(reals2 a, reals2 b) { return (reals2)_mm_min_pd((__m128d)a, (__m128d)b); }
inline reals2 greater(reals2 a, reals2 b) { return (reals2)_mm_max_pd((__m128d)a, (__m128d)b); }
inline bool any_reaches(reals2 a, double limit) {
  return _mm_movemask_pd(_mm_cmpge_pd((__m128d)a, _mm_set1_pd(limit))) != 0;
}
inline bool all_within(reals2 a, double low, double high) {
  return _mm_movemask_pd(
             _mm_and_pd(_mm_cmpge_pd((__m128d)a, _mm_set1_pd(low)), _mm_cmplt_pd((__m128d)a, _mm_set1_pd(high)))) == 3;
}
inline reals4 fma(reals4 a, reals4 b, reals4 c) { return (reals4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
inline reals4 sqrt(reals4 a) { return (reals4)_mm256_sqrt_pd((__m256d)a); }
inline reals4 lesser(reals4 a, reals4 b) { return (reals4)_mm256_min_pd((__m256d)a, (__m256d)b); }
inline reals4 greater(reals4 a, reals4 b) { return (reals4)_mm256_max_pd((__m256d)a, (__m256d)b); }
inline bool any_reaches(reals4 a, double limit) {
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, _mm256_set1_pd(limit), _CMP_GE_OQ)) != 0;
}
inline bool all_within(reals4 a, double low, double high) {
  return _mm256_movemask_pd(_mm256_and_pd(_mm256_cmp_pd((__m256d)a, _mm256_set1_pd(low), _CMP_GE_OQ),
                                          _mm256_cmp_pd((__m256d)a, _mm256_set1_pd(high), _CMP_LT_OQ))) == 15;
}
inline bool any(vectors<8, 2>::bits mask) { return _mm_movemask_pd((__m128d)mask) != 0; }
inline bool any(vectors<8, 4>::bits mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
inline floats4 fma(floats4 a, floats4 b, floats4 c) { return (floats4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c); }
inline floats4 sqrt(floats4 a) { return (floats4)_mm_sqrt_ps((__m128)a); }
inline floats4 lesser(floats4 a, floats4 b) { return (floats4)_mm_min_ps((__m128)a, (__m128)b); }
inline floats4 greater(floats4 a, floats4 b) { return (floats4)_mm_max_ps((__m128)a, (__m128)b); }
inline bool all_within(floats4 a, float low, float high) {
  return _mm_movemask_ps(
             _mm_and_ps(_mm_cmpge_ps((__m128)a, _mm_set1_ps(low)), _mm_cmplt_ps((__m128)a, _mm_set1_ps(high)))) == 15;
}
inline bool any(vectors<4, 4>::bits mask) { return _mm_movemask_ps((__m128)mask) != 0; }
inline reals4 widen(floats4 x) { return (reals4)_mm256_cvtps_pd((__m128)x); }
inline floats4 narrow(reals4 x) { return (floats4)_mm256_cvtpd_ps((__m256d)x); }
inline floats8 fma(floats8 a, floats8 b, floats8 c) {
  return (floats8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
inline floats8 sqrt(floats8 a) { return (floats8)_mm256_sqrt_ps((__m256)a); }
inline floats8 lesser(floats8 a, floats8 b) { return (floats8)_mm256_min_ps((__m256)a, (__m256)b); }
inline floats8 greater(floats8 a, floats8 b) { return (floats8)_mm256_max_ps((__m256)a, (__m256)b); }
inline bool all_within(floats8 a, float low, float high) {
  return _mm256_movemask_ps(_mm256_and_ps(_mm256_cmp_ps((__m256)a, _mm256_set1_ps(low), _CMP_GE_OQ),
                                          _mm256_cmp_ps((__m256)a, _mm256_set1_ps(high), _CMP_LT_OQ))) == 255;
}
inline bool any(vectors<4, 8>::bits mask) { return _mm256_movemask_ps((__m256)mask) != 0; }
inline floats4 low(floats8 x) { return (floats4)_mm256_castps256_ps128((__m256)x); }
inline floats4 high(floats8 x) { return (floats4)_mm256_extractf128_ps((__m256)x, 1); }
#endif
#if defined(__AVX512F__)
inline reals8 fma(reals8 a, reals8 b, reals8 c) { return (reals8)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
inline reals8 sqrt(reals8 a) { return (reals8)_mm512_sqrt_pd((__m512d)a); }
inline reals8 lesser(reals8 a, reals8 b) { return (reals8)_mm512_min_pd((__m512d)a, (__m512d)b); }
inline reals8 greater(reals8 a, reals8 b) { return (reals8)_mm512_max_pd((__m512d)a, (__m512d)b); }
inline bool any_reaches(reals8 a, double limit) {
  return _mm512_cmp_pd_mask((__m512d)a, _mm512_set1_pd(limit), _CMP_GE_OQ) != 0;
}
inline bool all_within(reals8 a, double low, double high) {
  return _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask((__m512d)a, _mm512_set1_pd(low), _CMP_GE_OQ), (__m512d)a,
                                 _mm512_set1_pd(high), _CMP_LT_OQ) == 0xff;
}
inline floats16 fma(floats16 a, floats16 b, floats16 c) {
  return (floats16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
inline floats16 sqrt(floats16 a) { return (floats16)_mm512_sqrt_ps((__m512)a); }
inline floats16 lesser(floats16 a, floats16 b) { return (floats16)_mm512_min_ps((__m512)a, (__m512)b); }
inline floats16 greater(floats16 a, floats16 b) { return (floats16)_mm512_max_ps((__m512)a, (__m512)b); }
inline bool all_within(floats16 a, float low, float high) {
  return _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask((__m512)a, _mm512_set1_ps(low), _CMP_GE_OQ), (__m512)a,
                                 _mm512_set1_ps(high), _CMP_LT_OQ) == 0xffff;
}
inline bool any(vectors<8, 8>::bits mask) { return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0; }
inline bool any(vectors<4, 16>::bits mask) { return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0; }
inline reals8 low(floats16 x) { return (reals8)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
inline reals8 high(floats16 x) {
  return (reals8)_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd((__m512)x), 1)));
}
inline floats16 narrow(reals8 first, reals8 second) {
  const __m256d a = _mm256_castps_pd(_mm512_cvtpd_ps((__m512d)first)),
                b = _mm256_castps_pd(_mm512_cvtpd_ps((__m512d)second));
  return (floats16)_mm512_castpd_ps(_mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1));
}
#endif

/// f of floats by f of doubles, of all elements at once where there are such vectors, else of both halves.
#if !defined(__aarch64__)
template <class Function, class... F>
floats4 in_doubles(const Function& f, floats4 x, F... more) {
  return narrow(f(widen(x), widen(more)...));
}
template <class Function, class... F>
floats8 in_doubles(const Function& f, floats8 x, F... more) {
  return (floats8)_mm256_set_m128((__m128)in_doubles(f, high(x), high(more)...),
                                  (__m128)in_doubles(f, low(x), low(more)...));
}
#endif
template <class Function, class V, class... F>
V in_doubles(const Function& f, V x, F... more) {
  return narrow(f(low(x), low(more)...), f(high(x), high(more)...));
}

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
template <std::size_t First = 0, class D, class T, std::size_t N>
D polynomial(D x, const T (&c)[N]) {
  constexpr std::size_t last = (N - 1 - First) / 2 * 2 + First;
  const D square = x * x;
  const auto pair = [&](std::size_t i) { return i + 1 < N ? fma(x, c[i + 1], c[i]) : all<D>(c[i]); };
  D sum = pair(last);
  for (std::size_t i = last; i > First;) sum = fma(square, sum, pair(i -= 2));
  return sum;
}

/// As polynomial, with the first term added by itself, so that nothing else of its size is rounded.
template <class D, class T, std::size_t N>
D polynomial_first_last(D x, const T (&c)[N]) {
  return fma(x, polynomial<1>(x, c), c[0]);
}

/// Entries of tables of 16 or 32 numbers, for each element of a vector that at the last bits of an integer. A table of
/// 32 doubles is two vectors of 16 in AVX-512, one of floats four vectors of 8 in AVX2; others are read one by one.
template <class V>
class table_positions {
 public:
  explicit table_positions(bits_of<V> at) : at_(at) {}
  template <class T, std::size_t N>
  V in(const T (&table)[N]) const {
    if constexpr (permutes<V>) {
      return permuted(*this, table);
    } else {
      V v;
      for (int i = 0; i < lanes<V>; ++i) v[i] = table[at_[i] & static_cast<typename vectors_of<V>::integer>(N - 1)];
      return v;
    }
  }

 private:
#if defined(__AVX512F__)
  template <class W>
  static constexpr bool permutes = sizeof(W) >= 64;
  static __m512d sixteen(__m512i at, const double* table) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(table), at, _mm512_loadu_pd(table + 8));
  }
  template <std::size_t N>
  static reals8 permuted(const table_positions<reals8>& p, const double (&table)[N]) {
    const __m512i at = (__m512i)p.at_;
    const __m512d first = sixteen(at, table);
    if constexpr (N == 16) return (reals8)first;
    else
      return (reals8)_mm512_mask_mov_pd(first, _mm512_test_epi64_mask(at, _mm512_set1_epi64(16)),
                                        sixteen(at, table + 16));
  }
  static floats16 permuted(const table_positions<floats16>& p, const float (&table)[32]) {
    return (floats16)_mm512_permutex2var_ps(_mm512_loadu_ps(table), (__m512i)p.at_, _mm512_loadu_ps(table + 16));
  }
#elif defined(__AVX2__)
  template <class W>
  static constexpr bool permutes = sizeof(W) == 32 && sizeof(number_of<W>) == 4;
  static floats8 permuted(const table_positions<floats8>& p, const float (&table)[32]) {
    const __m256i at = (__m256i)p.at_;
    const auto eight = [&](int i) { return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + i), at); };
    const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)),
                 upper = _mm256_castsi256_ps(_mm256_slli_epi32(at, 27));
    return (floats8)_mm256_blendv_ps(_mm256_blendv_ps(eight(0), eight(8), odd),
                                     _mm256_blendv_ps(eight(16), eight(24), odd), upper);
  }
#else
  template <class W>
  static constexpr bool permutes = false;
#endif
  bits_of<V> at_;
};

template <class D>
D sign_bit_of(D x) {
  return (D)(to_bits(x) & sign_bit<D>);
}
template <class D>
D abs(D x) {
  return (D)(to_bits(x) & ~sign_bit<D>);
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
/// a b exactly, except for underflow.
template <class D>
sum<D> product(D a, D b) {
  const D p = a * b;
  return {p, fma(a, b, -p)};
}
/// A factor times r, added to a number that is 0 or at least as large as the product: rounded, and what that lacks.
template <class V>
sum<V> plus_product(V number, V factor, V r) {
  const V s = fma(factor, r, number);
  return {s, fma(factor, r, number - s)};
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
