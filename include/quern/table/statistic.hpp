// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_STATISTIC_HPP
#define QUERN_TABLE_STATISTIC_HPP

#include <quern/table/column.hpp>

namespace quern {

/// What `TableGroups::aggregate` computes of a column's values in each group. Missing values take no part, except in
/// `size`.
///
/// | statistic | value | where all are missing |
/// | --- | --- | --- |
/// | `sum` | in double, of integers and bools in int64 | 0 |
/// | `mean`, `median` | in double | NaN |
/// | `var`, `stddev` | in double, divided by count - 1 | NaN, as of one value |
/// | `min`, `max`, `first`, `last` | of the column's type | missing |
/// | `count` | how many values are not missing, in int64 | 0 |
/// | `size` | how many rows there are, in int64 | |
///
/// Text columns have `min` to `last`, in the order of their texts, `count` and `size`.
enum class statistic : std::uint8_t { sum, mean, median, var, stddev, min, max, first, last, count, size };
/// As the enumerator; `std` for `stddev`.
std::string_view name_of(statistic s);

/// A column of `TableGroups::aggregate`: its name, of which column, and what.
struct aggregation {
  std::string name, column;
  statistic what;

  aggregation(std::string name_of_result, std::string of_column, statistic s)
      : name(std::move(name_of_result)), column(std::move(of_column)), what(s) {}
  /// Named as `mass_sum`.
  aggregation(const std::string& of_column, statistic s)
      : aggregation(of_column + "_" + std::string(name_of(s)), of_column, s) {}
};

}  // namespace quern

#endif
