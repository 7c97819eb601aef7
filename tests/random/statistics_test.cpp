// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether random numbers are distributed as they should be: fixed keys, so that a test passes always or never, and
// limits that a sequence of true random numbers exceeds about once in 100 000 times.

#include <cmath>
#include <quern/random/distributions.hpp>
#include <quern/random/permutation.hpp>

#include "support/testing.hpp"

namespace {

using quern::random::key;
using quern::random::part_of;

constexpr double limit = 4.5;  // standard deviations

/// The deviation of a chi-square from its mean in standard deviations, by Wilson and Hilferty's cube root.
double chi_square_deviation(const std::vector<double>& expected, const std::vector<std::int64_t>& found) {
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = static_cast<double>(found[i]) - expected[i];
    sum += d * d / expected[i];
  }
  const double freedom = static_cast<double>(expected.size()) - 1, ninth = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - ninth)) / std::sqrt(ninth);
}

/// What is known of numbers that should be uniform, of their neighbours and of those of another key.
class uniformity {
 public:
  void add(double u, double other) {
    ++n_;
    ++counts_[std::min(static_cast<int>(u * bins), bins - 1)];
    const double x = u - 0.5;
    double power = 1;
    for (double& moment : moments_) moment += power *= x;
    serial_ += x * last_;
    after_next_ += x * before_last_;
    across_ += x * (other - 0.5);
    before_last_ = last_;
    last_ = x;
  }
  void expect_uniform() const {
    const double n = static_cast<double>(n_);
    EXPECT_LT(std::fabs(chi_square_deviation(std::vector<double>(bins, n / bins), counts_)), limit);
    // Kolmogorov and Smirnov's distance at the edges of the bins; 2.5 / sqrt(n) is exceeded once in 134 000 times.
    double distance = 0, below = 0;
    for (int b = 0; b < bins; ++b) {
      below += static_cast<double>(counts_[b]);
      distance = std::max(distance, std::fabs(below / n - (b + 1.0) / bins));
    }
    EXPECT_LT(distance * std::sqrt(n), 2.5);
    for (int k = 1; k <= 4; ++k) {
      const double mean = k % 2 == 1 ? 0 : std::pow(0.5, k) / (k + 1),
                   variance = std::pow(0.5, 2 * k) / (2 * k + 1) - mean * mean;
      EXPECT_LT(std::fabs(moments_[k - 1] / n - mean), limit * std::sqrt(variance / n)) << "moment " << k;
    }
    for (const double product : {serial_, after_next_, across_})
      EXPECT_LT(std::fabs(product / n), limit / 12 / std::sqrt(n)) << "correlation";
  }

 private:
  static constexpr int bins = 4096;
  std::int64_t n_ = 0;
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(bins);
  double moments_[4] = {}, serial_ = 0, after_next_ = 0, across_ = 0, last_ = 0, before_last_ = 0;
};

/// Draws a long field in parts, and another of a derived key beside it, and looks at their images under the cumulative
/// distribution function.
template <class T, class Exec, class Fill, class Distribution>
void expect_distributed(std::int64_t n, const Fill& fill, const Distribution& f) {
  const std::int64_t chunk = 1 << 18;
  const Kokkos::View<T*, typename Exec::memory_space> a("a", chunk), b("b", chunk);
  uniformity all;
  for (std::int64_t i = 0; i < n; i += chunk) {
    fill(a, part_of(key(2024), {n + chunk}, {i}));
    fill(b, part_of(quern::random::fold_in(key(2024), 1), {n + chunk}, {i}));
    const auto x = test::contents(a), y = test::contents(b);
    for (std::int64_t k = 0; k < chunk; ++k) all.add(f(static_cast<double>(x[k])), f(static_cast<double>(y[k])));
  }
  all.expect_uniform();
}

template <class Exec>
class Statistics : public testing::Test {
 protected:
  // 1e8 in one execution space, whose bits are those of all others.
  static constexpr std::int64_t many = std::is_same_v<Exec, Kokkos::DefaultExecutionSpace> ? 100'000'000 : 1'000'000;
  static constexpr std::int64_t some = std::is_same_v<Exec, Kokkos::DefaultExecutionSpace> ? 4'000'000 : 1'000'000;
};
TYPED_TEST_SUITE(Statistics, test::all_spaces);

inline double unit(double x) { return x; }
double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double exponential_below(double x) { return -std::expm1(-x); }

