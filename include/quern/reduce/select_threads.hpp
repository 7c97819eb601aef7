// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_THREADS_HPP
#define QUERN_REDUCE_SELECT_THREADS_HPP

/// @file
/// The threads of a device that select from a row together: the lanes of a warp, or a team of warps.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/core/launch/register_lanes.hpp>

namespace quern::impl {

/// The sum of 32 lanes, in all of them.
template <class Lane>
KOKKOS_FORCEINLINE_FUNCTION int sum_of_warp(const Lane& lane, int x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  static_cast<void>(lane);
  return __reduce_add_sync(0xffffffffu, x);
#else
  for (int apart = Lane::width / 2; apart > 0; apart /= 2) x += lane.from(lane.lane ^ apart, x);
  return x;
#endif
}
template <class Lane, class Key>
KOKKOS_FORCEINLINE_FUNCTION Key smallest_of_warp_lanes(const Lane& lane, Key k) {
  for (int apart = Lane::width / 2; apart > 0; apart /= 2) k = Kokkos::min(k, lane.from(lane.lane ^ apart, k));
  return k;
}
/// The sum of the lanes before each.
template <class Lane>
KOKKOS_FORCEINLINE_FUNCTION int sum_of_warp_before(const Lane& lane, int x) {
  int sum = x;
  for (int apart = 1; apart < Lane::width; apart *= 2) {
    const int other = lane.from(Kokkos::max(lane.lane - apart, 0), sum);
    sum += lane.lane >= apart ? other : 0;
  }
  return sum - x;
}

/// The lanes of a warp. Since no other row is theirs, they may take branches that depend on it.
template <class Lane, class Key>
struct selecting_warp {
  static_assert(Lane::width == 32);
  static constexpr int few = 32, keys = few + 2;  // so many keys are compared with each other; those of the memory
  const Lane& own_lane;
  Key* memory;

  KOKKOS_FUNCTION const Lane& lane() const { return own_lane; }
  KOKKOS_FUNCTION int rank() const { return own_lane.lane; }
  KOKKOS_FUNCTION static constexpr int size() { return Lane::width; }
  KOKKOS_FUNCTION int sum(int x) const { return sum_of_warp(own_lane, x); }
  KOKKOS_FUNCTION int sum_before(int x) const { return sum_of_warp_before(own_lane, x); }
  KOKKOS_FUNCTION Key smallest(Key k) const { return smallest_of_warp_lanes(own_lane, k); }
  KOKKOS_FUNCTION Key* few_keys() const { return memory; }
  KOKKOS_FUNCTION void wait() const { own_lane.wait(); }
};

/// A team of several warps, which exchange what each has found in scratch memory, in two places by turns.
template <class Member, class Lane, class Key>
class selecting_team {
 public:
  static constexpr int few = 64, keys = few + 2, max_warps = 32;
  static constexpr std::int64_t bytes = (keys + 2 * max_warps) * sizeof(Key) + 32;

  KOKKOS_FUNCTION explicit selecting_team(const Member& team)
      : team_(team),
        lane_{team.team_rank() % Lane::width},
        warps_(team.team_size() / Lane::width),
        memory_(static_cast<Key*>(team.team_shmem().get_shmem_aligned((keys + 2 * max_warps) * sizeof(Key), 16))) {}
  KOKKOS_FUNCTION selecting_team(const Member& team, const Lane& lane) : selecting_team(team) { lane_ = lane; }

  KOKKOS_FUNCTION const Lane& lane() const { return lane_; }
  KOKKOS_FUNCTION int rank() const { return team_.team_rank(); }
  KOKKOS_FUNCTION int size() const { return team_.team_size(); }
  KOKKOS_FUNCTION int sum(int x) { return sum_before_warp(sum_of_warp(lane_, x), warps_); }
  KOKKOS_FUNCTION int sum_before(int x) {
    const int before = sum_of_warp_before(lane_, x);
    return before + sum_before_warp(lane_.from(Lane::width - 1, before + x), rank() / Lane::width);
  }
  KOKKOS_FUNCTION Key smallest(Key k) {
    const Key* const of_warps = exchange(smallest_of_warp_lanes(lane_, k));
    for (int w = 0; w < warps_; ++w) k = Kokkos::min(k, of_warps[w]);
    return k;
  }
  KOKKOS_FUNCTION Key* few_keys() const { return memory_; }
  KOKKOS_FUNCTION void wait() const { team_.team_barrier(); }

 private:
  KOKKOS_FUNCTION const Key* exchange(Key of_warp) {
    Key* const place = memory_ + keys + turn_ * max_warps;
    turn_ = 1 - turn_;
    if (lane_.lane == 0) place[rank() / Lane::width] = of_warp;
    team_.team_barrier();
    return place;
  }
  KOKKOS_FUNCTION int sum_before_warp(int of_warp, int warp) {
    const Key* const of_warps = exchange(static_cast<Key>(of_warp));
    int sum = 0;
    for (int w = 0; w < warp; ++w) sum += static_cast<int>(of_warps[w]);
    return sum;
  }

  const Member& team_;
  Lane lane_;
  int warps_;
  Key* memory_;
  int turn_ = 0;
};

}  // namespace quern::impl

#endif
