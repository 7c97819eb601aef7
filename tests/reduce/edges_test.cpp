// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class Exec>
struct ReduceEdges : testing::Test {};
TYPED_TEST_SUITE(ReduceEdges, test::all_spaces);

TYPED_TEST(ReduceEdges, NoElements) {
  const TypeParam exec;
  const Kokkos::View<double**, TypeParam> x("x", 3, 0);
  EXPECT_EQ(0.0, quern::sum(exec, x));
  EXPECT_EQ(1.0, quern::prod(exec, x));
  EXPECT_EQ(0.0, quern::dot(exec, x, x));
  EXPECT_EQ(0.0, quern::norm(exec, x));
  EXPECT_TRUE(std::isnan(quern::mean(exec, x)));
  EXPECT_TRUE(std::isnan(quern::mean_var(exec, x).mean));
  EXPECT_TRUE(std::isnan(quern::mean_var(exec, x).var));
  EXPECT_TRUE(std::isnan(quern::stddev(exec, x)));
  EXPECT_TRUE(quern::all(exec, x));
  EXPECT_FALSE(quern::any(exec, x));
  EXPECT_EQ(0, quern::count(exec, x));
  test::expect_error("quern::min: in 1 has extents (3, 0), expected at least one element",
                     [&] { quern::min(exec, x); });
  test::expect_error("quern::max: in 1 has extents (3, 0), expected at least one element",
                     [&] { quern::max(exec, x); });
  test::expect_error("quern::minmax: in 1 has extents (3, 0), expected at least one element",
                     [&] { quern::minmax(exec, x); });
}

TYPED_TEST(ReduceEdges, RankZero) {
  const TypeParam exec;
  Kokkos::View<float, TypeParam> x("x");
  quern::fill(exec, x, 2.5f);
  EXPECT_EQ(2.5f, quern::sum(exec, x));
  EXPECT_EQ(0.0f, quern::mean_var(exec, x).var);
}

/// A value of 24 bytes, and one of 12, which no vector access has.
template <class T>
struct three {
  T a, b, c;
  KOKKOS_FUNCTION three operator+(const three& o) const { return {a + o.a, b + o.b, c + o.c}; }
  bool operator==(const three&) const = default;
};
struct sum_of_three {
  template <class T>
  KOKKOS_FUNCTION three<T> operator()(const three<T>& x, const three<T>& y) const {
    return x + y;
  }
};
struct make_three {
  KOKKOS_FUNCTION three<float> operator()(float x) const { return {x, 2 * x, -x}; }
};
TYPED_TEST(ReduceEdges, ValuesOfAnySize) {
  const TypeParam exec;
  const auto check = [&]<class T>(const three<T>& one) {
    const Kokkos::View<three<T>*, TypeParam> x("x", 1000);
    quern::fill(exec, x, one);
    const three<T> expected{1000 * one.a, 1000 * one.b, 1000 * one.c};
    EXPECT_EQ(expected, quern::reduce(exec, sum_of_three(), three<T>{0, 0, 0}, x));
    const Kokkos::View<three<T>*, TypeParam> copied("copied", 1000);
    quern::copy(exec, copied, x);
    EXPECT_EQ(expected, quern::reduce(sum_of_three(), three<T>{0, 0, 0}, copied));
  };
  check(three<double>{1, 2, 3});
  check(three<float>{1, 2, 3});
  const Kokkos::View<three<float>*, TypeParam> made("made", 9);
  quern::map(exec, made, make_three(),
             test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({9}, test::samples<float>(9)));
  EXPECT_EQ(test::value_of<float>(test::sample(8)), test::contents(made)[8].a);
}

TYPED_TEST(ReduceEdges, FactorsBroadcast) {
  const TypeParam exec;
  const auto x = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto row = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({3}, {10, 20, 30});
  const auto column = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({2, 1}, {7, -1});
  const Kokkos::View<double*, TypeParam> out("out", 2), three("three", 3);
  EXPECT_EQ(460, quern::dot(exec, x, row));
  EXPECT_EQ(460, quern::dot(row, x, quern::reproducible));
  quern::dot(exec, out, x, row, quern::axis{1});
  EXPECT_EQ((std::vector<double>{140, 320}), test::contents(out));
  quern::dot(three, column, row, quern::axis{0});  // neither has the extents of both
  EXPECT_EQ((std::vector<double>{60, 120, 180}), test::contents(three));
  const auto m =
      test::make_array<bool, 2, Kokkos::LayoutRight, TypeParam>({2, 3}, {true, false, true, false, false, true});
  EXPECT_EQ(250, quern::dot(column, row, quern::mask{m}));
}

