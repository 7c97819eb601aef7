// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_HPP
#define QUERN_REDUCE_HPP

/// @file
/// Reductions.

#include <quern/reduce/compare.hpp>
#include <quern/reduce/quantile.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/reduce/reduced.hpp>
#include <quern/reduce/reducing_map.hpp>
#include <quern/reduce/several_reductions.hpp>

#endif
