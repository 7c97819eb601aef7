// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads "element by element": each with its data, the Quern call, the plain loop of one core and the check.

#include <fmt/format.h>

#include <cmath>
#include <quern/core.hpp>
#include <quern/map.hpp>

#include "workload.hpp"

namespace app {
namespace {

struct add {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b) const {
    return a + b;
  }
};
struct trig {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    const auto [s, c] = quern::math::sincos(x);
    return c * c + s * s;
  }
};
struct sine {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return quern::math::sin(x);
  }
};
struct selu {
  KOKKOS_FUNCTION float operator()(float x) const { return 1.05f * (x > 0 ? x : 1.67f * Kokkos::exp(x) - 1.67f); }
};
struct add_three {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b, T c) const {
    return a + b + c;
  }
};

template <class T>
using vector = device_view<T*>;
template <class T>
using matrix = device_view<T**>;

measurement vector_add(const settings& s, std::int64_t n) {
  const auto x = uninitialized<vector<float>>("x", n), y = uninitialized<vector<float>>("y", n),
             z = uninitialized<vector<float>>("z", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  fill_with(s.exec, y, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 2); });
  measurement m{fmt::format("{}", n), 0, 12.0 * n, 1.0 * n};
  m.seconds = time_call(s, [&] { quern::map(s.exec, z, add(), x, y); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y), hz = quern::to_host(z);
  m.verified = failures(n, [&](std::int64_t i) { return hz(i) == hx(i) + hy(i); }) == 0;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) hz(i) = hx(i) + hy(i);
    keep(hz(0));
  });
  return m;
}

measurement vector_add_int(const settings& s, std::int64_t n) {
  const auto x = uninitialized<vector<std::int32_t>>("x", n), y = uninitialized<vector<std::int32_t>>("y", n),
             z = uninitialized<vector<std::int32_t>>("z", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return i; });
  fill_with(s.exec, y, KOKKOS_LAMBDA(std::int64_t) { return 1; });
  measurement m{fmt::format("{}", n), 0, 12.0 * n, 1.0 * n};
  m.seconds = time_call(s, [&] { quern::map(s.exec, z, add(), x, y); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y), hz = quern::to_host(z);
  m.verified = failures(n, [&](std::int64_t i) { return hz(i) == i + 1; }) == 0;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) hz(i) = hx(i) + hy(i);
    keep(hz(0));
  });
  return m;
}

/// Whether all sines are within `ulps` units in the last place; the library's own long double is the judge.
template <class T>
bool sines_right(const settings& s, const vector<T>& x, double ulps) {
  const auto y = quern::like(x);
  quern::map(s.exec, y, sine(), x);
  s.exec.fence();
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  const std::int64_t n = hx.extent(0), step = std::max<std::int64_t>(1, n / 100'000);
  for (std::int64_t i = 0; i < n; i += step) {
    const long double exact = std::sin(static_cast<long double>(hx(i)));
    const double unit =
        std::ldexp(1.0, std::ilogb(static_cast<double>(exact) + 1e-300) + 1 - std::numeric_limits<T>::digits);
    if (!(std::fabs(static_cast<double>(hy(i) - exact)) <= ulps * unit)) return false;
  }
  return true;
}

template <class T>
measurement trig_identity(const settings& s, std::int64_t n) {
  const auto x = uninitialized<vector<T>>("x", n), y = uninitialized<vector<T>>("y", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return i; });
  measurement m{fmt::format("{}", n), 0, 2.0 * sizeof(T) * n, 0};
  m.seconds = time_call(s, [&] { quern::map(s.exec, y, trig(), x); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  const T tolerance = 4 * std::numeric_limits<T>::epsilon();
  m.verified =
      failures(n, [&](std::int64_t i) { return std::fabs(hy(i) - 1) <= tolerance; }) == 0 && sines_right<T>(s, x, 4);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) hy(i) = std::cos(hx(i)) * std::cos(hx(i)) + std::sin(hx(i)) * std::sin(hx(i));
    keep(hy(0));
  });
  return m;
}

measurement selu_workload(const settings& s, std::int64_t n) {
  const auto x = uninitialized<vector<float>>("x", n), y = uninitialized<vector<float>>("y", n);
  fill_with(
      s.exec, x, KOKKOS_LAMBDA(std::int64_t i) {  // normal numbers by Box and Muller
        return Kokkos::sqrt(-2 * Kokkos::log(1 - hashed(i, 1))) * Kokkos::cos(6.283185307179586 * hashed(i, 2));
      });
  measurement m{fmt::format("{}", n), 0, 8.0 * n, 0};
  m.seconds = time_call(s, [&] { quern::map(s.exec, y, selu(), x); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  m.verified = failures(n, [&](std::int64_t i) {
                 const double v = hx(i), exact = 1.05 * (v > 0 ? v : 1.67 * std::expm1(v));
                 return std::fabs(hy(i) - exact) <= 4 * std::numeric_limits<float>::epsilon() * (std::fabs(exact) + 1);
               }) == 0;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) hy(i) = selu()(hx(i));
    keep(hy(0));
  });
  return m;
}

