// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Methods that estimate their error: adaptive, Monte Carlo and quasi-Monte Carlo.

#include <cmath>
#include <numbers>
#include <quern/integrate.hpp>
#include <set>
#include <support/integrands.hpp>
#include <support/testing.hpp>

namespace {

constexpr double pi = std::numbers::pi;

struct peak {  // of width 1e-3 at 1/3
  KOKKOS_FUNCTION double operator()(double x) const { return 1 / (1e-6 + (x - 1.0 / 3) * (x - 1.0 / 3)); }
};
struct peak_of_second {
  KOKKOS_FUNCTION double operator()(double, double y) const { return peak()(y); }
};
struct inverse_root {
  KOKKOS_FUNCTION double operator()(double x) const { return 1 / Kokkos::sqrt(x); }
};
struct wave {
  KOKKOS_FUNCTION double operator()(double x) const { return Kokkos::cos(50 * x); }
};
struct corner_peak {
  KOKKOS_FUNCTION double operator()(double x, double y) const {
    const double r = 1e-2 + x + y;
    return 1 / (r * r * r);
  }
};
struct quarter_disc {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return x * x + y * y < 1 ? 1 : 0; }
};
using test::power;
struct not_a_number {
  KOKKOS_FUNCTION double operator()(double x) const { return x > 0.6 ? Kokkos::sqrt(-x) : x; }
};
struct exponential {
  template <class... T>
  KOKKOS_FUNCTION auto operator()(T... x) const {
    return Kokkos::exp((... + x));
  }
};

template <class Exec>
struct Adaptive : testing::Test {};
TYPED_TEST_SUITE(Adaptive, test::all_spaces);

TYPED_TEST(Adaptive, RulesAreExactForPolynomials) {
  // The rule of 15 points up to degree 22, that of 7 up to 13: then there is no error to see.
  for (int n = 0; n <= 22; ++n) {
    const auto r = quern::integrate(TypeParam(), power{n}, {0.0, 2.0}, quern::adaptive(),
                                    quern::tolerance{.relative = 0, .absolute = 1e9});
    const double exact = std::pow(2.0, n + 1) / (n + 1);
    EXPECT_NEAR(exact, r.value, (n + 4) * 1.2e-16 * exact) << n;  // n roundings of the power
    EXPECT_EQ(15, r.evaluations);
    if (n <= 13) {
      EXPECT_LT(r.error, 1e-14 * exact) << n;
    }
    if (n > 14) {
      EXPECT_GT(r.error, 1e-12 * exact) << n;
    }
  }
}

template <class Exec, class F>
void expect_integral(double exact, const F& f, quern::interval<double> x, double tolerance) {
  const auto r =
      quern::integrate(Exec(), f, x, quern::adaptive(), quern::tolerance{.relative = tolerance, .absolute = 0});
  EXPECT_TRUE(r.converged) << r.error;
  EXPECT_LE(r.error, tolerance * std::fabs(r.value));
  EXPECT_NEAR(exact, r.value, r.error + 1e-14 * std::fabs(exact));
}

TYPED_TEST(Adaptive, OneDimension) {
  const double exact = 1e3 * (std::atan(1e3 * 2 / 3) + std::atan(1e3 / 3));
  expect_integral<TypeParam>(exact, peak(), {0, 1}, 1e-6);
  expect_integral<TypeParam>(exact, peak(), {0, 1}, 1e-12);
  expect_integral<TypeParam>(-exact, peak(), {1, 0}, 1e-9);
  expect_integral<TypeParam>(2, inverse_root(), {0, 1}, 1e-7);
  expect_integral<TypeParam>(std::sin(50.0) / 50, wave(), {0, 1}, 1e-10);
}

