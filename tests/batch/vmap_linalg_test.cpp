// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Linear algebra for a thread, inside a functor of vmap: what defines each result, in long double.

#include <quern/batch/vmap.hpp>
#include <quern/linalg/inner.hpp>
#include <quern/linalg/solve.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

/// Functions for a thread in a functor.
struct inner_solve {
  template <class X, class A, class Info>
  KOKKOS_FUNCTION void operator()(const X& x, const A& a, const Info& info) const {
    info() = quern::inner::solve(a, x);
  }
};
struct inner_cholesky {
  template <class A, class Info>
  KOKKOS_FUNCTION void operator()(const A& a, const Info& info) const {
    info() = quern::inner::cholesky(a);
  }
};
struct inner_lu {
  template <class A, class Pivots>
  KOKKOS_FUNCTION void operator()(const A& a, const Pivots& pivots) const {
    quern::inner::lu_factor(a, pivots);
  }
};
struct inner_inv {
  template <class Out, class Info, class A>
  KOKKOS_FUNCTION void operator()(const Out& out, const Info& info, const A& a) const {
    info() = quern::inner::inv<6>(out, a);
  }
};
struct inner_qr {
  template <class Q, class R, class A>
  KOKKOS_FUNCTION void operator()(const Q& q, const R& r, const A& a) const {
    quern::inner::qr<6>(q, r, a);
  }
};
struct inner_eigh {
  template <class W, class V, class Info, class A>
  KOKKOS_FUNCTION void operator()(const W& w, const V& v, const Info& info, const A& a) const {
    info() = quern::inner::eigh<6>(w, v, a);
  }
};
struct inner_svd {
  template <class U, class S, class Vt, class Info, class A>
  KOKKOS_FUNCTION void operator()(const U& u, const S& s, const Vt& vt, const Info& info, const A& a) const {
    info() = quern::inner::svd<6>(u, s, vt, a);
  }
};

constexpr int batch = 13;

template <class Case>
struct VmapLinalg : testing::Test {
  using T = typename Case::value;
  using L = typename Case::layout;
  using E = typename Case::exec;
  using flags = Kokkos::View<int*, typename E::memory_space>;
  static inline const double eps = test::eps<quern::impl::real_type<T>>();

  /// Numbers with all their digits, of other ones for each seed.
  static std::vector<T> any(int size, std::uint64_t seed) {
    std::vector<T> v(batch * size);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = test::any<T>(i, seed);
    return v;
  }
  static auto vectors(int size) { return test::make_array<T, 2, L, E>({batch, size}, std::vector<T>(batch * size)); }
  static auto matrices(int m, int n, const std::vector<T>& v) { return test::make_array<T, 3, L, E>({batch, m, n}, v); }
  static auto matrices(int m, int n) { return matrices(m, n, std::vector<T>(batch * m * n)); }
  static void expect_success(const flags& info) { EXPECT_EQ(std::vector<int>(batch, 0), test::contents(info)); }
  /// The columns of a, each times its number.
  static auto scaled(test::matrix<T> a, const std::vector<T>& numbers, int item) {
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.columns; ++j) a(i, j) *= numbers[item * a.columns + j];
    return a;
  }
  static void expect_solution(const test::matrix<T>& a, const test::matrix<T>& x, const test::matrix<T>& b) {
    EXPECT_LE(test::distance(test::product(a, x), b), 8 * a.rows * eps * test::norm(a) * test::norm(x));
  }
};
using cases = test::covering<float, double>;
TYPED_TEST_SUITE(VmapLinalg, cases);

constexpr int rows = 6, columns = 4, size = 5;

TYPED_TEST(VmapLinalg, Qr) {
  const auto all = this->any(rows * columns, 3);
  const auto q = this->matrices(rows, columns), r = this->matrices(columns, columns);
  quern::vmap(typename TestFixture::E(), quern::outputs(q, r), inner_qr(), this->matrices(rows, columns, all));
  for (int item = 0; item < batch; ++item) {
    const auto a = test::part(all, item, rows, columns), qi = test::part(test::contents(q), item, rows, columns);
    EXPECT_LE(test::loss_of_orthogonality(qi), 8 * rows * this->eps);
    EXPECT_LE(test::distance(test::product(qi, test::part(test::contents(r), item, columns, columns)), a),
              8 * rows * this->eps * test::norm(a));
  }
}

TYPED_TEST(VmapLinalg, Svd) {
  const auto all = this->any(rows * columns, 3);
  const auto u = this->matrices(rows, columns), vt = this->matrices(columns, columns);
  const auto values = this->vectors(columns);
  const typename TestFixture::flags info("info", batch);
  quern::vmap(typename TestFixture::E(), quern::outputs(u, values, vt, info), inner_svd(),
              this->matrices(rows, columns, all));
  this->expect_success(info);
  for (int item = 0; item < batch; ++item) {
    const auto a = test::part(all, item, rows, columns), ui = test::part(test::contents(u), item, rows, columns);
    EXPECT_LE(test::loss_of_orthogonality(ui), 16 * rows * this->eps);
    EXPECT_LE(test::distance(test::product(this->scaled(ui, test::contents(values), item),
                                           test::part(test::contents(vt), item, columns, columns)),
                             a),
              32 * rows * this->eps * test::norm(a));
  }
}

