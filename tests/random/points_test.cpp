// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Choices without replacement, permutations, correlated vectors and points of Sobol's sequence.

#include <cmath>
#include <quern/linalg/multivariate_normal.hpp>
#include <quern/map/functions.hpp>
#include <quern/random/permutation.hpp>
#include <quern/random/sobol.hpp>
#include <quern/reduce/reduce.hpp>

#include "support/reference_archive.hpp"
#include "support/testing.hpp"

namespace {

using quern::random::key;
using quern::random::part_of;

const test::reference_archive reference("random/data/fields.npz");

template <class Exec>
class Choices : public testing::Test {};
TYPED_TEST_SUITE(Choices, test::all_spaces);

TYPED_TEST(Choices, PermutationsHoldEachNumberOnce) {
  for (const std::int64_t n : {0, 1, 2, 3, 255, 256, 257, 65'536, 100'003}) {
    const auto v = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({n});
    quern::random::permutation(TypeParam(), v, key(1));
    auto p = test::contents(v);
    if (n >= 255) {  // few stay where they were
      std::int64_t fixed = 0;
      for (std::int64_t i = 0; i < n; ++i) fixed += p[i] == i;
      EXPECT_LE(fixed, 8) << n;
    }
    std::sort(p.begin(), p.end());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(i, p[i]) << n;
  }
}

TYPED_TEST(Choices, FrozenPermutation) {
  const auto v = test::make_array<std::int64_t, 2, Kokkos::LayoutLeft, TypeParam>({30, 10});
  quern::random::permutation(TypeParam(), v, key(42));
  const auto p = test::contents(v);
  const auto expected = reference.values<std::int64_t>("permutation_of_300");
  EXPECT_EQ(expected, std::vector(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(expected.size())));
}

TYPED_TEST(Choices, WithoutReplacement) {
  using quern::random::choice;
  using quern::random::without_replacement;
  const std::int64_t many = std::int64_t{1} << 40;
  const auto few = test::make_array<std::int64_t, 2, Kokkos::LayoutLeft, TypeParam>({30, 40});
  choice(TypeParam(), few, key(2), many, without_replacement);
  auto p = test::contents(few);
  std::sort(p.begin(), p.end());
  EXPECT_TRUE(std::adjacent_find(p.begin(), p.end()) == p.end());
  EXPECT_GE(p.front(), 0);
  EXPECT_LT(p.back(), many);
  double mean = 0;
  for (const auto x : p) mean += static_cast<double>(x) / static_cast<double>(many) / 1200;
  EXPECT_NEAR(0.5, mean, 4.5 * std::sqrt(1.0 / 12 / 1200));
  // The beginning of the permutation of all.
  const auto ten = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({10});
  const auto all = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({77});
  choice(ten, key(3), 77, without_replacement);
  quern::random::permutation(all, key(3));
  const auto beginning = test::contents(all);
  EXPECT_EQ(std::vector<int>(beginning.begin(), beginning.begin() + 10), test::contents(ten));
  const auto same = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({10});
  quern::random::integers(TypeParam(), same, key(3), 0, 77);
  choice(ten, key(3), 77);
  EXPECT_EQ(test::contents(same), test::contents(ten));
}

TYPED_TEST(Choices, WeightsWithoutAResult) {
  const auto out = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({50});
  for (const std::vector<double>& weights :
       {std::vector<double>{}, std::vector<double>{0, 0}, std::vector<double>{-1, std::nan("")},
        std::vector<double>{1, std::numeric_limits<double>::infinity()}}) {
    const auto w = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>(
        {static_cast<std::int64_t>(weights.size())}, weights);
    quern::random::choice(out, key(1), w);
    for (const auto x : test::contents(out)) ASSERT_EQ(-1, x);
  }
  const auto one = test::make_array<std::int32_t, 1, Kokkos::LayoutStride, TypeParam>({3}, {0, 7, 0});
  quern::random::choice(out, key(1), one);
  for (const auto x : test::contents(out)) ASSERT_EQ(1, x);
}

TYPED_TEST(Choices, Shuffle) {
  const auto in =
      test::make_array<float, 3, Kokkos::LayoutStride, TypeParam>({41, 3, 5}, test::samples<float>(41 * 15));
  const auto out = test::make_array<float, 3, Kokkos::LayoutLeft, TypeParam>({41, 3, 5});
  const auto order = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({41});
  quern::random::shuffle(TypeParam(), out, key(8), in);
  quern::random::permutation(TypeParam(), order, key(8));
  const auto p = test::contents(order);
  const auto from = test::contents(in), to = test::contents(out);
  for (int i = 0; i < 41; ++i)
    for (int j = 0; j < 15; ++j) ASSERT_EQ(from[p[i] * 15 + j], to[i * 15 + j]);
  quern::random::shuffle(out, key(8), in);
  EXPECT_EQ(to, test::contents(out));
}

TYPED_TEST(Choices, ReportsMisuse) {
  using quern::random::without_replacement;
  const auto v = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, TypeParam>({4});
  const auto m = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({4, 2});
  const auto other = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({5, 2});
  test::expect_error("quern::random::choice: out with extents (4) has more elements than the population of 3",
                     [&] { quern::random::choice(v, key(1), 3, without_replacement); });
  test::expect_error("quern::random::choice: positions to before 1000 do not fit the type of out, of 8 bits",
                     [&] { quern::random::choice(v, key(1), 1000, without_replacement); });
  test::expect_error("quern::random::choice: positions to before 129 do not fit the type of out, of 8 bits",
                     [&] { quern::random::choice(v, key(1), Kokkos::View<float*, TypeParam>("weights", 129)); });
  test::expect_error("quern::random::choice: weights has extents (4, 2), expected rank 1",
                     [&] { quern::random::choice(v, key(1), m); });
  test::expect_error(
      "quern::random::shuffle: out has extents (4, 2) and in (5, 2), expected the same, of rank 1 or more",
      [&] { quern::random::shuffle(m, key(1), other); });
  EXPECT_THROW(quern::random::shuffle(m, key(1), m), quern::Error);
}

template <class Case>
class Multivariate : public testing::Test {};
using multivariate_cases = test::covering<double, float>;
TYPED_TEST_SUITE(Multivariate, multivariate_cases);

/// L z + mean in long double from the same normal numbers, and their covariance.
TYPED_TEST(Multivariate, Normal) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  const std::int64_t n = 5, items = 20'000;
  // A = B B^T with B lower triangular, B(i, j) = 1 + i - j / 2.
  std::vector<T> covariance(n * n), mean(n);
  const auto b = [](std::int64_t i, std::int64_t j) {
    return j > i ? 0 : 1 + static_cast<double>(i) - 0.5 * static_cast<double>(j);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    mean[i] = static_cast<T>(i - 2);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t k = 0; k < n; ++k) covariance[i * n + j] += static_cast<T>(b(i, k) * b(j, k));
  }
  const auto c = test::make_array<T, 2, L, E>({n, n}, covariance);
  const auto m = test::make_array<T, 1, L, E>({n}, mean);
  const auto out = test::make_array<T, 3, L, E>({items / 4, 4, n}), z = test::make_array<T, 3, L, E>({items / 4, 4, n});
  quern::random::multivariate_normal(E(), out, key(5), m, c);
  quern::random::normal(E(), z, key(5));
  const auto x = test::contents(out), normal = test::contents(z);
  std::vector<double> products(n * n);
  for (std::int64_t r = 0; r < items; ++r)
    for (std::int64_t i = 0; i < n; ++i) {
      long double exact = mean[i];
      for (std::int64_t j = 0; j <= i; ++j) exact += static_cast<long double>(b(i, j)) * normal[r * n + j];
      ASSERT_NEAR(static_cast<double>(exact), x[r * n + i], 400 * test::eps<T>() * 10) << r << ' ' << i;
      for (std::int64_t j = 0; j < n; ++j)
        products[i * n + j] +=
            (static_cast<double>(x[r * n + i]) - mean[i]) * (static_cast<double>(x[r * n + j]) - mean[j]) / items;
    }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double expected = covariance[i * n + j],
                   deviation = std::sqrt(covariance[i * n + i] * covariance[j * n + j] + expected * expected);
      EXPECT_NEAR(expected, products[i * n + j], 4.5 * deviation / std::sqrt(items));
    }
  quern::random::multivariate_normal(out, key(5), m, c);
  EXPECT_EQ(x, test::contents(out));
}

