// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Features of masks, clusters and near points. Bytes count inputs and results once.

#include <algorithm>
#include <cmath>
#include <memory>
#include <quern/analysis.hpp>
#include <quern/map.hpp>
#include <quern/particles.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <utility>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using mask_view = bench::view<std::uint8_t***>;
using label_view = bench::view<std::int32_t***>;

struct below {
  float bound;
  KOKKOS_FUNCTION std::uint8_t operator()(float v) const { return v < bound ? 1 : 0; }
};

/// Whether no cell beside another along an axis has another label, and labels are where the mask is set.
bool are_labels(const mask_view& mask, const label_view& labels) {
  const std::int64_t n = mask.extent(0);
  return bench::failures(
             n * n * n, KOKKOS_LAMBDA(std::int64_t i) {
               const std::int64_t x = i / n / n, y = i / n % n, z = i % n;
               const std::int32_t own = labels(x, y, z);
               const auto differs = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
                 return own != 0 && labels(a, b, c) != 0 && labels(a, b, c) != own;
               };
               return (own != 0) == (mask(x, y, z) != 0) && !(x > 0 && differs(x - 1, y, z)) &&
                      !(y > 0 && differs(x, y - 1, z)) && !(z > 0 && differs(x, y, z - 1));
             }) == 0;
}

/// Statistics of each cell over time, beside the mean and the squares as a program may write them (Welford), without
/// extrema and rounding errors. Bytes count a cell and its statistics once.
prepared running_statistics(const exec_space& exec, std::int64_t n) {
  const auto u = make_view<double*>("u", n), mean = make_view<double*>("mean", n),
             squares = make_view<double*>("m2", n);
  quern::random::normal(exec, u, quern::random::key(1));
  const quern::RunningStatistics<bench::view<double*>> cells(exec, n);
  const auto steps = std::make_shared<double>(0);
  prepared p{40.0 * static_cast<double>(n), 0, {}, {}, {}};
  const auto loop = [=] {
    const double count = ++*steps;
    Kokkos::parallel_for(
        "loop", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
          const double apart = u(i) - mean(i);
          mean(i) += apart / count;
          squares(i) += apart * (u(i) - mean(i));
        });
  };
  p.variants = {{"quern", [=] { cells.add(exec, u); }}, {"plain", loop}};
  p.poison = [=] {
    cells.reset(exec);
    for (const auto& v : {mean, squares}) Kokkos::deep_copy(v, 0);
    *steps = 0;
  };
  p.right = [=] {
    const bench::view<double*> found("found", n);
    cells.mean(exec, found);
    const double expected = quern::sum(exec, u), rounding = 1e-12 * static_cast<double>(n);
    return std::abs(quern::sum(exec, found) - expected) < rounding ||
           std::abs(quern::sum(exec, mean) - expected) < rounding;
  };
  return p;
}

prepared label_of(const exec_space& exec, const mask_view& mask) {
  const std::int64_t n = mask.extent(0);
  const auto labels = make_view<std::int32_t***>("labels", n, n, n);
  const Kokkos::View<std::int64_t, bench::memory_space> number("number");
  prepared p{5.0 * static_cast<double>(n * n * n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::label(exec, labels, mask, quern::size_to{number}); }}};
  p.poison = [=] { Kokkos::deep_copy(labels, -7); };
  p.right = [=] {
    std::int64_t found = 0;
    Kokkos::deep_copy(found, number);
    return are_labels(mask, labels) && quern::max(exec, labels) == found;
  };
  return p;
}

/// A mask of which a part is set at random.
template <int Percent>
prepared label(const exec_space& exec, std::int64_t n) {
  const auto density = make_view<float***>("density", n, n, n);
  const auto mask = make_view<std::uint8_t***>("mask", n, n, n);
  quern::random::uniform(exec, density, quern::random::key(1));
  quern::map(exec, mask, below{static_cast<float>(Percent) / 100}, density);
  return label_of(exec, mask);
}

/// One line through the whole cube, which turns at the ends of its lines and planes.
prepared label_snake(const exec_space& exec, std::int64_t n) {
  const auto mask = make_view<std::uint8_t***>("mask", n, n, n);
  Kokkos::parallel_for(
      "snake", bench::range(exec, 0, n * n * n), KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t x = i / n / n, y = i / n % n, z = i % n;
        const bool line = y % 2 == 0, turn = y % 2 == 1 && y < n - 1 && z == (y % 4 == 1 ? n - 1 : 0);
        const bool between = y == (x % 4 == 1 ? (n - 1) / 2 * 2 : 0) && z == 0;
        mask(x, y, z) = x % 2 == 0 ? line || turn : between;
      });
  return label_of(exec, mask);
}

