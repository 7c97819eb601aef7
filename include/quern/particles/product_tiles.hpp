// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_PRODUCT_TILES_HPP
#define QUERN_PARTICLES_PRODUCT_TILES_HPP

/// @file
/// On devices: `|y|^2 / 2 - x y` of a tile of rows x and tiles of rows y, in registers, where both are stored in the
/// order in which teams read them. The sums are those of row_tiles.hpp, to the bit.

#include <quern/core/launch/copy_ahead.hpp>
#include <quern/core/launch/pack_types.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/particles/row_tiles.hpp>

namespace quern::impl {

/// Rows in tiles of `Together` rows, each column by column; columns and rows are filled up with zeros.
template <class T, int Together>
struct tiled_rows {
  T* values;
  int columns;

  KOKKOS_FUNCTION T* tile(std::int64_t number) const { return values + number * columns * Together; }
  /// The first value of a row; the others are `Together` apart.
  KOKKOS_FUNCTION T* row(std::int64_t i) const { return tile(i / Together) + i % Together; }
};

/// A team's tile of rows x against tiles of rows y, of which each thread has a block of sums. While it multiplies some
/// columns, which are in shared memory, the next ones are on their way from global memory.
template <class T>
struct product_tile {
  static constexpr int team = 256, threads_down = 16, threads_across = 16;
  static constexpr int down = sizeof(T) == 4 ? 8 : 4, across = 8;  // of a thread's block: half its registers
  static constexpr int points = threads_down * down, others = threads_across * across;
  static constexpr int depth = 8;  // columns at a time: enough work until the next ones are there (bench_analysis: knn)
  static constexpr int width = 16 / sizeof(T);
  static constexpr int x_values = depth * points, y_values = depth * others;
  static constexpr int values = 2 * (x_values + y_values);  // of shared memory
  static_assert(team == threads_down * threads_across);
  using sums = T[down][across];
  using packed = pack<T, width>;

  static std::int64_t padded_columns(std::int64_t columns) { return (columns + depth - 1) / depth * depth; }

  /// The place of a thread's block. Of each 32 threads that run together, 4 are below and 8 beside each other, in the
  /// order in which wide loads of the same values by several of them take no further cycles.
  struct place {
    int row, column;
    KOKKOS_FUNCTION explicit place(int rank)
        : row(rank / 64 * 4 + rank % 32 / 16 * 2 + rank % 2), column(rank / 32 % 2 * 8 + rank / 2 % 8) {}
    /// Which row of the tile the i-th of the block is, and the same of the rows y.
    KOKKOS_FUNCTION int point(int i) const { return (i / width * threads_down + row) * width + i % width; }
    KOKKOS_FUNCTION int other(int i) const { return (i / width * threads_across + column) * width + i % width; }
  };

  T *x, *y;
  KOKKOS_FUNCTION explicit product_tile(T* shared) : x(shared), y(shared + 2 * x_values) {}

  /// Calls f(sums, first) for each of `count` tiles of y from number `first_tile` on, the first row of which is
  /// `first`. They and x have `steps` times `depth` columns. All threads of a team call it, and f lets them wait for
  /// each other, at least once.
  template <class Member, class F>
  KOKKOS_FUNCTION void compare(const Member& member, const T* x_tile, const tiled_rows<T, others>& rows,
                               const T* half_squares, int steps, std::int64_t first_tile, int count, const F& f) const {
    if (count == 0) return;
    const int rank = member.team_rank();
    const place at(rank);
    auto first = static_cast<std::int32_t>(first_tile) * others;
    T half[across];
    load_packs(half, half_squares + first + at.column * width, threads_across * width);
    const T *x_next = x_tile + rank * width, *y_next = rows.tile(first_tile) + rank * width;
    int all_left = steps * count;  // whether it is odd says which half of the memory has what is multiplied next
    ahead next;
    next.load(*this, all_left & 1, x_next, y_next, rank);
    next.store(*this, all_left & 1, rank);
    member.team_barrier();
    do {
      sums sum;
      for (int p = 0; p < down; ++p)
        for (int o = 0; o < across; ++o) sum[p][o] = half[o];
      int left = steps;
      do {
        const bool last = --left == 0;
        x_next += last ? (1 - steps) * x_values : x_values;
        if (--all_left > 0) y_next += y_values;  // behind the last ones these once more
        next.load(*this, all_left & 1, x_next, y_next, rank);
        add(sum, ~all_left & 1, at);
        next.store(*this, all_left & 1, rank);
        if (last) break;
        member.team_barrier();
      } while (true);
      const std::int32_t ahead_by = all_left > 0 ? others : 0;
      load_packs(half, half_squares + first + ahead_by + at.column * width, threads_across * width);
      f(sum, first);
      first += others;
    } while (all_left > 0);
  }

  /// Packs that are so many values apart.
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void load_packs(T (&to)[N], const T* from, int apart) {
    for (int u = 0; u < N / width; ++u) {
      const auto part = *reinterpret_cast<const packed*>(from + u * apart);
      for (int v = 0; v < width; ++v) to[u * width + v] = part.value[v];
    }
  }

 private:
  /// What a thread copies to shared memory: the next columns.
  struct ahead {
    static constexpr int x_packs = x_values / (width * team), y_packs = y_values / (width * team);
    static_assert(x_packs * width * team == x_values && y_packs * width * team == y_values);
    copies_ahead<packed, x_packs> of_x;
    copies_ahead<packed, y_packs> of_y;

    static KOKKOS_FORCEINLINE_FUNCTION packed* packs_at(T* to, int u, int rank) {
      return reinterpret_cast<packed*>(to) + u * team + rank;
    }
    KOKKOS_FORCEINLINE_FUNCTION void load(const product_tile& to, int half, const T* x_own, const T* y_own, int rank) {
      const auto* from_x = reinterpret_cast<const packed*>(x_own);
      const auto* from_y = reinterpret_cast<const packed*>(y_own);
      for (int u = 0; u < x_packs; ++u) of_x.load(u, packs_at(to.x + half * x_values, u, rank), from_x + u * team);
      for (int u = 0; u < y_packs; ++u) of_y.load(u, packs_at(to.y + half * y_values, u, rank), from_y + u * team);
    }
    KOKKOS_FORCEINLINE_FUNCTION void store(const product_tile& to, int half, int rank) const {
      for (int u = 0; u < x_packs; ++u) of_x.store(u, packs_at(to.x + half * x_values, u, rank));
      for (int u = 0; u < y_packs; ++u) of_y.store(u, packs_at(to.y + half * y_values, u, rank));
      of_x.wait();
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION void add(sums& sum, int half, const place& at) const {
    const T* from_x = x + half * x_values + at.row * width;
    const T* from_y = y + half * y_values + at.column * width;
    unrolled<0, depth>([&](auto t) {
      T a[down], b[across];
      load_packs(a, from_x + t * points, threads_down * width);
      load_packs(b, from_y + t * others, threads_across * width);
      for (int p = 0; p < down; ++p)
        for (int o = 0; o < across; ++o) sum[p][o] = Kokkos::fma(-a[p], b[o], sum[p][o]);
    });
  }
};

}  // namespace quern::impl

#endif
