// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_KEYED_SORTED_WORDS_HPP
#define QUERN_SRC_KEYED_SORTED_WORDS_HPP

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/vector_sort.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/tuning.hpp>
#include <string>
#include <type_traits>

namespace quern::impl {

/// The integers as which numbers are sorted: floating-point numbers by their bits, since that keeps zeros of both signs
/// and tiny numbers apart, whatever the processor has been told about them.
///
/// As signed integers the bits of negative numbers come in reversed order before those of others. They are turned round
/// when all are sorted, which takes less time than to make keys of all numbers and numbers of all keys.
template <class Number>
struct sorted_words {
  static constexpr bool floating = std::is_floating_point_v<Number>;
  using word =
      std::conditional_t<!floating, Number, std::conditional_t<sizeof(Number) == 4, std::int32_t, std::int64_t>>;
  using key = std::make_unsigned_t<word>;
  static constexpr word largest = std::numeric_limits<word>::max();
  static constexpr word nan = largest;  // as `by_order` writes it
  static constexpr word infinity = sizeof(word) == 4 ? 0x7f800000 : static_cast<word>(0x7ff0000000000000);

  bool descending;

  /// NaN as what is sorted last.
  word cleaned(word w) const {
    if constexpr (floating) return (w & largest) > infinity ? (descending ? word{-1} : nan) : w;
    else return w;
  }
  /// The key by which words are in order; without branches, as signs may be random.
  key key_of(word w) const {
    constexpr key sign = static_cast<key>(std::numeric_limits<word>::min());
    key flipped = std::is_signed_v<word> ? sign : key{0};
    if constexpr (floating) flipped |= static_cast<key>(w >> (8 * sizeof(word) - 1));
    return static_cast<key>(static_cast<key>(w) ^ flipped ^ (descending ? ~key{0} : key{0}));
  }

  /// `to` may be `from`, and the steps are one then.
  void copy(const word* from, std::int64_t from_step, word* to, std::int64_t to_step, std::int64_t n) const {
    if (from == to) return clean(to, n);
    if (from_step == 1 && to_step == 1)
      for (std::int64_t i = 0; i < n; ++i) to[i] = cleaned(from[i]);
    else
      for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = cleaned(from[i * from_step]);
  }
  /// Most numbers are not NaN: blocks without one are read alone.
  void clean(word* words, std::int64_t n) const {
    if constexpr (floating) {
      constexpr std::int64_t block = 512;
      for (std::int64_t first = 0; first < n; first += block) {
        const std::int64_t last = std::min(first + block, n);
        word greatest = 0;
        for (std::int64_t i = first; i < last; ++i) greatest = std::max<word>(greatest, words[i] & largest);
        if (greatest > infinity)
          for (std::int64_t i = first; i < last; ++i) words[i] = cleaned(words[i]);
      }
    }
  }
  /// Sorts words that have been cleaned.
  void sort(word* words, std::int64_t n) const {
    if (n > 1) vector_sort(words, n, descending);
    if constexpr (floating) {
      word* const end = words + n;
      word* const turn = std::partition_point(words, end, [down = descending](word w) { return (w < 0) != down; });
      if (!descending) return std::reverse(words, turn);
      std::reverse(turn, end);
      for (word* w = end; w > turn && w[-1] == -1; --w) w[-1] = nan;
    }
  }
};

/// How many threads sort a line of n.
template <class Exec>
std::int64_t threads_for(const Exec& exec, std::int64_t n) {
  return std::clamp<std::int64_t>(n / keyed_tuning<Exec>::quicksort_least, 1, exec.concurrency());
}

/// Sorts one line by several threads: a sample says where to cut, each thread moves its numbers to the buckets between
/// the cuts, and then each bucket is sorted by a thread. (Frazer, McKellar: Samplesort, J. ACM 17, 1970.)
template <class Number>
struct bucket_sort {
  using order_type = sorted_words<Number>;
  using word = typename order_type::word;
  using key = typename order_type::key;
  static constexpr std::int64_t sampled = 1024;  // for each bucket

  order_type order;
  std::int64_t n, buckets, tops;  // tops: a power of two, at least as many as there are buckets
  const word* in;
  std::int64_t in_step;
  word* out;
  std::int64_t out_step;
  word* room;             // for all, which may be out
  key* sample;            // of which the first are the cuts
  std::int64_t* offsets;  // [bucket][chunk], and where each bucket ends

