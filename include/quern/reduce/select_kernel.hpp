// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_KERNEL_HPP
#define QUERN_REDUCE_SELECT_KERNEL_HPP

#include <quern/reduce/odd_even_sort.hpp>
#include <quern/reduce/select_team.hpp>

namespace quern::impl {

/// What is known of a quantile of a long line between passes over it.
template <class Key>
struct search_state {
  enum phase { counting, splitting, collecting, finished };
  phase now;
  Key low, high;  // counting, collecting: the interval; splitting: what is found on both sides of `split`
  Key split;
  double fraction;
  std::int64_t first, second;  // collecting: the ranks from low on
  std::int64_t below, nans;    // of the pass
  std::int64_t collected;
};

struct select_short_tag {};  // a thread for a result
struct select_tile_tag {};   // threads of a team for a result
struct select_start_tag {};  // several teams for a result: the interval that they start with,
struct select_pass_tag {};   // and a pass over the line

/// How results and threads share a selection.
struct select_shape {
  bool results_fastest = false;
  int across = 1;
  int along = 1;
  int log_bins = 11;
  int team = 1;
  std::int64_t copied = 0;  // keys
  std::int64_t tiles_per_row = 1;
  std::int64_t tiles = 1;
  std::int64_t splits = 1;
};

/// Quantiles along some axes by selection, without sorting.
///
/// Long lines are read by many teams in a few passes. A sample gives an interval that holds the quantile almost surely,
/// and a few percent of the keys; the first pass counts these in 2048 bins, the second collects the thousands of the
/// right bin, of which one team selects. If the quantile is not in the interval, counting starts again with all keys.
/// Passes are launched for the worst case and end at once when they have nothing to do, so nothing waits for the host.
template <class Exec, class T, class Out>
struct select_kernel {
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int longest_short = device ? 32 : 1024;  // lines of a thread by itself
  static constexpr std::int64_t longest_tile = 1 << 16;     // lines that a team reads
  static constexpr int samples = 4096, capacity = 16384;
  using value_type = T;
  using order = ordered<T>;
  using key = typename order::key;
  using state = search_state<key>;
  using tally = key_tally<key>;
  using number = mean_type<T>;
  /// One with the sample, those that narrow all keys down, and one for the end.
  static constexpr int passes = 1 + (order::bits + select_shape().log_bins - 1) / select_shape().log_bins + 1;
  template <class Tag>
  using policy =
      Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<tuning<Exec>::team_size, tuning<Exec>::select_teams>>;
  using member = typename policy<select_pass_tag>::member_type;
  using team_selectors = selectors<Exec, member, T>;
  using line = key_line<Exec, T>;

  quantile_rule rule;
  const T* in;
  row_nest<1> nest;  // the elements of a line
  row_nest<2> kept;  // the lines, and out
  std::int64_t n;
  Out* out;
  select_shape shape{};
  state* states = nullptr;         // of each result, as all that follow
  std::int64_t* counts = nullptr;  // a histogram
  key* keys = nullptr;             // samples, then what is collected
  int* done = nullptr;             // teams

  KOKKOS_FUNCTION typename row_nest<2>::offsets result_at(std::int64_t result) const {
    std::int64_t i;
    return kept.at_item(result, kept.inner, 1, i);
  }
  KOKKOS_FUNCTION line line_at(std::int64_t offset) const { return {nest, in + offset}; }

  KOKKOS_FUNCTION void write(std::int64_t at, key first, key second, double fraction) const {
    const auto a = static_cast<double>(order::number_of(first)), b = static_cast<double>(order::number_of(second));
    out[at] = convert<Out>(static_cast<number>(between(a, b, fraction)));
  }
  KOKKOS_FUNCTION void write_nan(std::int64_t at) const {
    out[at] = convert<Out>(number{Kokkos::Experimental::quiet_NaN_v<number>});
  }

