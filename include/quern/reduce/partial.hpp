// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_PARTIAL_HPP
#define QUERN_REDUCE_PARTIAL_HPP

/// @file
/// Reductions of arrays in parts: parts are reduced to states of the reducer, which are joined, and results are made of
/// the states of all.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/call.hpp>

namespace quern::impl {

/// Reduces a part of an array to the states of the reducer.
template <class Exec, class Reduction, class State, class... Beside, class... Elements>
void reduce_to_states(call<Exec>& c, const Reduction& r, const axis_set& along, const strided<State>& states,
                      const std::tuple<Beside...>& beside, const Elements&... in) {
  const reducer_of_states<reducer_of<Reduction>> reducer{r.reducer};
  unpack(
      [&](const auto&... more) {
        reduce_launch(c.exec, c.label, c.scratch(),
                      describe_reduction<Exec>(reducer, r.transform, along, states, in..., more...));
      },
      beside);
}

/// out(i) = the result of the states of all slots.
template <class Reducer, class Out, int Slots>
struct finish_states {
  Reducer reducer;
  Kokkos::Array<const typename Reducer::state*, Slots> slot;  // null where a slot has had no chunk
  std::int64_t n;
  Out* out;
  row_nest<2> nest;  // of results and of states
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t j;
    const auto o = nest.at_item(i, nest.inner, 1, j);
    auto s = reducer.init();
    for (int k = 0; k < Slots; ++k)
      if (slot[k] != nullptr) reducer.join(s, slot[k][o.of[1]]);
    out[o.of[0]] = convert<Out>(reducer.result(s, n));
  }
};
/// Writes the results of n elements each; asynchronous.
template <class Exec, class Reducer, class Out, std::size_t Slots>
void write_results(const Exec& exec, const std::string& label, const Reducer& reducer,
                   const std::array<const typename Reducer::state*, Slots>& slot, std::int64_t n,
                   const strided<Out>& out) {
  const row_nest<2> nest(make_loop_nest<2>(out.extents, {out.stride, row_major_strides(out.extents)}));
  finish_states<Reducer, Out, static_cast<int>(Slots)> kernel{reducer, {}, n, out.data, nest};
  for (std::size_t k = 0; k < Slots; ++k) kernel.slot[k] = slot[k];
  Kokkos::parallel_for(kernel_label(label, "/finish"), index_range(exec, out.extents.size()), kernel);
}

}  // namespace quern::impl

#endif
