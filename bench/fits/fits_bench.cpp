// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fits to many rows. Bytes count the data once.

#include <cmath>
#include <quern/fits.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;

/// 32 columns of random numbers, and a target that is half the first one and 3.
template <class Layout>
prepared linear_regression(const exec_space& exec, std::int64_t n) {
  constexpr std::int64_t columns = 32;
  const Kokkos::View<double**, Layout, bench::memory_space> x("x", n, columns);
  const auto y = make_view<double*>("y", n), coefficients = make_view<double*>("coefficients", columns);
  const Kokkos::View<double, bench::memory_space> intercept("intercept");
  quern::random::normal(exec, x, quern::random::key(1));
  Kokkos::parallel_for("target", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = 0.5 * x(i, 0) + 3; });
  prepared p{
      8.0 * static_cast<double>(n * (columns + 1)), static_cast<double>(n * columns * (columns + 1)), {}, {}, {}};
  p.variants = {{"quern", [=] { quern::linear_regression(exec, quern::outputs(coefficients, intercept), x, y); }}};
  p.poison = [=] { Kokkos::deep_copy(coefficients, -7); };
  p.right = [=] {
    double found = 0;
    Kokkos::deep_copy(found, intercept);
    const auto w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), coefficients);
    return std::abs(found - 3) < 1e-10 && std::abs(w(0) - 0.5) < 1e-10 && std::abs(w(31)) < 1e-10;
  };
  return p;
}

/// Two classes by the sign of the first of 16 columns and noise.
prepared logistic_regression(const exec_space& exec, std::int64_t n) {
  constexpr std::int64_t columns = 16;
  const auto x = make_view<double**>("x", n, columns);
  const auto noise = make_view<double*>("noise", n), coefficients = make_view<double*>("coefficients", columns);
  const auto y = make_view<int*>("y", n);
  const Kokkos::View<double, bench::memory_space> intercept("intercept");
  quern::random::normal(exec, x, quern::random::key(1));
  quern::random::normal(exec, noise, quern::random::key(2));
  Kokkos::parallel_for(
      "classes", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = x(i, 0) + noise(i) > 0 ? 1 : 0; });
  prepared p{8.0 * static_cast<double>(n * columns), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::logistic_regression(exec, quern::outputs(coefficients, intercept), x, y); }}};
  p.poison = [=] { Kokkos::deep_copy(coefficients, -7); };
  p.right = [=] {
    const auto w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), coefficients);
    return w(0) > 1.5 && w(0) < 2.1 && std::abs(w(15)) < 0.2;
  };
  return p;
}

const bool registered = [] {
  bench::add({"logistic_regression/f64 n x 16", {10'000, 1'000'000}, 1000, logistic_regression});
  bench::add({"linear_regression rows/f64 n x 32",
              {10'000, 1'000'000, 10'000'000},
              1000,
              linear_regression<Kokkos::LayoutRight>});
  bench::add(
      {"linear_regression columns/f64 n x 32", {1'000'000, 10'000'000}, 1000, linear_regression<Kokkos::LayoutLeft>});
  return true;
}();

}  // namespace
