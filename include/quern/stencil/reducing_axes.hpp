// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_REDUCING_AXES_HPP
#define QUERN_STENCIL_REDUCING_AXES_HPP

/// @file
/// Stencils with reductions along axes among their outputs: reductions of the positions of cells, whose function
/// computes a cell, writes the other outputs, and returns what is reduced.

#include <quern/reduce/reduce.hpp>
#include <quern/reduce/reducing_map.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/stencil/stencil.hpp>

namespace quern::impl {

/// All axes, where that is known when compiling.
struct all_axes {
  operator axis_set() const { return axis_set::all(); }
};

/// The axes along which all reductions of a stencil are.
template <class... Out>
auto axes_of_stencil(const std::string& label, const std::tuple<Out...>& outs) {
  if constexpr ((has_axes<Out> || ...)) return axes_of_reductions(label, outs, rank_of_arrays<std::tuple<Out...>>());
  else return all_axes();
}

/// A box of cells of an array, or of results: from `low` to before `high`.
struct cell_range {
  shape low, high;

  /// How many there are along some axes.
  std::int64_t count(const axis_set& along) const {
    std::int64_t n = 1;
    for (int d = 0; d < low.rank; ++d) n *= along.has(d) ? high.extent[d] - low.extent[d] : 1;
    return n;
  }
  /// Along the other axes, those of the results.
  cell_range results(const axis_set& along) const { return {along.part(low, false), along.part(high, false)}; }
  /// Counted from another cell on.
  cell_range from(const shape& first) const {
    cell_range r = *this;
    for (int d = 0; d < low.rank; ++d) {
      r.low.extent[d] -= first.extent[d];
      r.high.extent[d] -= first.extent[d];
    }
    return r;
  }
  /// Whether these are all of an array with these extents.
  bool covers(const shape& extents) const {
    bool all = true;
    for (int d = 0; d < extents.rank; ++d) all = all && low.extent[d] <= 0 && high.extent[d] >= extents.extent[d];
    return all;
  }
};

template <int Rank, bool Reversed>
cell_range range_of(const grid_box& box) {
  cell_range r;
  r.low.rank = r.high.rank = Rank;
  for (int d = 0; d < Rank; ++d) {
    r.low.extent[d] = box.low[grid_axis<Rank, Reversed>(d)];
    r.high.extent[d] = box.high[grid_axis<Rank, Reversed>(d)];
  }
  return r;
}
/// The cells that a stencil computes; `edged` where all inputs have boundaries or ghosts of their own.
template <int Rank, class Reach>
cell_range computed_range(const std::string& label, const Reach& reach, const shape& extents, const boundaries& edge,
                          bool edged = false) {
  if (extents.size() == 0) return range_of<Rank, false>({});
  return range_of<Rank, false>(boxes_of<Rank, false>(label, reach, extents, edge, edged).all);
}
/// Of how many cells each result is, of those that are of the fewest.
inline std::int64_t fewest_cells(const cell_range& computed, const axis_set& along, const shape& extents) {
  const shape results = along.part(extents, false);
  if (results.size() == 0) return 1;  // there is no result
  return computed.results(along).covers(results) ? computed.count(along) : 0;
}

/// The results that are of no cells.
template <class Reducer, class Out>
struct results_of_none {
  Reducer reducer;
  Out* out;
  int rank;
  std::int64_t extent[max_rank], stride[max_rank], low[max_rank], high[max_rank];

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    bool some = true;
    std::int64_t offset = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const std::int64_t q = i / extent[d], at = i - q * extent[d];
      some = some && at >= low[d] && at < high[d];
      offset += at * stride[d];
      i = q;
    }
    if (!some) out[offset] = convert<Out>(reducer.result(reducer.init(), 0));
  }
};
/// Writes the results that are not in a range, of no cells each.
template <class Exec, class Reducer, class Out>
void write_others(const Exec& exec, const std::string& label, const Reducer& reducer, const strided<Out>& results,
                  const cell_range& computed) {
  const shape& extents = results.extents;
  if (extents.size() == 0 || computed.covers(extents)) return;
  results_of_none<Reducer, Out> kernel{reducer, results.data, extents.rank, {}, {}, {}, {}};
  for (int d = 0; d < extents.rank; ++d) {
    kernel.extent[d] = extents.extent[d];
    kernel.stride[d] = results.stride[d];
    kernel.low[d] = computed.low.extent[d];
    kernel.high[d] = computed.high.extent[d];
  }
  Kokkos::parallel_for(kernel_label(label, "/others"), index_range(exec, extents.size()), kernel);
}

