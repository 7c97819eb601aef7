// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads that move, compare or look up elements by their places.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <quern/core.hpp>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <quern/stencil.hpp>

#include "workload.hpp"

namespace app {
namespace {

using matrix = device_view<float**>;
using vector = device_view<double*>;

/// A copy of elements of `in` to other places; plain(i, j) is the element that comes to (i, j).
template <class Operand, class Plain>
measurement moved(const settings& s, const matrix& out, const Operand& operand, const Plain& plain) {
  const std::int64_t rows = out.extent(0), columns = out.extent(1);
  measurement m = timed(s, {rows, columns}, 8.0 * rows * columns, 0, [&] { quern::copy(s.exec, out, operand); });
  compare(m, quern::to_host(out), plain);
  return m;
}

measurement take(const settings& s, std::int64_t n) {
  const auto x = filled<matrix>(s, hashes{1}, n, n), out = quern::like(x);
  const auto rows = uninitialized<device_view<std::int32_t*>>("rows", n);
  quern::random::integers(s.exec, rows, quern::random::key(1), 0, static_cast<std::int32_t>(n));
  const auto hx = quern::to_host(x);
  const auto hr = quern::to_host(rows);
  return moved(s, out, quern::take(x, rows, quern::axis{0}, quern::index_mode::wrap),
               [&](std::int64_t i, std::int64_t j) { return hx(hr(i), j); });
}

measurement pad(const settings& s, std::int64_t n) {
  const std::int64_t width = 8;
  const auto x = filled<matrix>(s, hashes{1}, n, n);
  const auto out = uninitialized<matrix>("out", n + 2 * width, n + 2 * width);
  const auto hx = quern::to_host(x);
  const auto inside = [=](std::int64_t i) {
    const std::int64_t period = std::max<std::int64_t>(2 * (n - 1), 1);
    const std::int64_t k = ((i - width) % period + period) % period;
    return k < n ? k : period - k;
  };
  return moved(s, out, quern::pad(x, width, quern::pad_mode::reflect),
               [&](std::int64_t i, std::int64_t j) { return hx(inside(i), inside(j)); });
}

measurement roll(const settings& s, std::int64_t n) {
  const std::int64_t shift = 7;
  const auto x = filled<matrix>(s, hashes{1}, n, n), out = quern::like(x);
  const auto hx = quern::to_host(x);
  return moved(s, out, quern::roll(x, shift, quern::axis{1}),
               [&](std::int64_t i, std::int64_t j) { return hx(i, ((j - shift) % n + n) % n); });
}

measurement diff(const settings& s, std::int64_t n) {
  const auto x = filled<vector>(s, hashes{1}, n + 1), out = uninitialized<vector>("out", n);
  measurement m = timed(s, {n}, 16.0 * n, 1.0 * n, [&] { quern::diff(s.exec, out, x); });
  const auto hx = quern::to_host(x);
  compare(m, quern::to_host(out), [&](std::int64_t i) { return hx(i + 1) - hx(i); });
  return m;
}

measurement median_filter(const settings& s, std::int64_t n) {
  constexpr std::int64_t size = 5, half = size / 2;
  const auto x = filled<matrix>(s, hashes{1}, n, n), out = quern::like(x);
  measurement m =
      timed(s, {n, n}, 8.0 * n * n, 0, [&] { quern::median_filter(s.exec, out, x, size, quern::boundary::nearest); });
  const auto hx = quern::to_host(x);
  compare(m, quern::to_host(out), [&](std::int64_t i, std::int64_t j) {
    std::array<float, size * size> window;
    auto to = window.begin();
    for (std::int64_t a = i - half; a <= i + half; ++a)
      for (std::int64_t b = j - half; b <= j + half; ++b)
        *to++ = hx(std::clamp<std::int64_t>(a, 0, n - 1), std::clamp<std::int64_t>(b, 0, n - 1));
    std::nth_element(window.begin(), window.begin() + window.size() / 2, window.end());
    return window[window.size() / 2];
  });
  return m;
}

measurement rolling(const settings& s, std::int64_t n) {
  constexpr std::int64_t width = 100;
  const auto x = filled<vector>(s, hashes{1}, n), out = quern::like(x);
  measurement m = timed(s, {n}, 16.0 * n, 1.0 * n, [&] {
    quern::rolling<quern::op::mean>(s.exec, out, x, quern::window{.count = width, .min_periods = 1});
  });
  const auto hx = quern::to_host(x);
  compare(
      m, quern::to_host(out),
      [&](std::int64_t i) {
        const std::int64_t first = std::max<std::int64_t>(i + 1 - width, 0);
        double sum = 0;
        for (std::int64_t k = first; k <= i; ++k) sum += hx(k);
        return sum / static_cast<double>(i + 1 - first);
      },
      width * std::numeric_limits<double>::epsilon());
  return m;
}

measurement interp(const settings& s, std::int64_t n) {
  const std::int64_t points = 1000;
  const auto x = filled<vector>(s, hashes{1}, n), out = quern::like(x);
  const auto at = uninitialized<vector>("at", points), values = filled<vector>(s, hashes{2}, points);
  quern::linspace(s.exec, at, 0.0, 1.0);
  measurement m = timed(s, {n}, 16.0 * n, 3.0 * n, [&] { quern::interp(s.exec, out, x, at, values); });
  const auto hx = quern::to_host(x), ha = quern::to_host(at), hv = quern::to_host(values);
  compare(
      m, quern::to_host(out),
      [&](std::int64_t i) {
        const auto above = std::upper_bound(ha.data() + 1, ha.data() + points - 1, hx(i)) - ha.data();
        const double t = (hx(i) - ha(above - 1)) / (ha(above) - ha(above - 1));
        return hv(above - 1) + t * (hv(above) - hv(above - 1));
      },
      16 * std::numeric_limits<double>::epsilon());
  return m;
}

}  // namespace

std::vector<workload> indexing_workloads() {
  return {
      {"take", "float32", "rows of a matrix by random indices", sizes(4000, 10'000), arrays(8, 2), take},
      {"pad", "float32", "a matrix with 8 reflected cells around it", sizes(4000, 10'000), arrays(8, 2), pad},
      {"roll", "float32", "a matrix rolled by 7 columns", sizes(4000, 10'000), arrays(8, 2), roll},
      {"diff", "float64", "x(i + 1) - x(i)", sizes(20'000'000, 100'000'000), arrays(16), diff},
      {"median_filter", "float32", "median of the 5x5 neighbourhood", sizes(1000, 8192), arrays(8, 2), median_filter},
      {"rolling", "float64", "mean of 100 elements up to each", sizes(10'000'000, 100'000'000), arrays(16), rolling},
      {"interp", "float64", "on lines between 1000 points", sizes(10'000'000, 100'000'000), arrays(16), interp},
  };
}

}  // namespace app
