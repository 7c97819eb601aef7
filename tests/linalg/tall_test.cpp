// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrices with many more rows than columns: what is easy, what fools a Cholesky factorization, and what only
// reflections can do.
#include <quern/linalg/qr.hpp>
#include <quern/linalg/svd.hpp>
#include <support/matrix_test.hpp>

namespace {

using namespace test;

template <class Case>
struct Tall : matrix_test<Case> {
  using base = matrix_test<Case>;
  using base::array, base::contents, base::eps, base::reals, base::rounded, base::sample;
  using typename base::E, typename base::L, typename base::R, typename base::T;

  /// Columns that are combinations of orthonormal ones, with singular values from 1 to 10^-digits.
  static matrix<T> conditioned(int m, int n, int digits) {
    const auto q = array(matrix<T>(m, n)), r = array(matrix<T>(n, n));
    quern::impl::qr_by_reflections<E, T>(E(), "test", quern::impl::make_output<E>(q, "test"),
                                         quern::impl::make_output<E>(r, "test"),
                                         quern::impl::make_input<E>(array(sample(m, n)), "test").array);
    const auto inner = part(matrices<T>(1, n, "condition", digits), 0, n, n);
    return rounded(product(contents(q), inner));
  }

  /// The largest |q^H q - 1|, and for each column |a - q r| / |a|.
  void check(const matrix<T>& a, const std::string& what) {
    const int m = a.rows, n = a.columns;
    const auto vq = array(matrix<T>(m, n)), vr = array(matrix<T>(n, n));
    quern::qr(E(), vq, vr, array(a));
    const auto q = contents(vq), r = contents(vr);
    double loss = 0;
    const auto gram = product(adjoint(q), q);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        loss = std::max(loss, static_cast<double>(Kokkos::abs(gram(i, j) - wide(i == j ? 1 : 0))));
    EXPECT_LE(loss, 450 * eps) << what;  // 1e-13 in double
    const auto again = product(q, r);
    for (int j = 0; j < n; ++j) {
      long double error = 0, length = 0;
      for (int i = 0; i < m; ++i) {
        error += quern::impl::squared(again(i, j) - widened(a(i, j)));
        length += quern::impl::squared(widened(a(i, j)));
      }
      EXPECT_LE(static_cast<double>(std::sqrt(error)), 20 * n * eps * static_cast<double>(std::sqrt(length)))
          << what << ", column " << j;
      for (int i = j + 1; i < n; ++i) EXPECT_EQ(T(0), r(i, j));
    }
  }
};
TYPED_TEST_SUITE(Tall, matrix_cases);

TYPED_TEST(Tall, EveryShape) {
  for (const auto& [m, n] : {std::array<int, 2>{512, 1}, {513, 2}, {1000, 7}, {600, 150}, {3001, 33}})
    this->check(this->sample(m, n), std::to_string(m) + " x " + std::to_string(n));
}

TYPED_TEST(Tall, EveryCondition) {
  for (int digits = 0; digits <= 15; ++digits)
    this->check(this->conditioned(800, 20, digits), "condition 1e" + std::to_string(digits));
}

// A Cholesky factorization of the Gram matrix may succeed for all of them, with a triangle of noise.
TYPED_TEST(Tall, ColumnsThatFoolCholesky) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  const int m = 700, n = 24;
  const R tiny = static_cast<R>(this->eps);
  auto graded = this->sample(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) graded(i, j) *= static_cast<R>(std::pow(10.0, -0.6 * j));
  this->check(graded, "graded");
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n / 2; ++j) std::swap(graded(i, j), graded(i, n - 1 - j));
  this->check(graded, "graded the other way");
  for (const R distance : {std::sqrt(tiny), tiny * 100, tiny, R(0)}) {
    auto repeated = this->sample(m, n);
    for (int i = 0; i < m; ++i)
      for (const int j : {3, 11, 19}) repeated(i, j) = repeated(i, 2) + distance * repeated(i, j);
    this->check(repeated, "repeated columns, " + std::to_string(distance) + " apart");
  }
  auto lauchli = matrix<T>(m, n);  // Laeuchli's matrix: its Gram matrix has forgotten all but the first row
  for (int j = 0; j < n; ++j) {
    lauchli(0, j) = T(1);
    lauchli(j + 1, j) = T(tiny);
  }
  this->check(lauchli, "Laeuchli's");
  auto vandermonde = matrix<T>(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) vandermonde(i, j) = T(static_cast<R>(std::pow(i / (m - 1.0), j)));
  this->check(vandermonde, "Vandermonde's");
}

TYPED_TEST(Tall, WhatOnlyReflectionsCanDo) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  for (const int n : {1, 5, 40, 128, 129}) {  // trees of blocks, then LAPACK's reflections
    auto zero_columns = this->sample(1100, n);
    for (int i = 0; i < 1100; ++i)
      for (int j = 0; j < n; j += 3) zero_columns(i, j) = T(0);
    this->check(zero_columns, std::to_string(n) + " columns, some zero");
  }
  this->check(matrix<T>(2000, 9), "zeros");
  auto unit = matrix<T>(2000, 9);
  unit(1999, 4) = T(1);
  this->check(unit, "one element");
  for (const R size : {std::numeric_limits<R>::max() / 64, std::numeric_limits<R>::min() * 64}) {
    auto scaled = this->sample(900, 12);
    for (T& x : scaled.v) x *= size;
    const auto q = this->array(matrix<T>(900, 12)), r = this->array(matrix<T>(12, 12));
    quern::qr(q, r, this->array(scaled));
    EXPECT_LE(loss_of_orthogonality(this->contents(q)), 450 * this->eps) << size;
    EXPECT_LE(distance(product(this->contents(q), this->contents(r)), scaled), 400 * this->eps * norm(scaled)) << size;
  }
}

TYPED_TEST(Tall, SingularValuesOfEveryCondition) {
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  for (int digits = 0; digits <= 15; digits += 3) {
    const auto a = this->conditioned(800, 20, digits);
    const auto u = this->array(matrix<typename TestFixture::T>(800, 20));
    const auto vt = this->array(matrix<typename TestFixture::T>(20, 20));
    const Kokkos::View<R*, typename E::memory_space> s("s", 20);
    quern::svd(E(), u, s, vt, this->array(a));
    const auto found = test::contents(s);
    for (int i = 0; i < 20; ++i) EXPECT_NEAR(std::pow(10.0, -digits * i / 19.0), found[i], 100 * this->eps);
    auto scaled = this->contents(u);
    EXPECT_LE(loss_of_orthogonality(scaled), 1000 * this->eps);
    EXPECT_LE(loss_of_orthogonality(adjoint(this->contents(vt))), 1000 * this->eps);
    for (int i = 0; i < 800; ++i)
      for (int j = 0; j < 20; ++j) scaled(i, j) *= found[j];
    EXPECT_LE(distance(product(scaled, this->contents(vt)), a), 400 * this->eps) << digits;
  }
}

}  // namespace
