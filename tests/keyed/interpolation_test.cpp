// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/keyed.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("keyed/data/interp.npz");

template <class Case>
struct Interp : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  static auto line(const std::vector<double>& v) {
    std::vector<T> values;
    for (const double x : v) values.push_back(static_cast<T>(x));
    return test::make_array<T, 1, typename Case::layout, E>({static_cast<std::int64_t>(v.size())}, values);
  }
  static void expect(const std::vector<double>& expected, const Kokkos::View<double*, E>& found) {
    const auto values = test::contents(found);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] != expected[i]) EXPECT_NE(values[i], values[i]) << i;
      else if (std::isinf(expected[i])) EXPECT_EQ(expected[i], values[i]) << i;
      else EXPECT_NEAR(expected[i], values[i], 4e-15 * (1 + std::fabs(expected[i]))) << i;
    }
  }
};
using cases = test::covering<double, float, int>;  // of numbers that all of them hold
TYPED_TEST_SUITE(Interp, cases);

TYPED_TEST(Interp, IsNumPys) {
  using E = typename TypeParam::exec;
  const E exec{};
  for (const std::string name : {"many", "equal", "one", "two"}) {
    const auto points = this->line(numpy.values(name + "_points")), values = this->line(numpy.values(name + "_values"));
    const auto x = this->line(numpy.values("x"));
    const Kokkos::View<double*, E> out("out", x.extent(0));
    quern::interp(exec, out, x, points, values);
    this->expect(numpy.values(name), out);
    quern::interp(out, x, points, values, quern::outside_points{.left = -1, .right = 7.5}, quern::checked);
    this->expect(numpy.values(name + "_outside"), out);
  }
}

TYPED_TEST(Interp, RepeatsAsNumPys) {
  using E = typename TypeParam::exec;
  for (const std::string name : {"degrees", "short", "alone"}) {
    const auto points = this->line(numpy.values(name + "_points")), values = this->line(numpy.values(name + "_values"));
    const auto x = this->line(numpy.values("x"));
    const Kokkos::View<double*, E> out("out", x.extent(0));
    quern::interp(E(), out, x, points, values, quern::period{numpy.values(name + "_period")[0]});
    this->expect(numpy.values(name), out);
  }
}

template <class Exec>
struct InterpOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(InterpOn, test::all_spaces);

TYPED_TEST(InterpOn, GoesThroughInfinitiesAsNumPy) {
  const TypeParam exec;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto points = this->row(numpy.values("infinite_points")), values = this->row(numpy.values("infinite_values"));
  auto at = numpy.values("infinite_x");
  const auto x = this->row(at), out = this->row(std::vector<double>(at.size()));
  quern::interp(exec, out, x, points, values);
  const auto expected = numpy.values("infinite"), found = test::contents(out);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != expected[i]) EXPECT_NE(found[i], found[i]) << at[i];
    else EXPECT_EQ(expected[i], found[i]) << at[i];
  }
  quern::interp(exec, out, nan, points, values);
  for (const double y : test::contents(out)) EXPECT_NE(y, y);
}

TYPED_TEST(InterpOn, OfComplexValuesAndBroadcastPositions) {
  using complex = Kokkos::complex<double>;
  const auto points = this->row(std::vector<double>{0, 2, 3});
  const auto values = this->row(std::vector<complex>{{0, 4}, {2, 0}, {5, -1}});
  const Kokkos::View<complex**, Kokkos::LayoutLeft, TypeParam> out("out", 2, 3);
  quern::interp(TypeParam(), out, this->row(std::vector<float>{-1, 1, 2.5F}), points, values);
  const std::vector<complex> once{{0, 4}, {1, 2}, {3.5, -0.5}};
  std::vector<complex> expected = once;
  expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(expected, test::contents(out));
}

TYPED_TEST(InterpOn, RepeatsWithComplexValues) {
  using complex = Kokkos::complex<double>;
  const auto real = numpy.values("fine_values"), imaginary = numpy.values("fine_imaginary"),
             at = numpy.values("fine_x");
  std::vector<complex> values;
  for (std::size_t i = 0; i < real.size(); ++i) values.emplace_back(real[i], imaginary[i]);
  const auto out = this->row(std::vector<complex>(at.size()));
  quern::interp(out, this->row(at), this->row(numpy.values("fine_points")), this->row(values), quern::period{2.5});
  const auto x = numpy.values("fine"), y = numpy.values("fine_of_imaginary");
  const auto found = test::contents(out);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (x[i] != x[i]) EXPECT_NE(found[i], found[i]) << at[i];
    else EXPECT_LE(Kokkos::abs(found[i] - complex(x[i], y[i])), 1e-14) << at[i];
  }
}

// In the order in which they are given: the last one is the point, and lines come to the first.
TYPED_TEST(InterpOn, PointsThatAreEqualWithinAPeriod) {
  const auto points = this->row(std::vector<int>{11, 5, 1, -9});
  const auto values = this->row(std::vector<float>{1, 8, 2, 4});
  const auto x = this->row(std::vector<double>{1, 3, 0, 41, -2});
  const auto out = this->row(std::vector<double>(5));
  quern::interp(TypeParam(), out, x, points, values, quern::period{-10});
  const std::vector<double> expected{4, 6, 1 + 7.0 / 6, 4, 4.5};
  const auto found = test::contents(out);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-14) << i;
}

TYPED_TEST(InterpOn, RejectsPeriodsThatAreNone) {
  const auto points = this->row(std::vector<double>{0, 1}), out = this->row(std::vector<double>(3, 9));
  const auto attempt = [&](double length) {
    quern::interp(TypeParam(), out, 0.5, points, points, quern::period{length});
  };
  test::expect_error("quern::interp: a period of 0", [&] { attempt(0); });
  EXPECT_THROW(attempt(std::numeric_limits<double>::infinity()), quern::Error);
  EXPECT_THROW(attempt(std::numeric_limits<double>::quiet_NaN()), quern::Error);
  EXPECT_EQ(std::vector<double>(3, 9), test::contents(out));
}

TYPED_TEST(InterpOn, RejectsWhatDoesNotFit) {
  const TypeParam exec;
  const auto up = this->row(std::vector<double>{0, 1, 2}), down = this->row(std::vector<double>{0, 2, 1}),
             none = this->row(std::vector<double>()), two = this->row(std::vector<double>{1, 2});
  const auto out = this->row(std::vector<double>(3, 9));
  test::expect_error("quern::interp: values has extents (2), expected (3)",
                     [&] { quern::interp(exec, out, 0.5, up, two); });
  EXPECT_THROW(quern::interp(exec, out, 0.5, none, none), quern::Error);
  EXPECT_THROW(quern::interp(exec, out, 0.5, up, out), quern::Error);
  EXPECT_THROW(quern::interp(exec, out, 0.5, down, up, quern::checked), quern::UnsortedError);
  EXPECT_EQ(std::vector<double>(3, 9), test::contents(out));
  quern::interp(exec, out, out, up, up);  // in place
  EXPECT_EQ(std::vector<double>(3, 2), test::contents(out));
  quern::interp(exec, out, 0.5, down, up);  // means nothing, and reads nothing outside
}

}  // namespace
