// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_SPARSE_CELLS_HPP
#define QUERN_PARTICLES_SPARSE_CELLS_HPP

#include <algorithm>
#include <cmath>
#include <quern/core/values/binary_search.hpp>
#include <quern/particles/domain.hpp>

namespace quern::impl {

/// Cells of a given width, however large the box is, which have no memory where they are empty: the points are in the
/// order of the keys of their cells. A key has the last bits of the cell's number along each axis, so that cells far
/// apart may share one; those beside each other never do. A hashed table has where the points of each group of cells
/// begin, which follow each other on a line.
template <int Rank>
struct sparse_cells {
  static constexpr int bits = Rank == 1 ? 62 : 63 / Rank;
  static constexpr std::int64_t mask = (std::int64_t{1} << bits) - 1;
  double low[Rank] = {}, per_length[Rank] = {};
  std::int64_t count[Rank] = {};
  const std::int64_t* keys = nullptr;  // of the points, in ascending order
  std::int64_t points = 0;
  std::int32_t* table = nullptr;  // of the first points of groups; -1 where there is none
  int table_bits = 0;             // of 2^table_bits slots

  sparse_cells() = default;
  sparse_cells(const domain& box, double width) {
    for (int d = 0; d < Rank; ++d) {
      const double length = box.high(d) - box.low(d);
      // Around a periodic axis the first and the last cell are beside each other, and need keys of their own.
      const double most = box.is_periodic(d) ? std::min(0x1p52, static_cast<double>(mask)) : 0x1p52;
      const double cells = std::clamp(std::floor(length / width), 1.0, most);
      low[d] = box.low(d);
      per_length[d] = cells / length;
      count[d] = static_cast<std::int64_t>(cells);
    }
  }
  /// The cell of an image along an axis, as that of `cell_geometry`.
  KOKKOS_FUNCTION std::int64_t cell_of(int d, double image) const {
    const double at = (image - low[d]) * per_length[d];
    if (!(at > 0)) return 0;
    return at < static_cast<double>(count[d] - 1) ? static_cast<std::int64_t>(at) : count[d] - 1;
  }
  /// The key of cells that are the same so far, with a cell along one more axis.
  static KOKKOS_FUNCTION std::int64_t joined(std::int64_t key, std::int64_t cell) {
    return (key << bits) | (cell & mask);
  }
  static constexpr int group_bits = 2;  // of the number of a cell in its group
  static int table_bits_of(std::int64_t n) {
    int b = 6;
    while ((std::int64_t{1} << b) < 2 * n) ++b;
    return b;
  }
  KOKKOS_FUNCTION std::int64_t slot_of(std::int64_t group) const {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(group) * 0x9e3779b97f4a7c15u) >> (64 - table_bits));
  }
  KOKKOS_FUNCTION std::int64_t slot_behind(std::int64_t slot) const {
    return (slot + 1) & ((std::int64_t{1} << table_bits) - 1);
  }
  /// Puts the first point of a group into the table.
  KOKKOS_FUNCTION void insert(std::int64_t group, std::int32_t point) const {
    std::int64_t slot = slot_of(group);
    while (Kokkos::atomic_compare_exchange(table + slot, -1, point) != -1) slot = slot_behind(slot);
  }
  /// The first point of a group, or -1.
  KOKKOS_FUNCTION std::int64_t begin_of(std::int64_t group) const {
    for (std::int64_t slot = slot_of(group);; slot = slot_behind(slot)) {
      const std::int32_t point = table[slot];
      if (point < 0 || keys[point] >> group_bits == group) return point;
    }
  }
  /// The first point from one on whose key does not satisfy a condition, as those before it do; it is not far.
  template <class Condition>
  KOKKOS_FUNCTION std::int64_t point_behind(std::int64_t point, const Condition& condition) const {
    std::int64_t step = 1;
    for (; point + step <= points && condition(keys[point + step - 1]); step *= 2) point += step;
    return point + partition_point(keys + point, 1, Kokkos::min(step - 1, points - point), condition);
  }
  /// The points in the cells of a line from `cell` to before `end`, three at most, or in the first of these,
  /// whose keys follow each other: from `first` to before `last`. Returns the cell behind those.
  KOKKOS_FUNCTION std::int64_t find(std::int64_t line, std::int64_t cell, std::int64_t end, std::int64_t& first,
                                    std::int64_t& last) const {
    const std::int64_t behind = Kokkos::min(end, (cell | mask) + 1);
    const std::int64_t from = joined(line, cell), to = joined(line, behind - 1);
    const std::int64_t group = from >> group_bits, other = to >> group_bits;  // of three cells
    std::int64_t begin = begin_of(group);
    if (begin < 0 && other != group) begin = begin_of(other);
    first = last = 0;
    if (begin < 0) return behind;
    first = point_behind(begin, [=](std::int64_t k) { return k < from; });
    last = point_behind(first, [=](std::int64_t k) { return k <= to; });
    return behind;
  }
};

}  // namespace quern::impl

#endif
