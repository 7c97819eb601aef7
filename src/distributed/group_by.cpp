// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/distributed/group_by.hpp>
#include <quern/keyed/group_reductions.hpp>
#include <quern/map/functions.hpp>

#include "../table/groups.hpp"
#include "table_rows.hpp"

namespace quern {
namespace impl {
namespace {

/// A statistic of a column, in its own type or in double, of the rows that one rank has of a group: one of those from
/// which that of the whole group is made.
struct partial_statistic {
  std::string column;
  statistic what;
  bool in_double = false;

  bool operator==(const partial_statistic&) const = default;
  /// The names of its column in the tables of a rank's rows and groups, which differ from those of keys.
  std::string name_of_values() const { return (in_double ? "in double " : "column ") + column; }
  std::string name() const { return std::string(name_of(what)) + " " + name_of_values(); }
};
std::vector<partial_statistic> partials_of(const aggregation& r) {
  switch (r.what) {
    case statistic::median:
      return {};
    case statistic::mean:
      return {{r.column, statistic::sum, true}, {r.column, statistic::count}};
    case statistic::var:
    case statistic::stddev:
      return {{r.column, statistic::sum, true}, {r.column, statistic::count}, {r.column, statistic::var, true}};
    default:
      return {{r.column, r.what}};
  }
}
std::vector<std::string> names_of_partial_keys(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < n; ++k) names.push_back("key " + std::to_string(k));
  return names;
}

/// The squares of the distances of the values of a rank from the mean of their group.
struct squares_of_rank {
  const double *sums, *variances, *means;
  const std::int64_t* counts;
  const std::int32_t* groups;
  double* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto n = static_cast<double>(counts[i]);
    const double step = n > 0 ? sums[i] / n - means[groups[i]] : 0;
    to[i] = (n > 1 ? (n - 1) * variances[i] : 0) + n * step * step;
  }
};
struct variance_of_squares {
  bool root;
  KOKKOS_FUNCTION double operator()(double squares, std::int64_t count) const {
    if (count < 2) return Kokkos::Experimental::quiet_NaN_v<double>;
    const double variance = squares / static_cast<double>(count - 1);
    return root ? Kokkos::sqrt(variance) : variance;
  }
};

/// The groups of the rows that came to this rank, each with what one rank has found of a group.
template <class Exec>
class joined_groups {
 public:
  joined_groups(const std::string& label, Table<Exec> partials, std::size_t keys)
      : label_(label),
        exec_(partials.exec()),
        partials_(std::move(partials)),
        by_(groups_of(label, exec_, first(keys))) {
    for (const auto& key : first(keys)) keys_.push_back(gather_rows(label, exec_, key, by_.first().data(), by_.size()));
  }
  const std::vector<column_in<Exec>>& keys() const { return keys_; }

  column_in<Exec> compute(const aggregation& r) const {
    switch (r.what) {
      case statistic::mean:
        return mean(r.column);
      case statistic::var:
      case statistic::stddev:
        return variance(r.column, r.what == statistic::stddev);
      case statistic::sum:
      case statistic::count:
      case statistic::size:
        return sum({r.column, r.what});
      default:  // what is missing of a rank takes no part
        return group_statistics<Exec>(label_, exec_, by_, partial({r.column, r.what})).compute(r.name, r.what);
    }
  }

 private:
  std::vector<column_in<Exec>> first(std::size_t n) const {
    const auto& all = columns_of(partials_);
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)};
  }
  const column_in<Exec>& partial(const partial_statistic& p) const {
    return table_access<Exec>::find(partials_, label_, p.name());
  }
  column_in<Exec> results(column_type type) const { return new_values(exec_, {}, type, by_.size()); }
  /// NaN of a rank is one of the group.
  column_in<Exec> sum_of(const column_in<Exec>& c) const {
    const auto out = results(c.type);
    if (c.type == column_type::int64)
      quern::sum(exec_, packed_of<std::int64_t>(exec_, out), view_of<std::int64_t>(exec_, c), by_);
    else quern::sum(exec_, packed_of<double>(exec_, out), view_of<double>(exec_, c), by_);
    return out;
  }
  column_in<Exec> sum(const partial_statistic& p) const { return sum_of(partial(p)); }
  column_in<Exec> mean(const std::string& column) const {
    const auto sums = sum({column, statistic::sum, true}), counts = sum({column, statistic::count});
    const auto to = packed_of<double>(exec_, sums);
    map_checked(label_text(label_, "/mean"), exec_, to, mean_of_sum(), to, packed_of<std::int64_t>(exec_, counts));
    return sums;
  }
  column_in<Exec> variance(const std::string& column, bool root) const {
    const auto means = mean(column), counts = sum({column, statistic::count});
    const auto squares = new_values(exec_, {}, column_type::float64, by_.rows());
    Kokkos::parallel_for(
        kernel_label(label_, "/squares"), index_range(exec_, by_.rows()),
        squares_of_rank{data_of<double>(partial({column, statistic::sum, true})),
                        data_of<double>(partial({column, statistic::var, true})), data_of<double>(means),
                        data_of<std::int64_t>(partial({column, statistic::count})), by_.labels(exec_).data(),
                        data_of<double>(squares)});
    const auto out = sum_of(squares);
    const auto to = packed_of<double>(exec_, out);
    map_checked(label_text(label_, "/divide"), exec_, to, variance_of_squares{root}, to,
                packed_of<std::int64_t>(exec_, counts));
    return out;
  }

  const std::string& label_;
  Exec exec_;
  Table<Exec> partials_;
  Groups<Exec> by_;
  std::vector<column_in<Exec>> keys_;
};

