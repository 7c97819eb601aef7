// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_DIFFERENCES_HPP
#define QUERN_MAP_DIFFERENCES_HPP

#include <algorithm>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/restrided.hpp>

namespace quern {
namespace impl {

/// A difference in the type of the values: that of integers wraps around, and bools differ or do not.
struct difference {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, bool>) return a != b;
    else return wrapping_subtract(a, b);
  }
};

/// The difference of two differences of neighbours.
struct second_difference {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b, const T& c) const {
    return difference()(difference()(a, b), difference()(b, c));
  }
};

/// What differences along an axis are of: `part(k)` are the elements from k on, as many as there are differences.
template <class Exec, class V>
auto parts_along(const call<Exec>& c, const V& v, int along, std::int64_t n) {
  return [&c, &v, along, n](std::int64_t first) {
    return restrided_input<rank_of<V>>(c, v, [&](index_layout l) {
      l.first += first * l.stride[along];
      l.extents.extent[along] = n;
      return l;
    });
  };
}

/// The differences of differences, `order` times. Two are one kernel; more go through scratch memory, two at a time.
/// Outputs and scratch memory are of one type where their values are, so that they share kernels.
template <class Exec, class Out, class In>
void repeated_differences(const call<Exec>& c, const Out& out_view, const In& in, int along, std::int64_t n,
                          int order) {
  using T = value_of<In>;
  constexpr int rank = rank_of<Out>;
  const auto out = as_part<Exec, rank>(c.output(out_view));
  const auto twice = [&](const auto& to, const auto& part) {
    map_checked(c.label, c.exec, to, second_difference(), part(2), part(1), part(0));
  };
  const auto once_or_twice = [&](const auto& to, int times, const auto& part) {
    if (times == 2) twice(to, part);
    else map_checked(c.label, c.exec, to, difference(), part(1), part(0));
  };
  const auto elements = parts_along(c, in, along, n);
  if (order == 0) return map_checked(c.label, c.exec, out, op::identity(), elements(0));
  if (order <= 2) return once_or_twice(out, order, elements);
  const int first = order % 2 == 1 ? 1 : 2;
  shape extents = view_extents(out_view);
  extents.extent[along] = n + order - first;
  T *from = nullptr, *to = nullptr;
  const auto scratch = [&](T* data) {
    return as_part<Exec, rank>(strided<T>{data, extents, row_major_strides(extents)});
  };
  const scratch_arrays<Exec> memory(c.exec, scratch_part{from, extents.size()}, scratch_part{to, extents.size()});
  once_or_twice(scratch(from), first, parts_along(c, in, along, extents.extent[along]));
  for (order -= first; order > 0; order -= 2) {
    const auto before = scratch(from);
    extents.extent[along] -= 2;
    const auto part = parts_along(c, before, along, extents.extent[along]);
    if (order == 2) twice(out, part);
    else twice(scratch(to), part);
    std::swap(from, to);
  }
}

}  // namespace impl

/// How many times `diff` takes differences: `diff(exec, out, x, difference_order{2})`.
struct difference_order {
  using option_of = impl::any_place;
  int value;
};

/// `out(i) = in(i + 1) - in(i)` along an axis, the last one without the option `axis` (NumPy's `diff`).
///
/// @param out a View of in's extents, one less along the axis (0 of none), or with `difference_order{n}` n less
/// @param in  an array of one axis at least, which may be lazy or re-indexed: `pad(x, {{1, 0}}, 0)` puts a 0 before its
///            elements, as NumPy's `prepend` does
///
/// Differences are of in's type, of which integers wrap around, as unsigned ones in NumPy; of bools they say whether
/// both differ. They are converted to out's type. With `difference_order{n}` they are differences of differences, n
/// times: of 0 the elements. Asynchronous on `exec`: one kernel without scratch memory, which may be captured in a
/// device graph; n above 2 takes half as many kernels, and scratch memory.
/// @throws Error if extents do not fit, the axis is out of range, the order is negative, or out shares memory
/// with in
template <execution_space Exec, view_like Out, array_like In, option<axis, difference_order>... Options>
void diff(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::may_have_rank<In, 1, max_rank>, "quern::diff: in must have one axis at least");
  const impl::call c("quern::diff", exec);
  constexpr bool repeated = impl::has_option<difference_order, Options...>;
  const int order = impl::option_or(difference_order{1}, options...).value;
  if (order < 0) throw Error(c.label, "differences of order " + std::to_string(order));
  shape expected = impl::operand_extents(c.label, in);
  const int along = impl::axis_option(c.label, -1, expected.rank, options...);
  expected.extent[along] = std::max<std::int64_t>(expected.extent[along] - order, 0);
  impl::check_extents(c.label, "out", impl::view_extents(out), expected);
  impl::check_overlap(c.label, c.output(out), c.elements(in), "in", false);
  if (expected.size() == 0) return;
  const std::int64_t n = expected.extent[along];
  if constexpr (repeated) {
    static_assert(impl::rank_of<Out> >= 1, "quern::diff: with an order, the rank of out is known when compiling");
    if constexpr (impl::rank_of<Out> >= 1) impl::repeated_differences(c, out, in, along, n, order);
  } else {
    const auto part = impl::parts_along(c, in, along, n);
    impl::map_checked(c.label, exec, out, impl::difference(), part(1), part(0));
  }
}
template <view_like Out, array_like In, option<axis, difference_order>... Options>
void diff(const Out& out, const In& in, const Options&... options) {
  diff(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME_NOT(place, diff)

}  // namespace quern

#endif
