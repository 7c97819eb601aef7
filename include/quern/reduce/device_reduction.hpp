// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_DEVICE_REDUCTION_HPP
#define QUERN_REDUCE_DEVICE_REDUCTION_HPP

#include <bit>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/teams.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/element_runs.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/reduce/tuning.hpp>
#include <quern/reducers/joint.hpp>

namespace quern::impl {

struct short_tag {};         // a thread reduces a result by itself
struct one_row_tag {};       // the values of a result are a row
struct several_rows_tag {};  // or several

/// A reduction on a device: the threads of a result take its items, packs of W elements, in turns.
template <int W, class Exec, class Reducer, class F, class Out, class... In>
struct device_reduction {
  using Work = strided_reduction<Exec, Reducer, F, Out, In...>;
  using state = typename Work::state;
  using value = typename Work::value;
  using inputs = typename Work::inputs;
  using offsets = typename Work::offsets;
  using tile_start = typename Work::tile_start;
  static constexpr int operands = Work::operands;
  static constexpr bool positions = Work::positions;
  using tune = reduce_tuning<Exec>;
  static constexpr int packs = std::max(2, static_cast<int>(std::bit_floor(tune::packs / unsigned(Work::loads))));
  static constexpr int items_of_row = packs * Work::width / W;    // in flight
  static constexpr int block = values_at_once<Reducer, value>();  // that are added at once, in registers
  /// Teams that a multiprocessor runs at a time. Of large states, one: 64 KiB of shared memory, the least that a device
  /// has, would not hold more.
  static constexpr int teams = 32 * tune::teams * sizeof(state) <= 48 * 1024 ? tune::teams : 1;
  /// The bound is on teams, not on their registers alone, of which nvcc would give them fewer than so many have, and
  /// spill: `reduce_launch` makes teams smaller until so many fit.
  template <class Tag>
  using policy = Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<tune::team_size, teams>>;
  using member = typename policy<one_row_tag>::member_type;

  /// Bytes that are added up as they are stay in the words that they were loaded in.
  static constexpr bool bytes = [] {
    if constexpr (W >= 4 && operands == 1 && sizeof(value) == 1 && std::is_same_v<F, op::identity>)
      return requires(const Work& w, state& s, const narrow_pack<value, W>& p, const std::uint32_t(&word)[1]) {
        get<0>(w.in).expand_word(p, 0);
        w.reducer.template add_bytes<value>(s, word);
      };
    else return false;
  }();

  /// Whether threads take segments of rows whose elements they find together: to find each takes longer than to load
  /// it.
  static constexpr bool by_segments = W == 1 && !positions && (finds_runs<In> || ...);

  Work work;

  /// Adds several items, all loaded before the first is used.
  template <int Count, std::size_t... I>
  KOKKOS_FUNCTION void add_items(state& s, const offsets (&p)[Count], std::index_sequence<I...>) const {
    add_loaded(s, p, std::index_sequence<I...>(), load_packs<W, I>(get<I>(work.in), p)...);
  }
  template <int Count, std::size_t... I, class... P>
  KOKKOS_FUNCTION void add_loaded(state& s, const offsets (&p)[Count], std::index_sequence<I...>,
                                  const P&... loaded) const {
    if constexpr (bytes) return add_bytes(s, loaded...);
    // As many values at a time as registers hold: those of narrow types come in several blocks.
    constexpr int some = W > block ? 1 : Count * W < block ? Count : block / W;
    [&]<int... Block>(std::integer_sequence<int, Block...>) {
      (add_values<Block * some, some>(s, p, std::index_sequence<I...>(), loaded...), ...);
    }(std::make_integer_sequence<int, Count / some>());
  }
  template <int Count>
  KOKKOS_FUNCTION void add_bytes(state& s, const packs_of<narrow_pack<value, W>, Count>& loaded) const {
    constexpr int words = W / 4;
    std::uint32_t word[Count * words];
    for (int u = 0; u < Count; ++u)
      for (int k = 0; k < words; ++k) word[u * words + k] = get<0>(work.in).expand_word(loaded.at[u], k);
    work.reducer.template add_bytes<value>(s, word);
  }
  template <int First, int Some, int Count, std::size_t... I, class... P>
  KOKKOS_FUNCTION void add_values(state& s, const offsets (&p)[Count], std::index_sequence<I...>,
                                  const P&... loaded) const {
    value v[Some * W];
    for (int u = 0; u < Some; ++u) {
      const auto call = [&](const auto& f, int k) {
        return f(get<I>(work.in).template expand<W>(loaded.at[First + u], k)...);
      };
      if constexpr (W > 1 && writes<F>) work.f.template write_packs<W>(v + u * W, call);
      else
        for (int k = 0; k < W; ++k) v[u * W + k] = call(work.f, k);
    }
    work.template add_block<W, Some * W>(s, v, p + First);
  }

