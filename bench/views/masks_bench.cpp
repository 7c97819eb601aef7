// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions, scans and histograms of what a mask selects, half of the elements. Bytes count each element, each byte of
// the mask and each result once.

#include <quern/core.hpp>
#include <quern/keyed.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>

#include "keyed/skewed_keys.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::sampled;
using std::int64_t;

/// A byte for each element, as a comparison of random numbers gives it.
template <class V>
V half(const V& m) {
  Kokkos::parallel_for(
      "bench::fill", bench::range(0, m.size()), KOKKOS_LAMBDA(int64_t i) { m.data()[i] = bench::hashed(i, 2) < 0.5; });
  Kokkos::fence();
  return m;
}

template <bool Mean>
prepared masked(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1);
  const auto m = half(make_view<bool*>("m", n));
  const auto out = make_view<double>("out");
  double expected = 0, count = 0;
  Kokkos::parallel_reduce(
      "expected", bench::range(exec, 0, n),
      KOKKOS_LAMBDA(int64_t i, double& s, double& c) {
        s += m(i) ? x(i) : 0;
        c += m(i);
      },
      expected, count);
  if (Mean) expected /= count;
  prepared p{9.0 * n, 0, {}, {}, {}};
  const auto reduced = [=] {
    if constexpr (Mean) quern::mean(exec, out, x, quern::mask{m});
    else quern::sum(exec, out, x, quern::mask{m});
  };
  p.variants = {
      {"quern", reduced},
      {"plain", [=] {
         Kokkos::parallel_reduce(
             "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(int64_t i, double& s) { s += m(i) ? x(i) : 0; }, out);
         if (Mean) Kokkos::parallel_for("plain", bench::range(exec, 0, 1), KOKKOS_LAMBDA(int64_t) { out() /= count; });
       }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    double value = 0;
    Kokkos::deep_copy(value, out);
    return Kokkos::abs(value - expected) < 1e-9 * expected;
  };
  return p;
}

/// Sums of the rows or columns of n x n.
template <int Axis>
prepared sums_along(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<double**>("x", n, n), 1);
  const auto m = half(make_view<bool**>("m", n, n));
  const auto out = make_view<double*>("out", n);
  prepared p{9.0 * n * n + 8.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, out, x, quern::axis{Axis}, quern::mask{m}); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return bench::failures(
               n, KOKKOS_LAMBDA(int64_t i) {
                 double sum = 0;
                 for (int64_t k = 0; k < n; ++k) {
                   const int64_t row = Axis == 0 ? k : i, column = Axis == 0 ? i : k;
                   sum += m(row, column) ? x(row, column) : 0;
                 }
                 return Kokkos::abs(out(i) - sum) <= 1e-9 * sum;
               }) == 0;
  };
  return p;
}

prepared running_sums(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1);
  const auto m = half(make_view<bool*>("m", n));
  const auto out = make_view<double*>("out", n), expected = make_view<double*>("expected", n);
  const auto plain = [=](const bench::view<double*>& to) {
    Kokkos::parallel_scan(
        "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(int64_t i, double& s, bool last) {
          s += m(i) ? x(i) : 0;
          if (last) to(i) = s;
        });
  };
  prepared p{17.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::cumsum(exec, out, x, quern::mask{m}); }}, {"plain", [=] { plain(out); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    plain(expected);
    return bench::failures(
               n, KOKKOS_LAMBDA(int64_t i) { return Kokkos::abs(out(i) - expected(i)) <= 1e-9 * expected(i); }) == 0;
  };
  return p;
}

prepared position_of_max(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1);
  const auto m = half(make_view<bool*>("m", n));
  const auto out = make_view<int64_t>("out");
  using max_loc = Kokkos::MaxLoc<double, int64_t, bench::memory_space>;
  const Kokkos::View<max_loc::value_type, bench::memory_space> found("found");
  const auto plain = [=] {
    Kokkos::parallel_reduce(
        "plain", bench::range(exec, 0, n),
        KOKKOS_LAMBDA(int64_t i, max_loc::value_type& s) {
          if (m(i) && x(i) > s.val) s = {x(i), i};
        },
        max_loc(found));
    Kokkos::parallel_for("plain", bench::range(exec, 0, 1), KOKKOS_LAMBDA(int64_t) { out() = found().loc; });
  };
  prepared p{9.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::argmax(exec, out, x, quern::mask{m}); }}, {"plain", plain}};
  p.poison = [=] { Kokkos::deep_copy(out, -7); };
  p.right = [=] {
    int64_t at = 0;
    Kokkos::deep_copy(at, out);
    if (at < 0 || at >= n) return false;
    return bench::failures(
               n, KOKKOS_LAMBDA(int64_t i) {
                 return m(at) && !(m(i) && (x(i) > x(at) || (x(i) == x(at) && i < at)));
               }) == 0;
  };
  return p;
}

prepared counts(const exec_space& exec, int64_t n) {
  constexpr int64_t bins = 1000;
  const auto x = bench::keys_of<double>(exec, n, bins, bench::distribution::uniform);
  const auto m = half(make_view<bool*>("m", n));
  const auto out = make_view<int64_t*>("out", bins), expected = make_view<int64_t*>("expected", bins);
  const auto plain = [=](const bench::view<int64_t*>& to) {
    Kokkos::deep_copy(exec, to, int64_t{0});
    Kokkos::parallel_for(
        "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(int64_t i) {
          if (m(i)) Kokkos::atomic_inc(&to(static_cast<int64_t>(x(i))));
        });
  };
  const quern::bin_range range{0.0, static_cast<double>(bins)};
  prepared p{9.0 * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::histogram(exec, out, x, range, quern::mask{m}); }},
                {"plain", [=] { plain(out); }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7); };
  p.right = [=] {
    plain(expected);
    return bench::failures(bins, KOKKOS_LAMBDA(int64_t b) { return out(b) == expected(b); }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"masked_sum/float64", {100'000'000}, 1003, masked<false>});
  bench::add({"masked_mean/float64", {100'000'000}, 1003, masked<true>});
  bench::add({"masked_sum_axis0/float64 n2", {10'000}, 61, sums_along<0>});
  bench::add({"masked_sum_axis1/float64 n2", {10'000}, 61, sums_along<1>});
  bench::add({"masked_cumsum/float64", {100'000'000}, 1003, running_sums});
  bench::add({"masked_argmax/float64", {100'000'000}, 1003, position_of_max});
  bench::add({"masked_histogram in 1000/float64", {100'000'000}, 1003, counts});
  return true;
}();

}  // namespace
