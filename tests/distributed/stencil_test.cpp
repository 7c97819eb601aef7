// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of distributed arrays beside those of the whole array on one rank.
#include <distributed/world.hpp>
#include <quern/distributed/reducing_stencil.hpp>
#include <quern/distributed/stencil.hpp>

namespace {

using quern::boundary, quern::boundaries, quern::boundary_pair, quern::Decomposition, quern::shape;

/// Every element of a neighbourhood with a weight of its own, in an order that rounding depends on, by multiply-adds
/// that no compiler has a choice about.
template <class Shape, int Rank>
struct weigh {
  static constexpr int rj = Rank > 1 ? Shape::radius(Rank - 2) : 0, rk = Rank > 2 ? Shape::radius(0) : 0,
                       ri = Shape::radius(Rank - 1);

  template <class W>
  KOKKOS_FUNCTION static double at(const W& w, int k, int j, int i) {
    if constexpr (Rank == 1) return w(i);
    else if constexpr (Rank == 2) return w(j, i);
    else return w(k, j, i);
  }
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& w) const {
    double s = 0;
    for (int k = -rk; k <= rk; ++k)
      for (int j = -rj; j <= rj; ++j)
        for (int i = -ri; i <= ri; ++i)
          if (!Shape::arms_only || (k != 0) + (j != 0) + (i != 0) < 2)
            s = Kokkos::fma(0.3 + 0.5 * k + 0.75 * j + 0.125 * i, at(w, k, j, i), s);
    return s;
  }
};

/// Of an array and a number.
struct less_half {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, double b) const {
    return static_cast<T>(a - b / 2);
  }
};

/// Of an array and the places of its elements.
struct plus_place {
  template <class T, std::size_t Rank>
  KOKKOS_FUNCTION T operator()(const T& a, const Kokkos::Array<std::int64_t, Rank>& at) const {
    double place = 0;
    for (std::size_t d = 0; d < Rank; ++d) place = 30 * place + static_cast<double>(at[d]);
    return static_cast<T>(static_cast<double>(a) + place);
  }
};

/// Not fatal: a rank that leaves a test leaves the others waiting.
template <class T>
void expect_same_bits(const std::vector<T>& expected, const std::vector<T>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != found[i]) {
      ADD_FAILURE() << what << ": element " << i << " is " << found[i] << ", expected " << expected[i]
                    << ", difference " << found[i] - expected[i];
      return;
    }
}

template <class Shape, int Rank, class T, class L, class E, class F>
void check(const shape& extents, const boundaries& edge, int halo, const F& f) {
  const E exec{};
  const auto comm = test::world();
  std::array<std::int64_t, Rank> n;
  for (int a = 0; a < Rank; ++a) n[a] = extents.extent[a];
  std::vector<double> noise(extents.size());
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(3.0 + 7 * static_cast<double>(i));
  std::vector<T> values(noise.begin(), noise.end());
  const auto in = test::make_array<T, Rank, L, E>(n, values);
  const auto out = test::make_array<T, Rank, L, E>(n, test::samples<T>(extents.size(), 9));
  const auto before = test::contents(out);
  quern::stencil<Shape>(exec, out, f, edge, in);
  const auto expected = test::contents(out);
  const auto of_lazy = test::make_array<T, Rank, L, E>(n, before);
  quern::stencil<Shape>(exec, of_lazy, f, edge, quern::lazy(less_half(), in, 3.0));
  const auto expected_of_lazy = test::contents(of_lazy);
  const auto of_places = test::make_array<T, Rank, L, E>(n, before);
  quern::stencil<Shape>(exec, of_places, f, edge, quern::lazy(plus_place(), in, quern::positions()));
  const auto expected_of_places = test::contents(of_places);
  for (const auto& grid : test::grids(comm.size(), Rank)) {
    bool fits = true;
    for (int d = 0; d < Rank; ++d)
      fits = fits && (extents.extent[d] < grid[d] ? 1 : extents.extent[d] / grid[d]) >= halo;
    if (!fits) continue;
    const Decomposition d(comm, extents, {.grid = grid, .halo = {halo}});
    const auto u = test::distribute<T, Rank, L, E>(d, values);
    const auto v = test::distribute<T, Rank, L, E>(d, before);
    for (int repeat = 0; repeat < 2; ++repeat) quern::stencil<Shape>(exec, v, f, edge, u);
    const std::string what = "rank " + std::to_string(comm.rank()) + ", grid " + testing::PrintToString(grid) + " of " +
                             extents.str() +
                             (edge.is_box() ? "" : ", mode " + std::to_string(int(edge.axis(0).low.kind())));
    expect_same_bits(test::part_of(expected, extents, d.local()), test::contents(v.local()), what);
    expect_same_bits(test::part_of(values, extents, d.local()), test::contents(u.local()), what + ", the input");
    const auto w = test::distribute<T, Rank, L, E>(d, before);
    quern::stencil<Shape>(exec, w, f, edge, quern::lazy(less_half(), u, 3.0));
    expect_same_bits(test::part_of(expected_of_lazy, extents, d.local()), test::contents(w.local()), what + ", lazy");
    const auto x = test::distribute<T, Rank, L, E>(d, before);
    quern::stencil<Shape>(exec, x, f, edge, quern::lazy(plus_place(), u, quern::positions()));
    expect_same_bits(test::part_of(expected_of_places, extents, d.local()), test::contents(x.local()),
                     what + ", with positions");
  }
}

