// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_TOP_K_HPP
#define QUERN_KEYED_TOP_K_HPP

/// @file
/// The first elements of arrays in order, without sorting all of them.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/keyed/compaction.hpp>
#include <quern/keyed/counted.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/keyed/lane_top_k.hpp>
#include <quern/keyed/map_lines.hpp>
#include <quern/keyed/row_lines.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/keyed/tuning.hpp>
#include <quern/reducers/counted_selection.hpp>

namespace quern {
namespace impl {

/// A search for the key of a rank, digit by digit: what is known of the key, and its rank among those that share that.
/// reducers/counted_selection.hpp says why quantiles have others.
template <class Key>
struct rank_search {
  static constexpr int digit_bits = 11, digits = 1 << digit_bits;
  Key known;
  std::int64_t rank, less;  // and how many are less than those
};

/// The next digit of keys that begin as what is known.
template <class T>
struct digit_of_candidates {
  using value_type = T;
  static constexpr int rank = 1;
  using key = typename by_order<T>::key;
  by_order<T> order;
  const rank_search<key>* search;
  int shift, width;  // of the digit
  KOKKOS_FUNCTION std::int64_t operator()(const T& x) const {
    const key k = order.encode(x);
    const bool candidate =
        shift + width >= 8 * static_cast<int>(sizeof(key)) || (k ^ search->known) >> (shift + width) == 0;
    return candidate ? static_cast<std::int64_t>(k >> shift & ((key{1} << width) - 1)) : -1;
  }
};
/// Chooses the digit that the rank falls to, by a team of which each thread has some digits.
template <class Exec, class Key>
struct choose_digit {
  static constexpr int team = tuning<Exec>::team_size;
  using policy = Kokkos::TeamPolicy<Exec>;
  rank_search<Key>* search;
  const std::int64_t* counts;
  int shift, width;
  KOKKOS_FUNCTION void operator()(const typename policy::member_type& threads) const {
    const int share = ((1 << width) + team - 1) / team, first = threads.team_rank() * share;
    const int last = Kokkos::min(first + share, 1 << width);
    const std::int64_t rank = search->rank;
    std::int64_t mine = 0;
    for (int d = first; d < last; ++d) mine += counts[d];
    const std::int64_t before = threads.team_scan(mine);
    threads.team_barrier();  // all know the rank
    if (rank < before || rank >= before + mine) return;
    std::int64_t left = rank - before;
    search->known |= static_cast<Key>(digit_of_rank(counts, first, left)) << shift;
    search->rank = left;
    search->less += rank - left;
  }
};

/// Whether all of n elements are `limit` or come after it. Without branches, for vector instructions, which count in
/// integers as wide as the elements.
template <class T>
bool none_before(const by_order<T>& order, const T* x, std::int64_t stride, std::int64_t n, const T& limit) {
  if (order.signed_zeros) return false;  // which in_order takes for equal
  const auto all_in_order = [&](bool descending, std::int64_t step) {
    const by_order<T> same{descending};
    typename by_order<T>::key before = 0;
    for (std::int64_t i = 0; i < n; ++i) before |= same.in_order(limit, x[i * step]) ? 0 : 1;
    return before == 0;
  };
  if (stride != 1) return all_in_order(order.descending, stride);
  return order.descending ? all_in_order(true, 1) : all_in_order(false, 1);
}

/// The first k elements of x in order, and their positions. Hosts look at each element once: of a part of the line they
/// keep those that come before the k-th found so far.
template <class Exec, class T, class Index>
void select_first_on_host(const std::string& label, const Exec& exec, const strided<const T>& x,
                          const by_order<T>& order, std::int64_t k, T* values, Index* positions) {
  using key = typename by_order<T>::key;
  using item = keyed_item<key, Index>;
  const T* data = x.data;
  const std::int64_t n = x.extents.size(), stride = x.stride[0], room = std::min(2 * k + 1024, n);
  const std::int64_t parts = std::clamp<std::int64_t>(n / keyed_tuning<Exec>::select_least, 1, exec.concurrency());
  item* items = nullptr;          // `room` of each part
  std::int64_t* found = nullptr;  // of each part
  const scratch_arrays<Exec> memory(exec, scratch_part{items, parts * room}, scratch_part{found, parts});
  const auto before = [](const item& a, const item& b) {
    return a.key < b.key || (a.key == b.key && a.value < b.value);
  };
  constexpr std::int64_t passed_over = 64;  // elements at a time of which none is kept
  launch_units(exec, label_text(label, "/parts"), parts, [=](std::int64_t p) {
    item* mine = items + p * room;
    std::int64_t size = 0;
    key last{};
    T limit{};        // whose key that is
    bool all = true;  // as long as there are not k
    const auto take = [&](std::int64_t i) {
      const key e = order.encode(data[i * stride]);
      if (!(e < last || all)) return;
      mine[size++] = {e, static_cast<Index>(i)};
      if (size < room) return;
      std::nth_element(mine, mine + k - 1, mine + size, before);
      size = k;
      last = mine[k - 1].key;
      limit = data[static_cast<std::int64_t>(mine[k - 1].value) * stride];
      all = false;
    };
    const std::int64_t end = n * (p + 1) / parts;
    for (std::int64_t i = n * p / parts; i < end; i += passed_over) {
      const std::int64_t count = std::min(passed_over, end - i);
      if (!all && none_before(order, data + i * stride, stride, count, limit)) continue;
      for (std::int64_t j = i; j < i + count; ++j) take(j);
    }
    found[p] = size;
  });
  launch_units(exec, label_text(label, "/all"), 1, [=](std::int64_t) {
    std::int64_t size = 0;
    for (std::int64_t p = 0; p < parts; ++p) size = std::copy_n(items + p * room, found[p], items + size) - items;
    std::partial_sort(items, items + k, items + size, before);
    for (std::int64_t i = 0; i < k; ++i) {
      values[i] = data[static_cast<std::int64_t>(items[i].value) * stride];
      positions[i] = items[i].value;
    }
  });
}

/// Begins a search for the key of a rank, of which nothing is known.
template <class Key>
struct begin_search {
  rank_search<Key>* search;
  std::int64_t rank;
  KOKKOS_FUNCTION void operator()(int) const { *search = {0, rank, 0}; }
};
/// Whether an element is less than the key that was found, or equal to it; puts the first k of those. After those that
/// are less come those that are equal.
template <class T, class Index>
struct put_first {
  using key = typename by_order<T>::key;
  by_order<T> order;
  const T* data;
  std::int64_t stride, k;
  const rank_search<key>* search;
  bool equal;
  T* values;
  Index* positions;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const key e = order.encode(data[i * stride]);
    return equal ? e == search->known : e < search->known;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t at) const {
    if (equal) at += search->less;
    if (at >= k) return;
    values[at] = data[i * stride];
    positions[at] = static_cast<Index>(i);
  }
};

/// The first k elements of x, and their positions: those that come before the k-th and then its equals, each in the
/// order of positions.
template <class Exec, class T, class Index>
void select_first(const std::string& label, const Exec& exec, const strided<const T>& x, const by_order<T>& order,
                  std::int64_t k, T* values, Index* positions) {
  using key = typename by_order<T>::key;
  using search_type = rank_search<key>;
  const std::int64_t n = x.extents.extent[0];
  search_type* search = nullptr;
  std::int64_t* counts = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{search, 1}, scratch_part{counts, search_type::digits});
  Kokkos::parallel_for(kernel_label(label, "/begin"), Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       begin_search<key>{search, k - 1});
  for (int high = 8 * sizeof(key); high > 0; high -= search_type::digit_bits) {
    const int width = std::min(high, int{search_type::digit_bits}), shift = high - width;
    const strided<std::int64_t> bins{counts, shape{std::int64_t{1} << width}, {1}};
    fill_scratch(label_text(label, "/digits"), exec, counts, search_type::digits, std::int64_t{0});
    add_by_bin(exec, label_text(label, "/digits"), bins, x, digit_of_candidates<T>{order, search, shift, width});
    using choose = choose_digit<Exec, key>;
    Kokkos::parallel_for(kernel_label(label, "/choose"), typename choose::policy(exec, 1, choose::team),
                         choose{search, counts, shift, width});
  }
  for (const bool equal : {false, true}) {
    const put_first<T, Index> first{order, x.data, x.stride[0], k, search, equal, values, positions};
    for_selected(label_text(label, equal ? "/equal" : "/less"), exec, n, first, first, counts);
  }
}

