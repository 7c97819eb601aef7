// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <quern/fits/normal_equations.hpp>

namespace quern::impl {

namespace {

/// The descent as scikit-learn's with a Gram matrix: Friedman, Hastie and Tibshirani, J. Stat. Softw. 33, 2010. All
/// sums are those of n rows, and not divided by n.
class descent {
 public:
  descent(const normal_equations& sums, int d, int target, double penalty, double* w)
      : sums_(sums), target_(target), penalty_(penalty), w_(w), rest_(d) {
    for (int j = 0; j < d; ++j) {
      rest_[j] = sums_.centred_product(j, target_);
      for (int k = 0; k < d; ++k)
        if (w_[k] != 0) rest_[j] -= sums_.centred_product(j, k) * w_[k];
    }
  }

  /// Changes each coefficient once; gives the largest change as a part of the largest coefficient.
  double sweep() {
    double change = 0, largest = 0;
    for (int j = 0; j < d(); ++j) {
      const double squares = sums_.centred_product(j, j), before = w_[j];
      if (squares == 0) continue;
      const double wanted = rest_[j] + before * squares;
      w_[j] = std::copysign(std::max(std::fabs(wanted) - penalty_, 0.0), wanted) / squares;
      if (w_[j] != before)
        for (int k = 0; k < d(); ++k) rest_[k] -= (w_[j] - before) * sums_.centred_product(k, j);
      change = std::max(change, std::fabs(w_[j] - before));
      largest = std::max(largest, std::fabs(w_[j]));
    }
    return largest == 0 ? 0 : change / largest;
  }

  /// By how much the objective is above the least at most.
  double dual_gap() const {
    const double squares_of_y = sums_.centred_product(target_, target_);
    double steepest = 0, sizes = 0, fitted = 0, left = squares_of_y;
    for (int j = 0; j < d(); ++j) {
      const double by_y = sums_.centred_product(j, target_);
      steepest = std::max(steepest, std::fabs(rest_[j]));
      sizes += std::fabs(w_[j]);
      fitted += w_[j] * by_y;
      left -= w_[j] * (by_y + rest_[j]);
    }
    const double scale = steepest > penalty_ ? penalty_ / steepest : 1;
    return 0.5 * left * (1 + scale * scale) + (sizes > 0 ? penalty_ * sizes : 0) - scale * (squares_of_y - fitted);
  }

 private:
  int d() const { return static_cast<int>(rest_.size()); }
  const normal_equations& sums_;
  int target_;
  double penalty_;
  double* w_;
  std::vector<double> rest_;  // the products of columns with what is left of y
};

}  // namespace

lasso_descent normal_equations::descend(int target, double alpha, double tolerance, int max_iterations,
                                        double* coefficients) const {
  lasso_descent result;
  const int y = d_ + target;
  result.finite = std::isfinite(centred_product(y, y));
  for (int j = 0; j < d_; ++j) {
    result.finite = result.finite && std::isfinite(centred_product(j, y));
    for (int k = 0; k <= j; ++k) result.finite = result.finite && std::isfinite(centred_product(j, k));
  }
  if (!result.finite) return result;
  descent search(*this, d_, y, alpha * weight_, coefficients);
  const double least = tolerance * centred_product(y, y);
  while (!result.converged && result.iterations < max_iterations) {
    const double change = search.sweep();
    ++result.iterations;
    if (change > tolerance && result.iterations < max_iterations) continue;
    result.dual_gap = search.dual_gap();
    result.converged = result.dual_gap <= least || (alpha == 0 && change <= tolerance);
  }
  result.dual_gap /= weight_;
  return result;
}

}  // namespace quern::impl
