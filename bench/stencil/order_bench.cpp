// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of order statistics beside a plain loop over the window. Bytes count the input and the output once.

#include <quern/core.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;

/// A cell's result by a loop over the window, values beyond the border being the nearest: the value of a rank, by
/// insertion into what came before, or the least.
template <class T>
struct plain_rank {
  static constexpr int most = 49;
  bench::view<T**> x;
  std::int64_t side;
  int rank;
  KOKKOS_FUNCTION T at(std::int64_t j, std::int64_t i) const {
    return x(Kokkos::clamp<std::int64_t>(j, 0, x.extent(0) - 1), Kokkos::clamp<std::int64_t>(i, 0, x.extent(1) - 1));
  }
  KOKKOS_FUNCTION T operator()(std::int64_t j, std::int64_t i) const {
    const std::int64_t r = side / 2;
    if (rank == 0) {
      T least = at(j - r, i - r);
      for (std::int64_t b = 0; b < side; ++b)
        for (std::int64_t a = 0; a < side; ++a) least = Kokkos::min(least, at(j + b - r, i + a - r));
      return least;
    }
    T sorted[most];
    int n = 0;
    for (std::int64_t b = 0; b < side; ++b)
      for (std::int64_t a = 0; a < side; ++a) {
        const T v = at(j + b - r, i + a - r);
        int k = n++;
        for (; k > 0 && sorted[k - 1] > v; --k) sorted[k] = sorted[k - 1];
        sorted[k] = v;
      }
    return sorted[rank];
  }
};

/// Numbers in [0, 250).
template <class T>
struct fill_range {
  T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] = static_cast<T>(250 * bench::hashed(i, 1)); }
};

template <class T>
prepared rank_of_box(const exec_space& exec, std::int64_t n, int side, int rank) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  const auto x = make_view<T**>("x", n, n), out = make_view<T**>("out", n, n);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<exec_space, Kokkos::IndexType<std::int64_t>>(exec, 0, n * n),
                       fill_range<T>{x.data()});
  const plain_rank<T> cell{x, side, rank};
  prepared p{2.0 * sizeof(T) * static_cast<double>(n * n), 0, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   if (rank == 0) quern::minimum_filter(exec, out, x, side, quern::boundary::nearest);
                   else quern::median_filter(exec, out, x, side, quern::boundary::nearest);
                 }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", policy(exec, {0, 0}, {n, n}),
                       KOKKOS_LAMBDA(std::int64_t j, std::int64_t i) { out(j, i) = cell(j, i); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(77)); };
  p.right = [=] {
    return bench::failures(
               n * n, KOKKOS_LAMBDA(std::int64_t k) { return out(k / n, k % n) == cell(k / n, k % n); }) == 0;
  };
  return p;
}

template <class T>
void add_all(const std::string& type) {
  using std::int64_t;
  const auto name = [&](const std::string& filter, int side) {
    return filter + "_" + std::to_string(side) + "x" + std::to_string(side) + "/" + type + " n2";
  };
  for (const int side : {3, 5, 7})
    bench::add({name("median", side), {4096, 8192}, 62, [=](const exec_space& e, int64_t n) {
                  return rank_of_box<T>(e, n, side, side * side / 2);
                }});
  for (const int side : {3, 9, 31})
    bench::add({name("minimum", side), {4096, 8192}, 62, [=](const exec_space& e, int64_t n) {
                  return rank_of_box<T>(e, n, side, 0);
                }});
}

[[maybe_unused]] const bool registered = [] {
  add_all<float>("float32");
  add_all<std::uint8_t>("uint8");
  return true;
}();

}  // namespace
