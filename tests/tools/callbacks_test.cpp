// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Watches operations through the Kokkos Tools callbacks: where they launch, under which names, and that a warm call
// neither allocates nor fences more than it says.

#include <quern/batch.hpp>
#include <quern/fft.hpp>
#include <quern/integrate.hpp>
#include <quern/keyed.hpp>
#include <quern/linalg.hpp>
#include <quern/map.hpp>
#include <quern/print.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <support/testing.hpp>
#include <support/watch.hpp>

namespace {

using test::event, test::expect_quiet, test::watch, test::without_functor;
namespace tools = Kokkos::Tools::Experimental;

struct next {
  KOKKOS_FUNCTION double operator()(double x) const { return x + 1; }
};
struct centre {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(0, 0);
  }
};
struct square {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};

/// How often Kokkos's own reduction to a value waits.
template <class Exec>
constexpr int waits_of_reduction = quern::impl::is_device<Exec> ? 2 : 1;

template <class Exec>
struct Callbacks : testing::Test {};
TYPED_TEST_SUITE(Callbacks, test::all_spaces);

TYPED_TEST(Callbacks, MapLaunchesOneKernel) {
  Kokkos::View<double**, TypeParam> x("x", 50, 60), y("y", 50, 60);
  Kokkos::View<double*, TypeParam> row("row", 60);
  expect_quiet<TypeParam>({"quern::map"}, 0, [&](const auto& exec) { quern::map(exec, y, next(), x); });
  expect_quiet<TypeParam>({"quern::add"}, 0, [&](const auto& exec) { quern::add(exec, y, x, row); });
  expect_quiet<TypeParam>({"quern::fill"}, 0, [&](const auto& exec) { quern::fill(exec, y, 1.0); });
  expect_quiet<TypeParam>({"quern::copy"}, 0, [&](const auto& exec) { quern::copy(exec, y, x); });
  expect_quiet<TypeParam>({"quern::copy"}, 0,
                          [&](const auto& exec) { quern::copy(exec, y, quern::lazy(square(), x)); });
}

TYPED_TEST(Callbacks, RangesMatricesAndChoicesLaunchOneKernel) {
  using namespace quern;
  Kokkos::View<double**, TypeParam> x("x", 50, 60), y("y", 50, 60), less("less", 50, 59), of_three("of three", 50, 3);
  Kokkos::View<double*, TypeParam> row("row", 60), column("column", 50);
  const auto one = [](const char* label, const auto& call) { expect_quiet<TypeParam>({label}, 0, call); };
  one("quern::arange", [&](const auto& exec) { arange(exec, row, 60); });
  one("quern::linspace", [&](const auto& exec) { linspace(exec, row, 0, 1); });
  one("quern::eye", [&](const auto& exec) { eye(exec, x); });
  one("quern::tril", [&](const auto& exec) { tril(exec, y, x); });
  one("quern::meshgrid", [&](const auto& exec) { meshgrid(exec, outputs(x, y), components(row, column)); });
  one("quern::clip", [&](const auto& exec) { clip(exec, y, x, 0, 1); });
  one("quern::isclose", [&](const auto& exec) { isclose(exec, y, x, 1.0); });
  one("quern::select", [&](const auto& exec) { select(exec, y, x, y, 2); });
  one("quern::diff", [&](const auto& exec) { diff(exec, less, x); });
  one("quern::polyval", [&](const auto& exec) { polyval(exec, x, row, x); });
  one("quern::cross", [&](const auto& exec) { cross(exec, rows<3>(of_three), rows<3>(of_three), rows<3>(of_three)); });
  Kokkos::View<bool, TypeParam> equal("equal");
  one("quern::allclose", [&](const auto& exec) { allclose(exec, equal, x, row); });
}

