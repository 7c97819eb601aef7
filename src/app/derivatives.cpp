// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <cmath>
#include <quern/autodiff.hpp>
#include <quern/batch.hpp>
#include <quern/core.hpp>
#include <quern/map.hpp>

#include "workload.hpp"

namespace app {
namespace {

struct rate {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x, const T& y, const T& z) const {
    return x * y / (1.0 + z * z);
  }
};

measurement gradient(const settings& s, std::int64_t n) {
  using array = device_view<double*>;
  const auto x = filled<array>(s, hashes{1}, n), y = filled<array>(s, hashes{2}, n), z = filled<array>(s, hashes{3}, n);
  const auto f = quern::like(x), dx = quern::like(x), dy = quern::like(x), dz = quern::like(x);
  measurement m = timed(s, {n}, 56.0 * n, 9.0 * n, [&] {
    quern::map(s.exec, quern::outputs(f, dx, dy, dz), quern::with_gradient(rate()), x, y, z);
  });
  const host_view<double*> hx = quern::to_host(x), hy = quern::to_host(y), hz = quern::to_host(z);
  const host_view<double*> hf = quern::to_host(f), hdx = quern::to_host(dx);
  const host_view<double*> hdy = quern::to_host(dy), hdz = quern::to_host(dz);
  m.verified = all_right(n, [&](std::int64_t i) {
    const long double u = hx(i), v = hy(i), w = hz(i), q = 1 / (1 + w * w);
    const long double bound = 8 * std::numeric_limits<double>::epsilon();
    return agrees(hf(i), u * v * q, bound) && agrees(hdx(i), v * q, bound) && agrees(hdy(i), u * q, bound) &&
           agrees(hdz(i), -2 * u * v * w * q * q, bound);
  });
  m.baseline_seconds = time_baseline(n, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double q = 1 / (1 + hz(i) * hz(i));
      hdx(i) = hy(i) * q;
      hdy(i) = hx(i) * q;
      hf(i) = hx(i) * hdx(i);
      hdz(i) = -2 * hz(i) * q * hf(i);
    }
    keep(hf(0));
  });
  return m;
}

/// Lotka and Volterra's predators and prey.
constexpr double prey_growth = 1.1, prey_loss = 0.4, predator_growth = 0.1, predator_loss = 0.4;
struct predators_and_prey {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& u, const T&) const {
    return {u[0] * (T(prey_growth) - T(prey_loss) * u[1]), u[1] * (T(predator_growth) * u[0] - T(predator_loss))};
  }
};
/// The invariant of their populations.
double invariant(double prey, double predators) {
  return predator_growth * prey - predator_loss * std::log(prey) + prey_loss * predators -
         prey_growth * std::log(predators);
}

/// The classical method of order 4 with so many steps.
void integrate_by_fixed_steps(Kokkos::Array<double, 2>& u, double time, int steps) {
  const double h = time / steps;
  const predators_and_prey f;
  const auto at = [&](const auto& slope, double step) {
    return Kokkos::Array<double, 2>{u[0] + step * slope[0], u[1] + step * slope[1]};
  };
  for (int i = 0; i < steps; ++i) {
    const auto a = f(u, 0.0), b = f(at(a, h / 2), 0.0), c = f(at(b, h / 2), 0.0), d = f(at(c, h), 0.0);
    for (int k = 0; k < 2; ++k) u[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
}

/// The plain loop: Dormand and Prince's pair of orders 5 and 4 as one writes it down, with steps that end at every
/// time.
void integrate_by_own_steps(Kokkos::Array<double, 2>& u, std::int64_t times, double tolerance) {
  constexpr double a[6][6] = {{1. / 5},
                              {3. / 40, 9. / 40},
                              {44. / 45, -56. / 15, 32. / 9},
                              {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                              {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                              {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  constexpr double error[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
  const predators_and_prey f;
  Kokkos::Array<double, 2> slope[7] = {f(u, 0.0)}, next;
  double h = 0.01;
  for (std::int64_t k = 1; k < times; ++k)
    for (double left = 1; left > 0;) {
      const double step = std::min(h, left);
      for (int stage = 0; stage < 6; ++stage) {
        for (int i = 0; i < 2; ++i) {
          next[i] = u[i];
          for (int j = 0; j <= stage; ++j) next[i] += step * a[stage][j] * slope[j][i];
        }
        slope[stage + 1] = f(next, 0.0);
      }
      double squares = 0;
      for (int i = 0; i < 2; ++i) {
        double e = 0;
        for (int j = 0; j < 7; ++j) e += step * error[j] * slope[j][i];
        const double scaled = e / (tolerance * (1 + std::max(std::fabs(u[i]), std::fabs(next[i]))));
        squares += scaled * scaled / 2;
      }
      const double r = std::sqrt(squares);
      if (r <= 1) {
        u = next;
        slope[0] = slope[6];
        left -= step;
      }
      if (r > 1 || step == h) h = step * std::clamp(0.9 * std::pow(r, -0.2), 0.2, 10.0);
    }
}

measurement odeint(const settings& s, std::int64_t items) {
  constexpr std::int64_t times = 11;
  const auto y0 = filled<device_view<double**>>(s, hashes{1, 5, 10}, items, 2);
  const auto t = filled<device_view<double*>>(s, KOKKOS_LAMBDA(std::int64_t i) { return i; }, times);
  const auto y = uninitialized<device_view<double***>>("y", items, times, 2);
  const auto status = uninitialized<device_view<int*>>("status", items);
  constexpr double accuracy = 1e-6;
  const quern::tolerance within{.relative = accuracy, .absolute = accuracy};
  measurement m = timed(s, fmt::format("{} systems", items), 8.0 * 2 * items * (1 + times), 0, [&] {
    quern::odeint<2>(s.exec, quern::outputs(y, status), predators_and_prey(), within, y0, t);
  });
  const host_view<double***> hy = quern::to_host(y);
  const host_view<double**> first = quern::to_host(y0);
  // The exact solutions keep the invariant; one of them is followed with small steps.
  Kokkos::Array<double, 2> u{first(0, 0), first(0, 1)};
  integrate_by_fixed_steps(u, 10, 100'000);
  Kokkos::Array<double, 2> plain{first(0, 0), first(0, 1)};
  integrate_by_own_steps(plain, times, accuracy);
  m.verified = std::fabs(plain[0] - u[0]) < 1e-3 && std::fabs(plain[1] - u[1]) < 1e-3 &&
               std::fabs(hy(0, 10, 0) - u[0]) < 1e-3 && std::fabs(hy(0, 10, 1) - u[1]) < 1e-3 &&
               all_right(
                   items * times,
                   [&](std::int64_t e) {
                     const std::int64_t i = e / times, k = e % times;
                     return std::fabs(invariant(hy(i, k, 0), hy(i, k, 1)) - invariant(first(i, 0), first(i, 1))) < 1e-4;
                   });
  m.baseline_seconds = time_baseline(items, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      u = {first(i, 0), first(i, 1)};
      integrate_by_own_steps(u, times, accuracy);
      keep(u);
    }
  });
  return m;
}

}  // namespace

std::vector<workload> derivative_workloads() {
  return {
      {"gradient", "float64", "x y / (1 + z^2) and its 3 derivatives by dual numbers", sizes(1'000'000, 50'000'000),
       arrays(56), gradient},
      {"odeint", "float64", "Lotka-Volterra systems, Dormand-Prince", sizes(10'000, 1'000'000), arrays(8.0 * 2 * 12),
       odeint, bound::none},
  };
}

}  // namespace app
