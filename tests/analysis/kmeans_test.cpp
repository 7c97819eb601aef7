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
const char* const all_cases[] = {"300 2 5",  "100 1 3",   "257 16 16", "255 17 9", "129 33 17", "1100 3 65", "2100 2 64",
                                 "64 15 63", "1025 1 2", "far",       "empty",    "two empty", "equal",     "all",       "one"};

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
      double largest = 1;
      for (const double v : reference.values(name + "/centers 300")) largest = std::max(largest, std::abs(v));
      const auto expected = reference.values(name + "/centers " + limit);
      const auto found = test::contents(centers);
      for (std::size_t e = 0; e < expected.size(); ++e)
        EXPECT_NEAR(expected[e], found[e], 2 * test::eps<T>() * largest) << name << ", " << limit << " at " << e;
      const auto inertia = reference.value(name + "/inertia " + limit);
      EXPECT_NEAR(inertia, r.inertia, 4 * test::eps<T>() * (inertia + largest)) << name << ", " << limit;
    }
  }
}

}  // namespace
