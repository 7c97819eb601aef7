// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_REDUCE_HPP
#define QUERN_REDUCE_REDUCE_HPP

/// @file
/// Reductions of a whole array, or along some of its axes.
///
/// Every named reduction, here for `sum`, is called as
///
/// | call | what it does |
/// | --- | --- |
/// | `T s = sum(exec, in)` | returns the value on the host; waits for `exec`, and only for it |
/// | `sum(exec, out, in)` | writes the rank-0 View `out`; asynchronous on `exec` |
/// | `sum(exec, out, in, axes{0, -1})` | the same along axes, to a View of the remaining extents |
/// | `sum(in)`, `sum(out, in)`, `sum(out, in, axis{1})` | on a default instance of the execution space of in, or out |
/// | `sum(exec, in_chunks(in))`, `sum(exec, source)` | of what comes in chunks, in the same forms |
/// | `sum(exec, u)`, `sum(exec, out, u, axis{0})` | of a DistributedView, in the same forms |
///
/// `in` is an array of any rank, layout, strides and extents (more than 2^31 elements too), and is read once; it may be
/// lazy, `sum(exec, lazy(f, x, y))`. `on_host` in place of `out` is the first form. Options come last, in any order.
/// `out` may have any layout; its elements convert to its value type. Scratch memory is about one accumulator for each
/// team that the device runs at a time; it comes from the pool of the execution-space instance. Results repeat bit by
/// bit from run to run on one machine with one number of threads.
///
/// In chunks and over ranks, results have the types and the accuracy of those in memory, and positions (`argmax`) are
/// those in the whole array. With `reproducible` they have its bits, whatever the chunks, the number of ranks and the
/// grid are; without, they depend on these. In chunks, `chunking` is an option, too; results are written to a View, and
/// all calls wait, also where all data are in reach. Over ranks, calls are collective, and wait for `exec` and for the
/// ranks that have a part in a result; halos do not count, a value is the same on every rank, and `out` is a View,
/// which is then whole on every rank, or a DistributedView.
///
/// With the option `mask{m}` (quern/core/call/mask.hpp, NumPy's `where=`) the result is that of the elements where m is
/// not zero, which broadcasts to the extents of `in`; positions stay those in the whole array. Of no selected element
/// it is that of no elements; of `min`, `max` and `minmax` of integers the largest and the smallest number of their
/// type, of floating-point numbers NaN; of positions -1. Reproducible sums have the bits of those of the selected
/// elements alone.
///
/// @throws Error if extents do not fit, an axis is out of range or repeated, `out` shares memory with `in` or a mask,
/// a mask does not broadcast to `in`, and where an operation says so; BackendError if MPI reports a failure.

#include <quern/reduce/call.hpp>
#include <quern/reduce/forms.hpp>
#include <quern/reduce/several_outputs.hpp>
#include <quern/reducers/reducers.hpp>

