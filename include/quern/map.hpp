// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_HPP
#define QUERN_MAP_HPP

/// @file
/// Elementwise operations.

#include <quern/map/choice.hpp>
#include <quern/map/closeness.hpp>
#include <quern/map/concatenate.hpp>
#include <quern/map/differences.hpp>
#include <quern/map/functions.hpp>
#include <quern/map/indices.hpp>
#include <quern/map/limits.hpp>
#include <quern/map/map.hpp>
#include <quern/map/math.hpp>
#include <quern/map/matrices.hpp>
#include <quern/map/products.hpp>
#include <quern/map/ranges.hpp>
#include <quern/transfer/copy.hpp>

#endif
