// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/keyed/compact.hpp>

#include "columns.hpp"

namespace quern {
using namespace impl;

template <execution_space Exec>
std::vector<std::string> Table<Exec>::names() const {
  std::vector<std::string> result;
  for (const auto& c : columns_) result.push_back(c.name);
  return result;
}
template <execution_space Exec>
bool Table<Exec>::contains(std::string_view name) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const auto& c) { return c.name == name; });
}
template <execution_space Exec>
column_type Table<Exec>::type(std::string_view name) const {
  return table_access<Exec>::find(*this, label_text("quern::Table::type"), name).type;
}
template <execution_space Exec>
const std::vector<std::string>& Table<Exec>::categories(std::string_view name) const {
  return *typed(name, column_type::text).categories;
}
template <execution_space Exec>
auto Table<Exec>::typed(std::string_view name, column_type type) const -> const column_data& {
  const std::string& label = label_text("quern::Table::column");
  const auto& c = table_access<Exec>::find(*this, label, name);
  const bool codes = c.type == column_type::text && type == column_type::int32;
  if (c.type != type && !codes)
    throw Error(label, "the column " + in_quotes(name) + " holds " + std::string(name_of(c.type)) + ", expected " +
                           std::string(name_of(type)));
  return c;
}

template <execution_space Exec>
void Table<Exec>::put(column_data column) {
  const std::string& label = label_text("quern::Table::insert");
  if (contains(column.name)) throw Error(label, "there is a column " + in_quotes(column.name) + " already");
  if (!columns_.empty() && column.rows != rows())
    throw Error(label, "the column " + in_quotes(column.name) + " has " + std::to_string(column.rows) +
                           " rows, expected the table's " + std::to_string(rows()));
  columns_.push_back(std::move(column));
}
template <execution_space Exec>
void Table<Exec>::put_text(column_data column, std::vector<std::string> categories) {
  const std::string& label = label_text("quern::Table::insert");
  const auto out_of_order = std::adjacent_find(categories.begin(), categories.end(), std::greater_equal<>());
  if (out_of_order != categories.end())
    throw Error(label, "the category " + in_quotes(*out_of_order) + " of the column " + in_quotes(column.name) +
                           " is not before the next one, " + in_quotes(out_of_order[1]));
  if (column.rows > 0) {
    const auto bounds = bounds_of(label, exec_, column);
    const auto size = static_cast<std::int64_t>(categories.size());
    if (bounds.min_val < -1 || bounds.max_val >= size)
      throw Error(label, "the codes of the column " + in_quotes(column.name) + " are from " +
                             std::to_string(bounds.min_val) + " to " + std::to_string(bounds.max_val) +
                             ", expected -1 to " + std::to_string(size - 1));
  }
  column.categories = std::make_shared<const std::vector<std::string>>(std::move(categories));
  put(std::move(column));
}

template <execution_space Exec>
Table<Exec> Table<Exec>::select(const column_names& names) const {
  const std::string& label = label_text("quern::Table::select");
  check_distinct(label, {names.begin(), names.end()});
  Table result(exec_);
  for (const auto& name : names) result.columns_.push_back(table_access<Exec>::find(*this, label, name));
  return result;
}
template <execution_space Exec>
Table<Exec> Table<Exec>::drop(const column_names& names) const {
  const std::string& label = label_text("quern::Table::drop");
  for (const auto& name : names) table_access<Exec>::find(*this, label, name);
  Table result(exec_);
  std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(result.columns_),
               [&](const auto& c) { return std::find(names.begin(), names.end(), c.name) == names.end(); });
  return result;
}
template <execution_space Exec>
Table<Exec> Table<Exec>::rename(std::string_view from, std::string to) const {
  const std::string& label = label_text("quern::Table::rename");
  const auto& renamed = table_access<Exec>::find(*this, label, from);
  if (from != to && contains(to)) throw Error(label, "there is a column " + in_quotes(to) + " already");
  Table result = *this;
  result.columns_[static_cast<std::size_t>(&renamed - columns_.data())].name = std::move(to);
  return result;
}

template <execution_space Exec>
Table<Exec> Table<Exec>::slice(std::int64_t begin, std::int64_t end) const {
  if (begin < 0 || end < begin || end > rows())
    throw Error(label_text("quern::Table::slice"), "the rows are from " + std::to_string(begin) + " to before " +
                                                       std::to_string(end) + ", of " + std::to_string(rows()));
  Table result = *this;
  for (auto& c : result.columns_) c = rows_of(c, begin, end);
  return result;
}
template <execution_space Exec>
Table<Exec> Table<Exec>::head(std::int64_t n) const {
  return slice(0, n < 0 ? std::max<std::int64_t>(rows() + n, 0) : std::min(n, rows()));
}
template <execution_space Exec>
Table<Exec> Table<Exec>::tail(std::int64_t n) const {
  return slice(n < 0 ? -std::max(n, -rows()) : rows() - std::min(n, rows()), rows());
}

template <execution_space Exec>
Table<Exec> Table<Exec>::where_true(const column_data& mask) const {
  const std::string& label = label_text("quern::Table::where");
  if (mask.rows != rows())
    throw Error(label, "the mask has " + std::to_string(mask.rows) + " elements, expected one for each of the " +
                           std::to_string(rows()) + " rows");
  const auto numbers = new_values(exec_, {}, column_type::int64, rows());
  const std::int64_t n = nonzero(exec_, packed_of<std::int64_t>(exec_, numbers), view_of<bool>(exec_, mask));
  return gather_table(label, *this, data_of<std::int64_t>(numbers), n);
}
template <execution_space Exec>
Table<Exec> Table<Exec>::take_rows(const column_data& rows) const {
  const std::string& label = label_text("quern::Table::take");
  if (rows.rows > 0) {
    const auto bounds = bounds_of(label, exec_, rows);
    if (bounds.min_val < 0 || bounds.max_val >= this->rows())
      throw Error(label, "the rows are from " + std::to_string(bounds.min_val) + " to " +
                             std::to_string(bounds.max_val) + ", of a table of " + std::to_string(this->rows()));
  }
  const auto packed = rows.stride == 1 ? rows : converted(label, exec_, rows, column_type::int64);
  return gather_table(label, *this, data_of<std::int64_t>(packed), packed.rows);
}

#define QUERN_TABLE_MEMBERS(E)                                                            \
  template std::vector<std::string> Table<E>::names() const;                              \
  template bool Table<E>::contains(std::string_view) const;                               \
  template column_type Table<E>::type(std::string_view) const;                            \
  template const std::vector<std::string>& Table<E>::categories(std::string_view) const;  \
  template auto Table<E>::typed(std::string_view, column_type) const->const column_data&; \
  template void Table<E>::put(column_data);                                               \
  template void Table<E>::put_text(column_data, std::vector<std::string>);                \
  template Table<E> Table<E>::select(const column_names&) const;                          \
  template Table<E> Table<E>::drop(const column_names&) const;                            \
  template Table<E> Table<E>::rename(std::string_view, std::string) const;                \
  template Table<E> Table<E>::slice(std::int64_t, std::int64_t) const;                    \
  template Table<E> Table<E>::head(std::int64_t) const;                                   \
  template Table<E> Table<E>::tail(std::int64_t) const;                                   \
  template Table<E> Table<E>::where_true(const column_data&) const;                       \
  template Table<E> Table<E>::take_rows(const column_data&) const;
QUERN_ON_ALL(QUERN_TABLE_MEMBERS)

}  // namespace quern
