// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorting beside NumPy's frozen results and the standard library.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

#include "support/keyed.hpp"
#include "support/reference_archive.hpp"

namespace {

const test::reference_archive numpy("keyed/data/numpy.npz");
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using quern::sort_order;
using test::expect_is;
using test::hashed_values;

template <class T>
std::vector<T> converted(const std::vector<double>& v) {
  return {v.begin(), v.end()};
}

template <class Case>
class Sort : public testing::Test {
 protected:
  template <class V, int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<V>& values) {
    return test::make_array<V, Rank, typename Case::layout, typename Case::exec>(extents, values);
  }
  template <class V, int Rank>
  static auto empty(const std::array<std::int64_t, Rank>& extents) {
    return test::make_array<V, Rank, typename Case::layout, typename Case::exec>(extents);
  }
};
using real_cases = test::covering<double>;
TYPED_TEST_SUITE(Sort, real_cases);

TYPED_TEST(Sort, OfNumPy) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto values = converted<T>(numpy.values("unordered"));
  const auto n = static_cast<std::int64_t>(values.size());
  const auto x = this->template array<T, 1>({n}, values), out = this->template empty<T, 1>({n});
  quern::sort(E(), out, x);
  expect_is(numpy.values("ordered"), test::contents(out));
  expect_is(values, test::contents(x));
  EXPECT_TRUE(quern::is_sorted(E(), out));
  EXPECT_FALSE(quern::is_sorted(x));
  quern::sort(out, x, sort_order::descending);
  EXPECT_TRUE(quern::is_sorted(E(), out, sort_order::descending));
  EXPECT_FALSE(quern::is_sorted(E(), out));
  const auto positions = this->template empty<std::int32_t, 1>({n});
  const auto wide = this->template empty<std::int64_t, 1>({n});
  quern::argsort(E(), positions, x);
  expect_is(numpy.values<std::int64_t>("order_of"), test::contents(positions));
  quern::argsort(wide, x, sort_order::descending);
  expect_is(numpy.values<std::int64_t>("descending_order_of"), test::contents(wide));
  std::vector<T> descending;
  for (const auto p : numpy.values<std::int64_t>("descending_order_of")) descending.push_back(values[p]);
  expect_is(descending, test::contents(out));
  quern::sort(E(), x);
  expect_is(numpy.values("ordered"), test::contents(x));
  quern::sort(x, sort_order::descending);
  expect_is(descending, test::contents(x));
}

TYPED_TEST(Sort, OfValuesByKeys) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto keys = converted<T>(numpy.values("unordered"));
  const auto n = static_cast<std::int64_t>(keys.size());
  std::vector<std::int64_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<std::int64_t> expected = positions;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](auto i, auto j) { return keys[i] < keys[j] || (keys[i] == keys[i] && keys[j] != keys[j]); });
  const auto check = [&](auto value) {
    using V = decltype(value);
    const auto k = this->template array<T, 1>({n}, keys);
    const auto v = this->template array<V, 1>({n}, std::vector<V>(positions.begin(), positions.end()));
    quern::sort_by_key(E(), k, v);
    expect_is(expected, test::contents(v));
    EXPECT_TRUE(quern::is_sorted(E(), k));
    quern::sort_by_key(v, k);
    expect_is(keys, test::contents(k));
    expect_is(positions, test::contents(v));
  };
  check(double());
  check(std::int16_t());
}

template <class Case>
class SortTable : public Sort<Case> {};
using table_cases = test::covering<std::int32_t>;
TYPED_TEST_SUITE(SortTable, table_cases);

TYPED_TEST(SortTable, AlongAxes) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const std::array<std::int64_t, 2> extents = {12, 17};
  const auto x = this->template array<T, 2>(extents, numpy.values<T>("unordered_table"));
  const auto out = this->template empty<T, 2>(extents);
  const auto positions = this->template empty<std::int16_t, 2>(extents);
  quern::sort(E(), out, x);
  expect_is(numpy.values<std::int32_t>("ordered_table_1"), test::contents(out));
  EXPECT_TRUE(quern::is_sorted(out, quern::axis(1)));
  EXPECT_FALSE(quern::is_sorted(out, quern::axis(0)));
  quern::argsort(E(), positions, x);
  expect_is(numpy.values<std::int64_t>("order_of_table_1"), test::contents(positions));
  quern::argsort(positions, x, quern::axis(-2));
  expect_is(numpy.values<std::int64_t>("order_of_table_0"), test::contents(positions));
  quern::sort(E(), x, quern::axis(0));
  expect_is(numpy.values<std::int32_t>("ordered_table_0"), test::contents(x));
}

