// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call takes beside a source: several outputs, Views in reach; and what it rejects.
#include <chunked/behind_function.hpp>
#include <numeric>
#include <support/operand_functors.hpp>

namespace {

namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using quern::axis, quern::lazy;
using test::behind, test::memory_for, test::sum_and_difference, test::weighted;

template <class Exec>
struct ChunkedOperands : testing::Test {};
TYPED_TEST_SUITE(ChunkedOperands, test::all_spaces);

TYPED_TEST(ChunkedOperands, SeveralOutputs) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{23, 4};
  const auto a = behind<double>(extents, 1), b = behind<double>(extents, 2);
  auto sums = behind<double>(extents, 3);
  const auto differences = test::make_array<double, 2, LayoutRight, E>(extents);
  quern::map(exec, quern::outputs(sums.sink(), differences), sum_and_difference(), memory_for(a, 5, 3), a.source(),
             b.source());
  std::vector<double> expected_sums, expected_differences;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    expected_sums.push_back(a.values[i] + b.values[i]);
    expected_differences.push_back(a.values[i] - b.values[i]);
  }
  EXPECT_EQ(expected_sums, sums.values);
  EXPECT_EQ(expected_differences, test::contents(differences));
  auto fewer = behind<double>(std::array<std::int64_t, 2>{22, 4}, 3);
  test::expect_error("quern::map: another output has extents (22, 4), expected (23, 4)", [&] {
    quern::map(exec, quern::outputs(sums.sink(), fewer.sink()), sum_and_difference(), a.source(), b.source());
  });
}

TYPED_TEST(ChunkedOperands, ElementwiseFunctions) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{23, 4};
  const auto a = behind<double>(extents, 1), b = behind<double>(extents, 2);
  const auto found = test::make_array<double, 2, LayoutRight, E>(extents),
             expected = test::make_array<double, 2, LayoutRight, E>(extents),
             va = test::make_array<double, 2, LayoutRight, E>(extents, a.values),
             vb = test::make_array<double, 2, LayoutRight, E>(extents, b.values);
  const auto o = memory_for(a, 5, 3);
  const auto check = [&] { EXPECT_EQ(test::contents(expected), test::contents(found)); };
  quern::add(exec, expected, va, vb);
  quern::add(exec, found, a.source(), b.source(), o);
  check();
  quern::subtract(exec, expected, va, 2.0);
  quern::subtract(exec, found, a.source(), 2.0, o);
  check();
  quern::divide(exec, expected, va, vb);
  quern::divide(exec, found, va, b.source(), o);
  check();
  quern::axpy(exec, expected, 3.0, va, vb);
  quern::axpy(exec, found, 3.0, a.source(), vb, o);
  check();
  auto filled = behind<double>(extents, 3);
  quern::fill(exec, filled.sink(), 7.0, o);
  EXPECT_EQ(std::vector<double>(filled.values.size(), 7.0), filled.values);
}

TYPED_TEST(ChunkedOperands, Copies) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{23, 4};
  const auto a = behind<double>(extents, 1);
  auto to = behind<float>(extents, 2);
  const auto v = test::make_array<double, 2, LayoutRight, E>(extents);
  const auto o = memory_for(a, 5);
  const auto check = [&](const auto& found) {
    EXPECT_EQ(a.values, std::vector<double>(found.begin(), found.end()));  // quarters
  };
  quern::copy(exec, to.sink(), a.source(), o);
  check(to.values);
  quern::copy(exec, v, a.source(), o);
  check(test::contents(v));
  quern::fill(exec, to.sink(), 0.0);
  quern::copy(exec, to.sink(), v);
  check(to.values);
  const Kokkos::View<double**, Kokkos::HostSpace> on_host("on_host", 23, 4);
  quern::copy(exec, quern::in_chunks(on_host), v, o);
  check(test::contents(on_host));
  quern::fill(exec, v, 0.0);
  quern::copy(exec, v, quern::in_chunks(on_host));
  check(test::contents(v));
  const auto expected = test::make_array<double, 2, LayoutRight, E>(extents);
  quern::copy(exec, expected, lazy(weighted(), v, 1.0));
  quern::copy(exec, v, lazy(weighted(), a.source(), 1.0), o);
  EXPECT_EQ(test::contents(expected), test::contents(v));
}

