// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/particles.md, as part of functions that a user might write around it.
#include "guide.hpp"

namespace {

// # 1
// # 4 types

void around(const space& exec) {
  const int n = 3;
  const Kokkos::View<double**> points("points", n, 3), sorted("sorted", n, 3);
  const Kokkos::View<int*> offsets("offsets", n + 1), neighbors("neighbors", 10);
  const Kokkos::View<double*> potential("potential", n);
  quern::copy(exec, points, quern::reshape(on_device<double>({0.95, 0, 1, 0.5, 0.5, 0.5, 0.05, 0, 1.125}), {n, 3}));
  // # 2
  // # 3
  EXPECT_EQ(2, pairs);
  EXPECT_EQ((std::vector<int>{0, 1, 1, 2}), test::contents(offsets));
  // # 4 statements
  EXPECT_EQ((std::vector<double>{8, 0, 8}), test::contents(potential));
  const Kokkos::View<int**> nearest("nearest", n, 2);
  const Kokkos::View<double**> distances("distances", n, 2), queries("queries", n, 3);
  const Kokkos::View<std::int64_t*> counts("counts", 3), shells("shells", 3);
  quern::copy(exec, queries, points);
  const auto randoms = queries;
  // # 5
  EXPECT_EQ((std::vector<std::int64_t>{3, 5, 5}), test::contents(counts));
  EXPECT_EQ((std::vector<std::int64_t>{0, 2, 0}), test::contents(shells));
  // # 6
  EXPECT_EQ((std::vector<int>{0, 2, 1, 0, 2, 0}), test::contents(nearest));
  EXPECT_EQ(0, test::contents(distances)[0]);
  const Kokkos::View<double**> features("features", n, 5), others("others", n, 5);
  quern::copy(exec, quern::slice(features, {{0, n}, {0, 3}}), points);
  quern::fill(exec, others, 1.0);
  // # 7
  EXPECT_EQ((std::vector<int>{1, 0, 1, 0, 1, 0}), test::contents(nearest));
  // # 8
  EXPECT_EQ((std::vector<int>{2, 1, 0}), test::contents(order));
  EXPECT_EQ(0.05, test::contents(sorted)[0]);
}

}  // namespace

TEST(Guides, Particles) { around(space()); }
