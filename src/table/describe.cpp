// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <quern/keyed/compact.hpp>
#include <quern/reduce/quantile.hpp>
#include <quern/reduce/reduce.hpp>

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

/// count, mean, std, min, quantiles and max of numbers.
template <class Exec>
std::vector<double> statistics(const std::string& label, const Exec& exec, const column_in<Exec>& column,
                               const std::vector<double>& quantiles) {
  auto c = as_type(label, exec, column, column_type::float64);
  const std::int64_t missing = count_missing(label, exec, column);
  if (missing > 0) {
    const auto rest = new_values(exec, {}, column_type::float64, c.rows - missing);
    compact(exec, packed_of<double>(exec, rest), view_of<double>(exec, c), is_there());
    c = rest;
  }
  std::vector<double> result(quantiles.size() + 5, std::numeric_limits<double>::quiet_NaN());
  result[0] = static_cast<double>(c.rows);
  if (c.rows == 0) return result;
  const auto x = view_of<double>(exec, c);
  const auto [mean, variance] = mean_var(exec, x, ddof{1});
  result[1] = mean;
  if (c.rows > 1) result[2] = std::sqrt(variance);
  result[3] = min(exec, x);
  for (std::size_t k = 0; k < quantiles.size(); ++k) result[4 + k] = quantile(exec, x, quantiles[k]);
  result.back() = max(exec, x);
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
  return table_access<Exec>::make(exec_, std::move(result));
}

#define QUERN_TABLE_DESCRIBE(E) template Table<E> Table<E>::describe(const std::vector<double>&) const;
QUERN_ON_ALL(QUERN_TABLE_DESCRIBE)

}  // namespace quern
