// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Re-indexed operands beside DistributedViews, whose parts are those that the call in memory reads.

#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/map/functions.hpp>
#include <support/operand_functors.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::axis, quern::Decomposition, quern::lazy;
using test::weighted;
using space = Kokkos::DefaultExecutionSpace;

template <class T, std::size_t Rank>
auto make(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values) {
  return test::make_array<T, static_cast<int>(Rank), LayoutRight, space>(extents, values);
}
auto samples(std::int64_t n, std::int64_t m, std::uint64_t seed) {
  return make<double, 2>({n, m}, test::samples<double>(n * m, seed));
}
auto line_of(const std::vector<int>& values) {
  return make<int, 1>({static_cast<std::int64_t>(values.size())}, values);
}
struct add_position {
  template <class At>
  KOKKOS_FUNCTION double operator()(double a, const At& at) const {
    return a + 100.0 * static_cast<double>(at[0]) + static_cast<double>(at[1]);
  }
};
struct sum_of_two {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
};

/// Calls check(d, distributed, whole) with an array (n, 5) for every grid of ranks, of which some have no cells.
template <class Check>
void for_arrays(std::int64_t n, const Check& check) {
  const auto values = test::samples<double>(n * 5, 1);
  for (const auto& grid : test::grids(test::world().size(), 2)) {
    const Decomposition d(test::world(), {n, 5}, {.grid = grid});
    check(d, test::distribute<double, 2, LayoutRight, space>(d, values), make<double, 2>({n, 5}, values));
  }
}
/// Compares maps, reductions and scans of an operand beside a DistributedView with those in memory.
template <class Make>
void compare_beside(const Make& make_operand) {
  for (const std::int64_t n : {37, 2})
    for_arrays(n, [&](const Decomposition& d, const auto& u, const auto& whole) {
      const auto operand = make_operand(n);
      const quern::DistributedView<double, 2, space> out("out", d);
      const auto expected = samples(n, 5, 3);
      const auto check = [&] {
        EXPECT_EQ(test::part_of(test::contents(expected), d.extents(), d.local()), test::contents(out.local()));
      };
      quern::map(space(), expected, weighted(), whole, operand);
      quern::map(space(), out, weighted(), u, operand);
      check();
      EXPECT_EQ(quern::max(space(), lazy(weighted(), whole, operand)),
                quern::max(space(), lazy(weighted(), u, operand)));
      quern::exclusive_scan(space(), expected, sum_of_two(), 0.0, lazy(weighted(), whole, operand), axis{0});
      quern::exclusive_scan(space(), out, sum_of_two(), 0.0, lazy(weighted(), u, operand), axis{0});
      check();
    });
}

TEST(ReindexedBesideRanks, ByStrides) {
  compare_beside([](std::int64_t n) { return quern::flip(samples(n, 5, 2)); });
  compare_beside(
      [](std::int64_t n) { return quern::broadcast_to(quern::slice(samples(n, 3, 2), {{}, {1, 2}}), {n, 5}); });
}

TEST(ReindexedBesideRanks, ByMapsOfIndices) {
  compare_beside([](std::int64_t n) { return quern::roll(samples(n, 5, 2), {1, -2}, quern::axes{0, 1}); });
  compare_beside([](std::int64_t) { return quern::take(samples(1, 3, 2), line_of({2, -1, 0, 1, 1}), axis{1}); });
}

TEST(ReindexedBesideRanks, OfLazyArraysWithPositions) {
  compare_beside([](std::int64_t n) {
    return quern::roll(lazy(add_position(), samples(n, 5, 2), quern::positions()), 1, axis{0});
  });
}

TEST(ReindexedBesideRanks, Copies) {
  for_arrays(6, [&](const Decomposition& d, const auto&, const auto& whole) {
    const quern::DistributedView<double, 2, space> u("u", d);
    const auto found = samples(6, 5, 2), expected = samples(6, 5, 3);
    quern::copy(space(), expected, quern::flip(quern::roll(whole, 1)));
    quern::copy(space(), u, quern::roll(whole, 1));
    quern::copy(space(), quern::flip(found), u);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    quern::copy(space(), u, quern::flip(expected));
    quern::copy(space(), found, u);
    quern::copy(space(), expected, quern::roll(whole, 1));
    EXPECT_EQ(test::contents(expected), test::contents(found));
  });
}

// A device reaches neither of the two.
TEST(ReindexedBesideRanks, CopiesToViewsOfTheHost) {
  for_arrays(6, [&](const Decomposition& d, const auto& u, const auto& whole) {
    const auto expected = samples(6, 5, 3);
    quern::copy(space(), expected, quern::flip(whole));
    const auto on_host = test::make_array<double, 2, LayoutRight, Kokkos::DefaultHostExecutionSpace>({6, 5});
    const auto check = [&] {
      EXPECT_EQ(test::contents(expected), test::contents(on_host));
      Kokkos::deep_copy(on_host, 0.0);
    };
    quern::copy(space(), quern::flip(on_host), u);
    check();
    quern::distributed::to_global(space(), quern::flip(on_host), u);
    check();
    quern::copy(space(), on_host, whole);
    const quern::DistributedView<double, 2, space> v("v", d);
    quern::distributed::from_global(space(), v, quern::flip(on_host), 0);
    quern::copy(space(), on_host, v);
    check();
  });
}

// All ranks throw, those without cells, too.
TEST(ReindexedBesideRanks, IndicesOutOfRange) {
  const auto rows = line_of({0, 2});
  for_arrays(2, [&](const Decomposition& d, const auto& u, const auto&) {
    const quern::DistributedView<double, 2, space> out("out", d);
    const auto taken = quern::take(samples(2, 5, 2), rows, axis{0});
    EXPECT_THROW(quern::map(space(), out, weighted(), u, taken), quern::ElementError);
    EXPECT_THROW(quern::sum(space(), lazy(weighted(), u, taken)), quern::ElementError);
    EXPECT_THROW(quern::cumsum(space(), out, lazy(weighted(), u, taken), axis{0}), quern::ElementError);
  });
}

TEST(ReindexedBesideRanks, ExtentsThatDoNotBroadcast) {
  const Decomposition d(test::world(), {6, 5});
  const quern::DistributedView<double, 2, space> u("u", d), out("out", d);
  test::expect_error("quern::map: in 2 has extents (7, 5), which do not broadcast to (6, 5)",
                     [&] { quern::map(space(), out, weighted(), u, quern::roll(samples(7, 5, 2), 1, axis{0})); });
}

}  // namespace
