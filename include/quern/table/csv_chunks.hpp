// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_CSV_CHUNKS_HPP
#define QUERN_TABLE_CSV_CHUNKS_HPP

#include <quern/table/chunks.hpp>
#include <quern/table/csv.hpp>

namespace quern {

/// How many rows a table of `csv_chunks` has, at least 1.
struct chunk_rows {
  using option_of = impl::any_place;
  std::int64_t value;
};

/// A file of comma-separated values as tables of some rows: pandas' `read_csv(path, chunksize=...)`, for files that are
/// larger than memory.
///
/// @code
/// for (const quern::Table<>& part : quern::csv_chunks(exec, "runs.csv", quern::chunk_rows{1000000})) part.print();
/// @endcode
///
/// Options, and the meaning of lines and fields, are those of `read_csv`, and so is the table of all rows: `concat` of
/// the chunks is what `read_csv` makes of the file. Types that are not given are those that the first chunk has; a
/// value further on that is of no such type (a missing one in a column of int64, too) is an error that names line and
/// field and asks for the type, where pandas would change the type from chunk to chunk. A column without a value in the
/// first chunk is of float64. The categories of a text column are the texts of the chunk itself, so that memory stays
/// bounded: a code means different texts in different chunks. A chunk has fewer rows where bad lines were left out of
/// it; of a file without rows there is one chunk, which has none. `bad_lines` counts over the whole file, and
/// `left_out` is written with each chunk.
///
/// The file is opened by `begin()`, and read again from its start by each; a pipe can be read once. In memory are
/// the text of one chunk and its columns, which the threads of the host make of it as `read_csv` does. A line, with the
/// quoted fields that it has, is no longer than 1 GiB. Waits.
/// @throws Error if `rows` is below 1, or the options are wrong; `begin()` and `++` throw as `read_csv`
template <execution_space Exec>
TableChunks<Exec> csv_chunks(const Exec& exec, const std::string& path, const chunk_rows& rows,
                             const read_csv_options& options = {});
inline TableChunks<> csv_chunks(const std::string& path, const chunk_rows& rows, const read_csv_options& options = {}) {
  return csv_chunks(Kokkos::DefaultExecutionSpace(), path, rows, options);
}

}  // namespace quern

#endif
