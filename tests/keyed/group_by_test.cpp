// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups and their reductions beside loops over a map on the host.

#include <cmath>
#include <limits>
#include <map>
#include <quern/keyed.hpp>

#include "support/keyed.hpp"

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using test::hashed;
using test::same;

/// NaN is the last key and equal to itself.
template <class K>
struct key_less {
  bool operator()(const K& a, const K& b) const { return a < b || (a == a && b != b); }
};
template <class K>
using rows_by_key = std::map<K, std::vector<std::int64_t>, key_less<K>>;
template <class K>
rows_by_key<K> rows_of(const std::vector<K>& keys) {
  rows_by_key<K> rows;
  for (std::size_t i = 0; i < keys.size(); ++i) rows[keys[i]].push_back(static_cast<std::int64_t>(i));
  return rows;
}

template <class Exec>
class GroupBy : public testing::Test {
 protected:
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::row<Exec>(v);
  }
  template <class T>
  static auto row(std::int64_t n) {
    return Kokkos::View<T*, Kokkos::LayoutStride, Exec>(test::make_array<T, 1, Kokkos::LayoutStride, Exec>({n}));
  }

  /// Labels, first rows and counts of groups.
  template <class K>
  static void expect_groups(const quern::Groups<Exec>& by, const rows_by_key<K>& rows) {
    ASSERT_EQ(static_cast<std::int64_t>(rows.size()), by.size());
    std::vector<std::int32_t> labels(by.rows(), -1);
    std::vector<std::int64_t> first, counts;
    for (const auto& [key, at] : rows) {
      for (const auto i : at) labels[i] = static_cast<std::int32_t>(first.size());
      first.push_back(at[0]);
      counts.push_back(static_cast<std::int64_t>(at.size()));
    }
    EXPECT_EQ(labels, test::contents(by.labels()));
    EXPECT_EQ(first, test::contents(by.first()));
    EXPECT_EQ(counts, test::contents(by.counts()));
  }

  /// All reductions of x, whose sums are exact.
  template <class K, class T>
  static void expect_reductions(const quern::Groups<Exec>& by, const rows_by_key<K>& rows, const std::vector<T>& x) {
    const auto values = row(x);
    const std::int64_t n = by.size();
    const auto number = row<double>(n);
    const auto of_type = row<T>(n);
    const auto place = row<std::int32_t>(n);
    const auto expect = [&](const auto& out, const auto& f) {
      const auto found = test::contents(out);
      std::int64_t g = 0;
      for (const auto& [key, at] : rows) {
        using R = std::remove_cvref_t<decltype(found[g])>;
        ASSERT_TRUE(same(static_cast<R>(f(at)), found[g])) << g << ": " << f(at) << " and " << found[g];
        ++g;
      }
    };
    const auto sum = [&](const auto& at) {
      double s = 0;
      for (const auto i : at) s += static_cast<double>(x[i]);
      return s;
    };
    const auto best = [&](bool smallest) {
      return [&x, smallest](const auto& at) {
        std::int64_t b = at[0];
        for (const auto i : at)
          if (x[b] == x[b] && (x[i] != x[i] || (smallest ? x[i] < x[b] : x[i] > x[b]))) b = i;
        return b;
      };
    };
    const auto value_at = [&](const auto& f) { return [&, f](const auto& at) { return x[f(at)]; }; };
    quern::sum(Exec(), number, values, by);
    expect(number, sum);
    quern::sum(number, values, by, quern::reproducible);
    expect(number, sum);
    quern::mean(Exec(), number, values, by);
    expect(number, [&](const auto& at) { return sum(at) / static_cast<double>(at.size()); });
    quern::mean(number, values, by, quern::reproducible);
    expect(number, [&](const auto& at) { return sum(at) / static_cast<double>(at.size()); });
    quern::min(Exec(), of_type, values, by);
    expect(of_type, value_at(best(true)));
    quern::max(of_type, values, by);
    expect(of_type, value_at(best(false)));
    quern::argmin(Exec(), place, values, by);
    expect(place, best(true));
    quern::argmax(place, values, by);
    expect(place, best(false));
    quern::group_first(Exec(), of_type, values, by);
    expect(of_type, [&](const auto& at) { return x[at[0]]; });
    quern::count(place, by);
    expect(place, [&](const auto& at) { return at.size(); });
  }
};
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

