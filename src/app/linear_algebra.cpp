// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <quern/core.hpp>
#include <quern/linalg.hpp>

#include "workload.hpp"

namespace app {
namespace {

template <class T>
using matrix = device_view<T**>;

template <class T, class... N>
auto sample(const settings& s, std::uint64_t seed, N... n) {
  return filled<device_view<T>>(s, hashes{seed, -0.5, 0.5}, n...);
}

/// Checks 1000 elements of c = a b against sums in long double.
template <class C, class A, class B>
bool product_right(const C& c, const A& a, const B& b) {
  const std::int64_t m = c.extent(0), n = c.extent(1), k = a.extent(1);
  return all_right(std::min<std::int64_t>(1000, m * n), [&](std::int64_t sample) {
    const auto e = static_cast<std::int64_t>(hashed(sample, 9) * static_cast<double>(m * n));
    long double exact = 0, magnitude = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      const long double term = static_cast<long double>(a(e / n, p)) * b(p, e % n);
      exact += term;
      magnitude += std::fabs(term);
    }
    const double bound = 2 * std::sqrt(static_cast<double>(k)) * std::numeric_limits<typename C::value_type>::epsilon();
    return std::fabs(c(e / n, e % n) - exact) <= bound * magnitude;
  });
}

template <class T, class B>
measurement multiply(const settings& s, const matrix<T>& a, const B& b) {
  const std::int64_t m = a.extent(0), k = a.extent(1), n = b.extent(1);
  const auto c = uninitialized<matrix<T>>("c", m, n);
  measurement r =
      timed(s, fmt::format("({} x {})({} x {})", m, k, k, n), sizeof(T) * (1.0 * m * k + 1.0 * k * n + 1.0 * m * n),
            2.0 * m * n * k, [&] { quern::matmul(s.exec, c, a, b); });
  const host_view<T**> ha = quern::to_host(a), hb = quern::to_host(b), hc = quern::to_host(c);
  r.verified = product_right(hc, ha, hb);
  r.baseline_seconds = time_baseline(m, [&](std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < n; ++j) hc(i, j) = 0;
      for (std::int64_t p = 0; p < k; ++p)
        for (std::int64_t j = 0; j < n; ++j) hc(i, j) += ha(i, p) * hb(p, j);
    }
    keep(hc(0, 0));
  });
  return r;
}

template <class T>
measurement matmul_square(const settings& s, std::int64_t n) {
  return multiply<T>(s, sample<T**>(s, 1, n, n), sample<T**>(s, 2, n, n));
}

measurement matmul_oblong(const settings& s, std::int64_t n) {
  return multiply<double>(s, sample<double**>(s, 1, n, 2 * n), sample<double**>(s, 2, 2 * n, n / 2));
}

measurement gram(const settings& s, std::int64_t n) {
  const auto x = sample<float**>(s, 1, n, n);
  return multiply<float>(s, x, quern::transposed(x));
}

measurement vmap_matvec(const settings& s, std::int64_t batch) {
  const std::int64_t m = 150, n = 100;
  const auto a = sample<float**>(s, 1, m, n), x = sample<float**>(s, 2, batch, n);
  const auto y = uninitialized<matrix<float>>("y", batch, m);
  measurement r = timed(s, fmt::format("({} x {}) x {}", m, n, batch), 4.0 * (m * n + batch * (m + n)),
                        2.0 * batch * m * n, [&] { quern::matvec(s.exec, y, a, x); });
  const host_view<float**> ha = quern::to_host(a), hx = quern::to_host(x), hy = quern::to_host(y);
  r.verified = product_right(quern::transposed(hy), ha, quern::transposed(hx));
  r.baseline_seconds = time_elements(hy, [&](std::int64_t b, std::int64_t i) {
    float sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += ha(i, k) * hx(b, k);
    return sum;
  });
  return r;
}

