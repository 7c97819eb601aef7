// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/stencil/separable_passes.hpp>

namespace quern::impl {

run_time_box reach_of(const std::string& label, std::span<const int> size) {
  run_time_box reach;
  for (std::size_t d = 0; d < size.size(); ++d) {
    if (size[d] < 1)
      throw Error(label, "a window of " + std::to_string(size[d]) + " along axis " + std::to_string(d) +
                             ", expected at least 1");
    reach.r[d] = size[d] / 2;
  }
  return reach;
}

boundaries edges_of_pass(const boundaries& edges, int rank, const run_time_box& radius, int first, int last,
                         const std::function<boundary(const boundary&)>& scaled, run_time_box& reach) {
  for (int d = first; d <= last; ++d) reach.r[d] = radius.r[d];
  if (edges.is_box()) {
    axis_list<interior_only::range_type> range;
    for (int d = 0; d < rank; ++d) {
      const int more = d > last ? radius.r[d] : 0;
      range.push_back({edges.range(d).first - more, edges.range(d).second + more});
    }
    return interior_only(range);
  }
  const auto of_pass = [&](const boundary& b) {
    return b.kind() != boundary::mode::constant || first == 0 ? b : scaled(b);
  };
  axis_list<boundary_pair> each;
  for (int d = 0; d < rank; ++d) {
    const boundary_pair& s = edges.axis(d);
    const bool keeps = s.low.kind() == boundary::mode::keep || s.high.kind() == boundary::mode::keep;
    if (d < first && keeps) reach.r[d] = radius.r[d];
    each.push_back({of_pass(s.low), of_pass(s.high)});  // along other axes it is not read, but has a type
  }
  return boundaries(each);
}

}  // namespace quern::impl
