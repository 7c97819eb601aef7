// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between host and device, and operations on arrays of the host. Where the device is the host, they show what a
// program that is written for both costs there.

#include <fmt/format.h>

#include <numeric>
#include <quern/chunked.hpp>
#include <quern/transfer.hpp>
#include <vector>

#include "stencil_rules.hpp"
#include "workload.hpp"

namespace app {
namespace {

using pinned = Kokkos::SharedHostPinnedSpace;
template <class Data, class Layout = Kokkos::LayoutRight>
using pinned_view = Kokkos::View<Data, Layout, pinned>;

struct twice_and_one {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x + 1; }
};

template <class Data, class... N>
pinned_view<Data> pinned_sample(std::uint64_t seed, N... n) {
  const auto x = uninitialized<pinned_view<Data>>("x", n...);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<typename pinned_view<Data>::value_type>(hashed(i, seed));
  return x;
}

/// What is read in chunks: an array of the host; on hosts behind a function, so that chunks are read there too.
template <class V>
auto source_of(const V& x) {
  if constexpr (quern::impl::is_device<exec_space>) {
    return quern::in_chunks(x);
  } else {
    using T = typename V::value_type;
    constexpr int rank = V::rank();
    std::size_t extents[rank];
    for (int d = 0; d < rank; ++d) extents[d] = x.extent(d);
    const std::int64_t row = x.size() / std::max<std::size_t>(extents[0], 1);
    return quern::chunked::reader<T>(extents, [x, row](std::int64_t first, std::int64_t rows, T* to) {
      std::copy_n(x.data() + first * row, rows * row, to);
    });
  }
}

/// Two arrays of the host in, one out.
measurement host_vector_add(const settings& s, std::int64_t n) {
  const auto x = pinned_sample<float*>(1, n), y = pinned_sample<float*>(2, n), z = quern::like(x);
  measurement m =
      timed(s, {n}, 8.0 * n, 1.0 * n,  // in the busier direction
            [&] { quern::map(s.exec, quern::in_chunks(z), add(), quern::in_chunks(x), quern::in_chunks(y)); });
  compare(m, z, [&](std::int64_t i) { return x(i) + y(i); });
  return m;
}

/// The cells of a field within its ghost cells, to a device and back.
measurement copy_strided(const settings& s, std::int64_t n) {
  const auto all = pinned_sample<double**>(1, n + 2, n + 2), back = quern::like(all);
  Kokkos::deep_copy(back, -1);
  const auto there = uninitialized<device_view<double**>>("there", n, n);
  const auto inner = std::pair<std::int64_t, std::int64_t>(1, n + 1);
  measurement m =
      timed(s, {n, n}, 8.0 * n * n, 0, [&] { quern::copy(s.exec, there, Kokkos::subview(all, inner, inner)); });
  quern::copy(s.exec, Kokkos::subview(back, inner, inner), there);
  s.exec.fence();
  m.verified = elements_right(back, [&](std::int64_t i, std::int64_t j) {
    const bool inside = i > 0 && j > 0 && i <= n && j <= n;
    return back(i, j) == (inside ? all(i, j) : -1);
  });
  const auto host = host_view<double**>("host", n, n);
  m.baseline_seconds = time_elements(host, [&](std::int64_t i, std::int64_t j) { return all(i + 1, j + 1); });
  return m;
}

/// A row-major array of the host to a column-major one of the device, and back.
measurement copy_layout(const settings& s, std::int64_t n) {
  const auto x = pinned_sample<double**>(1, n, n), back = quern::like(x);
  const auto there = uninitialized<device_view<double**, Kokkos::LayoutLeft>>("there", n, n);
  measurement m = timed(s, {n, n}, 8.0 * n * n, 0, [&] { quern::copy(s.exec, there, x); });
  quern::copy(s.exec, back, there);
  s.exec.fence();
  m.verified = all_right(n * n, [&](std::int64_t i) { return back.data()[i] == x.data()[i]; });
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> host("host", n, n);
  m.baseline_seconds = time_elements(host, [&](std::int64_t i, std::int64_t j) { return x(i, j); });
  return m;
}

quern::chunking chunking_of(const settings& s) { return {.memory = s.memory}; }

/// A plain loop in chunks, as these operations do on hosts: f(buffer, first, count) with elements
/// that a source was asked for.
template <class F>
void for_chunks(const double* x, std::int64_t n, const F& f) {
  std::vector<double> buffer(std::min<std::int64_t>(n, 8 << 20));
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t count = std::min<std::int64_t>(n - first, buffer.size());
    std::copy_n(x + first, count, buffer.data());
    f(buffer.data(), first, count);
    first += count;
  }
}

