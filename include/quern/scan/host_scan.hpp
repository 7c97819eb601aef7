// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_HOST_SCAN_HPP
#define QUERN_SCAN_HOST_SCAN_HPP

#include <quern/core/launch/host_threads.hpp>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/nontemporal_store.hpp>
#include <quern/scan/strided_scan.hpp>
#include <quern/scan/tuning.hpp>

namespace quern::impl {

struct tile_tag {};   // a thread scans the lines of a tile
struct chain_tag {};  // threads share the chunks of all tiles

/// The counters by which threads share chunks; all are 0 before and after a scan. Chunks are taken in order, those of a
/// line one after the other, so a thread waits only for chunks that were taken before its own, by threads that run and
/// wait for none but earlier ones: the chain ends with any number of threads.
struct chain_counters {
  int* taken = nullptr;       // chunks that threads have taken
  int* found_none = nullptr;  // threads that found none to take
  int* done = nullptr;        // chunks of each tile whose totals are known
  static constexpr int beside_tiles = 2;

  explicit chain_counters(int* counters) : taken(counters), found_none(counters + 1), done(counters + beside_tiles) {}
  chain_counters() = default;

  int take() const { return Kokkos::atomic_fetch_add(taken, 1); }
  void wait_for(std::int64_t tile, std::int64_t chunk) const {
    while (Kokkos::atomic_load(done + tile) != chunk) yield_thread();
    Kokkos::memory_fence();
  }
  void pass_on(std::int64_t tile, int chunk) const {
    Kokkos::memory_fence();
    Kokkos::atomic_store(done + tile, chunk);
  }
  void leave(int threads) const {
    if (Kokkos::atomic_fetch_add(found_none, 1) == threads - 1) *taken = *found_none = 0;
  }
};

/// A scan on the host: a thread scans a line, or a tile of adjacent lines row by row. Where lines are cut, one
/// kernel finds the totals of chunks and scans them, and reads a chunk again from the cache.
template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
struct host_scan {
  using Work = strided_scan<Exec, Exclusive, Reducer, Source, Out>;
  using state = typename Reducer::state;
  using run = scan_run<Reducer>;
  using offsets = typename Work::offsets;
  using tune = scan_tuning<Exec>;
  static constexpr int batch = Work::batch, block = Work::block;

  Work work;
  std::int64_t together = 0;  // short lines that a thread takes at a time; 0: tiles
  state* totals = nullptr;    // of the chunks of line l so far
  bool nontemporal = false;   // write past the caches
  chain_counters chain{};

  /// A chunk of a line by one thread, in runs of one stride in both arrays.
  template <bool Write>
  void scan_line(state& s, std::int64_t l, std::int64_t chunk) const {
    const offsets base = work.line_at(l);
    const std::int64_t in_step = work.along.stride[0][0], out_step = work.along.stride[1][0];
    for (std::int64_t e = work.first_of(chunk), last = work.last_of(chunk), count; e < last; e += count) {
      count = Kokkos::min(last - e, work.along.inner - e % work.along.inner);
      const offsets p = work.element_at(base, e);
      const auto from = work.in + p.of[0];
      Out* const to = work.out + p.of[1];
      if (in_step == 1 && out_step == 1) scan_contiguous<Write>(s, from, to, count);
      else work.template scan_row<Write>(s, from, to, count, in_step, out_step);
    }
  }
  template <bool Write, class From>
  void scan_contiguous(state& s, const From& from, Out* to, std::int64_t count) const {
    if constexpr (Write)
      if (nontemporal) return scan_streamed(s, from, to, count);
    work.template scan_row<Write>(s, from, to, count, one(), one());
  }
  template <class From>
  void scan_streamed(state& s, const From& from, Out* to, std::int64_t count) const {
    alignas(64) Out room[block];
    for (std::int64_t k = 0; k < count; k += block) {
      const std::int64_t some = Kokkos::min<std::int64_t>(block, count - k);
      work.template scan_row<true>(s, from + k, room, some, one(), one());
      nontemporal_store(to + k, room, some * sizeof(Out));
    }
  }

  /// Lines of a tile: as long rows as can be, but shorter where threads share the lines.
  static constexpr int max_across = tune::lines, chain_across = tune::shared_lines;

