// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// As-of joins beside a loop over all right rows. Those of pandas are in table/merge_test.cpp.

#include <cmath>
#include <limits>
#include <quern/keyed.hpp>

#include "support/keyed.hpp"

namespace {

using quern::asof_direction;
using quern::asof_options;

/// Whether a right key is a better match than one of a row before it: nearer in the direction, or, as near, on the
/// wanted side. Of equal ones the last is better at or before the left key, and the first behind it.
template <class T>
bool is_better(const T& key, const T& found, const T& left, asof_direction direction) {
  const auto apart = [&](const T& k) {
    return k == left ? 0.0L : std::abs(static_cast<long double>(k) - static_cast<long double>(left));
  };
  if (direction == asof_direction::nearest) {
    if (apart(key) != apart(found)) return apart(key) < apart(found);
    if ((key <= left) != (found <= left)) return key <= left;
  }
  const bool behind = direction == asof_direction::forward || key > left;
  return behind ? key < found : key >= found;
}
/// By definition. long double has all bits of 64-bit integers.
template <class T>
std::vector<std::int64_t> expected_rows(const std::vector<T>& left, const std::vector<T>& right,
                                        const std::vector<std::int16_t>& left_groups,
                                        const std::vector<std::int16_t>& right_groups, const asof_options& o) {
  std::vector<std::int64_t> rows(left.size(), -1);
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t j = 0; j < right.size(); ++j) {
      if (!left_groups.empty() && left_groups[i] != right_groups[j]) continue;
      const auto behind = [&](const T& key) {
        return key == left[i] ? 0.0L : static_cast<long double>(key) - static_cast<long double>(left[i]);
      };
      const long double d = behind(right[j]);
      if (d != d || (d > 0 && o.direction == asof_direction::backward) ||
          (d < 0 && o.direction == asof_direction::forward) || (d == 0 && !o.allow_exact_matches))
        continue;
      if (rows[i] < 0 || is_better(right[j], right[static_cast<std::size_t>(rows[i])], left[i], o.direction))
        rows[i] = static_cast<std::int64_t>(j);
    }
  for (std::size_t i = 0; i < left.size(); ++i)
    if (rows[i] >= 0) {
      const T& match = right[static_cast<std::size_t>(rows[i])];
      const long double d = match == left[i] ? 0 : static_cast<long double>(match) - static_cast<long double>(left[i]);
      if (std::abs(d) > o.tolerance) rows[i] = -1;
    }
  return rows;
}

/// All ways to choose.
std::vector<asof_options> every_option() {
  std::vector<asof_options> all;
  for (const auto direction : {asof_direction::backward, asof_direction::forward, asof_direction::nearest})
    for (const double tolerance : {std::numeric_limits<double>::infinity(), 2.5, 0.0})
      for (const bool exact : {true, false}) all.push_back({direction, exact, tolerance});
  return all;
}

template <class Exec>
class AsofJoin : public testing::Test {
 protected:
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::row<Exec>(v);
  }
  /// Columns of keys, and of groups or none.
  template <class T>
  static void check(const std::vector<T>& left, const std::vector<T>& right,
                    const std::vector<std::int16_t>& left_groups = {},
                    const std::vector<std::int16_t>& right_groups = {}) {
    for (const auto& o : every_option()) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(o.direction) << " " << o.tolerance << " "
                                      << o.allow_exact_matches);
      const Kokkos::View<std::int64_t*, Exec> rows("rows", left.size());
      if (left_groups.empty()) quern::asof_join(Exec(), rows, row(left), row(right), o);
      else quern::asof_join(rows, row(left), row(right), row(left_groups), row(right_groups), o);
      ASSERT_EQ(expected_rows(left, right, left_groups, right_groups, o), test::contents(rows));
    }
  }
};
TYPED_TEST_SUITE(AsofJoin, test::all_spaces);

TYPED_TEST(AsofJoin, RowsAreTheNearest) {
  this->check(test::hashed_values<double>(300, 1000), test::hashed_values<double>(200, 1000));
  this->check(test::hashed_values<double>(211, 20), test::hashed_values<double>(97, 30));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  this->check(std::vector<double>{nan, 0, 1, -inf, 2, inf, -0.0, 0.5},
              std::vector<double>{2, -0.0, nan, inf, 0, nan, -inf});
  this->check(std::vector<double>{nan, 3}, std::vector<double>{nan});
}

TYPED_TEST(AsofJoin, WholeNumbersAreExact) {
  constexpr std::int64_t large = std::int64_t{1} << 62, most = std::numeric_limits<std::int64_t>::max();
  this->check(std::vector<std::int64_t>{large, -large, most, -most, 0, most - 1},
              std::vector<std::int64_t>{large - 1, large + 2, -most - 1, most - 2, most, large - 1, -2});
}

TYPED_TEST(AsofJoin, RowsMatchWithinGroups) {
  const auto groups = [](std::int64_t n, std::uint64_t different) {
    return test::hashed_values<std::int16_t>(n, different);
  };
  this->check(test::hashed_values<double>(300, 50), test::hashed_values<double>(200, 50), groups(300, 7),
              groups(200, 5));
  this->check(std::vector<double>{1, 2}, std::vector<double>{1, 2}, groups(2, 2), {9, 9});
}

TYPED_TEST(AsofJoin, NothingAndMisuse) {
  using E = TypeParam;
  const std::vector<double> none, two{1, 2};
  this->check(none, two);
  this->check(two, none);
  this->check(none, none);
  const Kokkos::View<std::int32_t*, E> rows("rows", 2);
  const auto keys = this->row(two);
  quern::asof_join(rows, keys, keys);  // backward, with exact matches
  EXPECT_EQ((std::vector<std::int32_t>{0, 1}), test::contents(rows));

  const Kokkos::View<double*, E> three("three", 3);
  const Kokkos::View<double**, E> table("table", 2, 2);
  const Kokkos::View<std::int16_t*, E> groups("groups", 2);
  test::expect_error("quern::asof_join: the right rows has extents (2), expected (3)",
                     [&] { quern::asof_join(E(), rows, three, keys); });
  test::expect_error("quern::asof_join: the right column has extents (2, 2), expected rank 1",
                     [&] { quern::asof_join(E(), rows, keys, table); });
  test::expect_error("quern::asof_join: the right groups has extents (2), expected (3)",
                     [&] { quern::asof_join(E(), rows, keys, three, groups, groups); });
  test::expect_error("quern::asof_join: the tolerance is -1, expected 0 or more",
                     [&] { quern::asof_join(E(), rows, keys, keys, asof_options{.tolerance = -1}); });
  EXPECT_THROW(quern::asof_join(E(), rows, keys, keys, asof_options{.tolerance = std::nan("")}), quern::Error);
  const Kokkos::View<double*, E> many("many", 129);
  const Kokkos::View<std::int8_t*, E> narrow("narrow", 2);
  test::expect_error("quern::asof_join: positions to before 129 do not fit the type of the right rows, of 8 bits",
                     [&] { quern::asof_join(E(), narrow, keys, many); });
  const Kokkos::View<std::int64_t*, E> same("same", 2);
  EXPECT_THROW(quern::asof_join(E(), same, same, this->row(std::vector<std::int64_t>{1})), quern::Error);
  EXPECT_EQ((std::vector<std::int32_t>{0, 1}), test::contents(rows));  // errors write nothing
}

}  // namespace
