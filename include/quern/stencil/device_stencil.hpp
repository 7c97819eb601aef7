// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DEVICE_STENCIL_HPP
#define QUERN_STENCIL_DEVICE_STENCIL_HPP

#include <quern/stencil/cells.hpp>
#include <quern/stencil/tuning.hpp>

namespace quern::impl {

/// A stencil by the teams of a device: cells of the border, then walks through the interior.
template <class Cells>
struct device_stencil;

template <class Exec, class Shape, int Rank, bool Reversed, class F, class... Out, class... Source>
struct device_stencil<stencil_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, Source...>> {
  using inputs = std::index_sequence_for<Source...>;
  using outputs = std::index_sequence_for<Out...>;
  static constexpr int width =
      std::min(pack_width<Exec, Out..., source_value_t<Source>...>(), 8);  // more take too many registers

  struct radii {
    static constexpr bool star = Shape::arms_only;
    KOKKOS_FUNCTION static constexpr int of(int a) {
      if constexpr (Shape::fixed)
        for (int d = 0; d < Rank; ++d)
          if (grid_axis<Rank, Reversed>(d) == a) return Shape::radius(d);
      return 0;
    }
  };
  /// Registers that the neighbourhoods of W cells would take.
  template <int W>
  static constexpr std::size_t rolling_bytes() {
    const int planes = 2 * radii::of(0) + 1, rows = 2 * radii::of(1) + 1, columns = W + 2 * radii::of(2);
    const int star = planes * W + (rows - 1) * W + 2 * radii::of(2);
    return (std::max<std::size_t>(4, sizeof(source_value_t<Source>)) + ... + 0) *
           (radii::star ? star : planes * rows * columns);
  }
  /// Fewer teams at a time where each thread needs more than half of the registers that more would leave it: for large
  /// neighbourhoods, and for those that it computes.
  static constexpr bool large =
      rolling_bytes<width>() > stencil_tuning<Exec>::rolling_bytes_of_all_teams || !(std::is_pointer_v<Source> && ...);
  static constexpr int teams = stencil_tuning<Exec>::teams / (large ? 2 : 1);
  /// Cells at the ends of rows that do not fill a pack are left to the border, or computed alone from a pack: measured,
  /// wide packs cannot afford the conditions, and of narrow ones the border would have too many rows.
  static constexpr bool whole = width > 4;
  static constexpr bool rolls = Shape::fixed && rolling_bytes<width>() <= stencil_tuning<Exec>::rolling_bytes;
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<stencil_tuning<Exec>::team, teams>>;
  using member = typename policy::member_type;

  stencil_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, Source...> cells;
  bool packed = false;  // the inner cells are aligned packs
  std::int64_t border_teams = 0;
  std::int64_t packs = 1;  // of a row
  std::int64_t steps = 1;  // of a walk

  // A walk of the device along axis 0. The threads of a team take neighbouring packs of several rows, so that they
  // share what they read.
  static constexpr int tile = stencil_tuning<Exec>::team, tile_rows = Rank == 3 ? stencil_tuning<Exec>::rows : 1;
  static constexpr int tile_packs = tile / tile_rows;

