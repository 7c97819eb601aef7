// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Single matrices. Results are verified by products with a vector that the
// decomposition did not know; the plain loops are the work of textbook algorithms, rows or columns at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <quern/core.hpp>
#include <quern/linalg.hpp>

#include "workload.hpp"

namespace app {

namespace {

using matrix = device_view<double**, Kokkos::LayoutLeft>;
using vector = device_view<double*>;
using host_matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using numbers = std::vector<double>;

matrix sample_matrix(const settings& s, std::int64_t m, std::int64_t n) {
  return filled<matrix>(s, hashes{1, -0.5, 0.5}, m, n);
}
numbers on_host(const vector& x) {
  numbers h(x.extent(0));
  Kokkos::deep_copy(host_view<double*>(h.data(), h.size()), x);
  return h;
}
numbers probe(std::int64_t n) {
  numbers x(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = hashed(i, 7) - 0.5;
  return x;
}
numbers times(const host_matrix& a, const numbers& x) {
  numbers y(a.extent(0));
  for (std::size_t j = 0; j < a.extent(1); ++j)
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += a(i, j) * x[j];
  return y;
}
numbers transposed_times(const host_matrix& a, const numbers& x) {
  numbers y(a.extent(1));
  for (std::size_t j = 0; j < y.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i) y[j] += a(i, j) * x[i];
  return y;
}
numbers scaled(numbers x, const numbers& factors) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= factors[i];
  return x;
}
bool agree(const numbers& x, const numbers& y, double bound) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [&](double a, double b) { return std::fabs(a - b) <= bound; });
}
bool orthonormal(const host_matrix& q) {
  const numbers x = probe(q.extent(1));
  return agree(transposed_times(q, times(q, x)), x, 1e-11);
}

/// The time of `count` updates of a column of m numbers by another, which is what elimination, orthogonalization and
/// rotations consist of.
double time_columns(std::int64_t m, double count) {
  numbers x(m, 1.0), y(m, 0.5);
  return time_baseline(static_cast<std::int64_t>(std::max(count, 1.0)), [&](std::int64_t updates) {
    for (std::int64_t u = 0; u < updates; ++u) {
      for (std::int64_t i = 0; i < m; ++i) x[i] -= 1e-9 * y[i];
      keep(x[0]);
    }
  });
}

/// The columns of a matrix of m rows that is tall for any m.
std::int64_t columns_of(std::int64_t m, std::int64_t max_columns) {
  return std::clamp<std::int64_t>(m / 8, 1, max_columns);
}

measurement qr(const settings& s, std::int64_t m) {
  const std::int64_t n = columns_of(m, 100);
  const auto a = sample_matrix(s, m, n), q = uninitialized<matrix>("q", m, n), r = uninitialized<matrix>("r", n, n);
  measurement result =
      timed(s, {m, n}, 8.0 * (2 * m * n + n * n), 4.0 * m * n * n, [&] { quern::qr(s.exec, q, r, a); });
  const host_matrix ha = quern::to_host(a), hq = quern::to_host(q), hr = quern::to_host(r);
  const numbers x = probe(n);
  result.verified = orthonormal(hq) && agree(times(hq, times(hr, x)), times(ha, x), 1e-11);
  result.baseline_seconds = time_columns(m, 1.0 * n * n);  // Gram and Schmidt: a product and an update for each pair
  return result;
}

