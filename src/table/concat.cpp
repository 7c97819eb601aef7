// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "columns.hpp"

namespace quern {
namespace impl {
namespace {

/// The column of a name of some tables, below each other.
template <class Exec>
column_in<Exec> column_below(const std::string& label, const std::vector<Table<Exec>>& tables,
                             const std::string& name) {
  const Exec& exec = tables.front().exec();
  std::vector<const column_in<Exec>*> parts;
  std::vector<categories_ptr> lists;
  column_type type{};
  std::int64_t rows = 0, missing = 0;
  for (const auto& t : tables) {
    rows += t.rows();
    if (!t.contains(name)) {
      parts.push_back(nullptr);
      missing += t.rows();
      continue;
    }
    parts.push_back(&table_access<Exec>::find(t, label, name));
    const bool first = std::all_of(parts.begin(), parts.end() - 1, [](const auto* p) { return p == nullptr; });
    type = first ? parts.back()->type : common_type(label, name, type, parts.back()->type);
    if (type == column_type::text) lists.push_back(parts.back()->categories);
  }
  if (missing > 0 && !is_floating(type) && type != column_type::text) type = column_type::float64;
  const auto out = new_values(exec, name, type, rows, lists.empty() ? categories_ptr() : all_categories(lists));
  std::int64_t at = 0;
  for (std::size_t k = 0; k < parts.size(); at += tables[k++].rows()) {
    if (parts[k] != nullptr) copy_rows(label, exec, *parts[k], out, at);
    else fill_missing(label, exec, out, at, at + tables[k].rows());
  }
  return out;
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::concat(const std::vector<Table>& tables) {
  const std::string& label = label_text("quern::Table::concat");
  if (tables.empty()) throw Error(label, "there is no table");
  std::vector<std::string> names;
  for (const auto& t : tables)
    for (const auto& name : t.names())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const auto& t : tables) use_on(label, tables.front().exec(), t);
  std::vector<column_data> columns;
  for (const auto& name : names) columns.push_back(column_below(label, tables, name));
  return table_access<Exec>::make(tables.front().exec(), std::move(columns));
}

#define QUERN_TABLE_CONCAT(E) template Table<E> Table<E>::concat(const std::vector<Table<E>>&);
QUERN_ON_ALL(QUERN_TABLE_CONCAT)

}  // namespace quern
