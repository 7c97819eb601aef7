// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANK_STATES_HPP
#define QUERN_DISTRIBUTED_RANK_STATES_HPP

/// @file
/// Reductions across ranks: each reduces its block to the states of the reducer, MPI joins these in the order of ranks,
/// and results are made of the states of all.

#include <functional>
#include <quern/core/pool.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/reduce/partial.hpp>
#include <quern/transfer/staging.hpp>

namespace quern::distributed::impl {

/// The states of ranks as an operation of MPI: with the reducer of the call that is under way on this thread.
template <class Reducer>
struct joined_states {
  using state = typename Reducer::state;
  static inline thread_local const Reducer* reducer = nullptr;

  static void join(void* lower, void* upper, int* n, MPI_Datatype*) {
    for (int i = 0; i < *n; ++i) {
      state s = reducer->init(), t = reducer->init();
      std::memcpy(&s, static_cast<std::byte*>(lower) + i * sizeof(state), sizeof(state));
      std::memcpy(&t, static_cast<std::byte*>(upper) + i * sizeof(state), sizeof(state));
      reducer->join(s, t);
      std::memcpy(static_cast<std::byte*>(upper) + i * sizeof(state), &s, sizeof(state));
    }
  }
};

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

/// What a reduction of a rank's block writes to in place of its results.
template <class Exec, class Result>
class rank_states : public partial_base {
 public:
  /// @param to_host whether there is one result, for the host
  rank_states(const Exec& exec, const Decomposition& d, bool to_host) : exec_(exec), blocks_(d), to_host_(to_host) {}

  template <class Reduction, class Reducer, class... Elements>
  void add(call<Exec>& c, const Reduction& r, const Reducer& reducer, const axis_set& along, const shape& extents,
           const Elements&... in) const {
    const shape& whole = blocks_.extents();
    check_elements(c, r, along, whole);
    check_positions_along<Reducer, Result>(c, along, whole);
    const shape rest = along.part(extents, false);
    const std::int64_t n = along.part(whole, true).size();
    const auto extra = additional_inputs<Reducer>(c, along, extents, in...);
    const auto launch_values = [&](const strided<typename Reducer::state>& out) {
      const auto launch = [&](const auto& f, const auto&... leaf) {
        const reducer_of_states<Reducer> by_state{reducer};
        if constexpr (uses_positions<Reducer>)
          reduce_launch(c.exec, c.label, c.scratch(), by_state, f, along, out, leaf...,
                        block_positions(along, extents));
        else reduce_launch(c.exec, c.label, c.scratch(), by_state, f, along, out, leaf...);
      };
      unpack([&](const auto&... more) { with_leaves(r.transform, launch, in..., more...); }, extra);
    };
    if (to_host_) {
      const auto block = reduced<result_space<Exec>>(reducer, along, rest, launch_values);
      value_ = static_cast<Result>(reducer.result(*state_of<Reducer>(block), n));
      return;
    }
    const auto block = reduced<memory_space>(reducer, along, rest, launch_values);
    finish_ = [=, this, label = c.label](const strided<Result>& results) {
      Kokkos::parallel_for(label + "/finish", policy(rest.size()),
                           finish_states<Reducer, Result, 1>{
                               reducer,
                               {state_of<Reducer>(block)},
                               n,
                               results.data,
                               row_nest<2>(make_loop_nest<2>(rest, {results.stride, row_major_strides(rest)}))});
    };
  }

  const Result& value() const { return value_; }
  /// Asynchronous.
  void write(const strided<Result>& results) const { finish_(results); }

 private:
  using memory_space = typename Exec::memory_space;
  template <class Reducer, class Block>
  static typename Reducer::state* state_of(const Block& block) {
    return reinterpret_cast<typename Reducer::state*>(block.data());
  }
  auto policy(std::int64_t n) const { return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, n); }

  /// The joined states of all ranks, one for each result, in memory of that space.
  template <class Space, class Reducer, class Launch>
  pool_block<Space> reduced(const Reducer& reducer, const axis_set& along, const shape& rest,
                            const Launch& launch_values) const {
    const std::int64_t count = rest.size();
    const auto block = take_block<Space>(instance_ref(exec_), count * sizeof(typename Reducer::state));
    auto* states = state_of<Reducer>(block);
    if (along.part(blocks_.local().extents, true).size() == 0)
      Kokkos::parallel_for("quern::distributed/empty", policy(count), first_states<Reducer>{reducer, states});
    else if (count > 0) launch_values(strided<typename Reducer::state>{states, rest, row_major_strides(rest)});
    if constexpr (uses_positions<Reducer>) {
      const std::int64_t moved = first_position(along);
      if (moved != 0)
        Kokkos::parallel_for("quern::distributed/positions", policy(count), move_positions<Reducer>{states, moved});
    }
    join<Space>(reducer, along, states, count);
    return block;
  }