measurement chunked_sum(const settings& s, std::int64_t n) {
  const auto x = pinned_sample<double*>(1, n);
  const auto source = source_of(x);
  double result = 0;
  measurement m = timed(s, {n}, 8.0 * n, 1.0 * n, [&] { result = quern::sum(s.exec, source, chunking_of(s)); });
  const long double exact = std::accumulate(x.data(), x.data() + n, 0.0L);
  m.verified = agrees(result, exact, summation_error<double>(static_cast<double>(n)) * exact);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    double sum = 0;
    for_chunks(x.data(), k,
               [&](const double* of, std::int64_t, std::int64_t count) { sum = std::accumulate(of, of + count, sum); });
    keep(sum);
  });
  return m;
}

measurement chunked_map(const settings& s, std::int64_t n) {
  const auto x = pinned_sample<double*>(1, n), z = quern::like(x);
  const auto source = source_of(x);
  measurement m = timed(s, {n}, 8.0 * n, 2.0 * n,  // each way
                        [&] { quern::map(s.exec, quern::in_chunks(z), twice_and_one(), chunking_of(s), source); });
  m.verified = elements_right(z, [&](std::int64_t i) { return z(i) == 2 * x(i) + 1; });
  const auto plain = host_view<double*>("plain", n);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for_chunks(x.data(), k, [&](const double* of, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) plain(first + i) = 2 * of[i] + 1;
    });
    keep(*plain.data());
  });
  return m;
}

/// Verified by a plain loop.
measurement chunked_laplacian(const settings& s, std::int64_t n) {
  const auto u = pinned_sample<double***>(1, n, n, n), out = quern::like(u);
  Kokkos::deep_copy(out, -99);
  const auto source = source_of(u);
  measurement m = timed(s, {n, n, n}, 8.0 * n * n * n, 8.0 * n * n * n, [&] {
    quern::stencil<quern::star<1>>(s.exec, quern::in_chunks(out), laplace7(), quern::boundary::constant(0),
                                   chunking_of(s), source);
  });
  const auto at = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    return k < 0 || j < 0 || i < 0 || k >= n || j >= n || i >= n ? 0.0 : u(k, j, i);
  };
  const auto right = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    return at(k - 1, j, i) + at(k + 1, j, i) + at(k, j - 1, i) + at(k, j + 1, i) + at(k, j, i - 1) + at(k, j, i + 1) -
           6 * at(k, j, i);
  };
  compare(m, out, right, 16 * std::numeric_limits<double>::epsilon());
  return m;
}

}  // namespace

std::vector<workload> transfer_workloads() {
  std::vector<workload> all{
      {"host_vector_add", "float32", "z = x + y of host arrays", sizes(10'000'000, 100'000'000), arrays(12),
       host_vector_add},
      {"copy_strided", "float64", "cells within ghost cells", sizes(2000, 10'000), arrays(16, 2), copy_strided},
      {"copy_layout", "float64", "row-major to column-major", sizes(2000, 10'000), arrays(16, 2), copy_layout},
      {"chunked_sum", "float64", "sum of a host array, read in chunks", sizes(20'000'000, 500'000'000), arrays(8),
       chunked_sum},
      {"chunked_map", "float64", "z = 2 x + 1, in chunks", sizes(10'000'000, 300'000'000), arrays(16), chunked_map},
      {"chunked_laplacian", "float64", "7-point, of a host array", sizes(200, 512), arrays(12, 3), chunked_laplacian},
  };
  for (auto& w : all) w.limit = bound::link;
  return all;
}

}  // namespace app
