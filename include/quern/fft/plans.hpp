// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_PLANS_HPP
#define QUERN_FFT_PLANS_HPP

#include <cstddef>
#include <cstdint>

namespace quern {

/// How many plans are cached, and what has been done with them.
struct fft_plan_usage {
  std::size_t cached = 0;
  std::int64_t made = 0;
  std::int64_t reused = 0;
};

/// The plans of all transforms. A plan belongs to the extents, the strides, the alignment, the type and the direction
/// of a transform, and on devices to the execution-space instance; on hosts to its number of threads. A call like an
/// earlier one plans nothing. Where there are more than the limit, the one that was not used for longest is given up.
/// When Kokkos is finalized, all are released.
///
/// All functions may be called by several host threads.
class fft_plans {
 public:
  static fft_plan_usage usage();

  /// At first 256. Plans of devices hold some memory there.
  static void set_limit(std::size_t count);
  static std::size_t limit();

  /// Releases all that no `FftPlan` holds.
  static void clear();
};

}  // namespace quern

#endif
