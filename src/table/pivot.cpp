// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "csv.hpp"
#include "groups.hpp"
#include "host_columns.hpp"

namespace quern {
namespace impl {
namespace {

/// Where the row of a pair of keys goes: to its place in its column.
struct write_pair_rows {
  const std::int32_t *row, *column;
  std::int64_t rows;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[column[i] * rows + row[i]] = i; }
};

/// The values of a column as texts.
template <class Exec>
std::vector<std::string> texts_of_values(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  const auto column = host_columns_of(label, table_access<Exec>::make(exec, {c})).front();
  const std::vector<std::string> texts = c.categories ? *c.categories : std::vector<std::string>();
  std::vector<std::string> result(static_cast<std::size_t>(c.rows));
  for (std::int64_t i = 0; i < c.rows; ++i) csv::append_value(result[static_cast<std::size_t>(i)], column, i, texts);
  return result;
}

/// The different keys of a table's rows, of which none is missing.
template <class Exec>
struct distinct_keys {
  Groups<Exec> by;
  std::vector<column_in<Exec>> keys;
  distinct_keys(const std::string& label, const Exec& exec, const std::vector<column_in<Exec>>& columns)
      : by(groups_of(label, exec, columns)) {
    for (const auto& c : columns) keys.push_back(gather_rows(label, exec, c, by.first().data(), by.size()));
  }
};

/// The statistic of each pair of keys that has one: a table of the keys and, last, of the statistic.
template <class Exec>
Table<Exec> statistics_of_pairs(const std::string& label, const Table<Exec>& t, const std::vector<std::string>& keys,
                                const pivot_options& options) {
  std::string name = options.values;
  while (std::find(keys.begin(), keys.end(), name) != keys.end()) name += '_';
  const auto all = t.group_by(keys).aggregate({{name, options.values, options.aggregate}});
  const auto rows = rows_without_missing(label, t.exec(), {columns_of(all).back()});
  return rows ? gather_table(label, all, data_of<std::int64_t>(*rows), rows->rows) : all;
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::pivot(const pivot_options& options) const {
  const std::string& label = label_text("quern::Table::pivot");
  std::vector<std::string> keys(options.index.begin(), options.index.end());
  key_columns(label, *this, keys);
  keys.push_back(options.columns);
  key_columns(label, *this, keys);
  table_access<Exec>::find(*this, label, options.values);
  const Table pairs = statistics_of_pairs(label, *this, keys, options);
  std::vector<column_data> index = pairs.columns_;
  index.resize(keys.size() - 1);
  const distinct_keys<Exec> rows(label, exec_, index), columns(label, exec_, {pairs.columns_[keys.size() - 1]});
  const std::int64_t n = rows.by.size(), m = columns.by.size();
  bytes_of_array(label, shape{n, m}, sizeof(std::int64_t));  // that they can be counted
  const auto pair_rows = new_values(exec_, {}, column_type::int64, n * m);
  Kokkos::deep_copy(exec_, packed_of<std::int64_t>(exec_, pair_rows), std::int64_t{-1});
  Kokkos::parallel_for(kernel_label(label, "/pair_rows"), index_range(exec_, pairs.rows()),
                       write_pair_rows{rows.by.labels(exec_).data(), columns.by.labels(exec_).data(), n,
                                       data_of<std::int64_t>(pair_rows)});
  std::vector<column_data> result = rows.keys;
  for (auto& name : texts_of_values(label, exec_, columns.keys.front())) {
    const std::int64_t* const at =
        data_of<std::int64_t>(pair_rows) + static_cast<std::int64_t>(result.size() - rows.keys.size()) * n;
    result.push_back(
        renamed(gather_rows(label, exec_, pairs.columns_.back(), at, n, pairs.rows() < n * m), std::move(name)));
  }
  const auto table = table_access<Exec>::make(exec_, std::move(result));
  check_distinct(label, table.names());
  return table;
}

#define QUERN_TABLE_PIVOT(E) template Table<E> Table<E>::pivot(const pivot_options&) const;
QUERN_ON_ALL(QUERN_TABLE_PIVOT)

}  // namespace quern
