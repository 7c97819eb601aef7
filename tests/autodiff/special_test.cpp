// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives at special points: zero times infinity, kinks, poles and infinities; constants beside dual numbers.
#include <cmath>
#include <limits>
#include <quern/autodiff.hpp>
#include <support/testing.hpp>

namespace {

template <class T>
struct Special : testing::Test {};
using numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(Special, numbers);

template <class T>
constexpr T inf = std::numeric_limits<T>::infinity();

template <class T, class F>
T first(const F& f, T x) {
  return quern::value_and_gradient(f, x).gradient[0];
}
template <class T, class F>
T second(const F& f, T x) {
  return quern::hessian(f, x)[0][0];
}

TYPED_TEST(Special, ASlopeOfZeroContributesNothing) {
  using T = TypeParam;
  // By y, where the derivative by x is infinite.
  const auto roots = quern::value_and_gradient([](auto x, auto y) { return sqrt(x) + y; }, T(0), T(2));
  EXPECT_EQ(inf<T>, roots.gradient[0]);
  EXPECT_EQ(1, roots.gradient[1]);
  const auto mixed = quern::hessian([](auto x, auto y) { return sqrt(x) + y * y; }, T(0), T(2));
  EXPECT_EQ(-inf<T>, mixed[0][0]);
  EXPECT_EQ(0, mixed[0][1]);
  EXPECT_EQ(0, mixed[1][0]);
  EXPECT_EQ(2, mixed[1][1]);
  const auto by_y = [](const auto& f, T x) { return quern::value_and_gradient(f, x, T(3)).gradient[1]; };
  EXPECT_EQ(1, by_y([](auto x, auto y) { return log(x) + y; }, T(0)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return 1 / x + y; }, T(0)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return cbrt(x) + y; }, T(0)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return asin(x) + acos(x) + y; }, T(1)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return atanh(x) * 0 + y; }, T(0.5)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return acosh(x) + y; }, T(1)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return lgamma(x) + y; }, T(-2)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return exp(x) + y; }, T(1e4)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return pow(x, T(0.5)) + y; }, T(0)));
  EXPECT_EQ(1, by_y([](auto x, auto y) { return floor(sqrt(x) + T(0.5)) + y; }, T(0)));
  EXPECT_EQ(3, first([](auto x) { return x * 3; }, inf<T>));
}

TYPED_TEST(Special, OtherZerosTimesInfinityAreNotNumbers) {
  using T = TypeParam;
  EXPECT_TRUE(std::isnan(first([](auto x) { return x * sqrt(x); }, T(0)))) << "products have no rule for it";
  EXPECT_TRUE(std::isnan(first([](auto x) { return sqrt(x) * sqrt(x); }, T(0)))) << "1, which no rule can see";
  EXPECT_TRUE(std::isnan(first([](auto x) { return exp(log(x)); }, T(0)))) << "1 as well";
}

TYPED_TEST(Special, PowersAtZeroAndBelow) {
  using T = TypeParam;
  EXPECT_EQ(2, second([](auto x) { return pow(x, 2); }, T(-1.5)));
  EXPECT_EQ(2, second([](auto x) { return pow(x, T(2)); }, T(0)));
  EXPECT_EQ(0, second([](auto x) { return pow(x, 1); }, T(0)));
  EXPECT_EQ(-inf<T>, second([](auto x) { return pow(x, T(0.5)); }, T(0)));
  EXPECT_EQ(-inf<T>, first([](auto x) { return pow(x, -1); }, T(0)));
  EXPECT_EQ(inf<T>, first([](auto x) { return pow(x, -2); }, -T(0)));
  EXPECT_EQ(0, first([](auto x) { return pow(x, -1); }, inf<T>));
  EXPECT_EQ(inf<T>, first([](auto x) { return pow(x, 2); }, inf<T>));
  EXPECT_EQ(0, first([](auto x) { return pow(x, inf<T>); }, T(0.5)));
  EXPECT_EQ(0, first([](auto x) { return pow(x, 0); }, std::numeric_limits<T>::quiet_NaN()));
  // By both, at a negative base: only the derivatives by the base exist.
  const auto f = [](auto x, auto y) { return pow(x, y); };
  const auto below = quern::value_and_gradient(f, T(-2), T(3));
  EXPECT_EQ(-8, below.value);
  EXPECT_EQ(12, below.gradient[0]);
  EXPECT_TRUE(std::isnan(below.gradient[1]));
  EXPECT_EQ(12, first([](auto x) { return pow(x, decltype(x)(3)); }, T(-2))) << "an exponent without derivatives";
  EXPECT_EQ(-12, quern::hessian(f, T(-2), T(3))[0][0]);
  // (x, y) = (3, 0): f_xy = 1 / x.
  const auto h = quern::hessian(f, T(3), T(0));
  EXPECT_EQ(0, h[0][0]);
  EXPECT_NEAR(T(1) / 3, h[0][1], std::numeric_limits<T>::epsilon());
  EXPECT_EQ(h[0][1], h[1][0]);
  EXPECT_NEAR(std::log(T(3)) * std::log(T(3)), h[1][1], 4 * std::numeric_limits<T>::epsilon());
  for (const T y : {T(0), T(0.5), T(1), T(2)}) {
    const auto at_zero = quern::hessian(f, T(0), y);
    EXPECT_EQ(at_zero[0][1], at_zero[1][0]) << y;
    EXPECT_EQ(y == 0 ? inf<T> : y <= 1 ? -inf<T> : T(0), at_zero[0][1]) << y;  // the limit from above
    EXPECT_EQ(y > 0 ? T(0) : -inf<T>, quern::value_and_gradient(f, T(0), y).gradient[1]) << y;
  }
}

