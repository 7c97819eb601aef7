// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_DEVICE_MAP_HPP
#define QUERN_MAP_DEVICE_MAP_HPP

#include <numeric>
#include <quern/core/launch/launch_units.hpp>
#include <quern/map/mapped_elements.hpp>
#include <quern/map/transposing.hpp>

namespace quern::impl {

struct pack_tag {};     // a thread computes aligned packs, a grid apart
struct element_tag {};  // a thread computes single elements, a grid apart

/// A map on a device, where each thread computes several items, packs of elements or single ones, all of whose loads
/// come first.
template <class Work>
struct device_map {
  static constexpr int outputs = Work::outputs, operands = Work::operands;
  using tune = map_tuning<typename Work::exec_space>;
  // Rows are several values each, all of which are in registers.
  static constexpr int packs = std::max(1, tune::packs / Work::components);
  // What finds elements by index finds several by one address.
  static constexpr int unroll =
      std::max(1, (Work::finds_elements ? 2 : 1) * std::min(tune::unroll, 2 * Work::width) / Work::components);
  using offsets = typename Work::offsets;
  /// Whether elements of an operand are found by a map of indices, which takes too many registers to be written twice.
  static constexpr bool finds_elements = Work::finds_elements;

  Work work;
  std::int64_t per_row = 0;               // items of a row
  std::int64_t span = 0;                  // items between those of one thread in a row
  std::int64_t row_step = 0, i_step = 0;  // between the items of one thread
  std::int64_t row_threads = 1;           // that share the rows along axis 1, where those are its items
  std::int64_t distance[operands] = {};

  template <std::size_t... I>
  KOKKOS_FUNCTION void element(const offsets& o, std::int64_t k, std::index_sequence<I...>) const {
    work.out.put(o, k, work.f(get<I>(work.in).load(o.of[outputs + I] + k * get<I>(work.in).step)...));
  }

  /// Items of W elements that one thread computes together: the loads of all come first.
  template <int W, int Count, std::size_t... I>
  KOKKOS_FUNCTION void whole_items(const offsets (&o)[Count], std::index_sequence<I...> inputs) const {
    store<W>(o, Count, inputs, load_packs<W, outputs + I>(get<I>(work.in), o)...);
  }
  /// Elements of which only the first ones are wanted: one of those is loaded in place of each other.
  template <int Count, std::size_t... I>
  KOKKOS_FUNCTION void first_elements(offsets (&o)[Count], int wanted, std::index_sequence<I...> inputs) const {
    for (int u = 1; u < Count; ++u) o[u] = u < wanted ? moved(o[u - 1]) : o[u - 1];
    store<1>(o, wanted, inputs, load_packs<1, outputs + I>(get<I>(work.in), o)...);
  }
  template <int W, int Count, std::size_t... I, class... P>
  KOKKOS_FUNCTION void store(const offsets (&o)[Count], int wanted, std::index_sequence<I...>, const P&... p) const {
    for (int u = 0; u < Count; ++u)
      if (u < wanted)
        work.out.template put_packs<W>(
            o[u], [&](int k) { return work.f(get<I>(work.in).template expand<W>(p.at[u], k)...); });
  }

  /// Count items of W elements for one thread: of consecutive rows, or of one row and `span` items apart, so that
  /// consecutive threads together read one contiguous part of memory. The first position is found by
  /// division, and the others follow at equal distances.
  template <int W, int Count>
  KOKKOS_FUNCTION void compute_items(std::int64_t number) const {
    constexpr typename Work::inputs inputs;
    const auto& nest = work.nest;
    std::int64_t i, row = nest.divide(number, per_row, i), rows = 1;
    if (row_step > 0) {
      rows = first_row<Count>(row);
    } else {
      std::int64_t within;
      const std::int64_t group = nest.divide(i, span, within);
      i = group * span * Count + within;
    }
    i *= W;
    offsets one[1] = {nest.at(row, i)};
    if (rows > (Count - 1) * row_step && i + (Count - 1) * i_step + W <= nest.inner) {
      offsets o[Count] = {one[0]};
      for (int u = 1; u < Count; ++u) o[u] = moved(o[u - 1]);
      whole_items<W>(o, inputs);
      return;
    }
    if constexpr (W == 1 && !finds_elements) {
      int wanted = 0;
      for (int u = 0; u < Count; ++u) wanted += rows > u * row_step && i + u * i_step < nest.inner ? 1 : 0;
      offsets o[Count] = {one[0]};
      if (wanted > 0) first_elements(o, wanted, inputs);
    } else {
      for (int u = 0; u < Count && rows > u * row_step; ++u, i += i_step, one[0] = moved(one[0])) {
        if (i + W <= nest.inner) whole_items<W>(one, inputs);
        else
          for (std::int64_t k = 0; i + k < nest.inner; ++k) element(one[0], k, inputs);
      }
    }
  }
  /// The first of a thread's rows by the number of that thread, and how many are left from that row on.
  template <int Count>
  KOKKOS_FUNCTION std::int64_t first_row(std::int64_t& number) const {
    const auto& nest = work.nest;
    std::int64_t slab = 0, thread = number, within = 0;
    if (nest.rank > 2) slab = nest.divide(number, row_threads, thread);
    if (row_step > 1) thread = nest.divide(thread, row_step, within);
    const std::int64_t first = thread * row_step * Count + within;
    number = slab * nest.extent[1] + first;
    return nest.extent[1] - first;
  }
  KOKKOS_FUNCTION offsets moved(offsets o) const {
    for (int k = 0; k < operands; ++k) o.of[k] += distance[k];
    return o;
  }

