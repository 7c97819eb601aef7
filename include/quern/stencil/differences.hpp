// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DIFFERENCES_HPP
#define QUERN_STENCIL_DIFFERENCES_HPP

/// @file
/// What differential operators share: central differences, and the type in which they are computed.

#include <quern/stencil/filter_windows.hpp>

namespace quern::impl {

/// Differences of a window along one of its axes.
template <int Rank, int Axis, int Order, class S>
struct central_difference {
  template <class Window>
  KOKKOS_FUNCTION static S at(const Window& w, int i) {
    constexpr int axis = 3 - Rank + Axis;
    return static_cast<S>(value_at<Rank>(w, axis == 0 ? i : 0, axis == 1 ? i : 0, axis == 2 ? i : 0));
  }
  /// Times the spacing.
  template <class Window>
  KOKKOS_FUNCTION static S first(const Window& w) {
    if constexpr (Order == 2) return (at(w, 1) - at(w, -1)) / 2;
    else return (8 * (at(w, 1) - at(w, -1)) - (at(w, 2) - at(w, -2))) / 12;
  }
  /// Times its square.
  template <class Window>
  KOKKOS_FUNCTION static S second(const Window& w) {
    if constexpr (Order == 2) return at(w, 1) + at(w, -1) - 2 * at(w, 0);
    else return (16 * (at(w, 1) + at(w, -1)) - (at(w, 2) + at(w, -2)) - 30 * at(w, 0)) / 12;
  }
};

/// The type in which differences of values are computed.
template <class T>
using difference_type = std::conditional_t<std::is_integral_v<T>, double, T>;

}  // namespace quern::impl

#endif
