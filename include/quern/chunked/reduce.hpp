// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_REDUCE_HPP
#define QUERN_CHUNKED_REDUCE_HPP

/// @file
/// Reductions of arrays that come in chunks. Results have the types and the accuracy of the operation in memory; with
/// `reproducible` they have its bits, and without, those of the order of the chunks, which the memory decides. All
/// calls wait, also where all data are in reach.

#include <quern/chunked/operands.hpp>
#include <quern/chunked/states.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern::chunked::impl {

/// A reduction of inputs of which some come in chunks.
template <class Exec, class Reduction, class... In>
class reduction_in_chunks {
 public:
  using reducer_type = reducer_of<Reduction>;

  reduction_in_chunks(const Reduction& r, const Exec& exec, const chunking& settings, const axes* wanted,
                      const In&... in)
      : reduction_(r),
        exec_(exec),
        in_(as_chunk_operand<Exec>(in)...),
        plan_{r.label, operand_extents(r.label, std::get<0>(in_))},
        along_(unpack(
            [&](const auto&... operand) {
              return check_reduction(call<Exec>(r.label, exec), wanted, {operand_extents(r.label, operand)...});
            },
            in_)) {
    if (plan_.extents.rank == 0) throw Error(plan_.label, "in of rank 0 is one element, in memory");
    plan_.settings = settings;
    plan_.axis = axis_of_call(rank, in_);
    std::size_t number = 0;
    const auto join = [&](auto& i) { i.join_call(exec, plan_, input_name(number)); };
    std::apply([&](auto&... operand) { ((for_each_input(join, operand), ++number), ...); }, in_);
    check_elements(call<Exec>(plan_.label, exec), r, along_, plan_.extents);
  }

  /// The extents of the results.
  shape extents() const { return along_.part(plan_.extents, false); }

  /// Rejects an output that shares memory with an input.
  template <class Result>
  void check_output(const strided<Result>& out) {
    std::size_t number = 0;
    const auto check = [&](const auto& i) {
      if (i.memory().data != nullptr) check_overlap(plan_.label, out, i.memory(), input_name(number), false);
    };
    std::apply([&](auto&... operand) { ((for_each_input(check, operand), ++number), ...); }, in_);
  }

  /// Writes the results, of rank `Rank`, to memory that `exec` reaches; asynchronous in the end.
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

  /// Calls `f(part...)` with the inputs in a chunk.
  template <class F>
  void with_parts(const chunk& c, const F& f) const {
    unpack([&](const auto&... operand) { f(operand_in<Exec, rank>(operand, plan_, c)...); }, in_);
  }

  /// Reductions along the axis of the chunks: their states are joined.
  template <class R, class Beside, class Result>
  void joined(const R& r, const Beside& beside, const strided<Result>& results) const {
    chunk_states<Exec, reducer_of<R>, slots> states(exec_, r.reducer, along_, plan_.extents, plan_.axis);
    run<Exec>(exec_, plan_, [&](const Exec& e, const chunk& c) {
      call<Exec> part(plan_.label, e);
      with_parts(c, [&](const auto&... in) { states.add(part, r, c.first, c.slot, beside, part.elements(in)...); });
    });
    states.finish(plan_.label, results);
    exec_.fence(plan_.label);
  }

  /// The reproducible means that a variance is taken about, for which the inputs are read once before.
  template <class Mean>
  auto means(const Mean& mean) {
    using S = result_of<reducer_of<Mean>>;
    const shape rest = extents();
    means_ = take_block<typename Exec::memory_space>(instance_ref(exec_), rest.size() * sizeof(S));
    const strided<S> found{reinterpret_cast<S*>(means_.data()), rest, row_major_strides(rest)};
    joined(mean, std::tuple<>(), found);
    return found;
  }

