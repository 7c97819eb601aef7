// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions for x86-64 with AVX-512, under the names of the vector function ABI (Vector Function
// Application Binary Interface Specification for x86-64). CMake compiles this file with the flags of these
// instructions, so it includes no header with inline functions that others might share.

#include "elementary_list.hpp"

#if defined(QUERN_VECTOR_FORMS) && defined(__x86_64__)
#include "angles.hpp"
#include "logarithms.hpp"

namespace quern::math {
namespace {

reals8 low(__m512 x) { return (reals8)_mm512_cvtps_pd(_mm512_castps512_ps256(x)); }
reals8 high(__m512 x) {
  return (reals8)_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1)));
}
__m512 narrow(reals8 first, reals8 second) {
  const __m256d a = _mm256_castps_pd(_mm512_cvtpd_ps((__m512d)first)),
                b = _mm256_castps_pd(_mm512_cvtpd_ps((__m512d)second));
  return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1));
}

}  // namespace

// N: of all elements. M: of those in the mask; the others are computed of 0, which takes no rare branch.
#define QUERN_ONE(name)                                                                                           \
  extern "C" __m512d quern_e_##name(__m512d) __asm__("_ZGVeN8v_quern_" #name);                                    \
  extern "C" __m512d quern_e_##name(__m512d x) { return (__m512d)name((reals8)x); }                               \
  extern "C" __m512d quern_e_masked_##name(__m512d, unsigned char) __asm__("_ZGVeM8v_quern_" #name);              \
  extern "C" __m512d quern_e_masked_##name(__m512d x, unsigned char mask) {                                       \
    return (__m512d)name((reals8)_mm512_maskz_mov_pd(mask, x));                                                   \
  }                                                                                                               \
  extern "C" __m512 quern_e_##name##f(__m512) __asm__("_ZGVeN16v_quern_" #name "f");                              \
  extern "C" __m512 quern_e_##name##f(__m512 x) { return narrow(name##_single(low(x)), name##_single(high(x))); } \
  extern "C" __m512 quern_e_masked_##name##f(__m512, unsigned short) __asm__("_ZGVeM16v_quern_" #name "f");       \
  extern "C" __m512 quern_e_masked_##name##f(__m512 x, unsigned short mask) {                                     \
    const __m512 v = _mm512_maskz_mov_ps(mask, x);                                                                \
    return narrow(name##_single(low(v)), name##_single(high(v)));                                                 \
  }
#define QUERN_TWO(name)                                                                                              \
  extern "C" __m512d quern_e_##name(__m512d, __m512d) __asm__("_ZGVeN8vv_quern_" #name);                             \
  extern "C" __m512d quern_e_##name(__m512d x, __m512d y) { return (__m512d)name((reals8)x, (reals8)y); }            \
  extern "C" __m512d quern_e_masked_##name(__m512d, __m512d, unsigned char) __asm__("_ZGVeM8vv_quern_" #name);       \
  extern "C" __m512d quern_e_masked_##name(__m512d x, __m512d y, unsigned char) {                                    \
    return (__m512d)name((reals8)x, (reals8)y);                                                                      \
  }                                                                                                                  \
  extern "C" __m512 quern_e_##name##f(__m512, __m512) __asm__("_ZGVeN16vv_quern_" #name "f");                        \
  extern "C" __m512 quern_e_##name##f(__m512 x, __m512 y) {                                                          \
    return narrow(name##_single(low(x), low(y)), name##_single(high(x), high(y)));                                   \
  }                                                                                                                  \
  extern "C" __m512 quern_e_masked_##name##f(__m512, __m512, unsigned short) __asm__("_ZGVeM16vv_quern_" #name "f"); \
  extern "C" __m512 quern_e_masked_##name##f(__m512 x, __m512 y, unsigned short) {                                   \
    return narrow(name##_single(low(x), low(y)), name##_single(high(x), high(y)));                                   \
  }

QUERN_ELEMENTARY(QUERN_ONE, QUERN_TWO)

}  // namespace quern::math
#endif
