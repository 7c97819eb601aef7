// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HASH_KEYS_HPP
#define QUERN_KEYED_HASH_KEYS_HPP

#include <bit>
#include <optional>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/groups.hpp>
#include <quern/keyed/row_sample.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/keyed/tuning.hpp>
#include <quern/scan/segments.hpp>

namespace quern::impl {

/// A set of 64-bit keys with open addressing: linear probing from the slot that a hash gives. The key that marks free
/// slots has one of its own behind them.
struct hash_table {
  static constexpr std::uint64_t free = ~std::uint64_t{0};
  static constexpr int max_probes = 64;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint64_t* slots;
  std::uint32_t size;  // a power of two

  /// Stafford's thirteenth mixer (as in SplitMix64).
  KOKKOS_FUNCTION static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  struct inserted {
    std::uint32_t at;
    bool taken;  // the key was there already
  };
  /// Where a key is, now at the latest; `nowhere` after too many probes.
  KOKKOS_FUNCTION inserted insert(std::uint64_t key) const {
    if (key == free)
      return {size, peek(slots + size) != free || Kokkos::atomic_exchange(slots + size, std::uint64_t{0}) != free};
    auto at = static_cast<std::uint32_t>(mixed(key)) & (size - 1);
    for (int probe = 0; probe < max_probes; ++probe, at = (at + 1) & (size - 1)) {
      std::uint64_t there = peek(slots + at);
      if (there == free) there = Kokkos::atomic_compare_exchange(slots + at, free, key);
      if (there == free || there == key) return {at, there == key};
    }
    return {nowhere, false};
  }
};

/// Puts a key into a table and returns its slot, or says that the table is full.
template <class T>
struct insert_key {
  hash_table table;
  int* full;
  KOKKOS_FUNCTION std::int32_t operator()(const T& key) const {
    if (peek(full) != 0) return std::int32_t{0};  // some key has no slot
    const std::uint32_t at = table.insert(by_order<T>().encode(key)).at;
    if (at == hash_table::nowhere) Kokkos::atomic_store(full, 1);
    return static_cast<std::int32_t>(at);
  }
};
/// Puts the key of a row into a table, unless that is full.
template <class T>
struct insert_row {
  hash_table table;
  strided_line<const T> line;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { table.insert(by_order<T>().encode(line[i])); }
};
/// Puts all keys into a table and their slots into `slots`; false if they have not all found one. Waits.
template <class Exec, class T>
bool insert_all(const std::string& label, const Exec& exec, const hash_table& table, const strided<std::int32_t>& slots,
                const strided<const T>& keys) {
  fill_scratch(label_text(label, "/table"), exec, table.slots, std::int64_t{table.size} + 1,
               std::uint64_t{hash_table::free});
  const scratch_array<Exec, int> flag(exec, 1);
  int* full = flag.data();
  fill_scratch(label_text(label, "/table"), exec, full, 1, 0);
  launch_sample(exec, label_text(label, "/insert"), keys.extents.extent[0],
                insert_row<T>{table, strided_line<const T>(keys)});
  map_lines(label_text(label, "/insert"), exec, slots, insert_key<T>{table, full}, line_input(keys));
  lease<Exec> held(exec);
  const Kokkos::View<int, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>> found(
      held.template result<int>());
  map_checked(label_text(label, "/full"), exec, found, op::identity(), scratch_view<Exec, int>(full));
  exec.fence(kernel_label(label, ": wait for the hash table"));
  return found() == 0;
}

/// Whether a slot has a key; copies keys with their slots, of which the one behind all has the largest key.
struct key_at_slot {
  hash_table table;
  std::uint64_t* keys;
  std::uint32_t* slots;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return table.slots[i] != hash_table::free; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    keys[k] = i == table.size ? hash_table::free : table.slots[i];
    slots[k] = static_cast<std::uint32_t>(i);
  }
};
/// Writes the rank of the k-th key to its slot; reads the rank at a slot.
struct put_rank {
  const std::uint32_t* slots;
  std::int32_t* ranks;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { ranks[slots[k]] = static_cast<std::int32_t>(k); }
};
struct rank_at_slot {
  const std::int32_t* ranks;
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t at) const { return ranks[static_cast<std::uint32_t>(at)]; }
};

/// Sorts the keys of a table and turns slots into ranks among them. Returns how many they are. Waits.
template <class Exec, class Labels>
std::int64_t rank_slots(const std::string& label, const Exec& exec, const hash_table& table, const Labels& labels) {
  const std::int64_t size = std::int64_t{table.size} + 1, max_keys = std::min<std::int64_t>(labels.extent(0), size);
  std::uint64_t* keys = nullptr;
  std::uint32_t* slots = nullptr;
  std::int32_t* ranks = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{keys, max_keys}, scratch_part{slots, max_keys},
                                    scratch_part{ranks, size});
  lease<Exec> held(exec);
  auto* found = held.template result<std::int64_t>();
  const key_at_slot taken{table, keys, slots};
  for_selected(label_text(label, "/keys"), exec, size, taken, taken, found);
  exec.fence(kernel_label(label, ": wait for the number of groups"));
  const sort_lines lines = sort_lines::flat(shape{*found});
  const auto to_slots = [&](const auto&, const auto& sorted, const auto& slot_of) {
    map_lines(label_text(label, "/slots"), exec, lines.contiguous(slots), slot_of, line_input(sorted));
  };
  sort_pairs<std::uint32_t>(label_text(label, "/sort"), exec, lines, lines.contiguous<const std::uint64_t>(keys),
                            by_order<std::uint64_t>(), line_input(lines.contiguous(slots)), to_slots);
  Kokkos::parallel_for(kernel_label(label, "/ranks"), index_range(exec, *found), put_rank{slots, ranks});
  map_checked(label_text(label, "/labels"), exec, labels, rank_at_slot{ranks}, labels);
  return *found;
}

