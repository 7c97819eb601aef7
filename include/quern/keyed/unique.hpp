// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_UNIQUE_HPP
#define QUERN_KEYED_UNIQUE_HPP

/// @file
/// The distinct elements of an array in ascending order, by sorting (on hosts, integers of a range that is small beside
/// their number by a table). All NaN are one element, the last; so are zeros of either sign.
///
/// | call | NumPy's |
/// | --- | --- |
/// | `n = unique(exec, values, x)` | `unique_values` |
/// | `n = unique_counts(exec, values, counts, x)` | `unique_counts` |
/// | `n = unique_inverse(exec, values, inverse, x)` | `unique_inverse` |
/// | `n = unique_all(exec, values, first, inverse, counts, x)` | `unique_all` |
///
/// x has any rank and layout and is read in row-major order. `values` is a View of rank 1 of x's value type with room
/// for the result, as are `counts` (how often each occurs) and `first` (the row-major position of its first
/// occurrence), of integers; `inverse` has x's extents and gets the number of each element: `values(inverse(i)) =
/// x(i)`.
///
/// These calls wait for `exec` and return the number of distinct elements; a result with no room is a `CapacityError`,
/// and a type of `first` that does not hold x's positions, or of `inverse` that does not hold the number, an Error. On
/// devices they wait twice, and sort only by the bits in which elements differ. With `size_to{n}` as the last argument
/// they do not wait, and write the number to the rank-0 View n of `std::int64_t`; what does not fit is left out.
/// Without exec they run on a default instance of the execution space of `values`. Scratch memory is that of `sort`, or
/// of `argsort` where positions are wanted, and x once more.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/keyed/tuning.hpp>
#include <quern/reduce/call.hpp>

namespace quern {
namespace impl {

/// The numbers of keys that are their distances from the least.
template <class T>
struct number_at_distance {
  using key = typename by_order<T>::key;
  key least;
  KOKKOS_FUNCTION T operator()(key distance) const { return by_order<T>().decode(least + distance); }
};
template <class T, class Sorted, class ValueOf>
struct put_unique {
  result_row<T> values;
  const Sorted* sorted;
  ValueOf value_of;
  std::int64_t* starts;  // null, or where each begins
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    values.set(k, value_of(sorted[i]));
    if (starts != nullptr && k <= values.room) starts[k] = i;
  }
};

template <class T, class Moved, class Position, class First, class Inverse>
struct put_unique_of_positions {
  result_row<T> values;
  const T* x;
  row_nest<2> nest;  // of x and the inverse
  const Moved* moved;
  Position position_of;
  std::int64_t* starts;
  result_row<First> first;
  Inverse* inverse;
  KOKKOS_FUNCTION typename row_nest<2>::offsets offsets_at(std::int64_t position) const {
    std::int64_t j;
    return nest.at_item(position, nest.inner, 1, j);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    const auto position = static_cast<std::int64_t>(position_of(moved[i]));
    values.set(k, x[offsets_at(position).of[0]]);
    if (k <= values.room) starts[k] = i;
    first.set(k, position);
  }
  KOKKOS_FUNCTION void follow(std::int64_t i, std::int64_t k) const {
    inverse[offsets_at(static_cast<std::int64_t>(position_of(moved[i]))).of[1]] = convert<Inverse>(k);
  }
};

/// Counts from where each begins.
template <class T>
struct put_length {
  result_row<T> counts;
  const std::int64_t *starts, *number;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k < *number) counts.set(k, (k + 1 < *number ? starts[k + 1] : n) - starts[k]);
  }
};
template <class Exec, class T>
void write_lengths(const std::string& label, const Exec& exec, const result_row<T>& counts, const std::int64_t* starts,
                   const std::int64_t* number, std::int64_t n) {
  Kokkos::parallel_for(kernel_label(label, "/counts"), index_range(exec, std::min(n, counts.room)),
                       put_length<T>{counts, starts, number, n});
}

