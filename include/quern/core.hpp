// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_HPP
#define QUERN_CORE_HPP

/// @file
/// What every module builds on: concepts, extents, errors, scratch memory, lazy and re-indexed arrays.

#include <quern/core/call/error.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/computed_pads.hpp>
#include <quern/core/views/concepts.hpp>
#include <quern/core/views/copies.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/core/views/index_operands.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/core/views/remove_by_indices.hpp>
#include <quern/core/views/repeat_by_counts.hpp>
#include <quern/core/views/rows.hpp>

#endif
