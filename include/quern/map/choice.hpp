// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_CHOICE_HPP
#define QUERN_MAP_CHOICE_HPP

/// @file
/// One of several values, or of several functions, for each element: one line over `map`, in memory, in chunks and over
/// ranks.

#include <quern/core/launch/operations.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl {
namespace op {

/// The value behind the first condition that holds, the last one where none does, or 0 where there is no other.
template <class Out>
struct select {
  KOKKOS_FUNCTION Out operator()() const { return Out(0); }
  template <class X>
  KOKKOS_FUNCTION Out operator()(const X& otherwise) const {
    return convert<Out>(otherwise);
  }
  template <class C, class X, class... Rest>
  KOKKOS_FUNCTION Out operator()(const C& condition, const X& x, const Rest&... rest) const {
    return condition ? convert<Out>(x) : (*this)(rest...);
  }
};

}  // namespace op

/// The functions of `piecewise`.
template <class... F>
struct piece_list {
  operand_tuple<F...> of;
};

/// The value of the function behind the last condition that holds, of the one without a condition, or 0.
template <class Out, class... F>
struct piecewise_value {
  piece_list<F...> pieces;

  template <class X, class... C>
  KOKKOS_FUNCTION Out operator()(const X& x, const C&... condition) const {
    static_assert(sizeof...(F) == sizeof...(C) || sizeof...(F) == sizeof...(C) + 1,
                  "quern::piecewise: there must be a function for each condition, and at most one for what is left");
    return chosen<sizeof...(C)>(x, condition...);
  }

 private:
  template <std::size_t I, class X>
  KOKKOS_FUNCTION Out value(const X& x) const {
    const auto& f = get<I>(pieces.of);
    if constexpr (std::is_invocable_v<decltype(f), X>) return convert<Out>(f(x));
    else return convert<Out>(f);
  }
  /// Of the first `Left` conditions.
  template <std::size_t Left, class X, class... C>
  KOKKOS_FUNCTION Out chosen(const X& x, const C&... condition) const {
    if constexpr (Left > 0) {
      if (nth<static_cast<int>(Left) - 1>(condition...)) return value<Left - 1>(x);
      return chosen<Left - 1>(x, condition...);
    } else if constexpr (sizeof...(F) > sizeof...(C)) {
      return value<sizeof...(C)>(x);
    } else {
      return Out(0);
    }
  }
};

}  // namespace impl

/// `out = x0` where `c0` holds, else `x1` where `c1` does, and so on, else `otherwise`, or 0 where none is given
/// (NumPy's `select`): `select(exec, out, c0, x0, c1, x1, otherwise)`.
///
/// @param in conditions and values in turn: arrays, lazy arrays or scalars that broadcast. Conditions are of any type
///           that converts to bool; values are converted to out's type
///
/// All inputs are read. Asynchronous on `exec`, as `map`; options, `mask{m}` and in chunks `chunking`, stand before the
/// inputs.
template <execution_space Exec, result_view Out, class... In>
  requires operands<In...>
void select(const Exec& exec, const Out& out, const In&... in) {
  static_assert(sizeof...(In) >= 2, "quern::select: there must be a condition and a value");
  impl::map_call("quern::select", exec, out, impl::op::select<impl::value_of<Out>>(), std::tie(in...));
}
template <execution_space Exec, result_view Out, call_option<mask_t> Option, class... In>
  requires(operands<In...> || impl::second_option<Option, In...>::value)
void select(const Exec& exec, const Out& out, const Option& option, const In&... in) {
  impl::map_call("quern::select", exec, out, impl::op::select<impl::value_of<Out>>(), std::tie(in...), option);
}
template <execution_space Exec, result_view Out, call_option<mask_t> Option, impl::mask_or_place Second, class... In>
  requires(!std::same_as<Option, Second> && operands<In...>)
void select(const Exec& exec, const Out& out, const Option& option, const Second& second, const In&... in) {
  impl::map_call("quern::select", exec, out, impl::op::select<impl::value_of<Out>>(), std::tie(in...), option, second);
}
template <result_view Out, class... In>
  requires operands<In...>