TYPED_TEST(Special, InfinitiesAndOverflow) {
  using T = TypeParam;
  const auto zero = [](const auto& f, T x) {
    EXPECT_EQ(0, first(f, x)) << x;
    EXPECT_EQ(0, second(f, x)) << x;
  };
  for (const T x : {inf<T>, -inf<T>}) {
    zero([](auto v) { return atan(v); }, x);
    zero([](auto v) { return tanh(v); }, x);
    zero([](auto v) { return erf(v); }, x);
    zero([](auto v) { return erfc(v); }, x);
    zero([](auto v) { return asinh(v); }, x);
    zero([](auto v) { return cbrt(v); }, x);
    zero([](auto v) { return 1 / v; }, x);
    zero([](auto v) { return atan2(v, T(1)); }, x);
    EXPECT_EQ(x > 0 ? 1 : -1, first([](auto v) { return hypot(v, 1); }, x));
    EXPECT_EQ(0, second([](auto v) { return hypot(v, 1); }, x));
  }
  zero([](auto v) { return sqrt(v); }, inf<T>);
  zero([](auto v) { return rsqrt(v); }, inf<T>);
  zero([](auto v) { return log(v); }, inf<T>);
  zero([](auto v) { return log1p(v); }, inf<T>);
  zero([](auto v) { return acosh(v); }, inf<T>);
  zero([](auto v) { return exp(v); }, -inf<T>);
  zero([](auto v) { return expm1(v); }, -inf<T>);
  EXPECT_EQ(0, second([](auto v) { return lgamma(v); }, inf<T>));
  for (const T x : {T(400), T(-800), T(30)}) EXPECT_FALSE(std::isnan(second([](auto v) { return tanh(v); }, x)));
  EXPECT_EQ(0, second([](auto v) { return tanh(v); }, T(400)));
  const T big = std::sqrt(std::numeric_limits<T>::max()) * 4;
  zero([](auto v) { return atan(v); }, big * big / 1024);
  EXPECT_NEAR(T(0.6), first([=](auto v) { return hypot(v, 4 * big, T(0)); }, 3 * big), 1e-6);
  const T most = Kokkos::Experimental::finite_max_v<T>;  // beside it the hypotenuse overflows
  EXPECT_NEAR(T(0.8), first([=](auto v) { return hypot(v, most / 4 * 3); }, most), 1e-6);
  EXPECT_NEAR(T(-1 / std::sqrt(3.0)), first([=](auto v) { return hypot(most, v, most); }, -most), 1e-6);
}

TYPED_TEST(Special, Kinks) {
  using T = TypeParam;
  EXPECT_EQ(0, first([](auto x) { return abs(x); }, T(0)));
  EXPECT_EQ(0, first([](auto x) { return hypot(x, 0, 0); }, T(0)));
  EXPECT_EQ(0, second([](auto x) { return hypot(x, 0); }, T(0)));
  EXPECT_TRUE(std::isnan(first([](auto x) { return atan2(x, 0); }, T(0))));
  EXPECT_EQ(inf<T>, first([](auto x) { return sqrt(x); }, -T(0)));
  EXPECT_EQ(inf<T>, first([](auto x) { return asin(x); }, T(-1)));
  EXPECT_EQ(-inf<T>, second([](auto x) { return asin(x); }, T(-1)));
  EXPECT_EQ(-inf<T>, second([](auto x) { return acosh(x); }, T(1)));
  EXPECT_EQ(1, first([](auto x) { return Kokkos::max(x, 0.0); }, T(2)));
  EXPECT_EQ(0, first([](auto x) { return Kokkos::min(1, x); }, T(2)));
}