TYPED_TEST(Callbacks, IndicesAreCheckedFirst) {
  using namespace quern;
  Kokkos::View<double*, TypeParam> x("x", 5000), y("y", 5000);
  Kokkos::View<int*, TypeParam> at("at", 5000), axis_0("axis_0", 5000);
  Kokkos::View<std::int64_t, TypeParam> info("info");
  expect_quiet<TypeParam>({"quern::take_along_axis/indices", "quern::take_along_axis"}, waits_of_reduction<TypeParam>,
                          [&](const auto& exec) { take_along_axis(exec, y, x, at); });
  expect_quiet<TypeParam>({"quern::put"}, 0, [&](const auto& exec) { put(exec, y, at, x, index_mode::clip); });
  expect_quiet<TypeParam>({"quern::put_along_axis", "quern::put_along_axis"}, 0,
                          [&](const auto& exec) { put_along_axis(exec, y, at, 1.0, info); });
  expect_quiet<TypeParam>({"quern::unravel_index"}, 0,
                          [&](const auto& exec) { unravel_index(exec, axis_0, at, shape{5000}, index_mode::wrap); });
}

// On a device one kernel brings the elements that are shown.
TYPED_TEST(Callbacks, TextsWaitOnce) {
  Kokkos::View<double**, TypeParam> x("x", 50, 60);
  std::vector<std::string> kernels;
  if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename TypeParam::memory_space>::accessible)
    kernels.emplace_back("quern::to_string");
  expect_quiet<TypeParam>(kernels, 1, [&](const auto& exec) { (void)quern::to_string(exec, x); });
}

TYPED_TEST(Callbacks, ReductionsWaitOnlyForHostValues) {
  Kokkos::View<double*, TypeParam> x("x", 100'000);
  Kokkos::View<double, TypeParam> out("out");
  const std::vector<std::string> kernels{"quern::sum"};
  expect_quiet<TypeParam>(kernels, 0, [&](const auto& exec) { quern::sum(exec, out, x); });
  expect_quiet<TypeParam>(kernels, 1, [&](const auto& exec) { quern::sum(exec, x); });
  quern::Workspace<TypeParam> work;
  const quern::WorkspaceScope scope(work);
  expect_quiet<TypeParam>(kernels, 0, [&](const auto& exec) { quern::sum(exec, out, x); });
}

struct next_and_square {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double x) const { return {x + 1, x * x}; }
};
struct centre_and_square {
  template <class W>
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(const W& w) const {
    return {w(0, 0), w(0, 0) * w(0, 0)};
  }
};
TYPED_TEST(Callbacks, ReductionsAmongOutputsWaitOnlyForHostValues) {
  using quern::outputs, quern::reduced;
  constexpr bool device = quern::impl::is_device<TypeParam>;
  const Kokkos::View<double**, TypeParam> x("x", 300, 40), y("y", 300, 40);
  const Kokkos::View<double, TypeParam> total("total");
  const auto sum = reduced<quern::op::sum>(total);
  const auto sum_on_host = reduced<quern::op::sum>(quern::on_host);
  expect_quiet<TypeParam>({"quern::map"}, 0,
                          [&](const auto& exec) { quern::map(exec, outputs(y, sum), next_and_square(), x); });
  expect_quiet<TypeParam>({"quern::map"}, 1,
                          [&](const auto& exec) { quern::map(exec, outputs(y, sum_on_host), next_and_square(), x); });
  const std::vector<std::string> kernels = device || TypeParam().concurrency() == 1
                                               ? std::vector<std::string>{"quern::stencil"}
                                               : std::vector<std::string>{"quern::stencil", "quern::stencil/border"};
  expect_quiet<TypeParam>(kernels, 0, [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, outputs(y, sum), centre_and_square(), quern::boundary::wrap, x);
  });
  // Along an axis, the border and what is left are one kernel, and results of no cells another.
  const Kokkos::View<double*, TypeParam> rows("rows", 300);
  const auto sums = reduced<quern::op::sum>(rows, quern::axis{1});
  expect_quiet<TypeParam>({"quern::stencil"}, 0, [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, outputs(y, sums), centre_and_square(), quern::boundary::wrap, x);
  });
  expect_quiet<TypeParam>({"quern::stencil/others", "quern::stencil"}, 0, [&](const auto& exec) {
    quern::stencil<quern::star<1>>(exec, outputs(y, sums), centre_and_square(), quern::boundary::keep, x);
  });
}

TYPED_TEST(Callbacks, TwoPassesKeepTheMeansInScratch) {
  Kokkos::View<double**, TypeParam> x("x", 300, 400);
  Kokkos::View<double*, TypeParam> out("out", 300);
  expect_quiet<TypeParam>({"quern::var/mean", "quern::var"}, 0,
                          [&](const auto& exec) { quern::var(exec, out, x, quern::axis{1}, quern::reproducible); });
}

