// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ONE_PASS_COMPACTION_HPP
#define QUERN_KEYED_ONE_PASS_COMPACTION_HPP

#include <algorithm>
#include <cstddef>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/tile_chain.hpp>
#include <quern/keyed/device_compaction.hpp>
#include <string>

namespace quern::impl {

/// How a chain of tiles adds up how many they keep.
struct count_joins {
  using local = std::int32_t;
  using state = std::int64_t;
  KOKKOS_FUNCTION state none() const { return 0; }
  KOKKOS_FUNCTION void append(state& s, local l) const { s += l; }
  KOKKOS_FUNCTION void join(state& s, state next) const { s += next; }
};

/// Keeps by the teams of a device in one kernel: each element is looked at once, and what is kept of a tile stays in
/// shared memory while its team waits for how many are kept before it.
template <class Work, int Team = 256>
struct one_pass_compaction {
  using tiles = device_compaction<Work, Team>;  // what teams do with one
  using chain = tile_chain<count_joins>;

  tiles tile;
  chain earlier;

  /// The list of what is kept takes the memory of the bytes from which it is made.
  static constexpr std::size_t list_bytes = std::max(tiles::list_bytes, tiles::tile);
  static constexpr std::size_t team_bytes = list_bytes + sizeof(typename chain::team_memory) + 64;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& threads) const {
    void* list = threads.team_shmem().get_shmem_aligned(std::size_t{list_bytes}, 32);
    auto& shared = *static_cast<typename chain::team_memory*>(
        threads.team_shmem().get_shmem_aligned(sizeof(typename chain::team_memory), alignof(std::max_align_t)));
    const auto now = earlier.take(threads, shared);
    const std::uint32_t word = tile.word_of(threads, now.tile, list);
    threads.team_barrier();
    const auto selected = tile.list(threads, word, list);
    const std::int64_t before = earlier.join_before(threads, shared, now, selected.all);
    tile.put_tile(threads.team_rank(), now.tile, selected, before);
    threads.team_barrier();
  }
};

template <class Exec, class Keep, class Put>
void keep_in_one_pass(const Exec& exec, const std::string& label, std::int64_t n, const Keep& keep, const Put& put,
                      std::int64_t* count) {
  using kernel_type = one_pass_compaction<compaction_tiles<Exec, Keep, Put>>;
  constexpr int tile = kernel_type::tiles::tile, team = kernel_type::tiles::team;
  const std::int64_t tiles = std::max<std::int64_t>(1, (n + tile - 1) / tile);
  kernel_type kernel{{{keep, put, n, tile, tiles, count}, nullptr, nullptr, nullptr}, {{}, tiles}};
  lease<Exec> held(exec);
  kernel.earlier.allocate(exec, held.scratch());
  typename kernel_type::tiles::template policy<> policy(exec, static_cast<int>(tiles), team);
  Kokkos::parallel_for(kernel_label(label),
                       policy.set_scratch_size(0, team_scratch<Exec>(label, team, kernel_type::team_bytes)), kernel);
}

}  // namespace quern::impl

#endif
