// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is made of singular values and QR factorizations.
#include <quern/linalg/principal_components.hpp>
#include <support/matrix_test.hpp>

namespace {

using namespace test;

template <class Case>
struct LeastSquares : matrix_test<Case> {
  using base = matrix_test<Case>;
  using base::array, base::contents, base::eps, base::reals, base::rounded, base::sample;
  using typename base::E, typename base::L, typename base::R, typename base::T;

  /// A product of an (m, k) and a (k, n) matrix.
  static matrix<T> of_rank(int m, int n, int k) { return rounded(product(sample(m, k, 3), sample(k, n, 4))); }

  /// The residual of a least-squares solution is orthogonal to the columns of a.
  void expect_normal_equations(const matrix<T>& a, const matrix<T>& x, const matrix<T>& b) {
    auto rest = product(a, x);
    for (std::size_t i = 0; i < rest.v.size(); ++i) rest.v[i] -= widened(b.v[i]);
    matrix<wide> left(a.columns, a.rows);
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.columns; ++j) left(j, i) = Kokkos::conj(widened(a(i, j)));
    matrix<wide> none(a.columns, b.columns);
    EXPECT_LE(distance(product(left, rest), none), 50 * (a.rows + a.columns) * eps * norm(a) * norm(b));
  }
};
TYPED_TEST_SUITE(LeastSquares, matrix_cases);

TYPED_TEST(LeastSquares, OfEveryShapeAndMethod) {
  using E = typename TestFixture::E;
  for (const auto& [m, n] : {std::array<int, 2>{1, 1}, {7, 3}, {40, 40}, {700, 12}, {5, 9}})
    for (const auto method : {quern::least_squares::svd, quern::least_squares::qr}) {
      if (m < n && method == quern::least_squares::qr) continue;
      const auto a = this->sample(m, n), b = this->sample(m, 3, 9);
      const auto x = this->array(n, 3);
      const auto residuals = this->reals(3), s = this->reals(std::min(m, n));
      const auto rank = quern::lstsq(E(), quern::outputs(x, residuals), this->array(a), this->array(b), method);
      EXPECT_EQ(std::min(m, n), rank);
      this->expect_normal_equations(a, this->contents(x), b);
      const auto sums = test::contents(residuals);
      const auto ax = product(a, this->contents(x));
      for (int j = 0; j < 3; ++j) {
        long double sum = 0, all = 0;
        for (int i = 0; i < m; ++i) {
          sum += quern::impl::squared(ax(i, j) - widened(b(i, j)));
          all += quern::impl::squared(widened(b(i, j)));
        }
        EXPECT_NEAR(static_cast<double>(sum), sums[j], 100 * m * this->eps * static_cast<double>(all)) << m << ' ' << n;
      }
      if (method == quern::least_squares::qr) continue;
      const auto values = this->reals(std::min(m, n));
      quern::lstsq(quern::outputs(x, residuals, s), this->array(a), this->array(b));
      quern::svdvals(values, this->array(a));
      const auto found = test::contents(s), expected = test::contents(values);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(expected[i], found[i], 50 * m * this->eps * found[0]);
    }
}

// A straight line through points on one.
TYPED_TEST(LeastSquares, OneRightHandSide) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  matrix<T> a(30, 2);
  std::vector<T> y(30);
  for (int i = 0; i < 30; ++i) {
    a(i, 0) = T(1);
    a(i, 1) = T(static_cast<R>(i));
    y[i] = T(static_cast<R>(3 - 0.5 * i));
  }
  for (const auto method : {quern::least_squares::svd, quern::least_squares::qr}) {
    const auto x = this->vector({T(0), T(0)});
    EXPECT_EQ(2, quern::lstsq(x, this->array(a), this->vector(y), method));
    const auto found = test::contents(x);
    EXPECT_LE(Kokkos::abs(widened(found[0]) - wide(3)), 200 * this->eps);
    EXPECT_LE(Kokkos::abs(widened(found[1]) - wide(-0.5)), 200 * this->eps);
  }
}

