// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rolling windows in chunks beside the same ones in memory.

#include <chunked/behind_function.hpp>
#include <cmath>
#include <quern/stencil.hpp>
#include <support/comparable.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::axis;
using quern::window;
using test::behind, test::memory_for;
namespace op = quern::op;

template <class E>
struct ChunkedRolling : testing::Test {
  using T = float;
  /// Compares `call(out, in, window, axis, options...)` in chunks of several sizes with that in memory.
  template <class Call>
  static void agrees(const std::array<std::int64_t, 2>& extents, const Call& call) {
    const std::int64_t n = extents[0] * extents[1];
    auto a = behind<T>(extents);
    a.values[n / 2] = a.values[n / 2 + 1] = std::numeric_limits<T>::quiet_NaN();
    const auto in = test::make_array<T, 2, LayoutRight, E>(extents, a.values);
    const auto expected = test::make_array<T, 2, LayoutRight, E>(extents);
    for (const window& w : {window{5}, window{.count = 4, .center = true, .min_periods = 1},
                            window{.count = 9, .center = true, .min_periods = 3}, window{1}})
      for (const int along : {0, 1})
        for (const std::int64_t rows : {4, 11, 100}) {
          call(expected, in, w, axis{along});
          auto found = behind<T>(extents, 4);
          call(found.sink(), a.source(), w, axis{along}, memory_for(a, rows + 12, 3));
          const std::string what =
              std::to_string(w.count) + " along " + std::to_string(along) + ", rows " + std::to_string(rows);
          EXPECT_EQ(test::comparable(test::contents(expected)), test::comparable(found.values)) << what;
          const auto view = test::make_array<T, 2, LayoutRight, E>(extents);
          call(view, a.source(), w, axis{along}, memory_for(a, rows + 12, 3));
          EXPECT_EQ(test::comparable(test::contents(expected)), test::comparable(test::contents(view))) << what;
        }
  }
};
TYPED_TEST_SUITE(ChunkedRolling, test::all_spaces);

TYPED_TEST(ChunkedRolling, SumsAndMediansAreThoseOfTheCallInMemory) {
  const TypeParam exec;
  TestFixture::agrees({61, 23}, [&](const auto& out, const auto& in, const window& w, const auto&... options) {
    quern::rolling<op::sum>(exec, out, in, w, options...);
  });
  TestFixture::agrees({37, 11}, [&](const auto& out, const auto& in, const window& w, const auto&... options) {
    quern::rolling<op::median>(exec, out, in, w, options...);
  });
}

// As wide as many chunks, and wider than the array.
TYPED_TEST(ChunkedRolling, WindowsMayBeWiderThanChunks) {
  const TypeParam exec;
  const auto a = behind<float>(std::array<std::int64_t, 1>{3000});
  const auto in = test::make_array<float, 1, LayoutRight, TypeParam>({3000}, a.values),
             expected = test::make_array<float, 1, LayoutRight, TypeParam>({3000});
  for (const auto& [count, rows] : {std::pair<std::int64_t, std::int64_t>(700, 4600), {9000, 20000}}) {
    const window w{.count = count, .min_periods = 1};
    quern::rolling<op::max>(exec, expected, in, w);
    auto found = behind<float>(std::array<std::int64_t, 1>{3000}, 2);
    quern::rolling<op::max>(exec, found.sink(), a.source(), w, memory_for(a, rows));
    EXPECT_EQ(test::contents(expected), found.values);
  }
}

TYPED_TEST(ChunkedRolling, OfLazyArraysAndOfOptions) {
  const TypeParam exec;
  const std::array<std::int64_t, 2> extents{40, 6};
  const auto a = behind<float>(extents);
  const auto in = test::make_array<float, 2, LayoutRight, TypeParam>(extents, a.values),
             expected = test::make_array<float, 2, LayoutRight, TypeParam>(extents);
  const auto added = quern::impl::op::add();
  quern::rolling<op::var>(exec, expected, quern::lazy(added, in, 2.0f), window{3}, axis{0}, quern::ddof{1});
  auto found = behind<float>(extents, 4);
  quern::rolling<op::var>(exec, found.sink(), quern::lazy(added, a.source(), 2.0f), window{3}, quern::ddof{1}, axis{0},
                          memory_for(a, 12, 3));
  EXPECT_EQ(test::comparable(test::contents(expected)), test::comparable(found.values));
  test::expect_error("quern::rolling: a step of 2, which windows have in memory alone", [&] {
    quern::rolling<op::sum>(exec, found.sink(), a.source(), window{.count = 3, .step = 2}, axis{0});
  });
  test::expect_error("quern::rolling: a window of 0 elements, expected at least 1",
                     [&] { quern::rolling<op::sum>(exec, found.sink(), a.source(), window{0}); });
}

TYPED_TEST(ChunkedRolling, OfAWidthLieAlongAWholeAxis) {
  const TypeParam exec;
  const std::array<std::int64_t, 2> extents{40, 30};
  const auto a = behind<float>(extents);
  std::vector<double> positions(40);
  for (int i = 0; i < 40; ++i) positions[i] = i * 0.5 + (i % 3) * 0.25;
  const auto all = test::make_array<double, 1, LayoutRight, TypeParam>({40}, positions);
  const auto times = Kokkos::subview(all, std::pair(0, 30));
  const auto in = test::make_array<float, 2, LayoutRight, TypeParam>(extents, a.values),
             expected = test::make_array<float, 2, LayoutRight, TypeParam>(extents);
  const quern::value_window w{.width = 2.5, .center = true};
  quern::rolling<op::max>(exec, expected, in, times, w);
  auto found = behind<float>(extents, 4);
  quern::rolling<op::max>(exec, found.sink(), a.source(), times, w, quern::checked, memory_for(a, 7, 2));
  EXPECT_EQ(test::contents(expected), found.values);
  test::expect_error(
      "quern::rolling: windows of a width along axis 0, which is cut: those of a number of elements "
      "alone may lie there",
      [&] { quern::rolling<op::max>(exec, found.sink(), a.source(), all, w, axis{0}); });
}

}  // namespace
