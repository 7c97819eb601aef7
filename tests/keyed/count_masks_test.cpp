// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Histograms and counts of what a mask selects, beside those of the selected values alone.

#include <chunked/behind_function.hpp>
#include <cmath>
#include <limits>
#include <quern/keyed.hpp>

#include "support/keyed.hpp"

namespace {

using quern::mask, quern::weights;

template <class Case>
struct CountMasks : testing::Test {
  using exec = typename Case::exec;
  exec e;

  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, typename Case::layout, exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  /// Values, weights and a mask, and the values and weights that it selects. Other weights are NaN.
  template <class T>
  struct selection {
    std::vector<T> x, some;
    std::vector<double> w, weights_of_some;
    std::vector<std::uint8_t> chosen;
    template <class F>
    selection(std::int64_t n, const F& f) : x(n), w(n), chosen(n) {
      for (std::int64_t i = 0; i < n; ++i) {
        x[i] = f(test::hashed(i));
        chosen[i] = i % 1000 < 700 && test::sample(i, 4) > 0 ? 2 : 0;
        w[i] = chosen[i] != 0 ? test::sample(i, 5) : std::numeric_limits<double>::quiet_NaN();
        if (chosen[i] == 0) continue;
        some.push_back(x[i]);
        weights_of_some.push_back(w[i]);
      }
    }
  };
  /// `count(out, x, options...)` of the whole with a mask, beside that of the selected values; sums are exact.
  template <class T, class Count>
  void expect_as_of_selected(const selection<T>& s, std::int64_t bins, const Count& count) {
    const auto x = row(s.x), some = row(s.some);
    const mask m(row(s.chosen));
    const auto expected = row(std::vector<typename Case::value>(bins)),
               found = row(std::vector<typename Case::value>(bins));
    count(expected, some);
    count(found, x, m);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    if constexpr (std::is_floating_point_v<typename Case::value>) {
      count(expected, some, weights{row(s.weights_of_some)});
      count(found, x, weights{row(s.w)}, m);
      EXPECT_EQ(test::contents(expected), test::contents(found));
    }
  }
};
using cases = test::covering<double, std::int64_t, std::uint32_t>;
TYPED_TEST_SUITE(CountMasks, cases);

TYPED_TEST(CountMasks, HistogramsAreThoseOfTheSelected) {
  const auto& e = this->e;
  for (const std::int64_t n : {0, 1, 77, 40'009}) {
    const typename TestFixture::template selection<double> s(
        n, [](std::uint64_t h) { return h % 17 == 0 ? NAN : static_cast<double>(h % 999) / 8 - 60; });
    this->expect_as_of_selected(s, 31, [&](const auto& out, const auto& x, const auto&... options) {
      quern::histogram(e, out, x, quern::bin_range{-50, 50}, options...);
    });
    const auto edges = this->row(std::vector<double>{-50, -7, 0, 0.5, 40});
    this->expect_as_of_selected(s, 4, [&](const auto& out, const auto& x, const auto&... options) {
      quern::histogram(out, x, edges, options...);
    });
  }
}

TYPED_TEST(CountMasks, CountsAreThoseOfTheSelected) {
  const auto& e = this->e;
  const typename TestFixture::template selection<std::uint8_t> s(
      40'009, [](std::uint64_t h) { return static_cast<std::uint8_t>(h % 256); });
  for (const std::int64_t bins : {200, 256})
    this->expect_as_of_selected(s, bins, [&](const auto& out, const auto& x, const auto&... options) {
      quern::bincount(e, out, x, options...);
    });
  this->expect_as_of_selected(s, 90, [&](const auto& out, const auto& x, const auto&... options) {
    quern::bincount(out, x, quern::key_range{10, 100}, options...);
  });
}

template <class Exec>
struct CountMasksOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::row<Exec>(v);
  }
};
TYPED_TEST_SUITE(CountMasksOn, test::all_spaces);

TYPED_TEST(CountMasksOn, BroadcastWithWeights) {
  const auto x = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({3, 4}, {0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1});
  const auto rows = test::make_array<bool, 2, Kokkos::LayoutRight, TypeParam>({3, 1}, {true, false, true});
  const auto columns = this->row(std::vector<float>{1, 10, 100, 1000});
  const Kokkos::View<double*, TypeParam> out("out", 4);
  quern::bincount(out, x, mask{rows});
  EXPECT_EQ((std::vector<double>{2, 2, 2, 2}), test::contents(out));
  quern::bincount(out, x, mask{rows}, weights{columns});
  EXPECT_EQ((std::vector<double>{101, 1010, 101, 1010}), test::contents(out));
}

TYPED_TEST(CountMasksOn, OfPoints) {
  const auto x = test::make_array<float, 2, Kokkos::LayoutRight, TypeParam>({4, 2}, {0, 0, 1, 1, 0, 1, 1, 1});
  const auto m = this->row(std::vector<int>{1, 0, 1, 1});
  const auto w = this->row(std::vector<double>{2, NAN, 3, 4});
  const Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> out("out", 2, 2);
  const std::array<quern::bin_range, 2> ranges{quern::bin_range{-0.5, 1.5}, quern::bin_range{-0.5, 1.5}};
  quern::histogram(TypeParam(), out, x, ranges, mask{m});
  EXPECT_EQ((std::vector<double>{1, 1, 0, 1}), test::contents(out));
  quern::histogram(out, x, ranges, weights{w}, mask{m});
  EXPECT_EQ((std::vector<double>{2, 3, 0, 4}), test::contents(out));
  quern::histogram(TypeParam(), out, x, ranges, mask{true});
  EXPECT_EQ((std::vector<double>{1, 1, 0, 2}), test::contents(out));
  quern::histogram(TypeParam(), out, x, ranges, mask{false}, weights{w});
  EXPECT_EQ(std::vector<double>(4, 0.0), test::contents(out));
}

TYPED_TEST(CountMasksOn, LazyAndSingleValuesAreMasks) {
  const auto x = this->row(std::vector<int>{0, 1, 2, 2, 0});
  const Kokkos::View<int*, TypeParam> out("out", 3);
  quern::bincount(out, x, mask{quern::lazy(quern::impl::op::not_zero(), x)});
  EXPECT_EQ((std::vector<int>{0, 1, 2}), test::contents(out));
  quern::bincount(TypeParam(), out, x, mask{true});
  EXPECT_EQ((std::vector<int>{2, 1, 2}), test::contents(out));
  quern::bincount(out, x, mask{false}, quern::named{"masked"});
  EXPECT_EQ((std::vector<int>{0, 0, 0}), test::contents(out));
}

TYPED_TEST(CountMasksOn, KeysThatAreNotSelectedAreNotChecked) {
  const auto x = this->row(std::vector<int>{1, -3, 2, 9});
  const auto good = this->row(std::vector<bool>{true, false, true, false});
  const auto bad = this->row(std::vector<bool>{true, false, true, true});
  const Kokkos::View<int*, TypeParam> out("out", 3);
  quern::bincount(out, x, quern::checked, mask{good});
  EXPECT_EQ((std::vector<int>{0, 1, 1}), test::contents(out));
  try {
    quern::bincount(TypeParam(), out, x, mask{bad}, quern::checked);
    FAIL();
  } catch (const quern::KeyRangeError& error) {
    EXPECT_STREQ("quern::bincount: the key at position 3 is not from 0 to 2", error.what());
  }
}

TYPED_TEST(CountMasksOn, ComeInChunks) {
  const std::array<std::int64_t, 2> extents{50, 3};
  const auto x = test::behind<double>(extents);
  const auto chosen = test::behind<int>(extents, 5);
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(extents, x.values);
  const auto m = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>(extents, chosen.values);
  const auto columns = this->row(std::vector<bool>{true, false, true});
  const Kokkos::View<std::int64_t*, TypeParam> expected("expected", 9), found("found", 9);
  const quern::bin_range range{-3, 3};
  for (const std::int64_t rows : {1, 7, 100}) {
    quern::histogram(TypeParam(), expected, in, range, mask{m});
    quern::histogram(TypeParam(), found, x.source(), range, mask{chosen.source()}, test::memory_for(x, rows, 2));
    EXPECT_EQ(test::contents(expected), test::contents(found));
    quern::histogram(TypeParam(), expected, in, range, mask{columns});
    quern::histogram(TypeParam(), found, x.source(), range, mask{columns}, test::memory_for(x, rows));
    EXPECT_EQ(test::contents(expected), test::contents(found));
  }
}

TYPED_TEST(CountMasksOn, ThatDoNotFitAreRejected) {
  const Kokkos::View<int*, TypeParam> x("x", 4), out("out", 2);
  const Kokkos::View<bool*, TypeParam> m("m", 3);
  test::expect_error("quern::bincount: the mask has extents (3), which do not broadcast to (4)",
                     [&] { quern::bincount(out, x, mask{m}); });
  test::expect_error("quern::histogram: the mask has extents (3), which do not broadcast to (4)",
                     [&] { quern::histogram(out, x, quern::bin_range{0, 1}, mask{m}, weights{x}); });
}

TYPED_TEST(CountMasksOn, ResultsDoNotOverlapMasks) {
  const Kokkos::View<int*, TypeParam> x("x", 4), m("m", 4);
  const auto out = Kokkos::subview(m, std::pair(2, 4));
  EXPECT_THROW(quern::bincount(out, x, mask{m}), quern::Error);
  EXPECT_THROW(quern::histogram(out, x, quern::bin_range{0, 1}, mask{m}), quern::Error);
}

}  // namespace
