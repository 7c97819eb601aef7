// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_LEVENBERG_MARQUARDT_HPP
#define QUERN_FITS_LEVENBERG_MARQUARDT_HPP

/// @file
/// The steps of a nonlinear least-squares fit, without the sums over its points: these are taken by one thread for each
/// of many fits, or by all threads for one (Levenberg, 1944; Marquardt, 1963; the damping of Nielsen, IMM-REP-1999-05,
/// and the tests of More's MINPACK).

#include <quern/autodiff/derivatives.hpp>

namespace quern {

/// What `curve_fit` says of a fit.
struct curve_fit_status {
  static constexpr int converged = 0, iteration_limit = 1, not_finite = 2, no_progress = 3;
};

namespace impl {

/// Sums over the points of a fit: of the squares of residuals, and with their derivatives J the lower triangle of
/// J^T J and J^T r.
template <class T, int N>
struct residual_sums {
  T squares, gradient[N], products[N][N];

  KOKKOS_FUNCTION void clear() {
    squares = T(0);
    for (int i = 0; i < N; ++i) {
      gradient[i] = T(0);
      for (int j = 0; j <= i; ++j) products[i][j] = T(0);
    }
  }
  KOKKOS_FUNCTION void add(const T& r, const dual<T, N>& f, const T& weight) {
    squares += r * r;
    for (int i = 0; i < N; ++i) {
      const T slope = f.derivative[i] * weight;
      gradient[i] += slope * r;
      for (int j = 0; j <= i; ++j) products[i][j] += slope * (f.derivative[j] * weight);
    }
  }
  KOKKOS_FUNCTION void add(const residual_sums& o) {
    squares += o.squares;
    for (int i = 0; i < N; ++i) {
      gradient[i] += o.gradient[i];
      for (int j = 0; j <= i; ++j) products[i][j] += o.products[i][j];
    }
  }
  KOKKOS_FUNCTION bool finite() const {
    bool all = Kokkos::isfinite(squares);
    for (int i = 0; i < N; ++i) {
      all = all && Kokkos::isfinite(gradient[i]);
      for (int j = 0; j <= i; ++j) all = all && Kokkos::isfinite(products[i][j]);
    }
    return all;
  }
};

/// J^T J with rows and columns divided by lengths, and its triangular factor.
template <class T, int N>
struct scaled_products {
  T a[N][N];

  /// The factor of the matrix plus `damping` in its diagonal; false where a pivot is not above `least`.
  KOKKOS_FUNCTION bool factor(const residual_sums<T, N>& s, const Kokkos::Array<T, N>& length, T damping, T least) {
    for (int j = 0; j < N; ++j)
      for (int i = j; i < N; ++i) {
        T sum = s.products[i][j] / length[i] / length[j] + (i == j ? damping : T(0));
        for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
        if (i == j && !(sum > least)) return false;
        a[i][j] = i == j ? Kokkos::sqrt(sum) : sum / a[j][j];
      }
    return true;
  }
  KOKKOS_FUNCTION void solve(Kokkos::Array<T, N>& x) const {
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
      x[i] /= a[i][i];
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k) x[i] -= a[k][i] * x[k];
      x[i] /= a[i][i];
    }
  }
};

/// What ends a fit.
struct fit_limits {
  double relative, absolute;
  int max_iterations;
};

/// A fit between the sums over its points, from those at the guess on:
/// `while (fit.propose()) fit.judge(sums_at(fit.trial));`.
template <class T, int N>
struct levenberg_marquardt {
  using vector = Kokkos::Array<T, N>;
  fit_limits limits;
  vector parameters, trial{};
  residual_sums<T, N> at;  // the parameters
  vector length{};         // the largest of each column of J so far
  vector step{};           // times the lengths
  T damping = T(1e-3), growth = T(2), predicted = T(0);
  int iterations = 0, status = -1;  // not ended
  bool underflows;                  // squares of the residuals at the guess, which then tell nothing

  KOKKOS_FUNCTION levenberg_marquardt(const fit_limits& given, const vector& start, const residual_sums<T, N>& sums)
      : limits(given), parameters(start), at(sums), underflows(sums.squares < Kokkos::Experimental::norm_min_v<T>) {
    if (!at.finite()) status = curve_fit_status::not_finite;
    for (int i = 0; i < N; ++i) length[i] = T(0);
    stretch();
  }

