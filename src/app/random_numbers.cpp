// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads of random numbers.

#include <fmt/format.h>

#include <cmath>
#include <quern/core.hpp>
#include <quern/random.hpp>
#include <random>

#include "workload.hpp"

namespace app {
namespace {

using quern::random::key;

/// Mean, variance, and a part of the field drawn by itself, which must have the same bits.
template <class T, class Draw>
bool field_right(const device_view<T*>& x, double mean, double variance, const Draw& draw) {
  const auto found = quern::to_host(x);
  const std::int64_t n = found.extent(0);
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += found(i) - mean;
  for (std::int64_t i = 0; i < n; ++i) squares += (found(i) - mean) * (found(i) - mean);
  const double deviations = 5 / std::sqrt(static_cast<double>(n));
  const std::int64_t first = n / 3, count = std::min<std::int64_t>(n - first, 1001);
  const auto part = uninitialized<device_view<T*>>("part", count);
  draw(part, quern::random::part_of(key(1), {n}, {first}));
  Kokkos::fence();
  const auto again = quern::to_host(part);
  return std::fabs(sum / n) < deviations * std::sqrt(variance) &&
         std::fabs(squares / n - variance) < deviations * variance * 2 &&
         all_right(count, [&](std::int64_t i) { return again(i) == found(first + i); });
}

template <class T, class Draw, class Plain>
measurement random_field(const settings& s, std::int64_t n, double mean, double variance, const Draw& draw,
                         Plain plain) {
  const auto x = uninitialized<device_view<T*>>("x", n);
  measurement m = timed(s, {n}, 1.0 * sizeof(T) * n, 0, [&] { draw(x, key(1)); });
  m.verified = field_right<T>(x, mean, variance, draw);
  const auto host = uninitialized<host_view<T*>>("host", n);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::mt19937_64 engine(1);
    for (std::int64_t i = 0; i < k; ++i) host(i) = plain(engine);
    keep(host(0));
  });
  return m;
}

measurement uniform(const settings& s, std::int64_t n) {
  return random_field<double>(
      s, n, 0.5, 1.0 / 12,
      [&](const auto& x, const quern::random::part_of& p) { quern::random::uniform(s.exec, x, p); },
      std::uniform_real_distribution<double>());
}

measurement normal(const settings& s, std::int64_t n) {
  return random_field<float>(
      s, n, 0, 1, [&](const auto& x, const quern::random::part_of& p) { quern::random::normal(s.exec, x, p); },
      std::normal_distribution<float>());
}

}  // namespace

std::vector<workload> random_workloads() {
  return {
      {"uniform", "float64", "uniform numbers on [0, 1)", sizes(10'000'000, 100'000'000), arrays(12), uniform},
      {"normal", "float32", "normal numbers", sizes(10'000'000, 100'000'000), arrays(6), normal},
  };
}

}  // namespace app
