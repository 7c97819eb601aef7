// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ONE_SIDED_AXES_HPP
#define QUERN_STENCIL_ONE_SIDED_AXES_HPP

/// @file
/// The axes along which gradients are taken, and what multiplies values there.

#include <quern/core/values/values.hpp>

namespace quern::impl {

/// An axis of n cells in equal distances.
struct even_axis {
  static constexpr bool is_even = true;
  int axis;
  std::int64_t n;
  double spacing;
};
/// One whose cells are at points.
template <class X>
struct uneven_axis {
  static constexpr bool is_even = false;
  int axis;
  std::int64_t n;
  const X* points;
  std::int64_t stride;
  /// From a cell to the next.
  KOKKOS_FUNCTION double distance(std::int64_t i) const {
    return convert<double>(points[(i + 1) * stride]) - convert<double>(points[i * stride]);
  }
};

/// What multiplies the values of three neighbours.
struct three_weights {
  double low, middle, high;
};
/// Of the derivative at the first, second or third (-1, 0 or 1) of three points at distances `a` and `b`: that of the
/// parabola through the three (NumPy's).
KOKKOS_FUNCTION inline three_weights weights_of_parabola(int at, double a, double b) {
  const double both = a + b;
  if (at < 0) return {-(2 * a + b) / (a * both), both / (a * b), -a / (b * both)};
  if (at > 0) return {b / (a * both), -both / (a * b), (2 * b + a) / (b * both)};
  return {-b / (a * both), (b - a) / (a * b), a / (b * both)};
}

/// The type in which differences of S on uneven grids are computed.
template <class S>
using wide_difference = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;

}  // namespace quern::impl

#endif
