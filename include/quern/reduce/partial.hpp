// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_PARTIAL_HPP
#define QUERN_REDUCE_PARTIAL_HPP

/// @file
/// Reductions of arrays that come in chunks: `sum(exec, partial, chunk)` adds a chunk to the states of a reduction, and
/// `partial.finish(exec, out)` writes its results.

#include <array>
#include <functional>
#include <quern/core/pool.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/call.hpp>

namespace quern::impl {

/// A reducer whose results are its states.
template <class Reducer>
struct reducer_of_states : Reducer {
  using state = typename Reducer::state;
  KOKKOS_FUNCTION state result(const state& s, std::int64_t) const { return s; }
};

template <class State>
concept has_position = requires(const State& s) { s.at; };

/// total(i) = the state of both, in which positions of the chunk become those of the whole array; or that of the chunk.
template <class Reducer>
struct join_states {
  using state = typename Reducer::state;
  Reducer reducer;
  state* total;
  state* chunk;
  std::int64_t moved;
  bool first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    state s = chunk[i];
    if constexpr (uses_positions<Reducer>)
      if (s.at != Reducer::nowhere) s.at += moved;
    if (!first) {
      state t = total[i];
      reducer.join(t, s);
      s = t;
    }
    total[i] = s;
  }
};

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

/// The states of a reduction while the chunks of an array come by, some for each of several instances.
///
/// @tparam Slots  the instances that work on chunks at a time
/// @tparam Result the type of a result
template <class Exec, class Result, int Slots>
class partial_states : public partial_base {
 public:
  partial_states(const Exec& exec, const shape& whole, int axis) : exec_(exec), whole_(whole), axis_(axis) {}

  /// The chunk that comes next, which begins at `first` along the axis, and the slot whose instance works on it.
  void next_chunk(std::int64_t first, int slot) {
    first_ = first;
    slot_ = slot;
  }
  /// The mean of all, which reproducible variances need first.
  void set_mean(double mean) { mean_ = mean; }

  /// What a reduction does in place of writing results.
  template <class Reduction, class Reducer, class... Elements>
  void add(call<Exec>& c, const Reduction& r, const Reducer& reducer, const axis_set& along, const shape& extents,
           const Elements&... in) const {
    using state = typename Reducer::state;
    check_elements(c, r, along, whole_);
    check_positions_along<Reducer, Result>(c, along, whole_);
    const shape rest = along.part(extents, false);
    const std::int64_t count = rest.size();
    auto& part = part_[slot_];
    const bool first = part.total.size() == 0;
    if (first) {
      part.total = take_block<memory_space>(instance_ref(exec_), count * sizeof(state));
      part.chunk = take_block<memory_space>(instance_ref(exec_), count * sizeof(state));
    }
    auto* total = reinterpret_cast<state*>(part.total.data());
    auto* chunk = reinterpret_cast<state*>(part.chunk.data());
    const strided<state> out{chunk, rest, row_major_strides(rest)};
    shape counted = extents;  // positions are those in the whole array
    counted.extent[axis_] = whole_.extent[axis_];
    const std::int64_t moved = first_ * positions_along(counted, along).array.stride[axis_];
    launch(c, r, reducer, along, counted, out, in...);
    Kokkos::parallel_for(c.label + "/join",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(c.exec, 0, count),
                         join_states<Reducer>{reducer, total, chunk, moved, first});
    finish_ = [this, reducer, along, rest, label = c.label](const strided<Result>& results) {
      finish_states<Reducer, Result, Slots> kernel{
          reducer,
          {},
          along.part(whole_, true).size(),
          results.data,
          row_nest<2>(make_loop_nest<2>(rest, {results.stride, row_major_strides(rest)}))};
      for (int k = 0; k < Slots; ++k)
        kernel.slot[k] = part_[k].total.size() == 0 ? nullptr : reinterpret_cast<const state*>(part_[k].total.data());
      Kokkos::parallel_for(label + "/finish",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, rest.size()), kernel);
    };
  }

  /// The results, when the instances of all chunks have been waited for; asynchronous.
  void finish(const strided<Result>& results) const { finish_(results); }

 private:
  using memory_space = typename Exec::memory_space;
  struct states {
    pool_block<memory_space> total, chunk;
  };

  template <class Reduction, class Reducer, class Out, class... Elements>
  void launch(call<Exec>& c, const Reduction& r, const Reducer& reducer, const axis_set& along, const shape& counted,
              const Out& out, const Elements&... in) const {
    const reducer_of_states<Reducer> by_state{reducer};
    const auto launch = [&](const auto& f, const auto&... leaf) {
      reduce_launch(c.exec, c.label, c.scratch(), by_state, f, along, out, leaf...);
    };
    if constexpr (requires { typename Reducer::uses_mean; }) {
      scalar_input<typename Reducer::uses_mean> mean{static_cast<typename Reducer::uses_mean>(mean_)};
      mean.array.extents = counted;
      with_leaves(r.transform, launch, in..., expanded<leaf_part, decltype(mean)>{{}, {mean}});
    } else if constexpr (uses_positions<Reducer>) {
      const position_input positions = positions_along(counted, along);
      with_leaves(r.transform, [&](const auto& f, const auto&... leaf) { launch(f, leaf..., positions); }, in...);
    } else {
      with_leaves(r.transform, launch, in...);
    }
  }

  Exec exec_;
  shape whole_;
  int axis_;
  std::int64_t first_ = 0;
  int slot_ = 0;
  double mean_ = 0;
  mutable std::array<states, Slots> part_{};
  mutable std::function<void(const strided<Result>&)> finish_;
};

}  // namespace quern::impl

#endif
