// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <quern/core.hpp>
#include <quern/fft.hpp>

#include "workload.hpp"

namespace app {
namespace {

using complex = Kokkos::complex<double>;
constexpr double pi = std::numbers::pi;

/// The flops that are counted by convention for the transform of n complex numbers in lines of that length.
double transform_flops(double n, double length) { return 5 * n * std::log2(length); }

/// Iterative radix-2 transform of a power of two, the plain way.
void plain_fft(complex* x, std::int64_t n) {
  for (std::int64_t i = 1, j = 0; i < n; ++i) {
    std::int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::int64_t length = 2; length <= n; length *= 2) {
    const complex root(std::cos(2 * pi / length), -std::sin(2 * pi / length));
    for (std::int64_t i = 0; i < n; i += length) {
      complex w(1);
      for (std::int64_t k = 0; k < length / 2; ++k, w *= root) {
        const complex a = x[i + k], b = w * x[i + k + length / 2];
        x[i + k] = a + b;
        x[i + k + length / 2] = a - b;
      }
    }
  }
}
/// Of so many complex numbers, in lines of at most 4096.
double time_plain_fft(std::int64_t numbers) {
  const std::int64_t length = 4096, lines = std::max<std::int64_t>(1, numbers / length);
  host_view<complex*> x("x", length);
  for (std::int64_t i = 0; i < length; ++i) x(i) = complex(hashed(i), hashed(i, 1));
  return time_baseline(lines, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) plain_fft(x.data(), length);
    keep(x(0));
  });
}

/// Compares some frequencies with their definition.
template <class Frequency, class Exact>
bool frequencies_right(int count, double bound, const Frequency& found, const Exact& exact) {
  return all_right(count, [&](std::int64_t i) {
    const std::complex<long double> e = exact(i);
    const complex f = found(i);
    return std::abs(e - std::complex<long double>(f.real(), f.imag())) <= bound;
  });
}
std::complex<long double> root_of_unity(std::int64_t k, std::int64_t n) {
  const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(k % n) / n;
  return {std::cos(angle), std::sin(angle)};
}

measurement fft(const settings& s, std::int64_t n) {
  const auto x = filled<device_view<complex**>>(
      s, KOKKOS_LAMBDA(std::int64_t i) { return complex(hashed(i) - 0.5, hashed(i, 1) - 0.5); }, n, n);
  const auto y = quern::like(x);
  measurement m = timed(s, fmt::format("{0} rows of {0}", n), 32.0 * n * n, transform_flops(1.0 * n * n, n),
                        [&] { quern::fft(s.exec, y, x); });
  const host_view<complex**> hx = quern::to_host(x), hy = quern::to_host(y);
  const double bound = 1e-14 * std::sqrt(static_cast<double>(n)) * std::log2(2.0 * n);
  const auto row = [&](std::int64_t i) { return (i * 7919) % n; };
  const auto frequency = [&](std::int64_t i) { return (i * 104729 + i / 3) % n; };
  m.verified = frequencies_right(
      100, bound, [&](std::int64_t i) { return hy(row(i), frequency(i)); },
      [&](std::int64_t i) {
        std::complex<long double> sum = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          const complex v = hx(row(i), j);
          sum += std::complex<long double>(v.real(), v.imag()) * root_of_unity(frequency(i) * j, n);
        }
        return sum;
      });
  m.baseline_seconds = time_plain_fft(n * n);
  return m;
}

measurement rfftn(const settings& s, std::int64_t n) {
  const auto x = filled<device_view<double***>>(s, hashes{0, -0.5, 0.5}, n, n, n);
  const auto y = uninitialized<device_view<complex***>>("y", n, n, n / 2 + 1);
  const double size = 1.0 * n * n * n;
  measurement m = timed(s, {n, n, n}, 8 * size + 16.0 * n * n * (n / 2 + 1), transform_flops(size, size) / 2,
                        [&] { quern::rfftn(s.exec, y, x); });
  const host_view<double***> hx = quern::to_host(x);
  const host_view<complex***> hy = quern::to_host(y);
  const auto k = [&](std::int64_t i) { return std::array{(5 * i + 1) % n, (3 * i + 2) % n, (7 * i) % (n / 2 + 1)}; };
  m.verified = frequencies_right(
      2, 1e-14 * std::sqrt(size) * std::log2(2 * size), [&](std::int64_t i) { return hy(k(i)[0], k(i)[1], k(i)[2]); },
      [&](std::int64_t i) {
        std::vector<std::complex<long double>> roots(n);
        for (std::int64_t j = 0; j < n; ++j) roots[j] = root_of_unity(j, n);
        std::complex<long double> sum = 0;
        for (std::int64_t a = 0; a < n; ++a)
          for (std::int64_t b = 0; b < n; ++b) {
            std::complex<long double> line = 0;
            for (std::int64_t c = 0; c < n; ++c) line += static_cast<long double>(hx(a, b, c)) * roots[k(i)[2] * c % n];
            sum += line * roots[(k(i)[0] * a + k(i)[1] * b) % n];
          }
        return sum;
      });
  m.baseline_seconds = time_plain_fft(3 * n * n * n / 2);
  return m;
}

/// Periodic along two axes, 0 at the ends of the third.
measurement poisson(const settings& s, std::int64_t n) {
  const auto wave = KOKKOS_LAMBDA(std::int64_t i) {
    const double x = static_cast<double>(i / (n * n)) + 0.5, y = static_cast<double>(i / n % n) + 0.5,
                 z = static_cast<double>(i % n) + 0.5;
    return Kokkos::cos(2 * pi * (x - 2 * y) / static_cast<double>(n)) *
           Kokkos::sin(3 * pi * z / static_cast<double>(n));
  };
  const double eigenvalue = -4 * pi * pi * (1 + 4) - 9 * pi * pi;
  const auto f =
      filled<device_view<double***>>(s, KOKKOS_LAMBDA(std::int64_t i) { return eigenvalue * wave(i); }, n, n, n);
  const auto u = quern::like(f);
  const double size = 1.0 * n * n * n;
  using enum quern::poisson_side;
  const quern::poisson_sides sides{periodic, periodic, dirichlet};
  measurement m = timed(s, {n, n, n}, 16 * size, transform_flops(size, size),
                        [&] { quern::poisson(s.exec, u, f, quern::box_lengths{1, 1, 1}, sides); });
  const host_view<double***> hu = quern::to_host(u);
  m.verified = all_right(n * n * n, [&](std::int64_t i) { return std::fabs(hu.data()[i] - wave(i)) < 1e-12; });
  m.baseline_seconds = 2 * time_plain_fft(3 * n * n * n / 2);
  return m;
}

}  // namespace

std::vector<workload> transform_workloads() {
  std::vector<workload> all{
      {"fft", "complex128", "Fourier transforms of rows", sizes(512, 10'000), arrays(32, 2), fft},
      {"rfftn", "float64", "Fourier transform of a cube of real numbers", sizes(64, 512), arrays(24, 3), rfftn},
      {"poisson", "float64", "Poisson's equation, periodic and Dirichlet", sizes(64, 512), arrays(48, 3), poisson},
  };
  if (!quern::impl::fourier::available<exec_space>())
    for (auto& w : all)
      w.missing = "a library for Fourier transforms: build Quern with QUERN_ENABLE_FFT=ON (Spack: quern +fft)";
  return all;
}

}  // namespace app
