// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VALUES_EXACT_HPP
#define QUERN_CORE_VALUES_EXACT_HPP

#include <Kokkos_Core.hpp>

namespace quern::impl {

/// Whether every operation on floating-point numbers is carried out as it is written, and rounded as IEEE 754 says.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
    (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
inline constexpr bool exact_arithmetic = false;
#else
inline constexpr bool exact_arithmetic = true;
#endif

/// A product rounded by itself: not even a compiler that contracts may merge it with what is done to it next. Where
/// there is no instruction for a fused multiply-add there is nothing to contract. A zero is positive.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded_product(T a, T b) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__FP_FAST_FMA)
  return Kokkos::fma(a, b, T(0));
#else
  return a * b + T(0);
#endif
}

/// v, but a product that made it is not merged with an addition to the result. `one` is 1, given at run time so that no
/// compiler knows it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T prevent_contraction(T v, T one) {
  return rounded_product(v, one);
}

}  // namespace quern::impl

#endif
