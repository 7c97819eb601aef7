// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extrema by AVX-512. CMake compiles this file with the flags of these instructions.
#include "vector_extrema.hpp"

#if defined(QUERN_VECTOR_EXTREMA) && defined(__AVX512F__)
#include <immintrin.h>

namespace quern::impl {
namespace {

struct lanes16 {
  using flags = std::uint16_t;
  using some_lanes = flags;
  using integer = std::int32_t;
  static constexpr int lanes = 16;
  static some_lanes first_lanes(int n) { return static_cast<some_lanes>((1u << n) - 1); }
  static flags either(flags a, flags b) { return static_cast<flags>(a | b); }
  static int bits(flags f) { return f; }
  static __m512i count(std::int64_t k) { return _mm512_set1_epi32(static_cast<integer>(k)); }
  static __m512i select(flags f, __m512i a, __m512i b) { return _mm512_mask_mov_epi32(b, f, a); }
  static void store(integer* to, __m512i k) { _mm512_storeu_si512(to, k); }
};
struct lanes8 {
  using flags = std::uint8_t;
  using some_lanes = flags;
  using integer = std::int64_t;
  static constexpr int lanes = 8;
  static some_lanes first_lanes(int n) { return static_cast<some_lanes>((1u << n) - 1); }
  static flags either(flags a, flags b) { return static_cast<flags>(a | b); }
  static int bits(flags f) { return f; }
  static __m512i count(std::int64_t k) { return _mm512_set1_epi64(k); }
  static __m512i select(flags f, __m512i a, __m512i b) { return _mm512_mask_mov_epi64(b, f, a); }
  static void store(integer* to, __m512i k) { _mm512_storeu_si512(to, k); }
};

// better returns b where a is NaN.
struct floats : lanes16 {
  using number = float;
  using vector = __m512;
  template <bool Largest>
  static float worst() {
    return Largest ? -__builtin_inff() : __builtin_inff();
  }
  static vector load(const float* p) { return _mm512_loadu_ps(p); }
  using lanes16::store;
  static void store(float* to, vector x) { _mm512_storeu_ps(to, x); }
  static vector load_some(some_lanes some, const float* p, vector other) {
    return _mm512_mask_loadu_ps(other, some, p);
  }
  static vector all(float x) { return _mm512_set1_ps(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm512_max_ps(a, b) : _mm512_min_ps(a, b);
  }
  template <bool Largest>
  static float best_of(vector a) {
    return Largest ? _mm512_reduce_max_ps(a) : _mm512_reduce_min_ps(a);
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    return all(best_of<Largest>(a));
  }
  static flags unordered(vector a, vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
  static flags equal(vector a, vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return _mm512_cmp_ps_mask(a, b, Largest ? _CMP_GT_OQ : _CMP_LT_OQ);
  }
};
struct doubles : lanes8 {
  using number = double;
  using vector = __m512d;
  template <bool Largest>
  static double worst() {
    return Largest ? -__builtin_inf() : __builtin_inf();
  }
  static vector load(const double* p) { return _mm512_loadu_pd(p); }
  using lanes8::store;
  static void store(double* to, vector x) { _mm512_storeu_pd(to, x); }
  static vector load_some(some_lanes some, const double* p, vector other) {
    return _mm512_mask_loadu_pd(other, some, p);
  }
  static vector all(double x) { return _mm512_set1_pd(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm512_max_pd(a, b) : _mm512_min_pd(a, b);
  }
  template <bool Largest>
  static double best_of(vector a) {
    return Largest ? _mm512_reduce_max_pd(a) : _mm512_reduce_min_pd(a);
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    return all(best_of<Largest>(a));
  }
  static flags unordered(vector a, vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q); }
  static flags equal(vector a, vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return _mm512_cmp_pd_mask(a, b, Largest ? _CMP_GT_OQ : _CMP_LT_OQ);
  }
};
struct ints : lanes16 {
  using number = std::int32_t;
  using vector = __m512i;
  template <bool Largest>
  static number worst() {
    return Largest ? INT32_MIN : INT32_MAX;
  }
  static vector load(const number* p) { return _mm512_loadu_si512(p); }
  static vector load_some(some_lanes some, const number* p, vector other) {
    return _mm512_mask_loadu_epi32(other, some, p);
  }
  static vector all(number x) { return _mm512_set1_epi32(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm512_max_epi32(a, b) : _mm512_min_epi32(a, b);
  }
  template <bool Largest>
  static number best_of(vector a) {
    return Largest ? _mm512_reduce_max_epi32(a) : _mm512_reduce_min_epi32(a);
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    return all(best_of<Largest>(a));
  }
  static flags equal(vector a, vector b) { return _mm512_cmpeq_epi32_mask(a, b); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return Largest ? _mm512_cmpgt_epi32_mask(a, b) : _mm512_cmpgt_epi32_mask(b, a);
  }
};
struct longs : lanes8 {
  using number = std::int64_t;
  using vector = __m512i;
  template <bool Largest>
  static number worst() {
    return Largest ? INT64_MIN : INT64_MAX;
  }
  static vector load(const number* p) { return _mm512_loadu_si512(p); }
  static vector load_some(some_lanes some, const number* p, vector other) {
    return _mm512_mask_loadu_epi64(other, some, p);
  }
  static vector all(number x) { return _mm512_set1_epi64(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm512_max_epi64(a, b) : _mm512_min_epi64(a, b);
  }
  template <bool Largest>
  static number best_of(vector a) {
    return Largest ? _mm512_reduce_max_epi64(a) : _mm512_reduce_min_epi64(a);
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    return all(best_of<Largest>(a));
  }
  static flags equal(vector a, vector b) { return _mm512_cmpeq_epi64_mask(a, b); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return Largest ? _mm512_cmpgt_epi64_mask(a, b) : _mm512_cmpgt_epi64_mask(b, a);
  }
};
using unsigned_ints = unsigned_of<ints, std::uint32_t>;
using unsigned_longs = unsigned_of<longs, std::uint64_t>;

}  // namespace
}  // namespace quern::impl
QUERN_EXTREMA_TABLES(extrema_by_avx512, QUERN_TABLE)
#else
QUERN_EXTREMA_TABLES(extrema_by_avx512, QUERN_NO_TABLE)
#endif
