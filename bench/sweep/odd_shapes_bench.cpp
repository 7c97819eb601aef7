// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shapes as programs have them and other benchmarks do not: odd extents, few columns, axes in the middle. Results are
// checked at some elements by plain sums. Bytes count each array once.

#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/stencil.hpp>
#include <quern/transfer.hpp>
#ifdef QUERN_USES_FFT
#include <quern/fft.hpp>
#endif
#ifdef QUERN_USES_LINALG
#include <quern/linalg.hpp>
#endif

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::failures;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;

/// Some elements of n, spread over all.
constexpr int64_t samples = 200;
KOKKOS_INLINE_FUNCTION int64_t sample(int64_t i, int64_t n) { return i * (n - 1) / (samples - 1); }

KOKKOS_INLINE_FUNCTION bool near(double found, double expected, double bound) {
  return Kokkos::abs(found - expected) <= bound * (1 + Kokkos::abs(expected));
}

prepared max_axes(const exec_space& exec, int64_t n) {
  const int64_t l = n / 2 + 1, m = n - 2;
  const auto x = sampled(make_view<double***>("x", l, m, n), 1);
  const auto out = make_view<double*>("out", m);
  prepared p{8.0 * l * m * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::max(exec, out, x, quern::axes{0, 2}); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return failures(
               m, KOKKOS_LAMBDA(int64_t j) {
                 double most = 0;
                 for (int64_t k = 0; k < l; ++k)
                   for (int64_t i = 0; i < n; ++i) most = Kokkos::max(most, x(k, j, i));
                 return out(j) == most;
               }) == 0;
  };
  return p;
}

/// Sums or variances of many rows.
template <bool Variance>
prepared of_rows(const exec_space& exec, int64_t n) {
  const int64_t rows = n < 100 ? n : 65'537;
  const auto x = sampled(make_view<float**>("x", rows, n), 1);
  const auto out = make_view<float*>("out", rows);
  prepared p{4.0 * rows * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] {
                   if constexpr (Variance) quern::var(exec, out, x, quern::axis{1});
                   else quern::sum(exec, out, x, quern::axis{1});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0f); };
  p.right = [=] {
    return failures(
               rows, KOKKOS_LAMBDA(int64_t j) {
                 double sum = 0, squares = 0;
                 for (int64_t i = 0; i < n; ++i) sum += x(j, i);
                 for (int64_t i = 0; i < n; ++i) squares += (x(j, i) - sum / n) * (x(j, i) - sum / n);
                 return near(out(j), Variance ? squares / n : sum, 1e-5);
               }) == 0;
  };
  return p;
}

/// A sum over neighbours within a distance along each axis, or along one at a time.
template <int Radius, bool Star>
struct neighbors {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& u) const {
    double sum = 0;
    if constexpr (Star)
      sum = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6 * u(0, 0, 0);
    else
      for (int b = -Radius; b <= Radius; ++b)
        for (int a = -Radius; a <= Radius; ++a) sum += (1 + a - 2 * b) * u(b, a);
    return sum;
  }
};
prepared points_25(const exec_space& exec, int64_t n) {
  const int64_t m = n - 2;
  const auto x = sampled(make_view<double**>("x", m, n), 1), out = make_view<double**>("out", m, n);
  const neighbors<2, false> f;
  prepared p{16.0 * m * n, 50.0 * m * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::stencil<quern::box<2>>(exec, out, f, quern::boundary::keep, x); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0); };
  p.right = [=] {
    return failures(
               m * n, KOKKOS_LAMBDA(int64_t e) {
                 const int64_t j = e / n, i = e % n;
                 if (j < 2 || i < 2 || j + 2 >= m || i + 2 >= n) return out(j, i) == -77;
                 return near(out(j, i), f([&](int b, int a) { return x(j + b, i + a); }), 1e-12);
               }) == 0;
  };
  return p;
}
prepared points_7(const exec_space& exec, int64_t n) {
  const int64_t l = n < 100 ? n : 301, m = n < 100 ? n : 403;
  const auto x = sampled(make_view<double***>("x", l, m, n), 1), out = make_view<double***>("out", l, m, n);
  const neighbors<1, true> f;
  prepared p{16.0 * l * m * n, 7.0 * l * m * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::stencil<quern::star<1>>(exec, out, f, quern::boundary::wrap, x); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0); };
  p.right = [=] {
    return failures(
               l * m * n, KOKKOS_LAMBDA(int64_t e) {
                 const int64_t k = e / (m * n), j = e / n % m, i = e % n;
                 const auto at = [&](int c, int b, int a) {
                   return x((k + c + l) % l, (j + b + m) % m, (i + a + n) % n);
                 };
                 return near(out(k, j, i), f(at), 1e-12);
               }) == 0;
  };
  return p;
}

