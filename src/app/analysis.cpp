// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads of analysis.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <quern/analysis.hpp>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/particles.hpp>
#include <quern/random.hpp>
#include <utility>
#include <vector>

#include "workload.hpp"

namespace app {
namespace {

using cube = device_view<std::uint8_t***>;

struct below {
  float bound;
  KOKKOS_FUNCTION std::uint8_t operator()(float v) const { return v < bound ? 1 : 0; }
};

/// Numbers the features of the first planes of a cube, connected along its axes, by filling one after the other.
std::vector<std::int32_t> filled(const cube::host_mirror_type& mask, std::int64_t planes) {
  const std::int64_t n = mask.extent(1), size = planes * n * n;
  const std::uint8_t* cell = mask.data();
  std::vector<std::int32_t> labels(size);
  std::vector<std::int64_t> open;
  std::int32_t features = 0;
  for (std::int64_t first = 0; first < size; ++first) {
    if (cell[first] == 0 || labels[first] != 0) continue;
    ++features;
    const auto add = [&](std::int64_t i) {
      if (cell[i] == 0 || labels[i] != 0) return;
      labels[i] = features;
      open.push_back(i);
    };
    add(first);
    while (!open.empty()) {
      const std::int64_t i = open.back();
      open.pop_back();
      if (i % n > 0) add(i - 1);
      if (i % n < n - 1) add(i + 1);
      if (i / n % n > 0) add(i - n);
      if (i / n % n < n - 1) add(i + n);
      if (i >= n * n) add(i - n * n);
      if (i < size - n * n) add(i + n * n);
    }
  }
  return labels;
}

measurement label(const settings& s, std::int64_t n) {
  const auto density = uninitialized<device_view<float***>>("density", n, n, n);
  const auto mask = uninitialized<cube>("mask", n, n, n);
  const auto labels = uninitialized<device_view<std::int32_t***>>("labels", n, n, n);
  const device_view<std::int64_t> number("number");
  quern::random::uniform(s.exec, density, quern::random::key(1));
  quern::map(s.exec, mask, below{0.3f}, density);
  measurement m = timed(s, {n, n, n}, 5.0 * static_cast<double>(n * n * n), 0,
                        [&] { quern::label(s.exec, labels, mask, quern::size_to{number}); });
  const auto cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mask);
  const auto expected = filled(cells, n);
  const auto found = quern::to_host(labels);
  m.verified = all_right(n * n * n, [&](std::int64_t i) { return found.data()[i] == expected[i]; });
  m.baseline_seconds = time_baseline(n, [&](std::int64_t planes) { keep(filled(cells, planes)[0]); });
  return m;
}

/// Clusters of the first points by lists of cells: DBSCAN as its paper has it, from one core point after the other.
std::vector<std::int32_t> clusters_of(const host_view<double**>& points, std::int64_t n, double radius, int least) {
  const std::int64_t side = std::max<std::int64_t>(static_cast<std::int64_t>(1 / radius) - 1, 1);
  std::vector<std::vector<std::int32_t>> cells(side * side * side);
  const auto cell_of = [&](std::int64_t i, int d) {
    return static_cast<std::int64_t>(points(i, d) * static_cast<double>(side));
  };
  for (std::int64_t i = 0; i < n; ++i)
    cells[(cell_of(i, 0) * side + cell_of(i, 1)) * side + cell_of(i, 2)].push_back(static_cast<std::int32_t>(i));
  const auto near = [&](std::int64_t i) {
    std::vector<std::int32_t> found;
    for (std::int64_t c = 0; c < 27; ++c) {
      const std::int64_t at[] = {cell_of(i, 0) + c / 9 - 1, cell_of(i, 1) + c / 3 % 3 - 1, cell_of(i, 2) + c % 3 - 1};
      if (std::any_of(at, at + 3, [&](std::int64_t a) { return a < 0 || a >= side; })) continue;
      for (const std::int32_t j : cells[(at[0] * side + at[1]) * side + at[2]]) {
        double sum = 0;
        for (int d = 0; d < 3; ++d) sum += (points(i, d) - points(j, d)) * (points(i, d) - points(j, d));
        if (sum <= radius * radius) found.push_back(j);
      }
    }
    return found;
  };
  std::vector<std::int32_t> labels(n, -1), open;
  std::vector<char> seen(n);
  std::int32_t clusters = 0;
  for (std::int64_t first = 0; first < n; ++first) {
    if (labels[first] >= 0 || seen[first] != 0) continue;
    open.assign(1, static_cast<std::int32_t>(first));
    bool core = false;
    while (!open.empty()) {
      const std::int32_t i = open.back();
      open.pop_back();
      if (seen[i] != 0) continue;
      const auto around = near(i);
      seen[i] = 1;
      if (std::cmp_less(around.size(), least)) continue;
      core = true;
      labels[i] = clusters;
      for (const std::int32_t j : around) {
        if (labels[j] < 0) labels[j] = clusters;
        if (seen[j] == 0) open.push_back(j);
      }
    }
    clusters += core ? 1 : 0;
  }
  return labels;
}

measurement dbscan(const settings& s, std::int64_t n) {
  constexpr int least = 5;
  // So that a sphere holds about as many points as a core point needs.
  const double radius = 0.01 * std::cbrt(1e6 / static_cast<double>(n));
  const auto points = uninitialized<device_view<double**>>("points", n, 3);
  const auto labels = uninitialized<device_view<std::int32_t*>>("labels", n);
  const device_view<std::int64_t> number("number");
  quern::random::uniform(s.exec, points, quern::random::key(1));
  const quern::domain box({0, 0, 0}, {1, 1, 1});
  measurement m = timed(s, {n}, 28.0 * static_cast<double>(n), 0,
                        [&] { quern::dbscan(s.exec, labels, points, box, radius, least, quern::size_to{number}); });
  const auto host = quern::to_host(points);
  const auto found = quern::to_host(labels);
  const auto expected = clusters_of(host, n, radius, least);
  m.verified = all_right(n, [&](std::int64_t i) { return found(i) == expected[i]; });
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) { keep(clusters_of(host, k, radius, least)[0]); });
  return m;
}

