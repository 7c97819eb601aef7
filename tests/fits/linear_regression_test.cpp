// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Linear fits beside those of scikit-learn.
#include <cmath>
#include <limits>
#include <quern/fits.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::alpha, quern::outputs, quern::weights;

const test::reference_archive sklearn("fits/data/linear.npz");

/// Frozen values in another type.
template <class T>
std::vector<T> values(const std::string& name) {
  const auto found = sklearn.values(name);
  return {found.begin(), found.end()};
}

template <class V>
auto subview_of(const V& v, int column) {
  return Kokkos::subview(v, Kokkos::ALL, column);
}
template <class Case>
struct LinearFits : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;
  const double eps = std::numeric_limits<T>::epsilon();

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& v) {
    return test::make_array<T, Rank, L, E>(extents, v);
  }
  template <int Rank>
  static auto frozen(const std::string& name) {
    return array<Rank>(sklearn.extents_of_rank<Rank>(name), values<T>(name));
  }
  static void expect_near(const std::string& name, const std::vector<T>& found, double relative) {
    const auto expected = sklearn.values(name);
    ASSERT_EQ(expected.size(), found.size()) << name;
    double largest = 0;
    for (const double v : expected) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(expected[i], found[i], relative * largest) << name << ' ' << i;
  }

  /// `fit(out, x, y, options...)` of a case, with an intercept and weights or without.
  template <int Targets, class Fit>
  static std::int64_t check(const std::string& name, const std::string& how, const std::string& result, double relative,
                            const Fit& fit) {
    const auto x = frozen<2>(name + "/x");
    const auto y = frozen<Targets>(name + "/y");
    const auto n = static_cast<std::int64_t>(x.extent(0)), d = static_cast<std::int64_t>(x.extent(1));
    const auto w = array<1>({n}, values<T>(name + "/weights"));
    const std::int64_t t = Targets == 2 ? static_cast<std::int64_t>(y.extent(y.rank() - 1)) : 1;
    const auto coefficients = [&] {
      if constexpr (Targets == 2) return test::make_array<T, 2, L, E>({t, d});
      else return test::make_array<T, 1, L, E>({d});
    }();
    std::int64_t rank = 0;
    if (how == "free") {
      rank = fit(coefficients, x, y);
    } else {
      const auto intercept = [&] {
        if constexpr (Targets == 2) return test::make_array<T, 1, L, E>({t});
        else return Kokkos::View<T, E>("intercept");
      }();
      const auto out = outputs(coefficients, intercept);
      rank = how == "weighted" ? fit(out, x, y, weights{w}) : fit(out, x, y);
      expect_near(name + "/" + how + result + "/intercept", test::contents(intercept), relative);
    }
    expect_near(name + "/" + how + result + "/coefficients", test::contents(coefficients), relative);
    return rank;
  }
  template <int Targets>
  static void check_all(const std::string& name, double relative) {
    for (const std::string how : {"free", "intercept", "weighted"}) {
      const auto rank =
          check<Targets>(name, how, "", relative, [](const auto&... a) { return quern::linear_regression(E(), a...); });
      EXPECT_EQ(sklearn.value<std::int64_t>(name + "/" + how + "/rank"), rank) << name << ' ' << how;
      check<Targets>(name, how, "/ridge_1.0", relative, [](const auto&... a) { return quern::ridge(E(), a...); });
      check<Targets>(name, how, "/ridge_0.125", relative,
                     [](const auto&... a) { return quern::ridge(a..., alpha{0.125}); });
    }
  }
};
using cases = test::covering<double, float, double>;
TYPED_TEST_SUITE(LinearFits, cases);

TYPED_TEST(LinearFits, AreScikitLearns) {
  for (const char* name : {"plain", "column", "constant"}) this->template check_all<1>(name, 50 * this->eps);
  for (const char* name : {"targets", "one_target", "rows"}) this->template check_all<2>(name, 50 * this->eps);
  this->template check_all<1>("exact", 500 * this->eps);
  this->template check_all<1>("far", 1e4 * this->eps);  // without an intercept, the means make columns alike
}

