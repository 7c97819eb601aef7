// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_KERNEL_HPP
#define QUERN_SCAN_KERNEL_HPP

#include <quern/core/arguments.hpp>
#include <quern/core/axes.hpp>
#include <quern/core/loop_nest.hpp>
#include <quern/core/operations.hpp>
#include <quern/core/stream_store.hpp>
#include <quern/core/team_scratch.hpp>
#include <quern/core/teams.hpp>
#include <quern/core/workspace.hpp>
#include <quern/reduce/reducers.hpp>
#include <thread>

namespace quern::impl {

/// How lines and chunks of lines are shared out.
struct scan_shape {
  bool by_team = false;            // device: a team for each chunk; otherwise a thread
  int across = 1;                  // host: lines of a tile
  int team = 1;                    // threads
  std::int64_t tiles_per_row = 1;  // host
  std::int64_t tiles = 1;
  std::int64_t chunks = 1;  // of each line
  std::int64_t length = 0;  // of a chunk
};

template <bool Write>
struct thread_tag {};
struct tile_tag {};               // host: a thread scans the lines of a tile
struct chain_tag {};              // host: threads share the chunks of all tiles
template <bool Write, bool Even>  // Even: the elements of a line are at equal distances
struct team_tag {};

/// A reducer whose operands may change places, so that a reduction finds the totals of chunks faster than a scan does.
template <class Reducer>
inline constexpr bool is_commutative = false;
template <class S, class Sum>
inline constexpr bool is_commutative<sum_reducer<S, Sum>> = true;
template <class S>
inline constexpr bool is_commutative<op_reducer<S, prod_op>> = true;

/// A stride that is known when compiling.
struct one {
  KOKKOS_FUNCTION constexpr operator std::int64_t() const { return 1; }
};

/// A short run of consecutive values after a state. `local` is what values of a run, or of the runs of a tile, make
/// among themselves.
template <class Reducer>
struct scan_run {
  using state = typename Reducer::state;
  using local = state;
  state s;

  KOKKOS_FUNCTION static local none(const Reducer& reducer) { return reducer.init(); }
  template <class T>
  KOKKOS_FUNCTION static void add(const Reducer& reducer, local& l, const T& v) {
    reducer.add(l, v);
  }
  KOKKOS_FUNCTION static void join(const Reducer& reducer, local& l, const local& next) { reducer.join(l, next); }
  KOKKOS_FUNCTION static void append(const Reducer& reducer, state& s, const local& l) { reducer.join(s, l); }

  /// A run after `before` and `between`.
  KOKKOS_FUNCTION static scan_run after(const Reducer& reducer, const state& before, const local& between) {
    scan_run r{before};
    reducer.join(r.s, between);
    return r;
  }
  template <class T>
  KOKKOS_FUNCTION void add(const Reducer& reducer, const T& v) {
    reducer.add(s, v);
  }
  KOKKOS_FUNCTION auto result(const Reducer& reducer) const { return reducer.result(s, 0); }
  /// With nothing between, `before` becomes the state at the end.
  KOKKOS_FUNCTION void end(const Reducer&, state& before) const { before = s; }
};
/// Sums of a few values need no compensation among themselves, and do not wait for the sum before them.
template <class S>
struct scan_run<sum_reducer<S, compensated<S>>> {
  using reducer_type = sum_reducer<S, compensated<S>>;
  using state = compensated<S>;
  using local = S;
  S before, run;

  KOKKOS_FUNCTION static local none(const reducer_type&) { return S(0); }
  template <class T>
  KOKKOS_FUNCTION static void add(const reducer_type&, local& l, const T& v) {
    l = wrapping_add(l, static_cast<S>(v));
  }
  KOKKOS_FUNCTION static void join(const reducer_type&, local& l, const local& next) { l = wrapping_add(l, next); }
  KOKKOS_FUNCTION static void append(const reducer_type&, state& s, const local& l) {
    s.add(l);
    s.settle();
  }

