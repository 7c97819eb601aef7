// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_HPP
#define QUERN_ANALYSIS_HPP

/// @file
/// Analysis of results where they are: connected components, features of masks, clusters of points, statistics
/// of steps in time.

#include <quern/analysis/components.hpp>
#include <quern/analysis/dbscan.hpp>
#include <quern/analysis/kmeans.hpp>
#include <quern/analysis/label.hpp>
#include <quern/analysis/running_histogram.hpp>
#include <quern/analysis/running_statistics.hpp>

#endif
