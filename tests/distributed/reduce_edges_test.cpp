// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Empty arrays and ranks, misuse, and operands that every rank has.
#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>

namespace {

namespace distributed = quern::distributed;
using quern::Decomposition, quern::shape;

template <class Exec>
struct DistributedReduceOn : testing::Test {};
TYPED_TEST_SUITE(DistributedReduceOn, test::all_spaces);

TYPED_TEST(DistributedReduceOn, EmptyArraysAndRanks) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, {0, 4});
  const quern::DistributedView<double, 2, E> u("u", d);
  EXPECT_EQ(0.0, quern::sum(exec, u));
  EXPECT_EQ(1.0, quern::prod(exec, u));
  EXPECT_TRUE(std::isnan(quern::mean(exec, u)));
  test::expect_error("quern::argmax: in 1 has extents (0, 4), expected at least one element",
                     [&] { quern::argmax(exec, u); });
  const Decomposition one(comm, {1});
  const auto v = test::distribute<double, 1, Kokkos::LayoutRight, E>(one, {-3.5});
  EXPECT_EQ(-3.5, quern::max(v)) << "ranks without elements";
  EXPECT_EQ(0, quern::argmin(v));
  EXPECT_EQ(0.0, quern::var(v));
}

TYPED_TEST(DistributedReduceOn, ReportsMisuse) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, {16, 9}, {.grid = {comm.size(), 1}});
  const quern::DistributedView<double, 2, E> u("u", d);
  const Kokkos::View<double*, E> out("out", 4);
  test::expect_error("quern::sum: out has extents (4), expected (9)",
                     [&] { quern::sum(exec, out, u, quern::axis{0}); });
}

struct plus_all {
  KOKKOS_FUNCTION double operator()(double a, double b, double c, double d) const { return a + 10 * b + 100 * c + d; }
};

TYPED_TEST(DistributedReduceOn, MapBroadcastsReplicatedOperands) {
  using E = TypeParam;
  const E exec{};
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
    quern::map(exec, u, plus_all(), u, vrow, vcolumn, 0.5);
    EXPECT_EQ(test::part_of(test::contents(expected), extents, d.local()), test::contents(u.local()));
  }
  const quern::DistributedView<double, 2, E> u("u", Decomposition(comm, extents));
  test::expect_error("quern::map: in 2 has extents (9), which do not broadcast to (6, 10)", [&] {
    quern::map(exec, u, plus_all(), u, test::make_array<double, 1, Kokkos::LayoutRight, E>({9}), vcolumn, 0.5);
  });
}

}  // namespace
