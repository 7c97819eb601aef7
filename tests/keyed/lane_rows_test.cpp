// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorts and selections of many short rows beside the standard library: as a call does them where it runs, and on lanes
// that take turns, so that a host tests what devices compute.

#include <algorithm>
#include <limits>
#include <numeric>
#include <quern/keyed.hpp>

#include "support/emulated_lanes.hpp"
#include "support/keyed.hpp"

namespace {

using quern::impl::by_order;
using quern::impl::row_lines;
using test::expect_is;
using test::hashed_values;

/// Rows with few different values in some rows, NaN, infinities, and zeros of both signs.
template <class T>
std::vector<T> rows_with_ties(std::int64_t rows, std::int64_t n) {
  auto v = hashed_values<T>(rows * n, 1 << 7);
  for (std::int64_t i = 0; i < rows * n; ++i)
    if (i / n % 3 == 1) v[i] = static_cast<T>(i % 5);
  if constexpr (std::is_floating_point_v<T>)
    for (std::int64_t i = 0; i < rows * n; ++i) {
      if (i % 11 == 0) v[i] = std::numeric_limits<T>::quiet_NaN();
      if (i % 13 == 5) v[i] = i % 2 == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
      if (i % 17 == 3) v[i] = i % 2 == 0 ? T(0) : -T(0);
    }
  return v;
}
/// A stable sort of each row: the positions. NaN last.
template <class T>
std::vector<std::int32_t> order_of_rows(const std::vector<T>& v, std::int64_t n, bool descending) {
  std::vector<std::int32_t> order(v.size());
  for (std::int64_t first = 0; first < std::ssize(v); first += n) {
    std::iota(order.begin() + first, order.begin() + first + n, 0);
    std::stable_sort(order.begin() + first, order.begin() + first + n, [&](auto i, auto j) {
      const T &a = v[first + i], &b = v[first + j];
      return (descending ? a > b : a < b) || (a == a && b != b);
    });
  }
  return order;
}
/// The first k of each row in that order.
template <class V>
std::vector<V> first_of_rows(const std::vector<V>& sorted, std::int64_t n, std::int64_t k) {
  std::vector<V> first;
  for (std::int64_t row = 0; row < std::ssize(sorted); row += n)
    first.insert(first.end(), sorted.begin() + row, sorted.begin() + row + k);
  return first;
}
template <class T>
std::vector<T> in_order(const std::vector<T>& v, const std::vector<std::int32_t>& order, std::int64_t n) {
  std::vector<T> sorted(v.size());
  for (std::int64_t i = 0; i < std::ssize(v); ++i) sorted[i] = v[i / n * n + order[i]];
  return sorted;
}

template <int Width, int M, class T>
void sort_on_emulated_lanes(int n, bool descending) {
  const std::int64_t rows = 3;
  auto values = rows_with_ties<T>(rows, n);
  const auto sorted = in_order(values, order_of_rows(values, n, descending), n);
  const quern::impl::sort_row_on_lanes<T, Width, M> kernel{
      by_order<T>{descending, true}, row_lines<const T>{values.data(), n}, row_lines<T>{values.data(), n}, n};
  const test::emulated_lanes<Width> lanes;
  for (std::int64_t row = 0; row < rows; ++row) kernel(lanes, row, true);
  expect_is(sorted, values);
  kernel(lanes, 0, false);  // writes nothing
  expect_is(sorted, values);
}
TEST(EmulatedLanes, SortRows) {
  for (const bool descending : {false, true}) {
    for (const int n : {1, 17, 32}) sort_on_emulated_lanes<8, 4, float>(n, descending);
    for (const int n : {33, 64}) sort_on_emulated_lanes<16, 4, std::int32_t>(n, descending);
    for (const int n : {65, 128}) sort_on_emulated_lanes<32, 4, double>(n, descending);
    for (const int n : {129, 191}) sort_on_emulated_lanes<32, 6, std::int8_t>(n, descending);
    for (const int n : {193, 301, 320}) sort_on_emulated_lanes<32, 10, float>(n, descending);
    for (const int n : {321, 512}) sort_on_emulated_lanes<32, 16, std::uint64_t>(n, descending);
    for (const int n : {513, 1023, 1024}) sort_on_emulated_lanes<32, 32, double>(n, descending);
  }
}

template <int Width, int M, class T>
void select_on_emulated_lanes(int n, int k) {
  const std::int64_t rows = 4;
  const auto values = rows_with_ties<T>(rows, n);
  const auto order = order_of_rows(values, n, true);
  std::vector<T> found(rows * k);
  std::vector<std::int16_t> positions(rows * k);
  const quern::impl::first_on_lanes<T, Width, M> kernel{by_order<T>{true},
                                                        row_lines<const T>{values.data(), n},
                                                        row_lines<T>{found.data(), 1, rows},
                                                        {positions.data(), 2, k, 1},
                                                        n,
                                                        k};
  const test::emulated_lanes<Width> lanes;
  for (std::int64_t row = 0; row < rows; ++row) kernel(lanes, row, true);
  expect_is(first_of_rows(order, n, k), positions);
  std::vector<T> transposed(rows * k);
  for (std::int64_t i = 0; i < rows * k; ++i) transposed[i] = found[i % k * rows + i / k];
  expect_is(first_of_rows(in_order(values, order, n), n, k), transposed);
}
TEST(EmulatedLanes, SelectTheFirstOfRows) {
  for (const int k : {1, 2, 8}) select_on_emulated_lanes<8, 4, float>(8 + k, k);
  select_on_emulated_lanes<8, 4, std::int8_t>(32, 8);
  for (const int k : {1, 10, 32}) select_on_emulated_lanes<32, 4, std::int64_t>(32 + k, k);
  for (const int n : {32, 301, 320}) select_on_emulated_lanes<32, 10, float>(n, 32);
  for (const int n : {32, 999, 1024}) select_on_emulated_lanes<32, 32, double>(n, 32);
  select_on_emulated_lanes<32, 32, std::uint8_t>(1024, 31);
}

/// Lines of which some are the same memory, as of a View that repeats its rows: in the order of their axes.
TEST(RowLines, WithStridesOfZero) {
  using quern::impl::are_row_lines, quern::impl::row_lines_of, quern::impl::strided;
  double x = 0;
  const auto lines = [&](const quern::shape& extents, std::int64_t first, std::int64_t second) {
    return strided<double>{&x, extents, {first, second, 1}};
  };
  EXPECT_FALSE(are_row_lines(lines({2, 3, 17}, 51, 0)));
  EXPECT_FALSE(are_row_lines(lines({2, 3, 17}, 0, 17)));
  EXPECT_TRUE(are_row_lines(lines({2, 3, 17}, 0, 0)));
  EXPECT_EQ(0, row_lines_of(lines({2, 3, 17}, 0, 0)).distance);
  EXPECT_TRUE(are_row_lines(lines({2, 3, 17}, 60, 20)));
  EXPECT_EQ(20, row_lines_of(lines({2, 3, 17}, 60, 20)).distance);
  EXPECT_TRUE(are_row_lines(lines({2, 1, 17}, 60, 0)));
  EXPECT_EQ(60, row_lines_of(lines({2, 1, 17}, 60, 0)).distance);
}

template <class Exec>
class ShortRows : public testing::Test {
 protected:
  template <class T, class Layout>
  static void sort_and_select(std::int64_t rows, std::int64_t n) {
    SCOPED_TRACE(n);
    const auto values = rows_with_ties<T>(rows, n);
    const auto x = test::make_array<T, 2, Layout, Exec>({rows, n}, values);
    const auto out = test::make_array<T, 2, Layout, Exec>({rows, n});
    for (const bool descending : {false, true}) {
      const auto direction = descending ? quern::sort_order::descending : quern::sort_order::ascending;
      const auto order = order_of_rows(values, n, descending);
      const auto sorted = in_order(values, order, n);
      quern::sort(Exec(), out, x, direction);
      expect_is(sorted, test::contents(out));
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{7}, std::int64_t{32}, std::int64_t{33}}) {
        if (k > n) break;
        const auto first = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, k});
        const auto positions = test::make_array<std::int64_t, 2, Layout, Exec>({rows, k});
        quern::top_k(Exec(), first, positions, x, direction);
        expect_is(first_of_rows(sorted, n, k), test::contents(first));
        expect_is(first_of_rows(order, n, k), test::contents(positions));
      }
    }
    quern::sort(Exec(), x);  // in place
    expect_is(in_order(values, order_of_rows(values, n, false), n), test::contents(x));
  }
};
TYPED_TEST_SUITE(ShortRows, test::all_spaces);

