// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extrema by AVX2. CMake compiles this file with the flags of these instructions.
#include "vector_extrema.hpp"

#if defined(QUERN_VECTOR_EXTREMA) && defined(__AVX2__)
#include <immintrin.h>

namespace quern::impl {
namespace {

struct lanes8 {
  using integer = std::int32_t;
  using some_lanes = __m256i;
  static constexpr int lanes = 8;
  static some_lanes first_lanes(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static __m256i count(std::int64_t k) { return _mm256_set1_epi32(static_cast<integer>(k)); }
  static void store(integer* to, __m256i k) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), k); }
};
struct lanes4 {
  using integer = std::int64_t;
  using some_lanes = __m256i;
  static constexpr int lanes = 4;
  static some_lanes first_lanes(int n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static __m256i count(std::int64_t k) { return _mm256_set1_epi64x(k); }
  static void store(integer* to, __m256i k) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), k); }
};

// Flags are lanes of ones. better returns b where a is NaN.
struct floats : lanes8 {
  using number = float;
  using vector = __m256;
  using flags = __m256;
  template <bool Largest>
  static float worst() {
    return Largest ? -__builtin_inff() : __builtin_inff();
  }
  static vector load(const float* p) { return _mm256_loadu_ps(p); }
  using lanes8::store;
  static void store(float* to, vector x) { _mm256_storeu_ps(to, x); }
  static vector load_some(some_lanes some, const float* p, vector other) {
    return _mm256_blendv_ps(other, _mm256_maskload_ps(p, some), _mm256_castsi256_ps(some));
  }
  static vector all(float x) { return _mm256_set1_ps(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm256_max_ps(a, b) : _mm256_min_ps(a, b);
  }
  template <bool Largest>
  static float best_of(vector a) {
    const auto better4 = [](__m128 x, __m128 y) { return Largest ? _mm_max_ps(x, y) : _mm_min_ps(x, y); };
    __m128 x = better4(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = better4(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(better4(x, _mm_movehdup_ps(x)));
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    a = better<Largest>(a, _mm256_permute2f128_ps(a, a, 1));
    a = better<Largest>(a, _mm256_permute_ps(a, 0x4e));
    return better<Largest>(a, _mm256_permute_ps(a, 0xb1));
  }
  static flags unordered(vector a, vector b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
  static flags equal(vector a, vector b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return _mm256_cmp_ps(a, b, Largest ? _CMP_GT_OQ : _CMP_LT_OQ);
  }
  static __m256i select(flags f, __m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, _mm256_castps_si256(f)); }
  static flags either(flags a, flags b) { return _mm256_or_ps(a, b); }
  static int bits(flags f) { return _mm256_movemask_ps(f); }
};
struct doubles : lanes4 {
  using number = double;
  using vector = __m256d;
  using flags = __m256d;
  template <bool Largest>
  static double worst() {
    return Largest ? -__builtin_inf() : __builtin_inf();
  }
  static vector load(const double* p) { return _mm256_loadu_pd(p); }
  using lanes4::store;
  static void store(double* to, vector x) { _mm256_storeu_pd(to, x); }
  static vector load_some(some_lanes some, const double* p, vector other) {
    return _mm256_blendv_pd(other, _mm256_maskload_pd(p, some), _mm256_castsi256_pd(some));
  }
  static vector all(double x) { return _mm256_set1_pd(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm256_max_pd(a, b) : _mm256_min_pd(a, b);
  }
  template <bool Largest>
  static double best_of(vector a) {
    const auto better2 = [](__m128d x, __m128d y) { return Largest ? _mm_max_pd(x, y) : _mm_min_pd(x, y); };
    const __m128d x = better2(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(better2(x, _mm_unpackhi_pd(x, x)));
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    a = better<Largest>(a, _mm256_permute2f128_pd(a, a, 1));
    return better<Largest>(a, _mm256_permute_pd(a, 5));
  }
  static flags unordered(vector a, vector b) { return _mm256_cmp_pd(a, b, _CMP_UNORD_Q); }
  static flags equal(vector a, vector b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return _mm256_cmp_pd(a, b, Largest ? _CMP_GT_OQ : _CMP_LT_OQ);
  }
  static __m256i select(flags f, __m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, _mm256_castpd_si256(f)); }
  static flags either(flags a, flags b) { return _mm256_or_pd(a, b); }
  static int bits(flags f) { return _mm256_movemask_pd(f); }
};
template <class T, class Lanes>
struct integers : Lanes {
  using number = T;
  using Lanes::lanes;
  using vector = __m256i;
  using flags = __m256i;
  static vector load(const T* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static flags either(flags a, flags b) { return _mm256_or_si256(a, b); }
  static __m256i select(flags f, __m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, f); }
};
struct ints : integers<std::int32_t, lanes8> {
  template <bool Largest>
  static number worst() {
    return Largest ? INT32_MIN : INT32_MAX;
  }
  static vector all(number x) { return _mm256_set1_epi32(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return Largest ? _mm256_max_epi32(a, b) : _mm256_min_epi32(a, b);
  }
  static vector load_some(some_lanes some, const number* p, vector other) {
    return select(some, _mm256_maskload_epi32(p, some), other);
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    a = better<Largest>(a, _mm256_permute4x64_epi64(a, 0x4e));
    a = better<Largest>(a, _mm256_shuffle_epi32(a, 0x4e));
    return better<Largest>(a, _mm256_shuffle_epi32(a, 0xb1));
  }
  template <bool Largest>
  static number best_of(vector a) {
    return _mm256_cvtsi256_si32(spread_best<Largest>(a));
  }
  static flags equal(vector a, vector b) { return _mm256_cmpeq_epi32(a, b); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return Largest ? _mm256_cmpgt_epi32(a, b) : _mm256_cmpgt_epi32(b, a);
  }
  static int bits(flags f) { return _mm256_movemask_ps(_mm256_castsi256_ps(f)); }
};
struct longs : integers<std::int64_t, lanes4> {
  template <bool Largest>
  static number worst() {
    return Largest ? INT64_MIN : INT64_MAX;
  }
  static vector all(number x) { return _mm256_set1_epi64x(x); }
  template <bool Largest>
  static vector better(vector a, vector b) {
    return select(beats<Largest>(a, b), a, b);
  }
  static vector load_some(some_lanes some, const number* p, vector other) {
    return select(some, _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), some), other);
  }
  template <bool Largest>
  static vector spread_best(vector a) {
    a = better<Largest>(a, _mm256_permute4x64_epi64(a, 0x4e));
    return better<Largest>(a, _mm256_shuffle_epi32(a, 0x4e));
  }
  template <bool Largest>
  static number best_of(vector a) {
    return _mm_cvtsi128_si64(_mm256_castsi256_si128(spread_best<Largest>(a)));
  }
  static flags equal(vector a, vector b) { return _mm256_cmpeq_epi64(a, b); }
  template <bool Largest>
  static flags beats(vector a, vector b) {
    return Largest ? _mm256_cmpgt_epi64(a, b) : _mm256_cmpgt_epi64(b, a);
  }
  static int bits(flags f) { return _mm256_movemask_pd(_mm256_castsi256_pd(f)); }
};
using unsigned_ints = unsigned_of<ints, std::uint32_t>;
using unsigned_longs = unsigned_of<longs, std::uint64_t>;

}  // namespace
}  // namespace quern::impl
QUERN_EXTREMA_TABLES(extrema_by_avx2, QUERN_TABLE)
#else
QUERN_EXTREMA_TABLES(extrema_by_avx2, QUERN_NO_TABLE)
#endif
