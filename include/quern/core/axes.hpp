// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_AXES_HPP
#define QUERN_CORE_AXES_HPP

#include <initializer_list>
#include <limits>
#include <quern/core/extents.hpp>

namespace quern {

/// The axes of an operation along some of an array's axes: `axes{0, 2}`. Negative numbers count from the end, -1 being
/// the last axis.
struct axes {
  int count = 0;
  std::array<int, max_rank> number{};

  axes() = default;  // no axis
  axes(std::initializer_list<int> numbers) : count(static_cast<int>(numbers.size())) {
    if (numbers.size() > max_rank) throw Error("quern::axes", "at most 8 axes are possible");
    std::copy(numbers.begin(), numbers.end(), number.begin());
  }
};

/// One axis: `axis{1}`.
struct axis : axes {
  explicit axis(int n) : axes({n}) {}
};

namespace impl {

/// Some axes of an array of known rank.
class axis_set {
 public:
  static axis_set all() {
    axis_set s;
    s.in_.fill(true);
    return s;
  }

  /// @throws Error if an axis is out of range or repeated
  axis_set(const std::string& operation, const axes& wanted, int rank) {
    for (int i = 0; i < wanted.count; ++i) {
      const int n = wanted.number[i], d = n < 0 ? n + rank : n;
      if (d < 0 || d >= rank)
        throw Error(operation, "axis " + std::to_string(n) + " is out of range, expected one of an array of rank " +
                                   std::to_string(rank));
      if (in_[d]) throw Error(operation, "axis " + std::to_string(n) + " is repeated");
      in_[d] = true;
    }
  }

  bool has(int d) const { return in_[d]; }

  /// The extents along the axes of the set, or along the others, in their order.
  shape part(const shape& extents, bool in_set) const {
    shape s;
    for (int d = 0; d < extents.rank; ++d)
      if (in_[d] == in_set) s.extent[s.rank++] = extents.extent[d];
    return s;
  }
  /// An array's strides along the axes of the set, or along the others.
  template <class Array>
    requires requires(const Array& a) { a.stride; }
  std::array<std::int64_t, max_rank> part(const Array& array, bool in_set) const {
    std::array<std::int64_t, max_rank> stride{};
    int n = 0;
    for (int d = 0; d < array.extents.rank; ++d)
      if (in_[d] == in_set) stride[n++] = array.stride[d];
    return stride;
  }

 private:
  axis_set() = default;
  std::array<bool, max_rank> in_{};
};

/// The smallest stride along the axes of the set, or along the others.
inline std::int64_t smallest_stride(const shape& extents, const std::array<std::int64_t, max_rank>& stride,
                                    const axis_set& axes, bool in_set) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int d = 0; d < extents.rank; ++d)
    if (axes.has(d) == in_set && extents.extent[d] > 1) smallest = std::min(smallest, stride[d]);
  return smallest;
}

}  // namespace impl
}  // namespace quern

#endif
