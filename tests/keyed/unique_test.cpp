// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Distinct values beside NumPy's frozen results, and selections beside a loop.

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <quern/keyed.hpp>

#include "support/keyed.hpp"
#include "support/reference_archive.hpp"

namespace {

const test::reference_archive numpy("keyed/data/numpy.npz");

/// The first n elements are these, NaN equal to NaN.
template <class V, class T>
void expect_first(std::int64_t n, const std::vector<V>& expected, const std::vector<T>& found) {
  ASSERT_EQ(static_cast<std::int64_t>(expected.size()), n);
  for (std::int64_t i = 0; i < n; ++i) {
    const T e = static_cast<T>(expected[i]);
    ASSERT_TRUE(test::same(e, found[i])) << i << ": " << e << " and " << found[i];
  }
}

struct is_positive {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& v) const {
    return v > 0;
  }
};

template <class Case>
class Unique : public testing::Test {
 protected:
  template <class V, int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<V>& values) {
    return test::make_array<V, Rank, typename Case::layout, typename Case::exec>(extents, values);
  }
  template <class V, int Rank>
  static auto empty(const std::array<std::int64_t, Rank>& extents) {
    return test::make_array<V, Rank, typename Case::layout, typename Case::exec>(extents);
  }
  template <class V>
  static auto scalar() {
    return Kokkos::View<V, typename Case::exec::memory_space>("scalar");
  }
};
using unique_cases = test::covering<double>;
TYPED_TEST_SUITE(Unique, unique_cases);

TYPED_TEST(Unique, OfNumPy) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto unordered = numpy.values("unordered"), distinct = numpy.values("distinct");
  const auto distinct_counts = numpy.values<std::int64_t>("distinct_counts");
  const auto n = static_cast<std::int64_t>(unordered.size());
  const auto x = this->template array<T, 1>({n}, std::vector<T>(unordered.begin(), unordered.end()));
  const auto values = this->template empty<T, 1>({30});
  const auto counts = this->template empty<std::int32_t, 1>({30}), first = this->template empty<std::int32_t, 1>({30});
  const auto inverse = this->template empty<std::int32_t, 1>({n});
  std::int64_t many = quern::unique(E(), values, x);
  expect_first(many, distinct, test::contents(values));
  Kokkos::deep_copy(values, T(0));
  many = quern::unique_counts(values, counts, x);
  expect_first(many, distinct, test::contents(values));
  expect_first(distinct.size(), distinct_counts, test::contents(counts));
  Kokkos::deep_copy(values, T(0));
  const auto count = this->template scalar<std::int64_t>();
  quern::unique_inverse(E(), values, inverse, x, quern::size_to{count});
  expect_first(test::value(count), distinct, test::contents(values));
  expect_first(n, numpy.values<std::int64_t>("distinct_inverse"), test::contents(inverse));
  Kokkos::deep_copy(values, T(0));
  Kokkos::deep_copy(counts, 0);
  Kokkos::deep_copy(inverse, 0);
  many = quern::unique_all(E(), values, first, inverse, counts, x);
  expect_first(many, distinct, test::contents(values));
  expect_first(distinct.size(), distinct_counts, test::contents(counts));
  expect_first(distinct.size(), numpy.values<std::int64_t>("distinct_first"), test::contents(first));
  expect_first(n, numpy.values<std::int64_t>("distinct_inverse"), test::contents(inverse));
}

