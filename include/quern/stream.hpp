// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STREAM_HPP
#define QUERN_STREAM_HPP

/// @file
/// Operations on arrays that need not fit into the memory of the execution space, or of the host: Views of the host
/// beside a device, files (`quern/files.hpp`), and users' functions.

#include <quern/stream/chunks.hpp>
#include <quern/stream/histogram.hpp>
#include <quern/stream/map.hpp>
#include <quern/stream/options.hpp>
#include <quern/stream/quantile.hpp>
#include <quern/stream/reduce.hpp>
#include <quern/stream/scan.hpp>
#include <quern/stream/source.hpp>
#include <quern/stream/stencil.hpp>

#endif
