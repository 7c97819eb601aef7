// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/reduce/vector_columns.hpp>
#include <random>
#include <utility>
#include <vector>

// The functions that the library chooses from, each beside the reducers of one state after the other, wherever the
// processor has their instructions: their bits are the same.

namespace quern::impl {
template <class T>
const vector_columns<T>* columns_by_avx2();
template <class T>
const vector_columns<T>* columns_by_avx512();
}  // namespace quern::impl

namespace {

using quern::impl::compensated;
using quern::impl::moments_reducer;
using quern::impl::vector_columns;

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

TEST(VectorColumns, AddToMomentsAsTheReducersDo) {
  for (const auto& [name, by] : known<float>()) {
    expect_moments<3>(*by, name);
    expect_moments<4>(*by, name);
    expect_moments<8>(*by, name);
  }
}

}  // namespace
