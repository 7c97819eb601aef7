// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_HISTOGRAM_HPP
#define QUERN_CHUNKED_HISTOGRAM_HPP

#include <quern/chunked/operands.hpp>
#include <quern/core/call/label.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/map/functions.hpp>

namespace quern::impl {

/// Counts of arrays that come in chunks: those of each instance are added up, and then those of all. Waits.
template <>
struct engine<in_chunks_place, counts> {
  template <class Bin, class Exec, class Out, class... In, class... Options>
  static void run(const count_operation<Bin>& c, const Exec& exec, const Out& out,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    unpack(
        [&](const auto&... in) {
          if constexpr ((resident<Exec, In> && ...)) with_bins(exec, c.label, out, c.bin, as_resident(in)...);
          else chunk_by_chunk(c, exec, out, settings_of(options...), in...);
        },
        inputs);
    exec.fence(kernel_label(c.label));
  }

 private:
  template <class Bin, class Exec, class Out, class... In>
  static void chunk_by_chunk(const count_operation<Bin>& counted, const Exec& exec, const Out& out,
                             const chunking& settings, const In&... in) {
    using bins = Kokkos::View<value_of<Out>*, typename Exec::memory_space>;
    constexpr int rank = rank_of<std::tuple_element_t<0, std::tuple<In...>>>;  // weights broadcast
    chunk_inputs<Exec, rank, In...> from(in...);
    chunk_plan p = from.plan(counted.label, "in", operand_extents(counted.label, from.first()), settings);
    from.join(exec, p);
    std::array<bins, chunk_slots> total, here;
    for (int k = 0; k < chunk_slots; ++k) {
      total[k] = pool_view<bins>(exec, view_extents(out).size());
      here[k] = pool_view<bins>(exec, view_extents(out).size());
      quern::fill(exec, total[k], value_of<Out>(0));
    }
    run_chunks<Exec>(exec, p, [&](const Exec& e, const array_chunk& c) {
      from.with_parts(p, c,
                      [&](const auto&... part) { with_bins(e, counted.label, here[c.slot], counted.bin, part...); });
      quern::add(e, total[c.slot], total[c.slot], here[c.slot]);
    });
    quern::map(exec, out, op::identity(), total[0]);
    for (int k = 1; k < chunk_slots; ++k) quern::add(exec, out, out, total[k]);
  }
};

}  // namespace quern::impl

#endif
