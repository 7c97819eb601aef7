// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SVD_HPP
#define QUERN_LINALG_SVD_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_orthogonal.hpp>
#include <quern/linalg/jacobi.hpp>
#include <quern/linalg/svd_packs.hpp>

namespace quern {
namespace impl {

/// The scalar products of two columns.
template <class T>
struct column_products {
  using R = real_type<T>;
  R pp = 0, qq = 0;
  T pq{};

  column_products() = default;
  KOKKOS_FUNCTION column_products(const T& p, const T& q) : pp(squared(p)), qq(squared(q)), pq(conjugate(p) * q) {}
  KOKKOS_FUNCTION column_products& operator+=(const column_products& other) {
    pp += other.pp;
    qq += other.qq;
    pq += other.pq;
    return *this;
  }
};

/// Hestenes's one-sided Jacobi method: columns of X, which is A or, where A is wide, its adjoint, are rotated until
/// they are orthogonal; their lengths are the singular values, and the rotations make the other vectors.
template <class T>
struct svd_op {
  using R = real_type<T>;
  using rotation = jacobi_rotation<T>;
  matrix_batch<R> s;
  matrix_batch<T> u, vt;  // no data: values alone
  matrix_batch<const T> a;
  item_info info;

  KOKKOS_FUNCTION bool wide() const { return a.columns > a.rows; }
  KOKKOS_FUNCTION bool vectors() const { return u.data != nullptr; }
  KOKKOS_FUNCTION int rows() const { return Kokkos::max(a.rows, a.columns); }
  KOKKOS_FUNCTION int columns() const { return Kokkos::min(a.rows, a.columns); }
  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(rows(), columns()) + 2 * columns() + 1; }
  KOKKOS_FUNCTION int more_elements() const { return vectors() ? small_matrix<T>::elements(columns(), columns()) : 0; }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T* more) const {
    const int n = columns();
    const small_matrix<T> x{scratch, small_matrix<T>::distance(n)}, basis{more, x.ld};
    T* lengths = scratch + rows() * x.ld;
    T* extra = lengths + n;
    load(lanes, x, basis, item);
    const R largest = largest_element(lanes, x, rows(), n);
    if (largest > Kokkos::Experimental::finite_max_v<R>) return store_not_finite(lanes, item);
    const R scale = matrix_scale(largest);
    if (scale != 1) scale_elements(lanes, x, rows(), n, 1 / scale);
    // Where a column depends on the others, the rotations leave rounding errors in it. These may be parallel to other
    // columns, and would be rotated for ever: after some sweeps, columns that are negligible against the longest one
    // are set to zero.
    R least = least_square<R>;
    int sweep = 0;
    for (; sweep < jacobi_sweeps && sweep_turns(lanes, x, basis, extra, least); ++sweep)
      if (sweep == patient_sweeps) least = rounding_errors(lanes, x);
    finish(lanes, x, basis, lengths, extra, least, scale, sweep, item);
  }

  /// What is left when no pair turns, or the sweeps are used up.
  template <class Lanes>
  KOKKOS_FUNCTION void finish(const Lanes& lanes, const small_matrix<T>& x, const small_matrix<T>& basis, T* lengths,
                              T* extra, R least, R scale, int sweeps, std::int64_t item) const {
    lanes.for_each(columns(), [&](int j) {
      const R square = square_of(x, j);
      lengths[j] = T(square < least ? R(0) : Kokkos::sqrt(square));
    });
    store(lanes, x, basis, lengths, extra, scale, item);
    lanes.once([&] { info(item) = sweeps == jacobi_sweeps ? 1 : 0; });
  }
  template <class Lanes>
  KOKKOS_FUNCTION void store_not_finite(const Lanes& lanes, std::int64_t item) const {
    store_nan(lanes, s, item);
    store_nan(lanes, u, item);
    store_nan(lanes, vt, item);
    lanes.once([&] { info(item) = 0; });
  }

  KOKKOS_FUNCTION R square_of(const small_matrix<T>& x, int column) const {
    R sum = 0;
    for (int i = 0; i < rows(); ++i) sum += squared(x(i, column));
    return sum;
  }

