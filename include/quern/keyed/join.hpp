// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_JOIN_HPP
#define QUERN_KEYED_JOIN_HPP

/// @file
/// Joins of two columns of keys: which rows of one belong to which of the other.
///
/// | call | result |
/// | --- | --- |
/// | `n = join(exec, left_rows, right_rows, left, right)` | all pairs of rows with equal keys |
/// | `n = left_join(exec, left_rows, right_rows, left, right)` | the same, and left rows without a partner with -1 |
/// | `n = full_join(exec, left_rows, right_rows, left, right)` | the same, and then such right rows with -1 |
/// | `n = semi_join(exec, left_rows, left, right)` | the left rows with a partner |
/// | `n = anti_join(exec, left_rows, left, right)` | the left rows without one |
/// | `n = join_count(exec, left, right)`, `left_join_count`, `full_join_count` | how many pairs they give |
///
/// Keys are of any real number type, the same on both sides, in Views of rank 1; NaN is equal to NaN here, and zeros of
/// either sign are equal. A key may occur any number of times on both sides. Pairs are in the order of the left rows,
/// and those of one left row in the order of the right rows. So are the right rows behind those of a full join.
///
/// Results go to Views of rank 1 and a signed integer type that are large enough: ask the counting call first, or pass
/// what is surely enough. These calls wait for `exec` and return the number of results, which is a `CapacityError`
/// where they have no room; with `size_to{n}` as the last argument they do not wait and write the number to the rank-0
/// View n of `std::int64_t`, and what does not fit is left out. Without exec they run on a default instance of the
/// execution space of the first View.
///
/// The right keys are sorted, and the left ones searched among them. Scratch memory is that of `argsort` of the right
/// column, and 16 bytes for each left row; for semi_join and anti_join that of `sort`, the right column once more, and
/// a byte for each left row. full_join takes that of left_join and then, for the right rows, that of anti_join.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/keyed/bins.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/sort.hpp>

namespace quern {
namespace impl {

/// Which rows without a partner make pairs with -1.
enum class lone_rows { none, left, both };

/// The right keys in order, with their rows.
template <class Key, class Row>
struct sorted_rows {
  const Key* keys;
  const Row* rows;
  std::int64_t n;

  /// How many keys are less than each of some.
  template <int Several>
  KOKKOS_FUNCTION void before(const Key (&key)[Several], std::int64_t (&at)[Several]) const {
    partition_points(keys, 1, n, key, at, [](Key there, Key one) { return there < one; });
  }
  KOKKOS_FUNCTION bool is_at(std::int64_t at, Key key) const { return at < n && keys[at] == key; }
  /// How many keys from one's first place on are equal to it. Most are few, so the search doubles its steps.
  KOKKOS_FUNCTION std::int64_t equal_from(std::int64_t at, Key key) const {
    std::int64_t equal = 0, step = 1;
    for (; is_at(at + equal + step - 1, key); step *= 2) equal += step;
    const std::int64_t rest = Kokkos::min(step, n - at - equal);
    return equal + partition_point(keys + at + equal, 1, rest, [=](Key there) { return there == key; });
  }
};

/// f(i) for n rows; on hosts `f.operator()<searched_at_once>(i)` for as many of them from i on.
template <class Exec, class F>
void for_rows(const Exec& exec, const std::string& label, std::int64_t n, const F& f) {
  if constexpr (is_device<Exec>) {
    Kokkos::parallel_for(kernel_label(label), index_range(exec, n), f);
  } else {
    const std::int64_t blocks = (n + searched_at_once - 1) / searched_at_once;
    Kokkos::parallel_for(kernel_label(label), index_range(exec, blocks), [=](std::int64_t block) {
      std::int64_t i = block * searched_at_once;
      if (i + searched_at_once <= n) f.template operator()<searched_at_once>(i);
      else
        for (; i < n; ++i) f(i);
    });
  }
}

/// Sorts the right keys and calls `f(sorted_rows)`.
template <class Row, class Exec, class T, class F>
void with_sorted_rows(const std::string& label, const Exec& exec, const strided<const T>& right, const F& f) {
  using key = typename by_order<T>::key;
  const sort_lines lines = sort_lines::flat(right.extents);
  key* keys = nullptr;
  Row* rows = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{keys, lines.n}, scratch_part{rows, lines.n});
  sort_pairs<Row>(label_text(label, "/sort"), exec, lines, right, by_order<T>(), lines.positions(),
                  [&](const auto& sorted, const auto& moved, const auto& row_of) {
                    map_lines(label_text(label, "/keys"), exec, lines.contiguous(keys), key_of_item(),
                              line_input(sorted));
                    map_lines(label_text(label, "/rows"), exec, lines.contiguous(rows), row_of, line_input(moved));
                  });
  f(sorted_rows<key, Row>{keys, rows, lines.n});
}

/// The partners of left rows: where they begin among the right keys, and how many they are.
template <class T, class Sorted>
struct find_partners {
  const T* left;
  std::int64_t stride;
  Sorted right;
  std::int64_t *begin, *partners;
  template <int Several = 1>
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    typename by_order<T>::key key[Several];
    std::int64_t at[Several];
    for (int k = 0; k < Several; ++k) key[k] = by_order<T>().encode(left[(i + k) * stride]);
    right.before(key, at);
    for (int k = 0; k < Several; ++k) {
      begin[i + k] = at[k];
      partners[i + k] = right.equal_from(at[k], key[k]);
    }
  }
};
/// From the numbers of partners to those of the pairs before each row. A row of a left join that has none makes a pair
/// all the same, with -1.
struct add_partners {
  bool keep_all;
  std::int64_t n;
  std::int64_t *begin, *pairs_before, *number;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& before, bool final) const {
    const std::int64_t partners = pairs_before[i];
    if (final) {
      pairs_before[i] = before;
      if (partners == 0) begin[i] = -1;
    }
    before += keep_all && partners == 0 ? 1 : partners;
    if (final && i == n - 1) *number = before;
  }
};

