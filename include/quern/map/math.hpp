// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MATH_HPP
#define QUERN_MAP_MATH_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/core/launch/noinline.hpp>
#include <quern/map/elementary.hpp>

/// Functions for use inside functors: elementary ones that vectorize on hosts (elementary.hpp), sines and cosines that
/// on devices cost less than the back ends' own, and integer division.
namespace quern::math {

/// The result of `sincos`.
template <class T>
struct sine_cosine {
  T sin;
  T cos;
};

namespace impl {

/// Below this the quadrant number has at most 25 bits, so that its products with the 28-bit parts of pi/2 are exact.
inline constexpr double reducible = 5.0e7;

struct reduced {
  double r;      // x - quadrant * pi/2, in [-pi/4, pi/4]
  int quadrant;  // of which the last two bits count
};

inline constexpr double inverse_pi = 0.31830988618379067154;

/// Whether code is compiled for a device. Each of them has fused multiply-adds.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
inline constexpr bool on_device = true;
#else
inline constexpr bool on_device = false;
#endif

/// pi/2 in three parts, and what leaves the nearest integer in the last bits of a number.
template <class T>
struct parts_of {
  static constexpr double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c06p-54, third = 0x1.c1cd129024e09p-107;
  static constexpr double round = 0x1.8p52;
};
template <>
struct parts_of<float> {
  static constexpr float first = 0x1.921fb4p+0f, second = 0x1.4442dp-24f, third = 0x1.846988p-48f, round = 0x1.8p23f;
};

/// x - n * times * pi/2 with fused multiply-adds. The first difference is exact, as both numbers are multiples of the
/// unit in the last place of 1, and each later one is rounded once.
template <class T>
KOKKOS_INLINE_FUNCTION T minus_parts(T x, T n, T times) {
  using parts = parts_of<T>;
  const T r = Kokkos::fma(-n, parts::second * times, Kokkos::fma(-n, parts::first * times, x));
  return Kokkos::fma(-n, parts::third * times, r);
}

/// Cody and Waite's argument reduction with pi/2 in parts (Software Manual for the Elementary Functions, 1980).
KOKKOS_INLINE_FUNCTION reduced reduce_quadrant(double x) {
  const double turns = Kokkos::fma(x, 2 * inverse_pi, parts_of<double>::round);
  const double r = minus_parts(x, turns - parts_of<double>::round, 1.0);
  return {r, static_cast<int>(Kokkos::bit_cast<std::uint64_t>(turns))};
}

// On [-pi/4, pi/4]. The coefficients interpolate at Chebyshev nodes (tools/trig_coefficients.py).
KOKKOS_INLINE_FUNCTION double sin_reduced(double r) {
  const double s = r * r;
  const double tail =
      -0.166666666666666646 +
      s * (0.00833333333333094849 +
           s * (-0.000198412698367585743 +
                s * (2.75573161025524401e-6 + s * (-2.50511318450036244e-8 + s * 1.59181292948666087e-10))));
  return r + r * s * tail;
}
KOKKOS_INLINE_FUNCTION double cos_reduced(double r) {
  const double s = r * r;
  const double tail =
      0.0416666666666666654 +
      s * (-0.00138888888888873972 +
           s * (0.0000248015872987656879 +
                s * (-2.75573172717297929e-7 + s * (2.08761462684031979e-9 + s * -1.1382632425521718e-11))));
  return 1.0 + s * (-0.5 + s * tail);
}
KOKKOS_INLINE_FUNCTION float sin_reduced(float r) {
  const float s = r * r;
  return r + r * s * (-0.166666646623143786f + s * (0.00833274827062974948f + s * -0.000195878908804123858f));
}
KOKKOS_INLINE_FUNCTION float cos_reduced(float r) {
  const float s = r * r;
  return 1.0f - 0.5f * s +
         s * s * (0.0416666646595022068f + s * (-0.0013888303035894866f + s * 0.0000245479420850715725f));
}

/// The sine on [-pi/2, pi/2], where it has instructions for multiply-adds. The first term of the tail is added by
/// itself, as its rounding is the largest.
template <class T, int N>
KOKKOS_INLINE_FUNCTION T sin_half_turn(T r, T first, const T (&coefficient)[N]) {
  const T s = r * r, cube = r * s;
  T tail = coefficient[N - 1];
  for (int k = N - 2; k >= 0; --k) tail = Kokkos::fma(s, tail, coefficient[k]);
  return Kokkos::fma(cube * s, tail, Kokkos::fma(cube, first, r));
}
KOKKOS_INLINE_FUNCTION double sin_half_turn(double r) {
  const double coefficient[] = {0.00833333333333331587,  -0.000198412698412549738, 2.75573192191632334e-6,
                                -2.50521076169961829e-8, 1.60589773124640876e-10,  -7.64397029679857205e-13,
                                2.73144476698639934e-15};
  return sin_half_turn(r, -0.166666666666666666, coefficient);
}
KOKKOS_INLINE_FUNCTION float sin_half_turn(float r) {
  const float coefficient[] = {0.00833333276875357858f, -0.000198410865614788022f, 2.75364635625748e-6f,
                               -2.40801904329696373e-8f};
  return sin_half_turn(r, -0.166666666638812362f, coefficient);
}

/// Not inlined: the back end's reduction of large arguments takes many registers, which every thread would hold.
template <class T>
QUERN_IMPL_NOINLINE KOKKOS_FUNCTION sine_cosine<T> sincos_large(T x) {
  return {Kokkos::sin(x), Kokkos::cos(x)};
}

template <class T>
KOKKOS_INLINE_FUNCTION sine_cosine<T> device_sincos(T x) {
  if (!(Kokkos::abs(x) < static_cast<T>(reducible))) return sincos_large(x);
  const auto [r, quadrant] = reduce_quadrant(x);
  const T s = sin_reduced(static_cast<T>(r)), c = cos_reduced(static_cast<T>(r));
  const T swapped_sin = (quadrant & 1) ? c : s;
  const T swapped_cos = (quadrant & 1) ? s : c;
  return {(quadrant & 2) ? -swapped_sin : swapped_sin, ((quadrant + 1) & 2) ? -swapped_cos : swapped_cos};
}

}  // namespace impl

/// Sine and cosine of x (radians) together: on hosts `sin` and `cos`.
///
/// On devices both within 2 ulp of the exact value for |x| < 5e7 (tested); beyond that, for infinity and for NaN, what
/// `Kokkos::sin` and `Kokkos::cos` return. There one argument reduction serves both, and that of a float is done in
/// double: several times faster than the back ends' own float functions for arguments above 1e5. May be called in any
/// kernel.
template <class T>
  requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
KOKKOS_INLINE_FUNCTION sine_cosine<T> sincos(T x) {
  KOKKOS_IF_ON_DEVICE((return impl::device_sincos(x);))
  KOKKOS_IF_ON_HOST((return {impl::host_sin(x), impl::host_cos(x)};))
}

namespace impl {

/// The sine of x + Shift * pi/2 by multiples of pi: one polynomial for all, since a choice between two costs more than
/// its length. Floats below 1e5.
template <int Shift, class T>
KOKKOS_INLINE_FUNCTION T half_turn_sine(T x) {
  constexpr T round = parts_of<T>::round;
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T turns = Shift == 0 ? Kokkos::fma(x, T(inverse_pi), round) : Kokkos::fma(x, T(inverse_pi), T(-0.5)) + round;
  const T n = turns - round;
  const T r = Shift == 0 ? minus_parts(x, n, T(2)) : minus_parts(x, 2 * n + 1, T(1));
  const bits sign = (Kokkos::bit_cast<bits>(turns) + Shift) << (8 * sizeof(T) - 1);  // of odd multiples
  return Kokkos::bit_cast<T>(Kokkos::bit_cast<bits>(sin_half_turn(r)) ^ sign);
}

template <int Shift, class T>
KOKKOS_INLINE_FUNCTION T device_sine(T x) {
  if (!(Kokkos::abs(x) < static_cast<T>(reducible))) return Shift == 0 ? sincos_large(x).sin : sincos_large(x).cos;
  if (sizeof(T) == 8 || Kokkos::abs(x) < T(1e5)) return half_turn_sine<Shift>(x);
  const auto [r, reduced_quadrant] = reduce_quadrant(x);
  const int quadrant = reduced_quadrant + Shift;
  const T v = (quadrant & 1) ? cos_reduced(static_cast<T>(r)) : sin_reduced(static_cast<T>(r));
  return (quadrant & 2) ? -v : v;
}

}  // namespace impl

/// The sine of x (radians), of an integer in double. On hosts within 1 ulp (elementary.hpp); on devices within 2.5 ulp
/// for |x| < 5e7 (tested), else as `sincos`, of which it takes about half the time there.
template <impl::elementary_argument T>
KOKKOS_INLINE_FUNCTION impl::real_of<T> sin(T x) {
  const auto v = static_cast<impl::real_of<T>>(x);
  KOKKOS_IF_ON_DEVICE((return impl::device_sine<0>(v);))
  KOKKOS_IF_ON_HOST((return impl::host_sin(v);))
}

/// The cosine of x (radians); as `sin`.
template <impl::elementary_argument T>
KOKKOS_INLINE_FUNCTION impl::real_of<T> cos(T x) {
  const auto v = static_cast<impl::real_of<T>>(x);
  KOKKOS_IF_ON_DEVICE((return impl::device_sine<1>(v);))
  KOKKOS_IF_ON_HOST((return impl::host_cos(v);))
}

namespace impl {

/// floor(x / d) = (x * multiplier + bias) >> (32 + shift) for all x of 32 bits, where there are such numbers.
struct reciprocal {
  bool exists = false;
  std::int64_t multiplier = 0, bias = 0;
  int shift = 0;
};

/// With x = q d + r and multiplier * d = 2^(32 + shift) + e, the product is q 2^(32 + shift) and q e + r multiplier +
/// bias, which must be from 0 to before 2^(32 + shift).
KOKKOS_INLINE_FUNCTION constexpr reciprocal reciprocal_of(std::int64_t d) {
  for (int shift = 0; shift < 31; ++shift) {
    const std::int64_t power = std::int64_t{1} << (32 + shift), m = power / d + 1, e = m * d - power;
    if (m >= std::int64_t{1} << 32) break;
    const std::int64_t max_quotient = (std::int64_t{1} << 31) / d + 1;  // of q
    if (2 * max_quotient * e + e < m) return {true, m, max_quotient * e, shift};
  }
  return {};
}

template <auto Divisor, class T>
KOKKOS_INLINE_FUNCTION auto floor_divide_integer(T x) {
  using result = decltype(x + 0);
  constexpr bool is_signed = std::is_signed_v<result>;
  constexpr std::uint64_t bits = 8 * sizeof(result) - (is_signed ? 1 : 0), largest = ~std::uint64_t{0} >> (64 - bits);
  constexpr bool fits = static_cast<std::uint64_t>(Divisor) <= largest;
  constexpr auto d = static_cast<result>(fits ? Divisor : 1);
  constexpr reciprocal by = reciprocal_of(fits && bits == 31 ? static_cast<std::int64_t>(d) : 1);
  if constexpr (!fits) {
    return static_cast<result>(is_signed && x < T(0) ? -1 : 0);
  } else if constexpr (on_device && bits == 31 && by.exists) {
    // Vector units of hosts do the division of the compiler faster than products of 64 bits.
    return static_cast<result>((x * by.multiplier + by.bias) >> (32 + by.shift));
  } else if constexpr (is_signed) {
    return static_cast<result>(x / d - (x % d < 0));
  } else {
    return static_cast<result>(x / d);
  }
}

}  // namespace impl

/// The greatest integer not above x / Divisor, also of negative x (Python's `//`), which C++ division rounds towards
/// zero. Of integers of any width, in their type, or int where that is narrower, and of floating-point numbers. On
/// devices, of at most 32 bits, a multiplication and a shift where a reciprocal of 32 bits is exact enough (3, 5, 9,
/// 25, ...): a third of what `x / d - (x % d < 0)` takes.
template <auto Divisor, class T>
  requires std::is_arithmetic_v<T>
KOKKOS_INLINE_FUNCTION auto floor_divide(T x) {
  static_assert(std::is_integral_v<decltype(Divisor)>, "quern::math::floor_divide: the divisor must be an integer");
  static_assert(Divisor > 0, "quern::math::floor_divide: the divisor must be positive");
  if constexpr (std::is_integral_v<T>) {
    return impl::floor_divide_integer<Divisor>(x);
  } else {
    // The quotient may round to the next integer; without its remainder x is a multiple of the divisor.
    const double d = static_cast<double>(Divisor), v = x, left = Kokkos::fmod(v, d);
    return static_cast<T>(Kokkos::nearbyint((v - left) / d) - (left < 0 ? 1 : 0));
  }
}

}  // namespace quern::math

#endif
