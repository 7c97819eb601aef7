// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Joins beside two loops, or a map, on the host.

#include <limits>
#include <map>
#include <quern/keyed.hpp>
#include <set>

#include "support/keyed.hpp"

namespace {

struct pairs {
  std::vector<std::int64_t> left, right;
  bool operator==(const pairs&) const = default;
};
/// All joins by their definition. NaN is equal to itself.
template <class K>
struct expected_joins {
  pairs inner, left, full;
  std::vector<std::int64_t> semi, anti;

  expected_joins(const std::vector<K>& a, const std::vector<K>& b) {
    const auto less = [](const K& x, const K& y) { return x < y || (x == x && y != y); };
    std::map<K, std::vector<std::int64_t>, decltype(less)> places(less);
    for (std::size_t j = 0; j < b.size(); ++j) places[b[j]].push_back(static_cast<std::int64_t>(j));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto found = places.find(a[i]);
      const auto row = static_cast<std::int64_t>(i);
      if (found == places.end()) {
        left.left.push_back(row);
        left.right.push_back(-1);
        anti.push_back(row);
        continue;
      }
      semi.push_back(row);
      for (const auto j : found->second)
        for (pairs* p : {&inner, &left}) {
          p->left.push_back(row);
          p->right.push_back(j);
        }
    }
    full = left;
    const std::set<K, decltype(less)> keys(a.begin(), a.end(), less);
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (keys.contains(b[j])) continue;
      full.left.push_back(-1);
      full.right.push_back(static_cast<std::int64_t>(j));
    }
  }
};

template <class Exec>
class Join : public testing::Test {
 protected:
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::row<Exec>(v);
  }
  template <class V>
  static std::vector<std::int64_t> first(std::int64_t n, const V& v) {
    const auto all = test::contents(v);
    return {all.begin(), all.begin() + n};
  }

  template <class K>
  static void check(const std::vector<K>& a, const std::vector<K>& b) {
    const expected_joins<K> expected(a, b);
    const auto left = row(a), right = row(b);
    const auto inner = static_cast<std::int64_t>(expected.inner.left.size());
    const auto outer = static_cast<std::int64_t>(expected.left.left.size());
    EXPECT_EQ(inner, quern::join_count(Exec(), left, right));
    EXPECT_EQ(outer, quern::left_join_count(left, right));
    const auto all = static_cast<std::int64_t>(expected.full.left.size());
    EXPECT_EQ(all, quern::full_join_count(Exec(), left, right));
    const Kokkos::View<std::int64_t, Exec> count("count");
    quern::join_count(Exec(), count, left, right);
    EXPECT_EQ(inner, test::value(count));

    const Kokkos::View<std::int32_t*, Exec> left_rows("left", all + 2);
    const Kokkos::View<std::int64_t*, Exec> right_rows("right", all + 2);
    EXPECT_EQ(inner, quern::join(Exec(), left_rows, right_rows, left, right));
    EXPECT_EQ(expected.inner, (pairs{first(inner, left_rows), first(inner, right_rows)}));
    quern::left_join(left_rows, right_rows, left, right, quern::size_to{count});
    EXPECT_EQ(outer, test::value(count));
    EXPECT_EQ(expected.left, (pairs{first(outer, left_rows), first(outer, right_rows)}));
    EXPECT_EQ(all, quern::full_join(Exec(), left_rows, right_rows, left, right));
    EXPECT_EQ(expected.full, (pairs{first(all, left_rows), first(all, right_rows)}));
    quern::full_join_count(count, left, right);
    EXPECT_EQ(all, test::value(count));
    EXPECT_EQ(static_cast<std::int64_t>(expected.semi.size()), quern::semi_join(left_rows, left, right));
    EXPECT_EQ(expected.semi, first(expected.semi.size(), left_rows));
    EXPECT_EQ(static_cast<std::int64_t>(expected.anti.size()), quern::anti_join(Exec(), left_rows, left, right));
    EXPECT_EQ(expected.anti, first(expected.anti.size(), left_rows));
  }

  static std::vector<std::int64_t> keys(std::int64_t n, std::uint64_t different, std::uint64_t seed) {
    std::vector<std::int64_t> v(n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t z = (static_cast<std::uint64_t>(i) + 1 + (seed << 32)) * 0x9e3779b97f4a7c15u;
      v[i] = static_cast<std::int64_t>((z ^ z >> 29) % different * 0xbf58476d1ce4e5b9u);
    }
    return v;
  }
};
TYPED_TEST_SUITE(Join, test::all_spaces);

