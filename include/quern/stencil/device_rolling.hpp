// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_DEVICE_ROLLING_HPP
#define QUERN_STENCIL_DEVICE_ROLLING_HPP

/// @file
/// Rolling windows along the fastest axis on devices. A thread that walks along a line leaves most of what a warp loads
/// unused, so a team copies a tile of a line, or some short lines, to its shared memory, with what windows reach beyond
/// it. Each thread then reduces the windows of a run of results from there, as in rolling_windows.hpp.

#include <bit>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/stencil/rolling_windows.hpp>

namespace quern::impl {

/// Tiles of lines whose windows advance by one element. Of wide windows the elements that all windows of a thread have
/// are blocks of 8 elements, whose reductions are joined to those of 2, 4, 8, ... blocks: a thread takes those that
/// make up its number of blocks, one of each at most.
template <class Reducer, class Source, class Out>
struct rolling_tiles {
  using state = typename Reducer::state;
  using value = std::remove_cvref_t<decltype(std::declval<const Source&>()[0])>;
  static constexpr bool small = sizeof(state) <= 32;
  static constexpr int block = 8, run = small ? 8 : 4;  // results of a thread, whose states are in registers
  static constexpr int team = 128, teams = small ? 6 : 4;
  static constexpr int at_once = 10;  // loads of a thread, which cover a tile and what narrow windows reach beyond it
  static constexpr int max_at_once = sizeof(value) <= 8 ? 16 : at_once;  // of wide windows
  static constexpr std::int64_t widest_direct = 32;                      // windows without blocks
  static constexpr std::int64_t max_slots = 1 << 16;

  Reducer reducer;
  rolling_lines<Source, Out> lines;
  rolling_bounds windows;
  int phase_left, phase_right;     // of the first and the last element of the first window in their blocks
  int threads, together;           // results whose windows have a common middle
  int groups = 0, rows = 0;        // runs of a line in a tile, lines of a tile
  int blocks = 0, steps = 0;       // blocks of a line in a tile; doublings of them
  std::int64_t segments = 0;       // tiles of a line
  std::int64_t slots_of_line = 0;  // elements of a line in a tile at most

  rolling_tiles(const Reducer& r, const rolling_lines<Source, Out>& l, const rolling_bounds& w, int team_threads)
      : reducer(r), lines(l), windows(w), threads(team_threads) {
    const std::int64_t width = w.before + w.after + 1, runs = (w.results + run - 1) / run;
    windows.before = std::min(w.before, w.n);  // further there is nothing, and so positions in a tile are small numbers
    windows.after = std::min(w.after, w.n);
    phase_left = static_cast<int>((w.begin - windows.before) & (block - 1));
    phase_right = static_cast<int>((w.begin + windows.after) & (block - 1));
    together = static_cast<int>(std::min<std::int64_t>(width + 1, run));
    segments = (runs + threads - 1) / threads;
    groups = static_cast<int>((runs + segments - 1) / segments);
    rows = segments > 1 ? 1 : static_cast<int>(std::min<std::int64_t>(threads / groups, lines.count));
    slots_of_line = std::min(w.n, groups * run + windows.before + windows.after) + block - 1;
    if (slots_of_line > max_slots) return;
    rows = std::min(rows, static_cast<int>(std::max<std::int64_t>(max_slots / slots_of_line, 1)));
    blocks = static_cast<int>((slots_of_line + block - 1) / block);
    if (width >= widest_direct) steps = std::bit_width(static_cast<std::uint64_t>(std::min(width, w.n) / block));
  }
  std::int64_t tiles() const { return (lines.count + rows - 1) / rows * segments; }
  /// Whether windows and lines are such that tiles exist.
  bool exist() const {
    return windows.firsts == nullptr && windows.step == 1 && !lines.across && slots_of_line <= max_slots &&
           tiles() <= std::numeric_limits<int>::max();
  }
  std::int64_t team_bytes() const { return bytes() + alignment; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const memory = static_cast<std::byte*>(member.team_shmem().get_shmem_aligned(bytes(), alignment));
    auto& tile_of_team = *reinterpret_cast<tile*>(memory);
    auto* const bases = reinterpret_cast<std::int64_t*>(memory + tile_bytes);
    auto* const elements = reinterpret_cast<value*>(memory + tile_bytes + bases_bytes());
    std::byte* const shared = memory + tile_bytes + bases_bytes() + elements_bytes();
    if (member.team_rank() == 0) {
      tile_of_team = tile_of(member.league_rank());
      keep_base(tile_of_team, 0, bases);
    }
    member.team_barrier();
    const tile here = tile_of_team;
    if (rows > 1) {
      for (int r = 1 + member.team_rank(); r < here.rows; r += threads) keep_base(here, r, bases);
      member.team_barrier();
      load(member.team_rank(), here, bases, elements);
    } else {
      load_one(member.team_rank(), here, bases[0], elements);
    }
    member.team_barrier();
    auto* const results = reinterpret_cast<Out*>(shared);
    const part mine = part_of(member.team_rank(), here);
    state middle = reducer.init();
    if (steps > 0) {
      state* const of_blocks = reinterpret_cast<state*>(shared);
      state* const joined = of_blocks + rows * blocks;
      reduce_blocks(member.team_rank(), here, elements, of_blocks);
      range left = begin_middle(middle, here, mine, elements);
      for (int k = 0; k < steps; ++k) {
        member.team_barrier();
        join_doubled(middle, member.team_rank(), here, k, left, k % 2 == 0 ? of_blocks : joined,
                     k % 2 == 0 ? joined : of_blocks);
      }
      member.team_barrier();
    }
    reduce(here, mine, elements, middle, results);
    member.team_barrier();
    if (rows > 1) store(member.team_rank(), here, bases, results);
    else store_one(member.team_rank(), here, bases[1], results);
  }

