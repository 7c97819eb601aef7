// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What moves data once: arrays that are joined, and copies of re-indexed ones, beside a plain loop over the output's
// elements. Bytes count each element that is read and each that is written once.

#include <functional>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/transfer.hpp>
#include <tuple>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::sampled;
using std::int64_t;
using line = bench::view<float*>;
using matrix = bench::view<float**>;
using cube = bench::view<float***>;

/// `expected(i)` is the element i of the output in row-major order.
template <class Out, class Expected>
prepared moves(const exec_space& exec, const Out& out, double read, const std::function<void()>& call,
               const Expected& expected) {
  const int64_t n = out.size();
  const auto written = out.data();
  prepared p{sizeof(float) * (read + static_cast<double>(n)), 0, {}, {}, {}};
  p.variants = {{"quern", call}, {"plain", [=] {
                                    Kokkos::parallel_for(
                                        "plain", bench::range(exec, 0, n),
                                        KOKKOS_LAMBDA(int64_t i) { written[i] = expected(i); });
                                  }}};
  p.poison = [=] { Kokkos::deep_copy(out, -7.0f); };
  p.right = [=] { return bench::failures(n, KOKKOS_LAMBDA(int64_t i) { return written[i] == expected(i); }) == 0; };
  return p;
}

prepared join(const exec_space& exec, int64_t n) {
  const line x = sampled(make_view<float*>("x", n), 1), y = sampled(make_view<float*>("y", n), 2);
  const line out = make_view<float*>("out", 2 * n);
  return moves(
      exec, out, 2.0 * n, [=] { quern::concatenate(exec, out, std::tuple(x, y)); },
      KOKKOS_LAMBDA(int64_t i) { return i < n ? x(i) : y(i - n); });
}
prepared differences(const exec_space& exec, int64_t n) {
  const line x = sampled(make_view<float*>("x", n + 1), 1), out = make_view<float*>("out", n);
  return moves(
      exec, out, 1.0 * n, [=] { quern::diff(exec, out, x); }, KOKKOS_LAMBDA(int64_t i) { return x(i + 1) - x(i); });
}
prepared clipped(const exec_space& exec, int64_t n) {
  const line x = sampled(make_view<float*>("x", n), 1), out = make_view<float*>("out", n);
  return moves(
      exec, out, 1.0 * n, [=] { quern::clip(exec, out, x, 0.25f, 0.75f); },
      KOKKOS_LAMBDA(int64_t i) { return Kokkos::clamp(x(i), 0.25f, 0.75f); });
}

prepared rolled(const exec_space& exec, int64_t n) {
  const line x = sampled(make_view<float*>("x", n), 1), out = make_view<float*>("out", n);
  return moves(
      exec, out, 1.0 * n, [=] { quern::copy(exec, out, quern::roll(x, 1001)); },
      KOKKOS_LAMBDA(int64_t i) { return x((i + n - 1001 % n) % n); });
}
prepared rolled_rows(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", n, n);
  return moves(
      exec, out, 1.0 * n * n, [=] { quern::copy(exec, out, quern::roll(x, {5, -3}, quern::axes{0, 1})); },
      KOKKOS_LAMBDA(int64_t i) { return x((i / n + n - 5) % n, (i % n + 3) % n); });
}
prepared padded(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", n + 3, n + 7);
  return moves(
      exec, out, 1.0 * n * n, [=] { quern::copy(exec, out, quern::pad(x, {{1, 2}, {3, 4}}, quern::pad_mode::edge)); },
      KOKKOS_LAMBDA(int64_t i) {
        return x(Kokkos::clamp<int64_t>(i / (n + 7) - 1, 0, n - 1), Kokkos::clamp<int64_t>(i % (n + 7) - 3, 0, n - 1));
      });
}
prepared flipped(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", n, n);
  return moves(
      exec, out, 1.0 * n * n, [=] { quern::copy(exec, out, quern::flip(x)); },
      KOKKOS_LAMBDA(int64_t i) { return x.data()[n * n - 1 - i]; });
}
prepared repeated(const exec_space& exec, int64_t n) {
  const line x = sampled(make_view<float*>("x", n), 1), out = make_view<float*>("out", 3 * n);
  return moves(
      exec, out, 1.0 * n, [=] { quern::copy(exec, out, quern::repeat(x, 3)); },
      KOKKOS_LAMBDA(int64_t i) { return x(i / 3); });
}
prepared tiled(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", 2 * n, 3 * n);
  return moves(
      exec, out, 1.0 * n * n, [=] { quern::copy(exec, out, quern::tile(x, {2, 3})); },
      KOKKOS_LAMBDA(int64_t i) { return x(i / (3 * n) % n, i % n); });
}
/// Rows of K elements.
template <int K>
prepared rows_repeated(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, K), 1), out = make_view<float**>("out", 3 * n, K);
  return moves(
      exec, out, 1.0 * n * K, [=] { quern::copy(exec, out, quern::repeat(x, 3, quern::axis{0})); },
      KOKKOS_LAMBDA(int64_t i) { return x(i / K / 3, i % K); });
}
template <int K>
prepared rows_tiled(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, K), 1), out = make_view<float**>("out", 2 * n, 3 * K);
  return moves(
      exec, out, 1.0 * n * K, [=] { quern::copy(exec, out, quern::tile(x, {2, 3})); },
      KOKKOS_LAMBDA(int64_t i) { return x(i / (3 * K) % n, i % K); });
}
template <int First, int Second, int Third>
prepared permuted(const exec_space& exec, int64_t n) {
  const cube x = sampled(make_view<float***>("x", n, n + 1, n + 2), 1);
  const int64_t e[]{n, n + 1, n + 2}, b = e[Second], c = e[Third];
  const cube out = make_view<float***>("out", e[First], b, c);
  return moves(
      exec, out, 1.0 * static_cast<double>(x.size()),
      [=] { quern::copy(exec, out, quern::permute_dims(x, {First, Second, Third})); },
      KOKKOS_LAMBDA(int64_t i) {
        int64_t at[3];
        at[First] = i / (b * c), at[Second] = i / c % b, at[Third] = i % c;
        return x(at[0], at[1], at[2]);
      });
}

