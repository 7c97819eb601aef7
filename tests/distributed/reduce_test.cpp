// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of distributed arrays beside those of the whole array on one rank.
#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/quantile.hpp>
#include <quern/distributed/reduce.hpp>

namespace {

namespace distributed = quern::distributed;
using quern::Decomposition, quern::shape;

template <class Case>
struct DistributedReduce : testing::Test {};
using reduce_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(DistributedReduce, reduce_cases);

template <class T, class X, class Y>
void expect_near(const X& expected, const Y& found, std::size_t n, const char* what) {
  if constexpr (std::is_integral_v<Y>) {
    EXPECT_EQ(expected, found) << what;
  } else if (expected != expected) {
    EXPECT_NE(found, found) << what;
  } else {
    const double eps = std::numeric_limits<Y>::epsilon() * std::log2(static_cast<double>(n) + 2);
    EXPECT_NEAR(expected, found, eps * (std::fabs(expected) + 10 * std::sqrt(static_cast<double>(n)))) << what;
  }
}

/// A product has a rounding error for each of its factors.
template <class X>
void expect_near_product(const X& expected, const X& found, std::size_t n) {
  if (expected == found || (expected != expected && found != found)) return;  // infinities, too
  EXPECT_NEAR(1, found / expected, static_cast<double>(n) * std::numeric_limits<X>::epsilon());
}

template <class E, class T, class V, class U>
void check_values(const V& v, const U& u) {
  const E exec;
  const std::size_t n = v.size();
#define QUERN_TEST_NEAR(call) expect_near<T>(quern::call(exec, v), distributed::call(exec, u), n, #call)
#define QUERN_TEST_SAME(call) EXPECT_EQ(quern::call(exec, v), distributed::call(exec, u)) << #call
  QUERN_TEST_NEAR(sum);
  QUERN_TEST_NEAR(sum<double>);
  expect_near_product(quern::prod<double>(exec, v), distributed::prod<double>(exec, u), n);
  QUERN_TEST_SAME(min);
  QUERN_TEST_SAME(max);
  QUERN_TEST_NEAR(norm);
  QUERN_TEST_NEAR(norm<1>);
  QUERN_TEST_NEAR(mean);
  QUERN_TEST_NEAR(var);
  QUERN_TEST_NEAR(stddev);
  QUERN_TEST_SAME(all);
  QUERN_TEST_SAME(any);
  QUERN_TEST_SAME(count);
  QUERN_TEST_SAME(argmax);
  QUERN_TEST_SAME(argmin);
  QUERN_TEST_NEAR(nansum);
  QUERN_TEST_NEAR(nanmean);
  QUERN_TEST_NEAR(nanvar);
  QUERN_TEST_SAME(nanmin);
  QUERN_TEST_SAME(nanmax);
  QUERN_TEST_SAME(nanargmax);
  QUERN_TEST_SAME(nanargmin);
  QUERN_TEST_SAME(nancount);
#undef QUERN_TEST_NEAR
#undef QUERN_TEST_SAME
  EXPECT_EQ(quern::minmax(exec, v).max, distributed::minmax(exec, u).max);
  EXPECT_EQ(quern::minmax(exec, v).min, distributed::minmax(exec, u).min);
  const auto [mean, var] = distributed::mean_var(exec, u, quern::ddof{1});
  expect_near<T>(quern::mean(exec, v), mean, n, "mean of mean_var");
  expect_near<T>(quern::var(exec, v, quern::ddof{1}), var, n, "var of mean_var");
  expect_near<T>(quern::dot(exec, v, v), distributed::dot(exec, u, u), n, "dot");
  expect_near<T>(quern::vdot(exec, v, v), distributed::vdot(exec, u, u), n, "vdot");
  EXPECT_EQ(quern::max(exec, v), distributed::reduce(exec, quern::impl::max_op(), T(-100), u));
  const auto r = quern::reproducible;
  EXPECT_EQ(quern::sum(exec, v, r), distributed::sum(exec, u, r));
  EXPECT_EQ(quern::mean(exec, v, r), distributed::mean(exec, u, r));
  EXPECT_EQ(quern::norm(exec, v, r), distributed::norm(exec, u, r));
  EXPECT_EQ(quern::var(exec, v, r), distributed::var(exec, u, r));
  EXPECT_EQ(quern::stddev(exec, v, r), distributed::stddev(exec, u, r));
  EXPECT_EQ(quern::dot(exec, v, v, r), distributed::dot(exec, u, u, r));
}

TYPED_TEST(DistributedReduce, ValuesAreThoseOfOneDevice) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = std::conditional_t<std::is_same_v<typename TypeParam::layout, Kokkos::LayoutStride>, Kokkos::LayoutRight,
                               typename TypeParam::layout>;
  const auto comm = test::world();
  for (const shape& extents : {shape{97, 3, 11}, shape{1, 1, 1}, shape{2, 100, 1}}) {
    std::vector<T> values = test::samples<T>(extents.size());
    if constexpr (!std::is_integral_v<T>)
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += 1e-3 * std::sin(static_cast<double>(i));
    const auto v = test::make_array<T, 3, Kokkos::LayoutRight, E>(
        {extents.extent[0], extents.extent[1], extents.extent[2]}, values);
    for (const auto& grid : test::grids(comm.size(), 3))
      for (const int halo : {0, 1}) {
        if (halo == 1 && grid != std::vector<int>{comm.size(), 1, 1}) continue;
        const Decomposition d(comm, extents, {.grid = grid, .halo = {halo}});
        check_values<E, T>(v, test::distribute<T, 3, L, E>(d, values));
      }
  }
}

