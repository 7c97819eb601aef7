// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ITERATE_HPP
#define QUERN_STENCIL_ITERATE_HPP

#include <concepts>
#include <cstdint>
#include <quern/core/call/call.hpp>
#include <quern/core/call/error.hpp>
#include <quern/core/call/places.hpp>
#include <string>
#include <utility>

namespace quern {

/// `n` steps of a scheme that computes a new array from the last one: calls `step(exec, from, to)` n times, swapping
/// the two Views after each, so that `now` is always the newest. No copy, and no fence between the steps.
///
/// @param now  holds the initial values, and the View with the result when the call returns
/// @param next the other View, or DistributedView, of the same type; what it holds does not matter, unless a step
///             leaves cells as they are (`boundary::keep`): then both must hold the same there
/// @param step launches the kernels of a step on `exec`; `from` and `to` are Views. It may take the number of the step,
///             0 to n - 1, as a fourth argument
///
/// @code
/// const auto step = [](const auto& e, const auto& from, const auto& to) {
///   quern::stencil<quern::star<1>>(e, to, heat_step{0.1}, quern::boundary::wrap, from);
/// };
/// quern::iterate(exec, u, next, step, 100);
/// @endcode
///
/// Asynchronous as the steps are, and may be captured in a device graph if they may: with an even n the graph can be
/// launched again and again, since the result is then where the initial values were.
/// @throws Error if n is negative
template <execution_space Exec, result_view View, class Step>
  requires(std::invocable<const Step&, const Exec&, const View&, const View&> ||
           std::invocable<const Step&, const Exec&, const View&, const View&, std::int64_t>)
void iterate(const Exec& exec, View& now, View& next, const Step& step, std::int64_t n) {
  impl::compare_calls<impl::iterations>(
      "quern::iterate", [&] { return ", " + std::to_string(n) + " steps"; }, now, next);
  if (n < 0) throw Error("quern::iterate", std::to_string(n) + " steps");
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::invocable<const Step&, const Exec&, const View&, const View&>) step(exec, now, next);
    else step(exec, now, next, i);
    std::swap(now, next);
  }
}
template <result_view View, class Step>
void iterate(View& now, View& next, const Step& step, std::int64_t n) {
  iterate(impl::space_of(now), now, next, step, n);
}
QUERN_REJECTS(option, iterate)
template <class... Args>
  requires impl::named_call<std::remove_cvref_t<Args>...>
void iterate(Args&&... args) {
  impl::call_named([](auto&... others) { iterate(others...); }, args...);
}

}  // namespace quern

#endif
