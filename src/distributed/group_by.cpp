// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/distributed/group_by.hpp>
#include <quern/table/partial_aggregates.hpp>

#include "../table/groups.hpp"
#include "table_rows.hpp"

namespace quern {
namespace impl {
namespace {

/// Aggregations of the rows of all ranks.
template <class Exec>
class groups_of_ranks {
 public:
  groups_of_ranks(const std::string& label, const Communicator& comm, const Table<Exec>& rows,
                  const std::vector<std::string>& keys)
      : label_(label), comm_(comm), rows_(rows), keys_(keys) {}

  Table<Exec> aggregate(const std::vector<aggregation>& results) const {
    std::vector<aggregation> medians, others;
    for (const auto& r : results) (r.what == statistic::median ? medians : others).push_back(r);
    if (medians.empty()) return of_parts(others);
    const auto of_rows = of_all_rows(medians);
    if (others.empty()) return of_rows;
    const auto rest = of_parts(others);  // of the same groups, in the order of their keys
    std::vector<column_in<Exec>> columns;
    for (const auto& key : keys_) columns.push_back(table_access<Exec>::find(rest, label_, key));
    for (const auto& r : results)
      columns.push_back(table_access<Exec>::find(r.what == statistic::median ? of_rows : rest, label_, r.name));
    return table_access<Exec>::make(rows_.exec(), std::move(columns));
  }

 private:
  Table<Exec> on_ranks_of_keys(const Table<Exec>& own) const {
    const auto t = with_categories_of_ranks(label_, comm_, own);
    const auto keys = key_columns(label_, t, keys_);
    return moved_rows(label_, comm_, ranks_of_keys(label_, t.exec(), comm_, keys, missing_keys::are_removed), t);
  }
  Table<Exec> of_parts(const std::vector<aggregation>& results) const {
    const partial_aggregates parts(label_, keys_, results);
    const auto own = succeed_together(comm_, label_, [&] { return parts.of_part(rows_); });
    const auto met = on_ranks_of_keys(own);
    const auto own_groups = succeed_together(comm_, label_, [&] { return parts.results(parts.merged(met)); });
    return with_categories_of_ranks(label_, comm_, own_groups);
  }
  /// Medians need all rows of a group.
  Table<Exec> of_all_rows(const std::vector<aggregation>& results) const {
    std::vector<std::string> used = keys_;
    for (const auto& r : results)
      if (std::find(used.begin(), used.end(), r.column) == used.end()) used.push_back(r.column);
    const auto met = on_ranks_of_keys(rows_.select(used));
    return succeed_together(comm_, label_, [&] { return met.group_by(keys_).aggregate(results); });
  }

  const std::string& label_;
  const Communicator& comm_;
  const Table<Exec>& rows_;
  const std::vector<std::string>& keys_;
};

std::string text_of_results(const std::vector<aggregation>& results) {
  std::string text;
  for (const auto& r : results) text += " " + r.name + " " + std::string(name_of(r.what)) + " of " + r.column;
  return text;
}

}  // namespace
}  // namespace impl

using namespace impl;

namespace distributed {

template <execution_space Exec>
TableGroups<Exec> group_by(const Communicator& comm, const Table<Exec>& rows, const column_names& names) {
  const std::string& label = label_text("quern::distributed::group_by");
  const std::vector<std::string> keys(names.begin(), names.end());
  check_same(comm, label, "the calls", label + " of" + text_of_columns(rows) + " by " + in_quotes(keys));
  key_columns(label, rows, keys);  // what is wrong is the same on all ranks
  return {comm, rows, keys};
}

template <execution_space Exec>
Table<Exec> TableGroups<Exec>::aggregate(const std::vector<aggregation>& results) const {
  const std::string& label = label_text("quern::distributed::TableGroups::aggregate");
  check_same(comm_, label, "the calls", label + " of" + text_of_results(results));
  const auto in_memory = [&](const Table<Exec>& rows) {
    return in_operation(label, [&] { return rows.group_by(keys_).aggregate(results); });
  };
  in_memory(rows_.head(0));  // what is wrong is the same on all ranks
  if (comm_.size() == 1) return in_memory(rows_);
  return groups_of_ranks<Exec>(label, comm_, rows_, keys_).aggregate(results);
}

#define QUERN_GROUPS_OVER_RANKS(E)                                                             \
  template TableGroups<E> group_by(const Communicator&, const Table<E>&, const column_names&); \
  template Table<E> TableGroups<E>::aggregate(const std::vector<aggregation>&) const;
QUERN_ON_ALL(QUERN_GROUPS_OVER_RANKS)

}  // namespace distributed
}  // namespace quern
