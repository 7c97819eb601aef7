// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of run-time sizes beside a plain loop over the window. Bytes count the input and the output once.

#include <cmath>
#include <quern/core.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::sampled;
using matrix = bench::view<float**>;

/// What every filter here is: the sum over a window of `side` with weights, values beyond the border being the nearest.
struct plain_window {
  matrix x, weights;
  std::int64_t side;
  KOKKOS_FUNCTION float operator()(std::int64_t j, std::int64_t i) const {
    const std::int64_t rows = x.extent(0), columns = x.extent(1), r = side / 2;
    float s = 0;
    for (std::int64_t b = 0; b < side; ++b)
      for (std::int64_t a = 0; a < side; ++a)
        s += weights(b, a) * x(Kokkos::clamp<std::int64_t>(j + b - r, 0, rows - 1),
                               Kokkos::clamp<std::int64_t>(i + a - r, 0, columns - 1));
    return s;
  }
};

/// Called with the output, the weights and the input.
using filter_call = std::function<void(const exec_space&, const matrix&, const matrix&, const matrix&)>;

prepared filter(const exec_space& exec, std::int64_t n, const std::vector<float>& line, const filter_call& call) {
  using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  const auto side = static_cast<std::int64_t>(line.size());
  const auto x = sampled(make_view<float**>("x", n, n), 1), out = make_view<float**>("out", n, n);
  const auto weights = make_view<float**>("weights", side, side);
  const auto host = Kokkos::create_mirror_view(weights);
  for (std::int64_t b = 0; b < side; ++b)
    for (std::int64_t a = 0; a < side; ++a) host(b, a) = line[b] * line[a];
  Kokkos::deep_copy(weights, host);
  const plain_window cell{x, weights, side};
  prepared p{8.0 * n * n, 2.0 * side * side * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { call(exec, out, weights, x); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", policy(exec, {0, 0}, {n, n}),
                       KOKKOS_LAMBDA(std::int64_t j, std::int64_t i) { out(j, i) = cell(j, i); });
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -77.0f); };
  p.right = [=] {
    return bench::failures(
               n * n, KOKKOS_LAMBDA(std::int64_t k) {
                 return Kokkos::abs(out(k / n, k % n) - cell(k / n, k % n)) <= 1e-5f;
               }) == 0;
  };
  return p;
}

prepared correlate(const exec_space& exec, std::int64_t n, int side) {
  std::vector<float> line(side);
  for (int i = 0; i < side; ++i) line[i] = static_cast<float>(i + 1) / static_cast<float>(side * side);
  return filter(exec, n, line, [](const exec_space& on, const matrix& out, const matrix& w, const matrix& x) {
    quern::correlate(on, out, x, w, quern::boundary::nearest);
  });
}
prepared uniform(const exec_space& exec, std::int64_t n, int side) {
  return filter(exec, n, std::vector<float>(side, 1.0f / static_cast<float>(side)),
                [=](const exec_space& on, const matrix& out, const matrix&, const matrix& x) {
                  quern::uniform_filter(on, out, x, side, quern::boundary::nearest);
                });
}
prepared gaussian(const exec_space& exec, std::int64_t n, double sigma) {
  std::vector<float> line;
  for (const double w : quern::impl::gaussian_weights("bench", sigma, 4)) line.push_back(static_cast<float>(w));
  return filter(exec, n, line, [=](const exec_space& on, const matrix& out, const matrix&, const matrix& x) {
    quern::gaussian_filter(on, out, x, sigma, quern::boundary::nearest);
  });
}

[[maybe_unused]] const bool registered = [] {
  using exec = exec_space;
  using std::int64_t;
  for (const int side : {3, 5, 7, 11})
    bench::add({"correlate_" + std::to_string(side) + "x" + std::to_string(side) + "/float32 n2",
                {8191, 10'000},
                61,
                [=](const exec& e, int64_t n) { return correlate(e, n, side); }});
  for (const int side : {3, 9, 15})
    bench::add({"uniform_" + std::to_string(side) + "x" + std::to_string(side) + "/float32 n2",
                {8191, 10'000},
                61,
                [=](const exec& e, int64_t n) { return uniform(e, n, side); }});
  for (const int sigma : {1, 2})
    bench::add({"gaussian_" + std::to_string(sigma) + "/float32 n2", {8191, 10'000}, 61, [=](const exec& e, int64_t n) {
                  return gaussian(e, n, sigma);
                }});
  return true;
}();

}  // namespace
