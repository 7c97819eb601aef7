// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <distributed/world.hpp>
#include <quern/map.hpp>

namespace {

namespace distributed = quern::distributed;
using quern::Decomposition, quern::shape;

TEST(CommunicatorOf, TheWorld) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto comm = test::world();
  EXPECT_EQ(rank, comm.rank());
  EXPECT_EQ(size, comm.size());
  EXPECT_EQ(rank, comm.node_rank());  // all tests run on one host
  EXPECT_EQ(size, comm.node_size());
  int result;
  MPI_Comm_compare(comm.mpi(), MPI_COMM_WORLD, &result);
  EXPECT_EQ(MPI_CONGRUENT, result) << "a duplicate";
  const auto half = comm.split(rank % 2, -rank);
  EXPECT_EQ((size + (rank % 2 == 0 ? 1 : 0)) / 2, half.size());
  EXPECT_EQ(half.size() - 1 - rank / 2, half.rank()) << "in the order of the keys";
}

TEST(CommunicatorOf, OneRank) {
  const quern::Communicator self(MPI_COMM_SELF);
  EXPECT_EQ(1, self.size());
  const Decomposition d(self, {5, 7});
  EXPECT_EQ((shape{5, 7}), d.local().extents);
}

TEST(CommunicatorOf, ReportsWhatDiffers) {
  const auto comm = test::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank";
  const int last = comm.size() - 1;
  const std::string message =
      "quern::Decomposition: extents, grid and halo differ between ranks: (10, 20, -1, -1) on rank 0 and ";
  test::expect_error(message + "(10, 21, -1, -1) on rank " + std::to_string(last),
                     [&] { Decomposition(comm, {10, comm.rank() == last ? 21 : 20}); });
  test::expect_error(message + "(10, -1, -1) on rank 1",
                     [&] { Decomposition(comm, comm.rank() == 1 ? shape{10} : shape{10, 20}); });
}

TEST(CommunicatorOf, ChecksCallsWhereAsked) {
  quern::communicator_options options;
  options.check_calls = true;
  const quern::Communicator comm(MPI_COMM_WORLD, options);
  if (comm.size() == 1) GTEST_SKIP() << "one rank";
  EXPECT_TRUE(comm.checks_calls());
  test::expect_error("op: the calls differ between ranks: op of (7) on rank 0 and op of (8, 1) on rank 1", [&] {
    quern::impl::check_same(comm, "op", "the calls", comm.rank() == 0 ? "op of (7)" : "op of (8, 1)");
  });
  EXPECT_NO_THROW(quern::impl::check_same(comm, "op", "the calls", "op of (7)"));
}

TEST(CommunicatorOf, ReportsStatusOfMpi) {
  try {
    quern::impl::check_mpi("op", MPI_ERR_TRUNCATE);
    ADD_FAILURE();
  } catch (const quern::BackendError& e) {
    EXPECT_EQ(0u, std::string(e.what()).find("op: MPI reports: ")) << e.what();
  }
}

TEST(DecompositionOf, BlocksTileTheArray) {
  const auto comm = test::world();
  for (const shape& extents : {shape{1}, shape{17}, shape{3, 100}, shape{2, 2, 2}, shape{31, 5, 8}, shape{4, 3, 2, 5},
                               shape{0, 4}, shape{1, 1, 1}, shape{comm.size() - 1, 2}})
    for (const auto& grid : test::grids(comm.size(), extents.rank)) {
      const Decomposition d(comm, extents, {.grid = grid});
      std::vector<int> owner(extents.size(), -1);
      for (int rank = 0; rank < comm.size(); ++rank) {
        const quern::Decomposition::Block b = d.of(rank);
        for (int a = 0; a < extents.rank; ++a) {
          EXPECT_GE(b.extents.extent[a], extents.extent[a] / grid[a]);
          EXPECT_LE(b.extents.extent[a], extents.extent[a] / grid[a] + 1);
        }
        for (std::int64_t i = 0; i < b.extents.size(); ++i) {
          shape cell = b.first;
          std::int64_t rest = i, place = 0;
          for (int a = extents.rank - 1; a >= 0; --a) {
            cell.extent[a] += rest % b.extents.extent[a];
            rest /= b.extents.extent[a];
          }
          for (int a = 0; a < extents.rank; ++a) place = place * extents.extent[a] + cell.extent[a];
          EXPECT_EQ(-1, owner[place]);
          owner[place] = rank;
          EXPECT_EQ(rank, d.owner(cell));
        }
      }
      EXPECT_EQ(owner.end(), std::find(owner.begin(), owner.end(), -1));
    }
}

