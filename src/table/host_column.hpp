// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_HOST_COLUMN_HPP
#define QUERN_SRC_TABLE_HOST_COLUMN_HPP

/// @file
/// A column in the host's memory, without an execution space.

#include <functional>
#include <quern/table/column.hpp>

namespace quern::impl {

/// A packed column that the host reads.
struct host_column {
  std::string name;
  column_type type;
  const void* data;
  std::int64_t rows;
  categories_ptr categories{};  // of a text column
  std::shared_ptr<const void> owner{};
};

/// Memory for columns, of so many bytes; it lives as long as the caller says.
using host_allocator = std::function<std::byte*(std::size_t)>;

}  // namespace quern::impl

#endif