/// An integer of a table of all from the least to the greatest, and how often it occurs.
template <class T, class Number, class Times>
struct put_counted {
  result_row<T> values;
  result_row<Number> counts;
  const Times* times;
  std::uint64_t low;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    values.set(k, static_cast<T>(low + static_cast<std::uint64_t>(i)));
    counts.set(k, times[i]);
  }
};

/// Marks which integers occur in a tile of an array. Threads write the same mark, so that each looks first: lines of
/// the table that all only read stay in the caches of all.
template <class T>
struct mark_integers {
  const T* x;
  std::uint8_t* marks;
  std::uint64_t low;
  std::int64_t n, tile;
  void operator()(std::int64_t t) const {
    const in_loop<mark_integers> local = *this;
    const std::int64_t last = std::min(local.n, (t + 1) * local.tile);
    for (std::int64_t i = t * local.tile; i < last; ++i) {
      std::uint8_t& mark = local.marks[static_cast<std::uint64_t>(local.x[i]) - local.low];
      if (Kokkos::atomic_load(&mark) == 0) Kokkos::atomic_store(&mark, std::uint8_t{1});
    }
  }
};

/// Distinct integers, and their counts where these are wanted, by a table of all from the least to the greatest; false
/// where that would be large. For hosts: the range is waited for.
template <class Exec, class T, class Number, class X>
bool unique_by_table(const std::string& label, const Exec& exec, const result_row<T>& values,
                     const result_row<Number>& counts, std::int64_t* number, const X& x_view, const strided<const T>& x,
                     bool counted) {
  using tune = keyed_tuning<Exec>;
  const std::int64_t n = x.extents.size();
  const row_nest<1> nest(make_loop_nest<1>(x.extents, {x.stride}));
  const bool marked = !counted && nest.rank == 1 && nest.stride[0][0] == 1;
  const std::int64_t max_range = marked ? std::min(tune::marked_range, n / tune::marked_ratio)
                                        : std::min(tune::counted_range, n / tune::counted_ratio);
  if (max_range == 0) return false;
  const auto range = reduce_ordered<minmax_reducer<T>>("quern::unique/range", exec, on_host, x_view);
  const auto low = static_cast<std::uint64_t>(range.min), above = static_cast<std::uint64_t>(range.max) - low;
  if (std::cmp_greater_equal(above, max_range)) return false;

  const auto size = static_cast<std::int64_t>(above) + 1;
  const auto put = [&]<class Times>(const Times* times) {
    for_selected(label, exec, size, is_marked<Times>{times}, put_counted<T, Number, Times>{values, counts, times, low},
                 number);
  };
  if (marked) {
    const scratch_array<Exec, std::uint8_t> memory(exec, size);
    fill_scratch(label_text(label, "/zero"), exec, memory.data(), size, std::uint8_t{0});
    const std::int64_t tile = tune::marked_tile;
    launch_units(exec, label_text(label, "/marks"), (n + tile - 1) / tile,
                 mark_integers<T>{x.data, memory.data(), low, n, tile});
    put(static_cast<const std::uint8_t*>(memory.data()));
  } else {
    const scratch_array<Exec, std::int64_t> memory(exec, size);
    std::int64_t* times = memory.data();
    fill_scratch(label_text(label, "/zero"), exec, times, size, std::int64_t{0});
    add_by_bin(exec, label_text(label, "/times"), strided<std::int64_t>{times, shape{size}, {1}}, x,
               own_bin{size, static_cast<std::int64_t>(low)});
    put(static_cast<const std::int64_t*>(times));
  }
  return true;
}

