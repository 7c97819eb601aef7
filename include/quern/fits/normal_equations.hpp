// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_NORMAL_EQUATIONS_HPP
#define QUERN_FITS_NORMAL_EQUATIONS_HPP

/// @file
/// The normal equations of a linear fit, on the host and in double: they are as many as a row of data has columns.

#include <cstdint>
#include <vector>

namespace quern::impl {

/// How a coordinate descent has ended.
struct lasso_descent {
  bool finite = true, converged = false;
  int iterations = 0;
  double dual_gap = 0;
};

/// The sums of products of the columns of x, (n, d), those of y, (n, t), and a one, counted from origins, and what
/// follows from them.
class normal_equations {
 public:
  /// @param products of d + t + 1 columns
  /// @param origins  of d + t columns; empty where the fit has no intercept, and nothing is centred
  normal_equations(int d, int t, std::vector<double> products, std::vector<double> origins);
  /// The sums of columns alone, from those of a few of them each, (x, no y).
  normal_equations(int d, int t, const std::vector<normal_equations>& of_columns);

  /// Whether an origin is so far from the mean that centred products lose digits; the means are better ones.
  bool origins_are_far() const;
  /// The means of all columns, from their origins and from zero.
  double offset(int column) const { return centred() ? sums_[column] / weight_ : 0; }
  double mean(int column) const { return centred() ? origins_[column] + offset(column) : 0; }
  bool centred() const { return !origins_.empty(); }
  bool has_products() const { return !products_.empty(); }
  double weight() const { return weight_; }
  const std::vector<double>& origins() const { return origins_; }

  /// Coefficients, (t, d), with the least `|y - x w|^2 + penalty |w|^2`, and the rank; false where a column depends on
  /// others so much that the products do not tell: where more than `limit` of its variance is explained by them, as
  /// the factor by which that multiplies the variance of its coefficient. Columns that do not vary have no coefficient.
  bool solve(double penalty, double limit, std::vector<double>& coefficients, std::int64_t& rank) const;
  /// The sum of products of deviations from the means.
  double centred_product(int i, int j) const {
    return centred() ? product(i, j) - sums_[i] * (sums_[j] / weight_) : product(i, j);
  }
  /// Coefficients of one target, (d), with the least `|y - x w|^2 / 2 weight() + alpha |w|_1`, from those that are
  /// given on, by coordinate descent on the sums of products.
  lasso_descent descend(int target, double alpha, double tolerance, int max_iterations, double* coefficients) const;
  /// What the coefficients leave of the means of y.
  std::vector<double> intercepts(const std::vector<double>& coefficients) const;

 private:
  double product(int i, int j) const { return products_[static_cast<std::size_t>(i) * (d_ + t_ + 1) + j]; }

  int d_, t_;
  double weight_ = 0;
  std::vector<double> products_, sums_, origins_;  // products are empty where only sums are known
};

}  // namespace quern::impl

#endif
