// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_HPP
#define QUERN_TABLE_HPP

/// @file
/// Tables of named columns: the component `table`.

#ifndef QUERN_USES_TABLE
#error "quern/table.hpp needs a target: target_link_libraries(<yours> Quern::table)"
#endif

#include <quern/table/arrow.hpp>
#include <quern/table/chunks.hpp>
#include <quern/table/csv.hpp>
#include <quern/table/csv_chunks.hpp>
#include <quern/table/groups.hpp>
#include <quern/table/table.hpp>

#endif
