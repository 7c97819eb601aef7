// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <quern/core/memory/pool.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>
#include <thread>
#include <vector>

namespace {

template <class Exec>
struct Pool : testing::Test {
  using space = typename Exec::memory_space;
  using pool = quern::pool<space>;
  using field = Kokkos::View<double**, space>;
  void TearDown() override {
    pool::set_limit(std::numeric_limits<std::size_t>::max());
    pool::trim();
  }
};
TYPED_TEST_SUITE(Pool, test::all_spaces);

TYPED_TEST(Pool, MakesViewsOfAllForms) {
  using space = typename TypeParam::memory_space;
  const TypeParam exec;
  const auto u = quern::pool_view<Kokkos::View<float***, Kokkos::LayoutLeft, space>>(exec, 5, 6, 7);
  EXPECT_EQ(5u, u.extent(0));
  EXPECT_EQ(7u, u.extent(2));
  EXPECT_EQ(1u, u.stride(0));
  EXPECT_TRUE(u.span_is_contiguous());
  quern::fill(exec, u, 2.0f);
  EXPECT_EQ(420.0f, quern::sum(exec, u));
  const auto fixed = quern::pool_view<Kokkos::View<int* [3], Kokkos::LayoutRight, space>>(exec, 4);
  EXPECT_EQ(3u, fixed.extent(1));
  EXPECT_EQ(3u, fixed.stride(0));
  const auto scalar = quern::pool_view<Kokkos::View<double, space>>(exec);
  quern::fill(exec, scalar, 1.5);
  EXPECT_EQ(1.5, test::value(scalar));
  const auto empty = quern::pool_view<Kokkos::View<double**, space>>(exec, 0, 3);
  EXPECT_EQ(0u, empty.size());
}

TYPED_TEST(Pool, GivesMemoryAgainWhenItsLastViewIsGone) {
  using field = typename TestFixture::field;
  const TypeParam exec;
  const void* memory;
  {
    const auto u = quern::pool_view<field>(exec, 100, 30);
    memory = u.data();
    const auto part = Kokkos::subview(u, Kokkos::ALL, 3);
    const auto v = quern::pool_view<field>(exec, 100, 30);
    EXPECT_NE(memory, v.data()) << "u is there";
  }
  const auto before = TestFixture::pool::usage();
  const auto w = quern::pool_view<field>(exec, 99, 30);
  const auto after = TestFixture::pool::usage();
  EXPECT_TRUE(w.data() == memory || after.reuses == before.reuses + 1);
  EXPECT_EQ(before.allocations, after.allocations);
  EXPECT_EQ(before.held, after.held);
}

TYPED_TEST(Pool, SubviewsKeepTheMemory) {
  using field = typename TestFixture::field;
  const TypeParam exec;
  auto u = quern::pool_view<field>(exec, 50, 40);
  const auto column = Kokkos::subview(u, Kokkos::ALL, 7);
  const void* memory = u.data();
  u = field();
  const auto v = quern::pool_view<field>(exec, 50, 40);
  EXPECT_NE(memory, v.data());
  EXPECT_EQ(50u, column.extent(0));
}

TYPED_TEST(Pool, InstancesDoNotShareMemoryUntilTrimmed) {
  using field = typename TestFixture::field;
  const auto instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  if (instances[0] == instances[1]) GTEST_SKIP() << "one instance is all that there is";
  const void* memory = quern::pool_view<field>(instances[0], 64, 64).data();
  EXPECT_NE(memory, quern::pool_view<field>(instances[1], 64, 64).data());
  EXPECT_EQ(memory, quern::pool_view<field>(instances[0], 64, 64).data());
}

TYPED_TEST(Pool, WaitsForRecordedUsesAlone) {
  using field = typename TestFixture::field;
  const auto instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  const int n = 2000;
  std::vector<double> sums;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto result = Kokkos::View<double, typename TypeParam::memory_space>("result");
    {
      const auto u = quern::pool_view<field>(instances[0], n, 50);
      quern::fill(instances[0], u, 1.0);
      instances[0].fence();
      for (int k = 0; k < 5; ++k) quern::sum(instances[1], result, u);
      quern::record_use(u, instances[1]);
    }
    const auto next = quern::pool_view<field>(instances[0], n, 50);
    quern::fill(instances[0], next, 7.0);  // must not reach the sums of the other instance
    sums.push_back(test::value(result));
  }
  EXPECT_EQ(std::vector<double>(20, n * 50.0), sums);
  quern::record_use(Kokkos::View<int*, TypeParam>("not of a pool", 3), instances[1]);
}

