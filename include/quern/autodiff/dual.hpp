// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_AUTODIFF_DUAL_HPP
#define QUERN_AUTODIFF_DUAL_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <type_traits>

namespace quern::autodiff {

template <class T, int N>
struct dual;

namespace impl {

template <class T>
inline constexpr int depth = 0;
template <class T, int N>
inline constexpr int depth<dual<T, N>> = 1 + depth<T>;

/// What is a constant beside numbers whose values are of type T: a number, or a dual number of fewer levels.
template <class S, class T>
concept constant_beside = depth<S> <= depth<T> && std::is_convertible_v<S, T>;

/// The innermost type of numbers.
template <class T>
struct plain_of {
  using type = T;
};
template <class T, int N>
struct plain_of<dual<T, N>> : plain_of<T> {};
template <class T>
using plain = typename plain_of<T>::type;

/// What a constant beside T is taken as: a number without derivatives stays one, so that no zero derivatives of it meet
/// infinities.
template <class S, class T>
using constant_as = std::conditional_t<depth<S> == 0, plain<T>, T>;

/// What a dual number or a constant is in the value of D.
template <class D, class X>
KOKKOS_FUNCTION constexpr auto value_beside(const X& x) {
  if constexpr (depth<X> == depth<D>) return x.value;
  else return constant_as<X, typename D::value_type>(x);
}
/// The value without derivatives of any level.
template <class T>
KOKKOS_FUNCTION constexpr const auto& innermost(const T& x) {
  if constexpr (depth<T> == 0) return x;
  else return innermost(x.value);
}
/// The dual number with that value and the derivatives `derivative(i)`.
template <class D, class Derivative>
KOKKOS_FUNCTION constexpr D with_derivatives(const typename D::value_type& value, const Derivative& derivative) {
  D r;
  r.value = value;
  for (int i = 0; i < D::variables; ++i) r.derivative[i] = derivative(i);
  return r;
}
/// factor * slope, where slope is a derivative: one that is exactly zero makes the product zero, whatever the factor.
/// With `factor_wins`, a factor of zero does so as well.
template <class T>
KOKKOS_FUNCTION constexpr T times(const T& factor, const T& slope, bool factor_wins = false) {
  if constexpr (depth<T> == 0) {
    const T product = factor * slope;
    return slope == T(0) || (factor_wins && factor == T(0)) ? T(0) : product;
  } else {
    return with_derivatives<T>(times(factor.value, slope.value, factor_wins), [&](int k) {
      return times(factor.value, slope.derivative[k], factor_wins) + times(slope.value, factor.derivative[k], true);
    });
  }
}
/// slope / divisor likewise; the divisor may be a number without derivatives.
template <class T, class S>
KOKKOS_FUNCTION constexpr T over(const T& slope, const S& divisor) {
  if constexpr (depth<T> == 0) {
    const T quotient = slope / divisor;
    return slope == T(0) ? T(0) : quotient;
  } else if constexpr (depth<S> == 0) {
    return with_derivatives<T>(over(slope.value, divisor), [&](int k) { return over(slope.derivative[k], divisor); });
  } else {
    const auto value = over(slope.value, divisor.value);
    return with_derivatives<T>(
        value, [&](int k) { return over(slope.derivative[k] - times(value, divisor.derivative[k]), divisor.value); });
  }
}

/// The dual number among those types that has the most levels, where the others are constants beside it or of its type.
template <class... X>
struct widest;
template <class A>
struct widest<A> {
  using type = A;
};
template <class A, class B, class... Rest>
struct widest<A, B, Rest...> : widest<std::conditional_t<(depth<A> >= depth<B>), A, B>, Rest...> {};
template <class... X>
using widest_of = typename widest<X...>::type;
template <class... X>
concept with_dual = (depth<widest_of<X...>> > 0) && (std::is_convertible_v<X, widest_of<X...>> && ...);

}  // namespace impl

/// A number and its partial derivatives with respect to N variables, which arithmetic and elementary functions carry
/// along by the chain rule (forward mode; Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
///
/// @code
/// using number = quern::dual<double, 2>;
/// const auto x = number::variable(3.0, 0), y = number::variable(0.5, 1);
/// const number f = x * sin(y);  // f.value is 3 sin(0.5), f.partial(0) sin(0.5), f.partial(1) 3 cos(0.5)
/// @endcode
///
/// Derivatives are exact except for rounding: each is as accurate as the formula that one would write by hand. In
/// functions and quotients a derivative that is exactly zero stays zero beside an infinite slope: that of `sqrt(x) + y`
/// by y at x = 0 is 1. Products have no such rule, which would make them several times as slow: zero times infinity is
/// NaN in them, as in `x * sqrt(x)` and `exp(log(x))` at x = 0.
///
/// Numbers convert to constants, whose derivatives are zero, and mix with dual numbers. Comparisons compare values. The
/// type is trivially copyable, of 1 + N values, and may be the element of a View; `dual<dual<T, N>, N>` has second
/// derivatives.
///
/// @tparam T float, double, or a dual number
template <class T, int N>
struct dual {
  static_assert(N > 0, "quern::dual: at least one variable");
  using value_type = T;
  static constexpr int variables = N;

