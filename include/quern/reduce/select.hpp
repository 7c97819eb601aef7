// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_HPP
#define QUERN_REDUCE_SELECT_HPP

#include <quern/core/axes.hpp>
#include <quern/core/loop_nest.hpp>
#include <quern/core/ordered.hpp>
#include <quern/core/teams.hpp>
#include <quern/core/values.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reduce/reproducible.hpp>

namespace quern {

/// What a quantile is that falls between two elements, as in NumPy's `quantile`.
enum class interpolation { linear, lower, higher, midpoint, nearest };

namespace impl {

/// Where a quantile falls among n sorted values: between those of two ranks, which are equal or neighbours.
struct quantile_place {
  std::int64_t first, second;
  double fraction;
};

/// A quantile as kernels see it.
struct quantile_rule {
  double q;
  interpolation how = interpolation::linear;
  bool skip_nan = false;

  KOKKOS_FUNCTION quantile_place among(std::int64_t n) const {
    const double at = rounded_product(q, static_cast<double>(n - 1));
    quantile_place p;
    p.first = Kokkos::min(static_cast<std::int64_t>(at), n - 1);
    p.second = Kokkos::min(p.first + 1, n - 1);
    p.fraction = at - static_cast<double>(p.first);
    switch (how) {
      case interpolation::linear:
        break;
      case interpolation::lower:
        p.fraction = 0;
        break;
      case interpolation::higher:
        p.fraction = p.fraction > 0 ? 1 : 0;
        break;
      case interpolation::midpoint:
        p.fraction = p.fraction > 0 ? 0.5 : 0;
        break;
      case interpolation::nearest:  // the even rank of two that are as near
        p.fraction = p.fraction > 0.5 || (p.fraction == 0.5 && p.first % 2 == 1) ? 1 : 0;
        break;
    }
    return p;
  }
  /// Whether no value is the result.
  KOKKOS_FUNCTION bool is_nan(std::int64_t n, std::int64_t nans) const { return n == nans || (nans > 0 && !skip_nan); }
};

/// The value at a fraction of the way from a to b >= a: an end itself where it is asked for, whatever the other is.
/// Between a number and an infinity lies the infinity, and between two infinities NaN.
KOKKOS_INLINE_FUNCTION double between(double a, double b, double fraction) {
  constexpr double largest = Kokkos::Experimental::finite_max_v<double>;
  if (fraction == 0 || a == b) return a;
  if (fraction == 1) return b;
  if (!(a >= -largest && b <= largest)) return a + b;
  if (!(b - a <= largest)) return rounded_product(a, 1 - fraction) + rounded_product(b, fraction);
  return fraction < 0.5 ? a + rounded_product(b - a, fraction) : b - rounded_product(b - a, 1 - fraction);
}

/// What threads find out about keys together.
template <class Key>
struct key_tally {
  Key low, high;  // the smallest and the largest
  std::int64_t below, nans;

  KOKKOS_FUNCTION void join(const key_tally& other) {
    low = Kokkos::min(low, other.low);
    high = Kokkos::max(high, other.high);
    below += other.below;
    nans += other.nans;
  }
  /// Keys of numbers of a type, and NaN.
  template <class Order, class Block>
  KOKKOS_FUNCTION void add(const Block& block) {
    for (const Key k : block) {
      low = Kokkos::min(low, k);
      high = Kokkos::max(high, Order::is_nan_key(k) ? 0 : k);
      nans += Order::is_nan_key(k) ? 1 : 0;
    }
  }
  /// The largest key up to `at`, and the smallest of the others.
  template <class Block>
  KOKKOS_FUNCTION void split(const Block& block, Key at) {
    for (const Key k : block) {
      high = Kokkos::max(high, k <= at ? k : 0);
      low = Kokkos::min(low, k <= at ? static_cast<Key>(~Key{0}) : k);
    }
  }
};

/// A thread's share of the elements of a line: first, first + step, ... below end.
struct line_share {
  std::int64_t first, step, end;
};

/// Calls f with arrays of a share's keys: many, all loaded before the first is used, or one. `load(i)` gives key i.
template <class Exec, class Key, class Load, class F>
KOKKOS_FUNCTION void for_blocks(const line_share& share, const Load& load, const F& f) {
  constexpr int size = tuning<Exec>::device ? 8 : 32;
  std::int64_t i = share.first;
  for (; i + (size - 1) * share.step < share.end; i += size * share.step) {
    Key k[size];
    for (int u = 0; u < size; ++u) k[u] = load(i + u * share.step);
    f(k);
  }
  for (; i < share.end; i += share.step) {
    const Key k[1] = {load(i)};
    f(k);
  }
}

/// Keys that lie in memory.
template <class Exec, class Key>
struct key_list {
  const Key* keys;
  template <class F>
  KOKKOS_FUNCTION void for_each(const line_share& share, const F& f) const {
    for_blocks<Exec, Key>(share, [&](std::int64_t i) { return keys[i]; }, f);
  }
};

/// The keys of a line of an array.
template <class Exec, class T>
struct key_line {
  using order = ordered<T>;
  using key = typename order::key;
  const row_nest<1>& nest;
  const T* from;

