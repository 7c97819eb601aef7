// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters in chunks beside the same ones in memory.

#include <chunked/behind_function.hpp>
#include <quern/stencil.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::boundary, quern::boundaries;
using test::behind, test::memory_for;

template <class E>
struct ChunkedFilters : testing::Test {
  using T = float;
  /// Compares `call(out, in, edge, options...)` in chunks of several sizes with that in memory.
  template <class Call>
  static void agrees(const std::array<std::int64_t, 2>& extents, const Call& call) {
    const std::int64_t n = extents[0] * extents[1];
    const auto a = behind<T>(extents);
    const auto in = test::make_array<T, 2, LayoutRight, E>(extents, a.values);
    for (const boundaries& edge :
         {boundaries(boundary::reflect), boundaries(boundary::mirror), boundaries(boundary::wrap),
          boundaries(boundary::constant(3)), boundaries(boundary::keep), boundaries{boundary::nearest, boundary::keep},
          boundaries(quern::interior_only{{6, extents[0] - 9}, {4, extents[1] - 5}})})
      for (const std::int64_t rows : {4, 11, 100}) {
        const auto memory = memory_for(a, rows + 12, 3);
        const auto expected = test::make_array<T, 2, LayoutRight, E>(extents, std::vector<T>(n));
        call(expected, in, edge);
        auto found = behind<T>(extents, 4);
        call(found.sink(), a.source(), edge, memory);
        EXPECT_EQ(test::contents(expected), found.values) << rows;
        // Views keep what is not computed.
        const auto kept = test::make_array<T, 2, LayoutRight, E>(extents, test::samples<T>(n, 8)),
                   view = test::make_array<T, 2, LayoutRight, E>(extents, test::samples<T>(n, 8));
        call(kept, in, edge);
        call(view, a.source(), edge, memory);
        EXPECT_EQ(test::contents(kept), test::contents(view)) << rows;
      }
  }
};
TYPED_TEST_SUITE(ChunkedFilters, test::all_spaces);

TYPED_TEST(ChunkedFilters, OrdersAreThoseOfTheCallInMemory) {
  const TypeParam exec;
  TestFixture::agrees({61, 23}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::minimum_filter(exec, out, in, {5, 2}, edge, quern::origin{1, -1}, options...);
  });
  TestFixture::agrees({61, 23}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::median_filter(exec, out, in, 3, edge, options...);
  });
  TestFixture::agrees({37, 40}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::median_filter(exec, out, in, {4, 5}, edge, options...);
  });
}

TYPED_TEST(ChunkedFilters, OpeningsAreThoseOfTheCallInMemory) {
  const TypeParam exec;
  TestFixture::agrees({61, 23}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::grey_opening(exec, out, in, {4, 3}, edge, options...);
  });
  TestFixture::agrees({41, 33}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::grey_closing(exec, out, in, quern::generate_binary_structure(2, 1), edge, options...);
  });
}

TYPED_TEST(ChunkedFilters, WideWindowsAreThoseOfTheCallInMemory) {
  const auto a = behind<float>(std::array<std::int64_t, 2>{600, 5});
  const auto in = test::make_array<float, 2, LayoutRight, TypeParam>(a.extents, a.values),
             out = test::make_array<float, 2, LayoutRight, TypeParam>(a.extents);
  quern::minimum_filter(TypeParam(), out, in, {101, 2}, boundary::mirror);
  auto found = behind<float>(a.extents, 2);
  quern::minimum_filter(TypeParam(), found.sink(), a.source(), {101, 2}, boundary::mirror, memory_for(a, 250, 3));
  EXPECT_EQ(test::contents(out), found.values);
}

}  // namespace
