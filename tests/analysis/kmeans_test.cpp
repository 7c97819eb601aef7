// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/analysis.hpp>
#include <quern/core.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::max_iterations, quern::reproducible, quern::tolerance;
using quern::random::key;

const test::reference_archive reference("analysis/data/kmeans.npz");
const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
const char* const all_cases[] = {"300 2 5",   "100 1 3",   "257 16 16", "255 17 9", "129 33 17",
                                 "1100 3 65", "2100 2 64", "64 15 63",  "1025 1 2", "far",
                                 "empty",     "two empty", "equal",     "all",      "one"};

template <class Case>
struct KmeansOn : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  using L = typename Case::layout;
  template <class V = T>
  static auto array(const std::array<std::int64_t, 2>& extents, const std::vector<V>& values) {
    return test::make_array<V, 2, L, E>(extents, values);
  }
  static auto stored(const std::string& name) {
    std::vector<T> values;
    for (const float v : reference.values<float>(name)) values.push_back(v);
    return array(reference.extents_of_rank<2>(name), values);
  }
  static auto centers(std::int64_t k, std::int64_t d) { return array({k, d}, std::vector<T>(k * d, T(-9))); }
  template <class V = int>
  static auto labels(std::int64_t n) {
    return test::make_array<V, 1, L, E>({n}, std::vector<V>(n, V(-9)));
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(KmeansOn, cases);

TYPED_TEST(KmeansOn, ClustersAreScikitLearns) {
  using T = typename TestFixture::T;
  for (const std::string name : all_cases) {
    const auto points = this->stored(name + "/points"), initial = this->stored(name + "/initial");
    const auto centers = this->centers(initial.extent(0), initial.extent(1));
    const auto labels = this->labels(points.extent(0));
    for (const std::string limit : {"300", "2"}) {
      const auto r = limit == "300" ? quern::kmeans(typename TestFixture::E(), centers, labels, points, initial)
                                    : quern::kmeans(typename TestFixture::E(), centers, labels, points, initial,
                                                    max_iterations{2}, tolerance{.relative = 0}, reproducible);
      EXPECT_EQ(reference.value<std::int64_t>(name + "/iterations " + limit), r.iterations) << name << ", " << limit;
      EXPECT_EQ(reference.values<std::int32_t>(name + "/labels " + limit), test::contents(labels)) << name << limit;
      // scikit-learn adds up points one by one, with errors of a random walk.
      const double rounding = std::sqrt(static_cast<double>(points.extent(0))) * test::eps<T>();
      double largest = 1;
      for (const double v : reference.values(name + "/centers 300")) largest = std::max(largest, std::abs(v));
      const auto expected = reference.values(name + "/centers " + limit);
      const auto found = test::contents(centers);
      for (std::size_t e = 0; e < expected.size(); ++e)
        EXPECT_NEAR(expected[e], found[e], (2 * test::eps<T>() + rounding) * largest)
            << name << ", " << limit << " at " << e;
      const auto inertia = reference.value(name + "/inertia " + limit);
      EXPECT_NEAR(inertia, r.inertia, (4 * test::eps<T>() + rounding) * (inertia + largest)) << name << ", " << limit;
    }
  }
}

/// Points of a few columns that look random.
template <class T, class Exec, class Layout = Kokkos::LayoutRight>
auto scattered(std::int64_t n, std::int64_t d) {
  std::vector<T> values(n * d);
  for (std::int64_t e = 0; e < n * d; ++e) values[e] = static_cast<T>(test::sample(e) + 0.1 * test::sample(e, 7));
  return test::make_array<T, 2, Layout, Exec>({n, d}, values);
}
double squared_distance(const std::vector<double>& x, std::int64_t i, const std::vector<double>& y, std::int64_t j,
                        std::int64_t d) {
  double sum = 0;
  for (std::int64_t t = 0; t < d; ++t) sum += std::pow(x[i * d + t] - y[j * d + t], 2);
  return sum;
}

template <class Exec>
struct Kmeans : testing::Test {
  const Exec exec{};
  template <class V = double>
  static auto array(std::int64_t n, std::int64_t d, const std::vector<V>& values) {
    return test::make_array<V, 2, Kokkos::LayoutRight, Exec>({n, d}, values);
  }
  template <class V = double>
  static auto array(std::int64_t n, std::int64_t d) {
    return array(n, d, std::vector<V>(n * d, V(-9)));
  }
  template <class V = int>
  static auto labels(std::int64_t n) {
    return test::make_array<V, 1, Kokkos::LayoutRight, Exec>({n}, std::vector<V>(n, V(-9)));
  }
  /// Labels are of the nearest centres, and centres, if they are, means: however long sums are, and where they are.
  static void check(const std::vector<double>& points, const std::vector<double>& centers,
                    const std::vector<int>& labels, std::int64_t d, double inertia) {
    const auto n = static_cast<std::int64_t>(labels.size()), k = static_cast<std::int64_t>(centers.size()) / d;
    std::vector<double> sums(k * d), counts(k);
    double all = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_GE(labels[i], 0);
      ASSERT_LT(labels[i], k);
      const double own = squared_distance(points, i, centers, labels[i], d);
      for (std::int64_t j = 0; j < k; ++j) EXPECT_LE(own, squared_distance(points, i, centers, j, d) + 1e-10);
      for (std::int64_t t = 0; t < d; ++t) sums[labels[i] * d + t] += points[i * d + t];
      counts[labels[i]] += 1;
      all += own;
    }
    for (std::int64_t e = 0; e < k * d; ++e) EXPECT_NEAR(sums[e] / counts[e / d], centers[e], 1e-12);
    EXPECT_NEAR(all, inertia, 1e-12 * all);
  }
};
TYPED_TEST_SUITE(Kmeans, test::all_spaces);

