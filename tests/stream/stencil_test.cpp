// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations on streams beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <stream/behind_function.hpp>

namespace {

namespace stream = quern::stream;
using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Case>
struct StreamStencil : testing::Test {};
using stream_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(StreamStencil, stream_cases);

struct blur {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return (w(-1, 0) + w(1, 0) * 2 + w(0, -1) * 3 + w(0, 1) * 4 + w(0, 0)) / 4;
  }
};
struct blur_at {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const Window& w) const {
    return static_cast<double>(blur()(w)) + 1000.0 * static_cast<double>(at[0]) + static_cast<double>(at[1]);
  }
};

TYPED_TEST(StreamStencil, StencilsHaveTheBitsOfTheCallInMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using quern::boundary, quern::boundaries;
  const E exec;
  for (const auto& extents : {std::array<std::int64_t, 2>{61, 23}, {7, 300}}) {
    const std::int64_t n = extents[0] * extents[1];
    const auto a = behind<T>(extents);
    const auto in = test::make_array<T, 2, LayoutRight, E>(extents, a.values);
    for (const boundaries& edge :
         {boundaries(boundary::reflect), boundaries(boundary::mirror), boundaries(boundary::nearest),
          boundaries(boundary::wrap), boundaries(boundary::constant(3)), boundaries(boundary::keep),
          boundaries{boundary::wrap, boundary::keep}, boundaries{{boundary::keep, boundary::reflect}, boundary::wrap},
          boundaries(quern::interior_only{{2, extents[0] - 1}, {1, extents[1] - 3}})}) {
      for (const std::int64_t rows : {2, 5, 100}) {
        const auto o = memory_for(a, rows + 2, 3);
        const auto zero = std::vector<T>(n), old = test::samples<T>(n, 8);
        const auto expected = test::make_array<T, 2, LayoutRight, E>(extents, zero);
        quern::stencil<quern::star<1>>(exec, expected, blur(), edge, in);
        auto found = behind<T>(extents, 4);
        stream::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(expected), found.values) << rows;
        // Views keep what is not computed.
        const auto kept = test::make_array<T, 2, LayoutRight, E>(extents, old);
        quern::stencil<quern::star<1>>(exec, kept, blur(), edge, in);
        const auto view = test::make_array<T, 2, LayoutRight, E>(extents, old);
        stream::stencil<quern::star<1>>(exec, view, blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(kept), test::contents(view)) << rows;
        const auto host_view = test::make_array<T, 2, LayoutRight, Kokkos::DefaultHostExecutionSpace>(extents, old);
        stream::stencil<quern::star<1>>(exec, host_view, blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(kept), test::contents(host_view)) << rows;
      }
    }
    const auto at = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(n));
    quern::stencil<quern::star<1>>(exec, at, quern::with_position(blur_at()), boundary::nearest, in);
    auto found = behind<double>(extents, 4);
    stream::stencil<quern::star<1>>(exec, found.sink(), quern::with_position(blur_at()), boundary::nearest,
                                    memory_for(found, 4, 2), a.source());
    EXPECT_EQ(test::contents(at), found.values);
  }
}

}  // namespace
