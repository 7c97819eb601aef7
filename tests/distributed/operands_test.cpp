// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call takes beside a DistributedView: lazy arrays, positions, Views that are whole on all ranks, several
// outputs.
#include <distributed/world.hpp>
#include <quern/distributed/histogram.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/migrate.hpp>
#include <quern/distributed/quantile.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/distributed/sort.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/map/functions.hpp>
#include <support/operand_functors.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::axis, quern::Decomposition, quern::lazy, quern::positions, quern::shape;
using test::at_row_and_column, test::of_row, test::sum_and_difference, test::weighted;

struct neighbours {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1);
  }
};

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
  const E exec;
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
  const E exec;
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
  const E exec;
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
  const E exec;
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
  const E exec;
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
  const E exec;
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

TYPED_TEST(DistributedOperands, CallsThatDiffer) {
  using E = TypeParam;
  const E exec;
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  const Decomposition d(comm, {8, 8});
  const quern::DistributedView<double, 2, E> u("u", d);
  const Kokkos::View<double*, E> out("out", 8);
  if (comm.size() == 1) return;
  const bool differs = test::is_other(comm);
  test::expect_error("quern::distributed::from_global: the root is rank " + std::to_string(comm.size()) + " of " +
                         std::to_string(comm.size()),
                     [&] { quern::distributed::from_global(exec, u, Kokkos::View<double**, E>(), comm.size()); });
  const auto expect = [&](const std::string& own, const std::string& first, const std::string& other, const auto& f) {
    test::expect_calls_differ(comm, own, first, other, f);
  };
  const std::string grid = test::text_of_grid(d);
  const std::string array = " float64 (8, 8)" + grid, ranks = std::to_string(comm.size());
  const std::string sum = "quern::sum of" + array, along = sum + " along axis 0 to";
  expect("quern::sum", along + " float64 (8)", sum + " along axis 1 to float64 (8)",
         [&] { quern::sum(exec, out, u, axis{differs ? 1 : 0}); });
  expect(differs ? "quern::max" : "quern::sum", sum, "quern::max of" + array,
         [&] { differs ? quern::max(exec, u) : quern::sum(exec, u); });
  expect("quern::sum", sum, sum + ", reproducible",
         [&] { differs ? quern::sum(exec, u, quern::reproducible) : quern::sum(exec, u); });
  const Kokkos::View<double*, E> shorter("shorter", 7);
  expect("quern::sum", along + " float64 (8)", along + " float64 (7)",
         [&] { quern::sum(exec, differs ? shorter : out, u, axis{0}); });
  const quern::DistributedView<double, 1, E> in_blocks("blocks", Decomposition(comm, {8}));
  expect("quern::sum", along + " float64 (8)", along + " float64 (8) on a grid of " + ranks,
         [&] { differs ? quern::sum(exec, in_blocks, u, axis{0}) : quern::sum(exec, out, u, axis{0}); });
  const quern::DistributedView<float, 2, E> of_floats("floats", d);
  const auto sum_both = [&](const auto& first, const auto& second) { quern::dot(exec, first, second); };
  expect("quern::dot", "quern::dot of" + array + array, "quern::dot of" + array + " float32" + array.substr(8),
         [&] { differs ? sum_both(u, of_floats) : sum_both(u, u); });
  quern::sum(exec, out, u, axis{differs ? 0 : -2});  // one axis, written in two ways
  expect("quern::quantile", "quern::quantile of" + array + " at 0.25", "quern::quantile of" + array + " at 0.5",
         [&] { quern::quantile(exec, u, differs ? 0.5 : 0.25); });
  const quern::DistributedView<double, 2, E> v("v", d);
  using quern::boundaries, quern::boundary;
  const boundaries wrap(boundary::wrap), other{boundary::keep, quern::boundary_pair{boundary::wrap, boundary::mirror}};
  const std::string of_cells = "quern::stencil of" + array + array + " in ",
                    stencil = of_cells + "stars of radius 1 1 with boundaries ";
  expect("quern::stencil", stencil + "wrap", stencil + "keep wrap/mirror",
         [&] { quern::stencil<quern::star<1>>(exec, v, neighbours(), differs ? other : wrap, u); });
  const auto constant = [&](double value) {
    quern::stencil<quern::star<1>>(exec, v, neighbours(), boundary::constant(value), u);
  };
  expect("quern::stencil", stencil + "constant 1", stencil + "constant 2", [&] { constant(differs ? 2 : 1); });
  const auto within = [&]<class Shape>(Shape) { quern::stencil<Shape>(exec, v, neighbours(), boundary::wrap, u); };
  expect("quern::stencil", stencil + "wrap", of_cells + "boxes of radius 1 1 with boundaries wrap",
         [&] { differs ? within(quern::box<1>()) : within(quern::star<1>()); });
  expect("quern::stencil", stencil + "wrap", of_cells + "stars of radius 1 2 with boundaries wrap",
         [&] { differs ? within(quern::star<1, 2>()) : within(quern::star<1>()); });
  auto now = u, next = v;
  const auto nothing = [](const auto&, const auto&, const auto&) {};
  const std::string iterate = "quern::iterate of" + array + array + ", ";
  expect("quern::iterate", iterate + "2 steps", iterate + "-1 steps",
         [&] { quern::iterate(exec, now, next, nothing, differs ? -1 : 2); });
  const std::string exchange = "quern::HaloExchange", of_u = exchange + " of" + array + " with boundaries ";
  expect(exchange, of_u + "wrap", of_u + "nearest",
         [&] { quern::HaloExchange(exec, differs ? boundary::nearest : boundary::wrap, u); });
  const quern::DistributedView<double, 2, E> narrow("narrow", Decomposition(comm, {8, 8}, {.halo = {1}})),
      wide("wide", Decomposition(comm, {8, 8}, {.halo = {1, 2}}));
  const std::string with_halo = exchange + " of" + array + " with a halo of 1 ";
  expect(exchange, with_halo + "1 with boundaries wrap", with_halo + "2 with boundaries wrap",
         [&] { quern::HaloExchange(exec, boundary::wrap, differs ? wide : narrow); });
  const std::string migrate = "quern::distributed::migrate";
  const Kokkos::View<int*, E> nowhere("nowhere", 0);
  const Kokkos::View<double**, E> pairs("pairs", 0, 2), triples("triples", 0, 3);
  expect(migrate, migrate + " of float64 x 2", migrate + " of float64 x 3",
         [&] { quern::distributed::migrate(exec, comm, nowhere, differs ? triples : pairs); });
  const std::string to_global = "quern::distributed::to_global", root = to_global + " of" + array + " with root ";
  const Kokkos::View<double**, E> whole("whole", 8, 8);
  expect(to_global, root + "0", root + "1", [&] { quern::distributed::to_global(exec, whole, u, differs ? 1 : 0); });
  const Kokkos::View<double**, E> too_long("too_long", 9, 8);
  const int last = comm.size() - 1;
  const std::string from_global = "quern::distributed::from_global",
                    from_last = from_global + " of" + array + " with root " + std::to_string(last);
  expect(from_global, from_last, from_last + ", which has extents (9, 8)",
         [&] { quern::distributed::from_global(exec, u, too_long, last); });
  const quern::DistributedView<double, 2, E> longer("longer", Decomposition(comm, {9, 8}));
  const std::string redistribute = "quern::distributed::redistribute";
  const std::string larger = " float64 (9, 8)" + grid;
  expect(redistribute, redistribute + " of" + array + array, redistribute + " of" + larger + larger, [&] {
    differs ? quern::distributed::redistribute(exec, longer, longer) : quern::distributed::redistribute(exec, v, u);
  });
  expect("quern::copy", "quern::copy of" + array + array, "quern::copy of" + larger + larger,
         [&] { differs ? quern::copy(exec, longer, longer) : quern::copy(exec, v, u); });
  const std::string line = " float64 (8) on a grid of " + ranks, sort = "quern::sort of" + line + line;
  expect("quern::sort", sort, sort + ", descending",
         [&] { quern::sort(exec, in_blocks, differs ? quern::sort_order::descending : quern::sort_order::ascending); });
}

