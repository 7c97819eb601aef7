// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads of keys and bins.

#include <fmt/format.h>

#include <cmath>
#include <quern/core.hpp>
#include <quern/keyed.hpp>
#include <quern/random.hpp>
#include <vector>

#include "workload.hpp"

namespace app {
namespace {

using quern::random::key;

measurement histogram(const settings& s, std::int64_t n) {
  const std::int64_t bins = 256;
  const auto x = uninitialized<device_view<double*>>("x", n);
  const auto counts = uninitialized<device_view<std::int64_t*>>("counts", bins);
  quern::random::uniform(s.exec, x, key(1));
  measurement m{fmt::format("{}", n), 0, 8.0 * n, 0};
  m.seconds = time_call(s, [&] { quern::histogram(s.exec, counts, x, quern::bin_range{0, 1}); });
  const auto hx = quern::to_host(x);
  const auto found = quern::to_host(counts);
  std::vector<std::int64_t> expected(bins);
  const auto count = [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) ++expected[static_cast<std::int64_t>(hx(i) * bins)];
    keep(expected[0]);
  };
  count(n);
  m.verified = failures(bins, [&](std::int64_t b) { return found(b) == expected[b]; }) == 0;
  m.baseline_seconds = time_baseline(n, count);
  return m;
}

measurement group_sum(const settings& s, std::int64_t n) {
  const std::int64_t groups = 1000;
  const auto keys = uninitialized<device_view<std::int32_t*>>("keys", n);
  const auto values = uninitialized<device_view<double*>>("values", n);
  const auto sums = uninitialized<device_view<double*>>("sums", groups);
  quern::random::integers(s.exec, keys, key(1), 0, groups);
  quern::random::uniform(s.exec, values, key(2));
  measurement m{fmt::format("{}", n), 0, 12.0 * n, 1.0 * n};
  m.seconds = time_call(s, [&] { quern::bincount(s.exec, sums, keys, values); });
  const auto hk = quern::to_host(keys);
  const auto hv = quern::to_host(values);
  const auto found = quern::to_host(sums);
  std::vector<double> expected(groups);
  const auto add = [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) expected[hk(i)] += hv(i);
    keep(expected[0]);
  };
  add(n);
  // Each of about n / groups additions rounds a sum that is at most the last one.
  const double roundings = 4.0 * static_cast<double>(n) / groups + 100;
  m.verified =
      failures(groups, [&](std::int64_t g) {
        return std::fabs(found(g) - expected[g]) <= roundings * std::numeric_limits<double>::epsilon() * expected[g];
      }) == 0;
  m.baseline_seconds = time_baseline(n, add);
  return m;
}

auto arrays(double bytes) {
  return [bytes](std::int64_t n) { return 2 * bytes * static_cast<double>(n); };
}

}  // namespace

std::vector<workload> keyed_workloads() {
  return {
      {"histogram", "float64", "256 equal bins on [0, 1)", {10'000'000}, {100'000'000}, arrays(8), histogram},
      {"group_sum", "float64", "sums by keys 0 to 999", {10'000'000}, {100'000'000}, arrays(12), group_sum},
  };
}

}  // namespace app