/// Whether so few elements of a line are wanted that they are selected first. Else all are sorted.
template <class Exec, class Order>
bool selects(const sort_lines& lines, std::int64_t k) {
  using tune = keyed_tuning<Exec>;
  return Order::by_bits && lines.count == 1 && lines.n >= tune::select_line && k <= lines.n / tune::select_ratio;
}

/// The positions of the first k elements of each line in order, line after line. They move as `Index` meanwhile.
template <class Index, class Exec, class T, class Order>
void find_first_as(const std::string& label, const Exec& exec, const sort_lines& lines, std::int64_t k,
                   const strided<const T>& in, const Order& order, std::int64_t* positions) {
  sort_lines some = lines;
  some.n = some.extents.extent[some.extents.rank - 1] = k;
  const auto write = [&](const auto&, const auto& sorted, const auto& position_of) {
    map_lines(label_text(label, "/positions"), exec, some.contiguous(positions), position_of, line_input(sorted));
  };
  if constexpr (Order::by_bits) {
    if (selects<Exec, Order>(lines, k)) {
      T* values = nullptr;
      Index* rows = nullptr;
      const scratch_arrays<Exec> memory(exec, scratch_part{values, k}, scratch_part{rows, k});
      const strided<const T> all{in.data, shape{lines.n}, {in.stride[in.extents.rank - 1]}};
      const auto select = [&] { select_first(label, exec, all, order, k, values, rows); };
      if constexpr (is_device<Exec>) select();
      else if (k > keyed_tuning<Exec>::select_alone) select();
      else select_first_on_host(label, exec, all, order, k, values, rows);
      return sort_pairs<Index>(label_text(label, "/sort"), exec, some, some.contiguous<const T>(values), order,
                               line_input(some.contiguous(rows)), write);
    }
  }
  sort_pairs<Index>(label, exec, lines, in, order, lines.positions(), write);
}

