// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANK_STATES_HPP
#define QUERN_DISTRIBUTED_RANK_STATES_HPP

/// @file
/// Reductions across ranks: each reduces its block to the states of the reducer, MPI joins these in the order of ranks,
/// and results are made of the states of all.

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
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (states[i].at != Reducer::nowhere) states[i].at += moved;
  }
};

/// The joined states of ranks: those of the blocks that share results.
template <class Exec, class Reducer>
class rank_states {
 public:
  using state = typename Reducer::state;
  rank_states(const Exec& exec, const Decomposition& d, const Reducer& reducer, const axis_set& along)
      : exec_(exec), blocks_(d), reducer_(reducer), along_(along) {}

  /// The number of elements that a result is of.
  std::int64_t elements() const { return along_.part(blocks_.extents(), true).size(); }

  /// Reduces the block, and joins; the states, one for each result of the block, are in memory of that space.
  template <class Space, class Reduction, class Beside, class... Elements>
  pool_array<state, Space> reduce(call<Exec>& c, const Reduction& r, const Beside& beside,
                                  const Elements&... in) const {
    const shape& own = blocks_.local().extents;
    const shape rest = along_.part(own, false);
    const std::int64_t count = rest.size();
    const pool_array<state, Space> block(exec_, rest);
    state* states = block.data;
    if (along_.part(own, true).size() == 0)
      Kokkos::parallel_for(c.label + "/empty", policy(count), first_states<Reducer>{reducer_, states});
    else if (count > 0) reduce_to_states(c, r, along_, strided<state>(block), beside, in...);
    if constexpr (uses_positions<Reducer>) {
      const std::int64_t moved = first_position();
      if (moved != 0)
        Kokkos::parallel_for(c.label + "/positions", policy(count), move_positions<Reducer>{states, moved});
    }
    join<Space>(c.label, states, count);
    return block;
  }

 private:
  auto policy(std::int64_t n) const { return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, n); }

  /// The position of the block's first element in the whole array, along the axes of the reduction.
  std::int64_t first_position() const {
    const auto positions = positions_along(blocks_.extents(), along_);
    std::int64_t first = 0;
    for (int d = 0; d < blocks_.extents().rank; ++d)
      first += blocks_.local().first.extent[d] * positions.array.stride[d];
    return first;
  }

  /// Joins the states of the ranks that share results.
  template <class Space>
  void join(const std::string& label, state* states, std::int64_t count) const {
    std::array<bool, max_rank> axes{};
    bool cut = false;
    for (int d = 0; d < blocks_.extents().rank; ++d) {
      axes[d] = along_.has(d);
      cut = cut || (axes[d] && blocks_.grid(d) > 1);
    }
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible;
    if constexpr (on_host) exec_.fence(label + ": states");
    if (!cut) return;
    const Communicator& group = blocks_.along(axes);  // collective at first: ranks without results take part
    if (count == 0) return;
    const join_by<Reducer> join{reducer_};
    const state start = reducer_.init();
    if constexpr (on_host)
      all_reduce(group, states, count, sizeof(state), mpi_operation<state, join_by<Reducer>>::of(join, start));
    else join_items<false>(blocks_.communicator(), group, exec_, label, states, count, start, join);
  }

  const Exec& exec_;
  const Decomposition& blocks_;
  Reducer reducer_;
  axis_set along_;
};

}  // namespace quern::impl

#endif
