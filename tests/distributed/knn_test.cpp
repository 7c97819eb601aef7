// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The nearest of points over ranks beside those of the same points in memory.

#include <distributed/checked_calls.hpp>
#include <limits>
#include <quern/distributed/knn.hpp>

namespace {

using Kokkos::LayoutRight, Kokkos::LayoutLeft;
using quern::Decomposition, quern::DistributedView, quern::metric;

const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

template <class Exec>
struct DistributedKnn : testing::Test {
  const Exec exec{};
  const quern::Communicator comm = test::world();

  template <class T>
  static auto matrix(std::int64_t n, std::int64_t d, const std::vector<T>& values) {
    return test::make_array<T, 2, LayoutRight, Exec>({n, d}, values);
  }
  static auto numbers(std::int64_t m, std::int64_t k) { return matrix<int>(m, k, std::vector<int>(m * k, -9)); }
  static auto lengths(std::int64_t m, std::int64_t k) { return matrix<double>(m, k, std::vector<double>(m * k, -9)); }
  Decomposition rows(std::int64_t n, std::int64_t d) const { return {comm, {n, d}, {.grid = {comm.size(), 1}}}; }

  template <class... More>
  void expect_as_in_memory(std::int64_t k, std::int64_t d, const std::vector<double>& queries,
                           const std::vector<double>& points, const More&... more) const {
    const auto m = static_cast<std::int64_t>(queries.size()) / d, n = static_cast<std::int64_t>(points.size()) / d;
    const auto from = matrix(m, d, queries);
    const auto expected = numbers(m, k), found = numbers(m, k);
    const auto expected_lengths = lengths(m, k), found_lengths = lengths(m, k);
    quern::knn(exec, expected, expected_lengths, from, matrix(n, d, points), more...);
    const auto u = test::distribute<double, 2, LayoutLeft, Exec>(rows(n, d), points);
    quern::knn(exec, found, found_lengths, from, u, more...);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    EXPECT_EQ(test::contents(expected_lengths), test::contents(found_lengths));
  }
};
TYPED_TEST_SUITE(DistributedKnn, test::all_spaces);

/// Points of a grid, most of which several have, so that many are equally far.
std::vector<double> of_grid(std::int64_t n, std::int64_t d, int width, int seed) {
  std::vector<double> values(n * d);
  for (std::int64_t e = 0; e < n * d; ++e) values[e] = static_cast<int>(test::sample(e, seed) * 1e6) % width;
  return values;
}

/// By products, by cells on ranks with enough points, and where some have fewer points than are wanted or none.
TYPED_TEST(DistributedKnn, OfEqualDistancesTheFirst) {
  this->expect_as_in_memory(6, 5, of_grid(40, 5, 3, 1), of_grid(1000, 5, 3, 2));
  this->expect_as_in_memory(9, 2, of_grid(40, 2, 20, 1), of_grid(5000, 2, 20, 2));
  this->expect_as_in_memory(7, 4, of_grid(9, 4, 2, 1), of_grid(7, 4, 2, 2));
  this->expect_as_in_memory(1, 1, {0, 5, 2}, {3});
  this->expect_as_in_memory(2, 1, {0, 5, 2}, {3, 1});
}

TYPED_TEST(DistributedKnn, InADomain) {
  const quern::domain box({0, 0}, {20, 20}, quern::periodic(true, false));
  this->expect_as_in_memory(9, 2, of_grid(40, 2, 20, 1), of_grid(700, 2, 20, 2), box);
  this->expect_as_in_memory(3, 2, of_grid(4, 2, 20, 1), of_grid(3, 2, 20, 2), box);
}

TYPED_TEST(DistributedKnn, Angles) {
  this->expect_as_in_memory(5, 3, {0, 1, 0, 2, 0, 0, 0, 0, 0},
                            {3, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 5, 0, 0, 0, 7, 0, 1, 0, 0}, metric::cosine);
}

/// Results that are missing on all ranks, and those that one rank has while others have fewer.
TYPED_TEST(DistributedKnn, PointsThatAreNotFinite) {
  std::vector<double> points = of_grid(30, 4, 3, 2);
  for (int i = 0; i < 28; ++i) points[4 * i + i % 4] = i % 2 == 0 ? nan : infinity;
  this->expect_as_in_memory(5, 4, of_grid(3, 4, 3, 1), points);
  this->expect_as_in_memory(5, 4, {nan, 0, 0, 0, 1, 1, 1, 1}, of_grid(30, 4, 3, 2));
}

TYPED_TEST(DistributedKnn, ResultsOfOtherTypesWithoutAnInstance) {
  const auto u = test::distribute<double, 2, LayoutRight, TypeParam>(this->rows(4, 1), {3, 1, 9, 0.1});
  const auto neighbors = TestFixture::template matrix<std::int64_t>(1, 2, {-9, -9});
  const auto distances = TestFixture::template matrix<float>(1, 2, {-9, -9});
  quern::knn(neighbors, distances, TestFixture::template matrix<double>(1, 1, {0}), u);
  EXPECT_EQ((std::vector<std::int64_t>{3, 1}), test::contents(neighbors));
  EXPECT_EQ((std::vector<float>{0.1f, 1}), test::contents(distances));
}

TYPED_TEST(DistributedKnn, Misuse) {
  const auto points = test::distribute<double, 2, LayoutRight, TypeParam>(this->rows(4, 1), {3, 1, 9, 0.1});
  const auto queries = TestFixture::template matrix<double>(1, 1, {0});
  const auto distances = this->lengths(1, 5);
  test::expect_error("quern::knn: 5 neighbours of each among 4 points",
                     [&] { quern::knn(this->exec, this->numbers(1, 5), distances, queries, points); });
  test::expect_error("quern::knn: queries has extents (1, 2), expected (m, 1), as many columns as points", [&] {
    quern::knn(this->exec, this->numbers(1, 5), distances, TestFixture::template matrix<double>(1, 2, {0, 0}), points);
  });
  // Also where ranks have no points to search.
  test::expect_error("quern::knn: points have 1 columns, and the domain the rank 2", [&] {
    quern::knn(this->exec, this->numbers(1, 2), this->lengths(1, 2), queries, points, quern::domain({0, 0}, {1, 1}));
  });
  test::expect_error("quern::knn: axis 0 is from 0 to 1.0000000000000001e+300, which the points' type does not hold",
                     [&] {
                       const DistributedView<float, 2, TypeParam> narrow("narrow", points.decomposition());
                       const Kokkos::View<float**, TypeParam> one("one", 1, 1), of_one("of one", 1, 2);
                       quern::knn(this->exec, this->numbers(1, 2), of_one, one, narrow, quern::domain({0}, {1e300}));
                     });
  test::expect_error("quern::knn: 0 neighbours of points with 1 columns, expected at least 1 of both",
                     [&] { quern::knn(this->exec, this->numbers(1, 0), this->lengths(1, 0), queries, points); });
  if (this->comm.size() > 1) {
    const DistributedView<double, 2, TypeParam> columns(
        "columns", Decomposition(this->comm, {8, 8}, {.grid = {1, this->comm.size()}}));
    test::expect_error("quern::knn: points has a grid of " + std::to_string(this->comm.size()) +
                           " ranks along axis 1, expected 1: rows are distributed",
                       [&] {
                         quern::knn(this->exec, this->numbers(1, 5), distances,
                                    TestFixture::template matrix<double>(1, 8, std::vector<double>(8)), columns);
                       });
  }
  EXPECT_EQ(std::vector<double>(5, -9), test::contents(distances));
}

/// What is wrong on one rank alone keeps no other one waiting.
TYPED_TEST(DistributedKnn, ArraysOfOneRankThatShareMemory) {
  const int last = this->comm.size() - 1;
  const DistributedView<double, 2, TypeParam> points("points", this->rows(8, 2));
  const auto distances = this->lengths(1, 2), queries = this->lengths(1, 2);
  test::expect_error("quern::knn: on rank " + std::to_string(last) + ": quern::knn: out and queries share memory", [&] {
    quern::knn(this->exec, this->numbers(1, 2), distances, this->comm.rank() == last ? distances : queries, points);
  });
  EXPECT_EQ((std::vector<double>{-9, -9}), test::contents(distances));
}

TYPED_TEST(DistributedKnn, CallsThatDiffer) {
  const test::checked_calls<TypeParam> c;
  if (c.alone) return;
  const DistributedView<double, 2, TypeParam> points("points", {c.comm, {8, 2}, {.grid = {c.comm.size(), 1}}});
  const auto queries = TestFixture::template matrix<double>(1, 2, {0, 0});
  const auto neighbors = this->numbers(1, 3);
  const auto distances = this->lengths(1, 3);
  const std::string arrays =
      " int32 (1, 3) float64 (1, 3) float64 (1, 2) float64 (8, 2) on a grid of " + c.ranks + " 1";
  c.expect("quern::knn", arrays, arrays + ", cosine", [&] {
    quern::knn(this->exec, neighbors, distances, queries, points, c.differs ? metric::cosine : metric::euclidean);
  });
}

}  // namespace
