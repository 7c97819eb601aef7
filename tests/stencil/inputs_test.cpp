// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inputs of stencils with boundaries or ghosts of their own, against plain loops.

#include <quern/map.hpp>
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;
using quern::boundary_pair;
using mode = boundary::mode;

struct uneven_sum {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    if constexpr (requires { w(0); }) return w(0) + 2 * w(-2) + 3 * w(2) + 5 * w(-1);
    else if constexpr (requires { w(0, 0); })
      return w(0, 0) + 2 * w(-2, 1) + 3 * w(2, 0) + 5 * w(1, -2) + 7 * w(-1, 2) + 11 * w(-2, -2);
    else return w(0, 0, 0) + 2 * w(-2, 1, 1) + 3 * w(2, 0, -1) + 5 * w(1, -2, 0) + 7 * w(-1, 2, 2) + 11 * w(0, -2, -2);
  }
};
struct of_both {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return uneven_sum()(a) - uneven_sum()(b);
  }
};
struct both_twice {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    const auto difference = of_both()(a, b);
    return quern::values(difference, difference);
  }
};
struct difference_of_rows {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    auto result = w(1);
    const auto before = w(-1);
    for (int c = 0; c < 3; ++c) result[c] -= before[c];
    return result;
  }
};

/// Where the boundary finds the element at `i`, by its definition, or -1 where it is a number.
KOKKOS_FUNCTION std::int64_t index_of_boundary(std::int64_t i, std::int64_t n, mode kind) {
  if (i >= 0 && i < n) return i;
  if (kind == mode::nearest) return i < 0 ? 0 : n - 1;
  if (kind != mode::wrap && kind != mode::reflect && kind != mode::mirror) return -1;
  const std::int64_t period = kind == mode::wrap ? n : kind == mode::reflect ? 2 * n : n == 1 ? 1 : 2 * n - 2;
  const std::int64_t k = (i % period + period) % period;
  return k < n ? k : kind == mode::reflect ? period - 1 - k : period - k;
}

/// A window of an array of the host, whose boundary is of a kind; a constant one is 3.
template <class T, int Rank>
struct plain_window {
  const T* values;
  Kokkos::Array<std::int64_t, Rank> n, at;
  mode kind;

  template <class... Offset>
    requires(sizeof...(Offset) == Rank)
  KOKKOS_FUNCTION T operator()(Offset... offset) const {
    const std::int64_t o[] = {offset...};
    std::int64_t position = 0;
    for (int d = 0; d < Rank; ++d) {
      const std::int64_t index = index_of_boundary(at[d] + o[d], n[d], kind);
      if (index < 0) return T(3);
      position = position * n[d] + index;
    }
    return values[position];
  }
};

template <class Case>
struct StencilInputs : testing::Test {
  using exec = typename Case::exec;
  using layout = typename Case::layout;
  using value = typename Case::value;

