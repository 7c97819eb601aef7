// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_REDUCING_STENCIL_HPP
#define QUERN_STENCIL_REDUCING_STENCIL_HPP

/// @file
/// Stencils with reductions among their outputs. Threads of hosts and teams of devices leave a state for each unit of
/// work, of the interior and of the border, and these are joined in an order that depends on their number alone.

#include <bit>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/reduce/tuning.hpp>
#include <quern/stencil/reducing_axes.hpp>

namespace quern::impl {

/// f of windows, of whose results those with the numbers A are written and those with the numbers R are reduced.
template <class F, class ArrayNumbers, class ReducedNumbers, class... Transform>
struct reducing_windows;
template <class F, std::size_t... A, std::size_t... R, class... Transform>
struct reducing_windows<F, std::index_sequence<A...>, std::index_sequence<R...>, Transform...> {
  F f;
  operand_tuple<Transform...> transform;

  template <class... Argument>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const Argument&... argument) const {
    const auto r = f(argument...);
    const auto reduced = reduced_parts<R...>(r, transform, std::index_sequence_for<Transform...>());
    const auto written = quern::values(value_part<A>(r)...);
    return partly_reduced<std::remove_const_t<decltype(written)>, std::remove_const_t<decltype(reduced)>>{written,
                                                                                                          reduced};
  }
};

/// The position of a cell of a part in the whole array, in row-major order.
struct cell_positions {
  std::int64_t first = 0, step[3] = {0, 0, 0};
  KOKKOS_FUNCTION std::int64_t operator()(const grid_index& cell) const {
    return first + cell.of[0] * step[0] + cell.of[1] * step[1] + cell.of[2] * step[2];
  }
};
template <int Rank, bool Reversed>
cell_positions positions_of_cells(const shape& whole, const shape& origin) {
  cell_positions p;
  const stride_array strides = row_major_strides(whole);
  for (int d = 0; d < Rank; ++d) {
    p.step[grid_axis<Rank, Reversed>(d)] = strides[d];
    p.first += origin.extent[d] * strides[d];
  }
  return p;
}

/// The positions of the cells of a row.
struct positions_in_row {
  std::int64_t first, step;
  KOKKOS_FUNCTION std::int64_t operator()(int k) const { return first + k * step; }
};

/// What a kernel adds results of cells to.
template <class Reducer, class Result>
struct reducing_sink {
  using state = typename Reducer::state;
  Reducer reducer;
  cell_positions position;
  std::int64_t values;  // that are reduced
  Result* result;
  state* partial = nullptr;  // of each unit of work
  int* finished = nullptr;   // teams of a device

  struct sum {
    const reducing_sink& sink;
    state s;
    template <class R>
    KOKKOS_FUNCTION void add(const grid_index& cell, const R& r) {
      if constexpr (uses_positions<Reducer>) sink.reducer.add(s, r.reduced, sink.position(cell));
      else sink.reducer.add(s, r.reduced);
    }
  };
  KOKKOS_FUNCTION sum begin() const { return {*this, reducer.init()}; }
  /// How many states a team shares at a time, and the scratch memory that they take.
  template <class Exec>
  static constexpr int shared_states =
      std::clamp<int>(stencil_tuning<Exec>::state_bytes / sizeof(state), 1, stencil_tuning<Exec>::team);
  template <class Exec>
  static constexpr std::int64_t shared_bytes = shared_states<Exec> * sizeof(state) + alignof(state);
  /// Joins the states of a team. The last team to come here joins those of all, and writes the result.
  template <class Member>
  KOKKOS_FUNCTION void finish(const Member& team, sum& own) const {
    constexpr int room = shared_states<typename Member::execution_space>;
    auto* const shared =
        static_cast<state*>(team.team_scratch(0).get_shmem_aligned(room * sizeof(state), alignof(state)));
    const int t = team.team_rank(), teams = team.league_size();
    join_team(team, shared, own.s);
    if (t == 0) {
      partial[team.league_rank()] = own.s;
      Kokkos::memory_fence();
    }
    if (!last_to_finish(team, finished, teams)) return;
    own.s = reducer.init();
    for (int i = t; i < teams; i += team.team_size()) reducer.join(own.s, partial[i]);
    join_team(team, shared, own.s);
    if (t == 0) *result = convert<Result>(reducer.result(own.s, values));
  }
  /// The first thread gets the state of all threads of a team.
  template <class Member>
  KOKKOS_FUNCTION void join_team(const Member& team, state* shared, state& own) const {
    using exec = typename Member::execution_space;
    constexpr int room = shared_states<exec>;
    const auto join = [&](state& mine, const state& other) { reducer.join(mine, other); };
    if constexpr (room == stencil_tuning<exec>::team) {
      const int t = team.team_rank();
      shared[t] = own;
      join_by_halves(team, shared, true, t, team.team_size(), 1, join);
      if (t == 0) own = shared[0];
    } else {
      join_in_turns(team, shared, room, own, join);
    }
  }

