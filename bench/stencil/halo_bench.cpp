// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ghost cells beside a loop for each side. Bytes count each ghost once, and the cell that it is a copy of.

#include <quern/core.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;

/// Where index i of an axis with `depth` ghosts around n cells is found, where it wraps around.
KOKKOS_FUNCTION int64_t wrapped(int64_t i, int64_t n, int64_t depth) {
  return i < depth ? i + n : i >= n + depth ? i - n : i;
}

prepared planes(const exec_space& exec, int64_t n, int depth) {
  const int64_t m = n + 2 * depth;
  const auto u = sampled(make_view<double**>("u", m, m), 1);
  const quern::boundaries edges(quern::boundary::wrap);
  prepared p{16.0 * static_cast<double>(m * m - n * n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::fill_halo(exec, u, edges, quern::depth{depth}); }},
                {"plain", [=] {
                   const auto side = [&](const auto& f) { Kokkos::parallel_for("plain", range(exec, 0, m), f); };
                   side(KOKKOS_LAMBDA(int64_t i) {
                     for (int k = 0; k < depth; ++k) u(k, i) = u(n + k, i);
                   });
                   side(KOKKOS_LAMBDA(int64_t i) {
                     for (int k = 0; k < depth; ++k) u(n + depth + k, i) = u(depth + k, i);
                   });
                   side(KOKKOS_LAMBDA(int64_t j) {
                     for (int k = 0; k < depth; ++k) u(j, k) = u(j, n + k);
                   });
                   side(KOKKOS_LAMBDA(int64_t j) {
                     for (int k = 0; k < depth; ++k) u(j, n + depth + k) = u(j, depth + k);
                   });
                 }}};
  p.poison = [=] { quern::fill_halo(exec, u, quern::boundary::constant(-77), quern::depth{depth}); };
  p.right = [=] {
    return bench::failures(
               m * m, KOKKOS_LAMBDA(int64_t e) {
                 return u(e / m, e % m) == u(wrapped(e / m, n, depth), wrapped(e % m, n, depth)) &&
                        u(e / m, e % m) >= 0;
               }) == 0;
  };
  return p;
}

prepared cubes(const exec_space& exec, int64_t n, int depth) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<int64_t>>;
  const int64_t m = n + 2 * depth;
  const auto u = sampled(make_view<double***>("u", m, m, m), 1);
  const quern::boundaries edges(quern::boundary::wrap);
  prepared p{16.0 * static_cast<double>(m * m * m - n * n * n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::fill_halo(exec, u, edges, quern::depth{depth}); }},
                {"plain", [=] {
                   const auto side = [&](const auto& f) {
                     Kokkos::parallel_for("plain", policy(exec, {0, 0}, {m, m}), f);
                   };
                   side(KOKKOS_LAMBDA(int64_t j, int64_t i) {
                     for (int k = 0; k < depth; ++k) u(k, j, i) = u(n + k, j, i);
                   });
                   side(KOKKOS_LAMBDA(int64_t j, int64_t i) {
                     for (int k = 0; k < depth; ++k) u(n + depth + k, j, i) = u(depth + k, j, i);
                   });
                   side(KOKKOS_LAMBDA(int64_t j, int64_t i) {
                     for (int k = 0; k < depth; ++k) u(j, k, i) = u(j, n + k, i);
                   });
                   side(KOKKOS_LAMBDA(int64_t j, int64_t i) {
                     for (int k = 0; k < depth; ++k) u(j, n + depth + k, i) = u(j, depth + k, i);
                   });
                   side(KOKKOS_LAMBDA(int64_t j, int64_t i) {
                     for (int k = 0; k < depth; ++k) u(j, i, k) = u(j, i, n + k);
                   });
                   side(KOKKOS_LAMBDA(int64_t j, int64_t i) {
                     for (int k = 0; k < depth; ++k) u(j, i, n + depth + k) = u(j, i, depth + k);
                   });
                 }}};
  p.poison = [=] { quern::fill_halo(exec, u, quern::boundary::constant(-77), quern::depth{depth}); };
  p.right = [=] {
    return bench::failures(
               m * m * m, KOKKOS_LAMBDA(int64_t e) {
                 const int64_t k = e / (m * m), j = e / m % m, i = e % m;
                 return u(k, j, i) >= 0 &&
                        u(k, j, i) == u(wrapped(k, n, depth), wrapped(j, n, depth), wrapped(i, n, depth));
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  for (const int depth : {1, 2}) {
    const std::string layers = depth == 1 ? "1 layer" : "2 layers";
    bench::add({"fill_halo/float64 n2, " + layers, {512, 4'096}, 21, [=](const exec& e, int64_t n) {
                  return planes(e, n, depth);
                }});
    bench::add({"fill_halo/float64 n3, " + layers, {64, 256}, 11, [=](const exec& e, int64_t n) {
                  return cubes(e, n, depth);
                }});
  }
  return true;
}();

}  // namespace
