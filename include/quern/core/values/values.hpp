// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VALUES_VALUES_HPP
#define QUERN_CORE_VALUES_VALUES_HPP

#include <Kokkos_Core.hpp>
#include <limits>
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

template <class T>
KOKKOS_FUNCTION bool is_negative(const T& x) {
  if constexpr (std::is_unsigned_v<T>) return false;  // as compilers say of a comparison
  else return x < T(0);
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
  if constexpr (is_complex<T>) return Kokkos::conj(x);
  else return x;
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

/// Whether T holds every value of V, of numbers of either kind (integers rounded, where T is floating). A number holds
/// those of a class that converts to it by itself, as dual numbers do not; other types are not checked.
template <class T, class V>
consteval bool holds_values() {
  if constexpr (is_complex<T>) return holds_values<real_type<T>, real_type<V>>();
  else if constexpr (is_complex<V>) return false;
  else if constexpr (std::is_integral_v<T> && std::is_integral_v<V>)
    return std::numeric_limits<T>::digits >= std::numeric_limits<V>::digits &&
           (std::is_signed_v<T> || !std::is_signed_v<V>);
  else if constexpr (std::is_integral_v<T>) return !(std::is_floating_point_v<V> || is_half<V>);
  else if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<V>) return sizeof(T) >= sizeof(V);
  else if constexpr (is_half<T>) return !(std::is_floating_point_v<V> || (is_half<V> && !std::is_same_v<T, V>));
  else if constexpr (std::is_arithmetic_v<T> && std::is_class_v<V> && !is_half<V>) return std::is_convertible_v<V, T>;
  else return true;
}
template <class T, class V>
inline constexpr bool holds = holds_values<T, V>();

/// The type of the components of a `Kokkos::Array`, and of other values themselves; how many an Array has, 0 for
/// others.
template <class T>
struct components_of {
  using type = T;
  static constexpr std::size_t count = 0;
};
template <class T, std::size_t N>
struct components_of<Kokkos::Array<T, N>> {
  using type = T;
  static constexpr std::size_t count = N;
};
template <class T>
using component_type = typename components_of<T>::type;
template <class T>
inline constexpr std::size_t component_count = components_of<T>::count;
/// The type like T, an Array or a single value, with components of another type.
template <class T, class Component>
struct with_component {
  using type = Component;
};
template <class T, std::size_t N, class Component>
struct with_component<Kokkos::Array<T, N>, Component> {
  using type = Kokkos::Array<Component, N>;
};

template <class From, class To>
inline constexpr bool converts = requires(const From& x) { static_cast<To>(x); } ||
                                 requires(const From& x) { static_cast<To>(static_cast<float>(x)); };
template <class From, class To, std::size_t N>
  requires(!std::is_same_v<From, To>)
inline constexpr bool converts<Kokkos::Array<From, N>, Kokkos::Array<To, N>> = converts<From, To>;

/// A value in another type, an Array component by component. Kokkos's half types convert to each other by way of float
/// alone.
template <class To, class From>
KOKKOS_FUNCTION To convert_components(const From& x);
template <class To, class From>
KOKKOS_FUNCTION To convert(const From& x) {
  static_assert(converts<From, To>,
                "quern: the values do not convert to the output's type, as complex numbers to real ones");
  if constexpr (requires { static_cast<To>(x); }) return static_cast<To>(x);
  else if constexpr (converts<From, To> && component_count<To> > 0) return convert_components<To>(x);
  else if constexpr (converts<From, To>) return static_cast<To>(static_cast<float>(x));
  else return To();
}

/// The same without a copy of what has that type.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) converted(const From& x) {
  if constexpr (std::is_same_v<To, From>) return (x);
  else return convert<To>(x);
}
template <class To, class From>
KOKKOS_FUNCTION To convert_components(const From& x) {
  To result;
  for (std::size_t c = 0; c < component_count<To>; ++c) result[c] = convert<component_type<To>>(x[c]);
  return result;
}

/// Whether values of T are positions or numbers in an integer type: bool holds neither.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The unsigned type by way of which integers wrap around: of 32 bits at least, as narrower ones become int.
template <class T>
using wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
/// a + b and a * b, which wrap around for integers.
template <class T>
KOKKOS_FUNCTION T wrapping_add(const T& a, const T& b) {
  if constexpr (is_integer<T>) return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
  else return a + b;
}
template <class T>
KOKKOS_FUNCTION T wrapping_multiply(const T& a, const T& b) {
  if constexpr (is_integer<T>) return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
  else return a * b;
}

template <class T>
KOKKOS_FUNCTION T wrapping_subtract(const T& a, const T& b) {
  if constexpr (is_integer<T>) return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
  else return a - b;
}
/// sum += a b, which wraps around for integers.
template <class S, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION void add_product(S& sum, const A& a, const B& b) {
  if constexpr (is_integer<S> && is_integer<A> && is_integer<B>)
    sum = wrapping_add(sum, wrapping_multiply(static_cast<S>(a), static_cast<S>(b)));
  else sum += a * b;
}

/// Whether values have an order.
template <class T>
inline constexpr bool has_order = !is_complex<T> && component_count<T> == 0;

/// Whether values of C hold products of values of A and B: complex ones do not fit real numbers.
template <class C, class A, class B>
inline constexpr bool holds_product = is_complex<C> || !(is_complex<A> || is_complex<B>);

/// A value that other threads may be changing, perhaps not the latest one. Kokkos's atomic load is an exchange on some
/// devices, and threads that read one address then wait for each other.
template <class T>
KOKKOS_FUNCTION T peek(const T* address) {
  KOKKOS_IF_ON_DEVICE((return *address;))
  KOKKOS_IF_ON_HOST((return *static_cast<const volatile T*>(address);))
}

template <class Wanted, class Default>
struct wanted_result {
  static constexpr bool fits =
      converts<Default, Wanted> && (!std::is_integral_v<Wanted> || std::is_integral_v<Default>);
  static_assert(
      fits,
      "quern: the result of a reduction or a scan does not fit the type that the call asks for: complex numbers "
      "need a complex type, and real numbers a real one");
  using type = std::conditional_t<fits, Wanted, Default>;  // one error is enough
};
template <class Default>
struct wanted_result<void, Default> {
  using type = Default;
};
/// The type that a caller asks for, or another where that is void.
template <class Wanted, class Default>
using result_or = typename wanted_result<Wanted, Default>::type;

}  // namespace quern::impl

#endif
