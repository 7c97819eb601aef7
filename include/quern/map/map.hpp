// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MAP_HPP
#define QUERN_MAP_MAP_HPP

#include <quern/core/call/call.hpp>
#include <quern/map/launch.hpp>
#include <quern/map/masked.hpp>

namespace quern {
namespace impl {

/// What is wrong with the function of a map, as its types show.
struct map_types {
  bool callable, outputs = false, converts = false;
  constexpr bool right() const { return callable && outputs && converts; }
};
template <class F, class Outputs, class... V>
constexpr map_types check_map() {
  map_types found{std::is_invocable_v<const F&, V...>};
  if constexpr (std::is_invocable_v<const F&, V...>) {
    using result = std::remove_cvref_t<std::invoke_result_t<const F&, V...>>;
    constexpr std::size_t count = std::tuple_size_v<Outputs>;
    if constexpr (count == 1) {
      found.outputs = true;
      found.converts = converts<result, value_of<std::tuple_element_t<0, Outputs>>>;
    } else if constexpr (value_count<result> == count) {
      found.outputs = true;
      found.converts = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (converts<value_part_type<I, result>, value_of<std::tuple_element_t<I, Outputs>>> && ...);
      }(std::make_index_sequence<count>());
    }
  }
  return found;
}

/// Whether f takes these arguments, one value of each input of a map; an error says what it must take.
template <class F, class... Argument>
constexpr bool takes_arguments() {
  constexpr bool callable = std::is_invocable_v<const F&, Argument...>;
  static_assert(callable,
                "quern::map: f must be callable with one value of each input, and of positions() with a "
                "Kokkos::Array<std::int64_t, rank>");
  return callable;
}
/// Whether a functor that returns a `Value` has a value for each of so many outputs; an error where it has not.
template <class Value, std::size_t Outputs>
constexpr bool results_fit() {
  constexpr bool fits = value_count<Value> == Outputs;
  static_assert(fits,
                "quern: f must return as many values as there are outputs, as quern::values(a, b) or a "
                "Kokkos::Array");
  return fits;
}

/// Whether the function of a map fits its operands; an error says what is wrong.
template <class F, class Out, class... In>
constexpr bool map_fits() {
  using outputs = decltype(as_outputs(std::declval<const Out&>()));
  constexpr int rank = rank_of<std::tuple_element_t<0, outputs>>;
  constexpr map_types types = check_map<F, outputs, typename argument_of<In, rank>::type...>();
  takes_arguments<F, typename argument_of<In, rank>::type...>();
  static_assert(
      !types.callable || types.outputs,
      "quern::map: f must return as many values as there are outputs, as quern::values(a, b) or a Kokkos::Array");
  static_assert(!types.outputs || types.converts,
                "quern: the values do not convert to out's type, as complex numbers to real ones");
  return types.right();
}

/// Checks the operands against the outputs, and launches.
template <class Exec, class F, class... T, class... Operand>
void map_operands(const Exec& exec, const std::string& label, const std::tuple<strided<T>...>& out, const F& f,
                  const Operand&... operand) {
  constexpr int leaves = (0 + ... + std::remove_cvref_t<decltype(operand.part)>::leaves);
  const shape& extents = std::get<0>(out).extents;
  std::array<stride_array, sizeof...(T) + leaves> strides;
  int k = 0;
  std::size_t number = 0;
  bool in_place = false;
  unpack([&](const auto&... o) { ((strides[k++] = o.stride), ...); }, out);
  const auto check_leaf = [&](const auto& leaf) {
    strides[k++] = broadcast_input(label, leaf, extents, number);
    if constexpr (!is_mapped_leaf<decltype(leaf)>)
      if (leaf.array.data == nullptr) return;
    const auto check_against = [&](const auto& o) {
      check_leaf_overlap(label, o, leaf, input_name(number), true);
      in_place = in_place || static_cast<const void*>(leaf.array.data) == o.data;
    };
    unpack([&](const auto&... o) { (check_against(o), ...); }, out);
  };
  [[maybe_unused]] const auto check = [&](const auto& o) {
    unpack([&](const auto&... leaf) { (check_leaf(leaf), ...); }, o.leaves);
    ++number;
  };
  (check(operand), ...);
  if (extents.size() == 0) return;
  with_leaves(
      f, [&](const auto& g, const auto&... leaf) { map_arrays(exec, label, out, g, in_place, strides, leaf...); },
      operand...);
}

/// The checks of every elementwise operation, then its launch. `label` is both the name in messages and the kernel's.
template <class Exec, class Out, class F, class... In>
void map_checked(const std::string& label, const Exec& exec, const Out& out_views, const F& f, const In&... in) {
  constexpr int rank = rank_of<std::tuple_element_t<0, decltype(as_outputs(out_views))>>;
  if constexpr (map_fits<F, Out, In...>()) {
    const call c(label, exec);
    const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, as_outputs(out_views));
    check_outputs(label, out);
    (check_indices(exec, label, in), ...);
    map_operands(exec, label, out, f, expand<Exec, rank>(label, in, std::get<0>(out).extents)...);
  }
}

