// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/core/call/error.hpp>
#include <quern/keyed/group_reductions.hpp>
#include <quern/table/partial_aggregates.hpp>

#include "groups.hpp"

namespace quern::impl {
namespace {

/// The share of a part in the mean of its group: of the distances of means to one of them, with no error where they are
/// equal, and of the means, for infinities.
struct weigh_means {
  const double *means, *some_mean;
  const std::int64_t *counts, *count_of_group;
  const std::int32_t* labels;
  double *distances, *shares;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t g = labels[i];
    const double weight = counts[i] > 0 ? static_cast<double>(counts[i]) / static_cast<double>(count_of_group[g]) : 0;
    distances[i] = counts[i] > 0 ? weight * (means[i] - some_mean[g]) : 0;
    shares[i] = counts[i] > 0 ? weight * means[i] : 0;
  }
};
struct mean_of_group {
  const std::int64_t* counts;
  const double *some_mean, *distances;
  double* means;  // the sum of shares before
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const double mean = some_mean[g] + distances[g];
    if (counts[g] == 0) means[g] = Kokkos::Experimental::quiet_NaN_v<double>;
    else if (Kokkos::isfinite(mean)) means[g] = mean;
  }
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
struct root_of_values {
  const double* values;
  std::int64_t stride;
  double* roots;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { roots[i] = Kokkos::sqrt(values[i * stride]); }
};

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
    const auto of_group = sums(n), some = statistic_of(c, statistic::first);
    const auto distances = new_values(exec, mean, column_type::float64, c.rows),
               shares = new_values(exec, mean, column_type::float64, c.rows);
    Kokkos::parallel_for(kernel_label(label, "/means"), index_range(exec, c.rows),
                         weigh_means{data_of<double>(c), data_of<double>(some), data_of<std::int64_t>(n),
                                     data_of<std::int64_t>(of_group), by.labels(exec).data(),
                                     data_of<double>(distances), data_of<double>(shares)});
    const auto distance = sums(distances), out = sums(shares);
    Kokkos::parallel_for(kernel_label(label, "/means"), index_range(exec, out.rows),
                         mean_of_group{data_of<std::int64_t>(of_group), data_of<double>(some),
                                       data_of<double>(distance), data_of<double>(out)});
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
    const bool spread = r.what == statistic::var || r.what == statistic::stddev;
    if (spread) add_part(r.column, statistic::var);
    if (spread || r.what == statistic::mean) {
      add_part(r.column, statistic::mean);
      add_part(r.column, statistic::count);
    }
    if (!spread) add_part(r.column, r.what);
  }
}

/// Names are numbers; with blanks before them where a key has that name.
void partial_aggregates::add_part(const std::string& column, statistic what) {
  for (const auto& p : parts_)
    if (p.column == column && p.what == what) return;
  std::string name = std::to_string(parts_.size());
  while (std::find(keys_.begin(), keys_.end(), name) != keys_.end()) name.insert(0, " ");
  parts_.emplace_back(name, column, what);
}
const std::string& partial_aggregates::part_of(const std::string& column, statistic what) const {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const auto& p) { return p.column == column && p.what == what; });
  return found->name;
}

template <class Exec>
Table<Exec> partial_aggregates::of_part(const Table<Exec>& rows) const {
  return in_operation(label_, [&] {
    for (const auto& r : results_) check_statistic(label_, table_access<Exec>::find(rows, label_, r.column), r.what);
    return rows.group_by(keys_).aggregate(parts_);
  });
}

template <class Exec>
Table<Exec> partial_aggregates::merged(const std::vector<Table<Exec>>& parts) const {
  if (parts.size() == 1) return parts.front();
  const auto rows = in_operation(label_, [&] { return Table<Exec>::concat(parts); });
  const Exec& exec = rows.exec();
  const auto keys = key_columns(label_, rows, {keys_.begin(), keys_.end()});
  const grouped_parts<Exec> all{label_, exec, rows, groups_of(label_, exec, keys)};
  std::vector<column_in<Exec>> columns;
  for (const auto& c : keys) columns.push_back(gather_rows(label_, exec, c, all.by.first().data(), all.by.size()));
  for (const auto& p : parts_) {
    const auto c = all.column(p.name);
    const bool sum = p.what == statistic::sum || p.what == statistic::count || p.what == statistic::size;
    if (sum) columns.push_back(all.sums(c));
    else if (p.what == statistic::mean) columns.push_back(all.means(p.name, part_of(p.column, statistic::count)));
    else if (p.what == statistic::var)
      columns.push_back(all.variances(p.name, part_of(p.column, statistic::mean), part_of(p.column, statistic::count)));
    else columns.push_back(all.statistic_of(c, p.what));
  }
  return table_access<Exec>::make(exec, std::move(columns));
}

template <class Exec>
Table<Exec> partial_aggregates::results(const Table<Exec>& of_all) const {
  const Exec& exec = of_all.exec();
  std::vector<column_in<Exec>> columns;
  for (const auto& name : keys_) columns.push_back(table_access<Exec>::find(of_all, label_, name));
  for (const auto& r : results_) {
    const bool root = r.what == statistic::stddev;
    auto c = table_access<Exec>::find(of_all, label_, part_of(r.column, root ? statistic::var : r.what));
    if (root) {
      const auto roots = new_values(exec, r.name, column_type::float64, c.rows);
      Kokkos::parallel_for(kernel_label(label_, "/root"), index_range(exec, c.rows),
                           root_of_values{data_of<double>(c), c.stride, data_of<double>(roots)});
      c = roots;
    }
    columns.push_back(renamed(std::move(c), r.name));
  }
  return table_access<Exec>::make(exec, std::move(columns));
}

#define QUERN_TABLE_PARTIAL(E)                                                      \
  template Table<E> partial_aggregates::of_part(const Table<E>&) const;             \
  template Table<E> partial_aggregates::merged(const std::vector<Table<E>>&) const; \
  template Table<E> partial_aggregates::results(const Table<E>&) const;
QUERN_ON_ALL(QUERN_TABLE_PARTIAL)

}  // namespace quern::impl
