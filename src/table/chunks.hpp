// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CHUNKS_HPP
#define QUERN_SRC_TABLE_CHUNKS_HPP

#include <quern/core/call/error.hpp>
#include <quern/table/chunks.hpp>

#include "columns.hpp"

namespace quern::impl {

/// The names and types of the columns of the first table, which all chunks have, in all readings.
class chunk_layout {
 public:
  explicit chunk_layout(const std::string& label) : label_(label) {}

  /// f(table) for the tables of one reading.
  template <class Exec, class F>
  void each(const TableChunks<Exec>& chunks, const F& f) {
    std::int64_t number = 0;
    for (const auto& part : chunks) {
      std::string columns;
      for (const auto& c : columns_of(part))
        columns +=
            (columns.empty() ? "" : ", ") + in_quotes(std::string_view(c.name)) + " of " + std::string(name_of(c.type));
      if (!known_) known_ = columns;
      if (columns != *known_)
        throw Error(label_,
                    "chunk " + std::to_string(number) + " has the columns " + columns + ", expected " + *known_);
      f(part);
      ++number;
    }
    if (number == 0) throw Error(label_, "there is no chunk");
  }

 private:
  const std::string& label_;
  std::optional<std::string> known_;
};

}  // namespace quern::impl

#endif
