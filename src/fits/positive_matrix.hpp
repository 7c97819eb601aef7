// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FITS_POSITIVE_MATRIX_HPP
#define QUERN_SRC_FITS_POSITIVE_MATRIX_HPP

#include <cmath>
#include <cstddef>
#include <vector>

namespace quern::impl {

/// A symmetric positive definite matrix and its triangular factor, row by row.
class positive_matrix {
 public:
  explicit positive_matrix(int n) : n_(n), a_(static_cast<std::size_t>(n) * n) {}
  double& operator()(int i, int j) { return a_[static_cast<std::size_t>(i) * n_ + j]; }

  /// L with A = L L^T in the lower triangle; false where a pivot is not positive.
  bool factor() {
    auto& a = *this;
    for (int j = 0; j < n_; ++j)
      for (int i = j; i < n_; ++i) {
        double sum = a(i, j);
        for (int k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
        if (i == j && !(sum > 0)) return false;
        a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
      }
    return true;
  }
  /// The largest element of the diagonal of the inverse: the squares of the columns of L^-1 are added up.
  double largest_of_inverse() {
    auto& a = *this;
    double largest = 0;
    std::vector<double> column(n_);
    for (int j = 0; j < n_; ++j) {
      double squares = 0;
      for (int i = j; i < n_; ++i) {
        double sum = i == j ? 1 : 0;
        for (int k = j; k < i; ++k) sum -= a(i, k) * column[k];
        column[i] = sum / a(i, i);
        squares += column[i] * column[i];
      }
      largest = !(squares <= largest) ? squares : largest;  // NaN, too
    }
    return largest;
  }
  void solve(std::vector<double>& x) {
    auto& a = *this;
    for (int i = 0; i < n_; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= a(i, k) * x[k];
      x[i] /= a(i, i);
    }
    for (int i = n_ - 1; i >= 0; --i) {
      for (int k = i + 1; k < n_; ++k) x[i] -= a(k, i) * x[k];
      x[i] /= a(i, i);
    }
  }

 private:
  int n_;
  std::vector<double> a_;
};

}  // namespace quern::impl

#endif
