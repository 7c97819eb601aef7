// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <support/testing.hpp>

namespace {

using quern::axes;
using quern::axis;
using quern::lazy;

struct square_of_difference {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return (a - b) * (a - b);
  }
};
struct scaled {
  double factor;
  KOKKOS_FUNCTION double operator()(double v) const { return factor * v; }
};
struct plus {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
/// The row-major position and a weight, from the indices of an element.
struct position_times {
  std::int64_t columns;
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& p, double v) const {
    return static_cast<double>(p[0] * columns + p[1]) * v;
  }
};

template <class E>
class Lazy : public testing::Test {
 public:
  static constexpr std::int64_t rows = 37, columns = 53;
  std::vector<double> values(int seed) const {
    std::vector<double> v(rows * columns);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(static_cast<double>(seed + 3 * i));
    return v;
  }
  template <class L>
  auto matrix(const std::vector<double>& v) const {
    return test::make_array<double, 2, L, E>({rows, columns}, v);
  }
};
TYPED_TEST_SUITE(Lazy, test::all_spaces);

/// Every pair of layouts, so that leaves lie in memory alike and not.
template <class E, class F>
void with_layouts(const Lazy<E>& t, const std::vector<double>& x, const std::vector<double>& y, const F& f) {
  const auto with_y = [&](const auto& vx) {
    f(vx, t.template matrix<Kokkos::LayoutLeft>(y));
    f(vx, t.template matrix<Kokkos::LayoutRight>(y));
    f(vx, t.template matrix<Kokkos::LayoutStride>(y));
  };
  with_y(t.template matrix<Kokkos::LayoutLeft>(x));
  with_y(t.template matrix<Kokkos::LayoutRight>(x));
}

TYPED_TEST(Lazy, ReducesWhatItComputes) {
  using E = TypeParam;
  const auto x = this->values(1), y = this->values(2);
  double total = 0, largest = -1;
  std::int64_t where = 0;
  std::vector<double> row_sums(this->rows), column_sums(this->columns);
  for (std::int64_t i = 0; i < this->rows * this->columns; ++i) {
    const double d = (x[i] - y[i]) * (x[i] - y[i]);
    total += d;
    row_sums[i / this->columns] += d;
    column_sums[i % this->columns] += d;
    if (d > largest) largest = d, where = i;
  }
  const double eps = 1e-15 * static_cast<double>(x.size());
  with_layouts(*this, x, y, [&](const auto& vx, const auto& vy) {
    const auto squares = lazy(square_of_difference(), vx, vy);
    EXPECT_NEAR(total, quern::sum(E(), squares), eps * total);
    EXPECT_NEAR(total, quern::sum(squares), eps * total);
    EXPECT_EQ(largest, quern::max(E(), squares));
    EXPECT_EQ(where, quern::argmax(E(), squares));
    EXPECT_NEAR(total / static_cast<double>(x.size()), quern::mean(squares), eps * total);
    const Kokkos::View<double*, E> by_row("by_row", this->rows), by_column("by_column", this->columns);
    quern::sum(E(), by_row, squares, axis{1});
    quern::sum(by_column, squares, axes{0});
    for (std::int64_t i = 0; i < this->rows; ++i) EXPECT_NEAR(row_sums[i], test::contents(by_row)[i], eps * total);
    for (std::int64_t i = 0; i < this->columns; ++i)
      EXPECT_NEAR(column_sums[i], test::contents(by_column)[i], eps * total);
  });
}

TYPED_TEST(Lazy, ReproduciblyAndInTwoPasses) {
  using E = TypeParam;
  const auto x = this->values(3), y = this->values(4);
  const auto vx = this->template matrix<Kokkos::LayoutRight>(x), vy = this->template matrix<Kokkos::LayoutRight>(y);
  const auto stored = this->template matrix<Kokkos::LayoutLeft>(x);
  quern::map(E(), stored, plus(), vx, vy);
  const auto sums = lazy(plus(), vx, vy);
  EXPECT_EQ(quern::sum(E(), stored, quern::reproducible), quern::sum(E(), sums, quern::reproducible));
  EXPECT_EQ(quern::var(E(), stored, quern::reproducible), quern::var(E(), sums, quern::reproducible));
  EXPECT_EQ(quern::dot(E(), stored, vy, quern::reproducible), quern::dot(E(), sums, vy, quern::reproducible));
}

