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
/// functions that are constant in pieces (`floor`) have derivative 0. Where a derivative is infinite, as that of `sqrt`
/// at 0, infinities and NaN result.

#include <quern/autodiff/dual.hpp>
#include <quern/map/math.hpp>

namespace quern::autodiff {

// The functions of plain numbers, so that one name serves values at every level.
using Kokkos::abs, Kokkos::fabs, Kokkos::fmod, Kokkos::remainder, Kokkos::fma, Kokkos::fmax, Kokkos::fmin, Kokkos::fdim,
    Kokkos::exp, Kokkos::exp2, Kokkos::expm1, Kokkos::log, Kokkos::log10, Kokkos::log2, Kokkos::log1p, Kokkos::pow,
    Kokkos::sqrt, Kokkos::rsqrt, Kokkos::cbrt, Kokkos::hypot, Kokkos::sin, Kokkos::cos, quern::math::sincos,
    Kokkos::tan, Kokkos::asin, Kokkos::acos, Kokkos::atan, Kokkos::atan2, Kokkos::sinh, Kokkos::cosh, Kokkos::tanh,
    Kokkos::asinh, Kokkos::acosh, Kokkos::atanh, Kokkos::erf, Kokkos::erfc, Kokkos::tgamma, Kokkos::lgamma,
    Kokkos::ceil, Kokkos::floor, Kokkos::trunc, Kokkos::round, Kokkos::nearbyint, Kokkos::copysign, Kokkos::isfinite,
    Kokkos::isinf, Kokkos::isnan, Kokkos::signbit;

namespace impl {

/// g(a), where g has that value and that derivative.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> chain(const dual<T, N>& a, const T& value, const T& derivative) {
  dual<T, N> r;
  r.value = value;
  for (int i = 0; i < N; ++i) r.derivative[i] = derivative * a.derivative[i];
  return r;
}
/// g(a, b), where g has that value and those derivatives.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> chain(const dual<T, N>& a, const dual<T, N>& b, const T& value, const T& by_a,
                                 const T& by_b) {
  dual<T, N> r;
  r.value = value;
  for (int i = 0; i < N; ++i) r.derivative[i] = by_a * a.derivative[i] + by_b * b.derivative[i];
  return r;
}

/// The innermost type of numbers.
template <class T>
struct plain_of {
  using type = T;
};
template <class T, int N>
struct plain_of<dual<T, N>> : plain_of<T> {};
template <class T>
using plain = typename plain_of<T>::type;

inline constexpr double pi = 3.14159265358979323846, ln_2 = 0.69314718055994530942, ln_10 = 2.30258509299404568402,
                        two_by_root_pi = 1.12837916709551257390;

/// The logarithmic derivative of the gamma function: recurrence up to 10, then the asymptotic series (Abramowitz and
/// Stegun 6.3.5, 6.3.7, 6.3.18).
template <class T>
KOKKOS_FUNCTION T digamma(T x) {
  using P = plain<T>;
  T sum(P(0));
  if (x < P(0.5)) {
    if (x == floor(x)) return T(Kokkos::Experimental::quiet_NaN<P>::value);  // poles
    sum = -P(pi) / tan(P(pi) * (x - floor(x)));
    x = P(1) - x;
  }
  for (; x < P(10); x += P(1)) sum -= P(1) / x;
  const T s = P(1) / (x * x);
  const T tail =
      P(1.0 / 12) -
      s * (P(1.0 / 120) - s * (P(1.0 / 252) - s * (P(1.0 / 240) - s * (P(1.0 / 132) - s * P(691.0 / 32760)))));
  return sum + log(x) - P(0.5) / x - s * tail;
}

template <class T>
KOKKOS_FUNCTION T sign(const T& x) {
  using P = plain<T>;
  return x > P(0) ? T(P(1)) : x < P(0) ? T(P(-1)) : x == P(0) ? T(P(0)) : x;
}
/// b * a^(b-1), the derivative of a power by its base.
template <class T, class S>
KOKKOS_FUNCTION T power_slope(const T& a, const S& b) {
  using P = plain<T>;
  if (b == P(0)) return T(P(0));
  return b * pow(a, b - P(1));
}
template <class T>
KOKKOS_FUNCTION T power_growth(const T& a, const T& power) {
  using P = plain<T>;
  return a == P(0) ? T(P(0)) : T(power * log(a));
}

}  // namespace impl

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
QUERN_AUTODIFF_FUNCTION(sqrt, P(0.5) / y)
QUERN_AUTODIFF_FUNCTION(rsqrt, P(-0.5) * y / v)
QUERN_AUTODIFF_FUNCTION(cbrt, P(1) / (P(3) * y * y))
QUERN_AUTODIFF_FUNCTION(tan, P(1) + y * y)
QUERN_AUTODIFF_FUNCTION(asin, P(1) / sqrt((P(1) - v) * (P(1) + v)))
QUERN_AUTODIFF_FUNCTION(acos, P(-1) / sqrt((P(1) - v) * (P(1) + v)))
QUERN_AUTODIFF_FUNCTION(atan, P(1) / (P(1) + v * v))
QUERN_AUTODIFF_FUNCTION(sinh, cosh(v))
QUERN_AUTODIFF_FUNCTION(cosh, sinh(v))
QUERN_AUTODIFF_FUNCTION(tanh, P(1) / (cosh(v) * cosh(v)))
QUERN_AUTODIFF_FUNCTION(asinh, P(1) / hypot(P(1), v))
QUERN_AUTODIFF_FUNCTION(acosh, P(1) / (sqrt(v - P(1)) * sqrt(v + P(1))))
QUERN_AUTODIFF_FUNCTION(atanh, P(1) / ((P(1) - v) * (P(1) + v)))
QUERN_AUTODIFF_FUNCTION(erf, P(impl::two_by_root_pi) * exp(-v * v))
QUERN_AUTODIFF_FUNCTION(erfc, P(-impl::two_by_root_pi) * exp(-v * v))
QUERN_AUTODIFF_FUNCTION(tgamma, y* impl::digamma(v))
QUERN_AUTODIFF_FUNCTION(lgamma, impl::digamma(v))
QUERN_AUTODIFF_FUNCTION(ceil, P(0))
QUERN_AUTODIFF_FUNCTION(floor, P(0))
QUERN_AUTODIFF_FUNCTION(trunc, P(0))
QUERN_AUTODIFF_FUNCTION(round, P(0))
QUERN_AUTODIFF_FUNCTION(nearbyint, P(0))
#undef QUERN_AUTODIFF_FUNCTION

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