TYPED_TEST(Callbacks, QuantilesWaitOnlyForHostValues) {
  Kokkos::View<double**, TypeParam> x("x", 300, 400);
  Kokkos::View<double*, TypeParam> out("out", 300);
  expect_quiet<TypeParam>({"quern::median"}, 0, [&](const auto& exec) { quern::median(exec, out, x, quern::axis{1}); });
  Kokkos::View<int**, TypeParam> integers("integers", 1100, 1000);  // more than a host copies
  std::vector<std::string> passes(6, "quern::median");
  passes[0] = "quern::median/sample";
  expect_quiet<TypeParam>(passes, 1, [&](const auto& exec) { quern::median(exec, integers); });
  expect_quiet<TypeParam>({"quern::median/copy", "quern::median/hidden", "quern::median", "quern::median/result"}, 0,
                          [&](const auto& exec) { quern::median(exec, out, x, quern::axis{1}, quern::mask{true}); });
}

TYPED_TEST(Callbacks, ScansDoNotWait) {
  Kokkos::View<double**, TypeParam> x("x", 3000, 50);
  expect_quiet<TypeParam>({"quern::cumsum"}, 0, [&](const auto& exec) { quern::cumsum(exec, x, x, quern::axis{1}); });
}

TYPED_TEST(Callbacks, RandomNumbersDoNotWait) {
  namespace random = quern::random;
  const random::key k(1);
  Kokkos::View<double**, TypeParam> x("x", 300, 6), y("y", 300, 6);
  Kokkos::View<double*, TypeParam> weights("weights", 50);
  Kokkos::View<int*, TypeParam> places("places", 100);
  expect_quiet<TypeParam>({"quern::random::normal"}, 0, [&](const auto& exec) { random::normal(exec, x, k); });
  expect_quiet<TypeParam>({"quern::random::gamma"}, 0, [&](const auto& exec) { random::gamma(exec, x, k, 2); });
  expect_quiet<TypeParam>({"quern::random::choice"}, 0,
                          [&](const auto& exec) { random::permutation(exec, places, k); });
  expect_quiet<TypeParam>({"quern::random::shuffle"}, 0, [&](const auto& exec) { random::shuffle(exec, y, k, x); });
  expect_quiet<TypeParam>({"quern::random::sobol/axes", "quern::random::sobol"}, 0,
                          [&](const auto& exec) { random::sobol(exec, x, k); });
  expect_quiet<TypeParam>({"quern::random::choice/weights", "quern::cumsum", "quern::random::choice"}, 0,
                          [&](const auto& exec) { random::choice(exec, places, k, weights); });
}

TYPED_TEST(Callbacks, SortsAndSelectionsWaitOnlyForHostValues) {
  constexpr bool vendor = quern::impl::has_vendor_sort<TypeParam>;
  constexpr bool device = quern::impl::is_device<TypeParam>;
  Kokkos::View<double*, TypeParam> x("x", 5000), y("y", 5000);
  Kokkos::View<int*, TypeParam> places("places", 5000);
  Kokkos::View<std::int64_t, TypeParam> count("count");
  Kokkos::deep_copy(x, 1.0);
  // Of the radix sort of hosts, which has nothing to move where all keys are equal; that of a vendor is no kernel here.
  std::vector<std::string> kernels{"quern::sort/keys", "quern::sort/count", "quern::sort/result"};
  if (vendor) kernels = {"quern::sort/numbers"};
  else if (quern::impl::has_vector_sort()) kernels = {"quern::sort"};
  if (vendor || !device) expect_quiet<TypeParam>(kernels, 0, [&](const auto& exec) { quern::sort(exec, y, x); });
  // One kernel of a selection that is numbered, or of elements of so many bytes, or two.
  const auto selection = [](const std::string& name, std::size_t bytes) {
    if (quern::impl::keyed_tuning<TypeParam>::compaction_in_one_pass(bytes)) return std::vector{name};
    if (!device) return std::vector{name + "/put"};  // so few are not shared by threads
    return std::vector{name + "/count", name + "/put"};
  };
  expect_quiet<TypeParam>(selection("quern::compact", sizeof(double)), 0,
                          [&](const auto& exec) { quern::compact(exec, y, x, places, quern::size_to{count}); });
  expect_quiet<TypeParam>(selection("quern::nonzero", 0), 1,
                          [&](const auto& exec) { quern::nonzero(exec, places, x); });
  Kokkos::View<double**, TypeParam> rows("rows", 50, 30);
  Kokkos::View<int**, TypeParam> order("order", 50, 30);
  const std::string sorted = !device && quern::impl::has_vector_sort() ? "quern::argsort" : "quern::argsort/tiles";
  expect_quiet<TypeParam>({"quern::argsort/keys", sorted, "quern::argsort/result"}, 0,
                          [&](const auto& exec) { quern::argsort(exec, order, rows); });
}

