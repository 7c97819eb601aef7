// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_GRAM_FACTORS_HPP
#define QUERN_LINALG_GRAM_FACTORS_HPP

/// @file
/// Cholesky factorizations of Gram matrices, and what they say of the columns of a tall matrix: by one team of a
/// device, which needs neither a library nor a host, or by LAPACK.

#include <quern/core/call/label.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_kernels.hpp>
#include <quern/linalg/small_solve.hpp>

namespace quern::impl {

/// X^H X = R^H R of a matrix X, the lower triangle `factor` = R^H, and `inverse` = R^-1.
template <class T>
struct gram_factors {
  column_major<T> gram, factor, inverse;
};

/// What a Gram matrix and its factors say of X.
template <class R>
struct gram_report {
  R loss = 0;     // the Frobenius norm of its difference from the identity
  R longest = 0;  // the largest square of a column's length; infinity where there is NaN
  /// By how much the inverse may magnify the rounding errors of the columns, relative to their lengths: the largest
  /// (y^T |R|)(j) / |x_j| with y = |R^-1|^T |x|. Not a finite number where there is no factorization.
  R growth = Kokkos::Experimental::infinity_v<R>;

  /// Whether the condition of the columns is below 2.
  bool nearly_orthonormal() const { return loss < R(0.5); }
};

/// The factors of a Gram matrix with its diagonal multiplied by 1 + shift, and a report, by one team.
template <class T>
struct factor_gram_op {
  using R = real_type<T>;
  gram_factors<T> of;
  R shift;
  gram_report<R>* report;

  KOKKOS_FUNCTION int rows() const { return static_cast<int>(of.gram.rows); }
  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(rows(), rows()) + 2 * rows(); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t, T* scratch, T*) const {
    const int n = rows();
    const small_matrix<T> r{scratch, small_matrix<T>::distance(n)};
    T* const columns = scratch + n * r.ld;
    for_each_element(lanes, [&](int i, int j) { r(i, j) = i == j ? of.gram(i, j) * (1 + shift) : of.gram(i, j); });
    gram_report<R> found;
    found.loss = loss(lanes, r);
    found.longest = lanes.template maximum<R>(0, n, [&](int i) { return pivot_size(r(i, i)); });
    const int failed = factor_positive(lanes, transposed{r}, n);
    for_each_element(lanes, [&](int i, int j) { of.factor(i, j) = i >= j ? conjugate(r(j, i)) : T(0); });
    inverse_op<T>::invert_upper(lanes, r, n, columns);
    for_each_element(lanes, [&](int i, int j) { of.inverse(i, j) = i <= j ? r(i, j) : T(0); });
    const R growth = growth_of_errors(lanes, r, columns, columns + n);
    if (failed == 0) found.growth = growth;
    lanes.once([&] { *report = found; });
  }

 private:
  /// A^T = conj(A), of which the lower factor is the transposed of R.
  struct transposed {
    small_matrix<T> of;
    KOKKOS_FUNCTION T& operator()(int i, int j) const { return of(j, i); }
  };

  /// Adjacent lanes have adjacent elements of a column.
  template <class Lanes, class F>
  KOKKOS_FUNCTION void for_each_element(const Lanes& lanes, const F& f) const {
    const int n = rows();
    lanes.for_each(n * n, [&](int e) { f(e % n, e / n); });
  }

  template <class Lanes>
  KOKKOS_FUNCTION R loss(const Lanes& lanes, const small_matrix<T>& gram) const {
    return Kokkos::sqrt(lanes.template sum<R>(0, rows(), [&](int i) {
      return sum_terms<R>(rows(), [&](int j) { return squared(gram(i, j) - T(i == j ? 1 : 0)); });
    }));
  }

  template <class Lanes>
  KOKKOS_FUNCTION R growth_of_errors(const Lanes& lanes, const small_matrix<T>& inverse, T* lengths, T* y) const {
    const int n = rows();
    lanes.for_each(n, [&](int k) { lengths[k] = T(Kokkos::sqrt(real_value(of.gram(k, k)))); });
    lanes.for_each(n, [&](int l) {
      y[l] = T(sum_terms<R>(l + 1, [&](int k) { return real_value(lengths[k]) * magnitude(inverse(k, l)); }));
    });
    lanes.for_each(n, [&](int j) {
      const R sum = sum_terms<R>(j + 1, [&](int l) { return real_value(y[l]) * magnitude(of.factor(j, l)); });
      lengths[j] = T(pivot_size(sum / real_value(lengths[j])));
    });
    return lanes.template maximum<R>(0, n, [&](int j) { return real_value(lengths[j]); });
  }
};

