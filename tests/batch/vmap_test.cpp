// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/batch/vmap.hpp>
#include <quern/linalg/inner.hpp>
#include <quern/linalg/matmul.hpp>
#include <quern/linalg/solve.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Vmap : testing::Test {
  using T = typename Case::value;
  using L = typename Case::layout;
  using E = typename Case::exec;

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, std::uint64_t seed) {
    std::int64_t size = 1;
    for (const auto e : extents) size *= e;
    return test::make_array<T, Rank, L, E>(extents, test::samples<T>(size, seed));
  }
};
using cases = test::covering<float, double, std::int32_t>;
TYPED_TEST_SUITE(Vmap, cases);

constexpr std::int64_t batch = 13, m = 5, n = 7;

template <class Y, class A, class X>
KOKKOS_FUNCTION void multiply_row(const Y& y, const A& a, const X& x, std::size_t i) {
  typename Y::value_type sum(0);
  for (std::size_t k = 0; k < a.extent(1); ++k) sum += a(i, k) * x(k);
  y(i) = sum;
}
/// y = A x, by a thread and by a team.
struct by_thread {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const A& a, const X& x) const {
    for (std::size_t i = 0; i < a.extent(0); ++i) multiply_row(y, a, x, i);
  }
};
struct by_team {
  template <class Team, class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Team& team, const Y& y, const A& a, const X& x) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, a.extent(0)), [&](std::size_t i) { multiply_row(y, a, x, i); });
  }
};

/// The products, from contents in the order (b, i, k), or (i, k) where all items share a.
template <class T>
std::vector<T> products(const std::vector<T>& a, const std::vector<T>& x) {
  const bool many = static_cast<std::int64_t>(a.size()) != m * n;
  std::vector<T> y(batch * m, T(0));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t k = 0; k < n; ++k) y[b * m + i] += a[(many ? b * m * n : 0) + i * n + k] * x[b * n + k];
  return y;
}

TYPED_TEST(Vmap, AppliesAFunctorToEveryItem) {
  using T = typename TestFixture::T;
  const auto a = this->template array<3>({batch, m, n}, 1);
  const auto x = this->template array<2>({batch, n}, 2), y = this->template array<2>({batch, m}, 3);
  const auto expected = products<T>(test::contents(a), test::contents(x));
  quern::vmap(typename TestFixture::E(), y, by_thread(), a, x);
  EXPECT_EQ(expected, test::contents(y));
  const auto by_teams = this->template array<2>({batch, m}, 3);
  quern::vmap(by_teams, by_team(), a, x);
  EXPECT_EQ(expected, test::contents(by_teams));
}

// Strided Views of the same numbers with their axes in other orders.
TYPED_TEST(Vmap, TakesItemsAlongAnyAxis) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto one = this->template array<2>({m, n}, 1), x = this->template array<2>({n, batch}, 2);
  const auto y = this->template array<2>({m, batch}, 3);
  std::vector<T> items(batch * n), results(batch * m);
  const auto in = test::contents(x);
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t k = 0; k < n; ++k) items[b * n + k] = in[k * batch + b];
  const auto expected = products<T>(test::contents(one), items);
  for (const bool team : {false, true}) {
    Kokkos::deep_copy(y, T(77));
    if (team)
      quern::vmap(E(), quern::batched(y, quern::axis{1}), by_team(), quern::unbatched(one),
                  quern::batched(x, quern::axis{-1}));
    else
      quern::vmap(E(), quern::batched(y, quern::axis{-1}), by_thread(), quern::unbatched(one),
                  quern::batched(x, quern::axis{1}));
    const auto out = test::contents(y);
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < m; ++i) results[b * m + i] = out[i * batch + b];
    EXPECT_EQ(expected, results) << team;
  }
}

/// The sum and the last element of a vector; adds 1 to each.
struct sum_and_last {
  template <class S, class X>
  KOKKOS_FUNCTION void operator()(const S& sum, const S& last, const X& changed, const X&) const {
    sum() = 0;
    for (std::size_t k = 0; k < changed.extent(0); ++k) sum() += changed(k);
    last() = changed(changed.extent(0) - 1);
    for (std::size_t k = 0; k < changed.extent(0); ++k) changed(k) += 1;
  }
  template <class S, class X, class Const>
  KOKKOS_FUNCTION void operator()(const S& sum, const S& last, const X& changed, const Const&) const {
    (*this)(sum, last, changed, changed);
  }
};

TYPED_TEST(Vmap, SeveralOutputsAndItemsInPlace) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto x = this->template array<2>({batch, n}, 2);
  const auto sum = this->template array<1>({batch}, 3), last = this->template array<1>({batch}, 4);
  const auto before = test::contents(x);
  quern::vmap(E(), quern::outputs(sum, last, x), sum_and_last(), x);
  const auto sums = test::contents(sum), lasts = test::contents(last), after = test::contents(x);
  for (std::int64_t b = 0; b < batch; ++b) {
    T expected(0);
    for (std::int64_t k = 0; k < n; ++k) expected += before[b * n + k];
    EXPECT_EQ(expected, sums[b]);
    EXPECT_EQ(before[b * n + n - 1], lasts[b]);
  }
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(before[i] + T(1), after[i]);
}

