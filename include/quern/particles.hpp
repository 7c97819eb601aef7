// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PARTICLES_HPP
#define QUERN_PARTICLES_HPP

/// @file
/// Points in boxes: cells, and the points around each.

#include <quern/particles/bin_by.hpp>
#include <quern/particles/domain.hpp>
#include <quern/particles/knn.hpp>
#include <quern/particles/pair_counts.hpp>
#include <quern/particles/radius_neighbors.hpp>

#endif
