// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls as a program makes them: outside of templates, without an execution space instance, of arrays that are const.
#include <distributed/world.hpp>
#include <quern/distributed.hpp>
#include <quern/linalg.hpp>
#include <quern/random.hpp>
#include <support/labels.hpp>

namespace {

using quern::Decomposition, quern::DistributedView;
using complex = Kokkos::complex<double>;

struct squared_difference {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return (x - y) * (x - y); }
};
struct absolute_difference {
  KOKKOS_FUNCTION double operator()(const complex& x, const complex& y) const { return Kokkos::abs(x - y); }
};
struct ones_in_first_row {
  KOKKOS_FUNCTION complex operator()(const Kokkos::Array<std::int64_t, 2>& at) const {
    return complex(at[0] == 0 ? 1 : 0, 0);
  }
};

TEST(DistributedCalls, Factorizations) {
  const auto comm = test::world();
  const Decomposition rows(comm, {1000, 6}, {.grid = {comm.size(), 1}});
  const DistributedView<double, 2> a("a", rows), q("q", rows), product("product", rows);
  const DistributedView<const double, 2> given(a.local_with_halo(), rows);
  quern::random::normal(a, quern::random::key{1});
  const Kokkos::View<double**> r("r", 6, 6), vt("vt", 6, 6), components("components", 2, 6);
  const Kokkos::View<double*> s("s", 6), x("x", 6), mean("mean", 6), variance("variance", 2);
  quern::qr(q, r, given);
  quern::matmul(product, q, r);
  EXPECT_LT(quern::sum(quern::lazy(squared_difference(), product, a)), 1e-20);
  quern::svd(q, s, vt, given);
  EXPECT_NEAR(quern::sum(quern::lazy(squared_difference(), given, 0.0)), quern::dot(s, s), 1e-9);
  const DistributedView<double, 1> b("b", Decomposition(comm, {1000}));
  quern::sum(b, given, quern::axis{1});
  EXPECT_EQ(6, quern::lstsq(x, given, b, quern::rcond{1e-9}));
  for (const double one : test::contents(x)) EXPECT_NEAR(1, one, 1e-12);
  quern::pca(mean, components, variance, given);
  EXPECT_NEAR(1, test::contents(variance)[0], 0.3);
}

TEST(DistributedCalls, Transforms) {
  if (!quern::impl::fourier::available<Kokkos::DefaultExecutionSpace>()) GTEST_SKIP() << "without a library";
  const auto comm = test::world();
  const Decomposition d(comm, {12, 10});
  const DistributedView<complex, 2> u("u", d), v("v", d);
  const DistributedView<const complex, 2> given(u.local_with_halo(), d);
  quern::map(u, ones_in_first_row(), quern::positions());
  quern::fft(v, given, quern::axis{0});
  EXPECT_NEAR(120, quern::sum(v).real(), 1e-12);
  quern::fftn(v, given, quern::fft_norm::ortho);
  quern::ifftn(v, v, quern::fft_norm::ortho);
  EXPECT_NEAR(10, quern::sum(v).real(), 1e-12);
}

TEST(DistributedCalls, TransformsOfRealNumbers) {
  if (!quern::impl::fourier::available<Kokkos::DefaultExecutionSpace>()) GTEST_SKIP() << "without a library";
  const auto comm = test::world();
  const Decomposition d(comm, {12, 10}), half(comm, {12, 6});
  const Kokkos::View<double**> whole("whole", 12, 10), back("back", 12, 10);
  const Kokkos::View<complex**> expected("expected", 12, 6), found("found", 12, 6);
  quern::random::normal(whole, quern::random::key{5});
  const DistributedView<double, 2> u("u", d), w("w", d);
  const DistributedView<complex, 2> v("v", half);
  quern::distributed::from_global(u, whole);
  const auto check = [&](const auto& transform, const auto& inverse) {
    transform(expected, whole);
    transform(v, u);
    quern::distributed::to_global(found, v);
    EXPECT_LT(quern::sum(quern::lazy(absolute_difference(), expected, found)), 1e-12);
    quern::fill(w, 0.0);
    inverse(w, v);
    quern::distributed::to_global(back, w);
    EXPECT_LT(quern::sum(quern::lazy(squared_difference(), whole, back)), 1e-24);
  };
  check([](const auto& to, const auto& from) { quern::rfft(to, from); },
        [](const auto& to, const auto& from) { quern::irfft(to, from); });
  check([](const auto& to, const auto& from) { quern::rfftn(to, from); },
        [](const auto& to, const auto& from) { quern::irfftn(to, from); });
  check([](const auto& to, const auto& from) { quern::rfft2(to, from); },
        [](const auto& to, const auto& from) { quern::irfft2(to, from); });
}

