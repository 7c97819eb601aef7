// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorizations of small matrices on lanes that take turns, so that a host tests what devices compute. `Solve` and
// `Decompositions` test the calls.
#include <cmath>
#include <limits>
#include <quern/linalg/lane_factors.hpp>
#include <quern/linalg/lane_inverse.hpp>
#include <support/emulated_lanes.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

using namespace test;
using quern::impl::matrix_batch;

template <class T>
matrix_batch<T> batch_of(T* data, int m, int n) {
  return {data, m, n, {m * n, n, 1}};
}

/// Cholesky factorizations in place, and their reports.
template <class T>
struct factored {
  std::vector<T> l;
  std::vector<int> info;
};
template <class T, int Width, int N>
factored<T> cholesky(int n, const std::vector<T>& a) {
  const int items = static_cast<int>(a.size()) / (n * n);
  factored<T> result{a, std::vector<int>(items, -1)};
  const quern::impl::cholesky_on_lanes<T, Width, N> kernel{
      batch_of(result.l.data(), n, n), batch_of<const T>(result.l.data(), n, n), {result.info.data(), 1}};
  const emulated_lanes<Width> lanes;
  for (int item = 0; item < items; ++item) kernel(lanes, item, true);
  return result;
}

/// a a^H + 1/8, of which NaN stand above the diagonal.
template <class T>
matrix<T> positive(int n, int seed) {
  const auto a = part(matrices<T>(seed + 1, n, "any"), seed, n, n);
  const auto square = product(a, adjoint(a));
  matrix<T> p(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double re = static_cast<double>(square(i, j).real()), im = static_cast<double>(square(i, j).imag());
      p(i, j) = j > i ? number<T>(NAN, NAN) : number<T>(re + (i == j ? 0.125 : 0), i == j ? 0 : im);
    }
  return p;
}

template <class T, int Width, int N>
void expect_cholesky(int n) {
  const double eps = Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>;
  auto a = positive<T>(n, 2);
  const auto found = cholesky<T, Width, N>(n, a.v);
  EXPECT_EQ(0, found.info[0]);
  const auto l = part(found.l, 0, n, n);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      EXPECT_EQ(T(0), l(i, j));
      a(i, j) = quern::impl::conjugate(a(j, i));
    }
  EXPECT_LE(distance(product(l, adjoint(l)), a), 4 * n * eps * norm(a)) << n;
}
TEST(LaneFactors, Cholesky) {
  for (const int n : {1, 3, 4}) expect_cholesky<float, 4, 4>(n);
  for (const int n : {5, 8}) expect_cholesky<Kokkos::complex<double>, 8, 8>(n);
  for (const int n : {9, 16}) expect_cholesky<double, 16, 16>(n);
  for (const int n : {17, 24}) expect_cholesky<Kokkos::complex<float>, 32, 24>(n);
  for (const int n : {25, 32}) expect_cholesky<double, 32, 32>(n);
}

// The others are what they are alone; NaN is no failure.
TEST(LaneFactors, ItemsThatAreNotPositiveFail) {
  const int n = 7;
  std::vector<double> all;
  for (int item = 0; item < 4; ++item) {
    auto a = positive<double>(n, item);
    if (item == 1) a(3, 3) = 0;
    if (item == 2) a(5, 2) = NAN;
    all.insert(all.end(), a.v.begin(), a.v.end());
  }
  const auto found = cholesky<double, 8, 8>(n, all);
  EXPECT_EQ((std::vector<int>{0, 4, 0, 0}), found.info);
  const auto alone = cholesky<double, 8, 8>(n, {all.end() - n * n, all.end()});
  for (int e = 0; e < n * n; ++e) {
    EXPECT_TRUE(std::isnan(found.l[n * n + e]));
    EXPECT_EQ(alone.l[e], found.l[3 * n * n + e]);
  }
  EXPECT_TRUE(std::isnan(found.l[2 * n * n + 5 * n + 5]));
}

