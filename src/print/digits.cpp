// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "digits.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

namespace quern::impl {
namespace {

/// What std::to_chars writes.
template <class... How>
std::string written(How... how) {
  std::vector<char> buffer(64);
  for (;;) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), how...);
    if (end.ec == std::errc()) return std::string(buffer.data(), end.ptr);
    buffer.resize(2 * buffer.size());
  }
}

/// The distance from |x| to the next larger number of the format.
double spacing(const binary_format& format, double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - format.bits, format.least_exponent));
}

/// Whether a number that was read is nearer to x than to others of the format.
bool reads_as(const binary_format& format, double read, double x) { return rounded_to(format, read) == x; }

/// Of formats that std::to_chars does not know: the first number of digits that reads back.
std::string shortest_by_trial(const binary_format& format, double x) {
  for (int digits = 0;; ++digits) {
    const std::string text = written(x, std::chars_format::scientific, digits);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (reads_as(format, read, x)) return text;
  }
}
std::string shortest(const binary_format& format, double x) {
  if (format.bits == double_format.bits) return written(x, std::chars_format::scientific);
  if (format.bits == float_format.bits) return written(static_cast<float>(x), std::chars_format::scientific);
  return shortest_by_trial(format, x);
}

number_text split(const std::string& text) {
  const auto e = std::min(text.find('e'), text.size()), point = std::min(text.find('.'), e);
  return {text.substr(0, point), point < e ? text.substr(point + 1, e - point - 1) : "",
          e < text.size() ? text.substr(e + 1) : ""};
}
number_text trimmed(number_text t) {
  t.fraction.erase(t.fraction.find_last_not_of('0') + 1);
  return t;
}

/// A number in scientific notation with its point moved to where the exponent says.
number_text moved(const number_text& s) {
  const bool negative = s.whole[0] == '-';
  std::string digits = s.whole.substr(negative ? 1 : 0) + s.fraction;
  int exponent = 0;
  std::from_chars(s.exponent.data() + (s.exponent[0] == '+' ? 1 : 0), s.exponent.data() + s.exponent.size(), exponent);
  if (exponent < 0) {
    digits.insert(0, static_cast<std::size_t>(-exponent), '0');
    exponent = 0;
  }
  const auto before = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < before) digits.append(before - digits.size(), '0');
  return {(negative ? "-" : "") + digits.substr(0, before), digits.substr(before), ""};
}

bool too_long(const number_text& t, int precision) {
  return precision >= 0 && t.fraction.size() > static_cast<std::size_t>(precision);
}

}  // namespace

double rounded_to(const binary_format& format, double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = spacing(format, x);
  return std::nearbyint(x / unit) * unit;
}

number_text fixed_text(double x, int precision) { return split(written(x, std::chars_format::fixed, precision)); }

number_text fixed_scientific_text(double x, int precision) {
  return split(written(x, std::chars_format::scientific, precision));
}

number_text positional_text(const binary_format& format, double x, int precision) {
  const number_text all = trimmed(moved(split(shortest(format, x))));
  return too_long(all, precision) ? trimmed(fixed_text(x, precision)) : all;
}

number_text scientific_text(const binary_format& format, double x, int precision) {
  const number_text all = trimmed(split(shortest(format, x)));
  return too_long(all, precision) ? trimmed(fixed_scientific_text(x, precision)) : all;
}

}  // namespace quern::impl
