// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_AXES_HPP
#define QUERN_CORE_VIEWS_AXES_HPP

#include <initializer_list>
#include <quern/core/views/extents.hpp>

namespace quern {

/// The axes of an operation along some of an array's axes: `axes{0, 2}`. Negative numbers count from the end, -1 being
/// the last axis.
struct axes {
  using option_of = impl::any_place;
  int count = 0;
  std::array<int, max_rank> number{};

  axes() = default;  // no axis
  axes(std::initializer_list<int> numbers);
};

/// One axis: `axis{1}`.
struct axis : axes {
  explicit axis(int n) : axes({n}) {}
};

namespace impl {

/// The number of an axis, counted from the front.
constexpr int axis_from_front(int number, int rank) { return number < 0 ? number + rank : number; }
/// Those of some axes, in their order.
/// @throws Error if an axis is out of range or repeated
std::array<int, max_rank> axes_in_order(const std::string& label, const axes& wanted, int rank);

/// Some axes of an array of known rank.
class axis_set {
 public:
  static axis_set all() {
    axis_set s;
    s.in_.fill(true);
    return s;
  }

  /// @throws Error if an axis is out of range or repeated
  axis_set(const std::string& operation, const axes& wanted, int rank);

  /// The number of the only axis.
  int only() const {
    int d = 0;
    while (!in_[d]) ++d;
    return d;
  }
  bool has(int d) const { return in_[d]; }
  bool operator==(const axis_set&) const = default;

  /// The extents along the axes of the set, or along the others, in their order.
  shape part(const shape& extents, bool in_set) const;
  /// An array's strides along the axes of the set, or along the others.
  template <class Array>
    requires requires(const Array& a) { a.stride; }
  Kokkos::Array<std::int64_t, max_rank> part(const Array& array, bool in_set) const {
    Kokkos::Array<std::int64_t, max_rank> stride{};
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
std::int64_t smallest_stride(const shape& extents, const stride_array& stride, const axis_set& axes, bool in_set);

}  // namespace impl
}  // namespace quern

#endif
