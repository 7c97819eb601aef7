// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy_header.hpp"

#include <bit>
#include <cctype>
#include <optional>
#include <string>

#include "elements.hpp"

namespace quern::files::impl {
namespace {

/// The sizes that numbers of each kind have: powers of two.
constexpr int least_bytes[] = {1, 1, 1, 2, 8}, greatest_bytes[] = {1, 8, 8, 8, 16};
/// No header of an array has more; what claims to have is not read.
constexpr std::int64_t longest_header = 1 << 16;

/// A Python literal of the kind that NumPy writes: a dictionary of strings, booleans and tuples of integers.
class literal_parser {
 public:
  literal_parser(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  array_info parse() {
    array_info info;
    std::optional<std::string> descr;
    bool has_order = false, has_shape = false;
    list('{', '}', [&] {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') unread("a structured dtype");
        descr = string();
      } else if (key == "fortran_order") {
        info.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        info.extents = tuple();
        has_shape = true;
      } else {
        refuse("the key '" + key + "'");
      }
    });
    if (!descr || !has_order || !has_shape) refuse("no descr, fortran_order or shape");
    set_type(info, *descr);
    return info;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw FileError(name_, "its header has " + what); }
  [[noreturn]] void unread(const std::string& what) const { throw UnreadType(name_, "its header has ", what); }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse(std::string("no '") + c + "' at character " + std::to_string(at_));
  }
  /// item() for each item of a list in brackets.
  template <class Item>
  void list(char open, char close, const Item& item) {
    expect(open);
    while (!accept(close)) {
      item();
      if (accept(',')) continue;
      return expect(close);
    }
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse("no string at character " + std::to_string(at_));
    const std::size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) refuse("a string without an end");
    std::string s(text_.substr(at_, end - at_));
    at_ = end + 1;
    return s;
  }
  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    refuse("no True or False at character " + std::to_string(at_));
  }
  std::int64_t integer() {
    if (!std::isdigit(static_cast<unsigned char>(peek()))) refuse("no extent at character " + std::to_string(at_));
    std::int64_t n = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
      if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, text_[at_] - '0', &n))
        refuse("an extent of more than 64 bits");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // of Python 2
    return n;
  }
  shape tuple() {
    shape s;
    list('(', ')', [&] {
      if (s.rank == max_rank) unread("more than " + std::to_string(max_rank) + " axes");
      s.extent[s.rank++] = integer();
    });
    if (!is_countable({data_type_of<bool>(), s})) refuse("extents of more than 64 bits");
    return s;
  }
  void set_type(array_info& info, const std::string& descr) const {
    const auto unknown = [&] { unread("the dtype '" + descr + "'"); };
    if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) unknown();
    info.big_endian = descr[0] == '>';
    int bytes = 0;
    for (const char c : std::string_view(descr).substr(2)) {
      if (!std::isdigit(static_cast<unsigned char>(c)) || bytes > 16) unknown();
      bytes = bytes * 10 + (c - '0');
    }
    const auto kind = npy_kind_letters.find(descr[1]);
    if (kind == std::string_view::npos || !std::has_single_bit(static_cast<unsigned>(bytes)) ||
        bytes < least_bytes[kind] || bytes > greatest_bytes[kind])
      unknown();
    info.type = {static_cast<number_kind>(kind), bytes};
  }

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

array_info parse_npy_header(byte_source& file) {
  const std::string& name = file.name();
  unsigned char start[12] = {};
  const auto check_size = [&](std::int64_t bytes) {
    if (file.size() < bytes)
      throw FileError(name, "is truncated within its header: it has " + std::to_string(file.size()) + " bytes");
  };
  check_size(10);
  file.read(0, 10, start);
  if (std::string_view(reinterpret_cast<const char*>(start), npy_magic.size()) != npy_magic)
    throw FileError(name, "is not a .npy file");
  const int version = start[6];
  if (version < 1 || version > 3)
    throw FileError(name, "has version " + std::to_string(version) + " of the .npy format, expected 1 to 3");
  const int length_bytes = version == 1 ? 2 : 4;
  const std::int64_t begin = 8 + length_bytes;
  check_size(begin);
  file.read(8, length_bytes, start + 8);
  std::int64_t length = 0;
  for (int k = length_bytes - 1; k >= 0; --k) length = length << 8 | start[8 + k];
  if (length > longest_header) throw UnreadType(name, "has ", "a header of " + std::to_string(length) + " bytes");
  check_size(begin + length);
  std::string text(length, '\0');
  file.read(begin, length, text.data());
  array_info info = literal_parser(name, text).parse();
  info.offset = begin + length;
  return info;
}

}  // namespace quern::files::impl