TYPED_TEST(Pool, TrimsAndCounts) {
  using field = typename TestFixture::field;
  const TypeParam exec;
  TestFixture::pool::trim();
  const auto before = TestFixture::pool::usage();
  {
    const auto u = quern::pool_view<field>(exec, 1000, 100);
    const auto now = TestFixture::pool::usage();
    EXPECT_GE(now.in_use, before.in_use + 800'000);
    EXPECT_LE(now.in_use, before.in_use + 900'000) << "sizes are rounded up by at most an eighth";
    EXPECT_GE(now.high_water, now.held);
    EXPECT_EQ(0u, TestFixture::pool::trim()) << "of what is in use nothing is given back";
  }
  EXPECT_EQ(before.in_use, TestFixture::pool::usage().in_use);
  EXPECT_GE(TestFixture::pool::trim(), 800'000u);
  EXPECT_EQ(before.held, TestFixture::pool::usage().held);
}

TYPED_TEST(Pool, KeepsItsLimit) {
  using field = typename TestFixture::field;
  const TypeParam exec;
  TestFixture::pool::trim();
  const std::size_t held = TestFixture::pool::usage().held;
  TestFixture::pool::set_limit(held + 1'000'000);
  EXPECT_EQ(held + 1'000'000, TestFixture::pool::limit());
  {
    const auto fits = quern::pool_view<field>(exec, 100, 1000);
  }
  {
    const auto other = quern::pool_view<field>(exec, 10, 4000);  // what is unused is given back for it
    EXPECT_LE(TestFixture::pool::usage().held, held + 1'000'000);
    try {
      quern::pool_view<field>(exec, 100, 1000);
      ADD_FAILURE() << "beyond the limit";
    } catch (const quern::MemoryError& e) {
      EXPECT_EQ(0u, std::string(e.what()).find("quern::pool: 851.968 kB of ")) << e.what();
      EXPECT_NE(std::string::npos, std::string(e.what()).find("do not fit the limit of ")) << e.what();
    }
  }
  {
    const auto fits = quern::pool_view<field>(exec, 100, 1000);
  }
}

TYPED_TEST(Pool, ThrowsWhereThereIsNoMemory) {
  using bytes = Kokkos::View<char*, typename TypeParam::memory_space>;
  EXPECT_THROW(quern::pool_view<bytes>(TypeParam(), std::size_t(1) << 50), quern::MemoryError);
}

TYPED_TEST(Pool, ServesSeveralThreads) {
  using field = typename TestFixture::field;
  const TypeParam exec;
  std::vector<std::thread> threads;
  std::vector<int> clashes(4);
  std::mutex m;
  std::vector<const void*> in_use;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 500; ++k) {
        const auto u = quern::pool_view<field>(exec, 10 + k % 7, 10 + t);
        const std::lock_guard lock(m);
        clashes[t] += std::find(in_use.begin(), in_use.end(), u.data()) != in_use.end();
        in_use.push_back(u.data());
        in_use.erase(std::find(in_use.begin(), in_use.end(), u.data()));
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(std::vector<int>(4), clashes);
}

TYPED_TEST(Pool, WarmViewsTakeNoTime) {
  using field = typename TestFixture::field;
  const TypeParam exec;
  std::vector<field> others;
  for (int k = 0; k < 50; ++k) others.push_back(quern::pool_view<field>(exec, 10 + k, 100));
  {
    const auto first = quern::pool_view<field>(exec, 200, 200);
  }
  double best = 1;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 100; ++k) const auto u = quern::pool_view<field>(exec, 200, 200);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 100);
  }
  EXPECT_LT(best, 5e-6) << "bench_transfer measures it; this finds an allocation or a fence";
}

template <class F>
void expect_memory_error(const std::string& message, const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const quern::MemoryError& e) {
    EXPECT_EQ(message, e.what());
  }
}

// Products of extents that 64 bits do not hold.
TYPED_TEST(Pool, ReportsWhatCannotBeCounted) {
  using field = typename TestFixture::field;
  using row = Kokkos::View<double*, Kokkos::LayoutRight, TypeParam>;
  const TypeParam exec;
  const std::int64_t huge = std::int64_t{1} << 61, half = std::int64_t{1} << 32;
  expect_memory_error(
      "quern::pool_view: an array of extents (2305843009213693952) and 8 bytes an element has more than 2^63 - 1 bytes",
      [&] { quern::pool_view<row>(exec, huge); });
  EXPECT_THROW(quern::pool_view<field>(exec, half, half), quern::MemoryError);
  EXPECT_THROW(quern::pool_view<row>(exec, (std::int64_t{1} << 60) - 1), quern::MemoryError);
  EXPECT_EQ(0u, (quern::pool_view<field>(exec, huge, 0).size()));
  test::expect_error("quern::pool_view: a negative extent in (-1)", [&] { quern::pool_view<row>(exec, -1); });
  double one = 1;
  const Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace> repeated(
      &one, Kokkos::LayoutStride(half, 0, half, 0));
  expect_memory_error(
      "quern::like: an array of extents (4294967296, 4294967296) and 8 bytes an element has more than 2^63 - 1 bytes",
      [&] { quern::like(repeated); });
  EXPECT_THROW(quern::to_host(repeated), quern::MemoryError);
  using workspace = quern::Workspace<TypeParam>;
  EXPECT_THROW(workspace(exec, std::numeric_limits<std::size_t>::max()), quern::MemoryError);
  EXPECT_THROW(workspace(exec, std::numeric_limits<std::size_t>::max() - 100), quern::MemoryError);
}

}  // namespace
