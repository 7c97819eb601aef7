// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_REDUCING_STENCIL_HPP
#define QUERN_CHUNKED_REDUCING_STENCIL_HPP

#include <quern/chunked/reducing_map.hpp>
#include <quern/chunked/stencil.hpp>
#include <quern/stencil/reducing_axes.hpp>
#include <quern/stencil/reducing_stencil.hpp>

namespace quern::impl {

/// Stencils of arrays that come in chunks with reductions among their outputs. Waits.
template <>
struct engine<in_chunks_place, reducing_stencils> {
  template <class Shape, class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const boundaries& edge, const std::tuple<const In&...>& inputs, const Options&... options) {
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    using value = typename stencil_result<F, rank, value_of<In>...>::type;
    static_assert(output_numbers<std::tuple<Out...>>::arrays::size() == 1,
                  "quern::stencil: in chunks, one output is an array");
    [[maybe_unused]] const auto reductions = reductions_of_results<value>(exec, outs);
    if constexpr (!are_described<decltype(reductions)>) {
      return;
    } else if constexpr (all_resident<Exec, Out..., In...>) {
      const auto in = unpack([](const auto&... v) { return std::tuple(as_resident(v)...); }, inputs);
      const auto run = [&](const auto&... v) {
        return engine<in_memory, reducing_stencils>::run(reach, exec, as_resident(outs), f, edge, std::tie(v...));
      };
      return waited(exec, [&] { return unpack(run, in); });
    } else {
      return unpack(
          [&](const auto&... in) {
            return reduce(reach, exec, outs, f, edge, settings_of(options...), reductions, in...);
          },
          inputs);
    }
  }

 private:
  template <class Shape, class Exec, class... Out, class F, class Reductions, class... In>
  static auto reduce(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                     const boundaries& edge, const chunking& settings, const Reductions& reductions, const In&... in) {
    constexpr const char* label = "quern::stencil";
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    const auto reducer = reductions.reducer();
    using reducer_type = std::remove_const_t<decltype(reducer)>;
    using state = typename reducer_type::state;
    const auto arrays = select(outs, typename Reductions::arrays());
    const auto to = reduced_outputs(outs);
    const auto along = axes_of_stencil(label, outs);
    std::optional<states_of_chunks<state, Exec>> states;
    cell_range computed;
    shape results;
    bool is_separate = false;
    const auto begin = [&](const chunk_plan& p) {
      results = axis_set(along).part(p.extents, false);
      is_separate = !axis_set(along).has(p.axis) && p.extents.size() > 0;  // without cells no chunk comes
      check_reduced(label, to, results, arrays, in...);
      reductions.check_elements(call<Exec>(label, exec), along, p.extents);
      computed = computed_range<rank>(label, reach, p.extents, edge);
      reductions.check_cells(label, fewest_cells(computed, along, p.extents));
      states.emplace(exec, results);
    };
    const auto compute = [&](const Exec& e, const chunk_plan& p, const array_chunk& c, const auto& out, const auto& g,
                             const boundaries& edge_of_chunk, const auto&... part) {
      call<Exec> one(label, e);
      // The halo of a chunk may have cells at an end of the array, which are another chunk's.
      stencil_range core{p.extents, p.first_of_chunk(c, true), shape(), p.extents};
      core.low.rank = p.extents.rank;
      core.low.extent[p.axis] = c.low;
      core.high.extent[p.axis] = c.low + c.count;
      const auto reduce = [&](const auto& to_results, const shape& first) {
        return [&, first](const auto& of_chunk) {
          reducing_stencil_call<Shape>(one, reach, reductions, to_results, results_of_part(along, first), out, g,
                                       edge_of_chunk, core, of_chunk, part...);
        };
      };
      if constexpr (!std::is_same_v<decltype(along), const all_axes>)
        if (is_separate)
          return deliver_of_chunk<result_of<reducer_type>>(one, along, p, c, reduce(reducer, core.low), to);
      states->add(e, label, c.slot, reducer, 0, reduce(reducer_of_states<reducer_type>{reducer}, shape()));
    };
    stencil_in_chunks(label, reach, exec, std::get<0>(arrays), f, edge, settings, begin, compute, in...);
    call<Exec> c(label, exec);
    const auto write = [&](const auto& to_results) {
      write_results(exec, label, reducer, states->of_slots(), computed.count(along), to_results);
      write_others(exec, c.label, reducer, to_results, computed.results(along));
    };
    return deliver_of_all_chunks<result_of<reducer_type>>(c, results, is_separate, write, to);
  }
};

}  // namespace quern::impl

#endif
