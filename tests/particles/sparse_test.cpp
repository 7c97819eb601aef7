// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Points of which nearly all are in a small part of their box.
#include <algorithm>
#include <quern/analysis/dbscan.hpp>
#include <quern/core.hpp>
#include <quern/particles.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::domain, quern::periodic;

const test::reference_archive reference("particles/data/particles.npz");

template <class Case>
struct SparseOn : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  static auto points(const std::vector<double>& values, std::int64_t rank) {
    return test::make_array<T, 2, typename Case::layout, E>({static_cast<std::int64_t>(values.size()) / rank, rank},
                                                            std::vector<T>(values.begin(), values.end()));
  }
  template <class V>
  static auto row(std::int64_t n) {
    return test::make_array<V, 1, typename Case::layout, E>({n}, std::vector<V>(n, V(-9)));
  }
  /// The neighbours of each point, in ascending order, as pairs.
  template <class V>
  static auto pairs(const V& points, const domain& box, double radius, std::int64_t room) {
    const auto starts = row<int>(points.extent(0) + 1), neighbors = row<int>(room);
    const std::int64_t found = quern::radius_neighbors(E(), starts, neighbors, points, box, radius);
    const auto ends = test::contents(starts), lists = test::contents(neighbors);
    std::vector<std::pair<int, int>> all;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
      for (int k = ends[i]; k < ends[i + 1]; ++k) all.push_back({static_cast<int>(i), lists[k]});
    EXPECT_EQ(static_cast<std::size_t>(found), all.size());
    std::sort(all.begin(), all.end());
    return all;
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(SparseOn, cases);

/// One more point at 1e6 times the extent changes nothing of the others.
TYPED_TEST(SparseOn, AnOutlierChangesNoResult) {
  using E = typename TestFixture::E;
  for (const std::string name : {"line", "plane", "space"}) {
    auto values = reference.values(name + "/points");
    const std::int64_t rank = reference.extents_of_rank<2>(name + "/points")[1];
    const auto n = static_cast<std::int64_t>(values.size()) / rank;
    std::vector<double> all(values.begin(), values.end());
    for (std::int64_t d = 0; d < rank; ++d) all.push_back(1e6);
    const auto points = this->points(all, rank);
    const domain box = quern::bounding_domain(E(), points);
    const double radius = reference.value(name + "/radius");
    const auto starts = reference.values<std::int32_t>(name + "/open starts");
    const auto neighbors = reference.values<std::int32_t>(name + "/open neighbors");
    std::vector<std::pair<int, int>> expected;
    for (std::int64_t i = 0; i < n; ++i)
      for (int k = starts[i]; k < starts[i + 1]; ++k) expected.push_back({static_cast<int>(i), neighbors[k]});
    EXPECT_EQ(expected, this->pairs(points, box, radius, static_cast<std::int64_t>(expected.size()))) << name;

    auto clusters = reference.values<std::int32_t>(name + "/clusters 3");
    clusters.push_back(-1);
    const auto labels = this->template row<int>(n + 1);
    quern::dbscan(E(), labels, points, box, radius, 3);
    EXPECT_EQ(std::vector<int>(clusters.begin(), clusters.end()), test::contents(labels)) << name;
    const auto counts = this->template row<std::int64_t>(1);
    quern::pair_counts(E(), counts, points, box, {radius});
    EXPECT_EQ(static_cast<std::int64_t>(expected.size()), test::contents(counts)[0]) << name;
  }
}

/// Clumps in a large box, of which some are where the keys of cells begin again, and some at its ends, in the order of
/// a loop over all pairs. Coordinates are multiples of a quarter of the radius.
TYPED_TEST(SparseOn, ClumpsAreThoseOfALoop) {
  for (const std::int64_t rank : {1, 2, 3})
    for (const bool around : {false, true}) {
      const double length = rank == 3 && !around ? 0x1p22 : 0x1p12;  // as many quarters as float holds
      const double places[] = {0, length / 2, length / 4, length - 16};
      std::vector<double> values;
      for (int i = 0; i < 150; ++i)
        for (std::int64_t d = 0; d < rank; ++d)
          values.push_back(places[(i + d * (i / 4)) % 4] + std::abs(test::sample(i, 7 + d)) * (i % 4 == 3 ? 3 : 1));
      const auto distance = [&](double a, double b) {
        const double step = std::abs(a - b);
        return around ? std::min(step, length - step) : step;
      };
      const double radius = 1;
      std::vector<std::pair<int, int>> expected;
      for (int i = 0; i < 150; ++i)
        for (int j = 0; j < 150; ++j) {
          double sum = 0;
          for (std::int64_t d = 0; d < rank; ++d)
            sum += std::pow(distance(values[i * rank + d], values[j * rank + d]), 2);
          if (i != j && sum <= radius * radius) expected.push_back({i, j});
        }
      const domain box = rank == 1   ? domain({0}, {length}, periodic(around))
                         : rank == 2 ? domain({0, 0}, {length, length}, periodic(around))
                                     : domain({0, 0, 0}, {length, length, length}, periodic(around));
      EXPECT_EQ(expected, this->pairs(this->points(values, rank), box, radius, 150 * 150)) << rank << ", " << around;
    }
}

/// Pairs of such clumps with others that are in the same places, of which the last radius reaches around the box.
TYPED_TEST(SparseOn, PairsWithOthersAreThoseOfALoop) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  const std::vector<double> radii{0, 0.5, 1, 2.25};
  for (const std::int64_t rank : {1, 2, 3})
    for (const bool around : {false, true}) {
      const double length = rank == 3 && !around ? 0x1p22 : 0x1p12;
      const double places[] = {0, length / 2, length / 4, length - 4};
      const auto clumps = [&](int n, int seed) {
        std::vector<double> values;
        for (int i = 0; i < n; ++i)
          for (std::int64_t d = 0; d < rank; ++d)
            values.push_back(static_cast<T>(places[(i + d * (i / 4)) % 4] + std::abs(test::sample(i, seed + d))));
        return values;
      };
      const std::vector<double> x = clumps(130, 3), y = clumps(90, 11);
      std::vector<std::int64_t> expected(radii.size());
      for (std::size_t i = 0; i < x.size(); i += rank)
        for (std::size_t j = 0; j < y.size(); j += rank) {
          double sum = 0;
          for (std::int64_t d = 0; d < rank; ++d) {
            const double step = std::abs(x[i + d] - y[j + d]);
            sum += std::pow(around ? std::min(step, length - step) : step, 2);
          }
          for (std::size_t r = 0; r < radii.size(); ++r) expected[r] += sum <= radii[r] * radii[r] ? 1 : 0;
        }
      EXPECT_GT(expected[3], expected[2]);
      const domain box = rank == 1   ? domain({0}, {length}, periodic(around))
                         : rank == 2 ? domain({0, 0}, {length, length}, periodic(around))
                                     : domain({0, 0, 0}, {length, length, length}, periodic(around));
      const auto found = this->template row<std::int64_t>(4);
      quern::pair_counts(E(), found, this->points(x, rank), this->points(y, rank), box, radii);
      EXPECT_EQ(expected, test::contents(found)) << rank << ", " << around;
      quern::pair_counts(E(), found, this->points(y, rank), this->points(x, rank), box, radii);
      EXPECT_EQ(expected, test::contents(found)) << rank << ", " << around << ", the other way around";
    }
}

