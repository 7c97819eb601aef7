// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HPP
#define QUERN_KEYED_HPP

/// @file
/// Sorting, distinct values, selections, groups, joins, histograms, bins and searches.

#include <quern/keyed/asof_join.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/cubic_spline.hpp>
#include <quern/keyed/group_by.hpp>
#include <quern/keyed/group_reductions.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/insert.hpp>
#include <quern/keyed/interpolation.hpp>
#include <quern/keyed/is_sorted.hpp>
#include <quern/keyed/join.hpp>
#include <quern/keyed/search.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/keyed/top_k.hpp>
#include <quern/keyed/unique.hpp>

#endif
