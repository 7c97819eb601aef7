// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights that are a product of one along each axis, and the same weights as a whole, beside a loop.

#include <quern/stencil.hpp>
#include <stencil/continued.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;

constexpr std::array<std::int64_t, 2> extents{23, 29};
constexpr double beyond = 2.5, untouched = 99;

/// One axis of an array, the weights of a window along it, and what the loop needs of the boundaries.
struct filtered_axis {
  std::vector<double> weights;
  bool turned;  // as in convolutions
  std::int64_t size, first, last;
  std::vector<std::int64_t> index;

  filtered_axis(int d, const quern::boundaries& edge, const std::vector<double>& w, bool turn)
      : weights(w), turned(turn), size(extents[d]), first(0), last(size) {
    const boundary low = edge.is_box() ? boundary::nearest : edge.axis(d).low;
    const boundary high = edge.is_box() ? boundary::nearest : edge.axis(d).high;
    if (edge.is_box()) std::tie(first, last) = edge.range(d);
    // A boundary keeps the cells that are less than half a window away, on both sides for even numbers of weights, too.
    if (low.kind() == boundary::mode::keep) first = count() / 2;
    if (high.kind() == boundary::mode::keep) last = size - count() / 2;
    index = test::continued(low, high, size, count());
  }
  std::int64_t count() const { return static_cast<std::int64_t>(weights.size()); }
  std::int64_t offset(std::int64_t k) const { return turned ? count() / 2 - k : k - count() / 2; }
  bool computes(std::int64_t i) const { return i >= first && i < last; }
  /// The index under weight k of the window around i, or -1 for a constant.
  std::int64_t under(std::int64_t k, std::int64_t i) const { return index[i + offset(k) + count()]; }
};

std::vector<double> by_loop(const std::vector<double>& in, const filtered_axis& down, const filtered_axis& across) {
  std::vector<double> out(in.size(), untouched);
  for (std::int64_t j = 0; j < down.size; ++j)
    for (std::int64_t i = 0; i < across.size; ++i) {
      if (!down.computes(j) || !across.computes(i)) continue;
      double sum = 0;
      for (std::int64_t k = 0; k < down.count(); ++k)
        for (std::int64_t l = 0; l < across.count(); ++l) {
          const std::int64_t row = down.under(k, j), column = across.under(l, i);
          sum +=
              down.weights[k] * across.weights[l] * (row < 0 || column < 0 ? beyond : in[row * across.size + column]);
        }
      out[j * across.size + i] = sum;
    }
  return out;
}

template <class Exec>
struct FilterSeparable : testing::Test {
  using weights = std::vector<double>;

  template <class Layout>
  static auto line(const weights& w) {
    return test::make_array<double, 1, Layout, Exec>({static_cast<std::int64_t>(w.size())}, w);
  }
  /// Calls correlate or convolve with the weights w as f(out, in, w).
  template <class Layout, class F>
  static void expect(const std::vector<double>& expected, const F& f, const auto& w) {
    const auto in = test::make_array<double, 2, Layout, Exec>(extents, test::samples<double>(extents[0] * extents[1]));
    const auto out =
        test::make_array<double, 2, Layout, Exec>(extents, std::vector<double>(expected.size(), untouched));
    f(out, in, w);
    const auto found = test::contents(out);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(expected[i], found[i], 1e-9) << i;
  }
  template <class Layout>
  static void check(const weights& down, const weights& across, const quern::boundaries& edge) {
    const auto values = test::samples<double>(extents[0] * extents[1]);
    weights products;
    for (const double x : down)
      for (const double y : across) products.push_back(x * y);
    const auto whole = test::make_array<double, 2, Layout, Exec>(
        {static_cast<std::int64_t>(down.size()), static_cast<std::int64_t>(across.size())}, products);
    const auto lines = quern::separable(line<Layout>(down), line<Layout>(across));
    const auto correlate = [&](const auto& out, const auto& in, const auto& w) {
      quern::correlate(Exec(), out, in, w, edge);
    };
    const auto convolve = [&](const auto& out, const auto& in, const auto& w) {
      quern::convolve(Exec(), out, in, w, edge);
    };
    const auto correlated = by_loop(values, {0, edge, down, false}, {1, edge, across, false});
    expect<Layout>(correlated, correlate, whole);
    expect<Layout>(correlated, correlate, lines);
    const auto convolved = by_loop(values, {0, edge, down, true}, {1, edge, across, true});
    expect<Layout>(convolved, convolve, whole);
    expect<Layout>(convolved, convolve, lines);
  }
};
TYPED_TEST_SUITE(FilterSeparable, test::all_spaces);

const std::vector<double> odd = {1, -2, 3, 4, 0.5}, even = {2, 1, -3, 5};

TYPED_TEST(FilterSeparable, AreTheirProductAtEachBoundary) {
  const auto k = boundary::constant(beyond);
  for (const quern::boundaries& edge :
       {quern::boundaries(k), quern::boundaries(boundary::keep), quern::boundaries(boundary::wrap),
        quern::boundaries{boundary::keep, boundary::reflect}, quern::boundaries{boundary::mirror, boundary::keep},
        quern::boundaries{quern::boundary_pair{boundary::keep, k}, quern::boundary_pair{boundary::nearest, k}}}) {
    TestFixture::template check<Kokkos::LayoutRight>(odd, even, edge);
    TestFixture::template check<Kokkos::LayoutLeft>(even, odd, edge);
  }
}

TYPED_TEST(FilterSeparable, AreTheirProductInABox) {
  const quern::interior_only box{{2, 20}, {5, 24}};
  TestFixture::template check<Kokkos::LayoutRight>(odd, even, box);
  TestFixture::template check<Kokkos::LayoutLeft>(even, odd, box);
}

// 81 of a window, 65 of a line.
TYPED_TEST(FilterSeparable, MayBeMoreWeightsThanGoAlongWithAKernel) {
  TestFixture::template check<Kokkos::LayoutRight>(std::vector<double>(9, 0.5), std::vector<double>(9, 2.0),
                                                   boundary::constant(beyond));
  std::vector<double> many(65);
  for (int i = 0; i < 65; ++i) many[i] = test::sample(i, 2);
  TestFixture::template check<Kokkos::LayoutRight>(many, odd, boundary::reflect);
}

}  // namespace
