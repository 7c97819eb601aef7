// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <limits>
#include <quern/core/call/error.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/host_threads.hpp>
#include <quern/files/array_info.hpp>

#include "columns.hpp"
#include "csv.hpp"

namespace quern::impl::csv {
namespace {

kind kind_of_type(column_type type) {
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
      const std::string problem = read_line(p, c, dry, changed);
      if (problem.empty()) {
        ++p.rows;
        continue;
      }
      // A bad line says nothing of the kinds of the columns.
      for (auto change = changed.rbegin(); change != changed.rend(); ++change) p.kinds[change->first] = change->second;
      if (p.bad++ == 0) p.first_problem = "line " + std::to_string(line) + ": " + problem;
    }
  }

 private:
  /// Columns, and the kinds that they were of.
  using changes = std::vector<std::pair<std::size_t, kind>>;

  /// What is wrong with the line; empty if nothing is.
  std::string read_line(part& p, cursor& c, bool dry, changes& changed) const {
    std::string problem;
    std::size_t k = 0;
    for (field f{};; ++k) {
      const field_end e = c.next(f);
      if (e == field_end::open) {
        p.stray = p.open = true;
        return "field " + std::to_string(k + 1) + " has no closing quotation mark";
      }
      if (e == field_end::stray) {
        p.stray = true;
        c.skip_line();
        return "a quotation mark in field " + std::to_string(k + 1) + ", which " +
               (f.begin > p.begin && f.begin[-1] == '"' ? "does not end there" : "does not begin with one");
      }
      if (k < columns_.size() && problem.empty() && !store(p, k, f, dry, changed)) problem = problem_of(k, f);
      if (e == field_end::line) break;
    }
    const field none{c.at, c.at};
    while (options_.fill_short_lines && k + 1 < columns_.size())
      if (!store(p, ++k, none, dry, changed) && problem.empty()) problem = problem_of(k, none);
    if (k + 1 != columns_.size())
      return std::to_string(k + 1) + (k == 0 ? " field" : " fields") + ", expected " + std::to_string(columns_.size());
    return problem;
  }
  std::string problem_of(std::size_t k, const field& f) const {
    std::string text = text_of(f);
    if (text.size() > 40) text.replace(37, std::string::npos, "...");
    return "field " + std::to_string(k + 1) + " (" + in_quotes(std::string_view(columns_[k].name)) + "): '" + text +
           "' is not " + (missing_.contains(f.raw()) ? "there, and a column of " : "of type ") +
           std::string(name_of(type_of(columns_[k].type))) +
           (missing_.contains(f.raw()) ? " has no missing values" : "");
  }

  /// Writes an element of the row, where there is memory for it.
  template <class T>
  bool set(const part& p, std::size_t k, T value) const {
    if (columns_[k].data != nullptr) reinterpret_cast<T*>(columns_[k].data)[p.first_row + p.rows] = value;
    return true;
  }
  /// Puts a field where it belongs. A kind that is not given becomes one that holds the field, too; false if the field
  /// is not of a kind that is.
  bool store(part& p, std::size_t k, const field& f, bool dry, changes& changed) const {
    if (!columns_[k].wanted) return true;
    kind& type = p.kinds[k];
    // There is memory for what the column was when this reading began.
    const bool stored = columns_[k].given || (!dry && type == columns_[k].type);
    if (stored && put(p, k, type, f)) return true;
    if (columns_[k].given) return false;
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

std::int64_t count_of(const char* begin, const char* end, char c) { return std::count(begin, end, c); }

/// Cuts the text where lines end, into parts of about the size of a chunk.
std::vector<part> cut(const char* begin, const char* end, std::int64_t chunk, std::int64_t first_line) {
  const std::int64_t n = std::max<std::int64_t>((end - begin + chunk - 1) / chunk, 1);
  std::vector<std::int64_t> quotes(static_cast<std::size_t>(n)), lines(static_cast<std::size_t>(n));
  const auto from = [&](std::int64_t k) { return k == n ? end : begin + k * chunk; };
  on_host_threads(n,
                  [&](std::int64_t k) { quotes[static_cast<std::size_t>(k)] = count_of(from(k), from(k + 1), '"'); });
  std::vector<part> parts = {{begin, end, first_line}};
  bool quoted = false;
  const char* at = begin;
  for (std::int64_t k = 1; k < n; ++k) {
    quoted ^= quotes[static_cast<std::size_t>(k - 1)] % 2 == 1;
    if (from(k) <= at) continue;  // the line that begins before it ends behind it
    at = from(k);
    for (bool inside = quoted; at < end && (inside || *at != '\n'); ++at) inside ^= *at == '"';
    if (at == end) break;
    parts.back().end = at + 1;
    parts.push_back({at + 1, end, first_line});
  }
  on_host_threads(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    const auto& p = parts[static_cast<std::size_t>(k)];
    lines[static_cast<std::size_t>(k)] = count_of(p.begin, p.end, '\n');
  });
  std::int64_t before = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].lines = lines[k];
    parts[k].first_line += before;
    parts[k].first_row = before;  // there are no more rows than lines
    before += lines[k];
  }
  return parts;
}

