// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans of segments: one of everything, one of each value, and a power law. Bytes count the values, the
// offsets and the outputs once. Beside them a thread for each segment, or what Kokkos has for a whole array.

#include <cmath>
#include <quern/core.hpp>
#include <quern/scan.hpp>
#include <random>
#include <vector>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using offset_view = bench::view<std::int64_t*>;

struct plus {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
};

offset_view evenly(std::int64_t segments, std::int64_t n) {
  const auto offsets = make_view<std::int64_t*>("offsets", segments + 1);
  Kokkos::parallel_for(range(0, segments + 1), KOKKOS_LAMBDA(std::int64_t s) { offsets(s) = s * (n / segments); });
  return offsets;
}
/// Lengths of 1 upwards, the longest some millions: the mean of a power law with exponent 1.8, cut off.
offset_view power_law(std::int64_t n) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> offsets{0};
  while (offsets.back() < n) {
    const double u = 1e-9 + static_cast<double>(random() >> 11) * 0x1p-53;
    const auto length = static_cast<std::int64_t>(std::pow(u, -1.25));
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  const auto result = make_view<std::int64_t*>("offsets", offsets.size());
  Kokkos::deep_copy(result,
                    Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        offsets.data(), offsets.size()));
  return result;
}

prepared segmented_sum(const exec_space& exec, std::int64_t n, const offset_view& offsets) {
  const auto segments = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  const auto x = sampled(make_view<double*>("x", n), 1), out = make_view<double*>("out", segments);
  prepared p{8.0 * (n + 2 * segments + 1), 1.0 * n, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::segmented_reduce(exec, out, plus(), 0.0, x, offsets); }},
      {"plain", [=] {
         if (segments == 1) {
           Kokkos::parallel_reduce(
               "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i, double& s) { s += x(i); },
               Kokkos::Sum<double, bench::memory_space>(
                   Kokkos::View<double, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(out.data())));
           return;
         }
         Kokkos::parallel_for(
             "plain", range(exec, 0, segments), KOKKOS_LAMBDA(std::int64_t s) {
               double sum = 0;
               for (std::int64_t v = offsets(s); v < offsets(s + 1); ++v) sum += x(v);
               out(s) = sum;
             });
       }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    double total = 0, expected = 0;
    Kokkos::parallel_reduce(range(0, segments), KOKKOS_LAMBDA(std::int64_t s, double& t) { t += out(s); }, total);
    Kokkos::parallel_reduce(range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& t) { t += x(i); }, expected);
    return Kokkos::abs(total - expected) <= 1e-11 * expected &&
           bench::failures(
               segments, KOKKOS_LAMBDA(std::int64_t s) {
                 if (offsets(s + 1) - offsets(s) > 1000) return true;
                 double sum = 0;
                 for (std::int64_t v = offsets(s); v < offsets(s + 1); ++v) sum += x(v);
                 return Kokkos::abs(out(s) - sum) <= 1e-13 * sum;
               }) == 0;
  };
  return p;
}

prepared segmented_cumsum(const exec_space& exec, std::int64_t n, const offset_view& offsets) {
  const auto segments = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  const auto x = sampled(make_view<double*>("x", n), 1), out = make_view<double*>("out", n);
  prepared p{8.0 * (2 * n + segments + 1), 1.0 * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::segmented_scan(exec, out, plus(), 0.0, x, offsets); }},
                {"plain", [=] {
                   if (segments == 1) {
                     Kokkos::parallel_scan(
                         "plain", range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t v, double& s, bool last) {
                           s += x(v);
                           if (last) out(v) = s;
                         });
                     return;
                   }
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, segments), KOKKOS_LAMBDA(std::int64_t s) {
                         double sum = 0;
                         for (std::int64_t v = offsets(s); v < offsets(s + 1); ++v) out(v) = sum += x(v);
                       });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  const auto starts = make_view<bool*>("starts", n);
  Kokkos::parallel_for(range(0, n), KOKKOS_LAMBDA(std::int64_t v) { starts(v) = false; });
  Kokkos::parallel_for(range(0, segments), KOKKOS_LAMBDA(std::int64_t s) { starts(offsets(s)) = true; });
  const double error = 2.3e-16 * std::sqrt(static_cast<double>(n));  // where what is joined was added one by one
  p.right = [=] {
    return bench::failures(
               n, KOKKOS_LAMBDA(std::int64_t v) {
                 const double before = starts(v) ? 0.0 : out(v - 1);
                 return Kokkos::abs(out(v) - before - x(v)) <= error * out(v);
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  using std::int64_t;
  const std::vector<int64_t> sizes{1'000'000, 100'000'000};
  bench::add({"segmented_one/float64", sizes, 1003,
              [](const exec& e, int64_t n) { return segmented_sum(e, n, evenly(1, n)); }});
  bench::add({"segmented_each/float64", sizes, 1003,
              [](const exec& e, int64_t n) { return segmented_sum(e, n, evenly(n, n)); }});
  bench::add({"segmented_power_law/float64", sizes, 1003,
              [](const exec& e, int64_t n) { return segmented_sum(e, n, power_law(n)); }});
  bench::add({"segmented_scan_one/float64", sizes, 1003,
              [](const exec& e, int64_t n) { return segmented_cumsum(e, n, evenly(1, n)); }});
  bench::add({"segmented_scan_each/float64", sizes, 1003,
              [](const exec& e, int64_t n) { return segmented_cumsum(e, n, evenly(n, n)); }});
  bench::add({"segmented_scan_power_law/float64", sizes, 1003,
              [](const exec& e, int64_t n) { return segmented_cumsum(e, n, power_law(n)); }});
  return true;
}();

}  // namespace
