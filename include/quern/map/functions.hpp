// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_FUNCTIONS_HPP
#define QUERN_MAP_FUNCTIONS_HPP

/// @file
/// The everyday elementwise operations, each one line over `map`: broadcasting, scalars, layouts, aliasing, errors and
/// asynchrony are those of `quern::map`. Integers of different signs are added, subtracted and multiplied as the
/// numbers that they are, as in NumPy, and not as one that the language converts to unsigned. Integers wrap around in
/// the type of the language's result, int for narrower ones, before they are converted to out's.
///
/// A scalar is weak, as a number of Python is in NumPy 2: beside arrays of floating-point or complex numbers it is
/// converted to their type before anything is computed. `multiply(out, x, 0.5)` of arrays of float computes in float,
/// of complex<float> with a factor of that type, though 0.5 is a double. Beside an array of integers it keeps its own
/// type, so that 0.5 makes them double. A View of rank 0 is an array, and keeps its type, too. A functor in
/// `quern::map` gets each scalar as it is.
///
/// With `mask{m}` `fill`, `add`, `subtract`, `multiply`, `divide`, `where` and `axpy` leave the elements of `out` as
/// they are where m is zero, as NumPy's functions with `where=`.

#include <algorithm>
#include <quern/core/launch/operations.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl {
/// A scalar, or an array that is read when the operation runs.
template <class T>
concept fill_value = scalar_value<T> || array_like<T> || uncopyable<T>::value;

/// The bytes of an array's real numbers; none of a scalar, and -1 of all else.
template <class V>
constexpr int bytes_of_reals() {
  if constexpr (scalar_value<V>) {
    return 0;
  } else if constexpr (any_array<V>) {
    using real = real_type<value_of<V>>;
    return std::is_floating_point_v<real> ? static_cast<int>(sizeof(real)) : -1;
  } else {
    return -1;
  }
}
/// The real type that scalars beside these operands take: that of the widest array, where all are of floating-point or
/// complex numbers, and else void.
template <class... In>
constexpr auto find_weak_type() {
  constexpr int widest = std::min({bytes_of_reals<In>()...}) < 0 ? 0 : std::max({bytes_of_reals<In>()...});
  if constexpr (widest == sizeof(float)) return std::type_identity<float>();
  else if constexpr (widest == sizeof(double)) return std::type_identity<double>();
  else return std::type_identity<void>();
}
/// An operand: as it is, except for a number beside arrays of numbers with real parts R.
template <class R, class V>
decltype(auto) weakly(const V& v) {
  if constexpr (std::is_void_v<R> || !scalar_value<V>) return (v);
  else if constexpr (std::is_arithmetic_v<V>) return static_cast<R>(v);
  else if constexpr (is_complex<V>) return Kokkos::complex<R>(v);
  else return (v);
}

/// `out = f(in...)` of an operation in which scalars are weak.
template <class Exec, class Out, class F, class... In, class... Options>
void weak_map_call(const operation_name& label, const Exec& exec, const Out& out, const F& f,
                   const std::tuple<const In&...>& inputs, const Options&... options) {
  using real = typename decltype(find_weak_type<In...>())::type;
  const auto run = [&](const auto&... in) { map_call(label, exec, out, f, std::tie(in...), options...); };
  unpack([&](const auto&... in) { run(weakly<real>(in)...); }, inputs);
}
}  // namespace impl

/// `out = value`, the value converted to out's type: a scalar, or a View of rank 0 that `exec` reaches, whose value is
/// read when the operation runs. What has extents, or is computed from positions, is written by `copy` or `map`.
template <execution_space Exec, output_like Out, impl::fill_value T, call_option<mask_t>... Options>
void fill(const Exec& exec, const Out& out, const T& value, const Options&... options) {
  constexpr bool one = scalar_value<T> || impl::may_have_rank<T, 0, 0>;
  static_assert(one, "quern::fill: a View as the value must have rank 0; quern::copy writes what broadcasts");
  if constexpr (one) {
    if constexpr (array_like<T>)
      impl::check_extents("quern::fill", "value", impl::operand_extents("quern::fill", value), shape{});
    impl::map_call("quern::fill", exec, out, impl::op::identity(), std::tie(value), options...);
  }
}
template <output_like Out, impl::fill_value T, call_option<mask_t>... Options>
void fill(const Out& out, const T& value, const Options&... options) {
  fill(impl::space_of(out), out, value, options...);
}
QUERN_TAKES_NAME(fill)

