// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_HOST_SELECT_HPP
#define QUERN_REDUCE_HOST_SELECT_HPP

#include <algorithm>
#include <quern/core/launch/vector_sort.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/reduce/select_work.hpp>
#include <quern/reduce/tuning.hpp>

namespace quern::impl {

/// Lines that a thread of the host partitions or sorts in a copy, with vector instructions: that takes less time than a
/// selection that has none. Where there are no such, it partitions short lines and narrows others down by histograms.
template <class Exec, class T, class Out>
struct host_select {
  using order = ordered<T>;
  using key = typename order::key;
  using word = std::conditional_t<(order::bits <= 16), std::uint16_t, key>;  // as vector_sort takes keys
  using member = typename select_work<Exec, T, Out>::member;
  using team_selectors = selectors<Exec, member, T>;

  select_work<Exec, T, Out> work;
  word* copies = nullptr;
  bool partitions = has_vector_sort();
  /// Copies of longer lines would be large.
  bool partitions_long() const { return partitions && work.n <= reduce_tuning<Exec>::select_alone; }

  void operator()(select_short_tag, std::int64_t result) const {
    const auto at = work.result_at(result);
    word copy[reduce_tuning<Exec>::select_short];
    word* const end = copy_line(work.line_at(at.of[0]), copy);
    select_copied(copy, end, at.of[1]);
  }
  struct append_keys {
    word*& end;
    template <class Block>
    KOKKOS_FUNCTION void operator()(const Block& block) const {
      for (const key k : block) *end++ = k;
    }
  };
  word* copy_line(const key_line<Exec, T>& keys_of, word* copy) const {
    word* end = copy;
    keys_of.for_each({0, 1, work.n}, append_keys{end});
    return end;
  }
  void select_copied(word* keys, word* end, std::int64_t to) const {
    using tune = reduce_tuning<Exec>;
    const std::int64_t n = end - keys;
    if (partitions && n >= tune::select_sorted && n < tune::select_partitioned) sort_line(keys, end, to);
    else partition_line(keys, end, to);
  }
  void sort_line(word* keys, word* end, std::int64_t to) const {
    vector_sort(keys, end - keys, false);
    const auto nans = order::floating ? end - std::lower_bound(keys, end, word{order::nan}) : 0;
    if (work.is_nan(to, nans)) return work.write_nan(to);
    const quantile_position p = work.among(to, nans);
    work.write(to, static_cast<key>(keys[p.first]), static_cast<key>(keys[p.second]), p.fraction);
  }
  void partition_line(word* keys, word* end, std::int64_t to) const {
    const std::int64_t n = end - keys, nans = order::floating ? nans_among(keys, n) : 0;
    if (work.is_nan(to, nans)) return work.write_nan(to);
    const quantile_position p = work.among(to, nans);
    if (partitions && n >= reduce_tuning<Exec>::select_partitioned) vector_select(keys, n, p.first);
    else std::nth_element(keys, keys + p.first, end);
    word second = keys[p.first];
    if (p.fraction > 0) second = smallest(keys + p.second, end);
    work.write(to, static_cast<key>(keys[p.first]), static_cast<key>(second), p.fraction);
  }
  // By blocks, since compilers make no vector instructions of the same in the C++ library.
  static constexpr int folded = 64;  // keys
  struct one_if_nan_key {
    KOKKOS_FUNCTION word operator()(word k) const { return k == word{order::nan} ? 1 : 0; }
  };
  static std::int64_t nans_among(const word* keys, std::int64_t n) {
    std::int64_t nans = 0;
    for (; n >= folded; n -= folded, keys += folded) nans += fold<word, folded>(keys, one_if_nan_key(), plus<word>());
    return nans + std::count(keys, keys + n, word{order::nan});
  }
  static word smallest(const word* keys, const word* end) {
    word least = *keys;
    for (; end - keys >= folded; keys += folded) least = better<-1>(least, block_extremum<folded, -1>(keys));
    for (; keys < end; ++keys) least = better<-1>(least, *keys);
    return least;
  }

  void operator()(select_tile_tag, const member& team) const {
    const select_shape& s = work.shape;
    const team_selectors threads(team, 1, s.along, s.log_bins, s.results_fastest);
    word* copy = copies + team.league_rank() * s.copied;
    work.for_tiles(team, [&](const select_shape::tile& tile) { select_tile(threads, tile, copy); });
  }
  void select_tile(const team_selectors& threads, const select_shape::tile& tile, word* copy) const {
    const select_shape& s = work.shape;
    if (s.across > 1) return select_columns(threads, tile, copy);
    for (int k = 0; k < tile.count; ++k) {
      const auto at = work.result_at(tile.first + k);
      if (partitions_long()) select_copied(copy, copy_line(work.line_at(at.of[0]), copy), at.of[1]);
      else work.select_line(threads, work.line_at(at.of[0]), {0, 1, work.n}, at.of[1]);
    }
  }
  /// Copies columns row by row.
  void select_columns(const team_selectors& threads, const select_shape::tile& tile, word* copy) const {
    const auto start = work.result_at(tile.first);
    const std::int64_t apart = work.result_nest.stride[0][0];
    typename row_nest<1>::element_walk walk(work.nest, 0);
    for (std::int64_t e = 0; e < work.n; ++e) {
      const T* row = work.in + start.of[0] + walk.next().of[0];
      for (int k = 0; k < tile.count; ++k) copy[k * work.n + e] = order::key_of(row[k * apart]);
    }
    for (int k = 0; k < tile.count; ++k) {
      word* const keys = copy + k * work.n;
      const std::int64_t to = start.of[1] + k * work.result_nest.stride[1][0];
      if (partitions_long()) select_copied(keys, keys + work.n, to);
      else work.select_line(threads, key_list<Exec, key, word>{keys}, {0, 1, work.n}, to);
    }
  }

  select_shape shape_for(bool results_fastest) const {
    select_shape s;
    s.log_bins = log_bins_for(work.n);
    if (results_fastest) {
      const std::int64_t fit = reduce_tuning<Exec>::select_copied / (work.n * std::int64_t{sizeof(word)});
      const std::int64_t columns = std::min<std::int64_t>(work.result_nest.inner, reduce_tuning<Exec>::select_columns);
      s.across = static_cast<int>(std::clamp<std::int64_t>(fit, 1, columns));
    }
    if (partitions_long() || s.across > 1) s.copied = s.across * work.n;
    return s;
  }
  static std::int64_t max_teams(const Exec& exec) { return exec.concurrency(); }
  /// Takes the memory of that many teams, and says what each has in shared memory.
  std::int64_t allocate(const Exec& exec, Workspace<Exec>& scratch, std::int64_t teams) {
    const select_shape& s = work.shape;
    if (s.copied > 0) copies = scratch_for<word>(exec, scratch, teams * s.copied);
    return static_cast<std::int64_t>(team_selectors::bytes(s.team, 1, s.log_bins));
  }
};

}  // namespace quern::impl

#endif
