// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions in chunks beside loops. Users' functions are what is read, so that hosts have chunks as well.

#include <algorithm>
#include <chunked/behind_function.hpp>
#include <cmath>
#include <quern/reduce.hpp>

namespace {

using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Exec>
struct ChunkedFamily : testing::Test {
  using array = test::behind_function<double, 3>;

  /// Calls check(array, chunks) for arrays and chunks of several sizes.
  template <class Check>
  static void for_arrays(const Check& check, std::int64_t inputs = 1) {
    for (const auto& extents : {std::array<std::int64_t, 3>{97, 3, 11}, {1, 1, 1}, {5, 7, 100}}) {
      const auto a = behind<double>(extents);
      for (const std::int64_t rows : {1, 10, 1000}) check(a, memory_for(a, rows, inputs));
    }
  }
  template <class F>
  static long double sum_of(const array& a, const F& f) {
    long double sum = 0;
    for (const double x : a.values) sum += f(x);
    return sum;
  }
  static double mean(const array& a) {
    return static_cast<double>(sum_of(a, [](double x) { return x; }) / a.values.size());
  }
  /// The squares of the distances from the mean.
  static long double deviations(const array& a) {
    return sum_of(a, [m = mean(a)](double x) { return (x - m) * (x - m); });
  }
  static void expect_near(long double expected, double found, const array& a) {
    const double n = static_cast<double>(a.values.size()), eps = test::eps<double>() * std::log2(n + 2);
    EXPECT_NEAR(static_cast<double>(expected), found,
                eps * (std::fabs(static_cast<double>(expected)) + 10 * std::sqrt(n)));
  }
};
TYPED_TEST_SUITE(ChunkedFamily, test::all_spaces);

TYPED_TEST(ChunkedFamily, Sums) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const double expected = static_cast<double>(this->sum_of(a, [](double x) { return x; }));  // of quarters: exact
    EXPECT_EQ(expected, quern::sum(TypeParam(), a.source(), o));
    EXPECT_EQ(expected, quern::sum<double>(TypeParam(), a.source(), o));
    EXPECT_EQ(expected, quern::nansum(TypeParam(), a.source(), o));
  });
}

TYPED_TEST(ChunkedFamily, Products) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    double expected = 1;
    for (const double x : a.values) expected *= x;
    this->expect_near(expected, quern::prod<double>(TypeParam(), a.source(), o), a);
  });
}

TYPED_TEST(ChunkedFamily, Norms) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const auto squares = this->sum_of(a, [](double x) { return x * x; });
    this->expect_near(std::sqrt(squares), quern::norm(TypeParam(), a.source(), o), a);
    this->expect_near(this->sum_of(a, [](double x) { return std::fabs(x); }),
                      quern::norm<1>(TypeParam(), a.source(), o), a);
  });
}

TYPED_TEST(ChunkedFamily, ProductsOfTwoArrays) {
  const auto check = [&](const auto& a, const quern::chunking& o) {
    this->expect_near(this->sum_of(a, [](double x) { return x * x; }),
                      quern::dot(TypeParam(), a.source(), a.source(), o), a);
  };
  this->for_arrays(check, 2);
}

TYPED_TEST(ChunkedFamily, Extremes) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const double least = *std::ranges::min_element(a.values), largest = *std::ranges::max_element(a.values);
    EXPECT_EQ(least, quern::min(TypeParam(), a.source(), o));
    EXPECT_EQ(largest, quern::max(TypeParam(), a.source(), o));
    EXPECT_EQ(least, quern::minmax(TypeParam(), a.source(), o).min);
    EXPECT_EQ(largest, quern::minmax(TypeParam(), a.source(), o).max);
    EXPECT_EQ(least, quern::nanmin(TypeParam(), a.source(), o));
    EXPECT_EQ(largest, quern::nanmax(TypeParam(), a.source(), o));
    EXPECT_EQ(largest - least, quern::ptp(TypeParam(), a.source(), o));
    quern::chunking of_both = o;
    of_both.memory *= 2;
    EXPECT_TRUE(quern::array_equal(TypeParam(), a.source(), a.source(), of_both));
    EXPECT_EQ(least == largest, quern::allclose(TypeParam(), a.source(), largest, o));
    EXPECT_EQ(largest, quern::reduce(TypeParam(), quern::impl::extremum_op<1>(), -100.0, a.source(), o));
  });
}

TYPED_TEST(ChunkedFamily, FirstPositionsOfExtremes) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const auto least = std::ranges::min_element(a.values) - a.values.begin();
    const auto largest = std::ranges::max_element(a.values) - a.values.begin();
    EXPECT_EQ(least, quern::argmin(TypeParam(), a.source(), o));
    EXPECT_EQ(largest, quern::argmax(TypeParam(), a.source(), o));
    EXPECT_EQ(least, quern::nanargmin(TypeParam(), a.source(), o));
    EXPECT_EQ(largest, quern::nanargmax(TypeParam(), a.source(), o));
  });
}

