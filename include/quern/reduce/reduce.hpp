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
/// | `sum(exec, out, in, axis{1}, work)` | with the caller's `quern::workspace`, for device graphs |
/// | `sum(in)`, `sum(out, in)`, `sum(out, in, axis{1})` | on a default instance of in's execution space |
///
/// `in` is any `view_like` of any rank, layout, strides and extents (more than 2^31 elements too), and is read once.
/// `out` may have any layout; its elements convert to its value type. Scratch memory is about one accumulator for each
/// team that the device runs at a time; it comes from the pool of the execution-space instance. Results repeat bit by
/// bit from run to run on one machine with one number of threads.
///
/// @throws Error if extents do not fit, an axis is out of range or repeated, `out` shares memory with `in`, and where
/// an operation says so.

#include <limits>
#include <quern/core/operations.hpp>
#include <quern/core/options.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reduce/reducers.hpp>
#include <quern/reduce/reproducible.hpp>
#include <tuple>

namespace quern {

/// The order of the maximum norm: `norm<infinity>(exec, x)`.
inline constexpr int infinity = std::numeric_limits<int>::max();

namespace impl {

/// A reduction as an operation sees it: how many inputs, what is done to their values first, and the reducer for the
/// value types. `identity` false: no values have no result.
template <class F, class MakeReducer>
struct reduction {
  std::string label;
  F transform;
  MakeReducer reducer;
  bool identity = true;
};
template <class F, class MakeReducer>
reduction(std::string, F, MakeReducer) -> reduction<F, MakeReducer>;
template <class F, class MakeReducer>
reduction(std::string, F, MakeReducer, bool) -> reduction<F, MakeReducer>;

/// The positions of an array's elements along some axes, in row-major order.
inline position_input positions_along(const shape& extents, const axis_set& along) {
  position_input p{{nullptr, extents, {}}};
  std::int64_t next = 1;
  for (int d = extents.rank - 1; d >= 0; --d) {
    if (!along.has(d)) continue;
    p.array.stride[d] = next;
    next *= extents.extent[d];
  }
  return p;
}

/// The means of an array along some axes, in the second part of the scratch, broadcast to its extents.
template <class Exec, class Reducer, class Input>
auto means_along(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const Reducer&,
                 const axis_set& along, const Input& in) {
  using S = typename Reducer::uses_mean;
  const shape& extents = in.array.extents;
  array_input<S> means{{nullptr, extents, {}}};
  strided<S> out{nullptr, along.part(extents, false), {}};
  std::int64_t next = 1;
  for (int d = extents.rank - 1, k = out.extents.rank - 1; d >= 0; --d) {
    if (along.has(d)) continue;
    means.array.stride[d] = out.stride[k--] = next;
    next *= extents.extent[d];
  }
  means.array.data = out.data = static_cast<S*>(scratch.require(exec, next * sizeof(S), 1));
  reduce_launch(exec, label + "/mean", scratch, mean_reducer<S, reproducible_sum<S>>(), op::identity(), along, out, in);
  return means;
}

template <class Input>
void check_reduction_input(const std::string& label, const shape& extents, const Input& in, std::size_t number) {
  if (in.array.extents != extents)
    throw Error(label, input_name(number) + " has extents " + in.array.extents.str() + ", expected " + extents.str());
}

/// Checks, then launches; `place(type, extents, in...)` gives the memory for results of that type and extents.
template <class Exec, class Reduction, class Place, class... In>
void reduce_into(const Exec& exec, workspace<Exec>& scratch, const Reduction& r, const axes* wanted, const Place& place,
                 const In&... in_views) {
  const auto run = [&](const auto&... in) {
    const auto reducer = r.reducer(std::type_identity<typename std::remove_cvref_t<decltype(in)>::value_type>()...);
    using state = typename decltype(reducer)::state;
    using result = std::remove_cvref_t<decltype(reducer.result(std::declval<state>(), 0))>;
    const shape extents = std::get<0>(std::tie(in...)).array.extents;
    std::size_t number = 0;
    (check_reduction_input(r.label, extents, in, number++), ...);
    const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(r.label, *wanted, extents.rank);
    const shape results = along.part(extents, false);
    if (!r.identity && along.part(extents, true).size() == 0 && results.size() > 0)
      throw Error(r.label, input_name(0) + " has extents " + extents.str() + ", expected at least one element" +
                               (wanted == nullptr ? "" : " along the axes"));
    const auto out = place(std::type_identity<result>(), results, in...);
    if constexpr (uses_positions<decltype(reducer)>)
      reduce_launch(exec, r.label, scratch, reducer, r.transform, along, out, in..., positions_along(extents, along));
    else if constexpr (requires { typename decltype(reducer)::uses_mean; })
      reduce_launch(exec, r.label, scratch, reducer, r.transform, along, out, in...,
                    means_along(exec, r.label, scratch, reducer, along, in...));
    else reduce_launch(exec, r.label, scratch, reducer, r.transform, along, out, in...);
  };
  run(make_input<Exec>(in_views, r.label)...);
}

/// The form that returns a host value.
template <class Exec, class Reduction, class... In>
auto reduce_to_host(const Reduction& r, const Exec& exec, const In&... in) {
  using reducer = decltype(r.reducer(std::type_identity<value_of<In>>()...));
  using result_type =
      std::remove_cvref_t<decltype(std::declval<reducer>().result(std::declval<typename reducer::state>(), 0))>;
  lease<Exec> held(exec);
  auto* result = held.template result<result_type>();
  reduce_into(
      exec, held.scratch(), r, nullptr,
      [&](const auto&, const shape&, const auto&...) { return strided<result_type>{result, {}, {}}; }, in...);
  exec.fence(r.label + ": result");
  return *result;
}

/// The form that writes a View.
template <class Exec, class Reduction, class Out, class... In>
void reduce_to_view(const Reduction& r, const Exec& exec, workspace<Exec>& scratch, const axes* wanted,
                    const Out& out_view, const In&... in) {
  const auto marked = make_output<Exec>(out_view, r.label);
  const strided<value_of<Out>> out = marked;
  reduce_into(
      exec, scratch, r, wanted,
      [&](const auto&, const shape& results, const auto&... inputs) {
        if (out.extents != results)
          throw Error(r.label, "out has extents " + out.extents.str() + ", expected " + results.str() +
                                   (wanted == nullptr ? " for a reduction of all elements" : ""));
        std::size_t number = 0;
        (check_overlap(r.label, out, inputs.array, input_name(number++), false), ...);
        return out;
      },
      in...);
}

/// Sorts out the forms of the table above: [exec,] [out,] in... [, axes] [, options] [, workspace].
template <int Inputs, class Reduction, class First, class... Rest>
auto reduce_call(const Reduction& r, First& first, Rest&... rest) {
  if constexpr (!execution_space<First>) {
    const default_execution_space<First> exec;
    return reduce_call<Inputs>(r, exec, first, rest...);
  } else {
    using Exec = std::remove_const_t<First>;
    const auto views = std::tuple_cat(if_view(rest)...);
    if constexpr (std::tuple_size_v<decltype(views)> == Inputs) {
      return std::apply([&](const auto&... in) { return reduce_to_host(r, first, in...); }, views);
    } else {
      const axes* wanted = nullptr;
      ((wanted = if_axes(rest, wanted)), ...);
      with_scratch(
          first,
          [&](workspace<Exec>& scratch) {
            std::apply([&](const auto&... all) { reduce_to_view(r, first, scratch, wanted, all...); }, views);
          },
          rest...);
    }
  }
}

template <class F, class Reproducible, class... Args>
using transform_for = std::conditional_t<reproducibly<Args...>, Reproducible, F>;

template <class... Args>
std::int64_t ddof_of(const Args&... args) {
  std::int64_t d = 0;
  (..., [&] {
    if constexpr (is_ddof<Args>) d = args.value;
  }());
  return d;
}

struct truth {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return x != T(0);
  }
};
struct absolute {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& v) const {
    return Kokkos::abs(static_cast<mean_type<T>>(v));
  }
};
struct not_nan {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return !is_nan(x);
  }
};
struct zero_if_nan {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return is_nan(x) ? T(0) : x;
  }
};
struct absolute_square {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& v) const {
    if constexpr (is_complex<T>) {
      return v.real() * v.real() + v.imag() * v.imag();
    } else {
      const auto x = static_cast<mean_type<T>>(v);
      return x * x;
    }
  }
};

}  // namespace impl

