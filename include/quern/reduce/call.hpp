// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_CALL_HPP
#define QUERN_REDUCE_CALL_HPP

/// @file
/// From the arguments of a reduction to its launch.

#include <quern/core/call.hpp>
#include <quern/core/operations.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reduce/moment_reducers.hpp>
#include <quern/reduce/reproducible.hpp>

namespace quern::impl {

/// A reduction as an operation sees it: what is done to the values of the inputs first, and the reducer for their
/// types. `identity` false: no values have no result.
template <class F, class MakeReducer>
struct reduction {
  const char* label;
  F transform;
  MakeReducer reducer;
  bool identity = true;
};
template <class F, class MakeReducer>
reduction(const char*, F, MakeReducer) -> reduction<F, MakeReducer>;
template <class F, class MakeReducer>
reduction(const char*, F, MakeReducer, bool) -> reduction<F, MakeReducer>;

/// The positions of an array's elements along some axes, in row-major order.
inline position_input positions_along(const shape& extents, const axis_set& along) {
  position_input p{{nullptr, extents, {}}};
  std::int64_t next = 1;
  for (int d = extents.rank - 1; d >= 0; --d) {
    if (!along.has(d)) continue;
    p.array.stride[d] = next;
    next *= extents.extent[d];
  }
  return p;
}

/// The means of an array along some axes, in the second part of the scratch memory, broadcast to its extents.
template <class S, class Exec, class Elements>
auto means_along(call<Exec>& c, const axis_set& along, const shape& extents, const Elements& in) {
  array_input<S> means{{nullptr, extents, {}}};
  strided<S> out{nullptr, along.part(extents, false), {}};
  std::int64_t next = 1;
  for (int d = extents.rank - 1, k = out.extents.rank - 1; d >= 0; --d) {
    if (along.has(d)) continue;
    means.array.stride[d] = out.stride[k--] = next;
    next *= extents.extent[d];
  }
  means.array.data = out.data = static_cast<S*>(c.scratch().require(c.exec, next * sizeof(S), 1));
  with_leaves(
      op::identity(),
      [&](const auto& value, const auto&... leaf) {
        reduce_launch(c.exec, c.label + "/mean", c.scratch(), mean_reducer<S, reproducible_sum<S>>(), value, along, out,
                      leaf...);
      },
      in);
  return means;
}

/// Rejects arrays without elements along the axes of a reduction that has no result for none.
template <class Exec, class Reduction>
void check_elements(const call<Exec>& c, const Reduction& r, const axis_set& along, const shape& extents) {
  const shape rest = along.part(extents, false);
  if (!r.identity && along.part(extents, true).size() == 0 && rest.size() > 0)
    reject_extents(c.label, input_name(0), extents,
                   rest.rank == 0 ? "at least one element" : "at least one element along the axes");
}

/// Rejects positions that are too many for the type that they are written in.
template <class Reducer, class Out, class Exec>
void check_positions_along(const call<Exec>& c, const axis_set& along, const shape& extents) {
  if constexpr (uses_positions<Reducer> && std::is_integral_v<Out>)
    check_positions<Out>(c.label, "out", along.part(extents, true).size());
}

/// The axes of a reduction of arrays with these extents.
template <class Exec>
axis_set check_reduction(const call<Exec>& c, const axes* wanted, std::initializer_list<shape> extents) {
  const shape& first = *extents.begin();
  std::size_t number = 0;
  for (const shape& e : extents) check_extents(c.label, input_name(number++), e, first);
  return wanted == nullptr ? axis_set::all() : axis_set(c.label, *wanted, first.rank);
}

/// The output of a reduction, which none of the inputs may share memory with.
template <class Exec, class Out, class... Elements>
auto reduction_output(const call<Exec>& c, const Out& view, const shape& results, bool along_axes,
                      const Elements&... in) {
  auto out = c.output(view);
  check_extents(c.label, "out", out.extents, results, along_axes ? "" : " for a reduction of all elements");
  std::size_t number = 0;
  (check_overlap(c.label, out, in, input_name(number++), false), ...);
  return out;
}

/// Launches a reduction of inputs that are taken apart. What a reducer needs in addition to their values comes last.
template <class Exec, class Reduction, class Reducer, class Out, class... Elements>
void launch_reduction(call<Exec>& c, const Reduction& r, const Reducer& reducer, const axis_set& along,
                      const shape& extents, const strided<Out>& out, const Elements&... in) {
  const auto launch = [&](const auto& f, const auto&... leaf) {
    reduce_launch(c.exec, c.label, c.scratch(), reducer, f, along, out, leaf...);
  };
  if constexpr (requires { typename Reducer::uses_mean; }) {
    const auto means = means_along<typename Reducer::uses_mean>(c, along, extents, in...);
    with_leaves(r.transform, launch, in..., expanded<leaf_part, std::remove_const_t<decltype(means)>>{{}, {means}});
  } else if constexpr (uses_positions<Reducer>) {
    const position_input positions = positions_along(extents, along);
    with_leaves(r.transform, [&](const auto& f, const auto&... leaf) { launch(f, leaf..., positions); }, in...);
  } else {
    with_leaves(r.transform, launch, in...);
  }
}

/// `op(exec, out, in..., options)` of every reduction: checks, then launches. With `on_host` it waits and returns the
/// result.
template <class Exec, class Reduction, class Out, class... In, class... Options>
auto reduce_call(const Reduction& r, const Exec& exec, const Out& out_view, const std::tuple<const In&...>& inputs,
                 const Options&... options) {
  constexpr bool partial = is_partial<Out>;
  constexpr bool to_host = !view_like<Out> && !partial;
  static_assert(!to_host || !has_option<axes, Options...>, "quern: a reduction along axes writes to a View");
  const auto reducer = r.reducer(std::type_identity<value_of<In>>()...);
  using reducer_type = std::remove_const_t<decltype(reducer)>;
  using result_type =
      std::remove_cvref_t<decltype(reducer.result(std::declval<typename reducer_type::state>(), std::int64_t()))>;
  constexpr bool fits = [] {
    if constexpr (view_like<Out>) return converts<result_type, value_of<Out>>;
    else return true;
  }();
  static_assert(
      fits,
      "quern: the result of the reduction does not convert to out's type, as that of complex numbers to a real "
      "type");
  call<Exec> c(r.label, exec);
  const axes* wanted = find_option<axes>(options...);
  return unpack(
      [&](const auto&... in) {
        const axis_set along = check_reduction(c, wanted, {operand_extents(c.label, in)...});
        const shape extents = operand_extents(c.label, std::get<0>(inputs));
        if constexpr (!partial) check_elements(c, r, along, extents);  // of parts, the whole is checked
        const auto run = [&](const auto&... elements) {
          if constexpr (partial) {
            out_view.add(c, r, reducer, along, extents, elements...);
          } else if constexpr (to_host) {
            auto* result = c.template result<result_type>();
            launch_reduction(c, r, reducer, along, extents, strided<result_type>{result, {}, {}}, elements...);
            exec.fence(c.label + ": result");
            return result_type(*result);
          } else if constexpr (fits) {
            const auto out = reduction_output(c, out_view, along.part(extents, false), wanted != nullptr, elements...);
            check_positions_along<reducer_type, value_of<Out>>(c, along, extents);
            launch_reduction(c, r, reducer, along, extents, out, elements...);
          }
        };
        return run(c.elements(in)...);
      },
      inputs);
}

/// A reduction of one array that compares its values.
template <class Exec, class Reduction, class Out, class In, class... Options>
auto reduce_ordered(const Reduction& r, const Exec& exec, const Out& out, const In& in, const Options&... options) {
  constexpr bool ordered = has_order<value_of<In>>;
  static_assert(ordered,
                "quern::min, max, minmax, argmin, argmax: complex numbers have no order; reduce quern::lazy of their "
                "absolute value, or of another function");
  if constexpr (ordered) return reduce_call(r, exec, out, std::tie(in), options...);
}

/// The divisor's part of the options.
template <class... Options>
std::int64_t ddof_of(const Options&... options) {
  const ddof* given = find_option<ddof>(options...);
  return given == nullptr ? 0 : given->value;
}

template <class F, class Reproducible, class... Options>
using transform_for = std::conditional_t<has_option<reproducible_t, Options...>, Reproducible, F>;

struct truth {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return x != T(0);
  }
};
struct absolute {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& v) const {
    return Kokkos::abs(static_cast<mean_type<T>>(v));
  }
};
struct not_nan {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return !is_nan(x);
  }
};
struct zero_if_nan {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return is_nan(x) ? T(0) : x;
  }
};
struct absolute_square {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& v) const {
    if constexpr (is_complex<T>) {
      return v.real() * v.real() + v.imag() * v.imag();
    } else {
      const auto x = static_cast<mean_type<T>>(v);
      return x * x;
    }
  }
};

}  // namespace quern::impl

#endif
