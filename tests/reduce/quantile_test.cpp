// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
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
using quern::interpolation;

template <class Case>
struct Quantile : testing::Test {
  typename Case::exec e;

  template <class V>
  static auto on_device(const std::vector<V>& v) {
    return test::make_array<V, 1, typename Case::layout, typename Case::exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<typename Case::value>& v) {
    return test::make_array<typename Case::value, Rank, typename Case::layout, typename Case::exec>(extents, v);
  }
};
using cases = test::covering<double, float, std::int32_t>;
TYPED_TEST_SUITE(Quantile, cases);

template <class Case>
struct QuantileOfDoubles : Quantile<Case> {};
using double_cases = test::covering<double>;
TYPED_TEST_SUITE(QuantileOfDoubles, double_cases);

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// A product that no compiler contracts with what is done to it next.
double product(double a, double b) {
  const volatile double p = a * b;
  return p;
}

/// What sorting gives.
template <class T>
auto by_sorting(std::vector<T> v, double q) {
  using number = quern::impl::mean_type<T>;
  std::sort(v.begin(), v.end());
  const double at = product(q, static_cast<double>(v.size() - 1));
  const auto k = static_cast<std::size_t>(at);
  const auto a = static_cast<double>(v[k]), b = static_cast<double>(v[std::min(k + 1, v.size() - 1)]);
  const double t = at - static_cast<double>(k);
  if (t == 0 || a == b) return static_cast<number>(a);
  return static_cast<number>(t < 0.5 ? a + product(b - a, t) : b - product(b - a, 1 - t));
}

/// Data of several kinds, the same everywhere.
template <class T>
std::vector<T> data(int kind, std::int64_t n) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(kind * 1000 + n));
  const auto unit = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double u = unit(), spread = std::is_integral_v<T> ? 1e8 : 1.0;
    switch (kind) {
      case 0:
        v[i] = static_cast<T>(spread * (u - 0.5));
        break;
      case 1:
        v[i] = static_cast<T>(7);
        break;
      case 2:
        v[i] = static_cast<T>(u < 0.5 ? -3 : 4);
        break;
      case 3:
        v[i] = static_cast<T>(static_cast<double>(i) * 1e3 - 1e6);
        break;
      case 4:
        v[i] = static_cast<T>(i % 10);
        break;
      default:
        v[i] = static_cast<T>((u < 0.5 ? -1 : 1) * std::exp(18 * unit()));
        break;
    }
  }
  return v;
}

