// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <quern/keyed.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::outside_points, quern::spline_ends;

const test::reference_archive scipy("keyed/data/splines.npz");

template <class Case>
struct Splines : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  static auto line(const std::vector<double>& v) {
    return test::make_array<T, 1, typename Case::layout, E>({static_cast<std::int64_t>(v.size())},
                                                            std::vector<T>(v.begin(), v.end()));
  }
  static void check(const std::string& name, const std::string& how, spline_ends ends, double relative) {
    const auto x = line(scipy.values(name + "/x"));
    const Kokkos::View<double*, E> out("out", x.extent(0));
    quern::cubic_spline(E(), out, x, line(scipy.values(name + "/points")), line(scipy.values(name + "/values")), ends);
    const auto expected = scipy.values(name + "/" + how), found = test::contents(out);
    double largest = 0;
    for (const double v : expected) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(expected[i], found[i], relative * largest) << name << ' ' << how << ' ' << i;
  }
};
using cases = test::covering<double, float, double>;  // of numbers that both hold
TYPED_TEST_SUITE(Splines, cases);

TYPED_TEST(Splines, AreSciPys) {
  for (const std::string name : {"few", "two", "three", "four", "long", "grid", "uneven"}) {
    const double relative = name == "uneven" ? 1e-11 : 2e-14;  // whose intervals differ by factors of 4096
    this->check(name, "not-a-knot", spline_ends::not_a_knot, relative);
    this->check(name, "natural", spline_ends::natural, relative);
    this->check(name, "clamped", spline_ends::clamped, relative);
    this->check(name, "periodic", spline_ends::periodic, relative);
  }
}

// Units of length change no bit, up to those whose squares overflow or vanish.
TYPED_TEST(Splines, OfPointsInAnyUnitAreTheSame) {
  using E = typename TestFixture::E;
  if constexpr (std::is_same_v<typename TestFixture::T, double>) {
    const auto scaled = [](const std::string& name, double unit) {
      auto v = scipy.values(name);
      for (double& x : v) x *= unit;
      return TestFixture::line(v);
    };
    for (const std::string name : {"few", "two", "three", "four", "long", "uneven"}) {
      const auto values = this->line(scipy.values(name + "/values"));
      const Kokkos::View<double*, E> out("out", scipy.extents(name + "/x")[0]);
      for (const auto ends :
           {spline_ends::not_a_knot, spline_ends::natural, spline_ends::clamped, spline_ends::periodic}) {
        const auto found = [&](double unit) {
          quern::cubic_spline(out, scaled(name + "/x", unit), scaled(name + "/points", unit), values, ends);
          return test::contents(out);
        };
        const auto expected = found(1);
        for (const double unit : {0x1p515, 0x1p-548, 0x1p980, 0x1p-980})
          EXPECT_EQ(expected, found(unit)) << name << unit;
      }
    }
  }
}

template <class Exec>
struct SplinesOn : testing::Test {
  static auto row(const std::vector<double>& v) {
    return test::make_array<double, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(SplinesOn, test::all_spaces);

TYPED_TEST(SplinesOn, HaveValuesOutside) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto points = this->row({0, 1, 2, 4}), values = this->row({0, 1, 8, 64});  // a cubic polynomial
  const Kokkos::View<double*, TypeParam> out("out", 5);
  const auto x = this->row({-1, 0.5, 3, 5, nan});
  quern::cubic_spline(out, x, points, values, quern::checked);
  auto found = test::contents(out);
  const double cubes[] = {-1, 0.125, 27, 125};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(cubes[i], found[i], 1e-13);
  EXPECT_NE(found[4], found[4]);
  quern::cubic_spline(TypeParam(), out, x, points, values, outside_points{.left = -7});
  found = test::contents(out);
  EXPECT_EQ(-7, found[0]);
  EXPECT_NEAR(125, found[3], 1e-13);
  quern::cubic_spline(TypeParam(), out, x, points, values, outside_points{.right = 9}, spline_ends::natural);
  EXPECT_EQ(9, test::contents(out)[3]);
}

TYPED_TEST(SplinesOn, RefuseWhatDoesNotFit) {
  const auto one = this->row({1}), three = this->row({1, 2, 3}), mixed = this->row({1, 3, 2});
  test::expect_error("quern::cubic_spline: points has extents (1), expected rank 1 and at least two elements",
                     [&] { quern::cubic_spline(three, three, one, one); });
  test::expect_error("quern::cubic_spline: values has extents (1), expected (3)",
                     [&] { quern::cubic_spline(one, one, three, one); });
  test::expect_error("quern::cubic_spline: out and points share memory",
                     [&] { quern::cubic_spline(three, this->row({1, 2, 3}), three, this->row({1, 2, 3})); });
  try {
    quern::cubic_spline(this->row({1}), one, mixed, three, quern::checked);
    FAIL() << "no error";
  } catch (const quern::UnsortedError& e) {
    EXPECT_STREQ("quern::cubic_spline: the points do not increase at position 1", e.what());
  }
}

}  // namespace
