// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ORDER_WINDOWS_HPP
#define QUERN_STENCIL_ORDER_WINDOWS_HPP

/// @file
/// The functors of filters of order statistics: extremes and values of a rank.

#include <quern/core/values/ordered.hpp>
#include <quern/stencil/footprint.hpp>
#include <quern/stencil/host_selection.hpp>
#include <quern/stencil/window_parts.hpp>

namespace quern::impl {

/// What values of a window are compared as: of half types, float.
template <class T>
using compared_value =
    std::conditional_t<is_half<T>, float, std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>;

/// What a window is reduced to: its least value (Sign -1) or its greatest (Sign 1), NaN where there is one; with
/// heights of a structuring element for weights, of the values less or more these. Binary: of whether values are zero.
template <int Sign, bool Binary = false>
struct extreme_of {
  static constexpr bool binary = Binary;
  template <class S>
  KOKKOS_FUNCTION static S initial() {
    if constexpr (Binary) return Sign > 0 ? S(0) : S(1);
    else if constexpr (std::is_floating_point_v<S>) return -Sign * Kokkos::Experimental::infinity_v<S>;
    else return Sign > 0 ? Kokkos::Experimental::finite_min_v<S> : Kokkos::Experimental::finite_max_v<S>;
  }
  template <class S>
  KOKKOS_FORCEINLINE_FUNCTION static void take(S& s, S v) {
    const bool better = Sign > 0 ? v > s : v < s;
    if constexpr (std::is_floating_point_v<S>) s = (better | (v != v)) ? v : s;
    else s = better ? v : s;
  }
  template <class S, class T>
  KOKKOS_FORCEINLINE_FUNCTION static S lift(const T& value) {
    if constexpr (Binary) return static_cast<S>(value != T(0) ? 1 : 0);
    else return static_cast<S>(value);
  }
  template <class S, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S& s, unit_weight, const T& value) {
    take(s, lift<S>(value));
  }
  template <class S, class W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S& s, const W& height, const T& value) {
    take(s, static_cast<S>(value) + (Sign > 0 ? height : -height));
  }
};

template <int Sign, bool Binary>
inline constexpr bool joins_parts<extreme_of<Sign, Binary>> = true;

/// Tests of a value beside another one, and whether it is NaN.
struct is_less {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const T& v, const T& pivot) const {
    return v < pivot;
  }
};
struct is_not_itself {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const T& v, const T&) const {
    return v != v;
  }
};

/// The value of a rank, counted from the least, among those of a window, NaN where there is one: its bits one after the
/// other, from the first on, each set where no more than `rank` values are less than what that gives. It takes no
/// memory, and as many steps for all windows. A zero is positive. Hosts select what is near an end, or is one of few.
template <int Rank, class T>
struct window_rank {
  using sum_type = T;
  using order = ordered<T>;
  using key = typename order::pattern;
  static constexpr bool floating = order::floating;
  listed_window cells;
  int rank;
  op::identity finish{};

  template <class Window>
  KOKKOS_FUNCTION T operator()(const Window& at) const {
    if (floating && count<is_not_itself>(at, T(0)) > 0) return nan();
    KOKKOS_IF_ON_HOST((const host_selection<Rank, T> selection(cells, rank);
                       if (selection.suits(order::bits)) return selection.of_cell(at);))
    key found = 0;
    for (key bit = order::sign; bit != 0; bit = static_cast<key>(bit >> 1)) {
      const key tried = static_cast<key>(found | bit);
      if (is_number(tried) && count<is_less>(at, order::number_of(tried)) <= rank) found = tried;
    }
    return order::number_of(found);
  }
  template <class At>
  void for_block(T* results, std::int64_t n, const At& at) const {
    const host_selection<Rank, T> selection(cells, rank);
    const bool selects = selection.suits(order::bits);
    for (std::int64_t first = 0; first < n; first += part) {
      const std::int64_t some = std::min<std::int64_t>(part, n - first);
      const auto from = [&](auto... offset) { return at(offset...) + first; };
      if (selects) selection.of_block(results + first, some, from);
      else rank_part(results + first, some, from);
      if constexpr (floating) mark_nan(results + first, some, from);
    }
  }

 private:
  static constexpr std::int64_t part = host_selection<Rank, T>::part;
  KOKKOS_FUNCTION static T nan() {
    if constexpr (floating) return Kokkos::Experimental::quiet_NaN_v<T>;
    else return 0;
  }
  /// Whether a key is that of a number up to infinity. Those of NaN are greater, for positive NaN.
  KOKKOS_FUNCTION static bool is_number(key k) {
    if constexpr (floating) {
      const T infinite = Kokkos::Experimental::infinity_v<T>;  // no reference to it, which devices do not have
      return k <= order::key_of(infinite);
    } else {
      return true;
    }
  }
  template <class Test, class Window>
  KOKKOS_FUNCTION int count(const Window& at, const T& pivot) const {
    int found = 0;
    for_each_offset(cells, [&](int, int k, int j, int i) {
      found += Test()(static_cast<T>(value_at<Rank>(at, k, j, i)), pivot) ? 1 : 0;
    });
    return found;
  }
  /// The same for cells beside each other.
  template <class At>
  void rank_part(T* results, std::int64_t n, const At& at) const {
    key found[part] = {};
    T pivot[part];
    int less[part];
    for (key bit = order::sign; bit != 0; bit = static_cast<key>(bit >> 1)) {
      for (std::int64_t k = 0; k < n; ++k) pivot[k] = order::number_of(static_cast<key>(found[k] | bit));
      count_cells<is_less>(less, pivot, n, at);
      for (std::int64_t k = 0; k < n; ++k)
        if (less[k] <= rank && is_number(static_cast<key>(found[k] | bit))) found[k] = static_cast<key>(found[k] | bit);
    }
    for (std::int64_t k = 0; k < n; ++k) results[k] = order::number_of(found[k]);
  }
  template <class At>
  void mark_nan(T* results, std::int64_t n, const At& at) const {
    int nans[part];
    count_cells<is_not_itself>(nans, results, n, at);
    for (std::int64_t k = 0; k < n; ++k) results[k] = nans[k] > 0 ? nan() : results[k];
  }
  /// Counts by numbers as wide as the values, so that vectors have as many of both, and adds these up before they
  /// overflow.
  template <class Test, class At>
  void count_cells(int* counts, const T* pivot, std::int64_t n, const At& at) const {
    constexpr int most = sizeof(key) < sizeof(int) ? std::numeric_limits<key>::max() : std::numeric_limits<int>::max();
    key some[part] = {};
    std::fill_n(counts, n, 0);
    const auto flush = [&] {
      for (std::int64_t k = 0; k < n; ++k) counts[k] += static_cast<int>(some[k]);
      std::fill_n(some, n, key(0));
    };
    for_each_offset(cells, [&](int m, int k, int j, int i) {
      if (m > 0 && m % most == 0) flush();
      count_cell<Test>(some, pivot, n, value_at<Rank>(at, k, j, i));
    });
    flush();
  }
  /// Not inlined, so that it is an innermost loop of its own.
  template <class Test, class Position>
  QUERN_IMPL_NOINLINE static void count_cell(key* counts, const T* pivot, std::int64_t n, Position from) {
    QUERN_IMPL_IVDEP
    for (std::int64_t k = 0; k < n; ++k)
      counts[k] = static_cast<key>(counts[k] + (Test()(static_cast<T>(from[k]), pivot[k]) ? 1 : 0));
  }
};
template <int Rank, class T>
inline constexpr bool computes_blocks<window_rank<Rank, T>> = true;

}  // namespace quern::impl

#endif
