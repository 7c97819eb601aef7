// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DEVICE_STENCIL_HPP
#define QUERN_STENCIL_DEVICE_STENCIL_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/stencil/cells.hpp>
#include <quern/stencil/tuning.hpp>

namespace quern::impl {

/// A stencil by the teams of a device: cells of the border, then walks along axis 0 through the interior. At each turn
/// a thread computes W adjacent cells of a row, a pack, where packs are aligned in all rows; else, W being 1, a
/// cell of each of several planes, so that as many loads are under way: those of adjacent threads are contiguous,
/// wherever rows begin.
template <class Cells, int W, class Sink = no_sink>
struct device_stencil;

template <class Exec, class Shape, int Rank, bool Reversed, class F, class... Out, std::size_t... O, class... Source,
          std::size_t... I, int W, class Sink>
struct device_stencil<numbered_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, std::index_sequence<O...>,
                                     std::tuple<Source...>, std::index_sequence<I...>>,
                      W, Sink> {
  using cells_type = stencil_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, std::tuple<Source...>>;
  using tuning = stencil_tuning<Exec>;

  using radii = grid_radii<Shape, Rank, Reversed>;
  /// Registers that the neighbourhoods of `cells` x W cells would take.
  static constexpr std::size_t rolling_bytes(int cells) {
    const int planes = 2 * radii::of(0) + cells, lines = 2 * radii::of(1) + 1, columns = W + 2 * radii::of(2);
    const int star = planes * W + cells * ((lines - 1) * W + 2 * radii::of(2));
    return (std::max<std::size_t>(4, sizeof(source_value_t<Source>)) + ... + 0) *
           (radii::star ? star : planes * lines * columns);
  }
  static constexpr int deepest(std::size_t bytes) {
    int cells = tuning::depth;
    while (cells > 1 && rolling_bytes(cells) > bytes) cells /= 2;
    return cells;
  }
  /// Half as many teams run at a time where each thread needs more than half of the registers that more would leave it:
  /// for large neighbourhoods, for those that it computes, and for blocks more than twice as deep, which have more
  /// loads under way.
  static constexpr int depth_of_all_teams = W > 1 ? 1 : deepest(tuning::rolling_bytes_of_all_teams);
  static constexpr int depth_of_half = W > 1 ? 1 : deepest(tuning::rolling_bytes_of_blocks);
  static constexpr bool large = rolling_bytes(depth_of_all_teams) > tuning::rolling_bytes_of_all_teams ||
                                depth_of_half > 2 * depth_of_all_teams || !(std::is_pointer_v<Source> && ...);
  static constexpr int depth = large ? depth_of_half : depth_of_all_teams;
  static constexpr int teams = tuning::teams / (large ? 2 : 1);
  /// Cells at the ends of rows that do not fill a pack are left to the border, or computed alone from a pack: measured,
  /// wide packs cannot afford the conditions, and of narrow ones the border would have too many rows.
  static constexpr bool whole = W > 4 || W == 1;
  static constexpr bool rolls = Shape::fixed && rolling_bytes(depth) <= tuning::rolling_bytes;
  static constexpr bool reduces = !std::is_same_v<Sink, no_sink>;
  /// Walks for each thread that the device runs at once; longer ones where neighbourhoods are larger, since they begin
  /// with so many planes more, and where a team joins its states at the end, for which no team may begin meanwhile.
  static constexpr int walks = W > 1 || !rolls ? tuning::walks
                               : reduces       ? 1
                                               : std::max(1, tuning::walks_of_columns / std::max(1, radii::of(0)));
  /// Teams that do not reduce have no scratch memory, for which Kokkos might refuse to launch so many at a time.
  using bounds =
      std::conditional_t<reduces, registers_of_teams<tuning::team, teams>, Kokkos::LaunchBounds<tuning::team, teams>>;
  using policy = Kokkos::TeamPolicy<Exec, bounds>;
  using member = typename policy::member_type;
  template <std::size_t Input>
  using rolling = rolling_cells<source_value_t<std::tuple_element_t<Input, std::tuple<Source...>>>, radii, W, depth>;

  cells_type cells;
  Sink sink;
  std::int64_t border_teams = 0;
  int border_every = 1;  // the first of so many teams computes cells of the border: alone, these would wait for memory
  std::int64_t packs = 1;  // of a row
  std::int64_t steps = 1;  // of a walk

  // The threads of a team take adjacent packs of several rows, so that they share what they read: of more rows
  // where windows reach far or hold all of a box.
  static constexpr int rows = tuning::rows * (radii::star && radii::of(1) == 1 ? 1 : 2);
  static constexpr int tile = tuning::team, tile_rows = Rank == 3 ? rows : 1;
  static constexpr int tile_packs = tile / tile_rows;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    auto own = sink.begin();
    compute_cells(team, own);
    sink.finish(team, own);
  }
  template <class Own>
  KOKKOS_FUNCTION void compute_cells(const member& team, Own& own) const {
    const std::int64_t turn = team.league_rank() / border_every;
    if (team.league_rank() % border_every == 0 && turn < border_teams) {
      const std::int64_t n = turn * tile + team.team_rank();
      if (n < cells.border_ends[5]) cells.border_cell(cells.border_at(n), own);
      return;
    }
    const std::int64_t walk_team = team.league_rank() - Kokkos::min(border_teams, turn + 1);
    grid_index cell;
    std::int64_t last;
    if (!walk_at(team.team_rank(), walk_team, cell, last)) return;
    if constexpr (rolls) {
      if (W > 1 || cells.unit) walk(cell, last, own);
    }
    if constexpr (W == 1) {  // what is left of a walk, or all of it
      if (cells.unit)
        for (; cell.of[0] < last; ++cell.of[0]) cells.template inner_cell<true>(cell, own);
      else
        for (; cell.of[0] < last; ++cell.of[0]) cells.template inner_cell<false>(cell, own);
    }
  }

