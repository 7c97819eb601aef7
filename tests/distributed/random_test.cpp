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
  const E exec{};
  const auto comm = test::world();
  const quern::random::key key{42};
  for (const shape& extents : {shape{9, 10, 7}, shape{2, 3, 1}, shape{0, 4, 2}}) {  // also of ranks without cells
    const auto& [n0, n1, n2] = std::tie(extents.extent[0], extents.extent[1], extents.extent[2]);
    const auto whole = test::make_array<double, 3, LayoutRight, E>({n0, n1, n2});
    quern::random::normal(exec, whole, key);
    for (const auto& grid : test::grids(comm.size(), 3)) {
      const Decomposition d(comm, extents, {.grid = grid});
      const quern::DistributedView<double, 3, Kokkos::LayoutLeft, typename E::memory_space> u("u", d);
      quern::random::normal(exec, u, key);
      EXPECT_EQ(test::part_of(test::contents(whole), extents, d.local()), test::contents(u.local()));
    }
  }
}

TYPED_TEST(DistributedRandom, ParametersMayBeArrays) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const quern::random::key key{7};
  for (const std::int64_t rows : {5, 1}) {
    const shape extents{rows, 8};
    const auto mean = test::make_array<double, 2, LayoutRight, E>({rows, 8}, test::samples<double>(8 * rows, 3));
    const auto rate = test::make_array<float, 1, LayoutRight, E>({8}, {0, 1, 2, 3, 5, 8, 13, 1000});
    const auto whole = test::make_array<double, 2, LayoutRight, E>({rows, 8});
    const auto counts = test::make_array<int, 2, LayoutRight, E>({rows, 8});
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
}

// Parameters that an operation rejects differ before it does so, on all ranks.
TYPED_TEST(DistributedRandom, CallsThatDiffer) {
  using E = TypeParam;
  namespace random = quern::random;
  const E exec{};
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  const Decomposition d(comm, {5, 8});
  const quern::DistributedView<double, 2, E> u("u", d);
  const quern::DistributedView<int, 2, E> n("n", d);
  if (comm.size() == 1) return;
  const bool differs = test::is_other(comm);
  const random::key key{7};
  const std::string grid = test::text_of_grid(d), reals = " float64 (5, 8)" + grid, integers = " int32 (5, 8)" + grid;
  const auto expect = [&](const std::string& name, const std::string& first, const std::string& other, const auto& f) {
    test::expect_calls_differ(comm, "quern::random::" + name, "quern::random::" + name + " of" + first + ", key 7 0",
                              "quern::random::" + name + " of" + other, f);
  };
  const std::string from_0_to = reals + " float64 0 float64 ";
  expect("uniform", from_0_to + "1", from_0_to + "1, key 8 0",
         [&] { random::uniform(exec, u, random::key{differs ? 8u : 7u}, 0.0, 1.0); });
  expect("uniform", from_0_to + "1", from_0_to + "-1, key 7 0",
         [&] { random::uniform(exec, u, key, 0.0, differs ? -1.0 : 1.0); });
  expect("uniform", from_0_to + "1", from_0_to + "1, key 7 0, of a part", [&] {
    random::uniform(exec, u, differs ? random::part_of(key, {9, 9}, {1, 1}) : random::part_of(key), 0.0, 1.0);
  });
  expect("normal", from_0_to + "1", from_0_to + "-1, key 7 0",
         [&] { random::normal(exec, u, key, 0.0, differs ? -1.0 : 1.0); });
  expect("normal", from_0_to + "1", reals + " float64 0" + reals + ", key 7 0",
         [&] { differs ? random::normal(exec, u, key, 0.0, u) : random::normal(exec, u, key, 0.0, 1.0); });
  const std::string of_one = reals + " float64 1", of_less = reals + " float64 -1, key 7 0";
  const double parameter = differs ? -1 : 1;
  expect("exponential", of_one, of_less, [&] { random::exponential(exec, u, key, parameter); });
  expect("bernoulli", of_one, of_less, [&] { random::bernoulli(exec, u, key, parameter); });
  expect("poisson", of_one, of_less, [&] { random::poisson(exec, u, key, parameter); });
  expect("gamma", of_one + " float64 1", reals + " float64 -1 float64 1, key 7 0",
         [&] { random::gamma(exec, u, key, parameter, 1.0); });
  const std::string range = integers + " int32 0 int32 ";
  expect("integers", range + "9 bool8 0", range + "0 bool8 0, key 7 0",
         [&] { random::integers(exec, n, key, 0, differs ? 0 : 9); });
  expect("integers", range + "9 bool8 0", range + "9 bool8 1, key 7 0", [&] {
    differs ? random::integers(exec, n, key, 0, 9, random::endpoint) : random::integers(exec, n, key, 0, 9);
  });
  expect("choice", integers + " int64 3", integers + " int64 0, key 7 0",
         [&] { random::choice(exec, n, key, differs ? 0 : 3); });
}

TYPED_TEST(DistributedRandom, RejectsAPartOfAField) {
  const quern::DistributedView<double, 2, TypeParam> u("u", Decomposition(test::world(), {5, 8}));
  test::expect_error("quern::random::uniform: a DistributedView has the numbers of a key, not of a part of a field",
                     [&] { quern::random::uniform(u, quern::random::part_of(quern::random::key{7}, {9, 9}, {1, 1})); });
}

}  // namespace
