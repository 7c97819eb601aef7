// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_OPTIONS_HPP
#define QUERN_CORE_OPTIONS_HPP

/// @file
/// Options that operations of several modules take, and which arguments an operation has.

#include <quern/core/axes.hpp>
#include <quern/core/concepts.hpp>
#include <quern/core/workspace.hpp>
#include <tuple>
#include <type_traits>

namespace quern {

/// The delta degrees of freedom of a variance, which is divided by n - ddof: `var(exec, x, ddof{1})` is the estimate
/// for the population that x is a sample of. Default 0.
struct ddof {
  std::int64_t value;
};

/// Asks for a result that depends on the values alone: `sum(exec, x, reproducible)`.
///
/// It is the same, bit by bit, on every back end, device and number of threads, in every layout, and whatever the order
/// of the elements. Each value is rounded to a multiple of a unit, and the multiples are added exactly. The unit is a
/// power of two, at most 2^-77 times the largest magnitude (2^-51 for results in float): so far below it that the error
/// of the sum is the rounding of the result, unless the values cancel by more than that. Up to 2^37 values.
///
/// Refused, by a static_assert, in code that is compiled with the liberties of `-ffast-math` or computes in the long
/// registers of the x87.
struct reproducible_t {};
inline constexpr reproducible_t reproducible{};

namespace impl {

template <class T>
inline constexpr bool is_workspace = false;
template <class Exec>
inline constexpr bool is_workspace<workspace<Exec>> = true;
template <class T>
inline constexpr bool is_axes = std::is_base_of_v<axes, std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool is_ddof = std::is_same_v<ddof, std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool is_reproducible = std::is_same_v<reproducible_t, std::remove_cvref_t<T>>;
template <class... Args>
inline constexpr bool reproducibly = (is_reproducible<Args> || ...);

/// The arguments of one kind, in their order.
template <class T>
auto if_view(const T& x) {
  if constexpr (view_like<T>) return std::tuple<const T&>(x);
  else return std::tuple<>();
}
template <class T>
const axes* if_axes(const T& x, const axes* otherwise) {
  if constexpr (is_axes<T>) return &x;
  else return otherwise;
}

template <int Inputs, class... Args>
constexpr bool are_reduction_arguments(int most_ddof, int most_reproducible) {
  constexpr int execs = (0 + ... + (execution_space<Args> ? 1 : 0));
  constexpr int works = (0 + ... + (is_workspace<std::remove_cvref_t<Args>> ? 1 : 0));
  constexpr int views = (0 + ... + (view_like<Args> ? 1 : 0));
  constexpr int along = (0 + ... + (is_axes<Args> ? 1 : 0));
  constexpr int ddofs = (0 + ... + (is_ddof<Args> ? 1 : 0));
  constexpr int reproducibles = (0 + ... + (is_reproducible<Args> ? 1 : 0));
  return execs + works + views + along + ddofs + reproducibles == sizeof...(Args) && execs <= 1 && works <= execs &&
         along <= 1 && ddofs <= most_ddof && reproducibles <= most_reproducible &&
         (views == Inputs + 1 || (views == Inputs && works == 0 && along == 0));
}

/// Arguments of a reduction with that many inputs, in one of the forms [exec,] [out,] in... [, axes] [, options] [,
/// workspace].
template <int Inputs, class... Args>
concept reduction_arguments = are_reduction_arguments<Inputs, Args...>(0, 0);
/// Arguments of a reduction, with `reproducible` or without.
template <int Inputs, class... Args>
concept sum_arguments = are_reduction_arguments<Inputs, Args...>(0, 1);
/// Arguments of a reduction of one input, with a `ddof` or without.
template <class... Args>
concept moments_arguments = are_reduction_arguments<1, Args...>(1, 0);
/// Arguments of a reduction of one input, with or without both options.
template <class... Args>
concept variance_arguments = are_reduction_arguments<1, Args...>(1, 1);

/// Calls f with the workspace among the arguments, or with one of the pool.
template <class Exec, class F, class... Args>
void with_scratch(const Exec& exec, const F& f, Args&... args) {
  if constexpr ((is_workspace<Args> || ...)) {
    (..., [&] {
      if constexpr (is_workspace<Args>) f(args);
    }());
  } else {
    lease<Exec> held(exec);
    f(held.scratch());
  }
}

}  // namespace impl
}  // namespace quern

#endif
