// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_SMALL_FUNCTORS_HPP
#define QUERN_TESTS_SUPPORT_SMALL_FUNCTORS_HPP

/// @file
/// Functors of tests of a call in memory, in chunks and over ranks.

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
/// A value for each of N outputs and reductions.
template <std::size_t N>
struct repeated {
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, N> operator()(const T& x) const {
    Kokkos::Array<T, N> all;
    for (std::size_t k = 0; k < N; ++k) all[k] = x;
    return all;
  }
};

}  // namespace test

#endif
