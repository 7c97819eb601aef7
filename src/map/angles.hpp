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

/// The angle of y/x for y, x >= 0. With c of 0, 1/2, 1, 3/2 and infinity it is atan(c) + atan(t),
/// t = (y - c x) / (x + c y), |t| < 7/16, as in fdlibm's atan.
template <class D>
struct angle_parts {
  D c, hi, lo;  // c, atan(c)
  bits_of<D> vertical;
};
template <class D>
angle_parts<D> nearest_angle(D y, D x) {
  angle_parts<D> v{};
  const auto from = [&](double slope, double c, double hi, double lo) {
    const auto above = y >= slope * x;
    v.c = above ? all<D>(c) : v.c;
    v.hi = above ? all<D>(hi) : v.hi;
    v.lo = above ? all<D>(lo) : v.lo;
    return above;
  };
  from(0.4375, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56);
  from(0.6875, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55);
  from(1.1875, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56);
  v.vertical = (bits_of<D>)from(2.4375, 0, pi_2, pi_2_low);
  return v;
}
template <class D>
sum<D> angle(D y, D x) {
  const angle_parts<D> at = nearest_angle(y, x);
  const auto vertical = at.vertical != 0;
  const sum<D> cx = product(at.c, x), cy = product(at.c, y);
  const D dy = y - cx.hi, dx = x + cy.hi;
  const sum<D> num = quick_sum(vertical ? -x : dy, vertical ? D{} : -cx.lo);
  const sum<D> den{vertical ? y : dx, vertical ? D{} : ((x > cy.hi ? (x - dx) + cy.hi : (cy.hi - dx) + x) + cy.lo)};
  const sum<D> t = quotient(num, den);
  const D z = t.hi * t.hi;
  const sum<D> s = quick_sum(at.hi, t.hi);
  return {s.hi, s.lo + (at.lo + fma(t.hi * z, polynomial(z, coefficients::atan), t.lo))};
}
template <class D>
D angle_single(D y, D x) {
  const angle_parts<D> at = nearest_angle(y, x);
  const auto vertical = at.vertical != 0;
  const D t = (vertical ? -x : fma(-at.c, x, y)) / (vertical ? y : fma(at.c, y, x)), z = t * t;
  return at.hi + fma(t * z, polynomial(z, coefficients::atan_single), t);
}

template <class D>
D atan(D x) {
  const D a = abs(x);
  const auto infinite = a == infinity;
  const sum<D> v = angle(infinite ? all<D>(1) : a, infinite ? D{} : all<D>(1));
  return with_sign(a < 0x1p-30 ? a : v.hi + v.lo, x);
}
template <class D>
D atan_single(D x) {
  const D a = abs(x);
  return with_sign(angle_single(minimum(a, 0x1p200), all<D>(1)), x);
}

/// Numbers of the same ratio as y and x, both at least 0, that neither overflow nor are zero or infinite both.
template <class D>
void bring_near_one(D& y, D& x) {
  const auto both = (y == x) & ((y == 0) | (y == infinity));
  const auto one_infinite = ((y == infinity) | (x == infinity)) & ~both;
  const auto equal = both & (y != 0);
  const D largest = y > x ? y : x;
  const D factor = largest > 0x1p900 ? all<D>(0x1p-200) : largest < 0x1p-900 ? all<D>(0x1p200) : all<D>(1);
  const D scaled_y = one_infinite ? (y == infinity ? all<D>(1) : D{}) : y * factor;
  const D scaled_x = one_infinite ? (x == infinity ? all<D>(1) : D{}) : x * factor;
  y = equal ? all<D>(1) : scaled_y;
  x = both ? all<D>(1) : scaled_x;
}
template <class D>
D atan2(D y, D x) {
  D ay = abs(y), ax = abs(x);
  const auto undefined = (y != y) | (x != x);
  bring_near_one(ay, ax);
  const sum<D> v = angle(ay, ax);
  const sum<D> turned = quick_sum(all<D>(2 * pi_2), -v.hi);
  const D left = turned.hi + (turned.lo + (2 * pi_2_low - v.lo));
  return undefined ? x + y : with_sign(to_bits(x) >= 0 ? v.hi + v.lo : left, y);
}
template <class D>
D atan2_single(D y, D x) {
  D ay = abs(y), ax = abs(x);
  const auto undefined = (y != y) | (x != x);
  bring_near_one(ay, ax);
  const D v = angle_single(ay, ax);
  return undefined ? x + y : with_sign(to_bits(x) >= 0 ? v : 2 * pi_2 - v, y);
}

/// u, u^2 and the rest of asin(u) = u + rest for u = a below 1/2, and above for u = sqrt((1 - a)/2), which serves
/// asin(a) = pi/2 - 2 asin(u).
template <class D>
struct half_angle {
  D u, rest;
};
template <class D, std::size_t N>
half_angle<D> arc_parts(D a, const double (&coefficient)[N]) {
  const auto small = a < 0.5;
  const D z = small ? a * a : fma(a, -0.5, 0.5);
  const D root = sqrt(z), left = fma(-root, root, z) / (2 * root);
  const D u = small ? a : root;
  return {u, fma(u * z, polynomial(z, coefficient), (small | (root == 0)) ? D{} : left)};
}
template <class D>
D asin(D x) {
  const D a = abs(x);
  const auto [u, rest] = arc_parts(a, coefficients::asin);
  const sum<D> s = quick_sum(all<D>(pi_2), -2 * u);
  return with_sign(a < 0.5 ? u + rest : s.hi + (s.lo + (pi_2_low - 2 * rest)), x);
}
template <class D>
D acos(D x) {
  const D a = abs(x);
  const auto [u, rest] = arc_parts(a, coefficients::asin);
  const D signed_u = (D)(to_bits(u) ^ to_bits(sign_bit_of(x))),
          signed_rest = (D)(to_bits(rest) ^ to_bits(sign_bit_of(x)));
  const sum<D> middle = quick_sum(all<D>(pi_2), -signed_u), far = quick_sum(all<D>(2 * pi_2), -2 * u);
  const D outer = x < 0 ? far.hi + (far.lo + (2 * pi_2_low - 2 * rest)) : 2 * (u + rest);
  return a < 0.5 ? middle.hi + (middle.lo + (pi_2_low - signed_rest)) : outer;
}
template <class D>
D asin_single(D x) {
  const D a = abs(x);
  const auto [u, rest] = arc_parts(a, coefficients::asin_single);
  return with_sign(a < 0.5 ? u + rest : pi_2 - 2 * (u + rest), x);
}
template <class D>
D acos_single(D x) {
  const D a = abs(x);
  const auto [u, rest] = arc_parts(a, coefficients::asin_single);
  const D v = u + rest, outer = x < 0 ? 2 * pi_2 - 2 * v : 2 * v;
  return a < 0.5 ? pi_2 - (D)(to_bits(v) ^ to_bits(sign_bit_of(x))) : outer;
}

}  // namespace
}  // namespace quern::math

#endif