/// The names in the first line, or numbers.
std::vector<column> columns_of_file(const std::string& label, const std::string& name, cursor& c,
                                    const read_csv_options& options) {
  c.skip_empty();
  if (c.at == c.end) throw files::FileError(name, "there is no line");
  cursor first = c;
  std::vector<column> columns;
  field f{};
  for (field_end e = field_end::field; e != field_end::line;) {
    e = first.next(f);
    if (e == field_end::stray || e == field_end::open)
      throw files::FileError(name, "line " + std::to_string(c.lines + 1) + ": a quotation mark in field " +
                                       std::to_string(columns.size() + 1) + " where none may be");
    columns.push_back({options.header ? text_of(f) : std::to_string(columns.size())});
  }
  if (options.header) c = first;
  if (!options.names.empty()) {
    if (options.names.size() != columns.size())
      throw Error(label, std::to_string(options.names.size()) + " names, expected one for each of the " +
                             std::to_string(columns.size()) + " columns of " + name);
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].name = options.names[k];
  }
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  check_distinct(label, names, " in " + name);
  return columns;
}
column& named(const std::string& label, const std::string& file, std::vector<column>& columns,
              const std::string& name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
  if (found == columns.end()) throw Error(label, file + " has no column " + in_quotes(std::string_view(name)));
  return *found;
}
void choose_columns(const std::string& label, const std::string& file, std::vector<column>& columns,
                    const read_csv_options& options) {
  if (!options.columns.empty()) {
    check_distinct(label, {options.columns.begin(), options.columns.end()});
    for (auto& c : columns) c.wanted = false;
    for (const auto& name : options.columns) named(label, file, columns, name).wanted = true;
  }
  for (const auto& [name, type] : options.types) {
    auto& c = named(label, file, columns, name);
    c.given = true;
    c.type = kind_of_type(type);
  }
}

/// Bytes of an element of a kind.
std::size_t size_of(kind k) { return static_cast<std::size_t>(bytes_of(type_of(k))); }

/// Takes off the texts that only bad lines have.
void keep_used(const column& c, const part& p, dictionary& texts) {
  std::vector<bool> used(texts.codes.size());
  const auto* const codes = reinterpret_cast<const std::int32_t*>(c.data) + p.first_row;
  for (std::int64_t row = 0; row < p.rows; ++row)
    if (codes[row] >= 0) used[static_cast<std::size_t>(codes[row])] = true;
  std::erase_if(texts.codes, [&](const auto& text) { return !used[static_cast<std::size_t>(text.second)]; });
}
/// Numbers the texts of all parts in their order, and their codes by it.
void merge_texts(const std::string& label, column& c, std::size_t k, std::vector<part>& parts) {
  for (auto& p : parts) {
    check_codes(label, p.texts[k].codes.size());
    if (p.bad > 0) keep_used(c, p, p.texts[k]);
  }
  std::vector<std::string_view> all;
  for (const auto& p : parts)
    for (const auto& [text, code] : p.texts[k].codes) all.push_back(text);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  check_codes(label, all.size());
  on_host_threads(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
    const auto& p = parts[static_cast<std::size_t>(i)];
    std::vector<std::int32_t> place;
    for (const auto& [text, code] : p.texts[k].codes) {
      if (place.size() <= static_cast<std::size_t>(code)) place.resize(static_cast<std::size_t>(code) + 1);
      place[static_cast<std::size_t>(code)] =
          static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), text) - all.begin());
    }
    auto* const codes = reinterpret_cast<std::int32_t*>(c.data) + p.first_row;
    for (std::int64_t row = 0; row < p.rows; ++row)
      if (codes[row] >= 0) codes[row] = place[static_cast<std::size_t>(codes[row])];
  });
  c.categories = std::make_shared<const std::vector<std::string>>(all.begin(), all.end());
}

/// One reading of the whole file into columns of kinds, which it may find to be others.
class file_reader {
 public:
  file_reader(const std::string& name, const read_csv_options& options, const host_allocator& allocate,
              std::vector<column> columns)
      : name_(name), options_(options), allocate_(allocate), missing_(options.missing), columns_(std::move(columns)) {}