/// `sum = x(0) + x(1) + ...`, 0 for no elements.
///
/// The result's type is that of the elements, 64 bits wide for integers (of their signedness, wrapping around as NumPy
/// does), float for half types; `sum<double>(exec, x)` adds up and returns another. The error is below that of pairwise
/// summation: blocks are added pairwise and their sums with compensation. Option: `reproducible`.
template <class Result = void, class... Args>
  requires impl::sum_arguments<1, Args...>
auto sum(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::sum_type<T>>;
    return impl::sum_reducer<S, impl::accumulator<S, Args...>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::sum", impl::op::identity(), reducer}, args...);
}

/// `prod = x(0) * x(1) * ...`, 1 for no elements. Types as for `sum`.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto prod(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::sum_type<T>>;
    return impl::op_reducer<S, impl::prod_op>{{}, S(1)};
  };
  return impl::reduce_call<1>(impl::reduction{"quern::prod", impl::op::identity(), reducer}, args...);
}

/// The smallest element, of the elements' type; NaN if there is one.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto min(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::extremum_reducer<T, -1>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::min", impl::op::identity(), reducer, false}, args...);
}

/// The largest element, of the elements' type; NaN if there is one.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto max(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::extremum_reducer<T, 1>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::max", impl::op::identity(), reducer, false}, args...);
}

