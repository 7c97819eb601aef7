// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/linalg/solve.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

using namespace test;

template <class Case>
struct Solve : testing::Test {
  using T = typename Case::value;
  using L = typename Case::layout;
  using E = typename Case::exec;
  const double eps = static_cast<double>(Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>);

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values) {
    return test::make_array<T, Rank, L, E>(extents, values);
  }
  static auto ints(std::int64_t items) { return Kokkos::View<int*, typename E::memory_space>("info", items); }

  /// The backward error |a x - b| <= c n eps |a| |x|, whatever the condition.
  void check(const std::string& kind, int items, int n, int columns, int digits = 0) {
    const auto a = matrices<T>(items, n, kind, digits);
    std::vector<T> b(std::size_t(items) * n * columns);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = any<T>(i, 99);
    const auto va = array<3>({items, n, n}, a);
    const auto vb = array<3>({items, n, columns}, b), vx = array<3>({items, n, columns}, b);
    quern::solve(E(), vx, va, vb);
    const auto x = test::contents(vx);
    for (int item = 0; item < items; ++item) {
      const auto ai = part(a, item, n, n), xi = part(x, item, n, columns);
      EXPECT_LE(distance(product(ai, xi), part(b, item, n, columns)), 8 * n * eps * norm(ai) * norm(xi))
          << kind << ' ' << n << ' ' << columns << ' ' << digits << ' ' << item;
    }
  }
};
using cases = test::covering<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Solve, cases);

TYPED_TEST(Solve, EverySize) {
  for (const int n : {1, 2, 3, 5, 8, 9, 12, 13, 16, 17, 25, 31, 32, 33, 64}) {
    this->check("any", 7, n, 1);
    this->check("any", 1, n, 3);
    if (n > 1) this->check("zero diagonal", 5, n, 2);
  }
  this->check("any", 1000, 4, 1);
}

TYPED_TEST(Solve, EveryCondition) {
  for (int digits = 0; digits <= 15; digits += 3) this->check("condition", 5, 12, 2, digits);
}

TYPED_TEST(Solve, VectorsInPlace) {
  using T = typename TestFixture::T;
  const auto a = matrices<T>(6, 5, "any");
  std::vector<T> b(30);
  for (int i = 0; i < 30; ++i) b[i] = any<T>(i, 4);
  const auto va = this->template array<3>({6, 5, 5}, a);
  const auto vb = this->template array<2>({6, 5}, b);
  const auto vx = this->template array<3>({6, 5, 1}, b);
  quern::solve(vx, va, this->template array<3>({6, 5, 1}, b));
  quern::solve(vb, va, vb);
  EXPECT_EQ(test::contents(vx), test::contents(vb));
}

TYPED_TEST(Solve, LuGivesTheMatrixBack) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  for (const int n : {1, 2, 7, 32, 64}) {
    const auto all = matrices<T>(4, n, n > 1 ? "zero diagonal" : "any");
    const auto va = this->template array<3>({4, n, n}, all);
    const Kokkos::View<int**, typename E::memory_space> pivots("pivots", 4, n);
    const auto info = this->ints(4);
    quern::lu_factor(E(), va, pivots, va, info);
    const auto lu = test::contents(va);
    const auto p = quern::to_host(pivots);
    for (int item = 0; item < 4; ++item) {
      auto a = part(all, item, n, n);
      const auto f = part(lu, item, n, n);
      matrix<T> l(n, n), u(n, n);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) (j < i ? l : u)(i, j) = f(i, j);
        l(i, i) = T(1);
        for (int j = 0; j < i; ++j) EXPECT_LE(Kokkos::abs(widened(f(i, j))), std::is_floating_point_v<T> ? 1 : 1.4143);
        for (int j = 0; j < n; ++j) std::swap(a(i, j), a(p(item, i), j));
      }
      EXPECT_LE(distance(product(l, u), a), 8 * n * this->eps * norm(l) * norm(u)) << n;
    }
    for (const int i : test::contents(info)) EXPECT_EQ(0, i);
    for (const int columns : {1, 3}) {
      std::vector<T> b(4 * n * columns);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = any<T>(i, 99);
      const auto vb = this->template array<3>({4, n, columns}, b);
      quern::lu_solve(E(), vb, va, pivots, vb);
      const auto x = test::contents(vb);
      for (int item = 0; item < 4; ++item) {
        const auto a = part(all, item, n, n), xi = part(x, item, n, columns);
        EXPECT_LE(distance(product(a, xi), part(b, item, n, columns)), 8 * n * this->eps * norm(a) * norm(xi)) << n;
      }
    }
    const auto vector = this->template array<2>({4, n}, std::vector<T>(4 * n, T(1)));
    quern::lu_solve(vector, va, pivots, vector);
    const auto x = test::contents(vector);
    for (int item = 0; item < 4; ++item) {
      const auto a = part(all, item, n, n), xi = part(x, item, n, 1);
      matrix<T> ones(n, 1);
      std::fill(ones.v.begin(), ones.v.end(), T(1));
      EXPECT_LE(distance(product(a, xi), ones), 8 * n * this->eps * norm(a) * norm(xi)) << n;
    }
  }
}

