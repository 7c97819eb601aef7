// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions as consumers call them: of one number, and on x86-64 and AArch64 of vectors, under the names
// of the vector function ABI of their platform. On x86-64 vectors of consumers that were compiled without FMA get the
// functions with FMA too where the processor has it, and so the same bits.

// The header of these functions is not included: by its declarations g++ would make vector forms of their own here.
#include <math.h>

#include "elementary_list.hpp"

#if defined(QUERN_VECTOR_FORMS) && defined(__x86_64__)
#include <immintrin.h>

namespace {

bool has_fma() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/// Where there is no FMA: element by element, by a function of the C library.
__m128d by_elements(double (*f)(double), __m128d x) { return _mm_set_pd(f(x[1]), f(x[0])); }
__m128d by_elements(double (*f)(double, double), __m128d x, __m128d y) {
  return _mm_set_pd(f(x[1], y[1]), f(x[0], y[0]));
}
__m128 floats_by_elements(float (*f)(float), __m128 x) { return _mm_set_ps(f(x[3]), f(x[2]), f(x[1]), f(x[0])); }
__m128 floats_by_elements(float (*f)(float, float), __m128 x, __m128 y) {
  return _mm_set_ps(f(x[3], y[3]), f(x[2], y[2]), f(x[1], y[1]), f(x[0], y[0]));
}

}  // namespace

// In the names, b stands for SSE and c for AVX, N for all elements and M for those in the mask; the others are computed
// of 0.
#define QUERN_ONE(name)                                                                                               \
  extern "C" {                                                                                                        \
  double quern_avx2_##name(double);                                                                                   \
  float quern_avx2_##name##f(float);                                                                                  \
  __m128d quern_avx2_##name##_2(__m128d);                                                                             \
  __m128 quern_avx2_##name##f_4(__m128);                                                                              \
  __m128d quern_b_##name(__m128d) __asm__("_ZGVbN2v_quern_" #name);                                                   \
  __m128 quern_b_##name##f(__m128) __asm__("_ZGVbN4v_quern_" #name "f");                                              \
  __m128d quern_b_masked_##name(__m128d, __m128d) __asm__("_ZGVbM2v_quern_" #name);                                   \
  __m128 quern_b_masked_##name##f(__m128, __m128) __asm__("_ZGVbM4v_quern_" #name "f");                               \
  QUERN_AVX __m256d quern_c_##name(__m256d) __asm__("_ZGVcN4v_quern_" #name);                                         \
  QUERN_AVX __m256 quern_c_##name##f(__m256) __asm__("_ZGVcN8v_quern_" #name "f");                                    \
  QUERN_AVX __m256d quern_c_masked_##name(__m256d, __m256d) __asm__("_ZGVcM4v_quern_" #name);                         \
  QUERN_AVX __m256 quern_c_masked_##name##f(__m256, __m256) __asm__("_ZGVcM8v_quern_" #name "f");                     \
  double quern_##name(double x) noexcept { return has_fma() ? quern_avx2_##name(x) : ::name(x); }                     \
  float quern_##name##f(float x) noexcept { return has_fma() ? quern_avx2_##name##f(x) : ::name##f(x); }              \
  __m128d quern_b_##name(__m128d x) { return has_fma() ? quern_avx2_##name##_2(x) : by_elements(::name, x); }         \
  __m128 quern_b_##name##f(__m128 x) {                                                                                \
    return has_fma() ? quern_avx2_##name##f_4(x) : floats_by_elements(::name##f, x);                                  \
  }                                                                                                                   \
  __m128d quern_b_masked_##name(__m128d x, __m128d mask) { return quern_b_##name(_mm_and_pd(x, mask)); }              \
  __m128 quern_b_masked_##name##f(__m128 x, __m128 mask) { return quern_b_##name##f(_mm_and_ps(x, mask)); }           \
  QUERN_AVX __m256d quern_c_##name(__m256d x) {                                                                       \
    return _mm256_set_m128d(quern_b_##name(_mm256_extractf128_pd(x, 1)), quern_b_##name(_mm256_castpd256_pd128(x)));  \
  }                                                                                                                   \
  QUERN_AVX __m256 quern_c_##name##f(__m256 x) {                                                                      \
    return _mm256_set_m128(quern_b_##name##f(_mm256_extractf128_ps(x, 1)),                                            \
                           quern_b_##name##f(_mm256_castps256_ps128(x)));                                             \
  }                                                                                                                   \
  QUERN_AVX __m256d quern_c_masked_##name(__m256d x, __m256d mask) { return quern_c_##name(_mm256_and_pd(x, mask)); } \
  QUERN_AVX __m256 quern_c_masked_##name##f(__m256 x, __m256 mask) {                                                  \
    return quern_c_##name##f(_mm256_and_ps(x, mask));                                                                 \
  }                                                                                                                   \
  }
