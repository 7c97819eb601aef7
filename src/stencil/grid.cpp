// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/stencil/grid.hpp>

namespace quern::impl {

std::int64_t grid_edges::set_axis(int axis, const boundary_pair& sides, std::int64_t n) {
  std::int64_t reach = std::numeric_limits<std::int64_t>::max();
  for (const int side : {0, 1}) {
    mode[axis][side] = (side == 0 ? sides.low : sides.high).kind();
    continued_at[axis][side] = continuation_of(mode[axis][side], side == 0, n);
    reach = std::min(reach, continuation_reach(mode[axis][side], n));
  }
  return reach;
}

grid_boxes boxes_of(const std::string& label, int rank, bool reversed, const std::int64_t* radius, const shape& extents,
                    const boundaries& edges, bool edged) {
  check_boundaries(label, edges, rank);
  grid_boxes k;
  for (int d = 0; d < rank; ++d) {
    const int a = grid_axis(rank, reversed, d);
    const std::int64_t n = k.extent[a] = extents.extent[d], r = radius[d];
    const auto [first, last] = computed_cells(label, edges, d, extents, edged && edges.is_box() ? 0 : r);
    k.all.low[a] = first;
    k.all.high[a] = last;
    if (!edges.is_box()) k.continued_once = r <= k.set_axis(a, edges.axis(d), n) && k.continued_once;
    k.inner.low[a] = std::max(first, std::min(r, last));
    k.inner.high[a] = std::max(k.inner.low[a], std::min(n - r, last));
    if (k.inner.low[a] == k.inner.high[a]) k.inner.low[a] = k.inner.high[a] = k.all.low[a];
  }
  return k;
}

}  // namespace quern::impl
