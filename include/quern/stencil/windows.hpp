// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_WINDOWS_HPP
#define QUERN_STENCIL_WINDOWS_HPP

#include <numeric>
#include <quern/stencil/grid.hpp>

namespace quern::impl {

/// Integers that are narrower than int come as int, which any arithmetic would make of them.
template <class T>
using promoted = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < sizeof(int)), int, T>;

// The windows through which a functor sees an input, of three kinds: w(offsets...) is the value that far away.

/// In memory, where all of the neighbourhood is there. Unit: the fastest axis is contiguous.
template <class Position, int Rank, bool Reversed, bool Unit>
struct memory_window {
  using T = source_value_t<Position>;
  Position centre;
  std::int64_t stride[3];

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION promoted<T> operator()(I... offset) const {
    return centre[distance(offset...)];
  }
  template <class... I>
  KOKKOS_FUNCTION std::int64_t distance(I... offset) const {
    const std::int64_t o[] = {static_cast<std::int64_t>(offset)...};
    std::int64_t at = 0;
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      at += Unit && a == 2 ? o[d] : o[d] * stride[a];
    }
    return at;
  }
};

/// In a thread's registers, for constant offsets; for others the compiler keeps the values in memory. The cell is in
/// plane `plane` and column `column` of those that the thread computes at once.
template <class Rolling, int Turn, int Rank, bool Reversed>
struct register_window {
  const Rolling& rolling;
  int plane, column;

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION auto operator()(I... offset) const {
    using radii = typename Rolling::radii;
    const int o[] = {static_cast<int>(offset)...};
    int at[3] = {radii::of(0) + plane, radii::of(1), radii::of(2) + column};
    for (int d = 0; d < Rank; ++d) at[grid_axis<Rank, Reversed>(d)] += o[d];
    return rolling.v[Rolling::slot(Turn, at[0])][at[1]][at[2]];
  }
};

/// Whether the neighbourhoods of windows of a type are within the array, so that its cells are not at an edge.
template <class Window>
inline constexpr bool is_within_array = false;
template <class Position, int Rank, bool Reversed, bool Unit>
inline constexpr bool is_within_array<memory_window<Position, Rank, Reversed, Unit>> = true;
template <class Rolling, int Turn, int Rank, bool Reversed>
inline constexpr bool is_within_array<register_window<Rolling, Turn, Rank, Reversed>> = true;

/// At the boundary, where each access is looked up. Once: no index is further beyond an axis than the axis is long; it
/// is then found without branches, and what several accesses have in common is computed once. Inside: none is beyond
/// the fastest axis.
template <class Source, int Rank, bool Reversed, bool Once, bool Inside = false>
struct border_window {
  using T = source_value_t<Source>;
  const grid_input<Source>& in;
  const grid_boxes& boxes;
  grid_index cell;

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION promoted<T> operator()(I... offset) const {
    const std::int64_t o[] = {static_cast<std::int64_t>(offset)...};
    grid_index at{};  // a copy of `cell` would wait for it to be written
    T constant{};
    bool is_constant = false;
    const grid_edges& edges = edges_of(in, boxes);
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      const std::int64_t i = cell.of[a] + o[d];
      if (Inside && a == 2) {
        at.of[a] = i;
        continue;
      }
      const bool low = i < 0, beyond = low || i >= boxes.extent[a];
      const boundary::mode mode = low ? edges.mode[a][0] : edges.mode[a][1];
      const bool here = beyond && mode == boundary::mode::constant;
      constant = !here ? constant : low ? in.beyond[a][0] : in.beyond[a][1];
      is_constant = is_constant || here;
      if constexpr (Once) {
        const continuation &below = edges.continued_at[a][0], &above = edges.continued_at[a][1];
        at.of[a] = !beyond ? i : low ? below.from + below.slope * i : above.from + above.slope * i;
      } else {
        at.of[a] = beyond ? continued(mode, i, boxes.extent[a]) : i;
      }
    }
    const T value = in.template at<false>(at)[0];
    return is_constant ? constant : value;
  }
};

/// How far a neighbourhood of constant extents reaches along the axes of the grid.
template <class Shape, int Rank, bool Reversed>
struct grid_radii {
  static constexpr bool star = Shape::arms_only;
  KOKKOS_FUNCTION static constexpr int of(int a) {
    if constexpr (Shape::fixed)
      for (int d = 0; d < Rank; ++d)
        if (grid_axis<Rank, Reversed>(d) == a) return Shape::radius(d);
    return 0;
  }
};

/// The neighbourhoods of a block of Depth x W cells, Depth along axis 0 and W along axis 2, which roll along axis 0:
/// each turn loads Depth planes, in the slots of those that are not needed any more. Plane p of turn t is in slot(t,
/// p).
template <class T, class Radii, int W, int Depth>
struct rolling_cells {
  using radii = Radii;
  static constexpr int rows = 2 * Radii::of(1) + 1, columns = W + 2 * Radii::of(2);
  static constexpr int slots = 2 * Radii::of(0) + Depth;
  static constexpr int turns = slots / std::gcd(slots, Depth);  // after which the slots are as before
  promoted<T> v[slots][rows][columns];

  KOKKOS_FUNCTION static constexpr int slot(int turn, int p) { return (turn * Depth + p) % slots; }
  template <class Position>
  KOKKOS_FUNCTION static void load_row(promoted<T>* row, const Position& from) {
    const auto p = load_pack<W>(from, 0);
    for (int k = 0; k < W; ++k) row[Radii::of(2) + k] = p.value[k];
  }
  /// The neighbours of a pack, of which there are `before` and `after`.
  template <class Position>
  KOKKOS_FUNCTION static void load_ends(promoted<T>* row, const Position& from, int before, int after) {
    for (int k = 0; k < Radii::of(2); ++k) {
      row[k] = from[Kokkos::max(k - Radii::of(2), -before)];
      row[Radii::of(2) + W + k] = from[Kokkos::min(W + k, W - 1 + after)];
    }
  }
  /// The plane around `from`: of a star that is a row of W.
  template <class Position>
  KOKKOS_FUNCTION void load_plane(int slot, const Position& from, std::int64_t row_stride, int before, int after) {
    constexpr int first = Radii::star ? Radii::of(1) : 0, last = rows - 1 - first;
    for (int r = first; r <= last; ++r) {
      const auto row = from + (r - Radii::of(1)) * row_stride;
      load_row(v[slot][r], row);
      if (!Radii::star) load_ends(v[slot][r], row, before, after);
    }
  }
  /// The other cells of a star in the plane of its centre.
  template <class Position>
  KOKKOS_FUNCTION void load_arms(int slot, const Position& from, std::int64_t row_stride, int before, int after) {
    if constexpr (Radii::star) {
      for (int r = 0; r < rows; ++r)
        if (r != Radii::of(1)) load_row(v[slot][r], from + (r - Radii::of(1)) * row_stride);
      load_ends(v[slot][Radii::of(1)], from, before, after);
    }
  }
};

}  // namespace quern::impl

#endif
