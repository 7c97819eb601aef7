// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANK_STATES_HPP
#define QUERN_DISTRIBUTED_RANK_STATES_HPP

/// @file
/// Reductions across ranks: each reduces its block to the states of the reducer, MPI joins these in the order of ranks,
/// and results are made of the states of all.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/reduce/partial.hpp>
#include <quern/transfer/staging.hpp>

namespace quern::impl {

template <class Reducer>
struct join_by {
  Reducer reducer;
  KOKKOS_FUNCTION void operator()(typename Reducer::state& lower, const typename Reducer::state& upper) const {
    reducer.join(lower, upper);
  }
};
template <class Reducer>
struct first_states {
  Reducer reducer;
  typename Reducer::state* states;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { states[i] = reducer.init(); }
};
template <class Reducer>
struct move_positions {
  typename Reducer::state* states;
  std::int64_t moved;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Reducer::move(states[i], moved); }
};

/// The position of the block's first element in the whole array, along the axes of a reduction.
inline std::int64_t first_position(const Decomposition& d, const axis_set& along) {
  const auto positions = positions_along(d.extents(), along);
  const shape begin = d.local().first;
  std::int64_t first = 0;
  for (int axis = 0; axis < begin.rank; ++axis) first += begin.extent[axis] * positions.array.stride[axis];
  return first;
}

/// Joins the states of the ranks that share results, in memory of that space.
template <class Space, class Exec, class Reducer>
void join_over_ranks(const call<Exec>& c, const Decomposition& d, const axis_set& along, const Reducer& reducer,
                     typename Reducer::state* states, std::int64_t count) {
  using state = typename Reducer::state;
  std::array<bool, max_rank> axes{};
  bool cut = false;
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    axes[axis] = along.has(axis);
    cut = cut || (axes[axis] && d.grid(axis) > 1);
  }
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible;
  if constexpr (on_host) c.exec.fence(kernel_label(c.label, ": states"));
  if (!cut) return;
  const Communicator& group = d.along(axes);  // collective at first: ranks without results take part
  if (count == 0) return;
  const join_by<Reducer> join{reducer};
  const state start = reducer.init();
  if constexpr (on_host) {
    all_reduce(group, states, count, sizeof(state), mpi_operation<state, join_by<Reducer>>::of(join, start));
  } else {
    // Results that stay on devices, as those of all elements do in a time loop, make no host wait.
    const Communicator& all = d.communicator();
    const bool waits = all.transport() != device_transport::nccl || group.size() < all.size();
    if (waits || joins_by_kernels<Exec>(all, count * static_cast<std::int64_t>(sizeof(state))))
      join_items<false>(c.exec, all, group, c.label, states, count, start, join);
    else join_gathered(c.exec, all, c.label, states, count, join);
  }
}

/// Reduces the blocks, by `reduce(states)`, and joins: the states of the ranks that share results, one for each result
/// of the block, are in memory of that space.
template <class Space, class Exec, class Reducer, class Reduce>
auto states_of_ranks(call<Exec>& c, const Reducer& reducer, const Decomposition& d, const axis_set& along,
                     const Reduce& reduce) {
  const shape own = d.local().extents, rest = along.part(own, false);
  const pool_array<typename Reducer::state, Space> block(c.exec, rest);
  if (along.part(own, true).size() == 0)
    launch_units(c.exec, label_text(c.label, "/empty"), rest.size(), first_states<Reducer>{reducer, block.data});
  else if (rest.size() > 0) reduce(strided<typename Reducer::state>(block));
  if constexpr (uses_positions<Reducer>) {
    const std::int64_t moved = first_position(d, along);
    if (moved != 0)
      launch_units(c.exec, label_text(c.label, "/positions"), rest.size(), move_positions<Reducer>{block.data, moved});
  }
  join_over_ranks<Space>(c, d, along, reducer, block.data, rest.size());
  return block;
}

}  // namespace quern::impl

#endif
