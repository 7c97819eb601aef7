// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantiles of what a mask selects, beside those of the selected elements alone.
#include <algorithm>
#include <chunked/behind_function.hpp>
#include <quern/chunked/quantile.hpp>
#include <quern/reduce.hpp>
#include <support/masks.hpp>

namespace {

using quern::axis, quern::interpolation, quern::mask;
using test::expect_same;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Case>
struct QuantileMasks : test::masked_rows<Case> {};
using cases = test::covering<double, std::int8_t, std::int64_t, float>;
TYPED_TEST_SUITE(QuantileMasks, cases);

TYPED_TEST(QuantileMasks, QuantilesAreThoseOfTheSelected) {
  using T = typename TypeParam::value;
  const auto& e = this->e;
  const auto check = [&](const auto& some, const auto& x, const auto& m, const auto&) {
    if (some.size() == 0) {
      expect_same(nan, static_cast<double>(quern::median(e, x, mask{m})), "of none");
      return;
    }
    for (const double q : {0.0, 0.13, 0.5, 1.0})
      EXPECT_EQ(quern::quantile(e, some, q), quern::quantile(e, x, q, mask{m}));
    EXPECT_EQ(quern::nanmedian(e, some), quern::nanmedian(e, x, mask{m}));
  };
  this->for_masks(check);
  // More than a team reads, and elements as large as what stands for those that are hidden.
  const std::int64_t n = 70'001;
  const auto patterns = test::patterns(n);
  for (const auto& m : {patterns[0], patterns[2], patterns[4]}) {
    std::vector<T> values(n, std::numeric_limits<T>::max()), some;
    for (std::int64_t i = 0; i < n; ++i) {
      if (test::sample(i, 2) < 3) values[i] = static_cast<T>(4 * test::sample(i, 1));
      if (m[i] != 0) some.push_back(values[i]);
    }
    check(this->row(some), this->row(values), this->row(m), m);
  }
}

template <class Case>
struct QuantileMasksAlong : test::masked_rows<Case> {
  using T = typename Case::value;
  using layout = typename Case::layout;
  using exec = typename Case::exec;
  using extents = std::array<std::int64_t, 3>;

  /// Medians and other quantiles along axis d, beside those of each line's selected elements.
  static void check(const extents& n, const extents& of_mask, int d) {
    const std::int64_t size = n[0] * n[1] * n[2], of_all = of_mask[0] * of_mask[1] * of_mask[2];
    const auto values = test::samples<T>(size);
    std::vector<std::uint8_t> chosen(of_all);
    for (std::int64_t i = 0; i < of_all; ++i) chosen[i] = test::sample(i, 5) > 0;
    std::array<std::int64_t, 2> kept{};
    for (int a = 0, k = 0; a < 3; ++a)
      if (a != d) kept[k++] = n[a];
    std::vector<std::vector<T>> lines(kept[0] * kept[1]);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t at[] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
      std::int64_t line = 0, m = 0;
      for (int a = 0; a < 3; ++a) {
        if (a != d) line = line * n[a] + at[a];
        m = m * of_mask[a] + (of_mask[a] == 1 ? 0 : at[a]);
      }
      if (chosen[m] != 0) lines[line].push_back(values[i]);
    }
    const auto x = test::make_array<T, 3, layout, exec>(n, values);
    const auto m = test::make_array<std::uint8_t, 3, layout, exec>(of_mask, chosen);
    const auto out = test::make_array<double, 2, layout, exec>(kept);
    const auto two = test::make_array<double, 3, layout, exec>({2, kept[0], kept[1]});
    quern::median(exec(), out, x, axis{d}, mask{m});
    quern::quantile(exec(), two, x, {0.2, 0.9}, axis{d}, mask{m}, interpolation::higher);
    const auto medians = test::contents(out), found = test::contents(two);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      auto& line = lines[i];
      std::sort(line.begin(), line.end());
      const auto at = [&](double q) {  // the element of rank q (n - 1), or the next
        const auto rank = static_cast<std::size_t>(std::ceil(q * (static_cast<double>(line.size()) - 1)));
        return line.empty() ? nan : static_cast<double>(line[rank]);
      };
      const auto below = line.empty() ? nan : static_cast<double>(line[(line.size() - 1) / 2]);
      expect_same((below + at(0.5)) / 2, medians[i], "median");  // of quarters: exact
      expect_same(at(0.2), found[i], "0.2");
      expect_same(at(0.9), found[lines.size() + i], "0.9");
    }
  }
};
using axis_cases = test::covering<double, std::int16_t>;
TYPED_TEST_SUITE(QuantileMasksAlong, axis_cases);

TYPED_TEST(QuantileMasksAlong, MasksBroadcast) {
  using extents = typename TestFixture::extents;
  const auto check = [&](const extents& n, int d) {
    for (const extents& of_mask : {n, extents{n[0], 1, n[2]}, extents{1, n[1], 1}}) this->check(n, of_mask, d);
  };
  for (int d = 0; d < 3; ++d) check({3, 5, 40}, d);
  check({1100, 2, 3}, 0);  // longer than what a thread of a host selects from
  check({2, 1100, 3}, 1);
}

