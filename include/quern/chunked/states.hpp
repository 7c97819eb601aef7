// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_STATES_HPP
#define QUERN_CHUNKED_STATES_HPP

#include <quern/chunked/pipeline.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/reduce/partial.hpp>

namespace quern::impl {

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

/// The states of a reduction while the chunks of an array come by, for each of the instances that work on them.
template <class Exec, class Reducer>
class chunk_states {
 public:
  /// @param whole the extents of the array, which is cut along `axis`, one of the axes of the reduction
  chunk_states(const Exec& exec, const Reducer& reducer, const axis_set& along, const shape& whole, int axis)
      : exec_(exec), reducer_(reducer), along_(along), whole_(whole), axis_(axis) {}

  /// Adds a chunk from `first` on along the axis, on the instance of `c`, which is that of the slot.
  template <class Reduction, class Beside, class... Elements>
  void add(call<Exec>& c, const Reduction& r, std::int64_t first, int slot, const Beside& beside,
           const Elements&... in) {
    const shape rest = along_.part(whole_, false);
    const bool is_first = slot_[slot].total.block.size() == 0;
    if (is_first) slot_[slot] = {memory(exec_, rest), memory(exec_, rest)};
    const auto& [total, out] = slot_[slot];
    reduce_to_states(c, r, along_, strided<state>(out), beside, in...);
    const std::int64_t moved = first * positions_along(whole_, along_).array.stride[axis_];
    Kokkos::parallel_for(c.label + "/join",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(c.exec, 0, rest.size()),
                         join_states<Reducer>{reducer_, total.data, out.data, moved, is_first});
  }

  /// Writes the results, when the instances of all chunks have been waited for; asynchronous.
  template <class Result>
  void finish(const std::string& label, const strided<Result>& results) const {
    std::array<const state*, chunk_slots> total{};
    for (int k = 0; k < chunk_slots; ++k) total[k] = slot_[k].total.data;  // null where the slot has had no chunk
    write_results(exec_, label, reducer_, total, along_.part(whole_, true).size(), results);
  }

 private:
  using state = typename Reducer::state;
  using memory = scratch_block<state, Exec>;
  struct slot_states {
    memory total, chunk;
  };

  Exec exec_;
  Reducer reducer_;
  axis_set along_;
  shape whole_;
  int axis_;
  std::array<slot_states, chunk_slots> slot_{};
};

}  // namespace quern::impl

#endif
