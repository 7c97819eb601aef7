// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_DBSCAN_HPP
#define QUERN_ANALYSIS_DBSCAN_HPP

#include <quern/analysis/components.hpp>
#include <quern/particles/near_points.hpp>

namespace quern {
namespace impl {

/// Marks the points that have at least `least` points around them, themselves among these.
template <class T, int Rank>
struct mark_core_points {
  binned_points<T, Rank> points;
  T squared_radius;
  std::int64_t least;
  component_trees<std::int32_t> trees;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto p = points.point(k);
    std::int64_t found = 0;
    points.for_ranges_around(p, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last && found < least; ++j)
        found += points.squared_distance(p, j) <= squared_radius ? 1 : 0;
    });
    const std::int32_t i = points.order[k];
    trees.above[i] = found < least ? component_trees<std::int32_t>::none : i;
  }
};
/// Joins the trees of core points that are near each other.
template <class T, int Rank>
struct join_core_points {
  binned_points<T, Rank> points;
  T squared_radius;
  component_trees<std::int32_t> trees;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int32_t i = points.order[k];
    if (trees.at(i) < 0) return;
    const auto p = points.point(k);
    points.for_ranges_around(p, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last && j < k; ++j)
        if (trees.at(points.order[j]) >= 0 && points.squared_distance(p, j) <= squared_radius)
          trees.unite(i, points.order[j]);
    });
  }
};
/// The cluster of a point: that of its tree, or the first one of the core points around it, or -1.
template <class T, int Rank, class Label>
struct put_cluster {
  binned_points<T, Rank> points;
  T squared_radius;
  number_of_tree<std::int32_t> number;
  strided<Label> labels;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int32_t i = points.order[k], none = component_trees<std::int32_t>::none;
    std::int64_t cluster = -1;
    if (number.above[i] != none) {
      cluster = number(number.above[i]);
    } else {
      const auto p = points.point(k);
      points.for_ranges_around(p, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
          const std::int32_t above = number.above[points.order[j]];
          if (above == none || !(points.squared_distance(p, j) <= squared_radius)) continue;
          const std::int64_t found = number(above);
          if (cluster < 0 || found < cluster) cluster = found;
        }
      });
    }
    labels.data[i * labels.stride[0]] = static_cast<Label>(cluster);
  }
};

template <class Exec, class Labels, class Points>
void dbscan_into(const call<Exec>& c, const Labels& labels_view, const Points& points_view, const domain& box,
                 double radius, std::int64_t least, std::int64_t* number) {
  const auto labels = c.output(labels_view);
  const std::int64_t n = labels.extents.extent[0];
  with_points(c, points_view, box, [&]<class T, int Rank>(const point_rows<T, Rank>& rows) {
    with_points_by_radius(c.label, c.exec, box, radius, rows, n, [&](const binned_points<T, Rank>& points) {
      const T squared = square_of_radius<T>(radius);
      const scratch_array<Exec, std::int32_t> memory(c.exec, n);
      const component_trees<std::int32_t> trees{memory.data()};
      const auto each = index_range(c.exec, n);
      Kokkos::parallel_for(kernel_label(c.label, "/core"), each,
                           mark_core_points<T, Rank>{points, squared, least, trees});
      Kokkos::parallel_for(kernel_label(c.label, "/join"), each, join_core_points<T, Rank>{points, squared, trees});
      flatten_and_number(c.label, c.exec, trees, n, number);
      Kokkos::parallel_for(kernel_label(c.label), each,
                           put_cluster<T, Rank, memory_type<Labels>>{points, squared, {trees.above, 0}, labels});
    });
  });
}

}  // namespace impl

/// Clusters of points by their density: DBSCAN (M. Ester, H.-P. Kriegel, J. Sander and X. Xu, A density-based algorithm
/// for discovering clusters in large spatial databases with noise, KDD 1996), as scikit-learn's. A core point has at
/// least `min_samples` points within the radius, itself among them; core points within the radius of each other are of
/// one cluster, and other points of the first cluster of which a core point is near.
///
/// `n = dbscan([exec,] labels, points, box, radius, min_samples)` or `dbscan([exec,] labels, points, box, radius,
/// min_samples, size_to{n})`:
/// - labels: of rank 1 and a signed integer type, an element for each point: -1 for noise, or the number of its
///   cluster, in the order of their first core points, as scikit-learn's
/// - points: (n, rank of the domain) of float or double, in either layout; distances are formed in their type
/// - box: a `domain`, of which axes may be periodic
/// - radius, min_samples: scikit-learn's `eps` and `min_samples`
///
/// Waits, and returns the number of clusters; with `size_to` it does not. The result does not depend on the number of
/// threads. What it takes is the number of pairs of points in cells as wide as the radius, as of `radius_neighbors`;
/// scratch memory is that of `bin_by`, and 16 bytes and a row of coordinates for each point, in a box of many more
/// cells up to 40 bytes more. A point with a NaN is noise.
///
/// @throws Error if extents do not fit, the type of `labels` does not hold as many numbers as there are points, the
///         radius is below 0 or its square no normal number of the coordinates' type, `min_samples` below 1, or there
///         are 2^31 points or more
template <execution_space Exec, view_like Labels, view_like Points, size_option... Size>
auto dbscan(const Exec& exec, const Labels& labels, const Points& points, const domain& box, double radius,
            std::int64_t min_samples, const Size&... size) {
  static_assert(impl::is_integer<impl::value_of<Labels>> && std::is_signed_v<impl::value_of<Labels>>,
                "quern::dbscan: labels must be of signed integers");
  impl::call c("quern::dbscan", exec);
  const std::int64_t n = impl::view_extents(points).extent[0];
  impl::check_point_numbers(c.label, n);
  impl::check_radius<impl::value_of<Points>>(c.label, radius);
  if (min_samples < 1) throw Error(c.label, "min_samples is " + std::to_string(min_samples) + ", expected at least 1");
  impl::check_extents(c.label, "labels", impl::view_extents(labels), shape{n}, ", one for each point");
  impl::check_positions<impl::value_of<Labels>>(c.label, "labels", n);
  impl::check_overlap(c.label, c.output(labels), c.input(points), "points", false);
  return impl::run_counted(
      c, std::tie(labels),
      [&](std::int64_t* number) { impl::dbscan_into(c, labels, points, box, radius, min_samples, number); }, size...);
}
template <view_like Labels, view_like Points, size_option... Size>
auto dbscan(const Labels& labels, const Points& points, const domain& box, double radius, std::int64_t min_samples,
            const Size&... size) {
  return dbscan(impl::space_of(labels), labels, points, box, radius, min_samples, size...);
}
QUERN_TAKES_NAME_NOT(place, dbscan)

}  // namespace quern

#endif
