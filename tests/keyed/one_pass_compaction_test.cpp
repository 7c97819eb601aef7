// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <quern/core.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/one_pass_compaction.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <quern/keyed/sort.hpp>
#endif

namespace {

using host = Kokkos::DefaultHostExecutionSpace;

/// About so many of 1000 are selected, in no pattern that tiles repeat.
std::vector<int> scattered(std::int64_t n, unsigned of_thousand) {
  std::vector<int> v(n);
  for (std::int64_t i = 0; i < n; ++i)
    v[i] = (static_cast<std::uint32_t>(i) * 2'654'435'761u >> 8) % 1'000 < of_thousand ? static_cast<int>(i + 1) : 0;
  return v;
}
std::vector<int> selected_of(const std::vector<int>& v) {
  std::vector<int> out;
  for (const int x : v)
    if (x != 0) out.push_back(x);
  return out;
}

struct is_set {
  const int* x;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return x[i] != 0; }
};
struct put_values {
  const int* x;
  int* out;
  KOKKOS_FUNCTION int get(std::int64_t i) const { return x[i]; }
  KOKKOS_FUNCTION void set(std::int64_t k, int value) const { out[k] = value; }
};
struct put_and_follow {
  const int* x;
  int* out;
  std::int64_t* last;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const { out[k] = x[i]; }
  KOKKOS_FUNCTION void follow(std::int64_t i, std::int64_t k) const { last[i] = k; }
};

constexpr int threads = 16, tile = threads * 32, at_a_time = 3;
const std::vector<std::int64_t> sizes{0, 1, tile - 1, tile, tile + 1, 32 * tile + 1, 1024 * tile + tile + 9};

/// The kernel of a device, by teams of threads of the host. Returns how many are kept.
template <class Put>
std::int64_t keep_on_threads(quern::Workspace<host>& scratch, const std::vector<int>& v, const Put& put) {
  using kernel_type = quern::impl::one_pass_compaction<quern::impl::compaction_tiles<host, is_set, Put>, threads>;
  std::int64_t count = -1;
  const auto n = static_cast<std::int64_t>(v.size()), tiles = std::max<std::int64_t>(1, (n + tile - 1) / tile);
  kernel_type kernel{{{is_set{v.data()}, put, n, tile, tiles, &count}, nullptr, nullptr, nullptr}, {{}, tiles}};
  kernel.earlier.allocate(host(), scratch);
  test::run_teams(kernel, static_cast<int>(tiles), threads, at_a_time, kernel_type::team_bytes);
  return count;
}

TEST(OnePassCompaction, OnThreadsKeepsWhatIsSet) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  quern::Workspace<host> scratch;
  for (const std::int64_t n : sizes) {
    const auto v = scattered(n, 300), expected = selected_of(v);
    std::vector<int> out(expected.size());
    ASSERT_EQ(expected.size(), keep_on_threads(scratch, v, put_values{v.data(), out.data()})) << n;
    ASSERT_EQ(expected, out) << n;
  }
}
TEST(OnePassCompaction, OnThreadsNumbersWhatFollows) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  quern::Workspace<host> scratch;
  for (const std::int64_t n : {tile + 1, 33 * tile + 5}) {
    const auto v = scattered(n, 100), expected = selected_of(v);
    std::vector<int> out(expected.size());
    std::vector<std::int64_t> last(n);
    ASSERT_EQ(expected.size(), keep_on_threads(scratch, v, put_and_follow{v.data(), out.data(), last.data()})) << n;
    ASSERT_EQ(expected, out) << n;
    std::int64_t k = -1;
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(k += v[i] != 0, last[i]) << i << " of " << n;
  }
}

struct not_zero {
  KOKKOS_FUNCTION bool operator()(int v) const { return v != 0; }
};

/// The calls of users.
template <class Exec>
struct OnePassCompact : testing::Test {
  Exec e;
};
TYPED_TEST_SUITE(OnePassCompact, test::all_spaces);

TYPED_TEST(OnePassCompact, AroundTheEndsOfTiles) {
  constexpr std::int64_t of_device = 8'192;
  for (const std::int64_t n : {of_device - 1, of_device, of_device + 1, 32 * of_device, 32 * of_device + 1,
                               1'024 * of_device, 1'025 * of_device + 9}) {
    if (n > 33 * of_device && !quern::impl::is_device<TypeParam>) continue;
    const auto v = scattered(n, 100), expected = selected_of(v);
    const auto x = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({n}, v);
    const auto out = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({n});
    ASSERT_EQ(expected.size(), quern::compact(this->e, out, x, not_zero())) << n;
    auto found = test::contents(out);
    found.resize(expected.size());
    ASSERT_EQ(expected, found) << n;
  }
}

TEST(HostCompaction, SelectsWhatIsSet) {
  for (int size = 0; size <= 256; ++size) {
    std::vector<std::uint8_t> set(256, 1), selected(256), expected;
    const auto sampled = scattered(size, 10 + 3 * static_cast<unsigned>(size));
    for (int i = 0; i < size; ++i)
      if ((set[i] = sampled[i] != 0 ? 1 : 0) != 0) expected.push_back(static_cast<std::uint8_t>(i));
    selected.resize(quern::impl::select_set(set.data(), size, selected.data()));
    EXPECT_EQ(expected, selected) << size;
  }
}

#ifdef KOKKOS_ENABLE_CUDA
// With another input and after another operation in its workspace, a graph that is launched again counts its epochs on.
TEST(OnePassCompactCuda, IsCapturedInAGraph) {
  constexpr std::int64_t n = 300'007;
  const Kokkos::Cuda exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
  quern::Workspace<Kokkos::Cuda> work;
  const quern::WorkspaceScope scope(work);
  const Kokkos::View<int*, Kokkos::Cuda> x("x", n), out("out", n), sorted("sorted", n);
  const Kokkos::View<std::int64_t, Kokkos::Cuda> count("count");
  quern::compact(exec, out, x, not_zero(), quern::size_to{count});
  quern::sort(exec, sorted, x);
  exec.fence();
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
  quern::compact(exec, out, x, not_zero(), quern::size_to{count});
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(exec.cuda_stream(), &graph));
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&ready, graph, 0));
  for (const unsigned of_thousand : {100u, 900u, 30u}) {
    const auto v = scattered(n, of_thousand), expected = selected_of(v);
    Kokkos::deep_copy(x, test::make_array<int, 1, Kokkos::LayoutRight, Kokkos::Cuda>({n}, v));
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(ready, exec.cuda_stream()));
    auto found = test::contents(out);
    std::int64_t kept = 0;
    Kokkos::deep_copy(kept, count);
    ASSERT_EQ(expected.size(), kept);
    found.resize(kept);
    ASSERT_EQ(expected, found);
    quern::sort(exec, sorted, x);
    quern::compact(exec, out, sorted, not_zero(), quern::size_to{count});
  }
  EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(ready));
  EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}
#endif

}  // namespace
