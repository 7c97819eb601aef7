// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives by dual numbers beside derivatives written by hand, and solvers of many small systems. Bytes count each
// input read once and each output written once; no flops are stated where the number of steps depends on the data.

#include <quern/autodiff.hpp>
#include <quern/batch.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::failures;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using bench::view;

struct rate {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x, const T& y, const T& z) const {
    return x * y / (1.0 + z * z);
  }
};
/// The rate and its derivatives.
struct rate_by_hand {
  KOKKOS_FUNCTION Kokkos::Array<double, 4> operator()(double x, double y, double z) const {
    const double q = 1 / (1 + z * z), dx = y * q, value = x * dx;
    return {value, dx, x * q, -2 * z * q * value};
  }
};

prepared gradient(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1), y = sampled(make_view<double*>("y", n), 2),
             z = sampled(make_view<double*>("z", n), 3);
  const auto f = make_view<double*>("f", n), dx = make_view<double*>("df/dx", n), dy = make_view<double*>("df/dy", n),
             dz = make_view<double*>("df/dz", n);
  prepared p{56.0 * n, 9.0 * n, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::map(exec, quern::outputs(f, dx, dy, dz), quern::with_gradient(rate()), x, y, z); }},
      {"map_by_hand", [=] { quern::map(exec, quern::outputs(f, dx, dy, dz), rate_by_hand(), x, y, z); }},
      {"plain", [=] {
         Kokkos::parallel_for(
             "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
               const auto r = rate_by_hand()(x(i), y(i), z(i));
               f(i) = r[0];
               dx(i) = r[1];
               dy(i) = r[2];
               dz(i) = r[3];
             });
       }}};
  p.poison = [=] {
    for (const auto& v : {f, dx, dy, dz}) Kokkos::deep_copy(v, -7.0);
  };
  p.right = [=] {
    return failures(
               n, KOKKOS_LAMBDA(std::int64_t i) {
                 const auto r = rate_by_hand()(x(i), y(i), z(i));
                 return Kokkos::abs(f(i) - r[0]) < 1e-14 && Kokkos::abs(dx(i) - r[1]) < 1e-14 &&
                        Kokkos::abs(dy(i) - r[2]) < 1e-14 && Kokkos::abs(dz(i) - r[3]) < 1e-14;
               }) == 0;
  };
  return p;
}

constexpr int species = 8;
using populations = Kokkos::Array<double, species>;

/// Growth of species that compete: `x_i (r_i - sum_j a_ij x_j)`, where a species harms itself most.
KOKKOS_INLINE_FUNCTION double harm(int i, int j) { return i == j ? 1.0 : 0.5 / (2 + (3 * i + 5 * j) % species); }
struct growth {
  template <class A, class R>
  KOKKOS_FUNCTION A operator()(const A& x, const R& r) const {
    A f;
    for (int i = 0; i < species; ++i) {
      auto free = r(i) - harm(i, 0) * x[0];
      for (int j = 1; j < species; ++j) free -= harm(i, j) * x[j];
      f[i] = x[i] * free;
    }
    return f;
  }
};
template <class R>
KOKKOS_FUNCTION Kokkos::Array<populations, species> jacobian_by_hand(const populations& x, const R& r) {
  Kokkos::Array<populations, species> d;
  for (int i = 0; i < species; ++i) {
    double free = r(i);
    for (int j = 0; j < species; ++j) {
      free -= harm(i, j) * x[j];
      d[i][j] = -harm(i, j) * x[i];
    }
    d[i][i] += free;
  }
  return d;
}

template <class X>
KOKKOS_FUNCTION populations loaded(const X& x) {
  populations a;
  for (int i = 0; i < species; ++i) a[i] = x(i);
  return a;
}
template <class D>
KOKKOS_FUNCTION void store(const D& d, const Kokkos::Array<populations, species>& values) {
  for (int i = 0; i < species; ++i)
    for (int j = 0; j < species; ++j) d(i, j) = values[i][j];
}

struct jacobian_item {
  template <class D, class X, class R>
  KOKKOS_FUNCTION void operator()(const D& d, const X& x, const R& r) const {
    store(d, quern::jacobian([&](const auto& u) { return growth()(u, r); }, loaded(x)));
  }
};
struct jacobian_by_hand_item {
  template <class D, class X, class R>
  KOKKOS_FUNCTION void operator()(const D& d, const X& x, const R& r) const {
    store(d, jacobian_by_hand(loaded(x), r));
  }
};

prepared jacobian(const exec_space& exec, std::int64_t items) {
  const auto x = sampled(make_view<double**>("x", items, species), 1),
             r = sampled(make_view<double**>("r", items, species), 2);
  const auto d = make_view<double***>("d", items, species, species);
  prepared p{8.0 * items * (species * species + 2 * species), 3.0 * items * species * species, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::vmap(exec, d, jacobian_item(), x, r); }},
                {"vmap_by_hand", [=] { quern::vmap(exec, d, jacobian_by_hand_item(), x, r); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, items), KOKKOS_LAMBDA(std::int64_t n) {
                         jacobian_by_hand_item()(Kokkos::subview(d, n, Kokkos::ALL, Kokkos::ALL),
                                                 Kokkos::subview(x, n, Kokkos::ALL),
                                                 Kokkos::subview(r, n, Kokkos::ALL));
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(d, -7.0); };
  p.right = [=] {
    return failures(
               items, KOKKOS_LAMBDA(std::int64_t n) {
                 const auto exact =
                     jacobian_by_hand(loaded(Kokkos::subview(x, n, Kokkos::ALL)), Kokkos::subview(r, n, Kokkos::ALL));
                 double apart = 0;
                 for (int i = 0; i < species; ++i)
                   for (int j = 0; j < species; ++j) apart = Kokkos::max(apart, Kokkos::abs(d(n, i, j) - exact[i][j]));
                 return apart < 1e-14;
               }) == 0;
  };
  return p;
}

