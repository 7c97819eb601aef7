// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Covariances and correlation coefficients, against NumPy's.

#include <cmath>
#include <limits>
#include <quern/linalg/covariance.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("linalg/data/covariance.npz");

/// Sums of at most 23 products of numbers up to `scale`, in T.
template <class T, class Expected>
void expect_near(const std::vector<Expected>& expected, const std::vector<T>& found, double scale) {
  ASSERT_EQ(expected.size(), found.size());
  const double error = 8 * scale * static_cast<double>(std::numeric_limits<quern::impl::real_type<T>>::epsilon());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(0, Kokkos::abs(Expected(found[i]) - expected[i]), error) << i;
}

template <class Case>
struct Covariance : testing::Test {
  using T = typename Case::value;
  static auto array(std::int64_t rows, std::int64_t columns, const std::vector<double>& values = {}) {
    std::vector<T> of_type(values.begin(), values.end());
    of_type.resize(rows * columns);
    return test::make_array<T, 2, typename Case::layout, typename Case::exec>({rows, columns}, of_type);
  }
};
using covariance_cases = test::covering<double, float>;
TYPED_TEST_SUITE(Covariance, covariance_cases);

TYPED_TEST(Covariance, IsNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->array(4, 23, numpy.values("x")), out = this->array(4, 4), of_columns = this->array(7, 7);
  quern::cov(exec, out, x);
  expect_near(numpy.values("cov"), test::contents(out), 20);
  quern::cov(out, x, quern::ddof{0});
  expect_near(numpy.values("cov_biased"), test::contents(out), 20);
  quern::cov(exec, of_columns, quern::slice(x, {{}, {0, 7}}), quern::axis{0});
  expect_near(numpy.values("cov_columns"), test::contents(of_columns), 20);
}

TYPED_TEST(Covariance, ByDeviationsIsNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->array(4, 23, numpy.values("x")), out = this->array(4, 4), of_columns = this->array(7, 7);
  quern::corrcoef(exec, out, x);
  expect_near(numpy.values("corrcoef"), test::contents(out), 2);
  quern::corrcoef(of_columns, quern::slice(x, {{}, {0, 7}}), quern::axis{0});
  expect_near(numpy.values("corrcoef_columns"), test::contents(of_columns), 2);
}

TYPED_TEST(Covariance, OfVectorsIsNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->array(4, 23, numpy.values("x")), out = this->array(2, 2);
  const auto a = Kokkos::subview(x, 0, Kokkos::ALL), b = Kokkos::subview(x, 1, Kokkos::ALL);
  const Kokkos::View<typename TypeParam::value, typename TypeParam::exec> one("one");
  quern::cov(exec, out, a, b);
  expect_near(numpy.values("cov_two"), test::contents(out), 20);
  quern::cov(out, a, b, quern::ddof{1});
  expect_near(numpy.values("cov_two"), test::contents(out), 20);
  quern::corrcoef(exec, out, a, b);
  expect_near(numpy.values("corrcoef_two"), test::contents(out), 2);
  quern::cov(exec, one, a, quern::ddof{0});
  expect_near(std::vector{numpy.value("cov_one")}, std::vector{test::value(one)}, 20);
  quern::corrcoef(one, a);
  expect_near(std::vector{1.0}, std::vector{test::value(one)}, 2);
}

// Their type holds what that of the result does not.
TYPED_TEST(Covariance, OfVectorsWiderThanTheResult) {
  using E = typename TypeParam::exec;
  const auto a = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, std::vector{1e9, 1e9 + 1, 1e9 + 2});
  const auto b = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, E>({3}, std::vector<std::int32_t>{0, 1, 2});
  const auto out = test::make_array<float, 2, Kokkos::LayoutRight, E>({2, 2}, std::vector<float>(4, 99));
  quern::cov(E(), out, a, b);
  EXPECT_EQ(std::vector<float>(4, 1), test::contents(out));
}

