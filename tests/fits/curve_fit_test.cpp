// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nonlinear fits beside those of SciPy.
#include <cmath>
#include <limits>
#include <quern/fits.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::absolute_sigma, quern::curve_fit_status, quern::max_iterations, quern::outputs, quern::tolerance,
    quern::unbatched;

const test::reference_archive scipy("fits/data/curve_fit.npz");

struct decay {
  template <class X, class P>
  KOKKOS_FUNCTION auto operator()(const X& t, const P& p) const {
    return p[0] * exp(-p[1] * t) + p[2];
  }
};

template <class Case>
struct CurveFit : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;
  // Of fits without a tolerance of their own, as of SciPy's, and of those that go on: a sum of squares tells parameters
  // to the root of its rounding error, times how alike the parameters are.
  static constexpr double loose = std::is_same_v<T, double> ? 1e-5 : 5e-3;
  static constexpr double tight = std::is_same_v<T, double> ? 1e-7 : 5e-3;
  static constexpr tolerance narrow{.relative = 1e-14};

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<double>& v) {
    return test::make_array<T, Rank, L, E>(extents, std::vector<T>(v.begin(), v.end()));
  }
  template <int Rank>
  static auto frozen(const std::string& name) {
    return array<Rank>(scipy.extents_of_rank<Rank>(name), scipy.values(name));
  }
  template <class V>
  static void expect_near(const std::string& name, const std::vector<double>& expected, const V& view,
                          double relative = tight) {
    const auto found = test::contents(view);
    ASSERT_EQ(expected.size(), found.size());
    double largest = 0;
    for (const double v : expected) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(expected[i], found[i], relative * largest) << name << ' ' << i;
  }
};
using cases = test::covering<double, float, double>;
TYPED_TEST_SUITE(CurveFit, cases);

TYPED_TEST(CurveFit, OfManyIsSciPys) {
  using E = typename TestFixture::E;
  const auto t = this->template frozen<1>("t");
  const auto y = this->template frozen<2>("y"), sigma = this->template frozen<2>("sigma");
  const auto items = static_cast<std::int64_t>(y.extent(0));
  const auto covariance = this->template array<3>({items, 3, 3}, std::vector<double>(9 * items));
  const Kokkos::View<int*, E> status("status", items), iterations("iterations", items);
  const auto check = [&](const std::string& name, double relative, const auto&... rest) {
    const auto p = this->template frozen<2>("guess");
    quern::curve_fit<3>(E(), outputs(p, covariance, status, iterations), decay(), rest...);
    this->expect_near(name, scipy.values(name + "/p"), p, relative);
    this->expect_near(name, scipy.values(name + "/covariance"), covariance, relative);
    for (const int s : test::contents(status)) EXPECT_EQ(curve_fit_status::converged, s);
    for (const int n : test::contents(iterations)) {
      EXPECT_LE(2, n);
      EXPECT_LE(n, 30);
    }
  };
  check("free", this->loose, unbatched(t), y);
  check("scaled", this->tight, this->narrow, unbatched(t), y, sigma);
  check("absolute", this->tight, absolute_sigma, this->narrow, max_iterations{50}, unbatched(t), y, sigma);
}

TYPED_TEST(CurveFit, OfOneIsSciPys) {
  using E = typename TestFixture::E;
  const auto t = this->template frozen<1>("t");
  const auto y = this->template frozen<2>("y"), sigma = this->template frozen<2>("sigma"),
             guess = this->template frozen<2>("guess");
  const auto covariance = this->template array<2>({3, 3}, std::vector<double>(9));
  for (int item = 0; item < 3; ++item) {
    const auto row = [&](const auto& v) { return Kokkos::subview(v, item, Kokkos::ALL); };
    const auto part = [&](const std::string& name, std::int64_t size) {
      const auto all = scipy.values(name);
      return std::vector<double>(all.begin() + item * size, all.begin() + (item + 1) * size);
    };
    const auto p = row(guess);
    const auto result = quern::curve_fit<3>(E(), outputs(p, covariance), decay(), this->narrow, t, row(y));
    EXPECT_EQ(curve_fit_status::converged, result.status);
    EXPECT_LE(2, result.iterations);
    this->expect_near("p", part("free/p", 3), p);
    this->expect_near("covariance", part("free/covariance", 9), covariance);
    quern::curve_fit<3>(outputs(p, covariance), decay(), absolute_sigma, this->narrow, t, row(y), row(sigma));
    this->expect_near("p", part("absolute/p", 3), p);
    this->expect_near("covariance", part("absolute/covariance", 9), covariance);
  }
}

struct parabola_over_plane {
  template <class X, class P>
  KOKKOS_FUNCTION auto operator()(const X& r, const P& p) const {
    return p[0] * r(0) + p[1] * (r(1) * r(1));
  }
};

