// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first elements in order, beside NumPy's frozen results and the standard library.

#include <algorithm>
#include <limits>
#include <numeric>
#include <quern/keyed.hpp>

#include "support/keyed.hpp"
#include "support/reference_archive.hpp"

namespace {

const test::reference_archive numpy("keyed/data/numpy.npz");
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using quern::sort_order;
using test::expect_is;
using test::hashed_values;

struct last_digit_first {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& a, const T& b) const {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    return x % 10 < y % 10;
  }
};

template <class Exec>
class TopK : public testing::Test {};
TYPED_TEST_SUITE(TopK, test::all_spaces);

/// The first k of a line, beside those of a stable sort by the standard library.
template <class Exec, class T>
void expect_first(const std::vector<T>& values, std::int64_t k) {
  const auto n = static_cast<std::int64_t>(values.size());
  const auto x = test::make_array<T, 1, Kokkos::LayoutStride, Exec>({n}, values);
  const auto out = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({k});
  const auto positions = test::make_array<std::int32_t, 1, Kokkos::LayoutStride, Exec>({k});
  std::vector<std::int32_t> all(n);
  const auto first = [&](bool descending) {
    std::iota(all.begin(), all.end(), 0);
    std::stable_sort(all.begin(), all.end(), [&](auto i, auto j) {
      const T &a = values[i], &b = values[j];
      return (descending ? a > b : a < b) || (a == a && b != b);
    });
    std::vector<T> expected(k);
    for (std::int64_t i = 0; i < k; ++i) expected[i] = values[all[i]];
    return expected;
  };
  const auto smallest = first(false);
  quern::partial_sort(Exec(), out, x);
  expect_is(smallest, test::contents(out));
  quern::top_k(out, positions, x, sort_order::ascending);
  expect_is(smallest, test::contents(out));
  expect_is(std::vector<std::int32_t>(all.begin(), all.begin() + k), test::contents(positions));
  const auto largest = first(true);
  quern::top_k(Exec(), out, positions, x);
  expect_is(largest, test::contents(out));
  expect_is(std::vector<std::int32_t>(all.begin(), all.begin() + k), test::contents(positions));
  quern::partial_sort(out, x, sort_order::descending);
  expect_is(largest, test::contents(out));
}

TYPED_TEST(TopK, OfLines) {
  const std::int64_t n = 70'001;
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, std::int64_t{8000}, n}) {
    expect_first<TypeParam>(hashed_values<double>(n, 1 << 20), k);
    expect_first<TypeParam>(hashed_values<std::int16_t>(n, 5), k);
  }
  std::vector<double> special(n, nan);
  for (std::int64_t i = 0; i < 60; ++i)
    special[i * 1000] = i % 7 == 0 ? INFINITY : i % 11 == 0 ? -INFINITY : -0.5 * (i % 5);
  expect_first<TypeParam>(special, 50);
  expect_first<TypeParam>(special, 200);
  expect_first<TypeParam>(hashed_values<double>(500, 9), 20);
}

TYPED_TEST(TopK, OfTables) {
  const auto x = test::make_array<std::int32_t, 2, Kokkos::LayoutLeft, TypeParam>(
      {12, 17}, numpy.values<std::int32_t>("unordered_table"));
  const auto rows = test::make_array<std::int32_t, 2, Kokkos::LayoutRight, TypeParam>({5, 17});
  quern::partial_sort(TypeParam(), rows, x, quern::axis(0));
  auto first_rows = numpy.values<std::int32_t>("ordered_table_0");
  first_rows.resize(5 * 17);
  expect_is(first_rows, test::contents(rows));
  const auto columns = test::make_array<std::int32_t, 2, Kokkos::LayoutRight, TypeParam>({12, 3});
  const auto positions = test::make_array<std::int8_t, 2, Kokkos::LayoutLeft, TypeParam>({12, 3});
  quern::top_k(TypeParam(), columns, positions, x, sort_order::ascending);
  const auto ordered = numpy.values<std::int32_t>("ordered_table_1");
  const auto order = numpy.values<std::int64_t>("order_of_table_1");
  std::vector<std::int32_t> values, places;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 3; ++j) {
      values.push_back(ordered[17 * i + j]);
      places.push_back(static_cast<std::int32_t>(order[17 * i + j]));
    }
  expect_is(values, test::contents(columns));
  expect_is(places, test::contents(positions));
  quern::partial_sort(TypeParam(), columns, x, last_digit_first());
  EXPECT_TRUE(quern::is_sorted(columns, last_digit_first()));
}

TYPED_TEST(TopK, Misuse) {
  using E = TypeParam;
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, E>({300});
  const auto y = test::make_array<double, 1, Kokkos::LayoutRight, E>({299});
  const auto small = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, E>({300});
  const auto more = test::make_array<double, 1, Kokkos::LayoutRight, E>({301});
  test::expect_error("quern::partial_sort: out has extents (301), expected those of x, (300), or fewer along axis 0",
                     [&] { quern::partial_sort(E(), more, x); });
  test::expect_error("quern::top_k: positions has extents (300), expected (299)",
                     [&] { quern::top_k(E(), y, small, x); });
  const auto bytes = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, E>({299});
  test::expect_error("quern::top_k: positions to before 300 do not fit the type of positions, of 8 bits",
                     [&] { quern::top_k(E(), y, bytes, x); });
}

}  // namespace
