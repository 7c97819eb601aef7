// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_FLOATS_HPP
#define QUERN_SRC_MAP_FLOATS_HPP

#include "float_angles.hpp"
#include "float_exponentials.hpp"
#include "logarithms.hpp"

/// The functions of floats: logarithms, inverse angles and the cube root in float arithmetic, of which the leading
/// terms are sums of two floats, so that little beside the last rounding is left; pow partly and the others wholly in
/// double.
namespace quern::math {
namespace {

// The largest errors, in units in the last place: of all floats 0.91 of log, 0.95 of log2, 0.93 of log1p, 0.92 of atan,
// 0.71 of asin, 0.68 of acos, 0.51 of cbrt; of pairs 0.81 of pow, 0.92 of atan2.

inline constexpr float infinity_float = __builtin_inff();

template <class F>
bits_of<F> bits_of_all(float x) {
  return to_bits(all<F>(x));
}
/// x = 2^k (1 + r), exactly, with 1 + r from `least` to twice that, for positive finite x.
template <class F>
struct split_float {
  F k, r;
};
template <class F>
split_float<F> split_from(F x, float least) {
  const auto small = x < 0x1p-126f;
  const bits_of<F> b = to_bits(small ? x * 0x1p23f : x), n = difference<F>(b, bits_of_all<F>(least)) >> 23;
  const F k = __builtin_convertvector(n, F);
  return {small ? k - 23 : k, (F)difference<F>(b, n << 23) - 1};
}
/// k ln(2) + log(1 + r). The products of k with the first part of ln(2) are exact.
template <class F>
F log_of(F k, F r) {
  const F powers = k * ln2_head_float;
  const sum<F> s = quick_sum(powers, r);
  return s.hi + fma(r, r * polynomial_first_last(r, coefficients::log_float), fma(k, ln2_tail_float, s.lo));
}
template <class F>
F log_float(F x) {
  const auto [k, r] = split_from(x, 0.75f);
  return log_limits(x, log_of(k, r));
}
template <class F>
F log2_float(F x) {
  const auto [k, r] = split_from(x, 0x1.6a09e6p-1f);
  constexpr float head = static_cast<float>(log2_e), tail = static_cast<float>(log2_e - head);
  const sum<F> p = product(r, all<F>(head)), s = quick_sum(k, p.hi);
  return log_limits(x,
                    s.hi + fma(r, r * polynomial_first_last(r, coefficients::log2_float), fma(r, tail, p.lo) + s.lo));
}
/// 1 + x = 2^k (1 + r), where k is that of the rounded sum: r = 2^-k x + (2^-k - 1) is exact where k is not large.
template <class F>
F log1p_float(F x) {
  const F u = 1 + x;
  const bits_of<F> n = difference<F>(to_bits(u), bits_of_all<F>(0.75f)) >> 23, shift = n << 23;
  const F power = n < 100 ? (F)difference<F>(bits_of_all<F>(1), shift) : F{};
  const F r = (F)difference<F>(to_bits(x), shift) + (power - 1);
  const F y = log_limits(u, log_of(__builtin_convertvector(n, F), r));
  return with_sign(y, x);  // of -0
}

template <class F>
F atan_float(F x) {
  return atan(x);
}
template <class F>
F atan2_float(F y, F x) {
  return atan2(y, x);
}

/// As arc_parts.
template <class F>
half_angle<F> arc_parts_float(F a) {
  const auto small = a < 0.5f;
  const F z = small ? a * a : fma(a, -0.5, 0.5), root = sqrt(z);
  const F left = fma(-root, root, z) * (0.5f / greater(all<F>(0x1p-100), root));
  const F u = small ? a : root;
  return {u, fma(u * z, polynomial(z, coefficients::asin_float), small ? F{} : left)};
}
template <class F>
F asin_float(F x) {
  const F a = abs(x);
  const auto [u, rest] = arc_parts_float(a);
  const sum<F> s = quick_sum(all<F>(half_pi<float>), -2 * u);
  const F v = a < 0.5f ? u + rest : s.hi + (s.lo + (half_pi_low<float> - 2 * rest));
  return with_sign(a > 1 ? all<F>(nan) : v, x);
}
template <class F>
F acos_float(F x) {
  const F a = abs(x), sign = sign_bit_of(x);
  const auto [u, rest] = arc_parts_float(a);
  const auto middle = a < 0.5f;
  // pi/2 - x, 2 asin(u), or pi - 2 asin(u)
  const F base = middle ? all<F>(half_pi<float>) : x < 0 ? all<F>(2 * half_pi<float>) : F{};
  const F base_low = middle ? all<F>(half_pi_low<float>) : x < 0 ? all<F>(2 * half_pi_low<float>) : F{};
  const F turned = (F)(to_bits(middle ? all<F>(-1) : all<F>(2)) ^ to_bits(sign));
  const sum<F> s = quick_sum(base, turned * u);
  const F v = s.hi + (s.lo + fma(turned, rest, base_low));
  return a > 1 ? all<F>(nan) : v;
}

template <class F>
F cbrt_float(F x) {
  return cbrt(x);
}

/// x^y to about 2^-28, for positive finite x.
template <class D>
[[gnu::always_inline]] inline D power_in_double(D x, D y) {
  const split_number<D> s = split_normal<16>(x);
  const D r = fma(s.m, s.at.in(coefficients::short_inverse), -1.0);
  const D log2 = fma(r, polynomial(r, coefficients::short_log2_rest), s.k + s.at.in(coefficients::short_log2));
  constexpr double to_sixteenth = to_integer / 16;
  const D exponent = clamp(y * log2, -200, 200), shifted = exponent + to_sixteenth;
  const D f = exponent - (shifted - to_sixteenth);
  const D root = table_positions<D>(to_bits(shifted)).in(coefficients::exp_root);
  const D power = (D)(to_bits(root) + (to_bits(shifted) << 48));
  return fma(power * f, polynomial(f, coefficients::short_exp2), power);
}
/// x^y of any numbers. Infinite y needs no case of its own but of 1.
template <class F>
[[gnu::always_inline]] inline F general_power(F x, F y) {
  const F a = abs(x), ay = abs(y);
  const auto edge = (a == 0) | (a == all<F>(infinity)), nothing = (a == 0) ^ (y < 0);
  const F positive = (edge | (x != x)) ? all<F>(1) : a;
  const F v = in_doubles([](auto... parts) { return power_in_double(parts...); }, positive, y);
  const F known = ((x != x) | (y != y)) ? x + y : edge ? (nothing ? F{} : all<F>(infinity)) : v;
  const F magnitude = ((x == 1) | (y == 0) | ((a == 1) & (ay == all<F>(infinity)))) ? all<F>(1) : known;
  const F bounded = minimum(ay, 0x1p24);  // from which on all floats are even integers
  const bits_of<F> n = __builtin_convertvector(bounded, bits_of<F>);
  const auto integer = __builtin_convertvector(n, F) == bounded;
  const bits_of<F> odd_sign = integer ? n << 31 : bits_of<F>{};
  const auto undefined = (x < 0) & (a < all<F>(infinity)) & ~integer;
  return undefined ? all<F>(nan) : (F)(to_bits(magnitude) | (to_bits(x) & odd_sign));
}
template <class F>
__attribute__((noinline, cold)) F pow_float_far(F x, F y, F exponent, F power) {
  const auto usual = (x >= 0x1p-126f) & (x < infinity_float) & (abs(exponent) < 87.0f);
  return usual ? power : general_power(x, y);
}
/// log(x) for positive normal x, to about 2^-35, by the table of log_precisely.
template <class F>
[[gnu::always_inline]] inline sum<F> log_precisely_float(F x) {
  const bits_of<F> from = difference<F>(to_bits(x), bits_of_all<F>(0x1.6cp-1f)), n = from >> 23;
  const F k = __builtin_convertvector(n, F), m = (F)difference<F>(to_bits(x), n << 23);
  const table_positions<F> at(from >> 18);
  const F r = fma(m, at.in(coefficients::log_inverse_float), -1.0);
  const sum<F> first = quick_sum(fma(k, ln2_head_float, at.in(coefficients::log_head_float)), r);
  const sum<F> square = product(r, -0.5f * r), second = quick_sum(first.hi, square.hi);
  const F rest = first.lo + fma(k, ln2_tail_float, at.in(coefficients::log_tail_float));
  const F cube = r * (r * r);
  return {second.hi, fma(cube, polynomial(r, coefficients::pow_log_float), second.lo + (square.lo + rest))};
}
/// In float arithmetic where x is a positive normal number and so is the result.
template <class F>
F pow_float(F x, F y) {
  const sum<F> e = product(y, log_precisely_float(x));
  const auto [k, first, exponent] = split_exponent<127>(e.hi + e.lo, e.hi);
  const F rest = fma(k, -ln2_tail_float, e.lo), r = first + rest;
  const sum<F> s = quick_sum(all<F>(1), r);
  const F v = s.hi + fma(r * r, polynomial(r, coefficients::exp_float), s.lo);
  const F power = v * raised_float<F>(exponent);
  const bool usual = all_within(x, 0x1p-126f, infinity_float) && all_within(e.hi, -87, 87);
  return __builtin_expect(usual, 1) ? power : pow_float_far(x, y, e.hi, power);
}

#define QUERN_IN_DOUBLES(name)                                           \
  template <class F>                                                     \
  F name##_float(F x) {                                                  \
    return in_doubles([](auto half) { return name##_single(half); }, x); \
  }
QUERN_IN_DOUBLES(erf)
#undef QUERN_IN_DOUBLES

}  // namespace
}  // namespace quern::math

#endif