/// The smallest and the largest element in one pass, as an `extrema<T>`; both NaN if there is one.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto minmax(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::minmax_reducer<T>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::minmax", impl::op::identity(), reducer, false}, args...);
}

/// `dot = x(0) y(0) + x(1) y(1) + ...`, without conjugation; 0 for no elements. The extents must be equal. Types and
/// accuracy as for `sum` of the products. Option: `reproducible`.
template <class Result = void, class... Args>
  requires impl::sum_arguments<2, Args...>
auto dot(Args&&... args) {
  const auto reducer = []<class T, class U>(std::type_identity<T>, std::type_identity<U>) {
    using S = impl::result_or<Result, std::common_type_t<impl::sum_type<T>, impl::sum_type<U>>>;
    return impl::sum_reducer<S, impl::accumulator<S, Args...>>();
  };
  using transform = impl::transform_for<impl::product, impl::reproducible_product, Args...>;
  return impl::reduce_call<2>(impl::reduction{"quern::dot", transform(), reducer}, args...);
}

/// `vdot = conj(x(0)) y(0) + conj(x(1)) y(1) + ...`; 0 for no elements. The extents, of any rank, must be equal. Types
/// and accuracy as for `sum` of the products.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<2, Args...>
auto vdot(Args&&... args) {
  const auto reducer = []<class T, class U>(std::type_identity<T>, std::type_identity<U>) {
    using S = impl::result_or<Result, std::common_type_t<impl::sum_type<T>, impl::sum_type<U>>>;
    return impl::sum_reducer<S, impl::accumulator<S>>();
  };
  return impl::reduce_call<2>(impl::reduction{"quern::vdot", impl::conjugate_product(), reducer}, args...);
}

/// The norm of that order: `|x(0)| + |x(1)| + ...` (1), `sqrt(|x(0)|^2 + |x(1)|^2 + ...)` (2) or the largest `|x(i)|`
/// (`infinity`); 0 for no elements. Double for integers, real for complex numbers. Squares overflow where those of the
/// elements do, as in NumPy; accuracy as for `sum`. Option: `reproducible`.
template <int Order = 2, class... Args>
  requires(impl::sum_arguments<1, Args...> && (Order == 1 || Order == 2 || Order == infinity))
auto norm(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    using S = impl::real_type<impl::mean_type<T>>;
    if constexpr (Order == 1) return impl::sum_reducer<S, impl::accumulator<S, Args...>>();
    else if constexpr (Order == 2) return impl::root_reducer<S, impl::accumulator<S, Args...>>();
    else return impl::op_reducer<S, impl::max_op>{{}, S(0)};
  };
  using squares = impl::transform_for<impl::absolute_square, impl::reproducible_square, Args...>;
  using magnitudes = impl::transform_for<impl::absolute, impl::reproducible_magnitude, Args...>;
  using transform = std::conditional_t<Order == 2, squares, magnitudes>;
  return impl::reduce_call<1>(impl::reduction{"quern::norm", transform(), reducer}, args...);
}

