// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_FREQUENT_BINNING_HPP
#define QUERN_KEYED_FREQUENT_BINNING_HPP

/// @file
/// Sums by so many bins on devices that a team's shared memory holds those that are frequent among a sample of the
/// values alone. The two most frequent ones are added up in registers, others in memory.

#include <algorithm>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/binned_values.hpp>
#include <quern/keyed/counted.hpp>
#include <quern/keyed/frequent_bins.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Puts the sums of the two most frequent bins, which each thread has for itself.
template <class Work, class Member, class Sums>
KOKKOS_FUNCTION void put_top(const Work& work, const Member& team, Sums& mine) {
  for (int t = 0; t < 2; ++t) {
    if (mine.top[t] < 0) return;  // and no second one; so for the whole team
    team.team_reduce(Kokkos::Sum<typename Work::sum_type>(mine.top_sum[t]));
    if (team.team_rank() == 0) work.put(mine.top[t], mine.top_sum[t]);
  }
}

/// Adds up by the teams of a device.
template <class Work>
struct frequent_binning {
  using sum_type = typename Work::sum_type;
  using run = typename Work::run;
  using tune = keyed_tuning<typename Work::exec_space>;
  using policy =
      Kokkos::TeamPolicy<typename Work::exec_space, registers_of_teams<tune::frequent_team, tune::frequent_teams>>;
  /// The bins of a set, read at once.
  struct alignas(8) pair {
    std::uint32_t first, second;
  };

  Work work;
  const frequent_bin* chosen;  // two for each set
  int log_sets;
  std::uint32_t least_top;  // in the sample, of a bin for registers

  /// Where a thread adds.
  struct sums {
    const Work& work;
    sum_type* own;  // of the bins in sets
    const pair* sets;
    int log_sets;
    std::int32_t top[2];  // -2 is none
    sum_type top_sum[2];

    KOKKOS_FUNCTION void add(std::int64_t bin, const sum_type& sum) {
      if (bin == top[0]) top_sum[0] = wrapping_add(top_sum[0], sum);
      else if (bin == top[1]) top_sum[1] = wrapping_add(top_sum[1], sum);
      else if (bin >= 0) add_to_memory(bin, sum);
    }
    KOKKOS_FUNCTION void add_to_memory(std::int64_t bin, const sum_type& sum) const {
      const int set = sampled_bins::set_of(bin, log_sets);
      const pair p = sets[set];
      const auto wanted = static_cast<std::uint32_t>(bin) + 1;
      if (p.first == wanted || p.second == wanted)
        add_in_team_memory(own + 2 * set + (p.second == wanted ? 1 : 0), sum);
      else work.put(bin, sum);
    }
  };

  KOKKOS_FUNCTION int slots() const { return 2 << log_sets; }
  KOKKOS_FUNCTION std::int64_t bytes() const {
    return slots() * static_cast<std::int64_t>(sizeof(sum_type) + sizeof(std::uint32_t)) + 3 * 8;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto memory = [&](std::int64_t bytes) { return team.team_shmem().get_shmem_aligned(bytes, 8); };
    auto* const best = static_cast<std::uint64_t*>(memory(2 * sizeof(std::uint64_t)));
    auto* const own = static_cast<sum_type*>(memory(slots() * sizeof(sum_type)));
    auto* const sets = static_cast<pair*>(memory((slots() / 2) * sizeof(pair)));
    sums mine{work, own, sets, log_sets, {-2, -2}, {}};
    prepare(team, mine, reinterpret_cast<std::uint32_t*>(sets), best);
    for_share_of_team<tune::frequent_packs>(work, team, [&](auto width, const auto& bin_at, const auto& weight_at) {
      run r;  // equal bins that follow each other are added up first
      for (int k = 0; k < decltype(width)::value; ++k) {
        const std::int64_t bin = bin_at(k);
        if (k > 0 && bin != r.bin) {
          mine.add(r.bin, r.sum);
          r.sum = 0;
        }
        r.bin = bin;
        Work::raise(r.sum, weight_at(k));
      }
      mine.add(r.bin, r.sum);
    });
    put_top(work, team, mine);
    put_own(team, mine);
  }

