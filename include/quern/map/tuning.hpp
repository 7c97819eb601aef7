// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_TUNING_HPP
#define QUERN_MAP_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of elementwise kernels, which bench_map decides.
template <execution_space Exec>
struct map_tuning : tuning<Exec> {
  /// Packs that one thread of a device handles: enough loads in flight even where an operation has one input.
  static constexpr int packs = 4;

  /// Elements that one thread handles where there are no packs, a whole grid apart so that accesses stay coalesced: of
  /// two packs, up to so many. (bench_views)
  static constexpr int unroll = 8;

  /// Distance of a thread's packs: about the threads that run together.
  static constexpr std::int64_t span = 256;

  /// Elements of which `repeat` makes one, at most, for whose sake that distance is another: a multiple of theirs.
  static constexpr std::int64_t largest_period = 16;

  /// Rows and columns of the tiles in which a team reads operands that lie transposed, as its memory allows, and its
  /// threads: long rows are what memory is fast at.
  static constexpr int largest_tile = 64;
  static constexpr int least_tile = 32;
  static constexpr int bytes_of_largest_tile = 8;  // which fit of an element of each operand
  static constexpr int tile_team = 256;

  /// Bytes that a thread loads at once for a tile: of four floats each, four teams of a multiprocessor would have less
  /// under way than hides the latency of its memory. (bench_views, copy_permute)
  static constexpr int tile_bytes_of_thread = 64;

  /// Bytes of the widest operand that a host loop handles at a time: gathered operands stay in the first cache.
  static constexpr int block_bytes = 8192;

  /// Blocks at most whose elements may take less time than waking a second thread. (bench_map, vector_add)
  static constexpr std::int64_t quick_blocks = 8;

  /// The elements from which a host loop over a row is worth what it does before its first one. (bench_short_rows)
  static constexpr std::int64_t short_row = 32;
};

}  // namespace quern::impl

#endif
