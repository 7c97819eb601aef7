// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums over points by a lane at a time, as devices have them, and by all lanes of a part, as hosts do.
#include <quern/analysis/kmeans_start.hpp>
#include <support/testing.hpp>

namespace {

using namespace quern::impl;

/// Points in rows that are packs, or not, and what lanes need beside them.
template <class T>
struct points_in_lanes {
  static constexpr int trials = 6;
  std::int64_t n, columns;
  std::vector<T> x, origin, candidates, closest;
  std::vector<std::int32_t> labels;
  kmeans_parts plan;

  points_in_lanes(std::int64_t points, std::int64_t d)
      : n(points), columns(d), x(n * d), origin(d, T(0.25)), candidates(trials * d), closest(n), labels(n), plan(n, 0) {
    for (std::int64_t e = 0; e < n * d; ++e) x[e] = static_cast<T>(test::sample(e));
    for (std::int64_t e = 0; e < trials * d; ++e) candidates[e] = static_cast<T>(test::sample(e, 5));
    for (std::int64_t i = 0; i < n; ++i) closest[i] = static_cast<T>(test::sample(i, 6) + 1);
    for (std::int64_t i = 0; i < n; ++i) labels[i] = static_cast<std::int32_t>(i % 11 == 0 ? -1 : i % trials);
  }
  /// Those from one on, as a chunk has them.
  centred_rows<T> from(std::int64_t first) const {
    return {{x.data() + first * columns, quern::shape{n - first, columns}, {columns, 1}}, origin.data()};
  }

  /// Runs a kernel for all its units: the sums of its lanes, and the squares that it writes.
  template <int W, class Kernel>
  auto run(const Kernel& kernel) {
    std::vector<double> sums(trials * plan.parts * point_lanes::lanes, 0.5);
    std::vector<T> squares = closest;
    kernel(std::integral_constant<int, W>(), squares.data(), sums.data());
    return std::tuple(sums, squares);
  }
  template <class Kernel>
  void expect_same(const Kernel& kernel) {
    EXPECT_TRUE(run<1>(kernel) == run<point_lanes::lanes>(kernel)) << n << ' ' << columns;
  }
  template <class Work>
  void for_each_unit(int width, const Work& work) const {
    for (std::int64_t u = 0; u < plan.parts * (point_lanes::lanes / width); ++u) work(u);
  }
  void check(std::int64_t begin) {
    const auto rows = from(begin);
    const auto* const places = labels.data() + begin;
    for (const bool first : {true, false})
      expect_same([&]<int W>(std::integral_constant<int, W>, T* squares, double* sums) {
        const T* const center = first ? nullptr : candidates.data();
        for_each_unit(W, start_distances<T, true, W>{rows, plan, begin, center, first, squares + begin, sums});
      });
    for (const int some : {1, 4, trials})
      expect_same([&]<int W>(std::integral_constant<int, W>, T* squares, double* sums) {
        for_each_unit(W,
                      start_potentials<T, true, W>{rows, plan, begin, candidates.data(), some, squares + begin, sums});
      });
    expect_same([&]<int W>(std::integral_constant<int, W>, T* squares, double* sums) {
      for_each_unit(W,
                    assigned_squares<T, true, W>{rows, plan, begin, candidates.data(), places, squares + begin, sums});
    });
  }
};

TEST(KmeansLanes, OneByOneHaveTheBitsOfAll) {
  for (const auto& [n, d] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {700, 16}, {2500, 3}, {1030, 4}, {900, 18}}) {
    for (const std::int64_t begin : {std::int64_t{0}, n / 3}) {
      points_in_lanes<float>(n, d).check(begin);
      points_in_lanes<double>(n, d).check(begin);
    }
  }
}

/// Weights are taken in their order, some at a time.
TEST(KmeansLanes, FindsWhereWeightsExceedARest) {
  std::vector<double> weights(40);
  for (const int i : {3, 15, 16, 31, 37}) weights[i] = 1;
  const auto find = [&](double rest) {
    const std::int64_t at = draw_candidates<double>::find(40, rest, [&](std::int64_t i) { return weights[i]; });
    return std::pair(at, rest);
  };
  EXPECT_EQ(std::pair(std::int64_t{3}, 0.5), find(0.5));
  EXPECT_EQ(std::pair(std::int64_t{16}, 0.25), find(2.25));
  EXPECT_EQ(std::pair(std::int64_t{37}, 0.0), find(4));
  EXPECT_EQ(std::pair(std::int64_t{37}, 1.0), find(6)) << "the last one where rounding leaves none";
}

}  // namespace
