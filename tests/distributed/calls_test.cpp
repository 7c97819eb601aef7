// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls as a program makes them: outside of templates, without an execution space instance, of arrays that are const.
#include <distributed/world.hpp>
#include <quern/distributed.hpp>
#include <quern/linalg.hpp>
#include <quern/random.hpp>

namespace {

using quern::Decomposition, quern::DistributedView;
using complex = Kokkos::complex<double>;

struct squared_difference {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return (x - y) * (x - y); }
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
  quern::distributed::group_sum(comm, sums, x, keys, quern::key_range{0, 2});
  EXPECT_EQ((std::vector<double>{6.0 * comm.size(), 0}), test::contents(sums));
  const auto moved = std::get<0>(quern::distributed::migrate(comm, destination, x));
  EXPECT_EQ(std::vector<double>(comm.rank() == 0 ? 3 * comm.size() : 0, 2), test::contents(moved));
  quern::distributed::group_sum(comm, sums, Kokkos::View<double*>("none", 0), Kokkos::View<int*>("none", 0),
                                quern::key_range{0, 2});
  EXPECT_EQ(std::vector<double>(2, 0), test::contents(sums));
}

}  // namespace
