// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_SMALL_FUNCTORS_HPP
#define QUERN_TESTS_SUPPORT_SMALL_FUNCTORS_HPP

/// @file
/// Functors of calls whose costs are counted, in memory and over ranks.

#include <Kokkos_Core.hpp>

namespace test {

struct halved {
  KOKKOS_FUNCTION double operator()(double x) const { return 0.5 * x; }
};
struct half_and_square {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double x) const { return {0.5 * x, x * x}; }
};
struct mean_and_square {
  template <class Window>
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(const Window& w) const {
    const double mean = 0.25 * (w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1));
    return {mean, mean * mean};
  }
};
struct mean_of_cross {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return 0.25 * (w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1));
  }
};

}  // namespace test

#endif
