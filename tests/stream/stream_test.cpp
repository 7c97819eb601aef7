// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations on streams beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <atomic>
#include <cmath>
#include <quern/random.hpp>
#include <quern/stream.hpp>
#include <support/testing.hpp>

namespace {

namespace stream = quern::stream;
using Kokkos::LayoutRight;

/// An array in the memory of the host, behind a function.
template <class T, std::size_t Rank>
struct behind_function {
  std::vector<T> values;
  std::array<std::int64_t, Rank> extents;

  std::int64_t row() const {
    std::int64_t n = 1;
    for (std::size_t d = 1; d < Rank; ++d) n *= extents[d];
    return n;
  }
  auto source() const {
    return make([this](const std::size_t(&e)[Rank]) {
      return stream::reader<T>(e, [this](std::int64_t first, std::int64_t rows, T* to) {
        std::copy_n(values.data() + first * row(), rows * row(), to);
      });
    });
  }
  auto sink() {
    return make([this](const std::size_t(&e)[Rank]) {
      return stream::writer<T>(e, [this](std::int64_t first, std::int64_t rows, const T* from) {
        std::copy_n(from, rows * row(), values.data() + first * row());
      });
    });
  }

 private:
  template <class F>
  auto make(const F& f) const {
    std::size_t e[Rank];
    for (std::size_t d = 0; d < Rank; ++d) e[d] = extents[d];
    return f(e);
  }
};

template <class T, std::size_t Rank>
behind_function<T, Rank> samples(const std::array<std::int64_t, Rank>& extents, std::uint64_t seed = 1) {
  std::int64_t n = 1;
  for (const auto e : extents) n *= e;
  return {test::samples<T>(n, seed), extents};
}
/// Memory for about `rows` rows in three chunks.
template <class A>
stream::options memory_for(const A& a, std::int64_t rows, std::int64_t arrays = 1) {
  stream::options o;
  o.memory = 3 * rows * a.row() * sizeof(a.values[0]) * arrays;
  return o;
}

struct combine {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a * T(2) + b;
  }
};

struct pinned {
  using memory_space = Kokkos::SharedHostPinnedSpace;
};

template <class Case>
struct Stream : testing::Test {};
using stream_cases = test::covering<double, std::int8_t, float>;
TYPED_TEST_SUITE(Stream, stream_cases);

TYPED_TEST(Stream, MapHasTheBitsOfTheCallInMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {1, 50}, {0, 4}, {64, 1}}) {
    const auto x = samples<T>(extents, 1), y = samples<T>(extents, 2);
    const auto vx = test::make_array<T, 2, typename TypeParam::layout, E>(extents, x.values);
    const auto vy = test::make_array<T, 2, LayoutRight, E>(extents, y.values);
    const auto expected = test::make_array<T, 2, LayoutRight, E>(extents);
    quern::map(exec, expected, combine(), vx, vy);
    for (const std::int64_t rows : {1, 7, 1000}) {
      auto z = samples<T>(extents, 3);
      stream::map(exec, z.sink(), combine(), memory_for(x, rows, 3), x.source(), y.source());
      EXPECT_EQ(test::contents(expected), z.values) << rows;
      // A View of the execution space among the inputs, and as the output.
      const auto v = test::make_array<T, 2, typename TypeParam::layout, E>(extents, std::vector<T>(z.values.size()));
      stream::map(exec, v, combine(), memory_for(x, rows, 3), vx, y.source());
      EXPECT_EQ(test::contents(expected), test::contents(v)) << rows;
    }
  }
}

struct weighted_position {
  template <class T>
  KOKKOS_FUNCTION double operator()(T x, T row, double scale, const Kokkos::Array<std::int64_t, 2>& at) const {
    return scale * static_cast<double>(x) + static_cast<double>(row) + 1000.0 * at[0] + at[1];
  }
};

