// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Logistic regressions against scikit-learn's, whose results the generator brings to rounding.

#include <cmath>
#include <limits>
#include <quern/core.hpp>
#include <quern/fits.hpp>
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::alpha, quern::logistic_status, quern::max_iterations, quern::outputs, quern::tolerance, quern::weights;

const test::reference_archive sklearn("fits/data/logistic.npz");
const double nan = std::numeric_limits<double>::quiet_NaN();

template <class Case>
struct Logistic : testing::Test {
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
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(expected[i], found[i], relative * largest) << name << ' ' << i;
  }
  /// Of coefficients with one axis or two.
  template <int Rank>
  static void check(const std::string& name, double relative) {
    const E exec;
    const auto x = frozen<2>(name + "/x");
    const auto w = frozen<1>(name + "/weights");
    const std::int64_t n = x.extent(0);
    const auto y = test::make_array<std::int64_t, 1, L, E>({n}, sklearn.values<std::int64_t>(name + "/y"));
    const auto coefficients = frozen<Rank>(name + "/free/coefficients");
    const auto p = frozen<Rank>(name + "/free/probabilities");
    const Kokkos::View<std::conditional_t<Rank == 2, T*, T>, E> intercept = [&] {
      if constexpr (Rank == 2) return Kokkos::View<T*, E>("intercept", coefficients.extent(0));
      else return Kokkos::View<T, E>("intercept");
    }();
    // A tolerance that no step is below: it ends when there is nothing left to gain.
    const auto exact = quern::logistic_regression(exec, coefficients, x, y, tolerance{.relative = 0});
    EXPECT_EQ(logistic_status::converged, exact.status) << name;
    for (const std::string how : {"free", "intercept", "weighted"}) {
      quern::fill(coefficients, T(7));
      quern::fill(p, T(7));
      const auto out = outputs(coefficients, intercept);
      const auto ended = how == "free"        ? quern::logistic_regression(exec, coefficients, x, y)
                         : how == "intercept" ? quern::logistic_regression(out, x, y)
                                              : quern::logistic_regression(exec, out, x, y, alpha{0.125}, weights{w});
      EXPECT_EQ(logistic_status::converged, ended.status) << name << ' ' << how;
      EXPECT_LE(2, ended.iterations);
      EXPECT_GE(30, ended.iterations) << name << ' ' << how;
      // Where columns are about 1024, so are the terms of each row's sum, and their rounding errors.
      const bool far = name.rfind("far", 0) == 0;
      const double rounding = far ? 1024 * std::numeric_limits<double>::epsilon() : 0;
      expect_near(name + "/" + how + "/coefficients", test::contents(coefficients), std::max(relative, rounding));
      if (how == "free") {
        quern::predict_proba(p, x, coefficients);
      } else {
        const auto expected = sklearn.values(name + "/" + how + "/intercept");
        // An intercept is what is left of the larger numbers.
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_NEAR(expected[i], test::contents(intercept)[i], 10 * (far ? 1024 : 1) * relative) << name << how << i;
        quern::predict_proba(exec, p, x, coefficients, intercept);
      }
      // Coefficients that are rounded to float, times columns of 1024, leave fewer digits.
      expect_near(name + "/" + how + "/probabilities", test::contents(p), (far ? 4096 : 16) * relative);
    }
  }
};
using cases = test::covering<double, float, double>;
TYPED_TEST_SUITE(Logistic, cases);

TYPED_TEST(Logistic, IsScikitLearns) {
  // Residuals of rows are of the type of x.
  const double relative = std::is_same_v<typename TestFixture::T, double> ? 1e-13 : 3e-6;
  for (const char* name : {"two", "one_column", "far", "wide", "sharp"}) this->template check<1>(name, relative);
  for (const char* name : {"three", "five", "far_three", "two_of_softmax"}) this->template check<2>(name, relative);
}

