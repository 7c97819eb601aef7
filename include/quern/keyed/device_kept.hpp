// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_DEVICE_KEPT_HPP
#define QUERN_KEYED_DEVICE_KEPT_HPP

#include <quern/core/pack.hpp>
#include <quern/core/team_scratch.hpp>
#include <quern/core/workspace.hpp>
#include <quern/keyed/counted.hpp>
#include <quern/keyed/kept_tiles.hpp>
#include <string>

namespace quern::impl {

/// What is known of a tile: nothing, how many of its elements are kept, or how many of all up to its last.
class kept_count {
 public:
  KOKKOS_FUNCTION static kept_count of_tile(std::int64_t n) { return kept_count(n << 2 | 1); }
  KOKKOS_FUNCTION static kept_count up_to_tile(std::int64_t n) { return kept_count(n << 2 | 2); }
  /// Waits until something is known.
  KOKKOS_FUNCTION static kept_count wait_for(std::int64_t* at) {
    std::int64_t word;
    while ((word = Kokkos::atomic_load(at)) == 0) {
    }
    return kept_count(word);
  }
  KOKKOS_FUNCTION void tell(std::int64_t* at) const { Kokkos::atomic_store(at, word_); }
  KOKKOS_FUNCTION bool is_of_all() const { return (word_ & 2) != 0; }
  KOKKOS_FUNCTION std::int64_t number() const { return word_ >> 2; }

 private:
  KOKKOS_FUNCTION explicit kept_count(std::int64_t word) : word_(word) {}
  std::int64_t word_;
};

/// Keeps by the teams of a device, which look at each element once: a team that has counted its tile tells the others,
/// and adds up what those before it tell, back to the last that knows the number of all (D. Merrill and M. Garland,
/// Single-pass parallel prefix scan with decoupled look-back, NVR-2016-002). Teams take tiles in the order in which
/// they start, so that each waits only for teams that run or have run.
template <class Work>
struct device_kept {
  using Exec = typename Work::exec_space;
  static constexpr int team = 256, items = 32, tile = team * items;
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team, 4>>;
  using member = typename policy::member_type;

  Work work;
  std::int64_t* started;  // how many tiles teams have taken
  std::int64_t* known;    // of each tile, a kept_count; 0 at first

  KOKKOS_FUNCTION void operator()(const member& threads) const {
    std::int64_t t = 0;
    Kokkos::single(
        Kokkos::PerTeam(threads), [&](std::int64_t& mine) { mine = Kokkos::atomic_fetch_add(started, 1); }, t);
    const std::int64_t first = work.first_of(t);
    keep_tile(threads, t, first, static_cast<int>(work.last_of(t) - first));
  }

  /// f(i, keep(i)) for the elements of a tile, by a team: of a full one many are loaded before the first is used.
  template <class F>
  KOKKOS_FUNCTION void for_tile(const member& threads, std::int64_t first, int size, const F& f) const {
    const int t = threads.team_rank();
    if (size == tile) {
      constexpr int batch = 16;
      for (int i = t; i < tile; i += batch * team) {
        bool set[batch];
        for (int u = 0; u < batch; ++u) set[u] = work.keep(first + i + u * team);
        for (int u = 0; u < batch; ++u) f(i + u * team, set[u]);
      }
    } else {
      for (int i = t; i < size; i += team) f(i, work.keep(first + i));
    }
  }

