// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace {

struct combine {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a * b + a;
  }
};

// The functor is applied once to each element, in the arithmetic of the type, so results are equal, not close.
template <class T>
std::vector<T> expected(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> r(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) r[i] = static_cast<T>(a[i] * b[i] + a[i]);
  return r;
}

template <class Case>
struct Map : testing::Test {};
using cases = test::full_product<float, double, std::int8_t, std::int32_t, std::uint16_t, std::int64_t,
                                 Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Map, cases);

TYPED_TEST(Map, CombinesTwoViewsOfOneLayout) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  // Empty, one element, fewer than a pack, primes that no pack divides, several blocks.
  for (const std::array<std::int64_t, 2> n :
       {std::array<std::int64_t, 2>{0, 3}, {1, 1}, {1, 3}, {7, 13}, {67, 101}, {3, 4099}, {4099, 3}}) {
    const auto a = test::samples<T>(n[0] * n[1], 1), b = test::samples<T>(n[0] * n[1], 2);
    const auto x = test::make_array<T, 2, L, E>(n, a);
    const auto y = test::make_array<T, 2, L, E>(n, b);
    const auto z = test::make_array<T, 2, L, E>(n);
    quern::map(E(), z, combine(), x, y);
    EXPECT_EQ(expected(a, b), test::contents(z)) << n[0] << " x " << n[1];
  }
}

TYPED_TEST(Map, CombinesViewsOfDifferentLayouts) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  // Around the tiles in which devices read what lies transposed.
  for (const std::array<std::int64_t, 2> n :
       {std::array<std::int64_t, 2>{37, 53}, {15, 200}, {200, 31}, {32, 64}, {64, 65}, {129, 63}, {1, 300}}) {
    const auto a = test::samples<T>(n[0] * n[1], 1), b = test::samples<T>(n[0] * n[1], 2);
    const auto x = test::make_array<T, 2, Kokkos::LayoutRight, E>(n, a);
    const auto y = test::make_array<T, 2, Kokkos::LayoutLeft, E>(n, b);
    const auto z = test::make_array<T, 2, L, E>(n);
    quern::map(z, combine(), x, y);  // a default instance
    EXPECT_EQ(expected(a, b), test::contents(z)) << n[0] << " x " << n[1];
  }
}

}  // namespace