TYPED_TEST(Adaptive, TwoDimensions) {
  const quern::tolerance within{.relative = 1e-8, .absolute = 0};
  // 1/2 [1/a - 2/(a + 1) + 1/(a + 2)], a = 0.01.
  const double exact = (100 - 2 / 1.01 + 1 / 2.01) / 2;
  const auto smooth = quern::integrate(TypeParam(), corner_peak(), {0, 1}, {0, 1}, quern::adaptive(), within);
  EXPECT_TRUE(smooth.converged);
  EXPECT_NEAR(exact, smooth.value, smooth.error);
  const auto disc = quern::integrate(TypeParam(), quarter_disc(), {0, 1}, {0, 1}, quern::adaptive(),
                                     quern::tolerance{.relative = 0, .absolute = 1e-3});
  EXPECT_TRUE(disc.converged);
  EXPECT_NEAR(pi / 4, disc.value, disc.error);
  // Halved along the axis that needs it: a function of one variable costs little more in two.
  const auto flat = quern::integrate(TypeParam(), peak_of_second(), {0, 1}, {0, 1}, quern::adaptive(), within);
  const auto line = quern::integrate(TypeParam(), peak(), {0, 1}, quern::adaptive(), within);
  EXPECT_NEAR(line.value, flat.value, 1e-8 * line.value);
  EXPECT_EQ(15 * line.evaluations, flat.evaluations);
}

TYPED_TEST(Adaptive, SaysWhenItDoesNotConverge) {
  const auto few = quern::integrate(TypeParam(), peak(), {0, 1}, quern::adaptive(), quern::tolerance{.relative = 1e-12},
                                    quern::max_evaluations{100});
  EXPECT_FALSE(few.converged);
  EXPECT_LE(few.evaluations, 100);
  EXPECT_GT(few.evaluations, 60);
  EXPECT_GT(few.error, 1e-12 * few.value);
  const auto rounding =
      quern::integrate(TypeParam(), peak(), {0, 1}, quern::adaptive(), quern::tolerance{.relative = 0, .absolute = 0});
  EXPECT_FALSE(rounding.converged);
  EXPECT_LT(rounding.evaluations, 100'000);
  EXPECT_LT(rounding.error, 1e-11 * rounding.value);
  const auto nan = quern::integrate(TypeParam(), not_a_number(), {0, 1}, quern::adaptive());
  EXPECT_FALSE(nan.converged);
  EXPECT_TRUE(std::isnan(nan.value) && std::isnan(nan.error));
}

/// A singular end, from above or from below; NaN at the end and beyond, where it is not defined.
struct singular_end {
  double end, exponent;
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    const T distance = exponent < 0 ? x - static_cast<T>(end) : static_cast<T>(end) - x;
    return distance > 0 ? Kokkos::pow(distance, -static_cast<T>(Kokkos::abs(exponent)))
                        : Kokkos::Experimental::quiet_NaN_v<T>;
  }
};
TYPED_TEST(Adaptive, SingularEndsOtherThanZero) {
  const auto check = [](double exact, double accuracy, const auto& r) {
    EXPECT_TRUE(std::isfinite(r.value) && std::isfinite(r.error));
    EXPECT_NEAR(exact, r.value, accuracy * exact);
    EXPECT_LE(r.evaluations, 5000);
    EXPECT_GT(r.error, 0);
    if (r.error > 1.49e-8 * std::fmax(1, r.value)) {
      EXPECT_FALSE(r.converged);
    }
  };
  // (x - 1000)^-1/2 and its mirror images.
  const auto above = quern::integrate(TypeParam(), singular_end{1000, -0.5}, {1000, 1001}, quern::adaptive());
  const auto below = quern::integrate(TypeParam(), singular_end{-1000, 0.5}, {-1001, -1000}, quern::adaptive());
  const auto reversed = quern::integrate(TypeParam(), singular_end{1000, -0.5}, {1001, 1000}, quern::adaptive());
  check(2, 1e-5, above);
  check(2, 1e-5, below);
  EXPECT_FALSE(above.converged);
  EXPECT_NEAR(above.value, below.value, 1e-14);
  EXPECT_EQ(above.evaluations, below.evaluations);
  EXPECT_NEAR(-above.value, reversed.value, 1e-12);
  EXPECT_EQ(above.converged, reversed.converged);
  // (1 - x)^-3/4 and (1 - x)^-1/2 beside x^-1/2.
  const auto quarter = quern::integrate(TypeParam(), singular_end{1, 0.75}, {0, 1}, quern::adaptive());
  check(4, 1e-2, quarter);
  EXPECT_FALSE(quarter.converged);
  check(2, 1e-7, quern::integrate(TypeParam(), singular_end{1, 0.5}, {0, 1}, quern::adaptive()));
  const auto zero = quern::integrate(TypeParam(), singular_end{0, -0.5}, {0, 1}, quern::adaptive());
  EXPECT_TRUE(zero.converged);
  check(2, 1e-7, zero);
  check(2, 1e-2, quern::integrate<float>(TypeParam(), singular_end{1, 0.5}, {0, 1}, quern::adaptive()));
  check(2, 1e-2, quern::integrate<float>(TypeParam(), singular_end{-1, -0.5}, {-1, 0}, quern::adaptive()));
  // An interval of nine numbers, and one without a number inside.
  const double step = 0x1p-43;
  EXPECT_TRUE(std::isfinite(
      quern::integrate(TypeParam(), singular_end{1000, -0.5}, {1000, 1000 + 8 * step}, quern::adaptive()).value));
  EXPECT_EQ(step, quern::integrate(TypeParam(), power{0}, {1000, 1000 + step}, quern::adaptive()).value);
}

