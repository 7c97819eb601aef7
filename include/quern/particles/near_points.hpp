// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_NEAR_POINTS_HPP
#define QUERN_PARTICLES_NEAR_POINTS_HPP

/// @file
/// What operations on near points share: points in the order of their cells, and the walk through the cells around one.

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/keyed/counted.hpp>
#include <quern/particles/bin_by.hpp>
#include <quern/particles/sparse_cells.hpp>

namespace quern::impl {

/// Points in the order of their cells; coordinate d of the k-th is `x[d * n + k]`.
template <class T, int Rank>
struct binned_points {
  cell_geometry<T, Rank> geometry;
  const T* x;
  const std::int32_t* order;
  const std::int32_t* offsets;  // none of sparse cells
  std::int64_t n;
  sparse_cells<Rank> sparse{};

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
  KOKKOS_FUNCTION bool is_sparse() const { return offsets == nullptr; }
  /// The cells along an axis that are at most one away from that of an image, as ranges from `first` on; returns how
  /// many.
  KOKKOS_FUNCTION int ranges(int d, T image, std::int64_t (&first)[2], std::int64_t (&last)[2]) const {
    const std::int64_t cell = is_sparse() ? sparse.cell_of(d, image) : geometry.cell_of(d, image);
    const std::int64_t end = is_sparse() ? sparse.count[d] : geometry.count[d];
    first[0] = cell > 0 ? cell - 1 : 0;
    last[0] = cell < end - 1 ? cell + 2 : end;
    if (!geometry.periodic[d] || (cell > 0 && cell < end - 1)) return 1;
    first[1] = cell == 0 ? end - 1 : 0;  // beyond the ends
    last[1] = first[1] + 1;
    return end > 2 ? 2 : 1;
  }
  /// The number of the line of cells along the last axis, with the cell along another one.
  KOKKOS_FUNCTION std::int64_t line_of(int d, std::int64_t before, std::int64_t cell) const {
    return is_sparse() ? sparse.joined(before, cell) : before * geometry.count[d] + cell;
  }
  /// The points in the cells of a line from `cell` to before `end`, or in the first of these; returns the cell behind
  /// those.
  KOKKOS_FUNCTION std::int64_t points_of(std::int64_t line, std::int64_t cell, std::int64_t end, std::int64_t& first,
                                         std::int64_t& last) const {
    if (is_sparse()) return sparse.find(line, cell, end, first, last);
    first = offsets[line * geometry.count[Rank - 1] + cell];
    last = offsets[line * geometry.count[Rank - 1] + end];
    return end;
  }
  /// Calls f(first, last) for ranges of points that hold all within the width of a cell around an image, each once.
  template <class F>
  KOKKOS_FUNCTION void for_ranges_around(const Kokkos::Array<T, Rank>& p, const F& f) const {
    if (!is_somewhere(p)) return;
    std::int64_t first[Rank][2], last[Rank][2];
    int count[Rank];
    for (int d = 0; d < Rank; ++d) count[d] = ranges(d, p[d], first[d], last[d]);
    const auto along_last = [&](std::int64_t line) {
      for (int r = 0; r < count[Rank - 1]; ++r)
        for (std::int64_t cell = first[Rank - 1][r]; cell < last[Rank - 1][r];) {
          std::int64_t from, to;
          cell = points_of(line, cell, last[Rank - 1][r], from, to);
          f(from, to);
        }
    };
    const auto along = [&](int d, const auto& inner) {
      for (int r = 0; r < count[d]; ++r)
        for (std::int64_t cell = first[d][r]; cell < last[d][r]; ++cell) inner(cell);
    };
    if constexpr (Rank == 1) along_last(0);
    else if constexpr (Rank == 2) along(0, [&](std::int64_t i) { along_last(line_of(0, 0, i)); });
    else
      along(0, [&](std::int64_t i) { along(1, [&](std::int64_t j) { along_last(line_of(1, line_of(0, 0, i), j)); }); });
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

template <class T, int Rank>
struct key_of_point {
  cell_geometry<T, Rank> geometry;
  point_rows<T, Rank> points;
  sparse_cells<Rank> cells;
  std::int64_t* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t key = 0;
    for (int d = 0; d < Rank; ++d) key = cells.joined(key, cells.cell_of(d, geometry.inside(d, points.at(i, d))));
    keys[i] = key;
  }
};
/// Brings keys and the numbers of points into order, and puts the first point of each group into the table.
template <int Rank>
struct gather_keys {
  sparse_cells<Rank> cells;
  const std::int64_t *order, *keys;
  std::int32_t* order_of_points;
  std::int64_t* keys_of_points;
  KOKKOS_FUNCTION std::int64_t group_of(std::int64_t k) const { return keys[order[k]] >> cells.group_bits; }
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    order_of_points[k] = static_cast<std::int32_t>(order[k]);
    keys_of_points[k] = keys[order[k]];
    const std::int64_t group = group_of(k);
    if (k == 0 || group_of(k - 1) != group) cells.insert(group, static_cast<std::int32_t>(k));
  }
};

/// The width of cells of which those beside one hold all points within `radius`, however coordinates of at most
/// `largest` are rounded to T.
template <class T>
double with_rounding(double largest, double radius) {
  const double rounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (radius + largest);
  return radius + std::max(rounding, static_cast<double>(std::numeric_limits<T>::min()));
}
/// The largest coordinate of a box, of all axes or of periodic ones.
inline double largest_coordinate(const domain& box, bool all) {
  double largest = 0;
  for (int d = 0; d < box.rank(); ++d)
    if (all || box.is_periodic(d)) largest = std::max({largest, std::abs(box.low(d)), std::abs(box.high(d))});
  return largest;
}
template <class T>
double with_rounding(const domain& box, double radius) {
  return with_rounding<T>(largest_coordinate(box, true), radius);
}
/// The same of sparse cells, which are numbered in double: coordinates are exact except for those of images, and
/// distances are rounded to T by no more than a part of themselves, unless their squares underflow.
template <class T>
double with_rounding_of_sparse(const domain& box, double radius) {
  const double near = std::max(with_rounding<T>(largest_coordinate(box, false), radius),
                               std::sqrt(static_cast<double>(std::numeric_limits<T>::min())));
  return with_rounding<double>(largest_coordinate(box, true), near);
}

/// How many cells are made at most: about two for each point.
inline std::int64_t max_cells(std::int64_t n) { return std::min(2 * n + 64, std::int64_t{1} << 30); }

/// Calls f with points in the order of cells that are at least `width` wide, which it needs in scratch memory.
template <class Exec, class T, int Rank, class F>
void with_binned_points(const std::string& label, const Exec& exec, const domain& box, double width,
                        const point_rows<T, Rank>& points, std::int64_t n, const F& f) {
  const CellGrid grid(box, with_rounding<T>(box, width), max_cells(n));
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

/// The same, with cells as wide as asked for, whatever is empty.
template <class Exec, class T, int Rank, class F>
void with_sparse_points(const std::string& label, const Exec& exec, const domain& box, double width,
                        const point_rows<T, Rank>& points, std::int64_t n, const F& f) {
  T* x = nullptr;
  std::int32_t* order = nullptr;
  std::int64_t *keys = nullptr, *unsorted = nullptr, *positions = nullptr;
  sparse_cells<Rank> cells(box, with_rounding_of_sparse<T>(box, width));
  cells.table_bits = cells.table_bits_of(n);
  const std::int64_t slots = std::int64_t{1} << cells.table_bits;
  const scratch_arrays<Exec> memory(exec, scratch_part{x, Rank * n}, scratch_part{order, n}, scratch_part{keys, n},
                                    scratch_part{unsorted, n}, scratch_part{positions, n},
                                    scratch_part{cells.table, slots});
  const cell_geometry<T, Rank> geometry(CellGrid(box, with_rounding<T>(box, width), 1));
  fill_scratch(label_text(label, "/table"), exec, cells.table, slots, std::int32_t{-1});
  Kokkos::parallel_for(kernel_label(label, "/cells"), index_range(exec, n),
                       key_of_point<T, Rank>{geometry, points, cells, unsorted});
  quern::argsort(exec, scratch_view<Exec, std::int64_t*>(positions, n), scratch_view<Exec, std::int64_t*>(unsorted, n));
  Kokkos::parallel_for(kernel_label(label, "/keys"), index_range(exec, n),
                       gather_keys<Rank>{cells, positions, unsorted, order, keys});
  Kokkos::parallel_for(kernel_label(label, "/points"), index_range(exec, n),
                       gather_points<T, Rank>{geometry, points, order, x, n});
  cells.keys = keys;
  cells.points = n;
  f(binned_points<T, Rank>{geometry, x, order, nullptr, n, cells});
}

/// Calls f with points in the order of cells of which those beside one hold all within a radius. Where the box would
/// have many more cells than points, these may be in few of the wider ones that there is memory for; then cells are
/// sparse.
template <class Exec, class T, int Rank, class F>
void with_points_by_radius(const std::string& label, const Exec& exec, const domain& box, double radius,
                           const point_rows<T, Rank>& points, std::int64_t n, const F& f) {
  constexpr double times = 8;
  const sparse_cells<Rank> cells(box, with_rounding_of_sparse<T>(box, radius));
  double all = 1;
  for (int d = 0; d < Rank; ++d) all *= static_cast<double>(cells.count[d]);
  if (all > times * static_cast<double>(max_cells(n))) with_sparse_points(label, exec, box, radius, points, n, f);
  else with_binned_points(label, exec, box, radius, points, n, f);
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
/// Rejects negative radii, and those whose squares T does not hold.
template <class T>
void check_radius(const std::string& label, double radius) {
  if (!(radius >= 0)) throw Error(label, "a radius of " + text_of(radius) + ", expected at least 0");
  constexpr double least = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
  if (std::isfinite(radius) && radius > 0 && !(radius >= std::sqrt(least) && radius <= std::sqrt(largest)))
    throw Error(label,
                "a radius of " + text_of(radius) + ", whose square is no normal number of the coordinates' type");
}

}  // namespace quern::impl

#endif
