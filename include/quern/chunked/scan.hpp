// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_SCAN_HPP
#define QUERN_CHUNKED_SCAN_HPP

#include <algorithm>
#include <quern/chunked/operands.hpp>
#include <quern/core/call/label.hpp>
#include <quern/map/map.hpp>
#include <quern/scan/carries.hpp>
#include <quern/scan/scan.hpp>

namespace quern::impl {

/// Scans of arrays that come in chunks: each chunk is scanned by itself, and then joined to what comes before it. A
/// scan of all elements cuts them along the first axis. Waits.
template <>
struct engine<in_chunks_place, scans> {
  template <class Scan, class Exec, class Out, class In, class... Options>
  static void run(const Scan& scan, const Exec& exec, const Out& out, const In& in, const Options&... options) {
    const auto others = select_options<false>(options...);
    if constexpr (resident<Exec, Out> && resident<Exec, In>) {
      unpack(
          [&](const auto&... option) {
            engine<in_memory, scans>::run(scan, exec, as_resident(out), as_resident(in), option...);
          },
          others);
      exec.fence(kernel_label(scan.label));
    } else {
      const auto carry = carry_of(scan.reducer);
      constexpr bool carries = !std::is_same_v<std::remove_const_t<decltype(carry)>, no_carry>;
      static_assert(carries, "quern: reproducible scans are those in memory");
      static_assert(rank_of<In> == rank_of<Out>, "quern: out and in of a scan that comes in chunks must have one rank");
      if constexpr (carries)
        chunk_by_chunk(scan, exec, out, in, carry, settings_of(options...), find_option<axis>(options...));
    }
  }

 private:
  template <class Scan, class Exec, class Out, class In, class Carry>
  static void chunk_by_chunk(const Scan& scan, const Exec& exec, const Out& out, const In& in, const Carry& carry,
                             const chunking& settings, const axis* wanted) {
    using S = typename Carry::type;
    constexpr int rank = rank_of<In>;
    chunk_inputs<Exec, rank, In> from(in);
    output_in_chunks<Exec, Out> to(out, scan.label);
    const shape whole = operand_extents(scan.label, from.first());
    check_extents(scan.label, "out", to.extents(), whole);
    chunk_plan p = from.plan(scan.label, "in", whole, settings, to);
    const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(p.label, *wanted, rank);
    if (wanted == nullptr) p.axis = 0;
    from.for_each([&](auto& array, const std::string&) {
      check_memory(p.label, to, array, true);
      array.join_call(exec, p, "in");
    });
    to.join(p.outputs, false);
    const bool carries = along.has(p.axis);
    p.ordered = carries;
    // What is written has its file, without elements too.
    if (p.extents.size() == 0) return run_chunks<Exec>(exec, p, [](const Exec&, const array_chunk&) {});
    if (carries) p.scratch = p.extents.size() / p.extents.extent[p.axis] * static_cast<std::int64_t>(sizeof(S));

    shape lines = p.extents;
    lines.extent[p.axis] = 1;
    if (wanted == nullptr) std::fill(lines.extent.begin(), lines.extent.end(), 1);
    // What comes before a chunk, and before the next one, by turns: out may be what the input reads.
    using memory = scratch_block<carried<S>, Exec>;
    const std::array<memory, 2> both{memory(exec, lines), memory(exec, lines)};
    const auto carries_of = [&](std::int64_t number) { return as_part<Exec, rank>(both[number % 2]); };
    map_checked(p.label, exec, carries_of(0), op::identity(), carry.start());
    exec.fence(kernel_label(p.label));
    const auto launch = [&](const Exec& e, const auto& target, const auto& values) {
      if (wanted == nullptr) engine<in_memory, scans>::run(scan, e, target, values);
      else engine<in_memory, scans>::run(scan, e, target, values, *wanted);
    };
    run_chunks<Exec>(exec, p, [&](const Exec& e, const array_chunk& c) {
      const auto values = operand_in<Exec, rank>(from.first(), p, c);
      const auto target = as_part<Exec, rank>(to.part(p.axis, c, false));
      if (!carries) return launch(e, target, values);
      const auto local = scratch_of_chunk<S>(e, p, c, false);
      launch(e, as_part<Exec, rank>(local), values);
      const bool all = wanted == nullptr;
      const auto last = as_part<Exec, rank>(last_of(local, p.axis, all));
      const auto before = carries_of(c.number), next = carries_of(c.number + 1);
      if constexpr (Scan::exclusive)
        map_checked(p.label, e, next, next_carry<Carry, true>{carry}, before, last,
                    operand_at_end<Exec, rank>(from.first(), p, c, all));
      else map_checked(p.label, e, next, next_carry<Carry, false>{carry}, before, last);
      map_checked(p.label, e, target, result_of_carry<Carry>{carry}, before, as_part<Exec, rank>(local));
    });
  }
};

}  // namespace quern::impl

#endif
