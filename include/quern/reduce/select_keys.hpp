// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_KEYS_HPP
#define QUERN_REDUCE_SELECT_KEYS_HPP

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/ordered.hpp>
#include <quern/reduce/launch.hpp>

namespace quern::impl {

/// Counts and bounds of keys, which threads find together.
template <class Key>
struct key_tally {
  Key low = ~Key{0}, high = 0;  // the smallest and the largest
  std::int64_t below = 0, nans = 0;

  KOKKOS_FUNCTION void join(const key_tally& other) {
    low = Kokkos::min(low, other.low);
    high = Kokkos::max(high, other.high);
    below += other.below;
    nans += other.nans;
  }
  /// Keys of numbers of a type, and NaN.
  template <class Order, class Block>
  KOKKOS_FUNCTION void add(const Block& block) {
    for (const Key k : block) {
      low = Kokkos::min(low, k);
      high = Kokkos::max(high, Order::is_nan_key(k) ? 0 : k);
      nans += Order::is_nan_key(k) ? 1 : 0;
    }
  }
  /// The largest key up to `at`, and the smallest of the others.
  template <class Block>
  KOKKOS_FUNCTION void split(const Block& block, Key at) {
    for (const Key k : block) {
      high = Kokkos::max(high, k <= at ? k : 0);
      low = Kokkos::min(low, k <= at ? static_cast<Key>(~Key{0}) : k);
    }
  }
};

/// Where two ranks of the keys from `low` on are, equal or adjacent: both between low and high, or, after a split, on
/// both sides of the end of this interval.
template <class Key>
struct key_interval {
  Key low = 0, high = 0;
  std::int64_t first = 0, second = 0;
  bool split = false;
  int few = 0;  // how many keys are in it, if those are to be compared with each other, or 0
};

/// A thread's share of the elements of a line: first, first + step, ... below end.
struct line_share {
  std::int64_t first, step, end;
};

/// Calls f with arrays of a share's keys: many, all loaded before the first is used, or one. `load(i)` gives key i.
template <class Exec, class Key, class Load, class F>
KOKKOS_FUNCTION void for_blocks(const line_share& share, const Load& load, const F& f) {
  constexpr int size = is_device<Exec> ? 8 : 32;
  std::int64_t i = share.first;
  for (; i + (size - 1) * share.step < share.end; i += size * share.step) {
    Key k[size];
    for (int u = 0; u < size; ++u) k[u] = load(i + u * share.step);
    f(k);
  }
  for (; i < share.end; i += share.step) {
    const Key k[1] = {load(i)};
    f(k);
  }
}

/// Keys that lie in memory, as words that are as wide or wider.
template <class Exec, class Key, class Word = Key>
struct key_list {
  const Word* keys;
  template <class F>
  KOKKOS_FUNCTION void for_each(const line_share& share, const F& f) const {
    for_blocks<Exec, Key>(share, [&](std::int64_t i) { return static_cast<Key>(keys[i]); }, f);
  }
};

/// The keys of a line of an array.
template <class Exec, class T>
struct key_line {
  using order = ordered<T>;
  using key = typename order::key;
  const row_nest<1>& nest;
  const T* from;

  KOKKOS_FUNCTION key at(std::int64_t i) const {
    std::int64_t in_row;
    return order::key_of(from[nest.at_item(i, nest.inner, 1, in_row).of[0]]);
  }
  /// The first n values, without branches between the loads; others repeat the first.
  template <int... J>
  KOKKOS_FUNCTION void load(T* v, std::int64_t n, std::integer_sequence<int, J...>) const {
    std::int64_t i;
    if (nest.outer == 1) ((v[J] = from[(J < n ? J : 0) * nest.stride[0][0]]), ...);
    else ((v[J] = from[nest.at_item(J < n ? J : 0, nest.inner, 1, i).of[0]]), ...);
  }
  template <class F>
  KOKKOS_FUNCTION void for_each(const line_share& share, const F& f) const {
    if (nest.outer == 1) {
      for_row(from, share, f);
    } else if constexpr (is_device<Exec>) {
      for_blocks<Exec, key>(share, [&](std::int64_t i) { return at(i); }, f);
    } else {  // whose shares are contiguous
      for (std::int64_t i = share.first, count; i < share.end; i += count) {
        const std::int64_t in_row = i % nest.inner;
        count = Kokkos::min(share.end - i, nest.inner - in_row);
        for_row(from + nest.at(i / nest.inner, in_row).of[0], {0, 1, count}, f);
      }
    }
  }
  template <class F>
  KOKKOS_FUNCTION void for_row(const T* row, const line_share& share, const F& f) const {
    const std::int64_t stride = nest.stride[0][0];
    if (!is_device<Exec> && stride == 1) {  // which vector instructions load
      for_blocks<Exec, key>(
          {0, 1, share.end - share.first},
          [first = row + share.first](std::int64_t i) { return order::key_of(first[i]); }, f);
    } else {
      for_blocks<Exec, key>(share, [&](std::int64_t i) { return order::key_of(row[i * stride]); }, f);
    }
  }
};

}  // namespace quern::impl

#endif