measurement elementwise(const settings& s, std::int64_t n) {
  const auto x = uninitialized<matrix<double>>("x", n, n), y = uninitialized<matrix<double>>("y", n, n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return 1000 * hashed(i, 1); });
  measurement m{fmt::format("{0} x {0}", n), 0, 16.0 * n * n, 0};
  m.seconds = time_call(s, [&] { quern::map(s.exec, y, trig(), x); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  double* out = hy.data();
  const double* in = hx.data();
  m.verified = failures(n * n, [&](std::int64_t i) {
                 return std::fabs(out[i] - 1) <= 4 * std::numeric_limits<double>::epsilon();
               }) == 0;
  m.baseline_seconds = time_baseline(n * n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) out[i] = std::sin(in[i]) * std::sin(in[i]) + std::cos(in[i]) * std::cos(in[i]);
    keep(out[0]);
  });
  return m;
}

measurement slice_copy(const settings& s, std::int64_t n) {
  const auto x = uninitialized<matrix<double>>("x", n, n);
  const std::int64_t rows = (n + 2) / 3;
  const auto y = uninitialized<matrix<double>>("y", rows, rows);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  const Kokkos::View<const double**, Kokkos::LayoutStride, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> third(
      x.data(), Kokkos::LayoutStride(rows, 3 * n, rows, 3));
  // A third of the rows is touched, and of each all sectors of 32 bytes.
  measurement m{fmt::format("{0} x {0}", n), 0, 8.0 * rows * n + 8.0 * rows * rows, 0};
  m.seconds = time_call(s, [&] { quern::copy(s.exec, y, third); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  m.verified = failures(rows * rows,
                        [&](std::int64_t k) { return hy(k / rows, k % rows) == hx(k / rows * 3, k % rows * 3); }) == 0;
  m.baseline_seconds = time_baseline(rows, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = 0; j < rows; ++j) hy(i, j) = hx(3 * i, 3 * j);
    keep(hy(0, 0));
  });
  return m;
}

measurement broadcast_add(const settings& s, std::int64_t n) {
  const auto x = uninitialized<matrix<double>>("x", n, n), z = uninitialized<matrix<double>>("z", n, n);
  const auto row = uninitialized<vector<double>>("row", n);
  const auto col = uninitialized<matrix<double>>("col", n, 1);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  fill_with(s.exec, row, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 2); });
  fill_with(s.exec, col, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 3); });
  measurement m{fmt::format("{0} x {0}", n), 0, 16.0 * n * n + 16.0 * n, 2.0 * n * n};
  m.seconds = time_call(s, [&] { quern::map(s.exec, z, add_three(), x, row, col); });
  const auto hx = quern::to_host(x), hz = quern::to_host(z), hc = quern::to_host(col);
  const auto hr = quern::to_host(row);
  m.verified = failures(n * n, [&](std::int64_t k) {
                 const std::int64_t i = k / n, j = k % n;
                 return hz(i, j) == hx(i, j) + hr(j) + hc(i, 0);
               }) == 0;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = 0; j < n; ++j) hz(i, j) = hx(i, j) + hr(j) + hc(i, 0);
    keep(hz(0, 0));
  });
  return m;
}

auto square_arrays(double bytes) {
  return [bytes](std::int64_t n) { return 2 * bytes * static_cast<double>(n) * static_cast<double>(n); };
}

}  // namespace

std::vector<workload> elementwise_workloads() {
  return {
      {"vector_add", "float32", "z = x + y", {20'000'000}, {100'000'000}, arrays(12), vector_add},
      {"vector_add_int", "int32", "z = x + y, small", {4096}, {4096}, arrays(12), vector_add_int},
      {"trig_identity", "float32", "cos(x)^2 + sin(x)^2", {5'000'000}, {10'000'000}, arrays(12), trig_identity<float>},
      {"trig_identity", "float64", "cos(x)^2 + sin(x)^2", {5'000'000}, {10'000'000}, arrays(24), trig_identity<double>},
      {"selu", "float32", "1.05 (x > 0 ? x : 1.67 exp(x) - 1.67)", {1'000'000}, {1'000'000}, arrays(8), selu_workload},
      {"elementwise",
       "float64",
       "sin(x)^2 + cos(x)^2 of a matrix",
       {1000, 2000},
       {1000, 10'000, 20'000},
       square_arrays(16),
       elementwise},
      {"slice_copy", "float64", "y = x[::3, ::3]", {4000}, {10'000}, square_arrays(10), slice_copy},
      {"broadcast_add",
       "float64",
       "z(i,j) = x(i,j) + row(j) + col(i)",
       {4000},
       {10'000},
       square_arrays(16),
       broadcast_add},
  };
}

}  // namespace app
