// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chunked operations beside the same ones in memory. Users' functions are what is read and written, so that hosts
// have chunks as well.

#include <atomic>
#include <limits>
#include <numeric>

#include <chunked/behind_function.hpp>

namespace {

namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using test::behind, test::memory_for;

struct combine {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a * T(2) + b;
  }
};

struct blur {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return (w(-1, 0) + w(1, 0) * 2 + w(0, -1) * 3 + w(0, 1) * 4 + w(0, 0)) / 4;
  }
};
template <class Exec>
struct Chunks : testing::Test {};
TYPED_TEST_SUITE(Chunks, test::all_spaces);

TYPED_TEST(Chunks, SeveralOperationsOnEachChunk) {
  using E = TypeParam;
  const auto a = behind<double>(std::array<std::int64_t, 2>{103, 10});
  auto doubled = behind<double>(a.extents, 3);
  std::vector<std::int64_t> firsts;
  double total = 0;
  chunked::for_each_chunk(
      E(),
      [&](const E& e, const chunked::chunk_info& chunk, const auto& x, const auto& y) {
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
  std::int64_t rows = 0;  // on the default execution space
  const auto count = [&](const auto&, const chunked::chunk_info& chunk, const auto&) { rows += chunk.count; };
  chunked::for_each_chunk(count, memory_for(a, 10), a.source());
  EXPECT_EQ(103, rows);
  chunked::for_each_chunk(count, a.source());
  EXPECT_EQ(206, rows);
}

TYPED_TEST(Chunks, TellHowFarTheyAre) {
  const auto a = behind<double>(std::array<std::int64_t, 2>{100, 10});
  quern::chunking o = memory_for(a, 10);
  std::vector<chunked::progress> seen;
  o.on_progress = [&](const chunked::progress& p) { seen.push_back(p); };
  quern::sum(TypeParam(), a.source(), o);
  ASSERT_EQ(10u, seen.size());
  EXPECT_EQ(10, seen.back().chunks_done);
  EXPECT_EQ(8000.0, seen.back().bytes_done);
  EXPECT_EQ(8000.0, seen.back().bytes);
  // What it throws ends the operation.
  o.on_progress = [](const chunked::progress& p) {
    if (p.chunks_done == 3) throw std::domain_error("enough");
  };
  EXPECT_THROW(quern::sum(TypeParam(), a.source(), o), std::domain_error);
}

TYPED_TEST(Chunks, SayWhichChunkFailed) {
  const TypeParam exec;
  quern::chunking o;
  o.memory = 3 * 10 * 8 * 10;
  std::atomic<int> reads = 0;
  const auto failing = chunked::reader<double>({100, 10}, [&](std::int64_t first, std::int64_t rows, double* to) {
    if (first == 40) throw std::runtime_error("no tape");
    ++reads;
    std::fill_n(to, rows * 10, 1.0);
  });
  try {
    quern::sum(exec, failing, o);
    ADD_FAILURE() << "no error";
  } catch (const chunked::ChunkError& e) {
    EXPECT_STREQ("quern::sum: chunk 4 of 10 (a reader, rows 40 to 49): no tape", e.what());
    EXPECT_THROW(std::rethrow_if_nested(e), std::runtime_error);
  }
  EXPECT_LE(reads, 5) << "besides the one that was read ahead";
  const auto full = chunked::writer<double>({100, 10}, [](std::int64_t first, std::int64_t, const double*) {
    if (first >= 20) throw std::runtime_error("full");
  });
  const auto ones = chunked::reader<double>(
      {100, 10}, [](std::int64_t, std::int64_t rows, double* to) { std::fill_n(to, rows * 10, 1.0); });
  o.memory *= 2;
  try {
    quern::map(exec, full, quern::impl::op::identity(), o, ones);
    ADD_FAILURE() << "no error";
  } catch (const chunked::ChunkError& e) {
    EXPECT_STREQ("quern::map: chunk 2 of 10 (a writer, rows 20 to 29): full", e.what());
  }
  EXPECT_EQ(1000.0, quern::sum(exec, ones, o)) << "afterwards all is as before";
}

TYPED_TEST(Chunks, RejectMisuse) {
  const TypeParam exec;
  const auto a = behind<double>(std::array<std::int64_t, 2>{20, 10}),
             b = behind<double>(std::array<std::int64_t, 2>{20, 9});
  quern::chunking o;
  o.memory = 100;
  test::expect_error(
      "quern::sum: the memory of 100 bytes is too little for chunks of 1 along axis 0, which take 240 bytes",
      [&] { quern::sum(exec, a.source(), o); });
  o.memory = std::numeric_limits<std::size_t>::max();
  test::expect_error("quern::sum: the memory is to be 18446744073709551615 bytes, expected at most 2^63 - 1",
                     [&] { quern::sum(exec, a.source(), o); });
  o.memory = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(std::accumulate(a.values.begin(), a.values.end(), 0.0), quern::sum(exec, a.source(), o));  // quarters
  o.memory = 100;
  const auto none = [](std::int64_t, std::int64_t, double*) {};
  const std::size_t large = std::size_t{1} << 40;
  EXPECT_THROW(chunked::reader<double>({large, large}, none), quern::MemoryError);
  test::expect_error("quern::chunked: a negative extent in (-1)",
                     [&] { (void)chunked::reader<double>({std::numeric_limits<std::size_t>::max()}, none); });
  const auto rows = chunked::reader<double>({3, large << 18}, none);
  EXPECT_THROW(quern::sum(exec, rows), quern::Error);
  auto z = a;
  test::expect_error(
      "quern::stencil: the memory of 100 bytes is too little for chunks of 2 along axis 0, which take 1920 "
      "bytes",
      [&] { quern::stencil<quern::star<1>>(exec, z.sink(), blur(), quern::boundary::wrap, o, a.source()); });
  test::expect_error("quern::map: in 2 has extents (20, 9), which do not broadcast to (20, 10)",
                     [&] { quern::map(exec, z.sink(), combine(), a.source(), b.source()); });
  test::expect_error("quern::dot: the inputs have extents (20, 10) and (20, 9), which do not broadcast to each other",
                     [&] { quern::dot(exec, a.source(), b.source()); });
  test::expect_error("quern::min: in 1 has extents (0, 3), expected at least one element",
                     [&] { quern::min(exec, behind<double>(std::array<std::int64_t, 2>{0, 3}).source()); });
  // A View that would be read again when it is written.
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> u("u", 20, 10);
  const auto lower = quern::in_chunks(Kokkos::subview(u, std::pair(1, 20), Kokkos::ALL)),
             upper = quern::in_chunks(Kokkos::subview(u, std::pair(0, 19), Kokkos::ALL));
  const auto all = quern::in_chunks(u);
  EXPECT_THROW(quern::map(exec, lower, quern::impl::op::identity(), upper), quern::Error);
  EXPECT_THROW(quern::stencil<quern::star<1>>(exec, all, blur(), quern::boundary::wrap, all), quern::Error);
  quern::map(exec, all, combine(), all, 1.0);
  EXPECT_EQ(1.0, u(19, 9));
  EXPECT_EQ(0.0, quern::sum(exec, behind<double>(std::array<std::int64_t, 2>{0, 3}).source()));
}

// Empty arrays, and chunks of one row.
TYPED_TEST(Chunks, ArraysOfFewElements) {
  using E = TypeParam;
  const E exec{};
  const auto problem_of = [](const auto& f) {
    try {
      f();
      return std::string();
    } catch (const quern::Error& e) {
      const std::string text = e.what();
      return text.substr(text.find(": "));
    }
  };
  for (const auto& extents : {std::array<std::int64_t, 2>{0, 3}, {3, 0}, {0, 0}, {1, 3}, {2, 1}, {5, 2}}) {
    const auto a = behind<double>(extents);
    const auto v = test::make_array<double, 2, LayoutRight, E>(extents, a.values);
    quern::chunking o;
    o.memory = 3 * 8 * 6 * std::max<std::int64_t>(a.row(), 1);
    for (int axis = 0; axis < 2; ++axis) {
      const std::array<std::int64_t, 1> left{extents[1 - axis]};
      const auto expected = test::make_array<double, 1, LayoutRight, E>(left), found = expected;
      quern::sum(exec, expected, v, quern::axis{axis});
      const auto sums = test::contents(expected);
      quern::sum(exec, found, a.source(), quern::axis{axis}, o);
      EXPECT_EQ(sums, test::contents(found));
      EXPECT_EQ(problem_of([&] { quern::max(exec, expected, v, quern::axis{axis}); }),
                problem_of([&] { quern::max(exec, found, a.source(), quern::axis{axis}, o); }));
    }
    EXPECT_EQ(quern::sum(exec, v), quern::sum(exec, a.source(), o));
    EXPECT_EQ(quern::prod(exec, v), quern::prod(exec, a.source(), o));
    EXPECT_EQ(problem_of([&] { quern::min(exec, v); }), problem_of([&] { quern::min(exec, a.source(), o); }));
    EXPECT_EQ(v.size() == 0, !problem_of([&] { quern::median(exec, a.source(), o); }).empty());
    const Kokkos::View<std::int64_t*, E> counts("counts", 4), found_counts("counts", 4);
    quern::histogram(exec, counts, v, quern::bin_range{-4, 4});
    quern::histogram(exec, found_counts, a.source(), quern::bin_range{-4, 4}, o);
    EXPECT_EQ(test::contents(counts), test::contents(found_counts));
    const auto sums = test::make_array<double, 2, LayoutRight, E>(extents);
    auto found = behind<double>(extents, 4);
    quern::cumsum(exec, sums, v);
    quern::cumsum(exec, found.sink(), a.source(), o);
    EXPECT_EQ(test::contents(sums), found.values);
    quern::map(exec, found.sink(), combine(), o, a.source(), a.source());
    for (std::size_t i = 0; i < found.values.size(); ++i) EXPECT_EQ(3 * a.values[i], found.values[i]);
  }
}

// Not those that they are made of.
TYPED_TEST(Chunks, MessagesNameTheOperationThatWasCalled) {
  const TypeParam exec;
  const auto a = behind<double>(std::array<std::int64_t, 2>{20, 10});
  const auto memory = test::make_array<double, 2, LayoutRight, TypeParam>({20, 10});
  const auto named = [](const std::string& name, const auto& f) {
    try {
      f();
      ADD_FAILURE() << name;
    } catch (const quern::Error& e) {
      EXPECT_EQ(0u, std::string(e.what()).find(name + ": ")) << e.what();
    }
  };
  const auto out = test::make_array<double, 1, LayoutRight, TypeParam>({3});
  const auto counts = test::make_array<std::int64_t, 1, LayoutRight, TypeParam>({3});
  named("quern::sum", [&] { quern::sum(exec, out, memory, quern::axis{7}); });
  named("quern::sum", [&] { quern::sum(exec, out, memory, quern::axis{0}); });
  named("quern::sum", [&] { quern::sum(exec, out, a.source(), quern::axis{0}); });
  named("quern::cumsum", [&] { quern::cumsum(exec, memory, memory, quern::axis{7}); });
  named("quern::histogram", [&] { quern::histogram(exec, counts, memory, quern::bin_range{2, 1}); });
  named("quern::histogram", [&] { quern::histogram(exec, counts, a.source(), quern::bin_range{2, 1}); });
  named("quern::map", [&] { quern::map(exec, memory, combine(), memory, out); });
  named("quern::stencil", [&] { quern::stencil<quern::star<1>>(exec, memory, blur(), quern::boundary::wrap, memory); });
  const auto empty = test::make_array<double, 1, LayoutRight, TypeParam>({0});
  named("quern::max", [&] { quern::max(exec, empty); });
}

}  // namespace
