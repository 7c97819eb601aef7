// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_FLOATS_HPP
#define QUERN_SRC_MAP_FLOATS_HPP

#include "float_angles.hpp"
#include "float_exponentials.hpp"
#include "logarithms.hpp"

/// The functions of floats: logarithms, inverse angles, pow and the cube root in float arithmetic, of which the leading
/// terms are sums of two floats, so that little beside the last rounding is left; erf in double.
namespace quern::math {
namespace {

// The largest errors, in units in the last place: of all floats 0.91 of log, 0.95 of log2, 0.93 of log1p, 0.73 of atan
// and asin, 0.69 of acos, 0.81 of cbrt; of 2e8 pairs 0.85 of pow, 0.92 of atan2.

inline constexpr float infinity_float = __builtin_inff();

template <class F>
bits_of<F> bits_of_all(float x) {
  return to_bits(all<F>(x));
}
/// x = 2^k (1 + r), exactly, with 1 + r from `least` to twice that, for positive, normal, finite x.
template <class F>
struct split_float {
  F k, r;
};
template <class F>
split_float<F> split_from(F x, float least) {
  const bits_of<F> n = difference<F>(to_bits(x), bits_of_all<F>(least)) >> 23;
  return {__builtin_convertvector(n, F), (F)difference<F>(to_bits(x), n << 23) - 1};
}
/// f(k, r), or what the logarithm is of numbers that are not positive or finite.
template <class Function, class F>
__attribute__((noinline, cold)) F logarithm_far(const Function& f, F x, float least) {
  const auto small = x < 0x1p-126f;
  const split_float<F> s = split_from(small ? x * 0x1p23f : x, least);
  return log_limits(x, f(small ? s.k - 23 : s.k, s.r));
}
template <class Function, class F>
[[gnu::always_inline]] inline F logarithm(const Function& f, F x, float least) {
  if (__builtin_expect(!all_within(x, 0x1p-126f, infinity_float), 0)) return logarithm_far(f, x, least);
  const auto [k, r] = split_from(x, least);
  return f(k, r);
}
/// k ln(2) + log(1 + r). The products of k with the first part of ln(2) are exact.
template <class F>
F log_of(F k, F r) {
  const F powers = k * ln2_head_float;
  const sum<F> s = quick_sum(powers, r);
  return s.hi + fma(r, r * polynomial_first_last(r, coefficients::log_float), fma(k, ln2_tail_float, s.lo));
}
template <class F>
F log2_of(F k, F r) {
  constexpr float head = static_cast<float>(log2_e), tail = static_cast<float>(log2_e - head);
  const sum<F> p = product(r, all<F>(head)), s = quick_sum(k, p.hi);
  return s.hi + fma(r, r * polynomial_first_last(r, coefficients::log2_float), fma(r, tail, p.lo) + s.lo);
}
template <class F>
F log_float(F x) {
  return logarithm([](F k, F r) { return log_of(k, r); }, x, 0.75f);
}
template <class F>
F log2_float(F x) {
  return logarithm([](F k, F r) { return log2_of(k, r); }, x, 0x1.6a09e6p-1f);
}
/// log(1 + x) for u = 1 + x, rounded and below 2^100 or so: u = 2^k (1 + r), and with its k
/// r = 2^-k x + (2^-k - 1), which is exact where k is not large.
template <class F>
[[gnu::always_inline]] inline F log1p_of(F u, F x) {
  const bits_of<F> n = difference<F>(to_bits(u), bits_of_all<F>(0.75f)) >> 23, shift = n << 23;
  const F power = (F)difference<F>(bits_of_all<F>(1), shift);
  return log_of(__builtin_convertvector(n, F), (F)difference<F>(to_bits(x), shift) + (power - 1));
}
template <class F>
__attribute__((noinline, cold)) F log1p_far(F u, F x) {
  const split_float<F> s = split_from(u, 0.75f);
  return log_limits(u, u < 0x1p100f ? log1p_of(u, x) : log_of(s.k, s.r));
}
template <class F>
F log1p_float(F x) {
  const F u = 1 + x;
  const F y = __builtin_expect(!all_within(u, 0x1p-126f, 0x1p100f), 0) ? log1p_far(u, x) : log1p_of(u, x);
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

template <class F>
F asin_float(F x) {
  return asin(x);
}
template <class F>
F acos_float(F x) {
  return acos(x);
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
  const D power = root_power<D>(to_bits(shifted));
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
