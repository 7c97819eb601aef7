// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups by hashed keys, and all their reductions, beside loops over a map on the host.

#include <cmath>
#include <keyed/groups.hpp>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using test::hashed;
using test::rows_by_key, test::rows_of;

template <class Exec>
struct GroupBy : test::GroupTest<Exec> {};
TYPED_TEST_SUITE(GroupBy, test::all_spaces);

TYPED_TEST(GroupBy, HashedKeys) {
  using E = TypeParam;
  const std::int64_t n = 300'007;
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = test::sample(i, 7);
  for (const std::uint64_t different : {1u, 1000u, 200'000u}) {  // the last are more than the first table takes
    std::vector<std::int64_t> keys(n);
    for (std::int64_t i = 0; i < n; ++i) keys[i] = static_cast<std::int64_t>(hashed(hashed(i) % different));
    const auto by = quern::group_by(E(), this->row(keys));
    this->expect_groups(by, rows_of(keys));
    this->expect_reductions(by, rows_of(keys), x);
  }
}

TYPED_TEST(GroupBy, NanZerosAndInfinitiesAsKeysAndValues) {
  const std::vector<double> keys = {nan, 2, -0.0, 0, -INFINITY, nan, 2, INFINITY, 1e-320, -nan, 0, -1e-320};
  const std::vector<double> x = {1, nan, -3, 4, nan, INFINITY, 7, nan, 0.5, -INFINITY, 11, -2};
  const auto by = quern::group_by(this->row(keys));
  this->expect_groups(by, rows_of(keys));
  this->expect_reductions(by, rows_of(keys), x);
}

TYPED_TEST(GroupBy, KeysAtTheEndsOfTheirType) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> ends = {most, 0, least, most, -1, most - 1, least, 0, 5, most, -1, 5};
  const std::vector<std::int16_t> whole = {1, 2, -3, 4, 5, 6, 7, -32768, 9, 10, 32767, 12};
  const auto by = quern::group_by(TypeParam(), this->row(ends));
  this->expect_groups(by, rows_of(ends));
  this->expect_reductions(by, rows_of(ends), whole);
}

TYPED_TEST(GroupBy, SeveralColumns) {
  const std::int64_t n = 20'011;
  std::vector<std::uint8_t> a(n);
  std::vector<float> b(n);
  std::vector<std::int64_t> c(n);
  std::vector<std::int16_t> x(n);
  std::map<std::tuple<int, float, std::int64_t>, std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    a[i] = static_cast<std::uint8_t>(hashed(i) % 7);
    b[i] = static_cast<float>(hashed(i + n) % 20) / 4 - 2;
    c[i] = static_cast<std::int64_t>(hashed(i + 2 * n) % 5) * (std::int64_t{1} << 40);
    x[i] = static_cast<std::int16_t>(i - n / 2);
    rows[{a[i], b[i], c[i]}].push_back(i);
  }
  rows_by_key<std::int64_t> numbered;
  for (const auto& [key, at] : rows) numbered[static_cast<std::int64_t>(numbered.size())] = at;
  const auto by = quern::group_by(TypeParam(), this->row(a), this->row(b), this->row(c));
  this->expect_groups(by, numbered);
  this->expect_reductions(by, numbered, x);
}

TYPED_TEST(GroupBy, OfNoRows) {
  using E = TypeParam;
  const auto none = this->row(std::vector<int>());
  const auto by_none = quern::group_by(E(), none);
  EXPECT_EQ(0, by_none.size());
  EXPECT_EQ(0, quern::group_by(E(), none, quern::key_range{0, 5}).size());
  quern::sum(E(), this->row(std::vector<double>()), none, by_none);
  quern::min(E(), none, none, by_none);
}

TYPED_TEST(GroupBy, RejectsOtherLengths) {
  using E = TypeParam;
  const auto keys = this->row(std::vector<int>{3, 1, 3}), two = this->row(std::vector<int>{3, 1});
  const auto by = quern::group_by(keys);
  test::expect_error("quern::group_by: keys has extents (2), expected rank 1 and extents (3)",
                     [&] { quern::group_by(E(), keys, two); });
  test::expect_error("quern::sum: out has extents (3), expected (2), one for each group",
                     [&] { quern::sum(E(), this->row(std::vector<double>(3)), keys, by); });
  test::expect_error("quern::max: x has extents (2), expected (3), one for each row",
                     [&] { quern::max(E(), two, this->row(std::vector<int>(2)), by); });
  test::expect_error("quern::count: out has extents (3), expected (2), one for each group",
                     [&] { quern::count(E(), keys, by); });
}

}  // namespace
