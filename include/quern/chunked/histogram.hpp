// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_HISTOGRAM_HPP
#define QUERN_CHUNKED_HISTOGRAM_HPP

#include <quern/chunked/operands.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/map/functions.hpp>

namespace quern::impl {

/// Counts of arrays that come in chunks: those of each instance are added up, and then those of all. Waits.
template <>
struct engine<in_chunks_place, counts> {
  template <class Count, class Exec, class Out, class... In, class... Options>
  static void run(const count_operation<Count>& c, const Exec& exec, const Out& out,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    namespace chunked = quern::chunked::impl;
    unpack(
        [&](const auto&... in) {
          if constexpr ((chunked::resident<Exec, In> && ...)) c.count(exec, out, chunked::in_place(in)...);
          else chunk_by_chunk(c, exec, out, chunked::settings_of(options...), in...);
        },
        inputs);
    exec.fence(c.label);
  }

 private:
  template <class Count, class Exec, class Out, class... In>
  static void chunk_by_chunk(const count_operation<Count>& counted, const Exec& exec, const Out& out,
                             const chunking& settings, const In&... in) {
    namespace chunked = quern::chunked::impl;
    using bins = Kokkos::View<value_of<Out>*, typename Exec::memory_space>;
    constexpr int rank = std::max({rank_of<In>...});
    auto from = std::tuple(chunked::as_chunk_operand<Exec>(in)...);
    chunked::plan p{counted.label, operand_extents(counted.label, std::get<0>(from))};
    if (p.extents.rank == 0) throw Error(p.label, "in of rank 0 is one element, in memory");
    p.settings = settings;
    p.axis = chunked::axis_of_call(rank, from);
    std::size_t number = 0;
    const auto join = [&](auto& i) { i.join_call(exec, p, input_name(number)); };
    const auto add = [&](auto& operand) {
      check_extents(p.label, input_name(number), operand_extents(p.label, operand), p.extents);
      chunked::for_each_input(join, operand);
      ++number;
    };
    std::apply([&](auto&... operand) { (add(operand), ...); }, from);
    std::array<bins, chunked::slots> total, here;
    for (int k = 0; k < chunked::slots; ++k) {
      total[k] = pool_view<bins>(exec, extents_of(out).size());
      here[k] = pool_view<bins>(exec, extents_of(out).size());
      quern::fill(exec, total[k], value_of<Out>(0));
    }
    chunked::run<Exec>(exec, p, [&](const Exec& e, const chunked::chunk& c) {
      unpack(
          [&](const auto&... operand) {
            counted.count(e, here[c.slot], chunked::operand_in<Exec, rank>(operand, p, c)...);
          },
          from);
      quern::add(e, total[c.slot], total[c.slot], here[c.slot]);
    });
    quern::map(exec, out, op::identity(), total[0]);
    for (int k = 1; k < chunked::slots; ++k) quern::add(exec, out, out, total[k]);
  }
};

}  // namespace quern::impl

#endif
