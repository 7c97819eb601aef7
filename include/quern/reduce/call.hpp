// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_CALL_HPP
#define QUERN_REDUCE_CALL_HPP

/// @file
/// From the arguments of a reduction to its launch.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reducers/reducers.hpp>
#include <quern/reducers/reproducible.hpp>
#include <quern/reducers/results.hpp>

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

/// The reducer of a reduction for inputs of these types.
template <class Reduction, class... In>
using reducer_of =
    std::remove_const_t<decltype(std::declval<const Reduction&>().reducer(std::type_identity<value_of<In>>()...))>;

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

/// The means of a whole array, one for each result, as an input of its extents.
template <class S>
array_input<S> means_at_elements(const strided<S>& means, const axis_set& along, const shape& extents) {
  array_input<S> broadcast{{means.data, extents, {}}};
  for (int d = 0, k = 0; d < extents.rank; ++d)
    if (!along.has(d)) broadcast.array.stride[d] = means.stride[k++];
  return broadcast;
}
/// The means of an array along some axes, in the second part of the scratch memory, broadcast to its extents.
template <class S, class Exec, class Elements>
auto means_along(call<Exec>& c, const axis_set& along, const shape& extents, const Elements& in) {
  const shape rest = along.part(extents, false);
  const strided<S> means{static_cast<S*>(c.scratch().require(c.exec, rest.size() * sizeof(S), 1)), rest,
                         row_major_strides(rest)};
  with_leaves(
      op::identity(),
      [&](const auto& value, const auto&... leaf) {
        reduce_launch(c.exec, c.label + "/mean", c.scratch(), mean_reducer<S, reproducible_sum<S>>(), value, along,
                      means, leaf...);
      },
      in);
  return means_at_elements(means, along, extents);
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

/// The means that a reducer takes beside the values, `find(std::type_identity<S>)`, as further inputs; for most, none.
template <class Reducer, class Find>
auto means_for([[maybe_unused]] const Find& find) {
  if constexpr (requires { typename Reducer::uses_mean; }) {
    using means = array_input<typename Reducer::uses_mean>;
    return std::tuple(expanded<leaf_part, means>{{}, {find(std::type_identity<typename Reducer::uses_mean>())}});
  } else {
    return std::tuple<>();
  }
}

/// Launches a reduction of inputs that are taken apart. Reducers that use positions get those, and their means come
/// after the inputs.
template <class Exec, class Reduction, class Reducer, class Out, class... Means, class... Elements>
void launch_reduction(call<Exec>& c, const Reduction& r, const Reducer& reducer, const axis_set& along,
                      const strided<Out>& out, const position_input& positions, const std::tuple<Means...>& means,
                      const Elements&... in) {
  const auto launch = [&](const auto& f, const auto&... leaf) {
    if constexpr (uses_positions<Reducer>)
      reduce_launch(c.exec, c.label, c.scratch(), reducer, f, along, out, leaf..., positions);
    else reduce_launch(c.exec, c.label, c.scratch(), reducer, f, along, out, leaf...);
  };
  unpack([&](const auto&... mean) { with_leaves(r.transform, launch, in..., mean...); }, means);
}

/// Reductions of arrays in memory.
template <>
struct engine<in_memory, reductions> {
  /// `op(exec, out, in..., options)`: checks, then launches. With `on_host` it waits and returns the result.
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static auto run(const Reduction& r, const Exec& exec, const Out& out_view, const std::tuple<const In&...>& inputs,
                  const Options&... options) {
    check_place_options<Options...>();
    constexpr bool to_host = !view_like<Out>;
    const auto reducer = r.reducer(std::type_identity<value_of<In>>()...);
    using reducer_type = std::remove_const_t<decltype(reducer)>;
    using result_type = result_of<reducer_type>;
    call<Exec> c(r.label, exec);
    const axes* wanted = find_option<axes>(options...);
    return unpack(
        [&](const auto&... in) {
          const axis_set along = check_reduction(c, wanted, {operand_extents(c.label, in)...});
          const shape extents = operand_extents(c.label, std::get<0>(inputs));
          check_elements(c, r, along, extents);
          const auto launch = [&](const auto& out, const auto&... elements) {
            const auto means = means_for<reducer_type>(
                [&]<class S>(std::type_identity<S>) { return means_along<S>(c, along, extents, elements...); });
            launch_reduction(c, r, reducer, along, out, positions_along(extents, along), means, elements...);
          };
          const auto run = [&](const auto&... elements) {
            if constexpr (to_host) {
              auto* result = c.template result<result_type>();
              launch(strided<result_type>{result, {}, {}}, elements...);
              exec.fence(c.label + ": result");
              return result_type(*result);
            } else {
              const auto out =
                  reduction_output(c, out_view, along.part(extents, false), wanted != nullptr, elements...);
              check_positions_along<reducer_type, value_of<Out>>(c, along, extents);
              launch(out, elements...);
            }
          };
          return run(c.elements(in)...);
        },
        inputs);
  }
};

/// `op(exec, out, in..., options)` of every reduction, by the engine of the place where its operands are.
template <class Exec, class Reduction, class Out, class... In, class... Options>
auto reduce_call(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<const In&...>& inputs,
                 const Options&... options) {
  constexpr bool to_host = std::is_same_v<Out, on_host_t>;
  static_assert(!to_host || !has_option<axes, Options...>, "quern: a reduction along axes writes to a View");
  static_assert(!repeated_option<Options...>::value);
  constexpr bool fits = [] {
    if constexpr (to_host) return true;
    else return converts<result_of<reducer_of<Reduction, In...>>, value_of<Out>>;
  }();
  static_assert(
      fits,
      "quern: the result of the reduction does not convert to out's type, as that of complex numbers to a real "
      "type");
  if constexpr (fits) return engine_of<reductions, Out, In...>::run(r, exec, out, inputs, options...);
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
