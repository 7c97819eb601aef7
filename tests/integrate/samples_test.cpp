// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integrals of sampled data: SciPy's results, and polynomials that the rules integrate exactly.

#include <limits>
#include <quern/integrate.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Samples : testing::Test {};
using cases = test::full_product<double>;
TYPED_TEST_SUITE(Samples, cases);

void expect_near(const std::vector<double>& expected, const std::vector<double>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-12) << what << ' ' << i;
}

TYPED_TEST(Samples, AgreeWithSciPy) {
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const test::reference_archive scipy("integrate/data/scipy.npz");
  const std::array<std::int64_t, 3> n{3, 5, 7};
  for (int axis = 0; axis < 3; ++axis) {
    const auto values = [&](const std::string& name) { return scipy.values(std::to_string(axis) + "/" + name); };
    const std::array<std::int64_t, 2> rest{axis == 0 ? 5 : 3, axis == 2 ? 5 : 7};
    const auto y = test::make_array<double, 3, L, E>(n, values("y"));
    const auto x = test::make_array<double, 1, L, E>({n[axis]}, values("x"));
    const auto out = test::make_array<double, 2, L, E>(rest);
    const auto cumulative = test::make_array<double, 3, L, E>(n);
    quern::trapezoid(E(), out, y, x, quern::axis(axis));
    expect_near(values("trapezoid"), test::contents(out), "trapezoid");
    quern::simpson(E(), out, y, x, quern::axis(axis - 3));
    expect_near(values("simpson"), test::contents(out), "simpson");
    quern::cumulative_trapezoid(E(), cumulative, y, x, quern::axis(axis));
    expect_near(values("cumulative"), test::contents(cumulative), "cumulative");
  }
}

template <class Exec>
struct SamplesOn : testing::Test {};
TYPED_TEST_SUITE(SamplesOn, test::all_spaces);

template <class T, class Exec, class F>
auto sampled(int n, double h, const F& f) {
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) v[i] = static_cast<T>(f(i * h));
  return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, v);
}

TYPED_TEST(SamplesOn, AreExactForPolynomials) {
  const TypeParam exec;
  const double h = 0.25;
  for (const int n : {1, 2, 3, 4, 5, 8, 101, 1000}) {
    const double end = h * (n - 1);
    const auto line = sampled<double, TypeParam>(n, h, [](double x) { return 1 + 2 * x; });
    EXPECT_NEAR(end + end * end, quern::trapezoid(exec, line, h), 1e-12 * (1 + end * end)) << n;
    EXPECT_NEAR(end + end * end, quern::simpson(exec, line, h), 1e-12 * (1 + end * end)) << n;
    if (n > 2) {
      const auto parabola = sampled<double, TypeParam>(n, h, [](double x) { return x * x; });
      EXPECT_NEAR(end * end * end / 3, quern::simpson(exec, parabola, h), 1e-12 * end * end * end) << n;
    }
    if (n % 2 == 1) {
      const auto cubic = sampled<double, TypeParam>(n, h, [](double x) { return x * x * x; });
      EXPECT_NEAR(end * end * end * end / 4, quern::simpson(exec, cubic, h), 1e-12 * end * end * end * end) << n;
    }
  }
  // Falling, uneven abscissae, an even number of them.
  const std::vector<double> at = {4, 3.5, 2, 1.75, 1, 0};
  std::vector<double> squares;
  for (const double x : at) squares.push_back(x * x);
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({6}, at);
  const auto y = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({6}, squares);
  EXPECT_NEAR(-64.0 / 3, quern::simpson(exec, y, x), 1e-12);
}

TYPED_TEST(SamplesOn, OtherTypesAndLongArrays) {
  const TypeParam exec;
  const int n = 1'000'003;
  const auto whole = sampled<int, TypeParam>(n, 1, [](double x) { return static_cast<int>(x) % 7; });
  double expected = 0;
  for (int i = 0; i + 1 < n; ++i) expected += (i % 7 + (i + 1) % 7) / 2.0;
  EXPECT_EQ(expected / 4, quern::trapezoid(exec, whole, 0.25));
  const auto cumulative = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n});
  quern::cumulative_trapezoid(exec, cumulative, whole, 0.25, quern::axis(0));
  EXPECT_EQ(expected / 4, test::contents(cumulative)[n - 1]);
  const auto single = sampled<float, TypeParam>(n, 1e-6, [](double x) { return x; });
  static_assert(std::is_same_v<float, decltype(quern::trapezoid(exec, single, 1e-6))>);
  EXPECT_NEAR(0.5f, quern::trapezoid(exec, single, 1e-6), 1e-5f);
}

