// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_REDUCING_MAP_HPP
#define QUERN_REDUCE_REDUCING_MAP_HPP

/// @file
/// Maps with reductions among their outputs: reductions whose function writes the other outputs.

#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/reduced.hpp>
#include <quern/reduce/several_outputs.hpp>
#include <quern/reducers/joint.hpp>

namespace quern::impl {

/// The numbers of those that are true.
template <bool... True>
struct numbers_where {
  static constexpr std::size_t count = (0 + ... + (True ? 1 : 0));
  static constexpr std::array<std::size_t, count> all = [] {
    std::array<std::size_t, count> numbers{};
    std::size_t k = 0, number = 0;
    ((True ? void(numbers[k++] = number) : void(), ++number), ...);
    return numbers;
  }();
  template <std::size_t... K>
  static std::index_sequence<all[K]...> list(std::index_sequence<K...>);
  using type = decltype(list(std::make_index_sequence<count>()));
};
/// Of several outputs, which are arrays, and which are reductions.
template <class Outs>
struct output_numbers;
template <class... Out>
struct output_numbers<std::tuple<Out...>> {
  using arrays = typename numbers_where<!is_reduced<Out>...>::type;
  using reduced = typename numbers_where<is_reduced<Out>...>::type;
};
template <class T, std::size_t... I>
auto select(const T& all, std::index_sequence<I...>) {
  return std::tuple(std::get<I>(all)...);
}
/// The rank of the arrays among outputs.
template <class Outs>
constexpr int rank_of_arrays() {
  using arrays = typename output_numbers<Outs>::arrays;
  return rank_of<std::tuple_element_t<0, decltype(select(std::declval<const Outs&>(), arrays()))>>;
}

/// The results R of r that reductions take, each as `transform` has it for its one: one value, or several.
template <std::size_t... R, class Result, class Transforms, std::size_t... J>
KOKKOS_FORCEINLINE_FUNCTION auto reduced_parts(const Result& r, const Transforms& transform,
                                               std::index_sequence<J...>) {
  if constexpr (sizeof...(R) == 1) return (get<J>(transform)(value_part<R>(r)), ...);
  else return quern::values(get<J>(transform)(value_part<R>(r))...);
}

/// The function of such a reduction: writes results A of g to where the first arguments point, and gives its results R
/// to the reducers.
template <class G, class Targets, class ArrayNumbers, class Transforms, class ReducedNumbers>
struct writing_function;
template <class G, class... T, std::size_t... A, class... Transform, std::size_t... R>
struct writing_function<G, std::tuple<T...>, std::index_sequence<A...>, std::tuple<Transform...>,
                        std::index_sequence<R...>> {
  G g;
  operand_tuple<Transform...> transform;

  template <class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const pointer_to<T>&... to, const V&... v) const {
    const auto r = g(v...);
    ((*to = convert<stored<T>>(value_part<A>(r))), ...);
    return reduced_parts<R...>(r, transform, std::index_sequence_for<Transform...>());
  }

  /// The values of a pack, whose results are written as packs; `call(f, k)` calls f with the arguments of element k.
  template <int W, class Value, class Call>
  KOKKOS_FUNCTION void write_packs(Value* values, const Call& call) const {
    write_packs<W>(values, call, std::index_sequence_for<T...>());
  }

 private:
  template <int W, class Value, class Call, std::size_t... I>
  KOKKOS_FUNCTION void write_packs(Value* values, const Call& call, std::index_sequence<I...>) const {
    operand_tuple<written_pack<T, W>...> packs;
    operand_tuple<pointer_to<T>...> first{};
    for (int k = 0; k < W; ++k) {
      const auto element = [&](const pointer_to<T>&... to, const auto&... v) {
        const auto r = g(v...);
        if (k == 0) ((get<I>(first) = to), ...);
        (get<I>(packs).set(k, convert<stored<T>>(value_part<A>(r))), ...);
        return reduced_parts<R...>(r, transform, std::index_sequence_for<Transform...>());
      };
      values[k] = call(element, k);
    }
    (array_operand<T>{get<I>(first), 1}.store_pack(0, get<I>(packs)), ...);
  }
};
template <class G, class Targets, class A, class Transforms, class R>
inline constexpr bool writes<writing_function<G, Targets, A, Transforms, R>> = true;

/// The reductions among outputs, from their descriptions on: one reducer for all.
template <class Outs, class... Reduction>
struct reductions_among {
  using arrays = typename output_numbers<Outs>::arrays;
  using reduced = typename output_numbers<Outs>::reduced;
  std::tuple<Reduction...> each;

