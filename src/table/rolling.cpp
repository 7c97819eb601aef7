// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/is_sorted.hpp>
#include <quern/stencil/rolling.hpp>

#include "columns.hpp"

namespace quern {
namespace impl {
namespace {

/// A statistic of windows of numbers in double. More: the windows, and the axis before them where they lie on one.
template <class Exec, class Out, class In, class... More>
void roll_column(const std::string& label, const Exec& exec, statistic what, const Out& out, const In& in,
                 const More&... more) {
  switch (what) {
    case statistic::sum:
      return quern::rolling<quern::op::sum>(exec, out, in, more...);
    case statistic::mean:
      return quern::rolling<quern::op::mean>(exec, out, in, more...);
    case statistic::median:
      return quern::rolling<quern::op::median>(exec, out, in, more...);
    case statistic::var:
      return quern::rolling<quern::op::var>(exec, out, in, more..., ddof{1});
    case statistic::stddev:
      return quern::rolling<quern::op::stddev>(exec, out, in, more..., ddof{1});
    case statistic::min:
      return quern::rolling<quern::op::min>(exec, out, in, more...);
    case statistic::max:
      return quern::rolling<quern::op::max>(exec, out, in, more...);
    case statistic::count:
      return quern::rolling<quern::op::count>(exec, out, in, more...);
    default:
      throw Error(label, "windows have no " + std::string(name_of(what)));
  }
}

/// Every so many rows of a column, in its memory.
template <class Exec>
column_in<Exec> every(column_in<Exec> c, const rolling_bounds& windows) {
  const std::int64_t step = windows.step;
  c.rows = windows.results;
  c.stride = c.rows > 1 ? c.stride * step : 1;
  return c;
}

/// The results' columns, by roll(what, out, in) in double.
template <class Exec, class Roll>
std::vector<column_in<Exec>> rolled(const std::string& label, const Table<Exec>& t, const rolling_bounds& windows,
                                    const std::vector<aggregation>& results, const Roll& roll) {
  const Exec& exec = t.exec();
  std::vector<column_in<Exec>> columns;
  for (const auto& r : results) {
    const auto& c = table_access<Exec>::find(t, label, r.column);
    if (c.type == column_type::text)
      throw Error(label, "the column " + in_quotes(std::string_view(r.column)) + " holds text, expected numbers");
    columns.push_back(new_values(exec, r.name, column_type::float64, windows.results));
    const auto values = as_type(label, exec, c, column_type::float64);
    roll(r.what, packed_of<double>(exec, columns.back()), view_of<double>(exec, values));
  }
  return columns;
}

/// The positions of rows, which must be there and in order, in int64 or double.
template <class Exec>
column_in<Exec> positions_of(const std::string& label, const Table<Exec>& t, const column_in<Exec>& on) {
  const Exec& exec = t.exec();
  const std::string name = in_quotes(std::string_view(on.name));
  if (!is_number(on.type))
    throw Error(label, "the column " + name + " holds " + std::string(name_of(on.type)) + ", expected numbers");
  if (count_missing(label, exec, on) > 0) throw Error(label, "the column " + name + " has missing values");
  const auto c = as_type(label, exec, on, is_floating(on.type) ? column_type::float64 : column_type::int64);
  const bool sorted = c.type == column_type::int64 ? is_sorted(exec, view_of<std::int64_t>(exec, c))
                                                   : is_sorted(exec, view_of<double>(exec, c));
  if (!sorted) throw Error(label, "the column " + name + " is not in ascending order");
  return c;
}

std::vector<std::string> names_of(const std::vector<aggregation>& results) {
  std::vector<std::string> names;
  for (const auto& r : results) names.push_back(r.name);
  return names;
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::rolling(const window& window, const std::vector<aggregation>& results) const {
  const std::string& label = label_text("quern::Table::rolling");
  check_distinct(label, names_of(results));
  const rolling_bounds windows = bounds_of(label, window, rows());
  return table_access<Exec>::make(
      exec_, rolled(label, *this, windows, results, [&](statistic what, const auto& out, const auto& in) {
        roll_column(label, exec_, what, out, in, window);
      }));
}
template <execution_space Exec>
Table<Exec> Table<Exec>::rolling(std::string_view on, const value_window& window,
                                 const std::vector<aggregation>& results) const {
  const std::string& label = label_text("quern::Table::rolling");
  const column_data& axis_column = table_access<Exec>::find(*this, label, on);
  std::vector<std::string> names = names_of(results);
  names.push_back(axis_column.name);
  check_distinct(label, names);
  const rolling_bounds windows = bounds_of(label, window, rows());
  const column_data positions = positions_of(label, *this, axis_column);
  std::vector<column_data> columns =
      rolled(label, *this, windows, results, [&](statistic what, const auto& out, const auto& in) {
        if (positions.type == column_type::int64)
          roll_column(label, exec_, what, out, in, view_of<std::int64_t>(exec_, positions), window);
        else roll_column(label, exec_, what, out, in, view_of<double>(exec_, positions), window);
      });
  columns.insert(columns.begin(), every<Exec>(axis_column, windows));
  return table_access<Exec>::make(exec_, std::move(columns));
}

#define QUERN_TABLE_ROLLING(E)                                                               \
  template Table<E> Table<E>::rolling(const window&, const std::vector<aggregation>&) const; \
  template Table<E> Table<E>::rolling(std::string_view, const value_window&, const std::vector<aggregation>&) const;
QUERN_ON_ALL(QUERN_TABLE_ROLLING)

}  // namespace quern
