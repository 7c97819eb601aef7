// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <quern/core/call/error.hpp>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#else
#include <locale.h>
#endif

#include "csv.hpp"

namespace quern::impl::csv {

kind joined(kind a, kind b) {
  if (a == b || b == kind::nothing) return a;
  if (a == kind::nothing) return b;
  const auto is_number = [](kind k) { return k == kind::int64 || k == kind::float64; };
  return is_number(a) && is_number(b) ? kind::float64 : kind::text;
}

column_type type_of(kind k) {
  switch (k) {
    case kind::boolean:
      return column_type::boolean;
    case kind::int32:
      return column_type::int32;
    case kind::int64:
      return column_type::int64;
    case kind::float32:
      return column_type::float32;
    case kind::text:
      return column_type::text;
    default:
      return column_type::float64;
  }
}

void check_delimiter(const std::string& label, char delimiter) {
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r')
    throw Error(label, "the delimiter is a quotation mark or an end of a line");
  const auto within = [&](char first, char last) { return delimiter >= first && delimiter <= last; };
  if (within('0', '9') || within('A', 'Z') || within('a', 'z') || delimiter == '.' || delimiter == '+' ||
      delimiter == '-')
    throw Error(label, std::string("the delimiter is ") + delimiter + ", which numbers and words have in them");
}

std::string text_of(const field& f) {
  std::string text(f.raw());
  if (!f.doubled) return text;
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[to++] = text[i];
    if (text[i] == '"') ++i;  // the other of two
  }
  text.resize(to);
  return text;
}

field_end cursor::next_quoted(field& f) {
  f.begin = ++at;
  f.doubled = false;
  for (;;) {
    while (at < end && *at != '"') lines += *at++ == '\n';
    if (at == end) return field_end::open;
    f.end = at++;
    if (at == end || *at != '"') break;
    f.doubled = true;
    ++at;
  }
  if (at == end) return field_end::line;
  if (*at == delimiter) return ++at, field_end::field;
  if (*at == '\r' && at + 1 < end && at[1] == '\n') ++at;
  if (*at == '\n') return ++at, ++lines, field_end::line;
  if (*at == '\r' && at + 1 == end) return ++at, field_end::line;
  return field_end::stray;
}
field_end cursor::next(field& f) {
  if (at < end && *at == '"') return next_quoted(f);
  f.begin = at;
  f.doubled = false;
  while (at < end && *at != delimiter && *at != '\n' && *at != '"') ++at;
  f.end = at;
  if (at < end && *at == '"') return field_end::stray;
  if (at == end || *at == '\n') {
    if (f.end > f.begin && f.end[-1] == '\r') --f.end;
    if (at < end) ++at, ++lines;
    return field_end::line;
  }
  return ++at, field_end::field;
}
void cursor::skip_empty() {
  while (at < end) {
    const char* last = at;
    while (last < end && (*last == ' ' || *last == '\t') && *last != delimiter) ++last;
    if (last < end && *last == '\r' && (last + 1 == end || last[1] == '\n')) ++last;
    if (last < end && *last != '\n') return;
    at = last;
    if (at < end) ++at, ++lines;
  }
}
void cursor::skip_line() {
  const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
  at = found == nullptr ? end : static_cast<const char*>(found) + 1;
  if (found != nullptr) ++lines;
}

missing_texts::missing_texts(const std::vector<std::string>& more)
    : texts_{"",     "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
             "<NA>", "N/A",  "NA",       "NULL", "NaN",     "None",     "n/a",  "nan",  "null"} {
  texts_.insert(texts_.end(), more.begin(), more.end());
  std::sort(texts_.begin(), texts_.end());
  for (const auto& text : texts_) {
    has_values_ |= kind_of(text) != kind::text;
    longest_ = std::max(longest_, text.size());
    if (!text.empty()) begins_[static_cast<unsigned char>(text[0])] = true;
  }
}
bool missing_texts::contains(std::string_view text) const {
  if (text.empty()) return true;
  if (!begins_[static_cast<unsigned char>(text[0])] || text.size() > longest_) return false;
  return std::binary_search(texts_.begin(), texts_.end(), text, std::less<std::string_view>());
}

namespace {

/// A number without the spaces around it and the sign + before it.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}
/// The locale of C, whatever the program has set.
locale_t point_locale() {
  static const locale_t c = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return c;
}
bool is_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
         });
}

}  // namespace

bool read_bool(std::string_view text, bool& value) {
  value = text == "True" || text == "true" || text == "TRUE";
  return value || text == "False" || text == "false" || text == "FALSE";
}
bool read_int(std::string_view text, std::int64_t& value) {
  text = trimmed(text);
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && at == text.data() + text.size();
}
template <class T>
bool read_real(std::string_view text, T& value) {
  text = trimmed(text);
  if (text.empty()) return false;
  const bool negative = text[0] == '-';
  const char first = negative && text.size() > 1 ? text[1] : text[0];
  if (first == 'i' || first == 'I') {
    const std::string_view word = text.substr(negative ? 1 : 0);
    value = (negative ? -1 : 1) * std::numeric_limits<T>::infinity();
    return is_word(word, "inf") || is_word(word, "infinity");
  }
  if (first != '.' && (first < '0' || first > '9')) return false;  // from_chars would take "nan"
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (at != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) {  // an infinity, or next to zero
    const std::string copy(text);
    const locale_t with_point = point_locale();
    if constexpr (std::is_same_v<T, float>) value = ::strtof_l(copy.c_str(), nullptr, with_point);
    else value = ::strtod_l(copy.c_str(), nullptr, with_point);
    return true;
  }
  return error == std::errc();
}
template bool read_real(std::string_view, float&);
template bool read_real(std::string_view, double&);

kind kind_of(std::string_view text) {
  std::int64_t whole;
  double real;
  bool yes;
  if (read_int(text, whole)) return kind::int64;
  if (read_real(text, real)) return kind::float64;
  return read_bool(text, yes) ? kind::boolean : kind::text;
}

}  // namespace quern::impl::csv