// The lower triangle alone is read.
TYPED_TEST(VmapLinalg, Eigh) {
  using T = typename TestFixture::T;
  const auto all = test::matrices<T>(batch, columns, "any");
  const auto values = this->vectors(columns);
  const auto vectors = this->matrices(columns, columns);
  const typename TestFixture::flags info("info", batch);
  quern::vmap(typename TestFixture::E(), quern::outputs(values, vectors, info), inner_eigh(),
              this->matrices(columns, columns, all));
  this->expect_success(info);
  for (int item = 0; item < batch; ++item) {
    auto a = test::part(all, item, columns, columns);
    const auto v = test::part(test::contents(vectors), item, columns, columns);
    const double norm = test::norm(a);
    for (int i = 0; i < columns; ++i)
      for (int j = i + 1; j < columns; ++j) a(i, j) = a(j, i);
    EXPECT_LE(test::loss_of_orthogonality(v), 16 * columns * this->eps);
    EXPECT_LE(test::distance(test::product(a, v), this->scaled(v, test::contents(values), item)),
              32 * columns * this->eps * norm);
  }
}

TYPED_TEST(VmapLinalg, Inv) {
  using T = typename TestFixture::T;
  const auto all = test::matrices<T>(batch, columns, "any");
  const auto inverse = this->matrices(columns, columns);
  const typename TestFixture::flags info("info", batch);
  quern::vmap(typename TestFixture::E(), quern::outputs(inverse, info), inner_inv(),
              this->matrices(columns, columns, all));
  this->expect_success(info);
  test::matrix<T> one(columns, columns);
  for (int i = 0; i < columns; ++i) one(i, i) = T(1);
  for (int item = 0; item < batch; ++item)
    this->expect_solution(test::part(all, item, columns, columns),
                          test::part(test::contents(inverse), item, columns, columns), one);
}

TYPED_TEST(VmapLinalg, FactorsForLuSolve) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto all = test::matrices<T>(batch, columns, "any"), right = this->any(columns, 8);
  const auto a = this->matrices(columns, columns, all);
  const auto x = test::make_array<T, 2, typename TestFixture::L, E>({batch, columns}, right);
  const Kokkos::View<int**, typename E::memory_space> pivots("pivots", batch, columns);
  quern::vmap(E(), quern::outputs(a, pivots), inner_lu());
  quern::lu_solve(E(), x, a, pivots, x);
  for (int item = 0; item < batch; ++item)
    this->expect_solution(test::part(all, item, columns, columns), test::part(test::contents(x), item, columns, 1),
                          test::part(right, item, columns, 1));
}

// With the same reports as quern::solve: item 3 has no third column.
TYPED_TEST(VmapLinalg, Solve) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  auto all = test::matrices<T>(batch, size, "any");
  for (int i = 0; i < size; ++i) all[3 * size * size + i * size + 2] = T(0);
  const auto right = this->any(size * 2, 8);
  const auto a = this->matrices(size, size, all), x = this->matrices(size, 2, right);
  const typename TestFixture::flags info("info", batch), expected("expected", batch);
  quern::solve(E(), this->matrices(size, 2), a, x, expected);
  quern::vmap(E(), quern::outputs(x, a, info), inner_solve());
  EXPECT_EQ(test::contents(expected), test::contents(info));
  for (int item = 0; item < batch; ++item) {
    if (item == 3) continue;
    this->expect_solution(test::part(all, item, size, size), test::part(test::contents(x), item, size, 2),
                          test::part(right, item, size, 2));
  }
}

// With the same reports as quern::cholesky: item 7 is not positive definite.
TYPED_TEST(VmapLinalg, Cholesky) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  auto positive = test::matrices<T>(batch, size, "any");
  for (int item = 0; item < batch; ++item) {
    const auto r = test::part(positive, item, size, size);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        T sum(i == j ? 1 : 0);
        for (int k = 0; k < size; ++k) sum += r(i, k) * r(j, k);
        positive[(item * size + i) * size + j] = sum;
      }
  }
  positive[7 * size * size] = T(-1);
  const auto l = this->matrices(size, size, positive);
  const typename TestFixture::flags info("info", batch), expected("expected", batch);
  quern::cholesky(E(), this->matrices(size, size), l, expected);
  quern::vmap(E(), quern::outputs(l, info), inner_cholesky());
  EXPECT_EQ(test::contents(expected), test::contents(info));
  for (int item = 0; item < batch; ++item) {
    if (item == 7) continue;
    const auto a = test::part(positive, item, size, size), li = test::part(test::contents(l), item, size, size);
    EXPECT_LE(test::distance(test::product(li, test::adjoint(li)), a), 8 * size * this->eps * test::norm(a));
  }
}

}  // namespace
