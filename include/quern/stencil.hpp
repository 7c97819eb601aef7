// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HPP
#define QUERN_STENCIL_HPP

/// @file
/// Stencils, filters, differential operators, ghost cells and steps in time.

#include <quern/stencil/filters.hpp>
#include <quern/stencil/gaussian_derivatives.hpp>
#include <quern/stencil/generic_filter.hpp>
#include <quern/stencil/halo.hpp>
#include <quern/stencil/iterate.hpp>
#include <quern/stencil/map_coordinates.hpp>
#include <quern/stencil/morphology.hpp>
#include <quern/stencil/operators.hpp>
#include <quern/stencil/order_filters.hpp>
#include <quern/stencil/reducing_stencil.hpp>
#include <quern/stencil/rolling.hpp>
#include <quern/stencil/stencil.hpp>

#endif