template <class Case>
struct DistributedStencil : testing::Test {};
using stencil_cases = test::covering<double, float>;
TYPED_TEST_SUITE(DistributedStencil, stencil_cases);

TYPED_TEST(DistributedStencil, HasTheBitsOfOneDevice) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = std::conditional_t<std::is_same_v<typename TypeParam::layout, Kokkos::LayoutStride>, Kokkos::LayoutRight,
                               typename TypeParam::layout>;
  using quern::box, quern::star;
  const boundary modes[] = {boundary::keep,    boundary::constant(2), boundary::nearest,
                            boundary::reflect, boundary::mirror,      boundary::wrap};
  for (const auto& mode : modes) {
    check<box<2>, 1, T, L, E>({23}, mode, 2, weigh<box<2>, 1>());
    check<box<1>, 2, T, L, E>({9, 14}, mode, 1, weigh<box<1>, 2>());
    check<box<2, 1>, 2, T, L, E>({10, 8}, mode, 2, weigh<box<2, 1>, 2>());
    check<star<1>, 2, T, L, E>({6, 17}, mode, 2, weigh<star<1>, 2>());
    check<star<1>, 3, T, L, E>({6, 7, 8}, mode, 1, weigh<star<1>, 3>());
    check<box<1>, 3, T, L, E>({4, 5, 6}, mode, 1, weigh<box<1>, 3>());
  }
  const boundaries mixed{boundary_pair(boundary::keep, boundary::constant(1)), boundary::wrap,
                         boundary_pair(boundary::reflect, boundary::nearest)};
  check<box<1>, 3, T, L, E>({5, 8, 6}, mixed, 1, weigh<box<1>, 3>());
  check<star<1>, 3, T, L, E>({31, 4, 9}, mixed, 2, weigh<star<1>, 3>());
  check<box<1>, 2, T, L, E>({12, 11}, quern::interior_only{{1, 11}, {3, 8}}, 1, weigh<box<1>, 2>());
  check<box<1>, 2, T, L, E>({12, 11}, quern::interior_only{{5, 6}, {1, 10}}, 1, weigh<box<1>, 2>());
  check<box<1>, 2, T, L, E>({12, 11}, quern::interior_only{{5, 5}, {1, 10}}, 1, weigh<box<1>, 2>());
  check<star<1>, 2, T, L, E>({2, 3}, boundary::wrap, 1, weigh<star<1>, 2>());
  check<star<1>, 2, T, L, E>({3, 100}, boundary::nearest, 1, weigh<star<1>, 2>());
}

/// The place of a cell, and its right-hand neighbour.
struct position_and_value {
  template <class W>
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& at, const W& w) const {
    return static_cast<double>(1000 * at[0] + at[1]) + 0.001 * w(0, 1);
  }
};

template <class Exec>
struct DistributedStencilOn : testing::Test {};

