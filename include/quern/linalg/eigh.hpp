// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_EIGH_HPP
#define QUERN_LINALG_EIGH_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_orthogonal.hpp>
#include <quern/linalg/eigh_packs.hpp>
#include <quern/linalg/jacobi.hpp>
#include <quern/linalg/tuning.hpp>

namespace quern {
namespace impl {

/// Jacobi's method for one Hermitian matrix.
template <class T>
struct eigh_op {
  using R = real_type<T>;
  matrix_batch<R> w;
  matrix_batch<T> v;  // no data: values alone
  matrix_batch<const T> a;
  item_info info;

  using rotation = jacobi_rotation<T>;

  KOKKOS_FUNCTION int rotations() const { return jacobi_pairs(a.rows); }
  KOKKOS_FUNCTION bool vectors() const { return v.data != nullptr; }
  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.rows) + 3 * rotations() + 1; }
  KOKKOS_FUNCTION int more_elements() const { return vectors() ? small_matrix<T>::elements(a.rows, a.rows) : 0; }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T* more) const {
    const int n = a.rows;
    const small_matrix<T> work{scratch, small_matrix<T>::distance(n)};
    const small_matrix<T> basis{more, work.ld};  // a vector in each row, so that what lanes read is contiguous
    auto* turns = reinterpret_cast<rotation*>(scratch + n * work.ld);
    load(lanes, work, basis, item);
    const R largest = largest_element(lanes, work, n, n);
    if (largest > Kokkos::Experimental::finite_max_v<R>) {
      store_nan(lanes, w, item);
      store_nan(lanes, v, item);
      return lanes.once([&] { info(item) = 0; });
    }
    const R scale = matrix_scale(largest);
    if (scale != 1) scale_elements(lanes, work, n, n, 1 / scale);
    const R small = Kokkos::Experimental::epsilon_v<R> * norm(lanes, work, true);
    int sweep = 0;
    while (norm(lanes, work, false) > small && sweep < jacobi_sweeps) {
      for (int round = 0; round < 2 * rotations() - 1; ++round) turn(lanes, work, basis, turns, round);
      ++sweep;
    }
    store(lanes, work, basis, scale, item);
    lanes.once([&] { info(item) = sweep == jacobi_sweeps ? 1 : 0; });
  }

  /// The matrix from its lower triangle, and the identity.
  template <class Lanes>
  KOKKOS_FUNCTION void load(const Lanes& lanes, const small_matrix<T>& work, const small_matrix<T>& basis,
                            std::int64_t item) const {
    for (int i = 0; i < a.rows; ++i)
      lanes.for_each(a.rows, [&](int j) {
        work(i, j) = i > j ? a(item, i, j) : i < j ? conjugate(T(a(item, j, i))) : T(real_value(T(a(item, i, i))));
        if (vectors()) basis(i, j) = T(i == j ? 1 : 0);
      });
  }

  /// Frobenius's norm, of all elements or of those off the diagonal.
  template <class Lanes>
  KOKKOS_FUNCTION R norm(const Lanes& lanes, const small_matrix<T>& work, bool diagonal) const {
    return Kokkos::sqrt(lanes.template sum<R>(0, a.rows, [&](int i) {
      R sum = 0;
      for (int j = 0; j < a.rows; ++j) {
        const R size = Kokkos::abs(work(i, j));
        sum += i == j && !diagonal ? R(0) : size * size;
      }
      return sum;
    }));
  }

  template <class Lanes>
  KOKKOS_FUNCTION void turn(const Lanes& lanes, const small_matrix<T>& work, const small_matrix<T>& basis,
                            rotation* turns, int round) const {
    lanes.for_each(rotations(), [&](int k) {
      int p, q;
      jacobi_pair(a.rows, round, k, p, q);
      if (q < a.rows) turns[k] = rotation::diagonalizing(real_value(work(p, p)), real_value(work(q, q)), work(p, q));
    });
    lanes.for_each(a.rows, [&](int i) {
      rotate_pairs(
          turns, round, [&](int p) -> T& { return work(i, p); },
          [](const rotation& r, int, int, T& xp, T& xq) { r.columns(xp, xq); });
      if (vectors())
        rotate_pairs(
            turns, round, [&](int p) -> T& { return basis(p, i); },
            [](const rotation& r, int, int, T& xp, T& xq) { r.columns(xp, xq); });
    });
    lanes.for_each(a.rows, [&](int j) {
      rotate_pairs(
          turns, round, [&](int p) -> T& { return work(p, j); },
          [&](const rotation& r, int p, int q, T& xp, T& xq) {
            r.rows(xp, xq);
            if (j == p) xq = T(0);  // not what rounding leaves of it
            if (j == q) xp = T(0);
          });
    });
  }

  /// Rotates the elements of all pairs of a round in one row or column. Several are read before the first is written:
  /// that might be what the next one reads, and each would wait for the one before.
  template <class Element, class Rotate>
  KOKKOS_FUNCTION void rotate_pairs(const rotation* turns, int round, const Element& element,
                                    const Rotate& rotate) const {
    constexpr int together = sizeof(T) > 8 ? 2 : 4;  // for which there are registers
    for (int first = 0; first < rotations(); first += together) {
      int p[together], q[together];
      T xp[together], xq[together];
      for (int u = 0; u < together; ++u) {
        q[u] = a.rows;
        if (first + u < rotations()) jacobi_pair(a.rows, round, first + u, p[u], q[u]);
        if (q[u] >= a.rows) continue;
        xp[u] = element(p[u]);
        xq[u] = element(q[u]);
      }
      for (int u = 0; u < together; ++u)
        if (q[u] < a.rows) rotate(turns[first + u], p[u], q[u], xp[u], xq[u]);
      for (int u = 0; u < together; ++u) {
        if (q[u] >= a.rows) continue;
        element(p[u]) = xp[u];
        element(q[u]) = xq[u];
      }
    }
  }

  /// The values in ascending order, with their vectors.
  template <class Lanes>
  KOKKOS_FUNCTION void store(const Lanes& lanes, const small_matrix<T>& work, const small_matrix<T>& basis, R scale,
                             std::int64_t item) const {
    lanes.for_each(a.rows, [&](int j) {
      const R value = real_value(work(j, j));
      int position = 0;
      for (int i = 0; i < a.rows; ++i) {
        const R other = real_value(work(i, i));
        position += other < value || (other == value && i < j);
      }
      w(item, position, 0) = scale * value;
      if (vectors())
        for (int i = 0; i < a.rows; ++i) v(item, i, position) = basis(j, i);
    });
  }
};

