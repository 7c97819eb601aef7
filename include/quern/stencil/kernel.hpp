// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_KERNEL_HPP
#define QUERN_STENCIL_KERNEL_HPP

#include <quern/core/stream_store.hpp>
#include <quern/stencil/windows.hpp>

namespace quern::impl {

/// Cells of a row on their way past the caches of the host.
inline constexpr std::int64_t row_block = 1024;
template <class T>
struct row_buffer {
  alignas(64) T values[row_block];
};

struct interior_tag {};  // host: a row of cells
struct border_tag {};    // host: a cell
struct grid_tag {};      // device: cells of the border, then walks through the interior

/// A functor that wants to know where it is.
template <class F>
struct positioned {
  F f;
};
template <class F>
inline constexpr bool is_positioned = false;
template <class F>
inline constexpr bool is_positioned<positioned<F>> = true;

/// out(i) = f(windows of in... around i) for all cells of a box.
///
/// Around an inner box all values are in the arrays. There a thread of a device computes W neighbouring cells and walks
/// along axis 0 with their neighbourhoods in registers, where these fit; a thread of the host computes rows. The other
/// cells are computed one by one, and look up each value.
template <class Exec, class Shape, int Rank, bool Reversed, class F, class Out, class... Source>
struct stencil_kernel;

template <class Exec, class Shape, int Rank, bool Reversed, class F, class... Out, class... Source>
struct stencil_kernel<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, Source...> : grid_boxes {
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int width =
      std::min(pack_width<Exec, Out..., source_value_t<Source>...>(), 8);  // more take too many registers
  using inputs = std::index_sequence_for<Source...>;
  using outputs = std::index_sequence_for<Out...>;

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
  static constexpr std::size_t most_bytes = 384;
  /// Fewer teams at a time where each thread needs more than half of the registers that more would leave it.
  static constexpr int teams = tuning<Exec>::stencil_teams / (rolling_bytes<width>() > 128 ? 2 : 1);
  /// Cells at the ends of rows that do not fill a pack are left to the border, or computed alone from a pack: measured,
  /// wide packs cannot afford the conditions, and of narrow ones the border would have too many rows.
  static constexpr bool whole = width > 4;
  static constexpr bool rolls = Shape::fixed && rolling_bytes<width>() <= most_bytes;

  F f;
  operand_tuple<grid_output<Out>...> out;
  operand_tuple<grid_input<Source>...> in;
  bool packed = false;               // device: the inner cells are aligned packs
  bool unit = false;                 // the fastest axis is contiguous
  std::int64_t border_ends[6] = {};  // border cells in slabs below and above the inner box along each axis, counted up
  std::int64_t border_teams = 0;     // device
  std::int64_t packs = 1;            // device: of a row
  std::int64_t steps = 1;            // device: of a walk
  std::int64_t block_rows = 1;       // host
  bool stream = false;               // host: write past the caches

  template <class... Window>
  KOKKOS_FUNCTION decltype(auto) apply(const grid_index& cell, const Window&... w) const {
    if constexpr (is_positioned<F>) {
      Kokkos::Array<std::int64_t, Rank> position;
      for (int d = 0; d < Rank; ++d) position[d] = cell.of[grid_axis<Rank, Reversed>(d)];
      return f.f(position, w...);
    } else {
      return f(w...);
    }
  }
  template <bool Unit, class Result, std::size_t... O>
  KOKKOS_FUNCTION void store(const grid_index& cell, const Result& r, std::index_sequence<O...>) const {
    if constexpr (sizeof...(O) == 1) ((*get<O>(out).template at<Unit>(cell) = convert<Out>(r)), ...);
    else ((*get<O>(out).template at<Unit>(cell) = convert<Out>(r[O])), ...);
  }

  // One cell, of the border or where there are no packs.
  template <std::size_t... I>
  KOKKOS_FUNCTION void border_cell(const grid_index& cell, std::index_sequence<I...>) const {
    store<false>(cell, apply(cell, border_window<Source, Rank, Reversed>{get<I>(in), extent, mode, cell}...),
                 outputs());
  }
  template <bool Unit, std::size_t... I>
  KOKKOS_FUNCTION void inner_cell(const grid_index& cell, std::index_sequence<I...>) const {
    store<Unit>(cell, apply(cell, window_at<Unit>(get<I>(in), cell)...), outputs());
  }
  template <bool Unit, class Input>
  KOKKOS_FUNCTION memory_window<typename Input::place, Rank, Reversed, Unit> window_at(const Input& input,
                                                                                       const grid_index& cell) const {
    return {input.template at<Unit>(cell), {input.stride[0], input.stride[1], input.stride[2]}};
  }

