// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_cache.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <quern/fft/plans.hpp>

namespace quern::impl::fourier {

void plan_cache::shrink_to(std::size_t count) {
  while (plans.size() > count)
    plans.erase(std::min_element(plans.begin(), plans.end(),
                                 [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; }));
}

plan_cache& all_plans() {
  static plan_cache all;
  return all;
}

std::shared_ptr<void> cached_plan(const plan_key& key, const std::function<std::shared_ptr<void>()>& make) {
  plan_cache& all = all_plans();
  const std::lock_guard lock(all.mutex);
  if (!all.hooked) {
    Kokkos::push_finalize_hook([] {
      fft_plans::clear();
      all_plans().hooked = false;
    });
    all.hooked = true;
  }
  const auto found = all.plans.find(key);
  if (found != all.plans.end()) {
    found->second.last_use = ++all.reused + all.made;
    return found->second.plan;
  }
  const std::shared_ptr<void> plan = make();
  ++all.made;
  if (all.limit == 0) return plan;
  all.shrink_to(all.limit - 1);
  all.plans[key] = {plan, all.reused + all.made};
  return plan;
}

}  // namespace quern::impl::fourier
