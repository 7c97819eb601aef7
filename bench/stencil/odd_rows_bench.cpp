// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of rows that no pack divides, beside their aligned neighbours, each with a flat loop. Bytes count each array
// once.

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

struct five_points {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& u) const {
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0);
  }
};
/// The Laplacian of fourth order.
struct thirteen_points {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& u) const {
    using T = decltype(u(0, 0, 0));
    T sum = T(-7.5) * u(0, 0, 0);
    for (int d = 1; d <= 2; ++d)
      sum += (d == 1 ? T(4.0 / 3) : T(-1.0 / 12)) *
             (u(-d, 0, 0) + u(d, 0, 0) + u(0, -d, 0) + u(0, d, 0) + u(0, 0, -d) + u(0, 0, d));
    return sum;
  }
};
struct box_of_27 {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& u) const {
    using T = decltype(u(0, 0, 0));
    T sum = 0;
    for (int k = -1; k <= 1; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) sum += T(14 + 9 * k + 3 * j + i) * u(k, j, i);
    return sum;
  }
};

/// The flat loop, which leaves cells alone that keep their values.
template <int Radius, bool Nearest, class V, class F>
struct plain_cell {
  V x;
  F f;
  KOKKOS_FUNCTION bool computes(int64_t k, int64_t j, int64_t i) const {
    const auto inner = [&](int64_t l, int d) { return l >= Radius && l < static_cast<int64_t>(x.extent(d)) - Radius; };
    return Nearest || (inner(k, 0) && inner(j, 1) && inner(i, 2));
  }
  KOKKOS_FUNCTION auto operator()(int64_t k, int64_t j, int64_t i) const {
    const auto at = [&](int64_t l, int d) {
      return Nearest ? Kokkos::clamp<int64_t>(l, 0, static_cast<int64_t>(x.extent(d)) - 1) : l;
    };
    return f([&](int c, int b, int a) { return x(at(k + c, 0), at(j + b, 1), at(i + a, 2)); });
  }
};

template <class T, class Shape, int Radius, bool Nearest, class F>
prepared three_axes(const exec_space& exec, int64_t l, int64_t m, int64_t n, const F& f) {
  const auto x = sampled(make_view<T***>("x", l, m, n), 1), out = make_view<T***>("out", l, m, n);
  const plain_cell<Radius, Nearest, bench::view<T***>, F> cell{x, f};
  prepared p{2.0 * sizeof(T) * l * m * n, 0, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   const auto& edge = Nearest ? quern::boundary::nearest : quern::boundary::keep;
                   quern::stencil<Shape>(exec, out, f, edge, x);
                 }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, l * m * n), KOKKOS_LAMBDA(int64_t e) {
                         const int64_t k = e / (m * n), j = e / n % m, i = e % n;
                         if (cell.computes(k, j, i)) out(k, j, i) = cell(k, j, i);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-77)); };
  p.right = [=] {
    return bench::failures(
               l * m * n, KOKKOS_LAMBDA(int64_t e) {
                 const int64_t k = e / (m * n), j = e / n % m, i = e % n;
                 if (!cell.computes(k, j, i)) return out(k, j, i) == T(-77);
                 const T expected = cell(k, j, i);
                 return Kokkos::abs(out(k, j, i) - expected) <= T(1e-5) * (1 + Kokkos::abs(expected));
               }) == 0;
  };
  return p;
}

prepared five(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", n, n);
  const auto cell = KOKKOS_LAMBDA(int64_t j, int64_t i) {
    return five_points()([&](int b, int a) { return x(j + b, i + a); });
  };
  const auto inner = KOKKOS_LAMBDA(int64_t j, int64_t i) { return j > 0 && i > 0 && j + 1 < n && i + 1 < n; };
  prepared p{8.0 * n * n, 5.0 * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::stencil<quern::star<1>>(exec, out, five_points(), quern::boundary::keep, x); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n * n), KOKKOS_LAMBDA(int64_t e) {
                         if (inner(e / n, e % n)) out(e / n, e % n) = cell(e / n, e % n);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0f); };
  p.right = [=] {
    return bench::failures(
               n * n, KOKKOS_LAMBDA(int64_t e) {
                 const float expected = inner(e / n, e % n) ? cell(e / n, e % n) : -77;
                 return Kokkos::abs(out(e / n, e % n) - expected) <= 1e-5f;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  bench::add({"five_points/float32 n2", {8190, 8191, 8192, 8194}, 61, five});
  bench::add({"star_of_13/float32 400x401xn", {400, 402}, 21, [](const exec& e, int64_t n) {
                const int64_t m = n < 100 ? n : 400;  // small to verify
                return three_axes<float, quern::star<2>, 2, false>(e, m, m + 1, n, thirteen_points());
              }});
  bench::add({"box_of_27_nearest/float64 400x401xn", {400, 402, 403}, 21, [](const exec& e, int64_t n) {
                const int64_t m = n < 100 ? n : 400;
                return three_axes<double, quern::box<1>, 1, true>(e, m, m + 1, n, box_of_27());
              }});
  return true;
}();

}  // namespace
