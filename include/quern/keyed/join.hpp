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
/// | `n = semi_join(exec, left_rows, left, right)` | the left rows with a partner |
/// | `n = anti_join(exec, left_rows, left, right)` | the left rows without one |
/// | `n = join_count(exec, left, right)`, `left_join_count` | how many pairs these joins give |
///
/// Keys are of any real number type, the same on both sides, in Views of rank 1; NaN is equal to NaN here, and zeros of
/// either sign are equal. A key may occur any number of times on both sides. Pairs are in the order of the left rows,
/// and those of one left row in the order of the right rows.
///
/// Results go to Views of rank 1 and a signed integer type that are large enough: ask the counting call first, or pass
/// what is surely enough. These calls wait for `exec` and return the number of results, which is a `CapacityError`
/// where they have no room; with `size_to{n}` as the last argument they do not wait and write the number to the rank-0
/// View n of `std::int64_t`, and what does not fit is left out. Without exec they run on a default instance of the
/// execution space of the first View.
///
/// The right keys are sorted, and the left ones searched among them. Scratch memory is that of `argsort` of the right
/// column, and 16 bytes for each left row; for semi_join and anti_join that of `sort`, the right column once more, and
/// a byte for each left row.

#include <quern/core/launch/operations.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/keyed/bins.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/sort.hpp>

namespace quern {
namespace impl {

/// The right keys in order, with their rows.
template <class Key, class Row>
struct sorted_rows {
  const Key* keys;
  const Row* rows;
  std::int64_t n;

