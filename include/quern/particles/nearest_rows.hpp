// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_NEAREST_ROWS_HPP
#define QUERN_PARTICLES_NEAREST_ROWS_HPP

/// @file
/// The nearest points of each query among all, in any number of dimensions: tiles of products, of which only what may
/// be among the nearest leaves registers.

#include <algorithm>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/exact.hpp>
#include <quern/particles/device_search.hpp>
#include <quern/particles/host_search.hpp>

namespace quern::impl {

/// An origin amid the data: for each column the median of up to 63 values, which outliers do not move; zeros
/// where angles are compared. Called for each sample of each column.
template <class T>
struct sample_origin {
  static constexpr std::int64_t max_samples = 63;
  const T* data;
  std::int64_t step, across, count;
  bool wanted;
  T* origin;

  KOKKOS_FUNCTION std::int64_t samples() const { return count < max_samples ? count : max_samples; }
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t taken = samples(), apart = count / taken * step, t = e / taken, s = e % taken;
    const T x = data[s * apart + t * across];
    int less = 0, equal = 0, all = 0;
    bool last = true;  // of equal samples: it alone writes
    for (std::int64_t r = 0; r < taken; ++r) {
      const T other = data[r * apart + t * across];
      less += other < x ? 1 : 0;
      equal += other == x ? 1 : 0;
      all += other == other ? 1 : 0;
      last = last && !(r > s && other == x);
    }
    const bool median = last && less <= all / 2 && all / 2 < less + equal;
    if (median || (all == 0 && s == 0)) origin[t] = wanted && is_finite_square(x * x) ? x : T(0);
  }
};

/// What the slices have found of a query, in one list.
template <class T>
struct join_slices {
  nearest_lists<T> lists;
  std::int64_t slices;
  nearest_lists<T> joined;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    nearest_so_far<T> nearest = joined.of(0, q);
    for (std::int64_t s = 0; s < slices; ++s) {
      const nearest_so_far<T> list = lists.of(s, q);
      for (int j = 0; j < list.k; ++j) {
        const T distance = list.distances[j * list.step];
        const std::int32_t point = list.points[j * list.step];
        if (point < 0 || !nearest.takes(distance, point)) break;
        nearest.add(distance, point);
      }
    }
    nearest_lists<T>::close(nearest);
  }
};

/// Distances, from differences, of what is in the list of each query.
template <class T>
struct exact_distances {
  strided<const T> queries, points;
  nearest_lists<T> joined;
  bool angles;

  KOKKOS_FUNCTION double at(const strided<const T>& x, std::int64_t i, std::int64_t t) const {
    return static_cast<double>(x.data[i * x.stride[0] + t * x.stride[1]]);
  }
  KOKKOS_FUNCTION double length(const strided<const T>& x, std::int64_t i) const {
    double square = 0;
    for (std::int64_t t = 0; t < x.extents.extent[1]; ++t) square += at(x, i, t) * at(x, i, t);
    return Kokkos::sqrt(square);
  }
  /// Of angles half the squared distance of vectors of length 1, which is 1 - cos without what that cancels.
  KOKKOS_FUNCTION T distance(std::int64_t q, std::int64_t i) const {
    double x_scale = 1, y_scale = 1, sum = 0;
    if (angles) {
      const double x = length(queries, q), y = length(points, i);
      if (x == 0 || y == 0) return 1;
      x_scale = 1 / x;
      y_scale = 1 / y;
    }
    for (std::int64_t t = 0; t < queries.extents.extent[1]; ++t) {
      // Each product rounded, so that vectors of one direction are at no distance where their lengths divide exactly.
      const double step = rounded_product(at(queries, q, t), x_scale) - rounded_product(at(points, i, t), y_scale);
      sum += step * step;
    }
    return static_cast<T>(angles ? sum / 2 : Kokkos::sqrt(sum));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const nearest_so_far<T> list = joined.of(0, e / joined.k);
    const std::int64_t j = e % joined.k * list.step;
    if (list.points[j] >= 0) list.distances[j] = distance(e / joined.k, list.points[j]);
  }
};

