// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_QUICKSORT_HPP
#define QUERN_KEYED_QUICKSORT_HPP

/// @file
/// The vectorized quicksort of hosts: Highway's, for the library of `Quern::core` that was built with it. Each function
/// says whether it has taken the work.

#include <algorithm>
#include <array>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/vector_sort.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/order.hpp>
#include <quern/keyed/sort_buffer.hpp>
#include <quern/keyed/tuning.hpp>
#include <quern/keyed/vendor_sort.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace quern::impl {

/// Whether it serves an execution space.
template <class Exec>
inline constexpr bool quicksorts_on = false;
#define QUERN_QUICKSORTS_ON(Exec) \
  template <>                     \
  inline constexpr bool quicksorts_on<Exec> = true;
QUERN_ON_HOSTS(QUERN_QUICKSORTS_ON)
#undef QUERN_QUICKSORTS_ON

/// Whether it serves numbers of type T, which have 16, 32 or 64 bits.
template <class T>
inline constexpr bool quicksorts_numbers =
    std::is_arithmetic_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

/// Sorts lines of numbers, with the same bits as `by_order` has them. `in` may be `out`.
template <class Exec, class Number>
bool quicksort_numbers(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<Number>& out,
                       const strided<const Number>& in, bool descending);

/// The same for a type of any name.
template <class Exec, class T>
bool quicksort(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<T>& out,
               const strided<const T>& in, bool descending) {
  using number = decltype(sortable_as<T>());
  return quicksort_numbers<Exec, number>(label, exec, lines,
                                         {reinterpret_cast<number*>(out.data), out.extents, out.stride},
                                         {reinterpret_cast<const number*>(in.data), in.extents, in.stride}, descending);
}

/// Keys of which `alias` counts as `key`.
template <class Key>
struct key_alias {
  Key alias, key;
};

/// For `count` lines of n unsigned keys, which lie one after the other with `step` from key to key, the positions in
/// each line that put its keys in ascending order; of equal keys the first position comes first.
template <class Exec, class Key>
bool quicksort_positions(const std::string& label, const Exec& exec, std::int64_t count, std::int64_t n,
                         std::int64_t step, const Key* keys, const key_alias<Key>& equal, std::uint64_t* positions);

/// Whether a sample has keys of which hardly two are equal, and that differ in most of their digits: others a radix
/// sort moves in less time. Sorts the sample.
inline constexpr int sampled_keys = 256;
bool keys_differ(std::array<std::uint64_t, sampled_keys>& sample);

/// Whether positions are sorted by a quicksort: those of many lines, and one by one those of so many long keys.
template <class Key, class KeyAt>
bool quicksorts_positions(const sort_lines& lines, bool one_by_one, std::int64_t least, const KeyAt& key_at) {
  if (!has_vector_sort() || !one_by_one) return has_vector_sort();
  if (sizeof(Key) < sizeof(std::uint64_t) || lines.n < least) return false;
  std::array<std::uint64_t, sampled_keys> sample;
  const std::int64_t apart = lines.n / sampled_keys;
  for (std::int64_t i = 0; i < sampled_keys; ++i)  // not evenly, since data may have a period
    sample[static_cast<std::size_t>(i)] = key_at(i * apart + i * i % apart);
  return keys_differ(sample);
}

/// What a quicksort takes a key for, where two are equal.
template <class Order>
key_alias<typename Order::key> equal_keys(const Order& order) {
  if constexpr (requires { Order::negative_zero; })
    return {Order::negative_zero, order.sorted_as(Order::negative_zero)};
  else return {0, 0};
}
/// Sorts keys, or positions by the keys of items, which are then gathered; false where there is no quicksort for that.
template <class Exec, class Item, class Order>
bool quicksort_items(const std::string& label, const Exec& exec, const sort_lines& lines, bool one_by_one,
                     sort_buffer<Item>& items, const Order& order) {
  using key = typename Order::key;
  if constexpr (std::is_same_v<Item, key>) {
    const strided<key> keys = lines.contiguous(items.data);
    return sizeof(typename Order::value) > 1 &&
           quicksort<Exec, key>(label, exec, lines, keys, {keys.data, keys.extents, keys.stride}, false);
  } else if constexpr (sizeof(Item) % sizeof(key) == 0) {
    const std::int64_t n = lines.n, size = lines.size();
    if (!quicksorts_positions<key>(lines, one_by_one, keyed_tuning<Exec>::quicksort_items,
                                   [&](std::int64_t i) { return items.data[i].key; }))
      return false;
    const scratch_array<Exec, std::uint64_t> positions(exec, size);
    if (!quicksort_positions(label, exec, lines.count, n, sizeof(Item) / sizeof(key), &items.data->key,
                             equal_keys(order), positions.data()))
      return false;
    const std::int64_t chunks = std::clamp<std::int64_t>(size / keyed_tuning<Exec>::radix_least, 1, exec.concurrency());
    launch_units(exec, label_text(label, "/gather"), chunks,
                 [=, from = items.data, to = items.other, at = positions.data()](std::int64_t chunk) {
                   const std::int64_t last = (chunk + 1) * size / chunks;
                   std::int64_t i = chunk * size / chunks, line = i / n;
                   for (; i < last; ++line)
                     for (const std::int64_t end = std::min(last, (line + 1) * n); i < end; ++i)
                       to[i] = from[line * n + static_cast<std::int64_t>(at[i])];
                 });
    std::swap(items.data, items.other);
    return true;
  } else {
    return false;
  }
}

// What is instantiated, in quicksort.cpp and quicksort_positions.cpp or, without Highway, in no_quicksort.cpp.
#define QUERN_QUICKSORT_OF(Exec, Number)                                                                      \
  template bool quicksort_numbers(const std::string&, const Exec&, const sort_lines&, const strided<Number>&, \
                                  const strided<const Number>&, bool);
#define QUERN_QUICKSORT_NUMBERS(Exec)     \
  QUERN_QUICKSORT_OF(Exec, float)         \
  QUERN_QUICKSORT_OF(Exec, double)        \
  QUERN_QUICKSORT_OF(Exec, std::int16_t)  \
  QUERN_QUICKSORT_OF(Exec, std::int32_t)  \
  QUERN_QUICKSORT_OF(Exec, std::int64_t)  \
  QUERN_QUICKSORT_OF(Exec, std::uint16_t) \
  QUERN_QUICKSORT_OF(Exec, std::uint32_t) \
  QUERN_QUICKSORT_OF(Exec, std::uint64_t)
#define QUERN_QUICKSORT_POSITIONS_OF(Exec, Key)                                                                \
  template bool quicksort_positions(const std::string&, const Exec&, std::int64_t, std::int64_t, std::int64_t, \
                                    const Key*, const key_alias<Key>&, std::uint64_t*);
#define QUERN_QUICKSORT_POSITIONS(Exec)             \
  QUERN_QUICKSORT_POSITIONS_OF(Exec, std::uint32_t) \
  QUERN_QUICKSORT_POSITIONS_OF(Exec, std::uint64_t)

}  // namespace quern::impl

#endif
