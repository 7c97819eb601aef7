// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_MATRIX_TEST_HPP
#define QUERN_TESTS_SUPPORT_MATRIX_TEST_HPP

/// @file
/// What tests of single matrices share: their cases, matrices as Views, and their contents.

#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace test {

template <class Case>
struct matrix_test : testing::Test {
  using T = typename Case::value;
  using R = quern::impl::real_type<T>;
  using L = typename Case::layout;
  using E = typename Case::exec;
  const double eps = static_cast<double>(Kokkos::Experimental::epsilon_v<R>);

  static auto array(const matrix<T>& a) { return make_array<T, 2, L, E>({a.rows, a.columns}, a.v); }
  static auto array(int m, int n) { return array(matrix<T>(m, n)); }
  static auto vector(const std::vector<T>& v) {
    return make_array<T, 1, L, E>({static_cast<std::int64_t>(v.size())}, v);
  }
  static auto reals(int n) { return Kokkos::View<R*, typename E::memory_space>("reals", n); }
  template <class V>
  static matrix<T> contents(const V& v) {
    matrix<T> m(v.extent(0), v.extent(1));
    m.v = test::contents(v);
    return m;
  }
  static matrix<T> sample(int m, int n, int seed = 1) {
    matrix<T> a(m, n);
    for (int i = 0; i < m * n; ++i) a.v[i] = any<T>(i, seed);
    return a;
  }
  /// What was computed in long double, in the type of the test.
  static matrix<T> rounded(const matrix<wide>& w) {
    matrix<T> a(w.rows, w.columns);
    for (std::size_t i = 0; i < a.v.size(); ++i)
      a.v[i] = number<T>(static_cast<double>(w.v[i].real()), static_cast<double>(w.v[i].imag()));
    return a;
  }
};
using matrix_cases = covering<float, double, Kokkos::complex<double>>;

}  // namespace test

#endif
