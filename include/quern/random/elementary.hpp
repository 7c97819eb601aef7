// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_ELEMENTARY_HPP
#define QUERN_RANDOM_ELEMENTARY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

/// @file
/// Elementary functions with the same bits everywhere: every step is an operation that IEEE 754 rounds in one way, and
/// no product is followed by a sum that a compiler might merge it with. The coefficients interpolate at Chebyshev nodes
/// (tools/random_coefficients.py).

namespace quern::impl::portable {

/// A number as its bits: how many, where the exponent begins, and constants of that precision.
template <class T>
struct format;
template <>
struct format<float> {
  using bits = std::uint32_t;
  using signed_bits = std::int32_t;
  static constexpr int mantissa = 23;
  static constexpr bits root_half = 0x3f3504f3;  // of sqrt(1/2)
  static constexpr bits root_guess = 0x5f3759df;
  static constexpr float round = 0x1.8p23f;  // leaves the nearest integer in the last bits of a sum
  static constexpr float log2 = 0.693147182464599609f;
};
template <>
struct format<double> {
  using bits = std::uint64_t;
  using signed_bits = std::int64_t;
  static constexpr int mantissa = 52;
  static constexpr bits root_half = 0x3fe6a09e667f3bcd;
  static constexpr bits root_guess = 0x5fe6eb50c7b537a9;
  static constexpr double round = 0x1.8p52;
  static constexpr double log2 = 0.693147180559945309;
};

/// A small integer. Vector units of hosts may have no conversion of 64 bits.
KOKKOS_FORCEINLINE_FUNCTION float from_integer(std::int32_t n) { return static_cast<float>(n); }
KOKKOS_FORCEINLINE_FUNCTION double from_integer(std::int64_t n) {
  const double round = format<double>::round;
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(round) + static_cast<std::uint64_t>(n)) - round;
}

/// c0 + c1 x + c2 x^2 + ... by Horner's rule; without a loop, which compilers would not unroll for vectors.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T polynomial(T, T c) {
  return c;
}
template <class T, class... C>
KOKKOS_FORCEINLINE_FUNCTION T polynomial(T x, T c, C... higher) {
  return Kokkos::fma(x, polynomial(x, static_cast<T>(higher)...), c);
}

/// Factor * (log(1 + x) / x - 1) / x for 1 + x from sqrt(1/2) to sqrt(2).
template <int Factor>
KOKKOS_FORCEINLINE_FUNCTION float log_tail(float x) {
  return polynomial(x, Factor * -0.499999971327279949f, Factor * 0.333336706101570226f, Factor * -0.250011476776338808f,
                    Factor * 0.199720497099841892f, Factor * -0.165884885318986761f, Factor * 0.148347868388200102f,
                    Factor * -0.141596470102295913f, Factor * 0.0878726549110598424f);
}
template <int Factor>
KOKKOS_FORCEINLINE_FUNCTION double log_tail(double x) {
  return polynomial(x, Factor * -0.500000000000000042, Factor * 0.333333333333332602, Factor * -0.249999999999929148,
                    Factor * 0.200000000000320493, Factor * -0.166666666686297555, Factor * 0.142857142826879889,
                    Factor * -0.124999997895466794, Factor * 0.111111111076476321, Factor * -0.100000112776499744,
                    Factor * 0.0909092132867285509, Factor * -0.0833299913609136961, Factor * 0.076916546465267996,
                    Factor * -0.0714842048002341249, Factor * 0.0668237588623311652, Factor * -0.0620256001072617784,
                    Factor * 0.0568658553733987319, Factor * -0.0566964377256592676, Factor * 0.0644442110896366468,
                    Factor * -0.0594377125876568036, Factor * 0.0262598643950594452);
}

/// The natural logarithm of a positive, normal number, within 2 ulp, times a power of two that costs nothing.
template <int Factor = 1, class T>
KOKKOS_FORCEINLINE_FUNCTION T log(T x) {
  using f = format<T>;
  using bits = typename f::bits;
  using integer = typename f::signed_bits;
  const bits all = Kokkos::bit_cast<bits>(x);
  const integer power = static_cast<integer>(all - f::root_half) >> f::mantissa;  // of 2, in x
  const T y = Kokkos::bit_cast<T>(all - (static_cast<bits>(power) << f::mantissa)) - T(1);
  const T mantissa = y * Kokkos::fma(y, log_tail<Factor>(y), T(Factor));
  return Kokkos::fma(from_integer(power), Factor * f::log2, mantissa);
}

