// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chunked operations beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <chunked/behind_function.hpp>
#include <support/operand_functors.hpp>

namespace {

namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using test::behind, test::memory_for;

template <class Case>
struct ChunkedStencil : testing::Test {};
using chunked_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ChunkedStencil, chunked_cases);

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

struct less_half {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a - b / 2; }
};

struct blur_both {
  template <class A, class B>
  KOKKOS_FUNCTION double operator()(const A& a, const B& b) const {
    return static_cast<double>(blur()(a)) - 2 * static_cast<double>(blur()(b));
  }
};

TYPED_TEST(ChunkedStencil, LazyInputs) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using quern::boundary, quern::boundaries;
  const E exec{};
  const std::array<std::int64_t, 2> extents{61, 23};
  const std::int64_t n = extents[0] * extents[1];
  const auto a = behind<T>(extents), b = behind<T>(extents, 2);
  const auto in = test::make_array<T, 2, LayoutRight, E>(extents, a.values),
             other = test::make_array<T, 2, LayoutRight, E>(extents, b.values);
  for (const boundaries& edge :
       {boundaries(boundary::wrap), boundaries(boundary::keep), boundaries(boundary::constant(3))})
    for (const std::int64_t rows : {3, 100}) {
      auto found = behind<double>(extents, 4);
      const auto o = memory_for(found, 2 * rows + 4, 3);
      const auto expected = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(n));
      quern::stencil<quern::star<1>>(exec, expected, blur(), edge, quern::lazy(less_half(), in, other));
      quern::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, o,
                                     quern::lazy(less_half(), a.source(), b.source()));
      EXPECT_EQ(test::contents(expected), found.values) << rows;
      // Beside an array in memory, also where it wraps around, and a number.
      auto found_of_both = behind<double>(extents, 4);
      const auto both = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(n));
      quern::stencil<quern::star<1>>(exec, both, blur_both(), edge, in, other);
      quern::stencil<quern::star<1>>(exec, found_of_both.sink(), blur_both(), edge, o, a.source(), other);
      EXPECT_EQ(test::contents(both), found_of_both.values) << rows;
      quern::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, o, quern::lazy(less_half(), a.source(), other));
      EXPECT_EQ(test::contents(expected), found.values) << rows;
      quern::stencil<quern::star<1>>(exec, expected, blur(), edge, quern::lazy(less_half(), in, 3.0));
      quern::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, o, quern::lazy(less_half(), a.source(), 3.0));
      EXPECT_EQ(test::contents(expected), found.values) << rows;
    }
}

TYPED_TEST(ChunkedStencil, StencilsHaveTheBitsOfTheCallInMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using quern::boundary, quern::boundaries;
  const E exec{};
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
        quern::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(expected), found.values) << rows;
        // Views keep what is not computed.
        const auto kept = test::make_array<T, 2, LayoutRight, E>(extents, old);
        quern::stencil<quern::star<1>>(exec, kept, blur(), edge, in);
        const auto view = test::make_array<T, 2, LayoutRight, E>(extents, old);
        quern::stencil<quern::star<1>>(exec, view, blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(kept), test::contents(view)) << rows;
        const auto host_view = test::make_array<T, 2, LayoutRight, Kokkos::DefaultHostExecutionSpace>(extents, old);
        quern::stencil<quern::star<1>>(exec, quern::in_chunks(host_view), blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(kept), test::contents(host_view)) << rows;
      }
    }
    const auto at = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(n));
    quern::stencil<quern::star<1>>(exec, at, quern::with_position(blur_at()), boundary::nearest, in);
    auto found = behind<double>(extents, 4);
    quern::stencil<quern::star<1>>(exec, found.sink(), quern::with_position(blur_at()), boundary::nearest,
                                   memory_for(found, 4, 2), a.source());
    EXPECT_EQ(test::contents(at), found.values);
  }
}

TYPED_TEST(ChunkedStencil, PositionsInLazyInputsAreThoseInTheWholeArray) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using quern::boundary, quern::boundaries, quern::lazy, quern::positions;
  const E exec{};
  const std::array<std::int64_t, 2> extents{31, 11};
  const std::vector<double> zero(extents[0] * extents[1]);
  const auto a = behind<T>(extents);
  const auto in = test::make_array<T, 2, LayoutRight, E>(extents, a.values);
  const auto at_place = [](const auto& x) { return lazy(test::at_row_and_column(), x, positions()); };
  const auto nested = [](const auto& x, const auto& y) {
    return lazy(test::weighted(), lazy(test::at_row_and_column(), y, positions()),
                lazy(test::weighted(), x, lazy(test::of_row(), positions())));
  };
  for (const boundaries& edge :
       {boundaries(boundary::reflect), boundaries(boundary::mirror), boundaries(boundary::nearest),
        boundaries(boundary::wrap), boundaries(boundary::constant(3)), boundaries(boundary::keep),
        boundaries{boundary::wrap, boundary::keep}, boundaries{{boundary::keep, boundary::reflect}, boundary::wrap},
        boundaries(quern::interior_only{{2, 30}, {1, 8}})})
    for (const std::int64_t rows : {3, 9, 100}) {
      const auto check = [&](const auto& in_memory, const auto& in_chunks) {
        const auto expected = test::make_array<double, 2, LayoutRight, E>(extents, zero);
        quern::stencil<quern::star<1>>(exec, expected, blur(), edge, in_memory);
        auto found = behind<double>(extents, 4);
        quern::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, memory_for(found, 2 * rows + 4, 3), in_chunks);
        EXPECT_EQ(test::contents(expected), found.values) << rows;
      };
      check(at_place(in), at_place(a.source()));
      check(nested(in, in), nested(a.source(), in));  // beside an array in memory, also where it wraps around
      check(nested(in, in), nested(in, a.source()));
    }
}

