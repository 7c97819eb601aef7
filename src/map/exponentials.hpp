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
inline constexpr double ln2_part = 0x1.62e42fefa38p-1, ln2_rest = 0x1.ef35793c7673p-45,
                        ln2_third = 0x1.f97b57a079a19p-103;
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
/// The same for r = hi + lo, in two.
template <class D>
sum<D> expm1_reduced(const sum<D>& r) {
  const sum<D> square = product(r.hi, 0.5 * r.hi);
  const sum<D> s = quick_sum(r.hi, square.hi);
  const D cubic = r.hi * (r.hi * r.hi) * polynomial(r.hi, coefficients::exp);
  return quick_sum(s.hi, s.lo + (square.lo + fma(r.lo, r.hi, r.lo) + cubic));
}

/// x = k ln(2) + r with an integer k.
template <class D>
struct reduced_exponent {
  D k;
  sum<D> r;
};
template <class D>
reduced_exponent<D> reduce_exponent(const sum<D>& x) {
  const D k = fma(x.hi, log2_e, to_integer) - to_integer;
  return {k, quick_sum(fma(k, -ln2_part, x.hi), fma(k, -ln2_rest, x.lo))};
}
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
/// The same of a sum, with no error but the last rounding, which pow needs beside that of the logarithm.
template <class D>
power<D> exp_parts(const sum<D>& x) {
  const D exponent = fma(x.hi, log2_e, to_exponent), k = exponent - to_exponent;
  const sum<D> p = expm1_reduced(quick_sum(fma(k, -ln2_part, x.hi), fma(k, -ln2_rest, x.lo)));
  const sum<D> s = quick_sum(all<D>(1), p.hi);
  return {s.hi + (s.lo + p.lo), k, exponent};
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
D exp_single(D x) {
  D k;
  const D r = reduce_exponent(clamp(x, -200, 200), k);
  return (1 + expm1_reduced(r, coefficients::exp_single)) * power_of_two(k);
}

template <class D>
D exp2(D x) {
  if (__builtin_expect(any_reaches(abs(x), 1022), 0)) return exp2_far(x);
  return raised(exp2_parts(x));
}
template <class D>
D exp2_single(D x) {
  const D bounded = clamp(x, -200, 200), k = nearest(bounded);
  return (1 + expm1_reduced((bounded - k) * ln2, coefficients::exp_single)) * power_of_two(k);
}

/// Numbers below which f(x) = x to the last bit, for odd f and expm1, log1p.
inline constexpr double linear = 0x1p-54;

template <class D>
D expm1(D x) {
  const auto [k, r] = reduce_exponent(sum<D>{clamp(x, -40, exp_high), D{}});
  const sum<D> p = expm1_reduced(r);
  const D half = power_of_two(k - 1);  // since 2^k may be infinite
  const sum<D> powers = quick_sum(half, all<D>(-0.5)), s = two_sum(powers.hi, half * p.hi);
  const D y = 2 * (s.hi + fma(half, p.lo, s.lo + powers.lo));
  return abs(x) < linear ? x : x > 709.782712893384 ? all<D>(infinity) : y;
}
template <class D>
D expm1_single(D x) {
  D k;
  const D p = expm1_reduced(reduce_exponent(clamp(x, -40, 200), k), coefficients::exp_single);
  const D power = power_of_two(k);
  return x == 0 ? x : fma(power, p, power - 1);
}

/// (exp(a) - Sign exp(-a)) / 2 for a >= 0. With e^a = 2^k (1 + p) and w = p / (1 + p) it is
/// 2^(k-1) (1 + p) - Sign 2^(-k-1) (1 - w), of which no terms cancel.
template <int Sign, class D>
D half_difference(D a) {
  constexpr double sign = Sign;
  const auto [k, r] = reduce_exponent(sum<D>{minimum(a, 711), D{}});
  const sum<D> p = expm1_reduced(r), w = quotient(p, quick_sum(all<D>(1), p.hi));
  const D up = power_of_two(k - 2), down = power_of_two(-2 - minimum(k, 1000));  // since 2^(k-1) may be infinite
  const sum<D> powers = quick_sum(up, -sign * down), s = two_sum(powers.hi, up * p.hi);
  const sum<D> t = two_sum(s.hi, sign * down * w.hi);
  const D y = 2 * (t.hi + (t.lo + s.lo + powers.lo + fma(up, p.lo, sign * down * w.lo)));
  return a > 710.4758600739439 ? all<D>(infinity) : y;
}
template <class D>
D sinh(D x) {
  const D a = abs(x);
  return with_sign(a < 0x1p-27 ? a : half_difference<1>(a), x);
}
template <class D>
D cosh(D x) {
  return half_difference<-1>(abs(x));
}
template <class D>
D tanh(D x) {
  const D a = abs(x);
  const auto [k, r] = reduce_exponent(sum<D>{2 * minimum(a, 20), D{}});
  const sum<D> p = expm1_reduced(r);
  const D power = power_of_two(k);
  const sum<D> s = two_sum(power - 1, power * p.hi);
  const sum<D> m = quick_sum(s.hi, fma(power, p.lo, s.lo)), n = two_sum(m.hi, all<D>(2));
  const sum<D> q = quotient(m, {n.hi, n.lo + m.lo});
  return with_sign(a < 0x1p-30 ? a : q.hi + q.lo, x);
}
template <class D>
D sinh_single(D x) {
  const D m = expm1_single(abs(x));
  return with_sign(m > 0x1p150 ? m : 0.5 * (m + m / (m + 1)), x);
}
template <class D>
D cosh_single(D x) {
  const D e = exp_single(abs(x));
  return 0.5 * (e + 1 / e);
}
template <class D>
D tanh_single(D x) {
  const D m = expm1_single(2 * minimum(abs(x), 20));
  return with_sign(m / (m + 2), x);
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
