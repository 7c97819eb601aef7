// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans, histograms, random fields, sorts and moving rows, beside the whole array on one rank.
#include <cmath>
#include <distributed/world.hpp>
#include <quern/distributed/histogram.hpp>
#include <quern/distributed/migrate.hpp>
#include <quern/distributed/random.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/distributed/sort.hpp>
#include <quern/map/functions.hpp>
#include <quern/random.hpp>

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

template <class Case>
struct DistributedScan : testing::Test {};
using scan_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(DistributedScan, scan_cases);

struct larger {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

TYPED_TEST(DistributedScan, IsThatOfOneDevice) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using S = quern::impl::sum_type<T>;
  const E exec;
  const auto comm = test::world();
  const shape extents{7, 5, 6};
  const auto values = test::samples<T>(extents.size(), 2);
  const auto v = test::make_array<T, 3, LayoutRight, E>({7, 5, 6}, values);
  const auto expected = test::make_array<S, 3, LayoutRight, E>({7, 5, 6});
  const auto maxima = test::make_array<T, 3, LayoutRight, E>({7, 5, 6});
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const auto u = test::distribute<T, 3, LayoutRight, E>(d, values);
    const quern::DistributedView<S, 3, E> sums("sums", d);
    const quern::DistributedView<T, 3, E> m("m", d);
    for (int axis = 0; axis < 3; ++axis) {
      quern::cumsum(exec, expected, v, quern::axis{axis});
      quern::cumsum(exec, sums, u, quern::axis{axis});
      EXPECT_EQ(test::part_of(test::contents(expected), extents, d.local()), test::contents(sums.local()));  // exact
      quern::inclusive_scan(exec, maxima, larger(), T(-100), v, quern::axis{axis});
      quern::inclusive_scan(exec, m, larger(), T(-100), u, quern::axis{axis});
      EXPECT_EQ(test::part_of(test::contents(maxima), extents, d.local()), test::contents(m.local()));
      quern::exclusive_scan(exec, maxima, larger(), T(-100), v, quern::axis{axis});
      quern::exclusive_scan(exec, m, larger(), T(-100), u, quern::axis{axis});
      EXPECT_EQ(test::part_of(test::contents(maxima), extents, d.local()), test::contents(m.local()));
    }
  }
}

template <class Exec>
struct DistributedOperations : testing::Test {};
TYPED_TEST_SUITE(DistributedOperations, test::all_spaces);

TYPED_TEST(DistributedOperations, ScanOfOneAxisAndNone) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  std::vector<double> tenths(101, 0.1);
  const Decomposition d(comm, {101});
  const auto u = test::distribute<double, 1, LayoutRight, E>(d, tenths);
  quern::cumsum(exec, u, u);
  const auto found = test::contents(u.local());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = 0.1 * static_cast<double>(d.local().first.extent[0] + static_cast<std::int64_t>(i) + 1);
    EXPECT_NEAR(expected, found[i], 4 * 2.3e-16 * expected);
  }
  const Decomposition two(comm, {3, 4});
  const quern::DistributedView<double, 2, E> w("w", two);
  test::expect_error("quern::cumsum: an array of rank 2 needs an axis", [&] { quern::cumsum(exec, w, w); });
  const auto one = test::distribute<int, 1, LayoutRight, E>(Decomposition(comm, {1}), {7});
  quern::cumprod<int>(exec, one, one);
  if (one.local().size() == 1) {
    EXPECT_EQ(7, test::contents(one.local())[0]);
  }
}

struct append {  // depends on the order
  KOKKOS_FUNCTION void operator()(std::int64_t& lower, const std::int64_t& upper) const { lower = 10 * lower + upper; }
};