  KOKKOS_FUNCTION key at(std::int64_t i) const {
    std::int64_t in_row;
    return order::key_of(from[nest.at_item(i, nest.inner, 1, in_row).of[0]]);
  }
  /// The first n values, without branches between the loads; others repeat the first.
  template <int... J>
  KOKKOS_FUNCTION void load(T* v, std::int64_t n, std::integer_sequence<int, J...>) const {
    std::int64_t i;
    if (nest.outer == 1) ((v[J] = from[(J < n ? J : 0) * nest.stride[0][0]]), ...);
    else ((v[J] = from[nest.at_item(J < n ? J : 0, nest.inner, 1, i).of[0]]), ...);
  }
  template <class F>
  KOKKOS_FUNCTION void for_each(const line_share& share, const F& f) const {
    if (nest.outer == 1) {
      for_row(from, share, f);
    } else if constexpr (tuning<Exec>::device) {
      for_blocks<Exec, key>(share, [&](std::int64_t i) { return at(i); }, f);
    } else {  // whose shares are contiguous
      for (std::int64_t i = share.first, count; i < share.end; i += count) {
        const std::int64_t in_row = i % nest.inner;
        count = Kokkos::min(share.end - i, nest.inner - in_row);
        for_row(from + nest.at(i / nest.inner, in_row).of[0], {0, 1, count}, f);
      }
    }
  }
  template <class F>
  KOKKOS_FUNCTION void for_row(const T* row, const line_share& share, const F& f) const {
    const std::int64_t stride = nest.stride[0][0];
    if (!tuning<Exec>::device && stride == 1) {  // which vector instructions load
      for_blocks<Exec, key>(
          {0, 1, share.end - share.first},
          [first = row + share.first](std::int64_t i) { return order::key_of(first[i]); }, f);
    } else {
      for_blocks<Exec, key>(share, [&](std::int64_t i) { return order::key_of(row[i * stride]); }, f);
    }
  }
};

/// A bin of a histogram: how many keys are before it and in it.
struct found_bin {
  int bin = 0;
  std::int64_t before = 0, count = 0;
};

/// The `along` threads of a team that look for the same result, one of `across`, and what they share.
template <class Exec, class Member, class T>
struct selectors {
  using order = ordered<T>;
  using key = typename order::key;
  using tally = key_tally<key>;
  static constexpr int group = 32;  // bins that are added up before the search for one
  const Member& team;
  int across, along, log_bins;
  int result = 0, r = 0;  // which of the results, which of its threads
  bool used = true;
  std::uint32_t* bins = nullptr;  // of the result
  std::int64_t* sums = nullptr;   // of groups of them
  tally* tallies = nullptr;       // of all threads
  int* unfinished = nullptr;      // whether some result needs another round

  /// From the bins and sums of a result to those of the next: odd, against bank conflicts.
  KOKKOS_FUNCTION static int bins_apart(int log_bins) { return (1 << log_bins) + 1; }
  KOKKOS_FUNCTION static int sums_apart(int log_bins) { return ((1 << log_bins) / group) | 1; }
  static std::size_t bytes(int team, int across, int log_bins) {
    return across * (bins_apart(log_bins) * sizeof(std::uint32_t) + sums_apart(log_bins) * sizeof(std::int64_t)) +
           team * sizeof(tally) + 4 * 16;
  }

