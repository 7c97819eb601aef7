// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <random>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("reduce/data/numpy.npz");
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
using quern::reproducible;

constexpr std::int64_t sizes[] = {1, 2, 7, 1000, 8191, 100003};

/// The generator's numbers.
double wide(std::int64_t i, int span) {
  const auto bits = (i * 2654435761 + 12345) % (1 << 24) - (1 << 23);
  return std::ldexp(static_cast<double>(bits), static_cast<int>(i * 7 % span) - span / 2 - 23);
}
double cancelling(std::int64_t i) {
  constexpr double values[] = {1e16, 1.0, -1e16};
  return i % 12 == 0 ? 0.3 : values[i % 3];
}
template <class T>
std::vector<T> numbers(bool cancel, std::int64_t n) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i)
    v[i] = static_cast<T>(cancel ? cancelling(i) : wide(i, std::is_same_v<T, float> ? 60 : 120));
  return v;
}
template <class T>
std::vector<double> frozen(bool cancel) {
  return numpy.values(std::string(cancel ? "cancelling_" : "wide_") + (std::is_same_v<T, float> ? "float" : "double"));
}

template <class T, class Exec, class X, class Y>
std::vector<double> results(const Exec& e, const X& x, const Y& next) {
  return {quern::sum(e, x, reproducible), quern::mean(e, x, reproducible), quern::dot(e, x, next, reproducible),
          quern::norm(e, x, reproducible), quern::var(e, x, reproducible)};
}

/// Exact comparison of what was found with the frozen results of size number `i`.
template <class T>
void expect_frozen(const std::vector<double>& found, bool cancel, std::size_t i) {
  const auto expected = frozen<T>(cancel);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(expected[5 * i + k]), std::bit_cast<std::uint64_t>(found[k]))
        << (cancel ? "cancelling" : "wide") << ", size " << sizes[i] << ", quantity " << k << ": " << found[k]
        << ", expected " << expected[5 * i + k];
}

template <class Case>
struct Reproducible : testing::Test {};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Reproducible, cases);

TYPED_TEST(Reproducible, HasTheFrozenBits) {
  using T = typename TypeParam::value;
  const typename TypeParam::exec e;
  for (const bool cancel : {false, true})
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      const std::int64_t n = sizes[i];
      auto values = numbers<T>(cancel, n + 1);
      const std::vector<T> next(values.begin() + 1, values.end());
      values.pop_back();
      const auto x = test::make_array<T, 1, typename TypeParam::layout, typename TypeParam::exec>({n}, values);
      const auto y = test::make_array<T, 1, typename TypeParam::layout, typename TypeParam::exec>({n}, next);
      expect_frozen<T>(results<T>(e, x, y), cancel, i);
    }
}

TYPED_TEST(Reproducible, AlongAxesAsOneByOne) {
  using T = typename TypeParam::value;
  using exec = typename TypeParam::exec;
  using layout = typename TypeParam::layout;
  const exec e;
  for (const std::array<std::int64_t, 2>& extents :
       {std::array<std::int64_t, 2>{3, 3001}, {3001, 3}, {70, 129}, {129, 70}}) {
    const auto values = numbers<T>(false, extents[0] * extents[1]);
    const auto x = test::make_array<T, 2, layout, exec>(extents, values);
    for (const int axis : {0, 1}) {
      const std::int64_t results = extents[1 - axis];
      const auto sums = test::make_array<T, 1, layout, exec>({results});
      const auto vars = test::make_array<T, 1, layout, exec>({results});
      quern::sum(e, sums, x, quern::axis{axis}, reproducible);
      quern::var(e, vars, x, quern::axis{axis}, reproducible, quern::ddof{1});
      const auto s = test::contents(sums), v = test::contents(vars);
      for (std::int64_t r = 0; r < results; r += results > 1000 ? 37 : 1) {
        std::vector<T> line(extents[axis]);
        for (std::int64_t k = 0; k < extents[axis]; ++k)
          line[k] = axis == 0 ? values[k * extents[1] + r] : values[r * extents[1] + k];
        const auto one = test::make_array<T, 1, Kokkos::LayoutRight, exec>({extents[axis]}, line);
        ASSERT_EQ(quern::sum(e, one, reproducible), s[r]) << extents[0] << " x " << extents[1] << " along " << axis;
        ASSERT_EQ(quern::var(e, one, reproducible, quern::ddof{1}), v[r]) << "result " << r << " along " << axis;
      }
    }
  }
}

