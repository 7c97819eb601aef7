// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_FIT_ROWS_HPP
#define QUERN_FITS_FIT_ROWS_HPP

/// @file
/// The rows of data of a fit, as calls and kernels know them.

#include <quern/core/call/call.hpp>

namespace quern::impl {

/// The rows of a fit. The columns of a row are those of x, (n, d), those of y, (n, t), and a one.
template <class T>
struct fit_rows {
  strided<const T> x, y;
  const T* weight = nullptr;
  std::int64_t weight_step = 0;
  shape weight_extents{};

  std::int64_t count() const { return x.extents.extent[0]; }
  int d() const { return static_cast<int>(x.extents.extent[1]); }
  int t() const { return static_cast<int>(y.extents.extent[1]); }
  int columns() const { return d() + t() + 1; }
};

/// Columns of a matrix as kernels read them.
template <class T>
struct column_range {
  const T* data;
  std::int64_t row_step, column_step;
  int columns, first;  // and the number of the first of them among all
};
template <class T>
column_range<T> columns_from(const strided<const T>& a, int first) {
  return {a.data, a.stride[0], a.stride[1], static_cast<int>(a.extents.extent[1]), first};
}

/// All columns but that of ones, with what is taken off them and the weights of rows.
template <class T>
struct fit_columns {
  column_range<T> x, y;
  const T* weight;
  std::int64_t weight_step, rows;
  const double* origin;  // of the columns of x and y; null: zeros

  explicit fit_columns(const fit_rows<T>& of)
      : x(columns_from(of.x, 0)),
        y(columns_from(of.y, of.d())),
        weight(of.weight),
        weight_step(of.weight_step),
        rows(of.count()),
        origin(nullptr) {}
  KOKKOS_FUNCTION int named() const { return x.columns + y.columns; }
  KOKKOS_FUNCTION const T* element(std::int64_t row, int column) const {
    return column < x.columns ? x.data + row * x.row_step + column * x.column_step
                              : y.data + row * y.row_step + (column - x.columns) * y.column_step;
  }
  KOKKOS_FUNCTION double root_of_weight(std::int64_t row) const {
    return weight == nullptr ? 1 : Kokkos::sqrt(static_cast<double>(weight[row * weight_step]));
  }
};

}  // namespace quern::impl

#endif
