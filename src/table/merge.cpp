// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/keyed/join.hpp>

#include "groups.hpp"
#include "merge_keys.hpp"

namespace quern {
namespace impl {
namespace {

/// The rows of a result: those of both tables, or -1.
template <class Exec>
struct row_pairs {
  column_in<Exec> left, right;
};

/// The values of a key in pairs of rows: the left one's where there is one.
template <class T>
struct either_key {
  const T *left, *right;
  std::int64_t left_stride, right_stride;
  const std::int64_t *left_rows, *right_rows;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = left_rows[i] >= 0 ? left[left_rows[i] * left_stride] : right[right_rows[i] * right_stride];
  }
};

/// The keys of two tables, in one type each.
template <class Exec>
struct key_pairs {
  std::vector<column_in<Exec>> left, right;

  key_pairs(const std::string& label, const Table<Exec>& a, const Table<Exec>& b,
            const std::vector<std::string>& left_on, const std::vector<std::string>& right_on)
      : left(key_columns(label, a, left_on)), right(key_columns(label, b, right_on)) {
    for (std::size_t k = 0; k < left.size(); ++k) unify(label, a.exec(), left[k], right[k]);
  }
  /// One column for each table, of numbers that are equal where all keys are.
  std::pair<column_in<Exec>, column_in<Exec>> numbers(const std::string& label, const Exec& exec) const {
    if (left.size() == 1) {
      auto type = left[0].type;
      if (type == column_type::float32) type = column_type::float64;
      if (type == column_type::boolean) type = column_type::int32;
      return {as_type(label, exec, left[0], type), as_type(label, exec, right[0], type)};
    }
    const std::int64_t n = left[0].rows, m = right[0].rows;
    std::vector<column_in<Exec>> both;
    for (std::size_t k = 0; k < left.size(); ++k) both.push_back(below(label, exec, left[k], right[k]));
    const auto by = groups_of(label, exec, both);
    const auto labels = column_of_view<typename Exec::memory_space>({}, column_type::int32, by.labels(exec));
    return {rows_of(labels, 0, n), rows_of(labels, n, n + m)};
  }
  /// The values of a key in pairs of rows.
  column_in<Exec> of_pairs(const std::string& label, const Exec& exec, std::size_t k,
                           const row_pairs<Exec>& rows) const {
    const auto out = new_values(exec, left[k].name, left[k].type, rows.left.rows, left[k].categories);
    with_element(out.type, [&]<class T>(T) {
      Kokkos::parallel_for(kernel_label(label, "/keys"), index_range(exec, out.rows),
                           either_key<T>{static_cast<const T*>(left[k].data), static_cast<const T*>(right[k].data),
                                         left[k].stride, right[k].stride, data_of<std::int64_t>(rows.left),
                                         data_of<std::int64_t>(rows.right), data_of<T>(out)});
    });
    return out;
  }
};

/// f with both columns as Views of a type.
template <class Exec, class F>
auto with_keys(const Exec& exec, const std::pair<column_in<Exec>, column_in<Exec>>& keys, const F& f) {
  if (keys.first.type == column_type::float64)
    return f(view_of<double>(exec, keys.first), view_of<double>(exec, keys.second));
  if (keys.first.type == column_type::int64)
    return f(view_of<std::int64_t>(exec, keys.first), view_of<std::int64_t>(exec, keys.second));
  return f(view_of<std::int32_t>(exec, keys.first), view_of<std::int32_t>(exec, keys.second));
}
/// Pairs of rows with equal keys. Most keys have one partner at most.
template <class Exec>
row_pairs<Exec> pairs_of(const Exec& exec, merge_how how, const std::pair<column_in<Exec>, column_in<Exec>>& keys) {
  const auto find = [&](std::int64_t room) {
    row_pairs<Exec> rows{new_values(exec, {}, column_type::int64, room),
                         new_values(exec, {}, column_type::int64, room)};
    const auto left_rows = packed_of<std::int64_t>(exec, rows.left),
               right_rows = packed_of<std::int64_t>(exec, rows.right);
    rows.left.rows = rows.right.rows = with_keys(exec, keys, [&](const auto& left, const auto& right) {
      if (how == merge_how::inner) return join(exec, left_rows, right_rows, left, right);
      if (how == merge_how::left) return left_join(exec, left_rows, right_rows, left, right);
      return full_join(exec, left_rows, right_rows, left, right);
    });
    return rows;
  };
  try {
    return find(keys.first.rows + (how == merge_how::full ? keys.second.rows : 0));
  } catch (const CapacityError& e) {
    return find(e.needed());
  }
}
/// The left rows whose key is among the right ones, or is not.
template <class Exec>
column_in<Exec> filtered_rows(const Exec& exec, bool wanted, const std::pair<column_in<Exec>, column_in<Exec>>& keys) {
  auto rows = new_values(exec, {}, column_type::int64, keys.first.rows);
  const auto to = packed_of<std::int64_t>(exec, rows);
  rows.rows = with_keys(exec, keys, [&](const auto& left, const auto& right) {
    return wanted ? semi_join(exec, to, left, right) : anti_join(exec, to, left, right);
  });
  return rows;
}
/// Brings pairs into the order of their keys.
template <class Exec>
row_pairs<Exec> in_order_of_keys(const std::string& label, const Exec& exec, const row_pairs<Exec>& pairs,
                                 const key_pairs<Exec>& keys) {
  std::vector<column_in<Exec>> values;
  for (std::size_t k = 0; k < keys.left.size(); ++k) values.push_back(keys.of_pairs(label, exec, k, pairs));
  const auto order = order_of(label, exec, values, std::vector<sort_order>(values.size(), sort_order::ascending));
  const auto sorted = [&](const auto& rows) {
    return gather_rows(label, exec, rows, data_of<std::int64_t>(order), pairs.left.rows);
  };
  return {sorted(pairs.left), sorted(pairs.right)};
}
template <class Exec>
row_pairs<Exec> rows_of_merge(const std::string& label, const Exec& exec, merge_how how, const key_pairs<Exec>& keys) {
  const auto numbers = keys.numbers(label, exec);
  if (how == merge_how::right) {
    const auto pairs = pairs_of(exec, merge_how::left, {numbers.second, numbers.first});
    return {pairs.right, pairs.left};
  }
  const auto pairs = pairs_of(exec, how, numbers);
  return how == merge_how::full ? in_order_of_keys(label, exec, pairs, keys) : pairs;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
}  // namespace

std::pair<std::vector<std::string>, std::vector<std::string>> names_of_keys(const std::string& label,
                                                                            const merge_options& options,
                                                                            const std::vector<std::string>& left,
                                                                            const std::vector<std::string>& right) {
  std::vector<std::string> on(options.on.begin(), options.on.end());
  std::vector<std::string> left_on(options.left_on.begin(), options.left_on.end());
  std::vector<std::string> right_on(options.right_on.begin(), options.right_on.end());
  if (left_on.size() != right_on.size() || (!on.empty() && !left_on.empty()))
    throw Error(label, "keys are named by on, or by as many names of left_on and of right_on");
  if (!left_on.empty()) return {left_on, right_on};
  if (on.empty())
    std::copy_if(left.begin(), left.end(), std::back_inserter(on), [&](const auto& name) { return has(right, name); });
  if (on.empty()) throw Error(label, "there is no key, and no name that both tables have");
  return {on, on};
}

}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::merge(const Table& right, const merge_options& options) const {
  const std::string& label = label_text("quern::Table::merge");
  const auto [left_on, right_on] = names_of_keys(label, options, names(), right.names());
  use_on(label, exec_, right);
  const key_pairs<Exec> keys(label, *this, right, left_on, right_on);
  if (options.how == merge_how::semi || options.how == merge_how::anti) {
    const auto rows = filtered_rows(exec_, options.how == merge_how::semi, keys.numbers(label, exec_));
    return gather_table(label, *this, data_of<std::int64_t>(rows), rows.rows);
  }
  // A key of one name in both tables is one column.
  const auto is_shared = [&, &l = left_on, &r = right_on](const std::string& name) {
    for (std::size_t k = 0; k < l.size(); ++k)
      if (l[k] == name && r[k] == name) return true;
    return false;
  };
  std::vector<std::string> names_of_result;
  for (const auto& name : names())
    names_of_result.push_back(name + (right.contains(name) && !is_shared(name) ? options.suffixes.first : ""));
  for (const auto& name : right.names())
    if (!is_shared(name)) names_of_result.push_back(name + (contains(name) ? options.suffixes.second : ""));
  check_distinct(label, names_of_result);

  const auto rows = rows_of_merge(label, exec_, options.how, keys);
  const std::int64_t n = rows.left.rows;
  const auto misses = [&](const column_data& of) {
    return n > 0 && options.how != merge_how::inner && bounds_of(label, exec_, of).min_val < 0;
  };
  const bool left_misses = misses(rows.left), right_misses = misses(rows.right);
  std::vector<column_data> result;
  for (const auto& c : columns_) {
    const auto key = static_cast<std::size_t>(std::find(left_on.begin(), left_on.end(), c.name) - left_on.begin());
    result.push_back(is_shared(c.name)
                         ? keys.of_pairs(label, exec_, key, rows)
                         : gather_rows(label, exec_, c, data_of<std::int64_t>(rows.left), n, left_misses));
  }
  for (const auto& c : right.columns_)
    if (!is_shared(c.name))
      result.push_back(gather_rows(label, exec_, c, data_of<std::int64_t>(rows.right), n, right_misses));
  for (std::size_t k = 0; k < result.size(); ++k) result[k].name = names_of_result[k];
  return table_access<Exec>::make(exec_, std::move(result));
}

#define QUERN_TABLE_MERGE(E) template Table<E> Table<E>::merge(const Table<E>&, const merge_options&) const;
QUERN_ON_ALL(QUERN_TABLE_MERGE)

}  // namespace quern