/// Each pair finds its left row, so that keys with many partners are no more work for one thread than others.
template <class Row, class L, class R>
struct put_pairs {
  const Row* rows;  // of the right keys in order
  const std::int64_t *begin, *pairs_before, *number;
  std::int64_t n;
  result_row<L> left;
  result_row<R> right;
  template <int Several = 1>
  KOKKOS_FUNCTION void operator()(std::int64_t first) const {
    if (first >= *number) return;
    std::int64_t pair[Several], rows_before[Several];
    for (int k = 0; k < Several; ++k) pair[k] = first + k;
    partition_points(pairs_before, 1, n, pair, rows_before,
                     [](std::int64_t before, std::int64_t p) { return before <= p; });
    for (int k = 0; k < Several; ++k)
      if (pair[k] < *number) put(pair[k], rows_before[k]);
  }
  /// The last row with no more than k pairs before is a pair's own; rows without pairs come first.
  KOKKOS_FUNCTION void put(std::int64_t k, std::int64_t rows_before) const {
    const std::int64_t row = rows_before - 1;
    left.set(k, row);
    right.set(k, begin[row] < 0 ? -1 : static_cast<std::int64_t>(rows[begin[row] + k - pairs_before[row]]));
  }
};

template <class Exec, class Left, class Right>
auto check_join(const std::string& label, const std::int64_t* number, const Left& left_view, const Right& right_view) {
  using T = value_of<Left>;
  static_assert(std::is_same_v<T, value_of<Right>>, "quern::join: the keys must be of one type");
  static_assert(can_sort<T>, "quern::join: keys must be real numbers");
  const auto left = require_rank_1(label, "the left column", make_input<Exec>(left_view, label).array);
  const auto right = require_rank_1(label, "the right column", make_input<Exec>(right_view, label).array);
  check_number_apart(label, number, left, "the left column");
  check_number_apart(label, number, right, "the right column");
  return std::pair(left, right);
}
template <class Exec, class V, class Column, class... In>
auto make_rows(const std::string& label, std::string_view name, const V& view, const Column& of, const In&... in) {
  if constexpr (is_wanted<V>) {
    static_assert(std::is_integral_v<value_of<V>> && std::is_signed_v<value_of<V>>,
                  "quern::join: rows must be of a signed integer type");
    check_positions<value_of<V>>(label, name, of.extents.extent[0]);
  }
  return make_result<Exec>(label, name, view, of, in...);
}

