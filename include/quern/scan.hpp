// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_HPP
#define QUERN_SCAN_HPP

/// @file
/// Scans.

#include <quern/scan/scan.hpp>
#include <quern/scan/segmented.hpp>
#include <quern/scan/unwrap.hpp>

#endif