  auto reducer() const {
    return unpack([](const auto&... r) { return joined_reducers(r.reducer...); }, each);
  }
  template <class... T, class G>
  auto writing(const std::tuple<strided<T>...>&, const G& g) const {
    return unpack(
        [&](const auto&... r) {
          return writing_function<G, std::tuple<T...>, arrays, std::tuple<decltype(Reduction::transform)...>, reduced>{
              g, {{r.transform}...}};
        },
        each);
  }
  /// Rejects reductions without a result, since there are no elements, and positions that out does not hold.
  template <class Exec>
  void check_elements(const call<Exec>& c, const axis_set& along, const shape& extents) const {
    unpack([&](const auto&... r) { (quern::impl::check_elements(c, r, along, extents), ...); }, each);
    [&]<std::size_t... R>(std::index_sequence<R...>) {
      (check_positions<std::remove_cvref_t<decltype(std::get<R>(std::declval<const Outs&>()).out)>, Reduction>(c, along,
                                                                                                               extents),
       ...);
    }(reduced());
  }
  /// Rejects reductions without a result, since no cells are computed.
  void check_cells(const std::string& label, std::int64_t cells) const {
    const bool have_results = unpack([](const auto&... r) { return (r.identity && ...); }, each);
    if (cells <= 0 && !have_results) throw Error(label, "no cells are computed, of which a reduction has no result");
  }

 private:
  template <class Out, class R, class Exec>
  static void check_positions(const call<Exec>& c, const axis_set& along, const shape& extents) {
    if constexpr (!std::is_same_v<Out, on_host_t>)
      check_positions_along<reducer_of<R>, value_of<Out>>(c, along, extents);
  }
};

/// Stands for reductions of a call of which a message has said what is wrong.
struct no_reductions {};
template <class Reductions>
inline constexpr bool are_described = !std::is_same_v<Reductions, const no_reductions>;

template <class Outs, class... Reduction>
auto describe_all(const Reduction&... r) {
  constexpr bool one_pass = !(requires { typename reducer_of<Reduction>::uses_mean; } || ...);
  static_assert(one_pass, "quern::reduced: a reproducible variance needs two passes");
  // Of others `quern::reduce`, which describes them, has said what is wrong.
  constexpr bool have_states = (std::is_default_constructible_v<typename reducer_of<Reduction>::state> && ...);
  if constexpr (one_pass && have_states) return reductions_among<Outs, Reduction...>{{r...}};
  else return no_reductions();
}
/// Those of an operation whose functor returns a `Value`.
template <class Value, class Exec, class... Out>
auto reductions_of_results(const Exec& exec, const std::tuple<Out...>& outs) {
  if constexpr (results_fit<Value, sizeof...(Out)>())
    return [&]<std::size_t... R>(std::index_sequence<R...>) {
      return describe_all<std::tuple<Out...>>(std::get<R>(outs).template describe<value_part_type<R, Value>>(exec)...);
    }(typename output_numbers<std::tuple<Out...>>::reduced());
  else return no_reductions();
}
/// Those of a map f(in...) of arrays of rank `Rank`.
template <int Rank, class... In, class Exec, class... Out, class F>
auto reductions_of(const Exec& exec, const std::tuple<Out...>& outs, const F&) {
  if constexpr (takes_arguments<F, typename argument_of<In, Rank>::type...>())
    return reductions_of_results<
        std::remove_cvref_t<std::invoke_result_t<const F&, typename argument_of<In, Rank>::type...>>>(exec, outs);
  else return no_reductions();
}

/// The axes along which all reductions of a call are.
template <class... Out>
axis_set axes_of_reductions(const std::string& label, const std::tuple<Out...>& outs, int rank) {
  const auto reduced = select(outs, typename output_numbers<std::tuple<Out...>>::reduced());
  const axes* wanted = std::get<0>(reduced).along();
  const axis_set along = axes_or_all(label, wanted, rank);
  const auto same = [&](const axes* more) {
    return (wanted == nullptr) == (more == nullptr) && along == axes_or_all(label, more, rank);
  };
  if (!unpack([&](const auto&... r) { return (same(r.along()) && ...); }, reduced))
    throw Error(label, "the reductions of a call must be along the same axes");
  return along;
}

/// An input of a map with the outputs' extents and the strides with which it broadcasts to them; it may be one of the
/// outputs, and shares no memory with them otherwise.
template <class... T, class Part, class... Leaf>
auto input_at_outputs(const std::string& label, const std::tuple<strided<T>...>& out, std::size_t number,
                      expanded<Part, Leaf...> in) {
  const shape& extents = std::get<0>(out).extents;
  const auto broadcast = [&](auto& leaf) {
    const stride_array strides = broadcast_input(label, leaf, extents, number);
    if (is_mapped_leaf<decltype(leaf)> || leaf.array.data != nullptr)
      unpack([&](const auto&... o) { (check_leaf_overlap(label, o, leaf, input_name(number), true), ...); }, out);
    leaf.array.stride = strides;
    leaf.array.extents = extents;
  };
  std::apply([&](auto&... leaf) { (broadcast(leaf), ...); }, in.leaves);
  return in;
}