  T value;
  T derivative[N];

  dual() = default;
  /// A constant.
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION constexpr dual(const S& constant) : value(constant), derivative{} {}
  /// The variable of that number, whose derivative with respect to itself is 1.
  KOKKOS_FUNCTION static constexpr dual variable(const T& v, int number) {
    dual x(v);
    x.derivative[number] = T(1);
    return x;
  }
  /// The value, without derivatives.
  template <class S>
    requires std::is_arithmetic_v<S>
  KOKKOS_FUNCTION explicit constexpr operator S() const {
    return static_cast<S>(value);
  }

  KOKKOS_FUNCTION constexpr const T& partial(int number) const { return derivative[number]; }

  KOKKOS_FUNCTION friend constexpr dual operator+(const dual& a) { return a; }
  KOKKOS_FUNCTION friend constexpr dual operator-(const dual& a) {
    return impl::with_derivatives<dual>(-a.value, [&](int i) { return -a.derivative[i]; });
  }

  KOKKOS_FUNCTION friend constexpr dual operator+(const dual& a, const dual& b) {
    return impl::with_derivatives<dual>(a.value + b.value, [&](int i) { return a.derivative[i] + b.derivative[i]; });
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator+(dual a, const S& b) {
    a.value += T(b);
    return a;
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator+(const S& a, const dual& b) {
    return b + a;
  }

  KOKKOS_FUNCTION friend constexpr dual operator-(const dual& a, const dual& b) {
    return impl::with_derivatives<dual>(a.value - b.value, [&](int i) { return a.derivative[i] - b.derivative[i]; });
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator-(dual a, const S& b) {
    a.value -= T(b);
    return a;
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator-(const S& a, const dual& b) {
    return impl::with_derivatives<dual>(T(a) - b.value, [&](int i) { return -b.derivative[i]; });
  }

  KOKKOS_FUNCTION friend constexpr dual operator*(const dual& a, const dual& b) {
    return impl::with_derivatives<dual>(a.value * b.value,
                                        [&](int i) { return a.value * b.derivative[i] + b.value * a.derivative[i]; });
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator*(const dual& a, const S& b) {
    const impl::constant_as<S, T> factor(b);
    return impl::with_derivatives<dual>(a.value * factor, [&](int i) { return factor * a.derivative[i]; });
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator*(const S& a, const dual& b) {
    return b * a;
  }

  KOKKOS_FUNCTION friend constexpr dual operator/(const dual& a, const dual& b) {
    const T quotient = a.value / b.value;
    return impl::with_derivatives<dual>(quotient, [&](int i) {
      return impl::over(T(a.derivative[i] - impl::times(quotient, b.derivative[i])), b.value);
    });
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator/(const dual& a, const S& b) {
    const impl::constant_as<S, T> divisor(b);
    return impl::with_derivatives<dual>(a.value / divisor, [&](int i) { return impl::over(a.derivative[i], divisor); });
  }
  template <impl::constant_beside<T> S>
  KOKKOS_FUNCTION friend constexpr dual operator/(const S& a, const dual& b) {
    const T quotient = impl::constant_as<S, T>(a) / b.value;
    return impl::with_derivatives<dual>(
        quotient, [&](int i) { return impl::over(T(-impl::times(quotient, b.derivative[i])), b.value); });
  }

  template <std::convertible_to<dual> S>
  KOKKOS_FUNCTION constexpr dual& operator+=(const S& b) {
    return *this = *this + b;
  }
  template <std::convertible_to<dual> S>
  KOKKOS_FUNCTION constexpr dual& operator-=(const S& b) {
    return *this = *this - b;
  }
  template <std::convertible_to<dual> S>
  KOKKOS_FUNCTION constexpr dual& operator*=(const S& b) {
    return *this = *this * b;
  }
  template <std::convertible_to<dual> S>
  KOKKOS_FUNCTION constexpr dual& operator/=(const S& b) {
    return *this = *this / b;
  }
};

/// Of the values of two numbers, of which one may be a constant.
#define QUERN_AUTODIFF_COMPARISON(op)                                  \
  template <class A, class B>                                          \
    requires impl::with_dual<A, B>                                     \
  KOKKOS_FUNCTION constexpr bool operator op(const A& a, const B& b) { \
    using D = impl::widest_of<A, B>;                                   \
    return D(a).value op D(b).value;                                   \
  }
QUERN_AUTODIFF_COMPARISON(==)
QUERN_AUTODIFF_COMPARISON(!=)
QUERN_AUTODIFF_COMPARISON(<)
QUERN_AUTODIFF_COMPARISON(>)
QUERN_AUTODIFF_COMPARISON(<=)
QUERN_AUTODIFF_COMPARISON(>=)
#undef QUERN_AUTODIFF_COMPARISON

}  // namespace quern::autodiff

namespace quern {
using autodiff::dual;
}

#endif