/// Functions for a thread in a functor.
struct inner_matvec {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const A& a, const X& x) const {
    quern::inner::matvec(y, a, x);
  }
};
struct inner_matmul {
  template <class C, class A, class B>
  KOKKOS_FUNCTION void operator()(const C& c, const A& a, const B& b) const {
    quern::inner::matmul(c, a, b);
  }
};
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

// Every batched form through vmap: what the results must be, and that nothing failed.
TYPED_TEST(Vmap, DecompositionsInsideAFunctor) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  if constexpr (quern::impl::is_matrix_value<T>) {
    constexpr int rows = 6, columns = 4;
    const double eps = static_cast<double>(Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>);
    const auto make = [&](int i, int j, const std::vector<T>& v) {
      return test::make_array<T, 3, typename TestFixture::L, E>({batch, i, j}, v);
    };
    const auto empty = [&](int i, int j) { return make(i, j, std::vector<T>(batch * i * j)); };
    const auto values =
        test::make_array<T, 2, typename TestFixture::L, E>({batch, columns}, std::vector<T>(batch * columns));
    const Kokkos::View<int*, typename E::memory_space> info("info", batch);
    const Kokkos::View<int**, typename E::memory_space> pivots("pivots", batch, columns);
    std::vector<T> all(batch * rows * columns), squares = test::matrices<T>(batch, columns, "any");
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = test::any<T>(i, 3);
    const auto tall = make(rows, columns, all), square = make(columns, columns, squares);
    const auto q = empty(rows, columns), r = empty(columns, columns), out = empty(columns, columns);

    quern::vmap(E(), quern::outputs(q, r), inner_qr(), tall);
    for (int item = 0; item < batch; ++item) {
      const auto qi = test::part(test::contents(q), item, rows, columns);
      const auto ri = test::part(test::contents(r), item, columns, columns);
      const auto ai = test::part(all, item, rows, columns);
      EXPECT_LE(test::loss_of_orthogonality(qi), 8 * rows * eps);
      EXPECT_LE(test::distance(test::product(qi, ri), ai), 8 * rows * eps * test::norm(ai));
    }

    quern::vmap(E(), quern::outputs(q, values, r, info), inner_svd(), tall);
    EXPECT_EQ(std::vector<int>(batch, 0), test::contents(info));
    for (int item = 0; item < batch; ++item) {
      auto ui = test::part(test::contents(q), item, rows, columns);
      const auto vi = test::part(test::contents(r), item, columns, columns);
      const auto ai = test::part(all, item, rows, columns);
      EXPECT_LE(test::loss_of_orthogonality(ui), 16 * rows * eps);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) ui(i, j) *= test::contents(values)[item * columns + j];
      EXPECT_LE(test::distance(test::product(ui, vi), ai), 32 * rows * eps * test::norm(ai));
    }

    quern::vmap(E(), quern::outputs(values, out, info), inner_eigh(), square);
    EXPECT_EQ(std::vector<int>(batch, 0), test::contents(info));
    quern::vmap(E(), quern::outputs(r, info), inner_inv(), square);
    EXPECT_EQ(std::vector<int>(batch, 0), test::contents(info));
    for (int item = 0; item < batch; ++item) {
      const auto ai = test::part(squares, item, columns, columns);
      const auto vi = test::part(test::contents(out), item, columns, columns);
      auto symmetric = ai, scaled = vi, one = ai;
      for (int i = 0; i < columns; ++i)
        for (int j = 0; j < columns; ++j) {
          if (j > i) symmetric(i, j) = ai(j, i);
          scaled(i, j) *= test::contents(values)[item * columns + j];
          one(i, j) = T(i == j ? 1 : 0);
        }
      EXPECT_LE(test::loss_of_orthogonality(vi), 16 * columns * eps);
      EXPECT_LE(test::distance(test::product(symmetric, vi), scaled), 32 * columns * eps * test::norm(ai));
      const auto xi = test::part(test::contents(r), item, columns, columns);
      EXPECT_LE(test::distance(test::product(ai, xi), one), 8 * columns * eps * test::norm(ai) * test::norm(xi));
    }

    std::vector<T> right(batch * columns);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = test::any<T>(i, 8);
    const auto b = test::make_array<T, 2, typename TestFixture::L, E>({batch, columns}, right);
    quern::vmap(E(), quern::outputs(square, pivots), inner_lu());
    quern::lu_solve(E(), b, square, pivots, b);
    for (int item = 0; item < batch; ++item) {
      const auto ai = test::part(squares, item, columns, columns);
      const auto xi = test::part(test::contents(b), item, columns, 1);
      EXPECT_LE(test::distance(test::product(ai, xi), test::part(right, item, columns, 1)),
                8 * columns * eps * test::norm(ai) * test::norm(xi));
    }
  }
}