/// A map with reductions of arrays in memory, when its outputs and inputs are known.
template <class Exec, class Reductions, class F, class Out, class In>
struct reducing_map {
  call<Exec>& c;
  const Reductions& reductions;
  axis_set along;
  const F& f;
  Out out;  // the arrays among the outputs
  In in;

  const shape& extents() const { return std::get<0>(out).extents; }
  shape result_extents() const { return along.part(extents(), false); }

  /// Writes the arrays, and the results of the reducer, for whose positions the whole array has these extents.
  template <class Reducer, class Result>
  void launch(const Reducer& reducer, const strided<Result>& results, const shape& whole) const {
    const auto beside = inputs_beside(reduction{"", reducer}, along, whole, [](const auto&) {});
    const auto as_targets = []<class... T>(const strided<T>&... o) { return std::tuple(target_input<T>{o}...); };
    const auto reduce = [&](const auto& g, const auto&... leaf) {
      const auto describe = [&](const auto&... all) {
        return describe_reduction<Exec>(reducer, reductions.writing(out, g), along, results, all...);
      };
      reduce_launch(c.exec, c.label, c.scratch(),
                    unpack(describe, std::tuple_cat(unpack(as_targets, out), std::tuple(leaf...), beside)));
    };
    unpack([&](const auto&... i) { with_leaves(f, reduce, i...); }, in);
  }
};

/// Checks the operands of such a map of rank `Rank`; `arrays` are its outputs except for the reductions.
template <int Rank, class Exec, class Reductions, class... Array, class F, class... In>
auto make_reducing_map(call<Exec>& c, const Reductions& reductions, const axis_set& along,
                       const std::tuple<Array...>& arrays, const F& f, const In&... in) {
  const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, arrays);
  check_outputs(c.label, out);
  (check_indices(c.exec, c.label, in), ...);
  const shape& extents = std::get<0>(out).extents;
  const auto inputs = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple(input_at_outputs(c.label, out, I, expand<Exec, Rank>(c.label, in, extents))...);
  }(std::index_sequence_for<In...>());
  return reducing_map<Exec, Reductions, F, std::remove_const_t<decltype(out)>, std::remove_const_t<decltype(inputs)>>{
      c, reductions, along, f, out, inputs};
}

/// Writes the results J of several reductions to Views.
template <class Exec, class Result, class... To, std::size_t... J>
void take_apart(const call<Exec>& c, const strided<Result>& results, const std::tuple<To...>& to,
                std::index_sequence<J...> numbers) {
  if constexpr (sizeof...(J) > 0) {
    constexpr int rank = known_rank<std::tuple_element_t<0, decltype(select(to, numbers))>>();
    static_assert(rank >= 0, "quern::reduced: the rank of out must be known when compiling");
    map_checked(label_text(c.label, "/results"), c.exec, select(to, numbers), results_apart<J...>(),
                as_part<Exec, rank>(results));
  }
}
template <class Results, std::size_t... J>
auto host_results(const Results& of, std::index_sequence<J...>) {
  if constexpr (sizeof...(J) == 1) return (get<J>(of), ...);
  else return std::tuple(get<J>(of)...);
}

/// Brings results to where the reductions of a call want them, Views or the host. `launch(results)` writes them to
/// memory with these extents.
template <class Result, class Exec, class Launch, class To>
auto deliver_reductions(call<Exec>& c, const shape&, const Launch& launch, const std::tuple<To>& to) {
  if constexpr (std::is_same_v<To, on_host_t>) {
    return value_on_host<Result>(c, launch);
  } else {
    static_assert(converts<Result, value_of<To>>,
                  "quern::reduced: the result of the reduction does not convert to out's type, as that of complex "
                  "numbers to a real type");
    launch(c.output(std::get<0>(to)));
  }
}
/// The results of several, which `launch` writes side by side.
template <class Result, class Exec, class Launch, class... To>
auto deliver_reductions(call<Exec>& c, const shape& extents, const Launch& launch, const std::tuple<To...>& to) {
  constexpr bool to_host = (std::is_same_v<To, on_host_t> || ...);
  std::optional<scratch_array<Exec, Result>> memory;
  if constexpr (!to_host) memory.emplace(c.exec, extents.size());
  Result* const data = [&] {
    if constexpr (to_host) return c.template result<Result>();
    else return memory->data();
  }();
  const strided<Result> results{data, extents, row_major_strides(extents)};
  launch(results);
  take_apart(c, results, to, typename numbers_where<view_like<To>...>::type());
  if constexpr (to_host) {
    c.exec.fence(kernel_label(c.label, ": results"));
    return host_results(data->of, typename numbers_where<!view_like<To>...>::type());
  }
}

