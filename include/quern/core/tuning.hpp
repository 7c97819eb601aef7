// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_TUNING_HPP
#define QUERN_CORE_TUNING_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/concepts.hpp>

namespace quern::impl {

/// True where one work item is a thread of many that run in lock step, so that neighbours should touch
/// neighbouring addresses; false where a work item has a core to itself and should walk through memory.
template <class Exec>
inline constexpr bool is_device =
    !Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename Exec::memory_space>::accessible ||
    !Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// What the kernels of this library need to know of a back end. Specialise it for an execution space to tune it.
template <execution_space Exec>
struct tuning {
  static constexpr bool device = is_device<Exec>;

  /// Bytes that one instruction of one thread moves at most; packs are this wide.
  static constexpr int pack_bytes = 16;

  /// Packs that one thread of a map handles: enough loads in flight even where an operation has one input.
  static constexpr int map_packs = 4;

  /// Elements one thread of a strided map handles, a whole grid apart so that accesses stay coalesced.
  static constexpr int map_unroll = 2;

  /// Blocks of random numbers that one thread draws together, and how often at most.
  static constexpr int random_blocks = 4;
  static constexpr int random_steps = 2;

  /// Threads of a team that adds up by bins, the values that are worth a thread, and the bytes of bins of its own.
  static constexpr int binning_team = device ? 256 : 1;
  static constexpr std::int64_t binning_least = device ? 16 : 1024;
  static constexpr std::int64_t binning_bytes = device ? 40 << 10 : 64 << 20;

  /// Independent packs that one thread of a reduction keeps in flight.
  static constexpr int reduce_packs = 8;

  /// Threads of a reducing team, and the share of the threads that the device can hold at once which reduce: few, with
  /// many loads each, since more would need a second wave for reducers with a large state.
  static constexpr int team_size = device ? 256 : 1;
  static constexpr int reduce_teams = device ? 2 : 0;  // at a time on one multiprocessor
  static constexpr double reduce_occupancy = device ? 0.25 : 1.0;

  /// Scanning teams at a time on one multiprocessor, so that some load while others wait, and their share of the
  /// threads that it can hold. Each team has several chunks, as not all teams are equally fast.
  static constexpr int scan_teams = device ? 4 : 0;
  static constexpr double scan_occupancy = 0.5;
  static constexpr int scan_waves = 4;

  /// Threads of a team of a segmented operation, and its teams on one multiprocessor.
  static constexpr int segment_team = device ? 128 : 1;
  static constexpr int segment_teams = device ? 8 : 0;

  /// Threads of a team of a stencil, of which in three dimensions so many rows are neighbours, and the teams at a time
  /// on one multiprocessor.
  static constexpr int stencil_team = 256;
  static constexpr int stencil_rows = 4;
  static constexpr int stencil_teams = device ? 4 : 0;

  /// Teams of a selection at a time on one multiprocessor, and the share of the threads that it uses.
  static constexpr int select_teams = device ? 3 : 0;
  static constexpr double select_occupancy = device ? 0.375 : 1.0;

  /// What a host loop handles at a time, in bytes of the widest operand: gathered operands of a map stay in the first
  /// cache, and the lanes of a reduction's fold add up no more than 16 values each.
  static constexpr int map_block_bytes = 8192;
  static constexpr int reduce_block_bytes = 2048;

  /// What a host thread of a stencil reads of the planes that it needs at a time, so that they stay in its second
  /// cache.
  static constexpr int stencil_block_bytes = 512 << 10;

  /// What a host thread of a scan reads twice, the second time from its cache.
  static constexpr int scan_chunk_bytes = 256 << 10;

  /// Results whose states a host thread has in hand when it walks through rows that belong to many.
  static constexpr int reduce_results = 4096;

  /// A block of a matrix product (its columns on a host in bytes), the blocks of a team's tile, the terms of each sum
  /// that the team loads at a time, so that the first cache of a host holds them, and those that are added at a time.
  static constexpr int product_block_rows = device ? 4 : 1;
  static constexpr int product_block_bytes = 512;
  static constexpr int product_blocks_down = device ? 16 : 96;
  static constexpr int product_blocks_across = device ? 16 : 1;
  static constexpr int product_depth = device ? 16 : 32;
  static constexpr int product_terms = device ? 1 : 4;

  /// Multiplications of a matrix product, or of each of a batch, from which a BLAS is the faster.
  static constexpr std::int64_t blas_work = device ? 1 << 19 : 0;
  static constexpr std::int64_t blas_batched_work = device ? 1 << 11 : 1 << 9;

  /// Threads of a team that adds up elements of a product, several for each.
  static constexpr int product_lanes = 128;

  /// Threads of a team that works on one item of a batch: a whole warp or wavefront, and the most.
  static constexpr int vmap_least_team = device ? 32 : 1;
  static constexpr int vmap_team = device ? 256 : 1;

  /// Threads of a team that works on small matrices, each on several lanes; the threads for which a multiprocessor must
  /// have registers (without this bound the singular values of 16 x 16 took 14 % longer on an H200, with fewer teams at
  /// once); the bytes of matrices that a team holds. Matrices larger than the bytes of fast scratch memory spill.
  static constexpr int small_team = device ? 128 : 1;
  static constexpr int small_resident_threads = 768;
  static constexpr int small_team_bytes = device ? 24 << 10 : 0;
  static constexpr int small_fast_bytes = device ? 40 << 10 : 0;

  /// Rows of a batch from which the vendor's eigenvalues are faster than Jacobi's sweeps.
  static constexpr int vendor_eigh_rows = 24;

  /// Outputs larger than this are written past the caches of the host, since nothing of them would remain there. Few
  /// cores cannot saturate the memory that way: measured, two lost a quarter by it and sixteen gained as much.
  static constexpr std::int64_t streaming_bytes = 32 << 20;
  static constexpr int streaming_threads = 8;
};

}  // namespace quern::impl

#endif
