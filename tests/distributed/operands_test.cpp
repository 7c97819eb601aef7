// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call takes beside a DistributedView: lazy arrays, positions, Views that are whole on all ranks, several
// outputs.
#include <distributed/world.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/map/functions.hpp>
#include <support/operand_functors.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::axis, quern::Decomposition, quern::lazy, quern::positions, quern::shape;
using test::at_row_and_column, test::of_row, test::sum_and_difference, test::weighted;

template <class Exec>
struct DistributedOperands : testing::Test {};
TYPED_TEST_SUITE(DistributedOperands, test::all_spaces);

/// Calls check(d, u, v, whole u, whole v, whole row) for every grid of ranks, of which some have no cells.
template <class E, class Check>
void for_arrays(const Check& check) {
  for (const std::array<std::int64_t, 2>& extents : {std::array<std::int64_t, 2>{37, 5}, {2, 5}, {3, 1}}) {
    const std::int64_t n = extents[0] * extents[1];
    const auto a = test::samples<double>(n, 1), b = test::samples<double>(n, 2);
    const auto row = test::make_array<double, 1, LayoutRight, E>({extents[1]}, test::samples<double>(extents[1], 3));
    const auto va = test::make_array<double, 2, LayoutRight, E>(extents, a),
               vb = test::make_array<double, 2, LayoutRight, E>(extents, b);
    for (const auto& grid : test::grids(test::world().size(), 2)) {
      const Decomposition d(test::world(), {extents[0], extents[1]}, {.grid = grid});
      check(d, test::distribute<double, 2, LayoutRight, E>(d, a), test::distribute<double, 2, LayoutRight, E>(d, b), va,
            vb, row);
    }
  }
}

TYPED_TEST(DistributedOperands, LazyArrays) {
  using E = TypeParam;
  const E exec{};
  for_arrays<E>([&](const Decomposition& d, const auto& u, const auto& v, const auto& whole_u, const auto& whole_v,
                    const auto& row) {
    const auto r = quern::reproducible;
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), whole_u, whole_v), r), quern::sum(exec, lazy(weighted(), u, v), r));
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), whole_u, whole_v), r),
              quern::sum(exec, lazy(weighted(), u, whole_v), r));
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), whole_u, row), r), quern::sum(exec, lazy(weighted(), u, row), r));
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), whole_u, 0.5), r), quern::sum(lazy(weighted(), u, 0.5), r));
    const auto counted = lazy(at_row_and_column(), whole_u, positions());
    EXPECT_EQ(quern::argmax(exec, counted), quern::argmax(exec, lazy(at_row_and_column(), u, positions())));
    const auto nested = [](const auto& x) { return lazy(weighted(), x, lazy(of_row(), positions())); };
    EXPECT_EQ(quern::var(exec, nested(whole_u), r), quern::var(exec, nested(u), r));
    EXPECT_EQ(quern::dot(exec, whole_u, whole_v, r), quern::dot(exec, u, whole_v, r)) << "a View is whole";
    EXPECT_EQ(quern::dot(exec, whole_u, whole_v, r), quern::dot(exec, whole_u, v, r));
    const quern::DistributedView<double, 2, E> out("out", d);
    const auto expected = test::make_array<double, 2, LayoutRight, E>({d.extents().extent[0], d.extents().extent[1]});
    quern::map(exec, expected, weighted(), nested(whole_u), row);
    quern::map(exec, out, weighted(), nested(u), row);
    EXPECT_EQ(test::part_of(test::contents(expected), d.extents(), d.local()), test::contents(out.local()));
  });
}

TYPED_TEST(DistributedOperands, ElementwiseFunctionsAndSeveralOutputs) {
  using E = TypeParam;
  const E exec{};
  for_arrays<E>([&](const Decomposition& d, const auto& u, const auto& v, const auto& whole_u, const auto& whole_v,
                    const auto& row) {
    const quern::DistributedView<double, 2, E> out("out", d), other("other", d);
    const auto expected = test::make_array<double, 2, LayoutRight, E>({d.extents().extent[0], d.extents().extent[1]});
    const auto check = [&](const auto& found) {
      EXPECT_EQ(test::part_of(test::contents(expected), d.extents(), d.local()), test::contents(found.local()));
    };
    quern::add(exec, expected, whole_u, row);
    quern::add(out, u, row);
    check(out);
    quern::axpy(exec, expected, 2.0, whole_u, whole_v);
    quern::axpy(exec, out, 2.0, u, v);
    check(out);
    quern::map(exec, quern::outputs(out, other), sum_and_difference(), u, v);
    quern::subtract(exec, expected, whole_u, whole_v);
    check(other);
    quern::fill(exec, out, 3.0);
    EXPECT_EQ(3.0 * static_cast<double>(d.extents().size()), quern::sum(exec, out));
  });
}

