// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_MIGRATE_HPP
#define QUERN_DISTRIBUTED_MIGRATE_HPP

#include <numeric>
#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/views/copies.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern::impl {

/// to(i, j) = from(order(first + i), j)
template <class T>
struct rows_by_order {
  T* to;
  const T* from;
  const std::int64_t* order;
  std::int64_t columns, to_row, to_column, from_row, from_column;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t i = item / columns, j = item - i * columns;
    to[i * to_row + j * to_column] = from[order[i] * from_row + j * from_column];
  }
};

/// Whether the rows of a View can be moved; the number of elements of a row may be one of its type.
template <class V>
inline constexpr bool is_column = (V::rank() == 1 || V::rank() == 2) && V::rank_dynamic() > 0;
template <class V>
constexpr void check_column() {
  constexpr bool has_rank = V::rank() == 1 || V::rank() == 2;
  static_assert(has_rank, "quern::distributed::migrate: columns must have rank 1 or 2");
  static_assert(!has_rank || is_column<V>,
                "quern::distributed::migrate: the number of rows, which changes, must not be one of a column's type");
}

/// A column of rows with as many elements each as another has.
template <class V, class Exec>
auto column_like(const Exec& exec, const V& v, std::int64_t rows) {
  using column = managed_in<V, typename V::memory_space>;
  if constexpr (column::rank_dynamic() == 1) return pool_view<column>(exec, rows);
  else return pool_view<column>(exec, rows, v.extent(1));
}

/// The rows in the order of their destinations.
template <class Exec, class V>
auto rows_in_order(const Exec& exec, const V& v, const std::int64_t* order, std::int64_t rows) {
  const auto sorted = column_like(exec, v, rows);
  const auto from = describe(v.data(), v);
  const auto to = describe(sorted.data(), sorted);
  const std::int64_t columns = V::rank() == 1 ? 1 : from.extents.extent[1];
  Kokkos::parallel_for(kernel_label("quern::distributed::migrate/pack"),
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * columns),
                       rows_by_order<typename V::non_const_value_type>{to.data, from.data, order, columns, to.stride[0],
                                                                       to.stride[1], from.stride[0], from.stride[1]});
  return sorted;
}

/// A column in the message of calls that differ between ranks.
template <class V>
std::string text_of_column(const V& v) {
  return " " + type_text<value_of<V>>() + (V::rank() == 2 ? " x " + std::to_string(v.extent(1)) : "");
}

/// What is wrong with destinations; nothing if all are ranks or -1. Waits.
template <class Exec, class Destination>
std::string problem_of_destinations(const Exec& exec, const Communicator& comm, const Destination& destination) {
  if (destination.extent(0) == 0) return "";
  const auto [least, greatest] = quern::minmax(exec, destination);
  const auto wrong = least < -1 ? static_cast<std::int64_t>(least) : static_cast<std::int64_t>(greatest);
  if (least >= -1 && static_cast<std::int64_t>(greatest) < comm.size()) return "";
  return "a destination is " + std::to_string(wrong) + ", expected -1 to " + std::to_string(comm.size() - 1);
}
/// How many rows a rank sends to each rank, and how many it removes.
struct row_counts {
  std::vector<std::int64_t> sent;
  std::int64_t removed;
};
template <class Exec, class Destination>
row_counts count_destinations(const Exec& exec, const Communicator& comm, const std::string& label,
                              const Destination& destination) {
  const auto counts = pool_view<Kokkos::View<std::int64_t*, typename Exec::memory_space>>(exec, comm.size());
  quern::bincount(exec, counts, destination);
  row_counts result{std::vector<std::int64_t>(comm.size()), static_cast<std::int64_t>(destination.extent(0))};
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> on_host(
      result.sent.data(), comm.size());
  quern::copy(exec, on_host, counts);
  exec.fence(kernel_label(label));
  for (const std::int64_t c : result.sent) result.removed -= c;
  return result;
}

/// `migrate` of Views.
template <class Exec, class Destination, class... Column>
auto move_rows(const Exec& exec, const Communicator& comm, const Destination& destination, const Column&... columns) {
  const std::string& label = label_text("quern::distributed::migrate");
  static_assert(std::is_integral_v<value_of<Destination>> && std::is_signed_v<value_of<Destination>>,
                "quern::distributed::migrate: destinations must be signed integers");
  if (comm.checks_calls()) check_same(comm, label, "the calls", ((label + " of") + ... + text_of_column(columns)));
  const auto n = static_cast<std::int64_t>(destination.extent(0));
  std::string problem;
  std::size_t number = 0;
  const auto check = [&](const auto& c) {
    ++number;
    if (static_cast<std::int64_t>(c.extent(0)) != n && problem.empty())
      problem = "column " + std::to_string(number) + " has " + std::to_string(c.extent(0)) + " rows, expected " +
                std::to_string(n) + " as there are destinations";
  };
  (check(columns), ...);
  if (problem.empty()) problem = problem_of_destinations(exec, comm, destination);
  throw_together(comm, label, problem);
  const row_counts counts = count_destinations(exec, comm, label, destination);
  std::vector<std::int64_t> taken(comm.size());
  all_to_all(comm, counts.sent.data(), taken.data());
  const auto order = pool_view<Kokkos::View<std::int64_t*, typename Exec::memory_space>>(exec, n);
  quern::argsort(exec, order, destination);  // stable; those that are removed come first
  const std::int64_t remaining = n - counts.removed;
  const auto sorted = std::tuple(rows_in_order(exec, columns, order.data() + counts.removed, remaining)...);
  const std::int64_t total = std::accumulate(taken.begin(), taken.end(), std::int64_t{0});
  const auto arrived = std::tuple(column_like(exec, columns, total)...);
  exchange_rows(exec, comm, label, sorted, counts.sent, arrived, taken);
  exec.fence(kernel_label(label));
  return arrived;
}

}  // namespace quern::impl

