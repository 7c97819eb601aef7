// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_LOOP_NEST_HPP
#define QUERN_CORE_LAUNCH_LOOP_NEST_HPP

#include <quern/core/views/extents.hpp>

namespace quern::impl {

/// A loop nest over N operands in the order in which it should run: axis 0 is the fastest. Axes of extent 1 are gone
/// and adjacent axes that are one axis of one stride in every operand are merged, so that contiguous operands of
/// any rank and layout (all the same) have one axis.
template <int N>
struct loop_nest {
  int rank = 1;
  Kokkos::Array<std::int64_t, max_rank> extent{1, 1, 1, 1, 1, 1, 1, 1};
  std::array<Kokkos::Array<std::int64_t, max_rank>, N> stride{};

  std::int64_t inner() const { return extent[0]; }
  std::int64_t outer() const {
    std::int64_t n = 1;
    for (int d = 1; d < rank; ++d) n *= extent[d];
    return n;
  }
};

/// Orders axes by the strides of the leading one of n operands (ties, as in one that broadcasts, by those of the
/// others), and merges adjacent ones that all operands walk through as one. Returns the rank.
int nest_by_strides(const shape& extents, const stride_array* strides, int n, int lead, stride_array& extent,
                    stride_array* stride);
/// Takes the axes in row-major order, the last one first: an order that results depend on.
int nest_by_rows(const shape& extents, const stride_array* strides, int n, stride_array& extent, stride_array* stride);

template <int N>
loop_nest<N> make_loop_nest(const shape& extents, const std::array<stride_array, N>& strides, int lead = 0) {
  loop_nest<N> nest;
  nest.rank = nest_by_strides(extents, strides.data(), N, lead, nest.extent, nest.stride.data());
  return nest;
}
template <int N>
loop_nest<N> row_major_nest(const shape& extents, const std::array<stride_array, N>& strides) {
  loop_nest<N> nest;
  nest.rank = nest_by_rows(extents, strides.data(), N, nest.extent, nest.stride.data());
  return nest;
}
inline loop_nest<2> row_major_nest(const shape& extents, const stride_array& in, const stride_array& out) {
  return row_major_nest<2>(extents, {in, out});
}

/// The strides of positions in row-major order.
stride_array row_major_strides(const shape& extents);
/// Those of an array without gaps whose axes are in the order of these strides.
stride_array contiguous_strides(const shape& extents, const stride_array& order);
template <class T>
stride_array contiguous_strides(const strided<T>& like) {
  return contiguous_strides(like.extents, like.stride);
}

}  // namespace quern::impl

#endif
