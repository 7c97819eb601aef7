// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_DEVICE_SCAN_HPP
#define QUERN_SCAN_DEVICE_SCAN_HPP

#include <cstddef>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/teams.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/scan/strided_scan.hpp>
#include <quern/scan/tuning.hpp>

namespace quern::impl {

template <bool Write>
struct thread_tag {};
template <bool Write, bool Even>  // Even: the elements of a line are at equal distances
struct team_tag {};

/// A scan on a device. Where lines are cut, a first kernel (Write false) finds the total of each chunk, and a second
/// one scans each chunk from the join of the totals before it: that reads the input twice, and needs no thread to wait
/// for another.
///
/// Adjacent lines are scanned by adjacent threads. A line that is contiguous is scanned by a team, which turns
/// tiles of it around in its scratch memory, so that memory is accessed in rows and each thread has adjacent
/// elements.
///
/// @tparam Items the elements of a thread in a tile; 0: as many as suit this scan
/// @tparam Team  the threads of teams on devices, where these are always as many
template <class Exec, bool Exclusive, class Reducer, class Source, class Out, int Items = 0, int Team = 0>
struct device_scan {
  using Work = strided_scan<Exec, Exclusive, Reducer, Source, Out>;
  using T = source_value_t<Source>;
  using state = typename Reducer::state;
  using run = scan_run<Reducer>;
  using local = typename run::local;
  using offsets = typename Work::offsets;
  using tune = scan_tuning<Exec>;
  static constexpr std::size_t slot = std::max(sizeof(T), sizeof(Out));
  /// The states of reproducible sums take more registers, and so long to join that a thread adds more elements first.
  static constexpr bool large = adds_each<Reducer>;
  static constexpr int teams = large ? tune::teams / 2 : tune::teams;
  static constexpr int items = Items > 0
                                   ? Items
                                   : std::clamp<int>(128 / slot - 1, 1, large ? 11 : 7);  // odd, against bank conflicts

  Work work;
  state* totals = nullptr;  // of chunk c of line l at c * lines + l

  KOKKOS_FUNCTION state total_before(std::int64_t l, std::int64_t chunk) const {
    state s = work.reducer.init();
    for (std::int64_t c = 0; c < chunk; ++c) work.reducer.join(s, totals[c * work.lines + l]);
    return s;
  }
  // A thread of the device for a chunk of a line.
  template <bool Write>
  KOKKOS_FUNCTION void operator()(thread_tag<Write>, std::int64_t unit) const {
    const std::int64_t chunk = unit / work.lines, l = unit - chunk * work.lines;
    state s = Write ? total_before(l, chunk) : work.reducer.init();
    const std::int64_t in_step = work.along.stride[0][0], out_step = work.along.stride[1][0];
    const offsets base = work.line_at(l);
    // In parts of one stride in both arrays.
    for (std::int64_t e = work.first_of(chunk), last = work.last_of(chunk), count; e < last; e += count) {
      count = Kokkos::min(last - e, work.along.inner - e % work.along.inner);
      const offsets p = work.element_at(base, e);
      work.template scan_row<Write>(s, work.in + p.of[0], work.out + p.of[1], count, in_step, out_step);
    }
    if (!Write) totals[unit] = s;
  }

  template <class Member>
  KOKKOS_FUNCTION static int threads_of(const Member& team) {
    if constexpr (Team > 0) {
      KOKKOS_IF_ON_DEVICE((return Team;))
    }
    return team.team_size();
  }
  /// The shared memory of a team: values of the threads and of groups of them, and a tile of elements.
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
  /// Slots for threads, for groups of threads and for unions of groups.
  KOKKOS_FUNCTION static constexpr int thread_slots(int threads) { return padded<8>(threads); }
  KOKKOS_FUNCTION static constexpr int group_slots(int threads) { return padded<8>(threads / 8) + threads / 64 + 1; }
  template <class Member>
  KOKKOS_FUNCTION team_memory memory_of(const Member& team) const {
    const int threads = threads_of(team);
    const auto bytes = [&](std::size_t size) {
      return static_cast<std::byte*>(team.team_shmem().get_shmem_aligned(size, alignof(std::max_align_t)));
    };
    return {bytes(thread_slots(threads) * largest), bytes(group_slots(threads) * largest),
            bytes(threads * items * slot)};
  }

