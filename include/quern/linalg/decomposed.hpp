// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_DECOMPOSED_HPP
#define QUERN_LINALG_DECOMPOSED_HPP

/// @file
/// A singular value decomposition in scratch memory, of which least squares, pseudo-inverse and norms are made.

#include <algorithm>
#include <optional>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/linalg/dense_orthogonal.hpp>
#include <quern/linalg/small_kernels.hpp>
#include <vector>

namespace quern::impl {

/// Singular values below this share of the largest one count as zero.
template <class T>
double default_rcond(std::int64_t m, std::int64_t n) {
  return static_cast<double>(std::max(m, n)) * static_cast<double>(Kokkos::Experimental::epsilon_v<real_type<T>>);
}

/// Divides row i by value i.
template <class T>
struct divided_rows {
  column_major<T> rows;
  const real_type<T>* by;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { rows(i, j) /= by[i]; }
};

/// x = V diag(1 / s) U^H R^-H p for the first `rank` values, of each column p of some products, where U and V are of
/// the triangle of a tall matrix whose other factor has been multiplied by them: all of what remains to be done for a
/// few columns, in one kernel.
template <class T>
struct solve_by_values_op {
  using R = real_type<T>;
  column_major<const T> inverse, u, vt;
  const R* s;
  column_major<const T> products;
  matrix_batch<T> x;  // an item for each column
  int rank;

  KOKKOS_FUNCTION int columns() const { return static_cast<int>(inverse.rows); }
  KOKKOS_FUNCTION int elements() const { return 2 * columns(); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    T *const of_rows = scratch, *const of_values = scratch + columns();
    lanes.for_each(columns(), [&](int i) {
      of_rows[i] = sum_terms<T>(i + 1, [&](int k) { return conjugate(inverse(k, i)) * products(k, item); });
    });
    lanes.for_each(rank, [&](int i) {
      of_values[i] = sum_terms<T>(columns(), [&](int k) { return conjugate(u(k, i)) * of_rows[k]; }) / s[i];
    });
    lanes.for_each(columns(), [&](int j) {
      x(item, j, 0) = sum_terms<T>(rank, [&](int i) { return conjugate(vt(i, j)) * of_values[i]; });
    });
  }
};

/// A singular value decomposition in scratch memory, whose values are known to the host too. The left vectors are u, or
/// of a tall matrix `tall->x` `tall->inverse()` u, products that are never made.
template <class Exec, class T>
struct decomposed {
  using R = real_type<T>;
  std::int64_t m, n, k;
  std::optional<tall_factors<Exec, T>> tall;
  work_matrix<Exec, T> u, vt;
  scratch_array<Exec, R> s;
  std::vector<R> values;

  decomposed(const Exec& exec, const std::string& label, const strided<const T>& a, bool vectors)
      : m(a.extents.extent[0]),
        n(a.extents.extent[1]),
        k(std::min(m, n)),
        u(exec, vectors ? (is_tall(a.extents) ? n : m) : 0, vectors ? k : 0),
        vt(exec, vectors ? k : 0, vectors ? n : 0),
        s(exec, k),
        values(k) {
    if (is_tall(a.extents) && n > 0) tall.emplace(exec, label, a, nullptr, tall_factors<Exec, T>::reports::later);
    if (tall && by_rotations(exec, label, vectors)) return;
    const strided<R> there{s.data(), {k}, {1}};
    if (svd_matrix(exec, label, vectors ? as_matrix(*u) : strided<T>{}, there, vectors ? as_matrix(*vt) : strided<T>{},
                   tall ? as_input(tall->r()) : a, tall ? part::upper : part::all) != 0)
      throw ConvergenceError(label, "the matrix does not converge", 0, 0);
    take_values(exec, label);
  }
  /// Of the triangle of a tall matrix, by a kernel that is waited for with its values and with what it is made of.
  bool by_rotations(const Exec& exec, const std::string& label, bool vectors) {
    lease<Exec> held(exec);
    int* const info = held.template result<int>();
    const column_major<T> none{};
    const bool launched = launch_rotations(exec, label, vectors ? *u : none, s.data(), vectors ? *vt : none, tall->r(),
                                           part::upper, info);
    if (launched) take_values(exec, label);
    if (!tall->confirmed(launched)) return by_rotations(exec, label, vectors);
    return launched && *info == 0;
  }
  void take_values(const Exec& exec, const std::string& label) {
    copy_items_to_host(exec, values.data(), s.data(), k);
    exec.fence(kernel_label(label, ": singular values"));
  }