  /// Each thread numbers neighbours, but memory is accessed in rows. Flags are bytes, so that a thread reads all of its
  /// own at once.
  KOKKOS_FUNCTION void keep_tile(const member& threads, std::int64_t number_of_tile, std::int64_t first,
                                 int size) const {
    const auto shared = [&](std::size_t bytes) { return threads.team_shmem().get_shmem_aligned(bytes, 16); };
    auto* flag = static_cast<std::uint8_t*>(shared(tile));
    auto* kept = static_cast<std::uint16_t*>(shared(2 * tile));
    [[maybe_unused]] auto* number = static_cast<std::uint16_t*>(shared(Work::follows ? 2 * tile : 0));
    const int t = threads.team_rank();
    if (size < tile)
      for (int i = t; i < tile; i += team) flag[i] = 0;
    for_tile(threads, first, size, [&](int i, bool set) { flag[i] = set ? 1 : 0; });
    threads.team_barrier();
    const auto mine = reinterpret_cast<const pack<std::uint8_t, items>*>(flag)[t];
    int here = 0;
    for (int k = 0; k < items; ++k) here += mine.value[k];
    int at = threads.team_scan(here), all = at + here;
    threads.team_broadcast(all, team - 1);
    for (int k = 0; k < items; ++k) {
      if (mine.value[k] != 0) kept[at++] = static_cast<std::uint16_t>(t * items + k);
      if constexpr (Work::follows) number[t * items + k] = static_cast<std::uint16_t>(at);  // kept up to here
    }
    const std::int64_t before = count_before(threads, number_of_tile, all);
    threads.team_barrier();
    put_kept(t, first, kept, before, all);
    if constexpr (Work::follows)
      for (int i = t; i < size; i += team) work.put.follow(first + i, before + number[i] - 1);
  }

  /// How many are kept before a tile that keeps `all`. Each thread asks one of the tiles before.
  KOKKOS_FUNCTION std::int64_t count_before(const member& threads, std::int64_t number, int all) const {
    const int t = threads.team_rank();
    if (t == 0 && number > 0) kept_count::of_tile(all).tell(known + number);
    std::int64_t before = 0;
    for (std::int64_t last = number - 1; last >= 0; last -= team) {
      const kept_count told = last >= t ? kept_count::wait_for(known + last - t) : kept_count::up_to_tile(0);
      int nearest = told.is_of_all() ? t : team;
      threads.team_reduce(Kokkos::Min<int>(nearest));
      std::int64_t sum = t <= nearest ? told.number() : 0;
      threads.team_reduce(Kokkos::Sum<std::int64_t>(sum));
      before += sum;
      if (nearest < team) break;
    }
    if (t == 0) {
      kept_count::up_to_tile(before + all).tell(known + number);
      if (number == work.tiles - 1) *work.count = before + all;
    }
    return before;
  }

  KOKKOS_FUNCTION void put_kept(int t, std::int64_t first, const std::uint16_t* kept, std::int64_t before,
                                int all) const {
    if constexpr (Work::gets) {
      constexpr int batch = 8;
      for (int k = t; k < all; k += batch * team) put_batch<batch>(k, first, kept, before, all);
    } else {
      for (int k = t; k < all; k += team) work.put(first + kept[k], before + k);
    }
  }
  /// Elements k, k + team, ... of which all are read before the first is written.
  template <int Batch>
  KOKKOS_FUNCTION void put_batch(int k, std::int64_t first, const std::uint16_t* kept, std::int64_t before,
                                 int all) const {
    decltype(work.put.get(0)) value[Batch];
    for (int u = 0; u < Batch; ++u)
      if (k + u * team < all) value[u] = work.put.get(first + kept[k + u * team]);
    for (int u = 0; u < Batch; ++u)
      if (k + u * team < all) work.put.set(before + k + u * team, value[u]);
  }
  static constexpr int team_bytes = (Work::follows ? 5 : 3) * tile + 3 * 16;
};

template <class Exec, class Keep, class Put>
void keep_on_device(const Exec& exec, const std::string& label, std::int64_t n, const Keep& keep, const Put& put,
                    std::int64_t* count) {
  using kernel_type = device_kept<kept_tiles<Exec, Keep, Put>>;
  constexpr int tile = kernel_type::tile;
  const std::int64_t tiles = std::max<std::int64_t>(1, (n + tile - 1) / tile);
  const scratch_array<Exec, std::int64_t> words(exec, 1 + tiles);
  Kokkos::deep_copy(exec, scratch_view<Exec, std::int64_t*>(words.data(), 1 + tiles), std::int64_t{0});
  const auto scratch = team_scratch<Exec>(label, kernel_type::team, kernel_type::team_bytes);
  Kokkos::parallel_for(
      label,
      typename kernel_type::policy(exec, static_cast<int>(tiles), kernel_type::team).set_scratch_size(0, scratch),
      kernel_type{{keep, put, n, tile, tiles, count}, words.data(), words.data() + 1});
}

}  // namespace quern::impl

#endif
