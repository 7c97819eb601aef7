// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_STRIDED_REDUCTION_HPP
#define QUERN_REDUCE_STRIDED_REDUCTION_HPP

#include <algorithm>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/operands.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// A reducer that asks for the positions of its values, along the reduced axes in row-major order.
template <class Reducer>
concept uses_positions = requires { typename Reducer::uses_positions; };

/// A reducer to which adding a value twice makes no difference.
template <class Reducer>
concept idempotent = requires { typename Reducer::idempotent; };

/// Whether the function of a reduction also writes outputs, and is to be called once for each element.
template <class F>
inline constexpr bool writes = false;

/// How results and threads share a reduction. A team works on `across` adjacent results, a tile, with `along`
/// threads for each; where that makes too few teams, `splits` of them share a tile.
struct reduce_shape {
  bool results_fastest = false;  // contiguous elements belong to different results
  int across = 1;
  int along = 1;
  int team = 1;
  int league = 1;
  std::int64_t tiles_per_row = 1;
  std::int64_t tiles = 1;
  std::int64_t splits = 1;

  /// Tiles of `across` adjacent results, of which `inner` follow each other.
  void share_results(std::int64_t inner, std::int64_t results) {
    tiles_per_row = (inner + across - 1) / across;
    tiles = tiles_per_row * (results / inner);
  }

  /// The results of a tile, from number `first` on.
  struct tile {
    std::int64_t first;
    int count;
  };
  KOKKOS_FUNCTION tile tile_at(std::int64_t t, std::int64_t inner) const {
    const std::int64_t row = t / tiles_per_row, i = (t - row * tiles_per_row) * across;
    return {row * inner + i, static_cast<int>(Kokkos::min<std::int64_t>(across, inner - i))};
  }
};

/// An operand that is taken apart, or what kernels read as one.
template <class In>
auto as_expanded(const In& in) {
  if constexpr (described_input<In>) return expanded<leaf_part, In>{{}, {in}};
  else return in;
}

/// The type of f(in...) for those of the operands that have the indices I.
template <class F, class... In, std::size_t... I>
auto value_type_of(std::index_sequence<I...>) -> std::remove_cvref_t<
    std::invoke_result_t<const F&, typename std::tuple_element_t<I, std::tuple<In...>>::value_type...>>;

/// The reduction of f(in(i)...) along some axes, or all of them, without the order in which threads do it: that is in
/// device_reduction.hpp and host_reduction.hpp. Each repeats the names that it uses, since a base that depends on
/// template parameters would bring none. Teams that share a tile leave partial states, which the last of them
/// joins in order; all shares depend on the shape alone, so results repeat from run to run.
template <class Exec, class Reducer, class F, class Out, class... In>
struct strided_reduction {
  static constexpr int operands = sizeof...(In);
  static constexpr bool positions = uses_positions<Reducer>;  // the last operand; no argument of f
  static constexpr int position = operands - 1;
  static constexpr int arrays = operands - (positions ? 1 : 0);
  static constexpr int loads = (0 + ... + In::components) - (positions ? 1 : 0);  // values that an element takes
  static constexpr int width = pack_width<Exec, typename In::pack_type...>();
  static constexpr std::size_t largest_value = [] {  // positions are computed where they are asked for
    const std::size_t size[] = {sizeof(typename In::value_type)...};
    return *std::max_element(size, size + arrays);
  }();
  using state = typename Reducer::state;
  using operand_list = operand_tuple<In...>;
  using inputs = std::make_index_sequence<arrays>;
  using value = decltype(value_type_of<F, In...>(inputs()));

  Reducer reducer;
  F f;
  operand_list in;
  row_nest<operands> nest;             // the reduced axes
  row_nest<operands + 1> result_nest;  // the others, for the inputs and, last, for out
  std::int64_t values;                 // reduced into each result
  Out* out;
  reduce_shape shape{};
  std::int64_t items = 0;  // per row of the nest: packs, elements or blocks
  std::int64_t total = 0;
  state* partial = nullptr;  // of each result and split
  int* finished = nullptr;   // teams of each tile; 0 before and after the kernel

  std::int64_t results() const { return result_nest.inner * result_nest.outer; }
  /// Whether the reduced rows are packs of W: wherever a single row begins, if all inputs are equally far from an
  /// aligned pack there; of several rows only where all begin with one.
  template <int W>
  bool holds_packs() const {
    if (nest.outer > 1)
      return nest.inner % W == 0 && all_of(in, [&](const auto& operand, std::size_t i) {
               return operand.template packs<W>(nest.stride[i], nest.rank) &&
                      operand.template packs_at<W>(result_nest.stride[i], result_nest.rank);
             });
    int common = -1;
    const std::int64_t* strides = nullptr;
    return all_of(in, [&](const auto& operand, std::size_t i) {
      const int phase = operand.template phase<W>(0);
      if (phase < 0) return true;
      const auto alike = [](std::int64_t a, std::int64_t b) { return (a - b) % W == 0; };
      const bool first = common < 0;
      if (first) {
        common = phase;
        strides = result_nest.stride[i];
      }
      return operand.step == 1 && phase == common && operand.template components_align<W>() &&
             std::equal(strides, strides + result_nest.rank, result_nest.stride[i], alike);
    });
  }
  /// Memory for the states of teams that share a tile.
  void share_tiles(const Exec& exec, Workspace<Exec>& scratch) {
    if (shape.splits == 1) return;
    partial = scratch_for<state>(exec, scratch, shape.tiles * shape.splits * shape.across);
    finished = scratch.counters();
  }

