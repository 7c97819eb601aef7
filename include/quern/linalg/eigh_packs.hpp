// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_EIGH_PACKS_HPP
#define QUERN_LINALG_EIGH_PACKS_HPP

#include <quern/core/launch/index_range.hpp>
#include <quern/linalg/jacobi_packs.hpp>
#include <quern/linalg/matrix_checks.hpp>
#include <quern/linalg/small_kernels.hpp>

namespace quern::impl {

/// Jacobi's method on hosts for many symmetric matrices side by side, one in each lane of vectors. The operations on a
/// matrix are those of `eigh_op`, in the same order: a matrix that has converged is turned by no angle until the others
/// of its pack have. Compilers may fuse others of them, so that results of few matrices and of many differ by rounding.
template <class T>
struct eigh_packs {
  using packs = jacobi_packs<T>;
  using values = typename packs::values;
  static constexpr int lanes = packs::lanes;
  /// Larger matrices do not stay in the cache of a core together.
  static constexpr int max_rows = 16;
  static constexpr int max_pairs = max_rows / 2;

  matrix_batch<T> w, v;  // v has no data for values alone
  matrix_batch<const T> a;
  item_info info;
  std::int64_t items;

  struct pack {
    alignas(64) values work[max_rows * max_rows];
    alignas(64) values basis[max_rows * max_rows];  // a vector in each row
    typename packs::rotations turns[max_pairs];
    alignas(64) typename packs::flag turning[lanes];
    T scale[lanes], small[lanes];
    int sweeps[lanes];
    bool finite[lanes];
  };

  bool vectors() const { return v.data != nullptr; }
  int pairs() const { return jacobi_pairs(a.rows); }
  int at(int i, int j) const { return i * a.rows + j; }

  void operator()(std::int64_t number) const {
    const std::int64_t first = number * lanes;
    const int count = static_cast<int>(Kokkos::min<std::int64_t>(lanes, items - first));
    pack p;
    for (int l = 0; l < lanes; ++l) load(p, l, first + Kokkos::min(l, count - 1));
    norms(p, true, p.small);
    for (int l = 0; l < lanes; ++l) p.small[l] *= Kokkos::Experimental::epsilon_v<T>;
    while (choose_turning(p))
      for (int round = 0; round < 2 * pairs() - 1; ++round) turn(p, round);
    for (int l = 0; l < count; ++l) store(p, l, first + l);
  }

 private:
  /// A matrix from its lower triangle, scaled, and the identity; zeros where it is not finite.
  void load(pack& p, int l, std::int64_t item) const {
    T largest = 0;
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j <= i; ++j) largest = Kokkos::max(largest, largest_part(a(item, i, j)));
    p.finite[l] = !(largest > Kokkos::Experimental::finite_max_v<T>);
    p.scale[l] = matrix_scale(largest);
    const T factor = p.scale[l] == 1 ? T(1) : 1 / p.scale[l];
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j <= i; ++j) {
        const T value = p.finite[l] ? factor * a(item, i, j) : T(0);
        p.work[at(i, j)][l] = p.work[at(j, i)][l] = value;
        p.basis[at(i, j)][l] = p.basis[at(j, i)][l] = T(i == j ? 1 : 0);
      }
    p.sweeps[l] = 0;
  }
  /// Frobenius's norms, of all elements or of those off the diagonal.
  void norms(const pack& p, bool diagonal, values& to) const {
    alignas(64) values total{};
    for (int i = 0; i < a.rows; ++i) {
      alignas(64) values sum{};
      for (int j = 0; j < a.rows; ++j) {
        if (i == j && !diagonal) continue;
        const values& x = p.work[at(i, j)];
        for (int l = 0; l < lanes; ++l) sum[l] += x[l] * x[l];
      }
      for (int l = 0; l < lanes; ++l) total[l] += sum[l];
    }
    for (int l = 0; l < lanes; ++l) to[l] = Kokkos::sqrt(total[l]);
  }
  /// Which matrices have another sweep, and whether there are any.
  bool choose_turning(pack& p) const {
    alignas(64) values norm;
    norms(p, false, norm);
    bool any = false;
    for (int l = 0; l < lanes; ++l) {
      const bool turns = norm[l] > p.small[l] && p.sweeps[l] < jacobi_sweeps;
      p.turning[l] = turns ? -1 : 0;
      p.sweeps[l] += turns;
      any = any || turns;
    }
    return any;
  }

  void clear(values& x, const typename packs::flag (&turning)[lanes]) const {
    for (int l = 0; l < lanes; ++l) x[l] = turning[l] != 0 ? T(0) : x[l];
  }
  template <class F>
  void for_pairs(int round, const F& f) const {
    for (int k = 0; k < pairs(); ++k) {
      int p, q;
      jacobi_pair(a.rows, round, k, p, q);
      if (q < a.rows) f(k, p, q);
    }
  }
  void turn(pack& x, int round) const {
    for_pairs(round, [&](int k, int p, int q) {
      packs::diagonalize(x.work[at(p, p)], x.work[at(q, q)], x.work[at(p, q)], x.turning, x.turns[k]);
    });
    for_pairs(round, [&](int k, int p, int q) {
      for (int i = 0; i < a.rows; ++i) {
        packs::rotate(x.work[at(i, p)], x.work[at(i, q)], x.turns[k]);
        if (vectors()) packs::rotate(x.basis[at(p, i)], x.basis[at(q, i)], x.turns[k]);
      }
    });
    for_pairs(round, [&](int k, int p, int q) {
      for (int j = 0; j < a.rows; ++j) packs::rotate(x.work[at(p, j)], x.work[at(q, j)], x.turns[k]);
      clear(x.work[at(q, p)], x.turning);
      clear(x.work[at(p, q)], x.turning);
    });
  }

  /// The values in ascending order, with their vectors.
  void store(const pack& p, int l, std::int64_t item) const {
    for (int j = 0; j < a.rows; ++j) {
      const T value = p.work[at(j, j)][l];
      int position = 0;
      for (int i = 0; i < a.rows; ++i) {
        const T other = p.work[at(i, i)][l];
        position += other < value || (other == value && i < j);
      }
      const T nan = Kokkos::Experimental::quiet_NaN_v<T>;
      w(item, position, 0) = p.finite[l] ? p.scale[l] * value : nan;
      if (vectors())
        for (int i = 0; i < a.rows; ++i) v(item, i, position) = p.finite[l] ? p.basis[at(j, i)][l] : nan;
    }
    info(item) = p.sweeps[l] == jacobi_sweeps ? 1 : 0;
  }
};

/// Matrices of real numbers that are many and small enough for packs; otherwise false, and nothing is done.
template <class Exec, class T>
bool eigh_in_packs(const Exec& exec, const std::string& label, const eigh_packs<T>& work) {
  const std::int64_t least = std::int64_t(work.lanes / 2) * exec.concurrency();  // or threads would have nothing to do
  if (work.a.rows > work.max_rows || work.items < least) return false;
  Kokkos::parallel_for(kernel_label(label), index_range(exec, (work.items + work.lanes - 1) / work.lanes), work);
  return true;
}

}  // namespace quern::impl

#endif
