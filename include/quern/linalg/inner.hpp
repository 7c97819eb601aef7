// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_INNER_HPP
#define QUERN_LINALG_INNER_HPP

/// @file
/// What a thread does with small matrices of its own, inside a functor: of `vmap`, or of any Kokkos kernel. Arguments
/// are Views or anything that is called with indices and has extents; there is no check, no scratch memory and no
/// launch.

#include <quern/linalg/small_solve.hpp>

namespace quern::inner {

/// `y = a x` with a of (m, n); y must not share memory with a or x.
template <class Y, class A, class X>
KOKKOS_FUNCTION void matvec(const Y& y, const A& a, const X& x) {
  using T = std::remove_cvref_t<decltype(y(0))>;
  const int m = static_cast<int>(a.extent(0)), n = static_cast<int>(a.extent(1));
  for (int i = 0; i < m; ++i) {
    T sum(0);
    for (int k = 0; k < n; ++k) sum += a(i, k) * x(k);
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
      for (int k = 0; k < depth; ++k) sum += a(i, k) * b(k, j);
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

}  // namespace quern::inner

#endif