/// Marks the left rows whose key is among the right ones, which are sorted; or those whose key is not, if that is
/// wanted.
template <class T>
struct mark_rows {
  const T* left;
  std::int64_t stride;
  const T* right;
  std::int64_t n;
  bool wanted;
  std::uint8_t* marks;
  template <int Several = 1>
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T key[Several];
    std::int64_t at[Several];
    for (int k = 0; k < Several; ++k) key[k] = left[(i + k) * stride];
    positions_in(right, 1, n, key, at, false);
    for (int k = 0; k < Several; ++k) {
      const bool found = at[k] < n && (right[at[k]] == key[k] || is_nan(key[k]));
      marks[i + k] = found == wanted ? 1 : 0;
    }
  }
};
/// Marks the left rows whose key is among the right ones, or is not, and calls `f(marks)`.
template <class Exec, class T, class F>
void with_marks(const std::string& label, const Exec& exec, const strided<const T>& left, const strided<const T>& right,
                bool wanted, const F& f) {
  const sort_lines lines = sort_lines::flat(right.extents);
  const std::int64_t n = left.extents.extent[0];
  T* sorted = nullptr;
  std::uint8_t* marks = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{sorted, lines.n}, scratch_part{marks, n});
  sort_values(label_text(label, "/sort"), exec, lines, lines.contiguous(sorted), right, by_order<T>());
  for_rows(exec, label_text(label, "/search"), n,
           mark_rows<T>{left.data, left.stride[0], sorted, lines.n, wanted, marks});
  f(is_marked<std::uint8_t>{marks});
}

/// Right rows behind the pairs that are there.
template <class L, class R>
struct put_behind {
  const std::int64_t* pairs;
  result_row<L> left;
  result_row<R> right;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    left.set(*pairs + k, std::int64_t{-1});
    right.set(*pairs + k, row);
  }
};
struct add_number {
  std::int64_t* number;
  const std::int64_t* more;
  KOKKOS_FUNCTION void operator()(int) const { *number += *more; }
};
/// Adds a pair for each right row whose key no left row has.
template <class Exec, class T, class L, class R>
void append_right_rows(const std::string& label, const Exec& exec, std::int64_t* number, const result_row<L>& left_rows,
                       const result_row<R>& right_rows, const strided<const T>& left, const strided<const T>& right) {
  std::int64_t* more = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{more, std::int64_t{1}});
  with_marks(label, exec, right, left, false, [&](const auto& alone) {
    for_selected(label_text(label, "/append"), exec, right.extents.extent[0], alone,
                 put_behind<L, R>{number, left_rows, right_rows}, more);
  });
  Kokkos::parallel_for(kernel_label(label, "/number"), Kokkos::RangePolicy<Exec, int>(exec, 0, 1),
                       add_number{number, more});
}

/// Pairs of rows; with no room none are written, but counted.
template <class Exec, class T, class L, class R>
void join_into(const std::string& label, const Exec& exec, std::int64_t* number, const result_row<L>& left_rows,
               const result_row<R>& right_rows, const strided<const T>& left, const strided<const T>& right,
               bool keep_all) {
  const std::int64_t n = left.extents.extent[0], room = std::min(left_rows.room, right_rows.room);
  fill_scratch(label_text(label, "/count"), exec, number, 1, std::int64_t{0});
  if (n == 0) return;
  with_index_type(right.extents.extent[0], [&]<class Row>(Row) {
    with_sorted_rows<Row>(label, exec, right, [&]<class Sorted>(const Sorted& sorted) {
      std::int64_t *begin = nullptr, *before = nullptr;
      const scratch_arrays<Exec> memory(exec, scratch_part{begin, n}, scratch_part{before, n});
      for_rows(exec, label_text(label, "/search"), n,
               find_partners<T, Sorted>{left.data, left.stride[0], sorted, begin, before});
      Kokkos::parallel_scan(kernel_label(label, "/add"), index_range(exec, n),
                            add_partners{keep_all, n, begin, before, number});
      for_rows(exec, label, room, put_pairs<Row, L, R>{sorted.rows, begin, before, number, n, left_rows, right_rows});
    });
  });
}

