// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_TEAMS_HPP
#define QUERN_CORE_LAUNCH_TEAMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace quern::impl {

/// Whether all other threads that share a counter have come here, and what they have written can be read. The counter
/// is 0 before and after.
KOKKOS_INLINE_FUNCTION bool last_to_finish(int* finished, std::int64_t threads) {
  const int before = Kokkos::atomic_fetch_add(finished, 1);
  Kokkos::memory_fence();
  if (before == threads - 1) *finished = 0;
  return before == threads - 1;
}
/// Of teams in place of threads.
template <class Member>
KOKKOS_FUNCTION bool last_to_finish(const Member& team, int* finished, std::int64_t teams) {
  team.team_barrier();
  int last = 0;
  if (team.team_rank() == 0) last = last_to_finish(finished, teams) ? 1 : 0;
  team.team_broadcast(last, 0);
  return last != 0;
}

/// Joins the values of `along` threads of a team, which are `apart` from each other, in the first of them, in an order
/// that depends on their number alone: `join(mine, other)` by halves. `number` is which of these a thread is; threads
/// that are not `used` join nothing.
template <class Member, class V, class Join>
KOKKOS_FUNCTION void join_by_halves(const Member& team, V* values, bool used, int number, int along, int apart,
                                    const Join& join) {
  const int t = team.team_rank();
  for (int n = along; n > 1;) {
    const int half = (n + 1) / 2;
    team.team_barrier();
    if (used && number + half < n) join(values[t], values[t + half * apart]);
    n = half;
  }
}

/// The same of a value of each thread of a team, of which no more than `room` fit into `shared` at a time: the upper
/// half of the threads hand theirs over in turns. The first thread gets the value of all.
template <class Member, class V, class Join>
KOKKOS_FUNCTION void join_in_turns(const Member& team, V* shared, int room, V& mine, const Join& join) {
  const int t = team.team_rank();
  for (int n = team.team_size(); n > 1;) {
    const int half = (n + 1) / 2;
    for (int first = 0; first < n - half; first += room) {
      const int count = Kokkos::min(room, n - half - first), given = t - half - first, taken = t - first;
      if (given >= 0 && given < count) shared[given] = mine;
      team.team_barrier();
      if (taken >= 0 && taken < count) join(mine, shared[taken]);
      team.team_barrier();
    }
    n = half;
  }
}

/// The share of the slots that teams use while they run, in waves of which only the last may leave slots empty.
inline double waves_used(std::int64_t teams, std::int64_t slots) {
  const std::int64_t waves = (teams + slots - 1) / slots;
  return static_cast<double>(teams) / static_cast<double>(std::max<std::int64_t>(1, waves * slots));
}

/// How many teams should share each of that many tiles, so that a few waves of teams use the slots well.
inline std::int64_t splits_for(std::int64_t tiles, std::int64_t slots, std::int64_t max_splits) {
  // More waves cost more than slots that a last wave of few teams leaves empty. (bench_reduce, bench_scan)
  constexpr std::int64_t max_waves = 8;
  constexpr double well_used = 0.94;
  std::int64_t best = 1;
  double used = 0;
  for (std::int64_t waves = (tiles + slots - 1) / slots; waves <= max_waves && used < well_used; ++waves) {
    const std::int64_t splits = std::min(waves * slots / tiles, max_splits);
    if (waves_used(splits * tiles, slots) > used) {
      best = splits;
      used = waves_used(splits * tiles, slots);
    }
  }
  return best;
}

}  // namespace quern::impl

#endif
