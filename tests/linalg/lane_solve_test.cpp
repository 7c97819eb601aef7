// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small systems on lanes that take turns, so that a host tests what devices compute. `Solve` tests the calls.
#include <cmath>
#include <limits>
#include <quern/linalg/lane_solve.hpp>
#include <support/emulated_lanes.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

using namespace test;
using quern::impl::matrix_batch;

/// Solutions and reports of systems on lanes.
template <class T>
struct solved_systems {
  std::vector<T> x;
  std::vector<int> info;
};
template <class T, int Width, int N>
solved_systems<T> solve_systems(int n, const std::vector<T>& a, const std::vector<T>& b) {
  const int items = static_cast<int>(b.size()) / n;
  solved_systems<T> result{b, std::vector<int>(items, -1)};  // in place
  const matrix_batch<const T> matrix{a.data(), n, n, {n * n, n, 1}}, right{result.x.data(), n, 1, {n, 1, 0}};
  const quern::impl::solve_on_lanes<T, Width, N> kernel{
      {result.x.data(), n, 1, {n, 1, 0}}, matrix, right, {result.info.data(), 1}};
  const emulated_lanes<Width> lanes;
  for (int item = 0; item < items; ++item) kernel(lanes, item, true);
  return result;
}

/// The backward error |a x - b| <= c n eps |a| |x|, whatever the condition.
template <class T, int Width, int N>
void expect_solved(int n) {
  const double eps = Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>;
  for (const std::string kind : {"any", "zero diagonal", "condition"}) {
    if (n == 1 && kind == "zero diagonal") continue;
    const int items = 3;
    const auto a = matrices<T>(items, n, kind, sizeof(quern::impl::real_type<T>) == 8 ? 12 : 5);
    std::vector<T> b(items * n);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = any<T>(i, 99);
    const auto found = solve_systems<T, Width, N>(n, a, b);
    EXPECT_EQ(std::vector<int>(items, 0), found.info);
    for (int item = 0; item < items; ++item) {
      const auto ai = part(a, item, n, n), xi = part(found.x, item, n, 1);
      EXPECT_LE(distance(product(ai, xi), part(b, item, n, 1)), 4 * n * eps * norm(ai) * norm(xi)) << kind << ' ' << n;
    }
  }
}
TEST(LaneSolve, EverySize) {
  for (const int n : {1, 2, 5, 8}) expect_solved<Kokkos::complex<double>, 8, 8>(n);
  for (const int n : {9, 12}) expect_solved<float, 16, 12>(n);
  for (const int n : {13, 16}) expect_solved<double, 16, 16>(n);
  for (const int n : {17, 24}) expect_solved<Kokkos::complex<float>, 32, 24>(n);
  for (const int n : {25, 31, 32}) expect_solved<double, 32, 32>(n);
}

// One bad item of three: the others are what they are alone.
TEST(LaneSolve, SingularItemsAloneFail) {
  const int n = 11;
  const auto good = matrices<double>(3, n, "any");
  std::vector<double> bad = good, b(3 * n, 1.0);
  for (int i = 0; i < n; ++i) bad[n * n + i * n + 6] = 0;
  const auto expected = solve_systems<double, 16, 12>(n, good, b), found = solve_systems<double, 16, 12>(n, bad, b);
  EXPECT_EQ((std::vector<int>{0, 7, 0}), found.info);
  for (int i = 0; i < 3 * n; ++i) {
    if (i / n == 1) EXPECT_TRUE(std::isnan(found.x[i]));
    else EXPECT_EQ(expected.x[i], found.x[i]);
  }
}

TEST(LaneSolve, NaNGivesNaNAndNoFailure) {
  const int n = 12;
  auto a = matrices<float>(2, n, "any");
  a[5 * n + 7] = std::numeric_limits<float>::quiet_NaN();
  const auto found = solve_systems<float, 16, 12>(n, a, std::vector<float>(2 * n, 1.0F));
  EXPECT_EQ((std::vector<int>{0, 0}), found.info);
  EXPECT_TRUE(std::isnan(found.x[0]));
  EXPECT_FALSE(std::isnan(found.x[n]));
}

// Pivots whose inverse overflows, and large ones.
TEST(LaneSolve, ExtremeValues) {
  const int n = 9;
  const double least = std::numeric_limits<double>::denorm_min();
  std::vector<double> a(n * n, 0.0), b(n);
  for (int i = 0; i < n; ++i) {
    a[i * n + (n - 1 - i)] = least * (1 << i);
    b[i] = 3 * least * (1 << i);
  }
  EXPECT_EQ(std::vector<double>(n, 3.0), (solve_systems<double, 16, 12>(n, a, b).x));
  for (double& v : a) v *= 0x1p+1022, v *= 0x1p+1020;
  for (double& v : b) v *= 0x1p+1022, v *= 0x1p+1020;
  EXPECT_EQ(std::vector<double>(n, 3.0), (solve_systems<double, 16, 12>(n, a, b).x));
}

}  // namespace
