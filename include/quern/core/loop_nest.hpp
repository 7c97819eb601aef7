// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LOOP_NEST_HPP
#define QUERN_CORE_LOOP_NEST_HPP

#include <quern/core/extents.hpp>

namespace quern::impl {

/// A loop nest over N operands in the order in which it should run: axis 0 is the fastest. Axes of extent 1 are gone
/// and neighbouring axes that every operand walks through evenly are merged, so that contiguous operands of any rank
/// and layout (all the same) have one axis.
template <int N>
struct loop_nest {
  int rank = 1;
  std::array<std::int64_t, max_rank> extent{1, 1, 1, 1, 1, 1, 1, 1};
  std::array<std::array<std::int64_t, max_rank>, N> stride{};

  std::int64_t inner() const { return extent[0]; }
  std::int64_t outer() const {
    std::int64_t n = 1;
    for (int d = 1; d < rank; ++d) n *= extent[d];
    return n;
  }
};

/// Axes ordered by the strides of the leading operand (ties, as in one that broadcasts, by those of the others).
template <int N>
loop_nest<N> make_loop_nest(const shape& extents, const std::array<std::array<std::int64_t, max_rank>, N>& strides,
                            int lead = 0) {
  std::array<int, max_rank> axes{};
  int* end = axes.data();
  const auto closer = [&](int a, int b) {
    if (strides[lead][a] != strides[lead][b]) return strides[lead][a] < strides[lead][b];
    for (int k = 0; k < N; ++k)
      if (strides[k][a] != strides[k][b]) return strides[k][a] < strides[k][b];
    return false;
  };
  for (int d = extents.rank - 1; d >= 0; --d) {
    if (extents.extent[d] == 1) continue;
    int* place = std::upper_bound(axes.data(), end, d, closer);
    std::copy_backward(place, end, end + 1);
    *place = d;
    ++end;
  }

  loop_nest<N> nest;
  nest.rank = 0;
  for (const int* a = axes.data(); a != end; ++a) {
    const int axis = *a, last = nest.rank - 1;
    const bool merges = last >= 0 && [&] {
      for (int k = 0; k < N; ++k)
        if (strides[k][axis] != nest.stride[k][last] * nest.extent[last]) return false;
      return true;
    }();
    if (merges) {
      nest.extent[last] *= extents.extent[axis];
      continue;
    }
    nest.extent[nest.rank] = extents.extent[axis];
    for (int k = 0; k < N; ++k) nest.stride[k][nest.rank] = strides[k][axis];
    ++nest.rank;
  }
  if (nest.rank == 0) nest.rank = 1;
  return nest;
}

/// The axes in row-major order, the last one first, with neighbours merged where all operands walk through them evenly:
/// an order that results depend on.
template <int N>
loop_nest<N> row_major_nest(const shape& extents, const std::array<std::array<std::int64_t, max_rank>, N>& strides) {
  loop_nest<N> nest;
  nest.rank = 0;
  for (int d = extents.rank - 1; d >= 0; --d) {
    if (extents.extent[d] == 1) continue;
    const int last = nest.rank - 1;
    bool merges = last >= 0;
    for (int k = 0; k < N && merges; ++k) merges = strides[k][d] == nest.stride[k][last] * nest.extent[last];
    if (merges) {
      nest.extent[last] *= extents.extent[d];
      continue;
    }
    nest.extent[nest.rank] = extents.extent[d];
    for (int k = 0; k < N; ++k) nest.stride[k][nest.rank] = strides[k][d];
    ++nest.rank;
  }
  if (nest.rank == 0) nest.rank = 1;
  return nest;
}
inline loop_nest<2> row_major_nest(const shape& extents, const std::array<std::int64_t, max_rank>& in,
                                   const std::array<std::int64_t, max_rank>& out) {
  return row_major_nest<2>(extents, {in, out});
}

/// The strides of positions in row-major order.
inline std::array<std::int64_t, max_rank> row_major_strides(const shape& extents) {
  std::array<std::int64_t, max_rank> stride{};
  std::int64_t next = 1;
  for (int d = extents.rank - 1; d >= 0; next *= extents.extent[d--]) stride[d] = next;
  return stride;
}

}  // namespace quern::impl

#endif
