// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_SORT_HPP
#define QUERN_KEYED_SORT_HPP

/// @file
/// Sorting of arrays, and of positions and values by keys.
///
/// | call | what it does |
/// | --- | --- |
/// | `sort(exec, out, x)` | x in ascending order, NaN last; `out` may be x |
/// | `sort(exec, x)` | the same in place |
/// | `argsort(exec, out, x)` | positions: `x(out(0)) <= x(out(1)) <= ...` |
/// | `sort_by_key(exec, keys, values)` | both in the order of the keys, in place |
/// | `is_sorted(exec, x)` | whether it is |
///
/// All take these options in any order:
///
/// - `axis{0}`: the lines along another axis than the last one, each by itself;
/// - `sort_order::descending`, NaN last there too; or a comparator: a functor or `KOKKOS_LAMBDA` that tells of two
///   values whether the first one comes before the other (a strict weak ordering), of any trivially copyable type.
///
/// Numbers are of any arithmetic or half type. `argsort`, `sort_by_key` and sorts with a comparator are stable: what is
/// equal keeps its order; all NaN are equal, and so are zeros of either sign.
///
/// Asynchronous on `exec`, except for `is_sorted` without a View of rank 0 before x, which returns a host value.
/// Scratch memory comes from the pool: about as much as x, and with positions as much again. Without a comparator, long
/// lines are sorted by the radix sort of the vendor's library on CUDA and HIP (CUB; rocPRIM where Kokkos was built with
/// rocThrust) and of this one on hosts; other lines by a merge sort, on devices those of 17 to 1024 numbers by a
/// sorting network in the registers of a warp. Where the library was built with Highway, hosts
/// sort lines of any length by its vectorized quicksort, positions together with the leading bits of their keys.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/values.hpp>
#include <quern/keyed/counted.hpp>
#include <quern/keyed/lane_rows.hpp>
#include <quern/keyed/map_lines.hpp>
#include <quern/keyed/merge_sort.hpp>
#include <quern/keyed/order.hpp>
#include <quern/keyed/quicksort.hpp>
#include <quern/keyed/radix_sort_host.hpp>
#include <quern/keyed/tuning.hpp>
#include <quern/keyed/vendor_sort.hpp>
#include <quern/keyed/zero_signs.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl {

/// A key and what moves with it.
template <class Key, class Value>
struct keyed_item {
  Key key;
  Value value;
};

/// The key of an item, or of what is one.
struct key_of_item {
  template <class Key, class Value>
  KOKKOS_FUNCTION const Key& operator()(const keyed_item<Key, Value>& a) const {
    return a.key;
  }
  template <class Key>
  KOKKOS_FUNCTION const Key& operator()(const Key& a) const {
    return a;
  }
};
/// The order of items is that of their keys.
template <class Order>
struct key_less {
  static constexpr bool by_bits = Order::by_bits;
  Order order;
  template <class Item>
  KOKKOS_FUNCTION bool operator()(const Item& a, const Item& b) const {
    return order(key_of_item()(a), key_of_item()(b));
  }
};
/// Marks the first of equal keys, or numbers, among sorted ones. NaN are equal.
template <class Sorted>
struct first_of_keys {
  const Sorted* sorted;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    if (i == 0) return true;
    const auto &key = key_of_item()(sorted[i]), &before = key_of_item()(sorted[i - 1]);
    return !(key == before || (is_nan(key) && is_nan(before)));
  }
};

template <class Order>
struct make_key {
  Order order;
  KOKKOS_FUNCTION typename Order::key operator()(const typename Order::value& v) const { return order.encode(v); }
};
template <class Order, class Value>
struct make_item {
  Order order;
  template <class V>
  KOKKOS_FUNCTION keyed_item<typename Order::key, Value> operator()(const typename Order::value& v, const V& w) const {
    return {order.encode(v), static_cast<Value>(w)};
  }
};
template <class Order>
struct value_of_key {
  Order order;
  template <class Item>
  KOKKOS_FUNCTION typename Order::value operator()(const Item& a) const {
    return order.decode(key_of_item()(a));
  }
};
struct value_of_item {
  template <class Key, class Value>
  KOKKOS_FUNCTION Value operator()(const keyed_item<Key, Value>& a) const {
    return a.value;
  }
};