TYPED_TEST(Callbacks, GroupsAndJoinsWaitOnlyWhenMade) {
  Kokkos::View<double*, TypeParam> x("x", 5000), sums("sums", 1);
  Kokkos::View<int*, TypeParam> keys("keys", 5000), left("left", 10), right("right", 10);
  Kokkos::View<std::int64_t, TypeParam> count("count");
  const auto by = quern::group_by(TypeParam(), keys);
  ASSERT_EQ(1, by.size());
  expect_quiet<TypeParam>({"quern::sum/zero", "quern::sum"}, 0,
                          [&](const auto& exec) { quern::sum(exec, sums, x, by); });
  expect_quiet<TypeParam>({"quern::min/best", "quern::min", "quern::min/values"}, 0,
                          [&](const auto& exec) { quern::min(exec, sums, x, by); });
  expect_quiet<TypeParam>(
      {"quern::sum/labels", "quern::sum/counts/zero", "quern::sum/counts", "quern::sum/zero", "quern::sum"}, 0,
      [&](const auto& exec) { quern::sum(exec, sums, x, by, quern::mask{true}); });
  const auto one = Kokkos::subview(left, Kokkos::pair<int, int>(0, 1));
  expect_quiet<TypeParam>({"quern::group_first"}, 0,
                          [&](const auto& exec) { quern::group_first(exec, one, keys, by); });
  constexpr bool vendor = quern::impl::has_vendor_sort<TypeParam>;
  const std::vector<std::string> kernels{
      "quern::join/count", "quern::join/sort/keys", vendor ? "quern::join/sort/values" : "quern::join/sort/count",
      "quern::join/keys",  "quern::join/rows",      "quern::join/search",
      "quern::join"};
  if (vendor || !quern::impl::is_device<TypeParam>)
    expect_quiet<TypeParam>(kernels, 0,
                            [&](const auto& exec) { quern::join(exec, left, right, x, x, quern::size_to{count}); });
}

struct add_one {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const X& x) const {
    for (std::size_t i = 0; i < x.extent(0); ++i) y(i) = x(i) + 1;
  }
};

// Of integers, which no BLAS takes.
TYPED_TEST(Callbacks, ProductsLaunchOneKernel) {
  constexpr bool device = quern::impl::is_device<TypeParam>;
  Kokkos::View<int**, TypeParam> x("x", 100, 100), y("y", 100, 100), a("a", 50, 60), many("many", 7, 60);
  Kokkos::View<int**, TypeParam> products("products", 7, 50);
  Kokkos::View<int, TypeParam> total("total");
  expect_quiet<TypeParam>({"quern::matmul/tiles"}, 0, [&](const auto& exec) { quern::matmul(exec, y, x, x); });
  expect_quiet<TypeParam>({device ? "quern::matvec/lanes" : "quern::matvec/elements"}, 0,
                          [&](const auto& exec) { quern::matvec(exec, products, a, many); });
  expect_quiet<TypeParam>({"quern::outer"}, 0, [&](const auto& exec) {
    quern::outer(exec, y, Kokkos::subview(x, 0, Kokkos::ALL), Kokkos::subview(x, 1, Kokkos::ALL));
  });
  expect_quiet<TypeParam>({"quern::vmap"}, 0, [&](const auto& exec) { quern::vmap(exec, y, add_one(), x); });
  expect_quiet<TypeParam>({"quern::dot"}, 0, [&](const auto& exec) { quern::einsum<"ij,ij->">(exec, total, x, x); });
}

