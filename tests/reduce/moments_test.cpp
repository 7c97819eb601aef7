// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

/// Mean and variance in two passes of long double.
struct exact {
  long double mean = 0, var = 0;
  template <class T>
  explicit exact(const std::vector<T>& x) {
    long double sum = 0;
    const long double first = x[0];
    for (const T v : x) sum += static_cast<long double>(v) - first;
    const long double shift = sum / x.size();
    mean = first + shift;
    long double rest = 0;
    for (const T v : x) {
      const long double d = (static_cast<long double>(v) - first) - shift;
      var += d * d;
      rest += d;
    }
    var = (var - rest * rest / x.size()) / x.size();
  }
};

template <class Case>
struct Moments : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;

  /// One array as a whole, in rows and in columns: variances to so many eps, of which 32 are documented.
  static void check(const std::vector<T>& x, const char* what, int bound) {
    const auto n = static_cast<std::int64_t>(x.size());
    const exact right(x);
    const auto v = test::make_array<T, 1, typename Case::layout, E>({n}, x);
    const auto [mean, var] = quern::mean_var(E(), v);
    expect(right, var, what, bound);
    EXPECT_LE(std::fabs(mean - right.mean), 4 * test::eps<T>() * (std::fabs(right.mean) + std::sqrt(right.var)))
        << what << " n = " << n;
    expect(right, quern::nanvar(E(), v), what, bound);
    const T root = quern::stddev(E(), v);
    expect(right, root * root, what, bound);
    expect(right, quern::var(E(), v, quern::reproducible), what, bound);
    constexpr std::int64_t lines = 20;
    if (n % lines != 0) return;
    for (int axis = 0; axis < 2; ++axis) {
      const std::array<std::int64_t, 2> extents = {axis == 0 ? n / lines : lines, axis == 0 ? lines : n / lines};
      const auto a = test::make_array<T, 2, typename Case::layout, E>(extents, x);
      const auto out = test::make_array<T, 1, typename Case::layout, E>({lines});
      quern::var(E(), out, a, quern::axis{axis});
      const auto got = test::contents(out);
      quern::var(E(), out, a, quern::axis{axis}, quern::reproducible);
      const auto same = test::contents(out);
      for (std::int64_t k = 0; k < lines; ++k) {
        std::vector<T> line;
        for (std::int64_t i = 0; i < n / lines; ++i) line.push_back(x[axis == 0 ? i * lines + k : k * (n / lines) + i]);
        expect(exact(line), got[k], what, bound);
        expect(exact(line), same[k], what, bound);
      }
    }
  }
  static void expect(const exact& right, long double got, const char* what, int bound) {
    EXPECT_LE(std::fabs(got - right.var), bound * test::eps<T>() * right.var) << what;
  }
  template <class F>
  static void check_all(const F& f, const char* what, int bound = 16) {
    for (const std::int64_t n : {1, 2, 3, 60, 160, 1000, 20'020}) {
      std::vector<T> x(n);
      for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(f(i, n));
      check(x, what, bound);
    }
  }
  /// Between -1 and 1.
  static double noise(std::int64_t i) {
    auto h = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9;
    return static_cast<double>(h >> 11) * 0x1p-52 - 1;
  }
};
using cases = test::covering<float, double>;
TYPED_TEST_SUITE(Moments, cases);

TYPED_TEST(Moments, KeepTheirDigitsAtEveryMean) {
  const double eps = test::eps<typename TypeParam::value>();
  for (const double ratio : {0.0, 1.0, 1e3, 0.01 / eps, 0.3 / eps, 1 / eps}) {
    for (const double dev : {1.0, 1e-3}) {
      const double mean = ratio * dev;
      this->check_all([&](std::int64_t i, std::int64_t) { return mean + dev * this->noise(i); }, "noise");
      this->check_all([&](std::int64_t i, std::int64_t n) { return mean + dev * static_cast<double>(i) / n; }, "ramp");
      this->check_all([&](std::int64_t i, std::int64_t n) { return mean + (2 * i < n ? 0 : dev); }, "step");
    }
  }
}

