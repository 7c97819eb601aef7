// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_GROUP_BY_HPP
#define QUERN_KEYED_GROUP_BY_HPP

/// @file
/// Groups of rows with equal keys, and reductions of each group.
///
/// @code
/// const auto by = quern::group_by(exec, cell, species);  // one or several columns of keys
/// Kokkos::View<double*> mass("mass", by.size());
/// quern::sum(exec, mass, particle_mass, by);             // mass(g): the sum of group g
/// quern::group_first(exec, cell_of_group, cell, by);           // the keys themselves
/// @endcode
///
/// Groups are numbered in the order of their keys, the first column's first. The reductions of groups are the functions
/// that reduce arrays, with the groups as the last argument: `sum`, `mean`, `var`, `min`, `max`, `argmin`, `argmax`,
/// and `group_first` and `count`. They are called as `op([exec,] out, x, by [, options])` with `out` and x of rank 1,
/// one element for each group and for each row, and are asynchronous.

#include <quern/core/call/call.hpp>
#include <quern/core/call/options.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/groups.hpp>
#include <quern/keyed/hash_keys.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/order_groups.hpp>
#include <quern/keyed/row_sample.hpp>
#include <quern/reduce/call.hpp>

namespace quern {

namespace impl {

/// Lowers what is at `to` to `value`, with few atomic operations where most values are no improvement.
template <class T>
KOKKOS_FUNCTION void lower(T* to, const T& value) {
  if (value < peek(to)) Kokkos::atomic_min(to, value);
}

/// Lowers the first row of a row's group to that row.
struct lower_first_row {
  const std::int32_t* labels;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (labels[i] >= 0) lower(first + labels[i], i);
  }
};
/// The first rows of the groups that labels number.
template <class Exec, class Labels, class First>
void find_first_rows(const std::string& label, const Exec& exec, const Labels& labels, const First& first) {
  map_checked(label_text(label, "/first"), exec, first, op::identity(),
              std::int64_t{Kokkos::Experimental::finite_max_v<std::int64_t>});
  const std::int64_t rows = labels.extent(0);
  const lower_first_row kernel{labels.data(), first.data()};
  launch_sample(exec, label_text(label, "/first"), rows, kernel);
  Kokkos::parallel_for(kernel_label(label, "/first"), index_range(exec, rows), kernel);
}

/// Writes the group of a bin that has rows, and how many; finds the group of a key.
struct put_bin {
  const std::int64_t* counts_of_bins;
  std::int32_t* group_of;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t k) const {
    group_of[b] = static_cast<std::int32_t>(k);
    counts[k] = counts_of_bins[b];
  }
};
struct group_of_key {
  range_bin bin;
  const std::int32_t* group_of;
  template <class Key>
  KOKKOS_FUNCTION std::int32_t operator()(const Key& key) const {
    const std::int64_t b = bin.of_key(key);
    return b < 0 ? -1 : group_of[b];
  }
};
/// Groups of keys in a range, by a table of it.
template <class Exec, class Keys>
Groups<Exec> group_range(const std::string& label, const Exec& exec, const range_bin& bin, const Keys& keys) {
  std::int64_t *counts_of_bins = nullptr, *counts_of_groups = nullptr;
  std::int32_t* ranks = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{counts_of_bins, bin.bins},
                                    scratch_part{counts_of_groups, bin.bins}, scratch_part{ranks, bin.bins});
  with_bins(exec, label_text(label, "/count"), scratch_view<Exec, std::int64_t*>(counts_of_bins, bin.bins), bin, keys);
  lease<Exec> held(exec);
  auto* found = held.template result<std::int64_t>();
  for_selected(label_text(label, "/ranks"), exec, bin.bins, is_marked<std::int64_t>{counts_of_bins},
               put_bin{counts_of_bins, ranks, counts_of_groups}, found);
  const auto labels = new_column<Exec, std::int32_t>(exec, operand_extents(label, keys).extent[0]);
  map_checked(label_text(label, "/labels"), exec, labels, group_of_key{bin, ranks}, keys);
  exec.fence(kernel_label(label, ": wait for the number of groups"));
  const auto [first, counts] = new_columns(exec, *found, *found);
  map_checked(label_text(label, "/counts"), exec, counts, op::identity(),
              scratch_view<Exec, std::int64_t*>(counts_of_groups, *found));
  find_first_rows(label, exec, labels, first);
  return {labels, first, counts};
}