TEST(DecompositionOf, GridWithTheSmallestSurface) {
  const auto comm = test::world();
  const auto grid_of = [&](const shape& extents, const quern::block_options& options = {}) {
    const Decomposition d(comm, extents, options);
    std::vector<int> grid;
    for (int a = 0; a < extents.rank; ++a) grid.push_back(d.grid(a));
    return grid;
  };
  using grid = std::vector<int>;
  const int n = comm.size();
  EXPECT_EQ((grid{n, 1}), grid_of({1000000, 100}));
  EXPECT_EQ((grid{1, n}), grid_of({100, 1000000}));
  if (n == 4) {
    EXPECT_EQ((grid{2, 2}), grid_of({100, 100}));
    EXPECT_EQ((grid{2, 2, 1}), grid_of({64, 64, 64}));
    EXPECT_EQ((grid{1, 2, 2}), grid_of({64, 64, 64}, {.grid = {1, 0, 0}}));
    EXPECT_EQ((grid{1, 4}), grid_of({1, 5})) << "no rank without cells where that can be";
  }
  EXPECT_EQ((grid{n, 1, 1}), grid_of({8, 8, 8}, {.grid = {n}}));
}

TEST(DecompositionOf, GridWhoseBlocksHoldTheHalo) {
  const auto comm = test::world();
  const int n = comm.size();
  const auto grid_of = [&](const shape& extents, const std::vector<int>& halo, const std::vector<int>& grid = {}) {
    const Decomposition d(comm, extents, {.grid = grid, .halo = halo});
    return std::vector<int>{d.grid(0), d.grid(1)};
  };
  using grid = std::vector<int>;
  // The smallest surface would be that of blocks with a row each.
  if (n < 4) {
    EXPECT_EQ((grid{1, n}), grid_of({4, 2}, {n > 2 ? 2 : 3, 1}));
    EXPECT_EQ((grid{1, n}), grid_of({2 * n - 1, 3}, {n > 1 ? 2 : 1, 1}));
  }
  if (n == 3) {
    EXPECT_EQ((grid{1, 3}), grid_of({4, 2}, {2, 1}));
    EXPECT_EQ((grid{3, 1}), grid_of({4, 2}, {1, 1}));
  }
  if (n == 4) {
    EXPECT_EQ((grid{2, 2}), grid_of({9, 9}, {4, 4}));
    EXPECT_EQ((grid{4, 1}), grid_of({9, 9}, {2, 9}));
    EXPECT_EQ((grid{2, 2}), grid_of({12, 4}, {4, 2}, {2}));
  }
  if (n > 1)
    test::expect_error("quern::Decomposition: a halo of 3 cells along axis 0 is wider than a block of " +
                           std::to_string(std::max(3 / n, 1)) + ": extents (3, 3) on a grid of " + std::to_string(n) +
                           " ranks along the axis; no grid has blocks as wide as the halo",
                       [&] { grid_of({3, 3}, {3}); });
}

TEST(DecompositionOf, WhatCannotBeCounted) {
  const auto comm = test::world();
  const std::int64_t huge = std::int64_t{1} << 61;
  test::expect_error("quern::Decomposition: extents (2305843009213693952, 1024) are of more than 2^63 - 1 elements",
                     [&] { Decomposition(comm, {huge, 1024}); });
  EXPECT_EQ(0, Decomposition(comm, {huge, 1024, 0}, {.grid = {0, 1, 1}}).local().extents.size());
  test::expect_error(
      "quern::Decomposition: the grid has 4611686014132420609 ranks, expected " + std::to_string(comm.size()),
      [&] { Decomposition(comm, {9, 9}, {.grid = {2147483647, 2147483647}}); });
  const Decomposition d(comm, {huge}, {.grid = {comm.size()}});
  EXPECT_THROW((quern::DistributedView<Kokkos::complex<double>, 1>("u", d)), quern::MemoryError);
}