  parsed read(const cursor& lines, std::int64_t chunk) {
    auto parts = cut(lines.at, lines.end, chunk, lines.lines + 1);
    part sample{parts.front().begin, parts.front().end};
    sample.kinds = kinds();
    part_reader(columns_, options_, missing_).read(sample, true, 500);
    take_kinds(sample);
    const auto sampled = kinds();
    while (!read_parts(parts)) {
    }
    // Where a quotation mark stands that may not, what is quoted behind it is not known: one part has all lines.
    const auto strays = [](const part& p) { return p.stray; };
    if (parts.size() > 1 && std::any_of(parts.begin(), parts.end(), strays)) {
      parts = cut(lines.at, lines.end, lines.end - lines.at, lines.lines + 1);
      for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].type = sampled[k];
      while (!read_parts(parts)) {
      }
    }
    check_bad_lines(parts);
    return finish(parts);
  }

 private:
  std::vector<kind> kinds() const {
    std::vector<kind> result;
    for (const auto& c : columns_) result.push_back(c.type);
    return result;
  }
  void take_kinds(const part& p) {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (!columns_[k].given) columns_[k].type = joined(columns_[k].type, p.kinds[k]);
  }
  /// Whether all columns were of the kinds that they were read as.
  bool read_parts(std::vector<part>& parts) {
    const auto before = kinds();
    std::int64_t room = 1;
    for (const auto& p : parts) room = std::max(room, p.first_row + p.lines + 1);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      auto& c = columns_[k];
      if (c.wanted && (c.data == nullptr || size_of(c.type) > allocated_[k])) {
        c.data = allocate_(static_cast<std::size_t>(room) * size_of(c.type));
        allocated_[k] = size_of(c.type);
      }
    }
    on_host_threads(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
      auto& p = parts[static_cast<std::size_t>(i)];
      p.kinds = before;
      part_reader(columns_, options_, missing_).read(p, false);
    });
    if (std::any_of(parts.begin(), parts.end(), [](const part& p) { return p.grown; }))
      throw files::FileError(name_, "changed while it was read");
    for (const auto& p : parts) take_kinds(p);
    return kinds() == before;
  }
  void check_bad_lines(const std::vector<part>& parts) const {
    std::int64_t bad = 0;
    for (const auto& p : parts) bad += p.bad;
    if (options_.left_out != nullptr) *options_.left_out = bad;
    const bool open = std::any_of(parts.begin(), parts.end(), [](const part& p) { return p.open; });
    if (bad <= options_.bad_lines && !open) return;
    const auto first = std::find_if(parts.begin(), parts.end(), [](const part& p) { return p.bad > 0; });
    std::string problem = first->first_problem;
    if (open) problem = "the file ends in a quoted field; " + problem;
    if (bad > 1) problem += "; " + std::to_string(bad) + " lines are bad";
    if (options_.bad_lines > 0 && !open) problem += ", at most " + std::to_string(options_.bad_lines) + " are left out";
    throw files::FileError(name_, problem);
  }
  parsed finish(std::vector<part>& parts) {
    parsed result;
    for (const auto& p : parts) result.rows += p.rows;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      auto& c = columns_[k];
      if (!c.wanted) continue;
      if (c.type == kind::text) merge_texts(label_text("quern::read_csv"), c, k, parts);
      const std::size_t size = size_of(c.type);
      std::int64_t row = 0;
      for (const auto& p : parts) {
        if (row != p.first_row)
          std::memmove(c.data + static_cast<std::size_t>(row) * size,
                       c.data + static_cast<std::size_t>(p.first_row) * size, static_cast<std::size_t>(p.rows) * size);
        row += p.rows;
      }
      if (c.type == kind::nothing)
        std::fill_n(reinterpret_cast<double*>(c.data), result.rows, std::numeric_limits<double>::quiet_NaN());
      result.columns.push_back(std::move(c));
    }
    return result;
  }

  const std::string& name_;
  const read_csv_options& options_;
  const host_allocator& allocate_;
  missing_texts missing_;
  std::vector<column> columns_;
  std::vector<std::size_t> allocated_ = std::vector<std::size_t>(columns_.size());
};

void check_options(const std::string& label, const read_csv_options& options) {
  check_delimiter(label, options.delimiter);
  if (options.bad_lines < 0)
    throw Error(label, "bad_lines is " + std::to_string(options.bad_lines) + ", expected 0 or more");
}

}  // namespace

parsed parse(const std::string& name, std::string_view text, const read_csv_options& options,
             const host_allocator& allocate, std::int64_t chunk) {
  const std::string& label = label_text("quern::read_csv");
  check_options(label, options);
  cursor lines{text.data(), text.data() + text.size(), options.delimiter};
  if (text.starts_with("\xef\xbb\xbf")) lines.at += 3;
  auto columns = columns_of_file(label, name, lines, options);
  choose_columns(label, name, columns, options);
  return file_reader(name, options, allocate, std::move(columns)).read(lines, chunk);
}

}  // namespace quern::impl::csv
