// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_QR_HPP
#define QUERN_LINALG_QR_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_orthogonal.hpp>
#include <quern/linalg/lane_factors.hpp>

namespace quern {
namespace impl {

/// Householder's QR factorization of one matrix. Reflections are those of LAPACK's geqrf: H = I - tau v v^H with v(k) =
/// 1, v kept below the diagonal of `a`; R has a real diagonal, except in a last row without reflection.
template <class T>
struct qr_op {
  using R = real_type<T>;
  matrix_batch<T> q, r;
  matrix_batch<const T> a;

  KOKKOS_FUNCTION int width() const { return Kokkos::max(a.columns, q.columns); }
  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, width()) + a.columns; }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    const small_matrix<T> work{scratch, small_matrix<T>::distance(width())};
    T* tau = scratch + a.rows * work.ld;
    const int steps = Kokkos::min(a.rows - 1, a.columns);
    load_matrix(lanes, work, a, item);
    for (int k = 0; k < steps; ++k) {
      const T factor = reflect_column(lanes, work, k);
      lanes.once([&] { tau[k] = factor; });
      apply(lanes, work, k, conjugate(factor), k + 1, a.columns);
    }
    for (int i = 0; i < r.rows; ++i)
      lanes.for_each(r.columns, [&](int j) { r(item, i, j) = j >= i ? work(i, j) : T(0); });
    make_basis(lanes, work, steps, tau);
    store_matrix(lanes, q, work, item);
  }

  /// Q in place of the reflections, from the last one on.
  template <class Lanes>
  KOKKOS_FUNCTION void make_basis(const Lanes& lanes, const small_matrix<T>& work, int steps, const T* tau) const {
    for (int i = 0; i < a.rows; ++i)
      lanes.for_each(q.columns - steps, [&](int j) { work(i, steps + j) = T(i == steps + j ? 1 : 0); });
    for (int k = steps - 1; k >= 0; --k) {
      const T factor = tau[k];
      lanes.for_each(q.columns - k - 1, [&](int j) { work(k, k + 1 + j) = T(0); });
      apply(lanes, work, k, factor, k + 1, q.columns);
      lanes.for_each(a.rows - k, [&](int i) { work(k + i, k) = i == 0 ? T(1) - factor : -(factor * work(k + i, k)); });
    }
  }

  /// Makes the reflection of column k, and gives its tau.
  template <class Lanes>
  KOKKOS_FUNCTION T reflect_column(const Lanes& lanes, const small_matrix<T>& work, int k) const {
    const auto squares = [&](R inverse) {
      return lanes.template sum<R>(k + 1, a.rows, [&](int i) { return squared(work(i, k) * inverse); });
    };
    R scale = 1, inverse = 1;
    T alpha = work(k, k);
    R below = squares(inverse), square = squared(alpha) + below;
    if (!(square >= least_square<R> && square <= Kokkos::Experimental::finite_max_v<R>)) {
      scale = binary_scale(lanes.template maximum<R>(k, a.rows, [&](int i) { return largest_part(work(i, k)); }));
      inverse = 1 / scale;
      alpha *= inverse;
      below = squares(inverse);
      square = squared(alpha) + below;
    }
    if (below == 0 && alpha == T(real_value(alpha))) return T(0);
    const R length = Kokkos::sqrt(square), beta = real_value(alpha) > 0 ? -length : length;
    const T factor = T(1) / (alpha - beta);
    lanes.for_each(a.rows - k,
                   [&](int i) { work(k + i, k) = i == 0 ? T(beta * scale) : work(k + i, k) * inverse * factor; });
    return (T(beta) - alpha) / beta;
  }

  /// W -= factor v (v^H W) for the columns from `first` to before `end`, with the v of column k.
  template <class Lanes>
  KOKKOS_FUNCTION void apply(const Lanes& lanes, const small_matrix<T>& work, int k, const T& factor, int first,
                             int end) const {
    lanes.for_each(end - first, [&](int column) {
      const int j = first + column;
      const T below =
          sum_terms<T>(a.rows - k - 1, [&](int i) { return conjugate(work(k + 1 + i, k)) * work(k + 1 + i, j); });
      const T product = factor * (work(k, j) + below);
      work(k, j) -= product;
      subtract_terms(
          a.rows - k - 1, [&](int i) -> T& { return work(k + 1 + i, j); },
          [&](int i) { return work(k + 1 + i, k) * product; });
    });
  }
};

