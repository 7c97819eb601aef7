// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>
#include <quern/core.hpp>
#include <quern/particles.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::cumulative, quern::domain, quern::periodic;

const test::reference_archive reference("particles/data/particles.npz");
const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

template <class Case>
struct PairsOn : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  static auto points(const std::string& name) {
    const auto stored = reference.values(name);
    return test::make_array<T, 2, typename Case::layout, E>(reference.extents_of_rank<2>(name),
                                                            std::vector<T>(stored.begin(), stored.end()));
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(PairsOn, cases);

TYPED_TEST(PairsOn, CountsAreSciPys) {
  using E = typename TestFixture::E;
  const auto stored = reference.values("radii");
  const std::vector<double> radii(stored.begin(), stored.end());
  const auto n = static_cast<std::int64_t>(radii.size());
  const auto counts = test::make_array<std::int64_t, 1, typename TypeParam::layout, E>(
      {n}, std::vector<std::int64_t>(radii.size(), -9));
  for (const std::string name : {"line", "plane", "space", "few cells", "two cells"})
    for (const std::string how : {"open", "periodic"}) {
      const auto points = this->points(name + "/points"), others = this->points(name + "/others");
      const periodic ends(how == "periodic");
      const domain box = points.extent(1) == 1   ? domain({0}, {1}, ends)
                         : points.extent(1) == 2 ? domain({0, 0}, {1, 1}, ends)
                                                 : domain({0, 0, 0}, {1, 1, 1}, ends);
      const auto all = reference.values<std::int64_t>(name + "/" + how + " pairs");
      const auto expected = [&](int row) {
        return std::vector<std::int64_t>(all.begin() + row * n, all.begin() + (row + 1) * n);
      };
      quern::pair_counts(E(), counts, points, box, radii);
      EXPECT_EQ(expected(0), test::contents(counts)) << name << ", " << how;
      quern::pair_counts(E(), counts, points, others, box, radii);
      EXPECT_EQ(expected(1), test::contents(counts)) << name << ", " << how;
      quern::pair_counts(E(), counts, others, points, box, radii, cumulative{false});
      EXPECT_EQ(expected(2), test::contents(counts)) << name << ", " << how;
    }
}

template <class Exec>
struct Pairs : testing::Test {
  const Exec exec{};
  static auto on_line(const std::vector<double>& v) {
    return test::make_array<double, 2, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size()), 1}, v);
  }
  static auto row(std::int64_t n) {
    return test::make_array<std::int64_t, 1, Kokkos::LayoutRight, Exec>({n}, std::vector<std::int64_t>(n, -9));
  }
};
TYPED_TEST_SUITE(Pairs, test::all_spaces);

using counts = std::vector<std::int64_t>;

TYPED_TEST(Pairs, AtTheEndsOfIntervals) {
  const auto points = this->on_line({-0.25, 0.75, 0.5, nan, 0.5, -100});
  const auto found = this->row(4);
  const domain open({0}, {1}), closed({0}, {1}, periodic(true));
  quern::pair_counts(this->exec, found, points, open, {0, 0.25, 0.75, infinity});
  EXPECT_EQ((counts{2, 6, 10, 20}), test::contents(found));
  // Images 0.75 twice, 0.5 twice and 0: none is farther away than half of the box.
  quern::pair_counts(found, points, closed, {0, 0.25, 0.5, 7});
  EXPECT_EQ((counts{4, 16, 20, 20}), test::contents(found));
  quern::pair_counts(this->exec, found, points, closed, {0, 0.25, 0.5, 7}, cumulative{false});
  EXPECT_EQ((counts{4, 12, 4, 0}), test::contents(found));
  // A point and itself, where it is among both.
  quern::pair_counts(found, points, points, open, {0, 0.25, 0.75, infinity});
  EXPECT_EQ((counts{7, 11, 15, 25}), test::contents(found));
}

