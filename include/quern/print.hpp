// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_HPP
#define QUERN_PRINT_HPP

/// @file
/// Arrays as text.

#include <quern/print/print.hpp>

#endif
