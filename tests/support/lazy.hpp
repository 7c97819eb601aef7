// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_LAZY_HPP
#define QUERN_TESTS_SUPPORT_LAZY_HPP

/// @file
/// What the tests of lazy operands share.

#include <cmath>
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace test {

inline constexpr std::int64_t lazy_rows = 37, lazy_columns = 53;

inline std::vector<double> waves(int seed) {
  std::vector<double> v(lazy_rows * lazy_columns);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(static_cast<double>(seed) + 3 * static_cast<double>(i));
  return v;
}
template <class L, class E>
auto matrix(const std::vector<double>& v) {
  return make_array<double, 2, L, E>({lazy_rows, lazy_columns}, v);
}

struct plus {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct scaled {
  double factor;
  KOKKOS_FUNCTION double operator()(double v) const { return factor * v; }
};

/// Leaves that lie in memory alike, and leaves that do not.
template <class E, class F>
void with_layouts(const std::vector<double>& x, const std::vector<double>& y, const F& f) {
  f(matrix<Kokkos::LayoutRight, E>(x), matrix<Kokkos::LayoutRight, E>(y));
  f(matrix<Kokkos::LayoutLeft, E>(x), matrix<Kokkos::LayoutStride, E>(y));
}

/// `f` gives the same of what was written to a View and of what is computed as it is read.
template <class E, class F>
void expect_the_same(const F& f) {
  const auto x = waves(9), y = waves(10);
  with_layouts<E>(x, y, [&](const auto& vx, const auto& vy) {
    const auto stored = matrix<Kokkos::LayoutRight, E>(x);
    quern::map(E(), stored, plus(), vx, vy);
    EXPECT_EQ(f(stored), f(quern::lazy(plus(), vx, vy)));
  });
}

}  // namespace test

#endif