/// The nearest without a domain, beside a loop: of the other points, and of the outlier, whose own cell is far away.
TYPED_TEST(SparseOn, TheNearestAreThoseOfALoop) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  const std::int64_t n = 1500, k = 3;
  std::vector<double> values(2 * n);
  for (std::int64_t e = 0; e < 2 * n; ++e) values[e] = test::sample(e, 1) + test::sample(e, 2) / 64;
  const std::vector<int> outliers{7, 450, 1499};
  for (const int i : outliers) values[2 * i] = 16384 + i;
  const auto points = this->points(values, 2);
  const auto neighbors = test::make_array<int, 2, typename TypeParam::layout, E>({n, k}, std::vector<int>(n * k));
  const auto distances = test::make_array<T, 2, typename TypeParam::layout, E>({n, k}, std::vector<T>(n * k));
  quern::knn(E(), neighbors, distances, points, points);
  const auto found = test::contents(neighbors);
  const auto lengths = test::contents(distances);
  for (std::int64_t i = 0; i < n; ++i) {
    // Squares of float are exact except for those of outliers, which tell less of what is nearer.
    if (sizeof(T) == 4 && std::count(outliers.begin(), outliers.end(), i) > 0) continue;
    std::vector<std::pair<T, int>> all;
    for (std::int64_t j = 0; j < n; ++j) {
      const T x = static_cast<T>(values[2 * i]) - static_cast<T>(values[2 * j]);
      const T y = static_cast<T>(values[2 * i + 1]) - static_cast<T>(values[2 * j + 1]);
      all.push_back({x * x + y * y, static_cast<int>(j)});
    }
    std::partial_sort(all.begin(), all.begin() + k, all.end());
    for (std::int64_t j = 0; j < k; ++j) {
      EXPECT_EQ(all[j].second, found[i * k + j]) << i << ", " << j;
      EXPECT_NEAR(std::sqrt(all[j].first), lengths[i * k + j], 1e-6) << i << ", " << j;
    }
  }
}

