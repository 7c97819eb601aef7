// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_DEVICE_SELECT_HPP
#define QUERN_REDUCE_DEVICE_SELECT_HPP

#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/reduce/row_selection.hpp>
#include <quern/reduce/select_work.hpp>
#include <quern/reduce/tuning.hpp>
#include <quern/reducers/odd_even_sort.hpp>

namespace quern::impl {

/// Bytes of shared memory of a device's team: those of selectors, and of the keys that it copies.
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

/// Threads of a device's team for lines that it reads, of several adjacent results where those are nearer in
/// memory. `held`: the keys that a thread may hold of a line that is read along.
template <class Selectors, class T>
select_shape device_tile(bool results_fastest, std::int64_t inner, std::int64_t n, int max_threads, std::int64_t room,
                         int held = 0) {
  constexpr int max_copied = (32 << 10) / sizeof(typename Selectors::key);
  constexpr int sector = 32 / static_cast<int>(sizeof(T));  // elements that memory gives at a time
  select_shape s;
  s.held = !results_fastest && n <= std::int64_t{held} * max_threads;
  if (s.held) {
    s.team = s.along = static_cast<int>((n + 32 * held - 1) / (32 * held)) * 32;
    return s;
  }
  const auto useful = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(n / 8)));
  s.results_fastest = results_fastest;
  s.along = std::clamp(useful, 8, results_fastest ? std::max(max_threads / sector, 8) : max_threads);
  s.across = static_cast<int>(std::min<std::int64_t>(inner, max_threads / s.along));
  if (s.across == 1) s.along = std::max(s.along, 32);
  s.team = (s.across * s.along + 31) / 32 * 32;
  const std::int64_t each = (n + s.along - 1) / s.along;
  s.copied = each * s.team > max_copied ? 0 : each * s.team;
  s.log_bins = log_bins_for(n);
  fit_tile<Selectors>(s, room);
  return s;
}

/// Lines that a thread of a device sorts in its registers, or that a team reads in rounds.
template <class Exec, class T, class Out>
struct device_select {
  using order = ordered<T>;
  using key = typename order::key;
  using member = typename select_work<Exec, T, Out>::member;
  using team_selectors = selectors<Exec, member, T>;
  static constexpr int held = reduce_tuning<Exec>::select_held;

  select_work<Exec, T, Out> work;

  KOKKOS_FUNCTION void operator()(select_short_tag, std::int64_t result) const {
    const auto at = work.result_at(result);
    const auto keys_of = work.line_at(at.of[0]);
    if (work.n <= 8) sort_line(keys_of, at.of[1], std::make_integer_sequence<int, 8>());
    else if (work.n <= 16) sort_line(keys_of, at.of[1], std::make_integer_sequence<int, 16>());
    else sort_line(keys_of, at.of[1], std::make_integer_sequence<int, reduce_tuning<Exec>::select_short>());
  }
  template <int... J>
  KOKKOS_FUNCTION void sort_line(const key_line<Exec, T>& keys_of, std::int64_t to,
                                 std::integer_sequence<int, J...>) const {
    T v[sizeof...(J)];
    keys_of.load(v, work.n, std::integer_sequence<int, J...>());
    key sorted[] = {(J < work.n ? order::key_of(v[J]) : ~key{0})...};
    const std::int64_t nans = (0 + ... + (J < work.n && order::is_nan_key(sorted[J]) ? 1 : 0));
    if (work.is_nan(to, nans)) return work.write_nan(to);
    sort_network<0, sizeof...(J)>(sorted);
    const quantile_position p = work.among(to, nans);
    const auto first = static_cast<int>(p.first), second = static_cast<int>(p.second);
    key a = 0, b = 0;
    ((a = J == first ? sorted[J] : a, b = J == second ? sorted[J] : b), ...);
    work.write(to, a, b, p.fraction);
  }

  /// Lines of adjacent results, from copies of their keys where there is room for these.
  KOKKOS_FUNCTION void operator()(select_tile_tag, const member& team) const {
    const select_shape& s = work.shape;
    const team_selectors threads(team, s.across, s.along, s.log_bins, s.results_fastest);
    const auto copy = static_cast<key*>(team.team_shmem().get_shmem_aligned(s.copied * sizeof(key), 16));
    work.for_tiles(team, [&](const select_shape::tile& tile) { select_tile(threads, tile, copy); });
  }
  /// Each thread copies the keys that it will read.
  KOKKOS_FUNCTION void select_tile(team_selectors threads, const select_shape::tile& tile, key* copy) const {
    threads.used = threads.used && threads.result < tile.count;
    const auto at = work.result_at(tile.first + (threads.used ? threads.result : 0));
    const auto keys_of = work.line_at(at.of[0]);
    const line_share share = threads.share(work.n);
    if (work.shape.copied == 0) return work.select_line(threads, keys_of, share, at.of[1]);
    const int rank = threads.team.team_rank(), size = threads.team.team_size();
    std::int64_t end = rank;
    if (threads.used)
      keys_of.for_each(share, [&](const auto& block) {
        for (const key k : block) {
          copy[end] = k;
          end += size;
        }
      });
    work.select_line(threads, key_list<Exec, key>{copy}, {rank, size, end}, at.of[1]);
  }

  /// One line, from the registers of its threads.
  KOKKOS_FUNCTION void operator()(select_held_tag, const member& team) const {
    using threads = selecting_team<member, register_lane<32>, key>;
    threads of_team(team);
    work.for_tiles(team, [&](const select_shape::tile& tile) {
      const auto at = work.result_at(tile.first);
      select_held_row<held>(work, of_team, work.in + at.of[0], work.nest.stride[0][0], at.of[1], true);
    });
  }

  select_shape shape_for(bool results_fastest) const {
    constexpr int max_threads = tuning<Exec>::team_size;
    return device_tile<team_selectors, T>(results_fastest, work.result_nest.inner, work.n, max_threads,
                                          team_scratch_room<Exec>(max_threads), work.nest.outer == 1 ? held : 0);
  }
  static std::int64_t max_teams(const Exec&) { return std::numeric_limits<int>::max(); }
  /// What a team has in shared memory.
  std::int64_t allocate(const Exec&, Workspace<Exec>&, std::int64_t) const {
    if (work.shape.held) return selecting_team<member, register_lane<32>, key>::bytes;
    return tile_bytes<team_selectors>(work.shape);
  }
};

}  // namespace quern::impl

#endif
