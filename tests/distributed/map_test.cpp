// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Positions of elements of distributed arrays are those in the whole array.
#include <distributed/world.hpp>
#include <limits>
#include <quern/distributed/histogram.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/distributed/stencil.hpp>

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class Exec>
struct DistributedMap : testing::Test {};
TYPED_TEST_SUITE(DistributedMap, test::all_spaces);

struct same {
  KOKKOS_FUNCTION double operator()(double x) const { return x; }
};
struct digits {
  template <std::size_t N>
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, N>& at) const {
    double all = 0;
    for (std::size_t d = 0; d < N; ++d) all = 100 * all + static_cast<double>(at[d]);
    return all;
  }
  template <class T, std::size_t N>
  KOKKOS_FUNCTION double operator()(const T& x, const Kokkos::Array<std::int64_t, N>& at) const {
    return 1e8 * static_cast<double>(x) + (*this)(at);
  }
};

TYPED_TEST(DistributedMap, CountsPositionsInTheWholeArray) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  for (const shape& extents : {shape{7, 10}, shape{1, 9}, shape{5, 1}, shape{2, 3}, shape{0, 4}})
    for (const auto& grid : test::grids(comm.size(), 2)) {
      const Decomposition d(comm, extents, {.grid = grid});
      const quern::DistributedView<double, 2, E> u("u", d);
      std::vector<double> expected(extents.size()), last(extents.size());
      for (std::int64_t i = 0; i < extents.size(); ++i) {
        expected[i] = 100.0 * static_cast<double>(i / extents.extent[1]) + static_cast<double>(i % extents.extent[1]);
        last[i] = static_cast<double>(i % extents.extent[1]);
      }
      quern::map(exec, u, digits(), quern::positions());
      EXPECT_EQ(test::part_of(expected, extents, d.local()), test::contents(u.local()));
      quern::map(exec, u, digits(), u, quern::positions());
      for (double& x : expected) x += 1e8 * x;
      EXPECT_EQ(test::part_of(expected, extents, d.local()), test::contents(u.local()));
      // Those of a lazy array of one axis are along the last one.
      const Kokkos::View<double*, E> row("row", extents.extent[1]);
      quern::map(exec, u, same(), quern::lazy(digits(), row, quern::positions()));
      EXPECT_EQ(test::part_of(last, extents, d.local()), test::contents(u.local()));
    }
}

struct sum_of_two {
  template <class A, class B>
  KOKKOS_FUNCTION double operator()(const A& a, const B& b) const {
    return static_cast<double>(a) + static_cast<double>(b);
  }
};

TYPED_TEST(DistributedMap, LazyArraysAreThoseOfTheWholeArray) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{6, 5};
  const auto column = test::samples<double>(6, 1), all = test::samples<double>(30, 2);
  const auto vcolumn = test::make_array<double, 2, LayoutRight, E>({6, 1}, column);
  const auto vall = test::make_array<double, 2, LayoutRight, E>({6, 5}, all);
  std::vector<double> expected, of_inner;
  for (int i = 0; i < 30; ++i) of_inner.push_back(column[i / 5] + 100.0 * (i / 5));
  for (int i = 0; i < 6; ++i)  // positions of an array of one column have 0 along the other axis
    for (int j = 0; j < 5; ++j) expected.push_back(1e8 * column[i] + 100.0 * i + all[5 * i + j] + 2.5);
  for (const auto& grid : test::grids(comm.size(), 2)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const quern::DistributedView<double, 2, E> u("u", d);
    const auto of_column = quern::lazy(digits(), vcolumn, quern::positions());
    const auto nested = quern::lazy(sum_of_two(), quern::lazy(sum_of_two(), of_column, 2.5), vall);
    quern::map(exec, u, same(), nested);
    EXPECT_EQ(test::part_of(expected, extents, d.local()), test::contents(u.local()));
    // Positions alone are counted in the array that they are an operand of, here the column.
    const auto inner = quern::lazy(digits(), quern::positions());
    quern::map(exec, u, same(), quern::lazy(sum_of_two(), vcolumn, inner));
    EXPECT_EQ(test::part_of(of_inner, extents, d.local()), test::contents(u.local()));
  }
  const Decomposition d(comm, extents);
  const quern::DistributedView<double, 2, E> u("u", d);
  const auto wrong = test::make_array<double, 1, LayoutRight, E>({4});
  test::expect_error("quern::map: in 1 has extents (4), which do not broadcast to (6, 5)",
                     [&] { quern::map(exec, u, same(), quern::lazy(digits(), wrong, quern::positions())); });
}