  template <int Rank>
  static void check(const std::array<std::int64_t, Rank>& n, const boundary& call, const boundary& own) {
    const std::int64_t size = quern::impl::describe(test::make_array<value, Rank, layout, exec>(n)).extents.size();
    const auto x = test::samples<value>(size, 1), y = test::samples<value>(size, 2);
    const auto a = test::make_array<value, Rank, layout, exec>(n, x),
               b = test::make_array<value, Rank, layout, exec>(n, y);
    const auto make = [&] {
      return test::make_array<value, Rank, layout, exec>(n, std::vector<value>(size, value(9)));
    };
    const auto both = make(), ghosts = make();
    quern::stencil<quern::box<2>>(exec(), both, of_both(), call, a, quern::with_boundary(b, own));
    // The same with ghosts around b's cells.
    std::array<std::int64_t, Rank> stored = n;
    for (auto& extent : stored) extent += 6;
    const auto wide = test::make_array<value, Rank, layout, exec>(stored);
    quern::fill(exec(), wide, value(0));
    std::array<std::pair<std::int64_t, std::int64_t>, 3> inside;
    for (int d = 0; d < 3; ++d) inside[d] = {3, d < Rank ? 3 + n[d] : 4};
    if constexpr (Rank == 1) quern::copy(exec(), Kokkos::subview(wide, inside[0]), b);
    if constexpr (Rank == 2) quern::copy(exec(), Kokkos::subview(wide, inside[0], inside[1]), b);
    if constexpr (Rank == 3) quern::copy(exec(), Kokkos::subview(wide, inside[0], inside[1], inside[2]), b);
    quern::fill_halo(exec(), wide, own, quern::depth{3});
    quern::stencil<quern::box<2>>(exec(), ghosts, of_both(), call, a, quern::with_ghosts(wide, quern::depth{3}));
    const auto found = test::contents(both);
    EXPECT_EQ(found, test::contents(ghosts));
    for (std::int64_t i = 0; i < size; ++i) {
      plain_window<value, Rank> of_a{x.data(), {}, {}, call.kind()}, of_b{y.data(), {}, {}, own.kind()};
      bool is_inside = true;
      for (std::int64_t d = Rank - 1, rest = i; d >= 0; rest /= n[d], --d) {
        of_a.n[d] = of_b.n[d] = n[d];
        of_a.at[d] = of_b.at[d] = rest % n[d];
        is_inside = is_inside && of_a.at[d] >= 2 && of_a.at[d] < n[d] - 2;
      }
      const bool is_computed = is_inside || call.kind() != mode::keep;
      ASSERT_EQ(is_computed ? static_cast<value>(uneven_sum()(of_a) - uneven_sum()(of_b)) : value(9), found[i]) << i;
    }
  }
};
using input_cases = test::covering<double, std::int32_t>;
TYPED_TEST_SUITE(StencilInputs, input_cases);

TYPED_TEST(StencilInputs, HaveBoundariesOfTheirOwn) {
  const boundary modes[] = {boundary::wrap, boundary::constant(3), boundary::nearest, boundary::reflect,
                            boundary::mirror};
  for (int m = 0; m < 5; ++m) {
    const boundary &call = modes[m], &own = modes[(m + 2) % 5];
    this->template check<1>({50}, call, own);
    this->template check<2>({7, 9}, call, own);
    this->template check<2>({33, 70}, call, own);
    this->template check<3>({6, 5, 40}, call, own);
    this->template check<2>({2, 1}, call, own);  // smaller than the neighbourhood
  }
  this->template check<2>({12, 13}, boundary::keep, boundary::wrap);
}

// A box of cells up to the ends, of inputs that store ghosts or have boundaries of their own: as of a call whose
// boundary is theirs.
TYPED_TEST(StencilInputs, AreOfCellsAtTheEndsOfInteriorOnly) {
  using E = typename TypeParam::exec;
  using value = typename TypeParam::value;
  using layout = typename TypeParam::layout;
  for (const std::array<std::int64_t, 2>& n : {std::array<std::int64_t, 2>{9, 70}, {3, 2}, {40, 41}}) {
    const auto make = [&](const std::vector<value>& values) {
      return test::make_array<value, 2, layout, E>(n, values);
    };
    const std::int64_t size = n[0] * n[1];
    const auto u = make(test::samples<value>(size, 1));
    const auto wide = test::make_array<value, 2, layout, E>({n[0] + 4, n[1] + 4});
    quern::copy(E(), Kokkos::subview(wide, std::pair<int, int>(2, 2 + n[0]), std::pair<int, int>(2, 2 + n[1])), u);
    quern::fill_halo(E(), wide, boundary::mirror, quern::depth{2});
    const auto whole = make(std::vector<value>(size));
    quern::stencil<quern::box<2>>(E(), whole, of_both(), boundary::mirror, u, u);
    const auto expected = test::contents(whole);
    for (const auto& [rows, columns] :
         {std::pair(std::pair(0L, n[0]), std::pair(0L, n[1])), std::pair(std::pair(1L, n[0]), std::pair(0L, 1L)),
          std::pair(std::pair(0L, 2L), std::pair(1L, n[1])), std::pair(std::pair(1L, 1L), std::pair(0L, 1L))}) {
      const auto out = make(std::vector<value>(size, value(77)));
      const Kokkos::View<double, E> sum("sum");
      const auto stored = quern::with_ghosts(wide, quern::depth{2});
      quern::stencil<quern::box<2>>(E(), quern::outputs(out, quern::reduced<quern::op::count>(sum)), both_twice(),
                                    quern::interior_only{rows, columns}, stored,
                                    quern::with_boundary(u, boundary::mirror));
      const auto found = test::contents(out);
      std::int64_t cells = 0;
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t row = i / n[1], column = i % n[1];
        const bool computed =
            row >= rows.first && row < rows.second && column >= columns.first && column < columns.second;
        ASSERT_EQ(computed ? expected[i] : value(77), found[i]) << row << ' ' << column;
        cells += computed && found[i] != value(0);
      }
      EXPECT_EQ(static_cast<double>(cells), test::contents(sum)[0]);
    }
  }
}

