// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_TUNING_HPP
#define QUERN_KEYED_TUNING_HPP

#include <cstddef>
#include <cstdint>
#include <quern/core/launch/tuning.hpp>

namespace quern::impl {

/// Constants of histograms, sorts and groups.
template <execution_space Exec>
struct keyed_tuning : tuning<Exec> {
  /// Threads of a team that adds up by bins, the values that are worth a thread, and the bytes of bins of its own.
  /// (bench_keyed: histogram)
  static constexpr int binning_team = is_device<Exec> ? 256 : 1;
  static constexpr std::int64_t binning_least = is_device<Exec> ? 16 : 1024;
  static constexpr std::int64_t binning_bytes = is_device<Exec> ? 40 << 10 : 64 << 20;
  static constexpr int binning_packs = 4;   // of a device's thread in flight
  static constexpr int binning_copies = 4;  // of a team's sums of 64 bits at most, a power of two
  /// The values from which a device looks at a sample of them for frequent bins, and slots of a team's sample where all
  /// bins fit into its memory. (bench_keyed: bincount)
  static constexpr std::int64_t sampled_least = 1 << 20;
  static constexpr int top_slots = 256;
  /// Of so many values, the rows that it takes before all others where rows of a group lower or raise one number.
  static constexpr std::int64_t shared_samples = 4096;
  /// Where they do not: the sample and the threads of its teams, how often a bin occurs in it that is frequent, and of
  /// how many sets of two such bins a team has sums (fewer where a team has no room for them). Threads of a team
  /// that adds up, its teams on one multiprocessor, their share of its threads, and packs of a thread in flight.
  /// (bench_keyed: bincount)
  static constexpr int frequent_samples = 1 << 16, sample_team = is_device<Exec> ? 256 : 1;
  static constexpr std::uint32_t frequent_count = 2;
  static constexpr int log_frequent_sets = 12;
  static constexpr int frequent_team = is_device<Exec> ? 512 : 1, frequent_teams = 2;
  static constexpr double frequent_occupancy = 0.5;
  static constexpr int frequent_packs = 2;

  /// The length from which each of several lines is sorted by a radix sort of its own; below, all are merge sorted
  /// together. (bench_keyed: sort, top_k)
  static constexpr std::int64_t radix_line = is_device<Exec> ? 1 << 18 : 1 << 14;

  /// The lengths of lines that a device sorts in the registers of a warp, of which each lane has 32 elements at most,
  /// and the results that a warp selects of a line so short. (bench_keyed: sort_rows, top_k_rows)
  static constexpr std::int64_t lane_sort_least = 17;
  static constexpr std::int64_t lane_line = 1024;
  static constexpr std::int64_t lane_results = 32;

  /// `top_k` selects from lines of this length on, where at most one of so many elements is wanted; otherwise it sorts.
  /// A host selects with one thread up to so many results. (bench_keyed: sort, top_k)
  static constexpr std::int64_t select_line = 1 << 16;
  static constexpr std::int64_t select_ratio = 8;
  static constexpr std::int64_t select_alone = 4096;

  /// Elements that are worth a thread of a host in a selection and in a radix sort, and those that it sorts faster by
  /// comparing them. (bench_keyed: sort, top_k)
  static constexpr std::int64_t select_least = 1 << 14;
  static constexpr std::int64_t radix_least = 1 << 14;
  static constexpr std::int64_t compared = 2048;

  /// Elements that are worth a thread of a host in a quicksort. (bench_keyed: sort)
  static constexpr std::int64_t quicksort_least = 1 << 15;
  /// Positions of one line, and items of keys and values, that it is worth sorting by a quicksort and not by a radix
  /// sort. (bench_keyed: argsort)
  static constexpr std::int64_t quicksort_positions = 4096;
  static constexpr std::int64_t quicksort_items = 1 << 19;

  /// The range of integers that a host counts to find the distinct ones, and the elements for each of its numbers.
  /// (bench_keyed: unique, compact)
  static constexpr std::int64_t counted_range = 1 << 16;
  static constexpr std::int64_t counted_ratio = 4;
  /// The same where a byte for each number says whether it occurs, and the elements that one call looks at.
  static constexpr std::int64_t marked_range = 1 << 24;
  static constexpr std::int64_t marked_ratio = 2;
  static constexpr std::int64_t marked_tile = 1 << 14;

  /// Elements that are worth a thread of a compaction on a host. (bench_keyed: unique, compact)
  static constexpr std::int64_t compaction_least = 4096;
  /// Whether a device looks at the elements and puts them, of so many bytes each, in one kernel, whose teams wait for
  /// earlier ones: of half of 1e8 doubles that took 13 % longer than two kernels, the second of which reads again what
  /// it puts; of floats 6 % less. Of a selection that is numbered, 0 bytes, the second would read nothing but bits.
  /// (bench_keyed: compact)
  static constexpr bool compaction_in_one_pass(std::size_t bytes) { return tuning<Exec>::one_pass && bytes <= 4; }

  /// The sizes of a hash table of keys: the least, the largest that is made without a sample of the rows, the largest
  /// where rows can be sorted instead, and by what it grows when it is full. (bench_keyed: group_by)
  static constexpr std::int64_t hash_least = 1 << 10;
  static constexpr std::int64_t hash_first = 1 << 16;
  static constexpr std::int64_t max_hash_size = std::int64_t{1} << (is_device<Exec> ? 22 : 31);
  static constexpr std::int64_t hash_growth = 16;

  /// The rows of such a sample, those of a second one where some keys are more frequent than others, and of how many
  /// one is taken at most. (bench_keyed: group_by)
  static constexpr std::int64_t hash_sample = is_device<Exec> ? 1 << 17 : 1 << 14;
  static constexpr std::int64_t large_hash_sample = 8 * hash_sample;
  static constexpr std::int64_t sample_ratio = 16;
};

}  // namespace quern::impl

#endif
