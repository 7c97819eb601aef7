// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SMALL_SOLVE_HPP
#define QUERN_LINALG_SMALL_SOLVE_HPP

/// @file
/// Systems of linear equations with many small matrices.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/lane_factors.hpp>
#include <quern/linalg/lane_inverse.hpp>
#include <quern/linalg/lane_solve.hpp>
#include <quern/linalg/matrix_checks.hpp>

namespace quern::impl {

/// Gaussian elimination with partial pivoting of the first n columns of a matrix of `width`: L (with ones, which are
/// not stored) and U of its rows as they were exchanged; row k was exchanged with `exchange(k, p)`. The columns behind
/// the n-th become those of L^-1 P B. Gives the number (from 1) of the first row whose pivot is zero, which is left
/// alone, or 0.
template <class Lanes, class Matrix, class Exchange>
KOKKOS_FUNCTION int eliminate(const Lanes& lanes, const Matrix& a, int n, int width, const Exchange& exchange) {
  using T = std::remove_cvref_t<decltype(a(0, 0))>;
  int zero = 0;
  for (int k = 0; k < n; ++k) {
    const int p = lanes.template largest<real_type<T>>(k, n, [&](int i) { return pivot_size(a(i, k)); });
    exchange(k, p);
    if (p != k) lanes.for_each(width, [&](int j) { Kokkos::kokkos_swap(a(k, j), a(p, j)); });
    const T pivot = a(k, k);
    if (pivot == T(0)) {
      if (zero == 0) zero = k + 1;
      continue;
    }
    lanes.for_each(n - k - 1, [&](int r) {
      const int i = k + 1 + r;
      const T factor = a(i, k) / pivot;
      a(i, k) = factor;
      subtract_terms(
          width - k - 1, [&](int j) -> T& { return a(i, k + 1 + j); }, [&](int j) { return factor * a(k, k + 1 + j); });
    });
  }
  return zero;
}

/// Solves U X = B for the columns of B behind the n-th.
template <class Lanes, class Matrix>
KOKKOS_FUNCTION void substitute_back(const Lanes& lanes, const Matrix& a, int n, int width) {
  using T = std::remove_cvref_t<decltype(a(0, 0))>;
  for (int k = n - 1; k >= 0; --k) {
    const T pivot = a(k, k);
    lanes.for_each(width - n, [&](int j) { a(k, n + j) /= pivot; });
    lanes.for_each(k, [&](int i) {
      const T factor = a(i, k);
      subtract_terms(width - n, [&](int j) -> T& { return a(i, n + j); }, [&](int j) { return factor * a(k, n + j); });
    });
  }
}

/// X = A^-1 B.
template <class T>
struct solve_op {
  matrix_batch<T> x;
  matrix_batch<const T> a, b;
  item_info info;

  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.rows + x.columns); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    const int n = a.rows, width = n + x.columns;
    const small_matrix<T> work{scratch, small_matrix<T>::distance(width)}, right{scratch + n, work.ld};
    load_matrix(lanes, work, a, item);
    load_matrix(lanes, right, b, item);
    const int zero = eliminate(lanes, work, n, width, [](int, int) {});
    if (zero == 0) substitute_back(lanes, work, n, width);
    store_result(lanes, x, right, item, info, zero);
  }
};

/// A^-1 b for one right-hand side and up to N rows, by one thread with the matrix in its registers. Rows and columns
/// that the matrix has not are those of the identity; rows are exchanged by selection.
///
/// `eliminate` cannot do this: lanes exchange rows at an index that is known only at run time, which registers do not
/// have, keep L for other right-hand sides, and divide each element by the pivot, where one thread saves divisions by
/// its inverse. Their results differ in the last bits.
template <class T, int N>
struct solve_in_registers {
  matrix_batch<T> x;
  matrix_batch<const T> a, b;
  item_info info;
  struct augmented {
    T at[N][N + 1];
  };

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int n = a.rows;
    augmented m;
    unrolled<0, N>([&](auto i) {
      unrolled<0, N>([&](auto j) { m.at[i][j] = i < n && j < n ? a(item, i, j) : T(i == j ? 1 : 0); });
      m.at[i][N] = i < n ? b(item, i, 0) : T(0);
    });
    int zero = 0;
    unrolled<0, N>([&](auto k) {
      bring_largest_up<k>(m);
      if (m.at[k][k] == T(0) && zero == 0) zero = k + 1;
      eliminate_below<k>(m);
    });
    const T nan(Kokkos::Experimental::quiet_NaN_v<real_type<T>>);
    unrolled<0, N>([&](auto from_last) {
      constexpr int k = N - 1 - from_last;
      m.at[k][N] /= m.at[k][k];
      unrolled<0, k>([&](auto i) { m.at[i][N] -= m.at[i][k] * m.at[k][N]; });
      if (k < n) x(item, k, 0) = zero == 0 ? m.at[k][N] : nan;
    });
    info(item) = zero;
  }

  template <int K>
  static KOKKOS_FUNCTION void bring_largest_up(augmented& m) {
    int p = K;
    real_type<T> largest = pivot_size(m.at[K][K]);
    unrolled<K + 1, N>([&](auto i) {
      const real_type<T> size = pivot_size(m.at[i][K]);
      p = size > largest ? i : p;
      largest = size > largest ? size : largest;
    });
    unrolled<K + 1, N>([&](auto i) {
      unrolled<K, N + 1>([&](auto j) {
        const T upper = m.at[K][j], lower = m.at[i][j];
        m.at[K][j] = p == i ? lower : upper;
        m.at[i][j] = p == i ? upper : lower;
      });
    });
  }

  template <int K>
  static KOKKOS_FUNCTION void eliminate_below(augmented& m) {
    const T scale = T(1) / m.at[K][K];  // a multiplication for each row; a division where this overflows
    const bool overflows = magnitude(m.at[K][K]) < Kokkos::Experimental::norm_min_v<real_type<T>>;
    unrolled<K + 1, N>([&](auto i) {
      const T factor = overflows ? m.at[i][K] / m.at[K][K] : m.at[i][K] * scale;
      unrolled<K + 1, N + 1>([&](auto j) { m.at[i][j] -= factor * m.at[K][j]; });
    });
  }
};