template <class Exec>
struct QuantileMasksOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(QuantileMasksOn, test::all_spaces);

TYPED_TEST(QuantileMasksOn, NansAmongTheSelectedCount) {
  const TypeParam e;
  const auto x = this->row(std::vector<double>{nan, 4, 2, nan, 1, 3});
  const auto numbers = this->row(std::vector<int>{0, 1, 1, 0, 0, 1});
  const auto others = this->row(std::vector<int>{0, 1, 1, -7, 0, 1});
  EXPECT_EQ(3, quern::median(e, x, mask{numbers}));
  EXPECT_TRUE(std::isnan(quern::median(e, x, mask{others})));
  EXPECT_EQ(3, quern::nanmedian(x, mask{others}));
  EXPECT_EQ(4, quern::nanquantile(e, x, 1.0, mask{others}));
  EXPECT_TRUE(std::isnan(quern::nanmedian(e, x, mask{false})));
}

TYPED_TEST(QuantileMasksOn, LazyAndSingleValuesAreMasks) {
  const auto x = this->row(std::vector<int>{0, 7, 0, 3, 4});
  EXPECT_EQ(4, quern::median(x, mask{quern::lazy(quern::impl::op::not_zero(), x)}));
  EXPECT_EQ(3, quern::median(TypeParam(), x, mask{true}, quern::named{"masked"}));
  EXPECT_TRUE(std::isnan(quern::median(x, mask{false})));
}

TYPED_TEST(QuantileMasksOn, OfNoElementsAreNotErrors) {
  const auto none = this->row(std::vector<double>{});
  const auto m = this->row(std::vector<bool>{});
  EXPECT_TRUE(std::isnan(quern::median(TypeParam(), none, mask{m})));
  EXPECT_THROW(quern::median(none), quern::Error);
  const Kokkos::View<double**, TypeParam> rows("rows", 2, 0);
  const auto out = this->row(std::vector<double>{7, 7});
  quern::nanmedian(TypeParam(), out, rows, axis{1}, mask{true});
  for (const double v : test::contents(out)) EXPECT_TRUE(std::isnan(v));
  const Kokkos::View<double*, Kokkos::HostSpace> in_memory("none", 0);
  EXPECT_TRUE(std::isnan(quern::median(TypeParam(), quern::in_chunks(in_memory), mask{true})));
}

TYPED_TEST(QuantileMasksOn, AxesMayBeKept) {
  const auto x = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto m = this->row(std::vector<bool>{true, false, true});
  const Kokkos::View<double**, TypeParam> out("out", 2, 1);
  quern::median(TypeParam(), out, x, axis{1}, quern::keep_axes, mask{m});
  EXPECT_EQ((std::vector<double>{2, 5}), test::contents(out));
}

TYPED_TEST(QuantileMasksOn, ComeInChunks) {
  const std::array<std::int64_t, 2> extents{61, 7};
  const auto x = test::behind<float>(extents);
  const auto chosen = test::behind<int>(extents, 5);
  const auto in = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>(extents, x.values);
  const auto m = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>(extents, chosen.values);
  const auto columns = this->row(std::vector<bool>{true, false, true, false, false, true, false});
  for (const double q : {0.0, 0.4, 0.77}) {
    EXPECT_EQ(quern::quantile(TypeParam(), in, q, mask{m}),
              quern::quantile(TypeParam(), x.source(), q, mask{chosen.source()}, test::memory_for(x, 9, 2)));
    EXPECT_EQ(quern::quantile(TypeParam(), in, q, mask{columns}),
              quern::quantile(TypeParam(), x.source(), q, mask{columns}, test::memory_for(x, 9)));
  }
  EXPECT_TRUE(std::isnan(quern::median(TypeParam(), x.source(), mask{false}, test::memory_for(x, 9))));
}

TYPED_TEST(QuantileMasksOn, ThatDoNotBroadcastAreRejected) {
  const Kokkos::View<double**, TypeParam> x("x", 3, 4);
  const Kokkos::View<double*, TypeParam> out("out", 4);
  const Kokkos::View<bool*, TypeParam> m("m", 3);
  test::expect_error("quern::median: the mask has extents (3), which do not broadcast to (3, 4)",
                     [&] { quern::median(out, x, axis{0}, mask{m}); });
  const auto source = test::behind<float>(std::array<std::int64_t, 2>{9, 4});
  test::expect_error("quern::quantile: the mask has extents (3), which do not broadcast to (9, 4)",
                     [&] { quern::quantile(TypeParam(), source.source(), 0.5, mask{m}); });
}

TYPED_TEST(QuantileMasksOn, ResultsDoNotOverlapMasks) {
  const Kokkos::View<double**, TypeParam> x("x", 3, 4);
  const Kokkos::View<int*, TypeParam> m("m", 4);
  EXPECT_THROW(quern::median(m, x, axis{0}, mask{m}), quern::Error);
}

}  // namespace
