// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LOGISTIC_REGRESSION_HPP
#define QUERN_FITS_LOGISTIC_REGRESSION_HPP

/// @file
/// Probabilities of classes as functions of rows of data. They need the component `linalg`.

#include <limits>
#include <quern/core/call/tolerance.hpp>
#include <quern/fits/class_rows.hpp>
#include <quern/fits/fit_arguments.hpp>
#include <quern/fits/logistic_steps.hpp>
#include <quern/fits/sums.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern {

/// What `logistic_regression` says. `no_progress`: no step makes the sum smaller, as where classes are separated so far
/// that all probabilities are 0 or 1.
struct logistic_status {
  static constexpr int converged = 0, iteration_limit = 1, not_finite = 2, no_progress = 3;
};
/// How `logistic_regression` has ended: the status, the steps, and the sum that is least.
struct logistic_result {
  int status, iterations;
  double objective;
};

namespace impl {

template <class T>
concept logistic_option =
    is_option<alpha, T> || is_option<tolerance, T> || is_option<max_iterations, T> || weights_option<T>;

struct logistic_limits {
  double tolerance;
  int max_iterations;
  double rounding;  // a gain that is a smaller part of the sum says nothing
};

/// The rows of a logistic regression with what a step needs of each, in scratch memory.
template <class Exec, class T>
class logistic_problem {
 public:
  logistic_problem(const Exec& exec, const std::string& label, const fit_rows<T>& rows, const std::int64_t* labels,
                   const logistic_parameters& shape_of)
      : exec_(exec),
        label_(label),
        rows_(rows),
        labels_(labels),
        shape_(shape_of),
        numbers_(exec, shape_of.size() + shape_of.d + rows.count() * (shape_of.logits + 1)),
        values_(exec, rows.count() * (shape_of.logits + 1)) {
    const normal_equations sums = sum_all_products(exec, label, one_target(rows), shape_.with_intercept);
    for (int j = 0; j < shape_.d; ++j) {
      means_.push_back(sums.mean(j));
      deviations_.push_back(std::sqrt(std::max(sums.centred_product(j, j), 0.0) / sums.weight()));
    }
    copy_items_from_host(exec, origin(), means_.data(), shape_.d);
  }

  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& deviations() const { return deviations_; }

  /// The sum of losses and the penalty; leaves probabilities and residuals for derivatives. Waits.
  double objective(const std::vector<double>& parameters) const {
    copy_items_from_host(exec_, numbers_.data(), parameters.data(), shape_.size());
    const std::int64_t n = rows_.count();
    launch_units(exec_, label_text(label_, "/rows"), n,
                 logistic_rows<T>{{columns_from(rows_.x, 0), numbers_.data(), origin(), shape_.logits, {p(), 1, n}},
                                  labels_,
                                  rows_.weight,
                                  rows_.weight_step,
                                  n,
                                  loss(),
                                  residual()});
    return quern::sum(exec_, as_part<Exec, 1, Kokkos::LayoutRight>(strided<double>{loss(), {n}, {1}})) +
           shape_.penalty_of(parameters);
  }
  std::vector<double> gradient(const std::vector<double>& parameters) const {
    const int d = shape_.d;
    fit_rows<T> sums = rows_;
    sums.weight = nullptr;
    sums.y = strided<const T>{residual(), {rows_.count(), shape_.logits}, {1, rows_.count()}};
    const normal_equations found = sum_all_products(exec_, label_, sums, shape_.with_intercept);
    std::vector<double> result(shape_.size());
    for (int a = 0; a < shape_.logits; ++a) {
      const double total = found.weight() * found.mean(d + a);
      for (int j = 0; j < d; ++j)
        result[shape_.at(a, j)] = found.centred_product(j, d + a) + total * (found.mean(j) - means_[j]);
      result[shape_.at(a, d)] = total;
    }
    shape_.add_gradient_of_penalty(parameters, result);
    return result;
  }
  /// The second derivatives of the sum of losses.
  std::vector<double> hessian() const {
    std::vector<double> result(static_cast<std::size_t>(shape_.size()) * shape_.size());
    for (int a = 0; a < shape_.logits; ++a)
      for (int b = a; b < shape_.logits; ++b) {
        const std::vector<double> block = block_of(a, b);
        for (int i = 0; i <= shape_.d; ++i)
          for (int j = 0; j <= shape_.d; ++j) {
            const double second = block[i * (shape_.d + 1) + j] * (a == b ? 1 : -1);
            result[static_cast<std::size_t>(shape_.at(a, i)) * shape_.size() + shape_.at(b, j)] = second;
            result[static_cast<std::size_t>(shape_.at(b, j)) * shape_.size() + shape_.at(a, i)] = second;
          }
      }
    return result;
  }

