// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ranges, matrices and choices over ranks are the blocks of those in memory.
#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/rows.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

namespace {

using quern::Decomposition, quern::shape;

template <class Exec>
struct DistributedFunctions : testing::Test {
  /// Calls `write(out)` with a View and with a DistributedView of every grid.
  template <int Rank, class Write>
  static void compare(const shape& extents, const Write& write) {
    const auto comm = test::world();
    std::array<std::int64_t, Rank> n{};
    std::copy_n(extents.extent.begin(), Rank, n.begin());
    const auto whole = test::make_array<double, Rank, Kokkos::LayoutRight, Exec>(n);
    write(whole);
    for (const auto& grid : test::grids(comm.size(), Rank)) {
      const Decomposition d(comm, extents, {.grid = grid});
      const quern::DistributedView<double, Rank, Exec> u("u", d);
      write(u);
      EXPECT_EQ(test::part_of(test::contents(whole), extents, d.local()), test::contents(u.local()));
    }
  }
};
TYPED_TEST_SUITE(DistributedFunctions, test::all_spaces);

TYPED_TEST(DistributedFunctions, RangesCountInTheWholeArray) {
  const TypeParam exec;
  this->template compare<1>({23}, [&](const auto& out) { quern::arange(exec, out, 0.5, 12, 0.5); });
  this->template compare<1>({23}, [&](const auto& out) { quern::linspace(exec, out, -1, 2.5); });
  this->template compare<1>({23}, [&](const auto& out) { quern::logspace(exec, out, -1, 2, quern::without_endpoint); });
  this->template compare<1>({23}, [&](const auto& out) { quern::geomspace(exec, out, 1e-3, 1e3); });
}

TYPED_TEST(DistributedFunctions, MatricesCountInTheWholeArray) {
  const TypeParam exec;
  this->template compare<2>({9, 7}, [&](const auto& out) { quern::eye(exec, out, quern::diagonal_offset{-2}); });
  this->template compare<2>({9, 7}, [&](const auto& out) {
    quern::fill(exec, out, 3.0);
    quern::tril(exec, out, out);
  });
  this->template compare<2>({9, 7}, [&](const auto& out) {
    quern::fill(exec, out, 3.0);
    quern::triu(exec, out, out, quern::diagonal_offset{1});
  });
}

TYPED_TEST(DistributedFunctions, ChoicesAreThoseInMemory) {
  const TypeParam exec;
  const auto filled = [&](const auto& out) { quern::eye(exec, out, quern::diagonal_offset{1}); };
  this->template compare<2>({5, 6}, [&](const auto& out) {
    filled(out);
    quern::clip(exec, out, out, 0.25, 0.5);
    quern::nan_to_num(exec, out, out);
    quern::isclose(exec, out, out, 0.25, quern::tolerance{.absolute = 0.1});
    quern::select(exec, out, out, 4, out, 5, 6);
    EXPECT_TRUE(quern::array_equal(exec, out, out));
    EXPECT_FALSE(quern::allclose(exec, out, 4));
    EXPECT_EQ(2, quern::ptp(exec, out));
  });
}

TYPED_TEST(DistributedFunctions, ProductsAndPolynomialsAreThoseInMemory) {
  const TypeParam exec;
  const auto coefficients = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({3}, {1, -2, 0.5});
  this->template compare<2>({9, 7}, [&](const auto& out) {
    quern::eye(exec, out, quern::diagonal_offset{1});
    quern::polyval(exec, out, coefficients, out);
  });
  const quern::DistributedView<double, 1, TypeParam> line("line", Decomposition(test::world(), {64}));
  test::expect_error("quern::polyval: out and coefficients share memory",
                     [&] { quern::polyval(exec, line, line.local(), line); });
  // Vectors are whole on each rank.
  const auto comm = test::world();
  const shape extents{11, 3};
  const auto values = test::samples<double>(extents.size(), 5);
  const auto u = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({11, 3}, values), expected = u;
  quern::cross(exec, expected, u, Kokkos::Array<double, 3>{1, 2, 3});
  const Decomposition d(comm, extents, {.grid = {comm.size(), 1}});
  const auto v = test::distribute<double, 2, Kokkos::LayoutRight, TypeParam>(d, values);
  quern::cross(exec, v, v, Kokkos::Array<double, 3>{1, 2, 3});
  EXPECT_EQ(test::part_of(test::contents(expected), extents, d.local()), test::contents(v.local()));
}

}  // namespace