TYPED_TEST(Solve, InverseTimesMatrixIsOne) {
  using T = typename TestFixture::T;
  for (const int n : {1, 3, 8, 32, 64}) {
    const auto all = matrices<T>(3, n, "condition", 2);
    const auto va = this->template array<3>({3, n, n}, all);
    quern::inv(va, va);
    const auto inverse = test::contents(va);
    matrix<T> one(n, n);
    for (int i = 0; i < n; ++i) one(i, i) = T(1);
    for (int item = 0; item < 3; ++item) {
      const auto a = part(all, item, n, n), x = part(inverse, item, n, n);
      EXPECT_LE(distance(product(a, x), one), 8 * n * this->eps * norm(a) * norm(x)) << n;
    }
  }
}

TYPED_TEST(Solve, CholeskyOfTheLowerTriangle) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  for (const int n : {1, 2, 7, 32, 64}) {
    const auto roots = matrices<T>(4, n, "any");
    std::vector<T> lower, full;
    for (int item = 0; item < 4; ++item) {
      const auto r = part(roots, item, n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          T sum = i == j ? T(1) : T(0);
          for (int k = 0; k < n; ++k) sum += r(i, k) * quern::impl::conjugate(r(j, k));
          if (i == j) sum = T(quern::impl::real_value(sum));
          full.push_back(sum);
          lower.push_back(j <= i ? sum : T(77));
        }
    }
    const auto va = this->template array<3>({4, n, n}, lower), vl = this->template array<3>({4, n, n}, lower);
    quern::cholesky(E(), vl, va);
    const auto factors = test::contents(vl);
    for (int item = 0; item < 4; ++item) {
      const auto l = part(factors, item, n, n), a = part(full, item, n, n);
      matrix<T> adjoint(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          adjoint(i, j) = quern::impl::conjugate(l(j, i));
          EXPECT_TRUE(j <= i || l(i, j) == T(0));
        }
      EXPECT_LE(distance(product(l, adjoint), a), 8 * n * this->eps * norm(a)) << n;
    }
  }
}