TYPED_TEST(Stream, MapBroadcastsAndCountsPositionsInTheWhole) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const std::array<std::int64_t, 2> extents{53, 17};
  const auto x = samples<T>(extents, 1);
  const auto line = test::samples<T>(17, 4);
  const auto row = test::make_array<T, 1, LayoutRight, E>({17}, line);
  const auto host_row = test::make_array<T, 1, LayoutRight, Kokkos::DefaultHostExecutionSpace>({17}, line);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < 53; ++i)
    for (std::int64_t j = 0; j < 17; ++j)
      expected.push_back(0.5 * static_cast<double>(x.values[i * 17 + j]) + static_cast<double>(line[j]) + 1000.0 * i +
                         j);
  auto z = samples<double>(extents, 3);
  stream::map(exec, z.sink(), weighted_position(), memory_for(x, 5, 9), x.source(), row, 0.5, quern::positions());
  EXPECT_EQ(expected, z.values);
  stream::map(exec, z.sink(), weighted_position(), memory_for(x, 5, 9), x.source(), host_row, 0.5, quern::positions());
  EXPECT_EQ(expected, z.values);
}

// Views of the host beside the execution space, in every layout and memory: what a device computes in chunks.
TYPED_TEST(Stream, MapOfHostViews) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using host = Kokkos::DefaultHostExecutionSpace;
  const E exec;
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {2, 3}, {0, 3}}) {
    const std::int64_t n = extents[0] * extents[1];
    const auto a = test::samples<T>(n, 1), b = test::samples<T>(n, 2);
    std::vector<T> expected(n);
    for (std::int64_t i = 0; i < n; ++i) expected[i] = combine()(a[i], b[i]);
    stream::options o;
    o.memory = 3 * 3 * 31 * sizeof(T) * 5;
    const auto check = [&](const auto& out, const auto& x, const auto& y) {
      stream::map(exec, out, combine(), o, x, y);
      EXPECT_EQ(expected, test::contents(out));
    };
    check(test::make_array<T, 2, typename TypeParam::layout, host>(extents, std::vector<T>(n)),
          test::make_array<T, 2, LayoutRight, host>(extents, a),
          test::make_array<T, 2, Kokkos::LayoutLeft, pinned>(extents, b));
    check(test::make_array<T, 2, Kokkos::LayoutLeft, pinned>(extents, std::vector<T>(n)),
          test::make_array<T, 2, Kokkos::LayoutLeft, host>(extents, a),
          test::make_array<T, 2, typename TypeParam::layout, pinned>(extents, b));
  }
}

