// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of narrow integers, over outer and middle axes, and of rows that no pack divides. Bytes count each input
// once.

#include <quern/core.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;

/// Sums, or how many are not 0.
template <class T, bool Count>
prepared narrow_sum(const exec_space& exec, int64_t n) {
  const auto x = make_view<T*>("x", n);
  Kokkos::parallel_for(
      range(0, n), KOKKOS_LAMBDA(int64_t i) { x(i) = static_cast<T>(255 * bench::hashed(i, 1) - 128); });
  const auto out = make_view<int64_t>("out"), expected = make_view<int64_t>("expected");
  prepared p{1.0 * sizeof(T) * n, 1.0 * n, {}, {}, {}};
  const auto plain = [=](const bench::view<int64_t>& to) {
    Kokkos::parallel_reduce(
        "plain", range(exec, 0, n), KOKKOS_LAMBDA(int64_t i, int64_t& s) { s += Count ? x(i) != 0 : x(i); },
        Kokkos::Sum<int64_t, bench::memory_space>(to));
  };
  p.variants = {{"quern",
                 [=] {
                   if constexpr (Count) quern::count(exec, out, x);
                   else quern::sum(exec, out, x);
                 }},
                {"plain", [=] { plain(out); }}};
  p.poison = [=] { Kokkos::deep_copy(out, int64_t{-7}); };
  p.right = [=] {
    plain(expected);
    return bench::failures(1, KOKKOS_LAMBDA(int64_t) { return out() == expected(); }) == 0;
  };
  return p;
}

/// Means over the middle axis, or sums over the two others, of l x m x n.
prepared axes_of_three(const exec_space& exec, int64_t l, int64_t m, int64_t n, bool middle) {
  const auto x = sampled(make_view<float***>("x", l, m, n), 1);
  const auto means = make_view<float**>("means", l, n);
  const auto sums = make_view<float*>("sums", m);
  const auto mean = KOKKOS_LAMBDA(int64_t i, int64_t k) {
    double s = 0;
    for (int64_t j = 0; j < m; ++j) s += x(i, j, k);
    return static_cast<float>(s / static_cast<double>(m));
  };
  const auto sum = KOKKOS_LAMBDA(int64_t j) {
    double s = 0;
    for (int64_t i = 0; i < l; ++i)
      for (int64_t k = 0; k < n; ++k) s += x(i, j, k);
    return static_cast<float>(s);
  };
  prepared p{4.0 * l * m * n, 1.0 * l * m * n, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   if (middle) quern::mean(exec, means, x, quern::axis{1});
                   else quern::sum(exec, sums, x, quern::axes{0, 2});
                 }},
                {"plain", [=] {
                   if (middle)
                     Kokkos::parallel_for(
                         "plain", range(exec, 0, l * n), KOKKOS_LAMBDA(int64_t r) {
                           float s = 0;
                           for (int64_t j = 0; j < m; ++j) s += x(r / n, j, r % n);
                           means(r / n, r % n) = s / static_cast<float>(m);
                         });
                   else
                     Kokkos::parallel_for("plain", range(exec, 0, m), KOKKOS_LAMBDA(int64_t j) { sums(j) = sum(j); });
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(means, -7.0f);
    Kokkos::deep_copy(sums, -7.0f);
  };
  p.right = [=] {
    const auto near = KOKKOS_LAMBDA(float found, float exact) { return Kokkos::abs(found - exact) <= 1e-4f * exact; };
    if (middle)
      return bench::failures(
                 l * n, KOKKOS_LAMBDA(int64_t r) { return near(means(r / n, r % n), mean(r / n, r % n)); }) == 0;
    return bench::failures(m, KOKKOS_LAMBDA(int64_t j) { return near(sums(j), sum(j)); }) == 0;
  };
  return p;
}

/// The largest of each row, or where it is.
prepared largest_of_rows(const exec_space& exec, int64_t rows, int64_t n, bool where) {
  const auto x = sampled(make_view<double**>("x", rows, n), 1);
  const auto out = make_view<double*>("out", rows);
  const auto at = make_view<int64_t*>("at", rows);
  const auto row = KOKKOS_LAMBDA(int64_t i) {
    int64_t best = 0;
    for (int64_t j = 1; j < n; ++j) best = x(i, j) > x(i, best) ? j : best;
    return best;
  };
  prepared p{8.0 * rows * n, 1.0 * rows * n, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   if (where) quern::argmax(exec, at, x, quern::axis{1});
                   else quern::max(exec, out, x, quern::axis{1});
                 }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, rows), KOKKOS_LAMBDA(int64_t i) {
                         const int64_t best = row(i);
                         if (where) at(i) = best;
                         else out(i) = x(i, best);
                       });
                 }}};
  p.poison = [=] {
    Kokkos::deep_copy(out, -7.0);
    Kokkos::deep_copy(at, int64_t{-7});
  };
  p.right = [=] {
    return bench::failures(
               rows, KOKKOS_LAMBDA(int64_t i) { return where ? at(i) == row(i) : out(i) == x(i, row(i)); }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  bench::add({"sum/int8", {399'999'999, 400'000'000}, 1003, narrow_sum<std::int8_t, false>});
  bench::add({"count/int8", {10'000, 4'000'000}, 1003, narrow_sum<std::int8_t, true>});
  bench::add({"sum/int16", {200'000'000}, 1003, narrow_sum<std::int16_t, false>});
  bench::add({"mean_axis1/float32 300x400xn", {500, 501}, 33, [](const exec& e, int64_t n) {
                return axes_of_three(e, 300, 400, n, true);
              }});
  bench::add({"sum_axes02/float32 300x400xn", {500, 501}, 33, [](const exec& e, int64_t n) {
                return axes_of_three(e, 300, 400, n, false);
              }});
  bench::add({"max_axis1/float64 1e5xn", {776, 777}, 33, [](const exec& e, int64_t n) {
                return largest_of_rows(e, 100'000, n, false);
              }});
  bench::add({"argmax_axis1/float64 1e5xn", {776, 777}, 33, [](const exec& e, int64_t n) {
                return largest_of_rows(e, 100'000, n, true);
              }});
  return true;
}();

}  // namespace
