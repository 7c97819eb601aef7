// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_DISTRIBUTED_TABLE_ROWS_HPP
#define QUERN_SRC_DISTRIBUTED_TABLE_ROWS_HPP

/// @file
/// What the operations of tables over ranks share: checks, texts that all ranks number alike, and rows that move.

#include <quern/distributed/communicator.hpp>
#include <quern/distributed/migrate_table.hpp>

#include "../table/columns.hpp"

namespace quern::impl {

/// Columns in the message of calls that differ between ranks.
template <class Exec>
std::string text_of_columns(const Table<Exec>& t) {
  std::string text;
  for (const auto& c : columns_of(t)) text += " " + c.name + " " + std::string(name_of(c.type));
  return text;
}

/// The same table, each text column of which has the categories of all ranks. Collective; waits.
template <class Exec>
Table<Exec> with_categories_of_ranks(const std::string& label, const Communicator& comm, const Table<Exec>& t);

/// What happens to rows of which a key is missing: they go where missing keys meet, or nowhere.
enum class missing_keys { meet, are_removed };
/// The rank for each row, int32, from a hash of the values of its keys: equal keys have the same, also those of other
/// types of numbers, or of other categories.
template <class Exec>
column_in<Exec> ranks_of_keys(const std::string& label, const Exec& exec, const Communicator& comm,
                              const std::vector<column_in<Exec>>& keys, missing_keys missing);

/// The rows that all ranks have for this one, in the order of the ranks: `distributed::migrate` without its checks, of
/// a table whose texts have the same categories on all ranks. Collective; waits.
template <class Exec>
Table<Exec> moved_rows(const std::string& label, const Communicator& comm, const column_in<Exec>& destination,
                       const Table<Exec>& t);

}  // namespace quern::impl

#endif
