// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_BIN_BY_HPP
#define QUERN_PARTICLES_BIN_BY_HPP

/// @file
/// Points in the order of the cells in which they are.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <quern/core/call/call.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/map/functions.hpp>
#include <quern/particles/domain.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/scan/scan.hpp>

namespace quern {
namespace impl {

/// Cells of a domain with `Rank` axes, for points of type T.
template <class T, int Rank>
struct cell_geometry {
  T low[Rank], length[Rank];
  std::int32_t count[Rank];
  bool periodic[Rank];

  explicit cell_geometry(const CellGrid& c) {
    for (int d = 0; d < Rank; ++d) {
      low[d] = static_cast<T>(c.box().low(d));
      length[d] = static_cast<T>(c.box().high(d) - c.box().low(d));
      count[d] = static_cast<std::int32_t>(c.count(d));
      periodic[d] = c.box().is_periodic(d);
    }
  }
  /// The image of a coordinate in the box.
  KOKKOS_FUNCTION T inside(int d, T x) const {
    const T high = low[d] + length[d];
    if (!periodic[d] || (x >= low[d] && x < high)) return x;
    const T boxes = Kokkos::floor((x - low[d]) / length[d]);
    T image = Kokkos::fma(-length[d], boxes, x);
    if (image < low[d]) image += length[d];  // where the quotient is rounded
    else if (image >= high) image -= length[d];
    return image < low[d] ? low[d] : image > high ? high : image;
  }
  /// The cell of an image along an axis; that at the end for what is beyond it, and the first for NaN.
  KOKKOS_FUNCTION std::int32_t cell_of(int d, T image) const {
    const T at = (image - low[d]) / length[d] * static_cast<T>(count[d]);
    if (!(at > 0)) return 0;
    return at < static_cast<T>(count[d] - 1) ? static_cast<std::int32_t>(at) : count[d] - 1;
  }
};

/// Points as rows of (n, Rank).
template <class T, int Rank>
struct point_rows {
  const T* data;
  std::int64_t step, across;
  template <class V>
  explicit point_rows(const strided<V>& points) : data(points.data), step(points.stride[0]), across(points.stride[1]) {}
  KOKKOS_FUNCTION T at(std::int64_t i, int d) const { return data[i * step + d * across]; }
};

template <class T, int Rank>
struct cell_of_point {
  cell_geometry<T, Rank> geometry;
  point_rows<T, Rank> points;
  std::int32_t* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int32_t cell = 0;
    for (int d = 0; d < Rank; ++d)
      cell = cell * geometry.count[d] + geometry.cell_of(d, geometry.inside(d, points.at(i, d)));
    keys[i] = cell;
  }
};

/// The order of points by cells, and where each cell begins.
template <class Exec, class T, int Rank, class Order, class Offsets>
void order_by_cells(const std::string& label, const Exec& exec, const CellGrid& grid, const point_rows<T, Rank>& points,
                    std::int64_t n, const Order& order, const strided<Offsets>& offsets) {
  const scratch_array<Exec, std::int32_t> memory(exec, n);
  const scratch_view<Exec, std::int32_t*> keys(memory.data(), n);
  Kokkos::parallel_for(kernel_label(label, "/cells"), index_range(exec, n),
                       cell_of_point<T, Rank>{cell_geometry<T, Rank>(grid), points, memory.data()});
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return as_part<Exec, 1>(part_along(offsets, 0, first, count));
  };
  const auto ends = part(1, grid.size());
  quern::argsort(exec, order, keys);
  quern::fill(exec, part(0, 1), 0);
  quern::bincount(exec, ends, keys);
  quern::cumsum(exec, ends, ends);
}

/// The memory of points with so many coordinates.
template <class Exec, class Points>
auto points_input(const call<Exec>& c, std::string_view name, const Points& view, int rank) {
  using T = value_of<Points>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "quern: points must be of float or double");
  const auto points = c.input(view);
  if (points.extents.rank != 2 || points.extents.extent[1] != rank)
    reject_extents(c.label, name, points.extents,
                   "(n, " + std::to_string(rank) + "), a column for each axis of the domain");
  return points;
}
/// Rejects a domain whose ends T does not hold.
template <class T>
void check_box(const std::string& label, const domain& box) {
  constexpr double most = Kokkos::Experimental::finite_max_v<T>;
  for (int d = 0; d < box.rank(); ++d) {
    const double length = box.high(d) - box.low(d);
    const bool fits = std::abs(box.low(d)) <= most && length <= most && static_cast<T>(length) > 0;
    if (!fits)
      throw Error(label, "axis " + std::to_string(d) + " is from " + text_of(box.low(d)) + " to " +
                             text_of(box.high(d)) + ", which the points' type does not hold");
  }
}
/// Calls f(rows) with points as rows of the rank that they have.
template <class Exec, class Points, class F>
void with_points(const call<Exec>& c, const Points& view, const domain& box, const F& f) {
  using T = value_of<Points>;
  const auto points = points_input(c, "points", view, box.rank());
  check_box<T>(c.label, box);
  if (box.rank() == 1) f(point_rows<T, 1>(points));
  else if (box.rank() == 2) f(point_rows<T, 2>(points));
  else f(point_rows<T, 3>(points));
}

