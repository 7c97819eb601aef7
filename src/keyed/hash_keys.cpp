// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <quern/keyed/hash_keys.hpp>

namespace quern::impl {

frequent_equally::frequent_equally(const key_sample& found) {
  const double s = found.samples, d = found.different[2];
  const auto different = [](double samples, double keys_of_all) {
    return -keys_of_all * std::expm1(-samples / keys_of_all);
  };
  double low = d, high = s * s;  // of which a sample is not expected to find one twice
  for (int step = 0; step < 50; ++step) {
    const double middle = std::sqrt(low * high);
    (different(s, middle) < d ? low : high) = middle;
  }
  keys = low;
  const double in_half = different(s / 2, keys), deviation = std::sqrt(std::max(0.0, s / 2 - in_half));
  likely = found.different[1] >= in_half - 4 * deviation;
}

double extrapolated_keys(const key_sample& found, double rows) {
  const double before = std::log2(found.different[1] / found.different[0]),
               last = std::log2(found.different[2] / found.different[1]), falls = std::max(0.0, before - last);
  double keys = found.different[2], exponent = last;
  for (double left = std::log2(rows / found.samples); left > 0; left -= 1) {
    exponent = std::max(0.0, exponent - falls);
    keys *= std::exp2(exponent * std::min(left, 1.0));
  }
  return keys;
}

}  // namespace quern::impl