struct singular_edge {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return singular_end{1, 0.5}(x) * (1 + y);
  }
};
TYPED_TEST(Adaptive, SingularEdgeOfABox) {
  const auto r = quern::integrate(TypeParam(), singular_edge(), {0, 1}, {0, 1}, quern::adaptive(),
                                  quern::tolerance{.relative = 1e-6});
  EXPECT_NEAR(3, r.value, 1e-5);
  EXPECT_LT(r.evaluations, 15 * 5000);
}

TYPED_TEST(Adaptive, SinglePrecision) {
  const quern::tolerance within{.relative = 1e-5, .absolute = 0};
  const auto r = quern::integrate<float>(TypeParam(), exponential(), {0.0f, 1.0f}, quern::adaptive(), within);
  static_assert(std::is_same_v<const quern::estimate<float>, decltype(r)>);
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(std::exp(1.0f) - 1, r.value, 1e-6f);
}

TYPED_TEST(Adaptive, ReportsMisuse) {
  const auto call = [](quern::interval<double> x, const auto&... options) {
    return [=] { quern::integrate(TypeParam(), peak(), x, quern::adaptive(), options...); };
  };
  test::expect_error("quern::integrate: the interval of axis 0 is not finite", call({0, std::nan("")}));
  test::expect_error("quern::integrate: a tolerance is negative or NaN",
                     call({0, 1}, quern::tolerance{.relative = -1}));
  test::expect_error("quern::integrate: 14 evaluations, expected at least 15",
                     call({0, 1}, quern::max_evaluations{14}));
}

TEST(Sobol, FirstPoints) {
  // As scipy.stats.qmc.Sobol(4, scramble=False) gives them, in eighths.
  const int expected[8][4] = {{0, 0, 0, 0}, {4, 4, 4, 4}, {6, 2, 2, 2}, {2, 6, 6, 6},
                              {3, 3, 5, 7}, {7, 7, 1, 3}, {5, 1, 7, 5}, {1, 5, 3, 1}};
  quern::impl::sobol_points<4> sequence(0, 0);
  for (auto& s : sequence.shift) s = 0;
  for (int i = 0; i < 8; ++i) {
    auto from_start = sequence.from(i);
    std::uint64_t bits[4];
    from_start.next(bits);
    for (int d = 0; d < 4; ++d) EXPECT_EQ(expected[i][d], static_cast<int>(bits[d] >> 61)) << i << ' ' << d;
  }
}