  KOKKOS_FUNCTION static scan_run after(const reducer_type&, const state& s, const local& between) {
    return {s.value(), between};
  }
  template <class T>
  KOKKOS_FUNCTION void add(const reducer_type& reducer, const T& v) {
    add(reducer, run, v);
  }
  KOKKOS_FUNCTION S result(const reducer_type&) const { return wrapping_add(before, run); }
  KOKKOS_FUNCTION void end(const reducer_type& reducer, state& s) const { append(reducer, s, run); }
};

/// Prefixes out(i) = in(0) o in(1) o ... o in(i) along lines of an array, by the reducer of o. Only associativity is
/// used: states are always joined in order.
///
/// Lines that are too few for the machine are cut into chunks. On a device a first kernel (Write false) finds the total
/// of each, and a second one scans each chunk from the join of the totals before it: that reads the input twice, and
/// needs no thread to wait for another. On the host one kernel does, and reads a chunk again from the cache.
///
/// On a device, neighbouring lines are scanned by neighbouring threads; a line that is contiguous is scanned by a team,
/// which turns tiles of it around in its scratch memory, so that memory is accessed in rows and each thread has
/// neighbouring elements. On the host a thread scans a line, or a tile of neighbouring lines row by row.
template <class Exec, bool Exclusive, class Reducer, class T, class Out>
struct scan_kernel {
  using state = typename Reducer::state;
  using run = scan_run<Reducer>;
  using local = typename run::local;
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int batch = device ? 8 : 16;  // loads of a thread in flight
  static constexpr int block = std::max<int>(16, tuning<Exec>::reduce_block_bytes / std::bit_ceil(sizeof(T)));  // host
  static constexpr std::size_t slot = std::max(sizeof(T), sizeof(Out));
  static constexpr int items = std::clamp<int>(128 / slot - 1, 1, 7);  // of a thread; odd, against bank conflicts

  Reducer reducer;
  const T* in;
  Out* out;
  row_nest<2> line;   // to where lines start in in and out
  row_nest<2> along;  // to the elements of a line, in order
  std::int64_t n;
  std::int64_t lines;
  scan_shape shape{};
  state* totals = nullptr;  // device: of chunk c of line l at c * lines + l; host: of the chunks of line l so far
  bool stream = false;      // host: write past the caches
  int* taken = nullptr;     // host: chunks that threads have taken, threads that found none, chunks done of each tile

  using places = typename row_nest<2>::offsets;

  KOKKOS_FUNCTION places line_at(std::int64_t l) const {
    std::int64_t i;
    return line.at_item(l, line.inner, 1, i);
  }
  KOKKOS_FUNCTION places element_at(const places& base, std::int64_t e) const {
    std::int64_t i;
    const auto o = along.at_item(e, along.inner, 1, i);
    return {{base.of[0] + o.of[0], base.of[1] + o.of[1]}};
  }
  KOKKOS_FUNCTION std::int64_t first_of(std::int64_t chunk) const { return chunk * shape.length; }
  KOKKOS_FUNCTION std::int64_t last_of(std::int64_t chunk) const { return Kokkos::min(n, (chunk + 1) * shape.length); }

  /// The result at the next element of a run.
  KOKKOS_FUNCTION Out step(run& r, const T& v) const {
    if constexpr (!Exclusive) r.add(reducer, v);
    const Out result = convert<Out>(r.result(reducer));
    if constexpr (Exclusive) r.add(reducer, v);
    return result;
  }

