// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <quern/core.hpp>
#include <quern/scan.hpp>
#include <random>
#include <support/testing.hpp>

namespace {

template <class S>
struct plus {
  KOKKOS_FUNCTION S operator()(const S& a, const S& b) const { return a + b; }
};
/// Keeps the last of two, which shows the order; 0 means none.
struct last {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b != 0 ? b : a; }
};

/// Offsets of segments of these lengths after `skipped` values.
std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& lengths, std::int64_t skipped = 0) {
  std::vector<std::int64_t> offsets{skipped};
  for (const auto n : lengths) offsets.push_back(offsets.back() + n);
  return offsets;
}

/// Lengths for every way in which tiles and segments may meet.
std::vector<std::vector<std::int64_t>> mixtures() {
  std::mt19937 random(3);
  std::vector<std::int64_t> power_law;
  for (int i = 0; i < 20'000; ++i)
    power_law.push_back(static_cast<std::int64_t>(0.5 / std::pow(1e-5 + (random() >> 1) * 0x1p-31, 0.8)));
  std::vector<std::int64_t> holes(30'000, 0);
  for (std::size_t i = 0; i < holes.size(); i += 977) holes[i] = 1'000;
  return {{},
          {0},
          {1},
          {5, 0, 3},
          {100'003},
          std::vector<std::int64_t>(50'021, 1),
          std::vector<std::int64_t>(10'000, 0),
          std::vector<std::int64_t>(3'000, 7),
          {2'816, 2'816, 1, 2'815, 70'000, 0, 0, 3},
          power_law,
          holes};
}

template <class Case>
struct Segmented : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  using S = quern::impl::sum_type<T>;
  exec e;

  template <class V>
  auto on_device(const std::vector<V>& v) {
    return test::make_array<V, 1, layout, exec>({static_cast<std::int64_t>(v.size())}, v);
  }

  /// Sums of small integers, which are exact, of segments that do not reach the ends of the values.
  void check(const std::vector<std::int64_t>& lengths, std::int64_t skipped, std::int64_t left_over) {
    const auto offsets = offsets_of(lengths, skipped);
    auto values = test::samples<T>(offsets.back() + left_over);
    for (auto& v : values) v = static_cast<T>(std::floor(static_cast<double>(v)));
    const auto x = on_device(values);
    const auto o = on_device(offsets);
    std::vector<S> sums(lengths.size(), S(0)), prefixes(values.size(), S(-77));
    for (std::size_t s = 0; s < lengths.size(); ++s)
      for (std::int64_t v = offsets[s]; v < offsets[s + 1]; ++v) prefixes[v] = sums[s] += static_cast<S>(values[v]);

    const auto out = test::make_array<S, 1, layout, exec>({static_cast<std::int64_t>(lengths.size())});
    quern::segmented_reduce(e, out, plus<S>(), S(0), x, o);
    ASSERT_EQ(sums, test::contents(out));
    const auto scanned = on_device(std::vector<S>(values.size(), S(-77)));
    quern::segmented_scan(e, scanned, plus<S>(), S(0), x, o);
    ASSERT_EQ(prefixes, test::contents(scanned));
  }
};
using cases = test::covering<double, std::int32_t, float>;
TYPED_TEST_SUITE(Segmented, cases);

TYPED_TEST(Segmented, EveryMixture) {
  for (const auto& lengths : mixtures()) {
    SCOPED_TRACE(testing::Message() << lengths.size() << " segments");
    this->check(lengths, 0, 0);
    this->check(lengths, 11, 5'000);
  }
}

template <class Exec>
struct SegmentedOn : testing::Test {
  Exec e;
  template <class T>
  auto on_device(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  template <class F>
  std::string message(const F& call) {
    try {
      call();
    } catch (const quern::Error& error) {
      return error.what();
    }
    return "no error";
  }
};
TYPED_TEST_SUITE(SegmentedOn, test::all_spaces);

TYPED_TEST(SegmentedOn, KeepsTheOrder) {
  const std::vector<std::int64_t> lengths{3, 0, 40'000, 1, 2'500};
  const auto offsets = offsets_of(lengths);
  std::vector<std::int64_t> values(offsets.back(), 0);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = static_cast<std::int64_t>(i) + 1;
  const auto x = this->on_device(values);
  const auto out = this->on_device(lengths);
  quern::segmented_reduce(out, last(), std::int64_t{0}, x, this->on_device(offsets));
  const auto found = test::contents(out);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    std::int64_t expected = 0;
    for (std::int64_t v = offsets[s]; v < offsets[s + 1]; ++v) expected = last()(expected, values[v]);
    EXPECT_EQ(expected, found[s]) << s;
  }
  const auto scanned = quern::like(x);
  quern::segmented_scan(scanned, last(), std::int64_t{0}, x, this->on_device(offsets));
  EXPECT_EQ(found[2], test::contents(scanned)[offsets[3] - 1]);
}

TYPED_TEST(SegmentedOn, InPlaceWithSmallOffsets) {
  const auto x = this->on_device(std::vector<double>(9'000, 1.0));
  const auto offsets = this->on_device(std::vector<std::int32_t>{0, 4'000, 4'001, 9'000});
  quern::segmented_scan(this->e, x, plus<double>(), 0.0, x, offsets, quern::checked);
  const auto found = test::contents(x);
  EXPECT_EQ(4'000.0, found[3'999]);
  EXPECT_EQ(1.0, found[4'000]);
  EXPECT_EQ(4'999.0, found[8'999]);
}

TYPED_TEST(SegmentedOn, BadOffsetsAreFoundOnRequest) {
  const auto x = this->on_device(std::vector<double>(10'000, 1.0));
  const auto out = this->on_device(std::vector<double>(3));
  const auto with = [&](const std::vector<int>& offsets) {
    const auto o = this->on_device(offsets);
    return this->message([&] { quern::segmented_reduce(this->e, out, plus<double>(), 0.0, x, o, quern::checked); });
  };
  EXPECT_EQ("no error", with({0, 5, 5, 10'000}));
  const std::string range = " or leave the range from 0 to 10000, the number of values";
  EXPECT_EQ("quern::segmented_reduce: offsets decrease at 2" + range, with({0, 6, 5, 10'000}));
  EXPECT_EQ("quern::segmented_reduce: offsets decrease at 3" + range, with({0, 5, 5, 10'001}));
  EXPECT_EQ("quern::segmented_reduce: offsets decrease at 0" + range, with({-1, 5, 5, 10'000}));
}

// Unchecked ones touch nothing outside of the Views; sanitizers see it if they do.
TYPED_TEST(SegmentedOn, UnsortedOffsetsStayInside) {
  const auto x = this->on_device(std::vector<double>(10'000, 1.0));
  const auto out = this->on_device(std::vector<double>(3));
  quern::segmented_reduce(this->e, out, plus<double>(), 0.0, x,
                          this->on_device(std::vector<int>{9'000, -5, 20'000, 3}));
  quern::segmented_scan(this->e, x, plus<double>(), 0.0, x, this->on_device(std::vector<int>{9'000, -5, 20'000, 3}));
  this->e.fence();
}

TYPED_TEST(SegmentedOn, Errors) {
  const auto x = this->on_device(std::vector<double>(10, 1.0));
  const auto two = this->on_device(std::vector<double>(2));
  const auto offsets = this->on_device(std::vector<int>{0, 1, 2, 10});
  EXPECT_EQ("quern::segmented_reduce: out has extents (2), expected (3)",
            this->message([&] { quern::segmented_reduce(this->e, two, plus<double>(), 0.0, x, offsets); }));
  EXPECT_EQ("quern::segmented_scan: out has extents (2), expected (10)",
            this->message([&] { quern::segmented_scan(this->e, two, plus<double>(), 0.0, x, offsets); }));
  const auto matrix = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 5});
  EXPECT_EQ("quern::segmented_scan: values has extents (2, 5), expected rank 1",
            this->message([&] { quern::segmented_scan(this->e, x, plus<double>(), 0.0, matrix, offsets); }));
}

}  // namespace
