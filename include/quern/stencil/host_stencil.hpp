// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HOST_STENCIL_HPP
#define QUERN_STENCIL_HOST_STENCIL_HPP

#include <algorithm>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/nontemporal_store.hpp>
#include <quern/stencil/cells.hpp>
#include <quern/stencil/edge_tables.hpp>
#include <quern/stencil/tuning.hpp>

namespace quern::impl {

/// Cells of a row on their way past the caches of the host.
inline constexpr std::int64_t row_block = 1024;
template <class T>
struct row_buffer {
  alignas(64) T values[row_block];
};

/// A stencil by the threads of a host.
template <class Cells>
struct host_stencil;

template <class Exec, class Shape, int Rank, bool Reversed, class F, class... Out, std::size_t... O, class... Source,
          std::size_t... I>
struct host_stencil<numbered_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, std::index_sequence<O...>,
                                   std::tuple<Source...>, std::index_sequence<I...>>> {
  using cells_type = stencil_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, std::tuple<Source...>>;
  cells_type cells;
  std::int64_t block_rows = 1, rows_together = 1;
  std::int64_t border = 0;  // cells
  std::int64_t row_units = 0, first_unit = 0;
  bool together = true;      // the interior and the border in one launch
  bool nontemporal = false;  // write past the caches
  bool whole_rows = false;   // rows with their border cells, all rows of the border among them

  static constexpr std::int64_t border_run = 64;
  using radii = grid_radii<Shape, Rank, Reversed>;
  /// Whether border cells are computed by tables, which hold neighbourhoods of few cells.
  static constexpr bool by_tables =
      Shape::fixed && !computes_blocks<F> && std::max({radii::of(0), radii::of(1), radii::of(2)}) <= 8;
  using table_list = operand_tuple<edge_tables<Source, radii>...>;

  /// Rows of the interior come first, then runs of border cells.
  void operator()(std::int64_t unit) const {
    unit += first_unit;
    if (unit < row_units) compute_rows(unit);
    else compute_border(unit - row_units);
  }
  void compute_border(std::int64_t run) const {
    in_loop<host_stencil> local = *this;  // what the loop reads must not be what it might write
    const std::int64_t first = run * border_run, last = std::min(first + border_run, local.border);
    if constexpr (by_tables) {
      table_list tables = local.make_tables();
      local.cells.for_border_rows(
          first, last, [&](const grid_index& cell, std::int64_t count) { local.table_row(tables, cell, count); });
    } else {
      local.cells.for_border_rows(
          first, last, [&](const grid_index& cell, std::int64_t count) { local.cells.border_row(cell, count); });
    }
  }
  void compute_rows(std::int64_t number) const {
    in_loop<host_stencil> local = *this;  // what the loop reads must not be what it might write
    const std::int64_t first = number * rows_together, last = std::min(first + rows_together, local.rows());
    row_walk walk = local.row_at(first);
    if constexpr (by_tables)
      if (whole_rows) {
        table_list tables = local.make_tables();
        const int axis = cells.all.extent(1) == 1 ? 0 : 1;  // along which rows follow each other
        for (std::int64_t row = first, count; row < last; row += count) {
          walk = local.row_at(row);
          count = std::min((axis == 0 ? cells.all.high[0] : walk.end) - walk.cell.of[axis], last - row);
          local.table_rows(tables, walk.cell, axis, count);
        }
        return;
      }
    for (std::int64_t row = first; row < last; ++row, local.advance(walk)) local.compute_row(walk.cell);
  }
  const grid_box& box() const { return whole_rows ? cells.all : cells.inner; }
  std::int64_t rows() const { return box().extent(0) * box().extent(1); }
  std::int64_t border_units() const { return (border + border_run - 1) / border_run; }
  void compute_row(const grid_index& cell) const {
    if constexpr (computes_blocks<F>)
      if (cells.unit) return row_of_blocks(cell);
    if (nontemporal) streamed_row(cell);
    else inner_cells(cell, cells.inner.low[2], cells.inner.high[2]);
  }
  void inner_cells(const grid_index& cell, std::int64_t first, std::int64_t last) const {
    if (cells.unit) inner_row<true>(cell, first, last);
    else inner_row<false>(cell, first, last);
  }
  table_list make_tables() const {
    table_list tables;
    (get<I>(tables).set_ends(get<I>(cells.in), cells), ...);
    return tables;
  }
  /// `count` rows that follow each other along an axis, with their border cells.
  void table_rows(table_list& tables, grid_index cell, int axis, std::int64_t count) const {
    const grid_box& inner = cells.inner;
    const int other = 1 - axis;
    const std::int64_t first = cell.of[axis], end = first + count;
    std::int64_t low = end, high = end;  // the rows whose neighbours along the slower axes are all in the arrays
    if (cell.of[other] >= inner.low[other] && cell.of[other] < inner.high[other] &&
        !(get<I>(tables).constant_ends || ...)) {
      low = std::clamp(inner.low[axis], first, end);
      high = std::clamp(inner.high[axis], low, end);
    }
    for (; cell.of[axis] < low; ++cell.of[axis]) table_row(tables, cell, cells.all.extent(2));
    inside_rows(tables, cell, axis, high - low);
    for (cell.of[axis] = high; cell.of[axis] < end; ++cell.of[axis]) table_row(tables, cell, cells.all.extent(2));
  }
  /// Column by column at the ends, where all cells of a column have their neighbours at the same distances.
  void inside_rows(const table_list& tables, const grid_index& cell, int axis, std::int64_t count) const {
    const std::int64_t first = cells.all.low[2], end = cells.all.high[2], last = cell.of[axis] + count;
    const std::int64_t low = std::clamp(cells.inner.low[2], first, end),
                       high = std::clamp(cells.inner.high[2], low, end);
    for (std::int64_t i = first; i < low; ++i) end_column(cell, axis, last, i, get<I>(tables).low_end(cells, i)...);
    for (grid_index row = cell; low < high && row.of[axis] < last; ++row.of[axis]) inner_cells(row, low, high);
    for (std::int64_t i = high; i < end; ++i) end_column(cell, axis, last, i, get<I>(tables).high_end(cells, i)...);
  }
  template <class... Place>
  void end_column(grid_index cell, int axis, std::int64_t last, std::int64_t i, const Place*... along) const {
    const no_sink none;
    cell.of[2] = i;
    for (; cell.of[axis] < last; ++cell.of[axis])
      cells.template put<false>(
          cell,
          cells.apply(cell, end_window<Source, Rank, Reversed>{get<I>(cells.in), get<I>(cells.in).row(cell), along}...),
          none);
  }
  /// `count` adjacent cells of a row, at the border or not.
  void table_row(table_list& tables, grid_index cell, std::int64_t count) const {
    const grid_box& inner = cells.inner;
    const bool inside = cell.of[0] >= inner.low[0] && cell.of[0] < inner.high[0] && cell.of[1] >= inner.low[1] &&
                        cell.of[1] < inner.high[1];
    const bool constants = (get<I>(tables).set_row(get<I>(cells.in), cells, cell, inside) | ...);
    const std::int64_t first = cell.of[2], end = first + count;
    const std::int64_t low = std::clamp(inner.low[2], first, end), high = std::clamp(inner.high[2], low, end);
    for (std::int64_t i = first; i < low; ++i)
      table_cell<false, false>(tables, cell, i, get<I>(tables).low_end(cells, i)...);
    if (inside) inner_cells(cell, low, high);
    else if (cells.unit && !constants) inside_cells<true>(tables, cell, low, high);
    else inside_cells<false>(tables, cell, low, high);
    for (std::int64_t i = high; i < end; ++i)
      table_cell<false, false>(tables, cell, i, get<I>(tables).high_end(cells, i)...);
  }
  template <bool Unit>
  void inside_cells(const table_list& tables, const grid_index& cell, std::int64_t first, std::int64_t last) const {
    QUERN_IMPL_IVDEP
    for (std::int64_t i = first; i < last; ++i)
      table_cell<true, Unit>(tables, cell, i, (static_cast<void>(I), static_cast<const edge_offset*>(nullptr))...);
  }
  template <bool Inside, bool Unit, class... Place>
  void table_cell(const table_list& tables, grid_index cell, std::int64_t i, const Place*... along) const {
    cell.of[2] = i;
    const no_sink none;
    cells.template put<Unit>(
        cell,
        cells.apply(cell, edge_window<Source, Rank, Reversed, radii, Inside, Unit>{get<I>(cells.in), get<I>(tables),
                                                                                   along, i}...),
        none);
  }
  /// A row of results of windows of run-time extents: one cell of the windows after the other, each for a block of
  /// cells of the row, since compilers make vector instructions of innermost loops.
  void row_of_blocks(grid_index cell) const {
    using S = typename F::sum_type;
    using T = std::tuple_element_t<0, std::tuple<Out...>>;
    constexpr std::int64_t block = stencil_tuning<Exec>::summed_bytes / sizeof(S);
    row_buffer<T> buffer;
    for (std::int64_t& i = cell.of[2] = cells.inner.low[2]; i < cells.inner.high[2];) {
      const std::int64_t n = std::min(block, cells.inner.high[2] - i);
      const auto window = cells.template window_at<true>(get<0>(cells.in), cell);
      S sums[block];
      cells.f.for_block(sums, n, [&](auto... offset) { return window.centre + window.distance(offset...); });
      T* const to = get<0>(cells.out).template at<true>(cell);
      T* const results = nontemporal ? buffer.values : to;
      for (std::int64_t k = 0; k < n; ++k) results[k] = convert<T>(cells.f.finish(sums[k]));
      if (nontemporal) nontemporal_store(to, results, n * sizeof(T));
      i += n;
    }
    if (nontemporal) nontemporal_fence();
  }
  /// Rows come in blocks of `block_rows` of each plane, so that what a thread reads of one plane is still in its cache
  /// when it computes the next.
  struct row_walk {
    grid_index cell;
    std::int64_t first, end;  // of the block
  };
  row_walk row_at(std::int64_t number) const {
    const grid_box& b = box();
    const std::int64_t planes = b.extent(0), rows = b.extent(1);
    const std::int64_t block = number / (planes * block_rows), first = block * block_rows;
    const std::int64_t here = std::min(block_rows, rows - first);
    number -= block * planes * block_rows;
    return {{{b.low[0] + number / here, b.low[1] + first + number % here, b.low[2]}},
            b.low[1] + first,
            b.low[1] + first + here};
  }
  void advance(row_walk& walk) const {
    if (++walk.cell.of[1] < walk.end) return;
    const grid_box& b = box();
    if (++walk.cell.of[0] == b.high[0]) {
      walk.cell.of[0] = b.low[0];
      walk.first = walk.end;
      walk.end = std::min(walk.first + block_rows, b.high[1]);
    }
    walk.cell.of[1] = walk.first;
  }
  template <bool Unit>
  void inner_row(grid_index cell, std::int64_t first, std::int64_t last) const {
    QUERN_IMPL_IVDEP
    for (std::int64_t i = first; i < last; ++i) {
      cell.of[2] = i;
      cells.template inner_cell<Unit>(cell);
    }
  }
  /// A row written past the caches, through buffers.
  void streamed_row(grid_index cell) const {
    if constexpr (streams) {
      operand_tuple<row_buffer<Out>...> buffers;
      const operand_tuple<grid_output<Out>...> to{{{get<O>(buffers).values, {0, 0, 1}}}...};
      for (cell.of[2] = cells.inner.low[2]; cell.of[2] < cells.inner.high[2];) {
        const grid_index start = cell;
        const std::int64_t n = std::min(row_block, cells.inner.high[2] - start.of[2]);
        QUERN_IMPL_IVDEP
        for (std::int64_t k = 0; k < n; ++k) {
          cell.of[2] = start.of[2] + k;
          cells.template store_to<true>(to, {{0, 0, k}},
                                        cells.apply(cell, cells.template window_at<true>(get<I>(cells.in), cell)...));
        }
        (nontemporal_store(get<O>(cells.out).template at<true>(start), get<O>(buffers).values, n * sizeof(Out)), ...);
        cell.of[2] = start.of[2] + n;
      }
      nontemporal_fence();
    }
  }

  /// Takes whole rows where the border is a large part of the cells.
  void take_whole_rows(std::int64_t threads) {
    using tune = stencil_tuning<Exec>;
    const std::int64_t ratio = nontemporal ? tune::short_border_ratio : tune::border_ratio;
    if (!by_tables || border == 0 || border * ratio < cells.all.cells()) return;
    whole_rows = together = true;
    nontemporal = false;
    border = 0;
    const std::int64_t limit = std::max<std::int64_t>(tune::host_rows, tune::host_cells / cells.all.extent(2));
    rows_together = std::clamp<std::int64_t>(rows() / threads, 1, limit);
    row_units = (rows() + rows_together - 1) / rows_together;
  }

  static constexpr bool streams = !(is_row_memory<Out> || ...);  // whether cells may be written past the caches
  static constexpr std::int64_t in_bytes = std::max({sizeof(source_value_t<Source>)...}),
                                out_bytes = (sizeof(Out) + ...);
  /// How many rows of a plane a thread computes before those of the next: as many as stay in its cache.
  template <class Reach>
  static std::int64_t rows_of_block(const grid_boxes& boxes, const Reach& reach) {
    std::int64_t planes = 2;
    for (int d = 0; d < Rank; ++d)
      if (grid_axis<Rank, Reversed>(d) == 0) planes += 2 * reach.radius(d);
    const std::int64_t bytes = std::max<std::int64_t>(1, planes * boxes.extent[2] * in_bytes);
    return std::clamp<std::int64_t>(stencil_tuning<Exec>::block_bytes / bytes, 1,
                                    std::max<std::int64_t>(1, boxes.inner.extent(1)));
  }
};

/// How the threads of a host share the cells.
template <class Exec, class Cells, class Reach>
host_stencil<Cells> shared_cells(const Exec& exec, const Cells& cells, const Reach& reach) {
  using kernel_type = host_stencil<Cells>;
  kernel_type k{cells};
  k.border = k.cells.count_border();
  const grid_box& inner = k.cells.inner;
  k.block_rows = kernel_type::rows_of_block(k.cells, reach);
  k.nontemporal = k.streams && cells.unit && exec.concurrency() >= tuning<Exec>::streaming_threads &&
                  inner.cells() * kernel_type::out_bytes >= tuning<Exec>::streaming_bytes;
  // Units of the interior and the border take different times, and threads get equal numbers of them.
  k.together = exec.concurrency() == 1 || k.cells.all.cells() <= stencil_tuning<Exec>::one_launch;
  if (inner.cells() > 0) {
    const std::int64_t parts = (k.together ? 1 : 8) * exec.concurrency();
    k.rows_together = std::clamp<std::int64_t>(k.rows() / parts, 1, stencil_tuning<Exec>::host_rows);
    k.row_units = (k.rows() + k.rows_together - 1) / k.rows_together;
  }
  return k;
}
/// Runs a kernel over its units of work, those of `cells`: the interior's and the border's, in one launch or in two.
template <class Exec, class Cells, class Kernel>
void launch_cells(const Exec& exec, const std::string& label, host_stencil<Cells>& cells, const Kernel& kernel) {
  const auto launch = [&](const std::string& name, std::int64_t first, std::int64_t units) {
    cells.first_unit = first;
    if (units > 0) launch_units(exec, name, units, kernel);
  };
  launch(label, 0, cells.row_units + (cells.together ? cells.border_units() : 0));
  if (!cells.together) launch(label_text(label, "/border"), cells.row_units, cells.border_units());
}
template <class Exec, class Cells, class Reach>
void stencil_on_host(const Exec& exec, const std::string& label, const Cells& cells, const Reach& reach) {
  auto kernel = shared_cells(exec, cells, reach);
  kernel.take_whole_rows(exec.concurrency());
  launch_cells(exec, label, kernel, kernel);
}

}  // namespace quern::impl

#endif
