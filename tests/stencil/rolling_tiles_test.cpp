// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <quern/stencil.hpp>
#include <quern/stencil/device_rolling.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>

namespace {

using quern::impl::rolling_bounds;
using quern::impl::strided;
namespace op = quern::op;

using host = Kokkos::DefaultHostExecutionSpace;
const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// Windows of each element of lines, of which `low` results at one end and `high` at the other are left out.
struct problem {
  std::int64_t lines, n, before, after, low = 0, high = 0;
  std::string text() const {
    return std::to_string(lines) + " x " + std::to_string(n) + ", " + std::to_string(before) + ", " +
           std::to_string(after) + ", " + std::to_string(low) + ", " + std::to_string(high);
  }
};
/// Rows of less than a run of a thread, some rows a tile, a tile and one element more, several tiles; windows of one
/// element, of less than a run, with blocks, and longer than a row or a tile.
const std::vector<problem> problems{
    {1, 1, 0, 0},        {3, 1, 1, 1},      {7, 5, 2, 0},       {40, 7, 7, 3},          {5, 20, 9, 0},
    {9, 33, 4, 4},       {2, 128, 2, 3},    {3, 129, 0, 9},     {2, 300, 9, 0},         {1, 1001, 15, 16},
    {2, 513, 31, 0},     {1, 700, 100, 57}, {2, 257, 257, 257}, {3, 40, 40, 0},         {6, 35, 16, 15},
    {1, 1000, 0, 63},    {1, 2000, 900, 0}, {1, 999, 5, 0, 5},  {2, 400, 20, 30, 1, 7}, {4, 50, 0, 39, 3, 30},
    {2, 1024, 127, 128},
};

/// Multiples of 1/4, whose sums are exact; every `missing`-th is NaN where the type has one.
template <class T>
std::vector<T> values(std::int64_t count, int missing) {
  std::vector<T> v(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = std::round(4 * test::sample(i));
    v[i] = static_cast<T>(std::is_integral_v<T> ? std::fabs(x) : x / 4);
    if constexpr (std::is_floating_point_v<T>)
      if (missing > 0 && i % missing == missing / 2) v[i] = static_cast<T>(nan);
  }
  return v;
}

/// The kernel of a device, by teams of threads of the host. Rows have gaps, and results are two apart.
template <class Out, class T, class Reducer>
std::vector<Out> on_threads(const problem& p, const std::vector<T>& x, const Reducer& reducer) {
  constexpr int threads = 16, at_a_time = 3;
  const std::int64_t results = p.n - p.low - p.high, gap = 3;
  std::vector<T> rows(p.lines * (p.n + gap));
  for (std::int64_t i = 0; i < p.lines * p.n; ++i) rows[i / p.n * (p.n + gap) + i % p.n] = x[i];
  std::vector<Out> out(2 * p.lines * results, Out(-77));
  strided<const T> in{rows.data(), quern::shape{p.lines, p.n}, {}};
  in.stride[0] = p.n + gap;
  in.stride[1] = 1;
  strided<Out> to{out.data(), quern::shape{p.lines, results}, {}};
  to.stride[0] = 2 * results;
  to.stride[1] = 2;
  rolling_bounds w;
  w.n = p.n;
  w.results = results;
  w.begin = p.low;
  w.before = p.before;
  w.after = p.after;
  const auto lines = quern::impl::rolling_lines_of("rolling", in, to, 1);
  const quern::impl::rolling_tiles<Reducer, const T*, Out> kernel(reducer, lines, w, threads);
  EXPECT_TRUE(kernel.exist()) << p.text();
  test::run_teams(kernel, static_cast<int>(kernel.tiles()), threads, at_a_time, kernel.team_bytes());
  std::vector<Out> found;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % 2 == 0) found.push_back(out[i]);
    else EXPECT_EQ(Out(-77), out[i]) << p.text();
  }
  return found;
}

/// One after the other, each by its window alone: of(state, number of elements).
template <class Out, class T, class Reducer>
std::vector<Out> one_by_one(const problem& p, const std::vector<T>& x, const Reducer& reducer) {
  std::vector<Out> found;
  for (std::int64_t l = 0; l < p.lines; ++l)
    for (std::int64_t i = p.low; i < p.n - p.high; ++i) {
      auto s = reducer.init();
      for (std::int64_t k = std::max<std::int64_t>(i - p.before, 0); k < std::min(i + p.after + 1, p.n); ++k)
        reducer.add(s, x[l * p.n + k]);
      found.push_back(reducer.template result<Out>(s));
    }
  return found;
}