/// A join to the Views of both sides, which are no_output where its pairs are only counted.
template <lone_rows Lone, class Exec, class LeftRows, class RightRows, class Left, class Right, class... Size>
auto join_pairs(const operation_name& label, const Exec& exec, const LeftRows& left_rows, const RightRows& right_rows,
                const Left& left_view, const Right& right_view, const Size&... size) {
  call c(label, exec);
  const auto run = [&](std::int64_t* number) {
    const auto [left, right] = check_join<Exec>(c.label, number, left_view, right_view);
    const auto left_out = make_rows<Exec>(c.label, "the left rows", left_rows, left, right);
    const auto right_out = make_rows<Exec>(c.label, "the right rows", right_rows, right, left);
    join_into(c.label, exec, number, left_out, right_out, left, right, Lone != lone_rows::none);
    if constexpr (Lone == lone_rows::both) append_right_rows(c.label, exec, number, left_out, right_out, left, right);
  };
  return run_counted(c, std::tuple_cat(wanted_output(left_rows), wanted_output(right_rows)), run, size...);
}
template <lone_rows Lone, class Exec, class Out, class Left, class Right>
auto count_pairs(const operation_name& label, const Exec& exec, const Out& out, const Left& left, const Right& right) {
  if constexpr (view_like<Out>) join_pairs<Lone>(label, exec, no_output(), no_output(), left, right, size_to{out});
  else return join_pairs<Lone>(label, exec, no_output(), no_output(), left, right);
}

/// The left rows whose key is among the right ones, or is not.
template <class Exec, class LeftRows, class Left, class Right, class... Size>
auto filter_rows(const operation_name& label, bool wanted, const Exec& exec, const LeftRows& left_rows,
                 const Left& left_view, const Right& right_view, const Size&... size) {
  call c(label, exec);
  const auto run = [&](std::int64_t* number) {
    const auto [left, right] = check_join<Exec>(c.label, number, left_view, right_view);
    const auto out = make_rows<Exec>(c.label, "the left rows", left_rows, left, right);
    with_marks(c.label, exec, left, right, wanted, [&, rows = left.extents.extent[0]](const auto& marked) {
      for_selected(c.label, exec, rows, marked, put_number<value_of<LeftRows>>{out}, number);
    });
  };
  return run_counted(c, std::tie(left_rows), run, size...);
}

}  // namespace impl

/// All pairs of a left and a right row with equal keys: SQL's inner join. See the table above.
template <execution_space Exec, view_like LeftRows, view_like RightRows, view_like Left, view_like Right,
          size_option... Size>
auto join(const Exec& exec, const LeftRows& left_rows, const RightRows& right_rows, const Left& left,
          const Right& right, const Size&... size) {
  return impl::join_pairs<impl::lone_rows::none>("quern::join", exec, left_rows, right_rows, left, right, size...);
}
template <view_like LeftRows, view_like RightRows, view_like Left, view_like Right, size_option... Size>
auto join(const LeftRows& left_rows, const RightRows& right_rows, const Left& left, const Right& right,
          const Size&... size) {
  return join(impl::space_of(left_rows), left_rows, right_rows, left, right, size...);
}
QUERN_TAKES_NAME_NOT(place, join)
/// The left join: a left row without a partner makes a pair with -1.
template <execution_space Exec, view_like LeftRows, view_like RightRows, view_like Left, view_like Right,
          size_option... Size>
auto left_join(const Exec& exec, const LeftRows& left_rows, const RightRows& right_rows, const Left& left,
               const Right& right, const Size&... size) {
  return impl::join_pairs<impl::lone_rows::left>("quern::left_join", exec, left_rows, right_rows, left, right, size...);
}
template <view_like LeftRows, view_like RightRows, view_like Left, view_like Right, size_option... Size>
auto left_join(const LeftRows& left_rows, const RightRows& right_rows, const Left& left, const Right& right,
               const Size&... size) {
  return left_join(impl::space_of(left_rows), left_rows, right_rows, left, right, size...);
}
QUERN_TAKES_NAME_NOT(place, left_join)
/// The full join: that of left_join, and behind it a pair with -1 for each right row without a partner.
template <execution_space Exec, view_like LeftRows, view_like RightRows, view_like Left, view_like Right,
          size_option... Size>