TYPED_TEST(LeastSquares, ShortestOfManySolutions) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto a = this->of_rank(30, 20, 7), b = this->sample(30, 2, 9);
  const auto x = this->array(20, 2);
  EXPECT_EQ(7, quern::lstsq(E(), x, this->array(a), this->array(b)));
  EXPECT_EQ(7, quern::matrix_rank(this->array(a)));
  EXPECT_EQ(0, quern::matrix_rank(E(), this->array(8, 3)));
  this->expect_normal_equations(a, this->contents(x), b);
  // The shortest solution lies in the space of the rows, so that projecting it there changes nothing.
  const auto inverse = this->array(20, 30);
  quern::pinv(inverse, this->array(a));
  const auto p = this->rounded(product(this->contents(inverse), a));
  EXPECT_LE(distance(product(p, this->contents(x)), this->contents(x)), 4000 * this->eps * norm(this->contents(x)));
  auto repeated = this->sample(30, 6);
  for (int i = 0; i < 30; ++i) repeated(i, 4) = repeated(i, 1);
  try {
    quern::lstsq(this->array(6, 2), this->array(repeated), this->array(b), quern::least_squares::qr);
    ADD_FAILURE() << "no error";
  } catch (const quern::SingularMatrixError& e) {
    EXPECT_STREQ("quern::lstsq: column 4 depends on those before it", e.what());
  }
  const auto zero = this->array(3, 8);
  quern::pinv(E(), zero, this->array(8, 3));
  for (const T& v : test::contents(zero)) EXPECT_EQ(T(0), v);
}

// The four conditions of Penrose.
TYPED_TEST(LeastSquares, PseudoInverse) {
  using E = typename TestFixture::E;
  for (const auto& a : {this->sample(9, 5), this->sample(4, 11), this->of_rank(12, 12, 5), this->sample(600, 8)}) {
    const auto out = this->array(a.columns, a.rows);
    quern::pinv(E(), out, this->array(a));
    const auto x = this->contents(out);
    const auto ax = this->rounded(product(a, x)), xa = this->rounded(product(x, a));
    const double bound = 1000 * this->eps * norm(a) * norm(x);
    EXPECT_LE(distance(product(ax, a), a), bound * norm(a));
    EXPECT_LE(distance(product(xa, x), x), bound * norm(x));
    matrix<wide> ax_adjoint(a.rows, a.rows), xa_adjoint(a.columns, a.columns);
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.rows; ++j) ax_adjoint(i, j) = Kokkos::conj(widened(ax(j, i)));
    for (int i = 0; i < a.columns; ++i)
      for (int j = 0; j < a.columns; ++j) xa_adjoint(i, j) = Kokkos::conj(widened(xa(j, i)));
    EXPECT_LE(distance(ax_adjoint, ax), bound);
    EXPECT_LE(distance(xa_adjoint, xa), bound);
  }
}

TYPED_TEST(LeastSquares, NormsAndConditions) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  using quern::norm_order;
  matrix<T> a(2, 3);
  const double values[] = {3, -4, 0, 1, 2, -2};
  for (int i = 0; i < 6; ++i) a.v[i] = number<T>(values[i], 0);
  const auto va = this->array(a);
  EXPECT_NEAR(6, quern::matrix_norm(E(), va, norm_order::one), 20 * this->eps);
  EXPECT_NEAR(7, quern::matrix_norm(va, norm_order::infinity), 20 * this->eps);
  EXPECT_NEAR(std::sqrt(34.0), quern::matrix_norm(va), 20 * this->eps);
  // The eigenvalues of a a^T are those of ((25, -5), (-5, 9)).
  const double large = 17 + std::sqrt(89.0), small = 17 - std::sqrt(89.0);
  EXPECT_NEAR(std::sqrt(large), quern::matrix_norm(va, norm_order::two), 40 * this->eps);
  EXPECT_NEAR(std::sqrt(large) + std::sqrt(small), quern::matrix_norm(va, norm_order::nuclear), 40 * this->eps);
  EXPECT_NEAR(std::sqrt(large / small), quern::cond(E(), va), 40 * this->eps);
  EXPECT_EQ(R(0), quern::matrix_norm(this->array(0, 3)));
  matrix<T> b(2, 2);
  b.v = {T(1), T(2), T(3), T(4)};
  EXPECT_NEAR(21, quern::cond(this->array(b), norm_order::one), 400 * this->eps);
  EXPECT_NEAR(21, quern::cond(this->array(b), norm_order::infinity), 400 * this->eps);
  EXPECT_NEAR(15, quern::cond(E(), this->array(b), norm_order::frobenius), 400 * this->eps);
  b(0, 1) = b(1, 1) = T(0);
  EXPECT_EQ(std::numeric_limits<R>::infinity(), quern::cond(this->array(b), norm_order::one));
  EXPECT_EQ(std::numeric_limits<R>::infinity(), quern::cond(this->array(2, 2)));
}

