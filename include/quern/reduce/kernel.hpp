// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_KERNEL_HPP
#define QUERN_REDUCE_KERNEL_HPP

#include <limits>
#include <quern/core/arguments.hpp>
#include <quern/core/axes.hpp>
#include <quern/core/loop_nest.hpp>
#include <quern/core/operations.hpp>
#include <quern/core/team_scratch.hpp>
#include <quern/core/teams.hpp>
#include <quern/core/workspace.hpp>
#include <quern/reduce/reducers.hpp>

namespace quern::impl {

/// A reducer that asks for the positions of its values, along the reduced axes in row-major order.
template <class Reducer>
concept uses_positions = requires { typename Reducer::uses_positions; };

/// How results and threads share a reduction. A team works on `across` neighbouring results, a tile, with `along`
/// threads for each; where that makes too few teams, `splits` of them share a tile.
struct reduce_shape {
  bool results_fastest = false;  // neighbours in memory belong to different results
  int across = 1;
  int along = 1;
  int team = 1;
  int league = 1;
  std::int64_t tiles_per_row = 1;
  std::int64_t tiles = 1;
  std::int64_t splits = 1;
};

struct short_tag {};  // device: a thread reduces a result by itself

/// The type of f(in...) for those of the operands that have the indices I.
template <class F, class... In, std::size_t... I>
auto value_type_of(std::index_sequence<I...>) -> std::remove_cvref_t<
    std::invoke_result_t<const F&, typename std::tuple_element_t<I, std::tuple<In...>>::value_type...>>;

/// The reduction of f(in(i)...) along some axes, or all of them. Each team reduces its share, through packs where the
/// operands allow it, and of the teams that share a tile the last to finish joins their states in order.
///
/// On a device the threads of a result take its items (packs or elements) in turns; on the host a team is one thread
/// that walks through blocks of one result, or through pieces of rows that belong to many. All shares depend on the
/// launch's shape alone, so results repeat from run to run.
template <class Exec, class Reducer, class F, class Out, class... In>
struct reduce_kernel {
  static constexpr int operands = sizeof...(In);
  static constexpr bool positions = uses_positions<Reducer>;  // the last operand; no argument of f
  static constexpr int position = operands - 1;
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int width = pack_width<Exec, typename In::pack_type...>();
  static constexpr int arrays = operands - (positions ? 1 : 0);
  static constexpr int packs =
      std::max(2, static_cast<int>(std::bit_floor(tuning<Exec>::reduce_packs / unsigned(arrays))));
  static constexpr std::int64_t block =
      tuning<Exec>::reduce_block_bytes /
      static_cast<std::int64_t>(std::bit_ceil(std::max({sizeof(typename In::value_type)...})));
  static constexpr int max_across = tuning<Exec>::reduce_results;
  static constexpr int rows = 8, chunk = 256;  // host: rows of elements that are read together, and how far
  using state = typename Reducer::state;
  using inputs = std::make_index_sequence<arrays>;
  using value = decltype(value_type_of<F, In...>(inputs()));
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning<Exec>::team_size, tuning<Exec>::reduce_teams>>;
  using member = typename policy::member_type;

  Reducer reducer;
  F f;
  operand_tuple<In...> in;
  row_nest<operands> nest;      // the reduced axes
  row_nest<operands + 1> kept;  // the others, for the inputs and, last, for out
  std::int64_t values;          // reduced into each result
  Out* out;
  reduce_shape shape{};
  std::int64_t items = 0;  // per row of the nest: packs, elements or blocks
  std::int64_t total = 0;
  bool packed = false;       // device: items are packs
  bool by_rows = false;      // host: items are rows of elements, one for each result of a tile
  bool gathers = false;      // host: what a loop reads are not neighbours
  state* partial = nullptr;  // of each result and split
  int* finished = nullptr;   // teams of each tile; 0 before and after the kernel

  /// Where something starts in each operand.
  struct places {
    std::int64_t of[operands];
  };
  struct tile_place {
    places from;
    std::int64_t out;
    int results;
  };