TYPED_TEST(Callbacks, BatchesWaitOnlyToThrow) {
  Kokkos::View<double***, TypeParam> a("a", 9, 5, 5), out("out", 9, 5, 5);
  Kokkos::View<double**, TypeParam> b("b", 9, 5), x("x", 9, 5);
  Kokkos::View<int*, TypeParam> info("info", 9);
  Kokkos::deep_copy(a, 1.0);
  const quern::batch_item<double***, TypeParam> diagonal(
      a.data(), Kokkos::LayoutStride(9, a.stride(0), 5, a.stride(1) + a.stride(2), 1, 1));
  Kokkos::deep_copy(diagonal, 3.0);
  expect_quiet<TypeParam>({"quern::solve/registers"}, 0, [&](const auto& exec) { quern::solve(exec, x, a, b, info); });
  const std::string way = quern::impl::is_device<TypeParam> ? "/lanes" : "";
  expect_quiet<TypeParam>({"quern::inv" + way}, 0, [&](const auto& exec) { quern::inv(exec, out, a, info); });
  Kokkos::View<double***, TypeParam> q("q", 9, 5, 5);
  expect_quiet<TypeParam>({"quern::qr" + way}, 0, [&](const auto& exec) { quern::qr(exec, q, out, a); });
  expect_quiet<TypeParam>({"quern::eigh"}, 0, [&](const auto& exec) { quern::eigh(exec, x, q, a, info); });
  expect_quiet<TypeParam>({"quern::svd"}, 0, [&](const auto& exec) { quern::svd(exec, q, x, out, a, info); });
  expect_quiet<TypeParam>({"quern::cholesky" + way, "quern::cholesky/check"}, 1,
                          [&](const auto& exec) { quern::cholesky(exec, out, a); });
}

// They wait, but take all their memory from the pool, that of the vendors' routines too.
TYPED_TEST(Callbacks, SingleMatricesAllocateNothingTwice) {
  if (!quern::impl::lapack::available<TypeParam>()) GTEST_SKIP() << "no LAPACK";
  using matrix = Kokkos::View<double**, TypeParam>;
  std::vector<double> values(600 * 9);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i * i % 1009));
  const auto a = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({600, 9}, values);
  const matrix q("q", 600, 9), r("r", 9, 9), square("square", 70, 70), out("out", 70, 70);
  const Kokkos::View<double*, TypeParam> x("x", 70), s("s", 9), b("b", 600), y("y", 9);
  const auto expect_no_allocation = [](const test::call_ref<const TypeParam&>& call) {
    call(TypeParam());
    Kokkos::fence();
    for (const event& e : watch([&] { call(TypeParam()); })) EXPECT_NE("allocate", e.kind) << e.name;
  };
  Kokkos::deep_copy(square, 1.0);
  const quern::batch_item<double**, TypeParam> diagonal(
      square.data(), Kokkos::LayoutStride(70, square.stride(0) + square.stride(1), 1, 1));
  Kokkos::deep_copy(diagonal, 200.0);
  expect_no_allocation([&](const auto& exec) { quern::qr(exec, q, r, a); });
  expect_no_allocation([&](const auto& exec) { quern::svd(exec, q, s, r, a); });
  expect_no_allocation([&](const auto& exec) { quern::lstsq(exec, y, a, b, quern::least_squares::qr); });
  expect_no_allocation([&](const auto& exec) { quern::solve(exec, x, square, x); });
  expect_no_allocation([&](const auto& exec) { quern::cholesky(exec, out, square); });
  expect_no_allocation([&](const auto& exec) { quern::eigh(exec, x, out, square); });
}

// A device reports all of a tall matrix at once. Hosts have LAPACK's report, and copy the values.
TYPED_TEST(Callbacks, TallMatricesAreWaitedForOnce) {
  if (!quern::impl::lapack::available<TypeParam>()) GTEST_SKIP() << "no LAPACK";
  using matrix = Kokkos::View<double**, TypeParam>;
  const auto a = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({600, 9}, test::samples<double>(600 * 9));
  const matrix q("q", 600, 9), r("r", 9, 9);
  const Kokkos::View<double*, TypeParam> s("s", 9), b("b", 600), y("y", 9);
  const auto expect_waits = [](int waits, const auto& call) {
    call(TypeParam());
    Kokkos::fence();
    int seen = 0;
    for (const event& e : watch([&] { call(TypeParam()); })) seen += e.kind == "fence" && e.name.starts_with("quern::");
    EXPECT_EQ(waits, seen);
  };
  constexpr bool device = quern::impl::is_device<TypeParam>;
  expect_waits(device ? 1 : 0, [&](const auto& exec) { quern::qr(exec, q, r, a); });
  expect_waits(1, [&](const auto& exec) { quern::svd(exec, q, s, r, a); });
  expect_waits(device ? 1 : 2, [&](const auto& exec) { quern::lstsq(exec, y, a, b); });
}

