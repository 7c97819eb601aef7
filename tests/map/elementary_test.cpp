// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elementary functions on hosts: beside mpmath's values (tools/elementary_samples.py), beside the C library's
// long double for many arguments, and special values. Each is computed by `map`, in vectors, and number by number,
// which must have the same bits. QUERN_TEST_ARGUMENTS says how many arguments each gets.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <random>
#include <string>
#include <string_view>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using exec = Kokkos::DefaultHostExecutionSpace;

const test::reference_archive mpmath("map/data/elementary.npz");

/// Compilers of devices make no vector forms: the functions are the C library's there, some of which are less exact.
double max_ulps(std::string_view function = "") {
  if (!quern::impl::is_device<Kokkos::DefaultExecutionSpace>) return 1;
  return function == "cbrt" ? 4 : 2;
}
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The distance from exact + rest units, in units in the last place of the exact value; infinite where a sign, a NaN or
/// an infinity differs.
template <class T>
double ulps(T got, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : infinity;
  if (std::isinf(nearest) || std::isinf(got)) return nearest == got ? 0 : infinity;
  if (std::signbit(nearest) != std::signbit(got)) return infinity;
  int exponent;
  std::frexp(exact, &exponent);
  constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent;
  const long double unit = std::ldexp(1.0L, std::max(exponent, least) - digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
Kokkos::View<T*, Kokkos::HostSpace> as_view(const std::vector<T>& v) {
  Kokkos::View<T*, Kokkos::HostSpace> x("x", v.size());
  std::copy(v.begin(), v.end(), x.data());
  return x;
}

/// f by map, after a comparison with f number by number.
template <class T, class F, class... X>
Kokkos::View<T*, Kokkos::HostSpace> mapped(F f, const X&... x) {
  const std::size_t n = (x.extent(0), ...);
  Kokkos::View<T*, Kokkos::HostSpace> y("y", n);
  quern::map(exec(), y, f, x...);
  exec().fence();
  for (std::size_t i = 0; i < n; ++i) {
    volatile T alone = f(x(i)...);
    EXPECT_TRUE(same_bits<T>(alone, y(i))) << alone << " " << y(i) << " at " << i;
  }
  return y;
}

template <class T>
std::vector<T> arguments(double low, double high) {
  const char* count = std::getenv("QUERN_TEST_ARGUMENTS");
  const int n = count != nullptr ? std::atoi(count) : 20'000;
  using limits = std::numeric_limits<T>;
  std::vector<T> x{0,
                   1,
                   T(0.5),
                   2,
                   3,
                   103,
                   88,
                   709,
                   710,
                   745,
                   746,
                   1023,
                   1074,
                   T(1e9),
                   T(3e20),
                   limits::min(),
                   limits::denorm_min(),
                   limits::max(),
                   limits::infinity()};
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> within(low, high),
      magnitude(limits::min_exponent - limits::digits, limits::max_exponent), near(-30, 9);
  for (int i = 0; i < n; ++i) {
    x.push_back(static_cast<T>(within(random)));
    x.push_back(static_cast<T>(std::exp2(magnitude(random))));
    x.push_back(static_cast<T>(std::exp2(near(random))));
    x.push_back(static_cast<T>(1 + std::exp2(-near(random) - 10)));
    x.push_back(static_cast<T>(i * 1571 * 1.57079632679489661923));
  }
  for (std::size_t i = 0, size = x.size(); i < size; ++i) x.push_back(-x[i]);
  x.push_back(limits::quiet_NaN());
  return x;
}

template <class T, class F>
void expect_within_one_ulp(const char* name, double low, double high) {
  const std::vector<T> x = arguments<T>(low, high);
  const auto y = mapped<T>(F(), as_view(x));
  double worst = 0;
  T at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps<T>(y(i), F::exact(static_cast<long double>(x[i])));
    if (error > worst) worst = error, at = x[i];
  }
  EXPECT_LE(worst, max_ulps(name)) << name << " at " << at;
  testing::Test::RecordProperty(name, std::to_string(worst));
}

#define FUNCTION(name)                                               \
  struct name##_function {                                           \
    template <class T>                                               \
    KOKKOS_FUNCTION T operator()(T x) const {                        \
      return quern::math::name(x);                                   \
    }                                                                \
    static long double exact(long double x) { return std::name(x); } \
  };
FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(erf)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log1p)
FUNCTION(cbrt)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
#undef FUNCTION

