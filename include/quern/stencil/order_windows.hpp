// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ORDER_WINDOWS_HPP
#define QUERN_STENCIL_ORDER_WINDOWS_HPP

/// @file
/// The functors of filters of order statistics: extremes, values of a rank, and medians of small boxes.

#include <quern/core/values/ordered.hpp>
#include <quern/stencil/footprint.hpp>

namespace quern::impl {

/// What values of a window are compared as: of half types, float.
template <class T>
using compared_value =
    std::conditional_t<is_half<T>, float, std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>;

/// What a window is reduced to: its least value (Sign -1) or its greatest (Sign 1), NaN where there is one; with
/// heights of a structuring element for weights, of the values less or more these. Truths: of whether values are zero.
template <int Sign, bool Truths = false>
struct extreme_of {
  static constexpr bool of_truths = Truths;
  template <class S>
  KOKKOS_FUNCTION static S initial() {
    if constexpr (Truths) return Sign > 0 ? S(0) : S(1);
    else if constexpr (std::is_floating_point_v<S>) return -Sign * Kokkos::Experimental::infinity_v<S>;
    else return Sign > 0 ? Kokkos::Experimental::finite_min_v<S> : Kokkos::Experimental::finite_max_v<S>;
  }
  template <class S>
  KOKKOS_FORCEINLINE_FUNCTION static void take(S& s, S v) {
    const bool better = Sign > 0 ? v > s : v < s;
    if constexpr (std::is_floating_point_v<S>) s = better | (v != v) ? v : s;
    else s = better ? v : s;
  }
  template <class S, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S& s, unit_weight, const T& value) {
    if constexpr (Truths) take(s, static_cast<S>(value != T(0) ? 1 : 0));
    else take(s, static_cast<S>(value));
  }
  template <class S, class W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S& s, const W& height, const T& value) {
    take(s, static_cast<S>(value) + (Sign > 0 ? height : -height));
  }
};

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
/// memory, and as many steps for all windows, so that hosts take those of adjacent cells together.
template <int Rank, class T, class Offsets>
struct window_rank {
  using sum_type = T;
  using order = ordered<T>;
  using key = typename order::pattern;
  static constexpr bool floating = order::floating;
  Offsets offsets;
  int rank;
  op::identity finish{};

  template <class Window>
  KOKKOS_FUNCTION T operator()(const Window& at) const {
    if (floating && count(at, [](const T& v) { return v != v; }) > 0) return static_cast<T>(nan());
    key found = 0;
    for (key bit = order::sign; bit != 0; bit = static_cast<key>(bit >> 1)) {
      const key tried = static_cast<key>(found | bit);
      const T pivot = order::number_of(tried);
      if (is_number(tried) && count(at, [&](const T& v) { return v < pivot; }) <= rank) found = tried;
    }
    return order::number_of(found);
  }
  template <class At>
  void for_block(T* results, std::int64_t n, const At& at) const {
    for (std::int64_t first = 0; first < n; first += part)
      rank_part(results + first, std::min<std::int64_t>(part, n - first),
                [&](auto... offset) { return at(offset...) + first; });
  }

 private:
  static constexpr std::int64_t part = 256;
  KOKKOS_FUNCTION static auto nan() {
    if constexpr (floating) return Kokkos::Experimental::quiet_NaN_v<T>;
    else return 0;
  }
  /// Whether a key is that of a number up to infinity. Those of NaN are greater, for positive NaN.
  KOKKOS_FUNCTION static bool is_number(key k) {
    if constexpr (floating) return k <= order::key_of(Kokkos::Experimental::infinity_v<T>);
    else return true;
  }
  template <class Window, class Test>
  KOKKOS_FUNCTION int count(const Window& at, const Test& test) const {
    int found = 0;
    for_each_offset(
        offsets, [&](int, int k, int j, int i) { found += test(static_cast<T>(value_at<Rank>(at, k, j, i))) ? 1 : 0; });
    return found;
  }
  /// The same for cells beside each other.
  template <class At>
  void rank_part(T* results, std::int64_t n, const At& at) const {
    key found[part] = {};
    T pivot[part] = {};
    int less[part];
    [[maybe_unused]] int nans[part];
    if constexpr (floating) count_cells<is_not_itself>(nans, pivot, n, at);
    for (key bit = order::sign; bit != 0; bit = static_cast<key>(bit >> 1)) {
      for (std::int64_t k = 0; k < n; ++k) pivot[k] = order::number_of(static_cast<key>(found[k] | bit));
      count_cells<is_less>(less, pivot, n, at);
      for (std::int64_t k = 0; k < n; ++k)
        if (less[k] <= rank && is_number(static_cast<key>(found[k] | bit))) found[k] = static_cast<key>(found[k] | bit);
    }
    for (std::int64_t k = 0; k < n; ++k) results[k] = order::number_of(found[k]);
    if constexpr (floating)
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
    for_each_offset(offsets, [&](int m, int k, int j, int i) {
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
template <int Rank, class T, class Offsets>
inline constexpr bool computes_blocks<window_rank<Rank, T, Offsets>> = true;

/// The median of the values of a box of 2 R + 1 cells along each axis, NaN where there is one, in registers: of one
/// more than half of the values, none of the least and the greatest can be the median. They are dropped, another value
/// comes, and so on (M. McGuire, "A fast, small-radius GPU median filter", ShaderX6, 2008).
template <int Rank, class T, int R>
struct box_median {
  static constexpr int cells = box_cells<Rank, R>, kept = cells / 2 + 2;

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
    if constexpr (std::is_floating_point_v<T>) return some_nan ? Kokkos::Experimental::quiet_NaN_v<T> : v[kept - 2];
    else return v[kept - 2];
  }
  /// Drops the extremes of the values from First to before `kept`, and takes the next one in place of the greatest.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void narrow(T* v) {
    constexpr int n = kept - First;
    extremes<First>(v, std::make_index_sequence<n / 2>(), std::make_index_sequence<(n + 1) / 2 - 1>());
    if constexpr (n > 3) {
      v[kept - 1] = v[kept + First];
      narrow<First + 1>(v);
    }
  }
  /// Brings the least to the first place and the greatest to the last: one of each pair is neither.
  template <int First, std::size_t... Pair, std::size_t... K>
  KOKKOS_FORCEINLINE_FUNCTION static void extremes(T* v, std::index_sequence<Pair...>, std::index_sequence<K...>) {
    constexpr int last = kept - 1;
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
