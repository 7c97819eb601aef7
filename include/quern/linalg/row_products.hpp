// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_ROW_PRODUCTS_HPP
#define QUERN_LINALG_ROW_PRODUCTS_HPP

/// @file
/// A^H B of matrices with few columns and very many rows on devices, as of Gram matrices: products of rows, which are
/// summed in registers, so that each column is read a few times and not once for each element of the result. The sums
/// are the same in every run.

#include <quern/core/launch/register_lanes.hpp>
#include <quern/core/launch/unrolled.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/values.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/linalg/tuning.hpp>

namespace quern::impl {

/// The sum of x over the lanes of an item.
template <class Lane, class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_of_lanes(const Lane& lane, T x) {
  for (int apart = Lane::width / 2; apart > 0; apart /= 2) x += lane.from(lane.lane ^ apart, x);
  return x;
}

template <class T>
struct tall_columns {
  const T* data;
  int columns;
  std::int64_t down, across;

  explicit tall_columns(const strided<const T>& s)
      : data(s.data), columns(static_cast<int>(s.extents.extent[1])), down(s.stride[0]), across(s.stride[1]) {}
  /// An element, and zeros behind the last column.
  KOKKOS_FUNCTION T at(std::int64_t row, int column) const {
    return column < columns ? data[row * down + column * across] : T(0);
  }
};

/// The sums of a block of A^H B over a segment of the rows, of which the lanes of a warp have one each at a time.
template <class T>
struct row_products {
  static constexpr int width = 32;
  static constexpr int down = sizeof(T) <= 8 ? 8 : 4, across = sizeof(T) <= 4 ? 8 : 4;  // sums in 64 registers
  tall_columns<T> a, b;
  std::int64_t rows, rows_of_segment, segments;
  T* partial;  // element (i, j) of the segment s at (i columns + j) segments + s

  KOKKOS_FUNCTION int blocks_across() const { return (b.columns + across - 1) / across; }
  KOKKOS_FUNCTION int blocks() const { return (a.columns + down - 1) / down * blocks_across(); }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t item, bool is_own) const {
    lanes.each([&](const auto& lane) {
      const std::int64_t segment = item / blocks(), first = segment * rows_of_segment;
      const int which = static_cast<int>(item - segment * blocks());
      const int i0 = which / blocks_across() * down, j0 = which % blocks_across() * across;
      T sum[down][across] = {};
      const std::int64_t end = Kokkos::min(first + rows_of_segment, rows);
      for (std::int64_t row = first + lane.lane; row < end; row += width) add_row(sum, row, i0, j0);
      unrolled<0, down * across>([&](auto e) {
        const T all = sum_of_lanes(lane, sum[e / across][e % across]);
        const int i = i0 + e / across, j = j0 + e % across;
        if (is_own && lane.lane == e % width && i < a.columns && j < b.columns)
          partial[(i * b.columns + j) * segments + segment] = all;
      });
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_row(T (&sum)[down][across], std::int64_t row, int i0, int j0) const {
    T left[down], right[across];
    unrolled<0, down>([&](auto i) { left[i] = conjugate(a.at(row, i0 + i)); });
    unrolled<0, across>([&](auto j) { right[j] = b.at(row, j0 + j); });
    unrolled<0, down>([&](auto i) { unrolled<0, across>([&](auto j) { sum[i][j] += left[i] * right[j]; }); });
  }
};

/// Adds up what the segments have, for each element.
template <class T>
struct segment_sums {
  T* c;
  std::int64_t down, across;
  int columns;
  std::int64_t segments;
  const T* partial;

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t element, bool is_own) const {
    lanes.each([&](const auto& lane) {
      T sum(0);
      for (std::int64_t s = lane.lane; s < segments; s += lane.width) sum += partial[element * segments + s];
      sum = sum_of_lanes(lane, sum);
      if (is_own && lane.lane == 0) c[element / columns * down + element % columns * across] = sum;
    });
  }
};

/// Divides the rows into segments, so that all blocks of all segments are some `warps`.
template <class Kernel>
void set_segments(Kernel& p, std::int64_t warps) {
  constexpr std::int64_t width = Kernel::width;
  const std::int64_t segments = std::max<std::int64_t>(warps / p.blocks(), 1), passes = (p.rows + width - 1) / width;
  p.rows_of_segment = (passes + segments - 1) / segments * width;
  p.segments = (p.rows + p.rows_of_segment - 1) / p.rows_of_segment;
}

/// C = A^H B on a device, if it has the shape for it; otherwise false, and nothing is done.
template <class Exec, class T>
bool multiply_by_rows(const Exec& exec, const std::string& label, const strided<T>& c, const strided<const T>& a,
                      const strided<const T>& b) {
  if constexpr (is_device<Exec>) {
    using tune = linalg_tuning<Exec>;
    constexpr int width = row_products<T>::width;
    const std::int64_t elements = c.extents.size(), rows = a.extents.extent[0];
    if (elements == 0 || elements > tune::row_product_elements || rows < tune::row_product_rows) return false;
    row_products<T> products{tall_columns<T>(a), tall_columns<T>(b), rows, 0, 0, nullptr};
    set_segments(products, exec.concurrency() / width / tune::row_product_share);
    const scratch_array<Exec, T> partial(exec, elements * products.segments);
    products.partial = partial.data();
    launch_lanes<width>(label_text(label, "/rows"), exec, products.segments * products.blocks(), products);
    const segment_sums<T> sums{c.data, c.stride[0], c.stride[1], products.b.columns, products.segments, partial.data()};
    launch_lanes<width>(label_text(label, "/segments"), exec, elements, sums);
    return true;
  }
  return false;
}

}  // namespace quern::impl

#endif