// Rows of a View as elements, with ghost rows around them.
TYPED_TEST(StencilInputs, AreRowsWithGhosts) {
  using E = typename TypeParam::exec;
  using value = typename TypeParam::value;
  using layout = typename TypeParam::layout;
  constexpr std::int64_t n = 21;
  const auto wide = test::make_array<value, 2, layout, E>({n + 2, 3}, test::samples<value>(3 * n + 6, 1));
  const auto out = test::make_array<value, 2, layout, E>({n, 3});
  quern::stencil<quern::star<1>>(E(), quern::rows<3>(out), difference_of_rows(), boundary::keep,
                                 quern::with_ghosts(quern::rows<3>(wide), quern::depth{1}));
  const auto from = test::contents(wide), found = test::contents(out);
  for (std::int64_t i = 1; i < n - 1; ++i)
    for (int c = 0; c < 3; ++c)
      ASSERT_EQ(static_cast<value>(from[3 * i + 6 + c] - from[3 * i + c]), found[3 * i + c]) << i;
  quern::stencil<quern::star<1>>(E(), quern::rows<3>(out), difference_of_rows(), quern::interior_only{{0, n}},
                                 quern::with_ghosts(quern::rows<3>(wide), quern::depth{1}));
  const auto all = test::contents(out);
  for (std::int64_t k = 0; k < 3 * n; ++k) ASSERT_EQ(static_cast<value>(from[k + 6] - from[k]), all[k]) << k;
}

TYPED_TEST(StencilInputs, ReportMisuse) {
  using E = typename TypeParam::exec;
  const Kokkos::View<double*, E> out("out", 5), u("u", 5), wide("wide", 7);
  const auto fails = [&](const std::string& problem, const auto& in) {
    test::expect_error("quern::stencil: " + problem,
                       [&] { quern::stencil<quern::box<2>>(E(), out, uneven_sum(), boundary::wrap, in); });
  };
  fails("an input has ghost layers of depth 1 along axis 0, and neighbourhoods reach 2",
        quern::with_ghosts(wide, quern::depth{1}));
  fails("an input has ghost layers of depth 0 along axis 0, and neighbourhoods reach 2",
        quern::with_boundary(u, boundary::keep));
  fails("in has extents (1), expected those of out, (5)", quern::with_ghosts(u, quern::depth{2}));
  fails("the boundaries of an input are not those of an array of rank 1",
        quern::with_boundary(u, {boundary::wrap, boundary::wrap}));
  test::expect_error(
      "quern::stencil: interior_only from 0 to 5 along axis 0 of extents (5) needs values outside of them", [&] {
        quern::stencil<quern::box<2>>(E(), out, of_both(), quern::interior_only{{0, 5}}, u,
                                      quern::with_boundary(u, boundary::wrap));
      });
  test::expect_error(
      "quern::stencil: interior_only from 0 to 6 along axis 0 of extents (5) needs values outside of them", [&] {
        quern::stencil<quern::box<2>>(E(), out, uneven_sum(), quern::interior_only{{0, 6}},
                                      quern::with_boundary(u, boundary::wrap));
      });
  fails("boundary::odd_mirror is one of quern::fill_halo alone", quern::with_boundary(u, boundary::odd_mirror));
}

}  // namespace