/// An array over ranks and the same in memory.
struct both_places {
  Decomposition d{test::world(), {12, 5}};
  Kokkos::View<double**> whole{"whole", 12, 5};
  DistributedView<double, 2> u{"u", d};
  DistributedView<const double, 2> given{u.local_with_halo(), d};

  both_places() {
    quern::random::normal(whole, quern::random::key{3});
    quern::distributed::from_global(u, whole);
  }
};

TEST(DistributedCalls, Counts) {
  const both_places x;
  const Kokkos::View<std::int64_t*> counts("counts", 4), expected("expected", 4);
  const auto same = [&] { EXPECT_EQ(test::contents(expected), test::contents(counts)); };
  const quern::bin_range range{-2, 2};
  quern::histogram(expected, x.whole, range);
  quern::histogram(counts, x.given, range);
  same();
  const auto edges =
      test::make_array<double, 1, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace>({5}, {-2, -1, 0, 0.5, 2});
  quern::histogram(expected, x.whole, edges);
  quern::histogram(counts, x.given, edges);
  same();
  const DistributedView<int, 2> keys("keys", x.d);
  const Kokkos::View<int**> whole_keys("keys", 12, 5);
  quern::random::integers(keys, quern::random::key{4}, 0, 6);
  quern::random::integers(whole_keys, quern::random::key{4}, 0, 6);
  quern::bincount(expected, whole_keys);
  quern::bincount(counts, keys);
  same();
  quern::bincount(expected, whole_keys, quern::weights{whole_keys});
  quern::bincount(counts, keys, quern::weights{keys});
  same();
}

TEST(DistributedCalls, QuantilesAndProducts) {
  const both_places x;
  EXPECT_EQ(quern::quantile(x.whole, 0.3), quern::quantile(x.given, 0.3));
  EXPECT_EQ(quern::median(x.whole), quern::median(x.given));
  EXPECT_EQ(quern::nanmedian(x.whole), quern::nanmedian(x.given));
  EXPECT_EQ(quern::nanquantile(x.whole, 0.3), quern::nanquantile(x.given, 0.3));
  const Kokkos::View<double*> two("two", 2), expected("expected", 2);
  const Kokkos::View<double> one("one");
  quern::quantile(expected, x.whole, {0.25, 0.75}, quern::interpolation::lower);
  quern::quantile(two, x.given, {0.25, 0.75}, quern::interpolation::lower);
  EXPECT_EQ(test::contents(expected), test::contents(two));
  quern::nanquantile(two, x.given, quern::probabilities{0.25, 0.75}, quern::interpolation::lower);
  EXPECT_EQ(test::contents(expected), test::contents(two));
  quern::median(one, x.given);
  EXPECT_EQ(std::vector<double>{quern::median(x.whole)}, test::contents(one));
  const double squares = quern::dot(x.whole, x.whole), tolerance = 1e-12;
  EXPECT_NEAR(squares, quern::dot(x.given, x.whole), tolerance);
  const auto line = Kokkos::subview(x.whole, 0, Kokkos::ALL);
  EXPECT_NEAR(quern::dot(x.whole, line), quern::dot(x.given, line), tolerance);
  EXPECT_NEAR(squares, quern::vdot(x.given, x.given), tolerance);
  quern::dot(one, x.given, x.given);
  EXPECT_NEAR(squares, test::contents(one)[0], tolerance);
  quern::vdot(one, x.given, x.u);
  EXPECT_NEAR(squares, test::contents(one)[0], tolerance);
  const quern::impl::plus<double> op;
  EXPECT_NEAR(quern::sum(x.whole), quern::reduce(op, 0.0, x.given), tolerance);
  const Kokkos::View<double*> columns("columns", 5), of_whole("of_whole", 5);
  quern::reduce(of_whole, op, 0.0, x.whole, quern::axis{0});
  quern::reduce(columns, op, 0.0, x.given, quern::axis{0});
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(test::contents(of_whole)[i], test::contents(columns)[i], tolerance);
}