 private:
  static constexpr int alignment = 16;
  /// A part of some lines: `results` results of each, and the elements from `low` to before `high`, counted from the
  /// element `origin` on, a multiple of a block. The first result is that of element `own`.
  struct tile {
    std::int64_t line, first_result, origin;
    int rows, results, low, high, own;
  };
  static constexpr int tile_bytes = (sizeof(tile) + alignment - 1) / alignment * alignment;

  /// Where an element is in shared memory: one place of 9 is left out, so that threads use different banks.
  KOKKOS_FORCEINLINE_FUNCTION static int slot(int i) { return i + (i >> 3); }
  static_assert(block == 1 << 3);
  KOKKOS_FUNCTION int element_slots() const { return blocks * (block + 1); }
  KOKKOS_FUNCTION int result_slots() const { return (groups * run + block - 1) / block * (block + 1); }
  KOKKOS_FUNCTION int bases_bytes() const { return alignment * rows; }
  static_assert(alignment == 2 * sizeof(std::int64_t));
  KOKKOS_FUNCTION int elements_bytes() const {
    const int bytes = static_cast<int>(sizeof(value)) * rows * element_slots();
    return (bytes + alignment - 1) / alignment * alignment;
  }
  /// Of reductions of blocks and then of results.
  KOKKOS_FUNCTION int shared_bytes() const {
    const int of_blocks = steps > 0 ? 2 * static_cast<int>(sizeof(state)) * rows * blocks : 0;
    return Kokkos::max(of_blocks, static_cast<int>(sizeof(Out)) * rows * result_slots());
  }

  KOKKOS_FUNCTION int bytes() const { return tile_bytes + bases_bytes() + elements_bytes() + shared_bytes(); }