  /// Tiles of teams along rows of the inner box, and along axis 1.
  KOKKOS_FUNCTION std::int64_t tiles_across() const { return (packs + tile_packs - 1) / tile_packs; }
  KOKKOS_FUNCTION std::int64_t tiles_along() const { return (cells.inner.extent(1) + tile_rows - 1) / tile_rows; }
  /// Packs begin at multiples of W.
  KOKKOS_FUNCTION std::int64_t first_column() const { return W > 1 ? 0 : cells.inner.low[2]; }
  KOKKOS_FUNCTION bool walk_at(int thread, std::int64_t number, grid_index& cell, std::int64_t& last) const {
    const int column = thread % tile_packs, row = thread / tile_packs;
    const std::int64_t across = tiles_across(), along = tiles_along();
    const std::int64_t p = number % across * tile_packs + column, r = number / across % along * tile_rows + row;
    const std::int64_t first = cells.inner.low[0] + number / across / along * steps;
    cell = {{first, cells.inner.low[1] + r, first_column() + p * W}};
    last = Kokkos::min(cells.inner.high[0], first + steps);
    return r < cells.inner.extent(1) && cell.of[2] < cells.inner.high[2] && cell.of[2] + W > cells.inner.low[2];
  }

  /// Where a walk is: the cell, the positions of its values, and the neighbourhoods. Of the pack, the cells from
  /// `first` to before `past` are computed; it has so many neighbours before and after it in its row.
  struct walker {
    int first, past, before, after;
    operand_tuple<typename grid_input<Source>::position...> from;
    operand_tuple<pointer_to<Out>...> to;
    operand_tuple<rolling_cells<source_value_t<Source>, radii, W, depth>...> near;
  };
  /// Walks by blocks of `depth` cells; `cell` becomes the first that no whole block reaches.
  template <class Own>
  KOKKOS_FUNCTION void walk(grid_index& cell, std::int64_t last, Own& own) const {
    const auto within = [&](std::int64_t n, int whole_count) {
      return whole ? whole_count : static_cast<int>(Kokkos::clamp<std::int64_t>(n, 0, whole_count));
    };
    const std::int64_t column = cell.of[2];
    walker w{whole ? 0 : within(cells.inner.low[2] - column, W),
             within(cells.inner.high[2] - column, W),
             within(column, radii::of(2)),
             within(cells.extent[2] - W - column, radii::of(2)),
             {{get<I>(cells.in).template at<true>(cell)}...},
             {{get<O>(cells.out).template at<true>(cell)}...},
             {}};
    if (cell.of[0] + depth > last) return;
    for (int p = 0; p < 2 * radii::of(0); ++p) (load_plane<I>(w, p, p), ...);
    const auto all_turns = [&]<std::size_t... Turn>(std::index_sequence<Turn...>) {
      return (turn<Turn>(w, cell, last, own) && ...);
    };
    while (all_turns(std::make_index_sequence<rolling<0>::turns>())) {
    }
  }
  /// Loads and computes the next block, and goes on to the one after it, if there is one.
  template <int Turn, class Own>
  KOKKOS_FUNCTION bool turn(walker& w, grid_index& cell, std::int64_t last, Own& own) const {
    (load_turn<I, Turn>(w), ...);
    compute<Turn>(w, cell, own);
    ((get<I>(w.from) = get<I>(w.from) + depth * get<I>(cells.in).stride[0]), ...);
    ((get<O>(w.to) += depth * get<O>(cells.out).stride[0]), ...);
    cell.of[0] += depth;
    return cell.of[0] + depth <= last;
  }
  template <std::size_t Input, int Turn>
  KOKKOS_FUNCTION void load_turn(walker& w) const {
    constexpr int reach = radii::of(0);
    const auto& in = get<Input>(cells.in);
    for (int d = 0; d < depth; ++d) load_plane<Input>(w, 2 * reach + d, rolling<Input>::slot(Turn, 2 * reach + d));
    for (int d = 0; d < depth; ++d)
      get<Input>(w.near).load_arms(rolling<Input>::slot(Turn, reach + d), get<Input>(w.from) + d * in.stride[0],
                                   in.stride[1], w.before, w.after);
  }
  /// Plane p of the neighbourhoods, counted from the first, to a slot.
  template <std::size_t Input>
  KOKKOS_FUNCTION void load_plane(walker& w, int p, int slot) const {
    const auto& in = get<Input>(cells.in);
    get<Input>(w.near).load_plane(slot, get<Input>(w.from) + (p - radii::of(0)) * in.stride[0], in.stride[1], w.before,
                                  w.after);
  }
  template <int Turn, class Own>
  KOKKOS_FUNCTION void compute(const walker& w, const grid_index& first, Own& own) const {
    const auto value = [&](int d, int k) {
      return cells.apply({{first.of[0] + d, first.of[1], first.of[2] + k}},
                         register_window<rolling<I>, Turn, Rank, Reversed>{get<I>(w.near), d, k}...);
    };
    decltype(value(0, 0)) r[depth][W];
    for (int d = 0; d < depth; ++d)
      for (int k = 0; k < W; ++k) r[d][k] = value(d, k);
    for (int d = 0; d < depth; ++d)
      (store_pack<O>(get<O>(w.to) + d * get<O>(cells.out).stride[0], r[d], w.first, w.past), ...);
    if constexpr (reduces)
      for (int d = 0; d < depth; ++d)
        for (int k = 0; k < W; ++k)
          if (whole || (k >= w.first && k < w.past))
            own.add({{first.of[0] + d, first.of[1], first.of[2] + k}}, r[d][k]);
  }
  template <std::size_t Output, class To, class Result>
  KOKKOS_FUNCTION static void store_pack(const To& to, const Result (&r)[W], int first, int past) {
    using T = source_value_t<To>;
    pack<T, W> p;
    for (int k = 0; k < W; ++k) p.value[k] = cell_value<T>(result_for<Output, sizeof...(Out)>(r[k]));
    if constexpr (!std::is_pointer_v<To>) {  // rows, one by one
      to[0] = p.value[0];
    } else if (past - first == W) {
      *reinterpret_cast<pack<T, W>*>(to) = p;
    } else {
      for (int k = 0; k < W; ++k)
        if (k >= first && k < past) to[k] = p.value[k];
    }
  }

