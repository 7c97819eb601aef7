// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives by dual numbers, beside differences in long double, complex steps and closed forms.
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <quern/autodiff.hpp>
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace {

// In long double, which devices have not, on hosts alone.
#define QUERN_TEST_FUNCTION(name)                                                  \
  struct name##_of {                                                               \
    template <class T>                                                             \
    KOKKOS_FUNCTION T operator()(const T& x) const {                               \
      return Kokkos::name(x);                                                      \
    }                                                                              \
    long double operator()(const long double& x) const { return Kokkos::name(x); } \
  };
QUERN_TEST_FUNCTION(abs)
QUERN_TEST_FUNCTION(fabs)
QUERN_TEST_FUNCTION(exp)
QUERN_TEST_FUNCTION(exp2)
QUERN_TEST_FUNCTION(expm1)
QUERN_TEST_FUNCTION(log)
QUERN_TEST_FUNCTION(log10)
QUERN_TEST_FUNCTION(log2)
QUERN_TEST_FUNCTION(log1p)
QUERN_TEST_FUNCTION(sqrt)
QUERN_TEST_FUNCTION(rsqrt)
QUERN_TEST_FUNCTION(cbrt)
QUERN_TEST_FUNCTION(sin)
QUERN_TEST_FUNCTION(cos)
QUERN_TEST_FUNCTION(tan)
QUERN_TEST_FUNCTION(asin)
QUERN_TEST_FUNCTION(acos)
QUERN_TEST_FUNCTION(atan)
QUERN_TEST_FUNCTION(sinh)
QUERN_TEST_FUNCTION(cosh)
QUERN_TEST_FUNCTION(tanh)
QUERN_TEST_FUNCTION(asinh)
QUERN_TEST_FUNCTION(acosh)
QUERN_TEST_FUNCTION(atanh)
QUERN_TEST_FUNCTION(erf)
QUERN_TEST_FUNCTION(erfc)
QUERN_TEST_FUNCTION(tgamma)
QUERN_TEST_FUNCTION(lgamma)
QUERN_TEST_FUNCTION(ceil)
QUERN_TEST_FUNCTION(floor)
QUERN_TEST_FUNCTION(trunc)
QUERN_TEST_FUNCTION(round)
QUERN_TEST_FUNCTION(nearbyint)
#undef QUERN_TEST_FUNCTION

#define QUERN_TEST_FUNCTION(name)                                                                           \
  struct name##_of {                                                                                        \
    template <class A, class B>                                                                             \
    KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {                                         \
      return Kokkos::name(a, b);                                                                            \
    }                                                                                                       \
    long double operator()(const long double& a, const long double& b) const { return Kokkos::name(a, b); } \
  };
QUERN_TEST_FUNCTION(pow)
QUERN_TEST_FUNCTION(atan2)
QUERN_TEST_FUNCTION(hypot)
QUERN_TEST_FUNCTION(fmod)
QUERN_TEST_FUNCTION(remainder)
QUERN_TEST_FUNCTION(fdim)
QUERN_TEST_FUNCTION(copysign)
QUERN_TEST_FUNCTION(fmax)
QUERN_TEST_FUNCTION(fmin)
#undef QUERN_TEST_FUNCTION

/// The derivative of a function of long double at x, by three central differences whose first error terms cancel.
template <class F>
double slope(const F& f, double at) {
  const long double x = at, h = std::ldexp(std::fmax(0.03125L, std::fabs(x)), -13);
  const auto difference = [&](long double s) { return (f(x + s) - f(x - s)) / (2 * s); };
  return static_cast<double>((64 * difference(h / 4) - 20 * difference(h / 2) + difference(h)) / 45);
}

template <class F>
struct value_and_slope {
  F f;
  KOKKOS_FUNCTION Kokkos::complex<double> operator()(double x) const {
    const auto r = quern::value_and_gradient(f, x);
    return {r.value, r.gradient[0]};
  }
};

inline void expect_close(double expected, double found, double tolerance, const std::string& what) {
  if (std::isnan(expected) && std::isnan(found)) return;
  EXPECT_LE(std::fabs(expected - found), tolerance * std::fmax(std::fabs(expected), 0.05)) << what << ": " << found;
}

