// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_INNER_HPP
#define QUERN_LINALG_INNER_HPP

/// @file
/// Operations of a thread on small matrices of its own, inside a functor: of `vmap`, or of any Kokkos kernel. Arguments
/// are Views of any layout and one type; nothing is checked or launched. Where a function has a parameter N, the
/// largest extent that it will meet, it works in local memory of some 2 N^2 elements. The batches of the same names are
/// faster where a batch is all that there is.

#include <quern/core/values/values.hpp>
#include <quern/linalg/eigh.hpp>
#include <quern/linalg/qr.hpp>
#include <quern/linalg/solve.hpp>
#include <quern/linalg/svd.hpp>

namespace quern::impl {

/// A View as a batch of one matrix.
template <class T, class V>
KOKKOS_FUNCTION matrix_batch<T> one_matrix(const V& v) {
  matrix_batch<T> m{v.data(), static_cast<int>(v.extent(0)), 1, {0, static_cast<std::int64_t>(v.stride(0)), 0}};
  if constexpr (V::rank() == 2) {
    m.columns = static_cast<int>(v.extent(1));
    m.stride[2] = static_cast<std::int64_t>(v.stride(1));
  }
  return m;
}

/// Works on it alone, in local memory that is enough for N rows and columns. Gives its report, if it has one, or 0.
template <int N, template <class> class Op, class T>
KOKKOS_FUNCTION int run_alone(Op<T> op) {
  constexpr int distance = N + (N > 32 ? 15 : 1);  // the largest of any operation
  T scratch[N * distance + 3 * N + 4], more[N * distance];
  int info = 0;
  if constexpr (requires { op.info; }) op.info = {&info, 0};
  op(single_lane(), 0, scratch, more);
  return info;
}

}  // namespace quern::impl

namespace quern::inner {

/// `y = a x` with a of (m, n); y must not share memory with a or x.
template <class Y, class A, class X>
KOKKOS_FUNCTION void matvec(const Y& y, const A& a, const X& x) {
  using T = std::remove_cvref_t<decltype(y(0))>;
  const int m = static_cast<int>(a.extent(0)), n = static_cast<int>(a.extent(1));
  for (int i = 0; i < m; ++i) {
    T sum(0);
    for (int k = 0; k < n; ++k) impl::add_product(sum, a(i, k), x(k));
    y(i) = sum;
  }
}

/// `c = a b` with a of (m, k) and b of (k, n); c must not share memory with a or b.
template <class C, class A, class B>
KOKKOS_FUNCTION void matmul(const C& c, const A& a, const B& b) {
  using T = std::remove_cvref_t<decltype(c(0, 0))>;
  const int m = static_cast<int>(a.extent(0)), depth = static_cast<int>(a.extent(1)), n = static_cast<int>(b.extent(1));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum(0);
      for (int k = 0; k < depth; ++k) impl::add_product(sum, a(i, k), b(k, j));
      c(i, j) = sum;
    }
}

/// `x = a^-1 x` by Gaussian elimination with partial pivoting, as `quern::solve`, which is the faster for batches. x is
/// (n) or (n, m); a, (n, n), is destroyed. Gives 0, or the number from 1 of the row in which the pivot is exactly zero;
/// x is then of no use.
template <class A, class X>
KOKKOS_FUNCTION int solve(const A& a, const X& x) {
  using T = std::remove_cvref_t<decltype(a(0, 0))>;
  struct augmented {
    const A& left;
    const X& right;
    int n;
    KOKKOS_FUNCTION T& operator()(int i, int j) const {
      if (j < n) return left(i, j);
      if constexpr (X::rank() == 1) return right(i);
      else return right(i, j - n);
    }
  };
  const int n = static_cast<int>(a.extent(0));
  int width = n + 1;
  if constexpr (X::rank() == 2) width = n + static_cast<int>(x.extent(1));
  const augmented both{a, x, n};
  const int zero = impl::eliminate(impl::single_lane(), both, n, width, [](int, int) {});
  if (zero == 0) impl::substitute_back(impl::single_lane(), both, n, width);
  return zero;
}

/// `a = l l^H` with l in place of a, (n, n), of which the lower triangle is read, as `quern::cholesky`. Gives 0, or the
/// number from 1 of the row in which the pivot is not positive; a is then of no use.
template <class A>
KOKKOS_FUNCTION int cholesky(const A& a) {
  return impl::factor_positive(impl::single_lane(), a, static_cast<int>(a.extent(0)));
}

/// `P a = L U` in place of a, (n, n), with pivots, (n), as `quern::lu_factor`. Gives 0, or the number from 1 of the
/// first row in which the pivot is exactly zero.
template <class A, class Pivots>
KOKKOS_FUNCTION int lu_factor(const A& a, const Pivots& pivots) {
  const int n = static_cast<int>(a.extent(0));
  return impl::eliminate(impl::single_lane(), a, n, n, [&](int k, int p) { pivots(k) = p; });
}

/// `out = a^-1`, (n, n), as `quern::inv`. Gives 0, or the number from 1 of the row in which the pivot is exactly zero;
/// out is then NaN.
template <int N, class Out, class A>
KOKKOS_FUNCTION int inv(const Out& out, const A& a) {
  using T = typename Out::non_const_value_type;
  return impl::run_alone<N>(impl::inverse_op<T>{impl::one_matrix<T>(out), impl::one_matrix<const T>(a), {}});
}

/// `a = q r`, reduced or full, as `quern::qr`.
template <int N, class Q, class R, class A>
KOKKOS_FUNCTION void qr(const Q& q, const R& r, const A& a) {
  using T = typename Q::non_const_value_type;
  impl::run_alone<N>(impl::qr_op<T>{impl::one_matrix<T>(q), impl::one_matrix<T>(r), impl::one_matrix<const T>(a)});
}

/// `a v = v diag(w)` of a Hermitian a, (n, n), as `quern::eigh`. Gives 0, or 1 where it has not converged.
template <int N, class W, class V, class A>
KOKKOS_FUNCTION int eigh(const W& w, const V& v, const A& a) {
  using T = typename V::non_const_value_type;
  return impl::run_alone<N>(impl::eigh_op<T>{
      impl::one_matrix<impl::real_type<T>>(w), impl::one_matrix<T>(v), impl::one_matrix<const T>(a), {}});
}

/// `a = u diag(s) vt`, thin, as `quern::svd`. Gives 0, or 1 where it has not converged.
template <int N, class U, class S, class Vt, class A>
KOKKOS_FUNCTION int svd(const U& u, const S& s, const Vt& vt, const A& a) {
  using T = typename U::non_const_value_type;
  const impl::matrix_batch<const T> matrix = impl::one_matrix<const T>(a);
  return impl::run_alone<N>(impl::svd_op<T>{
      impl::one_matrix<impl::real_type<T>>(s), impl::one_matrix<T>(u), impl::one_matrix<T>(vt), matrix, {}});
}

}  // namespace quern::inner

#endif
