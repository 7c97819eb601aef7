// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_BINS_HPP
#define QUERN_KEYED_BINS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <quern/core/values/binary_search.hpp>
#include <quern/core/values/exact.hpp>
#include <quern/core/values/values.hpp>
#include <quern/core/views/extents.hpp>

/// @file
/// From a value to the number of its bin; -1 where it has none.

namespace quern {

/// The range of equal bins: from `low` to `high`, both included.
struct bin_range {
  double low = 0, high = 1;
};

namespace impl {

/// How many values hosts find bins or positions for at once.
inline constexpr int searched_at_once = 32;

/// Bins of equal width as `numpy.histogram` has them: the last one includes its upper end, and a value beside an edge
/// is compared with the edge, `low + i * step` rounded twice.
struct equal_bins {
  using value_type = double;
  static constexpr int rank = 1;  // of the bins
  double low, high, scale, step;
  std::int64_t bins;
  /// Of `(x - low) * scale` against the computed edges, in bins. Both are off by less than 4 roundings of their own and
  /// of the ends of the range.
  double largest_error;

  equal_bins(const bin_range& r, std::int64_t n)
      : low(r.low),
        high(r.high),
        scale(static_cast<double>(n) / (r.high - r.low)),
        step((r.high - r.low) / static_cast<double>(n)),
        bins(n),
        largest_error(4 * Kokkos::Experimental::epsilon_v<double> *
                      (2 * static_cast<double>(n) + std::max(std::abs(r.low), std::abs(r.high)) * scale)) {}
  KOKKOS_FUNCTION double edge(std::int64_t i) const {
    return i == bins ? high : rounded_product(static_cast<double>(i), step) + low;
  }
  KOKKOS_FUNCTION std::int64_t operator()(double x) const {
    if (!(x >= low && x <= high)) return -1;
    const std::int64_t b = Kokkos::min(static_cast<std::int64_t>((x - low) * scale), bins - 1);
    if (x < edge(b)) return b - 1;
    return b + 1 < bins && x >= edge(b + 1) ? b + 1 : b;
  }
  /// The bins of values that hosts look at together: in floating point up to the last step, and in short loops of
  /// products and choices between constants, which compilers turn into vector instructions. Edges are only looked at
  /// where rounding errors may have moved one of the values across an edge. Where compilers may change the arithmetic,
  /// values are taken one by one.
  KOKKOS_FUNCTION void of_several(const double (&x)[searched_at_once], std::int64_t (&bin)[searched_at_once]) const {
    if constexpr (!exact_arithmetic) {
      for (int k = 0; k < searched_at_once; ++k) bin[k] = (*this)(x[k]);
      return;
    }
    constexpr double whole = 0x1.8p52;  // what is added to it is rounded to an integer, which its last bits are
    const double last = static_cast<double>(bins - 1);
    double b[searched_at_once];
    std::int64_t near_edges = 0;
    for (int k = 0; k < searched_at_once; ++k) {
      const double at = (x[k] - low) * scale, nearest = at + whole - whole;
      near_edges |= Kokkos::abs(at - nearest) < largest_error ? -1 : 0;
      b[k] = nearest + (nearest > at ? -1.0 : 0.0);
    }
    for (double& at : b) at = at < last ? at : last;
    if (near_edges != 0) compare_with_edges(x, b);
    for (int k = 0; k < searched_at_once; ++k) {
      const std::int64_t too_low = x[k] >= low ? 0 : -1, too_high = x[k] <= high ? 0 : -1;
      bin[k] =
          (Kokkos::bit_cast<std::int64_t>(b[k] + whole) - Kokkos::bit_cast<std::int64_t>(whole)) | too_low | too_high;
    }
  }

