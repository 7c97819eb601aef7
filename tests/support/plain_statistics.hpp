// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_PLAIN_STATISTICS_HPP
#define QUERN_TESTS_SUPPORT_PLAIN_STATISTICS_HPP

/// @file
/// What plain loops in long double find of an array's elements.

#include <cmath>
#include <cstdint>
#include <vector>

namespace test {

struct plain_statistics {
  std::int64_t count = 0;
  long double product = 1, mean = 0, norm = 0, least = INFINITY, greatest = -INFINITY;
  long double squares = 0;  // of the distances from the mean

  template <class T>
  explicit plain_statistics(const std::vector<T>& values) : count(static_cast<std::int64_t>(values.size())) {
    for (const long double v : values) {
      product *= v;
      mean += v;
      norm += v * v;
      least = std::fmin(least, v);
      greatest = std::fmax(greatest, v);
    }
    mean /= count;
    norm = std::sqrt(norm);
    for (const long double v : values) squares += (v - mean) * (v - mean);
  }
  /// NaN, as NumPy's, of no more elements than `ddof`.
  long double var(std::int64_t ddof = 0) const { return count > ddof ? squares / (count - ddof) : NAN; }
};

}  // namespace test

#endif
