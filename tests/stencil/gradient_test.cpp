// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of arrays that nothing continues, against NumPy's.

#include <cmath>
#include <quern/stencil.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("stencil/data/gradient.npz");

/// Sums of three products and quotients, of values up to `scale`.
template <class T>
void expect_close(const std::vector<double>& expected, const std::vector<T>& found, double scale,
                  const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(expected[i], static_cast<double>(found[i]), 8 * std::numeric_limits<T>::epsilon() * scale)
        << what << " " << i;
}

template <class Case>
struct Gradient : testing::Test {
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
  /// The largest weight times the largest value.
  static constexpr double scale = 100;
};
using gradient_cases = test::covering<double, float>;
TYPED_TEST_SUITE(Gradient, gradient_cases);

TYPED_TEST(Gradient, OfOneAxisIsNumPys) {
  const typename TypeParam::exec exec;
  const auto u = this->template array<1>("u1"), g = this->template array<1>("u1");
  const auto x = this->points("points1_0");
  quern::gradient(exec, g, u, 0.5);
  expect_close(numpy.values("even1_1_0"), test::contents(g), 10, "even");
  quern::gradient(g, u, 0.5, quern::edge_order<2>);
  expect_close(numpy.values("even1_2_0"), test::contents(g), 20, "even, of order 2");
  quern::gradient(exec, g, u, x);
  expect_close(numpy.values("uneven1_1_0"), test::contents(g), this->scale, "uneven");
  quern::gradient(g, u, x, quern::edge_order<2>);
  expect_close(numpy.values("uneven1_2_0"), test::contents(g), this->scale, "uneven, of order 2");
}

TYPED_TEST(Gradient, OfAllAxesIsNumPys) {
  const typename TypeParam::exec exec;
  const auto u = this->template array<3>("u3"), g0 = this->template array<3>("u3"), g1 = this->template array<3>("u3"),
             g2 = this->template array<3>("u3");
  const auto is = [&](const std::string& name) {
    expect_close(numpy.values(name + "_0"), test::contents(g0), this->scale, name);
    expect_close(numpy.values(name + "_1"), test::contents(g1), this->scale, name);
    expect_close(numpy.values(name + "_2"), test::contents(g2), this->scale, name);
  };
  quern::gradient(exec, quern::outputs(g0, g1, g2), u, {0.3, 2.0, 0.7});
  is("even3_1");
  quern::gradient(exec, quern::outputs(g0, g1, g2), u, {0.3, 2.0, 0.7}, quern::edge_order<2>);
  is("even3_2");
  const auto grid = quern::components(this->points("points3_0"), this->points("points3_1"), this->points("points3_2"));
  quern::gradient(exec, quern::outputs(g0, g1, g2), u, grid);
  is("uneven3_1");
}

TYPED_TEST(Gradient, OfChosenAxesInTheirOrder) {
  const typename TypeParam::exec exec;
  const auto u = this->template array<2>("u2"), g0 = this->template array<2>("u2"), g1 = this->template array<2>("u2");
  quern::gradient(exec, g1, u, 2.0, quern::axis{-1});
  expect_close(numpy.values("even2_1_1"), test::contents(g1), 10, "axis 1");
  quern::gradient(exec, g0, u, this->points("points2_0"), quern::edge_order<2>, quern::axis{0});
  expect_close(numpy.values("uneven2_2_0"), test::contents(g0), this->scale, "axis 0");
  quern::gradient(exec, quern::outputs(g1, g0), u, {2.0, 0.3}, quern::axes{1, 0});
  expect_close(numpy.values("even2_1_0"), test::contents(g0), 10, "axis 0, behind 1");
  expect_close(numpy.values("even2_1_1"), test::contents(g1), 10, "axis 1, before 0");
}

template <class Exec>
struct GradientOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(GradientOn, test::all_spaces);

TYPED_TEST(GradientOn, OfIntegersIsInDouble) {
  const auto integers = numpy.values<std::int32_t>("integers");
  const auto g = this->row(std::vector<double>(integers.size()));
  quern::gradient(TypeParam(), g, this->row(integers), 0.25);
  EXPECT_EQ(numpy.values("of_integers"), test::contents(g));
  const auto bytes = this->row(numpy.values<std::uint8_t>("unsigned"));
  const auto of_bytes = this->row(std::vector<double>(bytes.size()));
  quern::gradient(TypeParam(), of_bytes, bytes, 1, quern::edge_order<2>);
  EXPECT_EQ(numpy.values("of_unsigned"), test::contents(of_bytes));
}