/// name(a, b) where one argument may be a constant, with the derivatives as expressions of the values v and w of the
/// arguments and the value y of the result.
#define QUERN_AUTODIFF_BINARY(name, by_a, by_b)                               \
  template <class T, int N>                                                   \
  KOKKOS_FUNCTION dual<T, N> name(const dual<T, N>& a, const dual<T, N>& b) { \
    using P [[maybe_unused]] = impl::plain<T>;                                \
    const T &v = a.value, &w = b.value, y = name(v, w);                       \
    return impl::chain(a, b, y, T(by_a), T(by_b));                            \
  }                                                                           \
  template <class T, int N, impl::constant_beside<T> S>                       \
  KOKKOS_FUNCTION dual<T, N> name(const dual<T, N>& a, const S& b) {          \
    using P [[maybe_unused]] = impl::plain<T>;                                \
    const T &v = a.value, w(b), y = name(v, w);                               \
    return impl::chain(a, y, T(by_a));                                        \
  }                                                                           \
  template <class T, int N, impl::constant_beside<T> S>                       \
  KOKKOS_FUNCTION dual<T, N> name(const S& a, const dual<T, N>& b) {          \
    using P [[maybe_unused]] = impl::plain<T>;                                \
    const T v(a), &w = b.value, y = name(v, w);                               \
    return impl::chain(b, y, T(by_b));                                        \
  }
QUERN_AUTODIFF_BINARY(pow, impl::power_slope(v, w), impl::power_growth(v, y))
QUERN_AUTODIFF_BINARY(atan2, (w / hypot(v, w)) / hypot(v, w), (-v / hypot(v, w)) / hypot(v, w))
QUERN_AUTODIFF_BINARY(hypot, y == P(0) ? T(P(0)) : T(v / y), y == P(0) ? T(P(0)) : T(w / y))
QUERN_AUTODIFF_BINARY(fmod, P(1), -trunc(v / w))
QUERN_AUTODIFF_BINARY(remainder, P(1), -nearbyint(v / w))
QUERN_AUTODIFF_BINARY(fdim, v > w ? P(1) : P(0), v > w ? P(-1) : P(0))
QUERN_AUTODIFF_BINARY(copysign, signbit(v) == signbit(w) ? P(1) : P(-1), P(0))
#undef QUERN_AUTODIFF_BINARY

/// One of the two, with its derivatives.
#define QUERN_AUTODIFF_CHOICE(name, takes_first)                              \
  template <class T, int N>                                                   \
  KOKKOS_FUNCTION dual<T, N> name(const dual<T, N>& a, const dual<T, N>& b) { \
    return (takes_first) ? a : b;                                             \
  }                                                                           \
  template <class T, int N, impl::constant_beside<T> S>                       \
  KOKKOS_FUNCTION dual<T, N> name(const dual<T, N>& a, const S& b) {          \
    return name(a, dual<T, N>(b));                                            \
  }                                                                           \
  template <class T, int N, impl::constant_beside<T> S>                       \
  KOKKOS_FUNCTION dual<T, N> name(const S& a, const dual<T, N>& b) {          \
    return name(dual<T, N>(a), b);                                            \
  }
QUERN_AUTODIFF_CHOICE(max, !(a < b))
QUERN_AUTODIFF_CHOICE(min, !(b < a))
QUERN_AUTODIFF_CHOICE(fmax, a >= b || isnan(b))  // numbers before NaN
QUERN_AUTODIFF_CHOICE(fmin, a <= b || isnan(b))
#undef QUERN_AUTODIFF_CHOICE

template <class T, int N>
KOKKOS_FUNCTION dual<T, N> fma(const dual<T, N>& a, const dual<T, N>& b, const dual<T, N>& c) {
  dual<T, N> r;
  r.value = fma(a.value, b.value, c.value);
  for (int i = 0; i < N; ++i)
    r.derivative[i] = fma(a.derivative[i], b.value, fma(a.value, b.derivative[i], c.derivative[i]));
  return r;
}

template <class T, int N>
KOKKOS_FUNCTION bool isfinite(const dual<T, N>& a) {
  return isfinite(a.value);
}
template <class T, int N>
KOKKOS_FUNCTION bool isinf(const dual<T, N>& a) {
  return isinf(a.value);
}
template <class T, int N>
KOKKOS_FUNCTION bool isnan(const dual<T, N>& a) {
  return isnan(a.value);
}
template <class T, int N>
KOKKOS_FUNCTION bool signbit(const dual<T, N>& a) {
  return signbit(a.value);
}

}  // namespace quern::autodiff

namespace quern::math {
using autodiff::sin, autodiff::cos, autodiff::sincos;
}

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
    quern::autodiff::copysign, quern::autodiff::isfinite, quern::autodiff::isinf, quern::autodiff::isnan,
    quern::autodiff::signbit;
}  // namespace Kokkos

#endif
