// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extremes of windows so wide that they are found as rolling windows of lines.

#include <algorithm>
#include <cmath>
#include <limits>
#include <stencil/continued.hpp>
#include <stencil/ndimage.hpp>

namespace {

using quern::boundary, quern::boundaries, quern::boundary_pair;

template <class Case>
struct WideWindows : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;
  static std::vector<T> frozen(const std::string& name, std::size_t mode) {
    const auto all = test::ndimage.values<std::uint8_t>("wide/" + name);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(mode * 910);
    return {first, first + 910};
  }
};
using some_types = test::ndimage_types<float, std::uint8_t>;
TYPED_TEST_SUITE(WideWindows, some_types);

TYPED_TEST(WideWindows, AreSciPys) {
  using T = typename TestFixture::T;
  const typename TestFixture::E exec;
  const auto matrix = [](const std::vector<T>& v) {
    return test::make_array<T, 2, typename TestFixture::L, typename TestFixture::E>({130, 7}, v);
  };
  const auto in = matrix(this->frozen("in", 0)), out = matrix(std::vector<T>(910));
  for (const std::string k : {"0/", "1/", "2/"}) {
    const auto sizes = test::ndimage.values<std::int16_t>("wide/" + k + "sizes"),
               origin = test::ndimage.values<std::int16_t>("wide/" + k + "origin");
    const quern::footprint window{sizes[0], sizes[1]};
    const quern::origin moved{origin[0], origin[1]};
    for (std::size_t m = 0; m < 5; ++m) {
      const boundary& edge = test::ndimage_modes[m];
      quern::minimum_filter(exec, out, in, window, edge, moved);
      EXPECT_EQ(this->frozen(k + "minimum_filter", m), test::contents(out)) << k << m;
      quern::maximum_filter(exec, out, in, window, edge, moved);
      EXPECT_EQ(this->frozen(k + "maximum_filter", m), test::contents(out)) << k << m;
      quern::grey_closing(exec, out, in, window, edge, moved);
      EXPECT_EQ(this->frozen(k + "grey_closing", m), test::contents(out)) << k << m;
    }
  }
}

using array = std::vector<double>;
constexpr std::int64_t extents[3] = {5, 150, 6};
constexpr double kept = 99;

/// The greatest values of windows of 3 x 101 x 1 cells, by loops; `computed(j)` says of which cells along the long
/// axis.
template <class Computed>
array by_loops(const array& values, const boundary_pair& first, const boundary_pair& second, double constant,
               const Computed& computed) {
  const auto planes = test::continued(first.low, first.high, 5, 1),
             rows = test::continued(second.low, second.high, 150, 50);
  array found(values.size(), kept);
  for (std::int64_t k = 0; k < 5; ++k)
    for (std::int64_t j = 0; j < 150; ++j)
      for (std::int64_t i = 0; i < 6; ++i) {
        if (!computed(j)) continue;
        double greatest = -std::numeric_limits<double>::infinity();
        for (int c = 0; c < 3; ++c)
          for (int b = 0; b < 101; ++b) {
            const std::int64_t p = planes[k + c], r = rows[j + b];
            const double v = p < 0 || r < 0 ? constant : values[(p * 150 + r) * 6 + i];
            greatest = std::isnan(v) || std::isnan(greatest) ? NAN : std::max(greatest, v);
          }
        found[(k * 150 + j) * 6 + i] = greatest;
      }
  for (double& v : found)
    if (std::isnan(v)) v = -12345;
  return found;
}

template <class Exec>
struct WideWindowsOn : testing::Test {
  template <class Layout>
  static auto cube(const array& values) {
    return test::make_array<double, 3, Layout, Exec>({extents[0], extents[1], extents[2]}, values);
  }
  static array filtered(const array& values, const boundaries& edge) {
    const auto out = cube<Kokkos::LayoutLeft>(array(values.size(), kept));
    quern::maximum_filter(Exec(), out, cube<Kokkos::LayoutRight>(values), {3, 101, 1}, edge);
    array found = test::contents(out);
    for (double& v : found)
      if (std::isnan(v)) v = -12345;
    return found;
  }
};
TYPED_TEST_SUITE(WideWindowsOn, test::all_spaces);

TYPED_TEST(WideWindowsOn, OfAMiddleAxisAndNaN) {
  array values = test::samples<double>(4500, 7);
  values[1234] = values[4000] = std::numeric_limits<double>::quiet_NaN();
  const boundary_pair planes(boundary::mirror, boundary::nearest), rows(boundary::constant(100), boundary::reflect);
  EXPECT_EQ(by_loops(values, planes, rows, 100, [](std::int64_t) { return true; }),
            this->filtered(values, boundaries{planes, rows, boundary::nearest}));
}

TYPED_TEST(WideWindowsOn, KeepCellsThatTheyDoNotCompute) {
  const array values = test::samples<double>(4500, 8);
  const boundary_pair planes(boundary::wrap), rows(boundary::keep, boundary::mirror);
  EXPECT_EQ(by_loops(values, planes, rows, 0, [](std::int64_t j) { return j >= 50; }),
            this->filtered(values, boundaries{planes, rows, boundary::nearest}));
  const array box = this->filtered(values, quern::interior_only{{1, 4}, {50, 99}, {0, 6}});
  array expected = by_loops(values, planes, rows, 0, [](std::int64_t j) { return j >= 50 && j < 99; });
  std::fill_n(expected.begin(), 900, kept);
  std::fill_n(expected.end() - 900, 900, kept);
  EXPECT_EQ(expected, box);
}

}  // namespace
