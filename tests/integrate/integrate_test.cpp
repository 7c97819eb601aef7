// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numbers>
#include <quern/integrate.hpp>
#include <support/integrands.hpp>
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
struct four_dimensional {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y, T z, T w) const {
    return Kokkos::exp(x - y) * Kokkos::cos(z + 2 * w);
  }
};
using test::power;
struct ends_at_one {
  KOKKOS_FUNCTION double operator()(double x) const { return Kokkos::sqrt(1 - x); }
};
struct reciprocal {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return 1 / x;
  }
};
struct square {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};
struct ratio {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return x / y; }
};
struct one {
  KOKKOS_FUNCTION double operator()(double) const { return 1; }
};
struct linear {
  KOKKOS_FUNCTION double operator()(double x, double y, double z) const { return 1 + 2 * x + 4 * y + 8 * z; }
};

constexpr double pi = std::numbers::pi;

template <class Exec>
struct Integrate : testing::Test {};
TYPED_TEST_SUITE(Integrate, test::all_spaces);

/// Each doubling of n divides the error by 2^order.
template <class Integral>
void expect_order(int order, double exact, int from, const Integral& integral) {
  double before = std::fabs(integral(from) - exact);
  for (int n = 2 * from; n <= 4 * from; n *= 2) {
    const double error = std::fabs(integral(n) - exact);
    EXPECT_NEAR(order, std::log2(before / error), 0.1) << n;
    before = error;
  }
}

template <class Exec, class Rule>
void expect_order_of(const Rule& rule, int order, int from) {
  const Exec exec;
  expect_order(order, std::numbers::e - 1, from,
               [&](int n) { return quern::integrate(exec, one_dimensional(), {0.0, 1.0}, n, rule); });
  expect_order(order, 2.0, from, [&](int n) {
    return quern::integrate(exec, two_dimensional(), {0, pi / 2}, {0, pi / 2}, {n, n}, rule);
  });
}

TYPED_TEST(Integrate, ConvergesWithTheOrderOfTheRule) {
  namespace rule = quern::rule;
  expect_order_of<TypeParam>(rule::midpoint(), 2, 16);
  expect_order_of<TypeParam>(rule::trapezoid(), 2, 16);
  expect_order_of<TypeParam>(rule::simpson(), 4, 8);
  expect_order_of<TypeParam>(rule::gauss_legendre(1), 2, 16);
  expect_order_of<TypeParam>(rule::gauss_legendre(2), 4, 4);
  expect_order_of<TypeParam>(rule::gauss_legendre(3), 6, 2);
  const TypeParam exec;
  expect_order(2, 2.0 / 3 * 3 + 4.5 * 2, 16,
               [&](int n) { return quern::integrate(exec, three_dimensional(), {0, 1}, {0, 2}, {0, 3}, {n, n, n}); });
}

TYPED_TEST(Integrate, FourDimensions) {
  namespace rule = quern::rule;
  const TypeParam exec;
  // exp(x - y) over [0, 1]^2 is (e - 1)(1 - 1/e); cos(z + 2 w) over [0, 1]^2 the real part of two integrals of exp(i.).
  const double exact =
      (std::numbers::e - 1) * (1 - 1 / std::numbers::e) * (std::cos(1.0) + std::cos(2.0) - std::cos(3.0) - 1) / 2;
  const auto by = [&](const auto& r, std::array<std::int64_t, 4> n) {
    return quern::integrate(exec, four_dimensional(), {0, 1}, {0, 1}, {0, 1}, {0, 1}, n, r);
  };
  EXPECT_NEAR(exact, by(rule::gauss_legendre(8), {1, 1, 1, 1}), 1e-13);
  EXPECT_NEAR(exact, by(rule::gauss_legendre(6), {2, 1, 3, 1}), 1e-11);
  expect_order(4, exact, 4, [&](int n) { return by(rule::simpson(), {n, n, n, n}); });
  expect_order(2, exact, 4, [&](int n) { return by(rule::midpoint(), {n, n, n, n}); });
}

