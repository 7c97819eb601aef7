// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_OPERATIONS_HPP
#define QUERN_CORE_OPERATIONS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace quern::impl {

/// A floating-point type narrower than float.
template <class T>
inline constexpr bool is_half =
    std::is_same_v<T, Kokkos::Experimental::half_t> || std::is_same_v<T, Kokkos::Experimental::bhalf_t>;

template <class T>
KOKKOS_FUNCTION bool is_nan(const T& x) {
  if constexpr (std::is_integral_v<T>) return false;
  else return x != x;
}

/// Whether two integer types have different signs, so that the language compares and adds other numbers than it got.
template <class A, class B>
inline constexpr bool mixed_signs =
    std::is_integral_v<A> && std::is_integral_v<B> && std::is_signed_v<A> != std::is_signed_v<B>;

/// a < b of the values themselves, whatever their types: integers of different signs as numbers, and integers beside
/// floating-point numbers in double.
template <class A, class B>
KOKKOS_FORCEINLINE_FUNCTION bool value_less(const A& a, const B& b) {
  if constexpr (mixed_signs<A, B>) {
    if constexpr (std::is_signed_v<A>) return (a < A(0)) | (static_cast<std::make_unsigned_t<A>>(a) < b);
    else return (b >= B(0)) & (a < static_cast<std::make_unsigned_t<B>>(b));
  } else if constexpr (std::is_integral_v<A> && !std::is_integral_v<B> && sizeof(A) >= 4) {
    return static_cast<double>(a) < static_cast<double>(b);
  } else if constexpr (std::is_integral_v<B> && !std::is_integral_v<A> && sizeof(B) >= 4) {
    return static_cast<double>(a) < static_cast<double>(b);
  } else {
    return a < b;
  }
}

/// How many of n elements, of which the first ones satisfy a condition and the others do not, satisfy it: by halves,
/// and without branches, of which hosts would guess half wrong.
template <class T, class Condition>
KOKKOS_FUNCTION std::int64_t partition_point(const T* x, std::int64_t stride, std::int64_t n,
                                             const Condition& condition) {
  std::int64_t point = 0;
  while (n > 0) {
    const std::int64_t half = (n + 1) / 2;
    point += half & -std::int64_t{condition(x[(point + half - 1) * stride])};
    n -= half;
  }
  return point;
}
/// The same of `condition(element, key)` for several keys, for hosts: the searches take the same steps, and none waits
/// for what another loads.
template <int Keys, class T, class Key, class Condition>
KOKKOS_FUNCTION void partition_points(const T* x, std::int64_t stride, std::int64_t n, const Key (&key)[Keys],
                                      std::int64_t (&points)[Keys], const Condition& condition) {
  std::int64_t point[Keys] = {};
  while (n > 0) {
    const std::int64_t half = (n + 1) / 2;
    for (int k = 0; k < Keys; ++k)
      point[k] += half & -std::int64_t{condition(x[(point[k] + half - 1) * stride], key[k])};
    n -= half;
  }
  for (int k = 0; k < Keys; ++k) points[k] = point[k];
}

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Kokkos::complex<T>> = true;

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
using real_type = typename real_of<T>::type;

template <class T>
KOKKOS_FUNCTION real_type<T> real_value(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  else return x.real();
}
template <class T>
KOKKOS_FUNCTION T conjugate(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  else return Kokkos::conj(x);
}
/// |x|^2.
template <class T>
KOKKOS_FUNCTION real_type<T> squared(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return x * x;
  else return x.real() * x.real() + x.imag() * x.imag();
}
/// The absolute value, or the sum of those of the parts of a complex number.
template <class T>
KOKKOS_FUNCTION real_type<T> magnitude(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return Kokkos::abs(x);
  else return Kokkos::abs(x.real()) + Kokkos::abs(x.imag());
}

/// A value in another type. Kokkos's half types convert to each other by way of float alone.
template <class To, class From>
KOKKOS_FUNCTION To convert(const From& x) {
  if constexpr (requires { static_cast<To>(x); }) return static_cast<To>(x);
  else return static_cast<To>(static_cast<float>(x));
}

/// A value that other threads may be changing, perhaps not the latest one. Kokkos's atomic load is an exchange on some
/// devices, and threads that read one place then wait for each other.
template <class T>
KOKKOS_FUNCTION T peek(const T* place) {
  KOKKOS_IF_ON_DEVICE((return *place;))
  KOKKOS_IF_ON_HOST((return *static_cast<const volatile T*>(place);))
}

}  // namespace quern::impl

/// The elementary functions of the named operations, as function objects.
namespace quern::impl::op {

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};
struct add {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct subtract {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a - b;
  }
};
struct multiply {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a * b;
  }
};
/// The quotient of integers rounded towards zero, exact whatever their types; 0 where b is 0.
template <class A, class B>
KOKKOS_FUNCTION std::uint64_t integer_quotient(const A& a, const B& b) {
  const auto magnitude_of = [](auto x) {
    const auto u = static_cast<std::uint64_t>(x);
    return x < 0 ? 0 - u : u;
  };
  if (b == B(0)) return 0;
  const std::uint64_t q = magnitude_of(a) / magnitude_of(b);
  return (a < A(0)) != (b < B(0)) ? 0 - q : q;
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
struct axpy {
  template <class A, class X, class Y>
  KOKKOS_FUNCTION auto operator()(const A& a, const X& x, const Y& y) const {
    return a * x + y;
  }
};

}  // namespace quern::impl::op

#endif
