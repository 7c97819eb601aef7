// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call takes beside a DistributedView: lazy arrays, positions, Views that are whole on all ranks, several
// outputs.
#include <distributed/world.hpp>
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
  const std::string last = std::to_string(comm.size() - 1);
  const bool differs = comm.rank() == comm.size() - 1;
  test::expect_error("quern::distributed::from_global: the root is rank " + std::to_string(comm.size()) + " of " +
                         std::to_string(comm.size()),
                     [&] { quern::distributed::from_global(exec, u, Kokkos::View<double**, E>(), comm.size()); });
  const auto expect = [&](const std::string& own, const std::string& first, const std::string& other, const auto& f) {
    test::expect_error(
        own + ": the calls differ between ranks: " + first + " on rank 0 and " + other + " on rank " + last, f);
  };
  std::string grid = " on a grid of";
  for (int number = 0; number < 2; ++number) grid += " " + std::to_string(d.grid(number));
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
  const std::string in_another_place = "quern::sum: the calls differ between ranks: " + along +
                                       " float64 (8) on rank 0 and " + along + " float64 (8) on a grid of " + ranks +
                                       " on rank " + last;
  test::expect_error(in_another_place,
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
  const std::string stencil = "quern::stencil of" + array + array + " with boundaries ";
  expect("quern::stencil", stencil + "wrap", stencil + "keep wrap/mirror",
         [&] { quern::stencil<quern::star<1>>(exec, v, neighbours(), differs ? other : wrap, u); });
  const auto constant = [&](double value) {
    quern::stencil<quern::star<1>>(exec, v, neighbours(), boundary::constant(value), u);
  };
  expect("quern::stencil", stencil + "constant 1", stencil + "constant 2", [&] { constant(differs ? 2 : 1); });
  const std::string exchange = "quern::HaloExchange", of_u = exchange + " of" + array + " with boundaries ";
  expect(exchange, of_u + "wrap", of_u + "nearest",
         [&] { quern::HaloExchange(exec, differs ? boundary::nearest : boundary::wrap, u); });
  const std::string migrate = "quern::distributed::migrate";
  const Kokkos::View<int*, E> nowhere("nowhere", 0);
  const Kokkos::View<double**, E> pairs("pairs", 0, 2), triples("triples", 0, 3);
  expect(migrate, migrate + " of float64 x 2", migrate + " of float64 x 3",
         [&] { quern::distributed::migrate(exec, comm, nowhere, differs ? triples : pairs); });
  const std::string to_global = "quern::distributed::to_global", root = to_global + " of" + array + " with root ";
  const Kokkos::View<double**, E> whole("whole", 8, 8);
  expect(to_global, root + "0", root + "1", [&] { quern::distributed::to_global(exec, whole, u, differs ? 1 : 0); });
  const quern::DistributedView<double, 2, E> longer("longer", Decomposition(comm, {9, 8}));
  const std::string redistribute = "quern::distributed::redistribute";
  const std::string larger = " float64 (9, 8)" + grid;
  expect(redistribute, redistribute + " of" + array + array, redistribute + " of" + larger + larger, [&] {
    differs ? quern::distributed::redistribute(exec, longer, longer) : quern::distributed::redistribute(exec, v, u);
  });
  const std::string line = " float64 (8) on a grid of " + ranks, sort = "quern::sort of" + line + line;
  expect("quern::sort", sort, sort + ", descending",
         [&] { quern::sort(exec, in_blocks, differs ? quern::sort_order::descending : quern::sort_order::ascending); });
}

}  // namespace