  /// One thread finds it for all: what it takes would be a part of what results take.
  KOKKOS_FUNCTION tile tile_of(int number) const {
    tile t;
    const int of_line = static_cast<int>(segments), group = quotient(number, of_line);
    t.line = std::int64_t{group} * rows;
    t.first_result = static_cast<std::int64_t>(number - group * of_line) * (groups * run);
    t.rows = static_cast<int>(Kokkos::min<std::int64_t>(rows, lines.count - t.line));
    t.results = static_cast<int>(Kokkos::min<std::int64_t>(groups * run, windows.results - t.first_result));
    const std::int64_t element = windows.begin + t.first_result,
                       low = Kokkos::max<std::int64_t>(element - windows.before, 0);
    t.origin = low & -std::int64_t{block};
    t.low = static_cast<int>(low - t.origin);
    t.own = static_cast<int>(element - t.origin);
    t.high = static_cast<int>(Kokkos::min(element + t.results + windows.after, windows.n) - t.origin);
    return t;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int quotient(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b));
  }
  /// From where to before where the window of result i of a tile is, as far as there are elements.
  KOKKOS_FORCEINLINE_FUNCTION int window_from(const tile& here, int i) const {
    return Kokkos::max(here.own + i - static_cast<int>(windows.before), here.low);
  }
  KOKKOS_FORCEINLINE_FUNCTION int window_to(const tile& here, int i) const {
    return Kokkos::min(here.own + i + static_cast<int>(windows.after) + 1, here.high);
  }
  /// Keeps where line r of a tile has its origin and its first result.
  KOKKOS_FUNCTION void keep_base(const tile& here, int r, std::int64_t* bases) const {
    const auto base = lines.at(here.line + r);
    bases[2 * r] = base.of[0] + here.origin * lines.in_stride;
    bases[2 * r + 1] = base.of[1] + here.first_result * lines.out_stride;
  }
  /// Goes through `count` columns of some rows, as many at a time as a team has threads.
  struct walk {
    int row, column, down, right, count;
    KOKKOS_FUNCTION walk(int rank, int threads, int columns)
        : row(quotient(rank, columns)),
          column(rank - row * columns),
          down(quotient(threads, columns)),
          right(threads - down * columns),
          count(columns) {}
    KOKKOS_FORCEINLINE_FUNCTION void advance() {
      row += down;
      column += right;
      if (column >= count) {
        column -= count;
        ++row;
      }
    }
  };
  KOKKOS_FUNCTION void load(int rank, const tile& here, const std::int64_t* bases, value* elements) const {
    walk at(rank, threads, here.high - here.low);
    while (at.row < here.rows) {
      value v[at_once] = {};
      int to[at_once];
      for (int k = 0; k < at_once; ++k, at.advance()) {
        to[k] = -1;
        if (at.row >= here.rows) continue;
        const int i = here.low + at.column;
        to[k] = at.row * element_slots() + slot(i);
        v[k] = lines.in[bases[2 * at.row] + i * lines.in_stride];
      }
      for (int k = 0; k < at_once; ++k)
        if (to[k] >= 0) elements[to[k]] = v[k];
    }
  }
  /// The same of a single line, which begins at `base`. Places of elements a team's threads apart are so, too.
  KOKKOS_FUNCTION void load_one(int rank, const tile& here, std::int64_t base, value* elements) const {
    int first = here.low + rank;
    const int count = here.high - here.low;
    if (count > at_once * threads) {
      load_some<at_once, max_at_once>(base, first, here.high, elements);
      first += max_at_once * threads;
    } else if (count >= run * threads) {
      load_some<run, at_once>(base, first, here.high, elements);
      return;
    }
    for (; first < here.high; first += at_once * threads) load_some<0, at_once>(base, first, here.high, elements);
  }
  /// As many of those of a thread that come next, the first `Sure` of which are there.
  template <int Sure, int Most>
  KOKKOS_FUNCTION void load_some(std::int64_t base, int first, int high, value* elements) const {
    const std::int64_t step = threads * lines.in_stride;
    base += first * lines.in_stride;
    value v[Most] = {};
    for (int k = 0; k < Most; ++k, base += step)
      if (k < Sure || first + k * threads < high) v[k] = lines.in[base];
    value* to = elements + slot(first);
    for (int k = 0; k < Most; ++k, to += slot(threads))
      if (k < Sure || first + k * threads < high) *to = v[k];
  }
  KOKKOS_FUNCTION void store_one(int rank, const tile& here, std::int64_t base, const Out* results) const {
    const std::int64_t step = threads * lines.out_stride;
    Out* to = lines.out + (base + rank * lines.out_stride);
    const Out* from = results + slot(rank);
    const int left = here.results - rank;
    if (here.results == run * threads)
      for (int k = 0; k < run; ++k, to += step, from += slot(threads)) *to = *from;
    else
      for (int k = 0; k * threads < left; ++k, to += step, from += slot(threads)) *to = *from;
  }
  KOKKOS_FUNCTION void store(int rank, const tile& here, const std::int64_t* bases, const Out* results) const {
    for (walk at(rank, threads, here.results); at.row < here.rows; at.advance())
      lines.out[bases[2 * at.row + 1] + at.column * lines.out_stride] =
          results[at.row * result_slots() + slot(at.column)];
  }