// On devices, where parts of a block are computed one after the other, a reduction must have each cell once.
TEST(DistributedStencilParts, HaveEachCellOnce) {
  const auto comm = test::world();
  const std::vector<quern::boundaries> edges{boundary::wrap,
                                             boundary::constant(1.5),
                                             boundary::keep,
                                             {boundary_pair{boundary::keep, boundary::reflect}, boundary::nearest}};
  for (const shape& extents : {shape{9, 10}, shape{4, 33}, shape{31, 4}, shape{8, 8}, shape{5, 3}})
    for (const auto& grid : test::grids(comm.size(), 2))
      for (const auto& edge : edges) {
        const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 1}});
        const auto own = d.local();
        const auto parts = quern::impl::cut_stencil("test", d, edge, {1, 1}, true);
        std::vector<int> times(own.extents.size());
        const auto count = [&](const quern::impl::stencil_part& part) {
          auto boxes = quern::impl::boxes_of<2, false>("test", quern::star<1>(), part.extents, part.edge);
          quern::impl::stencil_range{extents, shape(), part.low, part.high}.cut<2, false>(boxes);
          const int rows = quern::impl::grid_axis<2, false>(0), columns = quern::impl::grid_axis<2, false>(1);
          for (std::int64_t j = boxes.all.low[rows]; j < boxes.all.high[rows]; ++j)
            for (std::int64_t i = boxes.all.low[columns]; i < boxes.all.high[columns]; ++i)
              ++times[(part.first.extent[0] + j) * own.extents.extent[1] + part.first.extent[1] + i];
        };
        for (const auto& part : parts.inner) count(part);
        for (const auto& part : parts.outer) count(part);
        for (std::int64_t j = 0; j < own.extents.extent[0]; ++j)
          for (std::int64_t i = 0; i < own.extents.extent[1]; ++i) {
            const auto computed = [&](int axis, std::int64_t at) {
              const auto all = quern::impl::computed_cells("test", edge, axis, extents, 1);
              return at >= all.first && at < all.second;
            };
            const bool once = computed(0, own.first.extent[0] + j) && computed(1, own.first.extent[1] + i);
            EXPECT_EQ(once ? 1 : 0, times[j * own.extents.extent[1] + i]) << test::text_of_grid(d) << j << ' ' << i;
          }
      }
}

TYPED_TEST_SUITE(DistributedStencilOn, test::all_spaces);

TYPED_TEST(DistributedStencilOn, PositionsAreThoseOfTheWholeArray) {
  check<quern::star<1>, 2, double, Kokkos::LayoutRight, TypeParam>({9, 13}, boundary::wrap, 1,
                                                                   quern::with_position(position_and_value()));
}

struct coupled {
  template <class A, class B>
  KOKKOS_FUNCTION double operator()(const A& a, const B& b) const {
    return a(-1, 0) + 0.3 * b(1, 1) - 0.1 * a(0, 0);
  }
};

TYPED_TEST(DistributedStencilOn, SeveralInputsOfSeveralTypes) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{11, 12};
  const Decomposition d(comm, extents, {.halo = {1}}), wider(comm, extents, {.halo = {2}});
  const auto x = test::samples<double>(132, 1);
  const auto y = test::samples<std::int16_t>(132, 2);
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, E>({11, 12});
  quern::stencil<quern::box<1>>(exec, out, coupled(), boundary::reflect,
                                test::make_array<double, 2, Kokkos::LayoutRight, E>({11, 12}, x),
                                test::make_array<std::int16_t, 2, Kokkos::LayoutRight, E>({11, 12}, y));
  const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  const auto v = test::distribute<std::int16_t, 2, Kokkos::LayoutRight, E>(wider, y);
  const auto w = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  quern::stencil<quern::box<1>>(exec, w, coupled(), boundary::reflect, u, v);
  EXPECT_EQ(test::part_of(test::contents(out), extents, d.local()), test::contents(w.local()));
}

struct three_cells_of_one {
  template <class U, class V>
  KOKKOS_FUNCTION double operator()(const U& u, const V& v) const {
    return 100 * u(0) + v(-1) + 3 * v(1);
  }
};

