// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <quern/core/launch/launch_units.hpp>

namespace quern::impl {

bool ran_here(const host_units& units, std::int64_t count, int threads) {
  if ((threads > 1 && count > 1) || tool_listens()) return false;
  for (std::int64_t unit = 0; unit < count; ++unit) units(unit);
  return true;
}

std::int64_t left_by_quick_units(const host_units& units, std::int64_t count) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds region(2000);  // of two threads (docs/performance.md, "In a time loop")
  if (tool_listens()) return count;
  const auto begin = clock::now();
  units(0);
  if ((clock::now() - begin) * (count - 1) > region) return count - 1;
  units(-1);
  return 0;
}

QUERN_ON_HOSTS(QUERN_HOST_UNITS)

}  // namespace quern::impl
