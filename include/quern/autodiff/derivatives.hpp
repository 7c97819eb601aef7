// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_AUTODIFF_DERIVATIVES_HPP
#define QUERN_AUTODIFF_DERIVATIVES_HPP

#include <quern/autodiff/functions.hpp>

namespace quern {

/// A value and its derivatives with respect to N variables.
template <class T, int N>
struct value_and_gradient_result {
  T value;
  Kokkos::Array<T, N> gradient;
};
/// M values and their derivatives: `jacobian[i][j]` is that of value i with respect to variable j.
template <class T, int M, int N>
struct value_and_jacobian_result {
  Kokkos::Array<T, M> value;
  Kokkos::Array<Kokkos::Array<T, N>, M> jacobian;
};
/// A value or several, and their derivative in a direction.
template <class V>
struct jvp_result {
  V value, tangent;
};

namespace autodiff::impl {

/// The type in which functions of these arguments are differentiated: that of the floating-point ones together; double
/// where all are integers.
template <class... X>
using common_type = std::common_type_t<std::conditional_t<std::is_integral_v<X>, double, X>...>;

template <class T>
inline constexpr int array_size = 0;
template <class T, std::size_t N>
inline constexpr int array_size<Kokkos::Array<T, N>> = static_cast<int>(N);
template <class T>
concept array = array_size<T> > 0;

/// The variables that f is called with.
template <class D, class T, std::size_t N>
KOKKOS_FUNCTION Kokkos::Array<D, N> variables(const Kokkos::Array<T, N>& x) {
  Kokkos::Array<D, N> v;
  for (std::size_t i = 0; i < N; ++i) v[i] = D::variable(x[i], static_cast<int>(i));
  return v;
}

template <class T, int N>
KOKKOS_FUNCTION value_and_gradient_result<T, N> split(const dual<T, N>& f) {
  value_and_gradient_result<T, N> r;
  r.value = f.value;
  for (int i = 0; i < N; ++i) r.gradient[i] = f.derivative[i];
  return r;
}

template <class T, int N, class F, std::size_t... I, class... X>
KOKKOS_FUNCTION dual<T, N> call_with_variables(const F& f, std::index_sequence<I...>, const X&... x) {
  return f(dual<T, N>::variable(static_cast<T>(x), static_cast<int>(I))...);
}

}  // namespace autodiff::impl

/// The value of `f(x...)` and its partial derivatives, by one call of f with dual numbers.
///
/// @param f a function of numbers of any type, as a generic lambda: `[](auto x, auto y) { return x * sin(y); }`
/// @param x the numbers; derivatives are in their common floating-point type
///
/// May be called in any kernel, as all functions of this header.
template <class F, class... X>
  requires(sizeof...(X) > 0 && !(autodiff::impl::array<X> || ...))
KOKKOS_FUNCTION auto value_and_gradient(const F& f, const X&... x) {
  using T = autodiff::impl::common_type<X...>;
  constexpr int n = sizeof...(X);
  return autodiff::impl::split(autodiff::impl::call_with_variables<T, n>(f, std::index_sequence_for<X...>(), x...));
}
/// The same of a function of a `Kokkos::Array`.
template <class F, class T, std::size_t N>
KOKKOS_FUNCTION value_and_gradient_result<T, N> value_and_gradient(const F& f, const Kokkos::Array<T, N>& x) {
  using D = dual<T, static_cast<int>(N)>;
  return autodiff::impl::split(D(f(autodiff::impl::variables<D>(x))));
}

/// The values and the Jacobian matrix of a function that takes and returns a `Kokkos::Array`.
template <class F, class T, std::size_t N>
KOKKOS_FUNCTION auto value_and_jacobian(const F& f, const Kokkos::Array<T, N>& x) {
  using D = dual<T, static_cast<int>(N)>;
  const auto y = f(autodiff::impl::variables<D>(x));
  constexpr int m = autodiff::impl::array_size<std::remove_const_t<decltype(y)>>;
  static_assert(m > 0, "quern::value_and_jacobian: f must return a Kokkos::Array");
  value_and_jacobian_result<T, m, static_cast<int>(N)> r;
  for (int i = 0; i < m; ++i) {
    const auto row = autodiff::impl::split(D(y[i]));
    r.value[i] = row.value;
    r.jacobian[i] = row.gradient;
  }
  return r;
}
/// The Jacobian matrix alone: element `[i][j]` is the derivative of value i with respect to variable j.
template <class F, class T, std::size_t N>
KOKKOS_FUNCTION auto jacobian(const F& f, const Kokkos::Array<T, N>& x) {
  return value_and_jacobian(f, x).jacobian;
}

/// The second derivatives of a function of a `Kokkos::Array` that returns a number, by nested dual numbers: N^2 times
/// the work of a call of f.
template <class F, class T, std::size_t N>
KOKKOS_FUNCTION Kokkos::Array<Kokkos::Array<T, N>, N> hessian(const F& f, const Kokkos::Array<T, N>& x) {
  using D = dual<T, static_cast<int>(N)>;
  using DD = dual<D, static_cast<int>(N)>;
  const DD y = f(autodiff::impl::variables<DD>(autodiff::impl::variables<D>(x)));
  Kokkos::Array<Kokkos::Array<T, N>, N> h;
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < N; ++j) h[i][j] = y.derivative[i].derivative[j];
  return h;
}
/// The same of a function of several numbers.
template <class F, class... X>
  requires(sizeof...(X) > 0 && !(autodiff::impl::array<X> || ...))
