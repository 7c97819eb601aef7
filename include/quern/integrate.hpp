// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_HPP
#define QUERN_INTEGRATE_HPP

/// @file
/// Quadrature of functions and of sampled data.

#include <quern/integrate/integrate.hpp>
#include <quern/integrate/samples.hpp>

#endif
