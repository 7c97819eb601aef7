// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_FUNCTIONS_HPP
#define QUERN_MAP_FUNCTIONS_HPP

/// @file
/// The everyday elementwise operations, each one line over `map`: broadcasting, scalars, layouts, aliasing, errors and
/// asynchrony are those of `quern::map`. Integers of different signs are added, subtracted and multiplied as the
/// numbers that they are, as in NumPy, and not as one that the language converts to unsigned.

#include <quern/core/operations.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl {
/// A scalar, or an array that is read when the operation runs.
template <class T>
concept fill_value = scalar_value<T> || array_like<T>;
}  // namespace impl

/// `out = value`, the value converted to out's type: a scalar, or a View of rank 0 that `exec` reaches, whose value is
/// read when the operation runs.
template <execution_space Exec, view_like Out, impl::fill_value T>
void fill(const Exec& exec, const Out& out, const T& value) {
  constexpr bool one = scalar_value<T> || impl::may_have_rank<T, 0, 0>;
  static_assert(one, "quern::fill: a View as the value must have rank 0; quern::copy writes what broadcasts");
  if constexpr (one) {
    if constexpr (array_like<T>)
      impl::check_extents("quern::fill", "value", impl::operand_extents("quern::fill", value), shape{});
    impl::map_checked("quern::fill", exec, out, impl::op::identity(), value);
  }
}
template <view_like Out, impl::fill_value T>
void fill(const Out& out, const T& value) {
  fill(impl::space_of(out), out, value);
}

/// `out = a + b`.
template <execution_space Exec, view_like Out, class A, class B>
void add(const Exec& exec, const Out& out, const A& a, const B& b) {
  impl::map_checked("quern::add", exec, out, impl::op::of_values<impl::value_of<Out>, impl::op::add>(), a, b);
}
template <view_like Out, class A, class B>
void add(const Out& out, const A& a, const B& b) {
  add(impl::space_of(out), out, a, b);
}

/// `out = a - b`.
template <execution_space Exec, view_like Out, class A, class B>
void subtract(const Exec& exec, const Out& out, const A& a, const B& b) {
  impl::map_checked("quern::subtract", exec, out, impl::op::of_values<impl::value_of<Out>, impl::op::subtract>(), a, b);
}
template <view_like Out, class A, class B>
void subtract(const Out& out, const A& a, const B& b) {
  subtract(impl::space_of(out), out, a, b);
}

/// `out = a * b`, element by element.
template <execution_space Exec, view_like Out, class A, class B>
void multiply(const Exec& exec, const Out& out, const A& a, const B& b) {
  impl::map_checked("quern::multiply", exec, out, impl::op::of_values<impl::value_of<Out>, impl::op::multiply>(), a, b);
}
template <view_like Out, class A, class B>
void multiply(const Out& out, const A& a, const B& b) {
  multiply(impl::space_of(out), out, a, b);
}

/// `out = a / b`, element by element. Two integers divide in double, as in NumPy, where `out` is of floating-point
/// numbers; to integers the quotient is exact and rounded towards zero, and 0 where `b` is 0.
template <execution_space Exec, view_like Out, class A, class B>
void divide(const Exec& exec, const Out& out, const A& a, const B& b) {
  impl::map_checked("quern::divide", exec, out, impl::op::divide<impl::value_of<Out>>(), a, b);
}
template <view_like Out, class A, class B>
void divide(const Out& out, const A& a, const B& b) {
  divide(impl::space_of(out), out, a, b);
}

/// `out = condition ? a : b`, element by element, each converted to out's type; `condition` is of any type that
/// converts to bool.
template <execution_space Exec, view_like Out, class C, class A, class B>
void where(const Exec& exec, const Out& out, const C& condition, const A& a, const B& b) {
  impl::map_checked("quern::where", exec, out, impl::op::where<impl::value_of<Out>>(), condition, a, b);
}
template <view_like Out, class C, class A, class B>
void where(const Out& out, const C& condition, const A& a, const B& b) {
  where(impl::space_of(out), out, condition, a, b);
}

/// `out = a * x + y`. With `out` the same View as `y` this is BLAS's axpy.
template <execution_space Exec, view_like Out, class A, class X, class Y>
void axpy(const Exec& exec, const Out& out, const A& a, const X& x, const Y& y) {
  impl::map_checked("quern::axpy", exec, out, impl::op::axpy<impl::value_of<Out>>(), a, x, y);
}
template <view_like Out, class A, class X, class Y>
void axpy(const Out& out, const A& a, const X& x, const Y& y) {
  axpy(impl::space_of(out), out, a, x, y);
}

}  // namespace quern

#endif
