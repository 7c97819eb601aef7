// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_TILE_CHAIN_HPP
#define QUERN_CORE_LAUNCH_TILE_CHAIN_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <quern/core/launch/host_threads.hpp>
#include <quern/core/memory/workspace.hpp>
#include <type_traits>

namespace quern::impl {

/// Loads and stores of one word, which are whole and go past the caches of a multiprocessor. No order with other memory
/// is asked for: what a word says is in the word itself. (Of a device Kokkos's atomic load and store are loops that
/// compare and exchange, and many threads load here what one has stored.)
KOKKOS_INLINE_FUNCTION std::uint64_t load_word(const std::uint64_t* from) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile std::uint64_t*>(from);))
  KOKKOS_IF_ON_HOST((return Kokkos::atomic_load(from);))
}
KOKKOS_INLINE_FUNCTION void store_word(std::uint64_t* to, std::uint64_t word) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile std::uint64_t*>(to) = word;))
  KOKKOS_IF_ON_HOST((Kokkos::atomic_store(to, word);))
}

/// A value that one team publishes for others takes a word for each 4 of its bytes, with the epoch in the other half:
/// a word of another epoch is not there yet.
template <class V>
inline constexpr int published_words = (sizeof(V) + 3) / 4;
template <class V>
KOKKOS_FUNCTION void publish(std::uint64_t* to, const V& value, std::uint32_t epoch) {
  std::uint32_t part[published_words<V>] = {};
  std::memcpy(part, &value, sizeof(V));
  for (int w = 0; w < published_words<V>; ++w) store_word(to + w, std::uint64_t{epoch} << 32 | part[w]);
}
/// All words are asked for before the first of them is looked at, or each would take its turn at the memory.
template <class V>
KOKKOS_FUNCTION V await(const std::uint64_t* from, std::uint32_t epoch) {
  std::uint32_t part[published_words<V>];
  for (bool there = false; !there;) {
    std::uint64_t word[published_words<V>];
    for (int w = 0; w < published_words<V>; ++w) word[w] = load_word(from + w);
    there = true;
    for (int w = 0; w < published_words<V>; ++w) {
      there = there && word[w] >> 32 == epoch;
      part[w] = static_cast<std::uint32_t>(word[w]);
    }
    KOKKOS_IF_ON_HOST((if (!there) yield_thread();))
  }
  V value;
  std::memcpy(&value, part, sizeof(V));
  return value;
}

/// What can be published, in words that one thread reads with few loads.
template <class V>
inline constexpr bool is_published =
    std::is_trivially_copyable_v<V> && std::is_default_constructible_v<V> && sizeof(V) <= 32;

/// Tiles of an array whose teams, in one kernel, learn what all tiles before theirs are together, by additions (or any
/// associative operation) in an order that depends on the number of the tile alone: who waits for whom, and how long,
/// does not change what is added to what, so that rounded sums have the same bits in every run.
///
/// Tiles make groups of 32, and these supergroups of 32. Before a tile is: what is before its supergroup, then the
/// groups before its own in that, then the tiles before it in its group, each from left to right. A tile publishes what
/// it is itself; the last tile of a group the group; the last of a supergroup all until there. So a team waits for at
/// most 31 + 31 + 1 values, which its threads load at once, and only the last ones form a chain, of n / 1024 tiles.
///
/// Teams get the numbers of their tiles from a ticket: all tiles before a team's own are done, or belong to teams that
/// run. They wait for none but earlier ones, so that neither more teams than fit nor other kernels beside can lock.
///
/// The words live in memory of the workspace that nothing else writes. They are not cleared between kernels: each has
/// an epoch, which is counted on the device, where a captured graph that is launched again counts on. Each launch has
/// exactly `tiles` teams, or turns of teams.
///
/// @tparam Joins `local`, what a tile is; `state`, what many are; `none()`, `append(state&, local)`, `join(state&,
///         state)`
template <class Joins>
struct tile_chain {
  using local = typename Joins::local;
  using state = typename Joins::state;
  static constexpr int fan = 32;
  static constexpr std::int64_t per_super = fan * fan;
  static constexpr int of_tile = published_words<local>, of_state = published_words<state>;

  Joins joins;
  std::int64_t tiles = 0;
  std::uint64_t* tickets = nullptr;  // how many are taken, and in the upper half how many launches are complete
  std::uint64_t* words = nullptr;    // of tiles, then of groups, then of supergroups
  std::int64_t room = 0;             // all words that the workspace has