/// How many units in the last place numbers are from a function's values by mpmath, which are `value + rest` units.
template <class Numbers>
std::vector<double> ulps_from_mpmath(const std::string& function, const Numbers& numbers) {
  const std::vector<double> values = mpmath.values(function), rests = mpmath.values(function + "_rest");
  std::vector<double> errors;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double unit = std::nextafter(std::fabs(values[i]), infinity) - std::fabs(values[i]);
    errors.push_back(std::fabs((numbers(i) - values[i]) / unit - rests[i]));
  }
  return errors;
}

/// Beside long double and mpmath's values, in double and float.
template <class F>
void expect_function(const std::string& name, double low, double high) {
  expect_within_one_ulp<double, F>(name.c_str(), low, high);
  expect_within_one_ulp<float, F>((name + "_in_float").c_str(), low, high);
  const std::vector<double> x = mpmath.values(name + "_x");
  const std::vector<double> errors = ulps_from_mpmath(name, mapped<double>(F(), as_view(x)));
  ASSERT_EQ(x.size(), errors.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(errors[i], max_ulps(name)) << name << " at " << x[i];
}
#define EXPECT_FUNCTION(name, low, high) expect_function<name##_function>(#name, low, high)

TEST(Elementary, ExponentialsAreWithinOneUlp) {
  EXPECT_FUNCTION(exp, -750, 712);
  EXPECT_FUNCTION(exp2, -1080, 1026);
  EXPECT_FUNCTION(expm1, -40, 40);
  EXPECT_FUNCTION(sinh, -712, 712);
  EXPECT_FUNCTION(cosh, -712, 712);
  EXPECT_FUNCTION(tanh, -20, 20);
  EXPECT_FUNCTION(erf, -6, 6);
}
TEST(Elementary, LogarithmsAndRootsAreWithinOneUlp) {
  EXPECT_FUNCTION(log, 0, 3);
  EXPECT_FUNCTION(log2, 0, 3);
  EXPECT_FUNCTION(log1p, -1, 3);
  EXPECT_FUNCTION(cbrt, -9, 9);
}
TEST(Elementary, AnglesAreWithinOneUlp) {
  EXPECT_FUNCTION(sin, -10, 10);
  EXPECT_FUNCTION(cos, -10, 10);
  EXPECT_FUNCTION(tan, -10, 10);
  EXPECT_FUNCTION(asin, -1, 1);
  EXPECT_FUNCTION(acos, -1, 1);
  EXPECT_FUNCTION(atan, -5, 5);
}

/// The arguments of the largest errors that a search among 1e7 to 1e8 of each function found; two were more than 1.
template <class F, class T = double>
void expect_worst(const char* name, const std::vector<T>& x) {
  const auto y = mapped<T>(F(), as_view(x));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(ulps<T>(y(i), F::exact(static_cast<long double>(x[i]))), max_ulps(name)) << name << " at " << x[i];
}
TEST(Elementary, WorstArgumentsOfASearch) {
  expect_worst<expm1_function>("expm1", {0x1.29822d396c22p+5, 0x1.2b4496106c361p+5, 0x1.6629a90b93b14p-2});
  expect_worst<expm1_function>("expm1", {0x1.6e38323dd9295p-2, 0x1.64b8f191cb446p-2});
  expect_worst<sinh_function>("sinh", {0x1.79ece0f5c5104p-2});
  expect_worst<cosh_function>("cosh", {0x1.2613234991ad8p+4});
  expect_worst<tanh_function>("tanh", {0x1.2670ca0c49de2p+4, 0x1.65965cdf91f9fp-7, -0x1.2b71059e4184p+4});
  expect_worst<log_function>("log", {0x1.f4993e81239b7p-1});
  expect_worst<log2_function>("log2", {0x1.f54b7aa459c4ep-1});
  expect_worst<log1p_function>("log1p",
                               {0x1.01f9fa59f5baep-6, 0x1.fffffffffffffp+1023, 0x1p+1000, -0x1.fffffffffffffp-1});
  expect_worst<atan_function>("atan", {0x1.01dc41e972a7ap-2});
  expect_worst<cbrt_function>("cbrt", {-0x1.72056aa34e7aep-47});
  expect_worst<asin_function>("asin", {0x1.0e79a813fbdb7p-1});
  expect_worst<acos_function>("acos", {0x1.208c401e41da5p-1});
  expect_worst<erf_function>("erf", {0x1.50283b29db802p-1, 0x1.56d66926c62b8p-1, -0x1.98e99f00ca0ecp-1021});
  expect_worst<tan_function>("tan", {0x1.0d7d5fea8ef7ap+11, 0x1.920c2ae4136f7p-1, -0x1.89871e3a028b1p-1});
  expect_worst<sin_function>("sin", {0x1.897c06df4b18cp+8, 0x1.84240cb44c76dp-1});
  expect_worst<cos_function>("cos", {0x1.93536ba208687p-1, 0x1.0b6fe7909adb2p+9});
}

/// Those of all floats.
TEST(Elementary, WorstFloats) {
  expect_worst<log_function, float>("log", {0x1.7ea94cp-1f, 0x1.7befaep+0f});
  expect_worst<log2_function, float>("log2", {0x1.6705b2p+0f, 0x1.b49e2cp-1f});
  expect_worst<log1p_function, float>("log1p", {0x1.fd989cp-2f, 0x1.efdb5p-2f});
  expect_worst<atan_function, float>("atan", {0x1.013e6cp-3f, 0x1.f9428ap-1f, 0x1.02fe7cp+0f});
  expect_worst<asin_function, float>("asin", {0x1.101d6ap-1f, -0x1.0efd52p-1f});
  expect_worst<acos_function, float>("acos", {0x1.161ccep-1f, 0x1.14ded2p-1f});
  expect_worst<cbrt_function, float>("cbrt", {0x1.6f521ap-125f, 0x1.f5fa26p-110f});
  expect_worst<sin_function, float>("sin", {0x1.07280ap+12f, -0x1.2e44a8p+1f, 0x1.223462p+11f, 0x1.27f2a6p+16f});
  expect_worst<cos_function, float>("cos", {0x1.385e1ap+13f, 0x1.138cdap+13f, 0x1.4d990ep+11f, 0x1.9a48dep+15f});
  expect_worst<tan_function, float>("tan", {0x1.827978p+6f, 0x1.91c42ap-1f, 0x1.f65f1ep+1f, 0x1.31b116p+13f});
  expect_worst<exp_function, float>("exp", {-0x1.5ee07ap+6f, -0x1.7566bp+2f});
  expect_worst<exp2_function, float>("exp2", {-0x1.fa4a82p+6f});
  expect_worst<expm1_function, float>("expm1", {0x1.6a3674p-2f, 0x1.8b2c2ep-3f});
  expect_worst<sinh_function, float>("sinh", {0x1.642976p-2f, 0x1.fe5b4p+2f, 0x1.687a14p-2f});
  expect_worst<cosh_function, float>("cosh", {0x1.4d98dcp+2f});
  expect_worst<tanh_function, float>("tanh", {0x1.f603b6p-1f});
}

struct power {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return quern::math::pow(x, y);
  }
  template <class T>
  static T exact(T x, T y) {
    return std::pow(x, y);
  }
};
struct direction {
  template <class T>
  KOKKOS_FUNCTION T operator()(T y, T x) const {
    return quern::math::atan2(y, x);
  }
  template <class T>
  static T exact(T y, T x) {
    return std::atan2(y, x);
  }
};

