// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums, means and variances of groups whose rounding matters, beside loops.

#include <cmath>
#include <keyed/groups.hpp>
#include <quern/reduce.hpp>
#include <vector>

namespace {

using test::hashed;
using test::rows_of;

template <class Exec>
struct GroupMoments : test::GroupTest<Exec> {};
TYPED_TEST_SUITE(GroupMoments, test::all_spaces);

// The variance of numbers that are far from 0 and near to each other.
TYPED_TEST(GroupMoments, Variance) {
  const std::int64_t n = 40'000, groups = 37;
  std::vector<int> keys(n);
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(hashed(i) % groups);
    x[i] = 1e6 + test::sample(i, 11);
  }
  const auto by = quern::group_by(TypeParam(), this->row(keys));
  const auto values = this->row(x), out = this->row(std::vector<double>(groups));
  for (const std::int64_t d : {0, 1}) {
    if (d == 0) quern::var(TypeParam(), out, values, by);
    else quern::var(out, values, by, quern::ddof{d});
    const auto found = test::contents(out);
    std::int64_t g = 0;
    for (const auto& [key, at] : rows_of(keys)) {
      long double mean = 0, squares = 0;
      for (const auto i : at) mean += x[i];
      mean /= at.size();
      for (const auto i : at) squares += (x[i] - mean) * (x[i] - mean);
      const auto expected = static_cast<double>(squares / (at.size() - d));
      // A mean that is off by its rounding, 1e6 eps, adds the square of that; each deviation is rounded like it.
      const double eps = test::eps<double>(), off = 2e6 * eps;
      EXPECT_NEAR(expected, found[g++],
                  expected * static_cast<double>(at.size()) * eps + 2 * off * std::sqrt(expected) + off * off);
    }
  }
}

// Means that are rounded.
TYPED_TEST(GroupMoments, VarianceBesideRoundedMeans) {
  const double large = 0x1p53;
  const std::vector<double> x = {large, 1, large + 2, 3, large + 2};
  const auto out = this->template row<double>(2);
  quern::var(TypeParam(), out, this->row(x), quern::group_by(TypeParam(), this->row(std::vector<int>{0, 1, 0, 1, 0})));
  const auto found = test::contents(out);
  EXPECT_NEAR(8.0 / 9, found[0], 4 * test::eps<double>());
  EXPECT_EQ(1, found[1]);
}

TYPED_TEST(GroupMoments, VarianceOfIntegersBesideRoundedMeans) {
  const auto out = this->template row<double>(2);
  const std::int64_t whole = 1LL << 62;
  const auto integers = this->row(std::vector<std::int64_t>{whole, whole + 1, whole + 2, 4, 6});
  const auto keys = this->row(std::vector<std::int64_t>{1LL << 40, 1LL << 40, 1LL << 40, 1LL << 50, 1LL << 50});
  quern::var(TypeParam(), out, integers, quern::group_by(TypeParam(), keys));
  const auto found = test::contents(out);
  EXPECT_NEAR(2.0 / 3, found[0], 4 * test::eps<double>());
  EXPECT_EQ(1, found[1]);
}

// Sums that depend on the order, but not these.
TYPED_TEST(GroupMoments, ReproducibleSums) {
  const std::int64_t n = 100'000, groups = 10;
  std::vector<int> keys(n);
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(hashed(i) % groups);
    x[i] = std::ldexp(static_cast<double>(hashed(i + n)), static_cast<int>(hashed(i) % 80) - 100);
  }
  const auto by = quern::group_by(TypeParam(), this->row(keys));
  const auto out = this->row(std::vector<double>(groups));
  quern::sum(TypeParam(), out, this->row(x), by, quern::reproducible);
  const auto found = test::contents(out);
  for (const auto& [key, at] : rows_of(keys)) {
    std::vector<double> own;
    for (const auto i : at) own.push_back(x[i]);
    EXPECT_EQ(quern::sum(TypeParam(), this->row(own), quern::reproducible), found[key]);
  }
}

TYPED_TEST(GroupMoments, MeansAndVariancesOfLargeIntegers) {
  const auto by = quern::group_by(this->row(std::vector<int>{0, 0, 1, 1, 2}));
  const std::int64_t big = 1ll << 62;
  const auto x = this->row(std::vector<std::int64_t>{big, big, -big, -big - 4096, 5});
  const auto out = this->template row<double>(3);
  quern::mean(TypeParam(), out, x, by);
  EXPECT_EQ((std::vector<double>{0x1p62, -0x1p62 - 2048, 5}), test::contents(out));
  quern::var(out, x, by);
  EXPECT_EQ((std::vector<double>{0, 2048.0 * 2048, 0}), test::contents(out));
}

// Of no more rows than degrees of freedom there is no variance.
TYPED_TEST(GroupMoments, VariancesOfSmallGroups) {
  const auto by = quern::group_by(this->row(std::vector<int>{0, 0, 1, 1, 2}));
  const auto out = this->template row<double>(3);
  const auto y = this->row(std::vector<double>{1, 2, 3, 4, 5});
  for (const int ddof : {1, 2, 3}) {
    quern::var(TypeParam(), out, y, by, quern::ddof{ddof});
    const auto found = test::contents(out);
    EXPECT_TRUE(ddof == 1 ? found[0] == 0.5 : std::isnan(found[0])) << ddof << ' ' << found[0];
    EXPECT_TRUE(std::isnan(found[2])) << ddof << ' ' << found[2];
  }
}

TYPED_TEST(GroupMoments, SumsOfLargeUnsignedIntegers) {
  const auto by = quern::group_by(this->row(std::vector<int>{0, 0, 1, 1, 2}));
  const auto out = this->template row<double>(3);
  const auto z = this->row(std::vector<std::uint64_t>{1ull << 63, 5, 1, 2, 3});
  quern::sum(out, z, by);
  EXPECT_EQ((std::vector<double>{0x1p63, 3, 3}), test::contents(out));
}

}  // namespace
