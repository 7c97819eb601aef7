// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstring>
#include <quern/core.hpp>
#include <quern/keyed/one_pass_compaction.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <quern/keyed/sort.hpp>
#endif
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/scan/one_pass_scan.hpp>
#include <support/fixed_order.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>

namespace {

using quern::impl::op_reducer;
using quern::impl::sum_reducer;
using host = Kokkos::DefaultHostExecutionSpace;
using device = Kokkos::DefaultExecutionSpace;
constexpr bool one_pass = quern::impl::tuning<device>::one_pass;
constexpr int team = quern::impl::tuning<device>::one_pass_team;

/// Numbers of all magnitudes and both signs: other orders of additions give other bits.
template <class T>
std::vector<T> uneven(std::int64_t n, std::uint64_t seed = 0) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i)
    v[i] = static_cast<T>(std::ldexp(test::sample(i, seed) * (i % 3 == 0 ? -1 : 1), static_cast<int>(i % 11)));
  return v;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// x -> scale x + shift, modulo 2^32: composition is associative and not commutative.
struct affine {
  std::uint32_t scale, shift;
};
struct compose {
  KOKKOS_FUNCTION affine operator()(const affine& a, const affine& b) const {
    return {a.scale * b.scale, a.shift * b.scale + b.shift};
  }
};
using composition = op_reducer<affine, compose>;
constexpr affine same{1, 0};

/// The kernel of a device, by teams of threads of the host.
template <bool Exclusive, class Out, class Reducer, class T>
struct on_threads {
  using kernel_type = quern::impl::one_pass_scan<host, Exclusive, Reducer, const T*, Out>;
  static constexpr int threads = 16, items = kernel_type::items, tile = threads * items, at_a_time = 3;
  host exec;
  quern::Workspace<host> scratch;

  std::vector<Out> operator()(const Reducer& reducer, const std::vector<T>& values) {
    std::vector<Out> out(values.size());
    const auto n = static_cast<std::int64_t>(values.size()), tiles = (n + tile - 1) / tile;
    const auto nest = [](std::int64_t extent) {
      using strides = quern::impl::stride_array;
      return quern::impl::row_nest<2>(quern::impl::row_major_nest<2>(quern::shape{extent}, {strides{1}, strides{1}}));
    };
    kernel_type kernel{{{reducer, values.data(), out.data(), nest(1), nest(n), n, 1}}, {{reducer}, tiles}};
    kernel.earlier.allocate(exec, scratch);
    test::run_teams(kernel, static_cast<int>(tiles), threads, at_a_time, kernel_type::team_bytes(threads));
    return out;
  }
  std::uint64_t& tickets() { return scratch.require_signals(exec, 1)[0]; }
};
/// Around the ends of tiles, of groups and of supergroups.
std::vector<std::int64_t> sizes_around(std::int64_t tile) {
  return {1, tile - 1, tile, tile + 1, 32 * tile, 32 * tile + 1, 33 * tile - 1, 1024 * tile, 1057 * tile + 7};
}

TEST(FixedOrder, IsThatOfPlainSumsWhereNothingIsRounded) {
  using reducer = op_reducer<affine, compose>;
  for (const std::int64_t n : sizes_around(48)) {
    std::vector<affine> v(n);
    for (std::int64_t i = 0; i < n; ++i) v[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
    const auto found = test::fixed_order<false, affine, reducer, affine>({{}, same}, 16, 3)(v);
    affine s = same;
    for (std::int64_t i = 0; i < n; ++i) {
      s = compose()(s, v[i]);
      ASSERT_TRUE(s.scale == found[i].scale && s.shift == found[i].shift) << i << " of " << n;
    }
  }
}
TEST(FixedOrder, CarriesErrorsAlong) {
  const auto v = test::samples<float>(1057 * 496);
  const auto found = test::fixed_order<false, float, sum_reducer<float>, float>({}, 16, 31)(v);
  double sum = 0, of_sizes = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    sum += static_cast<double>(v[i]);
    of_sizes += std::abs(static_cast<double>(v[i]));
    // The rounding of the result and of the sums in its tile, of 31 + 16 additions at most.
    ASSERT_NEAR(sum, found[i], 2 * 6e-8 * std::abs(sum) + 48 * 6e-8 * std::min(of_sizes, 496.0)) << i;
  }
}

