// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_LAUNCH_HPP
#define QUERN_REDUCE_LAUNCH_HPP

/// @file
/// `reduce_launch(exec, label, scratch, reducer, f, axes, out, in...)` reduces f(in...) along `axes` with the algorithm
/// of the execution space; for `in` and `out` see `describe_reduction`.

#include <quern/core/launch/compiled.hpp>
#include <quern/reduce/device_reduction.hpp>
#include <quern/reduce/host_reduction.hpp>
#include <quern/reducers/reducers.hpp>
#include <quern/reducers/reproducible.hpp>

namespace quern::impl {

// The commonest reductions of Views are compiled once for devices. On hosts they are loops of the program that calls
// them, with its vector instructions.
template <class T>
using elements_of_view = expanded<leaf_part, array_input<T>>;
template <class T>
using plain_sum = sum_reducer<sum_type<T>, accumulator<sum_type<T>>>;
template <class T>
using plain_min = extremum_reducer<T, -1>;
template <class T>
using plain_max = extremum_reducer<T, 1>;
template <class T>
using plain_argmin = arg_reducer<T, -1, false>;
template <class T>
using plain_argmax = arg_reducer<T, 1, false>;

#define QUERN_REDUCTION(HOW, Exec, Reducer, Out, ...)                                                \
  HOW template void reduce_launch(const Exec&, const std::string&, Workspace<Exec>&, const Reducer&, \
                                  const op::identity&, const axis_set&, const strided<Out>&, __VA_ARGS__);
#define QUERN_EXTREMA(HOW, Exec, T, MINIMUM, POSITION)                  \
  QUERN_REDUCTION(HOW, Exec, MINIMUM<T>, T, const elements_of_view<T>&) \
  QUERN_REDUCTION(HOW, Exec, POSITION<T>, std::int64_t, const elements_of_view<T>&, const position_input&)
#define QUERN_REDUCTIONS(HOW, Exec, T)                                              \
  QUERN_REDUCTION(HOW, Exec, plain_sum<T>, sum_type<T>, const elements_of_view<T>&) \
  QUERN_EXTREMA(HOW, Exec, T, plain_min, plain_argmin)                              \
  QUERN_EXTREMA(HOW, Exec, T, plain_max, plain_argmax)
QUERN_DEVICES_ELSEWHERE(QUERN_REDUCTIONS)

}  // namespace quern::impl

#endif
