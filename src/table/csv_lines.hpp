// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CSV_LINES_HPP
#define QUERN_SRC_TABLE_CSV_LINES_HPP

/// @file
/// How one thread reads whole lines of comma-separated values into columns.

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "csv.hpp"

namespace quern::impl::csv {

inline kind kind_of_type(column_type type) {
  switch (type) {
    case column_type::float32:
      return kind::float32;
    case column_type::float64:
      return kind::float64;
    case column_type::int32:
      return kind::int32;
    case column_type::int64:
      return kind::int64;
    case column_type::boolean:
      return kind::boolean;
    default:
      return kind::text;
  }
}

/// The texts of a column in one chunk, numbered in the order in which they are found.
struct dictionary {
  std::unordered_map<std::string_view, std::int32_t> codes;
  std::deque<std::string> unescaped;  // those that are not in the file as they are
  std::int32_t code_of(const field& f) {
    if (!f.doubled) return codes.try_emplace(f.raw(), static_cast<std::int32_t>(codes.size())).first->second;
    std::string text = text_of(f);
    if (const auto found = codes.find(text); found != codes.end()) return found->second;
    return codes.emplace(unescaped.emplace_back(std::move(text)), static_cast<std::int32_t>(codes.size()))
        .first->second;
  }
};

/// Whole lines of the file, which one thread reads.
struct part {
  const char* begin;
  const char* end;
  std::int64_t first_line = 1, first_row = 0;
  std::int64_t lines = 0;  // ends of lines
  std::int64_t rows = 0, bad = 0;
  std::string first_problem{};  // of a bad line
  std::string first_unfit{};    // a value that is not of its column's type, which lines before these have decided
  bool stray = false;           // a quotation mark where none may be
  bool open = false;            // a quoted field without an end
  bool grown = false;           // it has more lines than were counted
  std::vector<kind> kinds{};
  std::vector<dictionary> texts{};
};

/// Reads the lines of parts into columns.
class part_reader {
 public:
  part_reader(const std::vector<column>& columns, const read_csv_options& options, const missing_texts& missing)
      : columns_(columns), options_(options), missing_(missing) {}

  /// With `dry`, only the kinds of the columns, from so many lines.
  void read(part& p, bool dry, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    p.rows = p.bad = 0;
    p.stray = p.open = p.grown = false;
    p.first_unfit.clear();
    p.texts.assign(columns_.size(), {});
    cursor c{p.begin, p.end, options_.delimiter};
    for (c.skip_empty(); c.at < c.end && p.rows < most; c.skip_empty()) {
      // Another program may write the file meanwhile: there is memory for the lines that were counted.
      if (!dry && p.rows > p.lines) {
        p.grown = true;
        return;
      }
      const std::int64_t line = p.first_line + c.lines;
      changes changed;
      const problem found = read_line(p, c, dry, changed);
      if (found.text.empty()) {
        ++p.rows;
        continue;
      }
      // A bad line says nothing of the kinds of the columns.
      for (auto change = changed.rbegin(); change != changed.rend(); ++change) p.kinds[change->first] = change->second;
      std::string& first = found.of_fixed ? p.first_unfit : p.first_problem;
      if (first.empty()) first = "line " + std::to_string(line) + ": " + found.text;
      if (!found.of_fixed) ++p.bad;
    }
  }

 private:
  /// Columns, and the kinds that they were of.
  using changes = std::vector<std::pair<std::size_t, kind>>;

  /// What is wrong with a line; without a text if nothing is.
  struct problem {
    std::string text{};
    bool of_fixed = false;  // a good line if all lines were read at once
  };