/// With few and many clusters and columns: sums of parts in several groups, and in one.
TYPED_TEST(Kmeans, RandomStartsEndAtMeans) {
  for (const auto& [n, k, d] : {std::array<std::int64_t, 3>{900, 7, 3}, {300, 90, 70}, {1500, 1, 2}, {40, 30, 2}}) {
    const auto points = scattered<double, TypeParam>(n, d);
    const auto centers = this->array(k, d);
    const auto labels = this->labels(n);
    const auto r = quern::kmeans(this->exec, centers, labels, points, key(3), tolerance{.relative = 0});
    EXPECT_TRUE(r.converged);
    this->check(test::contents(points), test::contents(centers), test::contents(labels), d, r.inertia);
  }
}

/// The best of a few draws for each centre: far less than what random points as centres leave, and another for another
/// key.
TYPED_TEST(Kmeans, StartsAreSpreadOut) {
  constexpr int k = 25, each = 20;
  std::vector<double> values;  // clumps on a grid
  for (int i = 0; i < k * each; ++i) {
    values.push_back(100 * (i % 5) + test::sample(i));
    values.push_back(100 * (i / 5 % 5) + test::sample(i, 1));
  }
  const auto points = this->array(k * each, 2, values);
  const auto centers = this->array(k, 2), others = this->array(k, 2);
  const auto labels = this->labels(k * each);
  const auto first = quern::kmeans(this->exec, centers, labels, points, max_iterations{1});
  EXPECT_LT(first.inertia, 100.0 * k * each);
  EXPECT_EQ(first.inertia, quern::kmeans(this->exec, others, labels, points, key(0), max_iterations{1}).inertia);
  EXPECT_EQ(test::contents(centers), test::contents(others));
  quern::kmeans(others, labels, points, max_iterations{1}, key(1));
  EXPECT_NE(test::contents(centers), test::contents(others));
}

/// On the default host space and here.
TYPED_TEST(Kmeans, BitsAreTheSameEverywhere) {
  const auto run = []<class Exec, class T>(const Exec& exec, T) {
    const auto points = scattered<T, Exec>(5000, 11);
    const auto centers = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({13, 11}, std::vector<T>(13 * 11));
    const auto labels = Kmeans<Exec>::labels(5000);
    const auto r = quern::kmeans(exec, centers, labels, points, key(5), max_iterations{9}, reproducible);
    return std::tuple(test::contents(centers), test::contents(labels), r.inertia, r.iterations);
  };
  EXPECT_EQ(run(Kokkos::DefaultHostExecutionSpace(), 0.0), run(this->exec, 0.0));
  EXPECT_EQ(run(Kokkos::DefaultHostExecutionSpace(), 0.0f), run(this->exec, 0.0f));
}

