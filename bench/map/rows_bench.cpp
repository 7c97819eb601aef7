// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vectors of particles, Views (n, 3) of both layouts, beside the loops that a user would write.

#include <quern/map.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::prepared;
using bench::range;
using vector = Kokkos::Array<double, 3>;
template <class Layout>
using vectors = Kokkos::View<double* [3], Layout, bench::memory_space>;
using std::int64_t;

struct leapfrog {
  double dt;
  KOKKOS_FUNCTION Kokkos::Array<vector, 2> operator()(vector x, vector v, const vector& f, double mass) const {
    for (int c = 0; c < 3; ++c) {
      v[c] += dt * f[c] / mass;
      x[c] += dt * v[c];
    }
    return {v, x};
  }
};

/// Velocities and positions of the next time, of bodies at rest at the origin where `poison` was the last to write.
template <class Layout>
prepared step(const exec_space& exec, int64_t n) {
  const vectors<Layout> x("x", n), v("v", n), f("f", n);
  const auto mass = bench::make_view<double*>("mass", n);
  bench::sampled(f, 1);
  Kokkos::deep_copy(mass, 2.0);
  constexpr double dt = 0.25;
  prepared p{128.0 * n, 15.0 * n, {}, {}, {}};
  using quern::rows;
  p.variants = {{"quern",
                 [=] {
                   quern::map(exec, quern::outputs(rows<3>(v), rows<3>(x)), leapfrog{dt}, rows<3>(x), rows<3>(v),
                              rows<3>(f), mass);
                 }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(int64_t i) {
                         for (int c = 0; c < 3; ++c) {
                           v(i, c) += dt * f(i, c) / mass(i);
                           x(i, c) += dt * v(i, c);
                         }
                       });
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(v, 0.0);
    Kokkos::deep_copy(x, 0.0);
  };
  // After any number of steps k velocities are k dt f / m, and positions k (k + 1) / 2 of the first one.
  p.right = [=] {
    return bench::failures(
               n, KOKKOS_LAMBDA(int64_t i) {
                 bool right = true;
                 for (int c = 0; c < 3; ++c) {
                   const double one = dt * f(i, c) / 2, k = Kokkos::round(v(i, c) / one);
                   right = right && k >= 1 && Kokkos::abs(v(i, c) - k * one) <= 1e-9 * k * one &&
                           Kokkos::abs(x(i, c) - dt * k * (k + 1) / 2 * one) <= 1e-9 * k * k * one;
                 }
                 return right;
               }) == 0;
  };
  return p;
}

/// The sum of all vectors.
template <class Layout>
prepared total(const exec_space& exec, int64_t n) {
  const vectors<Layout> v("v", n);
  bench::sampled(v, 1);
  const Kokkos::View<vector, bench::memory_space> sum("sum");
  prepared p{24.0 * n, 3.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, sum, quern::rows<3>(v)); }},
                {"plain", [=] {
                   double a = 0, b = 0, c = 0;
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n),
                       KOKKOS_LAMBDA(int64_t i, double& x, double& y, double& z) {
                         x += v(i, 0);
                         y += v(i, 1);
                         z += v(i, 2);
                       },
                       a, b, c);
                   Kokkos::deep_copy(sum, vector{a, b, c});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(sum, vector{-1, -1, -1}); };
  p.right = [=] {
    vector expected{}, found;
    const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
    for (int64_t i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c) expected[c] += values(i, c);
    Kokkos::deep_copy(found, sum);
    bool right = true;
    for (int c = 0; c < 3; ++c) right = right && Kokkos::abs(found[c] - expected[c]) <= 1e-9 * expected[c];
    return right;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  bench::add({"rows_leapfrog/LayoutRight", {10'000, 10'000'000}, 1003, step<LayoutRight>});
  bench::add({"rows_leapfrog/LayoutLeft", {10'000, 10'000'000}, 1003, step<LayoutLeft>});
  bench::add({"rows_sum/LayoutRight", {10'000, 10'000'000}, 1003, total<LayoutRight>});
  bench::add({"rows_sum/LayoutLeft", {10'000, 10'000'000}, 1003, total<LayoutLeft>});
  return true;
}();

}  // namespace
