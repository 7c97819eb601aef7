// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions among the outputs of stencils, beside the stencil and the reduction of what it writes.
#include <quern/stencil.hpp>
#include <support/plain_statistics.hpp>
#include <support/testing.hpp>

namespace {

namespace op = quern::op;
using Kokkos::LayoutLeft, Kokkos::LayoutRight;
using quern::boundary, quern::on_host, quern::outputs, quern::reduced;

struct laplacian {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& p) const {
    return p(-1, 0) + p(1, 0) + p(0, -1) + p(0, 1) - 4.0 * p(0, 0);
  }
};
struct laplacian_and_square {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double l = laplacian()(p);
    return quern::values(l, l * l);
  }
};
struct three_results {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double l = laplacian()(p);
    return quern::values(l, l, l);
  }
};
struct all_results {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const W& p) const {
    const double l = laplacian()(p);
    return quern::values(l, l, at[0], at[0] * 1000 + at[1], l);
  }
};

template <class Case>
struct StencilReduced : testing::Test {};
using cases = test::covering<double, float, std::int8_t>;
TYPED_TEST_SUITE(StencilReduced, cases);

TYPED_TEST(StencilReduced, OfEveryExtentAndBoundary) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const Kokkos::View<double, E> total("total");
  for (const auto& n : {std::array<std::int64_t, 2>{3, 3}, {3, 70}, {70, 3}, {16, 64}, {33, 129}, {130, 257}})
    for (const auto& edge : std::vector<quern::boundaries>{boundary::constant(2), boundary::wrap, boundary::keep,
                                                           quern::interior_only({{1, n[0] - 1}, {1, n[1] - 1}})}) {
      const auto p = test::make_array<T, 2, L, E>(n, test::samples<T>(n[0] * n[1], 1));
      const std::vector<double> before(n[0] * n[1], 1e9);
      const auto expected = test::make_array<double, 2, L, E>(n, before),
                 out = test::make_array<double, 2, L, E>(n, before);
      quern::stencil<quern::star<1>>(exec, expected, laplacian(), edge, p);
      quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(total)), laplacian_and_square(), edge, p);
      const auto computed = test::contents(expected);
      EXPECT_EQ(computed, test::contents(out));
      double sum = 0, most = -1e300;
      std::int64_t cells = 0, first = -1;
      for (std::size_t i = 0; i < computed.size(); ++i) {
        if (computed[i] == 1e9) continue;  // left as it was
        sum += computed[i] * computed[i];
        ++cells;
        if (computed[i] > most) first = static_cast<std::int64_t>(i);
        most = std::max(most, computed[i]);
      }
      EXPECT_EQ(sum, test::value(total));  // of multiples of 1/16
      // Several, with positions.
      const auto rows = test::make_array<std::int32_t, 2, L, E>(n, std::vector<std::int32_t>(n[0] * n[1], 7));
      const auto [at, count, mean] = quern::stencil<quern::star<1>>(
          outputs(out, reduced<op::argmax>(on_host), rows, reduced<op::count>(on_host), reduced<op::mean>(on_host)),
          quern::with_position(all_results()), edge, p);
      EXPECT_EQ(first, at);
      EXPECT_EQ(cells - (computed[0] == 1e9 ? 0 : 1), count);  // the position of one cell is 0
      EXPECT_NEAR(
          quern::impl::convert<double>(mean) * static_cast<double>(cells),
          [&] {
            double all = 0;
            for (const double x : computed) all += x == 1e9 ? 0 : x;
            return all;
          }(),
          1e-9 * static_cast<double>(cells));
      EXPECT_EQ(computed, test::contents(out));
    }
}

struct moments_and_ends {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double l = laplacian()(p), factor = 1 + l / 4096;
    return quern::values(l, l, factor, l, l);
  }
};
struct larger {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a > b ? a : b; }
};

template <class Exec>
struct StencilReducedOn : testing::Test {};
TYPED_TEST_SUITE(StencilReducedOn, test::all_spaces);

