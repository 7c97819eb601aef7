// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_HPP
#define QUERN_REDUCE_SELECT_HPP

#include <quern/core/axes.hpp>
#include <quern/core/scratch_layout.hpp>
#include <quern/core/team_scratch.hpp>
#include <quern/reduce/select_kernel.hpp>

namespace quern::impl {

/// What a team of a device asks for: memory of selectors, and of the keys that it copies.
template <class Selectors>
std::int64_t tile_bytes(const select_shape& s) {
  return static_cast<std::int64_t>(Selectors::bytes(s.team, s.across, s.log_bins) +
                                   s.copied * sizeof(typename Selectors::key) + 16);
}

/// Makes a team's memory fit into the room that a device has: fewer bins, for which there are more rounds; then lines
/// that are read again in each round instead of copied; then fewer results at a time.
template <class Selectors>
void fit_tile(select_shape& s, std::int64_t room) {
  constexpr int few_bins = 8, fewest_bins = 5;
  const int wanted = s.log_bins;
  const auto reduce_bins = [&](int to) {
    while (tile_bytes<Selectors>(s) > room && s.log_bins > to) --s.log_bins;
  };
  reduce_bins(few_bins);
  if (tile_bytes<Selectors>(s) > room && s.copied > 0) {
    s.copied = 0;
    s.log_bins = wanted;
  }
  reduce_bins(fewest_bins);
  while (tile_bytes<Selectors>(s) > room && s.across > 1) s.across = (s.across + 1) / 2;
}

/// Threads of a device's team for lines that it reads, of several neighbouring results where those are nearer in
/// memory.
template <class Selectors, class T>
select_shape device_tile(bool results_fastest, std::int64_t inner, std::int64_t n, int most, std::int64_t room) {
  constexpr int most_copied = (32 << 10) / sizeof(typename Selectors::key);
  constexpr int sector = 32 / static_cast<int>(sizeof(T));  // elements that memory gives at a time
  select_shape s;
  const auto useful = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(n / 8)));
  s.results_fastest = results_fastest;
  s.along = std::clamp(useful, 8, results_fastest ? std::max(most / sector, 8) : most);
  s.across = static_cast<int>(std::min<std::int64_t>(inner, most / s.along));
  if (s.across == 1) s.along = std::max(s.along, 32);
  s.team = (s.across * s.along + 31) / 32 * 32;
  s.copied = (n + s.along - 1) / s.along * s.team;
  if (s.copied > most_copied) s.copied = 0;
  s.log_bins = std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1, 5, 11);
  fit_tile<Selectors>(s, room);
  return s;
}

/// The shape of lines that a team reads.
template <class Exec, class Selectors, class T>
select_shape tile_shape(bool results_fastest, std::int64_t inner, std::int64_t results, std::int64_t n) {
  select_shape s;
  if constexpr (tuning<Exec>::device) {
    constexpr int most = tuning<Exec>::team_size;
    s = device_tile<Selectors, T>(results_fastest, inner, n, most, team_scratch_room<Exec>(most));
  } else {
    s.log_bins = std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1, 5, 11);
    if (results_fastest) {
      s.across = static_cast<int>(std::min<std::int64_t>(inner, 8));
      s.copied = s.across * n;
    }
  }
  s.tiles_per_row = (inner + s.across - 1) / s.across;
  s.tiles = s.tiles_per_row * (results / inner);
  return s;
}

/// Teams for long lines.
template <class Exec>
select_shape pass_shape(const Exec& exec, std::int64_t results, std::int64_t n) {
  using tune = tuning<Exec>;
  select_shape s;
  s.team = s.along = tune::team_size;
  const std::int64_t slots = std::max<std::int64_t>(1, exec.concurrency() / s.team);
  const auto teams = static_cast<std::int64_t>(static_cast<double>(slots) * tune::select_occupancy);
  s.splits = std::max(teams / results, (n >> 31) + 1);  // bins of a team are counted in 32 bits
  return s;
}

template <class Kernel, class Exec>
void launch_tiles(const std::string& label, const Exec& exec, workspace<Exec>& scratch, Kernel kernel,
                  bool results_fastest, std::int64_t results) {
  using key = typename Kernel::key;
  const select_shape& s = kernel.shape = tile_shape<Exec, typename Kernel::team_selectors, typename Kernel::value_type>(
      results_fastest, kernel.kept.inner, results, kernel.n);
  const std::int64_t most = Kernel::device ? std::numeric_limits<int>::max() : exec.concurrency();
  const auto league = static_cast<int>(std::min(s.tiles, most));
  std::int64_t shared = Kernel::team_selectors::bytes(s.team, 1, s.log_bins);
  if (Kernel::device) shared = tile_bytes<typename Kernel::team_selectors>(s);
  else if (s.copied > 0) kernel.keys = static_cast<key*>(scratch.require(exec, league * s.copied * sizeof(key)));
  Kokkos::parallel_for(label,
                       typename Kernel::template policy<select_tile_tag>(exec, league, s.team)
                           .set_scratch_size(0, team_scratch<Exec>(label, s.team, shared)),
                       kernel);
}

template <class Kernel, class Exec>
void launch_passes(const std::string& label, const Exec& exec, workspace<Exec>& scratch, Kernel kernel,
                   std::int64_t results) {
  const select_shape& s = kernel.shape = pass_shape(exec, results, kernel.n);
  const std::int64_t bins = std::int64_t{1} << s.log_bins;
  scratch_layout layout;
  layout.add(kernel.counts, results * bins);
  layout.add(kernel.keys, results * Kernel::capacity);
  layout.add(kernel.states, results);
  layout.allocate(exec, scratch);
  kernel.done = scratch.counters();
  const auto shared = team_scratch<Exec>(label, s.team, Kernel::team_selectors::bytes(s.team, 1, s.log_bins));
  Kokkos::parallel_for(label + "/sample",
                       typename Kernel::template policy<select_start_tag>(exec, static_cast<int>(results), s.team)
                           .set_scratch_size(0, shared),
                       kernel);
  const auto policy =
      typename Kernel::template policy<select_pass_tag>(exec, static_cast<int>(results * s.splits), s.team)
          .set_scratch_size(0, shared);
  for (int pass = 0; pass < Kernel::passes; ++pass) Kokkos::parallel_for(label, policy, kernel);
}

/// Chooses how lines are read and launches it. `out` is memory that `exec` reaches, with the extents that remain when
/// `axes` are gone.
template <class Exec, class T, class Out>
void select_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const quantile_rule& rule,
                   const axis_set& axes, const strided<Out>& out, const strided<const T>& in) {
  using kernel_type = select_kernel<Exec, T, Out>;
  const row_nest<1> nest(make_loop_nest<1>(axes.part(in.extents, true), {axes.part(in, true)}));
  const row_nest<2> kept(make_loop_nest<2>(axes.part(in.extents, false), {axes.part(in, false), out.stride}));
  const std::int64_t results = kept.inner * kept.outer, n = nest.inner * nest.outer;
  if (results == 0) return;
  const kernel_type kernel{rule, in.data, nest, kept, n, out.data};
  if (n <= kernel_type::longest_short)
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, select_short_tag, Kokkos::IndexType<std::int64_t>>(exec, 0, results), kernel);
  else if (n > kernel_type::longest_tile && results <= workspace<Exec>::max_counters)
    launch_passes(label, exec, scratch, kernel, results);
  else
    launch_tiles(
        label, exec, scratch, kernel,
        smallest_stride(in.extents, in.stride, axes, false) < smallest_stride(in.extents, in.stride, axes, true),
        results);
}

}  // namespace quern::impl

#endif