TYPED_TEST(Moments, KeepTheirDigitsBesideOutliers) {
  for (const double out : {0.0, 1e2, 1e6, 1e12, -1e12}) {
    for (const double mean : {0.0, 1e5, -1e7}) {
      this->check_all([&](std::int64_t i, std::int64_t) { return i == 0 ? out : mean + this->noise(i); }, "first");
      this->check_all([&](std::int64_t i, std::int64_t) { return i < 2 ? out : mean + this->noise(i); }, "first two");
      this->check_all([&](std::int64_t i, std::int64_t) { return i < 300 ? out : mean + this->noise(i); }, "first 300");
      this->check_all([&](std::int64_t i, std::int64_t n) { return i + 1 == n ? out : mean + this->noise(i); }, "last");
    }
  }
  // The center of the sums moves when it is farthest from the mean that it may be.
  for (const int zeros : {4, 8, 16, 128})
    this->check_all([&](std::int64_t i, std::int64_t) { return i < zeros ? 0 : 1e4 + 10 * this->noise(i); }, "zeros",
                    32);
  this->check_all(
      [](std::int64_t i, std::int64_t n) { return i == 0      ? std::sqrt(static_cast<double>(n))
                                                  : 2 * i < n ? 0
                                                              : 1; },
      "an outlier and a step");
  // Squares of a block's sum that overflow where the squares do not.
  const bool is_float = sizeof(typename TypeParam::value) == 4;
  for (const double large : is_float ? std::vector{1.1e17, 1.1e18, 3.3e18} : std::vector{1.3e152, 5.3e152, 1.1e153})
    this->check_all([&](std::int64_t i, std::int64_t) { return i < 3 ? 0 : large; }, "large after zeros");
}

TYPED_TEST(Moments, OfEqualValuesAreExact) {
  using T = typename TypeParam::value;
  for (const T value :
       {T(0.1), T(-1e10), std::numeric_limits<T>::max() / (sizeof(T) < 8 ? 1 : 4), std::numeric_limits<T>::min()})
    for (const std::int64_t n : {1, 2, 3, 7, 300, 10'001}) {
      const auto x =
          test::make_array<T, 1, typename TypeParam::layout, typename TypeParam::exec>({n}, std::vector<T>(n, value));
      const auto [mean, var] = quern::mean_var(typename TypeParam::exec(), x);
      EXPECT_EQ(value, mean) << n;
      EXPECT_EQ(T(0), var) << n;
    }
}

TYPED_TEST(Moments, OfValuesThatAreNotFinite) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const T inf = std::numeric_limits<T>::infinity();
  for (const std::int64_t n : {1, 5, 1000, 5000})
    for (const std::int64_t at : {std::int64_t(0), n / 2, n - 1}) {
      std::vector<T> x(n, T(3));
      x[at] = -inf;
      const auto [mean, var] = quern::mean_var(E(), test::make_array<T, 1, typename TypeParam::layout, E>({n}, x));
      EXPECT_EQ(-inf, mean);
      EXPECT_TRUE(std::isnan(var));
      x[at] = std::numeric_limits<T>::quiet_NaN();
      const auto none = quern::mean_var(E(), test::make_array<T, 1, typename TypeParam::layout, E>({n}, x));
      EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.var));
    }
  const T huge = std::numeric_limits<T>::max() / 2;
  const auto both =
      quern::mean_var(E(), test::make_array<T, 1, typename TypeParam::layout, E>({4}, {huge, -huge, huge, -huge}));
  EXPECT_EQ(T(0), both.mean);
  EXPECT_EQ(inf, both.var);
}

