// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/map.hpp>
#include <random>
#include <support/testing.hpp>

namespace {

struct sine {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return quern::math::sin(x);
  }
};
struct sine_of_both {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return quern::math::sincos(x).sin;
  }
};
struct cosine_of_both {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return quern::math::sincos(x).cos;
  }
};
struct cosine {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return quern::math::cos(x);
  }
};

/// The distance in units of the last place of the exact value.
template <class T>
double ulps(T got, long double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  const long double unit =
      std::ldexp(1.0L, std::max(exponent - std::numeric_limits<T>::digits,
                                std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

/// Arguments over the whole reduced range: integers, random numbers of every magnitude, and neighbours of multiples of
/// pi/2.
template <class T>
std::vector<T> arguments() {
  std::vector<T> x;
  for (int i = 0; i < 20000; ++i) x.push_back(static_cast<T>(i * 499));
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> magnitude(-40, std::log2(4.9e7)), sign(-1, 1);
  for (int i = 0; i < 100000; ++i)
    x.push_back(static_cast<T>(std::copysign(std::exp2(magnitude(random)), sign(random))));
  for (int i = 1; i < 20000; ++i) {
    const T near = static_cast<T>(i * 1571 * 1.57079632679489661923);
    x.insert(x.end(), {near, std::nextafter(near, T(0)), std::nextafter(near, T(1e30)), -near});
  }
  return x;
}

template <class Case>
struct Math : testing::Test {};
using cases = test::covering<float, double>;
TYPED_TEST_SUITE(Math, cases);

/// The largest errors of a sine and a cosine.
template <class Case, class Sine, class Cosine>
double worst_ulps(const Sine& sine, const Cosine& cosine) {
  using T = typename Case::value;
  using E = typename Case::exec;
  const auto x = arguments<T>();
  const std::int64_t n = static_cast<std::int64_t>(x.size());
  const auto in = test::make_array<T, 1, typename Case::layout, E>({n}, x);
  const auto s = test::make_array<T, 1, typename Case::layout, E>({n});
  const auto c = test::make_array<T, 1, typename Case::layout, E>({n});
  quern::map(E(), s, sine, in);
  quern::map(E(), c, cosine, in);
  const auto sin = test::contents(s), cos = test::contents(c);
  double worst = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    worst = std::max(worst, ulps(sin[i], std::sin(static_cast<long double>(x[i]))));
    worst = std::max(worst, ulps(cos[i], std::cos(static_cast<long double>(x[i]))));
  }
  EXPECT_GT(worst, 0.4) << "a correctly rounded library would make this test meaningless";
  return worst;
}

TYPED_TEST(Math, SineAndCosineAreAsAccurateAsTheySay) {
  EXPECT_LT(worst_ulps<TypeParam>(sine_of_both(), cosine_of_both()), 2.0);
  EXPECT_LT(worst_ulps<TypeParam>(sine(), cosine()), 2.5);
}

TYPED_TEST(Math, LargeAndSpecialArgumentsGoToTheBackEnd) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const std::vector<T> x{T(0), T(1e9), T(-3e20), std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN()};
  const auto in = test::make_array<T, 1, Kokkos::LayoutRight, E>({5}, x);
  const auto s = test::make_array<T, 1, Kokkos::LayoutRight, E>({5});
  quern::map(E(), s, sine(), in);
  const auto sin = test::contents(s);
  EXPECT_EQ(T(0), sin[0]);
  EXPECT_LT(ulps(sin[1], std::sin(static_cast<long double>(x[1]))), 2.0);
  EXPECT_LT(ulps(sin[2], std::sin(static_cast<long double>(x[2]))), 2.0);
  EXPECT_TRUE(std::isnan(sin[3]));
  EXPECT_TRUE(std::isnan(sin[4]));
}

template <int Divisor>
struct floor_divided {
  KOKKOS_FUNCTION int operator()(int x) const { return quern::math::floor_divide<Divisor>(x); }
};

template <int Divisor, class Exec>
void expect_floors() {
  std::vector<int> x;
  for (int i = -3000; i <= 3000; ++i) x.push_back(i);
  for (std::int64_t k = -(std::int64_t{1} << 31); k < std::int64_t{1} << 31; k += 1'234'567) {
    const auto multiple = static_cast<int>(k / Divisor * Divisor);
    x.insert(x.end(), {static_cast<int>(k), multiple, multiple > 0 ? multiple - 1 : multiple + 1});
  }
  for (int i = 0; i < 2 * Divisor; ++i)
    x.insert(x.end(), {std::numeric_limits<int>::min() + i, std::numeric_limits<int>::max() - i});
  const auto n = static_cast<std::int64_t>(x.size());
  const auto in = test::make_array<int, 1, Kokkos::LayoutRight, Exec>({n}, x);
  const auto out = test::make_array<int, 1, Kokkos::LayoutRight, Exec>({n});
  quern::map(Exec(), out, floor_divided<Divisor>(), in);
  const auto found = test::contents(out);
  for (std::int64_t i = 0; i < n; ++i)
    ASSERT_EQ(x[i] / Divisor - (x[i] % Divisor < 0), found[i]) << x[i] << " // " << Divisor;
}

template <class Exec>
struct Integers : testing::Test {};
TYPED_TEST_SUITE(Integers, test::all_spaces);

TYPED_TEST(Integers, FloorDivision) {
  expect_floors<1, TypeParam>();
  expect_floors<2, TypeParam>();
  expect_floors<3, TypeParam>();
  expect_floors<5, TypeParam>();
  expect_floors<7, TypeParam>();  // has no such multiplier
  expect_floors<9, TypeParam>();
  expect_floors<25, TypeParam>();
  expect_floors<27, TypeParam>();
  expect_floors<641, TypeParam>();
  static_assert(quern::math::impl::reciprocal_of(9).exists && !quern::math::impl::reciprocal_of(7).exists);
}

template <class T, auto Divisor>
struct floor_divided_wide {
  KOKKOS_FUNCTION auto operator()(T x) const { return quern::math::floor_divide<Divisor>(x); }
};
/// Beside division in 128 bits.
template <class T, auto Divisor, class Exec>
void expect_wide_floors() {
  using result = decltype(quern::math::floor_divide<Divisor>(T(0)));
  static_assert(sizeof(result) >= sizeof(T));
  std::vector<T> x{std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), T(100)};
  if constexpr (std::is_signed_v<T>) x.insert(x.end(), {T(-1), T(-9), T(-10), T(-100)});
  if constexpr (sizeof(T) == 8) x.insert(x.end(), {T(9000000000), T(8999999999), T(-9000000001), T(-9000000000)});
  const auto n = static_cast<std::int64_t>(x.size());
  const auto in = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, x);
  const auto out = test::make_array<result, 1, Kokkos::LayoutRight, Exec>({n});
  quern::map(Exec(), out, floor_divided_wide<T, Divisor>(), in);
  const auto found = test::contents(out);
  for (std::int64_t i = 0; i < n; ++i) {
    const __int128 v = x[i], d = Divisor, floor = v / d - (v % d < 0);
    EXPECT_TRUE(floor == found[i]) << +x[i] << " // " << Divisor << ": " << found[i];
  }
}
TYPED_TEST(Integers, FloorDivisionOfEveryWidth) {
  expect_wide_floors<std::int64_t, 9, TypeParam>();
  expect_wide_floors<std::uint64_t, 9, TypeParam>();
  expect_wide_floors<std::int64_t, 9000000000, TypeParam>();
  expect_wide_floors<std::uint64_t, 9000000000, TypeParam>();
  expect_wide_floors<std::uint64_t, 0xffffffffffffffffu, TypeParam>();
  expect_wide_floors<std::int64_t, 0xffffffffffffffffu, TypeParam>();
  expect_wide_floors<std::uint32_t, 3, TypeParam>();
  expect_wide_floors<std::int32_t, 9000000000, TypeParam>();
  expect_wide_floors<std::uint32_t, 9000000000, TypeParam>();
  expect_wide_floors<std::int8_t, 9, TypeParam>();
  expect_wide_floors<std::int8_t, 300, TypeParam>();
  expect_wide_floors<std::uint8_t, 9, TypeParam>();
  expect_wide_floors<std::int16_t, 9, TypeParam>();
}
TEST(FloorDivision, OfNumbers) {
  using quern::math::floor_divide;
  EXPECT_EQ(1000000000, floor_divide<9>(std::int64_t{9000000000}));
  EXPECT_EQ(-1.0, floor_divide<9>(-0.5));
  EXPECT_EQ(-1.0, floor_divide<9>(-9.0));
  EXPECT_EQ(2.0f, floor_divide<3>(std::nextafter(9.0f, 0.0f)));
  EXPECT_EQ(3.0f, floor_divide<3>(9.0f));
  EXPECT_EQ(1e18, floor_divide<10>(1e19));
  static_assert(std::is_same_v<double, decltype(quern::math::sin(2))>);
  EXPECT_NEAR(std::sin(2.0), quern::math::sin(2), 1e-15);
  EXPECT_NEAR(std::cos(2.0), quern::math::cos(2), 1e-15);
}

}  // namespace
