// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/core/call/error.hpp>
#include <quern/keyed/group_reductions.hpp>
#include <quern/table/partial_aggregates.hpp>

#include "groups.hpp"

namespace quern::impl {
namespace {

/// How far the mean of a part moves that of its group from one of its means: not at all where means are equal.
struct weigh_distances {
  const double *means, *some_mean;
  const std::int64_t *counts, *count_of_group;
  const std::int32_t* labels;
  double* distances;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t g = labels[i];
    const double weight = static_cast<double>(counts[i]) / static_cast<double>(count_of_group[g]);
    distances[i] = counts[i] > 0 ? weight * (means[i] - some_mean[g]) : 0;
  }
};
struct add_distance {
  const double* distances;
  double* means;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const { means[g] += distances[g]; }
};
/// The squares of the distances of a part's values to the mean of its group.
struct squares_of_part {
  const double *variances, *means, *mean_of_group;
  const std::int64_t* counts;
  const std::int32_t* labels;
  double* squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto n = static_cast<double>(counts[i]);
    const double distance = means[i] - mean_of_group[labels[i]];
    squares[i] = n > 0 ? n * distance * distance + (n > 1 ? (n - 1) * variances[i] : 0.0) : 0.0;
  }
};
struct variance_of_squares {
  const std::int64_t* counts;
  double* values;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    values[g] =
        counts[g] > 1 ? values[g] / static_cast<double>(counts[g] - 1) : Kokkos::Experimental::quiet_NaN_v<double>;
  }
};
struct root_of_variance {
  const double* variances;
  double* roots;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const { roots[g] = Kokkos::sqrt(variances[g]); }
};
struct mean_of_parts {
  const double* sums;
  const std::int64_t* counts;
  double* means;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    means[g] = counts[g] > 0 ? sums[g] / static_cast<double>(counts[g]) : Kokkos::Experimental::quiet_NaN_v<double>;
  }
};

/// A text column of which no more texts are kept than it has rows: a part knows all texts of its table.
template <class Exec>
column_in<Exec> with_used_categories(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  const auto rows = static_cast<std::size_t>(c.rows);
  if (c.type != column_type::text || c.categories->size() <= rows) return c;
  std::vector<std::int32_t> codes(rows);
  Kokkos::deep_copy(exec, on_host_view(codes.data(), rows), packed_of<std::int32_t>(exec, c));
  exec.fence(kernel_label(label));
  auto used = codes;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  if (!used.empty() && used.front() < 0) used.erase(used.begin());
  std::vector<std::string> texts;
  for (const auto code : used) texts.push_back((*c.categories)[static_cast<std::size_t>(code)]);
  for (auto& code : codes)
    if (code >= 0) code = static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), code) - used.begin());
  return column_of_host(exec, c.name, column_type::text, codes.data(), rows,
                        std::make_shared<const std::vector<std::string>>(std::move(texts)));
}
template <class Exec>
Table<Exec> with_used_categories(const std::string& label, const Exec& exec, std::vector<column_in<Exec>> columns) {
  for (auto& c : columns) c = with_used_categories(label, exec, c);
  return table_access<Exec>::make(exec, std::move(columns));
}

/// The rows of tables of parts, below each other and in groups.
template <class Exec>
struct grouped_parts {
  const std::string& label;
  Exec exec;
  Table<Exec> rows;
  Groups<Exec> by;

