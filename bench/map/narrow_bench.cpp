// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps of narrow integers, and of arrays of two layouts. Bytes count each input read and each output written once.

#include <quern/core.hpp>
#include <quern/map.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;

struct affine {
  KOKKOS_FUNCTION std::int8_t operator()(std::int8_t x) const { return static_cast<std::int8_t>(3 * x + 1); }
};

prepared map_int8(const exec_space& exec, int64_t n) {
  const auto x = make_view<std::int8_t*>("x", n), y = make_view<std::int8_t*>("y", n);
  Kokkos::parallel_for(
      range(0, n), KOKKOS_LAMBDA(int64_t i) { x(i) = static_cast<std::int8_t>(255 * bench::hashed(i, 1) - 128); });
  prepared p{2.0 * n, 2.0 * n, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::map(exec, y, affine(), x); }},
      {"plain",
       [=] { Kokkos::parallel_for("plain", range(exec, 0, n), KOKKOS_LAMBDA(int64_t i) { y(i) = affine()(x(i)); }); }}};
  p.poison = [=] { Kokkos::deep_copy(y, std::int8_t{99}); };
  p.right = [=] { return bench::failures(n, KOKKOS_LAMBDA(int64_t i) { return y(i) == affine()(x(i)); }) == 0; };
  return p;
}

prepared add_transposed(const exec_space& exec, int64_t n) {
  const auto x = sampled(make_view<double**>("x", n, n), 1), z = make_view<double**>("z", n, n);
  const Kokkos::View<double**, Kokkos::LayoutLeft, bench::memory_space> y("y", n, n);
  Kokkos::parallel_for("fill", range(exec, 0, n * n), bench::fill_hashed<double>{y.data(), 2});
  prepared p{24.0 * n * n, 1.0 * n * n, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::map(exec, z, KOKKOS_LAMBDA(double a, double b) { return a + b; }, x, y); }},
      {"plain", [=] {
         Kokkos::parallel_for(
             "plain",
             Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<int64_t>>(exec, {0, 0}, {n, n}),
             KOKKOS_LAMBDA(int64_t i, int64_t j) { z(i, j) = x(i, j) + y(i, j); });
       }}};
  p.poison = [=] { Kokkos::deep_copy(z, -7.0); };
  p.right = [=] {
    return bench::failures(
               n * n, KOKKOS_LAMBDA(int64_t k) { return z(k / n, k % n) == x(k / n, k % n) + y(k / n, k % n); }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  bench::add({"affine/int8", {399'999'999, 400'000'000}, 1003, map_int8});
  bench::add({"add_transposed/float64 n2", {8000, 8001}, 61, add_transposed});
  return true;
}();

}  // namespace