measurement batched_matvec(const settings& s, std::int64_t batch) {
  const std::int64_t n = 8;
  const auto a = sample<double***>(s, 1, batch, n, n);
  const auto x = sample<double**>(s, 2, batch, n), y = quern::like(x);
  measurement r = timed(s, fmt::format("({0} x {0}) x {1}", n, batch), 8.0 * batch * (n * n + 2 * n),
                        2.0 * batch * n * n, [&] { quern::matvec(s.exec, y, a, x); });
  const host_view<double***> ha = quern::to_host(a);
  const host_view<double**> hx = quern::to_host(x), hy = quern::to_host(y);
  const auto product = [&](std::int64_t b, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += ha(b, i, k) * hx(b, k);
    return sum;
  };
  const double bound = static_cast<double>(n * n) * std::numeric_limits<double>::epsilon();  // of terms below 1/4
  compare(r, hy, product, bound);
  return r;
}

/// Gaussian elimination with partial pivoting of one system, in place.
void eliminate(double* a, double* b, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t p = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[p * n + k])) p = i;
    if (p != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + p * n);
    std::swap(b[k], b[p]);
    for (std::int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::int64_t k = n - 1; k >= 0; --k) {
    for (std::int64_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
}

measurement batched_solve(const settings& s, std::int64_t batch) {
  const std::int64_t n = 8;
  const auto a = sample<double***>(s, 1, batch, n, n);
  const auto b = sample<double**>(s, 2, batch, n), x = quern::like(b);
  const auto info = uninitialized<device_view<int*>>("info", batch);
  const double flops = 2.0 * n * n * n / 3 + 2.0 * n * n;
  measurement r = timed(s, fmt::format("({0} x {0}) x {1}", n, batch), 8.0 * batch * (n * n + 2 * n), flops * batch,
                        [&] { quern::solve(s.exec, x, a, b, info); });
  const host_view<double***> ha = quern::to_host(a);
  const host_view<double**> hb = quern::to_host(b), hx = quern::to_host(x);
  // The backward error: |a x - b| below n eps |a| |x|, whatever the condition of a.
  r.verified = all_right(batch, [&](std::int64_t item) {
    double largest = 0, error = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      double rest = -hb(item, i);
      for (std::int64_t k = 0; k < n; ++k) rest += ha(item, i, k) * hx(item, k);
      error = std::max(error, std::fabs(rest));
      largest = std::max(largest, std::fabs(hx(item, i)));
    }
    const double size = static_cast<double>(n) / 2;  // of a row, whose numbers are below 1/2
    return error <= 8 * n * std::numeric_limits<double>::epsilon() * size * largest;
  });
  r.baseline_seconds = time_baseline(batch, [&](std::int64_t count) {
    for (std::int64_t item = 0; item < count; ++item) eliminate(&ha(item, 0, 0), &hb(item, 0), n);
    keep(hb(0, 0));
  });
  return r;
}

}  // namespace

std::vector<workload> linear_algebra_workloads() {
  const auto batch = [](std::int64_t n) { return 2.0 * 4 * (15'000 + 250.0 * static_cast<double>(n)); };
  return {
      {"matmul", "float64", "C = A B, n x 2n times 2n x n/2", sizes(256, 1024), arrays(28, 2), matmul_oblong,
       bound::compute},
      {"matmul", "float64", "C = A B", sizes({400}, {1000, 10'000}), arrays(24, 2), matmul_square<double>,
       bound::compute},
      {"matmul", "float32", "X X^T", sizes(400, 3000), arrays(16, 2), gram, bound::compute},
      {"vmap_matvec", "float32", "one matrix times many vectors", sizes(10, 10), batch, vmap_matvec, bound::none},
      {"batched_matvec", "float64", "a matrix of 8 x 8 for each vector", sizes(20'000, 100'000), arrays(8 * 80),
       batched_matvec},
      {"batched_solve", "float64", "systems of 8 x 8 with partial pivoting", sizes(20'000, 100'000), arrays(8 * 80),
       batched_solve},
  };
}

}  // namespace app