  /// A thread's share of a result: items first, first + threads, ... In a single row they are at equal distances. The
  /// elements before the first aligned pack and after the last are added one by one.
  KOKKOS_FUNCTION void add_share(one_row_tag, state& s, const offsets& base, std::int64_t first,
                                 std::int64_t threads) const {
    const std::int64_t n = work.nest.inner, head = W > 1 ? Kokkos::min<std::int64_t>(n, head_of(base, inputs())) : 0;
    const std::int64_t whole = (n - head) / W;
    offsets at = base, distance;
    for (int k = 0; k < operands; ++k) {
      at.of[k] += (head + first * W) * work.nest.stride[k][0];
      distance.of[k] = threads * W * work.nest.stride[k][0];
    }
    share_items<items_of_row>(s, first, threads, whole, [&](std::int64_t, offsets& p) {
      p = at;
      for (int k = 0; k < operands; ++k) at.of[k] += distance.of[k];
    });
    if constexpr (W > 1) {
      for (std::int64_t alone = first; alone < n - whole * W; alone += threads) {
        const std::int64_t i = alone < head ? alone : whole * W + alone;
        offsets p;
        for (int k = 0; k < operands; ++k) p.of[k] = base.of[k] + i * work.nest.stride[k][0];
        work.add(s, work.element(work.in, p, 0, inputs()), p, 0);
      }
    }
  }
  /// Elements before the first aligned pack, the same for all inputs.
  template <std::size_t... I>
  KOKKOS_FUNCTION int head_of(const offsets& base, std::index_sequence<I...>) const {
    int phase = 0;
    ((phase = Kokkos::max(phase, get<I>(work.in).template phase<W>(base.of[I]))), ...);
    return (W - phase) % W;
  }
  /// In rows at equal distances, steps of `threads` items carry over to later rows; elsewhere each item is found by
  /// division, which takes registers. Items of several rows need not follow each other in position, so they come alone
  /// where positions matter.
  KOKKOS_FUNCTION void add_share(several_rows_tag, state& s, const offsets& base, std::int64_t first,
                                 std::int64_t threads) const {
    if constexpr (by_segments) return share_segments(s, base, first, threads);
    if (work.nest.rank > 2)
      return share_items<positions ? 1 : 2>(s, first, threads, work.total,
                                            [&](std::int64_t item, offsets& p) { p = work.item_at(base, item, W); });
    std::int64_t i, step;
    const std::int64_t row = work.nest.divide(first, work.items, i), rows = work.nest.divide(threads, work.items, step);
    offsets at, distance, carry;
    for (int k = 0; k < operands; ++k) {
      const std::int64_t along = W * work.nest.stride[k][0], across = work.nest.stride[k][1];
      at.of[k] = base.of[k] + i * along + row * across;
      distance.of[k] = step * along + rows * across;
      carry.of[k] = across - work.items * along;
    }
    share_items<positions ? 1 : packs>(s, first, threads, work.total, [&](std::int64_t, offsets& p) {
      p = at;
      i += step;
      const bool next = i >= work.items;
      i -= next ? work.items : 0;
      for (int k = 0; k < operands; ++k) at.of[k] += distance.of[k] + (next ? carry.of[k] : 0);
    });
  }
  /// Groups of adjacent threads take segments of rows in turns: a thread's elements in a segment are at equal
  /// distances, and found together where none of them is led elsewhere, as at the edges of what is padded.
  KOKKOS_FUNCTION void share_segments(state& s, const offsets& base, std::int64_t first, std::int64_t threads) const {
    const auto& nest = work.nest;
    const std::int64_t span = threads_of_segment(nest.inner, work.shape.along),
                       width = span * items_of_row * batches_of(nest.inner * nest.outer, threads),
                       segments = (nest.inner + width - 1) / width, lane = first & (span - 1);
    offsets distance;
    for (int k = 0; k < operands; ++k) distance.of[k] = span * nest.stride[k][0];
    for (std::int64_t segment = first / span; segment < segments * nest.outer; segment += threads / span) {
      std::int64_t i, part;
      const std::int64_t row = nest.divide(segment, segments, part);
      nest.divide(part + row, segments, i);  // in turns, since the last segment of a row is shorter
      i *= width;
      offsets at = nest.at(row, i);
      for (int k = 0; k < operands; ++k) at.of[k] += base.of[k] + lane * nest.stride[k][0];
      const std::int64_t end = Kokkos::min(i + width, nest.inner);
      i += lane;
      const int count = static_cast<int>((end - i + span - 1) / span);
      if (count <= 0 || add_segment(s, at, distance, count, i < span)) continue;
      share_items<packs>(s, i, span, end, [&](std::int64_t, offsets& p) {
        p = at;
        for (int k = 0; k < operands; ++k) at.of[k] += distance.of[k];
      });
    }
  }
  /// How many times `items_of_row` elements of a segment are those of a thread: as many as leave each several segments.
  KOKKOS_FUNCTION static int batches_of(std::int64_t elements, std::int64_t threads) {
    const std::int64_t segments = threads * items_of_row * 8;
    return elements >= 4 * segments ? 4 : elements >= 2 * segments ? 2 : 1;
  }
  /// Adds the elements of a thread in a segment if they are found together, all, or all but one at the end where a row
  /// begins or ends, or at the other one.
  KOKKOS_FUNCTION bool add_segment(state& s, const offsets& at, const offsets& distance, int count,
                                   bool begins_row) const {
    for (int attempt = 0; attempt < 3 && attempt < count; ++attempt) {
      const bool without_first = attempt == (begins_row ? 1 : 2);
      const int some = attempt == 0 ? count : count - 1;
      offsets p = at, alone[1] = {at};
      for (int k = 0; k < operands; ++k) {
        p.of[k] += without_first ? distance.of[k] : 0;
        alone[0].of[k] += without_first ? 0 : some * distance.of[k];
      }
      if (!add_run(s, p, distance, some, inputs())) continue;
      if (attempt > 0) add_items(s, alone, inputs());
      return true;
    }
    return false;
  }
  /// Adds elements at equal distances, if those of each operand are found together.
  template <std::size_t... I>
  KOKKOS_FUNCTION bool add_run(state& s, const offsets& at, const offsets& distance, int count,
                               std::index_sequence<I...>) const {
    const auto add = [&](const auto&... run) {
      if (!(run.found() && ...)) return false;
      add_found<items_of_row>(s, 0, count, run...);
      return true;
    };
    return add(find_run(get<I>(work.in), at.of[I], distance.of[I], count)...);
  }
  template <int Count, class... Run>
  KOKKOS_FUNCTION void add_found(state& s, int first, int count, const Run&... run) const {
    for (; count - first >= Count; first += Count) {
      const offsets p[Count] = {};  // which positions alone need
      add_loaded(s, p, inputs(), load_run(run, first, std::make_index_sequence<Count>())...);
    }
    if constexpr (Count > 1)
      if (first < count) add_found<Count / 2>(s, first, count, run...);
  }
  /// Count items at once, of which `next` finds the start of each.
  template <int Count, class Next>
  KOKKOS_FUNCTION void add_next(state& s, std::int64_t item, std::int64_t threads, const Next& next) const {
    offsets p[Count];
    for (int u = 0; u < Count; ++u) next(item + u * threads, p[u]);
    add_items(s, p, inputs());
  }
  /// Items item, item + threads, ... below `end`: Count at a time, then what is left in halves of that.
  template <int Count, class Next>
  KOKKOS_FUNCTION void share_items(state& s, std::int64_t item, std::int64_t threads, std::int64_t end,
                                   const Next& next) const {
    for (; item + (Count - 1) * threads < end; item += Count * threads) add_next<Count>(s, item, threads, next);
    if constexpr (Count > 1) share_items<Count / 2>(s, item, threads, end, next);
  }

