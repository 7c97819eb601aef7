// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions along axes, and quantiles.
#include <distributed/reductions.hpp>
#include <quern/distributed/quantile.hpp>
#include <quern/distributed/reduce.hpp>

namespace {

namespace distributed = quern::distributed;
using quern::Decomposition, quern::shape;

template <class Case>
struct DistributedReduce : testing::Test {};
TYPED_TEST_SUITE(DistributedReduce, test::reduce_cases);

TYPED_TEST(DistributedReduce, Quantiles) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
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
        EXPECT_TRUE(same(quern::quantile(exec, v, q), quern::quantile(exec, u, q))) << q;
        EXPECT_TRUE(same(quern::nanquantile(exec, v, q), quern::nanquantile(exec, u, q))) << q;
      }
      const auto lower = quern::interpolation::lower;
      EXPECT_TRUE(same(quern::median(exec, v, lower), quern::median(exec, u, lower)));
      EXPECT_TRUE(same(quern::nanmedian(exec, v), quern::nanmedian(exec, u)));
    }
  }
}

TYPED_TEST(DistributedReduce, ResultsAlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto comm = test::world();
  const shape extents{7, 6, 9};
  const auto values = test::samples<T>(extents.size(), 2);
  const auto v = test::make_array<T, 3, Kokkos::LayoutRight, E>({7, 6, 9}, values);
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const auto u = test::distribute<T, 3, Kokkos::LayoutRight, E>(d, values);
    const auto check = [&]<std::size_t Rank, class R>(const std::array<int, Rank>& rest, const auto& along, R,
                                                      const auto& whole_call, const auto& call) {
      std::array<std::int64_t, Rank> all{};
      shape whole;
      whole.rank = static_cast<int>(Rank);
      for (std::size_t k = 0; k < Rank; ++k) whole.extent[k] = all[k] = extents.extent[rest[k]];
      const auto expected = test::make_array<R, Rank, Kokkos::LayoutRight, E>(all);
      whole_call(expected, along);
      const auto found = test::make_array<R, Rank, typename TypeParam::layout, E>(all);
      call(found, along);
      EXPECT_EQ(test::contents(expected), test::contents(found));
      for (const auto& cut : test::grids(comm.size(), static_cast<int>(Rank))) {
        const Decomposition blocks(comm, whole, {.grid = cut, .halo = {whole.extent[0] >= comm.size() ? 1 : 0}});
        const quern::DistributedView<R, static_cast<int>(Rank), E> results("results", blocks);
        call(results, along);
        EXPECT_EQ(test::part_of(test::contents(expected), whole, blocks.local()), test::contents(results.local()));
      }
    };
    const auto sums = [&](const auto& rest, const auto& along) {
      check(
          rest, along, 0.0, [&](const auto& o, const auto& a) { quern::sum<double>(exec, o, v, a); },
          [&](const auto& o, const auto& a) { quern::sum<double>(exec, o, u, a); });  // of quarters: exact
    };
    sums(std::array{1, 2}, quern::axis{0});
    sums(std::array{0, 2}, quern::axis{1});
    sums(std::array{0, 1}, quern::axis{-1});
    sums(std::array{1}, quern::axes{0, 2});
    sums(std::array{0}, quern::axes{1, 2});
    check(
        std::array{0, 2}, quern::axis{1}, std::int64_t(),
        [&](const auto& o, const auto& a) { quern::argmax(exec, o, v, a); },
        [&](const auto& o, const auto& a) { quern::argmax(exec, o, u, a); });
    check(
        std::array{2}, quern::axes{0, 1}, std::int64_t(),
        [&](const auto& o, const auto& a) { quern::argmin(exec, o, v, a); },
        [&](const auto& o, const auto& a) { quern::argmin(exec, o, u, a); });
    check(
        std::array{1, 2}, quern::axis{0}, 0.0,
        [&](const auto& o, const auto& a) { quern::stddev(exec, o, v, a, quern::reproducible); },
        [&](const auto& o, const auto& a) { quern::stddev(exec, o, u, a, quern::reproducible); });
    const Kokkos::View<double, E> one("one");
    quern::sum<double>(exec, one, u);
    EXPECT_EQ(quern::sum<double>(exec, v), test::value(one));
  }
}

template <class Exec>
struct DistributedAxesOn : testing::Test {};
TYPED_TEST_SUITE(DistributedAxesOn, test::all_spaces);

// More results than one message between ranks takes.
TYPED_TEST(DistributedAxesOn, ManyResults) {
  using E = TypeParam;
  const std::int64_t rows = 6, n = 50'000;
  const auto values = test::samples<double>(rows * n, 5);
  std::vector<double> sums(n);  // of quarters: exact
  std::vector<std::int64_t> largest(n);
  for (std::int64_t j = 0; j < rows; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      sums[i] += values[j * n + i];
      if (values[j * n + i] > values[largest[i] * n + i]) largest[i] = j;
    }
  const Decomposition d(test::world(), {rows, n}, {.grid = {0, 1}});
  const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, values);
  const Kokkos::View<double*, E> found("found", n);
  quern::sum(E(), found, u, quern::axis{0});
  EXPECT_EQ(sums, test::contents(found));
  const Kokkos::View<std::int64_t*, E> found_largest("found", n);
  quern::argmax(E(), found_largest, u, quern::axis{0});
  EXPECT_EQ(largest, test::contents(found_largest));
  const Kokkos::View<double**, E> row("row", 1, n), all("all", 1, 1);
  quern::sum(E(), row, u, quern::axes{0}, quern::keep_axes);
  EXPECT_EQ(sums, test::contents(row));
  quern::median(E(), all, u, quern::keep_axes);
  EXPECT_EQ((std::vector<double>{quern::median(E(), u)}), test::contents(all));
}

}  // namespace
