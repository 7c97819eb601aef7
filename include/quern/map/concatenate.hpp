// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_CONCATENATE_HPP
#define QUERN_MAP_CONCATENATE_HPP

/// @file
/// Several arrays in one, behind each other along an axis or along a new one. The arrays are a list, of any length and
/// of one type, or stand in the call, `components(x, y, z)`, of any types.

#include <quern/core/launch/operations.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/check_indices.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <vector>

namespace quern {
namespace impl {

template <class T>
inline constexpr bool is_array_list = false;
template <class... V>
inline constexpr bool is_array_list<std::tuple<V...>> = (array_like<V> && ...);
template <class V, class Allocator>
inline constexpr bool is_array_list<std::vector<V, Allocator>> = array_like<V>;

template <class... V, class F>
void for_each_joined(const std::tuple<V...>& views, const F& f) {
  unpack([&](const auto&... v) { (f(v), ...); }, views);
}
template <class V, class Allocator, class F>
void for_each_joined(const std::vector<V, Allocator>& views, const F& f) {
  for (const V& v : views) f(v);
}

/// An input whose indices have been checked.
template <class V>
V without_checks(V v) {
  if constexpr (is_mapped<V>) mark_checked(v.source);
  return v;
}

/// Writes inputs to parts of an array, behind each other. `Stacked` inputs have one axis less and an index each.
template <bool Stacked, class Exec, class Out, class In, class... Options>
void write_joined(const operation_name& name, const Exec& exec, const Out& out_view, const In& in,
                  const Options&... options) {
  constexpr int rank = rank_of<Out>;
  const call c(name, exec);
  const auto out = c.output(out_view);
  const int along = axis_option(c.label, 0, rank, options...);
  const axis_set others(c.label, axes(axis{along}), rank);
  shape expected = out.extents;
  expected.extent[along] = 0;
  std::size_t number = 0;
  for_each_joined(in, [&](const auto& v) {
    const shape extents = operand_extents(c.label, v);
    const std::string input = input_name(number++);
    const std::int64_t n = Stacked ? 1 : extents.rank == rank ? extents.extent[along] : 0;
    shape own = out.extents;
    own.extent[along] = n;
    check_extents(c.label, input, extents, Stacked ? others.part(out.extents, false) : own);
    check_overlap(c.label, out, c.elements(v), input, false);
    expected.extent[along] += n;
  });
  if (number == 0) throw Error(c.label, "there is no input, expected at least one");
  check_extents(c.label, "out", out.extents, expected);
  std::int64_t first = 0;
  for_each_joined(in, [&](const auto& v) {
    const std::int64_t n = Stacked ? 1 : operand_extents(c.label, v).extent[along];
    auto part = part_along(out, along, first, n);
    first += n;
    if constexpr (Stacked) {
      part.stride = others.part(part, false);
      part.extents = others.part(part.extents, false);
    }
    map_checked(c.label, exec, as_part<Exec, rank - (Stacked ? 1 : 0)>(part), op::identity(), without_checks(v));
  });
}

}  // namespace impl

/// Several arrays, which may be lazy or re-indexed: `components(x, y, z)`, or a `std::vector` of arrays of one type.
template <class T>
concept arrays_to_join = impl::is_array_list<std::remove_cvref_t<T>>;

/// The inputs behind each other along an axis (NumPy's `concatenate`): `concatenate(exec, out, components(x, y),
/// axis{1})`; without the option along the first one.
///
/// @param out a View of as many axes as the inputs, of their extents along other axes, and of the sum of theirs along
///            this one
/// @param in  `components(x, y, ...)` of any types that convert to out's, or a `std::vector` of arrays of one type;
///            they may be lazy or re-indexed
///
/// Asynchronous on `exec`: a kernel for each input, without scratch memory, which may be captured in a device graph.
/// @throws Error if there is no input, extents do not fit, the axis is out of range, or out shares memory with an
/// input; nothing is written then
template <execution_space Exec, view_like Out, arrays_to_join In, option<axis>... Options>
void concatenate(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::rank_of<Out> >= 1, "quern::concatenate: out must have one axis at least, known when compiling");
  impl::write_joined<false>("quern::concatenate", exec, out, in, options...);
}
template <view_like Out, arrays_to_join In, option<axis>... Options>
void concatenate(const Out& out, const In& in, const Options&... options) {
  concatenate(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME(concatenate)

/// The inputs behind each other along a new axis (NumPy's `stack`): `out(i, ...) = in_i(...)`, with the option
/// `axis{k}` the index of the input is number k of out's.
///
/// @param out a View of one axis more than the inputs, whose extent along it is their number
/// @param in  as of `concatenate`, of equal extents
///
/// Asynchronous on `exec`, as `concatenate`.
/// @throws Error if there is no input, extents do not fit, the axis is out of range, or out shares memory with an
/// input; nothing is written then
template <execution_space Exec, view_like Out, arrays_to_join In, option<axis>... Options>
void stack(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  static_assert(impl::rank_of<Out> >= 1, "quern::stack: out must have one axis at least, known when compiling");
  impl::write_joined<true>("quern::stack", exec, out, in, options...);
}
template <view_like Out, arrays_to_join In, option<axis>... Options>
void stack(const Out& out, const In& in, const Options&... options) {
  stack(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME(stack)

}  // namespace quern

#endif
