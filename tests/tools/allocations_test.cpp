// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts `operator new` in warm calls, beside those of the Kokkos launches that they make.

#include <support/allocations.hpp>
#include <support/small_functors.hpp>

#include <quern/batch.hpp>
#include <quern/keyed.hpp>
#include <quern/linalg.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <quern/transfer.hpp>
#include <support/testing.hpp>

namespace {

using test::allocations_of, test::half_and_square, test::halved, test::mean_and_square, test::mean_of_cross;

struct halves {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double x) const { return {0.5 * x, 0.5 * x}; }
};
struct larger {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a > b ? a : b; }
};
struct same_row {
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(const Kokkos::Array<double, 3>& x) const { return x; }
};
struct copied {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const X& x) const {
    for (std::size_t i = 0; i < x.extent(0); ++i) y(i) = x(i);
  }
};

template <class Exec>
struct store_index {
  Kokkos::View<double*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) = i; }
};

template <class Exec>
struct Allocations : testing::Test {
  Exec exec;
  /// Three times, of which the first ones may fill the pools.
  void expect_none(const char* what, const test::call_ref<const Exec&>& f) {
    f(exec);
    f(exec);
    exec.fence();
    EXPECT_EQ(0, allocations_of([&] { f(exec); })) << what;
    exec.fence();
  }
};
TYPED_TEST_SUITE(Allocations, test::all_spaces);

// What the tests below compare with: a launch of Kokkos allocates nothing on hosts where its label is short. Of a
// longer one, newer Kokkos makes a copy.
TYPED_TEST(Allocations, OfPlainLaunches) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  const Kokkos::View<double*, TypeParam> x("x", 100);
  this->expect_none("parallel_for", [&](const auto& exec) {
    Kokkos::parallel_for("", Kokkos::RangePolicy<TypeParam>(exec, 0, 100), store_index<TypeParam>{x});
  });
}

TYPED_TEST(Allocations, OfMapsAndReductions) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  const Kokkos::View<double**, space> x("x", 40, 50), y("y", 40, 50);
  const Kokkos::View<double**, Kokkos::LayoutLeft, space> z("z", 40, 50);
  const Kokkos::View<double*, space> row("row", 50), column("column", 40);
  const Kokkos::View<double, space> total("total");
  const Kokkos::View<std::int64_t, space> index("index");
  const Kokkos::View<std::int64_t**, space> positions("positions", 40, 1);
  this->expect_none("map", [&](const auto& exec) { quern::map(exec, y, halved(), x); });
  // Some versions of Kokkos allocate for each default instance.
  const auto without_exec = [&] { quern::map(y, halved(), x); };
  without_exec();
  EXPECT_EQ(allocations_of([] { space(); }), allocations_of(without_exec)) << "map without exec";
  this->expect_none("lazy", [&](const auto& exec) { quern::copy(exec, y, quern::lazy(halved(), x)); });
  this->expect_none("map of two outputs",
                    [&](const auto& exec) { quern::map(exec, quern::outputs(y, z), halves(), x); });
  this->expect_none("map with a reduction", [&](const auto& exec) {
    quern::map(exec, quern::outputs(y, quern::reduced<quern::op::sum>(total)), half_and_square(), x);
  });
  this->expect_none("map with several reductions", [&](const auto& exec) {
    quern::map(exec, quern::outputs(y, quern::reduced<quern::op::sum>(total), quern::reduced<quern::op::argmax>(index)),
               test::repeated<3>(), x);
  });
  this->expect_none("several reductions alone", [&](const auto& exec) {
    quern::map(exec, quern::outputs(quern::reduced<quern::op::sum>(total), quern::reduced<quern::op::argmax>(index)),
               test::repeated<2>(), x);
  });
  this->expect_none("stencil with a reduction", [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, quern::outputs(y, quern::reduced<quern::op::sum>(total)), mean_and_square(),
                                   quern::boundary::wrap, x);
  });
  this->expect_none("stencil with a reduction along an axis", [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, quern::outputs(y, quern::reduced<quern::op::sum>(column, quern::axis{1})),
                                   mean_and_square(), quern::boundary::keep, x);
  });
  this->expect_none("fill", [&](const auto& exec) { quern::fill(exec, y, 1.0); });
  this->expect_none("add", [&](const auto& exec) { quern::add(exec, y, x, row); });
  this->expect_none("multiply", [&](const auto& exec) { quern::multiply(exec, y, z, 0.5); });
  this->expect_none("copy", [&](const auto& exec) { quern::copy(exec, z, x); });
  this->expect_none("sum", [&](const auto& exec) { quern::sum(exec, total, x); });
  this->expect_none("sum returned", [&](const auto& exec) { quern::sum(exec, x); });
  this->expect_none("sum along", [&](const auto& exec) { quern::sum(exec, column, x, quern::axis{1}); });
  this->expect_none("reproducible sum", [&](const auto& exec) { quern::sum(exec, total, x, quern::reproducible); });
  this->expect_none("var", [&](const auto& exec) { quern::var(exec, total, x); });
  this->expect_none("argmin that keeps axes",
                    [&](const auto& exec) { quern::nanargmin(exec, positions, x, quern::axis{1}, quern::keep_axes); });
  this->expect_none("argmax", [&](const auto& exec) { quern::argmax(exec, index, row); });
  this->expect_none("reduce", [&](const auto& exec) { quern::reduce(exec, total, larger(), 0.0, x); });
  this->expect_none("dot", [&](const auto& exec) { quern::dot(exec, total, row, row); });
  this->expect_none("median", [&](const auto& exec) { quern::median(exec, total, row); });
  this->expect_none("masked median", [&](const auto& exec) { quern::median(exec, total, row, quern::mask{true}); });
  this->expect_none("cumsum", [&](const auto& exec) { quern::cumsum(exec, row, row); });
  this->expect_none("inclusive_scan", [&](const auto& exec) { quern::inclusive_scan(exec, row, larger(), 0.0, row); });
}