TYPED_TEST(StencilReducedOn, OthersThanSums) {
  using E = TypeParam;
  const E exec{};
  for (const auto& n : {std::array<std::int64_t, 2>{3, 5}, {17, 301}, {130, 33}}) {
    const auto p = test::make_array<double, 2, LayoutRight, E>(n, test::samples<double>(n[0] * n[1], 1)),
               out = test::make_array<double, 2, LayoutRight, E>(n);
    const auto all_of = [&](const auto& in) {
      return quern::stencil<quern::star<1>>(exec,
                                            outputs(out, reduced<op::mean_var>(on_host), reduced<op::prod>(on_host),
                                                    reduced<op::minmax>(on_host), reduced(on_host, larger(), -1e300)),
                                            moments_and_ends(), boundary::nearest, in);
    };
    const auto rounding =
        test::make_array<double, 2, LayoutRight, E>(n, test::rounding_samples<double>(n[0] * n[1], 1));
    test::expect_repeats([&] {
      const auto all = all_of(rounding);
      return std::tuple(std::get<0>(all).mean, std::get<0>(all).var, std::get<1>(all));
    });
    const auto [moments, product, ends, most] = all_of(p);
    const auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-11 * (1 + std::fabs(b)); };
    auto cells = test::contents(out);
    const test::plain_statistics plain(cells);
    EXPECT_PRED2(near, moments.mean, plain.mean);
    EXPECT_PRED2(near, moments.var, plain.var());
    EXPECT_EQ(plain.least, ends.min);
    EXPECT_EQ(plain.greatest, ends.max);
    for (double& l : cells) l = 1 + l / 4096;
    EXPECT_PRED2(near, product, test::plain_statistics(cells).product);
    EXPECT_EQ(ends.max, most);
  }
}

/// What plain loops find of the cells that `stencil` computed, along an axis.
struct line {
  double sum = 0, most = -1e300;
  std::int64_t cells = 0, first = -1;
  void add(double v, std::int64_t at) {
    sum += v * v;
    ++cells;
    if (v > most) first = at;
    most = std::max(most, v);
  }
};
struct several_of_line {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const W& p) const {
    const double l = laplacian()(p);
    return quern::values(l * l, l, l, at[0] * 1000 + at[1] + 1, l);
  }
};

TYPED_TEST(StencilReduced, AlongEachAxis) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  for (const auto& n : {std::array<std::int64_t, 2>{3, 3}, {3, 70}, {70, 3}, {17, 600}, {301, 33}})
    for (const auto& edge : std::vector<quern::boundaries>{boundary::constant(2), boundary::wrap, boundary::keep,
                                                           quern::interior_only({{1, n[0] - 1}, {1, n[1] - 1}}),
                                                           quern::boundaries({boundary::keep, boundary::reflect})}) {
      const auto p = test::make_array<T, 2, L, E>(n, test::samples<T>(n[0] * n[1], 1));
      const std::vector<double> before(n[0] * n[1], 1e9);
      const auto expected = test::make_array<double, 2, L, E>(n, before);
      quern::stencil<quern::star<1>>(exec, expected, laplacian(), edge, p);
      const auto computed = test::contents(expected);
      for (const int axis : {0, 1}) {
        std::vector<line> lines(n[1 - axis]);
        for (std::int64_t j = 0; j < n[0]; ++j)
          for (std::int64_t i = 0; i < n[1]; ++i)
            if (const double v = computed[j * n[1] + i]; v != 1e9) lines[axis == 0 ? i : j].add(v, axis == 0 ? j : i);
        const auto out = test::make_array<double, 2, L, E>(n, before);
        const auto sums = test::make_array<double, 1, L, E>({n[1 - axis]});
        const quern::axis along{axis};
        quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(sums, along)), laplacian_and_square(), edge,
                                       p);
        EXPECT_EQ(computed, test::contents(out));
        const auto found = test::contents(sums);
        for (std::size_t k = 0; k < lines.size(); ++k) EXPECT_EQ(lines[k].sum, found[k]) << axis << ' ' << k;
        // Several, with positions in the whole array, to arrays of any layout.
        const auto first = test::make_array<std::int64_t, 1, L, E>({n[1 - axis]});
        const auto count = test::make_array<std::int64_t, 1, LayoutRight, E>({n[1 - axis]});
        const auto means = test::make_array<double, 1, L, E>({n[1 - axis]});
        const auto several = [&] {
          quern::stencil<quern::star<1>>(outputs(reduced<op::sum>(sums, along), out, reduced<op::argmax>(first, along),
                                                 reduced<op::count>(count, along), reduced<op::mean>(means, along)),
                                         quern::with_position(several_of_line()), edge, p);
        };
        if (lines[0].cells == 0) {
          test::expect_error("quern::stencil: no cells are computed, of which a reduction has no result", several);
          continue;
        }
        several();
        EXPECT_EQ(computed, test::contents(out));
        for (std::size_t k = 0; k < lines.size(); ++k) {
          EXPECT_EQ(lines[k].sum, test::contents(sums)[k]);
          EXPECT_EQ(lines[k].first, test::contents(first)[k]) << axis << ' ' << k;
          EXPECT_EQ(lines[k].cells, test::contents(count)[k]);
        }
      }
    }
}

