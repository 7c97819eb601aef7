// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of what comes in chunks as elements, beside the same calls of Views in memory.
#include <chunked/behind_function.hpp>

namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight;
using quern::in_chunks, quern::lazy, quern::rows;
using test::behind, test::fortran_source, test::memory_for;
template <class T>
using vector = Kokkos::Array<T, 3>;

struct kick {
  template <class T>
  KOKKOS_FUNCTION vector<T> operator()(vector<T> v, const vector<T>& f, const T& mass) const {
    for (int c = 0; c < 3; ++c) v[c] = static_cast<T>(v[c] + f[c] * mass);
    return v;
  }
};
struct kick_and_force {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const vector<T>& v, const vector<T>& f, const T& mass) const {
    return quern::values(kick()(v, f, mass), f);
  }
};
struct doubles {
  template <class T>
  KOKKOS_FUNCTION vector<double> operator()(const vector<T>& v) const {
    return {double(v[0]), double(v[1]), double(v[2])};
  }
};
struct difference {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    auto a = w(1);
    const auto b = w(-1);
    for (int c = 0; c < 3; ++c) a[c] -= b[c];
    return a;
  }
};

template <class Case>
struct ChunkedRows : testing::Test {};
using cases = test::covering<double, int, float>;
TYPED_TEST_SUITE(ChunkedRows, cases);

TYPED_TEST(ChunkedRows, AreOperandsAndOutputsOfMaps) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  using host = Kokkos::DefaultHostExecutionSpace;
  const E exec{};
  for (const std::int64_t n : {0, 1, 5, 97, 1024}) {
    const auto x = behind<T>(std::array<std::int64_t, 2>{n, 3}, 1), f = behind<T>(std::array<std::int64_t, 2>{n, 3}, 2);
    const auto m = behind<T>(std::array<std::int64_t, 1>{n}, 3);
    const auto vx = test::make_array<T, 2, L, E>({n, 3}, x.values), vf = test::make_array<T, 2, L, E>({n, 3}, f.values);
    const auto mass = test::make_array<T, 1, L, E>({n}, m.values);
    const auto whole = test::make_array<T, 2, L, E>({n, 3});
    quern::map(exec, rows<3>(whole), kick(), rows<3>(vx), rows<3>(vf), mass);
    const auto expected = test::contents(whole);
    for (const std::int64_t count : {1, 7, 3000}) {
      const auto memory = memory_for(x, count, 5);
      auto z = behind<T>(std::array<std::int64_t, 2>{n, 3}, 4), w = behind<T>(std::array<std::int64_t, 2>{n, 3}, 5);
      quern::map(exec, rows<3>(z.sink()), kick(), memory, rows<3>(x.source()), rows<3>(f.source()), m.source());
      EXPECT_EQ(expected, z.values) << n << ' ' << count;
      // Rows in memory beside them, as inputs and outputs.
      const auto out = test::make_array<T, 2, L, E>({n, 3});
      quern::map(exec, rows<3>(out), kick(), memory, rows<3>(x.source()), rows<3>(vf), mass);
      EXPECT_EQ(expected, test::contents(out));
      quern::map(exec, quern::outputs(rows<3>(z.sink()), rows<3>(w.sink())), kick_and_force(), memory, rows<3>(vx),
                 rows<3>(f.source()), m.source());
      EXPECT_EQ(expected, z.values);
      EXPECT_EQ(f.values, w.values);
      // Views of the host, of both layouts.
      const auto check = [&]<class Layout>(Layout) {
        const auto hx = test::make_array<T, 2, Layout, host>({n, 3}, x.values),
                   to = test::make_array<T, 2, Layout, host>({n, 3});
        quern::map(exec, rows<3>(in_chunks(to)), kick(), memory, rows<3>(in_chunks(hx)), rows<3>(f.source()), mass);
        EXPECT_EQ(expected, test::contents(to));
        quern::map(exec, in_chunks(rows<3>(to)), kick(), memory, in_chunks(rows<3>(hx)), rows<3>(vf), mass);
        EXPECT_EQ(expected, test::contents(to));
      };
      check(LayoutRight());
      check(LayoutLeft());
      // In Fortran order.
      const auto columns = test::make_array<T, 2, LayoutLeft, host>({n, 3}),
                 from = test::make_array<T, 2, LayoutLeft, host>({n, 3}, x.values);
      quern::map(exec, rows<3>(test::fortran_sink(columns)), kick(), memory, rows<3>(fortran_source(from)),
                 rows<3>(f.source()), m.source());
      EXPECT_EQ(expected, test::contents(columns));
      const auto copied = test::make_array<T, 2, L, E>({n, 3});
      quern::copy(exec, rows<3>(copied), rows<3>(x.source()), memory);
      EXPECT_EQ(x.values, test::contents(copied));
    }
  }
}