  using lines = scan_shape::tile;
  template <bool Write>
  void scan_chunk(state* s, const lines& some, std::int64_t chunk) const {
    if (some.count == 1) scan_line<Write>(s[0], some.first, chunk);
    else scan_rows<Write>(s, some, chunk);
    if (Write && nontemporal) nontemporal_fence();
  }
  void operator()(tile_tag, std::int64_t tile) const {
    if (together > 0) return scan_short_lines(tile * together, Kokkos::min(work.lines, (tile + 1) * together));
    const lines some = work.shape.tile_at(tile, work.line.inner);
    state s[max_across];
    for (int k = 0; k < some.count; ++k) s[k] = work.reducer.init();
    scan_chunk<true>(s, some, 0);
  }

  /// Lines that are one row each, without the choices that are made for each longer one.
  void scan_short_lines(std::int64_t first, std::int64_t last) const {
    const std::int64_t n = work.n, in_step = work.along.stride[0][0], out_step = work.along.stride[1][0];
    const bool unit = in_step == 1 && out_step == 1;
    typename row_nest<2>::element_walk walk(work.line, first);
    for (std::int64_t l = first; l < last; ++l) {
      const offsets& p = walk.next();
      const auto from = work.in + p.of[0];
      Out* const to = work.out + p.of[1];
      state s = work.reducer.init();
      if (unit) work.template scan_row<true>(s, from, to, n, one(), one());
      else work.template scan_row<true>(s, from, to, n, in_step, out_step);
    }
  }

  /// A thread takes the next chunk, finds its total, waits for that of the chunks before it in its lines, hands the
  /// join of both on and scans.
  void operator()(chain_tag, std::int64_t) const {
    const auto& shape = work.shape;
    for (int unit; (unit = chain.take()) < shape.tiles * shape.chunks;) {
      const std::int64_t chunk = unit / shape.tiles, tile = unit - chunk * shape.tiles;
      const lines some = work.shape.tile_at(tile, work.line.inner);
      state s[max_across];
      for (int k = 0; k < some.count; ++k) s[k] = work.reducer.init();
      scan_chunk<false>(s, some, chunk);
      chain.wait_for(tile, chunk);
      for (int k = 0; k < some.count; ++k) {
        const state before = chunk == 0 ? work.reducer.init() : totals[some.first + k];
        state total = before;
        work.reducer.join(total, s[k]);
        totals[some.first + k] = total;
        s[k] = before;
      }
      chain.pass_on(tile, chunk + 1 < shape.chunks ? static_cast<int>(chunk + 1) : 0);
      scan_chunk<true>(s, some, chunk);
    }
    chain.leave(shape.team);
  }

