// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rolling windows along rows beside the loops that a user would write: over the window of each element, and, of means,
// a running sum of each row, which rounds more and more. Bytes count the input and the output once.

#include <quern/core.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using matrix = bench::view<double**>;

/// A result by a loop over its window.
template <bool Mean>
struct over_window {
  matrix x, out;
  std::int64_t count;
  KOKKOS_FUNCTION double operator()(std::int64_t j, std::int64_t i) const {
    const std::int64_t first = Kokkos::max<std::int64_t>(i + 1 - count, 0);
    double s = x(j, first);
    for (std::int64_t k = first + 1; k <= i; ++k) s = Mean ? s + x(j, k) : Kokkos::min(s, x(j, k));
    return Mean ? s / static_cast<double>(i + 1 - first) : s;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    const std::int64_t n = x.extent(1);
    out(at / n, at % n) = (*this)(at / n, at % n);
  }
};

/// The means of a row by a running sum.
struct running_mean {
  matrix x, out;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    double s = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.extent(1)); ++i) {
      s += x(j, i);
      if (i >= count) s -= x(j, i - count);
      out(j, i) = s / static_cast<double>(Kokkos::min(i + 1, count));
    }
  }
};

template <bool Mean>
prepared rolling_rows(const exec_space& exec, std::int64_t rows, std::int64_t n, std::int64_t count) {
  using op = std::conditional_t<Mean, quern::op::mean, quern::op::min>;
  const matrix x = bench::sampled(make_view<double**>("x", rows, n), 1), out = make_view<double**>("out", rows, n);
  prepared p{2.0 * sizeof(double) * static_cast<double>(rows * n), 0, {}, {}, {}};
  const quern::window window{.count = count, .min_periods = 1};
  p.variants = {{"quern", [=] { quern::rolling<op>(exec, out, x, window); }}};
  const over_window<Mean> plain{x, out, count};
  if (count <= 100)
    p.variants.push_back({"plain", [=] { Kokkos::parallel_for("plain", bench::range(exec, 0, rows * n), plain); }});
  if (Mean)
    p.variants.push_back(
        {"plain", [=] { Kokkos::parallel_for("plain", bench::range(exec, 0, rows), running_mean{x, out, count}); }});
  p.poison = [=] { Kokkos::deep_copy(out, 77.0); };
  p.right = [=] {
    return bench::failures(
               1000, KOKKOS_LAMBDA(std::int64_t k) {
                 const std::int64_t j = k * 7919 % rows, i = k * 104729 % n;
                 return Kokkos::abs(out(j, i) - plain(j, i)) < 1e-9;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using std::int64_t;
  for (const int64_t count : {10, 1000}) {
    const std::string window = "_of_" + std::to_string(count) + "/float64 ";
    bench::add({"rolling_mean" + window + "n2", {1024, 4096}, 62, [=](const exec_space& e, int64_t n) {
                  return rolling_rows<true>(e, n, n, count);
                }});
    bench::add({"rolling_min" + window + "n2", {1024, 4096}, 62, [=](const exec_space& e, int64_t n) {
                  return rolling_rows<false>(e, n, n, count);
                }});
    bench::add({"rolling_mean" + window + "line", {1 << 20, 1 << 24}, 5001, [=](const exec_space& e, int64_t n) {
                  return rolling_rows<true>(e, 1, n, count);
                }});
  }
  return true;
}();

}  // namespace
