// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups by keys of a known range beside loops over a map on the host.

#include <algorithm>
#include <keyed/groups.hpp>
#include <limits>
#include <string>
#include <vector>

namespace {

using test::hashed;
using test::rows_of;

template <class Exec>
struct GroupRanges : test::GroupTest<Exec> {};
TYPED_TEST_SUITE(GroupRanges, test::all_spaces);

/// Keys from -50 to 247 by steps of 3.
std::vector<std::int32_t> keys_by_three(std::int64_t n) {
  std::vector<std::int32_t> keys(n);
  for (std::int64_t i = 0; i < n; ++i) keys[i] = -50 + 3 * static_cast<std::int32_t>(hashed(i) % 100);
  return keys;
}

TYPED_TEST(GroupRanges, KeysOfARange) {
  const std::int64_t n = 50'021;
  const auto keys = keys_by_three(n);
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = test::sample(i, 3);
  auto rows = rows_of(keys);
  const auto view = this->row(keys);
  const auto all = quern::group_by(TypeParam(), view, quern::key_range{-50, 300}, quern::checked);
  this->expect_groups(all, rows);
  this->expect_reductions(all, rows, x);
  std::erase_if(rows, [](const auto& r) { return r.first < 1 || r.first >= 100; });
  const auto some = quern::group_by(view, quern::key_range{1, 100});
  this->expect_groups(some, rows);
  this->expect_reductions(some, rows, x);
}

TYPED_TEST(GroupRanges, ReportsTheFirstKeyOutside) {
  const auto keys = keys_by_three(50'021);
  try {
    quern::group_by(TypeParam(), this->row(keys), quern::key_range{1, 248}, quern::checked);
    ADD_FAILURE() << "no error";
  } catch (const quern::KeyRangeError& e) {
    const auto bad = std::find_if(keys.begin(), keys.end(), [](int k) { return k < 1 || k >= 248; }) - keys.begin();
    EXPECT_EQ(bad, e.position());
    EXPECT_EQ("quern::group_by: the key at position " + std::to_string(bad) + " is not from 1 to 247",
              std::string(e.what()));
  }
}

// At the ends of the numbers, and keys that int64 does not hold.
TYPED_TEST(GroupRanges, RangesOfExtremeKeys) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  const auto keys = this->row(std::vector<std::int64_t>{lowest, highest - 1, lowest + 1, 0, lowest});
  EXPECT_EQ((std::vector<std::int32_t>{0, -1, 1, -1, 0}),
            test::contents(quern::group_by(TypeParam(), keys, quern::key_range{lowest, lowest + 5}).labels()));
  EXPECT_EQ((std::vector<std::int32_t>{-1, 0, -1, -1, -1}),
            test::contents(quern::group_by(TypeParam(), keys, quern::key_range{highest - 5, highest}).labels()));
  const auto large = this->row(std::vector<std::uint64_t>{~std::uint64_t{0}, 3, 1ull << 63});
  EXPECT_EQ((std::vector<std::int32_t>{-1, 0, -1}),
            test::contents(quern::group_by(TypeParam(), large, quern::key_range{-10, 10}).labels()));
  EXPECT_THROW(quern::group_by(TypeParam(), large, quern::key_range{-10, 10}, quern::checked), quern::KeyRangeError);
}

// Hosts look at many contiguous keys together.
TYPED_TEST(GroupRanges, ManyKeysBeyondInt64HaveNoGroup) {
  std::vector<std::uint64_t> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i % 4 == 0 ? i % 3 : ~std::uint64_t{0} - i % 5;
  const auto by = quern::group_by(TypeParam(), this->row(keys), quern::key_range{-10, 10});
  EXPECT_EQ((std::vector<std::int64_t>{84, 83, 83}), test::contents(by.counts()));
  EXPECT_EQ((std::vector<std::int64_t>{0, 4, 8}), test::contents(by.first()));
}

// Hosts find the range of many keys, and have a table of it where it is no longer than the column.
TYPED_TEST(GroupRanges, RangesThatAreFound) {
  const std::int64_t n = 50'021;
  const auto check = [&](std::int64_t low, std::uint64_t different) {
    SCOPED_TRACE(low);
    std::vector<std::int64_t> keys(n);
    for (std::int64_t i = 0; i < n; ++i)
      keys[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + hashed(i) % different);
    keys[7] = low;
    keys[77] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + different - 1);
    const auto strided = this->template row<std::int64_t>(n);
    Kokkos::deep_copy(strided, this->row(keys));
    this->expect_groups(quern::group_by(TypeParam(), strided), rows_of(keys));
  };
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  check(-5, 1);
  check(-5, n);
  check(-5, n + 1);
  check(lowest, n);
  check(highest - n + 1, n);
  check(lowest, ~std::uint64_t{0});  // from one end of the numbers nearly to the other
}

TYPED_TEST(GroupRanges, RejectsEmptyAndOverlongRanges) {
  using E = TypeParam;
  const auto keys = this->row(std::vector<int>{3, 1, 3});
  test::expect_error("quern::group_by: the range is from 5 to 5, expected 1 to 2147483647 numbers",
                     [&] { quern::group_by(E(), keys, quern::key_range{5, 5}); });
  test::expect_error("quern::group_by: the range is from 5 to 4, expected 1 to 2147483647 numbers",
                     [&] { quern::group_by(keys, quern::key_range{5, 4}, quern::checked); });
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  test::expect_error(
      "quern::group_by: the range is from -9223372036854775808 to 9223372036854775807, expected 1 to 2147483647 "
      "numbers",
      [&] { quern::group_by(E(), keys, quern::key_range{lowest, highest}); });
}

}  // namespace