/// Numbers as a vendor's radix sort takes them: with one NaN, which it puts last, and negated for the other direction.
template <class T>
struct sortable_number {
  using number = typename ordered<T>::number;
  bool descending = false;

  KOKKOS_FUNCTION number negated(const number& x) const {
    if constexpr (std::is_same_v<number, bool>) return !x;
    else if constexpr (std::is_integral_v<number>) return static_cast<number>(~x);
    else return -x;
  }
  KOKKOS_FUNCTION number operator()(const T& v) const {
    const auto x = static_cast<number>(v);
    if constexpr (!std::is_integral_v<number>)
      if (is_nan(x)) return Kokkos::Experimental::quiet_NaN_v<number>;
    return descending ? negated(x) : x;
  }
};
template <class T>
struct number_sorted : sortable_number<T> {
  using number = typename sortable_number<T>::number;
  KOKKOS_FUNCTION T operator()(const number& x) const {
    return static_cast<T>(this->descending && !is_nan(x) ? this->negated(x) : x);
  }
};

/// Whether lines are long enough to be sorted one by one by a radix sort.
template <class Exec>
bool by_radix(const Exec& exec, const sort_lines& lines) {
  if constexpr (is_device<Exec>)
    return has_vendor_sort<Exec> && (lines.count == 1 || lines.n > keyed_tuning<Exec>::radix_line);
  else return lines.count == 1 || (lines.n > keyed_tuning<Exec>::radix_line && lines.count < exec.concurrency());
}

/// Sorts items that lie line after line.
template <class Exec, class Item, class Order>
void sort_items(const std::string& label, const Exec& exec, const sort_lines& lines, sort_buffer<Item>& items,
                const Order& order) {
  if constexpr (quicksorts_on<Exec> && Order::by_bits)
    if (quicksort_items(label, exec, lines, by_radix(exec, lines), items, order)) return;
  if constexpr (!is_device<Exec> && Order::by_bits) {
    if (by_radix(exec, lines)) {
      const auto key_of = [order](const Item& a) { return order.sorted_as(key_of_item()(a)); };
      for (std::int64_t l = 0; l < lines.count; ++l) {
        sort_buffer<Item> line{items.data + l * lines.n, items.other + l * lines.n};
        host_radix_sort(label, exec, lines.n, line, key_of);
        if (lines.count == 1) items = line;
        else if (line.data != items.data + l * lines.n) std::copy_n(line.data, lines.n, line.other);
      }
      return;
    }
  }
  merge_sort(label, exec, lines.count, lines.n, items, key_less<Order>{order});
}

template <class Exec, class T>
void sort_numbers(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<T>& out,
                  const strided<const T>& in, bool descending) {
  using number = typename ordered<T>::number;
  // An even number of passes ends where it began.
  const bool in_out = std::is_same_v<T, number> && is_contiguous(out);
  const scratch_array<Exec, number> memory(exec, in_out ? lines.size() : 2 * lines.size());
  sort_buffer<number> numbers{in_out ? reinterpret_cast<number*>(out.data) : memory.data() + lines.size(),
                              memory.data()};
  const bool as_they_are = std::is_integral_v<T> && !descending && in.data == out.data && in_out;
  if (!as_they_are)
    map_lines(label_text(label, "/numbers"), exec, lines.contiguous(numbers.data), sortable_number<T>{descending},
              line_input(in));
  vendor_sort_numbers(label, exec, lines.count, lines.n, numbers);
  if (!in_out || descending || numbers.data != static_cast<void*>(out.data))
    map_lines(label_text(label, "/result"), exec, out, number_sorted<T>{{descending}},
              line_input(lines.contiguous(numbers.data)));
}

template <class Exec, class T, class Order>
void sort_values(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<T>& out,
                 const strided<const T>& in, Order order) {
  if (lines.size() == 0) return;
  if constexpr (is_device<Exec> && Order::by_bits)
    if (sorts_on_lanes<Exec>(lines)) return sort_by_lanes(label, exec, lines, out, in, order);
  if constexpr (has_vendor_sort<Exec> && Order::by_bits)
    if (by_radix(exec, lines)) return sort_numbers(label, exec, lines, out, in, order.descending);
  if constexpr (quicksorts_on<Exec> && quicksorts_numbers<T> && Order::by_bits)
    if (quicksort(label, exec, lines, out, in, order.descending)) return;
  using key = typename Order::key;
  order.signed_zeros = true;
  const scratch_array<Exec, key> memory(exec, 2 * lines.size());
  sort_buffer<key> keys{memory.data(), memory.data() + lines.size()};
  map_lines(label_text(label, "/keys"), exec, lines.contiguous(keys.data), make_key<Order>{order}, line_input(in));
  sort_items(label, exec, lines, keys, order);
  map_lines(label_text(label, "/result"), exec, out, value_of_key<Order>{order},
            line_input(lines.contiguous(keys.data)));
}

