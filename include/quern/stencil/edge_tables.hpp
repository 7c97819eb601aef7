// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_EDGE_TABLES_HPP
#define QUERN_STENCIL_EDGE_TABLES_HPP

#include <algorithm>
#include <quern/stencil/windows.hpp>

namespace quern::impl {

/// Where an input has index i of an axis: an offset, or, beyond 1 or 2, the constant below or above the axis.
struct edge_offset {
  std::int64_t offset;
  int beyond;
};
template <class Source>
edge_offset edge_offset_of(const grid_input<Source>& in, const grid_boxes& boxes, int axis, std::int64_t i) {
  const std::int64_t n = boxes.extent[axis];
  if (i >= 0 && i < n) return {i * in.stride[axis], 0};
  const int side = i < 0 ? 0 : 1;
  const boundary::mode mode = edges_of(in, boxes).mode[axis][side];
  if (mode == boundary::mode::constant) return {0, side + 1};
  return {continued(mode, i, n) * in.stride[axis], 0};
}

/// The offsets of the neighbours of cells whose neighbourhoods reach beyond an input, looked up once for a row or for
/// many rows, and not for each cell.
template <class Source, class Radii>
struct edge_tables {
  static constexpr int reach = Radii::of(2), widest = std::max(Radii::of(0), Radii::of(1));
  edge_offset across[2][2 * widest + 1];                // of a row, along the slower axes
  edge_offset low[3 * reach + 1], high[4 * reach + 1];  // along the fastest one, of the cells at its ends
  bool constant_ends = false;                           // whether some of these are constants

  /// The cells from all.low to before inner.low, and from inner.high, where the inner box may be empty.
  void set_ends(const grid_input<Source>& in, const grid_boxes& boxes) {
    for (int k = 0; k < 3 * reach; ++k) low[k] = edge_offset_of(in, boxes, 2, boxes.all.low[2] - reach + k);
    for (int k = 0; k < 4 * reach; ++k) high[k] = edge_offset_of(in, boxes, 2, boxes.inner.high[2] - reach + k);
    for (int k = 0; k < 3 * reach; ++k) constant_ends |= low[k].beyond != 0;
    for (int k = 0; k < 4 * reach; ++k) constant_ends |= high[k].beyond != 0;
  }
  const edge_offset* low_end(const grid_boxes& boxes, std::int64_t i) const {
    return low + (i - boxes.all.low[2] + reach);
  }
  const edge_offset* high_end(const grid_boxes& boxes, std::int64_t i) const {
    return high + (i - boxes.inner.high[2] + reach);
  }
  /// The row of a cell. Inside: no neighbour along the slower axes is beyond one. Returns whether some are constants.
  bool set_row(const grid_input<Source>& in, const grid_boxes& boxes, const grid_index& cell, bool inside) {
    int beyond = 0;
    for (int a = 0; a < 2; ++a)
      for (int o = -Radii::of(a); o <= Radii::of(a); ++o) {
        edge_offset& at = across[a][o + Radii::of(a)];
        if (inside) at = {(cell.of[a] + o) * in.stride[a], 0};
        else at = edge_offset_of(in, boxes, a, cell.of[a] + o);
        beyond |= at.beyond;
      }
    return beyond != 0;
  }
};

/// The window of a cell at an end of the fastest axis, where nothing is beyond the slower ones and no end has
/// constants.
template <class Source, int Rank, bool Reversed>
struct end_window {
  using T = source_value_t<Source>;
  const grid_input<Source>& in;
  std::int64_t row;          // the offset of the cell's row
  const edge_offset* along;  // of the cell

  template <class... I>
    requires(sizeof...(I) == Rank)
  promoted<T> operator()(I... offset) const {
    const std::int64_t o[] = {static_cast<std::int64_t>(offset)...};
    std::int64_t distance = row;
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      distance += a == 2 ? along[o[d]].offset : o[d] * in.stride[a];
    }
    return (in.data + distance)[0];
  }
};

/// A window by tables. Inside: nothing is beyond the fastest axis; Unit: that is contiguous, and there are no
/// constants, so that loops over a row become vector instructions.
template <class Source, int Rank, bool Reversed, class Radii, bool Inside, bool Unit>
struct edge_window {
  using T = source_value_t<Source>;
  static_assert(Inside || !Unit);
  const grid_input<Source>& in;
  const edge_tables<Source, Radii>& tables;
  const edge_offset* along;  // of the cell at an end of the fastest axis
  std::int64_t cell;         // otherwise its index

  template <class... I>
    requires(sizeof...(I) == Rank)
  promoted<T> operator()(I... offset) const {
    const std::int64_t o[] = {static_cast<std::int64_t>(offset)...};
    std::int64_t distance = 0;
    int beyond[Rank] = {};
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      if (Inside && a == 2) {
        distance += Unit ? cell + o[d] : (cell + o[d]) * in.stride[2];
      } else {
        const edge_offset& at = a == 2 ? along[o[d]] : tables.across[a < 2 ? a : 0][Radii::of(a) + o[d]];
        distance += at.offset;
        beyond[d] = o[d] == 0 ? 0 : at.beyond;  // the cell itself is in the array
      }
    }
    if constexpr (!Unit)
      for (int d = Rank - 1; d >= 0; --d)
        if (beyond[d] != 0) return in.beyond[grid_axis<Rank, Reversed>(d)][beyond[d] - 1];
    return (in.data + distance)[0];
  }
};

}  // namespace quern::impl

#endif