TYPED_TEST(CurveFit, OfPointsWithCoordinates) {
  using E = typename TestFixture::E;
  const auto x = this->template frozen<2>("plane/x");
  const auto y = this->template frozen<1>("plane/y"), p = this->template array<1>({2}, {1, 1});
  const auto covariance = this->template array<2>({2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(curve_fit_status::converged,
            quern::curve_fit<2>(E(), outputs(p, covariance), parabola_over_plane(), this->narrow, x, y).status);
  this->expect_near("p", scipy.values("plane/p"), p);
  this->expect_near("covariance", scipy.values("plane/covariance"), covariance);
}

struct root_of_parameter {
  template <class X, class P>
  KOKKOS_FUNCTION auto operator()(const X& x, const P& p) const {
    return sqrt(p[0]) * x;
  }
};
struct first_of_two {
  template <class X, class P>
  KOKKOS_FUNCTION auto operator()(const X& x, const P& p) const {
    return p[0] * x + 0 * p[1];
  }
};

template <class Exec>
struct CurveFitOn : testing::Test {
  static auto row(const std::vector<double>& v) {
    return test::make_array<double, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(CurveFitOn, test::all_spaces);

TYPED_TEST(CurveFitOn, SaysWhatDoesNotConverge) {
  using E = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto fill = [](const auto& v) { return test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 4}, v); };
  const auto x = this->row({1, 2, 3, 4});
  const auto y = fill(std::vector<double>{2, 4, 6, 8, 1, nan, 3, 4, 2, 4, 6, 8, 0.1, 0.2, 0.3, 0.4});
  const auto p = test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 1}, {1, 1, -1, 100});
  const auto covariance = test::make_array<double, 3, Kokkos::LayoutRight, E>({4, 1, 1}, {0, 0, 0, 0});
  const Kokkos::View<int*, E> status("status", 4), iterations("iterations", 4);
  const auto fit = [&](int along) {
    quern::curve_fit<1>(E(), outputs(p, covariance, status, iterations), root_of_parameter(), unbatched(x),
                        quern::batched(y, quern::axis{along}));
  };
  test::expect_error("quern::curve_fit: axis 2 is out of range, expected one of an array of rank 2", [&] { fit(2); });
  test::expect_error("quern::curve_fit: axis -3 is out of range, expected one of an array of rank 2", [&] { fit(-3); });
  fit(-2);
  EXPECT_EQ((std::vector<int>{0, 2, 2, 0}), test::contents(status));
  const auto found = test::contents(p);
  EXPECT_NEAR(4, found[0], 1e-9);
  EXPECT_EQ(1, found[1]) << "its guess";
  EXPECT_EQ(-1, found[2]) << "its guess";
  EXPECT_NEAR(0.01, found[3], 1e-9) << "steps to below zero are shortened";
  EXPECT_EQ(inf, test::contents(covariance)[1]);
  EXPECT_EQ(0, test::contents(iterations)[2]);
  EXPECT_NEAR(0, test::contents(covariance)[0], 1e-12) << "of points on the curve";
  const auto one = this->row({1});
  const auto variance = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 1}, {0});
  const auto result =
      quern::curve_fit<1>(outputs(one, variance), root_of_parameter(), max_iterations{1}, x, this->row({2, 4, 6, 8}));
  EXPECT_EQ(curve_fit_status::iteration_limit, result.status);
  EXPECT_EQ(1, result.iterations);
  EXPECT_LT(1, test::contents(one)[0]) << "the best that was found";
}

struct finite_up_to_one {
  template <class X, class P>
  KOKKOS_FUNCTION auto operator()(const X&, const P& p) const {
    return sqrt(1 - p[0]) * 0 + (p[0] - 2);
  }
};

/// Steps that are small, but end where the function is not finite, are shortened as others are.
TYPED_TEST(CurveFitOn, ShortensSmallSteps) {
  const auto p = this->row({1 - 1e-12}), x = this->row({0}), y = this->row({0});
  const auto variance = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 1}, {0});
  const auto result = quern::curve_fit<1>(outputs(p, variance), finite_up_to_one(), x, y);
  EXPECT_EQ(curve_fit_status::converged, result.status);
  EXPECT_LT(result.iterations, 50);
  EXPECT_GE(test::contents(p)[0], 1 - 1e-12);
  EXPECT_LE(test::contents(p)[0], 1);
}

/// A guess where one parameter decides all by orders of magnitude: beside its derivatives there no other step counts,
/// and the fit would end where a constant alone is nearer by far.
TYPED_TEST(CurveFitOn, GoesOnBehindGuessesOfSteepSlopes) {
  std::vector<double> times, values;
  double mean = 0, squares_of_constant = 0, squares = 0;
  for (int k = 0; k < 20; ++k) {
    times.push_back(0.2 * k);
    values.push_back(2 * std::exp(-1.3 * times.back()) + 0.5);
    mean += values.back() / 20;
  }
  const auto p = this->row({-7.8, -11.6, -6.3});
  const auto variance = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({3, 3});
  const auto result = quern::curve_fit<3>(outputs(p, variance), decay(), this->row(times), this->row(values));
  const auto found = test::contents(p);
  for (int k = 0; k < 20; ++k) {
    const double left = decay()(times[k], found) - values[k];
    squares += left * left;
    squares_of_constant += (values[k] - mean) * (values[k] - mean);
  }
  EXPECT_EQ(curve_fit_status::converged, result.status);
  EXPECT_LE(squares, squares_of_constant);
}