 private:
  /// The sums of products of the columns and a one, times the curvature of each row.
  std::vector<double> block_of(int a, int b) const {
    const std::int64_t n = rows_.count();
    launch_units(exec_, label_text(label_, "/curvature"), n,
                 curvature_of_rows<T>{{p(), 1, n}, a, b, rows_.weight, rows_.weight_step, curvature()});
    fit_rows<T> rows = one_target(rows_);
    rows.weight = curvature();
    rows.weight_step = 1;
    rows.weight_extents = {n};
    const normal_equations found = sum_all_products(exec_, label_, rows, shape_.with_intercept);
    const int d = shape_.d;
    const double weight = found.weight();
    std::vector<double> block(static_cast<std::size_t>(d + 1) * (d + 1));
    if (weight == 0) return block;
    const auto shift = [&](int j) { return j < d ? found.mean(j) - means_[j] : 1; };
    for (int i = 0; i <= d; ++i)
      for (int j = 0; j <= d; ++j)
        block[i * (d + 1) + j] = (i < d && j < d ? found.centred_product(i, j) : 0) + weight * shift(i) * shift(j);
    return block;
  }
  /// The same rows with a target that is there already, where sums of x alone are needed.
  static fit_rows<T> one_target(const fit_rows<T>& rows) {
    fit_rows<T> result = rows;
    result.y = part_along(rows.x, 1, 0, 1);
    return result;
  }
  double* origin() const { return numbers_.data() + shape_.size(); }
  double* loss() const { return origin() + shape_.d; }
  double* p() const { return loss() + rows_.count(); }
  T* curvature() const { return values_.data(); }
  T* residual() const { return values_.data() + rows_.count(); }

