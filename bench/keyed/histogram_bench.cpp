// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Histograms and sums by key beside the loops with atomics that a user would write. Bytes count each value, key and
// weight read once.

#include <quern/keyed.hpp>
#include <quern/random.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using quern::random::key;

/// How values are spread over the bins: evenly, all in one, or over so many that each has few.
struct spread {
  std::int64_t bins;
  bool one = false;
};

template <spread S>
prepared histogram(const exec_space& exec, std::int64_t n) {
  const auto x = make_view<double*>("x", n);
  const auto counts = make_view<std::int64_t*>("counts", S.bins);
  if (S.one) Kokkos::deep_copy(x, 0.3);
  else quern::random::uniform(exec, x, key(1));
  prepared p{8.0 * n, 0, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::histogram(exec, counts, x, quern::bin_range{0, 1}); }},
      {"plain", [=] {
         Kokkos::deep_copy(exec, counts, 0);
         Kokkos::parallel_for(
             "plain", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
               if (x(i) >= 0 && x(i) <= 1)
                 Kokkos::atomic_inc(&counts(Kokkos::min(static_cast<std::int64_t>(x(i) * S.bins), S.bins - 1)));
             });
       }}};
  p.poison = [=] { Kokkos::deep_copy(counts, -7); };
  p.right = [=] {
    std::int64_t sum = 0;
    double squares = 0;
    Kokkos::parallel_reduce(
        "check", bench::range(0, S.bins),
        KOKKOS_LAMBDA(std::int64_t b, std::int64_t& s, double& q) {
          const double expected = S.one ? (b == static_cast<std::int64_t>(0.3 * S.bins) ? n : 0) : 1.0 * n / S.bins;
          s += counts(b);
          q += (counts(b) - expected) * (counts(b) - expected);
        },
        sum, squares);
    // The sum of squared deviations of uniform numbers has mean n (1 - 1 / bins).
    return sum == n && squares <= (S.one ? 0 : 1.5 * n);
  };
  return p;
}

template <spread S>
prepared group_sum(const exec_space& exec, std::int64_t n) {
  const auto keys = make_view<std::int32_t*>("keys", n);
  const auto values = make_view<double*>("values", n), sums = make_view<double*>("sums", S.bins);
  if (S.one) Kokkos::deep_copy(keys, 3);
  else quern::random::integers(exec, keys, key(1), 0, S.bins);
  Kokkos::parallel_for("values", bench::range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) { values(i) = 1 + i % 3; });
  prepared p{12.0 * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::bincount(exec, sums, keys, quern::weights{values}); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, sums, 0);
                   Kokkos::parallel_for(
                       "plain", bench::range(exec, 0, n),
                       KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_add(&sums(keys(i)), values(i)); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(sums, -7.0); };
  p.right = [=] {
    double sum = 0, squares = 0, total = 0;
    Kokkos::parallel_reduce(
        "total", bench::range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += values(i); }, total);
    Kokkos::parallel_reduce(
        "check", bench::range(0, S.bins),
        KOKKOS_LAMBDA(std::int64_t b, double& s, double& q) {
          const double expected = S.one ? (b == 3 ? total : 0) : total / S.bins;
          s += sums(b);
          q += (sums(b) - expected) * (sums(b) - expected);
        },
        sum, squares);
    return sum == total && squares <= (S.one ? 0 : 1.5 * 14.0 / 3 * n);
  };
  return p;
}

const bool registered = [] {
  bench::add({"histogram_256_f64", {1'000'000, 100'000'000}, 4099, histogram<spread{256}>});
  bench::add({"histogram_256_in_one_f64", {100'000'000}, 4099, histogram<spread{256, true}>});
  bench::add({"histogram_1e6_f64", {100'000'000}, 4099, histogram<spread{1'000'000}>});
  bench::add({"group_sum_1000_f64", {1'000'000, 100'000'000}, 4099, group_sum<spread{1000}>});
  bench::add({"group_sum_1000_in_one_f64", {100'000'000}, 4099, group_sum<spread{1000, true}>});
  bench::add({"group_sum_1e6_f64", {100'000'000}, 4099, group_sum<spread{1'000'000}>});
  return true;
}();

}  // namespace
