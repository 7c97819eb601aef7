// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_ROW_TILES_HPP
#define QUERN_PARTICLES_ROW_TILES_HPP

/// @file
/// Which of some rows are near others: `|y|^2 / 2 - x y` for a tile of x and all rows y of a table, in registers. It
/// differs from half the squared distance by what is the same for all y. Both are taken about an origin amid the data,
/// so that little is lost where squares cancel. Each sum is a chain of fused operations in the order of the columns, so
/// that hosts and devices get the same bits.

#include <cstring>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/number_lanes.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <vector>

namespace quern::impl {

/// Rows of a matrix less an origin, which has a value for each column.
template <class T>
struct centred_rows {
  const T* data;
  std::int64_t step, across, count;
  int columns;
  const T* origin;

  centred_rows(const strided<const T>& x, const T* about)
      : data(x.data),
        step(x.stride[0]),
        across(x.stride[1]),
        count(x.extents.extent[0]),
        columns(static_cast<int>(x.extents.extent[1])),
        origin(about) {}
  KOKKOS_FUNCTION T at(std::int64_t i, int t) const { return data[i * step + t * across] - origin[t]; }
};

/// The rows y, beside each other and less the origin, and half their squares: infinity for one that is never near. On
/// hosts there are rows up to a multiple of `host_row_tile::together`.
template <class T>
struct row_table {
  const T* rows;
  const T* half_squares;
  std::int64_t count;
};

/// Whether a point with this square is at a distance from others at all: not with a NaN or an infinity.
template <class T>
KOKKOS_FUNCTION bool is_finite_square(T square) {
  return square <= Kokkos::Experimental::finite_max_v<T>;
}

/// On hosts: 64 rows x in columns, which stay in the cache, with `together` rows of the table at a time in registers.
template <class T>
struct host_row_tile {
  static constexpr int points = 64, together = 4;
  using lanes = number_lanes<T>;
  static constexpr int width = sizeof(lanes) / sizeof(T), vectors = sizeof(lanes) == 64 ? 4 : 2;

  T* x;  // of column t at x[t * points]
  int columns;
  alignas(64) T squares[points];

  /// Loads rows from `first` on, and zeros beyond `count` of them.
  void load(const centred_rows<T>& rows, std::int64_t first, int count) {
    for (int t = 0; t < columns; ++t) {
      T* to = x + std::int64_t{t} * points;
      for (int p = 0; p < count; ++p) to[p] = rows.at(first + p, t);
      for (int p = count; p < points; ++p) to[p] = 0;
    }
    for (int p = 0; p < points; ++p) squares[p] = 0;
    for (int t = 0; t < columns; ++t)
      for (int p = 0; p < points; ++p)
        squares[p] =
            minus_product<false>(squares[p], -x[std::int64_t{t} * points + p], x[std::int64_t{t} * points + p]);
  }
  /// The values of all rows x with those from j on of the table.
  template <bool Exact>
  void compare(const row_table<T>& table, std::int64_t j, T (&value)[together][points]) const {
    const T* y = table.rows + j * columns;
    for (int p = 0; p < points; p += vectors * width) {
      lanes sum[together][vectors];
      for (int i = 0; i < together; ++i)
        for (int v = 0; v < vectors; ++v) sum[i][v] = lanes{} + table.half_squares[j + i];
      for (int t = 0; t < columns; ++t) {
        lanes a[vectors];
        for (int v = 0; v < vectors; ++v) a[v] = load_lanes<lanes>(x + std::int64_t{t} * points + p + v * width);
        QUERN_IMPL_UNROLL_LOOP
        for (int i = 0; i < together; ++i) QUERN_IMPL_UNROLL_LOOP
        for (int v = 0; v < vectors; ++v)
          sum[i][v] = minus_product<Exact>(sum[i][v], a[v], y[std::int64_t{i} * columns + t]);
      }
      for (int i = 0; i < together; ++i)
        for (int v = 0; v < vectors; ++v) store_lanes(value[i] + p + v * width, sum[i][v]);
    }
  }
  static std::int64_t padded(std::int64_t count) { return (count + together - 1) / together * together; }
};

/// Such a tile with memory of its own.
template <class T>
struct tile_memory {
  std::vector<T> memory;
  host_row_tile<T> tile;
  explicit tile_memory(int columns)
      : memory(host_row_tile<T>::points * std::int64_t{columns} + 64 / sizeof(T)),
        tile{aligned(memory.data()), columns, {}} {}

 private:
  static T* aligned(T* p) { return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64); }
};

/// On devices: a team's tile of rows x and of rows of the table, of which each thread has a block of sums.
template <class T, int Across>
struct device_row_tile {
  static constexpr int team = 256, threads_across = 8, threads_down = team / threads_across;
  static constexpr int down = sizeof(T) == 4 ? 8 : 4, across = Across;  // of a thread's block
  static constexpr int points = threads_down * down, others = threads_across * across;
  static constexpr int depth = 16;
  static constexpr int down_pack = 16 / sizeof(T), across_pack = 16 / sizeof(T) < across ? 16 / sizeof(T) : across;
  static constexpr int x_pitch = points + 4, y_pitch = others + 4;
  static constexpr int x_values = depth * x_pitch;  // of shared memory
  static constexpr int values = x_values + depth * y_pitch + others;
  using sums = T[down][across];