  /// The join of the values of all threads before this one, and of all threads. Groups of threads, and unions of
  /// groups, are each scanned by one thread.
  template <class Member, class L, class Join>
  KOKKOS_FUNCTION static L join_before(const Member& team, const team_memory& m, const L& none, const L& mine, L& all,
                                       const Join& join) {
    constexpr int size = group<L>;
    constexpr auto at = padded<size>;
    const int t = team.team_rank(), groups = threads_of(team) / size;
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
    constexpr bool of_groups = tune::team_size / size > few_groups;
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
    const std::int64_t each = (chunk + threads_of(team) - 1) / threads_of(team);
    const std::int64_t first = team.team_rank() * each, last = Kokkos::min(chunk, first + each);
    state s = work.reducer.init(), all;
    for (std::int64_t c = first; c < last; ++c) work.reducer.join(s, totals[c * work.lines + l]);
    join_before(team, m, work.reducer.init(), s, all, [&](state& a, const state& b) { work.reducer.join(a, b); });
    team.team_barrier();
    return all;
  }

  // A team of the device for a chunk of a line.
  template <bool Write, bool Even, class Member>
  KOKKOS_FUNCTION void operator()(team_tag<Write, Even>, const Member& team) const {
    const team_memory m = memory_of(team);
    const std::int64_t l = team.league_rank() / work.shape.chunks, chunk = team.league_rank() - l * work.shape.chunks;
    const offsets base = work.line_at(l);
    const int tile = threads_of(team) * items;
    const std::int64_t last = work.last_of(chunk);
    state s = work.reducer.init();
    if (Write && chunk > 0) s = team_total_before(team, m, l, chunk);
    // The next tile is on its way while a tile is scanned.
    std::int64_t start = work.first_of(chunk);
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
    if (!Write && team.team_rank() == 0) totals[chunk * work.lines + l] = s;
  }

