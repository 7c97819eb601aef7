// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_HPP
#define QUERN_MAP_HPP

/// @file
/// Elementwise operations.

#include <quern/map/functions.hpp>
#include <quern/map/map.hpp>
#include <quern/map/math.hpp>
#include <quern/transfer/copy.hpp>

#endif
