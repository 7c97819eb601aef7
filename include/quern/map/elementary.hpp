// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_ELEMENTARY_HPP
#define QUERN_MAP_ELEMENTARY_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

/// @file
/// Elementary functions for functors, in float and double, that vectorize on hosts.
///
/// They are compiled once, in the library, for numbers and for vectors of SSE, AVX, AVX2, AVX-512 and Advanced SIMD,
/// under the names of the vector function ABI. g++ calls the vectors wherever it makes vector instructions of a loop:
/// in `map`, lazy operands and reductions at -O2, in stencils at -O3, without a flag. Behind a condition (`x > 0 ? x :
/// a * exp(x) - b`) it calls them at -O2 for AVX-512 alone, from version 14 on, and at -O3 for all; `max(x, 0) + a *
/// expm1(min(x, 0))` has none and vectorizes for all. clang 19 calls the functions of numbers, which it cannot be told
/// to replace.
///
/// On hosts each is within 1 unit in the last place of the exact value, for all arguments, subnormal and huge ones
/// included (tested: the worst found is 0.98). NaN, infinities and the signs of zeros are those of IEEE 754 and C's
/// Annex F. Numbers and vectors of any width have the same bits wherever the processor has fused multiply-adds (x86-64
/// from 2013 on, AArch64), whatever the consumer was compiled for; elsewhere, and beyond |x| = 5e7 for sin, cos and
/// tan, they are those of the C library. No function sets errno, and floating-point exceptions may be raised that the
/// result does not call for.
///
/// On devices they are Kokkos's, with its accuracy, and on hosts of builds for devices those of the C library.

// Says that a function has vector forms. nvcc and hipcc call the functions of numbers on hosts, as does g++ for SVE.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(__HIPCC__) && defined(__ELF__) && \
    (defined(__x86_64__) || defined(__aarch64__)) && !defined(__ARM_FEATURE_SVE)
#define QUERN_IMPL_VECTORIZED __attribute__((simd, const))
#else
#define QUERN_IMPL_VECTORIZED
#endif

namespace quern::math::impl {

/// Numbers that have elementary functions, and the type in which those are computed: that of the number, for an integer
/// double.
template <class T>
concept elementary_argument = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_integral_v<T>;
template <class T>
using real_of = std::conditional_t<std::is_integral_v<T>, double, T>;
/// That of two numbers: float where both are.
template <class T, class U>
using common_real = std::conditional_t<std::is_same_v<T, float> && std::is_same_v<U, float>, float, double>;

}  // namespace quern::math::impl

namespace quern::math {

#define QUERN_IMPL_ELEMENTARY_HOST(name)                                  \
  namespace impl {                                                        \
  extern "C" QUERN_IMPL_VECTORIZED double quern_##name(double) noexcept;  \
  extern "C" QUERN_IMPL_VECTORIZED float quern_##name##f(float) noexcept; \
  inline double host_##name(double x) { return quern_##name(x); }         \
  inline float host_##name(float x) { return quern_##name##f(x); }        \
  }
#define QUERN_IMPL_ELEMENTARY(name)                   \
  QUERN_IMPL_ELEMENTARY_HOST(name)                    \
  template <impl::elementary_argument T>              \
  KOKKOS_INLINE_FUNCTION impl::real_of<T> name(T x) { \
    const auto v = static_cast<impl::real_of<T>>(x);  \
    KOKKOS_IF_ON_DEVICE((return Kokkos::name(v);))    \
    KOKKOS_IF_ON_HOST((return impl::host_##name(v);)) \
  }
#define QUERN_IMPL_ELEMENTARY_OF_TWO(name)                                       \
  namespace impl {                                                               \
  extern "C" QUERN_IMPL_VECTORIZED double quern_##name(double, double) noexcept; \
  extern "C" QUERN_IMPL_VECTORIZED float quern_##name##f(float, float) noexcept; \
  inline double host_##name(double x, double y) { return quern_##name(x, y); }   \
  inline float host_##name(float x, float y) { return quern_##name##f(x, y); }   \
  }                                                                              \
  template <impl::elementary_argument T, impl::elementary_argument U>            \
  KOKKOS_INLINE_FUNCTION impl::common_real<T, U> name(T x, U y) {                \
    const auto v = static_cast<impl::common_real<T, U>>(x);                      \
    const auto w = static_cast<impl::common_real<T, U>>(y);                      \
    KOKKOS_IF_ON_DEVICE((return Kokkos::name(v, w);))                            \
    KOKKOS_IF_ON_HOST((return impl::host_##name(v, w);))                         \
  }

/// e^x.
QUERN_IMPL_ELEMENTARY(exp)
/// 2^x.
QUERN_IMPL_ELEMENTARY(exp2)
/// e^x - 1, also of x near 0.
QUERN_IMPL_ELEMENTARY(expm1)
/// The natural logarithm: NaN below 0, -infinity of 0.
QUERN_IMPL_ELEMENTARY(log)
/// The logarithm to base 2, an integer of a power of two.
QUERN_IMPL_ELEMENTARY(log2)
/// log(1 + x), also of x near 0.
QUERN_IMPL_ELEMENTARY(log1p)
/// The tangent of x (radians).
QUERN_IMPL_ELEMENTARY(tan)
/// The hyperbolic sine.
QUERN_IMPL_ELEMENTARY(sinh)
/// The hyperbolic cosine.
QUERN_IMPL_ELEMENTARY(cosh)
/// The hyperbolic tangent.
QUERN_IMPL_ELEMENTARY(tanh)
/// The arc sine from -pi/2 to pi/2: NaN beyond 1.
QUERN_IMPL_ELEMENTARY(asin)
/// The arc cosine from 0 to pi: NaN beyond 1.
QUERN_IMPL_ELEMENTARY(acos)
/// The arc tangent from -pi/2 to pi/2.
QUERN_IMPL_ELEMENTARY(atan)
/// The error function 2/sqrt(pi) int_0^x e^(-t^2) dt.
QUERN_IMPL_ELEMENTARY(erf)
/// The cube root, also of negative numbers.
QUERN_IMPL_ELEMENTARY(cbrt)
/// x^y: NaN of a negative x and a y that is no integer, 1 where y is 0 or x is 1. Of two floats in float, else in
/// double.
QUERN_IMPL_ELEMENTARY_OF_TWO(pow)
/// The angle of the point (y, x), given as atan2(y, x), from -pi to pi. Of two floats in float, else in double.
QUERN_IMPL_ELEMENTARY_OF_TWO(atan2)
// For sin and cos of math.hpp.
QUERN_IMPL_ELEMENTARY_HOST(sin)
QUERN_IMPL_ELEMENTARY_HOST(cos)

#undef QUERN_IMPL_ELEMENTARY
#undef QUERN_IMPL_ELEMENTARY_OF_TWO
#undef QUERN_IMPL_ELEMENTARY_HOST
#undef QUERN_IMPL_VECTORIZED

}  // namespace quern::math

#endif
