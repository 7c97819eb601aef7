// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_TEAM_HPP
#define QUERN_REDUCE_SELECT_TEAM_HPP

#include <quern/core/launch/teams.hpp>
#include <quern/reduce/select_keys.hpp>

namespace quern::impl {

/// A bin of a histogram: how many keys are before it and in it.
struct found_bin {
  int bin = 0;
  std::int64_t before = 0, count = 0;
};

/// Bins of 32-bit counts in which threads of a team find ranks together: each adds up adjacent bins, the first ones
/// such sums, and one thread for each rank walks through the few that remain.
struct bin_finder {
  static constexpr int together = 16;  // sums of threads that are added up in turn
  const std::uint32_t* bins;
  int count, along;     // of bins, a power of two, and of threads
  std::uint32_t* sums;  // of the bins of each thread, and then of each that are together
  found_bin* found;     // for each rank

  /// Words for sums of so many threads.
  KOKKOS_FUNCTION static constexpr int words(int along) { return along + (along + together - 1) / together; }
  KOKKOS_FUNCTION int each() const { return Kokkos::max(1, count / along); }

  KOKKOS_FUNCTION void add_up_bins(int r) const {
    const int own = each();
    std::uint32_t sum = 0;
    for (int i = 0; i < own && r * own < count; ++i) sum += bins[r * own + ((i + r * own / 32) & (own - 1))];
    sums[r] = sum;
  }
  KOKKOS_FUNCTION void add_up_sums(int r) const {
    if (r * together >= along) return;
    std::uint32_t sum = 0;
    for (int i = 0; i < together; ++i) sum += r * together + i < along ? sums[r * together + i] : 0;
    sums[along + r] = sum;
  }
  /// The bin of a rank, by one thread.
  KOKKOS_FUNCTION void find(std::int64_t rank, found_bin& to) const {
    const auto wanted = static_cast<std::uint32_t>(rank);
    std::uint32_t before = 0;
    const int group = last_before(sums + along, (along + together - 1) / together, wanted, before);
    const int first = group * together;
    const int thread = first + last_before(sums + first, Kokkos::min(int{together}, along - first), wanted, before);
    const int bin = thread * each() + last_before(bins + thread * each(), each(), wanted, before);
    to = {bin, before, bins[bin]};
  }

 private:
  /// Which of some counts has a rank, after `before`; adds those before it.
  KOKKOS_FUNCTION static int last_before(const std::uint32_t* counts, int n, std::uint32_t rank,
                                         std::uint32_t& before) {
    std::uint32_t until = before;
    int at = 0;
    for (int i = 0; i + 1 < n; ++i) {
      until += counts[i];
      if (until > rank) continue;  // so for all that follow
      at = i + 1;
      before = until;
    }
    return at;
  }
};

/// The `along` threads of a team that look for the same result, one of `across`, and what they share.
template <class Exec, class Member, class T>
struct selectors {
  using order = ordered<T>;
  using key = typename order::key;
  using tally = key_tally<key>;
  using interval = key_interval<key>;
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

  /// Adjacent threads work on adjacent results where `results_fastest`.
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

  KOKKOS_FUNCTION line_share share(std::int64_t n) const { return {r, along, n}; }

