// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_ASSIGN_MEMORY_HPP
#define QUERN_ANALYSIS_ASSIGN_MEMORY_HPP

#include <algorithm>
#include <cstdint>

namespace quern::impl {

/// What a team of a device shares while it assigns points to clusters: a tile of points, one of clusters and in its
/// place the best of each thread, the labels of the points, and where there is room the sums and the counts of the
/// team's part. In bytes from the start of the memory; what is not there is empty.
struct assign_memory {
  static constexpr int alignment = 16;  // of packs
  static constexpr int passes = 2;      // in which threads show their best, so that it fits in that place
  std::int32_t best, labels, sums, counts, end;
  bool has_sums, has_counts;

  /// The points of a pass, and the best values that the threads find for them.
  template <class Tile>
  static constexpr int pass_points = Tile::points / passes;
  template <class Tile>
  static constexpr int best_values = pass_points<Tile> * Tile::threads_across;

  /// @param groups of sums of a part; 0 where none are wanted
  /// @param room   in bytes, for a team
  template <class Tile, class T>
  static assign_memory of(std::int64_t columns, std::int64_t clusters, int groups, std::int64_t room) {
    constexpr std::int64_t of_points = Tile::x_values * sizeof(T);
    constexpr std::int64_t of_clusters = std::max<std::int64_t>((Tile::values - Tile::x_values) * sizeof(T),
                                                                best_values<Tile> * (sizeof(T) + sizeof(std::int32_t)));
    constexpr std::int64_t of_labels = Tile::points * sizeof(std::int32_t);
    static_assert(of_clusters % sizeof(T) == 0 && of_labels % sizeof(T) == 0);
    const std::int64_t of_sums = groups * clusters * columns * static_cast<std::int64_t>(sizeof(T)),
                       of_counts = (clusters + 1) * static_cast<std::int64_t>(sizeof(std::uint32_t));
    const std::int64_t left = room - alignment - of_points - of_clusters - of_labels;
    const bool with_sums = groups > 0 && of_sums <= left;
    const std::int64_t behind_sums = with_sums ? left - of_sums : left;
    const bool with_counts = of_counts <= behind_sums;
    assign_memory m{};
    m.best = static_cast<std::int32_t>(of_points);
    m.labels = m.best + static_cast<std::int32_t>(of_clusters);
    m.sums = m.labels + static_cast<std::int32_t>(of_labels);
    m.counts = m.sums + static_cast<std::int32_t>(with_sums ? of_sums : 0);
    m.end = m.counts + static_cast<std::int32_t>(with_counts ? of_counts : 0);
    m.has_sums = with_sums;
    m.has_counts = with_counts;
    return m;
  }
  /// What a team asks for.
  std::int64_t bytes() const { return end + alignment; }
};

}  // namespace quern::impl

#endif