  /// Takes cells from the inner box that packs cannot reach.
  void cut_to_packs() {
    auto &low = cells.inner.low[2], &high = cells.inner.high[2];
    if (whole) low = (low + W - 1) / W * W;
    high = std::max(low, std::min(high, (whole ? high : cells.extent[2]) / W * W));
    if (low == high) low = high = cells.all.low[2];
    packs = (high - first_column() + W - 1) / W;
  }
};

/// Whether packs of W elements stay aligned along the fastest axis.
template <int W, class Grid>
bool aligned_rows(const Grid& g) {
  return g.stride[2] == 1 && g.stride[0] % W == 0 && g.stride[1] % W == 0 && holds_packs<W>(g.data);
}

/// @param prepare is called with the kernel and the number of its teams, and returns the policy to launch it with
template <class Kernel, class Exec, class Prepare>
void launch_walks(const Exec& exec, const std::string& label, Kernel k, const Prepare& prepare) {
  k.cut_to_packs();
  const std::int64_t border = k.cells.count_border();
  const grid_box& inner = k.cells.inner;
  const std::int64_t walks = Kernel::walks * exec.concurrency();
  const std::int64_t steps = k.packs * inner.extent(1) * inner.extent(0) / std::max<std::int64_t>(1, walks);
  k.steps = std::clamp<std::int64_t>((steps + Kernel::depth - 1) / Kernel::depth * Kernel::depth, 8, 64);
  k.border_teams = (border + Kernel::tile - 1) / Kernel::tile;
  const std::int64_t walk_teams = (inner.extent(0) + k.steps - 1) / k.steps * k.tiles_along() * k.tiles_across();
  const auto teams = static_cast<int>(k.border_teams + (inner.cells() == 0 ? 0 : walk_teams));
  k.border_every = static_cast<int>(teams / std::max<std::int64_t>(1, k.border_teams));
  Kokkos::parallel_for(kernel_label(label), prepare(k, typename Kernel::policy(exec, teams, Kernel::tile)), k);
}
template <class Exec, class Cells, class Sink, class Prepare>
void stencil_on_device(const Exec& exec, const std::string& label, const Cells& cells, const Sink& sink,
                       const Prepare& prepare) {
  constexpr int width = Cells::pack_width;
  using packed = device_stencil<Cells, width, Sink>;
  if constexpr (width > 1 && packed::rolls) {
    // Of rows so short that they leave most threads without a pack, elements are spread over more threads.
    const bool wide = 4 * cells.inner.extent(2) >= width * packed::tile_packs;
    if (wide && cells.all_of([](const auto& g) { return aligned_rows<width>(g); }))
      return launch_walks(exec, label, packed{cells, sink}, prepare);
  }
  launch_walks(exec, label, device_stencil<Cells, 1, Sink>{cells, sink}, prepare);
}

}  // namespace quern::impl

#endif