  /// The results of a thread from one to before another in its row.
  struct part {
    int row, first, end;
  };
  KOKKOS_FUNCTION part part_of(int rank, const tile& here) const {
    const int row = rows > 1 ? quotient(rank, groups) : 0, first = (rank - row * groups) * run;
    return {row, first, row < here.rows ? Kokkos::min(first + run, here.results) : first};
  }
  KOKKOS_FUNCTION void reduce(const tile& here, const part& mine, const value* elements, state middle,
                              Out* results) const {
    const value* const own = elements + mine.row * element_slots();
    results += mine.row * result_slots();
    if (is_whole(here, mine)) {
      const int before = static_cast<int>(windows.before), after = static_cast<int>(windows.after);
      const cells_from left(own, here.own + mine.first - before, phase_left),
          right(own, here.own + mine.first + after, phase_right);
      if (steps == 0)
        for (int k = run - 1; k <= before + after; ++k) reducer.add(middle, left[k]);
      return add_sides(middle, left, right, whole_sides(), results + slot(mine.first));
    }
    for (int i = mine.first; i < mine.end;) {
      const int next = Kokkos::min(i + together, mine.end);
      if (steps == 0) {
        const range common = middle_of(here, i, next);
        middle = reducer.init();
        add_elements(middle, own, common.from, common.to);
      }
      add_some_sides(middle, here, own, i, next - i - 1, results);
      i = next;
    }
  }
  struct range {
    int from, to;
  };
  /// The elements that the windows from that of result i to that before `next` have in common.
  KOKKOS_FUNCTION range middle_of(const tile& here, int i, int next) const {
    return {window_from(here, next - 1), window_to(here, i)};
  }
  KOKKOS_FUNCTION void add_elements(state& s, const value* own, int from, int to) const {
    for (; from < to; ++from) reducer.add(s, own[slot(from)]);
  }
  /// Begins with a middle that has blocks: adds the elements beside them, and returns the blocks.
  KOKKOS_FUNCTION range begin_middle(state& s, const tile& here, const part& mine, const value* elements) const {
    if (mine.first >= mine.end) return {0, 0};
    const value* const own = elements + mine.row * element_slots();
    const range all = middle_of(here, mine.first, mine.end);
    const int from = Kokkos::min((all.from + block - 1) / block * block, all.to),
              to = Kokkos::max(from, all.to / block * block);
    add_elements(s, own, all.from, from);
    add_elements(s, own, to, all.to);
    return {mine.row * blocks + from / block, mine.row * blocks + to / block};
  }
  KOKKOS_FUNCTION void reduce_blocks(int rank, const tile& here, const value* elements, state* of_blocks) const {
    for (int b = rank; b < here.rows * blocks; b += threads) of_blocks[b] = block_of(here, elements, b);
  }
  /// Where a number of blocks has that power of two, adds as many from its first one on, and leaves the others. What
  /// twice as many are goes to `joined`; of those that go on in the next row nothing is used.
  KOKKOS_FUNCTION void join_doubled(state& s, int rank, const tile& here, int power, range& mine,
                                    const state* of_blocks, state* joined) const {
    const int width = 1 << power, all = here.rows * blocks;
    if (((mine.to - mine.from) & width) != 0) {
      reducer.join(s, of_blocks[mine.from]);
      mine.from += width;
    }
    for (int b = rank; b < all && power + 1 < steps; b += threads) {
      joined[b] = of_blocks[b];
      if (b + width < all) reducer.join(joined[b], of_blocks[b + width]);
    }
  }
  KOKKOS_FUNCTION state block_of(const tile& here, const value* elements, int number) const {
    state s = reducer.init();
    const int first = (rows > 1 ? number - quotient(number, blocks) * blocks : number) * block;
    if (first >= here.low && first + block <= here.high)
      for (int k = 0; k < block; ++k) reducer.add(s, elements[number * (block + 1) + k]);
    return s;
  }
  /// Whether the windows of a thread are all there, with all of their elements.
  KOKKOS_FUNCTION bool is_whole(const tile& here, const part& mine) const {
    const int from = here.own + mine.first - static_cast<int>(windows.before),
              to = here.own + mine.end + static_cast<int>(windows.after);
    return together == run && mine.end - mine.first == run && from >= here.low && to <= here.high;
  }
  /// The elements of a row from the first or the last one of the window of a thread's first result on. That has the
  /// same phase in its block for all threads whose runs are blocks, so that the places of others are known.
  struct cells_from {
    const value* block_begin;
    int first;
    KOKKOS_FUNCTION cells_from(const value* row, int i, int phase)
        : block_begin(row + ((i - phase) >> 3) * (block + 1)),
          first(phase + (run % block == 0 ? 0 : (i - phase) & (block - 1))) {}
    KOKKOS_FORCEINLINE_FUNCTION const value& operator[](int k) const { return block_begin[slot(first + k)]; }
  };
  /// Something of a row from place i on.
  template <class T>
  struct cells {
    T* row;
    int first;
    KOKKOS_FORCEINLINE_FUNCTION T& operator[](int k) const { return row[slot(first + k)]; }
  };
  struct whole_sides {
    KOKKOS_FORCEINLINE_FUNCTION bool has_left(int) const { return true; }
    KOKKOS_FORCEINLINE_FUNCTION bool has_right(int) const { return true; }
    KOKKOS_FORCEINLINE_FUNCTION bool has(int) const { return true; }
  };
  /// The results behind one, the first element before the middle that is on the line, and the last one behind it.
  struct some_sides {
    int more, from, to;
    KOKKOS_FORCEINLINE_FUNCTION bool has_left(int k) const { return k < more && k >= from; }
    KOKKOS_FORCEINLINE_FUNCTION bool has_right(int k) const { return k <= to; }
    KOKKOS_FORCEINLINE_FUNCTION bool has(int k) const { return k <= more; }
  };
  /// Adds what is on both sides of the middle of the windows from that of result i on, and of `more` behind it.
  KOKKOS_FUNCTION void add_some_sides(const state& middle, const tile& here, const value* own, int i, int more,
                                      Out* results) const {
    const int left = here.own + i - static_cast<int>(windows.before),
              right = here.own + i + static_cast<int>(windows.after);
    const some_sides there{more, Kokkos::max(here.low - left, 0), Kokkos::min(here.high - 1 - right, more)};
    add_sides(middle, cells<const value>{own, left}, cells<const value>{own, right}, there, cells<Out>{results, i});
  }
  /// Loops of a constant length, for states to be in registers.
  template <class Cells, class Sides, class Results>
  KOKKOS_FUNCTION void add_sides(state s, const Cells& left, const Cells& right, const Sides& there,
                                 const Results& results) const {
    state with_left[run];
    with_left[run - 1] = s;
    for (int k = run - 2; k >= 0; --k) {
      if (there.has_left(k)) reducer.add(s, left[k]);
      with_left[k] = s;
    }
    results[0] = reducer.template result<Out>(with_left[0]);
    state behind = reducer.init();
    for (int k = 1; k < run; ++k) {
      if (!there.has(k)) break;
      if (there.has_right(k)) reducer.add(behind, right[k]);
      reducer.join(with_left[k], behind);
      results[k] = reducer.template result<Out>(with_left[k]);
    }
  }
};

