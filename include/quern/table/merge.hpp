// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_MERGE_HPP
#define QUERN_TABLE_MERGE_HPP

#include <limits>
#include <quern/keyed/asof_options.hpp>
#include <quern/table/column.hpp>

namespace quern {

/// Which rows `Table::merge` makes of two tables.
///
/// | how | rows |
/// | --- | --- |
/// | `inner` | all pairs of rows with equal keys |
/// | `left` | the same, and the left rows without a partner |
/// | `right` | the pairs, and the right rows without a partner |
/// | `full` | the pairs, and the rows of either side without a partner, in the order of the keys (pandas' `outer`) |
/// | `semi`, `anti` | the left rows with a partner, or without one, once each, and the columns of the left table |
///
/// Pairs are in the order of the left rows, and those of one left row in that of the right ones; of `right` it is the
/// other way round.
enum class merge_how : std::uint8_t { inner, left, right, full, semi, anti };

/// How `Table::merge` does it, with designated initializers: `{.on = "id", .how = merge_how::left}`.
struct merge_options {
  using option_of = impl::any_place;

  column_names on{};                   ///< the keys; empty: the names that both tables have
  column_names left_on{}, right_on{};  ///< in place of `on`: the keys by their names in each table
  merge_how how = merge_how::inner;
  /// What is put behind the names of columns that both tables have and that are no keys.
  std::pair<std::string, std::string> suffixes{"_x", "_y"};
};

/// How `Table::merge_asof` does it: `{.on = "time", .by = "sensor", .tolerance = 0.5}`.
struct merge_asof_options {
  using option_of = impl::any_place;

  std::string on{};                   ///< the key, a column of numbers
  std::string left_on{}, right_on{};  ///< in place of `on`: the key by its name in each table
  column_names by{};                  ///< columns of both tables that must be equal
  asof_direction direction = asof_direction::backward;
  bool allow_exact_matches = true;                             ///< whether equal keys match
  double tolerance = std::numeric_limits<double>::infinity();  ///< the greatest distance of keys that match
  /// As of `merge_options`.
  std::pair<std::string, std::string> suffixes{"_x", "_y"};
};

}  // namespace quern

#endif
