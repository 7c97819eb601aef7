// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_MERGE_HPP
#define QUERN_DISTRIBUTED_MERGE_HPP

#include <quern/distributed/communicator.hpp>
#include <quern/table/merge.hpp>
#include <quern/table/table.hpp>

namespace quern::distributed {

/// `left.merge(right, options)` of the rows of all ranks, where each has tables with some of them, or none: pandas'
/// `merge`.
///
/// @code
/// const auto pairs = quern::distributed::merge(comm, part, cells, {.on = "cell", .how = quern::merge_how::left});
/// @endcode
///
/// The rows of both tables go to the rank that the values of their keys choose, the same as that of a group with these
/// keys (quern/distributed/group_by.hpp), and are merged there. On each rank they are in the order of `merge_how`, of
/// tables in which the rows of rank 0 come first, then those of rank 1, and so on. A column of integers or bools
/// becomes double on all ranks where values are missing on one.
///
/// Each table goes in one message to each rank; of the right one of `semi` and `anti` only the keys. A key that most
/// rows have brings all of these to one rank. Collective; runs on the left table's instance and waits.
/// @param left, right each of columns of the same names and types in the same order on all ranks
/// @throws Error, the same on every rank, as `Table::merge`, or if the ranks have other columns or options, or one has
/// no memory for its pairs
template <execution_space Exec>
Table<Exec> merge(const Communicator& comm, const Table<Exec>& left, const Table<Exec>& right,
                  const merge_options& options = {});

}  // namespace quern::distributed

#endif