TYPED_TEST(DistributedOperations, KernelsJoinItemsInTheOrderOfRanks) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  for (const std::int64_t n : {1, 3, 4, 101}) {
    const Kokkos::View<std::int64_t*, E> joined("joined", n), before("before", n);
    Kokkos::deep_copy(joined, comm.rank() + 1);
    Kokkos::deep_copy(before, comm.rank() + 1);
    const auto ranks = quern::impl::all_ranks(comm);
    using items = quern::impl::shared_items<E, std::int64_t>;
    items(comm, exec, "test", ranks, joined.data(), n).join(append());
    items(comm, exec, "test", ranks, before.data(), n).scan(5, append());
    exec.fence();
    std::int64_t all = 0, lower = 5;
    for (int r = 1; r <= comm.size(); ++r) append()(all, r);
    for (int r = 1; r <= comm.rank(); ++r) append()(lower, r);
    EXPECT_EQ(std::vector<std::int64_t>(n, all), test::contents(joined));
    EXPECT_EQ(std::vector<std::int64_t>(n, lower), test::contents(before));
  }
}

TYPED_TEST(DistributedOperations, ManyResults) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const std::int64_t n = 50'000;
  const auto values = test::samples<double>(6 * n, 5);
  const auto v = test::make_array<double, 2, LayoutRight, E>({6, n}, values);
  const Decomposition d(comm, {6, n}, {.grid = {0, 1}});
  const auto u = test::distribute<double, 2, LayoutRight, E>(d, values);
  const Kokkos::View<double*, E> expected("expected", n), found("found", n);
  quern::sum(exec, expected, v, quern::axis{0});
  quern::sum(exec, found, u, quern::axis{0});
  EXPECT_EQ(test::contents(expected), test::contents(found));  // of quarters: exact
  const Kokkos::View<std::int64_t*, E> first("first", n), found_first("found", n);
  quern::argmax(exec, first, v, quern::axis{0});
  quern::argmax(exec, found_first, u, quern::axis{0});
  EXPECT_EQ(test::contents(first), test::contents(found_first));
  const auto sums = test::make_array<double, 2, LayoutRight, E>({6, n});
  const quern::DistributedView<double, 2, E> found_sums("sums", d);
  quern::cumsum(exec, sums, v, quern::axis{0});
  quern::cumsum(exec, found_sums, u, quern::axis{0});
  EXPECT_EQ(test::part_of(test::contents(sums), d.extents(), d.local()), test::contents(found_sums.local()));
  quern::histogram(exec, first, v, quern::bin_range{-5, 5});
  quern::histogram(exec, found_first, u, quern::bin_range{-5, 5});
  EXPECT_EQ(test::contents(first), test::contents(found_first));
}

TYPED_TEST(DistributedOperations, CountsOfAllRanks) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{40, 25};
  const auto values = test::samples<double>(1000, 5);
  std::vector<int> keys(1000);
  for (int i = 0; i < 1000; ++i) keys[i] = static_cast<int>(test::sample(i, 9) * 4) % 17;
  const auto v = test::make_array<double, 2, LayoutRight, E>({40, 25}, values);
  const auto k = test::make_array<int, 2, LayoutRight, E>({40, 25}, keys);
  const Decomposition d(comm, extents);
  const auto u = test::distribute<double, 2, LayoutRight, E>(d, values);
  const auto ku = test::distribute<int, 2, LayoutRight, E>(d, keys);
  const Kokkos::View<std::int64_t*, E> expected("expected", 9), found("found", 9);
  quern::histogram(exec, expected, v, quern::bin_range{-5, 5});
  quern::histogram(exec, found, u, quern::bin_range{-5, 5});
  EXPECT_EQ(test::contents(expected), test::contents(found));
  const Kokkos::View<double*, E> sums("sums", 13), found_sums("found", 13);
  quern::bincount(exec, sums, k, quern::weights{v});
  quern::bincount(exec, found_sums, ku, quern::weights{u});
  EXPECT_EQ(test::contents(sums), test::contents(found_sums));  // of quarters: exact
  quern::histogram(exec, sums, v, quern::bin_range{-5, 5}, quern::weights{v});
  quern::histogram(exec, found_sums, u, quern::bin_range{-5, 5}, quern::weights{u});
  EXPECT_EQ(test::contents(sums), test::contents(found_sums));
}

