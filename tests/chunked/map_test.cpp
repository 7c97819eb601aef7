// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chunked operations beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <chunked/behind_function.hpp>

namespace {

namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using quern::in_chunks;
using test::behind, test::memory_for;

struct combine {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a * T(2) + b;
  }
};

template <class Case>
struct ChunkedMap : testing::Test {};
using chunked_cases = test::covering<double, std::int8_t, float>;
TYPED_TEST_SUITE(ChunkedMap, chunked_cases);

TYPED_TEST(ChunkedMap, MapHasTheBitsOfTheCallInMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {1, 50}, {0, 4}, {64, 1}}) {
    const auto x = behind<T>(extents, 1), y = behind<T>(extents, 2);
    const auto vx = test::make_array<T, 2, typename TypeParam::layout, E>(extents, x.values);
    const auto vy = test::make_array<T, 2, LayoutRight, E>(extents, y.values);
    const auto expected = test::make_array<T, 2, LayoutRight, E>(extents);
    quern::map(exec, expected, combine(), vx, vy);
    for (const std::int64_t rows : {1, 7, 1000}) {
      auto z = behind<T>(extents, 3);
      quern::map(exec, z.sink(), combine(), memory_for(x, rows, 3), x.source(), y.source());
      EXPECT_EQ(test::contents(expected), z.values) << rows;
      // A View of the execution space among the inputs, and as the output.
      const auto v = test::make_array<T, 2, typename TypeParam::layout, E>(extents, std::vector<T>(z.values.size()));
      quern::map(exec, v, combine(), memory_for(x, rows, 3), vx, y.source());
      EXPECT_EQ(test::contents(expected), test::contents(v)) << rows;
    }
  }
}

struct weighted_position {
  template <class T>
  KOKKOS_FUNCTION double operator()(T x, T row, double scale, const Kokkos::Array<std::int64_t, 2>& at) const {
    return scale * static_cast<double>(x) + static_cast<double>(row) + 1000.0 * at[0] + at[1];
  }
};

TYPED_TEST(ChunkedMap, MapBroadcastsAndCountsPositionsInTheWhole) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  const std::array<std::int64_t, 2> extents{53, 17};
  const auto x = behind<T>(extents, 1);
  const auto line = test::samples<T>(17, 4);
  const auto row = test::make_array<T, 1, LayoutRight, E>({17}, line);
  const auto host_row = test::make_array<T, 1, LayoutRight, Kokkos::DefaultHostExecutionSpace>({17}, line);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < 53; ++i)
    for (std::int64_t j = 0; j < 17; ++j)
      expected.push_back(0.5 * static_cast<double>(x.values[i * 17 + j]) + static_cast<double>(line[j]) + 1000.0 * i +
                         j);
  auto z = behind<double>(extents, 3);
  quern::map(exec, z.sink(), weighted_position(), memory_for(x, 5, 9), x.source(), row, 0.5, quern::positions());
  EXPECT_EQ(expected, z.values);
  quern::map(exec, z.sink(), weighted_position(), memory_for(x, 5, 9), x.source(), in_chunks(host_row), 0.5,
             quern::positions());
  EXPECT_EQ(expected, z.values);
}

// Views of the host beside the execution space, in every layout and memory: what a device computes in chunks.
TYPED_TEST(ChunkedMap, MapOfHostViews) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using host = Kokkos::DefaultHostExecutionSpace;
  const E exec{};
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {2, 3}, {0, 3}}) {
    const std::int64_t n = extents[0] * extents[1];
    const auto a = test::samples<T>(n, 1), b = test::samples<T>(n, 2);
    std::vector<T> expected(n);
    for (std::int64_t i = 0; i < n; ++i) expected[i] = combine()(a[i], b[i]);
    quern::chunking o;
    o.memory = 3 * 3 * 31 * sizeof(T) * 5;
    const auto check = [&](const auto& out, const auto& x, const auto& y) {
      quern::map(exec, in_chunks(out), combine(), o, in_chunks(x), in_chunks(y));
      EXPECT_EQ(expected, test::contents(out));
    };
    check(test::make_array<T, 2, typename TypeParam::layout, host>(extents, std::vector<T>(n)),
          test::make_array<T, 2, LayoutRight, host>(extents, a),
          test::make_array<T, 2, Kokkos::LayoutLeft, test::pinned_memory>(extents, b));
    check(test::make_array<T, 2, Kokkos::LayoutLeft, test::pinned_memory>(extents, std::vector<T>(n)),
          test::make_array<T, 2, Kokkos::LayoutLeft, host>(extents, a),
          test::make_array<T, 2, typename TypeParam::layout, test::pinned_memory>(extents, b));
  }
}

}  // namespace