TYPED_TEST(Lazy, NestsAndBroadcasts) {
  using E = TypeParam;
  const auto x = this->values(5);
  std::vector<double> line(this->columns);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<double>(i) / 7;
  const auto vx = this->template matrix<Kokkos::LayoutRight>(x);
  const auto row = test::make_array<double, 1, Kokkos::LayoutRight, E>({this->columns}, line);
  const auto out = this->template matrix<Kokkos::LayoutLeft>(x);
  quern::map(E(), out, plus(), lazy(plus(), row, lazy(scaled{2.0}, vx)), 1.0);
  const auto got = test::contents(out);
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = line[i % this->columns] + 2 * x[i] + 1;
  EXPECT_EQ(expected, got);
  double total = 0;
  for (const double v : expected) total += v - 1;
  EXPECT_NEAR(total, quern::sum(E(), lazy(plus(), row, lazy(scaled{2.0}, vx))), 1e-12 * total);
  EXPECT_NEAR(total, quern::sum(E(), lazy(plus(), lazy(scaled{2.0}, vx), row)), 1e-12 * total);
}

TYPED_TEST(Lazy, Scans) {
  using E = TypeParam;
  const auto x = this->values(7), y = this->values(8);
  with_layouts(*this, x, y, [&](const auto& vx, const auto& vy) {
    const auto stored = this->template matrix<Kokkos::LayoutRight>(x),
               expected = this->template matrix<Kokkos::LayoutRight>(x);
    const auto out = this->template matrix<Kokkos::LayoutLeft>(x);
    quern::map(E(), stored, plus(), vx, vy);
    const auto check = [&](const auto&... options) {
      quern::cumsum(E(), expected, stored, quern::reproducible, options...);
      quern::cumsum(E(), out, lazy(plus(), vx, vy), quern::reproducible, options...);
      EXPECT_EQ(test::contents(expected), test::contents(out));
      quern::cumsum(out, lazy(plus(), vx, vy), options...);
      const auto exact = test::contents(expected), got = test::contents(out);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(exact[i], got[i], 1e-12);
    };
    check();
    check(axis{0});
    check(axis{1});
  });
  // Long enough for chunks, in place of a leaf.
  const std::int64_t n = 300000;
  const Kokkos::View<double*, E> a("a", n), sums("sums", n), same("same", n);
  quern::fill(E(), a, 0.25);
  quern::cumsum(E(), sums, lazy(scaled{4.0}, a));
  quern::copy(E(), same, a);
  quern::cumsum(E(), same, lazy(scaled{4.0}, same));
  const auto got = test::contents(sums);
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(static_cast<double>(i + 1), got[i]);
  EXPECT_EQ(got, test::contents(same));
}

TYPED_TEST(Lazy, PositionsAreOperands) {
  using E = TypeParam;
  const auto x = this->values(6);
  std::vector<double> expected(x.size());
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += expected[i] = static_cast<double>(i) * x[i];
  const auto check = [&](const auto& vx) {
    const auto out = this->template matrix<Kokkos::LayoutRight>(x);
    quern::map(E(), out, position_times{this->columns}, quern::positions(), vx);
    EXPECT_EQ(expected, test::contents(out));
    EXPECT_NEAR(total, quern::sum(E(), lazy(position_times{this->columns}, quern::positions(), vx)), 1e-9);
  };
  check(this->template matrix<Kokkos::LayoutRight>(x));
  check(this->template matrix<Kokkos::LayoutLeft>(x));
}

TYPED_TEST(Lazy, ReportsMisuse) {
  using E = TypeParam;
  const Kokkos::View<double*, E> three("three", 3), four("four", 4);
  const Kokkos::View<double, E> out("out");
  test::expect_error(
      "quern::sum: the inputs of a lazy array have extents (3) and (4), which do not broadcast to each other",
      [&] { quern::sum(E(), out, lazy(plus(), three, four)); });
  const Kokkos::View<double, E> inside(three.data() + 1);
  test::expect_error("quern::sum: out and in 1 share memory",
                     [&] { quern::sum(E(), inside, lazy(plus(), 1.0, three)); });
  EXPECT_EQ(0, quern::sum(E(), lazy(plus(), Kokkos::View<double*, E>("none", 0), 1.0)));
  EXPECT_THROW(quern::max(E(), lazy(plus(), Kokkos::View<double*, E>("none", 0), 1.0)), quern::Error);
}

}  // namespace
