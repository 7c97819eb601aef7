// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/keyed/group_reductions.hpp>

#include "groups.hpp"

namespace quern::impl {
namespace {

/// The group of a row; -1 where its value is missing.
template <class T>
struct label_of_value {
  const T* values;
  std::int64_t stride;
  const std::int32_t* labels;
  std::int32_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const T v = values[i * stride];
    if constexpr (std::is_floating_point_v<T>) to[i] = v == v ? labels[i] : -1;
    else to[i] = v >= 0 ? labels[i] : -1;
  }
};
/// The groups of the rows whose values are there.
template <class T, class Exec>
Groups<Exec> rows_with_values(const std::string& label, const Exec& exec, const Groups<Exec>& by,
                              const column_in<Exec>& c) {
  const auto labels = new_column<Exec, std::int32_t>(exec, by.rows());
  Kokkos::parallel_for(
      kernel_label(label, "/labels"), index_range(exec, by.rows()),
      label_of_value<T>{static_cast<const T*>(c.data), c.stride, by.labels(exec).data(), labels.data()});
  const auto counts = new_column<Exec, std::int64_t>(exec, by.size());
  with_bins(exec, label_text(label, "/counts"), counts, own_bin{by.size()}, labels);
  return {labels, by.first(), counts};
}
template <class Exec>
Groups<Exec> groups_without_missing(const std::string& label, const Exec& exec, const Groups<Exec>& by,
                                    const column_in<Exec>& c) {
  if (c.type == column_type::float32) return rows_with_values<float>(label, exec, by, c);
  if (c.type == column_type::float64) return rows_with_values<double>(label, exec, by, c);
  return rows_with_values<std::int32_t>(label, exec, by, c);
}

/// The first rows of groups, or the last ones.
struct find_end_row {
  const std::int32_t* labels;
  bool first;
  std::int64_t* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t g = labels[i];
    if (g < 0) return;
    if (first) lower(rows + g, i);
    else if (peek(rows + g) < i) Kokkos::atomic_max(rows + g, i);
  }
};
/// Codes of texts from numbers; of groups without texts these are no codes.
struct code_of_number {
  std::int64_t size;
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t v) const {
    return v >= 0 && v < size ? static_cast<std::int32_t>(v) : -1;
  }
};
struct square_root {
  KOKKOS_FUNCTION double operator()(double v) const { return Kokkos::sqrt(v); }
};
/// The median of a group's sorted values, which begin where the ones of the groups before end.
struct median_of_sorted {
  const double* values;
  const std::int64_t *rows, *counts;
  double* medians;
  KOKKOS_FUNCTION void operator()(std::int64_t g, std::int64_t& begin, bool final) const {
    const std::int64_t n = counts[g];
    if (final) {
      const double low = n > 0 ? values[rows[begin + (n - 1) / 2]] : Kokkos::Experimental::quiet_NaN_v<double>;
      medians[g] = n % 2 == 1 || n == 0 ? low : (low + values[rows[begin + n / 2]]) / 2;
    }
    begin += n;
  }
};

}  // namespace

template <class Exec>
group_statistics<Exec>::group_statistics(const std::string& label, const Exec& exec, const Groups<Exec>& all,
                                         column_in<Exec> column)
    : label_(label),
      exec_(exec),
      column_(std::move(column)),
      missing_(count_missing(label, exec, column_)),
      all_(all),
      there_(missing_ == 0 ? all : groups_without_missing(label, exec, all, column_)) {}

template <class Exec>
column_in<Exec> group_statistics<Exec>::sum() const {
  const bool whole = !is_floating(column_.type);
  const auto type = whole ? column_type::int64 : column_type::float64;
  const auto out = results(type);
  const auto values = as_type(label_, exec_, column_, type);
  if (whole) quern::sum(exec_, packed_of<std::int64_t>(exec_, out), view_of<std::int64_t>(exec_, values), there_);
  else quern::sum(exec_, packed_of<double>(exec_, out), view_of<double>(exec_, values), there_);
  return out;
}
template <class Exec>
column_in<Exec> group_statistics<Exec>::mean() const {
  const auto out = results(column_type::float64);
  quern::mean(exec_, packed_of<double>(exec_, out), view_of<double>(exec_, in_double()), there_);
  return out;
}
template <class Exec>
column_in<Exec> group_statistics<Exec>::variance(bool root) const {
  const auto out = results(column_type::float64);
  const auto to = packed_of<double>(exec_, out);
  var(exec_, to, view_of<double>(exec_, in_double()), there_, ddof{1});
  if (root) map_checked(label_text(label_, "/root"), exec_, to, square_root(), to);
  return out;
}