TYPED_TEST(Pairs, AtInfinity) {
  const auto points = this->on_line({infinity, 0, 1});
  const auto found = this->row(2);
  quern::pair_counts(this->exec, found, points, domain({0}, {1}), {1e150, infinity});
  EXPECT_EQ((counts{2, 6}), test::contents(found));
  // The squares of these are no numbers of double.
  for (const double radius : {2e155, 1e-170})
    EXPECT_THROW(quern::pair_counts(this->exec, found, points, domain({0}, {1}), {0, radius}), quern::Error);
}

/// Several blocks of queries, and more radii than shared memory has room for.
TYPED_TEST(Pairs, OfManyPointsAndRadiiAreThoseOfALoop) {
  const std::int64_t n = 1300, m = 700;
  std::vector<double> x(2 * n), y(2 * m);
  for (std::int64_t e = 0; e < 2 * n; ++e) x[e] = test::sample(e, 1) + 64 * test::sample(e / 2, 2);
  for (std::int64_t e = 0; e < 2 * m; ++e) y[e] = test::sample(e, 3) + 64 * test::sample(e / 2, 2);
  const auto of = [](const std::vector<double>& v) {
    return test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({static_cast<std::int64_t>(v.size() / 2), 2}, v);
  };
  const auto loop = [](const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& radii) {
    counts all(radii.size());
    for (std::size_t i = 0; i < a.size(); i += 2)
      for (std::size_t j = 0; j < b.size(); j += 2) {
        const double u = a[i] - b[j], v = a[i + 1] - b[j + 1];
        const auto r =
            std::partition_point(radii.begin(), radii.end(), [&](double q) { return q * q < u * u + v * v; });
        if (r != radii.end() && (&a != &b || i != j)) ++all[r - radii.begin()];
      }
    return all;
  };
  const domain box({-400, -400}, {400, 400});
  for (const std::int64_t bins : {1, 40, 6000}) {
    std::vector<double> radii;
    for (std::int64_t r = 0; r < bins; ++r)
      radii.push_back(static_cast<double>(r + 1) * 16 / static_cast<double>(bins));
    const auto found = this->row(bins);
    quern::pair_counts(this->exec, found, of(x), box, radii, cumulative{false});
    EXPECT_EQ(loop(x, x, radii), test::contents(found)) << bins;
    quern::pair_counts(this->exec, found, of(x), of(y), box, radii, cumulative{false});
    EXPECT_EQ(loop(x, y, radii), test::contents(found)) << bins;
  }
}

TYPED_TEST(Pairs, OfNothingAreNone) {
  const auto none = this->on_line({}), points = this->on_line({0.5, 0.75});
  const domain box({0}, {1});
  const auto found = this->row(2);
  quern::pair_counts(this->exec, found, none, box, {0.1, 1});
  EXPECT_EQ((counts{0, 0}), test::contents(found));
  quern::pair_counts(this->exec, found, points, none, box, {0.1, 1});
  EXPECT_EQ((counts{0, 0}), test::contents(found));
  quern::pair_counts(this->exec, found, none, points, box, {0.1, 1}, cumulative{false});
  EXPECT_EQ((counts{0, 0}), test::contents(found));
  quern::pair_counts(this->exec, this->row(0), points, box, {});
}

TYPED_TEST(Pairs, AreCheckedFirst) {
  const auto points = this->on_line({0.1, 0.2});
  const auto found = this->row(2);
  const domain box({0}, {1});
  const auto count = [&](const std::vector<double>& radii) {
    quern::pair_counts(this->exec, found, points, box, radii);
  };
  test::expect_error("quern::pair_counts: counts has extents (2), expected (1), one for each radius",
                     [&] { count({1}); });
  test::expect_error("quern::pair_counts: a radius of -1, expected at least 0", [&] { count({-1, 1}); });
  test::expect_error("quern::pair_counts: a radius of 0.5 behind 1, expected them in ascending order",
                     [&] { count({1, 0.5}); });
  EXPECT_THROW(count({0, nan}), quern::Error);
  test::expect_error(
      "quern::pair_counts: others has extents (2, 1), expected (n, 2), a column for each axis of the domain",
      [&] { quern::pair_counts(this->exec, found, points, points, domain({0, 0}, {1, 1}), {0, 1}); });
  EXPECT_EQ((counts{-9, -9}), test::contents(found));
}

}  // namespace