  /// Border cell number n: in slabs whose cells are within the inner box along the axes before theirs.
  KOKKOS_FUNCTION grid_index border_at(std::int64_t n) const {
    int slab = 0;
    while (n >= border_ends[slab]) ++slab;
    if (slab > 0) n -= border_ends[slab - 1];
    const grid_box b = border_slab(slab);
    grid_index cell;
    for (int a = 2; a >= 0; --a) {
      const std::int64_t q = n / b.extent(a);
      cell.of[a] = b.low[a] + n - q * b.extent(a);
      n = q;
    }
    return cell;
  }
  KOKKOS_FUNCTION grid_box border_slab(int slab) const {
    const int a = slab / 2;
    grid_box b = all;
    for (int c = 0; c < a; ++c) {
      b.low[c] = inner.low[c];
      b.high[c] = inner.high[c];
    }
    if (slab % 2 == 0) b.high[a] = inner.low[a];
    else b.low[a] = inner.high[a];
    return b;
  }

  // A walk of the device along axis 0. The threads of a team take neighbouring packs of several rows, so that they
  // share what they read.
  static constexpr int tile = tuning<Exec>::stencil_team, tile_rows = Rank == 3 ? tuning<Exec>::stencil_rows : 1;
  static constexpr int tile_packs = tile / tile_rows;