/// A reducer of cells, the first of which has another position than 0.
template <class Reducer>
struct reducer_from : Reducer {
  std::int64_t first;
  KOKKOS_FUNCTION auto result(typename Reducer::state s, std::int64_t n) const {
    Reducer::move(s, first);
    return Reducer::result(s, n);
  }
};
template <class Reducer>
auto counted_from(const Reducer& reducer, std::int64_t first) {
  if constexpr (uses_positions<Reducer>) return reducer_from<Reducer>{reducer, first};
  else return reducer;
}

/// Where the elements of an output are in memory, whose order a reduction takes, as an input that has no values.
template <class T>
struct order_input {
  using value_type = std::int64_t;
  struct operand : position_operand {
    using pack_type = packs_of_one;  // cells are computed one by one
    operand with_step(std::int64_t other) const { return {{{}, other}}; }
  };
  strided<T> array;
  operand at_step(std::int64_t step) const { return {{{}, step}}; }
};

/// The function of such a reduction, of the indices of a cell in the box of those that are computed.
template <class Cells>
struct cell_values;
template <class Exec, class Shape, int Rank, bool Reversed, class F, class Outs, class OutNumbers, class Sources,
          class Numbers>
struct cell_values<numbered_cells<Exec, Shape, Rank, Reversed, F, Outs, OutNumbers, Sources, Numbers>> {
  using cells_type = numbered_cells<Exec, Shape, Rank, Reversed, F, Outs, OutNumbers, Sources, Numbers>;
  using value = std::remove_cvref_t<decltype(std::declval<const cells_type&>().inner_value(grid_index()).reduced)>;
  cells_type cells;

  template <class... Index>
  KOKKOS_FUNCTION value operator()(std::int64_t, const Index&... index) const {
    return computed(cell_at({index...}));
  }

  /// The values of n cells beside each other on a host, whose first indices are those of `index`.
  template <class... Index>
  void compute_block(value* results, std::int64_t n, const counting&, const Index&... index) const {
    grid_index cell = cell_at({index.from...});
    const std::int64_t steps[] = {index.step...};
    grid_index step{};
    for (int d = 0; d < Rank; ++d) step.of[grid_axis<Rank, Reversed>(d)] = steps[d];
    if (step.of[0] == 0 && step.of[1] == 0 && step.of[2] == 1) return compute_row(results, cell, n);
    for (std::int64_t k = 0; k < n; ++k) {
      results[k] = computed(cell);
      for (int a = 0; a < 3; ++a) cell.of[a] += step.of[a];
    }
  }

 private:
  KOKKOS_FUNCTION grid_index cell_at(const std::int64_t (&index)[Rank]) const {
    grid_index cell{};
    for (int d = 0; d < Rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      cell.of[a] = cells.all.low[a] + index[d];
    }
    return cell;
  }
  KOKKOS_FUNCTION bool is_inner(const grid_index& cell, int axes) const {
    bool inner = true;
    for (int a = 0; a < axes; ++a)
      inner = inner && cell.of[a] >= cells.inner.low[a] && cell.of[a] < cells.inner.high[a];
    return inner;
  }
  KOKKOS_FUNCTION value computed(const grid_index& cell) const {
    if (is_inner(cell, 3)) return written<false>(cell, cells.inner_value(cell));
    return border(cell);
  }
  KOKKOS_FUNCTION value border(const grid_index& cell) const {
    if (cells.continued_once) return written<false>(cell, cells.template border_value<true>(cell));
    return written<false>(cell, cells.template border_value<false>(cell));
  }
  template <bool Unit, class R>
  KOKKOS_FORCEINLINE_FUNCTION value written(const grid_index& cell, const R& r) const {
    cells.template store_to<Unit>(cells.out, cell, r);
    return r.reduced;
  }