/// Chooses between the registers of a thread, those of the lanes of a warp, and scratch memory.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const solve_op<T>& op) {
  constexpr int max_rows = sizeof(T) <= 8 ? 8 : 4;  // rows that registers hold
  const int n = op.a.rows;
  // By itself Kokkos would bound the registers of HIP's kernels for teams of 1024 threads, and a matrix would not fit.
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<256>>;
  const auto launch = [&]<int N>(std::integral_constant<int, N>) {
    Kokkos::parallel_for(kernel_label(label, "/registers"), policy(exec, 0, items),
                         solve_in_registers<T, N>{op.x, op.a, op.b, op.info});
  };
  if constexpr (is_device<Exec>)
    if (op.x.columns == 1 && n > max_rows && n <= 32)
      return solve_by_lanes(exec, label_text(label, "/lanes"), items, op.x, op.a, op.b, op.info);
  if (op.x.columns != 1 || n > max_rows) launch_small<T>(exec, label, items, n, op);
  else if (n <= 4) launch(std::integral_constant<int, 4>());
  else launch(std::integral_constant<int, max_rows>());
}

/// A^-1 = U^-1 L^-1 P in place of A.
template <class T>
struct inverse_op {
  matrix_batch<T> out;
  matrix_batch<const T> a;
  item_info info;

  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.rows) + 3 * a.rows; }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    const int n = a.rows;
    const small_matrix<T> work{scratch, small_matrix<T>::distance(n)};
    T* columns = scratch + n * work.ld;
    T* exchanged = columns + 2 * n;
    load_matrix(lanes, work, a, item);
    const int zero =
        eliminate(lanes, work, n, n, [&](int k, int p) { lanes.once([&] { exchanged[k] = T(real_type<T>(p)); }); });
    if (zero == 0) {
      invert_upper(lanes, work, n, columns);
      divide_by_lower(lanes, work, n, columns);
      lanes.for_each(n, [&](int i) {
        for (int k = n - 1; k >= 0; --k)
          Kokkos::kokkos_swap(work(i, k), work(i, static_cast<int>(real_value(exchanged[k]))));
      });
    }
    store_result(lanes, out, work, item, info, zero);
  }

  /// U^-1 in place of U, column by column. What other lanes have yet to read of a column is in one of two copies, and
  /// the next is made at the same time.
  template <class Lanes>
  static KOKKOS_FUNCTION void invert_upper(const Lanes& lanes, const small_matrix<T>& u, int n, T* columns) {
    lanes.for_each(Kokkos::min(n, 1), [&](int) { columns[0] = u(0, 0); });
    for (int j = 0; j < n; ++j) {
      const T* column = columns + j % 2 * n;
      T* next = columns + (j + 1) % 2 * n;
      lanes.for_each(Kokkos::min(j + 2, n), [&](int i) {
        if (j + 1 < n) next[i] = u(i, j + 1);
        if (i > j) return;
        const T sum = sum_terms<T>(j - i, [&](int k) { return u(i, i + k) * column[i + k]; });
        u(i, j) = (i == j ? T(1) : -sum) / column[j];
      });
    }
  }
  /// X L^-1 in place of X, of which the part below the diagonal is in the place of L, by copies of columns as well.
  template <class Lanes>
  static KOKKOS_FUNCTION void divide_by_lower(const Lanes& lanes, const small_matrix<T>& x, int n, T* columns) {
    for (int j = n - 1; j >= 0; --j) {
      const T* column = columns + j % 2 * n;
      T* next = columns + (j + 1) % 2 * n;
      lanes.for_each(n, [&](int i) {
        if (j > 0 && i >= j) {
          next[i] = x(i, j - 1);
          x(i, j - 1) = T(0);
        }
        x(i, j) -= sum_terms<T>(n - 1 - j, [&](int k) { return x(i, j + 1 + k) * column[j + 1 + k]; });
      });
    }
  }
};

