// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Differential operators over ranks are the blocks of those in memory.
#include <distributed/world.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/stencil/operators.hpp>

namespace {

using quern::Decomposition, quern::shape;

template <class Exec>
struct DistributedOperators : testing::Test {
  /// Calls `run(out, other, in)` with Views and with DistributedViews of every grid.
  template <class Run>
  static void compare(const Run& run) {
    const auto comm = test::world();
    const shape extents{13, 12};
    const auto values = test::samples<double>(extents.size(), 3);
    const auto view = [&] { return test::make_array<double, 2, Kokkos::LayoutRight, Exec>({13, 12}, values); };
    const auto in = view(), out = view(), other = view();
    run(out, other, in);
    for (const auto& grid : test::grids(comm.size(), 2)) {
      const Decomposition d(comm, extents, {.grid = grid, .halo = {2}});
      const auto field = [&] { return test::distribute<double, 2, Kokkos::LayoutRight, Exec>(d, values); };
      const auto u = field(), found = field(), found_other = field();
      run(found, found_other, u);
      EXPECT_EQ(test::part_of(test::contents(out), extents, d.local()), test::contents(found.local()));
      EXPECT_EQ(test::part_of(test::contents(other), extents, d.local()), test::contents(found_other.local()));
    }
  }
};
TYPED_TEST_SUITE(DistributedOperators, test::all_spaces);

TYPED_TEST(DistributedOperators, GradientsAreOneSidedAtTheEdgesOfTheWholeArray) {
  const TypeParam exec;
  this->compare([&](const auto& g0, const auto& g1, const auto& u) {
    quern::gradient(exec, quern::outputs(g0, g1), u, {0.5, 0.25}, quern::edge_order<2>);
  });
  std::vector<double> points;
  for (int i = 0; i < 13; ++i) points.push_back(i + 0.01 * i * i);
  const auto y = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({13}, points);
  this->compare([&](const auto& g0, const auto&, const auto& u) { quern::gradient(exec, g0, u, y, quern::axis{0}); });
}

TYPED_TEST(DistributedOperators, LaplaciansAndDivergencesAreThoseInMemory) {
  const TypeParam exec;
  this->compare([&](const auto& out, const auto& other, const auto& u) {
    quern::laplacian(exec, out, u, 0.5, quern::boundary::wrap);
    quern::divergence(other, quern::components(u, u), 0.5, quern::boundary::nearest);
  });
}

TYPED_TEST(DistributedOperators, NeedHalosAsWideAsTheyReach) {
  const auto comm = test::world();
  const Decomposition d(comm, {12 * comm.size()}, {.halo = {1}});
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, TypeParam>(
      d, std::vector<double>(12 * static_cast<std::size_t>(comm.size()), 1.0));
  const quern::DistributedView<double, 1, TypeParam> g("g", d);
  quern::gradient(TypeParam(), g, u, 1.0);
  for (const double slope : test::contents(g.local())) EXPECT_EQ(0, slope);
  if (comm.size() > 1) {
    EXPECT_THROW(quern::gradient(TypeParam(), g, u, 1.0, quern::edge_order<2>), quern::Error);
  }
}

}  // namespace
