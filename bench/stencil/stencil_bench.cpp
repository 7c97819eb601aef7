// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils beside MDRangePolicy with its own tiles and a flat range. Bytes count each array once.

#include <cmath>
#include <numbers>
#include <quern/core.hpp>
#include <quern/stencil.hpp>

#include "app/stencil_rules.hpp"
#include "support/bench.hpp"

namespace {

using app::heat_step;
using app::laplace7;
using app::smooth3x3;
using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

prepared smooth(const exec_space& exec, std::int64_t n) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  const auto x = make_view<std::int8_t**>("x", n, n), out = make_view<std::int8_t**>("out", n, n);
  Kokkos::parallel_for(
      range(0, n * n),
      KOKKOS_LAMBDA(std::int64_t i) { x.data()[i] = static_cast<std::int8_t>(256 * bench::hashed(i, 1) - 128); });
  const auto cell = KOKKOS_LAMBDA(std::int64_t j, std::int64_t i) {
    return static_cast<std::int8_t>(smooth3x3()([&](int dj, int di) { return x(j + dj, i + di); }));
  };
  prepared p{2.0 * n * n, 12.0 * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::stencil<quern::box<1>>(exec, out, smooth3x3(), quern::boundary::keep, x); }},
                {"plain",
                 [=] {
                   Kokkos::parallel_for(
                       "plain", policy(exec, {1, 1}, {n - 1, n - 1}),
                       KOKKOS_LAMBDA(std::int64_t j, std::int64_t i) { out(j, i) = cell(j, i); });
                 }},
                {"plain_flat", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n * n), KOKKOS_LAMBDA(std::int64_t k) {
                         const std::int64_t j = k / n, i = k % n;
                         if (j > 0 && j + 1 < n && i > 0 && i + 1 < n) out(j, i) = cell(j, i);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, std::int8_t(99)); };
  p.right = [=] {
    return bench::failures(
               n * n, KOKKOS_LAMBDA(std::int64_t k) {
                 const std::int64_t j = k / n, i = k % n;
                 return out(j, i) == (j > 0 && j + 1 < n && i > 0 && i + 1 < n ? cell(j, i) : 99);
               }) == 0;
  };
  return p;
}

prepared laplacian(const exec_space& exec, std::int64_t n, bool wraps) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>;
  const auto x = sampled(make_view<double***>("x", n, n, n), 1), out = make_view<double***>("out", n, n, n);
  const std::int64_t first = wraps ? 0 : 1;
  const auto cell = KOKKOS_LAMBDA(std::int64_t k, std::int64_t j, std::int64_t i) {
    const auto at = [&](std::int64_t l) { return wraps ? (l + n) % n : l; };
    return laplace7()([&](int c, int b, int a) { return x(at(k + c), at(j + b), at(i + a)); });
  };
  prepared p{16.0 * n * n * n, 7.0 * n * n * n, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   const auto& edge = wraps ? quern::boundary::wrap : quern::boundary::keep;
                   quern::stencil<quern::star<1>>(exec, out, laplace7(), edge, x);
                 }},
                {"plain",
                 [=] {
                   Kokkos::parallel_for(
                       "plain", policy(exec, {first, first, first}, {n - first, n - first, n - first}),
                       KOKKOS_LAMBDA(std::int64_t k, std::int64_t j, std::int64_t i) { out(k, j, i) = cell(k, j, i); });
                 }},
                {"plain_flat", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n * n * n), KOKKOS_LAMBDA(std::int64_t e) {
                         const std::int64_t k = e / (n * n), j = e / n % n, i = e % n, last = n - first;
                         if (k >= first && j >= first && i >= first && k < last && j < last && i < last)
                           out(k, j, i) = cell(k, j, i);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0); };
  p.right = [=] {
    return bench::failures(
               n * n * n, KOKKOS_LAMBDA(std::int64_t e) {
                 const std::int64_t k = e / (n * n), j = e / n % n, i = e % n, last = n - first;
                 if (k < first || j < first || i < first || k >= last || j >= last || i >= last)
                   return out(k, j, i) == -77;
                 return Kokkos::abs(out(k, j, i) - cell(k, j, i)) <= 1e-14;
               }) == 0;
  };
  return p;
}

void plain_heat(const exec_space& exec, double rate, const bench::view<double***>& from,
                const bench::view<double***>& to) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t n = from.extent(0);
  Kokkos::parallel_for(
      "plain", policy(exec, {1, 1, 1}, {n - 1, n - 1, n - 1}),
      KOKKOS_LAMBDA(std::int64_t c, std::int64_t b, std::int64_t a) {
        to(c, b, a) = heat_step{rate}([&](int l, int j, int i) { return from(c + l, b + j, a + i); });
      });
}

/// Ten explicit steps of the heat equation, and ten Laplacians: what a step may cost.
prepared heat(const exec_space& exec, std::int64_t n) {
  constexpr int steps = 10;
  const double rate = 0.125, k = std::numbers::pi / static_cast<double>(n - 1);
  const auto u = make_view<double***>("u", n, n, n), v = make_view<double***>("v", n, n, n);
  const auto mode = KOKKOS_LAMBDA(std::int64_t i) {
    return i == 0 || i == n - 1 ? 0.0 : Kokkos::sin(k * static_cast<double>(i));
  };
  const auto initial = KOKKOS_LAMBDA(std::int64_t e) { return mode(e / (n * n)) * mode(e / n % n) * mode(e % n); };
  const auto fill = [=] {
    Kokkos::parallel_for(
        range(0, n * n * n), KOKKOS_LAMBDA(std::int64_t e) { u.data()[e] = v.data()[e] = initial(e); });
    Kokkos::fence();
  };
  fill();
  const auto advance = [=](const auto& step) {
    return [=] {
      auto now = u, next = v;
      quern::iterate(exec, now, next, step, steps);
    };
  };
  prepared p{16.0 * steps * n * n * n, 9.0 * steps * n * n * n, {}, {}, {}};
  p.variants = {
      {"quern", advance([=](const auto& on, const auto& from, const auto& to) {
         quern::stencil<quern::star<1>>(on, to, heat_step{rate}, quern::boundary::keep, from);
       })},
      {"plain", advance([=](const auto& on, const auto& from, const auto& to) { plain_heat(on, rate, from, to); })}};
  p.poison = fill;
  // A mode of the discrete Laplacian shrinks by the same factor at each step.
  const double factor = std::pow(1 - 12 * rate * std::pow(std::sin(k / 2), 2), steps);
  p.right = [=] {
    return bench::failures(
               n * n * n,
               KOKKOS_LAMBDA(std::int64_t e) { return Kokkos::abs(u.data()[e] - factor * initial(e)) <= 1e-13; }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  using std::int64_t;
  bench::add({"smooth/int8 n2", {1'000, 9'999, 10'000, 20'000}, 61, smooth});
  bench::add({"laplacian/float64 n3", {128, 511, 512, 514}, 21, [](const exec& e, int64_t n) {
                return laplacian(e, n, false);
              }});
  bench::add({"laplacian_wrap/float64 n3", {512}, 21, [](const exec& e, int64_t n) { return laplacian(e, n, true); }});
  bench::add({"heat_10_steps/float64 n3", {128, 512}, 21, heat});
  return true;
}();

}  // namespace
