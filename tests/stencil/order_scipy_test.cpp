// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extremes, ranks, percentiles and medians of windows beside those of scipy.ndimage.

#include <stencil/ndimage.hpp>

namespace {

template <class Case>
struct OrderSciPy : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;
  /// Compares `call(out, in, case, edge)` with SciPy's results, of which those at the first boundary are the nth.
  template <class One, class Call>
  static void agrees(const One& one, const std::string& operation, std::size_t first, const Call& call) {
    const auto in = one.array("in");
    for (std::size_t m = 0; m < 5; ++m) {
      const auto out = one.empty();
      call(out, in, test::ndimage_modes[m]);
      EXPECT_EQ(one.expected(operation, first + m), test::contents(out)) << one.name << operation << ' ' << m;
    }
  }
};
using some_types = test::ndimage_types<float, std::uint8_t>;
TYPED_TEST_SUITE(OrderSciPy, some_types);

TYPED_TEST(OrderSciPy, Extremes) {
  using E = typename TestFixture::E;
  const E exec;
  test::for_each_ndimage_case<typename TestFixture::T, typename TestFixture::L, E>([&](const auto& one) {
    const auto window = one.window();
    TestFixture::agrees(one, "minimum_filter", 0, [&](const auto& out, const auto& in, const quern::boundary& edge) {
      quern::minimum_filter(exec, out, in, window, edge, one.origin());
    });
    TestFixture::agrees(one, "maximum_filter", 0, [&](const auto& out, const auto& in, const quern::boundary& edge) {
      quern::maximum_filter(out, in, window, edge, one.origin());
    });
  });
}

TYPED_TEST(OrderSciPy, Medians) {
  const typename TestFixture::E exec;
  test::for_each_ndimage_case<typename TestFixture::T, typename TestFixture::L, typename TestFixture::E>(
      [&](const auto& one) {
        const auto window = one.window();
        TestFixture::agrees(one, "median_filter", 0, [&](const auto& out, const auto& in, const quern::boundary& edge) {
          quern::median_filter(exec, out, in, window, edge, one.origin());
        });
      });
}

TYPED_TEST(OrderSciPy, RanksAndPercentiles) {
  const typename TestFixture::E exec;
  constexpr double percentiles[] = {0, 30, 75, 100, -20};
  test::for_each_ndimage_case<typename TestFixture::T, typename TestFixture::L, typename TestFixture::E>(
      [&](const auto& one) {
        const auto window = one.window();
        const auto ranks = test::ndimage.template values<std::int16_t>(one.name + "ranks");
        for (std::size_t r = 0; r < ranks.size(); ++r)
          TestFixture::agrees(one, "rank_filter", 5 * r,
                              [&](const auto& out, const auto& in, const quern::boundary& edge) {
                                quern::rank_filter(exec, out, in, ranks[r], window, edge, one.origin());
                              });
        for (std::size_t p = 0; p < 5; ++p)
          TestFixture::agrees(one, "percentile_filter", 5 * p,
                              [&](const auto& out, const auto& in, const quern::boundary& edge) {
                                quern::percentile_filter(exec, out, in, percentiles[p], window, edge, one.origin());
                              });
      });
}

}  // namespace