// The cells of the border and of the interior, of which different threads compute some.
TYPED_TEST(StencilReduced, RepeatsBitByBit) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const Kokkos::View<double, E> total("total");
  for (const auto& n : {std::array<std::int64_t, 2>{3, 70}, {130, 257}, {4, 5000}})
    for (const auto& edge : std::vector<quern::boundaries>{boundary::constant(2), boundary::wrap, boundary::keep}) {
      const auto p = test::make_array<T, 2, L, E>(n, test::rounding_samples<T>(n[0] * n[1], 1));
      const auto out = test::make_array<double, 2, L, E>(n);
      test::expect_repeats([&] {
        quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(total)), laplacian_and_square(), edge, p);
        return test::value(total);
      });
      for (const int axis : {0, 1}) {
        const auto sums = test::make_array<double, 1, L, E>({n[1 - axis]});
        test::expect_repeats([&] {
          quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(sums, quern::axis{axis})),
                                         laplacian_and_square(), edge, p);
          return test::contents(sums);
        });
      }
    }
}

struct three_axes {
  template <class W, class V>
  KOKKOS_FUNCTION auto operator()(const W& u, const V& v) const {
    const double r = u(-1, 0, 0) + u(1, 0, 0) + u(0, -2, 0) + u(0, 0, 1) + v(0, 0, 0);
    return Kokkos::Array<double, 3>{r, r, -r};
  }
};

TYPED_TEST(StencilReducedOn, ThreeAxesAndLazyInputs) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 3> n{21, 17, 40};
  const auto u = test::make_array<double, 3, LayoutRight, E>(n, test::rounding_samples<double>(n[0] * n[1] * n[2], 2));
  const auto v = test::make_array<float, 3, LayoutLeft, E>(n, test::rounding_samples<float>(n[0] * n[1] * n[2], 3));
  const auto out = test::make_array<double, 3, LayoutRight, E>(n),
             out_again = test::make_array<double, 3, LayoutRight, E>(n);
  const auto call = [&] {
    return quern::stencil<quern::box<2>>(
        exec, outputs(out, reduced<op::sum>(on_host, quern::reproducible), reduced<op::min>(on_host)), three_axes(),
        boundary::reflect, u, quern::lazy(quern::impl::op::identity(), v));
  };
  const auto [sum, least] = call();
  EXPECT_EQ(quern::sum(exec, out, quern::reproducible), sum);
  EXPECT_EQ(-quern::max(exec, out), least);
  EXPECT_EQ(least, quern::stencil<quern::box<2>>(outputs(out, out_again, reduced<op::min>(on_host)), three_axes(),
                                                 boundary::reflect, u, v))
      << "without exec, and of two arrays";
}

/// The sum of the neighbours, twice, and its square.
struct neighbours {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& u) const {
    const double r = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
    return quern::values(r, r * r, r);
  }
};

