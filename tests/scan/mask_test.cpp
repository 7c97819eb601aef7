// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans of what a mask selects, which repeat the running value elsewhere.
#include <chunked/behind_function.hpp>
#include <limits>
#include <quern/scan.hpp>
#include <support/testing.hpp>

namespace {

using quern::axis, quern::mask, quern::reproducible;

struct larger {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a > b ? a : b;
  }
};

template <class Case>
struct MaskedScan : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  /// What is not selected is NaN or the largest integer.
  static T hidden() {
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
    else return std::numeric_limits<T>::quiet_NaN();
  }
};
using cases = test::covering<double, float, std::int64_t, std::int8_t, std::uint32_t>;
TYPED_TEST_SUITE(MaskedScan, cases);

TYPED_TEST(MaskedScan, RepeatsTheRunningValue) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const std::int64_t n : {1, 2, 100, 2049, 70000}) {
    auto values = test::samples<T>(n);
    std::vector<std::uint8_t> chosen(n);
    std::vector<double> sums(n), maxima(n), before(n);
    double sum = 0, largest = -9;
    for (std::int64_t i = 0; i < n; ++i) {
      chosen[i] = i % 1000 < 700 && test::sample(i, 4) > 0;
      before[i] = largest;
      if (chosen[i] != 0) {
        sum += static_cast<double>(values[i]);
        largest = std::max(largest, static_cast<double>(values[i]));
      } else {
        values[i] = this->hidden();
      }
      sums[i] = sum;
      maxima[i] = largest;
    }
    const auto x = test::make_array<T, 1, L, E>({n}, values);
    const auto m = test::make_array<std::uint8_t, 1, L, E>({n}, chosen);
    const auto out = test::make_array<double, 1, L, E>({n});
    quern::cumsum(this->e, out, x, mask{m});
    EXPECT_EQ(sums, test::contents(out));
    quern::cumsum(out, x, mask{m}, reproducible);
    EXPECT_EQ(sums, test::contents(out));
    quern::inclusive_scan(this->e, out, larger(), -9.0, x, mask{m});
    EXPECT_EQ(maxima, test::contents(out));
    quern::exclusive_scan(this->e, out, larger(), -9.0, x, mask{m});
    EXPECT_EQ(before, test::contents(out));
  }
}

template <class Exec>
struct MaskedScanOn : testing::Test {};
TYPED_TEST_SUITE(MaskedScanOn, test::all_spaces);

TYPED_TEST(MaskedScanOn, NansAmongTheSelectedAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({6}, {nan, 4, 2, nan, 5, 3});
  const auto m = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({6}, {0, 1, 1, -7, 0, 1});
  const auto out = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({6});
  quern::nancumsum(TypeParam(), out, x, mask{m});
  EXPECT_EQ((std::vector<double>{0, 4, 6, 6, 6, 9}), test::contents(out));
  quern::nancumprod(out, x, mask{m});
  EXPECT_EQ((std::vector<double>{1, 4, 8, 8, 8, 24}), test::contents(out));
}

TYPED_TEST(MaskedScanOn, WorksInChunks) {
  const TypeParam e;
  const std::array<std::int64_t, 2> extents{50, 3};
  const auto x = test::behind<double>(extents);
  const auto chosen = test::behind<int>(extents, 5);
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(extents, x.values);
  const auto m = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>(extents, chosen.values);
  const auto expected = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(extents);
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(extents);
  quern::cumsum(e, expected, in, axis{0}, mask{m});
  for (const std::int64_t rows : {1, 7, 100}) {
    quern::cumsum(e, out, x.source(), axis{0}, mask{chosen.source()}, test::memory_for(x, rows, 4));
    EXPECT_EQ(test::contents(expected), test::contents(out));
  }
}

TYPED_TEST(MaskedScanOn, RejectsMasksThatDoNotFit) {
  const Kokkos::View<int*, TypeParam> x("x", 4), out("out", 4);
  const Kokkos::View<bool*, TypeParam> m("m", 3);
  test::expect_error("quern::cumsum: the mask has extents (3), which do not broadcast to (4)",
                     [&] { quern::cumsum(TypeParam(), out, x, mask{m}); });
}

}  // namespace