template <class Exec>
struct Autodiff : testing::Test {
  /// Values and derivatives in a kernel beside those of f itself and of differences.
  template <class F>
  void check(const char* name, const F& f, const std::vector<double>& points) {
    const auto n = static_cast<std::int64_t>(points.size());
    const auto x = test::make_array<double, 1, Kokkos::LayoutRight, Exec>({n}, points);
    const auto out = test::make_array<Kokkos::complex<double>, 1, Kokkos::LayoutRight, Exec>({n});
    quern::map(Exec(), out, value_and_slope<F>{f}, x);
    const auto found = test::contents(out);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::string what = std::string(name) + " at " + std::to_string(points[i]);
      expect_close(f(points[i]), found[i].real(), 4e-15, what);
      expect_close(slope(f, points[i]), found[i].imag(), 1e-12, what + ", derivative");
    }
  }
};
TYPED_TEST_SUITE(Autodiff, test::all_spaces);

TYPED_TEST(Autodiff, FunctionsOfOneNumber) {
  const std::vector<double> all{-3.7, -1.25, -0.5, -0.01, 0.3, 1.0, 2.2, 9.5}, positive{1e-3, 0.3, 1.0, 2.5, 40.0},
      unit{-0.9, -0.3, 0.01, 0.5, 0.99}, above{1.01, 2.0, 30.0}, fractions{-2.3, -0.2, 0.4, 1.7, 5.1},
      gamma{-2.5, -0.3, 0.2, 0.5, 1.0, 1.5, 4.0, 9.9, 12.5};
  this->check("abs", abs_of(), all);
  this->check("fabs", fabs_of(), all);
  this->check("exp", exp_of(), all);
  this->check("exp2", exp2_of(), all);
  this->check("expm1", expm1_of(), all);
  this->check("log", log_of(), positive);
  this->check("log10", log10_of(), positive);
  this->check("log2", log2_of(), positive);
  this->check("log1p", log1p_of(), positive);
  this->check("sqrt", sqrt_of(), positive);
  this->check("rsqrt", rsqrt_of(), positive);
  this->check("cbrt", cbrt_of(), positive);
  this->check("sin", sin_of(), all);
  this->check("cos", cos_of(), all);
  this->check("tan", tan_of(), all);
  this->check("asin", asin_of(), unit);
  this->check("acos", acos_of(), unit);
  this->check("atan", atan_of(), all);
  this->check("sinh", sinh_of(), all);
  this->check("cosh", cosh_of(), all);
  this->check("tanh", tanh_of(), all);
  this->check("asinh", asinh_of(), all);
  this->check("acosh", acosh_of(), above);
  this->check("atanh", atanh_of(), unit);
  this->check("erf", erf_of(), all);
  this->check("erfc", erfc_of(), all);
  this->check("tgamma", tgamma_of(), gamma);
  this->check("lgamma", lgamma_of(), gamma);
  this->check("ceil", ceil_of(), fractions);
  this->check("floor", floor_of(), fractions);
  this->check("trunc", trunc_of(), fractions);
  this->check("round", round_of(), fractions);
  this->check("nearbyint", nearbyint_of(), fractions);
}

template <class F>
struct first_argument {
  F f;
  double b;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a) const {
    return f(a, T(b));
  }
  long double operator()(const long double& a) const { return f(a, static_cast<long double>(b)); }
};
template <class F>
struct second_argument {
  F f;
  double a;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& b) const {
    return f(T(a), b);
  }
  long double operator()(const long double& b) const { return f(static_cast<long double>(a), b); }
};
/// f(a, b) with a constant for either, instead of a dual number without derivatives.
template <class F>
struct beside_constant {
  F f;
  double constant;
  bool first;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return first ? f(constant, x) : f(x, constant);
  }
  long double operator()(const long double& x) const {
    const long double c = constant;
    return first ? f(c, x) : f(x, c);
  }
};

TYPED_TEST(Autodiff, FunctionsOfTwoNumbers) {
  const std::vector<double> positive{0.2, 1.0, 1.7, 3.4}, all{-2.6, -0.3, 0.4, 3.3};
  const auto both = [&](const char* name, const auto& f, const std::vector<double>& points) {
    for (const double other : {0.7, 2.9}) {
      using F = std::remove_cvref_t<decltype(f)>;
      this->check(name, first_argument<F>{f, other}, points);
      this->check(name, second_argument<F>{f, other}, points);
      this->check(name, beside_constant<F>{f, other, false}, points);
      this->check(name, beside_constant<F>{f, other, true}, points);
    }
  };
  both("pow", pow_of(), positive);
  both("atan2", atan2_of(), all);
  both("hypot", hypot_of(), all);
  both("fmod", fmod_of(), all);
  both("remainder", remainder_of(), all);
  both("fdim", fdim_of(), all);
  both("copysign", copysign_of(), all);
  both("fmax", fmax_of(), all);
  both("fmin", fmin_of(), all);
}

