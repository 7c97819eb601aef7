// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/reduce/vector_columns.hpp>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The functions that the library chooses from, each beside the reducers of one state after the other, wherever the
// processor has their instructions: their bits are the same.

namespace quern::impl {
template <class T>
const vector_columns<T>* columns_by_avx2();
template <class T>
const vector_columns<T>* columns_by_avx512();
template <class T, class S>
const vector_sums<T, S>* sums_by_avx2();
template <class T, class S>
const vector_sums<T, S>* sums_by_avx512();
}  // namespace quern::impl

namespace {

using quern::impl::compensated;
using quern::impl::moments_reducer;
using quern::impl::vector_columns;
using quern::impl::vector_sums;

template <class T>
std::vector<std::pair<const char*, const vector_columns<T>*>> known() {
  std::vector<std::pair<const char*, const vector_columns<T>*>> all;
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) all.emplace_back("AVX2", quern::impl::columns_by_avx2<T>());
  if (__builtin_cpu_supports("avx512f")) all.emplace_back("AVX-512", quern::impl::columns_by_avx512<T>());
#endif
  std::erase_if(all, [](const auto& one) { return one.second == nullptr; });
  return all;
}

bool same(double a, double b) { return a == b || (a != a && b != b); }

template <int Rows, class T, class Row>
void pointers(const std::vector<T>& values, std::size_t columns, Row& row) {
  for (int u = 0; u < Rows; ++u) row[u] = values.data() + u * columns;
}
template <int Rows, class T>
void column_of(const std::vector<T>& values, std::size_t columns, std::size_t k, T (&column)[Rows]) {
  for (int u = 0; u < Rows; ++u) column[u] = values[u * columns + k];
}

/// Numbers of all sizes, of which some are none.
template <class T>
std::vector<T> numbers(std::size_t n, int seed) {
  std::mt19937 random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = std::ldexp(T(random() % 2000) - 1000, static_cast<int>(random() % 80) - 40);
  const T special[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::max(), T(-0.0)};
  for (std::size_t k = 0; k < std::min<std::size_t>(n / 16, 5); ++k) v[random() % n] = special[k];
  return v;
}

template <int Rows, class T>
void expect_sums(const vector_columns<T>& by, const char* what) {
  for (const int columns : {1, 2, 7, 16, 33, 100}) {
    std::vector<compensated<T>> expected(columns, compensated<T>::zero()), found = expected;
    for (const int seed : {1, 2, 3}) {
      const auto values = numbers<T>(Rows * columns, seed);
      const T* row[Rows];
      pointers<Rows>(values, columns, row);
      by.sums[Rows / 8](found.data(), row, 0, columns / 2);
      by.sums[Rows / 8](found.data(), row, columns / 2, columns);
      for (int k = 0; k < columns; ++k) {
        T column[Rows];
        column_of(values, columns, k, column);
        expected[k].template add_block<Rows>(column);
      }
    }
    for (int k = 0; k < columns; ++k) {
      EXPECT_TRUE(same(expected[k].sum, found[k].sum)) << what << ", " << columns << " columns, " << k;
      EXPECT_TRUE(same(expected[k].error, found[k].error)) << what << ", " << columns << " columns, " << k;
    }
  }
}

/// Of whole numbers, whose squares no contraction changes, and of those of all sizes, whose squares are near enough.
template <int Rows>
void expect_moments(const vector_columns<float>& by, const char* what) {
  const moments_reducer<float> reducer;
  for (const int columns : {1, 2, 7, 16, 33, 100})
    for (const bool whole : {true, false}) {
      std::vector<moments_reducer<float>::state> expected(columns, reducer.init()), found = expected;
      bool unsettled = false, some = false;
      for (const int seed : {1, 2, 3}) {
        auto values = numbers<float>(Rows * columns, seed);
        for (std::size_t i = 0; whole && i < values.size(); ++i) values[i] = static_cast<float>(i * i % 1001) + 3000;
        const float* row[Rows];
        pointers<Rows>(values, columns, row);
        const auto add = by.moments[Rows == 8 ? 2 : Rows - 3];
        unsettled |= add(found.data(), row, 0, columns / 2);
        unsettled |= add(found.data(), row, columns / 2, columns);
        for (int k = 0; k < columns; ++k) {
          float column[Rows];
          column_of(values, columns, k, column);
          reducer.take<Rows>(expected[k], column);
          some |= reducer.is_unsettled(expected[k]);
        }
      }
      EXPECT_TRUE(!whole || some == unsettled) << what << ", " << columns << " columns";
      for (int k = 0; k < columns; ++k) {
        const auto& a = expected[k];
        const auto& b = found[k];
        EXPECT_TRUE(same(a.center, b.center) && same(a.distances.sum, b.distances.sum) && a.n == b.n)
            << what << ", " << columns << " columns, " << k;
        const double near = whole ? 0 : 1e-15 * a.squares.sum;
        EXPECT_TRUE(same(a.squares.sum, b.squares.sum) || std::abs(a.squares.sum - b.squares.sum) <= near)
            << what << ", " << columns << " columns, " << k;
      }
    }
}

