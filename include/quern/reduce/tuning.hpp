// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_TUNING_HPP
#define QUERN_REDUCE_TUNING_HPP

#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of reductions and of selections, which bench_reduce decides.
template <execution_space Exec>
struct reduce_tuning : tuning<Exec> {
  /// Independent packs that one thread keeps in flight.
  static constexpr int packs = 8;

  /// Teams at a time on one multiprocessor, and the share of the threads that a device can hold at once which reduce:
  /// few, with many loads each, since more would need a second wave for reducers with a large state.
  static constexpr int teams = is_device<Exec> ? 2 : 0;
  static constexpr double occupancy = is_device<Exec> ? 0.25 : 1.0;

  /// Bytes of the widest operand that a host loop handles at a time: the lanes of its fold add up no more than 16
  /// values each.
  static constexpr int block_bytes = 2048;

  /// Elements of a block where they are large, as Arrays: the tree behind the lanes is long for those, and to be shared
  /// by many elements. (bench_map, rows_sum)
  static constexpr int least_block = 64;
  static constexpr int least_block_bytes = 1 << 14;

  /// Results whose states a host thread has in hand when it walks through rows that belong to many.
  static constexpr int results = 4096;
  static constexpr int state_bytes = 1 << 20;  // at most, of all but the largest states

  /// The bytes of the rows that it has in hand where the elements of a result are the adjacent ones: all columns of
  /// these are read before they leave the first cache. Such rows have less than `short_row` elements. And the results
  /// from which it walks so at all, of `many_values` to each more than of fewer: `few_large` with states larger than a
  /// value, `largest_few` with moments. All by bench_short_rows and bench_variance.
  static constexpr int gathered_bytes = 1 << 14;
  static constexpr int short_row = 64;
  static constexpr int few_results = 8, few_of_many = 12, few_large = 16, largest_few = 32;
  static constexpr std::int64_t many_values = 256;

  /// Arrays of more bytes are read from memory, whose rows are asked for ahead of time where they have no more than so
  /// many; within caches, and where a processor sees the streams of longer rows by itself, that takes longer.
  static constexpr std::int64_t cache_bytes = 1 << 25, prefetched_row = 1 << 11;

  /// Teams of a selection at a time on one multiprocessor, and the share of the threads that they use: more would leave
  /// the selectors too little shared memory.
  static constexpr int select_teams = is_device<Exec> ? 3 : 0;
  static constexpr double select_occupancy = is_device<Exec> ? 0.375 : 1.0;

  /// Keys of a line that each thread of a device's team holds in its registers, and such teams on one multiprocessor.
  static constexpr int select_held = 16, select_held_teams = is_device<Exec> ? 3 : 0;

  /// Lines that the registers of a device's warp hold. (bench_reduce, median_axis1)
  static constexpr int select_lanes = 1024;

  /// Lines of which a thread selects by itself: on a device in its registers, on a host in a copy on its stack.
  static constexpr int select_short = is_device<Exec> ? 32 : 1024;

  /// Lines that a host sorts with vector instructions where it has them, and longer ones that it partitions with those:
  /// sorted keys tell the next one, too. (bench_reduce, median_axis1)
  static constexpr int select_sorted = 16, select_partitioned = 128;

  /// Lines that one team reads; longer ones are shared by many teams, in several kernels. A host thread partitions up
  /// to `select_alone` elements sooner than two read them in passes.
  static constexpr std::int64_t select_by_team = 1 << 16;
  static constexpr std::int64_t select_alone = 1 << 20;

  /// Keys of a sample of a long line, and of what one team selects from in the end.
  static constexpr int select_samples = 4096;
  static constexpr int select_collected = 16384;

  /// Adjacent columns that a host thread copies at a time: more fall out of its cache, fewer waste cache lines. And the
  /// bytes that they may take.
  static constexpr int select_columns = 8;
  static constexpr std::int64_t select_copied = 1 << 23;
};

}  // namespace quern::impl

#endif