  const Exec& exec_;
  const std::string& label_;
  fit_rows<T> rows_;
  const std::int64_t* labels_;
  logistic_parameters shape_;
  scratch_array<Exec, double> numbers_;
  scratch_array<Exec, T> values_;
  std::vector<double> means_, deviations_;
};

/// Newton's method with a step that is halved until the sum has become smaller, from zeros on.
template <class Problem>
logistic_result minimize_logistic(const Problem& problem, const logistic_parameters& shape_of,
                                  const logistic_limits& limits, std::vector<double>& parameters) {
  const auto all_finite = [](const std::vector<double>& v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
  };
  logistic_result r{-1, 0, problem.objective(parameters)};
  if (!std::isfinite(r.objective)) r.status = logistic_status::not_finite;
  std::vector<double> step(parameters.size());
  double before = std::numeric_limits<double>::infinity();  // the size of the last step
  while (r.status < 0) {
    if (r.iterations == limits.max_iterations) return {logistic_status::iteration_limit, r.iterations, r.objective};
    const auto gradient = problem.gradient(parameters), hessian = problem.hessian();
    if (!all_finite(gradient) || !all_finite(hessian)) return {logistic_status::not_finite, r.iterations, r.objective};
    if (!shape_of.newton_step(parameters, hessian, gradient, step))
      return {logistic_status::no_progress, r.iterations, r.objective};
    double slope = 0;
    for (std::size_t i = 0; i < step.size(); ++i) slope += gradient[i] * step[i];
    const double size = shape_of.relative_size(step, parameters, problem.deviations());
    // A row's loss is as inexact as its logit, and its residual, by which that counts, is no larger than the loss.
    const double rounding =
        limits.rounding * std::fabs(r.objective) * (1 + shape_of.size_of_terms(parameters, problem.deviations()));
    const bool hidden = -slope <= rounding;  // what the step would gain is lost in rounding
    bool last = size <= limits.tolerance || (hidden && size >= before / 2);
    before = size;
    // A short step is right where its gain is hidden: it leaves an error of its square.
    const bool trusted = (last || hidden) && size <= 1e-6;
    const double needed = last || hidden ? 0 : 1e-4 * slope;
    const std::vector<double> from = parameters;
    for (double part = 1;; part /= 2) {
      for (std::size_t i = 0; i < step.size(); ++i) parameters[i] = from[i] + part * step[i];
      const double found = problem.objective(parameters);
      if ((trusted && std::isfinite(found)) || found <= r.objective + 4 * rounding + part * needed) {
        r.objective = found;
        break;
      }
      if (last || hidden) {  // it is too long to be trusted
        parameters = from;
        last = true;
        break;
      }
      if (part < 1e-9) {
        parameters = from;
        return {logistic_status::no_progress, r.iterations, r.objective};
      }
    }
    ++r.iterations;
    if (last) r.status = logistic_status::converged;
  }
  return r;
}

/// The outputs of a logistic regression: of two classes (d) and (), of k (k, d) and (k).
template <class Exec, class Out, class T>
fit_outputs<T> outputs_of_classes(const call<Exec>& c, const Out& out_view, const fit_rows<T>& rows) {
  const auto views = as_outputs(out_view);
  constexpr std::size_t count = std::tuple_size_v<decltype(views)>;
  static_assert(count <= 2, "quern: the outputs of a logistic regression are the coefficients and the intercept");
  fit_outputs<T> out{c.output(std::get<0>(views)), {}, count == 2};
  const shape& found = out.coefficients.extents;
  const bool several = found.rank == 2;
  if (found.rank != 1 && !(several && found.extent[0] >= 2))
    reject_extents(c.label, "coefficients", found, "(d), of two classes, or (k, d), of k");
  check_extents(c.label, "coefficients", found, several ? shape{found.extent[0], rows.d()} : shape{rows.d()});
  check_apart_from_rows(c, "coefficients", out.coefficients, rows);
  if constexpr (count == 2) {
    out.intercept = c.output(std::get<1>(views));
    check_extents(c.label, "intercept", out.intercept.extents, several ? shape{found.extent[0]} : shape{});
    check_apart_from_rows(c, "intercept", out.intercept, rows);
    check_apart(c.label, {"coefficients", "intercept"}, out.coefficients, out.intercept);
  }
  return out;
}

/// Parameters of a fit in coordinates of means, to the outputs.
template <class Exec, class T>
void store_classes(const Exec& exec, const std::string& label, const fit_outputs<T>& out,
                   const logistic_parameters& shape_of, const std::vector<double>& parameters,
                   const std::vector<double>& means) {
  std::vector<double> coefficients, intercepts;
  for (int a = 0; a < shape_of.logits; ++a) {
    double intercept = parameters[shape_of.at(a, shape_of.d)];
    for (int j = 0; j < shape_of.d; ++j) {
      coefficients.push_back(parameters[shape_of.at(a, j)]);
      intercept -= coefficients.back() * means[j];
    }
    intercepts.push_back(intercept);
  }
  store_from_host(exec, label, out.coefficients, coefficients);
  if (out.with_intercept) store_from_host(exec, label, out.intercept, intercepts);
}

/// Coefficients and intercepts, of one logit or several; no data where there is no intercept.
template <class T>
struct class_coefficients {
  strided<const T> coefficients, intercept;

