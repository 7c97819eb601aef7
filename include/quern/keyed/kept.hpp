// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_KEPT_HPP
#define QUERN_KEYED_KEPT_HPP

#include <algorithm>
#include <quern/core/pack.hpp>
#include <quern/core/team_scratch.hpp>
#include <quern/core/workspace.hpp>

namespace quern::impl {

struct count_kept_tag {};
struct add_counts_tag {};
struct put_kept_tag {};

/// Stream compaction: numbers the i from 0 to n - 1 for which `keep(i)` is true, in order. `put(i, k)` is called for
/// the one that is number k; `put.follow(i, k)`, if there is one, for every i, where k is the number of the last that
/// was kept up to i. Tiles are counted, the counts added up, and the tiles looked at again.
template <class Exec, class Keep, class Put>
struct kept_kernel {
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int team = device ? 256 : 1, items = 16, device_tile = team * items;
  static constexpr bool follows = requires(const Put& p, std::int64_t i) { p.follow(i, i); };
  template <class Tag>
  using team_policy = Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<team>>;
  using member = typename team_policy<count_kept_tag>::member_type;

  Keep keep;
  Put put;
  std::int64_t n, tile, tiles;
  std::int64_t* counts;  // of the tiles; then of all tiles before
  std::int64_t* count;   // of all

  KOKKOS_FUNCTION void operator()(count_kept_tag, const member& threads) const {
    const std::int64_t first = threads.league_rank() * tile, last = Kokkos::min(first + tile, n);
    if constexpr (device) {
      int kept = 0;
      for_tile(threads, first, static_cast<int>(last - first), [&](int, bool set) { kept += set ? 1 : 0; });
      threads.team_reduce(Kokkos::Sum<int>(kept));
      if (threads.team_rank() == 0) counts[threads.league_rank()] = kept;
    } else {
      std::int64_t kept = 0;
      for (std::int64_t i = first; i < last; i += 128) {  // in bytes, of which vector registers hold most
        std::uint8_t some = 0;
        for_run(i, Kokkos::min(i + 128, last), [&](std::int64_t, bool set) { some += set ? 1 : 0; });
        kept += some;
      }
      counts[threads.league_rank()] = kept;
    }
  }

  KOKKOS_FUNCTION void operator()(add_counts_tag, std::int64_t t, std::int64_t& before, bool final) const {
    const std::int64_t here = counts[t];
    if (final) counts[t] = before;
    before += here;
    if (final && t == tiles - 1) *count = before;
  }

  KOKKOS_FUNCTION void operator()(put_kept_tag, const member& threads) const {
    const std::int64_t first = threads.league_rank() * tile, last = Kokkos::min(first + tile, n);
    std::int64_t before = counts[threads.league_rank()];
    if constexpr (device) {
      put_in_team(threads, first, static_cast<int>(last - first), before);
    } else {
      put_on_host(first, last, before);
    }
  }

  /// By blocks: first which are kept, without a branch that would be guessed wrong, then what is done with them.
  void put_on_host(std::int64_t first, std::int64_t last, std::int64_t before) const {
    constexpr int block = 256;
    const Put local = put;  // what loops read must not be what they might write
    for (; first < last; first += block) {
      const int size = static_cast<int>(Kokkos::min<std::int64_t>(block, last - first));
      std::uint8_t kept[block];
      [[maybe_unused]] std::int64_t number[follows ? block : 1];
      int found = 0;
      for_run(first, first + size, [&](std::int64_t item, bool set) {
        const auto i = item - first;
        kept[found] = static_cast<std::uint8_t>(i);
        if constexpr (follows) number[i] = before + found - (set ? 0 : 1);
        found += set ? 1 : 0;
      });
      for (int k = 0; k < found; ++k) local(first + kept[k], before + k);
      if constexpr (follows)
        for (int i = 0; i < size; ++i) local.follow(first + i, number[i]);
      before += found;
    }
  }

  /// f(i, keep(i)) for a run of elements, on a host.
  template <class F>
  void for_run(std::int64_t first, std::int64_t last, const F& f) const {
    if constexpr (requires { keep.for_run(first, last, f); }) keep.for_run(first, last, f);
    else
      for (std::int64_t i = first; i < last; ++i) f(i, keep(i));
  }

