// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An iteration of conjugate gradients for a 5-point problem of n x n cells, in two passes: w = A p with p.w, then the
// updates of u and r with r.r; beside loops that are fused by hand, over cells and on hosts over rows. Bytes count each
// array once for each pass that reads it, and once for each that writes it.

#include <quern/core.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;
using field = Kokkos::View<double**, Kokkos::LayoutRight, exec_space>;
using number = Kokkos::View<double, exec_space>;

struct apply {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& p) const {
    const double w = 4 * p(0, 0) - p(-1, 0) - p(1, 0) - p(0, -1) - p(0, 1);
    return quern::values(w, p(0, 0) * w);
  }
};
struct plain_apply {
  field p, w;
  int64_t n;
  KOKKOS_FUNCTION double at(int64_t j, int64_t i) const { return j < 0 || i < 0 || j >= n || i >= n ? 0 : p(j, i); }
  KOKKOS_FUNCTION void operator()(int64_t j, int64_t i, double& sum) const {
    const bool inside = j > 0 && i > 0 && j < n - 1 && i < n - 1;
    const double around = inside ? p(j - 1, i) + p(j + 1, i) + p(j, i - 1) + p(j, i + 1)
                                 : at(j - 1, i) + at(j + 1, i) + at(j, i - 1) + at(j, i + 1);
    w(j, i) = 4 * p(j, i) - around;
    sum += p(j, i) * w(j, i);
  }
};
/// The same by rows, as one writes it for speed on hosts: pointers to rows, ends apart, and sums in lanes, of which
/// compilers make vector instructions.
struct plain_rows {
  plain_apply cells;
  KOKKOS_FUNCTION void operator()(int64_t j, double& sum) const {
    const int64_t n = cells.n;
    if (j == 0 || j == n - 1 || n < 3) {
      for (int64_t i = 0; i < n; ++i) cells(j, i, sum);
      return;
    }
    constexpr int lanes = 16;
    const double *p = &cells.p(j, 0), *above = &cells.p(j - 1, 0), *below = &cells.p(j + 1, 0);
    double* w = &cells.w(j, 0);
    double lane[lanes] = {};
    int64_t i = 1;
    for (; i + lanes < n; i += lanes) {
      double of_cells[lanes];
      for (int k = 0; k < lanes; ++k)
        of_cells[k] = 4 * p[i + k] - (above[i + k] + below[i + k] + p[i + k - 1] + p[i + k + 1]);
      for (int k = 0; k < lanes; ++k) {
        w[i + k] = of_cells[k];
        lane[k] += p[i + k] * of_cells[k];
      }
    }
    cells(j, 0, sum);
    for (; i < n; ++i) cells(j, i, sum);
    for (const double of_lane : lane) sum += of_lane;
  }
};
/// Whether a sum is that of n terms, to rounding.
template <class Term>
bool is_sum(const number& sum, int64_t n, const Term& term) {
  double expected = 0, found = 0;
  Kokkos::parallel_reduce("bench::check", range(0, n), term, expected);
  Kokkos::deep_copy(found, sum);
  return Kokkos::abs(found - expected) <= 1e-9 * Kokkos::abs(expected);
}

prepared applied(const exec_space& exec, int64_t n) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<int64_t>>;
  const field p = sampled(make_view<double**>("p", n, n), 1), w = make_view<double**>("w", n, n);
  const number pw("pw");
  const auto call = [=] {
    quern::stencil<quern::star<1>>(exec, quern::outputs(w, quern::reduced<quern::op::sum>(pw)), apply(),
                                   quern::boundary::constant(0), p);
  };
  const plain_apply plain{p, w, n};
  prepared b{16.0 * static_cast<double>(n * n), 0, {}, {}, {}};
  b.variants = {{"quern", call},
                {"plain", [=] { Kokkos::parallel_reduce("plain", policy(exec, {0, 0}, {n, n}), plain, pw); }}};
  if (!quern::impl::is_device<exec_space>)
    b.variants.push_back(
        {"plain_rows", [=] { Kokkos::parallel_reduce("plain_rows", range(exec, 0, n), plain_rows{plain}, pw); }});
  b.poison = [=] {
    Kokkos::deep_copy(w, -77);
    Kokkos::deep_copy(pw, -77);
  };
  b.right = [=] {
    const bool cells = bench::failures(
                           n * n, KOKKOS_LAMBDA(int64_t e) {
                             const int64_t j = e / n, i = e % n;
                             const double around =
                                 plain.at(j - 1, i) + plain.at(j + 1, i) + plain.at(j, i - 1) + plain.at(j, i + 1);
                             return Kokkos::abs(w(j, i) - (4 * p(j, i) - around)) < 1e-12;
                           }) == 0;
    return cells &&
           is_sum(pw, n * n, KOKKOS_LAMBDA(int64_t e, double& sum) { sum += p(e / n, e % n) * w(e / n, e % n); });
  };
  return b;
}