  /// N elements that follow each other.
  template <bool Write, int N, class Step>
  KOKKOS_FUNCTION void scan_batch(state& s, const T* from, Out* to, Step in_step, Step out_step) const {
    T v[N];
    for (int k = 0; k < N; ++k) v[k] = from[k * in_step];
    run r = run::after(reducer, s, run::none(reducer));
    for (int k = 0; k < N; ++k) {
      if constexpr (Write) to[k * out_step] = step(r, v[k]);
      else r.add(reducer, v[k]);
    }
    r.end(reducer, s);
  }
  template <bool Write, class Step>
  KOKKOS_FUNCTION void scan_row(state& s, const T* from, Out* to, std::int64_t count, Step in_step,
                                Step out_step) const {
    state mine = s;  // no store of a result may change it
    std::int64_t k = 0;
    if constexpr (!Write && is_commutative<Reducer> && std::is_same_v<Step, one>)
      for (; k + block <= count; k += block) reducer.template add_block<block>(mine, from + k);
    for (; k + batch <= count; k += batch)
      scan_batch<Write, batch>(mine, from + k * in_step, to + k * out_step, in_step, out_step);
    for (; k < count; ++k) scan_batch<Write, 1>(mine, from + k * in_step, to + k * out_step, in_step, out_step);
    s = mine;
  }
  KOKKOS_FUNCTION state total_before(std::int64_t l, std::int64_t chunk) const {
    state s = reducer.init();
    for (std::int64_t c = 0; c < chunk; ++c) reducer.join(s, totals[c * lines + l]);
    return s;
  }
  /// A chunk of a line by one thread, in pieces that lie evenly in both arrays.
  template <bool Write>
  KOKKOS_FUNCTION void scan_line(state& s, std::int64_t l, std::int64_t chunk) const {
    const places base = line_at(l);
    const std::int64_t last = last_of(chunk), in_step = along.stride[0][0], out_step = along.stride[1][0];
    for (std::int64_t e = first_of(chunk), count; e < last; e += count) {
      count = Kokkos::min(last - e, along.inner - e % along.inner);
      const places p = element_at(base, e);
      if constexpr (!device) {
        if (in_step == 1 && out_step == 1) {
          scan_neighbours<Write>(s, in + p.of[0], out + p.of[1], count);
          continue;
        }
      }
      scan_row<Write>(s, in + p.of[0], out + p.of[1], count, in_step, out_step);
    }
  }
  template <bool Write>
  void scan_neighbours(state& s, const T* from, Out* to, std::int64_t count) const {
    if constexpr (Write)
      if (stream) return scan_streamed(s, from, to, count);
    scan_row<Write>(s, from, to, count, one(), one());
  }
  void scan_streamed(state& s, const T* from, Out* to, std::int64_t count) const {
    alignas(64) Out room[block];
    for (std::int64_t k = 0; k < count; k += block) {
      const std::int64_t some = Kokkos::min<std::int64_t>(block, count - k);
      scan_row<true>(s, from + k, room, some, one(), one());
      stream_store(to + k, room, some * sizeof(Out));
    }
  }

  // A thread of the device for a chunk of a line.
  template <bool Write>
  KOKKOS_FUNCTION void operator()(thread_tag<Write>, std::int64_t unit) const {
    const std::int64_t chunk = unit / lines, l = unit - chunk * lines;
    state s = Write ? total_before(l, chunk) : reducer.init();
    scan_line<Write>(s, l, chunk);
    if (!Write) totals[unit] = s;
  }

  /// What a team shares: something of each thread and of groups of them, and a tile of elements.
  struct team_memory {
    std::byte* threads;
    std::byte* groups;
    std::byte* values;
  };
  static constexpr std::size_t largest = std::max(sizeof(state), sizeof(local));
  static std::size_t team_bytes(int threads) {
    return (thread_slots(threads) + group_slots(threads)) * largest + threads * items * slot + 3 * 64;
  }
  /// Threads whose values one thread joins, and groups that do without groups of their own: fewer for what takes longer
  /// to join.
  template <class L>
  static constexpr int group = sizeof(L) > 8 ? 8 : 16;
  static constexpr int few_groups = 16;
  /// Groups lie one slot apart, against bank conflicts.
  template <int Group>
  KOKKOS_FUNCTION static constexpr int padded(int i) {
    return i + i / Group;
  }
  /// Slots for threads, and for groups of them and groups of these.
  KOKKOS_FUNCTION static constexpr int thread_slots(int threads) { return padded<8>(threads); }
  KOKKOS_FUNCTION static constexpr int group_slots(int threads) { return padded<8>(threads / 8) + threads / 64 + 1; }
  template <class Member>
  KOKKOS_FUNCTION team_memory memory_of(const Member& team) const {
    const int threads = team.team_size();
    const auto bytes = [&](std::size_t size) {
      return static_cast<std::byte*>(team.team_shmem().get_shmem_aligned(size, alignof(std::max_align_t)));
    };
    return {bytes(thread_slots(threads) * largest), bytes(group_slots(threads) * largest),
            bytes(threads * items * slot)};
  }

