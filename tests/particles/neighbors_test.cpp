// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_DualView.hpp>
#include <algorithm>
#include <limits>
#include <quern/analysis.hpp>
#include <quern/core.hpp>
#include <quern/particles.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>
#include <utility>

namespace {

using quern::CellGrid, quern::domain, quern::periodic, quern::size_to;

const test::reference_archive reference("particles/data/particles.npz");
const double nan = std::numeric_limits<double>::quiet_NaN();

domain unit_box(std::int64_t rank, bool ends) {
  if (rank == 1) return domain({0}, {1}, periodic(ends));
  if (rank == 2) return domain({0, 0}, {1, 1}, periodic(ends));
  return domain({0, 0, 0}, {1, 1, 1}, periodic(ends));
}
/// The lists of neighbours, each in ascending order.
template <class T>
std::vector<T> sorted_lists(const std::vector<int>& starts, std::vector<T> neighbors) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    std::sort(neighbors.begin() + starts[i], neighbors.begin() + starts[i + 1]);
  return neighbors;
}

template <class Case>
struct PointsOn : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  static auto points(const std::string& name) {
    std::vector<T> values;
    for (const double v : reference.values(name + "/points")) values.push_back(static_cast<T>(v));
    return test::make_array<T, 2, typename Case::layout, E>(reference.extents_of_rank<2>(name + "/points"), values);
  }
  template <class V>
  static auto row(std::int64_t n, V value = V(-9)) {
    return test::make_array<V, 1, typename Case::layout, E>({n}, std::vector<V>(n, value));
  }
  template <class V>
  static auto table(std::int64_t n, std::int64_t k) {
    return test::make_array<V, 2, typename Case::layout, E>({n, k}, std::vector<V>(n * k, V(-9)));
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(PointsOn, cases);

TYPED_TEST(PointsOn, NeighborsAreSciPys) {
  using E = typename TestFixture::E;
  for (const std::string name : {"line", "plane", "space", "few cells", "two cells"})
    for (const std::string how : {"open", "periodic"}) {
      const auto points = this->points(name);
      const auto radius = reference.value(name + "/radius");
      const auto box = unit_box(points.extent(1), how == "periodic");
      const auto expected = reference.values<std::int32_t>(name + "/" + how + " neighbors");
      const auto n = static_cast<std::int64_t>(points.extent(0)), pairs = static_cast<std::int64_t>(expected.size());
      const auto starts = this->template row<int>(n + 1);
      const auto neighbors = this->template row<int>(pairs + 3);
      EXPECT_EQ(pairs, quern::radius_neighbors(E(), starts, neighbors, points, box, radius)) << name << ", " << how;
      const auto found = test::contents(starts);
      const auto first = reference.values<std::int32_t>(name + "/" + how + " starts");
      EXPECT_TRUE(std::equal(first.begin(), first.end(), found.begin(), found.end())) << name << ", " << how;
      auto lists = sorted_lists(found, test::contents(neighbors));
      EXPECT_EQ(std::vector<int>(3, -9), std::vector<int>(lists.end() - 3, lists.end()));
      lists.resize(pairs);
      EXPECT_EQ(expected, lists) << name << ", " << how;
    }
}

TYPED_TEST(PointsOn, ClustersAreScikitLearns) {
  using E = typename TestFixture::E;
  for (const std::string name : {"line", "plane", "space", "few cells", "two cells"}) {
    const auto points = this->points(name);
    const auto n = static_cast<std::int64_t>(points.extent(0));
    for (const std::int64_t least : {std::int64_t{1}, std::int64_t{3}, std::int64_t{6}, n}) {
      const auto expected = reference.values<std::int32_t>(name + "/clusters " + std::to_string(least));
      const auto labels = this->template row<int>(n);
      const auto clusters = quern::dbscan(E(), labels, points, unit_box(points.extent(1), false),
                                          reference.value(name + "/radius"), least);
      EXPECT_EQ(expected, test::contents(labels)) << name << ", " << least;
      EXPECT_EQ(*std::max_element(expected.begin(), expected.end()) + 1, clusters) << name << ", " << least;
    }
  }
}

TYPED_TEST(PointsOn, DistancesOfTheNearestAreSciPys) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  for (const std::string name : {"line", "plane", "space", "few cells", "two cells"})
    for (const std::string how : {"open", "periodic"}) {
      const auto points = this->points(name);
      const auto n = static_cast<std::int64_t>(points.extent(0));
      const auto box = unit_box(points.extent(1), how == "periodic");
      const auto expected = reference.values(name + "/" + how + " distances");
      const auto neighbors = this->template table<int>(n, 7);
      const auto distances = this->template table<T>(n, 7);
      quern::knn(E(), neighbors, distances, points, points, box);
      const auto found = test::contents(distances);
      ASSERT_EQ(expected.size(), found.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(expected[i], found[i], std::numeric_limits<T>::epsilon()) << name << ", " << how << " at " << i;
    }
}

/// Those with the least distances, and of equal ones with the least numbers; queries are points, others, and outside.
TYPED_TEST(PointsOn, TheNearestAreThoseOfALoop) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  for (const std::string name : {"line", "plane", "space", "two cells"})
    for (const bool ends : {false, true})
      for (const double shift : {0.0, 0.25, 1.5}) {
        const auto points = this->points(name);
        const auto values = reference.values(name + "/points");
        const std::int64_t n = points.extent(0), rank = points.extent(1), k = 5;
        std::vector<T> moved;
        for (const double v : values) moved.push_back(static_cast<T>(v + shift));
        const auto queries = test::make_array<T, 2, typename TypeParam::layout, E>({n, rank}, moved);
        const auto neighbors = this->template table<int>(n, k);
        const auto distances = this->template table<T>(n, k);
        const auto box = unit_box(rank, ends);
        if (shift == 0) quern::knn(E(), neighbors, distances, points, box);
        else quern::knn(neighbors, distances, queries, points, box);
        std::vector<int> expected;
        for (std::int64_t i = 0; i < n; ++i) {
          std::vector<std::pair<double, int>> all;
          for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t d = 0; d < rank; ++d) {
              double step = std::abs(values[i * rank + d] + shift - values[j * rank + d]);
              if (ends) step = std::abs(step - std::round(step));
              sum += step * step;
            }
            if (shift != 0 || j != i) all.push_back({sum, static_cast<int>(j)});
          }
          std::sort(all.begin(), all.end());
          for (int j = 0; j < k; ++j) expected.push_back(all[j].second);
        }
        EXPECT_EQ(expected, test::contents(neighbors)) << name << ", " << ends << ", " << shift;
      }
}