  template <class Lanes>
  KOKKOS_FUNCTION void load(const Lanes& lanes, const small_matrix<T>& x, const small_matrix<T>& basis,
                            std::int64_t item) const {
    const bool adjoint = wide();
    for (int i = 0; i < rows(); ++i)
      lanes.for_each(columns(), [&](int j) {
        x(i, j) = adjoint ? conjugate(T(a(item, j, i))) : T(a(item, i, j));
        if (vectors() && i < columns()) basis(j, i) = T(i == j ? 1 : 0);
      });
  }

  /// Rotates every pair of columns that is not orthogonal to the rounding of its product; whether there was one.
  template <class Lanes>
  KOKKOS_FUNCTION bool sweep_turns(const Lanes& lanes, const small_matrix<T>& x, const small_matrix<T>& basis,
                                   T* turned, R least) const {
    const int n = columns(), pairs = jacobi_pairs(n);
    const R bound = Kokkos::Experimental::epsilon_v<R> * Kokkos::sqrt(static_cast<R>(rows()));
    lanes.for_each(pairs, [&](int k) { turned[k] = T(0); });
    for (int round = 0; round < 2 * pairs - 1; ++round)
      lanes.for_each_group(pairs, [&](int k, const auto& group) {
        int p, q;
        jacobi_pair(n, round, k, p, q);
        if (q >= n) return;
        const auto [pp, qq, pq] = group.template sum<column_products<T>>(
            0, rows(), [&](int i) { return column_products<T>(x(i, p), x(i, q)); });
        const R product = Kokkos::sqrt(pp) * Kokkos::sqrt(qq), overlap = Kokkos::abs(pq);
        if (!(overlap > bound * product) || Kokkos::min(pp, qq) < least) return;
        const rotation r = rotation::diagonalizing(pp, qq, pq);
        group.for_each(rows(), [&](int i) { r.columns(x(i, p), x(i, q)); });
        if (vectors()) group.for_each(n, [&](int i) { r.columns(basis(p, i), basis(q, i)); });
        group.once([&] { turned[k] = T(1); });
      });
    return lanes.template sum<R>(0, pairs, [&](int k) { return real_value(turned[k]); }) > 0;
  }

  /// Sweeps after which columns that still turn are suspected to be rounding errors.
  static constexpr int patient_sweeps = 10;

  /// The square of the length that rounding errors alone may have.
  template <class Lanes>
  KOKKOS_FUNCTION R rounding_errors(const Lanes& lanes, const small_matrix<T>& x) const {
    return rounding_error_of(lanes.template maximum<R>(0, columns(), [&](int j) { return square_of(x, j); }));
  }
  /// The same of columns the longest of which has this square.
  KOKKOS_FUNCTION R rounding_error_of(R longest) const {
    const R relative = static_cast<R>(2 * rows()) * Kokkos::Experimental::epsilon_v<R>;
    return relative * relative * longest;
  }

  /// The values in descending order, with their vectors.
  template <class Lanes>
  KOKKOS_FUNCTION void store(const Lanes& lanes, const small_matrix<T>& x, const small_matrix<T>& basis, T* lengths,
                             T* extra, R scale, std::int64_t item) const {
    const int n = columns();
    if (vectors()) make_orthonormal(lanes, x, lengths, extra);
    const bool adjoint = wide();
    lanes.for_each(n, [&](int j) {
      const R value = real_value(lengths[j]);
      int position = 0;
      for (int i = 0; i < n; ++i) {
        const R other = real_value(lengths[i]);
        position += other > value || (other == value && i < j);
      }
      s(item, position, 0) = scale * value;
      if (!vectors()) return;
      for (int i = 0; i < u.rows; ++i) u(item, i, position) = adjoint ? basis(j, i) : x(i, j);
      for (int i = 0; i < vt.columns; ++i) vt(item, position, i) = conjugate(adjoint ? x(i, j) : basis(j, i));
    });
  }

