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
/// | `cumsum(out, in)`, with an axis or without | on a default instance of the space of out, or of in |
///
/// `out` and `in` have equal extents, any rank, layout and strides; they may be the same View. A sink or a source comes
/// in chunks: the call waits, and what comes before a chunk is carried to it. Over ranks, `out` and `in` are
/// DistributedViews with the same blocks, and an array of several axes needs an axis; the call is collective and waits.
/// Sums there have the accuracy of those in memory; `reproducible` ones are those in memory alone. `in` may be lazy,
/// and out the View of one of its leaves; it is computed twice where a device reads it twice. In memory, all calls are
/// asynchronous. Scratch memory is two accumulators for each chunk of a line; it comes from the pool of the
/// execution-space instance, or the caller's `WorkspaceScope`. Where lines are too few for the machine, a device reads
/// the input twice, and the host a second time from its caches. CUDA reads a single line of elements at equal distances
/// once, in one kernel, except for `reproducible`; the order of its additions, and so the bits of its sums, depend on
/// types and extents alone, and are the same in every call.
///
/// With the option `mask{m}` (quern/core/call/mask.hpp), `out(i)` is the scan of the elements up to i that are
/// selected: it repeats the running value where m is zero.
///
/// @throws Error if extents do not fit, the axis is out of range, or `out` shares memory with `in` without being it

#include <quern/core/call/mask.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/reduce/call.hpp>
#include <quern/reducers/reproducible.hpp>
#include <quern/reducers/results.hpp>
#include <quern/reducers/selected.hpp>
#include <quern/scan/launch.hpp>

