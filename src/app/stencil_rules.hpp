// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_STENCIL_RULES_HPP
#define QUERN_APP_STENCIL_RULES_HPP

/// @file
/// The functors of the stencil workloads, which program and benchmarks share.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/map.hpp>

namespace app {

/// The mean of the 3 x 3 neighbourhood, rounded down.
struct smooth3x3 {
  template <class Window>
  KOKKOS_FUNCTION int operator()(const Window& w) const {
    int sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) sum += w(j, i);
    return quern::math::floor_divide<9>(sum);
  }
};

/// The 7-point Laplacian of unit spacing.
struct laplace7 {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(-1, 0, 0) + w(1, 0, 0) + w(0, -1, 0) + w(0, 1, 0) + w(0, 0, -1) + w(0, 0, 1) - 6 * w(0, 0, 0);
  }
};

/// An explicit step of the heat equation.
struct heat_step {
  double rate;  // diffusivity * time step / spacing^2
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(0, 0, 0) + rate * laplace7()(w);
  }
};

/// The matrix of a 5-point problem times p, and the product that p.w is the sum of.
struct apply5 {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& p) const {
    const double w = 4 * p(0, 0) - p(-1, 0) - p(1, 0) - p(0, -1) - p(0, 1);
    return quern::values(w, p(0, 0) * w);
  }
};

/// u and r after a step of conjugate gradients, and the square that r.r is the sum of.
struct advance_cg {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double alpha) const {
    const double next = r - alpha * w;
    return quern::values(u + alpha * p, next, next * next);
  }
};

/// The cells of a View around one of them, for a check that calls a functor itself.
template <class V>
struct cells_around {
  const V& cells;  // on the host, where a copy would count references
  std::int64_t at[V::rank()];
  KOKKOS_FUNCTION auto operator()(int j, int i) const { return cells(at[0] + j, at[1] + i); }
  KOKKOS_FUNCTION auto operator()(int k, int j, int i) const { return cells(at[0] + k, at[1] + j, at[2] + i); }
};

}  // namespace app

#endif
