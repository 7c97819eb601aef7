// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Histograms, counts and searches beside NumPy's frozen results, and large ones beside a loop on the host.

#include <Kokkos_DualView.hpp>
#include <cmath>
#include <quern/keyed.hpp>
#include <quern/map.hpp>

#include "support/keyed.hpp"
#include "support/reference_archive.hpp"

namespace {

const test::reference_archive numpy("keyed/data/numpy.npz");
using test::expect_is;

template <class Case>
class Histogram : public testing::Test {
 protected:
  template <class V>
  static auto row(const std::vector<V>& values) {
    return test::make_array<V, 1, typename Case::layout, typename Case::exec>(
        {static_cast<std::int64_t>(values.size())}, values);
  }
};
using out_cases = test::covering<std::int64_t, std::uint32_t, double>;
TYPED_TEST_SUITE(Histogram, out_cases);

TYPED_TEST(Histogram, OfNumPy) {
  using E = typename TypeParam::exec;
  using O = typename TypeParam::value;
  const auto x = this->row(numpy.values("binned"));
  const auto out = test::make_array<O, 1, typename TypeParam::layout, E>({37});
  quern::histogram(E(), out, x, quern::bin_range{numpy.value("bins_low"), numpy.value("bins_high")});
  expect_is(numpy.values<std::int64_t>("equal_bins"), test::contents(out));
  quern::histogram(out, x, quern::bin_range{numpy.value("bins_low"), numpy.value("bins_high")});
  expect_is(numpy.values<std::int64_t>("equal_bins"), test::contents(out));
  const auto edges = this->row(numpy.values("uneven_edges"));
  const auto uneven = test::make_array<O, 1, typename TypeParam::layout, E>({21});
  quern::histogram(E(), uneven, x, edges);
  expect_is(numpy.values<std::int64_t>("uneven_bins"), test::contents(uneven));
  quern::histogram(uneven, x, edges);
  expect_is(numpy.values<std::int64_t>("uneven_bins"), test::contents(uneven));
  const auto keys = this->row(numpy.values<std::int32_t>("bin_keys"));
  const auto counts = test::make_array<O, 1, typename TypeParam::layout, E>({50});
  quern::bincount(E(), counts, keys);
  expect_is(numpy.values<std::int64_t>("bin_counts"), test::contents(counts));
  if constexpr (std::is_same_v<O, double>) {
    const auto weights = this->row(numpy.values("binned_weights"));
    quern::histogram(E(), out, x, quern::bin_range{numpy.value("bins_low"), numpy.value("bins_high")},
                     quern::weights{weights});
    expect_is(numpy.values("equal_bins_weighted"), test::contents(out));
  }
}

/// Keys with a distribution, weights that are small whole numbers, and their sums by a loop.
template <class Exec, class Key, class Weight, class Out>
void expect_sums(std::int64_t n, std::int64_t bins, const std::vector<Key>& keys, const std::vector<Weight>& weights) {
  const auto x = test::make_array<Key, 1, Kokkos::LayoutRight, Exec>({n}, keys);
  const auto w = test::make_array<Weight, 1, Kokkos::LayoutRight, Exec>({n}, weights);
  const auto out = test::make_array<Out, 1, Kokkos::LayoutRight, Exec>({bins});
  std::vector<Out> counts(bins), sums(bins);
  for (std::int64_t i = 0; i < n; ++i)
    if (std::cmp_greater_equal(keys[i], 0) && std::cmp_less(keys[i], bins)) {
      ++counts[keys[i]];
      sums[keys[i]] += static_cast<Out>(weights[i]);
    }
  quern::bincount(Exec(), out, x);
  EXPECT_EQ(counts, test::contents(out));
  quern::bincount(Exec(), out, x, quern::weights{w});
  EXPECT_EQ(sums, test::contents(out));
  // From the second element on, where no pack is aligned.
  const auto one_less = Kokkos::subview(x, Kokkos::pair<std::int64_t, std::int64_t>(1, n));
  quern::bincount(out, one_less, quern::weights{Kokkos::subview(w, Kokkos::pair<std::int64_t, std::int64_t>(1, n))});
  if (std::cmp_greater_equal(keys[0], 0) && std::cmp_less(keys[0], bins)) sums[keys[0]] -= static_cast<Out>(weights[0]);
  EXPECT_EQ(sums, test::contents(out));
}

template <class Exec>
class Bins : public testing::Test {
 protected:
  /// All keys in one bin, few, many, some of them outside.
  template <class Key, class Weight, class Out>
  static void check() {
    const std::int64_t n = 200'003;
    for (const std::int64_t bins : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{300'000}}) {
      std::vector<Key> spread(n), same(n, static_cast<Key>(bins - 1));
      std::vector<Weight> weights(n);
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t hash = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 20;
        spread[i] = static_cast<Key>(hash % (bins + 2));
        weights[i] = static_cast<Weight>(hash % 7);
      }
      expect_sums<Exec, Key, Weight, Out>(n, bins, spread, weights);
      if (std::in_range<Key>(bins)) expect_sums<Exec, Key, Weight, Out>(n, bins, same, weights);
    }
  }
};
TYPED_TEST_SUITE(Bins, test::all_spaces);

TYPED_TEST(Bins, OfManyKeysAndTypes) {
  this->template check<std::int32_t, double, double>();
  this->template check<std::int64_t, float, float>();
  this->template check<std::uint8_t, std::int32_t, std::int64_t>();
}

TYPED_TEST(Bins, OfRowsAndBroadcastWeights) {
  const auto x = test::make_array<float, 2, Kokkos::LayoutLeft, TypeParam>({30, 50}, test::samples<float>(1500));
  const auto w = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({30, 1}, test::samples<double>(30, 3));
  const auto out = test::make_array<double, 1, Kokkos::LayoutStride, TypeParam>({8});
  quern::histogram(TypeParam(), out, x, quern::bin_range{-4, 4}, quern::weights{w});
  const auto values = test::samples<float>(1500);
  const auto weights = test::samples<double>(30, 3);
  std::vector<double> expected(8);
  for (int i = 0; i < 1500; ++i)
    if (values[i] >= -4 && values[i] <= 4)
      expected[std::min(7, static_cast<int>(std::floor(values[i])) + 4)] += weights[i / 50];
  EXPECT_EQ(expected, test::contents(out));
}

TYPED_TEST(Bins, OfPoints) {
  const std::int64_t n = 5000;
  const auto values = test::samples<double>(3 * n);  // quarters from -5 to 5
  const auto x = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({n, 3}, values);
  const auto weights = test::samples<float>(n, 9);
  const auto w = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({n}, weights);
  const std::array<quern::bin_range, 3> ranges{{{-5, 5}, {-2, 2}, {0, 5}}};
  const auto counts = test::make_array<std::int64_t, 3, Kokkos::LayoutStride, TypeParam>({10, 4, 5});
  const auto sums = test::make_array<double, 3, Kokkos::LayoutLeft, TypeParam>({10, 4, 5});
  std::vector<std::int64_t> expected(200);
  std::vector<double> expected_sums(200);
  for (std::int64_t i = 0; i < n; ++i) {
    const double* p = values.data() + 3 * i;
    if (std::fabs(p[1]) > 2 || p[2] < 0) continue;
    const int a = std::min(9, static_cast<int>(std::floor(p[0])) + 5),
              b = std::min(3, static_cast<int>(std::floor(p[1])) + 2), c = std::min(4, static_cast<int>(p[2]));
    ++expected[(a * 4 + b) * 5 + c];
    expected_sums[(a * 4 + b) * 5 + c] += weights[i];
  }
  quern::histogram(TypeParam(), counts, x, ranges);
  EXPECT_EQ(expected, test::contents(counts));
  quern::histogram(sums, x, ranges, quern::weights{w});
  EXPECT_EQ(expected_sums, test::contents(sums));
  const auto wrong = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({10, 4});
  test::expect_error("quern::histogram: out has extents (10, 4) and x (5000, 3), expected rank 3 and (n, 3)",
                     [&] { quern::histogram(TypeParam(), wrong, x, ranges); });
}

TYPED_TEST(Bins, CheckedKeys) {
  const auto keys = test::make_array<std::int32_t, 2, Kokkos::LayoutLeft, TypeParam>({2, 3}, {0, 1, 3, -2, 1, 7});
  const auto weights = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto out = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({3}, {9, 9, 9});
  const auto first = [](const auto& call) {
    try {
      call();
    } catch (const quern::KeyRangeError& e) {
      EXPECT_STREQ("quern::bincount: the key at position 2 is not from 0 to 2", e.what());
      return e.position();
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(2, first([&] { quern::bincount(TypeParam(), out, keys, quern::checked); }));
  EXPECT_EQ(2, first([&] { quern::bincount(TypeParam(), out, keys, quern::weights{weights}, quern::checked); }));
  EXPECT_EQ(2, first([&] { quern::bincount(out, keys, quern::checked); }));
  EXPECT_EQ(2, first([&] { quern::bincount(out, keys, quern::weights{weights}, quern::checked); }));
  EXPECT_EQ((std::vector<double>{9, 9, 9}), test::contents(out));
  const auto right = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({8});
  const auto no_negative = Kokkos::subview(keys, 0, Kokkos::ALL);
  quern::bincount(right, no_negative, quern::checked);
  EXPECT_EQ((std::vector<double>{1, 1, 0, 1, 0, 0, 0, 0}), test::contents(right));
}

// Keys of any type, in a range that begins anywhere.
TYPED_TEST(Bins, KeysInARange) {
  using quern::key_range, Kokkos::LayoutRight;
  const auto keys = test::make_array<std::int32_t, 2, LayoutRight, TypeParam>({2, 3}, {-1, 1, 3, -2, 1, 7});
  const auto row = test::make_array<double, 1, LayoutRight, TypeParam>({3}, {1, 2, 4});
  const auto out = test::make_array<double, 1, LayoutRight, TypeParam>({4});
  quern::bincount(TypeParam(), out, keys, key_range{-2, 2});
  EXPECT_EQ((std::vector<double>{1, 1, 0, 2}), test::contents(out));
  quern::bincount(out, keys, quern::weights{row}, key_range{-2, 2});
  EXPECT_EQ((std::vector<double>{1, 1, 0, 4}), test::contents(out));
  constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  const auto large = test::make_array<std::uint64_t, 1, LayoutRight, TypeParam>({4}, {highest, 0, 1, highest - 1});
  quern::bincount(TypeParam(), out, large, key_range{-2, 2});
  EXPECT_EQ((std::vector<double>{0, 0, 1, 1}), test::contents(out));
  EXPECT_THROW(quern::bincount(TypeParam(), out, keys, key_range{-2, 2}, quern::checked), quern::KeyRangeError);
  test::expect_error("quern::bincount: out has extents (4), expected (3)",
                     [&] { quern::bincount(out, keys, key_range{-2, 1}); });
  test::expect_error("quern::bincount: the range of keys is from 2 to -2",
                     [&] { quern::bincount(out, keys, key_range{2, -2}); });
}

// What an output held on the other side does not matter.
TYPED_TEST(Bins, DualViewsAsOutputs) {
  Kokkos::DualView<std::int32_t*, typename TypeParam::device_type> out("out", 3);
  out.modify_host();
  quern::bincount(TypeParam(), out,
                  test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({4}, {0, 2, 2, 5}));
  out.sync_host();
  EXPECT_EQ(1, out.view_host()(0));
  EXPECT_EQ(0, out.view_host()(1));
  EXPECT_EQ(2, out.view_host()(2));
}

TYPED_TEST(Bins, OfNothing) {
  const auto none = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({0});
  const auto nan =
      test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({5}, std::vector<double>(5, std::nan("")));
  const auto out = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({3}, {7, 7, 7});
  quern::histogram(TypeParam(), out, none, quern::bin_range{0, 1});
  EXPECT_EQ((std::vector<std::int32_t>{0, 0, 0}), test::contents(out));
  quern::histogram(TypeParam(), out, nan, quern::bin_range{0, 1});
  EXPECT_EQ((std::vector<std::int32_t>{0, 0, 0}), test::contents(out));
  const auto no_bins = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({0});
  quern::bincount(TypeParam(), no_bins, out);
}

TYPED_TEST(Bins, ReportMisuse) {
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({5}, {0, 1, 3, 2, 4});
  const auto out = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({4});
  const auto matrix = test::make_array<std::int32_t, 2, Kokkos::LayoutRight, TypeParam>({4, 2});
  const TypeParam e;
  test::expect_error(
      "quern::histogram: the range is from 1.000000 to 1.000000, expected low < high at a finite distance",
      [&] { quern::histogram(e, out, x, quern::bin_range{1, 1}); });
  test::expect_error("quern::histogram: out has extents (4, 2), expected rank 1",
                     [&] { quern::histogram(e, matrix, x, quern::bin_range{0, 1}); });
  test::expect_error("quern::histogram: in 2 has extents (4), which do not broadcast to (5)",
                     [&] { quern::histogram(e, out, x, quern::bin_range{0, 1}, quern::weights{out}); });
  test::expect_error("quern::histogram: edges has extents (4), expected one more than out with extents (4)",
                     [&] { quern::histogram(e, out, x, out); });
  const auto descent = [&](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const quern::UnsortedError& found) {
      EXPECT_EQ(2, found.position());
    }
  };
  descent([&] { quern::histogram(e, out, x, x); });
  const auto places = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({5});
  descent([&] { quern::digitize(e, places, x, x); });
  Kokkos::View<std::int8_t*, TypeParam> narrow("narrow", x.extent(0));
  test::expect_error("quern::searchsorted: positions to before 129 do not fit the type of out, of 8 bits",
                     [&] { quern::searchsorted(e, narrow, Kokkos::View<double*, TypeParam>("sorted", 128), x); });
  test::expect_error("quern::searchsorted: the sorted values has extents (4, 2), expected rank 1",
                     [&] { quern::searchsorted(e, places, matrix, x); });
}

TYPED_TEST(Bins, SearchesOfNumPy) {
  const auto row = [](const auto& values) {
    using V = typename std::remove_cvref_t<decltype(values)>::value_type;
    return test::make_array<V, 1, Kokkos::LayoutStride, TypeParam>({static_cast<std::int64_t>(values.size())}, values);
  };
  const auto sorted = row(numpy.values("sorted_with_nan")), sought = row(numpy.values("sought"));
  const auto found = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>(
      {static_cast<std::int64_t>(numpy.values("sought").size())});
  quern::searchsorted(TypeParam(), found, sorted, sought);
  EXPECT_EQ(numpy.values<std::int64_t>("found_left"), test::contents(found));
  quern::searchsorted(found, sorted, sought, quern::search_side::right);
  EXPECT_EQ(numpy.values<std::int64_t>("found_right"), test::contents(found));
  const auto values = row(numpy.values("finite_values")), edges = row(numpy.values("uneven_edges"));
  const auto bins = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>(
      {static_cast<std::int64_t>(numpy.values("finite_values").size())});
  quern::digitize(TypeParam(), bins, values, edges);
  EXPECT_EQ(numpy.values<std::int64_t>("digitized"), test::contents(bins));
  quern::digitize(bins, values, edges, quern::search_side::left);
  EXPECT_EQ(numpy.values<std::int64_t>("digitized_right"), test::contents(bins));
}

/// Searches of many values, which hosts do several at a time, by their definition.
template <class Exec, class T>
void expect_positions(const std::vector<T>& sorted, const std::vector<T>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const auto in = test::row<Exec>(sorted), x = test::row<Exec>(values);
  const auto found = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, Exec>({n});
  const auto before = [](const T& a, const T& b) { return a < b || (a == a && b != b); };
  for (const auto side : {quern::search_side::left, quern::search_side::right}) {
    std::vector<std::int32_t> expected(n);
    for (std::int64_t i = 0; i < n; ++i)
      expected[i] = static_cast<std::int32_t>(std::count_if(sorted.begin(), sorted.end(), [&](const T& y) {
        return side == quern::search_side::left ? before(y, values[i]) : !before(values[i], y);
      }));
    quern::searchsorted(Exec(), found, in, x, side);
    EXPECT_EQ(expected, test::contents(found));
  }
}

TYPED_TEST(Bins, SearchesOfMany) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::vector<double> sorted(300), values(1013);
  std::vector<std::int16_t> keys(300), sought(1013);
  for (int i = 0; i < 300; ++i) sorted[i] = 0.5 * (i / 3), keys[i] = static_cast<std::int16_t>(i / 4 - 20);
  for (int i = 0; i < 1013; ++i)
    values[i] = i % 113 - 0.25 * (i % 3), sought[i] = static_cast<std::int16_t>(i % 97 - 30);
  expect_positions<TypeParam>(keys, sought);
  expect_positions<TypeParam>(sorted, values);
  std::copy_n(std::array{-inf, -inf, -0.0, 0.0, 0.25}.begin(), 5, sorted.begin());
  std::fill(sorted.end() - 7, sorted.end(), nan);
  sorted[292] = inf;
  for (int i = 0; i < 60; ++i) values[17 * i] = std::array{nan, inf, -inf, -0.0}[i % 4];
  expect_positions<TypeParam>(sorted, values);
  expect_positions<TypeParam>(std::vector<double>(), values);
}

TYPED_TEST(Bins, OfManyEdgesAndWeights) {
  const int n = 1013, bins = 70;
  std::vector<float> edges(bins + 1), values(n);
  std::vector<double> weights(n), expected(bins);
  for (int b = 0; b <= bins; ++b) edges[b] = static_cast<float>(b * b);
  for (int i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i * 5 - 20);
    weights[i] = i % 11;
    for (int b = 0; b < bins; ++b)
      if (values[i] >= edges[b] && (values[i] < edges[b + 1] || (b == bins - 1 && values[i] == edges[bins])))
        expected[b] += weights[i];
  }
  const auto out = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({bins});
  const auto x = test::row<TypeParam>(values), e = test::row<TypeParam>(edges);
  quern::histogram(TypeParam(), out, x, e, quern::weights{test::row<TypeParam>(weights)});
  EXPECT_EQ(expected, test::contents(out));
}