  column_in<Exec> column(const std::string& name) const { return table_access<Exec>::find(rows, label, name); }
  column_in<Exec> results(const std::string& name, column_type type) const {
    return new_values(exec, name, type, by.size());
  }
  /// Sums in which missing values make missing ones: they are sums of infinities.
  column_in<Exec> sums(const column_in<Exec>& c) const {
    const auto out = results(c.name, c.type);
    if (c.type == column_type::int64)
      quern::sum(exec, packed_of<std::int64_t>(exec, out), view_of<std::int64_t>(exec, c), by);
    else quern::sum(exec, packed_of<double>(exec, out), view_of<double>(exec, c), by);
    return out;
  }
  column_in<Exec> statistic_of(const column_in<Exec>& c, statistic what) const {
    return group_statistics<Exec>(label, exec, by, c).compute(c.name, what);
  }
  column_in<Exec> means(const std::string& mean, const std::string& count) const {
    const auto c = column(mean), n = column(count);
    const auto counts = sums(n), out = statistic_of(c, statistic::first);
    const auto distances = new_values(exec, mean, column_type::float64, c.rows);
    Kokkos::parallel_for(
        kernel_label(label, "/means"), index_range(exec, c.rows),
        weigh_distances{data_of<double>(c), data_of<double>(out), data_of<std::int64_t>(n),
                        data_of<std::int64_t>(counts), by.labels(exec).data(), data_of<double>(distances)});
    const auto distance = sums(distances);
    Kokkos::parallel_for(kernel_label(label, "/means"), index_range(exec, out.rows),
                         add_distance{data_of<double>(distance), data_of<double>(out)});
    return out;
  }
  column_in<Exec> variances(const std::string& var, const std::string& mean, const std::string& count) const {
    const auto c = column(var), m = column(mean), n = column(count);
    const auto mean_of_all = means(mean, count);
    const auto squares = new_values(exec, var, column_type::float64, c.rows);
    Kokkos::parallel_for(kernel_label(label, "/variances"), index_range(exec, c.rows),
                         squares_of_part{data_of<double>(c), data_of<double>(m), data_of<double>(mean_of_all),
                                         data_of<std::int64_t>(n), by.labels(exec).data(), data_of<double>(squares)});
    const auto out = sums(squares), counts = sums(n);
    Kokkos::parallel_for(kernel_label(label, "/variances"), index_range(exec, out.rows),
                         variance_of_squares{data_of<std::int64_t>(counts), data_of<double>(out)});
    return out;
  }
};

}  // namespace

partial_aggregates::partial_aggregates(const std::string& label, column_names keys, std::vector<aggregation> results)
    : label_(label), keys_(std::move(keys)), results_(std::move(results)) {
  std::vector<std::string> names(keys_.begin(), keys_.end());
  for (const auto& r : results_) names.push_back(r.name);
  check_distinct(label, names);
  for (const auto& r : results_) {
    if (r.what == statistic::median)
      throw Error(label, "the median of " + in_quotes(std::string_view(r.column)) +
                             " needs all rows of a group at once, which parts of them do not have");
    if (r.what == statistic::mean) {
      add_part(r.column, statistic::sum, true);
      add_part(r.column, statistic::count);
    } else if (r.what == statistic::var || r.what == statistic::stddev) {
      for (const auto what : {statistic::var, statistic::mean, statistic::count}) add_part(r.column, what);
    } else {
      add_part(r.column, r.what);
    }
  }
}

/// Names are numbers; with blanks before them where a key has that name.
void partial_aggregates::add_part(const std::string& column, statistic what, bool in_double) {
  for (const auto& p : parts_)
    if (p.column == column && p.what == what && p.in_double == in_double) return;
  std::string name = std::to_string(parts_.size());
  while (std::find(keys_.begin(), keys_.end(), name) != keys_.end()) name.insert(0, " ");
  parts_.push_back({name, column, what, in_double});
}
const std::string& partial_aggregates::name_of(const std::string& column, statistic what, bool in_double) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const auto& p) {
    return p.column == column && p.what == what && p.in_double == in_double;
  });
  return found->name;
}