/// Chooses between the registers of the lanes of a warp and scratch memory.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const qr_op<T>& op) {
  if constexpr (is_device<Exec>)
    if (std::max({op.a.rows, op.a.columns, op.q.columns}) <= max_lane_qr<T>)
      return qr_by_lanes(exec, label_text(label, "/lanes"), items, op.q, op.r, op.a);
  launch_small<T>(exec, label, items, std::max(op.a.rows, op.a.columns), op);
}

struct qr_factorizations {};

template <>
struct engine<in_memory, qr_factorizations> {
  template <class Exec, class Q, class R, class A>
  static void run(const Exec& exec, const Q& q_view, const R& r_view, const A& a_view) {
    using T = value_of<Q>;
    static_assert(are_matrices_of<T, R, A>, "quern::qr: q, r and a must have one floating-point or complex type");
    call c("quern::qr", exec);
    const auto q = c.output(q_view);
    const auto r = c.output(r_view);
    const auto a = c.input(a_view);
    check_matrices<Exec, A>(c.label, a);
    const int rank = a.extents.rank;
    const std::int64_t m = a.extents.extent[rank - 2], n = a.extents.extent[rank - 1];
    const std::int64_t columns = q.extents == with_matrix(a.extents, m, m) ? m : std::min(m, n);
    check_extents(c.label, "q", q.extents, with_matrix(a.extents, m, columns));
    check_extents(c.label, "r", r.extents, with_matrix(a.extents, columns, n));
    check_overlap(c.label, q, a, "a", false);
    check_overlap(c.label, r, a, "a", false);
    check_apart(c.label, {"q", "r"}, q, r);
    if constexpr (may_be_matrix<Exec, A>)
      if (rank == 2) qr_matrix(exec, c.label, q, r, a);
    if constexpr (may_be_batch<A>) {
      const qr_op<T> op{as_matrices(q), as_matrices(r), as_matrices(a)};
      if (rank == 3 && columns > 0) launch_items(exec, c.label, a.extents.extent[0], op);
    }
  }
};

}  // namespace impl

/// The QR factorization of a matrix, or those of many small ones, `a = q r` with orthonormal columns of q and upper
/// triangular r.
///
/// | a | q | r | |
/// | --- | --- | --- | --- |
/// | (m, n) | (m, k) | (k, n) | reduced, k = min(m, n) |
/// | (m, n) | (m, m) | (m, n) | full |
/// | (batch, m, n) | as above, with the batch in front | | many matrices, m and n up to 64 |
///
/// Views of any layout, of one type: float, double or their complex numbers. `q^H q` is the identity to some n eps,
/// whatever the condition of a; the diagonal of r may have either sign. NaN in an item give NaN in that item.
///
/// One matrix (component `linalg`): the call waits for `exec`. From 512 rows on, and four times as many as columns, the
/// reduced factorization is made by Cholesky QR, which is almost wholly matrix products; it looks at the orthogonality
/// that it has reached, goes on until that is right, and takes a tree of Householder's factorizations (up to 128
/// columns) where it cannot be. It needs scratch memory for one or two copies of a. Others are made by LAPACK, cuSOLVER
/// or rocSOLVER, by reflections.
///
/// A batch: reflections, asynchronous on `exec`, one kernel, for elements of any size. Matrices that do not fit into
/// fast scratch memory spill to global memory, which grows when first needed.
///
/// Over ranks q and a are DistributedViews whose rows, no fewer than columns, are distributed in the same way, and r is
/// a View, the same on every rank; each rank factorizes its rows, or where a is not tall, all of it. Collective; waits.
/// @throws Error if ranks or extents do not fit or Views share memory
template <execution_space Exec, result_view Q, result_view R, any_array A>
void qr(const Exec& exec, const Q& q, const R& r, const A& a) {
  impl::engine_of<impl::qr_factorizations, Q, R, A>::run(exec, q, r, a);
}
template <result_view Q, result_view R, any_array A>
void qr(const Q& q, const R& r, const A& a) {
  qr(impl::space_of(q, r, a), q, r, a);
}
QUERN_TAKES_NAME_NOT(option, qr)

}  // namespace quern

#endif
