// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_DEVICE_KEPT_HPP
#define QUERN_KEYED_DEVICE_KEPT_HPP

#include <quern/core/pack.hpp>
#include <quern/core/team_scratch.hpp>
#include <quern/keyed/kept_tiles.hpp>

namespace quern::impl {

/// Keeps by the teams of a device.
template <class Work>
struct device_kept {
  using Exec = typename Work::exec_space;
  static constexpr int team = 256, items = 16, tile = team * items;
  template <class Tag>
  using policy = Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<team>>;
  using member = typename policy<count_kept_tag>::member_type;

  Work work;

  KOKKOS_FUNCTION void operator()(count_kept_tag, const member& threads) const {
    const std::int64_t t = threads.league_rank(), first = work.first_of(t);
    int kept = 0;
    for_tile(threads, first, static_cast<int>(work.last_of(t) - first), [&](int, bool set) { kept += set ? 1 : 0; });
    threads.team_reduce(Kokkos::Sum<int>(kept));
    if (threads.team_rank() == 0) work.counts[t] = kept;
  }
  KOKKOS_FUNCTION void operator()(put_kept_tag, const member& threads) const {
    const std::int64_t t = threads.league_rank(), first = work.first_of(t);
    put_in_team(threads, first, static_cast<int>(work.last_of(t) - first), work.counts[t]);
  }

  /// f(i, keep(i)) for the elements of a tile, by a team: of a full one all are loaded before the first is used.
  template <class F>
  KOKKOS_FUNCTION void for_tile(const member& threads, std::int64_t first, int size, const F& f) const {
    const int t = threads.team_rank();
    if (size == tile) {
      bool set[items];
      for (int u = 0; u < items; ++u) set[u] = work.keep(first + t + u * team);
      for (int u = 0; u < items; ++u) f(t + u * team, set[u]);
    } else {
      for (int i = t; i < size; i += team) f(i, work.keep(first + i));
    }
  }

  /// Each thread numbers neighbours, but memory is accessed in rows. Flags are bytes, so that a thread reads all of its
  /// own at once.
  KOKKOS_FUNCTION void put_in_team(const member& threads, std::int64_t first, int size, std::int64_t before) const {
    const auto shared = [&](std::size_t bytes) { return threads.team_shmem().get_shmem_aligned(bytes, 16); };
    auto* flag = static_cast<std::uint8_t*>(shared(tile));
    auto* kept = static_cast<std::uint16_t*>(shared(2 * tile));
    [[maybe_unused]] auto* number = static_cast<std::uint16_t*>(shared(Work::follows ? 2 * tile : 0));
    auto* all = static_cast<int*>(shared(sizeof(int)));
    const int t = threads.team_rank();
    if (size < tile)
      for (int i = t; i < tile; i += team) flag[i] = 0;
    for_tile(threads, first, size, [&](int i, bool set) { flag[i] = set ? 1 : 0; });
    threads.team_barrier();
    const auto mine = reinterpret_cast<const pack<std::uint8_t, items>*>(flag)[t];
    int at = 0;
    for (int k = 0; k < items; ++k) at += mine.value[k];
    at = threads.team_scan(at);
    for (int k = 0; k < items; ++k) {
      if (mine.value[k] != 0) kept[at++] = static_cast<std::uint16_t>(t * items + k);
      if constexpr (Work::follows) number[t * items + k] = static_cast<std::uint16_t>(at);  // kept up to here
    }
    if (t == team - 1) *all = at;
    threads.team_barrier();
    for (int k = t; k < *all; k += team) work.put(first + kept[k], before + k);
    if constexpr (Work::follows)
      for (int i = t; i < size; i += team) work.put.follow(first + i, before + number[i] - 1);
  }
  static constexpr int team_bytes = (Work::follows ? 5 : 3) * tile + sizeof(int) + 4 * 16;
};

/// Launches one of both over all tiles.
template <class Tag, class Exec, class Work>
void over_tiles_on_device(const Exec& exec, const std::string& label, const Work& work) {
  using kernel_type = device_kept<Work>;
  typename kernel_type::template policy<Tag> policy(exec, static_cast<int>(work.tiles), kernel_type::team);
  if (std::is_same_v<Tag, put_kept_tag>)
    policy.set_scratch_size(0, team_scratch<Exec>(label, kernel_type::team, kernel_type::team_bytes));
  Kokkos::parallel_for(label, policy, kernel_type{work});
}

}  // namespace quern::impl

#endif