TYPED_TEST(ChunkedOperands, TwoResults) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{23, 4};
  const auto a = behind<double>(extents, 1);
  const auto v = test::make_array<double, 2, LayoutRight, E>(extents, a.values);
  const Kokkos::View<double*, E> least("least", 4), largest("largest", 4), low("low", 4), high("high", 4);
  quern::minmax(exec, quern::outputs(least, largest), v, axis{0});
  quern::minmax(exec, quern::outputs(low, high), a.source(), axis{0}, memory_for(a, 5));
  EXPECT_EQ(test::contents(least), test::contents(low));
  EXPECT_EQ(test::contents(largest), test::contents(high));
}

// One row is read in chunks, too, whose memory is bounded.
TYPED_TEST(ChunkedOperands, OneRow) {
  const TypeParam exec;
  const auto a = behind<double>(std::array<std::int64_t, 2>{1, 1000});
  test::expect_error(
      "quern::sum: the memory of 100 bytes is too little for chunks of 1 along axis 0, which take 24000 bytes",
      [&] { quern::sum(exec, a.source(), quern::chunking{.memory = 100}); });
  EXPECT_EQ(std::accumulate(a.values.begin(), a.values.end(), 0.0), quern::sum(exec, a.source()));  // quarters
}

TYPED_TEST(ChunkedOperands, ReproducibleVariances) {
  using E = TypeParam;
  using complex = Kokkos::complex<double>;
  const E exec{};
  const std::array<std::int64_t, 3> extents{29, 3, 4};
  const auto a = behind<double>(extents, 1);
  const auto v = test::make_array<double, 3, LayoutRight, E>(extents, a.values);
  const auto z = behind<complex>(extents, 2);
  const auto vz = test::make_array<complex, 3, LayoutRight, E>(extents, z.values);
  const auto r = quern::reproducible;
  for (const std::int64_t rows : {1, 10, 100}) {
    const auto o = memory_for(a, rows);
    EXPECT_EQ(quern::var(exec, vz, r), quern::var(exec, z.source(), r, memory_for(z, rows)));
    const auto along = [&]<std::size_t Rank>(const std::array<std::int64_t, Rank>& rest, const auto& axes) {
      const auto expected = test::make_array<double, Rank, LayoutRight, E>(rest),
                 found = test::make_array<double, Rank, LayoutRight, E>(rest);
      quern::stddev(exec, expected, v, axes, r);
      quern::stddev(exec, found, a.source(), axes, r, o);
      EXPECT_EQ(test::contents(expected), test::contents(found)) << rows;
    };
    along(std::array<std::int64_t, 2>{3, 4}, axis{0});
    along(std::array<std::int64_t, 2>{29, 4}, axis{1});
    along(std::array<std::int64_t, 1>{4}, quern::axes{0, 1});
  }
}

