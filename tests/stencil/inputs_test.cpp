// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inputs of stencils with boundaries or ghosts of their own, against stencils of each input alone.

#include <quern/map.hpp>
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;
using quern::boundary_pair;

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

template <class Case>
struct StencilInputs : testing::Test {
  using exec = typename Case::exec;
  using layout = typename Case::layout;
  using value = typename Case::value;

  template <int Rank>
  static void check(const std::array<std::int64_t, Rank>& n, const boundary& call, const boundary& own) {
    const std::int64_t size = quern::impl::describe(test::make_array<value, Rank, layout, exec>(n)).extents.size();
    const auto a = test::make_array<value, Rank, layout, exec>(n, test::samples<value>(size, 1));
    const auto b = test::make_array<value, Rank, layout, exec>(n, test::samples<value>(size, 2));
    const auto make = [&] {
      return test::make_array<value, Rank, layout, exec>(n, std::vector<value>(size, value(9)));
    };
    const auto of_a = make(), of_b = make(), both = make(), ghosts = make();
    quern::stencil<quern::box<2>>(exec(), of_a, uneven_sum(), call, a);
    quern::stencil<quern::box<2>>(exec(), of_b, uneven_sum(), own, b);
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
    const auto x = test::contents(of_a), y = test::contents(of_b), found = test::contents(both);
    EXPECT_EQ(found, test::contents(ghosts));
    const bool keeps = call.kind() == boundary::mode::keep;
    for (std::int64_t i = 0; i < size; ++i) {
      if (keeps && found[i] == value(9)) continue;
      ASSERT_EQ(static_cast<value>(x[i] - y[i]), found[i]) << i;
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

TYPED_TEST(StencilInputs, ReportMisuse) {
  using E = typename TypeParam::exec;
  const Kokkos::View<double*, E> out("out", 5), u("u", 5), wide("wide", 7);
  const auto fails = [&](const std::string& problem, const auto& in) {
    test::expect_error("quern::stencil: " + problem,
                       [&] { quern::stencil<quern::box<2>>(E(), out, uneven_sum(), boundary::wrap, in); });
  };
  fails("an input has 1 ghost layers along axis 0, and neighbourhoods reach 2",
        quern::with_ghosts(wide, quern::depth{1}));
  fails("an input has 0 ghost layers along axis 0, and neighbourhoods reach 2",
        quern::with_boundary(u, boundary::keep));
  fails("in has extents (1), expected those of out, (5)", quern::with_ghosts(u, quern::depth{2}));
  fails("the boundaries of an input are not those of 1 axes",
        quern::with_boundary(u, {boundary::wrap, boundary::wrap}));
  fails("boundary::odd_mirror is one of quern::fill_halo alone", quern::with_boundary(u, boundary::odd_mirror));
}

}  // namespace
