// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_SUMS_HPP
#define QUERN_FITS_SUMS_HPP

/// @file
/// What linear fits share: the sums that they need of the rows of data, these without their means, and results that the
/// host has.

#include <array>
#include <quern/fits/fit_arguments.hpp>
#include <quern/fits/normal_equations.hpp>
#include <quern/fits/products.hpp>
#include <quern/linalg/least_squares.hpp>

namespace quern::impl {

/// Elements of the matrix whose least-squares solution is the fit: rows of data without means, times the root of their
/// weight, and below them those of the penalty.
template <class T>
struct centred_element {
  column_major<T> to;
  column_range<T> from;
  const T* weight;
  std::int64_t weight_step, rows;
  const double *origin, *offset;  // null where nothing is centred
  double root_of_penalty;         // 0 for the columns of y
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    double value = i - rows == j ? root_of_penalty : 0;
    if (i < rows) {
      value = static_cast<double>(from.data[i * from.row_step + j * from.column_step]);
      if (origin != nullptr) value = value - origin[from.first + j] - offset[from.first + j];
      if (weight != nullptr) value *= Kokkos::sqrt(static_cast<double>(weight[i * weight_step]));
    }
    to(i, j) = static_cast<T>(value);
  }
};

/// Sums of the columns of a fit, and of products too unless there are too many columns for that.
template <class Exec, class T>
normal_equations sum_columns(const Exec& exec, const std::string& label, const fit_rows<T>& rows, bool centred) {
  const auto sums_of = [&](const fit_rows<T>& part) {
    column_origin origin{centred};
    for (int attempt = 0;; ++attempt) {
      auto products = sums_of_products(exec, label, part, origin);
      normal_equations n(part.d(), part.t(), std::move(products), origin.values);
      if (attempt == 1 || !n.origins_are_far()) return n;
      for (int j = 0; j < part.d() + part.t(); ++j) origin.values[j] = n.mean(j);
    }
  };
  constexpr int max_columns = max_product_columns<Exec>();
  if (rows.columns() <= max_columns) return sums_of(rows);
  std::vector<normal_equations> parts;
  for (const auto* of : std::array{&rows.x, &rows.y})
    for (std::int64_t j = 0; j < of->extents.extent[1]; j += max_columns - 1) {
      fit_rows<T> part = rows;
      part.x = part_along(*of, 1, j, std::min<std::int64_t>(max_columns - 1, of->extents.extent[1] - j));
      part.y = part_along(rows.y, 1, 0, 0);
      if (centred) parts.push_back(sums_of(part));
    }
  if (!centred) {  // the sum of weights
    fit_rows<T> part = rows;
    part.x = part_along(rows.x, 1, 0, 1);
    part.y = part_along(rows.y, 1, 0, 0);
    parts.push_back(sums_of(part));
  }
  return normal_equations(rows.d(), rows.t(), parts);
}

/// @throws Error where no row weighs anything
template <class T>
void check_weights(const std::string& label, const fit_rows<T>& rows, const normal_equations& sums) {
  if (rows.weight != nullptr && sums.weight() == 0) throw Error(label, "all weights are zero");
}

/// The rows of data without their means, times the roots of their weights, in scratch memory; below them those of a
/// penalty.
template <class Exec, class T>
struct centred_observations {
  std::vector<double> offsets;
  work_matrix<Exec, T> x, y;

  centred_observations(const Exec& exec, const std::string& label, const fit_rows<T>& rows,
                       const normal_equations& sums, double penalty)
      : offsets(2 * (rows.d() + rows.t())),
        x(exec, rows.count() + (penalty > 0 ? rows.d() : 0), rows.d()),
        y(exec, rows.count() + (penalty > 0 ? rows.d() : 0), rows.t()) {
    const int named = rows.d() + rows.t();
    for (int j = 0; j < named && sums.centred(); ++j) {
      offsets[j] = sums.origins()[j];
      offsets[named + j] = sums.offset(j);
    }
    const scratch_array<Exec, double> memory(exec, 2 * named);
    copy_items_from_host(exec, memory.data(), offsets.data(), 2 * named);
    const double* const origin = sums.centred() ? memory.data() : nullptr;
    const auto fill = [&](const column_major<T>& to, const column_range<T>& from, double root) {
      for_each_element(exec, label_text(label, "/rows"), to.rows, to.columns,
                       centred_element<T>{to, from, rows.weight, rows.weight_step, rows.count(), origin,
                                          memory.data() + named, root});
    };
    fill(*x, columns_from(rows.x, 0), std::sqrt(penalty));
    fill(*y, columns_from(rows.y, rows.d()), 0);
  }
};

/// A matrix on the host, column by column. Waits.
template <class Exec, class T>
std::vector<double> values_on_host(const Exec& exec, const std::string& label, const column_major<T>& m) {
  std::vector<T> found(static_cast<std::size_t>(m.rows) * m.columns);
  copy_items_to_host(exec, found.data(), m.data, static_cast<std::int64_t>(found.size()));
  exec.fence(kernel_label(label, ": matrix"));
  return {found.begin(), found.end()};
}

/// The sums of products of all columns; of more than one kernel takes by matrix products, in the type of the data.
template <class Exec, class T>
normal_equations sum_all_products(const Exec& exec, const std::string& label, const fit_rows<T>& rows, bool centred) {
  const normal_equations sums = sum_columns(exec, label, rows, centred);
  if (sums.has_products()) return sums;
  const int d = rows.d(), t = rows.t(), p = d + t + 1;
  const centred_observations<Exec, T> data(exec, label, rows, sums, 0);
  std::vector<double> products(static_cast<std::size_t>(p) * p);
  const auto multiply = [&](const column_major<T>& a, const column_major<T>& b, int first, int second) {
    const work_matrix<Exec, T> c(exec, a.columns, b.columns);
    multiply_adjoint(exec, label, *c, as_input(a), as_input(b));
    const auto found = values_on_host(exec, label, *c);
    for (std::int64_t j = 0; j < c->columns; ++j)
      for (std::int64_t i = 0; i < c->rows; ++i)
        products[(first + i) * p + second + j] = products[(second + j) * p + first + i] = found[j * c->rows + i];
  };
  multiply(*data.x, *data.x, 0, 0);
  multiply(*data.x, *data.y, 0, d);
  multiply(*data.y, *data.y, d, d);
  products.back() = sums.weight();
  std::vector<double> means;
  for (int j = 0; j < d + t && centred; ++j) means.push_back(sums.mean(j));
  return normal_equations(d, t, std::move(products), std::move(means));
}

/// Copies results of the host to an output, in row-major order.
template <class Exec, class T>
void store_from_host(const Exec& exec, const std::string& label, const strided<T>& to,
                     const std::vector<double>& values) {
  const std::vector<T> converted(values.begin(), values.end());
  const auto count = static_cast<std::int64_t>(values.size());
  const scratch_array<Exec, T> memory(exec, count);
  copy_items_from_host(exec, memory.data(), converted.data(), count);
  copy_matrix(exec, label, to, strided<const T>{memory.data(), to.extents, row_major_strides(to.extents)});
  exec.fence(kernel_label(label, ": results"));
}

/// Stores a linear fit.
template <class Exec, class T>
void store_fit(const Exec& exec, const std::string& label, const fit_outputs<T>& out,
               const std::vector<double>& coefficients, const normal_equations& sums) {
  store_from_host(exec, label, out.coefficients, coefficients);
  if (out.with_intercept) store_from_host(exec, label, out.intercept, sums.intercepts(coefficients));
}

}  // namespace quern::impl

#endif
