// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_REGISTER_LANES_HPP
#define QUERN_CORE_LAUNCH_REGISTER_LANES_HPP

/// @file
/// Adjacent threads of a device that hold an item in their registers and read each other's. `tests/support` has lanes
/// that take turns on a host, for tests of what is computed on them.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/core/call/error.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <string>

namespace quern::impl {

/// One of `Width` lanes of a warp or wavefront. `Width` is a power of two up to 32, so that a wavefront of 64 has two
/// items or more.
template <int Width>
struct register_lane {
  static constexpr int width = Width;
  int lane;

  /// x of the lane `source`. All threads of a warp must call it together: no branch or loop around a call may depend
  /// on the item.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T from(int source, const T& x) const {
    KOKKOS_IF_ON_DEVICE((return Kokkos::shfl(x, source, Width);))
    KOKKOS_IF_ON_HOST((static_cast<void>(source); return x;))
  }
  /// What a lane has written to scratch memory before, all read behind it.
  KOKKOS_FORCEINLINE_FUNCTION void wait() const {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#elif defined(__HIP_DEVICE_COMPILE__)  // whose lanes go on together
    __threadfence_block();
    __builtin_amdgcn_wave_barrier();
#endif
  }
};

/// The lanes of an item, which are those of a thread of a team, and the scratch memory that they share.
template <int Width, class Member>
struct register_lanes {
  const Member& team;

  /// Calls f(lane) on each lane. What one call has written to scratch memory, the next one reads.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each(const F& f) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Width), [&](int lane) { f(register_lane<Width>{lane}); });
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* scratch(int elements) const {
    return static_cast<T*>(team.thread_scratch(0).get_shmem_aligned(elements * sizeof(T), alignof(T)));
  }
};

/// Threads of a team of them. Several such teams fill a multiprocessor.
inline constexpr int lanes_team = 128;

template <class Exec, int Width, class F>
struct lanes_kernel {
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<lanes_team>>;
  using member = typename policy::member_type;
  F f;
  std::int64_t items;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t item = static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
    // Lanes without an item of their own take part in all exchanges, as those of the last one, and write nothing.
    f(register_lanes<Width, member>{team}, Kokkos::min(item, items - 1), item < items);
  }
};

/// The items that one launch of `launch_lanes` takes at most.
template <int Width>
inline constexpr std::int64_t max_lane_items =
    std::int64_t{lanes_team / Width} * Kokkos::Experimental::finite_max_v<int>;

/// Calls `f(lanes, item, is_own)` for each item on a device, each on `Width` lanes with so many bytes of scratch
/// memory.
template <int Width, class Exec, class F>
void launch_lanes(const std::string& label, const Exec& exec, std::int64_t items, const F& f, int bytes = 0) {
  static_assert(is_device<Exec> && Width <= 32 && (Width & (Width - 1)) == 0);
  using kernel = lanes_kernel<Exec, Width, F>;
  constexpr int own = lanes_team / Width;
  if (items == 0) return;
  if (items > max_lane_items<Width>) throw Error(label, "too many items");
  typename kernel::policy policy(exec, static_cast<int>((items + own - 1) / own), own, Width);
  if (bytes > 0) policy.set_scratch_size(0, Kokkos::PerThread(bytes + 8));  // for its alignment
  Kokkos::parallel_for(kernel_label(label), policy, kernel{f, items});
}

}  // namespace quern::impl

#endif