TEST(OnePassOnThreads, HasTheBitsOfTheOrder) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  on_threads<false, float, sum_reducer<float>, float> scan;
  const test::fixed_order<false, float, sum_reducer<float>, float> order({}, scan.threads, scan.items);
  for (const std::int64_t n : sizes_around(scan.tile)) {
    const auto v = uneven<float>(n);
    EXPECT_TRUE(same_bits(order(v), scan({}, v))) << n;
  }
}
TEST(OnePassOnThreads, ExclusiveOneOfDoublesHasThem) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  on_threads<true, double, sum_reducer<double>, double> scan;
  const test::fixed_order<true, double, sum_reducer<double>, double> order({}, scan.threads, scan.items);
  const auto v = uneven<double>(70 * scan.tile + 5);
  EXPECT_TRUE(same_bits(order(v), scan({}, v)));
}

// Launches follow each other in the same words, which hold values of launches with other numbers of tiles.
TEST(OnePassWords, OfEarlierLaunchesAreNotTaken) {
  on_threads<true, std::int64_t, sum_reducer<std::int64_t>, int> scan;
  for (const std::int64_t tiles : {70, 3, 70, 40, 2, 70}) {
    std::vector<int> v(tiles * scan.tile - 5);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>((i * 7 + tiles) % 1'000) - 400;
    const auto found = scan({}, v);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < v.size(); sum += v[i++]) ASSERT_EQ(sum, found[i]) << i << " of " << tiles << " tiles";
  }
}
TEST(OnePassWords, EpochsStartAgainWithOne) {
  on_threads<false, affine, composition, affine> scan;
  const composition reducer{{}, same};
  const std::vector<affine> v(40 * scan.tile, affine{3, 1});
  const auto expected = scan(reducer, v);
  scan.tickets() = std::uint64_t{0xfffffffd} << 32;
  for (const std::uint64_t epoch : {0xfffffffeu, 0u, 1u}) {
    EXPECT_TRUE(same_bits(expected, scan(reducer, v)));
    EXPECT_EQ(epoch << 32, scan.tickets());
  }
}

