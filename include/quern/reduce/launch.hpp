// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_LAUNCH_HPP
#define QUERN_REDUCE_LAUNCH_HPP

#include <quern/core/views/axes.hpp>
#include <quern/reduce/device_reduction.hpp>
#include <quern/reduce/host_reduction.hpp>

namespace quern::impl {

/// Reduces f(in...) along `axes` with the algorithm of the execution space. `out` is memory that `exec` reaches, with
/// the extents that remain when `axes` are gone.
template <class Exec, class Reducer, class Out, class F, class... Input>
void reduce_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const Reducer& reducer,
                   const F& f, const axis_set& axes, const strided<Out>& out, const Input&... in) {
  constexpr int operands = sizeof...(Input);
  using work_type = strided_reduction<Exec, Reducer, F, Out, typename Input::operand...>;
  const shape& extents = std::get<0>(std::tie(in...)).array.extents;
  const int lead = leading_input(in...);
  const auto nest = make_loop_nest<operands>(axes.part(extents, true), {axes.part(in.array, true)...}, lead);
  const auto rest =
      make_loop_nest<operands + 1>(axes.part(extents, false), {axes.part(in.array, false)..., out.stride}, lead);
  if (rest.inner() * rest.outer() == 0) return;

  int k = -1;
  const work_type work{reducer,
                       f,
                       {{in.at_step(nest.stride[++k][0])}...},
                       row_nest<operands>(nest),
                       row_nest<operands + 1>(rest),
                       nest.inner() * nest.outer(),
                       out.data};
  const std::array<std::int64_t, max_rank> strides[] = {in.array.stride...};
  const bool results_fastest =
      smallest_stride(extents, strides[lead], axes, false) < smallest_stride(extents, strides[lead], axes, true);
  if constexpr (is_device<Exec>) launch_on_device(exec, label, scratch, work, results_fastest);
  else launch_on_host(exec, label, scratch, work, results_fastest);
}

}  // namespace quern::impl

#endif
