// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Running statistics whose values are those of all ranks.

#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/running_statistics.hpp>
#include <quern/reduce.hpp>

namespace {

using quern::distributed::merge;

template <class Exec>
struct RunningStatisticsOfRanks : testing::Test {};
TYPED_TEST_SUITE(RunningStatisticsOfRanks, test::all_spaces);

/// Values of each of `ranks` ranks, and of all behind each other.
std::vector<double> values_of(int rank) {
  std::vector<double> v;
  for (int i = 0; i < 6; ++i) v.push_back(1000 + rank * 3 + i * i * 0.25);
  return v;
}
std::vector<double> values_of_all(int ranks) {
  std::vector<double> v;
  for (int r = 0; r < ranks; ++r)
    for (const double x : values_of(r)) v.push_back(x);
  return v;
}

TYPED_TEST(RunningStatisticsOfRanks, MergedAreThoseOfAllValues) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const int ranks = comm.size();
  const auto own = test::make_array<double, 1, Kokkos::LayoutRight, E>({6}, values_of(comm.rank()));
  const quern::RunningStatistics<Kokkos::View<double, E>> all(exec), expected(exec);
  const quern::RunningStatistics<Kokkos::View<double*, E>> each(exec, 6);
  // A rank without values changes nothing.
  if (comm.rank() != 1) all.add(exec, own);
  if (comm.rank() == 1) all.add(exec, test::make_array<double, 1, Kokkos::LayoutRight, E>({0}));
  each.add(exec, own);
  merge(exec, comm, all);
  merge(comm, each, quern::named{"each"});
  for (int r = 0; r < ranks; ++r)
    if (r != 1) expected.add(exec, test::make_array<double, 1, Kokkos::LayoutRight, E>({6}, values_of(r)));
  EXPECT_EQ(expected.count(exec), all.count(exec));
  EXPECT_NEAR(expected.mean(exec), all.mean(exec), 1e-12);
  EXPECT_NEAR(expected.var(exec), all.var(exec), 1e-13 * expected.var(exec));
  EXPECT_EQ(expected.min(exec), all.min(exec));
  EXPECT_EQ(expected.max(exec), all.max(exec));
  const Kokkos::View<double*, E> mean("mean", 6);
  const Kokkos::View<std::int64_t*, E> counts("counts", 6);
  each.mean(exec, mean);
  each.count(exec, counts);
  EXPECT_EQ(std::vector<std::int64_t>(6, ranks), test::contents(counts));
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(1000 + 1.5 * (ranks - 1) + i * i * 0.25, test::contents(mean)[i], 1e-12);
  // The bits are those of every other rank.
  const std::vector<double> bits{all.mean(exec), all.var(exec)};
  std::vector<double> first = bits;
  MPI_Bcast(first.data(), 2, MPI_DOUBLE, 0, comm.mpi());
  EXPECT_EQ(first, bits);
}

TYPED_TEST(RunningStatisticsOfRanks, HistogramsAndCovariancesAreThoseOfAllValues) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const int ranks = comm.size();
  const auto whole = test::make_array<double, 1, Kokkos::LayoutRight, E>({6 * ranks}, values_of_all(ranks));
  const auto own = test::make_array<double, 1, Kokkos::LayoutRight, E>({6}, values_of(comm.rank()));
  const quern::RunningHistogram<Kokkos::View<std::int64_t*, E>> bins(exec, 5, {1000, 1010}),
      expected(exec, 5, {1000, 1010});
  bins.add(exec, own);
  merge(exec, comm, bins);
  expected.add(exec, whole);
  EXPECT_EQ(test::contents(expected.counts()), test::contents(bins.counts()));
  // Two variables, three observations a rank.
  const quern::RunningCovariance<E> covariance(exec, 2), of_all(exec, 2);
  const Kokkos::View<double**, E> found("found", 2, 2), of("of", 2, 2);
  covariance.add(exec, quern::reshape(own, {3, 2}), quern::axis{0});
  merge(exec, comm, covariance);
  covariance.cov(exec, found);
  of_all.add(exec, quern::reshape(whole, {3 * ranks, 2}), quern::axis{0});
  of_all.cov(exec, of);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(test::contents(of)[i], test::contents(found)[i], 1e-12 * std::fabs(test::contents(of)[i]));
}

TYPED_TEST(RunningStatisticsOfRanks, OfADistributedViewAreThoseOfAllItsElements) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const quern::Decomposition cut(comm, {8, 6});
  const quern::DistributedView<double, 2, E> u("u", cut);
  Kokkos::deep_copy(u.local(), comm.rank() + 1.0);
  const quern::RunningStatistics<Kokkos::View<double, E>> all(exec);
  for (int k = 0; k < 3; ++k) all.add(exec, u);
  EXPECT_EQ(3 * 48, all.count(exec));
  EXPECT_EQ(1, all.min(exec));
  EXPECT_EQ(comm.size(), all.max(exec));
  EXPECT_NEAR(quern::mean(exec, u), all.mean(exec), 1e-14);
}

TYPED_TEST(RunningStatisticsOfRanks, OfDifferentExtentsAreRefused) {
  const TypeParam exec;
  const auto comm = test::world();
  if (!comm.checks_calls() || comm.size() == 1) return;
  const bool other = test::is_other(comm);
  const quern::RunningStatistics<Kokkos::View<double*, TypeParam>> s(exec, other ? 4 : 3);
  const std::string label = "quern::distributed::merge", of = label + " of statistics with extents ";
  test::expect_calls_differ(comm, label, of + "(3)", of + "(4)", [&] { merge(exec, comm, s); });
}

}  // namespace