TYPED_TEST(Covariance, WithWeightsIsNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->array(4, 23, numpy.values("x")), out = this->array(4, 4), of_columns = this->array(7, 7);
  const auto f = test::make_array<std::int32_t, 1, typename TypeParam::layout, typename TypeParam::exec>(
      {23}, numpy.values<std::int32_t>("fweights"));
  const auto a =
      test::make_array<double, 1, typename TypeParam::layout, typename TypeParam::exec>({23}, numpy.values("aweights"));
  quern::cov(exec, out, x, quern::fweights{f});
  expect_near(numpy.values("cov_f"), test::contents(out), 20);
  quern::cov(out, x, quern::aweights{a});
  expect_near(numpy.values("cov_a"), test::contents(out), 20);
  quern::cov(exec, out, x, quern::aweights{a}, quern::checked, quern::fweights{f});
  expect_near(numpy.values("cov_fa"), test::contents(out), 20);
  quern::cov(exec, out, x, quern::fweights{f}, quern::aweights{a}, quern::ddof{0});
  expect_near(numpy.values("cov_fa_biased"), test::contents(out), 20);
  quern::cov(out, x, quern::ddof{3}, quern::fweights{f}, quern::aweights{a});
  expect_near(numpy.values("cov_fa_3"), test::contents(out), 20);
  quern::cov(exec, of_columns, quern::slice(x, {{}, {0, 7}}), quern::axis{0},
             quern::aweights{Kokkos::subview(a, std::pair(0, 4))});
  expect_near(numpy.values("cov_a_columns"), test::contents(of_columns), 20);
}

template <class Exec>
struct CovarianceOn : testing::Test {
  template <class T>
  static auto matrix(std::int64_t rows, std::int64_t columns, const std::vector<T>& values) {
    return test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns}, values);
  }
};
TYPED_TEST_SUITE(CovarianceOn, test::all_spaces);

TYPED_TEST(CovarianceOn, OfComplexNumbers) {
  using complex = Kokkos::complex<double>;
  const auto z = this->matrix(2, 23, numpy.values<complex>("z")), out = this->matrix(2, 2, std::vector<complex>(4));
  quern::cov(TypeParam(), out, z);
  expect_near(numpy.values<complex>("cov_z"), test::contents(out), 20);
  quern::corrcoef(TypeParam(), out, z);
  expect_near(numpy.values<complex>("corrcoef_z"), test::contents(out), 2);
}

TYPED_TEST(CovarianceOn, OfIntegersAndFarFromZero) {
  const auto whole = numpy.values<std::int32_t>("whole");
  const auto x = this->matrix(3, 11, whole);
  const auto out = this->matrix(3, 3, std::vector<double>(9));
  quern::cov(TypeParam(), out, x);
  expect_near(numpy.values("cov_whole"), test::contents(out), 40);
  // The mean, 2^52 and more, is rounded; the differences from it are not.
  std::vector<double> far;
  for (const int v : whole) far.push_back(4503599627370496.0 + v);
  quern::cov(TypeParam(), out, this->matrix(3, 11, far));
  expect_near(numpy.values("cov_whole"), test::contents(out), 40);
}

TYPED_TEST(CovarianceOn, WithWeightsOfComplexNumbersAndFarFromZero) {
  using complex = Kokkos::complex<double>;
  const auto counts = numpy.values<std::int32_t>("fweights");
  const auto f = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({23}, counts);
  const auto a = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({23}, numpy.values("aweights"));
  const auto of_complex = this->matrix(2, 2, std::vector<complex>(4));
  quern::cov(TypeParam(), of_complex, this->matrix(2, 23, numpy.values<complex>("z")), quern::fweights{f},
             quern::aweights{a});
  expect_near(numpy.values<complex>("cov_z_fa"), test::contents(of_complex), 20);
  std::vector<double> far;
  for (const int v : numpy.values<std::int32_t>("whole")) far.push_back(4503599627370496.0 + v);
  const auto out = this->matrix(3, 3, std::vector<double>(9));
  quern::cov(TypeParam(), out, this->matrix(3, 11, far), quern::fweights{Kokkos::subview(f, std::pair(0, 11))});
  expect_near(numpy.values("cov_whole_f"), test::contents(out), 40);
}

