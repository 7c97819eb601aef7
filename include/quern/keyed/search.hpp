// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_SEARCH_HPP
#define QUERN_KEYED_SEARCH_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/views/check_increasing.hpp>
#include <quern/keyed/bins.hpp>
#include <quern/map/map.hpp>

namespace quern {

/// Where `searchsorted` puts a value that is there already: before the first of its equals, or after the last.
enum class search_side { left, right };
template <>
inline constexpr bool impl::marked_option<search_side> = true;

namespace impl {

template <class T, class Position>
struct sorted_position {
  const T* sorted;
  std::int64_t stride, n;
  bool after_equal;
  template <class X>
  KOKKOS_FUNCTION Position operator()(const X& x) const {
    return static_cast<Position>(position_in(sorted, stride, n, x, after_equal));
  }
  static constexpr int together = searched_at_once;
  template <class From>
  void apply(Position* to, const From& from, std::int64_t first) const {
    std::remove_cvref_t<decltype(from[first])> x[searched_at_once];
    std::int64_t at[searched_at_once];
    for (int k = 0; k < searched_at_once; ++k) x[k] = from[first + k];
    positions_in(sorted, stride, n, x, at, after_equal);
    for (int k = 0; k < searched_at_once; ++k) to[first + k] = static_cast<Position>(at[k]);
  }
};

template <class T, class Position>
inline constexpr bool takes_several<sorted_position<T, Position>> = true;

template <class Exec, class Out, class Sorted, class X>
void search_in(const Exec& exec, const operation_name& label, const Out& out, const Sorted& sorted_view, const X& x,
               bool after_equal, bool checked) {
  constexpr bool ordered = has_order<value_of<Sorted>> && has_order<typename argument_of<X, 0>::type>;
  static_assert(ordered, "quern::searchsorted, digitize: complex numbers have no order");
  const call c(label, exec);
  const auto sorted = c.input(sorted_view);
  if (sorted.extents.rank != 1) reject_extents(label, "the sorted values", sorted.extents, "rank 1");
  check_overlap(label, c.output(out), sorted, "the sorted values", false);
  check_positions<value_of<Out>>(label, "out", sorted.extents.extent[0] + 1);
  if constexpr (ordered) {
    if (checked) check_increasing(exec, label, "the edges", sorted);
    map_checked(label, exec, out,
                sorted_position<value_of<Sorted>, value_of<Out>>{sorted.data, sorted.stride[0],
                                                                 sorted.extents.extent[0], after_equal},
                x);
  }
}

}  // namespace impl

/// Where in `sorted` the elements of x would be put to keep it sorted: `out(i...)` elements of `sorted` are less than
/// `x(i...)` (search_side::left), or not greater (search_side::right): `numpy.searchsorted`. NaN comes after all
/// numbers.
///
/// Asynchronous on `exec`, without scratch memory. What is not sorted gives positions without meaning, from 0 to n.
/// @param out    of an integer type that holds 0 to n
/// @param sorted of rank 1, in ascending order
/// @param x      broadcasts to `out`
/// @throws Error if extents or out's type do not fit, or out shares memory with an input
template <execution_space Exec, view_like Out, view_like Sorted, operand X, option<search_side>... Options>
void searchsorted(const Exec& exec, const Out& out, const Sorted& sorted, const X& x, const Options&... options) {
  const auto side = impl::option_or(search_side::left, options...);
  impl::search_in(exec, "quern::searchsorted", out, sorted, x, side == search_side::right, false);
}
template <view_like Out, view_like Sorted, operand X, option<search_side>... Options>
void searchsorted(const Out& out, const Sorted& sorted, const X& x, const Options&... options) {
  searchsorted(impl::space_of(out), out, sorted, x, options...);
}
QUERN_TAKES_NAME_NOT(place, searchsorted)

/// The bin of each element among edges that increase: b where `edges(b - 1) <= x < edges(b)`, so 0 below the first edge
/// and n from the last on: `numpy.digitize`. With `search_side::left` the upper edges belong to the bins: `edges(b - 1)
/// < x <= edges(b)`, NumPy's `right=True`. Waits for a check of the edges.
///
/// @param out   of an integer type that holds 0 to n
/// @param edges of rank 1
/// @param x     broadcasts to `out`
/// @throws UnsortedError at the first edge that is greater than the next, or NaN; Error if extents or out's type do not
/// fit
template <execution_space Exec, view_like Out, operand X, view_like Edges, option<search_side>... Options>
void digitize(const Exec& exec, const Out& out, const X& x, const Edges& edges, const Options&... options) {
  const auto side = impl::option_or(search_side::right, options...);
  impl::search_in(exec, "quern::digitize", out, edges, x, side == search_side::right, true);
}
template <view_like Out, operand X, view_like Edges, option<search_side>... Options>
void digitize(const Out& out, const X& x, const Edges& edges, const Options&... options) {
  digitize(impl::space_of(out), out, x, edges, options...);
}
QUERN_TAKES_NAME_NOT(place, digitize)

}  // namespace quern

#endif