TYPED_TEST(PointsOn, BinsAreThoseOfALoop) {
  using E = typename TestFixture::E;
  const auto points = this->points("space");
  const auto values = reference.values("space/points");
  const CellGrid grid(domain({0.25, 0, 0}, {0.75, 1, 1}, periodic(false, true, true)), 0.3);
  ASSERT_EQ((std::vector<std::int64_t>{1, 3, 3}),
            (std::vector<std::int64_t>{grid.count(0), grid.count(1), grid.count(2)}));
  const auto n = static_cast<std::int64_t>(points.extent(0));
  std::vector<std::vector<int>> expected(9);
  for (int i = 0; i < n; ++i)
    expected[static_cast<int>(values[3 * i + 1] * 3) * 3 + static_cast<int>(values[3 * i + 2] * 3)].push_back(i);
  const auto order = this->template row<int>(n), offsets = this->template row<int>(10);
  quern::bin_by(E(), order, offsets, points, grid);
  std::vector<int> listed, ends{0};
  for (const auto& cell : expected) {
    listed.insert(listed.end(), cell.begin(), cell.end());
    ends.push_back(static_cast<int>(listed.size()));
  }
  EXPECT_EQ(listed, test::contents(order));
  EXPECT_EQ(ends, test::contents(offsets));
}

template <class Exec>
struct Points : testing::Test {
  const Exec exec{};
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  static auto on_line(const std::vector<double>& v) {
    return test::make_array<double, 2, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size()), 1}, v);
  }
};
TYPED_TEST_SUITE(Points, test::all_spaces);

