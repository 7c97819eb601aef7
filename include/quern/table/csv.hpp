// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_CSV_HPP
#define QUERN_TABLE_CSV_HPP

#include <quern/files/array_info.hpp>
#include <quern/table/table.hpp>

namespace quern {

/// How `read_csv` reads: with designated initializers, `read_csv_options{.delimiter = ';'}`.
struct read_csv_options {
  using option_of = impl::any_place;

  char delimiter = ',';  ///< not a quotation mark, an end of a line, a letter, a digit, `.`, `+` or `-`
  bool header = true;    ///< whether the first line has the names of the columns
  /// Names in place of those of the header. Without a header and names, columns are named by their numbers, from 0.
  std::vector<std::string> names{};
  column_names columns{};                                    ///< the columns to read; empty: all
  std::vector<std::pair<std::string, column_type>> types{};  ///< of columns whose types are not inferred
  std::vector<std::string> missing{};  ///< what stands for a missing value beside pandas' list, as it is written
  bool fill_short_lines = false;       ///< whether lines of too few fields are no bad ones: the rest of them is missing
  std::int64_t bad_lines = 0;          ///< so many lines that cannot be read are left out; more are an error
  std::int64_t* left_out = nullptr;    ///< where to write how many were
};

/// A table of a file of comma-separated values (RFC 4180): pandas' `read_csv`.
///
/// @code
/// const auto t = quern::read_csv(exec, "runs.csv", {.types = {{"id", quern::column_type::int64}}});
/// @endcode
///
/// A field that begins with a quotation mark goes to the next one that stands alone, and may have delimiters, ends of
/// lines, and doubled quotation marks in it. Lines end with LF or CR LF (a CR alone is part of a field, unless the
/// text ends there); those that are empty or of blanks are left out, and so is a byte order mark.
///
/// | a column whose fields are all | is of |
/// | --- | --- |
/// | whole numbers that int64 holds, none missing | int64 |
/// | numbers (`inf` and `Infinity` too) or missing | float64 |
/// | `True`, `true`, `TRUE`, `False`, `false` or `FALSE`, none missing | bool |
/// | else | text |
///
/// unless `types` says something else. Missing are empty fields and `NA`, `N/A`, `n/a`, `NaN`, `nan`, `-NaN`, `-nan`,
/// `NULL`, `null`, `None`, `<NA>`, `#N/A`, `#N/A N/A`, `#NA`, `1.#IND`, `-1.#IND`, `1.#QNAN`, `-1.#QNAN`, quoted or
/// not. Numbers are the nearest ones of their type, so that what `write_csv` writes is read back with all its bits;
/// beyond the range they are infinities (pandas makes texts of some).
///
/// A line is bad that has more or fewer fields than there are columns (fewer only without `fill_short_lines`, which is
/// what pandas does), a quotation mark where none may be, or a field that is not of the type that `types` has for it.
///
/// Reads the file in chunks, on the threads of the host, whatever the execution space; on devices the columns are
/// copied then. Memory: the columns, and the file as the system maps it: a program that cuts the file short meanwhile
/// ends this one with a signal (SIGBUS). Waits.
/// @throws files::FileError if the file cannot be read, has no line, changed meanwhile, or has more bad lines than
/// `bad_lines` allows, with line and field of the first one; Error if a name does not exist or occurs twice
template <execution_space Exec>
Table<Exec> read_csv(const Exec& exec, const std::string& path, const read_csv_options& options = {});
inline Table<> read_csv(const std::string& path, const read_csv_options& options = {}) {
  return read_csv(Kokkos::DefaultExecutionSpace(), path, options);
}
/// The same of a text in memory.
template <execution_space Exec>
Table<Exec> parse_csv(const Exec& exec, std::string_view text, const read_csv_options& options = {});
inline Table<> parse_csv(std::string_view text, const read_csv_options& options = {}) {
  return parse_csv(Kokkos::DefaultExecutionSpace(), text, options);
}

/// How `write_csv` writes.
struct write_csv_options {
  using option_of = impl::any_place;

  char delimiter = ',';
  bool header = true;  ///< whether the first line has the names of the columns
};

/// Writes a table as comma-separated values, as pandas' `to_csv(index=False)`: a missing value as an empty field, the
/// shortest digits that read back as the same number (of float columns, as the same float), and quotation marks around
/// fields that need them. The file is complete when it gets its name. Waits.
/// @throws files::FileError if it cannot be written
template <execution_space Exec>
void write_csv(const std::string& path, const Table<Exec>& table, const write_csv_options& options = {});
/// The same as a text.
template <execution_space Exec>
std::string to_csv(const Table<Exec>& table, const write_csv_options& options = {});

}  // namespace quern

#endif