/// Every reduction, in memory and in chunks.
template <class T, class E, class A, class V>
void check_reductions(const E& exec, const A& a, const V& v, const stream::options& o) {
  const auto s = a.source();
  stream::options two = o;
  two.memory *= 2;
  const auto near = [&](auto x, auto y, const char* what) {
    using R = decltype(x);
    if constexpr (std::is_integral_v<R>) {
      EXPECT_EQ(x, y) << what;
    } else if (y != y) {
      EXPECT_NE(x, x) << what;
    } else {
      const double eps = std::numeric_limits<R>::epsilon() * std::log2(a.values.size() + 2.0);
      EXPECT_NEAR(x, y, eps * (std::fabs(static_cast<double>(y)) + 10 * std::sqrt(a.values.size()))) << what;
    }
  };
  near(stream::sum(exec, s, o), quern::sum(exec, v), "sum");
  near(stream::sum<double>(exec, s, o), quern::sum<double>(exec, v), "sum<double>");
  near(stream::prod<double>(exec, s, o), quern::prod<double>(exec, v), "prod");
  EXPECT_EQ(stream::min(exec, s, o), quern::min(exec, v));
  EXPECT_EQ(stream::max(exec, s, o), quern::max(exec, v));
  EXPECT_EQ(stream::minmax(exec, s, o).max, quern::minmax(exec, v).max);
  near(stream::norm(exec, s, o), quern::norm(exec, v), "norm");
  near(stream::norm<1>(exec, s, o), quern::norm<1>(exec, v), "norm 1");
  near(stream::mean(exec, s, o), quern::mean(exec, v), "mean");
  const auto [mean, var] = stream::mean_var(exec, s, o);
  near(mean, quern::mean(exec, v), "mean of mean_var");
  near(var, quern::var(exec, v), "var of mean_var");
  near(stream::var(exec, s, quern::ddof{1}, o), quern::var(exec, v, quern::ddof{1}), "var");
  near(stream::stddev(exec, s, o), quern::stddev(exec, v), "stddev");
  EXPECT_EQ(stream::all(exec, s, o), quern::all(exec, v));
  EXPECT_EQ(stream::any(exec, s, o), quern::any(exec, v));
  EXPECT_EQ(stream::count(exec, s, o), quern::count(exec, v));
  EXPECT_EQ(stream::argmax(exec, s, o), quern::argmax(exec, v));
  EXPECT_EQ(stream::argmin(exec, s, o), quern::argmin(exec, v));
  near(stream::nansum(exec, s, o), quern::nansum(exec, v), "nansum");
  near(stream::nanmean(exec, s, o), quern::nanmean(exec, v), "nanmean");
  near(stream::nanvar(exec, s, o), quern::nanvar(exec, v), "nanvar");
  EXPECT_EQ(stream::nanmin(exec, s, o), quern::nanmin(exec, v));
  EXPECT_EQ(stream::nanmax(exec, s, o), quern::nanmax(exec, v));
  EXPECT_EQ(stream::nanargmax(exec, s, o), quern::nanargmax(exec, v));
  EXPECT_EQ(stream::nanargmin(exec, s, o), quern::nanargmin(exec, v));
  EXPECT_EQ(stream::nancount(exec, s, o), quern::nancount(exec, v));
  near(stream::dot(exec, s, s, two), quern::dot(exec, v, v), "dot");
  near(stream::reduce(exec, quern::impl::max_op(), T(-100), s, o), quern::max(exec, v), "reduce");
  if constexpr (std::is_floating_point_v<T>) {
    EXPECT_EQ(stream::sum(exec, s, quern::reproducible, o), quern::sum(exec, v, quern::reproducible));
    EXPECT_EQ(stream::mean(exec, s, quern::reproducible, o), quern::mean(exec, v, quern::reproducible));
    EXPECT_EQ(stream::var(exec, s, quern::reproducible, o), quern::var(exec, v, quern::reproducible));
    EXPECT_EQ(stream::stddev(exec, s, o, quern::reproducible), quern::stddev(exec, v, quern::reproducible));
    EXPECT_EQ(stream::dot(exec, s, s, quern::reproducible, two), quern::dot(exec, v, v, quern::reproducible));
  }
}

TYPED_TEST(Stream, ReductionsAreThoseInMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  for (const auto& extents : {std::array<std::int64_t, 3>{97, 3, 11}, {1, 1, 1}, {5, 7, 100}}) {
    const auto a = samples<T>(extents);
    const auto v = test::make_array<T, 3, LayoutRight, E>(extents, a.values);
    for (const std::int64_t rows : {1, 10, 1000}) check_reductions<T>(E(), a, v, memory_for(a, rows));
  }
}

TYPED_TEST(Stream, ReductionsAlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const std::array<std::int64_t, 3> extents{41, 6, 9};
  const auto a = samples<T>(extents);
  const auto v = test::make_array<T, 3, LayoutRight, E>(extents, a.values);
  const auto o = memory_for(a, 5);
  const auto check = [&]<std::size_t Rank>(const std::array<std::int64_t, Rank>& rest, const auto& along) {
    const auto found = test::make_array<double, Rank, typename TypeParam::layout, E>(rest);
    const auto expected = test::make_array<double, Rank, LayoutRight, E>(rest);
    stream::sum<double>(exec, found, a.source(), along, o);
    quern::sum<double>(exec, expected, v, along);
    EXPECT_EQ(test::contents(expected), test::contents(found));  // sums of quarters are exact
    const auto on_host = test::make_array<double, Rank, LayoutRight, Kokkos::DefaultHostExecutionSpace>(rest);
    stream::sum<double>(exec, on_host, a.source(), along, o);
    EXPECT_EQ(test::contents(expected), test::contents(on_host));
    const auto at = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    const auto expected_at = test::make_array<std::int64_t, Rank, LayoutRight, E>(rest);
    stream::argmax(exec, at, a.source(), along, o);
    quern::argmax(exec, expected_at, v, along);
    EXPECT_EQ(test::contents(expected_at), test::contents(at));
  };
  check(std::array<std::int64_t, 2>{6, 9}, quern::axis{0});
  check(std::array<std::int64_t, 2>{41, 9}, quern::axis{1});
  check(std::array<std::int64_t, 2>{41, 6}, quern::axis{-1});
  check(std::array<std::int64_t, 1>{9}, quern::axes{0, 1});
  check(std::array<std::int64_t, 1>{41}, quern::axes{2, 1});
}

