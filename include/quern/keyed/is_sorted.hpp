// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_IS_SORTED_HPP
#define QUERN_KEYED_IS_SORTED_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/views/adjacent.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/reduce/call.hpp>
#include <quern/reduce/strided_reduction.hpp>

namespace quern {
namespace impl {

template <class Order>
struct in_order_pair {
  Order order;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& first, const T& second) const {
    return order.in_order(first, second);
  }
};

/// A reduction of all pairs of adjacent elements along each line.
template <class Exec, class Out, class Elements, class... Options>
void reduce_pairs(call<Exec>& c, const strided<Out>& out, const shape& extents, const Elements& elements,
                  const Options&... options) {
  const sort_lines lines(c.label, extents, options...);
  const int last = lines.extents.rank - 1;
  shape pairs = lines.extents;
  pairs.extent[last] = std::max<std::int64_t>(pairs.extent[last] - 1, 0);
  with_sources(
      [&](const auto& x) {
        using T = source_value_t<std::remove_const_t<decltype(x.data)>>;
        with_adjacent(
            in_order_pair{ordering_of<T>(options...)}, lines.of(x), pairs, last, [&](const auto& f, const auto&... in) {
              reduce_launch(
                  c.exec, c.label, c.scratch(),
                  describe_reduction<Exec>(op_reducer<bool, and_op>{{}, true}, f, axis_set::all(), out, in...));
            });
      },
      elements);
}

}  // namespace impl

/// Whether x is in order along each line, as `sort` would leave it: returned with `on_host` or without an output, for
/// which the call waits, or written to `out`.
/// @param out     of rank 0 and an integer type or bool
/// @param options those of `sort`
/// @throws Error if the axis is out of range
template <execution_space Exec, result_like Out, array_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
auto is_sorted(const Exec& exec, const Out& out, const X& x_view, const Options&... options) {
  impl::call c("quern::is_sorted", exec);
  impl::require_order<impl::value_of<X>, Options...>();
  const shape extents = impl::operand_extents(c.label, x_view);
  const auto x = c.elements(x_view);
  if constexpr (view_like<Out>) {
    static_assert(std::is_integral_v<impl::value_of<Out>>, "quern::is_sorted: out must be of an integer type or bool");
    const auto to = c.output(out);
    if (to.extents.rank != 0) impl::reject_extents(c.label, "out", to.extents, "rank 0");
    impl::check_overlap(c.label, to, x, "x", false);
    impl::reduce_pairs(c, to, extents, x, options...);
  } else {
    return impl::value_on_host<bool>(
        c, [&](const auto& sorted) { impl::reduce_pairs(c, sorted, extents, x, options...); });
  }
}
template <execution_space Exec, array_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
bool is_sorted(const Exec& exec, const X& x, const Options&... options) {
  return is_sorted(exec, on_host, x, options...);
}
template <array_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
bool is_sorted(const X& x, const Options&... options) {
  return is_sorted(impl::space_of(x), on_host, x, options...);
}
template <view_like Out, array_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void is_sorted(const Out& out, const X& x, const Options&... options) {
  is_sorted(impl::space_of(out), out, x, options...);
}
QUERN_TAKES_NAME_NOT(place, is_sorted)

}  // namespace quern

#endif