#define QUERN_TWO(name)                                                                                           \
  extern "C" {                                                                                                    \
  double quern_avx2_##name(double, double);                                                                       \
  float quern_avx2_##name##f(float, float);                                                                       \
  __m128d quern_avx2_##name##_2(__m128d, __m128d);                                                                \
  __m128 quern_avx2_##name##f_4(__m128, __m128);                                                                  \
  __m128d quern_b_##name(__m128d, __m128d) __asm__("_ZGVbN2vv_quern_" #name);                                     \
  __m128 quern_b_##name##f(__m128, __m128) __asm__("_ZGVbN4vv_quern_" #name "f");                                 \
  __m128d quern_b_masked_##name(__m128d, __m128d, __m128d) __asm__("_ZGVbM2vv_quern_" #name);                     \
  __m128 quern_b_masked_##name##f(__m128, __m128, __m128) __asm__("_ZGVbM4vv_quern_" #name "f");                  \
  QUERN_AVX __m256d quern_c_##name(__m256d, __m256d) __asm__("_ZGVcN4vv_quern_" #name);                           \
  QUERN_AVX __m256 quern_c_##name##f(__m256, __m256) __asm__("_ZGVcN8vv_quern_" #name "f");                       \
  QUERN_AVX __m256d quern_c_masked_##name(__m256d, __m256d, __m256d) __asm__("_ZGVcM4vv_quern_" #name);           \
  QUERN_AVX __m256 quern_c_masked_##name##f(__m256, __m256, __m256) __asm__("_ZGVcM8vv_quern_" #name "f");        \
  double quern_##name(double x, double y) noexcept { return has_fma() ? quern_avx2_##name(x, y) : ::name(x, y); } \
  float quern_##name##f(float x, float y) noexcept {                                                              \
    return has_fma() ? quern_avx2_##name##f(x, y) : ::name##f(x, y);                                              \
  }                                                                                                               \
  __m128d quern_b_##name(__m128d x, __m128d y) {                                                                  \
    return has_fma() ? quern_avx2_##name##_2(x, y) : by_elements(::name, x, y);                                   \
  }                                                                                                               \
  __m128 quern_b_##name##f(__m128 x, __m128 y) {                                                                  \
    return has_fma() ? quern_avx2_##name##f_4(x, y) : floats_by_elements(::name##f, x, y);                        \
  }                                                                                                               \
  __m128d quern_b_masked_##name(__m128d x, __m128d y, __m128d) { return quern_b_##name(x, y); }                   \
  __m128 quern_b_masked_##name##f(__m128 x, __m128 y, __m128) { return quern_b_##name##f(x, y); }                 \
  QUERN_AVX __m256d quern_c_##name(__m256d x, __m256d y) {                                                        \
    return _mm256_set_m128d(quern_b_##name(_mm256_extractf128_pd(x, 1), _mm256_extractf128_pd(y, 1)),             \
                            quern_b_##name(_mm256_castpd256_pd128(x), _mm256_castpd256_pd128(y)));                \
  }                                                                                                               \
  QUERN_AVX __m256 quern_c_##name##f(__m256 x, __m256 y) {                                                        \
    return _mm256_set_m128(quern_b_##name##f(_mm256_extractf128_ps(x, 1), _mm256_extractf128_ps(y, 1)),           \
                           quern_b_##name##f(_mm256_castps256_ps128(x), _mm256_castps256_ps128(y)));              \
  }                                                                                                               \
  QUERN_AVX __m256d quern_c_masked_##name(__m256d x, __m256d y, __m256d) { return quern_c_##name(x, y); }         \
  QUERN_AVX __m256 quern_c_masked_##name##f(__m256 x, __m256 y, __m256) { return quern_c_##name##f(x, y); }       \
  }
#define QUERN_AVX __attribute__((target("avx")))

QUERN_ELEMENTARY(QUERN_ONE, QUERN_TWO)

#elif !defined(QUERN_VECTOR_FORMS)

#define QUERN_ONE(name)                                                   \
  extern "C" double quern_##name(double x) noexcept { return ::name(x); } \
  extern "C" float quern_##name##f(float x) noexcept { return ::name##f(x); }
#define QUERN_TWO(name)                                                                \
  extern "C" double quern_##name(double x, double y) noexcept { return ::name(x, y); } \
  extern "C" float quern_##name##f(float x, float y) noexcept { return ::name##f(x, y); }

QUERN_ELEMENTARY(QUERN_ONE, QUERN_TWO)

#endif
