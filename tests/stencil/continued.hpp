// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_STENCIL_CONTINUED_HPP
#define QUERN_TESTS_STENCIL_CONTINUED_HPP

/// @file
/// Arrays that their boundaries continue, step by step.

#include <cstdint>
#include <quern/stencil/boundary.hpp>
#include <vector>

namespace test {

/// What lies outwards of the first index of an axis of n elements, over and over; of the last, the same from there.
inline std::vector<std::int64_t> outwards(quern::boundary::mode mode, std::int64_t n) {
  std::vector<std::int64_t> v;
  if (mode == quern::boundary::mode::wrap)
    for (std::int64_t i = n - 1; i >= 0; --i) v.push_back(i);
  if (mode == quern::boundary::mode::reflect) {
    for (std::int64_t i = 0; i < n; ++i) v.push_back(i);
    for (std::int64_t i = n - 1; i >= 0; --i) v.push_back(i);
  }
  if (mode == quern::boundary::mode::mirror) {
    for (std::int64_t i = 1; i < n; ++i) v.push_back(i);
    for (std::int64_t i = n - 2; i >= 0; --i) v.push_back(i);
  }
  if (v.empty()) v.push_back(mode == quern::boundary::mode::constant ? -1 : 0);
  return v;
}
/// The indices of an axis from `reach` before it to `reach` after it; -1 is a constant.
inline std::vector<std::int64_t> continued(const quern::boundary& low, const quern::boundary& high, std::int64_t n,
                                           std::int64_t reach) {
  std::vector<std::int64_t> all(n + 2 * reach);
  const auto before = outwards(low.kind(), n), after = outwards(high.kind(), n);
  for (std::int64_t i = 0; i < n; ++i) all[reach + i] = i;
  for (std::int64_t k = 0; k < reach; ++k) {
    const std::int64_t i = after[k % after.size()];
    all[reach - 1 - k] = before[k % before.size()];
    all[reach + n + k] = i < 0 ? -1 : n - 1 - i;
  }
  return all;
}

}  // namespace test

#endif