TYPED_TEST(Statistics, UniformDouble) {
  expect_distributed<double, TypeParam>(
      this->many, [](const auto& v, const part_of& p) { quern::random::uniform(TypeParam(), v, p); }, unit);
}
TYPED_TEST(Statistics, UniformFloat) {
  expect_distributed<float, TypeParam>(
      this->some, [](const auto& v, const part_of& p) { quern::random::uniform(TypeParam(), v, p); }, unit);
}
TYPED_TEST(Statistics, NormalFloat) {
  expect_distributed<float, TypeParam>(
      5 * this->some, [](const auto& v, const part_of& p) { quern::random::normal(TypeParam(), v, p); }, normal_below);
}
TYPED_TEST(Statistics, NormalDouble) {
  expect_distributed<double, TypeParam>(
      this->some, [](const auto& v, const part_of& p) { quern::random::normal(TypeParam(), v, p, 1, 2); },
      [](double x) { return normal_below((x - 1) / 2); });
}
TYPED_TEST(Statistics, Exponential) {
  expect_distributed<double, TypeParam>(
      this->some, [](const auto& v, const part_of& p) { quern::random::exponential(TypeParam(), v, p); },
      exponential_below);
  expect_distributed<float, TypeParam>(
      this->some, [](const auto& v, const part_of& p) { quern::random::exponential(TypeParam(), v, p, 3); },
      [](double x) { return exponential_below(x / 3); });
}

/// The tails of the normal distribution, which a uniform grid of images cannot show.
TYPED_TEST(Statistics, NormalTails) {
  const std::int64_t n = 4'000'000;
  const Kokkos::View<float*, typename TypeParam::memory_space> v("v", n);
  quern::random::normal(TypeParam(), v, key(77));
  const auto x = test::contents(v);
  for (const double from : {3.0, 4.0, 4.5}) {
    for (const double side : {-1.0, 1.0}) {
      const double expected = static_cast<double>(n) * normal_below(-from);
      const auto found = std::count_if(x.begin(), x.end(), [&](float y) { return side * y > from; });
      EXPECT_NEAR(expected, static_cast<double>(found), limit * std::sqrt(expected) + 1) << from * side;
    }
  }
}

/// The regularized lower incomplete gamma function (series, and Lentz's continued fraction).
double gamma_below(double a, double x) {
  if (x <= 0) return 0;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 1000 && term > 1e-16 * sum; ++k) sum += term *= x / (a + k);
    return sum * scale;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 1000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return 1 - h * scale;
}
template <class V>
struct gamma_of_generators {
  V out;
  key of;
  std::int64_t first;
  double shape;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out(i) = 2 * quern::random::Generator(of, first + i).gamma(shape);
  }
};
TYPED_TEST(Statistics, Gamma) {
  for (const double shape : {0.3, 1.0, 2.5, 100.0}) {
    const auto below = [&](double x) { return gamma_below(shape, x / 2); };
    expect_distributed<double, TypeParam>(
        1 << 18, [&](const auto& v, const part_of& p) { quern::random::gamma(TypeParam(), v, p, shape, 2); }, below);
    expect_distributed<double, TypeParam>(
        1 << 18,
        [&](const auto& v, const part_of& p) {
          using view = std::remove_cvref_t<decltype(v)>;
          const std::int64_t first = p.first.extent[0];
          Kokkos::parallel_for(Kokkos::RangePolicy<TypeParam>(0, v.size()),
                               gamma_of_generators<view>{v, p.of, first, shape});
        },
        below);
  }
}