  std::int64_t begin(std::int64_t chunk) const { return chunk * n / buckets; }
  std::int64_t bucket_of(key k) const {
    std::int64_t b = 0;
    for (std::int64_t half = tops / 2; half > 0; half /= 2) b += sample[b + half - 1] <= k ? half : 0;
    return std::min(b, buckets - 1);
  }
  void find_cuts() const {
    const std::int64_t size = sampled * buckets, apart = n / size;
    for (std::int64_t i = 0; i < size; ++i) {
      // Not evenly, since data may have a period.
      const std::int64_t beside = static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15 >> 33);
      sample[i] = order.key_of(order.cleaned(in[(i * apart + beside % apart) * in_step]));
    }
    vector_sort(sample, size, false);
    for (std::int64_t b = 1; b < tops; ++b)
      sample[b - 1] = b < buckets ? sample[b * sampled] : std::numeric_limits<key>::max();
  }
  template <class F>
  void for_chunk(std::int64_t chunk, const F& f) const {
    for (std::int64_t i = begin(chunk); i < begin(chunk + 1); ++i) f(order.cleaned(in[i * in_step]));
  }
  void count(std::int64_t chunk) const {
    if (buckets == 2) {  // without a table, for vector instructions
      const key cut = sample[0];
      std::int64_t above = 0;
      for_chunk(chunk, [&](word w) { above += order.key_of(w) >= cut; });
      offsets[chunk] = begin(chunk + 1) - begin(chunk) - above;
      offsets[buckets + chunk] = above;
      return;
    }
    for (std::int64_t b = 0; b < buckets; ++b) offsets[b * buckets + chunk] = 0;
    for_chunk(chunk, [&](word w) { ++offsets[bucket_of(order.key_of(w)) * buckets + chunk]; });
  }
  void move(std::int64_t chunk) const {
    if (buckets == 2) {  // in registers and without a branch, which would be mispredicted half of the times
      const key cut = sample[0];
      std::int64_t low = offsets[chunk], high = offsets[buckets + chunk];
      for_chunk(chunk, [&](word w) {
        const std::int64_t above = order.key_of(w) >= cut;
        room[low ^ ((low ^ high) & -above)] = w;
        high += above;
        low += 1 - above;
      });
      return;
    }
    for_chunk(chunk, [&](word w) { room[offsets[bucket_of(order.key_of(w)) * buckets + chunk]++] = w; });
  }
  void finish(std::int64_t bucket) const {
    const std::int64_t first = bucket == 0 ? 0 : ends()[bucket - 1], last = ends()[bucket];
    order.sort(room + first, last - first);
    if (room != out)
      for (std::int64_t i = first; i < last; ++i) out[i * out_step] = room[i];
  }
  std::int64_t* ends() const { return offsets + buckets * buckets; }
};

/// Sorts a line with the elements at these steps, which may be in place.
template <class Exec, class Number>
void sort_line(const std::string& label, const Exec& exec, const sorted_words<Number>& order, std::int64_t n,
               const typename sorted_words<Number>::word* in, std::int64_t in_step,
               typename sorted_words<Number>::word* out, std::int64_t out_step) {
  using word = typename sorted_words<Number>::word;
  using buckets_type = bucket_sort<Number>;
  const std::int64_t threads = threads_for(exec, n);
  const bool in_out = out_step == 1 && (in != out || threads == 1);
  const scratch_array<Exec, word> memory(exec, in_out ? 0 : n);
  word* const room = in_out ? out : memory.data();
  if (threads == 1)
    return launch_units(exec, label, 1, [=](std::int64_t) {
      order.copy(in, in_step, room, 1, n);
      order.sort(room, n);
      if (room != out)
        for (std::int64_t i = 0; i < n; ++i) out[i * out_step] = room[i];
    });
  const auto tops = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(threads)));
  buckets_type line{order, n, threads, tops, in, in_step, out, out_step, room, nullptr, nullptr};
  const scratch_arrays<Exec> of_line(exec, scratch_part{line.sample, buckets_type::sampled * threads},
                                     scratch_part{line.offsets, threads * threads + threads});
  line.find_cuts();
  launch_units(exec, label_text(label, "/count"), threads, [&line](std::int64_t chunk) { line.count(chunk); });
  std::exclusive_scan(line.offsets, line.ends(), line.offsets, std::int64_t{0});
  for (std::int64_t b = 0; b < threads; ++b) line.ends()[b] = b + 1 < threads ? line.offsets[(b + 1) * threads] : n;
  launch_units(exec, label_text(label, "/move"), threads, [&line](std::int64_t chunk) { line.move(chunk); });
  launch_units(exec, label, threads, [&line](std::int64_t bucket) { line.finish(bucket); });
}

}  // namespace quern::impl

#endif
