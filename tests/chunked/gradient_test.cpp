// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Differential operators in chunks beside the same ones in memory.

#include <chunked/behind_function.hpp>
#include <quern/stencil.hpp>

namespace {

using test::behind, test::memory_for;

template <class Exec>
struct ChunkedOperators : testing::Test {
  /// Calls `run(out, in, options...)` in memory and in chunks of several heights.
  template <class Run>
  static void compare(const Run& run) {
    const std::array<std::int64_t, 2> extents{41, 9};
    const auto u = behind<double>(extents);
    const auto in = test::make_array<double, 2, Kokkos::LayoutRight, Exec>(extents, u.values);
    const auto whole = test::make_array<double, 2, Kokkos::LayoutRight, Exec>(extents);
    run(whole, in);
    for (const std::int64_t rows : {3, 11, 100}) {
      auto found = behind<double>(extents, 4);
      run(found.sink(), u.source(), memory_for(found, 2 * rows + 4, 3));
      EXPECT_EQ(test::contents(whole), found.values) << rows;
    }
  }
};
TYPED_TEST_SUITE(ChunkedOperators, test::all_spaces);

TYPED_TEST(ChunkedOperators, GradientsAreOneSidedAtTheEdgesOfTheWholeArray) {
  const TypeParam exec;
  std::vector<double> points;
  for (int i = 0; i < 41; ++i) points.push_back(i + 0.01 * i * i);
  const auto y = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({41}, points);
  this->compare([&](const auto& out, const auto& in, const auto&... memory) {
    quern::gradient(exec, out, in, 0.25, quern::axis{0}, memory...);
  });
  this->compare([&](const auto& out, const auto& in, const auto&... memory) {
    quern::gradient(exec, out, in, y, quern::axis{0}, quern::edge_order<2>, memory...);
  });
}

TYPED_TEST(ChunkedOperators, GradientsAreRejectedWhereOutputsShareMemoryWithPoints) {
  const Kokkos::View<double*, TypeParam> u("u", 41), x("x", 41);
  test::expect_error("quern::gradient: out and points along axis 0 share memory",
                     [&] { quern::gradient(TypeParam(), quern::in_chunks(x), quern::in_chunks(u), x); });
}

TYPED_TEST(ChunkedOperators, LaplaciansAndDivergencesHaveTheBitsOfTheCallInMemory) {
  const TypeParam exec;
  this->compare([&](const auto& out, const auto& in, const auto&... memory) {
    quern::laplacian<4>(exec, out, in, {0.5, 0.25}, quern::boundary::wrap, memory...);
  });
  this->compare([&](const auto& out, const auto& in, const auto&... memory) {
    quern::divergence(out, quern::components(in, in), 0.5, quern::boundary::reflect, memory...);
  });
}

}  // namespace
