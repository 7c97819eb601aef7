// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_TUNING_HPP
#define QUERN_RANDOM_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of random fields, which bench_random decides.
template <execution_space Exec>
struct random_tuning : tuning<Exec> {
  /// Blocks of numbers that one thread draws together, and how often at most.
  static constexpr int blocks = 4;
  static constexpr int steps = 2;

  /// Where a first attempt refuses some numbers: the threads of a team that draws those together, the teams for which a
  /// multiprocessor must have registers, the numbers that a thread attempts side by side, and how often at most.
  /// (bench_sweep: gamma_2.5)
  static constexpr int retry_team = 256, retry_teams = 3, attempts = 2, retry_steps = 8;

  /// Distance of a thread's blocks: about the threads that run together.
  static constexpr std::int64_t span = 256;

  /// Bytes that a host thread writes at a time, which its first cache holds.
  static constexpr int run_bytes = 8192;
};

}  // namespace quern::impl

#endif
