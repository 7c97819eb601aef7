// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_OPERATIONS_HPP
#define QUERN_CORE_LAUNCH_OPERATIONS_HPP

#include <quern/core/values/values.hpp>

/// The elementary functions of the named operations, as function objects.
namespace quern::impl::op {

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};
struct conjugate {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return quern::impl::conjugate(x);
  }
};
struct not_zero {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return x != T(0);
  }
};
/// Integers wrap around in the type that the language gives the result.
struct add {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    using R = std::remove_cvref_t<decltype(a + b)>;
    if constexpr (is_integer<R>) return wrapping_add(static_cast<R>(a), static_cast<R>(b));
    else return a + b;
  }
};
struct subtract {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    using R = std::remove_cvref_t<decltype(a - b)>;
    if constexpr (is_integer<R>) return wrapping_subtract(static_cast<R>(a), static_cast<R>(b));
    else return a - b;
  }
};
struct multiply {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    using R = std::remove_cvref_t<decltype(a * b)>;
    if constexpr (is_integer<R>) return wrapping_multiply(static_cast<R>(a), static_cast<R>(b));
    else return a * b;
  }
};
/// The quotient of integers rounded towards zero, exact whatever their types; 0 where b is 0.
template <class A, class B>
KOKKOS_FUNCTION std::uint64_t integer_quotient(const A& a, const B& b) {
  const auto magnitude_of = [](auto x) {
    const auto u = static_cast<std::uint64_t>(x);
    return is_negative(x) ? 0 - u : u;
  };
  if (b == B(0)) return 0;
  const std::uint64_t q = magnitude_of(a) / magnitude_of(b);
  return is_negative(a) != is_negative(b) ? 0 - q : q;
}
/// To Out, the value type of the output.
template <class Out>
struct divide {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (!std::is_integral_v<A> || !std::is_integral_v<B>) return a / b;
    else if constexpr (std::is_integral_v<Out>) return static_cast<Out>(integer_quotient(a, b));
    else return static_cast<double>(a) / static_cast<double>(b);
  }
};
template <class Out>
struct where {
  template <class C, class A, class B>
  KOKKOS_FUNCTION Out operator()(const C& c, const A& a, const B& b) const {
    return c ? convert<Out>(a) : convert<Out>(b);
  }
};
/// An operation on the values of its operands: integers of different signs, of which the language would convert one,
/// meet in int64, or, where one has 64 bits and the output is not of integers, in double.
template <class Out, class Operation>
struct of_values {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    if constexpr (!mixed_signs<A, B>) return Operation()(a, b);
    else if constexpr (sizeof(A) <= 4 && sizeof(B) <= 4)
      return Operation()(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    else if constexpr (!std::is_integral_v<Out>) return Operation()(static_cast<double>(a), static_cast<double>(b));
    else return Operation()(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  }
};
template <class Out>
struct axpy {
  template <class A, class X, class Y>
  KOKKOS_FUNCTION auto operator()(const A& a, const X& x, const Y& y) const {
    return of_values<Out, add>()(of_values<Out, multiply>()(a, x), y);
  }
};

}  // namespace quern::impl::op

#endif
