// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_TUNING_HPP
#define QUERN_ANALYSIS_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of features and clusters.
template <execution_space Exec>
struct analysis_tuning : tuning<Exec> {
  /// Cells of a line that are one tree from the start, a power of two: a device's thread looks for the start of its run
  /// itself. And cells that are worth a call on a host. (bench_analysis: label)
  static constexpr std::int64_t label_segment = is_device<Exec> ? 32 : 1 << 12;
  static constexpr std::int64_t label_tile = 1 << 12;
};

}  // namespace quern::impl

#endif
