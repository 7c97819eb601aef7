// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_FREQUENT_BINS_HPP
#define QUERN_KEYED_FREQUENT_BINS_HPP

/// @file
/// Which bins are frequent among values, by a sample of them.

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// A hash of a bin, of which all bits depend on it.
KOKKOS_INLINE_FUNCTION std::uint32_t hash_of_bin(std::int64_t bin) {
  return static_cast<std::uint32_t>(bin) * 0x9e3779b1u;
}

/// How often bins occur in a team's sample, in its shared memory. A bin has one of two slots that a hash gives; only
/// some find one.
struct bin_counts {
  static constexpr std::int32_t none = -1;
  std::int32_t* bins;
  std::int32_t* counts;
  int slots;  // a power of two

  KOKKOS_FUNCTION static std::int64_t bytes(int slots) { return 2 * slots * std::int64_t{sizeof(std::int32_t)}; }
  KOKKOS_FUNCTION int first_slot(std::int64_t bin) const {
    return static_cast<int>(hash_of_bin(bin) >> 8) & (slots - 1);
  }
  KOKKOS_FUNCTION int next_slot(int slot) const { return (slot + 1) & (slots - 1); }
  template <class Member>
  KOKKOS_FUNCTION void clear(const Member& team) const {
    for (int s = team.team_rank(); s < slots; s += team.team_size()) {
      bins[s] = none;
      counts[s] = 0;
    }
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

/// Counts the bins of values from all over the array, `of_thread` for each thread and each team's own.
template <class Work, class Member>
KOKKOS_FUNCTION void count_sample(const Work& work, const Member& team, const bin_counts& found, int of_thread) {
  constexpr int together = 8;  // values that are read with one access to memory
  const std::int64_t of_team = static_cast<std::int64_t>(of_thread) * team.team_size() / together;
  const std::int64_t step = work.n / (of_team * team.league_size());
  for (int k = 0; k < of_thread; ++k) {
    const int s = k * team.team_size() + team.team_rank();
    const std::int64_t position = s / together * static_cast<std::int64_t>(team.league_size()) + team.league_rank();
    const auto spread = static_cast<std::uint64_t>(position) * 0x9e3779b97f4a7c15u >> 32;  // so that no period hides
    const auto within = static_cast<std::int64_t>(spread) % (step - together + 1);
    work.one(position * step + within + s % together, [&](std::int64_t bin, const auto&) {
      if (bin >= 0) found.count(bin);
    });
  }
  team.team_barrier();
}

/// How often bins occur in the samples of all teams, in memory. Each bin belongs to a set, of which only the most
/// frequent ones are wanted. Numbers of bins are one more than they are: 0 is none, as memory is cleared.
struct sampled_bins {
  static constexpr int entries = 32, probes = 8;
  std::uint32_t* bins;  // entry e of set s is at e * sets + s
  std::uint32_t* counts;
  int log_sets;

  KOKKOS_FUNCTION int sets() const { return 1 << log_sets; }
  KOKKOS_FUNCTION static int set_of(std::int64_t bin, int log_sets) {
    return static_cast<int>(hash_of_bin(bin) >> (32 - log_sets));
  }
  KOKKOS_FUNCTION void add(std::int64_t bin, std::uint32_t count) const {
    const auto own = static_cast<std::uint32_t>(bin) + 1;
    const int set = set_of(bin, log_sets);
    const auto first = static_cast<int>(hash_of_bin(bin) >> 3);
    for (int probe = 0; probe < probes; ++probe) {
      const std::int64_t at = std::int64_t{(first + probe) & (entries - 1)} * sets() + set;
      const std::uint32_t there = Kokkos::atomic_compare_exchange(bins + at, 0u, own);
      if (there == 0 || there == own) return Kokkos::atomic_add(counts + at, count);
    }
  }
};

/// A team's share of the samples.
template <class Work>
struct sample_bins {
  Work work;
  sampled_bins all;
  int slots, of_thread;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const memory = static_cast<std::int32_t*>(team.team_shmem().get_shmem_aligned(bin_counts::bytes(slots), 8));
    const bin_counts found{memory, memory + slots, slots};
    found.clear(team);
    team.team_barrier();
    count_sample(work, team, found, of_thread);
    for (int s = team.team_rank(); s < slots; s += team.team_size())
      if (found.counts[s] > 0) all.add(found.bins[s], static_cast<std::uint32_t>(found.counts[s]));
  }
};

/// A bin that is frequent, one more than it is, below its count in the sample; 0 is none.
struct frequent_bin {
  std::uint64_t word;
  KOKKOS_FUNCTION std::uint32_t bin() const { return static_cast<std::uint32_t>(word); }
  KOKKOS_FUNCTION std::uint32_t count() const { return static_cast<std::uint32_t>(word >> 32); }
};

/// The two most frequent bins of each set, if they occur often enough. A set may be several of those that were counted,
/// which have more room than teams have for sums: or rare bins of a sample would leave none for frequent ones.
struct choose_frequent {
  sampled_bins all;
  std::uint32_t least;
  int log_sets;
  frequent_bin* chosen;

  KOKKOS_FUNCTION void operator()(int set) const {
    std::uint64_t first = 0, second = 0;
    const int log_of_set = all.log_sets - log_sets;
    for (int s = set << log_of_set; s < (set + 1) << log_of_set; ++s)
      for (int e = 0; e < sampled_bins::entries; ++e) {
        const std::int64_t at = std::int64_t{e} * all.sets() + s;
        const std::uint32_t count = all.counts[at];
        const std::uint64_t here = count < least ? 0 : std::uint64_t{count} << 32 | all.bins[at];
        second = Kokkos::max(second, Kokkos::min(first, here));
        first = Kokkos::max(first, here);
      }
    chosen[2 * set] = {first};
    chosen[2 * set + 1] = {second};
  }
};

}  // namespace quern::impl

#endif
