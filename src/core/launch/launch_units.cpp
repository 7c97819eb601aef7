// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/launch/launch_units.hpp>

namespace quern::impl {

bool ran_here(const host_units& units, std::int64_t count, int threads) {
  if ((threads > 1 && count > 1) || tool_listens()) return false;
  for (std::int64_t unit = 0; unit < count; ++unit) units(unit);
  return true;
}

QUERN_ON_HOSTS(QUERN_HOST_UNITS)

}  // namespace quern::impl