// Ranges without enough numbers for the edges of their bins.
TYPED_TEST(Bins, NearlyEqualEdges) {
  const auto counts = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({10});
  const auto x = test::row<TypeParam>(std::vector<double>{1, 2});
  for (const quern::bin_range range : {quern::bin_range{1, std::nextafter(1.0, 2.0)},
                                       {1e15, 1e15 + 1},
                                       {1, 1 + 1e-15},
                                       {0, 5e-324},
                                       {-1e300, -1e300 * (1 - 1e-15)}})
    test::expect_error("quern::histogram: the range is too small for 10 bins: their edges are equal in double",
                       [&] { quern::histogram(TypeParam(), counts, x, range); });
  quern::histogram(counts, x, {1, 1 + 1e-13});
  EXPECT_EQ((std::vector<std::int64_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}), test::contents(counts));
}

// Values and what they are compared with may be of different types.
TYPED_TEST(Bins, NumbersOfDifferentTypes) {
  constexpr auto large = std::numeric_limits<std::uint64_t>::max();
  const auto place = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({3});
  const auto places = [&] { return test::contents(place); };
  using v = std::vector<std::int32_t>;
  const auto negative = test::row<TypeParam>(std::vector<std::int64_t>{-1, 5, 2});
  const auto naturals = test::row<TypeParam>(std::vector<std::uint64_t>{0, 2, 5, large});
  quern::searchsorted(TypeParam(), place, naturals, negative);
  EXPECT_EQ((v{0, 2, 1}), places());
  quern::searchsorted(TypeParam(), place, naturals, negative, quern::search_side::right);
  EXPECT_EQ((v{0, 3, 2}), places());
  const auto integers = test::row<TypeParam>(std::vector<std::int32_t>{-5, -1, 3});
  quern::searchsorted(place, integers, test::row<TypeParam>(std::vector<std::uint32_t>{0, 4294967295u, 3}));
  EXPECT_EQ((v{2, 3, 2}), places());
  const auto floats = test::row<TypeParam>(std::vector<float>{0x1p24f, 0x1p24f + 2});
  quern::searchsorted(place, floats, test::row<TypeParam>(std::vector<std::int64_t>{(1 << 24) + 1, 1 << 24, 1 << 25}));
  EXPECT_EQ((v{1, 0, 2}), places());
  quern::digitize(place, negative, naturals);
  EXPECT_EQ((v{0, 3, 2}), places());
  const auto counts = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({3});
  quern::histogram(counts, negative, naturals);  // -1 is in no bin, 2 begins the second, 5 the last
  EXPECT_EQ((std::vector<std::int64_t>{0, 1, 1}), test::contents(counts));
  const auto two = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({2});
  quern::histogram(two, test::row<TypeParam>(std::vector<double>{-5.5, -0.5, 2.5, 3.5}), integers);
  EXPECT_EQ((std::vector<std::int64_t>{0, 2}), test::contents(two));
}

