// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// QR, singular values and eigenvalues of one matrix.
#include <quern/linalg/eigh.hpp>
#include <quern/linalg/qr.hpp>
#include <quern/linalg/svd.hpp>
#include <support/matrix_test.hpp>

namespace {

using namespace test;

template <class Case>
struct Decompositions : matrix_test<Case> {
  using base = matrix_test<Case>;
  using base::array, base::contents, base::eps, base::reals, base::rounded, base::sample;
  using typename base::E, typename base::L, typename base::R, typename base::T;

  static double size(const matrix<T>& a) { return std::max(norm(a), std::numeric_limits<double>::min()); }

  /// Q has orthonormal columns, R is upper triangular, and their product is A.
  void check_qr(const matrix<T>& a, int k) {
    const auto vq = array(a.rows, k), vr = array(k, a.columns);
    quern::qr(vq, vr, array(a));
    const auto q = contents(vq), r = contents(vr);
    EXPECT_LE(loss_of_orthogonality(q), 8 * a.rows * eps) << a.rows << ' ' << a.columns << ' ' << k;
    EXPECT_LE(distance(product(q, r), a), 8 * a.rows * eps * size(a)) << a.rows << ' ' << a.columns << ' ' << k;
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < std::min(i, a.columns); ++j) EXPECT_EQ(T(0), r(i, j));
  }

  /// U and V have orthonormal columns, S descends, and their product is A.
  void check_svd(const matrix<T>& a, bool full) {
    const int m = a.rows, n = a.columns, k = std::min(m, n);
    const auto vu = array(m, full ? m : k), vv = array(full ? n : k, n);
    const auto vs = reals(k), alone = reals(k);
    quern::svd(vu, vs, vv, array(a));
    quern::svdvals(E(), alone, array(a));
    const auto u = contents(vu), vt = contents(vv);
    const auto s = test::contents(vs), only = test::contents(alone);
    EXPECT_LE(loss_of_orthogonality(u), 16 * (m + n) * eps) << m << ' ' << n;
    EXPECT_LE(loss_of_orthogonality(adjoint(vt)), 16 * (m + n) * eps) << m << ' ' << n;
    matrix<T> left(m, k), right(k, n);
    for (int j = 0; j < k; ++j) {
      EXPECT_GE(s[j], 0);
      EXPECT_TRUE(j == 0 || s[j] <= s[j - 1]);
      EXPECT_NEAR(s[j], only[j], 8 * (m + n) * eps * s[0]);
      for (int i = 0; i < m; ++i) left(i, j) = u(i, j) * s[j];
      for (int i = 0; i < n; ++i) right(j, i) = vt(j, i);
    }
    EXPECT_LE(distance(product(left, right), a), 16 * (m + n) * eps * size(a)) << m << ' ' << n;
  }

  /// A Hermitian matrix with these eigenvalues.
  static matrix<T> hermitian(const std::vector<double>& values) {
    const int n = values.size();
    const auto u = part(matrices<T>(1, n, "condition", 0), 0, n, n);  // unitary
    auto scaled = u;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) scaled(i, j) *= static_cast<R>(values[j]);
    return rounded(product(scaled, adjoint(u)));
  }

  void check_eigh(std::vector<double> values) {
    const int n = values.size();
    const auto full = hermitian(values);
    auto a = full;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) a(i, j) = T(std::numeric_limits<R>::quiet_NaN());  // not read
    const auto va = array(a), vv = array(n, n);
    const auto vw = reals(n), alone = reals(n);
    quern::eigvalsh(E(), alone, va);
    quern::eigh(E(), vw, vv, va);
    quern::eigh(vw, va, va);
    const auto v = contents(vv);
    EXPECT_EQ(v.v, contents(va).v);  // in place
    const auto w = test::contents(vw), only = test::contents(alone);
    std::sort(values.begin(), values.end());
    double largest = 0;
    for (const double x : values) largest = std::max(largest, std::fabs(x));
    EXPECT_LE(loss_of_orthogonality(v), 16 * n * eps) << n;
    auto scaled = v;
    for (int j = 0; j < n; ++j) {
      EXPECT_NEAR(values[j], w[j], 8 * n * eps * largest);
      EXPECT_NEAR(w[j], only[j], 8 * n * eps * largest);
      for (int i = 0; i < n; ++i) scaled(i, j) *= w[j];
    }
    EXPECT_LE(distance(product(full, v), scaled), 16 * n * eps * std::max(n * largest, 1e-300)) << n;
  }
};
TYPED_TEST_SUITE(Decompositions, matrix_cases);

TYPED_TEST(Decompositions, QrOfEveryShape) {
  for (const auto& [m, n] : {std::array<int, 2>{1, 1}, {2, 1}, {1, 3}, {5, 5}, {90, 30}, {20, 70}, {100, 100}}) {
    this->check_qr(this->sample(m, n), std::min(m, n));
    this->check_qr(this->sample(m, n), m);
  }
}

