// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_REDUCED_HPP
#define QUERN_REDUCE_REDUCED_HPP

/// @file
/// Reductions among the outputs of `map` and `stencil`: what one pass computes, writes and reduces.

#include <optional>
#include <quern/reduce/reduce.hpp>

namespace quern {
namespace impl {

/// Stands for an array of such values where only the description of an operation is wanted.
template <class T>
struct values_of_type {
  using place = described_place;
  using value_type = T;
  static constexpr int rank = 1;
};
template <>
struct engine<described_place, reductions> {
  template <class Reduction, class Exec, class Out, class... In, class... Options>
  static Reduction run(const Reduction& r, const Exec&, const Out&, const std::tuple<const In&...>&,
                       const Options&...) {
    return r;
  }
};

/// A reduction with a functor of the user.
template <class F, class T>
struct own_reduction {
  F f;
  T identity;
  template <class Exec, class Values, class... Options>
  auto describe(const Exec& exec, const Values& values, const Options&... options) const {
    return quern::reduce(exec, on_host, f, identity, values, options...);
  }
};

/// An output that is a reduction of what a functor gives for it.
template <class Op, class Out, class... Options>
struct reduced_output {
  using out_type = Out;
  Op op;
  Out out;
  std::tuple<Options...> options;

  const axes* along() const {
    return unpack([](const auto&... o) { return find_option<axes>(o...); }, options);
  }
  /// What the operation does with values of type T, which may be `selected` or not.
  template <class T, class Exec>
  auto describe(const Exec& exec) const {
    if constexpr (is_selected<T>)
      return of_selected_values<values_of_type<decltype(T::value)>>(describe_all_of<decltype(T::value)>(exec));
    else return describe_all_of<T>(exec);
  }

 private:
  template <class T, class Exec>
  auto describe_all_of(const Exec& exec) const {
    const auto with = [&](const auto&... o) { return op.describe(exec, values_of_type<T>(), o...); };
    const auto no_axes = [](const auto& o) {
      if constexpr (is_option<axes, decltype(o)>) return std::tuple<>();
      else return std::tuple(o);
    };
    return unpack(with, unpack([&](const auto&... o) { return std::tuple_cat(no_axes(o)...); }, options));
  }
};
template <class Op, class Out, class... Options>
inline constexpr bool is_reduced<reduced_output<Op, Out, Options...>> = true;
template <class Out>
inline constexpr bool has_axes = false;
template <class Op, class Out, class... Options>
inline constexpr bool has_axes<reduced_output<Op, Out, Options...>> = has_option<axes, Options...>;

}  // namespace impl

/// A reduction among the outputs of `map` or `stencil`: of what the functor returns for it, before that is converted to
/// the type of an output.
///
/// @code
/// quern::map(exec, quern::outputs(u, r, quern::reduced<quern::op::sum>(rr)), step, u, r, p, w, alpha);
/// @endcode
///
/// is `u += alpha p; r -= alpha w; rr = dot(r, r)` in one pass, where `step` returns `quern::values(u, r, r * r)`.
///
/// @tparam Op     the reduction, `op::sum` for `quern::sum` and so on, with its types, accuracy and options; one that
///                takes a single pass
/// @param out     a rank-0 View, or along axes one of the extents that remain; or `on_host`: the call then waits, and
///                returns the result, or a `std::tuple` of several
/// @param options `axis{}` or `axes{}`, the same for all reductions of a call; `ddof`, `reproducible`
///
/// Results repeat from run to run, with the same number of threads.
template <class Op, rows_or_result Out, option<axes, ddof, reproducible_t>... Options>
impl::reduced_output<Op, Out, Options...> reduced(const Out& out, const Options&... options) {
  static_assert(!std::is_same_v<Out, on_host_t> || !impl::has_option<axes, Options...>,
                "quern::reduced: a reduction along axes writes to a View");
  static_assert(!impl::has_rows<Out>,
                "quern::reduced: results are not written to quern::rows; use a View of Arrays, and copy that to rows");
  return {{}, out, {options...}};
}
/// With a functor and its identity, as `quern::reduce` takes them.
template <class F, scalar_value T, rows_or_result Out, option<axes>... Options>
impl::reduced_output<impl::own_reduction<F, T>, Out, Options...> reduced(const Out& out, const F& f, const T& identity,
                                                                         const Options&... options) {
  static_assert(!impl::has_rows<Out>,
                "quern::reduced: results are not written to quern::rows; use a View of Arrays, and copy that to rows");
  return {{f, identity}, out, {options...}};
}
/// Of an identity that kernels cannot copy.
template <class F, impl::uncopyable_value T, rows_or_result Out, option<axes>... Options>
void reduced(const Out&, const F&, const T&, const Options&...) {
  static_assert(impl::uncopyable<T>::value);
}

}  // namespace quern

#endif