  /// Which result of a team's tile a thread works on, and as which of the threads of that result.
  struct role {
    int result, number;
    bool used;
  };
  KOKKOS_FUNCTION role role_of(int t, const tile_start& start) const {
    role me;
    me.result = work.shape.results_fastest ? t % work.shape.across : t / work.shape.along;
    me.number = work.shape.results_fastest ? t / work.shape.across : t % work.shape.along;
    me.used = me.result < start.results && me.number < work.shape.along;
    return me;
  }

  /// The join of the states of a result's threads, in the first of them, in an order that depends on
  /// their number alone.
  KOKKOS_FUNCTION void team_join(const member& team, state* shared, const role& me, state& s) const {
    if (work.shape.along == 1) return;
    const int t = team.team_rank(), apart = work.shape.results_fastest ? work.shape.across : 1;
    shared[t] = s;
    join_by_halves(team, shared, me.used, me.number, work.shape.along, apart,
                   [&](state& mine, const state& other) { work.reducer.join(mine, other); });
    s = shared[t];
  }

  /// A result for each thread, where they take few values. Positions need not have one stride then.
  KOKKOS_FUNCTION void operator()(short_tag, std::int64_t result) const {
    state s = work.reducer.init();
    const tile_start start = work.tile_at(result);
    if (work.nest.outer > 1) {
      short_share(s, [&](std::int64_t item, offsets& p) { p = work.item_at(start.from, item, 1); });
    } else {
      offsets at = start.from;
      short_share(s, [&](std::int64_t, offsets& p) {
        p = at;
        for (int k = 0; k < operands; ++k) at.of[k] += work.nest.stride[k][0];
      });
    }
    work.write(start, 0, s);
  }
  /// Four values at a time, then the rest together, so that all loads of few values are in flight at once.
  template <class Next>
  KOKKOS_FUNCTION void short_share(state& s, const Next& next) const {
    constexpr int at_once = positions ? 1 : 4;
    std::int64_t item = 0;
    for (; item + at_once <= work.total; item += at_once) add_next<at_once>(s, item, 1, next);
    if constexpr (at_once > 1) {
      if (work.total - item == 3) add_next<3>(s, item, 1, next);
      if (work.total - item == 2) add_next<2>(s, item, 1, next);
      if (work.total - item == 1) add_next<1>(s, item, 1, next);
    }
  }

