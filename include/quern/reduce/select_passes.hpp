// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_PASSES_HPP
#define QUERN_REDUCE_SELECT_PASSES_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/reduce/select_work.hpp>
#include <quern/reduce/tuning.hpp>

namespace quern::impl {

/// The knowledge about a quantile of a long line between passes over it.
template <class Key>
struct search_state {
  enum phase { counting, splitting, collecting, finished };
  phase now = counting;
  key_interval<Key> at{};  // collecting: with the ranks in it; splitting: the keys on both sides of its end are sought
  key_tally<Key> found{};  // by the pass: counting: how many below, and NaN; splitting: those keys
  double fraction = 0;
  std::int64_t collected = 0;
};

struct select_start_tag {};  // several teams for a result: the interval that they start with,
struct select_pass_tag {};   // and a pass over the line

/// Quantiles of long lines, which many teams read in a few passes.
///
/// A sample gives an interval that holds the quantile almost surely, and a few percent of the keys; the first pass
/// counts these in 2048 bins, the second collects the thousands of the right bin, of which one team selects. If the
/// quantile is not in the interval, counting starts again with all keys. Passes are launched for the worst case and end
/// at once when they have nothing to do, so nothing waits for the host. One kernel serves hosts and devices, which
/// differ in how a team reads its part of the line. reducers/counted_selection.hpp says why there are other selections.
template <class Exec, class T, class Out>
struct select_passes {
  using order = ordered<T>;
  using key = typename order::key;
  using tally = key_tally<key>;
  using state = search_state<key>;
  using member = typename select_work<Exec, T, Out>::member;
  using team_selectors = selectors<Exec, member, T>;
  static constexpr bool device = is_device<Exec>;
  static constexpr int samples = reduce_tuning<Exec>::select_samples;
  static constexpr int capacity = reduce_tuning<Exec>::select_collected;
  /// One with the sample, those that narrow all keys down, and one for the end.
  static constexpr int passes = 1 + (order::bits + select_shape().log_bins - 1) / select_shape().log_bins + 1;

  select_work<Exec, T, Out> work;
  state* states = nullptr;         // of each result, as all that follow
  std::int64_t* counts = nullptr;  // a histogram
  key* keys = nullptr;             // samples, then what is collected
  int* done = nullptr;             // teams

  /// The interval that the passes over a long line start with.
  KOKKOS_FUNCTION void operator()(select_start_tag, const member& team) const {
    const team_selectors threads(team, 1, team.team_size(), work.shape.log_bins, false);
    const std::int64_t result = team.league_rank();
    key* sample = keys + result * capacity;
    const auto at = work.result_at(result);
    const auto keys_of = work.line_at(at.of[0]);
    tally t;
    for_blocks<Exec, key>(
        threads.share(samples), [&](std::int64_t i) { return sample[i] = keys_of.at(sample_at(i, work.n)); },
        [&](const auto& block) { t.template add<order>(block); });
    for (int b = threads.r; b < 1 << work.shape.log_bins; b += threads.along)
      counts[(result << work.shape.log_bins) + b] = 0;
    t = threads.joined(t);

    const std::int64_t numbers = samples - t.nans;
    const double all = static_cast<double>(work.n), shown = all - static_cast<double>(work.after(at.of[1], 0));
    const double q = work.rule.q * shown / all;  // hidden integers are keys of the sample
    const double spread = 5 * Kokkos::sqrt(static_cast<double>(numbers) * q * (1 - q)) + 5;
    const double middle = q * static_cast<double>(numbers);
    const auto first = static_cast<std::int64_t>(middle - spread), last = static_cast<std::int64_t>(middle + spread);
    const auto sampled = [&](std::int64_t rank) {
      key_interval<key> found{t.low, t.high, rank, rank};
      threads.narrow(key_list<Exec, key>{sample}, threads.share(samples), found, 2);
      return found;
    };
    const key low = middle > spread ? sampled(first).low : 0;
    const key high = last < numbers ? sampled(last).high : order::largest;
    if (threads.r == 0) states[result] = {.now = state::counting, .at = {.low = low, .high = high}};
  }
  /// Positions that no pattern of the data is in step with, each from a part of the line of its own.
  KOKKOS_FUNCTION static std::int64_t sample_at(std::int64_t i, std::int64_t n) {
    const double part = static_cast<double>(n) / samples;
    const auto mixed = static_cast<std::uint32_t>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 32);
    const auto at = static_cast<std::int64_t>((static_cast<double>(i) + mixed * 0x1p-32) * part);
    return Kokkos::min(at, n - 1);
  }