TYPED_TEST(Callbacks, TransformsAllocateNothingTwice) {
  if (!quern::impl::fourier::available<TypeParam>()) GTEST_SKIP() << "no library of transforms";
  using C = Kokkos::complex<double>;
  const Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> x("x", 30, 62), y("y", 30, 62);
  const Kokkos::View<C**, Kokkos::LayoutRight, TypeParam> s("s", 30, 62), half("half", 30, 32);
  const int wait = quern::impl::is_device<TypeParam> ? 0 : 1;  // hosts, for what FFTW reads
  expect_quiet<TypeParam>({}, wait, [&](const auto& exec) { quern::fft2(exec, s, s); });
  expect_quiet<TypeParam>({}, wait, [&](const auto& exec) { quern::rfft(exec, half, x); });
  expect_quiet<TypeParam>({"quern::fft/scale"}, wait, [&](const auto& exec) { quern::ifft(exec, s, s); });
  expect_quiet<TypeParam>({"quern::fft/pack", "quern::fft/scale"}, wait,
                          [&](const auto& exec) { quern::irfft2(exec, y, half); });
  expect_quiet<TypeParam>({"quern::fft/pad", "quern::fft/convert"}, wait,
                          [&](const auto& exec) { quern::fft(exec, s, half, quern::fft_lengths{62}); });
  // No spectrum of Quern's own is copied.
  expect_quiet<TypeParam>({"quern::poisson/copy", "quern::poisson/divide", "quern::fft/scale"}, 2 * wait,
                          [&](const auto& exec) { quern::poisson(exec, y, x); });
}

TYPED_TEST(Callbacks, MinMaxAlongAnAxis) {
  const Kokkos::View<double**, TypeParam> x("x", 50, 60);
  const Kokkos::View<double*, TypeParam> low("low", 50), high("high", 50);
  expect_quiet<TypeParam>({"quern::minmax", "quern::minmax/first", "quern::minmax/second"}, 0,
                          [&](const auto& exec) { quern::minmax(exec, quern::outputs(low, high), x, quern::axis{1}); });
}

TYPED_TEST(Callbacks, Stencils) {
  Kokkos::View<double**, TypeParam> x("x", 50, 60), y("y", 50, 60);
  expect_quiet<TypeParam>({"quern::stencil"}, 0, [&](const auto& exec) {
    quern::stencil<quern::box<1>>(exec, y, centre(), quern::boundary::keep, x);
  });
  const quern::boundaries edges(quern::boundary::wrap);
  expect_quiet<TypeParam>({"quern::fill_halo"}, 0, [&](const auto& exec) {
    quern::fill_halo(exec, quern::outputs(x, y), edges, quern::depth{2});
  });
  expect_quiet<TypeParam>({"quern::add_halo", "quern::add_halo/clear"}, 0, [&](const auto& exec) {
    quern::add_halo(exec, quern::outputs(x, y), edges, quern::depth{2});
  });
  expect_quiet<TypeParam>({"quern::stencil", "quern::stencil", "quern::stencil"}, 0, [&](const auto& exec) {
    quern::iterate(
        exec, x, y,
        [](const auto& on, const auto& from, const auto& to) {
          quern::stencil<quern::box<1>>(on, to, centre(), quern::boundary::keep, from);
        },
        3);
  });
}