/// `mean = sum(x) / n`; double for integers, float for half types. NaN for no elements. Option: `reproducible`.
template <class Result = void, class... Args>
  requires impl::sum_arguments<1, Args...>
auto mean(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::mean_type<T>>;
    return impl::mean_reducer<S, impl::accumulator<S, Args...>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::mean", impl::op::identity(), reducer}, args...);
}

/// Mean and variance `sum |x - mean|^2 / (n - ddof)` in one pass, as `moments` (`auto [mean, var] = ...`). Types as for
/// `mean`; a mean of no elements is NaN, and so is a variance where n is not greater than ddof.
///
/// Blocks are centred while they are in registers and then joined by the update of Chan, Golub and LeVeque (The
/// American Statistician 37, 1983): as accurate as two passes, whatever the mean.
template <class Result = void, class... Args>
  requires impl::moments_arguments<Args...>
auto mean_var(Args&&... args) {
  const auto reducer = [d = impl::ddof_of(args...)]<class T>(std::type_identity<T>) {
    return impl::moments_reducer<impl::result_or<Result, impl::mean_type<T>>>{d};
  };
  return impl::reduce_call<1>(impl::reduction{"quern::mean_var", impl::op::identity(), reducer}, args...);
}

/// The variance of `mean_var`; NaN where n is not greater than ddof. Option: `reproducible`, which takes two passes.
template <class Result = void, class... Args>
  requires impl::variance_arguments<Args...>
auto var(Args&&... args) {
  const auto reducer = [d = impl::ddof_of(args...)]<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::mean_type<T>>;
    if constexpr (impl::reproducibly<Args...>) return impl::centred_reducer<S, false>{{}, d};
    else return impl::var_reducer<S>{{d}};
  };
  using transform = impl::transform_for<impl::op::identity, impl::reproducible_deviation, Args...>;
  return impl::reduce_call<1>(impl::reduction{"quern::var", transform(), reducer}, args...);
}

/// The standard deviation, the root of `var`; NaN where n is not greater than ddof. Option: `reproducible`.
template <class Result = void, class... Args>
  requires impl::variance_arguments<Args...>
auto stddev(Args&&... args) {
  const auto reducer = [d = impl::ddof_of(args...)]<class T>(std::type_identity<T>) {
    using S = impl::result_or<Result, impl::mean_type<T>>;
    if constexpr (impl::reproducibly<Args...>) return impl::centred_reducer<S, true>{{}, d};
    else return impl::stddev_reducer<S>{{d}};
  };
  using transform = impl::transform_for<impl::op::identity, impl::reproducible_deviation, Args...>;
  return impl::reduce_call<1>(impl::reduction{"quern::stddev", transform(), reducer}, args...);
}

/// Whether no element is zero; true for no elements. A NaN is not zero.
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto all(Args&&... args) {
  const auto reducer = [](const auto&) { return impl::op_reducer<bool, impl::and_op>{{}, true}; };
  return impl::reduce_call<1>(impl::reduction{"quern::all", impl::truth(), reducer}, args...);
}

/// Whether some element is not zero; false for no elements.
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto any(Args&&... args) {
  const auto reducer = [](const auto&) { return impl::op_reducer<bool, impl::or_op>{{}, false}; };
  return impl::reduce_call<1>(impl::reduction{"quern::any", impl::truth(), reducer}, args...);
}

/// How many elements are not zero, as `std::int64_t` (NumPy's `count_nonzero`).
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto count(Args&&... args) {
  const auto reducer = [](const auto&) { return impl::sum_reducer<std::int64_t>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::count", impl::truth(), reducer}, args...);
}

/// The position of the largest element, the first of them where there are several: as `std::int64_t`, in row-major
/// order over the whole array or over the reduced axes. A NaN is larger than all, as in NumPy.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto argmax(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::arg_reducer<T, 1, false>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::argmax", impl::op::identity(), reducer, false}, args...);
}

