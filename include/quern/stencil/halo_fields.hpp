// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HALO_FIELDS_HPP
#define QUERN_STENCIL_HALO_FIELDS_HPP

#include <quern/core/values/values.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/core/views/overlap.hpp>
#include <quern/stencil/boundary.hpp>
#include <span>

namespace quern::impl {

/// What lies beyond one end of an axis: ghost i is found at `from + slope * i`, with the opposite sign where that is
/// odd. Some modes have no such cell.
struct halo_end {
  boundary::mode mode = boundary::mode::keep;
  signed char slope = 0;
  bool of_cells = false, odd = false;
};

/// An axis of a field with ghost layers. Indices count from the first cell between them.
struct halo_axis {
  std::int64_t stride = 0, cells = 1;
  std::int64_t from[2] = {};  // of the ends before the first cell and behind the last
  halo_end end[2];
  std::int16_t stored = 0, layers = 0;
  // The cells of a pass along the axis: `before` ghosts, `low` and `high` cells next to them, and `after` ghosts.
  std::int16_t before = 0, low = 0, high = 0, after = 0;

  KOKKOS_FUNCTION bool is_ghost(std::int64_t i) const { return i < 0 || i >= cells; }
  KOKKOS_FUNCTION const halo_end& end_at(std::int64_t i) const { return end[i < 0 ? 0 : 1]; }
  /// Follows a ghost to its cell. Where there are fewer cells than layers, that goes from end to end. Returns whether
  /// there is one; or else `i` is a ghost at an end that has none.
  KOKKOS_FORCEINLINE_FUNCTION bool find(std::int64_t& i, bool& odd) const {
    while (is_ghost(i)) {
      const int side = i < 0 ? 0 : 1;
      const halo_end& e = end[side];
      if (!e.of_cells) return false;
      i = from[side] + e.slope * i;
      odd = odd != e.odd;
    }
    return true;
  }

  KOKKOS_FUNCTION std::int64_t ends() const { return before + low + high + after; }
  KOKKOS_FUNCTION std::int64_t between_ends() const { return cells - low - high; }
  KOKKOS_FUNCTION std::int64_t end_cell(std::int64_t k) const {
    return k < before + low ? k - before : cells - high + (k - before - low);
  }
  /// A pass over all ghosts.
  void cover_ghosts() {
    before = after = layers;
    low = high = 0;
  }
  /// A pass over all cells that have ghosts, and over ghosts that are kept.
  void cover_owners();
};

/// A field with its ghost layers as kernels carry it: axes in the order of memory, the fastest last. Reversed: that of
/// a View is its first one.
template <class T, int Rank, bool Reversed>
struct halo_field {
  using value_type = T;
  using index = Kokkos::Array<std::int64_t, Rank>;
  static constexpr int rank = Rank;

  T* data = nullptr;  // the first cell that is no ghost
  halo_axis axis[Rank];
  T value[Rank][2] = {};  // constants
  std::int64_t items = 0;
  int number = 0;

  KOKKOS_FUNCTION static constexpr int in_memory(int d) { return Reversed ? Rank - 1 - d : d; }
  KOKKOS_FUNCTION T* at(const index& i) const {
    std::int64_t offset = 0;
    for (int a = 0; a < Rank; ++a) offset += i[a] * axis[a].stride;
    return data + offset;
  }
  /// The indices of an element of the View.
  KOKKOS_FUNCTION index in_view(const index& i) const {
    index v;
    for (int d = 0; d < Rank; ++d) v[d] = i[in_memory(d)] + axis[in_memory(d)].stored;
    return v;
  }

  /// Cells of a pass come in slabs, one for each axis: the ends of that axis, between those of the axes before it. With
  /// corners, the axes behind it are whole.
  KOKKOS_FUNCTION std::int64_t extent(int a, int slab, bool corners) const {
    if (a == slab) return axis[a].ends();
    return axis[a].between_ends() + (a > slab && corners ? axis[a].ends() : 0);
  }
  KOKKOS_FUNCTION std::int64_t cell(int a, int slab, bool corners, std::int64_t k) const {
    if (a == slab) return axis[a].end_cell(k);
    return a > slab && corners ? k - axis[a].before : axis[a].low + k;
  }
  KOKKOS_FUNCTION std::int64_t slab_cells(int slab, bool corners) const {
    std::int64_t n = 1;
    for (int a = 0; a < Rank; ++a) n *= extent(a, slab, corners);
    return n;
  }
};

/// Fields of one type that a kernel carries.
template <class Field, int Capacity>
struct halo_list {
  using field_type = Field;
  Field field[Capacity];
  int count = 0;
};

/// What is the same for all fields: numbers for each axis of a View.
struct halo_grid {
  std::array<int, max_rank> stored{}, layers{};
  Kokkos::Array<std::int64_t, max_rank> cells{};
};

/// Numbers for each axis, one for all or one for each.
struct axis_counts {
  int count = 0;
  Kokkos::Array<std::int64_t, max_rank> number{};
  axis_counts(std::initializer_list<std::int64_t> numbers);
  std::int64_t along(int axis) const { return number[count == 1 ? 0 : axis]; }
};

/// Checks the numbers of ghost layers that arrays of a rank store and of those to fill, null for all.
void check_layer_counts(const std::string& label, const axis_counts& stored, const axis_counts* layers, int rank);

[[noreturn]] void reject_prescribed(const std::string& label);

/// Checks that no two fields of a call share memory.
void check_no_overlap(const std::string& label, std::span<const array_bytes> fields);

/// Checks the fields of a call and finds the cells of their grid.
/// @param layers those to fill of the stored ones, or null for all
/// @param cells  those of the grid along each axis, or null for those that the smallest field has
halo_grid halo_grid_of(const std::string& label, std::span<const array_bytes> fields, const axis_counts& stored,
                       const axis_counts* layers, const axis_counts* cells);

/// An axis of a field, whose boundaries are checked.
halo_axis halo_axis_of(const std::string& label, const array_bytes& field, const halo_grid& grid, int d,
                       const boundaries& edge);

}  // namespace quern::impl

#endif
