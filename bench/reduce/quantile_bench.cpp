// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Medians, beside a sort of everything and a quickselect of a thread for each line. Bytes count each input read and
// each output written once.

#include <Kokkos_Sort.hpp>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;

prepared median(const exec_space& exec, std::int64_t n) {
  const auto x = sampled(make_view<double*>("x", n), 1), sorted = make_view<double*>("sorted", n);
  const auto out = make_view<double>("out");
  prepared p{8.0 * n, 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::median(exec, out, x); }},
                {"plain_sort", [=] {
                   Kokkos::deep_copy(exec, sorted, x);
                   Kokkos::sort(exec, sorted);
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, 1),
                       KOKKOS_LAMBDA(std::int64_t) { out() = (sorted((n - 1) / 2) + sorted(n / 2)) / 2; });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    const double m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out)();
    const auto above = bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i) <= m; });
    const auto below = bench::failures(n, KOKKOS_LAMBDA(std::int64_t i) { return x(i) >= m; });
    return 2 * above <= n && 2 * below <= n;
  };
  return p;
}

/// Element k in order, by Hoare's selection; changes the line.
template <class Line>
KOKKOS_FUNCTION double quickselect(const Line& v, std::int64_t k) {
  std::int64_t first = 0, last = static_cast<std::int64_t>(v.extent(0)) - 1;
  while (first < last) {
    const double pivot = v((first + last) / 2);
    std::int64_t i = first, j = last;
    while (i <= j) {
      while (v(i) < pivot) ++i;
      while (v(j) > pivot) --j;
      if (i <= j) {
        const double swapped = v(i);
        v(i++) = v(j);
        v(j--) = swapped;
      }
    }
    if (k <= j) last = j;
    else if (k >= i) first = i;
    else break;
  }
  return v(k);
}

/// Every array is before x along x after; the number along the one in the middle is odd.
prepared median_along(const exec_space& exec, std::int64_t before, std::int64_t along, std::int64_t after) {
  const auto x = sampled(make_view<double***>("x", before, along, after), 1);
  const auto copy = make_view<double***>("copy", before, along, after);
  const auto out = make_view<double**>("out", before, after);
  prepared p{8.0 * before * after * (along + 1), 1.0 * before * along * after, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::median(exec, out, x, quern::axis{1}); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, copy, x);
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, before * after), KOKKOS_LAMBDA(std::int64_t r) {
                         const std::int64_t i = r / after, k = r % after;
                         out(i, k) = quickselect(Kokkos::subview(copy, i, Kokkos::ALL, k), along / 2);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    return bench::failures(
               before * after, KOKKOS_LAMBDA(std::int64_t r) {
                 const std::int64_t i = r / after, k = r % after;
                 std::int64_t below = 0, above = 0;
                 for (std::int64_t j = 0; j < along; ++j) {
                   below += x(i, j, k) < out(i, k) ? 1 : 0;
                   above += x(i, j, k) > out(i, k) ? 1 : 0;
                 }
                 return below <= along / 2 && above <= along / 2;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  using std::int64_t;
  bench::add({"median/float64", {1'000'000, 100'000'000}, 1003, median});
  const auto add = [](const std::string& name, std::vector<int64_t> sizes, bench::prepare make) {
    bench::add({name, std::move(sizes), 33, std::move(make)});
  };
  add("median_axis0/float64 9xn", {10'000'000}, [](const exec& e, int64_t n) { return median_along(e, 1, 9, n); });
  add("median_axis0/float64 31xn", {3'000'000}, [](const exec& e, int64_t n) { return median_along(e, 1, 31, n); });
  add("median_axis0/float64 101xn", {1'000'000}, [](const exec& e, int64_t n) { return median_along(e, 1, 101, n); });
  add("median_axis1/float64 nx101", {1'000'000}, [](const exec& e, int64_t n) { return median_along(e, n, 101, 1); });
  for (const int64_t along : {301, 1001, 3001})  // about 1.2e8 numbers
    add("median_axis1/float64 nx" + std::to_string(along), {120'040'000 / along},
        [along](const exec& e, int64_t n) { return median_along(e, n, along, 1); });
  add("median_axis0/float64 9999xn", {10'000}, [](const exec& e, int64_t n) { return median_along(e, 1, 9999, n); });
  add("median_axis1/float64 nx9999", {10'000}, [](const exec& e, int64_t n) { return median_along(e, n, 9999, 1); });
  return true;
}();

}  // namespace
