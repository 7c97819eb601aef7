// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <quern/core/views/axes.hpp>

namespace quern {

axes::axes(std::initializer_list<int> numbers) : count(static_cast<int>(numbers.size())) {
  if (numbers.size() > max_rank) throw Error("quern::axes", "at most 8 axes are possible");
  std::copy(numbers.begin(), numbers.end(), number.begin());
}

namespace impl {

axis_set::axis_set(const std::string& operation, const axes& wanted, int rank) {
  for (int i = 0; i < wanted.count; ++i) {
    const int n = wanted.number[i], d = axis_from_front(n, rank);
    if (d < 0 || d >= rank)
      throw Error(operation, "axis " + std::to_string(n) + " is out of range, expected one of an array of rank " +
                                 std::to_string(rank));
    if (in_[d]) throw Error(operation, "axis " + std::to_string(n) + " is repeated");
    in_[d] = true;
  }
}
std::array<int, max_rank> axes_in_order(const std::string& label, const axes& wanted, int rank) {
  axis_set(label, wanted, rank);  // rejects what is out of range or repeated
  std::array<int, max_rank> numbers{};
  for (int k = 0; k < wanted.count; ++k) numbers[k] = axis_from_front(wanted.number[k], rank);
  return numbers;
}
shape axis_set::part(const shape& extents, bool in_set) const {
  shape s;
  for (int d = 0; d < extents.rank; ++d)
    if (in_[d] == in_set) s.extent[s.rank++] = extents.extent[d];
  return s;
}
std::int64_t smallest_stride(const shape& extents, const stride_array& stride, const axis_set& axes, bool in_set) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int d = 0; d < extents.rank; ++d)
    if (axes.has(d) == in_set && extents.extent[d] > 1)
      smallest = std::min<std::int64_t>(smallest, std::abs(stride[d]));
  return smallest;
}

}  // namespace impl
}  // namespace quern