/// Aggregations of the rows of all ranks.
template <class Exec>
class groups_of_ranks {
 public:
  groups_of_ranks(const std::string& label, const Communicator& comm, const Table<Exec>& rows,
                  const std::vector<std::string>& keys)
      : label_(label), comm_(comm), rows_(rows), keys_(keys) {}

  Table<Exec> aggregate(const std::vector<aggregation>& results) const {
    std::vector<column_in<Exec>> of_partials, medians, columns;
    const auto is_median = [](const aggregation& r) { return r.what == statistic::median; };
    const bool any = std::any_of(results.begin(), results.end(), is_median),
               all = any && std::all_of(results.begin(), results.end(), is_median);
    if (!all) of_partials = statistics(results);
    if (any) medians = medians_of(results);
    // Both have the same groups, in the order of their keys.
    columns = all ? medians : of_partials;
    columns.resize(keys_.size());
    std::size_t next_partial = keys_.size(), next_median = keys_.size();
    for (const auto& r : results)
      columns.push_back(renamed(is_median(r) ? medians[next_median++] : of_partials[next_partial++], r.name));
    for (std::size_t k = 0; k < keys_.size(); ++k) columns[k].name = keys_[k];
    return table_access<Exec>::make(rows_.exec(), std::move(columns));
  }

 private:
  /// The keys, with names that no other column has, and columns of which statistics are asked.
  Table<Exec> values_for(const std::vector<partial_statistic>& partials) const {
    const auto names = names_of_partial_keys(keys_.size());
    std::vector<column_in<Exec>> columns;
    for (std::size_t k = 0; k < keys_.size(); ++k)
      columns.push_back(renamed(table_access<Exec>::find(rows_, label_, keys_[k]), names[k]));
    for (const auto& p : partials) {
      const std::string name = p.name_of_values();
      if (std::any_of(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; })) continue;
      const auto& c = table_access<Exec>::find(rows_, label_, p.column);
      columns.push_back(renamed(p.in_double ? as_type(label_, rows_.exec(), c, column_type::float64) : c, name));
    }
    return table_access<Exec>::make(rows_.exec(), std::move(columns));
  }
  Table<Exec> aggregated(const Table<Exec>& rows, const std::vector<partial_statistic>& partials) const {
    std::vector<aggregation> found;
    for (const auto& p : partials) found.emplace_back(p.name(), p.name_of_values(), p.what);
    return rows.group_by(names_of_partial_keys(keys_.size())).aggregate(found);
  }
  Table<Exec> on_ranks_of_keys(const Table<Exec>& t) const {
    const auto keys = key_columns(label_, t, names_of_partial_keys(keys_.size()));
    return moved_rows(label_, comm_, ranks_of_keys(label_, t.exec(), comm_, keys, missing_keys::are_removed), t);
  }

  /// The keys of this rank, and all statistics except medians.
  std::vector<column_in<Exec>> statistics(const std::vector<aggregation>& results) const {
    std::vector<partial_statistic> partials;
    for (const auto& r : results)
      for (const auto& p : partials_of(r))
        if (std::find(partials.begin(), partials.end(), p) == partials.end()) partials.push_back(p);
    const auto own = succeed_together(comm_, label_, [&] { return aggregated(values_for(partials), partials); });
    const joined_groups<Exec> groups(label_, on_ranks_of_keys(own), keys_.size());
    auto columns = groups.keys();
    for (const auto& r : results)
      if (r.what != statistic::median) columns.push_back(groups.compute(r));
    return columns;
  }
  /// The keys of this rank, and the medians, of all rows.
  std::vector<column_in<Exec>> medians_of(const std::vector<aggregation>& results) const {
    std::vector<partial_statistic> medians, asked;
    for (const auto& r : results) {
      if (r.what != statistic::median) continue;
      asked.push_back({r.column, r.what});
      if (std::find(medians.begin(), medians.end(), asked.back()) == medians.end()) medians.push_back(asked.back());
    }
    const auto rows = on_ranks_of_keys(values_for(medians));
    const auto found = succeed_together(comm_, label_, [&] { return aggregated(rows, medians); });
    auto columns = columns_of(found);
    columns.resize(keys_.size());
    for (const auto& m : asked) columns.push_back(table_access<Exec>::find(found, label_, m.name()));
    return columns;
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
  std::vector<std::string> used = keys_;
  for (const auto& r : results)
    if (std::find(used.begin(), used.end(), r.column) == used.end()) used.push_back(r.column);
  const auto rows = with_categories_of_ranks(label, comm_, rows_.select(used));
  return groups_of_ranks<Exec>(label, comm_, rows, keys_).aggregate(results);
}

#define QUERN_GROUPS_OVER_RANKS(E)                                                             \
  template TableGroups<E> group_by(const Communicator&, const Table<E>&, const column_names&); \
  template Table<E> TableGroups<E>::aggregate(const std::vector<aggregation>&) const;
QUERN_ON_ALL(QUERN_GROUPS_OVER_RANKS)

}  // namespace distributed
}  // namespace quern