TYPED_TEST(GradientOn, OfComplexNumbers) {
  using complex = Kokkos::complex<double>;
  const auto values = numpy.values<complex>("complex"), expected = numpy.values<complex>("of_complex");
  auto x = numpy.values("points1_0");
  x.resize(values.size());
  const auto g = this->row(std::vector<complex>(values.size()));
  quern::gradient(TypeParam(), g, this->row(values), this->row(x), quern::edge_order<2>);
  const auto found = test::contents(g);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(0, Kokkos::abs(found[i] - expected[i]), 2e-14) << i;
}

TYPED_TEST(GradientOn, OfNaNInfinityAndAsFewCellsAsMayBe) {
  const auto u = this->row(numpy.values("special")), g = this->row(std::vector<double>(8));
  const auto is_numpys = [&](const std::string& what) {
    const auto expected = numpy.values("of_special"), found = test::contents(g);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] != expected[i]) EXPECT_NE(found[i], found[i]) << what << i;
      else EXPECT_EQ(expected[i], found[i]) << what << i;
    }
  };
  quern::gradient(TypeParam(), g, u, 1.0);
  is_numpys("even ");
  quern::gradient(TypeParam(), g, u, this->row(std::vector<double>{-3, -2, -1, 0, 1, 2, 3, 4}));
  is_numpys("points in equal distances ");
  const auto two = this->row(std::vector<double>(2)), three = this->row(std::vector<double>(3));
  quern::gradient(TypeParam(), two, this->row(numpy.values("least")), 0.5);
  EXPECT_EQ(numpy.values("of_least"), test::contents(two));
  quern::gradient(TypeParam(), three, this->row(std::vector<double>{1, 4, 2}), this->row(std::vector<double>{0, 1, 3}),
                  quern::edge_order<2>);
  expect_close(numpy.values("of_least_points"), test::contents(three), 10, "three points");
}

TYPED_TEST(GradientOn, RejectsWhatDoesNotFitBeforeItWrites) {
  const auto u = this->row(std::vector<double>{1, 2, 3, 4}), g = this->row(std::vector<double>(4, 9.0));
  const auto two = this->row(std::vector<double>(2));
  const auto fails = [&](const std::string& problem, const auto& call) {
    test::expect_error("quern::gradient: " + problem, call);
  };
  fails("the spacing along axis 0 is zero or not finite", [&] { quern::gradient(TypeParam(), g, u, 0.0); });
  fails("the spacing along axis 0 is zero or not finite", [&] {
    const auto f = this->row(std::vector<float>{1, 2, 3, 4});
    quern::gradient(TypeParam(), g, f, 1e-60);  // in float it is 0
  });
  fails("2 parameters for 1 axes", [&] { quern::gradient(TypeParam(), g, u, {1.0, 2.0}); });
  fails("1 outputs for 2 axes", [&] {
    const Kokkos::View<double**, TypeParam> plane("plane", 3, 3);
    quern::gradient(TypeParam(), plane, plane, 1.0, quern::axes{0, 1});
  });
  fails("axis 1 is out of range, expected one of an array of rank 1",
        [&] { quern::gradient(TypeParam(), g, u, 1.0, quern::axis{1}); });
  fails("in has extents (2), expected at least 3 along axis 0",
        [&] { quern::gradient(TypeParam(), two, two, 1.0, quern::edge_order<2>); });
  fails("points along axis 0 has extents (2), expected (4)", [&] { quern::gradient(TypeParam(), g, u, two); });
  fails("in has extents (4), expected those of out, (2)", [&] { quern::gradient(TypeParam(), two, u, 1.0); });
  fails("out and in share memory", [&] { quern::gradient(TypeParam(), u, u, 1.0); });
  EXPECT_EQ(std::vector<double>(4, 9.0), test::contents(g));
}

TYPED_TEST(GradientOn, RejectsOutputsThatShareMemoryWithPoints) {
  const auto u = this->row(std::vector<double>{1, 2, 3, 4}), x = this->row(std::vector<double>{0, 1, 3, 6});
  test::expect_error("quern::gradient: out and points along axis 0 share memory",
                     [&] { quern::gradient(TypeParam(), x, u, x); });
  const Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> plane("plane", 4, 4), gy("gy", 4, 4), gx("gx", 4, 4);
  const auto row = Kokkos::subview(gx, 1, Kokkos::ALL);
  test::expect_error("quern::gradient: out and points along axis 1 share memory",
                     [&] { quern::gradient(TypeParam(), quern::outputs(gy, gx), plane, quern::components(x, row)); });
  EXPECT_EQ((std::vector<double>{0, 1, 3, 6}), test::contents(x));
}

}  // namespace
