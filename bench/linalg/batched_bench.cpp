// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batches of small systems beside the plain way, one thread a system that works in memory. Bytes count each operand
// once, flops those of the factorization and of the right-hand sides.

#include <quern/linalg.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using bench::view;

/// One thread a system, as a user would write it: on a copy in memory, with partial pivoting.
struct plain_solve {
  view<double***> a;
  view<double**> x;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int n = static_cast<int>(x.extent(1));
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (Kokkos::abs(a(item, i, k)) > Kokkos::abs(a(item, p, k))) p = i;
      for (int j = k; j < n; ++j) Kokkos::kokkos_swap(a(item, k, j), a(item, p, j));
      Kokkos::kokkos_swap(x(item, k), x(item, p));
      for (int i = k + 1; i < n; ++i) {
        const double factor = a(item, i, k) / a(item, k, k);
        for (int j = k + 1; j < n; ++j) a(item, i, j) -= factor * a(item, k, j);
        x(item, i) -= factor * x(item, k);
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      for (int j = k + 1; j < n; ++j) x(item, k) -= a(item, k, j) * x(item, j);
      x(item, k) /= a(item, k, k);
    }
  }
};

prepared solve(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<double***>("a", items, n, n), 1);
  const auto b = sampled(make_view<double**>("b", items, n), 2), x = make_view<double**>("x", items, n);
  const auto copy = make_view<double***>("copy", items, n, n);
  const auto info = make_view<int*>("info", items);
  const double cube = static_cast<double>(n) * n * n;
  prepared p{8.0 * items * (n * n + 2 * n), items * (2 * cube / 3 + 2.0 * n * n), {}, {}, {}};
  p.variants = {{"quern", [=] { quern::solve(exec, x, a, b, info); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, copy, a);
                   Kokkos::deep_copy(exec, x, b);
                   Kokkos::parallel_for("plain", range(exec, 0, items), plain_solve{copy, x});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(x, -7.0); };
  p.right = [=] {
    const double bound = 8 * static_cast<double>(n) * Kokkos::Experimental::epsilon_v<double>;
    return bench::failures(
               items, KOKKOS_LAMBDA(std::int64_t item) {
                 double largest = 0, error = 0;
                 for (std::int64_t j = 0; j < n; ++j) largest = Kokkos::max(largest, Kokkos::abs(x(item, j)));
                 for (std::int64_t i = 0; i < n; ++i) {
                   double sum = -b(item, i);
                   for (std::int64_t j = 0; j < n; ++j) sum += a(item, i, j) * x(item, j);
                   error = Kokkos::max(error, Kokkos::abs(sum));
                 }
                 return error <= bound * static_cast<double>(n) * largest;
               }) == 0;
  };
  return p;
}

const int registered = [] {
  const auto of = [](std::int64_t n) {
    return [n](const exec_space& exec, std::int64_t items) { return solve(exec, items, n); };
  };
  bench::add({"batched_solve/float64 4x4", {100'000}, 7, of(4)});
  bench::add({"batched_solve/float64 8x8", {1000, 100'000}, 7, of(8)});
  bench::add({"batched_solve/float64 16x16", {100'000}, 7, of(16)});
  bench::add({"batched_solve/float64 32x32", {10'000}, 3, of(32)});
  bench::add({"batched_solve/float64 64x64", {10'000}, 3, of(64)});
  return 0;
}();

}  // namespace
