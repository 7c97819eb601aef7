// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_HOST_COLUMNS_HPP
#define QUERN_SRC_TABLE_HOST_COLUMNS_HPP

/// @file
/// Columns of tables as the host reads and writes them: for files and other libraries.

#include <algorithm>

#include "columns.hpp"
#include "host_column.hpp"

namespace quern::impl {

template <class Exec>
inline constexpr bool is_on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// The columns of a table on the host, packed: in their own memory where that is the host's. Waits.
template <class Exec>
std::vector<host_column> host_columns_of(const std::string& label, const Table<Exec>& table) {
  const Exec& exec = table.exec();
  std::vector<host_column> result;
  for (const auto& c : columns_of(table)) {
    const auto packed = std::make_shared<column_in<Exec>>(c.stride == 1 ? c : converted(label, exec, c, c.type));
    result.push_back({c.name, c.type, packed->data, c.rows, c.categories, packed});
    if constexpr (!is_on_host<Exec>)
      with_element(c.type, [&]<class T>(T) {
        const auto n = static_cast<std::size_t>(c.rows);
        const auto copy = std::make_shared<pool_block<Kokkos::HostSpace>>(
            take_block<Kokkos::HostSpace>(instance_ref(Kokkos::DefaultHostExecutionSpace()), n * sizeof(T)));
        Kokkos::deep_copy(exec, on_host_view(reinterpret_cast<T*>(copy->data()), n), packed_of<T>(exec, *packed));
        result.back().data = copy->data();
        result.back().owner = copy;
      });
  }
  exec.fence(kernel_label(label));
  return result;
}

/// Memory of the host in which columns of a table are made.
template <class Exec>
class host_memory {
 public:
  /// The host writes memory of the pool that what was launched before may still use: waits.
  host_memory(const std::string& label, const Exec& exec) : exec_(exec) {
    exec.fence(kernel_label(label, ": wait for memory"));
  }
  std::byte* take(std::size_t bytes) {
    if constexpr (is_on_host<Exec>) blocks_.push_back(take_block<Kokkos::HostSpace>(instance_ref(exec_), bytes));
    else blocks_.push_back(take_block<Kokkos::HostSpace>(instance_ref(Kokkos::DefaultHostExecutionSpace()), bytes));
    return blocks_.back().data();
  }
  /// A column of what is in that memory, or in other memory of the host that `owner` keeps.
  column_in<Exec> column(std::string name, column_type type, const void* data, std::int64_t rows,
                         categories_ptr categories, const pool_block<Kokkos::HostSpace>& owner = {}) const {
    if constexpr (is_on_host<Exec>) {
      const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.data() == data; });
      return {std::move(name), type, found == blocks_.end() ? owner : *found, data, rows, 1, std::move(categories)};
    } else {
      return with_element(type, [&]<class T>(T) {
        return column_of_host(exec_, std::move(name), type, static_cast<const T*>(data), static_cast<std::size_t>(rows),
                              std::move(categories));
      });
    }
  }

 private:
  Exec exec_;
  std::vector<pool_block<Kokkos::HostSpace>> blocks_;
};

}  // namespace quern::impl

#endif