TYPED_TEST(DistributedReduce, Quantiles) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto comm = test::world();
  for (const std::int64_t n : {1, 2, 501}) {
    auto values = test::samples<T>(n, 4);
    for (const bool with_nan : {false, true}) {
      if constexpr (std::is_floating_point_v<T>) {
        if (with_nan) values[n / 2] = std::numeric_limits<T>::quiet_NaN();
      }
      const auto v = test::make_array<T, 1, Kokkos::LayoutRight, E>({n}, values);
      const auto u = test::distribute<T, 1, Kokkos::LayoutRight, E>(Decomposition(comm, {n}), values);
      const auto same = [](auto x, auto y) { return x == y || (x != x && y != y); };
      for (const double q : {0.0, 0.3, 0.99, 1.0}) {
        EXPECT_TRUE(same(quern::quantile(exec, v, q), distributed::quantile(exec, u, q))) << q;
        EXPECT_TRUE(same(quern::nanquantile(exec, v, q), distributed::nanquantile(exec, u, q))) << q;
      }
      const auto lower = quern::interpolation::lower;
      EXPECT_TRUE(same(quern::median(exec, v, lower), distributed::median(exec, u, lower)));
      EXPECT_TRUE(same(quern::nanmedian(exec, v), distributed::nanmedian(exec, u)));
    }
  }
}

TYPED_TEST(DistributedReduce, ResultsAlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto comm = test::world();
  const shape extents{7, 6, 9};
  const auto values = test::samples<T>(extents.size(), 2);
  const auto v = test::make_array<T, 3, Kokkos::LayoutRight, E>({7, 6, 9}, values);
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const auto u = test::distribute<T, 3, Kokkos::LayoutRight, E>(d, values);
    const auto check = [&]<std::size_t Rank, class R>(const std::array<int, Rank>& rest, const auto& along, R,
                                                      const auto& whole_call, const auto& call) {
      std::array<std::int64_t, Rank> all{}, mine{};
      shape whole;
      quern::block own;
      whole.rank = own.first.rank = own.extents.rank = static_cast<int>(Rank);
      for (std::size_t k = 0; k < Rank; ++k) {
        whole.extent[k] = all[k] = extents.extent[rest[k]];
        own.first.extent[k] = d.local().first.extent[rest[k]];
        own.extents.extent[k] = mine[k] = d.local().extents.extent[rest[k]];
      }
      const auto expected = test::make_array<R, Rank, Kokkos::LayoutRight, E>(all);
      const auto found = test::make_array<R, Rank, typename TypeParam::layout, E>(mine);
      whole_call(expected, along);
      call(found, along);
      EXPECT_EQ(test::part_of(test::contents(expected), whole, own), test::contents(found));
    };
    const auto sums = [&](const auto& rest, const auto& along) {
      check(
          rest, along, 0.0, [&](const auto& o, const auto& a) { quern::sum<double>(exec, o, v, a); },
          [&](const auto& o, const auto& a) { distributed::sum<double>(exec, o, u, a); });  // of quarters: exact
    };
    sums(std::array{1, 2}, quern::axis{0});
    sums(std::array{0, 2}, quern::axis{1});
    sums(std::array{0, 1}, quern::axis{-1});
    sums(std::array{1}, quern::axes{0, 2});
    sums(std::array{0}, quern::axes{1, 2});
    check(
        std::array{0, 2}, quern::axis{1}, std::int64_t(),
        [&](const auto& o, const auto& a) { quern::argmax(exec, o, v, a); },
        [&](const auto& o, const auto& a) { distributed::argmax(exec, o, u, a); });
    check(
        std::array{2}, quern::axes{0, 1}, std::int64_t(),
        [&](const auto& o, const auto& a) { quern::argmin(exec, o, v, a); },
        [&](const auto& o, const auto& a) { distributed::argmin(exec, o, u, a); });
    check(
        std::array{1, 2}, quern::axis{0}, 0.0,
        [&](const auto& o, const auto& a) { quern::stddev(exec, o, v, a, quern::reproducible); },
        [&](const auto& o, const auto& a) { distributed::stddev(exec, o, u, a, quern::reproducible); });
    const Kokkos::View<double, E> one("one");
    distributed::sum<double>(exec, one, u);
    EXPECT_EQ(quern::sum<double>(exec, v), test::value(one));
  }
}

