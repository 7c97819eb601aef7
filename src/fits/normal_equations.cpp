// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/fits/normal_equations.hpp>
#include <utility>

#include "positive_matrix.hpp"

namespace quern::impl {

namespace {

/// Sums of squares below this have lost digits.
constexpr double least_squares_of_normal_numbers = 1e-300;

}  // namespace

normal_equations::normal_equations(int d, int t, std::vector<double> products, std::vector<double> origins)
    : d_(d), t_(t), products_(std::move(products)), origins_(std::move(origins)) {
  weight_ = product(d + t, d + t);
  for (int j = 0; j < d + t; ++j) sums_.push_back(product(j, d + t));
}
normal_equations::normal_equations(int d, int t, const std::vector<normal_equations>& of_columns) : d_(d), t_(t) {
  for (const normal_equations& n : of_columns) {
    weight_ = n.weight_;
    sums_.insert(sums_.end(), n.sums_.begin(), n.sums_.end());
    origins_.insert(origins_.end(), n.origins_.begin(), n.origins_.end());
  }
}

bool normal_equations::origins_are_far() const {
  for (int j = 0; centred() && j < d_ + t_; ++j) {
    const double between = sums_[j] * (sums_[j] / weight_);
    if (between > 100 * std::fabs(centred_product(j, j))) return true;
  }
  return false;
}

bool normal_equations::solve(double penalty, double limit, std::vector<double>& coefficients,
                             std::int64_t& rank) const {
  if (products_.empty()) return false;
  std::vector<int> columns;  // that vary
  std::vector<double> scale;
  for (int j = 0; j < d_ + t_; ++j) {
    const double squares = centred_product(j, j);
    if (!std::isfinite(squares) || (squares < least_squares_of_normal_numbers && (squares != 0 || sums_[j] != 0)))
      return false;
    if (squares == 0 || j >= d_) continue;
    columns.push_back(j);
    scale.push_back(std::sqrt(squares + penalty));
  }
  const int n = static_cast<int>(columns.size());
  positive_matrix a(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = i == j ? 1 : centred_product(columns[i], columns[j]) / scale[i] / scale[j];
  if (!a.factor() || !(a.largest_of_inverse() <= limit)) return false;
  rank = n;
  coefficients.assign(static_cast<std::size_t>(t_) * d_, 0);
  std::vector<double> x(n);
  for (int k = 0; k < t_; ++k) {
    for (int i = 0; i < n; ++i) x[i] = centred_product(columns[i], d_ + k) / scale[i];
    a.solve(x);
    for (int i = 0; i < n; ++i) coefficients[static_cast<std::size_t>(k) * d_ + columns[i]] = x[i] / scale[i];
  }
  return true;
}

std::vector<double> normal_equations::intercepts(const std::vector<double>& coefficients) const {
  std::vector<double> result(t_);
  for (int k = 0; k < t_; ++k) {
    result[k] = mean(d_ + k);
    for (int j = 0; j < d_; ++j) result[k] -= coefficients[static_cast<std::size_t>(k) * d_ + j] * mean(j);
  }
  return result;
}

}  // namespace quern::impl
