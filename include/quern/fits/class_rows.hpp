// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_CLASS_ROWS_HPP
#define QUERN_FITS_CLASS_ROWS_HPP

/// @file
/// Probabilities of classes, row by row, in double.

#include <quern/fits/products.hpp>

namespace quern::impl {

/// Where the probabilities of the classes of rows go.
template <class P>
struct class_probabilities {
  P* data;
  std::int64_t row_step, class_step;
  KOKKOS_FUNCTION P& operator()(std::int64_t row, int logit) const { return data[row * row_step + logit * class_step]; }
};

/// Probabilities of the classes of a row from the logits `(x - origin) w + b`. One logit is that of class 1, beside 0
/// for class 0.
template <class T, class P>
struct class_rows {
  column_range<T> x;
  const double* parameters;  // (logits, d + 1)
  const double* origin;      // null: zeros
  int logits;
  class_probabilities<P> probability;

  KOKKOS_FUNCTION double logit(std::int64_t row, int number) const {
    const double* const w = parameters + number * (x.columns + 1);
    double sum = w[x.columns];
    for (int j = 0; j < x.columns; ++j) {
      const double v = static_cast<double>(x.data[row * x.row_step + j * x.column_step]);
      sum += w[j] * (origin == nullptr ? v : v - origin[j]);
    }
    return sum;
  }
  /// Stores the probabilities and gives the loss of a row of that class, -log of its probability.
  KOKKOS_FUNCTION double store(std::int64_t row, std::int64_t of_class) const {
    return logits == 1 ? store_two(row, of_class) : store_several(row, of_class);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row) const { store(row, 0); }

 private:
  KOKKOS_FUNCTION double store_two(std::int64_t row, std::int64_t of_class) const {
    const double z = logit(row, 0), e = Kokkos::exp(-Kokkos::abs(z));
    probability(row, 0) = static_cast<P>((z < 0 ? e : 1) / (1 + e));
    const double right = of_class == 1 ? z : -z;
    return Kokkos::log1p(e) + (right > 0 ? 0 : -right);
  }
  KOKKOS_FUNCTION double store_several(std::int64_t row, std::int64_t of_class) const {
    double largest = logit(row, 0), own = 0;
    int first = 0;
    for (int a = 1; a < logits; ++a) {
      const double z = logit(row, a);
      if (!(z <= largest)) {  // NaN, too
        largest = z;
        first = a;
      }
    }
    double rest = 0;  // beside the largest, so that small ones count
    for (int a = 0; a < logits; ++a) {
      const double below = a == first ? largest - largest : logit(row, a) - largest;
      const double e = Kokkos::exp(below);
      probability(row, a) = static_cast<P>(e);
      if (a != first) rest += e;
      if (a == of_class) own = below;
    }
    for (int a = 0; a < logits; ++a)
      probability(row, a) = static_cast<P>(static_cast<double>(probability(row, a)) / (1 + rest));
    return Kokkos::log1p(rest) - own;
  }
};

/// What a fit needs of each row: its loss, and how far probabilities are from what it is, times its weight.
template <class T>
struct logistic_rows {
  class_rows<T, double> of_classes;
  const std::int64_t* label;
  const T* weight;
  std::int64_t weight_step, rows;
  double* loss;
  T* residual;  // (logits, rows)

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t own = label[row];
    const double w = weight == nullptr ? 1 : static_cast<double>(weight[row * weight_step]);
    const double found = of_classes.store(row, own);
    loss[row] = w == 0 ? 0 : w * found;
    for (int a = 0; a < of_classes.logits; ++a) {
      const bool is_own = of_classes.logits == 1 ? own == 1 : own == a;
      residual[a * rows + row] = static_cast<T>(w * (of_classes.probability(row, a) - (is_own ? 1 : 0)));
    }
  }
};

/// The weights of rows in the second derivatives by two logits; of different ones without their sign.
template <class T>
struct curvature_of_rows {
  class_probabilities<const double> probability;
  int first, second;
  const T* weight;
  std::int64_t weight_step;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const double p = probability(row, first), q = first == second ? 1 - p : probability(row, second);
    to[row] = static_cast<T>(p * q * (weight == nullptr ? 1 : static_cast<double>(weight[row * weight_step])));
  }
};

}  // namespace quern::impl

#endif