/// Values as the unsigned integers of their size, so that a vendor's sort is compiled for few types.
template <class To>
struct same_bits {
  template <class From>
  KOKKOS_FUNCTION To operator()(const From& v) const {
    if constexpr (sizeof(From) == sizeof(To)) return Kokkos::bit_cast<To>(v);
    else return static_cast<To>(v);  // a position
  }
};

/// Sorts values with keys. `values` are an input of a map; `store(keys, values, value_of)` gets both in order:
/// keys or items with them, and what `value_of` makes the values of. A sort of one line that may wait looks at the bits
/// in which keys differ alone, and may give the keys' distances from the least.
template <class Value, bool MayWait = false, class Exec, class K, class Order, class Values, class Store>
void sort_pairs(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<const K>& in,
                const Order& order, const Values& values, const Store& store) {
  using key = typename Order::key;
  const std::int64_t n = lines.size();
  if (n == 0) return;
  if constexpr (has_vendor_sort<Exec> && Order::by_bits && (sizeof(Value) == 4 || sizeof(Value) == 8)) {
    if (by_radix(exec, lines)) {
      using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
      sort_buffer<key> keys{nullptr, nullptr};
      sort_buffer<bits> moved{nullptr, nullptr};
      [[maybe_unused]] int* found = nullptr;  // whether a zero is negative
      const scratch_arrays<Exec> memory(exec, scratch_part{keys.data, n}, scratch_part{keys.other, n},
                                        scratch_part{moved.data, n}, scratch_part{moved.other, n},
                                        scratch_part{found, keeps_zero_signs<Order> ? 1 : 0});
      if constexpr (keeps_zero_signs<Order>) {
        fill_scratch(label_text(label, "/zeros"), exec, found, 1, 0);
        map_lines(label_text(label, "/keys"), exec, lines.contiguous(keys.data),
                  make_key_of_zeros<K>{by_order<K>{order.descending}, found}, line_input(in));
      } else {
        map_lines(label_text(label, "/keys"), exec, lines.contiguous(keys.data), make_key<Order>{order},
                  line_input(in));
      }
      map_lines(label_text(label, "/values"), exec, lines.contiguous(moved.data), same_bits<bits>(), values);
      bit_range digits = all_bits<key>;
      if constexpr (MayWait) digits = narrow_keys(label, exec, n, keys.data).bits;
      vendor_sort(label, exec, lines.count, lines.n, digits, keys, moved);
      if constexpr (keeps_zero_signs<Order>)
        put_zero_signs(label, exec, lines.count, lines.n, in, order, found, keys.data);
      return store(lines.contiguous(keys.data), lines.contiguous(moved.data), same_bits<Value>());
    }
  }
  using item = keyed_item<key, Value>;
  const scratch_array<Exec, item> memory(exec, 2 * n);
  sort_buffer<item> items{memory.data(), memory.data() + n};
  map_lines(label_text(label, "/keys"), exec, lines.contiguous(items.data), make_item<Order, Value>{order},
            line_input(in), values);
  sort_items(label, exec, lines, items, order);
  store(lines.contiguous(items.data), lines.contiguous(items.data), value_of_item());
}

