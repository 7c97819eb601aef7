// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_GROUPS_HPP
#define QUERN_TABLE_GROUPS_HPP

#include <quern/table/statistic.hpp>
#include <quern/table/table.hpp>

namespace quern {

namespace impl {
template <class Exec>
struct grouped_rows;
}  // namespace impl

/// The rows of a table in groups of equal keys: what `Table::group_by` returns. A handle.
template <execution_space Exec>
class TableGroups {
 public:
  /// How many groups there are.
  std::int64_t size() const { return keys_.rows(); }
  /// The keys of the groups, in their order: a table of the columns that rows are grouped by.
  const Table<Exec>& keys() const { return keys_; }
  /// A table of the keys, and of a column for each aggregation: pandas'
  /// `groupby(keys, as_index=False).agg(name=(column, what), ...)`.
  ///
  /// Each statistic reads its column once, so that several of one column read it several times; which of its values
  /// are missing is found once.
  /// @throws Error if a column does not exist, a name occurs twice or is a key's, or a text column has no such
  /// statistic
  Table<Exec> aggregate(const std::vector<aggregation>& results) const;

 private:
  friend class Table<Exec>;
  TableGroups(Table<Exec> table, Table<Exec> keys, std::shared_ptr<const impl::grouped_rows<Exec>> rows)
      : table_(std::move(table)), keys_(std::move(keys)), rows_(std::move(rows)) {}

  Table<Exec> table_, keys_;
  std::shared_ptr<const impl::grouped_rows<Exec>> rows_;
};

}  // namespace quern

#endif
