// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_HPP
#define QUERN_CHUNKED_HPP

/// @file
/// Operations on arrays that need not fit into the memory of the execution space, or of the host: Views of the host
/// beside a device, files (`quern/files.hpp`), and users' functions.

#include <quern/chunked/chunks.hpp>
#include <quern/chunked/histogram.hpp>
#include <quern/chunked/kmeans.hpp>
#include <quern/chunked/map.hpp>
#include <quern/chunked/options.hpp>
#include <quern/chunked/quantile.hpp>
#include <quern/chunked/reduce.hpp>
#include <quern/chunked/reducing_map.hpp>
#include <quern/chunked/reducing_stencil.hpp>
#include <quern/chunked/rolling.hpp>
#include <quern/chunked/rows.hpp>
#include <quern/chunked/scan.hpp>
#include <quern/chunked/source.hpp>
#include <quern/chunked/stencil.hpp>
#include <quern/chunked/window_filters.hpp>

template <>
inline constexpr bool quern::impl::engines_included<quern::impl::in_chunks_place> = true;

#endif
