// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions for x86-64 with AVX-512, under the names of the vector function ABI (Vector Function
// Application Binary Interface Specification for x86-64). CMake compiles this file with the flags of these
// instructions, so it includes no header with inline functions that others might share.

#include "elementary_list.hpp"

#if defined(QUERN_VECTOR_FORMS) && defined(__x86_64__)
#include "floats.hpp"

namespace quern::math {

// N: of all elements. M: of those in the mask; the others are computed of 0, which takes no rare branch.
#define QUERN_ONE(name)                                                                                     \
  extern "C" __m512d quern_e_##name(__m512d) __asm__("_ZGVeN8v_quern_" #name);                              \
  extern "C" __m512d quern_e_##name(__m512d x) { return (__m512d)name((reals8)x); }                         \
  extern "C" __m512d quern_e_masked_##name(__m512d, unsigned char) __asm__("_ZGVeM8v_quern_" #name);        \
  extern "C" __m512d quern_e_masked_##name(__m512d x, unsigned char mask) {                                 \
    return (__m512d)name((reals8)_mm512_maskz_mov_pd(mask, x));                                             \
  }                                                                                                         \
  extern "C" __m512 quern_e_##name##f(__m512) __asm__("_ZGVeN16v_quern_" #name "f");                        \
  extern "C" __m512 quern_e_##name##f(__m512 x) { return (__m512)name##_float((floats16)x); }               \
  extern "C" __m512 quern_e_masked_##name##f(__m512, unsigned short) __asm__("_ZGVeM16v_quern_" #name "f"); \
  extern "C" __m512 quern_e_masked_##name##f(__m512 x, unsigned short mask) {                               \
    return (__m512)name##_float((floats16)_mm512_maskz_mov_ps(mask, x));                                    \
  }
#define QUERN_TWO(name)                                                                                              \
  extern "C" __m512d quern_e_##name(__m512d, __m512d) __asm__("_ZGVeN8vv_quern_" #name);                             \
  extern "C" __m512d quern_e_##name(__m512d x, __m512d y) { return (__m512d)name((reals8)x, (reals8)y); }            \
  extern "C" __m512d quern_e_masked_##name(__m512d, __m512d, unsigned char) __asm__("_ZGVeM8vv_quern_" #name);       \
  extern "C" __m512d quern_e_masked_##name(__m512d x, __m512d y, unsigned char) {                                    \
    return (__m512d)name((reals8)x, (reals8)y);                                                                      \
  }                                                                                                                  \
  extern "C" __m512 quern_e_##name##f(__m512, __m512) __asm__("_ZGVeN16vv_quern_" #name "f");                        \
  extern "C" __m512 quern_e_##name##f(__m512 x, __m512 y) { return (__m512)name##_float((floats16)x, (floats16)y); } \
  extern "C" __m512 quern_e_masked_##name##f(__m512, __m512, unsigned short) __asm__("_ZGVeM16vv_quern_" #name "f"); \
  extern "C" __m512 quern_e_masked_##name##f(__m512 x, __m512 y, unsigned short) {                                   \
    return (__m512)name##_float((floats16)x, (floats16)y);                                                           \
  }

QUERN_ELEMENTARY(QUERN_ONE, QUERN_TWO)

}  // namespace quern::math
#endif