// The same memory with a narrower halo around other cells, as of an array that comes after it.
TYPED_TEST(DistributedStencilOn, MemoryThatIsTakenWithAnotherHalo) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{20};
  const auto x = test::samples<double>(20, 1), y = test::samples<double>(20, 2);
  const auto expected = test::make_array<double, 1, Kokkos::LayoutRight, E>({20});
  quern::stencil<quern::box<1>>(exec, expected, three_cells_of_one(), boundary::wrap,
                                test::make_array<double, 1, Kokkos::LayoutRight, E>({20}, x),
                                test::make_array<double, 1, Kokkos::LayoutRight, E>({20}, y));
  const Kokkos::View<double*, E> memory("memory", 26);
  const Decomposition own(comm, extents, {.halo = {1}});
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, E>(own, x);
  const quern::DistributedView<double, 1, E> out("out", own);
  for (const int halo : {3, 2, 1}) {
    const Decomposition d(comm, extents, {.halo = {halo}});
    const std::int64_t cells = d.local().extents.extent[0];
    using view = typename quern::DistributedView<double, 1, E>::view_type;
    const quern::DistributedView<double, 1, E> v(view(memory.data(), cells + 2 * halo), d);
    const auto part =
        test::make_array<double, 1, Kokkos::LayoutRight, E>({cells}, test::part_of(y, extents, d.local()));
    Kokkos::deep_copy(memory, -7);
    Kokkos::deep_copy(v.local(), part);
    quern::stencil<quern::box<1>>(exec, out, three_cells_of_one(), boundary::wrap, u, v);
    EXPECT_EQ(test::part_of(test::contents(expected), extents, own.local()), test::contents(out.local())) << halo;
    EXPECT_EQ(test::contents(part), test::contents(v.local())) << halo;
  }
}

struct sum_and_difference {
  template <class A>
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(const A& a) const {
    return {a(0, 1) + a(1, 0), a(0, 1) - a(1, 0)};
  }
};

TYPED_TEST(DistributedStencilOn, SeveralOutputs) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{11, 12};
  const Decomposition d(comm, extents, {.halo = {1}});
  const auto x = test::samples<double>(132, 1);
  const auto s = test::make_array<double, 2, Kokkos::LayoutRight, E>({11, 12}),
             t = test::make_array<double, 2, Kokkos::LayoutRight, E>({11, 12});
  quern::stencil<quern::star<1>>(exec, quern::outputs(s, t), sum_and_difference(), boundary::wrap,
                                 test::make_array<double, 2, Kokkos::LayoutRight, E>({11, 12}, x));
  const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> v("v", d), w("w", d);
  quern::stencil<quern::star<1>>(exec, quern::outputs(v, w), sum_and_difference(), boundary::wrap, u);
  EXPECT_EQ(test::part_of(test::contents(s), extents, d.local()), test::contents(v.local()));
  EXPECT_EQ(test::part_of(test::contents(t), extents, d.local()), test::contents(w.local()));
}

struct heat {
  double r;
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& u) const {
    return u(0, 0) + r * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};

TYPED_TEST(DistributedStencilOn, TimeSteps) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{16, 9};
  const auto x = test::samples<double>(144, 4);
  auto now = test::make_array<double, 2, Kokkos::LayoutRight, E>({16, 9}, x);
  auto next = test::make_array<double, 2, Kokkos::LayoutRight, E>({16, 9});
  const auto step = [](const auto& e, const auto& from, const auto& to) {
    quern::stencil<quern::star<1>>(e, to, heat{0.2}, boundary::wrap, from);
  };
  quern::iterate(exec, now, next, step, 25);
  const Decomposition d(comm, extents, {.halo = {1}});
  auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  auto v = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  const auto distributed_step = [](const auto& e, const auto& from, const auto& to) {
    quern::stencil<quern::star<1>>(e, to, heat{0.2}, boundary::wrap, from);
  };
  quern::iterate(exec, u, v, distributed_step, 25);
  EXPECT_EQ(test::part_of(test::contents(now), extents, d.local()), test::contents(u.local()));
}

TYPED_TEST(DistributedStencilOn, NothingToCompute) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  for (const shape& extents : {shape{0, 9}, shape{5, 0}, shape{0, 0}, shape{0, 1}}) {
    const Decomposition d(comm, extents, {.halo = {1}});
    const quern::DistributedView<double, 2, E> u("u", d), v("v", d);
    const auto none = test::make_array<double, 2, Kokkos::LayoutRight, E>({extents.extent[0], extents.extent[1]});
    const auto out = test::make_array<double, 2, Kokkos::LayoutRight, E>({extents.extent[0], extents.extent[1]});
    for (const quern::boundaries& edge :
         {quern::boundaries(boundary::keep), quern::boundaries(boundary::wrap), quern::boundaries(boundary::reflect),
          quern::boundaries{boundary::keep, boundary::nearest},
          quern::boundaries(quern::interior_only{{1, 3}, {1, 8}})}) {
      EXPECT_NO_THROW(quern::stencil<quern::star<1>>(exec, out, heat{0.2}, edge, none));
      EXPECT_NO_THROW(quern::stencil<quern::star<1>>(exec, u, heat{0.2}, edge, v)) << extents.str();
    }
  }
}