  int logits() const { return coefficients.extents.rank == 2 ? static_cast<int>(coefficients.extents.extent[0]) : 1; }
  std::int64_t d() const { return coefficients.extents.extent[coefficients.extents.rank - 1]; }
  /// As `class_rows` reads them.
  template <class Exec>
  void copy(const Exec& exec, const std::string& label, double* to) const {
    const std::int64_t k = logits(), row = d() + 1;
    const bool several = coefficients.extents.rank == 2;
    const auto& step = coefficients.stride;
    const strided<const T> w{coefficients.data, {k, d()}, {several ? step[0] : 0, step[several ? 1 : 0]}};
    const auto part = label_text(label, "/parameters");
    map_checked(part, exec, as_part<Exec, 2>(strided<double>{to, {k, d()}, {row, 1}}), op::identity(),
                as_part<Exec, 2>(w));
    const auto last = as_part<Exec, 1>(strided<double>{to + d(), {k}, {row}});
    if (intercept.data == nullptr) map_checked(part, exec, last, op::identity(), 0.0);
    else
      map_checked(part, exec, last, op::identity(),
                  as_part<Exec, 1>(strided<const T>{intercept.data, {k}, {several ? intercept.stride[0] : 0}}));
  }
};

/// Probabilities of classes of rows to an output: of a vector of coefficients those of class 1.
template <class Exec, class T>
void predict_classes(const call<Exec>& c, const strided<T>& out, const strided<const T>& x,
                     const class_coefficients<T>& of) {
  if (x.extents.rank != 2) reject_extents(c.label, "x", x.extents, "(n, d)");
  const std::int64_t n = x.extents.extent[0], d = x.extents.extent[1], k = of.logits();
  const bool several = of.coefficients.extents.rank == 2;
  check_extents(c.label, "coefficients", of.coefficients.extents, several ? shape{k, d} : shape{d});
  check_extents(c.label, "out", out.extents, several ? shape{n, k} : shape{n});
  check_apart(c.label, {"out", "x"}, out, x);
  check_apart(c.label, {"out", "coefficients"}, out, of.coefficients);
  if (of.intercept.data != nullptr) {
    check_extents(c.label, "intercept", of.intercept.extents, several ? shape{k} : shape{});
    check_apart(c.label, {"out", "intercept"}, out, of.intercept);
  }
  if (n == 0 || k == 0) return;
  const scratch_array<Exec, double> parameters(c.exec, k * (d + 1));
  of.copy(c.exec, c.label, parameters.data());
  launch_units(c.exec, c.label, n,
               class_rows<T, T>{columns_from(x, 0),
                                parameters.data(),
                                nullptr,
                                of.logits(),
                                {out.data, out.stride[0], several ? out.stride[1] : 0}});
}
/// What `predict_proba` takes.
template <class Out, class X, class Coefficients, class... Intercept>
constexpr bool predicts_classes() {
  using T = value_of<X>;
  constexpr bool real = (std::is_same_v<T, float> || std::is_same_v<T, double>) && std::is_same_v<value_of<Out>, T> &&
                        std::is_same_v<value_of<Coefficients>, T> && (std::is_same_v<value_of<Intercept>, T> && ...);
  static_assert(real, "quern::predict_proba: all arrays must be of float, or all of double");
  constexpr bool ranks = rank_of<Coefficients> == 1 || rank_of<Coefficients> == 2;
  static_assert(ranks, "quern::predict_proba: coefficients must have one axis, of two classes, or two");
  return real && ranks;
}

/// Classes as integers of 64 bits in scratch memory, checked. Waits.
template <class Exec, class Y>
void read_classes(const call<Exec>& c, const Y& y, std::int64_t* labels, std::int64_t n, std::int64_t classes) {
  const auto to = as_part<Exec, 1, Kokkos::LayoutRight>(strided<std::int64_t>{labels, {n}, {1}});
  map_checked(label_text(c.label, "/classes"), c.exec, to, cast_to<std::int64_t>(), y);
  const extrema<std::int64_t> found = quern::minmax(c.exec, to);
  if (found.min < 0 || found.max >= classes)
    throw Error(c.label, "y has the class " + std::to_string(found.min < 0 ? found.min : found.max) +
                             ", expected 0 to " + std::to_string(classes - 1));
}

}  // namespace impl