TYPED_TEST(DistributedOperations, SumsOfGroups) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  // Rank r has 10 r rows.
  const std::int64_t n = 10 * comm.rank();
  std::vector<double> expected(5, 0.0);
  std::vector<double> x(n);
  std::vector<int> keys(n);
  for (int r = 0; r < comm.size(); ++r)
    for (std::int64_t i = 0; i < 10 * r; ++i) {
      const int key = static_cast<int>((3 * i + r) % 8);
      const double value = test::sample(i, r);
      if (key >= 2 && key < 7) expected[key - 2] += value;
      if (r == comm.rank()) {
        x[i] = value;
        keys[i] = key;
      }
    }
  const auto out = Kokkos::View<double*, E>("out", 5);
  distributed::group_sum(exec, comm, out, test::make_array<double, 1, LayoutRight, E>({n}, x),
                         test::make_array<int, 1, LayoutRight, E>({n}, keys), quern::key_range{2, 7});
  EXPECT_EQ(expected, test::contents(out));
  test::expect_error("quern::distributed::group_sum: out has extents (5), expected (6)", [&] {
    distributed::group_sum(exec, comm, out, test::make_array<double, 1, LayoutRight, E>({n}, x),
                           test::make_array<int, 1, LayoutRight, E>({n}, keys), quern::key_range{2, 8});
  });
}

TYPED_TEST(DistributedOperations, RandomFieldsDoNotDependOnTheGrid) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{9, 10, 7};
  const auto whole = test::make_array<double, 3, LayoutRight, E>({9, 10, 7});
  const quern::random::key key{42};
  quern::random::normal(exec, whole, key);
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, extents, {.grid = grid});
    const quern::DistributedView<double, 3, Kokkos::LayoutLeft, typename E::memory_space> u("u", d);
    quern::random::normal(exec, u, key);
    EXPECT_EQ(test::part_of(test::contents(whole), extents, d.local()), test::contents(u.local()));
  }
}

TYPED_TEST(DistributedOperations, ParametersOfRandomFields) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{5, 8};
  const quern::random::key key{7};
  const auto mean = test::make_array<double, 2, LayoutRight, E>({5, 8}, test::samples<double>(40, 3));
  const auto rate = test::make_array<float, 1, LayoutRight, E>({8}, {0, 1, 2, 3, 5, 8, 13, 1000});
  const auto whole = test::make_array<double, 2, LayoutRight, E>({5, 8});
  const auto counts = test::make_array<int, 2, LayoutRight, E>({5, 8});
  quern::random::normal(exec, whole, key, mean, 0.5);
  quern::random::poisson(exec, counts, key, rate);
  for (const auto& grid : test::grids(comm.size(), 2)) {
    const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 2}});
    const quern::DistributedView<double, 2, E> u("u", d);
    const quern::DistributedView<int, 2, E> n("n", d);
    quern::random::normal(u, key, test::distribute<double, 2, LayoutRight, E>(d, test::contents(mean)), 0.5);
    EXPECT_EQ(test::part_of(test::contents(whole), extents, d.local()), test::contents(u.local()));
    quern::random::poisson(exec, n, key, rate);  // whole on every rank
    EXPECT_EQ(test::part_of(test::contents(counts), extents, d.local()), test::contents(n.local()));
    test::expect_error("quern::random::uniform: a DistributedView has the numbers of a key, not of a part of a field",
                       [&] { quern::random::uniform(exec, u, quern::random::part_of(key, {9, 9}, {1, 1})); });
  }
}

template <class Case>
struct DistributedSort : testing::Test {};
using sort_cases = test::covering<double, std::int8_t, std::uint32_t, float, std::int64_t>;
TYPED_TEST_SUITE(DistributedSort, sort_cases);