/// Positions in sorted order, as an Index that holds them.
template <class Index, class Exec, class T, class Out, class Order>
void sort_positions(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<Out>& out,
                    const strided<const T>& in, const Order& order) {
  const auto write = [&](const auto&, const auto& sorted, const auto& value_of) {
    map_lines(label_text(label, "/result"), exec, out, value_of, line_input(sorted));
  };
  // Without the positions, which a quicksort makes itself.
  if constexpr (quicksorts_on<Exec> && Order::by_bits) {
    using key = typename Order::key;
    const auto key_at = [&](std::int64_t i) { return order.encode(in.data[i * in.stride[lines.extents.rank - 1]]); };
    if (quicksorts_positions<key>(lines, by_radix(exec, lines), keyed_tuning<Exec>::quicksort_positions, key_at)) {
      key* keys = nullptr;
      std::uint64_t* positions = nullptr;
      const scratch_arrays<Exec> memory(exec, scratch_part{keys, lines.size()}, scratch_part{positions, lines.size()});
      map_lines(label_text(label, "/keys"), exec, lines.contiguous(keys), make_key<Order>{order}, line_input(in));
      const key* const sorted_by = keys;
      if (quicksort_positions(label, exec, lines.count, lines.n, 1, sorted_by, equal_keys(order), positions))
        return write(keys, lines.contiguous(positions), same_bits<Index>());
    }
  }
  sort_pairs<Index>(label, exec, lines, in, order, lines.positions(), write);
}

#define QUERN_SORT_POSITIONS(HOW, Exec, T, Index)                                             \
  HOW template void sort_positions<Index>(const std::string&, const Exec&, const sort_lines&, \
                                          const strided<std::int64_t>&, const strided<const T>&, const by_order<T>&);
#define QUERN_SORT(HOW, Exec, T)                                                                       \
  HOW template void sort_values(const std::string&, const Exec&, const sort_lines&, const strided<T>&, \
                                const strided<const T>&, by_order<T>);                                 \
  QUERN_SORT_POSITIONS(HOW, Exec, T, std::uint32_t)                                                    \
  QUERN_SORT_POSITIONS(HOW, Exec, T, std::uint64_t)
QUERN_COMPILED_ELSEWHERE(QUERN_SORT)

template <class T>
inline constexpr bool can_sort = std::is_arithmetic_v<T> || is_half<T>;

/// The checks of a sort of T with options.
template <class T, class... Options>
constexpr void require_order() {
  static_assert(can_sort<T> || (is_comparator_option<Options, T> || ...),
                "quern::sort: values that are not real numbers need a comparator");
  static_assert(std::is_trivially_copyable_v<T>, "quern::sort: values must be trivially copyable");
}

struct sorts {};

/// Sorts of arrays in memory.
template <>
struct engine<in_memory, sorts> {
  template <class Exec, class Out, class X, class... Options>
  static void run(const Exec& exec, const Out& out_view, const X& x_view, const Options&... options) {
    using T = value_of<X>;
    const call c("quern::sort", exec);
    const auto elements = c.elements(x_view);
    const auto out = c.output(out_view);
    const shape extents = operand_extents(c.label, x_view);
    check_extents(c.label, "out", out.extents, extents);
    check_overlap(c.label, out, elements, "x", true);
    const sort_lines lines(c.label, extents, options...);
    strided<const T> x{out.data, out.extents, out.stride};
    if constexpr (view_like<X>) x = as_source(elements);
    else map_checked(label_text(c.label, "/values"), exec, out_view, op::identity(), x_view);
    sort_values(c.label, exec, lines, lines.of(out), lines.of(x), ordering_of<T>(options...));
  }
};

}  // namespace impl

/// The elements of x along each line in order: `numpy.sort`. See the table above for options.
///
/// Without a comparator, NaN come back as quiet NaN without a payload, and the order of zeros of different signs is not
/// defined.
///
/// Over ranks, out and x are DistributedViews. Along an axis that is not cut each rank sorts its lines, of equal blocks
/// of out and x. Arrays of rank 1 are sorted over all ranks, by their own order: the first rank has what comes first,
/// each as many elements as its block of out. There each rank sorts its elements; the values at the boundaries of the
/// final blocks are found exactly, by bisection over the counts of all ranks; one exchange brings each element to its
/// rank, which sorts what it has received. That needs memory for three copies of a block. Collective; waits.
/// @param out of x's type and extents; may be x
/// @throws Error if extents do not fit, the axis is out of range, or `out` shares memory with x without being it
template <execution_space Exec, result_view Out, any_array X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void sort(const Exec& exec, const Out& out, const X& x, const Options&... options) {
  using T = impl::value_of<X>;
  static_assert(std::is_same_v<T, impl::value_of<Out>>, "quern::sort: out must be of x's value type");
  impl::require_order<T, Options...>();
  impl::engine_of<impl::sorts, Out, X>::run(exec, out, x, options...);
}
template <result_view Out, any_array X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void sort(const Out& out, const X& x, const Options&... options) {
  sort(impl::space_of(out, x), out, x, options...);
}
/// Sorts x in place.
template <execution_space Exec, result_view X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void sort(const Exec& exec, const X& x, const Options&... options) {
  sort(exec, x, x, options...);
}
template <result_view X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void sort(const X& x, const Options&... options) {
  sort(impl::space_of(x), x, x, options...);
}
QUERN_TAKES_NAME(sort)

