// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_TEAM_SCRATCH_HPP
#define QUERN_CORE_LAUNCH_TEAM_SCRATCH_HPP

#include <Kokkos_Core.hpp>
#include <limits>
#include <quern/core/call/error.hpp>
#include <quern/core/launch/tuning.hpp>
#include <string>

namespace quern::impl {

/// Bounds the registers of a kernel so that so many teams have them on a multiprocessor at a time. Kokkos's own bound
/// on teams, the second argument of `LaunchBounds`, would also refuse to launch where the scratch memory of so many
/// does not fit, as on smaller devices. A kernel has that one only where it uses no scratch memory, or where its launch
/// makes teams smaller until that of so many fits, and where nvcc would otherwise spill.
template <int Threads, int Teams>
using registers_of_teams = Kokkos::LaunchBounds<Threads * Teams>;

/// The bytes of level 0 scratch memory that a team of so many threads may ask for. What Kokkos reports is what remains
/// beside a double for each of 1024 threads; a smaller team leaves more. Tools take some: compute-sanitizer 1 KiB.
/// Hosts have no limit.
template <class Exec>
std::int64_t team_scratch_room(int threads) {
  if constexpr (!is_device<Exec>) return std::numeric_limits<int>::max();
  constexpr std::int64_t max_threads = 1024, of_tools = 1024;
  const std::int64_t reported = Kokkos::TeamPolicy<Exec>::scratch_size_max(0);
  return reported + (max_threads - threads) * static_cast<std::int64_t>(sizeof(double)) - of_tools;
}

/// The largest team of up to `max_threads` threads whose scratch memory, `bytes(threads)`, there is room for, by halves
/// down to one of 32; 0 where that is too large as well.
template <class Exec, class Bytes>
int team_with_room(int max_threads, const Bytes& bytes) {
  int threads = max_threads;
  while (threads >= 32 && static_cast<std::int64_t>(bytes(threads)) > team_scratch_room<Exec>(threads)) threads /= 2;
  return threads >= 32 || !is_device<Exec> ? threads : 0;
}

/// Checked scratch memory of a team: a launch that Kokkos refuses would leave resources of its own behind.
template <class Exec>
auto team_scratch(const std::string& label, int threads, std::int64_t bytes) {
  if (const std::int64_t room = team_scratch_room<Exec>(threads); bytes > room)
    throw BackendError(label, "a team needs " + std::to_string(bytes) + " bytes of fast scratch memory, and " +
                                  std::to_string(room) + " are there");
  return Kokkos::PerTeam(static_cast<int>(bytes));
}

}  // namespace quern::impl

#endif
