// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CSV_RECORDS_HPP
#define QUERN_SRC_TABLE_CSV_RECORDS_HPP

/// @file
/// Comma-separated values from bytes that come in blocks, some lines at a time.

#include <functional>
#include <optional>

#include "csv.hpp"

namespace quern::impl::csv {

/// Some lines of a file after the other; only these are in memory. A quoted field with ends of lines in it is never
/// cut: where lines begin is decided as `cursor` decides it.
class record_reader {
 public:
  /// Reads up to so many bytes; 0 at the end.
  using read_bytes = std::function<std::size_t(char*, std::size_t)>;
  /// @param longest bytes of a line; `block` bytes are read at a time
  record_reader(std::string name, read_bytes read, char delimiter, std::size_t block = std::size_t(1) << 22,
                std::size_t longest = std::size_t(1) << 30)
      : name_(std::move(name)), read_(std::move(read)), delimiter_(delimiter), block_(block), longest_(longest) {}

  /// The next n lines that are not blank, or those that are left. They are there until the next call.
  /// @throws files::FileError if a line is too long
  cursor next(std::int64_t n);
  /// Where in the file the lines begin that `next` gives next.
  std::int64_t offset() const { return offset_; }
  /// Whether `next` has given all lines.
  bool at_end() const { return ended_ && begin_ == text_.size(); }

 private:
  enum class step : std::uint8_t { line, blank, more };
  step pass_line(std::size_t& at);
  step pass_quoted(std::size_t& at) const;
  void fill(std::size_t at);

  std::string name_;
  read_bytes read_;
  char delimiter_;
  std::size_t block_, longest_;
  std::string text_{};
  std::size_t begin_ = 0;   // of what `next` has not given yet
  std::int64_t lines_ = 0;  // ends of lines before that
  std::int64_t offset_ = 0;
  bool started_ = false, ended_ = false;
};

/// A file as columns of some rows after the other.
class chunk_reader {
 public:
  /// @param name of the file, in messages
  /// @param rows of a chunk, except for bad lines
  chunk_reader(const std::string& name, record_reader records, std::int64_t rows, const read_csv_options& options)
      : records_(std::move(records)), reader_(name, options), rows_(rows), header_(options.header) {}
  /// The next rows; nothing behind the last ones, except for columns without rows where a file has no row.
  std::optional<parsed> next(const host_allocator& allocate);

 private:
  cursor next_lines();

  record_reader records_;
  file_reader reader_;
  std::int64_t rows_;
  bool header_, begun_ = false, given_ = false;
};

}  // namespace quern::impl::csv

#endif