/// The probabilities of classes as functions of d variables, as scikit-learn's `LogisticRegression`. Of two classes,
/// class 1 has the probability `1 / (1 + exp(-(x w + b)))`; of k, each class has coefficients of its own, and a
/// probability in proportion to `exp(x w_a + b_a)`. Coefficients and intercepts are those with the least
/// `sum_i weight_i loss_i + alpha |w|^2 / 2`, where a row's loss is minus the logarithm of the probability of its
/// class.
///
/// @code
/// const auto ended = quern::logistic_regression(exec, quern::outputs(coefficients, intercept), x, classes);
/// quern::predict_proba(exec, p, x, coefficients, intercept);
/// @endcode
///
/// | classes | coefficients | intercept |
/// | --- | --- | --- |
/// | 0, 1 | (d) | () |
/// | 0 to k - 1, k of at least 2 | (k, d) | (k) |
///
/// @param out     `outputs(coefficients, intercept)`, of the type of x, or `coefficients` alone, as with
///                `fit_intercept=False`. Of k classes they add up to 0 over classes
/// @param x       (n, d), of float or double
/// @param y       (n), the class of each row, an array of integers, which may be lazy
/// @param options `alpha{a}`, 1 without it: scikit-learn's `C` is 1 / a; 0 is no penalty. `weights{w}`, of rows;
///                `tolerance{.relative = r}`, 1e-8 without it: the last step changes no logit by more than r of the
///                largest, or of 1, by a column's standard deviation, or gains less than the sum is rounded by;
///                `max_iterations{m}`, 100 without it
///
/// Newton's method (iteratively reweighted least squares) with a line search, in double: each step reads x once for
/// probabilities (2 k - 1 times for k classes), once for the gradient and once for each of the k (k + 1) / 2 pairs of
/// classes (one for two classes), by the kernels of `linear_regression`, and solves the equations of all parameters on
/// the host. Columns are taken without their means, so that origins far away cost no digits. Scratch memory is k + 1
/// doubles, as many values of T and a label of 64 bits for each row; beyond about 90 columns also a copy of x, whose
/// products are then those of `matmul`, in T. Waits for `exec`.
///
/// No convergence is no exception, but a `logistic_status`, and outputs are then what has been reached. Without a
/// penalty, classes that a plane separates have no best coefficients: these grow until the limit, or until nothing is
/// left to gain, `no_progress`; so does the intercept of a class that has no row. Of collinear columns without a
/// penalty it is one of the solutions. NaN, infinities, weights below 0 and squares that overflow give `not_finite`,
/// and NaN.
/// @throws Error if ranks or extents do not fit, there is no row, a class is none of the k, an output shares memory
///         with another array, the limit is below 1, or alpha or the tolerance is negative or NaN, or has an absolute
///         part
template <execution_space Exec, output_like Out, array_like X, array_like Y, impl::logistic_option... Options>
logistic_result logistic_regression(const Exec& exec, const Out& out_view, const X& x, const Y& y,
                                    const Options&... options) {
  using T = impl::value_of<X>;
  static_assert(std::is_integral_v<impl::value_of<Y>>,
                "quern::logistic_regression: y must be of integers, the classes");
  const impl::call c("quern::logistic_regression", exec);
  auto rows = impl::rows_of_fit<T>(c, x, x, options...);
  rows.y = impl::part_along(rows.x, 1, 0, 1);
  const auto out = impl::outputs_of_classes(c, out_view, rows);
  impl::check_extents(c.label, "y", impl::operand_extents(c.label, y), shape{rows.count()});
  impl::check_overlap(c.label, out.coefficients, c.elements(y), "y", false);
  if (out.with_intercept) impl::check_overlap(c.label, out.intercept, c.elements(y), "y", false);
  const double penalty = impl::option_or(alpha(), options...).value;
  const auto within = impl::tolerances_of(c.label, {1e-8, 0}, options...);
  const int limit = impl::option_or(max_iterations{100}, options...).value;
  if (!(penalty >= 0 && std::isfinite(penalty))) throw Error(c.label, "alpha is negative, infinite or NaN");
  if (within.absolute != 0) throw Error(c.label, "the tolerance is relative to the largest logit");
  if (limit < 1) throw Error(c.label, "max_iterations is " + std::to_string(limit) + ", expected at least 1");
  if (rows.count() < 1) throw Error(c.label, "x has 0 rows, expected at least 1");
  const bool several = out.coefficients.extents.rank == 2;
  const std::int64_t classes = several ? out.coefficients.extents.extent[0] : 2;
  const impl::scratch_array<Exec, std::int64_t> labels(exec, rows.count());
  impl::read_classes(c, y, labels.data(), rows.count(), classes);
  const impl::logistic_parameters all{several ? static_cast<int>(classes) : 1, rows.d(), out.with_intercept, penalty};
  const impl::logistic_problem<Exec, T> problem(exec, c.label, rows, labels.data(), all);
  std::vector<double> parameters(all.size());
  const logistic_result result =
      impl::minimize_logistic(problem, all, {within.relative, limit, sizeof(T) == 4 ? 1e-12 : 2e-16}, parameters);
  if (result.status == logistic_status::not_finite)
    std::fill(parameters.begin(), parameters.end(), std::numeric_limits<double>::quiet_NaN());
  impl::store_classes(exec, c.label, out, all, parameters, problem.means());
  return result;
}
template <output_like Out, array_like X, array_like Y, impl::logistic_option... Options>
logistic_result logistic_regression(const Out& out, const X& x, const Y& y, const Options&... options) {
  return logistic_regression(impl::space_of(std::get<0>(impl::as_outputs(out))), out, x, y, options...);
}
QUERN_TAKES_NAME_NOT(place, logistic_regression)