struct last_digit_first {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& a, const T& b) const {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    return x % 10 < y % 10;
  }
};

template <class Exec>
class SortLarge : public testing::Test {
 protected:
  /// One dimension, beside the standard library: numbers with the order, and positions and values by a comparator.
  template <class T>
  static void line(std::int64_t n, std::uint64_t different) {
    const auto values = hashed_values<T>(n, different);
    const auto x = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values);
    const auto out = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n});
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    quern::sort(Exec(), out, x);
    EXPECT_EQ(expected, test::contents(out));
    std::reverse(expected.begin(), expected.end());
    quern::sort(Exec(), out, x, sort_order::descending);
    EXPECT_EQ(expected, test::contents(out));

    std::vector<std::int32_t> by(n);
    std::iota(by.begin(), by.end(), 0);
    std::stable_sort(by.begin(), by.end(), [&](auto i, auto j) { return last_digit_first()(values[i], values[j]); });
    const auto positions = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, Exec>({n});
    quern::argsort(Exec(), positions, x, last_digit_first());
    EXPECT_EQ(by, test::contents(positions));
    for (std::int64_t i = 0; i < n; ++i) expected[i] = values[by[i]];
    quern::sort(Exec(), out, x, last_digit_first());
    EXPECT_EQ(expected, test::contents(out));
    EXPECT_TRUE(quern::is_sorted(out, last_digit_first()));
    std::iota(by.begin(), by.end(), 0);
    std::stable_sort(by.begin(), by.end(), [&](auto i, auto j) { return values[i] > values[j]; });
    quern::argsort(Exec(), positions, x, sort_order::descending);
    EXPECT_EQ(by, test::contents(positions));
  }

  /// Many lines of a matrix, along both axes.
  template <class T>
  static void lines(std::int64_t rows, std::int64_t columns) {
    const auto values = hashed_values<T>(rows * columns, 1000);
    const auto x = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns}, values);
    const auto out = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    const auto positions = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    auto sorted = values;
    std::vector<std::int64_t> by(rows * columns);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto first = by.begin() + r * columns, last = first + columns;
      std::iota(first, last, 0);
      std::stable_sort(first, last, [&](auto i, auto j) { return values[r * columns + i] < values[r * columns + j]; });
      for (std::int64_t i = 0; i < columns; ++i) sorted[r * columns + i] = values[r * columns + first[i]];
    }
    quern::sort(Exec(), out, x);
    EXPECT_EQ(sorted, test::contents(out));
    quern::argsort(Exec(), positions, x);
    EXPECT_EQ(by, test::contents(positions));
    const auto turned = [](const auto& v) {
      return Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space>(
          v.data(), Kokkos::LayoutStride(v.extent(1), v.stride(1), v.extent(0), v.stride(0)));
    };
    const auto y = test::make_array<T, 2, Kokkos::LayoutLeft, Exec>({columns, rows});
    quern::sort(Exec(), y, turned(x), quern::axis(0));
    EXPECT_EQ(sorted, test::contents(turned(y)));
  }
};
TYPED_TEST_SUITE(SortLarge, test::all_spaces);