  KOKKOS_FUNCTION tile_place tile_at(std::int64_t tile) const {
    std::int64_t i;
    const auto o = kept.at_item(tile, shape.tiles_per_row, shape.across, i);
    tile_place t;
    for (int k = 0; k < operands; ++k) t.from.of[k] = o.of[k];
    t.out = o.of[operands];
    t.results = static_cast<int>(Kokkos::min<std::int64_t>(shape.across, kept.inner - i));
    return t;
  }
  KOKKOS_FUNCTION places result_at(const tile_place& tile, int result) const {
    places p;
    for (int k = 0; k < operands; ++k) p.of[k] = tile.from.of[k] + result * kept.stride[k][0];
    return p;
  }
  /// Item number `item` of a result that starts at `base`.
  KOKKOS_FUNCTION places item_at(const places& base, std::int64_t item, int item_width) const {
    std::int64_t i;
    const auto o = nest.at_item(item, items, item_width, i);
    places p;
    for (int k = 0; k < operands; ++k) p.of[k] = base.of[k] + o.of[k];
    return p;
  }

  /// The ascending positions of a block of values, in items of W that are at equal distances.
  template <int W>
  struct even_positions {
    std::int64_t start, distance, step;
    KOKKOS_FUNCTION std::int64_t operator()(int j) const { return start + j / W * distance + j % W * step; }
  };
  template <int W, int N>
  KOKKOS_FUNCTION void add_block(state& s, const value* v, const places* item) const {
    if constexpr (positions) {
      const std::int64_t start = item[0].of[position], distance = N > W ? item[1].of[position] - start : 0;
      reducer.template add_block<N>(s, v, even_positions<W>{start, distance, get<position>(in).step});
    } else {
      reducer.template add_block<N>(s, v);
    }
  }
  KOKKOS_FUNCTION void add(state& s, const value& v, const places& item, std::int64_t k) const {
    if constexpr (positions) reducer.add(s, v, item.of[position] + k * get<position>(in).step);
    else reducer.add(s, v);
  }

  template <std::size_t... I>
  KOKKOS_FUNCTION value element(const operand_tuple<In...>& from, const places& p, std::int64_t k,
                                std::index_sequence<I...>) const {
    return f(get<I>(from).load(p.of[I] + k * get<I>(from).step)...);
  }

  /// Adds several items of W elements, all loaded before the first is used.
  template <int W, int Count, std::size_t... I>
  KOKKOS_FUNCTION void add_items(state& s, const places (&p)[Count], std::index_sequence<I...>) const {
    add_loaded<W>(s, p, std::index_sequence<I...>(), load_packs<W, I>(get<I>(in), p)...);
  }
  template <int W, int Which, int Count, class Operand>
  KOKKOS_FUNCTION auto load_packs(const Operand& operand, const places (&p)[Count]) const {
    packs_of<typename Operand::value_type, W, Count> loaded;
    for (int u = 0; u < Count; ++u) loaded.at[u] = operand.template load_pack<W>(p[u].of[Which]);
    return loaded;
  }
  template <int W, int Count, std::size_t... I, class... P>
  KOKKOS_FUNCTION void add_loaded(state& s, const places (&p)[Count], std::index_sequence<I...>,
                                  const P&... loaded) const {
    value v[Count * W];
    for (int u = 0; u < Count; ++u)
      for (int k = 0; k < W; ++k) v[u * W + k] = f(get<I>(in).template expand<W>(loaded.at[u], k)...);
    add_block<W, Count * W>(s, v, p);
  }