TYPED_TEST(ReduceEdges, ReportsMisuse) {
  const TypeParam exec;
  Kokkos::View<double*, TypeParam> x("x", 10), y("y", 9), out("out", 2);
  test::expect_error("quern::dot: the inputs have extents (10) and (9), which do not broadcast to each other",
                     [&] { quern::dot(exec, x, y); });
  test::expect_error("quern::vdot: in 2 has extents (9), expected (10)", [&] { quern::vdot(exec, x, y); });
  test::expect_error("quern::sum: out has extents (2), expected () for a reduction of all elements",
                     [&] { quern::sum(exec, out, x); });
  const Kokkos::View<std::int8_t*, TypeParam> places("places", 2);
  test::expect_error("quern::argmax: positions to before 200 do not fit the type of out, of 8 bits", [&] {
    quern::argmax(exec, places, Kokkos::View<double**, TypeParam>("rows", 2, 200), quern::axis{1});
  });
  const auto inside = Kokkos::subview(x, 3);
  test::expect_error("quern::sum: out and in 1 share memory", [&] { quern::sum(exec, inside, x); });
}

TYPED_TEST(ReduceEdges, UnalignedPartsOfEveryLength) {
  const TypeParam exec;
  const auto values = test::samples<float>(700);
  const auto x = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({700}, values);
  for (int offset : {0, 1, 2, 3})
    for (int length : {1, 2, 3, 15, 16, 17, 63, 64, 65, 511, 512, 513, 690}) {
      float expected = 0;
      for (int k = 0; k < length; ++k) expected += values[offset + k];
      ASSERT_EQ(expected, quern::sum(exec, Kokkos::subview(x, std::pair(offset, offset + length))))
          << offset << ' ' << length;
    }
}