auto full_join(const Exec& exec, const LeftRows& left_rows, const RightRows& right_rows, const Left& left,
               const Right& right, const Size&... size) {
  return impl::join_pairs<impl::lone_rows::both>("quern::full_join", exec, left_rows, right_rows, left, right, size...);
}
template <view_like LeftRows, view_like RightRows, view_like Left, view_like Right, size_option... Size>
auto full_join(const LeftRows& left_rows, const RightRows& right_rows, const Left& left, const Right& right,
               const Size&... size) {
  return full_join(impl::space_of(left_rows), left_rows, right_rows, left, right, size...);
}
QUERN_TAKES_NAME_NOT(place, full_join)
/// The left rows whose key is among the right ones.
template <execution_space Exec, view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto semi_join(const Exec& exec, const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  return impl::filter_rows("quern::semi_join", true, exec, left_rows, left, right, size...);
}
template <view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto semi_join(const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  return semi_join(impl::space_of(left_rows), left_rows, left, right, size...);
}
QUERN_TAKES_NAME_NOT(place, semi_join)
/// The left rows whose key is not among the right ones.
template <execution_space Exec, view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto anti_join(const Exec& exec, const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  return impl::filter_rows("quern::anti_join", false, exec, left_rows, left, right, size...);
}
template <view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto anti_join(const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  return anti_join(impl::space_of(left_rows), left_rows, left, right, size...);
}
QUERN_TAKES_NAME_NOT(place, anti_join)

/// How many pairs `join` gives: `n = join_count(exec, left, right)`, or `join_count(exec, out, left, right)` into a
/// View.
template <execution_space Exec, result_like Out, view_like Left, view_like Right>
auto join_count(const Exec& exec, const Out& out, const Left& left, const Right& right) {
  return impl::count_pairs<impl::lone_rows::none>("quern::join_count", exec, out, left, right);
}
template <execution_space Exec, view_like Left, view_like Right>
auto join_count(const Exec& exec, const Left& left, const Right& right) {
  return join_count(exec, on_host, left, right);
}
template <view_like Left, view_like Right>
auto join_count(const Left& left, const Right& right) {
  return join_count(impl::space_of(left), on_host, left, right);
}
template <view_like Out, view_like Left, view_like Right>
void join_count(const Out& out, const Left& left, const Right& right) {
  join_count(impl::space_of(out), out, left, right);
}
QUERN_TAKES_NAME_NOT(option_or_place, join_count)
/// How many pairs `left_join` gives.
template <execution_space Exec, result_like Out, view_like Left, view_like Right>
auto left_join_count(const Exec& exec, const Out& out, const Left& left, const Right& right) {
  return impl::count_pairs<impl::lone_rows::left>("quern::left_join_count", exec, out, left, right);
}
template <execution_space Exec, view_like Left, view_like Right>
auto left_join_count(const Exec& exec, const Left& left, const Right& right) {
  return left_join_count(exec, on_host, left, right);
}
template <view_like Left, view_like Right>
auto left_join_count(const Left& left, const Right& right) {
  return left_join_count(impl::space_of(left), on_host, left, right);
}
template <view_like Out, view_like Left, view_like Right>
void left_join_count(const Out& out, const Left& left, const Right& right) {
  left_join_count(impl::space_of(out), out, left, right);
}
QUERN_TAKES_NAME_NOT(option_or_place, left_join_count)

/// How many pairs `full_join` gives.
template <execution_space Exec, result_like Out, view_like Left, view_like Right>
auto full_join_count(const Exec& exec, const Out& out, const Left& left, const Right& right) {
  return impl::count_pairs<impl::lone_rows::both>("quern::full_join_count", exec, out, left, right);
}
template <execution_space Exec, view_like Left, view_like Right>
auto full_join_count(const Exec& exec, const Left& left, const Right& right) {
  return full_join_count(exec, on_host, left, right);
}
template <view_like Left, view_like Right>
auto full_join_count(const Left& left, const Right& right) {
  return full_join_count(impl::space_of(left), on_host, left, right);
}
template <view_like Out, view_like Left, view_like Right>
void full_join_count(const Out& out, const Left& left, const Right& right) {
  full_join_count(impl::space_of(out), out, left, right);
}
QUERN_TAKES_NAME_NOT(option_or_place, full_join_count)

}  // namespace quern

#endif
