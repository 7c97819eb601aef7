// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_CELLS_HPP
#define QUERN_STENCIL_CELLS_HPP

#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/nontemporal_store.hpp>
#include <quern/stencil/windows.hpp>

namespace quern::impl {

/// A functor that wants to know where it is.
template <class F>
struct positioned {
  F f;
};
template <class F>
inline constexpr bool is_positioned = false;
template <class F>
inline constexpr bool is_positioned<positioned<F>> = true;

/// Functors of windows of run-time extents that hosts call with the cells of a part of a row, `for_block`, so that
/// loops over these are innermost.
template <class F>
inline constexpr bool computes_blocks = false;

/// What decides on the width of packs of an output: rows are written one by one.
template <class T>
using cell_of = std::conditional_t<is_row_memory<T>, packs_of_one, T>;

/// The numbers of the elements of a tuple.
template <class Tuple>
using tuple_numbers = std::make_index_sequence<std::tuple_size_v<Tuple>>;

/// A value of a cell as `out` holds it.
template <class Out, class Value>
KOKKOS_FORCEINLINE_FUNCTION Out cell_value(const Value& v) {
  static_assert(converts<Value, Out>,
                "quern::stencil: the values do not convert to out's type, as complex numbers to real ones");
  if constexpr (converts<Value, Out>) return convert<Out>(v);
  else return Out();
}

/// What a functor returns for several outputs, of which some are reductions.
template <class Written, class Reduced>
struct partly_reduced {
  Written written;
  Reduced reduced;
};
/// What it returns for output number J of `Count`.
template <std::size_t J, std::size_t Count, class R>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) result_for(const R& r) {
  if constexpr (requires { r.written; }) return value_part<J>(r.written);
  else if constexpr (Count == 1) return (r);
  else return value_part<J>(r);
}

/// What happens to the results of cells beside that they are written: nothing. The kernels of stencils with reductions
/// have another one (reducing_stencil.hpp).
struct no_sink {
  KOKKOS_FUNCTION no_sink begin() const { return {}; }
  template <class R>
  KOKKOS_FUNCTION void add(const grid_index&, const R&) const {}
  template <class Member>
  KOKKOS_FUNCTION void finish(const Member&, const no_sink&) const {}
};

/// out(i) = f(windows of in... around i) for all cells of a box: what hosts and devices share.
///
/// Around an inner box all values are in the arrays. There a thread of a device computes W adjacent cells and walks
/// along axis 0 with their neighbourhoods in registers, where these fit (device_stencil.hpp); a thread of the host
/// computes rows (host_stencil.hpp). The other cells are computed one by one, and look up each value.
template <class Exec, class Shape, int Rank, bool Reversed, class F, class Outs, class OutNumbers, class Sources,
          class Numbers>
struct numbered_cells;
template <class Exec, class Shape, int Rank, bool Reversed, class F, class Outs, class Sources>
using stencil_cells =
    numbered_cells<Exec, Shape, Rank, Reversed, F, Outs, tuple_numbers<Outs>, Sources, tuple_numbers<Sources>>;

template <class Exec, class Shape, int Rank, bool Reversed, class F, class... Out, std::size_t... O, class... Source,
          std::size_t... I>
