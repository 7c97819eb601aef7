// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <vector>

#include "npy.hpp"
#include "workload.hpp"

namespace app {
namespace {

template <class T>
device_view<T*> sample_vector(const settings& s, std::int64_t n) {
  const auto x = uninitialized<device_view<T*>>("x", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  return x;
}

template <class T, class... Option>
measurement sum_of(const settings& s, const device_view<T*>& x, Option... option) {
  const std::int64_t n = x.extent(0);
  using S = decltype(quern::sum(s.exec, x));
  S result{};
  measurement m{fmt::format("{}", n), 0, static_cast<double>(sizeof(T)) * n, 1.0 * n};
  m.seconds = time_call(s, [&] { result = quern::sum(s.exec, x, option...); });
  const auto hx = quern::to_host(x);
  long double exact = 0, magnitude = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    exact += hx(i);
    magnitude += std::fabs(static_cast<long double>(hx(i)));
  }
  if constexpr (std::is_integral_v<T>) {
    m.verified = static_cast<long double>(result) == exact;
  } else {
    // The error bound of pairwise summation.
    const double depth = std::log2(static_cast<double>(n) + 2);
    m.verified = agrees(result, exact, depth * std::numeric_limits<T>::epsilon() * magnitude);
  }
  m.note = fmt::format("sum = {}", result);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    S sum{};
    for (std::int64_t i = 0; i < k; ++i) sum += hx(i);
    keep(sum);
  });
  return m;
}

/// Verified besides: the host finds the same bits in the values in reverse order.
template <class T>
measurement sum_reproducible_of(const settings& s, const device_view<T*>& x) {
  measurement m = sum_of(s, x, quern::reproducible);
  const auto hx = quern::to_host(x);
  std::vector<T> reversed(hx.data(), hx.data() + hx.extent(0));
  std::reverse(reversed.begin(), reversed.end());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> r(reversed.data(),
                                                                                             reversed.size());
  const auto forwards = quern::sum(s.exec, x, quern::reproducible), backwards = quern::sum(r, quern::reproducible);
  m.verified = m.verified && (forwards == backwards || (forwards != forwards && backwards != backwards));
  return m;
}

struct exact_moments {
  long double mean = 0, var = 0;
};
template <class View>
exact_moments exact_moments_of(const View& hx) {
  const auto n = static_cast<std::int64_t>(hx.extent(0));
  exact_moments m;
  for (std::int64_t i = 0; i < n; ++i) m.mean += hx(i);
  m.mean /= n;
  for (std::int64_t i = 0; i < n; ++i) m.var += (hx(i) - m.mean) * (hx(i) - m.mean);
  m.var /= n;
  return m;
}
/// A plain loop for the mean and one for the squares.
template <class View>
double time_two_passes(const View& hx) {
  return time_baseline(static_cast<std::int64_t>(hx.extent(0)), [&](std::int64_t k) {
    double a = 0, b = 0;
    for (std::int64_t i = 0; i < k; ++i) a += hx(i);
    for (std::int64_t i = 0; i < k; ++i) b += (hx(i) - a / k) * (hx(i) - a / k);
    keep(b);
  });
}

template <class T>
measurement mean_var_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  decltype(quern::mean_var(s.exec, x)) result{};
  measurement m{fmt::format("{}", n), 0, static_cast<double>(sizeof(T)) * n, 4.0 * n};
  m.seconds = time_call(s, [&] { result = quern::mean_var(s.exec, x); });
  const auto hx = quern::to_host(x);
  const auto [mean, var] = exact_moments_of(hx);
  const double eps = std::numeric_limits<std::conditional_t<std::is_integral_v<T>, double, T>>::epsilon();
  const double depth = std::log2(static_cast<double>(n) + 2);
  m.verified = agrees(result.mean, mean, depth * eps * (std::fabs(mean) + std::sqrt(var))) &&
               agrees(result.var, var, 2 * depth * eps * var);
  m.note = fmt::format("mean = {}, var = {}", result.mean, result.var);
  m.baseline_seconds = time_two_passes(hx);
  return m;
}