  /// Neighbouring threads work on neighbouring results where `results_fastest`.
  KOKKOS_FUNCTION selectors(const Member& t, int across_, int along_, int log_bins_, bool results_fastest)
      : team(t), across(across_), along(along_), log_bins(log_bins_) {
    const int rank = team.team_rank(), bin = bins_apart(log_bins), sum = sums_apart(log_bins);
    result = results_fastest ? rank % across : rank / along;
    r = results_fastest ? rank / across : rank % along;
    used = result < across && r < along;
    const auto memory = [&](std::size_t size) { return team.team_shmem().get_shmem_aligned(size, 16); };
    tallies = static_cast<tally*>(memory(team.team_size() * sizeof(tally)));
    sums = static_cast<std::int64_t*>(memory(across * sum * sizeof(std::int64_t))) + result * sum;
    bins = static_cast<std::uint32_t*>(memory(across * bin * sizeof(std::uint32_t))) + result * bin;
    unfinished = static_cast<int*>(memory(sizeof(int)));
    apart_ = results_fastest ? across : 1;
    leader_ = rank - r * apart_;
  }

  KOKKOS_FUNCTION static tally nothing() { return {key(~key{0}), 0, 0, 0}; }
  KOKKOS_FUNCTION line_share share(std::int64_t n) const { return {r, along, n}; }

  /// The join of the tallies of the result's threads, in all of them.
  KOKKOS_FUNCTION tally joined(const tally& mine) const {
    const int t = team.team_rank();
    tallies[t] = mine;
    for (int n = along; n > 1;) {
      const int half = (n + 1) / 2;
      team.team_barrier();
      if (used && r + half < n) tallies[t].join(tallies[t + half * apart_]);
      n = half;
    }
    team.team_barrier();
    const tally all = tallies[used ? leader_ : t];
    team.team_barrier();
    return all;
  }

  KOKKOS_FUNCTION void clear_bins() const {
    if (used)
      for (int b = r; b < 1 << log_bins; b += along) bins[b] = 0;
    team.team_barrier();
  }
  KOKKOS_FUNCTION void count_in(key distance, int shift) const {
    if constexpr (tuning<Exec>::device) Kokkos::atomic_inc(bins + (distance >> shift));
    else ++bins[distance >> shift];
  }
  /// How far keys of an interval are shifted to give their bins.
  KOKKOS_FUNCTION int shift_for(key low, key high) const {
    return Kokkos::max(0, static_cast<int>(Kokkos::Experimental::bit_width_builtin(key(high - low))) - log_bins);
  }

  /// Adds up groups of bins. Threads start at different bins, against bank conflicts.
  template <class Count>
  KOKKOS_FUNCTION void sum_groups(const Count* counts) const {
    if (used)
      for (int g = r; g < (1 << log_bins) / group; g += along) {
        std::int64_t sum = 0;
        for (int i = 0; i < group; ++i) sum += counts[g * group + (i + g) % group];
        sums[g] = sum;
      }
    team.team_barrier();
  }
  /// The bin with the value of a rank, after sum_groups. Loops without branches, whose loads need not wait.
  template <class Count>
  KOKKOS_FUNCTION found_bin locate(const Count* counts, std::int64_t rank) const {
    found_bin found;
    std::int64_t before = 0;
    int g = 0;
    for (int i = 0; i < (1 << log_bins) / group; ++i) {
      before += sums[i];
      if (before <= rank) {
        g = i + 1;
        found.before = before;
      }
    }
    before = found.before;
    found.bin = g * group;
    for (int i = 0; i < group; ++i) {
      before += counts[g * group + i];
      if (before <= rank) {
        found.bin = g * group + i + 1;
        found.before = before;
      }
    }
    found.count = counts[found.bin];
    return found;
  }

