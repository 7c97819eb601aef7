// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/reduce/quantile.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/reducers/quantile_rule.hpp>

#include "columns.hpp"

namespace quern {
namespace impl {
namespace {

struct is_there {
  KOKKOS_FUNCTION bool operator()(double v) const { return v == v; }
};

/// 0.25 as 25%, with the digits that it needs.
std::string percentage(double q) {
  const double percent = std::round(q * 1e8) / 1e6;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, percent).ptr;
  return std::string(text, end) + "%";
}

/// Whether quantiles are found in the order of all values: on devices selections are faster than a sort.
template <class Exec>
bool are_sorted(const std::vector<double>& quantiles) {
  return !is_device<Exec> && !quantiles.empty();
}
/// A column of numbers in double without the missing ones, also in their order.
template <class Exec>
column_in<Exec> present_values(const std::string& label, const Exec& exec, const column_in<Exec>& column, bool sorted) {
  auto c = as_type(label, exec, column, column_type::float64);
  auto rest = new_values(exec, {}, column_type::float64, c.rows);
  const auto to = packed_of<double>(exec, rest);
  if (!sorted) {
    const std::int64_t missing = count_missing(label, exec, column);
    if (missing == 0) return c;
    rest.rows -= missing;
    compact(exec, packed_of<double>(exec, rest), view_of<double>(exec, c), is_there());
    return rest;
  }
  if constexpr (!is_device<Exec>) {  // NaN are last
    if (c.rows > 0) sort(exec, to, view_of<double>(exec, c));
    exec.fence(kernel_label(label));
    rest.rows = std::partition_point(to.data(), to.data() + c.rows, is_there()) - to.data();
  }
  return rest;
}
/// The least number, quantiles and the greatest one.
template <class Exec>
void order_statistics(const Exec& exec, const column_in<Exec>& c, const std::vector<double>& quantiles,
                      double* result) {
  const auto n = quantiles.size();
  if (!are_sorted<Exec>(quantiles)) {
    const auto x = view_of<double>(exec, c);
    result[0] = min(exec, x);
    if constexpr (is_device<Exec>)
      for (std::size_t k = 0; k < n; ++k) result[1 + k] = quantile(exec, x, quantiles[k]);
    result[1 + n] = max(exec, x);
  } else {
    const double* const sorted = data_of<double>(c);
    result[0] = sorted[0];
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = quantile_rule{quantiles[k]}.among(c.rows);
      result[1 + k] = between(sorted[at.first], sorted[at.second], at.fraction);
    }
    result[1 + n] = sorted[c.rows - 1];
  }
}
/// count, mean, std, min, quantiles and max of numbers.
template <class Exec>
std::vector<double> statistics(const std::string& label, const Exec& exec, const column_in<Exec>& column,
                               const std::vector<double>& quantiles) {
  const auto c = present_values(label, exec, column, are_sorted<Exec>(quantiles));
  std::vector<double> result(quantiles.size() + 5, std::numeric_limits<double>::quiet_NaN());
  result[0] = static_cast<double>(c.rows);
  if (c.rows == 0) return result;
  const auto [mean, variance] = mean_var(exec, view_of<double>(exec, c), ddof{1});
  result[1] = mean;
  if (c.rows > 1) result[2] = std::sqrt(variance);
  order_statistics(exec, c, quantiles, result.data() + 3);
  return result;
}

/// A text column of different texts.
template <class Exec>
column_in<Exec> column_of_texts(const Exec& exec, std::string name, const std::vector<std::string>& texts) {
  std::vector<std::string> sorted = texts;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> codes;
  for (const auto& text : texts)
    codes.push_back(static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), text) - sorted.begin()));
  return column_of_host(exec, std::move(name), column_type::text, codes.data(), codes.size(),
                        std::make_shared<const std::vector<std::string>>(std::move(sorted)));
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::describe(const std::vector<double>& quantiles) const {
  const std::string& label = label_text("quern::Table::describe");
  std::vector<std::string> rows = {"count", "mean", "std", "min"};
  for (const double q : quantiles) {
    if (!(q >= 0 && q <= 1)) throw Error(label, "a quantile is " + text_of(q) + ", expected 0 to 1");
    rows.push_back(percentage(q));
  }
  rows.emplace_back("max");
  check_distinct(label, rows);
  std::vector<column_data> result = {column_of_texts(exec_, "statistic", rows)};
  for (const auto& c : columns_) {
    if (!is_number(c.type)) continue;
    const auto values = statistics(label, exec_, c, quantiles);
    result.push_back(column_of_host(exec_, c.name, column_type::float64, values.data(), values.size()));
  }
  if (result.size() == 1) throw Error(label, "there is no column of numbers");
  const auto described = table_access<Exec>::make(exec_, std::move(result));
  check_distinct(label, described.names());
  return described;
}

#define QUERN_TABLE_DESCRIBE(E) template Table<E> Table<E>::describe(const std::vector<double>&) const;
QUERN_ON_ALL(QUERN_TABLE_DESCRIBE)

}  // namespace quern