  /// A thread's share of a result on a device: items first, first + threads, ... of W elements. In a single row they
  /// are at equal distances; otherwise each is found by division, and fewer at a time as that takes registers.
  template <int W>
  KOKKOS_FUNCTION void device_share(state& s, const places& base, std::int64_t first, std::int64_t threads) const {
    if (nest.outer == 1) {
      const std::int64_t whole = nest.inner / W;  // the last elements may be fewer than a pack
      places at = base, distance;
      for (int k = 0; k < operands; ++k) {
        at.of[k] += first * W * nest.stride[k][0];
        distance.of[k] = threads * W * nest.stride[k][0];
      }
      share_items<W, packs * width / W>(s, first, threads, whole, [&](std::int64_t, places& p) {
        p = at;
        for (int k = 0; k < operands; ++k) at.of[k] += distance.of[k];
      });
      if (W > 1 && first == 0 && whole * W < nest.inner) {
        const places last = item_at(base, whole, W);
        for (std::int64_t k = 0; whole * W + k < nest.inner; ++k) add(s, element(in, last, k, inputs()), last, k);
      }
    } else {
      // Items of several rows need not follow each other in position, so they come alone where positions matter.
      share_items<W, positions ? 1 : 2>(s, first, threads, total,
                                        [&](std::int64_t item, places& p) { p = item_at(base, item, W); });
    }
  }
  /// Items item, item + threads, ... below `end`: Count at a time, then what is left in halves of that. `next` finds
  /// the place of each.
  template <int W, int Count, class Next>
  KOKKOS_FUNCTION void share_items(state& s, std::int64_t item, std::int64_t threads, std::int64_t end,
                                   const Next& next) const {
    for (; item + (Count - 1) * threads < end; item += Count * threads) {
      places p[Count];
      for (int u = 0; u < Count; ++u) next(item + u * threads, p[u]);
      add_items<W>(s, p, inputs());
    }
    if constexpr (Count > 1) share_items<W, Count / 2>(s, item, threads, end, next);
  }

  /// Which result of a team's tile a thread works on, and as which of the threads of that result.
  struct role {
    int result, r;
    bool used;
  };
  KOKKOS_FUNCTION role role_of(int t, const tile_place& place) const {
    role me;
    me.result = shape.results_fastest ? t % shape.across : t / shape.along;
    me.r = shape.results_fastest ? t / shape.across : t % shape.along;
    me.used = me.result < place.results && me.r < shape.along;
    return me;
  }

  /// What the threads of a result make of their states: their join, in the first of them, in an order that depends on
  /// their number alone.
  KOKKOS_FUNCTION void team_join(const member& team, state* shared, const role& me, state& s) const {
    if (shape.along == 1) return;
    const int t = team.team_rank(), apart = shape.results_fastest ? shape.across : 1;
    shared[t] = s;
    for (int n = shape.along; n > 1;) {
      const int half = (n + 1) / 2;
      team.team_barrier();
      if (me.used && me.r + half < n) reducer.join(shared[t], shared[t + half * apart]);
      n = half;
    }
    s = shared[t];
  }

  /// A result for each thread, where they take few values. Positions need not be evenly apart then.
  KOKKOS_FUNCTION void operator()(short_tag, std::int64_t result) const {
    state s = reducer.init();
    const tile_place place = tile_at(result);
    if (nest.outer > 1) {
      short_share(s, [&](std::int64_t item, places& p) { p = item_at(place.from, item, 1); });
    } else {
      places at = place.from;
      short_share(s, [&](std::int64_t, places& p) {
        p = at;
        for (int k = 0; k < operands; ++k) at.of[k] += nest.stride[k][0];
      });
    }
    write(place, 0, s);
  }
  /// Four values at a time, then the rest together, so that all loads of few values are in flight at once.
  template <class Next>
  KOKKOS_FUNCTION void short_share(state& s, const Next& next) const {
    constexpr int most = positions ? 1 : 4;
    std::int64_t item = 0;
    for (; item + most <= total; item += most) short_block<most>(s, item, next);
    if constexpr (most > 1) {
      if (total - item == 3) short_block<3>(s, item, next);
      if (total - item == 2) short_block<2>(s, item, next);
      if (total - item == 1) short_block<1>(s, item, next);
    }
  }
  template <int Count, class Next>
  KOKKOS_FUNCTION void short_block(state& s, std::int64_t item, const Next& next) const {
    places p[Count];
    for (int u = 0; u < Count; ++u) next(item + u, p[u]);
    add_items<1>(s, p, inputs());
  }