/// More threads than rows, since most of the time passes until elements have come from memory.
template <class T>
struct whole_team<factor_gram_op<T>> {
  static constexpr int threads_of_row = 4, lanes = 32;
};

/// What `factor_gram` launches.
template <class T>
struct gram_kernels {
  struct look_tag {};
  struct growth_of_rows_tag {};
  struct growth_tag {};
  struct shift {
    gram_factors<T> of;
    real_type<T> by;
    KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
      of.factor(i, j) = i == j ? of.gram(i, j) * (1 + by) : of.gram(i, j);
      of.inverse(i, j) = T(i == j ? 1 : 0);
    }
  };

  using R = real_type<T>;
  gram_factors<T> of;
  R* y;
  KOKKOS_FUNCTION void operator()(look_tag, std::int64_t e, R& sum, R& largest) const {
    const std::int64_t j = e / of.gram.rows, i = e - j * of.gram.rows;
    sum += squared(of.gram(i, j) - T(i == j ? 1 : 0));
    if (i == j) largest = Kokkos::max(largest, pivot_size(of.gram(i, i)));
  }
  KOKKOS_FUNCTION void operator()(growth_of_rows_tag, std::int64_t l) const {
    R sum = 0;
    for (std::int64_t k = 0; k <= l; ++k) sum += Kokkos::sqrt(real_value(of.gram(k, k))) * magnitude(of.inverse(k, l));
    y[l] = sum;
  }
  KOKKOS_FUNCTION void operator()(growth_tag, std::int64_t j, R& largest) const {
    R sum = 0;
    for (std::int64_t l = 0; l <= j; ++l) sum += y[l] * magnitude(of.factor(j, l));
    largest = Kokkos::max(largest, pivot_size(sum / Kokkos::sqrt(real_value(of.gram(j, j)))));
  }
};

/// The same by LAPACK, with the growth of errors only where X is not nearly orthonormal. Waits.
template <class Exec, class T>
gram_report<real_type<T>> factor_gram(const Exec& exec, const std::string& label, const gram_factors<T>& of,
                                      real_type<T> shift) {
  using R = real_type<T>;
  using kernels = gram_kernels<T>;
  const std::int64_t n = of.gram.rows;
  gram_report<R> found;
  Kokkos::parallel_reduce(kernel_label(label, "/loss"), index_range<typename kernels::look_tag>(exec, n * n),
                          kernels{of, nullptr}, found.loss, Kokkos::Max<R>(found.longest));
  found.loss = Kokkos::sqrt(found.loss);
  if (!(found.longest <= Kokkos::Experimental::finite_max_v<R>)) return found;
  lease<Exec> held(exec);
  int* const info = held.template result<int>();
  for_each_element(exec, label_text(label, "/shift"), n, n, typename kernels::shift{of, shift});
  lapack::potrf(exec, of.factor, info);
  blas::trsm<Exec, T>(exec, blas::side::left, {}, n, n, {of.factor.data, blas::form::adjoint, n, 0},
                      {of.inverse.data, blas::form::as_is, n, 0});
  if (shift == 0 && found.nearly_orthonormal()) return found;
  const kernels kernel{of, scratch_for<R>(exec, held.scratch(), n)};
  Kokkos::parallel_for(kernel_label(label, "/growth"), index_range<typename kernels::growth_of_rows_tag>(exec, n),
                       kernel);
  R growth = 0;
  Kokkos::parallel_reduce(kernel_label(label, "/growth"), index_range<typename kernels::growth_tag>(exec, n), kernel,
                          Kokkos::Max<R>(growth));
  if (*info == 0) found.growth = growth;
  return found;
}

/// The upper triangle that is the adjoint of a lower one.
template <class T>
struct adjoint_elements {
  column_major<T> lower, upper;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    upper(i, j) = i <= j ? conjugate(lower(j, i)) : T(0);
  }
};

}  // namespace quern::impl

#endif