  /// Where element e is in the input (0) or the output (1).
  template <bool Even, int Which>
  KOKKOS_FUNCTION std::int64_t offset(const offsets& base, std::int64_t e) const {
    if constexpr (Even) return base.of[Which] + e * work.along.stride[Which][0];
    else return work.element_at(base, e).of[Which];
  }
  /// A thread's share of the elements of a tile in rows.
  template <bool Even, bool Full, class Member>
  KOKKOS_FUNCTION void load_tile(T (&v)[items], const Member& team, const offsets& base, std::int64_t start,
                                 int count) const {
    const int t = team.team_rank(), threads = threads_of(team);
    const auto from = work.in + offset<Even, 0>(base, start + t);
    const std::int64_t apart = threads * work.along.stride[0][0];
    for (int u = 0; u < items; ++u)
      if (Full || u * threads + t < count)
        v[u] = Even ? from[u * apart] : work.in[offset<Even, 0>(base, start + u * threads + t)];
  }
  template <bool Full, class Member>
  KOKKOS_FUNCTION static void put_tile(const team_memory& m, const T (&v)[items], const Member& team, int count) {
    const int t = team.team_rank(), threads = threads_of(team);
    T* values = reinterpret_cast<T*>(m.values);
    for (int u = 0; u < items; ++u)
      if (Full || u * threads + t < count) values[u * threads + t] = v[u];
    team.team_barrier();
  }
  /// Copies a thread's share of `count` elements, `Rows` rows at a time: these are read before the first is written.
  template <int Rows, class To, class From, class Member>
  KOKKOS_FUNCTION static void copy_rows(const To& to, std::int64_t to_step, const From& from, std::int64_t from_step,
                                        const Member& team, int count) {
    const int threads = threads_of(team);
    for (int first = team.team_rank(); first < count; first += Rows * threads) {
      std::remove_cvref_t<decltype(from[0])> v[Rows];
      for (int u = 0; u < Rows; ++u)
        if (first + u * threads < count) v[u] = from[(first + u * threads) * from_step];
      for (int u = 0; u < Rows; ++u)
        if (first + u * threads < count) to[(first + u * threads) * to_step] = v[u];
    }
  }
  /// The same of all elements of a tile, which are adjacent in both places: all distances are known when compiling.
  template <int Rows, int First = 0, class To, class From, class Member>
  KOKKOS_FUNCTION static void copy_adjacent(const To& to, const From& from, const Member& team) {
    if constexpr (First < items) {
      constexpr int rows = Rows < items - First ? Rows : items - First;
      const int threads = threads_of(team), t = team.team_rank();
      std::remove_cvref_t<decltype(from[0])> v[rows];
      for (int u = 0; u < rows; ++u) v[u] = from[t + (First + u) * threads];
      for (int u = 0; u < rows; ++u) to[t + (First + u) * threads] = v[u];
      copy_adjacent<Rows, First + Rows>(to, from, team);
    }
  }
  /// Copies `count` elements that are at equal distances.
  template <int Rows, class To, class From, class Member>
  KOKKOS_FUNCTION static void copy_tile(const To& to, std::int64_t to_step, const From& from, std::int64_t from_step,
                                        const Member& team, int count) {
    if (to_step == 1 && from_step == 1 && count == threads_of(team) * items) copy_adjacent<Rows>(to, from, team);
    else copy_rows<(Rows < 8 ? Rows : 8)>(to, to_step, from, from_step, team, count);
  }
  /// From memory to that of a team.
  template <int Rows, class Member>
  KOKKOS_FUNCTION void fetch_tile(const team_memory& m, const Member& team, std::int64_t start, int count) const {
    const std::int64_t step = work.along.stride[0][0];
    copy_tile<Rows>(reinterpret_cast<T*>(m.values), 1, work.in + start * step, step, team, count);
    team.team_barrier();
  }
  /// Results may take the place of the values: several of these are read before the first result is written.
  template <bool Full>
  KOKKOS_FUNCTION void step_tile(run& r, const T* v, Out* results, int mine) const {
    const auto put = [&](int k, const Out& result) { results[k] = result; };
    if constexpr (!Full) {
      for (int k = 0; k < Kokkos::min(int{items}, mine); ++k) put(k, work.step(r, v[k]));
    } else if constexpr (large) {
      work.template step_all<items>(r, v, put);
    } else {
      constexpr int several = 8;
      for (int first = 0; first < items; first += several) {
        T some[several];
        for (int k = 0; k < several; ++k)
          if (first + k < items) some[k] = v[first + k];
        for (int k = 0; k < several; ++k)
          if (first + k < items) put(first + k, work.step(r, some[k]));
      }
    }
  }
  /// A tile of `count` elements; all of a thread's elements are there where it is full.
  template <bool Write, bool Even, bool Full, class Member>
  KOKKOS_FUNCTION void scan_tile(const Member& team, const team_memory& m, const offsets& base, std::int64_t start,
                                 int count, state& s) const {
    local all;
    const local between = join_tile<Full>(team, m, count, all);
    if constexpr (Write) write_tile<Even, Full>(team, m, base, start, count, s, between);
    run::append(work.reducer, s, all);
  }
  /// What the elements of a tile are together, and those before the thread's own.
  template <bool Full, class Member>
  KOKKOS_FUNCTION local join_tile(const Member& team, const team_memory& m, int count, local& all) const {
    const int t = team.team_rank(), mine = count - t * items;
    const T* values = reinterpret_cast<const T*>(m.values) + t * items;
    local total = run::none(work.reducer);
    if constexpr (Full) work.template add_all<items>(total, values);
    else
      for (int k = 0; k < Kokkos::min(int{items}, mine); ++k) run::add(work.reducer, total, values[k]);
    return join_before(team, m, run::none(work.reducer), total, all,
                       [&](local& a, const local& b) { run::join(work.reducer, a, b); });
  }
  /// The results of a tile after `s`, where `between` is before the thread's own elements.
  template <bool Even, bool Full, class Member>
  KOKKOS_FUNCTION void write_tile(const Member& team, const team_memory& m, const offsets& base, std::int64_t start,
                                  int count, const state& s, const local& between) const {
    const int t = team.team_rank(), threads = threads_of(team), mine = count - t * items;
    const T* values = reinterpret_cast<const T*>(m.values) + t * items;
    run r = run::after(work.reducer, s, between);
    if constexpr (std::is_same_v<T, Out>) {
      // In place: a thread reads and writes its own elements.
      step_tile<Full>(r, values, reinterpret_cast<Out*>(m.values) + t * items, mine);
    } else {
      T v[items];
      for (int k = 0; k < items; ++k)
        if (Full || k < mine) v[k] = values[k];
      team.team_barrier();
      step_tile<Full>(r, v, reinterpret_cast<Out*>(m.values) + t * items, mine);
    }
    team.team_barrier();
    const Out* results = reinterpret_cast<const Out*>(m.values);
    if constexpr (Team > 0) {  // of a scan in one pass
      const std::int64_t step = work.along.stride[1][0];
      return copy_tile<8>(work.out + start * step, step, results, 1, team, count);
    }
    Out* to = work.out + offset<Even, 1>(base, start + t);
    const std::int64_t apart = threads * work.along.stride[1][0];
    for (int u = 0; u < items; ++u)
      if (Full || u * threads + t < count)
        (Even ? to[u * apart] : work.out[offset<Even, 1>(base, start + u * threads + t)]) = results[u * threads + t];
    team.team_barrier();
  }
};

/// Teams for long lines that are contiguous, else threads; chunks where lines are few.
template <class Kernel, class Work, class Exec>
scan_shape device_scan_shape(const Exec& exec, const Work& work) {
  constexpr int max_team = tuning<Exec>::team_size;
  constexpr std::int64_t short_line = 64, max_chunks = 256, least = 64;
  const std::int64_t n = work.n, lines = work.lines;
  scan_shape s;
  const bool adjacent_lines = work.line.inner >= max_team && work.line.stride[0][0] < work.along.stride[0][0];
  const auto useful = static_cast<int>(std::clamp<std::int64_t>((n / Kernel::items + 31) / 32 * 32, 32, max_team));
  const int team = team_with_room<Exec>(useful, [](int threads) { return Kernel::team_bytes(threads); });
  s.by_team = n > short_line && !adjacent_lines && team > 0;
  if (s.by_team) {
    s.team = team / 32 * 32;
    const std::int64_t tile = s.team * Kernel::items, tiles = (n + tile - 1) / tile;
    const auto slots = static_cast<std::int64_t>(exec.concurrency() * scan_tuning<Exec>::occupancy) / s.team;
    s.chunks = splits_for(lines, scan_tuning<Exec>::waves * slots, std::max<std::int64_t>(1, tiles / 2));
    s.length = (tiles + s.chunks - 1) / s.chunks * tile;
  } else {
    s.chunks = std::clamp<std::int64_t>(exec.concurrency() / 2 / lines, 1, std::min(max_chunks, n / least + 1));
    s.length = (n + s.chunks - 1) / s.chunks;
  }
  s.chunks = (n + s.length - 1) / s.length;
  return s;
}

/// The totals of all chunks except the last, which have one stride in the input, as a reduction.
template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
void reduce_chunks(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                   const strided_scan<Exec, Exclusive, Reducer, Source, Out>& work, typename Reducer::state* to) {
  strided<const void> chunked;
  strided<typename Reducer::state> totals{to, {}, {}};
  const auto add_axis = [](auto& array, std::int64_t extent, std::int64_t stride) {
    array.extents.extent[array.extents.rank] = extent;
    array.stride[array.extents.rank++] = stride;
  };
  std::int64_t lines = work.lines;
  for (int d = work.line.rank - 1; d >= 0; --d) {
    lines /= work.line.extent[d];
    add_axis(chunked, work.line.extent[d], work.line.stride[0][d]);
    add_axis(totals, work.line.extent[d], lines);
  }
  const std::int64_t step = work.along.stride[0][0];
  add_axis(chunked, work.shape.chunks - 1, work.shape.length * step);
  add_axis(totals, work.shape.chunks - 1, work.lines);
  add_axis(chunked, work.shape.length, step);
  const axis_set along(label, axis{-1}, chunked.extents.rank);
  with_leaves_of(work.in, chunked, [&](const auto& f, const auto&... leaf) {
    reduce_launch(exec, label, scratch,
                  describe_reduction<Exec>(reducer_of_states<Reducer>{work.reducer}, f, along, totals, leaf...));
  });
}

template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
void scan_on_device(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                    const strided_scan<Exec, Exclusive, Reducer, Source, Out>& work) {
  using kernel_type = device_scan<Exec, Exclusive, Reducer, Source, Out>;
  using state = typename Reducer::state;
  kernel_type kernel{work};
  const scan_shape& shape = kernel.work.shape = device_scan_shape<kernel_type>(exec, work);
  const std::int64_t units = work.lines * shape.chunks;
  const bool even = work.along.outer == 1;
  const auto by_team = [&]<class Tag>(Tag, const std::string& name) {
    using policy = Kokkos::TeamPolicy<Exec, Tag, registers_of_teams<tuning<Exec>::team_size, kernel_type::teams>>;
    const auto shared = team_scratch<Exec>(name, shape.team, kernel_type::team_bytes(shape.team));
    Kokkos::parallel_for(kernel_label(name),
                         policy(exec, static_cast<int>(units), shape.team).set_scratch_size(0, shared), kernel);
  };
  const auto launch = [&]<bool Write>(std::bool_constant<Write>, const std::string& name) {
    if (shape.by_team && even) return by_team(team_tag<Write, true>(), name);
    if (shape.by_team) return by_team(team_tag<Write, false>(), name);
    Kokkos::parallel_for(kernel_label(name), index_range<thread_tag<Write>>(exec, units), kernel);
  };
  if (shape.chunks > 1) {
    const std::string name = label_text(label, "/totals");
    kernel.totals = lasting_scratch<state>(exec, scratch, shape.chunks * work.lines);
    constexpr bool reducible = is_commutative<Reducer> && reads_common_offset<Source>;
    if (!reducible || !even || work.line.rank + 2 > max_rank) launch(std::false_type(), name);
    else if constexpr (reducible) reduce_chunks(exec, name, scratch, kernel.work, kernel.totals);
  }
  launch(std::true_type(), label);
}

}  // namespace quern::impl

#endif
