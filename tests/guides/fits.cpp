// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/fits.md, as part of functions that a user might write around it.
#include <cmath>

#include "guide.hpp"

namespace {

// # 1

// # 8

void lines(const space& exec) {
  const Kokkos::View<double**> x("x", 4, 1), x_train("x_train", 3, 1);
  const Kokkos::View<double*> w("w", 4), coefficients("coefficients", 1), y_train("y_train", 3);
  const Kokkos::View<double> intercept("intercept");
  const Kokkos::View<int*> train("train", 3), test("test", 1);
  const auto y = on_device<double>({1, 3, 5, 7});
  const auto classes = on_device<int>({0, 0, 1, 1});
  const Kokkos::View<double*> probability("probability", 4);
  for (std::int64_t i = 0; i < 4; ++i) quern::fill(exec, Kokkos::subview(x, i, Kokkos::ALL), i);
  quern::fill(exec, w, 1.0);
  // # 2
  EXPECT_NEAR(2, test::contents(coefficients)[0], 1e-14);
  EXPECT_NEAR(1, test::value(intercept), 1e-14);
  // # 3
  EXPECT_NEAR(10 / 5.5, test::contents(coefficients)[0], 1e-14);  // the sums of products, and with the penalty
  // # 4
  EXPECT_NEAR((34 - 2) / 14.0, test::contents(coefficients)[0], 1e-3);  // 34 of products, 4 alpha of them taken
  // # 5
  EXPECT_EQ(quern::logistic_status::converged, fitted.status);
  EXPECT_LT(0.9, test::contents(probability)[3]);
  // # 6
  EXPECT_LT(2, test::contents(coefficients)[0]);
}

void polynomial(const space& exec) {
  const auto t = on_device<double>({0, 1, 2, 3}), h = on_device<double>({1, 2, 5, 10});
  const Kokkos::View<double*> p("p", 3);
  // # 7
  EXPECT_NEAR(1, test::contents(p)[0], 1e-13);
}

void curves(const space& exec) {
  const auto t = on_device<double>({0, 1, 2, 3});
  const auto counts = on_device<double>({2, 2 * std::exp(-0.5), 2 * std::exp(-1.0), 2 * std::exp(-1.5)});
  const auto p2 = on_device<double>({1, 1});
  const Kokkos::View<double**> covariance("covariance", 2, 2), series("series", 3, 4), ps("ps", 3, 2);
  const Kokkos::View<double***> covariances("covariances", 3, 2, 2);
  const Kokkos::View<int*> status("status", 3), iterations("iterations", 3);
  quern::copy(exec, series, quern::broadcast_to(counts, {3, 4}));
  quern::fill(exec, ps, 1.0);
  // # 9
  EXPECT_EQ(quern::curve_fit_status::converged, result.status);
  EXPECT_NEAR(2, test::contents(p2)[0], 1e-7);
  // # 10
  EXPECT_NEAR(0.5, test::contents(ps)[5], 1e-7);
}

}  // namespace

TEST(Guides, Fits) {
  const space exec;
  lines(exec);
  polynomial(exec);
  curves(exec);
}
