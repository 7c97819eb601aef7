// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random fields over ranks have the numbers of the whole field on one.

#include <distributed/world.hpp>
#include <quern/distributed/random.hpp>
#include <quern/random.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class Exec>
struct DistributedRandom : testing::Test {};
TYPED_TEST_SUITE(DistributedRandom, test::all_spaces);

TYPED_TEST(DistributedRandom, FieldsDoNotDependOnTheGrid) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{9, 10, 7};
  const auto whole = test::make_array<double, 3, LayoutRight, E>({9, 10, 7});
  const quern::random::key key{42};
  quern::random::normal(exec, whole, key);
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const quern::DistributedView<double, 3, Kokkos::LayoutLeft, typename E::memory_space> u("u", d);
    quern::random::normal(exec, u, key);
    EXPECT_EQ(test::part_of(test::contents(whole), extents, d.local()), test::contents(u.local()));
  }
}

TYPED_TEST(DistributedRandom, ParametersMayBeArrays) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{5, 8};
  const quern::random::key key{7};
  const auto mean = test::make_array<double, 2, LayoutRight, E>({5, 8}, test::samples<double>(40, 3));
  const auto rate = test::make_array<float, 1, LayoutRight, E>({8}, {0, 1, 2, 3, 5, 8, 13, 1000});
  const auto whole = test::make_array<double, 2, LayoutRight, E>({5, 8});
  const auto counts = test::make_array<int, 2, LayoutRight, E>({5, 8});
  quern::random::normal(exec, whole, key, mean, 0.5);
  quern::random::poisson(exec, counts, key, rate);
  for (const auto& grid : test::grids(comm.size(), 2)) {
    const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 2}});
    const quern::DistributedView<double, 2, E> u("u", d);
    const quern::DistributedView<int, 2, E> n("n", d);
    quern::random::normal(u, key, test::distribute<double, 2, LayoutRight, E>(d, test::contents(mean)), 0.5);
    EXPECT_EQ(test::part_of(test::contents(whole), extents, d.local()), test::contents(u.local()));
    quern::random::poisson(exec, n, key, rate);  // whole on every rank
    EXPECT_EQ(test::part_of(test::contents(counts), extents, d.local()), test::contents(n.local()));
  }
}

TYPED_TEST(DistributedRandom, RejectsAPartOfAField) {
  const quern::DistributedView<double, 2, TypeParam> u("u", Decomposition(test::world(), {5, 8}));
  test::expect_error("quern::random::uniform: a DistributedView has the numbers of a key, not of a part of a field",
                     [&] { quern::random::uniform(u, quern::random::part_of(quern::random::key{7}, {9, 9}, {1, 1})); });
}

}  // namespace