/// The radius within which each of n uniform points in a unit cube has about four others.
double radius_of_four(std::int64_t n) { return 0.01 * std::cbrt(1e6 / static_cast<double>(n)); }

/// Uniform points in a unit cube.
prepared dbscan_within(const exec_space& exec, std::int64_t n, double radius) {
  const auto points = make_view<double**>("points", n, 3);
  const auto labels = make_view<std::int32_t*>("labels", n);
  const Kokkos::View<std::int64_t, bench::memory_space> number("number");
  quern::random::uniform(exec, points, quern::random::key(1));
  const quern::domain box({0, 0, 0}, {1, 1, 1});
  prepared p{28.0 * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::dbscan(exec, labels, points, box, radius, 5, quern::size_to{number}); }}};
  p.poison = [=] { Kokkos::deep_copy(labels, -7); };
  p.right = [=] {
    std::int64_t found = 0;
    Kokkos::deep_copy(found, number);
    return quern::min(exec, labels) == -1 && quern::max(exec, labels) == found - 1;
  };
  return p;
}
prepared dbscan(const exec_space& exec, std::int64_t n) { return dbscan_within(exec, n, radius_of_four(n)); }
/// Where most points have no other within the radius.
prepared dbscan_of_few(const exec_space& exec, std::int64_t n) { return dbscan_within(exec, n, 0.01); }
/// The same points, with a list of those around each.
prepared radius_neighbors(const exec_space& exec, std::int64_t n) {
  const auto points = make_view<double**>("points", n, 3);
  const auto starts = make_view<std::int32_t*>("starts", n + 1),
             neighbors = make_view<std::int32_t*>("neighbors", 8 * n);
  const Kokkos::View<std::int64_t, bench::memory_space> number("number");
  quern::random::uniform(exec, points, quern::random::key(1));
  const quern::domain box({0, 0, 0}, {1, 1, 1}, quern::periodic(true));
  const double radius = radius_of_four(n);
  prepared p{44.0 * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] {
                   quern::radius_neighbors(exec, starts, neighbors, points, box, radius, quern::size_to{number});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(neighbors, -7); };
  p.right = [=] {
    std::int64_t found = 0;
    Kokkos::deep_copy(found, number);
    const double squared = radius * radius * (1 + 1e-12);
    return std::abs(static_cast<double>(found) / static_cast<double>(n) - 4.19) < 0.4 &&
           bench::failures(
               n,
               KOKKOS_LAMBDA(std::int64_t i) {
                 for (int k = starts(i); k < starts(i + 1); ++k) {
                   double sum = 0;
                   for (int d = 0; d < 3; ++d) {
                     double step = Kokkos::abs(points(i, d) - points(neighbors(k), d));
                     if (1 - step < step) step = 1 - step;
                     sum += step * step;
                   }
                   if (!(sum <= squared) || neighbors(k) == i) return false;
                 }
                 return true;
               }) == 0;
  };
  return p;
}

/// How many of the pairs of the same points are within each of four radii, which grow by 1.
prepared pair_counts(const exec_space& exec, std::int64_t n) {
  const auto points = make_view<double**>("points", n, 3);
  const auto counts = make_view<std::int64_t*>("counts", 4);
  quern::random::uniform(exec, points, quern::random::key(1));
  const quern::domain box({0, 0, 0}, {1, 1, 1}, quern::periodic(true));
  const double radius = radius_of_four(n);
  const std::vector<double> radii{radius / 4, radius / 2, radius * 3 / 4, radius};
  prepared p{24.0 * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::pair_counts(exec, counts, points, box, radii); }}};
  p.poison = [=] { Kokkos::deep_copy(counts, -7); };
  p.right = [=] {  // 4.19 around each within the last
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
    return found(0) <= found(1) && found(1) <= found(2) && found(2) <= found(3) && found(3) % 2 == 0 &&
           std::abs(static_cast<double>(found(3)) / static_cast<double>(n) - 4.19) < 0.4;
  };
  return p;
}

