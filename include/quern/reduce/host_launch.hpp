// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_HOST_LAUNCH_HPP
#define QUERN_REDUCE_HOST_LAUNCH_HPP

#include <algorithm>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/reduce/host_reduction.hpp>

namespace quern::impl {

/// Threads for `results` results of `items` items each (`inner` results a row). A tile is what a thread has in hand at
/// a time.
template <class Exec>
reduce_shape host_shape(const Exec& exec, int across, std::int64_t inner, std::int64_t results, std::int64_t items) {
  reduce_shape s;
  s.across = across;
  s.share_results(inner, results);
  const std::int64_t threads = exec.concurrency(), wanted = s.tiles == 1 ? threads : 8 * threads;
  if (s.tiles < wanted && threads > 1 && s.tiles <= Workspace<Exec>::max_counters)
    s.splits = std::clamp<std::int64_t>((wanted + s.tiles - 1) / s.tiles, 1, std::max<std::int64_t>(items, 1));
  s.league = static_cast<int>(std::min<std::int64_t>(s.tiles * s.splits, threads));
  return s;
}

/// The results from which a thread walks through rows that belong to many. Of many values to few results it gathers
/// those of each instead, as that takes less time than to update all states with every few rows.
template <class Kernel>
std::int64_t few_results(std::int64_t values) {
  using tune = typename Kernel::tune;
  const bool many = values >= tune::many_values;
  if (Kernel::positions) return tune::few_large;
  if (!many) return tune::few_results;
  if (Kernel::settles) return tune::largest_few;
  return sizeof(typename Kernel::state) > sizeof(typename Kernel::value) ? tune::few_large : tune::few_of_many;
}

/// Chooses items and shape, and launches.
template <class Exec, class Reducer, class F, class Out, class... In>
  requires(!is_device<Exec>)
void reduce_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                   const strided_reduction<Exec, Reducer, F, Out, In...>& work) {
  if (work.results() == 0) return;
  using kernel_type = host_reduction<Exec, Reducer, F, Out, In...>;
  using tune = reduce_tuning<Exec>;
  constexpr bool positions = kernel_type::positions;  // whose values are added one by one
  constexpr std::int64_t short_row = positions ? 32 : tune::short_row;
  const std::int64_t few = few_results<kernel_type>(work.values);
  const auto& result_nest = work.result_nest;
  const bool results_fastest = work.shape.results_fastest;
  kernel_type kernel{work};
  kernel.whole_rows = reduces_vector_rows(work);
  if (!kernel.whole_rows && results_fastest && work.nest.rank == 1 && kernel_type::reads_in_place(work))
    kernel.taken_as_one = rows_taken_as_one<Reducer, typename kernel_type::value>(work.reducer, result_nest.inner,
                                                                                  work.nest.stride[0][0], work.values);
  kernel.by_rows = kernel.taken_as_one > 0 ||
                   (!kernel.whole_rows && result_nest.inner >= few && (results_fastest || work.values < short_row));
  constexpr std::int64_t size = sizeof(typename kernel_type::value);
  kernel.prefetches = kernel.by_rows && work.values >= 2 * kernel_type::rows && kernel_type::reads_in_place(work) &&
                      result_nest.inner * size <= tune::prefetched_row &&
                      work.results() * work.values * size > tune::cache_bytes;
  kernel.gathers = !all_of(work.in, [&](const auto& operand, std::size_t i) {
    return !operand.gathers(kernel.by_rows ? result_nest.stride[i][0] : operand.step);
  });
  const std::int64_t per_item = kernel.by_rows ? 1 : kernel.block;
  kernel.work.items = (work.nest.inner + per_item - 1) / per_item;
  kernel.work.total = kernel.work.items * work.nest.outer;
  const std::int64_t max_across =
      kernel.whole_rows ? std::clamp<std::int64_t>(work.results() / (8 * exec.concurrency()), 1, 4096)
      : !kernel.by_rows ? (results_fastest ? std::min<std::int64_t>(tune::largest_few, kernel_type::max_across) : 1)
      : kernel.gathers  ? kernel_type::max_gathered(work.values)
      : kernel.work.total < 2 * kernel_type::rows ? std::min(kernel_type::chunk, kernel_type::max_across)
                                                  : kernel_type::max_across;
  const auto across = static_cast<int>(std::min(result_nest.inner, max_across));
  if (across < result_nest.inner) kernel.taken_as_one = 0;
  kernel.work.shape = host_shape(exec, across, result_nest.inner, work.results(), kernel.work.total);
  kernel.whole_rows = kernel.whole_rows && kernel.work.shape.splits == 1;
  kernel.work.share_tiles(exec, scratch);
  launch_units(exec, label, kernel.work.shape.league, kernel);
}

}  // namespace quern::impl

#endif
