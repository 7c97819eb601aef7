// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values between points, of which there are a tenth as many. Bytes count all arrays once.

#include <algorithm>
#include <quern/keyed.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;

struct line_through {
  static constexpr double error = 2e-2;
  template <class... Args>
  static void call(const Args&... args) {
    quern::interp(args...);
  }
};
struct curve_through {
  static constexpr double error = 1e-4;
  template <class... Args>
  static void call(const Args&... args) {
    quern::cubic_spline(args...);
  }
};

/// Sines, at places in the order of nothing.
template <class Through>
prepared between_points(const exec_space& exec, std::int64_t n) {
  const std::int64_t points = std::max<std::int64_t>(n / 10, 32);
  const auto at = make_view<double*>("points", points), values = make_view<double*>("values", points);
  const auto x = make_view<double*>("x", n), out = make_view<double*>("out", n);
  const double step = 6.0 / static_cast<double>(points - 1);
  Kokkos::parallel_for(
      "points", bench::range(exec, 0, points), KOKKOS_LAMBDA(std::int64_t i) {
        at(i) = step * static_cast<double>(i);
        values(i) = Kokkos::sin(at(i));
      });
  Kokkos::parallel_for(
      "x", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { x(i) = 6 * bench::hashed(i, 1); });
  prepared p{16.0 * static_cast<double>(n + points), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { Through::call(exec, out, x, at, values); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) { return Kokkos::abs(out(i) - Kokkos::sin(x(i))) < Through::error; }) ==
           0;
  };
  return p;
}

const bool registered = [] {
  bench::add({"interp/f64", {1'000'000, 50'000'000}, 500, between_points<line_through>});
  bench::add({"cubic_spline/f64", {1'000'000, 50'000'000}, 500, between_points<curve_through>});
  return true;
}();

}  // namespace