/// Images of points outside, points beyond the ends, equal points, NaN, and a radius that is a distance.
TYPED_TEST(Points, AtTheEndsOfIntervals) {
  const auto points = this->on_line({-0.25, 0.75, 7.5, 0.5, nan, 0.5, -100});
  const auto starts = this->row(std::vector<int>(8)), neighbors = this->row(std::vector<int>(40));
  const auto found = [&](const domain& box, double radius) {
    const auto pairs = quern::radius_neighbors(this->exec, starts, neighbors, points, box, radius);
    auto lists = sorted_lists(test::contents(starts), [&] {
      const auto host = test::contents(neighbors);
      return std::vector<int>(host.begin(), host.begin() + pairs);
    }());
    return std::pair(test::contents(starts), lists);
  };
  const auto open = found(domain({0}, {1}), 0.25);
  EXPECT_EQ((std::vector<int>{0, 0, 2, 2, 4, 4, 6, 6}), open.first);
  EXPECT_EQ((std::vector<int>{3, 5, 1, 5, 1, 3}), open.second);
  const auto closed = found(domain({0}, {1}, periodic(true)), 0.25);  // 0.75 twice, 0.5 three times, 0
  EXPECT_EQ((std::vector<int>{0, 5, 10, 14, 18, 18, 22, 24}), closed.first);
  const auto equal = found(domain({0}, {1}), 0);
  EXPECT_EQ((std::vector<int>{0, 0, 0, 0, 1, 1, 2, 2}), equal.first);
  EXPECT_EQ((std::vector<int>{5, 3}), equal.second);
  EXPECT_EQ(30u, found(domain({-1}, {1}), std::numeric_limits<double>::infinity()).second.size());
}

TYPED_TEST(Points, AtInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto points = this->on_line({inf, 0, 1});
  const auto offsets = this->row(std::vector<int>(4)), neighbors = this->row(std::vector<int>(8));
  EXPECT_THROW(quern::radius_neighbors(this->exec, offsets, neighbors, points, domain({0}, {1}), 1e200), quern::Error);
  for (const double radius : {inf, 1e150}) {
    const bool all = radius == inf;
    EXPECT_EQ(all ? 6 : 2, quern::radius_neighbors(this->exec, offsets, neighbors, points, domain({0}, {1}), radius));
    EXPECT_EQ((all ? std::vector<int>{0, 2, 4, 6} : std::vector<int>{0, 0, 1, 2}), test::contents(offsets)) << radius;
  }
}

