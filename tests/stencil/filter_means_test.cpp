// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Means and sums of windows of integers, beside loops with 128 bits: exact, and rounded down.

#include <cmath>
#include <limits>
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;

__extension__ typedef __int128 int128;

template <class Exec>
struct FilterMeans : testing::Test {};
TYPED_TEST_SUITE(FilterMeans, test::all_spaces);

/// Sums of a window in 64 bits, where the array goes on in a circle.
inline std::vector<std::int64_t> plain_sums(const std::vector<std::int8_t>& in, int rows, int columns, int high,
                                            int wide) {
  std::vector<std::int64_t> sums(in.size());
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      for (int k = -(high / 2); k <= (high - 1) / 2; ++k)
        for (int l = -(wide / 2); l <= (wide - 1) / 2; ++l)
          sums[j * columns + i] += in[(j + k + 8 * rows) % rows * columns + (i + l + 8 * columns) % columns];
  return sums;
}

TYPED_TEST(FilterMeans, MeansOfIntegersRoundDown) {
  using L = Kokkos::LayoutRight;
  const int rows = 37, columns = 71;
  std::vector<std::int8_t> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(20 * test::sample(i, 5));
  const auto in = test::make_array<std::int8_t, 2, L, TypeParam>({rows, columns}, values);
  const auto mean = test::make_array<std::int8_t, 2, L, TypeParam>({rows, columns});
  const auto sum = test::make_array<std::int32_t, 2, L, TypeParam>({rows, columns});
  const auto exact = test::make_array<double, 2, L, TypeParam>({rows, columns});
  for (const auto& [high, wide] : {std::pair{3, 3}, {5, 4}, {1, 9}, {2, 1}}) {
    const quern::per_axis<int> size{high, wide};
    quern::uniform_filter(TypeParam(), mean, in, size, boundary::wrap);
    quern::uniform_filter(TypeParam(), exact, in, size, boundary::wrap);
    quern::box_sum(TypeParam(), sum, in, size, boundary::wrap);
    const auto expected = plain_sums(values, rows, columns, high, wide);
    const auto means = test::contents(mean);
    const auto sums = test::contents(sum);
    const auto exacts = test::contents(exact);
    int negative = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(expected[i], sums[i]);
      ASSERT_EQ(std::floor(static_cast<double>(expected[i]) / (high * wide)), means[i]);
      ASSERT_NEAR(static_cast<double>(expected[i]) / (high * wide), exacts[i], 1e-13);
      negative += expected[i] < 0 && expected[i] % (high * wide) != 0;
    }
    EXPECT_TRUE(negative > 0 || high * wide == 1);
  }
}

/// The sum of a window of `size` along each axis, exact, where the array goes on in a circle.
template <class T>
std::vector<int128> exact_sums(const std::vector<T>& in, int rows, int columns, int size) {
  std::vector<int128> sums(in.size());
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      for (int k = -(size / 2); k <= (size - 1) / 2; ++k)
        for (int l = -(size / 2); l <= (size - 1) / 2; ++l)
          sums[j * columns + i] += in[(j + k + size * rows) % rows * columns + (i + l + size * columns) % columns];
  return sums;
}

template <class Exec>
struct ExactMeans {
  template <class T>
  static void check(int size) {
    const int rows = 5, columns = 7;
    std::vector<T> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T largest = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::min();
      values[i] = i % 3 == 0 ? static_cast<T>(largest - T(i)) : i % 5 == 0 ? static_cast<T>(smallest + T(i)) : largest;
    }
    const auto in = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns}, values);
    const auto mean = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    const auto sum = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    const auto real = test::make_array<double, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    quern::uniform_filter(Exec(), mean, in, size, boundary::wrap);
    quern::uniform_filter(Exec(), real, in, size, boundary::wrap);
    quern::box_sum(Exec(), sum, in, size, boundary::wrap);
    const auto real_sum = test::make_array<double, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    quern::box_sum(Exec(), real_sum, in, size, boundary::wrap);
    const auto expected = exact_sums(values, rows, columns, size);
    const auto means = test::contents(mean);
    const auto sums = test::contents(sum);
    const auto reals = test::contents(real), real_sums = test::contents(real_sum);
    const int128 cells = size * size;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const int128 rest = (expected[i] % cells + cells) % cells;
      ASSERT_EQ(static_cast<T>((expected[i] - rest) / cells), means[i]) << size << ' ' << i;
      ASSERT_EQ(static_cast<std::int64_t>(static_cast<std::uint64_t>(expected[i])), sums[i]) << size << ' ' << i;
      ASSERT_EQ(static_cast<double>(expected[i]), real_sums[i]) << size << ' ' << i;
      const double right = static_cast<double>(expected[i]) / static_cast<double>(cells);
      ASSERT_NEAR(right, reals[i], 4 * test::eps<double>() * std::fabs(right)) << size << ' ' << i;
    }
  }
};

// Sums beyond 32 bits of narrow values, and beyond 64 of wide ones.
TYPED_TEST(FilterMeans, MeansOfIntegersAreExact) {
  for (const int size : {1, 2, 3, 4, 200}) {
    ExactMeans<TypeParam>::template check<std::int8_t>(size);
    ExactMeans<TypeParam>::template check<std::uint16_t>(size);
    ExactMeans<TypeParam>::template check<std::uint32_t>(size);
    ExactMeans<TypeParam>::template check<std::int64_t>(size);
    ExactMeans<TypeParam>::template check<std::uint64_t>(size);
  }
}

// Whose sums are less than one wide digit from 0.
TYPED_TEST(FilterMeans, RealMeansOfSmallWideIntegers) {
  const auto mean_of = [](const auto& values, int size) {
    using T = typename std::remove_cvref_t<decltype(values)>::value_type;
    const auto n = static_cast<std::int64_t>(values.size());
    const auto in = test::make_array<T, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
    const auto out = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n});
    quern::uniform_filter(TypeParam(), out, in, size, boundary::wrap);
    return test::contents(out);
  };
  using wide = std::vector<std::int64_t>;
  for (const double x : mean_of(wide{-1, -2, -3}, 3)) EXPECT_NEAR(-2, x, 1e-15);
  EXPECT_EQ((std::vector<double>{-1, -2, -3}), mean_of(wide{-1, -2, -3}, 1));
  for (const double x : mean_of(wide{-7, 3, -1, 2, -9}, 5)) EXPECT_NEAR(-2.4, x, 1e-15);
  const auto most = std::numeric_limits<std::int64_t>::min();
  for (const double x : mean_of(wide{most, most, most, most}, 4)) EXPECT_EQ(-0x1p63, x);
  for (const double x : mean_of(std::vector<std::uint64_t>{1, 2, 3}, 3)) EXPECT_NEAR(2, x, 1e-15);
}

TYPED_TEST(FilterMeans, ConstantsBesideWideIntegers) {
  const auto big = std::int64_t{1} << 62;
  const auto in = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, TypeParam>({1, 2}, {big, big});
  const auto out = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, TypeParam>({1, 2});
  quern::uniform_filter(TypeParam(), out, in, 3, boundary::constant(big));
  EXPECT_EQ((std::vector<std::int64_t>{big, big}), test::contents(out));
  quern::uniform_filter(TypeParam(), out, in, {3, 5}, boundary::constant(-big));  // 2 cells of big among 15
  const auto expected = static_cast<std::int64_t>((int128(big) * (2 - 13) - 14) / 15);
  EXPECT_EQ((std::vector<std::int64_t>{expected, expected}), test::contents(out));
}

}  // namespace