void select(const Out& out, const In&... in) {
  select(impl::space_of(out, in...), out, in...);
}
template <result_view Out, call_option<mask_t> Option, class... In>
  requires(operands<In...> || impl::second_option<Option, In...>::value)
void select(const Out& out, const Option& option, const In&... in) {
  select(impl::space_of(out, in...), out, option, in...);
}
template <result_view Out, call_option<mask_t> Option, impl::mask_or_place Second, class... In>
  requires(!std::same_as<Option, Second> && operands<In...>)
void select(const Out& out, const Option& option, const Second& second, const In&... in) {
  select(impl::space_of(out, in...), out, option, second, in...);
}
QUERN_TAKES_NAME(select)

/// Functions of one value, or scalars, for `piecewise`.
template <class... F>
impl::piece_list<F...> pieces(const F&... f) {
  return {{{f}...}};
}

/// `out = f(x)` with the function of the last condition that holds (NumPy's `piecewise`):
/// `piecewise(exec, out, pieces(f0, f1, otherwise), x, c0, c1)`; where none holds the function without a condition,
/// or 0. A scalar in place of a function is the value itself.
///
/// @param x          an array, or a lazy one
/// @param conditions arrays, lazy arrays or scalars of bool, as many as there are functions or one less. All broadcast
///
/// A function is called for the elements that it is chosen for alone. Asynchronous on `exec`, as `map`; options,
/// `mask{m}` and in chunks `chunking`, stand before the inputs.
template <execution_space Exec, result_view Out, class... F, class X, class... C>
  requires operands<X, C...>
void piecewise(const Exec& exec, const Out& out, const impl::piece_list<F...>& f, const X& x, const C&... conditions) {
  const impl::label_scope functor("quern::piecewise", typeid(f));
  impl::map_call("quern::piecewise", exec, out, impl::piecewise_value<impl::value_of<Out>, F...>{f},
                 std::tie(x, conditions...));
}
template <execution_space Exec, result_view Out, class... F, call_option<mask_t> Option, class... In>
  requires(operands<In...> || impl::second_option<Option, In...>::value)
void piecewise(const Exec& exec, const Out& out, const impl::piece_list<F...>& f, const Option& option,
               const In&... in) {
  const impl::label_scope functor("quern::piecewise", typeid(f));
  impl::map_call("quern::piecewise", exec, out, impl::piecewise_value<impl::value_of<Out>, F...>{f}, std::tie(in...),
                 option);
}
template <execution_space Exec, result_view Out, class... F, call_option<mask_t> Option, impl::mask_or_place Second,
          class... In>
  requires(!std::same_as<Option, Second> && operands<In...>)
void piecewise(const Exec& exec, const Out& out, const impl::piece_list<F...>& f, const Option& option,
               const Second& second, const In&... in) {
  const impl::label_scope functor("quern::piecewise", typeid(f));
  impl::map_call("quern::piecewise", exec, out, impl::piecewise_value<impl::value_of<Out>, F...>{f}, std::tie(in...),
                 option, second);
}
template <result_view Out, class... F, class X, class... C>
  requires operands<X, C...>
void piecewise(const Out& out, const impl::piece_list<F...>& f, const X& x, const C&... conditions) {
  piecewise(impl::space_of(out, x, conditions...), out, f, x, conditions...);
}
template <result_view Out, class... F, call_option<mask_t> Option, class... In>
  requires(operands<In...> || impl::second_option<Option, In...>::value)
void piecewise(const Out& out, const impl::piece_list<F...>& f, const Option& option, const In&... in) {
  piecewise(impl::space_of(out, in...), out, f, option, in...);
}
template <result_view Out, class... F, call_option<mask_t> Option, impl::mask_or_place Second, class... In>
  requires(!std::same_as<Option, Second> && operands<In...>)
void piecewise(const Out& out, const impl::piece_list<F...>& f, const Option& option, const Second& second,
               const In&... in) {
  piecewise(impl::space_of(out, in...), out, f, option, second, in...);
}
QUERN_TAKES_NAME(piecewise)

}  // namespace quern

#endif