TYPED_TEST(Decompositions, SvdOfEveryShape) {
  for (const auto& [m, n] : {std::array<int, 2>{1, 1}, {2, 1}, {1, 3}, {5, 5}, {90, 30}, {20, 70}, {100, 100}})
    for (const bool full : {false, true}) this->check_svd(this->sample(m, n), full);
  this->check_svd(this->sample(530, 20), false);  // by their QR factorizations
  this->check_svd(this->sample(20, 530), false);
  if (std::is_same_v<typename TestFixture::T, double>) this->check_svd(this->sample(513, 5), true);
}

TYPED_TEST(Decompositions, EveryConditionAndRank) {
  using T = typename TestFixture::T;
  for (int digits = 0; digits <= 15; digits += 3) {
    const auto a = part(matrices<T>(1, 40, "condition", digits), 0, 40, 40);
    this->check_qr(a, 40);
    this->check_svd(a, false);
    const auto s = this->reals(40);
    quern::svdvals(s, this->array(a));
    const auto found = test::contents(s);
    for (int i = 0; i < 40; ++i) EXPECT_NEAR(std::pow(10.0, -digits * i / 39.0), found[i], 200 * this->eps);
  }
  auto deficient = this->sample(60, 30);
  for (int i = 0; i < 60; ++i) {
    deficient(i, 7) = deficient(i, 3);
    deficient(i, 20) = T(0);
  }
  this->check_qr(deficient, 30);
  this->check_svd(deficient, true);
  this->check_svd(matrix<T>(50, 20), true);
  this->check_qr(matrix<T>(50, 20), 20);
}

TYPED_TEST(Decompositions, EighOfEveryKind) {
  const auto ramp = [](int n, double from, double to) {
    std::vector<double> values(n);
    for (int i = 0; i < n; ++i) values[i] = from + (to - from) * i / std::max(n - 1, 1);
    return values;
  };
  for (const int n : {1, 2, 9, 64, 110}) this->check_eigh(ramp(n, -1, 2));
  this->check_eigh(std::vector<double>(30, 3));  // all the same
  this->check_eigh(std::vector<double>(30, 0));
  auto clustered = ramp(40, 1, 1 + 1e-9);
  clustered[0] = -1e-12;
  this->check_eigh(clustered);
}

TYPED_TEST(Decompositions, NaNPropagatesAndNothingHangs) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const int m : {70, 1000}) {
      auto a = this->sample(m, 70);
      a(m / 2, 11) = T(static_cast<R>(bad));
      const auto va = this->array(a), u = this->array(m, 70), square = this->array(70, 70);
      const auto s = this->reals(70);
      const auto expect_nan = [](const auto& v) {
        for (const auto& e : test::contents(v)) ASSERT_NE(e, e);
      };
      quern::qr(u, square, va);
      expect_nan(u);
      expect_nan(square);
      quern::svd(u, s, square, va);
      expect_nan(u);
      expect_nan(s);
      expect_nan(square);
      quern::svdvals(s, va);
      expect_nan(s);
      if (m != 70) continue;
      quern::eigh(s, square, va);
      expect_nan(s);
      expect_nan(square);
    }
}

TYPED_TEST(Decompositions, NothingAndMisuse) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto array2 = [](std::int64_t m, std::int64_t n) {
    return Kokkos::View<T**, typename E::memory_space>("a", m, n);
  };
  const auto none = array2(0, 0);
  const auto info = Kokkos::View<int, typename E::memory_space>("info");
  quern::qr(none, none, none);
  quern::svd(none, this->reals(0), none, none);
  quern::eigh(this->reals(0), none, none, info);
  const auto basis = array2(3, 3);  // of a matrix without columns
  quern::svd(basis, this->reals(0), none, array2(3, 0));
  EXPECT_EQ((std::vector<T>{T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}), test::contents(basis));
  quern::svdvals(this->reals(2), array2(3, 2), info);
  test::expect_error("quern::qr: r has extents (3, 4), expected (4, 4)",
                     [&] { quern::qr(array2(5, 4), array2(3, 4), array2(5, 4)); });
  test::expect_error("quern::svd: vt has extents (4, 3), expected (3, 4)",
                     [&] { quern::svd(array2(3, 3), TestFixture::reals(3), array2(4, 3), array2(3, 4)); });
  test::expect_error("quern::eigvalsh: a has extents (5, 4), expected square matrices, (n, n) or (batch, n, n)",
                     [&] { quern::eigvalsh(TestFixture::reals(4), array2(5, 4)); });
  test::expect_error("quern::eigh: w has extents (3), expected (4)",
                     [&] { quern::eigh(TestFixture::reals(3), array2(4, 4), array2(4, 4)); });
  const auto a = array2(5, 4);
  test::expect_error("quern::qr: out and a share memory", [&] { quern::qr(a, array2(4, 4), a); });
}

}  // namespace