TYPED_TEST(Quantile, EqualsSorting) {
  using T = typename TypeParam::value;
  for (const std::int64_t n : {1, 2, 5, 8, 9, 32, 33, 64, 257, 5000, 65536, 65537, 300'001})
    for (int kind = 0; kind < 6; ++kind) {
      const auto values = data<T>(kind, n);
      const auto x = this->on_device(values);
      for (const double q : {0.0, 0.001, 0.3, 0.5, 0.97, 1.0})
        EXPECT_EQ(by_sorting(values, q), quern::quantile(this->e, x, q)) << n << " of kind " << kind << ", " << q;
      EXPECT_EQ(by_sorting(values, 0.5), quern::median(this->e, x));
    }
}

// Beside infinities, and between numbers whose distance overflows, in lines that a thread, a team and several teams
// select from: the two in the middle are a and b.
TYPED_TEST(QuantileOfDoubles, ExtremeNeighbours) {
  const auto check = [&](double a, double b, double linear, double quarter) {
    for (const std::int64_t n : {2, 40, 2000, 70'000}) {
      std::vector<double> values(n, a);
      std::fill(values.begin() + n / 2, values.end(), b);
      std::shuffle(values.begin(), values.end(), std::mt19937(7));
      const auto x = this->on_device(values);
      const auto expect = [&](double expected, double found) {
        EXPECT_TRUE(same(expected, found)) << a << ' ' << b << ' ' << n << ": " << found << ", expected " << expected;
      };
      expect(linear, quern::median(this->e, x));
      expect(linear, quern::quantile(this->e, x, 0.5, interpolation::midpoint));
      expect(a, quern::quantile(this->e, x, 0.5, interpolation::lower));
      expect(b, quern::quantile(this->e, x, 0.5, interpolation::higher));
      expect((n / 2 - 1) % 2 == 0 ? a : b, quern::quantile(this->e, x, 0.5, interpolation::nearest));
      expect(n == 2 ? quarter : a, quern::quantile(this->e, x, 0.25));
      expect(a, quern::quantile(this->e, x, 0.0, interpolation::midpoint));
      expect(b, quern::quantile(this->e, x, 1.0));
    }
  };
  check(0, inf, inf, inf);
  check(-inf, 0, -inf, -inf);
  check(-inf, inf, nan, nan);
  check(inf, inf, inf, inf);
  check(-1.5e308, 1.5e308, 0, -0.75e308);
  check(1.5e308, 1.6e308, 1.55e308, 1.525e308);
}

/// Of all elements of a type, whatever a device has less than.
template <class T>
void expect_tiles_to_fit() {
  using member = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>::member_type;
  using selectors = quern::impl::selectors<Kokkos::DefaultHostExecutionSpace, member, T>;
  for (const std::int64_t room : {16 << 10, 40 << 10, 46056, 64 << 10})
    for (const bool results_fastest : {false, true})
      for (std::int64_t inner = 1; inner <= 5000; inner = inner * 3 / 2 + 1)
        for (std::int64_t n = 33; n <= 100'000; n = n * 4 / 3 + 1) {
          const auto s = quern::impl::device_tile<selectors, T>(results_fastest, inner, n, 256, room, 16);
          ASSERT_EQ(s.held, !results_fastest && n <= 16 * 256);
          if (s.held) {
            ASSERT_TRUE(s.across == 1 && s.team == s.along && s.team <= 256 && n <= 16 * s.team);
            continue;
          }
          ASSERT_LE(quern::impl::tile_bytes<selectors>(s), room) << room << ' ' << inner << ' ' << n;
          ASSERT_TRUE(s.across >= 1 && s.across * s.along <= s.team && s.log_bins >= 5);
        }
}
TEST(QuantileShapes, FitIntoTheDevicesMemory) {
  expect_tiles_to_fit<double>();
  expect_tiles_to_fit<float>();
  expect_tiles_to_fit<std::int16_t>();
  expect_tiles_to_fit<std::int8_t>();
  expect_tiles_to_fit<std::uint64_t>();
}

// The threads of a device's team add up bins, and those add up these sums.
TEST(QuantileBins, OfRanksAreFoundByThreadsTogether) {
  using quern::impl::bin_finder;
  for (const int bins : {32, 256, 2048})
    for (const int along : {8, 32, 256}) {
      std::vector<std::uint32_t> counts(bins), sums(bin_finder::words(along));
      for (int b = 0; b < bins; ++b) counts[b] = b % 7 == 3 || (b > 40 && b < 90) ? 0 : b * 37 % 11;
      quern::impl::found_bin found[2];
      const bin_finder finder{counts.data(), bins, along, sums.data(), found};
      for (int r = 0; r < along; ++r) finder.add_up_bins(r);
      for (int r = 0; r < along; ++r) finder.add_up_sums(r);
      std::int64_t before = 0;
      for (int b = 0; b < bins; before += counts[b++])
        for (std::int64_t rank = before; rank < before + counts[b]; ++rank) {
          finder.find(rank, found[1]);
          ASSERT_EQ(b, found[1].bin) << bins << ' ' << along;
          ASSERT_EQ(before, found[1].before);
          ASSERT_EQ(counts[b], found[1].count);
        }
    }
}

TYPED_TEST(Quantile, AlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto check = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto values = data<T>(0, a * b * c);
    const auto x = this->template array<3>({a, b, c}, values);
    const auto value = [&](std::int64_t i, std::int64_t j, std::int64_t k) { return values[(i * b + j) * c + k]; };
    using number = quern::impl::mean_type<T>;
    Kokkos::View<number**, E> out0("out", b, c), out1("out", a, c), out2("out", a, b);
    Kokkos::View<number*, Kokkos::LayoutRight, E> out02("out", b);
    quern::quantile(this->e, out0, x, 0.3, quern::axis{0});
    quern::quantile(this->e, out1, x, 0.3, quern::axis{1});
    quern::median(this->e, out2, x, quern::axis{-1});
    quern::quantile(this->e, out02, x, 0.3, quern::axes{0, 2});
    const auto found0 = test::contents(out0), found1 = test::contents(out1), found2 = test::contents(out2),
               found02 = test::contents(out02);
    std::int64_t wrong = 0;
    const auto line = [](std::int64_t n, const auto& at) {
      std::vector<T> v(n);
      for (std::int64_t i = 0; i < n; ++i) v[i] = at(i);
      return v;
    };
    for (std::int64_t j = 0; j < b; ++j)
      for (std::int64_t k = 0; k < c; ++k)
        wrong += found0[j * c + k] != by_sorting(line(a, [&](auto i) { return value(i, j, k); }), 0.3);
    for (std::int64_t i = 0; i < a; ++i)
      for (std::int64_t k = 0; k < c; ++k)
        wrong += found1[i * c + k] != by_sorting(line(b, [&](auto j) { return value(i, j, k); }), 0.3);
    for (std::int64_t i = 0; i < a; ++i)
      for (std::int64_t j = 0; j < b; ++j)
        wrong += found2[i * b + j] != by_sorting(line(c, [&](auto k) { return value(i, j, k); }), 0.5);
    for (std::int64_t j = 0; j < b; ++j)
      wrong += found02[j] != by_sorting(line(a * c, [&](auto i) { return value(i / c, j, i % c); }), 0.3);
    EXPECT_EQ(0, wrong) << a << " x " << b << " x " << c;
  };
  check(3, 40, 7);
  check(40, 3, 5);
  check(300, 2, 33);
  check(2, 3, 70'000);
  check(70'000, 3, 2);
  check(1, 2000, 20);
}

TYPED_TEST(QuantileOfDoubles, AgreesWithNumPy) {
  const auto x =
      test::make_array<double, 2, typename TypeParam::layout, typename TypeParam::exec>({11, 13}, numpy.values("x"));
  const auto q = numpy.values("quantile_q");
  const std::pair<interpolation, const char*> ways[] = {
      {interpolation::linear, "linear"},     {interpolation::lower, "lower"},     {interpolation::higher, "higher"},
      {interpolation::midpoint, "midpoint"}, {interpolation::nearest, "nearest"},
  };
  for (const auto& [how, name] : ways) {
    const auto expected = numpy.values(std::string("x_quantile_") + name);
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_DOUBLE_EQ(expected[i], quern::quantile(this->e, x, q[i], how)) << q[i] << " " << name;
  }
  Kokkos::View<double**, typename TypeParam::exec> out("out", 3, 11);
  quern::quantile(this->e, out, x, quern::probabilities{0.25, 0.9, 0.0}, quern::axis{1});
  const auto expected = numpy.values("x_quantiles_of_rows"), found = test::contents(out);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(expected[i], found[i]);
  EXPECT_DOUBLE_EQ(numpy.value("i8_median"), quern::median(this->e, this->on_device(numpy.values<std::int8_t>("i8"))));
}

TYPED_TEST(QuantileOfDoubles, NanAndInfinity) {
  const auto n = this->on_device(numpy.values("with_nan")), i = this->on_device(numpy.values("with_inf"));
  EXPECT_PRED2(same, numpy.value("nan_median"), quern::median(this->e, n));
  EXPECT_PRED2(same, numpy.value("inf_median"), quern::median(this->e, i));
  EXPECT_DOUBLE_EQ(numpy.value("nan_nanmedian"), quern::nanmedian(this->e, n));
  EXPECT_DOUBLE_EQ(numpy.value("nan_nanquantile"), quern::nanquantile(this->e, n, 0.8));
  for (const std::int64_t size : {3, 100, 100'000}) {
    auto values = data<double>(0, size);
    EXPECT_PRED2(same, nan, quern::nanmedian(this->e, this->on_device(std::vector<double>(size, nan))));
    EXPECT_EQ(inf, quern::median(this->e, this->on_device(std::vector<double>(size, inf))));
    values[size / 2] = -nan;
    EXPECT_PRED2(same, nan, quern::quantile(this->e, this->on_device(values), 0.1));
    auto numbers = values;
    numbers.erase(numbers.begin() + size / 2);
    EXPECT_EQ(by_sorting(numbers, 0.1), quern::nanquantile(this->e, this->on_device(values), 0.1)) << size;
    std::fill(values.begin() + 1, values.end(), nan);
    EXPECT_EQ(values[0], quern::nanmedian(this->e, this->on_device(values)));
  }
}

TYPED_TEST(QuantileOfDoubles, WhereTheSampleMisleads) {
  constexpr std::int64_t n = 200'000;
  using kernel = quern::impl::select_passes<typename TypeParam::exec, double, double>;
  auto values = data<double>(0, n);
  for (int i = 0; i < kernel::samples; ++i) values[kernel::sample_at(i, n)] = 5.0 + i;
  const auto x = this->on_device(values);
  for (const double q : {0.0, 0.4, 0.5, 0.99}) EXPECT_EQ(by_sorting(values, q), quern::quantile(this->e, x, q)) << q;
}

template <class Exec>
struct QuantileTypes : testing::Test {};
TYPED_TEST_SUITE(QuantileTypes, test::all_spaces);

template <class T, class Exec>
void equals_sorting_in_its_type() {
  for (const std::int64_t n : {20, 1000, 80'000}) {
    const auto values = test::samples<T>(n);
    const auto x = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values);
    const auto v = quern::quantile(Exec(), x, 0.37);
    static_assert(std::is_same_v<const quern::impl::mean_type<T>, decltype(v)>);
    if constexpr (std::is_arithmetic_v<T>) EXPECT_EQ(by_sorting(values, 0.37), v);
    else EXPECT_EQ(by_sorting(std::vector<float>(values.begin(), values.end()), 0.37), v);
  }
}
TYPED_TEST(QuantileTypes, EqualSorting) {
  equals_sorting_in_its_type<std::int8_t, TypeParam>();
  equals_sorting_in_its_type<std::uint64_t, TypeParam>();
  equals_sorting_in_its_type<Kokkos::Experimental::half_t, TypeParam>();
  const std::vector<std::uint64_t> large = {~std::uint64_t{0}, 0, ~std::uint64_t{0} - 4096};
  const auto x = test::make_array<std::uint64_t, 1, Kokkos::LayoutRight, TypeParam>({3}, large);
  EXPECT_EQ(0x1p64, quern::quantile(TypeParam(), x, 1));
  EXPECT_EQ(0.0, quern::quantile(TypeParam(), x, 0));
}

TYPED_TEST(QuantileTypes, FormsAndErrors) {
  const auto x = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 3}, {4, 1, 5, 2, 6, 3});
  const TypeParam e;
  Kokkos::View<float, TypeParam> scalar("scalar");
  Kokkos::View<double*, TypeParam> rows("rows", 2), three("three", 3);
  EXPECT_EQ(3.5, quern::median(x));
  EXPECT_EQ(3.5, quern::nanmedian(x));
  EXPECT_EQ(6, quern::quantile(x, 1.0));
  EXPECT_EQ(2, quern::nanquantile(x, 0.3, interpolation::lower));
  quern::quantile(scalar, x, 0.3, interpolation::higher);
  EXPECT_EQ(3.0f, test::value(scalar));
  quern::nanquantile(e, scalar, x, 0);
  EXPECT_EQ(1.0f, test::value(scalar));
  quern::median(rows, x, quern::axis{1});
  EXPECT_EQ((std::vector<double>{4, 3}), test::contents(rows));
  quern::nanmedian(e, three, x, quern::axis{0});
  EXPECT_EQ((std::vector<double>{3, 3.5, 4}), test::contents(three));
  quern::quantile(e, three, x, quern::probabilities{0, 0.2, 1});
  EXPECT_EQ((std::vector<double>{1, 2, 6}), test::contents(three));

  test::expect_error("quern::quantile: a probability is 1.500000, expected 0 to 1",
                     [&] { quern::quantile(e, x, 1.5); });
  test::expect_error("quern::quantile: a probability is nan, expected 0 to 1", [&] { quern::quantile(e, x, nan); });
  test::expect_error("quern::median: axis 2 is out of range, expected one of an array of rank 2",
                     [&] { quern::median(e, rows, x, quern::axis{2}); });
  test::expect_error("quern::median: out has extents (3), expected (2)",
                     [&] { quern::median(e, three, x, quern::axis{1}); });
  test::expect_error("quern::quantile: out has extents (2), expected (3)",
                     [&] { quern::quantile(e, rows, x, quern::probabilities{0, 0.5, 1}); });
  test::expect_error("quern::quantile: out would have more than 8 extents", [&] {
    const Kokkos::View<double********, TypeParam> full("full", 1, 1, 1, 1, 1, 1, 1, 1);
    quern::quantile(e, full, full, quern::probabilities{0.5}, quern::axes{});
  });
  const Kokkos::View<double*, TypeParam> none("none", 0);
  test::expect_error("quern::median: in has extents (0), expected at least one element along the axes",
                     [&] { quern::median(e, none); });
  test::expect_error("quern::median: out and in share memory", [&] { quern::median(e, Kokkos::subview(x, 0, 0), x); });
}

}  // namespace