  KOKKOS_FUNCTION line_share share_of(std::int64_t split, const team_selectors& threads) const {
    if constexpr (device) return {split * threads.along + threads.r, work.shape.splits * threads.along, work.n};
    else return {split * work.n / work.shape.splits, 1, (split + 1) * work.n / work.shape.splits};
  }

  /// A pass over long lines.
  KOKKOS_FUNCTION void operator()(select_pass_tag, const member& team) const {
    const std::int64_t result = team.league_rank() / work.shape.splits,
                       split = team.league_rank() - result * work.shape.splits;
    state& s = states[result];
    const auto now = s.now;
    if (now == state::finished) return;
    const team_selectors threads(team, 1, team.team_size(), work.shape.log_bins, false);
    const auto at = work.result_at(result);
    const auto keys_of = work.line_at(at.of[0]);
    const line_share share = share_of(split, threads);
    if (now == state::counting) {
      count_pass(threads, keys_of, share, s, counts + (result << work.shape.log_bins));
    } else if (now == state::splitting) {
      split_pass(threads, keys_of, share, s);
    } else {
      const key low = s.at.low, high = s.at.high;
      for_each_inside(keys_of, share, low, high, [&](key k) {
        keys[result * capacity + Kokkos::atomic_fetch_add(&s.collected, std::int64_t{1})] = k;
      });
      Kokkos::memory_fence();
    }
    if (!last_to_finish(team, done + result, work.shape.splits)) return;
    if (now == state::counting) {
      decide(threads, s, counts + (result << work.shape.log_bins), at.of[1]);
    } else if (now == state::splitting) {
      finish(threads, s, at.of[1], s.found.high, s.found.low);
    } else {
      const key_list<Exec, key> collected{keys + result * capacity};
      const auto pair = threads.select(collected, threads.share(s.collected), s.at);
      finish(threads, s, at.of[1], pair.first, pair.second);
    }
  }
  /// Calls f with the keys of an interval, and counts those below it and the NaN. Most keys are outside, so a
  /// host looks at blocks without branches first.
  template <class F>
  KOKKOS_FUNCTION static tally for_each_inside(const key_line<Exec, T>& keys_of, const line_share& share, key low,
                                               key high, const F& f) {
    tally t;
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
    work.write(to, first, second, s.fraction);
    s.now = state::finished;
  }

  KOKKOS_FUNCTION void count_pass(const team_selectors& threads, const key_line<Exec, T>& keys_of,
                                  const line_share& share, state& s, std::int64_t* global) const {
    const key low = s.at.low, high = s.at.high;
    const int shift = threads.shift_for(low, high);
    threads.clear_bins();
    const tally t =
        threads.joined(for_each_inside(keys_of, share, low, high, [&](key k) { threads.count_in(k - low, shift); }));
    for (int b = threads.r; b < 1 << work.shape.log_bins; b += threads.along)
      if (threads.bins[b] > 0) Kokkos::atomic_add(global + b, static_cast<std::int64_t>(threads.bins[b]));
    if (threads.r == 0) {
      Kokkos::atomic_add(&s.found.below, t.below);
      Kokkos::atomic_add(&s.found.nans, t.nans);
    }
    Kokkos::memory_fence();
  }

