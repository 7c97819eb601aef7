// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_GROUPS_HPP
#define QUERN_SRC_TABLE_GROUPS_HPP

#include <optional>
#include <quern/keyed/groups.hpp>
#include <quern/table/groups.hpp>

#include "columns.hpp"

namespace quern::impl {

/// Groups of all rows, also of those of which a key is missing.
template <class Exec>
struct grouped_rows {
  Groups<Exec> by;
  std::optional<column_in<Exec>> present;  // the numbers of the groups whose keys are there, unless all are
};

/// The groups of columns of keys.
template <class Exec>
Groups<Exec> groups_of(const std::string& label, const Exec& exec, const std::vector<column_in<Exec>>& keys);

/// The numbers of the rows where no column of packed values is missing; nothing if that is all of them. Waits.
template <class Exec>
std::optional<column_in<Exec>> rows_without_missing(const std::string& label, const Exec& exec,
                                                    const std::vector<column_in<Exec>>& columns);

/// @throws Error if a column of texts has no such statistic
template <class Space>
void check_statistic(const std::string& label, const table_column<Space>& c, statistic what) {
  if (c.type == column_type::text && what <= statistic::stddev)
    throw Error(label, "the column " + in_quotes(c.name) + " holds text, which has no " + std::string(name_of(what)));
}

/// A statistic of each group.
template <class Exec>
class group_statistics {
 public:
  group_statistics(const std::string& label, const Exec& exec, const Groups<Exec>& all, column_in<Exec> column);
  column_in<Exec> compute(const std::string& name, statistic what) const;

 private:
  column_in<Exec> sum() const;
  column_in<Exec> mean() const;
  column_in<Exec> variance(bool root) const;
  column_in<Exec> median() const;
  column_in<Exec> extremum(bool smallest) const;
  column_in<Exec> at_end(bool first) const;
  column_in<Exec> counts_of(const Groups<Exec>& by) const;
  column_in<Exec> in_double() const { return as_type(label_, exec_, column_, column_type::float64); }
  column_in<Exec> results(column_type type) const { return new_values(exec_, {}, type, all_.size()); }

  const std::string& label_;
  Exec exec_;
  column_in<Exec> column_;
  std::int64_t missing_;
  Groups<Exec> all_, there_;  // of all rows, and of those whose value is not missing
};

}  // namespace quern::impl

#endif
