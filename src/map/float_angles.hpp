// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_FLOAT_ANGLES_HPP
#define QUERN_SRC_MAP_FLOAT_ANGLES_HPP

#include "angles.hpp"
#include "float_exponentials.hpp"

/// Sine, cosine and tangent in float arithmetic, for arguments up to a limit; others are computed in double.
namespace quern::math {
namespace {

// The largest errors, in units in the last place, of all floats: 0.90 of sin, 0.93 of cos, 0.98 of tan.

/// Below this n has 13 bits.
inline constexpr float reducible_float = 1e4f;

/// x + Shift pi/2 = n pi/2 + r + lo for |x| < reducible_float (Cody and Waite, Software Manual for the Elementary
/// Functions, 1980). The first difference is exact, as a multiple of the unit in the last place of pi/4, and so is
/// first - r: products of n with the second part, of 10 bits, are exact, and r is rounded only where it is near first.
template <class F>
struct reduced_angle_float {
  bits_of<F> n;  // of which the last two bits count
  F r, lo;
};
template <int Shift = 0, class F>
reduced_angle_float<F> reduce_angle_float(F x) {
  constexpr float head = static_cast<float>(pi_2), middle = -0x1.778p-25f;
  constexpr float tail = static_cast<float>((pi_2 - head) - middle + pi_2_low);
  constexpr float shift = to_integer_float + Shift;
  const F turns = fma(x, 0x1.45f306p-1, shift), n = turns - shift;
  const F first = fma(n, -head, x), r = fma(n, -middle, first);
  return {to_bits(turns), r, fma(n, -tail, fma(n, -middle, first - r))};
}
/// Those that are too large by the function of doubles.
template <class InFloat, class InDouble, class F>
__attribute__((noinline, cold)) F of_large(const InFloat& in_float, const InDouble& in_double, F x) {
  const F y = in_doubles(in_double, x);
  const auto small = abs(x) < reducible_float;
  return any((bits_of<F>)small) ? (small ? in_float(x) : y) : y;
}
template <class InFloat, class InDouble, class F>
[[gnu::always_inline]] inline F of_any_size(const InFloat& in_float, const InDouble& in_double, F x) {
  const bool all_small = all_within(x, -reducible_float, reducible_float);
  return __builtin_expect(all_small, 1) ? in_float(x) : of_large(in_float, in_double, x);
}

template <int Shift, class F>
[[gnu::always_inline]] inline F shifted_sine_float(F x) {
  const auto [n, r, lo] = reduce_angle_float<Shift>(x);
  const F z = r * r;
  const F sine = r + fma(r * z, polynomial(z, coefficients::sin_float), lo);
  const F cosine = 1 + fma(-0.5f * r, r, fma(z * z, polynomial(z, coefficients::cos_float), -(r * lo)));
  const F v = (n << 31) < 0 ? cosine : sine;
  return (F)(to_bits(v) ^ ((n << 30) & INT32_MIN));
}
template <class F>
F sin_float(F x) {
  return of_any_size([](F v) { return v == 0 ? v : shifted_sine_float<0>(v); }, [](auto v) { return sin_single(v); },
                     x);
}
template <class F>
F cos_float(F x) {
  return of_any_size([](F v) { return shifted_sine_float<1>(v); }, [](auto v) { return cos_single(v); }, x);
}
/// The tangent of r, in two parts, or minus its inverse.
template <class F>
F small_tangent(F x) {
  const auto [n, r, lo] = reduce_angle_float(x);
  // z and what it lacks to (r + lo)^2, which counts about 0.72 times
  const F z = r * r, z_low = fma(r + r, lo, fma(r, r, -z)), low = fma(r * z_low, 0.72, lo);
  const F rest = fma(r * z, polynomial_first_last(z, coefficients::tan_float), low);
  const sum<F> t = quick_sum(r, rest);
  const F inverse = -1 / t.hi, cotangent = fma(inverse, fma(inverse, t.lo, fma(inverse, t.hi, 1.0)), inverse);
  return x == 0 ? x : (n << 31) < 0 ? cotangent : t.hi;
}
template <class F>
F tan_float(F x) {
  return of_any_size([](F v) { return small_tangent(v); }, [](auto v) { return tan_single(v); }, x);
}

}  // namespace
}  // namespace quern::math

#endif
