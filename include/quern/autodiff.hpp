// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_AUTODIFF_HPP
#define QUERN_AUTODIFF_HPP

/// @file
/// Exact derivatives of functors by dual numbers, in kernels and over arrays.

#include <quern/autodiff/derivatives.hpp>
#include <quern/autodiff/dual.hpp>
#include <quern/autodiff/functions.hpp>

#endif