TEST(VectorColumns, AddToSumsAsTheReducersDo) {
  for (const auto& [name, by] : known<float>()) {
    expect_sums<4>(*by, name);
    expect_sums<8>(*by, name);
  }
  for (const auto& [name, by] : known<double>()) {
    expect_sums<4>(*by, name);
    expect_sums<8>(*by, name);
  }
}

/// Rows with elements between them that are not theirs, and nothing behind the last one.
template <class T>
struct padded_rows {
  std::int64_t rows, columns, apart;
  std::vector<T> values;
  template <class F>
  padded_rows(std::int64_t n, std::int64_t k, const F& value)
      : rows(n), columns(k), apart(k + 3), values(n * apart - 3, T(1'000'000)) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) values[i * apart + j] = value();
  }
  const T& operator()(std::int64_t i, std::int64_t j) const { return values[i * apart + j]; }
};

/// Sums of values that are exact in any order, as those of integers that wrap around are.
template <class T, class S, class F>
void expect_sums_of_lines(const vector_sums<T, S>& by, const F& value, const std::string& what) {
  constexpr std::int64_t lanes = vector_sums<T, S>::lanes;
  const auto plus = [](S a, T b) {
    if constexpr (std::is_integral_v<S>) return quern::impl::wrapping_add(a, static_cast<S>(b));
    else return a + static_cast<S>(b);
  };
  for (std::int64_t k = 1; k <= 9 * lanes; ++k)
    for (const std::int64_t n : {1, 2, 15, 16, 17, 33}) {
      const padded_rows<T> x(n, k, value);
      std::vector<S> of_row(n, S(7));
      by.of_rows(x.values.data(), k, x.apart, n, of_row.data());
      for (std::int64_t i = 0; i < n; ++i) {
        S sum = 0;
        for (std::int64_t j = 0; j < k; ++j) sum = plus(sum, x(i, j));
        ASSERT_EQ(sum, of_row[i]) << what << ", row " << i << " of " << n << " x " << k;
      }
      if (k < lanes) continue;
      std::vector<compensated<S>> of_column(k, {S(5), S(0)});
      by.of_columns(of_column.data(), x.values.data(), x.apart, n, static_cast<int>(k), n % 2 == 0);
      for (std::int64_t j = 0; j < k; ++j) {
        S sum = 5;
        for (std::int64_t i = 0; i < n; ++i) sum = plus(sum, x(i, j));
        ASSERT_EQ(sum, of_column[j].sum) << what << ", column " << j << " of " << n << " x " << k;
        ASSERT_EQ(S(0), of_column[j].error);
      }
    }
}

/// Rows and columns of numbers of all sizes, beside sums in long double: as near as sums of 16 at a time are.
template <class T>
void expect_near_sums(const vector_sums<T, T>& by, const std::string& what) {
  constexpr std::int64_t n = 211, k = 8 * vector_sums<T, T>::lanes + 3;
  std::mt19937 random(7);
  std::vector<T> v(n * k);
  for (T& x : v) x = std::ldexp(static_cast<T>(random() % 2000) - 1000, static_cast<int>(random() % 20));
  std::vector<T> of_row(n);
  by.of_rows(v.data(), k, k, n, of_row.data());
  std::vector<compensated<T>> of_column(k, compensated<T>::zero());
  by.of_columns(of_column.data(), v.data(), k, n, k, true);
  const auto expect = [&](std::int64_t first, std::int64_t step, std::int64_t count, T found) {
    long double sum = 0, size = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += v[first + i * step];
      size += std::abs(v[first + i * step]);
    }
    EXPECT_LE(std::abs(sum - found), 10 * std::numeric_limits<T>::epsilon() * size) << what << ", from " << first;
  };
  for (std::int64_t i = 0; i < n; ++i) expect(i * k, 1, k, of_row[i]);
  for (std::int64_t j = 0; j < k; ++j) expect(j, k, n, of_column[j].value());
}

