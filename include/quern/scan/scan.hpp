// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_SCAN_HPP
#define QUERN_SCAN_SCAN_HPP

/// @file
/// Scans, or prefix reductions, of a whole array or along one of its axes.
///
/// Every scan, here `cumsum`, is called as
///
/// | call | what it does |
/// | --- | --- |
/// | `cumsum(exec, out, in)` | over all elements in row-major order, whatever the layout |
/// | `cumsum(exec, out, in, axis{1})` | along an axis, each line by itself |
/// | `cumsum(exec, out, in, axis{1}, work)` | with the caller's `quern::workspace`, for device graphs |
/// | `cumsum(out, in)`, `cumsum(out, in, axis{1})` | on a default instance of out's execution space |
///
/// `out` and `in` have equal extents, any rank, layout and strides; they may be the same View. All calls are
/// asynchronous. Scratch memory is two accumulators for each chunk of a line; it comes from the pool
/// of the execution-space instance. Where lines are too few for the machine, a device reads the input twice, and the
/// host a second time from its caches.
///
/// @throws Error if extents do not fit, the axis is out of range, or `out` shares memory with `in` without being it

#include <quern/core/arguments.hpp>
#include <quern/core/options.hpp>
#include <quern/reduce/reproducible.hpp>
#include <quern/scan/launch.hpp>

namespace quern {

namespace impl {

/// A scan as an operation sees it: the reducer for a value type.
template <bool Exclusive, class MakeReducer>
struct scan_operation {
  static constexpr bool exclusive = Exclusive;
  std::string label;
  MakeReducer reducer;
};
template <bool Exclusive, class MakeReducer>
scan_operation<Exclusive, MakeReducer> make_scan(const std::string& label, const MakeReducer& reducer) {
  return {label, reducer};
}

template <class Exec, class Scan, class Out, class In>
void scan_into(const Scan& scan, const Exec& exec, workspace<Exec>& scratch, const axes* wanted, const Out& out_view,
               const In& in_view) {
  const auto in = make_input<Exec>(in_view, scan.label).array;
  const auto out = make_output<Exec>(out_view, scan.label);
  if (out.extents != in.extents)
    throw Error(scan.label, "out has extents " + out.extents.str() + ", expected " + in.extents.str());
  const axis_set along =
      wanted == nullptr ? axis_set::all() : axis_set(scan.label, *wanted, static_cast<int>(in.extents.rank));
  check_overlap(scan.label, out, in, "in", true);
  scan_launch<Scan::exclusive>(exec, scan.label, scratch, scan.reducer(std::type_identity<value_of<In>>()), along, out,
                               in);
}

/// Sorts out the forms of the table above: [exec,] out, in [, axis] [, options] [, workspace].
template <class Scan, class First, class... Rest>
void scan_call(const Scan& scan, First& first, Rest&... rest) {
  if constexpr (!execution_space<First>) {
    const default_execution_space<First> exec;
    scan_call(scan, exec, first, rest...);
  } else {
    using Exec = std::remove_const_t<First>;
    const axes* wanted = nullptr;
    ((wanted = if_axes(rest, wanted)), ...);
    with_scratch(
        first,
        [&](workspace<Exec>& scratch) {
          std::apply([&](const auto&... views) { scan_into(scan, first, scratch, wanted, views...); },
                     std::tuple_cat(if_view(rest)...));
        },
        rest...);
  }
}

/// Arguments of a scan, with `reproducible` or without.
template <class... Args>
concept scan_arguments = are_reduction_arguments<1, Args...>(0, 1) && (0 + ... + (view_like<Args> ? 1 : 0)) == 2 &&
                         ((!is_axes<Args> || std::is_same_v<axis, std::remove_cvref_t<Args>>) && ...);
template <class... Args>
concept plain_scan_arguments = scan_arguments<Args...> && !reproducibly<Args...>;

}  // namespace impl

/// `out(i) = in(0) + in(1) + ... + in(i)`.
///
/// Sums are formed in the type of `sum` (64 bits for integers, float for half types), or in `Result`, and then
/// converted to that of `out`. Their errors are carried along, so that they do not grow with i. Option: `reproducible`,
/// with which each `out(i)` has the bits of the reproducible `sum` of its elements.
template <class Result = void, class... Args>
  requires impl::scan_arguments<Args...>
void cumsum(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::sum_type<T>>;
    return impl::sum_reducer<S, impl::accumulator<S, Args...>>();
  };
  impl::scan_call(impl::make_scan<false>("quern::cumsum", reducer), args...);
}

/// `out(i) = in(0) * in(1) * ... * in(i)`. Types as for `cumsum`.
template <class Result = void, class... Args>
  requires impl::plain_scan_arguments<Args...>
void cumprod(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::sum_type<T>>;
    return impl::op_reducer<S, impl::prod_op>{{}, S(1)};
  };
  impl::scan_call(impl::make_scan<false>("quern::cumprod", reducer), args...);
}

/// `out(i) = op(...op(op(in(0), in(1)), in(2))..., in(i))`.
///
/// @param op       an associative functor of two values of the type of `identity`; it need not be commutative
/// @param identity what `op` leaves every value unchanged with; its type is the one that values are converted to
template <execution_space Exec, view_like Out, class Op, scalar_value T, view_like In, class... Rest>
  requires(!view_like<Op> && impl::plain_scan_arguments<Exec, Out, In, Rest...>)
void inclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in, Rest&&... rest) {
  const auto reducer = [&](const auto&) { return impl::op_reducer<T, Op>{op, identity}; };
  impl::scan_call(impl::make_scan<false>("quern::inclusive_scan", reducer), exec, out, in, rest...);
}
/// The same on a default instance of out's execution space.
template <view_like Out, class Op, scalar_value T, view_like In, class... Rest>
  requires(!view_like<Op> && impl::plain_scan_arguments<Out, In, Rest...>)
void inclusive_scan(const Out& out, const Op& op, const T& identity, const In& in, Rest&&... rest) {
  inclusive_scan(impl::default_execution_space<Out>(), out, op, identity, in, rest...);
}

/// The scan without the element itself: `out(0)` is the identity, `out(i)` the `op` of `in(0)` to `in(i - 1)`.
template <execution_space Exec, view_like Out, class Op, scalar_value T, view_like In, class... Rest>
  requires(!view_like<Op> && impl::plain_scan_arguments<Exec, Out, In, Rest...>)
void exclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in, Rest&&... rest) {
  const auto reducer = [&](const auto&) { return impl::op_reducer<T, Op>{op, identity}; };
  impl::scan_call(impl::make_scan<true>("quern::exclusive_scan", reducer), exec, out, in, rest...);
}
/// The same on a default instance of out's execution space.
template <view_like Out, class Op, scalar_value T, view_like In, class... Rest>
  requires(!view_like<Op> && impl::plain_scan_arguments<Out, In, Rest...>)
void exclusive_scan(const Out& out, const Op& op, const T& identity, const In& in, Rest&&... rest) {
  exclusive_scan(impl::default_execution_space<Out>(), out, op, identity, in, rest...);
}

}  // namespace quern

#endif
