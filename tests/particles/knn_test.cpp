// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The nearest among all points; those in a domain are in neighbors_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/core.hpp>
#include <quern/particles.hpp>
#include <string>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>
#include <utility>

namespace {

using quern::metric;

const test::reference_archive reference("particles/data/knn.npz");
const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

template <class Case>
struct NearestOn : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  static auto array(const std::array<std::int64_t, 2>& extents, const std::vector<float>& values) {
    return test::make_array<T, 2, typename Case::layout, E>(extents, std::vector<T>(values.begin(), values.end()));
  }
  template <class V>
  static auto table(std::int64_t m, std::int64_t k) {
    return test::make_array<V, 2, typename Case::layout, E>({m, k}, std::vector<V>(m * k, V(-9)));
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(NearestOn, cases);

TYPED_TEST(NearestOn, ResultsAreScikitLearns) {
  using T = typename TestFixture::T;
  for (const std::string name :
       {"70 300 5 7 euclidean", "33 200 17 10 cosine", "65 129 16 129 euclidean", "5 90 1 3 euclidean",
        "1 1 9 1 cosine", "257 511 33 12 cosine", "40 1500 3 6 euclidean", "3 257 64 40 euclidean"}) {
    const auto stored = [&](const std::string& part) {
      return this->array(reference.extents_of_rank<2>(name + part), reference.values<float>(name + part));
    };
    const auto [m, k] = reference.extents_of_rank<2>(name + "/neighbors");
    const auto neighbors = this->template table<int>(m, k);
    const auto distances = this->template table<T>(m, k);
    const bool cosine = name.ends_with("cosine");
    quern::knn(typename TestFixture::E(), neighbors, distances, stored("/queries"), stored("/points"),
               cosine ? metric::cosine : metric::euclidean);
    const auto expected = reference.values<std::int32_t>(name + "/neighbors");
    const auto exact = reference.values(name + "/distances");
    const auto found = test::contents(neighbors);
    const auto lengths = test::contents(distances);
    for (std::size_t e = 0; e < exact.size(); ++e) {
      EXPECT_NEAR(exact[e], lengths[e], 4 * test::eps<T>() * std::max(1.0, exact[e])) << name << " at " << e;
      if (sizeof(T) == 8) {  // floats may be equal
        EXPECT_EQ(expected[e], found[e]) << name << " at " << e;
      }
    }
  }
}

template <class Exec>
struct Nearest : testing::Test {
  const Exec exec{};
  template <class V = double>
  static auto array(std::int64_t n, std::int64_t d, const std::vector<V>& values) {
    return test::make_array<V, 2, Kokkos::LayoutRight, Exec>({n, d}, values);
  }
  template <class V = double>
  static auto array(std::int64_t n, std::int64_t d) {
    return array(n, d, std::vector<V>(n * d, V(-9)));
  }
};
TYPED_TEST_SUITE(Nearest, test::all_spaces);

/// Small integers, of which many are equally far away, in extents around those of tiles, packs and slices.
TYPED_TEST(Nearest, AreThoseOfALoop) {
  const auto values = [](std::int64_t count, int seed) {
    std::vector<double> v(count);
    for (std::int64_t e = 0; e < count; ++e) v[e] = static_cast<double>(static_cast<int>(test::sample(e, seed)));
    return v;
  };
  for (const auto& [m, n, d, k] : {std::array<std::int64_t, 4>{63, 257, 4, 5},
                                   {64, 255, 16, 40},
                                   {65, 9001, 3, 9},
                                   {2, 8200, 5, 17},
                                   {300, 64, 17, 64},
                                   {1, 1023, 1, 100},
                                   {129, 2, 31, 1}}) {
    const auto x = values(n * d, 1), q = values(m * d, 2);
    const auto neighbors = this->template array<std::int64_t>(m, k);
    const auto distances = this->array(m, k);
    quern::knn(this->exec, neighbors, distances, this->array(m, d, q), this->array(n, d, x));
    std::vector<std::int64_t> expected;
    std::vector<double> lengths;
    for (std::int64_t i = 0; i < m; ++i) {
      std::vector<std::pair<double, std::int64_t>> all;
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t t = 0; t < d; ++t) sum += (q[i * d + t] - x[j * d + t]) * (q[i * d + t] - x[j * d + t]);
        all.push_back({sum, j});
      }
      std::sort(all.begin(), all.end());
      for (std::int64_t j = 0; j < k; ++j) {
        expected.push_back(all[j].second);
        lengths.push_back(std::sqrt(all[j].first));
      }
    }
    EXPECT_EQ(expected, test::contents(neighbors)) << m << ", " << n << ", " << d << ", " << k;
    EXPECT_EQ(lengths, test::contents(distances)) << m << ", " << n << ", " << d << ", " << k;
  }
}

