// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_ASSIGN_MEMORY_HPP
#define QUERN_ANALYSIS_ASSIGN_MEMORY_HPP

#include <algorithm>
#include <bit>
#include <cstdint>
#include <quern/analysis/tile_order.hpp>

namespace quern::impl {

/// What a team of a device shares while it assigns points to clusters: a tile of points, one of clusters and in its
/// place the best of each thread, the labels of the points, and where there is room the sums and the counts of the
/// team's part. In bytes from the start of the memory; what is not there is empty.
template <class Tile, class T>
struct assign_memory {
  static constexpr int alignment = 16;  // of packs
  static constexpr int passes = 2;      // in which threads show their best, so that it fits in that place
  static constexpr int pass_points = Tile::points / passes, best_values = pass_points * Tile::threads_across;

  static constexpr std::int32_t best = Tile::x_values * sizeof(T);
  static constexpr std::int32_t labels =
      best + std::max<std::int32_t>((Tile::values - Tile::x_values) * sizeof(T),
                                    best_values * (sizeof(T) + sizeof(std::int32_t)));
  static constexpr std::int32_t sums = labels + static_cast<std::int32_t>(Tile::points * sizeof(std::int32_t));
  static_assert(best % sizeof(T) == 0 && labels % sizeof(std::int32_t) == 0 && sums % sizeof(T) == 0);
  std::int32_t counts = sums, end = sums;
  bool has_sums = false, has_counts = false;

  /// @param groups of sums of a part; 0 where none are wanted
  /// @param room   in bytes, for a team
  assign_memory(std::int64_t columns, std::int64_t clusters, int groups, std::int64_t room) {
    const std::int64_t of_sums = groups * clusters * columns * static_cast<std::int64_t>(sizeof(T)),
                       of_counts = (clusters + 1) * static_cast<std::int64_t>(sizeof(std::uint32_t));
    has_sums = groups > 0 && sums + of_sums + alignment <= room;
    counts += static_cast<std::int32_t>(has_sums ? of_sums : 0);
    has_counts = counts + of_counts + alignment <= room;
    end = counts + static_cast<std::int32_t>(has_counts ? of_counts : 0);
  }
  /// What a team asks for.
  std::int64_t bytes() const { return end + alignment; }
};

/// The same where points have few columns, which a thread has in registers: the origin, rows of the table with half
/// their squares, the order of the points where sums are wanted, and where there is room the sums and the counts.
template <class T>
struct few_columns_memory {
  static constexpr int team = 128, teams = 4;  // on a multiprocessor
  static constexpr int columns = 16, each = sizeof(T) == 4 ? 4 : 2, points = team * each;
  static constexpr int pack_values = 16 / sizeof(T), alignment = 16;
  static constexpr int rows_together = 4, rows_at_once = 512 / sizeof(T);
  static constexpr std::int32_t rows = columns * sizeof(T);
  std::int32_t pitch, row_pitch;  // of a row of sums, and of a row of the table, of which there are a few lengths
  std::int32_t half_squares, order, sums, counts, end;
  bool has_sums, has_counts;

  static bool fits(std::int64_t d, std::int64_t clusters, int groups) {
    return d <= columns && static_cast<std::uint64_t>(groups * clusters) < tile_order<team, points>::max_keys;
  }
  /// Rows that are compared, with those that are never near.
  static constexpr KOKKOS_FUNCTION int padded(std::int64_t count) {
    return static_cast<int>((count + rows_together - 1) / rows_together * rows_together);
  }
  few_columns_memory(std::int64_t d, std::int64_t clusters, int groups, std::int64_t room)
      : pitch(static_cast<std::int32_t>(
            std::max<std::int64_t>(pack_values, std::bit_ceil(static_cast<std::uint64_t>(d))))),
        row_pitch(static_cast<std::int32_t>((d + 3) / 4 * 4)) {
    const int loaded = padded(std::min<std::int64_t>(clusters, rows_at_once));
    const std::int64_t of_sums = groups * clusters * pitch * static_cast<std::int64_t>(sizeof(T)),
                       of_counts = clusters * static_cast<std::int64_t>(sizeof(std::uint32_t));
    half_squares = rows + loaded * row_pitch * static_cast<std::int32_t>(sizeof(T));
    order = half_squares + loaded * static_cast<std::int32_t>(sizeof(T));
    sums = order + (groups > 0 ? tile_order<team, points>::bytes : 0);
    has_sums = groups > 0 && sums + of_sums + alignment <= room;
    counts = sums + static_cast<std::int32_t>(has_sums ? of_sums : 0);
    has_counts = counts + of_counts + alignment <= room;
    end = counts + static_cast<std::int32_t>(has_counts ? of_counts : 0);
  }
  std::int64_t bytes() const { return end + alignment; }
};

}  // namespace quern::impl

#endif
