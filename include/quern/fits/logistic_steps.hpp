// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LOGISTIC_STEPS_HPP
#define QUERN_FITS_LOGISTIC_STEPS_HPP

/// @file
/// What Newton's method for a logistic regression does on the host: numbers as many as there are parameters.

#include <vector>

namespace quern::impl {

/// The parameters of a logistic regression: of each of some logits d coefficients and an intercept, which stays 0 where
/// none is wanted. More than one logit are those of as many classes, whose parameters add up to 0.
struct logistic_parameters {
  int logits, d;
  bool with_intercept;
  double penalty;  // of half the squares of coefficients

  int size() const { return logits * (d + 1); }
  int at(int logit, int column) const { return logit * (d + 1) + column; }
  /// The penalty of parameters, and its gradient, which is added to one.
  double penalty_of(const std::vector<double>& parameters) const;
  void add_gradient_of_penalty(const std::vector<double>& parameters, std::vector<double>& gradient) const;
  /// Newton's step from a gradient and the second derivatives of the loss, a matrix of all parameters, to which those
  /// of the penalty are added here. Where these are singular, a step that goes downhill; false where there is none, as
  /// where all probabilities are 0 or 1.
  bool newton_step(const std::vector<double>& parameters, const std::vector<double>& hessian,
                   const std::vector<double>& gradient, std::vector<double>& step) const;
  /// The largest change of a logit by a change of one parameter of a column's deviation, beside the largest logit so
  /// far or 1.
  double relative_size(const std::vector<double>& step, const std::vector<double>& parameters,
                       const std::vector<double>& deviations) const;
  /// The size of the terms whose sum is a logit, where each column is its deviation.
  double size_of_terms(const std::vector<double>& parameters, const std::vector<double>& deviations) const;
};

}  // namespace quern::impl

#endif