  /// Makes the next trial; false at the end.
  KOKKOS_FUNCTION bool propose() {
    if (status < 0 && is_stationary()) status = curve_fit_status::converged;
    if (status < 0 && iterations >= limits.max_iterations) status = curve_fit_status::iteration_limit;
    if (status >= 0) return false;
    scaled_products<T, N> matrix;
    while (!matrix.factor(at, length, damping, T(0)))
      if (!raise_damping()) return false;
    for (int i = 0; i < N; ++i) step[i] = -at.gradient[i] / length[i];
    matrix.solve(step);
    predicted = T(0);
    for (int i = 0; i < N; ++i) {
      predicted += step[i] * (damping * step[i] - at.gradient[i] / length[i]);
      trial[i] = parameters[i] + step[i] / length[i];
    }
    ++iterations;
    return true;
  }

  /// Takes the trial, or not.
  KOKKOS_FUNCTION void judge(const residual_sums<T, N>& sums) {
    const T least = Kokkos::max(static_cast<T>(limits.relative), 8 * Kokkos::Experimental::epsilon_v<T>);
    const bool finite = sums.finite();
    const T actual = finite ? at.squares - sums.squares : -Kokkos::Experimental::infinity_v<T>;
    const bool small_gain = !underflows && Kokkos::abs(actual) <= least * at.squares && predicted <= least * at.squares;
    const bool ends = small_gain || step_is_small(least);
    if (underflows && !ends) {
      status = curve_fit_status::no_progress;
      return;
    }
    const T ratio = predicted > T(0) ? actual / predicted : T(0);
    if (ratio > T(1e-4)) {
      parameters = trial;
      at = sums;
      stretch();
      const T r = 2 * ratio - 1;
      damping *= Kokkos::max(T(0.1), 1 - r * r * r);
      growth = T(2);
    } else if (!(ends && finite) && !raise_damping()) {
      return;
    }
    if (ends && finite) status = curve_fit_status::converged;
  }

  /// (J^T J)^-1 times `factor`; infinite where J has dependent columns.
  KOKKOS_FUNCTION void covariance(T factor, T (&out)[N][N]) const {
    vector own;
    for (int i = 0; i < N; ++i) own[i] = at.products[i][i] > T(0) ? Kokkos::sqrt(at.products[i][i]) : T(1);
    scaled_products<T, N> matrix;
    const bool known =
        Kokkos::isfinite(factor) && at.finite() && matrix.factor(at, own, T(0), N * Kokkos::Experimental::epsilon_v<T>);
    for (int j = 0; j < N; ++j) {
      vector column;
      for (int i = 0; i < N; ++i) column[i] = T(i == j ? 1 : 0);
      if (known) matrix.solve(column);
      for (int i = 0; i < N; ++i)
        out[i][j] = known ? factor * (column[i] / own[i] / own[j]) : Kokkos::Experimental::infinity_v<T>;
    }
  }

 private:
  KOKKOS_FUNCTION void stretch() {
    for (int i = 0; i < N; ++i) {
      length[i] = Kokkos::max(length[i], Kokkos::sqrt(at.products[i][i]));
      if (!(length[i] > T(0))) length[i] = T(1);
    }
  }
  /// Whether the residuals are at right angles to all columns of J, to rounding.
  KOKKOS_FUNCTION bool is_stationary() const {
    bool all = true;
    for (int i = 0; i < N; ++i)
      all = all && Kokkos::abs(at.gradient[i]) <=
                       Kokkos::Experimental::epsilon_v<T> * Kokkos::sqrt(at.products[i][i]) * Kokkos::sqrt(at.squares);
    return all;
  }
  KOKKOS_FUNCTION bool step_is_small(T least) const {
    T largest(0), squares(0), all(0);
    vector own;  // of J as it is: beside a column that was longer by orders at the guess, no other step would count
    for (int i = 0; i < N; ++i) {
      own[i] = at.products[i][i] > T(0) ? Kokkos::sqrt(at.products[i][i]) : length[i];
      largest = Kokkos::max(largest, Kokkos::abs(parameters[i] * own[i]));
    }
    if (!(largest > T(0))) largest = T(1);
    bool absolute = true;
    for (int i = 0; i < N; ++i) {
      // Divided so that squares do not underflow.
      const T p = parameters[i] * own[i] / largest, part = step[i] * (own[i] / length[i]) / largest;
      squares += part * part;
      all += p * p;
      absolute = absolute && Kokkos::abs(step[i] / length[i]) <= static_cast<T>(limits.absolute);
    }
    return absolute || squares <= least * least * all;
  }
  KOKKOS_FUNCTION bool raise_damping() {
    damping *= growth;
    growth *= 2;
    if (Kokkos::isfinite(damping) && damping < T(1e30)) return true;
    status = curve_fit_status::no_progress;
    return false;
  }
};

}  // namespace impl
}  // namespace quern

#endif