TYPED_TEST(Vmap, ProductsInsideAFunctor) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  const auto a = this->template array<3>({batch, m, n}, 1), b = this->template array<3>({batch, n, m}, 4);
  const auto x = this->template array<2>({batch, n}, 2), y = this->template array<2>({batch, m}, 3);
  quern::vmap(E(), y, inner_matvec(), a, x);
  EXPECT_EQ(products<T>(test::contents(a), test::contents(x)), test::contents(y));
  const auto c = this->template array<3>({batch, m, m}, 5), expected = this->template array<3>({batch, m, m}, 5);
  quern::vmap(E(), c, inner_matmul(), a, b);
  quern::matmul(E(), expected, a, b);
  EXPECT_EQ(test::contents(expected), test::contents(c));
}

// The same algorithm as that of the batches, and the same reports.
TYPED_TEST(Vmap, FactorizationsInsideAFunctor) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  if constexpr (quern::impl::is_matrix_value<T>) {
    constexpr int size = 5;
    auto values = test::matrices<T>(batch, size, "any");
    for (int i = 0; i < size; ++i) values[3 * size * size + i * size + 2] = T(0);  // item 3 has no third column
    std::vector<T> right(batch * size * 2);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = test::any<T>(i, 8);
    const auto make3 = [&](std::int64_t columns, const std::vector<T>& v) {
      return test::make_array<T, 3, typename TestFixture::L, E>({batch, size, columns}, v);
    };
    const Kokkos::View<int*, typename E::memory_space> info("info", batch), expected_info("info", batch);
    const auto a = make3(size, values), x = make3(2, right), expected = make3(2, right);
    quern::solve(E(), expected, a, expected, expected_info);
    quern::vmap(E(), quern::outputs(x, a, info), inner_solve());
    EXPECT_EQ(test::contents(expected_info), test::contents(info));
    const auto found = test::contents(x);
    const double eps = static_cast<double>(Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>);
    for (int item = 0; item < batch; ++item) {
      if (item == 3) continue;
      const auto xi = test::part(found, item, size, 2);
      const auto ai = test::part(values, item, size, size);
      EXPECT_LE(test::distance(test::product(ai, xi), test::part(right, item, size, 2)),
                8 * size * eps * test::norm(ai) * test::norm(xi));
    }

    auto positive = values;
    for (int item = 0; item < batch; ++item) {
      const auto r = test::part(values, item, size, size);
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          T sum(i == j ? 1 : 0);
          for (int k = 0; k < size; ++k) sum += r(i, k) * quern::impl::conjugate(r(j, k));
          positive[(item * size + i) * size + j] = i == j ? T(quern::impl::real_value(sum)) : sum;
        }
    }
    positive[7 * size * size] = T(-1);
    const auto l = make3(size, positive), expected_l = make3(size, positive);
    quern::cholesky(E(), expected_l, expected_l, expected_info);
    quern::vmap(E(), quern::outputs(l, info), inner_cholesky());
    EXPECT_EQ(test::contents(expected_info), test::contents(info));
    for (int item = 0; item < batch; ++item) {
      if (item == 7) continue;
      const auto li = test::part(test::contents(l), item, size, size);
      EXPECT_LE(test::distance(test::product(li, test::adjoint(li)), test::part(positive, item, size, size)),
                8 * size * eps * test::norm(test::part(positive, item, size, size)));
    }
  }
}

TYPED_TEST(Vmap, NoItems) {
  const auto a = this->template array<3>({0, m, n}, 1);
  const auto x = this->template array<2>({0, n}, 2), y = this->template array<2>({0, m}, 3);
  quern::vmap(y, by_thread(), a, x);
  quern::vmap(y, by_team(), a, x);
}

struct nothing {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y&, const Y&, const X&) const {}
};

TYPED_TEST(Vmap, ReportsMisuse) {
  const auto a = this->template array<3>({batch, m, n}, 1), fewer = this->template array<3>({batch - 1, m, n}, 1);
  const auto x = this->template array<2>({batch, n}, 2), y = this->template array<2>({batch, m}, 3);
  test::expect_error("quern::vmap: in 1 has 12 items, expected 13", [&] { quern::vmap(y, by_thread(), fewer, x); });
  test::expect_error("quern::vmap: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::vmap(y, by_thread(), a, quern::batched(x, quern::axis{2})); });
  const auto part = Kokkos::subview(x, Kokkos::ALL, Kokkos::pair<int, int>(0, m));
  test::expect_error("quern::vmap: out and in 2 share memory and are not the same View",
                     [&] { quern::vmap(part, by_thread(), a, x); });
  test::expect_error("quern::vmap: out and out 1 share memory",
                     [&] { quern::vmap(quern::outputs(y, y), nothing(), x); });
}

}  // namespace