/// Positions along each line that put x in order: `numpy.argsort(x, kind="stable")`.
///
/// @param out of an integer type that holds the positions, with x's extents
/// @throws Error if extents or out's type do not fit, the axis is out of range, or `out` shares memory with x
template <execution_space Exec, view_like Out, view_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void argsort(const Exec& exec, const Out& out_view, const X& x_view, const Options&... options) {
  using T = impl::value_of<X>;
  using O = impl::value_of<Out>;
  impl::require_order<T, Options...>();
  impl::call c("quern::argsort", exec);
  const auto x = c.input(x_view);
  const impl::sort_lines lines(c.label, x.extents, options...);
  const auto out = impl::position_output(c, "out", out_view, x.extents, lines.n, x);
  const auto order = impl::ordering_of<T>(options...);
  if constexpr (sizeof(O) > 4)
    if (!std::in_range<std::uint32_t>(lines.n))
      return impl::sort_positions<std::uint64_t>(c.label, exec, lines, lines.of(out), lines.of(x), order);
  impl::sort_positions<std::uint32_t>(c.label, exec, lines, lines.of(out), lines.of(x), order);
}
template <view_like Out, view_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void argsort(const Out& out, const X& x, const Options&... options) {
  argsort(impl::space_of(out), out, x, options...);
}
QUERN_REJECTS(computed, argsort)
QUERN_TAKES_NAME_NOT(place, argsort)

/// Puts keys in order along each line, and values as their keys: NumPy's `order = argsort(keys, kind="stable")`, then
/// `keys[order]` and `values[order]`.
///
/// Stable: zeros of either sign are equal, and keep their order and their signs. Without a comparator, NaN come back as
/// quiet NaN without a payload.
/// @param keys, values of equal extents; values may be `quern::rows<k>` of a View (n, k)
/// @throws Error if extents do not fit, the axis is out of range, or keys and values share memory
template <execution_space Exec, view_like Keys, stored_array Values, class... Options>
  requires impl::sort_options<impl::value_of<Keys>, Options...>
void sort_by_key(const Exec& exec, const Keys& keys_view, const Values& values_view, const Options&... options) {
  using K = impl::value_of<Keys>;
  using V = impl::value_of<Values>;
  impl::require_order<K, Options...>();
  static_assert(std::is_trivially_copyable_v<V>, "quern::sort_by_key: values must be trivially copyable");
  impl::call c("quern::sort_by_key", exec);
  const auto in = c.input(keys_view);
  const auto moved = impl::make_input<Exec>(values_view, c.label).array;
  const auto keys = c.output(keys_view);
  const auto values = c.output(values_view);
  impl::check_extents(c.label, "values", values.extents, keys.extents);
  impl::check_overlap(c.label, keys, values, "values", false);
  const impl::sort_lines lines(c.label, keys.extents, options...);
  const auto order = impl::keeping_zero_signs(impl::ordering_of<K>(options...));
  using Order = std::remove_const_t<decltype(order)>;
  impl::sort_pairs<V>(c.label, exec, lines, lines.of(in), order, impl::line_input(lines.of(moved)),
                      [&](const auto& sorted_keys, const auto& sorted, const auto& value_of) {
                        impl::map_lines(impl::label_text(c.label, "/keys"), exec, lines.of(keys),
                                        impl::value_of_key<Order>{order}, impl::line_input(sorted_keys));
                        impl::map_lines(impl::label_text(c.label, "/values"), exec, lines.of(values), value_of,
                                        impl::line_input(sorted));
                      });
}
template <view_like Keys, stored_array Values, class... Options>
  requires impl::sort_options<impl::value_of<Keys>, Options...>
void sort_by_key(const Keys& keys, const Values& values, const Options&... options) {
  sort_by_key(impl::space_of(keys), keys, values, options...);
}
QUERN_TAKES_NAME_NOT(place, sort_by_key)

}  // namespace quern

#endif
