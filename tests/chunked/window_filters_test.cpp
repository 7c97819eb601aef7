// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters in chunks beside the same ones in memory.

#include <chunked/behind_function.hpp>
#include <quern/stencil.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::boundary, quern::boundaries;
using test::behind, test::memory_for;

/// Depends on where each value of a window is.
struct numbered_sum {
  template <class Window>
  KOKKOS_FUNCTION float operator()(const Window& w) const {
    float sum = 0;
    for (int n = 0; n < w.size(); ++n) sum += static_cast<float>(n + 1) * w[n];
    return sum;
  }
};

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
  /// The same of other ranks and filters, from a source to a sink; of sparse arrays most values are zero.
  template <std::size_t Rank, class Call>
  static void is_streamed(const std::array<std::int64_t, Rank>& extents, const Call& call, bool sparse = false) {
    auto a = behind<T>(extents);
    if (sparse)
      for (T& x : a.values) x = x < 3 ? 0 : x;
    const auto in = test::make_array<T, Rank, LayoutRight, E>(extents, a.values),
               out = test::make_array<T, Rank, LayoutRight, E>(extents);
    const boundary modes[]{boundary::reflect, boundary::mirror, boundary::wrap, boundary::constant(3)};
    for (const boundary& edge : modes) {
      call(out, in, edge);
      for (std::int64_t rows = 12; rows <= 19; rows += 7) {
        auto found = behind<T>(extents, 4);
        call(found.sink(), a.source(), edge, memory_for(a, rows, 3));
        EXPECT_EQ(test::contents(out), found.values) << rows << ", mode " << int(edge.kind());
      }
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

TYPED_TEST(ChunkedFilters, OthersAreThoseOfTheCallInMemory) {
  const TypeParam exec;
  TestFixture::template is_streamed<3>(
      {61, 5, 7}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::maximum_filter(exec, out, in, {4, 2, 3}, edge, quern::origin{1, 0, -1}, options...);
      });
  TestFixture::template is_streamed<1>(
      {203}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::rank_filter(exec, out, in, 1, 5, edge, quern::origin{-1}, options...);
      });
  TestFixture::template is_streamed<2>(
      {61, 11}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::generic_filter(exec, out, numbered_sum(), {4, 3}, edge, options..., in);
      });
}

TYPED_TEST(ChunkedFilters, MorphologyIsThatOfTheCallInMemory) {
  const TypeParam exec;
  const auto listed = test::make_array<int, 2, LayoutRight, TypeParam>({2, 3}, {1, 0, 1, 0, 1, 0});
  const auto raised = test::make_array<float, 2, LayoutRight, TypeParam>({2, 3}, {1, 0, -2, 3, 0.5, 4});
  const quern::footprint cells(listed);
  const quern::structuring heights(raised);
  const auto binary = [&](const auto& call) { TestFixture::template is_streamed<2>({61, 11}, call, true); };
  binary([&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::binary_erosion(exec, out, in, 2, edge, options...);
  });
  binary([&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::binary_dilation(exec, out, in, cells, edge, quern::origin{-1, 1}, options...);
  });
  binary([&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
    quern::binary_opening(exec, out, in, cells, edge, options...);
  });
  TestFixture::template is_streamed<2>(
      {61, 11}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::grey_erosion(exec, out, in, cells, edge, heights, options...);
      });
  TestFixture::template is_streamed<2>(
      {61, 11}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::grey_dilation(exec, out, in, {2, 3}, edge, heights, options...);
      });
}

TYPED_TEST(ChunkedFilters, DerivativesOfGaussiansAreThoseOfTheCallInMemory) {
  const TypeParam exec;
  TestFixture::template is_streamed<1>(
      {203}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::gaussian_laplace(exec, out, in, 0.9, edge, options...);
      });
  TestFixture::template is_streamed<2>(
      {61, 11}, [&](const auto& out, const auto& in, const boundaries& edge, const auto&... options) {
        quern::gaussian_gradient_magnitude(exec, out, in, {0.9, 0.5}, edge, options...);
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
