// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of distributed arrays beside those of the whole array on one rank.
#include <distributed/world.hpp>
#include <quern/distributed/window_filters.hpp>
#include <quern/stencil.hpp>

namespace {

using quern::boundary, quern::boundaries, quern::Decomposition, quern::shape;

/// Depends on where each value of a window is.
struct numbered_sum {
  template <class Window>
  KOKKOS_FUNCTION float operator()(const Window& w) const {
    float sum = 0;
    for (int n = 0; n < w.size(); ++n) sum += static_cast<float>(n + 1) * w[n];
    return sum;
  }
};

template <class E>
struct DistributedFilters : testing::Test {
  using T = float;
  using L = Kokkos::LayoutLeft;
  /// Compares `call(out, in, edge)` over every grid of ranks with that of the whole array.
  template <int Rank, class Call>
  static void agrees(const shape& extents, int halo, const Call& call, bool sparse = false) {
    const auto comm = test::world();
    std::array<std::int64_t, Rank> n;
    for (int a = 0; a < Rank; ++a) n[a] = extents.extent[a];
    auto values = test::samples<T>(extents.size(), 3);
    if (sparse)
      for (T& x : values) x = x < 3 ? 0 : x;
    const auto before = test::samples<T>(extents.size(), 9);
    for (const boundary& mode : {boundary::keep, boundary::constant(2), boundary::nearest, boundary::reflect,
                                 boundary::mirror, boundary::wrap}) {
      const auto in = test::make_array<T, Rank, L, E>(n, values), out = test::make_array<T, Rank, L, E>(n, before);
      call(out, in, mode);
      const auto expected = test::contents(out);
      for (const auto& grid : test::grids(comm.size(), Rank)) {
        bool fits = true;
        for (int d = 0; d < Rank; ++d) fits = fits && (grid[d] == 1 || extents.extent[d] / grid[d] >= halo);
        if (!fits) continue;
        const Decomposition d(comm, extents, {.grid = grid, .halo = {halo}});
        const auto u = test::distribute<T, Rank, L, E>(d, values), v = test::distribute<T, Rank, L, E>(d, before);
        for (int repeat = 0; repeat < 2; ++repeat) call(v, u, mode);
        EXPECT_EQ(test::part_of(expected, extents, d.local()), test::contents(v.local()))
            << "rank " << comm.rank() << ", grid " << testing::PrintToString(grid) << ", mode " << int(mode.kind());
      }
    }
  }
};
TYPED_TEST_SUITE(DistributedFilters, test::all_spaces);

TYPED_TEST(DistributedFilters, OrdersAreThoseOfOneDevice) {
  const TypeParam exec;
  TestFixture::template agrees<2>({24, 17}, 3, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::minimum_filter(exec, out, in, {5, 2}, edge, quern::origin{1, 0});
  });
  TestFixture::template agrees<2>({16, 17}, 2, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::rank_filter(exec, out, in, 4, {3, 4}, edge);
  });
  TestFixture::template agrees<2>({16, 17}, 1, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::percentile_filter(exec, out, in, 70, quern::generate_binary_structure(2, 1), edge);
  });
}

TYPED_TEST(DistributedFilters, OthersAreThoseOfOneDevice) {
  const TypeParam exec;
  TestFixture::template agrees<3>({13, 8, 7}, 3, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::maximum_filter(exec, out, in, {3, 2, 4}, edge, quern::origin{-1, 0, 1});
  });
  TestFixture::template agrees<1>({23}, 3, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::median_filter(exec, out, in, 5, edge, quern::origin{1});
  });
  TestFixture::template agrees<2>({16, 17}, 3, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::generic_filter(exec, out, numbered_sum(), {3, 4}, edge, quern::origin{0, -1}, in);
  });
}