// Groups by a sort of all rows, which a device chooses for millions of different keys alone.
TYPED_TEST(GroupBy, InOrder) {
  using E = TypeParam;
  const auto check = [&](const auto& keys, const auto& x) {
    const auto view = this->row(keys);
    const auto by = quern::impl::group_in_order("test", E(), quern::impl::make_input<E>(view, "test").array);
    EXPECT_TRUE(by.in_order());
    this->expect_groups(by, rows_of(keys));
    this->expect_reductions(by, rows_of(keys), x);
  };
  const std::int64_t n = 50'021;
  std::vector<double> x(n);
  std::vector<std::int64_t> spread(n);
  std::vector<std::int32_t> around_zero(n), multiples(n);
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = test::sample(i, 7);
    spread[i] = static_cast<std::int64_t>(hashed(hashed(i) % 20'000));
    around_zero[i] = static_cast<std::int32_t>(hashed(i) % 9'000) - 4'500;
    multiples[i] = static_cast<std::int32_t>(hashed(i) % 300) * 65'536;
  }
  check(spread, x);
  check(around_zero, x);
  check(multiples, x);
  check(std::vector<std::int32_t>(2'500, 7), std::vector<double>(x.begin(), x.begin() + 2'500));
  check(std::vector<std::uint8_t>{3}, std::vector<double>{5});
  const std::vector<double> special = {nan, 2, -0.0, 0, -INFINITY, nan, 2, INFINITY, 1e-320, -nan, 0, -1e-320};
  check(special, std::vector<double>{1, nan, -3, 4, nan, INFINITY, 7, nan, 0.5, -INFINITY, 11, -2});
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  check(std::vector<std::int64_t>{most, 0, least, most, -1, least}, std::vector<double>{1, 2, 3, 4, 5, 6});
}

TYPED_TEST(GroupBy, SpecialKeysAndValues) {
  const std::vector<double> keys = {nan, 2, -0.0, 0, -INFINITY, nan, 2, INFINITY, 1e-320, -nan, 0, -1e-320};
  const std::vector<double> x = {1, nan, -3, 4, nan, INFINITY, 7, nan, 0.5, -INFINITY, 11, -2};
  const auto by = quern::group_by(this->row(keys));
  this->expect_groups(by, rows_of(keys));
  this->expect_reductions(by, rows_of(keys), x);
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> ends = {most, 0, least, most, -1, most - 1, least, 0, 5, most, -1, 5};
  const std::vector<std::int16_t> whole = {1, 2, -3, 4, 5, 6, 7, -32768, 9, 10, 32767, 12};
  const auto by_ends = quern::group_by(TypeParam(), this->row(ends));
  this->expect_groups(by_ends, rows_of(ends));
  this->expect_reductions(by_ends, rows_of(ends), whole);
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

TYPED_TEST(GroupBy, KeysOfARange) {
  using E = TypeParam;
  const std::int64_t n = 50'021;
  std::vector<std::int32_t> keys(n), inside;
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = -50 + 3 * static_cast<std::int32_t>(hashed(i) % 100);
    x[i] = test::sample(i, 3);
  }
  auto rows = rows_of(keys);
  const auto view = this->row(keys);
  const auto all = quern::group_by(E(), view, quern::key_range{-50, 300}, quern::checked);
  this->expect_groups(all, rows);
  this->expect_reductions(all, rows, x);
  std::erase_if(rows, [](const auto& r) { return r.first < 1 || r.first >= 100; });
  const auto some = quern::group_by(view, quern::key_range{1, 100});
  this->expect_groups(some, rows);
  this->expect_reductions(some, rows, x);
  try {
    quern::group_by(E(), view, quern::key_range{1, 248}, quern::checked);
    ADD_FAILURE() << "no error";
  } catch (const quern::KeyRangeError& e) {
    const auto bad = std::find_if(keys.begin(), keys.end(), [](int k) { return k < 1 || k >= 248; }) - keys.begin();
    EXPECT_EQ(bad, e.position());
    EXPECT_EQ("quern::group_by: the key at position " + std::to_string(bad) + " is not from 1 to 247",
              std::string(e.what()));
  }
}

// The variance of numbers that are far from 0 and near to each other.
TYPED_TEST(GroupBy, Variance) {
  const std::int64_t n = 40'000, groups = 37;
  std::vector<int> keys(n);
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(hashed(i) % groups);
    x[i] = 1e6 + test::sample(i, 11);
  }
  const auto by = quern::group_by(TypeParam(), this->row(keys));
  const auto values = this->row(x), out = this->row(std::vector<double>(groups));
  for (const std::int64_t d : {0, 1}) {
    if (d == 0) quern::var(TypeParam(), out, values, by);
    else quern::var(out, values, by, quern::ddof{d});
    const auto found = test::contents(out);
    std::int64_t g = 0;
    for (const auto& [key, at] : rows_of(keys)) {
      long double mean = 0, squares = 0;
      for (const auto i : at) mean += x[i];
      mean /= at.size();
      for (const auto i : at) squares += (x[i] - mean) * (x[i] - mean);
      const auto expected = static_cast<double>(squares / (at.size() - d));
      // A mean that is off by its rounding, 1e6 eps, adds the square of that; each deviation is rounded like it.
      const double eps = test::eps<double>(), off = 2e6 * eps;
      EXPECT_NEAR(expected, found[g++], expected * at.size() * eps + 2 * off * std::sqrt(expected) + off * off);
    }
  }
}

// Means that are rounded, of floating-point numbers and of integers.
TYPED_TEST(GroupBy, VarianceBesideRoundedMeans) {
  const double large = 0x1p53;
  const std::vector<double> x = {large, 1, large + 2, 3, large + 2};
  const auto out = this->template row<double>(2);
  quern::var(TypeParam(), out, this->row(x), quern::group_by(TypeParam(), this->row(std::vector<int>{0, 1, 0, 1, 0})));
  const auto found = test::contents(out);
  EXPECT_NEAR(8.0 / 9, found[0], 4 * test::eps<double>());
  EXPECT_EQ(1, found[1]);
  const std::int64_t whole = 1LL << 62;
  const auto integers = this->row(std::vector<std::int64_t>{whole, whole + 1, whole + 2, 4, 6});
  const auto keys = this->row(std::vector<std::int64_t>{1LL << 40, 1LL << 40, 1LL << 40, 1LL << 50, 1LL << 50});
  quern::var(TypeParam(), out, integers, quern::group_by(TypeParam(), keys));
  const auto of_integers = test::contents(out);
  EXPECT_NEAR(2.0 / 3, of_integers[0], 4 * test::eps<double>());
  EXPECT_EQ(1, of_integers[1]);
}

// Sums that depend on the order, but not these.
TYPED_TEST(GroupBy, ReproducibleSums) {
  const std::int64_t n = 100'000, groups = 10;
  std::vector<int> keys(n);
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(hashed(i) % groups);
    x[i] = std::ldexp(static_cast<double>(hashed(i + n)), static_cast<int>(hashed(i) % 80) - 100);
  }
  const auto by = quern::group_by(TypeParam(), this->row(keys));
  const auto out = this->row(std::vector<double>(groups));
  quern::sum(TypeParam(), out, this->row(x), by, quern::reproducible);
  const auto found = test::contents(out);
  for (const auto& [key, at] : rows_of(keys)) {
    std::vector<double> own;
    for (const auto i : at) own.push_back(x[i]);
    EXPECT_EQ(quern::sum(TypeParam(), this->row(own), quern::reproducible), found[key]);
  }
}