TYPED_TEST(ChunkedFamily, Moments) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const double n = static_cast<double>(a.values.size()), mean = this->mean(a);
    const auto variance = this->deviations(a) / n;
    const auto both = quern::mean_var(TypeParam(), a.source(), o);
    this->expect_near(mean, quern::mean(TypeParam(), a.source(), o), a);
    this->expect_near(mean, quern::nanmean(TypeParam(), a.source(), o), a);
    this->expect_near(mean, both.mean, a);
    this->expect_near(variance, both.var, a);
    this->expect_near(variance, quern::nanvar(TypeParam(), a.source(), o), a);
    this->expect_near(std::sqrt(variance), quern::stddev(TypeParam(), a.source(), o), a);
    this->expect_near(std::sqrt(variance), quern::nanstd(TypeParam(), a.source(), o), a);
  });
}

TYPED_TEST(ChunkedFamily, VariancesWithDegreesOfFreedom) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const double n = static_cast<double>(a.values.size()),
                 found = quern::var(TypeParam(), a.source(), quern::ddof{1}, o);
    if (n == 1) EXPECT_TRUE(std::isnan(found));
    else this->expect_near(this->deviations(a) / (n - 1), found, a);
  });
}

TYPED_TEST(ChunkedFamily, TruthAndCounts) {
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const std::int64_t zeros = std::ranges::count(a.values, 0.0), n = static_cast<std::int64_t>(a.values.size());
    EXPECT_EQ(zeros == 0, quern::all(TypeParam(), a.source(), o));
    EXPECT_EQ(zeros < n, quern::any(TypeParam(), a.source(), o));
    EXPECT_EQ(n - zeros, quern::count(TypeParam(), a.source(), o));
    EXPECT_EQ(n, quern::nancount(TypeParam(), a.source(), o));
  });
}

// The bits of those in memory, which tests/reduce compares with their definition.
TYPED_TEST(ChunkedFamily, ReproducibleBits) {
  using host = Kokkos::DefaultHostExecutionSpace;
  using quern::reproducible;
  const TypeParam exec;
  this->for_arrays([&](const auto& a, const quern::chunking& o) {
    const auto v = test::make_array<double, 3, LayoutRight, host>(a.extents, a.values);
    quern::chunking two = o;
    two.memory *= 2;
    EXPECT_EQ(quern::sum(host(), v, reproducible), quern::sum(exec, a.source(), reproducible, o));
    EXPECT_EQ(quern::mean(host(), v, reproducible), quern::mean(exec, a.source(), reproducible, o));
    EXPECT_EQ(quern::var(host(), v, reproducible), quern::var(exec, a.source(), reproducible, o));
    EXPECT_EQ(quern::stddev(host(), v, reproducible), quern::stddev(exec, a.source(), o, reproducible));
    EXPECT_EQ(quern::dot(host(), v, v, reproducible), quern::dot(exec, a.source(), a.source(), reproducible, two));
  });
}

TYPED_TEST(ChunkedFamily, VariancesKeepTheirDigits) {
  using E = TypeParam;
  for (const double first : {0.0, 0x1p53}) {  // of all of them, beside an outlier
    auto a = behind<double>(std::array<std::int64_t, 2>{999, 3});
    const auto n = static_cast<double>(a.values.size());
    for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = 0x1p53 + static_cast<double>(i % 3 * 2);
    a.values[0] = first;
    const double exact = first == 0 ? 0x1p106 / n * (1 - 1 / n) : 8.0 / 3;
    for (const std::int64_t rows : {1, 10, 1000}) {
      const auto [mean, var] = quern::mean_var(E(), a.source(), memory_for(a, rows));
      EXPECT_NEAR(exact, var, 16 * test::eps<double>() * exact) << rows;
      EXPECT_NEAR(first == 0 ? 0x1p53 * (1 - 1 / n) : 0x1p53 + 2, mean, 4 * test::eps<double>() * 0x1p53);
      EXPECT_NEAR(exact, quern::var(E(), a.source(), memory_for(a, rows)), 16 * test::eps<double>() * exact);
      EXPECT_NEAR(exact, quern::var(E(), a.source(), memory_for(a, rows), quern::reproducible),
                  16 * test::eps<double>() * exact);
    }
  }
}

template <class Case>
struct ChunkedReduce : testing::Test {};
using chunked_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ChunkedReduce, chunked_cases);

TYPED_TEST(ChunkedReduce, SumsAndPositions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto a = behind<T>(std::array<std::int64_t, 3>{97, 3, 11});
  double sum = 0;  // of quarters: exact
  for (const T x : a.values) sum += static_cast<double>(x);
  for (const std::int64_t rows : {1, 10, 1000}) {
    const auto o = memory_for(a, rows);
    EXPECT_EQ(sum, quern::sum<double>(E(), a.source(), o));
    EXPECT_EQ(sum, static_cast<double>(quern::sum(E(), a.source(), quern::reproducible, o)));
    EXPECT_EQ(std::ranges::min_element(a.values) - a.values.begin(), quern::argmin(E(), a.source(), o));
  }
}

}  // namespace