TYPED_TEST(Kmeans, PointsThatAreNotFiniteAreOfNoCluster) {
  const auto points = this->array(8, 2, {nan, 0, 1, 1, 2, 2, 0, infinity, 11, 11, 1e200, 0, 12, 12, -infinity, nan});
  const auto finite = this->array(4, 2, {1, 1, 2, 2, 11, 11, 12, 12});
  const auto initial = this->array(2, 2, {0, 0, 10, 10});
  const auto centers = this->array(2, 2), expected = this->array(2, 2);
  const auto labels = this->labels(8), few = this->labels(4);
  const auto r = quern::kmeans(this->exec, centers, labels, points, initial);
  const auto f = quern::kmeans(this->exec, expected, few, finite, initial);
  EXPECT_EQ((std::vector<int>{-1, 0, 0, -1, 1, -1, 1, -1}), test::contents(labels));
  EXPECT_EQ(test::contents(expected), test::contents(centers));
  EXPECT_EQ(f.inertia, r.inertia);
  EXPECT_EQ(f.iterations, r.iterations);
  quern::kmeans(this->exec, centers, labels, points);
  const auto l = test::contents(labels);
  EXPECT_EQ((std::vector<int>{-1, -1, -1, -1}), (std::vector<int>{l[0], l[3], l[5], l[7]}));
  const auto none = this->array(3, 1, {nan, infinity, nan});
  const auto lost = this->array(2, 1);
  const auto of_none = this->labels(3);
  EXPECT_EQ(0, quern::kmeans(this->exec, lost, of_none, none).inertia);
  EXPECT_EQ(std::vector<int>(3, -1), test::contents(of_none));
  EXPECT_TRUE(std::isnan(test::contents(lost)[0]));
  const auto from = this->array(2, 1, {3, 0.1});
  const auto r0 = quern::kmeans(this->exec, lost, of_none, none, from, tolerance{.relative = 1e-3});
  EXPECT_EQ((std::vector<double>{3, 0.1}), test::contents(lost)) << "where they were";
  EXPECT_EQ(std::vector<int>(3, -1), test::contents(of_none));
  EXPECT_EQ(0, r0.inertia);
  EXPECT_TRUE(r0.converged);
}

TYPED_TEST(Kmeans, SaysWhetherItConverged) {
  const auto points = scattered<double, TypeParam>(700, 2);
  const auto centers = this->array(6, 2);
  const auto labels = this->template labels<std::int8_t>(700);
  const auto all = quern::kmeans(this->exec, centers, labels, points, tolerance{.relative = 0});
  EXPECT_TRUE(all.converged);
  EXPECT_GT(all.iterations, 3);
  const auto few = quern::kmeans(this->exec, centers, labels, points, max_iterations{2}, tolerance{.relative = 0});
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(2, few.iterations);
  EXPECT_GE(few.inertia, all.inertia);
  const auto loose = quern::kmeans(this->exec, centers, labels, points, tolerance{.relative = 0, .absolute = 1e9});
  EXPECT_TRUE(loose.converged);
  EXPECT_EQ(1, loose.iterations);
  const auto in_place = quern::kmeans(this->exec, centers, labels, points, centers, tolerance{.relative = 0});
  EXPECT_TRUE(in_place.converged);
}

TYPED_TEST(Kmeans, DoesNotConvergeByAVarianceThatOverflows) {
  std::vector<double> values;
  for (int i = 0; i < 8; ++i) values.push_back(std::array{-0.6e154, -0.5e154, 0.5e154, 0.6e154}[i / 2]);
  const auto labels = this->labels(8);
  const auto r = quern::kmeans(this->exec, this->array(2, 1), labels, this->array(8, 1, values),
                               this->array(2, 1, {0.5e154, 0.6e154}));
  EXPECT_TRUE(r.converged);
  EXPECT_EQ((std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}), test::contents(labels));
}