  /// The state with which a thread begins its share of a result, from the first values of that result.
  KOKKOS_FUNCTION state first_state(const offsets& base) const {
    constexpr int some = 4;
    if constexpr (!writes<F> && requires(const value* v) { work.reducer.template start<some>(v); }) {
      value v[some];
      for (int u = 0; u < some; ++u)
        v[u] = work.element(work.in, base, Kokkos::min<std::int64_t>(u, work.nest.inner - 1), inputs());
      return work.reducer.template start<some>(v);
    } else {
      return work.reducer.init();
    }
  }

  template <class Tag>
  KOKKOS_FUNCTION void run_unit(const member& team, state* shared, std::int64_t tile, std::int64_t split) const {
    const tile_start start = work.tile_at(tile);
    const role me = role_of(team.team_rank(), start);
    state s = work.reducer.init();
    if (me.used && work.total > 0) {
      const offsets base = work.result_at(start, me.result);
      s = first_state(base);
      const std::int64_t first = split * work.shape.along + me.number, threads = work.shape.splits * work.shape.along;
      add_share(Tag(), s, base, first, threads);
    }
    team_join(team, shared, me, s);
    const bool writes = me.used && me.number == 0;
    if (work.shape.splits > 1) {
      if (writes) work.leave(tile, split, me.result, s);
      if (!last_to_finish(team, work.finished + tile, work.shape.splits)) return;
      s = work.reducer.init();
      if (me.used) work.join_splits(s, tile, me.result, me.number, work.shape.along);
      team_join(team, shared, me, s);
    }
    if (writes) work.write(start, me.result, s);
  }

