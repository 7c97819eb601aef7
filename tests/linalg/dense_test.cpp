// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Systems of linear equations with one matrix.
#include <Kokkos_DynRankView.hpp>
#include <quern/linalg/solve.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

using namespace test;

template <class Case>
struct Dense : testing::Test {
  using T = typename Case::value;
  using R = quern::impl::real_type<T>;
  using L = typename Case::layout;
  using E = typename Case::exec;
  const double eps = static_cast<double>(Kokkos::Experimental::epsilon_v<R>);

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values) {
    return test::make_array<T, Rank, L, E>(extents, values);
  }
  static auto array(const matrix<T>& a) { return array<2>({a.rows, a.columns}, a.v); }
  static auto ints(std::int64_t n) { return Kokkos::View<int*, typename E::memory_space>("ints", n); }
  static auto one_int() { return Kokkos::View<int, typename E::memory_space>("info"); }
  template <class V>
  static matrix<T> contents(const V& v) {
    matrix<T> m(v.extent(0), v.extent(1));
    m.v = test::contents(v);
    return m;
  }
  static matrix<T> sample(int m, int n, int seed) {
    matrix<T> a(m, n);
    for (int i = 0; i < m * n; ++i) a.v[i] = any<T>(i, seed);
    return a;
  }
  static matrix<T> square(int n, const std::string& kind, int digits = 0) {
    return part(matrices<T>(1, n, kind, digits), 0, n, n);
  }
  static matrix<T> positive(int n) {
    const matrix<T> r = square(n, "any");
    matrix<T> a(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        T sum = i == j ? T(1) : T(0);
        for (int k = 0; k < n; ++k) sum += r(i, k) * quern::impl::conjugate(r(j, k));
        a(i, j) = i == j ? T(quern::impl::real_value(sum)) : sum;
      }
    return a;
  }

  /// |a x - b| <= c n eps |a| |x|, whatever the condition.
  void expect_solution(const matrix<T>& a, const matrix<T>& x, const matrix<T>& b) {
    EXPECT_LE(distance(product(a, x), b), 8 * a.rows * eps * norm(a) * norm(x)) << a.rows << ' ' << b.columns;
  }
};
using cases = test::covering<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Dense, cases);

TYPED_TEST(Dense, SolvesEverySizeAndCondition) {
  using E = typename TestFixture::E;
  const auto check = [&](int n, int columns, const std::string& kind, int digits) {
    const auto a = this->square(n, kind, digits), b = this->sample(n, columns, 99);
    const auto vb = this->array(b);
    quern::solve(E(), vb, this->array(a), vb);
    this->expect_solution(a, this->contents(vb), b);
  };
  for (const int n : {1, 2, 5, 33, 64, 65, 150})
    for (const int columns : {1, 3, 70}) check(n, columns, n > 1 ? "zero diagonal" : "any", 0);
  for (int digits = 0; digits <= 15; digits += 3) check(40, 2, "condition", digits);
}

// The rank of a DynRankView says at run time whether it is one matrix or a batch.
TYPED_TEST(Dense, ViewsOfARankThatTheirTypeDoesNotTell) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  using dynamic = Kokkos::DynRankView<T, Kokkos::LayoutRight, typename E::memory_space>;
  const test::with_gaps contiguous(test::gaps::none);
  const auto a = this->square(5, "any"), b = this->sample(5, 2, 9);
  const auto va = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 5}, a.v);
  const auto vb = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 2}, b.v);
  const dynamic one(va.data(), 5, 5), batch(va.data(), 1, 5, 5), right(vb.data(), 5, 2);
  const Kokkos::View<T**, Kokkos::LayoutRight, typename E::memory_space> x("x", 5, 2);
  quern::solve(E(), dynamic(x.data(), 5, 2), one, right);
  this->expect_solution(a, this->contents(x), b);
  Kokkos::deep_copy(x, T(0));
  quern::solve(E(), dynamic(x.data(), 1, 5, 2), batch, dynamic(vb.data(), 1, 5, 2));
  this->expect_solution(a, this->contents(x), b);
}