  /// From a value of each thread to the join of those of the threads before it, and of all: by groups of threads and
  /// groups of these, each scanned by one thread.
  template <class Member, class L, class Join>
  KOKKOS_FUNCTION static L join_before(const Member& team, const team_memory& m, const L& none, const L& mine, L& all,
                                       const Join& join) {
    constexpr int size = group<L>;
    constexpr auto at = padded<size>;
    const int t = team.team_rank(), groups = team.team_size() / size;
    L *of_thread = reinterpret_cast<L*>(m.threads), *of_group = reinterpret_cast<L*>(m.groups);
    const auto scan = [&](L* values, int count) {
      L l = none;
      for (int i = 0; i < count; ++i) {
        const L next = values[i];
        values[i] = l;
        join(l, next);
      }
      return l;
    };
    const auto total = [&](const L* values, int count, int mine_of_them) {
      L l = none, until_mine = none;
      for (int i = 0; i < count; ++i) {
        if (i == mine_of_them) until_mine = l;
        join(l, values[i]);
      }
      all = l;
      return until_mine;
    };
    of_thread[at(t)] = mine;
    team.team_barrier();
    constexpr bool of_groups = tuning<Exec>::team_size / size > few_groups;
    if (t < groups) of_group[of_groups ? at(t) : t] = scan(of_thread + at(t * size), size);
    team.team_barrier();
    L before;
    if constexpr (of_groups) {
      const int unions = (groups + size - 1) / size;
      L* of_union = of_group + at(groups);
      if (t < unions) of_union[t] = scan(of_group + at(t * size), Kokkos::min(int{size}, groups - t * size));
      team.team_barrier();
      before = total(of_union, unions, t / (size * size));
      join(before, of_group[at(t / size)]);
    } else {
      before = total(of_group, groups, t / size);
    }
    join(before, of_thread[at(t)]);
    return before;
  }

  template <class Member>
  KOKKOS_FUNCTION state team_total_before(const Member& team, const team_memory& m, std::int64_t l,
                                          std::int64_t chunk) const {
    const std::int64_t each = (chunk + team.team_size() - 1) / team.team_size();
    const std::int64_t first = team.team_rank() * each, last = Kokkos::min(chunk, first + each);
    state s = reducer.init(), all;
    for (std::int64_t c = first; c < last; ++c) reducer.join(s, totals[c * lines + l]);
    join_before(team, m, reducer.init(), s, all, [&](state& a, const state& b) { reducer.join(a, b); });
    team.team_barrier();
    return all;
  }

  // A team of the device for a chunk of a line.
  template <bool Write, bool Even, class Member>
    requires(device)
  KOKKOS_FUNCTION void operator()(team_tag<Write, Even>, const Member& team) const {
    const team_memory m = memory_of(team);
    const std::int64_t l = team.league_rank() / shape.chunks, chunk = team.league_rank() - l * shape.chunks;
    const places base = line_at(l);
    const int tile = team.team_size() * items;
    const std::int64_t last = last_of(chunk);
    state s = reducer.init();
    if (Write && chunk > 0) s = team_total_before(team, m, l, chunk);
    // The next tile is on its way while a tile is scanned.
    std::int64_t start = first_of(chunk);
    T v[items];
    if (start + tile <= last) load_tile<Even, true>(v, team, base, start, tile);
    for (; start + tile <= last; start += tile) {
      put_tile<true>(m, v, team, tile);
      if (start + 2 * tile <= last) load_tile<Even, true>(v, team, base, start + tile, tile);
      scan_tile<Write, Even, true>(team, m, base, start, tile, s);
    }
    if (start < last) {
      const int count = static_cast<int>(last - start);
      load_tile<Even, false>(v, team, base, start, count);
      put_tile<false>(m, v, team, count);
      scan_tile<Write, Even, false>(team, m, base, start, count, s);
    }
    if (!Write && team.team_rank() == 0) totals[chunk * lines + l] = s;
  }

