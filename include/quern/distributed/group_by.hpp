// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_GROUP_BY_HPP
#define QUERN_DISTRIBUTED_GROUP_BY_HPP

#include <quern/distributed/communicator.hpp>
#include <quern/table/groups.hpp>

namespace quern::distributed {

/// The rows of all ranks in groups of equal keys: what `quern::distributed::group_by` returns. A handle.
template <execution_space Exec>
class TableGroups {
 public:
  /// A table of the keys of some groups, and of a column for each aggregation: `quern::TableGroups::aggregate` of the
  /// rows of all ranks. Every group is on one rank, which the values of its keys choose: results of several calls
  /// with as many ranks have groups of equal keys on the same ones. On each rank groups are in the order of their keys.
  ///
  /// Each rank aggregates its own rows and sends what it has found of each group, so that messages are as long as there
  /// are groups; with `median` its rows go, with the keys and the columns of which medians are asked. Ranks are in
  /// order: `first` is of the first rank that has a value.
  ///
  /// Sums of integers and bools, `count`, `size`, `min`, `max`, `first`, `last` and `median` are those of one table
  /// with all rows. Sums in double and means differ from those by some roundings, and a variance by some roundings of
  /// its mean times its standard deviation.
  ///
  /// Collective; waits.
  /// @throws Error, the same on every rank, if a column does not exist, a name occurs twice or is a key's, a text
  /// column has no such statistic, or the ranks ask for other results
  Table<Exec> aggregate(const std::vector<aggregation>& results) const;

 private:
  template <execution_space E>
  friend TableGroups<E> group_by(const Communicator& comm, const Table<E>& rows, const column_names& keys);
  TableGroups(const Communicator& comm, Table<Exec> rows, std::vector<std::string> keys)
      : comm_(comm), rows_(std::move(rows)), keys_(std::move(keys)) {}

  Communicator comm_;
  Table<Exec> rows_;
  std::vector<std::string> keys_;
};

/// The rows of all ranks in groups of equal values of some columns, where each has a table with some of them, or none:
/// `Table::group_by` over ranks, pandas' `groupby`.
///
/// @code
/// const auto of_cells = quern::distributed::group_by(comm, part, "cell").aggregate({{"mass", quern::statistic::sum}});
/// @endcode
///
/// Rows of which a key is missing are in no group. Texts are equal where they have the same bytes, whatever the
/// categories of each rank. Collective.
/// @param rows of columns of the same names and types in the same order on all ranks
/// @throws Error, the same on every rank, if the ranks have other columns or keys, there is no key, or a name does not
/// exist or occurs twice
template <execution_space Exec>
TableGroups<Exec> group_by(const Communicator& comm, const Table<Exec>& rows, const column_names& keys);

}  // namespace quern::distributed

#endif
