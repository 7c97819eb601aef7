// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ORDER_GROUPS_HPP
#define QUERN_KEYED_ORDER_GROUPS_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/groups.hpp>
#include <quern/keyed/sort.hpp>

namespace quern::impl {

/// Writes what is known of group g.
struct describe_group {
  const std::uint32_t *starts, *order;
  std::int64_t rows, size;
  std::int64_t *offsets, *first, *counts;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    offsets[g] = g < size ? starts[g] : rows;
    if (g == size) return;
    counts[g] = (g + 1 < size ? starts[g + 1] : rows) - starts[g];
    first[g] = order[starts[g]];
  }
};
/// What is known of groups from where each and the next one begin; the one behind the last begins after all rows.
template <class Exec>
void describe_groups(const std::string& label, const Exec& exec, const std::uint32_t* starts,
                     const std::uint32_t* order, std::int64_t rows, std::int64_t size, std::int64_t* offsets,
                     std::int64_t* first, std::int64_t* counts) {
  Kokkos::parallel_for(kernel_label(label), index_range(exec, size + 1),
                       describe_group{starts, order, rows, size, offsets, first, counts});
}

/// Groups of up to 2^32 - 1 rows by sorting them, for many different keys. Waits.
template <class Exec, class T>
Groups<Exec> group_in_order(const std::string& label, const Exec& exec, const strided<const T>& keys) {
  const sort_lines lines = sort_lines::flat(keys.extents);
  const auto order = new_column<Exec, std::uint32_t>(exec, lines.n);
  const scratch_array<Exec, std::uint32_t> starts(exec, lines.n);
  lease<Exec> held(exec);
  auto* found = held.template result<std::int64_t>();
  const auto finish = [&]<class Key>(const strided<Key>& sorted, const auto& moved, const auto& row_of) {
    map_lines(label_text(label, "/order"), exec, lines.contiguous(order.data()), row_of, line_input(moved));
    for_selected(label_text(label, "/starts"), exec, lines.n, first_of_keys<Key>{sorted.data},
                 put_number<std::uint32_t>{{starts.data(), 1, lines.n}}, found);
  };
  sort_pairs<std::uint32_t, true>(label_text(label, "/sort"), exec, lines, keys, by_order<T>(), lines.positions(),
                                  finish);
  exec.fence(kernel_label(label, ": wait for the number of groups"));
  const std::int64_t size = *found, max_groups = std::numeric_limits<std::int32_t>::max();
  if (size > max_groups) throw CapacityError(label, "there are too many different keys", size, max_groups);
  const auto [first, counts, offsets] = new_columns(exec, size, size, size + 1);
  describe_groups(label_text(label, "/counts"), exec, starts.data(), order.data(), lines.n, size, offsets.data(),
                  first.data(), counts.data());
  return {order, offsets, first, counts};
}

}  // namespace quern::impl

#endif