// Data that vary along known directions around a known mean.
TYPED_TEST(LeastSquares, PrincipalComponents) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  for (const auto& [m, n] : {std::array<int, 2>{60, 6}, {800, 6}, {5, 9}}) {
    const int all = std::min(m, n), k = std::min(all, 3);
    auto a = this->sample(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = a(i, j) * static_cast<R>(n - j) + T(static_cast<R>(10 * j));
    const auto va = this->array(a), components = this->array(k, n), every = this->array(all, n);
    const auto mean = this->vector(std::vector<T>(n));
    const auto variance = this->reals(k), variances = this->reals(all);
    quern::pca(E(), mean, components, variance, va);
    quern::pca(mean, every, variances, va);
    const auto c = this->contents(components);
    EXPECT_LE(loss_of_orthogonality(adjoint(c)), 100 * this->eps);
    const auto found_mean = test::contents(mean);
    auto centred = a;
    for (int j = 0; j < n; ++j) {
      wide sum(0);
      for (int i = 0; i < m; ++i) sum += widened(a(i, j));
      sum *= wide(1.0L / m);
      EXPECT_LE(Kokkos::abs(sum - widened(found_mean[j])), 100 * this->eps);
      for (int i = 0; i < m; ++i) centred(i, j) = a(i, j) - found_mean[j];
    }
    // The variance along each component, and none between them.
    const auto scores = product(centred, adjoint(c));
    const auto v = test::contents(variance), vs = test::contents(variances);
    double total = 0, expected_total = 0;
    for (int p = 0; p < k; ++p)
      for (int q = 0; q < k; ++q) {
        wide sum(0);
        for (int i = 0; i < m; ++i) sum += Kokkos::conj(scores(i, p)) * scores(i, q);
        sum *= wide(1.0L / (m - 1));
        EXPECT_LE(Kokkos::abs(sum - wide(p == q ? v[p] : 0)), 400 * this->eps * v[0]) << p << q;
      }
    for (const R x : vs) total += static_cast<double>(x);
    for (const T& x : centred.v) expected_total += static_cast<double>(quern::impl::squared(x)) / (m - 1);
    EXPECT_NEAR(expected_total, total, 400 * this->eps * total);
    for (int i = 0; i < k; ++i) EXPECT_NEAR(vs[i], v[i], 100 * this->eps * v[0]);
  }
}

// A third of the observations are one more than a mean whose last digit is a quarter.
TYPED_TEST(LeastSquares, PrincipalComponentsBesideLargeMeans) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  const R large = R(0.25) / std::numeric_limits<R>::epsilon();
  for (const int m : {60, 900}) {
    matrix<T> a(m, 1);
    for (int i = 0; i < m; ++i) a(i, 0) = T(large + R(i % 3 == 0 ? 1 : 0));
    const auto components = this->array(1, 1);
    const auto mean = this->vector(std::vector<T>(1));
    const auto variance = this->reals(1);
    quern::pca(mean, components, variance, this->array(a));
    const double expected = 2.0 / 9 * m / (m - 1);
    EXPECT_NEAR(expected, test::contents(variance)[0], 100 * this->eps * expected) << m;
    EXPECT_LE(Kokkos::abs(test::contents(mean)[0] - T(large)), R(0.5));
  }
}

TYPED_TEST(LeastSquares, FirstSingularValues) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  for (const auto& [m, n] : {std::array<int, 2>{700, 90}, {90, 200}, {30, 30}}) {
    auto a = this->of_rank(m, n, 12);
    const int k = 8;
    const auto u = this->array(m, k), vt = this->array(k, n);
    const auto s = this->reals(k), all = this->reals(std::min(m, n)), other = this->reals(k);
    quern::truncated_svd(E(), u, s, vt, this->array(a));
    quern::svdvals(all, this->array(a));
    const auto found = test::contents(s), expected = test::contents(all);
    for (int i = 0; i < k; ++i) EXPECT_NEAR(expected[i], found[i], 50 * (m + n) * this->eps * expected[0]) << i;
    auto left = this->contents(u);
    const auto right = this->contents(vt);
    EXPECT_LE(loss_of_orthogonality(left), 100 * k * this->eps);
    EXPECT_LE(loss_of_orthogonality(adjoint(right)), 100 * k * this->eps);
    // a v = u diag(s)
    const auto av = product(a, adjoint(right));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < k; ++j) left(i, j) *= found[j];
    EXPECT_LE(distance(av, left), 50 * (m + n) * this->eps * norm(a));
    // Other combinations of columns, the same values.
    quern::truncated_svd(u, other, vt, this->array(a), quern::random::key(7));
    for (int i = 0; i < k; ++i) EXPECT_NEAR(found[i], test::contents(other)[i], 50 * (m + n) * this->eps * expected[0]);
  }
  auto nan = this->sample(50, 20);
  nan(3, 4) = T(std::numeric_limits<R>::quiet_NaN());
  const auto s = this->reals(3);
  quern::truncated_svd(this->array(50, 3), s, this->array(3, 20), this->array(nan));
  for (const R x : test::contents(s)) EXPECT_NE(x, x);
}

