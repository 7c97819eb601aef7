// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions for x86-64 with AVX2 and FMA, to which elementary.cpp passes calls. CMake compiles this file
// with the flags of these instructions, so it includes no header with inline functions that others might share.

#include "elementary_list.hpp"

#if defined(QUERN_VECTOR_FORMS) && defined(__x86_64__)
#include "floats.hpp"

namespace quern::math {

// For elementary.cpp, and under the names of the vector function ABI for consumers with AVX2. N: of all elements. M: of
// those in the mask; the others are computed of 0, which takes no rare branch.
#define QUERN_ONE(name)                                                                                                \
  extern "C" double quern_avx2_##name(double x) { return name(all<reals2>(x))[0]; }                                    \
  extern "C" float quern_avx2_##name##f(float x) { return name##_float(all<floats4>(x))[0]; }                          \
  extern "C" __m128d quern_avx2_##name##_2(__m128d x) { return (__m128d)name((reals2)x); }                             \
  extern "C" __m128 quern_avx2_##name##f_4(__m128 x) { return (__m128)name##_float((floats4)x); }                      \
  extern "C" __m256d quern_d_##name(__m256d) __asm__("_ZGVdN4v_quern_" #name);                                         \
  extern "C" __m256d quern_d_##name(__m256d x) { return (__m256d)name((reals4)x); }                                    \
  extern "C" __m256d quern_d_masked_##name(__m256d, __m256d) __asm__("_ZGVdM4v_quern_" #name);                         \
  extern "C" __m256d quern_d_masked_##name(__m256d x, __m256d mask) { return quern_d_##name(_mm256_and_pd(x, mask)); } \
  extern "C" __m256 quern_d_##name##f(__m256) __asm__("_ZGVdN8v_quern_" #name "f");                                    \
  extern "C" __m256 quern_d_##name##f(__m256 x) { return (__m256)name##_float((floats8)x); }                           \
  extern "C" __m256 quern_d_masked_##name##f(__m256, __m256) __asm__("_ZGVdM8v_quern_" #name "f");                     \
  extern "C" __m256 quern_d_masked_##name##f(__m256 x, __m256 mask) {                                                  \
    return quern_d_##name##f(_mm256_and_ps(x, mask));                                                                  \
  }
#define QUERN_TWO(name)                                                                                            \
  extern "C" double quern_avx2_##name(double x, double y) { return name(all<reals2>(x), all<reals2>(y))[0]; }      \
  extern "C" float quern_avx2_##name##f(float x, float y) {                                                        \
    return name##_float(all<floats4>(x), all<floats4>(y))[0];                                                      \
  }                                                                                                                \
  extern "C" __m128d quern_avx2_##name##_2(__m128d x, __m128d y) { return (__m128d)name((reals2)x, (reals2)y); }   \
  extern "C" __m128 quern_avx2_##name##f_4(__m128 x, __m128 y) {                                                   \
    return (__m128)name##_float((floats4)x, (floats4)y);                                                           \
  }                                                                                                                \
  extern "C" __m256d quern_d_##name(__m256d, __m256d) __asm__("_ZGVdN4vv_quern_" #name);                           \
  extern "C" __m256d quern_d_##name(__m256d x, __m256d y) { return (__m256d)name((reals4)x, (reals4)y); }          \
  extern "C" __m256d quern_d_masked_##name(__m256d, __m256d, __m256d) __asm__("_ZGVdM4vv_quern_" #name);           \
  extern "C" __m256d quern_d_masked_##name(__m256d x, __m256d y, __m256d) { return quern_d_##name(x, y); }         \
  extern "C" __m256 quern_d_##name##f(__m256, __m256) __asm__("_ZGVdN8vv_quern_" #name "f");                       \
  extern "C" __m256 quern_d_##name##f(__m256 x, __m256 y) { return (__m256)name##_float((floats8)x, (floats8)y); } \
  extern "C" __m256 quern_d_masked_##name##f(__m256, __m256, __m256) __asm__("_ZGVdM8vv_quern_" #name "f");        \
  extern "C" __m256 quern_d_masked_##name##f(__m256 x, __m256 y, __m256) { return quern_d_##name##f(x, y); }

QUERN_ELEMENTARY(QUERN_ONE, QUERN_TWO)

}  // namespace quern::math
#endif
