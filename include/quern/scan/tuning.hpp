// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_TUNING_HPP
#define QUERN_SCAN_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of scans and of segmented operations, which bench_scan decides.
template <execution_space Exec>
struct scan_tuning : tuning<Exec> {
  /// Teams at a time on one multiprocessor, so that some load while others wait, and their share of the threads that it
  /// can hold. Each team has several chunks, as not all teams are equally fast.
  static constexpr int teams = is_device<Exec> ? 4 : 0;
  static constexpr double occupancy = 0.5;
  static constexpr int waves = 4;

  /// Bytes and elements of a thread of a team that scans one tile in one pass, at most; its loads in flight; and the
  /// bytes of tiles on one multiprocessor at a time: as many as leave room for some that wait while others load.
  static constexpr int one_pass_bytes = 256, one_pass_items = 31;
  static constexpr int one_pass_loads = 16;
  static constexpr int one_pass_resident = 192 << 10;

  /// Loads of one thread in flight.
  static constexpr int batch = is_device<Exec> ? 8 : 16;

  /// Bytes that a host thread reads twice, the second time from its cache; and those of a block that it adds up.
  static constexpr int chunk_bytes = 256 << 10;
  static constexpr int block_bytes = 2048;

  /// Adjacent lines that a host thread scans together, and where threads share them.
  static constexpr int lines = 4096;
  static constexpr int shared_lines = 512;

  /// Elements of lines of which a host thread takes many at a time (bench_short_rows).
  static constexpr int short_line = 64;

  /// Threads of a team of a segmented operation, and its teams on one multiprocessor.
  static constexpr int segment_team = is_device<Exec> ? 128 : 1;
  static constexpr int segment_teams = is_device<Exec> ? 8 : 0;
};

}  // namespace quern::impl

#endif
