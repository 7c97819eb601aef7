// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantiles in chunks beside a sorted list and those in memory. Users' functions are what is read, so that hosts have
// chunks as well.

#include <algorithm>
#include <chunked/behind_function.hpp>
#include <cmath>
#include <limits>
#include <quern/chunked/quantile.hpp>

namespace {

using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Case>
struct ChunkedQuantile : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;

  static bool same(double x, double y) { return x == y || (x != x && y != y); }
  /// Those between elements are the same numbers as in memory, and elements are those of a sorted list.
  static void check(const test::behind_function<T, 2>& a) {
    const auto v = test::make_array<T, 2, LayoutRight, E>(a.extents, a.values);
    const auto o = memory_for(a, 9);
    std::vector<T> sorted;
    for (const T x : a.values)
      if (x == x) sorted.push_back(x);
    const bool all = sorted.size() == a.values.size();
    std::sort(sorted.begin(), sorted.end());
    const double last = static_cast<double>(sorted.size()) - 1;
    for (const double q : {0.0, 0.013, 0.25, 0.5, 0.9, 1.0}) {
      for (const auto how : {quern::interpolation::linear, quern::interpolation::lower, quern::interpolation::higher}) {
        EXPECT_TRUE(same(quern::quantile(E(), v, q, how), quern::quantile(E(), a.source(), q, how, o))) << q;
        EXPECT_TRUE(same(quern::nanquantile(E(), v, q, how), quern::nanquantile(E(), a.source(), q, how, o))) << q;
      }
      const auto lower = static_cast<double>(sorted[static_cast<std::size_t>(std::floor(q * last))]);
      const auto higher = static_cast<double>(sorted[static_cast<std::size_t>(std::ceil(q * last))]);
      EXPECT_EQ(lower, quern::nanquantile(E(), a.source(), q, quern::interpolation::lower, o)) << q;
      EXPECT_EQ(higher, quern::nanquantile(E(), a.source(), q, quern::interpolation::higher, o)) << q;
      EXPECT_TRUE(
          same(all ? lower : std::nan(""), quern::quantile(E(), a.source(), q, quern::interpolation::lower, o)));
    }
    EXPECT_TRUE(same(quern::median(E(), v), quern::median(E(), a.source(), o)));
    EXPECT_TRUE(same(quern::nanmedian(E(), v), quern::nanmedian(E(), a.source(), o)));
  }
  static auto array() { return behind<T>(std::array<std::int64_t, 2>{61, 7}); }
  /// Numbers of all magnitudes, and an infinity.
  static auto wide_array() {
    auto a = array();
    for (std::size_t i = 0; i < a.values.size(); ++i)
      a.values[i] = std::ldexp(a.values[i], static_cast<int>(41 * i % 1900) - 950);
    a.values[5] = std::numeric_limits<T>::infinity();
    return a;
  }
};
using chunked_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ChunkedQuantile, chunked_cases);

TYPED_TEST(ChunkedQuantile, OfManyEqualValues) { this->check(this->array()); }

TYPED_TEST(ChunkedQuantile, OfAllMagnitudes) {
  if constexpr (std::is_floating_point_v<typename TestFixture::T>) this->check(this->wide_array());
}

TYPED_TEST(ChunkedQuantile, BesideNan) {
  using T = typename TestFixture::T;
  if constexpr (std::is_floating_point_v<T>) {
    auto a = this->wide_array();
    a.values[17] = std::numeric_limits<T>::quiet_NaN();
    this->check(a);
  }
}

TEST(ChunkedQuantiles, KeepAxes) {
  using E = Kokkos::DefaultExecutionSpace;
  const auto a = behind<double>(std::array<std::int64_t, 2>{61, 7});
  const Kokkos::View<double**, E> all("all", 1, 1);
  const Kokkos::View<double***, E> several("several", 2, 1, 1);
  quern::median(E(), all, a.source(), quern::keep_axes);
  EXPECT_EQ((std::vector<double>{quern::median(E(), a.source())}), test::contents(all));
  quern::quantile(E(), several, a.source(), {0.0, 0.5}, quern::keep_axes);
  EXPECT_EQ(test::contents(all)[0], test::contents(several)[1]);
  EXPECT_EQ(quern::min(E(), a.source()), test::contents(several)[0]);
}

TYPED_TEST(ChunkedQuantile, RejectsOtherProbabilities) {
  test::expect_error("quern::quantile: a probability is 1.500000, expected 0 to 1",
                     [&] { quern::quantile(typename TestFixture::E(), this->array().source(), 1.5); });
}

}  // namespace
