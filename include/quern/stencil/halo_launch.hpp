// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HALO_LAUNCH_HPP
#define QUERN_STENCIL_HALO_LAUNCH_HPP

#include <algorithm>
#include <quern/core/launch/launch_units.hpp>
#include <quern/stencil/halo_passes.hpp>

namespace quern::impl {

/// Items of fields on devices: a cell each, adjacent ones from adjacent addresses.
struct halo_cells {
  template <class Field>
  static std::int64_t items(const Field& field, bool corners) {
    std::int64_t n = 0;
    for (int slab = 0; slab < Field::rank; ++slab) n += field.slab_cells(slab, corners);
    return n;
  }
  template <class Field, class Pass>
  KOKKOS_FUNCTION static void run(const Field& field, const Pass& pass, std::int64_t item) {
    int slab = 0;
    for (; slab + 1 < Field::rank; ++slab) {
      const std::int64_t cells = field.slab_cells(slab, pass.corners);
      if (item < cells) break;
      item -= cells;
    }
    typename Field::index at;
    for (int a = Field::rank - 1; a >= 0; --a) {
      const std::int64_t n = field.extent(a, slab, pass.corners);
      const std::int64_t rest = field.items < (std::int64_t{1} << 31)  // several times faster on a GPU
                                    ? static_cast<std::uint32_t>(item) / static_cast<std::uint32_t>(n)
                                    : item / n;
      at[a] = field.cell(a, slab, pass.corners, item - rest * n);
      item = rest;
    }
    pass.cell(field, at);
  }
};

/// Items of fields on hosts: some runs of cells. Those of most slabs are along the fastest axis; at the ends of that
/// they are along the one before it, and one for each cell at the ends, in which all have the same source.
template <class Field>
struct halo_runs {
  static constexpr int last = Field::rank - 1;
  static constexpr std::int64_t cells_of_item = 1024, longest_along_rows = 4096, longest_across_rows = 256;

  const Field& field;
  int slab, along;
  bool corners, at_row_ends;
  std::int64_t length, blocks, runs = 1, together;

  halo_runs(const Field& f, int s, bool with_corners)
      : field(f), slab(s), corners(with_corners), at_row_ends(s == last) {
    along = at_row_ends ? std::max(last - 1, 0) : last;
    length = at_row_ends ? longest_across_rows : longest_along_rows;
    const std::int64_t between = Field::rank == 1 ? 1 : field.axis[along].between_ends();
    blocks = std::max<std::int64_t>(1, (between + length - 1) / length);
    const std::int64_t cells = std::min(between, length) * (at_row_ends ? field.axis[last].ends() : 1);
    for (int a = 0; a < last; ++a)
      if (a != along) runs *= field.extent(a, slab, corners);
    if (at_row_ends && field.axis[last].ends() == 0) runs = 0;
    runs *= blocks;
    together = std::max<std::int64_t>(1, cells_of_item / std::max<std::int64_t>(cells, 1));
  }
  std::int64_t items() const { return (runs + together - 1) / together; }

  template <class Pass>
  void run_item(const Pass& pass, std::int64_t item) const {
    const std::int64_t first = item * together, end = std::min(first + together, runs);
    for (std::int64_t run = first; run < end; ++run) run_block(pass, run % blocks, run / blocks);
  }

 private:
  template <class Pass>
  void run_block(const Pass& pass, std::int64_t block, std::int64_t row) const {
    typename Field::index at{};
    for (int a = last - 1; a >= 0; --a) {
      if (a == along) continue;
      const std::int64_t n = field.extent(a, slab, corners);
      at[a] = field.cell(a, slab, corners, row % n);
      row /= n;
    }
    const halo_axis &axis = field.axis[along], &fastest = field.axis[last];
    const std::int64_t n = std::min(length, axis.between_ends() - block * length);
    at[along] = axis.low + block * length;
    if (!at_row_ends && n > 0) pass.run(field, at, along, n);
    if (!at_row_ends && block == 0 && corners) pass.row_ends(field, at);
    if (!at_row_ends) return;
    for (std::int64_t k = 0; k < fastest.ends(); ++k) {
      at[last] = fastest.end_cell(k);
      if (Field::rank == 1) pass.cell(field, at);
      else if (n > 0) pass.run(field, at, along, n);
    }
  }
};

/// The same for all slabs of a field.
struct halo_items {
  template <class Field>
  static std::int64_t items(const Field& field, bool corners) {
    std::int64_t n = 0;
    for (int slab = 0; slab < Field::rank; ++slab) n += halo_runs<Field>(field, slab, corners).items();
    return n;
  }
  template <class Field, class Pass>
  static void run(const Field& field, const Pass& pass, std::int64_t item) {
    for (int slab = 0; slab < Field::rank; ++slab) {
      const halo_runs<Field> runs(field, slab, pass.corners);
      if (item < runs.items()) return runs.run_item(pass, item);
      item -= runs.items();
    }
  }
};

/// A pass over the cells of all fields on a device.
template <class Pass, class Numbers, class... List>
struct device_halo;
template <class Pass, std::size_t... I, class... List>
struct device_halo<Pass, std::index_sequence<I...>, List...> {
  Pass pass;
  operand_tuple<List...> lists;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { (run_in(get<I>(lists), item) || ...); }

 private:
  /// Whether the item is one of the list; or else it becomes one of those behind it.
  template <class Fields>
  KOKKOS_FUNCTION bool run_in(const Fields& list, std::int64_t& item) const {
    for (int k = 0; k < list.count; ++k) {
      if (item < list.field[k].items) {
        halo_cells::run(list.field[k], pass, item);
        return true;
      }
      item -= list.field[k].items;
    }
    return false;
  }
};

/// The same by the threads of a host.
template <class Pass, class... List>
struct host_halo {
  Pass pass;
  std::tuple<List...> lists;

  void operator()(std::int64_t item) const {
    const auto run_in = [&](const auto& list) {
      for (int k = 0; k < list.count; item -= list.field[k++].items) {
        if (item >= list.field[k].items) continue;
        halo_items::run(list.field[k], pass, item);
        return true;
      }
      return false;
    };
    unpack([&](const auto&... list) { (run_in(list) || ...); }, lists);
  }
};

/// One launch for all fields of all lists.
template <class Exec, class Pass, class... List>
void launch_halo(const Exec& exec, const std::string& label, const Pass& pass, List... list) {
  using items_type = std::conditional_t<is_device<Exec>, halo_cells, halo_items>;
  using kernel_type = std::conditional_t<is_device<Exec>, device_halo<Pass, std::index_sequence_for<List...>, List...>,
                                         host_halo<Pass, List...>>;
  std::int64_t items = 0;
  const auto count = [&](auto& fields) {
    for (int k = 0; k < fields.count; ++k) {
      auto& field = fields.field[k];
      for (auto& axis : field.axis) Pass::cover(axis);
      items += field.items = items_type::items(field, pass.corners);
    }
  };
  (count(list), ...);
  if (items == 0) return;
  if constexpr (is_device<Exec>) launch_units(exec, label, items, kernel_type{pass, {{list}...}});
  else launch_units(exec, label, items, kernel_type{pass, {list...}});
}

}  // namespace quern::impl

#endif
