// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ASOF_JOIN_HPP
#define QUERN_KEYED_ASOF_JOIN_HPP

#include <quern/keyed/asof_options.hpp>
#include <quern/keyed/join.hpp>

namespace quern {
namespace impl {

/// The right row for each left one. The right keys are in order, and so are their groups before them.
template <class T, class Row, class Group, class Out>
struct find_asof {
  using order = by_order<T>;
  using key_type = typename order::key;
  using sorted = sorted_rows<key_type, Row>;
  using group_key = typename by_order<Group>::key;
  using distance_type = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;  // double rounds int64
  const T* left;
  std::int64_t stride;
  const Group* left_groups;  // null where there is one group
  std::int64_t group_stride;
  sorted right;
  const group_key* right_groups;
  asof_direction direction;
  bool exact;
  distance_type tolerance;
  result_row<Out> to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const sorted among = left_groups == nullptr ? right : rows_of(left_groups[i * group_stride]);
    const std::int64_t at = find(among, left[i * stride]);
    to.set(i, at < 0 ? std::int64_t{-1} : static_cast<std::int64_t>(among.rows[at]));
  }
  KOKKOS_FUNCTION sorted rows_of(const Group& of) const {
    const group_key group = by_order<Group>().encode(of);
    const std::int64_t begin = partition_point(right_groups, 1, right.n, [=](group_key g) { return g < group; });
    const std::int64_t n =
        partition_point(right_groups + begin, 1, right.n - begin, [=](group_key g) { return g == group; });
    return {right.keys + begin, right.rows + begin, n};
  }
  /// The last of equal keys before a left one, and the first of those behind it.
  KOKKOS_FUNCTION std::int64_t find(const sorted& among, const T& v) const {
    if (is_nan(v)) return -1;
    const key_type key = order().encode(v);
    const std::int64_t first = partition_point(among.keys, 1, among.n, [=](key_type k) { return k < key; });
    const std::int64_t equal = among.equal_from(first, key);
    const std::int64_t before = (exact ? first + equal : first) - 1, behind = exact ? first : first + equal;
    std::int64_t at = direction == asof_direction::forward ? -1 : before;
    if (direction != asof_direction::backward && is_number(among, behind) &&
        (at < 0 || distance(among, behind, v) < distance(among, at, v)))
      at = behind;
    return at >= 0 && distance(among, at, v) <= tolerance ? at : -1;
  }
  /// NaN come behind all numbers.
  KOKKOS_FUNCTION bool is_number(const sorted& among, std::int64_t at) const {
    return at < among.n && !is_nan(order().decode(among.keys[at]));
  }
  KOKKOS_FUNCTION distance_type distance(const sorted& among, std::int64_t at, const T& v) const {
    const T r = order().decode(among.keys[at]);
    if constexpr (std::is_integral_v<T>) {
      const auto a = static_cast<std::uint64_t>(r), b = static_cast<std::uint64_t>(v);
      return r < v ? b - a : a - b;
    } else {
      return r == v ? 0 : Kokkos::abs(static_cast<double>(r) - static_cast<double>(v));  // of infinities, 0
    }
  }
};

/// The groups of rows, and the keys of rows.
template <class Group, class Row>
struct group_of_row {
  const Group* groups;
  std::int64_t stride;
  const Row* rows;
  Group* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = groups[static_cast<std::int64_t>(rows[i]) * stride]; }
};
template <class T, class Row>
struct key_of_row {
  const T* values;
  std::int64_t stride;
  const Row* rows;
  typename by_order<T>::key* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = by_order<T>().encode(values[static_cast<std::int64_t>(rows[i]) * stride]);
  }
};
/// Calls `f(sorted_rows, groups)` with the right rows in the order of their groups, and of their keys in each.
template <class Row, class Exec, class T, class Group, class F>
void with_rows_in_groups(const std::string& label, const Exec& exec, const strided<const T>& right,
                         const strided<const Group>& groups, const F& f) {
  using key = typename by_order<T>::key;
  using group_key = typename by_order<Group>::key;
  with_sorted_rows<Row>(label, exec, right, [&](const sorted_rows<key, Row>& by_key) {
    const std::int64_t n = by_key.n;
    const sort_lines lines = sort_lines::flat(shape{n});
    Group* unsorted = nullptr;
    group_key* sorted_groups = nullptr;
    Row* rows = nullptr;
    key* keys = nullptr;
    const scratch_arrays<Exec> memory(exec, scratch_part{unsorted, n}, scratch_part{sorted_groups, n},
                                      scratch_part{rows, n}, scratch_part{keys, n});
    Kokkos::parallel_for(kernel_label(label, "/groups"), index_range(exec, n),
                         group_of_row<Group, Row>{groups.data, groups.stride[0], by_key.rows, unsorted});
    sort_pairs<Row>(label_text(label, "/sort groups"), exec, lines, lines.contiguous<const Group>(unsorted),
                    by_order<Group>(), line_input(lines.contiguous(by_key.rows)),
                    [&](const auto& sorted, const auto& moved, const auto& row_of) {
                      map_lines(label_text(label, "/groups"), exec, lines.contiguous(sorted_groups), key_of_item(),
                                line_input(sorted));
                      map_lines(label_text(label, "/rows"), exec, lines.contiguous(rows), row_of, line_input(moved));
                    });
    Kokkos::parallel_for(kernel_label(label, "/keys"), index_range(exec, n),
                         key_of_row<T, Row>{right.data, right.stride[0], rows, keys});
    f(sorted_rows<key, Row>{keys, rows, n}, sorted_groups);
  });
}