/// Puts the distinct values, and where each begins among the sorted ones unless `starts` is null. A call that may wait
/// sorts integers on devices by the bits in which they differ.
template <bool MayWait, class Exec, class T>
void unique_by_values(const std::string& label, const Exec& exec, const result_row<T>& values, std::int64_t* starts,
                      std::int64_t* number, const strided<const T>& x) {
  const sort_lines lines = sort_lines::flat(x.extents);
  if constexpr (MayWait && has_vendor_sort<Exec> && std::is_integral_v<T> && sizeof(T) >= 4) {
    using key = typename by_order<T>::key;
    const scratch_array<Exec, key> memory(exec, 2 * lines.n);
    sort_buffer<key> keys{memory.data(), memory.data() + lines.n};
    map_lines(label_text(label, "/keys"), exec, lines.contiguous(keys.data), make_key<by_order<T>>(), line_input(x));
    const auto narrowed = narrow_keys(label, exec, lines.n, keys.data);
    vendor_sort(label, exec, 1, lines.n, narrowed.bits, keys);
    for_selected(label, exec, lines.n, first_of_keys<key>{keys.data},
                 put_unique<T, key, number_at_distance<T>>{values, keys.data, {narrowed.least}, starts}, number);
  } else {
    const scratch_array<Exec, T> sorted(exec, lines.n);
    sort_values(label, exec, lines, lines.contiguous(sorted.data()), x, by_order<T>());
    for_selected(label, exec, lines.n, first_of_keys<T>{sorted.data()},
                 put_unique<T, T, op::identity>{values, sorted.data(), {}, starts}, number);
  }
}

/// The same with the first position of each, and of each element which of them it is.
template <bool MayWait, class Exec, class T, class First, class Inverse>
void unique_by_positions(const std::string& label, const Exec& exec, const result_row<T>& values, std::int64_t* starts,
                         std::int64_t* number, const strided<const T>& x, const result_row<First>& first,
                         const strided<Inverse>& inverse) {
  const sort_lines lines = sort_lines::flat(x.extents);
  const row_nest<2> nest(row_major_nest(x.extents, x.stride, inverse.stride));
  const auto finish = [&]<class Keys, class Moved, class Position>(
                          const strided<Keys>& keys, const strided<Moved>& moved, const Position& position_of) {
    for_selected(label, exec, lines.n, first_of_keys<Keys>{keys.data},
                 put_unique_of_positions<T, Moved, Position, First, Inverse>{values, x.data, nest, moved.data,
                                                                             position_of, starts, first, inverse.data},
                 number);
  };
  with_index_type(lines.n, [&]<class Index>(Index) {
    sort_pairs<Index, MayWait>(label, exec, lines, x, by_order<T>(), lines.positions(), finish);
  });
}

template <bool MayWait, class Exec, class Values, class First, class Inverse, class Counts, class X>
void unique_into(const call<Exec>& c, const Values& values_view, const First& first_view, const Inverse& inverse_view,
                 const Counts& counts_view, const X& x_view, std::int64_t* number) {
  using T = value_of<X>;
  constexpr bool counted = is_wanted<Counts>, inverted = is_wanted<Inverse>;
  static_assert(std::is_same_v<T, value_of<Values>>, "quern::unique: values must be of x's value type");
  require_order<T>();
  const auto x = c.input(x_view);
  const std::int64_t n = x.extents.size();
  const auto values = make_result<Exec>(c.label, "values", values_view, x);
  const auto first = make_result<Exec>(c.label, "first", first_view, x);
  const auto counts = make_result<Exec>(c.label, "counts", counts_view, x);
  check_number_apart(c.label, number, x, "x");
  const std::int64_t max_values = std::min(values.room, n);
  [[maybe_unused]] const auto inverse =
      position_output(c, "inverse", inverse_view, x.extents, MayWait ? 0 : max_values, x);
  if constexpr (is_wanted<First>) check_positions<value_of<First>>(c.label, "first", n);
  if (n == 0) return fill_scratch(c.label, c.exec, number, 1, std::int64_t{0});
  if constexpr (std::is_integral_v<T> && !is_device<Exec> && !inverted)
    if (unique_by_table(c.label, c.exec, values, counts, number, x_view, x, counted)) return;
  const scratch_array<Exec, std::int64_t> memory(c.exec, counted || inverted ? max_values + 1 : 0);
  std::int64_t* starts = counted || inverted ? memory.data() : nullptr;
  if constexpr (inverted) unique_by_positions<MayWait>(c.label, c.exec, values, starts, number, x, first, inverse);
  else unique_by_values<MayWait>(c.label, c.exec, values, starts, number, x);
  if constexpr (counted) write_lengths(c.label, c.exec, counts, starts, number, n);
}