  T *x, *y, *half_squares;
  KOKKOS_FUNCTION explicit device_row_tile(T* shared)
      : x(shared), y(shared + x_values), half_squares(y + depth * y_pitch) {}

  /// Which row of the tile the i-th of a thread's block is, and the same of the table.
  static KOKKOS_FUNCTION int point(int rank, int i) {
    return i / down_pack * threads_down * down_pack + rank / threads_across * down_pack + i % down_pack;
  }
  static KOKKOS_FUNCTION int other(int rank, int i) {
    return i / across_pack * threads_across * across_pack + rank % threads_across * across_pack + i % across_pack;
  }

  /// Calls f(sums, j) for blocks of the table's rows, the first of which is j, from row `begin` to before `end`. Adds
  /// to `square` that of row `rank` of the tile. All threads of a team call it. Rows of up to `depth` columns are in x
  /// after it, column by column.
  template <class Member, class F>
  KOKKOS_FUNCTION void compare(const Member& team_member, const centred_rows<T>& rows, std::int64_t first, int count,
                               const row_table<T>& table, std::int64_t begin, std::int64_t end, T& square,
                               const F& f) const {
    const int rank = team_member.team_rank(), columns = rows.columns;
    for (std::int64_t j = begin; j < end; j += others) {
      sums sum;
      for (int t0 = 0; t0 < columns; t0 += depth) {
        team_member.team_barrier();
        if (j == begin || columns > depth) load_points(rows, first, count, t0, rank);
        load_others(table, columns, j, end, t0, rank);
        team_member.team_barrier();
        if (t0 == 0) start(sum, rank);
        const int now = columns - t0 < depth ? columns - t0 : depth;
        if (j == begin && rank < points)
          for (int t = 0; t < now; ++t) square = Kokkos::fma(x[t * x_pitch + rank], x[t * x_pitch + rank], square);
        if (now == depth) {
          for (int t = 0; t < depth; ++t) add(sum, t, rank);
        } else {
          for (int t = 0; t < now; ++t) add(sum, t, rank);
        }
      }
      f(sum, j);
    }
  }

 private:
  KOKKOS_FUNCTION void load_points(const centred_rows<T>& rows, std::int64_t first, int count, int t0, int rank) const {
    constexpr int each = points * depth / team;
    const bool by_rows = rows.across <= rows.step;
    if (by_rows) {
      const int t = rank % depth, from = rank / depth;
      const bool inside = t0 + t < rows.columns;
      const T origin = inside ? rows.origin[t0 + t] : T(0);
      const T* data = rows.data + first * rows.step + (t0 + t) * rows.across;
      for (int e = 0; e < each; ++e) {
        const int p = from + e * (team / depth);
        x[t * x_pitch + p] = inside && p < count ? data[p * rows.step] - origin : T(0);
      }
    } else {
      const int p = rank % points, from = rank / points;
      for (int e = 0; e < each; ++e) {
        const int t = from + e * (team / points);
        x[t * x_pitch + p] = t0 + t < rows.columns && p < count ? rows.at(first + p, t0 + t) : T(0);
      }
    }
  }
  KOKKOS_FUNCTION void load_others(const row_table<T>& table, int columns, std::int64_t j, std::int64_t end, int t0,
                                   int rank) const {
    const int t = rank % depth;
    for (int i = rank / depth; i < others; i += team / depth)
      y[t * y_pitch + i] = t0 + t < columns && j + i < end ? table.rows[(j + i) * columns + t0 + t] : T(0);
    if (t0 == 0 && rank < others)
      half_squares[rank] = j + rank < end ? table.half_squares[j + rank] : Kokkos::Experimental::infinity_v<T>;
  }
  KOKKOS_FUNCTION void start(sums& sum, int rank) const {
    for (int i = 0; i < across; ++i) {
      const T half = half_squares[other(rank, i)];
      for (int p = 0; p < down; ++p) sum[p][i] = half;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(sums& sum, int t, int rank) const {
    T a[down], b[across];
    load_packs<down_pack>(a, x + t * x_pitch + rank / threads_across * down_pack, threads_down * down_pack);
    load_packs<across_pack>(b, y + t * y_pitch + rank % threads_across * across_pack, threads_across * across_pack);
    for (int p = 0; p < down; ++p)
      for (int i = 0; i < across; ++i) sum[p][i] = Kokkos::fma(-a[p], b[i], sum[p][i]);
  }
  template <int W, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void load_packs(T (&to)[N], const T* from, int apart) {
    for (int u = 0; u < N / W; ++u) {
      const auto part = *reinterpret_cast<const pack<T, W>*>(from + u * apart);
      for (int v = 0; v < W; ++v) to[u * W + v] = part.value[v];
    }
  }
};

}  // namespace quern::impl

#endif
