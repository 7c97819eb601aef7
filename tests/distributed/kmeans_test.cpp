// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Clusters of points over ranks beside those of the same points in memory.

#include <cmath>
#include <distributed/checked_calls.hpp>
#include <limits>
#include <quern/distributed/kmeans.hpp>

namespace {

using Kokkos::LayoutRight, Kokkos::LayoutLeft;
using quern::Decomposition, quern::DistributedView, quern::max_iterations, quern::reproducible, quern::tolerance;
using quern::random::key;

const double nan = std::numeric_limits<double>::quiet_NaN();

/// What a call has found: of labels those of this rank's points.
struct clusters {
  std::vector<double> centers;
  std::vector<int> labels;
  quern::kmeans_result result;
};

template <class Exec>
struct DistributedKmeans : testing::Test {
  const Exec exec{};
  const quern::Communicator comm = test::world();

  template <class T>
  static auto matrix(std::int64_t n, std::int64_t d, const std::vector<double>& values) {
    return test::make_array<T, 2, LayoutRight, Exec>({n, d}, std::vector<T>(values.begin(), values.end()));
  }
  static clusters found(const auto& centers, const auto& labels, const quern::kmeans_result& r) {
    const auto c = test::contents(centers);
    return {{c.begin(), c.end()}, test::contents(labels), r};
  }
  Decomposition rows(std::int64_t n, std::int64_t d) const { return {comm, {n, d}, {.grid = {comm.size(), 1}}}; }

