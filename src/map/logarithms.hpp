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
split_number<D> split(D x, double root) {
  using bits = bits_of<D>;
  const auto small = x < 0x1p-1022;
  const bits b = to_bits(small ? x * 0x1p54 : x);
  constexpr std::int64_t bias = 2048;
  // Positive, so that the shift may be one of unsigned numbers, which all vector units have.
  const bits from = b + ((bias << 52) - __builtin_bit_cast(std::int64_t, root));
  const bits exponent = (bits)((typename vectors<lanes<D>>::unsigned_bits)from >> 52);
  const D k = (D)(exponent | __builtin_bit_cast(std::int64_t, 0x1p52)) - (0x1p52 + bias);
  return {small ? k - 54 : k, (D)(b - ((exponent - bias) << 52))};
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
/// The same to about 2^-65.
template <class D>
sum<D> log_reduced_precisely(D m) {
  const sum<D> s = log_quotient(m, D{});
  sum<D> z = product(s.hi, s.hi);
  z.lo = fma(2 * s.hi, s.lo, z.lo);
  sum<D> cube = product(s.hi, z.hi);
  cube.lo += fma(s.hi, z.lo, s.lo * z.hi);
  constexpr double third = 0x1.5555555555555p-1, third_low = 0x1.5555555555555p-55;
  sum<D> c = product(cube.hi, all<D>(third));
  c.lo += fma(cube.hi, third_low, cube.lo * third);
  const sum<D> first = quick_sum(2 * s.hi, c.hi);
  return quick_sum(first.hi, first.lo + (c.lo + 2 * s.lo + cube.hi * z.hi * polynomial(z.hi, coefficients::log_tail)));
}
template <class D>
D log_reduced_single(D m) {
  const D s = (m - 1) / (m + 1), z = s * s;
  return fma(s * z, polynomial(z, coefficients::log_single), 2 * s);
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
  const D inside = x < infinity ? y : x;  // infinity and NaN stay
  return x > 0 ? inside : x == 0 ? all<D>(-infinity) : x != x ? x : all<D>(nan);
}

template <class D>
D log(D x) {
  const auto [k, m] = split(x, sqrt_half);
  const sum<D> y = plus_powers(k, log_reduced(m, D{}));
  return log_limits(x, y.hi + y.lo);
}
template <class D>
D log_single(D x) {
  const auto [k, m] = split(x, sqrt_half);
  return log_limits(x, fma(k, ln2, log_reduced_single(m)));
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
D log2_single(D x) {
  const auto [k, m] = split(x, sqrt_half);
  return log_limits(x, fma(log_reduced_single(m), log2_e, k));
}
template <class D>
D log1p(D x) {
  const sum<D> u = two_sum(all<D>(1), x);
  const auto [k, m] = split(u.hi, sqrt_half);
  const sum<D> y = plus_powers(k, log_reduced(m, u.lo * power_of_two(-minimum(k, 1000))));
  return abs(x) < linear ? x : log_limits(u.hi, y.hi + y.lo);
}
template <class D>
D log1p_single(D x) {
  const D u = 1 + x;
  const auto [k, m] = split(u, sqrt_half);
  // x/u log(u) / (1 - 1/u) has no error of the sum; below 2^-28 it is x.
  const D y = fma(k, ln2, log_reduced_single(m)), rounded = u - 1;
  return abs(x) < 0x1p-28 ? x : log_limits(u, fma(x - rounded, 1 / u, y));
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
template <class D>
D pow(D x, D y) {
  const D a = abs(x);
  const auto [k, m] = split(a, sqrt_half);
  const sum<D> log = log_reduced_precisely(m);
  const sum<D> first = quick_sum(k * ln2_part, log.hi);
  const sum<D> rest = two_sum(first.lo, k * ln2_rest);
  const sum<D> l = quick_sum(first.hi, rest.hi + (rest.lo + log.lo + k * ln2_third));
  const D hi = log_limits(a, l.hi), exponent = power_limits(x, y, y * hi, hi);
  return signed_power(x, y, exp(sum<D>{exponent, fma(y, l.hi, -exponent) + y * l.lo}));
}
template <class D>
D pow_single(D x, D y) {
  const D a = abs(x), log = log_single(a);
  return signed_power(x, y, exp_single(power_limits(x, y, y * log, log)));
}

/// m^(-1/3) by a polynomial and two steps of Householder's iteration, then y = m x^2 and one correction from the exact
/// remainder m - y^3.
template <class D>
D cbrt(D x) {
  const D a = abs(x);
  const auto [exponent, m] = split(a, 1.0);
  const D q = nearest((exponent - 1) * (1.0 / 3)), j = exponent - 3 * q;
  const D root = j == 0 ? all<D>(1) : j == 1 ? all<D>(0x1.965fea53d6e3dp-1) : all<D>(0x1.428a2f98d728bp-1);
  const D value = m * power_of_two(j);
  D inverse = root * polynomial(m, coefficients::inverse_cbrt);
  for (int step = 0; step < 2; ++step) {
    const D e = fma(-value * inverse, inverse * inverse, 1);
    inverse = fma(inverse * e, fma(e, 2.0 / 9, 1.0 / 3), inverse);
  }
  const D square = inverse * inverse, y = value * square;
  const sum<D> yy = product(y, y), cube = product(yy.hi, y);
  const D left = ((value - cube.hi) - cube.lo) - yy.lo * y;
  const D v = fma(left, square * (1.0 / 3), y) * power_of_two(q);
  return ((a == 0) | !(a < infinity)) ? x : with_sign(v, x);
}
template <class D>
D cbrt_single(D x) {
  return cbrt(x);
}

}  // namespace
}  // namespace quern::math

#endif