TYPED_TEST(Allocations, OfStencils) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  using quern::boundary;
  const Kokkos::View<double**, space> x("x", 40, 50), y("y", 40, 50);
  const Kokkos::View<double**, Kokkos::HostSpace> weights("weights", 3, 3);
  this->expect_none(
      "keep", [&](const auto& exec) { quern::stencil<quern::star<1>>(exec, y, mean_of_cross(), boundary::keep, x); });
  this->expect_none("reflect", [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, y, mean_of_cross(), boundary::reflect, x);
  });
  this->expect_none("each axis", [&](const auto& exec) {
    const quern::boundaries edges{boundary::wrap, quern::boundary_pair{boundary::constant(1.5), boundary::nearest}};
    quern::stencil<quern::star<1>>(exec, y, mean_of_cross(), edges, x);
  });
  this->expect_none("interior", [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, y, mean_of_cross(), quern::interior_only{{1, 39}, {1, 49}}, x);
  });
  this->expect_none("complex constant", [&](const auto&) {
    const auto edge = boundary::constant(Kokkos::complex<double>(1, 2));
    const quern::boundaries edges{edge, edge};
  });
  this->expect_none("gaussian", [&](const auto& exec) { quern::gaussian_filter(exec, y, x, 1.0, boundary::reflect); });
  this->expect_none("minimum", [&](const auto& exec) { quern::minimum_filter(exec, y, x, 5, boundary::reflect); });
  this->expect_none("wide", [&](const auto& exec) { quern::minimum_filter(exec, y, x, {35, 3}, boundary::reflect); });
  this->expect_none("median", [&](const auto& exec) { quern::median_filter(exec, y, x, 4, boundary::reflect); });
  this->expect_none("uniform", [&](const auto& exec) { quern::uniform_filter(exec, y, x, 3, boundary::reflect); });
  this->expect_none("correlate", [&](const auto& exec) { quern::correlate(exec, y, x, weights, boundary::reflect); });
  this->expect_none("rolling", [&](const auto& exec) {
    quern::rolling<quern::op::mean>(exec, y, x, quern::window{5});
    quern::rolling<quern::op::median>(exec, y, x, quern::window{.count = 5, .center = true}, quern::axis{0});
  });
  this->expect_none("map_coordinates", [&](const auto& exec) {
    quern::map_coordinates(exec, y, x, quern::components(x, x), boundary::reflect);
  });
  this->expect_none("laplacian", [&](const auto& exec) { quern::laplacian(exec, y, x, 1.0, boundary::reflect); });
  const Kokkos::View<double*, space> points("points", 50);
  this->expect_none(
      "gradient", [&](const auto& exec) { quern::gradient(exec, y, x, points, quern::axis{1}, quern::edge_order<2>); });
}