  /// A tile that a team has taken.
  struct turn {
    std::int64_t tile;
    std::uint32_t epoch;
  };
  /// The shared memory of a team.
  struct team_memory {
    local tile[fan];
    state group[fan];
    state before, of_tiles;
    turn now;
  };

  KOKKOS_FUNCTION static constexpr std::int64_t words_for(std::int64_t tiles) {
    return tiles * of_tile + (tiles / fan + tiles / per_super) * of_state;
  }
  template <class Exec>
  void allocate(const Exec& exec, Workspace<Exec>& scratch) {
    const auto all = scratch.require_signals(exec, words_for(tiles) + 1);
    tickets = all.data();
    words = tickets + 1;
    room = static_cast<std::int64_t>(all.size()) - 1;
  }

  KOKKOS_FUNCTION std::uint64_t* tile_at(std::int64_t t) const { return words + t * of_tile; }
  KOKKOS_FUNCTION std::uint64_t* group_at(std::int64_t g) const { return words + tiles * of_tile + g * of_state; }
  KOKKOS_FUNCTION std::uint64_t* super_at(std::int64_t s) const { return group_at(tiles / fan + s); }

  /// The next tile, by one thread. Who takes the last one has the tickets of this launch to itself, since each team has
  /// read the epoch together with its own ticket.
  KOKKOS_FUNCTION turn take() const {
    const std::uint64_t taken = Kokkos::atomic_fetch_add(tickets, std::uint64_t{1});
    const turn now{static_cast<std::int64_t>(taken & 0xffffffff), static_cast<std::uint32_t>(taken >> 32) + 1};
    if (now.tile == tiles - 1) end_epoch(now.epoch);
    return now;
  }
  template <class Member>
  KOKKOS_FUNCTION turn take(const Member& team, team_memory& m) const {
    if (team.team_rank() == 0) m.now = take();
    team.team_barrier();
    return m.now;
  }
  /// After 2^32 - 1 launches epochs start again with 1. No word is as old by then: in turns, each launch clears one of
  /// those that it does not write.
  KOKKOS_FUNCTION void end_epoch(std::uint32_t epoch) const {
    const std::int64_t oldest = epoch % room;
    if (oldest >= words_for(tiles)) store_word(words + oldest, 0);
    const bool last = epoch == 0xffffffff;
    store_word(tickets, std::uint64_t{last ? 0 : epoch} << 32);
  }

  /// What all tiles before a team's own are together, where its tile is `mine`; the team calls it once for each tile.
  template <class Member>
  KOKKOS_FUNCTION state join_before(const Member& team, team_memory& m, const turn& now, const local& mine) const {
    const int t = team.team_rank(), threads = team.team_size();
    const auto in_group = static_cast<int>(now.tile % fan), groups = static_cast<int>(now.tile / fan % fan);
    const std::int64_t group = now.tile / fan, super = now.tile / per_super;
    const bool ends_group = in_group == fan - 1, ends_super = ends_group && groups == fan - 1;
    if (t == 0) publish(tile_at(now.tile), mine, now.epoch);
    for (int i = t; i < in_group; i += threads) m.tile[i] = await<local>(tile_at(group * fan + i), now.epoch);
    if (ends_group) {  // which is published before its team waits for others
      team.team_barrier();
      if (t == 0) publish(group_at(group), with(m.of_tiles = join_tiles(m, in_group), mine), now.epoch);
    }
    // By other warps than that of the first thread.
    const int from_last = threads - 1 - t, middle = threads / 2;
    for (int i = from_last; i < groups; i += threads) m.group[i] = await<state>(group_at(super * fan + i), now.epoch);
    if (t == middle) m.before = super > 0 ? await<state>(super_at(super - 1), now.epoch) : joins.none();
    team.team_barrier();
    if (t == 0 && !ends_group) m.of_tiles = join_tiles(m, in_group);
    if (t == middle) joins.join(m.before, join_groups(m, groups));
    team.team_barrier();
    state s = m.before;
    joins.join(s, m.of_tiles);
    if (ends_super && t == 0) publish(super_at(super), with(s, mine), now.epoch);
    return s;
  }

 private:
  KOKKOS_FUNCTION state with(state s, const local& mine) const {
    joins.append(s, mine);
    return s;
  }
  KOKKOS_FUNCTION state join_tiles(const team_memory& m, int count) const {
    state s = joins.none();
    for (int i = 0; i < count; ++i) joins.append(s, m.tile[i]);
    return s;
  }
  KOKKOS_FUNCTION state join_groups(const team_memory& m, int count) const {
    state s = joins.none();
    for (int i = 0; i < count; ++i) joins.join(s, m.group[i]);
    return s;
  }
};

}  // namespace quern::impl

#endif
