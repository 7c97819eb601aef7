// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_AUTODIFF_FUNCTIONS_HPP
#define QUERN_AUTODIFF_FUNCTIONS_HPP

/// @file
/// Elementary functions of dual numbers: all of Kokkos's mathematical functions and those of `quern::math`. In a
/// functor that takes numbers of any type they are found by unqualified calls after `using Kokkos::sin;`, as
/// `Kokkos::sin(x)` where this header is included before the functor, and as `quern::math::sin(x)` likewise.
///
/// The values are those of the plain functions, except that sines and cosines are those of `quern::math::sincos`. At a
/// kink (`abs` at 0, `max` of equals) the derivative is one of those at its sides, or 0 for `abs` and `hypot`;
/// functions that are piecewise constant (`floor`) have derivative 0. Where a derivative is infinite, as that of `sqrt`
/// at 0, it is infinity, and does not touch derivatives in other directions. Poles of `tgamma` and `lgamma` have NaN.
///
/// First, second and third derivatives are within some units in the last place of the exact ones, relative to the
/// larger of their own size and that of the terms that cancel in them (`digamma` near its zeros); beside mpmath, the
/// tests state how many.

#include <quern/autodiff/slopes.hpp>

namespace quern::autodiff {

/// name(a) with the derivative, an expression of the value v of a and the value y of the result.
#define QUERN_AUTODIFF_FUNCTION(name, ...)               \
  template <class T, int N>                              \
  KOKKOS_FUNCTION dual<T, N> name(const dual<T, N>& a) { \
    using P [[maybe_unused]] = impl::plain<T>;           \
    const T& v = a.value;                                \
    const T y = name(v);                                 \
    return impl::chain(a, y, T(__VA_ARGS__));            \
  }
QUERN_AUTODIFF_FUNCTION(abs, impl::sign(v))
QUERN_AUTODIFF_FUNCTION(fabs, impl::sign(v))
QUERN_AUTODIFF_FUNCTION(exp, y)
QUERN_AUTODIFF_FUNCTION(exp2, P(impl::ln_2) * y)
QUERN_AUTODIFF_FUNCTION(expm1, exp(v))
QUERN_AUTODIFF_FUNCTION(log, P(1) / v)
QUERN_AUTODIFF_FUNCTION(log10, P(1 / impl::ln_10) / v)
QUERN_AUTODIFF_FUNCTION(log2, P(1 / impl::ln_2) / v)
QUERN_AUTODIFF_FUNCTION(log1p, P(1) / (P(1) + v))
QUERN_AUTODIFF_FUNCTION(sqrt, P(0.5) / (y + P(0)))  // infinity at -0, too
QUERN_AUTODIFF_FUNCTION(rsqrt, P(-0.5) * y / v)
QUERN_AUTODIFF_FUNCTION(cbrt, P(1) / (P(3) * y) / y)
QUERN_AUTODIFF_FUNCTION(tan, P(1) + y * y)
QUERN_AUTODIFF_FUNCTION(asin, P(1) / sqrt(impl::one_minus_square(v)))
QUERN_AUTODIFF_FUNCTION(acos, P(-1) / sqrt(impl::one_minus_square(v)))
QUERN_AUTODIFF_FUNCTION(atan, impl::inverse_one_plus_square(v))
QUERN_AUTODIFF_FUNCTION(sinh, cosh(v))
QUERN_AUTODIFF_FUNCTION(cosh, sinh(v))
QUERN_AUTODIFF_FUNCTION(tanh, impl::sech_square(v))
QUERN_AUTODIFF_FUNCTION(asinh, P(1) / hypot(P(1), v))
QUERN_AUTODIFF_FUNCTION(acosh, P(1) / sqrt(v - P(1)) / sqrt(v + P(1)))
QUERN_AUTODIFF_FUNCTION(atanh, P(1) / impl::one_minus_square(v))
QUERN_AUTODIFF_FUNCTION(erf, P(impl::two_by_root_pi) * impl::exp_minus_square(v))
QUERN_AUTODIFF_FUNCTION(erfc, P(-impl::two_by_root_pi) * impl::exp_minus_square(v))
QUERN_AUTODIFF_FUNCTION(tgamma, y* impl::digamma(v))
QUERN_AUTODIFF_FUNCTION(lgamma, impl::digamma(v))
#undef QUERN_AUTODIFF_FUNCTION

/// name(a), which is piecewise constant: a number D of the type of a, or a truth value.
#define QUERN_AUTODIFF_STEPS(Result, name)  \
  template <class D>                        \
    requires(impl::depth<D> > 0)            \
  KOKKOS_FUNCTION Result name(const D& a) { \
    return Result(name(a.value));           \
  }
QUERN_AUTODIFF_STEPS(D, ceil)
QUERN_AUTODIFF_STEPS(D, floor)
QUERN_AUTODIFF_STEPS(D, trunc)
QUERN_AUTODIFF_STEPS(D, round)
QUERN_AUTODIFF_STEPS(D, nearbyint)
QUERN_AUTODIFF_STEPS(D, logb)
QUERN_AUTODIFF_STEPS(bool, isfinite)
QUERN_AUTODIFF_STEPS(bool, isinf)
QUERN_AUTODIFF_STEPS(bool, isnan)
QUERN_AUTODIFF_STEPS(bool, signbit)
#undef QUERN_AUTODIFF_STEPS

/// Sine and cosine by one call of `quern::math::sincos`, which the derivatives need as well.
template <class T, int N>
KOKKOS_FUNCTION quern::math::sine_cosine<dual<T, N>> sincos(const dual<T, N>& a) {
  const auto [s, c] = sincos(a.value);
  return {impl::chain(a, s, c), impl::chain(a, c, T(-s))};
}
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> sin(const dual<T, N>& a) {
  return sincos(a).sin;
}
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> cos(const dual<T, N>& a) {
  return sincos(a).cos;
}

/// a^b. By the exponent, the derivative at a < 0 is NaN, as powers are defined there for integers alone.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> pow(const dual<T, N>& a, const dual<T, N>& b) {
  const T &v = a.value, &w = b.value, y = pow(v, w);
  return impl::chain(a, b, y, impl::power_slope(v, w), impl::power_growth(v, w, y));
}
template <class T, int N, impl::constant_beside<T> S>
KOKKOS_FUNCTION dual<T, N> pow(const dual<T, N>& a, const S& b) {
  // A plain number stays one, which costs no logarithm.
  using exponent = std::conditional_t<impl::depth<S> == 0, impl::plain<T>, T>;
  const exponent w(b);
  const T y = pow(a.value, w);
  return impl::chain(a, y, impl::power_slope(a.value, w));
}
template <class T, int N, impl::constant_beside<T> S>
KOKKOS_FUNCTION dual<T, N> pow(const S& a, const dual<T, N>& b) {
  const T v(a), &w = b.value, y = pow(v, w);
  return impl::chain(b, y, impl::power_growth(v, w, y));
}