TYPED_TEST(Join, ManyToMany) {
  this->check(this->keys(3000, 200, 1), this->keys(2000, 300, 2));
  this->check(this->keys(700, 1, 1), this->keys(300, 1, 2));
  this->check(this->keys(50'000, 1'000'000, 1), this->keys(40'000, 1'000'000, 2));
  this->check(this->keys(5000, 3000, 1), this->keys(1, 1, 2));
}

TYPED_TEST(Join, SpecialKeys) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  this->check(std::vector<float>{nan, 0, 1, -inf, 2, nan, -0.0f}, std::vector<float>{2, -0.0f, -nan, inf, 0, nan, 2});
  this->check(std::vector<std::uint8_t>{0, 255, 7}, std::vector<std::uint8_t>{255, 255, 0});
}

TYPED_TEST(Join, NothingAndMisuse) {
  using E = TypeParam;
  this->check(std::vector<int>{}, std::vector<int>{1, 2});
  this->check(std::vector<int>{1, 2}, std::vector<int>{});
  this->check(std::vector<int>{}, std::vector<int>{});
  const auto a = this->row(std::vector<int>{1, 2, 1});
  const Kokkos::View<int*, E> two("two", 2), other("other", 2);
  EXPECT_THROW(quern::join(E(), two, other, a, a), quern::CapacityError);
  const Kokkos::View<std::int64_t, E> count("count");
  quern::join(E(), two, other, a, a, quern::size_to{count});
  EXPECT_EQ(5, test::value(count));
  EXPECT_EQ((std::vector<int>{0, 0}), test::contents(two));
  EXPECT_EQ((std::vector<int>{0, 2}), test::contents(other));
  // Of what does not fit the beginning is there, and room for two pairs ends before the right rows.
  const auto b = this->row(std::vector<int>{2, 3});
  EXPECT_THROW(quern::full_join(E(), two, other, a, b), quern::CapacityError);
  quern::full_join(two, other, a, b, quern::size_to{count});
  EXPECT_EQ(4, test::value(count));
  EXPECT_EQ((std::vector<int>{0, 1}), test::contents(two));
  EXPECT_EQ((std::vector<int>{-1, 0}), test::contents(other));
  const Kokkos::View<int**, E> table("table", 2, 3);
  test::expect_error("quern::join: the right column has extents (2, 3), expected rank 1",
                     [&] { quern::join(E(), two, other, a, table); });
  const Kokkos::View<int*, E> long_column("long", 129);
  const Kokkos::View<std::int8_t*, E> narrow("narrow", 2), other_narrow("narrow", 2);
  test::expect_error("quern::join: positions to before 129 do not fit the type of the right rows, of 8 bits",
                     [&] { quern::join(E(), narrow, other_narrow, a, long_column); });
  test::expect_error("quern::semi_join: out and an input share memory", [&] { quern::semi_join(E(), a, a, two); });
  const Kokkos::View<std::int64_t*, E> pairs("rows", 9);
  test::expect_error("quern::join: output 1 and output 2 share memory",
                     [&] { quern::join(E(), pairs, pairs, a, two); });
  const auto keys = this->row(std::vector<std::int64_t>{1, 2, 1});
  const auto in_keys = quern::size_to{Kokkos::subview(keys, 1)};
  test::expect_error("quern::join: the left column and count share memory",
                     [&] { quern::join(E(), two, other, keys, pairs, in_keys); });
  test::expect_error("quern::anti_join: the right column and count share memory",
                     [&] { quern::anti_join(E(), two, pairs, keys, in_keys); });
}

}  // namespace