// The shortest of all solutions, and the rank that singular values tell.
TYPED_TEST(LinearFits, OfDependentColumns) {
  // With a small penalty the others explain nearly all of a column.
  this->template check_all<1>("constants", 1e4 * this->eps);
  this->template check_all<1>("collinear", 1e4 * this->eps);
  this->template check_all<2>("rank_one", 1e4 * this->eps);
  this->template check_all<1>("similar", 2e5 * this->eps);  // their condition is about 1e5
  this->template check_all<1>("many", 1e4 * this->eps);
}

/// A fit that must find the coefficients with which y was made.
template <class Exec>
struct LinearFitsOn : testing::Test {
  using E = Exec;
  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<double>& v) {
    return test::make_array<double, Rank, Kokkos::LayoutRight, E>(extents, v);
  }
};
TYPED_TEST_SUITE(LinearFitsOn, test::all_spaces);

TYPED_TEST(LinearFitsOn, HaveColumnsOfAnyScale) {
  const std::int64_t n = 37;
  for (const auto& scales : {std::array<double, 3>{1, 1e150, 1e-150}, {1e-140, 1e140, 1}, {1e140, 1e140, 1e140}}) {
    std::vector<double> x(3 * n), y(n);
    const double wanted[] = {2 / scales[0], -0.5 / scales[1], 0.25 / scales[2]};
    for (std::int64_t i = 0; i < n; ++i) {
      y[i] = 7;
      for (int j = 0; j < 3; ++j) {
        x[3 * i + j] = test::sample(i, 5 + j) * scales[j];
        y[i] += wanted[j] * x[3 * i + j];
      }
    }
    const auto coefficients = this->template array<1>({3}, {0, 0, 0});
    const Kokkos::View<double, TypeParam> intercept("intercept");
    EXPECT_EQ(3, quern::linear_regression(TypeParam(), outputs(coefficients, intercept),
                                          this->template array<2>({n, 3}, x), this->template array<1>({n}, y)));
    const auto found = test::contents(coefficients);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(1, found[j] / wanted[j], 1e-13);
    EXPECT_NEAR(7, test::value(intercept), 1e-12);
  }
}

// Where squares overflow or vanish the fit is that of lstsq.
TYPED_TEST(LinearFitsOn, HaveColumnsWhoseSquaresAreNoNumbers) {
  const std::int64_t n = 30;
  for (const double scale : {1e180, 1e-180}) {
    std::vector<double> x(2 * n), y(n);
    for (std::int64_t i = 0; i < n; ++i) {
      for (int j = 0; j < 2; ++j) x[2 * i + j] = test::sample(i, 5 + j) * scale;
      y[i] = 3 + (x[2 * i] - 4 * x[2 * i + 1]) / scale;
    }
    const auto coefficients = this->template array<1>({2}, {0, 0});
    const Kokkos::View<double, TypeParam> intercept("intercept");
    const auto columns = this->template array<2>({n, 2}, x);
    EXPECT_EQ(2, quern::linear_regression(outputs(coefficients, intercept), columns, this->template array<1>({n}, y)));
    EXPECT_NEAR(1, test::contents(coefficients)[0] * scale, 1e-13);
    EXPECT_NEAR(-4, test::contents(coefficients)[1] * scale, 1e-13);
    EXPECT_NEAR(3, test::value(intercept), 1e-12);
    EXPECT_EQ(2, quern::linear_regression(coefficients, this->template array<2>({n, 2}, x), subview_of(columns, 1)));
    EXPECT_NEAR(0, test::contents(coefficients)[0], 1e-13);
    EXPECT_NEAR(1, test::contents(coefficients)[1], 1e-13);
  }
}

