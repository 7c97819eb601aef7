// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans beside parallel_scan and a loop for each line. Bytes count each input read and each output written once.

#include <algorithm>
#include <cmath>
#include <memory>
#include <quern/core.hpp>
#include <quern/scan.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

/// Every array is before x along x after, and scanned along the one in the middle.
template <class T = double, class... Option>
prepared cumsum_along(const exec_space& exec, std::int64_t before, std::int64_t along, std::int64_t after,
                      Option... option) {
  const auto x = sampled(make_view<T***>("x", before, along, after), 1);
  const auto out = make_view<T***>("out", before, along, after);
  prepared p{2.0 * sizeof(T) * before * along * after, 1.0 * before * along * after, {}, {}, {}};
  const double epsilon = sizeof(T) == 4 ? 1.2e-7 : 2.3e-16, n = static_cast<double>(along);
  // What pairwise summation guarantees of two sums; of a plain loop what its n roundings are, or so little of its sum
  // as floats of 2e8 elements have lost by then.
  const double pairwise = 2 * std::log2(n + 2) * epsilon, in_a_row = std::min(2 * n * epsilon, 0.01);
  const auto rounding = std::make_shared<double>(pairwise);  // of the variant that has run last
  p.variants = {{"quern",
                 [=] {
                   *rounding = pairwise;
                   quern::cumsum(exec, out, x, quern::axis{1}, option...);
                 }},
                {"plain", [=] {
                   *rounding = std::max(pairwise, in_a_row);
                   if (before * after == 1) {
                     Kokkos::parallel_scan(
                         "plain", range(exec, 0, along), KOKKOS_LAMBDA(std::int64_t j, T& s, bool last) {
                           s += x(0, j, 0);
                           if (last) out(0, j, 0) = s;
                         });
                   } else {
                     Kokkos::parallel_for(
                         "plain", range(exec, 0, before * after), KOKKOS_LAMBDA(std::int64_t r) {
                           const std::int64_t i = r / after, k = r % after;
                           T s = 0;
                           for (std::int64_t j = 0; j < along; ++j) out(i, j, k) = s += x(i, j, k);
                         });
                   }
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    const double bound = *rounding;
    return bench::failures(
               before * along * after, KOKKOS_LAMBDA(std::int64_t at) {
                 const std::int64_t k = at % after, j = at / after % along, i = at / after / along;
                 const double from = j == 0 ? 0.0 : out(i, j - 1, k), to = out(i, j, k);
                 return Kokkos::abs(to - from - x(i, j, k)) <= bound * to;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  using std::int64_t;
  const auto add = [](const char* name, std::vector<int64_t> sizes, bench::prepare make) {
    bench::add({name, std::move(sizes), 33, std::move(make)});
  };
  bench::add({"cumsum/float64", {1'000'000, 100'000'000}, 1003, [](const exec& e, int64_t n) {
                return cumsum_along(e, 1, n, 1);
              }});
  bench::add({"cumsum/float32", {200'000'000}, 10'007, [](const exec& e, int64_t n) {
                return cumsum_along<float>(e, 1, n, 1);
              }});
  add("cumsum_reproducible/float64", {100'000'000},
      [](const exec& e, int64_t n) { return cumsum_along(e, 1, n, 1, quern::reproducible); });
  add("cumsum_axis0/float64 n2", {10'000}, [](const exec& e, int64_t n) { return cumsum_along(e, 1, n, n); });
  add("cumsum_axis1/float64 n2", {10'000}, [](const exec& e, int64_t n) { return cumsum_along(e, n, n, 1); });
  add("cumsum_axis0/float64 n3", {512}, [](const exec& e, int64_t n) { return cumsum_along(e, 1, n, n * n); });
  add("cumsum_axis1/float64 n3", {512}, [](const exec& e, int64_t n) { return cumsum_along(e, n, n, n); });
  add("cumsum_axis2/float64 n3", {512}, [](const exec& e, int64_t n) { return cumsum_along(e, n * n, n, 1); });
  return true;
}();

}  // namespace
