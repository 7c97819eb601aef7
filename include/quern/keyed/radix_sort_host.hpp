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

/// Sorts n items by unsigned keys; the result is in `items.data` at the end. Stable. For hosts, whose kernels are done
/// when they have been launched.
///
/// A radix sort from the last digit to the first: threads count the digits of their chunks, and then move their items
/// to where those of all chunks belong. (Knuth, The Art of Computer Programming 3, 5.2.5.)
template <class Exec, class Item, class KeyOf>
void host_radix_sort(const std::string& label, const Exec& exec, std::int64_t n, sort_buffer<Item>& items,
                     const KeyOf& key_of) {
  using key = std::remove_cvref_t<std::invoke_result_t<const KeyOf&, const Item&>>;
  constexpr int digits = sizeof(key), values = 256;
  if (n < keyed_tuning<Exec>::compared) {
    launch_units(exec, label, 1, [&](std::int64_t) {
      sort_stable(items.data, items.other, n, [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
    });
    return;
  }
  const std::int64_t chunks = std::clamp<std::int64_t>(n / keyed_tuning<Exec>::radix_least, 1, exec.concurrency());
  const std::int64_t table = values * chunks;
  const scratch_array<Exec, std::int64_t> memory(exec, (digits + 1) * table);
  std::int64_t* counts = memory.data();            // [digit][value][chunk] of all items at the beginning
  std::int64_t* begins = counts + digits * table;  // [value][chunk]
  const auto for_chunk = [=](const Item* from, std::int64_t chunk, const auto& f) {
    const std::int64_t last = (chunk + 1) * n / chunks;
    for (std::int64_t i = chunk * n / chunks; i < last; ++i) f(from[i]);
  };
  // All digits, of chunks as they are at the beginning.
  launch_units(exec, label_text(label, "/count"), chunks, [=, from = items.data](std::int64_t chunk) {
    std::int64_t mine[digits][values] = {};
    for_chunk(from, chunk, [&](const Item& item) {
      const key k = key_of(item);
      for (int d = 0; d < digits; ++d) ++mine[d][k >> 8 * d & 255];
    });
    for (int d = 0; d < digits; ++d)
      for (int v = 0; v < values; ++v) counts[d * table + v * chunks + chunk] = mine[d][v];
  });
  const auto all_have_one_value = [=](const std::int64_t* count) {
    for (int v = 0; v < values; ++v) {
      const std::int64_t all = std::accumulate(count + v * chunks, count + (v + 1) * chunks, std::int64_t{0});
      if (all > 0) return all == n;
    }
    return true;
  };
  bool moved = false;
  for (int digit = 0; digit < digits; ++digit) {
    if (all_have_one_value(counts + digit * table)) continue;
    const auto value_of = [=](const Item& item) { return key_of(item) >> 8 * digit & 255; };
    // The first counts are of all items, but by chunks they hold only until items have moved.
    if (moved && chunks > 1)
      launch_units(exec, label_text(label, "/count"), chunks, [=, from = items.data](std::int64_t chunk) {
        std::int64_t mine[values] = {};
        for_chunk(from, chunk, [&](const Item& item) { ++mine[value_of(item)]; });
        for (int v = 0; v < values; ++v) begins[v * chunks + chunk] = mine[v];
      });
    else std::copy_n(counts + digit * table, table, begins);
    std::exclusive_scan(begins, begins + table, begins, std::int64_t{0});
    launch_units(exec, label_text(label, "/move"), chunks,
                 [=, from = items.data, to = items.other](std::int64_t chunk) {
                   Item* next[values];
                   for (int v = 0; v < values; ++v) next[v] = to + begins[v * chunks + chunk];
                   for_chunk(from, chunk, [&](const Item& item) { *next[value_of(item)]++ = item; });
                 });
    std::swap(items.data, items.other);
    moved = true;
  }
}

}  // namespace quern::impl

#endif
