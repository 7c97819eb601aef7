// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/autodiff.md, as part of functions that a user might write around it.
// # 1

#include "guide.hpp"

namespace {

// # 2
// # 4
// # 8
// # 10

void in_kernels() {
  // # 3
  EXPECT_NEAR(1.5 * std::sin(0.7) + std::exp(-1.5) / 0.7, value, 1e-14);
  EXPECT_NEAR(std::sin(0.7) - std::exp(-1.5) / 0.7, d_dx, 1e-14);
  EXPECT_NEAR(1.5 * std::cos(0.7) - std::exp(-1.5) / 0.49, d_dy, 1e-14);
  // # 5
  EXPECT_NEAR(1.1 - 0.4 * 5, j[0][0], 1e-14);
  EXPECT_NEAR(0.5, j[1][0], 1e-14);
}

void over_arrays(const space& exec) {
  const std::int64_t n = 10;
  const Kokkos::View<double*> x("x", n), y("y", n), e("e", n), de_dx("de/dx", n), de_dy("de/dy", n);
  quern::fill(exec, x, 1.5);
  quern::fill(exec, y, 0.7);
  // # 6
  const auto [value, gradient] = quern::value_and_gradient(energy(), 1.5, 0.7);
  EXPECT_NEAR(value, test::contents(e)[3], 1e-14);
  EXPECT_NEAR(gradient[0], test::contents(de_dx)[n - 1], 1e-14);
  EXPECT_NEAR(gradient[1], test::contents(de_dy)[n - 1], 1e-14);
  // # 7
  const number last = test::contents(u)[n - 1];
  EXPECT_NEAR(2 * std::exp(-0.5), last.value, 1e-14);
  EXPECT_NEAR(std::exp(-0.5), last.partial(0), 1e-14);
  EXPECT_NEAR(-2 * std::exp(-0.5), last.partial(1), 1e-14);
}

void of_items(const space& exec) {
  const std::int64_t n = 20;
  const Kokkos::View<double**> roots("roots", n, 2), y0("y0", n, 2);
  const Kokkos::View<double*> a("a", n), b("b", n), birth("birth", n);
  const Kokkos::View<int*> status("status", n);
  const auto t = on_device(std::vector<double>{0, 1, 2});
  const Kokkos::View<double***> y("y", n, 3, 2);
  quern::fill(exec, roots, 1.0);
  quern::fill(exec, a, 2.0);
  quern::fill(exec, birth, 1.1);
  quern::fill(exec, y0, 4.0);
  // # 9
  EXPECT_EQ(std::vector<int>(n, quern::newton_status::converged), test::contents(status));
  EXPECT_NEAR(1, test::contents(roots)[5], 1e-14);
  // # 11
  EXPECT_EQ(4, test::contents(y)[1]);
  EXPECT_NEAR(test::contents(y)[4], test::contents(y)[6 * (n - 1) + 4], 0);
}

TEST(Guides, Autodiff) {
  in_kernels();
  over_arrays(space());
  of_items(space());
}

}  // namespace
