// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_PARTIAL_AGGREGATES_HPP
#define QUERN_TABLE_PARTIAL_AGGREGATES_HPP

#include <quern/table/groups.hpp>

namespace quern::impl {

/// How statistics of groups are found where some tables have the rows: each is aggregated by itself, to a table of the
/// keys and of what can be merged (sums, counts, extrema, ends, and variances beside means and counts); such tables are
/// merged, in the order of the rows, to one; and the last one has what the results are made of.
class partial_aggregates {
 public:
  /// @param label of the operation, which lives longer than this
  /// @throws Error if a name occurs twice, or a statistic is one of which parts tell nothing
  partial_aggregates(const std::string& label, column_names keys, std::vector<aggregation> results);

  /// What of the rows of one table. Waits, as `merged` does.
  template <class Exec>
  Table<Exec> of_part(const Table<Exec>& rows) const;
  /// What of the rows of some tables, of at least one.
  template <class Exec>
  Table<Exec> merged(const std::vector<Table<Exec>>& parts) const;
  /// The same of the rows of such tables below each other, which may be of the same groups.
  template <class Exec>
  Table<Exec> merged(const Table<Exec>& rows) const;
  /// The results that were asked for.
  template <class Exec>
  Table<Exec> results(const Table<Exec>& of_all) const;

 private:
  /// What can be merged of a column, by its name in the tables of parts.
  struct part {
    std::string name, column;
    statistic what;
    bool in_double;  // also the sum of integers
  };
  const std::string& name_of(const std::string& column, statistic what, bool in_double = false) const;
  void add_part(const std::string& column, statistic what, bool in_double = false);

  const std::string& label_;
  column_names keys_;
  std::vector<aggregation> results_;
  std::vector<part> parts_;
};

}  // namespace quern::impl

#endif