TYPED_TEST(DistributedSort, GivesEachRankItsShare) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto comm = test::world();
  for (const std::int64_t n : {1, 3, 1000, 1009})
    for (const int different : {1, 7, 100000}) {
      std::vector<T> values(n);
      for (std::int64_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(static_cast<std::int64_t>(test::sample(i, 3) * 4e4) * 7919 % different);
      if constexpr (std::is_floating_point_v<T>) {
        values[n / 2] = std::numeric_limits<T>::quiet_NaN();
        values[n / 3] = -std::numeric_limits<T>::infinity();
        values[n / 5] = T(-0.0);
      } else {
        values[n / 2] = std::numeric_limits<T>::max();
        values[n / 3] = std::numeric_limits<T>::min();
      }
      const Decomposition d(comm, {n});
      const auto u = test::distribute<T, 1, LayoutRight, E>(d, values);
      std::sort(values.begin(), values.end(), [](T a, T b) { return b != b ? a == a : a < b; });
      const quern::DistributedView<T, 1, E> v("v", d);
      quern::sort(exec, v, u);
      const auto expected = test::part_of(values, shape{n}, d.local());
      const auto found = test::contents(v.local());
      ASSERT_EQ(expected.size(), found.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(expected[i] == found[i] || (expected[i] != expected[i] && found[i] != found[i])) << i;
      quern::sort(exec, u, quern::sort_order::descending);
      std::sort(values.begin(), values.end(), [](T a, T b) { return b != b ? a == a : a > b; });
      const auto downwards = test::part_of(values, shape{n}, d.local()), in_place = test::contents(u.local());
      for (std::size_t i = 0; i < in_place.size(); ++i)
        EXPECT_TRUE(downwards[i] == in_place[i] || (downwards[i] != downwards[i] && in_place[i] != in_place[i])) << i;
    }
}

/// The order of the last digits.
struct by_last_digit {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& a, const T& b) const {
    return static_cast<std::int64_t>(a) % 10 < static_cast<std::int64_t>(b) % 10;
  }
};

TYPED_TEST(DistributedOperations, SortsLinesThatARankHas) {
  using E = TypeParam;
  const E exec;
  const auto comm = test::world();
  const shape extents{6, 5};
  std::vector<int> values(30);
  for (int i = 0; i < 30; ++i) values[i] = i * 7919 % 101;
  const auto whole = test::make_array<int, 2, LayoutRight, E>({6, 5}, values);
  const auto out = test::make_array<int, 2, LayoutRight, E>({6, 5});
  for (int cut = 0; cut < 2; ++cut) {
    std::vector<int> grid{1, 1};
    grid[cut] = comm.size();
    const Decomposition d(comm, extents, {.grid = grid});
    const auto u = test::distribute<int, 2, LayoutRight, E>(d, values);
    const quern::DistributedView<int, 2, E> v("v", d);
    const auto expect_sorted = [&] {
      EXPECT_EQ(test::part_of(test::contents(out), extents, d.local()), test::contents(v.local()));
    };
    const quern::axis along(1 - cut);
    quern::sort(exec, out, whole, along);
    quern::sort(exec, v, u, along);
    expect_sorted();
    quern::sort(exec, out, whole, quern::sort_order::descending, along);
    quern::sort(v, u, along, quern::sort_order::descending);
    expect_sorted();
    quern::sort(exec, out, whole, by_last_digit(), along);
    quern::sort(exec, v, u, by_last_digit(), along);
    expect_sorted();
    if (comm.size() == 1) continue;
    test::expect_error("quern::sort: axis " + std::to_string(cut) + " is cut into the blocks of " +
                           std::to_string(comm.size()) + " ranks; redistribute the array along another axis",
                       [&] { quern::sort(exec, v, u, quern::axis(cut)); });
  }
}

TYPED_TEST(DistributedOperations, MigratedRowsKeepTheirOrder) {
  using E = TypeParam;
  const E exec;
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
  const auto [new_x, new_v, new_id] =
      distributed::migrate(exec, comm, test::make_array<int, 1, LayoutRight, E>({n}, destination),
                           test::make_array<double, 1, Kokkos::LayoutStride, E>({n}, x),
                           test::make_array<float, 2, Kokkos::LayoutLeft, E>({n, 3}, v),
                           test::make_array<std::int64_t, 1, LayoutRight, E>({n}, id));
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
  EXPECT_EQ(expected_id, test::contents(new_id));
}

TYPED_TEST(DistributedOperations, MigrateReportsMisuseOnEveryRank) {
  using E = TypeParam;
  const E exec;
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

TYPED_TEST(DistributedOperations, OwnersOfPositions) {
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
