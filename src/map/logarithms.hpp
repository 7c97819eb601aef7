// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_LOGARITHMS_HPP
#define QUERN_SRC_MAP_LOGARITHMS_HPP

#include "exponentials.hpp"

namespace quern::math {
namespace {

/// x = 2^k m with m from sqrt(1/2) to sqrt(2), for positive finite x.
template <class D>
struct split_number {
  D k, m;
};
template <class D>
split_number<D> split_normal(D x, double root) {
  using bits = bits_of<D>;
  const bits b = to_bits(x);
  constexpr std::int64_t bias = 2048;
  // Positive, so that the shift may be one of unsigned numbers, which all vector units have.
  const bits from = b + ((bias << 52) - __builtin_bit_cast(std::int64_t, root));
  const bits exponent = (bits)((typename vectors_of<D>::unsigned_bits)from >> 52);
  const D k = (D)(exponent | __builtin_bit_cast(std::int64_t, 0x1p52)) - (0x1p52 + bias);
  return {k, (D)(b - ((exponent - bias) << 52))};
}
template <class D>
split_number<D> split(D x, double root) {
  const auto small = x < 0x1p-1022;
  const auto [k, m] = split_normal(small ? x * 0x1p54 : x, root);
  return {small ? k - 54 : k, m};
}
inline constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;

/// (m - 1 + lo) / (m + 1 + lo), whose inverse hyperbolic tangent is half the logarithm of m + lo.
template <class D>
sum<D> log_quotient(D m, D lo) {
  const D d = m + 1;
  const sum<D> f = quick_sum(m - 1, lo);
  return quotient(f, {d, (m - (d - 1)) + lo});
}
/// log(m + lo) for m from sqrt(1/2) to sqrt(2), to about 2^-58.
template <class D>
sum<D> log_reduced(D m, D lo) {
  const sum<D> s = log_quotient(m, lo);
  const D z = s.hi * s.hi;
  return {2 * s.hi, fma(s.hi * z, polynomial(z, coefficients::log), 2 * s.lo)};
}
/// The same to about 2^-66: 2 s + s^3 (2/3 + u), where u = z (2/5 + ...) is not rounded but with the sum.
template <class D>
sum<D> log_reduced_precisely(D m) {
  const sum<D> s = log_quotient(m, D{});
  sum<D> z = product(s.hi, s.hi);
  z.lo = fma(2 * s.hi, s.lo, z.lo);
  sum<D> cube = product(s.hi, z.hi);
  cube.lo += fma(s.hi, z.lo, s.lo * z.hi);
  constexpr double third = 0x1.5555555555555p-1, third_low = 0x1.5555555555555p-55;
  const D tail = polynomial(z.hi, coefficients::log_tail), factor = fma(z.hi, tail, third);
  const D factor_low = fma(z.hi, tail, third - factor) + fma(z.lo, tail, third_low);
  sum<D> c = product(cube.hi, factor);
  c.lo += fma(cube.hi, factor_low, cube.lo * factor);
  const sum<D> first = quick_sum(2 * s.hi, c.hi);
  return quick_sum(first.hi, first.lo + (c.lo + 2 * s.lo));
}

/// k ln(2) + log.
template <class D>
sum<D> plus_powers(D k, const sum<D>& log) {
  const sum<D> s = quick_sum(k * ln2_part, log.hi);
  return {s.hi, s.lo + fma(k, ln2_rest, log.lo)};
}
/// What y, the logarithm of x, is where x is no positive finite number.
template <class D>
D log_limits(D x, D y) {
  const D inside = x < all<D>(infinity) ? y : x;
  return x > 0 ? inside : x == 0 ? all<D>(-infinity) : all<D>(nan);
}

template <class D>
D log(D x) {
  const auto [k, m] = split(x, sqrt_half);
  const sum<D> y = plus_powers(k, log_reduced(m, D{}));
  return log_limits(x, y.hi + y.lo);
}
template <class D>
D log2(D x) {
  const auto [k, m] = split(x, sqrt_half);
  const sum<D> y = log_reduced(m, D{}), log = quick_sum(y.hi, y.lo);
  const sum<D> p = product(log.hi, all<D>(log2_e));
  const sum<D> s = quick_sum(k, p.hi);
  return log_limits(x, s.hi + (s.lo + (p.lo + fma(log.hi, 0x1.777d0ffda0d24p-56, log.lo * log2_e))));
}
template <class D>
D log1p(D x) {
  const sum<D> u = two_sum(all<D>(1), x);
  const auto [k, m] = split(u.hi, sqrt_half);
  const sum<D> y = plus_powers(k, log_reduced(m, u.lo * power_of_two(-minimum(k, 1000))));
  return abs(x) < linear ? x : log_limits(u.hi, y.hi + y.lo);
}

/// Where y is an integer, and where an odd one.
template <class D>
bits_of<D> is_integer(D y) {
  const D a = abs(y), n = (minimum(a, 0x1p52) + 0x1p52) - 0x1p52;
  return (bits_of<D>)(a >= 0x1p52) | (bits_of<D>)(n == a);
}
/// The sign and the special cases of x^y, of which `magnitude` is |x|^y.
template <class D>
D signed_power(D x, D y, D magnitude) {
  const auto integer = is_integer(y);
  const auto odd = integer & ~(bits_of<D>)(is_integer(y * 0.5));
  const D v = (D)(to_bits(magnitude) | (to_bits(sign_bit_of(x)) & odd));
  const auto undefined = (bits_of<D>)(x < 0) & ~(bits_of<D>)(x == -infinity) & ~integer;
  return (undefined != 0) ? all<D>(nan) : v;
}
/// The exponent of |x|^y = exp(y log |x|) where it is none of numbers: x^0 = 1^y = 1, also for NaN.
template <class D>
D power_limits(D x, D y, D exponent, D log) {
  const D v = ((x == 1) | (y == 0) | ((abs(x) == 1) & (abs(y) == infinity))) ? D{} : exponent;
  return ((abs(x) == 0) | (abs(x) == infinity)) ? ((y == 0) ? D{} : y * log) : v;
}
/// log(x) for positive finite x, to about 2^-66.
template <class D>
sum<D> log_precisely(const split_number<D>& x) {
  const sum<D> log = log_reduced_precisely(x.m);
  const sum<D> first = quick_sum(x.k * ln2_part, log.hi);
  const sum<D> rest = two_sum(first.lo, x.k * ln2_rest);
  return quick_sum(first.hi, rest.hi + (rest.lo + log.lo + x.k * ln2_third));
}
/// y times a sum.
template <class D>
sum<D> product(D y, const sum<D>& x) {
  const D hi = y * x.hi;
  return {hi, fma(y, x.hi, -hi) + y * x.lo};
}
/// The exponent of e^x is below this in pow where neither x^y nor what it is computed by leaves the normal numbers.
inline constexpr double ordinary = 708;
template <class D>
__attribute__((noinline, cold)) D pow_far(D x, D y) {
  const D a = abs(x);
  const sum<D> log = log_precisely(split(a, sqrt_half)), e = product(y, log);
  const D limit = log_limits(a, log.hi), exponent = power_limits(x, y, y * limit, limit);
  const D bounded = clamp(exponent, exp_low, exp_high);
  const power<D> p = exp_parts(sum<D>{bounded, ((bounded == exponent) & (exponent != 0)) ? e.lo : D{}});
  return signed_power(x, y, scale(p.value, p.k));
}
template <class D>
D pow(D x, D y) {
  const D a = abs(x);
  const sum<D> e = product(y, log_precisely(split_normal(a, sqrt_half)));
  const auto normal = (bits_of<D>)(a >= 0x1p-1022) & (bits_of<D>)(a < infinity);
  if (__builtin_expect(any(~(normal & (bits_of<D>)(abs(e.hi) < ordinary))), 0)) return pow_far(x, y);
  const D magnitude = raised(exp_parts(e));
  return any(to_bits(x) & sign_bit<D>) ? signed_power(x, y, magnitude) : magnitude;
}

/// 1 / v^(1/3) to 4 percent, by a third of the bits.
template <class V>
V inverse_cbrt_guess(V v) {
  if constexpr (sizeof(number_of<V>) == 8) {
    const auto bits = (bits_of<V>)((typename vectors_of<V>::unsigned_bits)to_bits(v) >> 12);
    const V number = (V)(bits | __builtin_bit_cast(std::int64_t, 0x1p52));
    constexpr double shift = 0x1p52 / 3 + 0x1p52 + 0x553ef0ff289dd.0p0;
    return (V)(to_bits(fma(number, -1.0 / 3, shift)) << 12);
  } else {
    return (V) __builtin_convertvector(fma(__builtin_convertvector(to_bits(v), V), -1.0 / 3, 0x54a2fa8cp0), bits_of<V>);
  }
}
/// v^(-1/3) by two steps of Householder's iteration, then y = v^(1/3) with one correction from the exact remainder
/// v - y^3, for v = x 2^(3 i) that is neither subnormal nor so large that y^3 overflows.
template <class V>
V cbrt(V x) {
  constexpr bool wide = sizeof(number_of<V>) == 8;
  const V a = abs(x);
  const auto small = a < static_cast<number_of<V>>(wide ? 0x1p-900 : 0x1p-60);
  const V v = a * (small ? all<V>(wide ? 0x1p300 : 0x1p90) : all<V>(0x1p-3));
  V inverse = inverse_cbrt_guess(v);
  for (int step = 0; step < 2; ++step) {
    const V e = fma(-v * inverse, inverse * inverse, 1);
    inverse = fma(inverse * e, fma(e, 2.0 / 9, 1.0 / 3), inverse);
  }
  const V square = inverse * inverse, y = v * square;
  const sum<V> yy = product(y, y);
  const V left = fma(-yy.lo, y, fma(-yy.hi, y, v));
  const V root = fma(left, square * all<V>(1.0 / 3), y) * (small ? all<V>(wide ? 0x1p-100 : 0x1p-30) : all<V>(2));
  return ((a == 0) | !(a < all<V>(infinity))) ? x : with_sign(root, x);
}

}  // namespace
}  // namespace quern::math

#endif
