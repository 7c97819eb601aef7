// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters with run-time sizes: what their windows leave out, complex numbers, and misuse.

#include <cmath>
#include <limits>
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;

template <class Exec>
struct FiltersOn : testing::Test {};
TYPED_TEST_SUITE(FiltersOn, test::all_spaces);

TYPED_TEST(FiltersOn, NoWeightBeyondTheWindow) {
  // A NaN next to a window must not be multiplied by an imagined zero.
  std::vector<double> values(30, 1.0);
  values[0] = std::nan("");
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 6}, values);
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 6});
  const auto w = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 3}, {1, 1, 1});
  quern::correlate(TypeParam(), out, in, w, boundary::nearest);
  const auto found = test::contents(out);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(i > 1 ? 3.0 : -1.0, std::isnan(found[i]) ? -1.0 : found[i]) << i;
}

TYPED_TEST(FiltersOn, ComplexNumbers) {
  using complex = Kokkos::complex<float>;
  const int n = 20, radius = 4;  // of 4 standard deviations
  std::vector<complex> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = complex(static_cast<float>(test::sample(i, 1)), static_cast<float>(test::sample(i, 2)));
  const auto in = test::make_array<complex, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
  const auto out = test::make_array<complex, 1, Kokkos::LayoutRight, TypeParam>({n});
  quern::gaussian_filter(TypeParam(), out, in, 1.0, boundary::reflect);
  const auto found = test::contents(out);
  for (int i = 0; i < n; ++i) {
    double real = 0, imaginary = 0, weights = 0;
    for (int k = i - radius; k <= i + radius; ++k) {
      const complex value = values[k < 0 ? -1 - k : k < n ? k : 2 * n - 1 - k];
      const double weight = std::exp(-0.5 * (k - i) * (k - i));
      real += weight * value.real();
      imaginary += weight * value.imag();
      weights += weight;
    }
    EXPECT_NEAR(real / weights, found[i].real(), 1e-5) << i;
    EXPECT_NEAR(imaginary / weights, found[i].imag(), 1e-5) << i;
  }
}

TYPED_TEST(FiltersOn, WeightsAreReindexed) {
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 4}, {0, 1, 0, 0, 0, 0, 0, 0});
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 4});
  const auto w = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({1, 3}, {1, 2, 3});
  const auto line = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({3}, {1, 2, 3});
  const auto one = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({1}, {1});
  const std::vector<double> expected{1, 2, 3, 0, 0, 0, 0, 0};
  quern::correlate(TypeParam(), out, in, quern::flip(w), boundary::wrap);
  EXPECT_EQ(expected, test::contents(out));
  Kokkos::deep_copy(out, 0);
  quern::correlate(TypeParam(), out, in, quern::separable(one, quern::flip(line)), boundary::wrap);
  EXPECT_EQ(expected, test::contents(out));
  const auto cells = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({1, 3}, {1, 0, 0});
  quern::maximum_filter(out, in, quern::footprint(quern::flip(cells)), boundary::wrap);
  EXPECT_EQ((std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0}), test::contents(out));
  quern::grey_dilation(out, in, {1, 3}, boundary::wrap, quern::structuring(quern::flip(w)));
  EXPECT_EQ((std::vector<double>{4, 3, 3, 3, 3, 3, 3, 3}), test::contents(out));
}

TEST(FiltersDefault, RunOnTheDefaultSpace) {
  using E = Kokkos::DefaultExecutionSpace;
  const auto in = test::make_array<float, 1, Kokkos::LayoutRight, E>({4}, {1, 2, 4, 8});
  const auto out = test::make_array<float, 1, Kokkos::LayoutRight, E>({4});
  const auto w = test::make_array<float, 1, Kokkos::LayoutRight, E>({2}, {1, 10});
  const auto is = [&](const std::vector<float>& expected) { EXPECT_EQ(expected, test::contents(out)); };
  quern::correlate(out, in, w, boundary::constant(0));
  is({10, 21, 42, 84});
  quern::convolve(out, in, w, boundary::constant(0));
  is({12, 24, 48, 80});
  quern::box_sum(out, in, 3, boundary::constant(0));
  is({3, 7, 14, 12});
  quern::uniform_filter(out, in, 2, boundary::nearest);
  is({1, 1.5, 3, 6});
  quern::gaussian_filter(out, in, 0.0, boundary::nearest);
  is({1, 2, 4, 8});
  quern::gaussian_filter(out, in, 3.0, boundary::nearest, quern::truncate_at{0.1});  // a weight of 1 alone
  is({1, 2, 4, 8});
}

TYPED_TEST(FiltersOn, ReportMisuse) {
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5});
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5});
  const auto none = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({0, 3});
  const auto large = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 5});
  const TypeParam exec;
  test::expect_error("quern::correlate: a window of 0 along axis 0, expected at least 1",
                     [&] { quern::correlate(exec, out, in, none, boundary::wrap); });
  test::expect_error("quern::correlate: boundary::keep along axis 0 of extents (4, 5) with a neighbourhood of 5",
                     [&] { quern::correlate(exec, out, in, large, boundary::keep); });
  test::expect_error("quern::convolve: out and in share memory",
                     [&] { quern::convolve(exec, in, in, large, boundary::wrap); });
  test::expect_error("quern::box_sum: 3 parameters for 2 axes",
                     [&] { quern::box_sum(exec, out, in, {1, 2, 3}, boundary::wrap); });
  test::expect_error("quern::uniform_filter: a window of -1 along axis 1, expected at least 1",
                     [&] { quern::uniform_filter(exec, out, in, {2, -1}, boundary::wrap); });
  test::expect_error("quern::uniform_filter: in has extents (5, 5), expected those of out, (4, 5)",
                     [&] { quern::uniform_filter(exec, out, large, 3, boundary::wrap); });
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    test::expect_error("quern::gaussian_filter: sigma and truncate must be finite and not negative",
                       [&] { quern::gaussian_filter(exec, out, in, bad, boundary::wrap); });
}

}  // namespace