TEST(Sobol, FillsTheBoxEvenly) {
  // Of 2^12 points, shifted, one is in each of 2^12 intervals of an axis, and in each cell of the first two axes.
  const quern::impl::sobol_points<4> sequence(7, 3);
  auto at = sequence.from(0);
  std::array<std::set<std::uint64_t>, 4> intervals;
  std::array<std::set<std::uint64_t>, 13> cells;
  for (int i = 0; i < 4096; ++i) {
    std::uint64_t bits[4];
    at.next(bits);
    for (int d = 0; d < 4; ++d) intervals[d].insert(bits[d] >> 52);
    for (int k = 1; k < 12; ++k) cells[k].insert((bits[0] >> (64 - k)) << 12 | bits[1] >> (52 + k));
  }
  for (const auto& s : intervals) EXPECT_EQ(4096u, s.size());
  for (int k = 1; k < 12; ++k) EXPECT_EQ(4096u, cells[k].size()) << k;
}

template <class Exec>
struct MonteCarlo : testing::Test {};
TYPED_TEST_SUITE(MonteCarlo, test::all_spaces);

/// exp(x + y + ...) over [0, 1] x [0, 2] x [-1, 0] x [0, 1/2].
double exact_exponential(int rank) {
  const double of[] = {std::exp(1.0) - 1, std::exp(2.0) - 1, 1 - std::exp(-1.0), std::exp(0.5) - 1};
  double v = 1;
  for (int d = 0; d < rank; ++d) v *= of[d];
  return v;
}
template <class Exec, class How>
std::vector<quern::estimate<double>> exponentials(const How& how) {
  const Exec exec;
  return {quern::integrate(exec, exponential(), {0.0, 1.0}, how),
          quern::integrate(exec, exponential(), {0, 1}, {0, 2}, how),
          quern::integrate(exec, exponential(), {0, 1}, {0, 2}, {-1, 0}, how),
          quern::integrate(exec, exponential(), {0, 1}, {0, 2}, {-1, 0}, {0, 0.5}, how)};
}

TYPED_TEST(MonteCarlo, ErrorsAreWhatTheySay) {
  // Of 200 seeds the deviations in standard errors have the root mean square 1 and lie within one for 68 %: each of
  // the two within four standard deviations of its own.
  double squares = 0;
  int within = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto all = exponentials<TypeParam>(quern::monte_carlo{5003, seed});
    for (int rank = 1; rank <= 4; ++rank) {
      const auto& r = all[rank - 1];
      EXPECT_EQ(5003, r.evaluations);
      const double deviation = (r.value - exact_exponential(rank)) / r.error;
      squares += deviation * deviation;
      within += std::fabs(deviation) <= 1;
    }
  }
  EXPECT_NEAR(1.0, std::sqrt(squares / 200), 0.2);
  EXPECT_NEAR(0.683, within / 200.0, 0.13);
}