  /// Where element e is in the input (0) or the output (1).
  template <bool Even, int Which>
  KOKKOS_FUNCTION std::int64_t place(const places& base, std::int64_t e) const {
    if constexpr (Even) return base.of[Which] + e * along.stride[Which][0];
    else return element_at(base, e).of[Which];
  }
  /// A thread's share of the elements of a tile in rows.
  template <bool Even, bool Full, class Member>
  KOKKOS_FUNCTION void load_tile(T (&v)[items], const Member& team, const places& base, std::int64_t start,
                                 int count) const {
    const int t = team.team_rank(), threads = team.team_size();
    const T* from = in + place<Even, 0>(base, start + t);
    const std::int64_t apart = threads * along.stride[0][0];
    for (int u = 0; u < items; ++u)
      if (Full || u * threads + t < count)
        v[u] = Even ? from[u * apart] : in[place<Even, 0>(base, start + u * threads + t)];
  }
  template <bool Full, class Member>
  KOKKOS_FUNCTION static void put_tile(const team_memory& m, const T (&v)[items], const Member& team, int count) {
    const int t = team.team_rank(), threads = team.team_size();
    T* values = reinterpret_cast<T*>(m.values);
    for (int u = 0; u < items; ++u)
      if (Full || u * threads + t < count) values[u * threads + t] = v[u];
    team.team_barrier();
  }
  /// A tile of `count` elements; all of a thread's elements are there where it is full.
  template <bool Write, bool Even, bool Full, class Member>
  KOKKOS_FUNCTION void scan_tile(const Member& team, const team_memory& m, const places& base, std::int64_t start,
                                 int count, state& s) const {
    const int t = team.team_rank(), threads = team.team_size();
    const T* values = reinterpret_cast<const T*>(m.values) + t * items;
    const int mine = count - t * items;
    local total = run::none(reducer), all;
    for (int k = 0; k < items; ++k)
      if (Full || k < mine) run::add(reducer, total, values[k]);
    const local between = join_before(team, m, run::none(reducer), total, all,
                                      [&](local& a, const local& b) { run::join(reducer, a, b); });
    if constexpr (Write) {
      run r = run::after(reducer, s, between);
      if constexpr (std::is_same_v<T, Out>) {
        // In place: a thread reads and writes its own elements.
        Out* results = reinterpret_cast<Out*>(m.values) + t * items;
        for (int k = 0; k < items; ++k)
          if (Full || k < mine) results[k] = step(r, values[k]);
      } else {
        T v[items];
        for (int k = 0; k < items; ++k)
          if (Full || k < mine) v[k] = values[k];
        team.team_barrier();
        Out* results = reinterpret_cast<Out*>(m.values) + t * items;
        for (int k = 0; k < items; ++k)
          if (Full || k < mine) results[k] = step(r, v[k]);
      }
      team.team_barrier();
      const Out* results = reinterpret_cast<const Out*>(m.values);
      Out* to = out + place<Even, 1>(base, start + t);
      const std::int64_t apart = threads * along.stride[1][0];
      for (int u = 0; u < items; ++u)
        if (Full || u * threads + t < count)
          (Even ? to[u * apart] : out[place<Even, 1>(base, start + u * threads + t)]) = results[u * threads + t];
      team.team_barrier();
    }
    run::append(reducer, s, all);
  }

  /// Lines of a tile on the host: as long rows as can be, but shorter where threads share the lines.
  static constexpr int most_across = tuning<Exec>::reduce_results, chain_across = 512;