/// Squares of residuals that underflow say nothing, so that the guess is no fit, unless a step from it is small.
TYPED_TEST(CurveFitOn, DoesNotConvergeWhereSquaresUnderflow) {
  using E = TypeParam;
  const auto x = this->row({1, 2, 3});
  const auto y = this->row({1.4e-200, 2.8e-200, 4.2e-200});
  const auto variance = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 2}, {0, 0, 0, 0});
  const auto status_from = [&](double guess) {
    const auto p = this->row({guess, 0});
    return quern::curve_fit<2>(E(), outputs(p, variance), first_of_two(), x, y).status;
  };
  EXPECT_EQ(curve_fit_status::no_progress, status_from(1e-200));
  EXPECT_EQ(curve_fit_status::converged, status_from(1.4e-200 * (1 + 1e-10)));
  EXPECT_EQ(curve_fit_status::converged, status_from(1));
}

TYPED_TEST(CurveFitOn, HasNoCovarianceOfWhatPointsDoNotTell) {
  using E = TypeParam;
  const double inf = std::numeric_limits<double>::infinity();
  const auto p = this->row({1, 5});
  const auto covariance = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 2}, {0, 0, 0, 0});
  const auto result =
      quern::curve_fit<2>(outputs(p, covariance), first_of_two(), this->row({1, 2, 3}), this->row({2, 4, 6.5}));
  EXPECT_EQ(curve_fit_status::converged, result.status);
  EXPECT_NEAR(29.5 / 14, test::contents(p)[0], 1e-9);
  EXPECT_EQ(5, test::contents(p)[1]);
  for (const double v : test::contents(covariance)) EXPECT_EQ(inf, v);
  // As many points as parameters: none is left over.
  const auto one = this->row({1});
  const auto variance = test::make_array<double, 2, Kokkos::LayoutRight, E>({1, 1}, {0});
  quern::curve_fit<1>(outputs(one, variance), root_of_parameter(), this->row({2}), this->row({6}));
  EXPECT_NEAR(9, test::contents(one)[0], 1e-9);
  EXPECT_EQ(inf, test::contents(variance)[0]);
  quern::curve_fit<1>(outputs(one, variance), root_of_parameter(), absolute_sigma, this->row({2}), this->row({6}),
                      this->row({0.5}));
  EXPECT_NEAR(0.25 * 9, test::contents(variance)[0], 1e-8);  // the slope is 2 / (2 sqrt(9))
}

TYPED_TEST(CurveFitOn, RefusesWhatDoesNotFit) {
  using E = TypeParam;
  const auto p = this->row({1, 5}), x = this->row({1, 2, 3});
  const auto c = test::make_array<double, 2, Kokkos::LayoutRight, E>({2, 2}, {0, 0, 0, 0});
  const auto fit = [&](const auto&... in) { quern::curve_fit<2>(E(), outputs(p, c), first_of_two(), in...); };
  test::expect_error("quern::curve_fit: x has extents (3) for each fit, which do not fit y with extents (2)",
                     [&] { fit(x, this->row({1, 2})); });
  test::expect_error("quern::curve_fit: y has 1 points for each fit, expected at least 2",
                     [&] { fit(this->row({1}), this->row({1})); });
  test::expect_error("quern::curve_fit: sigma has extents (2), expected (3)", [&] { fit(x, x, this->row({1, 2})); });
  test::expect_error("quern::curve_fit: a tolerance is negative or NaN", [&] { fit(tolerance{.relative = -1}, x, x); });
  test::expect_error("quern::curve_fit: p has extents (3), expected (2)",
                     [&] { quern::curve_fit<2>(outputs(this->row({1, 2, 3}), c), first_of_two(), x, x); });
  const Kokkos::View<int*, E> status("status", 4), iterations("iterations", 4);
  const auto many = test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 2}, test::samples<double>(8));
  const auto cs = test::make_array<double, 3, Kokkos::LayoutRight, E>({4, 2, 2}, test::samples<double>(16));
  const auto ys = test::make_array<double, 2, Kokkos::LayoutRight, E>({3, 5}, test::samples<double>(15));
  const auto xs = test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 2}, test::samples<double>(8));
  test::expect_error("quern::curve_fit: out and y share memory",
                     [&] { quern::curve_fit<2>(outputs(many, cs, status, iterations), first_of_two(), xs, many); });
  test::expect_error("quern::curve_fit: in 1 has 3 items, expected 4",
                     [&] { quern::curve_fit<2>(outputs(many, cs, status, iterations), first_of_two(), ys, ys); });
}

}  // namespace