struct five_results {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double l = laplacian()(p);
    return quern::values(l, l, p(0, 0), l * l, 2 * l);
  }
};
struct twice {
  KOKKOS_FUNCTION double operator()(double l) const { return 2 * l; }
};
struct squared {
  KOKKOS_FUNCTION double operator()(double l) const { return l * l; }
};

// Their states are too many for the shared memory of a team of a device, which joins them in turns. Scratch memory is
// of the pool, and of a workspace.
TYPED_TEST(StencilReducedOn, ReproducibleSumsAtOnce) {
  using E = TypeParam;
  const E exec{};
  const auto sum_to = [](const auto& view) { return reduced<op::sum>(view, quern::reproducible); };
  for (const auto& n : {std::array<std::int64_t, 2>{3, 5}, {70, 33}, {130, 257}}) {
    const auto p = test::make_array<double, 2, LayoutRight, E>(n, test::samples<double>(n[0] * n[1], 1)),
               out = test::make_array<double, 2, LayoutRight, E>(n);
    const Kokkos::View<double, E> a("a"), b("b"), c("c"), d("d");
    const auto call = [&] {
      quern::stencil<quern::star<1>>(exec, outputs(out, sum_to(a), sum_to(b), sum_to(c), sum_to(d)), five_results(),
                                     boundary::wrap, p);
    };
    const auto expect_right = [&](const char* what) {
      EXPECT_EQ(quern::sum(exec, out, quern::reproducible), test::value(a)) << what;
      EXPECT_EQ(quern::sum(exec, p, quern::reproducible), test::value(b)) << what;
      EXPECT_EQ(quern::sum(exec, quern::lazy(squared(), out), quern::reproducible), test::value(c)) << what;
      EXPECT_EQ(quern::sum(exec, quern::lazy(twice(), out), quern::reproducible), test::value(d)) << what;
    };
    call();
    expect_right("of the pool");
    quern::Workspace<E> work;
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (const auto& view : {a, b, c, d}) Kokkos::deep_copy(view, -1.0);
      const quern::WorkspaceScope scope(work);
      call();
      expect_right("of a workspace");
    }
  }
}

/// A state that is joined by halves and in turns.
struct counted_threads {
  std::int64_t sum = 0, squares = 0, threads = 0;
};
struct added {
  KOKKOS_FUNCTION void operator()(counted_threads& a, const counted_threads& b) const {
    a.sum += b.sum;
    a.squares += b.squares;
    a.threads += b.threads;
  }
};
template <class Exec>
struct joins_in_turns {
  int room;
  Kokkos::View<counted_threads*, Exec> result;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const shared = static_cast<counted_threads*>(
        team.team_scratch(0).get_shmem_aligned(room * sizeof(counted_threads), alignof(counted_threads)));
    const std::int64_t t = team.team_rank() + 1;
    counted_threads mine{t, t * t, 1};
    quern::impl::join_in_turns(team, shared, room, mine, added());
    if (team.team_rank() == 0) result(team.league_rank()) = mine;
  }
};

TYPED_TEST(StencilReducedOn, TeamsJoinInTurns) {
  using E = TypeParam;
  using policy = Kokkos::TeamPolicy<E>;
  const E exec{};
  constexpr int teams = 3;
  const Kokkos::View<counted_threads*, E> result("result", teams);
  for (const int size : {1, 2, 3, 5, 32, 63, 64, 100, 128})
    for (const int room : {1, 2, 3, 31, 64, 128}) {
      const joins_in_turns<E> kernel{room, result};
      const int bytes = static_cast<int>(room * sizeof(counted_threads) + alignof(counted_threads));
      const policy one = policy(exec, teams, 1).set_scratch_size(0, Kokkos::PerTeam(bytes));
      if (size > one.team_size_max(kernel, Kokkos::ParallelForTag())) continue;
      Kokkos::parallel_for("test::joins_in_turns",
                           policy(exec, teams, size).set_scratch_size(0, Kokkos::PerTeam(bytes)), kernel);
      const auto found = quern::to_host(result);
      for (int team = 0; team < teams; ++team) {
        EXPECT_EQ(size * (size + 1) / 2, found(team).sum) << size << ' ' << room;
        EXPECT_EQ(size * (size + 1) * (2 * size + 1) / 6, found(team).squares) << size << ' ' << room;
        EXPECT_EQ(size, found(team).threads) << size << ' ' << room;
      }
    }
}