  /// Lines l to l + count - 1.
  struct host_lines {
    std::int64_t l;
    int count;
  };
  host_lines lines_of(std::int64_t tile) const {
    const std::int64_t row = tile / shape.tiles_per_row, i = (tile - row * shape.tiles_per_row) * shape.across;
    return {row * line.inner + i, static_cast<int>(Kokkos::min<std::int64_t>(shape.across, line.inner - i))};
  }
  template <bool Write>
  void scan_chunk(state* s, const host_lines& some, std::int64_t chunk) const {
    if (some.count == 1) scan_line<Write>(s[0], some.l, chunk);
    else scan_rows<Write>(s, some, chunk);
    if (Write && stream) stream_fence();
  }
  void operator()(tile_tag, std::int64_t tile) const {
    const host_lines some = lines_of(tile);
    state s[most_across];
    for (int k = 0; k < some.count; ++k) s[k] = reducer.init();
    scan_chunk<true>(s, some, 0);
  }

  // A thread takes the next chunk, finds its total, waits for that of the chunks before it in its lines, hands the join
  // of both on and scans. It waits for threads that have started only, so this ends with any number of them.
  void operator()(chain_tag, std::int64_t) const {
    int* found_none = taken + 1;
    int* done = taken + 2;
    for (int unit; (unit = Kokkos::atomic_fetch_add(taken, 1)) < shape.tiles * shape.chunks;) {
      const std::int64_t chunk = unit / shape.tiles, tile = unit - chunk * shape.tiles;
      const host_lines some = lines_of(tile);
      state s[most_across];
      for (int k = 0; k < some.count; ++k) s[k] = reducer.init();
      scan_chunk<false>(s, some, chunk);
      while (Kokkos::atomic_load(done + tile) != chunk) std::this_thread::yield();
      Kokkos::memory_fence();
      for (int k = 0; k < some.count; ++k) {
        const state before = chunk == 0 ? reducer.init() : totals[some.l + k];
        state total = before;
        reducer.join(total, s[k]);
        totals[some.l + k] = total;
        s[k] = before;
      }
      Kokkos::memory_fence();
      Kokkos::atomic_store(done + tile, chunk + 1 < shape.chunks ? static_cast<int>(chunk + 1) : 0);
      scan_chunk<true>(s, some, chunk);
    }
    if (Kokkos::atomic_fetch_add(found_none, 1) == shape.team - 1) *taken = *found_none = 0;
  }

