// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_MASKS_HPP
#define QUERN_TESTS_SUPPORT_MASKS_HPP

/// @file
/// Masks, and arrays of the elements that they select.

#include <cmath>
#include <limits>
#include <support/testing.hpp>

namespace test {

/// Which of n elements are selected, in several ways: none, all, every third, the last one, and some at random.
inline std::vector<std::vector<std::uint8_t>> patterns(std::int64_t n) {
  std::vector<std::vector<std::uint8_t>> all(5, std::vector<std::uint8_t>(n, 0));
  for (std::int64_t i = 0; i < n; ++i) {
    all[1][i] = 1;
    all[2][i] = i % 3 == 0 ? 2 : 0;
    all[3][i] = i == n - 1;
    all[4][i] = sample(i, 9) > 0;
  }
  return all;
}
/// The first position in the whole array of the one at `position` among those that are selected; -1 stays.
inline std::int64_t whole_position(const std::vector<std::uint8_t>& m, std::int64_t position) {
  for (std::int64_t i = 0; position >= 0; ++i)
    if (m[i] != 0 && position-- == 0) return i;
  return -1;
}
template <class X>
void expect_same(const X& expected, const X& found, const char* what) {
  if (expected != expected) EXPECT_NE(found, found) << what;
  else EXPECT_EQ(expected, found) << what;
}
/// Of no element both are NaN.
template <class X>
void expect_same_mean(const X& expected, const X& found) {
  EXPECT_TRUE(expected == found || (expected != expected && found != found));
}
template <class X>
void expect_near(const X& expected, const X& found, double n, const char* what) {
  if (expected != expected) EXPECT_NE(found, found) << what;
  else EXPECT_NEAR(expected, found, 16 * eps<X>() * (std::log2(n + 2) + std::fabs(expected))) << what;
}

/// Arrays of values of which masks select some.
template <class Case>
struct masked_rows : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  template <class V>
  static auto row(const std::vector<V>& v) {
    return make_array<V, 1, layout, exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  /// Calls check(selected elements, whole array, mask, mask on the host) for several sizes and masks. What is not
  /// selected is NaN or infinite where T has those.
  template <class Check>
  static void for_masks(const Check& check) {
    for (const std::int64_t n : {1, 2, 31, 256, 1000, 5003})
      for (const auto& m : patterns(n)) {
        auto values = samples<T>(n);
        std::vector<T> some;
        for (std::int64_t i = 0; i < n; ++i) {
          if (m[i] != 0) some.push_back(values[i]);
          else if constexpr (!std::is_integral_v<T>)
            values[i] =
                T(i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity());
          else values[i] = std::numeric_limits<T>::max();
        }
        check(row(some), row(values), row(m), m);
      }
  }
};
}  // namespace test

#endif