/// Mean and variance of gamma numbers, in units of what they should be.
template <class T, class Exec>
void expect_gamma_moments(double shape) {
  const std::int64_t n = 1 << 20;
  const Kokkos::View<T*, typename Exec::memory_space> v("v", n);
  quern::random::gamma(Exec(), v, key(8), shape);
  long double sum = 0, squares = 0;
  for (const T x : test::contents(v)) {
    const long double z = (static_cast<long double>(x) - shape) / std::sqrt(static_cast<long double>(shape));
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(0, static_cast<double>(sum / n), limit / std::sqrt(static_cast<double>(n))) << shape;
  EXPECT_NEAR(1, static_cast<double>(squares / n), limit * std::sqrt((2 + 6 / shape) / static_cast<double>(n)))
      << shape;
}
// Those of large shapes are normal numbers except for a skewness of 2 / sqrt(shape).
TYPED_TEST(Statistics, GammaOfLargeShapes) {
  for (const double shape : {1e15, 1e16, 1e19}) {
    const auto below = [&](double x) { return normal_below((x - shape) / std::sqrt(shape)); };
    expect_distributed<double, TypeParam>(
        1 << 18, [&](const auto& v, const part_of& p) { quern::random::gamma(TypeParam(), v, p, shape); }, below);
    expect_distributed<double, TypeParam>(
        1 << 18,
        [&](const auto& v, const part_of& p) {
          using view = std::remove_cvref_t<decltype(v)>;
          const std::int64_t first = p.first.extent[0];
          Kokkos::parallel_for(Kokkos::RangePolicy<TypeParam>(0, v.size()),
                               gamma_of_generators<view>{v, p.of, first, shape});
        },
        [&](double x) { return below(x / 2); });
  }
  // As far as adjacent numbers are closer than a deviation.
  for (const double shape : {1e3, 1e6, 1.1e6, 1e10, 1e16, 1e22, 1e26}) expect_gamma_moments<double, TypeParam>(shape);
  for (const double shape : {1e3, 1.1e6, 1e10, 1e12}) expect_gamma_moments<float, TypeParam>(shape);
}

/// Whole numbers against their probabilities; those that are rare count together.
template <class Exec, class Fill, class LogProbability>
double whole_deviation(std::int64_t n, std::int64_t range, const Fill& fill, const LogProbability& log_p) {
  const Kokkos::View<std::int64_t*, typename Exec::memory_space> v("v", n);
  fill(v);
  std::vector<std::int64_t> counts(range + 1);
  for (const auto x : test::contents(v)) {
    EXPECT_GE(x, 0);
    ++counts[std::min(std::max<std::int64_t>(x, 0), range)];
  }
  std::vector<double> expected{0};
  std::vector<std::int64_t> found{0};
  double left = static_cast<double>(n);
  std::int64_t left_found = n;
  for (std::int64_t k = 0; k < range; ++k) {
    const double e = static_cast<double>(n) * std::exp(log_p(static_cast<double>(k)));
    expected.back() += e;
    found.back() += counts[k];
    left -= e;
    left_found -= counts[k];
    if (expected.back() >= 20 && left >= 20) expected.push_back(0), found.push_back(0);
  }
  expected.back() += left;
  found.back() += left_found;
  return chi_square_deviation(expected, found);
}

TYPED_TEST(Statistics, Poisson) {
  const Kokkos::View<double*, typename TypeParam::memory_space> rates("rates", 1);
  for (const double rate : {0.05, 3.0, 9.9, 10.0, 30.0, 700.0, 1e6})
    for (const bool of_generators : {false, true}) {
      Kokkos::deep_copy(rates, rate);
      const double deviation = whole_deviation<TypeParam>(
          500'000, static_cast<std::int64_t>(rate + 20 * std::sqrt(rate) + 20),
          [&](const auto& v) {
            if (of_generators) quern::random::poisson(TypeParam(), v, key(4), rates);
            else quern::random::poisson(TypeParam(), v, key(4), rate);
          },
          [&](double k) { return k * std::log(rate) - rate - std::lgamma(k + 1); });
      EXPECT_LT(std::fabs(deviation), limit) << rate << ' ' << of_generators;
    }
}

TYPED_TEST(Statistics, Bernoulli) {
  for (const double p : {1e-4, 0.3, 0.999}) {
    const std::int64_t n = 1'000'000;
    const Kokkos::View<bool*, typename TypeParam::memory_space> v("v", n);
    quern::random::bernoulli(TypeParam(), v, key(5), p);
    std::int64_t sum = 0;
    for (const bool b : test::contents(v)) sum += b;
    EXPECT_NEAR(n * p, static_cast<double>(sum), limit * std::sqrt(n * p * (1 - p))) << p;
  }
}

TYPED_TEST(Statistics, WeightedChoice) {
  const std::vector<float> weights{0, 1, 0.5f, 0, 10, 0.01f, -3, std::nanf(""), 4, 0};
  const auto w = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({10}, weights);
  double all = 0;
  for (const float x : weights) all += x > 0 ? x : 0;
  const std::int64_t n = 1'000'000;
  const Kokkos::View<int*, typename TypeParam::memory_space> v("v", n);
  quern::random::choice(TypeParam(), v, key(6), w);
  std::vector<std::int64_t> counts(10);
  for (const int x : test::contents(v)) {
    ASSERT_TRUE(x >= 0 && x < 10) << x;
    ++counts[x];
  }
  for (int k = 0; k < 10; ++k) {
    const double p = weights[k] > 0 ? weights[k] / all : 0;
    EXPECT_NEAR(static_cast<double>(n) * p, static_cast<double>(counts[k]),
                limit * std::sqrt(static_cast<double>(n) * p * (1 - p)))
        << k;
  }
}

// Products of the smallest numbers are rounded to few different ones.
TYPED_TEST(Statistics, ChoiceByTheSmallestWeights) {
  for (const double unit : {5e-324, 1e-320, 1e-300, 1e300}) {
    const std::vector<double> weights{unit, 3 * unit, 0, 2 * unit};
    const auto w = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({4}, weights);
    const std::int64_t n = 200'000;
    const Kokkos::View<int*, typename TypeParam::memory_space> v("v", n);
    quern::random::choice(TypeParam(), v, key(6), w);
    std::vector<std::int64_t> counts(4);
    for (const int x : test::contents(v)) {
      ASSERT_TRUE(x >= 0 && x < 4) << x;
      ++counts[x];
    }
    for (int k = 0; k < 4; ++k) {
      const double p = std::array{1.0, 3.0, 0.0, 2.0}[k] / 6;
      EXPECT_NEAR(static_cast<double>(n) * p, static_cast<double>(counts[k]),
                  limit * std::sqrt(static_cast<double>(n) * p * (1 - p)))
          << unit << ' ' << k;
    }
  }
}

// All 120 orders of five, by the key; and where each of 300 goes.
TYPED_TEST(Statistics, Permutations) {
  const Kokkos::View<int*, typename TypeParam::memory_space> five("five", 5), more("more", 300);
  std::vector<std::int64_t> orders(3125), places(300 * 300);
  const int keys = std::is_same_v<TypeParam, Kokkos::DefaultExecutionSpace> ? 30'000 : 6'000;
  for (int k = 0; k < keys; ++k) {
    quern::random::permutation(TypeParam(), five, key(k));
    int code = 0;
    for (const int x : test::contents(five)) code = 5 * code + x;
    ++orders[code];
    if (k % 3 != 0) continue;
    quern::random::permutation(TypeParam(), more, key(k));
    const auto p = test::contents(more);
    for (int i = 0; i < 300; ++i) ++places[300 * i + p[i]];
  }
  std::erase(orders, 0);
  ASSERT_EQ(120u, orders.size());
  EXPECT_LT(std::fabs(chi_square_deviation(std::vector<double>(120, keys / 120.0), orders)), limit);
  EXPECT_LT(std::fabs(chi_square_deviation(std::vector<double>(90'000, keys / 900.0), places)), limit);
}

/// Sine, cosine, logarithm, root and exponential function beside long double.
template <class T>
double ulps(T found, long double exact, long double unit_of) {
  const int e = std::ilogb(static_cast<double>(unit_of)) + 1 - std::numeric_limits<T>::digits;
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / std::ldexp(1.0L, e));
}
template <class T>
void expect_accurate() {
  namespace portable = quern::impl::portable;
  double log_error = 0, root_error = 0, sin_error = 0, cos_error = 0;
  const long double half_pi = 1.570796326794896619231321691639751442L;
  for (int i = 1; i < 300'000; ++i) {
    const T u = static_cast<T>(i < 1000 ? std::ldexp(1.0 + i / 1000.0, -i % 60) : i / 300'001.0),
            t = 2 * static_cast<T>(i / 300'001.0) - 1;
    const long double l = std::log(static_cast<long double>(u)), r = std::sqrt(static_cast<long double>(u));
    log_error = std::max(log_error, ulps(portable::log(u), l, l));
    root_error = std::max(root_error, ulps(portable::sqrt(u), r, r));
    sin_error = std::max(sin_error, ulps(portable::sin_quarter(t), std::sin(half_pi * t), 1));
    cos_error = std::max(cos_error, ulps(portable::cos_quarter(t), std::cos(half_pi * t), 1));
  }
  EXPECT_LE(log_error, 2);
  EXPECT_LE(root_error, 1);
  EXPECT_LE(sin_error, 1.5);
  EXPECT_LE(cos_error, 1.5);
}
TEST(PortableFunctions, AreAccurate) {
  expect_accurate<float>();
  expect_accurate<double>();
  double error = 0;
  for (int i = -6990; i < 6990; ++i) {
    const double x = i / 10.0;
    error = std::max(error, ulps(quern::impl::portable::exp(x), std::exp(static_cast<long double>(x)),
                                 std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(error, 2);
}

struct roots_differ {
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const auto x = Kokkos::bit_cast<float>(0x3f000000u + static_cast<std::uint32_t>(i));
    wrong += quern::impl::portable::sqrt(x) != Kokkos::sqrt(x);
  }
};
// Roots scale by powers of four, so that the mantissas from 1/2 to 2 are all there are.
TYPED_TEST(Statistics, RootsOfFloatsAreExact) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::int64_t>>(0, 1 << 24), roots_differ(),
                          wrong);
  EXPECT_EQ(0, wrong);
}

}  // namespace