/// Inverses in place, and their reports.
template <class T, int Width, int N>
factored<T> inverses(int n, const std::vector<T>& a) {
  const int items = static_cast<int>(a.size()) / (n * n);
  factored<T> result{a, std::vector<int>(items, -1)};
  const quern::impl::inverse_on_lanes<T, Width, N> kernel{
      batch_of(result.l.data(), n, n), batch_of<const T>(result.l.data(), n, n), {result.info.data(), 1}};
  const emulated_lanes<Width> lanes;
  for (int item = 0; item < items; ++item) kernel(lanes, item, true);
  return result;
}
/// The residuals on both sides, A X - 1 and X A - 1, are within c n eps |a| |x|.
template <class T, int Width, int N>
void expect_inverse(int n, const std::string& kind, int digits = 0) {
  const double eps = Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>;
  const auto all = matrices<T>(2, n, kind, digits);
  const auto found = inverses<T, Width, N>(n, all);
  matrix<T> one(n, n);
  for (int i = 0; i < n; ++i) one(i, i) = T(1);
  for (int item = 0; item < 2; ++item) {
    const auto a = part(all, item, n, n), x = part(found.l, item, n, n);
    EXPECT_EQ(0, found.info[item]);
    EXPECT_LE(distance(product(a, x), one), 4 * n * eps * norm(a) * norm(x)) << n << kind;
    EXPECT_LE(distance(product(x, a), one), 4 * n * eps * norm(a) * norm(x)) << n << kind;
  }
}
TEST(LaneFactors, Inverse) {
  for (const int n : {1, 3, 4}) expect_inverse<float, 4, 4>(n, "any");
  for (const int n : {5, 8}) expect_inverse<Kokkos::complex<double>, 8, 8>(n, "zero diagonal");
  for (const int n : {9, 16}) expect_inverse<double, 16, 16>(n, "zero diagonal");
  for (const int n : {17, 24}) expect_inverse<Kokkos::complex<float>, 32, 24>(n, "any");
  for (const int digits : {0, 4, 8, 12}) expect_inverse<double, 32, 32>(31, "condition", digits);
  expect_inverse<double, 32, 32>(32, "zero diagonal");
}
TEST(LaneFactors, SingularItemsHaveNoInverse) {
  const int n = 6;
  auto all = matrices<double>(3, n, "any");
  for (int i = 0; i < n; ++i) all[n * n + i * n + 3] = 0;
  all[2 * n * n] = NAN;
  const auto found = inverses<double, 8, 8>(n, all);
  EXPECT_EQ((std::vector<int>{0, 4, 0}), found.info);
  for (int e = 0; e < n * n; ++e) {
    EXPECT_FALSE(std::isnan(found.l[e]));
    EXPECT_TRUE(std::isnan(found.l[n * n + e]));
  }
  EXPECT_TRUE(std::isnan(found.l[2 * n * n]));
}

template <class T>
struct q_and_r {
  matrix<T> q, r;
};
template <class T, int Width, int N>
q_and_r<T> qr(const matrix<T>& a, int columns) {
  q_and_r<T> result{matrix<T>(a.rows, columns), matrix<T>(columns, a.columns)};
  const quern::impl::qr_on_lanes<T, Width, N> kernel{batch_of(result.q.v.data(), a.rows, columns),
                                                     batch_of(result.r.v.data(), columns, a.columns),
                                                     batch_of(a.v.data(), a.rows, a.columns)};
  kernel(emulated_lanes<Width>(), 0, true);
  return result;
}

/// Whether A = Q R, of elements of this size, with orthonormal columns of Q and a triangle R.
template <class T, int Width, int N>
void expect_qr(matrix<T> a, bool full = false, double size = 1) {
  using R = quern::impl::real_type<T>;
  const double eps = Kokkos::Experimental::epsilon_v<R>, bound = 8 * std::max(a.rows, a.columns) * eps;
  for (T& x : a.v) x *= static_cast<R>(size);
  auto found = qr<T, Width, N>(a, full ? a.rows : std::min(a.rows, a.columns));
  EXPECT_LE(loss_of_orthogonality(found.q), bound) << a.rows << ' ' << a.columns << ' ' << size;
  for (int i = 0; i < found.r.rows; ++i)
    for (int j = 0; j < std::min(i, a.columns); ++j) EXPECT_EQ(T(0), found.r(i, j));
  for (matrix<T>* m : {&a, &found.r})
    for (T& x : m->v) x /= static_cast<R>(size);
  EXPECT_LE(distance(product(found.q, found.r), a), bound * norm(a)) << a.rows << ' ' << a.columns << ' ' << size;
}
template <class T>
matrix<T> rectangle(int m, int n) {
  const int k = std::max(m, n);
  return part(matrices<T>(1, k, "any"), 0, m, n);
}
TEST(LaneFactors, Qr) {
  expect_qr<double, 4, 4>(rectangle<double>(1, 1));
  expect_qr<Kokkos::complex<double>, 8, 8>(rectangle<Kokkos::complex<double>>(7, 4));
  expect_qr<Kokkos::complex<double>, 8, 8>(rectangle<Kokkos::complex<double>>(7, 4), true);
  expect_qr<float, 16, 16>(rectangle<float>(9, 16));
  expect_qr<Kokkos::complex<float>, 32, 24>(rectangle<Kokkos::complex<float>>(24, 24));
  expect_qr<double, 32, 32>(rectangle<double>(32, 32));
  expect_qr<double, 32, 32>(part(matrices<double>(1, 30, "condition", 15), 0, 30, 30));
}
TEST(LaneFactors, QrOfAnySizeAndRank) {
  for (const double size : {1e-300, 1e-160, 1e160, 1e300})
    expect_qr<double, 8, 8>(rectangle<double>(8, 6), false, size);
  expect_qr<double, 8, 8>(matrix<double>(6, 5));
  auto repeated = rectangle<double>(8, 8);
  for (int i = 0; i < 8; ++i) repeated(i, 5) = repeated(i, 2), repeated(i, 6) = 0;
  expect_qr<double, 8, 8>(repeated);
}

}  // namespace