/// The sum of the squared distances of the first points from the nearest of some centres, and which these are: a
/// baseline for one iteration.
double nearest_squares(const host_view<double**>& points, const host_view<double**>& centers, std::int64_t n,
                       std::vector<std::int32_t>& nearest) {
  double all = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < centers.extent(0); ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < centers.extent(1); ++t)
        sum += (points(i, t) - centers(j, t)) * (points(i, t) - centers(j, t));
      if (sum >= least) continue;
      least = sum;
      nearest[i] = static_cast<std::int32_t>(j);
    }
    all += least;
  }
  return all;
}

measurement kmeans(const settings& s, std::int64_t n) {
  constexpr int columns = 16, iterations = 10;
  const std::int64_t clusters = std::min<std::int64_t>(64, n);
  const auto points = uninitialized<device_view<double**>>("points", n, columns);
  const auto centers = uninitialized<device_view<double**>>("centers", clusters, columns);
  const auto labels = uninitialized<device_view<std::int32_t*>>("labels", n);
  quern::random::normal(s.exec, points, quern::random::key(1));
  const auto initial = Kokkos::subview(points, std::pair<std::int64_t, std::int64_t>(0, clusters), Kokkos::ALL());
  quern::kmeans_result found{};
  const double size = static_cast<double>(n);
  measurement m = timed(s, {n, columns}, iterations * (8.0 * columns + 8) * size,
                        2.0 * iterations * columns * static_cast<double>(clusters) * size, [&] {
                          found = quern::kmeans(s.exec, centers, labels, points, initial,
                                                quern::max_iterations{iterations}, quern::tolerance{.relative = 0});
                        });
  const auto host = quern::to_host(points), means = quern::to_host(centers);
  const auto of_points = quern::to_host(labels);
  std::vector<std::int32_t> nearest(n);
  const double squares = nearest_squares(host, means, n, nearest);
  m.verified = std::abs(squares - found.inertia) <= 1e-10 * squares + 1e-20 * size &&
               all_right(n, [&](std::int64_t i) { return of_points(i) == nearest[i]; });
  m.baseline_seconds =
      iterations * time_baseline(n, [&](std::int64_t k) { keep(nearest_squares(host, means, k, nearest)); });
  return m;
}

/// The least distances of the first queries from all points, in ascending order.
std::vector<double> least_distances(const host_view<double**>& queries, const host_view<double**>& points,
                                    std::int64_t count, std::int64_t k) {
  std::vector<double> least, all(points.extent(0));
  for (std::int64_t q = 0; q < count; ++q) {
    for (std::size_t i = 0; i < points.extent(0); ++i) {
      double sum = 0;
      for (std::size_t t = 0; t < points.extent(1); ++t)
        sum += (queries(q, t) - points(i, t)) * (queries(q, t) - points(i, t));
      all[i] = sum;
    }
    std::partial_sort(all.begin(), all.begin() + k, all.end());
    for (std::int64_t j = 0; j < k; ++j) least.push_back(std::sqrt(all[j]));
  }
  return least;
}

measurement knn(const settings& s, std::int64_t n) {
  constexpr int columns = 64;
  const std::int64_t m = std::max<std::int64_t>(n / 100, 1), k = std::min<std::int64_t>(n, 10);
  const auto points = uninitialized<device_view<double**>>("points", n, columns);
  const auto queries = uninitialized<device_view<double**>>("queries", m, columns);
  const auto neighbors = uninitialized<device_view<std::int32_t**>>("neighbors", m, k);
  const auto distances = uninitialized<device_view<double**>>("distances", m, k);
  quern::random::normal(s.exec, points, quern::random::key(1));
  quern::random::normal(s.exec, queries, quern::random::key(2));
  const double pairs = static_cast<double>(m) * static_cast<double>(n);
  measurement r = timed(s, {m, n, columns}, 8.0 * columns * static_cast<double>(m + n), 2.0 * columns * pairs,
                        [&] { quern::knn(s.exec, neighbors, distances, queries, points); });
  const auto host = quern::to_host(points), of = quern::to_host(queries), found = quern::to_host(distances);
  const std::int64_t checked = std::min<std::int64_t>(m, 200);
  const auto expected = least_distances(of, host, checked, k);
  r.verified = all_right(
      checked * k, [&](std::int64_t e) { return std::abs(found.data()[e] - expected[e]) <= 1e-12 * expected[e]; });
  r.baseline_seconds = time_baseline(m, [&](std::int64_t count) { keep(least_distances(of, host, count, k)[0]); });
  return r;
}

}  // namespace

std::vector<workload> analysis_workloads() {
  return {{"label", "uint8", "connected cells of a random mask, of which 0.3 are set", sizes(256, 512), arrays(9, 3),
           label},
          {"dbscan", "float64", "clusters of random points, about 5 within the radius", sizes(200'000, 1'000'000),
           arrays(100), dbscan},
          {"kmeans", "float64", "10 iterations of 64 clusters of normal points of 16 columns",
           sizes(100'000, 1'000'000), arrays(150), kmeans, bound::compute},
          {"knn", "float64", "the 10 nearest of normal points of 64 columns, for a hundredth as many queries",
           sizes(20'000, 200'000), arrays(1100), knn, bound::compute}};
}

}  // namespace app
