// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sparse linear fits beside those of scikit-learn.
#include <cmath>
#include <limits>
#include <quern/fits.hpp>
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::alpha, quern::lasso_status, quern::max_iterations, quern::outputs, quern::tolerance, quern::weights;

const test::reference_archive sklearn("fits/data/lasso.npz");

template <class Case>
struct Lasso : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<double>& v) {
    return test::make_array<T, Rank, L, E>(extents, std::vector<T>(v.begin(), v.end()));
  }
  template <int Rank>
  static auto frozen(const std::string& name) {
    return array<Rank>(sklearn.extents_of_rank<Rank>(name), sklearn.values(name));
  }
  static void expect_near(const std::string& name, const std::vector<T>& found, double relative) {
    const auto expected = sklearn.values(name);
    ASSERT_EQ(expected.size(), found.size()) << name;
    double largest = 0;
    for (const double v : expected) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(expected[i], found[i], relative * largest) << name << ' ' << i;
      EXPECT_EQ(expected[i] == 0, found[i] == 0) << name << ' ' << i;
    }
  }
  template <int Targets>
  static void check(const std::string& name, double relative) {
    const auto x = frozen<2>(name + "/x");
    const auto y = frozen<Targets>(name + "/y");
    const auto w = frozen<1>(name + "/weights");
    const auto coefficients = frozen<Targets>(name + "/free/coefficients");
    const Kokkos::View<std::conditional_t<Targets == 2, T*, T>, E> intercept = [&] {
      if constexpr (Targets == 2) return Kokkos::View<T*, E>("intercept", y.extent(1));
      else return Kokkos::View<T, E>("intercept");
    }();
    const auto out = outputs(coefficients, intercept);
    for (const std::string how : {"free", "intercept", "weighted"}) {
      constexpr tolerance narrow{.relative = 1e-13};
      constexpr max_iterations many{1'000'000};
      quern::fill(coefficients, T(7));
      const auto ended = how == "free"        ? quern::lasso(E(), coefficients, x, y, alpha{0.1}, narrow, many)
                         : how == "intercept" ? quern::lasso(out, x, y, narrow, many, alpha{0.1})
                                              : quern::lasso(E(), out, x, y, alpha{0.1}, weights{w}, narrow, many);
      EXPECT_EQ(lasso_status::converged, ended.status) << name << ' ' << how;
      EXPECT_LE(1, ended.iterations);
      expect_near(name + "/" + how + "/coefficients", test::contents(coefficients), relative);
      if (how != "free") expect_near(name + "/" + how + "/intercept", test::contents(intercept), relative);
    }
  }
};
using cases = test::covering<double, float, double>;
TYPED_TEST_SUITE(Lasso, cases);

TYPED_TEST(Lasso, IsScikitLearns) {
  using T = typename TestFixture::T;
  // The gap tells coefficients to its root.
  const double relative = std::is_same_v<T, double> ? 1e-6 : 1e-5;
  this->template check<1>("plain", relative);
  this->template check<2>("targets", relative);
  this->template check<1>("few", relative);
  this->template check<1>("wide", std::is_same_v<T, double> ? 1e-5 : 1e-3);  // products of float
}

template <class Exec>
struct LassoOn : testing::Test {
  using E = Exec;
  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<double>& v) {
    return test::make_array<double, Rank, Kokkos::LayoutRight, E>(extents, v);
  }
};
TYPED_TEST_SUITE(LassoOn, test::all_spaces);

TYPED_TEST(LassoOn, SaysHowItHasEnded) {
  using E = TypeParam;
  const auto x = this->template array<2>({80, 12}, sklearn.values("plain/x"));
  auto values = sklearn.values("plain/y");
  const auto y = this->template array<1>({80}, values);
  const auto w = this->template array<1>({12}, std::vector<double>(12, 7));
  const auto one = quern::lasso(E(), w, x, y, alpha{1e-4}, max_iterations{1}, tolerance{.relative = 1e-10});
  EXPECT_EQ(lasso_status::iteration_limit, one.status);
  EXPECT_EQ(1, one.iterations);
  EXPECT_LT(0, one.dual_gap);
  const auto more = quern::lasso(w, x, y, alpha{1e-4});
  EXPECT_EQ(lasso_status::converged, more.status);
  EXPECT_LT(more.dual_gap, one.dual_gap);
  // Of a penalty that is too large nothing is left.
  EXPECT_EQ(lasso_status::converged, quern::lasso(w, x, y, alpha{1000}).status);
  EXPECT_EQ(std::vector<double>(12, 0), test::contents(w));
  const auto none = quern::lasso(w, x, y, alpha{std::numeric_limits<double>::infinity()});
  EXPECT_EQ(lasso_status::converged, none.status);
  EXPECT_GE(none.dual_gap, 0);
  EXPECT_EQ(std::vector<double>(12, 0), test::contents(w));
  // Without a penalty there is no gap to converge by.
  EXPECT_EQ(lasso_status::converged, quern::lasso(w, x, y, alpha{0}, tolerance{.relative = 1e-10}).status);
  const auto all = this->template array<1>({12}, std::vector<double>(12, 7));
  quern::linear_regression(all, x, y);
  for (int j = 0; j < 12; ++j) EXPECT_NEAR(test::contents(all)[j], test::contents(w)[j], 1e-8) << j;
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lasso_status::not_finite, quern::lasso(w, x, this->template array<1>({80}, values)).status);
  for (const double v : test::contents(w)) EXPECT_NE(v, v);
}

TYPED_TEST(LassoOn, HasNoCoefficientOfAColumnThatDoesNotVary) {
  std::vector<double> x(40), y(20);
  for (int i = 0; i < 20; ++i) {
    x[2 * i] = 0.1;
    x[2 * i + 1] = i;
    y[i] = 3 * i + 2;
  }
  const auto w = this->template array<1>({2}, {7, 7});
  const Kokkos::View<double, TypeParam> b("b");
  quern::lasso(outputs(w, b), this->template array<2>({20, 2}, x), this->template array<1>({20}, y), alpha{0});
  EXPECT_EQ(0, test::contents(w)[0]);
  EXPECT_NEAR(3, test::contents(w)[1], 1e-14);
  EXPECT_NEAR(2, test::value(b), 1e-12);
}

TYPED_TEST(LassoOn, RefusesWhatDoesNotFit) {
  const auto x = this->template array<2>({5, 3}, test::samples<double>(15));
  const auto y = this->template array<1>({5}, test::samples<double>(5)), c = this->template array<1>({3}, {1, 2, 3});
  test::expect_error("quern::lasso: coefficients has extents (5), expected (3)", [&] { quern::lasso(y, x, y); });
  test::expect_error("quern::lasso: max_iterations is 0, expected at least 1",
                     [&] { quern::lasso(c, x, y, max_iterations{0}); });
  test::expect_error("quern::lasso: alpha is negative or NaN", [&] { quern::lasso(c, x, y, alpha{-1}); });
  test::expect_error("quern::lasso: the tolerance is relative to the squares of y",
                     [&] { quern::lasso(c, x, y, tolerance{.absolute = 1}); });
  test::expect_error("quern::lasso: coefficients and y share memory",
                     [&] { quern::lasso(Kokkos::subview(y, std::pair(0, 3)), x, y); });
  EXPECT_EQ((std::vector<double>{1, 2, 3}), test::contents(c));
}

}  // namespace
