// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_HPP
#define QUERN_RANDOM_HPP

/// @file
/// Random numbers that depend on a key and a position alone, and low-discrepancy points.

#include <quern/random/distributions.hpp>
#include <quern/random/key.hpp>
#include <quern/random/permutation.hpp>
#include <quern/random/sobol.hpp>

#endif
