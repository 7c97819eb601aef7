// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LINEAR_REGRESSION_HPP
#define QUERN_FITS_LINEAR_REGRESSION_HPP

/// @file
/// Linear fits of many rows of data. They need the component `linalg`.

#include <algorithm>
#include <quern/core/call/weights.hpp>
#include <quern/fits/fit_arguments.hpp>
#include <quern/fits/sums.hpp>
#include <quern/linalg/least_squares.hpp>

namespace quern {

namespace impl {

/// The variance inflation up to which sums of products say enough: coefficients then have ten digits, those of columns
/// of float, whose products are exact in double, three; a decomposition in float would leave them one.
template <class T>
inline constexpr double inflation_limit = sizeof(T) == 4 ? 1e12 : 1e5;

/// How many columns have an element that is not zero.
template <class Exec, class T>
std::int64_t count_varying(const Exec& exec, const std::string& label, const column_major<T>& a) {
  const work_matrix<Exec, T> largest(exec, 1, a.columns);
  norm<norm_order::infinity>(exec, as_part<Exec, 1>(strided<T>{(*largest).data, {a.columns}, {1}}),
                             as_part<Exec, 2>(as_input(a)), axis{0});
  const auto found = values_on_host(exec, label, *largest);
  return std::count_if(found.begin(), found.end(), [](double v) { return v > 0; });
}

/// The fit by the singular values of the rows of data, without their means.
template <class Exec, class T>
std::int64_t fit_by_singular_values(const Exec& exec, const std::string& label, std::vector<double>& coefficients,
                                    const fit_rows<T>& rows, const normal_equations& sums, double penalty) {
  const int d = rows.d(), t = rows.t();
  const centred_observations<Exec, T> data(exec, label, rows, sums, penalty);
  const work_matrix<Exec, T> x(exec, d, t);
  const std::int64_t rank = solve_least_squares<Exec, T>(exec, label, as_matrix(*x), {}, {}, as_input(*data.x),
                                                         as_input(*data.y), {least_squares::svd, -1});
  coefficients = values_on_host(exec, label, *x);  // column by column, and so target by target
  if (!(penalty > 0) || rank < 0) return rank;
  column_major<T> observed = *data.x;  // without the rows of the penalty
  observed.rows = rows.count();
  return count_varying(exec, label, observed);
}

/// Gives the rank.
template <class Exec, class T>
std::int64_t fit_linear(const Exec& exec, const std::string& label, const fit_outputs<T>& out, const fit_rows<T>& rows,
                        double penalty) {
  const normal_equations sums = sum_columns(exec, label, rows, out.with_intercept);
  check_weights(label, rows, sums);
  std::vector<double> found;
  std::int64_t rank = 0;
  if (!sums.solve(penalty, inflation_limit<T>, found, rank))
    rank = fit_by_singular_values(exec, label, found, rows, sums, penalty);
  store_fit(exec, label, out, found, sums);
  return rank;
}

/// The checks of a linear fit, and the fit.
template <class Exec, class Out, class X, class Y, class... Options>
std::int64_t linear_fit_call(const operation_name& name, const Exec& exec, const Out& out_view, const X& x, const Y& y,
                             double penalty, const Options&... options) {
  using T = value_of<X>;
  const call c(name, exec);
  const auto rows = rows_of_fit<T>(c, x, y, options...);
  constexpr bool with_intercept = std::tuple_size_v<decltype(as_outputs(out_view))> == 2;
  const auto out = outputs_of_fit(c, out_view, y, rows, penalty > 0 ? 1 : rows.d() + (with_intercept ? 1 : 0));
  if (!(penalty >= 0)) throw Error(c.label, "alpha is negative or NaN");
  return fit_linear(exec, c.label, out, rows, penalty);
}

}  // namespace impl

/// The linear function of d variables that is nearest to n rows of data, as scikit-learn's `LinearRegression`: the
/// coefficients w and the intercept b with the least `sum_i weight_i |y_i - x_i w - b|^2`. Gives the rank of x, and
/// waits for `exec`.
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
/// accurate as a sum of n terms is, about 1e-14 for n of a million, times the variance inflation factor of x: the
/// largest of 1 / (1 - R^2) of a column by the others, whatever the columns are scaled by, so that columns of 1e150 and
/// of 1e-150 are told apart. Where it exceeds 1e5 (of float 1e12), where columns are collinear or their squares
/// overflow, and with more than some 85 columns, the fit is `lstsq` of a copy without means in scratch memory: then the
/// rank and, of all solutions, the shortest are those of `numpy.linalg.lstsq`. Columns that do not vary (without an
/// intercept: zeros) have coefficient 0 and do not count in the rank.
///
/// NaN and infinities, which scikit-learn refuses, give NaN: in x for all and a rank of -1, in y for their target.
/// Weights below 0 count as NaN.
/// @throws Error if ranks or extents do not fit, there are fewer rows than unknowns (d, and 1 with an intercept), all
///         weights are zero, or an output shares memory with another array; ConvergenceError by `lstsq`
template <execution_space Exec, output_like Out, array_like X, array_like Y, weights_option... Options>
std::int64_t linear_regression(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  return impl::linear_fit_call("quern::linear_regression", exec, out, x, y, 0, options...);
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
/// resemble others lose accuracy is that of x with the penalty. Fewer rows than columns are allowed where alpha is
/// above 0. Gives the number of columns that vary, or for alpha = 0 the rank; waits for `exec`.
/// @param options `alpha{a}`, 1 without it; `weights{w}`
/// @throws Error as `linear_regression`, or if alpha is negative or NaN
template <execution_space Exec, output_like Out, array_like X, array_like Y, impl::ridge_option... Options>
std::int64_t ridge(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  return impl::linear_fit_call("quern::ridge", exec, out, x, y, impl::option_or(alpha(), options...).value, options...);
}
template <output_like Out, array_like X, array_like Y, impl::ridge_option... Options>
std::int64_t ridge(const Out& out, const X& x, const Y& y, const Options&... options) {
  return ridge(impl::space_of(std::get<0>(impl::as_outputs(out))), out, x, y, options...);
}
QUERN_TAKES_NAME_NOT(place, ridge)

}  // namespace quern

#endif