bench::view<int64_t*> random_indices(int64_t n) {
  const auto at = make_view<int64_t*>("at", n);
  Kokkos::parallel_for(
      "fill", bench::range(0, n), KOKKOS_LAMBDA(int64_t i) { at(i) = static_cast<int64_t>(n * bench::hashed(i, 3)); });
  Kokkos::fence();
  return at;
}
template <int K>
prepared rows_taken(const exec_space& exec, int64_t n) {
  const matrix x = sampled(make_view<float**>("x", n, K), 1), out = make_view<float**>("out", n, K);
  const auto at = random_indices(n);
  return moves(
      exec, out, 1.0 * n * K + 2.0 * n,
      [=] { quern::copy(exec, out, quern::take(x, at, quern::axis{0}, quern::index_mode::wrap)); },
      KOKKOS_LAMBDA(int64_t i) { return x(at(i / K), i % K); });
}
/// The bound is a cache line for each element, so that bytes over time say little: the plain loop is what to compare
/// with.
prepared elements_taken(const exec_space& exec, int64_t n) {
  const line x = sampled(make_view<float*>("x", n), 1), out = make_view<float*>("out", n);
  const auto at = random_indices(n);
  return moves(
      exec, out, 3.0 * n, [=] { quern::copy(exec, out, quern::take(x, at, quern::axis{0}, quern::index_mode::wrap)); },
      KOKKOS_LAMBDA(int64_t i) { return x(at(i)); });
}

[[maybe_unused]] const bool registered = [] {
  // Outputs of 1e7 elements and of about 1e8.
  bench::add({"concatenate/float32", {5'000'000, 50'000'000}, 1003, join});
  bench::add({"diff/float32", {10'000'000, 100'000'000}, 1003, differences});
  bench::add({"clip/float32", {10'000'000, 100'000'000}, 1003, clipped});
  bench::add({"copy_roll/float32", {10'000'000, 100'000'000}, 1003, rolled});
  bench::add({"copy_roll/float32 n2", {3163, 10'001}, 61, rolled_rows});
  bench::add({"copy_pad/float32 n2", {3163, 10'000}, 61, padded});
  bench::add({"copy_flip/float32 n2", {3163, 10'001}, 61, flipped});
  bench::add({"copy_repeat_3/float32", {4'000'000, 30'000'000}, 1003, repeated});
  bench::add({"copy_tile_2x3/float32 n2", {1301, 4001}, 61, tiled});
  bench::add({"copy_permute_210/float32 n3", {215, 451}, 17, permuted<2, 1, 0>});
  bench::add({"copy_permute_021/float32 n3", {215, 451}, 17, permuted<0, 2, 1>});
  bench::add({"copy_permute_102/float32 n3", {215, 451}, 17, permuted<1, 0, 2>});
  bench::add({"copy_take_rows_of_64/float32", {160'000, 1'500'000}, 103, rows_taken<64>});
  bench::add({"copy_take_rows_of_3/float32", {3'400'000, 20'000'000}, 103, rows_taken<3>});
  bench::add({"copy_take_rows_of_100/float32", {1000, 1'000'000}, 103, rows_taken<100>});
  bench::add({"copy_repeat_rows_of_4/float32", {25'000, 10'000'000}, 103, rows_repeated<4>});
  bench::add({"copy_repeat_rows_of_100/float32", {1000, 400'000}, 103, rows_repeated<100>});
  bench::add({"copy_tile_rows_of_4/float32", {25'000, 5'000'000}, 103, rows_tiled<4>});
  bench::add({"copy_tile_rows_of_100/float32", {1000, 200'000}, 103, rows_tiled<100>});
  bench::add({"copy_take/float32", {10'000'000, 100'000'000}, 1003, elements_taken});
  return true;
}();

}  // namespace
