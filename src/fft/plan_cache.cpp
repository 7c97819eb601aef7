// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_cache.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <map>
#include <mutex>
#include <quern/fft/plans.hpp>

namespace quern {
namespace impl::fourier {
namespace {

struct cache_entry {
  std::shared_ptr<void> plan;
  std::int64_t last_use = 0;
};

struct plan_cache {
  std::mutex mutex;
  std::map<plan_key, cache_entry> plans;
  std::size_t limit = 256;
  std::int64_t made = 0, reused = 0;
  bool hooked = false;

  void shrink_to(std::size_t count) {
    while (plans.size() > count)
      plans.erase(std::min_element(plans.begin(), plans.end(),
                                   [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; }));
  }
};

plan_cache& cache() {
  static plan_cache all;
  return all;
}

}  // namespace

std::shared_ptr<void> cached_plan(const plan_key& key, const std::function<std::shared_ptr<void>()>& make) {
  plan_cache& all = cache();
  const std::lock_guard lock(all.mutex);
  if (!all.hooked) {
    Kokkos::push_finalize_hook([] {
      fft_plans::clear();
      cache().hooked = false;
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

}  // namespace impl::fourier

fft_plan_usage fft_plans::usage() {
  auto& all = impl::fourier::cache();
  const std::lock_guard lock(all.mutex);
  return {all.plans.size(), all.made, all.reused};
}
void fft_plans::set_limit(std::size_t count) {
  auto& all = impl::fourier::cache();
  const std::lock_guard lock(all.mutex);
  all.limit = count;
  all.shrink_to(count);
}
std::size_t fft_plans::limit() {
  auto& all = impl::fourier::cache();
  const std::lock_guard lock(all.mutex);
  return all.limit;
}
void fft_plans::clear() {
  auto& all = impl::fourier::cache();
  const std::lock_guard lock(all.mutex);
  all.plans.clear();
}

}  // namespace quern