TYPED_TEST(SortLarge, Lines) {
  for (const std::int64_t n : {0, 1, 2, 7, 128, 1023, 1025, 5003, 100'003}) {
    this->template line<double>(n, 1 << 20);
    this->template line<std::int16_t>(n, n < 128 ? 3 : 30000);
  }
}

TYPED_TEST(SortLarge, Tables) {
  this->template lines<double>(2000, 1);
  this->template lines<double>(1500, 9);
  this->template lines<double>(300, 65);
  this->template lines<std::int32_t>(100, 1025);
  this->template lines<double>(3, 70'001);
}

TYPED_TEST(SortLarge, IsSortedWithoutWaiting) {
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({4}, std::vector<double>{1, 2, 2, nan});
  const Kokkos::View<int, TypeParam> sorted("sorted");
  const Kokkos::View<bool, TypeParam> descending("descending");
  quern::is_sorted(TypeParam(), sorted, x);
  EXPECT_EQ(1, test::value(sorted));
  Kokkos::deep_copy(descending, true);
  quern::is_sorted(descending, x, sort_order::descending);
  EXPECT_FALSE(test::value(descending));
}

// On devices: hosts would take 20 bytes an element.
TYPED_TEST(SortLarge, MoreThanTwoToThe31Elements) {
  const std::int64_t n = (std::int64_t{1} << 31) + 17;
  if (!quern::impl::is_device<TypeParam>) GTEST_SKIP() << "not on hosts";
  Kokkos::View<std::int8_t*, TypeParam> x;
  Kokkos::View<std::int64_t*, TypeParam> places;
  try {
    x = Kokkos::View<std::int8_t*, TypeParam>("x", n);
    places = Kokkos::View<std::int64_t*, TypeParam>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "places"), n);
  } catch (const std::exception& e) {
    GTEST_SKIP() << "not enough memory: " << e.what();
  }
  const auto last = Kokkos::subview(x, Kokkos::pair<std::int64_t, std::int64_t>(n - 3, n));
  Kokkos::deep_copy(last, std::int8_t{-1});
  EXPECT_EQ(3, quern::nonzero(TypeParam(), places, x));
  EXPECT_EQ(n - 3, test::contents(Kokkos::subview(places, Kokkos::pair<int, int>(0, 1)))[0]);
  quern::argsort(TypeParam(), places, x);
  EXPECT_EQ((std::vector<std::int64_t>{n - 3, n - 2, n - 1, 0}),
            test::contents(Kokkos::subview(places, Kokkos::pair<int, int>(0, 4))));
  quern::sort(TypeParam(), x);
  EXPECT_TRUE(quern::is_sorted(TypeParam(), x));
  EXPECT_EQ(-3, quern::sum(TypeParam(), x));
}

TYPED_TEST(SortLarge, OtherTypes) {
  using E = TypeParam;
  const std::int64_t n = 5000;
  const auto check = [&]<class T>(T, std::uint64_t different) {
    const auto values = hashed_values<T>(n, different);
    const auto x = test::make_array<T, 1, Kokkos::LayoutRight, E>({n}, values);
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    quern::sort(E(), x);
    EXPECT_EQ(expected, test::contents(x));
    std::reverse(expected.begin(), expected.end());
    quern::sort(E(), x, sort_order::descending);
    EXPECT_EQ(expected, test::contents(x));
  };
  check(std::int8_t(), 200);
  check(float(), 1 << 20);
  check(std::uint32_t(), 2);
  check(std::uint64_t(), 2);
  check(Kokkos::Experimental::half_t(), 200);
  check(Kokkos::Experimental::bhalf_t(), 200);
  // The ends of a type's range.
  std::vector<std::int64_t> ends = {0, -1, 1, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, 0};
  const auto x = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, E>({8}, ends);
  quern::sort(E(), x);
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, test::contents(x));
}

struct point {
  double x, y;
  bool operator==(const point&) const = default;
};
struct by_distance {
  KOKKOS_FUNCTION bool operator()(const point& a, const point& b) const {
    return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y;
  }
};

TYPED_TEST(SortLarge, OfStructures) {
  const std::int64_t n = 10'007;
  std::vector<point> points(n);
  for (std::int64_t i = 0; i < n; ++i) points[i] = {test::sample(i, 1), test::sample(i, 2)};
  const auto x = test::make_array<point, 1, Kokkos::LayoutRight, TypeParam>({n}, points);
  quern::sort(TypeParam(), x, by_distance());
  std::stable_sort(points.begin(), points.end(), by_distance());
  EXPECT_EQ(points, test::contents(x));
}

/// Some small numbers and many zeros of either sign.
template <class T>
std::vector<T> around_zero(std::int64_t n) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = std::floor(4 * test::sample(i, 3)) / 4;
    v[i] = static_cast<T>(std::abs(x) < 3 ? (x < 0 ? -0.0f : 0.0f) : static_cast<float>(x));
  }
  return v;
}
template <class T>
std::vector<bool> are_negative_zeros(const std::vector<T>& v) {
  std::vector<bool> are;
  for (const T& x : v) are.push_back(static_cast<double>(x) == 0 && std::signbit(static_cast<double>(x)));
  return are;
}
/// The order of numbers in which zeros of either sign are equal, and NaN last.
template <class T>
std::vector<std::int64_t> stable_order(const std::vector<T>& keys, std::int64_t first, std::int64_t n, bool down) {
  std::vector<std::int64_t> p(n);
  std::iota(p.begin(), p.end(), first);
  std::stable_sort(p.begin(), p.end(), [&](auto i, auto j) {
    const T &a = keys[i], &b = keys[j];
    return b != b ? a == a : down ? a > b : a < b;
  });
  return p;
}