// Where all is in reach, calls wait, and need no execution space.
TYPED_TEST(ChunkedOperands, ViewsInReach) {
  const auto v = test::make_array<double, 2, LayoutRight, Kokkos::DefaultExecutionSpace>({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto out = test::make_array<double, 1, LayoutRight, Kokkos::DefaultExecutionSpace>({2});
  EXPECT_EQ(21, quern::sum(quern::in_chunks(v)));
  EXPECT_EQ(21, quern::sum(quern::in_chunks(v), quern::chunking{.memory = 1000}));
  quern::sum(out, quern::in_chunks(v), axis{0});
  EXPECT_EQ((std::vector<double>{9, 12}), test::contents(out));
  quern::map(quern::in_chunks(v), weighted(), quern::in_chunks(v), 1.0);
  EXPECT_EQ((std::vector<double>{1, 3, 5, 7, 9, 11}), test::contents(v));
  EXPECT_EQ(36, quern::reduce(quern::impl::plus<double>(), 0.0, quern::in_chunks(v)));
}

/// A source without an execution space, and the same in memory.
struct both_places {
  static constexpr std::array<std::int64_t, 2> extents{23, 4};
  using space = Kokkos::DefaultExecutionSpace;
  test::behind_function<double, 2> a = behind<double>(extents, 1);
  decltype(test::make_array<double, 2, LayoutRight, space>(extents)) v =
      test::make_array<double, 2, LayoutRight, space>(extents, a.values);
  quern::chunking o = memory_for(a, 5, 2);

  template <class T, std::size_t Rank>
  static auto array(const std::array<std::int64_t, Rank>& e) {
    return test::make_array<T, Rank, LayoutRight, space>(e);
  }
};

TEST(ChunkedCalls, CountsWithoutExecutionSpace) {
  const both_places x;
  const std::array<std::int64_t, 1> bins{4};
  const auto expected = both_places::array<double>(bins), found = both_places::array<double>(bins);
  const auto check = [&](const auto& in_memory, const auto& in_chunks) {
    in_memory();
    in_chunks();
    EXPECT_EQ(test::contents(expected), test::contents(found));
  };
  const quern::bin_range range{-6, 6};
  check([&] { quern::histogram(expected, x.v, range); }, [&] { quern::histogram(found, x.a.source(), range, x.o); });
  check([&] { quern::histogram(expected, x.v, range, quern::weights{x.v}); },
        [&] { quern::histogram(found, x.a.source(), range, x.o, quern::weights{x.a.source()}); });
  const auto edges = test::make_array<double, 1, LayoutRight, both_places::space>({5}, {-6, -1, 0, 2, 6});
  check([&] { quern::histogram(expected, x.v, edges); }, [&] { quern::histogram(found, x.a.source(), edges, x.o); });
  const auto keys = behind<int>(both_places::extents, 3);
  const auto whole_keys = test::make_array<int, 2, LayoutRight, both_places::space>(both_places::extents, keys.values);
  check([&] { quern::bincount(expected, whole_keys); }, [&] { quern::bincount(found, keys.source(), x.o); });
  check([&] { quern::bincount(expected, whole_keys, quern::weights{x.v}); },
        [&] { quern::bincount(found, keys.source(), quern::weights{x.a.source()}, x.o); });
  const quern::key_range some{-1, 3};
  check([&] { quern::bincount(expected, whole_keys, some); },
        [&] { quern::bincount(found, keys.source(), some, x.o); });
}

TEST(ChunkedCalls, CopiesWithoutExecutionSpace) {
  const both_places x;
  const auto found = both_places::array<double>(both_places::extents);
  quern::copy(found, x.a.source(), x.o);
  EXPECT_EQ(x.a.values, test::contents(found));
  quern::fill(found, 0.0);
  quern::copy(found, x.a.source());
  EXPECT_EQ(x.a.values, test::contents(found));
}

// As in memory, weights broadcast to the values.
TEST(ChunkedCalls, WeightsOfFewerExtents) {
  const both_places x;
  const std::array<std::int64_t, 1> bins{4};
  const auto expected = both_places::array<double>(bins), found = both_places::array<double>(bins);
  const quern::bin_range range{-6, 6};
  const auto check = [&](const auto& whole, const auto& given) {
    quern::histogram(expected, x.v, range, quern::weights{whole});
    quern::histogram(found, x.a.source(), range, x.o, quern::weights{given});
    EXPECT_EQ(test::contents(expected), test::contents(found));
  };
  const auto row = test::make_array<double, 1, LayoutRight, both_places::space>({4}, {1, 2, 4, 8}),
             one = test::make_array<double, 1, LayoutRight, both_places::space>({1}, {2});
  const auto column =
      test::make_array<double, 2, LayoutRight, both_places::space>({23, 1}, test::samples<double>(23, 2));
  check(row, row);
  check(one, one);
  check(column, column);
  check(lazy(weighted(), column, row), lazy(weighted(), column, row));
  const auto columns = behind<double>(std::array<std::int64_t, 2>{23, 1}, 4),
             rows = behind<double>(std::array<std::int64_t, 2>{1, 4}, 5);
  check(test::make_array<double, 2, LayoutRight, both_places::space>(columns.extents, columns.values),
        columns.source());
  check(test::make_array<double, 2, LayoutRight, both_places::space>(rows.extents, rows.values), rows.source());
  const auto longer = both_places::array<double>(std::array<std::int64_t, 1>{5});
  test::expect_error("quern::histogram: in 2 has extents (5), which do not broadcast to (23, 4)",
                     [&] { quern::histogram(found, x.a.source(), range, quern::weights{longer}); });
}

TEST(ChunkedCalls, ReductionsWithoutExecutionSpace) {
  const both_places x;
  EXPECT_EQ(quern::quantile(x.v, 0.3), quern::quantile(x.a.source(), 0.3, x.o));
  EXPECT_EQ(quern::median(x.v), quern::median(x.a.source(), x.o));
  EXPECT_EQ(quern::nanquantile(x.v, 0.3), quern::nanquantile(x.a.source(), 0.3, x.o));
  EXPECT_EQ(quern::nanmedian(x.v), quern::nanmedian(quern::in_chunks(x.v)));
  const std::array<std::int64_t, 1> two{2}, columns{4};
  const auto expected = both_places::array<double>(two), found = both_places::array<double>(two);
  quern::quantile(expected, x.v, {0.25, 0.75});
  quern::quantile(found, x.a.source(), {0.25, 0.75}, x.o);
  EXPECT_EQ(test::contents(expected), test::contents(found));
  const auto b = behind<double>(both_places::extents, 2);
  const auto vb = test::make_array<double, 2, LayoutRight, both_places::space>(both_places::extents, b.values);
  EXPECT_EQ(quern::dot(x.v, vb), quern::dot(x.a.source(), b.source(), x.o));  // of quarters: exact
  EXPECT_EQ(quern::vdot(x.v, vb), quern::vdot(x.a.source(), vb, x.o));
  const auto line = Kokkos::subview(vb, 0, Kokkos::ALL);
  EXPECT_EQ(quern::dot(x.v, line), quern::dot(x.a.source(), line, x.o));
  const Kokkos::View<double, both_places::space> one("one");
  quern::dot(one, x.v, b.source(), x.o);
  EXPECT_EQ(std::vector<double>{quern::dot(x.v, vb)}, test::contents(one));
  const quern::impl::plus<double> op;
  EXPECT_EQ(quern::sum(x.v), quern::reduce(op, 0.0, x.a.source(), x.o));
  const auto sums = both_places::array<double>(columns), found_sums = both_places::array<double>(columns);
  quern::sum(sums, x.v, axis{0});
  quern::reduce(found_sums, op, 0.0, x.a.source(), axis{0}, x.o);
  EXPECT_EQ(test::contents(sums), test::contents(found_sums));
}

struct sum_of_neighbours {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1);
  }
};

