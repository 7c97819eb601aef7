// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of DistributedViews as elements, beside the same calls of Views that are whole on all ranks.
#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/reducing_map.hpp>
#include <quern/map/functions.hpp>

namespace {

using quern::Decomposition, quern::lazy, quern::rows;
using vector = Kokkos::Array<double, 3>;

struct kick {
  double dt;
  KOKKOS_FUNCTION vector operator()(vector v, const vector& f, double mass) const {
    for (int c = 0; c < 3; ++c) v[c] += dt * f[c] * mass;
    return v;
  }
};
struct leapfrog {
  double dt;
  KOKKOS_FUNCTION Kokkos::Array<vector, 2> operator()(vector x, vector v, const vector& f, double mass) const {
    for (int c = 0; c < 3; ++c) {
      v[c] += dt * f[c] * mass;
      x[c] += dt * v[c];
    }
    return {v, x};
  }
};
struct momentum {
  KOKKOS_FUNCTION vector operator()(double mass, vector v) const {
    for (int c = 0; c < 3; ++c) v[c] *= mass;
    return v;
  }
};
struct with_momentum {
  KOKKOS_FUNCTION auto operator()(const vector& v, double mass) const { return quern::values(v, momentum()(mass, v)); }
};
struct identity {
  KOKKOS_FUNCTION vector operator()(const vector& v) const { return v; }
};
struct length {
  KOKKOS_FUNCTION double operator()(const vector& v) const { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }
};

/// Blocks of n rows of three values, and of n values.
struct cuts {
  Decomposition vectors, numbers;
  explicit cuts(std::int64_t n, int halo = 0)
      : vectors(test::world(), {n, 3}, {.grid = {test::world().size(), 1}, .halo = {halo, 0}}),
        numbers(test::world(), {n}) {}
};

template <class Exec>
struct DistributedRows : testing::Test {};
TYPED_TEST_SUITE(DistributedRows, test::all_spaces);

template <class L, class E>
auto whole_vectors(std::int64_t n, std::uint64_t seed) {
  return test::make_array<double, 2, L, E>({n, 3}, test::samples<double>(3 * n, seed));
}

/// Calls check(n, layout, width of the halo) for numbers of rows of which some ranks have none.
template <class Check>
void for_layouts(const Check& check) {
  for (const std::int64_t n : {0, 1, 3, 37, 1025}) {
    check(n, Kokkos::LayoutRight(), 0);
    check(n, Kokkos::LayoutLeft(), 0);
  }
  check(std::int64_t{64}, Kokkos::LayoutRight(), 2);
  check(std::int64_t{64}, Kokkos::LayoutLeft(), 2);
}

TYPED_TEST(DistributedRows, AreOperandsAndOutputsOfMaps) {
  using E = TypeParam;
  const E exec{};
  for_layouts([&]<class L>(std::int64_t n, L, int halo) {
    const cuts cut(n, halo);
    const auto block = [&](std::uint64_t seed) {
      return test::distribute<double, 2, L, E>(cut.vectors, test::samples<double>(3 * n, seed));
    };
    const auto x = block(1), v = block(2), f = block(3), out = block(4);
    const auto whole_x = whole_vectors<L, E>(n, 1), whole_v = whole_vectors<L, E>(n, 2),
               whole_f = whole_vectors<L, E>(n, 3), expected = whole_vectors<L, E>(n, 4);
    const auto masses = test::samples<double>(n, 5);
    const auto mass = test::distribute<double, 1, L, E>(cut.numbers, masses);
    const auto whole_mass = test::make_array<double, 1, L, E>({n}, masses);
    const auto check = [&](const auto& whole, const auto& found) {
      EXPECT_EQ(test::part_of(test::contents(whole), cut.vectors.extents(), cut.vectors.local()),
                test::contents(found.local()));
    };
    quern::map(exec, rows<3>(expected), kick{0.5}, rows<3>(whole_v), rows<3>(whole_f), whole_mass);
    quern::map(exec, rows<3>(out), kick{0.5}, rows<3>(v), rows<3>(f), mass);
    check(expected, out);
    // In place, with a View that is whole on all ranks, without exec.
    quern::map(exec, quern::outputs(rows<3>(whole_v), rows<3>(whole_x)), leapfrog{0.5}, rows<3>(whole_x),
               rows<3>(whole_v), rows<3>(whole_f), whole_mass);
    quern::map(quern::outputs(rows<3>(v), rows<3>(x)), leapfrog{0.5}, rows<3>(x), rows<3>(v), rows<3>(whole_f),
               whole_mass);
    check(whole_v, v);
    check(whole_x, x);
    // Numbers of rows, rows of numbers, lazy ones.
    const quern::DistributedView<double, 1, E> lengths("lengths", cut.numbers);
    const Kokkos::View<double*, E> whole_lengths("whole_lengths", n);
    quern::map(exec, lengths, length(), lazy(momentum(), mass, rows<3>(v)));
    quern::map(exec, whole_lengths, length(), lazy(momentum(), whole_mass, rows<3>(whole_v)));
    EXPECT_EQ(test::part_of(test::contents(whole_lengths), cut.numbers.extents(), cut.numbers.local()),
              test::contents(lengths.local()));
    quern::copy(exec, rows<3>(out), rows<3>(x));
    check(whole_x, out);
    quern::copy(exec, rows<3>(out), rows<3>(whole_f));
    check(whole_f, out);
    quern::copy(exec, rows<3>(whole_f), rows<3>(v));
    EXPECT_EQ(test::contents(whole_v), test::contents(whole_f));
    quern::fill(exec, rows<3>(out), vector{1, 2, 3});
    quern::fill(exec, rows<3>(whole_x), vector{1, 2, 3});
    check(whole_x, out);
  });
}

TYPED_TEST(DistributedRows, AreReduced) {
  using E = TypeParam;
  const E exec{};
  for_layouts([&]<class L>(std::int64_t n, L, int halo) {
    if (n == 0) return;
    const cuts cut(n, halo);
    const auto v = test::distribute<double, 2, L, E>(cut.vectors, test::samples<double>(3 * n, 2));
    const auto masses = test::samples<double>(n, 5);
    const auto mass = test::distribute<double, 1, L, E>(cut.numbers, masses);
    const auto whole_v = whole_vectors<L, E>(n, 2);
    const auto whole_mass = test::make_array<double, 1, L, E>({n}, masses);
    const auto values = test::contents(whole_v);
    vector sum{}, total{}, least = {1e9, 1e9, 1e9};
    for (std::int64_t i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c) {
        sum[c] += values[3 * i + c];
        total[c] += masses[i] * values[3 * i + c];
        least[c] = std::min(least[c], values[3 * i + c]);
      }
    const auto check = [&](const vector& expected, const vector& found) {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(expected[c], found[c], 1e-13 * static_cast<double>(n) * 4);
    };
    check(sum, quern::sum(exec, rows<3>(v)));
    check(total, quern::sum(exec, lazy(momentum(), mass, rows<3>(v))));
    check(total, quern::sum(lazy(momentum(), whole_mass, rows<3>(v))));
    check(least, quern::min(exec, rows<3>(v)));
    const vector mean = quern::mean(exec, rows<3>(v));
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(sum[c] / static_cast<double>(n), mean[c], 1e-13);
    const vector var = quern::var(exec, rows<3>(v)), whole_var = quern::var(exec, rows<3>(whole_v));
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(whole_var[c], var[c], 1e-14 * whole_var[c]);
    const Kokkos::View<vector, E> out("out");
    quern::sum(exec, out, rows<3>(v));
    check(sum, test::contents(out)[0]);
    // Among the outputs of a map, and beside rows.
    const quern::DistributedView<double, 2, L, typename E::memory_space> w("w", cut.vectors);
    const vector found = quern::map(exec, quern::outputs(rows<3>(w), quern::reduced<quern::op::sum>(quern::on_host)),
                                    with_momentum(), rows<3>(v), mass);
    check(total, found);
    EXPECT_EQ(test::contents(v.local()), test::contents(w.local()));
  });
}

TYPED_TEST(DistributedRows, OfSeveralAxes) {
  using E = TypeParam;
  const E exec{};
  const std::int64_t n = 9, m = 7;
  for (auto grid : test::grids(test::world().size(), 2)) {
    grid.push_back(1);
    const Decomposition cut(test::world(), {n, m, 3}, {.grid = grid, .halo = {1, 0, 2}});
    const auto values = test::samples<double>(3 * n * m, 3);
    const auto check = [&]<class L>(L) {
      const auto v = test::distribute<double, 3, L, E>(cut, values);
      const auto whole = test::make_array<double, 3, L, E>({n, m, 3}, values);
      const Kokkos::View<vector*, Kokkos::LayoutRight, E> sums("sums", m), expected("expected", m);
      quern::sum(exec, sums, rows<3>(v), quern::axis{0});
      quern::sum(exec, expected, rows<3>(whole), quern::axis{0});
      const auto found = test::contents(sums), right = test::contents(expected);
      for (std::size_t i = 0; i < right.size(); ++i)
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(right[i][c], found[i][c], 1e-12);
      const Kokkos::View<double**, L, E> columns("columns", m, 3);
      quern::sum(exec, rows<3>(columns), rows<3>(v), quern::axis{0});
      const auto values_of = test::contents(columns);
      for (std::size_t i = 0; i < right.size(); ++i)
        for (int c = 0; c < 3; ++c) EXPECT_EQ(found[i][c], values_of[3 * i + c]);
      quern::map(exec, rows<3>(v), kick{0.5}, rows<3>(v), rows<3>(v), 2.0);
      quern::map(exec, rows<3>(whole), kick{0.5}, rows<3>(whole), rows<3>(whole), 2.0);
      EXPECT_EQ(test::part_of(test::contents(whole), cut.extents(), cut.local()), test::contents(v.local()));
    };
    check(Kokkos::LayoutRight());
    check(Kokkos::LayoutLeft());
  }
}

TYPED_TEST(DistributedRows, BadInput) {
  using E = TypeParam;
  const E exec{};
  const cuts cut(12);
  const quern::DistributedView<double, 2, E> v("v", cut.vectors);
  const quern::DistributedView<double, 1, E> shorter("shorter", Decomposition(test::world(), {11}));
  test::expect_error("quern::rows: k is 2, and not the last extent of (12, 3)", [&] { rows<2>(v); });
  if (test::world().size() == 1) return;
  const std::string ranks = std::to_string(test::world().size());
  const Decomposition columns(test::world(), {12, 3}, {.grid = {1, test::world().size()}});
  const quern::DistributedView<double, 2, E> u("u", columns);
  test::expect_error("quern::rows: the rows of extents (12, 3) are cut into " + ranks +
                         " along axis 1; a grid with 1 rank along that axis cuts none",
                     [&] { rows<3>(u); });
  EXPECT_THROW(quern::map(exec, rows<3>(v), kick{1}, rows<3>(v), rows<3>(v), shorter), quern::Error);
}

}  // namespace