/// The bins of whole numbers from the least to the greatest, where these are no more than the rows; for hosts. Waits.
template <class Exec, class Keys>
std::optional<range_bin> dense_range(const Exec& exec, const Keys& keys) {
  using T = value_of<Keys>;
  const auto rows = static_cast<std::int64_t>(keys.extent(0));
  if (2 * rows <= keyed_tuning<Exec>::hash_first) return {};
  const auto range = reduce_ordered<minmax_reducer<T>>("quern::group_by/range", exec, on_host, keys);
  const std::uint64_t above = static_cast<std::uint64_t>(range.max) - static_cast<std::uint64_t>(range.min);
  const bool in_int64 = std::is_signed_v<T> || static_cast<std::int64_t>(range.max) >= 0;
  const std::int64_t most = std::min<std::int64_t>(rows, std::numeric_limits<std::int32_t>::max());
  if (!in_int64 || above >= static_cast<std::uint64_t>(most)) return {};
  return range_bin{{static_cast<std::int64_t>(above) + 1, static_cast<std::int64_t>(range.min)}};
}
/// The groups of a column of keys.
template <class Exec, class T>
Groups<Exec> group_column(const std::string& label, const Exec& exec, const strided<const T>& keys) {
  if constexpr (!is_device<Exec> && std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using column_view = Kokkos::View<const T*, Kokkos::LayoutStride, typename Exec::memory_space,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const column_view column(keys.data, Kokkos::LayoutStride(keys.extents.extent[0], keys.stride[0]));
    const auto bins = keys.stride[0] > 0 ? dense_range(exec, column) : std::nullopt;
    if (bins) return group_range(label, exec, *bins, column);
  }
  const auto labelled = label_keys(label, exec, keys);
  if (!labelled) return group_in_order(label, exec, keys);
  const auto& [labels, size] = *labelled;
  const auto [first, counts] = new_columns(exec, size, size);
  if (size > 0) with_bins(exec, label_text(label, "/counts"), counts, own_bin{size}, labels);
  find_first_rows(label, exec, labels, first);
  return {labels, first, counts};
}
#define QUERN_GROUP_COLUMN(HOW, Exec, T) \
  HOW template Groups<Exec> group_column(const std::string&, const Exec&, const strided<const T>&);
QUERN_COMPILED_ELSEWHERE(QUERN_GROUP_COLUMN)

/// The same of a View, or of a lazy array, whose elements are computed once.
template <class Exec, class Keys>
Groups<Exec> group_keys(const std::string& label, const Exec& exec, const Keys& keys) {
  if constexpr (view_like<Keys>) {
    return group_column(label, exec, strided<const value_of<Keys>>(make_input<Exec>(keys, label).array));
  } else {
    const shape rows = operand_extents(label, keys);
    const scratch_array<Exec, value_of<Keys>> memory(exec, rows.size());
    map_checked(label_text(label, "/keys"), exec, scratch_view<Exec, value_of<Keys>*>(memory.data(), rows.size()),
                op::identity(), keys);
    return group_column(label, exec, strided<const value_of<Keys>>{memory.data(), rows, {1}});
  }
}
/// One number for a row's group and that of its key in one more column.
struct number_pair {
  std::int64_t columns;
  KOKKOS_FUNCTION std::int64_t operator()(std::int32_t a, std::int32_t b) const { return a * columns + b; }
};
/// The groups of rows that are in one group so far and have equal keys of one more column.
template <class Exec, class Keys>
Groups<Exec> refine_groups(const std::string& label, const Exec& exec, const Groups<Exec>& by, const Keys& keys) {
  const Groups<Exec> column = group_keys(label, exec, keys);
  const scratch_array<Exec, std::int64_t> both(exec, by.rows());
  map_checked(label_text(label, "/combine"), exec, scratch_view<Exec, std::int64_t*>(both.data(), by.rows()),
              number_pair{column.size()}, by.labels(exec), column.labels(exec));
  return group_column(label, exec, strided<const std::int64_t>{both.data(), shape{by.rows()}, {1}});
}

