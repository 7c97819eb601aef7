// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <optional>
#include <quern/keyed/asof_join.hpp>
#include <quern/keyed/is_sorted.hpp>

#include "groups.hpp"

namespace quern {
namespace impl {
namespace {

/// The key of a table, whose values must be there and in order.
template <class Exec>
column_in<Exec> asof_key(const std::string& label, const Exec& exec, const Table<Exec>& t, const std::string& name) {
  const auto& c = table_access<Exec>::find(t, label, name);
  if (!is_number(c.type))
    throw Error(label, "the key " + in_quotes(std::string_view(name)) + " holds " + std::string(name_of(c.type)) +
                           ", expected numbers");
  if (count_missing(label, exec, c) > 0)
    throw Error(label, "the key " + in_quotes(std::string_view(name)) + " has missing values");
  return as_type(label, exec, c, is_floating(c.type) ? column_type::float64 : column_type::int64);
}
template <class Exec>
void check_sorted(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  const bool sorted = c.type == column_type::int64 ? is_sorted(exec, view_of<std::int64_t>(exec, c))
                                                   : is_sorted(exec, view_of<double>(exec, c));
  if (!sorted) throw Error(label, "the key " + in_quotes(std::string_view(c.name)) + " is not in ascending order");
}

/// The numbers of the groups of the rows of two tables.
template <class Exec>
std::optional<column_in<Exec>> groups_of_both(const std::string& label, const Table<Exec>& left,
                                              const Table<Exec>& right, const column_names& by) {
  if (by.empty()) return {};
  const Exec& exec = left.exec();
  auto a = key_columns(label, left, {by.begin(), by.end()}), b = key_columns(label, right, {by.begin(), by.end()});
  for (std::size_t k = 0; k < a.size(); ++k) {
    unify(label, exec, a[k], b[k]);
    a[k] = below(label, exec, a[k], b[k]);
  }
  const auto groups = groups_of(label, exec, a);
  return column_of_view<typename Exec::memory_space>({}, column_type::int32, groups.labels(exec));
}

/// The right rows of all left ones; -1 for none.
template <class Exec>
column_in<Exec> asof_rows(const Exec& exec, const column_in<Exec>& left, const column_in<Exec>& right,
                          const std::optional<column_in<Exec>>& groups, const merge_asof_options& options) {
  const std::int64_t n = left.rows, m = right.rows;
  const auto out = new_values(exec, {}, column_type::int64, n);
  const auto to = packed_of<std::int64_t>(exec, out);
  const asof_options how{options.direction, options.allow_exact_matches, options.tolerance};
  const auto find = [&]<class T>(T) {
    const auto left_keys = view_of<T>(exec, left), right_keys = view_of<T>(exec, right);
    if (groups)
      asof_join(exec, to, left_keys, right_keys, view_of<std::int32_t>(exec, rows_of(*groups, 0, n)),
                view_of<std::int32_t>(exec, rows_of(*groups, n, n + m)), how);
    else asof_join(exec, to, left_keys, right_keys, how);
  };
  if (left.type == column_type::int64) find(std::int64_t());
  else find(double());
  return out;
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::merge_asof(const Table& right, const merge_asof_options& options) const {
  const std::string& label = label_text("quern::Table::merge_asof");
  if (!(options.tolerance >= 0))
    throw Error(label, "the tolerance is " + text_of(options.tolerance) + ", expected 0 or more");
  const bool named = options.on.empty() ? !options.left_on.empty() && !options.right_on.empty()
                                        : options.left_on.empty() && options.right_on.empty();
  if (!named) throw Error(label, "the key is named by on, or by left_on and right_on");
  const std::string& left_on = options.on.empty() ? options.left_on : options.on;
  const std::string& right_on = options.on.empty() ? options.right_on : options.on;
  use_on(label, exec_, right);
  auto left_key = asof_key(label, exec_, *this, left_on), right_key = asof_key(label, exec_, right, right_on);
  unify(label, exec_, left_key, right_key);
  check_sorted(label, exec_, left_key);
  check_sorted(label, exec_, right_key);
  const auto groups = groups_of_both(label, *this, right, options.by);
  const auto rows = asof_rows(exec_, left_key, right_key, groups, options);
  const bool may_miss = rows.rows > 0 && bounds_of(label, exec_, rows).min_val < 0;

  const auto is_shared = [&](const std::string& name) {
    for (const auto& b : options.by)
      if (b == name) return true;
    return name == left_on && name == right_on;
  };
  std::vector<column_data> result = columns_;
  for (auto& c : result)
    if (right.contains(c.name) && !is_shared(c.name)) c.name += options.suffixes.first;
  for (const auto& c : right.columns_) {
    if (is_shared(c.name)) continue;
    auto gathered = gather_rows(label, exec_, c, data_of<std::int64_t>(rows), rows.rows, may_miss);
    if (contains(c.name)) gathered.name += options.suffixes.second;
    result.push_back(std::move(gathered));
  }
  const auto merged = table_access<Exec>::make(exec_, std::move(result));
  check_distinct(label, merged.names());
  return merged;
}

#define QUERN_TABLE_MERGE_ASOF(E) \
  template Table<E> Table<E>::merge_asof(const Table<E>&, const merge_asof_options&) const;
QUERN_ON_ALL(QUERN_TABLE_MERGE_ASOF)

}  // namespace quern
