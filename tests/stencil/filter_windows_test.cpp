// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows that devices apply in tiles, of arrays that take several tiles and do not fill the last, beside loops.

#include <algorithm>
#include <cmath>
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;

template <class Exec>
struct FilterWindows : testing::Test {};
TYPED_TEST_SUITE(FilterWindows, test::all_spaces);

/// An image that its boundaries continue: rows in a circle or by a constant, columns by their nearest or by another
/// one.
struct continued_image {
  int rows, columns;
  std::vector<std::int64_t> values;
  bool constants;
  static constexpr std::int64_t above = 3, beside = -2;

  quern::boundaries edge() const {
    if (constants) return quern::boundaries{boundary::constant(above), boundary::constant(beside)};
    return quern::boundaries{boundary::wrap, boundary::nearest};
  }
  std::int64_t at(int j, int i) const {
    if (!constants) return values[(j % rows + rows) % rows * columns + std::clamp(i, 0, columns - 1)];
    if (i < 0 || i >= columns) return beside;
    return j < 0 || j >= rows ? above : values[j * columns + i];
  }
  /// The sum of a window with the weights down(k) * across(l).
  template <class Down, class Across>
  std::int64_t sum(int j, int i, int high, int wide, const Down& down, const Across& across) const {
    std::int64_t s = 0;
    for (int k = 0; k < high; ++k)
      for (int l = 0; l < wide; ++l) s += down(k) * across(l) * at(j + k - high / 2, i + l - wide / 2);
    return s;
  }
};

template <class Exec, class Layout, class T>
void expect_wide_windows(const continued_image& image, int high, int wide) {
  const auto down = [](int k) { return k % 3 - 1; };
  const auto across = [](int l) { return l % 4 - 2; };
  const auto one = [](int) { return 1; };
  const auto array = [](std::int64_t n, const auto& f) {
    std::vector<T> v(n);
    for (int k = 0; k < n; ++k) v[k] = static_cast<T>(f(k));
    return test::make_array<T, 1, Layout, Exec>({n}, v);
  };
  std::vector<T> products;
  for (int k = 0; k < high; ++k)
    for (int l = 0; l < wide; ++l) products.push_back(static_cast<T>(down(k) * across(l)));
  const std::array<std::int64_t, 2> n{image.rows, image.columns};
  const auto in = test::make_array<T, 2, Layout, Exec>(n, std::vector<T>(image.values.begin(), image.values.end()));
  const auto product = test::make_array<T, 2, Layout, Exec>({high, wide}, products);
  const auto whole = test::make_array<T, 2, Layout, Exec>(n), lines = test::make_array<T, 2, Layout, Exec>(n),
             boxes = test::make_array<T, 2, Layout, Exec>(n);
  quern::correlate(Exec(), whole, in, product, image.edge());
  quern::correlate(Exec(), lines, in, quern::separable(array(high, down), array(wide, across)), image.edge());
  quern::box_sum(Exec(), boxes, in, {high, wide}, image.edge());
  const auto of_whole = test::contents(whole), of_lines = test::contents(lines), of_boxes = test::contents(boxes);
  for (int j = 0; j < image.rows; ++j)
    for (int i = 0; i < image.columns; ++i) {
      const int at = j * image.columns + i;
      const auto weighted = static_cast<T>(image.sum(j, i, high, wide, down, across));
      ASSERT_EQ(weighted, of_whole[at]) << high << " x " << wide << " at " << j << ", " << i;
      ASSERT_EQ(weighted, of_lines[at]) << high << " x " << wide << " at " << j << ", " << i;
      ASSERT_EQ(static_cast<T>(image.sum(j, i, high, wide, one, one)), of_boxes[at]) << high << " x " << wide;
    }
}

// All sums are exact.
TYPED_TEST(FilterWindows, WideWindows) {
  continued_image image{70, 261, {}, false};
  for (int n = 0; n < image.rows * image.columns; ++n)
    image.values.push_back(static_cast<std::int64_t>(10 * test::sample(n, 7)));
  for (const bool constants : {false, true}) {
    image.constants = constants;
    for (const auto& [high, wide] : {std::pair{7, 9}, {17, 6}, {2, 33}, {20, 1}, {1, 200}, {80, 2}}) {
      expect_wide_windows<TypeParam, Kokkos::LayoutRight, float>(image, high, wide);
      expect_wide_windows<TypeParam, Kokkos::LayoutLeft, std::int64_t>(image, wide, high);
    }
  }
}

TYPED_TEST(FilterWindows, WideWindowsOfThreeAxes) {
  const std::array<std::int64_t, 3> n{5, 37, 130};
  std::vector<double> values(n[0] * n[1] * n[2]), expected;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::floor(10 * test::sample(i, 4));
  const auto at = [&](std::int64_t l, std::int64_t j, std::int64_t i) {  // reflected
    const auto inside = [](std::int64_t x, std::int64_t extent) {
      return x < 0 ? -1 - x : x < extent ? x : 2 * extent - 1 - x;
    };
    return values[(inside(l, n[0]) * n[1] + inside(j, n[1])) * n[2] + inside(i, n[2])];
  };
  for (std::int64_t l = 0; l < n[0]; ++l)
    for (std::int64_t j = 0; j < n[1]; ++j)
      for (std::int64_t i = 0; i < n[2]; ++i) {
        double sum = 0;
        for (int c = -1; c <= 1; ++c)
          for (int b = -2; b <= 2; ++b)
            for (int a = -2; a <= 1; ++a) sum += at(l + c, j + b, i + a);
        expected.push_back(sum);
      }
  const auto check = [&]<class Layout>(Layout) {
    const auto in = test::make_array<double, 3, Layout, TypeParam>(n, values);
    const auto sums = test::make_array<double, 3, Layout, TypeParam>(n);
    const auto ones = test::make_array<double, 3, Layout, TypeParam>({3, 5, 4}, std::vector<double>(60, 1.0));
    quern::box_sum(TypeParam(), sums, in, {3, 5, 4}, boundary::reflect);
    EXPECT_EQ(expected, test::contents(sums));
    quern::correlate(TypeParam(), sums, in, ones, boundary::reflect);
    EXPECT_EQ(expected, test::contents(sums));
  };
  check(Kokkos::LayoutRight());
  check(Kokkos::LayoutLeft());
}

// More weights than a team's memory holds, and windows that are much wider than the array.
TYPED_TEST(FilterWindows, ThousandsOfWeights) {
  const std::array<std::int64_t, 2> n{40, 30};
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(n, std::vector<double>(1200, 2.5));
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(n);
  for (const auto& [down, across] : {std::pair{1500.0, 0.5}, {0.5, 200.0}, {300.0, 20.0}}) {
    quern::gaussian_filter(TypeParam(), out, in, {down, across}, boundary::mirror);
    for (const double found : test::contents(out)) ASSERT_NEAR(2.5, found, 1e-12) << down << ", " << across;
  }
}

}  // namespace
