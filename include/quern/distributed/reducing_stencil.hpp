// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_REDUCING_STENCIL_HPP
#define QUERN_DISTRIBUTED_REDUCING_STENCIL_HPP

#include <quern/distributed/reducing_map.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/stencil/reducing_axes.hpp>
#include <quern/stencil/reducing_stencil.hpp>

namespace quern::impl {

/// Stencils of DistributedViews with reductions among their outputs: each part of a block leaves a state, these are
/// joined in their order, and then those of the ranks by one message.
template <>
struct engine<over_ranks_place, reducing_stencils> {
  template <class Shape, class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const boundaries& edge, const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    constexpr bool all = ((is_reduced<Out> || distributed_like<Out>) && ...) && (is_at<over_ranks_place, In> && ...);
    static_assert(all, "quern::stencil: over ranks, all arrays are DistributedViews");
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    using value = typename stencil_result<F, rank, value_of<In>...>::type;
    const auto reductions = reductions_of_results<value>(exec, outs);
    if constexpr (all && are_described<decltype(reductions)>) {
      const auto text = [&] { return text_of_reductions(reductions, outs, rank); };
      const auto arrays = select(outs, typename decltype(reductions)::arrays());
      const auto run = [&](const auto&... in) {
        compare_stencils("quern::stencil", reach, arrays, edge, text, in...);
        const auto along = axes_of_stencil("quern::stencil", outs);
        return reduce(reach, exec, outs, f, edge, reductions, along, in...);
      };
      return unpack(run, inputs);
    }
  }

 private:
  template <class Shape, class Exec, class... Out, class F, class Reductions, class... In>
  static auto reduce(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                     const boundaries& edge, const Reductions& reductions, const all_axes& along, const In&... in) {
    constexpr const char* label = "quern::stencil";
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    const auto reducer = reductions.reducer();
    using reducer_type = std::remove_const_t<decltype(reducer)>;
    using state = typename reducer_type::state;
    const auto arrays = select(outs, typename Reductions::arrays());
    const Decomposition& d = std::get<0>(arrays).decomposition();
    call<Exec> c(label, exec);
    const std::int64_t cells =
        check<rank>(c, reach, edge, reductions, along, arrays, reduced_outputs(outs), in...).count(along);
    scratch_block<state, Exec> states;
    std::int64_t count = 0;
    const auto begin = [&](std::size_t parts) {
      count = static_cast<std::int64_t>(parts);
      states = scratch_block<state, Exec>(exec, shape{count});
    };
    const auto compute = [&](const Exec& where, int number, const auto& to, const auto& g, const stencil_part& part,
                             const shape& first, const auto&... cells_of_inputs) {
      call<Exec> one(label, where);
      reducing_stencil_call<Shape>(one, reach, reductions, reducer_of_states<reducer_type>{reducer}, along, to, g,
                                   part.edge, {d.extents(), first, part.low, part.high},
                                   strided<state>{states.data + number, {}, {}}, cells_of_inputs...);
    };
    stencil_of_blocks(label, reach, exec, arrays, f, edge, true, begin, compute, in...);
    return deliver(c, d, reducer, cells, states.data, count, reduced_outputs(outs));
  }
  /// Along axes the whole block is one part, which leaves a state for each of its results.
  template <class Shape, class Exec, class... Out, class F, class Reductions, class... In>
  static void reduce(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                     const boundaries& edge, const Reductions& reductions, const axis_set& along, const In&... in) {
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    using reducer_type = decltype(reductions.reducer());
    const reducer_of_states<reducer_type> reducer{reductions.reducer()};
    const auto arrays = select(outs, typename Reductions::arrays());
    const auto to = reduced_outputs(outs);
    const Decomposition& d = std::get<0>(arrays).decomposition();
    call<Exec> c("quern::stencil", exec);
    const cell_range computed = check<rank>(c, reach, edge, reductions, along, arrays, to, in...);
    const scratch_block<typename reducer_type::state, Exec> memory(exec, along.part(d.local().extents, false));
    const strided<typename reducer_type::state> states(memory);
    const auto begin = [&](std::size_t parts) {
      if (parts == 0) write_others(exec, c.label, reducer, states, range_of<rank, false>({}).results(along));
    };
    const auto compute = [&](const Exec& where, int, const auto& out, const auto& g, const stencil_part& part,
                             const shape& first, const auto&... cells_of_inputs) {
      call<Exec> one(c.label, where);
      shape first_of_block = part.first;
      for (int axis = 0; axis < rank; ++axis) first_of_block.extent[axis] *= -1;
      reducing_stencil_call<Shape>(one, reach, reductions, reducer, results_along{along, first_of_block}, out, g,
                                   part.edge, {d.extents(), first, part.low, part.high}, states, cells_of_inputs...);
    };
    stencil_of_blocks(c.label.c_str(), reach, exec, arrays, f, edge, false, begin, compute, in...);
    join_over_ranks<typename Exec::memory_space>(c, d, along, reductions.reducer(), states.data, states.extents.size());
    const auto amend = [&](const auto& part, const auto& results) {
      write_others(exec, c.label, part, results, computed.from(d.local().first).results(along));
    };
    deliver_over_ranks(c, states.data, reductions.reducer(), d, along, computed.count(along), amend, to);
  }
  /// The cells that are computed.
  template <int Rank, class Exec, class Shape, class Reductions, class Arrays, class To, class... In>
  static cell_range check(const call<Exec>& c, const Shape& reach, const boundaries& edge, const Reductions& reductions,
                          const axis_set& along, const Arrays& arrays, const To& to, const In&... in) {
    const Decomposition& d = std::get<0>(arrays).decomposition();
    const shape& extents = d.extents();
    return check_together(d.communicator(), c.label, [&] {
      check_reduced_over_ranks(c.label, d, along, to, arrays, in...);
      check_arrays(c, arrays, in...);
      const cell_range computed = computed_range<Rank>(c.label, reach, extents, edge);
      reductions.check_cells(c.label, fewest_cells(computed, along, extents));
      reductions.check_elements(c, along, extents);
      return computed;
    });
  }
  /// Rejects outputs that share memory with each other or with inputs before halos are sent.
  template <class Exec, class... Array, class... In>
  static void check_arrays(const call<Exec>& c, const std::tuple<Array...>& arrays, const In&... in) {
    const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o.local())...); }, arrays);
    check_outputs(c.label, out);
    const auto apart = [&](const auto& field) {
      const auto own = c.input(field.local());
      unpack([&](const auto&... o) { (check_overlap(c.label, o, own, "in", false), ...); }, out);
    };
    (for_each_field(apart, in), ...);
  }
  /// Joins the states of the parts, whose positions are in the whole array, and those of the ranks.
  template <class Exec, class Reducer, class... To>
  static auto deliver(call<Exec>& c, const Decomposition& d, const Reducer& reducer, std::int64_t cells,
                      const typename Reducer::state* parts, std::int64_t count, const std::tuple<To...>& to) {
    using space = space_of_states<Exec, To...>;
    const pool_array<typename Reducer::state, space> block(c.exec, shape());
    join_states_to(c, reducer_of_states<Reducer>{reducer}, cells, parts, count,
                   strided<typename Reducer::state>(block));
    join_over_ranks<space>(c, d, axis_set::all(), reducer, block.data, 1);
    return deliver_over_ranks(c, block.data, reducer, d, axis_set::all(), cells, no_amendment(), to);
  }
};

}  // namespace quern::impl

#endif
