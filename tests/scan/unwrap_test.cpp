// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Angles without their jumps, against NumPy's.

#include <cmath>
#include <limits>
#include <quern/map.hpp>
#include <quern/scan.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("scan/data/unwrap.npz");

template <class T>
void expect_angles(const std::vector<double>& expected, const std::vector<T>& found) {
  ASSERT_EQ(expected.size(), found.size());
  // A multiple of the period for each step, of angles up to 100.
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(expected[i], found[i], 40 * 100 * std::numeric_limits<T>::epsilon()) << i;
}

template <class Case>
struct Unwrap : testing::Test {
  using T = typename Case::value;
  static auto phase() {
    const auto values = numpy.values("phase");
    return test::make_array<T, 2, typename Case::layout, typename Case::exec>(
        {5, 40}, std::vector<T>(values.begin(), values.end()));
  }
};
using unwrap_cases = test::covering<double, float>;
TYPED_TEST_SUITE(Unwrap, unwrap_cases);

TYPED_TEST(Unwrap, IsNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->phase(), out = this->phase();
  quern::unwrap(exec, out, x);
  expect_angles(numpy.values("unwrapped_1"), test::contents(out));
  quern::unwrap(out, x, quern::axis{0});
  expect_angles(numpy.values("unwrapped_0"), test::contents(out));
  quern::unwrap(exec, out, x, quern::discontinuity{4.5});
  expect_angles(numpy.values("discontinuity"), test::contents(out));
}

template <class Exec>
struct UnwrapOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(UnwrapOn, test::all_spaces);

// Steps of half a period among them, which keep their direction.
TYPED_TEST(UnwrapOn, OfDegreesIsExact) {
  const TypeParam exec;
  const auto degrees = numpy.values("degrees");
  const auto out = this->row(std::vector<double>(degrees.size()));
  quern::unwrap(exec, out, this->row(degrees), quern::period{360});
  EXPECT_EQ(numpy.values("of_degrees"), test::contents(out));
  const auto whole = this->row(std::vector<int>(degrees.begin(), degrees.end()));
  quern::unwrap(exec, out, whole, quern::period{360});
  EXPECT_EQ(numpy.values("of_degrees"), test::contents(out));
  quern::unwrap(exec, out, quern::flip(quern::flip(whole)), quern::period{360}, quern::axis{-1});
  EXPECT_EQ(numpy.values("of_degrees"), test::contents(out));
}

// A wider output, which NumPy does not have; narrower ones do not compile.
TYPED_TEST(UnwrapOn, OfNarrowNumbersInAWideOutput) {
  const std::vector<float> turns{0.25f, 0.75f, 0.5f, 0.125f, 0.75f};
  const auto out = this->row(std::vector<double>(5));
  quern::unwrap(TypeParam(), out, this->row(turns), quern::period{1});
  EXPECT_EQ((std::vector<double>{0.25, 0.75, 0.5, 0.125, -0.25}), test::contents(out));
}

TYPED_TEST(UnwrapOn, OfNaNAndOfFew) {
  const TypeParam exec;
  const auto out = this->row(std::vector<double>(6));
  quern::unwrap(exec, out, this->row(numpy.values("special")));
  const auto expected = numpy.values("of_special"), found = test::contents(out);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) EXPECT_TRUE(std::isnan(found[i])) << i;
    else EXPECT_EQ(expected[i], found[i]) << i;
  }
  // An infinity stays, and there is no step from it.
  const auto infinity = std::numeric_limits<double>::infinity();
  const auto four = this->row(std::vector<double>(4));
  for (const double second : {1.0, infinity}) {
    quern::unwrap(exec, four, this->row(std::vector<double>{-infinity, second, 2, 3}));
    const auto behind = test::contents(four);
    EXPECT_EQ(-infinity, behind[0]);
    for (int i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(behind[i])) << i;
  }
  const auto one = this->row(std::vector<double>{9}), none = this->row(std::vector<double>());
  const auto of_one = this->row(std::vector<double>(1));
  quern::unwrap(exec, of_one, one);
  EXPECT_EQ(std::vector<double>{9}, test::contents(of_one));
  quern::unwrap(exec, none, this->row(std::vector<double>()));
}

TYPED_TEST(UnwrapOn, RejectsWhatDoesNotFit) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{7, 7, 7});
  test::expect_error("quern::unwrap: a period of 0", [&] { quern::unwrap(exec, out, x, quern::period{0}); });
  test::expect_error("quern::unwrap: out has extents (3), expected (2)",
                     [&] { quern::unwrap(exec, out, Kokkos::subview(x, std::pair(0, 2))); });
  test::expect_error("quern::unwrap: axis 1 is out of range, expected one of an array of rank 1",
                     [&] { quern::unwrap(exec, out, x, quern::axis{1}); });
  EXPECT_THROW(quern::unwrap(exec, x, x), quern::Error);
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(out));
}

}  // namespace