  /// Adds n values of a row, N of them at a time and then half as many.
  template <int N, class V>
  void add_row(state& s, const V* v, std::int64_t n, std::int64_t at) const {
    for (; n >= N; n -= N, v += N, at += N * position.step[2]) {
      if constexpr (uses_positions<Reducer>)
        reducer.template add_block<N>(s, v, positions_in_row{at, position.step[2]});
      else reducer.template add_block<N>(s, v);
    }
    if constexpr (N > 1) add_row<N / 2>(s, v, n, at);
  }
};

/// Such a stencil by the threads of a host, over the rows and the runs of cells of `walk`.
template <class Cells, class Reducer, class Result>
struct host_reducing_stencil {
  using value = std::remove_cvref_t<decltype(std::declval<const Cells&>().inner_value(grid_index()).reduced)>;
  static constexpr std::int64_t block =
      std::max<std::int64_t>(1, reduce_tuning<typename Cells::exec_space>::block_bytes /
                                    static_cast<std::int64_t>(std::bit_ceil(sizeof(value))));
  host_stencil<Cells> walk;
  reducing_sink<Reducer, Result> sink;

  void operator()(std::int64_t unit) const {
    in_loop<host_reducing_stencil> local = *this;  // what the loop reads must not be what it might write
    unit += walk.first_unit;
    auto own = local.sink.begin();
    if (unit < walk.row_units) local.add_rows(own.s, unit);
    else local.add_border(own, unit - walk.row_units);
    sink.partial[unit] = own.s;
  }
  template <class Own>
  void add_border(Own& own, std::int64_t run) const {
    const std::int64_t first = run * walk.border_run, last = std::min(first + walk.border_run, walk.border);
    walk.cells.for_border_rows(
        first, last, [&](const grid_index& cell, std::int64_t count) { walk.cells.border_row(cell, count, own); });
  }
  void add_rows(typename Reducer::state& s, std::int64_t number) const {
    const std::int64_t first = number * walk.rows_together, last = std::min(first + walk.rows_together, walk.rows());
    for (std::int64_t row = first; row < last; ++row) {
      if (walk.cells.unit) add_row<true>(s, walk.row_at(row).cell);
      else add_row<false>(s, walk.row_at(row).cell);
    }
  }
  template <bool Unit>
  void add_row(typename Reducer::state& s, grid_index cell) const {
    alignas(64) value reduced[block];
    const auto& cells = walk.cells;
    for (cell.of[2] = cells.inner.low[2]; cell.of[2] < cells.inner.high[2];) {
      const grid_index start = cell;
      const std::int64_t n = std::min(block, cells.inner.high[2] - start.of[2]);
      cells.template for_inner_row<Unit>(start, n, [&](std::int64_t k) {
        cell.of[2] = start.of[2] + k;
        const auto r = cells.template inner_value<Unit>(cell);
        cells.template store_to<Unit>(cells.out, cell, r);
        reduced[k] = r.reduced;
      });
      sink.template add_row<block>(s, reduced, n, sink.position(start));
      cell.of[2] = start.of[2] + n;
    }
  }
};

