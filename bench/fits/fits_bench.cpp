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

enum class fit { linear, ridge, lasso };
/// How far coefficients may be from those of the target: by rounding, by alpha = 1 of so many rows, and by alpha = 0.1.
double bound_of(fit what, std::int64_t rows) {
  if (what == fit::linear) return 1e-10;
  return what == fit::ridge ? 2 / static_cast<double>(rows) : 0.2;
}

/// 32 columns of random numbers, and a target that is half the first one and 3.
template <class Layout, fit What = fit::linear>
prepared regression(const exec_space& exec, std::int64_t n) {
  constexpr std::int64_t columns = 32;
  const Kokkos::View<double**, Layout, bench::memory_space> x("x", n, columns);
  const auto y = make_view<double*>("y", n), coefficients = make_view<double*>("coefficients", columns);
  const Kokkos::View<double, bench::memory_space> intercept("intercept");
  quern::random::normal(exec, x, quern::random::key(1));
  Kokkos::parallel_for("target", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = 0.5 * x(i, 0) + 3; });
  prepared p{
      8.0 * static_cast<double>(n * (columns + 1)), static_cast<double>(n * columns * (columns + 1)), {}, {}, {}};
  p.variants = {{"quern", [=] {
                   const auto out = quern::outputs(coefficients, intercept);
                   if constexpr (What == fit::linear) quern::linear_regression(exec, out, x, y);
                   else if constexpr (What == fit::ridge) quern::ridge(exec, out, x, y);
                   else quern::lasso(exec, out, x, y, quern::alpha{0.1});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(coefficients, -7); };
  p.right = [=] {
    double found = 0;
    Kokkos::deep_copy(found, intercept);
    const auto w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), coefficients);
    const double bound = bound_of(What, n);
    return std::abs(found - 3) < bound && std::abs(w(0) - 0.5) < bound && std::abs(w(31)) < bound;
  };
  return p;
}

/// A polynomial of degree 7 through points of x^3 - x, from -1 to 1.
prepared polyfit(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<double*>("x", n), y = make_view<double*>("y", n), found = make_view<double*>("found", 8);
  Kokkos::parallel_for(
      "points", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        x(i) = 2 * bench::hashed(i, 1) - 1;
        y(i) = x(i) * x(i) * x(i) - x(i);
      });
  prepared p{16.0 * static_cast<double>(n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::polyfit(exec, found, x, y); }}};
  p.poison = [=] { Kokkos::deep_copy(found, -7); };
  p.right = [=] {
    const auto w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    return std::abs(w(0)) < 1e-9 && std::abs(w(4) - 1) < 1e-9 && std::abs(w(6) + 1) < 1e-9 && std::abs(w(7)) < 1e-9;
  };
  return p;
}

struct decay {
  template <class T, class P>
  KOKKOS_FUNCTION auto operator()(const T& t, const P& p) const {
    using Kokkos::exp;
    return p[0] * exp(-p[1] * t);
  }
};
/// Two parameters of one decay, 3 exp(-0.7 t), from 1 and 1.
prepared curve_fit(const exec_space& exec, std::int64_t n) {
  const auto t = make_view<double*>("t", n), y = make_view<double*>("y", n), p = make_view<double*>("p", 2);
  const auto covariance = make_view<double**>("covariance", 2, 2);
  Kokkos::parallel_for(
      "points", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        t(i) = 5 * bench::hashed(i, 1);
        y(i) = 3 * Kokkos::exp(-0.7 * t(i));
      });
  prepared made{16.0 * static_cast<double>(n), 0, {}, {}, {}};
  made.variants = {{"quern", [=] {
                      Kokkos::deep_copy(exec, p, 1.0);
                      quern::curve_fit<2>(exec, quern::outputs(p, covariance), decay(), t, y);
                    }}};
  made.poison = [=] { Kokkos::deep_copy(p, -7); };
  made.right = [=] {
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p);
    return std::abs(found(0) - 3) < 1e-6 && std::abs(found(1) - 0.7) < 1e-6;
  };
  return made;
}
/// Those of n decays of 64 points, each of its own.
prepared curve_fits(const exec_space& exec, std::int64_t n) {
  constexpr std::int64_t points = 64;
  const auto t = make_view<double*>("t", points);
  const auto y = make_view<double**>("y", n, points), p = make_view<double**>("p", n, 2);
  const auto covariance = make_view<double***>("covariance", n, 2, 2);
  const auto status = make_view<int*>("status", n), iterations = make_view<int*>("iterations", n);
  Kokkos::parallel_for("t", bench::range(exec, 0, points), KOKKOS_LAMBDA(std::int64_t k) { t(k) = 0.05 * k; });
  Kokkos::parallel_for(
      "y", bench::range(exec, 0, n * points), KOKKOS_LAMBDA(std::int64_t e) {
        const double rate = 0.3 + bench::hashed(e / points, 1);
        y(e / points, e % points) = 3 * Kokkos::exp(-rate * 0.05 * static_cast<double>(e % points));
      });
  prepared made{8.0 * static_cast<double>(n * (points + 8)), 0, {}, {}, {}};
  made.variants = {{"quern", [=] {
                      Kokkos::deep_copy(exec, p, 1.0);
                      quern::curve_fit<2>(exec, quern::outputs(p, covariance, status, iterations), decay(),
                                          quern::unbatched(t), y);
                    }}};
  made.poison = [=] { Kokkos::deep_copy(p, -7); };
  made.right = [=] {
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) {
                 return Kokkos::abs(p(i, 0) - 3) < 1e-6 && Kokkos::abs(p(i, 1) - 0.3 - bench::hashed(i, 1)) < 1e-6;
               }) == 0;
  };
  return made;
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
  const std::vector<std::int64_t> rows{10'000, 1'000'000, 10'000'000}, large{1'000'000, 10'000'000};
  bench::add({"linear_regression rows/f64 n x 32", rows, 1000, regression<Kokkos::LayoutRight>});
  bench::add({"linear_regression columns/f64 n x 32", large, 1000, regression<Kokkos::LayoutLeft>});
  bench::add({"ridge/f64 n x 32", large, 1000, regression<Kokkos::LayoutRight, fit::ridge>});
  bench::add({"lasso/f64 n x 32", large, 1000, regression<Kokkos::LayoutRight, fit::lasso>});
  bench::add({"polyfit/f64 degree 7", {10'000, 10'000'000}, 1000, polyfit});
  bench::add({"curve_fit/f64 2 parameters", {10'000, 10'000'000}, 1000, curve_fit});
  bench::add({"curve_fit, each of 64 points/f64 2 parameters", {10'000, 1'000'000}, 33, curve_fits});
  return true;
}();

}  // namespace
