// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_REDUCE_HPP
#define QUERN_DISTRIBUTED_REDUCE_HPP

/// @file
/// The reductions of quern/reduce/reduce.hpp of DistributedViews: each rank reduces its block, and states of ranks are
/// joined in their order.

#include <quern/core/call/label.hpp>
#include <quern/distributed/rank_states.hpp>
#include <quern/distributed/results.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern::impl {

/// Reductions of arrays over ranks.
template <>
struct engine<over_ranks_place, reductions> {
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static auto run(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<const In&...>& inputs,
                  const Options&... options) {
    constexpr bool distributed = (is_at<over_ranks_place, In> || ...);
    static_assert(
        distributed,
        "quern: a reduction to a DistributedView needs one among its inputs; of Views, which are whole on every "
        "rank, reduce to a View");
    if constexpr (distributed) {
      compare(r, out, inputs, options...);
      return reduce(r, exec, out, inputs, options...);
    }
  }
  /// Compares the call with those of the other ranks, where calls are checked.
  template <class Reduction, class Out, class... In, class... Options>
  static void compare(const Reduction& r, const Out& out, const std::tuple<const In&...>& inputs,
                      const Options&... options) {
    const Decomposition d = decomposition_of(inputs);
    const auto more = [&] {
      const std::string text = text_of_axes(find_option<axes>(options...), d.extents().rank);
      return text + (std::is_same_v<Out, on_host_t> ? "" : " to") + text_of_operand(out) + text_of_reducer(r.reducer) +
             (reproducibly<Options...> ? ", reproducible" : "");
    };
    check_same_arrays(d.communicator(), r.label, more, inputs);
  }
  /// `check()`, of a call that has been compared: where calls are checked, all ranks throw what one rejects.
  template <class... In, class Check>
  static void check(const std::string& label, const std::tuple<const In&...>& inputs, const Check& check) {
    check_together(decomposition_of(inputs).communicator(), label, check);
  }
  /// The reduction, of a call that has been compared.
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static auto reduce(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<const In&...>& inputs,
                     const Options&... options) {
    check_place_options<Options...>();
    using reducer_type = reducer_of<Reduction>;
    const Decomposition d = decomposition_of(inputs);
    const axes* wanted = find_option<axes>(options...);
    call<Exec> c(r.label, exec);
    const axis_set along = unpack(
        [&](const auto&... in) { return check_reduction(c, wanted, {operand_extents(c.label, in)...}); }, inputs);
    check_elements(c, r, along, d.extents());
    const std::int64_t elements = along.part(d.extents(), true).size();
    const auto reduce_blocks = [&]<class Space>(std::type_identity<Space>) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return reduce_elements<Space>(c, r, d, along,
                                      c.elements(operand_at_block<rank_of<In>>(c.label, I, std::get<I>(inputs), d))...);
      }(std::index_sequence_for<In...>());
    };
    if constexpr (std::is_same_v<Out, on_host_t>) {
      const auto block = reduce_blocks(std::type_identity<result_space<Exec>>());
      return result_of<reducer_type>(r.reducer.result(*block.data, elements));
    } else {
      check_positions_along<reducer_type, value_of<Out>>(c, along, d.extents());
      deliver_results(c, d, along, out, [&](const auto& results) {
        const auto block = reduce_blocks(std::type_identity<typename Exec::memory_space>());
        write_results<Exec, reducer_type, value_of<Out>, 1>(exec, c.label, r.reducer, {block.data}, elements, results);
      });
      exec.fence(kernel_label(c.label));
    }
  }

 private:
  template <class... In>
  static Decomposition decomposition_of(const std::tuple<const In&...>& inputs) {
    return unpack([](const auto&... in) { return leading_field(in...).decomposition(); }, inputs);
  }

  /// The joined states of the elements, with the means of the whole array for reducers that take them.
  template <class Space, class Exec, class Reduction, class... Elements>
  static auto reduce_elements(call<Exec>& c, const Reduction& r, const Decomposition& d, const axis_set& along,
                              const Elements&... in) {
    using memory_space = typename Exec::memory_space;
    pool_block<memory_space> held;
    const auto beside = inputs_beside(r, along, d.extents(), [&](const auto& mean) {
      using reducer = std::remove_cvref_t<decltype(mean.reducer)>;
      using S = result_of<reducer>;
      const auto block = states_of_ranks<memory_space>(c, mean.reducer, d, along, [&](const auto& states) {
        reduce_to_states(c, mean, along, states, std::tuple<>(), in...);
      });
      const scratch_block<S, Exec> found(c.exec, along.part(d.local().extents, false));
      held = found.block;
      write_results<Exec, reducer, S, 1>(c.exec, c.label, mean.reducer, {block.data},
                                         along.part(d.extents(), true).size(), found);
      return strided<S>(found);
    });
    return states_of_ranks<Space>(c, r.reducer, d, along,
                                  [&](const auto& states) { reduce_to_states(c, r, along, states, beside, in...); });
  }
};

}  // namespace quern::impl

#endif