  /// Both, of k clusters of points of d columns.
  template <class T, class... More>
  std::array<clusters, 2> both(std::int64_t k, std::int64_t d, const std::vector<double>& points,
                               const More&... more) const {
    const auto n = static_cast<std::int64_t>(points.size()) / d;
    const auto centers = matrix<T>(k, d, std::vector<double>(k * d, -9));
    const auto labels = test::make_array<int, 1, LayoutRight, Exec>({n}, std::vector<int>(n, -9));
    const auto r = quern::kmeans(exec, centers, labels, matrix<T>(n, d, points), more...);
    const Decomposition cut(comm, {n});
    const clusters in_memory{found(centers, labels, r).centers,
                             test::part_of(test::contents(labels), quern::shape{n}, cut.local()), r};
    const auto others = matrix<T>(k, d, std::vector<double>(k * d, -9));
    const DistributedView<int, 1, Exec> own("labels", cut);
    const auto u = test::distribute<T, 2, LayoutLeft, Exec>(rows(n, d), std::vector<T>(points.begin(), points.end()));
    const auto s = quern::kmeans(exec, others, own, u, more...);
    return {in_memory, found(others, own.local(), s)};
  }
  static void expect_near(const std::array<clusters, 2>& c) {
    const auto& [in_memory, over_ranks] = c;
    EXPECT_EQ(in_memory.labels, over_ranks.labels);
    EXPECT_EQ(in_memory.result.iterations, over_ranks.result.iterations);
    EXPECT_EQ(in_memory.result.converged, over_ranks.result.converged);
    // Of points at their centres it is what rounding leaves.
    EXPECT_NEAR(in_memory.result.inertia, over_ranks.result.inertia, 1e-13 * in_memory.result.inertia + 1e-27);
    ASSERT_EQ(in_memory.centers.size(), over_ranks.centers.size());
    for (std::size_t e = 0; e < in_memory.centers.size(); ++e)
      EXPECT_NEAR(in_memory.centers[e], over_ranks.centers[e], 1e-14) << e;
  }
  static void expect_equal(const std::array<clusters, 2>& c) {
    const auto& [in_memory, over_ranks] = c;
    EXPECT_EQ(in_memory.labels, over_ranks.labels);
    EXPECT_EQ(in_memory.centers, over_ranks.centers);
    EXPECT_EQ(in_memory.result.inertia, over_ranks.result.inertia);
    EXPECT_EQ(in_memory.result.iterations, over_ranks.result.iterations);
    EXPECT_EQ(in_memory.result.converged, over_ranks.result.converged);
  }
};
TYPED_TEST_SUITE(DistributedKmeans, test::all_spaces);

std::vector<double> scattered(std::int64_t n, std::int64_t d) {
  std::vector<double> values(n * d);
  for (std::int64_t e = 0; e < n * d; ++e) values[e] = test::sample(e) + 0.1 * test::sample(e, 7);
  return values;
}

/// The same draws, from parts of the points that are on several ranks, on one alone, and on none.
TYPED_TEST(DistributedKmeans, StartsWhereOneInMemoryDoes) {
  for (const auto& [n, k, d] : {std::array<std::int64_t, 3>{5000, 13, 3}, {1300, 4, 2}, {70, 7, 1}}) {
    this->expect_near(this->template both<double>(k, d, scattered(n, d), key(3), max_iterations{1}));
    this->expect_near(this->template both<double>(k, d, scattered(n, d), key(4), tolerance{.relative = 0}));
  }
}

TYPED_TEST(DistributedKmeans, ReproducibleHasTheBitsOfOneInMemory) {
  for (const auto& [n, k, d] : {std::array<std::int64_t, 3>{5000, 13, 11}, {900, 90, 30}})
    this->expect_equal(this->template both<float>(k, d, scattered(n, d), key(5), max_iterations{9}, reproducible));
}

/// Ranks with one point and with none.
TYPED_TEST(DistributedKmeans, FewPoints) {
  this->expect_equal(this->template both<float>(1, 2, {0.1, 0.2}, reproducible));
  this->expect_equal(this->template both<float>(2, 1, {0.1, 0.7}, reproducible));
  this->expect_near(this->template both<double>(2, 1, {0.1, 0.7, 0.3}));
  this->expect_near(this->template both<double>(1, 3, {0.1, 0.7, 0.3}));
}

/// The farthest points of all ranks go to empty clusters, of equally far ones the first.
TYPED_TEST(DistributedKmeans, EmptyClustersGetTheFarthestPoints) {
  std::vector<double> points;
  for (int i = 0; i < 2500; ++i) points.push_back(i % 500 == 499 ? 40 + i % 2 : 0.25 * (i % 3));
  const auto initial = TestFixture::template matrix<double>(4, 1, {0, 900, 800, 700});
  this->expect_near(this->template both<double>(4, 1, points, initial, max_iterations{1}));
  this->expect_near(this->template both<double>(4, 1, points, initial));
  const auto more_than_points = TestFixture::template matrix<double>(4, 1, {0, 900, 800, 700});
  this->expect_near(this->template both<double>(4, 1, {1, 2, 3, 5}, more_than_points));
  this->expect_near(this->template both<double>(4, 1, std::vector<double>(2500, 0.5), key(1)));
}

/// Those of the first ranks are of no cluster.
TYPED_TEST(DistributedKmeans, PointsThatAreNotFinite) {
  std::vector<double> points = scattered(3000, 2);
  for (int i = 0; i < 2100; ++i) points[2 * i + i % 2] = i % 3 == 0 ? nan : 1e200;
  this->expect_near(this->template both<double>(3, 2, points, tolerance{.relative = 0}));
  const auto none = this->template both<double>(2, 1, std::vector<double>(5, nan));
  EXPECT_EQ(none[0].labels, none[1].labels);
  EXPECT_EQ(0, none[1].result.inertia);
  EXPECT_TRUE(std::isnan(none[1].centers[0]));
}

TYPED_TEST(DistributedKmeans, Misuse) {
  const auto& comm = this->comm;
  const DistributedView<double, 2, TypeParam> points("points", this->rows(8, 8));
  const DistributedView<int, 1, TypeParam> labels("labels", Decomposition(comm, {8})),
      fewer("fewer", Decomposition(comm, {7}));
  const auto centers = TestFixture::template matrix<double>(2, 8, std::vector<double>(16, -9));
  test::expect_error("quern::kmeans: labels has extents (7), expected (8), one for each point",
                     [&] { quern::kmeans(centers, fewer, points); });
  test::expect_error("quern::kmeans: 9 clusters of 8 points", [&] {
    quern::kmeans(this->exec, TestFixture::template matrix<double>(9, 8, std::vector<double>(72)), labels, points);
  });
  test::expect_error("quern::kmeans: max_iterations is 0, expected at least 1",
                     [&] { quern::kmeans(centers, labels, points, max_iterations{0}); });
  if (comm.size() > 1) {
    const DistributedView<double, 2, TypeParam> columns("columns",
                                                        Decomposition(comm, {8, 8}, {.grid = {1, comm.size()}}));
    test::expect_error("quern::kmeans: points has a grid of " + std::to_string(comm.size()) +
                           " ranks along axis 1, expected 1: rows are distributed",
                       [&] { quern::kmeans(centers, labels, columns); });
    const quern::Communicator another(MPI_COMM_WORLD);
    const DistributedView<int, 1, TypeParam> apart("apart", Decomposition(another, {8}));
    test::expect_error("quern::kmeans: labels and points are of two communicators",
                       [&] { quern::kmeans(centers, apart, points); });
  }
  EXPECT_EQ(std::vector<double>(16, -9), test::contents(centers));
}

/// What is wrong on one rank alone keeps no other one waiting.
TYPED_TEST(DistributedKmeans, ArraysOfOneRankThatShareMemory) {
  const int last = this->comm.size() - 1;
  const DistributedView<double, 2, TypeParam> points("points", this->rows(8, 2));
  const DistributedView<int, 1, TypeParam> labels("labels", Decomposition(this->comm, {8}));
  const auto memory = TestFixture::template matrix<double>(3, 2, std::vector<double>(6, -9)),
             other = TestFixture::template matrix<double>(3, 2, std::vector<double>(6, -9));
  const auto rows = [](const auto& view, int first) {
    return Kokkos::subview(view, Kokkos::pair(first, first + 2), Kokkos::ALL);
  };
  test::expect_error("quern::kmeans: on rank " + std::to_string(last) +
                         ": quern::kmeans: out and initial share memory and are not the same View",
                     [&] {
                       const auto initial = rows(this->comm.rank() == last ? memory : other, 1);
                       quern::kmeans(this->exec, rows(memory, 0), labels, points, initial);
                     });
  EXPECT_EQ(std::vector<double>(6, -9), test::contents(memory));
}

TYPED_TEST(DistributedKmeans, CallsThatDiffer) {
  const test::checked_calls<TypeParam> c;
  if (c.alone) return;
  const DistributedView<double, 2, TypeParam> points("points", {c.comm, {8, 2}, {.grid = {c.comm.size(), 1}}});
  const DistributedView<int, 1, TypeParam> labels("labels", {c.comm, {8}});
  const auto centers = TestFixture::template matrix<double>(2, 2, {0, 0, 1, 1});
  const std::string arrays =
      " float64 (2, 2) int32 (8) on a grid of " + c.ranks + " float64 (8, 2) on a grid of " + c.ranks + " 1, key ";
  c.expect("quern::kmeans", arrays + "1 0", arrays + "2 0",
           [&] { quern::kmeans(this->exec, centers, labels, points, key(c.differs ? 2 : 1)); });
}

}  // namespace