template <class Exec, class T, class Order>
void first_positions(const std::string& label, const Exec& exec, const sort_lines& lines, std::int64_t k,
                     const strided<const T>& in, const Order& order, std::int64_t* positions) {
  with_index_type(lines.n,
                  [&]<class Index>(Index) { find_first_as<Index>(label, exec, lines, k, in, order, positions); });
}

#define QUERN_FIRST_POSITIONS(HOW, Exec, T)                                                           \
  HOW template void first_positions(const std::string&, const Exec&, const sort_lines&, std::int64_t, \
                                    const strided<const T>&, const by_order<T>&, std::int64_t*);
QUERN_COMPILED_ELSEWHERE(QUERN_FIRST_POSITIONS)

/// The element of a line at a position.
template <class T>
struct element_of_line {
  const T* x;
  std::int64_t stride;
  KOKKOS_FUNCTION T operator()(std::int64_t position, std::int64_t line) const { return x[line + position * stride]; }
};

/// A few elements of many short lines, each line in the registers of a warp. Whether it was done so.
template <class Exec, class T, class Positions>
bool first_by_lanes(const std::string& label, const Exec& exec, const strided<T>& out, const Positions& positions,
                    const strided<const T>& x, const sort_lines& lines, const by_order<T>& order) {
  const std::int64_t k = out.extents.extent[out.extents.rank - 1];
  if (!selects_on_lanes<Exec>(lines, k) || !are_row_lines(out)) return false;
  integer_rows position_rows;
  if constexpr (is_wanted<Positions>) {
    if (!are_row_lines(lines.of(positions))) return false;
    position_rows = integer_rows_of(lines.of(positions));
  }
  const bool in_place = has_adjacent_elements(x) && are_row_lines(x);
  const scratch_array<Exec, T> memory(exec, in_place ? 1 : lines.size());
  row_lines<const T> rows{memory.data(), lines.n};
  if (in_place) rows = row_lines_of(x);
  else map_lines(label_text(label, "/rows"), exec, lines.contiguous(memory.data()), op::identity(), line_input(x));
  write_first_on_lanes(label_text(label, "/lanes"), exec, lines, k, rows, order, row_lines_of(out), position_rows);
  return true;
}

/// Serves `partial_sort` and `top_k`. `positions` may be no_output; out and x have the axis last.
template <class Exec, class Out, class Positions, class T, class Order>
void write_first(const std::string& label, const Exec& exec, const strided<Out>& out, const Positions& positions,
                 const strided<const T>& x, const sort_lines& lines, const Order& order) {
  sort_lines some = lines;
  some.extents = out.extents;
  some.n = some.extents.extent[some.extents.rank - 1];
  if (some.size() == 0) return;
  if constexpr (is_device<Exec> && Order::by_bits)
    if (first_by_lanes(label, exec, out, positions, x, lines, order)) return;
  if constexpr (Order::by_bits && !is_wanted<Positions>) {
    if (!selects<Exec, Order>(lines, some.n)) {
      const scratch_array<Exec, T> memory(exec, lines.size());
      const auto sorted = lines.contiguous(memory.data());
      sort_values(label, exec, lines, sorted, x, order);
      return map_lines(label_text(label, "/result"), exec, out, op::identity(), line_input(sorted));
    }
  }
  const scratch_array<Exec, std::int64_t> memory(exec, some.size());
  const auto found = line_input(some.contiguous(memory.data()));
  first_positions(label, exec, lines, some.n, x, order, memory.data());
  position_input line_of{{nullptr, some.extents, x.stride}};
  const std::int64_t stride = std::exchange(line_of.array.stride[some.extents.rank - 1], 0);
  map_lines(label_text(label, "/values"), exec, out, element_of_line<T>{x.data, stride}, found, line_of);
  if constexpr (is_wanted<Positions>)
    map_lines(label_text(label, "/result"), exec, lines.of(positions), op::identity(), found);
}