TEST(DecompositionOf, ReportsMisuse) {
  const auto comm = test::world();
  const int n = comm.size();
  const std::string ranks = std::to_string(n);
  test::expect_error("quern::Decomposition: the grid has " + std::to_string(n + 1) + " ranks, expected " + ranks,
                     [&] { Decomposition(comm, {10, 10}, {.grid = {n + 1, 1}}); });
  test::expect_error("quern::Decomposition: extents of rank 0", [&] { Decomposition(comm, shape()); });
  test::expect_error("quern::Decomposition: a negative extent in (3, -1)", [&] { Decomposition(comm, {3, -1}); });
  test::expect_error("quern::Decomposition: grid or halo have more numbers than extents (3)",
                     [&] { Decomposition(comm, {3}, {.halo = {1, 1}}); });
  test::expect_error("quern::Decomposition: a halo of -1 cells", [&] { Decomposition(comm, {3}, {.halo = {-1}}); });
  test::expect_error("quern::Decomposition: a halo of 3 cells along axis 0 is wider than a block of 2: extents (" +
                         std::to_string(2 * n) + ", 9) on a grid of " + ranks + " ranks along the axis",
                     [&] { Decomposition(comm, {2 * n, 9}, {.grid = {n, 1}, .halo = {3}}); });
  const Decomposition d(comm, {3, 4});
  test::expect_error("quern::Decomposition: cell (3, 0) is outside of extents (3, 4)", [&] { d.owner({3, 0}); });
  test::expect_error("quern::DistributedView: a decomposition of extents (3, 4) for rank 3",
                     [&] { quern::DistributedView<double, 3>("u", d); });
}

TEST(DecompositionOf, RanksThatDifferAlongAxes) {
  const auto comm = test::world();
  for (const auto& grid : test::grids(comm.size(), 2)) {
    const Decomposition d(comm, {20, 20}, {.grid = grid});
    const auto& row = d.along({false, true});
    EXPECT_EQ(grid[1], row.size());
    EXPECT_EQ(d.coordinate(1), row.rank());
    EXPECT_EQ(&row, &d.along({false, true})) << "made once";
    EXPECT_EQ(comm.size(), d.along({true, true}).size());
  }
}

template <class Case>
struct Redistribution : testing::Test {};
using redistribution_cases = test::covering<double, std::int8_t, Kokkos::complex<double>, std::uint16_t>;
TYPED_TEST_SUITE(Redistribution, redistribution_cases);

TYPED_TEST(Redistribution, OfEveryGridToEveryOther) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = std::conditional_t<std::is_same_v<typename TypeParam::layout, Kokkos::LayoutStride>, Kokkos::LayoutRight,
                               typename TypeParam::layout>;
  const E exec{};
  const auto comm = test::world();
  for (const shape& extents : {shape{7, 11}, shape{1, 3}, shape{0, 3}}) {
    const auto values = test::samples<T>(extents.size());
    for (const auto& from : test::grids(comm.size(), 2))
      for (const auto& to : test::grids(comm.size(), 2)) {
        const Decomposition d(comm, extents, {.grid = from}),
            e(comm, extents, {.grid = to, .halo = {extents.extent[0] > 4 ? 1 : 0}});
        const auto u = test::distribute<T, 2, L, E>(d, values);
        EXPECT_EQ(test::part_of(values, extents, d.local()), test::contents(u.local()));
        const quern::DistributedView<T, 2, Kokkos::LayoutLeft, typename E::memory_space> v("v", e);
        Kokkos::deep_copy(v.local_with_halo(), test::value_of<T>(2));
        quern::distributed::redistribute(exec, v, u);
        EXPECT_EQ(test::part_of(values, extents, e.local()), test::contents(v.local()));
        // The halo is as it was.
        std::int64_t others = 0;
        for (const T& x : test::contents(v.local_with_halo())) others += x == test::value_of<T>(2) ? 0 : 1;
        EXPECT_LE(others, e.local().extents.size());
      }
  }
}

