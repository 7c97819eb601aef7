// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_CONCATENATE_HPP
#define QUERN_MAP_CONCATENATE_HPP

/// @file
/// Several arrays in one, behind each other along an axis or along a new one. The arrays are a list, of any length and
/// of one type, or stand in the call, `components(x, y, z)`, of any types.

#include <quern/core/launch/operations.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/restrided.hpp>
#include <vector>

namespace quern {
namespace impl {

template <class T>
inline constexpr bool is_view_list = false;
template <class... V>
inline constexpr bool is_view_list<std::tuple<V...>> = (view_like<V> && ...);
template <class V, class Allocator>
inline constexpr bool is_view_list<std::vector<V, Allocator>> = view_like<V>;

template <class... V, class F>
void for_each_view(const std::tuple<V...>& views, const F& f) {
  unpack([&](const auto&... v) { (f(v), ...); }, views);
}
template <class V, class Allocator, class F>
void for_each_view(const std::vector<V, Allocator>& views, const F& f) {
  for (const V& v : views) f(v);
}

/// What `insert` takes as values.
template <class T>
concept inserted_values = array_like<T> || scalar_value<T>;

/// Writes inputs to parts of an array, behind each other. `Stacked` inputs have one axis less and an index each.
template <bool Stacked, class Exec, class Out, class In, class... Options>
void write_joined(const operation_name& name, const Exec& exec, const Out& out_view, const In& in,
                  const Options&... options) {
  constexpr int rank = rank_of<Out>;
  const call c(name, exec);
  const auto out = c.output(out_view);
  const int along = axis_set(c.label, option_or(axis{0}, options...), rank).only();
  const axis_set others(c.label, axes(axis{along}), rank);
  shape expected = out.extents;
  expected.extent[along] = 0;
  std::size_t number = 0;
  for_each_view(in, [&](const auto& v) {
    const auto x = c.input(v);
    const std::string input = input_name(number++);
    const std::int64_t n = Stacked ? 1 : x.extents.rank == rank ? x.extents.extent[along] : 0;
    shape own = out.extents;
    own.extent[along] = n;
    check_extents(c.label, input, x.extents, Stacked ? others.part(out.extents, false) : own);
    check_overlap(c.label, out, x, input, false);
    expected.extent[along] += n;
  });
  check_extents(c.label, "out", out.extents, expected);
  std::int64_t first = 0;
  for_each_view(in, [&](const auto& v) {
    const std::int64_t n = Stacked ? 1 : static_cast<std::int64_t>(view_extents(v).extent[along]);
    auto part = part_along(out, along, first, n);
    first += n;
    if constexpr (Stacked) {
      part.stride = others.part(part, false);
      part.extents = others.part(part.extents, false);
    }
    map_checked(c.label, exec, as_part<Exec, rank - (Stacked ? 1 : 0)>(part), op::identity(), v);
  });
}

}  // namespace impl

/// Several Views: `components(x, y, z)`, or a `std::vector` of Views of one type.
template <class T>
concept views_to_join = impl::is_view_list<std::remove_cvref_t<T>>;

/// The inputs behind each other along an axis (NumPy's `concatenate`): `concatenate(exec, out, components(x, y),
/// axis{1})`; without the option along the first one.
///
/// @param out a View of as many axes as the inputs, of their extents along other axes, and of the sum of theirs along
///            this one
/// @param in  `components(x, y, ...)` of any types that convert to out's, or a `std::vector` of Views
///
/// Asynchronous on `exec`: a kernel for each input, without scratch memory, which may be captured in a device graph.
/// @throws Error if extents do not fit, the axis is out of range, or out shares memory with an input; nothing is
/// written then
template <execution_space Exec, view_like Out, views_to_join In, option<axis>... Options>
void concatenate(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::rank_of<Out> >= 1, "quern::concatenate: out must have one axis at least, known when compiling");
  impl::write_joined<false>("quern::concatenate", exec, out, in, options...);
}
template <view_like Out, views_to_join In, option<axis>... Options>
void concatenate(const Out& out, const In& in, const Options&... options) {
  concatenate(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME(concatenate)

/// The inputs behind each other along a new axis (NumPy's `stack`): `out(i, ...) = in_i(...)`, with the option
/// `axis{k}` the index of the input is number k of out's.
///
/// @param out a View of one axis more than the inputs, whose extent along it is their number
/// @param in  `components(x, y, ...)` of equal extents and any types that convert to out's, or a `std::vector` of Views
///
/// Asynchronous on `exec`, as `concatenate`.
/// @throws Error if extents do not fit, the axis is out of range, or out shares memory with an input; nothing is
/// written then
template <execution_space Exec, view_like Out, views_to_join In, option<axis>... Options>
void stack(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::rank_of<Out> >= 1, "quern::stack: out must have one axis at least, known when compiling");
  impl::write_joined<true>("quern::stack", exec, out, in, options...);
}
template <view_like Out, views_to_join In, option<axis>... Options>
void stack(const Out& out, const In& in, const Options&... options) {
  stack(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME(stack)

/// An array with values put before an index along an axis (NumPy's `insert`), the first one without the option `axis`:
/// `insert(exec, out, x, 2, row, axis{0})`.
///
/// @param out    a View, longer than `in` along the axis by as many places as are filled
/// @param in     an array of as many axes, which may be lazy or re-indexed
/// @param index  from 0 to the extent of `in`, behind all; negative ones count from the end
/// @param values a scalar, or an array that broadcasts to the places, which have the extents of `in` but along the
/// axis,
///               as NumPy's with an index that is a list: one of rank 1 lies along the last axis
///
/// Asynchronous on `exec`: a kernel for the values and one for each part of `in`, without scratch memory, which may be
/// captured in a device graph. `remove_at` is the operand without some elements.
/// @throws Error if extents do not fit, the axis or the index is out of range, or memory overlaps; nothing is written
/// then
template <execution_space Exec, view_like Out, array_like In, impl::inserted_values Values, option<axis>... Options>
void insert(const Exec& exec, const Out& out_view, const In& in, std::int64_t index, const Values& values,
            const Options&... options) {
  constexpr int rank = impl::rank_of<Out>;
  static_assert(rank >= 1, "quern::insert: out must have one axis at least, known when compiling");
  static_assert(impl::may_have_rank<In, rank, rank>, "quern::insert: in must have the rank of out");
  if constexpr (rank >= 1 && impl::may_have_rank<In, rank, rank>) {
    const impl::call c("quern::insert", exec);
    const auto out = c.output(out_view);
    const int along = impl::axis_set(c.label, impl::option_or(axis{0}, options...), rank).only();
    const shape before = impl::operand_extents(c.label, in);
    shape expected = out.extents;
    expected.extent[along] = before.extent[along];
    impl::check_extents(c.label, "in", before, expected);
    const std::int64_t n = before.extent[along], places = out.extents.extent[along] - n;
    if (places < 0) impl::reject_extents(c.label, "out", out.extents, "at least those of in, " + before.str());
    const std::int64_t at = index == n ? n : impl::index_along_axis(c.label, index, before, along);
    impl::check_overlap(c.label, out, c.elements(in), "in", false);
    if constexpr (!scalar_value<Values>) impl::check_overlap(c.label, out, c.elements(values), "values", false);
    const auto part_of_out = [&](std::int64_t first, std::int64_t count) {
      return impl::as_part<Exec, rank>(impl::part_along(out, along, first, count));
    };
    const auto part_of_in = [&](std::int64_t first, std::int64_t count) {
      return impl::restrided_input<rank>(c, in, [&](impl::index_layout l) {
        l.first += first * l.stride[along];
        l.extents.extent[along] = count;
        return l;
      });
    };
    impl::map_checked(c.label, exec, part_of_out(at, places), impl::op::identity(), values);  // rejects them first
    impl::map_checked(c.label, exec, part_of_out(0, at), impl::op::identity(), part_of_in(0, at));
    impl::map_checked(c.label, exec, part_of_out(at + places, n - at), impl::op::identity(), part_of_in(at, n - at));
  }
}
template <view_like Out, array_like In, impl::inserted_values Values, option<axis>... Options>
void insert(const Out& out, const In& in, std::int64_t index, const Values& values, const Options&... options) {
  insert(impl::space_of(out), out, in, index, values, options...);
}
QUERN_TAKES_NAME_NOT(place, insert)

}  // namespace quern

#endif
