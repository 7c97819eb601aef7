// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <quern/fits/logistic_steps.hpp>

#include "positive_matrix.hpp"

namespace quern::impl {

double logistic_parameters::penalty_of(const std::vector<double>& parameters) const {
  double squares = 0;
  for (int a = 0; a < logits; ++a)
    for (int j = 0; j < d; ++j) squares += parameters[at(a, j)] * parameters[at(a, j)];
  return penalty > 0 ? penalty * squares / 2 : 0;
}

void logistic_parameters::add_gradient_of_penalty(const std::vector<double>& parameters,
                                                  std::vector<double>& gradient) const {
  for (int a = 0; a < logits; ++a)
    for (int j = 0; j < d; ++j) gradient[at(a, j)] += penalty * parameters[at(a, j)];
}

bool logistic_parameters::newton_step(const std::vector<double>& parameters, const std::vector<double>& hessian,
                                      const std::vector<double>& gradient, std::vector<double>& step) const {
  const int columns = d + (with_intercept ? 1 : 0), n = logits * columns;
  const auto parameter = [&](int i) { return at(i / columns, i % columns); };
  const auto second = [&](int i, int j) {
    const double of_penalty = i == j && i % columns < d ? penalty : 0;
    return hessian[static_cast<std::size_t>(parameter(i)) * size() + parameter(j)] + of_penalty;
  };
  // What all logits have in common changes no probability. Parameters start with none of it, and the gradient has none,
  // so that any curvature along it is right.
  std::vector<double> common(columns), scale(n);
  for (int i = 0; i < n && logits > 1; ++i) common[i % columns] += second(i, i) / (logits * logits);
  for (int i = 0; i < n; ++i) scale[i] = std::sqrt(second(i, i) + common[i % columns]);
  for (int i = 0; i < n; ++i)
    if (!(scale[i] > 0) && (parameters[parameter(i)] != 0 || gradient[parameter(i)] != 0)) return false;
  positive_matrix matrix(n);
  for (double damping = 0; damping < 1; damping = damping == 0 ? 1e-13 : damping * 100) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double sum = second(i, j) + (i % columns == j % columns ? common[i % columns] : 0);
        const double found = scale[i] > 0 && scale[j] > 0 ? sum / scale[i] / scale[j] : 0;
        matrix(i, j) = i == j ? 1 + damping : found;
      }
    if (!matrix.factor()) continue;
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i) x[i] = scale[i] > 0 ? -gradient[parameter(i)] / scale[i] : 0;
    matrix.solve(x);
    std::fill(step.begin(), step.end(), 0.0);
    double size_of_step = 0;
    for (int i = 0; i < n; ++i) {
      if (scale[i] > 0) step[parameter(i)] = x[i] / scale[i];
      size_of_step += std::fabs(x[i]);
    }
    for (int j = 0; j < columns && logits > 1; ++j) {
      double mean = 0;
      for (int a = 0; a < logits; ++a) mean += step[at(a, j)] / logits;
      for (int a = 0; a < logits; ++a) step[at(a, j)] -= mean;
    }
    return std::isfinite(size_of_step);
  }
  return false;
}

double logistic_parameters::relative_size(const std::vector<double>& step, const std::vector<double>& parameters,
                                          const std::vector<double>& deviations) const {
  double change = 0, largest = 1;
  for (int a = 0; a < logits; ++a)
    for (int j = 0; j <= d; ++j) {
      const double deviation = j < d ? deviations[j] : 1;
      change = std::max(change, std::fabs(step[at(a, j)]) * deviation);
      largest = std::max(largest, std::fabs(parameters[at(a, j)]) * deviation);
    }
  return change / largest;
}

double logistic_parameters::size_of_terms(const std::vector<double>& parameters,
                                          const std::vector<double>& deviations) const {
  double largest = 0;
  for (int a = 0; a < logits; ++a) {
    double sum = 0;
    for (int j = 0; j < d; ++j) sum += std::fabs(parameters[at(a, j)]) * deviations[j];
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace quern::impl
