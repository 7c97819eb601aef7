// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/launch/loop_nest.hpp>

#include <algorithm>
#include <cstdlib>

namespace quern::impl {
namespace {

/// Appends an axis to a nest, or merges it with the last one where both can be walked through as one. Returns the rank.
int append_axis(const shape& extents, const stride_array* strides, int n, int axis, int rank, stride_array& extent,
                stride_array* stride) {
  const int last = rank - 1;
  bool merges = last >= 0;
  for (int k = 0; k < n && merges; ++k) merges = strides[k][axis] == stride[k][last] * extent[last];
  if (merges) {
    extent[last] *= extents.extent[axis];
    return rank;
  }
  extent[rank] = extents.extent[axis];
  for (int k = 0; k < n; ++k) stride[k][rank] = strides[k][axis];
  return rank + 1;
}

}  // namespace

int nest_by_strides(const shape& extents, const stride_array* strides, int n, int lead, stride_array& extent,
                    stride_array* stride) {
  const auto closer = [&](int a, int b) {
    const auto apart = [&](int k, int d) { return std::abs(strides[k][d]); };  // some axes run backwards
    if (apart(lead, a) != apart(lead, b)) return apart(lead, a) < apart(lead, b);
    for (int k = 0; k < n; ++k)
      if (apart(k, a) != apart(k, b)) return apart(k, a) < apart(k, b);
    return false;
  };
  std::array<int, max_rank> axes{};
  int* end = axes.data();
  for (int d = extents.rank - 1; d >= 0; --d) {
    if (extents.extent[d] == 1) continue;
    int* position = std::upper_bound(axes.data(), end, d, closer);
    std::copy_backward(position, end, end + 1);
    *position = d;
    ++end;
  }
  int rank = 0;
  for (const int* a = axes.data(); a != end; ++a) rank = append_axis(extents, strides, n, *a, rank, extent, stride);
  return std::max(rank, 1);
}

int nest_by_rows(const shape& extents, const stride_array* strides, int n, stride_array& extent, stride_array* stride) {
  int rank = 0;
  for (int d = extents.rank - 1; d >= 0; --d)
    if (extents.extent[d] != 1) rank = append_axis(extents, strides, n, d, rank, extent, stride);
  return std::max(rank, 1);
}

stride_array row_major_strides(const shape& extents) {
  stride_array stride{};
  std::int64_t next = 1;
  for (int d = extents.rank - 1; d >= 0; next *= extents.extent[d--]) stride[d] = next;
  return stride;
}

stride_array contiguous_strides(const shape& extents, const stride_array& order) {
  const auto faster = [&](int a, int b) {
    const std::int64_t first = std::abs(order[a]), second = std::abs(order[b]);
    return first < second || (first == second && a > b);
  };
  std::array<int, max_rank> axis{};  // the fastest first, by insertion
  for (int d = 0, k; d < extents.rank; ++d) {
    for (k = d; k > 0 && faster(d, axis[k - 1]); --k) axis[k] = axis[k - 1];
    axis[k] = d;
  }
  stride_array stride{};
  std::int64_t next = 1;
  for (int k = 0; k < extents.rank; next *= extents.extent[axis[k++]]) stride[axis[k]] = next;
  return stride;
}

}  // namespace quern::impl