  /// Where two ranks of the keys from `low` on are, equal or neighbours: both between low and high, or, after a split,
  /// on both sides of the end of this interval.
  struct interval {
    key low, high;
    std::int64_t first, second;
    bool split = false;
  };
  /// Narrows an interval down by histograms until it is one key or the ranks are in different bins, or by some of
  /// these.
  template <class Keys>
  KOKKOS_FUNCTION void narrow(const Keys& keys, const line_share& share, interval& at, int rounds = order::bits) const {
    bool narrowing = used;
    for (bool go_on = true; go_on && rounds > 0; --rounds) {
      const int shift = shift_for(at.low, at.high);
      if (team.team_rank() == 0) *unfinished = 0;
      clear_bins();
      if (narrowing)
        keys.for_each(share, [&](const auto& block) {
          for (const key k : block)
            if (key(k - at.low) <= key(at.high - at.low)) count_in(k - at.low, shift);
        });
      team.team_barrier();
      sum_groups(bins);
      if (narrowing) {
        narrow_to_bin(bins, shift, at);
        narrowing = !at.split && shift > 0;
        if (narrowing) *unfinished = 1;
      }
      team.team_barrier();
      go_on = *unfinished != 0;
      team.team_barrier();  // before it and the bins are used again
    }
  }
  /// After sum_groups. Returns how many keys the interval then has.
  template <class Count>
  KOKKOS_FUNCTION std::int64_t narrow_to_bin(const Count* counts, int shift, interval& at) const {
    const found_bin f = locate(counts, at.first), s = at.second == at.first ? f : locate(counts, at.second);
    at.low += key(f.bin) << shift;
    at.high = at.low + Kokkos::min(key(at.high - at.low), key((key{1} << shift) - 1));
    at.first -= f.before;
    at.second -= f.before;
    at.split = f.bin != s.bin;
    return f.count;
  }

  struct pair {
    key first, second;
  };
  /// The keys of the two ranks: after a split, the largest up to the end of the interval and the smallest of the
  /// others.
  template <class Keys>
  KOKKOS_FUNCTION pair select(const Keys& keys, const line_share& share, interval at) const {
    narrow(keys, share, at);
    tally t = nothing();
    if (at.split) keys.for_each(share, [&](const auto& block) { t.split(block, at.high); });
    t = joined(t);
    return at.split ? pair{t.high, t.low} : pair{at.low, at.low};
  }

 private:
  int apart_, leader_;
};

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

/// Batcher's odd-even merge sort (AFIPS 1968) of N values from First on, N a power of two. All positions are known when
/// compiling, so that values stay in registers.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION void exchange(Key& a, Key& b) {
  const Key low = Kokkos::min(a, b);
  b = Kokkos::max(a, b);
  a = low;
}
template <int First, int Apart, class Key, int... I>
KOKKOS_FORCEINLINE_FUNCTION void exchange_pairs(Key* k, std::integer_sequence<int, I...>) {
  (exchange(k[First + (2 * I + 1) * Apart], k[First + (2 * I + 2) * Apart]), ...);
}
template <int First, int N, int Apart, class Key>
KOKKOS_FORCEINLINE_FUNCTION void merge_network(Key* k) {
  if constexpr (2 * Apart < N) {
    merge_network<First, N, 2 * Apart>(k);
    merge_network<First + Apart, N, 2 * Apart>(k);
    exchange_pairs<First, Apart>(k, std::make_integer_sequence<int, N / (2 * Apart) - 1>());
  } else {
    exchange(k[First], k[First + Apart]);
  }
}
template <int First, int N, class Key>
KOKKOS_FORCEINLINE_FUNCTION void sort_network(Key* k) {
  if constexpr (N > 1) {
    sort_network<First, N / 2>(k);
    sort_network<First + N / 2, N / 2>(k);
    merge_network<First, N, 1>(k);
  }
}

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
  using key = typename Kernel::key;
  const select_shape& s = kernel.shape = pass_shape(exec, results, kernel.n);
  const std::int64_t bins = std::int64_t{1} << s.log_bins;
  auto* memory = static_cast<std::byte*>(scratch.require(
      exec, results * (Kernel::capacity * sizeof(key) + bins * sizeof(std::int64_t) + sizeof(typename Kernel::state))));
  const auto take = [&]<class P>(P*& part, std::int64_t count) {
    part = reinterpret_cast<P*>(memory);
    memory += count * results * sizeof(P);
  };
  take(kernel.counts, bins);
  take(kernel.keys, Kernel::capacity);
  take(kernel.states, 1);
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

}  // namespace impl
}  // namespace quern

#endif
