// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_HISTOGRAM_HPP
#define QUERN_CHUNKED_HISTOGRAM_HPP

#include <quern/chunked/operands.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/map/functions.hpp>

namespace quern::chunked {
namespace impl {

/// Counts of chunks, `count(exec, counts, x, weights...)`, added up in out.
template <class Exec, class Out, class Count, class X, class... W>
void count_chunks(const char* label, const Exec& exec, const Out& out, const Count& count, const chunking& settings,
                  const X& x, const W&... weights) {
  static_assert(resident<Exec, Out>, "quern::chunked: out of a histogram must be in memory that exec reaches");
  if constexpr (resident<Exec, X> && (resident<Exec, W> && ...)) {
    count(exec, out, x, weights...);
    exec.fence(label);
  } else {
    using counts = Kokkos::View<value_of<Out>*, typename Exec::memory_space>;
    const std::int64_t bins = extents_of(out).size();
    auto from = std::tuple(input_in_chunks<Exec, X>(x), input_in_chunks<Exec, W>(weights)...);
    plan p{label, std::get<0>(from).extents()};
    p.settings = settings;
    if (p.extents.rank == 0) throw Error(label, "x of rank 0 is one value");
    p.axis = unpack([&](const auto&... in) { return axis_of(in...); }, from);
    std::size_t number = 0;
    const auto join = [&](auto& in) {
      check_extents(label, input_name(number++), in.extents(), p.extents);
      in.join(p.inputs, false);
    };
    std::apply([&](auto&... in) { (join(in), ...); }, from);
    std::array<counts, slots> total, here;
    for (int k = 0; k < slots; ++k) {
      total[k] = pool_view<counts>(exec, bins);
      here[k] = pool_view<counts>(exec, bins);
      quern::fill(exec, total[k], value_of<Out>(0));
    }
    run<Exec>(exec, p, [&](const Exec& e, const chunk& c) {
      unpack(
          [&](const auto&... in) {
            count(e, here[c.slot], as_part<Exec, std::remove_cvref_t<decltype(in)>::rank>(in.part(p, c, false))...);
          },
          from);
      quern::add(e, total[c.slot], total[c.slot], here[c.slot]);
    });
    quern::map(exec, out, op::identity(), total[0]);
    for (int k = 1; k < slots; ++k) quern::add(exec, out, out, total[k]);
    exec.fence(label);
  }
}

template <class Exec, class... Arguments>
void count_stream(const char* label, const Exec& exec, const Arguments&... arguments) {
  in_operation(label, [&] { count_chunks(label, exec, arguments...); });
}

}  // namespace impl

/// The weight of each value of a histogram: a View or a source of the extents of the values.
template <source_like V>
struct weights {
  V of;
};
template <class V>
weights(V) -> weights<V>;

/// `quern::histogram` of an array that need not fit into the memory of the execution space: how many values lie in each
/// of the equal bins of a range.
///
/// @param out     of rank 1, in memory that `exec` reaches
/// @param x       a View or a source
/// @param weights optional, `weights{w}`: a View or a source of the extents of x
///
/// Waits. @throws Error as `quern::histogram`; ChunkError if a chunk cannot be read
template <execution_space Exec, view_like Out, source_like X>
void histogram(const Exec& exec, const Out& out, const X& x, const bin_range& range, const chunking& settings = {}) {
  const auto count = [&](const auto& e, const auto& o, const auto& values) { quern::histogram(e, o, values, range); };
  impl::count_stream("quern::chunked::histogram", exec, out, count, settings, x);
}
template <execution_space Exec, view_like Out, source_like X, source_like W>
void histogram(const Exec& exec, const Out& out, const X& x, const bin_range& range, const weights<W>& w,
               const chunking& settings = {}) {
  const auto count = [&](const auto& e, const auto& o, const auto& values, const auto& of) {
    quern::histogram(e, o, values, range, quern::weights<std::remove_cvref_t<decltype(of)>>{of});
  };
  impl::count_stream("quern::chunked::histogram", exec, out, count, settings, x, w.of);
}

/// `quern::bincount`: how often each of the numbers 0 to n - 1 is among the elements of x, n the extent of out.
template <execution_space Exec, view_like Out, source_like X>
void bincount(const Exec& exec, const Out& out, const X& x, const chunking& settings = {}) {
  const auto count = [&](const auto& e, const auto& o, const auto& values) { quern::bincount(e, o, values); };
  impl::count_stream("quern::chunked::bincount", exec, out, count, settings, x);
}
template <execution_space Exec, view_like Out, source_like X, source_like W>
void bincount(const Exec& exec, const Out& out, const X& x, const weights<W>& w, const chunking& settings = {}) {
  const auto count = [&](const auto& e, const auto& o, const auto& values, const auto& of) {
    quern::bincount(e, o, values, quern::weights<std::remove_cvref_t<decltype(of)>>{of});
  };
  impl::count_stream("quern::chunked::bincount", exec, out, count, settings, x, w.of);
}

}  // namespace quern::chunked

#endif
