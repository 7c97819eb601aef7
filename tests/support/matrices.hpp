// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_MATRICES_HPP
#define QUERN_TESTS_SUPPORT_MATRICES_HPP

/// @file
/// Matrices of tests, and what is computed of them in long double.

#include <algorithm>
#include <cmath>
#include <quern/linalg/small_kernels.hpp>
#include <string>
#include <vector>

namespace test {

using wide = Kokkos::complex<long double>;

template <class T>
wide widened(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return wide(x, 0);
  else return wide(x.real(), x.imag());
}
template <class T>
T number(double re, double im) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(re);
  else return T(static_cast<quern::impl::real_type<T>>(re), static_cast<quern::impl::real_type<T>>(im));
}
/// Numbers between -1 and 1 with all their digits.
template <class T>
T any(std::uint64_t i, std::uint64_t seed) {
  const auto part = [&](std::uint64_t s) {
    return std::sin(static_cast<double>(i * i % 10007 + 13 * i) + 1.7 * s + 0.7);
  };
  return number<T>(part(seed), part(seed + 5));
}

template <class T>
struct matrix {
  int rows, columns;
  std::vector<T> v;
  matrix(int m, int n) : rows(m), columns(n), v(m * n) {}
  T& operator()(int i, int j) { return v[i * columns + j]; }
  const T& operator()(int i, int j) const { return v[i * columns + j]; }
};

/// The largest sum of |a(i, j)| of a row.
template <class T>
double norm(const matrix<T>& a) {
  double most = 0;
  for (int i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (int j = 0; j < a.columns; ++j) sum += static_cast<double>(Kokkos::abs(widened(a(i, j))));
    most = std::max(most, sum);
  }
  return most;
}

/// a b in long double.
template <class T>
matrix<wide> product(const matrix<T>& a, const matrix<T>& b) {
  matrix<wide> c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += widened(a(i, k)) * widened(b(k, j));
  return c;
}
template <class T>
double distance(const matrix<wide>& a, const matrix<T>& b) {
  matrix<wide> d = a;
  for (std::size_t i = 0; i < d.v.size(); ++i) d.v[i] -= widened(b.v[i]);
  return norm(d);
}
template <class T>
matrix<T> part(const std::vector<T>& all, int item, int m, int n) {
  matrix<T> a(m, n);
  std::copy_n(all.begin() + std::size_t(item) * m * n, m * n, a.v.begin());
  return a;
}

/// Kinds of matrices: without structure, of condition 10^digits, with zeros on the diagonal so that rows must move.
template <class T>
std::vector<T> matrices(int items, int n, const std::string& kind, int digits = 0) {
  std::vector<T> all;
  for (int b = 0; b < items; ++b) {
    matrix<T> a(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = any<T>(i * n + j, b);
    if (kind == "zero diagonal")
      for (int i = 0; i < n; ++i) a(i, i) = T(0);
    if (kind == "condition") {  // H1 D H2 with reflections H and singular values from 1 to 10^-digits
      const auto reflect = [&](bool rows, std::uint64_t seed) {
        std::vector<T> w(n);
        double square = 0;
        for (int i = 0; i < n; ++i) {
          w[i] = any<T>(i, seed);
          square += static_cast<double>(Kokkos::abs(widened(w[i]) * widened(w[i])));
        }
        for (int j = 0; j < n; ++j) {
          T dot(0);
          for (int i = 0; i < n; ++i) dot += rows ? quern::impl::conjugate(w[i]) * a(i, j) : a(j, i) * w[i];
          dot *= static_cast<quern::impl::real_type<T>>(2 / square);
          for (int i = 0; i < n; ++i) {
            if (rows) a(i, j) -= w[i] * dot;
            else a(j, i) -= dot * quern::impl::conjugate(w[i]);
          }
        }
      };
      std::fill(a.v.begin(), a.v.end(), T(0));
      for (int i = 0; i < n; ++i) a(i, i) = number<T>(std::pow(10.0, -digits * (n > 1 ? i / (n - 1.0) : 0)), 0);
      reflect(true, 3 + b);
      reflect(false, 11 + b);
    }
    all.insert(all.end(), a.v.begin(), a.v.end());
  }
  return all;
}

/// The conjugate transpose.
template <class T>
matrix<T> adjoint(const matrix<T>& a) {
  matrix<T> b(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) b(j, i) = quern::impl::conjugate(a(i, j));
  return b;
}

/// The largest row sum of |a^H a - 1|.
template <class T>
double loss_of_orthogonality(const matrix<T>& a) {
  matrix<T> one(a.columns, a.columns);
  for (int i = 0; i < a.columns; ++i) one(i, i) = T(1);
  return distance(product(adjoint(a), a), one);
}

}  // namespace test

#endif