template <class Op, class T>
auto reducer_of(std::int64_t least) {
  const auto r = quern::impl::rolling_description<Op, T>(host());
  return quern::impl::rolling_reducer<decltype(r.reducer), decltype(r.transform), std::int32_t>{r.reducer, r.transform,
                                                                                                least};
}

template <class Out, class T, class Reducer>
void expect_same(const Reducer& reducer, int missing) {
  for (const problem& p : problems) {
    const auto x = values<T>(p.lines * p.n, missing);
    const auto expected = one_by_one<Out>(p, x, reducer), found = on_threads<Out>(p, x, reducer);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] != expected[i]) ASSERT_NE(found[i], found[i]) << p.text() << " at " << i;
      else ASSERT_EQ(expected[i], found[i]) << p.text() << " at " << i;
    }
  }
}

TEST(RollingTiles, MeansAreOfEachWindow) { expect_same<double, double>(reducer_of<op::mean, double>(3), 5); }
TEST(RollingTiles, SumsOfBytes) { expect_same<float, std::uint8_t>(reducer_of<op::sum, std::uint8_t>(0), 0); }
TEST(RollingTiles, LeastFloats) { expect_same<double, float>(reducer_of<op::min, float>(1), 2); }
TEST(RollingTiles, CountsOfValues) { expect_same<float, double>(quern::impl::rolling_counter<std::int32_t>{4}, 3); }
TEST(RollingTiles, ExtremesForFilters) {
  expect_same<float, float>(quern::impl::extreme_reducer<quern::impl::extreme_of<1>, float>(), 0);
}

TEST(RollingTiles, VariancesAreRoundedAlike) {
  const auto reducer = reducer_of<op::var, double>(1);
  for (const problem& p : problems) {
    const auto x = values<double>(p.lines * p.n, 7);
    const auto expected = one_by_one<double>(p, x, reducer), found = on_threads<double>(p, x, reducer);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(expected[i])) ASSERT_TRUE(std::isnan(found[i])) << p.text() << " at " << i;
      else ASSERT_NEAR(expected[i], found[i], 8e-16 * expected[i]) << p.text() << " at " << i;
    }
  }
}

TEST(RollingTiles, InfinitiesStayInTheirWindows) {
  const problem p{1, 600, 40, 0};
  auto x = values<double>(600, 0);
  x[100] = inf;
  x[300] = -inf;
  x[320] = inf;
  const auto reducer = reducer_of<op::sum, double>(1);
  const auto expected = one_by_one<double>(p, x, reducer), found = on_threads<double>(p, x, reducer);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != expected[i]) ASSERT_NE(found[i], found[i]) << i;
    else ASSERT_EQ(expected[i], found[i]) << i;
  }
  EXPECT_EQ(inf, found[140]);
  EXPECT_NE(found[330], found[330]);
  EXPECT_TRUE(std::isfinite(found[141]));
}

TEST(RollingTiles, OtherWindowsHaveNone) {
  std::vector<double> x(100), y(100);
  strided<const double> in{x.data(), quern::shape{100}, {}};
  strided<double> to{y.data(), quern::shape{100}, {}};
  in.stride[0] = to.stride[0] = 1;
  const auto lines = quern::impl::rolling_lines_of("rolling", in, to, 0);
  const auto reducer = reducer_of<op::sum, double>(1);
  const auto exist = [&](const auto& change) {
    auto of_lines = lines;
    rolling_bounds w;
    w.n = w.results = 100;
    change(of_lines, w);
    return quern::impl::rolling_tiles<std::remove_const_t<decltype(reducer)>, const double*, double>(reducer, of_lines,
                                                                                                     w, 16)
        .exist();
  };
  std::int64_t bound = 0;
  EXPECT_TRUE(exist([](auto&, auto&) {}));
  EXPECT_FALSE(exist([](auto&, auto& w) { w.step = 2; }));
  EXPECT_FALSE(exist([](auto& l, auto&) { l.across = true; }));
  EXPECT_FALSE(exist([&](auto&, auto& w) { w.firsts = w.lasts = &bound; }));
  EXPECT_FALSE(exist([](auto&, auto& w) { w.n = w.results = w.before = 1 << 20; }));
}

}  // namespace