TYPED_TEST(Allocations, OfIndicesAndDifferences) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  const Kokkos::View<double**, space> x("x", 40, 50), y("y", 40, 50), third("third", 40, 47), wide("wide", 40, 51);
  const Kokkos::View<int**, space> at("at", 40, 50), positions("positions", 40, 50);
  const Kokkos::View<std::int64_t, space> info("info");
  const auto clip = quern::index_mode::clip;
  this->expect_none("take_along_axis", [&](const auto& exec) { quern::take_along_axis(exec, y, x, at, clip); });
  this->expect_none("put_along_axis", [&](const auto& exec) { quern::put_along_axis(exec, y, at, x, info); });
  this->expect_none("put", [&](const auto& exec) { quern::put(exec, y, at, x, quern::index_mode::wrap); });
  this->expect_none("unravel_index", [&](const auto& exec) { quern::unravel_index(exec, positions, at, {9}, clip); });
  this->expect_none("ravel_index", [&](const auto& exec) {
    quern::ravel_index(exec, positions, quern::components(at, at), {3, 4}, clip);
  });
  this->expect_none("diff", [&](const auto& exec) { quern::diff(exec, third, x, quern::difference_order{3}); });
  this->expect_none("insert", [&](const auto& exec) { quern::insert(exec, wide, x, 3, 1.0, quern::axis{1}); });
  this->expect_none("unwrap", [&](const auto& exec) { quern::unwrap(exec, y, x); });
}

TYPED_TEST(Allocations, OfGhostCells) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  using quern::boundary;
  const Kokkos::View<double**, space> x("x", 40, 50), y("y", 40, 50);
  const Kokkos::View<double**, Kokkos::LayoutLeft, space> z("z", 40, 50);
  const quern::boundaries edges{boundary::wrap, quern::boundary_pair{boundary::odd_reflect, boundary::constant(1.5)}};
  const quern::each_field of_each{edges, quern::boundaries(boundary::reflect)};
  std::vector<Kokkos::View<double**, space>> list;
  for (int i = 0; i < 16; ++i) list.emplace_back("field", 8, 9);
  const auto both = [&](const char* what, const auto& out, const auto& of) {
    this->expect_none(what, [&](const auto& exec) { quern::fill_halo(exec, out, of, quern::depth{2}); });
    this->expect_none(what, [&](const auto& exec) { quern::add_halo(exec, out, of, quern::depth{2}); });
  };
  both("one boundary", x, boundary::wrap);
  both("each axis", x, edges);
  both("two fields", quern::outputs(x, y), edges);
  both("two layouts", quern::outputs(x, z), edges);
  both("boundaries of each field", quern::outputs(x, y), of_each);
  both("a list", list, edges);
  this->expect_none("a part", [&](const auto& exec) {
    quern::fill_halo(exec, x, edges, quern::depth{2}, quern::layers{1}, quern::faces_only);
  });
}

TYPED_TEST(Allocations, OfSortsAndGroups) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  const Kokkos::View<double*, space> x("x", 500), y("y", 500), sums("sums", 1);
  const Kokkos::View<double**, space> rows("rows", 20, 30);
  const Kokkos::View<int**, space> orders("orders", 20, 30);
  const Kokkos::View<int*, space> order("order", 500), keys("keys", 500);
  const Kokkos::View<std::int64_t*, space> counts("counts", 10);
  const Kokkos::View<std::int64_t, space> count("count");
  const auto by = quern::group_by(space(), keys);
  this->expect_none("sort", [&](const auto& exec) { quern::sort(exec, y, x); });
  this->expect_none("argsort", [&](const auto& exec) { quern::argsort(exec, order, x); });
  this->expect_none("argsort of rows", [&](const auto& exec) { quern::argsort(exec, orders, rows); });
  this->expect_none("sort_by_key", [&](const auto& exec) { quern::sort_by_key(exec, keys, x); });
  this->expect_none("top_k", [&](const auto& exec) {
    quern::top_k(exec, Kokkos::subview(y, std::pair(0, 5)), Kokkos::subview(order, std::pair(0, 5)), x);
  });
  this->expect_none("histogram", [&](const auto& exec) { quern::histogram(exec, counts, x, quern::bin_range{0, 1}); });
  this->expect_none("compact", [&](const auto& exec) { quern::compact(exec, y, x, keys, quern::size_to{count}); });
  this->expect_none("sum by groups", [&](const auto& exec) { quern::sum(exec, sums, x, by); });
  this->expect_none("min by groups", [&](const auto& exec) { quern::min(exec, sums, x, by); });
  this->expect_none("mean by groups", [&](const auto& exec) { quern::mean(exec, sums, x, by); });
  const quern::mask some(keys);
  this->expect_none("masked histogram",
                    [&](const auto& exec) { quern::histogram(exec, counts, x, quern::bin_range{0, 1}, some); });
  this->expect_none("masked mean by groups", [&](const auto& exec) { quern::mean(exec, sums, x, by, some); });
  this->expect_none("rows that are kept",
                    [&](const auto& exec) { quern::compact(exec, y, x, keys, quern::axis{0}, quern::size_to{count}); });
}