/// The result of states, joined in their order.
template <class Reducer>
struct joining_reducer {
  using state = typename Reducer::state;
  Reducer reducer;
  std::int64_t values;  // that were reduced to the states
  KOKKOS_FUNCTION state init() const { return reducer.init(); }
  KOKKOS_FUNCTION void add(state& s, const state& v) const { reducer.join(s, v); }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const state* v) const {
    for (int i = 0; i < N; ++i) reducer.join(s, v[i]);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const { reducer.join(s, t); }
  KOKKOS_FUNCTION auto result(const state& s, std::int64_t) const { return reducer.result(s, values); }
};
template <class Exec, class Reducer, class Result>
void join_states_to(call<Exec>& c, const Reducer& reducer, std::int64_t values, const typename Reducer::state* states,
                    std::int64_t count, const strided<Result>& result) {
  using state = typename Reducer::state;
  if constexpr (is_device<Exec>) {
    reduce_launch(c.exec, label_text(c.label, "/join"), c.scratch(),
                  describe_reduction<Exec>(joining_reducer<Reducer>{reducer, values}, op::identity(), axis_set::all(),
                                           result, array_input<state>{{states, {count}, {1}}}));
  } else {  // launches return when they are done
    state s = reducer.init();
    for (std::int64_t k = 0; k < count; ++k) reducer.join(s, states[k]);
    *result.data = convert<Result>(reducer.result(s, values));
  }
}

/// Launches such a stencil, whose cells are known, and writes the result of the reducer.
template <class Exec, class Cells, class Reach, class Reducer, class Result>
void reducing_launch(call<Exec>& c, const Cells& cells, const Reach& reach, const Reducer& reducer,
                     const cell_positions& position, const strided<Result>& result) {
  using sink_type = reducing_sink<Reducer, Result>;
  using state = typename Reducer::state;
  const std::int64_t count = cells.all.cells();
  if (count <= 0) return join_states_to(c, reducer, 0, nullptr, 0, result);
  const sink_type sink{reducer, position, count, result.data};
  const auto partial = [&](std::int64_t units) { return scratch_for<state>(c.exec, c.scratch(), units); };
  if constexpr (is_device<Exec>) {
    stencil_on_device(c.exec, c.label, cells, sink, [&](auto& kernel, auto policy) {
      kernel.sink.partial = partial(policy.league_size());
      kernel.sink.finished = c.scratch().counters();
      const auto bytes = sink_type::template shared_bytes<Exec>;
      return policy.set_scratch_size(0, team_scratch<Exec>(c.label, policy.team_size(), bytes));
    });
  } else {
    host_reducing_stencil<Cells, Reducer, Result> kernel{shared_cells(c.exec, cells, reach), sink};
    const std::int64_t units = kernel.walk.row_units + kernel.walk.border_units();
    kernel.sink.partial = partial(units);
    launch_cells(c.exec, c.label, kernel.walk, kernel);
    join_states_to(c, reducer, count, kernel.sink.partial, units, result);
  }
}

/// The type of what f returns for windows of arrays of these types; void where it does not take them.
template <class F, class... Argument>
struct result_or_void {
  using type = void;
};
template <class F, class... Argument>
  requires std::is_invocable_v<const F&, const Argument&...>
struct result_or_void<F, Argument...> {
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, const Argument&...>>;
};
template <class F, int Rank, class... T>
struct stencil_result : result_or_void<F, border_window<const T*, Rank, false, true>...> {};
template <class F, int Rank, class... T>
struct stencil_result<positioned<F>, Rank, T...>
    : result_or_void<F, Kokkos::Array<std::int64_t, Rank>, border_window<const T*, Rank, false, true>...> {};

/// f with what it returns for reductions apart.
template <class Reductions, class F>
auto split_results(const Reductions& reductions, const F& f) {
  if constexpr (is_positioned<F>) return with_position(split_results(reductions, f.f));
  else
    return unpack(
        [&](const auto&... r) {
          return reducing_windows<F, typename Reductions::arrays, typename Reductions::reduced,
                                  std::remove_const_t<decltype(r.transform)>...>{f, {{r.transform}...}};
        },
        reductions.each);
}

/// Where a part of an array is: the array's extents, the first cell of the part, and the box of cells, counted from
/// that, which it is to compute, where these are not all.
struct stencil_range {
  shape whole, origin;
  shape low = {}, high = {};