/// name(a, b) where one argument may be a constant: `name(a, b)` of two dual numbers is declared before.
#define QUERN_AUTODIFF_CONSTANTS(name)                \
  template <class A, class B>                         \
    requires impl::with_dual<A, B>                    \
  KOKKOS_FUNCTION auto name(const A& a, const B& b) { \
    using D = impl::widest_of<A, B>;                  \
    return name(D(a), D(b));                          \
  }

template <class T, int N>
KOKKOS_FUNCTION dual<T, N> atan2(const dual<T, N>& a, const dual<T, N>& b) {
  const T sides[2] = {a.value, b.value}, r = hypot(a.value, b.value);
  T c[2];
  impl::cosines(sides, r, c);
  return impl::chain(a, b, T(atan2(a.value, b.value)), T(c[1] / r), T(-c[0] / r));
}
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> hypot(const dual<T, N>& a, const dual<T, N>& b) {
  const T sides[2] = {a.value, b.value}, r = hypot(a.value, b.value);
  T c[2];
  impl::cosines(sides, r, c);
  return impl::chain(a, b, r, c[0], c[1]);
}
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> hypot(const dual<T, N>& a, const dual<T, N>& b, const dual<T, N>& c) {
  const T sides[3] = {a.value, b.value, c.value};
  const T r = hypot(hypot(a.value, b.value), c.value);  // of three numbers, not every library scales
  T cosine[3];
  impl::cosines(sides, r, cosine);
  return impl::with_derivatives<dual<T, N>>(r, [&](int i) {
    return impl::times(cosine[0], a.derivative[i]) + impl::times(cosine[1], b.derivative[i]) +
           impl::times(cosine[2], c.derivative[i]);
  });
}
template <class A, class B, class C>
  requires impl::with_dual<A, B, C>