TYPED_TEST(DistributedOperands, Copies) {
  using E = TypeParam;
  const E exec{};
  for_arrays<E>([&](const Decomposition& d, const auto& u, const auto& v, const auto& whole_u, const auto& whole_v,
                    const auto& row) {
    const std::int64_t n = d.extents().extent[0], m = d.extents().extent[1];
    const quern::DistributedView<double, 2, E> out("out", d);
    const quern::DistributedView<float, 2, E> narrow("narrow", d);
    const auto check = [&](const auto& expected, const auto& found) {
      const auto& own = found.decomposition().local();
      EXPECT_EQ(test::part_of(test::contents(expected), d.extents(), own), test::contents(found.local()));
    };
    quern::copy(exec, out, u);
    check(whole_u, out);
    quern::copy(narrow, v);
    quern::copy(out, narrow);  // of quarters: exact
    check(whole_v, out);
    quern::copy(exec, out, whole_u);
    check(whole_u, out);
    const auto expected = test::make_array<double, 2, LayoutRight, E>({n, m}),
               found = test::make_array<double, 2, LayoutRight, E>({n, m});
    quern::copy(exec, expected, row);
    quern::copy(exec, out, row);
    check(expected, out);
    quern::copy(exec, expected, lazy(weighted(), whole_u, row));
    quern::copy(exec, out, lazy(weighted(), u, row));
    check(expected, out);
    quern::copy(exec, found, out);
    EXPECT_EQ(test::contents(expected), test::contents(found)) << "whole on every rank";
    const Kokkos::View<double**, Kokkos::HostSpace> on_host("on_host", n, m);
    quern::copy(exec, on_host, out);
    EXPECT_EQ(test::contents(expected), test::contents(on_host));
    quern::copy(exec, u, on_host);
    check(expected, u);
    const Decomposition others(test::world(), {n, m}, {.grid = {test::world().size(), 1}, .halo = {0, 1}});
    const quern::DistributedView<double, 2, E> moved("moved", others);
    quern::copy(exec, moved, v);
    check(whole_v, moved);
    quern::copy(moved, u);
    check(expected, moved);
  });
}

struct scaled_by_difference {
  KOKKOS_FUNCTION double operator()(double x, const Kokkos::Array<double, 2>& a) const { return x * (a[0] - a[1]); }
};

TYPED_TEST(DistributedOperands, RowsOfViewsThatAreWhole) {
  using E = TypeParam;
  const E exec{};
  for_arrays<E>([&](const Decomposition& d, const auto& u, const auto&, const auto& whole_u, const auto&, const auto&) {
    const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
    const quern::DistributedView<double, 2, E> out("out", d);
    const auto expected = test::make_array<double, 2, LayoutRight, E>({m, n});
    const auto check = [&](const auto& rows) {
      quern::map(exec, expected, scaled_by_difference(), whole_u, rows);
      quern::map(exec, out, scaled_by_difference(), u, rows);
      EXPECT_EQ(test::part_of(test::contents(expected), d.extents(), d.local()), test::contents(out.local()));
    };
    const auto values = test::samples<double>(2 * m * n, 9);
    check(quern::rows<2>(test::make_array<double, 3, LayoutRight, E>({m, n, 2}, values)));
    check(quern::rows<2>(test::make_array<double, 3, Kokkos::LayoutLeft, E>({m, n, 2}, values)));
    check(quern::rows<2>(test::make_array<double, 2, LayoutRight, E>({n, 2}, test::samples<double>(2 * n, 8))));
  });
}

TYPED_TEST(DistributedOperands, ScansAlongEachAxis) {
  using E = TypeParam;
  const E exec{};
  for_arrays<E>([&](const Decomposition& d, const auto& u, const auto& v, const auto& whole_u, const auto& whole_v,
                    const auto&) {
    const quern::DistributedView<double, 2, E> out("out", d);
    const auto expected = test::make_array<double, 2, LayoutRight, E>({d.extents().extent[0], d.extents().extent[1]});
    const auto check = [&] {
      EXPECT_EQ(test::part_of(test::contents(expected), d.extents(), d.local()), test::contents(out.local()));
    };
    for (const int number : {0, 1}) {
      quern::cumsum(exec, expected, lazy(weighted(), whole_u, whole_v), axis{number});
      quern::cumsum(exec, out, lazy(weighted(), u, v), axis{number});
      check();  // of quarters: exact
      const quern::impl::plus<double> op;
      quern::exclusive_scan(exec, expected, op, 0.0, lazy(weighted(), whole_u, whole_v), axis{number});
      quern::exclusive_scan(exec, out, op, 0.0, lazy(weighted(), u, v), axis{number});
      check();
    }
  });
}

TYPED_TEST(DistributedOperands, TwoResults) {
  using E = TypeParam;
  const E exec{};
  for_arrays<E>([&](const Decomposition& d, const auto& u, const auto&, const auto& whole_u, const auto&, const auto&) {
    const std::int64_t n = d.extents().extent[1];
    const Kokkos::View<double*, E> least("least", n), largest("largest", n), mean("mean", n), var("var", n);
    const Kokkos::View<double*, E> low("low", n), high("high", n);
    quern::minmax(exec, quern::outputs(least, largest), whole_u, axis{0});
    quern::minmax(quern::outputs(low, high), u, axis{0});
    EXPECT_EQ(test::contents(least), test::contents(low));
    EXPECT_EQ(test::contents(largest), test::contents(high));
    quern::mean_var(exec, quern::outputs(mean, var), u, axis{0});
    quern::mean(exec, low, whole_u, axis{0});
    const auto expected = test::contents(low), found = test::contents(mean);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-14);
  });
}

}  // namespace
