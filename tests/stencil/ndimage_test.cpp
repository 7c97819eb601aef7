// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extremes, ranks, percentiles and medians of windows, and morphology, beside those of scipy.ndimage.

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
  const E exec{};
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

template <class Case>
struct Morphology : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;
  /// Compares `call(out, in, window, edge, origin)` with SciPy's results of values.
  template <class One, class Call>
  static void agrees(const One& one, const std::string& operation, const Call& call) {
    const auto in = one.array("in");
    for (std::size_t m = 0; m < 5; ++m) {
      const auto out = one.empty();
      call(out, in, one.window(), test::ndimage_modes[m], one.origin());
      EXPECT_EQ(one.expected(operation, m), test::contents(out)) << one.name << operation << ' ' << m;
    }
  }
  /// The same of truths, with a constant beyond the array.
  template <class One, class Call>
  static void agrees_in_truths(const One& one, const std::string& operation, int border, const Call& call) {
    const auto out = one.empty();
    call(out, one.array("binary"), one.window(), quern::boundary::constant(border), one.origin());
    EXPECT_EQ(one.expected(operation), test::contents(out)) << one.name << operation;
  }
};
TYPED_TEST_SUITE(Morphology, some_types);

TYPED_TEST(Morphology, OfValuesAgreesWithSciPy) {
  using F = TestFixture;
  const typename F::E exec;
  test::for_each_ndimage_case<typename F::T, typename F::L, typename F::E>([&](const auto& one) {
    F::agrees(one, "grey_erosion", [&](const auto&... args) { quern::grey_erosion(exec, args...); });
    F::agrees(one, "grey_dilation", [&](const auto&... args) { quern::grey_dilation(args...); });
    F::agrees(one, "grey_opening", [&](const auto&... args) { quern::grey_opening(exec, args...); });
    F::agrees(one, "grey_closing", [&](const auto&... args) { quern::grey_closing(args...); });
  });
}

// Erosions of small values with heights are negative, which unsigned outputs do not hold.
TYPED_TEST(Morphology, WithHeightsAgreesWithSciPy) {
  using F = TestFixture;
  const typename F::E exec;
  if constexpr (std::is_signed_v<typename F::T>)
    test::for_each_ndimage_case<typename F::T, typename F::L, typename F::E>([&](const auto& one) {
      const quern::structuring heights(one.footprint_view("heights"));
      F::agrees(one, "grey_erosion/heights", [&](const auto&... args) { quern::grey_erosion(exec, args..., heights); });
      F::agrees(one, "grey_dilation/heights",
                [&](const auto&... args) { quern::grey_dilation(exec, args..., heights); });
    });
}

TYPED_TEST(Morphology, OfTruthsAgreesWithSciPy) {
  using F = TestFixture;
  const typename F::E exec;
  if constexpr (std::is_integral_v<typename F::T>)
    test::for_each_ndimage_case<typename F::T, typename F::L, typename F::E>([&](const auto& one) {
      for (const int border : {0, 1}) {
        const std::string at = "/" + std::to_string(border);
        F::agrees_in_truths(one, "binary_erosion" + at, border,
                            [&](const auto&... args) { quern::binary_erosion(exec, args...); });
        F::agrees_in_truths(one, "binary_dilation" + at, border,
                            [&](const auto&... args) { quern::binary_dilation(args...); });
      }
      F::agrees_in_truths(one, "binary_opening", 0, [&](const auto&... args) { quern::binary_opening(exec, args...); });
      F::agrees_in_truths(one, "binary_closing", 0, [&](const auto&... args) { quern::binary_closing(args...); });
    });
}

#if !defined(QUERN_TEST_PART) || QUERN_TEST_PART == 0
TEST(BinaryStructures, AreThoseOfSciPy) {
  for (int rank = 1; rank <= 3; ++rank)
    for (int connectivity = 0; connectivity < 5; ++connectivity) {
      const std::string name = "structure/" + std::to_string(rank) + "/" + std::to_string(connectivity);
      const quern::footprint found = quern::generate_binary_structure(rank, connectivity);
      const auto expected = test::ndimage.values<std::int16_t>(name);
      EXPECT_EQ(std::vector<char>(expected.begin(), expected.end()), found.cells()) << name;
      EXPECT_EQ(rank, static_cast<int>(found.sizes().size()));
    }
  EXPECT_THROW(quern::generate_binary_structure(4, 1), quern::Error);
}
#endif

}  // namespace
