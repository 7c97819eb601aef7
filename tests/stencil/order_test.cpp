// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of order statistics beside loops, of types, values and boundaries that scipy.ndimage does not have.

#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/stencil.hpp>
#include <stencil/continued.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary, quern::boundaries;

/// The values of the window of each cell of a matrix, sorted. The window has `high` x `wide` cells around the cell.
template <class T>
std::vector<std::vector<T>> sorted_windows(const std::vector<T>& values, const std::array<std::int64_t, 2>& n,
                                           const std::array<int, 2>& size, const boundary& edge, T constant) {
  const auto rows = test::continued(edge, edge, n[0], size[0]), columns = test::continued(edge, edge, n[1], size[1]);
  std::vector<std::vector<T>> all;
  for (std::int64_t j = 0; j < n[0]; ++j)
    for (std::int64_t i = 0; i < n[1]; ++i) {
      std::vector<T> window;
      for (int b = 0; b < size[0]; ++b)
        for (int a = 0; a < size[1]; ++a) {
          const auto r = rows[j + size[0] + b - size[0] / 2], c = columns[i + size[1] + a - size[1] / 2];
          window.push_back(r < 0 || c < 0 ? constant : values[r * n[1] + c]);
        }
      std::sort(window.begin(), window.end());
      all.push_back(window);
    }
  return all;
}

template <class Case>
struct Order : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  static auto array(const std::array<std::int64_t, 2>& n, const std::vector<T>& values) {
    return test::make_array<T, 2, typename Case::layout, E>(n, values);
  }
  /// Values of all of a type's range.
  static std::vector<T> values(std::int64_t n) {
    std::vector<T> v(n);
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = test::sample(i, 5);
      if constexpr (std::is_integral_v<T>)
        v[i] = i % 11 == 0   ? std::numeric_limits<T>::max()
               : i % 13 == 0 ? std::numeric_limits<T>::min()
                             : static_cast<T>(static_cast<std::int64_t>(x * 4));
      else
        v[i] = static_cast<T>(i % 17 == 0 ? -std::numeric_limits<double>::infinity()
                                          : std::ldexp(x, static_cast<int>(i % 40) - 20));
    }
    return v;
  }
};
using all_types = test::covering<std::int8_t, double, std::int64_t, float>;
TYPED_TEST_SUITE(Order, all_types);

// Boxes that registers hold, boxes of more cells than a narrow type counts, and rows of several blocks.
TYPED_TEST(Order, RanksAreThoseOfSortedWindows) {
  using T = typename TestFixture::T;
  const typename TestFixture::E exec;
  const auto check = [&](const std::array<std::int64_t, 2>& n, const std::array<int, 2>& size, const boundary& edge) {
    const auto v = TestFixture::values(n[0] * n[1]);
    const auto in = TestFixture::array(n, v), out = TestFixture::array(n, v);
    const auto windows = sorted_windows(v, n, size, edge, T(2));
    const int count = size[0] * size[1];
    for (const int rank : {0, count / 4, count / 2, 3 * count / 4, count - 1}) {
      quern::rank_filter(exec, out, in, rank, {size[0], size[1]}, edge);
      std::vector<T> expected;
      for (const auto& w : windows) expected.push_back(w[rank]);
      EXPECT_EQ(expected, test::contents(out)) << size[0] << " x " << size[1] << ", rank " << rank;
    }
  };
  for (const auto& size : {std::array<int, 2>{3, 3}, {5, 5}, {1, 4}, {6, 3}, {17, 17}})
    for (const auto& edge : {boundary::constant(2), boundary::reflect, boundary::wrap}) check({23, 29}, size, edge);
  check({9, 1100}, {3, 3}, boundary::nearest);
  check({9, 1100}, {2, 7}, boundary::mirror);
}

