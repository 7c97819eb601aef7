// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_REDUCING_MAP_HPP
#define QUERN_DISTRIBUTED_REDUCING_MAP_HPP

#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/reduce/several_reductions.hpp>

namespace quern::impl {

/// A reducer of several of which result number J is wanted.
template <std::size_t J, class Reducer>
struct reducer_of_part : Reducer {
  KOKKOS_FUNCTION auto result(const typename Reducer::state& s, std::int64_t n) const {
    return get<J>(Reducer::result(s, n).of);
  }
};

/// The reductions of a call in the message of calls that differ between ranks.
template <class Reductions, class Outs>
std::string text_of_reductions(const Reductions& reductions, const Outs& outs, int rank) {
  const auto text = [&](const auto& reduced, const auto& r) {
    return " with " + static_cast<const std::string&>(r.label) + text_of_axes(reduced.along(), rank) +
           text_of_operand(reduced.out) + text_of_reducer(r.reducer);
  };
  return [&]<std::size_t... K>(std::index_sequence<K...>, const auto& reduced) {
    return (std::string() + ... + text(std::get<K>(reduced), std::get<K>(reductions.each)));
  }(std::make_index_sequence<Reductions::reduced::size()>(), select(outs, typename Reductions::reduced()));
}

/// Rejects outputs of reductions along some axes, beside arrays that are cut like `d` and inputs.
template <bool LastIsMask = false, class... To, class Arrays, class... In>
void check_reduced_over_ranks(const std::string& label, const Decomposition& d, const axis_set& along,
                              const std::tuple<To...>& to, const Arrays& arrays, const In&... in) {
  check_reduced<LastIsMask>(label, to, along.part(d.extents(), false), arrays, in...);
  unpack([&](const auto&... out) { (check_communicator(label, d, out), ...); }, to);
}

/// Where the states of ranks are for results that go to these outputs.
template <class Exec, class... To>
using space_of_states =
    std::conditional_t<(std::is_same_v<To, on_host_t> || ...), result_space<Exec>, typename Exec::memory_space>;

/// Brings the results of joined states, of `elements` values each, to the outputs of a call's reductions: Views, which
/// get them on every rank, or DistributedViews. `amend(reducer, results)` is called with what has been written for
/// each.
template <class Exec, class Reducer, class Amend, class... To>
auto deliver_over_ranks(const call<Exec>& c, const typename Reducer::state* states, const Reducer& reducer,
                        const Decomposition& d, const axis_set& along, std::int64_t elements, const Amend& amend,
                        const std::tuple<To...>& to) {
  results_of_ranks<Exec> results(c, d, along);
  const auto write = [&]<class Part, class Out>(const Part& part, const Out& out) {
    if constexpr (!std::is_same_v<Out, on_host_t>) {
      const auto memory = results.memory_for(out);
      write_results<Exec, Part, value_of<Out>, 1>(c.exec, c.label, part, {states}, elements, memory);
      amend(part, memory);
    }
  };
  [&]<std::size_t... J>(std::index_sequence<J...>) {
    if constexpr (sizeof...(To) == 1) (write(reducer, std::get<J>(to)), ...);
    else (write(reducer_of_part<J, Reducer>{reducer}, std::get<J>(to)), ...);
  }(std::index_sequence_for<To...>());
  results.deliver();
  if constexpr ((std::is_same_v<To, on_host_t> || ...)) {
    const auto found = reducer.result(*states, elements);
    if constexpr (sizeof...(To) == 1) return found;
    else return host_results(found.of, typename numbers_where<std::is_same_v<To, on_host_t>...>::type());
  }
}
/// For results that are written as they are.
struct no_amendment {
  template <class Reducer, class Results>
  void operator()(const Reducer&, const Results&) const {}
};

/// Maps of DistributedViews with reductions among their outputs: each rank writes the cells of its block and reduces
/// them to one state for all reductions, which one message joins.
template <>
struct engine<over_ranks_place, reducing_maps> {
  template <class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const operation_name& label, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    static_assert(((is_reduced<Out> || array_of_blocks<Out>) && ...),
                  "quern: beside DistributedViews, out must be a DistributedView; "
                  "quern::distributed::to_global brings all blocks to a View");
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    const auto reductions = reductions_of<rank, In...>(exec, outs, f);
    if constexpr (are_described<decltype(reductions)>) {
      const auto arrays = select(outs, typename decltype(reductions)::arrays());
      const Decomposition& d = std::get<0>(arrays).decomposition();
      check_same_arrays(
          d.communicator(), label, [&] { return text_of_reductions(reductions, outs, rank); }, arrays, inputs);
      call<Exec> c(label, exec);
      const axis_set along = axes_of_reductions(c.label, outs, rank);
      const auto whole_f = count_in_whole<In...>(f, part_origin<rank>(d.local().first));
      const auto to = reduced_outputs(outs);
      const auto map = check_together(d.communicator(), c.label, [&] {
        return checked_map<selects_by_mask<F>, rank>(c, reductions, along, d, arrays, to, whole_f, inputs);
      });
      return deliver(c, map, reductions.reducer(), d, to);
    }
  }

 private:
  template <bool Masked, int Rank, class Exec, class Reductions, class Arrays, class To, class F, class... In>
  static auto checked_map(call<Exec>& c, const Reductions& reductions, const axis_set& along, const Decomposition& d,
                          const Arrays& arrays, const To& to, const F& f, const std::tuple<const In&...>& inputs) {
    unpack([&](const auto&... o) { (check_same_blocks(c.label, "another output", d, o.decomposition()), ...); },
           arrays);
    reductions.check_elements(c, along, d.extents());
    const auto locals = unpack([](const auto&... o) { return std::tuple(o.local()...); }, arrays);
    auto map = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return make_reducing_map<Rank>(c, reductions, along, locals, f,
                                     operand_at_block<Rank>(c.label, I, std::get<I>(inputs), d)...);
    }(std::index_sequence_for<In...>());
    unpack([&](const auto&... in) { check_reduced_over_ranks<Masked>(c.label, d, along, to, arrays, in...); }, inputs);
    return map;
  }
  template <class Exec, class Map, class Reducer, class... To>
  static auto deliver(call<Exec>& c, const Map& map, const Reducer& reducer, const Decomposition& d,
                      const std::tuple<To...>& to) {
    const std::int64_t elements = map.along.part(d.extents(), true).size();
    const auto states = states_of_ranks<space_of_states<Exec, To...>>(c, reducer, d, map.along, [&](const auto& block) {
      map.launch(reducer_of_states<Reducer>{reducer}, block, d.extents());
    });
    return deliver_over_ranks(c, states.data, reducer, d, map.along, elements, no_amendment(), to);
  }
};

}  // namespace quern::impl

#endif
