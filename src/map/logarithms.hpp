// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_LOGARITHMS_HPP
#define QUERN_SRC_MAP_LOGARITHMS_HPP

#include "exponentials.hpp"

namespace quern::math {
namespace {

/// x = 2^k m with m from 0.71 to 1.42, for positive, normal, finite x. `at` has the number of the interval of m, of 32
/// or 16, in its last bits, for tables.
template <class D>
struct split_number {
  D k, m;
  table_positions<D> at;
};
template <int Intervals = 32, class D>
[[gnu::always_inline]] inline split_number<D> split_normal(D x) {
  using bits = bits_of<D>;
  using unsigned_bits = typename vectors_of<D>::unsigned_bits;
  constexpr std::uint64_t bias = 2048, least = Intervals == 32 ? 0x3fe6c00000000000 : 0x3fe6800000000000;
  // Not negative, so that the shift may be one of unsigned numbers, which all vector units have.
  const bits b = to_bits(x);
  const unsigned_bits from = (unsigned_bits)b + ((bias << 52) - least);
  const bits exponent = (bits)(from >> 52), at = (bits)(from >> (Intervals == 32 ? 47 : 48));
  const D k = (D)(exponent | __builtin_bit_cast(std::int64_t, 0x1p52)) - (0x1p52 + bias);
  return {k, (D)difference<D>(b, (exponent - std::int64_t{bias}) << 52), table_positions<D>(at)};
}
/// The same of subnormal numbers too.
template <class D>
split_number<D> split(D x) {
  const auto small = x < 0x1p-1022;
  split_number<D> s = split_normal(small ? x * 0x1p54 : x);
  s.k = small ? s.k - 54 : s.k;
  return s;
}
/// Whether any element is no positive, normal, finite number.
template <class D>
bool any_unusual(D x) {
  return !all_within(x, 0x1p-1022, infinity);
}

// Logarithms by a table (Tang, Table-driven implementation of the logarithm function in IEEE floating-point arithmetic,
// 1990): k log(2) + log(c) + log(1 + r) with r = m/c - 1, which is exact, as 1/c has few bits, and below 0.0235. The
// first sum is exact, as of numbers of few bits, and larger than r or 0.

/// log(m) + k ln(2) + lo, where lo is so small that its square is nothing.
template <class D>
[[gnu::always_inline]] inline D log_of(const split_number<D>& x, D lo) {
  const D exact = fma(x.m, x.at.in(coefficients::log_inverse), -1.0), r = exact + lo;
  const sum<D> s = quick_sum(fma(x.k, ln2_part, x.at.in(coefficients::log_head)), r);
  const D tail = fma(x.k, ln2_rest, x.at.in(coefficients::log_tail)) + (lo - (r - exact));
  return s.hi + fma(r * r, polynomial(r, coefficients::log_of_table), s.lo + tail);
}
template <class D>
[[gnu::always_inline]] inline D log_of(const split_number<D>& x) {
  const D r = fma(x.m, x.at.in(coefficients::log_inverse), -1.0);
  const sum<D> s = quick_sum(fma(x.k, ln2_part, x.at.in(coefficients::log_head)), r);
  const D tail = fma(x.k, ln2_rest, x.at.in(coefficients::log_tail));
  return s.hi + fma(r * r, polynomial(r, coefficients::log_of_table), s.lo + tail);
}
template <class D>
[[gnu::always_inline]] inline D log2_of(const split_number<D>& x) {
  const D r = fma(x.m, x.at.in(coefficients::log_inverse), -1.0);
  const sum<D> p = product(r, all<D>(log2_e));
  const sum<D> s = quick_sum(x.k + x.at.in(coefficients::log2_head), p.hi);
  const D tail = fma(r, 0x1.777d0ffda0d24p-56, p.lo) + (s.lo + x.at.in(coefficients::log2_tail));
  return s.hi + fma(r * r, polynomial(r, coefficients::log2_of_table), tail);
}
/// What y, the logarithm of x, is where x is no positive finite number.
template <class D>
D log_limits(D x, D y) {
  const D inside = x < all<D>(infinity) ? y : x;
  return x > 0 ? inside : x == 0 ? all<D>(-infinity) : all<D>(nan);
}
template <class D>
__attribute__((noinline, cold)) D log_far(D x) {
  return log_limits(x, log_of(split(x)));
}
template <class D>
__attribute__((noinline, cold)) D log2_far(D x) {
  return log_limits(x, log2_of(split(x)));
}

template <class D>
D log(D x) {
  return __builtin_expect(any_unusual(x), 0) ? log_far(x) : log_of(split_normal(x));
}
template <class D>
D log2(D x) {
  return __builtin_expect(any_unusual(x), 0) ? log2_far(x) : log2_of(split_normal(x));
}
/// log(hi + lo), where lo is what hi lacks to 1 + x and counts only below 2^1000.
template <class D>
[[gnu::always_inline]] inline D log_of_sum(const sum<D>& u) {
  const split_number<D> s = split_normal(u.hi);
  const D inverse_power = (D)difference<D>(to_bits(all<D>(1)), difference<D>(to_bits(u.hi), to_bits(s.m)));
  return log_of(s, u.lo * (inverse_power * s.at.in(coefficients::log_inverse)));
}
template <class D>
__attribute__((noinline, cold)) D log1p_far(const sum<D>& u) {
  const auto large = u.hi >= 0x1p1000;
  const D y = log_of_sum(sum<D>{u.hi, large ? D{} : u.lo});
  return log_limits(u.hi, large ? log_of(split_normal(u.hi)) : y);
}
template <class D>
D log1p(D x) {
  const sum<D> u = two_sum(all<D>(1), x);
  const D y = __builtin_expect(!all_within(u.hi, 0x1p-1022, 0x1p1000), 0) ? log1p_far(u) : log_of_sum(u);
  return x == 0 ? x : y;
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
/// log(x) to about 2^-64.
template <class D>
[[gnu::always_inline]] inline sum<D> log_precisely(const split_number<D>& x) {
  const D r = fma(x.m, x.at.in(coefficients::log_inverse), -1.0);
  const sum<D> first = quick_sum(fma(x.k, ln2_part, x.at.in(coefficients::log_head)), r);
  const sum<D> square = product(r, -0.5 * r), second = quick_sum(first.hi, square.hi);
  const D tail = first.lo + fma(x.k, ln2_rest, x.at.in(coefficients::log_tail));
  // -r^2/2 (1 + r P(r)), of which P is the larger error
  const D cubic = fma(square.hi, r * polynomial_first_last(r, coefficients::pow_log), square.lo);
  return quick_sum(second.hi, cubic + (second.lo + tail));
}
/// y times a sum.
template <class D>
sum<D> product(D y, const sum<D>& x) {
  const D hi = y * x.hi;
  return {hi, fma(y, x.hi, -hi) + y * x.lo};
}
/// e^x = 2^(n/16) (1 + p) with |p| < 0.03; the last bits of `shifted` are n.
template <class D>
struct table_power {
  bits_of<D> shifted;
  D n, p;
};
template <class D>
[[gnu::always_inline]] inline table_power<D> power_of_table(const sum<D>& x) {
  const D shifted = fma(x.hi, 16 * log2_e, to_integer), n = shifted - to_integer;
  const D r = fma(n, -ln2_part / 16, x.hi) + fma(n, -ln2_rest / 16, x.lo);
  const D tail = table_positions<D>(to_bits(shifted)).in(coefficients::exp_root_tail);
  return {to_bits(shifted), n, fma(r * r, polynomial(r, coefficients::pow_exp), r + tail)};
}
template <class D>
D raised(const table_power<D>& x) {
  const D s = root_power<D>(x.shifted);
  return fma(s, x.p, s);
}
/// The exponent of e^x is below this in pow where neither x^y nor what it is computed by leaves the normal numbers.
inline constexpr double ordinary = 708;
template <class D>
__attribute__((noinline, cold)) D pow_far(D x, D y) {
  const D a = abs(x);
  const sum<D> log = log_precisely(split(a)), e = product(y, log);
  const D limit = log_limits(a, log.hi), exponent = power_limits(x, y, y * limit, limit);
  const D bounded = clamp(exponent, exp_low, exp_high);
  const table_power<D> p = power_of_table(sum<D>{bounded, ((bounded == exponent) & (exponent != 0)) ? e.lo : D{}});
  // 2^(n/16) = 2^k s with s from 1 to 2
  const D k = nearest(fma(p.n, 1.0 / 16, -15.0 / 32)), sixteenths = p.n - 16 * k;
  const D s = raised(table_power<D>{to_bits(sixteenths + to_integer), sixteenths, p.p});
  return signed_power(x, y, scale(s, k));
}
template <class D>
D pow(D x, D y) {
  const D a = abs(x);
  const sum<D> e = product(y, log_precisely(split_normal(a)));
  if (__builtin_expect(any_unusual(a) || !all_within(e.hi, -ordinary, ordinary), 0)) return pow_far(x, y);
  const D magnitude = raised(power_of_table(e));
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
/// v^(-1/3) by two steps of Householder's iteration, or a longer one, then y = v^(1/3) with one correction from the
/// remainder v - y^3, which doubles the digits, for v = x 2^(3 i) that is neither subnormal nor so large that y^3
/// overflows.
template <class V>
V cbrt(V x) {
  constexpr bool wide = sizeof(number_of<V>) == 8;
  const V a = abs(x);
  const auto small = a < static_cast<number_of<V>>(wide ? 0x1p-900 : 0x1p-60);
  const V v = a * (small ? all<V>(wide ? 0x1p300 : 0x1p90) : all<V>(0x1p-3));
  V inverse = inverse_cbrt_guess(v);
  for (int step = 0; step < (wide ? 2 : 1); ++step) {
    const V rest = v * inverse, e = fma(-rest, inverse * inverse, 1),
            third = wide ? all<V>(2.0 / 9) : fma(e, 14.0 / 81, 2.0 / 9);
    inverse = fma(inverse * e, fma(e, third, 1.0 / 3), inverse);
  }
  const V square = inverse * inverse, y = v * square;
  const V yy = y * y, left = fma(-yy, y, v);
  const V root = fma(left, square * all<V>(1.0 / 3), y) * (small ? all<V>(wide ? 0x1p-100 : 0x1p-30) : all<V>(2));
  return with_sign(a == all<V>(infinity) ? a : root, x);
}

}  // namespace
}  // namespace quern::math

#endif
