// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_LAUNCH_HPP
#define QUERN_REDUCE_LAUNCH_HPP

/// @file
/// `reduce_launch(exec, label, scratch, describe_reduction<Exec>(reducer, f, axes, out, in...))` reduces f(in...) along
/// `axes` with the algorithm of the execution space.

#include <quern/core/launch/compiled.hpp>
#include <quern/reduce/device_reduction.hpp>
#include <quern/reduce/host_launch.hpp>
#include <quern/reducers/reducers.hpp>
#include <quern/reducers/reproducible.hpp>

namespace quern::impl {

// The commonest reductions of Views are compiled once for devices. On hosts they are loops of the program that calls
// them, with its vector instructions.
template <class T>
using plain_sum = sum_reducer<sum_type<T>, accumulator<sum_type<T>>>;

#define QUERN_REDUCTION(HOW, Exec, ...)                                              \
  HOW template void reduce_launch(const Exec&, const std::string&, Workspace<Exec>&, \
                                  const strided_reduction<Exec, __VA_ARGS__>&);
#define QUERN_EXTREMA(HOW, Exec, T, Sign)                                                                     \
  QUERN_REDUCTION(HOW, Exec, extremum_reducer<T, Sign>, op::identity, T, array_operand<const T>)              \
  QUERN_REDUCTION(HOW, Exec, arg_reducer<T, Sign, false>, op::identity, std::int64_t, array_operand<const T>, \
                  position_operand)
#define QUERN_REDUCTIONS(HOW, Exec, T)                                                        \
  QUERN_REDUCTION(HOW, Exec, plain_sum<T>, op::identity, sum_type<T>, array_operand<const T>) \
  QUERN_EXTREMA(HOW, Exec, T, -1)                                                             \
  QUERN_EXTREMA(HOW, Exec, T, 1)
QUERN_DEVICES_ELSEWHERE(QUERN_REDUCTIONS)

}  // namespace quern::impl

#endif
