// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions along axes in chunks beside loops.

#include <Kokkos_DynRankView.hpp>
#include <algorithm>
#include <chunked/behind_function.hpp>
#include <quern/reduce/compare.hpp>

namespace {

using Kokkos::LayoutRight;
using test::behind, test::memory_for;

constexpr std::array<std::int64_t, 3> extents{41, 6, 9};

/// Calls f(position of the result, value, position along the axes) for each element.
template <class T, class F>
void for_each_element(const std::vector<T>& values, const std::vector<int>& along, const F& f) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i) {
    const std::int64_t index[] = {i / (extents[1] * extents[2]), i / extents[2] % extents[1], i % extents[2]};
    std::int64_t rest = 0, position = 0;
    for (int d = 0; d < 3; ++d) {
      std::int64_t& at = std::ranges::count(along, d) > 0 ? position : rest;
      at = at * extents[d] + index[d];
    }
    f(rest, values[i], position);
  }
}

template <class Case>
struct ChunkedAxes : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  const test::behind_function<T, 3> a = behind<T>(extents);

  /// Calls check(extents of the result, axes as an option, axes) for the axes of results of rank 2 and 1.
  template <class Check>
  static void for_axes(const Check& check) {
    check(std::array<std::int64_t, 2>{6, 9}, quern::axis{0}, {0});
    check(std::array<std::int64_t, 2>{41, 9}, quern::axis{1}, {1});
    check(std::array<std::int64_t, 2>{41, 6}, quern::axis{-1}, {2});
    check(std::array<std::int64_t, 1>{9}, quern::axes{0, 1}, {0, 1});
    check(std::array<std::int64_t, 1>{41}, quern::axes{2, 1}, {1, 2});
  }
};
using chunked_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(ChunkedAxes, chunked_cases);

TYPED_TEST(ChunkedAxes, SumsOnDevicesAndHosts) {
  using E = typename TestFixture::E;
  const auto o = memory_for(this->a, 5);
  this->for_axes([&]<std::size_t Rank>(const std::array<std::int64_t, Rank>& rest, const auto& option,
                                       const std::vector<int>& along) {
    const auto found = test::make_array<double, Rank, typename TypeParam::layout, E>(rest);
    quern::sum<double>(E(), found, this->a.source(), option, o);
    std::vector<double> expected(found.size());  // of quarters: exact
    for_each_element(this->a.values, along, [&](std::int64_t i, auto x, std::int64_t) { expected[i] += x; });
    EXPECT_EQ(expected, test::contents(found));
    const auto on_host = test::make_array<double, Rank, LayoutRight, Kokkos::DefaultHostExecutionSpace>(rest);
    quern::sum<double>(E(), quern::in_chunks(on_host), this->a.source(), option, o);
    EXPECT_EQ(expected, test::contents(on_host));
  });
}

TYPED_TEST(ChunkedAxes, PositionsOfMaxima) {
  using E = typename TestFixture::E;
  const auto o = memory_for(this->a, 5);
  this->for_axes([&]<std::size_t Rank>(const std::array<std::int64_t, Rank>& rest, const auto& option,
                                       const std::vector<int>& along) {
    const auto found = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    quern::argmax(E(), found, this->a.source(), option, o);
    std::vector<std::int64_t> expected(found.size(), -1);
    std::vector<typename TestFixture::T> largest(found.size());
    for_each_element(this->a.values, along, [&](std::int64_t i, auto x, std::int64_t position) {
      if (expected[i] >= 0 && x <= largest[i]) return;
      expected[i] = position;
      largest[i] = x;
    });
    EXPECT_EQ(expected, test::contents(found));
  });
}

TYPED_TEST(ChunkedAxes, RejectsTypesThatDoNotHoldThePositions) {
  using E = typename TestFixture::E;
  const auto tall = behind<typename TestFixture::T>(std::array<std::int64_t, 2>{200, 2});
  const Kokkos::View<std::int8_t*, Kokkos::HostSpace> narrow("narrow", 2);
  EXPECT_THROW(quern::argmax(E(), quern::in_chunks(narrow), tall.source(), quern::axis{0}), quern::Error)
      << "of 8 bits";
}

// Ranks of what remains that are known only when running.
TEST(ChunkedKeptAxes, AreThoseOfMemory) {
  using E = Kokkos::DefaultExecutionSpace;
  using kept = Kokkos::View<double***, E>;
  const auto a = behind<double>(extents);
  const auto x = test::make_array<double, 3, LayoutRight, E>(a.extents, a.values);
  const auto o = memory_for(a, 5);
  for (const quern::axes& along : {quern::axes{0, 1}, quern::axes{1, 2}, quern::axes{0, 2}, quern::axes{1}}) {
    std::array<std::int64_t, 3> n = extents;
    for (int k = 0; k < along.count; ++k) n[along.number[k]] = 1;
    const kept found("found", n[0], n[1], n[2]), variances("variances", n[0], n[1], n[2]);
    const kept expected("expected", n[0], n[1], n[2]), spread("spread", n[0], n[1], n[2]);
    quern::sum(E(), found, a.source(), along, quern::keep_axes, o);
    quern::sum(E(), expected, x, along, quern::keep_axes);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    quern::minmax(E(), quern::outputs(found, variances), a.source(), along, quern::keep_axes, o);
    quern::minmax(E(), quern::outputs(expected, spread), x, along, quern::keep_axes);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    EXPECT_EQ(test::contents(spread), test::contents(variances));
  }
  const Kokkos::DynRankView<double, E> rows("rows", 41);
  const Kokkos::View<double*, E> expected("expected", 41);
  quern::sum(E(), rows, a.source(), quern::axes{1, 2}, o);
  quern::sum(E(), expected, x, quern::axes{1, 2});
  EXPECT_TRUE(quern::array_equal(E(), expected, rows));
}

}  // namespace
