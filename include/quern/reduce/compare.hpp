// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_COMPARE_HPP
#define QUERN_REDUCE_COMPARE_HPP

/// @file
/// Whether two arrays are equal, or nearly so, as one value: reductions that read both once, with the forms and places
/// of the others (reduce/reduce.hpp).

#include <quern/map/closeness.hpp>
#include <quern/reduce/call.hpp>
#include <quern/reducers/reducers.hpp>

namespace quern {
namespace impl {

/// Equality of the numbers themselves, whatever their types.
struct equal_values {
  bool nan_equals;
  template <class A, class B>
  KOKKOS_FUNCTION bool operator()(const A& a, const B& b) const {
    if (nan_equals && is_nan(a) && is_nan(b)) return true;
    if constexpr (std::is_integral_v<A> || std::is_integral_v<B>) {
      if constexpr (is_complex<A>) return a.imag() == 0 && (*this)(a.real(), b);
      else if constexpr (is_complex<B>) return (*this)(b, a);
      else return !is_nan(a) && !is_nan(b) && !value_less(a, b) && !value_less(b, a);
    } else if constexpr (is_half<A> || is_half<B>) {
      return compared(a) == compared(b);
    } else {
      return a == b;
    }
  }
};

/// Whether `f(a, b)` holds for all elements, which broadcast.
template <class Exec, class Out, class F, class A, class B, class... Options>
auto holds_for_all(const operation_name& label, const Exec& exec, const Out& out, const F& f, const A& a, const B& b,
                   const Options&... options) {
  const op_reducer<bool, and_op> reducer{{}, true};
  const auto values = lazy(f, a, b);
  return std::apply(
      [&](const auto&... of_place) {
        return reduce_call(reduction{label, reducer, op::not_zero()}, exec, out, std::tie(values), of_place...);
      },
      select_options<true>(options...));
}

/// The result of arrays that are not equal by their extents.
template <class Exec, class Out>
auto write_false(const operation_name& label, const Exec& exec, const Out& out) {
  if constexpr (std::same_as<Out, on_host_t>) {
    return false;
  } else {
    const bool no = false;
    check_extents(label, "out", operand_extents(label, out), shape{});
    map_call(label, exec, out, op::identity(), std::tie(no));
  }
}

template <class T>
concept comparison_option = call_option<T, tolerance, equal_nan_t>;

}  // namespace impl

/// The forms of a comparison of two arrays that follow from `name(exec, out, a, b, options...)`.
#define QUERN_COMPARISON_FORMS(name)                                                        \
  template <execution_space Exec, operand A, operand B, impl::comparison_option... Options> \
    requires(any_array<A> || any_array<B>)                                                  \
  bool name(const Exec& exec, const A& a, const B& b, const Options&... options) {          \
    return name(exec, on_host, a, b, options...);                                           \
  }                                                                                         \
  template <operand A, operand B, impl::comparison_option... Options>                       \
    requires(any_array<A> || any_array<B>)                                                  \
  bool name(const A& a, const B& b, const Options&... options) {                            \
    return name(impl::space_of(a, b), on_host, a, b, options...);                           \
  }                                                                                         \
  template <result_view Out, operand A, operand B, impl::comparison_option... Options>      \
    requires(any_array<A> || any_array<B>)                                                  \
  void name(const Out& out, const A& a, const B& b, const Options&... options) {            \
    name(impl::space_of(out, a, b), out, a, b, options...);                                 \
  }                                                                                         \
  QUERN_TAKES_NAME(name)

/// Whether `isclose` holds for all elements of a and b (NumPy's `allclose`): `absolute + relative |b|` bounds
/// `|a - b|`; true for no elements.
///
/// @param a, b arrays that broadcast to each other, of which one may be a scalar
///
/// Without `out` the call waits for `exec` and returns a bool; a View of rank 0 is written asynchronously. In chunks
/// and over ranks as other reductions. Options: `tolerance{.relative = 1e-5, .absolute = 1e-8}`, `equal_nan`.
/// @throws Error if the extents do not broadcast, or a tolerance is negative or NaN
template <execution_space Exec, result_like Out, operand A, operand B, call_option<tolerance, equal_nan_t>... Options>
auto allclose(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const impl::operation_name label("quern::allclose");
  impl::compare_closeness(label, std::tie(a, b), options...);
  return impl::holds_for_all(label, exec, out, impl::closeness(label, options...), a, b, options...);
}
QUERN_COMPARISON_FORMS(allclose)

/// Whether a and b have the same extents and equal elements (NumPy's `array_equal`). Numbers are compared as what they
/// are: an int64 beside a uint64 exactly, integers beside floating-point numbers in double. Option: `equal_nan`.
///
/// Without `out` the call waits for `exec` and returns a bool; a View of rank 0 is written asynchronously. In chunks
/// and over ranks as other reductions.
template <execution_space Exec, result_like Out, any_array A, any_array B, call_option<equal_nan_t>... Options>
auto array_equal(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const impl::operation_name label("quern::array_equal");
  impl::compare_closeness(label, std::tie(a, b), options...);
  if (impl::operand_extents(label, a) != impl::operand_extents(label, b)) return impl::write_false(label, exec, out);
  return impl::holds_for_all(label, exec, out, impl::equal_values{impl::has_option<equal_nan_t, Options...>}, a, b,
                             options...);
}
QUERN_COMPARISON_FORMS(array_equal)

}  // namespace quern

#endif