/// A filter of three axes with the weights of one axis, checked at some cells.
using cells = bench::view<float***>;
prepared filter_of_three_axes(int64_t n, const std::vector<double>& weights,
                              const std::function<void(const cells&, const cells&)>& call) {
  const int64_t l = n < 100 ? n : 301, m = n < 100 ? n : 403, r = static_cast<int64_t>(weights.size()) / 2;
  const auto x = sampled(make_view<float***>("x", l, m, n), 1), out = make_view<float***>("out", l, m, n);
  const Kokkos::View<double*, bench::memory_space> w("w", weights.size());
  Kokkos::deep_copy(w, Kokkos::View<const double*, Kokkos::HostSpace>(weights.data(), weights.size()));
  prepared p{8.0 * l * m * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { call(out, x); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0f); };
  p.right = [=] {
    return failures(
               samples, KOKKOS_LAMBDA(int64_t s) {
                 const int64_t e = sample(s, l * m * n), k = e / (m * n), j = e / n % m, i = e % n;
                 double sum = 0;
                 for (int64_t c = -r; c <= r; ++c)
                   for (int64_t b = -r; b <= r; ++b)
                     for (int64_t a = -r; a <= r; ++a)
                       sum += w(c + r) * w(b + r) * w(a + r) *
                              x(Kokkos::clamp<int64_t>(k + c, 0, l - 1), Kokkos::clamp<int64_t>(j + b, 0, m - 1),
                                Kokkos::clamp<int64_t>(i + a, 0, n - 1));
                 return near(out(k, j, i), sum, 1e-5);
               }) == 0;
  };
  return p;
}
prepared gaussian(const exec_space& exec, int64_t n) {
  std::vector<double> weights;
  for (const double w : quern::impl::gaussian_weights("bench", 1.5, 4)) weights.push_back(w);
  return filter_of_three_axes(n, weights, [=](const cells& out, const cells& x) {
    quern::gaussian_filter(exec, out, x, 1.5, quern::boundary::nearest);
  });
}
prepared uniform(const exec_space& exec, int64_t n) {
  return filter_of_three_axes(n, std::vector<double>(5, 0.2), [=](const cells& out, const cells& x) {
    quern::uniform_filter(exec, out, x, 5, quern::boundary::nearest);
  });
}

prepared layouts(const exec_space& exec, int64_t n) {
  const int64_t m = n * 3 / 4 + 1;
  const Kokkos::View<float**, Kokkos::LayoutLeft, bench::memory_space> x("x", n, m);
  const auto out = make_view<float**>("out", n, m);
  Kokkos::parallel_for("fill", range(exec, 0, n * m), bench::fill_hashed<float>{x.data(), 1});
  prepared p{8.0 * n * m, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::copy(exec, out, x); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0f); };
  p.right = [=] {
    return failures(n * m, KOKKOS_LAMBDA(int64_t e) { return out(e / m, e % m) == x(e / m, e % m); }) == 0;
  };
  return p;
}

prepared gamma(const exec_space& exec, int64_t n) {
  const auto v = make_view<double*>("v", n);
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::random::gamma(exec, v, quern::random::key(1), 2.5); }}};
  p.poison = [=] { Kokkos::deep_copy(v, -7.0); };
  p.right = [=] {
    const double found = quern::sum(exec, v) / static_cast<double>(n);
    return std::abs(found - 2.5) < 6 * std::sqrt(2.5 / static_cast<double>(n)) && quern::min(exec, v) > 0;
  };
  return p;
}

#ifdef QUERN_USES_LINALG
/// Of a matrix with few columns, whose singular values are checked by the sum of their squares.
prepared svd_of_columns(const exec_space& exec, int64_t m) {
  constexpr int64_t n = 50;
  const auto a = sampled(make_view<float**>("a", m, n), 1);
  const auto u = make_view<float**>("u", m, n), vt = make_view<float**>("vt", n, n);
  const auto s = make_view<float*>("s", n);
  prepared p{4.0 * (2 * m * n + n * n + n), 6.0 * m * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::svd(exec, u, s, vt, a); }}};
  p.poison = [=] { Kokkos::deep_copy(s, -7.0f); };
  p.right = [=] {
    double of_matrix = 0, of_values = 0;
    Kokkos::parallel_reduce(
        range(exec, 0, m * n),
        KOKKOS_LAMBDA(int64_t e, double& sum) { sum += double(a(e / n, e % n)) * a(e / n, e % n); }, of_matrix);
    Kokkos::parallel_reduce(
        range(exec, 0, n), KOKKOS_LAMBDA(int64_t i, double& sum) { sum += double(s(i)) * s(i); }, of_values);
    return Kokkos::abs(of_values - of_matrix) <= 1e-4 * of_matrix &&
           failures(n, KOKKOS_LAMBDA(int64_t i) { return s(i) > 0 && (i == 0 || s(i) <= s(i - 1)); }) == 0;
  };
  return p;
}
#endif