// Abscissae are subtracted before they are rounded to the values' type.
TYPED_TEST(SamplesOn, AbscissaeWithMoreDigitsThanTheValues) {
  using E = TypeParam;
  const auto y = test::make_array<float, 1, Kokkos::LayoutRight, E>({3}, {1, 1, 1});
  const std::int64_t second = 1'700'000'000;
  const auto seconds = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, E>({3}, {second, second + 1, second + 2});
  EXPECT_EQ(2, quern::trapezoid(E(), y, seconds));
  EXPECT_EQ(2, quern::simpson(E(), y, seconds));
  const auto exact = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, {0x1p24, 0x1p24 + 1, 0x1p24 + 2});
  EXPECT_EQ(2, quern::trapezoid(E(), y, exact));
  const auto falling = test::make_array<std::uint64_t, 1, Kokkos::LayoutRight, E>({3}, {7, 5, 4});
  EXPECT_EQ(-3, quern::trapezoid(E(), y, falling));
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), largest = std::numeric_limits<std::int64_t>::max();
  const auto far = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, E>({3}, {least, largest, least});
  const auto twice = test::make_array<float, 1, Kokkos::LayoutRight, E>({3}, {1, 1, 3});
  EXPECT_EQ(-0x1p64f, quern::trapezoid(E(), twice, far));
}

TEST(SamplesDefault, RunOnTheDefaultSpace) {
  using E = Kokkos::DefaultExecutionSpace;
  const auto y = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 3}, {1, 2, 4, 0, 3, 5});
  const auto row = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, {1, 2, 4});
  const auto out = test::make_array<double, 1, Kokkos::LayoutRight, E>({2});
  const auto all = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 3});
  quern::trapezoid(out, y, 2, quern::axis(1));
  EXPECT_EQ((std::vector<double>{9, 11}), test::contents(out));
  quern::simpson(out, y, 3, quern::axis(1));
  EXPECT_EQ((std::vector<double>{13, 17}), test::contents(out));
  quern::cumulative_trapezoid(all, y, 2, quern::axis(1));
  EXPECT_EQ((std::vector<double>{0, 3, 9, 0, 3, 11}), test::contents(all));
  EXPECT_EQ(9, quern::trapezoid(row, 2));
  EXPECT_EQ(13, quern::simpson(row, 3));
}

TYPED_TEST(SamplesOn, ReportMisuse) {
  const TypeParam exec;
  using L = Kokkos::LayoutRight;
  const auto y = test::make_array<double, 2, L, TypeParam>({2, 3});
  const auto out = test::make_array<double, 1, L, TypeParam>({3});
  const auto x = test::make_array<double, 1, L, TypeParam>({4});
  const auto none = test::make_array<double, 1, L, TypeParam>({0});
  test::expect_error("quern::trapezoid: out has extents (3), expected (2)",
                     [&] { quern::trapezoid(exec, out, y, 1, quern::axis(1)); });
  test::expect_error("quern::simpson: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::simpson(exec, out, y, 1, quern::axis(2)); });
  test::expect_error("quern::trapezoid: x has extents (4), expected (2)",
                     [&] { quern::trapezoid(exec, out, y, x, quern::axis(0)); });
  test::expect_error("quern::trapezoid: in has extents (0), expected at least one sample",
                     [&] { quern::trapezoid(exec, none, 1.0); });
  test::expect_error("quern::trapezoid: in has extents (2, 3), expected rank 1, or an axis",
                     [&] { quern::trapezoid(exec, y, 1.0); });
  test::expect_error("quern::cumulative_trapezoid: out and in share memory",
                     [&] { quern::cumulative_trapezoid(exec, y, y, 1.0, quern::axis(0)); });
}

}  // namespace