  template <bool Write>
  void scan_rows(state* s, const lines& some, std::int64_t chunk) const {
    const offsets base = work.line_at(some.first);
    const bool unit = work.line.stride[0][0] == 1 && work.line.stride[1][0] == 1;
    const bool streams = Write && nontemporal;
    alignas(64) Out room[max_across];
    typename row_nest<2>::element_walk walk(work.along, work.first_of(chunk));
    const auto next = [&] {
      const offsets& p = walk.next();
      return offsets{{base.of[0] + p.of[0], base.of[1] + p.of[1]}};
    };
    for (std::int64_t e = work.first_of(chunk); e < work.last_of(chunk); e += batch) {
      run r[max_across];
      for (int k = 0; k < some.count; ++k) r[k] = run::after(work.reducer, s[k], run::none(work.reducer));
      const std::int64_t end = Kokkos::min(e + batch, work.last_of(chunk));
      std::int64_t f = e;
      for (; unit && !streams && f + rows <= end; f += rows) {
        offsets p[rows];
        for (offsets& o : p) o = next();
        step_rows<Write>(r, some.count, p, std::make_index_sequence<rows>());
      }
      for (; f < end; ++f) {
        const offsets p = next();
        const auto from = work.in + p.of[0];
        Out* to = work.out + p.of[1];
        if (!unit) {
          step_across<Write>(r, some.count, from, to, work.line.stride[0][0], work.line.stride[1][0]);
        } else if (streams) {
          step_across<Write>(r, some.count, from, room, one(), one());
          nontemporal_store(to, room, some.count * sizeof(Out));
        } else {
          step_across<Write>(r, some.count, from, to, one(), one());
        }
      }
      for (int k = 0; k < some.count; ++k) r[k].end(work.reducer, s[k]);
    }
  }
  /// Several rows at once, so that the runs are read and written once for all of them.
  static constexpr int rows = 4;
  template <bool Write, std::size_t... U>
  void step_rows(run* r, int count, const offsets* p, std::index_sequence<U...>) const {
    using from_type = decltype(work.in + std::int64_t());
    const from_type from[] = {work.in + p[U].of[0]...};
    [[maybe_unused]] Out* const to[] = {work.out + p[U].of[1]...};
    QUERN_IMPL_IVDEP
    for (int k = 0; k < count; ++k) {
      run mine = r[k];
      if constexpr (Write) ((to[U][k] = work.step(mine, from[U][k])), ...);
      else (mine.add(work.reducer, from[U][k]), ...);
      r[k] = mine;
    }
  }
  template <bool Write, class From, class Step>
  void step_across(run* r, int count, const From& from, Out* to, Step in_step, Step out_step) const {
    QUERN_IMPL_IVDEP
    for (int k = 0; k < count; ++k) {
      if constexpr (Write) to[k * out_step] = work.step(r[k], from[k * in_step]);
      else r[k].add(work.reducer, from[k * in_step]);
    }
  }
};

/// Tiles of lines; where they are few for the threads, in chunks that stay in a core's cache.
template <class Kernel, class Work, class Exec>
scan_shape host_scan_shape(const Exec& exec, const Work& work) {
  constexpr std::size_t bytes = sizeof(*work.out);
  scan_shape s;
  const bool adjacent_lines = work.line.stride[0][0] < work.along.stride[0][0];
  const auto cut = [&](std::int64_t max_across) {
    s.across = static_cast<int>(adjacent_lines ? std::min(work.line.inner, max_across) : 1);
    s.share_results(work.line.inner, work.lines);
  };
  cut(Kernel::max_across);
  s.length = work.n;
  s.team = exec.concurrency();
  if (s.tiles < 4 * s.team && s.team > 1) {
    cut(Kernel::chain_across);
    if (s.tiles + chain_counters::beside_tiles <= Workspace<Exec>::max_counters)
      s.length = std::clamp<std::int64_t>(scan_tuning<Exec>::chunk_bytes / (s.across * bytes), 1, work.n);
  }
  s.chunks = (work.n + s.length - 1) / s.length;
  return s;
}

template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
void scan_on_host(const Exec& exec, const std::string& label, Workspace<Exec>& scratch,
                  const strided_scan<Exec, Exclusive, Reducer, Source, Out>& work) {
  using kernel_type = host_scan<Exec, Exclusive, Reducer, Source, Out>;
  using state = typename Reducer::state;
  kernel_type kernel{work};
  const scan_shape& shape = kernel.work.shape = host_scan_shape<kernel_type>(exec, work);
  const std::int64_t written = work.n * work.lines * static_cast<std::int64_t>(sizeof(*work.out));
  kernel.nontemporal = !reads(work.in, work.out) && shape.team >= tuning<Exec>::streaming_threads &&
                       written >= tuning<Exec>::streaming_bytes;
  if (shape.chunks == 1) {
    std::int64_t units = shape.tiles;
    if (shape.across == 1 && work.along.outer == 1 && work.n <= scan_tuning<Exec>::short_line) {
      kernel.together =
          std::clamp<std::int64_t>(work.lines / (8 * shape.team), 1, scan_tuning<Exec>::chunk_bytes / (64 * work.n));
      units = (work.lines + kernel.together - 1) / kernel.together;
    }
    return launch_units<tile_tag>(exec, label, units, kernel);
  }
  kernel.chain = chain_counters(scratch.require_counters(exec));
  kernel.totals = lasting_scratch<state>(exec, scratch, work.lines);
  launch_units<chain_tag>(exec, label, shape.team, kernel);
}

}  // namespace quern::impl

#endif
