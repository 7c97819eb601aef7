// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <quern/distributed/migrate.hpp>

#include "table_rows.hpp"

namespace quern::impl {
namespace {

/// A column as a box of an exchange.
template <class Space>
peer_box column_box(const table_column<Space>& c) {
  peer_box box;
  box.data = static_cast<std::byte*>(const_cast<void*>(c.data));
  box.element = box.unit = bytes_of(c.type);
  box.extents = shape{c.rows};
  box.stride[0] = c.stride;
  return box;
}

/// f(destinations), which are of int32 or int64.
template <class Exec, class F>
auto with_destinations(const Exec& exec, const column_in<Exec>& destination, const F& f) {
  return destination.type == column_type::int32 ? f(view_of<std::int32_t>(exec, destination))
                                                : f(view_of<std::int64_t>(exec, destination));
}

}  // namespace

template <class Exec>
Table<Exec> moved_rows(const std::string& label, const Communicator& comm, const column_in<Exec>& destination,
                       const Table<Exec>& t) {
  const Exec& exec = t.exec();
  const row_counts counts = with_destinations(
      exec, destination, [&](const auto& ranks) { return count_destinations(exec, comm, label, ranks); });
  std::vector<std::int64_t> taken(static_cast<std::size_t>(comm.size()));
  all_to_all(comm, counts.sent.data(), taken.data());
  const std::int64_t total = std::accumulate(taken.begin(), taken.end(), std::int64_t{0});
  // Stable; those that are removed come first.
  const auto order = order_of(label, exec, {destination}, {sort_order::ascending});
  std::vector<column_in<Exec>> sorted, arrived;
  std::vector<peer_box> from, to;
  for (const auto& c : columns_of(t)) {
    sorted.push_back(
        gather_rows(label, exec, c, data_of<std::int64_t>(order) + counts.removed, destination.rows - counts.removed));
    arrived.push_back(new_values(exec, c.name, c.type, total, c.categories));
    from.push_back(column_box(sorted.back()));
    to.push_back(column_box(arrived.back()));
  }
  exchange_rows(exec, comm, label, from, counts.sent, to, taken);
  exec.fence(kernel_label(label));
  return table_access<Exec>::make(exec, std::move(arrived));
}

template <class Exec>
Table<Exec> migrate_table(const Communicator& comm, const column_in<Exec>& destination, const Table<Exec>& rows) {
  const std::string& label = label_text("quern::distributed::migrate");
  check_same(comm, label, "the calls", label + " of" + text_of_columns(rows));
  std::string problem;
  if (destination.rows != rows.rows())
    problem = "there are " + std::to_string(destination.rows) + " destinations, expected one for each of the " +
              std::to_string(rows.rows()) + " rows";
  else
    problem = with_destinations(rows.exec(), destination,
                                [&](const auto& ranks) { return problem_of_destinations(rows.exec(), comm, ranks); });
  throw_together(comm, label, problem);
  return moved_rows(label, comm, destination, with_categories_of_ranks(label, comm, rows));
}

#define QUERN_MIGRATE_TABLE(E)                                                                                 \
  template Table<E> moved_rows(const std::string&, const Communicator&, const column_in<E>&, const Table<E>&); \
  template Table<E> migrate_table(const Communicator&, const column_in<E>&, const Table<E>&);
QUERN_ON_ALL(QUERN_MIGRATE_TABLE)

}  // namespace quern::impl
