// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_RADIUS_NEIGHBORS_HPP
#define QUERN_PARTICLES_RADIUS_NEIGHBORS_HPP

#include <quern/keyed/counted.hpp>
#include <quern/particles/near_points.hpp>

namespace quern {
namespace impl {

/// Counts or lists the points around each, which are others and at most a radius away.
template <class T, int Rank>
struct count_near {
  binned_points<T, Rank> points;
  T squared_radius;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto p = points.point(k);
    std::int64_t found = 0;
    points.for_ranges_around(p, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j)
        found += j != k && points.squared_distance(p, j) <= squared_radius ? 1 : 0;
    });
    counts[points.order[k]] = found;
  }
};
template <class T, int Rank, class Index>
struct list_near {
  binned_points<T, Rank> points;
  T squared_radius;
  const std::int64_t* starts;
  result_row<Index> neighbors;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto p = points.point(k);
    std::int64_t to = starts[points.order[k]];
    points.for_ranges_around(p, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j)
        if (j != k && points.squared_distance(p, j) <= squared_radius) neighbors.set(to++, points.order[j]);
    });
  }
};

template <class Exec, class Offsets, class Neighbors, class Points>
void neighbors_into(const call<Exec>& c, const Offsets& offsets_view, const Neighbors& neighbors_view,
                    const Points& points_view, const domain& box, double radius, std::int64_t* number) {
  const auto in = c.input(points_view);
  const std::int64_t n = in.extents.extent[0];
  const auto neighbors = make_result<Exec>(c.label, "neighbors", neighbors_view, in);
  check_positions<value_of<Offsets>>(c.label, "offsets", neighbors.room + 1);
  with_points(c, points_view, box, [&]<class T, int Rank>(const point_rows<T, Rank>& rows) {
    with_points_by_radius(c.label, c.exec, box, radius, rows, n, [&](const binned_points<T, Rank>& points) {
      const T squared = square_of_radius<T>(radius);
      const scratch_array<Exec, std::int64_t> memory(c.exec, n + 1);
      const scratch_view<Exec, std::int64_t*> starts(memory.data(), n + 1), ends(memory.data() + 1, n);
      fill_scratch(c.label, c.exec, memory.data(), 1, std::int64_t{0});
      Kokkos::parallel_for(kernel_label(c.label, "/count"), index_range(c.exec, n),
                           count_near<T, Rank>{points, squared, ends.data()});
      quern::cumsum(c.exec, ends, ends);
      map_checked(label_text(c.label, "/offsets"), c.exec, offsets_view, op::identity(), starts);
      map_checked(label_text(c.label, "/number"), c.exec, scratch_view<Exec, std::int64_t>(number), op::identity(),
                  scratch_view<Exec, std::int64_t>(memory.data() + n));
      Kokkos::parallel_for(kernel_label(c.label, "/list"), index_range(c.exec, n),
                           list_near<T, Rank, memory_type<Neighbors>>{points, squared, memory.data(), neighbors});
    });
  });
}

}  // namespace impl

/// The points within a radius of each point, the point itself left out: those of point i are `neighbors(k)` from
/// `k = offsets(i)` to before `offsets(i + 1)`, in no particular order, which is the same in every run. SciPy's
/// `cKDTree.query_ball_point` and scikit-learn's `radius_neighbors(X)` list the point itself, too.
///
/// `n = radius_neighbors([exec,] offsets, neighbors, points, box, radius)` or `radius_neighbors([exec,] offsets,
/// neighbors, points, box, radius, size_to{n})`:
/// - offsets: of rank 1 and an integer type that holds the number of pairs, one element more than there are points
/// - neighbors: of rank 1 and an integer type, with room for the result
/// - points: (n, rank of the domain) of float or double, in either layout. Distances are formed in their type, and
///   their last bits may differ between back ends
/// - box: a `domain`. Along periodic axes the distance is that to the nearest image, and at most half of the box
/// - radius: at least 0; a point is near up to it
///
/// Waits, and returns the number of pairs, each of which is there in both directions; with `size_to` it does not. Each
/// point is compared with those of the cells around it, which are as wide as the radius. There is memory for about two
/// cells for each point; in a box of up to eight times as many cells they are wider, and in a larger one only those
/// with points have memory, so that a few points far away cost nothing, up to 1e14 radii away (double). Scratch memory
/// is that of `bin_by`, and 20 bytes and a row of coordinates for each point; in such a larger box up to 40 bytes more.
/// A point with a NaN has no neighbours.
///
/// @throws Error if extents do not fit, types do not hold the positions, the radius is below 0 or so small or
///         large that its square is no normal number of the coordinates' type, or there are 2^31 points or more;
///         CapacityError if `neighbors` has too little room and the call waits
template <execution_space Exec, view_like Offsets, view_like Neighbors, view_like Points, size_option... Size>
auto radius_neighbors(const Exec& exec, const Offsets& offsets, const Neighbors& neighbors, const Points& points,
                      const domain& box, double radius, const Size&... size) {
  impl::call c("quern::radius_neighbors", exec);
  const std::int64_t n = impl::view_extents(points).extent[0];
  impl::check_point_numbers(c.label, n);
  impl::check_radius<impl::value_of<Points>>(c.label, radius);
  impl::check_extents(c.label, "offsets", impl::view_extents(offsets), shape{n + 1}, ", one more than points");
  impl::check_positions<impl::value_of<Neighbors>>(c.label, "neighbors", n);
  impl::check_apart(c.label, {"offsets", "neighbors"}, c.output(offsets), c.output(neighbors));
  impl::check_overlap(c.label, c.output(offsets), c.input(points), "points", false);
  impl::check_overlap(c.label, c.output(neighbors), c.input(points), "points", false);
  return impl::run_counted(
      c, std::tie(neighbors, offsets),
      [&](std::int64_t* number) { impl::neighbors_into(c, offsets, neighbors, points, box, radius, number); }, size...);
}
template <view_like Offsets, view_like Neighbors, view_like Points, size_option... Size>
auto radius_neighbors(const Offsets& offsets, const Neighbors& neighbors, const Points& points, const domain& box,
                      double radius, const Size&... size) {
  return radius_neighbors(impl::space_of(offsets), offsets, neighbors, points, box, radius, size...);
}
QUERN_TAKES_NAME_NOT(place, radius_neighbors)

}  // namespace quern

#endif