TYPED_TEST(LeastSquares, NaNAndMisuse) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  auto a = this->sample(9, 4);
  a(2, 2) = T(std::numeric_limits<R>::quiet_NaN());
  const auto va = this->array(a), x = this->array(4, 1), b = this->array(9, 1), out = this->array(4, 9);
  EXPECT_EQ(-1, quern::lstsq(E(), x, va, b));
  for (const T& e : test::contents(x)) EXPECT_NE(e, e);
  quern::pinv(out, va);
  for (const T& e : test::contents(out)) EXPECT_NE(e, e);
  EXPECT_EQ(-1, quern::matrix_rank(va));
  EXPECT_NE(quern::cond(va), quern::cond(va));
  test::expect_error("quern::lstsq: x has extents (9, 1), expected (4, 1)", [&] { quern::lstsq(b, va, b); });
  test::expect_error("quern::lstsq: a has extents (4, 9), expected no more columns than rows for qr",
                     [&] { quern::lstsq(b, out, x, quern::least_squares::qr); });
  EXPECT_EQ(-1, quern::lstsq(E(), x, va, b, quern::least_squares::qr));
  for (const T& e : test::contents(x)) EXPECT_NE(e, e);
  if constexpr (std::is_same_v<T, R>) {  // outputs that share memory with inputs and with each other
    const auto s = TestFixture::reals(4), one = TestFixture::reals(1);
    const auto in_b = Kokkos::subview(b, std::pair(2, 3), 0), in_x = Kokkos::subview(x, Kokkos::ALL, 0);
    test::expect_error("quern::lstsq: residuals and b share memory",
                       [&] { quern::lstsq(E(), quern::outputs(x, in_b), va, b); });
    test::expect_error("quern::lstsq: s and a share memory",
                       [&] { quern::lstsq(quern::outputs(x, one, Kokkos::subview(va, 3, Kokkos::ALL)), va, b); });
    test::expect_error("quern::lstsq: x and s share memory",
                       [&] { quern::lstsq(quern::outputs(x, one, in_x), va, b); });
    test::expect_error("quern::lstsq: residuals and s share memory",
                       [&] { quern::lstsq(quern::outputs(x, Kokkos::subview(s, std::pair(3, 4)), s), va, b); });
    const auto u = TestFixture::array(9, 2), vt = TestFixture::array(2, 4);
    test::expect_error("quern::truncated_svd: u and vt share memory", [&] {
      quern::truncated_svd(u, TestFixture::reals(2), Kokkos::subview(u, std::pair(0, 2), std::pair(0, 2)),
                           this->array(this->sample(9, 2)));
    });
    test::expect_error("quern::pca: mean and components share memory",
                       [&] { quern::pca(Kokkos::subview(vt, 1, Kokkos::ALL), vt, TestFixture::reals(2), va); });
  }
  test::expect_error("quern::pinv: out has extents (9, 4), expected (4, 9)", [&] { quern::pinv(va, va); });
  test::expect_error("quern::cond: a has extents (9, 4), expected a square matrix, (n, n)",
                     [&] { quern::cond(va, quern::norm_order::one); });
  test::expect_error("quern::cond: a has extents (0, 0), expected elements",
                     [&] { quern::cond(TestFixture::array(0, 0)); });
  test::expect_error("quern::pca: components has extents (5, 4), expected (4, 4)", [&] {
    quern::pca(TestFixture::vector(std::vector<T>(4)), TestFixture::array(5, 4), TestFixture::reals(5), va);
  });
  test::expect_error("quern::truncated_svd: an option is negative", [&] {
    quern::truncated_svd(TestFixture::array(9, 2), TestFixture::reals(2), TestFixture::array(2, 4), va,
                         quern::power_iterations{-1});
  });
}

}  // namespace
