// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_INDEX_MAPS_HPP
#define QUERN_CORE_VIEWS_INDEX_MAPS_HPP

#include <limits>
#include <quern/core/launch/divisor.hpp>
#include <quern/core/views/index_sources.hpp>

namespace quern {

/// What `pad` puts around an array, by NumPy's names; here `abcd` with three elements before and behind it.
enum class pad_mode {
  edge,       ///< `aaa|abcd|ddd`, the elements at the edges
  wrap,       ///< `bcd|abcd|abc`, the array once more
  reflect,    ///< `dcb|abcd|cba`, mirrored at the centres of the elements at the edges (SciPy's `mirror`)
  symmetric,  ///< `cba|abcd|dcb`, mirrored at the edges (SciPy's and `quern::boundary`'s `reflect`)
};

/// What `take` does with indices that are out of range.
enum class index_mode {
  raise,  ///< the operation that reads them waits, and throws before it computes anything
  wrap,   ///< they are taken modulo the extent
  clip,   ///< the nearest index is taken; one below 0 is 0, and does not count from the end
};

template <>
inline constexpr bool impl::marked_option<index_mode> = true;

namespace impl {

/// The remainder of a floored division: from 0 to before n.
KOKKOS_INLINE_FUNCTION std::int64_t floor_mod(std::int64_t i, std::int64_t n) {
  const std::int64_t r = i % n;
  return r < 0 ? r + n : r;
}

/// i - shift, around the ends; 0 <= shift < n.
struct roll_map {
  static constexpr bool has_outside = false, has_runs = true;
  std::int64_t n, shift;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return i < shift ? i - shift + n : i - shift;
  }
  index_run run(std::int64_t i, std::int64_t along, std::int64_t count) const {
    const bool wrapped = i < shift;
    return {(*this)(i), 1, steps_within(i, wrapped ? 0 : shift, wrapped ? shift - 1 : n - 1, along, count)};
  }
};

/// i modulo n.
struct tile_map {
  static constexpr bool has_outside = false, has_runs = true;
  std::int64_t n;
  divisor copies;
  tile_map(std::int64_t extent, bool small) : n(extent), copies(extent, small) {}
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const { return i - copies(i) * n; }
  index_run run(std::int64_t i, std::int64_t along, std::int64_t count) const {
    const std::int64_t first = (*this)(i);
    return {first, 1, steps_within(first, 0, n - 1, along, count)};
  }
};

/// i divided by the number of repetitions.
struct repeat_map {
  static constexpr bool has_outside = false, has_runs = true;
  std::int64_t times;
  divisor elements;
  repeat_map(std::int64_t number, bool small) : times(number), elements(number, small) {}
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const { return elements(i); }
  index_run run(std::int64_t i, std::int64_t along, std::int64_t count) const {
    if (times == 1) return {i, 1, count};
    const std::int64_t j = (*this)(i);
    return {j, 0, steps_within(i - j * times, 0, times - 1, along, count)};
  }
};

/// An index of an array from which `count` elements are taken, every `step`-th from the index `start` on.
struct removing_map {
  static constexpr bool has_outside = false, has_runs = true;
  std::int64_t start, count, step;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (i < start || count == 0) return i;
    const std::int64_t before = step == 1 ? count : (i - start) / (step - 1) + 1;
    return i + (before < count ? before : count);
  }
  index_run run(std::int64_t i, std::int64_t along, std::int64_t count_of_run) const {
    if (i < start || count == 0) return {i, 1, steps_within(i, 0, count == 0 ? i : start - 1, along, count_of_run)};
    if (step == 1) return {i + count, 1, steps_within(i, start, start + (std::int64_t{1} << 62), along, count_of_run)};
    return {};
  }
};

inline constexpr std::int64_t largest_index = std::numeric_limits<std::int64_t>::max();

/// An index of an array with `before` elements put before its n, which must not be 0.
struct pad_map {
  static constexpr bool has_outside = false, has_runs = true;
  std::int64_t n, before;
  pad_mode mode;

