// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/reduce/vector_extrema.hpp>
#include <random>
#include <vector>

// The functions that the library chooses from, each beside a loop over the elements, wherever the processor has their
// instructions: rows of all lengths around those of vectors, of groups of these and of blocks.

namespace quern::impl {
template <class T>
const vector_extrema<T>* extrema_by_avx2();
template <class T>
const vector_extrema<T>* extrema_by_avx512();
}  // namespace quern::impl

namespace {

using quern::impl::first_extremum;
using quern::impl::vector_extrema;

template <class T>
constexpr bool has_nan = std::is_floating_point_v<T>;

template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

/// What `first` finds, by a loop.
template <class T>
void first_of(const std::vector<T>& v, bool largest, bool skip_nan, first_extremum<T>& best) {
  for (std::size_t i = 0; i < v.size(); ++i) {
    const T x = v[i];
    if (x != x && skip_nan) continue;
    if (best.value != best.value) return;
    const bool beats = x != x || (largest ? x > best.value : x < best.value);
    if (beats || (x == best.value && static_cast<std::int64_t>(i) < best.at)) best = {x, static_cast<std::int64_t>(i)};
  }
}

template <class T>
void expect_extrema(const vector_extrema<T>& by, const std::vector<T>& v, const char* what) {
  using best_of = first_extremum<T>;
  const auto n = static_cast<std::int64_t>(v.size());
  for (const bool largest : {false, true}) {
    const T infinity = has_nan<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    const T worst = largest ? (has_nan<T> ? -infinity : std::numeric_limits<T>::lowest()) : infinity;
    best_of expected{worst, best_of::nowhere};
    first_of(v, largest, false, expected);
    EXPECT_TRUE(same(by.value[largest](v.data(), n), expected.value)) << what << ", " << n << " values";
    // Nothing before; a value that some of these equal; one that none of them beats; and NaN.
    const T nan = has_nan<T> ? std::numeric_limits<T>::quiet_NaN() : T(0);
    for (const best_of before : {best_of{worst, best_of::nowhere}, best_of{v[v.size() / 2], -1},
                                 best_of{largest ? infinity : T(-infinity), -1}, best_of{nan, -1}})
      for (const bool skip_nan : {false, true}) {
        if (skip_nan && before.value != before.value) continue;  // no state has it
        best_of found = before, wanted = before;
        (skip_nan ? by.first_number : by.first)[largest](v.data(), n, found);
        first_of(v, largest, skip_nan, wanted);
        EXPECT_EQ(found.at, wanted.at) << what << ", " << n << " values, skip_nan " << skip_nan;
        EXPECT_TRUE(same(found.value, wanted.value)) << what << ", " << n << " values, skip_nan " << skip_nan;
      }
  }
}

/// The best value of a row or a column, by a loop.
template <class T>
T best_of(const T* v, std::int64_t n, std::int64_t step, bool largest) {
  T best = v[0];
  for (std::int64_t k = 1; k < n; ++k)
    if (const T x = v[k * step]; best == best && (x != x || (largest ? x > best : x < best))) best = x;
  return best;
}

/// Rows of n of the values, each of which begins 2 elements behind the one before, and their columns.
template <class T>
void expect_rows(const vector_extrema<T>& by, const std::vector<T>& v, std::int64_t n, const char* what) {
  const std::int64_t count = (static_cast<std::int64_t>(v.size()) - n) / 2 + 1;
  std::vector<std::int64_t> found(static_cast<std::size_t>(count));
  std::vector<T> value(static_cast<std::size_t>(count));
  for (const bool largest : {false, true}) {
    by.values[largest](v.data(), n, 2, count, value.data());
    for (std::int64_t r = 0; r < count; ++r)
      ASSERT_TRUE(same(best_of(v.data() + 2 * r, n, 1, largest), value[r])) << what << ", row " << r << " of " << n;
    if (n < static_cast<std::int64_t>(64 / sizeof(T))) continue;
    std::vector<T> columns(v.begin(), v.begin() + n);
    by.columns[largest](columns.data(), v.data() + 2, 2, count - 1, static_cast<int>(n), n % 2 == 0);
    for (std::int64_t k = 0; k < n; ++k)
      ASSERT_TRUE(same(best_of(v.data() + k, count, 2, largest), columns[k]))
          << what << ", column " << k << " of " << n;
  }
  for (const bool largest : {false, true})
    for (const bool skip_nan : {false, true}) {
      (skip_nan ? by.rows_of_numbers : by.rows)[largest](v.data(), n, 2, count, found.data());
      for (std::int64_t r = 0; r < count; ++r) {
        std::int64_t best = -1;
        for (std::int64_t k = 0; k < n; ++k) {
          const T x = v[2 * r + k], y = best < 0 ? x : v[2 * r + best];
          if (x != x ? !skip_nan && (best < 0 || y == y) : best < 0 || (largest ? x > y : x < y)) best = k;
        }
        ASSERT_EQ(best, found[r]) << what << ", row " << r << " of " << n << ", skip_nan " << skip_nan;
      }
    }
}

template <class T>
void expect_all(const vector_extrema<T>& by, std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> v(static_cast<std::size_t>(n));
  const auto fill = [&](const auto& f) { std::generate(v.begin(), v.end(), f); };
  const auto place = [&] { return random() % v.size(); };
  fill([&] { return static_cast<T>(random()); });
  expect_extrema(by, v, "random");
  if (n <= 200) expect_rows(by, v, (n + 1) / 2, "random");
  fill([&] { return static_cast<T>(random() % 3); });
  expect_extrema(by, v, "few different");
  if (n <= 200) expect_rows(by, v, (n + 1) / 2, "few different");
  fill([k = 0]() mutable { return static_cast<T>(k++); });
  expect_extrema(by, v, "ascending");
  std::reverse(v.begin(), v.end());
  expect_extrema(by, v, "descending");
  fill([] { return T(7); });
  expect_extrema(by, v, "equal");
  if constexpr (has_nan<T>) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    v[place()] = nan;
    expect_extrema(by, v, "equal but a NaN");
    fill([&] { return static_cast<T>(random()); });
    v[place()] = nan;
    v[place()] = -nan;
    expect_extrema(by, v, "random with NaN");
    fill([&] { return random() % 4 ? nan : T(random() % 5); });
    expect_extrema(by, v, "mostly NaN");
    if (n <= 200) expect_rows(by, v, (n + 1) / 2, "mostly NaN");
    fill([&] { return random() % 2 ? T(0) : T(-0.0); });
    expect_extrema(by, v, "zeros");
    for (const T x : {infinity, T(-infinity), nan}) {
      fill([&] { return x; });
      expect_extrema(by, v, "not finite");
      v[place()] = infinity;
      v[place()] = -infinity;
      expect_extrema(by, v, "not finite, different");
      if (n <= 200) expect_rows(by, v, (n + 1) / 2, "not finite, different");
    }
    v.back() = nan;
    expect_extrema(by, v, "the last a NaN");
  } else {
    for (const T x : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
      fill([&] { return x; });
      v[place()] = T(1);
      expect_extrema(by, v, "the ends");
      if (n <= 200) expect_rows(by, v, (n + 1) / 2, "the ends");
    }
  }
}

template <class T>
class VectorExtrema : public ::testing::Test {};
using types = ::testing::Types<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(VectorExtrema, types);

TYPED_TEST(VectorExtrema, AreThoseOfALoop) {
  using T = TypeParam;
  std::vector<const vector_extrema<T>*> tables;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) tables.push_back(quern::impl::extrema_by_avx2<T>());
  if (__builtin_cpu_supports("avx512f")) tables.push_back(quern::impl::extrema_by_avx512<T>());
#endif
  for (const auto* by : tables) {
    if (by == nullptr) continue;  // a build for devices
    for (std::int64_t n = 1; n <= 200; ++n) expect_all(*by, n);
    for (const std::int64_t bytes : {1 << 16, 1 << 17})
      for (const int more : {-1, 0, 1, 3, 70}) expect_all(*by, bytes / std::int64_t{sizeof(T)} + more);
  }
}

}  // namespace
