// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ORDER_GROUPS_HPP
#define QUERN_KEYED_ORDER_GROUPS_HPP

#include <quern/keyed/compact.hpp>
#include <quern/keyed/groups.hpp>
#include <quern/keyed/sort.hpp>

namespace quern::impl {

struct put_start {
  std::uint32_t* starts;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const { starts[k] = static_cast<std::uint32_t>(i); }
};

/// What is known of a group from where it and the next one begin; the one behind the last begins after all rows.
struct describe_group {
  const std::uint32_t* starts;
  const std::uint32_t* order;
  std::int64_t rows, size;
  std::int64_t *offsets, *first, *counts;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    offsets[g] = g < size ? starts[g] : rows;
    if (g == size) return;
    counts[g] = (g + 1 < size ? starts[g + 1] : rows) - starts[g];
    first[g] = order[starts[g]];
  }
};

/// Groups of up to 2^32 - 1 rows by sorting them, for many different keys. Waits.
template <class Exec, class T>
Groups<Exec> group_in_order(const std::string& label, const Exec& exec, const strided<const T>& keys) {
  const sort_lines lines = sort_lines::flat(keys.extents);
  const auto order = new_column<Exec, std::uint32_t>(exec, label + "/order", lines.n);
  const scratch_array<Exec, std::uint32_t> starts(exec, lines.n);
  lease<Exec> held(exec);
  auto* found = held.template result<std::int64_t>();
  const auto finish = [&](const auto& sorted, const auto& moved, const auto& row_of) {
    using sorted_type = typename std::remove_cvref_t<decltype(sorted)>::value_type;
    map_lines(label + "/order", exec, lines.contiguous(order.data()), row_of, line_input(moved));
    for_kept(label + "/starts", exec, lines.n, first_of_keys<sorted_type>{sorted.data}, put_start{starts.data()},
             found);
  };
  sort_pairs<std::uint32_t, true>(label + "/sort", exec, lines, keys, by_order<T>(), lines.positions(), finish);
  exec.fence(label + ": wait for the number of groups");
  const std::int64_t size = *found, most = std::numeric_limits<std::int32_t>::max();
  if (size > most) throw CapacityError(label, "there are too many different keys", size, most);
  const auto [first, counts, offsets] = new_columns(exec, label + "/groups", size, size, size + 1);
  Kokkos::parallel_for(
      label + "/counts", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size + 1),
      describe_group{starts.data(), order.data(), lines.n, size, offsets.data(), first.data(), counts.data()});
  return {order, offsets, first, counts};
}

}  // namespace quern::impl

#endif