TEST(DistributedCalls, Scans) {
  const both_places x;
  const DistributedView<double, 2> v("v", x.d);
  const Kokkos::View<double**> expected("expected", 12, 5), found("found", 12, 5);
  const quern::impl::plus<double> op;
  const auto check = [&](const auto& scan) {
    scan(expected, x.whole);
    scan(v, x.given);
    quern::distributed::to_global(found, v);
    EXPECT_LT(quern::sum(quern::lazy(squared_difference(), expected, found)), 1e-24);
  };
  check([](const auto& out, const auto& in) { quern::cumsum(out, in, quern::axis{0}); });
  check([](const auto& out, const auto& in) { quern::cumprod(out, in, quern::axis{1}); });
  check([&](const auto& out, const auto& in) { quern::inclusive_scan(out, op, 0.0, in, quern::axis{1}); });
  check([&](const auto& out, const auto& in) { quern::exclusive_scan(out, op, 0.0, in, quern::axis{0}); });
}

TEST(DistributedCalls, ThatDiffer) {
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  if (comm.size() == 1) return;
  const bool differs = test::is_other(comm);
  const auto expect = [&](const std::string& name, const std::string& first, const std::string& other, const auto& f) {
    test::expect_calls_differ(comm, name, name + " of" + first, name + " of" + other, f);
  };
  const Decomposition rows(comm, {1000, 6}, {.grid = {comm.size(), 1}});
  const std::string tall = " float64 (1000, 6)" + test::text_of_grid(rows);
  const DistributedView<double, 2> a("a", rows), q("q", rows);
  const auto square = [](int n) { return Kokkos::View<double**>("square", n, n); };
  const auto vector = [](int n) { return Kokkos::View<double*>("vector", n); };
  const std::string six = " float64 (6, 6)", five = " float64 (5, 5)";
  const std::string of_six = " float64 (6)", of_five = " float64 (5)";
  const int n = differs ? 5 : 6;
  expect("quern::qr", tall + tall + six, tall + tall + five, [&] { quern::qr(q, square(n), a); });
  expect("quern::svd", tall + tall + of_six + six, tall + tall + of_five + six,
         [&] { quern::svd(q, vector(n), square(6), a); });
  expect("quern::pca", tall + of_six + six + of_six, tall + of_six + five + of_six,
         [&] { quern::pca(vector(6), square(n), vector(6), a); });
  const std::string method = ", method " + std::to_string(static_cast<int>(quern::least_squares::svd)) + ", rcond ";
  expect("quern::lstsq", tall + tall + six + method + "0.25", tall + tall + six + method + "0.5",
         [&] { quern::lstsq(square(6), a, q, quern::rcond{differs ? 0.5 : 0.25}); });
  const std::string product = tall + tall + six + ", alpha 1, beta ";
  expect("quern::matmul", product + "0", product + "1",
         [&] { quern::matmul(q, a, square(6), {.beta = differs ? 1.0 : 0.0}); });
  if (!quern::impl::fourier::available<Kokkos::DefaultExecutionSpace>()) return;
  const Decomposition d(comm, {12, 10});
  const DistributedView<complex, 2> u("u", d), v("v", d);
  const std::string array = " complex128 (12, 10)" + test::text_of_grid(d);
  const auto norm = [](quern::fft_norm of) { return ", norm " + std::to_string(static_cast<int>(of)); };
  const std::string backward = norm(quern::fft_norm::backward);
  expect("quern::fft", array + array + " along axes 0" + backward, array + array + " along axes 5" + backward,
         [&] { quern::fft(v, u, quern::axis{differs ? 5 : 0}); });
  expect("quern::fftn", array + array + backward, array + array + norm(quern::fft_norm::ortho),
         [&] { quern::fftn(v, u, differs ? quern::fft_norm::ortho : quern::fft_norm::backward); });
}