  /// A short line.
  KOKKOS_FUNCTION void operator()(select_short_tag, std::int64_t result) const {
    const auto at = result_at(result);
    if constexpr (!device) partition_line(line_at(at.of[0]), at.of[1]);
    else if (n <= 8) sort_line(line_at(at.of[0]), at.of[1], std::make_integer_sequence<int, 8>());
    else if (n <= 16) sort_line(line_at(at.of[0]), at.of[1], std::make_integer_sequence<int, 16>());
    else sort_line(line_at(at.of[0]), at.of[1], std::make_integer_sequence<int, longest_short>());
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
    keys_of.for_each({0, 1, n}, append_keys{end});
    const auto nans = order::floating ? std::count(copy, end, order::nan) : 0;
    if (rule.is_nan(n, nans)) return write_nan(to);
    const quantile_place p = rule.among(n - nans);
    std::nth_element(copy, copy + p.first, end);
    const key second = p.second == p.first ? copy[p.first] : *std::min_element(copy + p.second, end);
    write(to, copy[p.first], second, p.fraction);
  }
  template <int... J>
  KOKKOS_FUNCTION void sort_line(const line& keys_of, std::int64_t to, std::integer_sequence<int, J...>) const {
    T v[sizeof...(J)];
    keys_of.load(v, n, std::integer_sequence<int, J...>());
    key sorted[] = {(J < n ? order::key_of(v[J]) : ~key{0})...};
    const std::int64_t nans = (0 + ... + (J < n && order::is_nan_key(sorted[J]) ? 1 : 0));
    if (rule.is_nan(n, nans)) return write_nan(to);
    sort_network<0, sizeof...(J)>(sorted);
    const quantile_place p = rule.among(n - nans);
    const auto first = static_cast<int>(p.first), second = static_cast<int>(p.second);
    key a = 0, b = 0;
    ((a = J == first ? sorted[J] : a, b = J == second ? sorted[J] : b), ...);
    write(to, a, b, p.fraction);
  }

  /// Lines of neighbouring results, from copies of their keys where there is room for these.
  KOKKOS_FUNCTION void operator()(select_tile_tag, const member& team) const {
    const team_selectors threads(team, device ? shape.across : 1, shape.along, shape.log_bins, shape.results_fastest);
    key* copy = keys + team.league_rank() * shape.copied;
    if constexpr (device) copy = static_cast<key*>(team.team_shmem().get_shmem_aligned(shape.copied * sizeof(key), 16));
    const std::int64_t teams = team.league_size(), rank = team.league_rank();
    for (std::int64_t tile = rank * shape.tiles / teams; tile < (rank + 1) * shape.tiles / teams; ++tile) {
      const std::int64_t row = tile / shape.tiles_per_row, i = (tile - row * shape.tiles_per_row) * shape.across;
      const auto results = static_cast<int>(Kokkos::min<std::int64_t>(shape.across, kept.inner - i));
      if constexpr (device) device_tile(threads, row * kept.inner + i, results, copy);
      else host_tile(threads, row * kept.inner + i, results, copy);
    }
  }
  /// Each thread copies the keys that it will read.
  KOKKOS_FUNCTION void device_tile(team_selectors threads, std::int64_t first, int results, key* copy) const {
    threads.used = threads.used && threads.result < results;
    const auto at = result_at(first + (threads.used ? threads.result : 0));
    const line keys_of = line_at(at.of[0]);
    const line_share share = threads.share(n);
    if (shape.copied == 0) return select_line(threads, keys_of, share, at.of[1]);
    const int rank = threads.team.team_rank(), size = threads.team.team_size();
    std::int64_t end = rank;
    if (threads.used)
      keys_of.for_each(share, [&](const auto& block) {
        for (const key k : block) {
          copy[end] = k;
          end += size;
        }
      });
    select_line(threads, key_list<Exec, key>{copy}, {rank, size, end}, at.of[1]);
  }
  /// Copies columns row by row.
  void host_tile(const team_selectors& threads, std::int64_t first, int results, key* copy) const {
    if (shape.copied == 0) {
      for (int k = 0; k < results; ++k) {
        const auto at = result_at(first + k);
        select_line(threads, line_at(at.of[0]), {0, 1, n}, at.of[1]);
      }
      return;
    }
    const auto start = result_at(first);
    const std::int64_t apart = kept.stride[0][0];
    for (std::int64_t e = 0, i; e < n; ++e) {
      const T* row = in + start.of[0] + nest.at_item(e, nest.inner, 1, i).of[0];
      for (int k = 0; k < results; ++k) copy[k * n + e] = order::key_of(row[k * apart]);
    }
    for (int k = 0; k < results; ++k)
      select_line(threads, key_list<Exec, key>{copy + k * n}, {0, 1, n}, start.of[1] + k * kept.stride[1][0]);
  }
  template <class Keys>
  KOKKOS_FUNCTION void select_line(team_selectors threads, const Keys& keys_of, const line_share& share,
                                   std::int64_t to) const {
    tally t = threads.nothing();
    if (threads.used) keys_of.for_each(share, [&](const auto& block) { t.template add<order>(block); });
    t = threads.joined(t);
    const bool writes = threads.used && threads.r == 0, nan = rule.is_nan(n, t.nans);
    if (nan) threads.used = false;
    const quantile_place p = rule.among(n - t.nans);
    const auto pair = threads.select(keys_of, share, {t.low, t.high, p.first, p.second});
    if (writes && nan) write_nan(to);
    else if (writes) write(to, pair.first, pair.second, p.fraction);
  }