/// The lanes of a thread are enough.
template <class T>
struct whole_team<eigh_op<T>> {
  static constexpr int threads_of_row = 0, lanes = 0;
};

/// Chooses between Jacobi's sweeps, of one matrix or of a pack at a time, and the vendor's library.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const eigh_op<T>& op) {
  if constexpr (takes_matrix<Exec, T>) {
    using tune = linalg_tuning<Exec>;
    if (op.a.rows >= tune::template vendor_eigh_rows<T> && lapack::available<Exec>()) {
      const std::int64_t size = std::int64_t(op.a.rows) * op.a.rows * std::int64_t{sizeof(T)},
                         together = std::max<std::int64_t>(tune::vendor_eigh_bytes / size, 1);
      for (std::int64_t first = 0; first < items; first += together)
        eigh_batch<Exec, T>(exec, label, op.w.from(first), op.v.from(first), op.a.from(first),
                            std::min(together, items - first), op.info.from(first));
      return;
    }
  }
  if constexpr (!is_device<Exec> && !is_complex<T>)
    if (eigh_in_packs(exec, label, eigh_packs<T>{op.w, op.v, op.a, op.info, items})) return;
  launch_small<T>(exec, label, items, op.a.rows, op);
}

/// Checks a and w, and decomposes; v has no data where it is not wanted.
template <class A, class Exec, class T, class... Info>
void eigh_checked(const Exec& exec, const std::string& label, const strided<real_type<T>>& w, const strided<T>& v,
                  const strided<const T>& a, const Info&... info) {
  check_square<Exec, A>(label, a);
  check_extents(label, "w", w.extents, without_last(a.extents));
  check_overlap(label, w, a, "a", false);
  const auto one = [&](const auto& matrix) { return eigh_matrix(exec, label, w, v, matrix); };
  const eigh_op<T> many{as_matrices(w), as_matrices(v), as_matrices(a), {}};
  factor<ConvergenceError, A>(exec, label, does_not_converge, a, one, many, info...);
}

}  // namespace impl

