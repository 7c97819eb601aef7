// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_NEAREST_LISTS_HPP
#define QUERN_PARTICLES_NEAREST_LISTS_HPP

#include <quern/particles/nearest_so_far.hpp>

namespace quern::impl {

/// Where the search of the nearest keeps what it found: for each slice of the points and each query a list. Lists of
/// one slice follow each other, or have what is nearest beside each other, then what is second.
template <class T>
struct nearest_lists {
  T* values;
  std::int32_t* points;
  int k;
  std::int64_t queries, across, step;  // from query to query, and from one of its points to the next

  nearest_lists(T* all_values, std::int32_t* all_points, std::int64_t results, std::int64_t query_count,
                bool beside_each_other)
      : values(all_values),
        points(all_points),
        k(static_cast<int>(results)),
        queries(query_count),
        across(beside_each_other ? 1 : results),
        step(beside_each_other ? query_count : 1) {}
  KOKKOS_FUNCTION nearest_so_far<T> of(std::int64_t slice, std::int64_t query) const {
    const std::int64_t at = slice * queries * k + query * across;
    return {values + at, points + at, step, k};
  }
  KOKKOS_FUNCTION static void close(const nearest_so_far<T>& list) {
    for (int j = list.found; j < list.k; ++j) {
      list.distances[j * list.step] = Kokkos::Experimental::infinity_v<T>;
      list.points[j * list.step] = -1;
    }
  }
};

}  // namespace quern::impl

#endif