// Each of them within as many launches as there are words: none grows so old that its epoch comes again.
TEST(OnePassWords, ThatLaunchesDoNotWriteAreCleared) {
  constexpr std::uint64_t old = std::uint64_t{77} << 32;
  quern::Workspace<host> scratch;
  quern::impl::tile_chain<quern::impl::count_joins> chain{{}, 5};
  chain.allocate(host(), scratch);
  chain.tiles = 1'100;
  chain.allocate(host(), scratch);
  EXPECT_EQ(1'100 + 2 * (34 + 1), chain.words_for(1'100));
  EXPECT_EQ(chain.words_for(1'100), chain.room);
  chain.tiles = 5;
  chain.allocate(host(), scratch);
  for (std::int64_t w = 0; w < chain.room; ++w) chain.words[w] = old;
  for (std::int64_t launch = 0; launch < chain.room; ++launch)
    for (int t = 0; t < 5; ++t) EXPECT_EQ(t, chain.take().tile);
  for (std::int64_t w = 0; w < chain.room; ++w) EXPECT_EQ(w < 5 ? old : 0, chain.words[w]) << w;
}

/// The elements of a thread in a tile.
template <class T, class Out = T>
constexpr int items_of = quern::impl::one_pass_scan<device, false, sum_reducer<Out>, const T*, Out>::items;

/// The calls of users.
template <class Exec>
struct OnePassScan : testing::Test {
  Exec e;
};
TYPED_TEST_SUITE(OnePassScan, test::all_spaces);

template <class T, class Out, class Exec>
std::vector<Out> sums_of(const Exec& e, const std::vector<T>& v) {
  const std::array<std::int64_t, 1> n{static_cast<std::int64_t>(v.size())};
  const auto x = test::make_array<T, 1, Kokkos::LayoutRight, Exec>(n, v);
  const auto out = test::make_array<Out, 1, Kokkos::LayoutRight, Exec>(n);
  quern::cumsum(e, out, x);
  return test::contents(out);
}

TYPED_TEST(OnePassScan, OfIntegersAroundTheEndsOfTiles) {
  for (const std::int64_t n : sizes_around(items_of<std::int32_t, std::int64_t> * team)) {
    std::vector<std::int32_t> v(n);
    for (std::int64_t i = 0; i < n; ++i) v[i] = static_cast<std::int32_t>(i * 2'654'435'761 % 1'000'003 - 500'000);
    const auto found = sums_of<std::int32_t, std::int64_t>(this->e, v);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(sum += v[i], found[i]) << i << " of " << n;
  }
}
TYPED_TEST(OnePassScan, OfAnOperationThatDoesNotCommute) {
  for (const std::int64_t n : {items_of<double> * team + 1, 1025 * items_of<double> * team + 3}) {
    std::vector<affine> v(n);
    for (std::int64_t i = 0; i < n; ++i) v[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
    const auto x = test::make_array<affine, 1, Kokkos::LayoutRight, TypeParam>({n}, v);
    quern::exclusive_scan(this->e, x, compose(), same, x);  // in place
    const auto found = test::contents(x);
    affine s = same;
    for (std::int64_t i = 0; i < n; s = compose()(s, v[i++]))
      ASSERT_TRUE(s.scale == found[i].scale && s.shift == found[i].shift) << i << " of " << n;
  }
}
static_assert(quern::impl::is_published<sum_reducer<Kokkos::complex<double>>::state>);
TYPED_TEST(OnePassScan, OfComplexNumbers) {
  using C = Kokkos::complex<double>;
  const std::int64_t n = 1025 * items_of<C> * team + 3;
  std::vector<C> v(n);
  for (std::int64_t i = 0; i < n; ++i) v[i] = C(static_cast<double>(i % 17 - 8), static_cast<double>(i % 5));
  const auto found = sums_of<C, C>(this->e, v);
  C sum(0, 0);
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(sum += v[i], found[i]) << i;
}
TYPED_TEST(OnePassScan, OfStridedElementsHasTheBitsOfContiguousOnes) {
  if (!quern::impl::tuning<TypeParam>::one_pass) GTEST_SKIP() << "in two passes";
  const auto v = uneven<float>(100'003);
  const Kokkos::View<float**, Kokkos::LayoutRight, TypeParam> x("x", v.size(), 3), out("out", v.size(), 2);
  const auto column = Kokkos::subview(x, Kokkos::ALL, 1);
  Kokkos::deep_copy(column, test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({100'003}, v));
  const auto to = Kokkos::subview(out, Kokkos::ALL, 0);
  quern::cumsum(this->e, to, column);
  EXPECT_TRUE(same_bits(sums_of<float, float>(this->e, v), test::contents(to)));
}

template <class T>
struct OnePassBits : testing::Test {};
using number_types = testing::Types<float, double>;
TYPED_TEST_SUITE(OnePassBits, number_types);

TYPED_TEST(OnePassBits, AreThoseOfTheOrder) {
  if (!one_pass) GTEST_SKIP() << "in two passes";
  using T = TypeParam;
  using kernel = quern::impl::one_pass_scan<device, false, sum_reducer<T>, const T*, T>;
  const test::fixed_order<false, T, sum_reducer<T>, T> order({}, team, kernel::items);
  for (const std::int64_t n : sizes_around(team * kernel::items)) {
    if (n <= team * kernel::items) continue;  // one tile is not cut
    const auto v = uneven<T>(n);
    EXPECT_TRUE(same_bits(order(v), sums_of<T, T>(device(), v))) << n;
  }
}

struct scattered {
  KOKKOS_FUNCTION float operator()(const Kokkos::Array<std::int64_t, 1>& i) const {
    const std::uint32_t h = static_cast<std::uint32_t>(i[0]) * 2'654'435'761u;
    return static_cast<float>(h >> 8) * 0x1p-24f - 0.5f;
  }
};
// 2e8 of them, more tiles than a device holds at a time, twenty times.
TEST(OnePassScanOfMany, RepeatsItsBits) {
  if (!one_pass) GTEST_SKIP() << "in two passes";
  constexpr std::int64_t n = 200'000'000;
  const device e;
  const Kokkos::View<float*, device> x("x", n), first("first", n), again("again", n);
  quern::map(e, x, scattered(), quern::positions());
  quern::cumsum(e, first, x);
  for (int repeat = 0; repeat < 20; ++repeat) {
    quern::fill(e, again, -7.0f);
    quern::cumsum(e, again, x);
    ASSERT_TRUE(quern::array_equal(e, first, again)) << repeat;
  }
}

// Each has a workspace of its own, and its teams run beside those of the others.
TYPED_TEST(OnePassScan, OnManyInstancesAtOnce) {
  constexpr int many = 8;
  constexpr std::int64_t n = 500'009;
  const auto instances = Kokkos::Experimental::partition_space(this->e, std::vector<int>(many, 1));
  std::vector<Kokkos::View<std::int64_t*, TypeParam>> x, out;
  for (int k = 0; k < many; ++k) {
    x.emplace_back("x", n);
    out.emplace_back("out", n);
    quern::fill(this->e, x[k], std::int64_t{k + 1});
  }
  Kokkos::fence();
  for (int repeat = 0; repeat < 20; ++repeat)
    for (int k = 0; k < many; ++k) quern::cumsum(instances[k], out[k], x[k]);
  Kokkos::fence();
  for (int k = 0; k < many; ++k) {
    const auto found = test::contents(out[k]);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ((i + 1) * (k + 1), found[i]) << k;
  }
}

#ifdef KOKKOS_ENABLE_CUDA
// Epochs count on when a graph is launched again, with another input and after other operations in its workspace, and
// by calls between its launches.
TEST(OnePassScanCuda, IsCapturedInAGraph) {
  constexpr std::int64_t n = 300'007, less = 100'003;
  const Kokkos::Cuda exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
  quern::Workspace<Kokkos::Cuda> work;
  const quern::WorkspaceScope scope(work);
  const Kokkos::View<double*, Kokkos::Cuda> x("x", n), out("out", n), other("other", n);
  const auto other_work = [&] {
    quern::cumsum(exec, Kokkos::subview(other, std::pair(std::int64_t{0}, less)),
                  Kokkos::subview(x, std::pair(std::int64_t{0}, less)));
    quern::cumsum(exec, other, x, quern::reproducible);
    quern::sort(exec, other, x);
  };
  quern::cumsum(exec, out, x);
  other_work();
  exec.fence();
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
  quern::cumsum(exec, out, x);
  quern::cumsum(exec, out, out);
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(exec.cuda_stream(), &graph));
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&ready, graph, 0));
  for (int launch = 1; launch <= 3; ++launch) {
    quern::fill(exec, x, 1.0 * launch);
    quern::fill(exec, out, -1.0);
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(ready, exec.cuda_stream()));
    const auto found = test::contents(out);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(static_cast<double>(launch) * static_cast<double>((i + 1) * (i + 2) / 2), found[i]) << i;
    other_work();
  }
  EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(ready));
  EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}
#endif

}  // namespace
