// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a consumer writes; tools/check_vector_calls.py looks which vector functions its object calls.

#include <Kokkos_Core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/stencil.hpp>

using array = Kokkos::View<double*, Kokkos::HostSpace>;
using floats = Kokkos::View<float*, Kokkos::HostSpace>;

void all_in_map(const array& y, const array& x) {
  quern::map(y, [](double v) { return quern::math::sin(v) + 2 * quern::math::exp2(v); }, x);
  quern::map(y, [](double v) { return Kokkos::max(v, 0.0) + quern::math::expm1(Kokkos::min(v, 0.0)); }, x);
  quern::map(y, [](double a, double b) { return quern::math::pow(a, b); }, x, y);
}
void floats_in_map(const floats& y, const floats& x) {
  quern::map(y, [](float v) { return quern::math::tanh(v); }, x);
}
double lazy_in_a_reduction(const array& x) {
  return quern::sum(quern::lazy([](double v) { return quern::math::log2(v); }, x));
}
// At -O2 with AVX-512 alone, whose vectors have masks; at -O3 with all.
void behind_a_condition(const array& y, const array& x) {
  quern::map(y, [](double v) { return v > 0 ? v : 1.67 * quern::math::exp(v) - 1.67; }, x);
}
// At -O3 alone: rows of cells are loops of a length that is known at run time, and at -O2 g++'s cost model
// ("very-cheap") takes loops whose number of steps is known when compiling, as those of maps and reductions over blocks
// are.
void in_a_stencil(const array& y, const array& x) {
  quern::stencil<quern::star<1>>(
      y, [](const auto& w) { return quern::math::log1p(w(1) - w(-1)); }, quern::boundary::nearest, x);
}
