// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_WINDOWS_HPP
#define QUERN_STENCIL_WINDOWS_HPP

#include <quern/stencil/grid.hpp>

namespace quern::impl {

/// Integers that are narrower than int come as int, which any arithmetic would make of them.
template <class T>
using promoted = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < sizeof(int)), int, T>;

// The windows through which a functor sees an input, of three kinds: w(offsets...) is the value that far away.

/// In memory, where all of the neighbourhood is there. Unit: the fastest axis is contiguous.
template <class Place, int Rank, bool Reversed, bool Unit>
struct memory_window {
  using T = source_value_t<Place>;
  Place centre;
  std::int64_t stride[3];

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION promoted<T> operator()(I... offset) const {
    const std::int64_t o[] = {static_cast<std::int64_t>(offset)...};
    std::int64_t at = 0;
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      at += Unit && a == 2 ? o[d] : o[d] * stride[a];
    }
    return centre[at];
  }
};

/// In a thread's registers, for constant offsets; for others the compiler keeps the values in memory.
template <class Rolling, int Turn, int Rank, bool Reversed>
struct register_window {
  const Rolling& rolling;
  int cell;

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION auto operator()(I... offset) const {
    using radii = typename Rolling::radii;
    const int o[] = {static_cast<int>(offset)...};
    int at[3] = {radii::of(0), radii::of(1), radii::of(2) + cell};
    for (int d = 0; d < Rank; ++d) at[grid_axis<Rank, Reversed>(d)] += o[d];
    return rolling.v[Rolling::slot(Turn, at[0])][at[1]][at[2]];
  }
};

/// At the boundary, where each access is looked up.
template <class Source, int Rank, bool Reversed>
struct border_window {
  using T = source_value_t<Source>;
  const grid_input<Source>& in;
  const std::int64_t (&extent)[3];
  const boundary::mode (&mode)[3][2];
  grid_index cell;

  template <class... I>
    requires(sizeof...(I) == Rank)
  KOKKOS_FUNCTION promoted<T> operator()(I... offset) const {
    const std::int64_t o[] = {static_cast<std::int64_t>(offset)...};
    grid_index at = cell;
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      const std::int64_t i = cell.of[a] + o[d];
      const int side = i < 0 ? 0 : 1;
      if (i >= 0 && i < extent[a]) at.of[a] = i;
      else if (mode[a][side] == boundary::mode::constant) return in.beyond[a][side];
      else at.of[a] = continued(mode[a][side], i, extent[a]);
    }
    return in.template at<false>(at)[0];
  }
};

/// The neighbourhoods of W neighbouring cells, which roll along axis 0: each step loads one plane, in the place of the
/// one that is not needed any more. At turn t, a step of `planes`, plane p is in slot(t, p).
template <class T, class Radii, int W>
struct rolling_cells {
  using radii = Radii;
  static constexpr int planes = 2 * Radii::of(0) + 1, rows = 2 * Radii::of(1) + 1, columns = W + 2 * Radii::of(2);
  promoted<T> v[planes][rows][columns];

  KOKKOS_FUNCTION static constexpr int slot(int turn, int p) { return (turn + p) % planes; }
  template <class Place>
  KOKKOS_FUNCTION static void load_row(promoted<T>* row, const Place& from) {
    const auto p = load_pack<W>(from, 0);
    for (int k = 0; k < W; ++k) row[Radii::of(2) + k] = p.value[k];
  }
  /// The neighbours of a pack, of which there are `before` and `after`.
  template <class Place>
  KOKKOS_FUNCTION static void load_ends(promoted<T>* row, const Place& from, int before, int after) {
    for (int k = 0; k < Radii::of(2); ++k) {
      row[k] = from[Kokkos::max(k - Radii::of(2), -before)];
      row[Radii::of(2) + W + k] = from[Kokkos::min(W + k, W - 1 + after)];
    }
  }
  /// The plane around `from`: of a star that is a row of W.
  template <class Place>
  KOKKOS_FUNCTION void load_plane(int slot, const Place& from, std::int64_t row_stride, int before, int after) {
    constexpr int first = Radii::star ? Radii::of(1) : 0, last = rows - 1 - first;
    for (int r = first; r <= last; ++r) {
      const auto row = from + (r - Radii::of(1)) * row_stride;
      load_row(v[slot][r], row);
      if (!Radii::star) load_ends(v[slot][r], row, before, after);
    }
  }
  /// The other cells of a star in the plane of its centre.
  template <class Place>
  KOKKOS_FUNCTION void load_arms(int slot, const Place& from, std::int64_t row_stride, int before, int after) {
    if constexpr (Radii::star) {
      for (int r = 0; r < rows; ++r)
        if (r != Radii::of(1)) load_row(v[slot][r], from + (r - Radii::of(1)) * row_stride);
      load_ends(v[slot][Radii::of(1)], from, before, after);
    }
  }
};

}  // namespace quern::impl

#endif
