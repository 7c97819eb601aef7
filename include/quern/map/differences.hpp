// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_DIFFERENCES_HPP
#define QUERN_MAP_DIFFERENCES_HPP

#include <algorithm>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl {

/// A difference in the type of the values: that of integers wraps around, and bools differ or do not.
struct difference {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, bool>) return a != b;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else return a - b;
  }
};

}  // namespace impl

/// `out(i) = in(i + 1) - in(i)` along an axis, the last one without the option `axis` (NumPy's `diff`).
///
/// @param out a View of in's extents, one less along the axis (0 of none)
/// @param in  a View of one axis at least
///
/// Differences are of in's type, of which integers wrap around, as unsigned ones in NumPy; of bools they say whether
/// both differ. They are converted to out's type. The second difference is that of the first. Asynchronous on `exec`:
/// one kernel, without scratch memory, which may be captured in a device graph.
/// @throws Error if extents do not fit, the axis is out of range, or memory overlaps
template <execution_space Exec, view_like Out, view_like In, option<axis>... Options>
void diff(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::may_have_rank<In, 1, max_rank>, "quern::diff: in must have one axis at least");
  const impl::call c("quern::diff", exec);
  const auto x = c.input(in);
  const int along = impl::axis_set(c.label, impl::option_or(axis{-1}, options...), x.extents.rank).only();
  shape expected = x.extents;
  expected.extent[along] = std::max<std::int64_t>(expected.extent[along] - 1, 0);
  impl::check_extents(c.label, "out", impl::view_extents(out), expected);
  if (expected.size() == 0) return;
  const std::int64_t n = expected.extent[along];
  using input = impl::array_input<impl::memory_type<In>>;
  impl::map_checked(c.label, exec, out, impl::difference(), input{impl::part_along(x, along, 1, n)},
                    input{impl::part_along(x, along, 0, n)});
}
template <view_like Out, view_like In, option<axis>... Options>
void diff(const Out& out, const In& in, const Options&... options) {
  diff(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME_NOT(place, diff)

}  // namespace quern

#endif
