// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CSV_HPP
#define QUERN_SRC_TABLE_CSV_HPP

/// @file
/// Comma-separated values on the host: fields, numbers and columns, without an execution space.

#include <charconv>
#include <cstddef>
#include <deque>
#include <optional>
#include <quern/table/csv.hpp>
#include <string_view>
#include <unordered_map>

#include "host_column.hpp"

namespace quern::impl::csv {

/// What the fields of a column are, as far as it is known.
enum class kind : std::uint8_t { nothing, boolean, int32, int64, float32, float64, text };
/// What holds fields of both kinds.
kind joined(kind a, kind b);

/// A field without its quotation marks.
struct field {
  const char* begin;
  const char* end;
  bool doubled = false;  // it has doubled quotation marks in it
  std::string_view raw() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};
std::string text_of(const field& f);

/// Fields one after the other. `stray` is a quotation mark where none may be, `open` a quoted field without an end.
enum class field_end : std::uint8_t { field, line, stray, open };
struct cursor {
  const char* at;
  const char* end;
  char delimiter;
  std::int64_t lines = 0;  // ends of lines that were passed

  /// Reads the field at the cursor and steps behind what ends it.
  field_end next(field& f);
  /// Steps behind what ends a field without quotation marks at `last`; false, and no step, if nothing does.
  bool pass(const char* last, field_end& e) {
    if (last < end && *last == delimiter) {
      at = last + 1;
      e = field_end::field;
      return true;
    }
    if (last < end && *last == '\r') ++last;
    if (last < end && *last != '\n') return false;
    lines += last < end;
    at = last < end ? last + 1 : end;
    e = field_end::line;
    return true;
  }
  /// Steps over empty lines.
  void skip_empty();
  /// Steps behind the end of the line.
  void skip_line();

 private:
  field_end next_quoted(field& f);
};

/// Which texts are missing values.
class missing_texts {
 public:
  explicit missing_texts(const std::vector<std::string>& more);
  bool contains(std::string_view text) const;
  /// Whether some read as numbers or bools, too.
  bool has_values() const { return has_values_; }

 private:
  std::vector<std::string> texts_;  // sorted
  std::size_t longest_ = 0;
  bool has_values_ = false;
  bool begins_[256] = {};
};

bool read_bool(std::string_view text, bool& value);
bool read_int(std::string_view text, std::int64_t& value);
template <class T>
bool read_real(std::string_view text, T& value);
/// The end of a number of digits at the beginning of a text; null where there is none, or none that T holds.
template <class T>
const char* plain_number(const char* begin, const char* end, T& value) {
  const char* const digit = begin + (begin < end && *begin == '-' ? 1 : 0);
  if (digit == end || *digit < '0' || *digit > '9') return nullptr;
  const auto [last, error] = std::from_chars(begin, end, value);
  return error == std::errc() ? last : nullptr;
}
/// The least kind that a text that is not missing is of.
kind kind_of(std::string_view text);

/// A column of a file.
struct column {
  std::string name;
  bool wanted = true;
  bool given = false;  // its type, in the options
  bool fixed = false;  // its type, by lines that were read before
  kind type = kind::nothing;
  std::byte* data = nullptr;
  categories_ptr categories{};
};
struct parsed {
  std::vector<column> columns;  // those that are wanted
  std::int64_t rows = 0;
};
struct part;
/// Reads a file in one text, or in several ones of whole lines, which follow each other: the first one that has a row
/// decides of which kinds the columns are. Bad lines are counted over all of them.
class file_reader {
 public:
  /// @param name of the file, in messages
  file_reader(std::string name, const read_csv_options& options);
  /// Takes the names of the columns from the first line, and steps behind it where it is a header.
  void begin(cursor& lines);
  /// @param chunk bytes that a thread reads at a time
  parsed read(const cursor& lines, const host_allocator& allocate, std::int64_t chunk = 1 << 20);

 private:
  std::vector<kind> kinds() const;
  void take_kinds(const part& p);
  void sample_kinds(const part& first);
  bool read_parts(std::vector<part>& parts, const host_allocator& allocate);
  void check_bad_lines(const std::vector<part>& parts);
  parsed finish(std::vector<part>& parts);

  std::string name_;
  read_csv_options options_;
  missing_texts missing_;
  std::vector<column> columns_{};
  std::vector<std::size_t> allocated_{};  // bytes of an element for which a column has memory
  std::int64_t bad_ = 0;
  std::string first_problem_{};
};
/// The same of a whole text.
parsed parse(const std::string& name, std::string_view text, const read_csv_options& options,
             const host_allocator& allocate, std::int64_t chunk = 1 << 20);

column_type type_of(kind k);
/// Appends a value as a field; nothing where it is missing.
/// @param texts of a text column, with their quotation marks
void append_value(std::string& to, const host_column& c, std::int64_t row, const std::vector<std::string>& texts);
/// @throws Error if fields cannot be told from the delimiter
void check_delimiter(const std::string& label, char delimiter);

}  // namespace quern::impl::csv

#endif
