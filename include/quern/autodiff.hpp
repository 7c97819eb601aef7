// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_AUTODIFF_HPP
#define QUERN_AUTODIFF_HPP

/// @file
/// Exact derivatives of functors by dual numbers, in kernels and over arrays, and what solves many small systems with
/// them.

#include <quern/autodiff/derivatives.hpp>
#include <quern/autodiff/dual.hpp>
#include <quern/autodiff/functions.hpp>
#include <quern/autodiff/newton.hpp>
#include <quern/autodiff/odeint.hpp>

#endif
