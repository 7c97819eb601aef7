// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DEVICE_TILES_HPP
#define QUERN_STENCIL_DEVICE_TILES_HPP

#include <quern/core/launch/team_scratch.hpp>
#include <quern/stencil/launch.hpp>
#include <quern/stencil/tuning.hpp>

namespace quern::impl {

/// Along each axis of the grid a window has `count` cells, from `first` on.
struct window_extents {
  int first[3] = {}, count[3] = {1, 1, 1};
  void set(int axis, int from, int cells) {
    first[axis] = from;
    count[axis] = cells;
  }
};

/// A filter's output in tiles, one for each team of a device, of which each thread computes a strip of a column.
/// Columns are along that axis of the grid.
template <class Exec, int Rank, bool Reversed, class Out, class In, int Strip, int Along = Rank == 3 ? 1 : 0>
struct device_tiles {
  using tune = stencil_tuning<Exec>;
  using policy = Kokkos::TeamPolicy<Exec, registers_of_teams<tune::team, tune::teams>>;
  using member = typename policy::member_type;
  using input = In;
  // Axes of the grid; arrays of two axes are one plane.
  static constexpr int across = 2, along = Along, plane = 1 - Along;
  static constexpr int rank = Rank, strip = Strip;
  static constexpr bool reversed = Reversed;

  grid_boxes boxes;
  grid_output<Out> out;
  grid_input<const In*> in;
  window_extents window;
  int threads_across = 1, columns = 1;  // threads side by side, of which so many compute columns
  int rows = 1;                         // of a tile
  int tiles_across = 1, tiles_along = 1;

  device_tiles(const grid_boxes& cells, const grid_output<Out>& to, const grid_input<const In*>& from,
               const window_extents& w)
      : boxes(cells), out(to), in(from), window(w) {}
  /// Teams whose windows reach as many columns as they have threads side by side.
  void shape(int threads, int window_columns) {
    threads_across = threads;
    columns = threads - window_columns + 1;
    rows = tune::team / threads_across * Strip;
    tiles_across = static_cast<int>((boxes.all.extent(across) + columns - 1) / columns);
    tiles_along = static_cast<int>((boxes.all.extent(along) + rows - 1) / rows);
  }

  /// Of arrays that are much lower than a tile, most threads would compute nothing; and windows must not reach so far
  /// beyond an axis that it has to be continued twice.
  bool worthwhile() const { return boxes.all.extent(along) >= Strip && boxes.all.cells() > 0 && boxes.continued_once; }
  int teams() const { return static_cast<int>(std::int64_t{tiles_across} * tiles_along * boxes.all.extent(plane)); }

  KOKKOS_FUNCTION grid_index corner(int tile) const {
    grid_index c;
    c.of[across] = boxes.all.low[across] + tile % tiles_across * columns;
    tile /= tiles_across;
    c.of[along] = boxes.all.low[along] + tile % tiles_along * rows;
    c.of[plane] = boxes.all.low[plane] + tile / tiles_along;
    return c;
  }
  template <class Member>
  KOKKOS_FUNCTION int column_of(const Member& team) const {
    return team.team_rank() % threads_across;
  }
  /// The first row of a thread.
  template <class Member>
  KOKKOS_FUNCTION int first_row(const Member& team) const {
    return team.team_rank() / threads_across * Strip;
  }
  /// Rows and columns of the tile whose cells are computed.
  KOKKOS_FUNCTION int rows_at(const grid_index& corner) const {
    return static_cast<int>(Kokkos::min<std::int64_t>(rows, boxes.all.high[along] - corner.of[along]));
  }
  KOKKOS_FUNCTION int columns_at(const grid_index& corner) const {
    return static_cast<int>(Kokkos::min<std::int64_t>(columns, boxes.all.high[across] - corner.of[across]));
  }

