// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <quern/reduce.hpp>
#include <support/lazy.hpp>

namespace {

using quern::lazy;

struct square_of_difference {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return (a - b) * (a - b);
  }
};
struct position_times {
  std::int64_t columns;
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& p, double v) const {
    return static_cast<double>(p[0] * columns + p[1]) * v;
  }
};

template <class E>
class Lazy : public testing::Test {};
TYPED_TEST_SUITE(Lazy, test::all_spaces);

TYPED_TEST(Lazy, ReducesWhatItComputes) {
  using E = TypeParam;
  const auto x = test::waves(1), y = test::waves(2);
  double total = 0, largest = -1;
  std::int64_t where = 0;
  std::vector<double> row_sums(test::lazy_rows), column_sums(test::lazy_columns);
  for (std::int64_t i = 0; i < test::lazy_rows * test::lazy_columns; ++i) {
    const double d = (x[i] - y[i]) * (x[i] - y[i]);
    total += d;
    row_sums[i / test::lazy_columns] += d;
    column_sums[i % test::lazy_columns] += d;
    if (d > largest) largest = d, where = i;
  }
  const double eps = 1e-15 * static_cast<double>(x.size());
  test::with_layouts<E>(x, y, [&](const auto& vx, const auto& vy) {
    const auto squares = lazy(square_of_difference(), vx, vy);
    EXPECT_NEAR(total, quern::sum(E(), squares), eps * total);
    EXPECT_NEAR(total, quern::sum(squares), eps * total);
    EXPECT_EQ(largest, quern::max(E(), squares));
    EXPECT_EQ(where, quern::argmax(E(), squares));
    EXPECT_NEAR(total / static_cast<double>(x.size()), quern::mean(squares), eps * total);
    const Kokkos::View<double*, E> by_row("by_row", test::lazy_rows), by_column("by_column", test::lazy_columns);
    quern::sum(E(), by_row, squares, quern::axis{1});
    quern::sum(by_column, squares, quern::axes{0});
    for (std::int64_t i = 0; i < test::lazy_rows; ++i) EXPECT_NEAR(row_sums[i], test::contents(by_row)[i], eps * total);
    for (std::int64_t i = 0; i < test::lazy_columns; ++i)
      EXPECT_NEAR(column_sums[i], test::contents(by_column)[i], eps * total);
  });
}

TYPED_TEST(Lazy, ReproduciblyAndInTwoPasses) {
  using E = TypeParam;
  const auto x = test::waves(3), y = test::waves(4);
  const auto vx = test::matrix<Kokkos::LayoutRight, E>(x), vy = test::matrix<Kokkos::LayoutRight, E>(y);
  const auto stored = test::matrix<Kokkos::LayoutLeft, E>(x);
  quern::map(E(), stored, test::plus(), vx, vy);
  const auto sums = lazy(test::plus(), vx, vy);
  EXPECT_EQ(quern::sum(E(), stored, quern::reproducible), quern::sum(E(), sums, quern::reproducible));
  EXPECT_EQ(quern::var(E(), stored, quern::reproducible), quern::var(E(), sums, quern::reproducible));
  EXPECT_EQ(quern::dot(E(), stored, vy, quern::reproducible), quern::dot(E(), sums, vy, quern::reproducible));
}

TYPED_TEST(Lazy, NestsAndBroadcasts) {
  using E = TypeParam;
  const auto x = test::waves(5);
  std::vector<double> line(test::lazy_columns);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<double>(i) / 7;
  const auto vx = test::matrix<Kokkos::LayoutRight, E>(x);
  const auto row = test::make_array<double, 1, Kokkos::LayoutRight, E>({test::lazy_columns}, line);
  const auto out = test::matrix<Kokkos::LayoutLeft, E>(x);
  quern::map(E(), out, test::plus(), lazy(test::plus(), row, lazy(test::scaled{2.0}, vx)), 1.0);
  const auto got = test::contents(out);
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = line[i % test::lazy_columns] + 2 * x[i] + 1;
  EXPECT_EQ(expected, got);
  double total = 0;
  for (const double v : expected) total += v - 1;
  EXPECT_NEAR(total, quern::sum(E(), lazy(test::plus(), row, lazy(test::scaled{2.0}, vx))), 1e-12 * total);
  EXPECT_NEAR(total, quern::sum(E(), lazy(test::plus(), lazy(test::scaled{2.0}, vx), row)), 1e-12 * total);
}

TYPED_TEST(Lazy, PositionsAreOperands) {
  using E = TypeParam;
  const auto x = test::waves(6);
  std::vector<double> expected(x.size());
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += expected[i] = static_cast<double>(i) * x[i];
  const auto check = [&](const auto& vx) {
    const auto out = test::matrix<Kokkos::LayoutRight, E>(x);
    quern::map(E(), out, position_times{test::lazy_columns}, quern::positions(), vx);
    EXPECT_EQ(expected, test::contents(out));
    EXPECT_NEAR(total, quern::sum(E(), lazy(position_times{test::lazy_columns}, quern::positions(), vx)), 1e-9);
  };
  check(test::matrix<Kokkos::LayoutRight, E>(x));
  check(test::matrix<Kokkos::LayoutLeft, E>(x));
}

TYPED_TEST(Lazy, ReportsMisuse) {
  using E = TypeParam;
  const Kokkos::View<double*, E> three("three", 3), four("four", 4);
  const Kokkos::View<double, E> out("out");
  test::expect_error("quern::sum: the inputs have extents (3) and (4), which do not broadcast to each other",
                     [&] { quern::sum(E(), out, lazy(test::plus(), three, four)); });
  const Kokkos::View<double, E> inside(three.data() + 1);
  test::expect_error("quern::sum: out and in 1 share memory",
                     [&] { quern::sum(E(), inside, lazy(test::plus(), 1.0, three)); });
  EXPECT_EQ(0, quern::sum(E(), lazy(test::plus(), Kokkos::View<double*, E>("none", 0), 1.0)));
  EXPECT_THROW(quern::max(E(), lazy(test::plus(), Kokkos::View<double*, E>("none", 0), 1.0)), quern::Error);
}

}  // namespace