TYPED_TEST(DistributedFilters, MorphologyIsThatOfOneDevice) {
  const TypeParam exec;
  const auto listed = test::make_array<int, 2, typename TestFixture::L, TypeParam>({2, 3}, {1, 0, 1, 0, 1, 0});
  const auto raised = test::make_array<float, 2, typename TestFixture::L, TypeParam>({2, 3}, {1, 0, -2, 3, 0.5, 4});
  const quern::footprint cells(listed);
  const quern::structuring heights(raised);
  TestFixture::template agrees<2>(
      {13, 16}, 2,
      [&](const auto& out, const auto& in, const boundary& edge) { quern::binary_erosion(exec, out, in, 2, edge); },
      true);
  TestFixture::template agrees<2>(
      {13, 16}, 2,
      [&](const auto& out, const auto& in, const boundary& edge) {
        quern::binary_dilation(exec, out, in, cells, edge, quern::origin{0, 1});
      },
      true);
  TestFixture::template agrees<2>(
      {16, 16}, 3,
      [&](const auto& out, const auto& in, const boundary& edge) { quern::binary_closing(exec, out, in, cells, edge); },
      true);
  TestFixture::template agrees<2>({13, 16}, 2, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::grey_erosion(exec, out, in, cells, edge, heights);
  });
  TestFixture::template agrees<2>({13, 16}, 2, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::grey_dilation(exec, out, in, {2, 3}, edge, heights);
  });
}

TYPED_TEST(DistributedFilters, DerivativesOfGaussiansAreThoseOfOneDevice) {
  const TypeParam exec;
  TestFixture::template agrees<1>({29}, 4, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::gaussian_laplace(exec, out, in, 0.9, edge);
  });
  TestFixture::template agrees<2>({20, 17}, 4, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::gaussian_gradient_magnitude(exec, out, in, {0.9, 0.5}, edge);
  });
}

TYPED_TEST(DistributedFilters, OpeningsAreThoseOfOneDevice) {
  const TypeParam exec;
  TestFixture::template agrees<2>({24, 17}, 4, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::grey_opening(exec, out, in, {5, 3}, edge);
  });
  TestFixture::template agrees<2>({13, 16}, 2, [&](const auto& out, const auto& in, const boundary& edge) {
    quern::grey_closing(exec, out, in, quern::generate_binary_structure(2, 1), edge);
  });
}

TYPED_TEST(DistributedFilters, HalosAreAsWideAsTheWindows) {
  const auto comm = test::world();
  if (comm.size() == 1) return;
  using T = typename TestFixture::T;
  const Decomposition d(comm, {40, 5}, {.grid = {comm.size(), 1}, .halo = {1}});
  const auto values = test::samples<T>(200, 3);
  const auto u = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values),
             v = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values);
  EXPECT_THROW(quern::minimum_filter(v, u, 5, boundary::reflect), quern::Error);
  EXPECT_THROW(quern::grey_closing(v, u, 3, boundary::reflect), quern::Error);
}

// Where calls are checked, all ranks throw where the windows of one differ.
TYPED_TEST(DistributedFilters, CallsAreTheSameOnAllRanks) {
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  if (comm.size() == 1) return;
  using T = typename TestFixture::T;
  const Decomposition d(comm, {60, 5}, {.grid = {comm.size(), 1}, .halo = {3}});
  const auto values = test::samples<T>(300, 3);
  const auto u = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values),
             v = test::distribute<T, 2, typename TestFixture::L, TypeParam>(d, values);
  const int size = test::is_other(comm) ? 4 : 5;
  EXPECT_THROW(quern::minimum_filter(v, u, size, boundary::reflect), quern::Error);
  const int rank = test::is_other(comm) ? 1 : 2;
  EXPECT_THROW(quern::rank_filter(v, u, rank, 5, boundary::reflect), quern::Error);
  // What one rank alone rejects.
  const bool wrong = test::is_other(comm);
  EXPECT_THROW(quern::minimum_filter(v, u, wrong ? 0 : 5, boundary::reflect), quern::Error);
  EXPECT_THROW(quern::rank_filter(v, u, wrong ? 99 : 2, 5, boundary::reflect), quern::Error);
  EXPECT_THROW(quern::binary_erosion(v, u, 3, boundary::reflect, quern::origin{wrong ? 2 : 0}), quern::Error);
}

}  // namespace