TEST(ChunkedCalls, ArraysWithoutExecutionSpace) {
  const both_places x;
  const auto expected = both_places::array<double>(both_places::extents),
             found = both_places::array<double>(both_places::extents);
  // To a View and to a sink, in chunks and where the View is.
  const auto check = [&](const auto& call) {
    call(expected, x.v);
    call(found, x.a.source(), x.o);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    auto behind_sink = behind<double>(both_places::extents, 9);
    call(behind_sink.sink(), x.a.source(), x.o);
    EXPECT_EQ(test::contents(expected), behind_sink.values);
    quern::fill(found, 0.0);
    call(quern::in_chunks(found), quern::in_chunks(x.v));
    EXPECT_EQ(test::contents(expected), test::contents(found));
  };
  const quern::impl::plus<double> op;
  check([](const auto& out, const auto& in, const auto&... o) { quern::cumsum(out, in, axis{0}, o...); });
  check([](const auto& out, const auto& in, const auto&... o) { quern::cumsum(out, in, o...); });
  check([](const auto& out, const auto& in, const auto&... o) { quern::cumprod(out, in, axis{1}, o...); });
  check([&](const auto& out, const auto& in, const auto&... o) { quern::inclusive_scan(out, op, 0.0, in, o...); });
  check([&](const auto& out, const auto& in, const auto&... o) {
    quern::exclusive_scan(out, op, 0.0, in, o..., axis{0});
  });
  check([](const auto& out, const auto& in, const auto&... o) {
    quern::stencil<quern::star<1>>(out, sum_of_neighbours(), quern::boundary::wrap, o..., in);
  });
}