TYPED_TEST(ChunkedRows, AreReduced) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const std::int64_t n = 301;
  const auto x = behind<T>(std::array<std::int64_t, 2>{n, 3}, 1);
  const auto v = test::make_array<T, 2, L, E>({n, 3}, x.values);
  vector<double> expected{};
  for (std::int64_t i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) expected[c] += static_cast<double>(x.values[3 * i + c]);
  const auto check = [&](const vector<double>& found) {
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(expected[c], found[c], 1e-10);
  };
  const auto least = quern::min(exec, rows<3>(v));
  const auto var = quern::var(exec, rows<3>(v));
  const auto columns = test::make_array<T, 2, LayoutLeft, Kokkos::DefaultHostExecutionSpace>({n, 3}, x.values);
  for (const std::int64_t count : {1, 8, 5000}) {
    const auto memory = memory_for(x, count, 3);
    check(quern::sum(exec, lazy(doubles(), rows<3>(x.source())), memory));
    check(quern::sum(exec, lazy(doubles(), rows<3>(test::fortran_source(columns))), memory));
    check(quern::sum(lazy(doubles(), rows<3>(in_chunks(v))), memory));
    const auto found = quern::min(exec, rows<3>(x.source()), memory);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(least[c], found[c]);
    const auto of_chunks = quern::var(exec, rows<3>(x.source()), memory);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(var[c], of_chunks[c], 1e-5 * static_cast<double>(var[c]));
    auto z = behind<T>(std::array<std::int64_t, 2>{n, 3}, 4);
    const auto total =
        quern::map(exec, quern::outputs(rows<3>(z.sink()), quern::reduced<quern::op::min>(quern::on_host)),
                   kick_and_force(), memory, rows<3>(x.source()), rows<3>(x.source()), T(0));
    EXPECT_EQ(x.values, z.values);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(least[c], total[c]);
  }
}

TYPED_TEST(ChunkedRows, AreOutputsOfReductions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const auto x = behind<T>(std::array<std::int64_t, 3>{23, 11, 3}, 1);
  const auto v = test::make_array<T, 3, L, E>({23, 11, 3}, x.values);
  for (const int axis : {0, 1}) {
    const std::int64_t n = axis == 0 ? 11 : 23;
    const auto expected = test::make_array<T, 2, L, E>({n, 3}), found = test::make_array<T, 2, L, E>({n, 3});
    quern::max(exec, rows<3>(expected), rows<3>(v), quern::axis{axis});
    for (const std::int64_t count : {1, 4, 100}) {
      quern::max(exec, rows<3>(found), rows<3>(x.source()), memory_for(x, count, 2), quern::axis{axis});
      EXPECT_EQ(test::contents(expected), test::contents(found)) << axis << ' ' << count;
    }
  }
}

// A function has rows along its first axis, which is the one in the middle here: chunks are cut along that.
TEST(ChunkedRowsOfReindexed, AreCutAlongTheAxisOfTheirRows) {
  using space = Kokkos::DefaultExecutionSpace;
  const space exec;
  const auto a = behind<double>(std::array<std::int64_t, 3>{31, 5, 3});
  const auto whole = test::make_array<double, 3, LayoutRight, space>(a.extents, a.values);
  const auto turned = [](const auto& x) { return quern::permute_dims(x, quern::axes{1, 0, 2}); };
  const auto found = test::make_array<double, 3, LayoutRight, space>({5, 31, 3}),
             expected = test::make_array<double, 3, LayoutRight, space>({5, 31, 3});
  quern::copy(exec, expected, turned(whole));
  quern::copy(exec, rows<3>(found), rows<3>(turned(a.source())), memory_for(a, 4, 2));
  EXPECT_EQ(test::contents(expected), test::contents(found));
}

TYPED_TEST(ChunkedRows, OfSourcesAreSourcesOfElements) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const std::int64_t n = 57;
  const auto x = behind<T>(std::array<std::int64_t, 2>{n, 3}, 1);
  const auto v = test::make_array<T, 2, L, E>({n, 3}, x.values), expected = test::make_array<T, 2, L, E>({n, 3});
  quern::stencil<quern::star<1>>(exec, rows<3>(expected), difference(), quern::boundary::wrap, rows<3>(v));
  auto z = behind<T>(std::array<std::int64_t, 2>{n, 3}, 4);
  quern::stencil<quern::star<1>>(exec, rows<3>(z.sink()), difference(), quern::boundary::wrap, memory_for(x, 9, 4),
                                 rows<3>(x.source()));
  EXPECT_EQ(test::contents(expected), z.values);
  test::expect_error("quern::rows: k is 2, and not the last extent of (57, 3)", [&] { rows<2>(x.source()); });
  test::expect_error("quern::rows: k is 2, and not the last extent of (57, 3)", [&] { rows<2>(in_chunks(v)); });
}

}  // namespace
