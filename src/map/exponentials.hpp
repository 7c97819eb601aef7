// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_EXPONENTIALS_HPP
#define QUERN_SRC_MAP_EXPONENTIALS_HPP

#include "coefficients.hpp"
#include "vectors.hpp"

namespace quern::math {
namespace {

inline constexpr double log2_e = 0x1.71547652b82fep+0, ln2 = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
/// ln 2 in two parts, of which the first has 42 bits, so that its multiples up to 2^11 are exact.
inline constexpr double ln2_part = 0x1.62e42fefa38p-1, ln2_rest = 0x1.ef35793c7673p-45;
/// Beyond these e^x is 0 or infinity.
inline constexpr double exp_low = -746, exp_high = 710;

/// exp(r) - 1 for |r| <= ln(2)/2, in one number.
template <class D, std::size_t N>
D expm1_reduced(D r, const double (&rest)[N]) {
  const D square = r * r;
  return fma(square, fma(r, polynomial(r, rest), 0.5), r);
}
/// exp(hi + lo) for |hi| <= ln(2)/2.
template <class D>
D exp_reduced(const sum<D>& r) {
  const sum<D> s = quick_sum(all<D>(1), r.hi);
  return s.hi + (s.lo + fma(r.hi * r.hi, fma(r.hi, polynomial(r.hi, coefficients::exp), 0.5), r.lo));
}
/// x = k ln(2) + r + lo with an integer k; `exponent` has k + Bias in its last bits.
template <class D>
struct exact_exponent {
  bits_of<D> exponent;
  D r, lo;
};
template <int Bias, class D>
exact_exponent<D> reduce_exactly(D x) {
  constexpr double shift = to_integer + Bias;
  const D shifted = fma(x, log2_e, shift), k = shifted - shift;
  const D first = fma(k, -ln2_part, x), r = fma(k, -ln2_rest, first);
  return {to_bits(shifted), r, fma(k, -ln2_rest, first - r)};
}

/// The same in one number.
template <class D>
D reduce_exponent(D x, D& k) {
  k = fma(x, log2_e, to_integer) - to_integer;
  return fma(k, -ln2_low, fma(k, -ln2, x));
}

/// Leaves k + 1023 in the last bits, which are the exponent of 2^k.
inline constexpr double to_exponent = to_integer + 1023;

/// e^x = value 2^k; `exponent` has k in its last bits.
template <class D>
struct power {
  D value, k, exponent;
};
template <class D>
power<D> exp_parts(D x) {
  const D exponent = fma(x, log2_e, to_exponent), k = exponent - to_exponent;
  return {exp_reduced(sum<D>{fma(k, -ln2_rest, fma(k, -ln2_part, x)), D{}}), k, exponent};
}
template <class D>
power<D> exp2_parts(D x) {
  const D exponent = x + to_exponent, k = exponent - to_exponent, f = x - k;
  const sum<D> r = product(f, all<D>(ln2));
  return {exp_reduced(sum<D>{r.hi, fma(f, ln2_low, r.lo)}), k, exponent};
}
template <class D>
D raised(const power<D>& p) {
  return p.value * (D)(to_bits(p.exponent) << 52);
}
template <class D>
__attribute__((noinline, cold)) D exp_far(D x) {
  const power<D> p = exp_parts(clamp(x, exp_low, exp_high));
  return scale(p.value, p.k);
}
template <class D>
__attribute__((noinline, cold)) D exp2_far(D x) {
  const power<D> p = exp2_parts(clamp(x, -1080, 1025));
  return scale(p.value, p.k);
}

template <class D>
D exp(D x) {
  if (__builtin_expect(any_reaches(abs(x), 708), 0)) return exp_far(x);
  return raised(exp_parts(x));
}
template <class D>
D exp2(D x) {
  if (__builtin_expect(any_reaches(abs(x), 1022), 0)) return exp2_far(x);
  return raised(exp2_parts(x));
}
/// Numbers below which f(x) = x to the last bit, for odd f and expm1, log1p.
inline constexpr double linear = 0x1p-54;

/// Twice the sum of halves, since 2^k may be infinite.
template <class D>
D expm1(D x) {
  const auto [exponent, r, lo] = reduce_exactly<1022>(clamp(x, -40, exp_high));
  const D half = (D)(exponent << 52);
  const sum<D> powers = quick_sum(half, all<D>(-0.5)), s = plus_product(powers.hi, half, r);
  const D square = r * r, rest = fma(half, fma(lo, r, lo), s.lo + powers.lo);
  const D y = 2 * (s.hi + fma(half * square, fma(r, polynomial(r, coefficients::exp), 0.5), rest));
  return abs(x) < linear ? x : y;
}
/// Where e^a = 2^k e^r: plus = 2^k + 2^-k and minus = 2^k - 2^-k, times 2^(Bias - 1023), and what they lack. With C =
/// cosh(r) and S = sinh(r) twice the hyperbolic cosine of a is plus C + minus S and twice the sine minus C + plus S, in
/// which the first terms count most and nothing cancels.
template <class D>
struct hyperbolic_parts {
  D up, down, plus, minus, r, lo, z;
};
template <int Bias, class D>
hyperbolic_parts<D> reduce_hyperbolic(D a) {
  const auto [exponent, r, lo] = reduce_exactly<Bias>(a);
  const bits_of<D> up = exponent << 52, down = difference<D>(bits_of<D>{} + (std::int64_t{2 * Bias} << 52), up);
  const D least = (D)(down > 0 ? down : bits_of<D>{});
  return {(D)up, least, (D)up + least, (D)up - least, r, lo, r * r};
}
template <class D>
sum<D> cosine_of(const hyperbolic_parts<D>& p) {
  const D s = fma(p.minus, p.r, p.plus), s_low = fma(p.minus, p.r, p.plus - s) + ((p.up - p.plus) + p.down);
  const D sine = p.minus * fma(p.r * p.z, polynomial(p.z, coefficients::sinh), p.lo);
  return {s, fma(p.plus * p.z, polynomial(p.z, coefficients::cosh), sine) + s_low};
}
template <class D>
sum<D> sine_of(const hyperbolic_parts<D>& p) {
  const D s = fma(p.plus, p.r, p.minus),
          s_low = fma(p.down, p.r, fma(p.up, p.r, p.minus - s)) + ((p.up - p.minus) - p.down);
  const D cosine = p.minus * p.z * polynomial(p.z, coefficients::cosh);
  const D sine = fma(p.r * p.z, polynomial(p.z, coefficients::sinh), p.lo);
  return {s, fma(p.plus, sine, cosine) + s_low};
}
/// Above this both are infinite; 2^k is not yet.
inline constexpr double hyperbolic_high = 710.5;
template <class D>
D sinh(D x) {
  const D a = abs(x);
  const sum<D> s = sine_of(reduce_hyperbolic<1021>(minimum(a, hyperbolic_high)));
  return with_sign(a < 0x1p-27 ? a : 2 * (s.hi + s.lo), x);
}
template <class D>
D cosh(D x) {
  const sum<D> s = cosine_of(reduce_hyperbolic<1021>(minimum(abs(x), hyperbolic_high)));
  return 2 * (s.hi + s.lo);
}
/// 2^(n/16), rounded, where the last bits of `shifted` are the integer n (Tang, Table-driven implementation of the
/// exponential function in IEEE floating-point arithmetic, 1989).
template <class D>
[[gnu::always_inline]] inline D root_power(bits_of<D> shifted) {
  const D root = table_positions<D>(shifted).in(coefficients::exp_root);
  return (D)difference<D>(to_bits(root), -(shifted << 48));
}
/// m / (m + 2) with m = e^(2a) - 1 = (s - 1) + s (e^r - 1) for s = 2^(n/16).
template <class D>
D tanh(D x) {
  const D twice = 2 * minimum(abs(x), 20), shifted = fma(twice, 16 * log2_e, to_integer), n = shifted - to_integer;
  const D first = fma(n, -ln2_part / 16, twice), r = fma(n, -ln2_rest / 16, first);
  const D lo = fma(n, -ln2_rest / 16, first - r);
  const D root = root_power<D>(to_bits(shifted));
  const D lacking = table_positions<D>(to_bits(shifted)).in(coefficients::exp_root_tail) + lo;
  const sum<D> s = plus_product(root - 1, root, r);
  const sum<D> m =
      quick_sum(s.hi, fma(root, fma(r * r, polynomial(r, coefficients::pow_exp), fma(lacking, r, lacking)), s.lo));
  const sum<D> den = two_sum(m.hi, all<D>(2));
  const D inverse = 1 / den.hi, q = m.hi * inverse;
  return with_sign(fma(fma(-q, den.hi, m.hi) + fma(-q, den.lo + m.lo, m.lo), inverse, q), x);
}
/// erf(a) for a from 1.35: 1 - exp(-a^2) R(a), which is 1 to the last bit from 6 on.
template <class D, std::size_t N, std::size_t M>
D erf_far(D a, const double (&scaled_complement)[N], const double (&exp_rest)[M]) {
  const D b = minimum(a, 6);
  D k;
  const D p = expm1_reduced(reduce_exponent(-b * b, k), exp_rest);
  return fma(-(1 + p) * power_of_two(k), polynomial((b - 3) / (b + 3), scaled_complement), 1);
}
/// Below 0.65 a (2/sqrt(pi) + a^2 P(a^2)), then erf(1) + d Q(d) for d = a - 1, of which the first term is added last.
template <class D, std::size_t N, std::size_t M>
D erf_near(D a, const double (&near_zero)[N], const double (&near_one)[M]) {
  const D z = a * a, d = a - 1;
  const sum<D> first = product(a, all<D>(0x1.20dd750429b6dp+0));
  const D low = first.hi + fma(a, fma(z, polynomial(z, near_zero), 0x1.1ae3a914fed8p-56), first.lo);
  const D rest = fma(d * d, polynomial<1>(d, near_one), -0x1.c97f778122797p-56);
  return a < 0.65 ? low : 0x1.af767a741088bp-1 + fma(d, near_one[0], rest);
}
template <class D>
D erf(D x) {
  const D a = abs(x), near = erf_near(a, coefficients::erf, coefficients::erf_one);
  return with_sign(a < 1.35 ? near : erf_far(a, coefficients::erfc, coefficients::exp), x);
}
template <class D>
D erf_single(D x) {
  const D a = abs(x), near = erf_near(a, coefficients::erf_single, coefficients::erf_one_single);
  return with_sign(a < 1.35 ? near : erf_far(a, coefficients::erfc_single, coefficients::exp_single), x);
}

}  // namespace
}  // namespace quern::math

#endif