// Each row is an output by itself, and two of them are none.
TYPED_TEST(ChunkedOperands, OutputsWhoseElementsShareMemory) {
  const TypeParam exec;
  const auto a = behind<double>(std::array<std::int64_t, 2>{20, 4});
  const auto o = memory_for(a, 1, 4);
  const Kokkos::View<double*, TypeParam> memory("memory", 80);
  using strided = Kokkos::View<double**, Kokkos::LayoutStride, TypeParam>;
  const strided repeated(memory.data(), Kokkos::LayoutStride(20, 0, 4, 1)),
      overlapping(memory.data(), Kokkos::LayoutStride(20, 2, 4, 1));
  const auto reject = [&](const std::string& name, const auto& call) {
    test::expect_error(name + ": out has stride 0 along axis 0 of extents (20, 4): its elements share memory",
                       [&] { call(repeated); });
    test::expect_error(name + ": out has strides (2, 1) for extents (20, 4): its elements share memory",
                       [&] { call(overlapping); });
  };
  reject("quern::copy", [&](const auto& out) { quern::copy(exec, out, a.source(), o); });
  reject("quern::cumsum", [&](const auto& out) { quern::cumsum(exec, out, a.source(), axis{1}, o); });
  reject("quern::stencil", [&](const auto& out) {
    quern::stencil<quern::star<1>>(exec, out, sum_of_neighbours(), quern::boundary::wrap, o, a.source());
  });
  EXPECT_EQ(std::vector<double>(80), test::contents(memory));
}

TYPED_TEST(ChunkedOperands, RejectMisuse) {
  const TypeParam exec;
  const auto a = behind<double>(std::array<std::int64_t, 2>{20, 10});
  const auto b = behind<double>(std::array<std::int64_t, 2>{20, 9});
  const auto line = test::make_array<double, 1, LayoutRight, TypeParam>({10});
  test::expect_error("quern::sum: the inputs have extents (20, 10) and (20, 9), which do not broadcast to each other",
                     [&] { quern::sum(exec, lazy(weighted(), a.source(), b.source())); });
  test::expect_error("quern::dot: the inputs have extents (20, 9) and (10), which do not broadcast to each other",
                     [&] { quern::dot(exec, b.source(), line); });
  const auto table = test::make_array<double, 2, LayoutRight, TypeParam>({20, 10});
  const auto row = Kokkos::subview(table, 19, Kokkos::ALL);
  test::expect_error("quern::sum: out and in 1 share memory",
                     [&] { quern::sum(exec, row, lazy(weighted(), a.source(), table), axis{0}); });
  test::expect_error("quern::map: out and another output share memory",
                     [&] { quern::map(exec, quern::outputs(table, table), sum_and_difference(), a.source(), 1.0); });
  const auto counts = test::make_array<std::int64_t, 2, LayoutRight, TypeParam>({2, 5});
  test::expect_error("quern::histogram: out has extents (2, 5), expected rank 1",
                     [&] { quern::histogram(exec, counts, a.source(), quern::bin_range{0, 1}); });
  test::expect_error("quern::sum: out has extents (10), expected (20)",
                     [&] { quern::sum(exec, line, a.source(), axis{1}); });
}

}  // namespace
