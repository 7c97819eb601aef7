// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class E>
struct RoundedMoments : testing::Test {};
TYPED_TEST_SUITE(RoundedMoments, test::all_spaces);

/// The variance, by every way to one, whose mean is rounded or whose elements have more digits than the result.
template <class E, class Result, class T>
void expect_variance(const std::vector<T>& x, double expected) {
  const auto v = test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(x.size())}, x);
  const double bound = 16 * test::eps<Result>() * expected;
  EXPECT_NEAR(expected, (quern::mean_var<Result>(E(), v)).var, bound);
  EXPECT_NEAR(expected, quern::var<Result>(E(), v), bound);
  EXPECT_NEAR(expected, quern::nanvar<Result>(E(), v), bound);
  EXPECT_NEAR(expected, quern::var<Result>(E(), v, quern::reproducible), bound);
  if constexpr (std::is_same_v<Result, T>) {
    EXPECT_NEAR(std::sqrt(expected), quern::stddev<Result>(E(), v), bound / std::sqrt(expected));
    EXPECT_NEAR(std::sqrt(expected), quern::stddev<Result>(E(), v, quern::reproducible), bound / std::sqrt(expected));
  }
}

TYPED_TEST(RoundedMoments, VariancesBesideRoundedMeans) {
  using E = TypeParam;
  expect_variance<E, float>(std::vector<float>{1e7F, 1e7F + 1}, 0.25);
  expect_variance<E, double>(std::vector<double>{0x1p53, 0x1p53 + 2, 0x1p53 + 2}, 8.0 / 9);
}

TYPED_TEST(RoundedMoments, VariancesOfElementsWithMoreDigits) {
  using E = TypeParam;
  expect_variance<E, float>(std::vector<double>{1e9, 1e9 + 1, 1e9 + 2}, 2.0 / 3);
  expect_variance<E, float>(std::vector<std::int32_t>{1'000'000'001, 1'000'000'002, 1'000'000'003}, 2.0 / 3);
  expect_variance<E, float>(std::vector<std::int64_t>{1LL << 62, (1LL << 62) + 1, (1LL << 62) + 2}, 2.0 / 3);
  expect_variance<E, double>(std::vector<std::int64_t>{1LL << 62, (1LL << 62) + 1, (1LL << 62) + 2}, 2.0 / 3);
  expect_variance<E, double>(std::vector<std::int64_t>{-(1LL << 62) + 1, -(1LL << 62)}, 0.25);
}

}  // namespace
