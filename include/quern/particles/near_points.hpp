// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_NEAR_POINTS_HPP
#define QUERN_PARTICLES_NEAR_POINTS_HPP

/// @file
/// What operations on near points share: points in the order of their cells, and the walk through the cells around one.

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/particles/bin_by.hpp>

namespace quern::impl {

/// Points in the order of their cells; coordinate d of the k-th is `x[d * n + k]`.
template <class T, int Rank>
struct binned_points {
  cell_geometry<T, Rank> geometry;
  const T* x;
  const std::int32_t* order;
  const std::int32_t* offsets;
  std::int64_t n;

  KOKKOS_FUNCTION Kokkos::Array<T, Rank> point(std::int64_t k) const {
    Kokkos::Array<T, Rank> p;
    for (int d = 0; d < Rank; ++d) p[d] = x[d * n + k];
    return p;
  }
  /// Whether a point is at a distance from others at all: not with a NaN.
  KOKKOS_FUNCTION static bool is_somewhere(const Kokkos::Array<T, Rank>& p) {
    bool all = true;
    for (int d = 0; d < Rank; ++d) all = all && p[d] == p[d];
    return all;
  }
  /// The squared distance of an image to the k-th point, or to its nearest image.
  KOKKOS_FUNCTION T squared_distance(const Kokkos::Array<T, Rank>& p, std::int64_t k) const {
    T sum = 0;
    for (int d = 0; d < Rank; ++d) {
      T step = Kokkos::abs(p[d] - x[d * n + k]);
      if (geometry.periodic[d] && geometry.length[d] - step < step) step = geometry.length[d] - step;
      sum += step * step;
    }
    return sum;
  }
  /// The cells along an axis that are at most one away from a cell, as ranges from `first` on; returns how many.
  KOKKOS_FUNCTION int ranges(int d, std::int32_t cell, std::int32_t (&first)[2], std::int32_t (&last)[2]) const {
    const std::int32_t end = geometry.count[d];
    first[0] = cell > 0 ? cell - 1 : 0;
    last[0] = cell < end - 1 ? cell + 2 : end;
    if (!geometry.periodic[d] || (cell > 0 && cell < end - 1)) return 1;
    first[1] = cell == 0 ? end - 1 : 0;  // beyond the ends
    last[1] = first[1] + 1;
    return end > 2 ? 2 : 1;
  }
  /// Calls f(first, last) for ranges of points that hold all within the width of a cell around an image, each once.
  template <class F>
  KOKKOS_FUNCTION void for_ranges_around(const Kokkos::Array<T, Rank>& p, const F& f) const {
    if (!is_somewhere(p)) return;
    std::int32_t first[Rank][2], last[Rank][2];
    int count[Rank];
    for (int d = 0; d < Rank; ++d) count[d] = ranges(d, geometry.cell_of(d, p[d]), first[d], last[d]);
    const auto along_last = [&](std::int64_t line) {
      for (int r = 0; r < count[Rank - 1]; ++r)
        f(offsets[line * geometry.count[Rank - 1] + first[Rank - 1][r]],
          offsets[line * geometry.count[Rank - 1] + last[Rank - 1][r]]);
    };
    const auto along = [&](int d, const auto& inner) {
      for (int r = 0; r < count[d]; ++r)
        for (std::int32_t cell = first[d][r]; cell < last[d][r]; ++cell) inner(cell);
    };
    if constexpr (Rank == 1) along_last(0);
    else if constexpr (Rank == 2) along(0, [&](std::int64_t i) { along_last(i); });
    else along(0, [&](std::int64_t i) { along(1, [&](std::int64_t j) { along_last(i * geometry.count[1] + j); }); });
  }
};

template <class T, int Rank>
struct gather_points {
  cell_geometry<T, Rank> geometry;
  point_rows<T, Rank> points;
  const std::int32_t* order;
  T* x;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    for (int d = 0; d < Rank; ++d) x[d * n + k] = geometry.inside(d, points.at(order[k], d));
  }
};

/// The width of cells of which those beside one hold all points within `radius`, however coordinates are rounded.
template <class T>
double with_rounding(const domain& box, double radius) {
  double largest = 0;
  for (int d = 0; d < box.rank(); ++d) largest = std::max({largest, std::abs(box.low(d)), std::abs(box.high(d))});
  const double rounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (radius + largest);
  return radius + std::max(rounding, static_cast<double>(std::numeric_limits<T>::min()));
}

/// Calls f with points in the order of cells that are at least `width` wide, which it needs in scratch memory.
template <class Exec, class T, int Rank, class F>
void with_binned_points(const std::string& label, const Exec& exec, const domain& box, double width,
                        const point_rows<T, Rank>& points, std::int64_t n, const F& f) {
  const CellGrid grid(box, with_rounding<T>(box, width), std::min(2 * n + 64, std::int64_t{1} << 30));
  T* x = nullptr;
  std::int32_t *order = nullptr, *offsets = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{x, Rank * n}, scratch_part{order, n},
                                    scratch_part{offsets, grid.size() + 1});
  order_by_cells(label, exec, grid, points, n, scratch_view<Exec, std::int32_t*>(order, n),
                 strided<std::int32_t>{offsets, shape{grid.size() + 1}, {1}});
  const cell_geometry<T, Rank> geometry(grid);
  Kokkos::parallel_for(kernel_label(label, "/points"), index_range(exec, n),
                       gather_points<T, Rank>{geometry, points, order, x, n});
  f(binned_points<T, Rank>{geometry, x, order, offsets, n});
}

/// The square of a radius, which is infinite for an infinite one alone.
template <class T>
T square_of_radius(double radius) {
  const T r = std::isinf(radius) || radius < static_cast<double>(std::numeric_limits<T>::max())
                  ? static_cast<T>(radius)
                  : std::numeric_limits<T>::max();
  return std::isinf(r) ? r : std::min(r * r, std::numeric_limits<T>::max());
}

/// Rejects points that 32 bits do not number.
inline void check_point_numbers(const std::string& label, std::int64_t n) {
  if (n > Kokkos::Experimental::finite_max_v<std::int32_t>)
    throw Error(label, std::to_string(n) + " points, expected at most 2147483647");
}
/// The same, and invalid radii.
inline void check_radius(const std::string& label, double radius, std::int64_t n) {
  check_point_numbers(label, n);
  if (!(radius >= 0)) throw Error(label, "a radius of " + text_of(radius) + ", expected at least 0");
}

}  // namespace quern::impl

#endif
