// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_MERGE_SORT_HPP
#define QUERN_KEYED_MERGE_SORT_HPP

#include <algorithm>
#include <bit>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/sort_buffer.hpp>
#include <utility>

namespace quern::impl {

/// How many of the first `diagonal` elements of the merged sequence come from a. Odeh, Green, Mwassi, Shmueli, Birk:
/// Merge path (IPDPSW 2012). Of equal elements those of a come first.
template <class T, class Less>
KOKKOS_FUNCTION std::int64_t merge_path(const T* a, std::int64_t na, const T* b, std::int64_t nb, std::int64_t diagonal,
                                        const Less& less) {
  std::int64_t low = Kokkos::max<std::int64_t>(0, diagonal - nb), high = Kokkos::min(diagonal, na);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (less(b[diagonal - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

struct sort_tile_tag {};
struct find_splits_tag {};
struct merge_runs_tag {};

/// A stable merge sort of lines that lie one after the other, by any order. Tiles are sorted first, then runs of them
/// are merged in pairs, in as many rounds as there are doublings; each tile of a round's result is found by merge path
/// and merged by itself.
///
/// On a device a team sorts a tile, or several short lines, in its scratch memory: each thread a few items in
/// registers, then all by merging. On a host a thread sorts a tile by the standard library.
template <class Exec, class Item, class Less>
struct merge_sort_kernel {
  static constexpr bool device = is_device<Exec>;
  static constexpr int team = !device ? 1 : sizeof(Item) <= 128 ? 256 : 32;
  /// Of a thread of a device; odd, against bank conflicts.
  static constexpr int items = std::clamp<int>(64 / sizeof(Item) - 1, 0, 14) | 1;
  static constexpr int device_tile = team * items;
  template <class Tag>
  using team_policy = Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<team>>;
  using member = typename team_policy<sort_tile_tag>::member_type;

  Less less;
  Item* from;  // while a host sorts tiles, room for as many items
  Item* to;
  std::int64_t lines, n;
  std::int64_t tile = 0, tiles = 0;  // of a line
  std::int64_t run = 0;              // items that are sorted already, a power of two tiles
  int group = 1;                     // device: threads that sort a tile
  std::int64_t* splits = nullptr;    // what comes from the first run of a pair before each tile

  /// A pair of runs of a line, and a tile of its result: items `first` to `last` of the pair.
  struct pair_tile {
    std::int64_t start, na, nb, first, last;
  };
  KOKKOS_FUNCTION pair_tile pair_of(std::int64_t unit) const {
    const std::int64_t line = unit / tiles, at = (unit - line * tiles) * tile, pair = at / (2 * run) * (2 * run);
    const std::int64_t na = Kokkos::min(run, n - pair), nb = Kokkos::min(run, n - pair - na);
    return {line * n + pair, na, nb, at - pair, Kokkos::min(at - pair + tile, na + nb)};
  }

  KOKKOS_FUNCTION void operator()(find_splits_tag, std::int64_t unit) const {
    const pair_tile p = pair_of(unit);
    splits[unit] = merge_path(from + p.start, p.na, from + p.start + p.na, p.nb, p.first, less);
  }

  /// What a unit merges.
  struct two_runs {
    const Item* a;
    std::int64_t na;
    const Item* b;
    std::int64_t nb;
    Item* out;
  };
  KOKKOS_FUNCTION two_runs runs_of(std::int64_t unit) const {
    const pair_tile p = pair_of(unit);
    const std::int64_t a = splits[unit], a_end = p.last == p.na + p.nb ? p.na : splits[unit + 1];
    const std::int64_t b = p.first - a, b_end = p.last - a_end;
    const Item* runs = from + p.start;
    return {runs + a, a_end - a, runs + p.na + b, b_end - b, to + p.start + p.first};
  }

  // On a host.
  void operator()(sort_tile_tag, std::int64_t unit) const {
    const std::int64_t line = unit / tiles, at = (unit - line * tiles) * tile;
    Item* out = to + line * n + at;
    const std::int64_t count = std::min(tile, n - at);
    if constexpr (Less::by_bits && std::is_integral_v<Item>) std::sort(out, out + count, less);  // equals are the same
    else sort_stable(out, from + line * n + at, count, by_reference());
  }
  void operator()(merge_runs_tag, std::int64_t unit) const {
    const two_runs r = runs_of(unit);
    std::merge(r.a, r.a + r.na, r.b, r.b + r.nb, r.out, by_reference());
  }
  /// The order for the standard library, which copies what it compares with.
  auto by_reference() const {
    return [this](const Item& a, const Item& b) { return less(a, b); };
  }

  /// A thread's share of the merge of two runs that the team has in scratch memory.
  KOKKOS_FUNCTION void merge_share(Item (&v)[items], const Item* a, int na, const Item* b, int nb, int first) const {
    const int count = Kokkos::min(int{items}, na + nb - first);
    if (count <= 0) return;
    int i = static_cast<int>(merge_path(a, na, b, nb, first, less)), j = first - i;
    Item from_a = a[Kokkos::min(i, na - 1)], from_b = j < nb ? b[j] : from_a;
    for (int k = 0; k < items; ++k) {
      if (k >= count) break;
      const bool second = i >= na || (j < nb && less(from_b, from_a));
      v[k] = second ? from_b : from_a;
      if (second && ++j < nb) from_b = b[j];
      else if (!second && ++i < na) from_a = a[i];
    }
  }
  /// Elements r, r + threads, ... of those that a group of threads has, all loaded before the first is used; or, with
  /// one thread, elements that follow each other.
  template <class At>
  KOKKOS_FUNCTION static void load(Item (&v)[items], int r, int threads, int count, const At& at) {
    for (int k = 0; k < items; ++k)
      if (r + k * threads < count) v[k] = at(r + k * threads);
  }
  KOKKOS_FUNCTION static void spread(Item* shared, const Item (&v)[items], int r, int threads, int count) {
    for (int k = 0; k < items; ++k)
      if (r + k * threads < count) shared[r + k * threads] = v[k];
  }

  // On a device.
  KOKKOS_FUNCTION void operator()(sort_tile_tag, const member& threads) const {
    auto* memory = static_cast<Item*>(threads.team_shmem().get_shmem_aligned(device_tile * sizeof(Item), 16));
    const int t = threads.team_rank(), r = t % group;
    const std::int64_t unit = threads.league_rank() * (team / group) + t / group;
    const std::int64_t line = unit / tiles, at = (unit - line * tiles) * tile;
    const int count = unit < lines * tiles ? static_cast<int>(Kokkos::min(tile, n - at)) : 0;
    Item* shared = memory + (t - r) * items;
    Item v[items];
    const Item* first = from + line * n + at;
    load(v, r, group, count, [&](int i) { return first[i]; });
    spread(shared, v, r, group, count);
    threads.team_barrier();

    const int mine = count - r * items;
    load(v, r * items, 1, count, [&](int i) { return shared[i]; });
    for (int round = 0; round < items; ++round)  // odd-even transposition, stable
      for (int k = round % 2; k + 1 < items; k += 2)
        if (k + 1 < mine && less(v[k + 1], v[k])) Kokkos::kokkos_swap(v[k], v[k + 1]);
    for (int width = 1; width < group; width *= 2) {
      spread(shared, v, r * items, 1, count);
      threads.team_barrier();
      const int pair = r / (2 * width) * (2 * width) * items;
      const int na = Kokkos::clamp(count - pair, 0, width * items);
      const int nb = Kokkos::clamp(count - pair - na, 0, width * items);
      merge_share(v, shared + pair, na, shared + pair + na, nb, r * items - pair);
      threads.team_barrier();
    }
    spread(shared, v, r * items, 1, count);
    threads.team_barrier();
    Item* out = to + line * n + at;
    for (int i = r; i < count; i += group) out[i] = shared[i];
  }

  KOKKOS_FUNCTION void operator()(merge_runs_tag, const member& threads) const {
    const two_runs runs = runs_of(threads.league_rank());
    const std::int64_t na = runs.na, nb = runs.nb;
    auto* shared = static_cast<Item*>(threads.team_shmem().get_shmem_aligned(device_tile * sizeof(Item), 16));
    const int t = threads.team_rank(), count = static_cast<int>(na + nb);
    Item v[items];
    load(v, t, team, count, [&](int i) { return i < na ? runs.a[i] : runs.b[i - na]; });
    spread(shared, v, t, team, count);
    threads.team_barrier();
    merge_share(v, shared, static_cast<int>(na), shared + na, static_cast<int>(nb), t * items);
    threads.team_barrier();
    spread(shared, v, t * items, 1, count);
    threads.team_barrier();
    for (int i = t; i < count; i += team) runs.out[i] = shared[i];
  }
};

/// Cuts lines into tiles.
template <class Exec, class Item, class Less>
void set_tiles(const Exec& exec, merge_sort_kernel<Exec, Item, Less>& k) {
  if constexpr (is_device<Exec>) {
    using kernel_type = merge_sort_kernel<Exec, Item, Less>;
    constexpr int items = kernel_type::items, team = kernel_type::team;
    const auto threads = static_cast<std::uint64_t>(std::clamp<std::int64_t>((k.n + items - 1) / items, 1, team));
    k.group = static_cast<int>(std::bit_ceil(threads));
    k.tile = k.group * items;
  } else {
    const std::int64_t threads = exec.concurrency(), least = 4096;
    const std::int64_t parts = k.lines >= threads ? 1 : std::clamp<std::int64_t>(k.n / least, 1, threads);
    k.tile = std::max<std::int64_t>(1, (k.n + parts - 1) / parts);
  }
  k.tiles = (k.n + k.tile - 1) / k.tile;
}

/// Sorts `lines` lines of `n` items each; the result is in `items.data` at the end. Stable.
template <class Exec, class Item, class Less>
void merge_sort(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n,
                sort_buffer<Item>& items, const Less& less) {
  using kernel_type = merge_sort_kernel<Exec, Item, Less>;
  kernel_type k{less, kernel_type::device ? items.data : items.other, items.data, lines, n};
  set_tiles(exec, k);
  const std::int64_t units = lines * k.tiles;
  const auto launch = [&]<class Tag>(Tag, const std::string& name, std::int64_t teams) {
    if constexpr (kernel_type::device) {
      typename kernel_type::template team_policy<Tag> policy(exec, static_cast<int>(teams), kernel_type::team);
      policy.set_scratch_size(
          0, team_scratch<Exec>(label, kernel_type::team, kernel_type::device_tile * sizeof(Item) + 16));
      Kokkos::parallel_for(kernel_label(name), policy, k);
    } else {
      launch_units<Tag>(exec, name, teams, k);
    }
  };
  const int groups = kernel_type::team / k.group;  // of a team, one for a tile
  launch(sort_tile_tag(), label_text(label, "/tiles"), (units + groups - 1) / groups);
  if (k.tiles == 1) return;
  const scratch_array<Exec, std::int64_t> splits(exec, units);
  k.splits = splits.data();
  for (k.run = k.tile; k.run < n; k.run *= 2) {
    k.from = items.data;
    k.to = items.other;
    launch_units<find_splits_tag>(exec, label_text(label, "/splits"), units, k);
    launch(merge_runs_tag(), label_text(label, "/merge"), units);
    std::swap(items.data, items.other);
  }
}

}  // namespace quern::impl

#endif
