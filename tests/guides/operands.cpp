// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/operands.md, as part of functions that a user might write around it.
// # 1

#include "guide.hpp"

namespace {

void halve(const space& exec) {
  const Kokkos::View<float*> x("x", 3), halves("halves", 3);
  quern::fill(exec, x, 3.0f);
  // # 2
  EXPECT_EQ((std::vector<float>{1.5f, 1.5f, 1.5f}), test::contents(halves));
}

void mix(const space& exec) {
  const Kokkos::View<double**> t("t", 8, 8), smooth("smooth", 8, 8);
  quern::fill(exec, t, 3.0);
  // # 3
  EXPECT_NEAR(6.0, test::contents(t)[0], 1e-12);
}

void distances(const space& exec) {
  const Kokkos::View<double**> x("x", 3, 4), y("y", 3, 4), running("running", 3, 4);
  const Kokkos::View<double*> by_row("by row", 3);
  quern::fill(exec, x, 2.0);
  // # 4
  EXPECT_EQ(Kokkos::sqrt(48.0), distance);
  EXPECT_EQ((std::vector<double>{16, 16, 16}), test::contents(by_row));
  EXPECT_EQ(48.0, test::contents(running)[11]);
}

void moments(const space& exec) {
  const Kokkos::View<double**> x("x", 3, 4), running("running", 3, 4);
  quern::fill(exec, x, 2.0);
  // # 5
  EXPECT_EQ(36.0, moment);
  EXPECT_EQ(6.5, test::contents(running)[3]);
}

void particles(const space& exec) {
  const Kokkos::View<double* [3]> x("x", 5), v("v", 5), f("f", 5);
  const Kokkos::View<double*> mass("mass", 5);
  const double dt = 0.5;
  quern::fill(exec, x, 3.0);
  quern::fill(exec, v, 1.0);
  quern::fill(exec, f, 4.0);
  quern::fill(exec, mass, 2.0);
  // # 6
  EXPECT_EQ(2.0, test::contents(v)[14]);
  EXPECT_EQ(3.0, center[2]);
  EXPECT_EQ(5 * 2.0 * 12 / 2, energy);
}

TEST(Guides, Operands) {
  const space exec;
  halve(exec);
  mix(exec);
  distances(exec);
  moments(exec);
  particles(exec);
}

}  // namespace