TYPED_TEST(Unique, SelectionsOfTables) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const std::array<std::int64_t, 2> extents = {61, 97};
  const std::int64_t n = 61 * 97;
  const auto data = test::samples<T>(n), other = test::samples<T>(n, 9);
  std::vector<int> set(n);
  std::vector<T> expected, positive;
  std::vector<std::int64_t> flat, rows;
  for (std::int64_t i = 0; i < n; ++i) {
    set[i] = other[i] > 2 ? 3 : 0;
    if (set[i] != 0) {
      expected.push_back(data[i]);
      flat.push_back(i);
      rows.insert(rows.end(), {i / 97, i % 97});
    }
    if (data[i] > 0) positive.push_back(data[i]);
  }
  const auto found = static_cast<std::int64_t>(flat.size());
  const auto x = this->template array<T, 2>(extents, data);
  const auto mask = this->template array<int, 2>(extents, set);
  const auto out = this->template empty<T, 1>({n});
  std::int64_t many = quern::compact(E(), out, x, mask);
  expect_first(many, expected, test::contents(out));
  const auto count = this->template scalar<std::int64_t>();
  Kokkos::deep_copy(out, T(0));
  quern::compact(out, x, mask, quern::size_to{count});
  expect_first(test::value(count), expected, test::contents(out));
  many = quern::compact(out, x, is_positive());
  expect_first(many, positive, test::contents(out));
  const auto places = this->template empty<std::int16_t, 1>({n});
  many = quern::nonzero(E(), places, mask);
  expect_first(many, flat, test::contents(places));
  Kokkos::deep_copy(places, std::int16_t(0));
  quern::nonzero(E(), places, mask, quern::size_to{count});
  expect_first(test::value(count), flat, test::contents(places));
  const auto pairs = this->template empty<std::int8_t, 2>({found, 2});
  EXPECT_EQ(found, quern::nonzero(pairs, mask));
  expect_first(2 * found, rows, test::contents(pairs));
  // What does not fit is left out, and counted.
  const auto few = this->template empty<T, 1>({10});
  quern::compact(E(), few, x, mask, quern::size_to{count});
  EXPECT_EQ(found, test::value(count));
  expect_first(10, std::vector<T>(expected.begin(), expected.begin() + 10), test::contents(few));
  EXPECT_THROW(quern::compact(E(), few, x, mask), quern::CapacityError);
}

template <class Exec>
class UniqueLarge : public testing::Test {
 protected:
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  template <class T>
  static auto row(std::int64_t n) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n});
  }
};
TYPED_TEST_SUITE(UniqueLarge, test::all_spaces);

