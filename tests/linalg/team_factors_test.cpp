// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one team of a device makes of a small matrix, by threads of a host, so that it is tested where there is none.
// `Tall`, `Decompositions` and `LeastSquares` test the calls.
#include <cmath>
#include <limits>
#include <quern/linalg/gram_factors.hpp>
#include <quern/linalg/small_svd.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>
#include <support/thread_lanes.hpp>

namespace {

using namespace test;
using quern::impl::matrix_batch;
using space = Kokkos::DefaultHostExecutionSpace;

template <class T>
matrix_batch<T> as_item(T* data, int m, int n) {
  return {data, m, n, {0, n, 1}};
}

/// u diag(s) vt of an (m, n) matrix by three threads, which do not divide the pairs; the report in `info`.
template <class T>
struct decomposition {
  using R = quern::impl::real_type<T>;
  matrix<T> u, vt;
  std::vector<R> s;
  int info = -1;

  explicit decomposition(const matrix<T>& a) : u(a.rows, a.columns), vt(a.columns, a.columns), s(a.columns) {
    const quern::impl::svd_op<T> op{as_item(s.data(), a.columns, 1),
                                    as_item(u.v.data(), a.rows, a.columns),
                                    as_item(vt.v.data(), a.columns, a.columns),
                                    as_item(a.v.data(), a.rows, a.columns),
                                    {&info, 0}};
    run_by_threads<T>(op, 3);
  }
  matrix<wide> again() const {
    matrix<T> scaled = u;
    for (int i = 0; i < u.rows; ++i)
      for (int j = 0; j < u.columns; ++j) scaled(i, j) *= s[j];
    return product(scaled, vt);
  }
};

template <class T>
void expect_decomposed(int n, int digits) {
  const double eps = Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>;
  const auto a = part(matrices<T>(1, n, "condition", digits), 0, n, n);
  const decomposition<T> d(a);
  EXPECT_EQ(0, d.info);
  EXPECT_LE(distance(d.again(), a), 10 * n * eps) << n;
  EXPECT_LE(loss_of_orthogonality(d.u), 10 * n * eps) << n;
  EXPECT_LE(loss_of_orthogonality(adjoint(d.vt)), 10 * n * eps) << n;
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(std::pow(10.0, n > 1 ? -digits * i / (n - 1.0) : 0), static_cast<double>(d.s[i]), 4 * n * eps);
}
TEST(TeamFactors, SingularValues) {
  for (const int n : {1, 2, 33, 50}) expect_decomposed<double>(n, 12);
  expect_decomposed<float>(35, 5);
  expect_decomposed<Kokkos::complex<double>>(34, 14);
}

/// The Gram matrix of columns with a condition of 10^digits, its factors, and the report.
template <class T>
struct factored_gram {
  using R = quern::impl::real_type<T>;
  matrix<T> gram, factor, inverse;
  quern::impl::gram_report<R> report;

  factored_gram(int n, int digits) : gram(n, n), factor(n, n), inverse(n, n) {
    const auto columns = part(matrices<T>(1, n, "condition", digits), 0, n, n);
    const auto exact = product(adjoint(columns), columns);
    for (std::size_t e = 0; e < gram.v.size(); ++e)
      gram.v[e] = number<T>(static_cast<double>(exact.v[e].real()), static_cast<double>(exact.v[e].imag()));
  }
  quern::impl::gram_factors<T> pointers() {
    const auto columns = [&](matrix<T>& m) { return quern::impl::column_major<T>{m.v.data(), m.rows, m.rows, m.rows}; };
    return {columns(gram), columns(factor), columns(inverse)};
  }
  void by_team(R shift) { run_by_threads<T>(quern::impl::factor_gram_op<T>{pointers(), shift, &report}, 3); }
  void by_lapack(R shift) { report = quern::impl::factor_gram(space(), "test", pointers(), shift); }
};

template <class T>
void expect_as_lapack(int n, int digits, double shift) {
  using R = quern::impl::real_type<T>;
  const double eps = Kokkos::Experimental::epsilon_v<R>;
  const auto by = static_cast<R>(shift);
  factored_gram<T> team(n, digits), lapack(n, digits);
  team.by_team(by);
  lapack.by_lapack(by);
  const double condition = std::pow(10.0, 2 * digits);
  EXPECT_NEAR(lapack.report.growth, team.report.growth, n * eps * condition * lapack.report.growth) << n;
  if (shift == 0) {
    EXPECT_NEAR(lapack.report.loss, team.report.loss, n * eps * lapack.report.loss);
    EXPECT_EQ(lapack.report.longest, team.report.longest);
  }
  const double bound = n * eps * condition * std::sqrt(condition);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int e = i + j * n;
      if (i >= j) {
        EXPECT_LE(Kokkos::abs(team.factor.v[e] - lapack.factor.v[e]), bound) << n;
      }
      if (i <= j) {
        EXPECT_LE(Kokkos::abs(team.inverse.v[e] - lapack.inverse.v[e]), bound) << n;
      } else {
        EXPECT_EQ(T(0), team.inverse.v[e]) << n;
      }
    }
}
TEST(TeamFactors, OfGramMatrices) {
  if (!quern::impl::lapack::available<space>()) GTEST_SKIP() << "no LAPACK of hosts to compare with";
  for (const int n : {1, 2, 33, 100}) expect_as_lapack<double>(n, 1, 0);
  expect_as_lapack<double>(8, 2, 0.25);
  expect_as_lapack<float>(16, 0, 0);
  expect_as_lapack<Kokkos::complex<double>>(12, 1, 0);
}

// Columns whose Gram matrix is not positive definite, or not a number: the report says so, and nothing hangs.
TEST(TeamFactors, WithoutAFactorization) {
  factored_gram<double> negative(20, 0), nan(20, 0);
  negative.gram(7, 7) = -1;
  negative.by_team(0);
  EXPECT_EQ(std::numeric_limits<double>::infinity(), negative.report.growth);
  EXPECT_LE(negative.report.longest, 2);
  nan.gram(5, 5) = std::numeric_limits<double>::quiet_NaN();
  nan.by_team(0);
  EXPECT_EQ(std::numeric_limits<double>::infinity(), nan.report.growth);
  EXPECT_EQ(std::numeric_limits<double>::infinity(), nan.report.longest);
}

}  // namespace
