// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_LANE_ROWS_HPP
#define QUERN_KEYED_LANE_ROWS_HPP

/// @file
/// Sorts of many short rows, each in the registers of the lanes of a warp.

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/lane_sort.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/launch/register_lanes.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/map_lines.hpp>
#include <quern/keyed/order.hpp>
#include <quern/keyed/row_lines.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Sorts rows of up to M * Width numbers that are adjacent. A lane ends with M adjacent ones, which go to memory by way
/// of scratch memory, so that lanes write adjacent elements together.
template <class T, int Width, int M>
struct sort_row_on_lanes {
  using key = typename by_order<T>::key;
  by_order<T> order;
  row_lines<const T> x;
  row_lines<T> out;
  int n;

  /// Where scratch memory has the i-th number: with gaps, against bank conflicts.
  static constexpr int gap_after = 128 / sizeof(key);
  KOKKOS_FUNCTION static int slot(int i) { return i + i / gap_after; }
  static constexpr int room = Width * M + Width * M / gap_after;

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t row, bool is_own) const {
    key* const sorted = lanes.template scratch<key>(room);
    const T* const from = x.data + row * x.distance;
    T* const to = out.data + row * out.distance;
    lanes.each([&](const auto& lane) {
      key k[M];
      load_keys<Width>(k, order, from, n, lane.lane);
      sort_on_lanes(lane, k);
      unrolled<0, M>([&](auto r) { sorted[slot(lane.lane * M + r)] = k[r]; });
    });
    lanes.each([&](const auto& lane) {
      for (int i = lane.lane; is_own && i < n; i += Width) to[i] = order.decode(sorted[slot(i)]);
    });
  }
};

/// Whether lines are so short that each is sorted in registers.
template <class Exec>
bool sorts_on_lanes(const sort_lines& lines) {
  using tune = keyed_tuning<Exec>;
  return is_device<Exec> && lines.n >= tune::lane_sort_least && lines.n <= tune::lane_line &&
         lines.count <= max_lane_items<32>;
}

/// Sorts rows whose elements are adjacent; out may be x.
template <class Exec, class T>
void sort_rows_on_lanes(const std::string& label, const Exec& exec, const sort_lines& lines,
                        const row_lines<const T>& x, const row_lines<T>& out, const by_order<T>& order) {
  if constexpr (is_device<Exec>) {
    static_assert(keyed_tuning<Exec>::lane_line <= 32 * 32);
    const auto launch = [&]<int Width, int M>(std::integer_sequence<int, Width, M>) {
      using kernel = sort_row_on_lanes<T, Width, M>;
      launch_lanes<Width>(label, exec, lines.count, kernel{order, x, out, static_cast<int>(lines.n)},
                          kernel::room * static_cast<int>(sizeof(typename kernel::key)));
    };
    if (lines.n <= 8 * 4) launch(std::integer_sequence<int, 8, 4>());
    else if (lines.n <= 16 * 4) launch(std::integer_sequence<int, 16, 4>());
    else if (lines.n <= 32 * 4) launch(std::integer_sequence<int, 32, 4>());
    else if (lines.n <= 32 * 6) launch(std::integer_sequence<int, 32, 6>());
    else if (lines.n <= 32 * 10) launch(std::integer_sequence<int, 32, 10>());
    else if (lines.n <= 32 * 16) launch(std::integer_sequence<int, 32, 16>());
    else launch(std::integer_sequence<int, 32, 32>());
  }
}

#define QUERN_SORT_ROWS_ON_LANES(HOW, Exec, T)                                                                        \
  HOW template void sort_rows_on_lanes(const std::string&, const Exec&, const sort_lines&, const row_lines<const T>&, \
                                       const row_lines<T>&, const by_order<T>&);
QUERN_DEVICES_ELSEWHERE(QUERN_SORT_ROWS_ON_LANES)

/// Short lines, each in the registers of a warp; zeros have the order of their signs.
template <class Exec, class T>
void sort_by_lanes(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<T>& out,
                   const strided<const T>& in, by_order<T> order) {
  order.signed_zeros = true;
  const auto adjacent = [](const auto& a) { return has_adjacent_elements(a) && are_row_lines(a); };
  const bool in_out = adjacent(out);
  const scratch_array<Exec, T> memory(exec, in_out ? 1 : lines.size());
  const strided<T> sorted = in_out ? out : lines.contiguous(memory.data());
  row_lines<const T> from{sorted.data, row_lines_of(sorted).distance};
  if (adjacent(in)) from = row_lines_of(in);
  else map_lines(label_text(label, "/rows"), exec, sorted, op::identity(), line_input(in));
  sort_rows_on_lanes(label_text(label, "/lanes"), exec, lines, from, row_lines_of(sorted), order);
  if (!in_out) map_lines(label_text(label, "/result"), exec, out, op::identity(), line_input(sorted));
}

}  // namespace quern::impl

#endif
