// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VALUES_BINARY_SEARCH_HPP
#define QUERN_CORE_VALUES_BINARY_SEARCH_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// How many of n elements, of which the first ones satisfy a condition and the others do not, satisfy it: by halves,
/// and without branches, of which hosts would guess half wrong.
template <class T, class Condition>
KOKKOS_FUNCTION std::int64_t partition_point(const T* x, std::int64_t stride, std::int64_t n,
                                             const Condition& condition) {
  std::int64_t point = 0;
  while (n > 0) {
    const std::int64_t half = (n + 1) / 2;
    point += half & -std::int64_t{condition(x[(point + half - 1) * stride])};
    n -= half;
  }
  return point;
}
/// Partition points of `condition(element, key)` for several keys, on hosts: the searches take the same steps, and none
/// waits for what another loads.
template <int Keys, class T, class Key, class Condition>
KOKKOS_FUNCTION void partition_points(const T* x, std::int64_t stride, std::int64_t n, const Key (&key)[Keys],
                                      std::int64_t (&points)[Keys], const Condition& condition) {
  std::int64_t point[Keys] = {};
  while (n > 0) {
    const std::int64_t half = (n + 1) / 2;
    for (int k = 0; k < Keys; ++k)
      point[k] += half & -std::int64_t{condition(x[(point[k] + half - 1) * stride], key[k])};
    n -= half;
  }
  for (int k = 0; k < Keys; ++k) points[k] = point[k];
}

}  // namespace quern::impl

#endif
