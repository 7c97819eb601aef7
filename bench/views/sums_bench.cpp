// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of re-indexed arrays. Bytes count each element once.

#include <quern/core.hpp>
#include <quern/reduce.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::sampled;
using std::int64_t;
using matrix = bench::view<float**>;
using result = bench::view<double>;

struct as_double {
  KOKKOS_FUNCTION double operator()(float x) const { return x; }
};

matrix values(int64_t n) { return sampled(make_view<float**>("x", n, n), 1); }

/// The sum of x re-indexed, whose other elements are 0, beside that of x itself by a plain loop.
template <class Array>
prepared sums(const exec_space& exec, int64_t n, const matrix& x, const Array& re_indexed) {
  const result out = make_view<double>("out");
  prepared p{4.0 * n * n, 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::sum(exec, out, quern::lazy(as_double(), re_indexed)); }},
                {"plain", [=] {
                   Kokkos::parallel_reduce(
                       "plain", bench::range(exec, 0, n * n), KOKKOS_LAMBDA(int64_t i, double& s) { s += x.data()[i]; },
                       out);
                 }}};
  double expected = 0;
  Kokkos::parallel_reduce(
      "expected", bench::range(exec, 0, n * n), KOKKOS_LAMBDA(int64_t i, double& s) { s += x.data()[i]; }, expected);
  p.poison = [=] { Kokkos::deep_copy(out, -7.0); };
  p.right = [=] {
    double sum = 0;
    Kokkos::deep_copy(sum, out);
    return Kokkos::abs(sum - expected) < 1e-9 * expected;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  using quern::axes;
  bench::add({"sum_of_roll/float32 n2", {10'001}, 61, [](const exec_space& e, int64_t n) {
                const matrix x = values(n);
                return sums(e, n, x, quern::roll(x, {5, -3}, axes{0, 1}));
              }});
  bench::add({"sum_of_flip/float32 n2", {10'001}, 61, [](const exec_space& e, int64_t n) {
                const matrix x = values(n);
                return sums(e, n, x, quern::flip(x));
              }});
  bench::add({"sum_of_pad/float32 n2", {10'001}, 61, [](const exec_space& e, int64_t n) {
                const matrix x = values(n);
                return sums(e, n, x, quern::pad(x, {{1, 2}, {3, 4}}));
              }});
  bench::add({"sum_of_reshape/float32 n2", {10'001}, 61, [](const exec_space& e, int64_t n) {
                const matrix x = values(n);
                return sums(e, n, x, quern::reshape(x, {-1}));
              }});
  return true;
}();

}  // namespace