  void compute_row(value* results, grid_index cell, std::int64_t n) const {
    std::int64_t& i = cell.of[2];
    const std::int64_t first = i, end = i + n;
    const std::int64_t low = std::clamp(cells.inner.low[2], i, end), high = std::clamp(cells.inner.high[2], low, end);
    for (; i < low; ++i) results[i - first] = border(cell);
    if (is_inner(cell, 2)) {
      if (cells.unit) compute_inner<true>(results + (i - first), cell, high - i);
      else compute_inner<false>(results + (i - first), cell, high - i);
      i = high;
    } else if (cells.continued_once) {  // nothing is beyond the fastest axis
      for (; i < high; ++i) results[i - first] = written<false>(cell, cells.template border_value<true, true>(cell));
    }
    for (; i < end; ++i) results[i - first] = border(cell);
  }
  template <bool Unit>
  void compute_inner(value* results, const grid_index& start, std::int64_t n) const {
    in_loop<cell_values> local = *this;  // what the loop reads must not be what it might write
    grid_index cell = start;
    local.cells.template for_inner_row<Unit>(start, n, [&](std::int64_t k) {
      cell.of[2] = start.of[2] + k;
      results[k] = local.template written<Unit>(cell, local.cells.template inner_value<Unit>(cell));
    });
  }
};
template <class Cells>
inline constexpr bool writes<cell_values<Cells>> = true;

/// Along which axes the reductions of a part of an array are, and to which cell, counted from the part's first one, the
/// first results belong.
struct results_along {
  axis_set along;
  shape first = {};
};

/// Launches a stencil, some of whose cells are computed, with the results of `reducer` along axes. `out` is the first
/// of the arrays; the part begins at the cell `origin` of an array with the extents `whole`.
template <int Rank, bool Reversed, class Exec, class Cells, class Reducer, class Out, class Result>
void reduce_cells_along(call<Exec>& c, const Cells& cells, const Reducer& reducer, const results_along& to,
                        const shape& whole, const shape& origin, const strided<Out>& out,
                        const strided<Result>& results) {
  const cell_range range = range_of<Rank, Reversed>(cells.all);
  write_others(c.exec, c.label, reducer, results, range.from(to.first).results(to.along));
  const axis_set& along = to.along;
  shape box = range.high;
  strided<Result> part = results;
  std::int64_t first = 0;
  const auto positions = positions_along(whole, along);
  for (int d = 0, k = 0; d < Rank; ++d) {
    box.extent[d] -= range.low.extent[d];
    first += positions.array.stride[d] * (origin.extent[d] + range.low.extent[d]);
    if (along.has(d)) continue;
    part.extents.extent[k] = box.extent[d];
    part.data += (range.low.extent[d] - to.first.extent[d]) * part.stride[k++];
  }
  const auto from = counted_from(reducer, first);
  const order_input<Out> order{{out.data, box, out.stride}};
  const auto launch = [&]<int... D>(std::integer_sequence<int, D...>, const auto&... beside) {
    reduce_launch(c.exec, c.label, c.scratch(),
                  describe_reduction<Exec>(from, cell_values<Cells>{cells}, along, part, order, index_along(box, D)...,
                                           beside...));
  };
  unpack([&](const auto&... beside) { launch(std::make_integer_sequence<int, Rank>(), beside...); },
         inputs_beside(reduction{"", reducer}, along, whole, [](const auto&) {}));
}

}  // namespace quern::impl

#endif
