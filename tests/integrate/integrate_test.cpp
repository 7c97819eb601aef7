// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numbers>
#include <quern/integrate.hpp>
#include <support/testing.hpp>

namespace {

struct one_dimensional {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::exp(x);
  }
};
struct two_dimensional {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return Kokkos::sin(x + y);
  }
};
struct three_dimensional {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y, T z) const {
    return x * x * y + z;
  }
};
struct linear {
  KOKKOS_FUNCTION double operator()(double x, double y, double z) const { return 1 + 2 * x + 4 * y + 8 * z; }
};

constexpr double pi = std::numbers::pi;

template <class Exec>
struct Integrate : testing::Test {};
TYPED_TEST_SUITE(Integrate, test::all_spaces);

/// The error of the midpoint rule falls as 1/n^2: each doubling divides it by four.
template <class Rule>
void expect_second_order(const Rule& rule, double exact) {
  double before = std::fabs(rule(16) - exact);
  for (int n = 32; n <= 128; n *= 2) {
    const double error = std::fabs(rule(n) - exact);
    EXPECT_NEAR(4.0, before / error, 0.05) << n;
    before = error;
  }
}

TYPED_TEST(Integrate, ConvergesWithSecondOrder) {
  const TypeParam exec;
  expect_second_order([&](int n) { return quern::integrate(exec, one_dimensional(), {0.0, 1.0}, n); },
                      std::numbers::e - 1);
  expect_second_order(
      [&](int n) { return quern::integrate(exec, two_dimensional(), {0, pi / 2}, {0, pi / 2}, {n, n}); }, 2.0);
  expect_second_order(
      [&](int n) { return quern::integrate(exec, three_dimensional(), {0, 1}, {0, 2}, {0, 3}, {n, n, n}); },
      2.0 / 3 * 3 + 4.5 * 2);
}

TYPED_TEST(Integrate, AntisymmetryCancels) {
  EXPECT_NEAR(0.0, quern::integrate(TypeParam(), two_dimensional(), {0, pi}, {0, pi}, {1001, 999}), 1e-12);
}

TYPED_TEST(Integrate, IsExactForLinearFunctions) {
  // 1 + 2 x + 4 y + 8 z over [1, 2] x [0, 3] x [-1, 1]: 6 (1 + 3 + 6 + 0), whatever the points.
  for (const std::array<std::int64_t, 3> n : {std::array<std::int64_t, 3>{1, 1, 1}, {3, 5, 7}, {2, 3, 129}})
    EXPECT_NEAR(60.0, quern::integrate(TypeParam(), linear(), {1, 2}, {0, 3}, {-1, 1}, n), 1e-12);
}

TYPED_TEST(Integrate, OrientationAndSinglePrecision) {
  const TypeParam exec;
  EXPECT_NEAR(1 - std::numbers::e, quern::integrate(exec, one_dimensional(), {1.0, 0.0}, 1000), 1e-6);
  const float single = quern::integrate<float>(exec, two_dimensional(), {0, static_cast<float>(pi / 2)},
                                               {0, static_cast<float>(pi / 2)}, {2000, 2000});
  EXPECT_NEAR(2.0f, single, 2e-6f);
}

TEST(IntegrateDefault, RunsOnTheDefaultSpace) {
  EXPECT_NEAR(std::numbers::e - 1, quern::integrate(one_dimensional(), {0.0, 1.0}, 1000), 1e-6);
  EXPECT_NEAR(2.0, quern::integrate(two_dimensional(), {0, pi / 2}, {0, pi / 2}, {1000, 1000}), 1e-5);
  EXPECT_NEAR(60.0, quern::integrate(linear(), {1, 2}, {0, 3}, {-1, 1}, {2, 2, 2}), 1e-12);
}

TYPED_TEST(Integrate, ReportsMisuse) {
  test::expect_error("quern::integrate: n has 0 points along axis 1, expected at least 1",
                     [] { quern::integrate(TypeParam(), two_dimensional(), {0, 1}, {0, 1}, {5, 0}); });
  test::expect_error("quern::integrate: the interval of axis 0 is not finite", [] {
    quern::integrate(TypeParam(), one_dimensional(), {0.0, std::numeric_limits<double>::infinity()}, 5);
  });
}

}  // namespace