template <class Exec>
Table<Exec> partial_aggregates::of_part(const Table<Exec>& rows) const {
  return in_operation(label_, [&] {
    for (const auto& r : results_) check_statistic(label_, table_access<Exec>::find(rows, label_, r.column), r.what);
    auto columns = columns_of(rows);
    std::vector<aggregation> statistics;
    for (const auto& p : parts_) {
      const auto& c = table_access<Exec>::find(rows, label_, p.column);
      std::string column = p.column;
      if (p.in_double && !is_floating(c.type)) {
        for (column = p.name; rows.contains(column);) column.insert(0, " ");
        columns.push_back(renamed(converted(label_, rows.exec(), c, column_type::float64), column));
      }
      statistics.emplace_back(p.name, column, p.what);
    }
    const auto all = table_access<Exec>::make(rows.exec(), std::move(columns));
    return with_used_categories(label_, rows.exec(), columns_of(all.group_by(keys_).aggregate(statistics)));
  });
}

template <class Exec>
Table<Exec> partial_aggregates::merged(const std::vector<Table<Exec>>& parts) const {
  if (parts.size() == 1) return parts.front();
  return merged(in_operation(label_, [&] { return Table<Exec>::concat(parts); }));
}
template <class Exec>
Table<Exec> partial_aggregates::merged(const Table<Exec>& rows) const {
  const Exec& exec = rows.exec();
  const auto keys = key_columns(label_, rows, {keys_.begin(), keys_.end()});
  const grouped_parts<Exec> all{label_, exec, rows, groups_of(label_, exec, keys)};
  std::vector<column_in<Exec>> columns;
  for (const auto& c : keys) columns.push_back(gather_rows(label_, exec, c, all.by.first().data(), all.by.size()));
  for (const auto& p : parts_) {
    const auto c = all.column(p.name);
    const bool sum = p.what == statistic::sum || p.what == statistic::count || p.what == statistic::size;
    if (sum) columns.push_back(all.sums(c));
    else if (p.what == statistic::mean) columns.push_back(all.means(p.name, name_of(p.column, statistic::count)));
    else if (p.what == statistic::var)
      columns.push_back(all.variances(p.name, name_of(p.column, statistic::mean), name_of(p.column, statistic::count)));
    else columns.push_back(all.statistic_of(c, p.what));
  }
  return with_used_categories(label_, exec, std::move(columns));
}

template <class Exec>
Table<Exec> partial_aggregates::results(const Table<Exec>& of_all) const {
  const Exec& exec = of_all.exec();
  const auto merged_part = [&](const aggregation& r, statistic what, bool in_double = false) {
    return table_access<Exec>::find(of_all, label_, name_of(r.column, what, in_double));
  };
  std::vector<column_in<Exec>> columns;
  for (const auto& name : keys_) columns.push_back(table_access<Exec>::find(of_all, label_, name));
  for (const auto& r : results_) {
    const auto computed = [&](const auto& f) {
      columns.push_back(new_values(exec, r.name, column_type::float64, of_all.rows()));
      Kokkos::parallel_for(kernel_label(label_, "/results"), index_range(exec, of_all.rows()),
                           f(data_of<double>(columns.back())));
    };
    if (r.what == statistic::mean) {
      const auto sum = merged_part(r, statistic::sum, true), count = merged_part(r, statistic::count);
      computed([&](double* to) { return mean_of_parts{data_of<double>(sum), data_of<std::int64_t>(count), to}; });
    } else if (r.what == statistic::stddev) {
      const auto variance = merged_part(r, statistic::var);
      computed([&](double* to) { return root_of_variance{data_of<double>(variance), to}; });
    } else {
      columns.push_back(renamed(merged_part(r, r.what), r.name));
    }
  }
  return table_access<Exec>::make(exec, std::move(columns));
}

#define QUERN_TABLE_PARTIAL(E)                                                      \
  template Table<E> partial_aggregates::of_part(const Table<E>&) const;             \
  template Table<E> partial_aggregates::merged(const std::vector<Table<E>>&) const; \
  template Table<E> partial_aggregates::merged(const Table<E>&) const;              \
  template Table<E> partial_aggregates::results(const Table<E>&) const;
QUERN_ON_ALL(QUERN_TABLE_PARTIAL)

}  // namespace quern::impl