inline domain open_domain(int rank, const std::array<double, 3>& low, const std::array<double, 3>& high) {
  if (rank == 1) return domain({low[0]}, {high[0]});
  if (rank == 2) return domain({low[0], low[1]}, {high[0], high[1]});
  return domain({low[0], low[1], low[2]}, {high[0], high[1], high[2]});
}

}  // namespace impl

/// The least domain without periodic axes that holds all points, of (n, 1) to (n, 3). Waits. Along an axis where all
/// are equal it is 1 long, or as long as from one number to the next.
/// @throws Error if there is no point, or one with a coordinate that is not finite, or points lie further apart than
///         double holds
template <execution_space Exec, view_like Points>
domain bounding_domain(const Exec& exec, const Points& points) {
  const impl::call c("quern::bounding_domain", exec);
  const shape extents = impl::view_extents(points);
  if (extents.rank != 2 || extents.extent[0] == 0 || extents.extent[1] < 1 || extents.extent[1] > 3)
    impl::reject_extents(c.label, "points", extents, "(n, 1) to (n, 3), n > 0");
  using T = impl::value_of<Points>;
  const impl::strided<const T> x = impl::points_input(c, "points", points, static_cast<int>(extents.extent[1]));
  std::array<double, 3> low{}, high{};
  for (int d = 0; d < extents.extent[1]; ++d) {
    const impl::strided<const T> column{x.data + d * x.stride[1], shape{extents.extent[0]}, {x.stride[0]}};
    const auto range = quern::minmax(exec, impl::as_part<Exec, 1>(column));
    const T after = std::max(range.min + 1, std::nextafter(range.min, std::numeric_limits<T>::infinity()));
    low[d] = static_cast<double>(range.min);
    high[d] = static_cast<double>(range.max > range.min ? range.max : after);
  }
  return impl::open_domain(static_cast<int>(extents.extent[1]), low, high);
}
template <view_like Points>
domain bounding_domain(const Points& points) {
  return bounding_domain(impl::space_of(points), points);
}
QUERN_TAKES_NAME_NOT(place, bounding_domain)

/// Brings points into the order of the cells of a domain in which they are: a counting sort. The points of cell c are
/// `order(k)` from `k = offsets(c)` to before `offsets(c + 1)`, in ascending order. Cells are numbered with the last
/// axis fastest; points beyond the ends of an axis are in its last cells, images where it is periodic, and those with a
/// NaN in its first.
///
/// @code
/// const quern::CellGrid grid(quern::domain{{0, 0, 0}, {1, 1, 1}, quern::periodic{true}}, 0.1);
/// Kokkos::View<int*> order("order", n), offsets("offsets", grid.size() + 1);
/// quern::bin_by(exec, order, offsets, points, grid);
/// @endcode
///
/// Asynchronous on `exec`. Scratch memory is that of `argsort`, and 4 bytes for each point.
///
/// @param order   of rank 1 and an integer type, an element for each point
/// @param offsets of rank 1 and an integer type of 32 or 64 bits, one element more than there are cells
/// @param points  (n, rank of the domain) of float or double, in either layout
/// @throws Error if extents do not fit, types do not hold the positions, there are more than 2^31 - 1 cells, or outputs
///         share memory with the points
template <execution_space Exec, view_like Order, view_like Offsets, view_like Points>
void bin_by(const Exec& exec, const Order& order, const Offsets& offsets, const Points& points, const CellGrid& grid) {
  using offset = impl::value_of<Offsets>;
  static_assert(impl::is_integer<offset> && sizeof(offset) >= 4,
                "quern::bin_by: offsets must be of integers of 32 or 64 bits");
  const impl::call c("quern::bin_by", exec);
  const std::int64_t n = impl::view_extents(points).extent[0];
  if (grid.size() > Kokkos::Experimental::finite_max_v<std::int32_t>)
    throw Error(c.label, std::to_string(grid.size()) + " cells, expected at most 2147483647");
  impl::check_extents(c.label, "order", impl::view_extents(order), shape{n}, ", one for each point");
  impl::check_extents(c.label, "offsets", impl::view_extents(offsets), shape{grid.size() + 1}, ", one more than cells");
  impl::check_positions<impl::value_of<Order>>(c.label, "order", n);
  impl::check_positions<impl::value_of<Offsets>>(c.label, "offsets", n + 1);
  impl::check_apart(c.label, {"order", "offsets"}, c.output(order), c.output(offsets));
  impl::check_overlap(c.label, c.output(order), c.input(points), "points", false);
  impl::check_overlap(c.label, c.output(offsets), c.input(points), "points", false);
  impl::with_points(c, points, grid.box(), [&](const auto& rows) {
    impl::order_by_cells(c.label, exec, grid, rows, n, order, c.output(offsets));
  });
}
template <view_like Order, view_like Offsets, view_like Points>
void bin_by(const Order& order, const Offsets& offsets, const Points& points, const CellGrid& grid) {
  bin_by(impl::space_of(order), order, offsets, points, grid);
}
QUERN_TAKES_NAME_NOT(place, bin_by)

}  // namespace quern

#endif