/// The sums of the neighbours, by plain loops.
std::vector<double> plain_neighbours(const std::vector<double>& u, const std::array<std::int64_t, 3>& n, bool wraps) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < n[0]; ++i)
    for (std::int64_t j = 0; j < n[1]; ++j)
      for (std::int64_t k = 0; k < n[2]; ++k) {
        double r = 0;
        for (int axis = 0; axis < 3; ++axis)
          for (const int step : {-1, 1}) {
            std::array<std::int64_t, 3> at{i, j, k};
            at[axis] += step;
            if (wraps) at[axis] = (at[axis] + n[axis]) % n[axis];
            else at[axis] = std::clamp<std::int64_t>(at[axis], 0, n[axis] - 1);  // reflected by one
            r += u[(at[0] * n[1] + at[1]) * n[2] + at[2]];
          }
        all.push_back(r);
      }
  return all;
}

/// The sums of squares along those axes, and where the least values are first.
std::pair<std::vector<double>, std::vector<std::int64_t>> plain_lines(const std::vector<double>& cells,
                                                                      const std::array<std::int64_t, 3>& n,
                                                                      const std::array<bool, 3>& along) {
  std::int64_t lines = 1;
  for (int d = 0; d < 3; ++d) lines *= along[d] ? 1 : n[d];
  std::vector<double> sums(lines), least(lines, 1e300);
  std::vector<std::int64_t> first(lines);
  for (std::int64_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
    const std::array<std::int64_t, 3> at{i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
    std::int64_t position = 0, line = 0;
    for (int d = 0; d < 3; ++d) {
      auto& index = along[d] ? position : line;
      index = index * n[d] + at[d];
    }
    sums[line] += cells[i] * cells[i];
    if (cells[i] >= least[line]) continue;
    least[line] = cells[i];
    first[line] = position;
  }
  return {sums, first};
}

TYPED_TEST(StencilReducedOn, AlongAxesOfThree) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 3> n{9, 12, 37};
  const auto values = test::samples<double>(n[0] * n[1] * n[2], 2);
  const auto check = [&]<class L>(L) {
    const auto u = test::make_array<double, 3, L, E>(n, values), out = test::make_array<double, 3, L, E>(n);
    for (const bool wraps : {true, false}) {
      const auto cells = plain_neighbours(values, n, wraps);
      const auto with = [&](const quern::axes& along, const std::array<bool, 3>& is_along, const auto& sums,
                            const auto& first) {
        Kokkos::deep_copy(out, 0.0);
        quern::stencil<quern::star<1>>(
            exec, outputs(out, reduced<op::sum>(sums, along, quern::reproducible), reduced<op::argmin>(first, along)),
            neighbours(), wraps ? boundary::wrap : boundary::reflect, u);
        EXPECT_EQ(cells, test::contents(out));
        EXPECT_EQ(plain_lines(cells, n, is_along), std::pair(test::contents(sums), test::contents(first)));
      };
      for (const int axis : {0, 1, 2}) {
        const std::array<std::int64_t, 2> rest{n[axis == 0 ? 1 : 0], n[axis == 2 ? 1 : 2]};
        with(quern::axis{axis}, {axis == 0, axis == 1, axis == 2}, test::make_array<double, 2, LayoutRight, E>(rest),
             test::make_array<std::int64_t, 2, LayoutLeft, E>(rest));
        const std::array<std::int64_t, 1> alone{n[axis]};
        with(quern::axes{axis == 0 ? 1 : 0, axis == 2 ? 1 : 2}, {axis != 0, axis != 1, axis != 2},
             test::make_array<double, 1, LayoutRight, E>(alone),
             test::make_array<std::int64_t, 1, LayoutRight, E>(alone));
      }
      with(quern::axes{0, 1, 2}, {true, true, true}, Kokkos::View<double, E>("sum"),
           Kokkos::View<std::int64_t, E>("first"));
    }
  };
  check(LayoutRight());
  check(LayoutLeft());
}

