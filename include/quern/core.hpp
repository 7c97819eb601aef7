// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_HPP
#define QUERN_CORE_HPP

/// @file
/// What every module builds on: concepts, extents, errors, scratch memory, mirrors.

#include <quern/core/concepts.hpp>
#include <quern/core/error.hpp>
#include <quern/core/extents.hpp>
#include <quern/core/lazy.hpp>
#include <quern/core/mirror.hpp>
#include <quern/core/pool.hpp>
#include <quern/core/workspace.hpp>

#endif
