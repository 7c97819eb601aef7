// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ranges, matrices and choices in chunks beside the same ones in memory.

#include <chunked/behind_function.hpp>
#include <quern/map.hpp>

namespace {

using Kokkos::LayoutRight;
using test::behind;

struct doubled {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x; }
};

template <class Exec>
struct ChunkedFunctions : testing::Test {
  static constexpr std::int64_t line_size = 23;
  static constexpr std::array<std::int64_t, 2> extents{11, 7};

  /// Calls `write(out)` with a View and with a sink, and compares the bits.
  template <std::size_t Rank, class Write>
  static void compare(const std::array<std::int64_t, Rank>& n, const Write& write) {
    const auto expected = test::make_array<double, Rank, LayoutRight, Exec>(n);
    write(expected);
    auto found = behind<double>(n, 3);
    write(found.sink());
    EXPECT_EQ(test::contents(expected), found.values);
  }
};
TYPED_TEST_SUITE(ChunkedFunctions, test::all_spaces);

TYPED_TEST(ChunkedFunctions, RangesHaveTheBitsOfTheCallInMemory) {
  const TypeParam exec;
  const std::array<std::int64_t, 1> n{this->line_size};
  this->compare(n, [&](const auto& out) { quern::arange(exec, out, 0.5, 12, 0.5); });
  this->compare(n, [&](const auto& out) { quern::linspace(exec, out, -1, 2.5); });
  this->compare(n, [&](const auto& out) { quern::logspace(exec, out, -1, 2, quern::without_endpoint); });
  this->compare(n, [&](const auto& out) { quern::geomspace(exec, out, 1e-3, 1e3); });
}

TYPED_TEST(ChunkedFunctions, MatricesKnowTheirWholeExtents) {
  const TypeParam exec;
  this->compare(this->extents, [&](const auto& out) { quern::eye(exec, out, quern::diagonal_offset{-2}); });
  const auto x = behind<double>(this->extents, 1);
  const auto v = test::make_array<double, 2, LayoutRight, TypeParam>(this->extents, x.values);
  const auto expected = test::make_array<double, 2, LayoutRight, TypeParam>(this->extents);
  auto found = behind<double>(this->extents, 3);
  const auto small = test::memory_for(x, 2, 3);
  quern::tril(exec, expected, v);
  quern::tril(exec, found.sink(), x.source(), small);
  EXPECT_EQ(test::contents(expected), found.values);
  quern::triu(exec, expected, v, quern::diagonal_offset{1});
  quern::triu(exec, found.sink(), x.source(), small, quern::diagonal_offset{1});
  EXPECT_EQ(test::contents(expected), found.values);
}

TYPED_TEST(ChunkedFunctions, ChoicesHaveTheBitsOfTheCallInMemory) {
  const TypeParam exec;
  const auto x = behind<double>(this->extents, 1), y = behind<double>(this->extents, 2);
  const auto vx = test::make_array<double, 2, LayoutRight, TypeParam>(this->extents, x.values);
  const auto vy = test::make_array<double, 2, LayoutRight, TypeParam>(this->extents, y.values);
  const auto expected = test::make_array<double, 2, LayoutRight, TypeParam>(this->extents);
  auto found = behind<double>(this->extents, 3);
  const auto small = test::memory_for(x, 2, 3);
  const auto same = [&](const auto& in_memory, const auto& in_chunks) {
    in_memory();
    in_chunks();
    EXPECT_EQ(test::contents(expected), found.values);
  };
  same([&] { quern::clip(exec, expected, vx, -1, vy); },
       [&] { quern::clip(exec, found.sink(), x.source(), -1, y.source(), small); });
  same([&] { quern::nan_to_num(exec, expected, vx); },
       [&] { quern::nan_to_num(exec, found.sink(), x.source(), small, quern::replacements{.nan = 1}); });
  same([&] { quern::isclose(exec, expected, vx, vy, quern::tolerance{.absolute = 2}); },
       [&] { quern::isclose(exec, found.sink(), x.source(), y.source(), small, quern::tolerance{.absolute = 2}); });
  same([&] { quern::select(exec, expected, vx, vy, 3); },
       [&] { quern::select(exec, found.sink(), small, x.source(), y.source(), 3); });
  same([&] { quern::piecewise(exec, expected, quern::pieces(doubled(), 1), vx, vy); },
       [&] { quern::piecewise(exec, found.sink(), quern::pieces(doubled(), 1), small, x.source(), y.source()); });
}

TYPED_TEST(ChunkedFunctions, ProductsAndPolynomialsHaveTheBitsOfTheCallInMemory) {
  const TypeParam exec;
  const std::array<std::int64_t, 2> vectors{11, 3};
  const auto x = behind<double>(vectors, 1), y = behind<double>(vectors, 2);
  const auto vx = test::make_array<double, 2, LayoutRight, TypeParam>(vectors, x.values);
  const auto vy = test::make_array<double, 2, LayoutRight, TypeParam>(vectors, y.values);
  const auto expected = test::make_array<double, 2, LayoutRight, TypeParam>(vectors);
  const auto coefficients = test::make_array<double, 1, LayoutRight, TypeParam>({3}, {1, -2, 0.5});
  auto found = behind<double>(vectors, 3);
  const auto small = test::memory_for(x, 2, 3);
  quern::cross(exec, expected, vx, vy);
  quern::cross(exec, found.sink(), x.source(), y.source(), small);
  EXPECT_EQ(test::contents(expected), found.values);
  quern::polyval(exec, expected, coefficients, vx);
  quern::polyval(exec, found.sink(), coefficients, x.source(), small);
  EXPECT_EQ(test::contents(expected), found.values);
  test::expect_error("quern::polyval: out and coefficients share memory", [&] {
    quern::polyval(exec, quern::in_chunks(coefficients), coefficients, quern::in_chunks(coefficients));
  });
}

}  // namespace
