// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SMALL_SVD_HPP
#define QUERN_LINALG_SMALL_SVD_HPP

/// @file
/// Singular values of small matrices, of one or of many.

#include <quern/core/values/values.hpp>
#include <quern/linalg/jacobi.hpp>
#include <quern/linalg/matrix_checks.hpp>

namespace quern::impl {

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
  KOKKOS_FUNCTION int elements() const { return rows() * distance(columns()) + 2 * columns() + 1; }
  KOKKOS_FUNCTION int more_elements() const { return vectors() ? columns() * basis_distance(columns()) : 0; }

  /// Distances of the rows of X, and of the basis, which has a vector in each row. From 33 columns on, 8 lanes share a
  /// pair of columns, and those beside them have adjacent ones: the elements that lanes read together are in different
  /// banks.
  static constexpr KOKKOS_FUNCTION int distance(int columns) {
    constexpr int step = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
    return columns > 32 ? columns + ((step - columns) & (2 * step - 1)) : small_matrix<T>::distance(columns);
  }
  static constexpr KOKKOS_FUNCTION int basis_distance(int columns) {
    return columns > 32 ? columns + ((8 - columns) & 15) : small_matrix<T>::distance(columns);
  }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T* more) const {
    const int n = columns();
    const small_matrix<T> x{scratch, distance(n)}, basis{more, basis_distance(n)};
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

}  // namespace quern::impl

#endif
