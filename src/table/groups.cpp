// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "groups.hpp"

#include <algorithm>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/group_by.hpp>

namespace quern {

std::string_view name_of(statistic s) {
  constexpr std::string_view names[] = {"sum", "mean",  "median", "var",   "std", "min",
                                        "max", "first", "last",   "count", "size"};
  return names[static_cast<int>(s)];
}

namespace impl {
namespace {

/// Clears the marks of rows whose value is missing.
template <class T>
struct clear_missing {
  const T* values;
  bool* marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const T v = values[i];
    if constexpr (std::is_floating_point_v<T>) marks[i] = marks[i] && v == v;
    else marks[i] = marks[i] && v >= 0;
  }
};
template <class T, class Exec>
void clear_marks(const std::string& label, const Exec& exec, const column_in<Exec>& column,
                 const column_in<Exec>& marks) {
  Kokkos::parallel_for(kernel_label(label, "/missing"), index_range(exec, column.rows),
                       clear_missing<T>{data_of<T>(column), data_of<bool>(marks)});
}

}  // namespace

template <class Exec>
std::optional<column_in<Exec>> rows_without_missing(const std::string& label, const Exec& exec,
                                                    const std::vector<column_in<Exec>>& columns) {
  const std::int64_t n = columns.front().rows;
  if (std::all_of(columns.begin(), columns.end(), [&](const auto& c) { return count_missing(label, exec, c) == 0; }))
    return {};
  const auto marks = new_values(exec, {}, column_type::boolean, n);
  Kokkos::deep_copy(exec, packed_of<bool>(exec, marks), true);
  for (const auto& c : columns) {
    if (c.type == column_type::float32) clear_marks<float>(label, exec, c, marks);
    if (c.type == column_type::float64) clear_marks<double>(label, exec, c, marks);
    if (c.type == column_type::text) clear_marks<std::int32_t>(label, exec, c, marks);
  }
  auto present = new_values(exec, {}, column_type::int64, n);
  present.rows = nonzero(exec, packed_of<std::int64_t>(exec, present), view_of<bool>(exec, marks));
  return present;
}

template <class Exec>
Groups<Exec> groups_of(const std::string& label, const Exec& exec, const std::vector<column_in<Exec>>& keys) {
  std::optional<Groups<Exec>> by;
  for (const auto& key : keys) {
    const auto c = key.type == column_type::boolean ? converted(label, exec, key, column_type::int32) : key;
    with_element(c.type, [&]<class T>(T) {
      if constexpr (!std::is_same_v<T, bool>) {
        const auto values = view_of<T>(exec, c);
        by = by ? refine_groups(label, exec, *by, values) : group_keys(label, exec, values);
      }
    });
  }
  return *by;
}

}  // namespace impl

using namespace impl;

template <execution_space Exec>
TableGroups<Exec> Table<Exec>::group_by(const column_names& names) const {
  const std::string& label = label_text("quern::Table::group_by");
  const auto keys = key_columns(label, *this, {names.begin(), names.end()});
  auto rows = std::make_shared<grouped_rows<Exec>>(grouped_rows<Exec>{groups_of(label, exec_, keys), {}});
  std::vector<column_data> of_groups;
  for (const auto& c : keys)
    of_groups.push_back(gather_rows(label, exec_, c, rows->by.first().data(), rows->by.size()));
  rows->present = rows_without_missing(label, exec_, of_groups);
  if (rows->present)
    for (auto& c : of_groups)
      c = gather_rows(label, exec_, c, data_of<std::int64_t>(*rows->present), rows->present->rows);
  return {*this, table_access<Exec>::make(exec_, std::move(of_groups)), std::move(rows)};
}

template <execution_space Exec>
Table<Exec> TableGroups<Exec>::aggregate(const std::vector<aggregation>& results) const {
  const std::string& label = label_text("quern::TableGroups::aggregate");
  const Exec& exec = table_.exec();
  std::vector<std::string> names = keys_.names();
  for (const auto& r : results) names.push_back(r.name);
  check_distinct(label, names);
  std::vector<column_in<Exec>> columns = columns_of(keys_);
  columns.resize(names.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (columns[keys_.names().size() + i].data != nullptr) continue;
    const auto& column = table_access<Exec>::find(table_, label, results[i].column);
    const group_statistics<Exec> of_column(label, exec, rows_->by, column);
    for (std::size_t k = i; k < results.size(); ++k) {
      if (results[k].column != results[i].column) continue;
      auto c = of_column.compute(results[k].name, results[k].what);
      if (rows_->present) c = gather_rows(label, exec, c, data_of<std::int64_t>(*rows_->present), rows_->present->rows);
      columns[keys_.names().size() + k] = std::move(c);
    }
  }
  return table_access<Exec>::make(exec, std::move(columns));
}

#define QUERN_TABLE_GROUPS(E)                                                                                    \
  template std::optional<impl::column_in<E>> impl::rows_without_missing(const std::string&, const E&,            \
                                                                        const std::vector<impl::column_in<E>>&); \
  template Groups<E> impl::groups_of(const std::string&, const E&, const std::vector<impl::column_in<E>>&);      \
  template TableGroups<E> Table<E>::group_by(const column_names&) const;                                         \
  template Table<E> TableGroups<E>::aggregate(const std::vector<aggregation>&) const;
QUERN_ON_ALL(QUERN_TABLE_GROUPS)

}  // namespace quern