  /// Chooses the next pass after a count, by the team that finished it.
  KOKKOS_FUNCTION void decide(const team_selectors& threads, state& s, std::int64_t* global, std::int64_t to) const {
    state next = s;
    threads.sum_groups(global);
    std::int64_t inside = 0;
    for (int g = 0; g < (1 << work.shape.log_bins) / team_selectors::group; ++g) inside += threads.sums[g];
    const quantile_position p = work.among(to, s.found.nans);
    next.fraction = p.fraction;
    next.at.first = p.first - s.found.below;
    next.at.second = p.second - s.found.below;
    if (work.is_nan(to, s.found.nans)) {
      next.now = state::finished;
      if (threads.r == 0) work.write_nan(to);
    } else if (next.at.first < 0 || next.at.second >= inside) {
      next.at.low = 0;
      next.at.high = order::largest;
    } else {
      narrow(threads, next, global, to);
    }
    next.found = {};
    threads.team.team_barrier();  // all have read what the next pass will count anew
    for (int b = threads.r; b < 1 << work.shape.log_bins; b += threads.along) global[b] = 0;
    if (threads.r == 0) s = next;
  }
  KOKKOS_FUNCTION void narrow(const team_selectors& threads, state& next, const std::int64_t* global,
                              std::int64_t to) const {
    const int shift = threads.shift_for(next.at.low, next.at.high);
    const std::int64_t inside = threads.narrow_to_bin(global, shift, next.at);
    if (next.at.split) {
      next.now = state::splitting;
    } else if (shift == 0) {
      next.now = state::finished;
      if (threads.r == 0) work.write(to, next.at.low, next.at.low, 0);
    } else if (inside <= capacity) {
      next.now = state::collecting;
    }
  }

  KOKKOS_FUNCTION void split_pass(const team_selectors& threads, const key_line<Exec, T>& keys_of,
                                  const line_share& share, state& s) const {
    const key split = s.at.high;
    tally t;
    keys_of.for_each(share, [&](const auto& block) { t.split(block, split); });
    t = threads.joined(t);
    if (threads.r == 0) {
      Kokkos::atomic_max(&s.found.high, t.high);
      Kokkos::atomic_min(&s.found.low, t.low);
    }
    Kokkos::memory_fence();
  }
};

/// Teams for long lines.
template <class Exec>
select_shape pass_shape(const Exec& exec, std::int64_t results, std::int64_t n) {
  using tune = reduce_tuning<Exec>;
  select_shape s;
  s.team = s.along = tune::team_size;
  const std::int64_t slots = std::max<std::int64_t>(1, exec.concurrency() / s.team);
  const auto teams = static_cast<std::int64_t>(static_cast<double>(slots) * tune::select_occupancy);
  s.splits = std::max(teams / results, (n >> 31) + 1);  // bins of a team are counted in 32 bits
  return s;
}

template <class Exec, class T, class Out>
void select_in_passes(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                      const select_work<Exec, T, Out>& work) {
  using kernel_type = select_passes<Exec, T, Out>;
  kernel_type kernel{work};
  const std::int64_t results = work.results();
  const select_shape& s = kernel.work.shape = pass_shape(exec, results, work.n);
  const std::int64_t bins = std::int64_t{1} << s.log_bins;
  scratch_layout layout;
  layout.add(kernel.counts, results * bins);
  layout.add(kernel.keys, results * kernel_type::capacity);
  layout.add(kernel.states, results);
  layout.allocate(exec, scratch);
  kernel.done = scratch.counters();
  const auto shared = team_scratch<Exec>(label, s.team, kernel_type::team_selectors::bytes(s.team, 1, s.log_bins));
  const auto launch = [&]<class Tag>(Tag, const std::string& name, std::int64_t teams) {
    using policy = typename select_work<Exec, T, Out>::template policy<Tag>;
    Kokkos::parallel_for(kernel_label(name), policy(exec, static_cast<int>(teams), s.team).set_scratch_size(0, shared),
                         kernel);
  };
  launch(select_start_tag(), label_text(label, "/sample"), results);
  for (int pass = 0; pass < kernel_type::passes; ++pass) launch(select_pass_tag(), label, results * s.splits);
}

}  // namespace quern::impl

#endif