  problem read_line(part& p, cursor& c, bool dry, changes& changed) const {
    problem found;
    std::size_t k = 0;
    for (field f{};; ++k) {
      field_end e;
      if (!dry && found.text.empty() && k < columns_.size() && store_number(p, k, c, e)) {
        if (e == field_end::line) break;
        continue;
      }
      e = c.next(f);
      if (e == field_end::open) {
        p.stray = p.open = true;
        return {"field " + std::to_string(k + 1) + " has no closing quotation mark"};
      }
      if (e == field_end::stray) {
        p.stray = true;
        c.skip_line();
        return {"a quotation mark in field " + std::to_string(k + 1) + ", which " +
                (f.begin > p.begin && f.begin[-1] == '"' ? "does not end there" : "does not begin with one")};
      }
      if (k < columns_.size()) keep(p, k, f, dry, changed, found);
      if (e == field_end::line) break;
    }
    const field none{c.at, c.at};
    while (options_.fill_short_lines && k + 1 < columns_.size()) keep(p, ++k, none, dry, changed, found);
    if (k + 1 != columns_.size())
      return {std::to_string(k + 1) + (k == 0 ? " field" : " fields") + ", expected " +
              std::to_string(columns_.size())};
    return found;
  }
  /// Reads a number at the cursor into its column before its end is known, which takes two thirds of the time, and
  /// steps behind it. False, and nothing is done, unless it is of the column's type and written as most are.
  bool store_number(const part& p, std::size_t k, cursor& c, field_end& e) const {
    const column& to = columns_[k];
    if (to.data == nullptr || p.kinds[k] != to.type || missing_.has_values()) return false;
    switch (to.type) {
      case kind::int64:
        return store_number<std::int64_t>(p, k, c, e);
      case kind::float32:
        return store_number<float>(p, k, c, e);
      case kind::float64:
        return store_number<double>(p, k, c, e);
      default:
        return false;
    }
  }
  template <class T>
  bool store_number(const part& p, std::size_t k, cursor& c, field_end& e) const {
    T value;
    const char* const last = plain_number(c.at, c.end, value);
    return last != nullptr && c.pass(last, e) && set(p, k, value);
  }
  /// Stores a field, unless the line is bad already.
  void keep(part& p, std::size_t k, const field& f, bool dry, changes& changed, problem& found) const {
    if (!found.text.empty() && !found.of_fixed) return;
    if (store(p, k, f, dry, changed)) return;
    if (found.text.empty() || columns_[k].given) found = {problem_of(k, f), columns_[k].fixed};
  }
  std::string problem_of(std::size_t k, const field& f) const {
    std::string text = text_of(f);
    if (text.size() > 40) text.replace(37, std::string::npos, "...");
    std::string result =
        "field " + std::to_string(k + 1) + " (" + in_quotes(std::string_view(columns_[k].name)) + "): '" + text +
        "' is not " + (missing_.contains(f.raw()) ? "there, and a column of " : "of type ") +
        std::string(name_of(type_of(columns_[k].type))) + (missing_.contains(f.raw()) ? " has no missing values" : "") +
        (columns_[k].fixed ? ", which the lines before are of; give its type" : "");
    std::replace(result.begin(), result.end(), '\0', '?');  // texts of exceptions end there
    return result;
  }

  /// Writes an element of the row, where there is memory for it.
  template <class T>
  bool set(const part& p, std::size_t k, T value) const {
    if (columns_[k].data != nullptr) reinterpret_cast<T*>(columns_[k].data)[p.first_row + p.rows] = value;
    return true;
  }
  /// Puts a field where it belongs. A kind that is not known becomes one that holds the field, too; false if the field
  /// is not of a kind that is.
  bool store(part& p, std::size_t k, const field& f, bool dry, changes& changed) const {
    if (!columns_[k].wanted) return true;
    kind& type = p.kinds[k];
    // There is memory for what the column was when this reading began.
    const bool known = columns_[k].given || columns_[k].fixed;
    const bool stored = known || (!dry && type == columns_[k].type);
    if (stored && put(p, k, type, f)) return true;
    if (known) return false;
    const kind before = type;
    if (!missing_.contains(f.raw())) type = joined(type, f.doubled ? kind::text : kind_of(f.raw()));
    else if (type == kind::int64) type = kind::float64;
    else if (type == kind::boolean) type = kind::text;
    if (type != before) changed.emplace_back(k, before);
    return true;
  }
  bool put(part& p, std::size_t k, kind type, const field& f) const {
    const std::string_view text = f.raw();
    if (missing_.has_values() && missing_.contains(text)) return put_missing(p, k, type);
    std::int64_t whole;
    bool yes;
    switch (type) {
      case kind::nothing:
        return missing_.contains(text);
      case kind::boolean:
        return read_bool(text, yes) && set(p, k, yes);
      case kind::int64:
        return read_int(text, whole) && set(p, k, whole);
      case kind::int32:
        return read_int(text, whole) && whole == static_cast<std::int32_t>(whole) &&
               set(p, k, static_cast<std::int32_t>(whole));
      case kind::float32:
        return put_real<float>(p, k, text);
      case kind::float64:
        return put_real<double>(p, k, text);
      case kind::text:
        break;
    }
    return missing_.contains(text) ? put_missing(p, k, type) : set(p, k, p.texts[k].code_of(f));
  }
  template <class T>
  bool put_real(part& p, std::size_t k, std::string_view text) const {
    T value;
    if (read_real(text, value)) return set(p, k, value);
    return missing_.contains(text) && put_missing(p, k, kind_of_type(type_of_column<T>()));
  }
  /// False where a column has no missing values.
  bool put_missing(const part& p, std::size_t k, kind type) const {
    switch (type) {
      case kind::nothing:
        return true;
      case kind::float32:
        return set(p, k, std::numeric_limits<float>::quiet_NaN());
      case kind::float64:
        return set(p, k, std::numeric_limits<double>::quiet_NaN());
      case kind::text:
        return set(p, k, std::int32_t(-1));
      default:
        return false;
    }
  }

  const std::vector<column>& columns_;
  const read_csv_options& options_;
  const missing_texts& missing_;
};

}  // namespace quern::impl::csv

#endif