TYPED_TEST(Redistribution, FromOneRankAndBack) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto comm = test::world();
  for (const std::array<std::int64_t, 3>& e : {std::array<std::int64_t, 3>{5, 3, 8}, {2, 1, 1}, {0, 3, 1}}) {
    const shape extents{e[0], e[1], e[2]};
    const auto values = test::samples<T>(extents.size(), 3);
    const Decomposition d(comm, extents, {.halo = {1}});
    for (int root = 0; root < comm.size(); ++root) {
      const bool here = comm.rank() == root;
      const auto whole =
          test::make_array<T, 3, typename TypeParam::layout, Kokkos::DefaultHostExecutionSpace>(e, values);
      using view = std::remove_const_t<decltype(whole)>;
      const quern::DistributedView<T, 3, E> u("u", d);
      quern::distributed::from_global(exec, u, here ? whole : view(), root);
      EXPECT_EQ(test::part_of(values, extents, d.local()), test::contents(u.local()));
      const auto back = test::make_array<T, 3, typename TypeParam::layout, Kokkos::DefaultHostExecutionSpace>(e);
      quern::distributed::to_global(exec, here ? back : view(), u, root);
      if (here) {
        EXPECT_EQ(values, test::contents(back));
      }
      const auto everywhere = test::make_array<T, 3, typename TypeParam::layout, E>(e);
      quern::distributed::to_global(exec, everywhere, u);
      EXPECT_EQ(values, test::contents(everywhere));
      const quern::DistributedView<T, 3, E> v("v", d);
      quern::distributed::from_global(v, everywhere);
      EXPECT_EQ(test::part_of(values, extents, d.local()), test::contents(v.local()));
      quern::fill(exec, everywhere, T(0));
      quern::distributed::to_global(everywhere, v, root);
      if (here) {
        EXPECT_EQ(values, test::contents(everywhere));
      }
    }
  }
}

// The block of a rank may be one row, an output by itself.
TYPED_TEST(Redistribution, ToViewsWhoseElementsShareMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto comm = test::world();
  const std::int64_t n = comm.size() + 1;
  const quern::DistributedView<T, 2, E> u("u", Decomposition(comm, {n, 4}));
  const Kokkos::View<T*, E> memory("memory", 4 * n);
  using strided = Kokkos::View<T**, Kokkos::LayoutStride, E>;
  const strided repeated(memory.data(), Kokkos::LayoutStride(n, 0, 4, 1)),
      overlapping(memory.data(), Kokkos::LayoutStride(n, 2, 4, 1));
  const std::string extents = "(" + std::to_string(n) + ", 4)";
  const auto reject = [&](const std::string& name, const auto& call) {
    test::expect_error(name + ": out has stride 0 along axis 0 of extents " + extents + ": its elements share memory",
                       [&] { call(repeated); });
    test::expect_error(name + ": out has strides (2, 1) for extents " + extents + ": its elements share memory",
                       [&] { call(overlapping); });
  };
  reject("quern::copy", [&](const auto& out) { quern::copy(exec, out, u); });
  reject("quern::distributed::to_global", [&](const auto& out) { distributed::to_global(exec, out, u); });
  // For one rank it is an input, of which elements may be one.
  distributed::from_global(exec, u, repeated, 0);
}

template <class Exec>
struct LargeMessages : testing::Test {};
TYPED_TEST_SUITE(LargeMessages, test::all_spaces);

template <class View>
struct numbered {
  View v;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { v(i) = static_cast<std::int8_t>((first + i) % 101); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    wrong += v(i) == (first + i) % 101 ? 0 : 1;
  }
};

// On hosts only where it is asked for: the two ranks take 13 GB.
TYPED_TEST(LargeMessages, OfMoreThanTwoToThe31Elements) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  if (comm.size() != 2) GTEST_SKIP() << "for two ranks";
  if (!quern::impl::is_device<E> && std::getenv("QUERN_TEST_LARGE") == nullptr) GTEST_SKIP() << "not on hosts";
  using view = Kokkos::View<std::int8_t*, E>;
  using range = Kokkos::RangePolicy<E, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t each = (std::int64_t{1} << 31) + 17;
  const quern::DistributedView<std::int8_t, 1, E> u("u", Decomposition(comm, {2 * each}));
  const view whole(Kokkos::view_alloc(Kokkos::WithoutInitializing, "whole"), comm.rank() == 0 ? 2 * each : 0);
  const auto count_wrong = [&](const view& v, std::int64_t first) {
    std::int64_t wrong = -1;
    Kokkos::parallel_reduce(range(exec, 0, v.extent(0)), numbered<view>{v, first}, wrong);
    return wrong;
  };
  Kokkos::parallel_for(range(exec, 0, whole.extent(0)), numbered<view>{whole, 0});
  distributed::from_global(exec, u, whole, 0);
  EXPECT_EQ(0, count_wrong(u.local_with_halo(), each * comm.rank()));
  quern::fill(exec, whole, std::int8_t{-1});
  distributed::to_global(exec, whole, u, 0);
  EXPECT_EQ(0, count_wrong(whole, 0));
}

}  // namespace
