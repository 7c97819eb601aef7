// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_UNIQUE_HPP
#define QUERN_KEYED_UNIQUE_HPP

/// @file
/// The distinct elements of an array in ascending order, by sorting (on hosts, integers of a small range by counting).
/// All NaN are one element, the last; so are zeros of either sign.
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
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/keyed/tuning.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern {
namespace impl {

/// The distinct ones among sorted numbers.
template <class T>
struct first_of_equals {
  const T* sorted;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return i == 0 || !(sorted[i] == sorted[i - 1] || (is_nan(sorted[i]) && is_nan(sorted[i - 1])));
  }
};
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
struct put_unique_places {
  result_row<T> values;
  const T* x;
  row_nest<2> nest;  // of x and the inverse
  const Moved* moved;
  Position position_of;
  std::int64_t* starts;
  First first;
  Inverse* inverse;
  KOKKOS_FUNCTION typename row_nest<2>::offsets place(std::int64_t position) const {
    std::int64_t j;
    return nest.at_item(position, nest.inner, 1, j);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    const auto position = static_cast<std::int64_t>(position_of(moved[i]));
    values.set(k, x[place(position).of[0]]);
    if (k <= values.room) starts[k] = i;
    first.set(k, position);
  }
  KOKKOS_FUNCTION void follow(std::int64_t i, std::int64_t k) const {
    inverse[place(static_cast<std::int64_t>(position_of(moved[i]))).of[1]] = convert<Inverse>(k);
  }
};

/// Counts from where each begins.
template <class T>
struct lengths {
  result_row<T> counts;
  const std::int64_t* starts;
  const std::int64_t* number;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k < *number) counts.set(k, (k + 1 < *number ? starts[k + 1] : n) - starts[k]);
  }
};
template <class Exec, class T>
void write_lengths(const std::string& label, const Exec& exec, const result_row<T>& counts, const std::int64_t* starts,
                   const std::int64_t* number, std::int64_t n) {
  Kokkos::parallel_for(label + "/counts",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::min(n, counts.room)),
                       lengths<T>{counts, starts, number, n});
}

/// Stores the numbers that occur, and their counts.
template <class T, class Number>
struct put_counted {
  result_row<T> values;
  result_row<Number> counts;
  const std::int64_t* times;
  std::uint64_t low;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    values.set(k, static_cast<T>(low + static_cast<std::uint64_t>(i)));
    counts.set(k, times[i]);
  }
};
/// Distinct integers and their counts by a table of all from the least to the greatest; false where that would be
/// large. For hosts: the range is waited for.
template <class Exec, class T, class Number, class X>
bool unique_by_counting(const std::string& label, const Exec& exec, const result_row<T>& values,
                        const result_row<Number>& counts, std::int64_t* number, const X& x_view) {
  using tune = keyed_tuning<Exec>;
  const auto x = make_input<Exec>(x_view, label).array;
  const std::int64_t most = std::min(tune::counted_range, x.extents.size() / tune::counted_share);
  if (most == 0) return false;
  const auto range = reduce_ordered<minmax_reducer<T>>("quern::unique/range", exec, on_host, x_view);
  const auto low = static_cast<std::uint64_t>(range.min), above = static_cast<std::uint64_t>(range.max) - low;
  if (std::cmp_greater_equal(above, most)) return false;

  const auto size = static_cast<std::int64_t>(above) + 1;
  const scratch_array<Exec, std::int64_t> times(exec, size);
  fill_scratch(label + "/zero", exec, times.data(), size, std::int64_t{0});
  const auto table = make_output<Exec>(scratch_view<Exec, std::int64_t*>(times.data(), size), label);
  add_by_bin(exec, label + "/times", table, x, own_bin{size, static_cast<std::int64_t>(low)});
  for_kept(label, exec, size, is_marked<std::int64_t>{times.data()},
           put_counted<T, Number>{values, counts, times.data(), low}, number);
  return true;
}