namespace quern {

namespace impl {

/// A scan as an operation sees it.
template <bool Exclusive, class Reducer>
struct scan_operation {
  static constexpr bool exclusive = Exclusive;
  operation_name label;
  Reducer reducer;
};

/// Scans of arrays in memory.
template <>
struct engine<in_memory, scans> {
  /// `op(exec, out, in, options)`: checks, then launches.
  template <class Scan, class Exec, class Out, class In, class... Options>
  static void run(const Scan& scan, const Exec& exec, const Out& out_view, const In& in_view,
                  const Options&... options) {
    check_place_options<Options...>();
    call<Exec> c(scan.label, exec);
    const auto elements = c.elements(in_view);
    const shape extents = operand_extents(c.label, in_view);
    const auto out = c.output(out_view);
    check_extents(c.label, "out", out.extents, extents);
    const axis_set along = axes_or_all(c.label, find_option<axis>(options...), extents.rank);
    check_overlap(c.label, out, elements, "in", true);
    with_sources(
        [&](const auto& in) { scan_launch<Scan::exclusive>(exec, c.label, c.scratch(), scan.reducer, along, out, in); },
        elements);
  }
};

template <bool Exclusive, class Reducer, class Exec, class Out, class In, class... Options>
void scan_selected(const operation_name& label, const Reducer& reducer, const Exec& exec, const Out& out, const In& in,
                   const Options&... options);

/// `op(exec, out, in, options)` of every scan, by the engine of the place where its operands are.
template <bool Exclusive = false, class Reducer, class Exec, class Out, class In, class... Options>
void scan_call(const operation_name& label, const Reducer& reducer, const Exec& exec, const Out& out, const In& in,
               const Options&... options) {
  constexpr bool fits = converts<result_of<Reducer>, value_of<Out>>;
  static_assert(fits, "quern: the scan's values do not convert to out's type, as complex numbers to real ones");
  if constexpr (!fits) return;
  else if constexpr (with_mask<Options...>) scan_selected<Exclusive>(label, reducer, exec, out, in, options...);
  else engine_of<scans, Out, In>::run(scan_operation<Exclusive, Reducer>{label, reducer}, exec, out, in, options...);
}

/// The same of what a mask selects: in place of other elements is what leaves the running value as it is. A mask that
/// does not fit is rejected when the call has been compared with those of other ranks.
template <bool Exclusive, class Reducer, class Exec, class Out, class In, class... Options>
void scan_selected(const operation_name& label, const Reducer& reducer, const Exec& exec, const Out& out, const In& in,
                   const Options&... options) {
  const auto& m = mask_among(options...).where;
  if constexpr (check_mask_type<std::remove_cvref_t<decltype(m)>, rank_of<In>>()) {
    const auto selected = lazy(filled_values<Reducer>{reducer}, in, m);
    const shape extents = operand_extents(label, in);
    if (!mask_fits(label, m, extents)) {
      compare_calls<scans>(label, [] { return std::string(); }, out, selected);
      check_mask(label, m, extents);
    }
    check_mask_sources<Exec>(label, out, m);
    unpack([&](const auto&... others) { scan_call<Exclusive>(label, reducer, exec, out, selected, others...); },
           without_mask(options...));
  }
}

/// An option of some scan; each lists its own.
template <class T>
concept scan_option = call_option<T, axis, reproducible_t, mask_t>;

#define QUERN_CUMSUM(HOW, Exec, T)                                                                                 \
  HOW template void scan_launch<false>(const Exec&, const std::string&, Workspace<Exec>&,                          \
                                       const sum_reducer<sum_type<T>, accumulator<sum_type<T>>>&, const axis_set&, \
                                       const strided<T>&, const strided<const T>&);
QUERN_COMPILED_ELSEWHERE(QUERN_CUMSUM)

}  // namespace impl

/// `out(i) = in(0) + in(1) + ... + in(i)`.
///
/// Sums are formed in the type of `sum` (64 bits for integers, float for half types), or in `Result`, and then
/// converted to that of `out`. Their errors are carried along, so that they do not grow with i. Option: `reproducible`,
/// with which each `out(i)` has the bits of the reproducible `sum` of its elements.
template <class Result = void, execution_space Exec, result_view Out, any_array In,
          call_option<axis, reproducible_t, mask_t>... Options>
void cumsum(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  const auto reducer = impl::sum_reducer<S, impl::accumulator<S, Options...>>();
  impl::scan_call("quern::cumsum", reducer, exec, out, in, options...);
}
template <class Result = void, result_view Out, any_array In, impl::scan_option... Options>
void cumsum(const Out& out, const In& in, const Options&... options) {
  cumsum<Result>(impl::space_of(out, in), out, in, options...);
}
QUERN_TAKES_NAME_WITH(cumsum, class Result, Result)

/// `cumsum` of an input of which NaN counts as 0 (NumPy's `nancumsum`); types and accuracy are those of `cumsum`.
template <class Result = void, execution_space Exec, result_view Out, any_array In,
          call_option<axis, mask_t>... Options>
void nancumsum(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  const auto reducer = impl::sum_reducer<S>();
  impl::scan_call("quern::nancumsum", reducer, exec, out, lazy(impl::zero_if_nan(), in), options...);
}
template <class Result = void, result_view Out, any_array In, impl::scan_option... Options>
void nancumsum(const Out& out, const In& in, const Options&... options) {
  nancumsum<Result>(impl::space_of(out, in), out, in, options...);
}
QUERN_TAKES_NAME_WITH(nancumsum, class Result, Result)

/// `out(i) = in(0) * in(1) * ... * in(i)`. Types as for `cumsum`.
template <class Result = void, execution_space Exec, result_view Out, any_array In,
          call_option<axis, mask_t>... Options>
void cumprod(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  const impl::op_reducer<S, impl::prod_op> reducer{{}, S(1)};
  impl::scan_call("quern::cumprod", reducer, exec, out, in, options...);
}
template <class Result = void, result_view Out, any_array In, impl::scan_option... Options>
void cumprod(const Out& out, const In& in, const Options&... options) {
  cumprod<Result>(impl::space_of(out, in), out, in, options...);
}
QUERN_TAKES_NAME_WITH(cumprod, class Result, Result)

/// `cumprod` of an input of which NaN counts as 1 (NumPy's `nancumprod`).
template <class Result = void, execution_space Exec, result_view Out, any_array In,
          call_option<axis, mask_t>... Options>
void nancumprod(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  const impl::op_reducer<S, impl::prod_op> reducer{{}, S(1)};
  impl::scan_call("quern::nancumprod", reducer, exec, out, lazy(impl::one_if_nan(), in), options...);
}
template <class Result = void, result_view Out, any_array In, impl::scan_option... Options>
void nancumprod(const Out& out, const In& in, const Options&... options) {
  nancumprod<Result>(impl::space_of(out, in), out, in, options...);
}
QUERN_TAKES_NAME_WITH(nancumprod, class Result, Result)

/// `out(i) = op(...op(op(in(0), in(1)), in(2))..., in(i))`.
///
/// @param op       an associative functor of two values of the type of `identity`; it need not be commutative
/// @param identity what `op` leaves every value unchanged with; its type is the one that values are converted to
template <execution_space Exec, result_view Out, class Op, scalar_value T, any_array In,
          call_option<axis, mask_t>... Options>
void inclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
                    const Options&... options) {
  static_assert(impl::holds<T, impl::value_of<In>>,
                "quern::inclusive_scan: identity must be of a type that holds the elements, 0.0 for doubles");
  const impl::label_scope functor("quern::inclusive_scan", typeid(Op));
  const impl::op_reducer<T, Op> reducer{op, identity};
  impl::scan_call("quern::inclusive_scan", reducer, exec, out, in, options...);
}
template <result_view Out, class Op, scalar_value T, any_array In, impl::scan_option... Options>
void inclusive_scan(const Out& out, const Op& op, const T& identity, const In& in, const Options&... options) {
  inclusive_scan(impl::space_of(out, in), out, op, identity, in, options...);
}
QUERN_TAKES_NAME(inclusive_scan)

/// The scan without the element itself: `out(0)` is the identity, `out(i)` the `op` of `in(0)` to `in(i - 1)`.
template <execution_space Exec, result_view Out, class Op, scalar_value T, any_array In,
          call_option<axis, mask_t>... Options>
void exclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
                    const Options&... options) {
  static_assert(impl::holds<T, impl::value_of<In>>,
                "quern::exclusive_scan: identity must be of a type that holds the elements, 0.0 for doubles");
  const impl::label_scope functor("quern::exclusive_scan", typeid(Op));
  const impl::op_reducer<T, Op> reducer{op, identity};
  impl::scan_call<true>("quern::exclusive_scan", reducer, exec, out, in, options...);
}
template <result_view Out, class Op, scalar_value T, any_array In, impl::scan_option... Options>
void exclusive_scan(const Out& out, const Op& op, const T& identity, const In& in, const Options&... options) {
  exclusive_scan(impl::space_of(out, in), out, op, identity, in, options...);
}
QUERN_TAKES_NAME(exclusive_scan)

}  // namespace quern

#endif