  /// Leaves the other cells out.
  template <int Rank, bool Reversed>
  void cut(grid_boxes& boxes) const {
    for (int d = 0; d < high.rank; ++d) {
      const int a = grid_axis<Rank, Reversed>(d);
      for (grid_box* box : {&boxes.all, &boxes.inner}) {
        box->low[a] = std::max(box->low[a], low.extent[d]);
        box->high[a] = std::max(box->low[a], std::min(box->high[a], high.extent[d]));
      }
      if (boxes.inner.low[a] == boxes.inner.high[a]) boxes.inner.low[a] = boxes.inner.high[a] = boxes.all.low[a];
    }
  }
};

/// The checks of a stencil with reductions in memory, then its launch: the result of `reducer` is written, that of
/// `all_axes` or `results_along` some.
template <class Shape, class Exec, class Reductions, class Reducer, class Along, class F, class... Array, class Result,
          class... In>
void reducing_stencil_call(call<Exec>& c, const Shape& reach, const Reductions& reductions, const Reducer& reducer,
                           const Along& along, const std::tuple<Array...>& arrays, const F& f, const boundaries& edges,
                           const stencil_range& range, const strided<Result>& result, const In&... inputs) {
  using first_out = std::tuple_element_t<0, std::tuple<Array...>>;
  constexpr int rank = rank_of<first_out>;
  constexpr bool reversed = first_axis_fastest<first_out>;
  constexpr bool all = std::is_same_v<Along, all_axes>;
  const auto launch = [&](const auto& out, const auto&... in) {
    if (std::get<0>(out).extents.size() == 0) {
      if constexpr (all) return join_states_to(c, reducer, 0, nullptr, 0, result);
      else return write_others(c.exec, c.label, reducer, result, range_of<rank, reversed>({}).results(along.along));
    }
    auto cells =
        make_cells<Shape, rank, reversed, Exec>(c.label, reach, split_results(reductions, f), edges, out, in...);
    range.cut<rank, reversed>(cells);
    if constexpr (all)
      reducing_launch(c, cells, reach, reducer, positions_of_cells<rank, reversed>(range.whole, range.origin), result);
    else
      reduce_cells_along<rank, reversed>(c, cells, reducer, along, range.whole, range.origin, std::get<0>(out), result);
  };
  with_stencil_arrays(c, reach, arrays, launch, inputs...);
}

/// What a call with reductions along axes has for `reducing_stencil_call`.
inline all_axes results_of_part(const all_axes& along, const shape&) { return along; }
inline results_along results_of_part(const axis_set& along, const shape& first) { return {along, first}; }

/// Stencils of arrays in memory with reductions among their outputs.
template <>
struct engine<in_memory, reducing_stencils> {
  template <class Shape, class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const Shape& reach, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const boundaries& edge, const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    using value = typename stencil_result<F, rank, value_of<stencil_array<In>>...>::type;
    const auto reductions = reductions_of_results<value>(exec, outs);
    if constexpr (are_described<decltype(reductions)>) {
      call<Exec> c("quern::stencil", exec);
      const auto along = axes_of_stencil(c.label, outs);
      const auto arrays = select(outs, typename decltype(reductions)::arrays());
      const shape extents = view_extents(std::get<0>(arrays)), results = axis_set(along).part(extents, false);
      reductions.check_elements(c, along, extents);
      const auto computed = computed_range<rank>(c.label, reach, extents, edge, (is_bounded<In> && ...));
      reductions.check_cells(c.label, fewest_cells(computed, along, extents));
      const auto to = reduced_outputs(outs);
      unpack([&](const auto&... in) { check_reduced(c.label, to, results, arrays, in...); }, inputs);
      const auto launch = [&](const auto& result) {
        unpack(
            [&](const auto&... in) {
              reducing_stencil_call<Shape>(c, reach, reductions, reductions.reducer(), results_of_part(along, shape()),
                                           arrays, f, edge, {extents, shape()}, result, in...);
            },
            inputs);
      };
      return deliver_reductions<result_of<decltype(reductions.reducer())>>(c, results, launch, to);
    }
  }
};

}  // namespace quern::impl

#endif