  /// The position of the block's first element in the whole array, along the axes of the reduction.
  std::int64_t first_position(const axis_set& along) const {
    const auto positions = positions_along(blocks_.extents(), along);
    std::int64_t first = 0;
    for (int d = 0; d < blocks_.extents().rank; ++d)
      first += blocks_.local().first.extent[d] * positions.array.stride[d];
    return first;
  }

  /// Joins the states of the ranks that share results.
  template <class Space, class Reducer>
  void join(const Reducer& reducer, const axis_set& along, typename Reducer::state* states, std::int64_t count) const {
    using state = typename Reducer::state;
    std::array<bool, max_rank> axes{};
    bool cut = false;
    for (int d = 0; d < blocks_.extents().rank; ++d) {
      axes[d] = along.has(d);
      cut = cut || (axes[d] && blocks_.grid(d) > 1);
    }
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible;
    if constexpr (on_host) exec_.fence("quern::distributed: states");
    if (!cut || count == 0) return;
    if constexpr (on_host) {
      join_on_host(reducer, axes, states, count);
    } else if (joins_by_kernels<Exec>(blocks_.communicator(), count * static_cast<std::int64_t>(sizeof(state)))) {
      shared_items<Exec, state>(blocks_.communicator(), exec_, "quern::distributed", ranks_along(blocks_, axes), states,
                                count)
          .join(join_by<Reducer>{reducer});
    } else {
      const host_values<Exec, state> values(exec_, states, count);
      join_on_host(reducer, axes, values.data(), count);
      values.write();
    }
  }
  template <class Reducer>
  void join_on_host(const Reducer& reducer, const std::array<bool, max_rank>& axes, typename Reducer::state* states,
                    std::int64_t count) const {
    joined_states<Reducer>::reducer = &reducer;
    all_reduce(blocks_.along(axes), states, count, sizeof(*states), joined_states<Reducer>::join);
  }

  /// The positions of the block's elements in the whole array, counted from that of the first.
  position_input block_positions(const axis_set& along, const shape& extents) const {
    position_input positions = positions_along(blocks_.extents(), along);
    positions.array.extents = extents;
    return positions;
  }

  /// What a reducer needs beside the values: the means of the whole array.
  template <class Reducer, class... Elements>
  auto additional_inputs(call<Exec>& c, const axis_set& along, const shape& extents, const Elements&... in) const {
    if constexpr (requires { typename Reducer::uses_mean; }) {
      const auto means = means_of<typename Reducer::uses_mean>(c, along, extents, in...);
      return std::tuple(expanded<leaf_part, std::remove_const_t<decltype(means)>>{{}, {means}});
    } else {
      return std::tuple();
    }
  }

  /// The reproducible means of the whole array, broadcast to the extents of the block.
  template <class S, class Elements>
  auto means_of(call<Exec>& c, const axis_set& along, const shape& extents, const Elements& in) const {
    const mean_reducer<S, reproducible_sum<S>> reducer{};
    const auto r = reduction{"", op::identity(), [](const auto&) {}};
    const rank_states<Exec, S> means(exec_, blocks_, false);
    means.add(c, r, reducer, along, extents, in);
    const shape rest = along.part(extents, false);
    kept_ = take_block<memory_space>(instance_ref(exec_), rest.size() * sizeof(S));
    const auto strides = row_major_strides(rest);
    means.write({reinterpret_cast<S*>(kept_.data()), rest, strides});
    array_input<S> broadcast{{reinterpret_cast<S*>(kept_.data()), extents, {}}};
    for (int d = 0, k = 0; d < extents.rank; ++d)
      if (!along.has(d)) broadcast.array.stride[d] = strides[k++];
    return broadcast;
  }

  template <class, class>
  friend class rank_states;
  Exec exec_;
  Decomposition blocks_;
  bool to_host_;
  mutable Result value_{};
  mutable pool_block<memory_space> kept_;
  mutable std::function<void(const strided<Result>&)> finish_;
};

}  // namespace quern::distributed::impl

#endif
