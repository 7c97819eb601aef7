// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_REDUCE_HPP
#define QUERN_CHUNKED_REDUCE_HPP

/// @file
/// The reductions of quern/reduce/reduce.hpp of arrays that come in chunks, which the memory decides: states of chunks
/// are joined for each of the slots that chunks take in turn, in the order of its chunks, and then those of the slots,
/// in each run in the same order.

#include <quern/chunked/operands.hpp>
#include <quern/core/call/label.hpp>
#include <quern/reduce/partial.hpp>
#include <quern/reduce/reduce.hpp>

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
    if constexpr (uses_positions<Reducer>) Reducer::move(s, moved);
    if (!first) {
      state t = total[i];
      reducer.join(t, s);
      s = t;
    }
    total[i] = s;
  }
};

/// The states of the chunks that each slot has had, joined in the order of these.
template <class State, class Exec>
class states_of_chunks {
 public:
  states_of_chunks(const Exec& exec, const shape& results) : exec_(exec), results_(results) {}

  /// Joins the states of a chunk, which `reduce(states)` writes, and in whose positions the first is `moved`.
  template <class Reducer, class Reduce>
  void add(const Exec& e, const std::string& label, int slot, const Reducer& reducer, std::int64_t moved,
           const Reduce& reduce) {
    slot_states& s = slots_[slot];
    const bool is_first = s.total.block.size() == 0;
    if (is_first) s = {{exec_, results_}, {exec_, results_}};
    reduce(strided<State>(s.chunk));
    Kokkos::parallel_for(kernel_label(label, "/join"), index_range(e, results_.size()),
                         join_states<Reducer>{reducer, s.total.data, s.chunk.data, moved, is_first});
  }
  /// Those of each slot; null where it has had no chunk.
  std::array<const State*, chunk_slots> of_slots() const {
    std::array<const State*, chunk_slots> total{};
    for (int k = 0; k < chunk_slots; ++k) total[k] = slots_[k].total.data;
    return total;
  }

 private:
  struct slot_states {
    scratch_block<State, Exec> total, chunk;
  };
  const Exec& exec_;
  const shape results_;
  std::array<slot_states, chunk_slots> slots_{};
};
/// How far positions along some axes are in a chunk from those in the whole array.
inline std::int64_t position_of_chunk(const chunk_plan& p, const array_chunk& c, const axis_set& along) {
  return c.first * positions_along(p.extents, along).array.stride[p.axis];
}

/// A reduction of inputs of which some come in chunks.
template <class Exec, class Reduction, class... In>
class reduction_in_chunks {
 public:
  using reducer_type = reducer_of<Reduction>;

  reduction_in_chunks(const Reduction& r, const Exec& exec, const chunking& settings, const axes* wanted,
                      const In&... in)
      : reduction_(r),
        exec_(exec),
        in_(in...),
        along_(in_.with_operands([&](const auto&... operand) {
          return check_reduction(call<Exec>(r.label, exec), wanted, {operand_extents(r.label, operand)...});
        })),
        plan_(in_.plan(r.label, "in", operand_extents(r.label, in_.first()), settings)) {
    in_.join(exec, plan_);
    check_elements(call<Exec>(plan_.label, exec), r, along_, plan_.extents);
  }

  /// The extents of the results.
  shape extents() const { return along_.part(plan_.extents, false); }

  /// Rejects an output that shares memory with an input.
  template <class Result>
  void check_output(const strided<Result>& out) {
    in_.for_each(
        [&](const auto& array, const std::string& name) { check_input_apart(plan_.label, out, array, false, name); });
  }

  /// Writes the results, of rank `Rank` or, where it is not known when compiling, -1, to memory that `exec` reaches;
  /// asynchronous in the end.
  template <int Rank, class Result, class... Options>
  void write(const strided<Result>& results, const Options&... options) {
    check_positions_along<reducer_type, Result>(call<Exec>(plan_.label, exec_), along_, plan_.extents);
    if constexpr (Rank != 0)
      if (!along_.has(plan_.axis)) return separate<Rank>(results, options...);
    const auto beside =
        inputs_beside(reduction_, along_, plan_.extents, [&](const auto& mean) { return this->means(mean); });
    joined(reduction_, beside, results);
  }

 private:
  static constexpr int rank = std::max({rank_of<In>...});
  static_assert(rank > 0, "quern: the rank of what comes in chunks must be known when compiling");

