// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_JACOBI_HPP
#define QUERN_LINALG_JACOBI_HPP

/// @file
/// Helpers of Jacobi's methods for eigenvalues and singular values. A round rotates pairs of columns that have none in
/// common, so that the lanes may do all of them at once; the rounds of a round-robin tournament meet every pair (Golub
/// and Van Loan, Matrix Computations, section 8.5).

#include <quern/core/values/values.hpp>

namespace quern::impl {

/// Sweeps over all pairs after which no convergence is to be expected: ten are many.
inline constexpr int jacobi_sweeps = 30;

/// Pairs of a round; there are twice as many rounds less one.
KOKKOS_INLINE_FUNCTION int jacobi_pairs(int n) { return (n + 1) / 2; }

/// Pair `k` of a round, p < q. For odd n, q may be n: then there is none.
KOKKOS_INLINE_FUNCTION void jacobi_pair(int n, int round, int k, int& p, int& q) {
  const int others = 2 * jacobi_pairs(n) - 1;
  const int ahead = round + k, behind = round - k;  // among the others, without a division
  const int first = k == 0 ? others : ahead - (ahead >= others ? others : 0),
            second = behind + (behind < 0 ? others : 0);
  p = Kokkos::min(first, second);
  q = Kokkos::max(first, second);
}

/// A rotation of two columns or rows, after q was turned by a phase.
template <class T>
struct jacobi_rotation {
  using R = real_type<T>;
  R cosine, sine;
  T phase;

  /// That which makes the Hermitian matrix (pp, pq; conj(pq), qq) diagonal.
  static KOKKOS_FUNCTION jacobi_rotation diagonalizing(R pp, R qq, const T& pq) {
    const R size = Kokkos::abs(pq);
    if (size == 0) return {R(1), R(0), T(1)};
    const R tau = (qq - pp) / (2 * size), far = Kokkos::abs(tau);
    constexpr R large = 1 / Kokkos::Experimental::epsilon_v<R>;  // its square may overflow, and 1 does not count
    const R tangent = (tau < 0 ? R(-1) : R(1)) / (far + (far > large ? far : Kokkos::sqrt(1 + far * far)));
    const R cosine = 1 / Kokkos::sqrt(1 + tangent * tangent);
    if constexpr (is_complex<T>) return {cosine, tangent * cosine, conjugate(pq) / size};
    else return {cosine, tangent * cosine, pq < 0 ? T(-1) : T(1)};
  }
  KOKKOS_FUNCTION void columns(T& xp, T& xq) const { rotate(xp, xq, phase); }
  KOKKOS_FUNCTION void rows(T& xp, T& xq) const { rotate(xp, xq, conjugate(phase)); }

 private:
  KOKKOS_FUNCTION void rotate(T& xp, T& xq, const T& turn) const {
    const T p = xp, q = turn * xq;
    xp = cosine * p - sine * q;
    xq = sine * p + cosine * q;
  }
};

}  // namespace quern::impl

#endif