TYPED_TEST(Choices, CovarianceThatIsNone) {
  const auto mean = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({2});
  const auto c = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 2}, {1, 2, 2, 1});
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({10, 2});
  const auto wrong = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({10, 3});
  const Kokkos::View<int*, typename TypeParam::memory_space> info("info", 1);
  EXPECT_THROW(quern::random::multivariate_normal(TypeParam(), out, key(1), mean, c), quern::NotPositiveDefiniteError);
  quern::random::multivariate_normal(TypeParam(), out, key(1), mean, c, info);
  test::expect_error("quern::random::multivariate_normal: out and mean share memory", [&] {
    quern::random::multivariate_normal(TypeParam(), out, key(1), Kokkos::subview(out, 1, Kokkos::ALL), c);
  });
  EXPECT_EQ(2, test::contents(info)[0]);
  test::expect_error(
      "quern::random::multivariate_normal: out has extents (10, 3), mean (2) and covariance (2, 2), expected (..., n), "
      "(n) and (n, n) with n from 1 to 64",
      [&] { quern::random::multivariate_normal(TypeParam(), wrong, key(1), mean, c); });
}

template <class Case>
class Sobol : public testing::Test {};
TYPED_TEST_SUITE(Sobol, multivariate_cases);

TYPED_TEST(Sobol, PointsOfSciPy) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  for (const std::int64_t row : {1, 2, 3, 517, 1023}) {
    const auto expected = reference.values("sobol/" + std::to_string(row));
    const auto v = test::make_array<T, 2, typename TypeParam::layout, E>({3, 64});
    quern::random::sobol(E(), v, row - 1);
    const auto found = test::contents(v);
    for (int d = 0; d < 64; ++d) EXPECT_EQ(static_cast<T>(expected[d]), found[64 + d]) << row << ' ' << d;
    quern::random::sobol(v, row);
    EXPECT_EQ(std::vector<T>(found.begin() + 64, found.begin() + 128), [&] {
      const auto again = test::contents(v);
      return std::vector<T>(again.begin(), again.begin() + 64);
    }());
  }
}

