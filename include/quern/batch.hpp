// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_HPP
#define QUERN_BATCH_HPP

/// @file
/// Many small problems at once, one for each thread: functions of the items of batches, equations and their roots,
/// ordinary differential equations.

#include <quern/batch/newton.hpp>
#include <quern/batch/odeint.hpp>
#include <quern/batch/vmap.hpp>

#endif
