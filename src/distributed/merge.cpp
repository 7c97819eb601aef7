// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/merge.hpp>

#include "../table/merge_keys.hpp"
#include "table_rows.hpp"

namespace quern {
namespace impl {
namespace {

std::string text_of_names(const char* what, const column_names& names) {
  return names.empty() ? std::string() : what + in_quotes(std::vector<std::string>(names.begin(), names.end()));
}
std::string text_of_options(const merge_options& options) {
  constexpr const char* how[] = {"inner", "left", "right", "full", "semi", "anti"};
  return std::string(", ") + how[static_cast<int>(options.how)] + text_of_names(" on ", options.on) +
         text_of_names(" left_on ", options.left_on) + text_of_names(" right_on ", options.right_on) +
         " with suffixes " + in_quotes({options.suffixes.first, options.suffixes.second});
}

/// The rows of a table on the ranks of their keys, which are hashed as other types where a type is another.
template <class Exec>
Table<Exec> on_ranks_of_keys(const std::string& label, const Communicator& comm, const Table<Exec>& t,
                             const std::vector<std::string>& names, const std::vector<column_type>& types) {
  const auto all = with_categories_of_ranks(label, comm, t);
  auto keys = key_columns(label, all, names);
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = as_type(label, all.exec(), keys[k], types[k]);
  return moved_rows(label, comm, ranks_of_keys(label, all.exec(), comm, keys, missing_keys::meet), all);
}

/// A result whose columns have the types of those on all ranks: in double where values are missing on one.
template <class Exec>
Table<Exec> with_types_of_ranks(const std::string& label, const Communicator& comm, const Table<Exec>& t) {
  std::vector<column_in<Exec>> columns = columns_of(t);
  std::vector<column_type> mine, all(columns.size() * static_cast<std::size_t>(comm.size()));
  for (const auto& c : columns) mine.push_back(c.type);
  all_gather(comm, mine.data(), all.data(), static_cast<std::int64_t>(mine.size() * sizeof(column_type)));
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto& c = columns[k % columns.size()];
    if (all[k] == column_type::float64) c = as_type(label, t.exec(), c, column_type::float64);
  }
  return table_access<Exec>::make(t.exec(), std::move(columns));
}

}  // namespace
}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> distributed::merge(const Communicator& comm, const Table<Exec>& left, const Table<Exec>& right,
                               const merge_options& options) {
  const std::string& label = label_text("quern::distributed::merge");
  check_same(comm, label, "the calls",
             label + " of" + text_of_columns(left) + " and" + text_of_columns(right) + text_of_options(options));
  // What is wrong is the same on all ranks, and is found before anything moves.
  in_operation(label, [&] { left.head(0).merge(right.head(0), options); });
  if (comm.size() == 1) return in_operation(label, [&] { return left.merge(right, options); });
  const auto [left_on, right_on] = names_of_keys(label, options, left.names(), right.names());
  std::vector<column_type> types;
  for (std::size_t k = 0; k < left_on.size(); ++k)
    types.push_back(common_type(label, left_on[k], left.type(left_on[k]), right.type(right_on[k])));
  use_on(label, left.exec(), right);
  const bool needs_keys_alone = options.how == merge_how::semi || options.how == merge_how::anti;
  const auto own =
      table_access<Exec>::make(left.exec(), needs_keys_alone ? columns_of(right.select(right_on)) : columns_of(right));
  const auto rows = on_ranks_of_keys(label, comm, left, left_on, types),
             partners = on_ranks_of_keys(label, comm, own, right_on, types);
  const auto merged = succeed_together(comm, label, [&] { return rows.merge(partners, options); });
  return with_types_of_ranks(label, comm, merged);
}

#define QUERN_MERGE_OVER_RANKS(E) \
  template Table<E> distributed::merge(const Communicator&, const Table<E>&, const Table<E>&, const merge_options&);
QUERN_ON_ALL(QUERN_MERGE_OVER_RANKS)

}  // namespace quern