/// Short rows and the columns of 16 rows are added in trees: of 1 and values of half a unit in its last place, which a
/// sum in order would lose, about as many are lost as the tree is high.
template <class T>
void expect_trees(const vector_sums<T, T>& by, const std::string& what) {
  constexpr std::int64_t lanes = vector_sums<T, T>::lanes;
  constexpr T half = std::numeric_limits<T>::epsilon() / 2;
  const auto expect = [&](std::int64_t n, T found) {
    const auto lost = static_cast<double>((T(n - 1) * half - (found - T(1))) / half);
    EXPECT_LE(std::abs(lost), std::ceil(std::log2(n))) << what << ", " << n << " values";
  };
  for (std::int64_t n = 2; n < lanes; ++n) {
    std::vector<T> v(n, half), sum(1);
    v[0] = 1;
    by.of_rows(v.data(), n, n, 1, sum.data());
    expect(n, sum[0]);
  }
  for (std::int64_t n = 2; n <= 16; ++n) {
    std::vector<T> v(n * lanes, half);
    std::fill_n(v.begin(), lanes, T(1));
    std::vector<compensated<T>> states(lanes, compensated<T>::zero());
    by.of_columns(states.data(), v.data(), lanes, n, lanes, true);
    for (const auto& s : states) expect(n, s.value());
  }
}

/// What is not finite comes through, and is not taken from beside a row.
template <class T>
void expect_special_sums(const vector_sums<T, T>& by, const std::string& what) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::int64_t k : {1, 7, 8, 9, 16, 17, 35})
    for (const T special : {infinity, T(-infinity), nan})
      for (std::int64_t at = 0; at < k; ++at) {
        std::vector<T> v(3 * k, T(1)), sums(3);
        v[k + at] = special;
        by.of_rows(v.data(), k, k, 3, sums.data());
        ASSERT_EQ(T(k), sums[0]) << what;
        ASSERT_TRUE(same(special, sums[1])) << what << ", " << at << " of " << k;
        ASSERT_EQ(T(k), sums[2]) << what;
        if (k < vector_sums<T, T>::lanes) continue;
        std::vector<compensated<T>> states(k, compensated<T>::zero());
        by.of_columns(states.data(), v.data(), k, 3, static_cast<int>(k), false);
        for (std::int64_t j = 0; j < k; ++j)
          ASSERT_TRUE(same(j == at ? special : T(3), states[j].value())) << what << ", column " << j << " of " << k;
      }
}

template <class T, class S>
void expect_vector_sums(const vector_sums<T, S>* by, const std::string& what) {
  if (by == nullptr) return;  // a build for devices
  std::mt19937_64 random(1);
  expect_sums_of_lines<T, S>(*by, [&] { return static_cast<T>(static_cast<int>(random() % 1000) - 500); }, what);
  if constexpr (std::is_integral_v<T>) {
    expect_sums_of_lines<T, S>(*by, [&] { return static_cast<T>(random()); }, what + ", of all bits");
    expect_sums_of_lines<T, S>(*by, [&] { return std::numeric_limits<T>::min(); }, what + ", the least");
    expect_sums_of_lines<T, S>(*by, [&] { return std::numeric_limits<T>::max(); }, what + ", the greatest");
  } else {
    expect_near_sums<T>(*by, what);
    expect_trees<T>(*by, what);
    expect_special_sums<T>(*by, what);
  }
}

TEST(VectorSums, OfRowsAndColumnsAreThoseOfALoop) {
#if defined(__x86_64__) && defined(__GNUC__)
  using quern::impl::sums_by_avx2, quern::impl::sums_by_avx512;
  const bool avx2 = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512f");
#define QUERN_EXPECT(T, S)                                               \
  if (avx2) expect_vector_sums<T, S>(sums_by_avx2<T, S>(), "AVX2, " #T); \
  if (avx512) expect_vector_sums<T, S>(sums_by_avx512<T, S>(), "AVX-512, " #T);
  QUERN_IMPL_VECTOR_SUMS(QUERN_EXPECT)
#undef QUERN_EXPECT
#endif
}

TEST(VectorColumns, AddToMomentsAsTheReducersDo) {
  for (const auto& [name, by] : known<float>()) {
    expect_moments<3>(*by, name);
    expect_moments<4>(*by, name);
    expect_moments<8>(*by, name);
  }
}

}  // namespace