// A hundred million times 0.1f, where a running sum ends near 2e6. The fold of a block rounds about 20 times in a row,
// each time by half an epsilon of 1.2e-7 at most; compensation adds nothing to that, however many blocks there are.
/// Sums of equal values and of some others, of a part that begins `off` elements after an aligned one.
template <class Exec, class T>
void expect_sums_of_bytes(const std::vector<T>& some) {
  using view = Kokkos::View<T*, Exec>;
  for (const int n : {1, 15, 16, 1000, 100'003})
    for (const int off : {0, 1, 7}) {
      const view all("all", n + off);
      const auto host = Kokkos::create_mirror_view(all);
      std::int64_t expected = 0;
      for (int i = 0; i < n + off; ++i) {
        host(i) = some[i % some.size()];
        if (i >= off) expected += host(i);
      }
      Kokkos::deep_copy(all, host);
      const auto x = Kokkos::subview(all, Kokkos::pair<int, int>(off, n + off));
      EXPECT_EQ(expected, static_cast<std::int64_t>(quern::sum(Exec(), x))) << n << " from " << off;
      EXPECT_EQ(static_cast<double>(expected) / n, quern::mean(Exec(), x)) << n << " from " << off;
    }
}

struct is_not_zero {
  KOKKOS_FUNCTION bool operator()(int x) const { return x != 0; }
};
struct is_zero {
  KOKKOS_FUNCTION bool operator()(int x) const { return x == 0; }
};

TYPED_TEST(ReduceEdges, PositionsOfBytes) {
  using E = TypeParam;
  const E exec{};
  for (const std::int64_t n : {1, 200, 600, 4096, 70'001})
    for (const std::int64_t at : {n - 1, n / 2, n / 8, n / 3}) {
      std::vector<int> one(n, 0);
      one[at] = 1;
      const auto x = test::make_array<int, 1, Kokkos::LayoutRight, E>({n}, one);
      EXPECT_EQ(at, quern::argmax(exec, quern::lazy(is_not_zero(), x))) << n;
      const Kokkos::View<bool*, E> flags("flags", n), others("others", n);
      const Kokkos::View<std::uint8_t*, E> bytes("bytes", n);
      quern::map(exec, flags, is_not_zero(), x);
      quern::map(exec, others, is_zero(), x);
      quern::copy(exec, bytes, x);
      EXPECT_EQ(at, quern::argmax(exec, flags)) << n;
      EXPECT_EQ(at, quern::argmin(exec, others)) << n;
      EXPECT_EQ(at, quern::argmax(exec, bytes)) << n;
    }
}

// Where devices add bytes by words, the extreme values fill the parts of a word most.
/// Extrema of an array with one value that differs, wherever it is.
template <class T, class Exec>
void expect_extrema_beside(T other) {
  constexpr int n = 700;
  const T lowest = -std::numeric_limits<T>::infinity(), huge = std::numeric_limits<T>::max();
  for (const T all : {T(0), lowest, -lowest, huge, -huge})
    for (int at = 0; at < n; at += 3) {
      std::vector<T> values(n, all);
      values[at] = other;
      const auto x = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values);
      const bool is_nan = other != other, larger = other > all || is_nan, smaller = other < all || is_nan;
      const auto same = [&](T expected, T found) { return expected == found || (is_nan && found != found); };
      ASSERT_TRUE(same(larger ? other : all, quern::max(Exec(), x))) << other << " at " << at << " beside " << all;
      ASSERT_TRUE(same(smaller ? other : all, quern::min(Exec(), x))) << other << " at " << at << " beside " << all;
      const int first_of_others = at == 0 && other != all ? 1 : 0;
      ASSERT_EQ(larger ? at : first_of_others, quern::argmax(Exec(), x)) << other << " at " << at << " beside " << all;
      ASSERT_EQ(smaller ? at : first_of_others, quern::argmin(Exec(), x)) << other << " at " << at << " beside " << all;
    }
}
TYPED_TEST(ReduceEdges, ExtremaOfFewRows) {
  const TypeParam exec;
  constexpr int columns = 40;
  for (int rows = 1; rows < 20; ++rows) {
    std::vector<double> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7919 % 1009);
    const auto x = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({rows, columns}, values);
    const Kokkos::View<double*, TypeParam> largest("largest", columns), smallest("smallest", columns),
        masked("masked", columns);
    const Kokkos::View<quern::extrema<double>*, TypeParam> both("both", columns);
    quern::nanmax(exec, largest, x, quern::axis{0});
    quern::nanmin(exec, smallest, x, quern::axis{0});
    quern::max(exec, masked, x, quern::axis{0}, quern::mask{true});
    quern::minmax(exec, both, x, quern::axis{0});
    const auto found = test::contents(largest), least = test::contents(smallest), of_mask = test::contents(masked);
    const auto of_both = test::contents(both);
    for (int j = 0; j < columns; ++j) {
      double low = values[j], high = low;
      for (int i = 1; i < rows; ++i) {
        low = std::min(low, values[i * columns + j]);
        high = std::max(high, values[i * columns + j]);
      }
      EXPECT_EQ(high, found[j]) << rows << " rows";
      EXPECT_EQ(low, least[j]) << rows << " rows";
      EXPECT_EQ(high, of_mask[j]) << rows << " rows";
      EXPECT_EQ(low, of_both[j].min) << rows << " rows";
      EXPECT_EQ(high, of_both[j].max) << rows << " rows";
    }
  }
}

// Hosts end a row with a block of which some values were taken before.
TYPED_TEST(ReduceEdges, FirstPositionsInLongRows) {
  const TypeParam exec;
  constexpr int rows = 60;
  for (const int n : {65, 300, 513, 1000, 2049}) {
    std::vector<float> values(rows * n);
    for (int i = 0; i < rows * n; ++i) values[i] = static_cast<float>(i * 7919 % 13 % 5);  // many are equal
    for (int r = 0; r < rows; ++r) values[r * n + r * 337 % n] = r % 3 == 0 ? std::nanf("") : 9.0f;
    const auto x = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({rows, n}, values);
    const Kokkos::View<std::int64_t*, TypeParam> largest("largest", rows), smallest("smallest", rows);
    quern::argmax(exec, largest, x, quern::axis{1});
    quern::argmin(exec, smallest, x, quern::axis{1});
    const auto high = test::contents(largest), low = test::contents(smallest);
    for (int r = 0; r < rows; ++r) {
      const auto row = values.begin() + r * n;
      const std::int64_t special = r * 337 % n;
      EXPECT_EQ(special, high[r]) << n << ", row " << r;
      EXPECT_EQ(r % 3 == 0 ? special : std::min_element(row, row + n) - row, low[r]) << n << ", row " << r;
    }
  }
}

TYPED_TEST(ReduceEdges, SumsWhoseStatesAreLarge) {
  using values = Kokkos::Array<double, 192>;
  constexpr int rows = 6, columns = 600;
  const Kokkos::View<values**, Kokkos::LayoutRight, TypeParam> x("x", rows, columns);
  const auto host = Kokkos::create_mirror_view(x);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < 192; ++k) host(i, j)[k] = i + j + k;
  Kokkos::deep_copy(x, host);
  const Kokkos::View<values*, TypeParam> sums("sums", columns);
  quern::sum(TypeParam(), sums, x, quern::axis{0});
  const auto found = test::contents(sums);
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < 192; ++k) ASSERT_EQ(15 + rows * (j + k), found[j][k]) << j << ", " << k;
}