// The first row, from which columns are counted, says nothing of the others; there are many teams.
TYPED_TEST(LinearFitsOn, HaveAFirstRowThatIsFarAway) {
  const std::int64_t n = 70001;
  std::vector<double> x(2 * n), y(n), w(n, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    x[2 * i] = 1e6 + test::sample(i, 1);
    x[2 * i + 1] = test::sample(i, 2);
    y[i] = 0.5 * (x[2 * i] - 1e6) - 3 * x[2 * i + 1] + 1e6 + test::sample(i, 3);
  }
  x[0] = -1e9;
  y[0] = 1e12;
  w[0] = 0;
  const auto rows = this->template array<2>({n, 2}, x);
  const auto targets = this->template array<1>({n}, y);
  const auto coefficients = this->template array<1>({2}, {0, 0}), expected = this->template array<1>({2}, {0, 0});
  const Kokkos::View<double, TypeParam> intercept("intercept"), other("other");
  quern::linear_regression(outputs(coefficients, intercept), rows, targets, weights{this->template array<1>({n}, w)});
  const std::pair<std::int64_t, std::int64_t> rest(1, n);
  quern::linear_regression(outputs(expected, other), Kokkos::subview(rows, rest, Kokkos::ALL),
                           Kokkos::subview(targets, rest));
  EXPECT_NEAR(0.5, test::contents(expected)[0], 0.01);
  EXPECT_NEAR(-3, test::contents(expected)[1], 0.01);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(test::contents(expected)[j], test::contents(coefficients)[j], 1e-12);
  EXPECT_NEAR(test::value(other), test::value(intercept), 1e-6);
}

// Also where the rows before weigh nothing, and have another value.
TYPED_TEST(LinearFitsOn, HaveNoCoefficientOfAColumnThatDoesNotVaryWhereItWeighs) {
  const std::int64_t n = 400;
  for (const std::int64_t without : {1, 300}) {
    std::vector<double> x(2 * n), y(n), w(n, 1);
    for (std::int64_t i = 0; i < n; ++i) {
      x[2 * i] = i < without ? -7e3 : 0.1;
      x[2 * i + 1] = test::sample(i, 2);
      y[i] = 2 - 3 * x[2 * i + 1] + 0.1 * test::sample(i, 3);
      if (i < without) w[i] = 0;
    }
    const auto coefficients = this->template array<1>({2}, {7, 7});
    const Kokkos::View<double, TypeParam> intercept("intercept");
    EXPECT_EQ(1, quern::linear_regression(outputs(coefficients, intercept), this->template array<2>({n, 2}, x),
                                          this->template array<1>({n}, y), weights{this->template array<1>({n}, w)}));
    EXPECT_EQ(0, test::contents(coefficients)[0]) << without;
    EXPECT_NEAR(-3, test::contents(coefficients)[1], 0.1) << without;
  }
}

// By singular values, too, since the squares of the first column vanish.
TYPED_TEST(LinearFitsOn, CountColumnsThatVaryWhereCoefficientsArePenalized) {
  const std::int64_t n = 30;
  std::vector<double> x(3 * n), y = test::samples<double>(n, 4);
  for (std::int64_t i = 0; i < n; ++i) {
    x[3 * i] = test::sample(i, 5) * 1e-180;
    x[3 * i + 1] = 0.1;
    x[3 * i + 2] = test::sample(i, 6);
  }
  const auto coefficients = this->template array<1>({3}, {7, 7, 7});
  const Kokkos::View<double, TypeParam> intercept("intercept");
  EXPECT_EQ(2, quern::ridge(outputs(coefficients, intercept), this->template array<2>({n, 3}, x),
                            this->template array<1>({n}, y)));
  EXPECT_EQ(0, test::contents(coefficients)[1]);
}

// Kernels differ by the number of columns.
TYPED_TEST(LinearFitsOn, HaveAnyNumberOfColumns) {
  const std::int64_t n = 1203;
  const std::vector<double> values = test::samples<double>(n * 52, 3);
  std::vector<double> w(n);
  for (std::int64_t i = 0; i < n; ++i) w[i] = static_cast<double>(1 << i % 4);
  const auto weight = this->template array<1>({n}, w);
  for (const std::int64_t d : {6, 7, 8, 15, 16, 23, 24, 32, 38, 39, 50}) {
    std::vector<double> y(n);
    for (std::int64_t i = 0; i < n; ++i) {
      y[i] = 1e3;
      for (std::int64_t j = 0; j < d; ++j) y[i] += static_cast<double>(j - 9) * values[i * d + j];
    }
    const auto x = this->template array<2>({n, d}, {values.begin(), values.begin() + n * d});
    const auto by_columns = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({n, d}, test::contents(x));
    const auto targets = this->template array<1>({n}, y),
               coefficients = this->template array<1>({d}, std::vector<double>(d));
    const Kokkos::View<double, TypeParam> intercept("intercept");
    const auto check = [&](std::int64_t rank) {
      EXPECT_EQ(d, rank);
      const auto found = test::contents(coefficients);
      for (std::int64_t j = 0; j < d; ++j) EXPECT_NEAR(j - 9, found[j], 1e-11) << d;
      EXPECT_NEAR(1e3, test::value(intercept), 1e-11) << d;
    };
    check(quern::linear_regression(outputs(coefficients, intercept), x, targets, weights{weight}));
    check(quern::linear_regression(outputs(coefficients, intercept), by_columns, targets));
  }
}