template <class Exec>
struct ReproducibleOn : testing::Test {
  Exec e;
  template <class T>
  auto on_device(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(ReproducibleOn, test::all_spaces);

TYPED_TEST(ReproducibleOn, NoOrderMatters) {
  auto values = numbers<double>(false, 50'000);
  const double sum = quern::sum(this->e, this->on_device(values), reproducible);
  std::mt19937 random(7);
  for (int i = 0; i < 3; ++i) {
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(sum, quern::sum(this->e, this->on_device(values), reproducible));
  }
  std::ranges::sort(values, {}, [](double v) { return std::abs(v); });
  EXPECT_EQ(sum, quern::sum(this->e, this->on_device(values), reproducible)) << "ascending";
  std::ranges::reverse(values);
  EXPECT_EQ(sum, quern::sum(this->e, this->on_device(values), reproducible)) << "descending";
}

TYPED_TEST(ReproducibleOn, ExtremesOfTheRange) {
  const auto sum = [&](const std::vector<double>& v) { return quern::sum(this->e, this->on_device(v), reproducible); };
  const double most = std::numeric_limits<double>::max(), least = 0x1p-1074;
  EXPECT_EQ(0.0, sum({}));
  EXPECT_EQ(0.0, sum({0.0, -0.0, 0.0}));
  EXPECT_EQ(3 * least, sum({least, least, least}));
  EXPECT_EQ(0x1p-1022, sum({0x1p-1022 - least, least}));
  EXPECT_EQ(most, sum({most, most, -most})) << "no overflow on the way";
  EXPECT_EQ(inf, sum({most, most}));
  EXPECT_EQ(0x1p990, sum({most, 0x1p990, 1.0, -most}));
  EXPECT_EQ(1.0, sum({0x1p-1000, 1.0, -0x1p-1000}));
  EXPECT_EQ(inf, sum({1.0, inf, -most}));
  EXPECT_EQ(-inf, sum({-inf, 1.0}));
  EXPECT_TRUE(std::isnan(sum({inf, 1.0, -inf})));
  EXPECT_TRUE(std::isnan(sum({1.0, nan, inf})));
  std::vector<double> late(10'000, 1.0);
  late[9'999] = nan;
  EXPECT_TRUE(std::isnan(sum(late)));
  late[9'999] = -inf;
  EXPECT_EQ(-inf, sum(late));
}

TYPED_TEST(ReproducibleOn, OtherTypes) {
  const auto values = numbers<double>(false, 1'003);
  std::vector<Kokkos::complex<double>> complexes;
  std::vector<std::int32_t> integers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    complexes.emplace_back(values[i], values[values.size() - 1 - i]);
    integers.push_back(static_cast<std::int32_t>(i * 2654435761u));
  }
  const double sum = quern::sum(this->e, this->on_device(values), reproducible);
  const auto both = quern::sum(this->e, this->on_device(complexes), reproducible);
  EXPECT_EQ(sum, both.real());
  EXPECT_EQ(sum, both.imag());
  const auto z = this->on_device(complexes);
  const double square = quern::norm(this->e, z, reproducible);
  EXPECT_NEAR(quern::norm(this->e, z), square, 1e-14 * square);
  const double magnitudes = quern::norm<1>(this->e, z, reproducible);
  EXPECT_NEAR(quern::norm<1>(this->e, z), magnitudes, 1e-14 * magnitudes);
  EXPECT_NEAR(quern::norm<quern::norm_order::infinity>(this->e, z),
              quern::norm<quern::norm_order::infinity>(this->e, z, reproducible), 1e-14 * magnitudes);
  EXPECT_NEAR(quern::var(this->e, z), quern::var(this->e, z, reproducible), 1e-13 * square * square);
  const auto product = quern::dot(this->e, z, z, reproducible) - quern::dot(this->e, z, z);
  EXPECT_LE(Kokkos::abs(product), 1e-14 * square * square);
  const auto i = this->on_device(integers);
  EXPECT_EQ(quern::sum(this->e, i), quern::sum(this->e, i, reproducible));
  EXPECT_EQ(quern::dot(this->e, i, i), quern::dot(this->e, i, i, reproducible));
  EXPECT_NEAR(quern::mean(this->e, i), quern::mean(this->e, i, reproducible), 1e-6);
}

TYPED_TEST(ReproducibleOn, WritesAView) {
  const auto x = this->on_device(numbers<double>(true, 8191));
  const Kokkos::View<double, typename TypeParam::memory_space> out("out");
  const auto expected = numpy.values("cancelling_double");
  quern::sum(this->e, out, x, reproducible);
  EXPECT_EQ(expected[20], test::value(out));
  quern::sum(out, x, reproducible);
  EXPECT_EQ(expected[20], test::value(out));
  quern::stddev(this->e, out, x, reproducible);
  EXPECT_EQ(std::sqrt(expected[24]), test::value(out));
  EXPECT_TRUE(std::isnan(quern::var(this->e, x, quern::ddof{8191}, reproducible)));
}

// Against what pairwise summation may err at most: log2(n) roundings of the sum of magnitudes.
TYPED_TEST(ReproducibleOn, AsAccurateAsPairwiseSummation) {
  for (const std::int64_t n : {1'000, 100'000}) {
    const auto values = numbers<double>(false, n);
    long double exact = 0, magnitudes = 0;
    for (const double v : values) {
      exact += v;
      magnitudes += std::abs(v);
    }
    const double s = quern::sum(this->e, this->on_device(values), reproducible);
    EXPECT_LE(std::abs(static_cast<double>(s - exact)), 0x1p-53 * std::log2(n) * static_cast<double>(magnitudes));
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(ReproducibleThreads, AnyNumberGivesTheFrozenBits) {
  for (const int threads : {1, 2, 3, 7}) {
    const Kokkos::OpenMP e(threads);
    ASSERT_EQ(threads, e.concurrency());
    for (const bool cancel : {false, true})
      for (std::size_t i = 0; i < std::size(sizes); ++i) {
        auto values = numbers<double>(cancel, sizes[i] + 1);
        const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> x(values.data(),
                                                                                                  sizes[i]),
            y(values.data() + 1, sizes[i]);
        expect_frozen<double>(results<double>(e, x, y), cancel, i);
      }
  }
}
#endif

}  // namespace