TYPED_TEST(Stream, ScansGoOnFromChunkToChunk) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using S = quern::impl::sum_type<T>;
  const E exec;
  const std::array<std::int64_t, 3> extents{29, 4, 5};
  const auto a = samples<T>(extents);
  const auto v = test::make_array<T, 3, LayoutRight, E>(extents, a.values);
  const auto expected = test::make_array<S, 3, LayoutRight, E>(extents);
  auto found = samples<S>(extents, 9);
  for (const std::int64_t rows : {1, 6, 100}) {
    const auto o = memory_for(found, rows, 4);
    const auto check = [&](const auto&... axis) {
      quern::cumsum(exec, expected, v, axis...);
      stream::cumsum(exec, found.sink(), a.source(), axis..., o);
      EXPECT_EQ(test::contents(expected), found.values);
      quern::exclusive_scan(exec, expected, quern::impl::max_op(), S(-50), v, axis...);
      stream::exclusive_scan(exec, found.sink(), quern::impl::max_op(), S(-50), a.source(), axis..., o);
      EXPECT_EQ(test::contents(expected), found.values);
      quern::inclusive_scan(exec, expected, quern::impl::max_op(), S(-50), v, axis...);
      stream::inclusive_scan(exec, found.sink(), quern::impl::max_op(), S(-50), a.source(), axis..., o);
      EXPECT_EQ(test::contents(expected), found.values);
    };
    check();
    check(quern::axis{0});
    check(quern::axis{1});
    check(quern::axis{-1});
  }
}

TYPED_TEST(Stream, CountsOfChunksAddUp) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E exec;
  const auto a = samples<T>(std::array<std::int64_t, 2>{83, 13});
  const auto v = test::make_array<T, 2, LayoutRight, E>(a.extents, a.values);
  const auto w = samples<double>(a.extents, 5);
  const auto vw = test::make_array<double, 2, LayoutRight, E>(a.extents, w.values);
  const Kokkos::View<std::int64_t*, E> found("found", 7), expected("expected", 7);
  const quern::bin_range range{-5, 5};
  quern::histogram(exec, expected, v, range);
  stream::histogram(exec, found, a.source(), range, memory_for(a, 4));
  EXPECT_EQ(test::contents(expected), test::contents(found));
  const Kokkos::View<double*, E> sums("sums", 7), expected_sums("expected", 7);
  quern::histogram(exec, expected_sums, v, range, quern::weights{vw});
  stream::histogram(exec, sums, a.source(), range, stream::weights{w.source()}, memory_for(w, 4, 2));
  EXPECT_EQ(test::contents(expected_sums), test::contents(sums));
  const auto keys = samples<std::int32_t>(a.extents, 6);
  const auto vk = test::make_array<std::int32_t, 2, LayoutRight, E>(a.extents, keys.values);
  quern::bincount(exec, expected, vk);
  stream::bincount(exec, found, keys.source(), memory_for(keys, 4));
  EXPECT_EQ(test::contents(expected), test::contents(found));
}

struct blur {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return (w(-1, 0) + w(1, 0) * 2 + w(0, -1) * 3 + w(0, 1) * 4 + w(0, 0)) / 4;
  }
};
struct blur_at {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const Window& w) const {
    return static_cast<double>(blur()(w)) + 1000.0 * static_cast<double>(at[0]) + static_cast<double>(at[1]);
  }
};