TYPED_TEST(MonteCarlo, DependsOnTheSeedAlone) {
  const auto a = exponentials<TypeParam>(quern::monte_carlo{100'000, 1});
  const auto b = exponentials<Kokkos::DefaultHostExecutionSpace>(quern::monte_carlo{100'000, 1});
  const auto c = exponentials<TypeParam>(quern::monte_carlo{100'000, 2});
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(a[k].value, b[k].value, 1e-13 * a[k].value);
    EXPECT_GT(std::fabs(a[k].value - c[k].value), 1e-6);
  }
  const auto single = quern::integrate<float>(TypeParam(), exponential(), {0.0f, 1.0f}, quern::monte_carlo{100'000, 1});
  EXPECT_NEAR(a[0].value, single.value, 1e-5);
  const auto even =
      quern::integrate<float>(TypeParam(), exponential(), {0.0f, 1.0f}, quern::quasi_monte_carlo{1 << 16, 1});
  EXPECT_NEAR(exact_exponential(1), even.value, 5 * even.error);
  EXPECT_LT(even.error, 1e-4);
}

TYPED_TEST(MonteCarlo, QuasiRandomPointsConvergeFaster) {
  const auto coarse = exponentials<TypeParam>(quern::quasi_monte_carlo{1 << 12, 5});
  const auto fine = exponentials<TypeParam>(quern::quasi_monte_carlo{1 << 18, 5});
  const auto random = exponentials<TypeParam>(quern::monte_carlo{1 << 18, 5});
  for (int rank = 1; rank <= 4; ++rank) {
    const auto &a = coarse[rank - 1], &b = fine[rank - 1];
    EXPECT_EQ(1 << 18, b.evaluations);
    EXPECT_NEAR(exact_exponential(rank), a.value, 5 * a.error);
    EXPECT_NEAR(exact_exponential(rank), b.value, 5 * b.error);
    EXPECT_LT(b.error, a.error / 16);  // random points: a.error / 8
    EXPECT_LT(b.error, random[rank - 1].error / 50);
  }
}

/// 1 strictly inside [1000, 1000 + width], NaN elsewhere.
struct one_inside {
  double width;
  template <class T, class... X>
  KOKKOS_FUNCTION T operator()(T first, X... x) const {
    const T least = 1000, most = static_cast<T>(1000 + width);
    bool all = first > least && first < most;
    ((all = all && x > least && x < most), ...);
    return all ? T(1) : Kokkos::Experimental::quiet_NaN_v<T>;
  }
};
template <class T, class Exec>
void expect_inside(double units) {
  const double width = units * 1024 * std::numeric_limits<T>::epsilon() / 2;
  const one_inside f{width};
  const quern::interval<T> x{1000, static_cast<T>(1000 + width)};
  const double area = width * width;
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, 100'003) / width, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, 1001, quern::rule::gauss_legendre(16)) / width, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, 1001, quern::reproducible) / width, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, x, {101, 103}) / area, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, {x.upper, x.lower}, 1001) / -width, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, quern::monte_carlo{10'000}).value / width, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, x, quern::quasi_monte_carlo{10'000}).value / area, 1e-5);
  EXPECT_NEAR(1, quern::integrate<T>(Exec(), f, x, quern::adaptive()).value / width, 1e-5);
}
TYPED_TEST(MonteCarlo, AllOpenRulesStayInsideTheBox) {
  for (const double units : {3, 8, 64}) {
    expect_inside<double, TypeParam>(units);
    expect_inside<float, TypeParam>(units);
  }
  // So many cells that the last node of a float rounds to the end.
  EXPECT_NEAR(2, quern::integrate<float>(TypeParam(), singular_end{1, 0.5}, {0.0f, 1.0f}, 40'000'000), 1e-2);
}

TYPED_TEST(MonteCarlo, ReportsMisuse) {
  test::expect_error("quern::integrate: 1 samples, expected at least 2",
                     [] { quern::integrate(TypeParam(), exponential(), {0.0, 1.0}, quern::monte_carlo{1}); });
  test::expect_error("quern::integrate: 0 samples, expected at least 1",
                     [] { quern::integrate(TypeParam(), exponential(), {0.0, 1.0}, quern::quasi_monte_carlo{0}); });
  test::expect_error("quern::integrate: the interval of axis 1 is not finite", [] {
    quern::integrate(TypeParam(), exponential(), {0, 1}, {0, std::nan("")}, quern::monte_carlo());
  });
  test::expect_error("quern::integrate: the length of the interval of axis 0 overflows",
                     [] { quern::integrate(TypeParam(), exponential(), {-1e308, 1e308}, quern::quasi_monte_carlo()); });
}

}  // namespace