template <class Exec, class T>
void check_zeros(std::int64_t lines, std::int64_t n, sort_order how) {
  auto keys = around_zero<T>(lines * n);
  if (n > 3) keys[3] = static_cast<T>(-nan);
  std::vector<T> sorted_keys;
  std::vector<std::int32_t> positions(lines * n), expected;
  std::iota(positions.begin(), positions.end(), 0);
  for (std::int64_t l = 0; l < lines; ++l)
    for (const auto p : stable_order(keys, l * n, n, how == sort_order::descending)) {
      expected.push_back(static_cast<std::int32_t>(p));
      sorted_keys.push_back(keys[p]);
    }
  const auto k = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({lines, n}, keys);
  const auto v = test::make_array<std::int32_t, 2, Kokkos::LayoutRight, Exec>({lines, n}, positions);
  quern::sort_by_key(Exec(), k, v, how);
  EXPECT_EQ(expected, test::contents(v));
  const auto found = test::contents(k);
  expect_is(sorted_keys, found);
  EXPECT_EQ(are_negative_zeros(sorted_keys), are_negative_zeros(found));
  const auto order_of = test::make_array<std::int32_t, 2, Kokkos::LayoutRight, Exec>({lines, n});
  quern::argsort(Exec(), order_of, test::make_array<T, 2, Kokkos::LayoutRight, Exec>({lines, n}, keys), how);
  for (std::int64_t i = 0; i < lines * n; ++i) expected[i] -= static_cast<std::int32_t>(i / n * n);
  EXPECT_EQ(expected, test::contents(order_of));
}

TYPED_TEST(SortLarge, ZerosOfEitherSignKeepTheirOrder) {
  for (const auto how : {sort_order::ascending, sort_order::descending})
    for (const auto& [lines, n] : {std::pair<int, int>{1, 2}, {1, 40}, {1, 1500}, {1, 5003}, {700, 5}, {3, 2900}}) {
      check_zeros<TypeParam, float>(lines, n, how);
      check_zeros<TypeParam, double>(lines, n, how);
      check_zeros<TypeParam, Kokkos::Experimental::half_t>(lines, n, how);
    }
}

// What devices do behind a vendor's sort.
TYPED_TEST(SortLarge, SignsArePutBackAmongSortedKeys) {
  using E = TypeParam;
  using key = std::uint64_t;
  for (const bool down : {false, true})
    for (const auto& [lines, n] : {std::pair<int, int>{1, 1}, {1, 900}, {2, 1024}, {1, 1025}, {5, 3001}}) {
      const auto values = around_zero<double>(lines * n);
      const auto in = test::make_array<double, 2, Kokkos::LayoutLeft, E>({lines, n}, values);
      const quern::impl::by_order<double> plain{down};
      std::vector<key> sorted, expected;
      for (std::int64_t l = 0; l < lines; ++l)
        for (const auto p : stable_order(values, l * n, n, down)) {
          sorted.push_back(plain.encode(values[p]));
          expected.push_back(quern::impl::by_equal_zeros<double>(down).encode(values[p]));
        }
      for (const int found : {0, 1}) {
        const auto k = test::make_array<key, 1, Kokkos::LayoutRight, E>({lines * n}, sorted);
        const Kokkos::View<int, E> flag("flag");
        Kokkos::deep_copy(flag, found);
        const auto lines_of = quern::impl::describe(static_cast<const double*>(in.data()), in);
        quern::impl::put_zero_signs("test", E(), lines, n, lines_of, quern::impl::by_equal_zeros<double>(down),
                                    flag.data(), k.data());
        EXPECT_EQ(found == 1 ? expected : sorted, test::contents(k)) << lines << " lines of " << n;
      }
    }
}