/// A quarter as many right keys as left ones, each of which a quarter of these has.
prepared join(const exec_space& exec, int64_t n) {
  const int64_t m = n / 4;
  const auto left = make_view<int64_t*>("left", n), right = make_view<int64_t*>("right", m);
  quern::random::permutation(exec, left, quern::random::key(1));
  quern::random::permutation(exec, right, quern::random::key(2));
  const auto left_rows = make_view<std::int32_t*>("left rows", m),
             right_rows = make_view<std::int32_t*>("right rows", m);
  const Kokkos::View<int64_t, exec_space> count("count");
  prepared p{8.0 * (n + m) + 8.0 * m, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::join(exec, left_rows, right_rows, left, right, quern::size_to{count}); }}};
  p.poison = [=] {
    Kokkos::deep_copy(left_rows, 0);
    Kokkos::deep_copy(right_rows, 0);
  };
  p.right = [=] {
    int64_t found = 0;
    Kokkos::deep_copy(found, count);
    return found == m &&
           failures(m, KOKKOS_LAMBDA(int64_t i) { return left(left_rows(i)) == right(right_rows(i)); }) == 0;
  };
  return p;
}

#ifdef QUERN_USES_FFT
prepared fft_columns(const exec_space& exec, int64_t n) {
  using complex = Kokkos::complex<float>;
  const int64_t m = n < 100 ? 7 : 777;
  const auto x = make_view<complex**>("x", n, m), out = make_view<complex**>("out", n, m);
  sampled(bench::view<float*>(reinterpret_cast<float*>(x.data()), 2 * n * m), 1);
  prepared p{16.0 * n * m, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::fft(exec, out, x, quern::axis{0}); }}};
  p.poison = [=] { Kokkos::deep_copy(out, complex(-7)); };
  p.right = [=] {
    return failures(
               samples, KOKKOS_LAMBDA(int64_t s) {
                 const int64_t e = sample(s, n * m), k = e / m, i = e % m;
                 Kokkos::complex<double> sum(0);
                 for (int64_t j = 0; j < n; ++j) {
                   const double a = -2 * Kokkos::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
                   sum += Kokkos::complex<double>(Kokkos::cos(a), Kokkos::sin(a)) *
                          Kokkos::complex<double>(x(j, i).real(), x(j, i).imag());
                 }
                 return Kokkos::abs(Kokkos::complex<double>(out(k, i).real(), out(k, i).imag()) - sum) < 1e-5 * n;
               }) == 0;
  };
  return p;
}
prepared dct_rows(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", n, n);
  prepared p{8.0 * n * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::dct(exec, out, x); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0f); };
  p.right = [=] {
    return failures(
               samples, KOKKOS_LAMBDA(int64_t s) {
                 const int64_t e = sample(s, n * n), j = e / n, k = e % n;
                 double sum = 0;
                 for (int64_t i = 0; i < n; ++i)
                   sum += 2 * x(j, i) *
                          Kokkos::cos(Kokkos::numbers::pi * static_cast<double>(k * (2 * i + 1) % (4 * n)) /
                                      static_cast<double>(2 * n));
                 return Kokkos::abs(out(j, k) - sum) < 1e-5 * n;
               }) == 0;
  };
  return p;
}
prepared convolution(const exec_space& exec, int64_t n) {
  const int64_t m = n < 10'000 ? 31 : 1001;
  const auto a = sampled(make_view<double*>("a", n), 1), b = sampled(make_view<double*>("b", m), 2),
             out = make_view<double*>("out", n);
  prepared p{16.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::fftconvolve(exec, out, a, b, quern::convolve_mode::same); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return failures(
               samples, KOKKOS_LAMBDA(int64_t s) {
                 const int64_t k = sample(s, n) + m / 2;
                 double sum = 0;
                 for (int64_t j = Kokkos::max<int64_t>(0, k - m + 1); j <= Kokkos::min(k, n - 1); ++j)
                   sum += a(j) * b(k - j);
                 return Kokkos::abs(out(k - m / 2) - sum) < 1e-11 * m;
               }) == 0;
  };
  return p;
}
#endif

[[maybe_unused]] const bool registered = [] {
  bench::add({"max_axes02/float64 257x511xn", {513}, 33, max_axes});
  bench::add({"sum_rows/float32 65537xn", {1013}, 33, of_rows<false>});
  bench::add({"var_rows/float32 65537xn", {1013}, 33, of_rows<true>});
  bench::add({"points_25/float64 5001xn", {5003}, 61, points_25});
  bench::add({"points_7_wrap/float64 301x403xn", {509}, 21, points_7});
  bench::add({"gaussian_1.5/float32 301x403xn", {509}, 21, gaussian});
  bench::add({"uniform_5/float32 301x403xn", {509}, 21, uniform});
  bench::add({"copy_of_other_layout/float32 nx9001", {12'001}, 61, layouts});
  bench::add({"gamma_2.5/float64", {50'000'000}, 4099, gamma});
  bench::add({"join_of_quarter/int64", {20'000'000}, 4099, join});
#ifdef QUERN_USES_LINALG
  bench::add({"svd/float32 nx50", {300'000}, 4099, svd_of_columns});
#endif
#ifdef QUERN_USES_FFT
  bench::add({"fft_columns/complex64 nx777", {5000}, 30, fft_columns});
  bench::add({"dct_rows/float32 n2", {4096}, 32, dct_rows});
  bench::add({"fftconvolve 1001/float64", {1'000'000, 10'000'000}, 500, convolution});
#endif
  return true;
}();

}  // namespace
