// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <quern/print/text.hpp>

#include "columns.hpp"

namespace quern {
namespace impl {
namespace {

constexpr std::int64_t max_rows = 60, rows_at_each_end = 5;  // pandas' display.max_rows and half its display.min_rows
constexpr int digits = 6;                                    // its display.precision

std::string formatted(double v, char notation) {
  if (std::isnan(v)) return "NaN";
  char text[400];  // the largest double has 309 digits before its point
  const auto form = notation == 'f' ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text, text + sizeof text, v, form, digits).ptr;  // printf's point is the locale's
  return (std::signbit(v) ? "" : " ") + std::string(text, end);
}
bool has_point(const std::string& text) {
  return text.find('.') != std::string::npos && text.find_first_not_of(" +-0123456789.") == std::string::npos;
}
/// Takes off the zeros with which all numbers end, but leaves one behind the point.
void trim_zeros(std::vector<std::string>& texts) {
  const auto ends_in_zero = [](const std::string& t) { return !has_point(t) || t.back() == '0'; };
  while (std::any_of(texts.begin(), texts.end(), has_point) && std::all_of(texts.begin(), texts.end(), ends_in_zero))
    for (auto& t : texts)
      if (has_point(t)) t.pop_back();
  for (auto& t : texts)
    if (has_point(t) && t.back() == '.') t += '0';
}
/// Numbers as pandas' FloatArrayFormatter writes them.
std::vector<std::string> texts_of(const std::vector<double>& values) {
  const auto all_in = [&](char notation) {
    std::vector<std::string> texts;
    for (const double v : values) texts.push_back(formatted(v, notation));
    trim_zeros(texts);
    return texts;
  };
  const auto any = [&](const auto& f) { return std::any_of(values.begin(), values.end(), f); };
  auto texts = all_in('f');
  const bool too_long = std::any_of(texts.begin(), texts.end(), [](const auto& t) { return t.size() > digits + 6; });
  const bool large = any([](double v) { return std::abs(v) > 1e6; });
  const bool small = any([](double v) { return std::abs(v) < std::pow(10, -digits) && v != 0; });
  return small || (too_long && large) ? all_in('e') : texts;
}

// All texts but NaN have a place for a sign, as those of floating-point numbers.
template <class T>
std::string text_of_whole(T v) {
  if constexpr (std::is_same_v<T, bool>) return v ? " True" : " False";
  else return (v < 0 ? "" : " ") + std::to_string(v);
}

/// The texts of some rows of a column.
template <class Exec>
std::vector<std::string> texts_of_rows(const std::string& label, const Exec& exec, const column_in<Exec>& c,
                                       const std::int64_t* rows, std::int64_t n) {
  const auto shown = gather_rows(label, exec, c, rows, n);
  return with_element(c.type, [&]<class T>(T) {
    const auto values = std::make_unique<T[]>(static_cast<std::size_t>(n));
    Kokkos::deep_copy(exec, on_host_view(values.get(), static_cast<std::size_t>(n)), packed_of<T>(exec, shown));
    exec.fence(kernel_label(label));
    if constexpr (std::is_floating_point_v<T>) {
      return texts_of({values.get(), values.get() + n});
    } else {
      std::vector<std::string> texts;
      for (std::int64_t i = 0; i < n; ++i) {
        if (c.type != column_type::text) texts.push_back(text_of_whole(values[i]));
        else texts.push_back(values[i] < T(0) ? "NaN" : " " + (*c.categories)[static_cast<std::size_t>(values[i])]);
      }
      return texts;
    }
  });
}

/// How many characters UTF-8 has.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}
/// The numbers of rows that are printed.
std::vector<std::int64_t> shown_rows(std::int64_t rows) {
  std::vector<std::int64_t> shown(static_cast<std::size_t>(rows > max_rows ? 2 * rows_at_each_end : rows));
  std::iota(shown.begin(), shown.end(), 0);
  if (rows > max_rows) std::iota(shown.begin() + rows_at_each_end, shown.end(), rows - rows_at_each_end);
  return shown;
}
/// Puts a column behind lines, aligned to a side. Where rows are left out, dots stand behind the first ones.
void append_column(std::vector<std::string>& lines, const std::string& name, std::vector<std::string> texts, bool cut,
                   bool to_left) {
  std::size_t width = width_of(name);
  for (const auto& t : texts) width = std::max(width, width_of(t));
  if (cut) width = std::max<std::size_t>(width, 2);
  if (cut) texts.insert(texts.begin() + rows_at_each_end, width > 3 ? "..." : "..");
  texts.insert(texts.begin(), name);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string space(width - width_of(texts[i]), ' ');
    lines[i] += to_left ? texts[i] + space : " " + space + texts[i];
  }
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
std::string Table<Exec>::to_string() const {
  const std::string& label = label_text("quern::Table::to_string");
  if (rows() == 0) {
    std::string text = "Empty Table\nColumns: [";
    for (const auto& c : columns_) text += (&c == columns_.data() ? "" : ", ") + c.name;
    return text + "]";
  }
  const auto shown = shown_rows(rows());
  const auto n = static_cast<std::int64_t>(shown.size());
  const bool cut = n < rows();
  const auto numbers = column_of_host(exec_, {}, column_type::int64, shown.data(), shown.size());
  std::vector<std::string> lines(shown.size() + (cut ? 2 : 1)), first;
  for (const std::int64_t row : shown) first.push_back(std::to_string(row));
  append_column(lines, "", first, cut, true);
  for (const auto& c : columns_)
    append_column(lines, (c.type == column_type::text ? "" : " ") + c.name,
                  texts_of_rows(label, exec_, c, data_of<std::int64_t>(numbers), n), cut, false);
  std::string text = joined(lines);
  if (cut) text += "\n\n[" + std::to_string(rows()) + " rows x " + std::to_string(columns_.size()) + " columns]";
  return text;
}
template <execution_space Exec>
void Table<Exec>::print() const {
  print_line(to_string());
}

#define QUERN_TABLE_PRINT(E)                        \
  template std::string Table<E>::to_string() const; \
  template void Table<E>::print() const;
QUERN_ON_ALL(QUERN_TABLE_PRINT)

}  // namespace quern
