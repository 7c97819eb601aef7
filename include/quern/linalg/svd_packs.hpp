// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SVD_PACKS_HPP
#define QUERN_LINALG_SVD_PACKS_HPP

#include <quern/core/launch/index_range.hpp>
#include <quern/linalg/jacobi_packs.hpp>
#include <quern/linalg/matrix_checks.hpp>
#include <quern/linalg/small_kernels.hpp>

namespace quern::impl {

/// The one-sided Jacobi method on hosts for many matrices of real numbers side by side, one in each lane of vectors.
/// The operations on a matrix are those of `Op`, `svd_op`, in the same order: one that has converged is turned by no
/// angle until the others of its pack have. Compilers may fuse others of them, so that results of few matrices and of
/// many differ by rounding.
template <class T, class Op>
struct svd_packs {
  using packs = jacobi_packs<T>;
  using values = typename packs::values;
  static constexpr int lanes = packs::lanes;
  /// Larger matrices do not stay in the cache of a core together.
  static constexpr int max_columns = 32, max_elements = 1024;

  Op op;
  std::int64_t items;

  struct pack {
    alignas(64) values work[max_elements];                // a column after the other
    alignas(64) values basis[max_columns * max_columns];  // a vector in each row
    typename packs::rotations turn;
    alignas(64) typename packs::flag turning[lanes];
    alignas(64) values pp, qq, pq, least;
    T scale[lanes];
    bool finite[lanes], active[lanes], turned[lanes];
    int sweeps[lanes];
  };

  values& at(pack& p, int i, int j) const { return p.work[j * op.rows() + i]; }
  values& vector(pack& p, int j, int i) const { return p.basis[j * op.columns() + i]; }

  void operator()(std::int64_t number) const {
    const std::int64_t first = number * lanes;
    const int count = static_cast<int>(Kokkos::min<std::int64_t>(lanes, items - first));
    pack p;
    for (int l = 0; l < lanes; ++l) load(p, l, first + Kokkos::min(l, count - 1));
    while (sweep(p)) {
    }
    for (int l = 0; l < count; ++l) store(p, l, first + l);
  }

 private:
  /// A matrix, or the transposed of a wide one, scaled, and the identity; zeros where it is not finite.
  void load(pack& p, int l, std::int64_t item) const {
    const auto element = [&](int i, int j) { return op.wide() ? op.a(item, j, i) : op.a(item, i, j); };
    T largest = 0;
    for (int i = 0; i < op.rows(); ++i)
      for (int j = 0; j < op.columns(); ++j) largest = Kokkos::max(largest, largest_part(element(i, j)));
    p.finite[l] = !(largest > Kokkos::Experimental::finite_max_v<T>);
    p.scale[l] = matrix_scale(largest);
    const T factor = p.scale[l] == 1 ? T(1) : 1 / p.scale[l];
    for (int j = 0; j < op.columns(); ++j) {
      for (int i = 0; i < op.rows(); ++i) at(p, i, j)[l] = p.finite[l] ? factor * element(i, j) : T(0);
      for (int i = 0; i < op.columns(); ++i) vector(p, j, i)[l] = T(i == j ? 1 : 0);
    }
    p.least[l] = least_square<T>;
    p.active[l] = true;
    p.sweeps[l] = 0;
  }

