// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_RADIX_SORT_HOST_HPP
#define QUERN_KEYED_RADIX_SORT_HOST_HPP

#include <algorithm>
#include <numeric>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/sort_buffer.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

struct count_digits_tag {};
struct place_digits_tag {};
struct move_digits_tag {};

/// A stable radix sort for hosts, from the last digit to the first: threads count the digits of their chunks, and then
/// move their items to where those of all chunks belong. (Knuth, The Art of Computer Programming 3, 5.2.5.)
template <class Exec, class Item, class KeyOf>
struct host_radix_kernel {
  using key = std::remove_cvref_t<std::invoke_result_t<const KeyOf&, const Item&>>;
  static constexpr int digits = sizeof(key), values = 256;

  KeyOf key_of;
  const Item* from;
  Item* to;
  std::int64_t n, chunks;
  std::int64_t* counts;  // [digit][value][chunk] of all items at the beginning
  std::int64_t* places;  // [value][chunk]
  int digit = 0;

  std::int64_t first_of(std::int64_t chunk) const { return chunk * n / chunks; }
  std::int64_t* count_of(int d, int value) const { return counts + (d * values + value) * chunks; }

  /// All digits, of chunks as they are at the beginning.
  void operator()(count_digits_tag, std::int64_t chunk) const {
    std::int64_t mine[digits][values] = {};
    for (std::int64_t i = first_of(chunk); i < first_of(chunk + 1); ++i) {
      const key k = key_of(from[i]);
      for (int d = 0; d < digits; ++d) ++mine[d][k >> 8 * d & 255];
    }
    for (int d = 0; d < digits; ++d)
      for (int v = 0; v < values; ++v) count_of(d, v)[chunk] = mine[d][v];
  }
  /// One digit, of chunks as they are now.
  void operator()(place_digits_tag, std::int64_t chunk) const {
    std::int64_t mine[values] = {};
    for (std::int64_t i = first_of(chunk); i < first_of(chunk + 1); ++i) ++mine[key_of(from[i]) >> 8 * digit & 255];
    for (int v = 0; v < values; ++v) places[v * chunks + chunk] = mine[v];
  }
  void operator()(move_digits_tag, std::int64_t chunk) const {
    Item* next[values];
    for (int v = 0; v < values; ++v) next[v] = to + places[v * chunks + chunk];
    for (std::int64_t i = first_of(chunk); i < first_of(chunk + 1); ++i) {
      const Item item = from[i];
      *next[key_of(item) >> 8 * digit & 255]++ = item;
    }
  }

  bool all_have_one_value() const {
    for (int v = 0; v < values; ++v) {
      const std::int64_t all = std::accumulate(count_of(digit, v), count_of(digit, v) + chunks, std::int64_t{0});
      if (all > 0) return all == n;
    }
    return true;
  }
};

/// Sorts n items by unsigned keys; the result is in `items.data` at the end. Stable. For hosts, whose kernels are done
/// when they have been launched.
template <class Exec, class Item, class KeyOf>
void host_radix_sort(const std::string& label, const Exec& exec, std::int64_t n, sort_buffer<Item>& items,
                     const KeyOf& key_of) {
  using kernel_type = host_radix_kernel<Exec, Item, KeyOf>;
  if (n < keyed_tuning<Exec>::compared) {
    launch_units(exec, label, 1, [&](std::int64_t) {
      std::stable_sort(items.data, items.data + n, [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
    });
    return;
  }
  const std::int64_t chunks = std::clamp<std::int64_t>(n / keyed_tuning<Exec>::radix_least, 1, exec.concurrency());
  constexpr std::int64_t table = kernel_type::values;
  const scratch_array<Exec, std::int64_t> memory(exec, (kernel_type::digits + 1) * table * chunks);
  kernel_type k{
      key_of, items.data, items.other, n, chunks, memory.data(), memory.data() + kernel_type::digits * table * chunks};
  const auto run = [&]<class Tag>(Tag, const char* what) { launch_units<Tag>(exec, label + what, chunks, k); };
  run(count_digits_tag(), "/count");
  bool moved = false;
  for (; k.digit < k.digits; ++k.digit) {
    if (k.all_have_one_value()) continue;
    k.from = items.data;
    k.to = items.other;
    // The first counts are of all items, but by chunks they hold only until items have moved.
    if (moved && chunks > 1) run(place_digits_tag(), "/count");
    else std::copy_n(k.count_of(k.digit, 0), table * chunks, k.places);
    std::exclusive_scan(k.places, k.places + table * chunks, k.places, std::int64_t{0});
    run(move_digits_tag(), "/move");
    std::swap(items.data, items.other);
    moved = true;
  }
}

}  // namespace quern::impl

#endif
