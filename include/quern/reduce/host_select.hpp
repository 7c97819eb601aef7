// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_HOST_SELECT_HPP
#define QUERN_REDUCE_HOST_SELECT_HPP

#include <algorithm>
#include <quern/core/memory/workspace.hpp>
#include <quern/reduce/select_work.hpp>
#include <quern/reduce/tuning.hpp>

namespace quern::impl {

/// Lines that a thread of the host partitions in a copy, or narrows down by histograms.
template <class Exec, class T, class Out>
struct host_select {
  using order = ordered<T>;
  using key = typename order::key;
  using member = typename select_work<Exec, T, Out>::member;
  using team_selectors = selectors<Exec, member, T>;

  select_work<Exec, T, Out> work;
  key* copies = nullptr;

  void operator()(select_short_tag, std::int64_t result) const {
    const auto at = work.result_at(result);
    partition_line(work.line_at(at.of[0]), at.of[1]);
  }
  struct append_keys {
    key*& end;
    template <class Block>
    KOKKOS_FUNCTION void operator()(const Block& block) const {
      for (const key k : block) *end++ = k;
    }
  };
  void partition_line(const key_line<Exec, T>& keys_of, std::int64_t to) const {
    key copy[reduce_tuning<Exec>::select_short];
    key* end = copy;
    keys_of.for_each({0, 1, work.n}, append_keys{end});
    const auto nans = order::floating ? std::count(copy, end, order::nan) : 0;
    if (work.is_nan(to, nans)) return work.write_nan(to);
    const quantile_position p = work.among(to, nans);
    std::nth_element(copy, copy + p.first, end);
    const key second = p.second == p.first ? copy[p.first] : *std::min_element(copy + p.second, end);
    work.write(to, copy[p.first], second, p.fraction);
  }

  void operator()(select_tile_tag, const member& team) const {
    const select_shape& s = work.shape;
    const team_selectors threads(team, 1, s.along, s.log_bins, s.results_fastest);
    key* copy = copies + team.league_rank() * s.copied;
    work.for_tiles(team, [&](const select_shape::tile& tile) { select_tile(threads, tile, copy); });
  }
  /// Copies columns row by row.
  void select_tile(const team_selectors& threads, const select_shape::tile& tile, key* copy) const {
    if (work.shape.copied == 0) {
      for (int k = 0; k < tile.count; ++k) {
        const auto at = work.result_at(tile.first + k);
        work.select_line(threads, work.line_at(at.of[0]), {0, 1, work.n}, at.of[1]);
      }
      return;
    }
    const auto start = work.result_at(tile.first);
    const std::int64_t apart = work.result_nest.stride[0][0];
    for (std::int64_t e = 0, i; e < work.n; ++e) {
      const T* row = work.in + start.of[0] + work.nest.at_item(e, work.nest.inner, 1, i).of[0];
      for (int k = 0; k < tile.count; ++k) copy[k * work.n + e] = order::key_of(row[k * apart]);
    }
    for (int k = 0; k < tile.count; ++k)
      work.select_line(threads, key_list<Exec, key>{copy + k * work.n}, {0, 1, work.n},
                       start.of[1] + k * work.result_nest.stride[1][0]);
  }

  select_shape shape_for(bool results_fastest) const {
    select_shape s;
    s.log_bins = log_bins_for(work.n);
    if (results_fastest) {
      s.across = static_cast<int>(std::min<std::int64_t>(work.result_nest.inner, reduce_tuning<Exec>::select_columns));
      s.copied = s.across * work.n;
    }
    return s;
  }
  static std::int64_t max_teams(const Exec& exec) { return exec.concurrency(); }
  /// Takes the memory of that many teams, and says what each has in shared memory.
  std::int64_t allocate(const Exec& exec, Workspace<Exec>& scratch, std::int64_t teams) {
    const select_shape& s = work.shape;
    if (s.copied > 0) copies = scratch_for<key>(exec, scratch, teams * s.copied);
    return static_cast<std::int64_t>(team_selectors::bytes(s.team, 1, s.log_bins));
  }
};

}  // namespace quern::impl

#endif
