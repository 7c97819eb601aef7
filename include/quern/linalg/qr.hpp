// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_QR_HPP
#define QUERN_LINALG_QR_HPP

#include <quern/linalg/small_kernels.hpp>

namespace quern {
namespace impl {

/// Householder's QR factorization of one matrix. Reflections are those of LAPACK's geqrf: H = I - tau v v^H with v(k) =
/// 1, v kept below the diagonal of `a`; R has a real diagonal but for a last row without reflection.
template <class T>
struct qr_op {
  using R = real_type<T>;
  matrix_batch<T> q, r;
  matrix_batch<const T> a;

  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.columns) + a.columns; }
  KOKKOS_FUNCTION int more_elements() const { return small_matrix<T>::elements(q.rows, q.columns); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T* more) const {
    const small_matrix<T> work{scratch, small_matrix<T>::distance(a.columns)};
    const small_matrix<T> basis{more, small_matrix<T>::distance(q.columns)};
    T* tau = scratch + a.rows * work.ld;
    const int steps = Kokkos::min(a.rows - 1, a.columns);
    load_matrix(lanes, work, a, item);
    for (int k = 0; k < steps; ++k) {
      const T factor = reflect_column(lanes, work, k);
      lanes.once([&] { tau[k] = factor; });
      apply(lanes, work, k, conjugate(factor), work, k + 1, a.columns);
    }
    for (int i = 0; i < q.rows; ++i) lanes.for_each(q.columns, [&](int j) { basis(i, j) = T(i == j ? 1 : 0); });
    for (int k = steps - 1; k >= 0; --k) apply(lanes, work, k, tau[k], basis, k, q.columns);
    store_matrix(lanes, q, basis, item);
    for (int i = 0; i < r.rows; ++i)
      lanes.for_each(r.columns, [&](int j) { r(item, i, j) = j >= i ? work(i, j) : T(0); });
  }

  /// Makes the reflection of column k, and gives its tau.
  template <class Lanes>
  KOKKOS_FUNCTION T reflect_column(const Lanes& lanes, const small_matrix<T>& work, int k) const {
    const T alpha = work(k, k);
    const R below = lanes.template sum<R>(k + 1, a.rows, [&](int i) { return squared(work(i, k)); });
    if (below == 0 && alpha == T(real_value(alpha))) return T(0);
    const R length = Kokkos::sqrt(squared(alpha) + below), beta = real_value(alpha) > 0 ? -length : length;
    const T scale = T(1) / (alpha - beta);
    lanes.for_each(a.rows - k, [&](int i) { work(k + i, k) = i == 0 ? T(beta) : work(k + i, k) * scale; });
    return (T(beta) - alpha) / beta;
  }

  /// B -= factor v (v^H B) for the columns from `first` on, with the v of column k.
  template <class Lanes>
  KOKKOS_FUNCTION void apply(const Lanes& lanes, const small_matrix<T>& work, int k, const T& factor,
                             const small_matrix<T>& b, int first, int end) const {
    lanes.for_each(end - first, [&](int column) {
      const int j = first + column;
      T product = b(k, j);
      for (int i = k + 1; i < a.rows; ++i) product += conjugate(work(i, k)) * b(i, j);
      product *= factor;
      b(k, j) -= product;
      for (int i = k + 1; i < a.rows; ++i) b(i, j) -= work(i, k) * product;
    });
  }
};

}  // namespace impl

/// The QR factorizations of many small matrices, `a = q r` with orthonormal columns of q and upper triangular r, by
/// Householder reflections.
///
/// | a | q | r | |
/// | --- | --- | --- | --- |
/// | (batch, m, n) | (batch, m, k) | (batch, k, n) | reduced, k = min(m, n) |
/// | (batch, m, n) | (batch, m, m) | (batch, m, n) | full |
///
/// Views of any layout, of one type: float, double or their complex numbers; m and n up to 64. `q^H q` is the identity
/// to some m eps, whatever the condition of a; the diagonal of r may have either sign. The squares of the elements must
/// not overflow. NaN in an item give NaN in that item. Asynchronous on `exec`; one kernel. Matrices that do not fit
/// into fast scratch memory stand in slow, which grows when first needed.
/// @throws Error if ranks or extents do not fit or Views share memory
template <execution_space Exec, view_like Q, view_like R, view_like A>
void qr(const Exec& exec, const Q& q_view, const R& r_view, const A& a_view) {
  using T = impl::value_of<Q>;
  static_assert(impl::are_matrices_of<T, R, A>, "quern::qr: q, r and a must have one floating-point or complex type");
  const std::string label = "quern::qr";
  const auto q = impl::make_output<Exec>(q_view, label);
  const auto r = impl::make_output<Exec>(r_view, label);
  const auto a = impl::make_input<Exec>(a_view, label).array;
  if (a.extents.rank != 3)
    throw Error(label, "a has extents " + a.extents.str() + ", expected a batch of matrices, (batch, m, n)");
  const std::int64_t items = a.extents.extent[0], m = a.extents.extent[1], n = a.extents.extent[2];
  if (std::max(m, n) > largest_small_matrix)
    throw Error(label, "a has extents " + a.extents.str() + ", expected matrices of at most 64 rows and columns");
  const std::int64_t columns = q.extents == shape{items, m, m} ? m : std::min(m, n);
  impl::check_extents(label, "q", q, shape{items, m, columns});
  impl::check_extents(label, "r", r, shape{items, columns, n});
  impl::check_overlap(label, q, a, "a", false);
  impl::check_overlap(label, r, a, "a", false);
  impl::check_overlap(label, q, r, "r", false);
  const impl::qr_op<T> op{impl::as_matrices(q), impl::as_matrices(r), impl::as_matrices(a)};
  if (m * n > 0) impl::launch_small<T>(exec, label, items, static_cast<int>(std::max(m, n)), op);
}
/// The same on a default instance of q's execution space.
template <view_like Q, view_like R, view_like A>
void qr(const Q& q, const R& r, const A& a) {
  qr(impl::default_execution_space<Q>(), q, r, a);
}

}  // namespace quern

#endif