/// Images many boxes away, whose cells are rounded, beside all pairs of the same images.
TYPED_TEST(Points, FarFromTheBox) {
  std::vector<float> x(700);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(1e4 * test::sample(i, 3) + test::sample(i, 4));
  const auto points = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({700, 1}, x);
  const auto offsets = this->row(std::vector<int>(701)), neighbors = this->row(std::vector<int>(700 * 700));
  const domain box({0}, {0.1}, periodic(true));
  const auto pairs = quern::radius_neighbors(this->exec, offsets, neighbors, points, box, 0.002);
  const auto ends = test::contents(offsets), found = test::contents(neighbors);
  EXPECT_LT(700, pairs);
  // Each pair is there in both directions, whatever the images are.
  std::vector<std::pair<int, int>> forward, backward;
  for (int i = 0; i < 700; ++i)
    for (int k = ends[i]; k < ends[i + 1]; ++k) {
      forward.push_back({i, found[k]});
      backward.push_back({found[k], i});
    }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TYPED_TEST(Points, OfOtherArrays) {
  Kokkos::DualView<double**, Kokkos::LayoutRight, TypeParam> points("points", 4, 1);
  points.view_host()(1, 0) = points.view_host()(3, 0) = 0.9;
  points.modify_host();
  points.sync_device();
  Kokkos::DualView<int*, Kokkos::LayoutRight, TypeParam> order("order", 4), offsets("offsets", 3);
  quern::bin_by(this->exec, order, offsets, points, CellGrid(domain({0}, {1}), 0.5));
  order.sync_host();
  offsets.sync_host();
  EXPECT_EQ((std::vector<int>{0, 2, 1, 3}), test::contents(order.view_host()));
  EXPECT_EQ((std::vector<int>{0, 2, 4}), test::contents(offsets.view_host()));
  EXPECT_EQ(0.9, quern::bounding_domain(this->exec, points).high(0));
}

/// A line of core points in descending order, each near the next, and a ring that is closed at the ends of a box.
TYPED_TEST(Points, OneClusterFromEndToEnd) {
  const std::int64_t n = 300'000;
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<double>(n - i);
  const auto points = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({n, 1}, x);
  const Kokkos::View<int*, TypeParam> labels("labels", n);
  EXPECT_EQ(1, quern::dbscan(this->exec, labels, points, domain({0}, {static_cast<double>(n)}), 1.0, 3));
  EXPECT_EQ(std::vector<int>(n, 0), test::contents(labels));
  const auto ring = this->on_line({0.125, 0.25, 0.75, 0.875, 0.5625, 0.0});
  const auto few = this->row(std::vector<int>(6));
  EXPECT_EQ(1, quern::dbscan(this->exec, few, ring, domain({0}, {1}, periodic(true)), 0.125, 3));
  EXPECT_EQ((std::vector<int>{0, 0, 0, 0, -1, 0}), test::contents(few));
  EXPECT_EQ(0, quern::dbscan(this->exec, few, ring, domain({0}, {1}), 0.125, 4));
}

TYPED_TEST(Points, WhatDoesNotFitIsCounted) {
  const auto points = this->on_line({0.1, 0.1, 0.1, 0.1});
  const auto starts = this->row(std::vector<int>(5)), neighbors = this->row(std::vector<int>(4, -9));
  const domain box({0}, {1});
  try {
    quern::radius_neighbors(this->exec, starts, neighbors, points, box, 0.1);
    ADD_FAILURE() << "expected a CapacityError";
  } catch (const quern::CapacityError& e) {
    EXPECT_EQ(12, e.needed());
    EXPECT_EQ(4, e.room());
  }
  const Kokkos::View<std::int64_t, TypeParam> number("number");
  quern::radius_neighbors(starts, neighbors, points, box, 0.1, size_to{number});
  EXPECT_EQ(12, test::value(number));
  EXPECT_EQ((std::vector<int>{0, 3, 6, 9, 12}), test::contents(starts));
  EXPECT_EQ((std::vector<int>{1, 2, 3, 0}), test::contents(neighbors));
  const auto labels = this->row(std::vector<int>(4));
  quern::dbscan(labels, points, box, 0, 4, size_to{number});
  EXPECT_EQ(1, test::value(number));
  EXPECT_EQ(std::vector<int>(4, 0), test::contents(labels));
}

TYPED_TEST(Points, WithNaNAreNoNeighbors) {
  const auto points = this->on_line({0.5, nan, 0.25});
  const auto neighbors = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({3, 2}, std::vector<int>(6));
  const auto distances = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({3, 2}, std::vector<double>(6));
  const domain box({0}, {1});
  const double inf = std::numeric_limits<double>::infinity();
  quern::knn(this->exec, neighbors, distances, points, box);
  EXPECT_EQ((std::vector<int>{2, -1, -1, -1, 0, -1}), test::contents(neighbors));
  EXPECT_EQ((std::vector<double>{0.25, inf, inf, inf, 0.25, inf}), test::contents(distances));
  const auto wide = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({3, 3}, std::vector<int>(9));
  const auto as_wide = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({3, 3}, std::vector<double>(9));
  test::expect_error("quern::knn: 3 neighbours of each among 2 points",
                     [&] { quern::knn(this->exec, wide, as_wide, points, box); });
  test::expect_error("quern::knn: distances has extents (3, 2), expected (3, 3), as neighbors",
                     [&] { quern::knn(this->exec, wide, distances, points, points, box); });
  quern::knn(this->exec, wide, as_wide, points, points, box);
  EXPECT_EQ((std::vector<int>{0, 2, -1, -1, -1, -1, 2, 0, -1}), test::contents(wide));
}

TYPED_TEST(Points, OfNothingAreNone) {
  const Kokkos::View<float**, TypeParam> points("points", 0, 3);
  const auto none = this->row(std::vector<int>()), one = this->row(std::vector<int>{7});
  const domain box({0, 0, 0}, {1, 1, 1}, periodic(true));
  EXPECT_EQ(0, quern::radius_neighbors(this->exec, one, none, points, box, 0.1));
  EXPECT_EQ(std::vector<int>{0}, test::contents(one));
  EXPECT_EQ(0, quern::dbscan(this->exec, none, points, box, 0.1, 1));
  const auto offsets = this->row(std::vector<int>(2, 7));
  quern::bin_by(none, offsets, points, CellGrid(box, 5));
  EXPECT_EQ(std::vector<int>(2, 0), test::contents(offsets));
}

TYPED_TEST(Points, BoundingDomain) {
  const auto points = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({3, 2}, {1, 5, -2, 5, 0.5f, 5});
  const domain box = quern::bounding_domain(this->exec, points);
  EXPECT_EQ(2, box.rank());
  EXPECT_EQ(-2, box.low(0));
  EXPECT_EQ(1, box.high(0));
  EXPECT_EQ(5, box.low(1));
  EXPECT_EQ(6, box.high(1));
  const domain far = quern::bounding_domain(this->on_line({1e17, 1e17}));
  EXPECT_LT(far.low(0), far.high(0));
  EXPECT_THROW(quern::bounding_domain(this->on_line({1, nan})), quern::Error);
  EXPECT_THROW(quern::bounding_domain(this->on_line({-1e308, 1.5e308})), quern::Error);
  EXPECT_THROW(quern::bounding_domain(this->on_line({})), quern::Error);
}

TYPED_TEST(Points, AreCheckedFirst) {
  const auto points = this->on_line({0.1, 0.2});
  const auto starts = this->row(std::vector<int>(3, -9)), neighbors = this->row(std::vector<int>(4, -9));
  const auto small = this->row(std::vector<std::int8_t>(3));
  const auto labels = this->row(std::vector<int>(2, -9));
  const auto many = this->row(std::vector<int>(128));
  const TypeParam& exec = this->exec;
  const domain box({0}, {1}), plane({0, 0}, {1, 1});
  test::expect_error(
      "quern::radius_neighbors: points has extents (2, 1), expected (n, 2), a column for each axis of the domain",
      [&] { quern::radius_neighbors(exec, starts, neighbors, points, plane, 0.1); });
  test::expect_error("quern::radius_neighbors: offsets has extents (2), expected (3), one more than points",
                     [&] { quern::radius_neighbors(exec, labels, neighbors, points, box, 0.1); });
  test::expect_error("quern::radius_neighbors: positions to before 129 do not fit the type of offsets, of 8 bits",
                     [&] { quern::radius_neighbors(exec, small, many, points, box, 0.1); });
  EXPECT_THROW(quern::radius_neighbors(exec, starts, neighbors, points, box, -1), quern::Error);
  EXPECT_THROW(quern::radius_neighbors(exec, starts, neighbors, points, box, nan), quern::Error);
  EXPECT_THROW(quern::radius_neighbors(exec, starts, starts, points, box, 0.1), quern::Error);
  test::expect_error("quern::dbscan: labels has extents (3), expected (2), one for each point",
                     [&] { quern::dbscan(exec, starts, points, box, 0.1, 1); });
  test::expect_error("quern::bin_by: offsets has extents (3), expected (11), one more than cells",
                     [&] { quern::bin_by(exec, labels, starts, points, CellGrid(box, 0.1)); });
  test::expect_error("quern::dbscan: min_samples is 0, expected at least 1",
                     [&] { quern::dbscan(exec, labels, points, box, 0.1, 0); });
  const auto narrow = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({2, 1}, std::vector<float>(2));
  test::expect_error("quern::dbscan: axis 0 is from 0 to 1.3611294676837539e+39, which the points' type does not hold",
                     [&] { quern::dbscan(exec, labels, narrow, domain({0}, {0x1p130}), 0.1, 1); });
  EXPECT_EQ(std::vector<int>(3, -9), test::contents(starts));
  EXPECT_EQ(std::vector<int>(2, -9), test::contents(labels));
}

TEST(DomainOf, Boxes) {
  test::expect_error("quern::domain: 2 and 1 coordinates, expected 1 to 3 of each end", [] { domain({0, 0}, {1}); });
  EXPECT_THROW(domain({0}, {0}), quern::Error);
  EXPECT_THROW(domain({0}, {std::numeric_limits<double>::infinity()}), quern::Error);
  EXPECT_THROW(domain({0, 0}, {1, 1}, periodic(true, false, true)), quern::Error);
  EXPECT_THROW(CellGrid(domain({0}, {1}), 0), quern::Error);
  EXPECT_EQ(10, CellGrid(domain({0}, {1}), 0.1).size());
  EXPECT_EQ(1, CellGrid(domain({0}, {1}), 7).size());
  const CellGrid many(domain({0, 0, 0}, {1, 1e-3, 1e3}), 1e-9, 1000);
  EXPECT_GE(1000, many.size());
  EXPECT_LE(500, many.size());
}

}  // namespace