/// Distinct values, and perhaps their counts. A call that may wait sorts integers on devices by the bits in which they
/// differ.
template <bool MayWait, class Exec, class Count, class Values, class Counts, class X>
void unique_by_values(const std::string& label, const Exec& exec, const Count& count, const Values& values_view,
                      const Counts& counts_view, const X& x_view) {
  using T = value_of<X>;
  constexpr bool counted = !std::is_same_v<Counts, no_output>;
  static_assert(std::is_same_v<T, value_of<Values>>, "quern::unique: values must be of x's value type");
  require_order<T>();
  const auto x = make_input<Exec>(x_view, label).array;
  const auto values = make_result<Exec>(label, "values", values_view, x);
  const auto counts = make_optional_result<Exec>(label, "counts", counts_view, x);
  std::int64_t* number = count_output<Exec>(label, count);
  if constexpr (std::is_integral_v<T> && !is_device<Exec>)
    if (unique_by_counting(label, exec, values, counts, number, x_view)) return;
  const sort_lines lines = sort_lines::flat(x.extents);
  if (lines.n == 0) return fill_scratch(label, exec, number, 1, std::int64_t{0});
  const scratch_array<Exec, std::int64_t> starts(exec, counted ? std::min(values.room, lines.n) + 1 : 0);
  std::int64_t* starts_to = counted ? starts.data() : nullptr;
  if constexpr (MayWait && has_vendor_sort<Exec> && std::is_integral_v<T> && sizeof(T) >= 4) {
    using key = typename by_order<T>::key;
    const scratch_array<Exec, key> memory(exec, 2 * lines.n);
    sort_buffer<key> keys{memory.data(), memory.data() + lines.n};
    map_lines(label + "/keys", exec, lines.contiguous(keys.data), make_key<by_order<T>>(), line_input(x));
    const auto narrowed = narrow_keys(label, exec, lines.n, keys.data);
    vendor_sort(label, exec, 1, lines.n, narrowed.bits, keys);
    for_kept(label, exec, lines.n, first_of_keys<key>{keys.data},
             put_unique<T, key, number_at_distance<T>>{values, keys.data, {narrowed.least}, starts_to}, number);
  } else {
    const scratch_array<Exec, T> sorted(exec, lines.n);
    sort_values(label, exec, lines, lines.contiguous(sorted.data()), x, by_order<T>());
    for_kept(label, exec, lines.n, first_of_equals<T>{sorted.data()},
             put_unique<T, T, op::identity>{values, sorted.data(), {}, starts_to}, number);
  }
  if constexpr (counted) write_lengths(label, exec, counts, starts.data(), number, lines.n);
}

/// The distinct values with positions.
template <class Index, bool MayWait, class Exec, class Count, class Values, class First, class Inverse, class Counts,
          class X>
void unique_by_positions(const std::string& label, const Exec& exec, const Count& count, const Values& values_view,
                         const First& first_view, const Inverse& inverse_view, const Counts& counts_view,
                         const X& x_view) {
  using T = value_of<X>;
  using I = value_of<Inverse>;
  static_assert(std::is_same_v<T, value_of<Values>>, "quern::unique: values must be of x's value type");
  require_order<T>();
  const auto x = make_input<Exec>(x_view, label).array;
  const auto values = make_result<Exec>(label, "values", values_view, x);
  const auto first = make_optional_result<Exec>(label, "first", first_view, x);
  const auto counts = make_optional_result<Exec>(label, "counts", counts_view, x);
  const auto inverse = make_output<Exec>(inverse_view, label);
  check_extents(label, "inverse", inverse.extents, x.extents);
  check_positions<I>(label, "inverse", MayWait ? 0 : std::min(values.room, x.extents.size()));
  if constexpr (!std::is_same_v<First, no_output>) check_positions<value_of<First>>(label, "first", x.extents.size());
  check_overlap(label, inverse, x, "x", false);
  std::int64_t* number = count_output<Exec>(label, count);
  const sort_lines lines = sort_lines::flat(x.extents);
  const scratch_array<Exec, std::int64_t> starts(exec, std::min(values.room, lines.n) + 1);
  const row_nest<2> nest(row_major_nest(x.extents, x.stride, inverse.stride));
  const auto finish = [&](const auto& keys, const auto& moved, const auto& position_of) {
    using sorted_type = typename std::remove_cvref_t<decltype(keys)>::value_type;
    using moved_type = typename std::remove_cvref_t<decltype(moved)>::value_type;
    using position_type = std::remove_cvref_t<decltype(position_of)>;
    using first_type = std::remove_const_t<decltype(first)>;
    for_kept(label, exec, lines.n, first_of_keys<sorted_type>{keys.data},
             put_unique_places<T, moved_type, position_type, first_type, I>{
                 values, x.data, nest, moved.data, position_of, starts.data(), first, inverse.data},
             number);
  };
  if (lines.n == 0) return fill_scratch(label, exec, number, 1, std::int64_t{0});
  sort_pairs<Index, MayWait>(label, exec, lines, x, by_order<T>(), lines.positions(), finish);
  if constexpr (!std::is_same_v<Counts, no_output>) write_lengths(label, exec, counts, starts.data(), number, lines.n);
}
template <bool MayWait, class Exec, class Count, class Values, class First, class Inverse, class Counts, class X>
void unique_with_positions(const std::string& label, const Exec& exec, const Count& count, const Values& values,
                           const First& first, const Inverse& inverse, const Counts& counts, const X& x) {
  if (std::in_range<std::uint32_t>(extents_of(x).size()))
    unique_by_positions<std::uint32_t, MayWait>(label, exec, count, values, first, inverse, counts, x);
  else unique_by_positions<std::uint64_t, MayWait>(label, exec, count, values, first, inverse, counts, x);
}