template <class Exec>
struct LogisticOn : testing::Test {
  using E = Exec;
  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<double>& v) {
    return test::make_array<double, Rank, Kokkos::LayoutRight, E>(extents, v);
  }
  static auto classes(const std::vector<int>& v) {
    return test::make_array<int, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(LogisticOn, test::all_spaces);

TYPED_TEST(LogisticOn, SeparatedClassesDoNotConvergeWithoutAPenalty) {
  const TypeParam exec;
  const auto x = this->template array<2>({4, 1}, {-2, -1, 1, 2});
  const auto y = this->classes({0, 0, 1, 1});
  const auto w = this->template array<1>({1}, {7});
  const Kokkos::View<double, TypeParam> b("b");
  const auto ended = quern::logistic_regression(exec, outputs(w, b), x, y, alpha{0});
  EXPECT_TRUE(ended.status == logistic_status::iteration_limit || ended.status == logistic_status::no_progress);
  EXPECT_LT(10, ended.iterations);
  EXPECT_LT(10, test::contents(w)[0]);
  EXPECT_GT(1e-4, ended.objective);
  const auto few = quern::logistic_regression(exec, outputs(w, b), x, y, alpha{0}, max_iterations{3});
  EXPECT_EQ(logistic_status::iteration_limit, few.status);
  EXPECT_EQ(3, few.iterations);
  // With one they do, and a class without rows has a probability as long as its coefficients are penalized.
  EXPECT_EQ(logistic_status::converged, quern::logistic_regression(exec, outputs(w, b), x, y).status);
  const auto w3 = this->template array<2>({3, 1}, {7, 7, 7});
  EXPECT_EQ(logistic_status::converged, quern::logistic_regression(exec, w3, x, y).status);
  EXPECT_NEAR(0, test::contents(w3)[0] + test::contents(w3)[1] + test::contents(w3)[2], 1e-15);
}

TYPED_TEST(LogisticOn, ColumnsThatDoNotVaryOrAreEqual) {
  const TypeParam exec;
  const auto x = this->template array<2>({5, 3}, {0.1, 1, 1, 0.1, 2, 2, 0.1, 3, 3, 0.1, 4, 4, 0.1, 5, 5});
  const auto one = this->template array<2>({5, 1}, {1, 2, 3, 4, 5});
  const auto y = this->classes({0, 1, 0, 1, 1});
  const auto w = this->template array<1>({3}, {7, 7, 7}), w1 = this->template array<1>({1}, {7});
  const Kokkos::View<double, TypeParam> b("b"), b1("b1");
  EXPECT_EQ(logistic_status::converged, quern::logistic_regression(exec, outputs(w, b), x, y, alpha{0}).status);
  EXPECT_EQ(logistic_status::converged, quern::logistic_regression(exec, outputs(w1, b1), one, y, alpha{0}).status);
  const auto found = test::contents(w);
  EXPECT_EQ(0, found[0]);
  EXPECT_NEAR(test::contents(w1)[0], found[1] + found[2], 1e-9);
  EXPECT_NEAR(test::value(b1), test::value(b), 1e-9);
}

TYPED_TEST(LogisticOn, WhatIsNotFiniteSaysSo) {
  const TypeParam exec;
  const auto y = this->classes({0, 1, 0, 1});
  const auto w = this->template array<1>({1}, {7});
  const Kokkos::View<double, TypeParam> b("b");
  for (const double wrong : {nan, std::numeric_limits<double>::infinity(), 1e200}) {
    const auto x = this->template array<2>({4, 1}, {1, 2, wrong, 4});
    const auto ended = quern::logistic_regression(exec, outputs(w, b), x, y);
    EXPECT_EQ(logistic_status::not_finite, ended.status) << wrong;
    EXPECT_NE(test::contents(w)[0], test::contents(w)[0]);
    EXPECT_NE(test::value(b), test::value(b));
  }
  const auto x = this->template array<2>({4, 1}, {1, 2, 3, 4});
  const auto negative = this->template array<1>({4}, {1, -1, 1, 1});
  EXPECT_EQ(logistic_status::not_finite, quern::logistic_regression(exec, w, x, y, weights{negative}).status);
}

TYPED_TEST(LogisticOn, ProbabilitiesOfLargeLogits) {
  const TypeParam exec;
  const auto x = this->template array<2>({4, 1}, {1000, -1000, 40, nan});
  const auto p = this->template array<1>({4}, {7, 7, 7, 7});
  quern::predict_proba(exec, p, x, this->template array<1>({1}, {1}));
  const auto found = test::contents(p);
  EXPECT_EQ(1, found[0]);
  EXPECT_EQ(0, found[1]);
  EXPECT_EQ(1, found[2]);
  EXPECT_NE(found[3], found[3]);
  const auto of_three = this->template array<2>({4, 3}, std::vector<double>(12, 7));
  quern::predict_proba(exec, of_three, x, this->template array<2>({3, 1}, {1, 0, -1}),
                       this->template array<1>({3}, {0, 0, 0}));
  const auto all = test::contents(of_three);
  EXPECT_EQ((std::vector<double>{1, 0, 0, 0, 0, 1}), std::vector<double>(all.begin(), all.begin() + 6));
  EXPECT_NEAR(std::exp(-40), all[7], 1e-30);
  for (int i = 9; i < 12; ++i) EXPECT_NE(all[i], all[i]);
}

TYPED_TEST(LogisticOn, RefusesWhatDoesNotFit) {
  const auto x = this->template array<2>({5, 3}, test::samples<double>(15));
  const auto y = this->classes({0, 1, 2, 1, 0});
  const auto c = this->template array<1>({3}, {1, 2, 3});
  const auto c2 = this->template array<2>({1, 3}, {1, 2, 3});
  test::expect_error("quern::logistic_regression: y has the class 2, expected 0 to 1",
                     [&] { quern::logistic_regression(c, x, y); });
  test::expect_error("quern::logistic_regression: y has the class -1, expected 0 to 1",
                     [&] { quern::logistic_regression(c, x, this->classes({0, 1, -1, 1, 0})); });
  test::expect_error(
      "quern::logistic_regression: coefficients has extents (1, 3), expected (d), of two classes, or "
      "(k, d), of k",
      [&] { quern::logistic_regression(c2, x, y); });
  test::expect_error("quern::logistic_regression: y has extents (2), expected (5)",
                     [&] { quern::logistic_regression(c, x, this->classes({0, 1})); });
  test::expect_error("quern::logistic_regression: max_iterations is 0, expected at least 1",
                     [&] { quern::logistic_regression(c, x, y, max_iterations{0}); });
  test::expect_error("quern::logistic_regression: alpha is negative, infinite or NaN",
                     [&] { quern::logistic_regression(c, x, y, alpha{-1}); });
  test::expect_error("quern::logistic_regression: the tolerance is relative to the largest logit",
                     [&] { quern::logistic_regression(c, x, y, tolerance{.absolute = 1}); });
  test::expect_error("quern::predict_proba: out has extents (3), expected (5)", [&] { quern::predict_proba(c, x, c); });
  EXPECT_EQ((std::vector<double>{1, 2, 3}), test::contents(c));
}

}  // namespace