// One bad item of five: the others are what they are alone, and the bad one is reported or thrown.
TYPED_TEST(Solve, SingularItemsAloneFail) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  constexpr int n = 6;
  auto all = matrices<T>(5, n, "any");
  const auto va = this->template array<3>({5, n, n}, all);
  for (int i = 0; i < n; ++i) all[3 * n * n + i * n + 2] = T(0);  // item 3 has no third column
  const auto bad = this->template array<3>({5, n, n}, all);
  std::vector<T> b(5 * n, T(1));
  const auto vb = this->template array<2>({5, n}, b), x = this->template array<2>({5, n}, b);
  const auto y = this->template array<2>({5, n}, b);
  const auto info = this->ints(5);
  quern::solve(x, va, vb);
  quern::solve(y, bad, vb, info);
  EXPECT_EQ((std::vector<int>{0, 0, 0, 3, 0}), test::contents(info));
  const auto expected = test::contents(x), found = test::contents(y);
  for (int i = 0; i < 5 * n; ++i) {
    if (i / n == 3) EXPECT_NE(found[i], found[i]);
    else EXPECT_EQ(expected[i], found[i]);
  }
  const auto throws = [&](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const quern::SingularMatrixError& e) {
      EXPECT_EQ(3, e.item());
      EXPECT_EQ(2, e.position());
      EXPECT_NE(std::string::npos, std::string(e.what()).find("item 3 is singular: the pivot is zero in row 2"));
    }
  };
  const auto out = this->template array<3>({5, n, n}, all);
  const Kokkos::View<int**, typename E::memory_space> pivots("pivots", 5, n);
  throws([&] { quern::solve(E(), y, bad, vb); });
  throws([&] { quern::inv(E(), out, bad); });
  throws([&] { quern::lu_factor(out, pivots, bad); });

  // Item 1 of ones and zeros has eigenvalues of both signs.
  std::vector<T> symmetric(2 * 4, T(0));
  symmetric[0] = symmetric[3] = symmetric[4] = T(2);
  symmetric[7] = T(-1);
  const auto two = this->template array<3>({2, 2, 2}, symmetric);
  const auto state = this->ints(2);
  quern::cholesky(two, two, state);
  EXPECT_EQ((std::vector<int>{0, 2}), test::contents(state));
  const auto again = this->template array<3>({2, 2, 2}, symmetric);
  try {
    quern::cholesky(E(), again, again);
    ADD_FAILURE() << "no error";
  } catch (const quern::NotPositiveDefiniteError& e) {
    EXPECT_STREQ("quern::cholesky: item 1 is not positive definite: the pivot is not positive in row 1", e.what());
  }
}

TYPED_TEST(Solve, NaNPropagates) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const T nan(std::numeric_limits<quern::impl::real_type<T>>::quiet_NaN());
  auto all = matrices<T>(2, 4, "any");
  all[5] = nan;
  const auto va = this->template array<3>({2, 4, 4}, all), out = this->template array<3>({2, 4, 4}, all);
  quern::inv(E(), out, va);
  const auto v = test::contents(out);
  EXPECT_NE(v[0], v[0]);
  EXPECT_EQ(v[16], v[16]);
  const std::vector<T> nothing(16, nan);
  const auto none = this->template array<3>({1, 4, 4}, nothing);
  const auto info = this->ints(1);
  quern::inv(E(), none, none, info);
  quern::cholesky(E(), none, none, info);
  for (int i = 0; i < 4; ++i) EXPECT_NE(test::contents(none)[5 * i], test::contents(none)[5 * i]);
}

TYPED_TEST(Solve, NoItemsAndMisuse) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto array3 = [](std::int64_t b, std::int64_t m, std::int64_t n) {
    return Kokkos::View<T***, typename E::memory_space>("a", b, m, n);
  };
  const auto none = array3(0, 4, 4), a = array3(3, 4, 4), oblong = array3(3, 4, 5), large = array3(1, 65, 65);
  quern::inv(E(), none, none);
  quern::solve(E(), none, none, none);
  quern::inv(E(), array3(3, 0, 0), array3(3, 0, 0));
  test::expect_error("quern::inv: a has extents (3, 4, 5), expected square matrices, (n, n) or (batch, n, n)",
                     [&] { quern::inv(E(), oblong, oblong); });
  test::expect_error("quern::cholesky: a has extents (1, 65, 65), expected matrices of at most 64 rows and columns",
                     [&] { quern::cholesky(E(), large, large); });
  test::expect_error("quern::solve: b has extents (0, 4, 4), which do not fit a with extents (3, 4, 4)",
                     [&] { quern::solve(E(), none, a, none); });
  test::expect_error("quern::solve: out and a share memory", [&] { quern::solve(E(), a, a, array3(3, 4, 4)); });
  test::expect_error("quern::inv: info has extents (2), expected (3)",
                     [&] { quern::inv(E(), a, a, TestFixture::ints(2)); });
}

}  // namespace