/// A tolerance in the type of the distances.
template <class D>
D greatest_distance(double tolerance) {
  if constexpr (std::is_same_v<D, double>) return tolerance;
  else return tolerance < 0x1p64 ? static_cast<D>(tolerance) : std::numeric_limits<D>::max();
}
inline void check_asof_tolerance(const std::string& label, double tolerance) {
  if (!(tolerance >= 0)) throw Error(label, "the tolerance is " + text_of(tolerance) + ", expected 0 or more");
}

/// A column of groups beside one of keys.
template <class Exec, class Groups, class T, class Out>
auto make_groups(const call<Exec>& c, std::string_view name, const Groups& view, const strided<const T>& of,
                 const Out& out) {
  static_assert(std::is_integral_v<value_of<Groups>>, "quern::asof_join: groups must be integers");
  const auto groups = strided<const value_of<Groups>>(c.input(view));
  check_extents(c.label, name, groups.extents, of.extents);
  check_overlap(c.label, out, groups, name, false);
  return groups;
}

/// Finds the right rows; `groups` are the Views of both sides, or none.
template <class Exec, class Out, class Left, class Right, class... Groups>
void find_asof_rows(const Exec& exec, const Out& out_view, const Left& left_view, const Right& right_view,
                    const asof_options& options, const Groups&... groups_views) {
  using T = value_of<Left>;
  static_assert(std::is_same_v<T, value_of<Right>>, "quern::asof_join: the keys must be of one type");
  static_assert(can_sort<T>, "quern::asof_join: keys must be real numbers");
  static_assert(std::is_signed_v<value_of<Out>>, "quern::asof_join: rows must be of a signed integer type");
  const call c("quern::asof_join", exec);
  const auto left = strided<const T>(require_rank_1(c.label, "the left column", c.input(left_view)));
  const auto right = strided<const T>(require_rank_1(c.label, "the right column", c.input(right_view)));
  const auto out = c.output(out_view);
  check_extents(c.label, "the right rows", out.extents, left.extents);
  check_positions<value_of<Out>>(c.label, "the right rows", right.extents.extent[0]);
  check_overlap(c.label, out, left, "the left column", false);
  check_overlap(c.label, out, right, "the right column", false);
  check_asof_tolerance(c.label, options.tolerance);
  const std::int64_t n = left.extents.extent[0];
  const auto run = [&]<class Row, class Group>(const sorted_rows<typename by_order<T>::key, Row>& sorted,
                                               const strided<const Group>& left_groups, const auto* right_groups) {
    using find = find_asof<T, Row, Group, memory_type<Out>>;
    Kokkos::parallel_for(kernel_label(c.label), index_range(exec, n),
                         find{left.data,
                              left.stride[0],
                              left_groups.data,
                              left_groups.stride[0],
                              sorted,
                              right_groups,
                              options.direction,
                              options.allow_exact_matches,
                              greatest_distance<typename find::distance_type>(options.tolerance),
                              {out.data, out.stride[0], n}});
  };
  if constexpr (sizeof...(Groups) == 0) {
    if (n == 0) return;
    with_index_type(right.extents.extent[0], [&]<class Row>(Row) {
      with_sorted_rows<Row>(c.label, exec, right, [&](const auto& sorted) {
        run(sorted, strided<const std::int32_t>{}, static_cast<const std::uint32_t*>(nullptr));
      });
    });
  } else {
    const auto& [left_view_of, right_view_of] = std::tie(groups_views...);
    const auto left_groups = make_groups(c, "the left groups", left_view_of, left, out);
    const auto right_groups = make_groups(c, "the right groups", right_view_of, right, out);
    if (n == 0) return;
    with_index_type(right.extents.extent[0], [&]<class Row>(Row) {
      with_rows_in_groups<Row>(c.label, exec, right, right_groups,
                               [&](const auto& sorted, const auto* groups) { run(sorted, left_groups, groups); });
    });
  }
}

}  // namespace impl

