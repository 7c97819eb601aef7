// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_FOURIER_HPP
#define QUERN_TESTS_SUPPORT_FOURIER_HPP

/// @file
/// Fourier transforms by their definition, and how near a fast one comes to them.

#include <cmath>
#include <complex>
#include <numbers>
#include <support/testing.hpp>

namespace test {

using exact = std::complex<long double>;

/// The transform along one axis by its definition.
template <class T>
std::vector<exact> by_definition(const std::vector<T>& x, std::int64_t n, int sign) {
  std::vector<exact> y(n), roots(n);
  for (std::int64_t j = 0; j < n; ++j) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> * j / n;
    roots[j] = {std::cos(angle), std::sin(angle)};
  }
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j) {
      const exact value = [&] {
        if constexpr (quern::impl::is_complex<T>) return exact(x[j].real(), x[j].imag());
        else return exact(x[j], 0);
      }();
      y[k] += value * roots[j * k % n];
    }
  return y;
}

template <class T>
double norm_2(const std::vector<T>& v) {
  long double sum = 0;
  for (const T& x : v) sum += std::norm(exact(Kokkos::real(x), Kokkos::imag(x)));
  return std::sqrt(static_cast<double>(sum));
}

/// The error of a fast transform, as a vector, is some eps log n of the result.
template <class T, class U>
void expect_near(const std::vector<T>& expected, const std::vector<U>& found) {
  ASSERT_EQ(expected.size(), found.size());
  const double n = static_cast<double>(found.size());
  const double bound = 4 * eps<U>() * (1 + std::log2(n)) * std::max(norm_2(expected), 1.0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const exact e(Kokkos::real(expected[i]), Kokkos::imag(expected[i])),
        f(Kokkos::real(found[i]), Kokkos::imag(found[i]));
    EXPECT_NEAR(0, static_cast<double>(std::abs(e - f)), bound) << "element " << i << " of " << n;
  }
}
inline std::vector<Kokkos::complex<long double>> as_kokkos(const std::vector<exact>& v) {
  std::vector<Kokkos::complex<long double>> r;
  for (const exact& x : v) r.emplace_back(x.real(), x.imag());
  return r;
}

}  // namespace test

#endif