/// The results of a query in the order of their distances, of equal ones the first point.
template <class T, class Neighbor, class Distance>
struct sorted_results {
  nearest_lists<T> joined, memory;
  strided<Neighbor> neighbors;
  strided<Distance> distances;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    const nearest_so_far<T> nearest = joined.of(0, q);
    nearest_so_far<T> sorted = memory.of(0, q);
    for (int j = 0; j < nearest.k && nearest.points[j * nearest.step] >= 0; ++j)
      sorted.add(nearest.distances[j * nearest.step], nearest.points[j * nearest.step]);
    nearest_lists<T>::close(sorted);
    for (std::int64_t j = 0; j < neighbors.extents.extent[1]; ++j) {
      const std::int64_t at = j * sorted.step;
      neighbors.data[q * neighbors.stride[0] + j * neighbors.stride[1]] = static_cast<Neighbor>(sorted.points[at]);
      distances.data[q * distances.stride[0] + j * distances.stride[1]] = static_cast<Distance>(sorted.distances[at]);
    }
  }
};

/// The results of a query: on hosts by one thread, on devices by three kernels, which have a thread for each distance.
template <class T, class Neighbor, class Distance>
struct one_query_at_a_time {
  join_slices<T> join;
  exact_distances<T> compare;
  sorted_results<T, Neighbor, Distance> sort;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    join(q);
    for (int j = 0; j < join.joined.k; ++j) compare(q * join.joined.k + j);
    sort(q);
  }
};

template <class Exec, class T, class Neighbor, class Distance>
void search_all(const std::string& label, const Exec& exec, const strided<Neighbor>& neighbors,
                const strided<Distance>& distances, const strided<const T>& queries, const strided<const T>& points,
                bool angles) {
  const std::int64_t n = points.extents.extent[0], m = queries.extents.extent[0], d = points.extents.extent[1];
  // A few more than are wanted, whose order by rounded values may be another one than that of distances.
  const std::int64_t k = std::min(n, neighbors.extents.extent[1] + 4);
  using search_type = std::conditional_t<is_device<Exec>, device_search<T>, host_search<T>>;
  const search_type search(exec, m, n, d);
  T *origin = nullptr, *tables = nullptr, *numbers = nullptr, *values = nullptr, *joined_values = nullptr;
  std::int32_t *found = nullptr, *joined_found = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{origin, d}, scratch_part{tables, search.table_values()},
                                    scratch_part{numbers, search.rows()}, scratch_part{values, search.slices * m * k},
                                    scratch_part{found, search.slices * m * k}, scratch_part{joined_values, m * k},
                                    scratch_part{joined_found, m * k});
  const auto each = [&](const char* part, std::int64_t count, const auto& kernel) {
    Kokkos::parallel_for(kernel_label(label, part), index_range(exec, count), kernel);
  };
  const sample_origin<T> samples{points.data, points.stride[0], points.stride[1], n, !angles, origin};
  each("/origin", d * samples.samples(), samples);
  const nearest_lists<T> lists(values, found, k, m, is_device<Exec>);
  const nearest_lists<T> joined(joined_values, joined_found, k, m, false);
  search.run(label, exec, centred_rows<T>(queries, origin), centred_rows<T>(points, origin), angles, tables, numbers,
             lists);
  const join_slices<T> join{lists, search.slices, joined};
  const exact_distances<T> compare{queries, points, joined, angles};
  const sorted_results<T, Neighbor, Distance> sort{joined, lists, neighbors, distances};
  if constexpr (is_device<Exec>) {
    each("/join", m, join);
    each("/distances", m * k, compare);
    each("/order", m, sort);
  } else {
    each("/distances", m, one_query_at_a_time<T, Neighbor, Distance>{join, compare, sort});
  }
}

}  // namespace quern::impl

#endif