// Values that an operation rejects differ before it does so, on all ranks.
TYPED_TEST(DistributedOperands, CallsWithOtherValues) {
  using E = TypeParam;
  const E exec;
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  const Decomposition d(comm, {8, 8});
  const quern::DistributedView<double, 2, E> u("u", d), v("v", d);
  if (comm.size() == 1) return;
  const bool differs = test::is_other(comm);
  const std::string grid = test::text_of_grid(d), array = " float64 (8, 8)" + grid;
  // What the other rank calls with, and how the message shows both.
  const auto expect = [&](const std::string& name, const std::string& first, const std::string& other, const auto& f) {
    test::expect_calls_differ(comm, name, name + " of" + first, name + " of" + other, f);
  };
  const std::string histogram = "quern::histogram", of_u = " int64 (4)" + array;
  const Kokkos::View<std::int64_t*, E> counts("counts", 4), more("more", 5);
  const Kokkos::View<std::int64_t**, E> table("table", 2, 2);
  const auto in_range = [&](const auto& out, double high) {
    quern::histogram(exec, out, u, quern::bin_range{0, high});
  };
  for (const std::string high : {"2", "-1", "nan"})
    expect(histogram, of_u + " in bins from 0 to 1", of_u + " in bins from 0 to " + high,
           [&] { in_range(counts, differs ? std::stod(high) : 1); });
  expect(histogram, of_u + " in bins from 0 to 1", " int64 (5)" + array + " in bins from 0 to 1",
         [&] { in_range(differs ? more : counts, 1); });
  expect(histogram, of_u + " in bins from 0 to 1", " int64 (2, 2)" + array + " in bins from 0 to 1",
         [&] { differs ? in_range(table, 1) : in_range(counts, 1); });
  const auto edges_of = [](const std::vector<double>& values) {
    return test::make_array<double, 1, LayoutRight, E>({static_cast<std::int64_t>(values.size())}, values);
  };
  const auto edges = edges_of({0, 1, 2, 3, 4}), unsorted = edges_of({0, 2, 1, 3, 4}), fewer = edges_of({0, 1});
  const auto between = [&](const auto& of) { quern::histogram(exec, counts, u, of); };
  const std::string of_edges = of_u + " float64 (5) 0 1 2 3 4";
  expect(histogram, of_edges, of_u + " float64 (5) 0 2 1 3 4", [&] { between(differs ? unsorted : edges); });
  expect(histogram, of_edges, of_u + " float64 (2) 0 1", [&] { between(differs ? fewer : edges); });
  expect(histogram, of_edges, of_u + " in bins from 0 to 1", [&] { differs ? in_range(counts, 1) : between(edges); });
  // Of many, the first that differs, however close.
  const Kokkos::View<std::int64_t*, E> of_many("of_many", 29);
  const auto expect_many = [&]<class T>(std::type_identity<T>, const std::string& type, T step, T at_first, T at_other,
                                        const std::string& text_at_first, const std::string& text_at_other) {
    std::vector<T> many(30);
    for (int i = 0; i < 30; ++i) many[i] = i < 20 ? T(i) : T(at_first + T(i - 20) * step);
    if (differs) many[20] = at_other;
    const auto of = test::make_array<T, 1, LayoutRight, E>({30}, many);
    const std::string call = " int64 (29)" + array + " " + type + " (30), with ";
    expect(histogram, call + text_at_first + " at position 20", call + text_at_other + " at position 20",
           [&] { quern::histogram(exec, of_many, u, of); });
  };
  expect_many(std::type_identity<double>(), "float64", 1.0, 20.0, 20.5, "20", "20.5");
  expect_many(std::type_identity<double>(), "float64", 1.0, 1.0 / 3 + 20, std::nextafter(1.0 / 3 + 20, 30.0),
              "20.333333333333332", "20.333333333333336");
  expect_many(std::type_identity<float>(), "float32", 1.0F, 20.0F, 20.25F, "20", "20.25");
  const std::int64_t large = std::int64_t{1} << 53;  // double does not hold the number after it
  expect_many(std::type_identity<std::int64_t>(), "int64", std::int64_t{2}, large, large + 1, "9007199254740992",
              "9007199254740993");
  const quern::DistributedView<int, 2, E> keys("keys", d);
  const std::string of_keys = " int32 (8, 8)" + grid;
  expect("quern::bincount", " int64 (4)" + of_keys, " int64 (5)" + of_keys,
         [&] { quern::bincount(exec, differs ? more : counts, keys); });
  expect("quern::bincount", " int64 (4)" + of_keys, " int64 (4)" + of_keys + of_keys, [&] {
    differs ? quern::bincount(exec, counts, keys, quern::weights{keys}) : quern::bincount(exec, counts, keys);
  });

  const std::string of_range = " int64 (4)" + of_keys + " of keys from 2 to ";
  expect("quern::bincount", of_range + "6", of_range + "-6",
         [&] { quern::bincount(exec, counts, keys, quern::key_range{2, differs ? -6 : 6}); });

  const std::string of_rows = " float64 (4) of keys from 0 to ";
  const Kokkos::View<double*, E> sums("sums", 4), rows("rows", 3);
  const Kokkos::View<int*, E> three_keys("three_keys", 3), two_keys("two_keys", 2);
  const auto sum_rows = [&](const auto& of, std::int64_t high) {
    quern::bincount(exec, comm, sums, of, quern::key_range{0, high}, quern::weights{rows});
  };
  expect("quern::bincount", of_rows + "4, weighted", of_rows + "-4, weighted",
         [&] { sum_rows(three_keys, differs ? -4 : 4); });
  expect("quern::bincount", of_rows + "4, weighted", of_rows + "4, weighted, weights do not fit keys of extents (2)",
         [&] { sum_rows(differs ? two_keys : three_keys, 4); });
  expect("quern::bincount", of_rows + "4, weighted", of_rows + "4", [&] {
    differs ? quern::bincount(exec, comm, sums, three_keys, quern::key_range{0, 4}) : sum_rows(three_keys, 4);
  });

  const std::string quantile = "quern::quantile";
  expect(quantile, array + " at 0.25", array + " at 1.5", [&] { quern::quantile(exec, u, differs ? 1.5 : 0.25); });
  using quern::interpolation;
  expect(quantile, array + " at 0.25", array + " at 0.25, interpolation 1",
         [&] { quern::quantile(exec, u, 0.25, differs ? interpolation::lower : interpolation::linear); });
  const Kokkos::View<double*, E> two("two", 2), three("three", 3);
  expect(quantile, " float64 (2)" + array + " at 0.25 0.75", " float64 (3)" + array + " at 0.25 0.75",
         [&] { quern::quantile(exec, differs ? three : two, u, {0.25, 0.75}); });

  expect("quern::cumsum", array + array + " along axis 0", array + array + " along axis 5",
         [&] { quern::cumsum(exec, v, u, axis{differs ? 5 : 0}); });
  const std::string scanned = array + array + " along axis 0, identity ";
  const quern::impl::plus<double> op;
  expect("quern::exclusive_scan", scanned + "0", scanned + "1",
         [&] { quern::exclusive_scan(exec, v, op, differs ? 1.0 : 0.0, u, axis{0}); });
  expect("quern::var", array, array + ", ddof 1", [&] { quern::var(exec, u, quern::ddof{differs ? 1 : 0}); });
  const Kokkos::View<double*, E> eight("eight", 8), seven("seven", 7);
  const std::string of_eight = array + " along axis 0 to float64 (8) float64 ";
  expect("quern::minmax", of_eight + "(8)", of_eight + "(7)",
         [&] { quern::minmax(exec, quern::outputs(eight, differs ? seven : eight), u, axis{0}); });
  expect("quern::map", array + array + " float64 1", array + array + " float64 2",
         [&] { quern::map(exec, v, weighted(), u, differs ? 2.0 : 1.0); });
}

}  // namespace
