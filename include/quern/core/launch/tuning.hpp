// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_TUNING_HPP
#define QUERN_CORE_LAUNCH_TUNING_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/views/concepts.hpp>

namespace quern::impl {

/// True where one work item is a thread of many that run in lock step, so that adjacent ones should touch
/// adjacent addresses; false where a work item has a core to itself and should walk through memory.
template <class Exec>
inline constexpr bool is_device =
    !Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename Exec::memory_space>::accessible ||
    !Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// Whether the teams of a kernel may wait for earlier ones of it, as they do in scans and compactions of one pass:
/// known of CUDA alone. Others read their input twice.
template <class Exec>
inline constexpr bool teams_may_wait = false;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool teams_may_wait<Kokkos::Cuda> = true;
#endif

/// Constants of a back end that all kernels need. Each module derives from it what its own kernels need, in a header
/// `tuning.hpp`: constants with the reason for each and the benchmark that decides it. Specialise one for an execution
/// space to tune it.
template <execution_space Exec>
struct tuning {
  /// Bytes that one instruction of one thread moves at most; packs are this wide. (bench_map)
  static constexpr int pack_bytes = 16;

  /// Threads of a team with shared memory: enough to hide its barriers, few enough for several teams on a
  /// multiprocessor. (bench_reduce, bench_scan)
  static constexpr int team_size = is_device<Exec> ? 256 : 1;

  /// Scans and compactions in one pass, where teams wait for earlier ones, and the threads of such a team.
  /// (bench_scan, bench_keyed: compact)
  static constexpr bool one_pass = teams_may_wait<Exec>;
  static constexpr int one_pass_team = 128;

  /// Outputs larger than this are written past the caches of the host, since nothing of them would remain there. Few
  /// cores cannot saturate the memory that way. (bench_map, with one and with sixteen cores)
  static constexpr std::int64_t streaming_bytes = 32 << 20;
  static constexpr int streaming_threads = 8;
};

}  // namespace quern::impl

#endif