/// The bins of a range of keys.
template <class Keys>
range_bin check_key_range(const std::string& label, const key_range& range, const Keys& keys) {
  static_assert(std::is_integral_v<value_of<Keys>>, "quern::group_by: keys of a range must be integers");
  const shape rows = operand_extents(label, keys);
  if (rows.rank != 1) reject_extents(label, "keys", rows, "rank 1");
  const std::uint64_t numbers = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
  if (range.low >= range.high || numbers > std::numeric_limits<std::int32_t>::max())
    throw Error(label, "the range is from " + std::to_string(range.low) + " to " + std::to_string(range.high) +
                           ", expected 1 to 2147483647 numbers");
  return {{static_cast<std::int64_t>(numbers), range.low}};
}

}  // namespace impl

/// Groups rows by the values of one or several columns of keys.
///
/// A sample of the rows tells how many different keys there are. Few are put into a hash table, and only they are
/// sorted; with more than about a million, a device sorts all rows, by the bits in which keys differ. A host has a
/// table of integers from the least to the greatest where these are no more than the rows. Waits for `exec`. What the
/// groups keep is memory of the pool: 4 bytes a row and 16 a group, or 24. Scratch memory is the hash table (12 bytes
/// for each of two to sixteen times as many slots as there are different keys), or that of `argsort` and 4 bytes a row,
/// or 20 bytes for each of these integers.
///
/// @param keys Views of rank 1 and equal extents, of any real number type; NaN are one key, the last, and zeros of
///             either sign are equal
/// @throws Error if extents do not fit; CapacityError if there are more than about 1.5e9 different keys
template <execution_space Exec, array_like Keys, array_like... More>
Groups<Exec> group_by(const Exec& exec, const Keys& keys, const More&... more) {
  const std::string& label = impl::label_text("quern::group_by");
  const shape rows = impl::operand_extents(label, keys);
  const auto check = [&](const auto& column) {
    static_assert(impl::can_sort<impl::value_of<decltype(column)>>, "quern::group_by: keys must be real numbers");
    const shape found = impl::operand_extents(label, column);
    if (found.rank != 1 || found != rows)
      impl::reject_extents(label, "keys", found, "rank 1" + (rows.rank == 1 ? " and extents " + rows.str() : ""));
  };
  check(keys);
  (check(more), ...);
  Groups<Exec> by = impl::group_keys(label, exec, keys);
  ((by = impl::refine_groups(label, exec, by, more)), ...);
  return by;
}
template <array_like Keys, array_like... More>
auto group_by(const Keys& keys, const More&... more) {
  return group_by(impl::space_of(keys), keys, more...);
}

/// Groups whole numbers in a range that is known and small: faster, by a table of 20 bytes for each number. Rows
/// whose key is outside are in no group; with `checked` they are an error.
///
/// @throws KeyRangeError with `checked`, at the first row with a key outside
template <execution_space Exec, array_like Keys, option<checked_t>... Options>
Groups<Exec> group_by(const Exec& exec, const Keys& keys, const key_range& range, const Options&...) {
  static_assert(!impl::repeated_option<Options...>::value);
  const std::string& label = impl::label_text("quern::group_by");
  const auto bins = impl::check_key_range(label, range, keys);
  if constexpr (impl::has_option<checked_t, Options...>) impl::check_keys(exec, label, keys, bins);
  return impl::group_range(label, exec, bins, keys);
}
template <array_like Keys, option<checked_t>... Options>
auto group_by(const Keys& keys, const key_range& range, const Options&... options) {
  return group_by(impl::space_of(keys), keys, range, options...);
}
QUERN_TAKES_NAME_NOT(place, group_by)

}  // namespace quern

#endif
