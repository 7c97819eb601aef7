// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_DEVICE_COMPACTION_HPP
#define QUERN_KEYED_DEVICE_COMPACTION_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/compaction_tiles.hpp>
#include <quern/keyed/counted.hpp>
#include <string>

namespace quern::impl {

/// Keeps by the teams of a device, in two kernels. The first looks at the elements and writes a bit for each, and how
/// many each tile of them keeps; in the second, a team knows from these numbers where its own begin. That in one
/// kernel, where teams may wait for each other, is in one_pass_compaction.hpp.
template <class Work, int Team = 256>
struct device_compaction {
  using Exec = typename Work::exec_space;
  static constexpr int team = Team, items = 32, tile = team * items;
  // Of narrow elements a thread has half as many at a time: more teams run, since it needs fewer registers.
  static constexpr int batch = Work::bytes > 0 && Work::bytes <= 4 ? 8 : 16;
  template <class... Tag>
  using policy = Kokkos::TeamPolicy<Exec, Tag..., registers_of_teams<team, 4>>;
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Work work;
  std::uint32_t* flags;      // a word for each thread of each team
  std::int32_t* of_tile;     // how many a tile keeps
  std::int64_t* of_section;  // and `team` tiles in a row, where there are more of them; 0 at first

  /// f(i, keep(i)) for the elements of a tile, by a team: of a full one many are loaded before the first is used.
  template <class F>
  KOKKOS_FUNCTION void for_tile(int t, std::int64_t first, int size, const F& f) const {
    if (size == tile) {
      for (int i = t; i < tile; i += batch * team) {
        bool set[batch];
        for (int u = 0; u < batch; ++u) set[u] = work.keep(first + i + u * team);
        for (int u = 0; u < batch; ++u) f(i + u * team, set[u]);
      }
    } else {
      for (int i = t; i < tile; i += team) f(i, i < size && work.keep(first + i));
    }
  }

  KOKKOS_FUNCTION int size_of(std::int64_t number) const {
    return static_cast<int>(work.last_of(number) - work.first_of(number));
  }
  /// The bits of a thread's elements. Memory is read in rows, but a thread has the bits of contiguous elements. They
  /// are bytes first, one for each element of the tile, which threads write without atomic operations.
  template <class Member>
  KOKKOS_FUNCTION std::uint32_t word_of(const Member& threads, std::int64_t number, void* bytes) const {
    const int t = threads.team_rank();
    auto* flag = static_cast<std::uint8_t*>(bytes);
    for_tile(t, work.first_of(number), size_of(number), [&](int i, bool set) { flag[i] = set ? 1 : 0; });
    threads.team_barrier();
    const auto mine = reinterpret_cast<const pack<std::uint8_t, items>*>(flag)[t];
    std::uint32_t word = 0;
    for (int k = 0; k < items; ++k) word |= std::uint32_t{mine.value[k]} << k;
    return word;
  }
  KOKKOS_FUNCTION void operator()(count_selected_tag, const member& threads) const {
    const int t = threads.team_rank();
    const std::int64_t number = threads.league_rank();
    const std::uint32_t word = word_of(threads, number, threads.team_shmem().get_shmem_aligned(std::size_t{tile}, 32));
    flags[number * team + t] = word;
    int all = Kokkos::Experimental::popcount_builtin(word);
    threads.team_reduce(Kokkos::Sum<int>(all));
    if (t > 0) return;
    of_tile[number] = all;
    if (work.tiles > team) Kokkos::atomic_add(of_section + number / team, static_cast<std::int64_t>(all));
  }

