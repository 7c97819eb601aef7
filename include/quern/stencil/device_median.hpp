// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DEVICE_MEDIAN_HPP
#define QUERN_STENCIL_DEVICE_MEDIAN_HPP

#include <quern/stencil/filter_windows.hpp>
#include <utility>

namespace quern::impl {

/// The median of the values of a box of 2 R + 1 cells along each axis, NaN where there is one, in registers: of one
/// more than half of the values, none of the least and the greatest can be the median. They are dropped, another value
/// comes, and so on (M. McGuire, "A fast, small-radius GPU median filter", ShaderX6, 2008).
template <int Rank, class T, int R>
struct box_median {
  static constexpr int cells = box_cells<Rank, R>, candidates = cells / 2 + 2;

  template <class Window>
  KOKKOS_FUNCTION T operator()(const Window& at) const {
    return in_registers(at, std::make_index_sequence<cells>());
  }

 private:
  template <int N, class Window>
  KOKKOS_FORCEINLINE_FUNCTION static T value(const Window& at) {
    constexpr int side = 2 * R + 1;
    return static_cast<T>(value_at<Rank>(at, N / side / side - R, N / side % side - R, N % side - R));
  }
  template <class Window, std::size_t... N>
  KOKKOS_FORCEINLINE_FUNCTION static T in_registers(const Window& at, std::index_sequence<N...>) {
    T v[cells] = {value<static_cast<int>(N)>(at)...};
    bool some_nan = false;
    if constexpr (std::is_floating_point_v<T>) ((some_nan |= v[N] != v[N]), ...);
    narrow<0>(v);
    if constexpr (std::is_floating_point_v<T>)
      return some_nan ? Kokkos::Experimental::quiet_NaN_v<T> : v[candidates - 2];
    else return v[candidates - 2];
  }
  /// Drops the extremes of the candidates from First on, and takes the next value in place of the greatest.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void narrow(T* v) {
    constexpr int n = candidates - First;
    extremes<First>(v, std::make_index_sequence<n / 2>(), std::make_index_sequence<(n + 1) / 2 - 1>());
    if constexpr (n > 3) {
      v[candidates - 1] = v[candidates + First];
      narrow<First + 1>(v);
    }
  }
  /// Brings the least to the first place and the greatest to the last: one of each pair is neither.
  template <int First, std::size_t... Pair, std::size_t... K>
  KOKKOS_FORCEINLINE_FUNCTION static void extremes(T* v, std::index_sequence<Pair...>, std::index_sequence<K...>) {
    constexpr int last = candidates - 1;
    (exchange(v[First + static_cast<int>(Pair)], v[last - static_cast<int>(Pair)]), ...);
    (exchange(v[First], v[First + 1 + static_cast<int>(K)]), ...);
    (exchange(v[last - 1 - static_cast<int>(K)], v[last]), ...);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void exchange(T& a, T& b) {
    const T less = b < a ? b : a, more = b < a ? a : b;
    a = less;
    b = more;
  }
};

}  // namespace quern::impl

#endif
