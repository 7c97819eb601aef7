// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Histograms and sums of groups over ranks beside loops over the whole array.

#include <algorithm>
#include <distributed/world.hpp>
#include <quern/distributed/histogram.hpp>
#include <support/operand_functors.hpp>
#include <vector>

namespace {

using Kokkos::LayoutRight;
using quern::Decomposition;

/// The counts, or sums of weights, of values in equal bins from -5 to 5, by a loop.
template <class R>
std::vector<R> by_loop(int bins, const std::vector<double>& values, const std::vector<R>& weights) {
  std::vector<R> sums(bins);
  for (std::size_t i = 0; i < values.size(); ++i)
    sums[std::min(static_cast<int>((values[i] + 5) * bins / 10), bins - 1)] += weights[i];
  return sums;
}

struct two_less {
  KOKKOS_FUNCTION int operator()(int key) const { return key - 2; }
};

template <class Exec>
struct DistributedHistogram : testing::Test {
  static constexpr std::int64_t rows = 40, columns = 25, size = rows * columns;
  const Decomposition d{test::world(), {rows, columns}};
  const std::vector<double> values = test::samples<double>(size, 5);  // quarters, whose sums are exact

  template <class T>
  auto distributed_array(const std::vector<T>& v) const {
    return test::distribute<T, 2, LayoutRight, Exec>(d, v);
  }
};
TYPED_TEST_SUITE(DistributedHistogram, test::all_spaces);

TYPED_TEST(DistributedHistogram, CountsThoseOfAllRanks) {
  const Kokkos::View<std::int64_t*, TypeParam> found("found", 9);
  quern::histogram(TypeParam(), found, this->distributed_array(this->values), quern::bin_range{-5, 5});
  EXPECT_EQ(by_loop(9, this->values, std::vector<std::int64_t>(this->size, 1)), test::contents(found));
}

TYPED_TEST(DistributedHistogram, AddsWeights) {
  const Kokkos::View<double*, TypeParam> found("found", 13);
  const auto u = this->distributed_array(this->values);
  quern::histogram(TypeParam(), found, u, quern::bin_range{-5, 5}, quern::weights{u});
  EXPECT_EQ(by_loop(13, this->values, this->values), test::contents(found));
}

// Views are whole, and broadcast as they do in memory.
TYPED_TEST(DistributedHistogram, WeightsOfFewerExtents) {
  using E = TypeParam;
  const E exec{};
  const auto u = this->distributed_array(this->values);
  const auto whole = test::make_array<double, 2, LayoutRight, E>({this->rows, this->columns}, this->values);
  const Kokkos::View<double*, E> expected("expected", 13), found("found", 13);
  const auto check = [&](const auto& weights) {
    quern::histogram(exec, expected, whole, quern::bin_range{-5, 5}, quern::weights{weights});
    quern::histogram(exec, found, u, quern::bin_range{-5, 5}, quern::weights{weights});
    EXPECT_EQ(test::contents(expected), test::contents(found));
  };
  const auto row =
      test::make_array<double, 1, LayoutRight, E>({this->columns}, test::samples<double>(this->columns, 2));
  const auto column =
      test::make_array<double, 2, LayoutRight, E>({this->rows, 1}, test::samples<double>(this->rows, 3));
  check(row);
  check(column);
  check(quern::lazy(test::weighted(), column, row));
}

TYPED_TEST(DistributedHistogram, OfMoreBinsThanValues) {
  const std::int64_t bins = 50'000;
  const Kokkos::View<std::int64_t*, TypeParam> found("found", bins);
  quern::histogram(TypeParam(), found, this->distributed_array(this->values), quern::bin_range{-5, 5});
  EXPECT_EQ(by_loop(bins, this->values, std::vector<std::int64_t>(this->size, 1)), test::contents(found));
}

// Keys that are no bin's are left out.
TYPED_TEST(DistributedHistogram, BincountAddsWeights) {
  std::vector<int> keys(this->size);
  std::vector<double> expected(13);
  for (int i = 0; i < this->size; ++i) {
    keys[i] = static_cast<int>(test::sample(i, 9) * 4) % 17;
    if (keys[i] >= 0 && keys[i] < 13) expected[keys[i]] += this->values[i];
  }
  const Kokkos::View<double*, TypeParam> found("found", 13);
  quern::bincount(TypeParam(), found, this->distributed_array(keys),
                  quern::weights{this->distributed_array(this->values)});
  EXPECT_EQ(expected, test::contents(found));
}

// As on one device, where some ranks have no cells.
TYPED_TEST(DistributedHistogram, MoreRanksThanRows) {
  using E = TypeParam;
  const E exec{};
  for (const std::array<std::int64_t, 2>& e : {std::array<std::int64_t, 2>{2, 5}, {1, 1}, {0, 3}})
    for (const auto& grid : test::grids(test::world().size(), 2)) {
      const Decomposition few(test::world(), {e[0], e[1]}, {.grid = grid});
      const auto values = test::samples<double>(e[0] * e[1], 5);
      const auto keys = test::samples<int>(e[0] * e[1], 6);
      const auto whole = test::make_array<double, 2, LayoutRight, E>(e, values);
      const auto whole_keys = test::make_array<int, 2, LayoutRight, E>(e, keys);
      const auto u = test::distribute<double, 2, LayoutRight, E>(few, values);
      const auto k = test::distribute<int, 2, LayoutRight, E>(few, keys);
      const Kokkos::View<double*, E> expected("expected", 4), found("found", 4);
      const auto check = [&](const auto& count) {
        Kokkos::deep_copy(found, -1.0);
        count(expected, whole, whole_keys);
        count(found, u, k);
        EXPECT_EQ(test::contents(expected), test::contents(found)) << e[0];
      };
      const auto edges = test::make_array<double, 1, LayoutRight, E>({5}, {-6, -1, 0, 2, 6});
      check([&](const auto& out, const auto& x, const auto&) {
        quern::histogram(exec, out, x, quern::bin_range{-6, 6}, quern::weights{x});
      });
      check([&](const auto& out, const auto& x, const auto&) { quern::histogram(exec, out, x, edges); });
      check([&](const auto& out, const auto&, const auto& of) { quern::bincount(exec, out, of); });
    }
}

// Keys from -3 on, of arrays that know their ranks.
TYPED_TEST(DistributedHistogram, BincountInARange) {
  std::vector<int> keys(this->size);
  std::vector<double> expected(8), counts(8);
  for (int i = 0; i < this->size; ++i) {
    keys[i] = static_cast<int>(test::sample(i, 9) * 4) % 17;
    if (keys[i] < -3 || keys[i] >= 5) continue;
    expected[keys[i] + 3] += this->values[i];
    ++counts[keys[i] + 3];
  }
  const Kokkos::View<double*, TypeParam> found("found", 8);
  const auto of = this->distributed_array(keys);
  quern::bincount(TypeParam(), found, of, quern::key_range{-3, 5},
                  quern::weights{this->distributed_array(this->values)});
  EXPECT_EQ(expected, test::contents(found));
  quern::bincount(found, of, quern::key_range{-3, 5});
  EXPECT_EQ(counts, test::contents(found));
}

TYPED_TEST(DistributedHistogram, SumsOfGroups) {
  using E = TypeParam;
  const E exec{};
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
  const auto of = test::make_array<int, 1, LayoutRight, E>({n}, keys);
  const quern::weights weights{test::make_array<double, 1, LayoutRight, E>({n}, x)};
  quern::bincount(exec, comm, out, of, quern::key_range{2, 7}, weights);
  EXPECT_EQ(expected, test::contents(out));
  quern::bincount(exec, comm, out, quern::lazy(two_less(), of), weights);
  EXPECT_EQ(expected, test::contents(out));
  test::expect_error("quern::bincount: out has extents (5), expected (6)",
                     [&] { quern::bincount(exec, comm, out, of, quern::key_range{2, 8}, weights); });
  const Kokkos::View<double**, E> table("table", 2, 2);
  test::expect_error("quern::bincount: out has extents (2, 2), expected (4)",
                     [&] { quern::bincount(exec, comm, table, of); });
  // What is wrong on the last rank alone keeps no other one waiting.
  const std::int64_t last = comm.size() - 1, more = comm.rank() == last ? 2 : 0;
  const quern::weights unfit{Kokkos::View<double*, E>("weights", n + more)};
  test::expect_error("quern::bincount: on rank " + std::to_string(last) + ": weights do not fit keys of extents (" +
                         std::to_string(10 * last) + ")",
                     [&] { quern::bincount(exec, comm, out, of, quern::key_range{2, 7}, unfit); });
}

}  // namespace