/// Whether the back end's reciprocal root is good enough to begin with.
#ifdef __CUDA_ARCH__
inline constexpr bool has_reciprocal_root = true;
#else
inline constexpr bool has_reciprocal_root = false;
#endif

/// The square root of a positive, normal number; in float it is that of IEEE 754 (tested for all mantissas), in double
/// within 1 ulp. Without the function, which hosts cannot use in vectors as long as it may set errno, and which
/// branches on devices: Newton's method for the reciprocal from a first guess by halving the exponent, and a step of
/// Markstein's.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sqrt(T x) {
  using bits = typename format<T>::bits;
  T y;
  if constexpr (has_reciprocal_root && sizeof(T) == 4) {
    y = Kokkos::rsqrt(x);
  } else {
    y = Kokkos::bit_cast<T>(format<T>::root_guess - (Kokkos::bit_cast<bits>(x) >> 1));
    const T half = T(0.5) * x;
    y = Kokkos::fma(y, Kokkos::fma(-half * y, y, T(0.5)), y);
    y = Kokkos::fma(y, Kokkos::fma(-half * y, y, T(0.5)), y);
    y = Kokkos::fma(y, Kokkos::fma(-half * y, y, T(0.5)), y);
  }
  const T root = x * y;
  return Kokkos::fma(T(0.5) * y, Kokkos::fma(-root, root, x), root);
}

/// The exponential function for |x| < 700, within 2 ulp.
KOKKOS_FORCEINLINE_FUNCTION double exp(double x) {
  using f = format<double>;
  const double shifted = Kokkos::fma(x, 1.44269504088896341, f::round), p = shifted - f::round;
  const double r = Kokkos::fma(-p, 0x1.a39ef35793c76p-33, Kokkos::fma(-p, 0x1.62e42fee00000p-1, x));
  const double tail =
      polynomial(r, 0.5, 0.16666666666666671, 0.0416666666666666698, 0.00833333333332614088, 0.00138888888888837524,
                 0.00019841269874800492, 0.0000248015873255333638, 2.75572554257464343e-6, 2.75572736613486362e-7,
                 2.51052063739570111e-8, 2.09146793765839351e-9);
  const double y = Kokkos::fma(r * r, tail, r) + 1.0;
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(y) +
                                  (Kokkos::bit_cast<std::uint64_t>(shifted) << f::mantissa));
}

/// sin(pi/2 t) and cos(pi/2 t) for |t| <= 1, with an absolute error of at most 1.5 units in the last place of 1.
KOKKOS_FORCEINLINE_FUNCTION float sin_quarter(float t) {
  return t * polynomial(t * t, 1.57079632003860163f, -0.645963759583539301f, 0.0796899183290284958f,
                        -0.00467414383815177762f, 0.000151671703664089589f);
}
KOKKOS_FORCEINLINE_FUNCTION float cos_quarter(float t) {
  return polynomial(t * t, 0.999999999779154032f, -1.23370053423223641f, 0.253669322172695891f, -0.020862686709227349f,
                    0.00091772292419955668f, -0.0000238241524390141059f);
}
KOKKOS_FORCEINLINE_FUNCTION double sin_quarter(double t) {
  return t * polynomial(t * t, 1.57079632679489662, -0.645964097506246201, 0.0796926262461656398,
                        -0.00468175413530425532, 0.000160441184713091592, -3.59884302046725752e-6,
                        5.69213642809862525e-8, -6.68441683185608435e-10, 5.87297574479995014e-12);
}
KOKKOS_FORCEINLINE_FUNCTION double cos_quarter(double t) {
  return polynomial(t * t, 1.0, -1.23370055013616983, 0.253669507901047971, -0.0208634807633524213,
                    0.000919260274835918047, -0.0000252020423599540664, 4.71087448066707723e-7, -6.38656108505379535e-9,
                    6.5623842967755843e-11, -5.12512701070907618e-13);
}

}  // namespace quern::impl::portable

#endif
