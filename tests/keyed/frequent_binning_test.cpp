// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of devices that add up by bins of which some are frequent, by teams of threads of the host.

#include <algorithm>
#include <cmath>
#include <quern/keyed/device_binning.hpp>
#include <quern/keyed/frequent_binning.hpp>
#include <quern/keyed/histogram.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>

namespace {

using quern::impl::own_bin;
using host = Kokkos::DefaultHostExecutionSpace;

/// Samples of values, sums and chosen bins as `bin_by_frequent` asks for them.
template <class W, class Out>
struct on_threads {
  using weights = std::conditional_t<std::is_same_v<W, void>, quern::impl::no_weights, const W*>;
  using work_type = quern::impl::binned_values<host, own_bin, const int*, weights, Out>;
  static constexpr int threads = 8, teams = 5, log_sets = 4, sets = 1 << log_sets, of_thread = 16;
  static constexpr int log_counted_sets = 7;
  std::vector<quern::impl::frequent_bin> chosen = std::vector<quern::impl::frequent_bin>(2 * sets);
  std::uint32_t least = 2, least_top = 40;

  std::vector<Out> operator()(const std::vector<int>& keys, weights w, std::int64_t bins, std::int64_t step = 1) {
    std::vector<Out> out(bins);
    const work_type work = of(keys, w, out, step);
    find(work);
    const quern::impl::frequent_binning<work_type> kernel{work, chosen.data(), log_sets, least_top};
    test::run_teams(kernel, teams, threads, 2, kernel.bytes());
    return out;
  }
  /// Of bins that all fit into a team's memory, so many times.
  std::vector<Out> in_copies(const std::vector<int>& keys, weights w, std::int64_t bins, int copies) {
    std::vector<Out> out(bins);
    quern::impl::device_binning<work_type> kernel{of(keys, w, out, 1), of_thread, 256, copies};
    kernel.work.shared = true;
    EXPECT_TRUE(test::run_teams(kernel, teams, threads, 2, kernel.bytes())) << "writes behind its memory";
    return out;
  }
  static work_type of(const std::vector<int>& keys, weights w, std::vector<Out>& out, std::int64_t step) {
    const auto bins = static_cast<std::int64_t>(out.size());
    const auto n = static_cast<std::int64_t>(keys.size()) / step;
    const quern::shape extents{n};
    const quern::impl::row_nest<2> nest(
        quern::impl::make_loop_nest<2>(extents, {quern::impl::stride_array{step}, quern::impl::stride_array{step}}));
    const quern::impl::strided<Out> to{out.data(), quern::shape{bins}, {1}};
    return {own_bin{bins}, keys.data(), w, nest, n, step == 1, out.data(), quern::impl::element_offsets<1>(to),
            bins,          false};
  }
  void find(const work_type& work) {
    std::vector<std::uint32_t> table(2 * quern::impl::sampled_bins::entries << log_counted_sets);
    const quern::impl::sampled_bins all{table.data(), table.data() + table.size() / 2, log_counted_sets};
    const quern::impl::sample_bins<work_type> sample{work, all, 256, of_thread};
    test::run_teams(sample, teams, threads, 2, quern::impl::bin_counts::bytes(256));
    for (int set = 0; set < sets; ++set) quern::impl::choose_frequent{all, least, log_sets, chosen.data()}(set);
  }
  bool has(int bin) const {
    return std::any_of(chosen.begin(), chosen.end(), [&](auto f) { return f.bin() == static_cast<unsigned>(bin + 1); });
  }
};

/// From 0 to 1, of 1681 values.
double fraction(std::int64_t i) {
  const auto digit = [&](std::uint64_t seed) { return (test::sample(i, seed) + 5) * 4 / 41; };
  return digit(1) + digit(2) / 41;
}
/// Bin k of n about 1 / (k + 1) times as often as bin 0; some keys have no bin.
std::vector<int> log_uniform(std::int64_t n, double bins) {
  std::vector<int> keys(n);
  for (std::int64_t i = 0; i < n; ++i)
    keys[i] = i % 17 == 3 ? -5 : static_cast<int>(std::exp(fraction(i) * std::log(bins)) - 1);
  return keys;
}
template <class Out, class W>
std::vector<Out> plain(const std::vector<int>& keys, const W& weight, std::int64_t bins, std::int64_t step = 1) {
  std::vector<Out> out(bins);
  for (std::size_t i = 0; i + step <= keys.size(); i += step)
    if (keys[i] >= 0 && keys[i] < bins) out[keys[i]] += static_cast<Out>(weight(i));
  return out;
}
double weight_of(std::size_t i) { return 1 + static_cast<double>(i % 3); }
std::vector<double> small_weights(std::size_t n) {
  std::vector<double> w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = weight_of(i);
  return w;
}

TEST(FrequentBinning, CountsSkewedKeys) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  const auto keys = log_uniform(40'001, 5000);
  on_threads<void, std::int64_t> count;
  EXPECT_EQ((plain<std::int64_t>(keys, [](std::size_t) { return 1; }, 5000)), count(keys, {}, 5000));
  EXPECT_TRUE(count.has(0) && count.has(1) && count.has(2)) << "the most frequent ones";
}
TEST(FrequentBinning, AddsRunsInCopiesOfFewBins) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  constexpr int bins = 50;
  std::vector<int> keys(40'001);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = i % 101 == 0 ? -1 : static_cast<int>(test::sample(i / 64, 1) * test::sample(i / 64, 2) + 25);
  const auto w = small_weights(keys.size());
  for (int copies : {1, 2, 4})
    EXPECT_EQ((plain<double>(keys, weight_of, bins)),
              (on_threads<double, double>().in_copies(keys, w.data(), bins, copies)))
        << copies << " copies";
}
TEST(FrequentBinning, AddsWeights) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  const auto keys = log_uniform(40'001, 5000);
  const auto w = small_weights(keys.size());
  on_threads<double, double> sum;
  EXPECT_EQ((plain<double>(keys, weight_of, 5000)), sum(keys, w.data(), 5000));
}
TEST(FrequentBinning, TakesElementsWithGaps) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  const auto keys = log_uniform(30'000, 700);
  const auto w = small_weights(keys.size());
  on_threads<double, float> sum;
  EXPECT_EQ((plain<float>(keys, weight_of, 700, 3)), sum(keys, w.data(), 700, 3));
}
TEST(FrequentBinning, AddsToOneBinAndToNone) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  on_threads<void, int> count;
  std::vector<int> expected(1000);
  EXPECT_EQ(expected, count(std::vector<int>(20'000, -1), {}, 1000));
  expected[777] = 20'000;
  EXPECT_EQ(expected, count(std::vector<int>(20'000, 777), {}, 1000));
  EXPECT_TRUE(count.has(777));
}
// Of what is sampled most bins are rare, and more than there are sums for.
TEST(FrequentBinning, FindsAFrequentBinAmongManyRareOnes) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  std::vector<int> keys(60'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = test::sample(static_cast<std::int64_t>(i), 3) < 0 ? 31'337 : static_cast<int>(i);
  for (int repeat = 0; repeat < 5; ++repeat) {
    on_threads<void, int> count;
    EXPECT_EQ((plain<int>(keys, [](std::size_t) { return 1; }, 60'000)), count(keys, {}, 60'000));
    EXPECT_TRUE(count.has(31'337)) << "half of the keys";
  }
}
TEST(FrequentBinning, KeepsInfiniteWeightsApart) {
  if (!test::has_atomics) GTEST_SKIP() << "Kokkos has Serial alone";
  auto keys = log_uniform(20'000, 900);
  auto w = small_weights(keys.size());
  keys[100] = 5;
  w[100] = -INFINITY;
  keys[200] = 901;
  on_threads<double, double> sum;
  const auto found = sum(keys, w.data(), 902);
  EXPECT_EQ(-INFINITY, found[5]);
  EXPECT_EQ(w[200], found[901]);
  EXPECT_EQ(1, std::count_if(found.begin(), found.end(), [](double s) { return !std::isfinite(s); }));
}
TEST(FrequentBins, AreThoseThatOccurMostOften) {
  std::vector<std::uint32_t> table(2 * quern::impl::sampled_bins::entries * 2);
  const quern::impl::sampled_bins all{table.data(), table.data() + table.size() / 2, 1};
  for (int bin = 0; bin < 40; ++bin) all.add(bin, bin == 31 ? 90 : bin == 7 ? 80 : 1 + bin % 9);
  quern::impl::frequent_bin chosen[4];
  for (int set = 0; set < 2; ++set) quern::impl::choose_frequent{all, 50, 1, chosen}(set);
  std::vector<std::uint32_t> found;
  for (const auto f : chosen)
    if (f.bin() != 0) found.push_back(f.bin() - 1);
  std::sort(found.begin(), found.end());
  EXPECT_EQ((std::vector<std::uint32_t>{7, 31}), found);
}

}  // namespace
