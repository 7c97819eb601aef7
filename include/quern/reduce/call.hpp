// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_CALL_HPP
#define QUERN_REDUCE_CALL_HPP

/// @file
/// From the arguments of a reduction to its launch.

#include <quern/core/call/call.hpp>
#include <quern/core/call/kept_axes.hpp>
#include <quern/core/call/mask.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reducers/reducers.hpp>
#include <quern/reducers/reproducible.hpp>
#include <quern/reducers/results.hpp>
#include <quern/reducers/selected.hpp>

namespace quern::impl {

/// A reduction as an operation sees it: the reducer, and what is done to the values of the inputs first. `identity`
/// false: no values have no result. `broadcasts`: the inputs do to each other, in memory; elsewhere they are those of a
/// lazy array.
template <class Reducer, class F>
struct reduction {
  operation_name label;
  Reducer reducer;
  F transform{};
  bool identity = true;
  bool broadcasts = false;
};
template <class Reducer, class F = op::identity>
reduction(operation_name, Reducer, F = {}, bool = true, bool = false) -> reduction<Reducer, F>;

template <class Reduction>
using reducer_of = decltype(Reduction::reducer);

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

/// What a reducer takes beside the values of an array with these extents, or of parts of it, as further inputs of
/// `describe_reduction`: the positions of the elements, or the means along the axes, for which `find_means(reduction)`
/// is called with the reduction to them; most take nothing.
template <class Reduction, class FindMeans>
auto inputs_beside(const Reduction& r, [[maybe_unused]] const axis_set& along, [[maybe_unused]] const shape& extents,
                   [[maybe_unused]] const FindMeans& find_means) {
  using reducer = reducer_of<Reduction>;
  if constexpr (uses_positions<reducer>) {
    return std::tuple(positions_along(extents, along));
  } else if constexpr (requires { typename reducer::uses_mean; }) {
    using S = typename reducer::uses_mean;
    const auto mean = selected_as<reducer>(mean_reducer<S, reproducible_sum<S>>());
    const strided<S> means = find_means(reduction{r.label, mean});
    array_input<S> at_elements{{means.data, extents, {}}};
    for (int d = 0, k = 0; d < extents.rank; ++d)
      if (!along.has(d)) at_elements.array.stride[d] = means.stride[k++];
    return std::tuple(at_elements);
  } else {
    return std::tuple<>();
  }
}

/// The axes of an operation, which are all where none are asked for.
template <class Axes>
axis_set axes_or_all(const std::string& label, const Axes* wanted, int rank) {
  return wanted == nullptr ? axis_set::all() : axis_set(label, *wanted, rank);
}

/// What `write(out)` writes to memory for one value, for which it waits.
template <class T, class Exec, class Write>
T value_on_host(call<Exec>& c, const Write& write) {
  T* result = c.template result<T>();
  write(strided<T>{result, {}, {}});
  c.exec.fence(kernel_label(c.label, ": result"));
  return *result;
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

/// The extents of the inputs of a reduction: all have them, or broadcast to them.
template <class Exec>
shape extents_of_inputs(const call<Exec>& c, bool broadcast, std::initializer_list<shape> extents) {
  shape all = *extents.begin();
  std::size_t number = 0;
  for (const shape& e : extents) {
    if (e != all && !broadcast) reject_extents(c.label, input_name(number), e, all.str());
    if (e != all) all = broadcast_extents(c.label, all, e);
    ++number;
  }
  return all;
}
/// An input, taken apart, as one of these extents.
template <class Exec, class In>
auto elements_of(const call<Exec>& c, bool broadcast, const In& in, const shape& extents) {
  const auto elements = c.elements(in);
  const bool narrower = broadcast && std::get<0>(elements.leaves).array.extents != extents;
  return narrower ? broadcast_elements(c.label, elements, extents) : elements;
}
/// The axes of a reduction of arrays with these extents.
template <class Exec>
axis_set check_reduction(const call<Exec>& c, const axes* wanted, std::initializer_list<shape> extents) {
  return axes_or_all(c.label, wanted, extents_of_inputs(c, false, extents).rank);
}

/// Reductions of arrays in memory.
template <>
struct engine<in_memory, reductions> {
  /// `op(exec, out, in..., options)`: checks, then launches. With `on_host` it waits and returns the result.
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static auto run(const Reduction& r, const Exec& exec, const Out& out_view, const std::tuple<const In&...>& inputs,
                  const Options&... options) {
    check_place_options<Options...>();
    using reducer_type = reducer_of<Reduction>;
    call<Exec> c(r.label, exec);
    const axes* wanted = find_option<axes>(options...);
    const shape extents =
        unpack([&](const auto&... in) { return extents_of_inputs(c, r.broadcasts, {operand_extents(c.label, in)...}); },
               inputs);
    const axis_set along = axes_or_all(c.label, wanted, extents.rank);
    const shape results = along.part(extents, false);
    check_elements(c, r, along, extents);
    const auto elements =
        unpack([&](const auto&... in) { return std::tuple(elements_of(c, r.broadcasts, in, extents)...); }, inputs);
    const auto reduce = [&](const std::string& label, const auto& what, const auto& out, const auto& beside) {
      unpack(
          [&](const auto&... in) {
            reduce_launch(exec, label, c.scratch(),
                          describe_reduction<Exec>(what.reducer, what.transform, along, out, in...));
          },
          std::tuple_cat(elements, beside));
    };
    const auto launch = [&](const auto& out) {
      const auto find_means = [&](const auto& mean) {
        using S = result_of<decltype(mean.reducer)>;
        const strided<S> means{lasting_scratch<S>(exec, c.scratch(), results.size()), results,
                               row_major_strides(results)};
        reduce(label_text(c.label, "/mean"), mean, means, std::tuple<>());
        return means;
      };
      reduce(c.label, r, out, inputs_beside(r, along, extents, find_means));
    };
    if constexpr (view_like<Out>) {
      const auto out = c.output(out_view);
      check_extents(c.label, "out", out.extents, results, wanted != nullptr ? "" : " for a reduction of all elements");
      std::size_t number = 0;
      unpack([&](const auto&... in) { (check_overlap(c.label, out, in, input_name(number++), false), ...); }, elements);
      check_positions_along<reducer_type, value_of<Out>>(c, along, extents);
      launch(out);
    } else {
      return value_on_host<result_of<reducer_type>>(c, launch);
    }
  }
};

/// The same to an output for each part of a result of two, or to rows, as quern/reduce/several_outputs.hpp has it.
template <class Reduction, class Exec, class... Out, class... In, class... Options>
void reduce_by_scratch(const Reduction& r, const Exec& exec, const std::tuple<Out...>& out,
                       const std::tuple<const In&...>& inputs, const Options&... options);

/// A reduction as one of values of which the first ones, of type `In`, are `selected` or not.
template <class... In, class Reducer, class F>
auto of_selected_values(const reduction<Reducer, F>& r) {
  constexpr bool fills = [] {
    if constexpr (requires { typename Reducer::uses_mean; }) return false;
    else return neutral<Reducer, std::remove_cvref_t<std::invoke_result_t<const F&, value_of<In>...>>>::enough;
  }();
  if constexpr (fills) return reduction{r.label, r.reducer, filled<Reducer, F>{r.transform, r.reducer}};
  else return reduction{r.label, selected_reducer<Reducer>{r.reducer}, of_selected<F>{r.transform}};
}

/// Compares a call with those of other ranks, where the engine of its place does.
template <class Engine, class... Arguments>
void compare_where_it_can(const Arguments&... arguments) {
  if constexpr (requires { Engine::compare(arguments...); }) Engine::compare(arguments...);
}

/// A reduction of the elements that a mask selects: the mask is an operand beside the first input. A mask that does not
/// fit is rejected when the call has been compared with those of other ranks.
template <class Reduction, class Exec, class Out, class First, class... In, class... Options>
auto reduce_selected(const Reduction& r, const Exec& exec, const Out& out,
                     const std::tuple<const First&, const In&...>& inputs, const Options&... options) {
  const auto& m = mask_among(options...).where;
  if constexpr (check_mask_type<std::remove_cvref_t<decltype(m)>, rank_of<First>>()) {
    const auto of_selected = of_selected_values<First, In...>(r);
    const auto first = lazy(select_values(), std::get<0>(inputs), m);
    const auto others_of = [&](const auto&, const auto&... rest) { return std::tuple(computed_where(rest, m)...); };
    const auto beside = unpack(others_of, inputs);
    const auto selected = unpack([&](const auto&... rest) { return std::tie(first, rest...); }, beside);
    const shape extents = operand_extents(r.label, std::get<0>(inputs));
    constexpr bool over_ranks = is_at<over_ranks_place, First> || (is_at<over_ranks_place, In> || ...);
    const auto run = [&](const auto&... others) {
      if (!mask_fits(r.label, m, extents)) {
        using place = engine_of<reductions, std::remove_cvref_t<decltype(first)>, In...>;
        compare_where_it_can<place>(of_selected, out, selected, others...);
        check_mask(r.label, m, extents);
      }
      if constexpr (!over_ranks) check_mask_sources<Exec>(r.label, out, m);
      return reduce_call(of_selected, exec, out, selected, others...);
    };
    return unpack(run, without_mask(options...));
  }
}

/// Whether a reduction with such a function of the elements, or such a reducer, is of numbers, and not of each
/// component of Arrays.
template <class T>
inline constexpr bool of_numbers_alone = false;
template <>
inline constexpr bool of_numbers_alone<zero_if_nan> = true;
template <>
inline constexpr bool of_numbers_alone<one_if_nan> = true;
template <>
inline constexpr bool of_numbers_alone<not_nan> = true;
template <>
inline constexpr bool of_numbers_alone<op::not_zero> = true;
template <>
inline constexpr bool of_numbers_alone<reproducible_square> = true;
template <>
inline constexpr bool of_numbers_alone<reproducible_magnitude> = true;
template <class S>
inline constexpr bool of_numbers_alone<product<S>> = true;
template <class S>
inline constexpr bool of_numbers_alone<conjugate_product<S>> = true;
template <class S>
inline constexpr bool of_numbers_alone<reproducible_product<S>> = true;
template <class S>
inline constexpr bool of_numbers_alone<nan_mean_reducer<S>> = true;
template <class S>
inline constexpr bool of_numbers_alone<nan_moments_reducer<S>> = true;
/// Whether it takes such values; an error where it does not.
template <class Reduction, class... T>
constexpr bool takes_values() {
  constexpr bool has_arrays = ((component_count<T> > 0) || ...);
  constexpr bool takes =
      !has_arrays || !(of_numbers_alone<reducer_of<Reduction>> || of_numbers_alone<decltype(Reduction::transform)>);
  static_assert(takes,
                "quern: of rows and Arrays, sum, prod, mean, var, stddev, mean_var, min, max, minmax and ptp have a "
                "result for each component; others are sums of quern::lazy, or reduce with a functor");
  return takes;
}

/// `op(exec, out, in..., options)` of every reduction, by the engine of the place where its operands are.
template <class Exec, class Reduction, class Out, class... In, class... Options>
auto reduce_call(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<const In&...>& inputs,
                 const Options&... options) {
  constexpr bool to_host = std::is_same_v<Out, on_host_t>;
  static_assert(!to_host || !has_option<axes, Options...>, "quern: a reduction along axes writes to a View");
  static_assert(!repeated_option<Options...>::value);
  constexpr bool taken = takes_values<Reduction, value_of<In>...>(), fits = [] {
    if constexpr (!taken || to_host || is_outputs<Out>) return true;
    else return converts<result_of<reducer_of<Reduction>>, value_of<Out>>;
  }();
  static_assert(
      fits,
      "quern: the result of the reduction does not convert to out's type, as that of complex numbers to a real "
      "type");
  static_assert(
      !is_placed_rows<Out>,
      "quern::rows: results of a reduction are written to rows of a View in memory, or to an array of Arrays");
  if constexpr (!taken) return;
  else if constexpr (has_option<keep_axes_t, Options...>)
    return with_kept_axes<0>(
        static_cast<const std::string&>(r.label),
        [&](const auto& narrower, const auto&... others) { return reduce_call(r, exec, narrower, inputs, others...); },
        out, 0, options...);
  else if constexpr (is_placed_rows<Out>) return;
  else if constexpr (with_mask<Options...>) return reduce_selected(r, exec, out, inputs, options...);
  else if constexpr (is_outputs<Out>) reduce_by_scratch(r, exec, out, inputs, options...);
  else if constexpr (fits && is_rows<Out>) reduce_by_scratch(r, exec, std::tuple(out), inputs, options...);
  else if constexpr (fits) return engine_of<reductions, Out, In...>::run(r, exec, out, inputs, options...);
}

/// A reduction of one array that compares its values, of which there must be some.
template <class Reducer, class Exec, class Out, class In, class... Options>
auto reduce_ordered(const operation_name& label, const Exec& exec, const Out& out, const In& in,
                    const Options&... options) {
  constexpr bool ordered = compares<Reducer, value_of<In>>;
  static_assert(ordered,
                "quern::min, max, minmax, argmin, argmax: complex numbers have no order; reduce quern::lazy of their "
                "absolute value, or of another function; Arrays have a min, max and minmax of each component");
  if constexpr (ordered)
    return reduce_call(reduction{label, Reducer(), op::identity(), false}, exec, out, std::tie(in), options...);
}

/// The divisor's part of the options.
template <class... Options>
std::int64_t ddof_of(const Options&... options) {
  return option_or(ddof{0}, options...).value;
}

template <class F, class Reproducible, class... Options>
using transform_for = std::conditional_t<has_option<reproducible_t, Options...>, Reproducible, F>;

/// A variance, or its root.
template <class Result, bool Root, class Exec, class Out, class In, class... Options>
auto reduce_variance(const operation_name& label, const Exec& exec, const Out& out, const In& in,
                     const Options&... options) {
  using T = value_of<In>;
  using S = result_or<Result, mean_type<T>>;
  constexpr bool takes = component_count<S> == 0 || !reproducibly<Options...>;
  static_assert(takes,
                "quern::var, stddev: a reproducible variance is of numbers, and not of each component of Arrays");
  if constexpr (takes) {
    const auto reducer = [d = ddof_of(options...)] {
      using one = var_reducer<component_type<S>, component_type<T>, Root>;
      if constexpr (reproducibly<Options...>) return centred_reducer<S, Root, distance_type<S, T>>{d};
      else return by_component<S, one>{one{{d}}};
    }();
    using transform = transform_for<op::identity, reproducible_distance, Options...>;
    return reduce_call(reduction{label, reducer, transform()}, exec, out, std::tie(in), options...);
  }
}

/// Mean and variance.
template <class Result, class Exec, class Out, class In, class... Options>
auto reduce_moments(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using T = value_of<In>;
  using S = result_or<Result, mean_type<T>>;
  const auto reducer = [d = ddof_of(options...)] {
    using one = moments_reducer<component_type<S>, component_type<T>>;
    if constexpr (component_count<S> > 0) return component_moments<one, component_count<S>>{{one{d}}};
    else return one{d};
  }();
  return reduce_call(reduction{"quern::mean_var", reducer}, exec, out, std::tie(in), options...);
}

struct absolute {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& v) const {
    return Kokkos::abs(static_cast<mean_type<T>>(v));
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
template <>
inline constexpr bool of_numbers_alone<absolute> = true;
template <>
inline constexpr bool of_numbers_alone<absolute_square> = true;

}  // namespace quern::impl

#endif