 private:
  KOKKOS_FUNCTION void compare_with_edges(const double (&x)[searched_at_once], double (&b)[searched_at_once]) const {
    const double last = static_cast<double>(bins - 1);
    for (int k = 0; k < searched_at_once; ++k) {
      const double below = x[k] < rounded_product(b[k], step) + low ? 1.0 : 0.0;
      const double above = x[k] >= rounded_product(b[k] + 1, step) + low ? 1.0 : 0.0;
      b[k] += above - below;
    }
    for (double& at : b) at = at < last ? at : last;
  }
};

/// Whether a sorted value comes before the place of x: less than it, or also equal to it. NaN comes after all numbers.
template <bool AfterEqual>
struct comes_before {
  template <class T, class X>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const T& sorted, const X& x) const {
    const bool number = !is_nan(sorted), nan = is_nan(x);
    const bool before = AfterEqual ? !value_less(x, sorted) : value_less(sorted, x);
    return AfterEqual ? (before & number) | nan : before | (nan & number);
  }
};
/// How many of n sorted values do.
template <class T, class X>
KOKKOS_FUNCTION std::int64_t position_in(const T* sorted, std::int64_t stride, std::int64_t n, const X& x,
                                         bool after_equal) {
  if (after_equal) return partition_point(sorted, stride, n, [&](const T& y) { return comes_before<true>()(y, x); });
  return partition_point(sorted, stride, n, [&](const T& y) { return comes_before<false>()(y, x); });
}
/// The same for several x, as hosts search together.
template <int Several, class T, class X>
KOKKOS_FUNCTION void positions_in(const T* sorted, std::int64_t stride, std::int64_t n, const X (&x)[Several],
                                  std::int64_t (&at)[Several], bool after_equal) {
  if (after_equal) partition_points(sorted, stride, n, x, at, comes_before<true>());
  else partition_points(sorted, stride, n, x, at, comes_before<false>());
}

/// Bins of values X between edges that increase; the last one includes its upper end.
template <class T, class X>
struct given_edges {
  using value_type = X;
  static constexpr int rank = 1;
  const T* edges;
  std::int64_t stride, bins;
  KOKKOS_FUNCTION std::int64_t operator()(const X& x) const {
    return inside(x) ? Kokkos::min(position_in(edges, stride, bins + 1, x, true) - 1, bins - 1) : -1;
  }
  /// The bins of values that hosts search together.
  KOKKOS_FUNCTION void of_several(const X (&x)[searched_at_once], std::int64_t (&bin)[searched_at_once]) const {
    positions_in(edges, stride, bins + 1, x, bin, true);
    for (int k = 0; k < searched_at_once; ++k) bin[k] = inside(x[k]) ? Kokkos::min(bin[k], bins) - 1 : -1;
  }

 private:
  KOKKOS_FUNCTION bool inside(const X& x) const {
    return !value_less(x, edges[0]) && !value_less(edges[bins * stride], x) && !is_nan(x);
  }
};

/// Equal bins along each of several axes: a point is a row of as many coordinates, and its bin counts with the last
/// axis fastest.
template <class T, int Rank>
struct point_bins {
  using value_type = double;
  static constexpr int rank = Rank;
  equal_bins axes[Rank];
  std::int64_t step;  // between coordinates

  template <std::size_t... D>
  point_bins(const std::array<bin_range, Rank>& ranges, const shape& bins, std::int64_t s, std::index_sequence<D...>)
      : axes{equal_bins(ranges[D], bins.extent[D])...}, step(s) {}
  KOKKOS_FUNCTION std::int64_t at(const T* point) const {
    std::int64_t bin = 0;
    for (int d = 0; d < Rank; ++d) {
      const std::int64_t b = axes[d](convert<double>(point[d * step]));
      if (b < 0) return -1;
      bin = bin * axes[d].bins + b;
    }
    return bin;
  }
};

/// Whole numbers from `low` on are their own bins, modulo 2^64.
struct own_bin {
  using value_type = std::int64_t;
  static constexpr int rank = 1;
  std::int64_t bins, low = 0;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t x) const {
    const std::uint64_t bin = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(low);
    return bin < static_cast<std::uint64_t>(bins) ? static_cast<std::int64_t>(bin) : -1;
  }
};

/// Bins of keys of any integer type: one that int64 does not hold has no bin.
struct range_bin : own_bin {
  template <class T>
  KOKKOS_FUNCTION std::int64_t of_key(const T& x) const {
    const auto wide = static_cast<std::int64_t>(x);
    return std::is_signed_v<T> || wide >= 0 ? (*this)(wide) : -1;
  }
};

/// Bins whose sums of weights are formed in double, of integers too.
template <class Bin>
struct real_sums : Bin {
  using sum_type = double;
};

}  // namespace impl
}  // namespace quern

#endif
