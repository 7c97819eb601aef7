// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HPP
#define QUERN_STENCIL_HPP

/// @file
/// Stencils, filters, differential operators, ghost cells and steps in time.

#include <quern/stencil/filters.hpp>
#include <quern/stencil/halo.hpp>
#include <quern/stencil/iterate.hpp>
#include <quern/stencil/operators.hpp>
#include <quern/stencil/reducing_stencil.hpp>
#include <quern/stencil/stencil.hpp>

#endif
