// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chunked operations beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <chunked/behind_function.hpp>

namespace {

namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Case>
struct ChunkedScan : testing::Test {};
using chunked_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ChunkedScan, chunked_cases);

TYPED_TEST(ChunkedScan, ScansGoOnFromChunkToChunk) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using S = quern::impl::sum_type<T>;
  const E exec{};
  const std::array<std::int64_t, 3> extents{29, 4, 5};
  const auto a = behind<T>(extents);
  const auto v = test::make_array<T, 3, LayoutRight, E>(extents, a.values);
  const auto expected = test::make_array<S, 3, LayoutRight, E>(extents);
  auto found = behind<S>(extents, 9);
  for (const std::int64_t rows : {1, 6, 100}) {
    const auto o = memory_for(found, rows, 4);
    const auto check = [&](const auto&... axis) {
      quern::cumsum(exec, expected, v, axis...);
      quern::cumsum(exec, found.sink(), a.source(), axis..., o);
      EXPECT_EQ(test::contents(expected), found.values);
      quern::exclusive_scan(exec, expected, quern::impl::extremum_op<1>(), S(-50), v, axis...);
      quern::exclusive_scan(exec, found.sink(), quern::impl::extremum_op<1>(), S(-50), a.source(), axis..., o);
      EXPECT_EQ(test::contents(expected), found.values);
      quern::inclusive_scan(exec, expected, quern::impl::extremum_op<1>(), S(-50), v, axis...);
      quern::inclusive_scan(exec, found.sink(), quern::impl::extremum_op<1>(), S(-50), a.source(), axis..., o);
      EXPECT_EQ(test::contents(expected), found.values);
    };
    check();
    check(quern::axis{0});
    check(quern::axis{1});
    check(quern::axis{-1});
  }
}

TYPED_TEST(ChunkedScan, CountsOfChunksAddUp) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto a = behind<T>(std::array<std::int64_t, 2>{83, 13});
  const auto v = test::make_array<T, 2, LayoutRight, E>(a.extents, a.values);
  const auto w = behind<double>(a.extents, 5);
  const auto vw = test::make_array<double, 2, LayoutRight, E>(a.extents, w.values);
  const Kokkos::View<std::int64_t*, E> found("found", 7), expected("expected", 7);
  const quern::bin_range range{-5, 5};
  quern::histogram(exec, expected, v, range);
  quern::histogram(exec, found, a.source(), range, memory_for(a, 4));
  EXPECT_EQ(test::contents(expected), test::contents(found));
  const Kokkos::View<double*, E> sums("sums", 7), expected_sums("expected", 7);
  quern::histogram(exec, expected_sums, v, range, quern::weights{vw});
  quern::histogram(exec, sums, a.source(), range, quern::weights{w.source()}, memory_for(w, 4, 2));
  EXPECT_EQ(test::contents(expected_sums), test::contents(sums));
  const auto keys = behind<std::int32_t>(a.extents, 6);
  const auto vk = test::make_array<std::int32_t, 2, LayoutRight, E>(a.extents, keys.values);
  quern::bincount(exec, expected, vk);
  quern::bincount(exec, found, keys.source(), memory_for(keys, 4));
  EXPECT_EQ(test::contents(expected), test::contents(found));
}

}  // namespace
