// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same work over rows of every length around the powers of two: a time per byte that one length has and its
// neighbour has not is a cliff. Arrays have 2^26 elements, whatever their rows. Bytes count each array once.

#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;

constexpr int64_t tiny = 17;
int64_t rows_of(int64_t n) { return n == tiny ? 50 : (1 << 26) / n; }

struct axpy {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return 2 * x + y; }
};

/// The inner cells of arrays with a layer of ghost cells.
prepared map_inside(const exec_space& exec, int64_t n) {
  const int64_t rows = rows_of(n);
  const auto x = sampled(make_view<double**>("x", rows + 2, n + 2), 1);
  const auto y = sampled(make_view<double**>("y", rows + 2, n + 2), 2), z = make_view<double**>("z", rows + 2, n + 2);
  const auto inside = [=](const auto& v) {
    return Kokkos::subview(v, Kokkos::pair<int64_t, int64_t>(1, rows + 1), Kokkos::pair<int64_t, int64_t>(1, n + 1));
  };
  prepared p{24.0 * rows * n, 2.0 * rows * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, inside(z), axpy(), inside(x), inside(y)); }}};
  p.poison = [=] { Kokkos::deep_copy(z, -7.0); };
  p.right = [=] {
    return bench::failures(
               rows * n, KOKKOS_LAMBDA(int64_t k) {
                 const int64_t j = k / n + 1, i = k % n + 1;
                 return z(j, i) == axpy()(x(j, i), y(j, i));
               }) == 0;
  };
  return p;
}

prepared sum_rows(const exec_space& exec, int64_t n) {
  const int64_t rows = rows_of(n);
  const auto x = sampled(make_view<double**>("x", rows, n), 1);
  const auto out = make_view<double*>("out", rows);
  prepared p{8.0 * rows * n, 1.0 * rows * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, out, x, quern::axis{1}); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return bench::failures(
               rows, KOKKOS_LAMBDA(int64_t j) {
                 double s = 0;
                 for (int64_t i = 0; i < n; ++i) s += x(j, i);
                 return Kokkos::abs(out(j) - s) <= 1e-12 * s;
               }) == 0;
  };
  return p;
}

prepared sum_columns(const exec_space& exec, int64_t n) {
  const int64_t rows = rows_of(n);
  const auto x = sampled(make_view<double**>("x", rows, n), 1);
  const auto out = make_view<double*>("out", n);
  prepared p{8.0 * rows * n, 1.0 * rows * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, out, x, quern::axis{0}); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  double expected = 0;
  Kokkos::parallel_reduce(
      "bench::exact", range(0, rows * n), KOKKOS_LAMBDA(int64_t k, double& s) { s += x.data()[k]; }, expected);
  p.right = [=] {
    double found = 0;
    Kokkos::parallel_reduce("bench::check", range(0, n), KOKKOS_LAMBDA(int64_t i, double& s) { s += out(i); }, found);
    return Kokkos::abs(found - expected) <= 1e-11 * expected;
  };
  return p;
}

struct five_points {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& u) const {
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0);
  }
};

prepared five(const exec_space& exec, int64_t n) {
  const int64_t rows = rows_of(n);
  const auto x = sampled(make_view<float**>("x", rows, n), 1), out = make_view<float**>("out", rows, n);
  prepared p{8.0 * rows * n, 5.0 * rows * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::stencil<quern::star<1>>(exec, out, five_points(), quern::boundary::keep, x); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0f); };
  p.right = [=] {
    return bench::failures(
               rows * n, KOKKOS_LAMBDA(int64_t k) {
                 const int64_t j = k / n, i = k % n;
                 const bool inner = j > 0 && i > 0 && j + 1 < rows && i + 1 < n;
                 const float expected = inner ? five_points()([&](int b, int a) { return x(j + b, i + a); }) : -77;
                 return Kokkos::abs(out(j, i) - expected) <= 1e-5f;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  std::vector<int64_t> lengths;
  for (int64_t power = 32; power <= 16'384; power *= 2)
    for (int64_t n = power - 2; n <= power + 2; ++n) lengths.push_back(n);
  bench::add({"map_inside/float64", lengths, tiny, map_inside});
  bench::add({"sum_rows/float64", lengths, tiny, sum_rows});
  bench::add({"sum_columns/float64", lengths, tiny, sum_columns});
  bench::add({"five_points/float32", lengths, tiny, five});
  return true;
}();

}  // namespace
