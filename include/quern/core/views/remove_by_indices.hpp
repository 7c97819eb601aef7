// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_REMOVE_BY_INDICES_HPP
#define QUERN_CORE_VIEWS_REMOVE_BY_INDICES_HPP

/// @file
/// `remove_at` with several indices: how many are different is known when they are read, as the counts of `repeat` are.

#include <quern/core/views/check_indices.hpp>
#include <quern/core/views/repeat_by_counts.hpp>

namespace quern {
namespace impl {

/// Writes that an element stands once.
struct mark_left {
  std::int32_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { counts[k] = 1; }
};
/// Writes that an element stands no more. Some are named several times.
template <class I>
struct mark_removed {
  take_map<row_of_indices<I>> map;
  std::int32_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { Kokkos::atomic_store(counts + map(k), 0); }
};

/// The positions of n elements without those at the indices. Waits.
template <class Exec, class Indices>
auto positions_left(const std::string& label, const Exec& exec, const Indices& indices, std::int64_t n) {
  static_assert(view_traits<Indices>::template accessible<Exec>,
                "quern::remove_at: indices are not accessible from the execution space");
  const auto at = describe(indices);
  if (at.extents.rank != 1) reject_extents(label, "indices", at.extents, "rank 1");
  const std::int64_t count = at.extents.extent[0];
  using index = std::remove_const_t<std::remove_pointer_t<decltype(at.data)>>;
  const take_map<row_of_indices<index>> map{{at.data, at.stride[0]}, count, n, index_mode::raise};
  search_indices(exec, label, map, count, n);
  const Kokkos::View<std::int32_t*, typename Exec::memory_space> counts(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::remove_at"), static_cast<std::size_t>(n));
  Kokkos::parallel_for(kernel_label(label, "/elements"), index_range(exec, n), mark_left{counts.data()});
  Kokkos::parallel_for(kernel_label(label, "/removed"), index_range(exec, count),
                       mark_removed<index>{map, counts.data()});
  return repeated_positions(label, exec, counts, n);
}
template <class Indices>
constexpr bool are_removed_indices() {
  constexpr bool fits = is_integer<value_of<Indices>> && !dual_view<Indices> && may_have_rank<Indices, 1, 1>;
  static_assert(fits, "quern::remove_at: indices must be a View of integers of rank 1");
  return fits;
}

}  // namespace impl

/// Without the elements at several indices along an axis (NumPy's `delete` of a list): `remove_at(x, indices,
/// axis{0})`. `indices` is a View of integers of rank 1, in any order; those from -n on count from the end of n
/// elements, and one that is named twice is removed once.
///
/// The extent of the result is known when the indices are read: that is done here, by kernels on `exec`, and this call
/// waits for it. Later changes of the indices have no effect. Positions of the elements that are left take 8 bytes
/// each.
/// @throws Error if the axis is out of range; ElementError with the position of the first index that is out of range
template <execution_space Exec, impl::reindexed_operand V, view_like Indices>
auto remove_at(const Exec& exec, const V& x, const Indices& indices, const axis& along) {
  if constexpr (impl::are_removed_indices<Indices>() && impl::can_reindex<V, impl::reindexing::by_map>()) {
    const std::string label = "quern::remove_at";
    const shape own = impl::operand_extents(label, x);
    const int d = impl::axis_number(label, along.number[0], own.rank);
    const auto positions = impl::positions_left(label, exec, indices, own.extent[d]);
    return impl::each_array(label, x, [&](const auto& a) { return impl::at_positions(label, a, positions, d); });
  }
}
template <impl::reindexed_operand V, view_like Indices>
auto remove_at(const V& x, const Indices& indices, const axis& along) {
  return remove_at(impl::space_of(indices), x, indices, along);
}
QUERN_TAKES_NAME(remove_at)

}  // namespace quern

#endif