 private:
  /// The bins from memory, and the two most frequent ones among them.
  template <class Member>
  KOKKOS_FUNCTION void prepare(const Member& team, sums& mine, std::uint32_t* bins, std::uint64_t* best) const {
    std::uint64_t first = 0, second = 0;  // of the thread
    if (team.team_rank() == 0) best[0] = best[1] = 0;
    for (int s = team.team_rank(); s < slots(); s += team.team_size()) {
      const frequent_bin here = chosen[s];
      bins[s] = here.bin();
      mine.own[s] = 0;
      const std::uint64_t word = here.count() < least_top ? 0 : here.word;
      second = Kokkos::max(second, Kokkos::min(first, word));
      first = Kokkos::max(first, word);
    }
    team.team_barrier();
    for (int t = 0; t < 2; ++t) {
      if (t == 1 && first == best[0]) first = second;
      if (first != 0) Kokkos::atomic_max(best + t, first);
      team.team_barrier();
      if (best[t] != 0) mine.top[t] = static_cast<std::int32_t>(frequent_bin{best[t]}.bin() - 1);
    }
  }
  template <class Member>
  KOKKOS_FUNCTION void put_own(const Member& team, const sums& mine) const {
    team.team_barrier();
    const auto* const bins = reinterpret_cast<const std::uint32_t*>(mine.sets);
    for (int s = team.team_rank(); s < slots(); s += team.team_size())
      if (bins[s] != 0) work.put(std::int64_t{bins[s]} - 1, mine.own[s]);
  }
};

/// The sets of bins that a team's shared memory has room for.
template <class Exec, class Work>
int log_sets_with_room(const Work& work) {
  using tune = keyed_tuning<Exec>;
  frequent_binning<Work> kernel{work, nullptr, tune::log_frequent_sets, 0};
  const std::int64_t room = team_scratch_room<Exec>(tune::frequent_team);
  while (kernel.log_sets > 1 && kernel.bytes() > room) --kernel.log_sets;
  return kernel.log_sets;
}

/// Finds frequent bins and adds up.
template <class Exec, class Work>
void bin_by_frequent(const Exec& exec, const std::string& label, const Work& work) {
  using tune = keyed_tuning<Exec>;
  constexpr int team = tune::frequent_team, sample_team = tune::sample_team, of_team = sample_team * 4;
  const int log_sets = log_sets_with_room<Exec>(work), sets = 1 << log_sets;
  constexpr std::int64_t entries = std::int64_t{sampled_bins::entries} << tune::log_frequent_sets;
  static_assert(entries >= 2 * tune::frequent_samples, "all that are sampled find a place");
  frequent_bin* chosen = nullptr;
  std::uint32_t* table = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{chosen, 2 * sets}, scratch_part{table, 2 * entries});
  const sampled_bins all{table, table + entries, tune::log_frequent_sets};
  fill_scratch(label_text(label, "/clear"), exec, table, 2 * entries, std::uint32_t{0});
  const auto sample_teams =
      static_cast<int>(std::clamp<std::int64_t>(work.n / (32 * of_team), 1, tune::frequent_samples / of_team));
  const std::string name = label_text(label, "/sample");
  const sample_bins<Work> sample{work, all, 2 * of_team, 4};
  using sample_policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<sample_team>>;
  Kokkos::parallel_for(
      kernel_label(name),
      sample_policy(exec, sample_teams, sample_team)
          .set_scratch_size(0, team_scratch<Exec>(name, sample_team, bin_counts::bytes(2 * of_team) + 8)),
      sample);
  Kokkos::parallel_for(kernel_label(label, "/choose"), Kokkos::RangePolicy<Exec>(exec, 0, sets),
                       choose_frequent{all, tune::frequent_count, log_sets, chosen});

  const std::uint32_t least_top = static_cast<std::uint32_t>(sample_teams * of_team / 512);
  const frequent_binning<Work> kernel{work, chosen, log_sets, std::max(least_top, tune::frequent_count)};
  const double slots = exec.concurrency() * tune::frequent_occupancy / team;
  const std::int64_t worth = (work.n + tune::binning_least * team - 1) / (tune::binning_least * team);
  const auto teams = static_cast<int>(std::clamp(static_cast<std::int64_t>(slots), std::int64_t{1}, worth));
  Kokkos::parallel_for(kernel_label(label),
                       typename frequent_binning<Work>::policy(exec, teams, team)
                           .set_scratch_size(0, team_scratch<Exec>(label, team, kernel.bytes())),
                       kernel);
}

}  // namespace quern::impl

#endif
