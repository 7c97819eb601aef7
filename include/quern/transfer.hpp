// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_HPP
#define QUERN_TRANSFER_HPP

/// @file
/// Data wherever it lies: copies between all memory spaces, arrays with a side on the host and one on the device, and
/// the memory of other containers as Views.

#include <quern/core/memory/pool.hpp>
#include <quern/transfer/as_view.hpp>
#include <quern/transfer/copy.hpp>
#include <quern/transfer/copy_async.hpp>
#include <quern/transfer/mirror.hpp>

#endif
