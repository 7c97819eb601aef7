// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_TUNING_HPP
#define QUERN_FITS_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of sums of products (bench_fits: linear_regression).
template <execution_space Exec>
struct fits_tuning : tuning<Exec> {
  /// The columns of a block, of whose products with another block a thread has the sums in registers: 36 on a device,
  /// where more spill, and whole vector registers on a host.
  static constexpr int block = is_device<Exec> ? 6 : 8;
  /// Threads of a team, of which several fit on a multiprocessor, so that some read while others multiply.
  static constexpr int threads = is_device<Exec> ? 128 : 1;
  /// Teams that a multiprocessor must have registers for.
  static constexpr int teams_at_once = 3;
  /// Elements of a tile that a thread of a device reads while it multiplies; more spill.
  static constexpr int slots = 8;
  /// The rows of a tile on a host.
  static constexpr int host_rows = 64;
  /// Teams at most, each with sums of its own, which are then added up in order.
  static constexpr int teams = 792;
  /// The same where lanes multiply matrices, and threads of a team: as many as run at a time on a large device. Of up
  /// to 16 columns, twice as many have registers.
  static constexpr int lane_threads = 128, lane_teams_at_once = 3;
  static constexpr int lane_teams = 132 * lane_teams_at_once;
};

}  // namespace quern::impl

#endif
