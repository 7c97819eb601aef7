// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_LAUNCH_HPP
#define QUERN_REDUCE_LAUNCH_HPP

#include <quern/reduce/device_reduction.hpp>
#include <quern/reduce/host_reduction.hpp>

namespace quern::impl {

/// Reduces f(in...) along `axes` with the algorithm of the execution space; for `in` and `out` see
/// `describe_reduction`.
template <class Exec, class Reducer, class F, class Out, class... In>
void reduce_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const Reducer& reducer,
                   const F& f, const axis_set& axes, const strided<Out>& out, const In&... in) {
  const auto work = describe_reduction<Exec>(reducer, f, axes, out, in...);
  if (work.results() == 0) return;
  if constexpr (is_device<Exec>) reduce_on_device(exec, label, scratch, work);
  else reduce_on_host(exec, label, scratch, work);
}

}  // namespace quern::impl

#endif