  /// The join of the tallies of the result's threads, in all of them.
  KOKKOS_FUNCTION tally joined(const tally& mine) const {
    const int t = team.team_rank();
    tallies[t] = mine;
    join_by_halves(team, tallies, used, r, along, apart_, [](tally& into, const tally& other) { into.join(other); });
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
    if constexpr (is_device<Exec>) Kokkos::atomic_inc(bins + (distance >> shift));
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

  /// Narrows an interval down by histograms until it has at most `few` keys or is one key, or the ranks are in
  /// different bins, or by some of these.
  template <class Keys>
  KOKKOS_FUNCTION void narrow(const Keys& keys, const line_share& share, interval& at, int rounds = order::bits,
                              int few = 0) const {
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
      prepare_search(at);
      if (narrowing) {
        const std::int64_t count = search(shift, at);
        narrowing = !at.split && shift > 0;
        if (narrowing && count <= few) at.few = static_cast<int>(count);
        narrowing = narrowing && at.few == 0;
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
    const found_bin f = locate(counts, at.first);
    return narrow_to(f, at.second == at.first ? f : locate(counts, at.second), shift, at);
  }
  KOKKOS_FUNCTION static std::int64_t narrow_to(const found_bin& f, const found_bin& s, int shift, interval& at) {
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
  /// The keys of the two ranks: of few keys by comparing them; after a split, the largest up to the end of the interval
  /// and the smallest of the others.
  template <class Keys>
  KOKKOS_FUNCTION pair select(const Keys& keys, const line_share& share, interval at) const {
    narrow(keys, share, at, order::bits, max_few());
    if (team.team_rank() == 0) *unfinished = 0;
    if (used && r == 0) sums[0] = 0;
    team.team_barrier();
    if (at.split) *unfinished = 1;
    if (at.few > 0) collect(keys, share, at);
    team.team_barrier();
    if (at.few > 0) rank_few(at);
    team.team_barrier();
    pair found{at.low, at.low};
    if (at.few > 0) found = {few_keys()[max_few()], few_keys()[max_few() + 1]};
    if (*unfinished == 0) {
      team.team_barrier();  // before all of this is used again
      return found;
    }
    tally t;
    if (at.split) keys.for_each(share, [&](const auto& block) { t.split(block, at.high); });
    team.team_barrier();
    t = joined(t);
    return at.split ? pair{t.high, t.low} : found;
  }

 private:
  /// On devices all threads of a result find its bins together, in the place of their tallies; on hosts each result has
  /// one thread.
  KOKKOS_FUNCTION bin_finder finder() const {
    static_assert(sizeof(tally) >= 2 * sizeof(std::uint32_t) + 2 * sizeof(found_bin) / 8);  // of 8 threads and more
    auto* const memory = reinterpret_cast<found_bin*>(tallies + result * along);
    return {bins, 1 << log_bins, along, reinterpret_cast<std::uint32_t*>(memory + 2), memory};
  }
  KOKKOS_FUNCTION void prepare_search(const interval& at) const {
    if constexpr (is_device<Exec>) {
      const bin_finder f = finder();
      if (used) f.add_up_bins(r);
      team.team_barrier();
      if (used) f.add_up_sums(r);
      team.team_barrier();
      if (used && r == 0) f.find(at.first, f.found[0]);
      if (used && r == along - 1) f.find(at.second, f.found[1]);
      team.team_barrier();
    } else {
      sum_groups(bins);
    }
  }
  KOKKOS_FUNCTION std::int64_t search(int shift, interval& at) const {
    if constexpr (is_device<Exec>) return narrow_to(finder().found[0], finder().found[1], shift, at);
    else return narrow_to_bin(bins, shift, at);
  }

  /// So many keys are compared with each other, instead of narrowed down further. They and the two that are found are
  /// in the place of the tallies of the result's threads. A host has one thread for a result, which other ways suit.
  KOKKOS_FUNCTION int max_few() const {
    static_assert(sizeof(tally) >= 4 * sizeof(key));  // two for each thread, and two more
    return is_device<Exec> ? Kokkos::min(2 * along, 64) : 0;
  }
  KOKKOS_FUNCTION key* few_keys() const { return reinterpret_cast<key*>(tallies + result * along); }

  /// The keys in the interval, in any order.
  template <class Keys>
  KOKKOS_FUNCTION void collect(const Keys& keys, const line_share& share, const interval& at) const {
    keys.for_each(share, [&](const auto& block) {
      for (const key k : block)
        if (key(k - at.low) <= key(at.high - at.low)) few_keys()[Kokkos::atomic_fetch_inc(sums)] = k;
    });
  }
  KOKKOS_FUNCTION void rank_few(const interval& at) const {
    key* const few = few_keys();
    for (int c = r; c < at.few; c += along) {
      const key mine = few[c];
      int before = 0;
      for (int i = 0; i < at.few; ++i) before += few[i] < mine || (few[i] == mine && i < c) ? 1 : 0;
      if (before == at.first) few[max_few()] = mine;
      if (before == at.second) few[max_few() + 1] = mine;
    }
  }

  int apart_, leader_;
};

}  // namespace quern::impl

#endif