struct advance {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double alpha) const {
    const double rest = r - alpha * w;
    return quern::values(u + alpha * p, rest, rest * rest);
  }
};
struct plain_advance {
  double *u, *r;
  const double *p, *w;
  number alpha;
  KOKKOS_FUNCTION void operator()(int64_t e, double& sum) const {
    u[e] += alpha() * p[e];
    const double rest = r[e] - alpha() * w[e];
    r[e] = rest;
    sum += rest * rest;
  }
};
/// The same by rows, as `plain_rows`.
struct plain_advanced_rows {
  plain_advance cells;
  int64_t n;
  KOKKOS_FUNCTION void operator()(int64_t j, double& sum) const {
    constexpr int lanes = 16;
    double *u = cells.u + j * n, *r = cells.r + j * n;
    const double *p = cells.p + j * n, *w = cells.w + j * n, alpha = cells.alpha();
    double lane[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      double next[lanes], rest[lanes];
      for (int k = 0; k < lanes; ++k) {
        next[k] = u[i + k] + alpha * p[i + k];
        rest[k] = r[i + k] - alpha * w[i + k];
      }
      for (int k = 0; k < lanes; ++k) {
        u[i + k] = next[k];
        r[i + k] = rest[k];
        lane[k] += rest[k] * rest[k];
      }
    }
    for (; i < n; ++i) cells(j * n + i, sum);
    for (const double of_lane : lane) sum += of_lane;
  }
};
prepared advanced(const exec_space& exec, int64_t n) {
  const auto make = [&](const char* label, int seed) { return sampled(make_view<double**>(label, n, n), seed); };
  const field u = make("u", 1), r = make("r", 2), p = make("p", 3), w = make("w", 4);
  const number rr("rr"), alpha("alpha");
  Kokkos::deep_copy(alpha, 1e-3);
  const plain_advance plain{u.data(), r.data(), p.data(), w.data(), alpha};
  prepared b{48.0 * static_cast<double>(n * n), 0, {}, {}, {}};
  b.variants = {{"quern",
                 [=] {
                   quern::map(exec, quern::outputs(u, r, quern::reduced<quern::op::sum>(rr)), advance(), u, r, p, w,
                              alpha);
                 }},
                {"plain", [=] { Kokkos::parallel_reduce("plain", range(exec, 0, n * n), plain, rr); }}};
  if (!quern::impl::is_device<exec_space>)
    b.variants.push_back({"plain_rows", [=] {
                            Kokkos::parallel_reduce("plain_rows", range(exec, 0, n), plain_advanced_rows{plain, n}, rr);
                          }});
  b.poison = [=] {
    sampled(u, 1);
    sampled(r, 2);
    Kokkos::deep_copy(rr, -77);
  };
  b.right = [=] {
    const bool cells = bench::failures(
                           n * n, KOKKOS_LAMBDA(int64_t e) {
                             const double pe = bench::hashed(e, 3), we = bench::hashed(e, 4);
                             return Kokkos::abs(u(e / n, e % n) - (bench::hashed(e, 1) + 1e-3 * pe)) < 1e-12 &&
                                    Kokkos::abs(r(e / n, e % n) - (bench::hashed(e, 2) - 1e-3 * we)) < 1e-12;
                           }) == 0;
    return cells &&
           is_sum(rr, n * n, KOKKOS_LAMBDA(int64_t e, double& sum) { sum += r(e / n, e % n) * r(e / n, e % n); });
  };
  return b;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"cg/apply and dot, float64 n2", {512, 1'024, 2'048, 4'096}, 21, applied});
  bench::add({"cg/update and dot, float64 n2", {512, 1'024, 2'048, 4'096}, 21, advanced});
  return true;
}();

}  // namespace