/// `run_counted` of what also writes an inverse of integers I, which must hold the number that comes back.
template <class I, class Exec, class Run, class Out, class... Size>
auto run_with_inverse(call<Exec>& c, const Run& run, const Out& out, const Size&... size) {
  if constexpr (sizeof...(Size) > 0) {
    return run_counted(c, run, out, size...);
  } else {
    const std::int64_t number = run_counted(c, run, out);
    check_positions<I>(c.label, "inverse", number);
    return number;
  }
}

}  // namespace impl

/// The distinct elements: `numpy.unique(x)`. See the table above.
template <execution_space Exec, view_like Values, view_like X, size_option... Size>
auto unique(const Exec& exec, const Values& values, const X& x, const Size&... size) {
  impl::call c("quern::unique", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::unique_by_values<sizeof...(Size) == 0>(c.label, exec, number, results..., impl::no_output(), x);
  };
  return impl::run_counted(c, run, std::tie(values), size...);
}
template <view_like Values, view_like X, size_option... Size>
auto unique(const Values& values, const X& x, const Size&... size) {
  return unique(impl::space_of(values), values, x, size...);
}

/// The distinct elements and how often each occurs.
template <execution_space Exec, view_like Values, view_like Counts, view_like X, size_option... Size>
auto unique_counts(const Exec& exec, const Values& values, const Counts& counts, const X& x, const Size&... size) {
  impl::call c("quern::unique_counts", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::unique_by_values<sizeof...(Size) == 0>(c.label, exec, number, results..., x);
  };
  return impl::run_counted(c, run, std::tie(values, counts), size...);
}
template <view_like Values, view_like Counts, view_like X, size_option... Size>
auto unique_counts(const Values& values, const Counts& counts, const X& x, const Size&... size) {
  return unique_counts(impl::space_of(values), values, counts, x, size...);
}

/// The distinct elements, and of each element of x which of them it is.
template <execution_space Exec, view_like Values, view_like Inverse, view_like X, size_option... Size>
auto unique_inverse(const Exec& exec, const Values& values, const Inverse& inverse, const X& x, const Size&... size) {
  impl::call c("quern::unique_inverse", exec);
  const auto run = [&](const auto& number, const auto& values_to, const auto& inverse_to) {
    impl::unique_with_positions<sizeof...(Size) == 0>(c.label, exec, number, values_to, impl::no_output(), inverse_to,
                                                      impl::no_output(), x);
  };
  return impl::run_with_inverse<impl::value_of<Inverse>>(c, run, std::tie(values, inverse), size...);
}
template <view_like Values, view_like Inverse, view_like X, size_option... Size>
auto unique_inverse(const Values& values, const Inverse& inverse, const X& x, const Size&... size) {
  return unique_inverse(impl::space_of(values), values, inverse, x, size...);
}

/// The distinct elements, the first position of each, of each element of x which of them it is, and how often each
/// occurs.
template <execution_space Exec, view_like Values, view_like First, view_like Inverse, view_like Counts, view_like X,
          size_option... Size>
auto unique_all(const Exec& exec, const Values& values, const First& first, const Inverse& inverse,
                const Counts& counts, const X& x, const Size&... size) {
  impl::call c("quern::unique_all", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::unique_with_positions<sizeof...(Size) == 0>(c.label, exec, number, results..., x);
  };
  return impl::run_with_inverse<impl::value_of<Inverse>>(c, run, std::tie(values, first, inverse, counts), size...);
}
template <view_like Values, view_like First, view_like Inverse, view_like Counts, view_like X, size_option... Size>
auto unique_all(const Values& values, const First& first, const Inverse& inverse, const Counts& counts, const X& x,
                const Size&... size) {
  return unique_all(impl::space_of(values), values, first, inverse, counts, x, size...);
}

}  // namespace quern

#endif
