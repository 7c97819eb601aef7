// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ORDER_HPP
#define QUERN_KEYED_ORDER_HPP

#include <algorithm>
#include <concepts>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/values/ordered.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/keyed/sort_order.hpp>

namespace quern {

namespace impl {

/// Numbers as unsigned integers whose ascending order is the one that is wanted. Zeros of either sign have one key,
/// unless values are to be got back from their keys.
template <class T>
struct by_order {
  static constexpr bool by_bits = true;
  using value = T;
  using bits = ordered<T>;
  using key = typename bits::key;
  bool descending = false;
  bool signed_zeros = false;

  KOKKOS_FUNCTION key encode(const T& v) const {
    const key k = bits::key_of(v == T(0) && !signed_zeros ? T(0) : v);
    return descending && !bits::is_nan_key(k) ? key(bits::largest - k) : k;
  }
  KOKKOS_FUNCTION T decode(key k) const {
    return static_cast<T>(bits::number_of(descending && !bits::is_nan_key(k) ? key(bits::largest - k) : k));
  }
  KOKKOS_FUNCTION bool operator()(key a, key b) const { return a < b; }
  /// The key as which a radix sort takes a key.
  KOKKOS_FUNCTION key sorted_as(key k) const { return k; }
  /// Whether two adjacent keys are in order; without branches, for vector instructions.
  KOKKOS_FUNCTION bool in_order(const T& first, const T& second) const {
    const T& low = descending ? second : first;
    const T& high = descending ? first : second;
    return (low <= high) | (second != second);
  }
};

/// Floating-point numbers whose keys tell zeros of different signs apart, and have them as equal all the same.
template <class T>
struct by_equal_zeros : by_order<T> {
  using key = typename by_order<T>::key;
  static constexpr key negative_zero = by_order<T>::bits::sign - 1;  // in either direction
  explicit by_equal_zeros(bool down) : by_order<T>{down, true} {}

  KOKKOS_FUNCTION key sorted_as(key k) const {
    const key zero = this->descending ? negative_zero - 1 : negative_zero + 1;
    return k == negative_zero ? zero : k;
  }
  KOKKOS_FUNCTION bool operator()(key a, key b) const { return sorted_as(a) < sorted_as(b); }
};

/// Values in the order of a comparator of the caller's.
template <class T, class Less>
struct by_comparator {
  static constexpr bool by_bits = false;
  using value = T;
  using key = T;
  Less less;
  bool signed_zeros = true;

  KOKKOS_FUNCTION const T& encode(const T& v) const { return v; }
  KOKKOS_FUNCTION const T& decode(const T& k) const { return k; }
  KOKKOS_FUNCTION bool operator()(const T& a, const T& b) const { return less(a, b); }
  KOKKOS_FUNCTION bool in_order(const T& first, const T& second) const { return !less(second, first); }
};

template <class F, class T>
inline constexpr bool is_comparator_option = [] {
  if constexpr (view_like<F> || placed<F> || execution_space<F> || option_type<F>) return false;
  else return std::predicate<const F&, const T&, const T&>;
}();

/// Options of a sort of T: an axis and either a direction or a comparator.
template <class O, class T>
concept sort_option = is_option<axis, O> || is_option<sort_order, O> || is_comparator_option<O, T> || option<O>;
/// How many options say in which order to sort.
template <class T, class... O>
inline constexpr int orders_among = (0 + ... + (is_option<sort_order, O> || is_comparator_option<O, T> ? 1 : 0));

/// An error where a comparator stands beside another order.
template <class T, class... O>
struct second_order : std::false_type {};
template <class T, class... O>
  requires((is_comparator_option<O, T> || ...) && orders_among<T, O...> > 1)
struct second_order<T, O...> : std::true_type {
  static_assert(sizeof...(O) == 0, "quern: a sort takes one order, a sort_order or a comparator");
};
template <class T, class... O>
concept sort_options = (sort_option<O, T> && ...) && !repeated_option<O...>::value &&
                       (orders_among<T, O...> <= 1 || second_order<T, O...>::value);

/// The order that options ask for.
template <class T>
auto ordering_of() {
  return by_order<T>{};
}
template <class T, class First, class... O>
auto ordering_of(const First& first, const O&... rest) {
  if constexpr (option_type<First> && !is_option<sort_order, First>) return ordering_of<T>(rest...);
  else if constexpr (is_option<sort_order, First>) return by_order<T>{first == sort_order::descending};
  else return by_comparator<T, First>{first};
}

/// The order of keys that are to be got back with the signs of their zeros.
template <class Order>
auto keeping_zero_signs(const Order& order) {
  using T = typename Order::value;
  if constexpr (Order::by_bits && !std::is_integral_v<T>) return by_equal_zeros<T>(order.descending);
  else return order;
}
template <class Order>
inline constexpr bool keeps_zero_signs = requires { Order::negative_zero; };

/// `f` with a value of the type for the positions of n elements.
template <class F>
void with_index_type(std::int64_t n, const F& f) {
  if (std::in_range<std::uint32_t>(n)) f(std::uint32_t());
  else f(std::uint64_t());
}

/// An array as lines along one of its axes: the extents with that axis last.
struct sort_lines {
  int along = 0;
  shape extents;
  std::int64_t n = 1, count = 1;  // elements of a line, lines

  sort_lines() = default;
  template <class... O>
  sort_lines(const std::string& label, const shape& of, const O&... options) {
    const axis_set set(label, option_or(axis(-1), options...), of.rank);
    along = set.only();
    extents = set.part(of, false);
    extents.extent[extents.rank++] = n = of.extent[along];
    for (int d = 0; d + 1 < extents.rank; ++d) count *= extents.extent[d];
  }
  /// All elements in row-major order as one line.
  static sort_lines flat(const shape& of) {
    sort_lines lines;
    lines.extents = of.rank == 0 ? shape{1} : of;
    lines.along = lines.extents.rank - 1;
    lines.n = of.size();
    return lines;
  }
  std::int64_t size() const { return n * count; }

  /// An array of the user's with the axis last.
  template <class Array>
  Array of(const Array& a) const {
    Array lines = a;
    const auto move_axis = [&](auto& along_axes) {
      std::rotate(along_axes.begin() + along, along_axes.begin() + along + 1, along_axes.begin() + extents.rank);
    };
    move_axis(lines.extents.extent);
    move_axis(lines.stride);
    return lines;
  }
  /// Where in its line each element is.
  position_input positions() const {
    position_input p{{nullptr, extents, {}}};
    if (count == 1) p.array = contiguous<const std::int64_t>(nullptr);
    else p.array.stride[extents.rank - 1] = 1;
    return p;
  }
  /// Memory that has the lines one after the other.
  template <class T>
  strided<T> contiguous(T* data) const {
    return {data, extents, row_major_strides(extents)};
  }
};

/// Whether lines lie one after the other.
template <class T>
bool is_contiguous(const strided<T>& lines) {
  const auto wanted = row_major_strides(lines.extents);
  for (int d = 0; d < lines.extents.rank; ++d)
    if (lines.extents.extent[d] > 1 && lines.stride[d] != wanted[d]) return false;
  return true;
}

}  // namespace impl
}  // namespace quern

#endif
