// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise operations beside the Kokkos loops that a user would write. Bytes count each input read once and each
// output written once.

#include <quern/map.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using bench::view;

template <int Rank>
using tiles = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<Rank>, Kokkos::IndexType<std::int64_t>>;

struct add {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b) const {
    return a + b;
  }
};

template <class T>
prepared vector_add(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<T*>("x", n), 1), y = sampled(make_view<T*>("y", n), 2);
  const auto z = make_view<T*>("z", n);
  prepared p{3.0 * sizeof(T) * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, z, add(), x, y); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { z(i) = x(i) + y(i); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(z, T(-7)); };
  p.right = [=] { return bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return z(i) == x(i) + y(i); }) == 0; };
  return p;
}

prepared copy(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1), y = make_view<double*>("y", n);
  prepared p{16.0 * n, 0, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::copy(exec, y, x); }},
      {"plain",
       [=] { Kokkos::parallel_for("plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = x(i); }); }},
      {"deep_copy", [=] { Kokkos::deep_copy(exec, y, x); }}};
  p.poison = [=] { Kokkos::deep_copy(y, -7.0); };
  p.right = [=] { return bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return y(i) == x(i); }) == 0; };
  return p;
}

struct trig {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    const auto [s, c] = quern::math::sincos(x);
    return c * c + s * s;
  }
};

/// cos(x)^2 + sin(x)^2 for x = 0, 1, 2, ...
template <class T>
prepared trig_identity(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<T*>("x", n), y = make_view<T*>("y", n);
  Kokkos::parallel_for("fill", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { x(i) = static_cast<T>(i); });
  prepared p{2.0 * sizeof(T) * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, y, trig(), x); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
                         const T s = Kokkos::sin(x(i)), c = Kokkos::cos(x(i));
                         y(i) = c * c + s * s;
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, T(-7)); };
  p.right = [=] {
    const T eps = 4 * Kokkos::Experimental::epsilon_v<T>;
    return bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return Kokkos::abs(y(i) - 1) <= eps; }) == 0;
  };
  return p;
}

struct selu_function {
  KOKKOS_FUNCTION float operator()(float x) const {
    return 1.05f * (Kokkos::max(x, 0.0f) + 1.67f * quern::math::expm1(Kokkos::min(x, 0.0f)));
  }
};
struct plain_selu {
  KOKKOS_FUNCTION float operator()(float x) const { return 1.05f * (x > 0 ? x : 1.67f * Kokkos::exp(x) - 1.67f); }
};

prepared selu(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<float*>("x", n), 1), y = make_view<float*>("y", n);
  Kokkos::parallel_for("centre", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { x(i) = 4 * x(i) - 2; });
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, y, selu_function(), x); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y(i) = plain_selu()(x(i)); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, -77.0f); };
  p.right = [=] {
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t i) { return Kokkos::abs(y(i) - plain_selu()(x(i))) <= 1e-6f; }) == 0;
  };
  return p;
}

/// sin(x)^2 + cos(x)^2 of a matrix.
prepared elementwise(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double**>("x", n, n), 1), y = make_view<double**>("y", n, n);
  prepared p{16.0 * n * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, y, trig(), x); }},
                {"plain_mdrange", [=] {
                   Kokkos::parallel_for(
                       "plain", tiles<2>(exec, {0, 0}, {n, n}), KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
                         const double s = Kokkos::sin(x(i, j)), c = Kokkos::cos(x(i, j));
                         y(i, j) = s * s + c * c;
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, -7.0); };
  p.right = [=] {
    return bench::failures(n * n, KOKKOS_LAMBDA(std::int64_t k) { return Kokkos::abs(y.data()[k] - 1) <= 1e-15; }) == 0;
  };
  return p;
}