// Squares of floats that overflow are formed in double or scaled, in short rows and in long ones.
TEST(MomentsOfFloats, ReachTheLargestVariances) {
  using E = Kokkos::DefaultExecutionSpace;
  const auto two = test::make_array<float, 1, Kokkos::LayoutRight, E>({2}, {1e19f, -1e19f});
  EXPECT_FLOAT_EQ(1e38f, quern::var(E(), two));
  const auto apart = test::make_array<float, 1, Kokkos::LayoutRight, E>({2}, {8e37f, -3.4e38f});
  EXPECT_FLOAT_EQ(-1.3e38f, quern::mean(E(), apart));
  EXPECT_FLOAT_EQ(-1.3e38f, quern::mean_var(E(), apart).mean);
  for (const std::int64_t n : {3, 17, 100, 512, 5000}) {
    std::vector<float> x(n);
    x[0] = 1e19f;
    const double share = 1.0 / static_cast<double>(n);
    const auto v = test::make_array<float, 1, Kokkos::LayoutRight, E>({n}, x);
    EXPECT_NEAR(1, quern::var(E(), v) / (1e38 * share * (1 - share)), 1e-6) << n;
    const auto columns = test::make_array<float, 2, Kokkos::LayoutRight, E>({n, 20}, std::vector<float>(n * 20));
    Kokkos::deep_copy(Kokkos::subview(columns, 0, Kokkos::ALL), 1e19f);
    const auto out = test::make_array<float, 1, Kokkos::LayoutRight, E>({20});
    quern::var(E(), out, columns, quern::axis{0});
    EXPECT_NEAR(1, test::contents(out)[7] / (1e38 * share * (1 - share)), 1e-6) << n;
  }
}

// Three that are large leave the mean of the others its digits.
TEST(MomentsOfFloats, MeansBesideTheLargestNumbers) {
  using E = Kokkos::DefaultExecutionSpace;
  for (const std::int64_t n : {5000, 100'000}) {
    std::vector<float> x(n, 1.0f);
    x[0] = x[1] = x[2] = 3e38f;
    const exact right(x);
    const auto got = quern::mean_var(E(), test::make_array<float, 1, Kokkos::LayoutRight, E>({n}, x)).mean;
    EXPECT_NEAR(1, got / static_cast<double>(right.mean), 4 * test::eps<float>()) << n;
  }
}

/// Complex numbers, whose variance is the sum of those of their parts.
template <class Case>
struct ComplexMoments : testing::Test {};
using complex_cases = test::covering<Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(ComplexMoments, complex_cases);

TYPED_TEST(ComplexMoments, KeepTheirDigitsAtEveryMean) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using real = typename T::value_type;
  const auto noise = [](std::int64_t i) { return static_cast<double>(i * 2654435761 % 1000003) / 500'000 - 1; };
  const double eps = test::eps<real>();
  for (const double mean : {0.0, 1e3, 0.01 / eps, 0.3 / eps})
    for (const double out : {0.0, 1e3})
      for (const std::int64_t n : {2, 3, 60, 1000, 20'020}) {
        std::vector<T> x(n);
        std::vector<real> re(n), im(n);
        for (std::int64_t i = 0; i < n; ++i) {
          re[i] = static_cast<real>(mean + noise(i) + (i == 0 ? out : 0));
          im[i] = static_cast<real>(noise(i + 77) - mean / 3);
          x[i] = T(re[i], im[i]);
        }
        const exact right_re(re), right_im(im);
        const auto var = static_cast<double>(right_re.var + right_im.var);
        const auto got = quern::mean_var(E(), test::make_array<T, 1, typename TypeParam::layout, E>({n}, x));
        EXPECT_NEAR(var, got.var, 32 * eps * var) << mean << " " << n;
        EXPECT_NEAR(static_cast<double>(right_re.mean), got.mean.real(), 4 * eps * (mean + std::sqrt(var))) << n;
        EXPECT_NEAR(static_cast<double>(right_im.mean), got.mean.imag(), 4 * eps * (mean + std::sqrt(var))) << n;
      }
}

}  // namespace
