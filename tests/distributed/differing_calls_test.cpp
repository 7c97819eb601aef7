// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that differ between ranks: all of them say so before an operation looks at what it is called with.
#include <cmath>
#include <distributed/checked_calls.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/histogram.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/migrate.hpp>
#include <quern/distributed/quantile.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/reducing_stencil.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/distributed/sort.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/map/functions.hpp>
#include <support/operand_functors.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::axis, quern::boundary, quern::Decomposition;
using test::checked_calls, test::weighted;

template <class Exec>
struct DifferingCalls : testing::Test {};
TYPED_TEST_SUITE(DifferingCalls, test::all_spaces);

struct sum_of_four {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1);
  }
};

TYPED_TEST(DifferingCalls, ReductionsOfAll) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string sum = "quern::sum of" + c.array;
  test::expect_calls_differ(c.comm, c.differs ? "quern::max" : "quern::sum", sum, "quern::max of" + c.array,
                            [&] { c.differs ? quern::max(exec, c.u) : quern::sum(exec, c.u); });
  c.expect("quern::sum", c.array, c.array + ", reproducible",
           [&] { c.differs ? quern::sum(exec, c.u, quern::reproducible) : quern::sum(exec, c.u); });
  const quern::DistributedView<float, 2, E> of_floats("floats", c.d);
  const auto sum_both = [&](const auto& first, const auto& second) { quern::dot(exec, first, second); };
  c.expect("quern::dot", c.array + c.array, c.array + " float32" + c.array.substr(8),
           [&] { c.differs ? sum_both(c.u, of_floats) : sum_both(c.u, c.u); });
  c.expect("quern::var", c.array, c.array + ", ddof 1", [&] { quern::var(exec, c.u, quern::ddof{c.differs ? 1 : 0}); });
}

TYPED_TEST(DifferingCalls, ReductionsAlongAxes) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const Kokkos::View<double*, E> eight("eight", 8), seven("seven", 7);
  const std::string along = c.array + " along axis 0 to";
  c.expect("quern::sum", along + " float64 (8)", c.array + " along axis 1 to float64 (8)",
           [&] { quern::sum(exec, eight, c.u, axis{c.differs ? 1 : 0}); });
  c.expect("quern::sum", along + " float64 (8)", along + " float64 (7)",
           [&] { quern::sum(exec, c.differs ? seven : eight, c.u, axis{0}); });
  const quern::DistributedView<double, 1, E> in_blocks("blocks", Decomposition(c.comm, {8}));
  c.expect("quern::sum", along + " float64 (8)", along + " float64 (8) on a grid of " + c.ranks,
           [&] { c.differs ? quern::sum(exec, in_blocks, c.u, axis{0}) : quern::sum(exec, eight, c.u, axis{0}); });
  quern::sum(exec, eight, c.u, axis{c.differs ? 0 : -2});  // one axis, written in two ways
  c.expect("quern::minmax", along + " float64 (8) float64 (8)", along + " float64 (8) float64 (7)",
           [&] { quern::minmax(exec, quern::outputs(eight, c.differs ? seven : eight), c.u, axis{0}); });
}

TYPED_TEST(DifferingCalls, Stencils) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const quern::boundaries wrap(boundary::wrap),
      other{boundary::keep, quern::boundary_pair{boundary::wrap, boundary::mirror}};
  const std::string of_cells = c.array + c.array + " in ", stencil = of_cells + "stars of radius 1 1 with boundaries ";
  const auto with_edge = [&](const quern::boundaries& edge) {
    quern::stencil<quern::star<1>>(exec, c.v, sum_of_four(), edge, c.u);
  };
  c.expect("quern::stencil", stencil + "wrap", stencil + "keep wrap/mirror",
           [&] { with_edge(c.differs ? other : wrap); });
  c.expect("quern::stencil", stencil + "constant 1", stencil + "constant 2",
           [&] { with_edge(boundary::constant(c.differs ? 2.0 : 1.0)); });
  const auto within = [&]<class Shape>(Shape) { quern::stencil<Shape>(exec, c.v, sum_of_four(), wrap, c.u); };
  c.expect("quern::stencil", stencil + "wrap", of_cells + "boxes of radius 1 1 with boundaries wrap",
           [&] { c.differs ? within(quern::box<1>()) : within(quern::star<1>()); });
  c.expect("quern::stencil", stencil + "wrap", of_cells + "stars of radius 1 2 with boundaries wrap",
           [&] { c.differs ? within(quern::star<1, 2>()) : within(quern::star<1>()); });
  auto now = c.u, next = c.v;
  const auto nothing = [](const auto&, const auto&, const auto&) {};
  c.expect("quern::iterate", c.array + c.array + ", 2 steps", c.array + c.array + ", -1 steps",
           [&] { quern::iterate(exec, now, next, nothing, c.differs ? -1 : 2); });
}

