// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_LEAST_POSITION_HPP
#define QUERN_CORE_LAUNCH_LEAST_POSITION_HPP

#include <algorithm>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/launch_units.hpp>

namespace quern::impl {

/// A part of the items for each thread of a host.
template <class F>
struct least_of_parts {
  F f;
  std::int64_t n, part;
  std::int64_t* least;
  void operator()(std::int64_t unit) const {
    std::int64_t of_part = Kokkos::atomic_load(least);
    for (std::int64_t i = unit * part; i < std::min(n, (unit + 1) * part); ++i) f(i, of_part);
    if (of_part < n) Kokkos::atomic_min(least, of_part);
  }
};

/// The least position that `f(i, least)` lowers its argument to for an item i below n; n where it never does. Waits.
/// Kokkos's own reduction to a value allocates on hosts, for the name of its fence.
template <class Exec, class F>
std::int64_t least_position(const Exec& exec, const std::string& label, std::int64_t n, const F& f) {
  std::int64_t least = n;
  if (n <= 0) return least;
  if constexpr (is_device<Exec>) {
    Kokkos::parallel_reduce(kernel_label(label), index_range(exec, n), f, Kokkos::Min<std::int64_t>(least));
    least = std::min(least, n);  // from the largest number, with which a reduction begins
  } else {
    const std::int64_t parts = std::min<std::int64_t>(exec.concurrency(), n);
    launch_units(exec, label, parts, least_of_parts<F>{f, n, (n + parts - 1) / parts, &least});
    exec.fence(kernel_label(label));
  }
  return least;
}

}  // namespace quern::impl

#endif