TYPED_TEST(Allocations, OfSearchesSegmentsAndJoins) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  const Kokkos::View<double*, space> both("both", 1000), edges("edges", 11), parts("parts", 10);
  const auto x = Kokkos::subview(both, std::pair(0, 500)), y = Kokkos::subview(both, std::pair(500, 1000));
  const Kokkos::View<int*, space> at("at", 500), bins("bins", 500);
  const Kokkos::View<std::int64_t*, space> counts("counts", 10), offsets("offsets", 11);
  const Kokkos::View<std::int64_t, space> count("count");
  quern::arange(edges, 11);
  quern::arange(offsets, 0, 501, 50);
  this->expect_none("searchsorted", [&](const auto& exec) { quern::searchsorted(exec, bins, edges, x); });
  this->expect_none("digitize", [&](const auto& exec) { quern::digitize(exec, bins, x, edges); });
  this->expect_none("histogram between edges", [&](const auto& exec) { quern::histogram(exec, counts, x, edges); });
  this->expect_none("bincount", [&](const auto& exec) { quern::bincount(exec, counts, at, quern::key_range{0, 10}); });
  this->expect_none("segmented_reduce", [&](const auto& exec) {
    quern::segmented_reduce(exec, parts, larger(), 0.0, x, offsets, quern::checked);
  });
  this->expect_none("segmented_scan",
                    [&](const auto& exec) { quern::segmented_scan(exec, y, larger(), 0.0, x, offsets); });
  this->expect_none("join_count", [&](const auto& exec) { quern::join_count(exec, count, at, bins); });
  this->expect_none("take", [&](const auto& exec) { quern::copy(exec, y, quern::take(x, at, quern::axis{0})); });
  this->expect_none("put", [&](const auto& exec) { quern::put(exec, y, at, x); });
  this->expect_none("halves of an allocation", [&](const auto& exec) { quern::add(exec, y, y, x); });
}

TYPED_TEST(Allocations, OfRows) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  const Kokkos::View<double**, space> x("x", 500, 3), y("y", 500, 3);
  const Kokkos::View<Kokkos::Array<double, 3>, space> total("total");
  const Kokkos::View<int*, space> keys("keys", 500);
  const Kokkos::View<std::int64_t, space> count("count");
  this->expect_none("map of rows",
                    [&](const auto& exec) { quern::map(exec, quern::rows<3>(y), same_row(), quern::rows<3>(x)); });
  this->expect_none("sum of rows", [&](const auto& exec) { quern::sum(exec, total, quern::rows<3>(x)); });
  this->expect_none("compact of rows", [&](const auto& exec) {
    quern::compact(exec, quern::rows<3>(y), quern::rows<3>(x), keys, quern::size_to{count});
  });
  this->expect_none("sort_by_key of rows",
                    [&](const auto& exec) { quern::sort_by_key(exec, keys, quern::rows<3>(x)); });
}

TYPED_TEST(Allocations, OfProductsAndRandomNumbers) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using space = TypeParam;
  const Kokkos::View<int**, space> a("a", 20, 20), b("b", 20, 20);
  const Kokkos::View<int*, space> v("v", 20), w("w", 20);
  const Kokkos::View<double**, space> x("x", 40, 50), y("y", 40, 50);
  const Kokkos::View<double***, space> m("m", 9, 3, 3), inverses("inverses", 9, 3, 3);
  const Kokkos::View<int*, space> info("info", 9);
  const quern::random::key key(1);
  this->expect_none("matmul", [&](const auto& exec) { quern::matmul(exec, b, a, a); });
  this->expect_none("matvec", [&](const auto& exec) { quern::matvec(exec, w, a, v); });
  this->expect_none("inv", [&](const auto& exec) { quern::inv(exec, inverses, m, info); });
  this->expect_none("vmap", [&](const auto& exec) { quern::vmap(exec, y, copied(), x); });
  this->expect_none("uniform", [&](const auto& exec) { quern::random::uniform(exec, x, key); });
  this->expect_none("normal", [&](const auto& exec) { quern::random::normal(exec, x, key); });
}

}  // namespace
