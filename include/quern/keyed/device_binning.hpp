// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_DEVICE_BINNING_HPP
#define QUERN_KEYED_DEVICE_BINNING_HPP

/// @file
/// Sums by bins on devices. Threads that add to one address wait for each other, and values of real data meet in few
/// bins. So a team adds in its shared memory: to all bins where they fit, else to those that are frequent (see
/// frequent_binning.hpp). Sums of the two most frequent bins stay in registers.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/keyed/binned_values.hpp>
#include <quern/keyed/frequent_binning.hpp>
#include <quern/keyed/frequent_bins.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Adds up by the teams of a device, which have sums of all bins in their shared memory where `work.shared`.
template <class Work>
struct device_binning {
  using W = typename Work::W;
  using sum_type = typename Work::sum_type;
  using run = typename Work::run;
  using tune = keyed_tuning<typename Work::exec_space>;
  using policy = Kokkos::TeamPolicy<typename Work::exec_space, registers_of_teams<tune::binning_team, 4>>;

  Work work;
  int samples;  // that each thread looks at to find the two most frequent bins, or 0
  int slots;    // of the bins of a sample
  int copies;   // of the sums in a team's shared memory, which neighbours in a run of equal bins share

  /// Where a thread adds.
  struct sums {
    const Work& work;
    sum_type* own;                   // its copy
    std::int64_t top[2] = {-2, -2};  // -1 is no bin
    sum_type top_sum[2] = {};

    KOKKOS_FUNCTION void add(std::int64_t bin, const sum_type& sum) const {
      if (work.shared) add_in_team_memory(own + bin, sum);
      else work.put(bin, sum);
    }
    KOKKOS_FUNCTION void add_one(run& r, std::int64_t bin, const W& weight) {
      if (bin == top[0]) Work::raise(top_sum[0], weight);
      else if (bin == top[1]) Work::raise(top_sum[1], weight);
      else work.add(*this, r, bin, weight);
    }
  };

  /// Sums that a team has in its shared memory. Copies are apart by an odd number, so that they share no bank.
  KOKKOS_FUNCTION std::int64_t copy_size() const { return work.bins | 1; }
  KOKKOS_FUNCTION std::int64_t own_sums() const { return work.shared ? copies * copy_size() : 0; }
  KOKKOS_FUNCTION std::int64_t bytes() const {
    return own_sums() * static_cast<std::int64_t>(sizeof(sum_type)) + bin_counts::bytes(slots) + top_bytes;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    sums mine{work, nullptr};
    if (work.shared) prepare(team, mine);
    run r;
    sum_type* const all = mine.own;
    if (work.shared) mine.own += team.team_rank() % copies * copy_size();
    for_share_of_team<tune::binning_packs>(work, team, [&](auto width, const auto& bin_at, const auto& weight_at) {
      for (int k = 0; k < decltype(width)::value; ++k) mine.add_one(r, bin_at(k), weight_at(k));
    });
    work.flush(mine, r);
    if (slots > 0) put_top(work, team, mine);
    if (work.shared) put_own(team, all);
  }

 private:
  static constexpr int top_bytes = 2 * sizeof(std::uint64_t);
  static constexpr std::int32_t least_count = 3;  // of a bin that is frequent in a sample

  template <class Member>
  KOKKOS_FUNCTION void prepare(const Member& team, sums& mine) const {
    auto* const memory = static_cast<char*>(team.team_shmem().get_shmem_aligned(bytes(), 8));
    auto* const best = reinterpret_cast<std::uint64_t*>(memory);
    mine.own = reinterpret_cast<sum_type*>(memory + top_bytes);
    auto* const of_sample = reinterpret_cast<std::int32_t*>(mine.own + own_sums());
    const bin_counts found{of_sample, of_sample + slots, slots};
    for (std::int64_t b = team.team_rank(); b < own_sums(); b += team.team_size()) mine.own[b] = 0;
    found.clear(team);
    if (team.team_rank() == 0) best[0] = best[1] = 0;
    team.team_barrier();
    if (slots == 0) return;
    count_sample(work, team, found, samples);
    find_top(team, found, best, mine);
  }
  /// The two most frequent bins of a sample.
  template <class Member>
  KOKKOS_FUNCTION void find_top(const Member& team, const bin_counts& found, std::uint64_t* best, sums& mine) const {
    const auto key = [&](int s) {
      return static_cast<std::uint64_t>(found.counts[s]) << 32 | static_cast<unsigned>(s);
    };
    for (int t = 0; t < 2; ++t) {
      for (int s = team.team_rank(); s < slots; s += team.team_size())
        if (found.counts[s] >= least_count && (t == 0 || key(s) != best[0])) Kokkos::atomic_max(best + t, key(s));
      team.team_barrier();
      if (best[t] != 0) mine.top[t] = found.bins[best[t] & 0xffffffff];
    }
  }
  template <class Member>
  KOKKOS_FUNCTION void put_own(const Member& team, const sum_type* own) const {
    team.team_barrier();
    for (std::int64_t b = team.team_rank(); b < work.bins; b += team.team_size()) {
      sum_type sum = own[b];
      for (int c = 1; c < copies; ++c) sum = wrapping_add(sum, own[c * copy_size() + b]);
      work.put(b, sum);
    }
  }
};

template <class Exec, class Work>
void bin_on_device(const Exec& exec, const std::string& label, Work work) {
  using tune = keyed_tuning<Exec>;
  constexpr int team = tune::binning_team;
  device_binning<Work> kernel{work, 0, 0, 1};
  const bool sampled = work.n >= tune::sampled_least && std::in_range<std::int32_t>(work.bins);
  kernel.slots = sampled ? tune::top_slots : 0;
  kernel.work.shared = true;
  const std::int64_t room = std::min<std::int64_t>(tune::binning_bytes, team_scratch_room<Exec>(team));
  kernel.work.shared = kernel.bytes() <= room;
  if (!kernel.work.shared && sampled) return bin_by_frequent(exec, label, work);
  const std::int64_t max_teams = std::max<std::int64_t>(1, exec.concurrency() / team);
  const std::int64_t worth = (work.n + tune::binning_least * team - 1) / (tune::binning_least * team);
  const auto teams = static_cast<int>(std::min(max_teams, worth));
  if (sampled)
    kernel.samples = static_cast<int>(std::clamp<std::int64_t>(work.n / (32 * std::int64_t{teams} * team), 1, 4));
  // Sums of 64 bits are added by comparing and exchanging, of which one thread at a time succeeds at an address.
  if (kernel.work.shared && sampled && sizeof(typename Work::sum_type) == 8) {
    kernel.copies = tune::binning_copies;
    while (kernel.bytes() > room) kernel.copies /= 2;
  }
  typename device_binning<Work>::policy policy(exec, teams, team);
  if (kernel.work.shared) policy.set_scratch_size(0, team_scratch<Exec>(label, team, kernel.bytes()));
  Kokkos::parallel_for(kernel_label(label), policy, kernel);
}

}  // namespace quern::impl

#endif
