// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_DESCRIBE_HPP
#define QUERN_DISTRIBUTED_DESCRIBE_HPP

#include <quern/distributed/communicator.hpp>
#include <quern/table/table.hpp>

namespace quern::distributed {

/// `rows.describe(quantiles)` of the rows of all ranks, where each has a table with some of them, or none: pandas'
/// `describe`. All ranks get the same table.
///
/// @code
/// const quern::Table<> all = quern::distributed::describe(comm, part);
/// @endcode
///
/// Counts, minima, maxima and quantiles are those of one table with all rows; means and standard deviations are joined
/// from those of the ranks, in their order, with an error of some roundings. A quantile is found by counts of the bits
/// of all elements: by up to four passes over a column, each with a message of 512 KB. Collective; waits.
/// @param rows of columns of the same names and types on all ranks
/// @throws Error, the same on every rank, as `Table::describe`, or if the ranks have other columns or quantiles
template <execution_space Exec>
Table<Exec> describe(const Communicator& comm, const Table<Exec>& rows,
                     const std::vector<double>& quantiles = {0.25, 0.5, 0.75});

}  // namespace quern::distributed

#endif