/// The probabilities of classes that `logistic_regression` has fitted, of rows x, (n, d): with coefficients (d) and
/// intercept () those of class 1, (n); with (k, d) and (k) those of all classes, (n, k), each row of which adds up
/// to 1. Without an intercept it is 0. The class of the greatest is `argmax(exec, classes, out, axis{1})`.
///
/// All Views are of float or all of double, in which the exponentials of double are rounded. Asynchronous on `exec`: a
/// kernel, and copies of the coefficients, in scratch memory; it may be captured in a device graph.
/// @throws Error if extents do not fit, or out shares memory with another array
template <execution_space Exec, view_like Out, array_like X, array_like Coefficients, array_like Intercept>
void predict_proba(const Exec& exec, const Out& out, const X& x, const Coefficients& coefficients,
                   const Intercept& intercept) {
  if constexpr (impl::predicts_classes<Out, X, Coefficients, Intercept>()) {
    const impl::call c("quern::predict_proba", exec);
    impl::predict_classes<Exec, impl::value_of<X>>(c, c.output(out), c.input(x),
                                                   {c.input(coefficients), c.input(intercept)});
  }
}
template <execution_space Exec, view_like Out, array_like X, array_like Coefficients>
void predict_proba(const Exec& exec, const Out& out, const X& x, const Coefficients& coefficients) {
  if constexpr (impl::predicts_classes<Out, X, Coefficients>()) {
    const impl::call c("quern::predict_proba", exec);
    impl::predict_classes<Exec, impl::value_of<X>>(c, c.output(out), c.input(x), {c.input(coefficients), {}});
  }
}
template <view_like Out, array_like X, array_like Coefficients, array_like Intercept>
void predict_proba(const Out& out, const X& x, const Coefficients& coefficients, const Intercept& intercept) {
  predict_proba(impl::space_of(out), out, x, coefficients, intercept);
}
template <view_like Out, array_like X, array_like Coefficients>
void predict_proba(const Out& out, const X& x, const Coefficients& coefficients) {
  predict_proba(impl::space_of(out), out, x, coefficients);
}
QUERN_TAKES_NAME_NOT(option_or_place, predict_proba)

}  // namespace quern

#endif