TEST(DistributedCalls, SortsAndMoves) {
  const auto comm = test::world();
  const Decomposition d(comm, {50});
  const DistributedView<int, 1> u("u", d), sorted("sorted", d);
  const DistributedView<const int, 1> given(u.local_with_halo(), d);
  quern::random::choice(u, quern::random::key{2}, 7);
  quern::sort(sorted, given);
  quern::sort(u, quern::sort_order::descending);
  const Kokkos::View<int*> up("up", 50), down("down", 50);
  quern::distributed::to_global(up, DistributedView<const int, 1>(sorted.local_with_halo(), d));
  quern::distributed::to_global(down, u);
  auto expected = test::contents(down);
  EXPECT_TRUE(std::is_sorted(expected.rbegin(), expected.rend()));
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(expected, test::contents(up));
  quern::distributed::from_global(sorted, down);
  quern::distributed::redistribute(u, DistributedView<const int, 1>(sorted.local_with_halo(), d));
  EXPECT_EQ(quern::sum(sorted), quern::sum(u));
  EXPECT_EQ(test::contents(sorted.local()), test::contents(u.local()));
}

TEST(DistributedCalls, RowsAndTheirKeys) {
  const auto comm = test::world();
  const Kokkos::View<double*> x("x", 3), sums("sums", 2);
  const Kokkos::View<int*> keys("keys", 3), destination("destination", 3);  // all 0
  quern::fill(x, 2.0);
  quern::bincount(comm, sums, keys, quern::weights{x});
  EXPECT_EQ((std::vector<double>{6.0 * comm.size(), 0}), test::contents(sums));
  const auto moved = std::get<0>(quern::distributed::migrate(comm, destination, x));
  EXPECT_EQ(std::vector<double>(comm.rank() == 0 ? 3 * comm.size() : 0, 2), test::contents(moved));
  quern::bincount(comm, sums, Kokkos::View<int*>("none", 0), quern::key_range{0, 2},
                  quern::weights{Kokkos::View<double*>("none", 0)});
  EXPECT_EQ(std::vector<double>(2, 0), test::contents(sums));
}

struct sum_of_line {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(-1) + w(0) + w(1);
  }
};

// The kernels that pack messages and join partial results among them.
TEST(DistributedCalls, NamesStandBeforeLabels) {
  const auto comm = test::world();
  const Decomposition d(comm, {100}, {.halo = {1}});
  const DistributedView<double, 1> u("u", d), v("v", d);
  const Kokkos::View<double*> whole("whole", 100), x("x", 3), sums("sums", 2);
  const Kokkos::View<int*> keys("keys", 3);
  const quern::named step{"step"};
  using test::expect_named;
  EXPECT_FALSE(expect_named("fill", [&] { quern::fill(u, 1.0, step); }).empty());
  const auto labels =
      expect_named("stencil", [&] { quern::stencil<quern::box<1>>(v, sum_of_line(), quern::boundary::wrap, step, u); });
  EXPECT_EQ(std::vector<double>(static_cast<std::size_t>(d.local().extents.extent[0]), 3), test::contents(v.local()));
  EXPECT_TRUE(labels.back().find("quern::stencil<") != std::string::npos) << labels.back();
  EXPECT_FALSE(expect_named("sum", [&] { EXPECT_EQ(300, quern::sum(v, step)); }).empty());
  expect_named("var", [&] { EXPECT_EQ(0, quern::var(v, quern::reproducible, step)); });
  expect_named("cumsum", [&] { quern::cumsum(v, u, step); });
  expect_named("sort", [&] { quern::sort(v, u, step); });
  expect_named("normal", [&] { quern::random::normal(u, quern::random::key{1}, step); });
  expect_named("from_global", [&] { quern::distributed::from_global(u, whole, step); });
  expect_named("redistribute", [&] { quern::distributed::redistribute(v, u, step); });
  expect_named("bincount", [&] { quern::bincount(comm, sums, keys, quern::weights{x}, quern::key_range{0, 2}, step); });
  expect_named("migrate", [&] { quern::distributed::migrate(comm, keys, x, step); });
}

}  // namespace