/// Where the squares of points overflow, but not those of what lies between them.
TYPED_TEST(Kmeans, LargePointsAreInClusters) {
  const auto points =
      this->template array<float>(5, 1, {std::numeric_limits<float>::quiet_NaN(), 2e19f, 2e19f, 3e19f, 3e19f});
  const auto centers = this->template array<float>(2, 1);
  const auto labels = this->labels(5);
  quern::kmeans(this->exec, centers, labels, points, this->template array<float>(2, 1, {1.9e19f, 3.1e19f}));
  EXPECT_EQ((std::vector<int>{-1, 0, 0, 1, 1}), test::contents(labels));
  EXPECT_EQ((std::vector<float>{2e19f, 3e19f}), test::contents(centers));
}

/// Sums of floats in a few long parts, far from zero.
TYPED_TEST(Kmeans, MeansOfManyFloatsAreExact) {
  const std::int64_t n = 40000;
  const auto points = this->template array<float>(n, 1, std::vector<float>(n, 0.3f));
  const auto centers = this->template array<float>(1, 1);
  const auto r = quern::kmeans(this->exec, centers, this->labels(n), points, this->template array<float>(1, 1, {0.0f}));
  EXPECT_EQ((std::vector<float>{0.3f}), test::contents(centers));
  EXPECT_EQ(0, r.inertia);
}

TYPED_TEST(Kmeans, EqualPointsAreOneCluster) {
  const auto points = this->array(40, 3, std::vector<double>(120, 0.3));
  const auto centers = this->array(4, 3);
  const auto labels = this->labels(40);
  const auto r = quern::kmeans(this->exec, centers, labels, points);
  EXPECT_TRUE(r.converged);
  EXPECT_EQ(std::vector<int>(40, 0), test::contents(labels));
  EXPECT_EQ(std::vector<double>(12, 0.3), test::contents(centers));
  EXPECT_EQ(0, r.inertia);
}

TYPED_TEST(Kmeans, Misuse) {
  const auto& e = this->exec;
  const auto points = this->array(5, 2, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4}), centers = this->array(2, 2);
  const auto labels = this->labels(5);
  test::expect_error("quern::kmeans: centers has extents (2, 3), expected (k, 2), k > 0, a row for each cluster",
                     [&] { quern::kmeans(e, this->array(2, 3), labels, points); });
  test::expect_error("quern::kmeans: centers has extents (0, 2), expected (k, 2), k > 0, a row for each cluster",
                     [&] { quern::kmeans(e, this->array(0, 2), labels, points); });
  test::expect_error("quern::kmeans: 6 clusters of 5 points",
                     [&] { quern::kmeans(e, this->array(6, 2), labels, points); });
  test::expect_error("quern::kmeans: points has extents (0, 2), expected (n, d), of one point and one column at least",
                     [&] { quern::kmeans(e, centers, labels, this->array(0, 2)); });
  test::expect_error("quern::kmeans: labels has extents (4), expected (5), one for each point",
                     [&] { quern::kmeans(e, centers, this->labels(4), points); });
  test::expect_error("quern::kmeans: initial has extents (1, 2), expected (2, 2), as centers",
                     [&] { quern::kmeans(e, centers, labels, points, this->array(1, 2)); });
  test::expect_error("quern::kmeans: initial has a NaN or an infinity",
                     [&] { quern::kmeans(e, centers, labels, points, this->array(2, 2, {0, 0, nan, 0})); });
  test::expect_error("quern::kmeans: max_iterations is 0, expected at least 1",
                     [&] { quern::kmeans(e, centers, labels, points, max_iterations{0}); });
  test::expect_error("quern::kmeans: a tolerance is negative or NaN",
                     [&] { quern::kmeans(e, centers, labels, points, tolerance{.relative = nan}); });
  const auto part = Kokkos::subview(points, std::pair(0, 2), Kokkos::ALL());
  test::expect_error("quern::kmeans: out and points share memory", [&] { quern::kmeans(e, part, labels, points); });
  EXPECT_EQ(std::vector<double>(4, -9), test::contents(centers));
  EXPECT_EQ(std::vector<int>(5, -9), test::contents(labels));
}

}  // namespace
