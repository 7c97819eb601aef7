// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations of lazy operands beside one Kokkos loop with the whole expression in it. Bytes count each input read once
// and each output written once: no intermediate array.

#include <quern/core/views/lazy.hpp>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

struct square_of_difference {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return (a - b) * (a - b); }
};
struct seven_points {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& w) const {
    return w(-1, 0, 0) + w(1, 0, 0) + w(0, -1, 0) + w(0, 1, 0) + w(0, 0, -1) + w(0, 0, 1) - 6 * w(0, 0, 0);
  }
};

/// The largest difference of two arrays, relative to the largest value.
template <class V>
bool nearly_equal(const V& a, const V& b, double relative) {
  using quern::lazy;
  const double apart = quern::max(lazy(KOKKOS_LAMBDA(double u, double v) { return Kokkos::abs(u - v); }, a, b));
  return apart <= relative * quern::max(lazy(KOKKOS_LAMBDA(double u) { return Kokkos::abs(u); }, b));
}

prepared sum_lazy(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1), y = sampled(make_view<double*>("y", n), 2);
  const auto out = make_view<double>("out");
  const square_of_difference f;
  prepared p{16.0 * n, 3.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, out, quern::lazy(f, x, y)); }},
                {"plain", [=] {
                   Kokkos::parallel_reduce(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += f(x(i), y(i)); },
                       Kokkos::Sum<double, bench::memory_space>(out));
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7); };
  p.right = [=] {
    double exact = 0;
    Kokkos::parallel_reduce(
        "exact", range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += f(x(i), y(i)); }, exact);
    const double found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out)();
    return std::abs(found - exact) <= 1e-12 * exact;
  };
  return p;
}

prepared cumsum_lazy(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1), y = sampled(make_view<double*>("y", n), 2);
  const auto out = make_view<double*>("out", n), expected = make_view<double*>("expected", n);
  const square_of_difference f;
  quern::map(exec, expected, f, x, y);
  quern::cumsum(exec, expected, expected);
  prepared p{24.0 * n, 3.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::cumsum(exec, out, quern::lazy(f, x, y)); }},
                {"plain", [=] {
                   Kokkos::parallel_scan(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, double& s, bool last) {
                         s += f(x(i), y(i));
                         if (last) out(i) = s;
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7); };
  p.right = [=] { return nearly_equal(out, expected, 1e-10); };
  return p;
}

prepared histogram_lazy(const exec_space& exec, std::int64_t n) {
  constexpr std::int64_t bins = 256;
  const auto x = sampled(make_view<double*>("x", n), 1), y = sampled(make_view<double*>("y", n), 2);
  const auto counts = make_view<std::int64_t*>("counts", bins), expected = make_view<std::int64_t*>("expected", bins);
  const auto stored = make_view<double*>("stored", n);
  const square_of_difference f;
  quern::map(exec, stored, f, x, y);
  quern::histogram(exec, expected, stored, quern::bin_range{0, 1});
  prepared p{16.0 * n, 3.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::histogram(exec, counts, quern::lazy(f, x, y), quern::bin_range{0, 1}); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, counts, 0);
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
                         const double v = f(x(i), y(i));
                         if (v >= 0 && v <= 1)
                           Kokkos::atomic_inc(&counts(Kokkos::min(static_cast<std::int64_t>(v * bins), bins - 1)));
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(counts, -7); };
  p.right = [=] {
    return quern::all(exec,
                      quern::lazy(KOKKOS_LAMBDA(std::int64_t a, std::int64_t b) { return a == b; }, counts, expected));
  };
  return p;
}

prepared laplacian_lazy(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double***>("x", n, n, n), 1), y = sampled(make_view<double***>("y", n, n, n), 2);
  const auto out = make_view<double***>("out", n, n, n), expected = make_view<double***>("expected", n, n, n);
  const square_of_difference f;
  {
    const auto stored = make_view<double***>("stored", n, n, n);
    quern::map(exec, stored, f, x, y);
    quern::stencil<quern::star<1>>(exec, expected, seven_points(), quern::boundary::keep, stored);
    exec.fence();
  }
  prepared p{24.0 * n * n * n, 12.0 * n * n * n, {}, {}, {}};
  p.variants = {
      {"quern",
       [=] { quern::stencil<quern::star<1>>(exec, out, seven_points(), quern::boundary::keep, quern::lazy(f, x, y)); }},
      {"plain", [=] {
         using box = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>;
         Kokkos::parallel_for(
             "plain", box(exec, {1, 1, 1}, {n - 1, n - 1, n - 1}),
             KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k) {
               const auto at = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
                 return f(x(a, b, c), y(a, b, c));
               };
               out(i, j, k) = at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k) + at(i, j, k - 1) +
                              at(i, j, k + 1) - 6 * at(i, j, k);
             });
       }}};
  p.poison = [=] { Kokkos::deep_copy(out, 0); };
  p.right = [=] { return nearly_equal(out, expected, 1e-12); };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"sum_lazy/float64", {1'000'000, 50'000'000}, 1003, sum_lazy});
  bench::add({"cumsum_lazy/float64", {1'000'000, 50'000'000}, 1003, cumsum_lazy});
  bench::add({"histogram_lazy/float64", {1'000'000, 50'000'000}, 1003, histogram_lazy});
  bench::add({"laplacian_lazy/float64 n3", {128, 384}, 19, laplacian_lazy});
  return true;
}();

}  // namespace