namespace quern {

/// The orders of norms. `norm<norm_order::infinity>(exec, x)` takes the first three, `norm<1>` is
/// `norm<norm_order::one>`; `matrix_norm` and `cond` of quern/linalg.hpp take all as an option.
enum class norm_order { one = 1, two = 2, infinity, frobenius, nuclear };
template <>
inline constexpr bool impl::marked_option<norm_order> = true;

/// `sum = x(0) + x(1) + ...`, 0 for no elements.
///
/// The result's type is that of the elements, 64 bits wide for integers (of their signedness, wrapping around as NumPy
/// does), float for half types; `sum<double>(exec, x)` adds up and returns another. The error is below that of pairwise
/// summation: blocks are added pairwise and their sums with compensation. That of Arrays, or of `rows<k>`, is an Array
/// of the sums of the components, as NumPy's along axis 0. Option: `reproducible`.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, reproducible_t, mask_t>... Options>
auto sum(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  using C = impl::component_type<S>;
  const auto reducer = impl::by_component<S, impl::sum_reducer<C, impl::accumulator<C, Options...>>>();
  return impl::reduce_call(impl::reduction{"quern::sum", reducer}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(sum, class, Result, void)

/// `prod = x(0) * x(1) * ...`, 1 for no elements. Of Arrays, that of each component. Types as for `sum`.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, mask_t>... Options>
auto prod(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  using one = impl::op_reducer<impl::component_type<S>, impl::prod_op>;
  const impl::by_component<S, one> reducer{one{{}, impl::component_type<S>(1)}};
  return impl::reduce_call(impl::reduction{"quern::prod", reducer}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(prod, class, Result, void)

/// The smallest element, of the elements' type; NaN if there is one. Of Arrays, that of each component.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto min(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::extremum_of<impl::value_of<In>, -1>>("quern::min", exec, out, in, options...);
}
QUERN_REDUCTION_FORMS(min)

/// The largest element, of the elements' type; NaN if there is one. Of Arrays, that of each component.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto max(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::extremum_of<impl::value_of<In>, 1>>("quern::max", exec, out, in, options...);
}
QUERN_REDUCTION_FORMS(max)

/// The smallest and the largest element in one pass, as an `extrema<T>`; both NaN if there is one. Of Arrays, those of
/// each component.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto minmax(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::minmax_reducer<impl::value_of<In>>>("quern::minmax", exec, out, in, options...);
}
/// Into an array for each, `minmax(exec, outputs(least, largest), in, axis{1})`, by way of scratch memory for the
/// results.
template <execution_space Exec, view_like Min, view_like Max, any_array In, call_option<axes, mask_t>... Options>
void minmax(const Exec& exec, const std::tuple<Min, Max>& out, const In& in, const Options&... options) {
  impl::reduce_ordered<impl::minmax_reducer<impl::value_of<In>>>("quern::minmax", exec, out, in, options...);
}
template <view_like Min, view_like Max, any_array In, impl::reduction_option... Options>
void minmax(const std::tuple<Min, Max>& out, const In& in, const Options&... options) {
  minmax(impl::space_of(out, in), out, in, options...);
}
QUERN_REDUCTION_FORMS(minmax)

/// The distance from the smallest to the largest element, "peak to peak", of the elements' type: of integers it wraps
/// around, as NumPy's `ptp`; NaN if there is one. Of Arrays, that of each component. `minmax` tells both.
/// With a mask that selects none, 0 for integers and NaN otherwise.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto ptp(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using T = impl::value_of<In>;
  using C = impl::component_type<T>;
  static_assert(!std::is_same_v<C, bool>, "quern::ptp: bools have no difference, as in NumPy");
  return impl::reduce_ordered<impl::by_component<T, impl::range_reducer<C>>>("quern::ptp", exec, out, in, options...);
}
QUERN_REDUCTION_FORMS(ptp)

/// `dot = x(0) y(0) + x(1) y(1) + ...`, without conjugation; 0 for no elements. x and y broadcast to each other, as in
/// `dot(exec, out, rows, weights, axis{1})`. Types and accuracy as for `sum` of the products; those of integers are
/// signed where one factor is, and doubles for a `Result` that is no integer. Option: `reproducible`.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array X, any_array Y,
          call_option<axes, reproducible_t, mask_t>... Options>
auto dot(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  using S = impl::result_or<Result, impl::product_type<impl::value_of<X>, impl::value_of<Y>>>;
  const auto reducer = impl::sum_reducer<S, impl::accumulator<S, Options...>>();
  using transform = impl::transform_for<impl::product<S>, impl::reproducible_product<S>, Options...>;
  if constexpr (impl::all_in_memory<Out, X, Y> && !impl::with_mask<Options...>) {
    const impl::reduction products{"quern::dot", reducer, transform(), true, true};
    return impl::reduce_call(products, exec, out, std::tie(x, y), options...);
  } else {
    const auto products = lazy(transform(), x, y);
    return impl::reduce_call(impl::reduction{"quern::dot", reducer}, exec, out, std::tie(products), options...);
  }
}
QUERN_REDUCTION_FORMS_OF_TWO(dot)

/// `vdot = conj(x(0)) y(0) + conj(x(1)) y(1) + ...`; 0 for no elements. The extents, of any rank, must be equal. Types
/// and accuracy as for `sum` of the products.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array X, any_array Y,
          call_option<axes, mask_t>... Options>
auto vdot(const Exec& exec, const Out& out, const X& x, const Y& y, const Options&... options) {
  using S = impl::result_or<Result, impl::product_type<impl::value_of<X>, impl::value_of<Y>>>;
  return impl::reduce_call(impl::reduction{"quern::vdot", impl::sum_reducer<S>(), impl::conjugate_product<S>()}, exec,
                           out, std::tie(x, y), options...);
}
QUERN_REDUCTION_FORMS_OF_TWO(vdot)

/// The norm of that order: `|x(0)| + |x(1)| + ...` (1), `sqrt(|x(0)|^2 + |x(1)|^2 + ...)` (2) or the largest `|x(i)|`
/// (`norm_order::infinity`); 0 for no elements. Double for integers, real for complex numbers. Squares overflow where
/// those of the elements do, as in NumPy; accuracy as for `sum`. Option: `reproducible`.
template <auto Order = 2, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, reproducible_t, mask_t>... Options>
  requires(norm_order(Order) >= norm_order::one && norm_order(Order) <= norm_order::infinity)
auto norm(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  constexpr auto order = norm_order(Order);
  using S = impl::real_type<impl::component_type<impl::mean_type<impl::value_of<In>>>>;
  const auto reducer = [] {
    if constexpr (order == norm_order::one) return impl::sum_reducer<S, impl::accumulator<S, Options...>>();
    else if constexpr (order == norm_order::two) return impl::root_reducer<S, impl::accumulator<S, Options...>>();
    else return impl::op_reducer<S, impl::extremum_op<1>>{{}, S(0)};
  }();
  using squares = impl::transform_for<impl::absolute_square, impl::reproducible_square, Options...>;
  using magnitudes = impl::transform_for<impl::absolute, impl::reproducible_magnitude, Options...>;
  using transform = std::conditional_t<order == norm_order::two, squares, magnitudes>;
  return impl::reduce_call(impl::reduction{"quern::norm", reducer, transform()}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(norm, auto, Order, 2)

/// `mean = sum(x) / n`; double for integers, of which the exact sum is divided, and float for half types. NaN for no
/// elements. Of Arrays, that of each component. Option: `reproducible`.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, reproducible_t, mask_t>... Options>
auto mean(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using T = impl::value_of<In>;
  using S = impl::result_or<Result, impl::mean_type<T>>;
  using C = impl::component_type<S>;
  constexpr bool integers = std::is_integral_v<impl::component_type<T>>;
  const auto reducer = impl::by_component<S, impl::mean_reducer<C, impl::accumulator<C, Options...>, integers>>();
  return impl::reduce_call(impl::reduction{"quern::mean", reducer}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(mean, class, Result, void)

/// Mean and variance `sum |x - mean|^2 / (n - ddof)` in one pass, as `moments` (`auto [mean, var] = ...`). Types as for
/// `mean`; a mean of no elements is NaN, and so is a variance where n is not greater than ddof, or an element is not
/// finite. Of Arrays, those of each component, `moments` of Arrays.
///
/// A large mean costs no digits: the error of a variance is at most 32 eps of it (18 eps in two million trials), eps
/// that of the result's type, up to mean / deviation = 1 / eps, wherever outliers are, unless squares of distances
/// between values overflow or underflow in double. That of equal values, in double up to a quarter of the largest
/// number, is 0. The error of a mean is at most 4 eps (|mean| + deviation), unless sums overflow; that of integers is
/// sum / n, rounded once. Distances are added up from a center that follows the mean (Chan, Golub and LeVeque, The
/// American Statistician 37, 1983), and partial results of threads, chunks and ranks are joined without rounding their
/// means.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, ddof, mask_t>... Options>
auto mean_var(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_moments<Result>(exec, out, in, options...);
}
/// Into an array for each, `mean_var(exec, outputs(mean, var), in, axis{1})`, by way of scratch memory for the results.
template <class Result = void, execution_space Exec, view_like Mean, view_like Var, any_array In,
          call_option<axes, ddof, mask_t>... Options>
void mean_var(const Exec& exec, const std::tuple<Mean, Var>& out, const In& in, const Options&... options) {
  impl::reduce_moments<Result>(exec, out, in, options...);
}
template <class Result = void, view_like Mean, view_like Var, any_array In, impl::reduction_option... Options>
void mean_var(const std::tuple<Mean, Var>& out, const In& in, const Options&... options) {
  mean_var<Result>(impl::space_of(out, in), out, in, options...);
}
QUERN_REDUCTION_FORMS_WITH(mean_var, class, Result, void)

/// The variance of `mean_var`, as accurate; NaN where n is not greater than ddof. Of Arrays, that of each component.
/// Option: `reproducible`, of numbers, which takes two passes.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, ddof, reproducible_t, mask_t>... Options>
auto var(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_variance<Result, false>("quern::var", exec, out, in, options...);
}
QUERN_REDUCTION_FORMS_WITH(var, class, Result, void)

/// The standard deviation, the root of `var`, also of each component of Arrays; NaN where n is not greater than ddof.
/// Option: `reproducible`, of numbers.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, ddof, reproducible_t, mask_t>... Options>
auto stddev(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_variance<Result, true>("quern::stddev", exec, out, in, options...);
}
QUERN_REDUCTION_FORMS_WITH(stddev, class, Result, void)

/// Whether no element is zero; true for no elements. A NaN is not zero.
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto all(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  const impl::op_reducer<bool, impl::and_op> reducer{{}, true};
  return impl::reduce_call(impl::reduction{"quern::all", reducer, impl::op::not_zero()}, exec, out, std::tie(in),
                           options...);
}
QUERN_REDUCTION_FORMS(all)

/// Whether some element is not zero; false for no elements.
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto any(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  const impl::op_reducer<bool, impl::or_op> reducer{{}, false};
  return impl::reduce_call(impl::reduction{"quern::any", reducer, impl::op::not_zero()}, exec, out, std::tie(in),
                           options...);
}
QUERN_REDUCTION_FORMS(any)

/// How many elements are not zero, as `std::int64_t` (NumPy's `count_nonzero`).
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto count(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  const auto reducer = impl::sum_reducer<std::int64_t>();
  return impl::reduce_call(impl::reduction{"quern::count", reducer, impl::op::not_zero()}, exec, out, std::tie(in),
                           options...);
}
QUERN_REDUCTION_FORMS(count)

/// The position of the largest element, the first of them where there are several: as `std::int64_t`, in row-major
/// order over the whole array or over the reduced axes. A NaN is larger than all, as in NumPy.
/// @throws Error for no elements, or if out's type is of integers that do not hold the positions
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto argmax(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::arg_reducer<impl::value_of<In>, 1, false>>("quern::argmax", exec, out, in,
                                                                               options...);
}
QUERN_REDUCTION_FORMS(argmax)

/// The position of the smallest element, as `argmax` finds that of the largest. A NaN is smaller than all.
/// @throws Error for no elements, or if out's type is of integers that do not hold the positions
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto argmin(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::arg_reducer<impl::value_of<In>, -1, false>>("quern::argmin", exec, out, in,
                                                                                options...);
}
QUERN_REDUCTION_FORMS(argmin)

/// `sum` of the elements that are not NaN.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, mask_t>... Options>
auto nansum(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  const auto reducer = impl::sum_reducer<impl::result_or<Result, impl::sum_type<impl::value_of<In>>>>();
  return impl::reduce_call(impl::reduction{"quern::nansum", reducer, impl::zero_if_nan()}, exec, out, std::tie(in),
                           options...);
}
QUERN_REDUCTION_FORMS_WITH(nansum, class, Result, void)

/// `prod` of the elements that are not NaN.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, mask_t>... Options>
auto nanprod(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::value_of<In>>>;
  const impl::op_reducer<S, impl::prod_op> reducer{{}, impl::value_with<S>(impl::component_type<S>(1))};
  return impl::reduce_call(impl::reduction{"quern::nanprod", reducer, impl::one_if_nan()}, exec, out, std::tie(in),
                           options...);
}
QUERN_REDUCTION_FORMS_WITH(nanprod, class, Result, void)

/// `mean` of the elements that are not NaN; NaN where there is none.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, mask_t>... Options>
auto nanmean(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  const auto reducer = impl::nan_mean_reducer<impl::result_or<Result, impl::mean_type<impl::value_of<In>>>>();
  return impl::reduce_call(impl::reduction{"quern::nanmean", reducer}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(nanmean, class, Result, void)

/// `var` of the elements that are not NaN; NaN where their number is not greater than ddof.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, ddof, mask_t>... Options>
auto nanvar(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using T = impl::value_of<In>;
  using var = impl::var_reducer<impl::result_or<Result, impl::mean_type<T>>, T>;
  const impl::nan_moments_reducer<var> reducer{{{impl::ddof_of(options...)}}};
  return impl::reduce_call(impl::reduction{"quern::nanvar", reducer}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(nanvar, class, Result, void)

/// `stddev` of the elements that are not NaN, the root of `nanvar`; NaN where their number is not greater than ddof.
template <class Result = void, execution_space Exec, rows_or_result Out, any_array In,
          call_option<axes, ddof, mask_t>... Options>
auto nanstd(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using T = impl::value_of<In>;
  using deviation = impl::var_reducer<impl::result_or<Result, impl::mean_type<T>>, T, true>;
  const impl::nan_moments_reducer<deviation> reducer{{{impl::ddof_of(options...)}}};
  return impl::reduce_call(impl::reduction{"quern::nanstd", reducer}, exec, out, std::tie(in), options...);
}
QUERN_REDUCTION_FORMS_WITH(nanstd, class, Result, void)

/// The smallest of the elements that are not NaN; NaN where there is none.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto nanmin(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::nan_extremum_reducer<impl::value_of<In>, -1>>("quern::nanmin", exec, out, in,
                                                                                  options...);
}
QUERN_REDUCTION_FORMS(nanmin)

/// The largest of the elements that are not NaN; NaN where there is none.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto nanmax(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::nan_extremum_reducer<impl::value_of<In>, 1>>("quern::nanmax", exec, out, in,
                                                                                 options...);
}
QUERN_REDUCTION_FORMS(nanmax)

/// `argmax` of the elements that are not NaN; -1 where there is none.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto nanargmax(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::arg_reducer<impl::value_of<In>, 1, true>>("quern::nanargmax", exec, out, in,
                                                                              options...);
}
QUERN_REDUCTION_FORMS(nanargmax)

/// `argmin` of the elements that are not NaN; -1 where there is none.
/// @throws Error for no elements
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto nanargmin(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::reduce_ordered<impl::arg_reducer<impl::value_of<In>, -1, true>>("quern::nanargmin", exec, out, in,
                                                                               options...);
}
QUERN_REDUCTION_FORMS(nanargmin)

/// How many elements are not NaN, as `std::int64_t`.
template <execution_space Exec, rows_or_result Out, any_array In, call_option<axes, mask_t>... Options>
auto nancount(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  const auto reducer = impl::sum_reducer<std::int64_t>();
  return impl::reduce_call(impl::reduction{"quern::nancount", reducer, impl::not_nan()}, exec, out, std::tie(in),
                           options...);
}
QUERN_REDUCTION_FORMS(nancount)

/// `op` over all elements, starting from its identity.
///
/// @param op       an associative and commutative functor of two values of the type of `identity`
/// @param identity what `op` leaves every value unchanged with; its type is that of the result, and holds the elements
template <execution_space Exec, rows_or_result Out, class Op, scalar_value T, any_array In,
          call_option<axes, mask_t>... Options>
auto reduce(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
            const Options&... options) {
  static_assert(impl::holds<T, impl::value_of<In>>,
                "quern::reduce: identity must be of a type that holds the elements, 0.0 for doubles");
  static_assert(std::is_default_constructible_v<T>,
                "quern::reduce: identity must be of a type with a default constructor, as partial results have it");
  const impl::label_scope functor("quern::reduce", typeid(Op));
  const impl::op_reducer<T, Op> reducer{op, identity};
  return impl::reduce_call(impl::reduction{"quern::reduce", reducer}, exec, out, std::tie(in), options...);
}
template <execution_space Exec, class Op, scalar_value T, any_array In, impl::reduction_option... Options>
  requires(!any_array<Op>)
T reduce(const Exec& exec, const Op& op, const T& identity, const In& in, const Options&... options) {
  return reduce(exec, on_host, op, identity, in, options...);
}
template <class Op, scalar_value T, any_array In, impl::reduction_option... Options>
  requires(!any_array<Op> && !execution_space<Op>)
T reduce(const Op& op, const T& identity, const In& in, const Options&... options) {
  return reduce(impl::space_of(in), on_host, op, identity, in, options...);
}
template <rows_or_view Out, class Op, scalar_value T, any_array In, impl::reduction_option... Options>
void reduce(const Out& out, const Op& op, const T& identity, const In& in, const Options&... options) {
  reduce(impl::space_of(out, in), out, op, identity, in, options...);
}
/// Of an identity that kernels cannot copy.
template <execution_space Exec, class Op, impl::uncopyable_value T, any_array In>
T reduce(const Exec&, const Op&, const T& identity, const In&) {
  static_assert(impl::uncopyable<T>::value);
  return identity;
}
template <class Op, impl::uncopyable_value T, any_array In>
  requires(!execution_space<Op>)
T reduce(const Op&, const T& identity, const In&) {
  static_assert(impl::uncopyable<T>::value);
  return identity;
}
QUERN_TAKES_NAME(reduce)

}  // namespace quern

#endif