/// Each function with dual numbers and constants in every place, beside the same of dual numbers alone.
template <class T, class F>
void expect_same_with_constants(const F& f, T x, T y, T z) {
  using D = quern::dual<T, 2>;
  using DD = quern::dual<D, 2>;
  const DD a = DD::variable(D::variable(x, 0), 0), b = DD::variable(D::variable(y, 1), 1);
  const auto same = [](const DD& e, const DD& r) {
    EXPECT_EQ(e.value.value, r.value.value);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(e.value.derivative[i], r.value.derivative[i]);
      for (int j = 0; j < 2; ++j) EXPECT_EQ(e.derivative[i].derivative[j], r.derivative[i].derivative[j]);
    }
  };
  same(f(a, b, DD(z)), f(a, b, z));
  same(f(a, DD(y), DD(z)), f(a, D(y), z));
  same(f(DD(x), b, DD(z)), f(x, b, z));
  same(f(DD(x), DD(y), b), f(x, y, b));
  same(f(a, DD(y), b), f(a, y, b));
  same(f(DD(x), a, b), f(D(x), a, b));
}
TYPED_TEST(Special, ConstantsInEveryPlace) {
  using T = TypeParam;
  expect_same_with_constants<T>([](auto a, auto b, auto c) { return fma(a, b, c); }, 2, 3, 5);
  expect_same_with_constants<T>([](auto a, auto b, auto c) { return Kokkos::fma(a, b, c); }, 0, 3, 5);
  expect_same_with_constants<T>([](auto a, auto b, auto c) { return hypot(a, b, c); }, 2, 3, 6);
  expect_same_with_constants<T>([](auto a, auto b, auto c) { return Kokkos::hypot(a, b, c); }, 1, 0, 0);
  const auto r = quern::value_and_gradient([](auto a, auto b) { return fma(a, 4, b); }, T(2), T(3));
  EXPECT_EQ(11, r.value);
  EXPECT_EQ(4, r.gradient[0]);
  EXPECT_EQ(1, r.gradient[1]);
  // 2, 3, 6 and 7 are the sides and the diagonal of a box.
  const auto h = quern::hessian([](auto a, auto b) { return hypot(a, b, 6); }, T(2), T(3));
  const T unit = std::numeric_limits<T>::epsilon();
  EXPECT_NEAR(T(45) / 343, h[0][0], unit);
  EXPECT_NEAR(-T(6) / 343, h[0][1], unit);
  EXPECT_NEAR(T(40) / 343, h[1][1], unit);
}

TYPED_TEST(Special, FunctionsOfMathTakeDualNumbers) {
  using T = TypeParam;
  using D = quern::dual<T, 1>;
  const D x = D::variable(T(0.5), 0);
  const T unit = std::numeric_limits<T>::epsilon();
  EXPECT_NEAR(std::exp(T(0.5)), quern::math::exp(x).partial(0), 2 * unit);
  EXPECT_NEAR(std::cos(T(0.5)), quern::math::sin(x).partial(0), 2 * unit);
  EXPECT_NEAR(T(1), quern::math::pow(x, T(2)).partial(0), 2 * unit);
  EXPECT_NEAR(std::log(T(2)) * std::sqrt(T(2)), quern::math::pow(T(2), x).partial(0), 4 * unit);
  EXPECT_NEAR(T(0.8), quern::math::atan2(x, D(T(1))).partial(0), 2 * unit);
  static_assert(!std::is_same_v<decltype(quern::math::tanh(T(1))), D>);
}

TYPED_TEST(Special, StepsAndRemainders) {
  using T = TypeParam;
  using D = quern::dual<T, 1>;
  const D x = D::variable(T(9.5), 0);
  EXPECT_EQ(3, logb(x).value);
  EXPECT_EQ(0, Kokkos::logb(x).partial(0));
  EXPECT_EQ(std::nextafter(T(9.5), T(10)), nextafter(x, 10).value);
  EXPECT_EQ(1, Kokkos::nextafter(x, D(0)).partial(0));
  EXPECT_EQ(0, nextafter(T(1), x).partial(0));
  EXPECT_EQ(1, quern::math::floor_divide<9>(x).value);
  EXPECT_EQ(-2, quern::math::floor_divide<9>(-x).value);
  EXPECT_EQ(0, quern::math::floor_divide<9>(x).partial(0));
  // The quotient rounds to 3, the remainder is just below the divisor.
  const T w = T(1) / 3, v = std::nextafter(3 * w, T(0));
  ASSERT_EQ(2, (v - std::fmod(v, w)) / w);
  EXPECT_EQ(-2, first([v](auto b) { return fmod(v, b); }, w));
  EXPECT_EQ(0, first([](auto b) { return fmod(T(2), b); }, inf<T>));
  EXPECT_EQ(-1, first([](auto a) { return copysign(a, -1); }, T(2)));
  EXPECT_EQ(0, first([](auto b) { return copysign(2, b); }, T(-2)));
  EXPECT_EQ(-1, first([](auto b) { return fdim(3, b); }, T(2)));
  EXPECT_EQ(0, first([](auto b) { return fdim(1, b); }, T(2)));
}

}  // namespace
