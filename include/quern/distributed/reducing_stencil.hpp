// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_REDUCING_STENCIL_HPP
#define QUERN_DISTRIBUTED_REDUCING_STENCIL_HPP

#include <quern/distributed/reducing_map.hpp>
#include <quern/distributed/stencil.hpp>
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
    if constexpr (all && value_count<value> == sizeof...(Out)) {
      const auto reductions = reductions_of_results<value>(exec, outs);
      return unpack([&](const auto&... in) { return reduce(reach, exec, outs, f, edge, reductions, in...); }, inputs);
    } else {
      reductions_of_results<value>(exec, outs);  // says what is wrong
    }
  }

 private:
  template <class Shape, class Exec, class... Out, class F, class Reductions, class... In>
  static auto reduce(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                     const boundaries& edge, const Reductions& reductions, const In&... in) {
    constexpr const char* label = "quern::stencil";
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    const auto reducer = reductions.reducer();
    using reducer_type = std::remove_const_t<decltype(reducer)>;
    using state = typename reducer_type::state;
    const auto arrays = select(outs, typename Reductions::arrays());
    const Decomposition& d = std::get<0>(arrays).decomposition();
    call<Exec> c(label, exec);
    check_all_cells(label, outs);
    check_reduced(label, reduced_outputs(outs), shape(), arrays, in...);
    const std::int64_t cells = computed_count<rank>(label, reach, d.extents(), edge);
    reductions.check_cells(label, cells);
    reductions.check_elements(c, axis_set::all(), d.extents());
    scratch_block<state, Exec> states;
    std::int64_t count = 0;
    const auto begin = [&](std::size_t parts) {
      count = static_cast<std::int64_t>(parts);
      states = scratch_block<state, Exec>(exec, shape{count});
    };
    const auto compute = [&](const Exec& where, int number, const auto& to, const auto& g, const stencil_part& part,
                             const shape& first, const auto&... cells_of_inputs) {
      call<Exec> one(label, where);
      reducing_stencil_call<Shape>(one, reach, reductions, reducer_of_states<reducer_type>{reducer}, to, g, part.edge,
                                   {d.extents(), first, part.low, part.high},
                                   strided<state>{states.data + number, {}, {}}, cells_of_inputs...);
    };
    stencil_of_blocks<Shape>(
        label, exec, arrays, f, edge, [&] { return text_of_reductions(reductions, outs, rank); }, begin, compute,
        in...);
    return deliver(c, d, reducer, cells, states.data, count, reduced_outputs(outs));
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
    return deliver_over_ranks(c, block.data, reducer, d, axis_set::all(), cells, to);
  }
};

}  // namespace quern::impl

#endif