struct sum_and_square {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return quern::values(w(-1, 0) + w(1, 0), w(0, 0) * w(0, 0));
  }
};

// Results that one rank alone rejects.
TYPED_TEST(DifferingCalls, StencilsWithReductions) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const Kokkos::View<double*, E> eight("eight", 8), seven("seven", 7);
  const std::string stencil = c.array + c.array + " in stars of radius 1 1 with boundaries wrap with quern::sum";
  const auto call = [&](const auto& reduced) {
    quern::stencil<quern::star<1>>(exec, quern::outputs(c.v, reduced), sum_and_square(), boundary::wrap, c.u);
  };
  const auto along = [&](const auto& out, int number) { call(quern::reduced<quern::op::sum>(out, axis{number})); };
  c.expect("quern::stencil", stencil + " along axis 0 float64 (8)", stencil + " along axis 0 float64 (7)",
           [&] { along(c.differs ? seven : eight, 0); });
  c.expect("quern::stencil", stencil + " along axis 0 float64 (8)", stencil + " along axis 2 float64 (8)",
           [&] { along(eight, c.differs ? 2 : 0); });
  const Kokkos::View<double, E> total("total");
  c.expect("quern::stencil", stencil + " float64 ()", stencil + " along axis 1 float64 (7)",
           [&] { c.differs ? along(seven, 1) : call(quern::reduced<quern::op::sum>(total)); });
}

struct value_and_square {
  KOKKOS_FUNCTION auto operator()(double x) const { return quern::values(x, x * x); }
};

TYPED_TEST(DifferingCalls, ReductionsAlone) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const Kokkos::View<double*, E> eight("eight", 8), other("other", 8), seven("seven", 7);
  const auto along = [&](const auto& second, int number) {
    using quern::op::sum, quern::op::max;
    quern::map(exec,
               quern::outputs(quern::reduced<sum>(eight, axis{number}), quern::reduced<max>(second, axis{number})),
               value_and_square(), c.u);
  };
  c.expect("quern::map", c.array + " along axis 0 to float64 (8) float64 (8)",
           c.array + " along axis 0 to float64 (8) float64 (7)", [&] { along(c.differs ? seven : other, 0); });
  c.expect("quern::map", c.array + " along axis 0 to float64 (8) float64 (8)",
           c.array + " along axis 3 to float64 (8) float64 (8)", [&] { along(other, c.differs ? 3 : 0); });
}

TYPED_TEST(DifferingCalls, ExchangesOfHalos) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string exchange = "quern::HaloExchange", of_u = c.array + " with boundaries ";
  c.expect(exchange, of_u + "wrap", of_u + "nearest",
           [&] { quern::HaloExchange(exec, c.differs ? boundary::nearest : boundary::wrap, c.u); });
  const quern::DistributedView<double, 2, E> narrow("narrow", Decomposition(c.comm, {8, 8}, {.halo = {1}})),
      wide("wide", Decomposition(c.comm, {8, 8}, {.halo = {1, 2}}));
  const std::string with_halo = c.array + " with a halo of 1 ";
  c.expect(exchange, with_halo + "1 with boundaries wrap", with_halo + "2 with boundaries wrap",
           [&] { quern::HaloExchange(exec, boundary::wrap, c.differs ? wide : narrow); });
}

TYPED_TEST(DifferingCalls, WholeArrays) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  test::expect_error("quern::distributed::from_global: the root is rank " + c.ranks + " of " + c.ranks,
                     [&] { quern::distributed::from_global(exec, c.u, Kokkos::View<double**, E>(), c.comm.size()); });
  const std::string root = c.array + " with root ";
  const Kokkos::View<double**, E> whole("whole", 8, 8), too_long("too_long", 9, 8);
  c.expect("quern::distributed::to_global", root + "0", root + "1",
           [&] { quern::distributed::to_global(exec, whole, c.u, c.differs ? 1 : 0); });
  const Kokkos::View<double**, Kokkos::LayoutStride, E> rows(whole.data(), Kokkos::LayoutStride(8, 0, 8, 1));
  const std::string shared = ", where out has stride 0 along axis 0 of extents (8, 8): its elements share memory";
  const std::string to_all = " float64 (8, 8)" + c.array;
  c.expect("quern::distributed::to_global", to_all, to_all + shared, [&] {
    c.differs ? quern::distributed::to_global(exec, rows, c.u) : quern::distributed::to_global(exec, whole, c.u);
  });
  const int last = c.comm.size() - 1;
  const std::string with_last = root + std::to_string(last);
  c.expect("quern::distributed::to_global", with_last, with_last + shared,
           [&] { quern::distributed::to_global(exec, rows, c.u, last); });
  c.expect("quern::distributed::from_global", with_last, with_last + ", which has extents (9, 8)",
           [&] { quern::distributed::from_global(exec, c.u, too_long, last); });
}

