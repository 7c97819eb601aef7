// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_PIVOT_HPP
#define QUERN_TABLE_PIVOT_HPP

#include <quern/table/statistic.hpp>

namespace quern {

/// How `Table::pivot` does it: `{.index = "time", .columns = "sensor", .values = "u", .aggregate = statistic::max}`.
struct pivot_options {
  using option_of = impl::any_place;

  column_names index{};                   ///< the keys of the rows
  std::string columns{};                  ///< the key of the columns
  std::string values{};                   ///< what is aggregated
  statistic aggregate = statistic::mean;  ///< of the rows with equal keys
};

}  // namespace quern

#endif
