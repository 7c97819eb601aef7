// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derivatives of what Gaussians smooth beside those of scipy.ndimage, and functors of windows.

#include <stencil/ndimage.hpp>

namespace {

template <class Case>
struct GaussianDerivatives : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  template <int Rank>
  static void agrees(const std::string& group) {
    std::array<std::int64_t, Rank> extents;
    std::copy_n(test::ndimage.extents(group + "in").begin(), Rank, extents.begin());
    const auto values = test::ndimage.values(group + "in"), s = test::ndimage.values(group + "sigmas");
    const quern::per_axis<double> sigma = [&]() -> quern::per_axis<double> {
      if constexpr (Rank == 1) return s[0];
      else if constexpr (Rank == 2) return {s[0], s[1]};
      else return {s[0], s[1], s[2]};
    }();
    const auto in =
        test::make_array<T, Rank, typename Case::layout, E>(extents, std::vector<T>(values.begin(), values.end()));
    const quern::boundary modes[] = {quern::boundary::constant(0), quern::boundary::nearest, quern::boundary::reflect,
                                     quern::boundary::mirror, quern::boundary::wrap};
    for (std::size_t m = 0; m < 5; ++m) {
      const auto out = test::make_array<T, Rank, typename Case::layout, E>(extents);
      quern::gaussian_laplace(E(), out, in, sigma, modes[m]);
      expect_near(group + "gaussian_laplace", m, test::contents(out));
      quern::gaussian_gradient_magnitude(out, in, sigma, modes[m]);
      expect_near(group + "gaussian_gradient_magnitude", m, test::contents(out));
    }
  }
  /// Sums of up to 17^3 terms of magnitudes up to about 5.
  static void expect_near(const std::string& name, std::size_t m, const std::vector<T>& found) {
    const auto all = test::ndimage.values(name);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(all[m * found.size() + i], found[i], 200 * test::eps<T>()) << name << ' ' << m << ' ' << i;
  }
};
using real_types = test::ndimage_types<double, float>;
TYPED_TEST_SUITE(GaussianDerivatives, real_types);

TYPED_TEST(GaussianDerivatives, AgreeWithSciPy) {
  TestFixture::template agrees<2>("gaussian/1/");
  TestFixture::template agrees<2>("gaussian/2/");
  if constexpr (std::is_same_v<typename TypeParam::layout, Kokkos::LayoutRight>)
    TestFixture::template agrees<1>("gaussian/0/");
  else TestFixture::template agrees<3>("gaussian/3/");
}

/// The values of a window, each as often as its place in it.
struct numbered_sum {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    auto sum = w[0];
    for (int n = 1; n < w.size(); ++n) sum += static_cast<decltype(sum)>(n + 1) * w[n];
    return sum;
  }
};

TYPED_TEST(GaussianDerivatives, GenericFiltersAgreeWithSciPy) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  test::for_each_ndimage_case<T, typename TypeParam::layout, E>([&](const auto& one) {
    const auto in = one.array("in");
    for (std::size_t m = 0; m < 5; ++m) {
      const auto out = one.empty();
      quern::generic_filter(E(), out, numbered_sum(), one.window(), test::ndimage_modes[m], one.origin(), in);
      EXPECT_EQ(one.expected("generic_filter", m), test::contents(out)) << one.name << m;
    }
  });
  const auto in = test::make_array<T, 2, typename TypeParam::layout, E>({1, 4}, {1, 2, 3, 4});
  const auto out = test::make_array<T, 2, typename TypeParam::layout, E>({1, 4});
  quern::generic_filter(out, numbered_sum(), {1, 2}, quern::boundary::constant(9), in);
  EXPECT_EQ((std::vector<T>{11, 5, 8, 11}), test::contents(out));
}

}  // namespace
