// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_TUNING_HPP
#define QUERN_BATCH_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of functions of the items of batches (bench_linalg: batched).
template <execution_space Exec>
struct batch_tuning : tuning<Exec> {
  /// Threads of a team that works on one item of a batch: a whole warp or wavefront, and the most.
  static constexpr int least_team = is_device<Exec> ? 32 : 1;
  static constexpr int max_team = is_device<Exec> ? 256 : 1;
};

}  // namespace quern::impl

#endif
