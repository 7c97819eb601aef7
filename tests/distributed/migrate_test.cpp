// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that move to other ranks, and the owners of positions.

#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/migrate.hpp>
#include <quern/map/functions.hpp>
#include <string>
#include <vector>

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition;

template <class Exec>
struct DistributedMigrate : testing::Test {};
TYPED_TEST_SUITE(DistributedMigrate, test::all_spaces);

TYPED_TEST(DistributedMigrate, MigratedRowsKeepTheirOrder) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const int p = comm.size();
  struct row {
    int destination;
    double x;
    std::array<float, 3> v;
    std::int64_t id;
  };
  // Every rank knows the rows of all. Rank r has 5 r + 3 of them, rank 1 none.
  const auto rows_of = [&](int r) {
    std::vector<row> rows;
    for (int i = 0; r != 1 && i < 5 * r + 3; ++i) {
      const float f = static_cast<float>(100 * r + i);
      rows.push_back({(7 * i + 3 * r) % (p + 1) - 1, test::sample(i, r), {f, f + 0.25f, f + 0.5f}, 1000 * r + i});
    }
    return rows;
  };
  const auto mine = rows_of(comm.rank());
  const auto n = static_cast<std::int64_t>(mine.size());
  std::vector<int> destination;
  std::vector<double> x;
  std::vector<float> v;
  std::vector<std::int64_t> id;
  for (const auto& r : mine) {
    destination.push_back(r.destination);
    x.push_back(r.x);
    v.insert(v.end(), r.v.begin(), r.v.end());
    id.push_back(r.id);
  }
  const auto vectors = test::make_array<float, 2, Kokkos::LayoutLeft, E>({n, 3}, v);
  const auto [new_x, new_v, same_v, new_id] =
      distributed::migrate(exec, comm, test::make_array<int, 1, LayoutRight, E>({n}, destination),
                           test::make_array<double, 1, Kokkos::LayoutStride, E>({n}, x), vectors,
                           quern::rows<3>(vectors), test::make_array<std::int64_t, 1, LayoutRight, E>({n}, id));
  std::vector<double> expected_x;
  std::vector<float> expected_v;
  std::vector<std::int64_t> expected_id;
  for (int r = 0; r < p; ++r)
    for (const auto& one : rows_of(r)) {
      if (one.destination != comm.rank()) continue;
      expected_x.push_back(one.x);
      expected_v.insert(expected_v.end(), one.v.begin(), one.v.end());
      expected_id.push_back(one.id);
    }
  EXPECT_EQ(expected_x, test::contents(new_x));
  EXPECT_EQ(expected_v, test::contents(new_v));
  EXPECT_EQ(expected_v, test::contents(same_v));
  EXPECT_EQ(expected_id, test::contents(new_id));
}

// Rows of a number that the type of the View states, as programs for particles have them: the new columns are of the
// same type.
TYPED_TEST(DistributedMigrate, RowsOfStaticExtent) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const int p = comm.size(), rank = comm.rank(), n = 3 * p;
  const Kokkos::View<int*, E> destination("destination", n);
  Kokkos::View<double* [3], LayoutRight, E> x("x", n);
  Kokkos::View<float* [2], Kokkos::LayoutLeft, E> v("v", n);
  const auto to = Kokkos::create_mirror_view(destination);
  const auto host_x = Kokkos::create_mirror_view(x);
  const auto host_v = Kokkos::create_mirror_view(v);
  for (int i = 0; i < n; ++i) {  // three rows for each rank
    to(i) = i % p;
    for (int c = 0; c < 3; ++c) host_x(i, c) = 100 * rank + i + 0.25 * c;
    for (int c = 0; c < 2; ++c) host_v(i, c) = static_cast<float>(1000 * rank + 2 * i + c);
  }
  Kokkos::deep_copy(destination, to);
  Kokkos::deep_copy(x, host_x);
  Kokkos::deep_copy(v, host_v);
  const auto constant = Kokkos::View<const double* [3], LayoutRight, E>(x);
  Kokkos::View<double* [3], LayoutRight, E> same;
  std::tie(x, v, same) = distributed::migrate(exec, comm, destination, quern::rows<3>(x), quern::rows<2>(v), constant);
  std::vector<double> expected_x;
  std::vector<float> expected_v;
  for (int r = 0; r < p; ++r)
    for (int i = rank; i < n; i += p) {
      for (int c = 0; c < 3; ++c) expected_x.push_back(100 * r + i + 0.25 * c);
      for (int c = 0; c < 2; ++c) expected_v.push_back(static_cast<float>(1000 * r + 2 * i + c));
    }
  EXPECT_EQ(expected_x, test::contents(x));
  EXPECT_EQ(expected_v, test::contents(v));
  EXPECT_EQ(expected_x, test::contents(same));
}

TYPED_TEST(DistributedMigrate, MigrateReportsMisuseOnEveryRank) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const std::string range = "-1 to " + std::to_string(comm.size() - 1);
  const Kokkos::View<int*, E> destination("destination", 4);
  const Kokkos::View<double*, E> x("x", 4);
  if (comm.rank() == 0) quern::fill(exec, destination, -2);
  test::expect_error("quern::distributed::migrate: on rank 0: a destination is -2, expected " + range,
                     [&] { distributed::migrate(exec, comm, destination, x); });
  const int last = comm.size() - 1;
  quern::fill(exec, destination, comm.rank() == last ? comm.size() : 0);
  test::expect_error("quern::distributed::migrate: on rank " + std::to_string(last) + ": a destination is " +
                         std::to_string(comm.size()) + ", expected " + range,
                     [&] { distributed::migrate(exec, comm, destination, x); });
  quern::fill(exec, destination, 0);
  const Kokkos::View<double*, E> y("y", comm.rank() == last ? 3 : 4);
  test::expect_error("quern::distributed::migrate: on rank " + std::to_string(last) +
                         ": column 2 has 3 rows, expected 4 as there are destinations",
                     [&] { distributed::migrate(exec, comm, destination, x, y); });
}

TYPED_TEST(DistributedMigrate, OwnersOfPositions) {
  using E = TypeParam;
  const auto comm = test::world();
  const Decomposition d(comm, {10, 7});
  const distributed::owner_of owner(d, {-1, 0.5}, {0.2, 2});
  const std::vector<double> x{-1, 0.99, -0.5, -1.0001, 1, std::nan(""), 0.3, 0.3}, y{0.5, 14.4, 3, 3, 3, 3, 14.5, 0.4};
  const auto vx = test::make_array<double, 1, LayoutRight, E>({8}, x);
  const auto vy = test::make_array<double, 1, LayoutRight, E>({8}, y);
  const Kokkos::View<int*, E> found("found", 8);
  quern::map(E(), found, owner, vx, vy);
  const std::vector<int> expected{d.owner({0, 0}), d.owner({9, 6}), d.owner({2, 1}), -1, -1, -1, -1, -1};
  EXPECT_EQ(expected, test::contents(found));
  test::expect_error(
      "quern::distributed::owner_of: origin and spacing have 1 and 2 numbers for extents (10, 7), expected one for "
      "each "
      "of up to 3 axes",
      [&] { distributed::owner_of(d, {0}, {1, 1}); });
  test::expect_error("quern::distributed::owner_of: a spacing is not positive",
                     [&] { distributed::owner_of(d, {0, 0}, {1, 0}); });
}

}  // namespace