// Values at edges and beside them, in a row, which hosts look at together, and in a column, which they do not.
TYPED_TEST(Bins, BesideEdges) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const quern::bin_range range : {quern::bin_range{0, 1}, {-3.7, 1e-3}, {1e15, 1e15 + 3}, {-1e300, 1e300}})
    for (const int bins : {1, 7, 1000}) {
      if (range.low == 1e15 && bins == 1000) continue;  // NearlyEqualEdges
      std::vector<double> values{nan, inf, -inf, -0.0, 1e300, -1e300};
      const double step = (range.high - range.low) / bins;
      for (int b = 0; b <= bins; ++b) {
        const double edge = b == bins ? range.high : range.low + b * step;
        values.insert(values.end(), {edge, std::nextafter(edge, -inf), std::nextafter(edge, inf), edge + step / 2});
      }
      std::vector<std::int64_t> expected(bins);
      for (const double x : values) {
        if (!(x >= range.low && x <= range.high)) continue;
        const volatile double product =
            std::min(std::floor((x - range.low) * (bins / (range.high - range.low))), bins - 1.0);
        auto b = static_cast<std::int64_t>(product);
        const auto edge = [&](std::int64_t i) {
          const volatile double offset = static_cast<double>(i) * step;
          return offset + range.low;
        };
        if (x < edge(b)) --b;
        else if (b + 1 < bins && x >= edge(b + 1)) ++b;
        ++expected[b];
      }
      const auto n = static_cast<std::int64_t>(values.size());
      const auto table = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({n, 2});
      const auto column = Kokkos::subview(table, Kokkos::ALL, 1);
      const auto row = test::row<TypeParam>(values);
      quern::copy(TypeParam(), column, row);
      const auto counts = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({bins});
      quern::histogram(TypeParam(), counts, row, range);
      EXPECT_EQ(expected, test::contents(counts)) << range.low << ' ' << bins;
      quern::histogram(TypeParam(), counts, column, range);
      EXPECT_EQ(expected, test::contents(counts)) << range.low << ' ' << bins;
    }
}

}  // namespace