  template <class Tag>
  KOKKOS_FUNCTION void operator()(Tag, const member& team) const {
    auto* shared =
        static_cast<state*>(team.team_shmem().get_shmem_aligned(team.team_size() * sizeof(state), alignof(state)));
    const int units = static_cast<int>(work.shape.tiles * work.shape.splits),
              splits = static_cast<int>(work.shape.splits);
    for (int unit = team.league_rank(); unit < units; unit += team.league_size()) {
      run_unit<Tag>(team, shared, unit / splits, unit % splits);
      if (units > team.league_size()) team.team_barrier();  // before the shared states are used again
    }
  }
};

/// Threads and teams for `results` results of `items` items each (`inner` results a row).
template <class Exec>
reduce_shape device_shape(const Exec& exec, int max_threads, bool results_fastest, std::int64_t inner,
                          std::int64_t results, std::int64_t items) {
  using tune = reduce_tuning<Exec>;
  constexpr int packs = tune::packs;
  const auto threads = static_cast<std::int64_t>(exec.concurrency() * tune::occupancy);
  reduce_shape s;
  s.results_fastest = results_fastest;
  if (results == 1) {
    s.along = max_threads;
  } else if (items > packs && results_fastest) {
    s.across = static_cast<int>(std::min<std::int64_t>(inner, max_threads / 4));
    s.along = static_cast<int>(std::min<std::int64_t>(max_threads / s.across, items / packs));
  } else if (items > packs) {
    // Each thread loops a few times; not more threads than the device runs at once, and few enough for each group of
    // adjacent ones to read whole cache lines.
    const auto useful = static_cast<unsigned>(std::clamp<std::int64_t>(items / (4 * packs), 1, max_threads));
    s.along = static_cast<int>(std::bit_floor(useful));
    while (s.along > 32 && s.along * results > threads) s.along /= 2;
    s.along = std::max(s.along, 8);
    s.across = static_cast<int>(std::min<std::int64_t>(inner, max_threads / s.along));
  }
  s.team = (s.across * s.along + 31) / 32 * 32;
  s.share_results(inner, results);
  const std::int64_t max_splits = s.tiles > Workspace<Exec>::max_counters ? 1 : (items + s.along - 1) / s.along;
  s.splits = splits_for(s.tiles, std::max<std::int64_t>(1, threads / s.team), std::max<std::int64_t>(1, max_splits));
  s.league = static_cast<int>(std::min<std::int64_t>(s.tiles * s.splits, std::numeric_limits<int>::max()));
  return s;
}

/// Chooses the shape, and launches: packs where rows are so long that several threads share them, since a thread that
/// reduces a result by itself reads single elements.
template <class Exec, class Reducer, class F, class Out, class... In>
  requires is_device<Exec>
void reduce_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                   const strided_reduction<Exec, Reducer, F, Out, In...>& work) {
  using state = typename Reducer::state;
  using tune = reduce_tuning<Exec>;
  constexpr int w = std::remove_cvref_t<decltype(work)>::width;
  const std::int64_t results = work.results();
  if (results == 0) return;
  const auto bytes = [](int threads) { return threads * sizeof(state) + alignof(state); };
  const auto launch = [&]<int W>(std::integral_constant<int, W>) {
    using kernel_type = device_reduction<W, Exec, Reducer, F, Out, In...>;
    kernel_type kernel{work};
    auto& shape = kernel.work.shape;
    kernel.work.items = (work.nest.inner + W - 1) / W;
    kernel.work.total = kernel.work.items * work.nest.outer;
    const int max_threads =
        team_with_room<Exec>(tune::team_size, [&](int threads) { return kernel_type::teams * bytes(threads); });
    shape = device_shape(exec, std::max(max_threads, 32), shape.results_fastest, work.result_nest.inner, results,
                         kernel.work.total);
    if constexpr (W == 1) {  // threads that share no results need no scratch memory
      if (shape.across * shape.along == 1)
        return Kokkos::parallel_for(kernel_label(label), index_range<short_tag>(exec, results), kernel);
    }
    if (max_threads == 0)
      throw Error(label, "a state of " + std::to_string(sizeof(state)) + " bytes is too large for this device");
    kernel.work.share_tiles(exec, scratch);
    const auto shared = team_scratch<Exec>(label, shape.team, bytes(shape.team));
    const auto by_teams = [&]<class Tag>(Tag) {
      Kokkos::parallel_for(
          kernel_label(label),
          typename kernel_type::template policy<Tag>(exec, shape.league, shape.team).set_scratch_size(0, shared),
          kernel);
    };
    if (work.nest.outer == 1) by_teams(one_row_tag());
    else by_teams(several_rows_tag());
  };
  if constexpr (w > 1) {
    const bool is_long = results == 1 || work.values > w * device_reduction<w, Exec, Reducer, F, Out, In...>::packs;
    if (is_long && work.template holds_packs<w>()) return launch(std::integral_constant<int, w>());
  }
  launch(std::integral_constant<int, 1>());
}

}  // namespace quern::impl

#endif