TYPED_TEST(ShortRows, SortAndSelect) {
  for (const std::int64_t n : {1, 8, 16, 17, 32, 33, 64, 65, 129, 192, 301, 320, 321, 512, 513, 1000, 1024, 1025}) {
    this->template sort_and_select<float, Kokkos::LayoutRight>(37, n);
    this->template sort_and_select<std::int64_t, Kokkos::LayoutLeft>(5, n);
  }
  for (const std::int64_t n : {5, 100, 1024}) {
    this->template sort_and_select<double, Kokkos::LayoutStride>(1, n);
    this->template sort_and_select<std::int8_t, Kokkos::LayoutStride>(600, n);
  }
}

TYPED_TEST(ShortRows, AlongTheMiddleAxis) {
  const std::int64_t n = 50, lines = 3 * 4;
  const auto values = rows_with_ties<double>(lines, n);
  const auto x = test::make_array<double, 3, Kokkos::LayoutRight, TypeParam>({3, n, 4});
  const auto first = test::make_array<double, 3, Kokkos::LayoutLeft, TypeParam>({3, 6, 4});
  const auto positions = test::make_array<std::int8_t, 3, Kokkos::LayoutStride, TypeParam>({3, 6, 4});
  const auto line_at = [&](std::int64_t i, std::int64_t extent) { return (i / (extent * 4) * 4 + i % 4) * extent; };
  std::vector<double> along(lines * n);
  for (std::int64_t i = 0; i < lines * n; ++i) along[i] = values[line_at(i, n) + i / 4 % n];
  Kokkos::deep_copy(x, test::make_array<double, 3, Kokkos::LayoutRight, TypeParam>({3, n, 4}, along));
  quern::top_k(TypeParam(), first, positions, x, quern::axis(1));
  const auto order = first_of_rows(order_of_rows(values, n, true), n, 6);
  std::vector<std::int32_t> expected(lines * 6);
  for (std::int64_t i = 0; i < lines * 6; ++i) expected[i] = order[line_at(i, 6) + i / 4 % 6];
  expect_is(expected, test::contents(positions));
}

}  // namespace