/// Of n vertices and as many edges between any two of them.
prepared connected_components(const exec_space& exec, std::int64_t n) {
  const auto from = make_view<std::int32_t*>("from", n), to = make_view<std::int32_t*>("to", n),
             components = make_view<std::int32_t*>("components", n);
  const Kokkos::View<std::int64_t, bench::memory_space> number("number");
  quern::random::integers(exec, from, quern::random::key(1), 0, n);
  quern::random::integers(exec, to, quern::random::key(2), 0, n);
  prepared p{12.0 * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::connected_components(exec, components, from, to, quern::size_to{number}); }}};
  p.poison = [=] { Kokkos::deep_copy(components, -7); };
  p.right = [=] {
    std::int64_t found = 0;
    Kokkos::deep_copy(found, number);
    return quern::min(exec, components) == 0 && quern::max(exec, components) == found - 1 &&
           bench::failures(n, KOKKOS_LAMBDA(std::int64_t e) { return components(from(e)) == components(to(e)); }) == 0;
  };
  return p;
}

/// Ten iterations from the first points, of normal points of 16 columns and 64 clusters.
template <class T, class... Option>
prepared kmeans(const exec_space& exec, std::int64_t n) {
  constexpr int d = 16, limit = 10;
  const std::int64_t k = std::min<std::int64_t>(64, n);
  const auto points = make_view<T**>("points", n, d), centers = make_view<T**>("centers", k, d);
  const auto labels = make_view<std::int32_t*>("labels", n);
  quern::random::normal(exec, points, quern::random::key(1));
  const auto initial = Kokkos::subview(points, std::pair<std::int64_t, std::int64_t>(0, k), Kokkos::ALL());
  const auto found = std::make_shared<quern::kmeans_result>();
  const double n_all = static_cast<double>(n);
  prepared p{limit * (d * sizeof(T) + 8.0) * n_all, 2.0 * limit * d * static_cast<double>(k) * n_all, {}, {}, {}};
  p.variants = {{"quern", [=] {
                   *found = quern::kmeans(exec, centers, labels, points, initial, quern::max_iterations{limit},
                                          quern::tolerance{.relative = 0}, Option()...);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(labels, -7); };
  p.right = [=] {
    double squares = 0;
    Kokkos::parallel_reduce(
        "inertia", bench::range(exec, 0, n),
        KOKKOS_LAMBDA(std::int64_t i, double& sum) {
          for (int t = 0; t < d; ++t) {
            const double step = static_cast<double>(points(i, t)) - static_cast<double>(centers(labels(i), t));
            sum += step * step;
          }
        },
        squares);
    return quern::min(exec, labels) >= 0 && quern::max(exec, labels) < k &&
           std::abs(squares - found->inertia) <= 1e-5 * squares;
  };
  return p;
}

/// The ten nearest of normal points of 64 columns for as many queries as a part of these.
template <class T, int Part>
prepared knn(const exec_space& exec, std::int64_t n) {
  constexpr int d = 64, k = 10;
  const std::int64_t m = std::max<std::int64_t>(n / Part, 1);
  const auto points = make_view<T**>("points", n, d), queries = make_view<T**>("queries", m, d);
  const auto neighbors = make_view<std::int32_t**>("neighbors", m, k);
  const auto distances = make_view<T**>("distances", m, k);
  quern::random::normal(exec, points, quern::random::key(1));
  quern::random::normal(exec, queries, quern::random::key(2));
  const double pairs = static_cast<double>(m) * static_cast<double>(n);
  prepared p{sizeof(T) * static_cast<double>(d * (m + n)), 2 * d * pairs, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::knn(exec, neighbors, distances, queries, points); }}};
  p.poison = [=] { Kokkos::deep_copy(distances, T(-7)); };
  p.right = [=] {  // of the first queries no point is nearer than the last result without being one
    return bench::failures(
               std::min<std::int64_t>(m, 64), KOKKOS_LAMBDA(std::int64_t i) {
                 int nearer = 0;
                 for (std::int64_t j = 0; j < static_cast<std::int64_t>(points.extent(0)); ++j) {
                   double sum = 0;
                   for (int t = 0; t < d; ++t) {
                     const double step = static_cast<double>(queries(i, t)) - static_cast<double>(points(j, t));
                     sum += step * step;
                   }
                   nearer += static_cast<T>(Kokkos::sqrt(sum)) < distances(i, k - 1) ? 1 : 0;
                 }
                 return nearer < k && distances(i, 0) <= distances(i, k - 1);
               }) == 0;
  };
  return p;
}