/// Equal steps through the rows of a grid would meet few of its columns.
TYPED_TEST(SparseOn, TheBoxOfMostPointsOfAGridIsItsOwn) {
  const std::int64_t n = 96;
  std::vector<double> values;
  for (std::int64_t i = 0; i < n * n; ++i) values.insert(values.end(), {1.0 * (i / n), 1.0 * (i % n)});
  const typename TestFixture::E exec;
  const auto view = this->points(values, 2);
  const quern::impl::strided<const typename TestFixture::T> points = quern::impl::call("box", exec).input(view);
  const domain own({0, 0}, {95, 95});
  const domain found = quern::impl::box_of_most("box", exec, points, own);
  for (int d = 0; d < 2; ++d) {
    EXPECT_EQ(own.low(d), found.low(d));
    EXPECT_EQ(own.high(d), found.high(d));
  }
}

/// How many distances are formed from a point.
template <class Points>
struct candidates {
  Points points;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& sum) const {
    points.for_ranges_around(points.point(k), [&](std::int64_t first, std::int64_t last) { sum += last - first; });
  }
};
template <class Exec, class V>
std::int64_t candidates_of(const Exec& exec, const V& view, double radius) {
  const quern::impl::call c("quern::test", exec);
  const domain box = quern::bounding_domain(exec, view);
  std::int64_t sum = 0;
  quern::impl::with_points(c, view, box, [&](const auto& rows) {
    quern::impl::with_points_by_radius(
        c.label, exec, box, radius, rows, static_cast<std::int64_t>(view.extent(0)), [&]<class P>(const P& points) {
          Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(exec, 0, view.extent(0)), candidates<P>{points}, sum);
        });
  });
  return sum;
}

/// Distances are those of near points, wherever one outlier is and however dense clusters are.
TYPED_TEST(SparseOn, AnOutlierTakesNoTime) {
  using E = typename TestFixture::E;
  const std::int64_t n = 4000;
  std::vector<double> values(3 * n);
  for (std::int64_t e = 0; e < 3 * n; ++e) values[e] = test::sample(e, 1) + test::sample(e, 2) / 64;
  const std::int64_t without = candidates_of(E(), this->points(values, 3), 0.6);
  EXPECT_GT(n * 200, without);
  for (int d = 0; d < 3; ++d) values[d] = 1e7;
  EXPECT_GT(without + without / 10, candidates_of(E(), this->points(values, 3), 0.6));
}

}  // namespace