template <class Exec>
struct DistributedReduceOn : testing::Test {};
TYPED_TEST_SUITE(DistributedReduceOn, test::all_spaces);

TYPED_TEST(DistributedReduceOn, EmptyArraysAndRanks) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const Decomposition d(comm, {0, 4});
  const quern::DistributedView<double, 2, E> u("u", d);
  EXPECT_EQ(0.0, distributed::sum(exec, u));
  EXPECT_EQ(1.0, distributed::prod(exec, u));
  EXPECT_TRUE(std::isnan(distributed::mean(exec, u)));
  test::expect_error("quern::argmax: in 1 has extents (0, 4), expected at least one element",
                     [&] { distributed::argmax(exec, u); });
  const Decomposition one(comm, {1});
  const auto v = test::distribute<double, 1, Kokkos::LayoutRight, E>(one, {-3.5});
  EXPECT_EQ(-3.5, distributed::max(v)) << "ranks without elements";
  EXPECT_EQ(0, distributed::argmin(v));
  EXPECT_EQ(0.0, distributed::var(v));
}

TYPED_TEST(DistributedReduceOn, ReproducibleOfExtremeValues) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back(std::ldexp(i % 2 == 0 ? 1.1 : -1.3, 37 * i % 1900 - 950));
  const auto v = test::make_array<double, 1, Kokkos::LayoutRight, E>({300}, values);
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, E>(Decomposition(comm, {300}), values);
  EXPECT_EQ(quern::sum(exec, v, quern::reproducible), distributed::sum(exec, u, quern::reproducible));
  values[150] = std::numeric_limits<double>::infinity();
  const auto w = test::distribute<double, 1, Kokkos::LayoutRight, E>(Decomposition(comm, {300}), values);
  EXPECT_EQ(values[150], distributed::sum(exec, w, quern::reproducible));
}

TYPED_TEST(DistributedReduceOn, ReportsMisuse) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const Decomposition d(comm, {16, 9}, {.grid = {comm.size(), 1}});
  const quern::DistributedView<double, 2, E> u("u", d);
  const Kokkos::View<double*, E> out("out", 4);
  test::expect_error("quern::distributed::sum: out has extents (4), expected (9)",
                     [&] { distributed::sum(exec, out, u, quern::axis{0}); });
}

struct plus_all {
  KOKKOS_FUNCTION double operator()(double a, double b, double c, double d) const { return a + 10 * b + 100 * c + d; }
};

TYPED_TEST(DistributedReduceOn, MapBroadcastsReplicatedOperands) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{6, 10};
  const auto x = test::samples<double>(60, 1), row = test::samples<double>(10, 2), column = test::samples<double>(6, 3);
  const auto vx = test::make_array<double, 2, Kokkos::LayoutRight, E>({6, 10}, x);
  const auto vrow = test::make_array<double, 1, Kokkos::LayoutRight, E>({10}, row);
  const auto vcolumn = test::make_array<double, 2, Kokkos::LayoutLeft, E>({6, 1}, column);
  const auto expected = test::make_array<double, 2, Kokkos::LayoutRight, E>({6, 10});
  quern::map(exec, expected, plus_all(), vx, vrow, vcolumn, 0.5);
  for (const auto& grid : test::grids(comm.size(), 2)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
    distributed::map(exec, u, plus_all(), u, vrow, vcolumn, 0.5);
    EXPECT_EQ(test::part_of(test::contents(expected), extents, d.local()), test::contents(u.local()));
  }
  const quern::DistributedView<double, 2, E> u("u", Decomposition(comm, extents));
  test::expect_error("quern::distributed::map: in 2 has extents (9), which do not broadcast to (6, 10)", [&] {
    distributed::map(exec, u, plus_all(), u, test::make_array<double, 1, Kokkos::LayoutRight, E>({9}), vcolumn, 0.5);
  });
}

}  // namespace