TYPED_TEST(Callbacks, Filters) {
  const Kokkos::View<double**, TypeParam> x("x", 50, 60), y("y", 50, 60);
  const quern::interior_only inside{{4, 46}, {4, 56}};
  // Devices filter along both axes in one kernel, hosts in one for each.
  const std::vector<std::string> passes(quern::impl::is_device<TypeParam> ? 1 : 2, "quern::gaussian_filter");
  expect_quiet<TypeParam>(passes, 0, [&](const auto& exec) { quern::gaussian_filter(exec, y, x, 1.0, inside); });
  const Kokkos::View<double**, Kokkos::HostSpace> weights("weights", 3, 3);
  expect_quiet<TypeParam>({"quern::correlate"}, 0,
                          [&](const auto& exec) { quern::correlate(exec, y, x, weights, inside); });
  expect_quiet<TypeParam>({"quern::uniform_filter"}, 0,
                          [&](const auto& exec) { quern::uniform_filter(exec, y, x, 3, inside); });
  const std::vector<std::string> lines(quern::impl::is_device<TypeParam> ? 1 : 2, "quern::minimum_filter");
  expect_quiet<TypeParam>(lines, 0, [&](const auto& exec) { quern::minimum_filter(exec, y, x, 5, inside); });
  const std::vector<std::string> both(quern::impl::is_device<TypeParam> ? 2 : 4, "quern::grey_opening");
  expect_quiet<TypeParam>(both, 0, [&](const auto& exec) { quern::grey_opening(exec, y, x, 3, inside); });
  for (const int size : {3, 4})
    expect_quiet<TypeParam>({"quern::median_filter"}, 0,
                            [&](const auto& exec) { quern::median_filter(exec, y, x, size, inside); });
  expect_quiet<TypeParam>({"quern::map_coordinates"}, 0, [&](const auto& exec) {
    quern::map_coordinates(exec, y, x, quern::components(x, x), quern::boundary::mirror);
  });
}

TYPED_TEST(Callbacks, RollingWindows) {
  const Kokkos::View<double**, TypeParam> x("x", 50, 60), y("y", 50, 60);
  const quern::window few{.count = 5, .min_periods = 1};
  expect_quiet<TypeParam>({"quern::rolling"}, 0,
                          [&](const auto& exec) { quern::rolling<quern::op::mean>(exec, y, x, few, quern::axis{0}); });
  expect_quiet<TypeParam>({"quern::rolling"}, 0,
                          [&](const auto& exec) { quern::rolling<quern::op::median>(exec, y, x, few); });
  const Kokkos::View<double*, TypeParam> many("many", 5000), results("results", 5000), half("half", 2500);
  expect_quiet<TypeParam>({"quern::rolling/blocks", "quern::rolling"}, 0, [&](const auto& exec) {
    quern::rolling<quern::op::sum>(exec, half, many, quern::window{.count = 300, .step = 2});
  });
  const std::vector<std::string> of_host{"quern::rolling/blocks", "quern::rolling"}, of_device{"quern::rolling"};
  expect_quiet<TypeParam>(quern::impl::is_device<TypeParam> ? of_device : of_host, 0, [&](const auto& exec) {
    quern::rolling<quern::op::sum>(exec, results, many, quern::window{300});
  });
  const Kokkos::View<double*, TypeParam> times("times", 50), level("level", 50);
  const quern::value_window hour{3600};
  expect_quiet<TypeParam>({"quern::rolling/windows", "quern::rolling"}, 0,
                          [&](const auto& exec) { quern::rolling<quern::op::sum>(exec, level, times, times, hour); });
  expect_quiet<TypeParam>(
      {"quern::rolling/windows", "quern::rolling/widest", "quern::rolling"}, waits_of_reduction<TypeParam>,
      [&](const auto& exec) { quern::rolling<quern::op::median>(exec, level, times, times, hour); });
}

TYPED_TEST(Callbacks, Integrals) {
  const Kokkos::View<double**, TypeParam> x("x", 50, 60);
  Kokkos::View<double*, TypeParam> line("line", 50);
  expect_quiet<TypeParam>({"quern::trapezoid/weights", "quern::trapezoid"}, 0,
                          [&](const auto& exec) { quern::trapezoid(exec, line, x, 0.5, quern::axis{1}); });
  Kokkos::View<double, TypeParam> area("area");
  expect_quiet<TypeParam>({"quern::trapezoid/weights", "quern::trapezoid"}, 0,
                          [&](const auto& exec) { quern::trapezoid(exec, area, line, 0.5); });
  expect_quiet<TypeParam>({"quern::integrate"}, 1,
                          [&](const auto& exec) { quern::integrate(exec, square(), {0.0, 1.0}, 1000); });
}

}  // namespace