namespace quern::distributed {

/// Moves rows of several columns to the ranks that own them:
///
/// @code
/// quern::map(exec, destination, quern::distributed::owner_of(cut, origin, spacing), x, y, z);
/// std::tie(x, y, z, id) = quern::distributed::migrate(exec, comm, destination, x, y, z, id);
/// @endcode
///
/// @param destination the rank of each row, an integer; or -1, with which a row is removed
/// @param columns     Kokkos::Views of rank 1, or of rank 2 with several elements a row, `v` or `quern::rows<k>(v)`,
///                    each with one row for each destination, in memory that `exec` reaches. The number of elements
///                    may be one of the type, as in `View<double*[3]>`, which the new columns have then, too
/// @return a tuple of new columns from the pool of their memory space (`quern::pool_view`), in the layout of the old
///         ones (LayoutRight for strided ones): first the rows of rank 0, then those of rank 1, and so on, each in the
///         order that they had there
///
/// The counts go first, then all columns for one rank in one message. Needs memory for three copies of the rows.
/// Collective; waits.
/// @throws Error, the same on every rank, if a destination is out of range or a column has another number of rows
template <execution_space Exec, view_like Destination, stored_array... Column>
auto migrate(const Exec& exec, const Communicator& comm, const Destination& destination, const Column&... columns) {
  (impl::check_column<std::remove_cvref_t<decltype(impl::view_of(columns))>>(), ...);
  if constexpr ((impl::is_column<std::remove_cvref_t<decltype(impl::view_of(columns))>> && ...))
    return impl::move_rows(exec, comm, destination, impl::view_of(columns)...);
  else return std::tuple(columns...);
}

template <view_like Destination, stored_array... Column>
auto migrate(const Communicator& comm, const Destination& destination, const Column&... columns) {
  return migrate(quern::impl::space_of(destination), comm, destination, columns...);
}
QUERN_TAKES_NAME(migrate)

/// The rank whose block holds a position, as a functor for kernels and `quern::map`: cell i of an axis reaches from
/// `origin + i * spacing` to before the next. Positions outside of the array, and NaN, have no owner: -1.
class owner_of {
 public:
  /// @param origin, spacing one number for each axis of the decomposition, of rank 1 to 3
  /// @throws Error if their number is not the rank, or a spacing is not positive
  owner_of(const Decomposition& d, const std::vector<double>& origin, const std::vector<double>& spacing)
      : rank_(d.extents().rank) {
    const auto axes = static_cast<std::size_t>(rank_);
    if (axes > 3 || origin.size() != axes || spacing.size() != axes)
      throw Error("quern::distributed::owner_of", "origin and spacing have " + std::to_string(origin.size()) + " and " +
                                                      std::to_string(spacing.size()) + " numbers for extents " +
                                                      d.extents().str() + ", expected one for each of up to 3 axes");
    for (int a = 0; a < rank_; ++a) {
      if (!(spacing[a] > 0)) throw Error("quern::distributed::owner_of", "a spacing is not positive");
      axis_[a] = {origin[a], spacing[a], d.extents().extent[a], d.grid(a)};
    }
  }

  template <class... X>
  KOKKOS_FUNCTION int operator()(const X&... x) const {
    const double position[] = {static_cast<double>(x)...};
    int rank = 0;
    for (int a = 0; a < rank_; ++a) {
      const double cell = Kokkos::floor((position[a] - axis_[a].origin) / axis_[a].spacing);
      if (!(cell >= 0 && cell < static_cast<double>(axis_[a].cells))) return -1;
      rank = rank * axis_[a].ranks +
             static_cast<int>(impl::block_of_cell(axis_[a].cells, axis_[a].ranks, static_cast<std::int64_t>(cell)));
    }
    return rank;
  }

 private:
  struct axis_of_grid {
    double origin, spacing;
    std::int64_t cells;
    int ranks;
  };
  int rank_;
  axis_of_grid axis_[3] = {};
};

}  // namespace quern::distributed

#endif