template <class Exec, class Out, class Positions, class X, class Order, class... Options>
void first_in_order(const operation_name& label, const Exec& exec, const Out& out_view, const Positions& positions_view,
                    const X& x_view, const Order& order, const Options&... options) {
  using T = value_of<X>;
  static_assert(std::is_same_v<T, value_of<Out>>, "quern::partial_sort, top_k: values must be of x's value type");
  require_order<T, Options...>();
  const call c(label, exec);
  const auto x = c.input(x_view);
  const auto out = c.output(out_view);
  const sort_lines lines(label, x.extents, options...);
  shape expected = x.extents;
  if (out.extents.rank == expected.rank)
    expected.extent[lines.along] = std::min(expected.extent[lines.along], out.extents.extent[lines.along]);
  if (out.extents != expected)
    reject_extents(label, "out", out.extents,
                   "those of x, " + x.extents.str() + ", or fewer along axis " + std::to_string(lines.along));
  check_overlap(label, out, x, "x", false);
  const auto positions = position_output(c, "positions", positions_view, out.extents, lines.n, x);
  if constexpr (is_wanted<Positions>) check_overlap(label, out, positions, "positions", false);
  write_first(label, exec, lines.of(out), positions, lines.of(x), lines, order);
}

}  // namespace impl

/// The first elements of x along each line in the order of `sort`, as many as `out` has: `out` is the beginning of the
/// sorted x.
///
/// Of few elements of a long line (an eighth of 65536 or more) without a comparator, the last is found by its digits,
/// eleven bits at a time; then only those before it are sorted. Hosts look at each element once for up to 4096. Of up
/// to 32 elements of lines of up to 1024 devices find one after the other in the registers of a warp. Else all are
/// sorted. Options, asynchrony, memory and what becomes of NaN and zeros as for `sort`.
///
/// @param out of x's type and extents, except for the axis (the last one without an option), along which it has fewer
/// @throws Error if extents do not fit (k is larger than n), the axis is out of range, or memory is shared
template <execution_space Exec, view_like Out, view_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void partial_sort(const Exec& exec, const Out& out, const X& x, const Options&... options) {
  impl::first_in_order("quern::partial_sort", exec, out, impl::no_output(), x,
                       impl::ordering_of<impl::value_of<X>>(options...), options...);
}
template <view_like Out, view_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void partial_sort(const Out& out, const X& x, const Options&... options) {
  partial_sort(impl::space_of(out), out, x, options...);
}
QUERN_REJECTS(computed, partial_sort)
QUERN_TAKES_NAME_NOT(place, partial_sort)

/// The largest elements of x along each line, from the largest down, and their positions; of equal ones the first.
/// NaN count as less than all numbers. With `sort_order::ascending` or a comparator those that come first in that
/// order.
///
/// @param values, positions of equal extents; see `partial_sort`. Positions are of an integer type that holds them
template <execution_space Exec, view_like Values, view_like Positions, view_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void top_k(const Exec& exec, const Values& values, const Positions& positions, const X& x, const Options&... options) {
  using T = impl::value_of<X>;
  const auto ordered_by = [&] {
    if constexpr ((impl::is_option<axis, Options> && ...)) return impl::by_order<T>{true};
    else return impl::ordering_of<T>(options...);
  };
  impl::first_in_order("quern::top_k", exec, values, positions, x, ordered_by(), options...);
}
template <view_like Values, view_like Positions, view_like X, class... Options>
  requires impl::sort_options<impl::value_of<X>, Options...>
void top_k(const Values& values, const Positions& positions, const X& x, const Options&... options) {
  top_k(impl::space_of(values), values, positions, x, options...);
}
QUERN_REJECTS(computed, top_k)
QUERN_TAKES_NAME_NOT(place, top_k)

}  // namespace quern

#endif