// Cells whose windows are not in the array stay as they are, those of a box are computed.
TYPED_TEST(Order, KeepsCells) {
  using T = typename TestFixture::T;
  const typename TestFixture::E exec;
  const std::array<std::int64_t, 2> n{12, 14};
  const auto v = TestFixture::values(n[0] * n[1]);
  const auto in = TestFixture::array(n, v);
  const auto windows = sorted_windows(v, n, {5, 3}, boundary::nearest, T(0));
  const auto expect = [&](const auto& out, int rank, std::int64_t j0, std::int64_t j1, std::int64_t i0,
                          std::int64_t i1) {
    const auto found = test::contents(out);
    for (std::int64_t k = 0; k < n[0] * n[1]; ++k) {
      const std::int64_t j = k / n[1], i = k % n[1];
      const bool inside = j >= j0 && j < j1 && i >= i0 && i < i1;
      EXPECT_EQ(inside ? windows[k][rank] : T(7), found[k]) << j << ' ' << i << ", rank " << rank;
    }
  };
  for (const int rank : {0, 6, 7, 14}) {
    const auto kept = TestFixture::array(n, std::vector<T>(v.size(), T(7)));
    quern::rank_filter(exec, kept, in, rank, {5, 3}, boundary::keep);
    expect(kept, rank, 2, 10, 1, 13);
    const auto box = TestFixture::array(n, std::vector<T>(v.size(), T(7)));
    quern::rank_filter(exec, box, in, rank, {5, 3}, quern::interior_only{{3, 10}, {1, 9}});
    expect(box, rank, 3, 10, 1, 9);
  }
}

template <class Exec>
struct OrderOn : testing::Test {};
TYPED_TEST_SUITE(OrderOn, test::all_spaces);

// An opening reaches twice as far as its window.
TYPED_TEST(OrderOn, OpeningsKeepCells) {
  using T = double;
  const TypeParam exec;
  const std::array<std::int64_t, 2> n{13, 15};
  const auto v = test::samples<T>(n[0] * n[1]);
  const auto array = [&](const std::vector<T>& values) {
    return test::make_array<T, 2, Kokkos::LayoutRight, TypeParam>(n, values);
  };
  const auto in = array(v), whole = array(v);
  quern::grey_opening(exec, whole, in, 3, boundary::nearest);
  const auto expected = test::contents(whole);
  for (const boundaries& edge : {boundaries(boundary::keep), boundaries(quern::interior_only{{2, 11}, {2, 13}})}) {
    const auto out = array(std::vector<T>(v.size(), T(7)));
    quern::grey_opening(exec, out, in, 3, edge);
    const auto found = test::contents(out);
    for (std::int64_t k = 0; k < n[0] * n[1]; ++k) {
      const bool inside = k / n[1] >= 2 && k / n[1] < 11 && k % n[1] >= 2 && k % n[1] < 13;
      EXPECT_EQ(inside ? expected[k] : T(7), found[k]) << k;
    }
  }
}

// Of windows with NaN the result is NaN, by every algorithm, whatever the sign of NaN.
TYPED_TEST(OrderOn, NanIsTheResultOfItsWindows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> v(400);
  for (int i = 0; i < 400; ++i) v[i] = i % 7;
  v[5] = nan;
  v[330] = -nan;
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 400}, v),
             out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 400});
  for (const int size : {3, 4, 7, 121}) {
    for (int rank = 0; rank < size; rank += size < 10 ? 1 : 12) {
      quern::rank_filter(TypeParam(), out, in, rank, {1, size}, boundary::nearest);
      const auto found = test::contents(out);
      for (int i = 0; i < 400; ++i) {
        const int first = i - size / 2;
        const bool expected = (first <= 5 && 5 < first + size) || (first <= 330 && 330 < first + size);
        EXPECT_EQ(expected, std::isnan(found[i])) << i << ", rank " << rank << " of " << size;
      }
    }
  }
}

