// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_DESCRIBED_COLUMN_HPP
#define QUERN_TABLE_DESCRIBED_COLUMN_HPP

#include <cmath>
#include <limits>
#include <vector>

namespace quern::impl {

/// What `Table::describe` tells of a column, without quantiles.
struct described_column {
  double count, mean, deviation, least, greatest;

  /// The same of all values from what is told of parts of them.
  static described_column joined(const std::vector<described_column>& parts) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    described_column all{0, nan, nan, nan, nan};
    double squares = 0;
    for (const auto& p : parts) {
      if (p.count == 0) continue;
      const double before = all.count;
      all.count += p.count;
      const double step = p.mean - all.mean, part = p.count / all.count;
      if (before == 0) all.mean = p.mean;
      else if (std::isfinite(step)) all.mean += step * part;
      else all.mean = all.mean * (before / all.count) + p.mean * part;  // of infinities, and where steps overflow
      all.least = all.least < p.least ? all.least : p.least;
      all.greatest = all.greatest > p.greatest ? all.greatest : p.greatest;
    }
    if (all.count == 0) return all;
    for (const auto& p : parts) {
      if (p.count == 0) continue;
      const double step = p.mean - all.mean;
      squares += p.count * step * step + (p.count > 1 ? (p.count - 1) * p.deviation * p.deviation : 0.0);
    }
    if (all.count > 1) all.deviation = std::sqrt(squares / (all.count - 1));
    return all;
  }
};

}  // namespace quern::impl

#endif