TYPED_TEST(LinearFitsOn, SpreadNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x = test::samples<double>(24, 1), y = test::samples<double>(24, 2);
  const auto coefficients = this->template array<2>({2, 2}, {0, 0, 0, 0});
  const auto intercept = this->template array<1>({2}, {0, 0});
  const auto fit = [&] {
    return quern::linear_regression(outputs(coefficients, intercept), this->template array<2>({12, 2}, x),
                                    this->template array<2>({12, 2}, y));
  };
  fit();
  const auto before = test::contents(coefficients);
  y[5] = nan;  // of the second target
  EXPECT_EQ(2, fit());
  const auto found = test::contents(coefficients);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(before[j], found[j], 1e-14);
    EXPECT_NE(found[2 + j], found[2 + j]);
  }
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    x[7] = bad;
    EXPECT_EQ(-1, fit());
    for (const double v : test::contents(coefficients)) EXPECT_NE(v, v);
    for (const double v : test::contents(intercept)) EXPECT_NE(v, v);
  }
}

TYPED_TEST(LinearFitsOn, RefuseWhatDoesNotFit) {
  using E = TypeParam;
  const E exec{};
  const auto x = this->template array<2>({5, 3}, test::samples<double>(15));
  const auto y = this->template array<1>({5}, test::samples<double>(5)), c = this->template array<1>({3}, {1, 2, 3});
  const Kokkos::View<double, E> b("b");
  test::expect_error("quern::linear_regression: y has extents (3), which do not fit x with extents (5, 3)",
                     [&] { quern::linear_regression(exec, c, x, c); });
  test::expect_error("quern::linear_regression: x has extents (5), expected (n, d), of 1 to 65536 columns",
                     [&] { quern::linear_regression(exec, c, y, y); });
  test::expect_error("quern::ridge: coefficients has extents (5), expected (3)", [&] { quern::ridge(y, x, y); });
  test::expect_error("quern::ridge: weights has extents (3), expected (5)", [&] { quern::ridge(c, x, y, weights{c}); });
  test::expect_error("quern::ridge: alpha is negative or NaN", [&] { quern::ridge(c, x, y, alpha{-1}); });
  const auto nothing = this->template array<1>({5}, std::vector<double>(5));
  test::expect_error("quern::linear_regression: all weights are zero",
                     [&] { quern::linear_regression(exec, outputs(c, b), x, y, weights{nothing}); });
  test::expect_error("quern::ridge: all weights are zero", [&] { quern::ridge(c, x, y, weights{nothing}); });
  const auto few = Kokkos::subview(x, std::pair(0, 3), Kokkos::ALL);
  const auto of_few = Kokkos::subview(y, std::pair(0, 3));
  test::expect_error("quern::linear_regression: x has 3 rows, expected at least 4",
                     [&] { quern::linear_regression(outputs(c, b), few, of_few); });
  test::expect_error("quern::ridge: x has 0 rows, expected at least 1", [&] {
    quern::ridge(c, Kokkos::subview(x, std::pair(0, 0), Kokkos::ALL), Kokkos::subview(y, std::pair(0, 0)));
  });
  test::expect_error("quern::linear_regression: coefficients and y share memory",
                     [&] { quern::linear_regression(of_few, x, y); });
  const auto own = this->template array<1>({5}, test::samples<double>(5));
  test::expect_error("quern::linear_regression: coefficients and weights share memory",
                     [&] { quern::linear_regression(of_few, x, own, weights{y}); });
  EXPECT_EQ((std::vector<double>{1, 2, 3}), test::contents(c));
  EXPECT_EQ(3, quern::ridge(outputs(c, b), few, of_few)) << "fewer rows than unknowns";
}

}  // namespace
