// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_DEVICE_BINNING_HPP
#define QUERN_KEYED_DEVICE_BINNING_HPP

/// @file
/// Sums by bins on devices. Threads that add to one address wait for each other, and values of real data meet in few
/// bins. So a team adds in its fast memory: to all bins where they fit, else to those that are frequent among a sample
/// of its values, and to all others in the output. Sums of the two most frequent bins stay in registers.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/keyed/binned_values.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Bins in a team's fast memory, each in one of two slots that a hash gives; only some find one. While a sample is
/// looked at, all its bins have slots, with their counts.
struct frequent_bins {
  static constexpr std::int32_t none = -1;
  std::int32_t* bins;
  std::int32_t* counts;
  int slots;  // a power of two

  KOKKOS_FUNCTION static std::int64_t bytes(int slots) { return 2 * slots * std::int64_t{sizeof(std::int32_t)}; }
  KOKKOS_FUNCTION int first_slot(std::int64_t bin) const {
    return static_cast<int>(static_cast<std::uint32_t>(bin) * 0x9e3779b1u >> 8) & (slots - 1);
  }
  KOKKOS_FUNCTION int next_slot(int slot) const { return (slot + 1) & (slots - 1); }
  /// Where a bin is, or -1.
  KOKKOS_FUNCTION int slot_of(std::int64_t bin) const {
    const int first = first_slot(bin), next = next_slot(first);
    return bins[first] == bin ? first : bins[next] == bin ? next : -1;
  }
  KOKKOS_FUNCTION void count(std::int64_t bin) const {
    const auto own = static_cast<std::int32_t>(bin);
    int slot = first_slot(bin);
    for (int probe = 0; probe < 2; ++probe, slot = next_slot(slot)) {
      const std::int32_t there = Kokkos::atomic_compare_exchange(bins + slot, none, own);
      if (there == none || there == own) return Kokkos::atomic_inc(counts + slot);
    }
  }
};

/// Adds up by the teams of a device.
template <class Work>
struct device_binning {
  using T = typename Work::T;
  using W = typename Work::W;
  using sum_type = typename Work::sum_type;
  using run = typename Work::run;
  using tune = keyed_tuning<typename Work::exec_space>;
  using policy = Kokkos::TeamPolicy<typename Work::exec_space, registers_of_teams<tune::frequent_team, 2>>;
  using member = typename policy::member_type;
  static constexpr bool weighted = Work::weighted;
  static constexpr int width = Work::width;
  static constexpr int unroll = tune::binning_packs;

  Work work;
  int samples;  // that each thread looks at to find frequent bins, or 0
  int slots;    // of these bins

  /// Where a thread adds.
  struct sums {
    const Work& work;
    sum_type* own;  // of all bins, or of the slots of frequent ones
    frequent_bins frequent;
    std::int64_t top[2] = {-2, -2};  // -1 is no bin
    sum_type top_sum[2] = {};

    KOKKOS_FUNCTION void add(std::int64_t bin, const sum_type& sum) const {
      if (work.shared) return Kokkos::atomic_add(own + bin, sum);
      const int slot = frequent.slots > 0 ? frequent.slot_of(bin) : -1;
      if (slot >= 0) Kokkos::atomic_add(own + slot, sum);
      else work.put(bin, sum);
    }
    KOKKOS_FUNCTION void add_one(run& r, std::int64_t bin, const W& weight) {
      if (bin == top[0]) Work::raise(top_sum[0], weight);
      else if (bin == top[1]) Work::raise(top_sum[1], weight);
      else work.add(*this, r, bin, weight);
    }
  };

  /// Sums that a team has in its fast memory.
  KOKKOS_FUNCTION std::int64_t own_sums() const { return work.shared ? work.bins : slots; }
  KOKKOS_FUNCTION std::int64_t bytes() const {
    return own_sums() * static_cast<std::int64_t>(sizeof(sum_type)) + frequent_bins::bytes(slots) + top_bytes;
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    sums mine{work, nullptr, {nullptr, nullptr, work.shared ? 0 : slots}};
    if (own_sums() > 0) prepare(team, mine);
    run r;
    add_all(team, mine, r);
    work.flush(mine, r);
    if (slots > 0) put_top(team, mine);
    if (own_sums() > 0) put_own(team, mine);
  }

 private:
  static constexpr int top_bytes = 2 * sizeof(std::uint64_t);
  static constexpr std::int32_t least_count = 3;  // of a bin that is frequent in a sample
  static constexpr int together = 8;              // values of a sample that are read with one access to memory

