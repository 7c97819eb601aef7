// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FFT_PLAN_CACHE_HPP
#define QUERN_SRC_FFT_PLAN_CACHE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <quern/fft/transform.hpp>

namespace quern::impl::fourier {

struct cache_entry {
  std::shared_ptr<void> plan;
  std::int64_t last_use = 0;
};

/// What `fft_plans` tells of and limits, under one lock.
struct plan_cache {
  std::mutex mutex;
  std::map<plan_key, cache_entry> plans;
  std::size_t limit = 256;
  std::int64_t made = 0, reused = 0;
  bool hooked = false;

  /// Gives up those that were not used for longest.
  void shrink_to(std::size_t count);
};
plan_cache& all_plans();

/// The plan of that key, made where it is missing; no two plans are made at a time.
std::shared_ptr<void> cached_plan(const plan_key& key, const std::function<std::shared_ptr<void>()>& make);

}  // namespace quern::impl::fourier

#endif