/// Serves all of them: outputs but `values` may be no_output.
template <class Exec, class Values, class First, class Inverse, class Counts, class X, class... Size>
auto unique_call(const operation_name& label, const Exec& exec, const Values& values, const First& first,
                 const Inverse& inverse, const Counts& counts, const X& x, const Size&... size) {
  call c(label, exec);
  const auto run = [&](std::int64_t* number) {
    unique_into<sizeof...(Size) == 0>(c, values, first, inverse, counts, x, number);
  };
  const auto out =
      std::tuple_cat(std::tie(values), wanted_output(first), wanted_output(inverse), wanted_output(counts));
  if constexpr (is_wanted<Inverse> && sizeof...(Size) == 0) {
    const std::int64_t number = run_counted(c, out, run);
    check_positions<value_of<Inverse>>(c.label, "inverse", number);
    return number;
  } else {
    return run_counted(c, out, run, size...);
  }
}

}  // namespace impl

/// The distinct elements: `numpy.unique(x)`. See the table above.
template <execution_space Exec, view_like Values, view_like X, size_option... Size>
auto unique(const Exec& exec, const Values& values, const X& x, const Size&... size) {
  return impl::unique_call("quern::unique", exec, values, impl::no_output(), impl::no_output(), impl::no_output(), x,
                           size...);
}
template <view_like Values, view_like X, size_option... Size>
auto unique(const Values& values, const X& x, const Size&... size) {
  return unique(impl::space_of(values), values, x, size...);
}
QUERN_REJECTS(computed, unique)
QUERN_TAKES_NAME_NOT(place, unique)

/// The distinct elements and how often each occurs.
template <execution_space Exec, view_like Values, view_like Counts, view_like X, size_option... Size>
auto unique_counts(const Exec& exec, const Values& values, const Counts& counts, const X& x, const Size&... size) {
  return impl::unique_call("quern::unique_counts", exec, values, impl::no_output(), impl::no_output(), counts, x,
                           size...);
}
template <view_like Values, view_like Counts, view_like X, size_option... Size>
auto unique_counts(const Values& values, const Counts& counts, const X& x, const Size&... size) {
  return unique_counts(impl::space_of(values), values, counts, x, size...);
}
QUERN_REJECTS(computed, unique_counts)
QUERN_TAKES_NAME_NOT(place, unique_counts)

/// The distinct elements, and of each element of x which of them it is.
template <execution_space Exec, view_like Values, view_like Inverse, view_like X, size_option... Size>
auto unique_inverse(const Exec& exec, const Values& values, const Inverse& inverse, const X& x, const Size&... size) {
  return impl::unique_call("quern::unique_inverse", exec, values, impl::no_output(), inverse, impl::no_output(), x,
                           size...);
}
template <view_like Values, view_like Inverse, view_like X, size_option... Size>
auto unique_inverse(const Values& values, const Inverse& inverse, const X& x, const Size&... size) {
  return unique_inverse(impl::space_of(values), values, inverse, x, size...);
}
QUERN_REJECTS(computed, unique_inverse)
QUERN_TAKES_NAME_NOT(place, unique_inverse)

/// The distinct elements, the first position of each, of each element of x which of them it is, and how often each
/// occurs.
template <execution_space Exec, view_like Values, view_like First, view_like Inverse, view_like Counts, view_like X,
          size_option... Size>
auto unique_all(const Exec& exec, const Values& values, const First& first, const Inverse& inverse,
                const Counts& counts, const X& x, const Size&... size) {
  return impl::unique_call("quern::unique_all", exec, values, first, inverse, counts, x, size...);
}
template <view_like Values, view_like First, view_like Inverse, view_like Counts, view_like X, size_option... Size>
auto unique_all(const Values& values, const First& first, const Inverse& inverse, const Counts& counts, const X& x,
                const Size&... size) {
  return unique_all(impl::space_of(values), values, first, inverse, counts, x, size...);
}
QUERN_REJECTS(computed, unique_all)
QUERN_TAKES_NAME_NOT(place, unique_all)

}  // namespace quern

#endif