measurement svd(const settings& s, std::int64_t m, std::int64_t n) {
  const auto a = sample_matrix(s, m, n), u = uninitialized<matrix>("u", m, n), vt = uninitialized<matrix>("vt", n, n);
  const auto values = uninitialized<vector>("s", n);
  measurement result = timed(s, {m, n}, 8.0 * (2 * m * n + n * n), 6.0 * m * n * n + 20.0 * n * n * n,
                             [&] { quern::svd(s.exec, u, values, vt, a); });
  const host_matrix ha = quern::to_host(a), hu = quern::to_host(u), hv = quern::to_host(vt);
  const numbers x = probe(n), sigma = on_host(values);
  result.verified = orthonormal(hu) && orthonormal(hv) &&
                    agree(times(hu, scaled(times(hv, x), sigma)), times(ha, x), 1e-11 * sigma[0]) &&
                    std::is_sorted(sigma.rbegin(), sigma.rend());
  result.baseline_seconds = time_columns(m, 8 * 2.5 * n * n);  // eight of Jacobi's sweeps, five for each pair
  return result;
}
measurement svd_tall(const settings& s, std::int64_t m) { return svd(s, m, columns_of(m, 100)); }
measurement svd_wide(const settings& s, std::int64_t m) { return svd(s, m, columns_of(m, 1000)); }
measurement svd_square(const settings& s, std::int64_t n) { return svd(s, n, n); }

measurement solve(const settings& s, std::int64_t n) {
  const auto a = sample_matrix(s, n, n);
  const auto b = filled<vector>(s, hashes{2, -0.5, 0.5}, n), x = quern::like(b);
  measurement result =
      timed(s, {n, n}, 8.0 * (n * n + 2 * n), 2.0 / 3 * n * n * n, [&] { quern::solve(s.exec, x, a, b); });
  const numbers hx = on_host(x);
  double largest = 0;
  for (const double v : hx) largest = std::max(largest, std::fabs(v));
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(n * n);
  result.verified = agree(times(quern::to_host(a), hx), on_host(b), rounding * largest);
  result.baseline_seconds = time_columns(n, 1.0 / 3 * n * n);  // Gauss
  return result;
}

measurement eigh(const settings& s, std::int64_t n) {
  const auto a = sample_matrix(s, n, n), v = uninitialized<matrix>("v", n, n);
  const auto w = uninitialized<vector>("w", n);
  Kokkos::parallel_for(
      "quern_app::symmetric", Kokkos::RangePolicy<exec_space>(s.exec, 0, n), KOKKOS_LAMBDA(std::int64_t j) {
        for (std::int64_t i = 0; i < j; ++i) a(i, j) = a(j, i);
      });
  measurement result = timed(s, {n, n}, 8.0 * (2 * n * n + n), 9.0 * n * n * n, [&] { quern::eigh(s.exec, w, v, a); });
  const host_matrix ha = quern::to_host(a), hv = quern::to_host(v);
  const numbers x = probe(n), values = on_host(w);
  result.verified = orthonormal(hv) && agree(times(ha, times(hv, x)), times(hv, scaled(x, values)), 1e-10) &&
                    std::is_sorted(values.begin(), values.end());
  result.baseline_seconds = time_columns(n, 8 * 3.0 * n * n);  // eight of Jacobi's sweeps, six for each pair
  return result;
}

}  // namespace

std::vector<workload> decomposition_workloads() {
  const auto tall = [](std::int64_t max_columns) {
    return [max_columns](std::int64_t m) {
      const auto n = static_cast<double>(columns_of(m, max_columns));
      return 8 * (7.0 * static_cast<double>(m) * n + 20 * n * n);
    };
  };
  const auto square = arrays(8 * 6, 2);
  std::vector<workload> all{
      {"qr", "float64", "A = Q R, m x 100", sizes(20'000, 1'000'000), tall(100), qr, bound::compute},
      {"svd", "float64", "A = U diag(s) Vt, m x 100", sizes(20'000, 1'000'000), tall(100), svd_tall, bound::compute},
      {"svd", "float64", "m x 1000", sizes({1'600}, {10'000, 20'000}), tall(1000), svd_wide, bound::compute},
      {"svd", "float64", "n x n", sizes(100, 1000), square, svd_square, bound::compute},
      {"solve", "float64", "A x = b, one right-hand side", sizes(400, 4000), square, solve, bound::compute},
      {"eigh", "float64", "A v = v diag(w)", sizes(200, 4000), square, eigh, bound::compute},
  };
  if (!quern::impl::lapack::available<exec_space>())
    for (auto& w : all) w.missing = "a LAPACK: build Quern with QUERN_ENABLE_LINALG=ON (Spack: quern +linalg)";
  return all;
}

}  // namespace app
