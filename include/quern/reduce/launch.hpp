// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_LAUNCH_HPP
#define QUERN_REDUCE_LAUNCH_HPP

/// @file
/// `reduce_launch(exec, label, scratch, reducer, f, axes, out, in...)` reduces f(in...) along `axes` with the algorithm
/// of the execution space; for `in` and `out` see `describe_reduction`.

#include <quern/reduce/device_reduction.hpp>
#include <quern/reduce/host_reduction.hpp>

#endif