  /// Reductions along other axes: each chunk has results of its own, along an axis of the results.
  template <int Rank, class Result, class... Options>
  void separate(const strided<Result>& results, const Options&... options) const {
    shape before = plan_.extents;
    before.rank = plan_.axis;
    const int axis = along_.part(before, false).rank;
    run<Exec>(exec_, plan_, [&](const Exec& e, const chunk& c) {
      auto part = results;
      part.data += c.first * part.stride[axis];
      part.extents.extent[axis] = c.count;
      with_parts(c, [&](const auto&... in) {
        engine<in_memory, reductions>::run(reduction_, e, as_part<Exec, Rank>(part), std::tie(in...), options...);
      });
    });
  }

  const Reduction& reduction_;
  const Exec& exec_;
  std::tuple<decltype(as_chunk_operand<Exec>(std::declval<const In&>()))...> in_;
  plan plan_;
  axis_set along_;
  pool_block<typename Exec::memory_space> means_{};
};

}  // namespace quern::chunked::impl

namespace quern::impl {

/// Reductions of arrays that come in chunks.
template <>
struct engine<in_chunks_place, reductions> {
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static auto run(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<const In&...>& inputs,
                  const Options&... options) {
    namespace chunked = quern::chunked::impl;
    constexpr bool to_host = std::is_same_v<Out, on_host_t>;
    const auto others = select_options<false>(options...);
    if constexpr ((chunked::resident<Exec, Out> && ... && chunked::resident<Exec, In>)) {
      return unpack([&](const auto&... in) { return in_reach(r, exec, chunked::in_place(out), others, in...); },
                    unpack([](const auto&... in) { return std::tuple(chunked::in_place(in)...); }, inputs));
    } else {
      auto whole = unpack(
          [&](const auto&... in) {
            return chunked::reduction_in_chunks<Exec, Reduction, In...>(r, exec, chunked::settings_of(options...),
                                                                        find_option<axes>(options...), in...);
          },
          inputs);
      if constexpr (to_host) {
        using result = result_of<reducer_of<Reduction>>;
        const auto place = take_block<result_space<Exec>>(instance_ref(exec), sizeof(result));
        whole.template write<0>(strided<result>{reinterpret_cast<result*>(place.data()), {}, {}});
        return result(*reinterpret_cast<const result*>(place.data()));
      } else {
        write(r.label, exec, out, whole, others);
      }
    }
  }

 private:
  template <class Reduction, class Exec, class Out, class... Options, class... In>
  static auto in_reach(const Reduction& r, const Exec& exec, const Out& out, const std::tuple<Options...>& options,
                       const In&... in) {
    return unpack(
        [&](const auto&... option) {
          if constexpr (std::is_same_v<Out, on_host_t>) {
            return engine<in_memory, reductions>::run(r, exec, out, std::tie(in...), option...);
          } else {
            engine<in_memory, reductions>::run(r, exec, out, std::tie(in...), option...);
            exec.fence(r.label);
          }
        },
        options);
  }

  /// Results for a View; for one that is not in reach by way of another one.
  template <class Exec, class Out, class Whole, class... Options>
  static void write(const char* label, const Exec& exec, const Out& out, Whole& whole,
                    const std::tuple<Options...>& options) {
    namespace chunked = quern::chunked::impl;
    const auto write_to = [&](const strided<value_of<Out>>& results) {
      unpack([&](const auto&... option) { whole.template write<rank_of<Out>>(results, option...); }, options);
    };
    if constexpr (chunked::resident<Exec, Out>) {
      const call<Exec> c(label, exec);
      const auto results = c.output(chunked::in_place(out));
      check_extents(label, "out", results.extents, whole.extents());
      whole.check_output(results);
      write_to(results);
    } else {
      static_assert(chunked::is_chunked_view<Out>,
                    "quern: results of a reduction are written to a View, not to a sink");
      check_extents(label, "out", out.extents(), whole.extents());
      whole.check_output(describe(out.view.data(), out.view));
      const scratch_array<Exec, value_of<Out>> memory(exec, whole.extents().size());
      const strided<value_of<Out>> results{memory.data(), whole.extents(), row_major_strides(whole.extents())};
      write_to(results);
      quern::copy(exec, out.view, chunked::as_part<Exec, rank_of<Out>>(results));
      exec.fence(label);
    }
  }
};

}  // namespace quern::impl

#endif
