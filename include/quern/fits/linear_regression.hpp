// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LINEAR_REGRESSION_HPP
#define QUERN_FITS_LINEAR_REGRESSION_HPP

/// @file
/// Linear fits of many rows of data. They need the component `linalg`.

#include <quern/core/call/weights.hpp>
#include <quern/fits/fit_arguments.hpp>
#include <quern/fits/normal_equations.hpp>
#include <quern/fits/products.hpp>
#include <quern/linalg/least_squares.hpp>

namespace quern {

namespace impl {

/// What is asked of a linear fit.
struct linear_fit {
  double penalty = 0;
  bool intercept = false;
};

/// The variance inflation up to which sums of products say enough: coefficients then have ten digits, those of columns
/// of float, whose products are exact in double, three; a decomposition in float would leave them one.
template <class T>
inline constexpr double inflation_limit = sizeof(T) == 4 ? 1e12 : 1e5;

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
  for (const auto& of : {rows.x, rows.y})
    for (std::int64_t j = 0; j < of.extents.extent[1]; j += max_columns - 1) {
      fit_rows<T> part = rows;
      part.x = part_along(of, 1, j, std::min<std::int64_t>(max_columns - 1, of.extents.extent[1] - j));
      part.y = part_along(rows.y, 1, 0, 0);
      if (centred) parts.push_back(sums_of(part));
    }
  return normal_equations(rows.d(), rows.t(), parts);
}

/// The fit by the singular values of the rows of data, without their means, in scratch memory.
template <class Exec, class T>
std::int64_t fit_by_singular_values(const Exec& exec, const std::string& label, std::vector<double>& coefficients,
                                    const fit_rows<T>& rows, const normal_equations& sums, double penalty) {
  const int d = rows.d(), t = rows.t();
  const std::int64_t more = penalty > 0 ? d : 0, n = rows.count();
  const work_matrix<Exec, T> a(exec, n + more, d), b(exec, n + more, t), x(exec, d, t);
  std::vector<double> offsets(2 * (d + t));
  for (int j = 0; j < d + t && sums.centred(); ++j) {
    offsets[j] = sums.origins()[j];
    offsets[d + t + j] = sums.offset(j);
  }
  const scratch_array<Exec, double> memory(exec, 2 * (d + t));
  copy_items_from_host(exec, memory.data(), offsets.data(), 2 * (d + t));
  const double* const origin = sums.centred() ? memory.data() : nullptr;
  const auto fill = [&](const column_major<T>& to, const column_range<T>& from, double root) {
    for_each_element(exec, label_text(label, "/rows"), to.rows, to.columns,
                     centred_element<T>{to, from, rows.weight, rows.weight_step, n, origin, memory.data() + d + t, root});
  };
  fill(*a, columns_from(rows.x, 0), std::sqrt(penalty));
  fill(*b, columns_from(rows.y, d), 0);
  const std::int64_t rank = solve_least_squares<Exec, T>(exec, label, as_matrix(*x), {}, {}, as_input(*a), as_input(*b),
                                                         {least_squares::svd, -1});
  std::vector<T> found(static_cast<std::size_t>(d) * t);
  copy_items_to_host(exec, found.data(), x->data, static_cast<std::int64_t>(found.size()));
  exec.fence(kernel_label(label, ": coefficients"));
  coefficients.assign(found.begin(), found.end());  // column by column, and so target by target
  return rank;
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

/// Gives the rank. `intercept` has no data where none is wanted.
template <class Exec, class T>
std::int64_t fit_linear(const Exec& exec, const std::string& label, const strided<T>& coefficients,
                        const strided<T>& intercept, const fit_rows<T>& rows, const linear_fit& fit) {
  const normal_equations sums = sum_columns(exec, label, rows, fit.intercept);
  std::vector<double> found;
  std::int64_t rank = 0;
  if (!sums.solve(fit.penalty, inflation_limit<T>, found, rank))
    rank = fit_by_singular_values(exec, label, found, rows, sums, fit.penalty);
  store_from_host(exec, label, coefficients, found);
  if (fit.intercept) store_from_host(exec, label, intercept, sums.intercepts(found));
  return rank;
}

/// The checks of a linear fit, and the fit.
template <class Exec, class Out, class X, class Y, class... Options>
std::int64_t linear_fit_call(const operation_name& name, const Exec& exec, const Out& out, const X& x_view,
                             const Y& y_view, linear_fit fit, const Options&... options) {
  using T = value_of<X>;
  call c(name, exec);
  const auto views = as_outputs(out);
  constexpr std::size_t count = std::tuple_size_v<decltype(views)>;
  static_assert(count <= 2, "quern: the outputs of a linear fit are the coefficients and the intercept");
  const auto coefficients = c.output(std::get<0>(views));
  fit.intercept = count == 2;
  const auto rows = rows_of_fit<T>(c, x_view, y_view, options...);
  check_lapack<Exec>(c.label);
  const std::int64_t d = rows.d(), least = fit.penalty > 0 ? 1 : d + (fit.intercept ? 1 : 0);
  if (rows.count() < least)
    throw Error(c.label, "x has " + std::to_string(rows.count()) + " rows, expected at least " + std::to_string(least));
  const bool several = operand_extents(c.label, y_view).rank == 2;
  const shape of_targets = several ? shape{rows.t()} : shape{};
  check_extents(c.label, "coefficients", coefficients.extents, several ? shape{rows.t(), d} : shape{d});
  check_apart_from_rows(c, "coefficients", coefficients, rows);
  auto intercept = coefficients;
  if constexpr (count == 2) {
    intercept = c.output(std::get<1>(views));
    check_extents(c.label, "intercept", intercept.extents, of_targets);
    check_apart_from_rows(c, "intercept", intercept, rows);
    check_apart(c.label, {"coefficients", "intercept"}, coefficients, intercept);
  }
  if (!(fit.penalty >= 0)) throw Error(c.label, "alpha is negative or NaN");
  return fit_linear(exec, c.label, coefficients, intercept, rows, fit);
}

}  // namespace impl

/// The linear function of d variables that is nearest to n rows of data, as scikit-learn's `LinearRegression`: the
/// coefficients w and the intercept b with the least `sum_i weight_i |y_i - x_i w - b|^2`. Gives the rank of x, and waits
/// for `exec`.
///
/// @code
/// quern::linear_regression(exec, quern::outputs(coefficients, intercept), x, y);
/// quern::linear_regression(exec, coefficients, x, y, quern::weights{w});  // b = 0
/// @endcode
///
/// | x | y | coefficients | intercept |
/// | --- | --- | --- | --- |
/// | (n, d) | (n) | (d) | () |
/// | (n, d) | (n, t), t targets | (t, d) | (t) |
///
/// @param out `outputs(coefficients, intercept)`, or `coefficients` alone, as with `fit_intercept=False`
/// @param options `weights{w}`, a View (n) of the type of x
///
/// Views of any layout, all of float or all of double, on the host or a device. One kernel reads the data once and
/// leaves the sums of products of all columns, counted from the first row, in double; these, (d + t + 1)^2 numbers, are
/// solved on the host. Where an origin was far from the mean, the kernel runs a second time. Coefficients are as
/// accurate as a sum of n terms is, about 1e-15 for n of a million, times the variance inflation factor of x: the
/// largest of 1 / (1 - R^2) of a column by the others, whatever the columns are scaled by. Where it exceeds 1e5 (of
/// float 1e12), where columns are collinear, and with more than some 85 columns, the fit is `lstsq` of a copy without means
/// in scratch memory: then the rank and, of all solutions, the shortest are NumPy's and scikit-learn's. Columns that do not
/// vary (without an intercept: zeros) have coefficient 0 and do not count in the rank.
///
/// NaN and infinities, which scikit-learn refuses, give NaN: in x for all and a rank of -1, in y for their target.
/// Weights below 0 count as NaN.
/// @throws Error if ranks or extents do not fit, there are fewer rows than unknowns (d, and 1 with an intercept), or an
///         output shares memory with another array; ConvergenceError by `lstsq`
template <execution_space Exec, output_like Out, array_like X, array_like Y, weights_option... Options>
std::int64_t linear_regression(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  return impl::linear_fit_call("quern::linear_regression", exec, out, x, y, {}, options...);
}
template <output_like Out, array_like X, array_like Y, weights_option... Options>
std::int64_t linear_regression(const Out& out, const X& x, const Y& y, const Options&... options) {
  return linear_regression(impl::space_of(std::get<0>(impl::as_outputs(out))), out, x, y, options...);
}
QUERN_TAKES_NAME_NOT(place, linear_regression)

/// The linear function that is nearest to n rows of data and has small coefficients, as scikit-learn's `Ridge`: the
/// least `sum_i weight_i |y_i - x_i w - b|^2 + alpha |w|^2`. The intercept b is not penalized.
///
/// Arguments, memory, accuracy and what NaN give are those of `linear_regression`; the factor by which columns that
/// resemble others lose accuracy is that of x with the penalty. Fewer rows than columns are allowed where alpha is above
/// 0. Gives the number of columns that vary, or for alpha = 0 the rank; waits for `exec`.
/// @param options `alpha{a}`, 1 without it; `weights{w}`
/// @throws Error as `linear_regression`, or if alpha is negative or NaN
template <execution_space Exec, output_like Out, array_like X, array_like Y, impl::ridge_option... Options>
std::int64_t ridge(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  return impl::linear_fit_call("quern::ridge", exec, out, x, y, {impl::option_or(alpha(), options...).value}, options...);
}
template <output_like Out, array_like X, array_like Y, impl::ridge_option... Options>
std::int64_t ridge(const Out& out, const X& x, const Y& y, const Options&... options) {
  return ridge(impl::space_of(std::get<0>(impl::as_outputs(out))), out, x, y, options...);
}
QUERN_TAKES_NAME_NOT(place, ridge)

}  // namespace quern

#endif
