// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_MIGRATE_TABLE_HPP
#define QUERN_DISTRIBUTED_MIGRATE_TABLE_HPP

#include <quern/distributed/communicator.hpp>
#include <quern/table/table.hpp>

namespace quern {
namespace impl {

/// `migrate` of a table; of destinations in int32 or int64.
template <class Exec>
Table<Exec> migrate_table(const Communicator& comm, const table_column<typename Exec::memory_space>& destination,
                          const Table<Exec>& rows);

}  // namespace impl

namespace distributed {

/// Moves the rows of a table, of which each rank has some, to the ranks that own them.
///
/// @code
/// const auto mine = quern::distributed::migrate(comm, destination, part);
/// @endcode
///
/// @param destination the rank of each row, a View of `std::int32_t` or `std::int64_t`; or -1, with which a row is
///                    removed
/// @param rows        of columns of the same names and types in the same order on all ranks, of any number of rows
/// @return a new table: first the rows of rank 0, then those of rank 1, and so on, each in the order that they had
/// there
///
/// Text columns have the categories of all ranks, the same on each. The counts go first, then all columns for one rank
/// in one message. Needs memory for three copies of the rows. Collective; runs on the table's instance and waits.
/// @throws Error, the same on every rank, if the columns differ between ranks, a destination is out of range, or there
/// is not one for each row
template <execution_space Exec, class Destination>
  requires(Kokkos::is_view_v<Destination>)
Table<Exec> migrate(const Communicator& comm, const Destination& destination, const Table<Exec>& rows) {
  using T = typename Destination::non_const_value_type;
  static_assert(std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>,
                "quern::distributed::migrate: destinations of a table's rows are std::int32_t or std::int64_t");
  static_assert(Destination::rank() == 1, "quern::distributed::migrate: destinations are a View of rank 1");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Destination::memory_space>::accessible,
                "quern::distributed::migrate: the execution space of the table cannot reach the destinations");
  record_use(destination, rows.exec());
  return impl::migrate_table(
      comm, impl::column_of_view<typename Exec::memory_space>("destination", impl::type_of_column<T>(), destination),
      rows);
}

}  // namespace distributed
}  // namespace quern

#endif
