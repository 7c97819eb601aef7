// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_DISTRIBUTED_REDUCTIONS_HPP
#define QUERN_TESTS_DISTRIBUTED_REDUCTIONS_HPP

/// @file
/// What the tests of reductions over ranks share: each compares a distributed array with the whole one on one rank.

#include <cmath>
#include <distributed/world.hpp>

namespace test {

using reduce_cases = covering<double, std::int8_t>;

template <class X, class Y>
void expect_near(const X& expected, const Y& found, std::size_t n, const char* what) {
  if constexpr (std::is_integral_v<Y>) {
    EXPECT_EQ(expected, found) << what;
  } else if (expected != expected) {
    EXPECT_NE(found, found) << what;
  } else {
    const double eps = std::numeric_limits<Y>::epsilon() * std::log2(static_cast<double>(n) + 2);
    EXPECT_NEAR(expected, found, eps * (std::fabs(expected) + 10 * std::sqrt(static_cast<double>(n)))) << what;
  }
}

/// Calls check(whole array, distributed array) for several extents, grids of ranks and halos.
template <class Case, class Check>
void for_distributed_arrays(const Check& check) {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = std::conditional_t<std::is_same_v<typename Case::layout, Kokkos::LayoutStride>, Kokkos::LayoutRight,
                               typename Case::layout>;
  const auto& comm = world();
  for (const quern::shape& extents : {quern::shape{97, 3, 11}, quern::shape{1, 1, 1}, quern::shape{2, 100, 1}}) {
    std::vector<T> values = samples<T>(extents.size());
    if constexpr (!std::is_integral_v<T>)
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += 1e-3 * std::sin(static_cast<double>(i));
    const auto v =
        make_array<T, 3, Kokkos::LayoutRight, E>({extents.extent[0], extents.extent[1], extents.extent[2]}, values);
    for (const auto& grid : grids(comm.size(), 3))
      for (const int halo : {0, 1}) {
        if (halo == 1 && grid != std::vector<int>{comm.size(), 1, 1}) continue;
        const quern::Decomposition d(comm, extents, {.grid = grid, .halo = {halo}});
        check(v, distribute<T, 3, L, E>(d, values));
      }
  }
}

}  // namespace test

// The same call of a whole array and of a distributed one.
#define QUERN_TEST_NEAR(call) test::expect_near(quern::call(exec, v), quern::call(exec, u), v.size(), #call)
#define QUERN_TEST_SAME(call) EXPECT_EQ(quern::call(exec, v), quern::call(exec, u)) << #call

#endif