struct centre_five_times {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const auto c = p(0, 0);
    return quern::values(c, c, c, c, c);
  }
};

TYPED_TEST(StencilReducedOn, InfinitiesAndTheLargestIntegers) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> n{7, 90};
  const quern::axis along{1};
  const auto check = [&]<class T>(T least, T largest) {
    using W = quern::impl::promoted<T>;
    for (const std::int64_t at : {0, 44, 89})
      for (const std::int64_t row : {0, 3, 6}) {  // of the border and of the interior
        std::vector<T> x(n[0] * n[1], T(1));
        const std::int64_t other = (at + 1) % n[1];
        x[row * n[1] + at] = largest;
        x[row * n[1] + other] = least;
        const auto p = test::make_array<T, 2, LayoutRight, E>(n, x), out = test::make_array<T, 2, LayoutRight, E>(n);
        const auto of_all =
            quern::stencil<quern::star<1>>(exec,
                                           outputs(out, reduced<op::min>(on_host), reduced<op::max>(on_host),
                                                   reduced<op::argmin>(on_host), reduced<op::argmax>(on_host)),
                                           centre_five_times(), boundary::wrap, p);
        EXPECT_EQ(std::tuple(W(least), W(largest), row * n[1] + other, row * n[1] + at), of_all);
        EXPECT_EQ(x, test::contents(out));
        const auto low = test::make_array<W, 1, LayoutRight, E>({n[0]}),
                   high = test::make_array<W, 1, LayoutRight, E>({n[0]});
        const auto first = test::make_array<std::int64_t, 1, LayoutRight, E>({n[0]}),
                   last = test::make_array<std::int64_t, 1, LayoutRight, E>({n[0]});
        quern::stencil<quern::star<1>>(exec,
                                       outputs(reduced<op::min>(low, along), reduced<op::max>(high, along), out,
                                               reduced<op::argmin>(first, along), reduced<op::argmax>(last, along)),
                                       centre_five_times(), boundary::wrap, p);
        std::vector<W> lows(n[0], W(1)), highs(n[0], W(1));
        lows[row] = least;
        highs[row] = largest;
        std::vector<std::int64_t> firsts(n[0], 0), lasts(n[0], 0);
        firsts[row] = other;
        lasts[row] = at;
        EXPECT_EQ(lows, test::contents(low));
        EXPECT_EQ(highs, test::contents(high));
        EXPECT_EQ(firsts, test::contents(first));
        EXPECT_EQ(lasts, test::contents(last));
      }
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  check(-inf, inf);
  check(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  check(std::int8_t{-128}, std::int8_t{127});
  check(std::uint8_t{0}, std::uint8_t{255});
}

// A NaN is the extremum; of infinities of both signs the sum is none.
TYPED_TEST(StencilReducedOn, NaN) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> n{7, 90};
  const quern::axis along{1};
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x(n[0] * n[1], 1.0);
  x[3 * n[1] + 5] = nan;
  x[2 * n[1] + 7] = inf;
  x[2 * n[1] + 8] = -inf;
  const auto p = test::make_array<double, 2, LayoutRight, E>(n, x),
             out = test::make_array<double, 2, LayoutRight, E>(n);
  const auto [least, largest, at, sum] = quern::stencil<quern::star<1>>(
      exec,
      outputs(out, reduced<op::min>(on_host), reduced<op::nanmax>(on_host), reduced<op::argmax>(on_host),
              reduced<op::sum>(on_host, quern::reproducible)),
      centre_five_times(), boundary::reflect, p);
  EXPECT_TRUE(std::isnan(least) && std::isnan(sum));
  EXPECT_EQ(inf, largest);
  EXPECT_EQ(3 * n[1] + 5, at);
  const auto sums = test::make_array<double, 1, LayoutRight, E>({n[0]}),
             means = test::make_array<double, 1, LayoutRight, E>({n[0]});
  quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(sums, along), reduced<op::mean>(means, along)),
                                 three_results(), quern::boundaries({boundary::keep, boundary::reflect}), p);
  const auto found = test::contents(sums), averages = test::contents(means);
  EXPECT_EQ(0.0, found[0]);
  EXPECT_TRUE(std::isnan(averages[0])) << "a mean of no cells";
  EXPECT_TRUE(std::isnan(found[2]) && std::isnan(found[3]) && std::isnan(found[4]));
  EXPECT_EQ(0.0, found[5]);
  EXPECT_EQ(0.0, averages[5]);
}