template <class T>
measurement stddev_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  decltype(quern::stddev(s.exec, x)) result{};
  measurement m{fmt::format("{}", n), 0, static_cast<double>(sizeof(T)) * n, 4.0 * n};
  m.seconds = time_call(s, [&] { result = quern::stddev(s.exec, x); });
  const auto hx = quern::to_host(x);
  const long double exact = std::sqrt(exact_moments_of(hx).var);
  const double eps = std::numeric_limits<decltype(result)>::epsilon();
  m.verified = agrees(result, exact, std::log2(static_cast<double>(n) + 2) * eps * exact);
  m.note = fmt::format("stddev = {}", result);
  m.baseline_seconds = time_two_passes(hx);
  return m;
}

template <class T>
measurement median_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  decltype(quern::median(s.exec, x)) result{};
  measurement m{fmt::format("{}", n), 0, static_cast<double>(sizeof(T)) * n, 1.0 * n};
  m.seconds = time_call(s, [&] { result = quern::median(s.exec, x); });
  const auto hx = quern::to_host(x);
  const std::int64_t below = std::count_if(hx.data(), hx.data() + n, [&](T v) { return v < result; });
  const std::int64_t above = std::count_if(hx.data(), hx.data() + n, [&](T v) { return v > result; });
  const bool any_nan = std::any_of(hx.data(), hx.data() + n, [](T v) { return v != v; });
  m.verified = any_nan ? result != result : 2 * below <= n && 2 * above <= n;
  m.note = fmt::format("median = {}", result);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::vector<T> copy(hx.data(), hx.data() + k);
    std::nth_element(copy.begin(), copy.begin() + k / 2, copy.end());
    keep(copy[k / 2]);
  });
  return m;
}

template <class T>
measurement argmax_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  std::int64_t result = -1;
  measurement m{fmt::format("{}", n), 0, static_cast<double>(sizeof(T)) * n, 1.0 * n};
  m.seconds = time_call(s, [&] { result = quern::argmax(s.exec, x); });
  const auto hx = quern::to_host(x);
  const T* const nan = std::find_if(hx.data(), hx.data() + n, [](T v) { return v != v; });
  const T* const largest = nan != hx.data() + n ? nan : std::max_element(hx.data(), hx.data() + n);
  m.verified = result == largest - hx.data();
  m.note = fmt::format("argmax = {}", result);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < k; ++i)
      if (hx(i) > hx(at)) at = i;
    keep(at);
  });
  return m;
}

/// Runs f on the array of a .npy file, in the device's memory.
template <class F>
measurement from_file(const settings& s, const F& f) {
  return with_npy(*s.input, [&](const auto& host) {
    using T = typename std::remove_cvref_t<decltype(host)>::non_const_value_type;
    const auto x = uninitialized<device_view<T*>>("x", host.extent(0));
    Kokkos::deep_copy(x, host);
    return f(x);
  });
}

template <class T>
measurement sum(const settings& s, std::int64_t n) {
  if (s.input) return from_file(s, [&](const auto& x) { return sum_of(s, x); });
  return sum_of(s, sample_vector<T>(s, n));
}

measurement sum_reproducible(const settings& s, std::int64_t n) {
  if (s.input) return from_file(s, [&](const auto& x) { return sum_reproducible_of(s, x); });
  return sum_reproducible_of(s, sample_vector<double>(s, n));
}

measurement mean_var(const settings& s, std::int64_t n) {
  if (s.input) return from_file(s, [&](const auto& x) { return mean_var_of(s, x); });
  return mean_var_of(s, sample_vector<double>(s, n));
}

measurement stddev(const settings& s, std::int64_t n) {
  if (s.input) return from_file(s, [&](const auto& x) { return stddev_of(s, x); });
  return stddev_of(s, sample_vector<double>(s, n));
}

measurement argmax(const settings& s, std::int64_t n) {
  if (s.input) return from_file(s, [&](const auto& x) { return argmax_of(s, x); });
  return argmax_of(s, sample_vector<double>(s, n));
}

