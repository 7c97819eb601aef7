// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <functional>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>
#include <thread>
#include <vector>

namespace {

template <class Exec>
struct Workspace : testing::Test {};
TYPED_TEST_SUITE(Workspace, test::all_spaces);

TYPED_TEST(Workspace, GrowsAndKeepsItsMemory) {
  const TypeParam exec;
  quern::Workspace<TypeParam> w(exec, 100);
  const void* first = w.require(exec, 50);
  EXPECT_EQ(first, w.require(exec, 100));
  EXPECT_EQ(100u, w.size());
  w.require(exec, 1000);
  EXPECT_EQ(1000u, w.size());
}

/// A graph that has captured a kernel whose teams wait for each other may still run it with them.
TYPED_TEST(Workspace, KeepsSignalsThatAreOutgrown) {
  const TypeParam exec;
  constexpr std::size_t words = 100;
  quern::Workspace<TypeParam> w;
  const auto first = w.require_signals(exec, words);
  EXPECT_EQ(2 * words, w.require_signals(exec, words + 1).size());
  const quern::impl::pool_block<typename TypeParam::memory_space> block =
      quern::impl::take_block<typename TypeParam::memory_space>(quern::impl::instance_ref(exec), first.size_bytes());
  EXPECT_NE(static_cast<const void*>(first.data()), static_cast<const void*>(block.data()));
  EXPECT_EQ(3 * words * sizeof(std::uint64_t), w.size());
}

TYPED_TEST(Workspace, MoreThanAnyMemoryIsRejectedByItsCount) {
  using E = TypeParam;
  try {
    const quern::impl::scratch_array<E, double> memory(E(), std::int64_t{1} << 62);
    ADD_FAILURE() << "no error";
  } catch (const quern::MemoryError& e) {
    EXPECT_STREQ(
        "quern::Workspace: scratch memory for 4611686018427387904 elements of 8 bytes is more than any memory has",
        e.what());
  }
  constexpr std::int64_t most = std::int64_t{1} << 59;
  EXPECT_EQ(std::size_t(most), quern::impl::bytes_of(most, 1));
  EXPECT_EQ(std::size_t(0), quern::impl::bytes_of(-1, 8));
  EXPECT_THROW(quern::impl::bytes_of(most + 1, 1), quern::MemoryError);
}

TYPED_TEST(Workspace, PoolGivesEachHolderItsOwn) {
  const TypeParam exec;
  using lease = quern::impl::lease<TypeParam>;
  const void* first;
  {
    lease a(exec), b(exec);
    first = a.template result<double>();
    EXPECT_NE(first, b.template result<double>());
  }
  lease c(exec);
  EXPECT_EQ(first, c.template result<double>()) << "what was given back is used again";
}

TYPED_TEST(Workspace, ServesInstancesFromSeveralThreads) {
  const auto instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  constexpr int n = 10000;
  Kokkos::View<double*, TypeParam> x("x", n), y("y", n);
  quern::fill(TypeParam(), x, 1.0);
  quern::fill(TypeParam(), y, 2.0);
  Kokkos::fence();
  std::array<double, 2> sums{};
  std::array<bool, 2> right{true, true};
  const auto work = [&](int t) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      sums[t] = quern::sum(instances[t], t == 0 ? x : y);
      right[t] = right[t] && sums[t] == n * (t + 1.0);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_TRUE(right[0]) << sums[0];
  EXPECT_TRUE(right[1]) << sums[1];
}

// With team kernels, too.
TYPED_TEST(Workspace, SeveralHostThreadsOnOneInstance) {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  GTEST_SKIP() << "team kernels of this Kokkos are for one host thread";
#endif
  const TypeParam exec;
  constexpr int threads = 3, n = 1500;
  std::array<int, threads> wrong{};
  const auto work = [&](int t) {
    const Kokkos::View<double*, TypeParam> x("x", n);
    for (int repeat = 0; repeat < 30; ++repeat) {
      const double value = 10.0 * t + repeat;
      quern::fill(exec, x, value);
      wrong[t] += quern::median(exec, x) != value || quern::sum(exec, x) != n * value;
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (auto& other : others) other.join();
  EXPECT_EQ((std::array<int, threads>{}), wrong);
}

// Twice, since a warm call must need no more than a cold one; a sort of long lines holds several arrays at a time.
TYPED_TEST(Workspace, ScopeServesAnyOperation) {
  const TypeParam exec;
  constexpr int n = 100000;
  const auto line = [&](auto zero) { return Kokkos::View<decltype(zero)*, TypeParam>("line", n); };
  const auto x = line(0.0), y = line(0.0);
  const auto order = line(std::int64_t());
  const Kokkos::View<double, TypeParam> result("result");
  const Kokkos::View<std::int64_t, TypeParam> found("found");
  const Kokkos::View<std::int64_t*, TypeParam> counts("counts", 50);
  quern::random::uniform(exec, x, quern::random::key(1));
  const std::vector<std::function<void()>> operations{
      [&] { quern::sum(exec, result, x); },
      [&] { quern::median(exec, result, x); },
      [&] { quern::cumsum(exec, y, x); },
      [&] { quern::sort(exec, y, x); },
      [&] { quern::argsort(exec, order, x); },
      [&] { quern::unique(exec, y, x, quern::size_to{found}); },
      [&] { quern::compact(exec, y, x, x, quern::size_to{found}); },
      [&] { quern::histogram(exec, counts, x, quern::bin_range{0.0, 1.0}); },
      [&] { quern::random::choice(exec, order, quern::random::key(2), x); }};
  for (std::size_t k = 0; k < operations.size(); ++k) {
    quern::Workspace<TypeParam> work;
    std::size_t needed = 0;
    {
      const quern::WorkspaceScope scope(work);
      operations[k]();
      needed = work.size();
      operations[k]();
    }
    EXPECT_EQ(needed, work.size()) << "a warm call of operation " << k;
    operations[k]();
    EXPECT_EQ(needed, work.size()) << "outside of the scope, operation " << k;
    // A single thread has nothing to share in a reduction, but keeps the keys of a sort. A device counts few bins in
    // its teams' memory.
    const bool is_histogram = k == 7;
    if ((exec.concurrency() > 1 && !is_histogram) || k == 4) {
      EXPECT_GT(needed, 0u) << "operation " << k;
    }
  }
}

}  // namespace
