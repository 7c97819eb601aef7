// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/analysis/kmeans_update.hpp>

namespace quern::impl {

kmeans_parts::kmeans_parts(std::int64_t n, std::int64_t row_bytes) {
  // Sums of a part stay in a device's shared memory and a core's cache if they fit; else they are in memory, once.
  constexpr std::int64_t max_groups = 16, fast_bytes = 64 << 10, all_bytes = 128 << 20;
  groups = 1;
  while (groups < max_groups && 2 * groups * row_bytes <= fast_bytes) groups *= 2;
  // Parts for two teams on each multiprocessor of a large device, twice, if they are long enough to be worth a sum.
  constexpr std::int64_t max_parts = 528, few_parts = 16, min_length = 1024, unit = 256;
  const std::int64_t room = std::max(few_parts, all_bytes / std::max<std::int64_t>(1, groups * row_bytes));
  const std::int64_t wanted = std::clamp<std::int64_t>((n + min_length - 1) / min_length, 1, std::min(max_parts, room));
  length = std::max(unit, ((n + wanted - 1) / wanted + unit - 1) / unit * unit);
  parts = (n + length - 1) / length;
}

std::vector<std::int64_t> kmeans_clusters::empty() const {
  std::vector<std::int64_t> without;
  for (std::int64_t j = 0; j < clusters; ++j)
    if (counts[j] == 0) without.push_back(j);
  return without;
}

void kmeans_clusters::move(const double* point, std::int64_t from, std::int64_t to) {
  for (int t = 0; t < columns; ++t) {
    sums[from * columns + t] -= point[t];
    sums[to * columns + t] = point[t];
  }
  counts[from] -= 1;
  counts[to] = 1;
}

double kmeans_clusters::update() {
  const auto largest = std::max_element(counts.begin(), counts.end() - 1) - counts.begin();
  double moved = 0;
  for (std::int64_t j = 0; j < clusters; ++j) {
    const std::int64_t from = counts[j] > 0 ? j : largest;
    for (int t = 0; t < columns; ++t) {
      const double mean = sums[from * columns + t] / static_cast<double>(counts[from]);
      const double step = mean - centers[j * columns + t];
      moved = std::fma(step, step, moved);
      centers[j * columns + t] = mean;
    }
  }
  return moved;
}

template <class T>
void kmeans_clusters::make_table(std::vector<T>& rows, std::vector<T>& half_squares, std::int64_t padded) const {
  rows.assign(padded * columns, T(0));
  half_squares.assign(padded, std::numeric_limits<T>::infinity());
  for (std::int64_t j = 0; j < clusters; ++j) {
    double square = 0;
    for (int t = 0; t < columns; ++t) {
      const T value = rows[j * columns + t] = static_cast<T>(centers[j * columns + t]);
      square = std::fma(static_cast<double>(value), static_cast<double>(value), square);
    }
    half_squares[j] = static_cast<T>(square / 2);
  }
}
template void kmeans_clusters::make_table(std::vector<float>&, std::vector<float>&, std::int64_t) const;
template void kmeans_clusters::make_table(std::vector<double>&, std::vector<double>&, std::int64_t) const;

}  // namespace quern::impl