// At the ends of the numbers, and keys that int64 does not hold.
TYPED_TEST(GroupBy, RangesOfExtremeKeys) {
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

TYPED_TEST(GroupBy, MeansOfLargeIntegersAndSmallGroups) {
  const auto by = quern::group_by(this->row(std::vector<int>{0, 0, 1, 1, 2}));
  const std::int64_t big = 1ll << 62;
  const auto x = this->row(std::vector<std::int64_t>{big, big, -big, -big - 4096, 5});
  const auto out = this->template row<double>(3);
  quern::mean(TypeParam(), out, x, by);
  EXPECT_EQ((std::vector<double>{0x1p62, -0x1p62 - 2048, 5}), test::contents(out));
  quern::var(out, x, by);
  EXPECT_EQ((std::vector<double>{0, 2048.0 * 2048, 0}), test::contents(out));
  const auto y = this->row(std::vector<double>{1, 2, 3, 4, 5});
  for (const int ddof : {1, 2, 3}) {
    quern::var(TypeParam(), out, y, by, quern::ddof{ddof});
    const auto found = test::contents(out);
    EXPECT_TRUE(ddof == 1 ? found[0] == 0.5 : std::isnan(found[0])) << ddof << ' ' << found[0];
    EXPECT_TRUE(std::isnan(found[2])) << ddof << ' ' << found[2];
  }
  const auto z = this->row(std::vector<std::uint64_t>{1ull << 63, 5, 1, 2, 3});
  quern::sum(out, z, by);
  EXPECT_EQ((std::vector<double>{0x1p63, 3, 3}), test::contents(out));
}

TYPED_TEST(GroupBy, NothingAndMisuse) {
  using E = TypeParam;
  const auto none = this->row(std::vector<int>());
  const auto by_none = quern::group_by(E(), none);
  EXPECT_EQ(0, by_none.size());
  EXPECT_EQ(0, quern::group_by(E(), none, quern::key_range{0, 5}).size());
  quern::sum(E(), this->row(std::vector<double>()), none, by_none);
  quern::min(E(), none, none, by_none);
  const auto keys = this->row(std::vector<int>{3, 1, 3}), two = this->row(std::vector<int>{3, 1});
  const auto by = quern::group_by(keys);
  test::expect_error("quern::group_by: keys has extents (2), expected rank 1 and extents (3)",
                     [&] { quern::group_by(E(), keys, two); });
  test::expect_error("quern::group_by: the range is from 5 to 5, expected 1 to 2147483647 numbers",
                     [&] { quern::group_by(E(), keys, quern::key_range{5, 5}); });
  test::expect_error("quern::group_by: the range is from 5 to 4, expected 1 to 2147483647 numbers",
                     [&] { quern::group_by(keys, quern::key_range{5, 4}, quern::checked); });
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  test::expect_error(
      "quern::group_by: the range is from -9223372036854775808 to 9223372036854775807, expected 1 to 2147483647 "
      "numbers",
      [&] { quern::group_by(E(), keys, quern::key_range{lowest, highest}); });
  test::expect_error("quern::sum: out has extents (3), expected (2), one for each group",
                     [&] { quern::sum(E(), this->row(std::vector<double>(3)), keys, by); });
  test::expect_error("quern::max: x has extents (2), expected (3), one for each row",
                     [&] { quern::max(E(), two, this->row(std::vector<int>(2)), by); });
  test::expect_error("quern::count: out has extents (3), expected (2), one for each group",
                     [&] { quern::count(E(), keys, by); });
}

}  // namespace
