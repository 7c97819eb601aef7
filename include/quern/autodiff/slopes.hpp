// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_AUTODIFF_SLOPES_HPP
#define QUERN_AUTODIFF_SLOPES_HPP

/// @file
/// The chain rule, and derivatives of elementary functions. A derivative whose own derivative would cancel, overflow or
/// be zero times infinity, if it were taken of the expression, states it: `one_minus_square` and the like.

#include <quern/autodiff/dual.hpp>
#include <quern/map/math.hpp>

namespace quern::autodiff {

// The functions of plain numbers, so that one name serves values at every level.
using Kokkos::abs, Kokkos::fabs, Kokkos::fmod, Kokkos::remainder, Kokkos::fma, Kokkos::fmax, Kokkos::fmin, Kokkos::fdim,
    Kokkos::exp, Kokkos::exp2, Kokkos::expm1, Kokkos::log, Kokkos::log10, Kokkos::log2, Kokkos::log1p, Kokkos::pow,
    Kokkos::sqrt, Kokkos::rsqrt, Kokkos::cbrt, Kokkos::hypot, Kokkos::sin, Kokkos::cos, quern::math::sincos,
    Kokkos::tan, Kokkos::asin, Kokkos::acos, Kokkos::atan, Kokkos::atan2, Kokkos::sinh, Kokkos::cosh, Kokkos::tanh,
    Kokkos::asinh, Kokkos::acosh, Kokkos::atanh, Kokkos::erf, Kokkos::erfc, Kokkos::tgamma, Kokkos::lgamma,
    Kokkos::ceil, Kokkos::floor, Kokkos::trunc, Kokkos::round, Kokkos::nearbyint, Kokkos::logb, Kokkos::nextafter,
    Kokkos::copysign, Kokkos::isfinite, Kokkos::isinf, Kokkos::isnan, Kokkos::signbit;

namespace impl {

/// g(a), where g has that value and that derivative.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> chain(const dual<T, N>& a, const T& value, const T& derivative) {
  return with_derivatives<dual<T, N>>(value, [&](int i) { return times(derivative, a.derivative[i]); });
}
/// g(a, b), where g has that value and those derivatives.
template <class T, int N>
KOKKOS_FUNCTION dual<T, N> chain(const dual<T, N>& a, const dual<T, N>& b, const T& value, const T& by_a,
                                 const T& by_b) {
  return with_derivatives<dual<T, N>>(
      value, [&](int i) { return times(by_a, a.derivative[i]) + times(by_b, b.derivative[i]); });
}

inline constexpr double pi = 3.14159265358979323846, ln_2 = 0.69314718055994530942, ln_10 = 2.30258509299404568402,
                        two_by_root_pi = 1.12837916709551257390;

/// The sign, and zero at zero.
template <class T>
KOKKOS_FUNCTION T sign(const T& x) {
  using P = plain<T>;
  return x > P(0) ? T(P(1)) : x < P(0) ? T(P(-1)) : x == P(0) ? T(P(0)) : x;
}

/// 1 - x^2, accurate near -1 and 1; the derivative of (1 - x) (1 + x) would cancel near 0.
template <class T>
KOKKOS_FUNCTION T one_minus_square(const T& x) {
  using P = plain<T>;
  if constexpr (depth<T> == 0) return (P(1) - x) * (P(1) + x);
  else return chain(x, one_minus_square(x.value), typename T::value_type(P(-2) * x.value));
}
/// 1 / (1 + x^2), also where x^2 overflows.
template <class T>
KOKKOS_FUNCTION T inverse_one_plus_square(const T& x) {
  using P = plain<T>;
  if constexpr (depth<T> == 0) {
    return P(1) / (P(1) + x * x);
  } else {
    using V = typename T::value_type;
    const V y = inverse_one_plus_square(x.value);
    return chain(x, y, V(P(-2) * times(x.value, y) * y));
  }
}
/// 1 / cosh(x)^2, also where cosh overflows.
template <class T>
KOKKOS_FUNCTION T sech_square(const T& x) {
  using P = plain<T>;
  if constexpr (depth<T> == 0) {
    const T y = P(1) / cosh(x);
    return y * y;
  } else {
    using V = typename T::value_type;
    const V y = sech_square(x.value);
    return chain(x, y, V(P(-2) * tanh(x.value) * y));
  }
}
/// exp(-x^2). What rounding takes from the square counts in the exponent, as squares are large.
template <class T>
KOKKOS_FUNCTION T exp_minus_square(const T& x) {
  using P = plain<T>;
  if constexpr (depth<T> == 0) {
    const T square = x * x, y = exp(-square);
    return y == P(0) ? y : y - y * fma(x, x, -square);
  } else {
    using V = typename T::value_type;
    const V y = exp_minus_square(x.value);
    return chain(x, y, V(P(-2) * times(x.value, y)));
  }
}

/// The logarithmic derivative of the gamma function: recurrence up to 10, then the asymptotic series (Abramowitz and
/// Stegun 6.3.5, 6.3.7, 6.3.18).
template <class T>
KOKKOS_FUNCTION T digamma(T x) {
  using P = plain<T>;
  T sum(P(0));
  if (x < P(0.5)) {
    if (x == floor(x)) return T(Kokkos::Experimental::quiet_NaN<P>::value);  // poles
    // The distance from the nearest pole is exact, that from the pole below is not.
    const T angle = P(pi) * (x - nearbyint(x));
    sum = P(-pi) * cos(angle) / sin(angle);  // not 1 / tan, whose derivatives cancel half-way between poles
    x = P(1) - x;
  }
  for (; x < P(10); x += P(1)) sum -= P(1) / x;
  const T inverse = P(1) / x, s = inverse * inverse;
  const T tail =
      P(1.0 / 12) -
      s * (P(1.0 / 120) - s * (P(1.0 / 252) - s * (P(1.0 / 240) - s * (P(1.0 / 132) - s * P(691.0 / 32760)))));
  return sum + log(x) - P(0.5) * inverse - s * tail;
}

/// b a^(b - 1), the derivative of a power by its base; b is of a's type, or a plain number.
template <class T, class S>
KOKKOS_FUNCTION T power_slope(const T& a, const S& b);
/// a^(b - 1) (1 + b log(a)), the derivative by both.
template <class T>
KOKKOS_FUNCTION T power_cross(const T& a, const T& b) {
  using P = plain<T>;
  return times(T(P(1) + times(b, T(log(a)), !(a < P(0)))), T(pow(a, b - P(1))));
}
template <class T, class S>
KOKKOS_FUNCTION T power_slope(const T& a, const S& b) {
  using P = plain<T>;
  if constexpr (depth<S> == 0) {
    if (b == P(0)) return T(P(0));
    const T power = pow(a, b - P(1));
    return isinf(b) ? times(T(b), power) : T(b * power);
  } else {
    const auto &v = a.value, &w = b.value;
    return chain(a, b, power_slope(v, w), times(w, power_slope(v, std::remove_cvref_t<decltype(w)>(w - P(1))), true),
                 power_cross(v, w));
  }
}
/// a^b log(a), the derivative of a power by its exponent.
template <class T>
KOKKOS_FUNCTION T power_growth(const T& a, const T& b, const T& power) {
  using P = plain<T>;
  if constexpr (depth<T> == 0) {
    return power == P(0) && a >= P(0) ? P(0) : power * log(a);
  } else {
    const auto growth = power_growth(a.value, b.value, power.value);
    return chain(a, b, growth, power_cross(a.value, b.value),
                 times(std::remove_const_t<decltype(growth)>(log(a.value)), growth));
  }
}

/// x[i] / hypot(x[0], ...), the derivatives of the hypotenuse r: zero at its kink, where all are zero. Their own
/// derivatives, `(delta_ij - c[i] c[j]) / r`, are written with squares alone, which do not cancel.
template <int M, class T>
KOKKOS_FUNCTION void cosines(const T (&x)[M], const T& r, T (&c)[M]) {
  using P = plain<T>;
  if constexpr (depth<T> == 0) {
    int infinite = 0;
    for (int i = 0; i < M; ++i) infinite += isinf(x[i]) ? 1 : 0;
    const P scale = isinf(r) ? P(0.25) : P(1);  // where the hypotenuse of finite sides overflows
    P size = isinf(r) ? P(0) : r;
    for (int i = 0; i < M && isinf(r); ++i) size = hypot(size, scale * x[i]);
    for (int i = 0; i < M; ++i) {
      if (infinite > 0) c[i] = isinf(x[i]) ? copysign(P(1) / sqrt(P(infinite)), x[i]) : P(0);
      else c[i] = r == P(0) ? P(0) : scale * x[i] / size;
    }
  } else {
    using V = typename T::value_type;
    V value[M], cosine[M];
    for (int i = 0; i < M; ++i) value[i] = x[i].value;
    cosines(value, r.value, cosine);
    const bool kink = r.value == P(0);
    for (int i = 0; i < M; ++i) {
      c[i] = T(cosine[i]);
      for (int j = 0; j < M && !kink; ++j) {
        V numerator(P(0));
        if (i != j) numerator = -cosine[i] * cosine[j];
        for (int k = 0; i == j && k < M; ++k)
          if (k != i) numerator += cosine[k] * cosine[k];
        const V slope = numerator / r.value;
        for (int n = 0; n < T::variables; ++n) c[i].derivative[n] += times(slope, x[j].derivative[n]);
      }
    }
  }
}

/// The whole number q of `v = q w + y`, where y is the remainder of a division.
template <class T>
KOKKOS_FUNCTION T whole_quotient(const T& v, const T& w, const T& y) {
  return T(nearbyint((innermost(v) - innermost(y)) / innermost(w)));
}

}  // namespace impl
}  // namespace quern::autodiff

#endif