  /// Where something starts in each operand.
  using offsets = typename row_nest<operands>::offsets;
  struct tile_start {
    offsets from;
    std::int64_t out;
    int results;
  };

  KOKKOS_FUNCTION tile_start tile_at(std::int64_t tile) const {
    std::int64_t i;
    const auto o = result_nest.at_item(tile, shape.tiles_per_row, shape.across, i);
    tile_start t;
    for (int k = 0; k < operands; ++k) t.from.of[k] = o.of[k];
    t.out = o.of[operands];
    t.results = static_cast<int>(Kokkos::min<std::int64_t>(shape.across, result_nest.inner - i));
    return t;
  }
  KOKKOS_FUNCTION offsets result_at(const tile_start& tile, int result) const {
    offsets p;
    for (int k = 0; k < operands; ++k) p.of[k] = tile.from.of[k] + result * result_nest.stride[k][0];
    return p;
  }
  /// Item number `item` of a result that starts at `base`.
  KOKKOS_FUNCTION offsets item_at(const offsets& base, std::int64_t item, int item_width) const {
    std::int64_t i;
    offsets p = nest.at_item(item, items, item_width, i);
    for (int k = 0; k < operands; ++k) p.of[k] += base.of[k];
    return p;
  }

  /// The ascending positions of a block of values, in items of W that are at equal distances.
  template <int W>
  struct even_positions {
    std::int64_t start, distance, step;
    KOKKOS_FUNCTION std::int64_t operator()(int j) const { return start + j / W * distance + j % W * step; }
  };
  template <int W, int N, class V>
  KOKKOS_FUNCTION void add_block(state& s, const V& v, const offsets* item) const {
    if constexpr (positions) {
      const std::int64_t start = item[0].of[position], distance = N > W ? item[1].of[position] - start : 0;
      reducer.template add_block<N>(s, v, even_positions<W>{start, distance, get<position>(in).step});
    } else {
      reducer.template add_block<N>(s, v);
    }
  }
  KOKKOS_FUNCTION void add(state& s, const value& v, const offsets& item, std::int64_t k) const {
    if constexpr (positions) reducer.add(s, v, item.of[position] + k * get<position>(in).step);
    else reducer.add(s, v);
  }

  template <std::size_t... I>
  KOKKOS_FUNCTION value element(const operand_list& from, const offsets& p, std::int64_t k,
                                std::index_sequence<I...>) const {
    return f(get<I>(from).load(p.of[I] + k * get<I>(from).step)...);
  }

  KOKKOS_FUNCTION void write(const tile_start& start, int result, const state& s) const {
    out[start.out + result * result_nest.stride[operands][0]] = convert<Out>(reducer.result(s, values));
  }
  KOKKOS_FUNCTION state& partial_of(std::int64_t tile, std::int64_t split, int result) const {
    return partial[(tile * shape.splits + split) * shape.across + result];
  }
  KOKKOS_FUNCTION void leave(std::int64_t tile, std::int64_t split, int result, const state& s) const {
    partial_of(tile, split, result) = s;
    Kokkos::memory_fence();
  }
  KOKKOS_FUNCTION void join_splits(state& s, std::int64_t tile, int result, int first, int step) const {
    for (std::int64_t i = first; i < shape.splits; i += step) reducer.join(s, partial_of(tile, i, result));
  }
};

/// The reduction of f(in...) along `axes`. Inputs are what kernels read, or operands that are taken apart; positions,
/// for reducers that use them, come last, and are, as means are, of the extents of the first, whatever their own. `out`
/// is memory with the extents that remain when the axes are gone.
template <class Exec, class Reducer, class Out, class F, class... In>
auto describe_reduction(const Reducer& reducer, const F& f, const axis_set& axes, const strided<Out>& out,
                        const In&... in) {
  const auto of_leaves = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return fuse(f, as_expanded(std::get<I>(std::tie(in...))).part...);
  }(std::make_index_sequence<sizeof...(In) - (uses_positions<Reducer> ? 1 : 0)>());
  const auto describe = [&](auto... leaf) {
    constexpr int operands = sizeof...(leaf);
    const shape extents = nth<0>(leaf...).array.extents;
    ((leaf.array.extents = extents), ...);
    const int lead = leading_input(leaf...);
    const auto nest = make_loop_nest<operands>(axes.part(extents, true), {axes.part(leaf.array, true)...}, lead);
    const auto rest =
        make_loop_nest<operands + 1>(axes.part(extents, false), {axes.part(leaf.array, false)..., out.stride}, lead);
    const stride_array strides[] = {leaf.array.stride...};
    const bool results_fastest =
        smallest_stride(extents, strides[lead], axes, false) < smallest_stride(extents, strides[lead], axes, true);
    int k = -1;
    return strided_reduction<Exec, Reducer, std::remove_const_t<decltype(of_leaves)>, Out,
                             typename decltype(leaf)::operand...>{reducer,
                                                                  of_leaves,
                                                                  {{leaf.at_step(nest.stride[++k][0])}...},
                                                                  row_nest<operands>(nest),
                                                                  row_nest<operands + 1>(rest),
                                                                  nest.inner() * nest.outer(),
                                                                  out.data,
                                                                  {.results_fastest = results_fastest}};
  };
  return unpack(describe, std::tuple_cat(as_expanded(in).leaves...));
}

}  // namespace quern::impl

#endif
