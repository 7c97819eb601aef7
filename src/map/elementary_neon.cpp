// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions for AArch64, of numbers and under the names of its vector function ABI (Vector Function ABI
// Specification for AArch64).

#include "elementary_list.hpp"

#if defined(QUERN_VECTOR_FORMS) && defined(__aarch64__)
#include "floats.hpp"

namespace quern::math {
namespace {

float64x2_t where(uint64x2_t mask, float64x2_t x) {
  return vreinterpretq_f64_u64(vandq_u64(mask, vreinterpretq_u64_f64(x)));
}
float32x4_t where(uint32x4_t mask, float32x4_t x) {
  return vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(x)));
}
float32x2_t where(uint32x2_t mask, float32x2_t x) {
  return vreinterpret_f32_u32(vand_u32(mask, vreinterpret_u32_f32(x)));
}

float32x4_t twice(float32x2_t x) { return vcombine_f32(x, x); }

}  // namespace

// N: of all elements. M: of those in the mask; the others are computed of 0, which takes no rare branch.
#define QUERN_PCS __attribute__((aarch64_vector_pcs))
#define QUERN_ONE(name)                                                                                          \
  extern "C" {                                                                                                   \
  double quern_##name(double x) noexcept { return name(all<reals2>(x))[0]; }                                     \
  float quern_##name##f(float x) noexcept { return name##_float(all<floats4>(x))[0]; }                           \
  QUERN_PCS float64x2_t quern_n_##name(float64x2_t) __asm__("_ZGVnN2v_quern_" #name);                            \
  QUERN_PCS float64x2_t quern_n_##name(float64x2_t x) { return (float64x2_t)name((reals2)x); }                   \
  QUERN_PCS float64x2_t quern_n_masked_##name(float64x2_t, uint64x2_t) __asm__("_ZGVnM2v_quern_" #name);         \
  QUERN_PCS float64x2_t quern_n_masked_##name(float64x2_t x, uint64x2_t mask) {                                  \
    return quern_n_##name(where(mask, x));                                                                       \
  }                                                                                                              \
  QUERN_PCS float32x2_t quern_n2_##name##f(float32x2_t) __asm__("_ZGVnN2v_quern_" #name "f");                    \
  QUERN_PCS float32x2_t quern_n2_##name##f(float32x2_t x) {                                                      \
    return vget_low_f32((float32x4_t)name##_float((floats4)twice(x)));                                           \
  }                                                                                                              \
  QUERN_PCS float32x2_t quern_n2_masked_##name##f(float32x2_t, uint32x2_t) __asm__("_ZGVnM2v_quern_" #name "f"); \
  QUERN_PCS float32x2_t quern_n2_masked_##name##f(float32x2_t x, uint32x2_t mask) {                              \
    return quern_n2_##name##f(where(mask, x));                                                                   \
  }                                                                                                              \
  QUERN_PCS float32x4_t quern_n4_##name##f(float32x4_t) __asm__("_ZGVnN4v_quern_" #name "f");                    \
  QUERN_PCS float32x4_t quern_n4_##name##f(float32x4_t x) { return (float32x4_t)name##_float((floats4)x); }      \
  QUERN_PCS float32x4_t quern_n4_masked_##name##f(float32x4_t, uint32x4_t) __asm__("_ZGVnM4v_quern_" #name "f"); \
  QUERN_PCS float32x4_t quern_n4_masked_##name##f(float32x4_t x, uint32x4_t mask) {                              \
    return quern_n4_##name##f(where(mask, x));                                                                   \
  }                                                                                                              \
  }
#define QUERN_TWO(name)                                                                                                \
  extern "C" {                                                                                                         \
  double quern_##name(double x, double y) noexcept { return name(all<reals2>(x), all<reals2>(y))[0]; }                 \
  float quern_##name##f(float x, float y) noexcept { return name##_float(all<floats4>(x), all<floats4>(y))[0]; }       \
  QUERN_PCS float64x2_t quern_n_##name(float64x2_t, float64x2_t) __asm__("_ZGVnN2vv_quern_" #name);                    \
  QUERN_PCS float64x2_t quern_n_##name(float64x2_t x, float64x2_t y) {                                                 \
    return (float64x2_t)name((reals2)x, (reals2)y);                                                                    \
  }                                                                                                                    \
  QUERN_PCS float64x2_t quern_n_masked_##name(float64x2_t, float64x2_t, uint64x2_t) __asm__("_ZGVnM2vv_quern_" #name); \
  QUERN_PCS float64x2_t quern_n_masked_##name(float64x2_t x, float64x2_t y, uint64x2_t) {                              \
    return quern_n_##name(x, y);                                                                                       \
  }                                                                                                                    \
  QUERN_PCS float32x2_t quern_n2_##name##f(float32x2_t, float32x2_t) __asm__("_ZGVnN2vv_quern_" #name "f");            \
  QUERN_PCS float32x2_t quern_n2_##name##f(float32x2_t x, float32x2_t y) {                                             \
    return vget_low_f32((float32x4_t)name##_float((floats4)twice(x), (floats4)twice(y)));                              \
  }                                                                                                                    \
  QUERN_PCS float32x2_t quern_n2_masked_##name##f(float32x2_t, float32x2_t,                                            \
                                                  uint32x2_t) __asm__("_ZGVnM2vv_quern_" #name "f");                   \
  QUERN_PCS float32x2_t quern_n2_masked_##name##f(float32x2_t x, float32x2_t y, uint32x2_t) {                          \
    return quern_n2_##name##f(x, y);                                                                                   \
  }                                                                                                                    \
  QUERN_PCS float32x4_t quern_n4_##name##f(float32x4_t, float32x4_t) __asm__("_ZGVnN4vv_quern_" #name "f");            \
  QUERN_PCS float32x4_t quern_n4_##name##f(float32x4_t x, float32x4_t y) {                                             \
    return (float32x4_t)name##_float((floats4)x, (floats4)y);                                                          \
  }                                                                                                                    \
  QUERN_PCS float32x4_t quern_n4_masked_##name##f(float32x4_t, float32x4_t,                                            \
                                                  uint32x4_t) __asm__("_ZGVnM4vv_quern_" #name "f");                   \
  QUERN_PCS float32x4_t quern_n4_masked_##name##f(float32x4_t x, float32x4_t y, uint32x4_t) {                          \
    return quern_n4_##name##f(x, y);                                                                                   \
  }                                                                                                                    \
  }

QUERN_ELEMENTARY(QUERN_ONE, QUERN_TWO)

}  // namespace quern::math
#endif