  KOKKOS_FUNCTION bool walk_at(int thread, std::int64_t number, grid_index& cell, std::int64_t& last) const {
    const int lane = thread % tile_packs, row = thread / tile_packs;
    const std::int64_t across = (packs + tile_packs - 1) / tile_packs;
    const std::int64_t along = (inner.extent(1) + tile_rows - 1) / tile_rows;
    const std::int64_t p = number % across * tile_packs + lane, r = number / across % along * tile_rows + row;
    const std::int64_t first = inner.low[0] + number / across / along * steps;
    cell = {{first, inner.low[1] + r, p * (packed ? width : 1)}};
    last = Kokkos::min(inner.high[0], first + steps);
    return r < inner.extent(1) && cell.of[2] < inner.high[2] && cell.of[2] + (packed ? width : 1) > inner.low[2];
  }
  std::int64_t walk_teams() const {
    if (inner.cells() == 0) return 0;
    const std::int64_t across = (packs + tile_packs - 1) / tile_packs;
    const std::int64_t along = (inner.extent(1) + tile_rows - 1) / tile_rows;
    return (inner.extent(0) + steps - 1) / steps * along * across;
  }
  template <class Member>
    requires(device)
  KOKKOS_FUNCTION void operator()(grid_tag, const Member& team) const {
    const std::int64_t walks = team.league_rank() - border_teams;
    if (walks < 0) {
      const std::int64_t n = team.league_rank() * std::int64_t{tile} + team.team_rank();
      if (n < border_ends[5]) border_cell(border_at(n), inputs());
      return;
    }
    grid_index cell;
    std::int64_t last;
    if (!walk_at(team.team_rank(), walks, cell, last)) return;
    if constexpr (rolls && width > 1) {
      if (packed) return walk(cell, last, inputs());
    }
    if (unit)
      for (; cell.of[0] < last; ++cell.of[0]) inner_cell<true>(cell, inputs());
    else
      for (; cell.of[0] < last; ++cell.of[0]) inner_cell<false>(cell, inputs());
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
             whole ? 0 : within(inner.low[2] - column, width),
             within(inner.high[2] - column, width),
             within(column, radii::of(2)),
             within(extent[2] - width - column, radii::of(2)),
             {{get<I>(in).template at<true>(cell)}...},
             first_places(cell, outputs()),
             {}};
    for (int p = 0; p < 2 * reach; ++p)
      (get<I>(w.near).load_plane(p, get<I>(w.from) + (p - reach) * get<I>(in).stride[0], get<I>(in).stride[1], w.before,
                                 w.after),
       ...);
    while (turns(w, last, std::make_index_sequence<2 * reach + 1>())) {
    }
  }
  template <std::size_t... O>
  KOKKOS_FUNCTION operand_tuple<Out*...> first_places(const grid_index& cell, std::index_sequence<O...>) const {
    return {{get<O>(out).template at<true>(cell)}...};
  }
  template <std::size_t... Turn>
  KOKKOS_FUNCTION bool turns(walker& w, std::int64_t last, std::index_sequence<Turn...>) const {
    return (turn<Turn>(w, last, inputs(), outputs()) && ...);
  }
  template <int Turn, std::size_t... I, std::size_t... O>
  KOKKOS_FUNCTION bool turn(walker& w, std::int64_t last, std::index_sequence<I...>, std::index_sequence<O...>) const {
    constexpr int reach = radii::of(0), planes = 2 * reach + 1;
    (get<I>(w.near).load_plane((Turn + 2 * reach) % planes, get<I>(w.from) + reach * get<I>(in).stride[0],
                               get<I>(in).stride[1], w.before, w.after),
     ...);
    (get<I>(w.near).load_arms((Turn + reach) % planes, get<I>(w.from), get<I>(in).stride[1], w.before, w.after), ...);
    store_packs<Turn>(w, get<I>(w.near)...);
    ((get<I>(w.from) = get<I>(w.from) + get<I>(in).stride[0]), ...);
    ((get<O>(w.to) += get<O>(out).stride[0]), ...);
    return ++w.cell.of[0] < last;
  }
  template <int Turn, class... Rolling>
  KOKKOS_FUNCTION void store_packs(const walker& w, const Rolling&... near) const {
    using result =
        std::remove_cvref_t<decltype(apply(w.cell, register_window<Rolling, Turn, Rank, Reversed>{near, 0}...))>;
    result r[width];
    grid_index cell = w.cell;
    for (int k = 0; k < width; ++k, ++cell.of[2])
      r[k] = apply(cell, register_window<Rolling, Turn, Rank, Reversed>{near, k}...);
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

  // The host.
  void operator()(border_tag, std::int64_t n) const { border_cell(border_at(n), inputs()); }
  void operator()(interior_tag, std::int64_t number) const {
    const stencil_kernel local = *this;  // what the loop reads must not be what it might write
    const grid_index cell = row_at(number);
    if (stream) local.streamed_row(cell, inputs(), outputs());
    else if (unit) local.template inner_row<true>(cell);
    else local.template inner_row<false>(cell);
  }
  /// Rows come in blocks of `block_rows` of each plane, so that what a thread reads of one plane is still in its cache
  /// when it computes the next.
  grid_index row_at(std::int64_t number) const {
    const std::int64_t planes = inner.extent(0), rows = inner.extent(1);
    const std::int64_t block = number / (planes * block_rows), first = block * block_rows;
    const std::int64_t here = std::min(block_rows, rows - first);
    number -= block * planes * block_rows;
    return {{inner.low[0] + number / here, inner.low[1] + first + number % here, 0}};
  }
  template <bool Unit>
  void inner_row(grid_index cell) const {
#pragma GCC ivdep
    for (std::int64_t i = inner.low[2]; i < inner.high[2]; ++i) {
      cell.of[2] = i;
      inner_cell<Unit>(cell, inputs());
    }
  }
  /// A row written past the caches, through buffers.
  template <std::size_t... I, std::size_t... O>
  void streamed_row(grid_index cell, std::index_sequence<I...>, std::index_sequence<O...>) const {
    operand_tuple<row_buffer<Out>...> buffers;
    stencil_kernel local = *this;
    ((get<O>(local.out) = {get<O>(buffers).values, {0, 0, 1}}), ...);
    for (cell.of[2] = inner.low[2]; cell.of[2] < inner.high[2];) {
      const grid_index start = cell;
      const std::int64_t n = std::min(row_block, inner.high[2] - start.of[2]);
#pragma GCC ivdep
      for (std::int64_t k = 0; k < n; ++k) {
        cell.of[2] = start.of[2] + k;
        local.template store<true>({{0, 0, k}}, apply(cell, window_at<true>(get<I>(in), cell)...), outputs());
      }
      (stream_store(get<O>(out).template at<true>(start), get<O>(buffers).values, n * sizeof(Out)), ...);
      cell.of[2] = start.of[2] + n;
    }
    stream_fence();
  }
};

}  // namespace quern::impl

#endif
