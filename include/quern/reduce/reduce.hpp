// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_REDUCE_HPP
#define QUERN_REDUCE_REDUCE_HPP

/// @file
/// Reductions of a whole array to one value.
///
/// Every named reduction, here for `sum`, is called as
///
/// | call | what it does |
/// | --- | --- |
/// | `T s = sum(exec, in)` | returns the value on the host; waits for `exec`, and only for it |
/// | `sum(exec, out, in)` | writes the rank-0 View `out`; asynchronous on `exec` |
/// | `sum(exec, out, in, work)` | the same with a `quern::workspace` of the caller, for capture in a device graph |
/// | `sum(in)`, `sum(out, in)` | on a default instance of the execution space of `in` |
///
/// `in` is any `view_like` of any rank, layout, strides and extents (more than 2^31 elements too), and is read once.
/// Scratch memory is about one accumulator for each team that the device runs at a time; it comes from the pool of the
/// execution-space instance. Results repeat bit by bit from run to run on one machine with one number of threads.
///
/// @throws Error if extents do not fit, if `out` shares memory with `in`, and where an operation says so.

#include <quern/reduce/kernel.hpp>
#include <tuple>

namespace quern {
namespace impl {

template <class T>
inline constexpr bool is_workspace = false;
template <class Exec>
inline constexpr bool is_workspace<workspace<Exec>> = true;

template <class Wanted, class Default>
using result_or = std::conditional_t<std::is_void_v<Wanted>, Default, Wanted>;

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

template <class Input>
void check_reduction_input(const std::string& label, bool identity, const shape& extents, const Input& in,
                           std::size_t number) {
  if (in.array.extents != extents)
    throw Error(label, input_name(number) + " has extents " + in.array.extents.str() + ", expected " + extents.str());
  if (!identity && extents.size() == 0)
    throw Error(label, input_name(number) + " has extents " + extents.str() + ", expected at least one element");
}

/// Checks, then launches; `place(type)` gives the memory for a result of that type.
template <class Exec, class Reduction, class Place, class... In>
auto reduce_into(const Exec& exec, workspace<Exec>& scratch, const Reduction& r, const Place& place,
                 const In&... in_views) {
  const auto run = [&](const auto&... in) {
    const auto reducer = r.reducer(std::type_identity<typename std::remove_cvref_t<decltype(in)>::value_type>()...);
    using state = typename decltype(reducer)::state;
    using result = std::remove_cvref_t<decltype(reducer.result(std::declval<state>(), 0))>;
    const shape extents = std::get<0>(std::tie(in...)).array.extents;
    std::size_t number = 0;
    (check_reduction_input(r.label, r.identity, extents, in, number++), ...);
    auto* out = place(std::type_identity<result>(), in...);
    reduce_launch(exec, r.label, scratch, reducer, r.transform, out, in...);
    return out;
  };
  return run(make_input<Exec>(in_views, r.label)...);
}

/// The overload that returns a host value.
template <class Exec, class Reduction, class... In>
auto reduce_to_host(const Reduction& r, const Exec& exec, const In&... in) {
  lease<Exec> held(exec);
  const auto* result = reduce_into(
      exec, held.scratch(), r,
      [&]<class T>(std::type_identity<T>, const auto&...) { return held.template result<T>(); }, in...);
  exec.fence(r.label + ": result");
  return *result;
}

/// The overload that writes a rank-0 View.
template <class Exec, class Reduction, class Out, class... In>
void reduce_to_view(const Reduction& r, const Exec& exec, workspace<Exec>& scratch, const Out& out_view,
                    const In&... in) {
  const auto out = make_output<Exec>(out_view, r.label);
  if (out.extents.rank != 0)
    throw Error(r.label, "out has extents " + out.extents.str() + ", expected () for a reduction of all elements");
  reduce_into(
      exec, scratch, r,
      [&](const auto&, const auto&... inputs) {
        std::size_t number = 0;
        (check_overlap(r.label, out, inputs.array, input_name(number++), false), ...);
        return out.data;
      },
      in...);
}

/// Sorts out the forms of the table above: [exec,] [out,] in... [, workspace].
template <int Inputs, class Reduction, class First, class... Rest>
auto reduce_call(const Reduction& r, First& first, Rest&... rest) {
  if constexpr (!execution_space<First>) {
    const default_execution_space<First> exec;
    return reduce_call<Inputs>(r, exec, first, rest...);
  } else if constexpr (sizeof...(Rest) == Inputs) {
    return reduce_to_host(r, first, rest...);
  } else if constexpr (sizeof...(Rest) == Inputs + 1) {
    lease<std::remove_const_t<First>> held(first);
    reduce_to_view(r, first, held.scratch(), rest...);
  } else {
    auto all = std::tie(rest...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      reduce_to_view(r, first, std::get<Inputs + 1>(all), std::get<I>(all)...);
    }(std::make_index_sequence<Inputs + 1>());
  }
}

template <int Inputs, class... Args>
constexpr bool are_reduction_arguments() {
  constexpr int execs = (0 + ... + (execution_space<Args> ? 1 : 0));
  constexpr int works = (0 + ... + (is_workspace<std::remove_cvref_t<Args>> ? 1 : 0));
  constexpr int views = (0 + ... + (view_like<Args> ? 1 : 0));
  return execs + works + views == sizeof...(Args) && execs <= 1 && works <= execs &&
         (views == Inputs + 1 || (views == Inputs && works == 0));
}

/// Arguments of a reduction with that many inputs, in one of the forms of the table above.
template <int Inputs, class... Args>
concept reduction_arguments = are_reduction_arguments<Inputs, Args...>();

struct truth {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& x) const {
    return x != T(0);
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
/// summation: blocks are added pairwise and their sums with compensation.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto sum(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::sum_reducer<impl::result_or<Result, impl::sum_type<T>>>();
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
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::min_reducer<T>(); };
  return impl::reduce_call<1>(impl::reduction{"quern::min", impl::op::identity(), reducer, false}, args...);
}

/// The largest element, of the elements' type; NaN if there is one.
/// @throws Error for no elements
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto max(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) { return impl::max_reducer<T>(); };
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
/// accuracy as for `sum` of the products.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<2, Args...>
auto dot(Args&&... args) {
  const auto reducer = []<class T, class U>(std::type_identity<T>, std::type_identity<U>) {
    return impl::sum_reducer<impl::result_or<Result, std::common_type_t<impl::sum_type<T>, impl::sum_type<U>>>>();
  };
  return impl::reduce_call<2>(impl::reduction{"quern::dot", impl::op::multiply(), reducer}, args...);
}

/// The Euclidean norm `sqrt(|x(0)|^2 + |x(1)|^2 + ...)`, 0 for no elements; double for integers, real for complex
/// numbers. Squares overflow where those of the elements do, as in NumPy.
template <class... Args>
  requires impl::reduction_arguments<1, Args...>
auto norm(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::root_reducer<impl::real_type<impl::mean_type<T>>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::norm", impl::absolute_square(), reducer}, args...);
}

/// `mean = sum(x) / n`; double for integers, float for half types. NaN for no elements.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto mean(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::mean_reducer<impl::result_or<Result, impl::mean_type<T>>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::mean", impl::op::identity(), reducer}, args...);
}