  KOKKOS_FUNCTION void device_unit(const member& team, state* shared, std::int64_t tile, std::int64_t split) const {
    const tile_place place = tile_at(tile);
    const role me = role_of(team.team_rank(), place);
    state s = reducer.init();
    if (me.used) {
      const places base = result_at(place, me.result);
      const std::int64_t first = split * shape.along + me.r, threads = shape.splits * shape.along;
      if (packed) device_share<width>(s, base, first, threads);
      else device_share<1>(s, base, first, threads);
    }
    team_join(team, shared, me, s);
    const bool writes = me.used && me.r == 0;
    if (shape.splits > 1) {
      if (writes) leave(tile, split, me.result, s);
      if (!last_to_finish(team, finished + tile, shape.splits)) return;
      s = reducer.init();
      if (me.used) join_splits(s, tile, me.result, me.r, shape.along);
      team_join(team, shared, me, s);
    }
    if (writes) write(place, me.result, s);
  }

  KOKKOS_FUNCTION void write(const tile_place& place, int result, const state& s) const {
    out[place.out + result * kept.stride[operands][0]] = convert<Out>(reducer.result(s, values));
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

  /// f of n elements: where the values are, or computed into `room`.
  template <class... P>
  const value* apply_block(value* room, std::int64_t n, const P&... p) const {
    if constexpr (std::is_same_v<F, op::identity> && (std::is_pointer_v<P> && ...)) {
      return (p, ...);
    } else {
      const F local = f;
      for (std::int64_t k = 0; k < n; ++k) room[k] = local(p[k]...);
      return room;
    }
  }
  template <std::size_t... I>
  const value* read_block(value* room, std::int64_t n, const operand_tuple<In...>& from, const places& p,
                          std::index_sequence<I...>) const {
    if (gathers) return apply_block(room, n, get<I>(from).strided_from(p.of[I])...);
    const value* v = nullptr;
    with_readers([&](const auto&... readers) { v = apply_block(room, n, readers...); }, std::tie(get<I>(from)...),
                 p.of);
    return v;
  }

  /// One block of one result on the host.
  void host_block(state& s, const places& base, std::int64_t item) const {
    alignas(64) std::byte room[block * sizeof(value)];
    const std::int64_t size = Kokkos::min(block, nest.inner - item % items * block);
    places p = item_at(base, item, block);
    const value* v = read_block(reinterpret_cast<value*>(room), size, in, p, inputs());
    constexpr int step = 16;
    std::int64_t k = 0;
    if (size == block) {
      add_block<block, block>(s, v, &p);
      k = size;
    }
    for (; k + step <= size; k += step) {
      add_block<step, step>(s, v + k, &p);
      if constexpr (positions) p.of[position] += step * get<position>(in).step;
    }
    for (std::int64_t j = 0; k < size; ++j, ++k) add(s, v[k], p, j);
  }

  /// Rows of a tile on the host, several at a time, which a core reads as so many streams.
  void host_rows(state* s, const tile_place& tile, std::int64_t first, std::int64_t last) const {
    const auto across = steps_across(std::index_sequence_for<In...>());
    for (std::int64_t row = first; row < last; row += rows) {
      const int n = static_cast<int>(Kokkos::min<std::int64_t>(rows, last - row));
      places p[rows];
      for (int u = 0; u < n; ++u) p[u] = item_at(tile.from, row + u, 1);
      for (int from = 0; from < tile.results; from += chunk) {
        host_chunk(s + from, across, p, n, Kokkos::min(chunk, tile.results - from));
        for (int u = 0; u < n; ++u)
          for (int k = 0; k < operands; ++k) p[u].of[k] += chunk * kept.stride[k][0];
      }
    }
  }
  void host_chunk(state* s, const operand_tuple<In...>& across, const places (&p)[rows], int n, int results) const {
    alignas(64) std::byte room[rows][chunk * sizeof(value)];
    const value* v[rows] = {};
    for (int u = 0; u < n; ++u) v[u] = read_block(reinterpret_cast<value*>(room[u]), results, across, p[u], inputs());
    add_rows<rows>(s, v, p, n, results);
  }
  /// Adds n < 2 R rows, R of them and then the rest, a column of each result at a time.
  template <int R>
  void add_rows(state* s, const value* const* v, const places* p, int n, int results) const {
    if (n >= R) {
      add_columns(s, v, p, results, std::make_index_sequence<R>());
      v += R;
      p += R;
      n -= R;
    }
    if constexpr (R > 1) add_rows<R / 2>(s, v, p, n, results);
  }
  template <std::size_t... U>
  void add_columns(state* s, const value* const* v, const places* p, int results, std::index_sequence<U...>) const {
#pragma GCC ivdep
    for (int k = 0; k < results; ++k) add_column(s[k], {v[U][k]...}, p, std::index_sequence<U...>());
  }
  template <std::size_t... U>
  void add_column(state& s, const value (&column)[sizeof...(U)], const places* p, std::index_sequence<U...>) const {
    if constexpr (positions) (add(s, column[U], p[U], 0), ...);  // which need not be evenly apart
    else reducer.template add_block<sizeof...(U)>(s, column);
  }
  /// All of a few rows at once, so that no state is kept between them.
  template <std::size_t... U>
  void host_few(const tile_place& tile, std::index_sequence<U...> all) const {
    const auto across = steps_across(std::index_sequence_for<In...>());
    const places p[] = {item_at(tile.from, U, 1)...};
    Out* to = out + tile.out;
    const std::int64_t step = kept.stride[operands][0];
    const auto reduce_columns = [&](const auto& value_at) {
#pragma GCC ivdep
      for (int k = 0; k < tile.results; ++k) {
        state s = reducer.init();
        add_column(s, {value_at(U, k)...}, p, all);
        to[k * step] = convert<Out>(reducer.result(s, values));
      }
    };
    if (gathers) return reduce_columns([&](int u, int k) { return element(across, p[u], k, inputs()); });
    alignas(64) std::byte room[sizeof...(U)][chunk * sizeof(value)];
    const value* const v[] = {read_block(reinterpret_cast<value*>(room[U]), tile.results, across, p[U], inputs())...};
    reduce_columns([&](int u, int k) { return v[u][k]; });
  }
  /// The inputs with their steps from one result to the next.
  template <std::size_t... I>
  operand_tuple<In...> steps_across(std::index_sequence<I...>) const {
    return {{get<I>(in).with_step(kept.stride[I][0])}...};
  }

  void host_unit(const member& team, std::int64_t tile, std::int64_t split) const {
    const tile_place place = tile_at(tile);
    if (by_rows && shape.splits == 1) {
      if (total == 2) return host_few(place, std::make_index_sequence<2>());
      if (total == 3) return host_few(place, std::make_index_sequence<3>());
      if (total == 4) return host_few(place, std::make_index_sequence<4>());
    }
    state s[max_across];
    for (int k = 0; k < place.results; ++k) s[k] = reducer.init();
    const std::int64_t first = split * total / shape.splits, last = (split + 1) * total / shape.splits;
    if (by_rows) {
      host_rows(s, place, first, last);
    } else {
      for (std::int64_t item = first; item < last; ++item)
        for (int k = 0; k < place.results; ++k) host_block(s[k], result_at(place, k), item);
    }
    if (shape.splits > 1) {
      for (int k = 0; k < place.results; ++k) leave(tile, split, k, s[k]);
      if (!last_to_finish(team, finished + tile, shape.splits)) return;
      for (int k = 0; k < place.results; ++k) {
        s[k] = reducer.init();
        join_splits(s[k], tile, k, 0, 1);
      }
    }
    for (int k = 0; k < place.results; ++k) write(place, k, s[k]);
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    if constexpr (device) {
      auto* shared =
          static_cast<state*>(team.team_shmem().get_shmem_aligned(team.team_size() * sizeof(state), alignof(state)));
      const int units = static_cast<int>(shape.tiles * shape.splits), splits = static_cast<int>(shape.splits);
      for (int unit = team.league_rank(); unit < units; unit += team.league_size()) {
        device_unit(team, shared, unit / splits, unit % splits);
        if (units > team.league_size()) team.team_barrier();  // before the shared states are used again
      }
    } else {
      const std::int64_t units = shape.tiles * shape.splits, teams = team.league_size(), rank = team.league_rank();
      for (std::int64_t unit = rank * units / teams; unit < (rank + 1) * units / teams; ++unit)
        host_unit(team, unit / shape.splits, unit % shape.splits);
    }
  }
};

/// Threads and teams for `results` results of `items` items each (`inner` results a row).
template <class Exec>
reduce_shape device_shape(const Exec& exec, int most, bool results_fastest, std::int64_t inner, std::int64_t results,
                          std::int64_t items) {
  using tune = tuning<Exec>;
  constexpr int packs = tune::reduce_packs;
  const auto threads = static_cast<std::int64_t>(exec.concurrency() * tune::reduce_occupancy);
  reduce_shape s;
  s.results_fastest = results_fastest;
  if (results == 1) {
    s.along = most;
  } else if (items > packs && results_fastest) {
    s.across = static_cast<int>(std::min<std::int64_t>(inner, most / 4));
    s.along = static_cast<int>(std::min<std::int64_t>(most / s.across, items / packs));
  } else if (items > packs) {
    // Some rounds for each thread, but no more threads than the device has, and few enough to read whole cache lines.
    const auto useful = static_cast<unsigned>(std::clamp<std::int64_t>(items / (4 * packs), 1, most));
    s.along = static_cast<int>(std::bit_floor(useful));
    while (s.along > 32 && s.along * results > threads) s.along /= 2;
    s.along = std::max(s.along, 8);
    s.across = static_cast<int>(std::min<std::int64_t>(inner, most / s.along));
  }
  s.team = (s.across * s.along + 31) / 32 * 32;
  s.tiles_per_row = (inner + s.across - 1) / s.across;
  s.tiles = s.tiles_per_row * (results / inner);
  const std::int64_t most_splits = s.tiles > workspace<Exec>::max_counters ? 1 : (items + s.along - 1) / s.along;
  s.splits = splits_for(s.tiles, std::max<std::int64_t>(1, threads / s.team), std::max<std::int64_t>(1, most_splits));
  s.league = static_cast<int>(std::min<std::int64_t>(s.tiles * s.splits, std::numeric_limits<int>::max()));
  return s;
}

/// The same for the host, where each team is a thread and a tile what it has in hand at a time.
template <class Exec>
reduce_shape host_shape(const Exec& exec, int across, std::int64_t inner, std::int64_t results, std::int64_t items) {
  reduce_shape s;
  s.across = across;
  s.tiles_per_row = (inner + across - 1) / across;
  s.tiles = s.tiles_per_row * (results / inner);
  const std::int64_t threads = exec.concurrency(), wanted = s.tiles == 1 ? threads : 8 * threads;
  if (s.tiles < wanted && threads > 1 && s.tiles <= workspace<Exec>::max_counters)
    s.splits = std::clamp<std::int64_t>((wanted + s.tiles - 1) / s.tiles, 1, std::max<std::int64_t>(items, 1));
  s.league = static_cast<int>(std::min<std::int64_t>(s.tiles * s.splits, threads));
  return s;
}

/// Chooses the launch's shape and launches it. `out` is memory that `exec` reaches, with the extents that remain when
/// `axes` are gone.
template <class Exec, class Reducer, class Out, class F, class... Input>
void reduce_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const Reducer& reducer,
                   const F& f, const axis_set& axes, const strided<Out>& out, const Input&... in) {
  constexpr int operands = sizeof...(Input);
  using kernel_type = reduce_kernel<Exec, Reducer, F, Out, typename Input::operand...>;
  using state = typename Reducer::state;
  const auto& first = std::get<0>(std::tie(in...)).array;
  const auto nest = make_loop_nest<operands>(axes.part(first.extents, true), {axes.part(in.array, true)...});
  const auto rest =
      make_loop_nest<operands + 1>(axes.part(first.extents, false), {axes.part(in.array, false)..., out.stride});
  const std::int64_t values = nest.inner() * nest.outer(), results = rest.inner() * rest.outer();
  if (results == 0) return;

  int k = -1;
  kernel_type kernel{
      reducer, f,       {{in.at_step(nest.stride[++k][0])}...}, row_nest<operands>(nest), row_nest<operands + 1>(rest),
      values,  out.data};
  const auto& lines = kernel.nest;
  const bool results_fastest = smallest_stride(first, axes, false) < smallest_stride(first, axes, true);
  constexpr int w = kernel_type::width;
  const auto each = [&](auto&& test) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (test(get<I>(kernel.in), I) && ...);
    }(std::index_sequence_for<Input...>());
  };
  std::int64_t per_item = 1;
  if constexpr (kernel_type::device) {
    kernel.packed =
        w > 1 && (lines.outer == 1 || lines.inner % w == 0) && each([&](const auto& operand, std::size_t i) {
          return operand.template packs<w>(lines.stride[i], lines.rank) &&
                 operand.template packs_at<w>(kernel.kept.stride[i], kernel.kept.rank);
        });
    // A thread that reduces a result by itself reads single elements.
    kernel.packed = kernel.packed && (results == 1 || values > w * kernel_type::packs);
    if (kernel.packed) per_item = w;
  } else {
    constexpr std::int64_t short_row = 32;
    kernel.by_rows = rest.inner() >= 16 && (results_fastest || values < short_row);
    kernel.gathers = !each([&](const auto& operand, std::size_t i) {
      return !operand.gathers(kernel.by_rows ? rest.stride[i][0] : operand.step);
    });
    if (!kernel.by_rows) per_item = kernel.block;
  }
  kernel.items = (lines.inner + per_item - 1) / per_item;
  kernel.total = kernel.items * lines.outer;

  if constexpr (kernel_type::device) {
    const int most =
        team_with_room<Exec>(tuning<Exec>::team_size, [](int t) { return t * sizeof(state) + alignof(state); });
    if (most == 0)
      throw Error(label, "a state of " + std::to_string(sizeof(state)) + " bytes is too large for this device");
    kernel.shape = device_shape(exec, most, results_fastest, rest.inner(), results, kernel.total);
  } else {
    const std::int64_t most = !kernel.by_rows                        ? (results_fastest ? 16 : 1)
                              : kernel.total < 2 * kernel_type::rows ? kernel_type::chunk
                                                                     : kernel_type::max_across;
    const auto across = static_cast<int>(std::min(rest.inner(), most));
    kernel.shape = host_shape(exec, across, rest.inner(), results, kernel.total);
  }
  const auto& shape = kernel.shape;
  if (kernel_type::device && shape.across * shape.along == 1 && !kernel.packed) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, short_tag, Kokkos::IndexType<std::int64_t>>(exec, 0, results),
                         kernel);
    return;
  }
  if (shape.splits > 1) {
    kernel.partial =
        static_cast<state*>(scratch.require(exec, shape.tiles * shape.splits * shape.across * sizeof(state)));
    kernel.finished = scratch.counters();
  }
  const auto shared = team_scratch<Exec>(label, shape.team, shape.team * sizeof(state) + alignof(state));
  Kokkos::parallel_for(label, typename kernel_type::policy(exec, shape.league, shape.team).set_scratch_size(0, shared),
                       kernel);
}

}  // namespace quern::impl

#endif
