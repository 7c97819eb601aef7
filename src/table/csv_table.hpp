// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CSV_TABLE_HPP
#define QUERN_SRC_TABLE_CSV_TABLE_HPP

#include "csv.hpp"
#include "host_columns.hpp"

namespace quern::impl::csv {

/// The table of what was read to memory of the host.
template <class Exec>
Table<Exec> table_of(const Exec& exec, const host_memory<Exec>& memory, const parsed& file) {
  std::vector<column_in<Exec>> columns;
  for (const auto& c : file.columns)
    columns.push_back(memory.column(c.name, type_of(c.type), c.data, file.rows, c.categories));
  return table_access<Exec>::make(exec, std::move(columns));
}

}  // namespace quern::impl::csv

#endif