struct sum_of_cross {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& p) const {
    return p(-1, 0) + p(1, 0) + p(0, -1) + p(0, 1) + p(0, 0);
  }
};
/// Throws when it is copied on the host for the last time that is left: as memory that runs out, in the middle of a
/// call.
struct thrown_by_copies {
  int* left;
  explicit thrown_by_copies(int& copies) : left(&copies) {}
  KOKKOS_FUNCTION thrown_by_copies(const thrown_by_copies& other) : left(other.left) {
    KOKKOS_IF_ON_HOST((if (*left > 0 && --*left == 0) throw std::runtime_error("a copy too many");))
  }
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& p) const {
    return sum_of_cross()(p);
  }
};

TYPED_TEST(DistributedStencilOn, WorkAfterAnException) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{32, 12};
  const Decomposition d(comm, extents, {.grid = {comm.size(), 1}, .halo = {1, 0}});
  const auto x = test::samples<double>(extents.size(), 1);
  const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  const quern::DistributedView<double, 2, E> v("v", d);
  const auto whole = test::make_array<double, 2, Kokkos::LayoutRight, E>({32, 12}, x),
             expected = test::make_array<double, 2, Kokkos::LayoutRight, E>({32, 12});
  quern::stencil<quern::star<1>>(exec, expected, sum_of_cross(), boundary::wrap, whole);
  const auto part = test::part_of(test::contents(expected), extents, d.local());
  const auto expect_right = [&](int number) {
    Kokkos::deep_copy(v.local_with_halo(), 0);
    quern::stencil<quern::star<1>>(exec, v, sum_of_cross(), boundary::wrap, u);
    EXPECT_EQ(part, test::contents(v.local())) << number;
  };
  bool thrown = true;
  for (int number = 1; thrown; ++number) {
    int left = number;
    thrown = false;
    try {
      quern::stencil<quern::star<1>>(exec, v, thrown_by_copies(left), boundary::wrap, u);
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    left = 0;
    exec.fence();
    expect_right(number);
    thrown = quern::impl::max_of_ranks(comm, thrown ? 1 : 0) > 0;
    EXPECT_TRUE(thrown || number > 1);
  }
  // A constant of another type, on all ranks, of which some have no end.
  test::expect_error("quern::stencil: the boundary's constant has not the type of the input's values", [&] {
    quern::stencil<quern::star<1>>(exec, v, sum_of_cross(), boundary::constant(Kokkos::complex<double>(1, 2)), u);
  });
  expect_right(0);
}

TYPED_TEST(DistributedStencilOn, ReportsMisuse) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, {16, 9}, {.grid = {comm.size(), 1}, .halo = {1}}),
      none(comm, {16, 9}, {.grid = {comm.size(), 1}});
  const quern::DistributedView<double, 2, E> u("u", d), v("v", d), w("w", none);
  using quern::stencil, quern::star, quern::box;
  if (comm.size() > 1) {
    test::expect_error("quern::stencil: in has a halo of 0 along axis 0, which is cut, expected at least 1",
                       [&] { stencil<star<1>>(exec, u, heat{0.2}, boundary::wrap, w); });
    const Decomposition other(comm, {16, 9}, {.grid = {1, comm.size()}, .halo = {1}});
    const quern::DistributedView<double, 2, E> x("x", other);
    test::expect_error("quern::stencil: in 1 is cut into other blocks, or for another communicator; redistribute it",
                       [&] { stencil<star<1>>(exec, u, heat{0.2}, boundary::wrap, x); });
  }
  test::expect_error(
      "quern::stencil: interior_only from 0 to 16 along axis 0 of extents (16, 9) needs values outside of "
      "them",
      [&] { stencil<star<1>>(exec, u, heat{0.2}, quern::interior_only{{0, 16}, {1, 8}}, v); });
  const Decomposition thin(comm, {16, 2}, {.grid = {comm.size(), 1}, .halo = {1}});
  const quern::DistributedView<double, 2, E> y("y", thin), z("z", thin);
  test::expect_error("quern::stencil: boundary::keep along axis 1 of extents (16, 2) with a neighbourhood of 3",
                     [&] { stencil<star<1>>(exec, y, heat{0.2}, boundary::keep, z); });
}

}  // namespace
