// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quadrature beside MDRangePolicy with its own tiles and a flat range. Nothing is read: flops count the points.

#include <cmath>
#include <numbers>
#include <quern/integrate.hpp>
#include <quern/map/math.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::prepared;
using bench::range;

struct sine_of_sum {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return quern::math::sin(x + y);
  }
};
/// The back end's own sine.
struct kokkos_sine_of_sum {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return Kokkos::sin(x + y);
  }
};

/// The midpoint rule over [0, pi/2]^2, where the integral is 2.
template <class T>
prepared integrate2d(const exec_space& exec, std::int64_t n) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  constexpr T end = std::numbers::pi_v<T> / 2;
  const double h = end / static_cast<double>(n);
  const auto value = std::make_shared<T>();
  const auto at = KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
    return kokkos_sine_of_sum()(static_cast<T>((i + 0.5) * h), static_cast<T>((j + 0.5) * h));
  };
  const auto keep = [=](double sum) { *value = static_cast<T>(sum * h * h); };
  prepared p{0, 1.0 * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { *value = quern::integrate<T>(exec, sine_of_sum(), {0, end}, {0, end}, {n, n}); }},
                {"quern_kokkos_sin",
                 [=] { *value = quern::integrate<T>(exec, kokkos_sine_of_sum(), {0, end}, {0, end}, {n, n}); }},
                {"plain",
                 [=] {
                   double sum = 0;  // that of T loses the digits
                   Kokkos::parallel_reduce(
                       "plain", policy(exec, {0, 0}, {n, n}),
                       KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, double& s) { s += at(i, j); }, sum);
                   keep(sum);
                 }},
                {"plain_flat", [=] {
                   double sum = 0;  // that of T loses the digits
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n * n),
                       KOKKOS_LAMBDA(std::int64_t k, double& s) { s += at(k / n, k % n); }, sum);
                   keep(sum);
                 }}};
  p.poison = [=] { *value = 0; };
  p.right = [=] { return std::fabs(*value - T(2)) <= (sizeof(T) == 4 ? 1e-5 : 1e-12) + 2 * std::pow(h, 2); };
  return p;
}

/// Rules and methods at about the same number of points, for a function that costs little.
struct rational {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return 1 / (1 + x * x + y * y); }
};
prepared rules2d(const exec_space& exec, std::int64_t n) {
  const auto value = std::make_shared<double>();
  const auto by = [=](auto... how) {
    return [=] { *value = quern::integrate(exec, rational(), {0, 1}, {0, 1}, {n, n}, how...); };
  };
  const auto sample = [=](auto... how) {
    return [=] { *value = quern::integrate(exec, rational(), {0, 1}, {0, 1}, how...).value; };
  };
  prepared p{0, 1.0 * n * n, {}, {}, {}};
  p.variants = {{"quern_midpoint", by()},
                {"quern_reproducible", by(quern::reproducible)},
                {"quern_trapezoid", by(quern::rule::trapezoid())},
                {"quern_simpson", by(quern::rule::simpson())},
                {"quern_gauss_1", by(quern::rule::gauss_legendre(1))},
                {"quern_monte_carlo", sample(quern::monte_carlo{n * n, 1})},
                {"quern_quasi_monte_carlo", sample(quern::quasi_monte_carlo{n * n, 1})},
                {"quern_adaptive", sample(quern::adaptive(), quern::tolerance{.relative = 1e-9, .absolute = 0})}};
  p.poison = [=] { *value = 0; };
  p.right = [=] { return std::fabs(*value - 0.639510351870311) <= 1.0 / static_cast<double>(n); };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"integrate2d/float64 n2", {1'000, 102'400}, 60, integrate2d<double>});
  bench::add({"integrate2d/float32 n2", {1'000, 102'400}, 60, integrate2d<float>});
  bench::add({"integrate_rules/float64 n2", {1'024, 16'384}, 60, rules2d});
  return true;
}();

}  // namespace
