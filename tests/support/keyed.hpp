// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_KEYED_HPP
#define QUERN_TESTS_SUPPORT_KEYED_HPP

/// @file
/// What tests of order and keys share: keys, and comparisons in which NaN has its place.

#include "testing.hpp"

namespace test {

/// NaN equals NaN here, and nothing else.
template <class T>
bool same(const T& a, const T& b) {
  return a == b || (a != a && b != b);
}
template <class V, class T>
void expect_is(const std::vector<V>& expected, const std::vector<T>& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(same(static_cast<T>(expected[i]), found[i])) << i << ": " << expected[i] << " and " << found[i];
}

inline std::uint64_t hashed(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  return z ^ z >> 31;
}
/// Values of both signs that are equal to many others where `different` is small.
template <class T>
std::vector<T> hashed_values(std::int64_t n, std::uint64_t different) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i)
    v[i] = static_cast<T>(static_cast<double>(hashed(i) % different) - static_cast<double>(different / 2));
  return v;
}

/// Of this execution space, which calls without one use.
template <class Exec, class T>
auto row(const std::vector<T>& v) {
  return Kokkos::View<T*, Exec>(make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v));
}

}  // namespace test

#endif
