// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HASH_KEYS_HPP
#define QUERN_KEYED_HASH_KEYS_HPP

#include <bit>
#include <quern/core/operations.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// A set of 64-bit keys with open addressing: linear probing from the place that a hash gives. The key that marks free
/// places has one of its own behind them.
struct hash_table {
  static constexpr std::uint64_t free = ~std::uint64_t{0};
  static constexpr int most_probes = 64;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint64_t* place;
  std::uint32_t size;  // a power of two

  /// Stafford's thirteenth mixer (as in SplitMix64).
  KOKKOS_FUNCTION static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// Where a key is, now at the latest; `nowhere` after too many probes.
  KOKKOS_FUNCTION std::uint32_t insert(std::uint64_t key) const {
    if (key == free) {
      Kokkos::atomic_store(place + size, std::uint64_t{0});
      return size;
    }
    auto at = static_cast<std::uint32_t>(mixed(key)) & (size - 1);
    for (int probe = 0; probe < most_probes; ++probe, at = (at + 1) & (size - 1)) {
      std::uint64_t there = peek(place + at);
      if (there == free) there = Kokkos::atomic_compare_exchange(place + at, free, key);
      if (there == free || there == key) return at;
    }
    return nowhere;
  }
};

/// Finds the place of each key, until some key has none.
template <class T>
struct insert_keys {
  hash_table table;
  by_order<T> order;
  int* full;
  KOKKOS_FUNCTION std::int32_t operator()(const T& key) const {
    if (peek(full) != 0) return 0;
    const std::uint32_t at = table.insert(order.encode(key));
    if (at == hash_table::nowhere) Kokkos::atomic_store(full, 1);
    return static_cast<std::int32_t>(at);
  }
};

struct place_is_taken {
  hash_table table;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return table.place[i] != hash_table::free; }
};
/// The keys that are there; the one behind all is the largest.
struct put_key {
  hash_table table;
  std::uint64_t* keys;
  std::uint32_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    keys[k] = i == table.size ? hash_table::free : table.place[i];
    places[k] = static_cast<std::uint32_t>(i);
  }
};
struct put_rank {
  const std::uint32_t* places;
  std::int32_t* rank_at;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { rank_at[places[k]] = static_cast<std::int32_t>(k); }
};
struct rank_of_place {
  const std::int32_t* rank_at;
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t at) const { return rank_at[static_cast<std::uint32_t>(at)]; }
};

/// Puts all keys into a table and their places into `places`; false if they have not all found one. Waits.
template <class Exec, class Places, class Keys>
bool insert_all(const std::string& label, const Exec& exec, const hash_table& table, const Places& places,
                const Keys& keys) {
  using T = value_of<Keys>;
  fill_scratch(label + "/table", exec, table.place, std::int64_t{table.size} + 1, std::uint64_t{hash_table::free});
  const scratch_array<Exec, int> full(exec, 1);
  const scratch_view<Exec, int> flag(full.data());
  fill_scratch(label + "/table", exec, full.data(), 1, 0);
  map_checked(label + "/insert", exec, places, insert_keys<T>{table, {}, full.data()}, keys);
  lease<Exec> held(exec);
  const pinned_view<Exec, int> found(held.template result<int>());
  map_checked(label + "/full", exec, found, op::identity(), flag);
  exec.fence(label + ": wait for the hash table");
  return found() == 0;
}

/// Sorts the keys of a table and turns places into ranks among them. Returns how many they are. Waits.
template <class Exec, class Labels>
std::int64_t rank_places(const std::string& label, const Exec& exec, const hash_table& table, const Labels& labels) {
  const std::int64_t size = std::int64_t{table.size} + 1, most = std::min<std::int64_t>(labels.extent(0), size);
  const scratch_array<Exec, std::uint64_t> keys(exec, most);
  const scratch_array<Exec, std::uint32_t> places(exec, most);
  const scratch_array<Exec, std::int32_t> rank_at(exec, size);
  lease<Exec> held(exec);
  auto* found = held.template result<std::int64_t>();
  for_kept(label + "/keys", exec, size, place_is_taken{table}, put_key{table, keys.data(), places.data()}, found);
  exec.fence(label + ": wait for the number of groups");
  const sort_lines lines = sort_lines::flat(shape{*found});
  const auto to_places = [&](const auto&, const auto& sorted, const auto& place_of) {
    map_lines(label + "/places", exec, lines.contiguous(places.data()), place_of, line_input(sorted));
  };
  sort_pairs<std::uint32_t>(label + "/sort", exec, lines, lines.contiguous<const std::uint64_t>(keys.data()),
                            by_order<std::uint64_t>(), line_input(lines.contiguous(places.data())), to_places);
  Kokkos::parallel_for(label + "/ranks", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, *found),
                       put_rank{places.data(), rank_at.data()});
  map_checked(label + "/labels", exec, labels, rank_of_place{rank_at.data()}, labels);
  return *found;
}

/// The rank of each key among the distinct ones; returns how many these are. Waits.
///
/// Keys are put into a hash table, which grows until they all have a place, and only the distinct ones are sorted.
template <class Exec, class Labels, class Keys>
std::int64_t label_keys(const std::string& label, const Exec& exec, const Labels& labels, const Keys& keys) {
  using tune = keyed_tuning<Exec>;
  constexpr std::int64_t most = tune::hash_most;
  const auto wanted = static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(labels.extent(0))));
  for (std::int64_t size = std::clamp(wanted, tune::hash_least, tune::hash_first); size <= most;
       size = size < most ? std::min(most, tune::hash_growth * size) : 2 * most) {
    const scratch_array<Exec, std::uint64_t> memory(exec, size + 1);
    const hash_table table{memory.data(), static_cast<std::uint32_t>(size)};
    if (insert_all(label, exec, table, labels, keys)) return rank_places(label, exec, table, labels);
  }
  throw CapacityError(label, "there are too many different keys", labels.extent(0), most);
}

}  // namespace quern::impl

#endif