  /// Divides rows of `items` items of that width among threads, Count items each, and returns the number of threads. In
  /// a matrix a thread's items are in consecutive rows, so that operands that repeat along rows come from the first
  /// cache; so they are in arrays of more axes whose rows are short, which would end before the items of many a thread.
  /// Rows that are shorter than a cache line or two are that far apart that threads together take as many as fill some.
  template <int Count>
  std::int64_t divide_items(std::int64_t items, int item_width) {
    const auto& nest = work.nest;
    const std::int64_t rows = nest.rank >= 2 ? nest.extent[1] : 1;
    const bool by_rows = rows >= 4 * Count && (nest.rank == 2 || items < 4 * Count * tune::span);
    span = by_rows ? items : Kokkos::min(tune::span, (items + Count - 1) / Count);
    const std::int64_t together = by_rows ? 1 : elements_together();
    if (together > 1 && items >= together * Count) span = Kokkos::max<std::int64_t>(1, span / together) * together;
    per_row = by_rows ? items : (items + span * Count - 1) / (span * Count) * span;
    row_step = by_rows ? Kokkos::clamp<std::int64_t>(tune::span / items, 1, rows / (4 * Count)) : 0;
    i_step = by_rows ? 0 : span * item_width;
    for (int k = 0; k < operands; ++k) distance[k] = row_step * nest.stride[k][1] + i_step * nest.stride[k][0];
    if (!by_rows) return per_row * nest.outer;
    row_threads = (rows + row_step * Count - 1) / (row_step * Count) * row_step;
    return per_row * row_threads * (nest.outer / rows);
  }

  /// Of how many elements, those that are a multiple of that number apart are found together where others are not; of
  /// whole warps.
  std::int64_t elements_together() const {
    std::int64_t together = 1;
    if constexpr (finds_elements)
      all_of(work.in, [&](const auto& in, std::size_t i) {
        if constexpr (requires { in.source; }) {
          const std::int64_t period = in.source.period(work.nest.stride[outputs + static_cast<int>(i)][0]);
          if (period > 1 && period <= tune::largest_period) together = std::lcm(together, 32 * period);
        }
        return true;
      });
    return together <= 32 * tune::largest_period ? together : 1;
  }

  KOKKOS_FUNCTION void operator()(pack_tag, std::int64_t item) const { compute_items<Work::width, packs>(item); }
  KOKKOS_FUNCTION void operator()(element_tag, std::int64_t item) const { compute_items<1, unroll>(item); }
};

/// Chooses packs or single elements, and launches.
template <class Exec, class F, class... T, class... In>
void map_on_device(const Exec& exec, const std::string& label,
                   mapped_elements<Exec, F, map_output<T...>, In...>&& elements,
                   const loop_nest<sizeof...(T) + sizeof...(In)>& nest) {
  using work_type = mapped_elements<Exec, F, map_output<T...>, In...>;
  device_map<work_type> kernel{std::move(elements)};
  const auto& work = kernel.work;
  const auto& rows = work.nest;
  constexpr int w = work_type::width;
  if constexpr (w > 1) {
    const auto writes_packs = [&](const auto& array, std::size_t j) {
      return array.step != 0 && array.template packs<w>(rows.stride[j], rows.rank);
    };
    const auto reads_packs = [&](const auto& operand, std::size_t i) {
      return operand.template packs<w>(rows.stride[sizeof...(T) + i], rows.rank);
    };
    const bool packed = all_of(work.out.array, writes_packs) && all_of(work.in, reads_packs) &&
                        (rows.outer == 1 || rows.inner % w == 0);
    if (packed) {
      const auto threads = kernel.template divide_items<kernel.packs>((rows.inner + w - 1) / w, w);
      return launch_units<pack_tag>(exec, label, threads, kernel);
    }
  }
  if constexpr (sizeof...(T) == 1 && !(is_row_memory<T> || ...) && (element_bytes<In> + ... + 0) > 0)
    if (map_by_tiles(exec, label, work.f, get<0>(work.out.array), work.in, nest)) return;
  const auto threads = kernel.template divide_items<kernel.unroll>(rows.inner, 1);
  launch_units<element_tag>(exec, label, threads, kernel);
}

}  // namespace quern::impl

#endif
