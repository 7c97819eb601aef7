// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The shares of the threads of a device, in turn on the host: together they are each element of what is re-indexed,
// once.

#include <algorithm>
#include <quern/map.hpp>
#include <quern/reduce/device_reduction.hpp>
#include <support/testing.hpp>

namespace {

using quern::axes;
using host = Kokkos::DefaultHostExecutionSpace;
using matrix = Kokkos::View<std::int64_t**, Kokkos::LayoutRight, host>;

/// Writes the values one after the other.
struct collected {
  struct state {
    std::int64_t* next;
  };
  KOKKOS_FUNCTION static void add(state& s, std::int64_t v) { *s.next++ = v; }
  template <int N>
  KOKKOS_FUNCTION static void add_block(state& s, const std::int64_t* v) {
    for (int k = 0; k < N; ++k) add(s, v[k]);
  }
};

template <class Work>
struct shares_of;
template <class Reducer, class F, class Out, class... In>
struct shares_of<quern::impl::strided_reduction<host, Reducer, F, Out, In...>> {
  using kernel_type = quern::impl::device_reduction<1, host, Reducer, F, Out, In...>;
  static constexpr bool by_segments = kernel_type::by_segments;
};

/// What `threads` threads in all, `along` of each team, add to each result.
template <class Work>
std::vector<std::int64_t> added(const Work& work, int along, int splits) {
  typename shares_of<Work>::kernel_type kernel{work};
  static_assert(shares_of<Work>::by_segments);
  kernel.work.shape.along = along;
  kernel.work.items = work.nest.inner;
  kernel.work.total = work.nest.inner * work.nest.outer;
  std::vector<std::int64_t> all(2 * work.results() * kernel.work.total + 1);  // room for more than are right
  collected::state s{all.data()};
  for (std::int64_t result = 0; result < work.results(); ++result) {
    std::int64_t i;
    const auto o = work.result_nest.at_item(result, work.result_nest.inner, 1, i);
    typename Work::offsets base;
    for (int k = 0; k < Work::operands; ++k) base.of[k] = o.of[k];
    for (int t = 0; t < along * splits; ++t)
      kernel.add_share(quern::impl::several_rows_tag(), s, base, t, along * splits);
  }
  all.resize(s.next - all.data());
  std::sort(all.begin(), all.end());
  return all;
}

template <class V>
std::vector<std::int64_t> sorted_copy(const V& v) {
  const quern::shape n = quern::extents_of(v);
  std::vector<std::int64_t> all(n.size());
  const Kokkos::View<std::int64_t*, host> to(all.data(), all.size());
  quern::copy(host(), to, quern::reshape(v, {-1}));
  std::sort(all.begin(), all.end());
  return all;
}

template <class V>
void expect_each_once(const std::string& what, const V& v, const axes& along) {
  namespace impl = quern::impl;
  const quern::shape n = quern::extents_of(v);
  std::int64_t out = 0;
  const auto work = impl::describe_reduction<host>(collected(), impl::op::identity(), {what, along, n.rank},
                                                   impl::strided<std::int64_t>{&out, {}, {}},
                                                   impl::expand<host, impl::rank_of<V>>(what, v, n));
  const auto expected = sorted_copy(v);
  for (const auto& [threads, splits] : {std::pair(1, 1), {8, 3}, {12, 2}, {32, 5}, {96, 1}, {256, 7}})
    EXPECT_EQ(expected, added(work, threads, splits)) << what << " by " << threads << " threads, splits " << splits;
}

matrix numbers(std::int64_t rows, std::int64_t columns) {
  const matrix x("x", rows, columns);
  for (std::int64_t i = 0; i < rows * columns; ++i) x.data()[i] = i + 1;
  return x;
}

TEST(RowSegments, OfRowsOfAnyLengthAreEachElementOnce) {
  for (const int columns : {1, 2, 3, 7, 8, 15, 16, 63, 64, 65, 500, 511, 512, 513, 1023, 1024, 1025, 2100}) {
    const matrix x = numbers(5, columns);
    const std::string n = std::to_string(columns);
    expect_each_once("roll " + n, quern::roll(x, {2, -3}, axes{0, 1}), axes{0, 1});
    expect_each_once("pad " + n, quern::pad(x, {{1, 2}, {3, 4}}, std::int64_t{-9}), axes{0, 1});
  }
}
TEST(RowSegments, OfNestedMapsAreEachElementOnce) {
  const matrix x = numbers(6, 700);
  expect_each_once("pad of roll",
                   quern::pad(quern::roll(quern::flip(x), 7, quern::axis{1}), 5, quern::pad_mode::reflect), axes{0, 1});
  expect_each_once("columns", quern::permute_dims(quern::roll(x, {1, 350}, axes{0, 1}), axes{1, 0}), axes{0, 1});
  expect_each_once("repeat", quern::repeat(x, 3, quern::axis{1}), axes{0, 1});
}
TEST(RowSegments, OfThreeAxesAndSeveralResults) {
  const Kokkos::View<std::int64_t***, Kokkos::LayoutRight, host> x("x", 5, 9, 70);
  for (std::int64_t i = 0; i < 5 * 9 * 70; ++i) x.data()[i] = i + 1;
  const auto padded = quern::pad(x, {{1, 2}, {0, 1}, {2, 3}}, quern::pad_mode::wrap);
  expect_each_once("all", padded, axes{0, 1, 2});
  expect_each_once("of the first", padded, axes{1, 2});
  expect_each_once("of the last", padded, axes{0, 1});
}
struct sum_of_two {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t a, std::int64_t b) const { return 100000 * a + b; }
};
TEST(RowSegments, OfSeveralOperandsAreEachElementOnce) {
  const matrix x = numbers(4, 1100), y = numbers(4, 1100);
  const auto both = quern::lazy(sum_of_two(), quern::roll(x, {1, 513}, axes{0, 1}), y);
  expect_each_once("with an array", both, axes{0, 1});
}

}  // namespace