/// For each left row the right one whose key is nearest in a direction, or -1: pandas' `merge_asof`, for samples at
/// different times.
///
/// Keys are of any real number type, the same on both sides, and in any order, where pandas wants them ascending. Of
/// right rows with equal keys at or before a left one the last is taken, of those behind it the first, and of those at
/// it with `forward` the first. A NaN, which pandas rejects, matches nothing.
///
/// The right keys are sorted, and the left ones searched among them. Distances of integers are exact, others are formed
/// in double. Asynchronous on `exec`. Scratch memory is that of `argsort` of the right column, and its keys and rows
/// once more, with groups twice.
/// @param right_rows of rank 1 and a signed integer type, with an element for each left row
/// @throws Error if extents do not fit, the type of right_rows is too narrow, it shares memory with an input, or the
/// tolerance is negative or NaN
template <execution_space Exec, view_like RightRows, view_like Left, view_like Right, option<asof_options>... Options>
void asof_join(const Exec& exec, const RightRows& right_rows, const Left& left, const Right& right,
               const Options&... options) {
  impl::find_asof_rows(exec, right_rows, left, right, impl::option_or(asof_options(), options...));
}
template <view_like RightRows, view_like Left, view_like Right, option<asof_options>... Options>
void asof_join(const RightRows& right_rows, const Left& left, const Right& right, const Options&... options) {
  asof_join(impl::space_of(right_rows), right_rows, left, right, options...);
}
/// The same within groups, pandas' `by`: columns of one integer type beside the keys, which are equal where rows may
/// match. For several columns, or others, they are the labels of `group_by` of both sides, one behind the other.
template <execution_space Exec, view_like RightRows, view_like Left, view_like Right, view_like LeftGroups,
          view_like RightGroups, option<asof_options>... Options>
void asof_join(const Exec& exec, const RightRows& right_rows, const Left& left, const Right& right,
               const LeftGroups& left_groups, const RightGroups& right_groups, const Options&... options) {
  static_assert(std::is_same_v<impl::value_of<LeftGroups>, impl::value_of<RightGroups>>,
                "quern::asof_join: the groups must be of one type");
  impl::find_asof_rows(exec, right_rows, left, right, impl::option_or(asof_options(), options...), left_groups,
                       right_groups);
}
template <view_like RightRows, view_like Left, view_like Right, view_like LeftGroups, view_like RightGroups,
          option<asof_options>... Options>
void asof_join(const RightRows& right_rows, const Left& left, const Right& right, const LeftGroups& left_groups,
               const RightGroups& right_groups, const Options&... options) {
  asof_join(impl::space_of(right_rows), right_rows, left, right, left_groups, right_groups, options...);
}
QUERN_TAKES_NAME_NOT(place, asof_join)

}  // namespace quern

#endif