  template <bool Write>
  void scan_rows(state* s, const host_lines& some, std::int64_t chunk) const {
    const places base = line_at(some.l);
    const bool unit = line.stride[0][0] == 1 && line.stride[1][0] == 1;
    alignas(64) Out room[most_across];
    for (std::int64_t e = first_of(chunk); e < last_of(chunk); e += batch) {
      run r[most_across];
      for (int k = 0; k < some.count; ++k) r[k] = run::after(reducer, s[k], run::none(reducer));
      for (std::int64_t f = e; f < Kokkos::min(e + batch, last_of(chunk)); ++f) {
        const places p = element_at(base, f);
        const T* from = in + p.of[0];
        Out* to = out + p.of[1];
        if (!unit) {
          step_across<Write>(r, some.count, from, to, line.stride[0][0], line.stride[1][0]);
        } else if (Write && stream) {
          step_across<Write>(r, some.count, from, room, one(), one());
          stream_store(to, room, some.count * sizeof(Out));
        } else {
          step_across<Write>(r, some.count, from, to, one(), one());
        }
      }
      for (int k = 0; k < some.count; ++k) r[k].end(reducer, s[k]);
    }
  }
  template <bool Write, class Step>
  void step_across(run* r, int count, const T* from, Out* to, Step in_step, Step out_step) const {
#pragma GCC ivdep
    for (int k = 0; k < count; ++k) {
      if constexpr (Write) to[k * out_step] = step(r[k], from[k * in_step]);
      else r[k].add(reducer, from[k * in_step]);
    }
  }
};

template <class Kernel, class Exec>
scan_shape scan_device_shape(const Exec& exec, const row_nest<2>& line, const row_nest<2>& along, std::int64_t n,
                             std::int64_t lines) {
  constexpr int most_team = tuning<Exec>::team_size;
  constexpr std::int64_t short_line = 64, most_chunks = 256, least = 64;
  scan_shape s;
  const bool neighbours = line.inner >= most_team && line.stride[0][0] < along.stride[0][0];
  const auto useful = static_cast<int>(std::clamp<std::int64_t>((n / Kernel::items + 31) / 32 * 32, 32, most_team));
  const int team = team_with_room<Exec>(useful, [](int threads) { return Kernel::team_bytes(threads); });
  s.by_team = n > short_line && !neighbours && team > 0;
  if (s.by_team) {
    s.team = team / 32 * 32;
    const std::int64_t tile = s.team * Kernel::items, tiles = (n + tile - 1) / tile;
    const auto slots = static_cast<std::int64_t>(exec.concurrency() * tuning<Exec>::scan_occupancy) / s.team;
    s.chunks = splits_for(lines, tuning<Exec>::scan_waves * slots, std::max<std::int64_t>(1, tiles / 2));
    s.length = (tiles + s.chunks - 1) / s.chunks * tile;
  } else {
    s.chunks = std::clamp<std::int64_t>(exec.concurrency() / 2 / lines, 1, std::min(most_chunks, n / least + 1));
    s.length = (n + s.chunks - 1) / s.chunks;
  }
  s.chunks = (n + s.length - 1) / s.length;
  return s;
}

/// Tiles of lines; where they are few for the threads, in chunks that stay in a core's cache.
template <class Kernel, class Exec>
scan_shape scan_host_shape(const Exec& exec, const row_nest<2>& line, const row_nest<2>& along, std::int64_t n,
                           std::int64_t lines, std::size_t bytes) {
  scan_shape s;
  const bool neighbours = line.stride[0][0] < along.stride[0][0];
  const auto cut = [&](std::int64_t most) {
    s.across = static_cast<int>(neighbours ? std::min(line.inner, most) : 1);
    s.tiles_per_row = (line.inner + s.across - 1) / s.across;
    s.tiles = s.tiles_per_row * (lines / line.inner);
  };
  cut(Kernel::most_across);
  s.length = n;
  s.team = exec.concurrency();
  if (s.tiles < 4 * s.team && s.team > 1) {
    cut(Kernel::chain_across);
    if (s.tiles + 2 <= workspace<Exec>::max_counters)
      s.length = std::clamp<std::int64_t>(tuning<Exec>::scan_chunk_bytes / (s.across * bytes), 1, n);
  }
  s.chunks = (n + s.length - 1) / s.length;
  return s;
}

template <class Reducer>
struct state_reducer : Reducer {
  using state = typename Reducer::state;
  KOKKOS_FUNCTION state result(const state& s, std::int64_t) const { return s; }
};

/// The totals of all chunks but the last, which lie evenly in the input, as a reduction.
template <class Exec, class Kernel, class T>
void reduce_chunks(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const Kernel& kernel,
                   const T* in) {
  using state = typename Kernel::state;
  strided<const T> chunked{in, {}, {}};
  strided<state> totals{kernel.totals, {}, {}};
  const auto add_axis = [](auto& array, std::int64_t extent, std::int64_t stride) {
    array.extents.extent[array.extents.rank] = extent;
    array.stride[array.extents.rank++] = stride;
  };
  std::int64_t lines = kernel.lines;
  for (int d = kernel.line.rank - 1; d >= 0; --d) {
    lines /= kernel.line.extent[d];
    add_axis(chunked, kernel.line.extent[d], kernel.line.stride[0][d]);
    add_axis(totals, kernel.line.extent[d], lines);
  }
  const std::int64_t step = kernel.along.stride[0][0];
  add_axis(chunked, kernel.shape.chunks - 1, kernel.shape.length * step);
  add_axis(totals, kernel.shape.chunks - 1, kernel.lines);
  add_axis(chunked, kernel.shape.length, step);
  reduce_launch(exec, label, scratch, state_reducer<std::remove_const_t<decltype(kernel.reducer)>>{kernel.reducer},
                op::identity(), axis_set(label, axis{-1}, chunked.extents.rank), totals, array_input<T>{chunked});
}

template <class Exec, class Kernel>
void scan_device_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, Kernel& kernel) {
  const scan_shape& shape = kernel.shape =
      scan_device_shape<Kernel>(exec, kernel.line, kernel.along, kernel.n, kernel.lines);
  const std::int64_t units = kernel.lines * shape.chunks;
  const bool even = kernel.along.outer == 1;
  const auto by_team = [&]<class Tag>(Tag, const std::string& name) {
    using policy =
        Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<tuning<Exec>::team_size, tuning<Exec>::scan_teams>>;
    const auto shared = team_scratch<Exec>(name, shape.team, Kernel::team_bytes(shape.team));
    Kokkos::parallel_for(name, policy(exec, static_cast<int>(units), shape.team).set_scratch_size(0, shared), kernel);
  };
  const auto launch = [&]<bool Write>(std::bool_constant<Write>, const std::string& name) {
    if (shape.by_team && even) return by_team(team_tag<Write, true>(), name);
    if (shape.by_team) return by_team(team_tag<Write, false>(), name);
    using policy = Kokkos::RangePolicy<Exec, thread_tag<Write>, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(name, policy(exec, 0, units), kernel);
  };
  if (shape.chunks > 1) {
    kernel.totals = static_cast<typename Kernel::state*>(
        scratch.require(exec, shape.chunks * kernel.lines * sizeof(typename Kernel::state), 1));
    if constexpr (is_commutative<decltype(kernel.reducer)>) {
      if (even && kernel.line.rank + 2 <= max_rank) reduce_chunks(exec, label + "/totals", scratch, kernel, kernel.in);
      else launch(std::false_type(), label + "/totals");
    } else {
      launch(std::false_type(), label + "/totals");
    }
  }
  launch(std::true_type(), label);
}