// Scrambling keeps what makes the points even: each of 2^m equal parts of every axis has one of 2^m points, and each
// of 2^m boxes of the first two; it makes the mean of each point one half.
TYPED_TEST(Sobol, ScrambledPointsAreEven) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const int m = 10, n = 1 << m, dimensions = 64;
  const auto v = test::make_array<T, 2, typename TypeParam::layout, E>({n, dimensions});
  std::vector<double> first_mean(dimensions);
  const int keys = 40;
  for (int k = 0; k < keys; ++k) {
    quern::random::sobol(E(), v, key(k));
    const auto x = test::contents(v);
    for (int d = 0; d < dimensions; ++d) {
      first_mean[d] += x[d] / keys;
      std::vector<bool> filled(n);
      for (int i = 0; i < n; ++i) filled[static_cast<int>(x[i * dimensions + d] * n)] = true;
      ASSERT_EQ(n, std::count(filled.begin(), filled.end(), true)) << d;
    }
    for (int a = 0; a <= m; ++a) {
      std::vector<bool> filled(n);
      for (int i = 0; i < n; ++i)
        filled[(static_cast<int>(x[i * dimensions] * (1 << a)) << (m - a)) +
               static_cast<int>(x[i * dimensions + 1] * (1 << (m - a)))] = true;
      ASSERT_EQ(n, std::count(filled.begin(), filled.end(), true)) << a;
    }
  }
  double sum = 0;
  for (const double mean : first_mean) {
    EXPECT_NEAR(0.5, mean, 4.5 * std::sqrt(1.0 / 12 / keys));
    sum += mean / dimensions;
  }
  EXPECT_NEAR(0.5, sum, 4.5 * std::sqrt(1.0 / 12 / keys / dimensions));
  quern::random::sobol(v, key(0));
  const auto one = test::contents(v);
  quern::random::sobol(E(), v, key(0), 0);
  EXPECT_EQ(one, test::contents(v));
}

struct product_of_row {
  template <class V>
  static double mean(const V& points, int dimensions) {
    const auto x = test::contents(points);
    const std::int64_t n = static_cast<std::int64_t>(x.size()) / dimensions;
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      double product = 1;
      for (int d = 0; d < dimensions; ++d)
        product *= 1 + 0.3 * (static_cast<double>(x[i * dimensions + d]) - 0.5) * (d + 1) / dimensions;
      sum += product;
    }
    return sum / static_cast<double>(n);
  }
};
// The integral of a smooth function is 1: the error over several keys falls as n^-3/2, where random points have n^-1/2.
TYPED_TEST(Choices, ScrambledErrorsFallFast) {
  const int dimensions = 6, keys = 16;
  const auto error = [&](std::int64_t n) {
    const auto v = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({n, dimensions});
    double squares = 0, sum = 0;
    for (int k = 0; k < keys; ++k) {
      quern::random::sobol(TypeParam(), v, quern::random::fold_in(key(99), k));
      const double e = product_of_row::mean(v, dimensions) - 1;
      squares += e * e / keys;
      sum += e / keys;
    }
    EXPECT_LT(std::fabs(sum), 4.5 * std::sqrt(squares / keys));
    return std::sqrt(squares);
  };
  const double coarse = error(256), fine = error(8192);
  EXPECT_LT(fine, coarse / std::pow(32, 1.2));
  EXPECT_LT(fine, 0.02 * 0.3 / std::sqrt(8192));
}

TYPED_TEST(Choices, OfNothing) {
  const auto v = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({4});
  test::expect_error("quern::random::choice: the population is 0, expected at least 1",
                     [&] { quern::random::choice(TypeParam(), v, key(1), 0); });
}

TYPED_TEST(Choices, SobolReportsMisuse) {
  const auto wide = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 65});
  const auto v = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 3});
  test::expect_error(
      "quern::random::sobol: out has extents (2, 65), expected (points, dimensions) with at most 64 dimensions",
      [&] { quern::random::sobol(TypeParam(), wide); });
  test::expect_error("quern::random::sobol: 2 points from -1 on are not all from 0 to 2^53",
                     [&] { quern::random::sobol(TypeParam(), v, key(1), -1); });
  test::expect_error("quern::random::sobol: 2 points from 9223372036854775807 on are not all from 0 to 2^53",
                     [&] { quern::random::sobol(v, std::numeric_limits<std::int64_t>::max()); });
  test::expect_error("quern::random::sobol: 2 points from 9007199254740991 on are not all from 0 to 2^53",
                     [&] { quern::random::sobol(v, (std::int64_t{1} << 53) - 1); });
  quern::random::sobol(v, (std::int64_t{1} << 53) - 2);  // the last ones
  const auto none = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({0, 3});
  quern::random::sobol(TypeParam(), none);
}

}  // namespace