TYPED_TEST(Dense, FactorsAreUsedAgain) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  for (const int n : {1, 7, 90}) {
    const auto a = this->square(n, n > 1 ? "zero diagonal" : "any"), b = this->sample(n, 4, 3);
    const auto va = this->array(a), lu = this->array(a), vx = this->array(b);
    const auto pivots = this->ints(n);
    const auto info = this->one_int();
    quern::lu_factor(E(), lu, pivots, va, info);
    quern::lu_solve(vx, lu, pivots, this->array(b));
    this->expect_solution(a, this->contents(vx), b);
    EXPECT_EQ(0, quern::to_host(info)());
    const auto p = quern::to_host(pivots);
    auto moved = a;
    matrix<T> l(n, n), u(n, n);
    const auto f = this->contents(lu);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) (j < i ? l : u)(i, j) = f(i, j);
      l(i, i) = T(1);
      for (int j = 0; j < n; ++j) std::swap(moved(i, j), moved(p(i), j));
    }
    EXPECT_LE(distance(product(l, u), moved), 8 * n * this->eps * norm(l) * norm(u)) << n;
    quern::lu_factor(va, pivots, va);
    EXPECT_EQ(f.v, this->contents(va).v);  // in place
    const auto vector = this->template array<1>({n}, std::vector<T>(n, T(1)));
    quern::lu_solve(E(), vector, lu, pivots, vector);
    matrix<T> x(n, 1), ones(n, 1);
    x.v = test::contents(vector);
    std::fill(ones.v.begin(), ones.v.end(), T(1));
    this->expect_solution(a, x, ones);
  }
}

TYPED_TEST(Dense, InverseTimesMatrixIsOne) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  for (const int n : {1, 3, 100}) {
    const auto a = this->square(n, "condition", 2);
    const auto va = this->array(a), out = this->array(a);
    matrix<T> one(n, n);
    for (int i = 0; i < n; ++i) one(i, i) = T(1);
    const auto expect_inverse = [&](const matrix<T>& x) {
      EXPECT_LE(distance(product(a, x), one), 8 * n * this->eps * norm(a) * norm(x)) << n;
    };
    quern::inv(out, va);  // on another number of threads, whose bits differ
    expect_inverse(this->contents(out));
    quern::inv(E(), out, va);
    const auto x = this->contents(out);
    expect_inverse(x);
    quern::inv(E(), va, va);
    EXPECT_EQ(x.v, this->contents(va).v);
  }
}

TYPED_TEST(Dense, CholeskyOfTheLowerTriangle) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  for (const int n : {1, 2, 7, 120}) {
    const auto a = this->positive(n);
    auto lower = a;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) lower(i, j) = T(std::numeric_limits<double>::quiet_NaN());  // not read
    const auto va = this->array(lower);
    quern::cholesky(E(), va, va);
    const auto l = this->contents(va);
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) EXPECT_EQ(T(0), l(i, j));
    EXPECT_LE(distance(product(l, adjoint(l)), a), 8 * n * this->eps * norm(a)) << n;
  }
}

TYPED_TEST(Dense, TrianglesOfEveryKind) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const int n = 50;
  for (const auto which :
       {quern::triangle::lower, quern::triangle::upper, quern::triangle::unit_lower, quern::triangle::unit_upper}) {
    const bool upper = which == quern::triangle::upper || which == quern::triangle::unit_upper;
    const bool unit = which == quern::triangle::unit_lower || which == quern::triangle::unit_upper;
    auto all = this->square(n, "any");
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) all(i, j) = i == j ? all(i, j) + T(3) : all(i, j) / typename TestFixture::R(n);
    auto own = all;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (i == j ? unit : (j > i) != upper) own(i, j) = T(i == j ? 1 : 0);
    const auto b = this->sample(n, 3, 8);
    const auto vx = this->array(b);
    quern::triangular_solve(E(), vx, this->array(all), this->array(b), which);
    this->expect_solution(own, this->contents(vx), b);
    const auto vector = this->template array<1>({n}, std::vector<T>(n, T(1)));
    quern::triangular_solve(vector, this->array(all), vector, which);
    matrix<T> x(n, 1), ones(n, 1);
    x.v = test::contents(vector);
    std::fill(ones.v.begin(), ones.v.end(), T(1));
    this->expect_solution(own, x, ones);
  }
}