  KOKKOS_FUNCTION void prepare(const member& team, sums& mine) const {
    auto* const memory = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes(), 8));
    auto* const best = reinterpret_cast<std::uint64_t*>(memory);
    mine.own = reinterpret_cast<sum_type*>(memory + top_bytes);
    auto* const of_sample = reinterpret_cast<std::int32_t*>(mine.own + own_sums());
    const frequent_bins found{of_sample, of_sample + slots, slots};
    for (std::int64_t b = team.team_rank(); b < own_sums(); b += team.team_size()) mine.own[b] = 0;
    for (int s = team.team_rank(); s < slots; s += team.team_size()) {
      found.bins[s] = frequent_bins::none;
      found.counts[s] = 0;
    }
    if (team.team_rank() == 0) best[0] = best[1] = 0;
    team.team_barrier();
    if (slots == 0) return;
    sample(team, found);
    find_top(team, found, best, mine);
    if (!work.shared) mine.frequent = found;
  }
  /// Values from all over the array, each team's own.
  KOKKOS_FUNCTION void sample(const member& team, const frequent_bins& found) const {
    const std::int64_t of_team = static_cast<std::int64_t>(samples) * team.team_size() / together;
    const std::int64_t step = work.n / (of_team * team.league_size());
    for (int k = 0; k < samples; ++k) {
      const int s = k * team.team_size() + team.team_rank();
      const std::int64_t place = s / together * static_cast<std::int64_t>(team.league_size()) + team.league_rank();
      const auto spread = static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u >> 32;  // so that no period hides
      const auto within = static_cast<std::int64_t>(spread) % (step - together + 1);
      work.one(place * step + within + s % together, [&](std::int64_t bin, const W&) {
        if (bin >= 0) found.count(bin);
      });
    }
    team.team_barrier();
  }
  /// The two most frequent bins of a sample; those that occur once or twice lose their slots.
  KOKKOS_FUNCTION void find_top(const member& team, const frequent_bins& found, std::uint64_t* best, sums& mine) const {
    const auto key = [&](int s) {
      return static_cast<std::uint64_t>(found.counts[s]) << 32 | static_cast<unsigned>(s);
    };
    for (int t = 0; t < 2; ++t) {
      for (int s = team.team_rank(); s < slots; s += team.team_size())
        if (found.counts[s] >= least_count && (t == 0 || key(s) != best[0])) Kokkos::atomic_max(best + t, key(s));
      team.team_barrier();
      if (best[t] != 0) mine.top[t] = found.bins[best[t] & 0xffffffff];
    }
    team.team_barrier();
    for (int s = team.team_rank(); s < slots; s += team.team_size())
      if (found.counts[s] < least_count) found.bins[s] = frequent_bins::none;
    team.team_barrier();
  }
  /// Adjacent threads read adjacent packs, several at a time each.
  KOKKOS_FUNCTION void add_all(const member& team, sums& mine, run& r) const {
    const std::int64_t threads = static_cast<std::int64_t>(team.league_size()) * team.team_size();
    const std::int64_t me = static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    std::int64_t done = 0;
    if (work.contiguous) {
      const std::int64_t packs = work.n / width;
      for (std::int64_t g = me; g < packs; g += threads * unroll) {
        pack<T, width> p[unroll];
        pack<W, width> q[unroll];
        for (int u = 0; u < unroll; ++u)
          if (g + u * threads < packs) {
            p[u] = load_pack<width>(work.x, (g + u * threads) * width);
            if constexpr (weighted) q[u] = load_pack<width>(work.weights, (g + u * threads) * width);
          }
        for (int u = 0; u < unroll; ++u)
          if (g + u * threads < packs)
            for (int k = 0; k < width; ++k)
              mine.add_one(r, work.bin_of(p[u].value[k]), weighted ? q[u].value[k] : W(1));
      }
      done = packs * width;
    }
    for (std::int64_t i = done + me; i < work.n; i += threads)
      work.one(i, [&](std::int64_t bin, const W& weight) { mine.add_one(r, bin, weight); });
  }
  KOKKOS_FUNCTION void put_top(const member& team, sums& mine) const {
    for (int t = 0; t < 2; ++t) {
      if (mine.top[t] < 0) return;  // and no second one; so for the whole team
      team.team_reduce(Kokkos::Sum<sum_type>(mine.top_sum[t]));
      if (team.team_rank() == 0) work.put(mine.top[t], mine.top_sum[t]);
    }
  }
  KOKKOS_FUNCTION void put_own(const member& team, const sums& mine) const {
    team.team_barrier();
    for (std::int64_t s = team.team_rank(); s < own_sums(); s += team.team_size())
      if (work.shared || mine.frequent.bins[s] >= 0) work.put(work.shared ? s : mine.frequent.bins[s], mine.own[s]);
  }
};

template <class Exec, class Work>
void bin_on_device(const Exec& exec, const std::string& label, Work work) {
  using tune = keyed_tuning<Exec>;
  device_binning<Work> kernel{work, 0, 0};
  const bool sampled = work.n >= tune::sampled_least && std::in_range<std::int32_t>(work.bins);
  const auto has_room = [&](int team) {
    return kernel.bytes() <= std::min<std::int64_t>(tune::binning_bytes, team_scratch_room<Exec>(team));
  };
  kernel.slots = sampled ? tune::top_slots : 0;
  kernel.work.shared = true;
  kernel.work.shared = has_room(tune::binning_team);
  if (!kernel.work.shared) kernel.slots = sampled ? tune::frequent_slots : 0;
  const int team = kernel.work.shared || !sampled ? tune::binning_team : tune::frequent_team;
  const std::int64_t max_teams = std::max<std::int64_t>(1, exec.concurrency() / team);
  const std::int64_t worth = (work.n + tune::binning_least * team - 1) / (tune::binning_least * team);
  const auto teams = static_cast<int>(std::min(max_teams, worth));
  if (sampled)
    kernel.samples = static_cast<int>(std::clamp<std::int64_t>(work.n / (32 * std::int64_t{teams} * team), 1, 4));
  typename device_binning<Work>::policy policy(exec, teams, team);
  if (kernel.own_sums() > 0) policy.set_scratch_size(0, team_scratch<Exec>(label, team, kernel.bytes()));
  Kokkos::parallel_for(kernel_label(label), policy, kernel);
}

}  // namespace quern::impl

#endif
