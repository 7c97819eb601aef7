// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/fft/plans.hpp>

#include "plan_cache.hpp"

namespace quern {

fft_plan_usage fft_plans::usage() {
  auto& all = impl::fourier::all_plans();
  const std::lock_guard lock(all.mutex);
  return {all.plans.size(), all.made, all.reused};
}
void fft_plans::set_limit(std::size_t count) {
  auto& all = impl::fourier::all_plans();
  const std::lock_guard lock(all.mutex);
  all.limit = count;
  all.shrink_to(count);
}
std::size_t fft_plans::limit() {
  auto& all = impl::fourier::all_plans();
  const std::lock_guard lock(all.mutex);
  return all.limit;
}
void fft_plans::clear() {
  auto& all = impl::fourier::all_plans();
  const std::lock_guard lock(all.mutex);
  all.plans.clear();
}

}  // namespace quern