TYPED_TEST(Stream, StencilsHaveTheBitsOfTheCallInMemory) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using quern::boundary, quern::boundaries;
  const E exec;
  for (const auto& extents : {std::array<std::int64_t, 2>{61, 23}, {7, 300}}) {
    const std::int64_t n = extents[0] * extents[1];
    const auto a = samples<T>(extents);
    const auto in = test::make_array<T, 2, LayoutRight, E>(extents, a.values);
    for (const boundaries& edge :
         {boundaries(boundary::reflect), boundaries(boundary::mirror), boundaries(boundary::nearest),
          boundaries(boundary::wrap), boundaries(boundary::constant(3)), boundaries(boundary::keep),
          boundaries{boundary::wrap, boundary::keep}, boundaries{{boundary::keep, boundary::reflect}, boundary::wrap},
          boundaries(quern::interior_only{{2, extents[0] - 1}, {1, extents[1] - 3}})}) {
      for (const std::int64_t rows : {2, 5, 100}) {
        const auto o = memory_for(a, rows + 2, 3);
        const auto zero = std::vector<T>(n), old = test::samples<T>(n, 8);
        const auto expected = test::make_array<T, 2, LayoutRight, E>(extents, zero);
        quern::stencil<quern::star<1>>(exec, expected, blur(), edge, in);
        auto found = samples<T>(extents, 4);
        stream::stencil<quern::star<1>>(exec, found.sink(), blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(expected), found.values) << rows;
        // Views keep what is not computed.
        const auto kept = test::make_array<T, 2, LayoutRight, E>(extents, old);
        quern::stencil<quern::star<1>>(exec, kept, blur(), edge, in);
        const auto view = test::make_array<T, 2, LayoutRight, E>(extents, old);
        stream::stencil<quern::star<1>>(exec, view, blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(kept), test::contents(view)) << rows;
        const auto host_view = test::make_array<T, 2, LayoutRight, Kokkos::DefaultHostExecutionSpace>(extents, old);
        stream::stencil<quern::star<1>>(exec, host_view, blur(), edge, o, a.source());
        EXPECT_EQ(test::contents(kept), test::contents(host_view)) << rows;
      }
    }
    const auto at = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(n));
    quern::stencil<quern::star<1>>(exec, at, quern::with_position(blur_at()), boundary::nearest, in);
    auto found = samples<double>(extents, 4);
    stream::stencil<quern::star<1>>(exec, found.sink(), quern::with_position(blur_at()), boundary::nearest,
                                    memory_for(found, 4, 2), a.source());
    EXPECT_EQ(test::contents(at), found.values);
  }
}

template <class Exec>
struct Streams : testing::Test {};
TYPED_TEST_SUITE(Streams, test::all_spaces);

TYPED_TEST(Streams, SeveralOperationsOnEachChunk) {
  using E = TypeParam;
  const auto a = samples<double>(std::array<std::int64_t, 2>{103, 10});
  auto doubled = samples<double>(a.extents, 3);
  std::vector<std::int64_t> firsts;
  double total = 0;
  stream::for_each_chunk(
      E(),
      [&](const E& e, const stream::chunk_info& chunk, const auto& x, const auto& y) {
        firsts.push_back(chunk.first);
        EXPECT_EQ(static_cast<std::int64_t>(x.extent(0)), chunk.count);
        quern::add(e, y, x, x);
        total += quern::sum(e, x);
      },
      memory_for(a, 10, 2), a.source(), doubled.sink());
  EXPECT_EQ(11u, firsts.size());
  EXPECT_TRUE(std::is_sorted(firsts.begin(), firsts.end()));
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    sum += a.values[i];
    ASSERT_EQ(2 * a.values[i], doubled.values[i]);
  }
  EXPECT_EQ(sum, total);
}

