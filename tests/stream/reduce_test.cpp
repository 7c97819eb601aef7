// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations on streams beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <cmath>

#include <quern/stream/quantile.hpp>
#include <stream/behind_function.hpp>

namespace {

namespace stream = quern::stream;
using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Case>
struct StreamReduce : testing::Test {};
using stream_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(StreamReduce, stream_cases);

using host = Kokkos::DefaultHostExecutionSpace;

/// Every reduction, in chunks and in the memory of the host.
template <class T, class E, class A, class V>
void check_reductions(const E& exec, const A& a, const V& v, const stream::options& o) {
  const auto s = a.source();
  stream::options two = o;
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
  near(stream::sum(exec, s, o), quern::sum(host(), v), "sum");
  near(stream::sum<double>(exec, s, o), quern::sum<double>(host(), v), "sum<double>");
  near(stream::prod<double>(exec, s, o), quern::prod<double>(host(), v), "prod");
  EXPECT_EQ(stream::min(exec, s, o), quern::min(host(), v));
  EXPECT_EQ(stream::max(exec, s, o), quern::max(host(), v));
  EXPECT_EQ(stream::minmax(exec, s, o).max, quern::minmax(host(), v).max);
  near(stream::norm(exec, s, o), quern::norm(host(), v), "norm");
  near(stream::norm<1>(exec, s, o), quern::norm<1>(host(), v), "norm 1");
  near(stream::mean(exec, s, o), quern::mean(host(), v), "mean");
  const auto [mean, var] = stream::mean_var(exec, s, o);
  near(mean, quern::mean(host(), v), "mean of mean_var");
  near(var, quern::var(host(), v), "var of mean_var");
  near(stream::var(exec, s, quern::ddof{1}, o), quern::var(host(), v, quern::ddof{1}), "var");
  near(stream::stddev(exec, s, o), quern::stddev(host(), v), "stddev");
  EXPECT_EQ(stream::all(exec, s, o), quern::all(host(), v));
  EXPECT_EQ(stream::any(exec, s, o), quern::any(host(), v));
  EXPECT_EQ(stream::count(exec, s, o), quern::count(host(), v));
  EXPECT_EQ(stream::argmax(exec, s, o), quern::argmax(host(), v));
  EXPECT_EQ(stream::argmin(exec, s, o), quern::argmin(host(), v));
  near(stream::nansum(exec, s, o), quern::nansum(host(), v), "nansum");
  near(stream::nanmean(exec, s, o), quern::nanmean(host(), v), "nanmean");
  near(stream::nanvar(exec, s, o), quern::nanvar(host(), v), "nanvar");
  EXPECT_EQ(stream::nanmin(exec, s, o), quern::nanmin(host(), v));
  EXPECT_EQ(stream::nanmax(exec, s, o), quern::nanmax(host(), v));
  EXPECT_EQ(stream::nanargmax(exec, s, o), quern::nanargmax(host(), v));
  EXPECT_EQ(stream::nanargmin(exec, s, o), quern::nanargmin(host(), v));
  EXPECT_EQ(stream::nancount(exec, s, o), quern::nancount(host(), v));
  near(stream::dot(exec, s, s, two), quern::dot(host(), v, v), "dot");
  near(stream::reduce(exec, quern::impl::max_op(), T(-100), s, o), quern::max(host(), v), "reduce");
  {
    EXPECT_EQ(stream::sum(exec, s, quern::reproducible, o), quern::sum(host(), v, quern::reproducible));
    EXPECT_EQ(stream::mean(exec, s, quern::reproducible, o), quern::mean(host(), v, quern::reproducible));
    EXPECT_EQ(stream::var(exec, s, quern::reproducible, o), quern::var(host(), v, quern::reproducible));
    EXPECT_EQ(stream::stddev(exec, s, o, quern::reproducible), quern::stddev(host(), v, quern::reproducible));
    EXPECT_EQ(stream::dot(exec, s, s, quern::reproducible, two), quern::dot(host(), v, v, quern::reproducible));
  }
}

template <class Exec>
struct StreamFamily : testing::Test {};
TYPED_TEST_SUITE(StreamFamily, test::all_spaces);

TYPED_TEST(StreamFamily, ReductionsAreThoseInMemory) {
  using E = TypeParam;
  for (const auto& extents : {std::array<std::int64_t, 3>{97, 3, 11}, {1, 1, 1}, {5, 7, 100}}) {
    const auto a = behind<double>(extents);
    const auto v = test::make_array<double, 3, LayoutRight, host>(extents, a.values);
    for (const std::int64_t rows : {1, 10, 1000}) check_reductions<double>(E(), a, v, memory_for(a, rows));
  }
}

TYPED_TEST(StreamFamily, VariancesKeepTheirDigits) {
  using E = TypeParam;
  for (const double first : {0.0, 0x1p53}) {  // of all of them, beside an outlier
    auto a = behind<double>(std::array<std::int64_t, 2>{999, 3});
    const auto n = static_cast<double>(a.values.size());
    for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = 0x1p53 + static_cast<double>(i % 3 * 2);
    a.values[0] = first;
    const double exact = first == 0 ? 0x1p106 / n * (1 - 1 / n) : 8.0 / 3;
    for (const std::int64_t rows : {1, 10, 1000}) {
      const auto [mean, var] = stream::mean_var(E(), a.source(), memory_for(a, rows));
      EXPECT_NEAR(exact, var, 16 * test::eps<double>() * exact) << rows;
      EXPECT_NEAR(first == 0 ? 0x1p53 * (1 - 1 / n) : 0x1p53 + 2, mean, 4 * test::eps<double>() * 0x1p53);
      EXPECT_NEAR(exact, stream::var(E(), a.source(), memory_for(a, rows)), 16 * test::eps<double>() * exact);
      EXPECT_NEAR(exact, stream::var(E(), a.source(), memory_for(a, rows), quern::reproducible),
                  16 * test::eps<double>() * exact);
    }
  }
}

TYPED_TEST(StreamReduce, SumsAndPositions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto a = behind<T>(std::array<std::int64_t, 3>{97, 3, 11});
  const auto v = test::make_array<T, 3, LayoutRight, E>(a.extents, a.values);
  for (const std::int64_t rows : {1, 10, 1000}) {
    const auto o = memory_for(a, rows);
    EXPECT_EQ(quern::sum<double>(exec, v), stream::sum<double>(exec, a.source(), o));  // of quarters: exact
    EXPECT_EQ(quern::sum(exec, v, quern::reproducible), stream::sum(exec, a.source(), quern::reproducible, o));
    EXPECT_EQ(quern::argmin(exec, v), stream::argmin(exec, a.source(), o));
  }
}

TYPED_TEST(StreamReduce, Quantiles) {
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
        EXPECT_TRUE(same(quern::quantile(exec, v, q, how), stream::quantile(exec, a.source(), q, how, o))) << q;
        EXPECT_TRUE(same(quern::nanquantile(exec, v, q, how), stream::nanquantile(exec, a.source(), q, how, o))) << q;
      }
    EXPECT_TRUE(same(quern::median(exec, v), stream::median(exec, a.source(), o)));
    EXPECT_TRUE(same(quern::nanmedian(exec, v), stream::nanmedian(exec, a.source(), o)));
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
  EXPECT_THROW(stream::argmax(exec, narrow, tall.source(), quern::axis{0}), quern::Error) << "of 8 bits";
  test::expect_error("quern::stream::quantile: a probability is 1.500000, expected 0 to 1",
                     [&] { stream::quantile(exec, a.source(), 1.5); });
}

TYPED_TEST(StreamReduce, ReductionsAlongAxes) {
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
    stream::sum<double>(exec, found, a.source(), along, o);
    quern::sum<double>(exec, expected, v, along);
    EXPECT_EQ(test::contents(expected), test::contents(found));  // sums of quarters are exact
    const auto on_host = test::make_array<double, Rank, LayoutRight, Kokkos::DefaultHostExecutionSpace>(rest);
    stream::sum<double>(exec, on_host, a.source(), along, o);
    EXPECT_EQ(test::contents(expected), test::contents(on_host));
    const auto at = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    const auto expected_at = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    stream::argmax(exec, at, a.source(), along, o);
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