TYPED_TEST(StencilReducedOn, EmptyArraysAndOneCell) {
  using E = TypeParam;
  const E exec{};
  const auto none = test::make_array<double, 2, LayoutRight, E>({0, 5}),
             out = test::make_array<double, 2, LayoutRight, E>({0, 5});
  const auto columns = test::make_array<double, 1, LayoutRight, E>({5}, std::vector<double>(5, 7.0)),
             rows = test::make_array<double, 1, LayoutRight, E>({0});
  for (const auto& edge : {boundary::keep, boundary::wrap}) {
    quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(columns, quern::axis{0})),
                                   laplacian_and_square(), edge, none);
    EXPECT_EQ(std::vector<double>(5, 0.0), test::contents(columns));
    quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::max>(rows, quern::axis{1})), laplacian_and_square(),
                                   edge, none);
  }
  test::expect_error("quern::stencil: in 1 has extents (0, 5), expected at least one element along the axes", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::max>(columns, quern::axis{0})),
                                   laplacian_and_square(), boundary::wrap, none);
  });
  const auto one = test::make_array<double, 2, LayoutRight, E>({1, 1}, {3.0}),
             of_one = test::make_array<double, 2, LayoutRight, E>({1, 1});
  const auto result = test::make_array<double, 1, LayoutRight, E>({1});
  quern::stencil<quern::star<1>>(exec, outputs(of_one, reduced<op::sum>(result, quern::axis{0})),
                                 laplacian_and_square(), boundary::constant(1), one);
  EXPECT_EQ(std::vector<double>{64.0}, test::contents(result));  // (4 - 12)^2
}

TYPED_TEST(StencilReducedOn, WrongCallsWriteNothing) {
  using E = TypeParam;
  const E exec{};
  const auto p = test::make_array<double, 2, LayoutRight, E>({4, 5}, test::samples<double>(20, 1));
  const auto out = test::make_array<double, 2, LayoutRight, E>({4, 5}, test::samples<double>(20, 2));
  const auto before = test::contents(out);
  const auto rejected = [&](const std::string& what, const auto& result) {
    test::expect_error("quern::stencil: " + what, [&] {
      quern::stencil<quern::star<1>>(exec, outputs(out, result), laplacian_and_square(), boundary::wrap, p);
    });
    EXPECT_EQ(before, test::contents(out)) << what;
  };
  const auto row = test::make_array<double, 1, LayoutRight, E>({5});
  rejected("a reduction's output has extents (5), expected ()", reduced<op::sum>(row));
  rejected("a reduction's output has extents (5), expected (4)", reduced<op::sum>(row, quern::axis{1}));
  test::expect_error("quern::stencil: the reductions of a call must be along the same axes", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::sum>(row, quern::axis{0}), reduced<op::sum>(on_host)),
                                   three_results(), boundary::wrap, p);
  });
  rejected("a reduction's output and another output share memory", reduced<op::sum>(Kokkos::subview(out, 1, 1)));
  rejected("a reduction's output and in 1 share memory", reduced<op::sum>(Kokkos::subview(p, 1, 1)));
  test::expect_error("quern::stencil: no cells are computed, of which a reduction has no result", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(out, reduced<op::min>(on_host)), laplacian_and_square(),
                                   quern::interior_only({{2, 2}, {1, 4}}), p);
  });
  // Of no elements, sums are zero, whatever the boundary.
  const auto none = test::make_array<double, 2, LayoutRight, E>({0, 5});
  EXPECT_EQ(0.0, quern::stencil<quern::star<1>>(exec, outputs(none, reduced<op::sum>(on_host)), laplacian_and_square(),
                                                boundary::keep, none));
}

}  // namespace