/// All of arithmetic, with constants of several types, a branch and a loop.
struct everyday {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x, const T& y) const {
    T s = 2 * x * y - x / 3.0f + (1 - y) * (x + 2.5) / (y + x) - 7;
    s += x;
    s -= 3;
    s *= 0.5;
    s /= y;
    for (int k = 0; k < 3; ++k) s = s * x + k;
    if (x > 1 && !(y == x) && 2 >= y) s = -s + 1 / y;
    return s;
  }
};
TYPED_TEST(Autodiff, ArithmeticAndBranches) {
  this->check("everyday", first_argument<everyday>{{}, 0.75}, {0.3, 1.5, 4.0});
  this->check("everyday", second_argument<everyday>{{}, 1.5}, {0.3, 1.25, 4.0});
}

struct complex_step_function {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    using Kokkos::cos, Kokkos::exp, Kokkos::sin, Kokkos::sqrt;
    return exp(-x * x) * sin(3.0 * x) / (1.0 + x * x) + sqrt(x + 2.0) * cos(x);
  }
  std::complex<double> operator()(const std::complex<double>& x) const {
    return std::exp(-x * x) * std::sin(3.0 * x) / (1.0 + x * x) + std::sqrt(x + 2.0) * std::cos(x);
  }
};
TEST(AutodiffBeside, ComplexSteps) {
  for (const double x : {-1.5, 0.0, 0.3, 7.0}) {
    const auto stepped = complex_step_function()(std::complex<double>(x, 1e-200));
    const auto found = quern::value_and_gradient(complex_step_function(), x);
    EXPECT_NEAR(stepped.real(), found.value, 1e-15 + 4e-15 * std::fabs(found.value));
    EXPECT_NEAR(stepped.imag() / 1e-200, found.gradient[0], 1e-15 + 8e-15 * std::fabs(found.gradient[0]));
  }
}

struct several {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b, const T& c) const {
    return a * a * b + sin(b * c) + exp(c);
  }
};
struct second_derivatives {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t& wrong) const {
    using Kokkos::abs, Kokkos::cos, Kokkos::exp, Kokkos::sin;
    const double a = 1.25, b = -0.5, c = 0.75, sine = sin(b * c), cosine = cos(b * c);
    const auto h = quern::hessian(several(), a, b, c);
    const double expected[3][3] = {{2 * b, 2 * a, 0},
                                   {2 * a, -c * c * sine, cosine - b * c * sine},
                                   {0, cosine - b * c * sine, -b * b * sine + exp(c)}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) wrong += abs(h[i][j] - expected[i][j]) > 1e-14 ? 1 : 0;
  }
};
struct polar {
  template <class A>
  KOKKOS_FUNCTION A operator()(const A& x) const {
    return {x[0] * cos(x[1]), x[0] * sin(x[1])};
  }
};
struct matrices {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t& wrong) const {
    using Kokkos::abs, Kokkos::cos, Kokkos::sin;
    using pair = Kokkos::Array<double, 2>;
    const pair x{2.0, 0.6}, v{-1.0, 3.0};
    const auto r = quern::value_and_jacobian(polar(), x);
    const auto j = quern::jacobian(polar(), x);
    const auto along = quern::jvp(polar(), x, v);
    const double expected[2][2] = {{cos(0.6), -2 * sin(0.6)}, {sin(0.6), 2 * cos(0.6)}};
    for (int i = 0; i < 2; ++i) {
      wrong += abs(r.value[i] - polar()(x)[i]) > 1e-15 ? 1 : 0;
      wrong += abs(along.tangent[i] - (expected[i][0] * v[0] + expected[i][1] * v[1])) > 1e-14 ? 1 : 0;
      for (int k = 0; k < 2; ++k) wrong += abs(j[i][k] - expected[i][k]) > 1e-15 ? 1 : 0;
    }
    const auto g = quern::value_and_gradient([](const auto& y) { return y[0] * y[1]; }, x);
    wrong += g.value == 1.2 && g.gradient[0] == 0.6 && g.gradient[1] == 2.0 ? 0 : 1;
  }
};
TYPED_TEST(Autodiff, HessiansAndJacobiansInKernels) {
  std::int64_t wrong = -1;
  const Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::int64_t>> once(0, 3);
  Kokkos::parallel_reduce(once, second_derivatives(), wrong);
  EXPECT_EQ(0, wrong);
  Kokkos::parallel_reduce(once, matrices(), wrong);
  EXPECT_EQ(0, wrong);
}