struct numbered_cells<Exec, Shape, Rank, Reversed, F, std::tuple<Out...>, std::index_sequence<O...>,
                      std::tuple<Source...>, std::index_sequence<I...>> : grid_boxes {
  using exec_space = Exec;
  F f;
  operand_tuple<grid_output<Out>...> out;
  operand_tuple<grid_input<Source>...> in;
  bool unit = false;                 // the fastest axis is contiguous
  std::int64_t border_ends[6] = {};  // border cells in slabs below and above the inner box along each axis, counted up

  /// The width of packs, limited since more would take too many registers.
  static constexpr int pack_width =
      std::min(quern::impl::pack_width<Exec, cell_of<Out>..., source_value_t<Source>...>(), 8);

  /// Whether f takes windows, for one type of them.
  static constexpr bool callable = [] {
    if constexpr (is_positioned<F>)
      return std::is_invocable_v<decltype((std::declval<const F&>().f)), Kokkos::Array<std::int64_t, Rank>&,
                                 const border_window<Source, Rank, Reversed, true>&...>;
    else return std::is_invocable_v<const F&, const border_window<Source, Rank, Reversed, true>&...>;
  }();

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
  template <bool Unit, class Result>
  KOKKOS_FUNCTION static void store_to(const operand_tuple<grid_output<Out>...>& to, const grid_index& cell,
                                       const Result& r) {
    ((*get<O>(to).template at<Unit>(cell) = cell_value<stored<Out>>(result_for<O, sizeof...(O)>(r))), ...);
  }

  // One cell, of the border or where there are no packs.
  template <class Sink = no_sink>
  KOKKOS_FUNCTION void border_cell(const grid_index& cell, Sink&& sink = {}) const {
    if (continued_once) border_cell<true>(cell, sink);
    else border_cell<false>(cell, sink);
  }
  template <bool Once, bool Inside = false, class Sink>
  KOKKOS_FUNCTION void border_cell(const grid_index& cell, Sink& sink) const {
    put<false>(cell, border_value<Once, Inside>(cell), sink);
  }
  template <bool Once, bool Inside = false>
  KOKKOS_FUNCTION auto border_value(const grid_index& cell) const {
    return apply(cell, border_window<Source, Rank, Reversed, Once, Inside>{get<I>(in), *this, cell}...);
  }
  /// `count` border cells beside each other on a host. Above and below the inner box nothing is beyond the fastest
  /// axis.
  template <class Sink = no_sink>
  void border_row(grid_index cell, std::int64_t count, Sink&& sink = {}) const {
    const std::int64_t end = cell.of[2] + count;
    const std::int64_t low = std::clamp(inner.low[2], cell.of[2], end), high = std::clamp(inner.high[2], low, end);
    while (true) {
      if constexpr (!computes_blocks<F>)
        if (cell.of[2] == low && continued_once)
          for (; cell.of[2] < high; ++cell.of[2]) border_cell<true, true>(cell, sink);
      if (cell.of[2] == end) return;
      border_cell(cell, sink);
      ++cell.of[2];
    }
  }
  template <bool Unit, class Sink = no_sink>
  KOKKOS_FUNCTION void inner_cell(const grid_index& cell, Sink&& sink = {}) const {
    put<Unit>(cell, inner_value<Unit>(cell), sink);
  }
  template <bool Unit = false>
  KOKKOS_FUNCTION auto inner_value(const grid_index& cell) const {
    return apply(cell, window_at<Unit>(get<I>(in), cell)...);
  }
  /// `compute(k)` for n cells beside each other on a host, those up to a cache line of the first output first: it takes
  /// twice as long to store vectors that cross lines.
  template <bool Unit, class Compute>
  void for_inner_row(const grid_index& first, std::int64_t n, const Compute& compute) const {
    std::int64_t k = 0, to_line = 0;
    if constexpr (Unit && std::is_pointer_v<decltype(get<0>(out).template at<true>(first))>)
      to_line = std::min(n, elements_to_line(get<0>(out).template at<true>(first)));
    for (const std::int64_t end : {to_line, n}) {
      QUERN_IMPL_IVDEP
      for (; k < end; ++k) compute(k);
    }
  }
  template <bool Unit, class Result, class Sink>
  KOKKOS_FUNCTION void put(const grid_index& cell, const Result& r, Sink& sink) const {
    store_to<Unit>(out, cell, r);
    sink.add(cell, r);
  }
  template <bool Unit, class Input>
  KOKKOS_FUNCTION memory_window<typename Input::position, Rank, Reversed, Unit> window_at(
      const Input& input, const grid_index& cell) const {
    return {input.template at<Unit>(cell), {input.stride[0], input.stride[1], input.stride[2]}};
  }

  /// Border cell number n: in slabs whose cells are within the inner box along the axes before theirs.
  KOKKOS_FUNCTION grid_index border_at(std::int64_t n) const {
    const int slab = slab_of(n);
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
  KOKKOS_FUNCTION int slab_of(std::int64_t n) const {
    int slab = 0;
    while (n >= border_ends[slab]) ++slab;
    return slab;
  }
  /// The border cells from number `first` to before `last`, row by row: `compute` of the first cell and how many there
  /// are.
  template <class Row>
  void for_border_rows(std::int64_t first, std::int64_t last, const Row& compute) const {
    while (first < last) {
      const int slab = slab_of(first);
      const grid_box b = border_slab(slab);
      grid_index cell = border_at(first);
      for (const std::int64_t end = std::min(last, border_ends[slab]); first < end;) {
        const std::int64_t row = std::min(end - first, b.high[2] - cell.of[2]);
        compute(cell, row);
        first += row;
        cell.of[2] = b.low[2];
        if (++cell.of[1] == b.high[1]) {
          cell.of[1] = b.low[1];
          ++cell.of[0];
        }
      }
    }
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

  /// Counts the border's cells, when the inner box is known. Returns how many there are.
  std::int64_t count_border() {
    std::int64_t border = 0;
    for (int slab = 0; slab < 6; ++slab)
      border_ends[slab] = border += std::max<std::int64_t>(0, border_slab(slab).cells());
    return border;
  }
  /// Whether a test holds for all inputs and outputs.
  template <class Test>
  bool all_of(const Test& test) const {
    return (test(get<I>(in)) && ...) && (test(get<O>(out)) && ...);
  }
};

}  // namespace quern::impl

#endif