  /// Turns all pairs of columns of the matrices that have not converged; whether some of them have another sweep.
  bool sweep(pack& x) const {
    const int n = op.columns(), pairs = jacobi_pairs(n);
    for (int l = 0; l < lanes; ++l) x.turned[l] = false;
    for (int round = 0; round < 2 * pairs - 1; ++round)
      for (int k = 0; k < pairs; ++k) {
        int p, q;
        jacobi_pair(n, round, k, p, q);
        if (q < n) turn(x, p, q);
      }
    bool any = false;
    for (int l = 0; l < lanes; ++l) {
      x.active[l] = x.active[l] && x.turned[l];
      if (!x.active[l]) continue;
      if (x.sweeps[l] == op.patient_sweeps) x.least[l] = rounding_errors(x, l);
      x.active[l] = ++x.sweeps[l] < jacobi_sweeps;
      any = any || x.active[l];
    }
    return any;
  }
  void turn(pack& x, int p, int q) const {
    products(x, p, q);
    if (!choose_turning(x)) return;
    packs::diagonalize(x.pp, x.qq, x.pq, x.turning, x.turn);
    for (int i = 0; i < op.rows(); ++i) packs::rotate(at(x, i, p), at(x, i, q), x.turn);
    if (!op.vectors()) return;
    for (int i = 0; i < op.columns(); ++i) packs::rotate(vector(x, p, i), vector(x, q, i), x.turn);
  }
  /// The scalar products of two columns.
  void products(pack& x, int p, int q) const {
    alignas(64) values pp{}, qq{}, pq{};
    for (int i = 0; i < op.rows(); ++i) {
      const values &a = at(x, i, p), &b = at(x, i, q);
      QUERN_IMPL_IVDEP
      for (int l = 0; l < lanes; ++l) {
        pp[l] += a[l] * a[l];
        qq[l] += b[l] * b[l];
        pq[l] += a[l] * b[l];
      }
    }
    for (int l = 0; l < lanes; ++l) {
      x.pp[l] = pp[l];
      x.qq[l] = qq[l];
      x.pq[l] = pq[l];
    }
  }
  /// Which matrices turn a pair of columns with these products, and whether there are any.
  bool choose_turning(pack& x) const {
    const T bound = Kokkos::Experimental::epsilon_v<T> * Kokkos::sqrt(static_cast<T>(op.rows()));
    bool any = false;
    for (int l = 0; l < lanes; ++l) {
      const T product = Kokkos::sqrt(x.pp[l]) * Kokkos::sqrt(x.qq[l]);
      const bool turns =
          x.active[l] && Kokkos::abs(x.pq[l]) > bound * product && Kokkos::min(x.pp[l], x.qq[l]) >= x.least[l];
      x.turning[l] = turns ? -1 : 0;
      x.turned[l] = x.turned[l] || turns;
      any = any || turns;
    }
    return any;
  }
  T rounding_errors(pack& x, int l) const {
    T longest = 0;
    for (int j = 0; j < op.columns(); ++j) {
      T sum = 0;
      for (int i = 0; i < op.rows(); ++i) sum += squared(at(x, i, j)[l]);
      longest = Kokkos::max(longest, sum);
    }
    return op.rounding_error_of(longest);
  }

  void store(pack& p, int l, std::int64_t item) const {
    const int n = op.columns();
    if (!p.finite[l]) return op.store_not_finite(single_lane(), item);
    T x_elements[max_elements + max_elements], basis_elements[max_columns * (max_columns + 1)];
    T lengths[max_columns], extra[max_columns];
    const small_matrix<T> x{x_elements, small_matrix<T>::distance(n)}, basis{basis_elements, x.ld};
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < op.rows(); ++i) x(i, j) = at(p, i, j)[l];
      for (int i = 0; i < n && op.vectors(); ++i) basis(j, i) = vector(p, j, i)[l];
    }
    op.finish(single_lane(), x, basis, lengths, extra, p.least[l], p.scale[l], p.sweeps[l], item);
  }
};

/// Matrices that are many and small enough for packs; otherwise false, and nothing is done.
template <class Exec, class T, class Op>
bool svd_in_packs(const Exec& exec, const std::string& label, const svd_packs<T, Op>& work) {
  const std::int64_t least = std::int64_t(work.lanes / 2) * exec.concurrency();  // or threads would have nothing to do
  if (work.op.columns() > work.max_columns || work.op.rows() * work.op.columns() > work.max_elements ||
      work.items < least)
    return false;
  Kokkos::parallel_for(kernel_label(label), index_range(exec, (work.items + work.lanes - 1) / work.lanes), work);
  return true;
}

}  // namespace quern::impl

#endif