/// y = x[::3, ::3]. A third of the rows is touched, and of each of them every sector of 32 bytes.
prepared slice_copy(const exec_space& exec, std::int64_t n) {
  const std::int64_t rows = (n + 2) / 3;
  const auto x = sampled(make_view<double**>("x", n, n), 1), y = make_view<double**>("y", rows, rows);
  const Kokkos::View<const double**, Kokkos::LayoutStride, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      third(x.data(), Kokkos::LayoutStride(rows, 3 * n, rows, 3));
  prepared p{8.0 * rows * n + 8.0 * rows * rows, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::copy(exec, y, third); }},
                {"plain_mdrange",
                 [=] {
                   Kokkos::parallel_for(
                       "plain", tiles<2>(exec, {0, 0}, {rows, rows}),
                       KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { y(i, j) = x(3 * i, 3 * j); });
                 }},
                {"plain_range", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, rows * rows),
                       KOKKOS_LAMBDA(std::int64_t k) { y(k / rows, k % rows) = x(k / rows * 3, k % rows * 3); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, -7.0); };
  p.right = [=] {
    (void)x;
    return bench::failures(
               rows * rows,
               KOKKOS_LAMBDA(std::int64_t k) { return y(k / rows, k % rows) == x(k / rows * 3, k % rows * 3); }) == 0;
  };
  return p;
}

struct add_three {
  KOKKOS_FUNCTION double operator()(double a, double b, double c) const { return a + b + c; }
};

prepared broadcast_add(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double**>("x", n, n), 1), z = make_view<double**>("z", n, n);
  const auto row = sampled(make_view<double*>("row", n), 2);
  const auto col = sampled(make_view<double**>("col", n, 1), 3);
  prepared p{16.0 * n * n + 16.0 * n, 2.0 * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::map(exec, z, add_three(), x, row, col); }},
                {"plain_mdrange",
                 [=] {
                   Kokkos::parallel_for(
                       "plain", tiles<2>(exec, {0, 0}, {n, n}),
                       KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { z(i, j) = x(i, j) + row(j) + col(i, 0); });
                 }},
                {"plain_range", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, n * n), KOKKOS_LAMBDA(std::int64_t k) {
                         const std::int64_t i = k / n, j = k % n;
                         z(i, j) = x(i, j) + row(j) + col(i, 0);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(z, -7.0); };
  p.right = [=] {
    return bench::failures(
               n * n, KOKKOS_LAMBDA(std::int64_t k) {
                 const std::int64_t i = k / n, j = k % n;
                 return z(i, j) == x(i, j) + row(j) + col(i, 0);
               }) == 0;
  };
  return p;
}

/// LayoutLeft to LayoutRight.
prepared transpose_copy(const exec_space& exec, std::int64_t n) {
  const Kokkos::View<double**, Kokkos::LayoutLeft, bench::memory_space> x("x", n, n);
  const auto y = make_view<double**>("y", n, n);
  Kokkos::parallel_for("fill", range(exec, 0, n * n), bench::fill_hashed<double>{x.data(), 1});
  prepared p{16.0 * n * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::copy(exec, y, x); }},
                {"plain_mdrange",
                 [=] {
                   Kokkos::parallel_for(
                       "plain", tiles<2>(exec, {0, 0}, {n, n}),
                       KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { y(i, j) = x(i, j); });
                 }},
                {"deep_copy", [=] { Kokkos::deep_copy(exec, y, x); }}};
  p.poison = [=] { Kokkos::deep_copy(y, -7.0); };
  p.right = [=] {
    return bench::failures(n * n, KOKKOS_LAMBDA(std::int64_t k) { return y(k / n, k % n) == x(k / n, k % n); }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"vector_add/float32", {4096, 1'000'000, 100'000'000}, 1003, vector_add<float>});
  bench::add({"vector_add/float64", {1'000'000, 50'000'000}, 1003, vector_add<double>});
  bench::add({"vector_add_int/int32", {4096}, 4096, vector_add<std::int32_t>});
  bench::add({"copy/float64", {1'000'000, 100'000'000}, 1003, copy});
  bench::add({"trig_identity/float32", {10'000'000}, 1003, trig_identity<float>});
  bench::add({"trig_identity/float64", {10'000'000}, 1003, trig_identity<double>});
  bench::add({"selu/float32", {1'000'000}, 1003, selu});
  bench::add({"elementwise/float64", {1000, 10'000}, 31, elementwise});
  bench::add({"slice_copy/float64", {10'000}, 31, slice_copy});
  bench::add({"broadcast_add/float64", {1000, 10'000}, 31, broadcast_add});
  bench::add({"transpose_copy/float64", {1000, 10'000}, 31, transpose_copy});
  return true;
}();

}  // namespace
