// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of arrays of more axes than stencils have, against NumPy's.

#include <cmath>
#include <limits>
#include <quern/stencil.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("stencil/data/gradient.npz");

template <class Case>
struct GradientOfRanks : testing::Test {
  using T = typename Case::value;
  using L = typename Case::layout;
  using E = typename Case::exec;
  template <int Rank>
  static auto array(const std::string& name) {
    const auto values = numpy.values(name);
    return test::make_array<T, Rank, L, E>(numpy.extents_of_rank<Rank>(name),
                                           std::vector<T>(values.begin(), values.end()));
  }
  static auto points(const std::string& name) {
    return test::make_array<double, 1, L, E>({numpy.extents(name)[0]}, numpy.values(name));
  }
  /// Sums of three products, of weights up to 50 and values up to 4.
  template <class Found>
  static void expect(const std::string& name, const Found& found) {
    const auto expected = numpy.values(name);
    const auto values = test::contents(found);
    ASSERT_EQ(expected.size(), values.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(expected[i], static_cast<double>(values[i]), 800 * std::numeric_limits<T>::epsilon())
          << name << " " << i;
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(GradientOfRanks, cases);

TYPED_TEST(GradientOfRanks, OfFourAxes) {
  const typename TypeParam::exec exec;
  const auto u = this->template array<4>("u4"), g0 = this->template array<4>("u4"), g1 = this->template array<4>("u4"),
             g2 = this->template array<4>("u4"), g3 = this->template array<4>("u4");
  quern::gradient(exec, quern::outputs(g0, g1, g2, g3), u, {0.5, 1.5, 2.5, 3.5});
  this->expect("even4_1_0", g0);
  this->expect("even4_1_1", g1);
  this->expect("even4_1_2", g2);
  this->expect("even4_1_3", g3);
  quern::gradient(exec, quern::outputs(g3, g0), u, 0.7, quern::axes{-1, 0}, quern::edge_order<2>);
  this->expect("even4_2_0", g0);
  this->expect("even4_2_3", g3);
  const auto grid = quern::components(this->points("points4_0"), this->points("points4_3"));
  quern::gradient(quern::outputs(g0, g3), u, grid, quern::axes{0, 3}, quern::edge_order<2>);
  this->expect("uneven4_2_0", g0);
  this->expect("uneven4_2_3", g3);
  quern::gradient(exec, g1, u, this->points("points4_1"), quern::axis{1});
  this->expect("uneven4_1_1", g1);
}

template <class Exec>
struct GradientOfRanksOn : testing::Test {
  using array4 = Kokkos::View<double****, Kokkos::LayoutRight, Exec>;
};
TYPED_TEST_SUITE(GradientOfRanksOn, test::all_spaces);

TYPED_TEST(GradientOfRanksOn, OfFiveAxes) {
  const TypeParam exec;
  const auto array = [](const std::string& name) {
    return test::make_array<double, 5, Kokkos::LayoutRight, TypeParam>(numpy.extents_of_rank<5>(name),
                                                                       numpy.values(name));
  };
  const auto row = [](const std::string& name) {
    return test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({numpy.extents(name)[0]}, numpy.values(name));
  };
  const auto u = array("u5"), a = array("u5"), b = array("u5"), c = array("u5"), d = array("u5"), e = array("u5");
  const auto is = [](const std::string& name, const auto& found) {
    const auto expected = numpy.values(name), values = test::contents(found);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], values[i], 2e-13) << name << " " << i;
  };
  quern::gradient(exec, quern::outputs(a, b, c, d, e), u, {0.5, 1.5, 2.5, 3.5, 4.5});
  is("even5_1_0", a);
  is("even5_1_1", b);
  is("even5_1_2", c);
  is("even5_1_3", d);
  is("even5_1_4", e);
  quern::gradient(exec, quern::outputs(a, d), u, 0.7, quern::axes{0, 3}, quern::edge_order<2>);
  is("even5_2_0", a);
  is("even5_2_3", d);
  const auto grid = quern::components(row("points5_3"), row("points5_0"));
  quern::gradient(exec, quern::outputs(d, a), u, grid, quern::axes{3, 0}, quern::edge_order<2>);
  is("uneven5_2_0", a);
  is("uneven5_2_3", d);
  quern::gradient(exec, b, u, row("points5_1"), quern::axis{1});  // two cells
  is("uneven5_1_1", b);
}

TYPED_TEST(GradientOfRanksOn, OfIntegersAndWhatIsReIndexed) {
  using E = TypeParam;
  std::vector<std::int32_t> values;
  std::vector<double> expected;
  for (int k = 0; k < 8; ++k) {
    values.insert(values.end(), {1, 4, 9});
    expected.insert(expected.end(), {-10, -8, -6});
  }
  const auto u = test::make_array<std::int32_t, 4, Kokkos::LayoutLeft, E>({2, 2, 2, 3}, values);
  const typename TestFixture::array4 g("g", 2, 2, 2, 3);
  quern::gradient(g, quern::flip(u, quern::axis{3}), 0.5, quern::axis{3});
  EXPECT_EQ(expected, test::contents(g));
}

TYPED_TEST(GradientOfRanksOn, NaNBesideEqualDistances) {
  using E = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto u = test::make_array<double, 4, Kokkos::LayoutRight, E>({1, 1, 4, 1}, {1, nan, 5, 8});
  const auto g = test::make_array<double, 4, Kokkos::LayoutRight, E>({1, 1, 4, 1}, {0, 0, 0, 0});
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, E>({4}, {0, 1, 2, 3});
  quern::gradient(g, u, x, quern::axis{2});
  const auto found = test::contents(g);
  EXPECT_NE(found[0], found[0]);
  EXPECT_EQ(2, found[1]);
  EXPECT_NE(found[2], found[2]);
  EXPECT_EQ(3, found[3]);
}

TYPED_TEST(GradientOfRanksOn, RejectsWhatDoesNotFitBeforeItWrites) {
  using array4 = typename TestFixture::array4;
  const array4 u("u", 3, 3, 2, 3), g("g", 3, 3, 2, 3), h("h", 3, 3, 2, 3), other("other", 3, 3, 3, 3);
  Kokkos::deep_copy(g, 9);
  const TypeParam exec;
  const auto fails = [&](const std::string& problem, const auto& call) {
    test::expect_error("quern::gradient: " + problem, call);
  };
  fails("in has extents (3, 3, 2, 3), expected those of out, (3, 3, 3, 3)",
        [&] { quern::gradient(exec, other, u, 1.0, quern::axis{0}); });
  fails("out and in share memory", [&] { quern::gradient(exec, quern::outputs(g, u), u, 1.0, quern::axes{0, 1}); });
  EXPECT_THROW(quern::gradient(exec, quern::outputs(g, g), u, 1.0, quern::axes{0, 1}), quern::Error);
  fails("the spacing along axis 3 is zero or not finite",
        [&] { quern::gradient(exec, quern::outputs(g, h), u, {1.0, 0.0}, quern::axes{0, 3}); });
  fails("in has extents (3, 3, 2, 3), expected at least 3 along axis 2",
        [&] { quern::gradient(exec, quern::outputs(g, h), u, 1.0, quern::axes{0, 2}, quern::edge_order<2>); });
  const Kokkos::View<double*, TypeParam> three("three", 3);
  fails("points along axis 2 has extents (3), expected (2)",
        [&] { quern::gradient(exec, quern::outputs(g, h), u, quern::components(three, three), quern::axes{0, 2}); });
  EXPECT_EQ(std::vector<double>(54, 9.0), test::contents(g));
}

}  // namespace
