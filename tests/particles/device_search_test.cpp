// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The search of the nearest on devices: how points are cut, what lists take, and the kernel itself by threads of a
// host.
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/particles/nearest_rows.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>
#include <utility>

namespace {

/// As in a list: the nearest first, of equal ones that with the smaller number.
template <class T>
using found_points = std::vector<std::pair<T, int>>;

TEST(DeviceSearch, ListsTakeOthersInAnyOrder) {
  for (const int k : {1, 3, 8, 20})
    for (int count = 0; count <= 8; ++count) {
      std::vector<float> values(2 * k), others(3 * count);
      std::vector<std::int32_t> points(2 * k), numbers(3 * count);
      quern::impl::nearest_so_far<float> nearest{values.data(), points.data(), 2, k};
      found_points<float> expected;
      for (int round = 0; round < 4; ++round) {
        for (int j = 0; j < count; ++j) {
          const int number = (round * count + j) * 37 % 101;
          others[3 * j] = static_cast<float>(number % 5);
          numbers[3 * j] = number;
          expected.push_back({others[3 * j], number});
        }
        nearest.merge(others.data(), numbers.data(), 3, count);
        std::sort(expected.begin(), expected.end());
        if (expected.size() > static_cast<std::size_t>(k)) expected.resize(k);
        found_points<float> found;
        for (int j = 0; j < nearest.found; ++j) found.push_back({values[2 * j], points[2 * j]});
        EXPECT_EQ(expected, found) << k << ", " << count << ", " << round;
      }
    }
}

/// Every tile is in a slice, none of which is empty, and they are whole waves of teams where tiles are many.
TEST(DeviceSearch, SlicesKeepADeviceBusy) {
  for (const std::int64_t queries : {1, 2, 16, 131, 264, 265, 782, 100'000})
    for (const std::int64_t points : {1, 7, 8, 100, 7813}) {
      const std::int64_t s = quern::impl::device_slices(queries, points, 264);
      EXPECT_GE(s, 1);
      EXPECT_TRUE(s == 1 || points / s >= 8) << queries << ", " << points << ": " << s;
    }
  EXPECT_EQ(16, quern::impl::device_slices(16, 1563, 264));
  EXPECT_EQ(261, quern::impl::device_slices(1, 7813, 264));  // 264 would take as long
  EXPECT_EQ(1, quern::impl::device_slices(264, 7813, 264));
  EXPECT_EQ(1, quern::impl::device_slices(100, 3, 1));
}

TEST(DeviceSearch, MemoryOfATeam) {
  for (const int k : {1, 5, 14, 18, 19, 100, 10'000'000})
    for (const std::int64_t room : {0, 30'000, 46'056, 65'536, 101'376}) {
      const quern::impl::search_memory<float> memory(k, room), least(k, 0);
      EXPECT_TRUE(memory.listed == k || memory.listed == 0);
      EXPECT_TRUE(memory.bytes() <= room || memory.bytes() == least.bytes()) << k << ", " << room;
      EXPECT_LT(least.bytes(), 30'000);
      EXPECT_LT(2, memory.nearly_full(memory.room));
    }
  EXPECT_EQ(14, (quern::impl::search_memory<float>(14, 46'056).listed));
  EXPECT_EQ(14, (quern::impl::search_memory<double>(14, 46'056).listed));
}

#ifndef KOKKOS_ENABLE_CUDA  // nvcc rejects calls of the member of hosts in the kernel

/// Queries and points, and what they are to find: by sums of each column after the other.
template <class T>
struct searched_points {
  using search_type = quern::impl::device_search<T>;
  using memory_type = quern::impl::search_memory<T>;
  std::int64_t m, n, d;
  int k;
  std::vector<T> queries, points, origin;

  searched_points(std::int64_t query_count, std::int64_t point_count, std::int64_t columns, int results)
      : m(query_count), n(point_count), d(columns), k(results), queries(m * d), points(n * d), origin(d, T(1)) {}
  template <class F>
  void fill(const F& value) {
    for (std::int64_t e = 0; e < m * d; ++e) queries[e] = value(e, 1);
    for (std::int64_t e = 0; e < n * d; ++e) points[e] = value(e, 2);
  }

  quern::impl::centred_rows<T> rows(const std::vector<T>& of, std::int64_t count) const {
    return {quern::impl::strided<const T>{of.data(), quern::shape{count, d}, {d, 1}}, origin.data()};
  }
  found_points<T> expected(std::int64_t i) const {
    found_points<T> all;
    const auto x = rows(queries, m), y = rows(points, n);
    for (std::int64_t j = 0; j < n; ++j) {
      double square = 0;
      for (int t = 0; t < d; ++t) square = std::fma(double(y.at(j, t)), double(y.at(j, t)), square);
      T sum = static_cast<T>(square / 2), length = 0;
      const bool finite = std::isfinite(static_cast<T>(square));
      for (int t = 0; t < d; ++t) {
        sum = std::fma(-x.at(i, t), y.at(j, t), sum);
        length = std::fma(x.at(i, t), x.at(i, t), length);
      }
      if (finite && std::isfinite(length)) all.push_back({sum, static_cast<int>(j)});
    }
    std::sort(all.begin(), all.end());
    all.resize(std::min<std::size_t>(all.size(), k));
    return all;
  }

  /// Searches with so many slices, of which two are searched at a time, in so many bytes of a team. Whether it writes
  /// where it may is tested, too.
  void expect_found(std::int64_t slices, std::int64_t room) const {
    search_type search(Kokkos::DefaultHostExecutionSpace(), m, n, d);
    search.slices = slices;
    std::vector<T> tables(search.table_values(), T(-7)), numbers(search.rows()), values(slices * m * k), joined(m * k);
    std::vector<std::int32_t> found(slices * m * k), joined_found(m * k);
    const quern::impl::nearest_lists<T> lists(values.data(), found.data(), k, m, true);
    const quern::impl::nearest_lists<T> of_all(joined.data(), joined_found.data(), k, m, false);
    const auto in = search.in(aligned(tables), numbers.data(), lists);
    const quern::impl::make_query_tiles<T> make_queries{rows(queries, m), in.queries, in.limits};
    for (std::int64_t i = 0; i < search.query_rows(); ++i) make_queries(i);
    const quern::impl::make_point_tiles<T> make_points{rows(points, n), false, in.points,
                                                       numbers.data() + search.query_rows()};
    for (std::int64_t j = 0; j < search.point_rows(); ++j) make_points(j);
    using kernel = quern::impl::device_search_rows<T, test::thread_member>;
    const memory_type memory(k, room);
    EXPECT_TRUE(test::run_teams(kernel{in, memory}, static_cast<int>(search.query_tiles * slices), kernel::team_size, 2,
                                static_cast<std::size_t>(memory.bytes())));
    for (std::int64_t i = 0; i < m; ++i) {
      quern::impl::join_slices<T>{lists, slices, of_all}(i);
      found_points<T> here;
      for (int j = 0; j < k && joined_found[i * k + j] >= 0; ++j)
        here.push_back({joined[i * k + j], joined_found[i * k + j]});
      ASSERT_EQ(expected(i), here) << "query " << i << " of " << m << " among " << n << " x " << d << ", k " << k
                                   << ", slices " << slices;
    }
  }

 private:
  static T* aligned(std::vector<T>& values) {
    values.resize(values.size() + 16);
    return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(values.data()) + 63) / 64 * 64);
  }
};

/// What Kokkos gives a team of CUDA, and less than a team needs for more than its shortest buffers.
constexpr std::int64_t usual = 46056, least = 0;

template <class T>
struct DeviceSearchOf : testing::Test {
  void SetUp() override {
    if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceSearchOf, value_types);

/// Integers, of which many are equally far away, also at the k-th place.
TYPED_TEST(DeviceSearchOf, FindsTheFirstOfEqualPoints) {
  for (const auto& [m, n, d, k] : {std::array<int, 4>{129, 700, 3, 14}, {5, 300, 17, 1}, {70, 257, 8, 200}}) {
    searched_points<TypeParam> s(m, n, d, k);
    s.fill([](std::int64_t e, int seed) { return static_cast<TypeParam>(static_cast<int>(test::sample(e, seed))); });
    s.expect_found(1, usual);
    s.expect_found(3, least);
  }
}
/// No limit ever excludes an equal point: threads of a tile come in any order.
TYPED_TEST(DeviceSearchOf, FindsEqualPointsInOrder) {
  searched_points<TypeParam> s(130, 400, 4, 14);
  s.fill([](std::int64_t, int) { return TypeParam(0.3); });
  s.expect_found(1, usual);
  s.expect_found(2, usual);
}
/// Each point is nearer than all before, so that buffers are full in each tile.
TYPED_TEST(DeviceSearchOf, FindsPointsThatComeNearer) {
  searched_points<TypeParam> s(3, 500, 1, 9);
  s.fill([](std::int64_t e, int which) { return which == 1 ? TypeParam(2) : TypeParam(1000 - e); });
  s.expect_found(1, usual);
  s.expect_found(2, least);
}
TYPED_TEST(DeviceSearchOf, FindsNothingThatIsNotFinite) {
  const auto infinity = std::numeric_limits<TypeParam>::infinity(), most = std::numeric_limits<TypeParam>::max();
  searched_points<TypeParam> s(40, 200, 9, 12);
  s.fill([](std::int64_t e, int seed) { return static_cast<TypeParam>(test::sample(e, seed)); });
  s.queries[9 * 3] = s.points[9 * 7 + 8] = std::numeric_limits<TypeParam>::quiet_NaN();
  s.queries[9 * 4 + 1] = s.points[9 * 190] = infinity;
  s.queries[9 * 39 + 8] = s.points[9 * 60 + 2] = most;
  s.expect_found(2, usual);
  for (std::int64_t e = 0; e < 9 * 190; ++e) s.points[e] = -infinity;  // fewer than k remain
  s.expect_found(1, usual);
}

#endif

}  // namespace
