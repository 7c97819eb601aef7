// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csv_records.hpp"

#include <algorithm>
#include <cstring>
#include <quern/files/array_info.hpp>

namespace quern::impl::csv {
namespace {

std::size_t position_of(const std::string& text, char c, std::size_t from, std::size_t to) {
  const void* const found = std::memchr(text.data() + from, c, to - from);
  return found == nullptr ? to : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

/// Reads what follows a line that begins at `at` and does not end yet.
void record_reader::fill(std::size_t at) {
  const std::size_t size = text_.size();
  if (size - at > longest_) {
    const std::int64_t line = lines_ + 1 + std::count(text_.data(), text_.data() + at, '\n');
    throw files::FileError(name_, "line " + std::to_string(line) + ": more than " + std::to_string(longest_) +
                                      " bytes without an end of the line, or of a quoted field");
  }
  // A line that is long is looked at again from its beginning: each time with as much again.
  text_.resize(size + std::max(block_, size - at));
  const std::size_t n = read_(text_.data() + size, text_.size() - size);
  text_.resize(size + n);
  ended_ = n == 0;
}

/// Steps over a line that has quotation marks.
record_reader::step record_reader::pass_quoted(std::size_t& at) const {
  cursor c{text_.data() + at, text_.data() + text_.size(), delimiter_};
  field f{};
  field_end end = field_end::field;
  while (end == field_end::field) end = c.next(f);
  if (end == field_end::stray) c.skip_line();
  if (!ended_ && (end == field_end::open || c.at[-1] != '\n')) return step::more;
  at = static_cast<std::size_t>(c.at - text_.data());
  return step::line;
}
record_reader::step record_reader::pass_line(std::size_t& at) {
  const std::size_t end = position_of(text_, '\n', at, text_.size());
  if (end == text_.size() && !ended_) return step::more;
  if (position_of(text_, '"', at, end) < end) return pass_quoted(at);
  const std::size_t behind = std::min(end + 1, text_.size());
  cursor c{text_.data() + at, text_.data() + behind, delimiter_};
  c.skip_empty();
  at = behind;
  return c.at == c.end ? step::blank : step::line;
}

cursor record_reader::next(std::int64_t n) {
  text_.erase(0, begin_);
  begin_ = 0;
  if (!started_) {
    while (!ended_ && text_.size() < 3) fill(0);
    if (text_.starts_with("\xef\xbb\xbf")) {
      text_.erase(0, 3);
      offset_ = 3;
    }
    started_ = true;
  }
  std::size_t at = 0;
  for (std::int64_t found = 0; found < n;) {
    if (ended_ && at == text_.size()) break;
    const step passed = pass_line(at);
    if (passed == step::more) fill(at);
    else if (passed == step::line) ++found;
  }
  begin_ = at;
  offset_ += static_cast<std::int64_t>(at);
  const cursor lines{text_.data(), text_.data() + at, delimiter_, lines_};
  lines_ += std::count(lines.at, lines.end, '\n');
  return lines;
}

cursor chunk_reader::next_lines() {
  if (begun_) return records_.next(rows_);
  begun_ = true;
  if (header_) {
    cursor header = records_.next(1);
    reader_.begin(header);
    return records_.next(rows_);
  }
  cursor lines = records_.next(rows_);
  reader_.begin(lines);
  return lines;
}

std::optional<parsed> chunk_reader::next(const host_allocator& allocate) {
  while (!given_ || !records_.at_end()) {
    parsed chunk = reader_.read(next_lines(), allocate);
    if (chunk.rows == 0 && (given_ || !records_.at_end())) continue;
    given_ = true;
    return chunk;
  }
  return {};
}

}  // namespace quern::impl::csv