TYPED_TEST(CovarianceOn, WithWeightsThatDoNotFit) {
  const auto x = this->matrix(2, 3, std::vector<double>{1, 2, 4, 3, 1, 0});
  const auto out = this->matrix(2, 2, std::vector<double>(4, 7.0));
  const auto f = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({3}, {0, 1, 0});
  const auto a = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({3}, {1.0f, 2.0f, -0.5f});
  test::expect_error("quern::cov: fweights has extents (2), expected (3)",
                     [&] { quern::cov(out, x, quern::fweights{Kokkos::subview(f, std::pair(0, 2))}); });
  test::expect_error("quern::cov: out and aweights share memory", [&] {
    quern::cov(out, this->matrix(2, 2, std::vector<double>(4)), quern::aweights{Kokkos::subview(out, Kokkos::ALL, 0)});
  });
  try {
    quern::cov(out, x, quern::fweights{f}, quern::aweights{a}, quern::checked);
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_EQ(2, e.position());
    EXPECT_STREQ("quern::cov: aweights has a negative weight at position 2", e.what());
  }
  EXPECT_EQ(std::vector<double>(4, 7.0), test::contents(out));
  quern::cov(out, x, quern::fweights{f});  // one observation
  for (const double v : test::contents(out)) EXPECT_TRUE(std::isnan(v));
  quern::fill(f, 0);
  quern::cov(out, x, quern::fweights{f}, quern::ddof{0});
  for (const double v : test::contents(out)) EXPECT_TRUE(std::isnan(v));
}

TYPED_TEST(CovarianceOn, OfTooFewObservations) {
  const auto out = this->matrix(2, 2, std::vector<double>(4)), none = this->matrix(0, 0, std::vector<double>());
  quern::cov(TypeParam(), out, this->matrix(2, 1, std::vector<double>{1, 2}));
  for (const double v : test::contents(out)) EXPECT_TRUE(std::isnan(v));
  quern::fill(TypeParam(), out, 0.0);
  quern::cov(TypeParam(), out, this->matrix(2, 0, std::vector<double>()));
  for (const double v : test::contents(out)) EXPECT_TRUE(std::isnan(v));
  quern::cov(TypeParam(), none, this->matrix(0, 3, std::vector<double>()));
  // A variable that does not vary.
  quern::corrcoef(TypeParam(), out, this->matrix(2, 2, std::vector<double>{1, 2, 3, 3}));
  const auto found = test::contents(out);
  EXPECT_NEAR(1, found[0], 4e-16);
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(found[i])) << i;
}

TYPED_TEST(CovarianceOn, RejectsWhatDoesNotFit) {
  const auto x = this->matrix(2, 3, std::vector<double>(6, 1.0)), out = this->matrix(2, 2, std::vector<double>(4, 7.0));
  test::expect_error("quern::cov: out has extents (2, 2), expected (3, 3)",
                     [&] { quern::cov(TypeParam(), out, x, quern::axis{0}); });
  test::expect_error("quern::cov: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::cov(TypeParam(), out, x, quern::axis{2}); });
  const auto line = Kokkos::subview(x, 0, Kokkos::ALL), inside = Kokkos::subview(out, 0, Kokkos::ALL);
  test::expect_error("quern::cov: y has extents (2), expected (3)",
                     [&] { quern::cov(TypeParam(), out, line, inside); });
  test::expect_error("quern::cov: out and x share memory", [&] { quern::cov(TypeParam(), out, inside, inside); });
  test::expect_error("quern::corrcoef: out and in share memory", [&] { quern::corrcoef(TypeParam(), out, out); });
  EXPECT_EQ(std::vector<double>(4, 7.0), test::contents(out));
}

}  // namespace