/// All pairs of special numbers, and random ones.
template <class T, class F>
void expect_pairs_within_one_ulp(const F& f, double low, double high) {
  const std::vector<T> base = arguments<T>(0, 3);
  std::vector<T> x, y, special(base.begin(), base.begin() + 19);
  for (std::size_t i = 0; i < 19; ++i) special.push_back(-base[i]);
  special.push_back(base.back());
  for (const T a : special)
    for (const T b : special) x.push_back(a), y.push_back(b);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> within(low, high);
  for (const T a : base) x.push_back(a), y.push_back(static_cast<T>(within(random)));
  const auto v = mapped<T>(f, as_view(x), as_view(y));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(ulps<T>(v(i), F::exact(static_cast<long double>(x[i]), static_cast<long double>(y[i]))), max_ulps())
        << x[i] << ", " << y[i];
}

template <class F>
void expect_values_of_mpmath(const F& f, const std::string& name) {
  const std::vector<double> x = mpmath.values(name + "_x"), y = mpmath.values(name + "_y");
  const std::vector<double> errors = ulps_from_mpmath(name, [&](std::size_t i) { return f(x[i], y[i]); });
  ASSERT_EQ(x.size(), errors.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(errors[i], max_ulps()) << name << " at " << x[i] << ", " << y[i];
}

TEST(Elementary, FunctionsOfTwoAreWithinOneUlp) {
  expect_pairs_within_one_ulp<double>(power(), -1000, 1000);
  expect_pairs_within_one_ulp<float>(power(), -150, 150);
  expect_pairs_within_one_ulp<double>(direction(), -3, 3);
  expect_pairs_within_one_ulp<float>(direction(), -3, 3);
  expect_values_of_mpmath(power(), "pow");
  expect_values_of_mpmath(direction(), "atan2");
}

/// The first two pairs of pow were once more than 1 unit off.
TEST(Elementary, WorstPairsOfASearch) {
  const auto error = [](auto f, auto x, auto y) {
    return ulps(f(x, y), f.exact(static_cast<long double>(x), static_cast<long double>(y)));
  };
  EXPECT_LE(error(power(), 0x1.642fd994f05f9p+0, -0x1.b37f41d8bed96p+10), max_ulps());
  EXPECT_LE(error(power(), 0x1.65174717d2b1fp+0, 0x1.88824530f3a12p+10), max_ulps());
  EXPECT_LE(error(power(), 0x1.53002f5367a8cp+1, -0x1.6bf76a303fdc2p+9), max_ulps());
  EXPECT_LE(error(power(), 0x1.f418e369b8a3cp-1, 0x1.d2faaf00f5b3cp+14), max_ulps());
  EXPECT_LE(error(power(), 0x1.f423c46953fafp-1, -0x1.d47fae613a62ap+14), max_ulps());
  EXPECT_LE(error(power(), 0x1.f42edaa202db7p-1, -0x1.d56110033f7fdp+14), max_ulps());
  EXPECT_LE(error(power(), 0x1.f414bec3a5e49p-1, 0x1.c4ef2e85d4409p+14), max_ulps());
  EXPECT_LE(error(power(), 0x1.ffffb63d96cd7p-1, 0x1.33866a7abd0c8p+28), max_ulps());
  EXPECT_LE(error(direction(), 0x1.fffffa1f6737bp-1, 0x1.f8ba145d3bea4p-1), max_ulps());
  EXPECT_LE(error(power(), 0x1.daf868p-1f, 0x1.1ecfaap+10f), max_ulps());
  EXPECT_LE(error(power(), 0x1.055dcep+0f, -0x1.0630d2p+12f), max_ulps());
  EXPECT_LE(error(power(), 0x1.077926p+0f, -0x1.58ad8cp+11f), max_ulps());
  EXPECT_LE(error(power(), 0x1.fffff4p-1f, 0x1.aacda6p+27f), max_ulps());
  EXPECT_LE(error(direction(), 0x1.29b606p+1f, 0x1.2ad70cp+1f), max_ulps());
}

/// Points at one angle, up to the least and the largest numbers.
template <class T>
void expect_directions_of_any_size() {
  using limits = std::numeric_limits<T>;
  std::vector<T> x, y;
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent - 2; e += 3)
    for (const T side : {T(4), T(-4)}) {
      x.insert(x.end(), {std::ldexp(side, e), std::ldexp(T(3), e), std::ldexp(side, e), side});
      y.insert(y.end(), {std::ldexp(T(3), e), std::ldexp(side, e), T(3), std::ldexp(T(3), e)});
    }
  const auto v = mapped<T>(direction(), as_view(y), as_view(x));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(ulps<T>(v(i), std::atan2(static_cast<long double>(y[i]), static_cast<long double>(x[i]))), max_ulps())
        << y[i] << ", " << x[i];
}
TEST(Elementary, DirectionsOfPointsOfAnySize) {
  expect_directions_of_any_size<double>();
  expect_directions_of_any_size<float>();
}