TYPED_TEST(OrderOn, HalfPrecisionAndTruths) {
  using half = Kokkos::Experimental::half_t;
  const std::vector<half> v{half(1), half(-3), half(2.5), half(0)};
  const auto in = test::make_array<half, 1, Kokkos::LayoutRight, TypeParam>({4}, v),
             out = test::make_array<half, 1, Kokkos::LayoutRight, TypeParam>({4});
  quern::median_filter(TypeParam(), out, in, 3, boundary::nearest);
  EXPECT_EQ(std::vector<float>({1, 1, 0, 0}), [&] {
    std::vector<float> f;
    for (const half& h : test::contents(out)) f.push_back(static_cast<float>(h));
    return f;
  }());
  const Kokkos::View<bool*, typename TypeParam::memory_space> flags("flags", 5), grown("grown", 5);
  Kokkos::deep_copy(Kokkos::subview(flags, 2), true);
  const Kokkos::View<const bool*, typename TypeParam::memory_space> seen = flags;
  quern::binary_dilation(TypeParam(), grown, seen, 3, boundary::constant(false));
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), grown);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(i >= 1 && i <= 3, host(i)) << i;
}

TYPED_TEST(OrderOn, EmptyArrays) {
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({0, 5}),
             out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({0, 5});
  quern::minimum_filter(TypeParam(), out, in, 3, boundary::reflect);
  quern::median_filter(TypeParam(), out, in, {9, 2}, boundary::wrap);
  quern::grey_closing(TypeParam(), out, in, 3, boundary::constant(1));
  quern::maximum_filter(TypeParam(), out, in, 3, boundary::keep);
  quern::binary_opening(TypeParam(), out, in, 3, boundary::keep);
}

TYPED_TEST(OrderOn, ReportMisuse) {
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5}, std::vector<double>(20)),
             out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5}, std::vector<double>(20)),
             large = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 5}, std::vector<double>(25)),
             line = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 3}, {1, 0, 1});
  const auto vector = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({3}, {1, 0, 1});
  const TypeParam exec;
  test::expect_error("quern::minimum_filter: a window of 0 along axis 1, expected at least 1",
                     [&] { quern::minimum_filter(exec, out, in, {3, 0}, boundary::wrap); });
  test::expect_error("quern::maximum_filter: a window of rank 3 for arrays of rank 2",
                     [&] { quern::maximum_filter(exec, out, in, {3, 1, 1}, boundary::wrap); });
  test::expect_error("quern::median_filter: a window of rank 1 for arrays of rank 2",
                     [&] { quern::median_filter(exec, out, in, quern::footprint(vector), boundary::wrap); });
  test::expect_error(
      "quern::minimum_filter: an origin of 1 for a window of 2 along axis 0, whose cells must contain the cell itself",
      [&] { quern::minimum_filter(exec, out, in, 2, boundary::wrap, quern::origin{1, 0}); });
  test::expect_error("quern::rank_filter: a rank of 9 among 9 values",
                     [&] { quern::rank_filter(exec, out, in, 9, 3, boundary::wrap); });
  test::expect_error("quern::rank_filter: a rank of -3 among 2 values",
                     [&] { quern::rank_filter(exec, out, in, -3, quern::footprint(line), boundary::wrap); });
  EXPECT_THROW(quern::percentile_filter(exec, out, in, 100.5, 3, boundary::wrap), quern::Error);
  EXPECT_THROW(quern::percentile_filter(exec, out, in, std::nan(""), 3, boundary::wrap), quern::Error);
  Kokkos::deep_copy(line, 0.0);
  test::expect_error("quern::median_filter: a footprint without a cell",
                     [&] { quern::median_filter(exec, out, in, quern::footprint(line), boundary::wrap); });
  test::expect_error("quern::median_filter: out and in share memory",
                     [&] { quern::median_filter(exec, in, in, 3, boundary::wrap); });
  test::expect_error("quern::grey_erosion: in has extents (5, 5), expected those of out, (4, 5)",
                     [&] { quern::grey_erosion(exec, out, large, 3, boundary::wrap); });
  test::expect_error("quern::grey_dilation: a structuring element whose extents are not those of the window",
                     [&] { quern::grey_dilation(exec, out, in, 3, boundary::wrap, quern::structuring(line)); });
  test::expect_error("quern::grey_opening: boundary::keep along axis 0 of extents (4, 5) with a neighbourhood of 5",
                     [&] { quern::grey_opening(exec, out, in, 3, boundary::keep); });
}

}  // namespace
