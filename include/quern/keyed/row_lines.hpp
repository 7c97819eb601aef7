// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ROW_LINES_HPP
#define QUERN_KEYED_ROW_LINES_HPP

#include <cstdint>
#include <quern/core/launch/unrolled.hpp>
#include <quern/core/views/extents.hpp>
#include <type_traits>

namespace quern::impl {

/// Lines in memory of which each begins at one distance from the one before it: the rows of a matrix.
template <class T>
struct row_lines {
  T* data = nullptr;
  std::int64_t distance = 0, step = 1;  // from line to line, and from element to element

  KOKKOS_FUNCTION T& operator()(std::int64_t line, std::int64_t i) const { return data[line * distance + i * step]; }
};

/// The keys of the elements at lane, lane + Width, ... of a row of n, and the largest behind its end. All are asked for
/// before the first is looked at, so that no branch stands between the loads.
template <int Width, class Key, int M, class Order, class T>
KOKKOS_FORCEINLINE_FUNCTION void load_keys(Key (&keys)[M], const Order& order, const T* from, int n, int lane) {
  T v[M];
  unrolled<0, M>([&](auto r) { v[r] = from[Kokkos::min(r * Width + lane, n - 1)]; });
  unrolled<0, M>([&](auto r) {
    const Key here = order.encode(v[r]);
    keys[r] = r * Width + lane < n ? here : static_cast<Key>(~Key{0});
  });
}

/// Whether the lines of an array, whose axis is the last one, are such rows.
template <class T>
bool are_row_lines(const strided<T>& a) {
  bool first = true;
  std::int64_t wanted = 0;  // which 0 may be, too: of axes along which all is one line
  for (int d = a.extents.rank - 2; d >= 0; --d) {
    if (a.extents.extent[d] == 1) continue;
    if (!first && a.stride[d] != wanted) return false;
    wanted = a.stride[d] * a.extents.extent[d];
    first = false;
  }
  return true;
}
/// These rows.
template <class T>
row_lines<T> row_lines_of(const strided<T>& a) {
  int d = a.extents.rank - 2;
  while (d >= 0 && a.extents.extent[d] == 1) --d;
  return {a.data, d < 0 ? 0 : a.stride[d], a.stride[a.extents.rank - 1]};
}
/// Whether adjacent elements of a line are adjacent in memory, so that lanes read them together.
template <class T>
bool has_adjacent_elements(const strided<T>& a) {
  const int last = a.extents.rank - 1;
  return a.stride[last] == 1 || a.extents.extent[last] <= 1;
}

/// Rows of integers of a type that is known when running alone.
struct integer_rows {
  void* data = nullptr;
  int bytes = 0;
  std::int64_t distance = 0, step = 1;

  KOKKOS_FUNCTION void put(std::int64_t line, std::int64_t i, int value) const {
    const std::int64_t at = line * distance + i * step;
    if (bytes == 8) static_cast<std::int64_t*>(data)[at] = value;
    else if (bytes == 4) static_cast<std::int32_t*>(data)[at] = value;
    else if (bytes == 2) static_cast<std::int16_t*>(data)[at] = static_cast<std::int16_t>(value);
    else static_cast<std::int8_t*>(data)[at] = static_cast<std::int8_t>(value);
  }
};
template <class T>
integer_rows integer_rows_of(const strided<T>& a) {
  static_assert(std::is_integral_v<T>);
  const row_lines<T> rows = row_lines_of(a);
  return {rows.data, static_cast<int>(sizeof(T)), rows.distance, rows.step};
}

}  // namespace quern::impl

#endif
