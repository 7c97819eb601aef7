// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads "element by element": each with its data, the Quern call, the plain loop of one core and the check.

#include <cmath>
#include <quern/core.hpp>
#include <quern/map.hpp>

#include "workload.hpp"

namespace app {
namespace {

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
/// x above 0 and 1.67 (e^x - 1) below, without a condition, behind which g++ would make no vector instructions.
struct selu {
  KOKKOS_FUNCTION float operator()(float x) const {
    return 1.05f * (Kokkos::max(x, 0.0f) + 1.67f * quern::math::expm1(Kokkos::min(x, 0.0f)));
  }
};
struct plain_selu {
  float operator()(float x) const { return 1.05f * (x > 0 ? x : 1.67f * std::exp(x) - 1.67f); }
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

template <class T, class X, class Y>
measurement vector_sum(const settings& s, std::int64_t n, const X& first, const Y& second) {
  const auto x = filled<vector<T>>(s, first, n), y = filled<vector<T>>(s, second, n), z = quern::like(x);
  measurement m = timed(s, {n}, 12.0 * n, 1.0 * n, [&] { quern::map(s.exec, z, add(), x, y); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y), hz = quern::to_host(z);
  compare(m, hz, [&](std::int64_t i) { return hx(i) + hy(i); });
  return m;
}
measurement vector_add(const settings& s, std::int64_t n) { return vector_sum<float>(s, n, hashes{1}, hashes{2}); }
measurement vector_add_int(const settings& s, std::int64_t n) {
  return vector_sum<std::int32_t>(
      s, n, KOKKOS_LAMBDA(std::int64_t i) { return i; }, KOKKOS_LAMBDA(std::int64_t) { return 1; });
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

/// cos(x)^2 + sin(x)^2 is 1.
template <class V>
measurement squares_of_sines(const settings& s, const problem_size& size, const V& x) {
  using T = typename V::value_type;
  const auto y = quern::like(x);
  measurement m = timed(s, size, 2.0 * sizeof(T) * x.size(), 0, [&] { quern::map(s.exec, y, trig(), x); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  const T tolerance = 4 * std::numeric_limits<T>::epsilon();
  m.verified = elements_right(hy, [&](auto... i) { return std::fabs(hy(i...) - 1) <= tolerance; });
  m.baseline_seconds = time_elements(hy, [&](auto... i) {
    const T v = hx(i...);
    return std::cos(v) * std::cos(v) + std::sin(v) * std::sin(v);
  });
  return m;
}

template <class T>
measurement trig_identity(const settings& s, std::int64_t n) {
  const auto x = filled<vector<T>>(s, KOKKOS_LAMBDA(std::int64_t i) { return i; }, n);
  measurement m = squares_of_sines(s, {n}, x);
  m.verified = m.verified && sines_right<T>(s, x, 4);
  return m;
}

measurement elementwise(const settings& s, std::int64_t n) {
  return squares_of_sines(s, {n, n}, filled<matrix<double>>(s, hashes{1, 0, 1000}, n, n));
}

measurement selu_workload(const settings& s, std::int64_t n) {
  const auto normal = KOKKOS_LAMBDA(std::int64_t i) {  // by Box and Muller
    return Kokkos::sqrt(-2 * Kokkos::log(1 - hashed(i, 1))) * Kokkos::cos(6.283185307179586 * hashed(i, 2));
  };
  const auto x = filled<vector<float>>(s, normal, n), y = quern::like(x);
  measurement m = timed(s, {n}, 8.0 * n, 0, [&] { quern::map(s.exec, y, selu(), x); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  m.verified = all_right(n, [&](std::int64_t i) {
    const double v = hx(i), exact = 1.05 * (v > 0 ? v : 1.67 * std::expm1(v));
    return std::fabs(hy(i) - exact) <= 4 * std::numeric_limits<float>::epsilon() * (std::fabs(exact) + 1);
  });
  m.baseline_seconds = time_elements(hy, [&](std::int64_t i) { return plain_selu()(hx(i)); });
  return m;
}

measurement slice_copy(const settings& s, std::int64_t n) {
  const auto x = filled<matrix<double>>(s, hashes{1}, n, n);
  const std::int64_t rows = (n + 2) / 3;
  const auto y = uninitialized<matrix<double>>("y", rows, rows);
  const Kokkos::View<const double**, Kokkos::LayoutStride, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> third(
      x.data(), Kokkos::LayoutStride(rows, 3 * n, rows, 3));
  // A third of the rows is touched, and of each all sectors of 32 bytes.
  measurement m = timed(s, {n, n}, 8.0 * rows * n + 8.0 * rows * rows, 0, [&] { quern::copy(s.exec, y, third); });
  const auto hx = quern::to_host(x), hy = quern::to_host(y);
  compare(m, hy, [&](std::int64_t i, std::int64_t j) { return hx(3 * i, 3 * j); });
  return m;
}

measurement broadcast_add(const settings& s, std::int64_t n) {
  const auto x = filled<matrix<double>>(s, hashes{1}, n, n), z = quern::like(x);
  const auto row = filled<vector<double>>(s, hashes{2}, n);
  const auto column = filled<matrix<double>>(s, hashes{3}, n, 1);
  measurement m = timed(s, {n, n}, 16.0 * n * n + 16.0 * n, 2.0 * n * n,
                        [&] { quern::map(s.exec, z, add_three(), x, row, column); });
  const auto hx = quern::to_host(x), hz = quern::to_host(z), hc = quern::to_host(column);
  const auto hr = quern::to_host(row);
  compare(m, hz, [&](std::int64_t i, std::int64_t j) { return hx(i, j) + hr(j) + hc(i, 0); });
  return m;
}

struct kick {
  using vector3 = Kokkos::Array<double, 3>;
  double dt;
  KOKKOS_FUNCTION vector3 operator()(vector3 v, const vector3& force, double mass) const {
    for (int c = 0; c < 3; ++c) v[c] += dt * force[c] / mass;
    return v;
  }
};

measurement rows(const settings& s, std::int64_t n) {
  const double dt = 0.125;
  const auto v = filled<matrix<double>>(s, hashes{1}, n, 3), force = filled<matrix<double>>(s, hashes{2}, n, 3);
  const auto mass = filled<vector<double>>(s, hashes{3, 1, 2}, n);
  const auto next = quern::like(v);
  measurement m = timed(s, {n, 3}, 80.0 * n, 9.0 * n, [&] {
    quern::map(s.exec, quern::rows<3>(next), kick{dt}, quern::rows<3>(v), quern::rows<3>(force), mass);
  });
  const auto hv = quern::to_host(v), hf = quern::to_host(force), found = quern::to_host(next);
  const auto hm = quern::to_host(mass);
  compare(
      m, found, [&](std::int64_t i, std::int64_t c) { return hv(i, c) + dt * hf(i, c) / hm(i); },
      2 * std::numeric_limits<double>::epsilon());
  return m;
}

}  // namespace

std::vector<workload> elementwise_workloads() {
  return {
      {"vector_add", "float32", "z = x + y", sizes(20'000'000, 100'000'000), arrays(12), vector_add},
      {"vector_add_int", "int32", "z = x + y, small", sizes(4096, 4096), arrays(12), vector_add_int},
      {"trig_identity", "float32", "cos(x)^2 + sin(x)^2", sizes(5'000'000, 10'000'000), arrays(12),
       trig_identity<float>},
      {"trig_identity", "float64", "cos(x)^2 + sin(x)^2", sizes(5'000'000, 10'000'000), arrays(24),
       trig_identity<double>},
      {"selu", "float32", "1.05 (x > 0 ? x : 1.67 exp(x) - 1.67)", sizes(1'000'000, 1'000'000), arrays(8),
       selu_workload},
      {"elementwise", "float64", "sin(x)^2 + cos(x)^2 of a matrix", sizes({1000, 2000}, {1000, 10'000, 20'000}),
       arrays(16, 2), elementwise},
      {"slice_copy", "float64", "y = x[::3, ::3]", sizes(4000, 10'000), arrays(10, 2), slice_copy},
      {"broadcast_add", "float64", "z(i,j) = x(i,j) + row(j) + col(i)", sizes(4000, 10'000), arrays(16, 2),
       broadcast_add},
      {"rows", "float64", "v += dt f / m of particles", sizes(2'000'000, 20'000'000), arrays(80), rows},
  };
}

}  // namespace app