  /// Divides the columns by their lengths. One without length becomes the unit vector that has most outside the space
  /// of the others, without what it has inside.
  template <class Lanes>
  KOKKOS_FUNCTION void make_orthonormal(const Lanes& lanes, const small_matrix<T>& x, const T* lengths,
                                        T* extra) const {
    const int n = columns();
    for (int j = 0; j < n; ++j) {
      const R length = real_value(lengths[j]);
      if (length != 0) lanes.for_each(rows(), [&](int i) { x(i, j) /= length; });
    }
    for (int j = 0; j < n; ++j) {
      if (real_value(lengths[j]) != 0) continue;
      const int unit = lanes.template largest<R>(0, rows(), [&](int i) {
        R outside = 1;
        for (int k = 0; k < n; ++k) outside -= known(lengths, k, j) ? squared(x(i, k)) : R(0);
        return outside;
      });
      lanes.for_each(rows(), [&](int i) { x(i, j) = T(i == unit ? 1 : 0); });
      for (int pass = 0; pass < 2; ++pass) {  // twice is enough (Kahan; Parlett, The Symmetric Eigenvalue Problem)
        lanes.for_each(n, [&](int k) {
          T product(0);
          for (int i = 0; i < rows(); ++i) product += conjugate(x(i, k)) * x(i, j);
          extra[k] = known(lengths, k, j) ? product : T(0);
        });
        lanes.for_each(rows(), [&](int i) {
          for (int k = 0; k < n; ++k) x(i, j) -= x(i, k) * extra[k];
        });
      }
      const R rest = Kokkos::sqrt(lanes.template sum<R>(0, rows(), [&](int i) { return squared(x(i, j)); }));
      lanes.for_each(rows(), [&](int i) { x(i, j) /= rest; });
    }
  }
  /// Whether column k has its direction when column j gets its own.
  static KOKKOS_FUNCTION bool known(const T* lengths, int k, int j) { return real_value(lengths[k]) != 0 || k < j; }
};

/// The lanes of a thread share a pair of columns.
template <class T>
struct whole_team<svd_op<T>> {
  static constexpr int threads_of_row = 4, lanes = 8;
};

/// Decomposes one matrix at a time, or on a host a pack of them.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const svd_op<T>& op) {
  if constexpr (!is_device<Exec> && !is_complex<T>)
    if (svd_in_packs(exec, label, svd_packs<T, svd_op<T>>{op, items})) return;
  launch_small<T>(exec, label, items, std::max(op.a.rows, op.a.columns), op);
}

/// Checks a and s, and decomposes; u and vt have no data where they are not wanted.
template <class A, class Exec, class T, class... Info>
void svd_checked(const Exec& exec, const std::string& label, const strided<T>& u, const strided<real_type<T>>& s,
                 const strided<T>& vt, const strided<const T>& a, const Info&... info) {
  const int rank = a.extents.rank;
  shape values = without_last(a.extents);
  values.extent[rank - 2] = std::min(a.extents.extent[rank - 2], a.extents.extent[rank - 1]);
  check_extents(label, "s", s.extents, values);
  check_overlap(label, s, a, "a", false);
  const auto one = [&](const auto& matrix) { return svd_matrix(exec, label, u, s, vt, matrix); };
  const svd_op<T> many{as_matrices(s), as_matrices(u), as_matrices(vt), as_matrices(a), {}};
  factor<ConvergenceError, A>(exec, label, does_not_converge, a, one, many, info...);
}

struct singular_values {};

template <>
struct engine<in_memory, singular_values> {
  template <class Exec, class U, class S, class Vt, class A, class... Info>
  static void run(const Exec& exec, const U& u_view, const S& s_view, const Vt& vt_view, const A& a_view,
                  const Info&... info) {
    using T = value_of<A>;
    static_assert(are_matrices_of<T, U, Vt>, "quern::svd: u, vt and a must have one floating-point or complex type");
    static_assert(std::is_same_v<value_of<S>, real_type<T>>, "quern::svd: s must have a's real type");
    call c("quern::svd", exec);
    const auto u = c.output(u_view);
    const auto s = c.output(s_view);
    const auto vt = c.output(vt_view);
    const auto a = c.input(a_view);
    check_matrices<Exec, A>(c.label, a);
    const int rank = a.extents.rank;
    const std::int64_t m = a.extents.extent[rank - 2], n = a.extents.extent[rank - 1], k = std::min(m, n);
    const bool full = rank == 2 && u.extents == shape{m, m} && vt.extents == shape{n, n};
    check_extents(c.label, "u", u.extents, with_matrix(a.extents, m, full ? m : k));
    check_extents(c.label, "vt", vt.extents, with_matrix(a.extents, full ? n : k, n));
    check_overlap(c.label, u, a, "a", false);
    check_overlap(c.label, vt, a, "a", false);
    check_apart(c.label, {"u", "s", "vt"}, u, s, vt);
    check_info<Exec>(c.label, std::tie(u, s, vt, a), info...);
    svd_checked<A, Exec, T>(exec, c.label, u, s, vt, a, info...);
  }
};

}  // namespace impl

