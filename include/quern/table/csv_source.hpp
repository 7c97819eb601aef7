// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_CSV_SOURCE_HPP
#define QUERN_TABLE_CSV_SOURCE_HPP

/// @file
/// Comma-separated values for operations in chunks: for programs that link `Quern::table`. Not in quern/table.hpp,
/// which is quick to compile.

#include <quern/chunked/source.hpp>
#include <quern/table/csv.hpp>

namespace quern {
namespace impl {

/// @param type of all columns
std::shared_ptr<array_reader> csv_columns(const std::string& path, const column_names& columns, column_type type,
                                          int rank, const read_csv_options& options);

}  // namespace impl

/// Columns of numbers of a file of comma-separated values, for operations in chunks: as `files::npy_source`.
///
/// @code
/// const double middle = quern::median(exec, quern::csv_source<double, 1>("runs.csv", "energy"));
/// @endcode
///
/// Element (i, j) is that of the i-th row and the j-th of the columns, in their order here; with rank 1 there is one
/// column. T is float, double, or a signed integer of 32 or 64 bits; fields of another type are bad lines, and missing
/// ones are NaN, or bad lines of integers.
///
/// The file is read once by this call, to check all lines and to count the rows; operations then read those that they
/// need, in blocks of 2^18 lines. Memory: two such blocks, as text and as columns. Of the options, `columns` and
/// `types` are those of the source, and not given.
/// @throws Error if a name does not exist or occurs twice, there is no column, or there are several for rank 1;
/// FileError as `read_csv`, or for a pipe, which cannot be read twice. What changes in the file meanwhile is a
/// `chunked::ChunkError` of the operation.
template <class T, int Rank>
chunked::Source<T, Rank> csv_source(const std::string& path, const column_names& columns,
                                    const read_csv_options& options = {}) {
  static_assert(Rank == 1 || Rank == 2, "quern::csv_source: rows of columns have rank 2, and one column rank 1");
  static_assert(impl::is_column_value<T>() && !std::is_same_v<T, bool>,
                "quern::csv_source: elements are float, double, or signed integers of 32 or 64 bits");
  if constexpr (impl::is_column_value<T>())
    return chunked::Source<T, Rank>(impl::csv_columns(path, columns, impl::type_of_column<T>(), Rank, options));
}

}  // namespace quern

#endif
