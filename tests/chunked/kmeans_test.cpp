// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Clusters of points that come in chunks beside those of the same points in memory.

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/chunked/kmeans.hpp>
#include <support/testing.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::chunking, quern::max_iterations, quern::tolerance;
using quern::random::key;

const double nan = std::numeric_limits<double>::quiet_NaN();

/// Points behind a function, which counts how often each chunk of them is read.
struct points_behind_function {
  std::int64_t n, d;
  std::vector<double> values;
  std::shared_ptr<std::int64_t> rows_read = std::make_shared<std::int64_t>(0);

  points_behind_function(std::int64_t columns, std::vector<double> all)
      : n(static_cast<std::int64_t>(all.size()) / columns), d(columns), values(std::move(all)) {}
  auto source() const {
    return quern::chunked::reader<double>({static_cast<std::size_t>(n), static_cast<std::size_t>(d)},
                                          [this](std::int64_t first, std::int64_t rows, double* to) {
                                            *rows_read += rows;
                                            std::copy_n(values.data() + first * d, rows * d, to);
                                          });
  }
};

template <class Exec>
struct ChunkedKmeans : testing::Test {
  const Exec exec{};
  static auto matrix(std::int64_t n, std::int64_t d, const std::vector<double>& values) {
    return test::make_array<double, 2, LayoutRight, Exec>({n, d}, values);
  }
  static auto none(std::int64_t n, std::int64_t d) { return matrix(n, d, std::vector<double>(n * d, -9)); }
  static auto labels(std::int64_t n) {
    return test::make_array<int, 1, LayoutRight, Exec>({n}, std::vector<int>(n, -9));
  }
  /// The same call in memory, and in chunks of about `rows` rows.
  template <class... More>
  void expect_as_in_memory(std::int64_t k, const points_behind_function& points, std::int64_t rows,
                           const More&... more) const {
    const auto expected = none(k, points.d), centers = none(k, points.d);
    const auto of_memory = labels(points.n), found = labels(points.n);
    const auto m = quern::kmeans(exec, expected, of_memory, matrix(points.n, points.d, points.values), more...);
    const chunking chunks{.memory = static_cast<std::size_t>(3 * rows * points.d * 8)};
    const auto r = quern::kmeans(exec, centers, found, points.source(), more..., chunks);
    EXPECT_EQ(test::contents(of_memory), test::contents(found));
    EXPECT_EQ(m.iterations, r.iterations);
    EXPECT_EQ(m.converged, r.converged);
    EXPECT_NEAR(m.inertia, r.inertia, 1e-13 * m.inertia + 1e-27);
    const auto e = test::contents(expected), c = test::contents(centers);
    for (std::size_t i = 0; i < e.size(); ++i)
      EXPECT_TRUE(std::abs(e[i] - c[i]) <= 1e-14 || (std::isnan(e[i]) && std::isnan(c[i]))) << i;
  }
};
TYPED_TEST_SUITE(ChunkedKmeans, test::all_spaces);

std::vector<double> scattered(std::int64_t n, std::int64_t d) {
  std::vector<double> values(n * d);
  for (std::int64_t e = 0; e < n * d; ++e) values[e] = test::sample(e) + 0.1 * test::sample(e, 7);
  return values;
}

/// Chunks that end within lanes and parts of the sums, of one row, and of all.
TYPED_TEST(ChunkedKmeans, ClustersAreThoseInMemory) {
  const points_behind_function many(3, scattered(5000, 3)), few(2, scattered(70, 2));
  for (const std::int64_t rows : {300, 1025, 5000}) {
    this->expect_as_in_memory(13, many, rows, key(3), max_iterations{1});
    this->expect_as_in_memory(13, many, rows, key(4), tolerance{.relative = 0});
  }
  this->expect_as_in_memory(7, few, 1);
  this->expect_as_in_memory(20, few, 9);
}

TYPED_TEST(ChunkedKmeans, EmptyClustersGetTheFarthestPoints) {
  std::vector<double> values;
  for (int i = 0; i < 2500; ++i) values.push_back(i % 500 == 499 ? 40 + i % 2 : 0.25 * (i % 3));
  const auto initial = this->matrix(4, 1, {0, 900, 800, 700});
  const points_behind_function points(1, values);
  this->expect_as_in_memory(4, points, 400, initial, max_iterations{1});
  this->expect_as_in_memory(4, points, 400, initial);
}

TYPED_TEST(ChunkedKmeans, PointsThatAreNotFinite) {
  std::vector<double> values = scattered(6000, 2);
  for (int i = 0; i < 5100; ++i) values[2 * i + i % 2] = i % 3 == 0 ? nan : 1e200;
  this->expect_as_in_memory(3, {2, values}, 500, tolerance{.relative = 0});
  this->expect_as_in_memory(2, {1, std::vector<double>(5, nan)}, 2);
}

/// An iteration more reads the points once more, and all labels but the last are not written.
TYPED_TEST(ChunkedKmeans, AnIterationReadsThePointsOnce) {
  const points_behind_function points(3, scattered(3000, 3));
  const auto initial = this->matrix(9, 3, scattered(9, 3));
  const auto rows_of = [&](int iterations) {
    *points.rows_read = 0;
    const auto r = quern::kmeans(this->exec, this->none(9, 3), this->labels(3000), points.source(), initial,
                                 max_iterations{iterations}, tolerance{.relative = 0}, chunking{.memory = 9000});
    EXPECT_EQ(iterations, r.iterations);
    return *points.rows_read;
  };
  EXPECT_EQ(3000, rows_of(3) - rows_of(2));
}

/// What the execution space reaches is used where it is; labels may go to where they are to be in chunks.
TYPED_TEST(ChunkedKmeans, ViewsAndLabelsInChunks) {
  const points_behind_function points(3, scattered(2000, 3));
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> on_host("points", 2000, 3);
  std::copy(points.values.begin(), points.values.end(), on_host.data());
  const auto centers = this->none(5, 3), expected = this->none(5, 3);
  const auto of_memory = this->labels(2000);
  quern::kmeans(expected, of_memory, this->matrix(2000, 3, points.values));
  const Kokkos::View<int*, Kokkos::HostSpace> found("labels", 2000);
  const chunking chunks{.memory = 20000};
  quern::kmeans(this->exec, centers, quern::in_chunks(found), quern::in_chunks(on_host), chunks);
  EXPECT_EQ(test::contents(of_memory), test::contents(found));
  std::vector<int> written(2000);
  const auto sink = quern::chunked::writer<int>({2000}, [&](std::int64_t first, std::int64_t rows, const int* from) {
    std::copy_n(from, rows, written.data() + first);
  });
  quern::kmeans(this->exec, centers, sink, points.source(), chunks);
  EXPECT_EQ(test::contents(of_memory), written);
}

TYPED_TEST(ChunkedKmeans, Misuse) {
  const points_behind_function points(2, scattered(6, 2));
  const auto centers = this->none(2, 2);
  test::expect_error("quern::kmeans: labels has extents (5), expected (6), one for each point",
                     [&] { quern::kmeans(centers, this->labels(5), points.source()); });
  test::expect_error("quern::kmeans: max_iterations is 0, expected at least 1",
                     [&] { quern::kmeans(centers, this->labels(6), points.source(), max_iterations{0}); });
  EXPECT_EQ(std::vector<double>(4, -9), test::contents(centers));
  const auto x = this->none(6, 2);
  const auto first = Kokkos::subview(x, std::pair(0, 2), Kokkos::ALL);
  EXPECT_THROW(quern::kmeans(first, this->labels(6), quern::in_chunks(x)), quern::Error);
}

}  // namespace