TEST(Elementary, IntegersAreOfDouble) {
  static_assert(std::is_same_v<double, decltype(quern::math::exp(2))>);
  static_assert(std::is_same_v<float, decltype(quern::math::tanh(2.0f))>);
  static_assert(std::is_same_v<double, decltype(quern::math::pow(2.0f, 2))>);
  static_assert(std::is_same_v<float, decltype(quern::math::pow(2.0f, 2.0f))>);
  EXPECT_EQ(8, quern::math::exp2(3));
  EXPECT_EQ(9, quern::math::pow(3, 2));
}

struct one_sided {
  KOKKOS_FUNCTION double operator()(double x) const { return 1.05 * (x > 0 ? x : 1.67 * quern::math::exp(x) - 1.67); }
};
struct branch_free {
  KOKKOS_FUNCTION double operator()(double x) const {
    return 1.05 * (Kokkos::max(x, 0.0) + 1.67 * quern::math::expm1(Kokkos::min(x, 0.0)));
  }
};

TEST(Elementary, ConditionsLazyOperandsAndReductions) {
  std::vector<double> values = arguments<double>(-5, 5);
  values.resize(5000);
  const auto x = as_view(values);
  const auto selu = mapped<double>(one_sided(), x), same = mapped<double>(branch_free(), x);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (selu(i) != same(i)) {  // infinities are the same
      EXPECT_NEAR(selu(i), same(i), max_ulps() * 1e-15 * (1 + std::fabs(same(i))));
    }
    sum += std::tanh(values[i]);
  }
  EXPECT_NEAR(sum, quern::sum(exec(), quern::lazy(tanh_function(), x)), 1e-10);
}

}  // namespace