/// The position of the smallest element, as `argmax` finds that of the largest. A NaN is smaller than all.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto argmin(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::arg_reducer<T, -1, false>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::argmin", impl::op::identity(), reducer, false}, args...);
}

/// `sum` of the elements that are not NaN.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nansum(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::sum_reducer<impl::result_or<Result, impl::sum_type<T>>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::nansum", impl::zero_if_nan(), reducer}, args...);
}

/// `mean` of the elements that are not NaN; NaN where there is none.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nanmean(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::nan_mean_reducer<impl::result_or<Result, impl::mean_type<T>>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::nanmean", impl::op::identity(), reducer}, args...);
}

/// `var` of the elements that are not NaN; NaN where their number is not greater than ddof.
template <class Result = void, class... Args>
  requires impl::moments_arguments<Args...>
auto nanvar(Args&&... args) {
  const auto reducer = [d = impl::ddof_of(args...)]<class T>(std::type_identity<T>) {
    return impl::nan_moments_reducer<impl::var_reducer<impl::result_or<Result, impl::mean_type<T>>>>{{{d}}};
  };
  return impl::reduce_call<1>(impl::reduction{"quern::nanvar", impl::op::identity(), reducer}, args...);
}

/// The smallest of the elements that are not NaN; NaN where there is none.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nanmin(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::nan_extremum_reducer<T, -1>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::nanmin", impl::op::identity(), reducer, false}, args...);
}

/// The largest of the elements that are not NaN; NaN where there is none.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nanmax(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::nan_extremum_reducer<T, 1>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::nanmax", impl::op::identity(), reducer, false}, args...);
}

/// `argmax` of the elements that are not NaN; -1 where there is none.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nanargmax(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::arg_reducer<T, 1, true>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::nanargmax", impl::op::identity(), reducer, false}, args...);
}

/// `argmin` of the elements that are not NaN; -1 where there is none.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nanargmin(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::arg_reducer<T, -1, true>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::nanargmin", impl::op::identity(), reducer, false}, args...);
}

/// How many elements are not NaN, as `std::int64_t`.
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto nancount(Args&&... args) {
  const auto reducer = [](const auto&) { return impl::sum_reducer<std::int64_t>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::nancount", impl::not_nan(), reducer}, args...);
}

/// `op` over all elements, starting from its identity: `reduce(exec, op, identity, in)` returns the value.
///
/// @param op       an associative and commutative functor of two values of the type of `identity`
/// @param identity what `op` leaves every value unchanged with; its type is that of the result
template <execution_space Exec, class Op, scalar_value T, view_like In>
  requires(!view_like<Op>)
T reduce(const Exec& exec, const Op& op, const T& identity, const In& in) {
  const auto reducer = [&](const auto&) { return impl::op_reducer<T, Op>{op, identity}; };
  return impl::reduce_call<1>(impl::reduction{"quern::reduce", impl::op::identity(), reducer}, exec, in);
}
/// Reduces to a View, optionally along axes and with a `quern::workspace`; asynchronous.
template <execution_space Exec, view_like Out, class Op, scalar_value T, view_like In, class... Rest>
  requires(!view_like<Op> && impl::reduction_arguments<1, Exec, Out, In, Rest...>)
void reduce(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in, Rest&&... rest) {
  const auto reducer = [&](const auto&) { return impl::op_reducer<T, Op>{op, identity}; };
  impl::reduce_call<1>(impl::reduction{"quern::reduce", impl::op::identity(), reducer}, exec, out, in, rest...);
}
/// The same on a default instance of in's execution space.
template <class Op, scalar_value T, view_like In>
  requires(!view_like<Op> && !execution_space<Op>)
T reduce(const Op& op, const T& identity, const In& in) {
  return reduce(impl::default_execution_space<In>(), op, identity, in);
}
/// The same on a default instance of in's execution space.
template <view_like Out, class Op, scalar_value T, view_like In, class... Rest>
  requires(!view_like<Op> && impl::reduction_arguments<1, Out, In, Rest...>)
void reduce(const Out& out, const Op& op, const T& identity, const In& in, Rest&&... rest) {
  reduce(impl::default_execution_space<In>(), out, op, identity, in, rest...);
}

}  // namespace quern

#endif