KOKKOS_FUNCTION auto hypot(const A& a, const B& b, const C& c) {
  using D = impl::widest_of<A, B, C>;
  return hypot(D(a), D(b), D(c));
}

template <class T, int N>
KOKKOS_FUNCTION dual<T, N> fmod(const dual<T, N>& a, const dual<T, N>& b) {
  const T y = fmod(a.value, b.value);
  return impl::chain(a, b, y, T(1), T(-impl::whole_quotient(a.value, b.value, y)));
}
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> remainder(const dual<T, N>& a, const dual<T, N>& b) {
  const T y = remainder(a.value, b.value);
  return impl::chain(a, b, y, T(1), T(-impl::whole_quotient(a.value, b.value, y)));
}
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> fdim(const dual<T, N>& a, const dual<T, N>& b) {
  return a > b ? a - b : dual<T, N>(fdim(impl::innermost(a), impl::innermost(b)));
}
/// a or -a; the second argument has no derivatives.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> copysign(const dual<T, N>& a, const dual<T, N>& b) {
  return signbit(impl::innermost(a)) == signbit(impl::innermost(b)) ? a : -a;
}
/// The number after a towards b, which moves with a.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> nextafter(const dual<T, N>& a, const dual<T, N>& b) {
  dual<T, N> r = a;
  r.value = nextafter(a.value, b.value);
  return r;
}

/// One of the two, with its derivatives.
#define QUERN_AUTODIFF_CHOICE(name, takes_first)                              \
  template <class T, int N>                                                   \
  KOKKOS_FUNCTION dual<T, N> name(const dual<T, N>& a, const dual<T, N>& b) { \
    return (takes_first) ? a : b;                                             \
  }
QUERN_AUTODIFF_CHOICE(max, !(a < b))
QUERN_AUTODIFF_CHOICE(min, !(b < a))
QUERN_AUTODIFF_CHOICE(fmax, a >= b || isnan(b))  // numbers before NaN
QUERN_AUTODIFF_CHOICE(fmin, a <= b || isnan(b))
#undef QUERN_AUTODIFF_CHOICE

QUERN_AUTODIFF_CONSTANTS(atan2)
QUERN_AUTODIFF_CONSTANTS(hypot)
QUERN_AUTODIFF_CONSTANTS(fmod)
QUERN_AUTODIFF_CONSTANTS(remainder)
QUERN_AUTODIFF_CONSTANTS(fdim)
QUERN_AUTODIFF_CONSTANTS(copysign)
QUERN_AUTODIFF_CONSTANTS(nextafter)
QUERN_AUTODIFF_CONSTANTS(max)
QUERN_AUTODIFF_CONSTANTS(min)
QUERN_AUTODIFF_CONSTANTS(fmax)
QUERN_AUTODIFF_CONSTANTS(fmin)
#undef QUERN_AUTODIFF_CONSTANTS

/// a b + c, rounded once. Any of them may be constants, whose derivatives take no part.
template <class A, class B, class C>
  requires impl::with_dual<A, B, C>
KOKKOS_FUNCTION auto fma(const A& a, const B& b, const C& c) {
  using D = impl::widest_of<A, B, C>;
  const auto value = fma(impl::value_beside<D>(a), impl::value_beside<D>(b), impl::value_beside<D>(c));
  return impl::with_derivatives<D>(value, [&](int i) {
    typename D::value_type slope(0);
    if constexpr (impl::depth<C> == impl::depth<D>) slope = c.derivative[i];
    if constexpr (impl::depth<B> == impl::depth<D>) slope = fma(impl::value_beside<D>(a), b.derivative[i], slope);
    if constexpr (impl::depth<A> == impl::depth<D>) slope = fma(impl::value_beside<D>(b), a.derivative[i], slope);
    return slope;
  });
}

