// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_GRID_HPP
#define QUERN_STENCIL_GRID_HPP

#include <algorithm>
#include <quern/core/values/values.hpp>
#include <quern/core/views/source.hpp>
#include <quern/stencil/boundary.hpp>

namespace quern::impl {

/// The axes of a stencil in the order of memory: 0 the slowest, along which a thread of a device walks, 2 the fastest.
/// Arrays of fewer axes have extent 1 along those that they lack.
struct grid_index {
  std::int64_t of[3];
};

/// Which of them axis d of an array of that rank is. Reversed: the first axis is the fastest.
KOKKOS_FUNCTION constexpr int grid_axis(int rank, bool reversed, int d) {
  const int e = reversed ? rank - 1 - d : d;
  return e == rank - 1 ? 2 : e;
}
template <int Rank, bool Reversed>
KOKKOS_FUNCTION constexpr int grid_axis(int d) {
  return grid_axis(Rank, Reversed, d);
}

/// An array as kernels carry it, in memory or lazy.
template <class Source>
struct grid_array {
  using position = decltype(std::declval<const Source&>() + std::int64_t());
  Source data;
  std::int64_t stride[3];

  /// Unit: the fastest axis is known to be contiguous.
  template <bool Unit>
  KOKKOS_FUNCTION position at(const grid_index& i) const {
    return data + (row(i) + (Unit ? i.of[2] : i.of[2] * stride[2]));
  }
  /// The offset of a cell's row.
  KOKKOS_FUNCTION std::int64_t row(const grid_index& i) const { return i.of[0] * stride[0] + i.of[1] * stride[1]; }
};
template <class T>
using grid_output = grid_array<pointer_to<T>>;
/// An input; beyond its axes are the constants of its boundaries.
template <class Source>
struct grid_input : grid_array<Source> {
  source_value_t<Source> beyond[3][2];
};

/// What continues arrays beyond their axes.
struct grid_edges {
  boundary::mode mode[3][2] = {};
  continuation continued_at[3][2] = {};

  /// Sets that of one axis of n cells. Returns how far it holds at both ends, for neighbourhoods that reach no further.
  std::int64_t set_axis(int axis, const boundary_pair& sides, std::int64_t n);
};

/// The source of an input that has boundaries of its own.
template <class Source>
struct edged {
  Source source;
};
template <class Source>
struct source_value<edged<Source>> : source_value<Source> {};
template <class Source>
struct grid_input<edged<Source>> : grid_array<Source> {
  source_value_t<Source> beyond[3][2];
  grid_edges own;
};

/// A box of cells, from `low` to before `high`.
struct grid_box {
  std::int64_t low[3], high[3];
  KOKKOS_FUNCTION std::int64_t extent(int a) const { return high[a] - low[a]; }
  KOKKOS_FUNCTION std::int64_t cells() const { return extent(0) * extent(1) * extent(2); }
};

/// The cells of a stencil: all that are computed, those whose neighbourhoods are in the arrays, and what continues the
/// axes.
struct grid_boxes : grid_edges {
  std::int64_t extent[3] = {1, 1, 1};
  bool continued_once = true;  // no neighbourhood reaches so far that these do not hold
  grid_box all{{0, 0, 0}, {1, 1, 1}}, inner{{0, 0, 0}, {1, 1, 1}};
};
/// Those of windows that reach `radius` far along each axis of arrays of that rank. Where all inputs have boundaries or
/// ghosts of their own (`edged`), cells of `interior_only` may be anywhere.
/// @throws Error where the boundaries are not those of such arrays, or cannot be had
grid_boxes boxes_of(const std::string& label, int rank, bool reversed, const std::int64_t* radius, const shape& extents,
                    const boundaries& edges, bool edged);
template <int Rank, bool Reversed, class Shape>
grid_boxes boxes_of(const std::string& label, const Shape& reach, const shape& extents, const boundaries& edges,
                    bool edged = false) {
  std::int64_t radius[Rank];
  for (int d = 0; d < Rank; ++d) radius[d] = reach.radius(d);
  return boxes_of(label, Rank, Reversed, radius, extents, edges, edged);
}

/// The boundaries of an input: those of the call, or its own.
template <class Source>
KOKKOS_FUNCTION const grid_edges& edges_of(const grid_input<Source>&, const grid_boxes& boxes) {
  return boxes;
}
template <class Source>
KOKKOS_FUNCTION const grid_edges& edges_of(const grid_input<edged<Source>>& in, const grid_boxes&) {
  return in.own;
}

}  // namespace quern::impl

#endif