  /// How many values are greater than `rcond` of the largest (below 0: the default), or a negative number where they
  /// are NaN.
  std::int64_t rank(double rcond) const {
    if (k == 0) return 0;
    const double limit = (rcond < 0 ? default_rcond<T>(m, n) : rcond) * static_cast<double>(values[0]);
    if (!(limit == limit)) return -1;
    return std::count_if(values.begin(), values.end(), [&](R x) { return static_cast<double>(x) > limit; });
  }

  /// X = V diag(1 / s) U^H B for the first `rank` values.
  void apply_inverse(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& b,
                     std::int64_t rank) const {
    const std::int64_t columns = x.extents.extent[1];
    if (rank < 0) return fill_nan(exec, label, x);
    if (rank == 0) return fill_matrix(exec, label, x, T(0));
    if (tall && n <= solved_at_once) return solve_at_once(exec, label, x, b, static_cast<int>(rank));
    const work_matrix<Exec, T> c(exec, rank, columns), result(exec, x);
    multiply_left_adjoint(exec, label, *c, b);
    divide_rows(exec, label, *c);
    multiply_adjoint(exec, label, *result, strided<const T>{vt->data, {rank, n}, {1, vt->ld}}, as_input(*c));
    copy_matrix(exec, label, x, as_matrix(*result));
  }
  /// So few columns are solved for by one kernel.
  static constexpr int solved_at_once = is_device<Exec> ? 64 : 16;
  void solve_at_once(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& b,
                     int rank) const {
    const work_matrix<Exec, T> products(exec, n, x.extents.extent[1]);
    multiply_rows_adjoint(exec, label, *products, b);
    const solve_by_values_op<T> solve{tall->inverse(),
                                      *u,
                                      *vt,
                                      s.data(),
                                      *products,
                                      {x.data, static_cast<int>(n), 1, {x.stride[1], x.stride[0], 0}},
                                      rank};
    launch_small<T>(exec, label_text(label, "/solve"), x.extents.extent[1], static_cast<int>(n), solve);
  }

  /// X = V diag(1 / s) U^H for the first `rank` values, made as its adjoint.
  void inverse(const Exec& exec, const std::string& label, const strided<T>& x, std::int64_t rank) const {
    if (rank < 0) return fill_nan(exec, label, x);
    if (rank == 0) return fill_matrix(exec, label, x, T(0));
    const column_major<T> right{vt->data, rank, n, vt->ld};
    divide_rows(exec, label, right);
    multiply_left(exec, label, exchanged(x), as_input(right));
    if constexpr (is_complex<T>)
      map_launch<Exec, op::conjugate, T>(exec, label_text(label, "/conjugate"), x, {}, true, {{x.stride, x.stride}},
                                         array_input<T>{as_input(x)});
  }

  /// C = U^H B for as many of the left vectors U as C has rows.
  void multiply_left_adjoint(const Exec& exec, const std::string& label, const column_major<T>& c,
                             const strided<const T>& b) const {
    const auto left = as_input(u->first_columns(c.rows));
    if (!tall) {
      const column_input<Exec, T> right(exec, label, b);
      return multiply_adjoint(exec, label, c, left, as_input(*right));
    }
    const work_matrix<Exec, T> of_rows(exec, n, c.columns), of_triangle(exec, n, c.columns);
    multiply_rows_adjoint(exec, label, *of_rows, b);
    multiply_adjoint(exec, label, *of_triangle, as_input(tall->inverse()), as_input(*of_rows));
    multiply_adjoint(exec, label, c, left, as_input(*of_triangle));
  }
  /// C = X^H B of the factor X of a tall matrix.
  void multiply_rows_adjoint(const Exec& exec, const std::string& label, const column_major<T>& c,
                             const strided<const T>& b) const {
    const column_input<Exec, T> right(exec, label, b);
    multiply_adjoint(exec, label, c, tall->x, as_input(*right));
  }

  /// C = U B for as many of the left vectors U as B has rows.
  void multiply_left(const Exec& exec, const std::string& label, const strided<T>& c, const strided<const T>& b) const {
    const auto left = as_input(u->first_columns(b.extents.extent[0]));
    if (!tall) return multiply_matrices(exec, label, c, left, b);
    const work_matrix<Exec, T> of_triangle(exec, n, b.extents.extent[1]), of_rows(exec, n, b.extents.extent[1]);
    multiply_matrices(exec, label, as_matrix(*of_triangle), left, b);
    multiply_matrices(exec, label, as_matrix(*of_rows), as_input(tall->inverse()), as_input(*of_triangle));
    multiply_matrices(exec, label, c, tall->x, as_input(*of_rows));
  }

  /// Row i over value i.
  void divide_rows(const Exec& exec, const std::string& label, const column_major<T>& rows) const {
    for_each_element(exec, label_text(label, "/values"), rows.rows, rows.columns, divided_rows<T>{rows, s.data()});
  }
};

}  // namespace quern::impl

#endif