KOKKOS_FUNCTION auto hessian(const F& f, const X&... x) {
  using T = autodiff::impl::common_type<X...>;
  const auto of_array = [&]<class A>(const A& a) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return f(a[I]...); }(std::index_sequence_for<X...>());
  };
  return hessian(of_array, Kokkos::Array<T, sizeof...(X)>{static_cast<T>(x)...});
}

/// The value of `f(x)` and its derivative in the direction v (Jacobian-vector product), at the price of two calls of f
/// whatever the number of variables. f takes a number or a `Kokkos::Array`, and returns one.
template <class F, class X>
KOKKOS_FUNCTION auto jvp(const F& f, const X& x, const X& v) {
  using autodiff::impl::array_size;
  const auto along = [](const auto& value, const auto& direction) {
    dual<std::remove_cvref_t<decltype(value)>, 1> d(value);
    d.derivative[0] = direction;
    return d;
  };
  const auto result = [&](const auto& y) {
    if constexpr (autodiff::impl::array<std::remove_cvref_t<decltype(y)>>) {
      constexpr std::size_t m = array_size<std::remove_cvref_t<decltype(y)>>;
      using T = typename std::remove_cvref_t<decltype(y[0])>::value_type;
      jvp_result<Kokkos::Array<T, m>> r;
      for (std::size_t i = 0; i < m; ++i) {
        r.value[i] = y[i].value;
        r.tangent[i] = y[i].derivative[0];
      }
      return r;
    } else {
      return jvp_result<typename std::remove_cvref_t<decltype(y)>::value_type>{y.value, y.derivative[0]};
    }
  };
  if constexpr (autodiff::impl::array<X>) {
    constexpr std::size_t n = array_size<X>;
    Kokkos::Array<dual<std::remove_cvref_t<decltype(x[0])>, 1>, n> d;
    for (std::size_t i = 0; i < n; ++i) d[i] = along(x[i], v[i]);
    return result(f(d));
  } else {
    return result(f(along(x, v)));
  }
}

/// A function that returns the value of f and its partial derivatives as a `Kokkos::Array` of 1 + N numbers, for
/// operations with several outputs:
///
/// @code
/// quern::map(exec, quern::outputs(y, dy_da, dy_db), quern::with_gradient(f), a, b);
/// @endcode
template <class F>
struct with_gradient {
  F f;
  explicit with_gradient(const F& function) : f(function) {}
  template <class... X>
  KOKKOS_FUNCTION auto operator()(const X&... x) const {
    const auto r = value_and_gradient(f, x...);
    using T = std::remove_const_t<decltype(r.value)>;
    Kokkos::Array<T, 1 + sizeof...(X)> all;
    all[0] = r.value;
    for (std::size_t i = 0; i < sizeof...(X); ++i) all[i + 1] = r.gradient[i];
    return all;
  }
};

}  // namespace quern

#endif