TYPED_TEST(Dense, Determinants) {
  using T = typename TestFixture::T;
  using R = typename TestFixture::R;
  using E = typename TestFixture::E;
  matrix<T> a(3, 3);
  const double values[] = {2, -1, 0, 4, 3, 5, -2, 7, 1};
  for (int i = 0; i < 9; ++i) a.v[i] = number<T>(values[i], 0);
  EXPECT_LE(Kokkos::abs(widened(quern::det(E(), this->array(a))) - wide(-50)), 200 * this->eps);
  const auto log = quern::slogdet(this->array(a));
  EXPECT_LE(Kokkos::abs(widened(log.sign) - wide(-1)), 4 * this->eps);
  EXPECT_NEAR(std::log(50.0), log.logabsdet, 8 * this->eps);
  // Of 400 rows of 1000 the determinant overflows, its logarithm does not.
  matrix<T> large(400, 400);
  for (int i = 0; i < 400; ++i) large(i, i) = T(R(1000));
  EXPECT_EQ(std::numeric_limits<R>::infinity(), Kokkos::abs(quern::det(this->array(large))));
  EXPECT_NEAR(400 * std::log(1000.0), quern::slogdet(E(), this->array(large)).logabsdet, 4 * 2763 * this->eps);
  for (int i = 0; i < 3; ++i) a(i, 1) = T(0);
  EXPECT_EQ(T(0), quern::det(this->array(a)));
  EXPECT_EQ(T(0), quern::slogdet(this->array(a)).sign);
  EXPECT_EQ(-std::numeric_limits<R>::infinity(), quern::slogdet(this->array(a)).logabsdet);
  EXPECT_EQ(T(1), quern::det(this->array(matrix<T>(0, 0))));
}

TYPED_TEST(Dense, MatricesWithoutAResult) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  auto singular = this->square(80, "any");
  for (int i = 0; i < 80; ++i) singular(i, 41) = T(0);
  const auto va = this->array(singular), out = this->array(singular), b = this->array(this->sample(80, 2, 5));
  const auto throws = [&](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const quern::SingularMatrixError& e) {
      EXPECT_EQ(41, e.position());
      EXPECT_NE(std::string::npos, std::string(e.what()).find("the matrix is singular: the pivot is zero in row 41"));
    }
  };
  throws([&] { quern::solve(b, va, b); });
  throws([&] { quern::inv(out, va); });
  throws([&] { quern::lu_factor(out, this->ints(80), va); });
  const auto info = this->one_int();
  quern::solve(E(), b, va, b, info);
  EXPECT_EQ(42, quern::to_host(info)());
  for (const T& x : test::contents(b)) EXPECT_NE(x, x);
  auto indefinite = this->positive(70);
  indefinite(30, 30) = T(-1);
  const auto vi = this->array(indefinite);
  try {
    quern::cholesky(vi, vi);
    ADD_FAILURE() << "no error";
  } catch (const quern::NotPositiveDefiniteError& e) {
    EXPECT_STREQ("quern::cholesky: the matrix is not positive definite: the pivot is not positive in row 30", e.what());
  }
}

TYPED_TEST(Dense, NaNPropagates) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  auto a = this->positive(70);
  a(50, 20) = T(std::numeric_limits<double>::quiet_NaN());
  const auto va = this->array(a), out = this->array(a), x = this->array(this->sample(70, 1, 2));
  const auto expect_nan = [](const auto& v) {
    for (const T& e : test::contents(v)) ASSERT_NE(e, e);
  };
  quern::solve(E(), x, va, x);
  expect_nan(x);
  quern::inv(out, va);
  expect_nan(out);
  quern::cholesky(out, va);
  expect_nan(out);
  quern::lu_factor(out, this->ints(70), va);
  expect_nan(out);
  EXPECT_NE(quern::det(va), quern::det(va));
}

TYPED_TEST(Dense, NothingAndMisuse) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto array2 = [](std::int64_t m, std::int64_t n) {
    return Kokkos::View<T**, typename E::memory_space>("a", m, n);
  };
  const auto none = array2(0, 0), a = array2(4, 4), oblong = array2(4, 5);
  quern::inv(none, none);
  quern::cholesky(none, none);
  quern::solve(none, none, none);
  quern::lu_solve(array2(4, 0), a, this->ints(4), array2(4, 0));
  quern::triangular_solve(none, none, none, quern::triangle::upper);
  test::expect_error("quern::inv: a has extents (4, 5), expected square matrices, (n, n) or (batch, n, n)",
                     [&] { quern::inv(oblong, oblong); });
  test::expect_error("quern::det: a has extents (4, 5), expected a square matrix, (n, n)",
                     [&] { quern::det(E(), oblong); });
  test::expect_error("quern::solve: b has extents (0, 0), which do not fit a with extents (4, 4)",
                     [&] { quern::solve(none, a, none); });
  test::expect_error("quern::lu_solve: pivots has extents (3), expected (4)",
                     [&] { quern::lu_solve(E(), array2(4, 1), a, TestFixture::ints(3), array2(4, 1)); });
  test::expect_error("quern::inv: info has extents (2), expected those of one number, ()",
                     [&] { quern::inv(a, a, TestFixture::ints(2)); });
  test::expect_error("quern::triangular_solve: out and a share memory",
                     [&] { quern::triangular_solve(a, a, array2(4, 4), quern::triangle::lower); });
}

}  // namespace
