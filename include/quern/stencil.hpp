// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HPP
#define QUERN_STENCIL_HPP

/// @file
/// Stencils.

#include <quern/stencil/stencil.hpp>

#endif