  /// Reductions along the axis of the chunks, whose states are joined: first those of each instance.
  template <class R, class Beside, class Result>
  void joined(const R& r, const Beside& beside, const strided<Result>& results) const {
    using state = typename reducer_of<R>::state;
    states_of_chunks<state, Exec> states(exec_, extents());
    run_chunks<Exec>(exec_, plan_, [&](const Exec& e, const array_chunk& c) {
      call<Exec> part(plan_.label, e);
      states.add(e, plan_.label, c.slot, r.reducer, position_of_chunk(plan_, c, along_), [&](const auto& of_chunk) {
        in_.with_parts(plan_, c, [&](const auto&... in) {
          reduce_to_states(part, r, along_, of_chunk, beside, part.elements(in)...);
        });
      });
    });
    write_results(exec_, plan_.label, r.reducer, states.of_slots(), along_.part(plan_.extents, true).size(), results);
    exec_.fence(kernel_label(plan_.label));
  }

  /// The reproducible means that a variance is taken about, for which the inputs are read once before.
  template <class Mean>
  auto means(const Mean& mean) {
    using S = result_of<reducer_of<Mean>>;
    const scratch_block<S, Exec> found(exec_, extents());
    means_ = found.block;
    joined(mean, std::tuple<>(), strided<S>(found));
    return strided<S>(found);
  }

  /// Reductions along other axes: each chunk has results of its own, along an axis of the results.
  template <int Rank, class Result, class... Options>
  void separate(const strided<Result>& results, const Options&... options) const {
    shape before = plan_.extents;
    before.rank = plan_.axis;
    const int axis = along_.part(before, false).rank;
    run_chunks<Exec>(exec_, plan_, [&](const Exec& e, const array_chunk& c) {
      auto part = results;
      part.data += c.first * part.stride[axis];
      part.extents.extent[axis] = c.count;
      in_.with_parts(plan_, c, [&](const auto&... in) {
        engine<in_memory, reductions>::run(reduction_, e, as_part<Exec, Rank>(part), std::tie(in...), options...);
      });
    });
  }

  const Reduction& reduction_;
  const Exec& exec_;
  chunk_inputs<Exec, rank, In...> in_;
  axis_set along_;
  chunk_plan plan_;
  pool_block<typename Exec::memory_space> means_{};
};

/// Reductions of arrays that come in chunks.
template <>
struct engine<in_chunks_place, reductions> {
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static auto run(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<const In&...>& inputs,
                  const Options&... options) {
    constexpr bool to_host = std::is_same_v<Out, on_host_t>;
    const auto others = select_options<false>(options...);
    if constexpr ((resident<Exec, Out> && ... && resident<Exec, In>)) {
      const auto in = unpack([](const auto&... v) { return std::tuple(as_resident(v)...); }, inputs);
      const auto in_reach = [&](const auto&... option) {
        return engine<in_memory, reductions>::run(
            r, exec, as_resident(out), unpack([](const auto&... v) { return std::tie(v...); }, in), option...);
      };
      if constexpr (to_host) {
        return unpack(in_reach, others);
      } else {
        unpack(in_reach, others);
        exec.fence(kernel_label(r.label));
      }
    } else {
      auto whole = unpack(
          [&](const auto&... in) {
            return reduction_in_chunks<Exec, Reduction, In...>(r, exec, settings_of(options...),
                                                               find_option<axes>(options...), in...);
          },
          inputs);
      if constexpr (to_host) {
        using result = result_of<reducer_of<Reduction>>;
        const pool_array<result, result_space<Exec>> total(exec, shape());
        whole.template write<0>(strided<result>(total));
        return result(*total.data);
      } else {
        write(r.label, exec, out, whole, others);
      }
    }
  }

 private:
  /// Results for a View; for one that is not in reach by way of another one.
  template <class Exec, class Out, class Whole, class... Options>
  static void write(const operation_name& label, const Exec& exec, const Out& out, Whole& whole,
                    const std::tuple<Options...>& options) {
    const auto write_to = [&](const strided<value_of<Out>>& results) {
      unpack([&](const auto&... option) { whole.template write<rank_of<Out>>(results, option...); }, options);
    };
    if constexpr (resident<Exec, Out>) {
      const call<Exec> c(label, exec);
      const auto results = c.output(as_resident(out));
      check_extents(label, "out", results.extents, whole.extents());
      whole.check_output(results);
      write_to(results);
    } else {
      static_assert(is_chunked_view<Out>, "quern: results of a reduction are written to a View, not to a sink");
      check_extents(label, "out", out.extents(), whole.extents());
      whole.check_output(describe(out.view.data(), out.view));
      const scratch_array<Exec, value_of<Out>> memory(exec, whole.extents().size());
      const strided<value_of<Out>> results{memory.data(), whole.extents(), row_major_strides(whole.extents())};
      write_to(results);
      quern::copy(exec, out.view, as_part<Exec, rank_of<Out>>(results));
      exec.fence(kernel_label(label));
    }
  }
};

}  // namespace quern::impl

#endif