/// The greatest integer not above x / Divisor, which is piecewise constant.
template <auto Divisor, class T, int N>
KOKKOS_FUNCTION dual<T, N> floor_divide(const dual<T, N>& x) {
  return dual<T, N>(math::floor_divide<Divisor>(impl::innermost(x)));
}

}  // namespace quern::autodiff

namespace quern::math {
using autodiff::sincos, autodiff::floor_divide;

// Not by using-declarations, which would bring Kokkos's functions of plain numbers along, in place of those of
// quern::math.
#define QUERN_AUTODIFF_IN_MATH(name)                \
  template <class... X>                             \
    requires((autodiff::impl::depth<X> > 0) || ...) \
  KOKKOS_FUNCTION auto name(const X&... x) {        \
    return autodiff::name(x...);                    \
  }
QUERN_AUTODIFF_IN_MATH(exp)
QUERN_AUTODIFF_IN_MATH(exp2)
QUERN_AUTODIFF_IN_MATH(expm1)
QUERN_AUTODIFF_IN_MATH(log)
QUERN_AUTODIFF_IN_MATH(log2)
QUERN_AUTODIFF_IN_MATH(log1p)
QUERN_AUTODIFF_IN_MATH(sin)
QUERN_AUTODIFF_IN_MATH(cos)
QUERN_AUTODIFF_IN_MATH(tan)
QUERN_AUTODIFF_IN_MATH(sinh)
QUERN_AUTODIFF_IN_MATH(cosh)
QUERN_AUTODIFF_IN_MATH(tanh)
QUERN_AUTODIFF_IN_MATH(asin)
QUERN_AUTODIFF_IN_MATH(acos)
QUERN_AUTODIFF_IN_MATH(atan)
QUERN_AUTODIFF_IN_MATH(erf)
QUERN_AUTODIFF_IN_MATH(cbrt)
QUERN_AUTODIFF_IN_MATH(pow)
QUERN_AUTODIFF_IN_MATH(atan2)
#undef QUERN_AUTODIFF_IN_MATH
}  // namespace quern::math

// Functors that call Kokkos's functions by their full names work on dual numbers, too.
namespace Kokkos {
using quern::autodiff::abs, quern::autodiff::fabs, quern::autodiff::fmod, quern::autodiff::remainder,
    quern::autodiff::fma, quern::autodiff::fmax, quern::autodiff::fmin, quern::autodiff::fdim, quern::autodiff::exp,
    quern::autodiff::exp2, quern::autodiff::expm1, quern::autodiff::log, quern::autodiff::log10, quern::autodiff::log2,
    quern::autodiff::log1p, quern::autodiff::pow, quern::autodiff::sqrt, quern::autodiff::rsqrt, quern::autodiff::cbrt,
    quern::autodiff::hypot, quern::autodiff::sin, quern::autodiff::cos, quern::autodiff::tan, quern::autodiff::asin,
    quern::autodiff::acos, quern::autodiff::atan, quern::autodiff::atan2, quern::autodiff::sinh, quern::autodiff::cosh,
    quern::autodiff::tanh, quern::autodiff::asinh, quern::autodiff::acosh, quern::autodiff::atanh, quern::autodiff::erf,
    quern::autodiff::erfc, quern::autodiff::tgamma, quern::autodiff::lgamma, quern::autodiff::ceil,
    quern::autodiff::floor, quern::autodiff::trunc, quern::autodiff::round, quern::autodiff::nearbyint,
    quern::autodiff::logb, quern::autodiff::nextafter, quern::autodiff::copysign, quern::autodiff::max,
    quern::autodiff::min, quern::autodiff::isfinite, quern::autodiff::isinf, quern::autodiff::isnan,
    quern::autodiff::signbit;
}  // namespace Kokkos

#endif
