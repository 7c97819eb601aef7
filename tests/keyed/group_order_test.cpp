// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups by a sort of all rows, which a device chooses for millions of different keys alone, beside loops over a map.

#include <cmath>
#include <keyed/groups.hpp>
#include <limits>
#include <vector>

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using test::hashed;
using test::rows_of;

template <class Exec>
struct GroupOrder : test::GroupTest<Exec> {
  /// Groups and all reductions by this path.
  template <class K>
  static void check(const std::vector<K>& keys, const std::vector<double>& x) {
    const auto view = test::row<Exec>(keys);
    const auto by = quern::impl::group_in_order("test", Exec(), quern::impl::make_input<Exec>(view, "test").array);
    EXPECT_TRUE(by.in_order());
    GroupOrder::expect_groups(by, rows_of(keys));
    GroupOrder::expect_reductions(by, rows_of(keys), x);
  }
  static std::vector<double> values(std::int64_t n) {
    std::vector<double> x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = test::sample(i, 7);
    return x;
  }
  /// Keys that f makes of hashed numbers.
  template <class K, class F>
  static void check_hashed(const F& f) {
    const std::int64_t n = 50'021;
    std::vector<K> keys(n);
    for (std::int64_t i = 0; i < n; ++i) keys[i] = f(hashed(i));
    check(keys, values(n));
  }
};
TYPED_TEST_SUITE(GroupOrder, test::all_spaces);

TYPED_TEST(GroupOrder, KeysFarFromEachOther) {
  this->template check_hashed<std::int64_t>(
      [](std::uint64_t h) { return static_cast<std::int64_t>(hashed(h % 20'000)); });
}

TYPED_TEST(GroupOrder, KeysOfBothSigns) {
  this->template check_hashed<std::int32_t>(
      [](std::uint64_t h) { return static_cast<std::int32_t>(h % 9'000) - 4'500; });
}

// Whose low bits are equal.
TYPED_TEST(GroupOrder, MultiplesOfAPowerOfTwo) {
  this->template check_hashed<std::int32_t>(
      [](std::uint64_t h) { return static_cast<std::int32_t>(h % 300) * 65'536; });
}

TYPED_TEST(GroupOrder, OneGroup) {
  this->check(std::vector<std::int32_t>(2'500, 7), this->values(2'500));
  this->check(std::vector<std::uint8_t>{3}, std::vector<double>{5});
}

TYPED_TEST(GroupOrder, NanZerosAndInfinities) {
  const std::vector<double> special = {nan, 2, -0.0, 0, -INFINITY, nan, 2, INFINITY, 1e-320, -nan, 0, -1e-320};
  this->check(special, std::vector<double>{1, nan, -3, 4, nan, INFINITY, 7, nan, 0.5, -INFINITY, 11, -2});
}

TYPED_TEST(GroupOrder, KeysAtTheEndsOfTheirType) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  this->check(std::vector<std::int64_t>{most, 0, least, most, -1, least}, std::vector<double>{1, 2, 3, 4, 5, 6});
}

}  // namespace
