// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_SCAN_HPP
#define QUERN_DISTRIBUTED_SCAN_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/map/map.hpp>
#include <quern/scan/carries.hpp>
#include <quern/scan/scan.hpp>

namespace quern::impl {

/// What comes before on a line, of two adjacent groups of ranks.
template <class Carry>
struct join_carries {
  using state = carried<typename Carry::type>;
  Carry carry;
  KOKKOS_FUNCTION void operator()(state& lower, const state& upper) const {
    lower = carry.next(lower, carry.result({carry.start().value, upper.error}, upper.value));
  }
};

/// Scans along an axis of DistributedViews: each rank scans its block, and then joins it to what the blocks before it
/// sum up to, with the rounding errors of their sums. Collective; waits.
template <>
struct engine<over_ranks_place, scans> : compared_calls {
  template <class Scan, class Exec, class Out, class In, class... Options>
  static void run(const Scan& scan, const Exec& exec, const Out& out, const In& in, const Options&... options) {
    check_place_options<Options...>();
    static_assert(distributed_like<Out>, "quern: out of a scan over ranks must be a DistributedView");
    const auto carry = carry_of(scan.reducer);
    constexpr bool carries = !std::is_same_v<std::remove_const_t<decltype(carry)>, no_carry>;
    static_assert(carries, "quern: reproducible scans are those in memory");
    constexpr int rank = rank_of<In>;
    static_assert(rank == rank_of<Out>, "quern: out and in of a scan over ranks must have one rank");
    static_assert(rank == 1 || has_option<axis, Options...>,
                  "quern: a scan over ranks of an array of several axes needs an axis");
    if constexpr (carries) {
      const std::string label = scan.label;
      const Decomposition d = leading_field(in, out).decomposition();
      const axis* wanted = find_option<axis>(options...);
      check_same_arrays(
          d.communicator(), label, [&] { return text_of_axes(wanted, rank) + text_of_reducer(scan.reducer); }, out, in);
      check_extents(label, "out", out.extents(), operand_extents(label, in));
      const int number = axis_option(label, 0, rank, options...);
      check_same_blocks(label, "out", d, out.decomposition());
      scan_blocks(scan, exec, out, in, carry, d, axis{number});
    }
  }

 private:
  template <class Scan, class Exec, class Out, class In, class Carry>
  static void scan_blocks(const Scan& scan, const Exec& exec, const Out& out, const In& in, const Carry& carry,
                          const Decomposition& d, const axis& along) {
    using S = typename Carry::type;
    constexpr int rank = rank_of<In>;
    const std::string label = scan.label;
    const int number = along.number[0];
    const shape own = d.local().extents;
    const auto values = operand_at_block<rank>(label, 0, in, d);
    check_indices(exec, label, values);  // by ranks without cells, too, for which the others would wait
    const bool empty = own.size() == 0;
    if (d.grid(number) == 1) {
      if (!empty) engine<in_memory, scans>::run(scan, exec, out.local(), values, along);
      exec.fence(kernel_label(label));
      return;
    }
    shape lines = own;
    lines.extent[number] = 1;
    const scratch_block<S, Exec> scanned(exec, own);
    const scratch_block<carried<S>, Exec> totals(exec, lines);
    const auto local = as_part<Exec, rank>(scanned);
    const auto before = as_part<Exec, rank>(totals);
    map_checked(label, exec, before, op::identity(), carry.start());
    if (!empty) {
      engine<in_memory, scans>::run(scan, exec, local, values, along);
      const auto last = as_part<Exec, rank>(last_of(scanned, number, false));
      if constexpr (Scan::exclusive)
        map_checked(label, exec, before, next_carry<Carry, true>{carry}, before, last,
                    operand_at_end<Exec, rank>(label, in, d, number));
      else map_checked(label, exec, before, next_carry<Carry, false>{carry}, before, last);
    }
    std::array<bool, max_rank> axes{};
    axes[number] = true;
    const Communicator& group = d.along(axes);  // collective at first: ranks without cells take part
    if (lines.size() > 0)
      join_items<true>(exec, d.communicator(), group, "quern::distributed", totals.data, lines.size(), carry.start(),
                       join_carries<Carry>{carry});
    if (!empty) map_checked(label, exec, out.local(), result_of_carry<Carry>{carry}, before, local);
    exec.fence(kernel_label(label));
  }
};

}  // namespace quern::impl

#endif