/// Mean and population variance `sum |x - mean|^2 / n` in one pass, as `moments` (`auto [mean, var] = ...`). Types as
/// for `mean`; NaN for no elements.
///
/// Blocks are centred while they are in registers and then joined by the update of Chan, Golub and LeVeque (The
/// American Statistician 37, 1983): as accurate as two passes, whatever the mean.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto mean_var(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::moments_reducer<impl::result_or<Result, impl::mean_type<T>>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::mean_var", impl::op::identity(), reducer}, args...);
}

/// The population standard deviation, the root of `mean_var`'s variance. NaN for no elements.
template <class Result = void, class... Args>
  requires impl::reduction_arguments<1, Args...>
auto stddev(Args&&... args) {
  const auto reducer = []<class T>(std::type_identity<T>) {
    return impl::stddev_reducer<impl::result_or<Result, impl::mean_type<T>>>();
  };
  return impl::reduce_call<1>(impl::reduction{"quern::stddev", impl::op::identity(), reducer}, args...);
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

/// `op` over all elements, starting from its identity: `reduce(exec, op, identity, in)` returns the value,
/// `reduce(exec, out, op, identity, in)` writes the rank-0 View `out`.
///
/// @param op       an associative and commutative functor of two values of the type of `identity`
/// @param identity what `op` leaves every value unchanged with; its type is that of the result
template <execution_space Exec, class Op, scalar_value T, view_like In>
  requires(!view_like<Op>)
T reduce(const Exec& exec, const Op& op, const T& identity, const In& in) {
  const auto reducer = [&](const auto&) { return impl::op_reducer<T, Op>{op, identity}; };
  return impl::reduce_call<1>(impl::reduction{"quern::reduce", impl::op::identity(), reducer}, exec, in);
}
/// The same to a rank-0 View, with an optional `quern::workspace`; asynchronous.
template <execution_space Exec, view_like Out, class Op, scalar_value T, view_like In, class... Workspace>
  requires(!view_like<Op> && sizeof...(Workspace) <= 1)
void reduce(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in, Workspace&... work) {
  const auto reducer = [&](const auto&) { return impl::op_reducer<T, Op>{op, identity}; };
  impl::reduce_call<1>(impl::reduction{"quern::reduce", impl::op::identity(), reducer}, exec, out, in, work...);
}
/// The same on a default instance of in's execution space.
template <class Op, scalar_value T, view_like In>
  requires(!view_like<Op> && !execution_space<Op>)
T reduce(const Op& op, const T& identity, const In& in) {
  return reduce(impl::default_execution_space<In>(), op, identity, in);
}
/// The same on a default instance of in's execution space.
template <view_like Out, class Op, scalar_value T, view_like In>
  requires(!view_like<Op>)
void reduce(const Out& out, const Op& op, const T& identity, const In& in) {
  reduce(impl::default_execution_space<In>(), out, op, identity, in);
}

}  // namespace quern

#endif
