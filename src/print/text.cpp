// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/print/text.hpp>

#include <iostream>

#include "formats.hpp"

namespace quern::impl {
namespace {

/// The brackets, lines and blanks around the words of an array, as numpy.core.arrayprint's `_formatArray` sets them.
class arranged_words {
 public:
  arranged_words(const shown_elements& which, const std::vector<std::string>& words, int width)
      : which_(which), words_(words), width_(static_cast<std::size_t>(width)) {}

  std::string text() {
    if (which_.whole.rank == 0) return words_[0];
    return which_.whole.size() == 0 ? "[]" : along(0);
  }

 private:
  /// Elements, or arrays of them, with one index more.
  std::string along(int axis) {
    const std::string inside = axis + 1 == which_.whole.rank ? row(axis) : rows(axis);
    return "[" + inside + "]";
  }
  bool summary_after(int axis, std::int64_t i) const {
    return which_.cut(axis) && 2 * (i + 1) == which_.shown.extent[axis];
  }

  std::string rows(int axis) {
    const std::string indent(static_cast<std::size_t>(axis) + 1, ' ');
    const std::string end(static_cast<std::size_t>(which_.whole.rank - axis - 1), '\n');
    const std::int64_t n = which_.shown.extent[axis];
    std::string s;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0) s += end + indent;
      s += along(axis + 1);
      if (summary_after(axis, i)) s += end + indent + "...";
    }
    return s;
  }

  std::string row(int axis) {
    const std::string indent(static_cast<std::size_t>(axis) + 1, ' ');
    const auto brackets = static_cast<std::size_t>(axis) + 1;  // behind the row
    const std::size_t width = width_ > brackets ? width_ - brackets : 0;
    std::string lines, line = indent;
    const auto add = [&](const std::string& word) {
      if (line.size() + word.size() > width && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + "\n";
        line = indent;
      }
      line += word;
    };
    const std::int64_t n = which_.shown.extent[axis];
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0) line += ' ';
      add(words_[next_++]);
      if (!summary_after(axis, i)) continue;
      line += ' ';
      add("...");
    }
    return (lines + line).substr(indent.size());
  }

  const shown_elements& which_;
  const std::vector<std::string>& words_;
  std::size_t width_, next_ = 0;
};

/// The name that NumPy has for a type.
std::string type_name(printed_kind kind, std::int64_t bytes) {
  const std::string bits = std::to_string(8 * bytes);
  switch (kind) {
    case printed_kind::boolean:
      return "bool";
    case printed_kind::signed_integer:
      return "int" + bits;
    case printed_kind::unsigned_integer:
      return "uint" + bits;
    case printed_kind::half:
      return "float16";
    case printed_kind::bhalf:
      return "bfloat16";
    case printed_kind::complex:
      return "complex" + bits;
    case printed_kind::floating:
      break;
  }
  return "float" + bits;
}

std::string description(const printed_array& array) {
  std::string s = array.label.empty() ? "" : array.label + ": ";
  s += type_name(array.kind, array.elements.element) + " " + array.elements.extents.str();
  if (!array.layout.empty()) s += ", " + array.layout;
  if (!array.space.empty()) s += std::string(array.layout.empty() ? ", in " : " in ") + array.space;
  return s + "\n";
}

}  // namespace

std::string text_of_array(const printed_array& array, const shown_elements& which, const std::vector<std::byte>& packed,
                          const print_options& options) {
  const auto words = words_of(array.kind, array.elements.element, packed, options, which.whole.rank == 0);
  return (options.describe ? description(array) : "") + arranged_words(which, words, options.linewidth).text();
}

void print_line(const std::string& text) {
  std::cout << text << '\n';
  std::cout.flush();
  if (!std::cout) throw std::ios_base::failure("quern::print: standard output cannot be written");
}

}  // namespace quern::impl