  /// How many keys are less than one, and than each of as many as hosts search together.
  KOKKOS_FUNCTION std::int64_t before(Key key) const {
    return partition_point(keys, 1, n, [=](Key there) { return there < key; });
  }
  void before(const Key (&key)[searched_at_once], std::int64_t (&at)[searched_at_once]) const {
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

/// f(i) for n rows; on hosts f.from(i) for several of them from i on.
template <class Exec, class F>
void for_rows(const Exec& exec, const std::string& label, std::int64_t n, const F& f) {
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  if constexpr (is_device<Exec>) {
    Kokkos::parallel_for(label, range(exec, 0, n), f);
  } else {
    Kokkos::parallel_for(label, range(exec, 0, (n + searched_at_once - 1) / searched_at_once), [=](std::int64_t block) {
      std::int64_t i = block * searched_at_once;
      if (i + searched_at_once <= n) f.from(i);
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
  const scratch_array<Exec, key> keys(exec, lines.n);
  const scratch_array<Exec, Row> rows(exec, lines.n);
  sort_pairs<Row>(label + "/sort", exec, lines, right, by_order<T>(), lines.positions(),
                  [&](const auto& sorted, const auto& moved, const auto& row_of) {
                    map_lines(label + "/keys", exec, lines.contiguous(keys.data()), key_of_item(), line_input(sorted));
                    map_lines(label + "/rows", exec, lines.contiguous(rows.data()), row_of, line_input(moved));
                  });
  f(sorted_rows<key, Row>{keys.data(), rows.data(), lines.n});
}

/// The partners of left rows: where they begin among the right keys, and how many they are.
template <class T, class Sorted>
struct find_partners {
  const T* left;
  std::int64_t stride;
  Sorted right;
  std::int64_t *begin, *partners;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto key = by_order<T>().encode(left[i * stride]);
    begin[i] = right.before(key);
    partners[i] = right.equal_from(begin[i], key);
  }
  void from(std::int64_t i) const {
    typename by_order<T>::key key[searched_at_once];
    std::int64_t at[searched_at_once];
    for (int k = 0; k < searched_at_once; ++k) key[k] = by_order<T>().encode(left[(i + k) * stride]);
    right.before(key, at);
    for (int k = 0; k < searched_at_once; ++k) {
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
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k >= *number) return;
    put(k, partition_point(pairs_before, 1, n, [=](std::int64_t before) { return before <= k; }));
  }
  void from(std::int64_t first) const {
    if (first >= *number) return;
    std::int64_t pair[searched_at_once], rows_before[searched_at_once];
    for (int k = 0; k < searched_at_once; ++k) pair[k] = first + k;
    partition_points(pairs_before, 1, n, pair, rows_before,
                     [](std::int64_t before, std::int64_t p) { return before <= p; });
    for (int k = 0; k < searched_at_once; ++k)
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
auto check_join(const std::string& label, const Left& left, const Right& right) {
  using T = value_of<Left>;
  static_assert(std::is_same_v<T, value_of<Right>>, "quern::join: the keys must be of one type");
  static_assert(can_sort<T>, "quern::join: keys must be real numbers");
  return std::pair(require_rank_1(label, "the left column", make_input<Exec>(left, label).array),
                   require_rank_1(label, "the right column", make_input<Exec>(right, label).array));
}
template <class Exec, class V, class Column, class... In>
auto make_rows(const std::string& label, const std::string& name, const V& view, const Column& of, const In&... in) {
  static_assert(std::is_integral_v<value_of<V>> && std::is_signed_v<value_of<V>>,
                "quern::join: rows must be of a signed integer type");
  check_positions<value_of<V>>(label, name, of.extents.extent[0]);
  return make_result<Exec>(label, name, view, of, in...);
}
/// `f` with a type for row numbers.
template <class F>
void with_row_type(std::int64_t n, const F& f) {
  if (std::in_range<std::uint32_t>(n)) f(std::uint32_t());
  else f(std::uint64_t());
}

/// Pairs of rows; with no room none are written, but counted.
template <class Exec, class Count, class T, class L, class R>
void join_into(const std::string& label, const Exec& exec, const Count& count, const result_row<L>& left_rows,
               const result_row<R>& right_rows, const strided<const T>& left, const strided<const T>& right,
               bool keep_all) {
  std::int64_t* number = count_output<Exec>(label, count);
  const std::int64_t n = left.extents.extent[0], room = std::min(left_rows.room, right_rows.room);
  map_checked(label + "/count", exec, count, op::identity(), std::int64_t{0});
  if (n == 0) return;
  with_row_type(right.extents.extent[0], [&]<class Row>(Row) {
    with_sorted_rows<Row>(label, exec, right, [&]<class Sorted>(const Sorted& sorted) {
      const scratch_array<Exec, std::int64_t> begin(exec, n), before(exec, n);
      for_rows(exec, label + "/search", n,
               find_partners<T, Sorted>{left.data, left.stride[0], sorted, begin.data(), before.data()});
      Kokkos::parallel_scan(label + "/add", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                            add_partners{keep_all, n, begin.data(), before.data(), number});
      for_rows(exec, label, room,
               put_pairs<Row, L, R>{sorted.rows, begin.data(), before.data(), number, n, left_rows, right_rows});
    });
  });
}

template <class Exec, class Count, class LeftRows, class RightRows, class Left, class Right>
void join_pairs(const std::string& label, bool keep_all, const Exec& exec, const Count& count,
                const LeftRows& left_rows, const RightRows& right_rows, const Left& left_view,
                const Right& right_view) {
  const auto [left, right] = check_join<Exec>(label, left_view, right_view);
  join_into(label, exec, count, make_rows<Exec>(label, "the left rows", left_rows, left, right),
            make_rows<Exec>(label, "the right rows", right_rows, right, left), left, right, keep_all);
}
template <class Exec, class Out, class Left, class Right>
auto count_pairs(const char* label, bool keep_all, const Exec& exec, const Out& out, const Left& left_view,
                 const Right& right_view) {
  call c(label, exec);
  const auto [left, right] = check_join<Exec>(c.label, left_view, right_view);
  const result_row<std::int64_t> none;
  if constexpr (view_like<Out>) {
    join_into(c.label, exec, out, none, none, left, right, keep_all);
  } else {
    auto* number = c.template result<std::int64_t>();
    join_into(c.label, exec, pinned_view<Exec, std::int64_t>(number), none, none, left, right, keep_all);
    exec.fence(c.label + ": wait for the number of results");
    return std::int64_t{*number};
  }
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
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const T key = left[i * stride];
    mark(i, key, position_in(right, 1, n, key, false));
  }
  void from(std::int64_t i) const {
    T key[searched_at_once];
    std::int64_t at[searched_at_once];
    for (int k = 0; k < searched_at_once; ++k) key[k] = left[(i + k) * stride];
    positions_in(right, 1, n, key, at, false);
    for (int k = 0; k < searched_at_once; ++k) mark(i + k, key[k], at[k]);
  }
  KOKKOS_FUNCTION void mark(std::int64_t i, const T& key, std::int64_t at) const {
    const bool found = at < n && (right[at] == key || is_nan(key));
    marks[i] = found == wanted ? 1 : 0;
  }
};
template <class T>
struct put_number {
  result_row<T> out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const { out.set(k, i); }
};
template <class Exec, class Count, class LeftRows, class Left, class Right>
void filter_rows(const std::string& label, bool wanted, const Exec& exec, const Count& count, const LeftRows& left_rows,
                 const Left& left_view, const Right& right_view) {
  using T = value_of<Left>;
  const auto [left, right] = check_join<Exec>(label, left_view, right_view);
  const auto out = make_rows<Exec>(label, "the left rows", left_rows, left, right);
  std::int64_t* number = count_output<Exec>(label, count);
  const sort_lines lines = sort_lines::flat(right.extents);
  const scratch_array<Exec, T> sorted(exec, lines.n);
  sort_values(label + "/sort", exec, lines, lines.contiguous(sorted.data()), right, by_order<T>());
  const std::int64_t n = left.extents.extent[0];
  const scratch_array<Exec, std::uint8_t> marks(exec, n);
  for_rows(exec, label + "/search", n,
           mark_rows<T>{left.data, left.stride[0], sorted.data(), lines.n, wanted, marks.data()});
  for_kept(label, exec, n, is_marked<std::uint8_t>{marks.data()}, put_number<value_of<LeftRows>>{out}, number);
}

}  // namespace impl

/// All pairs of a left and a right row with equal keys: SQL's inner join. See the table above.
template <execution_space Exec, view_like LeftRows, view_like RightRows, view_like Left, view_like Right,
          size_option... Size>
auto join(const Exec& exec, const LeftRows& left_rows, const RightRows& right_rows, const Left& left,
          const Right& right, const Size&... size) {
  impl::call c("quern::join", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::join_pairs(c.label, false, exec, number, results..., left, right);
  };
  return impl::run_counted(c, run, std::tie(left_rows, right_rows), size...);
}
template <view_like LeftRows, view_like RightRows, view_like Left, view_like Right, size_option... Size>
auto join(const LeftRows& left_rows, const RightRows& right_rows, const Left& left, const Right& right,
          const Size&... size) {
  return join(impl::space_of(left_rows), left_rows, right_rows, left, right, size...);
}
/// The left join: a left row without a partner makes a pair with -1.
template <execution_space Exec, view_like LeftRows, view_like RightRows, view_like Left, view_like Right,
          size_option... Size>
auto left_join(const Exec& exec, const LeftRows& left_rows, const RightRows& right_rows, const Left& left,
               const Right& right, const Size&... size) {
  impl::call c("quern::left_join", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::join_pairs(c.label, true, exec, number, results..., left, right);
  };
  return impl::run_counted(c, run, std::tie(left_rows, right_rows), size...);
}
template <view_like LeftRows, view_like RightRows, view_like Left, view_like Right, size_option... Size>
auto left_join(const LeftRows& left_rows, const RightRows& right_rows, const Left& left, const Right& right,
               const Size&... size) {
  return left_join(impl::space_of(left_rows), left_rows, right_rows, left, right, size...);
}
/// The left rows whose key is among the right ones.
template <execution_space Exec, view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto semi_join(const Exec& exec, const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  impl::call c("quern::semi_join", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::filter_rows(c.label, true, exec, number, results..., left, right);
  };
  return impl::run_counted(c, run, std::tie(left_rows), size...);
}
template <view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto semi_join(const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  return semi_join(impl::space_of(left_rows), left_rows, left, right, size...);
}
/// The left rows whose key is not among the right ones.
template <execution_space Exec, view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto anti_join(const Exec& exec, const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  impl::call c("quern::anti_join", exec);
  const auto run = [&](const auto& number, const auto&... results) {
    impl::filter_rows(c.label, false, exec, number, results..., left, right);
  };
  return impl::run_counted(c, run, std::tie(left_rows), size...);
}
template <view_like LeftRows, view_like Left, view_like Right, size_option... Size>
auto anti_join(const LeftRows& left_rows, const Left& left, const Right& right, const Size&... size) {
  return anti_join(impl::space_of(left_rows), left_rows, left, right, size...);
}

/// How many pairs `join` gives: `n = join_count(exec, left, right)`, or `join_count(exec, out, left, right)` into a
/// View.
template <execution_space Exec, result_like Out, view_like Left, view_like Right>
auto join_count(const Exec& exec, const Out& out, const Left& left, const Right& right) {
  return impl::count_pairs("quern::join_count", false, exec, out, left, right);
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
/// How many pairs `left_join` gives.
template <execution_space Exec, result_like Out, view_like Left, view_like Right>
auto left_join_count(const Exec& exec, const Out& out, const Left& left, const Right& right) {
  return impl::count_pairs("quern::left_join_count", true, exec, out, left, right);
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

}  // namespace quern

#endif
