// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_NEAREST_SO_FAR_HPP
#define QUERN_PARTICLES_NEAREST_SO_FAR_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// The nearest points of a query so far, the nearest first, of equal distances the one with the smaller number. The
/// j-th is at `j * step`.
template <class T, class Index = std::int32_t>
struct nearest_so_far {
  T* distances;
  Index* points;
  std::int64_t step;
  int k, found = 0;

  KOKKOS_FUNCTION bool before(T distance, Index point, int j) const {
    const T other = distances[j * step];
    return distance < other || (distance == other && point < points[j * step]);
  }
  KOKKOS_FUNCTION bool takes(T distance, Index point) const {
    return found < k ? distance == distance : before(distance, point, k - 1);
  }
  KOKKOS_FUNCTION void add(T distance, Index point) {
    if (!takes(distance, point)) return;
    int j = found < k ? found++ : k - 1;
    for (; j > 0 && before(distance, point, j - 1); --j) {
      distances[j * step] = distances[(j - 1) * step];
      points[j * step] = points[(j - 1) * step];
    }
    distances[j * step] = distance;
    points[j * step] = point;
  }
  KOKKOS_FUNCTION T farthest() const { return distances[(k - 1) * step]; }

  /// Adds `count` other points, the j-th at `j * apart`, in whose memory it sorts them. Their order does not show.
  KOKKOS_FUNCTION void merge(T* others, Index* numbers, std::int64_t apart, int count) {
    nearest_so_far sorted{others, numbers, apart, count};
    for (int j = 0; j < count; ++j) sorted.add(others[j * apart], numbers[j * apart]);
    int last = found - 1, other = sorted.found - 1, both = found + sorted.found;
    for (; both > k; --both) {  // the farthest of all
      if (last < 0 || sorted.before(distances[last * step], points[last * step], other)) --other;
      else --last;
    }
    found = both;
    for (int j = both - 1; other >= 0; --j) {
      if (last >= 0 && before(others[other * apart], numbers[other * apart], last)) {
        distances[j * step] = distances[last * step];
        points[j * step] = points[last * step];
        --last;
      } else {
        distances[j * step] = others[other * apart];
        points[j * step] = numbers[other * apart];
        --other;
      }
    }
  }
};

}  // namespace quern::impl

#endif