/// Elementwise operations on arrays in memory.
template <>
struct engine<in_memory, maps> {
  template <class Exec, class Out, class F, class... In, class... Options>
  static void run(const operation_name& label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    unpack([&](const auto&... in) { map_checked(label, exec, out, f, in...); }, inputs);
  }
};

template <class Exec, class Out, class F, class... In, class... Options>
auto map_selected(const operation_name& label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options);

/// `out = f(in...)` of every elementwise operation, by the engine of the place where its operands are.
template <class Exec, class Out, class F, class... In, class... Options>
auto map_call(const operation_name& label, const Exec& exec, const Out& out, const F& f,
              const std::tuple<const In&...>& inputs, const Options&... options) {
  if constexpr (!(operand<In> && ...)) return;  // these have been rejected
  else if constexpr (all_reduced<Out>)
    return engine_of<several_reductions, Out, In...>::run(label, exec, out, f, inputs, options...);
  else if constexpr (with_mask<Options...>) return map_selected(label, exec, out, f, inputs, options...);
  else if constexpr (has_reduced<Out>)
    return engine_of<reducing_maps, Out, In...>::run(label, exec, out, f, inputs, options...);
  else engine_of<maps, Out, In...>::run(label, exec, out, f, inputs, options...);
}

/// The same where a mask selects. Over ranks, extents are looked at when the call has been compared with those of the
/// other ranks, as those of all inputs.
template <class Exec, class Out, class F, class... In, class... Options>
auto map_selected(const operation_name& label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
  const auto& m = mask_among(options...).where;
  using mask_type = std::remove_cvref_t<decltype(m)>;
  const auto run = [&]<class G>(const G& of_selected, const auto&... arrays) {
    if constexpr (!(is_at<over_ranks_place, std::remove_cvref_t<decltype(arrays)>> || ...))
      check_mask(label, m, operand_extents(label, nth<0>(arrays...)));
    (check_mask_apart<Exec>(label, arrays, m), ...);
    const auto operands = std::tuple_cat(inputs, std::tie(arrays...), std::tie(m));
    return unpack([&](const auto&... others) { return map_call(label, exec, out, of_selected, operands, others...); },
                  without_mask(options...));
  };
  const auto arrays = arrays_among(out);
  constexpr int rank = rank_of<std::tuple_element_t<0, std::remove_const_t<decltype(arrays)>>>;
  if constexpr (check_mask_type<mask_type, rank>()) {
    if constexpr (!has_reduced<Out>) {
      if constexpr (map_fits<F, Out, In...>())
        unpack([&](const auto&... o) { run(where_selected<F, value_of<decltype(o)>...>{f}, o...); }, arrays);
    } else if constexpr (takes_arguments<F, typename argument_of<In, rank>::type...>()) {
      using found = std::remove_cvref_t<std::invoke_result_t<const F&, typename argument_of<In, rank>::type...>>;
      const auto among = [&](const auto&... o) {
        return run(where_selected_among_outputs<Out, F, value_of<decltype(o)>...>{f}, o...);
      };
      if constexpr (results_fit<found, std::tuple_size_v<Out>>()) return unpack(among, arrays);
    }
  }
}

}  // namespace impl

