// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_ANGLES_HPP
#define QUERN_SRC_MAP_ANGLES_HPP

#include "coefficients.hpp"
#include "vectors.hpp"

extern "C" double sin(double) noexcept;
extern "C" double cos(double) noexcept;
extern "C" double tan(double) noexcept;

namespace quern::math {
namespace {

inline constexpr double pi_2 = 0x1.921fb54442d18p+0, pi_2_low = 0x1.1a62633145c07p-54;

/// pi/2 without its first 53 bits in two parts, of which the first has 25 bits.
inline constexpr double pi_2_part = 0x1.1a6263p-54, pi_2_rest = 0x1.8a2e03707344ap-81;

/// From here on the C library reduces arguments, of which it takes all digits of pi.
inline constexpr double reducible = 5.0e7;

/// x = n pi/2 + r for |x| < reducible (Cody and Waite, Software Manual for the Elementary Functions, 1980). The first
/// difference is exact, as both of its terms are multiples of the unit in the last place of the smaller, and so is
/// first - r, as multiples of pi_2_part have 50 bits.
template <class D>
struct reduced_angle {
  bits_of<D> n;  // of which the last two bits count
  sum<D> r;
};
template <class D>
reduced_angle<D> reduce_angle(D x) {
  const D turns = fma(x, 0x1.45f306dc9c883p-1, to_integer), n = turns - to_integer;
  const D first = fma(n, -pi_2, x), r = fma(n, -pi_2_part, first);
  return {to_bits(turns), {r, fma(n, -pi_2_rest, fma(n, -pi_2_part, first - r))}};
}
template <int Shift = 0, class D>
D reduce_angle_single(D x, bits_of<D>& quadrant) {
  const D turns = fma(x, 0x1.45f306dc9c883p-1, to_integer + Shift), n = turns - (to_integer + Shift);
  quadrant = to_bits(turns);
  return fma(n, -pi_2_low, fma(n, -pi_2, x));
}

/// sin(r) - r and cos(r) - hi, where hi is the first sum of cosine_head.
template <class D>
D sine_rest(const sum<D>& r, D z) {
  return fma(r.hi * z, polynomial(z, coefficients::sin), fma(-0.5 * z, r.lo, r.lo));
}
template <class D>
sum<D> cosine_parts(const sum<D>& r, D z) {
  const D half = 0.5 * z, hi = 1 - half;
  return {hi, ((1 - hi) - half) + fma(z * z, polynomial(z, coefficients::cos), -r.hi * r.lo)};
}

/// Calls f for the elements of x that are too large, and leaves infinities and NaN.
template <class D>
__attribute__((noinline, cold)) D replace_large(D x, D y, double (*f)(double)) {
  for (int i = 0; i < lanes<D>; ++i)
    if (__builtin_fabs(x[i]) >= reducible) y[i] = f(x[i]);
  return y;
}
template <class D>
D with_large(D x, D y, double (*f)(double)) {
  return __builtin_expect(any_reaches(abs(x), reducible), 0) ? replace_large(x, y, f) : y;
}

/// The sine of n pi/2 + r from sine and cosine of r, by the last bits of n.
template <class D>
D of_quadrant(bits_of<D> n, D sine, D cosine) {
  const D v = (n << 63) < 0 ? cosine : sine;
  return (D)(to_bits(v) ^ ((n << 62) & INT64_MIN));
}
/// sin(x + Shift pi/2). x = n pi/2 + r - lo as reduce_angle has it. Beside r lo is so small that sin(r - lo) is
/// sin(r) - lo to 0.16 units in the last place and cos(r - lo) cos(r) + r lo. sin takes what follows r away from it, so
/// that -0 stays -0, and cos multiplies r by -r/2 where it adds, without rounding r^2.
template <int Shift, class D>
[[gnu::always_inline]] inline D shifted_sine(D x) {
  const D turns = fma(x, 0x1.45f306dc9c883p-1, to_integer + Shift), n = turns - (to_integer + Shift);
  const D first = fma(n, -pi_2, x), r = fma(n, -pi_2_part, first);
  const D lo = fma(n, pi_2_rest, fma(n, pi_2_part, r - first));
  const D z = r * r;
  const D sine = r - fma(r * z, -polynomial(z, coefficients::sin), lo);
  const D cosine = 1 + fma(-0.5 * r, r, fma(z * z, polynomial(z, coefficients::cos), r * lo));
  return of_quadrant(to_bits(turns), sine, cosine);
}
template <int Shift, class D>
[[gnu::always_inline]] inline D shifted_sine_single(D x) {
  bits_of<D> n;
  const D r = reduce_angle_single<Shift>(x, n), z = r * r;
  return of_quadrant(n, fma(r * z, polynomial(z, coefficients::sin_single), r),
                     fma(z * z, polynomial(z, coefficients::cos_single), fma(z, -0.5, 1.0)));
}
template <class D>
D sin(D x) {
  return with_large(x, shifted_sine<0>(x), ::sin);
}
template <class D>
D cos(D x) {
  return with_large(x, shifted_sine<1>(x), ::cos);
}
template <class D>
D sin_single(D x) {
  return with_large(x, x == 0 ? x : shifted_sine_single<0>(x), ::sin);
}
template <class D>
D cos_single(D x) {
  return with_large(x, shifted_sine_single<1>(x), ::cos);
}
template <class D>
D tan(D x) {
  const auto [n, r] = reduce_angle(x);
  const D z = r.hi * r.hi;
  const sum<D> s = quick_sum(r.hi, sine_rest(r, z));
  sum<D> c = cosine_parts(r, z);
  c.lo = fma(fma(r.hi, r.hi, -z), -0.5, c.lo);
  c = quick_sum(c.hi, c.lo);
  const auto odd = (n & 1) != 0;
  const sum<D> q =
      quotient(sum<D>{odd ? -c.hi : s.hi, odd ? -c.lo : s.lo}, sum<D>{odd ? s.hi : c.hi, odd ? s.lo : c.lo});
  return with_large(x, abs(x) < 0x1p-30 ? x : q.hi + q.lo, ::tan);
}
template <class D>
D tan_single(D x) {
  bits_of<D> n;
  const D r = reduce_angle_single(x, n), z = r * r;
  const D s = fma(r * z, polynomial(z, coefficients::sin_single), r);
  const D c = fma(z * z, polynomial(z, coefficients::cos_single), fma(z, -0.5, 1.0));
  const auto odd = (n & 1) != 0;
  return with_large(x, x == 0 ? x : (odd ? -c : s) / (odd ? s : c), ::tan);
}

/// pi/2 in two numbers of type T.
template <class T>
inline constexpr T half_pi = static_cast<T>(pi_2);
template <class T>
inline constexpr T half_pi_low = static_cast<T>((pi_2 - half_pi<T>)+pi_2_low);

/// Where the angle of a point is measured from: 0, pi/2 or pi, in two numbers, and in which direction: `sign` has the
/// bit of the sign where the angle is taken away.
template <class V>
struct half_axis {
  V hi, lo, sign;
};
template <class V>
half_axis<V> nearest_axis(bits_of<V> steep, bits_of<V> left) {
  using T = number_of<V>;
  const V hi = steep != 0 ? all<V>(half_pi<T>) : left != 0 ? all<V>(2 * half_pi<T>) : V{};
  const V lo = steep != 0 ? all<V>(half_pi_low<T>) : left != 0 ? all<V>(2 * half_pi_low<T>) : V{};
  return {hi, lo, (V)((steep ^ left) & sign_bit<V>)};
}
/// The angle from there on of num / den, where 0 <= num <= den. What the quotient lacks counts 1 / (1 + q^2) times, to
/// two digits. The quotient counts as it is, so that no rounding but the last is of its size, and the polynomial, whose
/// argument is exact to the last bit, is at most 0.22.
template <class V>
V angle_from(const half_axis<V>& axis, V num, V den) {
  const V inverse = 1 / den, q = num * inverse, w = fma(q, q, -0.4375);
  const auto turned = [&](V v) { return (V)(to_bits(v) ^ to_bits(axis.sign)); };
  const V lacking = turned(fma(-q, den, num) * (inverse * fma(w, fma(w, 0.36, -0.545), 0.693)));
  const V t = turned(q);
  const sum<V> s = quick_sum(axis.hi, t);
  const V rest = [&] {
    if constexpr (sizeof(number_of<V>) == 8) return polynomial_first_last(w, coefficients::atan);
    else return polynomial_first_last(w, coefficients::atan_float);
  }();
  return s.hi + fma(t, rest, s.lo + (axis.lo + lacking));
}
/// atan(c) + atan((a - c) / (1 + a c)) for a = |x| and a c that a table has for it, so that the second angle, of at
/// most 0.078, is small beside the first, or c = 0 (Tang, Table-lookup algorithms for elementary functions and their
/// error analysis, 1991). The difference is exact; from 14 on c is large, and 1 / c that of atan(c) and the rounded
/// pi/2.
template <class V>
V atan(V x) {
  constexpr bool wide = sizeof(number_of<V>) == 8;
  const V a = minimum(abs(x), wide ? 0x1p60 : 0x1p30);  // NaN stays
  const V inside = lesser(greater(a, all<V>(0x1p-4)), all<V>(15.5));
  const table_positions<V> at(difference<V>(to_bits(inside), to_bits(all<V>(0x1p-4))) >> (wide ? 50 : 21));
  const auto angle = [&](const auto& tangents, const auto& angles, const auto& rest) {
    const V c = at.in(tangents), r = (a - c) / fma(a, c, 1), z = r * r;
    return with_sign(at.in(angles) + fma(r * z, polynomial(z, rest), r), x);
  };
  if constexpr (wide) return angle(coefficients::atan_tangent, coefficients::atan_angle, coefficients::atan_rest);
  else return angle(coefficients::atan_tangent_float, coefficients::atan_angle_float, coefficients::atan_rest_float);
}

/// The quotient of two numbers of which the larger is below the limit, and the smaller above its inverse or 0, is a
/// normal number, and so is its remainder.
template <class V>
inline constexpr number_of<V> quotient_limit = static_cast<number_of<V>>(sizeof(number_of<V>) == 8 ? 0x1p500 : 0x1p62);

template <class V>
bits_of<V> far_out(V num, V den) {
  const auto small = (bits_of<V>)(num < 1 / quotient_limit<V>)&(bits_of<V>)(num != 0);
  return ~(bits_of<V>)(den < quotient_limit<V>) | small;
}

/// The angles where that is not so: of equal infinities and numbers of similar size as those of others, and of numbers
/// of different size as the quotient or the half axis; NaN of NaN. The other elements stay.
template <class V>
__attribute__((noinline, cold)) V replace_far(V y, V x, const half_axis<V>& axis, V num, V den, V v) {
  constexpr bool wide = sizeof(number_of<V>) == 8;
  const auto infinite = num == all<V>(infinity);
  const V factor = den > 1 ? all<V>(wide ? 0x1p-600 : 0x1p-90) : all<V>(wide ? 0x1p600 : 0x1p90);
  const V similar = angle_from(axis, infinite ? all<V>(1) : num * factor, infinite ? all<V>(1) : den * factor);
  const V different = axis.hi == 0 ? num / den : axis.hi;
  const V angle = num < den * all<V>(wide ? 0x1p-60 : 0x1p-30) ? different : similar;
  const V exact = ((x != x) | (y != y)) ? x + y : with_sign(angle, y);
  return far_out(num, den) != 0 ? exact : v;
}
template <class V>
V atan2(V y, V x) {
  const V ay = abs(y), ax = abs(x);
  const auto steep = ay > ax;
  const V num = steep ? ax : ay, den = steep ? ay : ax;
  const half_axis<V> axis = nearest_axis<V>((bits_of<V>)steep, (bits_of<V>)(to_bits(x) < 0));
  // 0/0 is 0
  const V v = with_sign(angle_from(axis, num, greater(all<V>(1 / quotient_limit<V>), den)), y);
  return __builtin_expect(any(far_out(num, den)), 0) ? replace_far(y, x, axis, num, den, v) : v;
}

/// u, u^2 and the rest of asin(u) = u + rest for u = a below 1/2, and above for u = sqrt((1 - a)/2), which serves
/// asin(a) = pi/2 - 2 asin(u).
template <class D>
struct half_angle {
  D u, rest;
};
/// About 1 / (2 x), to 6 percent, for positive x; finite where x = 0.
template <class V>
V half_inverse(V x) {
  constexpr auto bits = sizeof(number_of<V>) == 8 ? 0x7fce623822fc16e6 : 0x7e7311c7;
  return (V)(static_cast<typename vectors_of<V>::integer>(bits) - to_bits(x));
}
template <class V>
half_angle<V> arc_parts(V a) {
  const auto small = a < 0.5f;
  const V z = small ? a * a : fma(a, -0.5, 0.5), root = sqrt(z);
  const V left = fma(-root, root, z) * half_inverse(root);  // at most half a unit in the last place of the root
  const V u = small ? a : root;
  const V tail = [&] {
    if constexpr (sizeof(number_of<V>) == 8) return polynomial(z, coefficients::asin);
    else return polynomial(z, coefficients::asin_float);
  }();
  return {u, fma(u * z, tail, small ? V{} : left)};
}
/// NaN, of the root, beyond 1.
template <class V>
V asin(V x) {
  using T = number_of<V>;
  const V a = abs(x);
  const auto [u, rest] = arc_parts(a);
  const sum<V> s = quick_sum(all<V>(half_pi<T>), -2 * u);
  return with_sign(a < 0.5f ? u + rest : s.hi + (s.lo + (half_pi_low<T> - 2 * rest)), x);
}
/// pi/2 - x, 2 asin(u), or pi - 2 asin(u)
template <class V>
V acos(V x) {
  using T = number_of<V>;
  const V a = abs(x);
  const auto [u, rest] = arc_parts(a);
  const auto middle = a < 0.5f;
  const V base = middle ? all<V>(half_pi<T>) : x < 0 ? all<V>(2 * half_pi<T>) : V{};
  const V base_low = middle ? all<V>(half_pi_low<T>) : x < 0 ? all<V>(2 * half_pi_low<T>) : V{};
  const V turned = (V)(to_bits(middle ? all<V>(-1) : all<V>(2)) ^ to_bits(sign_bit_of(x)));
  const sum<V> s = quick_sum(base, turned * u);
  return s.hi + (s.lo + fma(turned, rest, base_low));
}

}  // namespace
}  // namespace quern::math

#endif
