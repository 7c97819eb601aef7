// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of ghosts, which go to the cells that they stand for.
#include <distributed/own_blocks.hpp>
#include <distributed/world.hpp>
#include <quern/distributed/halo_exchange.hpp>

namespace {

using quern::boundary, quern::boundaries, quern::boundary_pair, quern::Decomposition, quern::shape;
using test::deposits, test::uneven_block;

template <class Exec>
struct HaloAddsOn : testing::Test {};
TYPED_TEST_SUITE(HaloAddsOn, test::all_spaces);

TYPED_TEST(HaloAddsOn, AddsGhostsToTheirOwners) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const auto& edge : {boundaries(boundary::wrap), boundaries{boundary::odd_reflect, boundary::wrap},
                           boundaries{boundary_pair(boundary::constant(3), boundary::mirror), boundary::nearest},
                           boundaries{boundary::prescribed, boundary::odd_mirror}})
    for (const int layers : {2, 1})
      for (const bool faces : {false, true}) {
        const deposits<double, Kokkos::LayoutRight, E> u(whole, edge, 2, layers, faces, 1),
            next(whole, edge, 2, layers, faces, 2);
        const deposits<std::int32_t, Kokkos::LayoutLeft, E> n(whole, edge, 2, layers, faces, 3);
        const std::string what = std::to_string(layers) + (faces ? " layers, faces" : " layers");
        const quern::layers part{layers};
        auto exchange = faces ? quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, part, quern::faces_only)
                              : quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, part);
        exchange.start_add(u.view, n.view);
        exchange.finish();
        EXPECT_LE(exchange.messages(), comm.size() - 1);
        u.check(what);
        n.check(what);
        const deposits<std::int32_t, Kokkos::LayoutLeft, E> again(whole, edge, 2, layers, faces, 4);
        exchange.add(next.view, again.view);  // the same messages, of other fields
        next.check(what);
        again.check(what);
      }
}

TYPED_TEST(HaloAddsOn, AddsOnStaggeredGrids) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const auto& edge : {boundaries(boundary::wrap), boundaries{boundary::odd_mirror, boundary::wrap},
                           boundaries{boundary_pair(boundary::constant(3), boundary::mirror), boundary::nearest}})
    for (const bool faces : {false, true}) {
      const deposits<double, Kokkos::LayoutRight, E> v(whole, edge, 2, 2, faces, 1, {1, 0}),
          u(whole, edge, 2, 2, faces, 2, {0, 1}), corners(whole, edge, 2, 2, faces, 3, {1, 1});
      auto exchange = faces ? quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, quern::faces_only)
                            : quern::HaloExchange(E(), comm, own, edge, quern::depth{2});
      exchange.add(v.view, u.view, corners.view);
      v.check("faces along axis 0");
      u.check("faces along axis 1");
      corners.check("corners");
    }
}

// Cells of which one rank has several ghosts, and several ranks one.
TYPED_TEST(HaloAddsOn, AddsInThreeDimensions) {
  using E = TypeParam;
  const auto comm = test::world();
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, {4, 5, 6}, {.grid = grid, .halo = {1}});
    const auto own = d.local();
    const quern::DistributedView<std::int64_t, 3, E> u("u", d);
    const auto v = u.local_with_halo();
    Kokkos::deep_copy(v, 1);
    quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{1});
    exchange.add(v);
    const auto cells = test::contents(u.local());
    std::size_t k = 0;
    const auto copies = [&](int axis, std::int64_t i) {  // and the cell itself
      const std::int64_t n = own.extents.extent[axis];
      return 1 + (i == 0 ? 1 : 0) + (i == n - 1 ? 1 : 0);
    };
    for (std::int64_t a = 0; a < own.extents.extent[0]; ++a)
      for (std::int64_t b = 0; b < own.extents.extent[1]; ++b)
        for (std::int64_t c = 0; c < own.extents.extent[2]; ++c) {
          ASSERT_EQ(copies(0, a) * copies(1, b) * copies(2, c), cells[k++])
              << testing::PrintToString(grid) << " at " << a << ' ' << b << ' ' << c;
        }
    std::int64_t sum = 0;
    for (const std::int64_t x : test::contents(v)) sum += x;
    for (const std::int64_t x : cells) sum -= x;
    EXPECT_EQ(0, sum);
  }
}

TYPED_TEST(HaloAddsOn, AddsTheSameBitsInEachRun) {
  using E = TypeParam;
  const auto comm = test::world();
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  std::vector<double> values((own.extents.extent[0] + 4) * (own.extents.extent[1] + 4)), first;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 3 * comm.rank() + 1);
  quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{2});
  for (int run = 0; run < 20; ++run) {
    const auto u = test::make_array<double, 2, Kokkos::LayoutRight, E>(
        {own.extents.extent[0] + 4, own.extents.extent[1] + 4}, values);
    exchange.add(u);
    const auto found = test::contents(u);
    if (run == 0) first = found;
    ASSERT_EQ(first, found);
  }
}

TYPED_TEST(HaloAddsOn, AddsOfRanksWithoutCells) {
  using E = TypeParam;
  const auto comm = test::world();
  const bool all = comm.rank() == comm.size() - 1;
  const Decomposition::Block own{{0, 0}, all ? shape{5, 4} : shape{0, 4}};
  const Kokkos::View<int**, E> u("u", all ? 7 : 2, 6);
  Kokkos::deep_copy(u, 1);
  quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{1});
  exchange.add(u);
  EXPECT_EQ(0, exchange.messages());
  if (!all) return;
  int sum = 0;
  for (const int x : test::contents(u)) sum += x;
  EXPECT_EQ(42, sum);
}

}  // namespace