/// `out = a + b`.
template <execution_space Exec, result_view Out, class A, class B, call_option<mask_t>... Options>
void add(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  impl::weak_map_call("quern::add", exec, out, impl::op::of_values<impl::value_of<Out>, impl::op::add>(),
                      std::tie(a, b), options...);
}
template <result_view Out, class A, class B, call_option<mask_t>... Options>
void add(const Out& out, const A& a, const B& b, const Options&... options) {
  add(impl::space_of(out, a, b), out, a, b, options...);
}
QUERN_TAKES_NAME(add)

/// `out = a - b`.
template <execution_space Exec, result_view Out, class A, class B, call_option<mask_t>... Options>
void subtract(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  impl::weak_map_call("quern::subtract", exec, out, impl::op::of_values<impl::value_of<Out>, impl::op::subtract>(),
                      std::tie(a, b), options...);
}
template <result_view Out, class A, class B, call_option<mask_t>... Options>
void subtract(const Out& out, const A& a, const B& b, const Options&... options) {
  subtract(impl::space_of(out, a, b), out, a, b, options...);
}
QUERN_TAKES_NAME(subtract)

/// `out = a * b`, element by element.
template <execution_space Exec, result_view Out, class A, class B, call_option<mask_t>... Options>
void multiply(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  impl::weak_map_call("quern::multiply", exec, out, impl::op::of_values<impl::value_of<Out>, impl::op::multiply>(),
                      std::tie(a, b), options...);
}
template <result_view Out, class A, class B, call_option<mask_t>... Options>
void multiply(const Out& out, const A& a, const B& b, const Options&... options) {
  multiply(impl::space_of(out, a, b), out, a, b, options...);
}
QUERN_TAKES_NAME(multiply)

/// `out = a / b`, element by element. Two integers divide in double, as in NumPy, where `out` is of floating-point
/// numbers; to integers the quotient is exact and rounded towards zero, and 0 where `b` is 0.
template <execution_space Exec, result_view Out, class A, class B, call_option<mask_t>... Options>
void divide(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  impl::weak_map_call("quern::divide", exec, out, impl::op::divide<impl::value_of<Out>>(), std::tie(a, b), options...);
}
template <result_view Out, class A, class B, call_option<mask_t>... Options>
void divide(const Out& out, const A& a, const B& b, const Options&... options) {
  divide(impl::space_of(out, a, b), out, a, b, options...);
}
QUERN_TAKES_NAME(divide)

/// `out = condition ? a : b`, element by element, each converted to out's type; `condition` is of any type that
/// converts to bool.
template <execution_space Exec, result_view Out, class C, class A, class B, call_option<mask_t>... Options>
void where(const Exec& exec, const Out& out, const C& condition, const A& a, const B& b, const Options&... options) {
  impl::map_call("quern::where", exec, out, impl::op::where<impl::value_of<Out>>(), std::tie(condition, a, b),
                 options...);
}
template <result_view Out, class C, class A, class B, call_option<mask_t>... Options>
void where(const Out& out, const C& condition, const A& a, const B& b, const Options&... options) {
  where(impl::space_of(out, condition, a, b), out, condition, a, b, options...);
}
QUERN_TAKES_NAME(where)

/// `out = a * x + y`. With `out` the same View as `y` this is BLAS's axpy.
template <execution_space Exec, result_view Out, class A, class X, class Y, call_option<mask_t>... Options>
void axpy(const Exec& exec, const Out& out, const A& a, const X& x, const Y& y, const Options&... options) {
  impl::weak_map_call("quern::axpy", exec, out, impl::op::axpy<impl::value_of<Out>>(), std::tie(a, x, y), options...);
}
template <result_view Out, class A, class X, class Y, call_option<mask_t>... Options>
void axpy(const Out& out, const A& a, const X& x, const Y& y, const Options&... options) {
  axpy(impl::space_of(out, a, x, y), out, a, x, y, options...);
}
QUERN_TAKES_NAME(axpy)

}  // namespace quern

#endif