/// Numbers in which sorts differ: in order or nearly, few or one, and what is special among them.
enum class spread { random, ascending, descending, few, equal, ends, far_apart };
template <class T>
std::vector<T> spread_values(spread how, std::int64_t n) {
  using limits = std::numeric_limits<T>;
  std::vector<T> v = hashed_values<T>(n, sizeof(T) == 2 ? 60'000 : std::uint64_t{1} << 24);
  if (how == spread::ascending) std::sort(v.begin(), v.end());
  if (how == spread::descending) std::sort(v.begin(), v.end(), std::greater<T>());
  if (how == spread::few) v = hashed_values<T>(n, 5);
  if (how == spread::equal) v.assign(n, T(3));
  for (std::int64_t i = 0; i < n && how == spread::ends; ++i) {
    std::vector<T> some{limits::min(), limits::max(), T(0), T(1), T(limits::max() - 1), T(limits::lowest() + 1)};
    if constexpr (std::is_floating_point_v<T>)
      some = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),  -limits::quiet_NaN(),  T(0), -T(0),
              limits::lowest(),   limits::max(),       limits::denorm_min(), -limits::denorm_min(), T(1)};
    v[i] = some[test::hashed(i) % some.size()];
  }
  // All but one differ in their last bits alone.
  for (std::int64_t i = 0; i < n && how == spread::far_apart; ++i) {
    const auto step = static_cast<T>(test::hashed(i) % 1000);
    v[i] = i == n / 3 ? limits::lowest() : static_cast<T>(std::is_integral_v<T> ? step : 1 + step * limits::epsilon());
  }
  return v;
}
constexpr spread spreads[] = {spread::random, spread::ascending, spread::descending, spread::few,
                              spread::equal,  spread::ends,      spread::far_apart};

/// One line, contiguous or a column of a wider array, whose other columns must stay.
template <class Exec, class T>
void check_spread(spread how, std::int64_t n, std::int64_t columns) {
  const auto values = spread_values<T>(how, n);
  std::vector<T> wide(n * columns, T(77));
  std::vector<double> from_0(n);
  std::iota(from_0.begin(), from_0.end(), 0.0);
  for (std::int64_t i = 0; i < n; ++i) wide[i * columns] = values[i];
  for (const auto direction : {sort_order::ascending, sort_order::descending}) {
    std::vector<T> expected = wide;
    std::vector<std::int32_t> order(n);
    std::int64_t at = 0;
    for (const auto p : stable_order(values, 0, n, direction == sort_order::descending)) {
      order[at] = static_cast<std::int32_t>(p);
      expected[columns * at++] = values[p];
    }
    const auto array = [&] { return test::make_array<T, 2, Kokkos::LayoutRight, Exec>({n, columns}, wide); };
    const auto x = array(), out = array();
    const auto line = [](const auto& a) { return Kokkos::subview(a, Kokkos::ALL, 0); };
    const auto positions = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, Exec>({n});
    quern::sort(Exec(), line(out), line(x), direction);
    expect_is(expected, test::contents(out));
    expect_is(wide, test::contents(x));
    quern::argsort(Exec(), positions, line(x), direction);
    EXPECT_EQ(order, test::contents(positions));
    quern::sort(Exec(), line(x), direction);
    expect_is(expected, test::contents(x));
    const auto keys = array();
    const auto moved = test::make_array<double, 1, Kokkos::LayoutRight, Exec>({n}, from_0);
    quern::sort_by_key(Exec(), line(keys), moved, direction);
    expect_is(expected, test::contents(keys));
    expect_is(order, test::contents(moved));
  }
}