  /// After how many elements they repeat, and how many of them count down.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t period() const {
    if (mode == pad_mode::symmetric) return 2 * n;
    return mode == pad_mode::reflect && n > 1 ? 2 * n - 2 : n;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t back(std::int64_t m) const {
    return mode == pad_mode::symmetric ? 2 * n - 1 - m : 2 * n - 2 - m;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::int64_t k = i - before;
    if (k >= 0 && k < n) return k;
    if (mode == pad_mode::edge) return k < 0 ? 0 : n - 1;
    const std::int64_t m = floor_mod(k, period());
    return m < n ? m : back(m);
  }
  index_run run(std::int64_t i, std::int64_t along, std::int64_t count) const {
    const std::int64_t k = i - before;
    if (k >= 0 && k < n) return {k, 1, steps_within(k, 0, n - 1, along, count)};
    if (mode == pad_mode::edge)
      return k < 0 ? index_run{0, 0, steps_within(k, -before, -1, along, count)}
                   : index_run{n - 1, 0, steps_within(k, n, largest_index, along, count)};
    const std::int64_t m = floor_mod(k, period());
    if (m < n) return {m, 1, steps_within(m, 0, n - 1, along, count)};
    return {back(m), -1, steps_within(m, n, period() - 1, along, count)};
  }
};

/// The same with elements around the array that are none of it: -1 there.
struct outer_pad_map {
  static constexpr bool has_outside = true, has_runs = true;
  std::int64_t n, before;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::int64_t k = i - before;
    return k < n ? (k < 0 ? -1 : k) : -1;
  }
  /// Inside; elsewhere a run without an index.
  index_run run(std::int64_t i, std::int64_t along, std::int64_t count) const {
    const std::int64_t k = i - before;
    if (k >= 0 && k < n) return {k, 1, steps_within(k, 0, n - 1, along, count)};
    return {};
  }
};
/// With one value there.
template <class T>
struct constant_pad_map : outer_pad_map {
  T outside;

  index_run run(std::int64_t i, std::int64_t along, std::int64_t count) const {
    const std::int64_t k = i - before;
    if (k >= 0 && k < n) return outer_pad_map::run(i, along, count);
    if (k < 0) return {0, 1, steps_within(k, -before, -1, along, count), true};
    return {0, 1, steps_within(k, n, largest_index, along, count), true};
  }
};

/// An index as a number; one that 63 bits do not hold is the largest that they hold.
template <class I>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t index_number(const I& v) {
  if constexpr (std::is_unsigned_v<I> && sizeof(I) == 8) {
    constexpr std::uint64_t most = 0x7fffffffffffffff;
    return static_cast<std::int64_t>(v < most ? v : most);
  } else {
    return static_cast<std::int64_t>(v);
  }
}
/// The index of n elements, not 0, that another one stands for. One that is out of range where that is an error is the
/// nearest.
template <class I>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t index_by_mode(const I& v, std::int64_t n, index_mode mode) {
  std::int64_t i = index_number(v);
  if (mode == index_mode::wrap) {
    if (i >= 0 && i < n) return i;  // without the time of a division
    if constexpr (std::is_unsigned_v<I> && sizeof(I) == 8)
      return static_cast<std::int64_t>(v % static_cast<std::uint64_t>(n));
    else return floor_mod(i, n);
  }
  if (mode == index_mode::raise && i < 0) i += n;
  return i < 0 ? 0 : i < n ? i : n - 1;
}

/// Indices in a row.
template <class I>
struct row_of_indices {
  using value_type = I;
  const I* data;
  std::int64_t step;
  KOKKOS_FORCEINLINE_FUNCTION I load(std::int64_t i) const { return data[i * step]; }
};

/// An index that stands in memory, of n; none is read if n is 0.
template <class Indices>
struct take_map {
  using I = typename Indices::value_type;
  static constexpr bool has_outside = false, has_runs = true;
  Indices indices;  // read by row-major positions
  std::int64_t count, n;
  index_mode mode;
  std::int64_t* outside = nullptr;  // where those that are out of range are counted, in place of a check
  bool is_checked = false;          // of parts of an array, whose indices have been looked at as a whole

  /// Index number i, as it is.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t given(std::int64_t i) const { return index_number(indices.load(i)); }
  /// Whether index number i is in range; those from -n on count from the end.
  KOKKOS_FORCEINLINE_FUNCTION bool valid(std::int64_t i) const {
    const std::int64_t v = given(i);
    return v >= -n && v < n;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return index_by_mode(indices.load(i), n, mode);
  }
  index_run run(std::int64_t, std::int64_t, std::int64_t) const { return {}; }
};
template <class Indices>
inline constexpr bool goes_by_steps<take_map<Indices>> = false;

}  // namespace impl
}  // namespace quern

#endif