TYPED_TEST(Streams, TellHowFarTheyAre) {
  const auto a = samples<double>(std::array<std::int64_t, 2>{100, 10});
  stream::options o = memory_for(a, 10);
  std::vector<stream::progress> seen;
  o.on_progress = [&](const stream::progress& p) { seen.push_back(p); };
  stream::sum(TypeParam(), a.source(), o);
  ASSERT_EQ(10u, seen.size());
  EXPECT_EQ(10, seen.back().chunks_done);
  EXPECT_EQ(8000.0, seen.back().bytes_done);
  EXPECT_EQ(8000.0, seen.back().bytes);
  // What it throws ends the operation.
  o.on_progress = [](const stream::progress& p) {
    if (p.chunks_done == 3) throw std::domain_error("enough");
  };
  EXPECT_THROW(stream::sum(TypeParam(), a.source(), o), std::domain_error);
}

TYPED_TEST(Streams, SayWhichChunkFailed) {
  const TypeParam exec;
  stream::options o;
  o.memory = 3 * 10 * 8 * 10;
  std::atomic<int> reads = 0;
  const auto failing = stream::reader<double>({100, 10}, [&](std::int64_t first, std::int64_t rows, double* to) {
    if (first == 40) throw std::runtime_error("no tape");
    ++reads;
    std::fill_n(to, rows * 10, 1.0);
  });
  try {
    stream::sum(exec, failing, o);
    ADD_FAILURE() << "no error";
  } catch (const stream::StreamError& e) {
    EXPECT_STREQ("quern::stream::sum: chunk 4 of 10 (a reader, rows 40 to 49): no tape", e.what());
    EXPECT_THROW(std::rethrow_if_nested(e), std::runtime_error);
  }
  EXPECT_EQ(4, reads);
  const auto full = stream::writer<double>({100, 10}, [](std::int64_t first, std::int64_t, const double*) {
    if (first >= 20) throw std::runtime_error("full");
  });
  const auto ones = stream::reader<double>(
      {100, 10}, [](std::int64_t, std::int64_t rows, double* to) { std::fill_n(to, rows * 10, 1.0); });
  o.memory *= 2;
  try {
    stream::map(exec, full, quern::impl::op::identity(), o, ones);
    ADD_FAILURE() << "no error";
  } catch (const stream::StreamError& e) {
    EXPECT_STREQ("quern::stream::map: chunk 2 of 10 (a writer, rows 20 to 29): full", e.what());
  }
  EXPECT_EQ(1000.0, stream::sum(exec, ones, o)) << "afterwards all is as before";
}

TYPED_TEST(Streams, RejectMisuse) {
  const TypeParam exec;
  const auto a = samples<double>(std::array<std::int64_t, 2>{20, 10}),
             b = samples<double>(std::array<std::int64_t, 2>{20, 9});
  stream::options o;
  o.memory = 100;
  test::expect_error(
      "quern::stream::sum: the memory of 100 bytes is too little for chunks of 1 along axis 0, which take 240",
      [&] { stream::sum(exec, a.source(), o); });
  auto z = a;
  test::expect_error(
      "quern::stream::stencil: the memory of 100 bytes is too little for chunks of 2 along axis 0, which take 1920",
      [&] { stream::stencil<quern::star<1>>(exec, z.sink(), blur(), quern::boundary::wrap, o, a.source()); });
  test::expect_error("quern::stream::map: an input has extents (20, 9), which do not broadcast to (20, 10)",
                     [&] { stream::map(exec, z.sink(), combine(), a.source(), b.source()); });
  test::expect_error("quern::stream::dot: in 2 has extents (20, 9), expected (20, 10)",
                     [&] { stream::dot(exec, a.source(), b.source()); });
  test::expect_error("quern::min: in 1 has extents (0, 3), expected at least one element",
                     [&] { stream::min(exec, samples<double>(std::array<std::int64_t, 2>{0, 3}).source()); });
  EXPECT_EQ(0.0, stream::sum(exec, samples<double>(std::array<std::int64_t, 2>{0, 3}).source()));
}

}  // namespace