struct square {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x * x;
  }
};
TYPED_TEST(Autodiff, ElementsOfViews) {
  using number = quern::dual<float, 3>;
  static_assert(std::is_trivially_copyable_v<number> && sizeof(number) == 16);
  const TypeParam exec;
  const Kokkos::View<number*, TypeParam> x("x", 5), y("y", 5);
  EXPECT_EQ(0, test::contents(x)[4].partial(2)) << "initialized";
  quern::fill(exec, x, number::variable(3, 1));
  quern::map(exec, y, square(), x);
  quern::map(exec, y, square(), y);
  for (const auto& e : test::contents(y)) {
    EXPECT_EQ(81, e.value);
    EXPECT_EQ(0, e.partial(0));
    EXPECT_EQ(4 * 27, e.partial(1));
  }
}

TEST(AutodiffOf, NumbersOfOtherTypes) {
  const auto mixed = quern::value_and_gradient([](auto x, auto n) { return x * n; }, 2.0f, 3);
  static_assert(std::is_same_v<decltype(mixed.value), double>, "integers count as double");
  EXPECT_EQ(6, mixed.value);
  EXPECT_EQ(3, mixed.gradient[0]);
  const auto single = quern::value_and_gradient([](auto x) { return x; }, 2.0f);
  static_assert(std::is_same_v<decltype(single.value), float>);
  EXPECT_EQ(0, quern::value_and_gradient([](auto) { return 4.0; }, 2.0).gradient[0]) << "constants";
  EXPECT_EQ(3, static_cast<int>(quern::dual<double, 1>(3.7)));
}

TEST(AutodiffOf, ExtremeValues) {
  const auto at = [](const auto& f, double x) { return quern::value_and_gradient(f, x).gradient[0]; };
  EXPECT_EQ(2e-170, at([](auto x) { return pow(x, 2); }, 1e-170)) << "the value underflows";
  EXPECT_EQ(0, at([](auto x) { return pow(x, 0); }, 0.0));
  EXPECT_EQ(1, at([](auto x) { return pow(x, 1); }, 0.0));
  EXPECT_EQ(0, at([](auto x) { return atan(x); }, 1e200));
  EXPECT_EQ(1e-200, at([](auto x) { return asinh(x); }, 1e200));
  EXPECT_EQ(1e-200, at([](auto x) { return acosh(x); }, 1e200));
  EXPECT_EQ(0, at([](auto x) { return tanh(x); }, 800.0));
  EXPECT_NEAR(1e-155, at([](auto y) { return atan2(y, 1e155); }, 0.0), 1e-170);
  EXPECT_NEAR(0.6, at([](auto x) { return hypot(x, 4e200); }, 3e200), 1e-15);
  EXPECT_EQ(0, at([](auto x) { return hypot(x, 0.0); }, 0.0));
  EXPECT_EQ(0, at([](auto x) { return abs(x); }, 0.0));
  EXPECT_EQ(std::numeric_limits<double>::infinity(), at([](auto x) { return sqrt(x); }, 0.0));
  EXPECT_TRUE(std::isnan(at([](auto x) { return x * x; }, std::nan(""))));
  EXPECT_TRUE(std::isnan(at([](auto x) { return abs(x); }, std::nan(""))));
  EXPECT_TRUE(std::isnan(at([](auto x) { return lgamma(x); }, -2.0))) << "a pole";
  EXPECT_EQ(1, at([](auto x) { return fmax(std::nan(""), x); }, 2.0)) << "numbers before NaN";
}

TEST(AutodiffOf, ConstantsMeetNoInfinities) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(2, quern::value_and_gradient([](auto x) { return fma(x, 2.0, 1.0); }, inf).gradient[0]);
  EXPECT_EQ(2, quern::value_and_gradient([](auto x) { return fma(2.0, x, 1); }, inf).gradient[0]);
  EXPECT_EQ(-inf, quern::hessian([](auto x) { return fma(sqrt(x), 2.0, 1.0); }, 0.0)[0][0]);
  const auto quotient = quern::dual<double, 2>::variable(3.0, 0) / 0.0;
  EXPECT_EQ(inf, quotient.derivative[0]);
  EXPECT_EQ(0, quotient.derivative[1]);
}

TEST(AutodiffOf, HigherDerivativesOfTheGammaFunction) {
  const auto trigamma = [](double x) { return quern::hessian([](const auto& y) { return lgamma(y); }, x)[0][0]; };
  EXPECT_NEAR(std::numbers::pi * std::numbers::pi / 6, trigamma(1.0), 1e-13);
  EXPECT_NEAR(std::numbers::pi * std::numbers::pi / 2, trigamma(0.5), 1e-13);
  EXPECT_NEAR(std::numbers::pi * std::numbers::pi / 2 + 4, trigamma(-0.5), 1e-12);
}

}  // namespace