TYPED_TEST(UniqueLarge, Lines) {
  using E = TypeParam;
  for (const std::int64_t n : {0, 1, 4095, 4097, 150'001})
    for (const std::int64_t different : {1, 1000, 1'000'000'000}) {
      std::vector<std::int32_t> data(n);
      std::map<std::int32_t, std::vector<std::int64_t>> places;
      for (std::int64_t i = 0; i < n; ++i) {
        data[i] = static_cast<std::int32_t>(((static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u >> 20) %
                                            static_cast<std::uint64_t>(different)) -
                  500;
        places[data[i]].push_back(i);
      }
      std::vector<std::int32_t> distinct;
      std::vector<std::int64_t> counts, first, inverse(n);
      for (const auto& [value, at] : places) {
        for (const auto i : at) inverse[i] = static_cast<std::int64_t>(distinct.size());
        distinct.push_back(value);
        counts.push_back(static_cast<std::int64_t>(at.size()));
        first.push_back(at[0]);
      }
      const auto x = this->row(data), values = this->template row<std::int32_t>(n);
      const auto c = this->template row<std::int64_t>(n), f = this->template row<std::int64_t>(n),
                 i = this->template row<std::int64_t>(n);
      std::int64_t many = quern::unique_counts(E(), values, c, x);
      expect_first(many, distinct, test::contents(values));
      expect_first(counts.size(), counts, test::contents(c));
      Kokkos::deep_copy(c, 0);
      many = quern::unique_all(E(), values, f, i, c, x);
      expect_first(many, distinct, test::contents(values));
      expect_first(counts.size(), counts, test::contents(c));
      expect_first(first.size(), first, test::contents(f));
      expect_first(n, inverse, test::contents(i));
      // All, none, and all but some.
      EXPECT_EQ(n, quern::nonzero(E(), i, this->row(std::vector<int>(n, 1))));
      EXPECT_EQ(0, quern::nonzero(E(), i, this->row(std::vector<int>(n, 0))));
    }
}

// So many tiles that no team of a device sees all of those before its own at once.
TYPED_TEST(UniqueLarge, SelectionOfManyTiles) {
  using E = TypeParam;
  constexpr std::int64_t n = 5'000'001;
  std::vector<std::int32_t> data(n), expected;
  std::vector<std::int8_t> set(n);
  for (std::int64_t i = 0; i < n; ++i) {
    data[i] = static_cast<std::int32_t>(i * 7 % 1'000'003);
    set[i] = i / 100'000 % 3 != 1 && data[i] % 5 < 3;  // nothing of some tiles
    if (set[i] != 0) expected.push_back(data[i]);
  }
  const auto out = this->template row<std::int32_t>(n);
  const auto many = quern::compact(E(), out, this->row(data), this->row(set));
  expect_first(many, expected, test::contents(out));
}

/// 200 numbers of the seven from `low` on, two of which do not occur, in a table.
template <class Exec, class T>
void expect_few_integers(T low) {
  const std::vector<T> distinct{low, static_cast<T>(low + 1), static_cast<T>(low + 3), static_cast<T>(low + 4),
                                static_cast<T>(low + 6)};
  std::vector<T> data(200);
  std::vector<std::int64_t> times(5);
  for (int i = 0; i < 200; ++i) {
    const int k = (i * i + i / 7) % 5;
    data[i] = distinct[k];
    ++times[k];
  }
  const auto x = test::make_array<T, 2, Kokkos::LayoutLeft, Exec>({20, 10}, data);
  const auto values = test::row<Exec>(std::vector<T>(5)), few = test::row<Exec>(std::vector<T>(2));
  const auto counts = test::row<Exec>(std::vector<std::int64_t>(5));
  EXPECT_EQ(5, quern::unique_counts(Exec(), values, counts, x));
  EXPECT_EQ(distinct, test::contents(values));
  EXPECT_EQ(times, test::contents(counts));
  const Kokkos::View<std::int64_t, Exec> number("number");
  quern::unique(Exec(), few, x, quern::size_to{number});
  EXPECT_EQ(5, test::value(number));
  EXPECT_EQ((std::vector<T>{distinct[0], distinct[1]}), test::contents(few));
}

// Of few integers in a row hosts make a table.
TYPED_TEST(UniqueLarge, FewIntegers) {
  using E = TypeParam;
  expect_few_integers<E, std::int8_t>(-128);
  expect_few_integers<E, std::uint8_t>(249);
  expect_few_integers<E, char>('a');
  expect_few_integers<E, std::int64_t>(std::numeric_limits<std::int64_t>::min());
  expect_few_integers<E, std::int64_t>(std::numeric_limits<std::int64_t>::max() - 6);
  expect_few_integers<E, std::uint64_t>((std::uint64_t{1} << 63) - 3);
  expect_few_integers<E, std::uint64_t>(std::numeric_limits<std::uint64_t>::max() - 6);
}

/// Integers that a table can hold, at both ends of their type, beside a sorted copy.
template <class T, class E>
void expect_distinct(const std::vector<T>& numbers) {
  const auto n = static_cast<std::int64_t>(numbers.size());
  const auto x = test::make_array<T, 1, Kokkos::LayoutRight, E>({n}, numbers);
  const auto values = test::make_array<T, 1, Kokkos::LayoutRight, E>({n});
  std::vector<T> expected = numbers;
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  const std::int64_t number = quern::unique(E(), values, x);
  expect_first(number, expected, test::contents(values));
}

TYPED_TEST(UniqueLarge, IntegersAtTheEndsOfTheirType) {
  using E = TypeParam;
  const auto of_type = []<class T>(T) {
    const T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
    for (const std::int64_t n : {1, 2, 100, 70'001}) {
      std::vector<T> low, high, around;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto step = static_cast<T>(i * 7919 % std::max<std::int64_t>(n / 3, 1) % 100'000);
        low.push_back(static_cast<T>(least + step));
        high.push_back(static_cast<T>(greatest - step));
        around.push_back(static_cast<T>(step - n / 6));
      }
      for (const auto& numbers : {low, high, around}) expect_distinct<T, E>(numbers);
      low.push_back(greatest);  // a range that no table holds
      expect_distinct<T, E>(low);
    }
  };
  of_type(std::int64_t());
  of_type(std::uint64_t());
  of_type(std::int32_t());
}

TYPED_TEST(UniqueLarge, Misuse) {
  using E = TypeParam;
  const auto x = this->row(test::samples<double>(100)), values = this->template row<double>(100);
  const auto mask = this->template row<int>(99), flat = this->template row<int>(100);
  const auto bytes = this->template row<std::int8_t>(300);
  test::expect_error("quern::compact: the mask has extents (99), which do not broadcast to (100)",
                     [&] { quern::compact(E(), values, x, mask); });
  test::expect_error("quern::compact: out and an input share memory", [&] { quern::compact(E(), x, x, flat); });
  const Kokkos::View<std::int64_t*, E> places("places", 9);
  const auto number = Kokkos::subview(places, 2);
  test::expect_error("quern::nonzero: output 1 and output 2 share memory", [&] {
    quern::nonzero(E(), Kokkos::View<std::int64_t**, E>(places.data(), 9, 1), flat, quern::size_to{number});
  });
  const Kokkos::View<std::int64_t*, E> read("read", 9);
  const auto in_read = quern::size_to{Kokkos::subview(read, 4)};
  test::expect_error("quern::compact: the mask and count share memory", [&] {
    quern::compact(E(), this->template row<double>(9), this->template row<double>(9), read, in_read);
  });
  test::expect_error("quern::compact: x and count share memory",
                     [&] { quern::compact(E(), places, quern::roll(read, 1), this->template row<int>(9), in_read); });
  test::expect_error("quern::nonzero: x and count share memory", [&] { quern::nonzero(E(), places, read, in_read); });
  test::expect_error("quern::unique: x and count share memory", [&] { quern::unique(E(), places, read, in_read); });
  test::expect_error("quern::nonzero: positions to before 300 do not fit the type of out, of 8 bits",
                     [&] { quern::nonzero(E(), bytes, this->row(std::vector<float>(300))); });
  const auto many = this->row(test::samples<double>(300)), room = this->template row<double>(129);
  const auto counts = this->template row<int>(129);
  std::vector<int> all_different(129);
  std::iota(all_different.begin(), all_different.end(), 0);
  const auto known = Kokkos::subview(bytes, std::pair(0, 129));
  const auto values_of = this->template row<int>(129);
  test::expect_error("quern::unique_inverse: positions to before 129 do not fit the type of inverse, of 8 bits",
                     [&] { quern::unique_inverse(E(), values_of, known, this->row(all_different)); });
  const Kokkos::View<std::int64_t, E> found("found");
  test::expect_error("quern::unique_inverse: positions to before 129 do not fit the type of inverse, of 8 bits",
                     [&] { quern::unique_inverse(E(), room, bytes, many, quern::size_to{found}); });
  test::expect_error("quern::unique_all: positions to before 300 do not fit the type of first, of 8 bits", [&] {
    quern::unique_all(E(), room, Kokkos::subview(bytes, std::pair(0, 129)), this->template row<int>(300), counts, many);
  });
  EXPECT_EQ(41, quern::unique_inverse(E(), room, bytes, many)) << "which 8 bits hold";
  test::expect_error("quern::unique_inverse: inverse has extents (99), expected (100)",
                     [&] { quern::unique_inverse(E(), values, mask, x); });
  // Nothing is written before all outputs have been looked at.
  Kokkos::deep_copy(values, -7.0);
  const auto table = test::make_array<int, 2, Kokkos::LayoutRight, E>({10, 10});
  test::expect_error("quern::unique_counts: counts has extents (10, 10), expected rank 1",
                     [&] { quern::unique_counts(E(), values, table, x); });
  test::expect_error("quern::unique_all: first has extents (10, 10), expected rank 1",
                     [&] { quern::unique_all(E(), values, table, flat, this->template row<int>(100), x); });
  EXPECT_EQ(std::vector<double>(100, -7.0), test::contents(values));
  const auto few = this->template row<double>(3);
  try {
    quern::unique(E(), few, x);
    ADD_FAILURE() << "no error";
  } catch (const quern::CapacityError& e) {
    EXPECT_STREQ("quern::unique: there are 39 results and room for 3", e.what());
    EXPECT_EQ(39, e.needed());
    EXPECT_EQ(3, e.room());
  }
}

}  // namespace