template <int Radius>
struct reach {
  Kokkos::View<int, Kokkos::SharedHostPinnedSpace> outside;  // whether a cell was asked for that is not there
  std::int64_t rows;
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& at, const Window& w) const {
    if (at[0] < 0 || at[0] >= rows) Kokkos::atomic_store(&outside(), 1);
    return w(-Radius, 0) + 3 * w(Radius, 0) + 9 * w(1, 0) + 27 * w(0, -1) + 100.0 * static_cast<double>(at[0]);
  }
};

/// What an operation throws, without its name.
template <class F>
std::string problem_of(const F& f) {
  try {
    f();
    return "";
  } catch (const quern::Error& e) {
    const std::string text = e.what();
    return text.substr(text.find(": "));
  }
}

template <int Radius, class Exec>
void check_short_chunks(std::int64_t rows, const quern::boundaries& edge) {
  const Exec exec;
  const std::array<std::int64_t, 2> extents{rows, 3};
  const auto a = behind<double>(extents);
  const std::vector<double> old(3 * rows, 7);
  const auto in = test::make_array<double, 2, LayoutRight, Exec>(extents, a.values);
  const reach<Radius> f{Kokkos::View<int, Kokkos::SharedHostPinnedSpace>("outside"), rows};
  const auto expected = test::make_array<double, 2, LayoutRight, Exec>(extents, old);
  using shape = quern::box<Radius, 1>;
  const auto problem = problem_of([&] { quern::stencil<shape>(exec, expected, quern::with_position(f), edge, in); });
  exec.fence();
  ASSERT_EQ(0, f.outside());
  constexpr std::int64_t least = quern::impl::is_device<Exec> ? 3 : 1;  // devices hold the output with its halo
  for (const std::int64_t more : {0, 1, 2, 5, 100}) {
    const auto o = memory_for(a, 3 * Radius + least + more, 2);
    const auto view = test::make_array<double, 2, LayoutRight, Kokkos::DefaultHostExecutionSpace>(extents, old);
    EXPECT_EQ(problem, problem_of([&] {
                quern::stencil<shape>(exec, quern::in_chunks(view), quern::with_position(f), edge, o, a.source());
              }))
        << rows << " rows";
    EXPECT_EQ(test::contents(expected), test::contents(view)) << rows << " rows, radius " << Radius;
    auto found = behind<double>(extents, 4);
    found.values = old;
    EXPECT_EQ(problem, problem_of([&] {
                quern::stencil<shape>(exec, found.sink(), quern::with_position(f), edge, o, a.source());
              }));
    auto or_zero = test::contents(expected);  // what a sink has where nothing is computed
    if (problem.empty())
      for (double& x : or_zero) x = x == 7 ? 0 : x;
    EXPECT_EQ(or_zero, found.values) << rows << " rows, radius " << Radius;
    ASSERT_EQ(0, f.outside()) << rows << " rows, radius " << Radius;
  }
}

// A last chunk of fewer rows than the radius, arrays of fewer rows, and what does not fit, which is rejected before
// anything is written.
TYPED_TEST(ChunkedStencil, ChunksShorterThanTheNeighbourhood) {
  using E = typename TypeParam::exec;
  if constexpr (!std::is_same_v<typename TypeParam::value, double>) {
    GTEST_SKIP() << "of one type";
  } else {
    using quern::boundary, quern::boundaries, quern::interior_only, quern::boundary_pair;
    for (std::int64_t n = 1; n < 14; ++n) {
      const std::vector<boundaries> edges{boundary::reflect,
                                          boundary::mirror,
                                          boundary::nearest,
                                          boundary::wrap,
                                          boundary::constant(3),
                                          boundary::keep,
                                          {boundary_pair(boundary::keep, boundary::reflect), boundary::wrap},
                                          {boundary_pair(boundary::mirror, boundary::keep), boundary::nearest},
                                          interior_only{{1, n - 1}, {1, 2}},
                                          interior_only{{2, n - 2}, {1, 2}},
                                          interior_only{{3, n - 3}, {1, 2}},
                                          interior_only{{n / 2, n / 2}, {1, 2}},
                                          interior_only{{3, 4}, {1, 2}},
                                          interior_only{{n - 4, n - 3}, {1, 2}},
                                          interior_only{{0, n}, {1, 2}}};
      for (const auto& edge : edges) {
        check_short_chunks<1, E>(n, edge);
        check_short_chunks<2, E>(n, edge);
        check_short_chunks<3, E>(n, edge);
      }
    }
    check_short_chunks<2, E>(0, boundary::keep);
    check_short_chunks<2, E>(0, interior_only{{2, 5}, {1, 2}});
  }
}

}  // namespace
