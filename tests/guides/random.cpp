// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/random.md, as part of functions that a user might write around it.
#include <algorithm>

#include "guide.hpp"

namespace guide {
namespace {

// # 1

void fields(const space& exec) {
  const int step = 3;
  const Kokkos::View<double**> noise("noise", 10, 20), phase("phase", 10, 20), local("local", 4, 5);
  // # 2
  (void)positions;
  (void)velocities;
  const std::int64_t nx = 10, ny = 20, x0 = 2, y0 = 3;
  // # 3
  EXPECT_EQ(test::contents(noise)[2 * 20 + 3], test::contents(local)[0]);
}

void dice(const space& exec) {
  const random::key k(42);
  const Kokkos::View<int*> dice("dice", 1000);
  // # 4
  const auto thrown = test::contents(dice);
  EXPECT_EQ(1, *std::min_element(thrown.begin(), thrown.end()));
  EXPECT_EQ(6, *std::max_element(thrown.begin(), thrown.end()));
}

void walk() {
  const int n = 100;
  const double free_path = 2;
  const random::key k(42);
  const Kokkos::View<double*> survival("survival", n), x("x", n);
  Kokkos::deep_copy(survival, 0.5);
  // # 5
  EXPECT_LT(0.0, quern::sum(x));
}

void quasi(const space& exec) {
  const random::key k(42);
  // # 6
  EXPECT_NEAR(0.5, quern::mean(exec, points), 1e-3);
}

}  // namespace
}  // namespace guide

TEST(Guides, Random) {
  const space exec;
  guide::fields(exec);
  guide::dice(exec);
  guide::walk();
  guide::quasi(exec);
}