/// The eigenvalues and eigenvectors of a Hermitian matrix, or of many small ones, `a v = v diag(w)`.
///
/// | a | w | v | |
/// | --- | --- | --- | --- |
/// | (n, n) | (n), real | (n, n) | one matrix |
/// | (batch, n, n) | (batch, n), real | (batch, n, n) | many matrices, n up to 64 |
///
/// The lower triangle of a is read, as by `numpy.linalg.eigh`; w ascends and the columns of v, which are orthonormal,
/// belong to it. Views of any layout of float, double or their complex numbers; v may be the same View as a. Values are
/// right to some n eps |a|.
///
/// One matrix is decomposed by LAPACK, cuSOLVER or rocSOLVER (component `linalg`), and the call waits for `exec`. A
/// batch is decomposed by Jacobi's method in one kernel, on hosts real matrices of up to 16 rows side by side in the
/// vector instructions of a thread; of more than 16 rows on hosts (4 of complex numbers) and 32 on devices by those
/// libraries, where they are there, from copies in scratch memory. Matrices that do not fit into shared memory spill to
/// global memory, which is allocated when first needed.
///
/// With `info`, a View of int of one element an item (of rank 0 for one matrix), `info(b)` is 0, or not 0 where the
/// iteration has not converged (30 sweeps of Jacobi's), and a batch is asynchronous on `exec`; without it the call
/// waits for `exec` and throws. NaN in an item give NaN there.
/// @throws Error if ranks or extents do not fit or Views share memory otherwise
/// @throws ConvergenceError for the first item that did not converge, without `info`
template <execution_space Exec, view_like W, view_like V, array_like A, view_like... Info>
void eigh(const Exec& exec, const W& w_view, const V& v_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<V>;
  static_assert(impl::are_matrices_of<T, A>, "quern::eigh: v and a must have one floating-point or complex type");
  static_assert(std::is_same_v<impl::value_of<W>, impl::real_type<T>>, "quern::eigh: w must have a's real type");
  impl::call c("quern::eigh", exec);
  const auto w = c.output(w_view);
  const auto v = c.output(v_view);
  const auto a = c.input(a_view);
  impl::check_extents(c.label, "v", v.extents, a.extents);
  impl::check_overlap(c.label, v, a, "a", true);
  impl::check_apart(c.label, {"w", "v"}, w, v);
  impl::check_info<Exec>(c.label, std::tie(w, v, a), info...);
  impl::eigh_checked<A, Exec, T>(exec, c.label, w, v, a, info...);
}
template <view_like W, view_like V, array_like A, view_like... Info>
void eigh(const W& w, const V& v, const A& a, const Info&... info) {
  eigh(impl::space_of(w), w, v, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, eigh)

/// The eigenvalues alone, as `eigh` gives them; a library may have another algorithm for these, whose rounding differs.
template <execution_space Exec, view_like W, array_like A, view_like... Info>
void eigvalsh(const Exec& exec, const W& w_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<A>;
  static_assert(impl::are_matrices_of<T>, "quern::eigvalsh: a must have a floating-point or complex type");
  static_assert(std::is_same_v<impl::value_of<W>, impl::real_type<T>>, "quern::eigvalsh: w must have a's real type");
  impl::call c("quern::eigvalsh", exec);
  const auto w = c.output(w_view);
  const auto a = c.input(a_view);
  impl::check_info<Exec>(c.label, std::tie(w, a), info...);
  impl::eigh_checked<A, Exec, T>(exec, c.label, w, {}, a, info...);
}
template <view_like W, array_like A, view_like... Info>
void eigvalsh(const W& w, const A& a, const Info&... info) {
  eigvalsh(impl::space_of(w), w, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, eigvalsh)

}  // namespace quern

#endif