  /// f(i, keep(i)) for the elements of a tile, by a team: of a full one all are loaded before the first is used.
  template <class F>
  KOKKOS_FUNCTION void for_tile(const member& threads, std::int64_t first, int size, const F& f) const {
    const int t = threads.team_rank();
    if (size == device_tile) {
      bool set[items];
      for (int u = 0; u < items; ++u) set[u] = keep(first + t + u * team);
      for (int u = 0; u < items; ++u) f(t + u * team, set[u]);
    } else {
      for (int i = t; i < size; i += team) f(i, keep(first + i));
    }
  }

  /// Each thread numbers neighbours, but memory is accessed in rows. Flags are bytes, so that a thread reads all of its
  /// own at once.
  KOKKOS_FUNCTION void put_in_team(const member& threads, std::int64_t first, int size, std::int64_t before) const {
    const auto shared = [&](std::size_t bytes) { return threads.team_shmem().get_shmem_aligned(bytes, 16); };
    auto* flag = static_cast<std::uint8_t*>(shared(device_tile));
    auto* kept = static_cast<std::uint16_t*>(shared(2 * device_tile));
    [[maybe_unused]] auto* number = static_cast<std::uint16_t*>(shared(follows ? 2 * device_tile : 0));
    auto* all = static_cast<int*>(shared(sizeof(int)));
    const int t = threads.team_rank();
    if (size < device_tile)
      for (int i = t; i < device_tile; i += team) flag[i] = 0;
    for_tile(threads, first, size, [&](int i, bool set) { flag[i] = set ? 1 : 0; });
    threads.team_barrier();
    const auto mine = reinterpret_cast<const pack<std::uint8_t, items>*>(flag)[t];
    int at = 0;
    for (int k = 0; k < items; ++k) at += mine.value[k];
    at = threads.team_scan(at);
    for (int k = 0; k < items; ++k) {
      if (mine.value[k] != 0) kept[at++] = static_cast<std::uint16_t>(t * items + k);
      if constexpr (follows) number[t * items + k] = static_cast<std::uint16_t>(at);  // kept up to here
    }
    if (t == team - 1) *all = at;
    threads.team_barrier();
    for (int k = t; k < *all; k += team) put(first + kept[k], before + k);
    if constexpr (follows)
      for (int i = t; i < size; i += team) put.follow(first + i, before + number[i] - 1);
  }
  static constexpr int team_bytes = (follows ? 5 : 3) * device_tile + sizeof(int) + 4 * 16;
};

/// Keeps what an array has marked.
template <class T>
struct is_marked {
  const T* marks;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return marks[i] != 0; }
};

/// Numbers what is kept; how many there are is written to `count`, which `exec` reaches.
template <class Exec, class Keep, class Put>
void for_kept(const std::string& label, const Exec& exec, std::int64_t n, const Keep& keep, const Put& put,
              std::int64_t* count) {
  using kernel_type = kept_kernel<Exec, Keep, Put>;
  constexpr std::int64_t least = 4096;
  const std::int64_t parts = std::clamp<std::int64_t>(n / least, 1, 4 * exec.concurrency());
  const std::int64_t tile = kernel_type::device ? kernel_type::device_tile : (n + parts - 1) / parts;
  const std::int64_t tiles = n == 0 ? 1 : (n + tile - 1) / tile;
  const scratch_array<Exec, std::int64_t> counts(exec, tiles);
  const kernel_type kernel{keep, put, n, tile, tiles, counts.data(), count};
  const auto run = [&]<class Tag>(Tag, const char* what, int bytes) {
    typename kernel_type::template team_policy<Tag> policy(exec, static_cast<int>(tiles), kernel_type::team);
    if (bytes > 0) policy.set_scratch_size(0, team_scratch<Exec>(label, kernel_type::team, bytes));
    Kokkos::parallel_for(label + what, policy, kernel);
  };
  run(count_kept_tag(), "/count", 0);
  Kokkos::parallel_scan(label + "/add",
                        Kokkos::RangePolicy<Exec, add_counts_tag, Kokkos::IndexType<std::int64_t>>(exec, 0, tiles),
                        kernel);
  run(put_kept_tag(), "/put", kernel_type::device ? kernel_type::team_bytes : 0);
}

}  // namespace quern::impl

#endif
