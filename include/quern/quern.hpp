// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_QUERN_HPP
#define QUERN_QUERN_HPP

/// @file
/// All of Quern that the program links: the core, and each component (`Quern::linalg`, `Quern::files`, `Quern::fft`,
/// `Quern::table`, `Quern::distributed`) whose target is linked.

#include <quern/analysis.hpp>
#include <quern/autodiff.hpp>
#include <quern/batch.hpp>
#include <quern/chunked.hpp>
#include <quern/config.hpp>
#include <quern/core.hpp>
#include <quern/integrate.hpp>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/particles.hpp>
#include <quern/print.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <quern/transfer.hpp>
#ifdef QUERN_USES_DISTRIBUTED
#include <quern/distributed.hpp>
#endif
#ifdef QUERN_USES_FFT
#include <quern/fft.hpp>
#endif
#ifdef QUERN_USES_FILES
#include <quern/files.hpp>
#endif
#ifdef QUERN_USES_LINALG
#include <quern/fits.hpp>
#include <quern/linalg.hpp>
#endif
#ifdef QUERN_USES_TABLE
#include <quern/table.hpp>
#include <quern/table/csv_source.hpp>
#endif

#endif
