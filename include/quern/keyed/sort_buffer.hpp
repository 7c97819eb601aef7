// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_SORT_BUFFER_HPP
#define QUERN_KEYED_SORT_BUFFER_HPP

#include <algorithm>
#include <cstdint>
#include <utility>

namespace quern::impl {

/// Two halves that a sort moves data between; what is in the first at the beginning is in `data` at the end.
template <class T>
struct sort_buffer {
  T* data;
  T* other;
};

/// Sorts n items on a host, with room for as many more: `std::stable_sort` would allocate it. Runs of a few items by
/// insertion, and then merges of two runs, each pass from one half into the other.
template <class Item, class Less>
void sort_stable(Item* items, Item* room, std::int64_t n, const Less& less) {
  constexpr std::int64_t run = 8;
  for (std::int64_t first = 0; first < n; first += run)
    for (std::int64_t i = first + 1; i < std::min(first + run, n); ++i) {
      const Item moved = items[i];
      std::int64_t at = i;
      for (; at > first && less(moved, items[at - 1]); --at) items[at] = items[at - 1];
      items[at] = moved;
    }
  Item *from = items, *to = room;
  for (std::int64_t width = run; width < n; width *= 2) {
    for (std::int64_t first = 0; first < n; first += 2 * width) {
      const Item* middle = from + std::min(first + width, n);
      std::merge<const Item*, const Item*>(from + first, middle, middle, from + std::min(first + 2 * width, n),
                                           to + first, less);
    }
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, n, items);
}

}  // namespace quern::impl

#endif
