// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chunked operations beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <cmath>

#include <chunked/behind_function.hpp>
#include <quern/chunked/quantile.hpp>

namespace {

namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Case>
struct ChunkedReduce : testing::Test {};
using chunked_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ChunkedReduce, chunked_cases);

using host = Kokkos::DefaultHostExecutionSpace;

/// Every reduction, in chunks and in the memory of the host.
template <class T, class E, class A, class V>
void check_reductions(const E& exec, const A& a, const V& v, const quern::chunking& o) {
  const auto s = a.source();
  quern::chunking two = o;
  two.memory *= 2;
  const auto near = [&](auto x, auto y, const char* what) {
    using R = decltype(x);
    if constexpr (std::is_integral_v<R>) {
      EXPECT_EQ(x, y) << what;
    } else if (y != y) {
      EXPECT_NE(x, x) << what;
    } else {
      const double eps = std::numeric_limits<R>::epsilon() * std::log2(a.values.size() + 2.0);
      EXPECT_NEAR(x, y, eps * (std::fabs(static_cast<double>(y)) + 10 * std::sqrt(a.values.size()))) << what;
    }
  };
  near(quern::sum(exec, s, o), quern::sum(host(), v), "sum");
  near(quern::sum<double>(exec, s, o), quern::sum<double>(host(), v), "sum<double>");
  near(quern::prod<double>(exec, s, o), quern::prod<double>(host(), v), "prod");
  EXPECT_EQ(quern::min(exec, s, o), quern::min(host(), v));
  EXPECT_EQ(quern::max(exec, s, o), quern::max(host(), v));
  EXPECT_EQ(quern::minmax(exec, s, o).max, quern::minmax(host(), v).max);
  near(quern::norm(exec, s, o), quern::norm(host(), v), "norm");
  near(quern::norm<1>(exec, s, o), quern::norm<1>(host(), v), "norm 1");
  near(quern::mean(exec, s, o), quern::mean(host(), v), "mean");
  const auto [mean, var] = quern::mean_var(exec, s, o);
  near(mean, quern::mean(host(), v), "mean of mean_var");
  near(var, quern::var(host(), v), "var of mean_var");
  near(quern::var(exec, s, quern::ddof{1}, o), quern::var(host(), v, quern::ddof{1}), "var");
  near(quern::stddev(exec, s, o), quern::stddev(host(), v), "stddev");
  EXPECT_EQ(quern::all(exec, s, o), quern::all(host(), v));
  EXPECT_EQ(quern::any(exec, s, o), quern::any(host(), v));
  EXPECT_EQ(quern::count(exec, s, o), quern::count(host(), v));
  EXPECT_EQ(quern::argmax(exec, s, o), quern::argmax(host(), v));
  EXPECT_EQ(quern::argmin(exec, s, o), quern::argmin(host(), v));
  near(quern::nansum(exec, s, o), quern::nansum(host(), v), "nansum");
  near(quern::nanmean(exec, s, o), quern::nanmean(host(), v), "nanmean");
  near(quern::nanvar(exec, s, o), quern::nanvar(host(), v), "nanvar");
  EXPECT_EQ(quern::nanmin(exec, s, o), quern::nanmin(host(), v));
  EXPECT_EQ(quern::nanmax(exec, s, o), quern::nanmax(host(), v));
  EXPECT_EQ(quern::nanargmax(exec, s, o), quern::nanargmax(host(), v));
  EXPECT_EQ(quern::nanargmin(exec, s, o), quern::nanargmin(host(), v));
  EXPECT_EQ(quern::nancount(exec, s, o), quern::nancount(host(), v));
  near(quern::dot(exec, s, s, two), quern::dot(host(), v, v), "dot");
  near(quern::reduce(exec, quern::impl::max_op(), T(-100), s, o), quern::max(host(), v), "reduce");
  {
    EXPECT_EQ(quern::sum(exec, s, quern::reproducible, o), quern::sum(host(), v, quern::reproducible));
    EXPECT_EQ(quern::mean(exec, s, quern::reproducible, o), quern::mean(host(), v, quern::reproducible));
    EXPECT_EQ(quern::var(exec, s, quern::reproducible, o), quern::var(host(), v, quern::reproducible));
    EXPECT_EQ(quern::stddev(exec, s, o, quern::reproducible), quern::stddev(host(), v, quern::reproducible));
    EXPECT_EQ(quern::dot(exec, s, s, quern::reproducible, two), quern::dot(host(), v, v, quern::reproducible));
  }
}

template <class Exec>
struct ChunkedFamily : testing::Test {};
TYPED_TEST_SUITE(ChunkedFamily, test::all_spaces);