template <class Exec>
column_in<Exec> group_statistics<Exec>::median() const {
  const auto out = results(column_type::float64);
  auto values = in_double();
  if (values.stride != 1) values = converted(label_, exec_, values, column_type::float64);
  // The rows in the order of their groups, and in one of their values; those of no group come first.
  const auto labels = column_of_view<typename Exec::memory_space>({}, column_type::int32, there_.labels(exec_));
  const auto order = order_of(label_, exec_, {labels, values}, {sort_order::ascending, sort_order::ascending});
  Kokkos::parallel_scan(kernel_label(label_, "/median"), index_range(exec_, there_.size()),
                        median_of_sorted{data_of<double>(values), data_of<std::int64_t>(order) + missing_,
                                         there_.counts().data(), data_of<double>(out)});
  return out;
}

/// Whole numbers of all types in int64, and others in double.
template <class Exec>
column_in<Exec> group_statistics<Exec>::extremum(bool smallest) const {
  const bool whole = !is_floating(column_.type);
  const auto type = whole ? column_type::int64 : column_type::float64;
  const auto values = as_type(label_, exec_, column_, type);
  const auto out = results(type);
  const auto find = [&](const auto& to, const auto& x) {
    smallest ? min(exec_, to, x, there_) : max(exec_, to, x, there_);
  };
  if (whole) find(packed_of<std::int64_t>(exec_, out), view_of<std::int64_t>(exec_, values));
  else find(packed_of<double>(exec_, out), view_of<double>(exec_, values));
  if (column_.type == type) return out;
  if (column_.type != column_type::text) return converted(label_, exec_, out, column_.type);
  const auto codes = results(column_type::text);
  map_checked(label_text(label_, "/codes"), exec_, packed_of<std::int32_t>(exec_, codes),
              code_of_number{static_cast<std::int64_t>(column_.categories->size())},
              packed_of<std::int64_t>(exec_, out));
  return codes;
}

template <class Exec>
column_in<Exec> group_statistics<Exec>::at_end(bool first) const {
  const auto rows = results(column_type::int64);
  const auto to = packed_of<std::int64_t>(exec_, rows);
  const std::int64_t none = -1, last = std::numeric_limits<std::int64_t>::max();
  Kokkos::deep_copy(exec_, to, first ? last : none);
  const find_end_row kernel{there_.labels(exec_).data(), first, data_of<std::int64_t>(rows)};
  launch_sample(exec_, label_text(label_, "/rows"), there_.rows(), kernel);
  Kokkos::parallel_for(kernel_label(label_, "/rows"), index_range(exec_, there_.rows()), kernel);
  map_checked(label_text(label_, "/rows"), exec_, to, row_or_none(), to);
  return gather_rows(label_, exec_, column_, data_of<std::int64_t>(rows), rows.rows, missing_ > 0);
}

template <class Exec>
column_in<Exec> group_statistics<Exec>::counts_of(const Groups<Exec>& by) const {
  const auto out = results(column_type::int64);
  quern::count(exec_, packed_of<std::int64_t>(exec_, out), by);
  return out;
}

template <class Exec>
column_in<Exec> group_statistics<Exec>::compute(const std::string& name, statistic what) const {
  check_statistic(label_, column_, what);
  const auto result = [&] {
    switch (what) {
      case statistic::sum:
        return sum();
      case statistic::mean:
        return mean();
      case statistic::median:
        return median();
      case statistic::var:
        return variance(false);
      case statistic::stddev:
        return variance(true);
      case statistic::min:
      case statistic::max:
        return extremum(what == statistic::min);
      case statistic::first:
      case statistic::last:
        return at_end(what == statistic::first);
      case statistic::count:
        return counts_of(there_);
      case statistic::size:
        break;
    }
    return counts_of(all_);
  };
  auto c = renamed(result(), name);
  if (c.type == column_type::text) c.categories = column_.categories;
  return c;
}

#define QUERN_TABLE_STATISTICS(E) template class group_statistics<E>;
QUERN_ON_ALL(QUERN_TABLE_STATISTICS)

}  // namespace quern::impl