using cell = Kokkos::Array<std::int64_t, 2>;
struct first_of_cell {
  KOKKOS_FUNCTION double operator()(const cell& stored, const cell& at) const {
    return static_cast<double>(10 * stored[0] + stored[1] - at[1]);
  }
};

// Elements that look like positions are none.
TYPED_TEST(DistributedMap, StoredIndicesStayWhatTheyAre) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{4, 8};
  const Decomposition d(comm, extents);
  const quern::DistributedView<double, 2, E> u("u", d);
  const Kokkos::View<cell*, E> stored("stored", 8);
  const auto host = Kokkos::create_mirror_view(stored);
  for (int j = 0; j < 8; ++j) host(j) = {3, j};
  Kokkos::deep_copy(stored, host);
  quern::map(exec, u, first_of_cell(), stored, quern::positions());
  EXPECT_EQ(std::vector<double>(u.local().size(), 30), test::contents(u.local()));
}

struct left_and_right {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& w) const {
    return w(0, -1) + w(0, 1);
  }
};

// And not what they are made of.
TYPED_TEST(DistributedMap, MessagesNameTheOperationThatWasCalled) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const auto named = [](const std::string& name, const auto& f) {
    try {
      f();
      ADD_FAILURE() << name;
    } catch (const quern::Error& e) {
      EXPECT_EQ(0u, std::string(e.what()).find(name + ": ")) << e.what();
    }
  };
  const Decomposition d(comm, {8, 8}, {.halo = {1}}), none(comm, {0, 8});
  const quern::DistributedView<double, 2, LayoutRight, E> u("u", d), empty("empty", none);
  const auto& whole = u.local_with_halo();
  const Kokkos::View<double**, LayoutRight, E> room("room", whole.extent(0) + 1, whole.extent(1));
  const auto part = [&](std::size_t first) {
    const std::pair<std::size_t, std::size_t> rows(first, first + whole.extent(0));
    return quern::DistributedView<double, 2, LayoutRight, E>(
        Kokkos::View<double**, LayoutRight, E>(Kokkos::subview(room, rows, Kokkos::ALL)), d);
  };
  named("quern::map", [&] { quern::map(exec, part(0), same(), part(1)); });
  named("quern::stencil", [&] { quern::stencil<quern::star<1>>(exec, u, left_and_right(), quern::boundary::wrap, u); });
  named("quern::max", [&] { quern::max(exec, empty); });
  const Kokkos::View<std::int64_t*, E> counts("counts", 4);
  named("quern::histogram", [&] { quern::histogram(exec, counts, u, quern::bin_range{2, 1}); });
  named("quern::cumsum", [&] { quern::cumsum(exec, u, u, quern::axis{2}); });
}

// Keys beside the range of an integer type are in no group.
TYPED_TEST(DistributedMap, GroupsOfKeysAtTheEndsOfTheirType) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const auto keys =
      test::make_array<std::uint64_t, 1, LayoutRight, E>({5}, {most, 0, 1, most - 1, std::uint64_t{1} << 63});
  const auto x = test::make_array<double, 1, LayoutRight, E>({5}, {1, 2, 4, 8, 16});
  const Kokkos::View<double*, E> out("out", 4);
  quern::bincount(exec, comm, out, keys, quern::weights{x}, quern::key_range{-2, 2});
  EXPECT_EQ((std::vector<double>{0, 0, 2.0 * comm.size(), 4.0 * comm.size()}), test::contents(out));
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), largest = std::numeric_limits<std::int64_t>::max();
  const auto ends = test::make_array<std::int64_t, 1, LayoutRight, E>({3}, {least, largest, 5});
  const auto y = test::make_array<double, 1, LayoutRight, E>({3}, {1, 2, 4});
  quern::bincount(exec, comm, Kokkos::subview(out, std::pair(0, 3)), ends, quern::weights{y},
                  quern::key_range{largest - 3, largest});
  EXPECT_EQ((std::vector<double>{0, 0, 0, 4.0 * comm.size()}), test::contents(out));
  test::expect_error(
      "quern::bincount: the range of keys is from -9223372036854775808 to "
      "9223372036854775807",
      [&] { quern::bincount(exec, comm, out, ends, quern::weights{y}, quern::key_range{least, largest}); });
}

}  // namespace
