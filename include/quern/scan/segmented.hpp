// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_SEGMENTED_HPP
#define QUERN_SCAN_SEGMENTED_HPP

/// @file
/// Reductions and scans of segments of a line of values, as the rows of a sparse matrix or the particles of a cell are.
///
/// `offsets` has one element more than there are segments, of any integer type: segment s has the values from
/// `offsets(s)` to `offsets(s + 1) - 1`, possibly none. Offsets must not decrease and lie between 0 and the number of
/// values; others give undefined results (but touch no memory outside of the Views), and with the option
/// `checked` an Error. Values before the first offset and after the last belong to no segment. All arrays have
/// rank 1.
///
/// Work is shared out by values and segments together, so one segment of all values, as many segments as values, and
/// any mixture take about the same time for the same number of bytes.
///
/// All calls are asynchronous, except those with `checked`, which wait for `exec`. Scratch memory is about two
/// accumulators for each 2400 values and segments on a device; it comes from the pool of the execution-space instance,
/// or the caller's `WorkspaceScope`. Calls without `exec` use a default instance of the execution
/// space of `out`.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/least_position.hpp>
#include <quern/scan/scan.hpp>
#include <quern/scan/segmented_launch.hpp>

namespace quern {

namespace impl {

template <class T>
concept segment_option = option<T, checked_t>;

/// The first position where offsets decrease or leave [0, n].
template <class Index>
struct offset_check {
  strided_line<const Index> offsets;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first_bad) const {
    const auto here = static_cast<std::int64_t>(offsets[i]);
    const bool bad = here < 0 || here > n || (i > 0 && here < static_cast<std::int64_t>(offsets[i - 1]));
    if (bad && i < first_bad) first_bad = i;
  }
};
template <class Exec, class Index>
void require_sorted(const Exec& exec, const std::string& label, const strided<const Index>& offsets, std::int64_t n) {
  const std::int64_t count = offsets.extents.extent[0];
  const std::int64_t bad =
      least_position(exec, label_text(label, "/check"), count, offset_check<Index>{source_line(offsets), n});
  if (bad < count)
    throw Error(label, "offsets decrease at " + std::to_string(bad) + " or leave the range from 0 to " +
                           std::to_string(n) + ", the number of values");
}

inline void require_line(const std::string& label, std::string_view name, const shape& extents) {
  if (extents.rank != 1) reject_extents(label, name, extents, "rank 1");
}

/// Checks, then launches. A reduction has a result for each segment, a scan one for each value.
template <bool Scan, class Exec, class Out, class Reducer, class Values, class Offsets, class... Options>
void segmented_call(const operation_name& label, const Exec& exec, const Out& out_view, const Reducer& reducer,
                    const Values& value_view, const Offsets& offset_view, const Options&...) {
  static_assert(!repeated_option<Options...>::value);
  static_assert(std::is_integral_v<value_of<Offsets>>, "quern: offsets must be integers");
  call<Exec> c(label, exec);
  const auto out = c.output(out_view);
  const auto elements = c.elements(value_view);
  const shape extents = operand_extents(c.label, value_view);
  const auto offsets = c.input(offset_view);
  require_line(c.label, "out", out.extents);
  require_line(c.label, "values", extents);
  require_line(c.label, "offsets", offsets.extents);
  const std::int64_t n = extents.extent[0], segments = offsets.extents.extent[0] - 1;
  if (segments < 0) reject_extents(c.label, "offsets", offsets.extents, "one more than there are segments");
  check_extents(c.label, "out", out.extents, shape{Scan ? n : segments});
  check_overlap(c.label, out, elements, "values", Scan);
  check_overlap(c.label, out, offsets, "offsets", false);
  if constexpr (has_option<checked_t, Options...>) require_sorted(exec, c.label, offsets, n);
  with_sources(
      [&](const auto& values) { segmented_launch<Scan>(exec, c.label, c.scratch(), reducer, out, values, offsets); },
      elements);
}

}  // namespace impl

/// `out(s) = op` over the values of segment s, in their order, and `identity` for a segment of none.
///
/// @param out      one element for each segment
/// @param op       an associative functor of two values of the type of `identity`; it need not be commutative
/// @param identity what `op` leaves every value unchanged with; its type is the one that values are converted to
/// @throws Error   if extents do not fit or `out` shares memory with an input
template <execution_space Exec, view_like Out, class Op, scalar_value T, array_like Values, view_like Offsets,
          option<checked_t>... Options>
void segmented_reduce(const Exec& exec, const Out& out, const Op& op, const T& identity, const Values& values,
                      const Offsets& offsets, const Options&... options) {
  static_assert(impl::holds<T, impl::value_of<Values>>,
                "quern::segmented_reduce: identity must be of a type that holds the values, 0.0 for doubles");
  const impl::label_scope functor("quern::segmented_reduce", typeid(Op));
  impl::segmented_call<false>("quern::segmented_reduce", exec, out, impl::op_reducer<T, Op>{op, identity}, values,
                              offsets, options...);
}
template <view_like Out, class Op, scalar_value T, array_like Values, view_like Offsets,
          impl::segment_option... Options>
void segmented_reduce(const Out& out, const Op& op, const T& identity, const Values& values, const Offsets& offsets,
                      const Options&... options) {
  segmented_reduce(impl::space_of(out), out, op, identity, values, offsets, options...);
}
QUERN_TAKES_NAME_NOT(place, segmented_reduce)

/// `out(v)` is the `op` over the values of v's segment up to v itself. Where no segment has v, `out(v)` is left alone.
///
/// @param out      one element for each value; may be the View of values
/// @param op, identity  as for `segmented_reduce`
/// @throws Error   if extents do not fit or `out` shares memory with `values` without being it
template <execution_space Exec, view_like Out, class Op, scalar_value T, array_like Values, view_like Offsets,
          option<checked_t>... Options>
void segmented_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const Values& values,
                    const Offsets& offsets, const Options&... options) {
  static_assert(impl::holds<T, impl::value_of<Values>>,
                "quern::segmented_scan: identity must be of a type that holds the values, 0.0 for doubles");
  const impl::label_scope functor("quern::segmented_scan", typeid(Op));
  impl::segmented_call<true>("quern::segmented_scan", exec, out, impl::op_reducer<T, Op>{op, identity}, values, offsets,
                             options...);
}
template <view_like Out, class Op, scalar_value T, array_like Values, view_like Offsets,
          impl::segment_option... Options>
void segmented_scan(const Out& out, const Op& op, const T& identity, const Values& values, const Offsets& offsets,
                    const Options&... options) {
  segmented_scan(impl::space_of(out), out, op, identity, values, offsets, options...);
}
QUERN_TAKES_NAME_NOT(place, segmented_scan)

}  // namespace quern

#endif