  /// The interval that the passes over a long line start with.
  KOKKOS_FUNCTION void operator()(select_start_tag, const member& team) const {
    const team_selectors threads(team, 1, team.team_size(), shape.log_bins, false);
    const std::int64_t result = team.league_rank();
    key* sample = keys + result * capacity;
    const line keys_of = line_at(result_at(result).of[0]);
    tally t = threads.nothing();
    for_blocks<Exec, key>(
        threads.share(samples), [&](std::int64_t i) { return sample[i] = keys_of.at(sample_at(i, n)); },
        [&](const auto& block) { t.template add<order>(block); });
    for (int b = threads.r; b < 1 << shape.log_bins; b += threads.along) counts[(result << shape.log_bins) + b] = 0;
    t = threads.joined(t);

    const std::int64_t numbers = samples - t.nans;
    const double spread = 5 * Kokkos::sqrt(static_cast<double>(numbers) * rule.q * (1 - rule.q)) + 5;
    const double middle = rule.q * static_cast<double>(numbers);
    const auto first = static_cast<std::int64_t>(middle - spread), last = static_cast<std::int64_t>(middle + spread);
    const auto sampled = [&](std::int64_t rank) {
      typename team_selectors::interval found{t.low, t.high, rank, rank};
      threads.narrow(key_list<Exec, key>{sample}, threads.share(samples), found, 2);
      return found;
    };
    const key low = middle > spread ? sampled(first).low : 0;
    const key high = last < numbers ? sampled(last).high : order::largest;
    if (threads.r == 0) states[result] = {state::counting, low, high, 0, 0, 0, 0, 0, 0, 0};
  }
  /// Positions that no pattern of the data is in step with, each from a part of the line of its own.
  KOKKOS_FUNCTION static std::int64_t sample_at(std::int64_t i, std::int64_t n) {
    const double part = static_cast<double>(n) / samples;
    const auto mixed = static_cast<std::uint32_t>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 32);
    const auto at = static_cast<std::int64_t>((static_cast<double>(i) + mixed * 0x1p-32) * part);
    return Kokkos::min(at, n - 1);
  }

  KOKKOS_FUNCTION line_share share_of(std::int64_t split, const team_selectors& threads) const {
    if constexpr (device) return {split * threads.along + threads.r, shape.splits * threads.along, n};
    else return {split * n / shape.splits, 1, (split + 1) * n / shape.splits};
  }

  /// A pass over long lines.
  KOKKOS_FUNCTION void operator()(select_pass_tag, const member& team) const {
    const std::int64_t result = team.league_rank() / shape.splits, split = team.league_rank() - result * shape.splits;
    state& s = states[result];
    const auto now = s.now;
    if (now == state::finished) return;
    const team_selectors threads(team, 1, team.team_size(), shape.log_bins, false);
    const auto at = result_at(result);
    const line keys_of = line_at(at.of[0]);
    const line_share share = share_of(split, threads);
    if (now == state::counting) {
      count_pass(threads, keys_of, share, s, counts + (result << shape.log_bins));
    } else if (now == state::splitting) {
      split_pass(threads, keys_of, share, s);
    } else {
      const key low = s.low, high = s.high;
      for_each_inside(keys_of, share, low, high, [&](key k) {
        keys[result * capacity + Kokkos::atomic_fetch_add(&s.collected, std::int64_t{1})] = k;
      });
      Kokkos::memory_fence();
    }
    if (!last_to_finish(team, done + result, shape.splits)) return;
    if (now == state::counting) {
      decide(threads, s, counts + (result << shape.log_bins), at.of[1]);
    } else if (now == state::splitting) {
      finish(threads, s, at.of[1], s.high, s.low);
    } else {
      const key_list<Exec, key> collected{keys + result * capacity};
      const auto pair = threads.select(collected, threads.share(s.collected), {s.low, s.high, s.first, s.second});
      finish(threads, s, at.of[1], pair.first, pair.second);
    }
  }
  /// Calls f with the keys of an interval, and counts those below it and the NaN. Most keys are outside, so a
  /// host looks at blocks without branches first.
  template <class F>
  KOKKOS_FUNCTION static tally for_each_inside(const line& keys_of, const line_share& share, key low, key high,
                                               const F& f) {
    tally t = team_selectors::nothing();
    keys_of.for_each(share, [&](const auto& block) {
      using number_of_keys = std::conditional_t<device, int, key>;  // on the host for the sake of vector instructions
      number_of_keys below = 0, inside = 0, nans = 0;
      for (const key k : block) {
        below += k < low ? 1 : 0;
        inside += key(k - low) <= key(high - low) ? 1 : 0;
        nans += order::is_nan_key(k) ? 1 : 0;
      }
      t.below += static_cast<std::int64_t>(below);
      t.nans += static_cast<std::int64_t>(nans);
      if (device || inside > 0)  // of the threads of a device, some have some
        for (const key k : block)
          if (key(k - low) <= key(high - low)) f(k);
    });
    return t;
  }
  KOKKOS_FUNCTION void finish(const team_selectors& threads, state& s, std::int64_t to, key first, key second) const {
    if (threads.r > 0) return;
    write(to, first, second, s.fraction);
    s.now = state::finished;
  }