/// Cubic equations that are coupled: `x_i^3 + x_i + 0.1 sum_j x_j = r_i`, with one solution each.
struct cubic {
  template <class A, class R>
  KOKKOS_FUNCTION A operator()(const A& x, const R& r) const {
    auto sum = x[0];
    for (int j = 1; j < species; ++j) sum += x[j];
    A f;
    for (int i = 0; i < species; ++i) f[i] = x[i] * x[i] * x[i] + x[i] + 0.1 * sum - r(i);
    return f;
  }
};
/// As a user would write it: with derivatives by hand and elimination without pivoting, as the matrices are dominated
/// by their diagonals.
struct plain_newton {
  view<double**> x, r;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    populations u = loaded(Kokkos::subview(x, n, Kokkos::ALL));
    for (int iteration = 0; iteration < 50; ++iteration) {
      populations f = cubic()(u, Kokkos::subview(r, n, Kokkos::ALL));
      Kokkos::Array<populations, species> d;
      for (int i = 0; i < species; ++i)
        for (int j = 0; j < species; ++j) d[i][j] = 0.1 + (i == j ? 3 * u[i] * u[i] + 1 : 0.0);
      for (int k = 0; k < species; ++k)
        for (int i = k + 1; i < species; ++i) {
          const double factor = d[i][k] / d[k][k];
          for (int j = k + 1; j < species; ++j) d[i][j] -= factor * d[k][j];
          f[i] -= factor * f[k];
        }
      double change = 0, largest = 0;
      for (int k = species; k-- > 0;) {
        for (int j = k + 1; j < species; ++j) f[k] -= d[k][j] * f[j];
        f[k] /= d[k][k];
        u[k] -= f[k];
        change = Kokkos::max(change, Kokkos::abs(f[k]));
        largest = Kokkos::max(largest, Kokkos::abs(u[k]));
      }
      if (change <= 8 * Kokkos::Experimental::epsilon_v<double> * largest) break;
    }
    for (int i = 0; i < species; ++i) x(n, i) = u[i];
  }
};

prepared newton(const exec_space& exec, std::int64_t items) {
  const auto x = make_view<double**>("x", items, species), r = sampled(make_view<double**>("r", items, species), 2);
  const auto status = make_view<int*>("status", items);
  prepared p{8.0 * items * 3 * species, 0, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   Kokkos::deep_copy(exec, x, 0.5);
                   quern::newton<species>(exec, quern::outputs(x, status), cubic(), r);
                 }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, x, 0.5);
                   Kokkos::parallel_for("plain", range(exec, 0, items), plain_newton{x, r});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(x, -7.0); };
  p.right = [=] {
    return failures(
               items, KOKKOS_LAMBDA(std::int64_t n) {
                 const auto f = cubic()(loaded(Kokkos::subview(x, n, Kokkos::ALL)), Kokkos::subview(r, n, Kokkos::ALL));
                 double largest = 0;
                 for (int i = 0; i < species; ++i) largest = Kokkos::max(largest, Kokkos::abs(f[i]));
                 return largest < 1e-14;
               }) == 0;
  };
  return p;
}

/// Lotka and Volterra's predators and prey, whose quantity `c x - d log x + b y - a log y` is constant.
constexpr double lv_a = 1.1, lv_b = 0.4, lv_c = 0.1, lv_d = 0.4;
struct predators_and_prey {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& u, const T&) const {
    return {u[0] * (T(lv_a) - T(lv_b) * u[1]), u[1] * (T(lv_c) * u[0] - T(lv_d))};
  }
};
KOKKOS_INLINE_FUNCTION double conserved(double x, double y) {
  return lv_c * x - lv_d * Kokkos::log(x) + lv_b * y - lv_a * Kokkos::log(y);
}

prepared odeint(const exec_space& exec, std::int64_t items) {
  constexpr std::int64_t times = 11;  // 0, 1 ... 10
  const auto y0 = sampled(make_view<double**>("y0", items, 2), 1);
  quern::map(exec, y0, KOKKOS_LAMBDA(double u) { return 5 + 5 * u; }, y0);
  const auto t = make_view<double*>("t", times);
  Kokkos::parallel_for("bench::times", range(exec, 0, times), KOKKOS_LAMBDA(std::int64_t i) { t(i) = double(i); });
  const auto y = make_view<double***>("y", items, times, 2);
  const auto status = make_view<int*>("status", items);
  prepared p{8.0 * items * 2 * (1 + times), 0, {}, {}, {}};
  p.variants = {{"quern", [=] {
                   const quern::tolerance within{.relative = 1e-6, .absolute = 1e-6};
                   quern::odeint<2>(exec, quern::outputs(y, status), predators_and_prey(), within, y0, t);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, -7.0); };
  p.right = [=] {
    return failures(
               items, KOKKOS_LAMBDA(std::int64_t n) {
                 const double first = conserved(y0(n, 0), y0(n, 1)), last = conserved(y(n, 10, 0), y(n, 10, 1));
                 return y(n, 0, 0) == y0(n, 0) && Kokkos::abs(last - first) < 1e-4;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"with_gradient/float64 of 3", {1'000'000, 50'000'000}, 1003, gradient});
  bench::add({"jacobian/float64 8x8", {100'000, 1'000'000}, 103, jacobian});
  bench::add({"newton/float64 8", {100'000, 1'000'000}, 103, newton});
  bench::add({"odeint/float64 2 at 11 times", {100'000, 1'000'000}, 103, odeint});
  return true;
}();

}  // namespace
