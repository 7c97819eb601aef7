// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_TUNING_HPP
#define QUERN_STENCIL_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of stencils and filters, which bench_stencil decides.
template <execution_space Exec>
struct stencil_tuning : tuning<Exec> {
  /// Threads of a team, of which in three dimensions so many rows are adjacent, and the teams at a time on one
  /// multiprocessor.
  static constexpr int team = 256;
  static constexpr int rows = 4;
  static constexpr int teams = is_device<Exec> ? 4 : 0;

  /// Bytes of the neighbourhoods that a thread holds in registers at most; and those beyond which half as many teams
  /// run, so that each thread has more registers.
  static constexpr std::size_t rolling_bytes = 384;
  static constexpr std::size_t rolling_bytes_of_all_teams = 128;

  /// Where rows are not aligned: the cells along the walk that a thread computes at once at most, and the bytes of
  /// their neighbourhoods.
  static constexpr int depth = 8;
  static constexpr std::size_t rolling_bytes_of_blocks = 300;

  /// Walks for each thread that the device runs at once: many short ones leave a shorter end in which few teams run,
  /// few long ones load fewer planes twice. Of columns, where rows are not aligned, a walk is one cell wide.
  static constexpr int walks = 2;
  static constexpr int walks_of_columns = 6;

  /// Threads of a team side by side in a filter of wide windows, unless these are so wide that all have to be.
  static constexpr int narrow_team = 128;

  /// Bytes of the states of reductions that the threads of a team share at a time: those of all threads, unless they
  /// are so large that a multiprocessor would hold few teams, or none.
  static constexpr std::size_t state_bytes = 32 << 10;

  /// Bytes that a host thread reads of the planes that it needs at a time, so that they stay in its second cache.
  static constexpr int block_bytes = 512 << 10;

  /// Rows that a host thread takes at a time, so that short ones do not wait for the copy of the kernel that it works
  /// with.
  static constexpr int host_rows = 16;

  /// Cells of short rows that it takes at a time; and how many times the border all cells may be for rows to be
  /// computed whole: long ones otherwise leave the border for a second walk, and may be written past the caches
  /// (bench_short_rows).
  static constexpr int host_cells = 2048;
  static constexpr int border_ratio = 128;
  static constexpr int short_border_ratio = 32;

  /// Cells of an array whose interior and border one launch computes on hosts: a second one takes longer than the time
  /// for which a thread with border cells alone may keep the others waiting.
  static constexpr int one_launch = 4096;

  /// Results of rolling windows that a thread takes together, and elements of the blocks that wide windows consist of.
  static constexpr int rolling_block = is_device<Exec> ? 16 : 64;

  /// Cells of the windows along an axis whose extremes of so many bytes are found cell by cell, on hosts in vectors.
  /// Those of wider ones take the same time for all widths.
  static constexpr int widest_extreme(int bytes) { return is_device<Exec> ? 63 : bytes > 2 ? 31 : 96 / bytes; }

  /// Bytes of the sums of adjacent windows that a host thread forms together, in its first cache.
  static constexpr int summed_bytes = 1024;
};

}  // namespace quern::impl

#endif