  /// What is kept of a tile: the elements, in shared memory, and how many are kept up to each where `put` follows.
  struct selected_list {
    std::uint16_t* selected;
    std::uint16_t* number;
    int all;
  };
  static constexpr int list_bytes = (Work::follows ? 4 : 2) * tile;
  template <class Member>
  KOKKOS_FUNCTION selected_list list(const Member& threads, std::uint32_t word, void* bytes) const {
    const int t = threads.team_rank(), here = Kokkos::Experimental::popcount_builtin(word);
    selected_list k{static_cast<std::uint16_t*>(bytes), static_cast<std::uint16_t*>(bytes) + tile, 0};
    int at = threads.team_scan(here);
    k.all = at + here;
    threads.team_broadcast(k.all, team - 1);
    for (int i = 0; i < items; ++i) {
      if ((word >> i & 1) != 0) k.selected[at++] = static_cast<std::uint16_t>(t * items + i);
      if constexpr (Work::follows) k.number[t * items + i] = static_cast<std::uint16_t>(at);
    }
    return k;
  }
  /// Puts what is kept of a tile behind what is kept before; when all threads have listed theirs.
  KOKKOS_FUNCTION void put_tile(int t, std::int64_t number, const selected_list& k, std::int64_t before) const {
    const std::int64_t first = work.first_of(number);
    if (t == 0 && number == work.tiles - 1) *work.count = before + k.all;
    put_selected(t, first, k.selected, before, k.all);
    if constexpr (Work::follows)
      for (int i = t, size = size_of(number); i < size; i += team) work.put.follow(first + i, before + k.number[i] - 1);
  }
  KOKKOS_FUNCTION void operator()(put_selected_tag, const member& threads) const {
    const int t = threads.team_rank();
    const std::int64_t number = threads.league_rank();
    const selected_list k =
        list(threads, flags[number * team + t], threads.team_shmem().get_shmem_aligned(std::size_t{list_bytes}, 16));
    const std::int64_t before = count_before(threads, number);
    threads.team_barrier();
    put_tile(t, number, k, before);
  }

  /// How many are kept before a tile: by the sections before, and the tiles before in its own.
  KOKKOS_FUNCTION std::int64_t count_before(const member& threads, std::int64_t number) const {
    const int t = threads.team_rank();
    const std::int64_t section = number / team;
    std::int64_t before = t < number - section * team ? of_tile[section * team + t] : 0;
    for (std::int64_t s = t; s < section; s += team) before += of_section[s];
    threads.team_reduce(Kokkos::Sum<std::int64_t>(before));
    return before;
  }

  KOKKOS_FUNCTION void put_selected(int t, std::int64_t first, const std::uint16_t* selected, std::int64_t before,
                                    int all) const {
    if constexpr (Work::gets) {
      constexpr int at_once = 8;  // elements k, k + team, ... of which all are read before the first is written
      for (int k = t; k < all; k += at_once * team) {
        decltype(work.put.get(0)) value[at_once];
        for (int u = 0; u < at_once; ++u)
          if (k + u * team < all) value[u] = work.put.get(first + selected[k + u * team]);
        for (int u = 0; u < at_once; ++u)
          if (k + u * team < all) work.put.set(before + k + u * team, value[u]);
      }
    } else {
      for (int k = t; k < all; k += team) work.put(first + selected[k], before + k);
    }
  }
};

template <class Exec, class Keep, class Put>
void keep_on_device(const Exec& exec, const std::string& label, std::int64_t n, const Keep& keep, const Put& put,
                    std::int64_t* count) {
  using work_type = compaction_tiles<Exec, Keep, Put>;
  using kernel_type = device_compaction<work_type>;
  constexpr int tile = kernel_type::tile, team = kernel_type::team;
  const std::int64_t tiles = std::max<std::int64_t>(1, (n + tile - 1) / tile), sections = tiles / team;
  kernel_type kernel{{keep, put, n, tile, tiles, count}, nullptr, nullptr, nullptr};
  const scratch_arrays<Exec> memory(exec, scratch_part{kernel.flags, tiles * team}, scratch_part{kernel.of_tile, tiles},
                                    scratch_part{kernel.of_section, sections + 1});
  if (tiles > team) fill_scratch(label_text(label, "/zero"), exec, kernel.of_section, sections + 1, std::int64_t{0});
  const auto run = [&]<class Tag>(Tag, const char* what, int bytes) {
    typename kernel_type::template policy<Tag> policy(exec, static_cast<int>(tiles), team);
    Kokkos::parallel_for(kernel_label(label, what),
                         policy.set_scratch_size(0, team_scratch<Exec>(label, team, bytes + 32)), kernel);
  };
  run(count_selected_tag(), "/count", tile);
  run(put_selected_tag(), "/put", kernel_type::list_bytes);
}

}  // namespace quern::impl

#endif