template <class Exec, class T>
void check_spreads() {
  for (const auto how : spreads) {
    for (const std::int64_t n :
         {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 257, 1023, 1025, 4097})
      check_spread<Exec, T>(how, n, n % 3 == 0 ? 3 : 1);
    check_spread<Exec, T>(how, 150'001, 1);  // by several threads
  }
}

TYPED_TEST(SortLarge, SpreadsOfDoubles) { check_spreads<TypeParam, double>(); }
TYPED_TEST(SortLarge, SpreadsOfFloats) { check_spreads<TypeParam, float>(); }
TYPED_TEST(SortLarge, SpreadsOfInt32) { check_spreads<TypeParam, std::int32_t>(); }
TYPED_TEST(SortLarge, SpreadsOfUInt64) { check_spreads<TypeParam, std::uint64_t>(); }
TYPED_TEST(SortLarge, SpreadsOfInt16) { check_spreads<TypeParam, std::int16_t>(); }

TYPED_TEST(SortLarge, LinesOfPaddedArrays) {
  using E = TypeParam;
  const std::array<std::int64_t, 3> extents = {5, 70, 3};
  const auto values = spread_values<double>(spread::ends, 5 * 70 * 3);
  const auto check = [&]<class Layout>(Layout) {
    const Kokkos::View<double***, Layout, E> wide("wide", 7, 71, 5);
    const auto x = Kokkos::subview(wide, std::pair(1, 6), std::pair(0, 70), std::pair(2, 5));
    const auto plain = test::make_array<double, 3, Layout, E>(extents, values);
    for (const int along : {0, 1, 2}) {
      Kokkos::deep_copy(wide, 7.0);
      quern::add(E(), x, plain, 0.0);
      quern::sort(E(), x, quern::axis(along), sort_order::descending);
      EXPECT_TRUE(quern::is_sorted(E(), x, quern::axis(along), sort_order::descending));
      const auto out = test::make_array<double, 3, Layout, E>(extents);
      quern::sort(E(), out, plain, quern::axis(along), sort_order::descending);
      expect_is(test::contents(out), test::contents(x));
      std::vector<double> all = values, found = test::contents(out);
      const auto first = [](double a, double b) { return a < b || (a == a && b != b); };
      std::sort(all.begin(), all.end(), first);
      std::sort(found.begin(), found.end(), first);
      expect_is(all, found);
      const auto everything = test::contents(wide);
      EXPECT_EQ(7 * 71 * 5 - 5 * 70 * 3, std::count(everything.begin(), everything.end(), 7.0));
    }
  };
  check(Kokkos::LayoutRight());
  check(Kokkos::LayoutLeft());
}

TYPED_TEST(SortLarge, FewLongColumnsNeedNoMoreThanTwiceTheirMemory) {
  using E = TypeParam;
  if (quern::impl::is_device<E>) GTEST_SKIP() << "devices sort them otherwise";
  const std::int64_t n = 50'000, columns = 2 * E().concurrency() + 1;
  const Kokkos::View<double**, Kokkos::LayoutRight, E> x("x", n, columns);
  quern::Workspace<E> work;
  const quern::WorkspaceScope scope(work);
  quern::sort(E(), x, quern::axis(0));
  const auto lines = static_cast<double>(work.size()) / (8.0 * static_cast<double>(n));
  const double of_each = quern::impl::has_vector_sort() ? 1.6 : 2.1;  // a radix sort takes two
  EXPECT_LE(lines, of_each * static_cast<double>(columns));
}

TYPED_TEST(SortLarge, NaNAndNothing) {
  using E = TypeParam;
  const std::int64_t n = 3001;
  const std::vector<double> nans(n, -nan);
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, E>({n}, nans);
  const auto positions = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, E>({n});
  std::vector<std::int32_t> in_order(n);
  std::iota(in_order.begin(), in_order.end(), 0);
  for (const auto how : {sort_order::ascending, sort_order::descending}) {
    quern::argsort(E(), positions, x, how);
    EXPECT_EQ(in_order, test::contents(positions));
    quern::sort(E(), x, how);
    expect_is(nans, test::contents(x));
    EXPECT_TRUE(quern::is_sorted(E(), x, how));
  }
  const auto none = test::make_array<double, 2, Kokkos::LayoutRight, E>({0, 3});
  const auto nowhere = test::make_array<int, 2, Kokkos::LayoutRight, E>({0, 3});
  quern::sort(E(), none);
  quern::argsort(E(), nowhere, none, quern::axis(0));
  EXPECT_TRUE(quern::is_sorted(E(), none));
  EXPECT_TRUE(quern::is_sorted(E(), none, quern::axis(0)));
}

TYPED_TEST(SortLarge, Misuse) {
  using E = TypeParam;
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, E>({300});
  const auto y = test::make_array<double, 1, Kokkos::LayoutRight, E>({299});
  const auto small = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, E>({300});
  test::expect_error("quern::sort: out has extents (299), expected (300)", [&] { quern::sort(E(), y, x); });
  test::expect_error("quern::sort: axis 1 is out of range, expected one of an array of rank 1",
                     [&] { quern::sort(E(), x, quern::axis(1)); });
  test::expect_error("quern::argsort: positions to before 300 do not fit the type of out, of 8 bits",
                     [&] { quern::argsort(E(), small, x); });
  test::expect_error("quern::sort_by_key: values has extents (299), expected (300)",
                     [&] { quern::sort_by_key(E(), x, y); });
  const auto part = Kokkos::subview(x, Kokkos::pair<int, int>(1, 300));
  test::expect_error("quern::sort: out and x share memory and are not the same View",
                     [&] { quern::sort(E(), part, Kokkos::subview(x, Kokkos::pair<int, int>(0, 299))); });
}

}  // namespace
