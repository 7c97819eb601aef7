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
#include "csv_lines.hpp"

namespace quern::impl::csv {
namespace {

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

void check_options(const std::string& label, const read_csv_options& options) {
  check_delimiter(label, options.delimiter);
  if (options.bad_lines < 0)
    throw Error(label, "bad_lines is " + std::to_string(options.bad_lines) + ", expected 0 or more");
}

}  // namespace

file_reader::file_reader(std::string name, const read_csv_options& options)
    : name_(std::move(name)), options_(options), missing_(options.missing) {
  check_options(label_text("quern::read_csv"), options_);
}

void file_reader::begin(cursor& lines) {
  const std::string& label = label_text("quern::read_csv");
  columns_ = columns_of_file(label, name_, lines, options_);
  choose_columns(label, name_, columns_, options_);
}

parsed file_reader::read(const cursor& lines, const host_allocator& allocate, std::int64_t chunk) {
  for (auto& c : columns_) c.data = nullptr;
  allocated_.assign(columns_.size(), 0);
  auto parts = cut(lines.at, lines.end, chunk, lines.lines + 1);
  sample_kinds(parts.front());
  const auto sampled = kinds();
  while (!read_parts(parts, allocate)) {
  }
  // Where a quotation mark stands that may not, what is quoted behind it is not known: one part has all lines.
  const auto strays = [](const part& p) { return p.stray; };
  if (parts.size() > 1 && std::any_of(parts.begin(), parts.end(), strays)) {
    parts = cut(lines.at, lines.end, lines.end - lines.at, lines.lines + 1);
    for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].type = sampled[k];
    while (!read_parts(parts, allocate)) {
    }
  }
  check_bad_lines(parts);
  return finish(parts);
}

std::vector<kind> file_reader::kinds() const {
  std::vector<kind> result;
  for (const auto& c : columns_) result.push_back(c.type);
  return result;
}
void file_reader::take_kinds(const part& p) {
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (!columns_[k].given && !columns_[k].fixed) columns_[k].type = joined(columns_[k].type, p.kinds[k]);
}
void file_reader::sample_kinds(const part& first) {
  part sample{first.begin, first.end};
  sample.kinds = kinds();
  part_reader(columns_, options_, missing_).read(sample, true, 500);
  take_kinds(sample);
}

/// Whether all columns were of the kinds that they were read as.
bool file_reader::read_parts(std::vector<part>& parts, const host_allocator& allocate) {
  const auto before = kinds();
  std::int64_t room = 1;
  for (const auto& p : parts) room = std::max(room, p.first_row + p.lines + 1);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    auto& c = columns_[k];
    if (c.wanted && (c.data == nullptr || size_of(c.type) > allocated_[k])) {
      c.data = allocate(static_cast<std::size_t>(room) * size_of(c.type));
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

void file_reader::check_bad_lines(const std::vector<part>& parts) {
  for (const auto& p : parts) {
    bad_ += p.bad;
    if (first_problem_.empty()) first_problem_ = p.first_problem;
  }
  if (options_.left_out != nullptr) *options_.left_out = bad_;
  for (const auto& p : parts)
    if (!p.first_unfit.empty()) throw files::FileError(name_, p.first_unfit);
  const auto open = std::find_if(parts.begin(), parts.end(), [](const part& p) { return p.open; });
  if (bad_ <= options_.bad_lines && open == parts.end()) return;
  std::string problem = first_problem_;
  if (open != parts.end()) problem = "the file ends in a quoted field; " + problem;
  if (bad_ > 1) problem += "; " + std::to_string(bad_) + " lines are bad";
  if (options_.bad_lines > 0 && open == parts.end())
    problem += ", at most " + std::to_string(options_.bad_lines) + " are left out";
  throw files::FileError(name_, problem);
}

parsed file_reader::finish(std::vector<part>& parts) {
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
    result.columns.push_back(c);
    if (result.rows == 0 || c.given) continue;
    c.fixed = true;
    if (c.type == kind::nothing) c.type = kind::float64;
  }
  return result;
}

parsed parse(const std::string& name, std::string_view text, const read_csv_options& options,
             const host_allocator& allocate, std::int64_t chunk) {
  file_reader reader(name, options);
  cursor lines{text.data(), text.data() + text.size(), options.delimiter};
  if (text.starts_with("\xef\xbb\xbf")) lines.at += 3;
  reader.begin(lines);
  return reader.read(lines, allocate, chunk);
}

}  // namespace quern::impl::csv