/// How many different keys a quarter of a sample has, half of it, and all.
struct key_sample {
  double samples;
  double different[3];
};
/// Whether keys that are equally frequent would give such a sample, and how many they are then: so many that a sample
/// of s finds K (1 - exp(-s / K)) of them.
struct frequent_equally {
  double keys;
  bool likely;
  explicit frequent_equally(const key_sample& found);
};
/// How many different keys `rows` rows have: their number grows as a power of the rows, whose exponent falls with each
/// doubling as it did within the sample.
double extrapolated_keys(const key_sample& found, double rows);

/// Puts a part of a sample of the keys into a table and counts those that were not there.
template <class T>
struct count_different {
  hash_table table;
  strided_line<const T> line;
  std::int64_t first, step;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& found) const {
    found += table.insert(by_order<T>().encode(line[first + i * step])).taken ? 0 : 1;
  }
};
/// Takes a sample of a multiple of 4 keys from all over the rows. Waits.
template <class Exec, class T>
key_sample take_key_sample(const std::string& label, const Exec& exec, const strided<const T>& keys,
                           std::int64_t samples) {
  const auto size = static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(samples)));
  const scratch_array<Exec, std::uint64_t> memory(exec, size + 1);
  const hash_table table{memory.data(), static_cast<std::uint32_t>(size)};
  fill_scratch(label_text(label, "/table"), exec, table.slots, size + 1, std::uint64_t{hash_table::free});
  const strided_line<const T> line(keys);
  const std::int64_t apart = keys.extents.extent[0] / samples;
  lease<Exec> held(exec);
  std::int64_t* const found = held.template result<Kokkos::Array<std::int64_t, 3>>()->data();
  const auto count = [&](int part, std::int64_t first, std::int64_t step) {
    Kokkos::parallel_reduce(
        kernel_label(label, "/sample"), index_range(exec, samples / step),
        count_different<T>{table, line, first * apart, step * apart},
        Kokkos::View<std::int64_t, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(found + part));
  };
  count(0, 0, 4);
  count(1, 2, 4);
  count(2, 1, 2);
  exec.fence(kernel_label(label, ": wait for the sample"));
  const auto quarter = static_cast<double>(found[0]), half = quarter + static_cast<double>(found[1]);
  return {static_cast<double>(samples), {quarter, half, half + static_cast<double>(found[2])}};
}
/// About how many different keys there are. A larger sample is taken where a few keys are more frequent than others,
/// which the first one tells less of. Waits.
template <class Exec, class T>
double estimate_different(const std::string& label, const Exec& exec, const strided<const T>& keys) {
  using tune = keyed_tuning<Exec>;
  const std::int64_t rows = keys.extents.extent[0], max_samples = rows / tune::sample_ratio;
  const auto of = [&](std::int64_t samples) { return take_key_sample(label, exec, keys, samples / 4 * 4); };
  key_sample found = of(std::min(max_samples, tune::hash_sample));
  const frequent_equally all(found);
  if (all.likely) return all.keys;
  if (max_samples > tune::hash_sample) found = of(std::min(max_samples, tune::large_hash_sample));
  return extrapolated_keys(found, static_cast<double>(rows));
}

/// The first size of a hash table for keys, a power of two; more than `max_size` where a sort is the better way.
template <class Exec, class T>
std::int64_t first_table(const std::string& label, const Exec& exec, const strided<const T>& keys,
                         std::int64_t max_size) {
  using tune = keyed_tuning<Exec>;
  const std::int64_t rows = keys.extents.extent[0];
  const auto slots = [](double different) { return std::bit_ceil(static_cast<std::uint64_t>(2 * different)); };
  if (2 * rows <= tune::hash_first) return std::max<std::int64_t>(tune::hash_least, slots(static_cast<double>(rows)));
  const double different = std::min(estimate_different(label, exec, keys), static_cast<double>(2 * max_size));
  return std::max<std::int64_t>(tune::hash_least, slots(different));
}

/// The rank of each key among the distinct ones, and how many these are; not where they are so many that rows are
/// better sorted. Waits.
///
/// Keys are put into a hash table, which grows until they all have a slot, and only the distinct ones are sorted.
template <class Exec, class T>
std::optional<std::pair<column_of<Exec, std::int32_t>, std::int64_t>> label_keys(const std::string& label,
                                                                                 const Exec& exec,
                                                                                 const strided<const T>& keys) {
  using tune = keyed_tuning<Exec>;
  const std::int64_t rows = keys.extents.extent[0];
  const bool can_sort = std::in_range<std::uint32_t>(rows);
  const std::int64_t max_size = can_sort ? tune::max_hash_size : std::int64_t{1} << 31;
  std::int64_t size = first_table(label, exec, keys, max_size);
  if (can_sort && size > max_size) return std::nullopt;
  const auto labels = new_column<Exec, std::int32_t>(exec, rows);
  for (; size <= max_size; size = size < max_size ? std::min(max_size, tune::hash_growth * size) : 2 * max_size) {
    const scratch_array<Exec, std::uint64_t> memory(exec, size + 1);
    const hash_table table{memory.data(), static_cast<std::uint32_t>(size)};
    const strided<std::int32_t> slots{labels.data(), keys.extents, {1}};
    if (insert_all(label, exec, table, slots, keys)) return std::pair(labels, rank_slots(label, exec, table, labels));
  }
  if (can_sort) return std::nullopt;
  throw CapacityError(label, "there are too many different keys", rows, max_size);
}

}  // namespace quern::impl

#endif