  KOKKOS_FUNCTION bool walk_at(int thread, std::int64_t number, grid_index& cell, std::int64_t& last) const {
    const int lane = thread % tile_packs, row = thread / tile_packs;
    const std::int64_t across = (packs + tile_packs - 1) / tile_packs;
    const std::int64_t along = (cells.inner.extent(1) + tile_rows - 1) / tile_rows;
    const std::int64_t p = number % across * tile_packs + lane, r = number / across % along * tile_rows + row;
    const std::int64_t first = cells.inner.low[0] + number / across / along * steps;
    cell = {{first, cells.inner.low[1] + r, p * (packed ? width : 1)}};
    last = Kokkos::min(cells.inner.high[0], first + steps);
    return r < cells.inner.extent(1) && cell.of[2] < cells.inner.high[2] &&
           cell.of[2] + (packed ? width : 1) > cells.inner.low[2];
  }
  std::int64_t walk_teams() const {
    if (cells.inner.cells() == 0) return 0;
    const std::int64_t across = (packs + tile_packs - 1) / tile_packs;
    const std::int64_t along = (cells.inner.extent(1) + tile_rows - 1) / tile_rows;
    return (cells.inner.extent(0) + steps - 1) / steps * along * across;
  }
  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t walks = team.league_rank() - border_teams;
    if (walks < 0) {
      const std::int64_t n = team.league_rank() * std::int64_t{tile} + team.team_rank();
      if (n < cells.border_ends[5]) cells.border_cell(cells.border_at(n), inputs());
      return;
    }
    grid_index cell;
    std::int64_t last;
    if (!walk_at(team.team_rank(), walks, cell, last)) return;
    if constexpr (rolls && width > 1) {
      if (packed) return walk(cell, last, inputs());
    }
    if (cells.unit)
      for (; cell.of[0] < last; ++cell.of[0]) cells.template inner_cell<true>(cell, inputs());
    else
      for (; cell.of[0] < last; ++cell.of[0]) cells.template inner_cell<false>(cell, inputs());
  }
  /// Where a walk is: the cell, the places of its values, and the neighbourhoods. Of the pack, the cells from `first`
  /// to before `past` are computed; it has so many neighbours before and after it in its row.
  struct walker {
    grid_index cell;
    int first, past, before, after;
    operand_tuple<typename grid_input<Source>::place...> from;
    operand_tuple<Out*...> to;
    operand_tuple<rolling_cells<source_value_t<Source>, radii, width>...> near;
  };
  template <std::size_t... I>
  KOKKOS_FUNCTION void walk(const grid_index& cell, std::int64_t last, std::index_sequence<I...>) const {
    constexpr int reach = radii::of(0);
    const auto within = [&](std::int64_t n, int most) {
      return whole ? most : static_cast<int>(Kokkos::clamp<std::int64_t>(n, 0, most));
    };
    const std::int64_t column = cell.of[2];
    walker w{cell,
             whole ? 0 : within(cells.inner.low[2] - column, width),
             within(cells.inner.high[2] - column, width),
             within(column, radii::of(2)),
             within(cells.extent[2] - width - column, radii::of(2)),
             {{get<I>(cells.in).template at<true>(cell)}...},
             first_places(cell, outputs()),
             {}};
    for (int p = 0; p < 2 * reach; ++p)
      (get<I>(w.near).load_plane(p, get<I>(w.from) + (p - reach) * get<I>(cells.in).stride[0],
                                 get<I>(cells.in).stride[1], w.before, w.after),
       ...);
    while (turns(w, last, std::make_index_sequence<2 * reach + 1>())) {
    }
  }
  template <std::size_t... O>
  KOKKOS_FUNCTION operand_tuple<Out*...> first_places(const grid_index& cell, std::index_sequence<O...>) const {
    return {{get<O>(cells.out).template at<true>(cell)}...};
  }
  template <std::size_t... Turn>
  KOKKOS_FUNCTION bool turns(walker& w, std::int64_t last, std::index_sequence<Turn...>) const {
    return (turn<Turn>(w, last, inputs(), outputs()) && ...);
  }
  template <int Turn, std::size_t... I, std::size_t... O>
  KOKKOS_FUNCTION bool turn(walker& w, std::int64_t last, std::index_sequence<I...>, std::index_sequence<O...>) const {
    constexpr int reach = radii::of(0), planes = 2 * reach + 1;
    (get<I>(w.near).load_plane((Turn + 2 * reach) % planes, get<I>(w.from) + reach * get<I>(cells.in).stride[0],
                               get<I>(cells.in).stride[1], w.before, w.after),
     ...);
    (get<I>(w.near).load_arms((Turn + reach) % planes, get<I>(w.from), get<I>(cells.in).stride[1], w.before, w.after),
     ...);
    store_packs<Turn>(w, get<I>(w.near)...);
    ((get<I>(w.from) = get<I>(w.from) + get<I>(cells.in).stride[0]), ...);
    ((get<O>(w.to) += get<O>(cells.out).stride[0]), ...);
    return ++w.cell.of[0] < last;
  }
  template <int Turn, class... Rolling>
  KOKKOS_FUNCTION void store_packs(const walker& w, const Rolling&... near) const {
    using result =
        std::remove_cvref_t<decltype(cells.apply(w.cell, register_window<Rolling, Turn, Rank, Reversed>{near, 0}...))>;
    result r[width];
    grid_index cell = w.cell;
    for (int k = 0; k < width; ++k, ++cell.of[2])
      r[k] = cells.apply(cell, register_window<Rolling, Turn, Rank, Reversed>{near, k}...);
    store_results(w, r, outputs());
  }
  template <class Result, std::size_t... O>
  KOKKOS_FUNCTION static void store_results(const walker& w, const Result (&r)[width], std::index_sequence<O...>) {
    constexpr bool alone = sizeof...(O) == 1;
    (store_pack<alone, O>(get<O>(w.to), r, w.first, w.past), ...);
  }
  template <bool Alone, std::size_t O, class T, class Result>
  KOKKOS_FUNCTION static void store_pack(T* to, const Result (&r)[width], int first, int past) {
    pack<T, width> p;
    for (int k = 0; k < width; ++k) {
      if constexpr (Alone) p.value[k] = convert<T>(r[k]);
      else p.value[k] = convert<T>(r[k][O]);
    }
    if (past - first == width) {
      *reinterpret_cast<pack<T, width>*>(to) = p;
    } else {
      for (int k = 0; k < width; ++k)
        if (k >= first && k < past) to[k] = p.value[k];
    }
  }

  /// Takes cells from the inner box that packs cannot reach.
  void cut_to_packs() {
    const std::int64_t w = packed ? width : 1;
    auto &low = cells.inner.low[2], &high = cells.inner.high[2];
    if (whole) low = (low + w - 1) / w * w;
    high = std::max(low, std::min(high, (whole ? high : cells.extent[2]) / w * w));
    if (low == high) low = high = cells.all.low[2];
    packs = (high + w - 1) / w;
  }
};

/// Whether packs of W elements stay aligned along the fastest axis.
template <int W, class Grid>
bool aligned_rows(const Grid& g) {
  return g.stride[2] == 1 && g.stride[0] % W == 0 && g.stride[1] % W == 0 && holds_packs<W>(g.data);
}

template <class Exec, class Cells>
void stencil_on_device(const Exec& exec, const std::string& label, const Cells& cells) {
  using kernel_type = device_stencil<Cells>;
  kernel_type k{cells};
  k.packed = kernel_type::rolls && cells.all_of([](const auto& g) { return aligned_rows<kernel_type::width>(g); });
  k.cut_to_packs();
  const std::int64_t border = k.cells.count_border();
  const grid_box& inner = k.cells.inner;
  k.steps = std::clamp<std::int64_t>(k.packs * inner.extent(1) * inner.extent(0) / (2 * exec.concurrency()), 8, 64);
  k.border_teams = (border + kernel_type::tile - 1) / kernel_type::tile;
  const auto teams = static_cast<int>(k.border_teams + k.walk_teams());
  Kokkos::parallel_for(label, typename kernel_type::policy(exec, teams, kernel_type::tile), k);
}

}  // namespace quern::impl

#endif