/// Applies a function element by element: `out(i...) = f(in(i...)...)`.
///
/// @param exec the execution space instance to run on
/// @param out  an array of any rank, layout and value type, whose extents are those of the operation: a View, a sink or
///             a DistributedView; or several of the same extents that share no memory, `quern::outputs(u, v)`, among
///             which reductions may stand, `quern::outputs(u, quern::reduced<quern::op::sum>(total))`; or reductions
///             alone, of the elements of the inputs, as several quantities that one pass over the particles sums
/// @param f    a functor or `KOKKOS_LAMBDA` that takes one value of each input; its result is converted to out's type.
///             For several outputs it returns a value for each, `quern::values(a, b)`, or a `Kokkos::Array` of values
/// @param in   any number of arrays, scalars, lazy arrays and `positions()`. They broadcast to the extents of `out` by
///             NumPy's rule: axes are matched from the last one backwards, and an extent of 1 or a missing axis is
///             repeated. `f` gets a scalar in its own type: 0.5 is a double beside arrays of float, too, and makes what
///             is computed with it double
///
/// Each element is computed once, so `out` may be the same View as an input. Contiguous, aligned operands of any rank
/// move in packs of 16 bytes; otherwise the axis along which `out` is closest in memory runs fastest, and large inputs
/// that are closest along another, as of LayoutLeft beside LayoutRight, are read in tiles.
///
/// Asynchronous on `exec`, except for what comes in chunks and results that go to the host; without reductions it uses
/// no scratch memory, allocates nothing, and may be captured in a device graph. Over ranks, each computes the cells of
/// its block, without messages but one for all reductions: beside DistributedViews, which all have the same blocks,
/// Views are whole and equal on all ranks, and positions are those in the whole array. In chunks, an option `chunking`
/// stands before the inputs; what is repeated along the axis of the chunks is copied to the execution space once. The
/// results have the same bits in every place.
///
/// With the option `mask{m}` before the inputs, f is called for the elements where m, which broadcasts to `out`, is not
/// zero; the others of the outputs keep their values (NumPy's `where=` of ufuncs), for which the outputs are read. Then
/// outputs are no sinks. Reductions are of what is selected alone.
/// @throws Error if an input does not broadcast to `out` or shares memory with it otherwise, or if outputs differ in
/// extents or share memory with each other or with a mask
template <execution_space Exec, output_like Out, class F, class... In>
  requires operands<In...>
auto map(const Exec& exec, const Out& out, const F& f, const In&... in) {
  const impl::label_scope functor("quern::map", typeid(F));
  return impl::map_call("quern::map", exec, out, f, std::tie(in...));
}
template <execution_space Exec, output_like Out, class F, call_option<mask_t> Option, class... In>
  requires(operands<In...> || impl::second_option<Option, In...>::value)
auto map(const Exec& exec, const Out& out, const F& f, const Option& option, const In&... in) {
  const impl::label_scope functor("quern::map", typeid(F));
  return impl::map_call("quern::map", exec, out, f, std::tie(in...), option);
}
template <execution_space Exec, output_like Out, class F, call_option<mask_t> Option, impl::mask_or_place Second,
          class... In>
  requires(!std::same_as<Option, Second> && operands<In...>)
auto map(const Exec& exec, const Out& out, const F& f, const Option& option, const Second& second, const In&... in) {
  const impl::label_scope functor("quern::map", typeid(F));
  return impl::map_call("quern::map", exec, out, f, std::tie(in...), option, second);
}

template <output_like Out, class F, class... In>
  requires operands<In...>
auto map(const Out& out, const F& f, const In&... in) {
  return map(impl::space_of(out, in...), out, f, in...);
}
template <output_like Out, class F, call_option<mask_t> Option, class... In>
  requires(operands<In...> || impl::second_option<Option, In...>::value)
auto map(const Out& out, const F& f, const Option& option, const In&... in) {
  return map(impl::space_of(out, in...), out, f, option, in...);
}
template <output_like Out, class F, call_option<mask_t> Option, impl::mask_or_place Second, class... In>
  requires(!std::same_as<Option, Second> && operands<In...>)
auto map(const Out& out, const F& f, const Option& option, const Second& second, const In&... in) {
  return map(impl::space_of(out, in...), out, f, option, second, in...);
}
QUERN_TAKES_NAME(map)
/// Of one reduction in place of outputs, which is rejected by name.
template <class First, class Second, class... Rest>
  requires(impl::is_reduced<First> || (execution_space<First> && impl::is_reduced<Second>))
void map(const First&, const Second&, const Rest&...) {
  static_assert(sizeof(First) == 0,
                "quern::map: one reduction alone is a call of that on quern::lazy(f, in...); among outputs, and "
                "several, reductions are in quern::outputs(...)");
}

}  // namespace quern

#endif