/// Launches tiles where these suit the windows and a team has memory for one; else false.
template <class Exec, class Kernel>
bool launch_rolling_tiles(const Exec& exec, const std::string& label, const Kernel& walk) {
  const auto reducer = walk.reducer.narrow();
  using tiles = rolling_tiles<std::remove_const_t<decltype(reducer)>, std::remove_cvref_t<decltype(walk.lines.in)>,
                              std::remove_pointer_t<decltype(walk.lines.out)>>;
  const std::int64_t width = walk.windows.before + walk.windows.after;
  for (int threads = width < 4 * tiles::team ? tiles::team : 2 * tiles::team; threads >= tiles::team; threads /= 2) {
    const tiles kernel(reducer, walk.lines, walk.windows, threads);
    if (!kernel.exist() || kernel.team_bytes() > team_scratch_room<Exec>(threads)) continue;
    Kokkos::parallel_for(kernel_label(label),
                         Kokkos::TeamPolicy<Exec, registers_of_teams<tiles::team, tiles::teams>>(
                             exec, static_cast<int>(kernel.tiles()), threads)
                             .set_scratch_size(0, team_scratch<Exec>(label, threads, kernel.team_bytes())),
                         kernel);
    return true;
  }
  return false;
}
/// Reduces windows, on devices in tiles where these suit them.
template <class Exec, class Kernel>
void launch_rolling(const Exec& exec, const std::string& label, const Kernel& kernel) {
  if constexpr (is_device<Exec>)
    if (launch_rolling_tiles(exec, label, kernel)) return;
  launch_rolling_walks(exec, label, kernel);
}

}  // namespace quern::impl

#endif
