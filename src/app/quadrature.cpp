// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <quern/integrate.hpp>
#include <quern/map/math.hpp>

#include "workload.hpp"

namespace app {
namespace {

struct sine_of_sum {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return quern::math::sin(x + y);
  }
};

template <class T>
measurement integrate2d(const settings& s, std::int64_t n) {
  constexpr T pi = std::numbers::pi_v<T>;
  T value = 0;
  measurement m =
      timed(s, {n, n}, 0, 0, [&] { value = quern::integrate<T>(s.exec, sine_of_sum(), {0, pi}, {0, pi}, {n, n}); });
  // The exact values are 0 and 2; the rule's own error is (b - a) h^2 / 12 of the second derivatives, and points of
  // type T are rounded by half a unit each.
  const T half = quern::integrate<T>(s.exec, sine_of_sum(), {0, pi / 2}, {0, pi / 2}, {n, n});
  const double rule = 2 * std::pow(pi / static_cast<double>(n), 2);
  const double rounding = 16 * std::numeric_limits<T>::epsilon();
  m.verified = std::fabs(value) <= rounding && std::fabs(half - T(2)) <= rule + rounding;
  m.note = fmt::format("{} and {}", value, half);
  const double width = pi / static_cast<double>(n);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t rows) {
    T sum = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        sum += std::sin(static_cast<T>((i + 0.5) * width) + static_cast<T>((j + 0.5) * width));
    keep(sum);
  });
  return m;
}

}  // namespace

std::vector<workload> quadrature_workloads() {
  const auto nothing = [](std::int64_t) { return 0.0; };
  return {
      {"integrate2d", "float64", "midpoint rule for sin(x+y)", sizes(4096, 102'400), nothing, integrate2d<double>,
       bound::none},
      {"integrate2d", "float32", "midpoint rule for sin(x+y)", sizes(4096, 102'400), nothing, integrate2d<float>,
       bound::none},
  };
}

}  // namespace app
