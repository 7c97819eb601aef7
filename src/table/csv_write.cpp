// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <cmath>
#include <quern/core/launch/host_threads.hpp>
#include <quern/files/output_file.hpp>

#include "csv.hpp"
#include "host_columns.hpp"

namespace quern {
namespace impl {
namespace {

/// A text as a field.
std::string as_field(const std::string& text, char delimiter) {
  if (text.find_first_of(std::string{delimiter, '"', '\n', '\r'}) == std::string::npos) return text;
  std::string quoted_text = "\"";
  for (const char c : text) quoted_text += c == '"' ? "\"\"" : std::string(1, c);
  return quoted_text + '"';
}

/// The shortest digits of a number, as Python's repr places them.
template <class T>
void append_real(std::string& to, T v) {
  if (v != v) return;
  if (std::isinf(v)) {
    to += v < 0 ? "-inf" : "inf";
    return;
  }
  const T size = std::abs(v);
  const bool fixed = v == 0 || (size >= T(1e-4) && size < T(1e16));
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, v, fixed ? std::chars_format::fixed : std::chars_format::scientific).ptr;
  const std::string_view digits(text, static_cast<std::size_t>(end - text));
  to += digits;
  if (fixed && digits.find('.') == std::string_view::npos) to += ".0";
}

}  // namespace

void csv::append_value(std::string& to, const host_column& c, std::int64_t row, const std::vector<std::string>& texts) {
  char text[24];
  const auto append_whole = [&](std::int64_t v) { to.append(text, std::to_chars(text, text + sizeof text, v).ptr); };
  switch (c.type) {
    case column_type::float32:
      return append_real(to, static_cast<const float*>(c.data)[row]);
    case column_type::float64:
      return append_real(to, static_cast<const double*>(c.data)[row]);
    case column_type::int32:
      return append_whole(static_cast<const std::int32_t*>(c.data)[row]);
    case column_type::int64:
      return append_whole(static_cast<const std::int64_t*>(c.data)[row]);
    case column_type::boolean:
      to += static_cast<const bool*>(c.data)[row] ? "True" : "False";
      return;
    case column_type::text:
      break;
  }
  const std::int32_t code = static_cast<const std::int32_t*>(c.data)[row];
  if (code >= 0) to += texts[static_cast<std::size_t>(code)];
}

namespace {

/// A column whose texts are fields.
struct field_column : host_column {
  std::vector<std::string> texts{};
};
/// Lines of rows.
std::string lines_of(const std::vector<field_column>& columns, std::int64_t begin, std::int64_t end, char delimiter) {
  std::string lines;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::size_t start = lines.size();
    for (const auto& c : columns) {
      if (&c != columns.data()) lines += delimiter;
      csv::append_value(lines, c, row, c.texts);
    }
    if (columns.size() == 1 && lines.find_first_not_of(" \t", start) == std::string::npos) {  // such a line is no row
      lines.insert(start, 1, '"');
      lines += '"';
    }
    lines += '\n';
  }
  return lines;
}

/// Gives the text of a table to `write`, from its beginning on.
template <class Exec, class Write>
void write_lines(const std::string& label, const Table<Exec>& table, const write_csv_options& options,
                 const Write& write) {
  csv::check_delimiter(label, options.delimiter);
  std::vector<field_column> columns;
  std::string header;
  for (auto& c : host_columns_of(label, table)) {
    header += (columns.empty() ? "" : std::string(1, options.delimiter)) + as_field(c.name, options.delimiter);
    columns.push_back({std::move(c)});
    if (columns.back().categories)
      for (const auto& text : *columns.back().categories)
        columns.back().texts.push_back(as_field(text, options.delimiter));
  }
  if (columns.size() == 1 && header.find_first_not_of(" \t") == std::string::npos) header = '"' + header + '"';
  if (options.header && !columns.empty()) write(header + "\n");
  constexpr std::int64_t rows_of_chunk = 8192, chunks_at_once = 64;
  std::vector<std::string> lines(chunks_at_once);
  for (std::int64_t first = 0; first < table.rows(); first += rows_of_chunk * chunks_at_once) {
    const std::int64_t rest = table.rows() - first;
    const std::int64_t chunks = std::min(chunks_at_once, (rest + rows_of_chunk - 1) / rows_of_chunk);
    on_host_threads(chunks, [&](std::int64_t k) {
      const std::int64_t begin = first + k * rows_of_chunk;
      lines[static_cast<std::size_t>(k)] =
          lines_of(columns, begin, std::min(begin + rows_of_chunk, table.rows()), options.delimiter);
    });
    for (std::int64_t k = 0; k < chunks; ++k) write(lines[static_cast<std::size_t>(k)]);
  }
}

}  // namespace
}  // namespace impl

template <execution_space Exec>
void write_csv(const std::string& path, const Table<Exec>& table, const write_csv_options& options) {
  files::impl::output_file file(path);
  impl::write_lines(impl::label_text("quern::write_csv"), table, options,
                    [&](const std::string& text) { file.write(text.data(), static_cast<std::int64_t>(text.size())); });
  file.commit();
}
template <execution_space Exec>
std::string to_csv(const Table<Exec>& table, const write_csv_options& options) {
  std::string all;
  impl::write_lines(impl::label_text("quern::to_csv"), table, options, [&](const std::string& text) { all += text; });
  return all;
}

#define QUERN_TABLE_WRITE_CSV(E)                                                          \
  template void write_csv(const std::string&, const Table<E>&, const write_csv_options&); \
  template std::string to_csv(const Table<E>&, const write_csv_options&);
QUERN_ON_ALL(QUERN_TABLE_WRITE_CSV)

}  // namespace quern
