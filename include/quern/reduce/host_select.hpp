// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_HOST_SELECT_HPP
#define QUERN_REDUCE_HOST_SELECT_HPP

#include <algorithm>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/reduce/select_work.hpp>
#include <quern/reduce/tuning.hpp>

namespace quern::impl {

/// Lines that a thread of the host partitions in a copy, or narrows down by histograms.
template <class Work>
struct host_select {
  using exec_space = typename Work::exec_space;
  using T = typename Work::value_type;
  using order = typename Work::order;
  using key = typename Work::key;
  using line = typename Work::line;
  using member = typename Work::template policy<select_tile_tag>::member_type;
  using team_selectors = selectors<exec_space, member, T>;
  static constexpr int longest_short = reduce_tuning<exec_space>::select_short;

  Work work;
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
  void partition_line(const line& keys_of, std::int64_t to) const {
    key copy[longest_short];
    key* end = copy;
    keys_of.for_each({0, 1, work.n}, append_keys{end});
    const auto nans = order::floating ? std::count(copy, end, order::nan) : 0;
    if (work.rule.is_nan(work.n, nans)) return work.write_nan(to);
    const quantile_place p = work.rule.among(work.n - nans);
    std::nth_element(copy, copy + p.first, end);
    const key second = p.second == p.first ? copy[p.first] : *std::min_element(copy + p.second, end);
    work.write(to, copy[p.first], second, p.fraction);
  }

  void operator()(select_tile_tag, const member& team) const {
    const select_shape& s = work.shape;
    const team_selectors threads(team, 1, s.along, s.log_bins, s.results_fastest);
    key* copy = copies + team.league_rank() * s.copied;
    const std::int64_t teams = team.league_size(), rank = team.league_rank();
    for (std::int64_t number = rank * s.tiles / teams; number < (rank + 1) * s.tiles / teams; ++number) {
      const auto tile = work.tile_at(number);
      select_tile(threads, tile.first, tile.results, copy);
    }
  }
  /// Copies columns row by row.
  void select_tile(const team_selectors& threads, std::int64_t first, int results, key* copy) const {
    if (work.shape.copied == 0) {
      for (int k = 0; k < results; ++k) {
        const auto at = work.result_at(first + k);
        work.select_line(threads, work.line_at(at.of[0]), {0, 1, work.n}, at.of[1]);
      }
      return;
    }
    const auto start = work.result_at(first);
    const std::int64_t apart = work.kept.stride[0][0];
    for (std::int64_t e = 0, i; e < work.n; ++e) {
      const T* row = work.in + start.of[0] + work.nest.at_item(e, work.nest.inner, 1, i).of[0];
      for (int k = 0; k < results; ++k) copy[k * work.n + e] = order::key_of(row[k * apart]);
    }
    for (int k = 0; k < results; ++k)
      work.select_line(threads, key_list<exec_space, key>{copy + k * work.n}, {0, 1, work.n},
                       start.of[1] + k * work.kept.stride[1][0]);
  }
};

template <class Exec, class Work>
void launch_host_select(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const Work& work,
                        bool results_fastest) {
  using kernel_type = host_select<Work>;
  using key = typename Work::key;
  kernel_type kernel{work};
  const std::int64_t results = work.results();
  if (work.n <= kernel_type::longest_short) {
    using policy = Kokkos::RangePolicy<Exec, select_short_tag, Kokkos::IndexType<std::int64_t>>;
    return Kokkos::parallel_for(label, policy(exec, 0, results), kernel);
  }
  select_shape& s = kernel.work.shape;
  s.log_bins = log_bins_for(work.n);
  if (results_fastest) {
    s.across = static_cast<int>(std::min<std::int64_t>(work.kept.inner, reduce_tuning<Exec>::select_columns));
    s.copied = s.across * work.n;
  }
  s.share_results(work.kept.inner, results);
  const auto league = static_cast<int>(std::min<std::int64_t>(s.tiles, exec.concurrency()));
  if (s.copied > 0) kernel.copies = static_cast<key*>(scratch.require(exec, league * s.copied * sizeof(key)));
  const auto shared = team_scratch<Exec>(label, s.team, kernel_type::team_selectors::bytes(s.team, 1, s.log_bins));
  Kokkos::parallel_for(
      label, typename Work::template policy<select_tile_tag>(exec, league, s.team).set_scratch_size(0, shared), kernel);
}

}  // namespace quern::impl

#endif
