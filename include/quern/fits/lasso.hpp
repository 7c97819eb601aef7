// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LASSO_HPP
#define QUERN_FITS_LASSO_HPP

#include <limits>
#include <quern/batch/newton.hpp>
#include <quern/core/call/tolerance.hpp>
#include <quern/fits/fit_arguments.hpp>
#include <quern/fits/sums.hpp>

namespace quern {

/// What `lasso` says of its targets.
struct lasso_status {
  static constexpr int converged = 0, iteration_limit = 1, not_finite = 2;
};
/// How `lasso` has ended: the status, the sweeps over all coefficients and the duality gap of the worst target.
struct lasso_result {
  int status, iterations;
  double dual_gap;
};

namespace impl {

template <class T>
concept lasso_option =
    is_option<alpha, T> || is_option<tolerance, T> || is_option<max_iterations, T> || weights_option<T>;

struct lasso_limits {
  double alpha, tolerance;
  int max_iterations;
};

/// `intercept` has no data where none is wanted.
template <class Exec, class T>
lasso_result fit_lasso(const Exec& exec, const std::string& label, const fit_outputs<T>& out, const fit_rows<T>& rows,
                       const lasso_limits& limits) {
  const normal_equations sums = sum_all_products(exec, label, rows, out.with_intercept);
  check_weights(label, rows, sums);
  std::vector<double> found(static_cast<std::size_t>(rows.t()) * rows.d());
  lasso_result result{lasso_status::converged, 0, 0};
  for (int k = 0; k < rows.t(); ++k) {
    double* const w = found.data() + static_cast<std::size_t>(k) * rows.d();
    const lasso_descent one = sums.descend(k, limits.alpha, limits.tolerance, limits.max_iterations, w);
    if (!one.finite) std::fill_n(w, rows.d(), std::numeric_limits<double>::quiet_NaN());
    const int status = !one.finite      ? lasso_status::not_finite
                       : !one.converged ? lasso_status::iteration_limit
                                        : lasso_status::converged;
    result = {std::max(result.status, status), std::max(result.iterations, one.iterations),
              std::max(result.dual_gap, one.dual_gap)};
  }
  store_fit(exec, label, out, found, sums);
  return result;
}

}  // namespace impl

/// A linear function of few of the columns of x: the coefficients w and the intercept b with the least
/// `sum_i weight_i (y_i - x_i w - b)^2 / (2 sum_i weight_i) + alpha |w|_1`, as scikit-learn's `Lasso`, by coordinate
/// descent on sums of products. Each target is a fit of its own.
///
/// @code
/// const auto ended = quern::lasso(exec, quern::outputs(coefficients, intercept), x, y, quern::alpha{0.1});
/// @endcode
///
/// Shapes, types, the intercept and `weights` are those of `linear_regression`; there may be fewer rows than columns.
/// @param options `alpha{a}`, 1 without it; `weights{w}`; `tolerance{.relative = r}`, 1e-4 without it: a target has
///            converged where the duality gap, by which the objective may be above the least, is at most r of that of
///            no coefficients, once a sweep changes none by more than r of the largest; `max_iterations`, 1000 sweeps
///            without it. Of alpha = 0, where the gap is no bound, it has converged once a sweep changes so little; of
///            an infinite one, all coefficients are zero
///
/// The kernel of `linear_regression` reads the data once; the descent runs on the host, in double, on d^2 numbers. More
/// than some 85 columns are multiplied by `matmul` in the type of the data, from a copy in scratch memory. Coefficients
/// that are zero are exactly zero. Waits for `exec`.
///
/// No convergence is no exception, but a `lasso_status`; coefficients are then the best that were found. NaN and
/// infinities, and sums of squares that overflow, give the status `not_finite` and NaN for their target.
/// @throws Error if ranks or extents do not fit, there is no row, an output shares memory with another array, the limit
///         is below 1, or alpha or the tolerance is negative or NaN, or has an absolute part
template <execution_space Exec, output_like Out, array_like X, array_like Y, impl::lasso_option... Options>
lasso_result lasso(const Exec& exec, const Out& out_view, const X& x, const Y& y, const Options&... options) {
  using T = impl::value_of<X>;
  const impl::call c("quern::lasso", exec);
  const auto rows = impl::rows_of_fit<T>(c, x, y, options...);
  const auto out = impl::outputs_of_fit(c, out_view, y, rows, 1);
  const double penalty = impl::option_or(alpha(), options...).value;
  const auto within = impl::tolerances_of(c.label, {1e-4, 0}, options...);
  if (!(penalty >= 0)) throw Error(c.label, "alpha is negative or NaN");
  if (within.absolute != 0) throw Error(c.label, "the tolerance is relative to the squares of y");
  const int limit = impl::option_or(max_iterations{1000}, options...).value;
  if (limit < 1) throw Error(c.label, "max_iterations is " + std::to_string(limit) + ", expected at least 1");
  return impl::fit_lasso(exec, c.label, out, rows, {penalty, within.relative, limit});
}
template <output_like Out, array_like X, array_like Y, impl::lasso_option... Options>
lasso_result lasso(const Out& out, const X& x, const Y& y, const Options&... options) {
  return lasso(impl::space_of(out), out, x, y, options...);
}
QUERN_TAKES_NAME_NOT(place, lasso)

}  // namespace quern

#endif