/// Of equal distances the first points, also of more than a device's buffers hold at once.
TYPED_TEST(Nearest, OfEqualPointsAreTheFirst) {
  for (const std::int64_t n : {64, 300})
    for (const std::int64_t k : {3, 40}) {
      const auto points = this->array(n, 4, std::vector<float>(4 * n, 0.3f));
      const auto neighbors = this->template array<int>(n, k);
      const auto distances = this->template array<float>(n, k);
      quern::knn(this->exec, neighbors, distances, points, points);
      std::vector<int> expected;
      for (std::int64_t e = 0; e < n * k; ++e) expected.push_back(static_cast<int>(e % k));
      EXPECT_EQ(expected, test::contents(neighbors)) << n << ", " << k;
      EXPECT_EQ(std::vector<float>(n * k, 0), test::contents(distances)) << n << ", " << k;
    }
}

/// Far from the origin, where products of floats alone would find nothing.
TYPED_TEST(Nearest, FarFromTheOrigin) {
  std::vector<float> values(4 * 500);
  for (int e = 0; e < 4 * 500; ++e) values[e] = e == 70 ? 1e18f : 1e5f + static_cast<float>(test::sample(e, e % 4));
  const auto points = this->array(500, 4, values);
  const auto neighbors = this->template array<int>(500, 1);
  const auto distances = this->template array<float>(500, 1);
  quern::knn(neighbors, distances, points, points);
  EXPECT_EQ(std::vector<float>(500, 0), test::contents(distances));
}

TYPED_TEST(Nearest, WhatIsNotFiniteIsNearNothing) {
  const auto points = this->array(5, 4, {nan, 0, 0, 0, 1, 1, 1, 1, 0, infinity, 0, 0, 2, 2, 2, 2, 1e200, 0, 0, 0});
  const auto queries = this->array(4, 4, {0, 0, 0, 0, nan, 0, 0, 0, -infinity, 0, 0, 0, 0, 1e300, 0, 0});
  const auto neighbors = this->template array<int>(4, 3);
  const auto distances = this->array(4, 3);
  quern::knn(this->exec, neighbors, distances, queries, points);
  std::vector<int> expected(12, -1);
  std::vector<double> lengths(12, infinity);
  expected[0] = 1, expected[1] = 3, lengths[0] = 2, lengths[1] = 4;
  EXPECT_EQ(expected, test::contents(neighbors));
  EXPECT_EQ(lengths, test::contents(distances));
  const auto zeros = this->array(2, 2, {0, 0, 3, 0}), axis = this->array(3, 2, {0, 2, 5, 0, -1, 0});
  const auto nearest = this->template array<int>(2, 3);
  const auto angles = this->array(2, 3);
  quern::knn(this->exec, nearest, angles, zeros, axis, metric::cosine);
  EXPECT_EQ((std::vector<int>{0, 1, 2, 1, 0, 2}), test::contents(nearest));
  EXPECT_EQ((std::vector<double>{1, 1, 1, 0, 1, 2}), test::contents(angles));
}

TYPED_TEST(Nearest, Misuse) {
  const auto& e = this->exec;
  const auto points = this->array(3, 4), queries = this->array(2, 4), distances = this->array(2, 2);
  const auto neighbors = this->template array<int>(2, 2);
  test::expect_error("quern::knn: queries has extents (2, 2), expected (m, 4), as many columns as points",
                     [&] { quern::knn(e, neighbors, distances, this->array(2, 2), points); });
  test::expect_error("quern::knn: 4 neighbours of each among 3 points",
                     [&] { quern::knn(e, this->template array<int>(2, 4), this->array(2, 4), queries, points); });
  test::expect_error("quern::knn: neighbors has extents (2, 0), expected (m, k), k > 0",
                     [&] { quern::knn(e, this->template array<int>(2, 0), this->array(2, 0), queries, points); });
  test::expect_error("quern::knn: distances has extents (2, 1), expected (2, 2), as neighbors",
                     [&] { quern::knn(e, neighbors, this->array(2, 1), queries, points); });
  const auto part = Kokkos::subview(points, std::pair(0, 2), std::pair(0, 2));
  test::expect_error("quern::knn: out and points share memory",
                     [&] { quern::knn(e, neighbors, part, queries, points, metric::cosine); });
  EXPECT_EQ(std::vector<int>(4, -9), test::contents(neighbors));
  quern::knn(e, this->template array<int>(0, 2), this->array(0, 2), this->array(0, 4), points);
}

}  // namespace
