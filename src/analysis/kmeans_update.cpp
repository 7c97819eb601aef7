// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/analysis/kmeans_update.hpp>

namespace quern::impl {

namespace {

/// Sums of a part are in a device's shared memory beside a tile, and in a core's cache, if they fit there; else they
/// are in memory, once. Few clusters have several each, so that a sum need not wait for the one before.
int groups_of_sums(std::int64_t row_bytes, std::int64_t clusters) {
  constexpr std::int64_t max_groups = 16, fast_bytes = 16 << 10, enough = 64;
  int groups = 1;
  while (groups < max_groups && 2 * groups * row_bytes <= fast_bytes && 2 * groups * clusters <= enough) groups *= 2;
  return groups;
}

}  // namespace

std::int64_t kmeans_parts::most(std::int64_t n, std::int64_t row_bytes) {
  // Parts for two teams on each multiprocessor of a large device, twice, if they are long enough to be worth a sum.
  constexpr std::int64_t max_parts = 528, few_parts = 16, min_length = 1024, all_bytes = 128 << 20;
  const std::int64_t room = std::max(few_parts, all_bytes / std::max<std::int64_t>(1, row_bytes));
  return std::clamp<std::int64_t>((n + min_length - 1) / min_length, 1, std::min(max_parts, room));
}
kmeans_parts::kmeans_parts(std::int64_t n, std::int64_t row_bytes, std::int64_t clusters)
    : groups(groups_of_sums(row_bytes, clusters)) {
  const std::int64_t wanted = most(n, row_bytes);
  const std::int64_t unit = row_bytes == 0 ? 256 : kmeans_parts(n, 0).length;
  length = std::max(unit, ((n + wanted - 1) / wanted + unit - 1) / unit * unit);
  all = parts = (n + length - 1) / length;
}
kmeans_parts kmeans_parts::part(std::int64_t first_point, std::int64_t count) const {
  kmeans_parts p = *this;
  p.first = first_point / length;
  p.parts = (count + length - 1) / length;
  return p;
}

kmeans_parts kmeans_parts::with_clusters(std::int64_t row_bytes, std::int64_t clusters) const {
  kmeans_parts p = *this;
  p.groups = groups_of_sums(row_bytes, clusters);
  return p;
}

void far_points::take_farthest(const other_points& others) {
  far_points of_all(columns - 3, count * others.size());
  std::copy(values.begin(), values.end(), of_all.point(count * others.number()));
  others.sum_on_host(of_all.values.data(), static_cast<std::int64_t>(of_all.values.size()));
  std::vector<const double*> order(of_all.count);
  for (std::int64_t e = 0; e < of_all.count; ++e) order[e] = of_all.point(e);
  std::sort(order.begin(), order.end(),
            [](const double* a, const double* b) { return a[0] != b[0] ? a[0] > b[0] : a[1] < b[1]; });
  for (std::int64_t e = 0; e < count; ++e) std::copy(order[e], order[e] + columns, point(e));
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
    if (counts[from] == 0) continue;  // no point is of any cluster
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
