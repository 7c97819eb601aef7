// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorts over ranks beside those of the standard library.

#include <algorithm>
#include <distributed/world.hpp>
#include <functional>
#include <limits>
#include <quern/distributed/sort.hpp>
#include <vector>

namespace {

using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class Case>
struct DistributedSort : testing::Test {};
using sort_cases = test::covering<double, std::int8_t, std::uint32_t, float, std::int64_t>;
TYPED_TEST_SUITE(DistributedSort, sort_cases);

TYPED_TEST(DistributedSort, GivesEachRankItsShare) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto comm = test::world();
  for (const std::int64_t n : {1, 3, 1000, 1009})
    for (const int different : {1, 7, 100000}) {
      std::vector<T> values(n);
      for (std::int64_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(static_cast<std::int64_t>(test::sample(i, 3) * 4e4) * 7919 % different);
      if constexpr (std::is_floating_point_v<T>) {
        values[n / 2] = std::numeric_limits<T>::quiet_NaN();
        values[n / 3] = -std::numeric_limits<T>::infinity();
        values[n / 5] = T(-0.0);
      } else {
        values[n / 2] = std::numeric_limits<T>::max();
        values[n / 3] = std::numeric_limits<T>::min();
      }
      const Decomposition d(comm, {n});
      const auto u = test::distribute<T, 1, LayoutRight, E>(d, values);
      std::sort(values.begin(), values.end(), [](T a, T b) { return b != b ? a == a : a < b; });
      const quern::DistributedView<T, 1, E> v("v", d);
      quern::sort(exec, v, u);
      const auto expected = test::part_of(values, shape{n}, d.local());
      const auto found = test::contents(v.local());
      ASSERT_EQ(expected.size(), found.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(expected[i] == found[i] || (expected[i] != expected[i] && found[i] != found[i])) << i;
      quern::sort(exec, u, quern::sort_order::descending);
      std::sort(values.begin(), values.end(), [](T a, T b) { return b != b ? a == a : a > b; });
      const auto downwards = test::part_of(values, shape{n}, d.local()), in_place = test::contents(u.local());
      for (std::size_t i = 0; i < in_place.size(); ++i)
        EXPECT_TRUE(downwards[i] == in_place[i] || (downwards[i] != downwards[i] && in_place[i] != in_place[i])) << i;
    }
}

/// The order of the last digits.
struct by_last_digit {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& a, const T& b) const {
    return static_cast<std::int64_t>(a) % 10 < static_cast<std::int64_t>(b) % 10;
  }
};

template <class Exec>
struct DistributedSortOn : testing::Test {};
TYPED_TEST_SUITE(DistributedSortOn, test::all_spaces);

/// The lines of a table along an axis in order, by the standard library.
template <class F>
std::vector<int> sorted_lines(const std::vector<int>& table, int rows, int columns, int axis, const F& before) {
  std::vector<int> out(table.size());
  const int step = axis == 0 ? columns : 1, length = axis == 0 ? rows : columns;
  for (int line = 0; line < (axis == 0 ? columns : rows); ++line) {
    const int first = axis == 0 ? line : line * columns;
    std::vector<int> one;
    for (int i = 0; i < length; ++i) one.push_back(table[first + i * step]);
    std::stable_sort(one.begin(), one.end(), before);
    for (int i = 0; i < length; ++i) out[first + i * step] = one[i];
  }
  return out;
}

TYPED_TEST(DistributedSortOn, LinesThatARankHas) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const int rows = 6, columns = 5;
  std::vector<int> values(rows * columns);
  for (int i = 0; i < rows * columns; ++i) values[i] = i * 7919 % 101;
  for (const int axis : {0, 1}) {
    std::vector<int> grid{1, 1};
    grid[1 - axis] = comm.size();
    const Decomposition d(comm, {rows, columns}, {.grid = grid});
    const auto u = test::distribute<int, 2, LayoutRight, E>(d, values);
    const quern::DistributedView<int, 2, E> v("v", d);
    const auto expect_sorted = [&](const auto& before) {
      const auto expected = sorted_lines(values, rows, columns, axis, before);
      EXPECT_EQ(test::part_of(expected, d.extents(), d.local()), test::contents(v.local()));
    };
    const quern::axis along(axis);
    quern::sort(exec, v, u, along);
    expect_sorted(std::less<int>());
    quern::sort(v, u, along, quern::sort_order::descending);
    expect_sorted(std::greater<int>());
    quern::sort(exec, v, u, by_last_digit(), along);
    expect_sorted(by_last_digit());
  }
}

TYPED_TEST(DistributedSortOn, RejectsLinesThatAreCut) {
  using E = TypeParam;
  const auto comm = test::world();
  if (comm.size() == 1) return;  // which has all lines
  for (const int cut : {0, 1}) {
    std::vector<int> grid{1, 1};
    grid[cut] = comm.size();
    const quern::DistributedView<int, 2, E> u("u", Decomposition(comm, {6, 5}, {.grid = grid}));
    test::expect_error("quern::sort: axis " + std::to_string(cut) + " is cut into the blocks of " +
                           std::to_string(comm.size()) + " ranks; redistribute the array along another axis",
                       [&] { quern::sort(E(), u, u, quern::axis(cut)); });
  }
}

}  // namespace