TYPED_TEST(DifferingCalls, MovesAndSorts) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const Kokkos::View<int*, E> nowhere("nowhere", 0);
  const Kokkos::View<double**, E> pairs("pairs", 0, 2), triples("triples", 0, 3);
  c.expect("quern::distributed::migrate", " float64 x 2", " float64 x 3",
           [&] { quern::distributed::migrate(exec, c.comm, nowhere, c.differs ? triples : pairs); });
  const quern::DistributedView<double, 2, E> longer("longer", Decomposition(c.comm, {9, 8}));
  const std::string larger = " float64 (9, 8)" + c.grid;
  c.expect("quern::distributed::redistribute", c.array + c.array, larger + larger, [&] {
    c.differs ? quern::distributed::redistribute(exec, longer, longer)
              : quern::distributed::redistribute(exec, c.v, c.u);
  });
  c.expect("quern::copy", c.array + c.array, larger + larger,
           [&] { c.differs ? quern::copy(exec, longer, longer) : quern::copy(exec, c.v, c.u); });
  const quern::DistributedView<double, 1, E> line("line", Decomposition(c.comm, {8}));
  const std::string of_line = " float64 (8) on a grid of " + c.ranks;
  c.expect("quern::sort", of_line + of_line, of_line + of_line + ", descending",
           [&] { quern::sort(exec, line, c.differs ? quern::sort_order::descending : quern::sort_order::ascending); });
}

// Values that an operation rejects differ before it does so, on all ranks.
TYPED_TEST(DifferingCalls, Bins) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string histogram = "quern::histogram", of_u = " int64 (4)" + c.array;
  const Kokkos::View<std::int64_t*, E> counts("counts", 4), more("more", 5);
  const Kokkos::View<std::int64_t**, E> table("table", 2, 2);
  const auto in_range = [&](const auto& out, double high) {
    quern::histogram(exec, out, c.u, quern::bin_range{0, high});
  };
  for (const std::string high : {"2", "-1", "nan"})
    c.expect(histogram, of_u + " in bins from 0 to 1", of_u + " in bins from 0 to " + high,
             [&] { in_range(counts, c.differs ? std::stod(high) : 1); });
  c.expect(histogram, of_u + " in bins from 0 to 1", " int64 (5)" + c.array + " in bins from 0 to 1",
           [&] { in_range(c.differs ? more : counts, 1); });
  c.expect(histogram, of_u + " in bins from 0 to 1", " int64 (2, 2)" + c.array + " in bins from 0 to 1",
           [&] { c.differs ? in_range(table, 1) : in_range(counts, 1); });
  const auto edges_of = [](const std::vector<double>& values) {
    return test::make_array<double, 1, LayoutRight, E>({static_cast<std::int64_t>(values.size())}, values);
  };
  const auto edges = edges_of({0, 1, 2, 3, 4}), unsorted = edges_of({0, 2, 1, 3, 4}), fewer = edges_of({0, 1});
  const auto between = [&](const auto& of) { quern::histogram(exec, counts, c.u, of); };
  const std::string of_edges = of_u + " float64 (5) 0 1 2 3 4";
  c.expect(histogram, of_edges, of_u + " float64 (5) 0 2 1 3 4", [&] { between(c.differs ? unsorted : edges); });
  c.expect(histogram, of_edges, of_u + " float64 (2) 0 1", [&] { between(c.differs ? fewer : edges); });
  c.expect(histogram, of_edges, of_u + " in bins from 0 to 1",
           [&] { c.differs ? in_range(counts, 1) : between(edges); });
}

// Of many, the message has the first that differs, however close.
TYPED_TEST(DifferingCalls, OneOfManyEdges) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const Kokkos::View<std::int64_t*, E> counts("counts", 29);
  const auto expect = [&]<class T>(std::type_identity<T>, const std::string& type, T step, T at_first, T at_other,
                                   const std::string& text_at_first, const std::string& text_at_other) {
    std::vector<T> edges(30);
    for (int i = 0; i < 30; ++i) edges[i] = i < 20 ? T(i) : T(at_first + T(i - 20) * step);
    if (c.differs) edges[20] = at_other;
    const auto of = test::make_array<T, 1, LayoutRight, E>({30}, edges);
    const std::string call = " int64 (29)" + c.array + " " + type + " (30), with ";
    c.expect("quern::histogram", call + text_at_first + " at position 20", call + text_at_other + " at position 20",
             [&] { quern::histogram(exec, counts, c.u, of); });
  };
  expect(std::type_identity<double>(), "float64", 1.0, 20.0, 20.5, "20", "20.5");
  expect(std::type_identity<double>(), "float64", 1.0, 1.0 / 3 + 20, std::nextafter(1.0 / 3 + 20, 30.0),
         "20.333333333333332", "20.333333333333336");
  expect(std::type_identity<float>(), "float32", 1.0F, 20.0F, 20.25F, "20", "20.25");
  const std::int64_t large = std::int64_t{1} << 53;  // double does not hold the number after it
  expect(std::type_identity<std::int64_t>(), "int64", std::int64_t{2}, large, large + 1, "9007199254740992",
         "9007199254740993");
}