template <class Exec, class Kernel>
void scan_host_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, Kernel& kernel) {
  const std::size_t bytes = sizeof(*kernel.out);
  const scan_shape& shape = kernel.shape =
      scan_host_shape<Kernel>(exec, kernel.line, kernel.along, kernel.n, kernel.lines, bytes);
  kernel.stream = static_cast<const void*>(kernel.in) != kernel.out && shape.team >= tuning<Exec>::streaming_threads &&
                  kernel.n * kernel.lines * static_cast<std::int64_t>(bytes) >= tuning<Exec>::streaming_bytes;
  const auto launch = [&]<class Tag>(Tag, std::int64_t count) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                         kernel);
  };
  if (shape.chunks == 1) return launch(tile_tag(), shape.tiles);
  scratch.require(exec, 1);
  kernel.taken = scratch.counters();
  kernel.totals =
      static_cast<typename Kernel::state*>(scratch.require(exec, kernel.lines * sizeof(typename Kernel::state), 1));
  launch(chain_tag(), shape.team);
}

/// Launches the kernels. `out` and `in` have equal extents, and are equal or do not overlap.
template <bool Exclusive, class Exec, class Reducer, class T, class Out>
void scan_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const Reducer& reducer,
                 const axis_set& axes, const strided<Out>& out, const strided<const T>& in) {
  using kernel_type = scan_kernel<Exec, Exclusive, Reducer, T, Out>;
  const auto along = row_major_nest(axes.part(in.extents, true), axes.part(in, true), axes.part(out, true));
  const auto line = make_loop_nest<2>(axes.part(in.extents, false), {axes.part(in, false), axes.part(out, false)});
  const std::int64_t n = along.inner() * along.outer(), lines = line.inner() * line.outer();
  if (n == 0 || lines == 0) return;

  kernel_type kernel{reducer, in.data, out.data, row_nest<2>(line), row_nest<2>(along), n, lines};
  if constexpr (kernel_type::device) scan_device_launch(exec, label, scratch, kernel);
  else scan_host_launch(exec, label, scratch, kernel);
}

}  // namespace quern::impl

#endif