  KOKKOS_FUNCTION void count_pass(const team_selectors& threads, const line& keys_of, const line_share& share, state& s,
                                  std::int64_t* global) const {
    const key low = s.low, high = s.high;
    const int shift = threads.shift_for(low, high);
    threads.clear_bins();
    const tally t =
        threads.joined(for_each_inside(keys_of, share, low, high, [&](key k) { threads.count_in(k - low, shift); }));
    for (int b = threads.r; b < 1 << shape.log_bins; b += threads.along)
      if (threads.bins[b] > 0) Kokkos::atomic_add(global + b, static_cast<std::int64_t>(threads.bins[b]));
    if (threads.r == 0) {
      Kokkos::atomic_add(&s.below, t.below);
      Kokkos::atomic_add(&s.nans, t.nans);
    }
    Kokkos::memory_fence();
  }

  /// What to do after a count, by the team that finished it.
  KOKKOS_FUNCTION void decide(const team_selectors& threads, state& s, std::int64_t* global, std::int64_t to) const {
    state next = s;
    threads.sum_groups(global);
    std::int64_t inside = 0;
    for (int g = 0; g < (1 << shape.log_bins) / team_selectors::group; ++g) inside += threads.sums[g];
    const quantile_place p = rule.among(n - s.nans);
    next.fraction = p.fraction;
    next.first = p.first - s.below;
    next.second = p.second - s.below;
    if (rule.is_nan(n, s.nans)) {
      next.now = state::finished;
      if (threads.r == 0) write_nan(to);
    } else if (next.first < 0 || next.second >= inside) {
      next.low = 0;
      next.high = order::largest;
    } else {
      narrow(threads, next, global, to);
    }
    next.below = next.nans = 0;
    threads.team.team_barrier();  // all have read what the next pass will count anew
    for (int b = threads.r; b < 1 << shape.log_bins; b += threads.along) global[b] = 0;
    if (threads.r == 0) s = next;
  }
  KOKKOS_FUNCTION void narrow(const team_selectors& threads, state& next, const std::int64_t* global,
                              std::int64_t to) const {
    const int shift = threads.shift_for(next.low, next.high);
    typename team_selectors::interval found{next.low, next.high, next.first, next.second};
    const std::int64_t inside = threads.narrow_to_bin(global, shift, found);
    next.low = found.low;
    next.high = found.high;
    next.first = found.first;
    next.second = found.second;
    if (found.split) {
      next.now = state::splitting;
      next.split = next.high;
      next.low = ~key{0};
      next.high = 0;
    } else if (shift == 0) {
      next.now = state::finished;
      if (threads.r == 0) write(to, next.low, next.low, 0);
    } else if (inside <= capacity) {
      next.now = state::collecting;
    }
  }

  KOKKOS_FUNCTION void split_pass(const team_selectors& threads, const line& keys_of, const line_share& share,
                                  state& s) const {
    const key split = s.split;
    tally t = threads.nothing();
    keys_of.for_each(share, [&](const auto& block) { t.split(block, split); });
    t = threads.joined(t);
    if (threads.r == 0) {
      Kokkos::atomic_max(&s.high, t.high);
      Kokkos::atomic_min(&s.low, t.low);
    }
    Kokkos::memory_fence();
  }
};

}  // namespace quern::impl

#endif
