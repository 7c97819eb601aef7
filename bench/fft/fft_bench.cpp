// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fourier transforms beside the library's own call with a plan that is made once. Bytes count each array once; flops
// are the 5 n log2 n of a complex transform of n numbers, and half of that of a real one.

#include "fft/vendor.hpp"

#include <algorithm>
#include <cmath>
#include <quern/fft.hpp>
#include <quern/transfer.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::failures;
using bench::make_view;
using bench::prepared;
using bench::sampled;
using bench::vendor_fft;
using complex = Kokkos::complex<double>;
using reals = bench::view<double*>;
using complexes = bench::view<complex*>;

const double* as_reals(const complex* p) { return reinterpret_cast<const double*>(p); }

/// Random complex numbers.
template <class V>
V sampled_complex(const V& v, std::uint64_t seed) {
  sampled(reals(reinterpret_cast<double*>(v.data()), 2 * v.size()), seed);
  return v;
}

/// Compares a result with the one that the library's own call has left.
template <class V>
std::function<bool()> as_vendor(const V& found, const V& expected, double bound) {
  return [=] {
    return failures(
               found.size(), KOKKOS_LAMBDA(std::int64_t i) {
                 return Kokkos::abs(found.data()[i] - expected.data()[i]) < bound;
               }) == 0;
  };
}
double complex_flops(double n, double of) { return 5 * n * std::log2(of); }

prepared rows(const exec_space& exec, std::int64_t n) {
  const auto x = sampled_complex(make_view<complex**>("x", n, n), 1);
  const auto y = make_view<complex**>("y", n, n), expected = make_view<complex**>("expected", n, n);
  const vendor_fft vendor(exec, {{n}, 1, n, n}, as_reals(x.data()), expected.data());
  vendor(x.data(), expected.data());
  prepared p{32.0 * n * n, complex_flops(1.0 * n * n, n), {}, {}, {}};
  p.variants = {{"quern", [=] { quern::fft(exec, y, x); }}, {"vendor", [=] { vendor(x.data(), y.data()); }}};
  p.poison = [=] { Kokkos::deep_copy(y, complex(-7)); };
  p.right = as_vendor(y, expected, 1e-12 * n);
  return p;
}

prepared columns(const exec_space& exec, std::int64_t n) {
  const auto x = sampled_complex(make_view<complex**>("x", n, n), 1);
  const auto y = make_view<complex**>("y", n, n), expected = make_view<complex**>("expected", n, n);
  const auto turned = make_view<complex**>("turned", n, n), rows = make_view<complex**>("rows", n, n);
  const vendor_fft strided(exec, {{n}, n, 1, n}, as_reals(x.data()), expected.data());
  const vendor_fft contiguous(exec, {{n}, 1, n, n}, as_reals(x.data()), expected.data());
  strided(x.data(), expected.data());
  using columns_of =
      Kokkos::View<complex**, Kokkos::LayoutLeft, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const columns_of turned_columns(turned.data(), n, n), result_columns(rows.data(), n, n);
  prepared p{32.0 * n * n, complex_flops(1.0 * n * n, n), {}, {}, {}};
  p.variants = {{"quern", [=] { quern::fft(exec, y, x, quern::axis(0)); }},
                {"vendor", [=] { strided(x.data(), y.data()); }},
                {"vendor_transposing", [=] {
                   quern::copy(exec, turned_columns, x);
                   contiguous(turned.data(), rows.data());
                   quern::copy(exec, y, result_columns);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(y, complex(-7)); };
  p.right = as_vendor(y, expected, 1e-12 * n);
  return p;
}

prepared cube(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double***>("x", n, n, n), 1);
  const auto y = make_view<complex***>("y", n, n, n / 2 + 1),
             expected = make_view<complex***>("expected", n, n, n / 2 + 1);
  const vendor_fft vendor(exec, {.lengths = {n, n, n}, .real = true}, x.data(), expected.data());
  vendor(x.data(), expected.data());
  const double size = 1.0 * n * n * n, half = 1.0 * n * n * (n / 2 + 1);
  prepared p{8 * size + 16 * half, complex_flops(size, size) / 2, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::rfftn(exec, y, x); }}, {"vendor", [=] { vendor(x.data(), y.data()); }}};
  p.poison = [=] { Kokkos::deep_copy(y, complex(-7)); };
  p.right = as_vendor(y, expected, 1e-12 * size);
  return p;
}

/// Rows of that length, of 1.1e7 numbers in all, as `fftconvolve` transforms blocks; checked at frequency 0.
prepared real_rows(const exec_space& exec, std::int64_t length) {
  const std::int64_t count = std::max<std::int64_t>(1, (length < 100 ? 1000 : 11'000'000) / length);
  const auto x = sampled(make_view<double**>("x", count, length), 1);
  const auto y = make_view<complex**>("y", count, length / 2 + 1);
  const double size = 1.0 * count * length;
  prepared p{16 * size, complex_flops(size, length) / 2, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::rfft(exec, y, x); }}};
  p.poison = [=] { Kokkos::deep_copy(y, complex(-7)); };
  p.right = [=] {
    return failures(
               count, KOKKOS_LAMBDA(std::int64_t i) {
                 double sum = 0;
                 for (std::int64_t j = 0; j < length; ++j) sum += x(i, j);
                 return Kokkos::abs(y(i, 0).real() - sum) < 1e-12 * length;
               }) == 0;
  };
  return p;
}

/// Of a wave along the first axis.
prepared poisson(const exec_space& exec, std::int64_t n) {
  const auto f = make_view<double***>("f", n, n, n), u = make_view<double***>("u", n, n, n);
  const double k = 2 * Kokkos::numbers::pi;
  const quern::box_lengths lengths{1, 1, 1};
  Kokkos::parallel_for(
      "bench::wave", bench::range(exec, 0, n * n * n), KOKKOS_LAMBDA(std::int64_t i) {
        f.data()[i] = -k * k * Kokkos::cos(k * static_cast<double>(i / (n * n)) / static_cast<double>(n));
      });
  const double size = 1.0 * n * n * n;
  prepared p{16 * size, complex_flops(size, size), {}, {}, {}};
  p.variants = {{"quern", [=] { quern::poisson(exec, u, f, lengths); }}};
  p.poison = [=] { Kokkos::deep_copy(u, -7.0); };
  p.right = [=] {
    return failures(
               n * n * n, KOKKOS_LAMBDA(std::int64_t i) {
                 return Kokkos::abs(u.data()[i] -
                                    Kokkos::cos(k * static_cast<double>(i / (n * n)) / static_cast<double>(n))) < 1e-12;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"fft_rows/complex128 n2", {256, 10'000}, 30, rows});
  bench::add({"fft_columns/complex128 n2", {256, 2'048, 10'000}, 30, columns});
  bench::add({"rfft_rows/float64 rows of n", {2048, 4096, 8192, 16'384, 32'768}, 30, real_rows});
  bench::add({"rfftn/float64 n3", {64, 512}, 12, cube});
  bench::add({"poisson/float64 n3", {64, 512}, 12, poisson});
  return true;
}();

}  // namespace
