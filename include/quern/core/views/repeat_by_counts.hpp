// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_REPEAT_BY_COUNTS_HPP
#define QUERN_CORE_VIEWS_REPEAT_BY_COUNTS_HPP

/// @file
/// `repeat` with a count for each element. The extents of the result are the sum of the counts, so that they are read
/// when the operand is made; it then reads elements by indices, as `take` does.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/views/index_operands.hpp>

namespace quern {
namespace impl {

/// The sum of counts, the largest number where it is more, and the position of the first negative count.
struct total_of_counts {
  std::int64_t sum, first_negative;
  KOKKOS_FUNCTION void join(const total_of_counts& other) {
    sum = other.sum > largest_index - sum ? largest_index : sum + other.sum;
    if (other.first_negative < first_negative) first_negative = other.first_negative;
  }
};
template <class I>
struct add_up_counts {
  using value_type = total_of_counts;
  row_of_indices<I> counts;
  KOKKOS_FUNCTION void init(total_of_counts& t) const { t = {0, largest_index}; }
  KOKKOS_FUNCTION void join(total_of_counts& t, const total_of_counts& other) const { t.join(other); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, total_of_counts& t) const {
    const std::int64_t c = index_number(counts.load(i));
    t.join(c < 0 ? total_of_counts{0, i} : total_of_counts{c, largest_index});
  }
};

/// Where the repetitions of each element end.
template <class I>
struct ends_of_repetitions {
  using value_type = std::int64_t;
  row_of_indices<I> counts;
  std::int64_t* ends;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool is_final) const {
    sum += index_number(counts.load(i));
    if (is_final) ends[i] = sum;
  }
};
/// Which element stands at a place: the first whose repetitions end behind it. A search for each place, since one count
/// may be most of them.
struct element_at_position {
  const std::int64_t* ends;
  std::int64_t n;
  std::int64_t* positions;
  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    std::int64_t low = 0, high = n - 1;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (ends[middle] > position) high = middle;
      else low = middle + 1;
    }
    positions[position] = low;
  }
};

void check_counts(const std::string& label, const shape& counts, std::int64_t n);
[[noreturn]] void reject_count(const std::string& label, std::int64_t position);

/// The positions of n elements, each as often as its count says. Waits.
template <class Exec, class Counts>
auto repeated_positions(const std::string& label, const Exec& exec, const Counts& counts, std::int64_t n) {
  static_assert(view_traits<Counts>::template accessible<Exec>,
                "quern::repeat: counts are not accessible from the execution space");
  const auto at = describe(counts);
  check_counts(label, at.extents, n);
  using index = std::remove_const_t<std::remove_pointer_t<decltype(at.data)>>;
  const row_of_indices<index> in_order{at.data, at.extents.extent[0] == 1 ? 0 : at.stride[0]};
  total_of_counts total{0, largest_index};
  Kokkos::parallel_reduce(kernel_label(label, "/counts"), index_range(exec, n), add_up_counts<index>{in_order}, total);
  if (total.first_negative != largest_index) reject_count(label, total.first_negative);
  bytes_of_array(label, {total.sum}, sizeof(std::int64_t));
  using numbers = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  const auto make = [&](std::int64_t size) {
    return numbers(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::repeat"),
                   static_cast<std::size_t>(size));
  };
  const numbers ends = make(n), positions = make(total.sum);
  Kokkos::parallel_scan(kernel_label(label, "/ends"), index_range(exec, n),
                        ends_of_repetitions<index>{in_order, ends.data()});
  Kokkos::parallel_for(kernel_label(label, "/positions"), index_range(exec, total.sum),
                       element_at_position{ends.data(), n, positions.data()});
  exec.fence(kernel_label(label));
  return positions;
}
/// An array at such positions along an axis.
template <class A, class Positions>
auto at_positions(const std::string& label, const A& a, const Positions& positions, int axis) {
  return take_axis<1>(label, a, describe(positions), index_mode::clip, nullptr, axis, positions);
}
template <class Counts>
constexpr bool are_counts() {
  constexpr bool integers = is_integer<value_of<Counts>> && !dual_view<Counts>, line = may_have_rank<Counts, 1, 1>;
  static_assert(integers, "quern::repeat: counts must be a View of integers");
  static_assert(line, "quern::repeat: counts must have rank 1");
  return integers && line;
}

}  // namespace impl

/// Each element as often as its count says, one after the other, along an axis (NumPy's `repeat`): `repeat(x, counts,
/// axis{0})`. `counts` is a View of rank 1 of integers, one for each index along the axis, or one for all.
///
/// The extent of the result is the sum of the counts: they are read here, by kernels on `exec`, and this call waits for
/// it. Later changes of the counts have no effect. The positions of the repeated elements take 8 bytes each.
/// @throws Error if the number of counts is not the extent of the axis; ElementError if a count is negative
template <execution_space Exec, impl::reindexed_operand V, view_like Counts>
auto repeat(const Exec& exec, const V& x, const Counts& counts, const axis& along) {
  if constexpr (impl::are_counts<Counts>() && impl::can_reindex<V, impl::reindexing::by_map>()) {
    const std::string label = "quern::repeat";
    const shape own = impl::operand_extents(label, x);
    const int d = impl::axis_number(label, along.number[0], own.rank);
    const auto positions = impl::repeated_positions(label, exec, counts, own.extent[d]);
    return impl::each_array(label, x, [&](const auto& a) { return impl::at_positions(label, a, positions, d); });
  }
}
template <impl::reindexed_operand V, view_like Counts>
auto repeat(const V& x, const Counts& counts, const axis& along) {
  return repeat(impl::space_of(counts), x, counts, along);
}
/// Of all elements in row-major order, of rank 1.
template <execution_space Exec, impl::reindexed_operand V, view_like Counts>
auto repeat(const Exec& exec, const V& x, const Counts& counts) {
  if constexpr (impl::are_counts<Counts>() && impl::can_reindex<V, impl::reindexing::by_map>()) {
    const std::string label = "quern::repeat";
    const auto positions = impl::repeated_positions(label, exec, counts, impl::operand_extents(label, x).size());
    return impl::each_array(label, x,
                            [&](const auto& a) { return impl::at_positions(label, impl::line_of(a), positions, 0); });
  }
}
template <impl::reindexed_operand V, view_like Counts>
auto repeat(const V& x, const Counts& counts) {
  return repeat(impl::space_of(counts), x, counts);
}
QUERN_TAKES_NAME(repeat)

}  // namespace quern

#endif
