// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FFT_PLAN_CACHE_HPP
#define QUERN_SRC_FFT_PLAN_CACHE_HPP

#include <functional>
#include <quern/fft/transform.hpp>

namespace quern::impl::fourier {

/// The plan of that key, made where it is missing; no two plans are made at a time.
std::shared_ptr<void> cached_plan(const plan_key& key, const std::function<std::shared_ptr<void>()>& make);

}  // namespace quern::impl::fourier

#endif