TYPED_TEST(ChunkedFamily, ReductionsAreThoseInMemory) {
  using E = TypeParam;
  for (const auto& extents : {std::array<std::int64_t, 3>{97, 3, 11}, {1, 1, 1}, {5, 7, 100}}) {
    const auto a = behind<double>(extents);
    const auto v = test::make_array<double, 3, LayoutRight, host>(extents, a.values);
    for (const std::int64_t rows : {1, 10, 1000}) check_reductions<double>(E(), a, v, memory_for(a, rows));
  }
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

TYPED_TEST(ChunkedReduce, SumsAndPositions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto a = behind<T>(std::array<std::int64_t, 3>{97, 3, 11});
  const auto v = test::make_array<T, 3, LayoutRight, E>(a.extents, a.values);
  for (const std::int64_t rows : {1, 10, 1000}) {
    const auto o = memory_for(a, rows);
    EXPECT_EQ(quern::sum<double>(exec, v), quern::sum<double>(exec, a.source(), o));  // of quarters: exact
    EXPECT_EQ(quern::sum(exec, v, quern::reproducible), quern::sum(exec, a.source(), quern::reproducible, o));
    EXPECT_EQ(quern::argmin(exec, v), quern::argmin(exec, a.source(), o));
  }
}

TYPED_TEST(ChunkedReduce, Quantiles) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  auto a = behind<T>(std::array<std::int64_t, 2>{61, 7});
  const auto check = [&] {
    const auto v = test::make_array<T, 2, LayoutRight, E>(a.extents, a.values);
    const auto o = memory_for(a, 9);
    const auto same = [](auto x, auto y) { return x == y || (x != x && y != y); };
    for (const double q : {0.0, 0.013, 0.25, 0.5, 0.9, 1.0})
      for (const auto how : {quern::interpolation::linear, quern::interpolation::lower, quern::interpolation::higher}) {
        EXPECT_TRUE(same(quern::quantile(exec, v, q, how), quern::quantile(exec, a.source(), q, how, o))) << q;
        EXPECT_TRUE(same(quern::nanquantile(exec, v, q, how), quern::nanquantile(exec, a.source(), q, how, o))) << q;
      }
    EXPECT_TRUE(same(quern::median(exec, v), quern::median(exec, a.source(), o)));
    EXPECT_TRUE(same(quern::nanmedian(exec, v), quern::nanmedian(exec, a.source(), o)));
  };
  check();
  if constexpr (!std::is_integral_v<T>) {
    for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = std::ldexp(a.values[i], 41 * i % 1900 - 950);
    a.values[5] = std::numeric_limits<T>::infinity();
    check();
    a.values[17] = std::numeric_limits<T>::quiet_NaN();
    check();
  }
  const auto tall = behind<T>(std::array<std::int64_t, 2>{200, 2});
  const Kokkos::View<std::int8_t*, Kokkos::HostSpace> narrow("narrow", 2);
  EXPECT_THROW(quern::argmax(exec, quern::in_chunks(narrow), tall.source(), quern::axis{0}), quern::Error)
      << "of 8 bits";
  test::expect_error("quern::quantile: a probability is 1.500000, expected 0 to 1",
                     [&] { quern::quantile(exec, a.source(), 1.5); });
}

TYPED_TEST(ChunkedReduce, ReductionsAlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const std::array<std::int64_t, 3> extents{41, 6, 9};
  const auto a = behind<T>(extents);
  const auto v = test::make_array<T, 3, LayoutRight, E>(extents, a.values);
  const auto o = memory_for(a, 5);
  const auto check = [&]<std::size_t Rank>(const std::array<std::int64_t, Rank>& rest, const auto& along) {
    const auto found = test::make_array<double, Rank, typename TypeParam::layout, E>(rest);
    const auto expected = test::make_array<double, Rank, LayoutRight, E>(rest);
    quern::sum<double>(exec, found, a.source(), along, o);
    quern::sum<double>(exec, expected, v, along);
    EXPECT_EQ(test::contents(expected), test::contents(found));  // sums of quarters are exact
    const auto on_host = test::make_array<double, Rank, LayoutRight, Kokkos::DefaultHostExecutionSpace>(rest);
    quern::sum<double>(exec, quern::in_chunks(on_host), a.source(), along, o);
    EXPECT_EQ(test::contents(expected), test::contents(on_host));
    const auto at = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    const auto expected_at = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    quern::argmax(exec, at, a.source(), along, o);
    quern::argmax(exec, expected_at, v, along);
    EXPECT_EQ(test::contents(expected_at), test::contents(at));
  };
  check(std::array<std::int64_t, 2>{6, 9}, quern::axis{0});
  check(std::array<std::int64_t, 2>{41, 9}, quern::axis{1});
  check(std::array<std::int64_t, 2>{41, 6}, quern::axis{-1});
  check(std::array<std::int64_t, 1>{9}, quern::axes{0, 1});
  check(std::array<std::int64_t, 1>{41}, quern::axes{2, 1});
}

}  // namespace