/// The ten nearest of uniform points in a cube, of other ones among them.
prepared knn_in_space(const exec_space& exec, std::int64_t n) {
  constexpr int k = 10;
  const auto points = make_view<double**>("points", n, 3);
  const auto neighbors = make_view<std::int32_t**>("neighbors", n, k);
  const auto distances = make_view<double**>("distances", n, k);
  quern::random::uniform(exec, points, quern::random::key(1));
  const quern::domain box({0, 0, 0}, {1, 1, 1});
  prepared p{(24.0 + 12.0 * k) * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::knn(exec, neighbors, distances, points, box); }}};
  p.poison = [=] { Kokkos::deep_copy(distances, -7); };
  p.right = [=] {  // as above, of the first points
    return bench::failures(
               std::min<std::int64_t>(n, 64), KOKKOS_LAMBDA(std::int64_t i) {
                 int nearer = 0;
                 for (std::int64_t j = 0; j < static_cast<std::int64_t>(points.extent(0)); ++j) {
                   double sum = 0;
                   for (int t = 0; t < 3; ++t) sum += (points(i, t) - points(j, t)) * (points(i, t) - points(j, t));
                   nearer += j != i && Kokkos::sqrt(sum) < distances(i, k - 1) * (1 - 1e-12) ? 1 : 0;
                 }
                 return nearer < k && distances(i, 0) <= distances(i, k - 1);
               }) == 0;
  };
  return p;
}

/// Those of all elements together.
prepared running_statistics_of_all(const exec_space& exec, std::int64_t n) {
  const auto u = make_view<double*>("u", n);
  quern::random::normal(exec, u, quern::random::key(1));
  const quern::RunningStatistics<bench::view<double>> all(exec);
  prepared p{8.0 * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { all.add(exec, u); }}};
  p.poison = [=] { all.reset(exec); };
  p.right = [=] { return all.count(exec) > 0 && all.count(exec) % n == 0 && all.max(exec) == quern::max(exec, u); };
  return p;
}

const bool registered = [] {
  bench::add({"running_statistics/f64", {1'000'000, 100'000'000}, 37, running_statistics});
  bench::add({"running_statistics of all/f64", {1'000'000, 100'000'000}, 37, running_statistics_of_all});
  bench::add({"label 0.1/u8 n3", {64, 256, 512}, 37, label<10>});
  bench::add({"label 0.3/u8 n3", {64, 256, 512}, 37, label<30>});
  bench::add({"label 0.6/u8 n3", {256}, 37, label<60>});
  bench::add({"label 1/u8 n3", {256}, 37, label<100>});
  bench::add({"label snake/u8 n3", {256, 512}, 37, label_snake});
  bench::add({"dbscan/f64", {200'000, 1'000'000}, 5000, dbscan});
  bench::add({"dbscan 0.01/f64", {200'000}, 100'000, dbscan_of_few});
  bench::add({"kmeans 64, 16 columns/f64", {100'000, 1'000'000}, 500, kmeans<double>});
  bench::add({"kmeans 64, 16 columns/f32", {1'000'000, 10'000'000}, 500, kmeans<float>});
  bench::add(
      {"kmeans 64, 16 columns, reproducible/f32", {1'000'000, 10'000'000}, 500, kmeans<float, quern::reproducible_t>});
  bench::add({"knn 10 in space/f64", {200'000, 1'000'000}, 500, knn_in_space});
  bench::add({"knn 10, 64 columns/f64", {20'000, 200'000}, 500, knn<double, 100>});
  bench::add({"knn 10, 64 columns/f32", {20'000, 200'000}, 500, knn<float, 100>});
  bench::add({"knn 10, 64 columns, a tenth as queries/f32", {1'000'000}, 500, knn<float, 10>});
  bench::add({"radius_neighbors/f64", {200'000, 1'000'000}, 5000, radius_neighbors});
  bench::add({"pair_counts/f64", {200'000, 1'000'000}, 5000, pair_counts});
  bench::add({"connected_components/i32", {1'000'000, 50'000'000}, 5000, connected_components});
  return true;
}();

}  // namespace