  /// Calls f(next), where next() gives the values of the input, or what continues it, of the rows from a cell on, each
  /// `step` below the one before. Of the `height` rows that f reads, those before `needed` matter.
  template <class F>
  KOKKOS_FUNCTION void with_column(const grid_index& from, int height, int needed, int step, const F& f) const {
    const auto within = [&](int a, int count) { return from.of[a] >= 0 && from.of[a] + count <= boxes.extent[a]; };
    if (within(plane, 1) && within(along, height) && within(across, 1)) {
      const In* at = in.template at<false>(from);
      const std::int64_t stride = step * in.stride[along];
      f([&] {
        const In value = *at;
        at += stride;
        return value;
      });
    } else {
      // In the order of the array's axes, of which later ones win.
      constexpr int before = Reversed ? across : plane, after = Reversed ? plane : across;
      grid_index cell = from;
      In value_before{}, value_after{};
      const bool constant_before = look_up(before, cell.of[before], value_before);
      const bool constant_after = look_up(after, cell.of[after], value_after);
      std::int64_t row = from.of[along];
      const std::int64_t last = row + needed - 1;
      f([&] {
        cell.of[along] = Kokkos::min(row, last);
        row += step;
        In value = value_before;
        const bool constant = look_up(along, cell.of[along], value) || constant_before;
        return constant_after ? value_after : constant ? value : *in.template at<false>(cell);
      });
    }
  }
  /// Copies `height` rows of `width` columns to a team's scratch memory, the first from a cell on.
  template <class Member>
  KOKKOS_FUNCTION void load(const Member& team, In* tile, grid_index from, int height, int width) const {
    constexpr int at_once = 4;
    const int row = team.team_rank() / threads_across, step = tune::team / threads_across;
    if (column_of(team) >= width) return;
    from.of[along] += row;
    from.of[across] += column_of(team);
    In* to = tile + team.team_rank();
    with_column(from, height - row, height - row, step, [&](const auto& next) {
      for (int left = height - row; left > 0; left -= at_once * step, to += at_once * tune::team) {
        In v[at_once];
        for (int k = 0; k < at_once; ++k)
          if (k * step < left) v[k] = next();
        for (int k = 0; k < at_once; ++k)
          if (k * step < left) to[k * tune::team] = v[k];
      }
    });
  }
  template <class Member, class S, class Finish>
  KOKKOS_FUNCTION void store(const Member& team, const grid_index& corner, const S (&sums)[Strip],
                             const Finish& finish) const {
    const int column = column_of(team), first = first_row(team), left = rows_at(corner) - first;
    if (column >= columns_at(corner)) return;
    Out* to = out.template at<false>(corner) + column * out.stride[across] + first * out.stride[along];
    for (int r = 0; r < Strip; ++r, to += out.stride[along])
      if (r < left) *to = convert<Out>(finish(sums[r]));
  }

 private:
  /// Finds the index that continues an axis at i, or the constant that does; true for the latter.
  KOKKOS_FUNCTION bool look_up(int a, std::int64_t& i, In& constant) const {
    if (i >= 0 && i < boxes.extent[a]) return false;
    const bool low = i < 0;
    const continuation &below = boxes.continued_at[a][0], &above = boxes.continued_at[a][1];
    i = low ? below.from + below.slope * i : above.from + above.slope * i;
    if ((low ? boxes.mode[a][0] : boxes.mode[a][1]) != boundary::mode::constant) return false;
    constant = low ? in.beyond[a][0] : in.beyond[a][1];
    return true;
  }
};

/// What threads make of values of type T, once, before these go into several sums S.
template <class S, class T>
using column_value = std::conditional_t<std::is_floating_point_v<S>, S, promoted<T>>;

/// Adds the terms of a window of `count` rows to the sums of Rows cells of a column: add(sums[r], k, value of row r +
/// k), where next() gives the values one after the other.
template <int Rows, class S, class Next, class Add>
KOKKOS_FUNCTION void add_column(S (&sums)[Rows], int count, const Next& next, const Add& add) {
  constexpr int block = 4;
  column_value<S, decltype(next())> v[Rows - 1 + block];
  for (int r = 0; r < Rows - 1; ++r) v[r] = next();
  int k = 0;
  for (; k + block <= count; k += block) {
    for (int b = 0; b < block; ++b) v[Rows - 1 + b] = next();
    for (int b = 0; b < block; ++b)
      for (int r = 0; r < Rows; ++r) add(sums[r], k + b, v[r + b]);
    for (int r = 0; r < Rows - 1; ++r) v[r] = v[r + block];
  }
  for (int b = 0; b < block - 1; ++b) {
    if (k + b < count) {
      v[Rows - 1 + b] = next();
      for (int r = 0; r < Rows; ++r) add(sums[r], k + b, v[r + b]);
    }
  }
}

/// The rows of a strip: fewer where sums and values take several registers.
template <class S>
inline constexpr int strip_rows = sizeof(S) > 8   ? 4
                                  : sizeof(S) > 4 ? 8
                                                  : 16;

}  // namespace quern::impl

#endif