TYPED_TEST(DifferingCalls, CountsOfKeys) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const Kokkos::View<std::int64_t*, E> counts("counts", 4), more("more", 5);
  const quern::DistributedView<int, 2, E> keys("keys", c.d);
  const std::string of_keys = " int32 (8, 8)" + c.grid;
  c.expect("quern::bincount", " int64 (4)" + of_keys, " int64 (5)" + of_keys,
           [&] { quern::bincount(exec, c.differs ? more : counts, keys); });
  c.expect("quern::bincount", " int64 (4)" + of_keys, " int64 (4)" + of_keys + of_keys, [&] {
    c.differs ? quern::bincount(exec, counts, keys, quern::weights{keys}) : quern::bincount(exec, counts, keys);
  });
  const std::string of_range = " int64 (4)" + of_keys + " of keys from 2 to ";
  c.expect("quern::bincount", of_range + "6", of_range + "-6",
           [&] { quern::bincount(exec, counts, keys, quern::key_range{2, c.differs ? -6 : 6}); });
}

TYPED_TEST(DifferingCalls, SumsOfRowsByKeys) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string of_rows = " float64 (4) of keys from 0 to ";
  const Kokkos::View<double*, E> sums("sums", 4), rows("rows", 3);
  const Kokkos::View<int*, E> three_keys("three_keys", 3), two_keys("two_keys", 2);
  const auto sum_rows = [&](const auto& of, std::int64_t high) {
    quern::bincount(exec, c.comm, sums, of, quern::key_range{0, high}, quern::weights{rows});
  };
  c.expect("quern::bincount", of_rows + "4, weighted", of_rows + "-4, weighted",
           [&] { sum_rows(three_keys, c.differs ? -4 : 4); });
  c.expect("quern::bincount", of_rows + "4, weighted", of_rows + "4, weighted, weights do not fit keys of extents (2)",
           [&] { sum_rows(c.differs ? two_keys : three_keys, 4); });
  c.expect("quern::bincount", of_rows + "4, weighted", of_rows + "4", [&] {
    c.differs ? quern::bincount(exec, c.comm, sums, three_keys, quern::key_range{0, 4}) : sum_rows(three_keys, 4);
  });
}

TYPED_TEST(DifferingCalls, Quantiles) {
  using E = TypeParam;
  using quern::interpolation;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string quantile = "quern::quantile";
  c.expect(quantile, c.array + " at 0.25", c.array + " at 0.5",
           [&] { quern::quantile(exec, c.u, c.differs ? 0.5 : 0.25); });
  c.expect(quantile, c.array + " at 0.25", c.array + " at 1.5",
           [&] { quern::quantile(exec, c.u, c.differs ? 1.5 : 0.25); });
  c.expect(quantile, c.array + " at 0.25", c.array + " at 0.25, interpolation 1",
           [&] { quern::quantile(exec, c.u, 0.25, c.differs ? interpolation::lower : interpolation::linear); });
  const Kokkos::View<double*, E> two("two", 2), three("three", 3);
  c.expect(quantile, " float64 (2)" + c.array + " at 0.25 0.75", " float64 (3)" + c.array + " at 0.25 0.75",
           [&] { quern::quantile(exec, c.differs ? three : two, c.u, {0.25, 0.75}); });
}

TYPED_TEST(DifferingCalls, MapsAndScans) {
  using E = TypeParam;
  const E exec{};
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string arrays = c.array + c.array;
  c.expect("quern::map", arrays + " float64 1", arrays + " float64 2",
           [&] { quern::map(exec, c.v, weighted(), c.u, c.differs ? 2.0 : 1.0); });
  c.expect("quern::cumsum", arrays + " along axis 0", arrays + " along axis 5",
           [&] { quern::cumsum(exec, c.v, c.u, axis{c.differs ? 5 : 0}); });
  const std::string scanned = arrays + " along axis 0, identity ";
  const quern::impl::plus<double> op;
  c.expect("quern::exclusive_scan", scanned + "0", scanned + "1",
           [&] { quern::exclusive_scan(exec, c.v, op, c.differs ? 1.0 : 0.0, c.u, axis{0}); });
}

}  // namespace