measurement median(const settings& s, std::int64_t n) {
  if (s.input) return from_file(s, [&](const auto& x) { return median_of(s, x); });
  return median_of(s, sample_vector<double>(s, n));
}

/// Sums of the rows (axis 1) or the columns (axis 0) of a matrix.
template <int Axis>
measurement sum_axis(const settings& s, std::int64_t n) {
  const auto x = uninitialized<device_view<double**>>("x", n, n);
  const auto out = uninitialized<device_view<double*>>("out", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  measurement m{fmt::format("{0} x {0}", n), 0, 8.0 * n * n + 8.0 * n, 1.0 * n * n};
  m.seconds = time_call(s, [&] { quern::sum(s.exec, out, x, quern::axis{Axis}); });
  m.note = fmt::format("axis {}", Axis);
  const auto hx = quern::to_host(x);
  const auto hout = quern::to_host(out);
  std::vector<long double> exact(n, 0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) exact[Axis == 0 ? j : i] += hx(i, j);
  const double bound = std::log2(static_cast<double>(n) + 2) * std::numeric_limits<double>::epsilon();
  m.verified = failures(n, [&](std::int64_t k) { return std::fabs(hout(k) - exact[k]) <= bound * exact[k]; }) == 0;
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += Axis == 0 ? hx(j, i) : hx(i, j);
      hout(i) = sum;
    }
    keep(hout(0));
  });
  return m;
}

measurement cumsum(const settings& s, std::int64_t n) {
  const auto x = sample_vector<double>(s, n);
  const auto out = uninitialized<device_view<double*>>("out", n);
  measurement m{fmt::format("{}", n), 0, 16.0 * n, 1.0 * n};
  m.seconds = time_call(s, [&] { quern::cumsum(s.exec, out, x); });
  const auto hx = quern::to_host(x);
  const auto hout = quern::to_host(out);
  const double bound = std::log2(static_cast<double>(n) + 2) * std::numeric_limits<double>::epsilon();
  long double exact = 0;
  m.verified = true;
  for (std::int64_t i = 0; i < n; ++i) {
    exact += hx(i);
    m.verified = m.verified && std::fabs(hout(i) - exact) <= bound * exact;
  }
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    double sum = 0;
    for (std::int64_t i = 0; i < k; ++i) hout(i) = sum += hx(i);
    keep(hout(0));
  });
  return m;
}

}  // namespace

std::vector<workload> reduction_workloads() {
  std::vector<workload> list{
      {"sum", "float64", "sum of x", {20'000'000}, {100'000'000}, arrays(8), sum<double>},
      {"sum", "float32", "sum of x", {40'000'000}, {1'000'000'000}, arrays(4), sum<float>},
      {"sum_reproducible",
       "float64",
       "the same bits everywhere",
       {20'000'000},
       {100'000'000},
       arrays(8),
       sum_reproducible},
      {"mean_var", "float64", "mean and variance in one pass", {20'000'000}, {100'000'000}, arrays(8), mean_var},
      {"stddev", "float64", "standard deviation in one pass", {20'000'000}, {100'000'000}, arrays(8), stddev},
      {"median", "float64", "median by selection", {20'000'000}, {100'000'000}, arrays(8), median},
      {"argmax", "float64", "first position of the largest", {20'000'000}, {100'000'000}, arrays(8), argmax},
  };
  for (auto& w : list) w.takes_input = true;
  const auto square = [](std::int64_t n) { return 16.0 * static_cast<double>(n) * static_cast<double>(n); };
  list.push_back({"sum_axis", "float64", "sum over axis 0", {3000}, {10'000}, square, sum_axis<0>});
  list.push_back({"sum_axis", "float64", "sum over axis 1", {3000}, {10'000}, square, sum_axis<1>});
  list.push_back({"cumsum", "float64", "inclusive scan", {20'000'000}, {100'000'000}, arrays(16), cumsum});
  return list;
}

}  // namespace app