TYPED_TEST(Integrate, GaussLegendreIsExactForPolynomials) {
  for (int points = 1; points <= 16; ++points)
    for (int n = 0; n < 2 * points; ++n)
      EXPECT_NEAR(1.0 / (n + 1),
                  quern::integrate(TypeParam(), power{n}, {0.0, 1.0}, 1, quern::rule::gauss_legendre(points)), 4e-16)
          << points << ' ' << n;
  EXPECT_GT(std::fabs(1.0 / 5 - quern::integrate(TypeParam(), power{4}, {0.0, 1.0}, 1, quern::rule::gauss_legendre(2))),
            1e-3);
}

TYPED_TEST(Integrate, EndsAreNotExceeded) {
  // Beyond the upper end the integrand is NaN.
  for (const double lower : {0.0, 0.1, 0.3, 1.0 / 3, -0.7})
    for (int n = 1; n <= 200; ++n) {
      const double exact = 2.0 / 3 * std::pow(1 - lower, 1.5), error = 0.3 * exact / std::sqrt(n);
      ASSERT_NEAR(exact, quern::integrate(TypeParam(), ends_at_one(), {lower, 1}, n, quern::rule::trapezoid()), error);
      ASSERT_NEAR(exact, quern::integrate(TypeParam(), ends_at_one(), {lower, 1}, 2 * n, quern::rule::simpson()),
                  error);
    }
}

TYPED_TEST(Integrate, MoreThan32BitsOfPoints) {
  EXPECT_DOUBLE_EQ(3.0, quern::integrate(TypeParam(), one(), {1.0, 4.0}, (std::int64_t{1} << 32) + 5));
}

TYPED_TEST(Integrate, ReproducibleBits) {
  // Sums of correctly rounded quotients, formed exactly (Python's fsum).
  EXPECT_EQ(0x1.193ea52fcaff8p+0, quern::integrate(TypeParam(), reciprocal(), {1, 3}, 1001, quern::reproducible));
  EXPECT_EQ(0x1.a5dc8e0c40b28p+0,
            quern::integrate(TypeParam(), ratio(), {1, 2}, {1, 3}, {37, 101}, quern::reproducible));
  // Products, which compilers would fuse with the additions: the bits of two sums whose exact products add up to
  // others.
  EXPECT_EQ(0x1.15518d1e7e3a1p+3, quern::integrate(TypeParam(), square(), {1, 3}, 38, quern::reproducible));
  EXPECT_EQ(0x1.155215a00e9ecp+3, quern::integrate(TypeParam(), square(), {1, 3}, 41, quern::reproducible));
  // A rule beside the option, in either order.
  const double a =
      quern::integrate(TypeParam(), reciprocal(), {1, 3}, 100, quern::rule::simpson(), quern::reproducible);
  EXPECT_EQ(a, quern::integrate(TypeParam(), reciprocal(), {1, 3}, 100, quern::reproducible, quern::rule::simpson()));
  EXPECT_NEAR(std::log(3.0), a, 1e-7);
  EXPECT_NEAR(std::log(3.0f), quern::integrate<float>(TypeParam(), reciprocal(), {1, 3}, 1000, quern::reproducible),
              1e-6f);
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
  test::expect_error("quern::integrate: the interval of axis 1 is not finite",
                     [] { quern::integrate(TypeParam(), two_dimensional(), {0, 1}, {std::nan(""), 1}, {5, 5}); });
  test::expect_error("quern::integrate: the length of the interval of axis 0 overflows",
                     [] { quern::integrate(TypeParam(), one_dimensional(), {-1e308, 1e308}, 5); });
  test::expect_error("quern::integrate: Simpson's rule with 3 cells, expected an even number", [] {
    quern::integrate(TypeParam(), two_dimensional(), {0, 1}, {0, 1}, {2, 3}, quern::rule::simpson());
  });
  test::expect_error("quern::rule::gauss_legendre: 17 points, expected 1 to 16",
                     [] { quern::rule::gauss_legendre(17); });
  test::expect_error("quern::integrate: more than 2^62 points", [] {
    quern::integrate(TypeParam(), two_dimensional(), {0, 1}, {0, 1}, {std::int64_t{1} << 40, std::int64_t{1} << 40});
  });
}

}  // namespace