/// The singular value decomposition of a matrix, or those of many small ones, `a = u diag(s) vt` with orthonormal
/// columns of u and rows of vt.
///
/// | a | u | s | vt | |
/// | --- | --- | --- | --- | --- |
/// | (m, n) | (m, k) | (k), real | (k, n) | thin, k = min(m, n) |
/// | (m, n) | (m, m) | (k), real | (n, n) | full |
/// | (batch, m, n) | (batch, m, k) | (batch, k), real | (batch, k, n) | many matrices, m and n up to 64 |
///
/// s descends. Views of any layout of float, double or their complex numbers. The error of s is some m eps of the
/// largest value, of whatever size the elements are.
///
/// One matrix is decomposed by LAPACK, cuSOLVER (by the polar decomposition) or rocSOLVER (component `linalg`), and the
/// call waits for `exec`; of one with many more rows than columns, or columns than rows, only the R of its QR
/// factorization is. A batch is decomposed by one-sided Jacobi rotations in one kernel, often with far less error in
/// small values. Matrices that do not fit into fast scratch memory spill to global memory, which grows when first
/// needed.
///
/// With `info`, a View of int of one element an item (of rank 0 for one matrix), `info(b)` is 0, or not 0 where the
/// iteration has not converged (30 sweeps of Jacobi's), and a batch is asynchronous on `exec`; without it the call
/// waits for `exec` and throws. NaN or infinities in an item give NaN there.
///
/// Over ranks u and a are DistributedViews whose rows, no fewer than columns, are distributed in the same way, s and vt
/// are Views, the same on every rank, and the decomposition is thin, without `info`. Collective; waits.
/// @throws Error if ranks or extents do not fit or Views share memory
/// @throws ConvergenceError for the first item that did not converge, without `info`
template <execution_space Exec, result_view U, result_view S, result_view Vt, any_array A, view_like... Info>
void svd(const Exec& exec, const U& u, const S& s, const Vt& vt, const A& a, const Info&... info) {
  impl::engine_of<impl::singular_values, U, S, Vt, A>::run(exec, u, s, vt, a, info...);
}
template <result_view U, result_view S, result_view Vt, any_array A, view_like... Info>
void svd(const U& u, const S& s, const Vt& vt, const A& a, const Info&... info) {
  svd(impl::space_of(s, a), u, s, vt, a, info...);
}
QUERN_TAKES_NAME_NOT(option, svd)

/// The singular values alone, as `svd` gives them.
template <execution_space Exec, view_like S, array_like A, view_like... Info>
void svdvals(const Exec& exec, const S& s_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<A>;
  static_assert(impl::are_matrices_of<T>, "quern::svdvals: a must have a floating-point or complex type");
  static_assert(std::is_same_v<impl::value_of<S>, impl::real_type<T>>, "quern::svdvals: s must have a's real type");
  impl::call c("quern::svdvals", exec);
  const auto s = c.output(s_view);
  const auto a = c.input(a_view);
  impl::check_matrices<Exec, A>(c.label, a);
  impl::check_info<Exec>(c.label, std::tie(s, a), info...);
  impl::svd_checked<A, Exec, T>(exec, c.label, {}, s, {}, a, info...);
}
template <view_like S, array_like A, view_like... Info>
void svdvals(const S& s, const A& a, const Info&... info) {
  svdvals(impl::space_of(s), s, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, svdvals)

}  // namespace quern

#endif