/// The outputs of the reductions of a call.
template <class... Out>
auto reduced_outputs(const std::tuple<Out...>& outs) {
  return unpack([](const auto&... r) { return std::tuple(r.out...); },
                select(outs, typename output_numbers<std::tuple<Out...>>::reduced()));
}

/// Calls `f(memory)` with the memory of each array of an operand, or of several.
template <class F, class V>
void for_each_memory(const F& f, const V& v) {
  if constexpr (is_outputs<V>) unpack([&](const auto&... one) { (for_each_memory(f, one), ...); }, v);
  else if constexpr (requires { v.local_with_halo(); }) for_each_memory(f, v.local_with_halo());
  else if constexpr (dual_view<V>) for_each_memory(f, v.view_device());
  else if constexpr (view_like<V>) f(describe(v));
  else if constexpr (is_mapped<V>) {
    for (const source_bytes& m : v.memory)
      if (m.bytes.data != nullptr) f(m.bytes);
  } else if constexpr (requires { v.view; }) for_each_memory(f, v.view);
  else if constexpr (requires { v.in; }) for_each_memory(f, v.in);
}

/// Rejects outputs of reductions that share memory with each other.
template <class To, std::size_t... J>
void check_results_apart(const std::string& label, const To& to, std::index_sequence<J...>) {
  const auto check = [&]<std::size_t One, std::size_t Other>(std::index_sequence<One, Other>) {
    if constexpr (One < Other)
      for_each_memory(
          [&](const auto& result) {
            for_each_memory(
                [&](const auto& other) {
                  check_apart(label, {"a reduction's output", "another reduction's output"}, result, other);
                },
                std::get<Other>(to));
          },
          std::get<One>(to));
  };
  const auto check_with_all = [&]<std::size_t One>(std::index_sequence<One>) {
    (check(std::index_sequence<One, J>()), ...);
  };
  (check_with_all(std::index_sequence<J>()), ...);
}

/// Rejects outputs of reductions that have not these extents, or share memory with each other, with the outputs that
/// are arrays or with inputs, of which the last one may be a mask.
template <bool LastIsMask = false, class... To, class Arrays, class... In>
void check_reduced(const std::string& label, const std::tuple<To...>& to, const shape& extents, const Arrays& arrays,
                   const In&... in) {
  const auto check = [&](const auto& out) {
    if constexpr (any_array<decltype(out)>)
      check_extents(label, label_text("a reduction's output"), operand_extents(label, out), extents);
    for_each_memory(
        [&](const auto& result) {
          const auto apart = [&](const std::string& name) {
            return [&, name](const auto& other) {
              check_apart(label, {"a reduction's output", name.c_str()}, result, other);
            };
          };
          for_each_memory(apart("another output"), arrays);
          std::size_t number = 0;
          const auto name = [&] {
            ++number;
            return LastIsMask && number == sizeof...(In) ? "the mask" : input_name(number - 1);
          };
          (for_each_memory(apart(name()), in), ...);
        },
        out);
  };
  unpack([&](const auto&... out) { (check(out), ...); }, to);
  check_results_apart(label, to, std::index_sequence_for<To...>());
}

/// Maps of arrays in memory with reductions among their outputs.
template <>
struct engine<in_memory, reducing_maps> {
  template <class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const operation_name& label, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    const auto reductions = reductions_of<rank, In...>(exec, outs, f);
    if constexpr (are_described<decltype(reductions)>) {
      call<Exec> c(label, exec);
      const auto arrays = select(outs, typename decltype(reductions)::arrays());
      const axis_set along = axes_of_reductions(c.label, outs, view_extents(std::get<0>(arrays)).rank);
      const auto map = unpack(
          [&](const auto&... in) { return make_reducing_map<rank>(c, reductions, along, arrays, f, in...); }, inputs);
      reductions.check_elements(c, map.along, map.extents());
      const auto to = reduced_outputs(outs);
      constexpr bool masked = selects_by_mask<F>;  // nvcc takes it in no lambda
      unpack([&](const auto&... in) { check_reduced<masked>(c.label, to, map.result_extents(), arrays, in...); },
             inputs);
      return deliver_reductions<result_of<decltype(reductions.reducer())>>(
          c, map.result_extents(),
          [&](const auto& results) { map.launch(reductions.reducer(), results, map.extents()); }, to);
    }
  }
};

}  // namespace quern::impl

#endif