TYPED_TEST(ReduceEdges, ExtremaBesideNanAndInfinities) {
  expect_extrema_beside<double, TypeParam>(std::nan(""));
  expect_extrema_beside<double, TypeParam>(INFINITY);
  expect_extrema_beside<double, TypeParam>(-INFINITY);
  expect_extrema_beside<float, TypeParam>(std::nanf(""));
  expect_extrema_beside<float, TypeParam>(1.0f);
}

TYPED_TEST(ReduceEdges, SumsOfBytes) {
  expect_sums_of_bytes<TypeParam, std::int8_t>({-128});
  expect_sums_of_bytes<TypeParam, std::int8_t>({127});
  expect_sums_of_bytes<TypeParam, std::int8_t>({-128, 127, -1, 0, 5});
  expect_sums_of_bytes<TypeParam, std::uint8_t>({255});
  expect_sums_of_bytes<TypeParam, std::uint8_t>({255, 0, 128});
  expect_sums_of_bytes<TypeParam, bool>({true});
  expect_sums_of_bytes<TypeParam, bool>({true, false, true});
}

TYPED_TEST(ReduceEdges, FloatSumIsAsAccurateAsPairwiseSummation) {
  const TypeParam exec;
  const std::int64_t n = 100'000'000;
  Kokkos::View<float*, TypeParam> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"), n);
  quern::fill(exec, x, 0.1f);
  const double exact = static_cast<double>(0.1f) * static_cast<double>(n);
  EXPECT_NEAR(exact, quern::sum(exec, x), 1e-6 * exact);
  EXPECT_NEAR(0.1f, quern::mean(exec, x), 1e-6 * 0.1);
}

// The sum of magnitudes is 2e16 n, the exact sum n: what is left shows the compensation.
TYPED_TEST(ReduceEdges, CancellationKeepsTheErrorBoundOfTheMagnitudes) {
  const TypeParam exec;
  const std::int64_t n = 3 * 4001;
  std::vector<double> values(n);
  long double magnitude = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    values[i] = std::array<double, 3>{1e16, 1.0, -1e16}[i % 3];
    magnitude += std::fabs(values[i]);
  }
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
  EXPECT_NEAR(n / 3.0, quern::sum(exec, x), std::log2(n) * test::eps<double>() * static_cast<double>(magnitude));
}

TYPED_TEST(ReduceEdges, VarianceDoesNotCancelAtALargeMean) {
  const TypeParam exec;
  const std::int64_t n = 100'001;
  std::vector<double> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = 1e9 + (i % 2 == 0 ? 1.0 : -1.0);
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
  const double bias = 1.0 / static_cast<double>(n);  // one more +1 than -1
  const auto [mean, var] = quern::mean_var(exec, x);
  EXPECT_NEAR(1e9 + bias, mean, 4 * test::eps<double>() * 1e9);
  EXPECT_NEAR(1 - bias * bias, var, 1e-9) << "naive sums of squares lose everything here";
}

TYPED_TEST(ReduceEdges, OverflowIsInfiniteNotNan) {
  const TypeParam exec;
  Kokkos::View<double*, TypeParam> x("x", 1000);
  quern::fill(exec, x, 1e308);
  EXPECT_EQ(std::numeric_limits<double>::infinity(), quern::sum(exec, x));
}

TYPED_TEST(ReduceEdges, RepeatsBitByBit) {
  const TypeParam exec;
  const std::int64_t n = 1'000'003;
  std::vector<float> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = std::sin(static_cast<float>(i));
  const auto x = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
  const float first = quern::sum(exec, x);
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(first, quern::sum(exec, x));
}

}  // namespace
