// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_SUPPORT_LINK_HPP
#define QUERN_BENCH_SUPPORT_LINK_HPP

#include <algorithm>
#include <chrono>

#include "bench.hpp"

namespace bench {

enum class direction { to_device, to_host, both };

/// Bytes a second that contiguous pinned memory is copied with by Kokkos, which leaves it to the driver; with both
/// directions at a time, those of both.
inline double link_limit(const exec_space& exec, direction d) {
  constexpr std::int64_t n = 1 << 27;
  using device_bytes = Kokkos::View<char*, memory_space>;
  using host_bytes = Kokkos::View<char*, Kokkos::SharedHostPinnedSpace>;
  static double known[3] = {};
  double& best = known[static_cast<int>(d)];
  if (best > 0) return best;
  const auto instances = Kokkos::Experimental::partition_space(exec, 1, 1);
  const device_bytes there[2] = {device_bytes("there", n), device_bytes("there", n)};
  const host_bytes here[2] = {host_bytes("here", n), host_bytes("here", n)};
  for (int i = 0; i < 6; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (d != direction::to_host) Kokkos::deep_copy(instances[0], there[0], here[0]);
    if (d != direction::to_device) Kokkos::deep_copy(instances[1], here[1], there[1]);
    for (const auto& e : instances) e.fence();
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, (d == direction::both ? 2.0 : 1.0) * static_cast<double>(n) / s);
  }
  return best;
}

}  // namespace bench

#endif