/// Chooses between the registers of the lanes of a warp and scratch memory.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const inverse_op<T>& op) {
  if constexpr (is_device<Exec>)
    if (op.a.rows <= 32) return invert_by_lanes(exec, label_text(label, "/lanes"), items, op.out, op.a, op.info);
  launch_small<T>(exec, label, items, op.a.rows, op);
}

template <class T>
struct lu_op {
  matrix_batch<T> lu;
  matrix_batch<int> pivots;
  matrix_batch<const T> a;
  item_info info;

  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.rows); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    const int n = a.rows;
    const small_matrix<T> work{scratch, small_matrix<T>::distance(n)};
    load_matrix(lanes, work, a, item);
    const int zero = eliminate(lanes, work, n, n, [&](int k, int p) { lanes.once([&] { pivots(item, k, 0) = p; }); });
    store_matrix(lanes, lu, work, item);
    lanes.once([&] { info(item) = zero; });
  }
};

/// X = A^-1 B from the factors of A, which are in its place.
template <class T>
struct lu_solve_op {
  matrix_batch<T> x;
  matrix_batch<const T> a, b;
  matrix_batch<const int> pivots;

  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.rows + x.columns); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    const int n = a.rows, width = n + x.columns;
    const small_matrix<T> work{scratch, small_matrix<T>::distance(width)}, right{scratch + n, work.ld};
    load_matrix(lanes, work, a, item);
    load_matrix(lanes, right, b, item);
    for (int k = 0; k < n; ++k) {
      const int p = pivots(item, k, 0);
      if (p != k) lanes.for_each(x.columns, [&](int j) { Kokkos::kokkos_swap(right(k, j), right(p, j)); });
    }
    for (int k = 0; k < n; ++k)
      lanes.for_each(n - k - 1, [&](int r) {
        for (int j = 0; j < x.columns; ++j) right(k + 1 + r, j) -= work(k + 1 + r, k) * right(k, j);
      });
    substitute_back(lanes, work, n, width);
    store_matrix(lanes, x, right, item);
  }
};

/// L, A = L L^H, in place of the lower triangle of A, column by column. Gives the number (from 1) of the row whose
/// pivot is not positive, or 0.
template <class Lanes, class Matrix>
KOKKOS_FUNCTION int factor_positive(const Lanes& lanes, const Matrix& a, int n) {
  using T = std::remove_cvref_t<decltype(a(0, 0))>;
  using R = real_type<T>;
  R root = 0;
  for (int k = 0; k < n; ++k) {
    lanes.for_each(n - k, [&](int r) {
      const int i = k + r;
      if (r == 0 && k > 0) a(k - 1, k - 1) = T(root);  // only now, when all lanes have read the pivot
      a(i, k) -= sum_terms<T>(k, [&](int j) { return a(i, j) * conjugate(a(k, j)); });
    });
    const R pivot = real_value(a(k, k));
    if (pivot <= 0) return k + 1;  // NaN passes, and shows in the result
    root = Kokkos::sqrt(pivot);
    lanes.for_each(n - k - 1, [&](int r) { a(k + 1 + r, k) /= root; });
  }
  for (int i = 0; i < n; ++i)
    lanes.for_each(n - i, [&](int j) {
      if (j > 0) a(i, i + j) = T(0);
      else if (i == n - 1) a(i, i) = T(root);
    });
  return 0;
}

template <class T>
struct cholesky_op {
  matrix_batch<T> l;
  matrix_batch<const T> a;
  item_info info;

  KOKKOS_FUNCTION int elements() const { return small_matrix<T>::elements(a.rows, a.rows); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, T* scratch, T*) const {
    const int n = a.rows;
    const small_matrix<T> work{scratch, small_matrix<T>::distance(n)};
    load_matrix(lanes, work, a, item);
    store_result(lanes, l, work, item, info, factor_positive(lanes, work, n));
  }
};

/// Chooses between the registers of the lanes of a warp and scratch memory.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const cholesky_op<T>& op) {
  if constexpr (is_device<Exec>)
    if (op.a.rows <= 32) return cholesky_by_lanes(exec, label_text(label, "/lanes"), items, op.l, op.a, op.info);
  launch_small<T>(exec, label, items, op.a.rows, op);
}

inline std::string zero_pivot(int row) { return "is singular: the pivot is zero in row " + std::to_string(row); }
inline std::string no_positive_pivot(int row) {
  return "is not positive definite: the pivot is not positive in row " + std::to_string(row);
}

}  // namespace quern::impl

#endif
