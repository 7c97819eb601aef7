// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_FLOAT_EXPONENTIALS_HPP
#define QUERN_SRC_MAP_FLOAT_EXPONENTIALS_HPP

#include "coefficients.hpp"
#include "vectors.hpp"

/// Exponentials and hyperbolic functions in float arithmetic: the largest term and what the next one loses in the sum
/// of both are exact, so that what is rounded before the last addition is small. Arguments are reduced as by Cody and
/// Waite (Software Manual for the Elementary Functions, 1980).
namespace quern::math {
namespace {

// The largest errors, in units in the last place, of all floats: 0.80 of exp, 0.78 of exp2, 0.95 of expm1, 0.93 of
// sinh, 0.85 of cosh, 0.98 of tanh.

/// Leaves the nearest integer in the last bits of a number below 2^22.
inline constexpr float to_integer_float = 0x1.8p23f;

/// ln(2) in two parts, of which products of the first with integers up to 2^8 are exact.
inline constexpr float ln2_head_float = 0x1.62e4p-1f;
inline constexpr float ln2_tail_float = static_cast<float>(0x1.62e42fefa39efp-1 - ln2_head_float);

/// x - k ln2_head_float, exactly, for the integer k nearest to `near`/ln(2), where `near` is about x; `exponent` has
/// k + Bias in its last bits.
template <class F>
struct split_exponent_float {
  F k, first;
  bits_of<F> exponent;
};
template <int Bias, class F>
split_exponent_float<F> split_exponent(F near, F x) {
  constexpr float shift = to_integer_float + Bias;
  const F shifted = fma(near, 0x1.715476p+0, shift), k = shifted - shift;
  return {k, fma(k, -ln2_head_float, x), to_bits(shifted)};
}
/// x = k ln(2) + r + lo.
template <class F>
struct reduced_float {
  F k, r, lo;
  bits_of<F> exponent;
};
template <int Bias, class F>
reduced_float<F> reduce_float(F x) {
  const auto [k, first, exponent] = split_exponent<Bias>(x, x);
  const F r = fma(k, -ln2_tail_float, first);
  return {k, r, fma(k, -ln2_tail_float, first - r), exponent};
}
/// 2^n where the last bits of `exponent` are n + 127.
template <class F>
F raised_float(bits_of<F> exponent) {
  return (F)(exponent << 23);
}

/// v 2^k for k from -160 to 160, rounded once.
template <class F>
F scale_float(F v, F k) {
#if defined(__AVX512F__)
  if constexpr (lanes<F> == 16) return (F)_mm512_scalef_ps((__m512)v, (__m512)k);
#endif
  const F shifted = fma(k, 0.5, to_integer_float + 127.0), half = shifted - (to_integer_float + 127);
  return v * raised_float<F>(to_bits(shifted)) * raised_float<F>(to_bits((k - half) + (to_integer_float + 127)));
}

template <class F>
F exp_float(F x) {
  const auto [k, r, lo, exponent] = reduce_float<0>(clamp(x, -104, 89));
  const sum<F> s = quick_sum(all<F>(1), r);
  return scale_float(s.hi + fma(r * r, polynomial(r, coefficients::exp_float), s.lo), k);
}
template <class F>
F exp2_float(F x) {
  constexpr float head = 0x1.62e43p-1f, tail = static_cast<float>(0x1.62e42fefa39efp-1 - head);
  const F bounded = clamp(x, -150, 129), k = (bounded + to_integer_float) - to_integer_float, f = bounded - k;
  const sum<F> s = plus_product(all<F>(1), f, all<F>(head));
  return scale_float(s.hi + fma(f * f, polynomial(f, coefficients::exp2_float), fma(f, tail, s.lo)), k);
}

/// Twice the sum of halves, since 2^k may be infinite.
template <class F>
F expm1_float(F x) {
  const auto [k, r, lo, exponent] = reduce_float<126>(clamp(x, -18, 89));
  const F half = raised_float<F>(exponent);
  const sum<F> powers = quick_sum(half, all<F>(-0.5)), s = plus_product(powers.hi, half, r);
  const F rest =
      fma(half * (r * r), polynomial(r, coefficients::expm1_float), fma(half, fma(lo, r, lo), s.lo + powers.lo));
  return abs(x) < 0x1p-25f ? x : 2 * (s.hi + rest);
}

/// 2^(k-2) + 2^(-k-2) and 2^(k-2) - 2^(-k-2) in two parts each.
template <class F>
struct power_sums {
  F up, down;
};
template <class F>
power_sums<F> powers_float(bits_of<F> exponent) {
  const bits_of<F> up = exponent << 23, down = difference<F>(bits_of<F>{} + (250 << 23), up);
  return {(F)up, (F)(down > 0 ? down : bits_of<F>{})};
}
/// With C = cosh(r) and S = sinh(r) the hyperbolic cosine is plus C + minus S and the sine minus C + plus S, in which
/// the first terms count most; here in halves, as 2^k may be infinite.
template <class F>
F sinh_float(F x) {
  const F a = abs(x);
  const auto [k, r, lo, exponent] = reduce_float<125>(minimum(a, 89.5));
  const auto [up, down] = powers_float<F>(exponent);
  const F plus = up + down, minus = up - down, z = r * r;
  const F s = fma(plus, r, minus), s_low = fma(down, r, fma(up, r, minus - s));
  const F cosine = minus * z * polynomial(z, coefficients::cosh_float);
  const F rest = fma(plus * (r * z), polynomial(z, coefficients::sinh_float), cosine) +
                 (fma(plus, lo, s_low) + ((up - minus) - down));
  return with_sign(a < 0x1p-13f ? a : 2 * (s + rest), x);
}
template <class F>
F cosh_float(F x) {
  const auto [k, r, lo, exponent] = reduce_float<125>(minimum(abs(x), 89.5));
  const auto [up, down] = powers_float<F>(exponent);
  const F plus = up + down, minus = up - down, z = r * r;
  const sum<F> s = plus_product(plus, minus, r);
  const F sine = minus * (r * z) * polynomial(z, coefficients::sinh_float);
  const F rest = fma(plus * z, polynomial(z, coefficients::cosh_float), sine) + (s.lo + ((up - plus) + down));
  return 2 * (s.hi + rest);
}
/// a + a^3 P(a^2) below 1, 1 - 2 / (e^(2a) + 1) from there on.
template <class F>
F tanh_float(F x) {
  const F a = abs(x), z = a * a;
  const auto [k, r, lo, exponent] = reduce_float<127>(2 * minimum(a, 10));
  const F power =
      fma(fma(r * r, polynomial(r, coefficients::exp_float), r), raised_float<F>(exponent), raised_float<F>(exponent));
  const F far = fma(1 / (power + 1), -2, 1);
  const F near = fma(a * z, polynomial(z, coefficients::tanh_float), a);
  return with_sign(a < 1 ? near : far, x);
}

}  // namespace
}  // namespace quern::math

#endif
