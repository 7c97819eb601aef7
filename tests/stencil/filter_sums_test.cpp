// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weighted sums of integers that a narrower type would not hold, beside loops with 128 bits.

#include <algorithm>
#include <limits>
#include <quern/stencil.hpp>
#include <support/testing.hpp>
#include <vector>

namespace {

using quern::boundary;

__extension__ typedef __int128 int128;

template <class Exec>
struct FilterSums : testing::Test {};
TYPED_TEST_SUITE(FilterSums, test::all_spaces);

TEST(WideSums, AreTheNearestDouble) {
  using quern::impl::wide_sum;
  const auto check = [](int128 x) {
    wide_sum s;
    s.low = static_cast<std::uint64_t>(x);
    s.high = static_cast<std::int64_t>(x >> 64);
    EXPECT_EQ(static_cast<double>(x), static_cast<double>(s)) << static_cast<double>(x);
  };
  for (int bit = 0; bit < 126; ++bit)
    for (const int128 near : {-3, -2, -1, 0, 1, 2, 3})
      for (const int128 more : {int128(0), int128(1) << bit / 2, int128(1) << std::max(0, bit - 53)}) {
        check((int128(1) << bit) + near + more);
        check(-(int128(1) << bit) + near - more);
      }
}

TYPED_TEST(FilterSums, LargeWeightsOfNarrowValues) {
  const std::int32_t big = 1 << 30;
  const auto in = test::make_array<std::uint8_t, 1, Kokkos::LayoutRight, TypeParam>({4}, {255, 254, 1, 255});
  const auto out = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({4});
  const auto w = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({3}, {big, -1, big});
  const auto line = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({2}, {big, big});
  quern::correlate(TypeParam(), out, in, w, boundary::constant(0));
  const std::int64_t b = big;
  EXPECT_EQ((std::vector<std::int64_t>{254 * b - 255, 256 * b - 254, 509 * b - 1, b - 255}), test::contents(out));
  quern::correlate(TypeParam(), out, in, quern::separable(line), boundary::constant(0));
  EXPECT_EQ((std::vector<std::int64_t>{255 * b, 509 * b, 255 * b, 256 * b}), test::contents(out));
}

// Sums of more than 64 bits, which floating-point outputs hold: in one pass and in two, beside a constant.
TYPED_TEST(FilterSums, RealSumsOfWideIntegersAreRoundedOnce) {
  const auto sums_of = []<class T, class W>(const std::vector<T>& values, const std::vector<W>& list, T edge,
                                            auto out_value) {
    const std::int64_t n = static_cast<std::int64_t>(values.size()), cells = static_cast<std::int64_t>(list.size());
    const auto in = test::make_array<T, 2, Kokkos::LayoutRight, TypeParam>({1, n}, values);
    const auto line = test::make_array<W, 1, Kokkos::LayoutRight, TypeParam>({cells}, list);
    const auto one = test::make_array<W, 1, Kokkos::LayoutRight, TypeParam>({1}, {W(3)});
    std::vector<W> tripled;
    for (const W w : list) tripled.push_back(static_cast<W>(3 * w));
    const auto all = test::make_array<W, 2, Kokkos::LayoutRight, TypeParam>({1, cells}, tripled);
    const auto out = test::make_array<decltype(out_value), 2, Kokkos::LayoutRight, TypeParam>({1, n});
    const auto parts = test::make_array<decltype(out_value), 2, Kokkos::LayoutRight, TypeParam>({1, n});
    quern::correlate(TypeParam(), out, in, all, boundary::constant(edge));
    quern::correlate(TypeParam(), parts, in, quern::separable(one, line), boundary::constant(edge));
    for (std::int64_t i = 0; i < n; ++i) {
      int128 sum = 0;
      for (std::int64_t k = 0; k < cells; ++k) {
        const std::int64_t at = i + k - cells / 2;
        sum += int128(3) * list[k] * (at < 0 || at >= n ? edge : values[at]);
      }
      EXPECT_EQ(static_cast<decltype(out_value)>(static_cast<double>(sum)), test::contents(out)[i]) << i;
      EXPECT_EQ(static_cast<decltype(out_value)>(static_cast<double>(sum)), test::contents(parts)[i]) << i;
    }
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  sums_of(std::vector<std::int64_t>{most, most, 1, least, 7}, std::vector<std::int64_t>{1 << 20, -5, 3}, most, 0.0);
  sums_of(std::vector<std::int64_t>{most, 1, least, most, 7}, std::vector<int>{1, 1, 1, 1, 1, 1, 1}, least, 0.0f);
  const auto top = std::numeric_limits<std::uint64_t>::max();
  sums_of(std::vector<std::uint64_t>{top, top, 1, 0, top - 1}, std::vector<std::uint32_t>{1, 4, 3}, top, 0.0);
  const std::int16_t small = 32767;
  sums_of(std::vector<std::int16_t>(6, small), std::vector<std::int16_t>(5, 10000), small, 0.0);
  const std::int32_t big = std::numeric_limits<std::int32_t>::max();
  sums_of(std::vector<std::int32_t>{big, big, big, -big}, std::vector<std::int32_t>{big / 3, big / 3, big / 3}, big,
          0.0);
}

}  // namespace
