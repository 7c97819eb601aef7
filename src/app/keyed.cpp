// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads of keys and bins.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <quern/core.hpp>
#include <quern/keyed.hpp>
#include <quern/random.hpp>
#include <vector>

#include "workload.hpp"

namespace app {
namespace {

using quern::random::key;

/// Verifies bins by a plain loop over n elements, which is timed too: `add(bins, i)` adds element i to its bin.
template <class V, class Add>
void compare_bins(measurement& m, std::int64_t n, const V& bins, const Add& add, double tolerance = 0) {
  const auto found = quern::to_host(bins);
  std::vector<typename V::value_type> expected(found.size());
  const auto add_first = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) add(expected, i);
    keep(expected[0]);
  };
  add_first(n);
  m.verified = all_right(found.size(), [&](std::int64_t b) {
    return std::fabs(found(b) - expected[b]) <= tolerance * static_cast<double>(expected[b]);
  });
  m.baseline_seconds = time_baseline(n, add_first);
}

measurement histogram(const settings& s, std::int64_t n) {
  const std::int64_t bins = 256;
  const auto x = uninitialized<device_view<double*>>("x", n);
  const auto counts = uninitialized<device_view<std::int64_t*>>("counts", bins);
  quern::random::uniform(s.exec, x, key(1));
  measurement m = timed(s, {n}, 8.0 * n, 0, [&] { quern::histogram(s.exec, counts, x, quern::bin_range{0, 1}); });
  const auto hx = quern::to_host(x);
  compare_bins(m, n, counts, [&](auto& bin, std::int64_t i) { ++bin[static_cast<std::int64_t>(hx(i) * bins)]; });
  return m;
}

measurement group_sum(const settings& s, std::int64_t n) {
  const std::int64_t groups = 1000;
  const auto keys = uninitialized<device_view<std::int32_t*>>("keys", n);
  const auto values = uninitialized<device_view<double*>>("values", n);
  const auto sums = uninitialized<device_view<double*>>("sums", groups);
  quern::random::integers(s.exec, keys, key(1), 0, groups);
  quern::random::uniform(s.exec, values, key(2));
  measurement m =
      timed(s, {n}, 12.0 * n, 1.0 * n, [&] { quern::bincount(s.exec, sums, keys, quern::weights{values}); });
  const auto hk = quern::to_host(keys);
  const auto hv = quern::to_host(values);
  // Each of about n / groups additions rounds a sum that is at most the last one.
  const double roundings = 4.0 * static_cast<double>(n) / groups + 100;
  compare_bins(
      m, n, sums, [&](auto& sum, std::int64_t i) { sum[hk(i)] += hv(i); },
      roundings * std::numeric_limits<double>::epsilon());
  return m;
}

/// A number that does not depend on the order of the elements, and hardly on anything but what they are.
template <class V>
std::uint64_t fingerprint(const V& v) {
  using T = typename V::non_const_value_type;
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < v.extent(0); ++i) {
    const std::uint64_t z = std::bit_cast<bits>(v(i)) * 0x9e3779b97f4a7c15u;
    sum += (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  }
  return sum;
}

template <class T>
auto random_values(const settings& s, std::int64_t n) {
  const auto x = uninitialized<device_view<T*>>("x", n);
  if constexpr (std::is_floating_point_v<T>) quern::random::uniform(s.exec, x, key(1));
  else quern::random::integers(s.exec, x, key(1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  return x;
}

template <class T>
measurement sort(const settings& s, std::int64_t n) {
  const auto x = random_values<T>(s, n);
  const auto out = uninitialized<device_view<T*>>("out", n);
  measurement m = timed(s, {n}, 2.0 * sizeof(T) * n, 0, [&] { quern::sort(s.exec, out, x); });
  const auto hx = quern::to_host(x), found = quern::to_host(out);
  m.verified = all_right(n - 1, [&](std::int64_t i) { return found(i) <= found(i + 1); }) &&
               fingerprint(found) == fingerprint(hx);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::vector<T> copy(hx.data(), hx.data() + k);
    std::sort(copy.begin(), copy.end());
    keep(copy[0]);
  });
  return m;
}

measurement argsort(const settings& s, std::int64_t n) {
  const auto x = random_values<double>(s, n);
  const auto positions = uninitialized<device_view<std::int64_t*>>("positions", n);
  measurement m = timed(s, {n}, 16.0 * n, 0, [&] { quern::argsort(s.exec, positions, x); });
  const auto hx = quern::to_host(x);
  const auto found = quern::to_host(positions);
  std::vector<bool> seen(n);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t p = found(i), next = i + 1 < n ? found(i + 1) : p;
    wrong += p < 0 || p >= n || seen[p] || hx(p) > hx(next) || (hx(p) == hx(next) && p > next);
    if (p >= 0 && p < n) seen[p] = true;
  }
  m.verified = wrong == 0;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::vector<std::int64_t> order(k);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return hx(i) < hx(j); });
    keep(order[0]);
  });
  return m;
}

measurement unique(const settings& s, std::int64_t n) {
  const std::int64_t different = 1000;
  const auto x = uninitialized<device_view<std::int32_t*>>("x", n);
  const auto values = uninitialized<device_view<std::int32_t*>>("values", different);
  const auto counts = uninitialized<device_view<std::int64_t*>>("counts", different);
  const device_view<std::int64_t> number("number");
  quern::random::integers(s.exec, x, key(1), 0, different);
  measurement m =
      timed(s, {n}, 4.0 * n, 0, [&] { quern::unique_counts(s.exec, values, counts, x, quern::size_to{number}); });
  const auto hx = quern::to_host(x);
  const auto found = quern::to_host(values);
  const auto found_counts = quern::to_host(counts);
  std::int64_t size = 0;
  Kokkos::deep_copy(size, number);
  std::vector<std::int64_t> expected(different);
  for (std::int64_t i = 0; i < n; ++i) ++expected[hx(i)];
  std::int64_t k = 0, wrong = 0;
  for (std::int64_t v = 0; v < different; ++v) {
    if (expected[v] == 0) continue;
    wrong += k >= size || found(k) != v || found_counts(k) != expected[v];
    ++k;
  }
  m.verified = wrong == 0 && k == size;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t units) {
    std::vector<std::int32_t> copy(hx.data(), hx.data() + units);
    std::sort(copy.begin(), copy.end());
    copy.erase(std::unique(copy.begin(), copy.end()), copy.end());
    keep(copy[0]);
  });
  return m;
}

}  // namespace

std::vector<workload> keyed_workloads() {
  return {
      {"sort", "float64", "ascending", sizes(10'000'000, 100'000'000), arrays(24), sort<double>},
      {"sort", "int32", "ascending", sizes(10'000'000, 100'000'000), arrays(12), sort<std::int32_t>},
      {"argsort", "float64", "positions in order, stable", sizes(10'000'000, 100'000'000), arrays(40), argsort},
      {"unique", "int32", "1000 different values and their counts", sizes(10'000'000, 100'000'000), arrays(12), unique},
      {"histogram", "float64", "256 equal bins on [0, 1)", sizes(10'000'000, 100'000'000), arrays(8), histogram},
      {"group_sum", "float64", "sums by keys 0 to 999", sizes(10'000'000, 100'000'000), arrays(12), group_sum},
  };
}

}  // namespace app
